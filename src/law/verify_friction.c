/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/elementary.h"
#include "num/ellipse.h"
#include "num/memory.h"
#include "params.h"
#include "sizes.h"
#include "split.h"
#include "verify.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Consistency checks of friction laws. See verify_normal.c for the method. */

typedef struct friction_check {
    ff_check r;
    const ff_friction *law;
    double depth, speed, load;
    double exponent;            /* the grade is z^exponent */
    double along[3], across[3]; /* orthonormal axes of the tangent plane */
    ff_friction_query q;
    double load_rate;
    double u[FF_FRICTION_STATES], rate[FF_FRICTION_STATES], graded_by[FF_FRICTION_STATES];
    ff_friction_answer at;
    double stored, free;
    double slopes[];
} friction_check;

static ff_friction_answer friction_ask(const ff_friction *law, const ff_friction_query *q,
                                       double *rate) {
    ff_friction_answer out = {.rate = rate};
    law->respond(law, q, &out);
    return out;
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Sets depth (m) and load (N) of a query, with the grade z^exponent that a normal law would give. */
static void press(const friction_check *c, ff_friction_query *q, double z, double load) {
    q->z = z;
    q->load = load;
    q->grade = ff_pow(z, c->exponent);
    q->grade_slope = c->exponent * ff_pow(z, c->exponent - 1);
    q->ratio = load / q->grade;
}

/* a vector of length `size` and random direction in the tangent plane */
static void draw_vector(friction_check *c, double size, double out[3]) {
    double x, y, square;
    do {
        x = ff_check_uniform(&c->r, -1, 1);
        y = ff_check_uniform(&c->r, -1, 1);
        square = x * x + y * y;
    } while (square > 1 || square < 1e-6);
    for (int i = 0; i < 3; i++) {
        out[i] = size / sqrt(square) * (x * c->along[i] + y * c->across[i]);
    }
}

/* Inner states that the law reaches by itself when the contact is dragged in random directions under this load.
 * Explicit steps, short enough that the rates change by at most a fifth; if that takes too many halvings, the leg ends
 * early. */
static void walk_friction(friction_check *c) {
    enum { LEGS = 4, STEPS = 24, HALVINGS = 100 };
    const int states = 3 * c->law->vectors;
    const ff_friction_law *table = c->law->law;
    double next[FF_FRICTION_STATES], rates[FF_FRICTION_STATES];
    double reach = table->reach ? table->reach(c->law, fmax(c->q.load, c->q.ratio)) : c->depth;
    memset(c->u, 0, sizeof c->u);
    ff_friction_touch(c->law, c->depth, c->depth / c->speed, c->u);
    int legs = states > 0 ? (int)ff_check_uniform(&c->r, 0, LEGS) : 0;
    for (int leg = 0; leg < legs; leg++) {
        double way = ff_check_below(&c->r, 10 * reach, 4), h;
        draw_vector(c, ff_check_below(&c->r, c->speed, 6), c->q.v);
        for (int step = 0; step < STEPS && way > 0; step++) {
            h = fmin(way, fmax(way, reach) / 16) / ff_length(c->q.v);
            friction_ask(c->law, &c->q, c->rate);
            bool calm = false;
            for (int turn = 0; turn < HALVINGS && !calm; turn++, h /= 2) {
                calm = true;
                ff_friction_query moved = c->q;
                moved.u = next;
                memcpy(next, c->u, sizeof next);
                for (int i = 0; i < states; i++) {
                    next[i] = c->u[i] + h * c->rate[i];
                }
                friction_ask(c->law, &moved, rates);
                for (int i = 0; i < states; i += 3) {
                    double change[3] = {rates[i] - c->rate[i], rates[i + 1] - c->rate[i + 1],
                                        rates[i + 2] - c->rate[i + 2]};
                    calm = calm && (ff_length(change) <= 0.2 * ff_length(c->rate + i) ||
                                    ff_length(change) <= 1e-9 * ff_length(c->q.v));
                }
            }
            if (!calm) {
                break;
            }
            h *= 2; /* undo the last halving of the loop */
            for (int i = 0; i < states; i++) {
                c->u[i] += h * c->rate[i];
            }
            way -= h * ff_length(c->q.v);
        }
    }
}

/* The largest rate of the springs without a load, m/s: how fast they relax. Rates under a load may be small differences
 * of numbers of this size. */
static double free_rate(const friction_check *c) {
    double rates[FF_FRICTION_STATES], out = 0;
    ff_friction_query q = c->q;
    q.load = q.ratio = 0;
    friction_ask(c->law, &q, rates);
    for (int i = 0; i < 3 * c->law->vectors; i++) {
        out = fmax(out, fabs(rates[i]));
    }
    return out;
}

/* Draws the i-th point. Of 16 points one has v = 0, one zdot = 0 and one no load. The inner states come from a greater
 * depth and load than those of the point, so that some springs are beyond their limit. */
static void draw_friction(friction_check *c, size_t i) {
    static const double exponents[] = {0.5, 0, 1, 0.25};
    const ff_friction *law = c->law;
    double normal[3] = {0, 0, 1};
    c->exponent = exponents[i % 4];
    memcpy(c->along, (double[3]){1, 0, 0}, sizeof c->along);
    if (i % 2) {
        draw_vector(c, 1, normal);
        normal[2] = ff_check_uniform(&c->r, -1, 1);
        ff_split(normal, normal);
        double size = sqrt(normal[0] * normal[0] + normal[1] * normal[1]);
        memcpy(c->along, (double[3]){-normal[1] / size, normal[0] / size, 0}, sizeof c->along);
    }
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        c->across[k] = normal[a] * c->along[b] - normal[b] * c->along[a];
    }
    memset(&c->q, 0, sizeof c->q);
    c->q.u = c->u;
    press(c, &c->q, ff_check_below(&c->r, c->depth, 6), ff_check_below(&c->r, c->load, 6));
    walk_friction(c);
    press(c, &c->q, c->q.z * ff_check_below(&c->r, 1, 1), c->q.load * ff_check_below(&c->r, 1, 1));
    double v = ff_check_uniform(&c->r, 0, 1) < 0.5 ? ff_check_uniform(&c->r, 0, c->speed)
                                                   : ff_check_below(&c->r, c->speed, 9);
    draw_vector(c, i % 16 == 3 ? 0 : v, c->q.v);
    c->q.zdot = i % 16 == 5 ? 0 : ff_check_either(&c->r, ff_check_below(&c->r, c->speed, 6));
    c->load_rate = ff_check_either(&c->r, ff_check_below(&c->r, c->load * c->speed / c->depth, 6));
    if (i % 16 == 7) {
        press(c, &c->q, c->q.z, 0);
        c->load_rate = 0;
        /* a law that lifts must also accept a negative normal force */
        c->q.ratio = law->lifts ? -ff_check_below(&c->r, c->load, 6) / c->q.grade : 0;
    }
    if (law->turns) {
        c->q.radius = ff_check_below(&c->r, 10 * c->depth, 2);
        c->q.spin = ff_check_either(&c->r, ff_check_below(&c->r, c->speed / c->depth, 3));
        draw_vector(c, ff_check_below(&c->r, c->speed / c->depth, 3), c->q.roll);
        memcpy(c->q.n, normal, sizeof c->q.n);
    }
    memset(c->rate, 0, sizeof c->rate);
    memset(c->graded_by, 0, sizeof c->graded_by);
    c->at = (ff_friction_answer){.rate = c->rate, .graded_by = c->graded_by};
    law->respond(law, &c->q, &c->at);
    c->stored = ff_friction_stored(law, &c->q);
    ff_friction_slopes_at(law, &c->q, c->slopes);
    c->free = free_rate(c);
    snprintf(c->r.point, sizeof c->r.point, "load %.4g N, z = %.4g m, |v| = %.4g m/s, |u| = %.4g m",
             c->q.load, c->q.z, ff_length(c->q.v), ff_length(c->u));
}

