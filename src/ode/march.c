/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "march.h"
#include "bracket.h"
#include "grid.h"
#include <math.h>
#include <string.h>

/* a function this small against its largest value so far is rounding: its sign says nothing */
#define NOISE 1e-13
/* how far behind a root a step aims, as a part of it, and how often before it gets shorter as its error says */
#define BEHIND(tol) fmin(1e-3, sqrt(tol))
#define ROOT_TRIES 4

size_t ff_march_room(size_t n, size_t functions) { return 4 * n + 7 * functions; }

void ff_march_init(ff_march *m, double *memory, bool *above) {
    double **of_n[] = {&m->y, &m->per_weight, &m->last_y, &m->scratch};
    double **of_functions[] = {&m->g0, &m->g1, &m->g, &m->early, &m->late, &m->size, &m->noise};
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++, memory += m->stepper.n) {
        *of_n[i] = memory;
    }
    for (size_t i = 0; i < sizeof of_functions / sizeof *of_functions; i++) {
        *of_functions[i] = memory;
        memory += m->roots + m->held;
    }
    for (size_t i = 0; i < m->roots + m->held; i++) {
        m->noise[i] = NOISE;
    }
    m->above = above;
    m->method = m->asked == FF_AUTO ? FF_DOPRI5 : m->asked;
}

static void choose(ff_march *m, ff_method method) {
    m->statistics.switches += method != m->method;
    m->method = method;
    m->stiff = 0;
}

void ff_march_restart(ff_march *m, double step) {
    if (m->asked == FF_AUTO) {
        choose(m, FF_DOPRI5);
    }
    m->step = ff_method_own_steps(m->method) ? HUGE_VAL
              : !ff_method_order(m->method)  ? m->dt
                                             : fmax(step, m->least);
    m->fresh = true;
}

static bool finite(const double *y, size_t n) {
    /* two sums, since each waits for its last */
    double even = 0, odd = 0;
    for (size_t i = 0; i + 1 < n; i += 2) {
        even += y[i] - y[i];
        odd += y[i + 1] - y[i + 1];
    }
    return even + odd + (y[n - 1] - y[n - 1]) == 0;
}

/* ---- roots ---- */

/* How far a function is beyond 0 on the side that it is not on; negative while it is where it was. */
static double beyond(const ff_march *m, size_t i, double g) { return m->above[i] ? -g : g; }

static bool crossed(const ff_march *m, size_t i, double g) {
    return beyond(m, i, g) > m->noise[i] * m->size[i];
}

/* All functions on the interpolant of the step last tried. */
static void inside(ff_march *m, double theta, double *g) {
    ff_stepper_states_at(&m->stepper, theta, m->scratch);
    m->values(m->user, m->time + theta * m->stepper.step, m->scratch, false, g);
}

/* Where in a step a function comes to the other side of 0 and back, if it does: its slopes at both ends, by
 * differences over a thousandth of the step along f, must say so, and so must the cubic that they give. */
static double dip(ff_march *m, size_t i) {
    double g0 = -beyond(m, i, m->g0[i]), g1 = -beyond(m, i, m->g1[i]);
    double s0 = 1000 * (-beyond(m, i, m->early[i]) - g0),
           s1 = 1000 * (g1 + beyond(m, i, m->late[i]));
    if (!(s0 < 0 && s1 > 0 && g0 > 0 && g1 > 0)) {
        return 0;
    }
    double rise = g1 - g0, c = s0 - rise, d = rise - s1 - c, low = g0, at = 0;
    for (int k = 1; k < 16; k++) {
        double x = k / 16.0, g = g0 + x * (rise + (1 - x) * (c + x * d));
        if (g < low) {
            low = g;
            at = x;
        }
    }
    if (low > 0.25 * fmin(g0, g1)) {
        return 0;
    }
    /* golden section around the lowest point of the cubic */
    double left = fmax(at - 1.0 / 16, 0), right = fmin(at + 1.0 / 16, 1);
    const double part = 0.3819660112501051;
    ff_stepper_dense(&m->stepper, m->method, m->time, m->y, m->stepper.step);
    for (int turn = 0; turn < 30; turn++) {
        double a = left + part * (right - left), b = right - part * (right - left);
        inside(m, a, m->g);
        double at_a = m->g[i];
        inside(m, b, m->g);
        if (crossed(m, i, at_a) || crossed(m, i, m->g[i])) {
            return crossed(m, i, at_a) ? a : b;
        }
        if (beyond(m, i, at_a) > beyond(m, i, m->g[i])) {
            right = b;
        } else {
            left = a;
        }
    }
    return 0;
}

