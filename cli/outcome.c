/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "outcome.h"
#include "joints.h"
#include "rest.h"
#include "table.h"
#include <math.h>
#include <stdlib.h>

void outcome_head_json(ff_json *j, const ff_model *model, ff_sim *sim, const ff_trace *events,
                       const ff_run_options *o) {
    ff_statistics s = ff_sim_statistics(sim);
    ff_json_number(j, "time", ff_sim_time(sim));
    ff_json_integer(j, "steps", s.steps);
    ff_json_integer(j, "rejected", s.rejected);
    ff_json_integer(j, "evaluations", s.evaluations);
    ff_json_number(j, "wall_seconds", s.seconds);
    ff_json_string(j, "method", ff_method_name(o->method));
    ff_json_array(j, "methods_used");
    for (int m = 0; m < FF_METHODS; m++) {
        if (s.method_steps[m] > 0) {
            ff_json_string(j, NULL, ff_method_name((ff_method)m));
        }
    }
    ff_json_end(j);
    ff_json_integer(j, "method_changes", s.switches);
    ff_json_object(j, "method_change_reasons");
    for (int r = 0; r < FF_REASONS; r++) {
        ff_json_integer(j, ff_reason_name((ff_reason)r), s.changes[r]);
    }
    ff_json_end(j);
    ff_json_number(j, "cost", s.cost);
    if (ff_model_class_count(model) > 0) {
        ff_json_integer(j, "contacts", s.contacts);
        ff_json_integer(j, "searches", s.searches);
        ff_json_integer(j, "threads", s.threads);
    }
    ff_json_string(j, "event_location", o->events ? "located" : "none");
    ff_json_array(j, "events");
    for (size_t i = 0; i < ff_trace_event_count(events); i++) {
        ff_event e;
        const char *owner = ff_trace_event(events, i, &e);
        ff_json_object(j, NULL);
        ff_json_number(j, "t", e.time);
        ff_json_string(j, "kind", ff_event_name(e.kind));
        ff_json_string(j, "pair", owner);
        if (ff_model_event_name(model, &e)) {
            ff_json_string(j, "name", ff_model_event_name(model, &e));
        }
        if (ff_model_inclusion(model)) {
            ff_json_string(j, "force", owner);
        }
        if (e.rejoin) {
            ff_json_bool(j, "rejoin", true);
        }
        ff_json_end(j);
    }
    ff_json_end(j);
    ff_outcome_json(j, model, sim, 0);
}

void outcome_ledger_json(ff_json *j, ff_sim *sim) {
    ff_ledger l = ff_sim_ledger(sim);
    ff_json_object(j, "ledger");
#define MEMBER(name) ff_json_number(j, #name, l.name);
    FF_LEDGER_LIST(MEMBER)
#undef MEMBER
    ff_json_number(j, "initial", l.initial);
    ff_json_number(j, "scale", l.scale);
    ff_json_number(j, "residual", l.residual);
    ff_json_end(j);
}

/* Whether something happened at a contact; others are not listed. */
static bool contact_counts(const ff_impacts *i) {
    return i->count > 0 || i->contact_time > 0 || i->force > 0;
}

void outcome_json(ff_json *j, const ff_model *model, ff_sim *sim, const ff_trace *events,
                  const ff_run_options *o) {
    outcome_head_json(j, model, sim, events, o);
    rest_json(j, model, sim);
    ff_json_object(j, "bodies");
    for (size_t i = 0; i < ff_model_body_count(model); i++) {
        ff_motion m = ff_sim_body(sim, i);
        ff_json_object(j, ff_model_body_name(model, i));
        ff_json_numbers(j, "position", m.position, 3);
        ff_json_numbers(j, "velocity", m.velocity, 3);
        ff_json_numbers(j, "orientation", m.orientation, 4);
        ff_json_numbers(j, "omega", m.omega, 3);
        ff_json_end(j);
    }
    ff_json_end(j);
    joints_json(j, model, sim, o);
    outcome_ledger_json(j, sim);
}

double outcome_part(const ff_ledger *l) {
    /* the scale is 0 if nothing has moved */
    return l->residual == 0 ? 0 : fabs(l->residual) / l->scale;
}