/* magnitude of the variable that a column of the matrix of partial derivatives refers to */
static double friction_size(const friction_check *c, int by) {
    const ff_friction_query *q = &c->q;
    return by < FF_BY_LOAD           ? ff_length(q->v)
           : by == FF_BY_LOAD        ? q->load
           : by == FF_BY_GRADE       ? q->grade
           : by == FF_BY_GRADE_SLOPE ? fabs(q->grade_slope)
           : by == FF_BY_DEPTH       ? q->z
           : by == FF_BY_DEPTH_RATE  ? fabs(q->zdot)
                                     : ff_length(c->u + (by - FF_BY_U) / 3 * 3);
}

/* Magnitude of the terms of which a row is a sum, to estimate its rounding error. A rate may be a difference of larger
 * numbers. */
static double friction_terms(const friction_check *c, int row) {
    const int columns = FF_BY_U + 3 * c->law->vectors;
    double out = row >= FF_OF_U_RATES ? ff_length(c->q.v) + c->free : 0;
    for (int by = 0; by < columns; by++) {
        out += fabs(c->slopes[row * columns + by]) * friction_size(c, by);
    }
    return out;
}

/* Energy balance: -f.v - moment.omega + lift zdot = d(stored)/dt + damper + slip + viscous - graded d(level)/dt, while
 * depth, load and springs change, each at its own rate. `graded` accounts for the energy that a change of level
 * creates, unless the lift does that work. */
