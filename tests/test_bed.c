/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Friction with one clutch per element of the bed. */

#include "check.h"
#include "law/split.h"
#include "motion.h"
#include "scene_text.h"
#include "sim/sim.h"
#include <footfall/footfall.h>
#include <stdlib.h>

enum { MU, RATIO, TAU, ELEMENTS, K, N };

static ff_friction bed(double mu, double ratio, double tau, int elements, double k, double n) {
    return friction("bed", (double[]){mu, ratio, tau, elements, k, n, 0});
}

/* ---- constant load: Cattaneo 1938, Mindlin 1949 ---- */

/* One law at constant depth and load, k = z = 1, n = 3/2, dragged along x at speed v for a given time. */
typedef struct {
    ff_friction law;
    double u[FF_FRICTION_STATES], force, lost, work;
} dragged;

static void begin(dragged *d, int elements) {
    d->law = bed(0.3, 0.8, 0, elements, 1, 1.5);
    d->force = d->lost = d->work = 0;
    memset(d->u, 0, sizeof d->u);
    /* so that clutches follow their limits within 5e-4 s */
    ff_friction_touch(&d->law, 1, 5e-4 / 0.08 * elements, d->u);
}

static ff_friction_answer ask(const dragged *d, double v, const double *u, double *rate) {
    const ff_friction_query q = {.z = 1, .load = 1, .grade = 1, .ratio = 1, .v = {v}, .u = u};
    return ff_friction_at(&d->law, &q, rate);
}

/* RK4: slip of an element has a transient of 5e-4 s */
static void drag(dragged *d, double v, double time) {
    static const double part[] = {0, 0.5, 0.5, 1}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const int states = 3 * d->law.vectors, steps = (int)ceil(time / 2e-4);
    const double h = time / steps;
    for (int step = 0; step < steps; step++) {
        double at[FF_FRICTION_STATES], rate[FF_FRICTION_STATES] = {0},
                                       sum[FF_FRICTION_STATES] = {0};
        memcpy(at, d->u, sizeof at);
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < states; i++) {
                at[i] = d->u[i] + part[stage] * h * rate[i];
            }
            ff_friction_answer a = ask(d, v, at, rate);
            d->lost += weight[stage] * h * (a.slip + a.damper);
            d->work -= weight[stage] * h * a.force[0] * v;
            for (int i = 0; i < states; i++) {
                sum[i] += weight[stage] * rate[i];
            }
        }
        for (int i = 0; i < states; i++) {
            d->u[i] += h * sum[i];
        }
    }
    d->force = -ask(d, 0, d->u, NULL).force[0];
}

/* Q/(mu N) = 1 - (1 - x)^(3/2), x = ratio xi/(mu z), and its integral over x */
static double mindlin(double x) { return 1 - pow(1 - x, 1.5); }
static double mindlin_work(double x) { return x - 0.4 * (1 - pow(1 - x, 2.5)); }

/* Force as a function of displacement. The limits add up to mu times the load for any number of elements; the
 * remaining error is at the boundary of stick: second order, times a function of its position within an element. */
static void test_cattaneo_mindlin(void **state) {
    (void)state;
    static const struct {
        int elements;
        double most;
    } grids[] = {{20, 6e-4}, {80, 4e-5}, {640, 6e-7}};
    const double full = 0.3 / 0.8;
    for (double x = 0.1; x < 1; x += 0.2) {
        for (size_t g = 0; g < ROWS(grids); g++) {
            dragged d;
            begin(&d, grids[g].elements);
            drag(&d, x * full, 1);
            assert_near(d.force / 0.3, mindlin(x), grids[g].most);
            /* no energy is created: work is stored or lost, up to the error of RK4 across kinks of the rates */
            assert_near(d.work - d.lost - d.law.law->stored(&d.law, 1, d.u), 0, 1e-10);
        }
    }
    /* gross slip, exact to rounding with any number of elements */
    dragged d;
    begin(&d, 20);
    drag(&d, 1.5 * full, 1);
    assert_near(d.force / 0.3, 1, 1e-14);
}

/* the hysteresis loop: unloading follows Masing's rule, and its area is 8 int Q - 4 Q* x* (Mindlin and Deresiewicz
 * 1953) */
static void test_loop(void **state) {
    (void)state;
    const double full = 0.3 / 0.8, x = 0.7;
    dragged d;
    begin(&d, 640);
    drag(&d, x * full, 1);
    const double top = mindlin(x);
    assert_near(d.force / 0.3, top, 1e-6);
    drag(&d, -full * x / 2, 1);
    assert_near(d.force / 0.3, top - 2 * mindlin(x / 4), 1e-6);
    drag(&d, -full * x, 1.5);
    assert_near(d.force / 0.3, -top, 1e-6);
    drag(&d, full * x, 2);
    assert_near(d.force / 0.3, top, 1e-6);
    const double lost = d.lost;
    for (int cycle = 0; cycle < 2; cycle++) {
        drag(&d, -full * x, 2);
        drag(&d, full * x, 2);
    }
    const double area = 0.3 * full * (8 * mindlin_work(x) - 4 * x * mindlin(x));
    /* the area is a tenth of mu N times the displacement: 1e-6 of it is a force error of 1e-7 */
    assert_close((d.lost - lost) / 2, area, 1e-6);
}

/* ---- impacts ---- */

/* a sphere of 1 kg and 0.1 m on a floor at 1 m/s, k = 1e6 N/m^1.5; final v_s in units of mu v_n, and its direction */
typedef struct {
    double slip[2], residual, created, regrade, release;
} outcome_of;

#define IMPACT                                                                                     \
    "gravity: [0, 0, 0]\n"                                                                         \
    "bodies: {ball: {mass: 1, inertia: [%g, %g, 4e-3], shape: {sphere: {radius: 0.1}}, position: " \
    "[0, 0, 0.1], velocity: [%.17g, %.17g, -1]}}\n"                                                \
    "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"                            \
    "pairs: [{between: [ball, floor], normal: %s, friction: {law: bed, mu: 0.3, ratio: 0.87, "     \
    "elements: %d%s}}]\nrun: {until: 0.05, tol: %g}\n"

