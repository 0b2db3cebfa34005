/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "model/fields.h"
#include "sim.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Fields of controllers, in this order:
 *    controllers.NAME.x       states; numbers that samples and events change; outputs
 *    controllers.NAME.states  all states of a controller in C
 *    forces.NAME.effort       of commanded forces; .force and .torque on bodies */

typedef enum part { STATES, MEMORIES, SHOWN, OWN, COMMANDS, PARTS } part;

static const ff_control *program_of(const ff_model *model) {
    return model->topology ? model->topology->controls.program : NULL;
}

/* Whether a number is a field of its own. Numbers that hold commands have paths beginning with '#' and are listed as
 * commands. */
static bool is_listed(const ff_control_number *n) { return n->path[0] != '#'; }

static const ff_control_number *numbers_of(const ff_model *model, part p, size_t *count) {
    const ff_control *program = program_of(model);
    *count = !program        ? 0
             : p == STATES   ? program->state_count
             : p == MEMORIES ? program->memory_count
                             : program->shown_count;
    return !program        ? NULL
           : p == STATES   ? program->states
           : p == MEMORIES ? program->memories
                           : program->shown;
}

/* Field i: the number, its part, and for commands which of its two fields; false if there is none. */
typedef struct place {
    part part;
    size_t index;
    int which;
    size_t width;
} place;

static bool find_place(const ff_model *model, size_t i, place *out) {
    const ff_controls *c = model->topology ? &model->topology->controls : NULL;
    for (part p = STATES; p <= SHOWN && c; p++) {
        size_t count;
        const ff_control_number *numbers = numbers_of(model, p, &count);
        for (size_t k = 0; k < count; k++) {
            if (is_listed(&numbers[k]) && i-- == 0) {
                *out = (place){p, k, 0, 1};
                return true;
            }
        }
    }
    for (size_t k = 0; c && k < c->own_count; k++) {
        if (c->own[k].state_count > 0 && i-- == 0) {
            *out = (place){OWN, k, 0, c->own[k].state_count};
            return true;
        }
    }
    for (size_t k = 0; c && c->acts && k < model->force_count; k++) {
        const ff_force_def *f = &model->forces[k];
        for (int which = 0; which < (f->joint < 0 ? 2 : 1); which++) {
            if (f->kind == FF_FORCE_CONTROL && i-- == 0) {
                *out = (place){COMMANDS, k, which, f->joint < 0 ? 3 : 1};
                return true;
            }
        }
    }
    return false;
}

static size_t count(const ff_model *model) {
    place at;
    size_t i = 0;
    while (find_place(model, i, &at)) {
        i++;
    }
    return i;
}

static void describe(const ff_model *model, size_t i, ff_field *out) {
    place at;
    size_t numbers;
    find_place(model, i, &at);
    out->width = at.width;
    out->kind = FF_FIELD_OUTPUT;
    if (at.part <= SHOWN) {
        const ff_control_number *n = &numbers_of(model, at.part, &numbers)[at.index];
        snprintf(out->path, sizeof out->path, "%s", n->path);
        snprintf(out->unit, sizeof out->unit, "%s", n->unit);
        out->kind = at.part == STATES ? FF_FIELD_STATE : FF_FIELD_OUTPUT;
        out->scale = at.part == STATES ? n->scale : 0;
        out->meaning = at.part == STATES     ? "state of a controller"
                       : at.part == MEMORIES ? "number held by a controller"
                                             : "output of a controller";
    } else if (at.part == OWN) {
        const ff_controller_def *def = &model->topology->controls.own[at.index];
        snprintf(out->path, sizeof out->path, "controllers.%.100s.states", def->name);
        out->kind = def->every > 0 ? FF_FIELD_OUTPUT : FF_FIELD_STATE;
        out->meaning = "states of a controller";
    } else {
        const ff_force_def *f = &model->forces[at.index];
        const bool turns =
            f->joint >= 0 ? model->joints[f->joint].kind == FF_JOINT_REVOLUTE : at.which == 1;
        static const char *const words[2][2] = {{"force", "torque"}, {"effort", "effort"}};
        snprintf(out->path, sizeof out->path, "forces.%.100s.%s",
                 model->defs.forces.at[at.index].name, words[f->joint >= 0][at.which]);
        snprintf(out->unit, sizeof out->unit, turns ? "N m" : "N");
        out->meaning = "command of its controller";
        if (f->joint < 0) {
            memcpy(out->parts, (const char *[4]){"x", "y", "z"}, sizeof out->parts);
        }
    }
}

static size_t find(const ff_model *model, const char *path, size_t length) {
    place at;
    for (size_t i = 0; find_place(model, i, &at); i++) {
        ff_field f;
        describe(model, i, &f);
        if (strlen(f.path) == length && strncmp(f.path, path, length) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

static void get(ff_sim *sim, const size_t *fields, size_t n, double *values) {
    const ff_controls *c = &sim->model->topology->controls;
    const ff_control *program = c->program;
    ff_control_view view;
    ff_scene_look(sim, &view);
    for (size_t i = 0; i < n; i++) {
        place at;
        const double *from;
        find_place(sim->model, fields[i], &at);
        switch (at.part) {
        case STATES: from = view.y + view.model->control_at + at.index; break;
        case MEMORIES: from = view.phase->memory + at.index; break;
        case OWN:
            from =
                c->own[at.index].every > 0 ? view.phase->memory : view.y + view.model->control_at;
            from += c->own_at[at.index];
            break;
        case SHOWN: {
            double *work = view.phase->control_work + program->flow.work_at;
            ff_control_gather(&view, &program->flow, view.phase->control_work);
            for (size_t g = 0; g < FF_FLOW_GROUPS; g++) {
                ff_tape_run(program->flow.tape, g, work);
            }
            from = work +
                   ff_tape_place(program->flow.tape, program->act_count + program->branch_count +
                                                         program->slope_count + at.index);
            break;
        }
        default:
            ff_control_act(&view, NULL);
            from = view.phase->commands + FF_COMMANDS * at.index + 3 * at.which;
        }
        memcpy(values, from, at.width * sizeof *values);
        values += at.width;
    }
}

const ff_field_source ff_field_controls = {
    .count = count, .describe = describe, .find = find, .get = get};
