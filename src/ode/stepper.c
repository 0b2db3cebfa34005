/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "methods.h"
#include "num/elementary.h"
#include "num/isa.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

size_t ff_stepper_room(size_t n) { return (FF_STAGES + 2 + FF_DENSE_MOST) * n; }

void ff_stepper_init(ff_stepper *s, size_t n, size_t states, const bool *inert, ff_rates rates,
                     void *user, double *memory, ff_sparse *matrix, size_t *active) {
    *s = (ff_stepper){.n = n,
                      .states = states,
                      .rates = rates,
                      .user = user,
                      .loops = &ff_loops_plain,
                      .matrix = matrix,
                      .active = active};
#if FF_X86
    /* with 80 components vectors of eight save 2 % of a run, with 20 they cost 1 % (bench/bed) */
    enum { WIDE = 64 };
    s->loops = n >= WIDE && ff_isa_has(FF_ISA_AVX512) ? &ff_loops_avx512
               : ff_isa_has(FF_ISA_AVX2)              ? &ff_loops_avx2
                                                      : s->loops;
#endif
    for (size_t i = 0; i < states; i++) {
        if (!inert || !inert[i]) {
            active[s->active_count++] = i;
        }
    }
    for (size_t i = 0; i < FF_STAGES; i++) {
        s->k[i] = memory + i * n;
    }
    s->y1 = memory + FF_STAGES * n;
    s->stage = s->y1 + n;
    s->dense = s->stage + n;
}

/* f into k[i] */
static void evaluate(ff_stepper *s, int i, double x, const double *y) {
    ff_evaluate(s, x, y, s->k[i]);
    s->evaluations++;
}

bool ff_stepper_ends(ff_stepper *s) {
    ff_halt *h = &s->halt;
    /* not asked before a step that must not be interrupted */
    h->left = h->asks && s->answer == 0 ? 32 : 0;
    h->now = h->now || (h->asks && s->answer == 0 && h->wanted && h->wanted(h->user));
    return h->now || s->answer != 0;
}

void ff_stepper_start(ff_stepper *s, double x, const double *y) {
    s->taken = s->sloped = false;
    s->answer = 0;
    s->fetch = NULL;
    evaluate(s, 0, x, y);
}

static void along(const double *y, double h, const double *k, size_t count, double *out) {
    for (size_t i = 0; i < count; i++) {
        out[i] = y[i] + h * k[i];
    }
}

/* Velocities first, then positions: symplectic for a force without damping. */
static void semi_implicit(ff_stepper *s, double x, const double *y, double h) {
    for (size_t i = 0; i < s->states; i++) {
        s->stage[i] = y[i] + (s->first && s->first[i] ? h * s->k[0][i] : 0);
    }
    evaluate(s, 1, x + h, s->stage);
    for (size_t i = 0; i < s->n; i++) {
        s->y1[i] = y[i] + h * (s->first && s->first[i] ? s->k[0][i] : s->k[1][i]);
    }
}

/* Velocity Verlet: positions by y + h v + h^2 a/2, everything else by the mean of the rates at both ends. The rates at the
 * end are evaluated at predicted velocities, so that order 2 is kept with damping, and are used again at the start of the
 * next step: one evaluation per step. */
static void verlet(ff_stepper *s, double x, const double *y, double h) {
    for (size_t i = 0; i < s->states; i++) {
        int speed = s->speed ? s->speed[i] : -1;
        s->stage[i] = y[i] + h * s->k[0][i] + (speed < 0 ? 0 : h * h / 2 * s->k[0][speed]);
    }
    evaluate(s, 6, x + h, s->stage);
    for (size_t i = 0; i < s->n; i++) {
        s->y1[i] = y[i] + h / 2 * (s->k[0][i] + s->k[6][i]);
    }
    /* positions advance with the corrected velocities, not with the predicted ones */
    for (size_t i = 0; s->speed && i < s->states; i++) {
        if (s->speed[i] >= 0) {
            s->y1[i] = s->stage[i];
            s->k[6][i] = s->y1[s->speed[i]];
        }
    }
}

static void rk4(ff_stepper *s, double x, const double *y, double h) {
    along(y, h / 2, s->k[0], s->states, s->stage);
    evaluate(s, 1, x + h / 2, s->stage);
    along(y, h / 2, s->k[1], s->states, s->stage);
    evaluate(s, 2, x + h / 2, s->stage);
    along(y, h, s->k[2], s->states, s->stage);
    evaluate(s, 3, x + h, s->stage);
    for (size_t i = 0; i < s->n; i++) {
        s->y1[i] = y[i] + h / 6 * (s->k[0][i] + 2 * s->k[1][i] + 2 * s->k[2][i] + s->k[3][i]);
    }
}

