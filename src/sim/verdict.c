/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "ledger/ledger.h"
#include "sim.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

size_t ff_verdict_parties(const ff_model *model) {
    const size_t contacts = model->crowd  ? model->crowd->class_count
                            : model->open ? model->defs.pairs.count
                                          : model->slot_count;
    return contacts + FF_PARTIES;
}

size_t ff_verdict_party(const ff_sim *sim, size_t slot) {
    return sim->near ? (size_t)sim->near->slots[slot].pair : slot;
}

/* ---- what tolerances permit ---- */

/* The sum of all accounts is a constant of the exact motion, so the residual of a run is the sum over its steps of what the
 * error of each changed in it. If component i is off by w_i after a step, the sum changes by at most
 *
 *    d = sum_i |dE/dy_i| w_i,
 *
 * for a velocity m v dv, for an angular velocity I omega domega, for a coordinate the force along it times its error
 * (gravity, springs, k z^n dz of contacts). Errors of N steps that have nothing to do with each other add up to sqrt(N) d.
 * Those that all have the same sign, as in an oscillation, add up to N times their mean. w_i is tol times the scale of error
 * control, 1/FF_LOCAL_PART = 33 times what a step may have: sqrt(N) d covers errors of one sign for a thousand steps of the
 * largest error, and for a million if their mean is a thirtieth of it; in the pendulum of tests/test_verdict.c it is a
 * twentieth. Accounts that are integrals are not counted: they are those of powers of the same motion, and
 * their errors reach their own tolerance only where the motion is as fast as its scale; then the limit relative to `scale`
 * is larger. See docs/theory.md, The ledger. */

/* Central differences are made over this part of the scales: E is quadratic in velocities, and smooth over such a part of a
 * coordinate; its rounding, 1e-16 of its terms, is 1e-12 of their changes. */
#define PROBE 1e-4
/* With up to this many components each has its own difference, of two ledgers; more share them. */
enum { PROBES = 128 };
/* From this part of the limit on a run is examined while it goes: the state at its end may have no velocity. */
#define DOUBTFUL 0.25
/* Rounding of a sum of energies: a few operations for each. */
#define FEW 16

/* Whether the error of a state is found by differences: not if it is locked, and in the maximal formulation not if it is a
 * position or orientation (see effect_of_places()). */
static bool is_probed(const ff_model *model, size_t state) {
    bool out = !model->inert[state];
    for (size_t i = 0; i < model->body_count && out; i++) {
        const ff_model_body *b = &model->bodies[i];
        const size_t at = state - model->body_at[i];
        const bool free = !ff_articulated(model) || model->tree->links[i].kind == FF_JOINT_FREE;
        if (!free || at >= FF_BODY_STRIDE) {
            continue;
        }
        const size_t c = at < FF_Q ? at : at - FF_VEL;
        out = at >= FF_Q && at < FF_VEL ? (b->locked & FF_LOCK_ROTATION) != FF_LOCK_ROTATION
                                        : !(b->locked >> c & 1);
        out = out && (at >= FF_VEL || !model->tree || model->tree->articulated);
    }
    return out;
}

/* The sum of all accounts at y. */
static double sum_at(ff_sim *sim) {
    if (sim->reduced->tree) {
        /* prescribed coordinates have no error */
        ff_mechanism_time(&sim->mechanism, ff_sim_now_time(sim));
        ff_mechanism_lead(&sim->mechanism, sim->flow.y);
    }
    const ff_ledger l = sim->kind->ledger(sim, NULL);
    return ff_ledger_sum(&l);
}

/* The part of d of positions and orientations of bodies that are held by constraints. A displacement against a constraint force
 * does work on it, which is made good where the constraint is satisfied again. So the force that counts is the sum of all on
 * the body, m a and I alpha, not gravity alone. A quaternion is off by half of the angle. */
static double effect_of_places(ff_sim *sim, const double *scales) {
    const ff_model *model = sim->reduced;
    const double tol = sim->options.tol, *per = sim->flow.per_weight;
    double *rates = sim->mechanism.scratch, total = 0;
    ff_phase phase = sim->contexts[0];
    phase.touches = NULL;
    ff_dynamics_rates(model, &phase, ff_sim_now_time(sim), sim->flow.y, rates);
    for (size_t i = 0; i < model->body_count; i++) {
        const ff_model_body *b = &model->bodies[i];
        const size_t at = i * FF_BODY_STRIDE, q = at + FF_Q;
        const double size = fmax(b->inertia[0][0], fmax(b->inertia[1][1], b->inertia[2][2]));
        for (size_t c = at; c < at + 3; c++) {
            total += b->mass * fabs(rates[c + FF_VEL]) * fmax(tol * scales[c + FF_P], 1 / per[c]) +
                     size * fabs(rates[c + FF_OMEGA]) * 2 * fmax(tol * scales[q], 1 / per[q]);
        }
    }
    return total;
}

