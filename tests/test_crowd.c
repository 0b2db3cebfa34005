/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Scenes of many spheres: closed forms, conservation, convergence, and the same bits with other numbers of
 * threads. */

#include "check.h"
#include "crowd/parts.h"
#include "law/params.h"
#include <footfall/footfall.h>
#include <stdlib.h>
#include <string.h>

/* ---- scenes ---- */

/* Pairs far away that never meet turn any scene into a crowd. */
static void add_bystanders(ff_scene *scene) {
    for (int i = 0; i < 60; i++) {
        char name[32];
        ff_body_def body = ff_body_def_default();
        snprintf(name, sizeof name, "grains[%d]", 1000 + i);
        body.name = name;
        body.mass = 1;
        body.position[0] = 100 + i;
        body.position[2] = 1000;
        ff_scene_add_sphere(scene, ff_scene_add_body(scene, &body), NULL, (double[3]){0}, 0.01);
    }
}

static int add_grain(ff_scene *scene, int number, double mass, double radius, const double p[3],
                     const double v[3], const double omega[3]) {
    char name[32];
    ff_body_def body = ff_body_def_default();
    snprintf(name, sizeof name, "grains[%d]", number);
    body.name = name;
    body.mass = mass;
    memcpy(body.position, p, sizeof body.position);
    memcpy(body.velocity, v, sizeof body.velocity);
    memcpy(body.omega, omega, sizeof body.omega);
    int index = ff_scene_add_body(scene, &body);
    ff_scene_add_sphere(scene, index, NULL, (double[3]){0}, radius);
    return index;
}

static ff_model *compile(ff_scene *scene, ff_method method, double dt) {
    ff_run_options o = ff_run_options_default();
    ff_model *model = NULL;
    ff_error error = {""};
    o.method = method;
    o.events = method == FF_AUTO;
    o.tol = 1e-12;
    o.dt = dt;
    ff_scene_set_run(scene, &o);
    if (ff_model_create(scene, &model, &error) < 0) {
        fail_msg("%s", error.text);
    }
    ff_scene_free(scene);
    return model;
}

static ff_sim *start(const ff_model *model, int threads) {
    ff_sim *sim;
    ff_run_options o = *ff_model_run(model);
    o.threads = threads;
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
    return sim;
}

static ff_pair_def pair_of(const char *a, const char *b, const char *normal, double k,
                           double lambda, double mu) {
    ff_pair_def pair = {.size = sizeof(ff_pair_def), .a = a, .b = b};
    double values[FF_LAW_PARAMS] = {k, lambda};
    for (size_t i = 2; i < FF_LAW_PARAMS; i++) {
        values[i] = NAN;
    }
    assert_int_equal(ff_normal_make(&pair.normal, ff_normal_law_find(normal), values, NULL), FF_OK);
    if (mu > 0) {
        ff_friction_make(&pair.friction, ff_friction_law_find("clutch"),
                         (double[]){mu, k, lambda, 0, NAN, NAN, NAN}, NULL);
    }
    return pair;
}

/* ---- closed forms ---- */

/* Two spheres collide with a relative speed of 1. */
static ff_model *meeting(double k, double lambda, double mu, double offset, double spin,
                         ff_method method, double dt) {
    ff_scene *scene = ff_scene_create();
    ff_scene_set_gravity(scene, (double[3]){0});
    double way = sqrt(0.02 * 0.02 - offset * offset) + 1e-4;
    add_grain(scene, 0, 0.01, 0.01, (double[]){0, 0, 0}, (double[]){0.7, 0, 0},
              (double[]){0, 0, spin});
    add_grain(scene, 1, 0.02, 0.01, (double[]){way, offset, 0}, (double[]){-0.3, 0, 0},
              (double[]){0, spin, 0});
    add_bystanders(scene);
    ff_pair_def pair = pair_of("grains", "grains", "azad-featherstone", k, lambda, mu);
    ff_scene_add_pair(scene, &pair);
    return compile(scene, method, dt);
}