static void balance_friction(friction_check *c) {
    const ff_friction *law = c->law;
    const ff_friction_query *q = &c->q;
    const int states = 3 * law->vectors;
    const ff_level level = law->law->level;
    double growth_of_level = level == FF_LEVEL_GRADE  ? q->grade_slope * q->zdot
                             : level == FF_LEVEL_LOAD ? c->load_rate
                                                      : 0;
    double terms[4] = {-dot(c->at.force, q->v), -dot(c->at.moment, q->roll) - c->at.twist * q->spin,
                       c->at.lift * q->zdot, c->at.graded * growth_of_level};
    double losses = c->at.damper + c->at.slip + c->at.viscous;
    double in = terms[0] + terms[1] + terms[2] + terms[3] - losses;
    double scale = fabs(losses), rough = 0, time = c->depth / c->speed, pace = 0;
    for (int i = 0; i < 4; i++) {
        scale += fabs(terms[i]);
    }
    scale += ff_length(c->at.force) * ff_length(q->v);
    for (int i = 0; i < 3; i++) {
        rough += friction_terms(c, FF_OF_FORCE + i) * ff_length(q->v);
    }
    for (int i = 0; i < states; i++) {
        pace += c->rate[i] * c->rate[i];
    }
    for (int i = 0; i < states; i++) {
        double size = ff_length(c->u + i / 3 * 3), of = friction_terms(c, FF_OF_U_RATES + i);
        rough += of * (2 * c->stored / fmax(size, 1e-300) + losses / fmax(sqrt(pace), 1e-300));
        time = size > 0 ? fmin(time, size / fmax(sqrt(pace), 1e-300)) : time;
    }
    time = fmin(time, q->z / fmax(fabs(q->zdot), 1e-300));
    time = q->load > 0 ? fmin(time, q->load / fmax(fabs(c->load_rate), 1e-300)) : time;
    double best = INFINITY;
    for (int k = 0; k < FF_CHECK_STEPS; k++) {
        double h = ff_check_step[k] * time, energy[2], moved[FF_FRICTION_STATES];
        for (int side = 0; side < 2; side++) {
            double t = side ? h : -h;
            ff_friction_query at = *q;
            press(c, &at, q->z + t * q->zdot, q->load + t * c->load_rate);
            memcpy(moved, c->u, sizeof moved);
            for (int i = 0; i < states; i++) {
                moved[i] = c->u[i] + t * c->rate[i];
            }
            at.u = moved;
            energy[side] = ff_friction_stored(law, &at);
        }
        double growth = (energy[1] - energy[0]) / (2 * h);
        double slack = FF_CHECK_ROUNDING * (rough + (fabs(energy[0]) + fabs(energy[1])) / h);
        /* the first derivative of the energy vanishes at u = 0: the second difference is part of the scale */
        double bend = fabs(energy[1] + energy[0] - 2 * c->stored) / h;
        best = fmin(best, ff_check_beyond(in - growth, slack, scale + fabs(growth) + bend));
    }
    ff_check_note(&c->r, FF_CHECK_BALANCE, best, 1, "-f.v + lift zdot - d(stored)/dt - losses");
}

