/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "jacobian.h"
#include "motion.h"
#include "scene_text.h"
#include "sim/sim.h"
#include <footfall/control.h>
#include <footfall/field.h>
#include <stdlib.h>

/* A cart of 2 kg on a rail, and its drive. */
#define CART                                                                                       \
    "gravity: [0, 0, 0]\n"                                                                         \
    "parameters: {kp: 100 N/m, kd: 2 N s/m, target: 0.3 m}\n"                                      \
    "bodies: {cart: {mass: 2 kg, inertia: [1, 1, 1]}}\n"                                           \
    "joints: {rail: {prismatic: {between: [world, cart], axis: [1, 0, 0], distance: 0.1, speed: "  \
    "0}}}\n"
/* A free ball. */
#define BALL                                                                                       \
    "gravity: [0, 0, 0]\n"                                                                         \
    "bodies: {ball: {mass: 2 kg, inertia: [1, 2, 2.5], position: [0.1, 0, 0]}}\n"

static ff_sim *sim_of(const char *text, ff_model **model, double tol) {
    *model = model_of_text(text);
    ff_run_options o = *ff_model_run(*model);
    ff_sim *sim;
    o.tol = tol;
    assert_int_equal(ff_sim_create(*model, &o, &sim, NULL), FF_OK);
    return sim;
}

static double value_of(ff_sim *sim, const ff_model *model, const char *path) {
    size_t field, part;
    double values[16];
    ff_error error = {""};
    assert_holds(ff_model_field_find(model, path, &field, &part, &error) == FF_OK, "%s",
                 error.text);
    assert_int_equal(ff_sim_get(sim, field, values), FF_OK);
    return values[part == SIZE_MAX ? 0 : part];
}

static double x_of(ff_sim *sim) { return ff_sim_body(sim, 0).position[0]; }

/* the ledger closes to 1e-9 of its scale, or to rounding in joules */
static void assert_closed(ff_sim *sim) {
    ff_ledger l = ff_sim_ledger(sim);
    assert_holds(fabs(l.residual) <= 1e-9 * l.scale + 1e-15, "residual %g of %g", l.residual,
                 l.scale);
    assert_int_equal(ff_sim_verdict(sim), FF_OK);
}

static void run_to(ff_sim *sim, double until) {
    ff_status status;
    while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
    }
    assert_holds(status == FF_OK, "%s", ff_sim_error(sim));
}

/* m x'' = kp (target - x) - kd x': a damped oscillation about the target */
static double damped(double t) {
    const double m = 2, a = 2 / (2 * m), w = sqrt(100 / m - a * a), x = -0.2;
    return 0.3 + exp(-a * t) * (x * cos(w * t) + a * x / w * sin(w * t));
}

static void test_continuous_pd(void **state) {
    (void)state;
    static const char *const scenes[] = {
        CART "forces: {motor: {joint: rail, effort: \"kp*(target - rail.position) - "
             "kd*rail.rate\"}}\n",
        CART "forces: {motor: {joint: rail, effort: \"kp*(target - joints.rail.position) - "
             "kd*cart.velocity[0]\"}}\nrun: {formulation: maximal}\n",
        BALL "forces: {motor: {body: ball, force: [\"100 N/m*(0.3 m - bodies.ball.position[0]) - "
             "2 N s/m*ball.velocity[0]\", 0, 0]}}\n",
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        for (int method = 0; method < 3; method++) {
            ff_model *model = model_of_text(scenes[i]);
            ff_run_options o = *ff_model_run(model);
            ff_sim *sim;
            o.method = (ff_method[]){FF_AUTO, FF_RODAS, FF_DOP853}[method];
            o.tol = 1e-11;
            assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
            run_to(sim, 2);
            /* errors of tol in each of about a hundred steps, at a scale of 0.3 m */
            assert_holds(fabs(x_of(sim) - damped(2)) < 1e-9, "scene %zu, method %d: off by %g", i,
                         method, x_of(sim) - damped(2));
            assert_closed(sim);
            finish(sim, model);
        }
    }
}

/* between samples the effort u is constant: x += v T + u T^2/2m, v += u T/m */
static void test_sampled_pd(void **state) {
    (void)state;
    ff_model *model;
    ff_sim *sim = sim_of(CART "forces: {motor: {joint: rail, every: 1 ms, effort: \"kp*(target - "
                              "rail.position) - kd*rail.rate\"}}\n",
                         &model, 1e-12);
    double x = 0.1, v = 0;
    const double period = 1e-3, m = 2;
    run_to(sim, 2);
    for (int k = 0; k < 2000; k++) {
        const double u = 100 * (0.3 - x) - 2 * v;
        x += v * period + u * period * period / (2 * m);
        v += u * period / m;
    }
    assert_holds(fabs(x_of(sim) - x) < 1e-10, "off by %g", x_of(sim) - x);
    /* the command at the end is that of the sample there */
    assert_true(fabs(value_of(sim, model, "forces.motor.effort") - (100 * (0.3 - x) - 2 * v)) <
                1e-8);
    assert_closed(sim);
    finish(sim, model);
}

/* A force that changes its sign at every sample, against a damper with a time constant of 1/6 ms: u = 20 N cos(pi
 * t/T), T = 1 ms, v' = (u - c v)/m, so that v approaches u/c by exp(-c T/m) between samples. Step sizes between
 * samples are learned: few steps are rejected, and a whole number of them fills the interval. */
#define DAMPED                                                                                     \
    CART "forces: {drag: {joint: rail, effort: \"-12000 N s/m*rail.rate\"}, motor: {joint: rail, " \
         "every: 1 ms, effort: \"20 N*cos(pi*t/(1 ms))\"}}\n"

