/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/inertia.h"
#include "body/vector.h"
#include "model/model.h"
#include "scene_text.h"

/* Mass, centre of mass and inertia of bodies made of several spheres. */

static ff_sim *run(const ff_model *model, double until) {
    ff_sim *sim;
    ff_status status;
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
    }
    assert_holds(status == FF_OK && ff_sim_verdict(sim) == FF_OK, "%s", ff_sim_error(sim));
    return sim;
}

/* two spheres: their masses are proportional to the cubes of their radii; about the centre of mass their inertia
 * is (2/5)(m1 r1^2 + m2 r2^2) along the line between them, and m1 m2/(m1 + m2) L^2 more across it */
static void test_two_spheres(void **state) {
    (void)state;
    ff_model *model =
        model_of_text("bodies:\n"
                      "  a: {mass: 9, shape: {spheres: [{center: [1, 0, 0], radius: 0.2}, "
                      "{center: [1, 0, 3], radius: 0.4}]}}\n");
    ff_body_facts f = ff_model_body_facts(model, 0);
    const double own = 0.4 * (1 * 0.04 + 8 * 0.16), across = own + 8.0 / 9 * 9;
    assert_near(f.center[0], 1, 1e-15);
    assert_near(f.center[1], 0, 0);
    assert_near(f.center[2], 8.0 / 3, 1e-15);
    assert_close(f.inertia[0], across, 1e-14);
    assert_close(f.inertia[1], across, 1e-14);
    assert_close(f.inertia[2], own, 1e-14);
    for (int c = 0; c < 3; c++) {
        assert_true(f.products[c] == 0);
    }
    ff_model_free(model);
}

/* three spheres of equal size, each on an axis: products of inertia by hand */
static void test_three_spheres(void **state) {
    (void)state;
    ff_model *model =
        model_of_text("bodies:\n"
                      "  a: {mass: 6, shape: {spheres: [{center: [3, 0, 0], radius: 0.5}, "
                      "{center: [0, 3, 0], radius: 0.5}, {center: [0, 0, 3], radius: 0.5}]}}\n");
    ff_body_facts f = ff_model_body_facts(model, 0);
    /* m = 2 each, d = (2, -1, -1) and so on: d^2 = 6; xx: 2 ((6 - 4) + (6 - 1) + (6 - 1)), xy: 2 (2 + 2 - 1) */
    for (int c = 0; c < 3; c++) {
        assert_near(f.center[c], 1, 1e-15);
        assert_close(f.inertia[c], 6 * 0.4 * 0.25 + 24, 1e-14);
        assert_close(f.products[c], 6, 1e-14);
    }
    ff_model_free(model);
}

/* spheres placed symmetrically about the origin are round and have their centre there, in spite of rounding */
static void test_even_spheres(void **state) {
    (void)state;
    ff_model *model = model_of_text(
        "parameters: {a: 0.1/3}\n"
        "bodies:\n"
        "  a: {mass: 0.7, lock: [rx], shape: {spheres: [{center: [a, a, a], radius: 0.01},\n"
        "      {center: [a, -a, -a], radius: 0.01}, {center: [-a, a, -a], radius: 0.01}, {center: "
        "[-a, -a, a], radius: 0.01}]}}\n"
        "  b: {mass: 0.7, shape: {spheres: [{center: [0.3, 0.1, 0.7], radius: 0.1}]}}\n");
    ff_body_facts f = ff_model_body_facts(model, 0);
    assert_true(model->bodies[0].round && !model->bodies[0].free_turning);
    assert_true(f.center[0] == 0 && f.center[1] == 0 && f.center[2] == 0);
    assert_close(f.inertia[0], 0.7 * (0.4e-4 + 2 * 0.01 / 9), 1e-14);
    /* a single sphere is round about its own centre, so its orientation does not matter */
    f = ff_model_body_facts(model, 1);
    assert_true(model->bodies[1].free_turning && f.center[2] == 0.7);
    assert_close(f.inertia[1], 0.7 * 0.4 * 0.01, 1e-14);
    assert_near(model->bodies[1].start[FF_P + 2], 0.7, 0);
    ff_model_free(model);
}

/* The angular momentum about the centre of mass in world axes, R I R^T omega. */
static void spin(const ff_model_body *b, const ff_motion *m, double out[3]) {
    double turn[3][3], own[3];
    ff_rotation(m->orientation, turn);
    ff_rotate_back(turn, m->omega, own);
    ff_rotate(b->inertia, own, own);
    ff_rotate(turn, own, out);
}

/* a body with products of inertia tumbles freely: energy, momentum and angular momentum are conserved, omega is
 * not */
