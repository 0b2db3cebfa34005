/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/elementary.h"
#include "num/memory.h"
#include "params.h"
#include "sizes.h"
#include "verify.h"
#include <footfall/impact.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Checks whether the parts of a law's table are consistent: energy balance along motions, signs of losses, jumps
 * between modes, partial derivatives against finite differences, roots against forces, closed forms against numerical
 * results. The law is evaluated only through its table, at states that it can reach: inner states are not drawn at
 * random but integrated from rest.
 *
 * Derivatives are compared with finite differences for several step sizes, and the smallest error counts. For a correct
 * law there is a step size for which truncation and rounding are both negligible; for a wrong law there is none. */

/* Powers below this part of the largest power of the range count as 0, since an energy that should be 0 is only 0 to
 * rounding. */
#define NOTHING 1e-5

typedef struct normal_check {
    ff_check r;
    const ff_normal *law;
    double depth, speed;
    double force, energy;    /* force, N, and stored energy, J, at `depth` and at rest */
    double z, zdot, deepest; /* the point, and the largest depth on the way there */
    double state[FF_LAW_STATES], rate[FF_LAW_STATES];
    ff_normal_answer at;
    double stored;
    bool designed; /* design() has been checked: once is enough, it solves many impacts */
    double slopes[];
} normal_check;

static ff_normal_answer normal_ask(const ff_normal *law, double z, double zdot, const double *state,
                                   bool open, double *rate) {
    ff_normal_answer out = {.rate = rate};
    law->respond(law, &(ff_normal_query){z, zdot, state, open}, &out);
    return out;
}

static double state_size(const normal_check *c, int s, double depth) {
    const ff_normal_law *table = c->law->law;
    return table->state_size ? table->state_size(c->law, s, depth, c->speed) : depth;
}

/* Inner states that the law reaches by itself: touch-down at some speed, then motion from depth to depth. Explicit
 * steps, short enough that the rates change by at most a fifth; if that takes too many halvings, the leg ends early. */
static void walk_normal(normal_check *c) {
    enum { LEGS = 3, STEPS = 24, HALVINGS = 100 };
    const int states = c->law->states;
    double next[FF_LAW_STATES], rates[FF_LAW_STATES];
    double z = 0, v = ff_check_below(&c->r, c->speed, 3);
    memset(c->state, 0, sizeof c->state);
    ff_normal_touch(c->law, v, c->state);
    c->deepest = 0;
    int legs = (int)ff_check_uniform(&c->r, 0, LEGS);
    for (int leg = 0; leg <= legs; leg++) {
        double goal = ff_check_below(&c->r, c->depth, 6);
        v = leg == 0 ? v : ff_check_below(&c->r, c->speed, 3);
        v = goal > z ? v : -v;
        for (int step = 0; step < STEPS && z != goal; step++) {
            double h = fmin(fabs(goal - z), fmax(c->depth, fabs(goal - z)) / 16) / fabs(v);
            normal_ask(c->law, z, v, c->state, false, c->rate);
            bool calm = false;
            for (int turn = 0; turn < HALVINGS && !calm; turn++, h /= 2) {
                calm = true;
                for (int s = 0; s < states; s++) {
                    next[s] = c->state[s] + h * c->rate[s];
                }
                normal_ask(c->law, z + h * v, v, next, false, rates);
                for (int s = 0; s < states; s++) {
                    double change = fabs(rates[s] - c->rate[s]);
                    calm = calm && (change <= 0.2 * fabs(c->rate[s]) ||
                                    change * h <= 1e-3 * state_size(c, s, c->depth * 1e-6));
                }
            }
            if (!calm) {
                break;
            }
            h *= 2; /* undo the last halving of the loop */
            for (int s = 0; s < states; s++) {
                c->state[s] += h * c->rate[s];
            }
            z = h * fabs(v) >= fabs(goal - z) ? goal : z + h * v;
            c->deepest = fmax(c->deepest, z);
        }
    }
    c->z = z;
}

/* Draws the i-th point. The first points are edges: touch-down, the deepest point, the highest speed. Some of the
 * others are at a smaller depth with unchanged inner states, as after a motion too fast for the states to follow, or
 * without contact. */
