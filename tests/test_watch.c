/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "motion.h"

/* Interrupted steps: the run is unchanged and continues unaffected. */

typedef struct {
    long asked, every; /* returns true after this many calls */
} watcher;

static bool wanted(void *user) {
    watcher *w = user;
    return ++w->asked % w->every == 0;
}

static void test_steps_are_broken_off(void **state) {
    (void)state;
    for (int method = 0; method < FF_METHODS; method++) {
        ff_model *model = rolling(0.1);
        ff_run_options o = *ff_model_run(model);
        ff_sim *plain, *watched;
        watcher w = {0, 7};
        long stops = 0;
        o.method = (ff_method)method;
        o.tol = 1e-8;
        o.dt = 2e-6;
        o.until = 0.14;
        assert_int_equal(ff_sim_create(model, &o, &plain, NULL), FF_OK);
        assert_int_equal(ff_sim_create(model, &o, &watched, NULL), FF_OK);
        ff_sim_watch(watched, wanted, &w);
        while (ff_sim_advance(plain, o.until) == FF_EVENT) {
        }
        for (ff_status status = FF_EVENT; status > 0;) {
            double before = ff_sim_time(watched);
            ff_motion at = ff_sim_body(watched, 0);
            status = ff_sim_step(watched, o.until);
            if (status == FF_STOPPED) {
                ff_motion same = ff_sim_body(watched, 0);
                assert_true(ff_sim_time(watched) == before);
                assert_memory_equal(&at, &same, sizeof at);
                stops++;
            }
            status = status == FF_OK && ff_sim_time(watched) < o.until ? FF_EVENT : status;
        }
        assert_true(stops > 0 && ff_sim_time(watched) == o.until);
        ff_motion a = ff_sim_body(plain, 0), b = ff_sim_body(watched, 0);
        assert_memory_equal(&a, &b, sizeof a);
        assert_int_equal(ff_sim_statistics(watched).evaluations,
                         ff_sim_statistics(plain).evaluations);
        assert_int_equal(ff_sim_verdict(watched), FF_OK);
        ff_sim_free(plain);
        finish(watched, model);
    }
}

/* a function that always interrupts has no effect after it is replaced */
static void test_advance_ends_at_once(void **state) {
    (void)state;
    ff_model *model = rolling(0.1);
    ff_sim *sim = started(model, FF_DOPRI5, 1e-9);
    watcher w = {0, 1};
    ff_sim_watch(sim, wanted, &w);
    assert_int_equal(ff_sim_advance(sim, 1), FF_STOPPED);
    assert_true(ff_sim_time(sim) == 0 && w.asked == 1);
    ff_sim_watch(sim, NULL, NULL);
    assert_int_equal(ff_sim_advance(sim, 1), FF_EVENT);
    finish(sim, model);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_steps_are_broken_off),
    cmocka_unit_test(test_advance_ends_at_once),
};

CHECK_MAIN(tests)
