/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "motion.h"
#include <stdlib.h>

/* Random scenes with several contacts: every ledger closes and every run ends. FF_SWEEP_SEED and FF_SWEEP_COUNT in
 * the environment select others and more of them; a failing scene is identified by both. */

static int pick(int count) { return (int)uniform(0, count); }

static void around(double size, double out[3]) {
    for (int c = 0; c < 3; c++) {
        out[c] = uniform(-size, size);
    }
}

/* impact time of the bodies here, for laws whose parameters are times */
static const double shallow = 1.0 / 30;

static ff_normal any_normal(double k, bool *linear) {
    int which = pick(7);
    *linear = which == 2 || which == 3 || which == 6;
    double time = sqrt(1 / (k * shallow));
    switch (which) {
    case 0:
        return normal("azad-featherstone", (double[]){k, k * log_uniform(1e-4, 1e-2), NAN, NAN});
    case 1: return normal("hunt-crossley", (double[]){k, k * log_uniform(0.03, 1), NAN, NAN, NAN});
    case 2:
        return normal("linear", (double[]){k * shallow, sqrt(k * shallow) * log_uniform(0.05, 0.8),
                                           NAN, NAN});
    case 3:
        return normal("marhefka-orin",
                      (double[]){k * shallow, log_uniform(0.03, 1), NAN, NAN, NAN});
    case 4: return normal("tsuji", (double[]){k, sqrt(k) * log_uniform(0.1, 1), NAN, NAN});
    case 5: return normal("hertz", (double[]){k, NAN, NAN});
    default:
        return normal("xiong",
                      (double[]){k * shallow, time * 0.3, time * log_uniform(0.35, 2), NAN});
    }
}

static ff_friction any_friction(double k, bool linear) {
    double mu = uniform(0.05, 1.5), kt = linear ? k * shallow : k;
    switch (pick(6)) {
    case 0:
        return friction("clutch", (double[]){mu, 1.5 * kt, kt * log_uniform(3e-4, 3e-3), 0,
                                             (double)pick(2), NAN, NAN});
    case 1: return friction("sat", (double[]){mu, k * shallow, log_uniform(1e-4, 1e-3)});
    case 2: return friction("coulomb", (double[]){mu, log_uniform(1e-3, 1e-1)});
    case 3:
        return friction("lugre",
                        (double[]){mu, log_uniform(300, 1e4), log_uniform(0.05, 0.5), NAN});
    case 4: return friction("dahl", (double[]){mu, log_uniform(300, 1e4)});
    default: return friction("none", NULL);
    }
}

static void add_plane(ff_scene *scene, const char *name, double x, double y, double z) {
    double length = sqrt(x * x + y * y + z * z);
    assert_true(ff_scene_add_plane(
                    scene, &(ff_plane_def){.size = sizeof(ff_plane_def),
                                           .name = name,
                                           .normal = {x / length, y / length, z / length}}) >= 0);
}

static int add_turned(ff_scene *scene, double mass, double height, double inertia) {
    ff_body_def def = ff_body_def_default();
    def.name = "a";
    def.mass = mass;
    def.position[2] = height;
    around(1, def.velocity);
    around(5, def.omega);
    around(1, def.orientation + 1);
    if (inertia > 0) {
        memcpy(def.inertia,
               (double[3][3]){{inertia, 0, 0}, {0, 1.2 * inertia, 0}, {0, 0, 1.4 * inertia}},
               sizeof def.inertia);
    }
    return ff_scene_add_body(scene, &def);
}

static void add_spinning(ff_scene *scene, const char *name, const double at[3], double speed) {
    ff_body_def def = ff_body_def_default();
    def.name = name;
    def.mass = 0.1;
    memcpy(def.position, at, sizeof def.position);
    around(speed, def.velocity);
    around(20, def.omega);
    int body = ff_scene_add_body(scene, &def);
    assert_true(ff_scene_add_sphere(scene, body, NULL, (double[]){0, 0, 0}, 0.02) >= 0);
}

static const char *const kinds[] = {"groove", "box",   "box in a groove", "union",
                                    "bowl",   "stack", "dumbbell",        "slope"};

