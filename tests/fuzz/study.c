/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Any text as a study file; what follows the first byte 1 is the text of every file that the study names, other than the two below. It
 * is refused with reasons and places, or its tables, figures and claims are made. The sanitizers look on. A table of a million rows
 * would only take longer: blocks are small, so that it ends for want of memory, and runs are stopped after a fifth of a second. */

#include "io/messages.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* bytes of a block: some thousand rows of a table, and ten times what the model and the runs of a small scene need */
enum { BLOCK_MOST = 1 << 18 };

static const char ball[] =
    "parameters: {h: 2 cm}\n"
    "bodies: {ball: {mass: 1, shape: {sphere: {radius: 1 cm}}, position: [0, 0, h]}}\n"
    "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"
    "pairs: [{between: [ball, floor], normal: {law: hertz, k: 1e6}, friction: {law: coulomb, mu: "
    "0.2}}]\n"
    "events: {low: 'ball.position[2] - 15 mm'}\n"
    "run: {until: 60 ms, tol: 1e-5}\n";

static const char push[] = "parameters: {M: 1 kg}\n"
                           "states: {p: 0 m, v: 0 m/s}\n"
                           "let: {f: 1 N*sgn(v)}\n"
                           "rates: {p: v, v: (2 N - f)/M}\n"
                           "frictions: {K: 1e4 N/m, beta: 1 ms, strength: 1 N}\n"
                           "run: {until: 10 ms, tol: 1e-5}\n";

/* The input of one call. */
typedef struct input {
    const char *rest; /* NULL: there are no other files */
    clock_t start;
} input;

static void must(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void *small_allocate(void *user, size_t alignment, size_t bytes) {
    (void)user;
    const size_t whole = (bytes + alignment - 1) / alignment * alignment;
    return bytes <= BLOCK_MOST ? aligned_alloc(alignment, whole ? whole : alignment) : NULL;
}

static void *small_resize(void *user, void *block, size_t bytes) {
    (void)user;
    return bytes <= BLOCK_MOST ? realloc(block, bytes) : NULL;
}

static void small_release(void *user, void *block) {
    (void)user;
    free(block);
}

static const char *file_of(void *user, const char *name) {
    const input *in = user;
    return strcmp(name, "ball.yaml") == 0 ? ball : strcmp(name, "push.yaml") == 0 ? push : in->rest;
}

static bool on_progress(void *user, size_t done, size_t wanted) {
    const input *in = user;
    must(done <= wanted, "more runs done than wanted");
    return clock() - in->start < CLOCKS_PER_SEC / 5;
}

static bool on_table(void *user, const char *name, const ff_table *t) {
    (void)user;
    size_t failed = 0;
    must(*name && t->varied <= t->columns,
         "a table without a name, or with more parameters than columns");
    for (size_t i = 0; i < t->rows; i++) {
        failed += t->reason[i] != NULL;
    }
    must(failed == t->failed, "failures that are not counted");
    return true;
}

static void look_at(const ff_study *s) {
    size_t failed = 0;
    for (size_t i = 0; i < s->claim_count; i++) {
        must(s->claims[i].where && s->claims[i].quantity, "a claim without a text");
        failed += s->claims[i].status == FF_CLAIM_FAILS;
    }
    must(failed == s->failed, "claims that are not counted");
    for (size_t i = 0; i < s->figure_count; i++) {
        const ff_plot *p = &s->figures[i].plot;
        double sum = 0;
        for (size_t c = 0; c < p->curve_count; c++) {
            const ff_plot_curve *curve = &p->curves[c];
            for (size_t k = 0; k < curve->count; k++) {
                sum += curve->x[k] + (curve->y ? curve->y[k] : 0) + (curve->z ? curve->z[k] : 0);
            }
        }
        must(s->figures[i].id && s->figures[i].title && (sum <= 0 || sum > 0 || isnan(sum)),
             "a figure without a text");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const ff_allocator small = {.size = sizeof small,
                                       .allocate = small_allocate,
                                       .resize = small_resize,
                                       .release = small_release};
    static bool set = false;
    if (!set) {
        must(ff_allocator_set(&small) == FF_OK, "no allocator");
        set = true;
    }
    char *text = calloc(size + 1, 1);
    memcpy(text, data, size);
    char *end = strchr(text, 1);
    input in = {end ? end + 1 : NULL, clock()};
    if (end) {
        *end = '\0';
    }
    ff_study_options o = ff_study_options_default();
    ff_study *study = NULL;
    ff_messages messages = {0};
    o.path = "study.yaml";
    o.text = text;
    o.threads = 1;
    o.user = &in;
    o.file = file_of;
    o.table = on_table;
    o.progress = on_progress;
    const ff_status status = ff_study_run(&o, &study, &messages);
    must((status == FF_OK) == (study != NULL), "a study that failed, or one that is missing");
    must(status >= 0 || status == FF_NO_MEMORY || ff_messages_total(&messages) > 0,
         "refused without a reason");
    for (size_t i = 0; i < messages.count; i++) {
        char line[600];
        ff_message_format(&messages.at[i], line, sizeof line);
        must(strlen(line) > 6, "an empty message");
    }
    if (study) {
        look_at(study);
    }
    ff_messages_clear(&messages);
    ff_free(study);
    free(text);
    return 0;
}