static const char elastic[] = "{law: hertz, k: 1e6}",
                  viscous[] = "{law: azad-featherstone, k: 1e6, lambda: 900, detach: local}";

static outcome_of hit(const char *normal, const char *more, double x, double y, double inertia,
                      int elements, double tol) {
    char text[1200];
    snprintf(text, sizeof text, IMPACT, 4e-3, inertia, x * 0.3, y * 0.3, normal, elements, more,
             tol);
    ff_model *model = model_of_text(text);
    ff_sim *sim;
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    double damper = 0, slip = 0;
    ff_status status = FF_OK;
    while (ff_sim_time(sim) < 0.05 && status >= 0) {
        status = ff_sim_step(sim, 0.05);
        ff_ledger l = ff_sim_ledger(sim);
        /* losses never decrease, up to the error of a step */
        assert_true(l.tangential_damper >= damper - 1e-9 && l.slip >= slip - 1e-9);
        damper = l.tangential_damper;
        slip = l.slip;
    }
    assert_true(status >= 0);
    ff_motion b = ff_sim_body(sim, 0);
    ff_ledger l = ff_sim_ledger(sim);
    outcome_of out = {.slip = {(b.velocity[0] - 0.1 * b.omega[1]) / 0.3,
                               (b.velocity[1] + 0.1 * b.omega[0]) / 0.3},
                      .residual = l.residual / l.scale,
                      .created = l.created,
                      .regrade = l.regrade,
                      .release = l.release};
    finish(sim, model);
    return out;
}

/* Ten cases, two of them with an inertia that turns the direction of slip. The error of v_s'/(mu v_n) is at most
 * 2e-4 with 20 elements, and a quarter of that with each doubling, relative to the limit extrapolated from 160 and 320:
 * it is proportional to the square of the spacing, and with dashpots also to a function of the position of the edge within
 * an element. Measured: 1.8e-4, 3.6e-5, 7.9e-6 and 1.9e-6, a factor of 4.2 or more in the largest error at each doubling. */
static void test_accuracy(void **state) {
    (void)state;
    static const struct {
        const char *normal, *more;
        double x, y, inertia;
    } cases[] = {{elastic, "", 0.5, 0, 4e-3},
                 {elastic, "", 1, 0, 4e-3},
                 {elastic, "", 2, 0, 4e-3},
                 {elastic, "", 3, 0, 4e-3},
                 {elastic, "", 4, 0, 4e-3},
                 {elastic, "", 6, 0, 4e-3},
                 {elastic, ", tau: 1e-4", 1.5, 0, 4e-3},
                 {viscous, "", 2.5, 0, 4e-3},
                 {viscous, "", 1.2, 1.6, 1.5e-3},
                 {elastic, "", 2.4, 1.8, 1.5e-3}};
    double most[4] = {0};
    for (size_t i = 0; i < ROWS(cases); i++) {
        static const int elements[] = {20, 40, 80, 160, 320};
        outcome_of at[ROWS(elements)];
        for (size_t g = 0; g < ROWS(elements); g++) {
            at[g] = hit(cases[i].normal, cases[i].more, cases[i].x, cases[i].y, cases[i].inertia,
                        elements[g], 1e-9);
            assert_near(at[g].residual, 0, 1e-9);
            assert_true(at[g].created == 0 && at[g].regrade == 0);
            /* energy left in springs at the end of contact, of 0.5 J: the dashpots drain the elements */
            assert_near(at[g].release, 0, 5e-5);
        }
        for (int c = 0; c < 2; c++) {
            const double best = at[4].slip[c] + (at[4].slip[c] - at[3].slip[c]) / 3;
            double allowed = 2e-4;
            for (int g = 0; g < 4; g++, allowed /= 4) {
                const double error = fabs(at[g].slip[c] - best);
                assert_near(error, 0, allowed);
                most[g] = fmax(most[g], error);
            }
        }
    }
    for (int g = 1; g < 4; g++) {
        assert_true(most[g] <= most[g - 1] / 4);
    }
}

/* v_s'/(mu v_n) of elastic impacts, computed independently by fixed steps of RK4 with 160 and 320 elements and
 * extrapolation (nu = 0.23); and for sliding throughout, where it is x - 7 for any number of elements */
static void test_values(void **state) {
    (void)state;
    static const double known[][2] = {{0.5, 0.10083}, {1, 0.08279},  {2, -0.56926}, {3, -1.29052},
                                      {4, -1.67997},  {5, -1.65438}, {6, -1},       {8, 1}};
    for (size_t i = 0; i < ROWS(known); i++) {
        outcome_of at = hit(elastic, "", known[i][0], 0, 4e-3, 40, 1e-8);
        /* the clutches follow their limits within 0.003 and 0.005 of the time to the deepest point */
        assert_near(at.slip[0], known[i][1], 3e-4);
        assert_near(at.slip[1], 0, 1e-12);
    }
}

/* Results are invariant under rotation about the normal, up to the errors of steps across kinks: in 25 directions of this impact
 * at most 1.5e-10 at tol 1e-12, and 1.2e-8 at 1e-10. */
static void test_rotation(void **state) {
    (void)state;
    outcome_of a = hit(viscous, "", 2.5, 0, 4e-3, 20, 1e-12),
               b = hit(viscous, "", 1.5, 2, 4e-3, 20, 1e-12);
    assert_near(b.slip[0], 0.6 * a.slip[0], 1e-9);
    assert_near(b.slip[1], 0.8 * a.slip[0], 1e-9);
}

/* While all elements slip, their forces add up to mu times the load, which is distributed by a series near equilibrium and by
 * powers elsewhere: m = load/(k z^n) - 1, the series ends at -1/256. */
