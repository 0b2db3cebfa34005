/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "kernels.h"
#include "num/elementary.h"
#include "params.h"
#include "sizes.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double no_states[FF_LAW_STATES];

ff_status ff_normal_make(ff_normal *out, const ff_normal_law *law, const double *values,
                         ff_error *error) {
    ff_normal made = {.law = law,
                      .states = law->states,
                      .clamps = law->clamps,
                      .damped = law->damped,
                      .form = law->form};
    ff_status status = ff_law_check(law->name, law->abi, law->params, values, made.values, error);
    if (status < 0) {
        return status;
    }
    const char *why = law->derive ? law->derive(&made) : NULL;
    if (!why && (made.states < 0 || made.states > FF_LAW_STATES)) {
        why = "too many inner states";
    }
    if (why) {
        if (error) {
            snprintf(error->text, sizeof error->text, "%s", why);
        }
        return FF_BAD_VALUE;
    }
    made.respond = made.form ? made.form->point : law->respond;
    ff_normal_use(&made, ff_kernels_best());
    *out = made;
    return FF_OK;
}

/* ---- parameters by name ---- */

/* The response of a law with a missing value. */
static void unfinished(const ff_normal *law, const ff_normal_query *query, ff_normal_answer *out) {
    (void)law, (void)query;
    out->force = out->loss = out->hold = out->ratio = (double)NAN;
}

#define LAW ff_normal
#define LAW_TABLE ff_normal_law
#define LAW_CALL(name) ff_normal_##name
#include "by_name.inc"

/* ---- evaluation ---- */

/* The only derived parameter is lambda_out. power_form() sets it even if it returns false because q is not 1. */
double ff_normal_value(const ff_normal *law, const char *name) {
    if (!law->law) {
        return (double)NAN;
    }
    double value = ff_law_value(law->law->params, law->values, name);
    ff_power power = {.lambda_out = FF_DERIVED};
    if (value == FF_DERIVED && law->law->power_form) {
        law->law->power_form(law, 1, &power);
        return power.lambda_out;
    }
    return value;
}

ff_normal_answer ff_normal_at(const ff_normal *law, double z, double zdot, const double *state,
                              double *rate) {
    ff_normal_answer out = {.rate = rate};
    (law->respond ? law->respond : unfinished)(
        law, &(ff_normal_query){.z = z, .zdot = zdot, .state = state ? state : no_states}, &out);
    return out;
}

double ff_normal_force(const ff_normal *law, double z, double zdot, const double *state) {
    return ff_normal_at(law, z, zdot, state, NULL).force;
}

double ff_normal_stored(const ff_normal *law, double z, double zdot, const double *state) {
    return ff_normal_check(law, NULL) < 0
               ? (double)NAN
               : law->law->stored(law, z, zdot, state ? state : no_states);
}

void ff_normal_touch(const ff_normal *law, double v, double *state) {
    if (ff_normal_check(law, NULL) == FF_OK && law->law->touch) {
        law->law->touch(law, v, state);
    }
}

bool ff_normal_power(const ff_normal *law, double speed, ff_power *out) {
    return ff_normal_check(law, NULL) == FF_OK && law->law->power_form &&
           law->law->power_form(law, speed, out);
}

bool ff_normal_springs(const ff_normal *law, ff_power *out) {
    *out = (ff_power){.k = NAN};
    return ff_normal_power(law, 1, out) || (law->adhesion > 0 && out->k > 0);
}

ff_status ff_normal_set_power(ff_normal *law, double k, double lambda, double lambda_out) {
    ff_power power;
    double values[FF_LAW_PARAMS];
    if (!ff_normal_power(law, 1, &power) || !law->law->with_power) {
        return FF_BAD_VALUE;
    }
    memcpy(values, law->values, sizeof values);
    power.k = k;
    power.lambda = lambda;
    power.lambda_out = lambda_out;
    if (!law->law->with_power(law, &power, values)) {
        return FF_BAD_VALUE;
    }
    for (int i = 0; i < FF_LAW_PARAMS; i++) {
        /* NAN: derive the value again */
        values[i] = values[i] == FF_DERIVED ? (double)NAN : values[i];
    }
    return ff_normal_make(law, law->law, values, NULL);
}

/* ---- slopes ---- */

/* Relative step of central differences: the error h^2 + rounding/h is smallest if h is the cube root of rounding. */
#define PART 6e-6
/* Steps for variables that are 0: a meaningful depth, a speed. Below them a law is assumed to be linear. */
#define LEAST_DEPTH 1e-9
#define LEAST_SPEED 1e-3

