/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "flow.h"
#include "num/bracket.h"
#include <float.h>
#include <stdint.h>

/* Location of the first root of a system's functions within a step (docs/theory.md, Events and modes). */

/* time at the fraction theta of a step */
static double time_at(const ff_flow *f, double theta) {
    return ff_clock_time(&f->now.clock, f->now.clock.x + theta * f->stepper.step);
}

/* Adds what the rates do not include, for functions that depend on all states. */
static void carry(ff_flow *f, double theta, double *to) {
    if (f->carries_roots) {
        f->system->carry(f->self, &(ff_span){&f->now.clock, f->stepper.step, f->y}, theta, to);
    }
}

/* Evaluates a function within the last step tried, whose interpolant is prepared. */
static void root_at(ff_flow *f, size_t i, double theta, ff_root *out) {
    if (theta == 1) {
        /* use the exact end: the interpolant differs from it by rounding */
        f->system->root(f->self, time_at(f, 1), f->stepper.y1, i, out);
        return;
    }
    const ff_reads reads = f->system->reads ? f->system->reads(f->self, i) : (ff_reads){0};
    for (int k = 0; k < reads.parts; k++) {
        ff_stepper_part_at(&f->stepper, theta, reads.part[k].from, reads.part[k].count, f->scratch);
    }
    if (reads.parts == 0) {
        ff_stepper_states_at(&f->stepper, theta, f->scratch);
        carry(f, theta, f->scratch);
    }
    f->system->root(f->self, time_at(f, theta), f->scratch, i, out);
}

static void make_dense(ff_flow *f) {
    ff_stepper_dense(&f->stepper, f->now.method, f->now.clock.x, f->y, f->stepper.step);
}

/* ---- slopes by differences ---- */

/* Slopes of functions without known slopes at (x, y), by differences along the rates dy/dx over a distance `by` in x. */
static void find_slopes(ff_flow *f, double x, const double *y, const double *rates, double by,
                        ff_root *at) {
    if (!f->slopeless) {
        return;
    }
    for (size_t j = 0; j < f->states; j++) {
        f->scratch[j] = y[j] + by * rates[j];
    }
    const double t = ff_clock_time(&f->now.clock, x), near = ff_clock_time(&f->now.clock, x + by);
    f->system->roots(f->self, near, f->scratch, FF_KNOWN_NOTHING, f->near);
    for (size_t i = 0; i < f->roots; i++) {
        if (at[i].course == FF_COURSE_SMOOTH && isnan(at[i].slope)) {
            at[i].slope = (f->near[i].g - at[i].g) / (near - t);
        }
    }
}

/* fraction of a step over which functions are nearly linear and differences exceed rounding */
#define SHORT_WAY 1e-3

void ff_flow_slopes_here(ff_flow *f) {
    find_slopes(f, f->now.clock.x, f->y, f->stepper.k[0], SHORT_WAY * f->now.step, f->here);
}

/* Evaluates all functions at the end of the last step tried. */
static void look_at_end(ff_flow *f, ff_known known) {
    ff_stepper *s = &f->stepper;
    if (f->slopeless || f->carries_roots) {
        ff_stepper_fetch(s);
    }
    carry(f, 1, s->y1);
    f->system->roots(f->self, time_at(f, 1), s->y1, known, f->end);
    find_slopes(f, f->now.clock.x + s->step, s->y1, s->k[6], -SHORT_WAY * s->step, f->end);
}

/* ---- dips: a function that leaves its side and comes back within a step ---- */

static inline double larger(double a, double b) { return a > b ? a : b; }

/* maximum of z + v t + a t^2/2 for 0 <= t <= h */
static double peak(double z, double v, double a, double h) {
    double most = larger(z, z + h * (v + a * h / 2));
    return a < 0 && v > 0 && v < -a * h ? z - v * v / (2 * a) : most;
}

/* The largest value that a smooth function may have between two points: it lies below the two parabolas that leave the points
 * with its slopes and the largest acceleration. The latter is that of the cubic through both points, plus half of its magnitude
 * and all of its change. */
