/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "kernels.h"
#include "params.h"
#include "sizes.h"
#include "split.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double no_states[FF_FRICTION_STATES];

ff_status ff_friction_make(ff_friction *out, const ff_friction_law *law, const double *values,
                           ff_error *error) {
    ff_friction made = {.law = law,
                        .vectors = law->vectors,
                        .scalars = law->scalars,
                        .lifts = law->lifts,
                        .keeps = law->keeps,
                        .turns = law->turns,
                        .form = law->form};
    ff_status status = ff_law_check(law->name, law->abi, law->params, values, made.values, error);
    if (status < 0) {
        return status;
    }
    const char *why = law->derive ? law->derive(&made) : NULL;
    if (!why &&
        (made.vectors < 0 || made.scalars < 0 || ff_friction_states(&made) > FF_FRICTION_STATES)) {
        why = "too many inner states";
    }
    if (why) {
        if (error) {
            snprintf(error->text, sizeof error->text, "%s", why);
        }
        return FF_BAD_VALUE;
    }
    made.respond = made.form ? made.form->point : law->respond;
    ff_friction_use(&made, ff_kernels_best());
    *out = made;
    return FF_OK;
}

/* ---- parameters by name ---- */

/* The response of a law with a missing value. */
static void unfinished(const ff_friction *law, const ff_friction_query *query,
                       ff_friction_answer *out) {
    (void)law, (void)query;
    for (int c = 0; c < 3; c++) {
        out->force[c] = (double)NAN;
    }
    out->slip = (double)NAN;
}

#define LAW ff_friction
#define LAW_TABLE ff_friction_law
#define LAW_CALL(name) ff_friction_##name
#include "by_name.inc"

void ff_friction_none(ff_friction *out) {
    size_t i = 0;
    while (!ff_friction_law_at(i)->nothing) {
        i++;
    }
    ff_friction_make(out, ff_friction_law_at(i), NULL, NULL);
}

double ff_friction_value(const ff_friction *law, const char *name) {
    return law->law ? ff_law_value(law->law->params, law->values, name) : (double)NAN;
}

ff_friction_answer ff_friction_at(const ff_friction *law, const ff_friction_query *query,
                                  double *rate) {
    ff_friction_query q = *query;
    double unwanted[FF_FRICTION_STATES];
    ff_friction_answer out = {.rate = rate ? rate : unwanted};
    q.u = q.u ? q.u : no_states;
    (law->respond ? law->respond : unfinished)(law, &q, &out);
    out.rate = rate;
    return out;
}

void ff_friction_touch(const ff_friction *law, double depth, double time, double *u) {
    if (ff_friction_check(law, NULL) == FF_OK && law->law->touch) {
        law->law->touch(law, depth, time, u);
    }
}

double ff_friction_level(const ff_friction *law, double grade, double load) {
    return law->law->level == FF_LEVEL_GRADE ? grade : law->law->level == FF_LEVEL_LOAD ? load : 1;
}

double ff_friction_stored(const ff_friction *law, const ff_friction_query *q) {
    return law->vectors > 0 && q->u
               ? law->law->stored(law, ff_friction_level(law, q->grade, q->load), q->u)
               : 0;
}

/* ---- slopes ---- */

/* Relative step of central differences: h^2 + rounding/h is smallest if h is the cube root of rounding. The other
 * constants are the step scales for variables that are 0: depth (m), speed (m/s), load (N). */
#define PART 6e-6
#define LEAST_DEPTH 1e-9
#define LEAST_SPEED 1e-3
#define LEAST_LOAD 1e-6

/* Central differences, with a step for each input. The ratio follows the load and the grade. */
static void friction_differences(const ff_friction *law, const ff_friction_query *q,
                                 double *matrix) {
    const int states = 3 * law->vectors, columns = FF_BY_U + states;
    double u[FF_FRICTION_STATES], rates[2][FF_FRICTION_STATES];
    /* the step in v scales with the slip speed, not with zdot, so that it resolves a narrow ramp of the force */
    const double slip = fmax(ff_length(q->v), LEAST_SPEED), pace = fmax(fabs(q->zdot), LEAST_SPEED);
    double stretch = fmax(fabs(q->z), LEAST_DEPTH);
    memcpy(u, q->u, (size_t)ff_friction_states(law) * sizeof *u);
    for (int i = 0; i < states; i++) {
        stretch = fmax(stretch, fabs(u[i]));
        rates[0][i] = rates[1][i] = 0;
    }
    for (int by = 0; by < columns; by++) {
        double size = by < FF_BY_LOAD           ? slip
                      : by == FF_BY_LOAD        ? fmax(q->load, LEAST_LOAD)
                      : by == FF_BY_GRADE       ? fmax(q->grade, LEAST_DEPTH)
                      : by == FF_BY_GRADE_SLOPE ? fmax(fabs(q->grade_slope), LEAST_DEPTH)
                      : by == FF_BY_DEPTH       ? fmax(fabs(q->z), LEAST_DEPTH)
                      : by == FF_BY_DEPTH_RATE  ? pace
                                                : stretch;
        double h = PART * size;
        ff_friction_answer at[2];
        for (int side = 0; side < 2; side++) {
            ff_friction_query moved = *q;
            double step = side ? h : -h;
            moved.u = u;
            if (by < FF_BY_LOAD) {
                moved.v[by] += step;
            } else if (by >= FF_BY_U) {
                u[by - FF_BY_U] = q->u[by - FF_BY_U] + step;
            } else {
                *(by == FF_BY_LOAD          ? &moved.load
                  : by == FF_BY_GRADE       ? &moved.grade
                  : by == FF_BY_GRADE_SLOPE ? &moved.grade_slope
                  : by == FF_BY_DEPTH       ? &moved.z
                                            : &moved.zdot) += step;
            }
            moved.ratio = q->grade > 0 ? moved.load / moved.grade : q->ratio;
            at[side] = (ff_friction_answer){.rate = rates[side]};
            law->respond(law, &moved, &at[side]);
            if (by >= FF_BY_U) {
                u[by - FF_BY_U] = q->u[by - FF_BY_U];
            }
        }
        for (int i = 0; i < 3; i++) {
            matrix[(FF_OF_FORCE + i) * columns + by] = (at[1].force[i] - at[0].force[i]) / (2 * h);
        }
        matrix[FF_OF_LIFT * columns + by] = (at[1].lift - at[0].lift) / (2 * h);
        for (int i = 0; i < states; i++) {
            matrix[(FF_OF_U_RATES + i) * columns + by] = (rates[1][i] - rates[0][i]) / (2 * h);
        }
    }
}

