/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "rest.h"
#include "body/vector.h"
#include "num/memory.h"
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Static equilibrium by backward Euler steps from rest (docs/theory.md, Rest).
 *
 * The rates are q' = N v, v' = a(q, v, s), s' = g(q, v, s): positions, velocities, inner states of laws. One step of length
 * h from (q0, 0, s0) solves
 *
 *    q = q0 + h N v,  v = h a(q, v, s),  s = s0 + h g(q, v, s)
 *
 * and then sets v to 0. For a potential V with masses M this is the proximal point method, the minimum of V(q) + |q -
 * q0|^2_M/(2 h^2): V decreases at every step, and a fixed point is an equilibrium. A friction spring follows the
 * displacement of its contact point, s - s0 = P (q - q0), and slips according to its law: slow loading from the written
 * start. For large h a step is a Newton step for a = 0, regularised by M/h^2, so steps grow until rounding ends the search.
 * Contacts are free: depth decides at every evaluation whether one touches. */

enum {
    STEPS_MOST = 1000, /* most steps: a distance of about 400 radii */
    NEWTON_MOST = 16,  /* most iterations per step: a contact that is entered deeply takes 10 */
    STALLED_MOST = 4,  /* number of steps without progress that shows that rounding is reached */
    POWER_STEPS = 500  /* power iterations before those that are averaged, and number of these */
};

/* first and longest step, s: in longer ones, unconstrained positions would drift by rounding, a h^2 */
#define STEP_FIRST 1
#define STEP_LONGEST 1e4
/* largest displacement in a step, as a fraction of a radius, and rotation in rad, so that the geometry changes little */
#define STEP_WAY 0.5
#define STEP_ANGLE 0.3
/* A Newton correction below this fraction of the step ends the iteration, which converges quadratically or nearly so. */
#define NEWTON_PART 1e-6
/* Rounding of a position relative to the terms it is computed from: a few operations. */
#define STEP_ROUNDING (4 * DBL_EPSILON)
/* Acceptable remaining acceleration relative to gravity, and a fraction of that below which nothing can be gained. */
#define REST_PART 1e-12
#define REST_ENOUGH 1e-6

/* A contact that does not hold a body, and the reason. */
typedef struct weak {
    size_t contact;
    enum { HOLDS, NO_FRICTION, NO_SPRING, SLIPS } what;
} weak;

typedef struct search {
    ff_sim *sim;
    const ff_model *model;
    ff_phase phase;
    ff_sparse *matrix;
    void *memory;
    double *held, *sides; /* of controllers: held outputs, sides of kinks */
    size_t *states;       /* indices of the active states, by row */
    double *start;        /* motions of bodies as written */
    double *y, *best, *trial, *dy, *b;
    double *most;         /* largest displacement of each row in a step */
    double *small;        /* acceptable rate of each row at rest */
    double *noise;        /* rounding error of that rate */
    weak *weak, any_weak; /* for each body; any_weak: the last one found */
    double size;          /* magnitude of positions, m */
    double longest;       /* longest step, s */
    double rate;          /* gravity divided by the speed scale of the slowest body, 1/s */
    long iterations;
} search;

/* ---- preparing ---- */

/* The smallest radius of a shape, or a substitute. */
static double least_radius(const ff_model *model) {
    double out = INFINITY;
    for (size_t i = 0; i < model->defs.shapes.count; i++) {
        const double radius = model->defs.shapes.at[i].radius;
        out = radius > 0 ? fmin(out, radius) : out;
    }
    if (!isinf(out)) {
        return out;
    }
    out = model->tree ? ff_mechanism_size(model) : 0;
    for (size_t i = 0; i < model->body_count; i++) {
        out = fmax(out, model->extents[i].length);
    }
    return out;
}

/* The largest change of a joint coordinate in a step: lengths, angles and components of quaternions. */
static double way_of(const ff_link *l, int coordinate, double length) {
    const int lengths = l->kind == FF_JOINT_FREE        ? 3
                        : l->kind == FF_JOINT_PLANAR    ? 2
                        : l->kind == FF_JOINT_PRISMATIC ? 1
                                                        : 0;
    return coordinate < lengths ? length : STEP_ANGLE;
}