static double smooth_most(double h, const ff_root *a, const ff_root *b) {
    const double mean = (b->g - a->g) / h;
    double first = (6 * mean - 4 * a->slope - 2 * b->slope) / h;
    double last = (2 * a->slope + 4 * b->slope - 6 * mean) / h;
    double most = larger(first, last) + larger(fabs(first), fabs(last)) / 2 + fabs(last - first);
    return larger(peak(a->g, a->slope, most, h / 2), peak(b->g, -b->slope, most, h / 2));
}

/* A sufficient condition without divisions for a smooth function that is far from its roots: with the larger slope s and the
 * rise r between the points, the accelerations above are at most F = (6 |r|/h + 8 s)/h, the largest one at most 3.5 F, and the
 * parabolas rise by at most s h/2 + 3.5 F h^2/8 < 4.1 h s + 2.7 |r|. */
static inline bool far_apart(double h, const ff_root *a, const ff_root *b) {
    const double slope = larger(fabs(a->slope), fabs(b->slope));
    return larger(a->g, b->g) + 4.1 * h * slope + 2.7 * fabs(b->g - a->g) < 0;
}

/* a few units in the last place */
#define ROUNDING (8 * DBL_EPSILON)

/* Whether function i cannot rise above its noise between two points at which it does not. */
static bool excluded(ff_flow *f, size_t i, const ff_step_part *p) {
    const ff_root *a = p->a, *b = p->b;
    if (!(p->h > 0)) {
        return true;
    }
    /* rounding of values of this size counts as noise: it is not known of a user's function before its first step */
    const double noise = larger(larger(a->noise, b->noise), ROUNDING * (fabs(a->g) + fabs(b->g)));
    return a->course == FF_COURSE_BOUNDED
               ? f->system->most(f->self, i, p) <= noise
               : far_apart(p->h, a, b) || smooth_most(p->h, a, b) <= noise;
}

/* A function at a fraction of the last step tried. */
static void root_between(ff_flow *f, size_t i, double theta, ff_root *out) {
    make_dense(f);
    root_at(f, i, theta, out);
    if (isnan(out->slope)) {
        ff_root near;
        const double to = theta + SHORT_WAY * (theta < 0.5 ? 1 - theta : -theta);
        root_at(f, i, to, &near);
        out->slope = (near.g - out->g) / (time_at(f, to) - time_at(f, theta));
    }
}

typedef enum dip { DIP_NONE, DIP_FOUND, DIP_OPEN } dip;

/* Finds where function i disagrees in a part of the step: `beyond`, without a root before `low`. Parts are halved, the earlier half
 * first, until all are excluded. DIP_OPEN: a function that its system bounds is excluded only before theta. */
static dip find_dip(ff_flow *f, size_t i, const ff_step_part *p, int *left, ff_crossing *out) {
    if (excluded(f, i, p)) {
        return DIP_NONE;
    }
    if (*left == 0) {
        out->theta = p->from;
        return p->a->course == FF_COURSE_BOUNDED ? DIP_OPEN : DIP_NONE;
    }
    --*left;
    const double middle = (p->from + p->to) / 2, t = time_at(f, middle);
    ff_root m;
    root_between(f, i, middle, &m);
    if (ff_root_disagrees(&m)) {
        out->low = p->from;
        out->g_low = p->a->g;
        out->beyond = middle;
        return DIP_FOUND;
    }
    const ff_step_part first = {p->from, middle, t - time_at(f, p->from), p->a, &m},
                       second = {middle, p->to, time_at(f, p->to) - t, &m, p->b};
    const dip before = find_dip(f, i, &first, left, out);
    return before == DIP_NONE ? find_dip(f, i, &second, left, out) : before;
}

/* Finds where function i, whose course is known, disagrees before theta: the end of the step, or a root of the function that its
 * interpolant has there. */
