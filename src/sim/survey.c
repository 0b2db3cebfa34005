/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/valid.h"
#include "sim.h"
#include <float.h>
#include <stdio.h>
#include <string.h>

/* Lengths of steps over which no function that a user has written can hide anything (docs/theory.md, Between stages). */

/* ---- what a function may leave out ---- */

/* Fixed steps have no tolerance: what changes a state by a thousandth of its scale counts as missed. */
#define FIXED_TOL 1e-3

static double tolerance(const ff_sim *sim) {
    return ff_method_order(sim->flow.now.method) > 0 ? sim->options.tol : FIXED_TOL;
}

/* Impulse or angular impulse on a body that changes its motion by the tolerance. */
static double room_of_body(const ff_sim *sim, int body, bool turns) {
    const ff_model_body *b = &sim->reduced->bodies[body];
    const ff_extent *size = &sim->extents[body];
    double inertia = b->mass;
    for (int c = 0; c < 3 && turns; c++) {
        inertia = c == 0 ? b->inertia[c][c] : fmin(inertia, b->inertia[c][c]);
    }
    return tolerance(sim) * inertia * (turns ? size->turning : size->speed);
}

static double room_of_force(const ff_sim *sim, size_t command) {
    const ff_force_def *f = &sim->reduced->forces[command / FF_COMMANDS];
    if (f->joint < 0) {
        return room_of_body(sim, f->body, command % FF_COMMANDS >= 3);
    }
    const ff_joint *j = &sim->reduced->joints[f->joint];
    const bool turns = !ff_joint_coordinate_slides(j->kind, f->coordinate);
    const double room = room_of_body(sim, j->second, turns);
    return j->first < 0 ? room : fmin(room, room_of_body(sim, j->first, turns));
}

static double room_of_act(const ff_sim *sim, const ff_target *to) {
    return to->kind == FF_TARGET_COMMAND
               ? room_of_force(sim, to->at)
               : tolerance(sim) / (sim->options.tol * FF_LOCAL_PART *
                                   sim->flow.per_weight[sim->reduced->control_at + to->at]);
}

static bool acts(const ff_sim *sim, const ff_target *to) {
    return to->kind != FF_TARGET_COMMAND || sim->phase.acting[to->at / FF_COMMANDS];
}

/* ---- functions of time ---- */

/* The functions that are surveyed together: commands and rates, then each prescribed motion of a joint, and of a plane. Motions are
 * in the program of a scene file, and in the laws of definitions made by function calls. */
static size_t drives_of(const ff_model *model) {
    const ff_controls *c = &model->topology->controls;
    return (c->program ? c->program->drive_count : 0) + (c->laws ? c->laws->drive_count : 0);
}

static size_t motions_of(const ff_model *model) {
    const ff_controls *c = &model->topology->controls;
    return (c->program ? c->program->motion_count : 0) + (c->laws ? c->laws->motion_count : 0);
}

static const ff_joint_motion *drive_of(const ff_model *model, size_t i) {
    const ff_controls *c = &model->topology->controls;
    const size_t first = c->program ? c->program->drive_count : 0;
    return i < first ? &c->program->drives[i] : &c->laws->drives[i - first];
}

static const ff_plane_motion *motion_of(const ff_model *model, size_t i) {
    const ff_controls *c = &model->topology->controls;
    const size_t first = c->program ? c->program->motion_count : 0;
    return i < first ? &c->program->motions[i] : &c->laws->motions[i - first];
}

/* pieces of dopri5, of dop853, between which auto changes often, and of other methods */
enum { METHODS = 3 };

size_t ff_survey_count(const ff_model *model) {
    const ff_controls *c = &model->topology->controls;
    return c->program || c->laws ? METHODS * (1 + drives_of(model) + motions_of(model)) : 0;
}

bool ff_survey_limits(const ff_model *model) {
    const ff_controls *c = &model->topology->controls;
    return c->own_count > 0 || ff_survey_count(model) > 0;
}

void ff_survey_forget(ff_sim *sim) {
    /* inclusions and crowds have none */
    const size_t count = sim->surveys ? ff_survey_count(sim->reduced) : 0;
    for (size_t k = 0; k < count; k++) {
        sim->surveys[k] = (ff_survey){0};
    }
}

bool ff_survey_valid(const ff_sim *sim) {
    return ff_valid_sizes((const double *)sim->surveys,
                          sizeof(ff_survey) / sizeof(double) * ff_survey_count(sim->reduced));
}