static void test_tumbling(void **state) {
    (void)state;
    ff_model *model = model_of_text(
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  a: {mass: 2, position: [1, 2, 3], velocity: [0.1, 0, 0.2], omega: [3, 5, -2], "
        "orientation: [0.3, 0.1, -0.8, 0.2],\n"
        "      shape: {spheres: [{center: [0.1, 0, 0], radius: 0.05}, {center: [0, 0.2, "
        "0.1], radius: 0.07}, {center: [-0.1, 0.1, -0.3], radius: 0.04}]}}\n"
        "run: {tol: 1e-11}\n");
    const ff_model_body *b = &model->bodies[0];
    ff_sim *sim = run(model, 0);
    ff_motion first = ff_sim_body(sim, 0);
    double before[3], after[3], energy = ff_sim_ledger(sim).kinetic, turned = 0;
    spin(b, &first, before);
    ff_sim_free(sim);
    sim = run(model, 5);
    ff_motion last = ff_sim_body(sim, 0);
    spin(b, &last, after);
    /* about 1e4 local errors of 3e-13 of the scale */
    for (int c = 0; c < 3; c++) {
        assert_near(after[c], before[c], 1e-9 * sqrt(ff_dot(before, before)));
        assert_near(last.velocity[c], first.velocity[c], 1e-13);
        turned = fmax(turned, fabs(last.omega[c] - first.omega[c]));
    }
    assert_close(ff_sim_ledger(sim).kinetic, energy, 1e-9);
    assert_true(turned > 1);
    ff_sim_free(sim);
    ff_model_free(model);
}

/* The same body twice: with its mass properties from its shapes, or given explicitly about the centre of mass.
 * With a contact, a spring and, in turn, a joint of each formulation. */
static void test_written_out(void **state) {
    (void)state;
    /* radii 0.1 and 0.2: masses 1 and 8; the centre is 8/9 of the way from (0.3, 0, 0) to (-0.3, 0.45, 0.9) */
    static const char *const joints[] = {
        "",
        ("joints: {j: {revolute: {between: [world, a], axis: [0, 1, 0.2], anchor: [0, 0, 1.2], "
         "second_anchor: %s}}}\n"),
        "joints: {j: {spherical: {between: [a, b], anchor: %s, second_anchor: [0, 0, 0.5]}}}\n"};
    static const char shape[] = "shape: {spheres: [{center: [%.17g, %.17g, %.17g], radius: 0.1}, "
                                "{center: [%.17g, %.17g, %.17g], radius: 0.2}]}";
    const double centers[2][3] = {{0.3, 0, 0}, {-0.3, 0.45, 0.9}};
    double c[3], I[3][3];
    for (int i = 0; i < 3; i++) {
        c[i] = (centers[0][i] + 8 * centers[1][i]) / 9;
    }
    /* mu L^2 1 - mu L L^T with L between the centres and mu = 8/9, plus the spheres' own inertia */
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            double L[3];
            ff_add_scaled(centers[0], -1, centers[1], L);
            I[i][k] = (i == k) * (0.4 * (0.01 + 8 * 0.04) + 8.0 / 9 * ff_dot(L, L)) -
                      8.0 / 9 * L[i] * L[k];
        }
    }
    const double q[4] = {0.8, 0.36, 0.48, 0}, omega[3] = {0.5, -0.3, 0.4},
                 velocity[3] = {0.2, 0, 0};
    double turn[3][3], arm[3], swing[3];
    ff_rotation(q, turn);
    ff_rotate(turn, c, arm);
    ff_cross(omega, arm, swing);
    for (size_t j = 0; j < 2 * ROWS(joints) - 1; j++) {
        ff_motion end[2];
        for (int written = 0; written < 2; written++) {
            char text[4000], spheres[600], anchor[200], hinge[400], mass[400] = "";
            double s[3], p[3], v[3];
            for (int i = 0; i < 3; i++) {
                s[i] = written ? c[i] : 0;
                p[i] = (i == 2) * 1.0 + (written ? arm[i] : 0);
                v[i] = velocity[i] + (written ? swing[i] : 0);
            }
            snprintf(spheres, sizeof spheres, shape, centers[0][0] - s[0], centers[0][1] - s[1],
                     centers[0][2] - s[2], centers[1][0] - s[0], centers[1][1] - s[1],
                     centers[1][2] - s[2]);
            snprintf(anchor, sizeof anchor, "[%.17g, %.17g, %.17g]", 0.1 - s[0], 0.2 - s[1], -s[2]);
            if (written) {
                snprintf(mass, sizeof mass,
                         "inertia: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g], [%.17g, %.17g, "
                         "%.17g]],",
                         I[0][0], I[0][1], I[0][2], I[1][0], I[1][1], I[1][2], I[2][0], I[2][1],
                         I[2][2]);
            }
            const char *form = joints[(j + 1) / 2];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(hinge, sizeof hinge, form, anchor);
#pragma GCC diagnostic pop
            snprintf(text, sizeof text,
                     "bodies:\n"
                     "  a: {mass: 9, %s %s, position: [%.17g, %.17g, %.17g], velocity: [%.17g, "
                     "%.17g, %.17g],\n"
                     "      orientation: [0.8, 0.36, 0.48, 0], omega: [0.5, -0.3, 0.4]}\n"
                     "  b: {mass: 1, inertia: 0.1, position: [0, 0, 4]}\n"
                     "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
                     "pairs: [{between: [a, floor], normal: {law: hunt-crossley, k: 1e5, lambda: "
                     "1e5}, friction: {law: sat, mu: 0.3, k: 1e4, beta: 0.01}}]\n"
                     "forces: {s: {spring: {body: a, anchor: %s, to: world, to_anchor: [0, 0, 3], "
                     "stiffness: 30, rest: 0.1}}}\n"
                     "%srun: {tol: 1e-10, formulation: %s}\n",
                     mass, spheres, p[0], p[1], p[2], v[0], v[1], v[2], anchor, hinge,
                     j % 2 ? "articulated" : "maximal");
            ff_model *model = model_of_text(text);
            for (int i = 0; i < 9; i++) {
                assert_near(model->bodies[0].inertia[i / 3][i % 3], I[i / 3][i % 3], 1e-13);
            }
            ff_sim *sim = run(model, 0.5);
            end[written] = ff_sim_body(sim, 0);
            ff_sim_free(sim);
            ff_model_free(model);
        }
        /* initial rounding, 1e-16, is amplified by contacts, and steps at tol 1e-10 end differently */
        for (int i = 0; i < 3; i++) {
            assert_near(end[0].position[i], end[1].position[i], 1e-8);
            assert_near(end[0].velocity[i], end[1].velocity[i], 1e-7);
            assert_near(end[0].omega[i], end[1].omega[i], 1e-6);
        }
    }
}

