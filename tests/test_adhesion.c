/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Adhesive spheres: dmt and jkr. */

#include "check.h"
#include "ensemble/ensemble.h"
#include "impacts.h"
#include "motion.h"
#include "num/elementary.h"
#include "scene_text.h"
#include <footfall/impact.h>
#include <stdlib.h>

/* a particle of 20 um: E* = 5 GPa, w = 0.05 J/m^2 */
#define R_ 1e-5
#define E_ 5e9
#define W_ 0.05
#define M_ 1e-11

static double hertz_k(double modulus, double radius) { return 4.0 / 3 * modulus * sqrt(radius); }

static ff_normal adhesive(const char *name, double lambda) {
    return normal(name, (double[]){hertz_k(E_, R_), W_, R_, lambda});
}

/* energy lost by making and breaking a contact, in footfall's and in Johnson's form */
static double jkr_loss(double w, double radius, double modulus) {
    double part = 0.6 + 0.1 * pow(4, -1.0 / 3);
    return part * FF_PI * pow(4 * FF_PI * FF_PI, 1.0 / 3) *
           pow(pow(w, 5) * pow(radius, 4) / (modulus * modulus), 1.0 / 3);
}

/* z and F as functions of the contact radius a, as in JKR */
static double jkr_depth(double a) { return a * a / R_ - sqrt(2 * FF_PI * W_ * a / E_); }
static double jkr_force(double a) {
    return 4 * E_ * a * a * a / (3 * R_) - sqrt(8 * FF_PI * W_ * E_ * a * a * a);
}

static void joined(const ff_normal *law, double *state) {
    state[0] = 0;
    ff_normal_touch(law, 1, state);
}

static void test_jkr_force(void **state) {
    (void)state;
    ff_normal law = adhesive("jkr", 0);
    const double pull = 1.5 * FF_PI * W_ * R_, edge = cbrt(FF_PI * W_ * R_ * R_ / (8 * E_));
    double inner[1];
    joined(&law, inner);
    for (double a = 1.001 * edge; a < 1e4 * edge; a *= 1.07) {
        double z = jkr_depth(a), size = 4 * E_ * a * a * a / (3 * R_);
        ff_normal_answer at = ff_normal_at(&law, z, 0, inner, NULL);
        /* z is a difference: a follows from it to rounding over the slope dz/da, initially 4e-3 of z/a */
        assert_near(at.force, jkr_force(a), 1e-11 * (size + pull));
        assert_close(at.grade, a / sqrt(R_), 1e-11);
        assert_close(at.grade * at.ratio, at.force + 2 * pull, 1e-12);
    }
    assert_close(law.adhesion, 2 * pull, 1e-15);
    /* contact is made at z = 0 with -8/9, broken with -5/9 of the pull-off force, which is the minimum in between */
    assert_close(ff_normal_force(&law, 0, 0, inner), -8.0 / 9 * pull, 1e-14);
    const double break_depth = -0.75 * cbrt(FF_PI * FF_PI * W_ * W_ * R_ / (E_ * E_));
    assert_close(inner[0], -break_depth, 1e-14);
    /* F ends with a square root of the depth, which is known to rounding */
    assert_close(ff_normal_force(&law, break_depth * (1 - 1e-14), 0, inner), -5.0 / 9 * pull, 1e-6);
    assert_true(ff_normal_force(&law, break_depth * (1 + 1e-9), 0, inner) == 0);
    const double at_pull = cbrt(9.0 / 8 * FF_PI * W_ * R_ * R_ / E_);
    double least = ff_normal_force(&law, jkr_depth(at_pull), 0, inner);
    assert_close(least, -pull, 1e-13);
    for (int i = -3; i <= 3; i += 2) {
        assert_true(ff_normal_force(&law, jkr_depth(at_pull * (1 + 1e-3 * i)), 0, inner) > least);
    }
    /* before contact is made there is no force, however small the gap */
    assert_true(ff_normal_force(&law, -1e-12, 0, (double[]){0}) == 0);
    assert_true(ff_normal_stored(&law, -1e-12, 0, (double[]){0}) == 0);
    /* at large loads it is Hertz's law minus a fraction of the pull */
    assert_close(ff_normal_force(&law, 1e-7, 0, inner), hertz_k(E_, R_) * pow(1e-7, 1.5), 0.05);
}

static void test_dmt_force(void **state) {
    (void)state;
    ff_normal law = adhesive("dmt", 2e-3);
    const double pull = 2 * FF_PI * W_ * R_;
    assert_true(ff_normal_force(&law, -1e-15, 1, NULL) == 0);
    assert_close(ff_normal_force(&law, 0, 1, NULL), -pull, 1e-15);
    assert_close(ff_normal_force(&law, 3e-8, -0.2, NULL),
                 hertz_k(E_, R_) * pow(3e-8, 1.5) - 2e-3 * sqrt(3e-8) * 0.2 - pull, 1e-14);
    assert_true(law.adhesion == pull);
    /* the stored energy is 0 where contact begins and ends */
    assert_true(ff_normal_stored(&law, 0, 0, NULL) == 0);
}

/* many contacts at once and one by one agree to the last bit, also beyond the break */
static void test_lanes(void **state) {
    (void)state;
    enum { COUNT = 37 };
    double z[COUNT], zdot[COUNT], inner[COUNT], force[COUNT];
    ff_normal jkr = adhesive("jkr", 1e-3), dmt = adhesive("dmt", 1e-3);
    for (int i = 0; i < COUNT; i++) {
        z[i] = (i - 6) * 3e-10;
        zdot[i] = 0.01 * (i % 5) - 0.02;
        joined(&jkr, &inner[i]);
        inner[i] = i % 3 ? inner[i] : 0;
    }
    jkr.kernels->force(&jkr, COUNT, z, zdot, inner, force);
    for (int i = 0; i < COUNT; i++) {
        assert_true(force[i] == ff_normal_force(&jkr, z[i], zdot[i], &inner[i]));
    }
    dmt.kernels->force(&dmt, COUNT, z, zdot, NULL, force);
    for (int i = 0; i < COUNT; i++) {
        assert_true(force[i] == ff_normal_force(&dmt, z[i], zdot[i], NULL));
    }
}