/* Begins a step of length h from x. */
static void set_out(ff_stepper *s, double x, double h) {
    s->x = x;
    s->step = s->length = h;
    s->dense_terms = 0;
    s->answer = 0;
    s->tries++;
    if (s->taken) {
        double *first = s->k[0];
        s->k[0] = s->k[6];
        s->k[6] = first;
        s->taken = false;
    }
}

/* One step of a method. */
static double try(ff_stepper *s, ff_method method, double x, const double *y, double h,
                  const double *per_weight) {
    switch (method) {
    case FF_AUTO:
    case FF_DOPRI5: return s->loops->dopri5(s, x, y, h, per_weight);
    case FF_DOP853: return s->loops->dop853(s, x, y, h, per_weight);
    case FF_ROSENBROCK: return ff_rosenbrock_try(s, x, y, h, per_weight);
    case FF_RODAS: return s->loops->rodas(s, x, y, h, per_weight);
    case FF_TRAPEZOID: return ff_trapezoid_try(s, x, y, h, per_weight);
    case FF_EULER: along(y, h, s->k[0], s->n, s->y1); break;
    case FF_SEMI_IMPLICIT: semi_implicit(s, x, y, h); break;
    case FF_HEUN:
        along(y, h, s->k[0], s->states, s->stage);
        evaluate(s, 1, x + h, s->stage);
        for (size_t i = 0; i < s->n; i++) {
            s->y1[i] = y[i] + h / 2 * (s->k[0][i] + s->k[1][i]);
        }
        break;
    case FF_RK4: rk4(s, x, y, h); break;
    case FF_VERLET: verlet(s, x, y, h); return 0;
    }
    evaluate(s, 6, x + h, s->y1);
    return 0;
}

double ff_stepper_try(ff_stepper *s, ff_method method, double x, const double *y, double h,
                      const double *per_weight) {
    ff_stepper_fetch(s);
    set_out(s, x, h);
    s->elsewhere = false;
    s->fetch = NULL;
    double error = try(s, method, x, y, h, per_weight);
    return s->answer == 0 ? error : HUGE_VAL;
}

void ff_stepper_hand_out(ff_stepper *s, double x, double h, void (*fetch)(void *user),
                         void *fetcher) {
    set_out(s, x, h);
    s->elsewhere = true;
    s->fetch = fetch;
    s->fetcher = fetcher;
}

void ff_stepper_hand_in(ff_stepper *s) { s->evaluations += 6; }

bool ff_stepper_broken(ff_stepper *s, ff_method method, double x, const double *y, double h,
                       const double *per_weight, double *error) {
    const long before = s->evaluations;
    const bool sloped = s->sloped;
    s->halt.asks = true;
    *error = ff_stepper_try(s, method, x, y, h, per_weight);
    const bool broken = s->halt.now;
    /* an interrupted step will be repeated and is counted then */
    s->evaluations = broken ? before : s->evaluations;
    s->halt.asks = s->halt.now = false;
    s->sloped = broken ? sloped : s->sloped;
    return broken;
}

const ff_method_facts ff_methods[FF_METHODS] = {
    [FF_AUTO] = {.name = "auto", .order = 5, .curved = true, .ends_last = true},
    [FF_EULER] = {.name = "euler", .ends_last = true},
    [FF_SEMI_IMPLICIT] = {.name = "semi-implicit", .ends_last = true},
    [FF_HEUN] = {.name = "heun", .ends_last = true},
    [FF_RK4] = {.name = "rk4", .ends_last = true},
    [FF_DOPRI5] = {.name = "dopri5", .order = 5, .curved = true, .ends_last = true},
    [FF_TRAPEZOID] = {.name = "trapezoid", .order = 3, .solves = 3},
    [FF_ROSENBROCK] = {.name = "rosenbrock", .order = 3, .solves = 5},
    [FF_RODAS] = {.name = "rodas", .order = 4, .solves = 7},
    [FF_VERLET] = {.name = "verlet"},
    [FF_DOP853] = {.name = "dop853", .order = 8, .curved = true, .ends_last = true},
};

const char *ff_method_name(ff_method method) {
    return (unsigned)method < FF_METHODS ? ff_methods[method].name : NULL;
}

const char *ff_reason_name(ff_reason change) {
    static const char *const names[FF_REASONS] = {"stiff", "cost", "smooth", "stability", "event"};
    return (unsigned)change < FF_REASONS ? names[change] : NULL;
}

/* x^(-1/n) for x > 0, in half the time of ff_pow(): dividing the bits of x by n gives it to 6 %, and each Newton iteration
 * for y^-n = x doubles the digits. */