static void draw_normal(normal_check *c, size_t i) {
    static const double depths[] = {0, 1e-12, 1e-6, 1}, speeds[] = {0, 1, -1, 1e-9, -1e-9};
    enum { DEPTHS = sizeof depths / sizeof *depths, SPEEDS = sizeof speeds / sizeof *speeds };
    const ff_normal *law = c->law;
    walk_normal(c);
    c->zdot = ff_check_either(&c->r, ff_check_uniform(&c->r, 0, 1) < 0.5
                                         ? ff_check_uniform(&c->r, 0, c->speed)
                                         : ff_check_below(&c->r, c->speed, 6));
    if (law->states == 0) {
        c->z = ff_check_below(&c->r, c->depth, 6);
        c->deepest = c->depth;
    }
    if (i < DEPTHS * SPEEDS) {
        c->z = (law->states == 0 ? c->depth : c->deepest) * depths[i % DEPTHS];
        c->zdot = c->speed * speeds[i / DEPTHS];
    } else if (i % 4 == 1) {
        c->z = ff_check_below(&c->r, c->deepest, 3);
    } else if (i % 8 == 2) {
        c->z = -ff_check_below(&c->r, c->depth, 6);
    }
    memset(c->rate, 0, sizeof c->rate);
    c->at = normal_ask(law, c->z, c->zdot, c->state, false, c->rate);
    c->stored = law->law->stored(law, c->z, c->zdot, c->state);
    ff_normal_slopes_at(law, &(ff_normal_query){c->z, c->zdot, c->state, false}, c->slopes);
    int used =
        snprintf(c->r.point, sizeof c->r.point, "z = %.4g m, zdot = %.4g m/s", c->z, c->zdot);
    if (law->states > 0) {
        snprintf(c->r.point + used, sizeof c->r.point - (size_t)used, ", state %.4g", c->state[0]);
    }
}

/* contact function, m, and its rate, m/s: positive in contact */
static double gap_of(const normal_check *c, double z, double zdot, const double *state,
                     double *rate) {
    const ff_normal_law *table = c->law->law;
    *rate = zdot;
    return table->gap ? table->gap(c->law, &(ff_normal_query){z, zdot, state, false}, rate) : z;
}

/* below this size, m, the sign of the contact function may be wrong by rounding */
static double border_of(const normal_check *c) {
    return c->law->law->gap ? 1e-9 * (fabs(c->z) + c->deepest) : 0;
}

/* Magnitude of the terms of which a row is a sum, to estimate its rounding error: the sum of their absolute values. */
static double normal_terms(const normal_check *c, int row) {
    const int columns = FF_BY_STATES + c->law->states;
    const double *m = c->slopes + row * columns;
    double out = fabs(m[FF_BY_Z] * c->z) + fabs(m[FF_BY_ZDOT] * c->zdot);
    for (int s = 0; s < c->law->states; s++) {
        out += fabs(m[FF_BY_STATES + s] * c->state[s]);
    }
    return out;
}

/* a time, s, in which no variable changes by more than its own size */
static double normal_time(const normal_check *c, double acceleration) {
    double out = c->depth / c->speed, z = fabs(c->z);
    out = fmin(out, z / fmax(fabs(c->zdot), 1e-300));
    out = fmin(out, sqrt(z / fmax(fabs(acceleration), 1e-300)));
    for (int s = 0; s < c->law->states; s++) {
        double size = fmax(fabs(c->state[s]), 1e-3 * fabs(state_size(c, s, z)));
        out = fmin(out, size / fmax(fabs(c->rate[s]), 1e-300));
    }
    return out;
}

/* Energy balance F zdot = d(stored)/dt + loss, with and without the clamp, at a random acceleration; and the rate of
 * the contact function. */