static void test_steps_between_samples(void **state) {
    (void)state;
    const double period = 1e-3, m = 2, c = 12000;
    ff_model *model = model_of_text(DAMPED);
    ff_run_options o = *ff_model_run(model);
    ff_sim *sim;
    double x = 0.1, v = 0;
    o.tol = 1e-4, o.method = FF_DOPRI5;
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
    run_to(sim, 1);
    for (int k = 0; k < 1000; k++) {
        const double end = (k % 2 ? -20 : 20) / c, left = exp(-c * period / m);
        x += end * period + (v - end) * (1 - left) * m / c;
        v = end + (v - end) * left;
    }
    /* errors of an interval, 1e-4 of its displacement of 1.7e-6 m, cancel in the next */
    assert_holds(fabs(x_of(sim) - x) < 2e-10, "off by %g", x_of(sim) - x);
    /* 9,811 and 4; without learned step sizes 12,894 and 1,002 */
    const ff_statistics s = ff_sim_statistics(sim);
    assert_holds(s.steps < 10100 && s.rejected < 20, "%ld steps, %ld refused", s.steps, s.rejected);
    finish(sim, model);
}

/* Learned step sizes are part of the state, also if the method changes between samples: after every step a second run
 * continues from the first one bit for bit. */
static void test_plans_are_restored(void **state) {
    (void)state;
    ff_model *model;
    ff_sim *sim = sim_of(DAMPED, &model, 1e-2), *other = sim_of(DAMPED, &model, 1e-2);
    const size_t size = ff_sim_state_size(sim);
    void *block = malloc(size);
    for (int k = 0; k < 400; k++) {
        assert_int_equal(ff_sim_step(sim, 1), FF_OK);
        ff_sim_save(sim, block);
        assert_int_equal(ff_sim_restore(other, block, size), FF_OK);
        assert_int_equal(ff_sim_step(other, 1), FF_OK);
        assert_int_equal(ff_sim_step(sim, 1), FF_OK);
        assert_true(ff_sim_time(sim) == ff_sim_time(other) && x_of(sim) == x_of(other));
    }
    assert_true(ff_sim_statistics(sim).switches > 0);
    free(block);
    const ff_model *first = sim->model;
    ff_sim_free(sim);
    ff_model_free((ff_model *)first);
    finish(other, model);
}

/* ---- samples inside a step ---- */

/* A cart of 2 kg on a spring of 50 N/m, pushed by a sampled force where x > 0.06 m; otherwise samples change nothing and
 * steps pass them. Between samples x'' = (u - 50 x)/2 about u/50, w = 5 rad/s. */
#define PUSHED                                                                                     \
    CART "forces: {spring: {joint: rail, effort: \"-50 N/m*rail.position\"}, motor: {joint: "      \
         "rail, every: 1 ms, effort: \"20 N/m*max(0 m, rail.position - 0.06 m)\"}}\n"

static double pushed(int samples) {
    const double c = cos(5e-3), s = sin(5e-3);
    double x = 0.1, v = 0;
    for (int k = 0; k < samples; k++) {
        const double middle = 20 * fmax(0, x - 0.06) / 50, from = x - middle;
        x = middle + from * c + v / 5 * s;
        v = v * c - 5 * from * s;
    }
    return x;
}

static void test_samples_inside_steps(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_AUTO, FF_DOPRI5, FF_DOP853, FF_RODAS, FF_RK4};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        ff_model *model = model_of_text(PUSHED);
        ff_run_options o = *ff_model_run(model);
        ff_sim *sim;
        /* rodas, of order 4, would need steps of 0.1 ms for 1e-11 */
        o.tol = methods[i] == FF_RODAS ? 1e-6 : 1e-11, o.method = methods[i], o.dt = 5e-4;
        assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
        run_to(sim, 10);
        /* errors of 0.03 tol in each step oscillate with x; rk4 has (w dt)^4/120 = 3e-13 a radian, 1.6e-12 m in 50 rad */
        assert_holds(fabs(x_of(sim) - pushed(10000)) < o.tol, "method %zu: off by %g", i,
                     x_of(sim) - pushed(10000));
        assert_closed(sim);
        /* x is below 0.06 m for 0.68 of the time, without a step for each sample there */
        const long steps = ff_sim_statistics(sim).steps;
        assert_holds(methods[i] == FF_RK4 ? steps == 20000 : steps < 6500, "%ld steps", steps);
        finish(sim, model);
    }
}

/* Every step of a run that passes samples can be continued from a saved state. */
static void test_passed_samples_are_restored(void **state) {
    (void)state;
    ff_model *model;
    ff_sim *sim = sim_of(PUSHED, &model, 1e-9), *other = sim_of(PUSHED, &model, 1e-9);
    const size_t size = ff_sim_state_size(sim);
    void *block = malloc(size);
    while (ff_sim_time(sim) < 2) {
        assert_int_equal(ff_sim_step(sim, 3), FF_OK);
        ff_sim_save(sim, block);
        assert_int_equal(ff_sim_restore(other, block, size), FF_OK);
        assert_int_equal(ff_sim_step(other, 3), FF_OK);
        assert_int_equal(ff_sim_step(sim, 3), FF_OK);
        assert_true(ff_sim_time(sim) == ff_sim_time(other) && x_of(sim) == x_of(other));
    }
    free(block);
    const ff_model *first = sim->model;
    ff_sim_free(sim);
    ff_model_free((ff_model *)first);
    finish(other, model);
}

/* a constant error of 1 winds up an integrator: x' = 1, m v' = x */
static void test_windup(void **state) {
    (void)state;
    ff_model *model;
    ff_sim *sim = sim_of(BALL "controllers: {wind: {states: {x: 0 N}, rates: {x: 1 N/s}, let: "
                              "{twice: 2*x}}}\n"
                              "forces: {push: {body: ball, force: [wind.x, 0, 0]}}\n",
                         &model, 1e-11);
    run_to(sim, 3);
    assert_true(fabs(value_of(sim, model, "controllers.wind.x") - 3) < 1e-10);
    assert_true(fabs(value_of(sim, model, "controllers.wind.twice") - 6) < 1e-10);
    assert_true(fabs(x_of(sim) - (0.1 + 27. / 12)) < 1e-9);
    assert_closed(sim);
    finish(sim, model);
}