void outcome_head_print(const ff_model *model, ff_sim *sim, const ff_trace *events) {
    ff_statistics s = ff_sim_statistics(sim);
    size_t kinds[FF_EVENT_KINDS] = {0};
    for (size_t i = 0; i < ff_trace_event_count(events); i++) {
        ff_event e;
        ff_trace_event(events, i, &e);
        kinds[e.kind]++;
    }
    printf("t = %g s: %ld steps, %ld rejected, %ld evaluations, %.3g ms\n", ff_sim_time(sim),
           s.steps, s.rejected, s.evaluations, s.seconds * 1e3);
    if (ff_model_class_count(model) > 0) {
        printf("crowd: %ld contacts, %ld searches, %d thread%s\n", s.contacts, s.searches,
               s.threads, s.threads > 1 ? "s" : "");
    }
    if (s.switches > 0) {
        printf("auto:");
        for (int m = 0; m < FF_METHODS; m++) {
            if (s.method_steps[m] > 0) {
                printf(" %ld %s", s.method_steps[m], ff_method_name((ff_method)m));
            }
        }
        printf("; %ld change%s:", s.switches, s.switches > 1 ? "s" : "");
        for (int r = 0; r < FF_REASONS; r++) {
            if (s.changes[r] > 0) {
                printf(" %ld %s", s.changes[r], ff_reason_name((ff_reason)r));
            }
        }
        printf("\n");
    }
    printf("events:");
    for (int k = 0; k < FF_EVENT_KINDS; k++) {
        if (kinds[k]) {
            printf(" %zu %s", kinds[k], ff_event_name((ff_event_kind)k));
        }
    }
    printf("%s\n\n", ff_trace_event_count(events) ? "" : " none");
}

/* more would push the ledger off the screen */
enum { bodies_shown = 20 };

/* Replaces a number that is only rounding compared with `size` by 0. */
static double cleaned(double value, double size) { return fabs(value) < 1e-15 * size ? 0 : value; }

static void print_impacts(const ff_model *model, ff_sim *sim) {
    static const table_column columns[] = {{"contact", NULL},   {"impacts", NULL},
                                           {"max force", "N"},  {"max depth", "m"},
                                           {"in contact", "s"}, {"slip", "m"}};
    table t;
    size_t shown = 0, all = 0;
    table_init(&t, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < ff_model_contact_count(model); i++) {
        const ff_impacts seen = ff_sim_impacts(sim, i);
        if (!contact_counts(&seen) || all++ >= bodies_shown) {
            continue;
        }
        shown++;
        table_text(&t, ff_model_contact_name(model, i));
        table_number(&t, (double)seen.count);
        table_number(&t, seen.force);
        table_number(&t, seen.depth);
        table_number(&t, seen.contact_time);
        table_number(&t, seen.slip_distance);
    }
    if (shown > 0) {
        table_print(&t, stdout);
        printf(all > shown ? "... and %zu more\n\n" : "\n", all - shown);
    }
    table_clear(&t);
}

void outcome_print(const ff_model *model, ff_sim *sim, const ff_trace *events) {
    static const table_column bodies[] = {{"body", NULL}, {"x", "m"},    {"y", "m"},   {"z", "m"},
                                          {"vx", "m/s"},  {"vy", "m/s"}, {"vz", "m/s"}};
    static const table_column accounts[] = {{"account", NULL}, {"energy", "J"}};
    ff_ledger l = ff_sim_ledger(sim);
    table t;
    rest_print(model, sim);
    outcome_head_print(model, sim, events);
    table_init(&t, bodies, sizeof bodies / sizeof *bodies);
    size_t count = ff_model_body_count(model), shown = count > bodies_shown ? bodies_shown : count;
    for (size_t i = 0; i < shown; i++) {
        ff_motion m = ff_sim_body(sim, i);
        table_text(&t, ff_model_body_name(model, i));
        const ff_body_facts f = ff_model_body_facts(model, i);
        for (int c = 0; c < 3; c++) {
            table_number(&t, cleaned(m.position[c], f.length_scale));
        }
        for (int c = 0; c < 3; c++) {
            table_number(&t, cleaned(m.velocity[c], f.speed_scale));
        }
    }
    table_print(&t, stdout);
    table_clear(&t);
    if (shown < count) {
        printf("... and %zu more\n", count - shown);
    }
    printf("\n");
    joints_print(model, sim);
    print_impacts(model, sim);
    table_init(&t, accounts, 2);
#define ROW(name)                                                                                  \
    if (cleaned(l.name, l.scale) != 0) {                                                           \
        table_text(&t, #name);                                                                     \
        table_number(&t, l.name);                                                                  \
    }
    FF_LEDGER_LIST(ROW)
#undef ROW
    table_text(&t, "initial");
    table_number(&t, l.initial);
    table_text(&t, "residual");
    table_number(&t, l.residual);
    table_print(&t, stdout);
    table_clear(&t);
    printf("residual is %.1e of scale\n", outcome_part(&l));
}
