/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

#define _POSIX_C_SOURCE 200809L
/* A run that goes on from a file ends in the bits of one that was not disturbed. */

#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <footfall/footfall.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/footfall-checkpoint-XXXXXX";

static ff_model *load(const char *name, const char *const *settings, size_t count) {
    char file[512];
    ff_scene *scene;
    ff_model *model;
    snprintf(file, sizeof file, FF_SOURCE_DIR "/scenes/%s.yaml", name);
    assert_int_equal(ff_scene_read(file, settings, count, &scene, NULL), FF_OK);
    assert_int_equal(ff_model_create(scene, &model, NULL), FF_OK);
    ff_scene_free(scene);
    return model;
}

static ff_status finish(ff_sim *sim, double until) {
    ff_status status;
    while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
    }
    return status;
}

static void assert_same(ff_sim *a, ff_sim *b, size_t bodies) {
    ff_ledger la = ff_sim_ledger(a), lb = ff_sim_ledger(b);
    ff_statistics sa = ff_sim_statistics(a), sb = ff_sim_statistics(b);
    assert_memory_equal(&la, &lb, sizeof la);
    for (size_t i = 0; i < bodies; i++) {
        ff_motion ma = ff_sim_body(a, i), mb = ff_sim_body(b, i);
        assert_memory_equal(&ma, &mb, sizeof ma);
    }
    assert_true(sa.steps == sb.steps && sa.evaluations == sb.evaluations &&
                sa.rejected == sb.rejected && sa.events == sb.events && sa.switches == sb.switches);
}

/* at many moments of every scene, with every method: after a step, at an event, in between two at one instant */
static void test_every_scene_and_method(void **state) {
    (void)state;
    static const char *const scenes[] = {"bounce", "collision", "foot", "rolling", "xiong1"};
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++) {
        for (int method = 0; method < FF_METHODS; method++) {
            ff_model *model = load(scenes[s], NULL, 0);
            ff_run_options o = *ff_model_run(model);
            o.method = (ff_method)method;
            o.tol = 1e-6;
            o.dt = 2e-5;
            o.until = 0.25;
            ff_sim *whole, *part, *next;
            assert_int_equal(ff_sim_create(model, &o, &whole, NULL), FF_OK);
            assert_int_equal(ff_sim_create(model, &o, &part, NULL), FF_OK);
            int step = 0, written = 0;
            while (ff_sim_time(part) < o.until) {
                assert_true(ff_sim_step(part, o.until) >= 0);
                /* after 1, 2, 4, 8 ... steps */
                if (++step == 1 << written) {
                    written++;
                    assert_int_equal(ff_checkpoint_write(path, part, "here", 5, NULL), FF_OK);
                    void *extra;
                    size_t size;
                    assert_int_equal(ff_sim_create(model, &o, &next, NULL), FF_OK);
                    assert_int_equal(ff_checkpoint_read(path, next, &extra, &size, NULL), FF_OK);
                    assert_int_equal(size, 5);
                    assert_string_equal(extra, "here");
                    free(extra);
                    ff_sim_free(part);
                    part = next;
                }
            }
            assert_true(written >= 3);
            assert_int_equal(finish(whole, o.until), FF_OK);
            assert_same(whole, part, ff_model_body_count(model));
            ff_sim_free(whole);
            ff_sim_free(part);
            ff_model_free(model);
        }
    }
}

/* writing a checkpoint changes no bit of the run that goes on */
static void test_writing_changes_nothing(void **state) {
    (void)state;
    ff_model *model = load("rolling", NULL, 0);
    ff_sim *a, *b;
    assert_int_equal(ff_sim_create(model, NULL, &a, NULL), FF_OK);
    assert_int_equal(ff_sim_create(model, NULL, &b, NULL), FF_OK);
    assert_int_equal(finish(a, 1), FF_OK);
    while (ff_sim_time(b) < 1) {
        assert_true(ff_sim_step(b, 1) >= 0);
        if (ff_sim_statistics(b).steps % 100 == 0) {
            assert_int_equal(ff_checkpoint_write(path, b, NULL, 0, NULL), FF_OK);
        }
    }
    assert_same(a, b, 1);
    ff_sim_free(a);
    ff_sim_free(b);
    ff_model_free(model);
}