static void test_head_on(void **state) {
    (void)state;
    /* the separation speed is e times the approach speed, with e from the theory of one impact */
    ff_model *model = meeting(1e7, 500, 0, 0, 0, FF_VERLET, 2e-7);
    ff_sim *sim = start(model, 1);
    ff_normal law = pair_of("a", "b", "azad-featherstone", 1e7, 500, 0).normal;
    double e = ff_impact_restitution(&law, 0.01 * 0.02 / 0.03, 1);
    assert_int_equal(ff_sim_advance(sim, 2e-3), FF_OK);
    double va = ff_sim_body(sim, 0).velocity[0], vb = ff_sim_body(sim, 1).velocity[0];
    assert_near(vb - va, e, 1e-6);
    /* momentum to rounding */
    assert_near(0.01 * va + 0.02 * vb, 0.01 * 0.7 - 0.02 * 0.3, 1e-16);
    ff_sim_free(sim);
    ff_model_free(model);
}

static void test_oblique(void **state) {
    (void)state;
    /* with friction there is no closed form: conserved quantities are conserved, and the rest agrees with located
     * events at 1e-12, up to 3e-7 with this step, and half of that or less with half the step */
    ff_motion end[2][2];
    for (int turn = 0; turn < 2; turn++) {
        ff_model *model = meeting(1e7, 500, 0.3, 0.008, 40, turn ? FF_AUTO : FF_VERLET, 1e-7);
        ff_sim *sim = start(model, 1);
        while (ff_sim_advance(sim, 2e-3) == FF_EVENT) {
        }
        for (size_t i = 0; i < 2; i++) {
            end[turn][i] = ff_sim_body(sim, i);
        }
        double p[3] = {0}, l[3] = {0};
        for (size_t i = 0; i < 2; i++) {
            const ff_motion *m = &end[turn][i];
            double mass = i ? 0.02 : 0.01, inertia = 0.4 * mass * 1e-4;
            for (int c = 0; c < 3; c++) {
                int d = (c + 1) % 3, f = (c + 2) % 3;
                p[c] += mass * m->velocity[c];
                l[c] += mass * (m->position[d] * m->velocity[f] - m->position[f] * m->velocity[d]) +
                        inertia * m->omega[c];
            }
        }
        /* momentum, and the initial angular momentum of the spheres, 1e-4 kg m^2/s in its parts, up to a rounding
         * in each of 20,000 steps */
        assert_near(p[0], 0.001, 1e-15);
        assert_near(p[1], 0, 1e-15);
        assert_near(l[2], 0.4 * 0.01 * 1e-4 * 40 + 0.02 * 0.008 * 0.3, 3e-16);
        ff_sim_free(sim);
        ff_model_free(model);
    }
    for (size_t i = 0; i < 2; i++) {
        for (int c = 0; c < 3; c++) {
            assert_near(end[0][i].velocity[c], end[1][i].velocity[c], 1e-6);
            assert_near(end[0][i].omega[c], end[1][i].omega[c], 1e-6 / 0.01);
        }
    }
}

static void test_column(void **state) {
    (void)state;
    /* a column at rest: contact j carries the n - j spheres above it, k z^(3/2) = (n - j) m g */
    enum { n = 20 };
    const double r = 0.01, m = 0.01, k = 1e6, g = 9.81;
    ff_scene *scene = ff_scene_create();
    double z[n], height = 0;
    for (int j = 0; j < n; j++) {
        double depth = pow((n - j) * m * g / k, 2.0 / 3);
        height += (j ? 2 * r : r) - depth;
        z[j] = height;
        add_grain(scene, j, m, r, (double[]){0, 0, height + 1e-6}, (double[3]){0}, (double[3]){0});
    }
    for (int i = 0; i < 60; i++) {
        /* bystanders that fall forever */
        add_grain(scene, 1000 + i, m, r, (double[]){100 + i, 0, 1000}, (double[3]){0},
                  (double[3]){0});
    }
    ff_scene_add_plane(
        scene, &(ff_plane_def){.size = sizeof(ff_plane_def), .name = "floor", .normal = {0, 0, 1}});
    ff_pair_def pair = pair_of("grains", "*", "azad-featherstone", k, 3e3, 0);
    ff_scene_add_pair(scene, &pair);
    ff_model *model = compile(scene, FF_VERLET, 1e-5);
    ff_sim *sim = start(model, 1);
    assert_int_equal(ff_sim_advance(sim, 2), FF_OK);
    for (int j = 0; j < n; j++) {
        assert_near(ff_sim_body(sim, (size_t)j).position[2], z[j], 1e-9);
        assert_near(ff_sim_body(sim, (size_t)j).velocity[2], 0, 1e-6);
        /* contact below carries n - j spheres, contact above n - j - 1; to 1e-6: the remaining motion */
        char path[64];
        double force;
        size_t field;
        snprintf(path, sizeof path, "bodies.grains[%d].normal_force", j);
        assert_int_equal(ff_model_field_find(model, path, &field, NULL, NULL), FF_OK);
        assert_int_equal(ff_sim_get(sim, field, &force), FF_OK);
        assert_near(force / ((2 * (n - j) - 1) * m * g), 1, 1e-6);
    }
    ff_sim_free(sim);
    ff_model_free(model);
}