static void balance_normal(normal_check *c) {
    const ff_normal *law = c->law;
    const int states = law->states;
    double a = ff_check_either(&c->r, ff_check_below(&c->r, c->speed * c->speed / c->depth, 3));
    double time = normal_time(c, a), gap_rate, ignored;
    double gap = gap_of(c, c->z, c->zdot, c->state, &gap_rate);
    if (!(time > 0)) {
        return; /* touch-down, where the law is not smooth */
    }
    ff_normal_answer open = normal_ask(law, c->z, c->zdot, c->state, true, c->rate);
    normal_ask(law, c->z, c->zdot, c->state, false, c->rate);
    double power = c->at.force * c->zdot;
    /* rounding of the force, and of rates that are differences of larger numbers */
    double rough = normal_terms(c, FF_OF_NORMAL) * fabs(c->zdot) + NOTHING * c->force * c->speed;
    for (int s = 0; s < states; s++) {
        double terms = normal_terms(c, FF_OF_RATES + s);
        rough += 2 * c->stored / fmax(fabs(c->state[s]), 1e-300) * terms;
        rough += fabs(c->at.loss) * terms / fmax(fabs(c->rate[s]), 1e-300);
    }
    double best[3] = {INFINITY, INFINITY, INFINITY};
    for (int k = 0; k < FF_CHECK_STEPS; k++) {
        double h = ff_check_step[k] * time, energy[2], gaps[2], moved[FF_LAW_STATES];
        for (int side = 0; side < 2; side++) {
            double t = side ? h : -h, z = c->z + t * c->zdot + t * t * a / 2;
            for (int s = 0; s < states; s++) {
                moved[s] = c->state[s] + t * c->rate[s];
            }
            energy[side] = law->law->stored(law, z, c->zdot + t * a, moved);
            gaps[side] = gap_of(c, z, c->zdot + t * a, moved, &ignored);
        }
        double growth = (energy[1] - energy[0]) / (2 * h);
        /* the energies of the spring and of adhesion may cancel */
        double stuck = 2 * law->adhesion * (fabs(c->z) + fabs(gap));
        double slack =
            FF_CHECK_ROUNDING * (rough + (fabs(energy[0]) + fabs(energy[1]) + stuck) / h);
        double errors[3] = {power - growth - c->at.loss, open.force * c->zdot - growth - open.loss,
                            (gaps[1] - gaps[0]) / (2 * h) - gap_rate};
        double slacks[3] = {slack, slack + FF_CHECK_ROUNDING * fabs(open.loss),
                            FF_CHECK_ROUNDING * (fabs(gap) + fabs(c->z)) / h};
        double scales[3] = {fabs(power) + fabs(growth) + fabs(c->at.loss),
                            fabs(open.force * c->zdot) + fabs(growth) + fabs(open.loss),
                            fabs(gap_rate) + fabs(c->zdot)};
        for (int e = 0; e < 3; e++) {
            best[e] = fmin(best[e], ff_check_beyond(errors[e], slacks[e], scales[e]));
        }
    }
    ff_check_note(&c->r, FF_CHECK_BALANCE, best[0], 1, "F zdot - d(stored)/dt - loss");
    if (law->clamps) {
        ff_check_note(&c->r, FF_CHECK_BALANCE, best[1], 1, "F zdot - d(stored)/dt - loss, open,");
    }
    if (law->law->gap) {
        ff_check_note(&c->r, FF_CHECK_ROOTS, best[2], 1, "the rate of the gap");
    }
}

static void signs_normal(normal_check *c) {
    const ff_normal_answer *at = &c->at;
    double power = fabs(at->force * c->zdot) + fabs(at->loss), rate;
    bool finite = isfinite(at->force) && isfinite(at->loss) && isfinite(c->stored) &&
                  isfinite(at->grade) && isfinite(at->grade_slope) && isfinite(at->ratio) &&
                  (!c->law->clamps || isfinite(at->hold));
    for (int s = 0; s < c->law->states; s++) {
        finite = finite && isfinite(c->rate[s]);
    }
    ff_check_note(&c->r, FF_CHECK_SIGNS, finite ? 0 : INFINITY, 1, "a number that is not finite");
    ff_check_note(&c->r, FF_CHECK_SIGNS, fmin(at->loss, 0), power, "a loss below 0");
    /* the energy of an adhesive contact may be negative */
    ff_check_note(&c->r, FF_CHECK_SIGNS, c->law->adhesion > 0 ? 0 : fmin(c->stored, 0),
                  fabs(c->stored), "a stored energy below 0");
    ff_check_note(&c->r, FF_CHECK_SIGNS, fmin(c->law->adhesion, 0), 1, "an adhesion below 0");
    if (c->law->clamps) {
        ff_check_note(&c->r, FF_CHECK_SIGNS, fmin(at->force, 0), fabs(at->force),
                      "a pull of a law that clamps");
    }
    if (gap_of(c, c->z, c->zdot, c->state, &rate) < -border_of(c)) {
        ff_check_note(&c->r, FF_CHECK_ROOTS, at->force, fabs(at->force), "a force in the air");
        if (c->law->states == 0) {
            ff_check_note(&c->r, FF_CHECK_SIGNS, c->stored, fabs(c->stored),
                          "a stored energy in the air");
        }
    }
}

/* Lines through the point: along the depth, and along the rate, which crosses the clamp and zdot = 0. */
typedef struct normal_line {
    const normal_check *c;
    double border, reach;
    bool by_rate, stored;
} normal_line;

static double along_normal(void *of, double t) {
    const normal_line *line = of;
    const normal_check *c = line->c;
    double z = c->z, zdot = c->zdot, fine = 0.01 + 0.99 * t;
    if (line->by_rate) {
        zdot = c->speed * ff_check_fine(t);
    } else if (c->law->adhesion > 0) {
        /* the force of an adhesive contact jumps where it begins and ends */
        z = line->border + (line->reach - line->border) * (fine * fine) * (fine * fine);
    } else if (c->law->law->gap) {
        z = line->border + line->reach * ff_check_fine(t);
    } else {
        z = line->reach * (fine * fine) * (fine * fine);
    }
    return line->stored ? c->law->law->stored(c->law, z, zdot, c->state)
                        : normal_ask(c->law, z, zdot, c->state, false, NULL).force;
}

