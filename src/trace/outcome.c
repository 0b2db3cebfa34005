/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Warnings and impacts of a run as JSON: printed by `footfall run --json`, stored in traces, shown on pages. */

#include "model/model.h"
#include "num/memory.h"
#include "sim/warnings.h"
#include "trace.h"
#include <footfall/warning.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void put_warnings(ff_json *j, const ff_warnings *list) {
    for (size_t i = 0; i < list->count; i++) {
        const ff_warning *w = &list->at[i];
        ff_json_object(j, NULL);
        ff_json_string(j, "kind", ff_warning_name(w->kind));
        ff_json_number(j, "value", w->value);
        ff_json_number(j, "limit", w->limit);
        ff_json_string(j, "text", w->text);
        ff_json_end(j);
    }
}

/* The recorded impacts of one contact. */
static void put_each(ff_json *j, const ff_sim *sim, size_t contact) {
    ff_json_array(j, "each");
    for (size_t i = 0; i < ff_sim_impact_count(sim) && i < FF_IMPACTS_KEPT; i++) {
        const ff_impact_record r = ff_sim_impact(sim, i);
        if (r.contact == (int)contact) {
            ff_json_object(j, NULL);
            ff_json_number(j, "t", r.time);
            ff_json_number(j, "speed", r.speed);
            ff_json_number(j, "restitution", r.restitution);
            ff_json_number(j, "contact_time", r.contact_time);
            ff_json_end(j);
        }
    }
    ff_json_end(j);
}

/* Energies exchanged through one contact, J, without accounts that are 0. */
static void put_accounts(ff_json *j, ff_ledger l) {
    ff_json_object(j, "energy");
#define MEMBER(name)                                                                               \
    if (l.name != 0) {                                                                             \
        ff_json_number(j, #name, l.name);                                                          \
    }
    FF_LEDGER_LIST(MEMBER)
#undef MEMBER
    ff_json_end(j);
}

/* Contacts that were never touched are omitted: most of many pairs. */
static void put_impacts(ff_json *j, const ff_model *model, const ff_sim *sim, size_t most) {
    size_t touched = 0;
    ff_json_object(j, "impacts");
    for (size_t i = 0; i < ff_model_contact_count(model); i++) {
        const ff_impacts seen = ff_sim_impacts(sim, i);
        if (!(seen.count > 0 || seen.contact_time > 0 || seen.force > 0) ||
            (touched++ >= most && most > 0)) {
            continue;
        }
        ff_json_object(j, ff_model_contact_name(model, i));
        ff_json_integer(j, "count", (long long)seen.count);
        ff_json_number(j, "max_force", seen.force);
        ff_json_number(j, "max_depth", seen.depth);
        ff_json_number(j, "contact_time", seen.contact_time);
        ff_json_number(j, "slip_distance", seen.slip_distance);
        put_each(j, sim, i);
        put_accounts(j, ff_sim_contact_ledger(sim, i));
        ff_json_end(j);
    }
    ff_json_end(j);
    ff_json_integer(j, "contacts_touched", (long long)touched);
}

void ff_outcome_json(ff_json *j, const ff_model *model, ff_sim *sim, size_t contacts_most) {
    ff_warnings list;
    ff_json_array(j, "warnings");
    ff_warnings_of_model(model, &list);
    put_warnings(j, &list);
    if (sim) {
        ff_warnings_of_run(sim, &list);
        put_warnings(j, &list);
    }
    ff_json_end(j);
    if (sim) {
        put_impacts(j, model, sim, contacts_most);
    }
}

/* An entry has about 500 bytes: together they stay below a quarter of a megabyte in a page. */
enum { contacts_shown = 500 };

char *ff_outcome_make(const ff_model *model, ff_sim *sim) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return NULL;
    }
    ff_json j = {.out = out};
    ff_json_object(&j, NULL);
    ff_outcome_json(&j, model, sim, contacts_shown);
    ff_json_end(&j);
    bool done = !ferror(out);
    done = fclose(out) == 0 && done;
    text = ff_streamed(text, size);
    if (!done) {
        ff_free(text);
    }
    return done ? text : NULL;
}