/* The largest change of each state in a step; infinite for velocities and inner states. */
static void find_ways(const search *s, double *way) {
    const ff_model *model = s->model;
    const double length = STEP_WAY * least_radius(model);
    for (size_t i = 0; i < model->states; i++) {
        way[i] = INFINITY;
    }
    for (size_t i = 0; i < model->body_count; i++) {
        double *at = way + model->body_at[i];
        for (int c = 0; c < FF_VEL && !ff_articulated(model); c++) {
            at[c] = c < FF_Q ? length : STEP_ANGLE / 2;
        }
        for (int c = 0; ff_articulated(model) && c < model->tree->links[i].coordinates; c++) {
            at[c] = way_of(&model->tree->links[i], c, length);
        }
    }
}

/* Reference acceleration divided by the speed scale of a body: gravity, or the deceleration that would stop it within its
 * length. */
static double reference_rate(const ff_model *model) {
    const double g = sqrt(ff_dot(model->gravity, model->gravity));
    double out = 0;
    for (size_t i = 0; i < model->body_count; i++) {
        const ff_extent *e = &model->extents[i];
        out = fmax(out, g > 0 ? g / e->speed : e->speed / e->length);
    }
    return out;
}

static void find_sizes(search *s) {
    const ff_model *model = s->model;
    s->rate = reference_rate(model);
    find_ways(s, s->b); /* s->b has room for all states */
    for (size_t i = 0, row = 0; i < model->states; i++) {
        if (s->sim->place[i] >= 0) {
            s->states[row] = i;
            s->most[row] = s->b[i];
            s->small[row++] = REST_PART * s->rate * model->scales[i];
        }
    }
    for (size_t i = 0; i < model->body_count; i++) {
        const double *at = s->start + i * FF_BODY_STRIDE;
        s->size = fmax(s->size, ff_reach(at + FF_P));
    }
    for (size_t i = 0; i < model->slot_count; i++) {
        s->size = fmax(s->size, model->slots[i].extent);
    }
}

/* Allocates zeroed memory for the current slots and frees the previous one. */
static ff_status prepare(search *s) {
    const ff_model *model = s->model;
    const size_t n = model->size, rows = model->active;
    ff_sim *sim = s->sim;
    ff_mode *modes = NULL;
    bool *acting = NULL;
    ff_arena a = {0};
    for (int turn = 0; turn < 2; turn++) {
        FF_TAKE(&a, s->best, n);
        FF_TAKE(&a, s->trial, n);
        FF_TAKE(&a, s->dy, n);
        FF_TAKE(&a, s->b, n);
        FF_TAKE(&a, s->states, rows);
        FF_TAKE(&a, s->most, rows);
        FF_TAKE(&a, s->small, rows);
        FF_TAKE(&a, s->noise, rows);
        FF_TAKE(&a, modes, model->slot_count);
        FF_TAKE(&a, acting, model->force_count);
        if (turn == 0) {
            ff_free(s->memory);
            ff_sparse_free(s->matrix);
            a = (ff_arena){s->memory = ff_calloc(a.used + 1, 1), 0};
            s->matrix = ff_sparse_create(rows);
            if (!s->memory || !s->matrix) {
                return FF_NO_MEMORY;
            }
        }
    }
    for (size_t i = 0; i < model->slot_count; i++) {
        modes[i] = FF_FREE;
    }
    for (size_t i = 0; i < model->force_count; i++) {
        acting[i] = model->forces[i].from <= 0 && 0 < model->forces[i].to;
    }
    s->phase = (ff_phase){.modes = modes,
                          .acting = acting,
                          .mechanism = &sim->mechanism,
                          .way = &sim->options,
                          .slope_rates = sim->slope_rates};
    ff_control_give(sim, &sim->phase, &s->phase);
    if (s->held) {
        s->phase.memory = s->phase.rest_memory = s->held;
        s->phase.branches = s->phase.rest_branches = s->sides;
    }
    s->y = sim->flow.y;
    ff_events_touch(sim, s->y);
    find_sizes(s);
    return FF_OK;
}

