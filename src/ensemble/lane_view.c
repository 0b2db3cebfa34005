/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "inside.h"
#include <math.h>
#include <string.h>

/* The state of a lane in its sim: at the end of a step, and within a step that is being reported. */

/* A lane at one instant. */
typedef struct moment {
    double time, y[FF_LANE_SIZE];
    ff_lane_phase phase;
    double sum, regrade, created; /* accounts of the friction springs, J */
} moment;

static ff_lane_phase phase_of(const ff_lane *lane, const ff_lane_block *b, int l) {
    return (ff_lane_phase){lane->mode, b->slipping[l] != 0, b->latched[l], lane->release};
}

/* Writes the accounts of a plane, and the inner state of its normal law. */
static void put_kept(const ff_slot *slot, const ff_lane_kept *k, double *y, ff_books *books) {
    if (slot->law.states > 0) {
        y[slot->state_at] = k->latched;
    }
    for (int i = 0; i < FF_LANE_ACCOUNTS; i++) {
        const int at = slot->integral[ff_lane_accounts[i]];
        if (at >= 0) {
            y[slot->integral_at + (size_t)at] = k->accounts[i];
        }
    }
    books->release = k->release;
    books->regrade = k->regrade;
    books->created = k->created;
    books->graded = k->sum;
}

/* Writes the motion, the states of the contact, the accounts and the modes. */
static void put(const ff_lane *lane, const moment *m, double *y, ff_sim_phase *phase) {
    const ff_model *model = lane->sim->reduced;
    ff_lane_motion motion;
    ff_lane_motion_at(lane, m->y, m->time, &motion);
    memcpy(y + FF_P, motion.position, sizeof motion.position);
    memcpy(y + FF_VEL, motion.velocity, sizeof motion.velocity);
    memcpy(y + FF_OMEGA, motion.omega, sizeof motion.omega);
    for (size_t k = 0; k < model->slot_count; k++) {
        const ff_slot *slot = &model->slots[k];
        const bool ours = k == lane->plane;
        const ff_mode mode = ours ? m->phase.mode : FF_AIR;
        ff_lane_kept kept = lane->kept[k];
        if (ours) {
            memcpy(kept.accounts, m->y + FF_LANE_NORMAL_DAMPER, sizeof kept.accounts);
            kept.latched = m->phase.latched;
            kept.release = m->phase.release;
            kept.regrade = m->regrade;
            kept.created = m->created;
            kept.sum = m->sum;
        }
        put_kept(slot, &kept, y, &phase->books[k]);
        double *u = y + slot->state_at + ff_slot_u(slot);
        for (int c = 0; c < 3 && slot->friction.vectors > 0; c++) {
            u[c] = 0;
        }
        for (int i = 0; i < 2 && ours && slot->friction.vectors > 0; i++) {
            ff_add_scaled(u, m->y[FF_LANE_U + i], lane->across[i], u);
        }
        phase->modes[k] = mode;
        phase->slipping[k] = ours && m->phase.slipping;
        phase->opening[k] = slot->kinked && mode != FF_AIR && m->y[FF_LANE_W] < 0;
        phase->inside[k] = mode == FF_FREE ? lane->inside : mode == FF_LOADED;
    }
}

void ff_lane_put(ff_lane *lane, const ff_lane_block *b, int l, double time) {
    ff_sim *sim = lane->sim;
    ff_flow *f = &sim->flow;
    moment m = {.time = time,
                .phase = phase_of(lane, b, l),
                .sum = b->sum[l],
                .regrade = b->regrade[l],
                .created = b->created[l]};
    for (int c = 0; c < FF_LANE_SIZE; c++) {
        m.y[c] = b->y[c][l];
    }
    put(lane, &m, f->y, &sim->phase);
    for (size_t k = 0; k < sim->reduced->slot_count; k++) {
        ff_hits *hits = &sim->phase.books[k].hits;
        hits->depth = fmax(hits->depth, lane->deepest[k]);
    }
    sim->now.scale = lane->scale;
    f->now.clock = ff_clock_at(time, 1);
    f->now.fresh = f->altered = f->last.none = true;
    f->seen_time = NAN;
    f->now.statistics.steps = (long)b->steps[l];
    f->now.statistics.rejected = (long)b->rejected[l];
    sim->looked = false;
}

