/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "dynamics/links.h"
#include "sim.h"
#include <float.h>
#include <string.h>

/* What root functions may do between two points of a step (docs/theory.md, Finding an event): bounds of the accelerations of
 * bodies, of gaps, and of functions that are expressions. */

/* ---- accelerations within the last step tried ---- */

/* Rates at the stages of a step are values of a polynomial of degree 3 (dopri5) or 6 (dop853), the derivative of its interpolant.
 * If they are within S of the first one, the polynomial is within 3.7 S (the sum of the magnitudes of the weights of its stages)
 * and 4.4 S (the largest polynomial of degree 6 that is at most 1 at the stages, by linear programming). */
#define SPREAD 4.4
/* The same of rates over dt/dx on a curved clock, which are no polynomials, without the first stage, where dt/dx may be 0: twice as
 * much. */
#define SPREAD_CURVED 8.8

static inline double larger(double a, double b) { return a > b ? a : b; }

/* Duration of the last step tried, s. */
static double duration(const ff_sim *sim) {
    const ff_flow *f = &sim->flow;
    const ff_clock *clock = &f->now.clock;
    return ff_clock_time(clock, clock->x + f->stepper.step) - ff_clock_now(clock);
}

/* the derivative of Hermite's cubic is m + (f0 - m)(1 - 4 theta + 3 theta^2) + (f1 - m)(3 theta^2 - 2 theta) with the mean rate m;
 * both factors are at most 1 */
static double hermite_spread(const ff_sim *sim, size_t from, int count, double *mean) {
    const ff_stepper *s = &sim->flow.stepper;
    const double *y = sim->flow.y + from, *y1 = s->y1 + from, h = duration(sim);
    double ends[2] = {0};
    for (int c = 0; c < count; c++) {
        mean[c] = (y1[c] - y[c]) / h;
        for (int k = 0; k < 2; k++) {
            const double off = s->k[6 * k][from + (size_t)c] - mean[c];
            ends[k] += off * off;
        }
    }
    return sqrt(ends[0]) + sqrt(ends[1]);
}

/* dx/dt on a curved clock, at a fraction of the last step tried */
static inline double per_pace(const ff_sim *sim, double theta) {
    const ff_clock *clock = &sim->flow.now.clock;
    const double x = clock->x + theta * sim->flow.stepper.step;
    return 1 / (clock->power == 2 ? 2 * x : clock->power == 3 ? 3 * (x * x) : 4 * (x * x * x));
}

static double curved_spread(const ff_sim *sim, const ff_stages *stages, size_t from, int count,
                            double *mean) {
    const ff_stepper *s = &sim->flow.stepper;
    double most = 0;
    /* the last stage is at the end; at the first one, the start, dt/dx may be 0 */
    const double *end = s->k[stages->stage[stages->count - 1].k] + from, per_end = per_pace(sim, 1);
    for (int c = 0; c < count; c++) {
        mean[c] = end[c] * per_end;
    }
    for (int i = 1; i < stages->count - 1; i++) {
        const double *k = s->k[stages->stage[i].k] + from, per = per_pace(sim, stages->stage[i].at);
        double sum = 0;
        for (int c = 0; c < count; c++) {
            sum += (k[c] * per - mean[c]) * (k[c] * per - mean[c]);
        }
        most = sum > most ? sum : most;
    }
    return SPREAD_CURVED * sqrt(most);
}

/* Rates in the last step tried of a vector of up to three components of y, from position `from` on: they are within the returned
 * distance of `mean`. */
static inline double find_spread(const ff_sim *sim, size_t from, int count, double *mean) {
    const ff_flow *f = &sim->flow;
    const ff_stages *stages = ff_stepper_stages(&f->stepper, f->now.method);
    if (stages->count == 2) {
        return hermite_spread(sim, from, count, mean);
    }
    if (f->now.clock.power > 1) {
        return curved_spread(sim, stages, from, count, mean);
    }
    const double *first = f->stepper.k[0] + from;
    double most = 0;
    for (int c = 0; c < count; c++) {
        mean[c] = first[c];
    }
    for (int i = 1; i < stages->count; i++) {
        const double *k = f->stepper.k[stages->stage[i].k] + from;
        double sum = 0;
        for (int c = 0; c < count; c++) {
            sum += (k[c] - first[c]) * (k[c] - first[c]);
        }
        most = sum > most ? sum : most;
    }
    return SPREAD * sqrt(most);
}

