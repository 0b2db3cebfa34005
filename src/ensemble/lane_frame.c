/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "inside.h"
#include "sim/warnings.h"
#include <float.h>
#include <math.h>

/* The frame of the plane that a lane touches or will touch next. */

const ff_integral ff_lane_accounts[FF_LANE_ACCOUNTS] = {FF_NORMAL_DAMPER, FF_TANGENTIAL_DAMPER,
                                                        FF_SLIP_LOSS, FF_VISCOUS, FF_GRADED_WORK};

double ff_lane_place(const ff_lane *lane, double way, double time, int i) {
    const double t = time - lane->since;
    return lane->place0[i] + lane->alpha * way + lane->beta[i] * t + lane->gamma[i] * t * t / 2;
}

/* Position, velocity and omega follow from depth and slip (parts.h). */
void ff_lane_motion_at(const ff_lane *lane, const double y[FF_LANE_SIZE], double time,
                       ff_lane_motion *out) {
    const ff_slot *slot = ff_lane_slot(lane);
    const double *n = slot->normal, t = time - lane->since;
    double impulse[3] = {0}, turned[3];
    for (int c = 0; c < 3; c++) {
        out->position[c] = (slot->level - y[FF_LANE_Z]) * n[c];
        out->velocity[c] = -y[FF_LANE_W] * n[c];
    }
    for (int i = 0; i < 2; i++) {
        const double *e = lane->across[i], s = y[FF_LANE_S + i];
        ff_add_scaled(out->position, ff_lane_place(lane, y[FF_LANE_WAY + i], time, i), e,
                      out->position);
        ff_add_scaled(out->velocity, lane->alpha * s + lane->beta[i] + lane->gamma[i] * t, e,
                      out->velocity);
        ff_add_scaled(impulse, (s - lane->slip0[i] - lane->pull[i] * t) * lane->per_mobility, e,
                      impulse);
    }
    ff_cross(n, impulse, turned);
    ff_add_scaled(lane->omega0, -lane->turning, turned, out->omega);
}

double ff_lane_distance(const ff_lane *lane, const double position[3]) {
    const ff_model *model = lane->sim->reduced;
    double out = HUGE_VAL;
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *slot = &model->slots[i];
        const double gap = ff_dot(position, slot->normal) - slot->level;
        out = i != lane->plane && gap < out ? gap : out;
    }
    return out;
}

static void set_directions(ff_lane *lane, const double n[3]) {
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

void ff_lane_store(ff_lane *lane, const ff_lane_block *b, int l) {
    ff_lane_kept *k = &lane->kept[lane->plane];
    for (int i = 0; i < FF_LANE_ACCOUNTS; i++) {
        k->accounts[i] = b->y[FF_LANE_NORMAL_DAMPER + i][l];
    }
    k->sum = b->sum[l];
    k->regrade = b->regrade[l];
    k->created = b->created[l];
    k->release = lane->release;
    k->latched = b->latched[l];
    k->first = b->first[l];
}

static void fetch(ff_lane *lane, ff_lane_block *b, int l) {
    const ff_lane_kept *k = &lane->kept[lane->plane];
    for (int i = 0; i < FF_LANE_ACCOUNTS; i++) {
        b->y[FF_LANE_NORMAL_DAMPER + i][l] = k->accounts[i];
    }
    b->sum[l] = k->sum;
    b->regrade[l] = k->regrade;
    b->created[l] = k->created;
    lane->release = k->release;
    b->latched[l] = k->latched;
    b->first[l] = k->first;
}

/* Tolerances follow from those of the states of the body. */
static void weigh(const ff_lane *lane, ff_lane_block *b, int l) {
    const ff_slot *slot = ff_lane_slot(lane);
    const double *per = lane->sim->flow.per_weight, speed = per[FF_VEL] * lane->alpha,
                 turns = per[FF_OMEGA] * lane->turning * lane->per_mobility;
    b->per_weight[FF_LANE_Z][l] = per[FF_P];
    b->per_weight[FF_LANE_W][l] = per[FF_VEL];
    for (int i = 0; i < 2; i++) {
        b->per_weight[FF_LANE_S + i][l] = speed > turns ? speed : turns;
        b->per_weight[FF_LANE_U + i][l] =
            slot->friction.vectors > 0 ? per[slot->state_at + (size_t)ff_slot_u(slot)] : 0;
        b->per_weight[FF_LANE_WAY + i][l] = per[FF_P] * lane->alpha;
    }
    for (int i = 0; i < FF_LANE_ACCOUNTS; i++) {
        const int at = slot->integral[ff_lane_accounts[i]];
        b->per_weight[FF_LANE_NORMAL_DAMPER + i][l] =
            at < 0 ? 0 : per[slot->integral_at + (size_t)at];
    }
    /* a few units in the last place of the terms of the depth */
    b->noise[l] = 8 * DBL_EPSILON * (fabs(slot->level) + slot->extent);
}

void ff_lane_enter(ff_lane *lane, ff_lane_block *b, int l, size_t plane, double time,
                   const ff_lane_motion *motion) {
    const ff_model *model = lane->sim->reduced;
    lane->plane = plane;
    lane->laws = lane->each[plane];
    lane->since = time;
    const ff_slot *slot = ff_lane_slot(lane);
    const double *n = slot->normal, *g = model->gravity, mass = model->bodies[0].mass,
                 per_inertia = model->bodies[0].per_inertia[0][0];
    double arm[3], v[3];
    for (int i = 0; i < FF_LAW_NUMBERS; i++) {
        b->normal[i][l] = slot->law.numbers[i];
        b->friction[i][l] = slot->friction.numbers[i];
    }
    set_directions(lane, n);
    const double mobility = 1 / mass + slot->radius * slot->radius * per_inertia;
    b->per_mass[l] = 1 / mass;
    b->mobility[l] = mobility;
    b->fall[l] = -ff_dot(g, n);
    /* A step is a small part of a contact, so one of its ends is more than half as deep as a turning point in it. In a
     * single step over most of a contact, as at very loose tolerances, the depth may be missed. */
    b->deep[l] = 0.5 * FF_DEPTH_PART * slot->radius;
    lane->alpha = 1 / (mass * mobility);
    lane->per_mobility = 1 / mobility;
    lane->turning = slot->radius * per_inertia;
    for (int c = 0; c < 3; c++) {
        arm[c] = -slot->radius * n[c];
        lane->omega0[c] = motion->omega[c];
    }
    ff_cross(motion->omega, arm, v);
    ff_add_scaled(v, 1, motion->velocity, v);
    b->y[FF_LANE_Z][l] = slot->level - ff_dot(motion->position, n);
    b->y[FF_LANE_W][l] = -ff_dot(motion->velocity, n);
    for (int i = 0; i < 2; i++) {
        const double *e = lane->across[i], pull = ff_dot(g, e), s = ff_dot(v, e);
        lane->pull[i] = b->pull[i][l] = pull;
        b->y[FF_LANE_S + i][l] = lane->slip0[i] = s;
        lane->beta[i] = ff_dot(motion->velocity, e) - lane->alpha * s;
        lane->gamma[i] = pull * (1 - lane->alpha);
        lane->place0[i] = ff_dot(motion->position, e);
        b->y[FF_LANE_U + i][l] = b->y[FF_LANE_WAY + i][l] = 0;
    }
    fetch(lane, b, l);
    weigh(lane, b, l);
}
