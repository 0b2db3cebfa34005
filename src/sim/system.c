/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "edges.h"
#include <float.h>
#include <stdio.h>
#include <string.h>

/* ---- rates ---- */

/* For models with friction under reactions; apart, so that the rates of others cost nothing more. */
static __attribute__((noinline)) int noted_rates(ff_sim *sim, double t, const double *y,
                                                 double *dy) {
    ff_dynamics_rates(sim->reduced, &sim->contexts[sim->flow.past], t, y, dy);
    if (!sim->flow.past) {
        ff_edges_note(sim, t);
    }
    return 0;
}

static int rates(void *self, double t, const double *y, double *dy) {
    ff_sim *sim = self;
    sim->looked = false;
    if (sim->edges.rubs > 0) {
        return noted_rates(sim, t, y, dy);
    }
    ff_dynamics_rates(sim->reduced, &sim->contexts[sim->flow.past], t, y, dy);
    return 0;
}

static void jacobian(void *self, double t, const double *y, ff_sparse *out) {
    ff_sim *sim = self;
    ff_phase phase = sim->contexts[0];
    phase.touches = NULL;
    phase.folding = sim->folding.fold ? &sim->folding : NULL;
    if (sim->reduced->tree) {
        phase.rates = sim->flow.stepper.k[0]; /* the rates at the start are known */
    }
    if (ff_dynamics_differences(sim->reduced)) {
        /* one evaluation for each state; an analytic Jacobian counts as one, whatever it costs */
        sim->flow.stepper.evaluations += (long)sim->flow.stepper.active_count - 1;
    }
    ff_dynamics_jacobian(sim->reduced, &phase, t, y, sim->place, out);
}

static size_t folded_rows(void *self, double t, const double *y) {
    ff_sim *sim = self;
    ff_phase phase = sim->contexts[0];
    phase.folding = &sim->folding;
    return ff_dynamics_rows(sim->reduced, &phase, t, y);
}

size_t ff_sim_rows(const ff_model *model, ff_method method) {
    return ff_method_implicit(method) ? model->active : 0;
}

/* ---- what the rates do not include ---- */

static void carry(void *self, const ff_span *span, double theta, double *to) {
    ff_sim *sim = self;
    if (sim->reduced->tree) {
        /* no body is rotated separately; coordinates with prescribed motion are set */
        ff_mechanism_time(&sim->mechanism,
                          ff_clock_time(span->clock, span->clock->x + theta * span->h));
        ff_mechanism_lead(&sim->mechanism, to);
        return;
    }
    ff_turns_carry(sim, span, theta, to);
}

/* ---- scales ---- */

/* Rounding of one unit in the last place of the terms of a component does not count as an error: a depth is a difference of
 * positions, and the resulting force changes velocities over the duration of a contact. */
#define STEP_ROUNDING DBL_EPSILON

static double weight_of(const ff_sim *sim, double scale, double y) {
    return fmax(FF_LOCAL_PART * sim->options.tol * scale, STEP_ROUNDING * fabs(y));
}

double ff_system_per_weight(const ff_sim *sim, double scale, double y) {
    return 1 / weight_of(sim, scale, y);
}

/* Rates of springs side by side bend one after the other as they begin and end to slip. A step that goes over a bend is off by
 * about its square, which takes short steps at any tolerance, and the looser that is, the less do they gain: at tol 1e-6 an
 * impact takes half the evaluations with 3 times the error in each spring, at the same error of velocities (bench/bed). */
static double spring_ease(double tol) { return fmax(1, ff_pow(tol / 1e-9, 1.0 / 6)); }

/* Accounts of springs side by side add up the errors of thousands of bends. With half the tolerance at 1e-9 and below, residuals
 * of random scenes are at most 1.1e-9 of scale instead of 1.5e-9, for 1 to 10 % more evaluations (tests/cli/random.sh,
 * bench/bed). */
static double account_ease(double tol) { return fmin(1, 0.5 * spring_ease(tol)); }

/* The allowed error of friction spring i under a reaction: relative to the deflection at which it slips under the load that was
 * evaluated last, or to its own if that is larger. Scales of motions do not tell the load, which an applied force may cause. */