/* Gives slots to all pairs that can touch if bodies move to `to`, or by `way`. */
static ff_status follow(search *s, const double *to, double way) {
    const ff_status status = ff_near_follow(s->sim, to, way);
    return status < 0 ? status : prepare(s);
}

/* ---- steps ---- */

static void stop(const search *s, double *y) {
    for (size_t i = 0; i < s->model->states; i++) {
        y[i] = s->model->first[i] ? 0 : y[i];
    }
}

/* The largest rate at rest relative to the acceptable one. */
static double rate_at_rest(search *s) {
    double worst = 0;
    ff_dynamics_rates(s->model, &s->phase, 0, s->y, s->dy);
    for (size_t row = 0; row < s->model->active; row++) {
        const double rate = fabs(s->dy[s->states[row]]) / s->small[row];
        worst = rate <= worst ? worst : rate; /* NAN counts as the largest */
    }
    return worst;
}

static ff_status differentiate(search *s, const double *y) {
    ff_sparse_begin(s->matrix);
    ff_phase phase = s->phase;
    phase.rates = s->dy;
    ff_dynamics_jacobian(s->model, &phase, 0, y, s->sim->place, s->matrix);
    return ff_sparse_end(s->matrix);
}

/* Magnitude of the terms of a position or inner state, of which rounding is a fraction. Angles are of order 1. */
static double magnitude(const search *s, size_t state) {
    return fmax(fabs(s->y[state]), fmax(s->size, isinf(s->most[s->sim->place[state]]) ? 0 : 1));
}

typedef enum { TAKEN, REFUSED, SINGULAR, NO_MEMORY } outcome;

/* Newton's method for a step of length h from y, into `trial`: (1/h - J) d = f(trial) - (trial - y)/h. */
static outcome try_step(search *s, double h) {
    const ff_model *model = s->model;
    const double d = 1 / h;
    memcpy(s->trial, s->y, model->size * sizeof *s->y);
    for (int k = 0; k < NEWTON_MOST; k++) {
        double correction = 0, way = 0;
        ff_dynamics_rates(model, &s->phase, 0, s->trial, s->dy);
        if (differentiate(s, s->trial) < 0) {
            return NO_MEMORY;
        }
        for (size_t row = 0; row < model->active; row++) {
            const size_t i = s->states[row];
            s->b[row] = s->dy[i] - d * (s->trial[i] - s->y[i]);
        }
        if (!ff_sparse_factor(s->matrix, d)) {
            return SINGULAR;
        }
        ff_sparse_solve(s->matrix, s->b);
        s->iterations++;
        double part = 1;
        for (size_t row = 0; row < model->active; row++) {
            const double by = fabs(s->b[row]);
            part = by * part > s->most[row] ? s->most[row] / by : part;
        }
        for (size_t row = 0; row < model->active; row++) {
            const size_t i = s->states[row];
            s->trial[i] += part * s->b[row];
            const double moved = fabs(s->trial[i] - s->y[i]);
            if (!(moved <= 2 * s->most[row])) {
                return REFUSED;
            }
            /* velocities follow positions, whose rounding is not a correction */
            if (!model->first[i]) {
                const double by = fabs(s->b[row]) - STEP_ROUNDING * magnitude(s, i);
                way = fmax(way, moved / model->scales[i]);
                correction = fmax(correction, by / model->scales[i]);
            }
        }
        if (correction <= NEWTON_PART * way) {
            return TAKEN;
        }
    }
    return REFUSED;
}

static void normalise(double q[4]) {
    const double norm = sqrt(q[0] * q[0] + ff_dot(q + 1, q + 1));
    for (int c = 0; c < 4; c++) {
        q[c] /= norm;
    }
}