/* PI: m x'' = -kp x - ki z - kd x', z' = x; by the exponential of its matrix */
static void test_pi_with_state(void **state) {
    (void)state;
    ff_model *model;
    ff_sim *sim = sim_of(
        BALL
        "controllers: {pi: {states: {z: 0 m s}, rates: {z: \"ball.position[0]\"}}}\n"
        "forces: {push: {body: ball, force: [\"-(50 N/m)*ball.position[0] - 30 N/m/s*pi.z - 4 N "
        "s/m*ball.velocity[0]\", 0, 0]}}\n",
        &model, 1e-11);
    double y[3] = {0.1, 0, 0};
    run_to(sim, 1);
    /* exp(A t) y by its series on 64 subintervals */
    for (int part = 0; part < 64; part++) {
        double term[3] = {y[0], y[1], y[2]};
        for (int k = 1; k < 20; k++) {
            const double h = 1. / 64 / k,
                         next[3] = {h * term[1],
                                    h * (-50 * term[0] - 4 * term[1] - 30 * term[2]) / 2,
                                    h * term[0]};
            for (int c = 0; c < 3; c++) {
                term[c] = next[c];
                y[c] += term[c];
            }
        }
    }
    assert_holds(fabs(x_of(sim) - y[0]) < 1e-10, "off by %g", x_of(sim) - y[0]);
    assert_true(fabs(value_of(sim, model, "controllers.pi.z") - y[2]) < 1e-10);
    assert_closed(sim);
    finish(sim, model);
}

/* Efforts with jumps and kinks, with closed forms of x at 1 s: from rest, m = 2 kg. */
static void test_kinks(void **state) {
    (void)state;
    static const struct {
        const char *effort;
        double x;
    } cases[] = {
        /* 0.4 s forward, then back: v = 0.2 - 0.5 (t - 0.4) */
        {"if(t < 0.4 s, 1 N, -(1 N))", 0.5 * 0.5 * 0.16 + 0.2 * 0.6 - 0.25 * 0.36},
        {"if(0.4 s >= t, 1 N, -(1 N))", 0.5 * 0.5 * 0.16 + 0.2 * 0.6 - 0.25 * 0.36},
        /* double integral of |t - 0.5| */
        {"abs(t - 0.5 s)*1 N/s", 0.5 * (0.5 / 2 - 1. / 6 + 2 * 0.125 / 6)},
        {"max(t - 0.5 s, 0 s)*1 N/s", 0.5 * 0.125 / 6},
        {"min(t, 0.25 s, 0.5 s)*1 N/s", 0.5 * (1. / 6 - 0.75 * 0.75 * 0.75 / 6)},
        {"sign(t - 0.5 s)*1 N", 0.5 * (-0.5 + 2 * 0.125)},
        /* steps of a quarter second: 0, 1, 2, 3 */
        {"floor(t/0.25 s)*1 N", 0.5 * 0.5 * (0.5625 + 0.25 + 0.0625)},
        {"ceil(t/0.25 s)*1 N", 0.5 * 0.5 * (1 + 0.5625 + 0.25 + 0.0625)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int method = 0; method < 3; method++) {
            char text[1200];
            snprintf(text, sizeof text, "%sforces: {push: {body: ball, force: [\"%s\", 0, 0]}}\n",
                     BALL, cases[i].effort);
            ff_model *model = model_of_text(text);
            ff_run_options o = *ff_model_run(model);
            ff_sim *sim;
            o.method = (ff_method[]){FF_AUTO, FF_DOPRI5, FF_RODAS}[method];
            assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
            /* no event is reported */
            assert_int_equal(ff_sim_advance(sim, 1), FF_OK);
            assert_holds(fabs(x_of(sim) - 0.1 - cases[i].x) < 1e-9, "%s: off by %g",
                         cases[i].effort, x_of(sim) - 0.1 - cases[i].x);
            assert_closed(sim);
            finish(sim, model);
        }
    }
}

/* Two kinks with a common root, at times whose rounding exceeds that of the sine: v = 1/2 int |sin(2 pi t/T)| dt,
 * 2/pi of t/2 over whole half periods. */
static void test_kinks_at_once(void **state) {
    (void)state;
    ff_model *model;
    ff_sim *sim =
        sim_of(BALL "forces: {push: {body: ball, force: [\"1 N*max(0, sin(2*pi*t/0.5 s)) + 1 "
                    "N*max(0, -sin(2*pi*t/0.5 s))\", 0, 0]}}\n",
               &model, 1e-9);
    run_to(sim, 30);
    assert_holds(fabs(ff_sim_body(sim, 0).velocity[0] - 30 / acos(-1)) < 1e-8, "off by %g",
                 ff_sim_body(sim, 0).velocity[0] - 30 / acos(-1));
    assert_closed(sim);
    finish(sim, model);
}

/* setting a parameter before the first step compiles the expressions again */
static void test_parameter_is_set(void **state) {
    (void)state;
    const char *text = CART "forces: {motor: {joint: rail, effort: \"kp*(target - rail.position) - "
                            "kd*rail.rate\"}}\n";
    ff_model *model;
    ff_sim *sim = sim_of(text, &model, 1e-11);
    ff_error error = {""};
    assert_holds(ff_sim_set_path(sim, "parameters.target", 0.5, &error) == FF_OK, "%s", error.text);
    run_to(sim, 2);
    /* the amplitude about the target equals the initial distance */
    const double x = 0.5 + (damped(2) - 0.3) * 2;
    assert_holds(fabs(x_of(sim) - x) < 1e-9, "off by %g", x_of(sim) - x);
    finish(sim, model);
}