/* d for the current state. Components beyond the first PROBES share differences, with irregular signs: n errors of equal size
 * then add up to sqrt(n) of them, which a factor of sqrt(n) makes n of them. */
static double effect_of_step(ff_sim *sim) {
    const ff_model *model = sim->reduced;
    ff_flow *f = &sim->flow;
    const double tol = sim->options.tol, longer = PROBE / tol;
    double *y = f->y, *kept = f->scratch, *scales = sim->scratch, total = 0;
    ff_scales_fill(model, sim->extents, scales);
    memcpy(kept, y, f->n * sizeof *y);
    for (size_t first = 0; first < PROBES && first < model->states; first++) {
        double sums[2] = {0};
        size_t members = 0;
        for (int side = 0; side < 2; side++) {
            uint32_t sign = 1;
            members = 0;
            for (size_t i = first; i < model->states; i += PROBES) {
                /* linear congruence of Numerical Recipes: the highest bit is irregular enough */
                sign = sign * 1664525 + 1013904223;
                if (is_probed(model, i) && f->per_weight[i] > 0) {
                    const double by = longer * fmax(tol * scales[i], 1 / f->per_weight[i]);
                    y[i] += (sign >> 31) == (uint32_t)side ? by : -by;
                    members++;
                }
            }
            sums[side] = members > 0 ? sum_at(sim) : 0;
            memcpy(y, kept, f->n * sizeof *y);
        }
        total += sqrt((double)members) * fabs(sums[1] - sums[0]) / (2 * longer);
    }
    if (model->tree) {
        total += model->tree->articulated ? 0 : effect_of_places(sim, scales);
        /* the mechanism was left at another state */
        sum_at(sim);
        sim->reactions = false;
    }
    return total;
}

/* Rounding of the accounts at this instant, of bodies that move: of their gravity, which is computed from positions; of what a
 * mechanism computes from its levers, for which their energy scale stands; and of `scale`. Bodies that cannot move do not
 * matter, wherever they are. Each step rounds accounts and positions once more; in adaptive steps the error of a position
 * counts as at least its rounding. */
static double rounding_of(const ff_sim *sim, double scale) {
    const ff_model *model = sim->model;
    const double steps = (double)sim->flow.now.statistics.steps;
    const bool controlled = ff_method_order(sim->options.method) > 0 && !model->crowd;
    double energy = model->energy;
    for (size_t i = 0; i < model->body_count; i++) {
        if (model->bodies[i].moves) {
            const ff_motion m = ff_sim_body(sim, i);
            energy += model->bodies[i].mass * fabs(ff_dot(model->gravity, m.position));
        }
    }
    return DBL_EPSILON * (FEW * energy + FEW * scale + steps * (scale + (controlled ? 0 : energy)));
}

/* Updates what tolerances permit, at the current state. */
static void look(ff_sim *sim, double scale, ff_doubt *doubt) {
    const bool controlled = sim->kind == &ff_scene_kind && ff_method_order(sim->options.method) > 0;
    doubt->looked = (double)sim->flow.now.statistics.steps;
    doubt->rounding = fmax(doubt->rounding, rounding_of(sim, scale));
    doubt->step = controlled ? fmax(doubt->step, effect_of_step(sim)) : 0;
}

double ff_verdict_permits(ff_sim *sim, const ff_ledger *l) {
    ff_doubt doubt = sim->now.doubt;
    look(sim, l->scale, &doubt);
    return sqrt((double)sim->flow.now.statistics.steps) * doubt.step + doubt.rounding;
}

/* ---- during a run ---- */

void ff_verdict_begin(ff_sim *sim) {
    sim->now.initial = sim->now.gravity = sim->now.scale = 0;
    ff_ledger start = ff_sim_ledger(sim);
    sim->now.gravity = start.gravity - start.initial;
    sim->now.initial = -start.residual;
    start = ff_sim_ledger_parts(sim, sim->leak.held);
    sim->now.scale = start.scale;
    sim->now.doubt = (ff_doubt){.looked = 0};
    ff_leak_begin(&sim->leak, &sim->now.leak, start.residual, ff_sim_time(sim));
}