static void test_load(void **state) {
    (void)state;
    static const double shares[] = {-0.5,   -0.1, -1.001 / 256, -0.999 / 256, -1e-3, -1e-6,
                                    -1e-12, 0,    1e-12,        1e-3,         0.1};
    const ff_friction law = bed(0.3, 0.8, 1e-4, 20, 1e6, 1.5);
    for (size_t i = 0; i < ROWS(shares); i++) {
        double u[FF_FRICTION_STATES], rate[FF_FRICTION_STATES];
        const double z = 1e-3, load = (1 + shares[i]) * 1e6 * z * sqrt(z);
        law.law->touch(&law, 1.1e-3, 1e-3, u);
        const ff_friction_query q = {
            .z = z, .load = load, .grade = 1, .ratio = 1, .v = {100}, .u = u};
        const ff_friction_answer at = ff_friction_at(&law, &q, rate);
        /* sums of 20 limits with rounding errors of 1e-15 */
        assert_near(at.force[0], -0.3 * load, 1e-13 * load);
    }
}

/* with n = 1 all elements are equal and act as a single clutch */
static void test_one_clutch(void **state) {
    (void)state;
    ff_motion at[2];
    for (int i = 0; i < 2; i++) {
        ff_normal n = normal("linear", (double[]){1e5, 20, NAN, NAN});
        ff_friction f = i ? bed(0.3, 0.8, 2e-4, 20, 1e5, 1)
                          : friction("clutch", (double[]){0.3, 8e4, 16, 0, NAN, NAN, NAN});
        ff_model *model = ball_on_floor(0.5, 0.05, 0.06, (double[]){0.4, 0, -1}, 9.81, n, f);
        ff_sim *sim = started(model, FF_AUTO, 1e-11);
        go(sim, 0.3);
        at[i] = ff_sim_body(sim, 0);
        finish(sim, model);
    }
    for (int c = 0; c < 3; c++) {
        /* three bounces, each of which amplifies earlier errors */
        assert_near(at[1].velocity[c], at[0].velocity[c], 1e-8);
        assert_near(at[1].omega[c], at[0].omega[c], 1e-6);
    }
}

/* methods with a Jacobian, which is computed by differences for this law, give the same results */
static void test_methods(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_DOPRI5, FF_DOP853, FF_ROSENBROCK, FF_RODAS};
    ff_motion at[ROWS(methods)];
    for (size_t i = 0; i < ROWS(methods); i++) {
        ff_normal n = normal("azad-featherstone", (double[]){1e6, 900, NAN, 2});
        ff_model *model = ball_on_floor(1, 0.1, 0.1, (double[]){0.6, 0.3, -1}, 9.81, n,
                                        bed(0.3, 0.87, 6e-4, 10, 1e6, 1.5));
        ff_sim *sim = started(model, methods[i], 1e-8);
        go(sim, 0.03);
        at[i] = ff_sim_body(sim, 0);
        ff_ledger l = ff_sim_ledger(sim);
        /* a run may have a residual of 1000 times the tolerance */
        assert_near(l.residual, 0, 1e-6 * l.scale);
        finish(sim, model);
        for (int c = 0; c < 3; c++) {
            assert_near(at[i].velocity[c], at[0].velocity[c], 2e-6);
        }
    }
}

/* ---- grids ---- */

/* A ball at rest, pulled sideways, is pressed a hundred times deeper: the grid is doubled, the energy loss is
 * booked, and the ledger closes. Also by fixed steps without events. */
static void test_growth(void **state) {
    (void)state;
    for (int fixed = 0; fixed < 2; fixed++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "bodies: {ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1], "
            "velocity: "
            "[0.002, 0, 0]}}\n"
            "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"
            "pairs: [{between: [ball, floor], normal: {law: azad-featherstone, k: 1e7, lambda: "
            "3e3}, "
            "friction: {law: bed, mu: 0.3, ratio: 0.8}}]\n"
            "forces: {press: {table: {body: ball, force: [20, 0, -10000], times: [0.02, 0.06], "
            "factors: [0, 1]}}}\n"
            "start: rest\nrun: {until: 0.1%s}\n",
            fixed ? ", method: rk4, dt: 2e-6, events: none" : "");
        ff_model *model = model_of_text(text);
        ff_sim *sim;
        assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
        go(sim, 0.1);
        ff_ledger l = ff_sim_ledger(sim);
        assert_true(l.regrade > 0 && l.created == 0);
        assert_near(l.residual, 0, (fixed ? 1e-4 : 1e-8) * l.scale);
        finish(sim, model);
    }
}

/* merging preserves the sum of forces and loses K |u1 - u2|^2/4 per pair */
static void test_regrid(void **state) {
    (void)state;
    for (int count = 4; count < 8; count++) {
        ff_friction law = bed(0.3, 0.8, 1e-3, count, 2, 1.5);
        double u[FF_FRICTION_STATES], sum[3] = {0}, after[3] = {0}, squares = 0, lost = 0;
        ff_friction_touch(&law, 0.5, 1, u);
        for (int i = 0; i < 3 * count; i++) {
            u[i] = uniform(-1, 1);
            sum[i % 3] += u[i];
            squares += u[i] * u[i];
        }
        for (int i = 0; i < 3 * count; i++) {
            /* an odd last element is merged with one of zero deflection */
            double other = i + 3 < 3 * count ? u[i + 3] : 0;
            lost += i / 3 % 2 == 0 ? (u[i] - other) * (u[i] - other) / 4 : 0;
        }
        const double energy = law.law->stored(&law, 1, u), covers = law.law->covers(&law, u);
        const double stiffness = 2 * energy / squares;
        assert_close(law.law->regrid(&law, u), stiffness * lost, 1e-13);
        assert_close(energy - law.law->stored(&law, 1, u), stiffness * lost, 1e-13);
        assert_close(law.law->covers(&law, u), 4 * covers, 1e-14);
        for (int i = 0; i < 3 * count; i++) {
            after[i % 3] += 2 * u[i];
        }
        for (int c = 0; c < 3; c++) {
            assert_near(after[c], sum[c], 1e-13);
        }
    }
}