/* analytic slopes compared with differences, also where the open law continues beyond the break */
static void test_slopes(void **state) {
    (void)state;
    ff_normal law = adhesive("jkr", 1e-3);
    double inner[1], edge;
    joined(&law, inner);
    edge = inner[0];
    for (double z = -1.3 * edge; z < 5 * edge; z += 0.037 * edge) {
        double slopes[(FF_OF_RATES + 1) * (FF_BY_STATES + 1)], h = 1e-6 * edge;
        ff_normal_answer at[2];
        ff_normal_slopes_at(&law, &(ff_normal_query){z, -0.01, inner, true}, slopes);
        for (int side = 0; side < 2; side++) {
            at[side] = (ff_normal_answer){.rate = (double[1]){0}};
            law.respond(&law, &(ff_normal_query){z + (side ? h : -h), -0.01, inner, true},
                        &at[side]);
        }
        /* the third derivative of a square root near the break times h^2 */
        assert_close(slopes[FF_BY_Z], (at[1].force - at[0].force) / (2 * h), 1e-6);
        assert_close(slopes[FF_OF_GRADE * 3 + FF_BY_Z], (at[1].grade - at[0].grade) / (2 * h),
                     1e-6);
        assert_close(slopes[FF_OF_GRADE_SLOPE * 3 + FF_BY_Z],
                     (at[1].grade_slope - at[0].grade_slope) / (2 * h), 1e-6);
        assert_close(at[0].grade_slope, slopes[FF_OF_GRADE * 3 + FF_BY_Z], 1e-3);
    }
}

/* ---- one impact ---- */

/* e^2 = 1 - loss/(m v^2/2), and 0 below the speed at which that is 0; direct integration agrees */
static void test_sticking_speed(void **state) {
    (void)state;
    ff_normal law = adhesive("jkr", 0), plain;
    ff_normal_law table;
    plain = bare(&law, &table);
    const double loss = jkr_loss(W_, R_, E_), sticking = sqrt(2 * loss / M_);
    assert_close(loss, 7.092196 * pow(pow(W_, 5) * pow(R_, 4) / (E_ * E_), 1.0 / 3), 1e-7);
    for (double part = 1.0001; part < 1e3; part *= 1.7) {
        const double speed = part * sticking, e = sqrt(1 - 1 / (part * part));
        ff_impact at = solved(&law, M_, speed), apart = solved(&plain, M_, speed);
        assert_close(at.restitution, e, 1e-10);
        assert_close(at.energy_lost, loss, 1e-9);
        /* near the sticking speed the remainder is a small difference: 1 - e^2 is 1 - 2e-4 */
        assert_close(apart.restitution, e, 1e-9);
        assert_close(apart.energy_lost, loss, 1e-9);
        assert_close(at.end_depth, -0.75 * cbrt(FF_PI * FF_PI * W_ * W_ * R_ / (E_ * E_)), 1e-12);
        assert_true(at.contact_time > 0 && isfinite(at.contact_time));
        assert_same_impact(&apart, &at, 1e-9);
    }
    for (double part = 0.9999; part > 1e-3; part /= 3) {
        ff_impact at;
        assert_int_equal(ff_impact_solve(&law, M_, part * sticking, &at), FF_ENDLESS);
        assert_true(at.restitution == 0 && isinf(at.contact_time));
        assert_int_equal(ff_impact_solve(&plain, M_, part * sticking, &at), FF_ENDLESS);
        assert_true(at.restitution == 0 && at.max_depth > 0);
        assert_int_equal(ff_impact_curve(&law, M_, part * sticking, 10, (ff_impact_point[10]){0}),
                         FF_ENDLESS);
    }
    /* dmt returns all energy, at any speed */
    ff_normal dmt = adhesive("dmt", 0);
    for (double part = 0.01; part < 100; part *= 10) {
        ff_impact at = solved(&dmt, M_, part * sticking);
        assert_true(at.restitution == 1 && at.energy_lost == 0 && at.end_depth == 0);
    }
}

/* Deepest points from the energy: stored(z) - stored(0) = m v^2/2. Contact time at high speed: Hertz's,
 * 2.9432751... depth/v. */
static void test_depth_and_time(void **state) {
    (void)state;
    static const char *const names[] = {"dmt", "jkr"};
    for (int i = 0; i < 2; i++) {
        ff_normal law = adhesive(names[i], 0),
                  hertz = normal("hertz", (double[]){hertz_k(E_, R_), NAN});
        double inner[1] = {0};
        ff_normal_touch(&law, 1, inner);
        for (double v = 0.5; v < 100; v *= 4) {
            ff_impact at = solved(&law, M_, v);
            double stored = ff_normal_stored(&law, at.max_depth, 0, inner),
                   start = ff_normal_stored(&law, 0, 0, inner);
            assert_close(stored - start, 0.5 * M_ * v * v, 1e-11);
            assert_close(at.max_force, ff_normal_force(&law, at.max_depth, 0, inner), 1e-11);
        }
        ff_impact fast = solved(&law, M_, 3000), elastic = solved(&hertz, M_, 3000);
        assert_close(fast.contact_time, elastic.contact_time, 1e-4);
    }
}