/* a rotated matrix is symmetric up to rounding */
static void test_symmetric_but_for_rounding(void **state) {
    (void)state;
    double a[3][3] = {{2, 0.1, 0.2}, {0.1 * (1 + 4e-16), 3, 0.3}, {0.2, 0.3 - 1e-16, 4}};
    assert_true(ff_inertia_mend(a) && a[0][1] == a[1][0] && a[1][2] == a[2][1]);
    double off[3][3] = {{2, 0.1, 0.2}, {0.1 + 1e-9, 3, 0.3}, {0.2, 0.3, 4}};
    assert_false(ff_inertia_mend(off));
    double no[3][3] = {{2, NAN, 0.2}, {0.1, 3, 0.3}, {0.2, 0.3, 4}};
    assert_false(ff_inertia_mend(no));
    ff_model *model = model_of_text(
        "bodies: {a: {mass: 1, inertia: [[2, 0.1, 0], [0.10000000000000003, 3, 0], [0, 0, 4]]},\n"
        "         b: {mass: 1, inertia: [0.3, 0.1*3, 0.9/3], lock: [ry]}}\n");
    assert_true(model->bodies[0].inertia[0][1] == model->bodies[0].inertia[1][0]);
    assert_true(model->bodies[1].round);
    ff_model_free(model);
    assert_says("bodies: {a: {mass: 1, inertia: [[2, 0.1, 0], [0.11, 3, 0], [0, 0, 4]]}}\n",
                "s.yaml:1:32: inertia of body 'a' must be symmetric\n");
    ff_scene *scene = ff_scene_create();
    ff_body_def def = ff_body_def_default();
    ff_error error = {""};
    def.name = "a";
    def.mass = 1;
    memcpy(def.inertia, off, sizeof off);
    assert_int_equal(ff_scene_add_body(scene, &def), 0);
    assert_int_equal(ff_model_create(scene, &model, &error), FF_BAD_VALUE);
    assert_string_equal(error.text, "inertia of body 'a' is not symmetric");
    ff_scene_free(scene);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_two_spheres),  cmocka_unit_test(test_three_spheres),
    cmocka_unit_test(test_even_spheres), cmocka_unit_test(test_tumbling),
    cmocka_unit_test(test_written_out),  cmocka_unit_test(test_symmetric_but_for_rounding),
};

CHECK_MAIN(tests)
