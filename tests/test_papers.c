/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "commands.h"
#include "papers.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- papers of our own ---- */

const paper_file paper_files[] = {
    {"test/drop.yaml",
     "bodies:\n"
     "  ball: {mass: 1 kg, shape: {point: {}}, position: [0, 0, 1], lock: rotation}\n"
     "ground:\n"
     "  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\n"
     "pairs:\n"
     "  - {between: [ball, floor], normal: {law: linear, k: 1e5, lambda: 10}}\n"
     "run: {until: 0.5 s}\n"},
    {"test/wrong.yaml", "bodies: {ball: {masss: 1 kg}}\n"},
    {"test/decay.yaml", "states: {x: 1 m}\nrates: {x: -x/(1 s)}\nrun: {until: 1 s}\n"},
    {NULL, NULL},
};

static void good(paper_job *job) {
    paper_curve *c = job_curve(job, FF_PLOT_LINES, "a \"line\", %d", 1);
    for (int i = 0; i <= 1000; i++) {
        /* a ramp with a bend, which takes three points; then one of its own */
        curve_point(c, i, i < 500 ? i : 500);
    }
    curve_gap(c);
    curve_point(c, 1001, 3);
    job_near(job, "1", "near", "m", 1.5, 1, 0.5, "edge");
    job_most(job, "1", "at most", NULL, 1.5, 1, 0.5, "edge");
    job_least(job, "1", "at least", NULL, 0.5, 1, 0.5, "edge");
    job_holds(job, "1", "holds", true, "it does");
    job_check(job, &(check){.where = "1",
                            .quantity = "not reproduced",
                            .value = 3,
                            .expected = 1,
                            .tolerance = 1,
                            .why = "claimed",
                            .note = "never seen",
                            .otherwise = "it is 3",
                            .instead = 3.05,
                            .instead_within = 0.1});
    job_next(job);
    c = job_curve(job, FF_PLOT_POINTS, NULL);
    for (int i = 0; i < 10; i++) {
        curve_point(c, i + 1, i);
    }
}

static void bad(paper_job *job) {
    job_near(job, "2", "near", NULL, 1.51, 1, 0.5, "too far");
    job_near(job, "2", "not a number", NULL, NAN, 1, 0.5, "never near");
    job_most(job, "2", "at most", NULL, 1.51, 1, 0.5, "too far");
    job_most(job, "2", "at most nothing", NULL, NAN, 1, 0.5, "never below");
    job_least(job, "2", "at least", NULL, 0.49, 1, 0.5, "too far");
    job_holds(job, "2", "holds", false, "it does not");
    job_check(job, &(check){.where = "2",
                            .quantity = "neither",
                            .value = 2,
                            .expected = 1,
                            .why = "claimed",
                            .otherwise = "it is 3",
                            .instead = 3,
                            .instead_within = 0.5});
}

static void broken(paper_job *job) {
    job_near(job, "3", "before", NULL, 1, 1, 0, "still told");
    run_scene(job, "test/wrong.yaml", NULL);
    job_near(job, "3", "after", NULL, 1, 1, 0, "never made");
}

static void wordy(paper_job *job) {
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    job_near(job, "6", "long", NULL, 1, 1, 0, text);
}

static void dead(paper_job *job) {
    job_near(job, "4", "before", NULL, 1, 1, 0, "lost or told");
    raise(SIGKILL);
}

/* Instants come in order, samples at their times, events where they are. */
static void runs(paper_job *job) {
    paper_run r = run_scene(job, "test/drop.yaml", "bodies.ball.mass=2 kg", NULL);
    double last = -1, fall = sqrt(2 / 9.81), landed = NAN, error = 0;
    size_t samples = 0;
    bool order = true;
    r.when.every = 0.01;
    while (run_next(&r)) {
        order = order && r.time >= last;
        last = r.time;
        ff_motion ball = ff_sim_body(r.sim, 0);
        if (r.event && r.event->kind == FF_TOUCHDOWN) {
            landed = r.time;
        } else if (!r.event) {
            error = fmax(error, fabs(r.time - 0.01 * (double)samples++));
            if (r.time < fall) {
                error = fmax(error, fabs(ball.position[2] - 1 + 0.5 * 9.81 * r.time * r.time));
            }
        }
    }
    ff_body_facts facts = ff_model_body_facts(r.model, 0);
    job_holds(job, "5", "in order", order && last <= 0.5, "times never go back");
    job_near(job, "5", "samples", NULL, (double)samples, 51, 0, "0.5 s by 0.01 s, and the start");
    job_near(job, "5", "times and heights", "s", error, 0, 1e-9, "tolerance of the run");
    job_near(job, "5", "landing", "s", landed, fall, 1e-9, "free fall");
    job_near(job, "5", "setting", "kg", facts.mass, 2, 0, "as set");
    run_close(&r);

    /* 14000 times 50 us is more than 0.7 s in binary */
    r = run_scene(job, "test/drop.yaml", "run.until=0.7 s", NULL);
    samples = 0;
    r.when.every = 5e-5;
    while (run_next(&r)) {
        samples += !r.event;
    }
    job_near(job, "5", "all samples", NULL, (double)samples, 14001, 0, "and the start");
    job_near(job, "5", "the last sample", "s", r.time, 0.7, 0, "the end");
    run_close(&r);

    r = run_system(job, "test/decay.yaml", NULL, NULL);
    size_t steps = 0;
    while (run_next(&r)) {
        steps++;
    }
    job_near(job, "5", "decay", "m", ff_inclusion_at(r.sim).x[0], exp(-1), 1e-5,
             "default tolerance");
    job_near(job, "5", "each step, and the start", NULL, (double)steps,
             (double)ff_sim_statistics(r.sim).steps + 1, 0, "no sample asked for");
    run_close(&r);
}