/* The sum of normal forces agrees with the motion: for one sphere on a plane without friction, N = m (a + g), with
 * a from the velocities of neighbouring steps; also after a restore, and at other steps than those of earlier
 * queries. */
static void test_normal_force(void **state) {
    (void)state;
    const double m = 0.01, h = 1e-6, g = 9.81;
    ff_scene *scene = ff_scene_create();
    add_grain(scene, 0, m, 0.01, (double[]){0, 0, 0.0101}, (double[]){0, 0, -1}, (double[3]){0});
    add_bystanders(scene);
    ff_scene_add_plane(
        scene, &(ff_plane_def){.size = sizeof(ff_plane_def), .name = "floor", .normal = {0, 0, 1}});
    ff_pair_def pair = pair_of("grains", "*", "azad-featherstone", 1e6, 1e3, 0);
    ff_scene_add_pair(scene, &pair);
    ff_model *model = compile(scene, FF_VERLET, h);
    ff_run_options o = *ff_model_run(model);
    ff_crowd *crowd;
    o.threads = 1;
    assert_int_equal(ff_crowd_create(model, &o, &crowd), FF_OK);
    assert_true(ff_crowd_normal_force(crowd, 0) == 0);
    double before = -1, force = 0, most = 0, kept = 0;
    const size_t size = ff_crowd_state_size(crowd);
    void *block = malloc(2 * size);
    size_t saved = 0;
    for (int i = 0; i < 3000; i++) {
        assert_int_equal(ff_crowd_step(crowd, 1), FF_OK);
        const double v = ff_crowd_body(crowd, 0).velocity[2], now = ff_crowd_normal_force(crowd, 0);
        /* verlet moves a body by the mean of the forces at both ends of a step; a difference of velocities of 1
         * m/s over 1e-6 s has a rounding of 2e-10 m/s^2, or 2e-12 N for 10 g */
        const double wanted = m * ((v - before) / h + g);
        assert_near((now + force) / 2, wanted, 1e-9 * now + 1e-11);
        if (now > most && !saved) {
            saved = ff_crowd_state_size(crowd);
            assert_true(saved <= 2 * size);
            ff_crowd_save(crowd, block);
            kept = now;
        }
        most = fmax(most, now);
        before = v;
        force = now;
    }
    assert_true(most > 1 && ff_crowd_normal_force(crowd, 1) == 0);
    assert_int_equal(ff_crowd_restore(crowd, block, saved), FF_OK);
    assert_true(ff_crowd_normal_force(crowd, 0) == kept);
    free(block);
    ff_crowd_free(crowd);
    ff_model_free(model);
}

