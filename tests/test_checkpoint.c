/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

#define _POSIX_C_SOURCE 200809L
/* A run that goes on from a file ends in the bits of one that was not disturbed. */

#include "check.h"
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

static void assert_same(const ff_sim *a, const ff_sim *b, size_t bodies) {
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
            if (ff_sim_create(model, &o, &whole) < 0) {
                /* a method that is not built */
                ff_model_free(model);
                continue;
            }
            assert_int_equal(ff_sim_create(model, &o, &part), FF_OK);
            int step = 0, written = 0;
            while (ff_sim_time(part) < o.until) {
                assert_true(ff_sim_step(part, o.until) >= 0);
                /* after 1, 2, 4, 8 ... steps */
                if (++step == 1 << written) {
                    written++;
                    assert_int_equal(ff_checkpoint_write(path, part, "here", 5, NULL), FF_OK);
                    void *extra;
                    size_t size;
                    assert_int_equal(ff_sim_create(model, &o, &next), FF_OK);
                    assert_int_equal(ff_checkpoint_read(path, next, &extra, &size, NULL), FF_OK);
                    assert_int_equal(size, 5);
                    assert_string_equal(extra, "here");
                    free(extra);
                    ff_sim_free(part);
                    part = next;
                }
            }
            assert_true(written >= 3);
            /* multistep methods begin anew at a checkpoint, in the writing run, too: the same steps there */
            step = written = 0;
            while (ff_sim_time(whole) < o.until) {
                assert_true(ff_sim_step(whole, o.until) >= 0);
                if (++step == 1 << written) {
                    written++;
                    assert_int_equal(ff_checkpoint_write(path, whole, NULL, 0, NULL), FF_OK);
                }
            }
            assert_same(whole, part, ff_model_body_count(model));
            ff_sim_free(whole);
            ff_sim_free(part);
            ff_model_free(model);
        }
    }
}

/* one-step methods do not even notice that a checkpoint is written */
static void test_writing_changes_nothing(void **state) {
    (void)state;
    ff_model *model = load("rolling", NULL, 0);
    ff_sim *a, *b;
    assert_int_equal(ff_sim_create(model, NULL, &a), FF_OK);
    assert_int_equal(ff_sim_create(model, NULL, &b), FF_OK);
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
    assert_int_equal(ff_sim_create(model, NULL, &sim), FF_OK);
    assert_int_equal(ff_sim_create(other, NULL, &heavy), FF_OK);
    assert_int_equal(ff_sim_create(model, &o, &loose), FF_OK);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_scene_and_method),
        cmocka_unit_test(test_writing_changes_nothing),
        cmocka_unit_test(test_refusals),
    };
    int file = mkstemp(path);
    close(file);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
