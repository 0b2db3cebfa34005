/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Any text as the file of an inclusion: it is refused with a reason and a place, or it is shown, set up and runs some
 * steps. The sanitizers look on. The length of the text chooses what each dio and sgn becomes. */

#include "io/inclusion_file.h"
#include "io/messages.h"
#include "sim/sim.h"
#include <footfall/field.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

/* a few steps of any method; what a run says is looked at, not judged: it may be stiff, or no number */
static void run(ff_equations *s, const ff_run_options *o) {
    ff_sim *inc = NULL;
    ff_error error = {""};
    if (ff_inclusion_create(ff_equations_def(s), o, &inc, &error) < 0) {
        must(*error.text, "a system that cannot be made, without a reason");
        return;
    }
    const ff_model *model = inc->model;
    const size_t count = ff_model_field_count(model);
    size_t width = 0, *fields = calloc(count, sizeof *fields);
    for (size_t i = 0; i < count; i++) {
        ff_field f;
        must(ff_model_field(model, i, &f), "a field that is not there");
        width += f.width;
        fields[i] = i;
    }
    double *values = calloc(width, sizeof *values);
    ff_status status = FF_OK;
    for (int i = 0; i < 10 && status >= 0 && ff_sim_time(inc) < o->until; i++) {
        double before = ff_sim_time(inc);
        status = ff_sim_step(inc, o->until);
        must(status >= 0 || *ff_sim_error(inc), "a step that failed, without a reason");
        must(ff_sim_time(inc) >= before, "time that goes back");
        ff_sim_observe(inc, (before + ff_sim_time(inc)) / 2);
        must(ff_sim_get_all(inc, fields, count, values) == FF_OK, "fields without values");
        ff_sim_observe(inc, (double)NAN);
    }
    free(values);
    free(fields);
    ff_sim_free(inc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const frictions[] = {"sat",     "lugre",       "dahl",
                                            "coulomb", "awrejcewicz", "bengisu-akay"};
    static const char *const contacts[] = {"xiong", "linear", "hunt-crossley", "azad-featherstone"};
    const ff_rivals rivals = {contacts[size / 6 % 4], frictions[size % 6]};
    ff_messages messages = {0};
    ff_equations *s = NULL;
    ff_run_options o;
    ff_status status =
        ff_inclusion_parse("file", (const char *)data, size, NULL, 0, &rivals, &s, &o, &messages);
    if (status == FF_OK) {
        char *text = ff_equations_show(s);
        must(text, "not shown");
        free(text);
        run(s, &o);
    } else {
        must(!s && ff_messages_total(&messages) > 0, "refused without a reason");
    }
    for (size_t i = 0; i < messages.count; i++) {
        char line[600];
        ff_message_format(&messages.at[i], line, sizeof line);
        must(strlen(line) > 6, "an empty message");
    }
    ff_messages_clear(&messages);
    ff_equations_free(s);
    return 0;
}