static void continuity_normal(normal_check *c) {
    double rate;
    for (int by = 0; by < 2; by++) {
        for (int of = 0; of < 2; of++) {
            normal_line line = {c, c->z - gap_of(c, c->z, c->zdot, c->state, &rate), c->deepest,
                                by == 1, of == 1};
            if (c->z > 0 || by == 0) {
                ff_check_note(&c->r, FF_CHECK_CONTINUITY, ff_check_jump(along_normal, &line), 1,
                              of ? "a jump of the stored energy" : "a jump of the force");
            }
        }
    }
    /* while the force is positive the clamp must make no difference */
    if (c->law->clamps && c->z > 0 && c->at.hold > 0) {
        ff_normal_answer open = normal_ask(c->law, c->z, c->zdot, c->state, true, NULL);
        ff_check_note(&c->r, FF_CHECK_CONTINUITY, open.force - c->at.force, fabs(c->at.force),
                      "another force without the clamp");
        ff_check_note(&c->r, FF_CHECK_CONTINUITY, open.loss - c->at.loss,
                      fabs(c->at.loss) + fabs(c->at.force * c->zdot),
                      "another loss without the clamp");
    }
}

static void slopes_normal(normal_check *c) {
    const ff_normal *law = c->law;
    const int states = law->states, columns = FF_BY_STATES + states, rows = FF_OF_RATES + states;
    if (!law->law->gap && c->z < 2 * FF_DEPTH_FLOOR) {
        return;
    }
    /* grade_slope must equal d(grade)/dz of the matrix */
    const double steep = c->slopes[FF_OF_GRADE * columns + FF_BY_Z];
    ff_check_note(&c->r, FF_CHECK_SLOPES, steep - c->at.grade_slope,
                  fabs(steep) + fabs(c->at.grade_slope), "grade_slope is not d(grade)/dz");
    if (!law->law->slopes) {
        return;
    }
    for (int by = 0; by < columns; by++) {
        const int s = by - FF_BY_STATES;
        double size = fabs(by == FF_BY_Z ? c->z : by == FF_BY_ZDOT ? c->zdot : c->state[s]);
        /* a law with its own contact function is smooth at z = 0 */
        size = by == FF_BY_Z && law->law->gap ? fmax(size, 1e-3 * c->deepest) : size;
        double got[2][FF_OF_RATES + FF_LAW_STATES][FF_CHECK_STEPS], moved[FF_LAW_STATES];
        if (size == 0) {
            continue;
        }
        memcpy(moved, c->state, sizeof moved);
        for (int k = 0; k < 2 * FF_CHECK_STEPS; k++) {
            double step = (k % 2 ? 1 : -1) * ff_check_step[k / 2] * size, rates[FF_LAW_STATES];
            double z = c->z + (by == FF_BY_Z ? step : 0);
            double zdot = c->zdot + (by == FF_BY_ZDOT ? step : 0);
            if (s >= 0) {
                moved[s] = c->state[s] + step;
            }
            ff_normal_answer at = normal_ask(law, z, zdot, moved, false, rates);
            got[k % 2][FF_OF_NORMAL][k / 2] = at.force;
            got[k % 2][FF_OF_GRADE][k / 2] = at.grade;
            got[k % 2][FF_OF_GRADE_SLOPE][k / 2] = at.grade_slope;
            for (int i = 0; i < states; i++) {
                got[k % 2][FF_OF_RATES + i][k / 2] = rates[i];
            }
        }
        for (int row = 0; row < rows; row++) {
            double middle = row == FF_OF_NORMAL        ? c->at.force
                            : row == FF_OF_GRADE       ? c->at.grade
                            : row == FF_OF_GRADE_SLOPE ? c->at.grade_slope
                                                       : c->rate[row - FF_OF_RATES];
            double error = ff_check_slope(c->slopes[row * columns + by], middle, got[1][row],
                                          got[0][row], size, normal_terms(c, row));
            static const char *const of[] = {"the force", "the grade", "the grade's slope"};
            char part[60];
            snprintf(part, sizeof part, "the slope of %s by %s",
                     row < FF_OF_RATES ? of[row] : "a rate",
                     by == FF_BY_Z      ? "z"
                     : by == FF_BY_ZDOT ? "zdot"
                                        : "a state");
            ff_check_note(&c->r, FF_CHECK_SLOPES, error, 1, part);
        }
    }
}

/* The opening rate zdot at which the force or `hold` ends at this depth, m/s, and in *last the last rate before it; 0
 * if it does not end. */