/* Accepts the step: bodies whose orientation affects nothing rotate with the angular velocity at its end. */
static bool take_step(search *s, double h) {
    const ff_model *model = s->model;
    const ff_constraints how = s->sim->options.constraints;
    for (size_t i = 0; i < model->body_count; i++) {
        double *at = s->trial + model->body_at[i];
        if (ff_articulated(model)) {
            const ff_joint_kind kind = model->tree->links[i].kind;
            if (kind == FF_JOINT_FREE || kind == FF_JOINT_SPHERICAL) {
                normalise(kind == FF_JOINT_FREE ? at + 3 : at);
            }
            continue;
        }
        if (ff_turns_apart(model, i)) {
            double turn[3] = {0};
            ff_add_scaled(turn, h, at + FF_OMEGA, turn);
            ff_quaternion_turn(at + FF_Q, turn);
        }
        normalise(at + FF_Q);
    }
    memcpy(s->y, s->trial, model->states * sizeof *s->y);
    stop(s, s->y);
    /* penalty constraints are violated by design */
    const bool held =
        model->tree && (model->tree->articulated ? model->tree->loop_rows > 0 : how != FF_PENALTY);
    const bool good = !held || ff_mechanism_project(&s->sim->mechanism, how == FF_DIRECT, s->y);
    stop(s, s->y);
    return good;
}

/* Rounding error of the rates due to that of positions: a few units in the last place of each term, by the Jacobian at y. */
static ff_status find_noise(search *s) {
    const ff_status status = differentiate(s, s->y);
    memset(s->noise, 0, s->model->active * sizeof *s->noise);
    for (size_t k = 0; k < s->matrix->count && status == FF_OK; k++) {
        const size_t row = s->matrix->keys[k] >> 32, i = s->states[s->matrix->keys[k] & UINT32_MAX];
        const double of = s->model->first[i] ? 0 : magnitude(s, i);
        s->noise[row] += STEP_ROUNDING * fabs(s->matrix->added[k]) * of;
    }
    return status;
}

/* Whether the rates at y are at the level of rounding. */
static bool is_noise(const search *s) {
    bool out = true;
    for (size_t row = 0; row < s->model->active; row++) {
        out = out && fabs(s->dy[s->states[row]]) <= s->small[row] + s->noise[row];
    }
    return out;
}

/* Records for each body a touching contact that does not hold it. */
static void note_weak(search *s) {
    const ff_model *model = s->model;
    const double *bodies = ff_sim_bodies_at(s->sim, s->y);
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *slot = &model->slots[i];
        const ff_friction_law *law = slot->friction.law;
        ff_touch touch;
        ff_touch_find(slot, 0, bodies, &touch);
        if (touch.z <= 0) {
            continue;
        }
        ff_touch_answer(slot, FF_FREE, s->y + slot->state_at, NULL, &touch);
        double pull[3], load = ff_dot(touch.push, touch.n);
        ff_add_scaled(touch.push, -load, touch.n, pull);
        /* laws approach the friction cone from below */
        const weak w = {ff_near_contact(s->sim, i),
                        law->nothing                  ? NO_FRICTION
                        : slot->friction.vectors == 0 ? NO_SPRING
                        : law->cone &&
                                sqrt(ff_dot(pull, pull)) > 0.97 * load * law->cone(&slot->friction)
                            ? SLIPS
                            : HOLDS};
        if (w.what) {
            s->any_weak = s->weak[slot->body] = w;
            s->weak[slot->other < 0 ? slot->body : slot->other] = w;
        }
    }
}