static double rub_weight(const ff_sim *sim, size_t i, size_t *at) {
    const ff_bearings *b = &sim->mechanism.bearings;
    const ff_effort *e = &sim->reduced->joints[b->joints[i]].along[b->coordinates[i]];
    *at = e->bristle < 0 ? SIZE_MAX : (size_t)e->bristle;
    if (e->bristle < 0) {
        return 0;
    }
    const double u = sim->flow.y[e->bristle];
    double scale = fabs(u);
    if (e->friction.law->reach) {
        scale = fmax(scale, e->friction.law->reach(&e->friction, b->rubs[i].load));
    }
    return weight_of(sim, scale, u);
}

void ff_system_weigh(ff_sim *sim) {
    const ff_model *model = sim->reduced;
    double *weight = sim->flow.per_weight;
    ff_scales_fill(model, sim->extents, weight);
    for (size_t i = 0; i < model->size; i++) {
        weight[i] = weight_of(sim, weight[i], sim->flow.y[i]);
    }
    for (size_t i = 0, at; i < (model->tree ? sim->mechanism.bearings.count : 0); i++) {
        const double rub = rub_weight(sim, i, &at);
        if (at != SIZE_MAX) {
            weight[at] = fmax(weight[at], rub);
        }
    }
    for (size_t i = 0; i < model->body_count && !ff_articulated(model); i++) {
        double *at = weight + i * FF_BODY_STRIDE;
        const double *p = sim->flow.y + i * FF_BODY_STRIDE + FF_P;
        const ff_extent *size = &sim->extents[i];
        double far = STEP_ROUNDING * (fabs(p[0]) + fabs(p[1]) + fabs(p[2]));
        for (int c = 0; c < 3; c++) {
            at[FF_P + c] = fmax(at[FF_P + c], far);
            at[FF_VEL + c] = fmax(at[FF_VEL + c], far * size->speed / size->length);
            at[FF_OMEGA + c] = fmax(at[FF_OMEGA + c], far * size->turning / size->length);
        }
    }
    for (size_t i = 0; i < model->slot_count && !ff_articulated(model); i++) {
        const ff_slot *slot = &model->slots[i];
        double *at = weight + slot->state_at;
        for (int c = ff_slot_u(slot); c < slot->states; c++) {
            at[c] = fmax(at[c], weight[(size_t)slot->body * FF_BODY_STRIDE + FF_P]);
        }
    }
    const double springs = spring_ease(sim->options.tol), accounts = account_ease(sim->options.tol);
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *slot = &model->slots[i];
        for (int c = ff_slot_u(slot); slot->friction.vectors > 1 && c < slot->states; c++) {
            weight[slot->state_at + (size_t)c] *= springs;
        }
        for (int k = 0; slot->friction.vectors > 1 && k < FF_CONTACT_INTEGRALS; k++) {
            if (slot->integral[k] >= 0) {
                weight[slot->integral_at + (size_t)slot->integral[k]] *= accounts;
            }
        }
    }
    for (size_t i = 0; i < model->size; i++) {
        weight[i] = 1 / weight[i];
    }
}

/* Bodies are not slower than their wound friction springs and stops would make them, as for those of contacts: a joint that
 * sticks would otherwise be asked for ever smaller errors of its speed, until they are below the rounding of its forces. */
static void add_wound(ff_sim *sim) {
    const ff_model *model = sim->reduced;
    const double *y = sim->flow.y, *bodies = ff_sim_bodies_at(sim, y);
    double most = 0;
    for (size_t i = 0; i < model->joint_count; i++) {
        most = fmax(most, ff_dynamics_joint_wound(model, i, bodies, y));
    }
    for (size_t i = 0; i < model->body_count; i++) {
        ff_extent *e = &sim->extents_now[i];
        if (e->speed < most) {
            e->turning *= most / e->speed;
            e->speed = most;
        }
    }
}

/* Updates the scales of motions that have become much faster or slower. A body that reverses is at rest for a moment, so it
 * counts as slower only according to its largest speed over a few thousand steps, which decays by a tenth every 64. */
void ff_system_watch_sizes(ff_sim *sim) {
    const double faster = 10, slower = 100, keeps = 0.9;
    const size_t count = sim->reduced->body_count;
    bool changed = false;
    ff_scales_bodies(sim->reduced, ff_sim_now_time(sim), ff_sim_bodies_at(sim, sim->flow.y),
                     sim->extents_now);
    if (sim->reduced->bristles > 0 || ff_edges_stops(sim->reduced) > 0) {
        add_wound(sim);
    }
    for (size_t i = 0; i < count; i++) {
        double now = sim->extents_now[i].speed, size = sim->extents[i].speed;
        sim->fastest[i] = fmax(now, keeps * sim->fastest[i]);
        changed = changed || now > faster * size || sim->fastest[i] * slower < size;
    }
    for (size_t i = 0, at; i < (sim->reduced->tree ? sim->mechanism.bearings.count : 0); i++) {
        const double rub = rub_weight(sim, i, &at);
        changed = changed || (at != SIZE_MAX && rub * sim->flow.per_weight[at] > faster);
    }
    if (changed) {
        ff_survey_forget(sim);
        memcpy(sim->extents, sim->extents_now, count * sizeof *sim->extents);
        ff_system_weigh(sim);
    }
}