/* What a motion of a plane may leave out while a contact with it is closed: then it acts through the law. INFINITY: none is. */
static double plane_room(const ff_sim *sim, const ff_plane_motion *motion) {
    double room = HUGE_VAL;
    for (size_t i = 0; i < sim->reduced->slot_count; i++) {
        const ff_slot *slot = &sim->reduced->slots[i];
        if (slot->motion == motion && sim->phase.modes[i] != FF_AIR) {
            room = fmin(room, tolerance(sim) * sim->extents[slot->body].length);
        }
    }
    return room;
}

/* Longest step from any time between two times on. */
static double longest_within(ff_sim *sim, size_t which, double from, double to) {
    const ff_control *program = sim->reduced->topology->controls.program;
    const ff_quadrature q = ff_quadrature_of(&sim->flow);
    double most = HUGE_VAL;
    if (which == 0) {
        ff_piece_time(sim, from, to, q.order);
        for (size_t i = 0; i < program->act_count && most > 0; i++) {
            const unsigned char relies = sim->pieces.acts[i];
            if ((relies == FF_RELIES_ON_TIME || relies == FF_RELIES_AFFINELY) &&
                acts(sim, &program->acts[i])) {
                const ff_interval *c =
                    ff_series_output(program->flow.tape, i, q.order, sim->pieces.work);
                most = fmin(most,
                            ff_quadrature_longest(c, q, room_of_act(sim, &program->acts[i]), true));
            }
        }
        return most;
    }
    const size_t drive = which - 1, drives = drives_of(sim->reduced);
    if (drive < drives) {
        const ff_joint_motion *law = drive_of(sim->reduced, drive);
        const ff_joint *j = &sim->reduced->joints[law->joint];
        ff_piece_law(sim, &law->program, from, to, q.order);
        /* the second rate is an acceleration */
        const ff_interval *c = ff_series_output(law->program.tape, 2, q.order, sim->pieces.work);
        const ff_extent *size = &sim->extents[j->second];
        const bool slides = ff_joint_coordinate_slides(j->kind, law->coordinate);
        return ff_quadrature_longest(c, q, tolerance(sim) * (slides ? size->speed : size->turning),
                                     true);
    }
    const ff_plane_motion *law = motion_of(sim->reduced, drive - drives);
    const double room = plane_room(sim, law);
    ff_piece_law(sim, &law->program, from, to, q.order);
    for (size_t c = 0; c < 3; c++) {
        const ff_interval *x = ff_series_output(law->program.tape, c, q.order, sim->pieces.work);
        most = fmin(most, ff_quadrature_longest(x, q, room, false));
    }
    return most;
}

typedef struct search {
    ff_sim *sim;
    size_t which;
} search;

static double longest_of_search(void *user, double from, double to) {
    const search *s = user;
    return longest_within(s->sim, s->which, from, to);
}

static bool surveyed(const ff_sim *sim, size_t which) {
    const size_t drives = drives_of(sim->reduced);
    if (which == 0) {
        return sim->pieces.timed;
    }
    return which <= drives ||
           plane_room(sim, motion_of(sim->reduced, which - 1 - drives)) < HUGE_VAL;
}

/* What a group of functions is called. */
static void name_of(const ff_sim *sim, size_t which, char *out, size_t size) {
    const size_t drives = drives_of(sim->reduced);
    if (which == 0) {
        snprintf(out, size, "a force, effort or rate that is a function of t");
    } else if (which <= drives) {
        snprintf(out, size, "the motion of joint '%s'",
                 sim->reduced->joints[drive_of(sim->reduced, which - 1)->joint].name);
    } else {
        const size_t plane = motion_of(sim->reduced, which - 1 - drives)->plane;
        snprintf(out, size, "the motion of plane '%s'", sim->model->defs.planes.at[plane].name);
    }
}

static ff_status refuse(ff_sim *sim, size_t which) {
    char name[160];
    name_of(sim, which, name, sizeof name);
    snprintf(sim->error, sizeof sim->error, "%s has no bound near t = %.9g s, such as at a pole",
             name, ff_flow_time(&sim->flow));
    return FF_BAD_VALUE;
}

ff_status ff_survey_stiff(ff_sim *sim) {
    const size_t count = ff_survey_count(sim->reduced) / METHODS;
    const double t = ff_flow_time(&sim->flow);
    for (size_t k = 0; k < count; k++) {
        if (surveyed(sim, k) && longest_within(sim, k, t, t + FF_QUADRATURE_NEAR * t) == 0) {
            return refuse(sim, k);
        }
    }
    return FF_TOO_STIFF;
}

