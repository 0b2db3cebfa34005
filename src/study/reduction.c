/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "reduction.h"
#include "model/model.h"
#include "sim/sim.h"
#include <ctype.h>
#include <footfall/inclusion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const ff_reduction_name ff_reductions[FF_REDUCTIONS] = {
    [FF_REDUCE_MAX] = {"max", 1, "max(x)"},
    [FF_REDUCE_MIN] = {"min", 1, "min(x)"},
    [FF_REDUCE_PEAK] = {"peak", 1, "peak(x)"},
    [FF_REDUCE_MEAN] = {"mean", 1, "mean(x)"},
    [FF_REDUCE_INTEGRAL] = {"integral", 1, "integral(x)"},
    [FF_REDUCE_START] = {"start", 1, "start(x)"},
    [FF_REDUCE_END] = {"end", 1, "end(x)"},
    [FF_REDUCE_AT] = {"at", 2, "at(touchdown 3, x)"},
    [FF_REDUCE_FIRST] = {"first", 2, "first(x, a < b)"},
    [FF_REDUCE_COUNT] = {"count", 1, "count(touchdown)"},
    [FF_REDUCE_IMPACT] = {"impact", 2, "impact(ball/floor 1, restitution)"},
};

/* ---- search in a text ---- */

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Records an argument without surrounding blanks. */
static void put_part(const char *text, size_t from, size_t to, ff_reduction_text *out) {
    while (from < to && isspace((unsigned char)text[from])) {
        from++;
    }
    while (to > from && isspace((unsigned char)text[to - 1])) {
        to--;
    }
    if (out->parts < 2) {
        out->part[out->parts] = from;
        out->length[out->parts] = to - from;
    }
    out->parts++;
}

/* The arguments in parentheses, the first of which is at `open`. */
static bool read_parts(const char *text, size_t open, ff_reduction_text *out) {
    size_t from = open + 1, depth = 0;
    out->parts = 0;
    for (size_t i = open + 1; text[i]; i++) {
        const char c = text[i];
        if (depth == 0 && (c == ',' || c == ')')) {
            put_part(text, from, i, out);
            from = out->to = i + 1;
            if (c == ')') {
                return true;
            }
        }
        depth += c == '(' || c == '[';
        depth -= (c == ')' || c == ']') && depth > 0;
    }
    return false;
}

ff_status ff_reduction_find(const char *text, size_t at, const ff_reduction_name *known,
                            size_t count, ff_reduction_text *out, ff_error *error) {
    for (size_t i = at; text[i]; i++) {
        if (!is_word(text[i]) || (i > 0 && (is_word(text[i - 1]) || text[i - 1] == '.'))) {
            continue;
        }
        size_t length = 0;
        while (is_word(text[i + length])) {
            length++;
        }
        const size_t open = i + length + strspn(text + i + length, " ");
        size_t kind = 0;
        while (kind < count && (strncmp(known[kind].name, text + i, length) != 0 ||
                                known[kind].name[length] != '\0')) {
            kind++;
        }
        if (kind == count || text[open] != '(') {
            continue;
        }
        *out = (ff_reduction_text){.kind = kind, .from = i};
        if (!read_parts(text, open, out)) {
            return ff_model_fail(error, FF_BAD_VALUE, "column %zu: this '(' lacks its ')'",
                                 open + 1);
        }
        /* with several arguments max and min are ordinary functions */
        const bool function =
            out->parts > known[kind].parts &&
            (strcmp(known[kind].name, "max") == 0 || strcmp(known[kind].name, "min") == 0);
        if (function) {
            continue;
        }
        const bool empty = out->length[0] == 0 || (out->parts > 1 && out->length[1] == 0);
        return out->parts != known[kind].parts || empty
                   ? ff_model_fail(error, FF_BAD_VALUE, "column %zu: %s is wanted, not '%.*s'",
                                   i + 1, known[kind].form,
                                   out->to - i < 80 ? (int)(out->to - i) : 80, text + i)
                   : FF_OK;
    }
    return FF_MISSING;
}

/* ---- events and impacts ---- */

/* The next word of a text, truncated to `size`; false at its end. */
static bool next_word(const char **at, const char *end, char *word, size_t size) {
    while (*at < end && isspace((unsigned char)**at)) {
        ++*at;
    }
    size_t length = 0;
    for (; *at < end && !isspace((unsigned char)**at); ++*at) {
        if (length + 1 < size) {
            word[length++] = **at;
        }
    }
    word[length] = '\0';
    return length > 0;
}