/* before touch-down there are no elements and no friction */
static void test_untouched(void **state) {
    (void)state;
    ff_friction law = bed(0.3, 0.8, 1e-3, 20, 2, 1.5);
    double u[FF_FRICTION_STATES] = {0}, rate[FF_FRICTION_STATES];
    const ff_friction_query q = {.z = 1, .load = 2, .grade = 1, .ratio = 2, .v = {1}, .u = u};
    ff_friction_answer at = ff_friction_at(&law, &q, rate);
    assert_true(at.force[0] == 0 && at.slip == 0 && at.damper == 0 && rate[0] == 0 &&
                rate[61] == 0);
    assert_true(ff_friction_stored(&law, &q) == 0);
}

/* ---- events ---- */

/* An impact that begins with full stick. At the rim, where there is no load yet, slip begins when the limits grow
 * more slowly than the tangential displacement, (mu/ratio) zdot < |v|. The end of full stick is found once, later
 * than that, and sooner on a finer grid; then gross slip begins, before the force ends. A negligible law of rolling
 * or twist changes nothing. */
static void test_events(void **state) {
    (void)state;
    static const char *const beside[] = {", tau: 1e-5", ", tau: 1e-5}, rolling: {mu_r: 1e-12",
                                         ", tau: 1e-5}, twist: {mu_t: 1e-12"};
    double found[3];
    for (int i = 0; i < 3 * (int)ROWS(beside); i++) {
        const int g = i % 3;
        char text[1200];
        snprintf(text, sizeof text, IMPACT, 4e-3, 4e-3, 0.5 * 0.3, 0.0, elastic, 20 << g,
                 beside[i / 3], 1e-8);
        ff_model *model = model_of_text(text);
        ff_sim *sim;
        assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
        static const ff_event_kind kinds[] = {FF_STICK, FF_MICROSLIP, FF_SLIP, FF_LIFTOFF,
                                              FF_CLEAR};
        size_t count = 0;
        double crossed = 0;
        while (ff_sim_time(sim) < 0.02) {
            const ff_status status = ff_sim_step(sim, 0.02);
            const ff_motion b = ff_sim_body(sim, 0);
            const double v = fabs(b.velocity[0] - 0.1 * b.omega[1]),
                         limit = -0.3 / 0.87 * b.velocity[2];
            assert_true(status >= 0);
            crossed = crossed == 0 && v > limit ? ff_sim_time(sim) : crossed;
            if (status == FF_EVENT) {
                assert_true(count < ROWS(kinds));
                assert_string_equal(ff_event_name(ff_sim_event(sim)->kind),
                                    ff_event_name(kinds[count]));
                found[g] = kinds[count] == FF_MICROSLIP ? ff_sim_event(sim)->time : found[g];
                assert_true(kinds[count] != FF_MICROSLIP || v > limit);
                count++;
            }
        }
        assert_true(count == ROWS(kinds) && crossed > 0 && found[g] > crossed);
        /* first order in the spacing: slip is detected in the last but one element */
        assert_true(found[g] - crossed < 3e-3 / (1 << g));
        assert_true(g == 0 || found[g] < found[g - 1]);
        finish(sim, model);
    }
}

/* ---- accounts ---- */

/* Random scenes: a sphere on a floor, without gravity if `alone`, or three that fall on it and on each other. The
 * ledger closes to 1e-9 of its scale at a third of that tolerance, no energy is created, losses never decrease,
 * and changes of the grid cost no energy if a contact stays within its declared depth. */
static void test_accounts(void **state) {
    (void)state;
    for (int trial = 0; trial < 24; trial++) {
        const bool alone = trial % 2 == 0, damped = uniform(0, 1) < 0.7;
        const int balls = alone ? 1 : 3;
        const double k = log_uniform(1e5, 1e7), exponent = trial % 3 == 2 ? uniform(1.2, 1.9) : 1.5,
                     lambda = damped ? k * log_uniform(1e-5, 1e-3) : 0;
        ff_normal n = normal("general", (double[]){k, lambda, exponent, exponent - 1, NAN, 2, NAN});
        ff_friction f = bed(uniform(0.1, 0.6), uniform(0.6, 1),
                            uniform(0, 1) < 0.6 ? log_uniform(2e-5, 1e-3) : 0, (int)uniform(6, 30),
                            k, exponent);
        ff_scene *scene = ff_scene_create();
        ff_scene_set_gravity(scene, (double[]){0, 0, alone ? 0 : -9.81});
        char names[3][8];
        for (int b = 0; b < balls; b++) {
            snprintf(names[b], sizeof names[b], "b%d", b);
            add_ball(scene, names[b], uniform(0.5, 2), 0.1,
                     (double[]){uniform(-0.03, 0.03), uniform(-0.03, 0.03), 0.101 + 0.202 * b},
                     (double[]){uniform(-1, 1), uniform(-1, 1), -uniform(0.2, 1)});
        }
        add_floor(scene);
        for (int b = 0; b < balls; b++) {
            add_pair(scene, names[b], b ? names[b - 1] : "floor", n, f);
        }
        ff_model *model = compiled(scene);
        ff_sim *sim = started(model, FF_AUTO, 3e-10);
        double lost[4] = {0};
        ff_status status = FF_OK;
        while (ff_sim_time(sim) < 0.06 && status >= 0) {
            status = ff_sim_step(sim, 0.06);
            ff_ledger l = ff_sim_ledger(sim);
            const double now[4] = {l.normal_damper, l.tangential_damper, l.slip, l.regrade};
            for (int a = 0; a < 4; a++) {
                /* the error allowed per step */
                assert_true(now[a] >= lost[a] - 1e-9 * l.scale);
                lost[a] = now[a];
            }
        }
        ff_ledger l = ff_sim_ledger(sim);
        assert_holds(status >= 0, "%s", ff_sim_error(sim));
        assert_true(l.created == 0 && l.slip > 0);
        assert_near(l.residual, 0, 1e-9 * l.scale);
        assert_true(!alone || l.regrade == 0);
        finish(sim, model);
    }
}