static ff_scene *any_scene(int kind) {
    ff_scene *scene = ff_scene_create();
    double k = log_uniform(1e5, 1e9);
    bool linear;
    ff_normal law = any_normal(k, &linear);
    ff_friction rub = any_friction(k, linear);
    int body;
    switch (kind) {
    case 0:
        add_plane(scene, "left", 1, uniform(-0.4, 0.4), uniform(0.4, 2));
        add_plane(scene, "right", -1, uniform(-0.4, 0.4), uniform(0.4, 2));
        add_spinning(scene, "a", (double[]){uniform(-0.02, 0.02), 0, uniform(0.08, 0.3)}, 1);
        break;
    case 1:
    case 2:
        add_plane(scene, "left", kind == 1 ? uniform(-0.5, 0.5) : 1, uniform(-0.5, 0.5), 1);
        if (kind == 2) {
            add_plane(scene, "right", -1, uniform(-0.4, 0.4), uniform(0.4, 2));
        }
        body = add_turned(scene, 1, kind == 1 ? 0.25 : 0.45, 0);
        assert_true(
            ff_scene_add_box(scene, body, (double[]){0.1, uniform(0.05, 0.15), 0.15}, 0.005) >= 0);
        break;
    case 3:
        add_plane(scene, "floor", uniform(-0.5, 0.5), uniform(-0.5, 0.5), 1);
        body = add_turned(scene, 0.5, 0.3, 6e-4);
        for (int i = 0, count = 2 + pick(5); i < count; i++) {
            char name[16];
            double centre[3];
            snprintf(name, sizeof name, "s%d", i);
            around(0.05, centre);
            assert_true(ff_scene_add_sphere(scene, body, name, centre, uniform(0.01, 0.03)) >= 0);
        }
        break;
    case 4:
        for (int i = 0; i < 4; i++) {
            char name[16];
            double angle = 1.5708 * i + 0.3;
            snprintf(name, sizeof name, "w%d", i);
            add_plane(scene, name, cos(angle), sin(angle), 1.2);
        }
        for (int i = 0, count = 2 + pick(3); i < count; i++) {
            char name[16];
            snprintf(name, sizeof name, "b%d", i);
            double at[3] = {uniform(-0.01, 0.01) + 0.05 * (i % 2), 0.05 * (i / 2), 0.2 + 0.05 * i};
            add_spinning(scene, name, at, 0.3);
        }
        break;
    case 5:
        add_floor(scene);
        for (int i = 0; i < 3; i++) {
            char name[16];
            snprintf(name, sizeof name, "b%d", i);
            double at[3] = {uniform(-1e-3, 1e-3), uniform(-1e-3, 1e-3), 0.0205 + 0.041 * i};
            add_spinning(scene, name, at, 0);
        }
        break;
    case 6:
        add_plane(scene, "floor", uniform(-0.5, 0.5), uniform(-0.5, 0.5), 1);
        body = add_turned(scene, 0.3, 0.25, 4e-4);
        assert_true(ff_scene_add_sphere(scene, body, "l", (double[]){-0.05, 0, 0}, 0.01) >= 0);
        assert_true(ff_scene_add_sphere(scene, body, "r", (double[]){0.05, 0, 0}, 0.01) >= 0);
        break;
    default: {
        double angle = uniform(0.05, 0.7);
        add_plane(scene, "floor", sin(angle), 0, cos(angle));
        add_ball(scene, "a", 0.2, 0.02, (double[]){0.02 * sin(angle), 0, 0.02 * cos(angle)},
                 (double[]){0, 0, 0});
    }
    }
    add_pair(scene, "*", "*", law, rub);
    return scene;
}

static long from_environment(const char *name, long usual) {
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : usual;
}

static void test_random_scenes(void **state) {
    (void)state;
    const long seed = from_environment("FF_SWEEP_SEED", 1);
    const long count = from_environment("FF_SWEEP_COUNT", 400);
    int failed = 0;
    for (long i = 0; i < count; i++) {
        check_seed = 0x9e3779b97f4a7c15u * (uint64_t)(1000003 * seed + i + 1);
        int kind = pick((int)ROWS(kinds));
        ff_model *model = compiled(any_scene(kind));
        ff_sim *sim = started(model, FF_AUTO, 1e-9);
        ff_status status;
        /* half a second: most touch for the first time after a fifth of a second */
        while ((status = ff_sim_advance(sim, 0.5)) == FF_EVENT) {
        }
        ff_ledger l = ff_sim_ledger(sim);
        double part = fabs(l.residual) / l.scale;
        if (status != FF_OK || !(part <= 1e-6)) {
            print_error("seed %ld, scene %ld, %s: %s %s at %g s, residual %.1e of scale\n", seed, i,
                        kinds[kind], ff_status_text(status), ff_sim_error(sim), ff_sim_time(sim),
                        part);
            failed++;
        }
        finish(sim, model);
    }
    assert_int_equal(failed, 0);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_scenes)};

CHECK_MAIN(tests)