static const paper_figure all_figures[] = {
    {.id = "good", .title = "good", .x_label = "x (m)", .y_label = "y (m)", .make = good},
    {.id = "next", .title = "next", .x_label = "x (m)", .y_label = "y (m)", .x_log = true},
    {.id = "bad", .title = "bad", .make = bad},
    {.id = "broken", .title = "broken", .x_label = "x (m)", .y_label = "y (m)", .make = broken},
    {.id = "dead", .title = "dead", .make = dead, .slow = true},
    {.id = "wordy", .title = "wordy", .make = wordy},
};

static const paper_figure run_figures[] = {{.id = "runs", .title = "runs", .make = runs}};

const paper paper_azad2010 = {"all", "all", all_figures, 6, false};
const paper paper_marhefka1996 = {"good", "good ones", all_figures, 2, false};
const paper paper_xiong2013 = {"runs", "runs", run_figures, 1, false};
const paper paper_azad2014 = {"empty", "not there yet", NULL, 0, false};
const paper paper_corral2017 = {"empty2", "not there yet", NULL, 0, false};

/* ---- the command ---- */

/* a folder for each test, which is left behind in the folder for temporary files only if it fails */
static char folder[] = "/tmp/footfall-papers-XXXXXX";

static int set_up(void **state) {
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state) {
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

/* the command, without what it prints */
static int call(const char *name) {
    char *argv[] = {"papers", (char *)name, "-o", folder, NULL};
    fflush(stdout);
    fflush(stderr);
    int out = dup(1), err = dup(2), none = open("/dev/null", O_WRONLY);
    dup2(none, 1);
    dup2(none, 2);
    int status = command_papers(4, argv);
    fflush(stdout);
    fflush(stderr);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    close(none);
    return status;
}

/* a file of the folder as text, the caller's to free; NULL if there is none */
static char *text_of(const char *name) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    char *text = file ? calloc(1, 100000) : NULL;
    if (text) {
        text[fread(text, 1, 99999, file)] = '\0';
    }
    if (file) {
        fclose(file);
    }
    return text;
}

static size_t count(const char *text, const char *word) {
    size_t n = 0;
    for (; (text = strstr(text, word)); text += strlen(word)) {
        n++;
    }
    return n;
}

static void test_all(void **state) {
    (void)state;
    assert_int_equal(call("all"), 1);
    char *json = text_of("checks.json");
    assert_non_null(json);
    /* a claim that holds, even at the edge, passes; broken and dead figures fail, after what they had told */
    assert_int_equal(count(json, "\"status\": \"not-reproduced\""), 1);
    assert_int_equal(count(json, "\"note\": \"it is 3\""), 1);
    assert_int_equal(count(json, "\"status\": \"fail\""), 7 + 1 + 1 + 1);
    assert_non_null(strstr(json, "test/wrong.yaml:1:"));
    assert_non_null(strstr(json, "\"value\": null"));
    assert_non_null(strstr(json, "ended by signal"));
    assert_non_null(strstr(json, "still told"));
    assert_non_null(strstr(json, "a check says more than fits"));
    /* begun first, told in its place */
    assert_true(strstr(json, "ended by signal") > strstr(json, "still told"));
    assert_null(strstr(json, "never made"));
    assert_null(strstr(json, "never seen"));
    free(json);
}

static void test_good(void **state) {
    (void)state;
    assert_int_equal(call("good"), 0);
    char *json = text_of("checks.json"), *csv = text_of("good/good.csv");
    char *next = text_of("good/next.csv");
    assert_int_equal(count(json, "\"status\": \"pass\""), 4);
    /* a bend needs no more points than this, points all of them */
    assert_string_equal(csv, "curve,\"x (m)\",\"y (m)\"\n"
                             "\"a \"\"line\"\", 1\",0,0\n"
                             "\"a \"\"line\"\", 1\",500,500\n"
                             "\"a \"\"line\"\", 1\",1000,500\n"
                             "\"a \"\"line\"\", 1\",1001,3\n");
    assert_int_equal(count(next, "\n"), 11);
    free(json);
    free(csv);
    free(next);
}

static void test_runs(void **state) {
    (void)state;
    int status = call("runs");
    char *json = text_of("checks.json");
    if (status) {
        fail_msg("%s", json);
    }
    assert_int_equal(count(json, "\"status\": \"pass\""), 9);
    free(json);
}

static void test_empty(void **state) {
    (void)state;
    assert_int_equal(call("empty"), 2);
    assert_null(text_of("checks.json"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_good, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_runs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_empty, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