/* The edge of an elastic contact within rounding of the end of a part, where a limit is 0 up to rounding. */
static void test_edge_between_parts(void **state) {
    (void)state;
    const double k = 1e6;
    for (int trial = 0; trial < 4000; trial++) {
        const int count = 2 + trial % 27, part = 1 + trial % (count - 1);
        const double n = trial % 4 == 3 ? uniform(1.1, 2.5) : 1.5;
        ff_friction law = bed(0.3, 0.8, trial % 2 ? 1e-4 : 0, count, k, n);
        double u[FF_FRICTION_STATES] = {0}, rate[FF_FRICTION_STATES];
        ff_friction_touch(&law, log_uniform(1e-6, 1e-2), 1e-3, u);
        /* the depth of the grid follows the deflections */
        double z = u[3 * count] * pow((double)part / count, 1 / (n - 1));
        for (int i = trial % 9; i > 0; i--) {
            z = nextafter(z, trial % 5 < 3);
        }
        const ff_friction_query q = {.z = z,
                                     .zdot = uniform(-1, 1),
                                     .load = k * pow(z, n),
                                     .grade = 1,
                                     .ratio = k * pow(z, n),
                                     .v = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)},
                                     .u = u};
        const ff_friction_answer a = ff_friction_at(&law, &q, rate);
        assert_true(isfinite(a.force[0] + a.force[1] + a.force[2] + a.damper + a.slip));
        for (int i = 0; i < 3 * count; i++) {
            assert_true(isfinite(rate[i]));
        }
    }
}

/* four elements in registers of any width, and the remainder: the same bits */
static void test_lanes(void **state) {
    (void)state;
    enum { WIDE = FF_LAW_NUMBERS - 1 };
    for (int trial = 0; trial < 2000; trial++) {
        const int count = 1 + trial % 27;
        const double depth = log_uniform(1e-6, 1e-2), k = 1e6,
                     n = trial % 4 == 3 ? uniform(1, 2.5) : 1.5;
        ff_friction law = bed(0.3, 0.8, trial % 2 ? 1e-4 : 0, count, k, n);
        double u[FF_FRICTION_STATES], rate[2][FF_FRICTION_STATES];
        ff_friction_touch(&law, depth, 1e-3, u);
        for (int i = 0; i < 3 * law.vectors; i++) {
            u[i] = uniform(0, 1) < 0.2 ? 0 : depth * uniform(-0.6, 0.6);
        }
        const double z = depth * uniform(0, 1), load = k * pow(z, n) * uniform(0.5, 1.5);
        const ff_friction_query q = {.z = z,
                                     .zdot = uniform(-1, 1),
                                     .load = uniform(0, 1) < 0.1 ? 0 : load,
                                     .grade = 1,
                                     .ratio = load,
                                     .v = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)},
                                     .u = u};
        ff_friction other = law;
        other.numbers[WIDE] = 0;
        const ff_friction_answer a = ff_friction_at(&law, &q, rate[0]),
                                 b = ff_friction_at(&other, &q, rate[1]);
        assert_memory_equal(rate[0], rate[1], 3 * (size_t)law.vectors * sizeof *u);
        assert_memory_equal(a.force, b.force, sizeof a.force);
        assert_true(a.damper == b.damper && a.slip == b.slip && a.excess == b.excess);
        /* with dashpots, forces are within mu times the load, to rounding of the terms of the limits */
        assert_true(trial % 2 == 0 || ff_length(a.force) <= 0.3 * q.load * (1 + 1e-9));
    }
}

/* ---- partial derivatives ---- */

/* a contact with a random grid, depth, load and slip, and deflections such that some elements stick and some slip */
static ff_friction_query any_query(int trial, ff_friction *law, double *u) {
    const int count = 2 + trial % 14;
    const double depth = log_uniform(1e-6, 1e-2), k = 1e6,
                 n = trial % 4 == 3 ? uniform(1.2, 2) : 1.5;
    *law = bed(0.3, 0.8, trial % 2 ? 1e-4 : 0, count, k, n);
    ff_friction_touch(law, depth, 1e-3, u);
    for (int i = 0; i < 3 * count; i++) {
        u[i] = depth * uniform(-0.1, 0.1);
    }
    const double z = depth * uniform(0, 1), load = k * pow(z, n) * uniform(0.5, 1.5),
                 speed = depth * log_uniform(1, 1e3);
    return (ff_friction_query){.z = z,
                               .zdot = speed * uniform(-1, 1),
                               .load = load,
                               .grade = 1,
                               .ratio = load,
                               .v = {speed * uniform(-1, 1), speed * uniform(-1, 1), 0},
                               .u = u};
}

/* Slopes against central differences of force and rates. Their error is the curvature times the square of the relative step
 * of 1e-5, and rounding divided by it; an element or an edge within a step of a kink is off by more, in 1 of 1000 columns. */
static void test_slopes(void **state) {
    (void)state;
    static double matrix[(FF_OF_U_RATES + 48) * (FF_BY_U + 48)];
    long off = 0, all = 0;
    for (int trial = 0; trial < 400; trial++) {
        ff_friction law;
        double u[FF_FRICTION_STATES], rate[2][FF_FRICTION_STATES];
        const ff_friction_query q = any_query(trial, &law, u);
        const int states = 3 * law.vectors, columns = FF_BY_U + states;
        ff_friction_slopes_at(&law, &q, matrix);
        for (int by = 0; by < columns; by++) {
            const double size = by < FF_BY_LOAD          ? ff_length(q.v)
                                : by == FF_BY_LOAD       ? q.load
                                : by == FF_BY_DEPTH      ? q.z
                                : by == FF_BY_DEPTH_RATE ? fabs(q.zdot)
                                                         : ff_length(u),
                         h = 1e-5 * size;
            ff_friction_answer at[2];
            for (int side = 0; side < 2; side++) {
                double moved[FF_FRICTION_STATES];
                ff_friction_query near = q;
                const double step = side ? h : -h;
                memcpy(moved, u, sizeof moved);
                near.u = moved;
                *(by < FF_BY_LOAD          ? &near.v[by]
                  : by == FF_BY_LOAD       ? &near.load
                  : by == FF_BY_DEPTH      ? &near.z
                  : by == FF_BY_DEPTH_RATE ? &near.zdot
                  : by < FF_BY_U           ? &near.grade
                                           : &moved[by - FF_BY_U]) += step;
                at[side] = ff_friction_at(&law, &near, rate[side]);
            }
            bool good = true;
            for (int row = 0; row < FF_OF_U_RATES + states; row++) {
                const double found =
                    row < FF_OF_LIFT ? (at[1].force[row] - at[0].force[row]) / (2 * h)
                    : row == FF_OF_LIFT
                        ? 0
                        : (rate[1][row - FF_OF_U_RATES] - rate[0][row - FF_OF_U_RATES]) / (2 * h);
                /* a row times the sizes of its inputs is at most this */
                const double most = (row < FF_OF_LIFT ? q.load : ff_length(q.v) + 1e4 * q.z) / size;
                good = good && fabs(matrix[row * columns + by] - found) <= 1e-5 * most;
            }
            off += !good;
            all++;
        }
    }
    assert_true(off < all / 1000);
}