static void signs_friction(friction_check *c) {
    const ff_friction *law = c->law;
    const ff_friction_answer *at = &c->at;
    const ff_friction_query *q = &c->q;
    double force = ff_length(at->force), power = force * ff_length(q->v);
    double scale = power + fabs(at->damper) + fabs(at->slip) + fabs(at->viscous);
    bool finite = isfinite(force) && isfinite(at->lift) && isfinite(scale) &&
                  isfinite(at->graded) && isfinite(ff_length(at->moment) + at->twist) &&
                  isfinite(c->stored) && (!law->law->slips || isfinite(at->excess));
    for (int i = 0; i < 3 * law->vectors; i++) {
        finite = finite && isfinite(c->rate[i]);
    }
    ff_check_note(&c->r, FF_CHECK_SIGNS, finite ? 0 : INFINITY, 1, "a number that is not finite");
    /* negative values are allowed if the loss is added to that of the normal law (of_normal) */
    ff_check_note(&c->r, FF_CHECK_SIGNS, law->law->of_normal ? 0 : fmin(at->damper, 0), scale,
                  "a damper's loss below 0");
    ff_check_note(&c->r, FF_CHECK_SIGNS, fmin(at->slip, 0), scale, "a loss by slip below 0");
    ff_check_note(&c->r, FF_CHECK_SIGNS, fmin(at->viscous, 0), scale, "a viscous loss below 0");
    ff_check_note(&c->r, FF_CHECK_SIGNS, fmin(c->stored, 0), fabs(c->stored),
                  "a stored energy below 0");
    if (law->vectors == 0) {
        ff_check_note(&c->r, FF_CHECK_SIGNS, fmax(dot(at->force, q->v), 0), power,
                      "a force that drives the slip");
    }
    ff_check_note(&c->r, FF_CHECK_SIGNS, law->law->dry ? at->viscous : 0, fabs(at->viscous),
                  "a viscous loss of a law that is dry");
    ff_check_note(&c->r, FF_CHECK_SIGNS, law->lifts ? 0 : at->lift, fabs(at->lift),
                  "a lift of a law without lifts");
    double moment = ff_length(at->moment) + fabs(at->twist);
    ff_check_note(&c->r, FF_CHECK_SIGNS, law->turns ? 0 : moment, moment,
                  "a moment of a law that does not turn");
    ff_check_note(&c->r, FF_CHECK_SIGNS, law->law->nothing ? force : 0, force,
                  "a force of no friction");
}

/* Lines through the point: along v and u through 0, and along the load, which crosses the limit between stick and slip. */
enum { BY_V, BY_LOAD, BY_STATE, LINES };
typedef struct friction_line {
    const friction_check *c;
    double way[3]; /* direction of the force component that is examined */
    int by;
    bool lift;
} friction_line;

static double along_friction(void *of, double t) {
    const friction_line *line = of;
    const friction_check *c = line->c;
    ff_friction_query q = c->q;
    double u[FF_FRICTION_STATES], rate[FF_FRICTION_STATES], part = ff_check_fine(t),
                                                            fine = 0.01 + 0.99 * t;
    if (line->by == BY_LOAD) {
        press(c, &q, q.z, c->load * (fine * fine) * (fine * fine));
    } else if (line->by == BY_V) {
        double size = ff_length(q.v);
        for (int i = 0; i < 3; i++) {
            q.v[i] *= part * c->speed / fmax(size, 1e-300);
        }
    } else {
        memcpy(u, c->u, sizeof u);
        for (int i = 0; i < 3 * c->law->vectors; i++) {
            u[i] = part * c->u[i];
        }
        q.u = u;
    }
    ff_friction_answer at = friction_ask(c->law, &q, rate);
    return line->lift ? at.lift : dot(at.force, line->way);
}

static void continuity_friction(friction_check *c) {
    for (int by = 0; by < LINES; by++) {
        friction_line line = {.c = c, .by = by};
        draw_vector(c, 1, line.way);
        ff_check_note(&c->r, FF_CHECK_CONTINUITY, ff_check_jump(along_friction, &line), 1,
                      "a jump of the force");
        line.lift = true;
        ff_check_note(&c->r, FF_CHECK_CONTINUITY, ff_check_jump(along_friction, &line), 1,
                      "a jump of the lift");
    }
}