/* a bang-bang oscillator x'' = -sign(x): quarters of a parabola, period 4 sqrt(2 x0) */
static void test_bang_bang(void **state) {
    (void)state;
    ff_model *model;
    ff_sim *sim = sim_of(BALL "forces: {push: {body: ball, force: [\"if(ball.position[0] > 0, -(2 "
                              "N), 2 N)\", 0, 0]}}\n",
                         &model, 1e-10);
    const double period = 4 * sqrt(2 * 0.1);
    run_to(sim, 5 * period);
    assert_holds(fabs(x_of(sim) - 0.1) < 1e-8, "off by %g", x_of(sim) - 0.1);
    assert_closed(sim);
    finish(sim, model);
}

/* ---- Jacobians ---- */

/* compared with central differences of the rates */
static void assert_jacobian(const char *text) {
    ff_model *model;
    ff_sim *sim = sim_of(text, &model, 1e-9);
    run_to(sim, 0.3);
    const size_t n = model->states;
    double *table = malloc(n * n * sizeof *table), *rates[2], *y = malloc(model->size * sizeof *y);
    int *place = malloc(n * sizeof *place);
    for (int s = 0; s < 2; s++) {
        rates[s] = malloc(model->size * sizeof **rates);
    }
    for (size_t i = 0; i < n; i++) {
        place[i] = (int)i;
    }
    memcpy(y, sim->flow.y, model->size * sizeof *y);
    ff_phase phase = sim->contexts[0];
    phase.touches = NULL;
    fill_jacobian(model, &phase, 0.3, y, place, n, table);
    double most = 0;
    for (size_t j = 0; j < n; j++) {
        const double h = 1e-5 * model->scales[j], kept = y[j];
        for (int s = 0; s < 2; s++) {
            y[j] = kept + (s ? h : -h);
            ff_dynamics_rates(model, &phase, 0.3, y, rates[s]);
        }
        y[j] = kept;
        for (size_t i = 0; i < n; i++) {
            const double slope = (rates[1][i] - rates[0][i]) / (2 * h),
                         size = fabs(slope) + model->scales[i] / model->scales[j];
            most = fmax(most, fabs(slope - table[i * n + j]) / size);
        }
    }
    /* differences have errors of h^2, and of rounding over h */
    assert_holds(most < 1e-6, "%s\noff by %g", text, most);
    for (int s = 0; s < 2; s++) {
        free(rates[s]);
    }
    free(table);
    free(y);
    free(place);
    finish(sim, model);
}

#define ARM                                                                                        \
    "bodies:\n"                                                                                    \
    "  base: {mass: 2 kg, inertia: [1, 2, 2.5], position: [0.1, 0, 1], omega: [0.3, 0.2, 0.1]}\n"  \
    "  link: {mass: 1 kg, inertia: [0.1, 0.2, 0.3]}\n"                                             \
    "joints: {knee: {revolute: {between: [base, link], anchor: [0, 0, -0.2], second_anchor: [0, "  \
    "0, 0.3], axis: [0, 1, 0], angle: 0.4, rate: 1}}}\n"

static void test_jacobians(void **state) {
    (void)state;
    assert_jacobian(BALL
                    "controllers: {f: {states: {v: 0 m/s}, rates: {v: \"(ball.velocity[0] - "
                    "v)/10 ms\"}}}\n"
                    "forces: {a: {body: ball, force: [\"-(3 N s/m)*f.v*abs(ball.position[0])/"
                    "1 m\", \"sin(t/1 s)*ball.orientation[2]*1 N\", 1], torque: "
                    "[\"-(2 N m s)*ball.omega[0] + 0.4 N m\", \"0.3 N m + f.v*1 N s\", 0.2]}}\n");
    assert_jacobian(
        ARM
        "controllers: {f: {states: {v: 0}, rates: {v: \"(knee.rate*1 s - v)/10 ms + "
        "link.velocity[1]/1 m\"}}}\n"
        "forces:\n"
        "  a: {joint: knee, effort: \"-(3 N m)*sin(knee.position) - f.v*0.2 N m + 2 N "
        "s*link.velocity[0]\"}\n"
        "  b: {body: link, force: [\"-(30 N/m)*base.position[0]\", \"3 N*link.orientation[1]\", "
        "\"-(2 N s)*base.omega[1] + 1 N s*knee.rate\"], torque: [0.1, "
        "\"0.3 N m*base.orientation[0]\", \"-(0.1 N m s)*link.omega[2]\"]}\n");
    assert_jacobian(ARM "forces: {a: {joint: knee, effort: \"-(3 N m)*sin(knee.position)\"}}\n"
                        "run: {formulation: maximal}\n");
}

/* ---- events ---- */

#define HOPPER                                                                                     \
    "bodies: {ball: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}, position: [0, 0, 30 cm]}}\n"     \
    "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"                            \
    "pairs: [{between: [ball, floor], normal: {law: hunt-crossley, k: 1e5, lambda: 2e4}}]\n"

