/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "sim.h"
#include <float.h>
#include <string.h>

/* The rotation of round bodies, whose orientation the rates do not include (docs/theory.md, Steps): q' = omega q/2 in world
 * axes, with omega given by an interpolant over the step. Nothing is evaluated for it, except for dop853 where its interpolant
 * is needed. */

/* Most coefficients: 8 of the interpolant of dop853, and 3 more by the time transformation. */
enum { TERMS = 11 };

/* A rotation over part of a step: its rate as a polynomial, sum of c[k] s^k, where the part has length 1 in s. */
typedef struct rate_poly {
    int terms;
    double c[TERMS][3];
} rate_poly;

/* What is the same for all bodies that turn in a step. Positions in the step are fractions of its length when it was tried. */
typedef struct turn_step {
    const ff_stepper *stepper;
    ff_method method;
    double length, end; /* length in x; where it ends since, near 1 */
    double pace[4];     /* dt/ds as a polynomial of the distance from the middle */
    int paces;
    double moment[5]; /* integrals of its products with powers of that distance */
    double time;      /* duration of the whole length, s */
    int stages;
    const ff_stages *table;
    double lead[FF_STAGES]; /* weights of the rates of its early stages in the integral of omega */
    double allowed;         /* error of a rotation, rad */
} turn_step;

static double size(const double a[3]) { return fabs(a[0]) + fabs(a[1]) + fabs(a[2]); }

/* ---- polynomials ---- */

/* out: the rate over a part that begins or has its middle at s = `at` and has this length. */
static void take_part(const rate_poly *p, double at, double length, rate_poly *out) {
    double by = length;
    *out = *p;
    for (int i = 0; i + 1 < p->terms; i++) {
        for (int k = p->terms - 2; k >= i; k--) {
            ff_add_scaled(out->c[k], at, out->c[k + 1], out->c[k]);
        }
    }
    for (int k = 0; k < p->terms; k++, by *= length) {
        for (int c = 0; c < 3; c++) {
            out->c[k][c] *= by;
        }
    }
}

/* Integrals of |s|^k from s = -1/2 to 1/2: 1/(2^k (k + 1)). */
static const double share[TERMS] = {1,        1. / 4,    1. / 12,   1. / 32,   1. / 80,   1. / 192,
                                    1. / 448, 1. / 1024, 1. / 2304, 1. / 5120, 1. / 11264};

/* Integral of a rate from s = -1/2 to 1/2. */
static void integral(const rate_poly *p, double out[3]) {
    memcpy(out, p->c[0], 3 * sizeof *out);
    for (int k = 2; k < p->terms; k += 2) {
        ff_add_scaled(out, share[k], p->c[k], out);
    }
}

/* ---- omega over a step ---- */

/* Prepares what bodies have in common. The integral of omega over a step is computed with the weights b of the method, like a
 * position, by parts: integral omega dt = omega0 T + integral (T - t) omega' dt = omega0 T + h sum b (T - t) k, where k are the
 * stages of omega and T is the duration. */
static void begin_step(const ff_sim *sim, const ff_span *span, turn_step *j) {
    const ff_flow *f = &sim->flow;
    const ff_stepper *s = &f->stepper;
    const int power = span->clock->power;
    j->stepper = s;
    j->method = span->clock == &f->last.clock ? f->last.method : f->now.method;
    j->length = s->length;
    j->end = span->h == s->length ? 1 : span->h / s->length;
    j->allowed = FF_LOCAL_PART * sim->options.tol;
    j->table = ff_stepper_stages(s, j->method);
    j->stages = j->table->early;
    j->paces = 0;
    const double h = j->length, x = span->clock->x;
    j->time = power == 1 ? h : ff_power_of(x + h, power) - ff_power_of(x, power);
    for (int i = 0; i < j->stages; i++) {
        const double at = j->table->stage[i].at, here = x + at * h;
        const double left = power == 1   ? h * (1 - at)
                            : power == 2 ? h * (1 - at) * (x + h + here)
                                         : ff_power_of(x + h, power) - ff_power_of(here, power);
        j->lead[i] = h * j->table->stage[i].weight * left;
    }
}

