/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "law/params.h"
#include "motion.h"

/* A friction law with a moment: rolling and drilling friction in addition to Coulomb's, all proportional to the
 * load beyond a slow ramp. */

enum { MU, ROLL, DRILL }; /* ROLL and DRILL are lengths: moment over load */
static const double slow = 1e-2;

static void respond(const ff_friction *law, const ff_friction_query *q, ff_friction_answer *out) {
    const double *c = law->values;
    double speed = sqrt(q->v[0] * q->v[0] + q->v[1] * q->v[1] + q->v[2] * q->v[2]);
    double rolling =
        sqrt(q->roll[0] * q->roll[0] + q->roll[1] * q->roll[1] + q->roll[2] * q->roll[2]);
    double slide = c[MU] * q->load / fmax(speed, slow);
    double roll = c[ROLL] * q->load / fmax(rolling, slow);
    double drill = c[DRILL] * q->load / fmax(fabs(q->spin), slow);
    for (int i = 0; i < 3; i++) {
        out->force[i] = -slide * q->v[i];
        out->moment[i] = -roll * q->roll[i];
    }
    out->twist = -drill * q->spin;
    out->slip = slide * speed * speed + roll * rolling * rolling + drill * q->spin * q->spin;
}

static const ff_friction_law turning = {
    .abi = FF_LAW_ABI,
    .name = "turning",
    .formula = "f = -mu N v/|v|, moment = -roll N r/|r|, twist = -drill N s/|s|",
    .source = "",
    .limits = "",
    .params = {{"mu", "1", 0, INFINITY, NAN, "coefficient of friction", NULL},
               {"roll", "m", 0, INFINITY, NAN, "arm of rolling friction", NULL},
               {"drill", "m", 0, INFINITY, NAN, "arm of drilling friction", NULL}},
    .turns = true,
    .respond = respond,
};

static ff_friction friction_of(double mu, double roll, double drill) {
    ff_friction out;
    assert_int_equal(ff_friction_make(&out, &turning, (double[]){mu, roll, drill}, NULL), FF_OK);
    return out;
}

static const double mass = 0.2, radius = 0.03, g = 9.81;

/* a ball at its static depth on the floor */
static ff_model *lying(const double velocity[3], const double omega[3], ff_friction f) {
    ff_scene *scene = ff_scene_create();
    ff_normal n = normal("hunt-crossley", (double[]){1e7, 1e6, NAN, NAN, NAN});
    ff_scene_set_gravity(scene, (double[]){0, 0, -g});
    ff_body_def def = ff_body_def_default();
    def.name = "ball";
    def.mass = mass;
    def.position[2] = radius - pow(mass * g / 1e7, 1 / 1.5);
    memcpy(def.velocity, velocity, sizeof def.velocity);
    memcpy(def.omega, omega, sizeof def.omega);
    int body = ff_scene_add_body(scene, &def);
    assert_true(ff_scene_add_sphere(scene, body, NULL, (double[3]){0}, radius) >= 0);
    add_floor(scene);
    add_pair(scene, "ball", "floor", n, f);
    return compiled(scene);
}

/* A ball spinning about the normal is decelerated by drill m g: I w' = -drill m g, I = (2/5) m r^2. */
static void test_drilling(void **state) {
    (void)state;
    const double drill = 2e-4, w0 = 50;
    static const ff_method methods[] = {FF_DOPRI5, FF_RODAS, FF_ROSENBROCK};
    for (size_t i = 0; i < ROWS(methods); i++) {
        ff_model *model = lying((double[3]){0}, (double[]){0, 0, w0}, friction_of(0.3, 0, drill));
        ff_sim *sim = started(model, methods[i], 1e-8);
        go(sim, 1);
        double want = w0 - drill * g / (0.4 * radius * radius);
        assert_near(ff_sim_body(sim, 0).omega[2], want, 1e-5);
        ff_ledger l = ff_sim_ledger(sim);
        assert_true(fabs(l.residual) < 1e-6 * l.scale);
        assert_near(l.slip, 0.2 * mass * radius * radius * (w0 * w0 - want * want), 1e-7);
        finish(sim, model);
    }
}