static dip dips_before(ff_flow *f, size_t i, double theta, ff_crossing *out) {
    /* a grazing contact is located in about 60, a pulse of a millionth of a step in about 40 */
    enum { LOOKS = 200 };
    ff_root late = f->end[i];
    int left = LOOKS;
    if (theta < 1) {
        root_between(f, i, theta, &late);
    }
    if (late.g > 0) {
        /* just past a root */
        late.g = 0;
    }
    const ff_step_part all = {0, theta, time_at(f, theta) - time_at(f, 0), &f->here[i], &late};
    return find_dip(f, i, &all, &left, out);
}

/* Whether function i, which agrees at three points x, disagrees at its maximum between them. The maximum is approached by
 * parabolas through the highest point so far and its neighbours. The search ends when the next point is not expected to reach the
 * noise: the vertex of the parabola, plus its height above the highest point and a hundredth of the curvature for its error. */
static bool peaks(ff_flow *f, size_t i, double x[3], double g[3], double *theta) {
    /* two or three are usual; the bound is for functions that are not smooth */
    enum { LOOKS = 12 };
    for (int look = 0; look < LOOKS; look++) {
        const double rise = (g[1] - g[0]) / (x[1] - x[0]),
                     bend = ((g[2] - g[1]) / (x[2] - x[1]) - rise) / (x[2] - x[0]);
        const double at = (x[0] + x[1]) / 2 - rise / (2 * bend),
                     top = g[0] + (at - x[0]) * (rise + bend * (at - x[1])),
                     more = larger(top - g[1], 0) - 0.01 * bend * (x[2] - x[0]) * (x[2] - x[0]);
        ff_root here;
        if (!(bend < 0 && at > x[0] && at < x[2] && at != x[1] && top + more > f->end[i].noise)) {
            return false;
        }
        root_at(f, i, at, &here);
        if (ff_root_disagrees(&here)) {
            *theta = at;
            return true;
        }
        /* the highest point and its neighbours */
        const int low = at < x[1] ? 0 : 2;
        if (here.g > g[1]) {
            x[2 - low] = x[1];
            g[2 - low] = g[1];
            x[1] = at;
            g[1] = here.g;
        } else {
            x[low] = at;
            g[low] = here.g;
        }
    }
    return false;
}

/* Whether a function whose course is unknown would have left its side by the end of a step of duration h at its mean slope over the
 * step before: it has either turned back earlier, or left and returned, such as the force of a contact that is pulled for a short time. Kinks,
 * which are not reported, are left to error control. */
static inline bool was_leaving(const ff_flow *f, size_t i, double h) {
    const ff_root *from = &f->here[i];
    return from->g + h * from->slope > from->noise && from->course == FF_COURSE_UNKNOWN &&
           ff_root_agrees(from) && f->kinds[i] != FF_ROOT_HELD && f->kinds[i] != FF_ROOT_KINK;
}

/* Finds one of the first functions in `fired` that disagrees within the last step tried, though not at its end: theta of a point
 * where it does. */
static bool any_return(ff_flow *f, size_t count, size_t *root, double *theta) {
    enum { PARTS = 8 };
    for (size_t n = 0; n < count; n++) {
        const size_t i = f->fired[n];
        const ff_root *from = &f->here[i];
        double g[PARTS + 1] = {[0] = from->g, [PARTS] = f->end[i].g};
        int most = 1;
        make_dense(f);
        for (int k = 1; k < PARTS; k++) {
            ff_root at;
            root_at(f, i, (double)k / PARTS, &at);
            if (ff_root_disagrees(&at)) {
                *root = i;
                *theta = (double)k / PARTS;
                return true;
            }
            g[k] = at.g;
            most = g[k] > g[most] ? k : most;
        }
        double x[3] = {(most - 1.0) / PARTS, (double)most / PARTS, (most + 1.0) / PARTS};
        if (peaks(f, i, x, g + most - 1, theta)) {
            *root = i;
            return true;
        }
    }
    return false;
}

/* ---- the first root ---- */