double ff_system_touch_time(const ff_model *model, int body) {
    const ff_extent *size = &model->extents[body];
    return size->length / size->speed;
}

/* ---- after a step ---- */

/* Energies that are computed directly from y, which a correction changes. */
static double stored(ff_sim *sim) { return sim->now.initial - ff_sim_ledger(sim).residual; }

/* After a step: corrects positions and velocities onto the constraints, if the constraint method does so, and books the
 * energy removed. FF_SINGULAR if joints could not be held within the step, FF_NOT_HELD if a prescribed motion jumps. */
static ff_status hold_joints(ff_sim *sim) {
    const ff_model *model = sim->reduced;
    ff_mechanism *m = &sim->mechanism;
    const ff_constraints how = sim->options.constraints;
    bool loops = model->tree->loop_rows > 0;
    if (model->tree->driven) {
        const ff_status status = ff_drives_step(sim);
        if (status < 0) {
            return status;
        }
    }
    if (m->trouble >= 0) {
        snprintf(sim->error, sizeof sim->error,
                 m->jams ? "near t = %.9g s joint '%s' jams: its friction increases its load as "
                           "much as the friction itself"
                         : "near t = %.9g s joint '%s' and the loop it closes are in a singular "
                           "position",
                 ff_sim_now_time(sim), model->joints[m->trouble].name);
        return FF_SINGULAR;
    }
    ff_mechanism_time(m, ff_sim_now_time(sim));
    ff_mechanism_lead(m, sim->flow.y);
    bool corrected = model->tree->articulated
                         ? loops
                         : how == FF_INDEX1 || how == FF_INDEX1_AUGMENTED || how == FF_DIRECT;
    /* a violation grows on the way through a singular position, so none is left there */
    if (corrected || m->close) {
        double before = stored(sim), off;
        if (!ff_mechanism_project(m, how == FF_DIRECT, sim->flow.y)) {
            int worst = ff_mechanism_worst(m, &off);
            snprintf(sim->error, sizeof sim->error,
                     "joint '%s' was violated in a step of %.3g s and could not be corrected (%.2g "
                     "m or rad remain): use shorter steps or a smaller tolerance",
                     model->joints[worst].name, sim->flow.last.step, off);
            return FF_SINGULAR;
        }
        *sim->phase.removed += before - stored(sim);
        sim->flow.now.fresh = sim->flow.altered = true;
    }
    if (!model->tree->articulated || loops) {
        ff_violation now = ff_mechanism_violation(m, sim->flow.y);
        sim->now.violated.position = fmax(sim->now.violated.position, now.position);
        sim->now.violated.velocity = fmax(sim->now.violated.velocity, now.velocity);
    }
    return FF_OK;
}

static void attempt(void *self, bool first) {
    ff_sim *sim = self;
    /* trouble in rejected steps does not count */
    sim->trouble = first ? sim->mechanism.trouble : sim->trouble;
    sim->mechanism.trouble = sim->trouble;
}

static ff_status taken(void *self) {
    ff_sim *sim = self;
    const ff_flow *f = &sim->flow;
    if (f->now.doubtful > 0 && sim->now.unbounded == 0) {
        sim->now.unbounded = fmax(ff_clock_now(&f->last.clock), FF_SOON);
    }
    if (f->roots > 0) {
        const size_t users = f->roots - sim->reduced->event_count,
                     kinks = users - ff_control_branches(sim->reduced);
        for (size_t i = 0; i < sim->reduced->event_count; i++) {
            const ff_root *from = &f->here[users + i], *to = &f->end[users + i];
            sim->user_size[i] = sim->reduced->events[i].function
                                    ? fmax(sim->user_size[i], fabs(to->g))
                                    : ff_control_size(sim, sim->user_size[i], from, to);
        }
        ff_control_note_sizes(sim, f->here + kinks, f->end + kinks);
    }
    if (sim->reduced->graded) {
        ff_books_step(sim);
    }
    ff_impacts_step(sim);
    if (f->roots > 0) {
        ff_events_watch_grip(sim);
    }
    if (sim->edges.count > 0) {
        ff_edges_taken(sim);
    }
    if (sim->model->topology->apart_count > 0) {
        ff_meetings_step(sim);
    }
    return sim->reduced->tree ? hold_joints(sim) : FF_OK;
}

