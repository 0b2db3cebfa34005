/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "system.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const ff_system *system;
    char *text;
    size_t length, room;
    bool bad;
} lines;

static void say(lines *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(lines *out, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const size_t size = (size_t)vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (out->length + size + 1 > out->room) {
        out->room = 2 * (out->length + size + 1);
        char *grown = realloc(out->text, out->room);
        out->bad = out->bad || !grown;
        out->text = grown ? grown : out->text;
    }
    if (!out->bad) {
        va_start(list, format);
        vsnprintf(out->text + out->length, out->room - out->length, format, list);
        va_end(list);
        out->length += size;
    }
}

/* prints an expression in the middle of a line */
static void say_expr(lines *out, const char *before, ff_expr e, const char *after) {
    char *text = ff_expr_print(ff_system_pool(out->system), e);
    out->bad = out->bad || !text;
    say(out, "%s%s%s", before, text ? text : "", after);
    free(text);
}

/* A line of numbers: {"K", 3}, .. of the force f as K_f = 3, .. */
typedef struct {
    const char *name;
    double value;
} named;

static void say_numbers(lines *out, const char *force, const char *why, const named *numbers,
                        size_t count) {
    say(out, "\n");
    if (*why) {
        say(out, "# %s: %s\n", force, why);
    }
    for (size_t i = 0; i < count; i++) {
        char number[32];
        say(out, "%s%s_%s = %s", i ? ", " : "", numbers[i].name, force,
            ff_number_print(numbers[i].value, number, sizeof number));
    }
    say(out, "\n");
}

/* Step 1: xiong, or a rival as power laws have it (docs/laws.md). */
static void show_contact(lines *out, size_t i) {
    const ff_system *s = out->system;
    const char *n = ff_system_contact(s, i), *why = ff_system_contact_why(s, i);
    const ff_normal *law = &ff_system_def(s)->dios[i].law;
    ff_expr psi = ff_system_gap(s, i);
    if (law->law == ff_normal_law_find("xiong")) {
        const named numbers[] = {{"K", law->k}, {"alpha", law->alpha}, {"beta", law->beta}};
        say_numbers(out, n, why, numbers, 3);
        say(out, "%s = K_%s*max(0, e_%s - beta_%s*(", n, n, n, n);
        say_expr(out, "", psi, "");
        say(out, " + e_%s)/alpha_%s)\n", n, n);
        say(out, "e_%s' = max(-e_%s/beta_%s, -(", n, n, n);
        say_expr(out, "", psi, "");
        say(out, " + e_%s)/alpha_%s)\n", n, n);
        return;
    }
    const named numbers[] = {{"k", law->k}, {"lambda", law->lambda}};
    const bool pulls = law->least != 0;
    char depth[2][16] = {"", ""};
    const double exponents[] = {law->n, law->p};
    for (int c = 0; c < 2; c++) {
        if (exponents[c] != 1) {
            snprintf(depth[c], sizeof depth[c], "^%g", exponents[c]);
        }
    }
    say_numbers(out, n, why, numbers, 2);
    say(out, "z_%s = -(", n);
    say_expr(out, "", psi, ")\n");
    say(out, "zdot_%s = -(", n);
    say_expr(out, "", ff_system_gap_rate(s, i), ")\n");
    say(out, "%s = if(z_%s > 0, %sk_%s*z_%s%s + lambda_%s*", n, n, pulls ? "" : "max(0, ", n, n,
        depth[0], n);
    if (law->p != 0) {
        say(out, "z_%s%s*", n, depth[1]);
    }
    say(out, "zdot_%s%s, 0)\n", n, pulls ? "" : ")");
}

/* Step 2: sat, on a disc or an ellipse, or a rival with mu = 1 under the load chi. */
static void show_friction(lines *out, size_t i) {
    const ff_system *s = out->system;
    const ff_sgn_def *sgn = &ff_system_def(s)->sgns[i];
    const char *f = ff_system_friction(s, i), *why = ff_system_friction_why(s, i);
    const ff_friction *law = &sgn->law;
    const char *word = law->law->name, *size = sgn->dimension == 2 ? "norm" : "abs";
    ff_expr theta = ff_system_slip(s, i), chi = ff_system_factor(s, i);
    if (strcmp(word, "sat") == 0) {
        const named numbers[] = {{"K", law->k}, {"beta", law->beta}};
        say_numbers(out, f, why, numbers, 2);
        say(out, "%s = K_%s*sat((", f, f);
        say_expr(out, "", chi, "");
        say(out, ")/K_%s, a_%s + beta_%s*(", f, f, f);
        say_expr(out, "", theta, ")");
        if (ff_system_shaped(s, i)) {
            char item[4][32];
            for (int c = 0; c < 4; c++) {
                ff_number_print(sgn->shape[c / 2][c % 2], item[c], sizeof item[c]);
            }
            say(out, ", [[%s, %s], [%s, %s]]", item[0], item[1], item[2], item[3]);
        }
        say(out, ")\na_%s' = (%s/K_%s - a_%s)/beta_%s\n", f, f, f, f, f);
        return;
    }
    const bool bristle = law->law->inner;
    const named bristles[] = {{"k", law->k}, {"damping", law->damping}};
    const named ramps[] = {{"v0", law->v0}};
    say_numbers(out, f, why, bristle ? bristles : ramps,
                bristle && strcmp(word, "lugre") == 0 ? 2 : 1);
    if (bristle) {
        say(out, "a_%s' = ", f);
        say_expr(out, "", theta, "");
        say(out, " - k_%s*%s(", f, size);
        say_expr(out, "", theta, "");
        say(out, ")*a_%s\n%s = (", f, f);
        say_expr(out, "", chi, ")*");
        if (strcmp(word, "lugre") == 0) {
            say(out, "(k_%s*a_%s + damping_%s*a_%s')\n", f, f, f, f);
        } else {
            say(out, "k_%s*a_%s\n", f, f);
        }
        return;
    }
    say(out, "%s = (", f);
    say_expr(out, "", chi, ")*(");
    say_expr(out, "", theta, ")");
    if (strcmp(word, "bengisu-akay") == 0) {
        say(out, "*if(%s(", size);
        say_expr(out, "", theta, "");
        say(out, ") < v0_%s, (2 - %s(", f, size);
        say_expr(out, "", theta, "");
        say(out, ")/v0_%s)/v0_%s, 1/%s(", f, f, size);
        say_expr(out, "", theta, "))\n");
    } else {
        say(out, "/max(%s(", size);
        say_expr(out, "", theta, "");
        say(out, "), v0_%s)\n", f);
    }
}

char *ff_system_show(const ff_system *s) {
    lines out = {.system = s};
    for (size_t i = 0; i < ff_system_states(s); i++) {
        char head[80];
        snprintf(head, sizeof head, "%.60s' = ", ff_system_state_name(s, i));
        say_expr(&out, head, ff_system_rate_of(s, i), "\n");
    }
    for (size_t i = 0; i < ff_system_contacts(s); i++) {
        show_contact(&out, i);
    }
    for (size_t i = 0; i < ff_system_frictions(s); i++) {
        show_friction(&out, i);
    }
    if (out.bad) {
        free(out.text);
        return NULL;
    }
    return out.text;
}