/* Makes steps until the rates stop decreasing. FF_UNREACHABLE if they do not become small. */
static ff_status settle(search *s) {
    double h = STEP_FIRST, least = rate_at_rest(s);
    int stalled = 0, beyond = 0;
    memcpy(s->best, s->y, s->model->size * sizeof *s->y);
    for (int step = 0; step < STEPS_MOST && least > REST_ENOUGH && stalled < STALLED_MOST; step++) {
        const outcome out = try_step(s, h);
        if (out == NO_MEMORY) {
            return FF_NO_MEMORY;
        }
        if (out != TAKEN) {
            s->longest = out == SINGULAR ? fmin(s->longest, h / 4) : s->longest;
            h /= 4;
            continue;
        }
        if (!ff_near_covers(s->sim, s->trial)) {
            /* the second time covers everything that a step can reach, twice its displacement along each axis */
            const double reach = 2 * sqrt(3.0) * STEP_WAY * least_radius(s->model);
            const ff_status status = follow(s, s->trial, beyond++ ? reach : 0);
            if (status < 0) {
                return status;
            }
            least = rate_at_rest(s);
            memcpy(s->best, s->y, s->model->size * sizeof *s->y);
            continue;
        }
        beyond = 0;
        if (!take_step(s, h)) {
            return FF_SINGULAR;
        }
        h = fmin(4 * h, s->longest);
        note_weak(s);
        const double rate = rate_at_rest(s);
        /* rates may grow on the way: progress is judged only near rounding */
        stalled = rate > least / 2 && is_noise(s) ? stalled + 1 : 0;
        if (rate < least || !(least >= 0)) {
            least = rate;
            memcpy(s->best, s->y, s->model->size * sizeof *s->y);
        }
        if (rate < 1e6 && find_noise(s) < 0) {
            return FF_NO_MEMORY;
        }
    }
    /* the best state becomes y, and the last one is kept in `trial` to explain a failure */
    memcpy(s->trial, s->y, s->model->size * sizeof *s->y);
    memcpy(s->y, s->best, s->model->size * sizeof *s->y);
    rate_at_rest(s);
    return find_noise(s) < 0 ? FF_NO_MEMORY : is_noise(s) ? FF_OK : FF_UNREACHABLE;
}

/* ---- stability ---- */

/* Power iteration with (d - J)^-1, whose eigenvalues are 1/(d - l): an l > 0 to the right of all others dominates for every
 * d > l/2. Without one, the largest is 1/d, of unconstrained motions: a Jordan block of position and velocity makes the
 * vector grow by (1 + 1/k)/d in step k, 0.14 % averaged over the steps that count. Vibrations make single steps grow and
 * shrink, but not their average. Returns l, 1/s, or 0. */
static double growth(search *s, double d) {
    const size_t rows = s->model->active;
    double sum = 0;
    if (differentiate(s, s->y) < 0 || !ff_sparse_factor(s->matrix, d)) {
        return 0;
    }
    for (size_t row = 0; row < rows; row++) {
        /* any vector that is not orthogonal to the unstable motion */
        const double part = 0.6180339887498949 * (double)(row + 1);
        s->b[row] = s->model->scales[s->states[row]] * (part - floor(part) - 0.25);
    }
    for (int k = 0; k < 2 * POWER_STEPS; k++) {
        double norm = 0;
        ff_sparse_solve(s->matrix, s->b);
        for (size_t row = 0; row < rows; row++) {
            norm = fmax(norm, fabs(s->b[row]) / s->model->scales[s->states[row]]);
        }
        if (!(norm > 0)) {
            return 0;
        }
        for (size_t row = 0; row < rows; row++) {
            s->b[row] /= norm;
        }
        sum += k < POWER_STEPS ? 0 : ff_log(norm);
    }
    const double l = d - ff_exp(-sum / POWER_STEPS);
    return l > 0.02 * d ? l : 0;
}

/* ---- explanation of a failure ---- */

static int find(int *group, int body) {
    while (group[body] != body) {
        body = group[body] = group[group[body]];
    }
    return body;
}

static void join(int *group, int world, int a, int b) {
    group[find(group, a < 0 ? world : a)] = find(group, b < 0 ? world : b);
}

/* Size of a body at the sphere of a slot, m: about half its extent. */
static double arm_of(const ff_slot *slot) {
    return sqrt(ff_dot(slot->center, slot->center)) + slot->radius;
}

static int largest(const double v[3]) {
    const double x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]);
    return z >= x && z >= y ? 2 : y >= x ? 1 : 0;
}