/* ---- forces that begin and end ---- */

/* The first time after t at which a force begins, ends, or has a point of its table. */
static double next(const void *self, double t) {
    const ff_sim *sim = self;
    double out = INFINITY;
    for (size_t i = 0; i < sim->reduced->force_count; i++) {
        const ff_force_def *f = &sim->reduced->forces[i];
        out = f->from > t ? fmin(out, f->from) : out;
        out = f->to > t ? fmin(out, f->to) : out;
        for (size_t j = 0; f->kind == FF_FORCE_TABLE && j < f->points; j++) {
            out = f->times[j] > t ? fmin(out, f->times[j]) : out;
        }
    }
    return out;
}

/* The next time at which a sample is due or a force changes. */
static double next_of_all(const void *self, double t) {
    return fmin(next(self, t), ff_control_end(self, t));
}

static double due(const void *self) { return ff_control_next(self); }

static double pass(void *self, double end) { return ff_control_pass(self, end); }

/* Samples alone leave step size and method unchanged. */
static ff_met meet(void *self) {
    ff_sim *sim = self;
    const double now = ff_sim_now_time(sim);
    /* if the next change of a force is later, only a sample was met */
    const bool silent = next(sim, nextafter(now, -INFINITY)) > now;
    if (!silent) {
        ff_system_set_acting(sim, true);
    }
    const bool changed = ff_control_meet(sim);
    if (!silent || changed) {
        ff_survey_forget(sim);
    }
    return !silent ? FF_MET_CHANGE : changed ? FF_MET_QUIETLY : FF_MET_NOTHING;
}

/* Sets which forces act from now on and reports changes. The energy in a spring that stops leaves the account `springs`,
 * that in one that begins appears there: both are booked as external. */
void ff_system_set_acting(ff_sim *sim, bool report_changes) {
    const ff_model *model = sim->reduced;
    double now = ff_sim_now_time(sim), before;
    const ff_phase *phase = &sim->contexts[0];
    const double *bodies = ff_sim_bodies_at(sim, sim->flow.y);
    before = ff_dynamics_springs(model, phase, bodies, sim->flow.y);
    for (size_t i = 0; i < model->force_count; i++) {
        bool acts = model->forces[i].from <= now && now < model->forces[i].to;
        if (acts != sim->phase.acting[i] && report_changes) {
            ff_flow_report(&sim->flow, FF_SWITCH, -1, false);
        }
        sim->phase.acting[i] = acts;
    }
    if (report_changes) {
        *sim->phase.spent += before - ff_dynamics_springs(model, phase, bodies, sim->flow.y);
    }
}

static bool knows(const void *self, const ff_event *event) {
    const ff_model *model = ((const ff_sim *)self)->model;
    const int of = event->contact;
    const bool joints = event->kind == FF_STICK || event->kind == FF_SLIP,
               limits = event->kind == FF_REACH_LIMIT || event->kind == FF_LEAVE_LIMIT;
    const size_t contacts = model->contact_count,
                 all = contacts + FF_JOINT_COORDINATES * model->joint_count;
    return event->kind == FF_SWITCH ? of == -1
           : limits                 ? of >= 0 && (size_t)of >= contacts && (size_t)of < all
                    : of >= 0 && (size_t)of < (event->kind == FF_USER ? model->event_count
                                               : joints               ? all
                                                                      : contacts);
}

/* Whether forces depend explicitly on time. */
static bool timed(const ff_model *model) {
    bool out = false;
    for (size_t i = 0; i < model->force_count; i++) {
        const ff_force_def *f = &model->forces[i];
        out = out || f->kind == FF_FORCE_TABLE ||
              (f->kind == FF_FORCE_PD && (f->target[1] != 0 || f->target[2] != 0));
    }
    return out;
}

/* A step must be so short that functions hide nothing, and pairs that touch have slots. */
static ff_status arrange(void *self, double *time, const double *to, bool *changed) {
    ff_sim *sim = self;
    *changed = false;
    if (ff_survey_limits(sim->reduced)) {
        const ff_status status = to ? FF_OK : ff_survey_time(sim, time);
        *changed = to && !ff_survey_step(sim, time);
        if (status < 0 || *changed) {
            return status;
        }
    }
    return ff_near_arrange(self, time, to, changed);
}

