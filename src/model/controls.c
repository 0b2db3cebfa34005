/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "model.h"
#include "num/memory.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Finds the contacts of the model that the program names. */
static ff_status find_contacts(ff_model *model, ff_error *error) {
    ff_controls *c = &model->topology->controls;
    const ff_control *program = c->program;
    if (program->contact_count > 0 && (model->open || model->crowd)) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "expressions can read contacts only if at most %d pairs may touch",
                             FF_SLOTS_USUAL);
    }
    c->contacts = ff_malloc((program->contact_count + 1) * sizeof *c->contacts);
    if (!c->contacts) {
        return FF_NO_MEMORY;
    }
    for (size_t i = 0; i < program->contact_count; i++) {
        size_t k = 0;
        while (k < model->contact_count &&
               strcmp(model->slots[k].name, program->contacts[i]) != 0) {
            k++;
        }
        if (k == model->contact_count) {
            return ff_model_fail(error, FF_BAD_VALUE, "there is no contact '%.100s'",
                                 program->contacts[i]);
        }
        c->contacts[i] = k;
    }
    return FF_OK;
}

static ff_status take_own(ff_controls *c, const ff_scene *scene) {
    c->own = ff_malloc((scene->controllers.count + 1) * sizeof *c->own);
    c->own_at = ff_malloc((scene->controllers.count + 1) * sizeof *c->own_at);
    if (!c->own || !c->own_at) {
        return FF_NO_MEMORY;
    }
    for (size_t i = 0; i < scene->controllers.count; i++) {
        const ff_controller_def *def = &scene->controllers.at[i];
        if (ff_controller_copy(def, &c->own[i]) < 0) {
            return FF_NO_MEMORY;
        }
        c->own_count++;
        if (def->every > 0) {
            c->own_at[i] = c->memories;
            c->memories += def->state_count + FF_COMMANDS * def->force_count;
            c->samplers++;
        } else {
            c->own_at[i] = c->states;
            c->states += def->state_count;
            c->differences = c->timed = true;
        }
        c->acts = true;
    }
    return FF_OK;
}

/* Checks that every commanded force has a controller. */
static ff_status check_forces(const ff_scene *scene, ff_error *error) {
    for (size_t i = 0; i < scene->forces.count; i++) {
        bool has = scene->forces.at[i].kind != FF_FORCE_CONTROL;
        for (size_t k = 0; scene->control && k < scene->control->act_count; k++) {
            const ff_target *to = &scene->control->acts[k];
            has = has || (to->kind == FF_TARGET_COMMAND && to->at / FF_COMMANDS == i);
        }
        for (size_t k = 0; k < scene->controllers.count; k++) {
            for (size_t j = 0; j < scene->controllers.at[k].force_count; j++) {
                has = has || scene->controllers.at[k].forces[j] == (int)i;
            }
        }
        if (!has) {
            return ff_model_fail(error, FF_MISSING, "force '%s' needs a controller, and has none",
                                 scene->forces.at[i].name);
        }
    }
    return FF_OK;
}

ff_status ff_controls_make(ff_model *model, const ff_scene *scene, ff_error *error) {
    ff_controls *c = &model->topology->controls;
    ff_status status = check_forces(scene, error);
    c->program = ff_control_keep(scene->control);
    if (status == FF_OK && c->program) {
        c->states = c->program->state_count;
        c->memories = c->program->memory_count;
        c->samplers = c->program->sampler_count;
        c->acts = c->program->act_count > 0;
        c->timed = c->program->timed;
        c->differences = c->program->reads_contact;
        for (size_t i = 0; i < c->program->flow.read_count; i++) {
            /* what a spherical joint has is no state of its own */
            const ff_signal *s = &c->program->flow.reads[i];
            c->differences =
                c->differences || (s->kind == FF_SIGNAL_JOINT &&
                                   scene->joints.at[s->thing].kind == FF_JOINT_SPHERICAL);
        }
        status = find_contacts(model, error);
    }
    status = status < 0 ? status : ff_laws_make(scene, &c->laws, error);
    c->timed = c->timed || c->laws;
    const size_t moved =
        (c->program ? c->program->motion_count : 0) + (c->laws ? c->laws->motion_count : 0);
    if (status == FF_OK && moved > 0 && (model->open || model->crowd)) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "expressions can move planes where at most %d pairs may touch",
                             FF_SLOTS_USUAL);
    }
    return status < 0 ? status : take_own(c, scene);
}

void ff_controls_clear(ff_controls *c) {
    for (size_t i = 0; c->own && i < c->own_count; i++) {
        ff_controller_clear(&c->own[i]);
    }
    ff_free(c->own);
    ff_free(c->own_at);
    ff_free(c->contacts);
    ff_control_drop(c->program);
    ff_control_drop(c->laws);
}

double ff_controls_every(const ff_controls *c, size_t sampler, size_t *own) {
    const size_t first = c->program ? c->program->sampler_count : 0;
    *own = SIZE_MAX;
    if (sampler < first) {
        return c->program->samplers[sampler].every;
    }
    size_t left = sampler - first;
    for (*own = 0; !(c->own[*own].every > 0 && left-- == 0); ++*own) {
        ;
    }
    return c->own[*own].every;
}
