/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "motion.h"
#include <stdlib.h>

/* ---- the ledger ---- */

typedef struct {
    double damper, tangential, slip, viscous, dampers;
} losses;

static void check_ledger(ff_model *model, double until, double tol, double most) {
    ff_sim *sim = started(model, FF_AUTO, tol);
    losses last = {0};
    while (ff_sim_time(sim) < until) {
        assert_true(ff_sim_step(sim, until) >= 0);
        ff_ledger l = ff_sim_ledger(sim);
        double slack = tol * l.scale;
        assert_true(l.normal_damper >= last.damper - slack &&
                    l.tangential_damper >= last.tangential - slack && l.slip >= last.slip - slack &&
                    l.viscous >= last.viscous - slack && l.dampers >= last.dampers - slack);
        last = (losses){l.normal_damper, l.tangential_damper, l.slip, l.viscous, l.dampers};
        assert_holds(fabs(l.residual) <= most * l.scale, "residual %g of scale at %g s, tol %g",
                     l.residual / l.scale, ff_sim_time(sim), tol);
        double sum = 0;
#define ADD(name) sum += l.name;
        FF_LEDGER_LIST(ADD)
#undef ADD
        assert_near(sum + l.residual, l.initial, 1e-15 * l.scale);
    }
    finish(sim, model);
}

static const double paces[2][2] = {{1e-9, 1e-9}, {1e-12, 1e-11}};

static void test_ledger_closes_for_every_normal_law(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double values[FF_LAW_PARAMS];
    } laws[] = {{"linear", {2e4, 20, NAN, NAN}},
                {"linear", {2e4, 20, NAN, 1}},
                {"hertz", {8.5e6, NAN}},
                {"hunt-crossley", {8.5e6, 3e6, NAN, NAN, NAN}},
                {"marhefka-orin", {2e4, 0.3, NAN, NAN}},
                {"lee-wang", {8.5e6, 1e5, NAN, NAN}},
                {"azad-featherstone", {8.5e6, 3.1e3, NAN, NAN}},
                {"azad-featherstone", {8.5e6, 3.1e3, 1e3, NAN}},
                {"tsuji", {8.5e6, 300, NAN, NAN}},
                {"flores", {8.5e6, 0.7, NAN, NAN, NAN}},
                {"lankarani-nikravesh", {8.5e6, 0.7, NAN, NAN, NAN}},
                {"general", {1e6, 500, 1.3, 0.6, NAN, NAN, NAN}},
                {"xiong", {1e5, 0.0005, 0.001}}};
    for (size_t i = 0; i < ROWS(laws); i++) {
        for (int fine = 0; fine < 2; fine++) {
            ff_model *model = ball_on_floor(0.154, 0.0165, 0.1165, (double[3]){0}, 9.81,
                                            normal(laws[i].name, laws[i].values), (ff_friction){0});
            check_ledger(model, 0.5, paces[fine][0], paces[fine][1]);
        }
    }
}

static void test_ledger_closes_for_every_friction_law(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double values[FF_LAW_PARAMS];
    } laws[] = {{"coulomb", {0.2, 1e-3}},
                {"bengisu-akay", {0.25, 0.2, 1e-3, 100}},
                {"dahl", {0.2, 1e5}},
                {"lugre", {0.2, 1e5, 10, 0.01}},
                {"clutch", {0.2, 12.75e6, 3.1e3, 0.1, 0, NAN, NAN}},
                {"clutch", {0.2, 12.75e6, 3.1e3, 0.1, 1, NAN, NAN}},
                {"sat", {0.2, 1e5, 1e-4}}};
    for (size_t i = 0; i < ROWS(laws); i++) {
        for (int fine = 0; fine < 2; fine++) {
            ff_model *model = ball_on_floor(0.154, 0.0165, 0.1, (double[]){0.5, 0.5, 0}, 9.81,
                                            azad(), friction(laws[i].name, laws[i].values));
            check_ledger(model, 0.5, paces[fine][0], paces[fine][1]);
        }
    }
}