/* graded_by must be d(graded)/du; both are 0 if the lift does that work */
static void graded_friction(friction_check *c) {
    const ff_friction *law = c->law;
    if (law->law->level == FF_LEVEL_ONE) {
        return;
    }
    for (int by = 0; by < 3 * law->vectors; by++) {
        double size = ff_length(c->u + by / 3 * 3), got[2][FF_CHECK_STEPS];
        double u[FF_FRICTION_STATES], rates[FF_FRICTION_STATES];
        if (size == 0) {
            continue;
        }
        memcpy(u, c->u, sizeof u);
        for (int k = 0; k < 2 * FF_CHECK_STEPS; k++) {
            ff_friction_query q = c->q;
            q.u = u;
            u[by] = c->u[by] + (k % 2 ? 1 : -1) * ff_check_step[k / 2] * size;
            got[k % 2][k / 2] = friction_ask(law, &q, rates).graded;
        }
        ff_check_note(&c->r, FF_CHECK_SLOPES,
                      ff_check_slope(c->graded_by[by], c->at.graded, got[1], got[0], size,
                                     fabs(c->at.graded)),
                      1, "graded_by is not d(graded)/du");
    }
}

static void slopes_friction(friction_check *c) {
    const ff_friction *law = c->law;
    const int states = 3 * law->vectors, columns = FF_BY_U + states, rows = FF_OF_U_RATES + states;
    double terms[FF_OF_U_RATES + FF_FRICTION_STATES];
    if (!law->law->slopes || law->turns) {
        return;
    }
    for (int row = 0; row < rows; row++) {
        terms[row] = friction_terms(c, row);
    }
    for (int by = 0; by < columns; by++) {
        double size = friction_size(c, by), u[FF_FRICTION_STATES];
        double got[2][FF_OF_U_RATES + FF_FRICTION_STATES][FF_CHECK_STEPS];
        /* of many vectors every fifth is enough */
        if (size == 0 || (by >= FF_BY_U && (by - FF_BY_U) / 3 % 5 != 0)) {
            continue;
        }
        memcpy(u, c->u, sizeof u);
        for (int k = 0; k < 2 * FF_CHECK_STEPS; k++) {
            double step = (k % 2 ? 1 : -1) * ff_check_step[k / 2] * size, rates[FF_FRICTION_STATES];
            ff_friction_query q = c->q;
            q.u = u;
            if (by >= FF_BY_U) {
                u[by - FF_BY_U] = c->u[by - FF_BY_U] + step;
            } else {
                *(by < FF_BY_LOAD           ? &q.v[by]
                  : by == FF_BY_LOAD        ? &q.load
                  : by == FF_BY_GRADE       ? &q.grade
                  : by == FF_BY_GRADE_SLOPE ? &q.grade_slope
                  : by == FF_BY_DEPTH       ? &q.z
                                            : &q.zdot) += step;
            }
            q.ratio = (c->q.ratio * c->q.grade + (q.load - c->q.load)) / q.grade;
            ff_friction_answer at = friction_ask(law, &q, rates);
            for (int i = 0; i < 3; i++) {
                got[k % 2][FF_OF_FORCE + i][k / 2] = at.force[i];
            }
            got[k % 2][FF_OF_LIFT][k / 2] = at.lift;
            for (int i = 0; i < states; i++) {
                got[k % 2][FF_OF_U_RATES + i][k / 2] = rates[i];
            }
        }
        for (int row = 0; row < rows; row++) {
            static const char *const names[] = {"v", "the load", "the grade", "the grade's slope",
                                                "z", "zdot",     "u"};
            double middle = row < FF_OF_LIFT    ? c->at.force[row]
                            : row == FF_OF_LIFT ? c->at.lift
                                                : c->rate[row - FF_OF_U_RATES];
            double error = ff_check_slope(c->slopes[row * columns + by], middle, got[1][row],
                                          got[0][row], size, terms[row]);
            char part[60];
            snprintf(part, sizeof part, "the slope of %s by %s",
                     row < FF_OF_LIFT    ? "the force"
                     : row == FF_OF_LIFT ? "the lift"
                                         : "a rate",
                     names[by < FF_BY_LOAD ? 0
                           : by < FF_BY_U  ? by - FF_BY_LOAD + 1
                                           : 6]);
            ff_check_note(&c->r, FF_CHECK_SLOPES, error, 1, part);
        }
    }
}

