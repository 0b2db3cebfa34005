/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _DEFAULT_SOURCE
#include "check.h"
#include "no_memory.h"
#include <footfall/footfall.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Traces and pages with exhausted memory: after any number of allocations there is a status and a message, a trace
 * that can be freed, and no incomplete page. */

#ifdef CAN_END
static const char text[] =
    "# a ball\n"
    "bodies:\n"
    "  ball: {mass: 1 kg, shape: {sphere: {radius: 1 cm}}, position: [0, 0, "
    "1.5 cm]}\n"
    "ground:\n"
    "  floor: {plane: {normal: [0, 0, 1]}}\n"
    "pairs:\n"
    "  - {between: [ball, floor], normal: {law: linear, k: 1e5, lambda: 10}}\n"
    "run: {until: 0.05 s}\n";

/* Five rows of another program: the ball rises by 1 cm per row. */
static ff_status rise(void *user, size_t row, double *time, ff_motion *bodies, ff_error *error) {
    (void)user;
    (void)error;
    *time = (double)row;
    bodies[0] = (ff_motion){.position = {1, 2, 0.01 * (double)row}, .omega = {0, 0, 7}};
    return row < 5 ? FF_OK : FF_STOPPED;
}

/* Imports these rows, and reads all values. */
static ff_status replay(const ff_model *model, const char *path, ff_error *error) {
    ff_sim *sim = NULL;
    ff_trace *trace = NULL;
    ff_trace_options options = ff_trace_options_default();
    ff_status status = ff_sim_create(model, NULL, &sim, error);
    options.path = path;
    options.replay = rise;
    status = status < 0 ? status : ff_sim_record(sim, 0.05, &options, &trace, error);
    if (status >= 0) {
        const size_t width = ff_trace_column_count(trace);
        double values[5 * 200];
        size_t z, w, slip;
        assert_int_equal(ff_trace_row_count(trace), 5);
        assert_true(width <= 200);
        assert_true(ff_trace_find(trace, "ball:z", &z, NULL) == FF_OK &&
                    ff_trace_find(trace, "ball:wz", &w, NULL) == FF_OK &&
                    ff_trace_find(trace, "ledger:slip", &slip, NULL) == FF_OK);
        const ff_status read = ff_trace_values(trace, FF_TRACE_ALL, values, error);
        assert_int_equal(read, path ? FF_MISSING : FF_OK);
        for (size_t row = 0; row < 5 && read == FF_OK; row++) {
            const double *at = values + row * width;
            assert_true(at[0] == (double)row && at[z] == 0.01 * (double)row && at[w] == 7 &&
                        isnan(at[slip]));
        }
        const ff_trace_facts facts = ff_trace_about(trace);
        assert_true(facts.complete && facts.time == 4 && isnan(facts.ledger.residual));
    }
    ff_trace_free(trace);
    ff_sim_free(sim);
    return status;
}

/* Records a run, reads all of it back, and writes its page, or one that compares it with itself. */
static ff_status record(const ff_model *model, const char *path, const char *page, bool twice,
                        ff_error *error) {
    ff_sim *sim = NULL;
    ff_trace *trace = NULL;
    ff_trace_options options = ff_trace_options_default();
    ff_status status = ff_sim_create(model, NULL, &sim, error);
    options.path = path;
    options.fill = 1e-4;
    options.name = "ball.yaml";
    options.source = options.scene = text;
    options.command = "a test";
    status = status < 0 ? status : ff_sim_record(sim, 0.05, &options, &trace, error);
    if (status >= 0 && !path) {
        const size_t rows = ff_trace_row_count(trace);
        double *values = malloc(rows * sizeof *values);
        size_t column = 0;
        status = values ? ff_trace_find(trace, "ball:z", &column, error) : FF_NO_MEMORY;
        status = status < 0 ? status : ff_trace_values(trace, column, values, error);
        if (!values) {
            snprintf(error->text, sizeof error->text, "here");
        }
        assert_true(status < 0 || (rows > 200 && values[0] == 0.015));
        free(values);
    }
    if (status >= 0 && page) {
        status =
            twice ? ff_trace_compare(trace, trace, page, error) : ff_trace_page(trace, page, error);
    }
    ff_trace_free(trace);
    ff_sim_free(sim);
    return status;
}

static void no_memory(void **state) {
    (void)state;
    char folder[] = "/tmp/footfall-XXXXXX", page[64], csv[64];
    ff_scene *scene = NULL;
    ff_model *model = NULL;
    ff_error error = {""};
    assert_non_null(mkdtemp(folder));
    snprintf(page, sizeof page, "%s/page.html", folder);
    snprintf(csv, sizeof csv, "%s/trace.csv", folder);
    assert_int_equal(
        ff_scene_parse("text", text, strlen(text), NULL, 0, (double)INFINITY, &scene, NULL), FF_OK);
    assert_int_equal(ff_model_create(scene, &model, &error), FF_OK);
    /* builds without the page skip this */
    const bool pages = ff_page_check(page, &error) >= 0;
    /* a page, a table, a page of two runs, rows of another program in memory and in a table */
    for (int way = 0; way < 5; way++) {
        const bool table = way == 1 || way > 2;
        long refused = 0;
        bool done = false;
        for (long most = 0; !done; most++) {
            error = (ff_error){""};
            given = 0, give_most = most;
            const ff_status status = way > 2
                                         ? replay(model, way == 4 ? csv : NULL, &error)
                                         : record(model, table ? csv : NULL,
                                                  pages && !table ? page : NULL, way == 2, &error);
            give_most = -1;
            done = status == FF_OK;
            assert_holds(done || status == FF_NO_MEMORY || status == FF_NOT_WRITTEN,
                         "after %ld: %d", most, (int)status);
            assert_holds(done || *error.text, "after %ld: %d without a reason", most, (int)status);
            assert_holds(done || table || access(page, F_OK) != 0, "after %ld: a page", most);
            refused += !done;
            assert_true(most < 100000);
        }
        assert_true(refused > 10);
        assert_true(!pages || table || access(page, F_OK) == 0);
        unlink(page);
    }
    unlink(csv);
    rmdir(folder);
    ff_model_free(model);
    ff_scene_free(scene);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
#ifdef CAN_END
        cmocka_unit_test(no_memory),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