static double end_rate(const normal_check *c, bool by_hold, double *last) {
    double low = 0, high = -1e-6 * c->speed;
    for (int turn = 0;; turn++) {
        ff_normal_answer at = normal_ask(c->law, c->z, high, c->state, false, NULL);
        if (!((by_hold ? at.hold : at.force) > 0)) {
            break;
        }
        if (turn == 60) {
            return *last = 0;
        }
        low = high;
        high *= 4;
    }
    for (double v = (low + high) / 2; v != low && v != high; v = (low + high) / 2) {
        ff_normal_answer at = normal_ask(c->law, c->z, v, c->state, false, NULL);
        if ((by_hold ? at.hold : at.force) > 0) {
            low = v;
        } else {
            high = v;
        }
    }
    *last = low;
    return high;
}

static void roots_normal(normal_check *c) {
    const ff_normal *law = c->law;
    if (law->clamps && c->z > 0) {
        double last, ignored, a = end_rate(c, false, &last), b = end_rate(c, true, &ignored);
        ff_check_note(&c->r, FF_CHECK_ROOTS, a - b, fabs(a) + fabs(b),
                      "hold ends elsewhere than the force");
        double rest = normal_ask(law, c->z, 0, c->state, false, NULL).force;
        double left = a < 0 ? normal_ask(law, c->z, last, c->state, false, NULL).force : 0;
        ff_check_note(&c->r, FF_CHECK_CONTINUITY, left, fabs(rest),
                      "a jump of the force where it ends");
    }
    if (law->clamps && c->z > 0) {
        /* Near their common root the signs of hold and ratio may differ by rounding: the smaller of the two, relative
         * to its value at rest, counts. */
        ff_normal_answer open = normal_ask(law, c->z, c->zdot, c->state, true, NULL),
                         rest = normal_ask(law, c->z, 0, c->state, true, NULL);
        double hold = fabs(open.hold) / (fabs(open.hold) + fabs(rest.hold) + 1e-300),
               ratio = fabs(open.ratio) / (fabs(open.ratio) + fabs(rest.ratio) + 1e-300);
        ff_check_note(&c->r, FF_CHECK_ROOTS,
                      (open.hold > 0) == (open.ratio > 0) ? 0 : fmin(hold, ratio), 1,
                      "hold has another sign than the ratio without the clamp");
    }
    if (law->clamps && c->z > 2 * FF_DEPTH_FLOOR) {
        /* the estimated error of hold must not be below a tenth of the actual one */
        double dz = 1e-3 * c->z, dv = 1e-3 * fabs(c->zdot);
        double claimed =
            ff_normal_hold_error(law, &(ff_normal_query){c->z, c->zdot, c->state, false}, dz, dv);
        double most = 0;
        for (int side = 0; side < 4; side++) {
            ff_normal_answer moved =
                normal_ask(law, c->z + (side & 1 ? dz : -dz), c->zdot + (side & 2 ? dv : -dv),
                           c->state, true, NULL);
            most = fmax(most, fabs(moved.hold - c->at.hold));
        }
        most -= FF_CHECK_ROUNDING * fabs(c->at.hold);
        ff_check_note(&c->r, FF_CHECK_ROOTS, fmax(most / 10 - claimed, 0), most,
                      "hold_error is too small");
    }
    if (law->law->gap) {
        double rate, gap = gap_of(c, c->z, c->zdot, c->state, &rate);
        bool acts = law->adhesion > 0 ? c->at.force != 0 : c->at.force > 0;
        bool missing = gap > border_of(c) && !law->clamps && !acts;
        ff_check_note(&c->r, FF_CHECK_ROOTS, missing ? 1 : 0, 1, "a gap above 0 without a force");
    }
}

/* Inner states without contact: the closed form rest() against integration of their rates. */
static void rest_normal(normal_check *c) {
    enum { STEPS = 400 };
    const ff_normal *law = c->law;
    const int states = law->states;
    double z = -10 * (c->depth + fabs(c->z)), x[FF_LAW_STATES], closed[FF_LAW_STATES];
    double k[4][FF_LAW_STATES] = {{0}}, y[FF_LAW_STATES], time = 1e3 * c->depth / c->speed;
    memcpy(x, c->state, sizeof x);
    memcpy(closed, c->state, sizeof closed);
    normal_ask(law, z, 0, x, false, k[0]);
    for (int s = 0; s < states; s++) {
        if (k[0][s] != 0 && x[s] != 0) {
            time = fmin(time, fabs(x[s] / k[0][s]));
        }
    }
    const double h = time / STEPS, ahead[4] = {0, h / 2, h / 2, h};
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < 4; i++) {
            for (int s = 0; s < states; s++) {
                y[s] = x[s] + (i ? ahead[i] * k[i - 1][s] : 0);
            }
            normal_ask(law, z, 0, y, false, k[i]);
        }
        for (int s = 0; s < states; s++) {
            x[s] += h / 6 * (k[0][s] + 2 * k[1][s] + 2 * k[2][s] + k[3][s]);
        }
    }
    law->law->rest(law, time, closed);
    for (int s = 0; s < states; s++) {
        ff_check_note(&c->r, FF_CHECK_STATES, closed[s] - x[s], fabs(x[s]) + fabs(c->state[s]),
                      "rest() is not what the rates come to");
    }
}