/* with a damper dmt sticks too: slow impacts lose all energy, fast ones bounce; and jkr loses energy in addition
 * to that of breaking */
static void test_damped_impacts(void **state) {
    (void)state;
    ff_normal dmt = adhesive("dmt", 4e-3), jkr = adhesive("jkr", 4e-3);
    ff_impact slow, fast = solved(&dmt, M_, 3);
    assert_int_equal(ff_impact_solve(&dmt, M_, 1e-3, &slow), FF_ENDLESS);
    assert_true(slow.restitution == 0);
    assert_true(fast.restitution > 0.3 && fast.restitution < 1);
    assert_close(fast.energy_lost, 0.5 * M_ * 9 * (1 - fast.restitution * fast.restitution), 1e-11);
    ff_impact at = solved(&jkr, M_, 3);
    assert_true(at.energy_lost > jkr_loss(W_, R_, E_) && at.restitution > 0);
    ff_impact_point curve[30];
    assert_int_equal(ff_impact_curve(&jkr, M_, 3, 30, curve), FF_OK);
    assert_near(curve[29].depth, at.end_depth, 1e-12 * at.max_depth);
    assert_close(curve[29].velocity, -3 * at.restitution, 1e-9);
    assert_near(curve[0].depth, 0, 1e-14 * at.max_depth);
    assert_true(curve[0].velocity == 3);
}

/* functions of power-law theory are refused */
static void test_no_power_law(void **state) {
    (void)state;
    static const char *const names[] = {"dmt", "jkr"};
    for (int i = 0; i < 2; i++) {
        ff_normal law = adhesive(names[i], 1e-3);
        ff_power power;
        assert_false(ff_normal_power(&law, 1, &power));
        assert_false(ff_design_possible(&law));
        assert_true(ff_design_damping(&law, M_, 1, 0.5) < 0);
        assert_true(ff_design_contact_time(&law, M_, 1, 0.5, 1e-6) < 0);
        assert_true(isnan(ff_impact_delta(&law, M_, 1)));
    }
    /* a phase plane starts from states that the law itself does not reach */
    ff_normal dmt = adhesive("dmt", 1e-3);
    ff_impact_point points[20];
    assert_int_equal(ff_phase_branch(&dmt, M_, 1e-8, -1, 20, points), FF_OK);
}

/* ---- scenes ---- */

static ff_ledger thrown(const ff_normal *law, double speed, double until, ff_motion *ball,
                        int events[3]) {
    ff_friction none;
    ff_friction_none(&none);
    ff_model *model = ball_on_floor(M_, R_, 1.1 * R_, (double[]){0, 0, -speed}, 0, *law, none);
    ff_sim *sim = started(model, FF_AUTO, 1e-11);
    ff_status status;
    while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
        ff_event_kind kind = ff_sim_event(sim)->kind;
        events[0] += kind == FF_TOUCHDOWN;
        events[1] += kind == FF_LIFTOFF;
        events[2] += kind == FF_CLEAR;
    }
    assert_int_equal(status, FF_OK);
    ff_ledger l = ff_sim_ledger(sim);
    *ball = ff_sim_body(sim, 0);
    assert_near(l.residual, 0, 1e-9 * l.scale);
    finish(sim, model);
    return l;
}

static void test_thrown_at_a_wall(void **state) {
    (void)state;
    ff_normal jkr = adhesive("jkr", 0), dmt = adhesive("dmt", 0);
    const double loss = jkr_loss(W_, R_, E_), sticking = sqrt(2 * loss / M_);
    static const double parts[] = {0.5, 0.99, 1.01, 2, 20};
    for (size_t i = 0; i < ROWS(parts); i++) {
        const double speed = parts[i] * sticking, part = parts[i];
        int events[3] = {0}, other[3] = {0};
        ff_motion ball;
        ff_ledger l = thrown(&jkr, speed, 4e-6 / speed, &ball, events);
        if (part < 1) {
            /* it sticks: the energy lost is that of making the contact */
            assert_int_equal(events[0], 1);
            assert_true(events[1] == 0 && events[2] == 0);
            assert_close(l.release, loss * 0.6 / (0.6 + 0.1 * pow(4, -1.0 / 3)), 1e-12);
            assert_true(ball.position[2] < R_ + 1e-8 && l.normal_spring < 0);
        } else {
            assert_true(events[0] == 1 && events[1] == 1 && events[2] == 1);
            assert_close(ball.velocity[2], speed * sqrt(1 - 1 / (part * part)), 1e-8);
            /* near the sticking speed the energy error is 50 times that of the speed */
            assert_close(l.release, loss, 1e-9);
            assert_true(l.normal_spring == 0);
        }
        ff_ledger d = thrown(&dmt, speed, 4e-6 / speed, &ball, other);
        assert_true(other[0] == 1 && other[1] == 1 && other[2] == 1 && d.release == 0);
        assert_close(ball.velocity[2], speed, 1e-9);
    }
}

/* A damped particle comes to rest where the force is 0, and hangs upside down under its own weight. */
static void test_hanging(void **state) {
    (void)state;
    static const char *const names[] = {"dmt", "jkr"};
    for (int i = 0; i < 2; i++) {
        ff_normal law = adhesive(names[i], 3);
        const double mass = 0.5 * FF_PI * W_ * R_ / 9.81, weight = mass * 9.81;
        ff_friction none;
        double inner[1] = {0}, gravity = -9.81;
        ff_friction_none(&none);
        /* gravity points away from the floor */
        ff_model *model =
            ball_on_floor(mass, R_, R_ * (1 - 1e-4), (double[]){0, 0, 0}, gravity, law, none);
        ff_sim *sim = started(model, FF_AUTO, 1e-9);
        go(sim, 0.1);
        ff_normal_touch(&law, 0, inner);
        double z = R_ - ff_sim_body(sim, 0).position[2];
        /* the oscillation has decayed below 1e-6 of the depth */
        assert_close(ff_normal_force(&law, z, 0, inner), -weight, 1e-5);
        ff_ledger l = ff_sim_ledger(sim);
        assert_near(l.residual, 0, 1e-8 * l.scale);
        finish(sim, model);
    }
}