/* A ball rolling without slip, v = w r: m v' = f, I w' = -f r - roll m g, so (7/5) m v' = -roll m g/r. */
static void test_rolling(void **state) {
    (void)state;
    const double roll = 1e-4, v0 = 1, wanted = v0 - 5.0 / 7 * roll * g / radius;
    ff_model *model =
        lying((double[]){v0, 0, 0}, (double[]){0, v0 / radius, 0}, friction_of(0.5, roll, 0));
    ff_sim *sim = started(model, FF_AUTO, 1e-9);
    go(sim, 1);
    /* Coulomb's ramp creeps: the slip s = slow f/(mu m g) carries f, and the initial change of v - w r to s takes
     * 2/7 s from v */
    double creep = slow * 5.0 / 7 * roll / radius / 0.5;
    assert_near(ff_sim_body(sim, 0).velocity[0], wanted + 2.0 / 7 * creep, 1e-8);
    ff_ledger l = ff_sim_ledger(sim);
    assert_true(fabs(l.residual) < 1e-8 * l.scale && l.slip > 0);
    finish(sim, model);
}

/* Two balls collide: momentum and angular momentum are conserved, whichever ball is the first. */
static ff_motion meet(bool swapped, ff_method method) {
    ff_scene *scene = ff_scene_create();
    ff_scene_set_gravity(scene, (double[3]){0});
    for (int i = 0; i < 2; i++) {
        ff_body_def def = ff_body_def_default();
        def.name = i ? "b" : "a";
        def.mass = mass;
        def.position[0] = i ? 0.07 : 0;
        def.velocity[0] = i ? -0.5 : 0.5;
        def.velocity[1] = i ? 0.1 : 0;
        memcpy(def.omega, i ? (double[]){-20, 5, 3} : (double[]){40, -7, 10}, sizeof def.omega);
        int body = ff_scene_add_body(scene, &def);
        assert_true(ff_scene_add_sphere(scene, body, NULL, (double[3]){0}, radius) >= 0);
    }
    add_pair(scene, swapped ? "b" : "a", swapped ? "a" : "b",
             normal("hunt-crossley", (double[]){1e7, 1e6, NAN, NAN, NAN}),
             friction_of(0.2, 1e-3, 1e-3));
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, method, 1e-10);
    double moment[2][3];
    for (int late = 0; late < 2; late++) {
        ff_motion a = ff_sim_body(sim, 0), b = ff_sim_body(sim, 1);
        for (int c = 0; c < 3; c++) {
            int d = (c + 1) % 3, e = (c + 2) % 3;
            moment[late][c] =
                mass * (a.position[d] * a.velocity[e] - a.position[e] * a.velocity[d] +
                        b.position[d] * b.velocity[e] - b.position[e] * b.velocity[d]) +
                0.4 * mass * radius * radius * (a.omega[c] + b.omega[c]);
        }
        go(sim, 0.05);
    }
    for (int c = 0; c < 3; c++) {
        assert_near(moment[1][c], moment[0][c], 1e-14);
    }
    ff_ledger l = ff_sim_ledger(sim);
    assert_true(fabs(l.residual) < 1e-8 * l.scale && l.slip > 1e-4);
    ff_motion out = ff_sim_body(sim, 0);
    finish(sim, model);
    return out;
}

static void test_two_balls(void **state) {
    (void)state;
    ff_motion want = meet(false, FF_DOPRI5);
    for (int i = 1; i < 4; i++) {
        ff_motion seen = meet(i & 1, i & 2 ? FF_RODAS : FF_DOPRI5);
        for (int c = 0; c < 3; c++) {
            assert_near(seen.velocity[c], want.velocity[c], 1e-8);
            assert_near(seen.omega[c], want.omega[c], 1e-6);
        }
    }
}

static void test_law_holds(void **state) {
    (void)state;
    ff_friction f = friction_of(0.3, 1e-4, 2e-4);
    ff_law_finding found[FF_LAW_FINDINGS];
    size_t count = ff_friction_verify(&f, 1e-4, 1, 10, 2000, found);
    for (size_t i = 0; i < count; i++) {
        assert_holds(found[i].worst <= found[i].allowed, "%s: %g at %s", found[i].what,
                     found[i].worst, found[i].where);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_drilling),
    cmocka_unit_test(test_rolling),
    cmocka_unit_test(test_two_balls),
    cmocka_unit_test(test_law_holds),
};

CHECK_MAIN(tests)