/* Prepares what only bodies need that do not turn about a fixed axis: dt/ds = h p (middle + h s)^(p - 1). */
static void find_pace(turn_step *j, const ff_clock *clock) {
    const int power = clock->power;
    const double h = j->length, middle = clock->x + h / 2;
    double choose = h * power;
    j->paces = power;
    for (int k = 0; k < power; k++) {
        j->pace[k] = choose * ff_power_of(middle, power - 1 - k);
        choose *= h * (power - 1 - k) / (k + 1);
    }
    for (int k = 0; k < 5; k++) {
        j->moment[k] = 0;
        for (int m = k % 2; m < power; m += 2) {
            j->moment[k] += j->pace[m] * share[k + m];
        }
    }
}

/* The integral of omega over the length of the step; of Hermite's cubic for methods without stages, for which x is time. */
static void find_integral(const turn_step *j, const double *omega, size_t at, double out[3]) {
    const ff_stepper *s = j->stepper;
    const double *k0 = s->k[0] + at, *k1 = s->k[6] + at, *last = s->y1 + at, h = j->length;
    for (int c = 0; c < 3 && j->stages == 0; c++) {
        out[c] = j->time * ((omega[c] + last[c]) / 2 + h * (k0[c] - k1[c]) / 12);
    }
    if (j->stages == 0) {
        return;
    }
    double a = j->time * omega[0], b = j->time * omega[1], c = j->time * omega[2];
    for (int i = 0; i < j->stages; i++) {
        const double *k = s->k[j->table->stage[i].k] + at, lead = j->lead[i];
        a += lead * k[0];
        b += lead * k[1];
        c += lead * k[2];
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
}

/* Whether the body turns about one axis, that of the integral of omega: what is perpendicular to it changes the rotation by at
 * most `allowed`. Hermite's cubic is at most the larger end plus 4/27 h of the slopes, which the correction of its integral
 * makes at most 4 times as large. */
static bool is_straight(const turn_step *j, const double *omega, size_t at, const double along[3],
                        double allowed) {
    const ff_stepper *s = j->stepper;
    const double part = 4.0 / 27 * j->length;
    double off[4][3];
    ff_cross(omega, along, off[0]);
    ff_cross(s->y1 + at, along, off[1]);
    ff_cross(s->k[0] + at, along, off[2]);
    ff_cross(s->k[6] + at, along, off[3]);
    const double sum = size(off[0]) + size(off[1]) + part * (size(off[2]) + size(off[3]));
    /* the length of a vector is at least its `size` by the square root of 3 */
    return 4 * j->time * sum <= allowed * 0.577 * size(along);
}

/* The coefficients of the interpolant of omega, of which there are `count` (ff_stepper_part_at()): 4, those of Hermite's cubic,
 * or 8 for dop853. The end of the last step tried may have been moved along its last rates, which is undone here, or along the
 * interpolant. */
static void nested(const turn_step *j, const double *omega, size_t at, int count, double r[8][3]) {
    const ff_stepper *s = j->stepper;
    const double h = j->length, late = s->step - h;
    const bool moved = s->dense_terms > 0 && s->dense_end != 1;
    for (int k = moved ? 0 : 4; k < count; k++) {
        memcpy(r[k], s->dense + (size_t)k * s->n + at, sizeof r[k]);
    }
    const double *y1 = s->y1 + at, *k0 = s->k[0] + at, *k1 = s->k[6] + at;
    for (int c = 0; c < 3 && !moved; c++) {
        const double rise = y1[c] - late * k1[c] - omega[c], bend = h * k0[c] - rise;
        r[0][c] = omega[c];
        r[1][c] = rise;
        r[2][c] = bend;
        r[3][c] = rise - h * k1[c] - bend;
    }
}

/* The same polynomial in powers of s = theta - 1/2. */
static void unfold(double r[8][3], int count, double out[8][3]) {
    if (count == 4) {
        /* theta = 1/2 + s, theta (1 - theta) = 1/4 - s^2 */
        for (int c = 0; c < 3; c++) {
            out[0][c] = r[0][c] + r[1][c] / 2 + r[2][c] / 4 + r[3][c] / 8;
            out[1][c] = r[1][c] + r[3][c] / 4;
            out[2][c] = -(r[2][c] + r[3][c] / 2);
            out[3][c] = -r[3][c];
            out[4][c] = 0;
        }
        return;
    }
    memset(out, 0, 8 * sizeof *out);
    memcpy(out[0], r[count - 1], sizeof out[0]);
    for (int k = count - 2, terms = 1; k >= 0; k--, terms++) {
        /* times theta or 1 - theta */
        const double sign = k % 2 == 0 ? 1 : -1;
        for (int c = 0; c < 3; c++) {
            out[terms][c] = sign * out[terms - 1][c];
            for (int m = terms - 1; m > 0; m--) {
                out[m][c] = out[m][c] / 2 + sign * out[m - 1][c];
            }
            out[0][c] = out[0][c] / 2 + r[k][c];
        }
    }
}

/* Omega over the length of the step, and the rotation rate omega dt/ds, from the first `count` coefficients of the interpolant and
 * the integral `whole` that the method's weights give: a multiple of (theta (1 - theta))^2, which changes neither values nor
 * slopes at the ends, makes up for the difference. For dopri5 it takes the place of the fifth coefficient, at the same order. */
static void find_rate(const turn_step *j, const double *omega, size_t at, int count,
                      const double whole[3], double spin[8][3], rate_poly *p) {
    const double *m = j->moment, per = 1 / (m[0] / 16 - m[2] / 2 + m[4]);
    double r[8][3];
    int terms = count;
    nested(j, omega, at, count, r);
    unfold(r, count, spin);
    if (j->stages > 0 && count == 4) {
        terms = 5;
        for (int c = 0; c < 3; c++) {
            const double found =
                spin[0][c] * m[0] + spin[1][c] * m[1] + spin[2][c] * m[2] + spin[3][c] * m[3];
            const double by = (whole[c] - found) * per;
            spin[0][c] += by / 16;
            spin[2][c] -= by / 2;
            spin[4][c] = by;
        }
    }
    p->terms = terms + j->paces - 1;
    if (p->terms < 5) {
        memset(p->c[4], 0, sizeof p->c[4]);
    }
    for (int k = 0; k < p->terms; k++) {
        double a = 0, b = 0, c = 0;
        for (int n = k < terms ? 0 : k - terms + 1; n < j->paces && n <= k; n++) {
            a += j->pace[n] * spin[k - n][0];
            b += j->pace[n] * spin[k - n][1];
            c += j->pace[n] * spin[k - n][2];
        }
        p->c[k][0] = a;
        p->c[k][1] = b;
        p->c[k][2] = c;
    }
}

/* ---- rotations ---- */

/* Bound of the angle that a rate about its middle turns by. */
static double angle_of(const rate_poly *p) {
    double out = 0;
    for (int k = 0; k < p->terms; k++) {
        out += share[k] * size(p->c[k]);
    }
    return out;
}

/* Adds the second term of the Magnus series, integral over s2 < s1 of u(s1) x u(s2)/2, to the integral of a rate, and returns
 * a bound of the rest for angles below 1/2: twice the terms of order 5 (Blanes et al. 2009, Phys. Rep. 470, eq. 255), whose
 * successors are smaller by factors of angle^2/42 and more, and all terms of the powers above 4. */
static double add_twist(const rate_poly *p, double angle, double by[3]) {
    double first[3], second[3], third[3], late = 0;
    const double c0 = size(p->c[0]), c1 = size(p->c[1]);
    ff_cross(p->c[0], p->c[1], first);
    ff_cross(p->c[0], p->c[2], second);
    for (int c = 0; c < 3; c++) {
        third[c] = p->c[1][c] / 12 + p->c[3][c] / 80;
    }
    double twist[3], bends[3];
    ff_cross(p->c[0], third, twist);
    ff_cross(p->c[1], p->c[2], bends);
    for (int c = 0; c < 3; c++) {
        by[c] += bends[c] / 240 - twist[c];
    }
    for (int k = 5; k < p->terms; k++) {
        late += angle * share[k] * size(p->c[k]);
    }
    const double fourth = size(p->c[4]);
    return 2 * (c0 * size(second) / 360 + (c0 * c0 / 720 + c1 / 240) * size(first)) +
           angle * angle * fourth / 480 + (c1 * fourth + size(p->c[2]) * size(p->c[3])) / 448 +
           late;
}

/* D(R) of turn_series(). */
static double majorant(const rate_poly *p, double R) {
    double out = 0;
    for (int k = p->terms - 1; k >= 0; k--) {
        out = (out + size(p->c[k]) / 2) * R;
    }
    return out;
}

/* Rotates q by a rate about its beginning, by the Taylor series of q: with q = sum Q_k s^k,
 *     (k + 1) Q_(k+1) = sum over j of b_j Q_(k-j),  b_j = (0, c_j)/2.
 * If D(R) = sum |b_j| R^(j+1) <= k + 1, then |Q_m| R^m for m > k does not exceed v R^k, where v is the largest |Q_(k-j)| R^-j, so
 * that the terms after Q_k sum to at most v/(R - 1). */
static void turn_series(const rate_poly *p, double allowed, double q[4]) {
    /* with D(8) <= 16 the |Q_k| are at most e^16 8^-k: terms after the 32nd are below 1e-22 */
    enum { MOST = 32 };
    double Q[MOST + 1][4], R = 8, D = majorant(p, R), bound = 1;
    /* with a larger R the bound is lower, and holds later */
    for (double wider; R < 4096 && (wider = majorant(p, 4 * R)) <= 4; D = wider) {
        R *= 4;
    }
    memcpy(Q[0], q, sizeof Q[0]);
    for (int k = 0; k < MOST && !(D <= k + 1 && bound <= allowed * (R - 1)); k++) {
        double *next = Q[k + 1], sum[4] = {0};
        for (int j = 0; j < p->terms && j <= k; j++) {
            const double *w = p->c[j], *of = Q[k - j];
            sum[0] -= w[0] * of[1] + w[1] * of[2] + w[2] * of[3];
            sum[1] += w[0] * of[0] + w[1] * of[3] - w[2] * of[2];
            sum[2] += w[1] * of[0] + w[2] * of[1] - w[0] * of[3];
            sum[3] += w[2] * of[0] + w[0] * of[2] - w[1] * of[1];
        }
        double length = 0;
        for (int c = 0; c < 4; c++) {
            next[c] = sum[c] * (0.5 / (k + 1));
            q[c] += next[c];
            length += fabs(next[c]);
        }
        bound = length > bound / R ? length : bound / R;
    }
}

/* Number of equal parts of a rate about its middle for which D(8) of the series is at most 16, a power of two; the coefficients
 * about a point up to 1/2 away are bounded by those of sum |c_k| (1/2 + s)^k. A part is an angle of about 2 rad, and takes 0.5 us.
 * 0: more than 2^18, which a step takes only if it turns by more than 5e5 rad. */
static long parts_of(const rate_poly *p) {
    for (long out = 1; out <= 1 << 18; out *= 2) {
        const double far = 0.5 + 8.0 / (double)out;
        double sum = 0;
        for (int k = p->terms - 1; k >= 0; k--) {
            sum = sum * far + size(p->c[k]);
        }
        if (sum <= 4.0 * (double)out) {
            return out;
        }
    }
    return 0;
}

/* Rotates q by a rate about its middle, over the part that ends at the fraction theta: by one rotation vector if what that
 * leaves out is within `allowed`, otherwise by series over equal parts. Both depend on the whole step, so that q is a
 * continuous function of theta. */
static void turn(const rate_poly *p, bool straight, double allowed, double theta, double q[4]) {
    const double angle = angle_of(p);
    double by[3];
    integral(p, by);
    const bool twisted = !straight && angle <= 0.5 && add_twist(p, angle, by) <= allowed;
    const long parts = straight || twisted ? 0 : parts_of(p);
    if (parts == 0) {
        if (theta != 1) {
            rate_poly part;
            take_part(p, (theta - 1) / 2, theta, &part);
            integral(&part, by);
            if (twisted) {
                add_twist(&part, angle, by);
            }
        }
        ff_quaternion_turn(q, by);
        return;
    }
    double turned[4] = {1, 0, 0, 0}, out[4];
    for (long i = 0; (double)i < theta * (double)parts; i++) {
        const double from = (double)i / (double)parts,
                     length = fmin(1 / (double)parts, theta - from);
        rate_poly part;
        take_part(p, from - 0.5, length, &part);
        turn_series(&part, allowed / (double)parts, turned);
    }
    /* the series has changed the length by no more than its error */
    const double per = 1 / sqrt(turned[0] * turned[0] + ff_dot(turned + 1, turned + 1));
    for (int c = 0; c < 4; c++) {
        turned[c] *= per;
    }
    ff_quaternion_times(turned, q, out);
    memcpy(q, out, sizeof out);
}

/* Whether the interpolant of dop853 is needed for a body whose omega changes its direction: omega as found without it is not
 * close enough to the stages. The largest difference in slope, over an eighth of a step (stages are about a quarter apart), is taken
 * for its error. With the right integral that turns the body by at most as much again, times the angle if that is small. */
static bool needs_dense(const turn_step *j, double spin[8][3], const rate_poly *p, size_t at,
                        double allowed) {
    const ff_stepper *s = j->stepper;
    double worst = 0;
    if (j->method != FF_DOP853) {
        return false;
    }
    /* at 0.25, 0.65 and 0.86: the others are near these */
    for (int i = 2; i < j->stages; i += 2) {
        const double from = j->table->stage[i].at - 0.5;
        const double *k = s->k[j->table->stage[i].k] + at;
        double off = 0;
        for (int c = 0; c < 3; c++) {
            const double slope =
                spin[1][c] +
                from * (2 * spin[2][c] + from * (3 * spin[3][c] + from * 4 * spin[4][c]));
            off += fabs(slope - j->length * k[c]);
        }
        worst = off > worst ? off : worst;
    }
    const double angle = angle_of(p);
    return (angle < 1 ? angle : 1) * j->time * worst / 8 > allowed;
}

/* Rotates q up to the fraction theta of a step. */
static void turn_body(ff_sim *sim, const ff_span *span, turn_step *j, double theta, size_t at,
                      double *q) {
    const double *omega = span->from + at;
    double whole[3], spin[8][3];
    find_integral(j, omega, at, whole);
    /* an error of 4 units in the last place of the angle is rounding */
    const double rounding = 4 * DBL_EPSILON * size(whole),
                 allowed = rounding > j->allowed ? rounding : j->allowed;
    const bool straight = is_straight(j, omega, at, whole, allowed / 2);
    if (straight && theta == 1 && j->end == 1) {
        ff_quaternion_turn(q, whole);
        return;
    }
    rate_poly p;
    if (j->paces == 0) {
        find_pace(j, span->clock);
    }
    find_rate(j, omega, at, 4, whole, spin, &p);
    if (!straight && needs_dense(j, spin, &p, at, allowed)) {
        ff_stepper_dense(&sim->flow.stepper, FF_DOP853, span->clock->x, span->from, span->h);
        find_rate(j, omega, at, 8, whole, spin, &p);
    }
    if (j->end != 1) {
        const rate_poly longer = p;
        take_part(&longer, (j->end - 1) / 2, j->end, &p);
    }
    turn(&p, straight, allowed, theta, q);
}

/* Whether omega is constant in the last step tried: a torque that is 0 at both ends and has not changed it by one bit has not
 * turned the body either. */
static bool is_constant(const ff_stepper *s, const double *omega, size_t at) {
    const double *end = s->y1 + at, *k0 = s->k[0] + at, *k1 = s->k[6] + at;
    return omega[0] == end[0] && omega[1] == end[1] && omega[2] == end[2] && k0[0] == 0 &&
           k0[1] == 0 && k0[2] == 0 && k1[0] == 0 && k1[1] == 0 && k1[2] == 0;
}

void ff_turns_carry(ff_sim *sim, const ff_span *span, double theta, double *to) {
    const ff_clock *clock = span->clock;
    const double h = theta * span->h;
    const double time = clock->power == 1 ? h
                                          : ff_power_of(clock->x + h, clock->power) -
                                                ff_power_of(clock->x, clock->power);
    turn_step j;
    bool begun = false;
    for (size_t at = 0, i = 0; i < sim->reduced->body_count; i++, at += FF_BODY_STRIDE) {
        if (!ff_turns_apart(sim->reduced, i)) {
            continue;
        }
        const double *omega = span->from + at + FF_OMEGA;
        double *q = to + at + FF_Q;
        memcpy(q, span->from + at + FF_Q, 4 * sizeof *q);
        if (!is_constant(&sim->flow.stepper, omega, at + FF_OMEGA)) {
            if (!begun) {
                begin_step(sim, span, &j);
                begun = true;
            }
            turn_body(sim, span, &j, theta, at + FF_OMEGA, q);
        } else if (omega[0] != 0 || omega[1] != 0 || omega[2] != 0) {
            ff_quaternion_turn(q, (double[]){time * omega[0], time * omega[1], time * omega[2]});
        }
    }
}