/* A hanging body falls if its weight exceeds the pull-off force. Its contact is overdamped, so it does not
 * oscillate. */
static void test_pull_off(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double force;
    } rows[] = {{"dmt", 2 * FF_PI * W_ * R_}, {"jkr", 1.5 * FF_PI * W_ * R_}};
    for (size_t i = 0; i < ROWS(rows); i++) {
        for (int above = 0; above < 2; above++) {
            ff_normal law = adhesive(rows[i].name, 1e4);
            const double mass = rows[i].force * (above ? 1.001 : 0.999) / 9.81;
            ff_friction none;
            ff_friction_none(&none);
            ff_model *model =
                ball_on_floor(mass, R_, R_ * (1 - 1e-5), (double[]){0, 0, 0}, -9.81, law, none);
            ff_sim *sim = started(model, FF_AUTO, 1e-8);
            bool left = false;
            while (ff_sim_advance(sim, 2) == FF_EVENT) {
                left = left || ff_sim_event(sim)->kind == FF_CLEAR;
            }
            assert_int_equal(left, above);
            finish(sim, model);
        }
    }
}

#define TWO(law)                                                                                   \
    "gravity: [0, 0, 0]\n"                                                                         \
    "bodies:\n"                                                                                    \
    "  a: {mass: 11.73 g, shape: {sphere: {radius: 1 cm}}, position: [-9.99999999999999 mm, 0, "   \
    "0]}\n"                                                                                        \
    "  b: {mass: 11.73 g, shape: {sphere: {radius: 1 cm}}, position: [9.99999999999999 mm, 0, "    \
    "0]}\n"                                                                                        \
    "pairs:\n"                                                                                     \
    "  - {between: [a, b], normal: " law "}\n"                                                     \
    "run: {until: 1 us}\n"

/* The pull-off test of LAMMPS under DMT: two spheres in point contact, gamma 0.1 J/m^2, attract each other with 4
 * pi gamma R/2; and under JKR with 8/9 of 3 pi gamma R/2. */
static void test_two_spheres(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double force;
    } rows[] = {{TWO("{law: dmt, k: 3.333e9, w: 0.2}"), 4 * FF_PI * 0.1 * 5e-3},
                {TWO("{law: jkr, k: 3.333e9, w: 0.2}"), 8.0 / 9 * 3 * FF_PI * 0.1 * 5e-3}};
    for (size_t i = 0; i < ROWS(rows); i++) {
        ff_model *model = model_of_text(rows[i].text);
        ff_sim *sim = started(model, FF_AUTO, 1e-10);
        ff_contact_record at = ff_sim_contact(sim, 0);
        assert_true(at.depth > 0 && at.depth < 1e-16);
        /* 2e-17 m are 1e-9 of the depth over which jkr changes */
        assert_close(fabs(at.force[0]), rows[i].force, 3e-9);
        assert_true(at.force[0] * at.normal[0] < 0);
        /* both approach at the same speed */
        go(sim, 1e-9);
        double v = 1e-9 * rows[i].force / 11.73e-3;
        assert_close(ff_sim_body(sim, 0).velocity[0], v, 1e-4);
        assert_close(ff_sim_body(sim, 1).velocity[0], -v, 1e-4);
        finish(sim, model);
    }
}

/* a run saved while it hangs below z = 0 continues bit for bit, and the near-pair search keeps the pair */
static void test_saved_and_open(void **state) {
    (void)state;
    ff_normal law = adhesive("jkr", 1e-4);
    ff_friction none;
    ff_friction_none(&none);
    for (int many = 0; many < 2; many++) {
        ff_scene *scene = ff_scene_create();
        ff_scene_set_gravity(scene, (double[]){0, 0, 0});
        /* two balls in contact, and others far away, so that the pair search has pairs to drop */
        add_ball(scene, "a", M_, 2 * R_, (double[]){0, 0, 0}, (double[]){0.015, 0, 0});
        add_ball(scene, "b", M_, 2 * R_, (double[]){4.1 * R_, 0, 0}, (double[]){-0.015, 0, 0});
        for (int i = 0; i < (many ? 300 : 0); i++) {
            char name[16];
            snprintf(name, sizeof name, "far%d", i);
            add_ball(scene, name, M_, R_, (double[]){1e-3 * i, 1e-2, 0},
                     (double[]){0.5 * (i % 2), 0, 0});
        }
        add_pair(scene, "*", "*", law, none);
        ff_model *model = compiled(scene);
        ff_sim *sim = started(model, FF_AUTO, 1e-9), *other = started(model, FF_AUTO, 1e-9);
        double touched = next_event(sim, FF_TOUCHDOWN), least = INFINITY;
        /* through several oscillations: more than half a contact time below z = 0 */
        for (int i = 1; i <= 200; i++) {
            ff_status status = ff_sim_advance(sim, touched + 2e-8 * i);
            assert_int_equal(status, FF_OK);
            ff_contact_record at = ff_sim_contact(sim, 0);
            assert_true(at.touching);
            if (at.depth < least) {
                least = at.depth;
            }
        }
        assert_true(least < 0);
        size_t size = ff_sim_state_size(sim);
        void *memory = malloc(size);
        assert_non_null(memory);
        ff_sim_save(sim, memory);
        assert_int_equal(ff_sim_restore(other, memory, size), FF_OK);
        go(sim, touched + 2e-5);
        go(other, touched + 2e-5);
        ff_motion p = ff_sim_body(sim, 0), q = ff_sim_body(other, 0);
        assert_memory_equal(&p, &q, sizeof p);
        ff_ledger l = ff_sim_ledger(sim);
        assert_near(l.residual, 0, 1e-8 * l.scale);
        free(memory);
        finish(sim, model);
        ff_sim_free(other);
    }
}