/* a passive clutch creates no energy: regrade is 0 */
static void test_passive_clutch_regrades_nothing(void **state) {
    (void)state;
    ff_friction passive = friction("clutch", (double[]){0.2, 12.75e6, 3.1e3, 0, 1, NAN, NAN});
    ff_model *model =
        ball_on_floor(0.154, 0.0165, 0.1, (double[]){0.5, 0.5, 0}, 9.81, azad(), passive);
    ff_sim *sim = started(model, FF_AUTO, 1e-10);
    go(sim, 1);
    assert_true(ff_sim_ledger(sim).regrade == 0 && ff_sim_ledger(sim).created == 0);
    assert_near(ff_sim_body(sim, 0).velocity[0], 5.0 / 14, 1e-9);
    finish(sim, model);
    model = rolling(0);
    sim = started(model, FF_AUTO, 1e-10);
    go(sim, 1);
    assert_true(ff_sim_ledger(sim).created < -6e-4 && ff_sim_ledger(sim).regrade > 0);
    finish(sim, model);
}

/* After lift-off the spring of sat is unloaded and relaxes as exp(-t/beta) until the contact is clear: the
 * remainder, k u^2/2, is released. Its stiffness does not depend on the depth: regrade is 0. */
static void test_release_is_what_the_spring_held(void **state) {
    (void)state;
    const double k = 1e4, beta = 1e-3;
    ff_model *model = ball_on_floor(0.154, 0.0165, 0.1, (double[]){0.5, 0.5, 0}, 9.81, azad(),
                                    friction("sat", (double[]){0.2, k, beta}));
    ff_sim *sim = started(model, FF_AUTO, 1e-10);
    double released = 0;
    for (int bounce = 0; bounce < 3; bounce++) {
        double lift = next_event(sim, FF_LIFTOFF);
        ff_contact_record c = ff_sim_contact(sim, 0);
        double held = 0.5 * k * (c.u[0] * c.u[0] + c.u[1] * c.u[1]);
        assert_close(ff_sim_ledger(sim).tangential_spring, held, 1e-14);
        double left = exp(-(next_event(sim, FF_CLEAR) - lift) / beta);
        released += held * left * left;
        assert_true(released > 1e-7);
        ff_ledger l = ff_sim_ledger(sim);
        /* both to the tolerance of the run, for energies of at most 0.15 J */
        assert_near(l.release, released, 1e-10);
        assert_near(l.regrade, 0, 1e-10);
    }
    finish(sim, model);
}

/* ---- invariants ---- */

static ff_model *collision(void) {
    ff_scene *scene = ff_scene_create();
    ff_scene_set_gravity(scene, (double[3]){0});
    add_ball(scene, "a", 0.1, 0.02, (double[]){0, 0, 0}, (double[]){1, 0.1, 0});
    add_ball(scene, "b", 0.2, 0.03, (double[]){0.06, 0.015, 0.005}, (double[]){-0.2, 0, 0.1});
    add_pair(scene, "a", "b", normal("azad-featherstone", (double[]){1e7, 3e3, NAN, NAN}),
             friction("clutch", (double[]){0.3, 1.5e7, 3e3, NAN, NAN, NAN, NAN}));
    return compiled(scene);
}

static void momenta(const ff_sim *sim, double p[3], double l[3]) {
    static const double mass[] = {0.1, 0.2}, radius[] = {0.02, 0.03};
    memset(p, 0, 3 * sizeof *p);
    memset(l, 0, 3 * sizeof *l);
    for (size_t i = 0; i < 2; i++) {
        ff_motion m = ff_sim_body(sim, i);
        double orbit[3];
        ff_cross(m.position, m.velocity, orbit);
        for (int c = 0; c < 3; c++) {
            p[c] += mass[i] * m.velocity[c];
            l[c] += mass[i] * (orbit[c] + 0.4 * radius[i] * radius[i] * m.omega[c]);
        }
    }
}