static void test_events_change_states(void **state) {
    (void)state;
    ff_model *model;
    ff_sim *sim =
        sim_of(HOPPER "controllers:\n"
                      "  hop:\n"
                      "    states: {hops: 0, high: 0 m, low: 0 m, since: 0 s, a: 1, b: 2}\n"
                      "    rates: {since: 1}\n"
                      "    on:\n"
                      "      touchdown ball/floor: {hops: hops + 1, since: 0, a: b, b: a}\n"
                      "      falling apex: {high: \"ball.position[2]\"}\n"
                      "      rising apex: {low: \"ball.position[2]\"}\n"
                      "events: {apex: \"ball.velocity[2]\"}\n"
                      "forces: {push: {body: ball, force: [0, 0, \"if(contacts.ball/floor.touching*"
                      "ball.velocity[2] > 0, 60 N, 0 N)\"]}}\n",
               &model, 1e-9);
    double hops = 0, high = 0, low = 0, last = 0;
    ff_status status;
    while ((status = ff_sim_advance(sim, 3)) == FF_EVENT) {
        const ff_event *e = ff_sim_event(sim);
        const double z = ff_sim_body(sim, 0).position[2];
        if (e->kind == FF_TOUCHDOWN) {
            hops++;
            last = e->time;
            assert_true(value_of(sim, model, "controllers.hop.hops") == hops);
            assert_true(value_of(sim, model, "controllers.hop.since") == 0);
        } else if (e->kind == FF_USER) {
            assert_string_equal(ff_model_event_name(model, e), "apex");
            *(z > 0.1 ? &high : &low) = z;
        } else {
            assert_null(ff_model_event_name(model, e));
        }
    }
    assert_int_equal(status, FF_OK);
    assert_true(hops > 3);
    assert_true(value_of(sim, model, "controllers.hop.high") == high);
    assert_true(value_of(sim, model, "controllers.hop.low") == low);
    /* all values are evaluated before assignment: two states are swapped */
    assert_true(value_of(sim, model, "controllers.hop.a") == (fmod(hops, 2) == 1 ? 2 : 1));
    assert_true(fabs(value_of(sim, model, "controllers.hop.since") - (3 - last)) < 1e-9);
    assert_closed(sim);
    finish(sim, model);
}

/* ---- controllers in C ---- */

typedef struct {
    double times[16];
    long calls;
    double every;
    bool exact;
} clock_log;

static void log_time(void *user, const ff_control_view *view, double *states, double *rates,
                     double (*commands)[6]) {
    clock_log *log = user;
    (void)rates, (void)commands;
    log->exact = log->exact && ff_control_time(view) == (double)log->calls * log->every;
    log->calls++;
    states[0] += 1;
}

static ff_scene *scene_of(const char *text) {
    ff_scene *scene = parse_text(text);
    assert_holds(scene != NULL, "%s", told);
    return scene;
}

/* A controller that answers where the ball is beyond a line, and records when it was called. */
typedef struct {
    long calls;
    bool exact, seen; /* called at the times k every; saw the position at that time */
    double beyond;
} guard;

static void watch_line(void *user, const ff_control_view *view, double *states, double *rates,
                       double (*commands)[6]) {
    guard *g = user;
    const double t = ff_control_time(view), x = ff_control_body(view, 0).position[0];
    (void)states, (void)rates;
    g->exact = g->exact && t == (double)g->calls++ * 1e-3;
    g->seen = g->seen && fabs(x - (0.1 + t)) < 1e-12;
    commands[0][0] = x > g->beyond ? 4 : 0;
}

/* A ball moves at 1 m/s from x = 0.1 m. Samples that change nothing do not end steps, and each is taken once, also where
 * an event, the end of an advance or another sample is at the same time, or where the run is advanced in small pieces. A
 * sample that changes the force of 2 kg to 4 N takes effect at its own time: the first one beyond 0.6005 m is at 0.501 s,
 * and 0.1 s later the ball is at 0.701 m + 2 m/s^2 (0.1 s)^2/2. */
#define MOVING                                                                                     \
    "gravity: [0, 0, 0]\n"                                                                         \
    "bodies: {ball: {mass: 2 kg, inertia: [1, 2, 2.5], position: [0.1, 0, 0], velocity: [1, 0, "   \
    "0]}}\n"

static void test_idle_samples(void **state) {
    (void)state;
    for (int pieces = 1; pieces <= 1000; pieces *= 10) {
        ff_scene *scene =
            scene_of(MOVING "events: {tick: \"t - 0.25 s\", tock: \"t - 0.25025 s\"}\n");
        guard g = {.exact = true, .seen = true, .beyond = INFINITY}, later = g;
        ff_controller_def def = ff_controller_def_default();
        ff_force_def force = ff_force_def_default();
        force.kind = FF_FORCE_CONTROL, force.body = 0, force.name = "push";
        const int push = ff_scene_add_force(scene, &force);
        force.name = "pull";
        const int pull = ff_scene_add_force(scene, &force);
        def.name = "watch", def.every = 1e-3, def.function = watch_line, def.user = &g;
        def.forces = &push, def.force_count = 1;
        assert_int_equal(ff_scene_add_controller(scene, &def), 0);
        def.name = "later", def.user = &later, def.forces = &pull;
        assert_int_equal(ff_scene_add_controller(scene, &def), 1);
        ff_model *model = compiled(scene);
        ff_sim *sim = started(model, FF_AUTO, 1e-9);
        for (int k = 1; k <= pieces; k++) {
            run_to(sim, 0.5 * k / pieces);
        }
        assert_true(g.calls == 501 && later.calls == 501);
        assert_true(g.exact && g.seen && later.exact && later.seen);
        /* one for each of about eight horizons, each doubled, and for each event and advance */
        assert_holds(ff_sim_statistics(sim).steps < 30 + pieces, "%ld steps",
                     ff_sim_statistics(sim).steps);
        later.beyond = 0.6005;
        run_to(sim, 0.601);
        assert_true(g.calls == 602 && later.calls == 602 && g.exact && later.exact);
        assert_holds(fabs(x_of(sim) - 0.711) < 1e-12, "off by %g", x_of(sim) - 0.711);
        assert_closed(sim);
        finish(sim, model);
    }
}

/* samples are exact multiples of the period: no drift in 1e5 samples */
static void test_samples_do_not_drift(void **state) {
    (void)state;
    ff_scene *scene = scene_of(BALL);
    clock_log log = {.every = 1e-3, .exact = true}, other = {.every = 9e-3, .exact = true};
    ff_controller_def def = ff_controller_def_default();
    def.name = "log", def.every = log.every, def.function = log_time, def.user = &log;
    def.state_count = 1;
    assert_int_equal(ff_scene_add_controller(scene, &def), 0);
    def.name = "other", def.every = other.every, def.user = &other;
    assert_int_equal(ff_scene_add_controller(scene, &def), 1);
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, FF_AUTO, 1e-6);
    run_to(sim, 100.0005);
    assert_int_equal(log.calls, 100001);
    assert_int_equal(other.calls, 11112);
    assert_true(log.exact);
    /* 9 k times 1 ms and k times 9 ms round differently 6,858 times: both are sampled together, without a step
     * between them */
    assert_true(ff_sim_statistics(sim).steps <= 100002);
    assert_true(value_of(sim, model, "controllers.log.states") == 100001);
    finish(sim, model);
}