/* by fixed steps without located events: the same up to the error of a step */
static void test_fixed_steps(void **state) {
    (void)state;
    ff_normal law = adhesive("jkr", 0);
    const double loss = jkr_loss(W_, R_, E_), speed = 2 * sqrt(2 * loss / M_);
    ff_friction none;
    ff_friction_none(&none);
    for (int k = 0; k < 3; k++) {
        ff_model *model = ball_on_floor(M_, R_, R_ + 1e-9, (double[]){0, 0, -speed}, 0, law, none);
        ff_run_options options = ff_run_options_default();
        ff_sim *sim;
        options.method = FF_RK4;
        options.dt = 1e-9 / (1 << (2 * k));
        options.events = false;
        assert_int_equal(ff_sim_create(model, &options, &sim, NULL), FF_OK);
        go(sim, 2e-6);
        double error = fabs(ff_sim_body(sim, 0).velocity[2] / (speed * sqrt(0.75)) - 1);
        ff_ledger l = ff_sim_ledger(sim);
        assert_near(l.residual, 0, 1e-2 / (1 << (2 * k)) * l.scale);
        assert_true(l.normal_spring == 0 && l.release > 0.9 * loss);
        /* contact begins and ends within a step: first order, initially about 0.2 % */
        assert_true(error < 6e-3 / (1 << (2 * k)));
        finish(sim, model);
    }
}

/* Crowds support both laws in lanes, including friction under the load F + 2 pi w R or F + 3 pi w R: two of many balls
 * collide off centre, with the same result as by located events. */
static void test_crowd(void **state) {
    (void)state;
    const double pace[2] = {0.2, -0.2};
    static const char *const names[] = {"dmt", "jkr"};
    for (int law = 0; law < 2; law++) {
        ff_motion found[2][2];
        for (int crowd = 0; crowd < 2; crowd++) {
            ff_scene *scene = ff_scene_create();
            ff_scene_set_gravity(scene, (double[]){0, 0, 0});
            for (int i = 0; i < 16; i++) {
                char name[16];
                snprintf(name, sizeof name, "b%d", i);
                const bool meets = i < 2;
                add_ball(
                    scene, name, M_, 2 * R_,
                    (double[]){meets ? (i ? 4.01 : 0) * R_ : 1e-3 * i, meets ? 0.5 * i * R_ : 1, 0},
                    (double[]){meets ? pace[i] : 0, 0, 0});
            }
            /* friction so small that they slide throughout */
            add_pair(scene, "*", "*", adhesive(names[law], 1e-3),
                     friction("coulomb", (double[]){0.01, 1e-3}));
            ff_model *model = NULL;
            ff_run_options options = ff_run_options_default();
            ff_error error = {""};
            ff_sim *sim;
            options.method = crowd ? FF_VERLET : FF_AUTO;
            options.events = !crowd;
            options.dt = 1e-11;
            options.until = 2e-6;
            ff_scene_set_run(scene, &options);
            assert_int_equal(ff_model_create(scene, &model, &error), FF_OK);
            ff_scene_free(scene);
            assert_int_equal(ff_sim_create(model, &options, &sim, &error), FF_OK);
            assert_int_equal(ff_model_class_count(model) > 0, crowd);
            go(sim, options.until);
            for (size_t i = 0; i < 2; i++) {
                found[crowd][i] = ff_sim_body(sim, i);
            }
            ff_ledger l = ff_sim_ledger(sim);
            assert_near(l.residual, 0, (crowd ? 1e-3 : 1e-8) * l.scale);
            assert_true(l.slip > 0);
            finish(sim, model);
        }
        for (size_t i = 0; i < 2; i++) {
            /* the jump at z = 0 costs a crowd one order: a step is 1e-4 of the contact time */
            for (int c = 0; c < 3; c++) {
                assert_near(found[1][i].velocity[c], found[0][i].velocity[c], 1e-3 * 0.2);
                assert_near(found[1][i].omega[c], found[0][i].omega[c], 1e-4 * 0.2 / R_);
            }
            assert_true(fabs(found[0][i].omega[2]) > 0.01 * 0.2 / R_);
        }
    }
}

/* Eight pairs of balls under jkr collide with 0.5, 0.9, 1.1, 1.3 .. times the sticking speed. */
static ff_sim *colliding(double dt, ff_model **model, double *sticking) {
    ff_scene *scene = ff_scene_create();
    ff_friction none;
    ff_friction_none(&none);
    /* of the relative speed, with the reduced mass M_/2 */
    *sticking = sqrt(4 * jkr_loss(W_, R_, E_) / M_);
    ff_scene_set_gravity(scene, (double[]){0, 0, 0});
    for (int i = 0; i < 16; i++) {
        const double part = i / 2 == 0 ? 0.5 : 0.7 + 0.2 * (i / 2), v = part * *sticking / 2;
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        add_ball(scene, name, M_, 2 * R_, (double[]){i % 2 ? 4.001 * R_ : 0, (i / 2) * 10 * R_, 0},
                 (double[]){i % 2 ? -v : v, 0, 0});
    }
    add_pair(scene, "*", "*", adhesive("jkr", 0), none);
    ff_run_options options = ff_run_options_default();
    ff_sim *sim;
    options.method = FF_VERLET;
    options.events = false;
    options.dt = dt;
    options.until = 3e-6;
    ff_scene_set_run(scene, &options);
    *model = compiled(scene);
    assert_true(ff_model_class_count(*model) > 0);
    assert_int_equal(ff_sim_create(*model, &options, &sim, NULL), FF_OK);
    return sim;
}