/* For a function that was undecided at the start of a step and disagrees at b->high: narrows the interval to where it
 * leaves the side it agrees on. False if it agrees nowhere: it was past its root from the start. */
static bool agrees_later(ff_flow *f, size_t i, ff_bracket *b) {
    const double now = time_at(f, 0);
    for (double at = b->high / 2; time_at(f, at) > now; at /= 2) {
        ff_root root;
        root_at(f, i, at, &root);
        if (ff_root_agrees(&root)) {
            b->low = at;
            b->g_low = root.g;
            return true;
        }
        if (root.g > 0) {
            b->high = at;
            b->g_high = root.g;
        }
    }
    return false;
}

/* Narrows the first root so far, out->theta, to that of function i, which disagrees at `high`. */
static bool narrow(ff_flow *f, size_t i, double high, double g_high, ff_crossing *out) {
    ff_bracket b = {.low = out->low, .g_low = out->g_low, .high = high, .g_high = g_high};
    if (out->low == 0 && !ff_root_agrees(&f->here[i]) && !agrees_later(f, i, &b)) {
        return false;
    }
    while (ff_bracket_open(&b)) {
        ff_root within;
        double at = ff_bracket_guess(&b);
        root_at(f, i, at, &within);
        ff_bracket_narrow(&b, at, within.g);
    }
    out->theta = b.high;
    return true;
}

/* Whether function i, whose course is known, may leave its side and return within the step, which takes time h. Slopes at both ends
 * tell of a smooth one, since steps are short compared with it. */
static inline bool may_return(ff_flow *f, size_t i, double h) {
    const ff_root *from = &f->here[i], *to = &f->end[i];
    const bool late = ff_root_disagrees(to);
    if (ff_root_disagrees(from) || from->course != to->course) {
        return false;
    }
    if (from->course == FF_COURSE_SMOOTH) {
        return from->slope > 0 && to->slope < 0 && !late;
    }
    if (late || from->course == FF_COURSE_UNKNOWN) {
        return from->course != FF_COURSE_UNKNOWN;
    }
    return !excluded(f, i, &(ff_step_part){0, 1, h, from, to});
}

/* A step is made shorter so many times because a function has no bound, then what it does is left to its values: one that stays at
 * 0, such as the distance from where a body rests. */
enum { OPENED_MOST = 4 };

/* Finds the first root of function i, if it is before that found so far, at out->theta. */
static ff_search search_one(ff_flow *f, size_t i, bool late, bool returns, bool found,
                            ff_crossing *out) {
    ff_crossing own = {i, out->theta, 0, f->here[i].g, 1};
    if (late) {
        /* past its root before the first root so far? */
        ff_root at = f->end[i];
        if (found) {
            root_at(f, i, own.theta, &at);
        }
        if (ff_root_disagrees(&at)) {
            make_dense(f);
            if (!narrow(f, i, own.theta, at.g, &own)) {
                *out = own;
                return FF_SEARCH_NOW;
            }
            *out = own;
            found = true;
        }
    }
    /* does it leave its side and return before that? */
    while (returns) {
        const dip is = dips_before(f, i, out->theta, &own);
        const bool open = is == DIP_OPEN;
        if (is == DIP_NONE ||
            (open && (f->opened >= OPENED_MOST || ff_method_fixed(f->now.method)))) {
            f->now.doubtful += open;
            break;
        }
        f->opened += open;
        ff_root past;
        if (is == DIP_FOUND) {
            root_at(f, i, own.beyond, &past);
        }
        if (open || !narrow(f, i, own.beyond, past.g, &own)) {
            *out = own;
            return open ? FF_SEARCH_OPEN : FF_SEARCH_NOW;
        }
        *out = own;
        found = true;
    }
    return found ? FF_SEARCH_FOUND : FF_SEARCH_NONE;
}