static void states_normal(normal_check *c) {
    const ff_normal *law = c->law;
    double x[FF_LAW_STATES], v = ff_check_below(&c->r, c->speed, 9);
    if (law->states == 0) {
        return;
    }
    if (law->law->rest) {
        rest_normal(c);
    }
    memcpy(x, c->state, sizeof x);
    double before = law->law->stored(law, 0, v, x);
    ff_normal_touch(law, v, x);
    double after = law->law->stored(law, 0, v, x);
    for (int s = 0; s < law->states; s++) {
        ff_check_note(&c->r, FF_CHECK_STATES, isfinite(x[s]) ? 0 : INFINITY, 1,
                      "touch() leaves no finite state");
        double size = state_size(c, s, c->depth);
        ff_check_note(&c->r, FF_CHECK_STATES, size > 0 && isfinite(size) ? 0 : INFINITY, 1,
                      "state_size() is no positive number");
    }
    ff_check_note(&c->r, FF_CHECK_STATES, fmax(after - before, 0),
                  fabs(after) + fabs(before) + 1e-9 * c->energy, "touch() makes energy");
    if (law->law->leave) {
        memcpy(x, c->state, sizeof x);
        law->law->leave(law, x);
        for (int s = 0; s < law->states; s++) {
            ff_check_note(&c->r, FF_CHECK_STATES, isfinite(x[s]) ? 0 : INFINITY, 1,
                          "leave() leaves no finite state");
        }
    }
}

/* power_form: the force must be F = k z^n + lambda z^p zdot. with_power: the values that it returns must give that
 * power law. */
static void view_normal(normal_check *c) {
    const ff_normal *law = c->law;
    ff_power w, again;
    double touch = ff_check_below(&c->r, c->speed, 6), state[FF_LAW_STATES] = {0};
    if (c->at.grade != 0) {
        const double load = c->at.force + c->law->adhesion;
        ff_check_note(&c->r, FF_CHECK_VIEW, c->at.grade * c->at.ratio - load,
                      fabs(c->at.force) + c->law->adhesion,
                      "grade times ratio is not the load: force and adhesion");
    }
    if (!(c->z > 0) || !ff_normal_power(law, touch, &w)) {
        return;
    }
    ff_normal_touch(law, touch, state);
    ff_normal_answer open = normal_ask(law, c->z, c->zdot, state, true, NULL);
    double spring = w.k * ff_pow(c->z, w.n);
    double damper = (c->zdot < 0 ? w.lambda_out : w.lambda) * ff_pow(c->z, w.p) * c->zdot;
    double force = open.force;
    if (w.local && c->zdot < 0) {
        /* detach: local, whose elements detach one by one */
        force = c->at.force;
        damper = w.k * ff_pow(fmax(c->z + w.lambda_out / (w.n * w.k) * c->zdot, 0), w.n) - spring;
    }
    ff_check_note(&c->r, FF_CHECK_VIEW, force - spring - damper, fabs(spring) + fabs(damper),
                  "power() is not the force");
    ff_check_note(&c->r, FF_CHECK_VIEW, w.clamps == law->clamps ? 0 : 1, 1,
                  "power() and clamps disagree");
    if (!law->law->with_power || !ff_normal_power(law, 1, &w)) {
        return;
    }
    ff_normal other = *law;
    bool chosen = ff_normal_set_power(&other, 2 * w.k, 2 * w.lambda, 2 * w.lambda_out) == FF_OK &&
                  ff_normal_power(&other, 1, &again);
    ff_check_note(&c->r, FF_CHECK_VIEW, chosen ? 0 : 1, 1,
                  "with_power() refuses twice the law's own force");
    if (chosen) {
        ff_check_note(&c->r, FF_CHECK_VIEW, again.k - 2 * w.k, w.k, "with_power() gives another k");
        ff_check_note(&c->r, FF_CHECK_VIEW, again.lambda - 2 * w.lambda, w.lambda,
                      "with_power() gives another lambda");
        ff_check_note(&c->r, FF_CHECK_VIEW, again.lambda_out - 2 * w.lambda_out, w.lambda_out,
                      "with_power() gives another lambda_out");
    }
}