static void test_momentum_of_two_spheres(void **state) {
    (void)state;
    ff_model *model = collision();
    ff_sim *sim = started(model, FF_AUTO, 1e-9);
    double p0[3], l0[3], p[3], l[3];
    int events = 0;
    momenta(sim, p0, l0);
    while (ff_sim_advance(sim, 0.1) == FF_EVENT) {
        events++;
    }
    momenta(sim, p, l);
    assert_true(events >= 4);
    for (int c = 0; c < 3; c++) {
        /* rounding of some hundred steps; positions enter the angular momentum, whose error is that of the
         * integration in r x v with small r */
        assert_near(p[c], p0[c], 1e-15);
        assert_near(l[c], l0[c], 1e-15);
    }
    assert_true(fabs(ff_sim_body(sim, 0).omega[2]) > 1);
    assert_near(ff_sim_ledger(sim).residual, 0, 1e-9 * 0.07);
    finish(sim, model);
}

/* two touching spheres that rotate as one rigid body: no slip, whatever their radii */
static void test_rigid_rotation_is_no_slip(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    double omega[3] = {0.3, -1, 2}, ra[3] = {0.02, 0, 0}, rb[3] = {-0.0299, 0, 0}, va[3], vb[3];
    ff_scene_set_gravity(scene, (double[3]){0});
    ff_cross(omega, ra, va);
    ff_cross(omega, rb, vb);
    for (int i = 0; i < 2; i++) {
        ff_body_def def = ff_body_def_default();
        def.name = i ? "b" : "a";
        def.mass = 0.1;
        memcpy(def.position, i ? rb : ra, sizeof def.position);
        memcpy(def.velocity, i ? vb : va, sizeof def.velocity);
        memcpy(def.omega, omega, sizeof omega);
        int body = ff_scene_add_body(scene, &def);
        ff_scene_add_sphere(scene, body, NULL, (double[3]){0}, i ? 0.03 : 0.02);
    }
    add_pair(scene, "a", "b", normal("linear", (double[]){1e3, 0, NAN, NAN}),
             friction("sat", (double[]){1, 1e3, 1e-3}));
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, FF_AUTO, 1e-9);
    ff_contact_record c = ff_sim_contact(sim, 0);
    assert_true(c.touching && c.depth > 0);
    for (int i = 0; i < 3; i++) {
        assert_near(c.slip[i], 0, 1e-16);
    }
    finish(sim, model);
}

/* a torque-free body with three moments of inertia conserves energy and angular momentum, through a flip */
static void test_free_rotation(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    ff_body_def def = ff_body_def_default();
    def.name = "racket";
    def.mass = 1;
    memcpy(def.inertia, (double[3][3]){{1, 0, 0}, {0, 2, 0}, {0, 0, 3}}, sizeof def.inertia);
    memcpy(def.omega, (double[]){1e-3, 5, 1e-3}, sizeof def.omega);
    ff_scene_set_gravity(scene, (double[3]){0});
    ff_scene_add_body(scene, &def);
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, FF_DOPRI5, 1e-10);
    bool flipped = false;
    for (int i = 1; i <= 100; i++) {
        go(sim, 0.1 * i);
        ff_motion m = ff_sim_body(sim, 0);
        double r[3][3], spin[3], l[3];
        ff_rotation(m.orientation, r);
        ff_rotate_back(r, m.omega, spin);
        for (int c = 0; c < 3; c++) {
            spin[c] *= 1 + c;
        }
        ff_rotate(r, spin, l);
        assert_near(l[0], 1e-3, 1e-8);
        assert_near(l[1], 10, 1e-8);
        assert_near(l[2], 3e-3, 1e-8);
        flipped = flipped || spin[1] < -9;
        assert_near(ff_sim_ledger(sim).residual, 0, 1e-8);
    }
    assert_true(flipped);
    finish(sim, model);
}