/* The same of one component along a direction: with one contact this takes half as long as all three components, which the contacts
 * of a body share. */
static inline double find_spread_along(const ff_sim *sim, size_t from, const double n[3],
                                       double *mean) {
    const ff_flow *f = &sim->flow;
    const ff_stages *stages = ff_stepper_stages(&f->stepper, f->now.method);
    double all[3], least = 0, most = 0;
    if (stages->count == 2) {
        const double spread = hermite_spread(sim, from, 3, all);
        *mean = ff_dot(n, all);
        return spread;
    }
    const bool curved = f->now.clock.power > 1;
    const int last = stages->count - 1, reference = curved ? last : 0;
    *mean = ff_dot(n, f->stepper.k[stages->stage[reference].k] + from) *
            (curved ? per_pace(sim, 1) : 1);
    for (int i = curved ? 1 : last; i != reference; i += curved ? 1 : -1) {
        double here = ff_dot(n, f->stepper.k[stages->stage[i].k] + from);
        here = (curved ? here * per_pace(sim, stages->stage[i].at) : here) - *mean;
        least = here < least ? here : least;
        most = here > most ? here : most;
    }
    return (curved ? SPREAD_CURVED : SPREAD) * larger(-least, most);
}

double ff_course_spread(const ff_sim *sim, size_t i, double *mean) {
    return find_spread(sim, i, 1, mean);
}

static double size_of(const double *v, int count) {
    double sum = 0;
    for (int c = 0; c < count; c++) {
        sum += v[c] * v[c];
    }
    return sqrt(sum);
}

/* How fast a point turns away: of a point at distance r from a centre the acceleration differs from that of the centre by at most
 * (alpha + omega^2) r. */
static double turn_of(double alpha, double omega) { return alpha + omega * omega; }

static void sway_body(const ff_sim *sim, size_t at, bool turns, ff_sway *out) {
    out->off = find_spread(sim, at + FF_VEL, 3, out->mean);
    if (turns) {
        double mean[3];
        const double spread = find_spread(sim, at + FF_OMEGA, 3, mean),
                     alpha = size_of(mean, 3) + spread;
        out->alpha = alpha;
        out->omega = size_of(sim->flow.y + at + FF_OMEGA, 3) + duration(sim) * alpha;
        out->turn = turn_of(out->alpha, out->omega);
    }
}

/* Bounds for a mechanism, from the root on: with the speeds u and accelerations u' of a joint, that slide or turn,
 *     a = a_p + (alpha_p + omega_p^2) reach + 2 omega_p u + u',   alpha = alpha_p + (omega_p + u) u + u',   omega = omega_p + u. */
static void sway_tree(ff_sim *sim) {
    const ff_model *model = sim->reduced;
    const double *y = sim->flow.y, h = duration(sim);
    for (size_t k = 0; k < model->body_count; k++) {
        const int body = model->tree->order[k];
        const ff_link *l = &model->tree->links[body];
        const ff_sway none = {0}, *up = l->parent < 0 ? &none : &sim->sways[l->parent];
        const size_t at = l->at + (size_t)l->coordinates;
        double speed[2] = {0}, rate[2] = {0}, reach = size_of(l->offset, 3);
        for (int c = 0; c < l->speeds; c++) {
            const bool slides = l->kind == FF_JOINT_FREE ? c < 3 : ff_link_slides(l->kind, c);
            double mean[3];
            const double spread = find_spread(sim, at + (size_t)c, 1, mean),
                         a = fabs(mean[0]) + spread, u = fabs(y[at + (size_t)c]) + h * a;
            speed[slides] += u;
            rate[slides] += a;
            if (l->kind == FF_JOINT_SCREW) {
                speed[1] += fabs(l->pitch) * u;
                rate[1] += fabs(l->pitch) * a;
                reach += fabs(l->pitch) * (fabs(y[l->at]) + h * u);
            } else if (slides && l->kind != FF_JOINT_FREE) {
                reach += fabs(y[l->at + (size_t)c]) + h * u;
            }
        }
        ff_sway *out = &sim->sways[body];
        out->omega = up->omega + speed[0];
        out->alpha = up->alpha + (up->omega + speed[0]) * speed[0] + rate[0];
        out->anchor =
            up->anchor + turn_of(up->alpha, up->omega) * reach + 2 * up->omega * speed[1] + rate[1];
        memset(out->mean, 0, sizeof out->mean);
        out->turn = turn_of(out->alpha, out->omega);
        out->off = out->anchor + out->turn * size_of(l->com, 3);
    }
}