/* The acceleration of a body without joints, in the rates. */
static const double *fall_of(const search *s, size_t body) {
    const ff_model *model = s->model;
    const double *at = s->dy + model->body_at[body];
    if (!ff_articulated(model)) {
        return at + FF_VEL;
    }
    const ff_link *l = &model->tree->links[body];
    return l->kind == FF_JOINT_FREE ? at + l->coordinates : NULL;
}

/* Largest distance of a point of any body from its centre of mass, m. */
static double largest_reach(const search *s) {
    double out = 0;
    for (size_t i = 0; i < s->model->body_count; i++) {
        out = fmax(out, s->sim->near->reach[i]);
    }
    return out;
}

/* A falling body that is not connected to the world by joints, springs and contacts that touch or nearly do. */
static ff_status find_loose(search *s, int *group) {
    const ff_model *model = s->model;
    const int world = (int)model->body_count;
    for (int i = 0; i <= world; i++) {
        group[i] = i;
    }
    for (size_t i = 0; i < model->joint_count; i++) {
        const ff_joint *j = &model->joints[i];
        if (j->kind != FF_JOINT_FREE) {
            join(group, world, j->first, j->second);
        }
    }
    for (size_t i = 0; i < model->force_count; i++) {
        const ff_force_def *f = &model->forces[i];
        if (s->phase.acting[i] && f->joint < 0 &&
            (f->kind == FF_FORCE_SPRING || f->kind == FF_FORCE_PD || f->kind == FF_FORCE_CONTROL)) {
            join(group, world, f->body, f->kind == FF_FORCE_SPRING ? f->other : -1);
        }
    }
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *slot = &model->slots[i];
        ff_touch touch;
        ff_touch_find(slot, 0, s->start, &touch);
        if (touch.z >= -arm_of(slot) && slot->rise != 0) {
            snprintf(s->sim->error, sizeof s->sim->error,
                     "start: rest: the plane of contact %s moves along its normal, and nothing "
                     "rests on it",
                     slot->name);
            return FF_UNREACHABLE;
        }
        if (touch.z >= -arm_of(slot)) {
            join(group, world, slot->body, slot->other);
        }
    }
    rate_at_rest(s);
    for (size_t i = 0; i < model->body_count; i++) {
        const double *a = find(group, (int)i) != find(group, world) ? fall_of(s, i) : NULL;
        if (a && ff_reach(a) > 0) {
            double gap = INFINITY;
            const char *next = NULL;
            for (size_t k = 0; k < model->contact_count; k++) {
                ff_slot slot;
                ff_touch touch;
                ff_model_slot(s->sim->model, k, &slot);
                ff_touch_find(&slot, 0, s->start, &touch);
                if ((slot.body == (int)i || slot.other == (int)i) && -touch.z < gap) {
                    gap = -touch.z;
                    next = slot.name;
                }
            }
            char why[120] = "it touches nothing";
            if (next) {
                snprintf(why, sizeof why, "contact %.60s has a gap of %.3g m", next, gap);
            }
            snprintf(s->sim->error, sizeof s->sim->error,
                     "start: rest: nothing holds body '%s' in direction %c: %s",
                     model->bodies[i].name, "xyz"[largest(a)], why);
            return FF_UNREACHABLE;
        }
    }
    return FF_OK;
}

/* The controller state with the largest rate of all states; NULL if the largest rate belongs to something else. */
static const char *find_restless(const search *s, double *rate) {
    const ff_model *model = s->model;
    const ff_controls *c = &model->topology->controls;
    size_t worst = 0;
    double most = 0;
    for (size_t row = 0; row < model->active; row++) {
        const double by = fabs(s->dy[s->states[row]]) / (s->small[row] + s->noise[row]);
        worst = by > most ? s->states[row] : worst;
        most = fmax(most, by);
    }
    const size_t state = worst - model->control_at;
    if (worst < model->control_at || state >= c->states) {
        return NULL;
    }
    *rate = s->dy[worst];
    if (c->program && state < c->program->state_count) {
        return c->program->states[state].path;
    }
    size_t own = 0;
    while (c->own[own].every > 0 || state >= c->own_at[own] + c->own[own].state_count) {
        own++;
    }
    return c->own[own].name;
}