static void pd(void *user, const ff_control_view *view, double *states, double *rates,
               double (*commands)[6]) {
    const ff_joint_view rail = ff_control_joint(view, 0);
    (void)user;
    commands[0][0] = 100 * (0.3 - rail.position[0]) - 2 * rail.rate[0];
    if (rates) {
        rates[0] = rail.position[0];
    } else {
        states[0] += rail.position[0];
    }
}

/* the same arithmetic in C and in the file gives the same bits */
static void test_c_and_file_agree(void **state) {
    (void)state;
    for (int sampled = 0; sampled < 2; sampled++) {
        ff_model *model;
        ff_sim *file = sim_of(
            sampled ? CART "controllers: {c: {every: 1 ms, states: {s: 0 m}, next: {s: \"s + "
                           "rail.position\"}}}\nforces: {motor: {joint: rail, every: 1 ms, effort: "
                           "\"100 N/m*(0.3 m - rail.position) - 2 N s/m*rail.rate\"}}\n"
                    : CART
                "controllers: {c: {states: {s: 0 m s}, rates: {s: rail.position}}}\n"
                "forces: {motor: {joint: rail, effort: \"100 N/m*(0.3 m - rail.position) - "
                "2 N s/m*rail.rate\"}}\n",
            &model, 1e-9);
        ff_scene *scene = scene_of(CART);
        ff_force_def force = ff_force_def_default();
        force.name = "motor", force.kind = FF_FORCE_CONTROL, force.joint = 0;
        int motor = ff_scene_add_force(scene, &force);
        ff_controller_def def = ff_controller_def_default();
        def.name = "c", def.every = sampled ? 1e-3 : 0, def.function = pd;
        def.forces = &motor, def.force_count = 1, def.state_count = 1;
        assert_true(ff_scene_add_controller(scene, &def) == 0);
        ff_model *own = compiled(scene);
        ff_run_options o = *ff_model_run(own);
        o.tol = 1e-9;
        ff_sim *sim;
        assert_int_equal(ff_sim_create(own, &o, &sim, NULL), FF_OK);
        run_to(file, 2);
        run_to(sim, 2);
        assert_true(x_of(sim) == x_of(file));
        assert_true(value_of(sim, own, "controllers.c.states") ==
                    value_of(file, model, "controllers.c.s"));
        assert_true(value_of(sim, own, "forces.motor.effort") ==
                    value_of(file, model, "forces.motor.effort"));
        assert_closed(sim);
        finish(file, model);
        finish(sim, own);
    }
}

static void test_wrong_controllers(void **state) {
    (void)state;
    ff_scene *scene = scene_of(CART);
    ff_force_def force = ff_force_def_default();
    force.name = "motor", force.kind = FF_FORCE_CONTROL, force.joint = 0;
    int motor = ff_scene_add_force(scene, &force), none = 7;
    force.name = "push", force.kind = FF_FORCE_CONSTANT;
    int push = ff_scene_add_force(scene, &force);
    ff_controller_def good = ff_controller_def_default(), def;
    good.name = "c", good.function = pd, good.forces = &motor, good.force_count = 1;
    good.state_count = 1;
#define REFUSED(change)                                                                            \
    def = good;                                                                                    \
    change;                                                                                        \
    assert_int_equal(ff_scene_add_controller(scene, &def), FF_BAD_VALUE);
    REFUSED(def.name = NULL)
    REFUSED(def.function = NULL)
    REFUSED(def.every = -1)
    REFUSED(def.every = INFINITY)
    REFUSED(def.every = (double)NAN)
    REFUSED(def.forces = &none)
    REFUSED(def.forces = &push)
    REFUSED(def.forces = NULL)
    REFUSED(def.start = &(double){NAN})
    REFUSED(def.scales = &(double){0})
    REFUSED(def.size = 8)
    int twice[] = {motor, motor};
    REFUSED((def.forces = twice, def.force_count = 2))
    /* the scene has no controller yet */
    ff_model *model;
    ff_error error;
    assert_int_equal(ff_model_create(scene, &model, &error), FF_MISSING);
    assert_string_equal(error.text, "force 'motor' needs a controller, and has none");
    assert_int_equal(ff_scene_add_controller(scene, &good), 0);
    REFUSED((void)0)
    assert_int_equal(ff_model_create(scene, &model, &error), FF_OK);
    ff_model_free(model);
    ff_scene_free(scene);
}

/* ---- saving ---- */

#define MIXED                                                                                      \
    HOPPER                                                                                         \
    "controllers:\n"                                                                               \
    "  f: {states: {v: 0 m/s, n: 0}, rates: {v: \"(ball.velocity[2] - v)/10 ms\"}, on: "           \
    "{touchdown "                                                                                  \
    "ball/floor: {n: n + 1}}}\n"                                                                   \
    "  s: {every: 7 ms, states: {k: 0}, next: {k: k + 1}, let: {u: \"if(f.v > 0, 30 N, 0 "         \
    "N)*contacts.ball/floor.touching\"}}\n"                                                        \
    "forces: {push: {body: ball, force: [\"0.1 N*floor(t/0.3 s)\", 0, \"s.u + max(-f.v*1 N s/m, "  \
    "0 N)\"]}}\n"