static void test_landing(void **state) {
    (void)state;
    /* friction acts at the lever r for velocity and moment alike: m r v + I w is conserved, and a rolling sphere
     * has v = r w, so v = 5/7 v0 + 2/7 r w0, whatever its bounces */
    const double r = 0.0165, m = 0.154, v0 = 0.5, w0 = 100;
    for (int method = 0; method < 2; method++) {
        ff_scene *scene = ff_scene_create();
        add_grain(scene, 0, m, r, (double[]){0, 0, 0.02}, (double[]){v0, 0, 0},
                  (double[]){0, w0, 0});
        add_bystanders(scene);
        ff_scene_add_plane(
            scene,
            &(ff_plane_def){.size = sizeof(ff_plane_def), .name = "floor", .normal = {0, 0, 1}});
        ff_pair_def pair = pair_of("grains", "*", "azad-featherstone", 8.5e6, 3.1e3, 0.2);
        ff_scene_add_pair(scene, &pair);
        ff_model *model = compile(scene, method ? FF_SEMI_IMPLICIT : FF_VERLET, 5e-6);
        ff_sim *sim = start(model, 1);
        assert_int_equal(ff_sim_advance(sim, 1.5), FF_OK);
        ff_motion end = ff_sim_body(sim, 0);
        double rolling = 5.0 / 7 * v0 + 2.0 / 7 * r * w0;
        assert_near(end.velocity[0], rolling, 1e-9);
        assert_near(end.omega[1], rolling / r, 1e-7);
        assert_near(end.velocity[1], 0, 1e-12);
        ff_sim_free(sim);
        ff_model_free(model);
    }
}

static void test_forces_and_locks(void **state) {
    (void)state;
    /* a constant force does work along the path; a locked axis does not move */
    ff_scene *scene = ff_scene_create();
    ff_body_def body = ff_body_def_default();
    ff_force_def force = ff_force_def_default();
    ff_scene_set_gravity(scene, (double[]){0, 0, -9.81});
    body.name = "cart";
    body.mass = 2;
    body.locked = FF_LOCK_Z | FF_LOCK_ROTATION;
    int cart = ff_scene_add_body(scene, &body);
    ff_scene_add_sphere(scene, cart, NULL, (double[3]){0}, 0.1);
    add_bystanders(scene);
    force.name = "pull";
    force.kind = FF_FORCE_CONSTANT;
    force.body = cart;
    force.force[0] = 3;
    force.force[2] = 5;
    assert_int_equal(ff_scene_add_force(scene, &force), 0);
    ff_pair_def pair = pair_of("grains", "grains", "azad-featherstone", 1e6, 300, 0);
    ff_scene_add_pair(scene, &pair);
    ff_model *model = compile(scene, FF_VERLET, 1e-3);
    ff_sim *sim = start(model, 1);
    assert_int_equal(ff_sim_advance(sim, 2), FF_OK);
    ff_motion end = ff_sim_body(sim, 0);
    assert_near(end.position[0], 0.5 * 1.5 * 4, 1e-12);
    assert_near(end.velocity[0], 3, 1e-12);
    assert_true(end.position[2] == 0 && end.velocity[2] == 0);
    ff_ledger l = ff_sim_ledger(sim);
    assert_near(l.external, -3 * end.position[0], 1e-12);
    assert_near(l.residual, 0, 1e-12 * l.scale);
    ff_sim_free(sim);
    ff_model_free(model);
}

/* ---- a heap ---- */

enum { HEAP = 400 };