/* The first of all dips of a step, or 0. */
static double first_dip(ff_march *m) {
    ff_stepper *s = &m->stepper;
    const double h = s->step;
    double first = 0;
    if (ff_method_own_steps(m->method)) {
        return 0;
    }
    for (size_t j = 0; j < s->states; j++) {
        m->scratch[j] = m->y[j] + 1e-3 * h * s->k[0][j];
    }
    m->values(m->user, m->time + 1e-3 * h, m->scratch, false, m->early);
    for (size_t j = 0; j < s->states; j++) {
        m->scratch[j] = s->y1[j] - 1e-3 * h * s->k[6][j];
    }
    m->values(m->user, m->time + 0.999 * h, m->scratch, false, m->late);
    for (size_t i = 0; i < m->roots; i++) {
        double at = dip(m, i);
        first = at > 0 && (first == 0 || at < first) ? at : first;
    }
    return first;
}

/* The place of the root of one function that is on its side at `low` and beyond at `high`. */
static double root_of(ff_march *m, size_t i, double low, double g_low, double high, double g_high) {
    ff_bracket b = {.low = low, .g_low = g_low, .high = high, .g_high = g_high};
    while (ff_bracket_open(&b)) {
        double at = ff_bracket_guess(&b);
        inside(m, at, m->g);
        ff_bracket_narrow(&b, at, beyond(m, i, m->g[i]));
    }
    return b.high;
}

/* The first root within the step last tried: which function, and where, 0 for one that is past already at its
 * start. False where there is none. */
static bool first_root(ff_march *m, size_t *root, double *theta) {
    bool any = false;
    for (size_t i = 0; i < m->roots; i++) {
        any = any || crossed(m, i, m->g1[i]);
    }
    double dips = first_dip(m), end = dips > 0 ? dips : 1;
    if (!any && dips == 0) {
        return false;
    }
    ff_stepper_dense(&m->stepper, m->method, m->time, m->y, m->stepper.step);
    *root = m->roots;
    for (size_t i = 0; i < m->roots; i++) {
        /* whether it has changed before the first root so far */
        if (end < 1) {
            inside(m, end, m->g);
        }
        double low = 0, g_low = beyond(m, i, m->g0[i]), g_high = end < 1 ? m->g[i] : m->g1[i];
        if (!crossed(m, i, g_high)) {
            continue;
        }
        *root = i;
        for (int k = 0; k < 6 && !(g_low < 0); k++) {
            /* at 0 at the start by rounding, or past it: is it on its side a little later? */
            low = end * (1 << k) / 64.0;
            inside(m, low, m->g);
            g_low = beyond(m, i, m->g[i]);
        }
        end = g_low < 0 ? root_of(m, i, low, g_low, end, beyond(m, i, g_high)) : 0;
        if (end == 0) {
            break;
        }
    }
    *theta = end;
    return *root < m->roots;
}

/* Ends the step exactly at a root: it is taken anew with the length that the interpolant gives, and corrected
 * by Newton's method with the interpolant's slope until it stands still. */