/* a ball that spins in flight under the implicit methods: its orientation rotates at omega */
static void test_orientation_of_a_spinning_ball(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_AUTO,       FF_DOPRI5,    FF_DOP853,
                                        FF_ROSENBROCK, FF_TRAPEZOID, FF_RK4};
    for (size_t i = 0; i < ROWS(methods); i++) {
        ff_scene *scene = ff_scene_create();
        ff_body_def def = ff_body_def_default();
        double axis[3] = {0.6, 0, 0.8}, rate = 7;
        def.name = "ball";
        def.mass = 1;
        for (int c = 0; c < 3; c++) {
            def.omega[c] = rate * axis[c];
        }
        ff_scene_add_sphere(scene, ff_scene_add_body(scene, &def), NULL, (double[3]){0}, 0.1);
        ff_model *model = compiled(scene);
        ff_sim *sim = started(model, methods[i], 1e-8);
        go(sim, 1.3);
        double half = rate * 1.3 / 2,
               want[4] = {cos(half), axis[0] * sin(half), 0, axis[2] * sin(half)};
        for (int c = 0; c < 4; c++) {
            assert_near(ff_sim_body(sim, 0).orientation[c], want[c], 1e-7);
        }
        finish(sim, model);
    }
    /* rolling to rest: auto and dopri5 end in the same orientation */
    ff_motion seen[2];
    for (int i = 0; i < 2; i++) {
        ff_model *model = rolling(0.1);
        ff_sim *sim = started(model, i ? FF_DOPRI5 : FF_AUTO, 1e-7);
        go(sim, 1);
        seen[i] = ff_sim_body(sim, 0);
        finish(sim, model);
    }
    for (int c = 0; c < 4; c++) {
        assert_near(seen[0].orientation[c], seen[1].orientation[c], 1e-5);
    }
}

/* rotating the scene rotates the motion */
static void test_tilted_scene_is_the_same(void **state) {
    (void)state;
    double q[4] = {0.8, 0.2, -0.5, 0.26}, r[3][3], down[3], normal_[3], at[3], v[3];
    ff_rotation(q, r);
    ff_rotate(r, (double[]){0, 0, -9.81}, down);
    ff_rotate(r, (double[]){0, 0, 1}, normal_);
    ff_rotate(r, (double[]){0, 0, 0.1}, at);
    ff_rotate(r, (double[]){0.5, 0.5, 0}, v);
    ff_scene *scene = ff_scene_create();
    ff_scene_set_gravity(scene, down);
    add_ball(scene, "ball", 0.154, 0.0165, at, v);
    ff_plane_def floor = {.size = sizeof(ff_plane_def), .name = "floor"};
    memcpy(floor.normal, normal_, sizeof normal_);
    ff_scene_add_plane(scene, &floor);
    add_pair(scene, "ball", "floor", azad(), clutch(0.1));
    ff_model *model = compiled(scene), *plain = rolling(0.1);
    ff_sim *sim = started(model, FF_AUTO, 1e-10), *other = started(plain, FF_AUTO, 1e-10);
    go(sim, 0.5);
    go(other, 0.5);
    double seen[3];
    ff_rotate_back(r, ff_sim_body(sim, 0).position, seen);
    for (int c = 0; c < 3; c++) {
        assert_near(seen[c], ff_sim_body(other, 0).position[c], 1e-9);
    }
    finish(sim, model);
    finish(other, plain);
}

/* a ball moving with a belt behaves as on a floor at rest; the ledger contains the work of the belt */
static void test_belt(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    add_ball(scene, "ball", 0.154, 0.0165, (double[]){0, 0, 0.1}, (double[3]){0});
    ff_scene_add_plane(scene, &(ff_plane_def){.size = sizeof(ff_plane_def),
                                              .name = "belt",
                                              .normal = {0, 0, 1},
                                              .surface_velocity = {-0.5, -0.5, 0.3}});
    add_pair(scene, "ball", "belt", azad(), clutch(0.1));
    ff_model *model = compiled(scene), *plain = rolling(0.1);
    ff_sim *sim = started(model, FF_AUTO, 1e-10), *other = started(plain, FF_AUTO, 1e-10);
    go(sim, 1);
    go(other, 1);
    assert_near(ff_sim_body(sim, 0).position[0] + 0.5, ff_sim_body(other, 0).position[0], 1e-8);
    ff_ledger l = ff_sim_ledger(sim);
    assert_true(l.external < -1e-3 && fabs(l.residual) < 1e-9 * l.scale);
    finish(sim, model);
    finish(other, plain);
}