static void put(const char *data, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

static void refuse(ff_sim *sim, const char *why) {
    ff_error error = {""};
    assert_int_equal(ff_checkpoint_read(path, sim, NULL, NULL, &error), FF_BAD_VALUE);
    if (!strstr(error.text, why)) {
        fail_msg("'%s' does not say '%s'", error.text, why);
    }
}

static void test_refusals(void **state) {
    (void)state;
    ff_model *model = load("rolling", NULL, 0);
    ff_model *other = load("rolling", (const char *const[]){"bodies.ball.mass=155 g"}, 1);
    ff_sim *sim, *heavy, *loose;
    ff_error error = {""};
    ff_run_options o = *ff_model_run(model);
    o.tol = 1e-5;
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    assert_int_equal(ff_sim_create(other, NULL, &heavy, NULL), FF_OK);
    assert_int_equal(ff_sim_create(model, &o, &loose, NULL), FF_OK);
    ff_sim_step(sim, 1);
    assert_int_equal(ff_checkpoint_write(path, sim, NULL, 0, NULL), FF_OK);
    refuse(heavy, "another scene");
    refuse(loose, "another scene, method or tolerance");
    /* every bit counts */
    static char data[100000];
    FILE *file = fopen(path, "rb");
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    assert_true(size > 100 && size < sizeof data);
    for (int turn = 0; turn < 200; turn++) {
        size_t at = (size_t)uniform(24, (double)size);
        data[at] ^= 1;
        put(data, size);
        refuse(sim, "damaged");
        data[at] ^= 1;
    }
    put(data, size - 9);
    refuse(sim, "damaged");
    put(data, 10);
    refuse(sim, "no checkpoint");
    put("bodies:\n", 8);
    refuse(sim, "no checkpoint");
    put(data, size);
    assert_int_equal(ff_checkpoint_read(path, sim, NULL, NULL, NULL), FF_OK);
    unlink(path);
    refuse(sim, "No such file");
    assert_int_equal(ff_checkpoint_write("/nowhere/at/all", sim, NULL, 0, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "/nowhere/at/all: No such file"));
    ff_sim_free(sim);
    ff_sim_free(heavy);
    ff_sim_free(loose);
    ff_model_free(model);
    ff_model_free(other);
}

/* A file for a state laid out in another way has a sum that is right: only its layout and its version tell. */
static void test_other_builds(void **state) {
    (void)state;
    enum { VERSION = 24, LAYOUT = 48 }; /* places in the head, after 24 bytes of magic */
    static char data[100000];
    ff_model *model = load("rolling", NULL, 0);
    ff_sim *sim;
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    assert_int_equal(ff_checkpoint_write(path, sim, NULL, 0, NULL), FF_OK);
    FILE *file = fopen(path, "rb");
    size_t size = fread(data, 1, sizeof data, file), body = size - sizeof(uint64_t);
    fclose(file);
    assert_true(size < sizeof data && strcmp(data + VERSION, ff_version()) == 0);
    static const size_t places[] = {VERSION, VERSION + 4, LAYOUT, LAYOUT + 7};
    for (size_t i = 0; i <= ROWS(places); i++) {
        if (i < ROWS(places)) {
            data[places[i]] ^= 1;
        }
        /* FNV-1a of all before the sum */
        uint64_t sum = 0xcbf29ce484222325u;
        for (size_t k = 0; k < body; k++) {
            sum = (sum ^ (unsigned char)data[k]) * 0x100000001b3u;
        }
        memcpy(data + body, &sum, sizeof sum);
        put(data, size);
        if (i < ROWS(places)) {
            refuse(sim, "another version or build");
            data[places[i]] ^= 1;
        } else {
            assert_int_equal(ff_checkpoint_read(path, sim, NULL, NULL, NULL), FF_OK);
        }
    }
    ff_sim_free(sim);
    ff_model_free(model);
}

/* ---- what a run depends on ---- */

/* Two balls on a slide and a floor, under one force, with these laws. */
static ff_model *pushed(const ff_force_def *force, ff_normal n, ff_friction f) {
    ff_scene *scene = ff_scene_create();
    for (int i = 0; i < 2; i++) {
        ff_body_def def = ff_body_def_default();
        def.name = i ? "second" : "first";
        def.mass = 1;
        def.position[0] = i;
        def.position[2] = 0.2;
        assert_int_equal(ff_scene_add_body(scene, &def), i);
        assert_true(ff_scene_add_sphere(scene, i, NULL, (double[3]){0}, 0.1) >= 0);
    }
    ff_joint_def slide = ff_joint_def_default();
    slide.name = "slide";
    slide.kind = FF_JOINT_PRISMATIC;
    slide.first = -1;
    slide.second = 1;
    memcpy(slide.axis, (double[]){0, 1, 0}, sizeof slide.axis);
    memcpy(slide.anchor, (double[]){1, 0, 0.2}, sizeof slide.anchor);
    assert_true(ff_scene_add_joint(scene, &slide) >= 0);
    assert_true(ff_scene_add_plane(scene, &(ff_plane_def){.name = "floor", .normal = {0, 0, 1}}) >=
                0);
    ff_pair_def pair = {.a = "first", .b = "floor", .normal = n, .friction = f};
    assert_true(ff_scene_add_pair(scene, &pair) >= 0);
    if (force) {
        assert_true(ff_scene_add_force(scene, force) >= 0);
    }
    ff_model *model;
    ff_error error = {""};
    if (ff_model_create(scene, &model, &error) != FF_OK) {
        fail_msg("%s", error.text);
    }
    ff_scene_free(scene);
    return model;
}

/* fails unless the checkpoint of a run of `ours` is refused by one of `other`, and only by that */
static void assert_distinct(ff_model *ours, ff_model *other, const char *what, size_t which) {
    ff_sim *a, *b;
    ff_error error = {""};
    assert_int_equal(ff_sim_create(ours, NULL, &a, NULL), FF_OK);
    assert_int_equal(ff_sim_create(other, NULL, &b, NULL), FF_OK);
    assert_int_equal(ff_checkpoint_write(path, a, NULL, 0, NULL), FF_OK);
    assert_int_equal(ff_checkpoint_read(path, a, NULL, NULL, NULL), FF_OK);
    assert_holds(ff_checkpoint_read(path, b, NULL, NULL, &error) == FF_BAD_VALUE,
                 "%s, number %zu: a run with another value goes on from the file", what, which);
    assert_non_null(strstr(error.text, "another scene"));
    ff_sim_free(a);
    ff_sim_free(b);
    ff_model_free(ours);
    ff_model_free(other);
}

static ff_normal hertz(void) {
    ff_normal out;
    assert_int_equal(ff_normal_init(&out, ff_normal_law_find("azad-featherstone"),
                                    (double[]){1e6, 1e3, NAN, NAN}, NULL),
                     FF_OK);
    return out;
}

/* every number of a force, another one at a time */
static void test_forces_count(void **state) {
    (void)state;
#define AT(kind, field)                                                                            \
    { kind, offsetof(ff_force_def, field) }
    static const struct {
        ff_force_kind kind;
        size_t at;
    } numbers[] = {AT(FF_FORCE_CONSTANT, force[0]),
                   AT(FF_FORCE_CONSTANT, force[1]),
                   AT(FF_FORCE_CONSTANT, force[2]),
                   AT(FF_FORCE_CONSTANT, torque[0]),
                   AT(FF_FORCE_CONSTANT, torque[1]),
                   AT(FF_FORCE_CONSTANT, torque[2]),
                   AT(FF_FORCE_CONSTANT, from),
                   AT(FF_FORCE_CONSTANT, to),
                   AT(FF_FORCE_TABLE, force[0]),
                   AT(FF_FORCE_SPRING, anchor[0]),
                   AT(FF_FORCE_SPRING, anchor[2]),
                   AT(FF_FORCE_SPRING, other_anchor[1]),
                   AT(FF_FORCE_SPRING, stiffness),
                   AT(FF_FORCE_SPRING, damping),
                   AT(FF_FORCE_SPRING, rest),
                   AT(FF_FORCE_PD, kp),
                   AT(FF_FORCE_PD, kd),
                   AT(FF_FORCE_PD, target[0]),
                   AT(FF_FORCE_PD, target[1]),
                   AT(FF_FORCE_PD, target[2]),
                   AT(FF_FORCE_PD, target_from)};
#undef AT
    double times[] = {0, 1, 2}, factors[] = {0, 1, 0}, other_times[] = {0, 1.5, 2},
           other_factors[] = {0, 1, 0.5};
    ff_friction none = {0};
    for (size_t i = 0; i < ROWS(numbers) + 7; i++) {
        ff_force_def f = ff_force_def_default();
        f.name = "force";
        f.kind = i < ROWS(numbers) ? numbers[i].kind : FF_FORCE_TABLE;
        f.body = 0;
        f.force[0] = f.stiffness = f.kp = f.axis[0] = 1;
        f.from = 0.25;
        f.to = 8;
        f.points = 3;
        f.times = times;
        f.factors = factors;
        ff_force_def other = f;
        ff_model *ours;
        if (i < ROWS(numbers)) {
            *(double *)((char *)&other + numbers[i].at) += 0.5;
        } else if (i == ROWS(numbers)) {
            other.times = other_times;
        } else if (i == ROWS(numbers) + 1) {
            other.factors = other_factors;
        } else if (i == ROWS(numbers) + 2) {
            other.body = 1;
        } else if (i == ROWS(numbers) + 3) {
            other.kind = FF_FORCE_CONSTANT;
        } else if (i == ROWS(numbers) + 4) {
            f.kind = other.kind = FF_FORCE_SPRING;
            other.other = 1;
        } else if (i == ROWS(numbers) + 5) {
            f.kind = other.kind = FF_FORCE_PD;
            memcpy(other.axis, (double[]){0, 0, 1}, sizeof other.axis);
        } else {
            f.joint = other.joint = 0;
            f.body = other.body = -1;
            memset(f.force, 0, sizeof f.force);
            memset(other.force, 0, sizeof other.force);
            f.effort = 1;
            other.effort = 2;
        }
        ours = pushed(&f, hertz(), none);
        assert_distinct(ours, pushed(&other, hertz(), none), "force", i);
    }
    ff_force_def f = ff_force_def_default();
    f.name = "force";
    f.body = 0;
    f.force[0] = 1;
    assert_distinct(pushed(&f, hertz(), none), pushed(NULL, hertz(), none), "no force", 0);
}

/* every parameter of every law of friction */
static void test_friction_counts(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double values[FF_LAW_PARAMS];
    } laws[] = {{"coulomb", {0.2, 1e-3}},
                {"bengisu-akay", {0.25, 0.2, 1e-3, 100}},
                {"dahl", {0.2, 1e5}},
                {"lugre", {0.2, 1e5, 10, 0.01}},
                {"clutch", {0.2, 12.75e6, 3.1e3, 0.1, 0, 0, 0}},
                {"sat", {0.2, 1e5, 1e-4}}};
    for (size_t i = 0; i < ROWS(laws); i++) {
        const ff_friction_law *law = ff_friction_law_find(laws[i].name);
        for (size_t k = 0; k < FF_LAW_PARAMS && law->params[k].name; k++) {
            ff_friction ours, other;
            double values[FF_LAW_PARAMS];
            memcpy(values, laws[i].values, sizeof values);
            assert_int_equal(ff_friction_init(&ours, law, values, NULL), FF_OK);
            values[k] = values[k] == 0 ? 1 : 1.125 * values[k];
            assert_int_equal(ff_friction_init(&other, law, values, NULL), FF_OK);
            assert_distinct(pushed(NULL, hertz(), ours), pushed(NULL, hertz(), other), laws[i].name,
                            k);
        }
    }
}