/* Contacts of a crowd remember that they were made: those slower than the sticking speed stay, the others break beyond z = 0
 * and lose the energy of making and breaking, which is booked in `release`. A saved state continues bit for bit. */
static void test_crowd_sticks(void **state) {
    (void)state;
    for (double dt = 6.4e-10; dt > 0.9e-11; dt /= 4) {
        double sticking, off = 0;
        ff_model *model, *other;
        ff_sim *sim = colliding(dt, &model, &sticking), *again = colliding(dt, &other, &sticking);
        const double loss = jkr_loss(W_, R_, E_),
                     made = loss * 0.6 / (0.6 + 0.1 * pow(4, -1.0 / 3));
        /* some pairs are in contact now */
        go(sim, 4e-7);
        assert_true(ff_sim_statistics(sim).contacts > 2);
        void *saved = malloc(ff_sim_state_size(sim));
        assert_non_null(saved);
        ff_sim_save(sim, saved);
        go(again, 4e-7);
        assert_int_equal(ff_sim_restore(again, saved, ff_sim_state_size(sim)), FF_OK);
        go(sim, 3e-6);
        go(again, 3e-6);
        free(saved);
        assert_int_equal(ff_sim_statistics(sim).contacts, 2);
        for (int i = 0; i < 8; i++) {
            const double part = i == 0 ? 0.5 : 0.7 + 0.2 * i;
            ff_motion a = ff_sim_body(sim, 2 * (size_t)i), b = ff_sim_body(sim, 2 * (size_t)i + 1),
                      c = ff_sim_body(again, 2 * (size_t)i);
            assert_memory_equal(&a, &c, sizeof a);
            const double apart = b.velocity[0] - a.velocity[0];
            if (part < 1) {
                assert_true(b.position[0] - a.position[0] < 4.001 * R_);
            } else {
                off = fmax(off, fabs(apart / (sticking * sqrt(part * part - 1)) - 1));
            }
        }
        ff_ledger l = ff_sim_ledger(sim);
        assert_near(l.residual, 0, 1e-2 * l.scale);
        off = fmax(off, fabs(l.release / (6 * loss + 2 * made) - 1));
        /* the jumps of the force at both ends are off by part of a step, which is first order: 0.012 with 0.64 ns */
        assert_true(off < 2.5e7 * dt);
        finish(again, other);
        finish(sim, model);
    }
}

/* Friction under adhesion: the limit is mu (F + 2 pi w R) or mu (F + 3 pi w R), also if only adhesion presses. A
 * belt drags a weightless particle that rests on it. */
static void test_friction(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double load;
    } rows[] = {{"dmt", 2 * FF_PI * W_ * R_}, {"jkr", 3 * FF_PI * W_ * R_}};
    for (size_t i = 0; i < ROWS(rows); i++) {
        for (int slips = 0; slips < 2; slips++) {
            const double mu = 0.3, push = mu * rows[i].load * (slips ? 1.01 : 0.99);
            char text[900];
            snprintf(text, sizeof text,
                     "gravity: [0, 0, 0]\nstart: rest\n"
                     "bodies: {ball: {mass: 1e-11, inertia: [1e-10, 1e-10, 1e-10], shape: {sphere: "
                     "{radius: 1e-5}}, position: [0, 0, 9.98e-6]}}\n"
                     "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"
                     "pairs:\n  - {between: [ball, floor], normal: {law: %s, k: %.17g, w: 0.05, "
                     "lambda: 3e-3}, friction: {law: clutch, mu: 0.3, k: %.17g, damping: 1e-3}}\n"
                     "forces: {push: {table: {body: ball, force: [%.17g, 0, 0], times: [0, 1e-4], "
                     "factors: [0, 1]}}}\n"
                     "run: {until: 1 ms}\n",
                     rows[i].name, hertz_k(E_, R_), hertz_k(E_, R_), push);
            ff_model *model = model_of_text(text);
            ff_sim *sim = started(model, FF_AUTO, 1e-9);
            bool slipped = false;
            ff_status status;
            while ((status = ff_sim_advance(sim, 1e-3)) == FF_EVENT) {
                slipped = slipped || ff_sim_event(sim)->kind == FF_SLIP;
            }
            assert_int_equal(status, FF_OK);
            assert_int_equal(slipped, slips);
            ff_ledger l = ff_sim_ledger(sim);
            assert_near(l.residual, 0, 1e-8 * l.scale);
            finish(sim, model);
        }
    }
}

/* ---- scene files ---- */

#define BALL(pair)                                                                                 \
    "bodies: {ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.2]}}\n"           \
    "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"                            \
    "pairs:\n  - {between: [ball, floor], " pair "}\n"

/* Friction derives its springs from the normal law's k and lambda, as beside a power law. With Mindlin's ratio a clutch has
 * the stiffness 8 G a/(2 - nu) of a contact on rigid ground, a being the radius of the adhesive contact. */