ff_search ff_flow_search(ff_flow *f, ff_known known, bool all, size_t but, ff_crossing *out) {
    ff_search is = FF_SEARCH_NONE;
    look_at_end(f, known);
    out->theta = 1;
    const double h = time_at(f, 1) - time_at(f, 0);
    size_t leaving = 0;
    for (size_t i = 0; i < f->roots && is <= FF_SEARCH_FOUND; i++) {
        const ff_root *to = &f->end[i];
        const bool late = ff_root_disagrees(to);
        if (to->course == FF_COURSE_UNKNOWN && !late) {
            if (was_leaving(f, i, h) && i != but) {
                f->fired[leaving++] = i;
            }
            continue;
        }
        /* the function at whose root the step ends is excluded */
        if (i == but || f->kinds[i] == FF_ROOT_HELD ||
            (!all && (ff_flow_is_edge(f, i) || ff_flow_exhausted(f, i)))) {
            continue;
        }
        const bool returns = may_return(f, i, h);
        if (late || returns) {
            is = search_one(f, i, late, returns, is == FF_SEARCH_FOUND, out);
        }
    }
    size_t root;
    double high = 1;
    if (is == FF_SEARCH_NONE && (any_return(f, leaving, &root, &high) ||
                                 (f->insides && f->system->inside(f->self, but, &root, &high)))) {
        ff_root past;
        root_at(f, root, high, &past);
        *out = (ff_crossing){root, 1, 0, f->here[root].g, high};
        is = narrow(f, root, high, past.g, out) ? FF_SEARCH_FOUND : FF_SEARCH_NOW;
    }
    return is;
}

double ff_flow_edge(ff_flow *f) {
    /* the target need not be exact */
    const double width = fmin(1e-3, sqrt(f->tol));
    /* unless f has asked for a shorter step, its last evaluation was at the end */
    const bool rated = ff_method_ends_last(f->now.method) && f->stepper.answer == 0;
    double first = 0;
    f->system->roots(f->self, time_at(f, 1), f->stepper.y1,
                     rated ? FF_KNOWN_RATES : FF_KNOWN_NOTHING, f->end);
    for (size_t i = 0; i < f->roots; i++) {
        if (!ff_flow_is_edge(f, i) || !ff_root_disagrees(&f->end[i]) ||
            !ff_root_agrees(&f->here[i])) {
            continue;
        }
        make_dense(f);
        ff_root late = f->end[i];
        if (first > 0) {
            root_at(f, i, first, &late);
        }
        ff_bracket b = {.g_low = f->here[i].g, .high = first > 0 ? first : 1, .g_high = late.g};
        while (ff_root_disagrees(&late) && ff_bracket_wider(&b, width * b.high)) {
            ff_root within;
            double at = ff_bracket_guess(&b);
            root_at(f, i, at, &within);
            ff_bracket_narrow(&b, at, within.g);
        }
        /* beyond the root by less than `width` */
        first = ff_root_disagrees(&late) ? b.high * (1 + width) : first;
    }
    return first;
}

/* ---- ending a step there ---- */

/* The function at the end of a step of length h in x. */
static ff_root root_at_end(ff_flow *f, size_t i, double h) {
    ff_root out;
    f->stepper.step = h;
    carry(f, 1, f->stepper.y1);
    f->system->root(f->self, time_at(f, 1), f->stepper.y1, i, &out);
    return out;
}

/* Moves the end of the last step tried along its rates, which is accurate over so short a distance, until the root function
 * is 0 to rounding or past its root. False if that fails. */
static bool polish(ff_flow *f, double *h, double slope, size_t i) {
    for (int turn = 0; turn < 8; turn++) {
        ff_root root = root_at_end(f, i, *h);
        /* from the third iteration on, rounding may be larger than estimated: go twice as far to pass the root */
        double change = -root.g / slope * (turn < 3 ? 1 : 2);
        if (!ff_root_agrees(&root) && (turn > 2 || !ff_root_disagrees(&root))) {
            return true;
        }
        if (!(fabs(change) < 1e-6 * *h)) {
            return false;
        }
        for (size_t j = 0; j < f->n; j++) {
            f->stepper.y1[j] += change * f->stepper.k[6][j];
        }
        *h += change;
    }
    return false;
}