/* `excess`, or the loss by slip, at the given speed (m/s) in the direction of v */
static double slip_at(const friction_check *c, double speed, bool by_excess) {
    ff_friction_query q = c->q;
    double size = ff_length(q.v), rate[FF_FRICTION_STATES];
    for (int i = 0; i < 3; i++) {
        q.v[i] *= speed / size;
    }
    ff_friction_answer at = friction_ask(c->law, &q, rate);
    /* without a force, slip has no loss */
    return by_excess ? at.excess : ff_length(at.force) > 0 ? at.slip : 1;
}

/* The largest speed between low and high before slip_at() changes between 0 and positive, m/s; *next is the next number
 * after it. */
static double slip_border(const friction_check *c, double low, double high, bool by_excess,
                          double *next) {
    bool first = slip_at(c, low, by_excess) > 0;
    for (double v = sqrt(low) * sqrt(high); v > low && v < high; v = (low + high) / 2) {
        if ((slip_at(c, v, by_excess) > 0) == first) {
            low = v;
        } else {
            high = v;
        }
    }
    *next = high;
    return low;
}

/* relative change of the force between two slip speeds */
static double slip_jump(const friction_check *c, double low, double high) {
    double rate[FF_FRICTION_STATES], size = ff_length(c->q.v), force[2][3];
    for (int side = 0; side < 2; side++) {
        ff_friction_query q = c->q;
        for (int i = 0; i < 3; i++) {
            q.v[i] *= (side ? high : low) / size;
        }
        memcpy(force[side], friction_ask(c->law, &q, rate).force, sizeof force[side]);
    }
    for (int i = 0; i < 3; i++) {
        force[1][i] -= force[0][i];
    }
    return ff_length(force[1]) / fmax(ff_length(force[0]), 1e-300);
}

static void roots_friction(friction_check *c) {
    enum { SAMPLES = 46 };
    const ff_friction *law = c->law;
    ff_friction_query bare = c->q;
    double rate[FF_FRICTION_STATES], size = ff_length(c->q.v);
    if (law->law->slips) {
        /* excess is the strain minus its limit */
        ff_check_note(&c->r, FF_CHECK_ROOTS, fmax(c->at.excess - c->at.strain, 0),
                      fabs(c->at.excess) + fabs(c->at.strain), "excess above the strain");
        ff_check_note(&c->r, FF_CHECK_ROOTS, fmin(c->at.strain, 0), fabs(c->at.strain),
                      "a strain below 0");
    }
    if (!law->law->slips || !(c->q.load > 0) || !(size > 0) ||
        (law->law->cone && !(law->law->cone(law) > 0))) {
        return;
    }
    bare.load = bare.ratio = 0;
    double before = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double v = c->speed * ff_pow(10, -9 + i / 3.0);
        bool slips = slip_at(c, v, false) > 0, claimed = slip_at(c, v, true) > 0;
        if (law->vectors > 1) {
            /* with several vectors, parts of the contact slip before all of it does */
            ff_check_note(&c->r, FF_CHECK_ROOTS, claimed && !slips ? slip_at(c, v, true) : 0,
                          c->at.strain, "excess without slip");
        } else if (i > 0 && slips != (slip_at(c, before, false) > 0)) {
            bool changes = claimed != (slip_at(c, before, true) > 0);
            double next, ignored, a = slip_border(c, before, v, false, &next);
            double b = changes ? slip_border(c, before, v, true, &ignored) : 0;
            ff_check_note(&c->r, FF_CHECK_ROOTS, a - b, a + b,
                          "excess ends elsewhere than the slip");
            ff_check_note(&c->r, FF_CHECK_CONTINUITY, slip_jump(c, a, next), 1,
                          "a jump of the force where it slips");
        } else if (slips != claimed) {
            /* near the root the signs differ by rounding: compare with the magnitude of the terms */
            for (int k = 0; k < 3; k++) {
                bare.v[k] = c->q.v[k] * v / size;
            }
            double excess = slip_at(c, v, true);
            double terms = fabs(excess) + fabs(friction_ask(law, &bare, rate).excess);
            ff_check_note(&c->r, FF_CHECK_ROOTS, excess, terms,
                          claimed ? "excess without slip" : "slip without excess");
        }
        before = v;
    }
    /* the estimated error of excess must not be below a tenth of the actual one */
    ff_friction_query moved = c->q;
    double part = 1e-3, u[FF_FRICTION_STATES], most = 0, stretch = 0;
    for (int side = 0; side < 2; side++) {
        double by = side ? 1 + part : 1 - part;
        memcpy(u, c->u, sizeof u);
        for (int i = 0; i < 3 * law->vectors; i++) {
            u[i] = c->u[i] * by;
            stretch = fmax(stretch, fabs(c->u[i]));
        }
        for (int i = 0; i < 3; i++) {
            moved.v[i] = c->q.v[i] * by;
        }
        moved.u = u;
        moved.load = c->q.load * (side ? 1 - part : 1 + part);
        moved.ratio = moved.load / moved.grade;
        most = fmax(most, fabs(friction_ask(law, &moved, rate).excess - c->at.excess));
    }
    double claimed =
        ff_friction_excess_error(law, &c->q, part * c->q.load, part * size, part * stretch);
    most -= FF_CHECK_ROUNDING * fabs(c->at.excess);
    ff_check_note(&c->r, FF_CHECK_ROOTS, fmax(most / 10 - claimed, 0), most,
                  "excess_error is too small");
}