void ff_verdict_note(ff_sim *sim) {
    ff_ledger l = ff_sim_ledger_parts(sim, sim->leak.held);
    ff_doubt *doubt = &sim->now.doubt;
    const double steps = (double)sim->flow.now.statistics.steps;
    sim->now.scale = l.scale;
    ff_leak_note(&sim->leak, &sim->now.leak, l.residual, ff_sim_time(sim));
    if (fabs(l.residual) > doubt->most) {
        doubt->most = fabs(l.residual);
        doubt->time = ff_sim_time(sim);
    }
    /* differences take two ledgers, of about an evaluation each; a step takes 6 to 12: at most a sixth more for such a run */
    if (fabs(l.residual) > DOUBTFUL * ff_ledger_limit(&sim->options) * l.scale &&
        sim->kind == &ff_scene_kind && isfinite(l.residual) &&
        (doubt->looked == 0 ||
         steps - doubt->looked >= 2 * fmin(PROBES, (double)sim->reduced->states))) {
        look(sim, l.scale, doubt);
    }
}

/* ---- checks ---- */

void ff_verdict_name_party(const ff_model *model, size_t party, char *out, size_t size) {
    static const char *const others[FF_PARTIES + 1] = {
        "springs of joints and forces (account springs)",
        "dampers and friction of joints (account dampers)", "applied forces (account external)",
        "joints (account constraint)",
        "bodies alone, or a contact shorter than the interval between two checks"};
    size_t contacts = ff_verdict_parties(model) - FF_PARTIES;
    if (party >= contacts) {
        snprintf(out, size, "%s", others[party - contacts]);
    } else if (model->open) {
        const ff_pair_def *pair = &model->defs.pairs.at[party];
        snprintf(out, size, "contacts of pair %.60s/%.60s", pair->a, pair->b);
    } else {
        snprintf(out, size, "contact %.100s",
                 model->crowd ? model->crowd->classes[party].name : model->slots[party].name);
    }
}

/* Describes component i of y. */
static void name_component(const ff_model *model, size_t i, char *out, size_t size) {
    if (i >= model->run_at) {
        snprintf(out, size, "an account of the run");
    } else if (i >= model->slot_at) {
        bool account = i >= model->integral_at;
        size_t slot = model->slot_count - 1;
        while ((account ? model->slots[slot].integral_at : model->slots[slot].state_at) > i) {
            slot--;
        }
        snprintf(out, size, "%s of contact %.100s", account ? "an account" : "the inner state",
                 model->slots[slot].name);
    } else if (i >= model->control_at) {
        snprintf(out, size, "a state of a controller");
    } else if (i >= model->control_at - model->bristles) {
        snprintf(out, size, "the friction of a joint");
    } else {
        size_t body = model->body_count - 1;
        while (model->body_at[body] > i) {
            body--;
        }
        snprintf(out, size, "the motion of body %.100s", model->bodies[body].name);
    }
}

/* What the user can do. */
static const char *advice(const ff_sim *sim) {
    const ff_run_options *o = &sim->options;
    return sim->model->crowd            ? "a smaller dt would help"
           : ff_method_fixed(o->method) ? "a smaller dt, or method auto, would help"
           : !o->events                 ? "located events, or a smaller tol, would help"
                                        : "a smaller tol may help";
}

/* Names the contact with the most energy in its accounts beside the number that is not finite. */
static ff_status not_finite(ff_sim *sim, const char *what) {
    const ff_model *model = sim->reduced;
    const size_t contacts = model->crowd ? model->crowd->class_count : model->slot_count;
    double most = 0;
    char who[180] = "";
    for (size_t i = 0; i < contacts; i++) {
        ff_ledger l = model->crowd ? ff_sim_class_ledger(sim, i)
                                   : ff_sim_contact_ledger(sim, ff_near_contact(sim, i));
        double size = ff_ledger_magnitude(&l, 0);
        /* a contact whose own energy is not finite is chosen */
        if (!(size <= most)) {
            most = size;
            snprintf(who, sizeof who, "; most energy went through contact %.100s",
                     model->crowd ? model->crowd->classes[i].name : model->slots[i].name);
        }
    }
    snprintf(sim->error, sizeof sim->error, "%s is not finite%s; %s", what, who, advice(sim));
    return FF_NOT_FINITE;
}