static void test_save_and_restore(void **state) {
    (void)state;
    ff_model *model;
    ff_sim *sim = sim_of(MIXED, &model, 1e-9), *other = sim_of(MIXED, &model, 1e-9);
    /* two models of one text: the state of one can be restored in the other */
    for (double t = 0.05; t < 1; t += 0.17) {
        run_to(sim, t);
        const size_t size = ff_sim_state_size(sim);
        void *block = malloc(size);
        ff_sim_save(sim, block);
        assert_int_equal(ff_sim_restore(other, block, size), FF_OK);
        free(block);
        run_to(sim, t + 0.4);
        run_to(other, t + 0.4);
        ff_motion a = ff_sim_body(sim, 0), b = ff_sim_body(other, 0);
        assert_memory_equal(&a, &b, sizeof a);
        assert_true(value_of(sim, model, "controllers.s.k") ==
                    value_of(other, model, "controllers.s.k"));
        assert_true(value_of(sim, model, "controllers.f.v") ==
                    value_of(other, model, "controllers.f.v"));
    }
    assert_closed(sim);
    const ff_model *first = sim->model;
    ff_sim_free(sim);
    ff_model_free((ff_model *)first);
    finish(other, model);
}

/* ---- planes that move as given functions of time ---- */

#define PLATE(motion)                                                                              \
    "bodies: {ball: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}, position: [0, 0, 6 cm]}}\n"      \
    "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1], " motion "}}}\n"                \
    "pairs: [{between: [ball, floor], normal: {law: hunt-crossley, k: 1e6, lambda: 2e5}, "         \
    "friction: {law: lugre, mu: 0.4, k: 1e4, damping: 10}}]\n"

/* motion linear in time equals a velocity */
static void test_plane_motion_is_velocity(void **state) {
    (void)state;
    ff_model *models[2];
    ff_sim *sims[2] = {
        sim_of(PLATE("velocity: [0.3, 0, 0.2]"), &models[0], 1e-11),
        sim_of(PLATE("motion: [\"t*0.3 m/s\", 0, \"t*0.2 m/s\"]"), &models[1], 1e-11)};
    for (int i = 0; i < 2; i++) {
        run_to(sims[i], 0.7);
        assert_closed(sims[i]);
    }
    ff_motion a = ff_sim_body(sims[0], 0), b = ff_sim_body(sims[1], 0);
    ff_ledger x = ff_sim_ledger(sims[0]), y = ff_sim_ledger(sims[1]);
    for (int c = 0; c < 3; c++) {
        assert_holds(fabs(a.position[c] - b.position[c]) < 1e-9, "off by %g",
                     a.position[c] - b.position[c]);
        assert_true(fabs(a.omega[c] - b.omega[c]) < 1e-7);
    }
    assert_true(fabs(x.external - y.external) < 1e-8 && fabs(x.external) > 1e-3);
    finish(sims[0], models[0]);
    finish(sims[1], models[1]);
}

/* A shaken plate that the ball never leaves, under a linear spring: z'' + 2 a z' + w^2 z = w^2 d + 2 a d' with the
 * plate at d; after the transient it oscillates with amplitude A |w^2 + 2 a i s| / |w^2 - s^2 + 2 a i s|. */
static void test_shaken_plate(void **state) {
    (void)state;
    ff_model *model;
    ff_sim *sim =
        sim_of("bodies: {ball: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}, position: [0, 0, "
               "0.049019]}}\n"
               "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1], motion: [0, 0, \"0.1 "
               "mm*sin(t*100/1 s)\"]}}}\n"
               "pairs: [{between: [ball, floor], normal: {law: linear, k: 1e4, lambda: 40}}]\n",
               &model, 1e-11);
    const double w2 = 1e4, a = 20, s = 100, shift = 9.81 / w2;
    run_to(sim, 1.5);
    const double z = ff_sim_body(sim, 0).position[2] - 0.05 + shift,
                 v = ff_sim_body(sim, 0).velocity[2];
    const double size = 1e-4 * sqrt(w2 * w2 + 4 * a * a * s * s) /
                        sqrt((w2 - s * s) * (w2 - s * s) + 4 * a * a * s * s);
    assert_holds(fabs(hypot(z, v / s) - size) < 1e-9 * 1e-4 + 1e-12, "%g against %g",
                 hypot(z, v / s), size);
    assert_closed(sim);
    finish(sim, model);
}

/* ---- memory exhaustion ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *at, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *at, size_t size);

static bool limited, denied;
static long left; /* remaining allocations, if limited */

static bool may(void) {
    denied = denied || (limited && left <= 0);
    return !limited || left-- > 0;
}
void *__wrap_malloc(size_t size) { return may() ? __real_malloc(size) : NULL; }
void *__wrap_calloc(size_t count, size_t size) { return may() ? __real_calloc(count, size) : NULL; }
void *__wrap_realloc(void *at, size_t size) { return may() ? __real_realloc(at, size) : NULL; }

/* once memory is exhausted, every call reports it */
static void test_no_memory(void **state) {
    (void)state;
    static const char *const texts[] = {
        MIXED "events: {e: \"ball.velocity[2]\"}\n",
        "bodies: {arm: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {m: {universal: {between: [world, arm], axis: [0, 0, 1], second_axis: [0, 1, 0], "
        "along: {angle1: {motion: \"t*(1 Hz)\"}}}}}\n"};
    bool done = false;
    for (long n = 0, i = 0; i < 2; n = done ? 0 : n + 1, i += done) {
        const char *text = texts[i];
        ff_messages messages = {0};
        ff_scene *scene = NULL;
        ff_model *model = NULL;
        ff_sim *sim = NULL;
        left = n;
        limited = true;
        denied = false;
        ff_status status =
            ff_scene_parse("s.yaml", text, strlen(text), NULL, 0, INFINITY, &scene, &messages);
        status = status < 0 ? status : ff_model_create(scene, &model, NULL);
        status = status < 0 ? status : ff_sim_create(model, NULL, &sim, NULL);
        done = !denied;
        limited = false;
        tell(&messages);
        assert_holds(done ? status == FF_OK : status == FF_NO_MEMORY, "%ld: %s %s", n,
                     ff_status_text(status), told);
        ff_sim_free(sim);
        ff_model_free(model);
        ff_scene_free(scene);
        ff_messages_clear(&messages);
    }
}