static void find_sway(ff_sim *sim, int body, bool turns) {
    const long step = sim->flow.stepper.tries;
    if (ff_articulated(sim->reduced)) {
        sway_tree(sim);
        for (size_t i = 0; i < sim->reduced->body_count; i++) {
            sim->sways[i].step = step;
        }
        return;
    }
    ff_sway *out = &sim->sways[body];
    sway_body(sim, (size_t)body * FF_BODY_STRIDE, turns, out);
    out->step = step;
    out->turns = turns;
}

static inline const ff_sway *sway_of(ff_sim *sim, int body, bool turns) {
    const ff_sway *out = &sim->sways[body];
    if (out->step != sim->flow.stepper.tries || (turns && !out->turns)) {
        find_sway(sim, body, turns);
    }
    return out;
}

const ff_sway *ff_course_sway(ff_sim *sim, int body, bool turns) {
    return sway_of(sim, body, turns);
}

/* ---- gaps ---- */

static double off_centre(const double center[3]) {
    return center[0] == 0 && center[1] == 0 && center[2] == 0 ? 0 : size_of(center, 3);
}

const double *ff_course_state(ff_sim *sim, double theta) {
    ff_flow *f = &sim->flow;
    if (theta == 0 || theta == 1) {
        return theta == 0 ? f->y : f->stepper.y1;
    }
    ff_stepper_states_at(&f->stepper, theta, f->scratch);
    if (f->carries) {
        const ff_span span = {&f->now.clock, f->stepper.step, f->y};
        f->system->carry(sim, &span, theta, f->scratch);
    }
    return f->scratch;
}

/* The vector between the centres of two spheres. */
static void between(ff_sim *sim, const ff_slot *slot, double theta, double out[3]) {
    const double *bodies = ff_sim_bodies_at(sim, ff_course_state(sim, theta));
    const double *a = ff_body_state(bodies, slot->body), *b = ff_body_state(bodies, slot->other);
    double r[3][3], arm[3];
    ff_rotation(a + FF_Q, r);
    ff_rotate(r, slot->center, out);
    ff_rotation(b + FF_Q, r);
    ff_rotate(r, slot->other_center, arm);
    for (int c = 0; c < 3; c++) {
        out[c] += a[FF_P + c] - b[FF_P + c] - arm[c];
    }
}

/* Two spheres without contact approach each other no faster than along their tangents, but for their acceleration: with the vector
 * d between their centres, |d(t)| >= n.(d + d' t) - bend t^2/2. From both points up to the middle between them. */
static double tangents_most(const ff_step_part *part, double bend) {
    const ff_root *a = part->a, *b = part->b;
    const double h = part->h / 2, way = bend * h * h / 2, from = a->g + a->slope * h + way,
                 to = b->g - b->slope * h + way;
    return larger(larger(a->g, b->g), larger(from, to));
}

/* Two spheres without contact: the vector between their centres is within bend h^2/8 of the line between its values at both
 * points, whose distance from 0 is known. */
static double spheres_most(ff_sim *sim, const ff_slot *slot, const ff_step_part *part,
                           double bend) {
    const double h = part->h, reach = slot->radius + slot->other_radius;
    double from[3], way[3];
    between(sim, slot, part->from, from);
    between(sim, slot, part->to, way);
    ff_add_scaled(way, -1, from, way);
    const double all = ff_dot(way, way);
    double near = all > 0 ? -ff_dot(from, way) / all : 0;
    near = near < 0 ? 0 : near > 1 ? 1 : near;
    ff_add_scaled(from, near, way, from);
    return reach - (size_of(from, 3) - bend * h * h / 8);
}

/* A gap over a plane with a prescribed motion m: g = s + m, where s'' >= -bend. Over many periods of a vibration the range of m
 * bounds it, over a part of one period its second rate. */