static void normal_differences(const ff_normal *law, const ff_normal_query *q, double *matrix) {
    const int columns = FF_BY_STATES + law->states;
    double state[FF_LAW_STATES], rates[2][FF_LAW_STATES] = {{0}};
    double z = q->z < 0 || law->law->gap ? q->z : fmax(q->z, FF_DEPTH_FLOOR);
    double depth = fmax(fabs(z), LEAST_DEPTH), speed = fmax(fabs(q->zdot), LEAST_SPEED);
    memcpy(state, q->state, (size_t)law->states * sizeof *state);
    for (int by = 0; by < columns; by++) {
        const int s = by - FF_BY_STATES;
        double size = by == FF_BY_Z           ? depth
                      : by == FF_BY_ZDOT      ? speed
                      : fabs(q->state[s]) > 0 ? fabs(q->state[s])
                      : law->law->state_size  ? law->law->state_size(law, s, depth, speed)
                                              : depth;
        double h = PART * size;
        ff_normal_answer at[2];
        for (int side = 0; side < 2; side++) {
            double step = side ? h : -h;
            ff_normal_query moved = {z + (by == FF_BY_Z ? step : 0),
                                     q->zdot + (by == FF_BY_ZDOT ? step : 0), state, q->open};
            if (s >= 0) {
                state[s] = q->state[s] + step;
            }
            at[side] = (ff_normal_answer){.rate = rates[side]};
            law->respond(law, &moved, &at[side]);
            if (s >= 0) {
                state[s] = q->state[s];
            }
        }
        matrix[FF_OF_NORMAL * columns + by] = (at[1].force - at[0].force) / (2 * h);
        matrix[FF_OF_GRADE * columns + by] = (at[1].grade - at[0].grade) / (2 * h);
        matrix[FF_OF_GRADE_SLOPE * columns + by] =
            (at[1].grade_slope - at[0].grade_slope) / (2 * h);
        for (int i = 0; i < law->states; i++) {
            matrix[(FF_OF_RATES + i) * columns + by] = (rates[1][i] - rates[0][i]) / (2 * h);
        }
    }
}

void ff_normal_slopes_at(const ff_normal *law, const ff_normal_query *query, double *matrix) {
    ff_normal_query q = *query;
    q.state = q.state ? q.state : no_states;
    if (ff_normal_check(law, NULL) < 0) {
        for (size_t i = 0; i < ff_normal_slope_size(law); i++) {
            matrix[i] = (double)NAN;
        }
        return;
    }
    memset(matrix, 0, ff_normal_slope_size(law) * sizeof *matrix);
    if (law->law->slopes) {
        law->law->slopes(law, &q, matrix);
    } else {
        normal_differences(law, &q, matrix);
    }
}

/* ---- scales ---- */

double ff_normal_reach(const ff_normal *law, double speed) {
    double state[FF_LAW_STATES] = {0}, rate;
    if (!law->law->gap) {
        return 0;
    }
    ff_normal_touch(law, speed, state);
    return fmax(law->law->gap(law, &(ff_normal_query){0, speed, state, true}, &rate), 0);
}

double ff_normal_depth(const ff_normal *law, double mass, double speed) {
    ff_power power;
    if (ff_normal_power(law, speed, &power)) {
        return ff_pow(mass * speed * speed / power.k, 1 / (power.n + 1));
    }
    /* stored(z) = m v^2/2, by bisection of ln z, to one part in a thousand */
    double low = 1e-15, high = 1e6, state[FF_LAW_STATES];
    while (high > 1.001 * low) {
        double z = sqrt(low * high);
        /* inner states of a law at rest at this depth */
        for (int s = 0; s < law->states; s++) {
            state[s] = law->law->state_size ? law->law->state_size(law, s, z, speed) : z;
        }
        if (ff_normal_stored(law, z, 0, state) < mass * speed * speed / 2) {
            low = z;
        } else {
            high = z;
        }
    }
    return low;
}

double ff_normal_speed(const ff_normal *law, double mass, double depth) {
    ff_power power;
    if (ff_normal_springs(law, &power)) {
        return sqrt(power.k * ff_pow(depth, power.n + 1) / mass);
    }
    double state[FF_LAW_STATES];
    for (int s = 0; s < law->states; s++) {
        state[s] = law->law->state_size ? law->law->state_size(law, s, depth, 1) : depth;
    }
    return sqrt(2 * ff_normal_stored(law, depth, 0, state) / mass);
}

int ff_normal_clock(const ff_normal *law) {
    ff_power power;
    if (!ff_normal_power(law, 1, &power)) {
        return 1;
    }
    for (int q = 1; q < 4; q++) {
        double a = q * power.n, b = q * power.p;
        if (fabs(a - nearbyint(a)) < 1e-12 && fabs(b - nearbyint(b)) < 1e-12) {
            return q;
        }
    }
    return 4;
}

double ff_normal_hold_error(const ff_normal *law, const ff_normal_query *q, double z, double zdot) {
    if (law->law->hold_error) {
        return law->law->hold_error(law, q, z, zdot);
    }
    double depth = fmax(fabs(q->z), LEAST_DEPTH), speed = fmax(fabs(q->zdot), LEAST_SPEED);
    double out = 0;
    for (int by = 0; by < 2; by++) {
        double h = PART * (by ? speed : depth), hold[2];
        for (int side = 0; side < 2; side++) {
            double step = side ? h : -h;
            ff_normal_answer at = {0};
            law->respond(law,
                         &(ff_normal_query){q->z + (by ? 0 : step), q->zdot + (by ? step : 0),
                                            q->state, true},
                         &at);
            hold[side] = at.hold;
        }
        out += fabs(hold[1] - hold[0]) / (2 * h) * (by ? zdot : z);
    }
    return out;
}