ff_status ff_survey_time(ff_sim *sim, double *time) {
    const size_t count = ff_survey_count(sim->reduced) / METHODS;
    const double t = ff_flow_time(&sim->flow);
    const ff_method method = sim->flow.now.method;
    const bool fixed = ff_method_order(method) == 0;
    const ff_controls *c = &sim->reduced->topology->controls;
    for (size_t i = 0; i < c->own_count; i++) {
        if (c->own[i].every == 0 && c->own[i].shortest > 0 && c->own[i].shortest < *time) {
            sim->now.unresolved =
                fixed && sim->now.unresolved == 0 ? fmax(t, FF_SOON) : sim->now.unresolved;
            *time = fixed ? *time : c->own[i].shortest;
        }
    }
    for (size_t k = 0; k < count; k++) {
        ff_survey *s = &sim->surveys[METHODS * k + (method == FF_DOPRI5   ? 0
                                                    : method == FF_DOP853 ? 1
                                                                          : 2)];
        if (!surveyed(sim, k) || (fixed && sim->now.unresolved > 0)) {
            continue;
        }
        const double want = *time;
        if ((s->method != (double)method || t + want > s->to || want > s->longest) &&
            !ff_quadrature_survey(method, t, want, longest_of_search, &(search){sim, k}, s)) {
            s->to = 0;
            return refuse(sim, k);
        }
        const double longest = fmin(s->longest, s->to - t);
        if (fixed && longest < want) {
            sim->now.unresolved = fmax(t, FF_SOON);
        } else if (longest < want) {
            *time = longest;
        }
    }
    return FF_OK;
}

/* ---- functions that read states ---- */

/* Without located events conditions change at the ends of steps: the first step in which one may change. */
static void note_conditions(ff_sim *sim) {
    const ff_control *program = sim->reduced->topology->controls.program;
    const size_t count = ff_control_branches(sim->reduced);
    if (count == 0 || sim->flow.locates || sim->now.unresolved > 0) {
        return;
    }
    ff_piece_step(sim, 1, 0);
    ff_series_run(program->flow.tape, FF_GROUP_BRANCHES, 0, sim->pieces.work);
    for (size_t k = 0; k < count; k++) {
        const ff_interval *x =
            ff_series_output(program->flow.tape, program->act_count + k, 0, sim->pieces.work);
        const double side = sim->phase.branches[k];
        const bool stays = program->branches[k].whole ? x->lo >= side && x->hi <= side + 1
                           : side != 0                ? x->hi <= 0
                                                      : x->lo >= 0;
        if (!stays) {
            sim->now.unresolved = fmax(ff_flow_time(&sim->flow), FF_SOON);
        }
    }
}

bool ff_survey_step(ff_sim *sim, double *time) {
    enum { HALVINGS = 30 };
    const ff_control *program = sim->reduced->topology->controls.program;
    const bool fixed = ff_method_order(sim->flow.now.method) == 0;
    note_conditions(sim);
    if (!sim->pieces.free || (fixed && sim->now.unresolved > 0)) {
        return true;
    }
    const ff_quadrature q = ff_quadrature_of(&sim->flow);
    const double h = *time;
    double part = 1;
    for (int turn = 0; turn < HALVINGS; turn++, part /= 2) {
        bool good = true;
        ff_piece_step(sim, part, q.order);
        for (size_t i = 0; i < program->act_count && good; i++) {
            if (sim->pieces.acts[i] == FF_RELIES_FREELY && acts(sim, &program->acts[i])) {
                const ff_interval *c =
                    ff_series_output(program->flow.tape, i, q.order, sim->pieces.work);
                /* theta is the variable: its integral over time is h times as large */
                good = ff_quadrature_shows(c, q, room_of_act(sim, &program->acts[i]) / h, part);
            }
        }
        if (fixed && !good) {
            sim->now.unresolved = fmax(ff_flow_time(&sim->flow), FF_SOON);
            return true;
        }
        if (good) {
            /* a shorter step may be too short to be one: at the end of a domain, such as that of max(0, x)^1.5 */
            const double t = ff_flow_time(&sim->flow);
            if (part < 1 && part * h <= 4 * DBL_EPSILON * fabs(t)) {
                return true;
            }
            *time = part * h;
            return part == 1;
        }
    }
    /* a singularity at a point of the path is left to error control */
    return true;
}