static double moving_most(ff_sim *sim, const ff_slot *slot, const ff_step_part *part, bool air,
                          double bend) {
    const ff_clock *clock = &sim->flow.now.clock;
    const double x = clock->x, h = sim->flow.stepper.step, a = part->a->g, b = part->b->g;
    const double t[2] = {ff_clock_time(clock, x + part->from * h),
                         ff_clock_time(clock, x + part->to * h)};
    double shift[2], law[6];
    ff_interval place, rate;
    for (int k = 0; k < 2; k++) {
        ff_plane_motion_at(slot->motion, t[k], law);
        shift[k] = air ? ff_dot(law, slot->normal) : -ff_dot(law, slot->normal);
    }
    ff_piece_motion(sim, slot->motion, t[0], t[1], slot->normal, &place, &rate);
    const double most = air ? place.hi : -place.lo, all = bend - (air ? rate.lo : -rate.hi);
    const double apart = ff_path_chord(a - shift[0], b - shift[1], part->h, bend > 0 ? bend : 0);
    return fmin(apart + most,
                all < HUGE_VAL ? ff_path_chord(a, b, part->h, all > 0 ? all : 0) : HUGE_VAL);
}

static double gap_most(ff_sim *sim, size_t i, const ff_step_part *part) {
    const ff_slot *slot = &sim->reduced->slots[i];
    const bool air = sim->phase.modes[i] == FF_AIR;
    const double h = part->h, a = part->a->g, b = part->b->g;
    if (slot->other < 0 && slot->centred && !slot->motion && sim->reduced->slot_count == 1 &&
        !sim->reduced->tree) {
        double mean;
        const double spread = find_spread_along(sim, (size_t)slot->body * FF_BODY_STRIDE + FF_VEL,
                                                slot->normal, &mean);
        return ff_path_chord(a, b, h, larger((air ? mean : -mean) + spread, 0));
    }
    const double arm = slot->centred ? 0 : off_centre(slot->center);
    const ff_sway *own = sway_of(sim, slot->body, arm > 0);
    double off = arm > 0 ? own->off + own->turn * arm : own->off;
    if (slot->other < 0) {
        /* z'' = -n.a */
        const double mean = ff_dot(slot->normal, own->mean), bend = (air ? mean : -mean) + off;
        return slot->motion ? moving_most(sim, slot, part, air, bend)
                            : ff_path_chord(a, b, h, bend > 0 ? bend : 0);
    }
    const double other_arm = slot->centred ? 0 : off_centre(slot->other_center);
    const ff_sway *other = sway_of(sim, slot->other, other_arm > 0);
    double mean[3];
    ff_add_scaled(own->mean, -1, other->mean, mean);
    off += size_of(mean, 3) + other->off + (other_arm > 0 ? other->turn * other_arm : 0);
    if (!air) {
        /* the distance of two spheres is convex on a line, and deviates from that by the acceleration */
        return larger(a, b) + off * h * h / 8;
    }
    const double most = tangents_most(part, off);
    return most <= part->a->noise ? most : spheres_most(sim, slot, part, off);
}

const ff_link *ff_course_link(const ff_model *model, size_t joint) {
    const ff_joint *j = &model->joints[joint];
    return ff_articulated(model) && !j->loop && j->kind != FF_JOINT_SPHERICAL
               ? &model->tree->links[ff_joint_hanging(model, joint)]
               : NULL;
}

bool ff_course_knows_joint(const ff_sim *sim, size_t joint) {
    const ff_link *l = ff_course_link(sim->reduced, joint);
    return l && l->driven == 0 && l->speeds == l->coordinates;
}

/* A limit of a coordinate, whose speed is a state. */
static double limit_most(const ff_sim *sim, const ff_edge *edge, const ff_step_part *part) {
    const ff_link *l = ff_course_link(sim->reduced, edge->joint);
    double mean;
    const double spread =
        find_spread(sim, l->at + (size_t)l->coordinates + (size_t)edge->coordinate, 1, &mean);
    return ff_path_chord(part->a->g, part->b->g, part->h, fabs(mean) + spread);
}

double ff_course_most(void *self, size_t which, const ff_step_part *part) {
    ff_sim *sim = self;
    const size_t of = sim->ends[which].slot, users = sim->reduced->slot_count,
                 kinks = users + sim->reduced->event_count,
                 edges = kinks + ff_control_branches(sim->reduced);
    return of >= edges   ? limit_most(sim, &sim->edges.at[of - edges], part)
           : of >= kinks ? ff_piece_branch(sim, of - kinks, part)
           : of >= users ? ff_piece_event(sim, of - users, part)
                         : gap_most(sim, of, part);
}