/* a rising floor hitting a ball is equivalent to a falling ball */
static void test_moving_plane(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    ff_scene_set_gravity(scene, (double[3]){0});
    add_ball(scene, "ball", 1, 0.1, (double[]){0, 0, 0.2}, (double[3]){0});
    ff_scene_add_plane(scene, &(ff_plane_def){.size = sizeof(ff_plane_def),
                                              .name = "floor",
                                              .normal = {0, 0, 1},
                                              .velocity = {0, 0, 1}});
    ff_normal law = normal("azad-featherstone", (double[]){1e6, 1e3, NAN, NAN});
    add_pair(scene, "ball", "floor", law, (ff_friction){0});
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, FF_AUTO, 1e-11);
    assert_near(next_event(sim, FF_TOUCHDOWN), 0.1, 1e-12);
    next_event(sim, FF_CLEAR);
    double e = ff_impact_restitution(&law, 1, 1);
    assert_near(ff_sim_body(sim, 0).velocity[2], 1 + e, 1e-9);
    assert_near(ff_sim_ledger(sim).residual, 0, 1e-10);
    assert_near(ff_sim_ledger(sim).external, -(1 + e), 1e-9);
    finish(sim, model);
}

/* ---- orders ---- */

/* the error of a state at `until` relative to a fine run, for a number of equal steps */
static double order_of(ff_model *model, ff_method method, double until, int coarse, size_t body) {
    double error[2], exact[3];
    ff_sim *sim = started(model, FF_DOPRI5, 1e-13);
    go(sim, until);
    memcpy(exact, ff_sim_body(sim, body).position, sizeof exact);
    ff_sim_free(sim);
    for (int fine = 0; fine < 2; fine++) {
        ff_run_options o = ff_run_options_default();
        o.method = method;
        o.dt = until / (coarse << fine);
        assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
        go(sim, until);
        ff_motion m = ff_sim_body(sim, body);
        error[fine] = fabs(m.position[0] - exact[0]) + fabs(m.position[1] - exact[1]) +
                      fabs(m.position[2] - exact[2]);
        ff_sim_free(sim);
    }
    return log2(error[0] / error[1]);
}

/* a mass on a spring with a damper, in space: smooth, and nonlinear because of its changing direction */
static ff_model *spring_scene(void) {
    ff_scene *scene = ff_scene_create();
    ff_body_def def = ff_body_def_default();
    def.name = "bob";
    def.mass = 1;
    def.locked = FF_LOCK_ROTATION;
    memcpy(def.position, (double[]){1, 0.2, 0}, sizeof def.position);
    memcpy(def.velocity, (double[]){0, 0.5, 1}, sizeof def.velocity);
    int body = ff_scene_add_body(scene, &def);
    ff_force_def spring = ff_force_def_default();
    spring.name = "spring";
    spring.kind = FF_FORCE_SPRING;
    spring.body = body;
    spring.stiffness = 10;
    spring.damping = 0.3;
    spring.rest = 0.8;
    assert_true(ff_scene_add_force(scene, &spring) >= 0);
    return compiled(scene);
}

static void test_methods_have_their_order(void **state) {
    (void)state;
    static const struct {
        ff_method method;
        double order;
    } methods[] = {{FF_EULER, 1}, {FF_SEMI_IMPLICIT, 1}, {FF_HEUN, 2}, {FF_RK4, 4}};
    ff_model *model = spring_scene();
    for (size_t i = 0; i < ROWS(methods); i++) {
        assert_near(order_of(model, methods[i].method, 2, 400, 0), methods[i].order, 0.15);
    }
    ff_model_free(model);
}

/* adaptive methods: the error decreases with the tolerance as expected */
static void test_error_follows_tolerance(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_DOPRI5, FF_DOP853, FF_AUTO, FF_ROSENBROCK, FF_TRAPEZOID};
    ff_model *model = spring_scene();
    ff_sim *sim = started(model, FF_DOPRI5, 1e-13);
    go(sim, 2);
    double exact = ff_sim_body(sim, 0).position[0];
    ff_sim_free(sim);
    for (size_t i = 0; i < ROWS(methods); i++) {
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            sim = started(model, methods[i], fine ? 1e-8 : 1e-5);
            go(sim, 2);
            error[fine] = fabs(ff_sim_body(sim, 0).position[0] - exact);
            /* a few hundred local errors of one sign, the most for the method of lowest order */
            assert_holds(error[fine] < (fine ? 3e-7 : 3e-4), "method %d: %g", methods[i],
                         error[fine]);
            ff_sim_free(sim);
        }
        assert_true(error[1] < 0.03 * error[0]);
    }
    ff_model_free(model);
}