/* -ln e of an impact, integrated by RK4 with steps of at most depth/speed/300 and a tenth of the shortest time scale of
 * the law; NAN if it does not end within 6000 steps. */
static double impact_decay(normal_check *c, double mass, double speed, double depth) {
    const ff_normal *law = c->law;
    const int states = law->states, columns = FF_BY_STATES + states;
    double x[2 + FF_LAW_STATES] = {0, speed}, k[4][2 + FF_LAW_STATES], y[2 + FF_LAW_STATES];
    double h = depth / speed / 300;
    for (int s = 0; s < states; s++) {
        y[s] = state_size(c, s, depth);
    }
    ff_normal_slopes_at(law, &(ff_normal_query){depth, 0, y, true}, c->slopes);
    h = fmin(h, 0.1 * sqrt(mass / fmax(fabs(c->slopes[FF_BY_Z]), 1e-300)));
    h = fmin(h, 0.1 * mass / fmax(fabs(c->slopes[FF_BY_ZDOT]), 1e-300));
    for (int s = 0; s < states; s++) {
        h = fmin(
            h, 0.1 / fmax(fabs(c->slopes[(FF_OF_RATES + s) * columns + FF_BY_STATES + s]), 1e-300));
    }
    ff_normal_touch(law, speed, x + 2);
    const double longest = h;
    for (int step = 0; step < 6000; step++) {
        double was = x[1], rate, left = gap_of(c, x[0], x[1], x + 2, &rate);
        if (law->adhesion > 0 && was < 0) {
            /* the force jumps where an adhesive contact ends: steps approach that and do not cross it */
            if (left <= 1e-6 * depth) {
                return -ff_log(-was / speed);
            }
            h = fmin(longest, 0.5 * left / -was);
        }
        double ahead[4] = {0, h / 2, h / 2, h};
        for (int i = 0; i < 4; i++) {
            for (int s = 0; s < 2 + states; s++) {
                y[s] = x[s] + (i ? ahead[i] * k[i - 1][s] : 0);
            }
            k[i][0] = y[1];
            k[i][1] = -normal_ask(law, y[0], y[1], y + 2, false, k[i] + 2).force / mass;
        }
        for (int s = 0; s < 2 + states; s++) {
            x[s] += h / 6 * (k[0][s] + 2 * k[1][s] + 2 * k[2][s] + k[3][s]);
        }
        double gap = gap_of(c, x[0], x[1], x + 2, &rate);
        bool clamped =
            law->clamps && x[1] < 0 && !(normal_ask(law, x[0], x[1], x + 2, false, NULL).force > 0);
        if (gap <= 0 || clamped) {
            /* interpolate the final speed between the last two steps; a clamped law has no force any more */
            double part = gap <= 0 ? left / (left - gap) : 1;
            return -ff_log(-(was + part * (x[1] - was)) / speed);
        }
    }
    return (double)NAN;
}

/* Closed forms of an impact against numerical integration. The integration is accurate to a few parts in 1e4 of -ln e,
 * because touch-down is not smooth and the end lies between steps. */
static void impact_normal(normal_check *c) {
    const ff_normal *law = c->law;
    const ff_normal_law *table = law->law;
    const double slack = 3e-3;
    double speed = ff_check_below(&c->r, c->speed, 2), depth = ff_check_below(&c->r, c->depth, 2);
    double state[FF_LAW_STATES] = {0}, values[FF_LAW_PARAMS];
    for (int s = 0; s < law->states; s++) {
        state[s] = state_size(c, s, depth);
    }
    double mass = 2 * ff_normal_stored(law, depth, 0, state) / (speed * speed);
    if (!(mass > 0) || (!table->decay && !table->impact)) {
        return;
    }
    snprintf(c->r.point, sizeof c->r.point, "mass = %.4g kg, speed = %.4g m/s", mass, speed);
    ff_impact impact = {.decay = NAN};
    double claimed = table->decay ? table->decay(law, mass, speed) : (double)NAN;
    if (table->impact && table->impact(law, mass, speed, &impact) == FF_OK) {
        claimed = isnan(claimed) ? impact.decay : claimed;
        ff_check_note(&c->r, FF_CHECK_VIEW, ff_check_beyond(claimed - impact.decay, slack, 1), 1,
                      "decay() and impact() disagree");
    }
    /* for e < exp(-3) the contact may last arbitrarily long */
    double seen = claimed < 3 ? impact_decay(c, mass, speed, depth) : (double)NAN;
    if (isfinite(seen)) {
        ff_check_note(&c->r, FF_CHECK_VIEW, ff_check_beyond(claimed - seen, slack, 1), 1,
                      "the restitution of an impact");
    }
    ff_impact_point points[2];
    if (table->curve && isfinite(seen) && table->curve(law, mass, speed, 2, points) == FF_OK) {
        ff_check_note(&c->r, FF_CHECK_VIEW,
                      ff_check_beyond(points[0].velocity - speed, 1e-9 * speed, speed), 1,
                      "curve() starts with another speed");
        ff_check_note(&c->r, FF_CHECK_VIEW,
                      ff_check_beyond(points[1].velocity / speed + ff_exp(-seen), slack, 1), 1,
                      "curve() ends with another speed");
    }
    ff_normal made;
    memcpy(values, law->values, sizeof values);
    if (!c->designed && table->design && table->impact &&
        table->design(law, mass, 0.8, depth / speed, values, NULL) == FF_OK &&
        ff_normal_make(&made, table, values, NULL) == FF_OK &&
        table->impact(&made, mass, speed, &impact) == FF_OK) {
        c->designed = true;
        ff_check_note(&c->r, FF_CHECK_VIEW, impact.decay + ff_log(0.8), 1e3,
                      "design() reaches another restitution");
        ff_check_note(&c->r, FF_CHECK_VIEW, impact.contact_time - depth / speed,
                      1e3 * depth / speed, "design() reaches another contact time");
    }
}