/* spheres of two sizes fall into a box with a belt as floor and one wall that moves inward */
static ff_model *heap(ff_method method, double dt) {
    ff_scene *scene = ff_scene_create();
    check_seed = 7;
    for (int i = 0; i < HEAP; i++) {
        double shift[3] = {uniform(0, 1e-3), uniform(0, 1e-3), uniform(0, 1e-3)};
        double r = i % 3 ? 0.01 : 0.012;
        add_grain(scene, i, 2500 * 4.19 * r * r * r, r,
                  (double[]){0.026 * (i % 5) + 0.014 + shift[0],
                             0.026 * (i / 5 % 5) + 0.014 + shift[1], 0.026 * (i / 25) + 0.014},
                  (double[3]){0}, (double[3]){0, 0, 10 * shift[2]});
    }
    static const double normals[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    static const char *const names[5] = {"floor", "left", "right", "front", "back"};
    for (int i = 0; i < 5; i++) {
        ff_plane_def plane = {.size = sizeof(ff_plane_def), .name = names[i]};
        for (int c = 0; c < 3; c++) {
            plane.normal[c] = normals[i][c];
            plane.point[c] = normals[i][c] < 0 ? 0.132 : 0;
        }
        plane.surface_velocity[1] = i ? 0 : 0.1;
        plane.velocity[0] = i == 2 ? -0.02 : 0;
        ff_scene_add_plane(scene, &plane);
    }
    ff_pair_def pair = pair_of("grains", "grains", "azad-featherstone", 1e6, 300, 0.4);
    ff_scene_add_pair(scene, &pair);
    pair = pair_of("grains", "*", "hunt-crossley", 2e6, 1e6, 0.3);
    pair.friction.values[2] = 300; /* damping */
    ff_friction_make(&pair.friction, pair.friction.law, pair.friction.values, NULL);
    ff_scene_add_pair(scene, &pair);
    return compile(scene, method, dt);
}

static void test_same_bits_with_threads(void **state) {
    (void)state;
    ff_model *model = heap(FF_VERLET, 2e-5);
    ff_motion first[HEAP];
    ff_ledger ledger = {0};
    static const int numbers[] = {1, 2, 3, 5, 8};
    for (size_t k = 0; k < ROWS(numbers); k++) {
        const int threads = numbers[k];
        ff_sim *sim = start(model, threads);
        assert_int_equal(ff_sim_advance(sim, 0.1), FF_OK);
        assert_true(ff_sim_statistics(sim).contacts > 100);
        for (size_t i = 0; i < HEAP; i++) {
            ff_motion m = ff_sim_body(sim, i);
            if (threads == 1) {
                first[i] = m;
            }
            assert_memory_equal(&m, &first[i], sizeof m);
        }
        ff_ledger l = ff_sim_ledger(sim);
        if (threads == 1) {
            ledger = l;
        }
        assert_memory_equal(&l, &ledger, sizeof l);
        ff_sim_free(sim);
    }
    ff_model_free(model);
}

enum { EDGE = 32, PACKED = EDGE * EDGE * EDGE, MIXED = 20 };

/* Touching spheres of two kinds in rows, in a box, with random velocities. Walls are the first class, contacts of spheres of
 * the same kind, and of both kinds, are the others. */
static ff_model *packed(ff_method method) {
    ff_scene *scene = ff_scene_create();
    const double r = 0.01, pitch = 1.995 * r;
    check_seed = 11;
    for (int i = 0; i < PACKED; i++) {
        char name[32];
        ff_body_def body = ff_body_def_default();
        snprintf(name, sizeof name, "%s[%d]", i % MIXED ? "grains" : "stones",
                 i % MIXED ? i - i / MIXED - 1 : i / MIXED);
        body.name = name;
        body.mass = 0.01;
        for (int c = 0, n = i; c < 3; c++, n /= EDGE) {
            body.position[c] = pitch * (n % EDGE + 0.5);
            body.velocity[c] = uniform(-2, 2);
            body.omega[c] = uniform(-50, 50);
        }
        ff_scene_add_sphere(scene, ff_scene_add_body(scene, &body), NULL, (double[3]){0}, r);
    }
    for (int i = 0; i < 6; i++) {
        ff_plane_def plane = {.size = sizeof(ff_plane_def)};
        char name[32];
        snprintf(name, sizeof name, "walls[%d]", i);
        plane.name = name;
        plane.normal[i / 2] = i % 2 ? -1 : 1;
        plane.point[i / 2] = i % 2 ? EDGE * pitch : 0;
        ff_scene_add_plane(scene, &plane);
    }
    const char *const pairs[][2] = {
        {"*", "walls"}, {"grains", "grains"}, {"grains", "stones"}, {"stones", "stones"}};
    for (size_t i = 0; i < ROWS(pairs); i++) {
        ff_pair_def pair = pair_of(pairs[i][0], pairs[i][1], "azad-featherstone", 1e6, 300, 0.4);
        ff_scene_add_pair(scene, &pair);
    }
    return compile(scene, method, 1e-5);
}

/* so many contacts that each thread follows its own bodies */
static void test_same_bits_with_strands(void **state) {
    (void)state;
    for (int method = 0; method < 2; method++) {
        ff_model *model = packed(method ? FF_SEMI_IMPLICIT : FF_VERLET);
        ff_crowd *one = NULL;
        /* contacts of grains with grains, and with stones; small sections are not divided */
        static const int numbers[] = {1, 2, 3, 10}, divided[] = {0, 2, 1, 1};
        for (size_t k = 0; k < ROWS(numbers); k++) {
            ff_run_options o = *ff_model_run(model);
            ff_crowd *crowd;
            o.threads = numbers[k];
            assert_int_equal(ff_crowd_create(model, &o, &crowd), FF_OK);
            int leads = 0;
            for (size_t i = 0; i < crowd->strand_count; i++) {
                leads += crowd->strands[i].leads;
            }
            assert_int_equal(leads, divided[k]);
            while (ff_crowd_time(crowd) < 1e-3) {
                assert_int_equal(ff_crowd_step(crowd, 1e-3), FF_OK);
            }
            one = one ? one : crowd;
            assert_true(crowd->now.searches > 2 && crowd->now.contacts > PACKED / 2);
            assert_int_equal(crowd->now.searches, one->now.searches);
            for (size_t i = 0; i < PACKED; i++) {
                ff_motion m = ff_crowd_body(one, i), n = ff_crowd_body(crowd, i);
                assert_memory_equal(&m, &n, sizeof m);
            }
            ff_ledger a = ff_crowd_ledger(one, NULL), b = ff_crowd_ledger(crowd, NULL);
            assert_memory_equal(&a, &b, sizeof a);
            if (crowd != one) {
                ff_crowd_free(crowd);
            }
        }
        ff_crowd_free(one);
        ff_model_free(model);
    }
}

static void test_ledger_closes_with_order(void **state) {
    (void)state;
    /* from the same start over the same time: a heap is chaotic, but its energy is not */
    for (int method = 0; method < 2; method++) {
        double residual[3];
        for (int i = 0; i < 3; i++) {
            ff_model *model = heap(method ? FF_SEMI_IMPLICIT : FF_VERLET, 2e-5 / (1 << i));
            ff_sim *sim = start(model, 2);
            assert_int_equal(ff_sim_advance(sim, 0.08), FF_OK);
            ff_ledger l = ff_sim_ledger(sim);
            residual[i] = fabs(l.residual / l.scale);
            /* the belt and the wall do work */
            assert_true(l.external != 0 && l.slip > 0 && l.normal_damper > 0);
            ff_sim_free(sim);
            ff_model_free(model);
        }
        double order = log2(residual[0] / residual[2]) / 2;
        if (method) {
            assert_in_range(order * 100, 70, 130);
        } else {
            assert_in_range(order * 100, 160, 240);
            assert_true(residual[2] < 1e-4);
        }
    }
}

/* the k-th step ends at k dt, not at a sum of steps, and there is no tiny last step */
static void test_times_of_steps(void **state) {
    (void)state;
    ff_model *model = heap(FF_VERLET, 1e-5);
    ff_sim *sim = start(model, 1);
    for (int k = 1; k <= 1000; k++) {
        assert_int_equal(ff_sim_step(sim, 0.01), FF_OK);
        assert_true(ff_sim_time(sim) == k * 1e-5);
    }
    assert_true(ff_sim_time(sim) == 0.01 && ff_sim_statistics(sim).steps == 1000);
    ff_sim_free(sim);
    ff_model_free(model);
}

static void test_save_and_restore(void **state) {
    (void)state;
    ff_model *model = heap(FF_VERLET, 2e-5);
    ff_sim *sim = start(model, 1), *other = start(model, 2);
    assert_int_equal(ff_sim_advance(sim, 0.05), FF_OK);
    size_t size = ff_sim_state_size(sim);
    void *block = malloc(size);
    ff_sim_save(sim, block);
    assert_int_equal(ff_sim_advance(sim, 0.09), FF_OK);
    assert_int_equal(ff_sim_restore(other, block, size - 1), FF_BAD_VALUE);
    assert_int_equal(ff_sim_restore(other, block, 3), FF_BAD_VALUE);
    assert_int_equal(ff_sim_restore(other, block, size), FF_OK);
    /* a ledger is queried immediately */
    assert_true(ff_sim_ledger(other).normal_spring > 0);
    assert_int_equal(ff_sim_advance(other, 0.09), FF_OK);
    for (size_t i = 0; i < HEAP; i++) {
        ff_motion a = ff_sim_body(sim, i), b = ff_sim_body(other, i);
        assert_memory_equal(&a, &b, sizeof a);
    }
    ff_ledger a = ff_sim_ledger(sim), b = ff_sim_ledger(other);
    assert_memory_equal(&a, &b, sizeof a);
    free(block);
    ff_sim_free(sim);
    ff_sim_free(other);
    ff_model_free(model);
}

/* Contacts processed while bodies are still being moved give the same bits as moving all bodies first, also if one
 * step throws two of them farther than slots reach: 1e12 N/m^1.5 at a depth of 1e-5 m on 10 g is 3e6 m/s^2. */
static void test_contacts_that_follow(void **state) {
    (void)state;
    ff_model *models[] = {heap(FF_VERLET, 2e-5), meeting(1e12, 0, 0, 0, 0, FF_VERLET, 1e-4),
                          meeting(1e12, 0, 0, 0, 0, FF_SEMI_IMPLICIT, 1e-4)};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        ff_crowd *a, *b;
        ff_run_options o = *ff_model_run(models[m]);
        o.threads = 1;
        assert_int_equal(ff_crowd_create(models[m], &o, &a), FF_OK);
        assert_int_equal(ff_crowd_create(models[m], &o, &b), FF_OK);
        for (int i = 0; i < 500; i++) {
            /* with unknown speeds all bodies are moved first */
            b->fastest = INFINITY;
            assert_int_equal(ff_crowd_step(a, 1), FF_OK);
            assert_int_equal(ff_crowd_step(b, 1), FF_OK);
            assert_memory_equal(&a->now, &b->now, sizeof a->now);
            assert_memory_equal(a->places, b->places, a->bodies * sizeof *a->places);
        }
        ff_crowd_free(a);
        ff_crowd_free(b);
        ff_model_free(models[m]);
    }
}