/* Through touch-down, slip to stick, stick to slip and clamp of the p = 1/2 law: the velocity error after the
 * first bounce as a function of the number of steps, from a coarse to a fine tolerance. In plain time the square
 * root at touch-down would limit the order to 1.5. */
static void order_through_a_contact(ff_method method, double coarse, double fine_tol,
                                    double least) {
    ff_model *model = rolling(0);
    ff_sim *sim = started(model, FF_DOPRI5, 1e-13);
    go(sim, 0.2);
    ff_motion exact = ff_sim_body(sim, 0);
    ff_sim_free(sim);
    double error[2], steps[2];
    for (int fine = 0; fine < 2; fine++) {
        sim = started(model, method, fine ? fine_tol : coarse);
        go(sim, 0.2);
        ff_motion m = ff_sim_body(sim, 0);
        error[fine] = 0;
        for (int c = 0; c < 3; c++) {
            error[fine] = fmax(error[fine], fabs(m.velocity[c] - exact.velocity[c]));
        }
        steps[fine] = (double)ff_sim_statistics(sim).steps;
        ff_sim_free(sim);
    }
    double order = log(error[0] / error[1]) / log(steps[1] / steps[0]);
    assert_holds(order > least, "%s: order %g: errors %g, %g with %g, %g steps",
                 ff_method_name(method), order, error[0], error[1], steps[0], steps[1]);
    ff_model_free(model);
}

static void test_order_through_a_contact(void **state) {
    (void)state;
    order_through_a_contact(FF_DOPRI5, 1e-6, 1e-10, 4.5);
    order_through_a_contact(FF_DOP853, 1e-5, 1e-10, 7);
}

/* a viscous term causes a layer at z = 0 that no power of time removes: adaptive steps give an error proportional
 * to the tolerance */
static void test_error_follows_tolerance_with_viscous_slip(void **state) {
    (void)state;
    ff_model *model = rolling(0.1);
    ff_sim *sim = started(model, FF_DOPRI5, 1e-13);
    go(sim, 0.2);
    double exact = ff_sim_body(sim, 0).velocity[0];
    ff_sim_free(sim);
    for (double tol = 1e-6; tol > 1e-11; tol *= 0.1) {
        sim = started(model, FF_DOPRI5, tol);
        go(sim, 0.2);
        assert_near(ff_sim_body(sim, 0).velocity[0], exact, 3 * tol);
        ff_sim_free(sim);
    }
    ff_model_free(model);
}

/* ---- a pair without a scene, allocations, the same bits ---- */

/* A run of zero length has no duration to scale its first step. If a contact begins at its start, it still
 * proceeds, and can be saved. */
static void test_run_of_no_length(void **state) {
    (void)state;
    ff_model *model =
        ball_on_floor(0.154, 0.0165, 0.0165, (double[]){0.5, 0, -1}, 9.81, azad(), clutch(0));
    ff_run_options o = *ff_model_run(model);
    ff_sim *sim;
    o.until = 0;
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
    void *block = malloc(ff_sim_state_size(sim));
    ff_sim_save(sim, block);
    assert_int_equal(ff_sim_restore(sim, block, ff_sim_state_size(sim)), FF_OK);
    for (int i = 0; i < 1000 && ff_sim_time(sim) < 1e-3; i++) {
        assert_true(ff_sim_step(sim, 1e-3) >= 0);
    }
    assert_true(ff_sim_time(sim) == 1e-3);
    free(block);
    finish(sim, model);
}