/* recover(): no force but the push acts on the ground, and its loss is the power that the spring and the push supply. */
static void ground_normal(normal_check *c) {
    const ff_normal *law = c->law;
    double push = ff_check_uniform(&c->r, 0, 1) < 0.5 ? 0 : ff_check_below(&c->r, c->force, 3),
           loss;
    if (law->states > 0 || !law->law->recover || !(c->z > 0)) {
        return;
    }
    double rate = law->law->recover(law, c->z, push, &loss);
    if (isnan(rate) && isnan(law->law->recover(law, 2 * c->z, 0, &loss))) {
        return;
    }
    ff_normal_answer still = normal_ask(law, c->z, 0, c->state, true, NULL);
    if (!isfinite(rate)) {
        /* only a ground without damping recovers at an infinite rate */
        bool free = !law->damped ||
                    normal_ask(law, c->z, -c->speed, c->state, true, NULL).force == still.force;
        ff_check_note(&c->r, FF_CHECK_GROUND, free ? 0 : INFINITY, 1, "recover() is not finite");
        return;
    }
    ff_normal_answer open = normal_ask(law, c->z, rate, c->state, true, NULL);
    double spring = fabs(still.force) + push, best = INFINITY;
    ff_check_note(&c->r, FF_CHECK_GROUND, open.force + push, spring,
                  "recover() leaves a force on the ground");
    for (int k = 0; k < FF_CHECK_STEPS; k++) {
        double h = ff_check_step[k] * c->z, up = law->law->stored(law, c->z + h, 0, c->state);
        double down = law->law->stored(law, c->z - h, 0, c->state);
        double growth = (up - down) / (2 * h) * rate + push * rate;
        best = fmin(best,
                    ff_check_beyond(growth + loss, FF_CHECK_ROUNDING * (up + down) / h * fabs(rate),
                                    spring * fabs(rate)));
    }
    ff_check_note(&c->r, FF_CHECK_GROUND, best, 1, "the loss of recover()");
}

size_t ff_normal_verify(const ff_normal *law, double depth, double speed, size_t points,
                        ff_law_finding out[FF_LAW_FINDINGS]) {
    static const size_t each =
        16; /* lines and integrations are expensive: do them at every 16th point */
    normal_check *c = ff_malloc(sizeof *c + ff_normal_slope_size(law) * sizeof *c->slopes);
    if (!c) {
        return ff_check_no_memory(out);
    }
    ff_check_begin(&c->r);
    c->law = law;
    c->designed = false;
    c->depth = depth;
    c->speed = speed;
    walk_normal(c);
    for (int s = 0; s < law->states; s++) {
        c->state[s] = state_size(c, s, depth);
    }
    c->force = fabs(normal_ask(law, depth, 0, c->state, false, NULL).force);
    c->energy = fabs(law->law->stored(law, depth, 0, c->state));
    for (size_t i = 0; i < points; i++) {
        draw_normal(c, i);
        signs_normal(c);
        balance_normal(c);
        slopes_normal(c);
        roots_normal(c);
        view_normal(c);
        ground_normal(c);
        if (i % each == 0) {
            continuity_normal(c);
            states_normal(c);
        }
        if (i % (4 * each) == 0) {
            impact_normal(c);
        }
    }
    size_t count = ff_check_finish(&c->r, out);
    ff_free(c);
    return count;
}