static double inverse_root(double x, int n) {
    uint64_t bits;
    double y;
    memcpy(&bits, &x, sizeof bits);
    bits = 0x3ff0000000000000u / (uint64_t)n * (uint64_t)(n + 1) - bits / (uint64_t)n;
    memcpy(&y, &bits, sizeof y);
    const double per = 1.0 / n;
    for (int turn = 0; turn < 5; turn++) {
        double y2 = y * y, y4 = y2 * y2;
        /* orders go up to 8 */
        double power =
            x * (n & 1 ? y : 1) * (n & 2 ? y2 : 1) * (n & 4 ? y4 : 1) * (n & 8 ? y4 * y4 : 1);
        y += y * (1 - power) * per;
    }
    return y;
}

double ff_method_factor(ff_method method, double error) {
    const double safety = 0.9, shrink = 0.2, grow = 5;
    int order = ff_methods[method].order;
    return order ? fmin(fmax(safety * inverse_root(error + 1e-10, order), shrink), grow) : 1;
}

void ff_stepper_dense(ff_stepper *s, ff_method method, double x, const double *y, double h) {
    const size_t n = s->n;
    if (s->dense_terms) {
        return;
    }
    double *r = s->dense;
    ff_stepper_fetch(s);
    s->dense_end = 1;
    s->loops->cubic(s, y, h, r);
    s->dense_terms = 5;
    if (method == FF_DOP853) {
        s->loops->dop853_bend(s, x, y, h);
        s->dense_terms = 8;
    } else if (method == FF_AUTO || method == FF_DOPRI5) {
        s->loops->dopri5_bend(s, h, r + 4 * n);
    } else {
        memset(r + 4 * n, 0, n * sizeof *r);
    }
}

void ff_stepper_part_at(const ff_stepper *s, double theta, size_t from, size_t count,
                        double *restrict out) {
    const size_t n = s->n;
    theta *= s->dense_end;
    const double *restrict r = s->dense + from, rest = 1 - theta;
    out += from;
    if (s->dense_terms > 5) {
        for (size_t i = 0; i < count; i++) {
            double more = r[5 * n + i] + rest * (r[6 * n + i] + theta * r[7 * n + i]);
            double bend = r[4 * n + i] + theta * more;
            out[i] = r[i] + theta * (r[n + i] +
                                     rest * (r[2 * n + i] + theta * (r[3 * n + i] + rest * bend)));
        }
    } else {
        for (size_t i = 0; i < count; i++) {
            double bend = r[2 * n + i] + theta * (r[3 * n + i] + rest * r[4 * n + i]);
            out[i] = r[i] + theta * (r[n + i] + rest * bend);
        }
    }
}

void ff_stepper_at(const ff_stepper *s, double theta, double *out) {
    ff_stepper_part_at(s, theta, 0, s->n, out);
}

void ff_stepper_states_at(const ff_stepper *s, double theta, double *out) {
    ff_stepper_part_at(s, theta, 0, s->states, out);
}

int ff_stepper_polynomial(const ff_stepper *s, size_t i, double out[FF_DENSE_MOST]) {
    const int count = s->dense_terms > 5 ? 8 : 5;
    /* nested: r0 + theta (r1 + rest (r2 + theta (r3 + ...))), rest = 1 - theta */
    for (int k = 0; k < count; k++) {
        out[k] = 0;
    }
    for (int r = count - 1; r >= 0; r--) {
        for (int k = count - 1; k > 0 && r < count - 1; k--) {
            out[k] = r % 2 == 0 ? out[k - 1] : out[k] - out[k - 1];
        }
        out[0] = (r % 2 == 0 ? 0 : out[0]) + s->dense[(size_t)r * s->n + i];
    }
    double scale = 1;
    for (int k = 1; k < count; k++) {
        scale *= s->dense_end;
        out[k] *= scale;
    }
    return count;
}

void ff_stepper_move_end(ff_stepper *s, double theta) {
    const size_t n = s->n;
    const double *r = s->dense, rest = 1 - theta, per = 1 / s->step;
    ff_stepper_at(s, theta, s->y1);
    for (size_t i = 0; i < n; i++) {
        /* the interpolant is nested: r0 + theta a, a = r1 + rest b, b = r2 + theta c, c = r3 + rest d and so on; each with
         * its derivative */
        double d = r[4 * n + i], d1 = 0;
        if (s->dense_terms > 5) {
            const double f = r[6 * n + i] + theta * r[7 * n + i];
            const double e = r[5 * n + i] + rest * f, e1 = rest * r[7 * n + i] - f;
            d += theta * e;
            d1 = e + theta * e1;
        }
        const double c = r[3 * n + i] + rest * d, c1 = rest * d1 - d;
        const double b = r[2 * n + i] + theta * c, b1 = c + theta * c1;
        const double a = r[n + i] + rest * b, a1 = rest * b1 - b;
        s->k[6][i] = per * (a + theta * a1);
    }
    s->dense_end = theta;
    s->step *= theta;
}