static void shorten(ff_march *m, size_t root, double theta) {
    ff_stepper *s = &m->stepper;
    if (ff_method_own_steps(m->method)) {
        ff_stepper_cut(s, theta);
        return;
    }
    double step = s->step, h = theta * step, part = 1e-3 * theta, g[2];
    for (int side = 0; side < 2; side++) {
        inside(m, theta + (side ? part : -part), m->g);
        g[side] = m->g[root];
    }
    double slope = (g[1] - g[0]) / (2 * part * step);
    for (int turn = 0;; turn++) {
        ff_stepper_try(s, m->method, m->time, m->y, h, m->per_weight);
        m->values(m->user, m->time + h, s->y1, ff_method_ends_last(m->method), m->g);
        double change = -m->g[root] / slope, part_of = change / h;
        if (turn == 3 || !isfinite(change) || fabs(part_of) < 1e-11 || fabs(part_of) > 0.1) {
            return;
        }
        if (part_of * part_of < 1e-3 * m->tol) {
            /* so short a way is straight: its curvature is of the order of the square */
            for (size_t i = 0; i < s->n; i++) {
                s->y1[i] += change * s->k[6][i];
            }
            s->step = h + change;
            return;
        }
        h += change;
    }
}

/* ---- steps ---- */

/* Explicit steps that do not grow, though even the trapezoidal rule would be good enough over them, are limited
 * by stability and not by accuracy: ten in a row are left to the implicit method. */
static void watch_stiffness(ff_march *m, double taken, double factor) {
    if (m->asked != FF_AUTO || m->method != FF_DOPRI5 || m->unable) {
        return;
    }
    m->stiff = m->stepper.bend < 25 && factor < 2 ? m->stiff + 1 : 0;
    if (m->stiff >= 10) {
        choose(m, m->tol < 2e-5 ? FF_RODAS : FF_ROSENBROCK);
        m->step = fmax(taken, m->least);
    }
}

/* The step last tried is taken; it ends at `time`. */
static void take(ff_march *m, double time) {
    m->statistics.steps++;
    m->statistics.method_steps[m->method]++;
    memcpy(m->last_y, m->y, m->stepper.n * sizeof *m->y);
    memcpy(m->y, m->stepper.y1, m->stepper.n * sizeof *m->y);
    m->last_time = m->time;
    m->last_step = m->stepper.step;
    m->last_method = m->method;
    m->time = time;
}

/* Which of the functions that must not be negative is, by more than errors of the tolerance can explain, or is no
 * number; SIZE_MAX if none. */
static size_t fallen(const ff_march *m, const double *g) {
    for (size_t i = m->roots; i < m->roots + m->held; i++) {
        if (!(g[i] >= -10 * m->tol * m->size[i])) {
            return i;
        }
    }
    return SIZE_MAX;
}

static void note_sizes(ff_march *m, const double *g) {
    for (size_t i = 0; i < m->roots + m->held; i++) {
        /* as fmax(), which is a call */
        m->size[i] = fabs(g[i]) > m->size[i] ? fabs(g[i]) : m->size[i];
    }
}

/* A step that was tried and is good ends where it reaches `aim` or the first root. */
static ff_status finish(ff_march *m, double aim, size_t *root) {
    ff_stepper *s = &m->stepper;
    const bool locate = m->locate && m->roots > 0;
    const double h = s->step, *end = m->g1;
    double theta = 1;
    bool whole = h == aim - m->time;
    m->values(m->user, m->time + h, s->y1, ff_method_ends_last(m->method), m->g1);
    bool found = locate && first_root(m, root, &theta);
    if (found && theta == 0) {
        m->above[*root] = !m->above[*root];
        return FF_EVENT;
    }
    if (found && theta < 1) {
        shorten(m, *root, theta);
        end = m->g;
        whole = false;
        if (!finite(s->y1, s->n)) {
            return FF_NO_CONVERGENCE;
        }
    }
    size_t bad = fallen(m, end);
    if (bad != SIZE_MAX) {
        *root = bad;
        m->held_value = end[bad];
        return FF_BAD_VALUE;
    }
    double time = m->time + s->step;
    take(m, whole ? aim : ff_method_fixed(m->method) ? ff_on_grid(time, m->dt) : time);
    note_sizes(m, end);
    if (found) {
        m->above[*root] = !m->above[*root];
        m->step = fmax(h, m->least);
        return FF_EVENT;
    }
    ff_stepper_accept(s);
    memcpy(m->g0, m->g1, m->roots * sizeof *m->g0);
    return FF_OK;
}