/* Says which body moved farthest and what should have held it; `trial` is where the search ended. */
static void explain(search *s) {
    const ff_model *model = s->model;
    double rate;
    const char *restless = find_restless(s, &rate);
    if (restless) {
        snprintf(s->sim->error, sizeof s->sim->error,
                 "start: rest: no equilibrium was found: the state '%s' of a controller is not at "
                 "rest: its rate is %.6g",
                 restless, rate);
        return;
    }
    const double *bodies = ff_sim_bodies_at(s->sim, s->trial);
    double far = -1, way[3] = {0};
    int body = 0;
    char why[240] = "it rolls or turns, or neither contacts nor springs hold it in this direction";
    for (size_t i = 0; i < model->body_count; i++) {
        double moved[3];
        ff_add_scaled(ff_body_state(bodies, (int)i) + FF_P, -1, ff_body_state(s->start, (int)i),
                      moved);
        if (sqrt(ff_dot(moved, moved)) > far) {
            far = sqrt(ff_dot(moved, moved));
            body = (int)i;
            memcpy(way, moved, sizeof way);
        }
    }
    const weak *w = s->weak[body].what || !model->tree ? &s->weak[body] : &s->any_weak;
    ff_slot slot = {0};
    if (w->what) {
        ff_model_slot(s->sim->model, w->contact, &slot);
    }
    switch (w->what) {
    case HOLDS: break;
    case NO_FRICTION: snprintf(why, sizeof why, "contact %.60s has no friction", slot.name); break;
    case NO_SPRING:
        snprintf(why, sizeof why,
                 "friction law '%s' of contact %.60s has no spring: it creeps and carries no load "
                 "at rest",
                 slot.friction.law->name, slot.name);
        break;
    case SLIPS:
        snprintf(why, sizeof why, "contact %.60s slips: friction carries at most %.3g of its load",
                 slot.name, slot.friction.law->cone(&slot.friction));
        break;
    }
    snprintf(s->sim->error, sizeof s->sim->error,
             "start: rest: no equilibrium was found: after %.3g m body '%s' still moves in "
             "direction %c: %s",
             far, model->bodies[body].name, "xyz"[largest(way)], why);
}

/* Size of a body, m: twice the largest distance of a point of its shapes from its centre of mass; without shapes, twice its
 * largest radius of gyration. */
static double size_of(const ff_model *model, size_t body) {
    const ff_model_body *b = &model->bodies[body];
    const ff_topology *t = model->topology;
    double out = 0;
    for (size_t i = t->first[body]; i < t->first[body + 1]; i++) {
        const ff_shape_def *shape = &model->defs.shapes.at[t->shapes[i]];
        double way[3];
        ff_add_scaled(shape->center, -1, b->centre, way);
        out = fmax(out, sqrt(ff_dot(way, way)) + shape->radius);
    }
    for (int c = 0; c < 3 && t->first[body] == t->first[body + 1]; c++) {
        out = fmax(out, sqrt(b->inertia[c][c] / b->mass));
    }
    return 2 * out;
}