/* ---- a sim that has been used ---- */

/* A sim that has observed a time inside its last step is restored: it answers for the state it has now, and there is no
 * last step to look into. */
static void test_restored_is_seen(void **state) {
    (void)state;
    ff_model *model = load("bounce", NULL, 0);
    ff_sim *early, *late;
    assert_int_equal(ff_sim_create(model, NULL, &early, NULL), FF_OK);
    assert_int_equal(ff_sim_create(model, NULL, &late, NULL), FF_OK);
    assert_int_equal(finish(late, 0.2), FF_OK);
    assert_int_equal(ff_checkpoint_write(path, late, NULL, 0, NULL), FF_OK);
    assert_int_equal(finish(early, 0.1), FF_OK);
    double from = ff_sim_time(early);
    assert_true(ff_sim_step(early, 0.11) >= 0 && ff_sim_time(early) > from);
    double inside = (from + ff_sim_time(early)) / 2;
    ff_motion now = ff_sim_body(early, 0);
    ff_sim_observe(early, inside);
    ff_motion seen = ff_sim_body(early, 0);
    assert_memory_not_equal(&seen, &now, sizeof now);
    assert_int_equal(ff_checkpoint_read(path, early, NULL, NULL, NULL), FF_OK);
    assert_same(early, late, 1);
    ff_sim_observe(early, inside);
    assert_same(early, late, 1);
    ff_sim_free(early);
    ff_sim_free(late);
    ff_model_free(model);
}