/* Groups of elements: the folded matrix contains the numbers of the whole one. */
static void test_fold(void **state) {
    (void)state;
    static double whole[(FF_OF_U_RATES + 48) * (FF_BY_U + 48)],
        folded[(FF_OF_U_RATES + 48) * (FF_BY_U + 48)];
    int several = 0, outside = 0, alone = 0;
    for (int trial = 0; trial < 400; trial++) {
        ff_friction law;
        double u[FF_FRICTION_STATES], own;
        const ff_friction_query q = any_query(trial, &law, u);
        int of[16], count[16] = {0};
        ff_friction_slopes_at(&law, &q, whole);
        const int groups = law.law->fold(&law, &q, of, &own, folded), states = 3 * law.vectors,
                  columns = FF_BY_U + states, folded_columns = FF_BY_U + 3 * groups;
        for (int i = 0; i < law.vectors; i++) {
            assert_true(of[i] >= -1 && of[i] < groups);
            count[of[i] < 0 ? 15 : of[i]]++;
        }
        several += groups > 0 && count[0] > 1;
        outside += count[15] > 0;
        alone += groups > 1;
        for (int row = 0; row < FF_OF_U_RATES + states; row++) {
            const int element = (row - FF_OF_U_RATES) / 3, c = (row - FF_OF_U_RATES) % 3,
                      group = row < FF_OF_U_RATES ? 0 : of[element];
            const double *from = whole + row * columns,
                         *to = folded +
                               folded_columns *
                                   (row < FF_OF_U_RATES ? row : FF_OF_U_RATES + 3 * group + c);
            for (int by = 0; by < columns; by++) {
                const int at = (by - FF_BY_U) / 3, d = (by - FF_BY_U) % 3;
                const double known = group < 0 ? (by == row - FF_OF_U_RATES + FF_BY_U ? own : 0)
                                     : by < FF_BY_U ? to[by]
                                     : of[at] < 0   ? 0
                                     : row < FF_OF_U_RATES
                                         ? to[FF_BY_U + 3 * of[at] + d] / count[of[at]]
                                         : (at == element ? to[FF_BY_U + 3 * of[at] + d] : 0);
                assert_near(from[by], known, 1e-12 * fabs(known));
            }
        }
    }
    assert_true(several > 100 && outside > 100 && alone > 100);
}

/* a sphere that rolls, and one that falls on the floor; without folding if `whole` */
static ff_sim *two_spheres(double tau, double aside, ff_method method, bool whole,
                           ff_model **model) {
    ff_scene *scene = ff_scene_create();
    ff_scene_set_gravity(scene, (double[]){0, 0, -9.81});
    add_ball(scene, "a", 1, 0.1, (double[]){0, 0, 0.0999}, (double[]){0.3 * aside, 0.1, -0.1});
    add_ball(scene, "b", 1, 0.1, (double[]){1, 0, 0.1005}, (double[]){aside, -0.1, -0.5});
    add_floor(scene);
    ff_normal n = normal("azad-featherstone", (double[]){1e6, 900, NAN, 2});
    ff_friction f = bed(0.3, 0.87, tau, 12, 1e6, 1.5);
    add_pair(scene, "a", "floor", n, f);
    add_pair(scene, "b", "floor", n, f);
    *model = compiled(scene);
    ff_sim *sim = started(*model, method, 1e-6);
    assert_non_null(sim->folding.fold);
    sim->folding.fold = whole ? NULL : sim->folding.fold;
    return sim;
}

/* Implicit steps with folded matrices equal those with whole ones up to rounding, while elements stick, slip and are outside
 * the contact. Rejected steps across kinks amplify rounding until the two runs choose other steps: they are compared up to
 * there, and without dashpots steps are limited, so that none is rejected. */
static void test_folded_steps(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_RODAS, FF_ROSENBROCK, FF_TRAPEZOID};
    size_t fewest = SIZE_MAX;
    for (int trial = 0; trial < 12; trial++) {
        ff_model *model[2];
        ff_sim *sim[2];
        for (int k = 0; k < 2; k++) {
            sim[k] = two_spheres(trial % 2 ? 3e-4 : 0, 0.1 + 0.1 * trial, methods[trial / 2 % 3],
                                 k == 1, &model[k]);
            sim[k]->flow.longest = trial % 2 ? 1e-3 : 5e-6;
        }
        int steps = 0;
        for (; ff_sim_time(sim[0]) < 0.004; steps++) {
            for (int k = 0; k < 2; k++) {
                assert_true(ff_sim_step(sim[k], 0.004) >= 0);
            }
            const double t = ff_sim_time(sim[0]);
            /* within 5e-11 of the time, states move by 7e-4 of their tolerances */
            if (fabs(ff_sim_time(sim[1]) - t) > 5e-11 * t) {
                break;
            }
            const ff_flow *f = &sim[0]->flow;
            for (size_t i = 0; i < f->states; i++) {
                assert_near((f->y[i] - sim[1]->flow.y[i]) * f->per_weight[i], 0, 1e-3);
            }
            fewest = f->matrix->n < fewest ? f->matrix->n : fewest;
            assert_int_equal(sim[1]->flow.matrix->n, model[1]->active);
        }
        assert_true(steps > 9);
        finish(sim[0], model[0]);
        finish(sim[1], model[1]);
    }
    /* 18 states of bodies; a group and an edge */
    assert_int_equal(fewest, 18 + 6);
}