/* Scales, and relax(): no force acts on the ground, which moves with u, and its loss is the energy that the springs
 * release. */
static void ground_friction(friction_check *c) {
    const ff_friction *law = c->law;
    const int states = 3 * law->vectors;
    double rate[FF_FRICTION_STATES], moved[FF_FRICTION_STATES], graded_by[FF_FRICTION_STATES];
    if (law->law->reach) {
        double reach = law->law->reach(law, c->q.load);
        ff_check_note(&c->r, FF_CHECK_STATES, reach > 0 && isfinite(reach) ? 0 : INFINITY, 1,
                      "reach() is no positive number");
    }
    if (law->law->cone) {
        double cone = law->law->cone(law);
        ff_check_note(&c->r, FF_CHECK_STATES, cone >= 0 && isfinite(cone) ? 0 : INFINITY, 1,
                      "cone() is no coefficient");
    }
    if (!law->law->relax || states == 0 || !(ff_length(c->u) > 0)) {
        return;
    }
    ff_friction_answer eased = {.rate = rate, .graded_by = graded_by};
    law->law->relax(law, c->q.grade, c->u, &eased);
    const double damper = eased.damper;
    ff_check_note(&c->r, FF_CHECK_GROUND, eased.graded - c->at.graded, fabs(c->at.graded),
                  "graded of relax()");
    for (int i = 0; i < states && law->law->level != FF_LEVEL_ONE; i++) {
        ff_check_note(&c->r, FF_CHECK_GROUND, graded_by[i] - c->graded_by[i],
                      ff_length(c->graded_by + i / 3 * 3), "graded_by of relax()");
    }
    /* a load so large that the contact sticks: the ground cannot slip on itself */
    ff_friction_query q = c->q, still = c->q;
    press(c, &q, q.z, 1e12 * c->load);
    press(c, &still, q.z, 1e12 * c->load);
    for (int i = 0; i < 3; i++) {
        q.v[i] = rate[i];
        still.v[i] = 0;
    }
    double force = ff_length(friction_ask(law, &still, moved).force);
    ff_check_note(&c->r, FF_CHECK_GROUND, ff_length(friction_ask(law, &q, moved).force), force,
                  "relax() leaves a force on the ground");
    double level = ff_friction_level(law, c->q.grade, 0), time = ff_length(c->u) / ff_length(rate);
    double best = INFINITY;
    for (int k = 0; k < FF_CHECK_STEPS; k++) {
        double h = ff_check_step[k] * time, energy[2];
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < states; i++) {
                moved[i] = c->u[i] + (side ? h : -h) * rate[i];
            }
            energy[side] = law->law->stored(law, level, moved);
        }
        double growth = (energy[1] - energy[0]) / (2 * h);
        best = fmin(best, ff_check_beyond(growth + damper,
                                          FF_CHECK_ROUNDING * (energy[0] + energy[1]) / h,
                                          fabs(growth) + fabs(damper)));
    }
    ff_check_note(&c->r, FF_CHECK_GROUND, best, 1, "the loss of relax()");
}