/* Where a step that was refused passes the first root, as a part of it, 0 where it passes none: beyond the root is
 * what the step's error came from, perhaps. A step to a little behind it has less of that, and finds the root better. */
static double root_ahead(ff_march *m) {
    ff_stepper *s = &m->stepper;
    size_t root;
    double theta = 0;
    bool any = false;
    if (!m->locate || ff_method_own_steps(m->method) || !finite(s->y1, s->n)) {
        return 0;
    }
    m->values(m->user, m->time + s->step, s->y1, false, m->g1);
    for (size_t i = 0; i < m->roots; i++) {
        any = any || crossed(m, i, m->g1[i]);
    }
    return any && first_root(m, &root, &theta) ? theta * (1 + BEHIND(m->tol)) : 0;
}

ff_status ff_march_step(ff_march *m, double aim, size_t *root) {
    ff_stepper *s = &m->stepper;
    const int order = ff_method_order(m->method);
    const double wish = m->step;
    int tries = 0;
    m->last_step = 0;
    *root = SIZE_MAX;
    if (m->fresh) {
        ff_stepper_start(s, m->time, m->y);
        m->values(m->user, m->time, m->y, !s->sundials, m->g0);
        note_sizes(m, m->g0);
        m->fresh = false;
    }
    for (int attempt = 0; attempt < 200; attempt++) {
        /* no sliver of a step is left over by rounding */
        double most = aim - m->time, h = most < m->step * (1 + 1e-9) ? most : m->step;
        double error;
        if (ff_stepper_broken(s, m->method, m->time, m->y, h, m->per_weight, &error)) {
            return FF_STOPPED;
        }
        h = s->step;
        m->statistics.rejected += s->refused;
        double factor = ff_method_factor(m->method, error);
        if (!order && !finite(s->y1, s->n)) {
            return FF_BAD_VALUE;
        }
        if (!(error <= 1)) {
            double part = order && tries < ROOT_TRIES ? root_ahead(m) : 0;
            /* one at the very start is no aim: what is left of the step is too short to be one */
            bool to_root = part > 1e-6 && part < 0.9 && m->time + part * h > m->time;
            tries += to_root;
            m->step = h * (to_root ? part : fmin(factor, 1));
            m->statistics.rejected++;
            if (m->time + m->step == m->time) {
                return isfinite(error) ? FF_TOO_STIFF : FF_BAD_VALUE;
            }
            continue;
        }
        ff_status status = finish(m, aim, root);
        m->statistics.evaluations = s->evaluations;
        if (status == FF_NO_CONVERGENCE) {
            m->step = 0.1 * h;
            m->statistics.rejected++;
            continue;
        }
        if (status == FF_EVENT && tries > 0) {
            /* it was the root that made steps short */
            m->step = fmax(m->step, wish);
        }
        if (status != FF_OK) {
            return status;
        }
        if (ff_method_own_steps(m->method)) {
            m->step = HUGE_VAL;
        } else if (order && h >= m->step * (1 - 1e-8)) {
            /* a step cut short by `aim` says nothing of the next */
            m->step = h * factor;
            watch_stiffness(m, h, factor);
        }
        return FF_OK;
    }
    return FF_TOO_STIFF;
}

void ff_march_at(ff_march *m, double time, double *out) {
    ff_stepper_dense(&m->stepper, m->last_method, m->last_time, m->last_y, m->last_step);
    ff_stepper_at(&m->stepper, (time - m->last_time) / m->last_step, out);
}