/* Bodies may be reordered in memory at any time: forces continue, with friction in the same direction; only sums
 * are rounded in another order. */
static void test_order_of_bodies(void **state) {
    (void)state;
    ff_model *model = heap(FF_VERLET, 2e-5);
    ff_crowd *a, *b;
    ff_run_options o = *ff_model_run(model);
    o.threads = 1;
    assert_int_equal(ff_crowd_create(model, &o, &a), FF_OK);
    assert_int_equal(ff_crowd_create(model, &o, &b), FF_OK);
    for (int i = 0; i < 4000; i++) {
        assert_int_equal(ff_crowd_step(a, 1), FF_OK);
        assert_int_equal(ff_crowd_step(b, 1), FF_OK);
    }
    assert_true(ff_crowd_contacts(a) > 50);
    ff_ledger held = ff_crowd_ledger(b, NULL);
    assert_true(held.tangential_spring > 0);
    int32_t from[HEAP];
    for (int32_t i = 0; i < HEAP; i++) {
        int32_t j = (int32_t)uniform(0, i + 1);
        from[i] = from[j];
        from[j] = i;
    }
    assert_int_equal(ff_crowd_reorder(b, from), FF_OK);
    /* the search must not restore the order */
    b->now.searches = b->now.searches / 32 * 32 + 1;
    assert_int_equal(ff_crowd_search(b), FF_OK);
    ff_crowd_look(b);
    int moved = 0;
    for (size_t i = 0; i < HEAP; i++) {
        ff_motion m = ff_crowd_body(a, i), n = ff_crowd_body(b, i);
        assert_memory_equal(&m, &n, sizeof m);
        moved += a->rank[i] != b->rank[i];
    }
    assert_true(moved > HEAP / 2);
    assert_close(ff_crowd_ledger(b, NULL).tangential_spring, held.tangential_spring, 1e-13);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(ff_crowd_step(a, 1), FF_OK);
        assert_int_equal(ff_crowd_step(b, 1), FF_OK);
    }
    assert_int_equal(ff_crowd_contacts(a), ff_crowd_contacts(b));
    for (size_t i = 0; i < HEAP; i++) {
        ff_motion m = ff_crowd_body(a, i), n = ff_crowd_body(b, i);
        for (int c = 0; c < 3; c++) {
            /* rounding of sums, over twenty steps at the rates of contacts */
            assert_near(m.velocity[c], n.velocity[c], 1e-12);
            assert_near(m.omega[c], n.omega[c], 1e-10);
        }
    }
    ff_crowd_free(a);
    ff_crowd_free(b);
    ff_model_free(model);
}