/* `3` or `last`; false: it is another word. */
static bool read_ordinal(const char *word, size_t *out) {
    char *end;
    if (strcmp(word, "last") == 0) {
        *out = FF_LAST;
        return true;
    }
    const unsigned long number = *word >= '1' && *word <= '9' ? strtoul(word, &end, 10) : 0;
    *out = number;
    return number > 0 && *end == '\0' && number < 1000000000;
}

/* Whether something of this name has events of a kind (-1: any kind). */
static bool has_owner(const ff_model *model, int kind, const char *name) {
    const int first = kind < 0 ? FF_TOUCHDOWN : kind, last = kind < 0 ? FF_SLIP : kind;
    for (int k = first; k <= last; k++) {
        const ff_inclusion_def *inclusion = ff_model_inclusion(model);
        const bool limits = k == FF_REACH_LIMIT || k == FF_LEAVE_LIMIT,
                   joints = limits || k == FF_STICK || k == FF_SLIP;
        const size_t contacts = ff_model_contact_count(model),
                     count = inclusion ? (joints ? inclusion->sgn_count : inclusion->dio_count)
                             : joints  ? contacts + FF_JOINT_COORDINATES * model->joint_count
                                       : contacts,
                     none = limits && !inclusion ? contacts : 0;
        for (size_t i = none; i < count; i++) {
            const ff_event event = {.kind = (ff_event_kind)k, .contact = (int)i};
            const char *owner = ff_model_event_owner(model, &event);
            if (owner && strcmp(owner, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

static bool has_event(const ff_model *model, const char *name) {
    for (size_t i = 0; i < model->event_count; i++) {
        const char *own =
            ff_model_event_name(model, &(ff_event){.kind = FF_USER, .contact = (int)i});
        if (own && strcmp(own, name) == 0) {
            return true;
        }
    }
    return false;
}

/* [OWNER] [N], of events of a kind */
static ff_status read_which(const ff_model *model, const char *at, const char *end,
                            ff_reduction *out, ff_error *error) {
    char word[FF_FIELD_PATH];
    out->number = 1;
    bool more = next_word(&at, end, word, sizeof word);
    if (more && !read_ordinal(word, &out->number)) {
        if (out->event == FF_SWITCH || out->event == FF_USER ||
            !has_owner(model, out->event, word)) {
            return ff_model_fail(
                error, FF_BAD_VALUE,
                "'%.80s' is neither a contact nor a joint that has such events, nor a number "
                "from 1",
                word);
        }
        snprintf(out->owner, sizeof out->owner, "%s", word);
        out->number = 1;
        more = next_word(&at, end, word, sizeof word);
        if (more && !read_ordinal(word, &out->number)) {
            return ff_model_fail(error, FF_BAD_VALUE, "'%.80s' is not a number from 1", word);
        }
    }
    return more && next_word(&at, end, word, sizeof word)
               ? ff_model_fail(error, FF_BAD_VALUE, "'%.80s' is one word too many", word)
               : FF_OK;
}

ff_status ff_reduction_read_event(const ff_model *model, const char *text, size_t length,
                                  ff_reduction *out, ff_error *error) {
    const char *at = text, *end = text + length, *names[FF_EVENT_KINDS];
    char word[FF_FIELD_PATH];
    next_word(&at, end, word, sizeof word);
    out->way = strcmp(word, "rising") == 0 ? 1 : strcmp(word, "falling") == 0 ? -1 : 0;
    if (out->way != 0) {
        next_word(&at, end, word, sizeof word);
        if (!has_event(model, word)) {
            return ff_model_fail(error, FF_BAD_VALUE,
                                 "rising and falling are for events of the scene, not for '%.80s'",
                                 word);
        }
    }
    out->rejoin = strcmp(word, "rejoin") == 0;
    if (out->rejoin) {
        out->event = FF_TOUCHDOWN;
        return read_which(model, at, end, out, error);
    }
    out->event = FF_EVENT_KINDS;
    for (int k = 0; k < FF_EVENT_KINDS; k++) {
        names[k] = ff_event_name((ff_event_kind)k);
        out->event = strcmp(names[k], word) == 0 ? k : out->event;
    }
    if (out->event >= FF_EVENT_KINDS && has_event(model, word)) {
        /* an event function of the user, by name */
        snprintf(out->owner, sizeof out->owner, "%s", word);
        out->event = -1;
        out->number = 1;
        if (next_word(&at, end, word, sizeof word) && !read_ordinal(word, &out->number)) {
            return ff_model_fail(error, FF_BAD_VALUE, "'%.80s' is not a number from 1", word);
        }
        return FF_OK;
    }
    if (out->event >= FF_EVENT_KINDS) {
        const char *near = ff_word_nearest(word, names, FF_EVENT_KINDS);
        return ff_model_fail(error, FF_BAD_VALUE, "there is no event '%.80s'%s%s%s", word,
                             near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    }
    return read_which(model, at, end, out, error);
}

ff_status ff_reduction_read_impact(const ff_model *model, const char *text, size_t length,
                                   const char *word, size_t word_length, ff_reduction *out,
                                   ff_error *error) {
    static const char *const words[] = {[FF_IMPACT_TIME] = "time",
                                        [FF_IMPACT_SPEED] = "speed",
                                        [FF_IMPACT_RESTITUTION] = "restitution",
                                        [FF_IMPACT_CONTACT_TIME] = "contact_time"};
    static const ff_dimension dims[] = {[FF_IMPACT_TIME] = {0, 0, 1},
                                        [FF_IMPACT_SPEED] = {0, 1, -1},
                                        [FF_IMPACT_CONTACT_TIME] = {0, 0, 1}};
    enum { WORDS = sizeof words / sizeof *words };
    int i = 0;
    while (i < WORDS && (strncmp(words[i], word, word_length) != 0 || words[i][word_length])) {
        i++;
    }
    if (i == WORDS) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "an impact has time, speed, restitution and contact_time, no '%.*s'",
                             word_length < 60 ? (int)word_length : 60, word);
    }
    if (ff_model_inclusion(model)) {
        return ff_model_fail(error, FF_BAD_VALUE, "impacts of inclusions are not recorded");
    }
    out->word = (ff_impact_word)i;
    out->event = FF_TOUCHDOWN;
    out->facts = (ff_expr_facts){.length = 1, .measure = FF_MEASURE_KNOWN, .dim = dims[i]};
    return read_which(model, text, text + length, out, error);
}

bool ff_reduction_fits(const ff_reduction *r, const ff_sim *sim) {
    const ff_event *event = ff_sim_event(sim);
    const ff_model *model = sim->model;
    const bool goes_on = (!r->rejoin || event->rejoin) &&
                         (r->way == 0 || (event->kind == FF_USER &&
                                          sim->phase.above[event->contact] == (r->way > 0)));
    const char *name = r->event < 0 ? ff_model_event_name(model, event)
                       : *r->owner  ? ff_model_event_owner(model, event)
                                    : "";
    return goes_on && (r->event < 0 || (int)event->kind == r->event) && name &&
           strcmp(name, r->owner) == 0;
}

double ff_reduction_impact(const ff_reduction *r, const ff_sim *sim) {
    const ff_model *model = sim->model;
    const size_t all = ff_sim_impact_count(sim),
                 count = all < FF_IMPACTS_KEPT ? all : FF_IMPACTS_KEPT;
    ff_impact_record found = {NAN, NAN, NAN, NAN, -1};
    size_t seen = 0;
    /* the last impact may not have been recorded */
    for (size_t i = 0; i < count && (r->number != FF_LAST || all <= FF_IMPACTS_KEPT); i++) {
        const ff_impact_record at = ff_sim_impact(sim, i);
        const bool ours =
            !*r->owner || strcmp(ff_model_contact_name(model, (size_t)at.contact), r->owner) == 0;
        seen += ours;
        found = ours && (r->number == FF_LAST || r->number == seen) ? at : found;
    }
    const double values[] = {found.time, found.speed, found.restitution, found.contact_time};
    return values[r->word];
}

bool ff_reduction_no_memory(const ff_expr_pool *pool, const ff_expr_error *why) {
    return ff_expr_pool_status(pool) == FF_NO_MEMORY ||
           strcmp(why->text, ff_status_text(FF_NO_MEMORY)) == 0;
}