static void test_springs_of_friction(void **state) {
    (void)state;
    static const char *const names[] = {"dmt", "jkr"};
    for (int i = 0; i < 2; i++) {
        for (int words = 0; words < 2; words++) {
            char text[300];
            snprintf(text, sizeof text,
                     BALL("normal: {law: %s, %s, w: 50, lambda: 7}, friction: {law: clutch, mu: "
                          "0.3%s}"),
                     names[i], words ? "k: 3e6" : "material: [rubber, rubber]",
                     words ? ", from: normal" : "");
            ff_scene *scene = parse_text(text);
            assert_holds(scene != NULL, "%s", told);
            const ff_pair_def *pair = &scene->pairs.at[0];
            const double k = ff_normal_value(&pair->normal, "k");
            assert_close(ff_friction_value(&pair->friction, "k"), 1.5 * k, 1e-15);
            assert_true(ff_friction_value(&pair->friction, "damping") == 7);
            ff_scene_free(scene);
        }
    }
    const double nu = 0.3, shear = 2e9, young = 2 * shear * (1 + nu),
                 modulus = young / (1 - nu * nu),
                 ratio = ff_mindlin_ratio(young, nu, HUGE_VAL, 0.3);
    ff_normal law = normal("jkr", (double[]){hertz_k(modulus, R_), W_, R_, 0});
    ff_friction grip = friction(
        "clutch", (double[]){1e9, 1.5 * ratio * hertz_k(modulus, R_), 1, 0, NAN, NAN, NAN});
    double inner[1], u[3] = {1e-12, 0, 0}, rate[3];
    joined(&law, inner);
    for (double a = 2e-7; a < 2e-6; a *= 1.5) {
        const double z = a * a / R_ - sqrt(2 * FF_PI * W_ * a / modulus);
        const ff_normal_answer at = ff_normal_at(&law, z, 0, inner, NULL);
        const ff_friction_query q = {
            .z = z, .load = at.force + law.adhesion, .grade = at.grade, .ratio = at.ratio, .u = u};
        const ff_friction_answer f = ff_friction_at(&grip, &q, rate);
        /* a follows from z to 1e-11 */
        assert_close(f.force[0], -8 * shear * a / (2 - nu) * u[0], 1e-10);
    }
    /* a bed beside dmt takes k, n and tau; its limits add up to mu (F + 2 pi w R), and it creates nothing */
    ff_model *model = model_of_text(
        "gravity: [0, 0, 0]\n"
        "bodies: {ball: {mass: 1 g, shape: {sphere: {radius: 5 mm}}, position: [0, 0, 5.1 mm], "
        "velocity: [0.3, 0, -0.5]}}\n"
        "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"
        "pairs: [{between: [ball, floor], normal: {law: dmt, k: 1e5, w: 0.5, lambda: 8}, "
        "friction: {law: bed, mu: 0.05, ratio: 0.7}}]\nrun: {until: 0.02, tol: 1e-9}\n");
    ff_sim *sim = started(model, FF_AUTO, 1e-9);
    go(sim, 0.02);
    const ff_ledger l = ff_sim_ledger(sim);
    const ff_motion ball = ff_sim_body(sim, 0);
    assert_near(l.residual, 0, 1e-8 * l.scale);
    assert_true(l.created == 0 && l.slip > 0 && l.normal_damper > 0);
    /* it slides throughout: friction is mu times the momentum of the load, which is that of F and of the attraction */
    ff_impact impact;
    ff_normal dmt = normal("dmt", (double[]){1e5, 0.5, 5e-3, 8});
    assert_int_equal(ff_impact_solve(&dmt, 1e-3, 0.5, &impact), FF_OK);
    const double load =
        1e-3 * (0.5 + ball.velocity[2]) + 2 * FF_PI * 0.5 * 5e-3 * impact.contact_time;
    /* where the damper pulls more than the spring pushes, at the end, the load is 0: 5e-4 of its momentum */
    assert_close(1e-3 * (0.3 - ball.velocity[0]), 0.05 * load, 1e-3);
    finish(sim, model);
}

static void test_parameters(void **state) {
    (void)state;
    ff_scene *scene =
        parse_text(BALL("normal: {law: jkr, material: [steel, rubber], w: 50 mJ/m^2}"));
    assert_holds(scene != NULL, "%s", told);
    const ff_normal *law = &scene->pairs.at[0].normal;
    const double modulus = ff_modulus(210e9, 0.3, 2e6, 0.499);
    assert_close(ff_normal_value(law, "k"), hertz_k(modulus, 0.1), 1e-14);
    assert_true(ff_normal_value(law, "R") == 0.1 && ff_normal_value(law, "w") == 0.05);
    assert_true(ff_normal_value(law, "lambda") == 0);
    ff_scene_free(scene);
    scene = parse_text(BALL("normal: {law: dmt, k: 1e6, w: 0.1, R: 0.2, lambda_star: 10}"));
    assert_holds(scene != NULL, "%s", told);
    law = &scene->pairs.at[0].normal;
    assert_true(ff_normal_value(law, "R") == 0.2);
    assert_close(ff_normal_value(law, "lambda"), 10 * sqrt(0.2), 1e-15);
    assert_close(law->adhesion, 2 * FF_PI * 0.1 * 0.2, 1e-15);
    ff_scene_free(scene);
    /* an explicit R also determines the stiffness: no radius is required */
    scene = parse_text(
        "bodies: {ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.2]}}\n"
        "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"
        "pairs:\n  - {between: [\"b*\", floor], normal: {law: dmt, material: [steel, "
        "rubber], w: 0.1, R: 0.05}}\n");
    assert_holds(scene != NULL, "%s", told);
    assert_close(ff_normal_value(&scene->pairs.at[0].normal, "k"), hertz_k(modulus, 0.05), 1e-14);
    ff_scene_free(scene);
}

