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

/* ---- test papers ---- */

const paper_file paper_files[] = {
    {"mixed/study.yaml", "title: mixed\n"
                         "tables: {a: {data: {x: [1, 2, 3], y: [1, 4, 9]}}}\n"
                         "figures:\n"
                         "  - {id: file, title: from the file, x_label: x, y_label: y, curves: "
                         "[{table: a, x: x, y: y}]}\n"
                         "  - {id: hand, title: by hand, x_label: x, y_label: y}\n"
                         "claims:\n"
                         "  - {figure: file, where: '5', quantity: sum, value: sum(a.y), near: "
                         "14, why: squares}\n"},
    {NULL, NULL},
};

static void good(paper_job *job) {
    paper_curve *c = job_curve(job, FF_PLOT_LINES, "a \"line\", %d", 1);
    for (int i = 0; i <= 1000; i++) {
        /* a ramp with a kink, which takes three points; then a separate point */
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
    job_fail(job, "%s is wrong", "test/wrong.yaml");
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

/* a figure of a study made by a function */
static void by_function(paper_job *job) {
    paper_curve *c = job_curve(job, FF_PLOT_LINES, "own");
    curve_point(c, 0, 0);
    curve_point(c, 1, 1);
    job_near(job, "5", "title of the study", NULL, strcmp(job_figure(job)->title, "by hand"), 0, 0,
             "texts are the study's");
}

static const paper_figure all_figures[] = {
    {.id = "good", .title = "good", .x_label = "x (m)", .y_label = "y (m)", .make = good},
    {.id = "next", .title = "next", .x_label = "x (m)", .y_label = "y (m)", .x_log = true},
    {.id = "bad", .title = "bad", .make = bad},
    {.id = "broken", .title = "broken", .x_label = "x (m)", .y_label = "y (m)", .make = broken},
    {.id = "dead", .title = "dead", .make = dead, .slow = true},
    {.id = "wordy", .title = "wordy", .make = wordy},
};

static const paper_figure mixed_figures[] = {{.id = "hand", .make = by_function}};

const paper paper_azad2010 = {"all", "all", all_figures, 6, false};
const paper paper_marhefka1996 = {"good", "good ones", all_figures, 2, false};
const paper paper_xiong2013 = {"mixed", NULL, mixed_figures, 1, true};
const paper paper_azad2014 = {"empty", "not there yet", NULL, 0, false};
const paper paper_corral2017 = {"empty2", "not there yet", NULL, 0, false};

/* ---- the command ---- */

/* a directory for each test, which remains in the temporary directory only if the test fails */
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

/* the command, without its output */
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

/* a file of the directory as text, freed by the caller; NULL if there is none */
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
    /* a claim that holds, even at the limit, passes; broken and crashed figures fail, after their earlier output */
    assert_int_equal(count(json, "\"status\": \"not-reproduced\""), 1);
    assert_int_equal(count(json, "\"note\": \"it is 3\""), 1);
    assert_int_equal(count(json, "\"status\": \"fail\""), 7 + 1 + 1 + 1);
    assert_non_null(strstr(json, "test/wrong.yaml is wrong"));
    assert_non_null(strstr(json, "\"value\": null"));
    assert_non_null(strstr(json, "ended by signal"));
    assert_non_null(strstr(json, "still told"));
    assert_non_null(strstr(json, "a check says more than fits"));
    /* started first, reported in order */
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
    /* a curve with a kink is reduced to three points; separate points are all kept */
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

static void test_mixed(void **state) {
    (void)state;
    int status = call("mixed");
    char *json = text_of("checks.json");
    if (status) {
        fail_msg("%s", json);
    }
    assert_int_equal(count(json, "\"status\": \"pass\""), 2);
    free(json);
    char *file = text_of("mixed/file.csv"), *hand = text_of("mixed/hand.csv");
    assert_string_equal(file, "curve,\"x\",\"y\"\n\"\",1,1\n\"\",2,4\n\"\",3,9\n");
    assert_string_equal(hand, "curve,\"x\",\"y\"\n\"own\",0,0\n\"own\",1,1\n");
    free(file);
    free(hand);
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
        cmocka_unit_test_setup_teardown(test_mixed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_empty, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
