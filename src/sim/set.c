/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "model/numbers.h"
#include "num/memory.h"
#include "sim.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers of a scene as fields ---- */

static void get(ff_sim *sim, const size_t *fields, size_t count, double *values) {
    for (size_t i = 0; i < count; i++) {
        ff_numbers_read(sim->model, fields[i], values);
        values += ff_numbers_facts(sim->model, fields[i]).width;
    }
}

const ff_field_source ff_field_numbers = {.count = ff_numbers_total,
                                          .describe = ff_numbers_describe,
                                          .find = ff_numbers_find,
                                          .get = get};

/* ---- a sim's own numbers ---- */

/* A sim uses the model it was created with until it sets a number. Then it has a copy with its own numbers; or, if the
 * scene file was evaluated again, a model made from that, and possibly a copy of this one. */

/* A field that was set, and its values as given, for evaluating the scene file again. */
typedef struct setting {
    size_t number;
    double values[FF_NUMBER_WIDTH];
} setting;

typedef struct ff_own_numbers {
    const ff_model *base; /* the model that the sim was created with */
    ff_model *evaluated, *copy;
    /* memory for the next copy, so that setting inputs repeatedly allocates nothing */
    ff_model *spare;
    setting *set; /* all fields that were set, if the file can be evaluated again */
    size_t count, room;
} ff_own_numbers;

void ff_set_free(ff_sim *sim) {
    ff_own_numbers *own = sim->numbers;
    if (own) {
        ff_model_free(own->spare);
        ff_model_free(own->copy);
        ff_model_free(own->evaluated);
        ff_free(own->set);
        ff_free(own);
    }
}

/* The sim's own numbers, with room for `more` fields; NULL if out of memory. */
static ff_own_numbers *own_of(ff_sim *sim, size_t more) {
    ff_own_numbers *own = sim->numbers;
    if (!own) {
        own = sim->numbers = ff_calloc(1, sizeof *own);
        if (!own) {
            return NULL;
        }
        own->base = sim->model;
    }
    if (own->base->defs.origin && own->count + more > own->room) {
        size_t room = own->count + more;
        setting *grown = ff_realloc(own->set, room * sizeof *grown);
        if (!grown) {
            return NULL;
        }
        own->set = grown;
        own->room = room;
    }
    return own;
}

/* Gives the sim a model: a copy, or one made from its scene. */
static void take(ff_sim *sim, ff_model *made, bool keep_spare) {
    ff_own_numbers *own = sim->numbers;
    ff_model *old = own->copy;
    if (!made->copy) {
        ff_model_free(own->evaluated);
        own->evaluated = made;
        own->copy = NULL;
    } else {
        own->copy = made;
    }
    if (keep_spare && old) {
        ff_model_free(own->spare);
        own->spare = old;
    } else {
        ff_model_free(old);
    }
    sim->model = made;
    ff_near_refresh(sim);
}

/* a copy of the current model, in the spare memory if there is some */
static ff_model *copy_of(ff_sim *sim) {
    ff_model *spare = sim->numbers->spare;
    sim->numbers->spare = NULL;
    return ff_model_copy(sim->model, spare);
}

/* returns a copy that is not needed */
static void put_back(ff_sim *sim, ff_model *made) {
    if (made && made->copy) {
        sim->numbers->spare = made;
    } else {
        ff_model_free(made);
    }
}

/* ---- requests ---- */