static void report(search *s) {
    const ff_model *model = s->model;
    const double *bodies = ff_sim_bodies_at(s->sim, s->y);
    ff_rest *out = &s->sim->rest;
    ff_shift *shift = &s->sim->shift;
    *out = (ff_rest){.found = true, .iterations = s->iterations};
    *shift = (ff_shift){.size = 1};
    for (size_t i = 0; i < model->states; i++) {
        out->acceleration =
            model->first[i] ? fmax(out->acceleration, fabs(s->dy[i])) : out->acceleration;
    }
    for (size_t i = 0; i < model->body_count; i++) {
        const double *at = ff_body_state(bodies, (int)i), *from = ff_body_state(s->start, (int)i);
        double moved[3],
            inverse[4] = {from[FF_Q], -from[FF_Q + 1], -from[FF_Q + 2], -from[FF_Q + 3]}, turn[4];
        ff_add_scaled(at, -1, from, moved);
        ff_quaternion_times(at + FF_Q, inverse, turn);
        const double way = sqrt(ff_dot(moved, moved)),
                     angle = 2 * ff_atan2(sqrt(ff_dot(turn + 1, turn + 1)), fabs(turn[0]));
        if (way > out->moved) {
            out->moved = way;
            out->body = (int)i;
        }
        out->turned = fmax(out->turned, angle);
        const double size = size_of(s->sim->model, i);
        if (way * shift->size > shift->way * size) {
            shift->moved = (int)i;
            shift->way = way;
            shift->size = size;
        }
        /* nothing shows the orientation of a round body */
        if (angle > shift->angle && !model->bodies[i].free_turning) {
            shift->turned = (int)i;
            shift->angle = angle;
        }
        out->dropped = fmax(out->dropped, sqrt(ff_dot(from + FF_VEL, from + FF_VEL)));
    }
    for (size_t i = 0; i < model->slot_count; i++) {
        ff_touch touch;
        ff_touch_find(&model->slots[i], 0, bodies, &touch);
        s->sim->carries[i] = touch.z > 0 && !ff_touch_ignored(&model->slots[i], bodies);
        out->carrying += s->sim->carries[i];
    }
}

ff_status ff_rest_find(ff_sim *sim) {
    const size_t bodies = sim->model->body_count;
    search s = {.sim = sim, .model = sim->reduced, .longest = STEP_LONGEST};
    int *group = ff_calloc(bodies + 1, sizeof *group);
    s.start = ff_malloc((bodies + 1) * FF_BODY_STRIDE * sizeof *s.start);
    s.weak = ff_calloc(bodies + 1, sizeof *s.weak);
    const ff_controls *controls = &sim->model->topology->controls;
    s.held = controls->acts ? ff_calloc(controls->memories + 1, sizeof *s.held) : NULL;
    s.sides =
        controls->acts ? ff_calloc(ff_control_branches(sim->model) + 1, sizeof *s.sides) : NULL;
    ff_status status = group && s.start && s.weak && (!controls->acts || (s.held && s.sides))
                           ? FF_OK
                           : FF_NO_MEMORY;
    if (status == FF_OK) {
        if (controls->acts) {
            ff_control_write_start(sim, s.held);
        }
        memcpy(s.start, ff_sim_bodies_at(sim, sim->flow.y),
               bodies * FF_BODY_STRIDE * sizeof *s.start);
        /* consider contacts within the size of a body as possible support */
        status = sim->near ? follow(&s, NULL, largest_reach(&s)) : prepare(&s);
    }
    if (status == FF_OK) {
        stop(&s, s.y);
        status = find_loose(&s, group);
    }
    if (status == FF_OK && sim->near) {
        status = follow(&s, NULL, 0);
    }
    if (status == FF_OK) {
        status = settle(&s);
        if (status == FF_UNREACHABLE) {
            explain(&s);
        } else if (status == FF_SINGULAR) {
            snprintf(
                sim->error, sizeof sim->error,
                "start: rest: joints could not be satisfied during the search for the equilibrium");
        }
    }
    if (status == FF_OK && sim->near) {
        /* a run begins with the pairs that are near at its start */
        status = follow(&s, NULL, 0);
    }
    if (status == FF_OK) {
        rate_at_rest(&s);
        status = s.held ? ff_control_keep_rest(sim, &s.phase) : FF_OK;
    }
    if (status == FF_OK) {
        report(&s);
        const bool exact = (!sim->reduced->tree || !ff_dynamics_differences(sim->reduced)) &&
                           !ff_control_samples_at_rest(sim->reduced, &s.phase);
        sim->rest.growth = exact ? growth(&s, 3 * s.rate) : 0;
    }
    ff_sparse_free(s.matrix);
    ff_free(s.memory);
    ff_free(s.start);
    ff_free(s.weak);
    ff_free(s.held);
    ff_free(s.sides);
    ff_free(group);
    return status;
}