/* Index of the first component that is not finite; n: there is none. */
static size_t first_bad(const double *y, size_t n) {
    size_t i = 0;
    while (i < n && isfinite(y[i])) {
        i++;
    }
    return i;
}

ff_status ff_verdict_state(ff_sim *sim, const double *y) {
    const ff_model *model = sim->reduced;
    char name[140], what[160];
    size_t i = first_bad(y, model->size);
    if (i == model->size) {
        return FF_OK;
    }
    name_component(model, i, name, sizeof name);
    snprintf(what, sizeof what, "%s%s", y == sim->flow.y ? "" : "a step further ", name);
    return not_finite(sim, what);
}

ff_status ff_verdict_bodies(ff_sim *sim) {
    char what[160];
    for (size_t i = 0; i < sim->model->body_count; i++) {
        ff_motion m = ff_sim_body(sim, i);
        if (first_bad((const double *)&m, sizeof m / sizeof(double)) < sizeof m / sizeof(double)) {
            snprintf(what, sizeof what, "the motion of body %.100s", sim->model->bodies[i].name);
            return not_finite(sim, what);
        }
    }
    return FF_OK;
}

ff_status ff_verdict_finite(ff_sim *sim, const ff_ledger *l) {
    ff_status status = sim->model->crowd ? FF_OK : ff_verdict_state(sim, sim->flow.y);
    status = status < 0 ? status : ff_verdict_bodies(sim);
    for (size_t i = 0; i < sim->model->joint_count && status == FF_OK; i++) {
        ff_joint_record r = ff_sim_joint(sim, i);
        char what[160];
        snprintf(what, sizeof what, "a number of joint %.100s", sim->model->joints[i].name);
        if (first_bad((const double *)&r, sizeof r / sizeof(double)) < sizeof r / sizeof(double)) {
            status = not_finite(sim, what);
        }
    }
#define LOOK(name)                                                                                 \
    if (status == FF_OK && !isfinite(l->name)) {                                                   \
        status = not_finite(sim, "account " #name);                                                \
    }
    FF_LEDGER_LIST(LOOK)
    LOOK(initial)
    LOOK(scale)
    LOOK(residual)
#undef LOOK
    return status;
}

ff_status ff_sim_verdict(ff_sim *sim) {
    const ff_sim_kind *kind = sim->kind;
    char who[140], when[FF_LEAK_TIME];
    double part;
    ff_sim_observe(sim, NAN);
    sim->error[0] = '\0';
    ff_ledger l = ff_sim_ledger_parts(sim, sim->leak.held);
    ff_status status = kind->finite(sim, &l);
    const double limit = ff_ledger_limit(&sim->options), now = fabs(l.residual),
                 most = fmax(now, sim->now.doubt.most);
    if (status < 0 || !(most > limit * l.scale)) {
        return status < 0 ? status : ff_sim_joints_verdict(sim);
    }
    const double permitted = kind->permits(sim, &l);
    if (!(most > limit * l.scale + permitted)) {
        return ff_sim_joints_verdict(sim);
    }
    size_t worst =
        ff_leak_worst(&sim->leak, &sim->now.leak, l.residual, ff_sim_time(sim), &part, when);
    kind->name_party(sim->model, worst, who, sizeof who);
    const double scales = most / l.scale, above = limit + permitted / l.scale;
    char size[60];
    snprintf(size, sizeof size, "%.3g J%s", most > now ? most : l.residual,
             most > now ? ", its largest value," : "");
    if (fabs(part) > 0.1 * most) {
        snprintf(sim->error, sizeof sim->error,
                 "%s: the residual %s is %.2g of scale, above %.2g; the largest part, %.3g J, is "
                 "from %s; it grew most %s; %s",
                 ff_status_text(FF_NOT_CLOSED), size, scales, above, part, who, when, advice(sim));
    } else {
        /* the parts have cancelled, and with them what they say about the largest residual */
        snprintf(
            sim->error, sizeof sim->error,
            "%s: the residual was %.3g J at t = %.9g s, %.2g of scale, above %.2g; it grew most "
            "%s; %s",
            ff_status_text(FF_NOT_CLOSED), most, sim->now.doubt.time, scales, above, when,
            advice(sim));
    }
    return FF_NOT_CLOSED;
}