/* ---- the disk ---- */

/* the system's, but that it can fail, and looks whether the file has its name already */
static int synced, early_name;
static bool disk_fails;
FF_API int fsync(int file) {
    synced++;
    early_name += access(path, F_OK) == 0;
    errno = disk_fails ? EIO : 0;
    return disk_fails || fcntl(file, F_GETFD) < 0 ? -1 : 0;
}

/* A checkpoint is on the disk before it takes the place of the one before it; where the disk fails, that one stays. */
static void test_on_the_disk(void **state) {
    (void)state;
    ff_model *model = load("bounce", NULL, 0);
    ff_sim *sim;
    ff_error error = {""};
    char left[sizeof path + 4];
    snprintf(left, sizeof left, "%s.new", path);
    unlink(path);
    synced = early_name = 0;
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    assert_int_equal(ff_checkpoint_write(path, sim, NULL, 0, NULL), FF_OK);
    assert_true(synced == 1 && early_name == 0 && access(path, F_OK) == 0);
    assert_int_equal(finish(sim, 0.1), FF_OK);
    disk_fails = true;
    assert_int_equal(ff_checkpoint_write(path, sim, NULL, 0, &error), FF_BAD_VALUE);
    disk_fails = false;
    assert_non_null(strstr(error.text, strerror(EIO)));
    assert_true(access(left, F_OK) != 0);
    assert_int_equal(ff_checkpoint_read(path, sim, NULL, NULL, NULL), FF_OK);
    assert_true(ff_sim_time(sim) == 0);
    ff_sim_free(sim);
    ff_model_free(model);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_scene_and_method),
        cmocka_unit_test(test_writing_changes_nothing),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_other_builds),
        cmocka_unit_test(test_forces_count),
        cmocka_unit_test(test_friction_counts),
        cmocka_unit_test(test_restored_is_seen),
        cmocka_unit_test(test_on_the_disk),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    int file = mkstemp(path);
    close(file);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