void ff_stepper_accept(ff_stepper *s) {
    s->taken = true;
    s->sloped = false;
}

void ff_stepper_rates(const ff_stepper *s, double *out) {
    ff_stepper_fetch(s);
    memcpy(out, s->taken ? s->k[6] : s->k[0], s->n * sizeof *out);
}

void ff_stepper_resume(ff_stepper *s, const double *rates, long evaluations) {
    memcpy(s->k[0], rates, s->n * sizeof *rates);
    s->fetch = NULL;
    s->taken = s->sloped = false;
    s->evaluations = evaluations;
}

void ff_stepper_stiffness(ff_stepper *s, ff_method method, const double *per_weight) {
    if (s->elsewhere || (method != FF_DOPRI5 && method != FF_DOP853)) {
        return;
    }
    const double *last = method == FF_DOPRI5 ? s->k[5] : s->k[2];
    double rates = 0, places = 0;
    for (size_t i = 0; i < s->states; i++) {
        double rate = (s->k[6][i] - last[i]) * per_weight[i];
        double place = (s->y1[i] - s->stage[i]) * per_weight[i];
        rates += rate * rate;
        places += place * place;
    }
    s->stiffness = places > 0 ? s->step * sqrt(rates / places) : 0;
}

/* ---- for implicit methods ---- */

/* The columns of df/dy by finite differences. */
static ff_status differences(ff_stepper *s, double x, const double *y) {
    const size_t m = s->active_count;
    s->fold.used = false;
    ff_sparse_resize(s->matrix, m, 0);
    double *out = ff_sparse_full(s->matrix), *f = s->k[5];
    if (!out) {
        return FF_NO_MEMORY;
    }
    memcpy(s->stage, y, s->states * sizeof *y);
    for (size_t b = 0; b < m; b++) {
        /* square root of the precision: rounding and curvature errors are then of equal size */
        size_t j = s->active[b];
        double step = 1.5e-8 * fmax(fabs(y[j]), s->scales ? s->scales[j] : 1);
        s->stage[j] = y[j] + step;
        step = s->stage[j] - y[j];
        ff_evaluate(s, x, s->stage, f);
        s->evaluations++;
        for (size_t a = 0; a < m; a++) {
            size_t i = s->active[a];
            out[a * m + b] = (f[i] - s->k[0][i]) / step;
        }
        s->stage[j] = y[j];
    }
    return FF_OK;
}

static ff_status known_slopes(ff_stepper *s, double x, const double *y) {
    ff_fold *fold = &s->fold;
    fold->used = false;
    ff_sparse_begin(s->matrix);
    s->jacobian(s->user, x, y, s->matrix);
    s->evaluations++;
    ff_sparse_resize(s->matrix, fold->used ? fold->rows : s->active_count,
                     fold->used ? fold->fixed : 0);
    return ff_sparse_end(s->matrix);
}

bool ff_stepper_find_slopes(ff_stepper *s, double x, const double *y) {
    if (!s->sloped) {
        ff_status status = s->jacobian ? known_slopes(s, x, y) : differences(s, x, y);
        s->answer = s->answer == 0 ? (int)status : s->answer;
        s->sloped = s->answer == 0;
    }
    return s->sloped;
}

double ff_stepper_solve_flops(const ff_stepper *s, ff_method method) {
    const ff_sparse *m = s->matrix;
    const double solves = ff_methods[method].solves;
    return m && solves > 0 && (m->ready || m->full) ? m->factor_flops + solves * m->solve_flops : 0;
}

double ff_stepper_quadratures(ff_stepper *s, double x, const double *y, double h,
                              const double *per_weight) {
    double error = 0;
    if (s->states == s->n) {
        return 0;
    }
    /* Hermite's cubic at the middle: (y0 + y1)/2 + h (f0 - f1)/8 */
    for (size_t i = 0; i < s->states; i++) {
        s->stage[i] = (y[i] + s->y1[i]) / 2 + h * (s->k[0][i] - s->k[6][i]) / 8;
    }
    memcpy(s->stage + s->states, y + s->states, (s->n - s->states) * sizeof *y);
    evaluate(s, 1, x + h / 2, s->stage);
    for (size_t i = s->states; i < s->n; i++) {
        s->y1[i] = y[i] + h / 6 * (s->k[0][i] + 4 * s->k[1][i] + s->k[6][i]);
        /* difference from the trapezoidal rule, two orders lower */
        double gap = h / 3 * fabs(s->k[0][i] - 2 * s->k[1][i] + s->k[6][i]) / 10;
        error = ff_worse(error, gap * per_weight[i]);
    }
    return error;
}