/* match(): the law made from its values has the given stiffness and damping time for a small deflection. ellipse():
 * with a disc it must give the law itself. */
static void view_friction(friction_check *c) {
    const ff_friction *law = c->law;
    const ff_friction_law *table = law->law;
    const int states = 3 * law->vectors;
    double values[FF_LAW_PARAMS], u[FF_FRICTION_STATES] = {0}, rate[FF_FRICTION_STATES];
    ff_friction made;
    if (table->match && states > 0) {
        double load = ff_check_below(&c->r, c->load, 3), time = ff_check_below(&c->r, 1, 3);
        double stiff = load / c->depth * ff_check_below(&c->r, 1e3, 6);
        for (int i = 0; i < FF_LAW_PARAMS; i++) {
            values[i] = (double)NAN;
        }
        table->match(load, stiff, time, values);
        bool fits = ff_friction_make(&made, table, values, NULL) == FF_OK;
        ff_check_note(&c->r, FF_CHECK_VIEW, fits ? 0 : INFINITY, 1,
                      "match() gives values out of range");
        /* a deflection far below the slip limit, where the bristle equation is still linear */
        double x = 1e-12 * load / stiff, v = x / time;
        ff_friction_query q = {.load = load, .grade = 1, .ratio = load, .v = {v}, .u = u};
        u[0] = x;
        if (fits) {
            double force = -friction_ask(&made, &q, rate).force[0], spring = stiff * x;
            /* with x' = x/time the damper adds the same force as the spring; a law without damper has the spring force
             * only */
            double error = fmin(fabs(force - 2 * spring), fabs(force - spring));
            ff_check_note(&c->r, FF_CHECK_VIEW, ff_check_beyond(error, 1e-9 * spring, spring), 1,
                          "match() gives another stiffness");
        }
    }
    if (table->ellipse && c->along[2] == 0 && c->across[2] == 0) {
        const ff_ellipse disc = {.axes = {1, 1}, .cosine = 1};
        double rates[2][FF_FRICTION_STATES] = {{0}};
        ff_friction_query q = c->q;
        q.grade = 1;
        q.grade_slope = 0;
        q.ratio = q.load;
        ff_friction_answer at = friction_ask(law, &q, rates[0]), round = {.rate = rates[1]};
        table->ellipse(law, &disc, &q, &round);
        double pace = ff_length(q.v) + c->free, force = ff_length(at.force);
        for (int i = 0; i < 2; i++) {
            ff_check_note(&c->r, FF_CHECK_VIEW, at.force[i] - round.force[i], force,
                          "ellipse() of a disc has another force");
            ff_check_note(&c->r, FF_CHECK_VIEW, states ? rates[0][i] - rates[1][i] : 0, pace,
                          "ellipse() of a disc has another rate");
        }
        double lost = at.damper + at.slip + at.viscous;
        ff_check_note(&c->r, FF_CHECK_VIEW, lost - round.damper - round.slip - round.viscous,
                      lost + force * pace, "ellipse() of a disc has other losses");
    }
}

size_t ff_friction_verify(const ff_friction *law, double depth, double speed, double load,
                          size_t points, ff_law_finding out[FF_LAW_FINDINGS]) {
    static const size_t each = 16;
    friction_check *c = ff_malloc(sizeof *c + ff_friction_slope_size(law) * sizeof *c->slopes);
    if (!c) {
        return ff_check_no_memory(out);
    }
    ff_check_begin(&c->r);
    c->law = law;
    c->depth = depth;
    c->speed = speed;
    c->load = load;
    for (size_t i = 0; i < points; i++) {
        draw_friction(c, i);
        signs_friction(c);
        balance_friction(c);
        slopes_friction(c);
        graded_friction(c);
        ground_friction(c);
        view_friction(c);
        if (i % each == 0) {
            continuity_friction(c);
            roots_friction(c);
        }
    }
    size_t count = ff_check_finish(&c->r, out);
    ff_free(c);
    return count;
}