/* every instruction set gives the same bits */
static void test_instruction_sets(void **state) {
    (void)state;
    ff_model *model = heap(FF_VERLET, 2e-5);
    ff_crowd *a, *b;
    ff_run_options o = *ff_model_run(model);
    o.threads = 1;
    assert_int_equal(ff_crowd_create(model, &o, &a), FF_OK);
    assert_int_equal(ff_crowd_create(model, &o, &b), FF_OK);
    a->work = &ff_work_plain;
    for (int i = 0; i < 4000; i++) {
        assert_int_equal(ff_crowd_step(a, 1), FF_OK);
        assert_int_equal(ff_crowd_step(b, 1), FF_OK);
    }
    assert_true(ff_crowd_contacts(a) > 50);
    for (size_t i = 0; i < HEAP; i++) {
        ff_motion m = ff_crowd_body(a, i), n = ff_crowd_body(b, i);
        assert_memory_equal(&m, &n, sizeof m);
    }
    ff_crowd_free(a);
    ff_crowd_free(b);
    ff_model_free(model);
}

/* ---- refused options ---- */

static void test_refusals(void **state) {
    (void)state;
    ff_error error;
    ff_model *model;
    ff_sim *sim;
    ff_scene *scene = ff_scene_create();
    for (int i = 0; i < 300; i++) {
        add_grain(scene, i, 1, 0.01, (double[]){i, 0, 0}, (double[3]){0}, (double[3]){0});
    }
    ff_pair_def pair = pair_of("grains", "grains", "azad-featherstone", 1e6, 300, 0);
    ff_scene_add_pair(scene, &pair);
    /* a crowd with unsupported features */
    ff_run_options o = ff_run_options_default();
    o.events = false;
    o.method = FF_VERLET;
    ff_scene_set_run(scene, &o);
    ff_body_def body = ff_body_def_default();
    body.name = "box";
    body.mass = 1;
    ff_scene_add_box(scene, ff_scene_add_body(scene, &body), (double[]){1, 1, 1}, 0.1);
    assert_int_equal(ff_model_create(scene, &model, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "one sphere"));
    ff_scene_free(scene);
    /* another method than that of the model */
    model = heap(FF_VERLET, 1e-5);
    o.method = FF_RK4;
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_BAD_VALUE);
    o.method = FF_VERLET;
    o.events = true;
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_BAD_VALUE);
    ff_model_free(model);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_head_on),
    cmocka_unit_test(test_oblique),
    cmocka_unit_test(test_column),
    cmocka_unit_test(test_normal_force),
    cmocka_unit_test(test_landing),
    cmocka_unit_test(test_forces_and_locks),
    cmocka_unit_test(test_same_bits_with_threads),
    cmocka_unit_test(test_same_bits_with_strands),
    cmocka_unit_test(test_ledger_closes_with_order),
    cmocka_unit_test(test_times_of_steps),
    cmocka_unit_test(test_save_and_restore),
    cmocka_unit_test(test_contacts_that_follow),
    cmocka_unit_test(test_order_of_bodies),
    cmocka_unit_test(test_instruction_sets),
    cmocka_unit_test(test_refusals),
};

CHECK_MAIN(tests)