/* A sphere that rolls at its static depth takes as many evaluations as with one clutch of the same stiffness, and its implicit
 * steps have matrices of 9 states of the body, one group and the edge. Restored in between, it continues to the same bits. */
static void test_rolling(void **state) {
    (void)state;
    long evaluations[2];
    for (int i = 0; i < 2; i++) {
        ff_scene *scene = ff_scene_create();
        const double depth = pow(9.81 / 1e6, 2.0 / 3), k = 0.87 * 1.5e6, tau = 900 / 1.5e6;
        ff_scene_set_gravity(scene, (double[]){0, 0, -9.81});
        ff_body_def def = ff_body_def_default();
        def.name = "ball";
        def.mass = 1;
        def.position[2] = 0.1 - depth;
        def.velocity[0] = 1;
        def.omega[1] = 10;
        const int body = ff_scene_add_body(scene, &def);
        assert_true(ff_scene_add_sphere(scene, body, NULL, (double[]){0, 0, 0}, 0.1) >= 0);
        add_floor(scene);
        add_pair(scene, "ball", "floor", normal("azad-featherstone", (double[]){1e6, 900, NAN, 2}),
                 i ? bed(0.3, 0.87, tau, 20, 1e6, 1.5)
                   : friction("clutch", (double[]){0.3, k, k * tau, 0, NAN, NAN, NAN}));
        ff_model *model = compiled(scene);
        ff_sim *sim = started(model, FF_AUTO, 1e-6);
        go(sim, 0.3);
        const size_t size = ff_sim_state_size(sim);
        void *saved = malloc(size);
        ff_sim_save(sim, saved);
        go(sim, 1);
        const ff_motion whole = ff_sim_body(sim, 0);
        evaluations[i] = ff_sim_statistics(sim).evaluations;
        assert_true(ff_sim_statistics(sim).method_steps[FF_RODAS] > 0);
        assert_int_equal(sim->flow.matrix->n, i ? 9 + 6 : 9 + 3);
        assert_near(whole.velocity[0], 1, 1e-9);
        assert_int_equal(ff_sim_restore(sim, saved, size), FF_OK);
        go(sim, 1);
        const ff_motion again = ff_sim_body(sim, 0);
        assert_memory_equal(&whole, &again, sizeof whole);
        assert_int_equal(ff_sim_statistics(sim).evaluations, evaluations[i]);
        free(saved);
        finish(sim, model);
    }
    assert_true((double)evaluations[1] <= 1.1 * (double)evaluations[0]);
}

/* ---- scene files ---- */

#define BALL(pair)                                                                                 \
    "bodies: {ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}}\n"           \
    "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"                            \
    "pairs:\n  - {between: [ball, floor], " pair "}\n"

/* omitted parameters follow from the normal law and from materials */
static void test_parameters(void **state) {
    (void)state;
    ff_scene *scene = parse_text(BALL("normal: {law: azad-featherstone, material: [steel, rubber], "
                                      "lambda: 1e3}, friction: {law: bed, mu: 0.1}"));
    assert_non_null(scene);
    const ff_pair_def *pair = &scene->pairs.at[0];
    const double k = ff_normal_value(&pair->normal, "k");
    assert_true(ff_friction_value(&pair->friction, "k") == k);
    assert_true(ff_friction_value(&pair->friction, "n") == 1.5);
    assert_true(ff_friction_value(&pair->friction, "elements") == 20);
    assert_close(ff_friction_value(&pair->friction, "tau"), 1e3 / (1.5 * k), 1e-15);
    assert_close(ff_friction_value(&pair->friction, "ratio"),
                 ff_mindlin_ratio(210e9, 0.3, 2e6, 0.499), 1e-15);
    ff_scene_free(scene);
    scene = parse_text(
        BALL("normal: {law: hunt-crossley, k: 1e6, lambda: 1e3}, friction: {law: bed, mu: "
             "0.1, ratio: 0.8, elements: 7}"));
    assert_non_null(scene);
    pair = &scene->pairs.at[0];
    assert_true(ff_friction_value(&pair->friction, "tau") == 0);
    assert_true(pair->friction.vectors == 7);
    ff_scene_free(scene);
    /* 2 (1 - nu)/(2 - nu) for equal materials and on rigid ground */
    assert_close(ff_mindlin_ratio(2e9, 0.3, 7e9, 0.3), 1.4 / 1.7, 1e-15);
    assert_close(ff_mindlin_ratio(2e9, 0.23, INFINITY, 0.3), 1.54 / 1.77, 1e-15);
}

/* an explicit k: its unit depends on the exponent of the normal law */
static void test_own_k(void **state) {
    (void)state;
    ff_scene *scene = parse_text(
        BALL("normal: {law: hertz, k: 1e6}, friction: {law: bed, mu: 0.1, ratio: 1, k: 2e6}"));
    assert_non_null(scene);
    const ff_friction *law = &scene->pairs.at[0].friction;
    assert_string_equal(law->law->name, "bed");
    assert_true(ff_friction_value(law, "k") == 2e6 && ff_friction_value(law, "n") == 1.5);
    ff_scene_free(scene);
}