static void test_mistakes(void **state) {
    (void)state;
    static const mistake cases[] = {
        {BALL("normal: {law: jkr, k: 1e6}"),
         "s.yaml:4:30: jkr needs w (work of adhesion, J/m^2)\n"},
        {BALL("normal: {law: jkr, k: 1e6, w: 0}"), "s.yaml:4:60: w of jkr is 0, but must be > 0\n"},
        {BALL("normal: {law: dmt, k: 1e6, w: -1}"),
         "s.yaml:4:60: w of dmt is -1, but must be >= 0\n"},
        {BALL("normal: {law: dmt, k: 1e6, w: 1 N}"),
         "s.yaml:4:60: w of dmt: '1 N' is a force (N), expected a stiffness (N/m)\n"},
        {BALL("normal: {law: dmt, k: 1e6, w: 1, restitution: 0.5 at 1 m/s}"),
         "s.yaml:4:63: restitution gives no parameter of dmt, which is no power law with a damping "
         "to "
         "choose\n"},
        {"bodies: {ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.2]}}\n"
         "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"
         "pairs:\n  - {between: [\"b*\", floor], normal: {law: dmt, k: 1e6, w: 0.1}}\n",
         "s.yaml:4:38: R of dmt needs a radius, and 'b*' is a pattern: give R\n"}};
    ALL_SAY(cases);
    static const struct {
        const char *text, *says;
    } refused[] = {
        {BALL("normal: {law: jkr, k: 1e6, w: 1}, friction: {law: bed, mu: 0.1, ratio: 1, k: 1e6, "
              "n: 1.5}"),
         "pair 'ball'/'floor': friction 'bed', which goes by the depth of its elements, does not "
         "go "
         "beside 'jkr', which holds a contact beyond z = 0"},
        {BALL("normal: {law: jkr, k: 1e6, w: 1}, friction: {law: clutch, mu: 0.1, k: 1e6, damping: "
              "1e3, passive: true}"),
         "pair 'ball'/'floor': a passive spring of friction 'clutch' does not go beside 'jkr', "
         "which holds a "
         "contact beyond z = 0"},
        {BALL("normal: {law: jkr, k: 1e6, w: 1}, ground: stateful"),
         "pair 'ball'/'floor': a stateful ground needs a law whose force ends before z = 0: p < n, "
         "damping, clamp"},
    };
    for (size_t i = 0; i < ROWS(refused); i++) {
        ff_scene *scene = parse_text(refused[i].text);
        ff_error error = {""};
        ff_model *model;
        assert_holds(scene != NULL, "%s", told);
        assert_int_equal(ff_model_create(scene, &model, &error), FF_BAD_VALUE);
        assert_string_equal(error.text, refused[i].says);
        ff_scene_free(scene);
    }
    ff_normal law;
    ff_error error = {""};
    assert_int_equal(ff_normal_make(&law, ff_normal_law_find("jkr"),
                                    (double[]){1e300, 1e-300, 1e-300, NAN}, &error),
                     FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "w of jkr is too small"));
}

/* lanes of an ensemble support neither friction load under adhesion nor contact below z = 0 */
static void test_no_lanes_abreast(void **state) {
    (void)state;
    static const char *const says[] = {"the contact adheres", "the normal law has an inner state"};
    for (int i = 0; i < 2; i++) {
        ff_friction none;
        ff_friction_none(&none);
        ff_model *model = ball_on_floor(M_, R_, 2 * R_, (double[]){0, 0, -1}, 0,
                                        adhesive(i ? "jkr" : "dmt", 0), none);
        ff_run_options options = ff_run_options_default();
        options.until = 1;
        assert_string_equal(ff_ensemble_refusal(model, &options), says[i]);
        ff_model_free(model);
    }
}

/* start: rest finds the equilibrium of an adhesive contact that carries a weight */
static void test_rest(void **state) {
    (void)state;
    static const char *const names[] = {"dmt", "jkr"};
    for (int i = 0; i < 2; i++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "start: rest\n"
            "bodies: {ball: {mass: 1 g, shape: {sphere: {radius: 1 cm}}, position: [0, 0, "
            "0.00999]}}\n"
            "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"
            "pairs:\n  - {between: [ball, floor], normal: {law: %s, k: 1e6, w: 0.1, lambda: 1e3}}\n"
            "run: {until: 10 ms}\n",
            names[i]);
        ff_model *model = model_of_text(text);
        ff_sim *sim = started(model, FF_AUTO, 1e-9);
        ff_contact_record at = ff_sim_contact(sim, 0);
        assert_close(at.force[2], 9.81e-3, 1e-8);
        go(sim, 0.01);
        assert_near(ff_sim_body(sim, 0).velocity[2], 0, 1e-10);
        finish(sim, model);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_jkr_force),
    cmocka_unit_test(test_dmt_force),
    cmocka_unit_test(test_lanes),
    cmocka_unit_test(test_slopes),
    cmocka_unit_test(test_sticking_speed),
    cmocka_unit_test(test_depth_and_time),
    cmocka_unit_test(test_damped_impacts),
    cmocka_unit_test(test_no_power_law),
    cmocka_unit_test(test_thrown_at_a_wall),
    cmocka_unit_test(test_hanging),
    cmocka_unit_test(test_pull_off),
    cmocka_unit_test(test_two_spheres),
    cmocka_unit_test(test_saved_and_open),
    cmocka_unit_test(test_fixed_steps),
    cmocka_unit_test(test_crowd),
    cmocka_unit_test(test_crowd_sticks),
    cmocka_unit_test(test_friction),
    cmocka_unit_test(test_springs_of_friction),
    cmocka_unit_test(test_parameters),
    cmocka_unit_test(test_mistakes),
    cmocka_unit_test(test_rest),
    cmocka_unit_test(test_no_lanes_abreast),
};

CHECK_MAIN(tests)