/* a user's loop around one pair agrees with the scene, to the order of its own method */
static void test_contact_force_in_a_callers_loop(void **state) {
    (void)state;
    ff_normal n = azad();
    ff_friction f = clutch(0.1);
    double m = 0.154, r = 0.0165, h = 1e-7, z = 0.0166, vz = -1.2, vx = 0.5, w = 0, u = 0;
    ff_scene *scene = ff_scene_create();
    add_ball(scene, "ball", m, r, (double[]){0, 0, z}, (double[]){vx, 0, vz});
    add_floor(scene);
    add_pair(scene, "ball", "floor", n, f);
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, FF_AUTO, 1e-10);
    go(sim, 3e-3);
    for (int i = 0; i < 30000; i++) {
        double deflection[3] = {u}, u_rate[3];
        ff_contact_query q = {.depth = r - z, .rate = -vz, .slip = {vx - w * r}, .u = deflection};
        ff_contact_answer c = {.u_rate = u_rate};
        ff_contact_force(&n, &f, &q, &c);
        vz += h * (c.normal / m - 9.81);
        vx += h * c.friction[0] / m;
        w -= h * c.friction[0] * r / (0.4 * m * r * r);
        z += h * vz;
        u = r - z < 0 ? 0 : u + h * u_rate[0];
    }
    ff_motion want = ff_sim_body(sim, 0);
    assert_near(vz, want.velocity[2], 1e-3);
    assert_near(vx, want.velocity[0], 1e-4);
    finish(sim, model);
}

#if !defined(__SANITIZE_ADDRESS__) && defined(__GLIBC__)
/* wrapper of the C library's function with a counter; sanitizers have their own malloc and tests */
static long allocations;
void *__libc_malloc(size_t size);
void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

static void test_steps_allocate_nothing(void **state) {
    (void)state;
    ff_model *model = rolling(0.1);
    static const ff_method methods[] = {FF_AUTO,      FF_DOPRI5,     FF_DOP853,
                                        FF_TRAPEZOID, FF_ROSENBROCK, FF_RODAS};
    for (size_t i = 0; i < ROWS(methods); i++) {
        ff_sim *sim = started(model, methods[i], 1e-6);
        long before = allocations;
        go(sim, 1);
        ff_sim_observe(sim, 0.99999);
        ff_sim_ledger(sim);
        long after = allocations;
        assert_int_equal(after - before, 0);
        ff_sim_free(sim);
    }
    assert_true(allocations > 0);
    ff_model_free(model);
}
#define COUNTS_ALLOCATIONS 1
#endif

static void test_same_bits_twice(void **state) {
    (void)state;
    ff_model *model = rolling(0.1);
    ff_motion seen[2];
    for (int i = 0; i < 2; i++) {
        ff_sim *sim = started(model, FF_AUTO, 1e-9);
        go(sim, 1);
        seen[i] = ff_sim_body(sim, 0);
        ff_sim_free(sim);
    }
    assert_memory_equal(&seen[0], &seen[1], sizeof seen[0]);
    ff_model_free(model);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ledger_closes_for_every_normal_law),
    cmocka_unit_test(test_ledger_closes_for_every_friction_law),
    cmocka_unit_test(test_passive_clutch_regrades_nothing),
    cmocka_unit_test(test_release_is_what_the_spring_held),
    cmocka_unit_test(test_momentum_of_two_spheres),
    cmocka_unit_test(test_rigid_rotation_is_no_slip),
    cmocka_unit_test(test_free_rotation),
    cmocka_unit_test(test_orientation_of_a_spinning_ball),
    cmocka_unit_test(test_tilted_scene_is_the_same),
    cmocka_unit_test(test_belt),
    cmocka_unit_test(test_moving_plane),
    cmocka_unit_test(test_methods_have_their_order),
    cmocka_unit_test(test_error_follows_tolerance),
    cmocka_unit_test(test_order_through_a_contact),
    cmocka_unit_test(test_error_follows_tolerance_with_viscous_slip),
    cmocka_unit_test(test_contact_force_in_a_callers_loop),
    cmocka_unit_test(test_run_of_no_length),
#ifdef COUNTS_ALLOCATIONS
    cmocka_unit_test(test_steps_allocate_nothing),
#endif
    cmocka_unit_test(test_same_bits_twice),
};

CHECK_MAIN(tests)