static void test_mistakes(void **state) {
    (void)state;
    static const mistake cases[] = {
        {BALL("normal: {law: hertz, k: 1e6}, friction: {law: bed, mu: 0.1}"),
         "s.yaml:4:60: bed needs ratio (tangential by normal stiffness of an element; "
         "2 (1 - nu)/(2 - nu) of one material, 1)\n"},
        {BALL("normal: {law: hertz, k: 1e6}, friction: {law: bed, mu: 0.1, ratio: 1, elements: "
              "2.5}"),
         "s.yaml:4:60: elements of bed must be a whole number\n"},
        {BALL("normal: {law: hertz, k: 1e6}, friction: {law: bed, mu: 0.1, ratio: 1, elements: "
              "641}"),
         "s.yaml:4:110: elements of bed is 641, but must be >= 1 and <= 640\n"},
        {BALL(
             "normal: {law: xiong, K: 1e6, alpha: 1e-3, beta: 1e-2}, friction: {law: bed, mu: 0.1, "
             "ratio: 1}"),
         "s.yaml:4:85: bed needs k (stiffness of the normal law, N/m^n)\n"
         "s.yaml:4:85: bed needs n (exponent of the normal law, 1)\n"}};
    ALL_SAY(cases);
}

static void no_arguments(void *user, double t, const double *x, double *psi, double *theta) {
    (void)user, (void)t, (void)x, (void)psi, (void)theta;
}
static void no_factors(void *user, double t, const double *x, const double *contact, double *chi) {
    (void)user, (void)t, (void)x, (void)contact, (void)chi;
}
static void no_rates(void *user, double t, const double *x, const double *contact, const double *f,
                     double *dx) {
    (void)user, (void)t, (void)x, (void)contact, (void)f, (void)dx;
}

/* neither joints nor inclusions have a depth */
static void test_elsewhere(void **state) {
    (void)state;
    ff_error error = {""};
    ff_model *model;
    ff_scene *scene =
        parse_text("bodies: {rod: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}}\n"
                   "joints: {hinge: {revolute: {between: [world, rod], axis: [0, 1, 0], friction: "
                   "{law: bed, mu: "
                   "0.1, ratio: 1, elements: 1, k: 1, n: 1.5}, load: 1}}}\n");
    assert_non_null(scene);
    assert_int_equal(ff_model_create(scene, &model, &error), FF_BAD_VALUE);
    assert_non_null(
        strstr(error.text, "joint 'hinge': its friction must have at most one inner state"));
    ff_scene_free(scene);
    const ff_sgn_def sgn = {.law = bed(0.3, 0.8, 0, 5, 1, 1.5), .dimension = 1};
    const ff_inclusion_def def = {.size = sizeof def,
                                  .states = 1,
                                  .start = (double[]){0},
                                  .sgns = &sgn,
                                  .sgn_count = 1,
                                  .arguments = no_arguments,
                                  .factors = no_factors,
                                  .rates = no_rates};
    assert_int_equal(ff_inclusion_model(&def, &model, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "its law needs a contact with a depth"));
}

/* a run that is saved and restored in the middle of an impact continues to the same bits */
static void test_restore(void **state) {
    (void)state;
    char text[1200];
    snprintf(text, sizeof text, IMPACT, 4e-3, 1.5e-3, 0.4, 0.5, viscous, 20, "", 1e-9);
    ff_model *model = model_of_text(text);
    ff_sim *sim;
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    go(sim, 5e-4);
    const size_t size = ff_sim_state_size(sim);
    void *saved = malloc(size);
    ff_sim_save(sim, saved);
    go(sim, 0.01);
    const ff_motion whole = ff_sim_body(sim, 0);
    assert_int_equal(ff_sim_restore(sim, saved, size), FF_OK);
    go(sim, 0.01);
    const ff_motion again = ff_sim_body(sim, 0);
    assert_memory_equal(&whole, &again, sizeof whole);
    free(saved);
    finish(sim, model);
}

/* A ball without speed is drawn in by adhesion: the grid covers the depth that it reaches, so that nothing is merged, and
 * clutches follow their limits within a finite time. */
static void test_drawn_in(void **state) {
    (void)state;
    static const double taus[] = {0, 2.5e-5};
    for (size_t i = 0; i < ROWS(taus); i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "bodies: {ball: {mass: 0.1, shape: {sphere: {radius: 0.02}}, position: [0, 0, "
                 "0.019999999], omega: "
                 "[1, -12, 5]}}\n"
                 "ground: {floor: {plane: {normal: [0, 0, 1], surface_velocity: [0.02, 0.2, 0]}}}\n"
                 "pairs: [{between: [ball, floor], normal: {law: dmt, k: 3.3e6, w: 0.13, R: 0.02, "
                 "lambda: 95}, "
                 "friction: {law: bed, mu: 0.5, ratio: 0.6, tau: %g, k: 3.3e6, n: 1.5}, twist: "
                 "{law: bed}}]\n"
                 "run: {until: 50 ms, tol: 1e-9}\n",
                 taus[i]);
        ff_model *model = model_of_text(text);
        ff_sim *sim;
        assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
        go(sim, 0.05);
        const ff_ledger l = ff_sim_ledger(sim);
        assert_int_equal(ff_sim_verdict(sim), FF_OK);
        assert_true(l.regrade == 0 && l.created == 0 && fabs(l.residual) < 1e-8 * l.scale);
        finish(sim, model);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cattaneo_mindlin),
    cmocka_unit_test(test_loop),
    cmocka_unit_test(test_accuracy),
    cmocka_unit_test(test_values),
    cmocka_unit_test(test_rotation),
    cmocka_unit_test(test_load),
    cmocka_unit_test(test_one_clutch),
    cmocka_unit_test(test_methods),
    cmocka_unit_test(test_growth),
    cmocka_unit_test(test_regrid),
    cmocka_unit_test(test_untouched),
    cmocka_unit_test(test_events),
    cmocka_unit_test(test_accounts),
    cmocka_unit_test(test_lanes),
    cmocka_unit_test(test_edge_between_parts),
    cmocka_unit_test(test_slopes),
    cmocka_unit_test(test_fold),
    cmocka_unit_test(test_folded_steps),
    cmocka_unit_test(test_rolling),
    cmocka_unit_test(test_parameters),
    cmocka_unit_test(test_mistakes),
    cmocka_unit_test(test_elsewhere),
    cmocka_unit_test(test_restore),
    cmocka_unit_test(test_own_k),
    cmocka_unit_test(test_drawn_in),
};

CHECK_MAIN(tests)