void ff_friction_slopes_at(const ff_friction *law, const ff_friction_query *query, double *matrix) {
    ff_friction_query q = *query;
    q.u = q.u ? q.u : no_states;
    memset(matrix, 0, ff_friction_slope_size(law) * sizeof *matrix);
    if (ff_friction_check(law, NULL) < 0) {
        for (size_t i = 0; i < ff_friction_slope_size(law); i++) {
            matrix[i] = (double)NAN;
        }
    } else if (law->law->slopes && !law->turns) {
        law->law->slopes(law, &q, matrix);
    } else if (!law->law->nothing) {
        friction_differences(law, &q, matrix);
    }
}

double ff_friction_excess_error(const ff_friction *law, const ff_friction_query *q, double load,
                                double v, double u) {
    if (law->law->excess_error) {
        return law->law->excess_error(law, q, load, v, u);
    }
    double out = 0, state[FF_FRICTION_STATES], rate[FF_FRICTION_STATES];
    memcpy(state, q->u, (size_t)ff_friction_states(law) * sizeof *state);
    for (int by = 0; by < 4 + 3 * law->vectors; by++) {
        double size = by == 0  ? fmax(q->load, LEAST_LOAD)
                      : by < 4 ? fmax(ff_length(q->v), LEAST_SPEED)
                               : fmax(fabs(q->u[by - 4]), LEAST_DEPTH);
        double h = PART * size, excess[2];
        for (int side = 0; side < 2; side++) {
            ff_friction_query moved = *q;
            ff_friction_answer at = {.rate = rate};
            double step = side ? h : -h;
            moved.u = state;
            moved.load += by == 0 ? step : 0;
            moved.ratio = q->grade > 0 ? moved.load / q->grade : q->ratio;
            moved.v[by > 0 && by < 4 ? by - 1 : 0] += by > 0 && by < 4 ? step : 0;
            if (by >= 4) {
                state[by - 4] = q->u[by - 4] + step;
            }
            law->respond(law, &moved, &at);
            excess[side] = at.excess;
            if (by >= 4) {
                state[by - 4] = q->u[by - 4];
            }
        }
        out += fabs(excess[1] - excess[0]) / (2 * h) * (by == 0 ? load : by < 4 ? v : u);
    }
    return out;
}

/* ---- one pair ---- */

void ff_contact_force(const ff_normal *normal, const ff_friction *friction,
                      const ff_contact_query *q, ff_contact_answer *out) {
    const ff_normal_query at = {q->depth, q->rate, q->inner ? q->inner : no_states, false};
    ff_normal_answer n = {.rate = out->inner_rate};
    double gap_rate, rates[FF_FRICTION_STATES];
    if (ff_normal_check(normal, NULL) < 0 || ff_friction_check(friction, NULL) < 0) {
        double none = (double)NAN;
        *out = (ff_contact_answer){.normal = none, .friction = {none, none, none}};
        return;
    }
    normal->respond(normal, &at, &n);
    double gap = normal->law->gap ? normal->law->gap(normal, &at, &gap_rate) : q->depth;
    *out = (ff_contact_answer){.normal = n.force,
                               .stored = ff_normal_stored(normal, q->depth, q->rate, at.state),
                               .loss = n.loss,
                               .inner_rate = out->inner_rate,
                               .u_rate = out->u_rate};
    /* no friction without contact */
    const double load = ff_normal_load(normal, n.force, n.grade, n.ratio);
    if (gap < 0 || (normal->law->gap && load <= 0)) {
        for (int i = 0; i < ff_friction_states(friction) && out->u_rate; i++) {
            out->u_rate[i] = 0;
        }
        return;
    }
    ff_friction_query slide = {.z = q->depth,
                               .zdot = q->rate,
                               .load = load,
                               .grade = n.grade,
                               .ratio = friction->lifts ? n.ratio : fmax(n.ratio, 0),
                               .grade_slope = n.grade_slope,
                               .spin = q->spin,
                               .radius = q->radius,
                               .u = q->u ? q->u : no_states};
    memcpy(slide.v, q->slip, sizeof slide.v);
    memcpy(slide.roll, q->roll, sizeof slide.roll);
    memcpy(slide.n, q->n, sizeof slide.n);
    ff_friction_answer f = {.rate = out->u_rate ? out->u_rate : rates};
    friction->respond(friction, &slide, &f);
    memcpy(out->friction, f.force, sizeof out->friction);
    out->twist = f.twist;
    memcpy(out->moment, f.moment, sizeof out->moment);
    out->normal += f.lift;
    out->stored += ff_friction_stored(friction, &slide);
    out->loss += f.damper + f.slip + f.viscous;
    out->slips = f.excess > 0;
}