/* Moves the end of the last step tried, where the function is `miss`, to its root along the interpolant. False, and nothing
 * is moved, if the root is too far. Explicit methods only: an implicit step may be so long that its end has large rates
 * that decay at once. */
static bool approach(ff_flow *f, double *h, double slope, double miss, size_t i) {
    /* farthest root, as a fraction of the step: the error is then below 1e-4 of that of the interpolant */
    const double farthest = 1e-2;
    double theta = 1, change = -miss / (slope * *h);
    if (ff_method_implicit(f->now.method) || !(fabs(change) <= farthest)) {
        return false;
    }
    make_dense(f);
    for (int turn = 0; turn < 8 && fabs(change) > 1e-12; turn++) {
        ff_root root;
        theta += change;
        if (!(fabs(theta - 1) <= farthest)) {
            return false;
        }
        root_at(f, i, theta, &root);
        change = -root.g / (slope * *h);
    }
    if (!(change * change < 1e-3 * f->tol)) {
        return false;
    }
    ff_stepper_move_end(&f->stepper, theta);
    *h = f->stepper.step;
    return true;
}

/* Repeats the step with the length given by the interpolant of the longer step, and moves its end to the root along its
 * own interpolant. If that fails, the length is corrected by Newton's method with the slope of the interpolant, or by
 * bracketing with actual steps. A function that returns before the end of the step must not agree at `beyond` after an actual
 * step, too: otherwise the root is an artefact of the interpolant. One that is undecided there, or a fixed step, has a few more
 * attempts to find where it disagrees. */
bool ff_flow_shorten(ff_flow *f, const ff_crossing *at, double *error) {
    const size_t root = at->root;
    const double theta = at->theta, beyond = at->beyond;
    enum { LOOKS = 8 };
    ff_stepper *s = &f->stepper;
    const bool returns = beyond < 1 && ff_method_order(f->now.method) > 0;
    /* a function that returns may have its slope only between its root and the point where it disagrees */
    const double step = s->step, x = f->now.clock.x,
                 part = returns && beyond > theta ? fmin(1e-3 * theta, (beyond - theta) / 2)
                                                  : 1e-3 * theta;
    double h = theta * step;
    ff_root side[2];
    for (int k = 0; k < 2; k++) {
        root_at(f, root, theta + (k ? part : -part), &side[k]);
    }
    double slope = (side[1].g - side[0].g) / (2 * part * step);
    const double far = returns ? beyond : 1;
    ff_bracket b = {.low = at->low, .high = far, .g_low = at->g_low};
    if (returns) {
        *error = ff_stepper_try(s, f->now.method, x, f->y, far * step, f->per_weight);
    }
    const ff_root past = root_at_end(f, root, far * step);
    if (returns && ff_root_agrees(&past)) {
        return false;
    }
    b.g_high = past.g;
    while (ff_bracket_open(&b) && (b.g_high > 0 || b.turn < LOOKS)) {
        *error = ff_stepper_try(s, f->now.method, x, f->y, h, f->per_weight);
        double miss = root_at_end(f, root, h).g, change = -miss / slope, part_of = change / h;
        const double tried = h;
        if (((fabs(part_of) <= 0.1 && (b.turn == 3 || part_of * part_of < 1e-3 * f->tol)) ||
             approach(f, &h, slope, miss, root)) &&
            polish(f, &h, slope, root)) {
            /* the neglected curvature is of second order */
            s->step = h;
            return true;
        }
        h = tried;
        ff_bracket_narrow(&b, h / step, miss);
        double next = (h + change) / step;
        bool newton = b.turn < 3 && fabs(part_of) <= 0.1 && next > b.low && next < b.high;
        h = newton ? h + change : step * ff_bracket_guess(&b);
    }
    /* past the root by rounding */
    h = b.high * step;
    *error = ff_stepper_try(s, f->now.method, x, f->y, h, f->per_weight);
    ff_root last = root_at_end(f, root, h);
    return !ff_root_agrees(&last) && b.high < far;
}