/* ---- error messages ---- */

static void test_mistakes(void **state) {
    (void)state;
    static const mistake cases[] = {
        {CART "forces: {m: {joint: rail, effort: rail.positon}}\n",
         "s.yaml:5:35: effort of force 'm': unknown name 'rail.positon' (did you mean "
         "'rail.position'?)\n"},
        {CART "forces: {m: {joint: rail, effort: kp*rail.rate}}\n",
         "s.yaml:5:35: effort of force 'm': 'kp*rail.rate' is in kg m s^-3, expected a force "
         "(N)\n"},
        {CART "forces: {m: {joint: rail, effort: rail.force}}\n",
         "s.yaml:5:35: effort of force 'm': expressions cannot read 'rail.force', because it "
         "depends on the forces\n"},
        {CART "forces: {m: {joint: rail, effort: cart.position}}\n",
         "s.yaml:5:35: effort of force 'm': 'cart.position' is a vector, not a number\n"},
        {CART "forces: {m: {joint: rail, effort: [1]}}\n",
         "s.yaml:5:35: effort of force 'm' must be an expression, not a list of 1\n"},
        {CART "forces: {m: {joint: rail}}\n",
         "s.yaml:5:10: force 'm' needs effort (an expression, N m or N)\n"},
        {CART "forces: {m: {body: cart}}\n", "s.yaml:5:10: force 'm' needs force or torque\n"},
        {CART "forces: {m: {body: cart, force: 1}}\n",
         "s.yaml:5:33: force of force 'm' must be a list of three expressions, not '1'\n"},
        {CART "controllers: {c: {rates: {x: 1}}}\n",
         "s.yaml:5:27: unknown state 'x' in rates of controller 'c'\n"},
        {CART "controllers: {c: {every: 1 ms, states: {x: 0}, rates: {x: 1}}}\n",
         "s.yaml:5:48: controller 'c' is sampled: its states have `next`, not `rates`\n"},
        {CART "controllers: {c: {states: {x: 0}, next: {x: 1}}}\n",
         "s.yaml:5:35: controller 'c' has no `every`: its states have `rates`, not `next`\n"},
        {CART "controllers: {c: {states: {kp: 0}}}\n",
         "s.yaml:5:28: 'kp' cannot be a name in controller 'c': a parameter has this name\n"},
        {CART "controllers: {cart: {states: {x: 0}}}\n",
         "s.yaml:5:15: controller 'cart' has the name of a body or plane\n"},
        {CART "controllers: {rail: {states: {x: 0}}}\n",
         "s.yaml:5:15: controller 'rail' has the name of a joint\n"},
        {CART "controllers: {c: {states: {x: 0 m}, rates: {x: \"cart.position[0]\"}}}\n",
         "s.yaml:5:48: x of rates of controller 'c': 'cart.position[0]' is a length (m), expected "
         "a "
         "speed (m/s)\n"},
        {CART "controllers: {c: {states: {x: 0}, on: {touchdown cart/floor: {x: 1}}}}\n",
         "s.yaml:5:40: unknown contact 'cart/floor' in on of controller 'c'\n"},
        {CART "controllers: {c: {states: {x: 0}, on: {apx: {x: 1}}}}\nevents: {apex: t}\n",
         "s.yaml:5:40: unknown event 'apx' in on of controller 'c' (did you mean 'apex'?)\n"},
        {CART "controllers: {c: {states: {x: 0}, on: {up apex: {x: 1}}}}\nevents: {apex: t}\n",
         "s.yaml:5:40: unknown event 'up apex' in on of controller 'c': use touchdown or liftoff "
         "with a contact, or an event of the scene, optionally after rising or falling\n"},
        {BALL
         "ground: {floor: {plane: {normal: [0, 0, 1], motion: [0, 0, \"ball.position[2]\"]}}}\n",
         "s.yaml:3:60: motion of plane of ground 'floor' depends on 'ball.position': it must be an "
         "expression of t\n"},
        {BALL "ground: {floor: {plane: {normal: [0, 0, 1], motion: t}}}\n",
         "s.yaml:3:53: motion of plane of ground 'floor' must be a list of three expressions of t, "
         "not 't'\n"},
        {BALL "ground: {floor: {plane: {normal: [0, 0, 1], motion: [0, 0, t]}}}\n",
         "s.yaml:3:60: motion of plane of ground 'floor': 't' is a time (s), expected a length "
         "(m)\n"},
    };
    ALL_SAY(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_continuous_pd),
        cmocka_unit_test(test_sampled_pd),
        cmocka_unit_test(test_steps_between_samples),
        cmocka_unit_test(test_plans_are_restored),
        cmocka_unit_test(test_samples_inside_steps),
        cmocka_unit_test(test_passed_samples_are_restored),
        cmocka_unit_test(test_idle_samples),
        cmocka_unit_test(test_windup),
        cmocka_unit_test(test_pi_with_state),
        cmocka_unit_test(test_kinks),
        cmocka_unit_test(test_kinks_at_once),
        cmocka_unit_test(test_parameter_is_set),
        cmocka_unit_test(test_bang_bang),
        cmocka_unit_test(test_jacobians),
        cmocka_unit_test(test_events_change_states),
        cmocka_unit_test(test_samples_do_not_drift),
        cmocka_unit_test(test_c_and_file_agree),
        cmocka_unit_test(test_wrong_controllers),
        cmocka_unit_test(test_save_and_restore),
        cmocka_unit_test(test_plane_motion_is_velocity),
        cmocka_unit_test(test_shaken_plate),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