/* ---- the system ---- */

const ff_system ff_scene_system = {.rates = rates,
                                   .jacobian = jacobian,
                                   .rows = folded_rows,
                                   .roots = ff_roots_all,
                                   .inside = ff_edges_inside,
                                   .root = ff_roots_one,
                                   .most = ff_course_most,
                                   .reads = ff_roots_reads,
                                   .jump = ff_events_jump,
                                   .next = next_of_all,
                                   .meet = meet,
                                   .due = due,
                                   .pass = pass,
                                   .carry = carry,
                                   .arrange = arrange,
                                   .attempt = attempt,
                                   .taken = taken,
                                   .settle = ff_events_settle,
                                   .knows = knows};

void ff_system_use(ff_sim *sim) {
    const ff_model *model = sim->reduced;
    ff_stepper *s = &sim->flow.stepper;
    sim->mechanism.model = model;
    sim->mechanism.in_place = false;
    s->scales = model->scales;
    s->first = model->first;
    s->speed = model->speed;
    s->timed = timed(model) || model->topology->controls.timed;
    ff_control_prepare(sim);
}

ff_status ff_system_prepare(ff_sim *sim) {
    const ff_model *model = sim->reduced;
    ff_flow *f = &sim->flow;
    size_t root = 0;
    int active = 0;
    for (size_t i = 0; i < model->states; i++) {
        sim->place[i] = model->inert[i] ? -1 : active++;
    }
    for (size_t i = 0; i < model->slot_count && f->locates; i++) {
        const ff_slot *slot = &model->slots[i];
        const bool there[FF_ENDS] = {true,
                                     slot->law.clamps,
                                     ff_slot_has_edge(slot),
                                     ff_slot_has_room(slot),
                                     ff_slot_has_parts(slot),
                                     ff_slot_turning_edge(slot, 0),
                                     ff_slot_turning_edge(slot, 1),
                                     slot->kinked};
        sim->root_at[i] = root;
        for (int which = 0; which < FF_ENDS; which++) {
            if (there[which]) {
                const bool turning = which == FF_END_ROLLING || which == FF_END_TWIST,
                           slips = turning && ff_slot_turning_slips(slot, which - FF_END_ROLLING);
                f->kinds[root] =
                    slips ? FF_ROOT_EDGE
                    : (which == FF_END_SLIP && ff_slot_bends(slot)) || which >= FF_END_ROLLING
                        ? FF_ROOT_KINK
                    : slot->gated                                  ? FF_ROOT_GATE
                    : which == FF_END_SLIP || which == FF_END_GRIP ? FF_ROOT_EDGE
                                                                   : FF_ROOT_MODE;
                sim->ends[root++] = (ff_end){i, which};
            }
        }
    }
    root = ff_edges_prepare(sim, root);
    for (size_t i = 0; i < ff_control_branches(model) && f->locates; i++) {
        /* sides are unreported modes; an expression that switches back and forth at one instant stays unchanged for one
         * step */
        f->kinds[root] = FF_ROOT_GATE;
        sim->ends[root++] = (ff_end){model->slot_count + model->event_count + i, 0};
    }
    for (size_t i = 0; i < model->event_count && f->locates; i++) {
        f->kinds[root] = FF_ROOT_USER;
        sim->ends[root++] = (ff_end){model->slot_count + i, 0};
    }
    ff_status status = ff_flow_init(f, model->inert);
    status = status < 0 ? status : ff_piece_prepare(sim);
    const bool folds = f->rows > 0 && ff_dynamics_folds(model);
    sim->folding.fold = folds ? &f->stepper.fold : NULL;
    if (folds) {
        f->stepper.fold = sim->fold;
        ff_dynamics_fold(model, sim->place, &sim->folding);
    }
    ff_system_use(sim);
    for (int k = 0; k < 2; k++) {
        const ff_sim_phase *phase = k ? &sim->past : &sim->phase;
        sim->contexts[k] =
            (ff_phase){.modes = phase->modes,
                       .acting = phase->acting,
                       .stops = f->locates && ff_edges_stops(model) > 0 ? phase->stops : NULL,
                       .touches = sim->touches,
                       .mechanism = &sim->mechanism,
                       .way = &sim->options,
                       .slope_rates = sim->slope_rates};
        ff_control_give(sim, phase, &sim->contexts[k]);
    }
    return status;
}
