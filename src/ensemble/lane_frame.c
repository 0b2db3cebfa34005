/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "inside.h"
#include <math.h>

/* The frame of the plane of a lane, and the state of the lane in its sim. */

const ff_integral ff_lane_accounts[FF_LANE_ACCOUNTS] = {FF_NORMAL_DAMPER, FF_TANGENTIAL_DAMPER,
                                                        FF_SLIP_LOSS, FF_VISCOUS, FF_GRADED_WORK};

/* In-plane position of the centre of mass. */
double ff_lane_place(const ff_lane *lane, const ff_lane_block *b, int l, double time, int i) {
    return lane->place0[i] + lane->alpha * b->y[FF_LANE_WAY + i][l] + lane->beta[i] * time +
           lane->gamma[i] * time * time / 2;
}

void ff_lane_frame_set(ff_lane *lane, const double n[3]) {
    /* the coordinate axis with the smallest component along n */
    int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    least = fabs(n[2]) < fabs(n[least]) ? 2 : least;
    double axis[3] = {0}, size;
    axis[least] = 1;
    ff_cross(n, axis, lane->across[0]);
    size = sqrt(ff_dot(lane->across[0], lane->across[0]));
    for (int c = 0; c < 3; c++) {
        lane->across[0][c] /= size;
    }
    ff_cross(n, lane->across[0], lane->across[1]);
}

void ff_lane_put(ff_lane *lane, const ff_lane_block *b, int l, double time) {
    ff_sim *sim = lane->sim;
    ff_flow *f = &sim->flow;
    const ff_slot *slot = ff_lane_slot(lane);
    const double *n = slot->normal;
    double *y = f->y, impulse[3] = {0}, turned[3];
    for (int c = 0; c < 3; c++) {
        y[FF_P + c] = (slot->level - b->y[FF_LANE_Z][l]) * n[c];
        y[FF_VEL + c] = -b->y[FF_LANE_W][l] * n[c];
    }
    double *u = y + slot->state_at + ff_slot_u(slot);
    for (int c = 0; c < 3 && slot->friction.vectors > 0; c++) {
        u[c] = 0;
    }
    for (int i = 0; i < 2; i++) {
        const double *e = lane->across[i], s = b->y[FF_LANE_S + i][l];
        ff_add_scaled(y + FF_P, ff_lane_place(lane, b, l, time, i), e, y + FF_P);
        ff_add_scaled(y + FF_VEL, lane->alpha * s + lane->beta[i] + lane->gamma[i] * time, e,
                      y + FF_VEL);
        ff_add_scaled(impulse, (s - lane->slip0[i] - lane->pull[i] * time) * lane->per_mobility, e,
                      impulse);
        if (slot->friction.vectors > 0) {
            ff_add_scaled(u, b->y[FF_LANE_U + i][l], e, u);
        }
    }
    ff_cross(n, impulse, turned);
    ff_add_scaled(lane->omega0, -lane->turning, turned, y + FF_OMEGA);
    if (slot->law.states > 0) {
        y[slot->state_at] = b->latched[l];
    }
    for (int i = 0; i < FF_LANE_ACCOUNTS; i++) {
        const int at = slot->integral[ff_lane_accounts[i]];
        if (at >= 0) {
            y[slot->integral_at + (size_t)at] = b->y[FF_LANE_NORMAL_DAMPER + i][l];
        }
    }
    sim->phase.modes[0] = lane->mode;
    sim->phase.slipping[0] = b->slipping[l] != 0;
    sim->phase.opening[0] = slot->kinked && lane->mode != FF_AIR && b->y[FF_LANE_W][l] < 0;
    sim->phase.inside[0] = lane->mode == FF_FREE ? lane->inside : lane->mode == FF_LOADED;
    ff_books *books = &sim->phase.books[0];
    books->release = lane->release;
    books->regrade = b->regrade[l];
    books->created = b->created[l];
    books->graded = b->sum[l];
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