void ff_lane_leave(ff_lane *lane, const ff_lane_block *b, int l) {
    ff_lane_put(lane, b, l, lane->until);
}

/* ---- steps that are reported ---- */

/* The position of a time in the last integration step, by its clock. */
static double part_of(const ff_lane_block *b, int l, double time) {
    const double since = time - b->start[l], h = b->tried[l];
    const int power = (int)b->power[l];
    const double size = ff_root_of(fabs(since), power),
                 x = power == 1  ? time
                     : since < 0 ? -size
                                 : size,
                 theta = (x - (b->x[l] - h)) / h;
    return theta < 0 ? 0 : theta < 1 ? theta : 1;
}

/* All quantities at a time within the motion that is being reported. */
static void look_within(ff_lane *lane, const ff_lane_block *b, int l, double time,
                        double y[FF_LANE_SIZE]) {
    double from[FF_LANE_SIZE];
    if (lane->span == FF_LANE_STEP) {
        if (!lane->interpolates) {
            ff_lane_dense_make(b, l, true, &lane->dense);
            lane->interpolates = true;
        }
        const double theta = part_of(b, l, time);
        for (int c = 0; c < FF_LANE_SIZE; c++) {
            y[c] = ff_lane_dense_at(&lane->dense, theta, c);
        }
        return;
    }
    for (int c = 0; c < FF_LANE_SIZE; c++) {
        from[c] = b->y0[c][l];
    }
    const double t = time > lane->left ? time - lane->left : 0;
    if (lane->span == FF_LANE_FLIGHT) {
        ff_lane_glide(b, l, from, t, y);
    } else {
        ff_lane_ring(lane, b, l, from, t, y);
    }
}

void ff_ensemble_observe(const ff_ensemble_step *step, double time) {
    if (step->sim) {
        ff_sim_observe(step->sim, time);
        return;
    }
    ff_lane *lane = step->lane;
    const ff_lane_block *b = step->block;
    const int l = step->index;
    ff_sim *sim = lane->sim;
    if (!(time < step->end) || lane->span == FF_LANE_NO_SPAN) {
        sim->flow.seen_time = NAN;
        return;
    }
    moment m = {.time = time,
                .phase = lane->past,
                .sum = b->sum0[l],
                .regrade = b->regrade0[l],
                .created = b->created0[l]};
    look_within(lane, b, l, time, m.y);
    memcpy(sim->flow.seen, sim->flow.y, sim->flow.n * sizeof *sim->flow.seen);
    put(lane, &m, sim->flow.seen, &sim->past);
    ff_books *books = &sim->past.books[lane->plane];
    books->turned = lane->turned;
    books->turned_at = lane->turned_at;
    books->turned_sum = lane->turned_sum;
    sim->flow.seen_time = time;
}

void ff_lane_tell(ff_lane *lane, const ff_lane_block *b, int l, double time, bool plain) {
    if (!lane->step) {
        return;
    }
    ff_lane_put(lane, b, l, time);
    const ff_ensemble_step step = {time, plain, NULL, lane, b, l};
    lane->step(lane->user, l, &step);
    lane->past = phase_of(lane, b, l);
    lane->span = FF_LANE_NO_SPAN;
    lane->interpolates = lane->turned = false;
}

void ff_lane_report_step(ff_lane *lane, const ff_lane_block *b, int l) {
    lane->span = FF_LANE_STEP;
    ff_lane_tell(lane, b, l, ff_lane_time(b, l, b->x[l]), true);
}

void ff_lane_set_off(ff_lane *lane, ff_lane_block *b, int l, ff_lane_span span, double time) {
    if (!lane->step) {
        return;
    }
    lane->span = span;
    lane->left = time;
    for (int c = 0; c < FF_LANE_SIZE; c++) {
        b->y0[c][l] = b->y[c][l];
    }
    b->sum0[l] = b->sum[l];
    b->regrade0[l] = b->regrade[l];
    b->created0[l] = b->created[l];
}