static ff_status no_memory(ff_error *error) {
    return ff_model_fail(error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
}

/* paths in messages are truncated so that the sentence fits */
#define SHOWN "'%.100s'"

/* The number that a field refers to; SIZE_MAX, with an error, if it cannot be set. A position or velocity given by the
 * scene has the same path as the state of the run: setting it sets the start. */
static size_t number_of(const ff_model *model, size_t field, ff_error *error) {
    size_t first, end;
    ff_field f;
    if (model->fields) {
        ff_model_fail(error, FF_BAD_VALUE,
                      "the numbers of an inclusion can only be set in its definition");
        return SIZE_MAX;
    }
    const ff_field_source *source = ff_field_source_of(model, field, &first, &end);
    if (!source) {
        ff_model_fail(error, FF_BAD_VALUE, "there is no field %zu: there are %zu, counted from 0",
                      field, end);
        return SIZE_MAX;
    }
    size_t number = field - first;
    if (source != &ff_field_numbers) {
        ff_model_field(model, field, &f);
        number = ff_numbers_find(model, f.path, strlen(f.path));
    }
    if (number != SIZE_MAX && ff_numbers_facts(model, number).kind != FF_FIELD_STRUCTURE) {
        return number;
    }
    ff_model_field(model, field, &f);
    const char *why =
        f.kind == FF_FIELD_STRUCTURE
            ? "is part of the structure of the model: to change it, make a new model from a scene"
        : number != SIZE_MAX ? "cannot be set: the start of the body is determined by a joint"
        : f.kind == FF_FIELD_STATE
            ? "is a state of the run and cannot be set"
            : "is an output, computed from states, inputs and parameters, and cannot be set";
    ff_model_fail(error, FF_BAD_VALUE, SHOWN " %s", f.path, why);
    return SIZE_MAX;
}

/* What setting some fields requires. */
typedef struct plan {
    bool parameters, feeds, bodies, surfaces;
} plan;

static bool has_begun(const ff_sim *sim) {
    return sim->flow.now.statistics.steps > 0 || ff_sim_time(sim) > 0;
}

static ff_status make_plan(const ff_sim *sim, const size_t *numbers, size_t count, plan *out,
                           ff_error *error) {
    const ff_model *model = sim->model;
    for (size_t i = 0; i < count; i++) {
        ff_number_facts facts = ff_numbers_facts(model, numbers[i]);
        if (facts.kind == FF_FIELD_PARAMETER && has_begun(sim)) {
            ff_field f;
            ff_numbers_describe(model, numbers[i], &f);
            return ff_model_fail(
                error, FF_BAD_VALUE,
                SHOWN
                " is a parameter: it can only be set before the first step, and the run has begun",
                f.path);
        }
        out->parameters = out->parameters || facts.kind == FF_FIELD_PARAMETER;
        out->feeds = out->feeds || facts.feeds;
        out->bodies = out->bodies || facts.bodies;
        out->surfaces = out->surfaces || facts.surfaces;
    }
    return FF_OK;
}

/* ---- changes through the definitions of the model ---- */

static ff_status change(ff_sim *sim, const size_t *numbers, size_t count, const double *values,
                        const plan *p, ff_model **out, ff_error *error) {
    ff_model *made = *out = copy_of(sim);
    ff_status status = made ? FF_OK : no_memory(error);
    for (size_t i = 0; i < count && status == FF_OK; i++) {
        status = ff_numbers_write(made, numbers[i], values, error);
        values += ff_numbers_facts(sim->model, numbers[i]).width;
    }
    return status < 0 ? status : ff_model_derive(made, p->bodies ? &made->defs : NULL, error);
}

/* ---- changes through the scene file ---- */

/* PATH=VALUE has at most a path and nine numbers, or one number and its unit */
enum { SETTING = FF_FIELD_PATH + FF_NUMBER_WIDTH * 28 + FF_FIELD_UNIT };

static void write_setting(const ff_model *model, size_t number, const double *values, char *out) {
    ff_field f;
    ff_numbers_describe(model, number, &f);
    int at = snprintf(out, SETTING, "%s=%s", f.path, f.width > 1 ? "[" : "");
    for (size_t i = 0; i < f.width; i++) {
        const bool row = f.width == 9 && i % 3 == 0;
        at += snprintf(out + at, (size_t)(SETTING - at), "%s%s%.17g",
                       i == 0 ? ""
                       : row  ? "], "
                              : ", ",
                       row ? "[" : "", values[i]);
    }
    snprintf(out + at, (size_t)(SETTING - at), "%s", f.width == 9 ? "]]" : f.width > 1 ? "]" : "");
}

/* writes all earlier settings that are not replaced now, then the new ones; returns how many */
static size_t write_settings(const ff_sim *sim, const size_t *numbers, size_t count,
                             const double *values, char (*texts)[SETTING]) {
    const ff_own_numbers *own = sim->numbers;
    size_t n = 0;
    for (size_t i = 0; i < own->count; i++) {
        const setting *before = &own->set[i];
        bool again = false;
        for (size_t k = 0; k < count; k++) {
            again = again || numbers[k] == before->number;
        }
        if (!again) {
            write_setting(sim->model, before->number, before->values, texts[n++]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        write_setting(sim->model, numbers[i], values, texts[n++]);
        values += ff_numbers_facts(sim->model, numbers[i]).width;
    }
    return n;
}

/* Compiles the scene of the file with all settings, with the run options of the original model. */
static ff_status compile(const ff_model *base, const ff_scene *scene, ff_model **out,
                         ff_error *error) {
    ff_scene with = *scene;
    with.run = base->run;
    with.events.at = base->events;
    with.events.count = base->event_count;
    with.origin = base->defs.origin;
    ff_status status = ff_model_create(&with, out, error);
    return status < 0 ? status : ff_model_compare(base, *out, error);
}

static ff_status evaluate(ff_sim *sim, const size_t *numbers, size_t count, const double *values,
                          ff_model **out, ff_error *error) {
    const ff_own_numbers *own = sim->numbers;
    const ff_origin *origin = own->base->defs.origin;
    const size_t most = own->count + count;
    char(*texts)[SETTING] = ff_malloc(most * sizeof *texts);
    const char **settings = ff_malloc(most * sizeof *settings);
    ff_messages messages = {0};
    ff_scene *scene = NULL;
    ff_status status = texts && settings ? FF_OK : FF_NO_MEMORY;
    if (status == FF_OK) {
        size_t n = write_settings(sim, numbers, count, values, texts);
        for (size_t i = 0; i < n; i++) {
            settings[i] = texts[i];
        }
        status = origin->with(origin, settings, n, &scene, &messages);
    }
    if (status == FF_OK) {
        status = compile(own->base, scene, out, error);
    } else if (status != FF_NO_MEMORY && messages.count > 0) {
        ff_model_fail(error, status, "%s", messages.at[0].text);
    }
    status = status == FF_NO_MEMORY ? no_memory(error) : status;
    ff_messages_clear(&messages);
    ff_scene_free(scene);
    ff_free(settings);
    ff_free(texts);
    return status;
}

/* ---- continuing with another model ---- */

/* gravity and springs: the stored energies that depend on inputs, J */
static double stored(ff_sim *sim) {
    const double *y = sim->flow.y, *bodies = ff_sim_bodies_at(sim, y);
    return ff_dynamics_gravity(sim->model, bodies, true) +
           ff_dynamics_springs(sim->model, &sim->contexts[0], bodies, y);
}

/* Pending events are kept; several inputs at one instant are one event. */
static void queue_switch(ff_sim *sim) {
    ff_flow_now *now = &sim->flow.now;
    if (now->reported == now->queued) {
        now->reported = now->queued = 0;
    }
    for (size_t i = now->reported; i < now->queued; i++) {
        if (sim->flow.queue[i].kind == FF_SWITCH) {
            return;
        }
    }
    ff_flow_report(&sim->flow, FF_SWITCH, -1, false);
}

/* Continues a run with other inputs: the change of stored energies is external. Sticking contacts may slip, for example on
 * a belt with another speed. */
static ff_status go_on(ff_sim *sim, ff_model *made) {
    const double before = stored(sim);
    ff_checkpoint_note(sim);
    take(sim, made, true);
    ff_system_use(sim);
    *sim->phase.spent += before - stored(sim);
    sim->reactions = false;
    queue_switch(sim);
    ff_survey_forget(sim);
    return ff_flow_disturb(&sim->flow);
}

/* Whether the sim is at the start of its model: it has made no step, and ff_sim_begin() has not moved it. */
static bool is_at_start(ff_sim *sim) {
    const ff_model *model = sim->model;
    const double *start = model->starts;
    if (has_begun(sim) || sim->rest.found) {
        return !has_begun(sim);
    }
    if (ff_articulated(model)) {
        ff_links_read(model, model->starts, sim->scratch);
        start = sim->scratch;
    }
    return memcmp(sim->flow.y, start, (model->control_at - model->bristles) * sizeof *start) == 0;
}

/* records a setting; there is room */
static void note(ff_own_numbers *own, size_t number, const double *values, size_t width) {
    size_t i = 0;
    while (i < own->count && own->set[i].number != number) {
        i++;
    }
    own->count += i == own->count;
    own->set[i].number = number;
    memcpy(own->set[i].values, values, width * sizeof *values);
}

/* ---- setting ---- */

/* `again`: the sim begins anew. `alone`: the file is not evaluated, whatever follows from the numbers there. */
static ff_status set_numbers(ff_sim *sim, const size_t *numbers, size_t count, const double *values,
                             bool again, bool alone, ff_error *error) {
    plan p = {0};
    ff_model *made = NULL;
    ff_status status = make_plan(sim, numbers, count, &p, error);
    if (status < 0 || count == 0) {
        return status;
    }
    ff_own_numbers *own = own_of(sim, count);
    if (!own) {
        return no_memory(error);
    }
    const bool file = own->base->defs.origin && !alone;
    status = p.feeds && file ? evaluate(sim, numbers, count, values, &made, error)
                             : change(sim, numbers, count, values, &p, &made, error);
    if (status == FF_OK && sim->kind->renumber) {
        status = sim->kind->renumber(sim, made, error);
    }
    const bool begins = !sim->kind->renumber && (again || p.parameters || is_at_start(sim));
    if (status == FF_OK && begins && made->defs.start == FF_START_REST) {
        /* a start at rest may not be found: then nothing must have changed */
        ff_sim *probe = NULL;
        status = ff_sim_create(made, &sim->options, &probe, error);
        ff_sim_free(probe);
    }
    if (status < 0) {
        put_back(sim, made);
        return status;
    }
    for (size_t i = 0; file && i < count; i++) {
        size_t width = ff_numbers_facts(sim->model, numbers[i]).width;
        note(own, numbers[i], values, width);
        values += width;
    }
    if (sim->kind->renumber) {
        take(sim, made, false);
        ff_verdict_begin(sim);
    } else if (begins) {
        take(sim, made, again);
        status = ff_sim_rebegin(sim);
    } else {
        status = go_on(sim, made);
    }
    return status;
}

static ff_status set_fields(ff_sim *sim, const size_t *fields, size_t count, const double *values,
                            bool again, bool alone, ff_error *error) {
    size_t few[16],
        *numbers = count <= sizeof few / sizeof *few ? few : ff_malloc(count * sizeof *numbers);
    ff_status status = numbers ? FF_OK : no_memory(error);
    for (size_t i = 0; i < count && status == FF_OK; i++) {
        numbers[i] = number_of(sim->model, fields[i], error);
        status = numbers[i] == SIZE_MAX ? FF_BAD_VALUE : FF_OK;
    }
    status = status < 0 ? status : set_numbers(sim, numbers, count, values, again, alone, error);
    if (numbers != few) {
        ff_free(numbers);
    }
    return status;
}

ff_status ff_sim_set_all(ff_sim *sim, const size_t *fields, size_t count, const double *values,
                         ff_error *error) {
    return set_fields(sim, fields, count, values, false, false, error);
}

ff_status ff_set_again(ff_sim *sim, const size_t *fields, size_t count, const double *values,
                       bool alone, ff_error *error) {
    sim->flow.now.statistics.steps = 0;
    sim->flow.now.clock = ff_clock_at(0, 1);
    return set_fields(sim, fields, count, values, true, alone, error);
}

bool ff_set_same(const ff_sim *a, const ff_sim *b) {
    bool same = true;
    for (size_t i = 0; same && i < ff_numbers_total(a->model); i++) {
        double x[FF_NUMBER_WIDTH], y[FF_NUMBER_WIDTH];
        ff_numbers_read(a->model, i, x);
        ff_numbers_read(b->model, i, y);
        same = memcmp(x, y, ff_numbers_facts(a->model, i).width * sizeof *x) == 0;
    }
    return same;
}

ff_status ff_sim_set_path(ff_sim *sim, const char *path, double value, ff_error *error) {
    size_t field, part;
    ff_status status = ff_model_field_find(sim->model, path, &field, &part, error);
    size_t number = status < 0 ? SIZE_MAX : number_of(sim->model, field, error);
    if (number == SIZE_MAX) {
        return FF_BAD_VALUE;
    }
    double values[FF_NUMBER_WIDTH];
    const size_t width = ff_numbers_facts(sim->model, number).width;
    if (part == SIZE_MAX && width > 1) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             SHOWN " has %zu numbers: name one of them, as '%.80s[0]'", path, width,
                             path);
    }
    ff_numbers_read(sim->model, number, values);
    values[part == SIZE_MAX ? 0 : part] = value;
    return set_numbers(sim, &number, 1, values, false, false, error);
}

/* ---- inputs as part of the state ---- */

size_t ff_set_inputs_size(const ff_sim *sim) { return ff_numbers_inputs(sim->model); }

void ff_set_inputs_save(const ff_sim *sim, double *values) {
    ff_numbers_inputs_read(sim->model, values);
}

/* records the inputs that differ from those of the original model */
static void note_input(void *user, size_t number) {
    const ff_sim *sim = user;
    double ours[FF_NUMBER_WIDTH], theirs[FF_NUMBER_WIDTH];
    ff_numbers_read(sim->model, number, ours);
    ff_numbers_read(sim->numbers->base, number, theirs);
    size_t width = ff_numbers_facts(sim->model, number).width;
    if (memcmp(ours, theirs, width * sizeof *ours) != 0) {
        note(sim->numbers, number, ours, width);
    }
}

/* Whether restored inputs are valid for a model. */
typedef struct judging {
    const ff_model *base;
    ff_model *made;
    ff_status status;
} judging;

/* Checks a restored input by setting it again. An input that has the value of the scene is accepted, since it may be one
 * that cannot be set, such as the absence of a joint limit. */
static void check_input(void *user, size_t number) {
    judging *j = user;
    double ours[FF_NUMBER_WIDTH], theirs[FF_NUMBER_WIDTH];
    ff_numbers_read(j->made, number, ours);
    ff_numbers_read(j->base, number, theirs);
    size_t width = ff_numbers_facts(j->made, number).width;
    if (j->status == FF_OK && memcmp(ours, theirs, width * sizeof *ours) != 0) {
        j->status = ff_numbers_write(j->made, number, ours, NULL);
    }
}

ff_status ff_set_inputs_restore(ff_sim *sim, const double *values) {
    const size_t count = ff_numbers_inputs(sim->model);
    double *now = ff_malloc((count + 1) * sizeof *now);
    if (!now) {
        return FF_NO_MEMORY;
    }
    ff_numbers_inputs_read(sim->model, now);
    const bool same = memcmp(now, values, count * sizeof *now) == 0;
    ff_free(now);
    if (same) {
        return FF_OK;
    }
    ff_own_numbers *own = own_of(sim, count);
    ff_model *made = own ? copy_of(sim) : NULL;
    if (!made) {
        return FF_NO_MEMORY;
    }
    /* first all at once, then one by one, because limits of a joint are checked together */
    ff_numbers_inputs_write(made, values);
    judging judge = {own->base, made, FF_OK};
    ff_numbers_each_input(made, check_input, &judge);
    ff_status status = judge.status < 0 ? judge.status : ff_model_derive(made, NULL, NULL);
    if (status < 0) {
        put_back(sim, made);
        return status;
    }
    ff_checkpoint_note(sim);
    take(sim, made, true);
    ff_system_use(sim);
    if (own->base->defs.origin) {
        ff_numbers_each_input(sim->model, note_input, sim);
    }
    return FF_OK;
}
