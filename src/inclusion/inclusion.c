/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "inclusion.h"
#include "ledger/ledger.h"
#include "ode/arena.h"
#include "ode/seconds.h"
#include "ode/sundials.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a run of this many steps without reaching the next event or time has lost its way */
#define MOST_STEPS 100000000L
/* what a scale that is not given begins with, in SI units: small, since it grows with what it is the scale of */
#define LEAST_SCALE 1e-6
/* J: the same for accounts */
#define LEAST_ENERGY 1e-9
/* m, of friction force over stiffness, and N where a law has none: a factor this little below 0 is rounding */
#define ROUNDING 1e-12

ff_inclusion_def ff_inclusion_def_default(void) { return (ff_inclusion_def){.ledger = true}; }

/* ---- making ---- */

static ff_status refuse(ff_error *error, ff_status status, const char *what, const char *name) {
    if (error) {
        snprintf(error->text, sizeof error->text, what, name);
    }
    return status;
}

static void name_of(char out[FF_NAME_ROOM], const char *given, const char *kind, size_t i) {
    if (given) {
        snprintf(out, FF_NAME_ROOM, "%s", given);
    } else {
        snprintf(out, FF_NAME_ROOM, "%s %zu", kind, i);
    }
}

/* What can be wrong with a dio. */
static ff_status make_dio(ff_inclusion *inc, const ff_dio_def *def, size_t i, ff_error *error) {
    ff_dio *dio = &inc->dios[i];
    const ff_normal *law = &def->law;
    name_of(dio->name, def->name, "dio", i);
    if (!law->law || !isfinite(def->e) || !(def->scale >= 0)) {
        return refuse(error, FF_BAD_VALUE, "%s: a law, a finite e and a scale >= 0 are needed",
                      dio->name);
    }
    if (law->law->inner == FF_INNER_SPEED) {
        return refuse(error, FF_BAD_VALUE, "%s: a law that latches the speed is no function of psi",
                      dio->name);
    }
    dio->law = dio->open = *law;
    dio->open.least = -INFINITY;
    dio->filtered = law->law->inner == FF_INNER_RATE;
    dio->per_alpha = 1 / law->alpha;
    dio->per_beta = 1 / law->beta;
    dio->waste = law->k * (law->beta - law->alpha);
    dio->clamps = !dio->filtered && !law->law->point && law->least == 0 && law->p < law->n;
    bool closing = !dio->filtered && (law->law->point || law->lambda != 0 || law->lambda_out != 0);
    if (closing && !inc->def.closing) {
        return refuse(error, FF_MISSING,
                      "%s: its law has a damper and wants the rate of psi, which is not given",
                      dio->name);
    }
    inc->closes = inc->closes || (inc->def.closing && !dio->filtered);
    return FF_OK;
}

static ff_rub rub_of(const ff_friction_law *law, int dimension) {
    return law == ff_friction_law_find("sat")      ? (dimension == 1 ? FF_RUB_LINE : FF_RUB_PLANE)
           : law == ff_friction_law_find("clutch") ? FF_RUB_CLUTCH
           : law == ff_friction_law_find("none")   ? FF_RUB_SMOOTH
           : law->point                            ? FF_RUB_SMOOTH
           : law->inner                            ? FF_RUB_BRISTLE
                                                   : FF_RUB_RAMP;
}

static ff_status make_sgn(ff_inclusion *inc, const ff_sgn_def *def, size_t i, ff_error *error) {
    ff_sgn *sgn = &inc->sgns[i];
    double shape[2][2];
    memcpy(shape, def->shape, sizeof shape);
    name_of(sgn->name, def->name, "sgn", i);
    if (!def->law.law || (def->dimension != 1 && def->dimension != 2) ||
        !isfinite(def->a[0] + def->a[1]) || !(def->scale >= 0)) {
        return refuse(error, FF_BAD_VALUE,
                      "%s: a law, 1 or 2 dimensions, a finite a and a scale >= 0 are needed",
                      sgn->name);
    }
    sgn->law = def->law;
    sgn->dimension = def->dimension;
    sgn->rub = rub_of(def->law.law, def->dimension);
    sgn->per_k = def->law.mu / def->law.k;
    sgn->per_beta = 1 / def->law.beta;
    sgn->drag = def->law.k * def->law.beta;
    if (shape[0][0] != 0 || shape[0][1] != 0 || shape[1][0] != 0 || shape[1][1] != 0) {
        if (sgn->rub != FF_RUB_PLANE) {
            return refuse(error, FF_BAD_VALUE, "%s: only sat in R^2 can be anisotropic", sgn->name);
        }
        sgn->rub = FF_RUB_ELLIPSE;
        if (!ff_ellipse_init(&sgn->ellipse, shape)) {
            return refuse(error, FF_BAD_VALUE, "%s: its shape is singular", sgn->name);
        }
    }
    sgn->bends = sgn->rub != FF_RUB_SMOOTH && (sgn->rub != FF_RUB_BRISTLE || sgn->dimension == 1);
    return FF_OK;
}

static ff_status check_def(const ff_inclusion_def *def, const ff_run_options *o, ff_error *error) {
    if (!(o->tol > 0) || !(o->until >= 0) || !(o->dt > 0)) {
        return refuse(error, FF_BAD_VALUE,
                      "tol and dt must be positive, until must not be negative%s", "");
    }
    if (def->states == 0 || !def->start || !def->rates ||
        (def->dio_count + def->sgn_count > 0 && !def->arguments) ||
        (def->sgn_count > 0 && !def->factors) || (def->event_count > 0 && !def->events)) {
        return refuse(error, FF_MISSING,
                      "states, their start and all functions in use are needed%s", "");
    }
    for (size_t i = 0; i < def->states; i++) {
        if (!isfinite(def->start[i]) || (def->scale && !(def->scale[i] >= 0)) ||
            (def->speed && def->speed[i] >= (int)def->states)) {
            char name[FF_NAME_ROOM];
            name_of(name, def->names ? def->names[i] : NULL, "state", i);
            return refuse(error, FF_BAD_VALUE, "%s: its start, scale or speed cannot be", name);
        }
    }
    return FF_OK;
}

static void no_arguments(void *user, double t, const double *x, double *psi, double *theta) {
    (void)user, (void)t, (void)x, (void)psi, (void)theta;
}

/* How many rows the matrices of a method have; 0: it has none. */
static size_t rows(ff_method method, size_t states) {
    if (method == FF_AUTO) {
        return states > FF_ROWS_MOST ? 0 : states;
    }
    bool implicit = method == FF_ROSENBROCK || method == FF_RODAS || method == FF_TRAPEZOID ||
                    ff_method_own_steps(method);
    return implicit ? states : 0;
}

/* The size of y and the number of roots, which arrays depend on. */
static void count(ff_inclusion *inc, const ff_sgn_def *sgns, size_t *size, size_t *roots) {
    const ff_inclusion_def *def = &inc->def;
    *roots = 2 * def->dio_count + def->sgn_count + def->event_count;
    inc->width = 0;
    for (size_t i = 0; i < def->sgn_count; i++) {
        inc->width += sgns[i].dimension == 2 ? 2 : 1;
    }
    inc->e_at = def->states;
    inc->a_at = inc->e_at + def->dio_count;
    inc->lost_at = inc->a_at + inc->width;
    *size = inc->lost_at +
            (def->ledger ? def->dio_count + FF_LOSSES * def->sgn_count + (def->power != NULL) : 0);
}

/* room for numbers, unless the caller has it */
static void take(ff_arena *a, double **at, double *given, size_t count) {
    if (given) {
        *at = given;
    } else {
        FF_TAKE(a, *at, count);
    }
}

static void lay_out(ff_inclusion *inc, ff_arena *a, size_t size, size_t roots) {
    const ff_inclusion_def *def = &inc->def;
    const size_t states = inc->lost_at, functions = roots + def->sgn_count + 1;
    FF_TAKE(a, inc->dios, def->dio_count);
    FF_TAKE(a, inc->sgns, def->sgn_count);
    FF_TAKE(a, inc->roots, roots);
    FF_TAKE(a, inc->stepper_memory, ff_stepper_room(size, rows(inc->options.method, states)));
    FF_TAKE(a, inc->march_memory, ff_march_room(size, functions));
    FF_TAKE(a, inc->above, roots);
    FF_TAKE(a, inc->last_above, roots);
    FF_TAKE(a, inc->inert, states);
    FF_TAKE(a, inc->first, size);
    FF_TAKE(a, inc->fixed, size);
    FF_TAKE(a, inc->speed, states);
    FF_TAKE(a, inc->pivots, states);
    FF_TAKE(a, inc->active, states);
    FF_TAKE(a, inc->scales, size);
    FF_TAKE(a, inc->names, def->states);
    FF_TAKE(a, inc->switches, def->switch_count);
    FF_TAKE(a, inc->silent, def->event_count);
    take(a, &inc->psi, def->psi, def->dio_count);
    FF_TAKE(a, inc->psi_rate, def->dio_count);
    take(a, &inc->theta, def->theta, inc->width);
    take(a, &inc->contact, def->contact, def->dio_count);
    take(a, &inc->chi, def->chi, def->sgn_count);
    take(a, &inc->friction, def->friction, inc->width);
    FF_TAKE(a, inc->inner_rates, inc->lost_at);
    FF_TAKE(a, inc->touching, def->dio_count);
    FF_TAKE(a, inc->slipping, def->sgn_count);
    FF_TAKE(a, inc->seen, size);
    FF_TAKE(a, inc->queue, 2 * roots + def->switch_count + 2);
    inc->leak.parties = def->dio_count + def->sgn_count + 1;
    FF_TAKE(a, inc->leak.held, inc->leak.parties);
    FF_TAKE(a, inc->leak.taken, inc->leak.parties);
    FF_TAKE(a, inc->leak.blamed, inc->leak.parties + 1);
}

static ff_status make_elements(ff_inclusion *inc, const ff_inclusion_def *def, ff_error *error) {
    ff_status status = FF_OK;
    size_t root = 0, at = 0, integral = inc->lost_at + def->dio_count;
    for (size_t i = 0; i < def->dio_count && status == FF_OK; i++) {
        status = make_dio(inc, &def->dios[i], i, error);
        inc->dios[i].gap = root;
        inc->first_dios += inc->dios[i].filtered && inc->first_dios == i;
        inc->roots[root++] = (ff_root){FF_ROOT_GAP, i};
        if (inc->dios[i].clamps) {
            inc->roots[root++] = (ff_root){FF_ROOT_HOLD, i};
        }
    }
    for (size_t i = 0; i < def->sgn_count && status == FF_OK; i++) {
        ff_sgn *sgn = &inc->sgns[i];
        status = make_sgn(inc, &def->sgns[i], i, error);
        inc->first_sgns += sgn->rub == FF_RUB_LINE && inc->first_sgns == i;
        sgn->at = at;
        at += (size_t)sgn->dimension;
        sgn->integral = integral;
        integral += sgn->rub <= FF_RUB_ELLIPSE ? 2 : FF_LOSSES;
        if (sgn->bends) {
            sgn->root = root;
            bool told = sgn->rub <= FF_RUB_CLUTCH;
            inc->roots[root++] = (ff_root){told ? FF_ROOT_GRIP : FF_ROOT_KINK, i};
        }
    }
    for (size_t i = 0; i < def->event_count; i++) {
        inc->silent[i] = def->silent && def->silent[i];
        inc->roots[root++] = (ff_root){FF_ROOT_USER, i};
    }
    inc->march.roots = root;
    inc->work_at = def->ledger ? integral : inc->lost_at;
    return status;
}

/* Scales, start values, and what methods want to know of states. */
static void fill(ff_inclusion *inc, const ff_inclusion_def *def) {
    ff_march *m = &inc->march;
    const bool own = ff_method_own_steps(m->asked);
    for (size_t i = 0; i < def->states; i++) {
        double given = def->scale ? def->scale[i] : 0;
        m->y[i] = def->start[i];
        name_of(inc->names[i], def->names ? def->names[i] : NULL, "state", i);
        inc->fixed[i] = given > 0;
        inc->scales[i] = given > 0 ? given : fmax(fabs(def->start[i]), own ? 1 : LEAST_SCALE);
        inc->speed[i] = def->speed ? def->speed[i] : -1;
        if (inc->speed[i] >= 0) {
            inc->first[inc->speed[i]] = true;
        }
    }
    for (size_t i = inc->e_at; i < inc->lost_at; i++) {
        inc->speed[i] = -1;
        inc->scales[i] = own ? 1e-3 : LEAST_SCALE;
    }
    for (size_t i = 0; i < def->dio_count; i++) {
        m->y[inc->e_at + i] = def->dios[i].e;
        inc->inert[inc->e_at + i] = !inc->dios[i].filtered;
        if (def->dios[i].scale > 0) {
            inc->fixed[inc->e_at + i] = true;
            inc->scales[inc->e_at + i] = def->dios[i].scale;
        }
    }
    for (size_t i = 0; i < def->sgn_count; i++) {
        for (size_t c = 0; c < (size_t)inc->sgns[i].dimension; c++) {
            size_t at = inc->a_at + inc->sgns[i].at + c;
            m->y[at] = def->sgns[i].a[c];
            inc->inert[at] = !inc->sgns[i].law.law->inner;
            if (def->sgns[i].scale > 0) {
                inc->fixed[at] = true;
                inc->scales[at] = def->sgns[i].scale;
            }
        }
        const ff_friction *law = &inc->sgns[i].law;
        m->size[m->roots + i] = ROUNDING * fmax(law->k, 1) / (10 * m->tol);
    }
    /* what only bends may do so within the tolerance: a function that has come to rest at 0 must not end step after
     * step with its errors */
    for (size_t i = 0; i < def->event_count; i++) {
        if (inc->silent[i]) {
            m->noise[m->roots - def->event_count + i] = m->tol;
        }
    }
    for (size_t i = inc->lost_at; i < m->stepper.n; i++) {
        inc->scales[i] = own ? 1 : LEAST_ENERGY;
    }
    for (size_t i = 0; i < m->stepper.n; i++) {
        m->per_weight[i] = 1 / (FF_LOCAL_PART * m->tol * inc->scales[i]);
    }
    if (def->switch_count > 0) {
        memcpy(inc->switches, def->switches, def->switch_count * sizeof *inc->switches);
    }
}

/* The first switch after now, infinite where steps go over them. */
static double next_switch(const ff_inclusion *inc) {
    double next = INFINITY;
    for (size_t i = 0; i < inc->def.switch_count && inc->march.locate; i++) {
        next = inc->switches[i] > inc->march.time ? fmin(next, inc->switches[i]) : next;
    }
    return next;
}

static ff_ledger find_ledger(ff_inclusion *inc, double *held);

/* Accounts, and what the largest sum of their magnitudes was so far. */
static void note_scale(ff_inclusion *inc) {
    if (!inc->def.ledger) {
        return;
    }
    ff_ledger l = find_ledger(inc, inc->leak.held);
    inc->scale = l.scale;
    ff_leak_note(&inc->leak, &inc->leaked, l.residual, inc->march.time);
    if (ff_method_own_steps(inc->march.asked)) {
        return;
    }
    for (size_t i = inc->lost_at; i < inc->march.stepper.n; i++) {
        inc->scales[i] = fmax(inc->scale, LEAST_ENERGY);
        inc->march.per_weight[i] = 1 / (FF_LOCAL_PART * inc->march.tol * inc->scales[i]);
    }
}

/* Every state whose scale was not given has that of the largest that it has been. Fixed steps have no use for it. */
static void note_sizes(ff_inclusion *inc) {
    ff_march *m = &inc->march;
    for (size_t i = 0; i < inc->lost_at; i++) {
        double size = fabs(m->y[i]);
        if (size > inc->scales[i] && !inc->fixed[i]) {
            inc->scales[i] = size;
            m->per_weight[i] = 1 / (FF_LOCAL_PART * m->tol * size);
        }
    }
}

/* The shortest step that is begun with: a small part of the shortest time that a law knows. */
static double least_step(const ff_inclusion *inc) {
    double least = 1e-6 * inc->options.until;
    for (size_t i = 0; i < inc->def.dio_count; i++) {
        least = inc->dios[i].filtered ? fmin(least, 1e-3 * inc->dios[i].law.alpha) : least;
    }
    for (size_t i = 0; i < inc->def.sgn_count; i++) {
        least = inc->sgns[i].law.beta > 0 ? fmin(least, 1e-3 * inc->sgns[i].law.beta) : least;
    }
    return least;
}

/* How things stand at the start, where functions are on either side of 0. */
static ff_status begin(ff_inclusion *inc) {
    ff_march *m = &inc->march;
    double *g = m->g0;
    inc->brink = INFINITY;
    /* laws that jump: in contact where psi < 0, or where it is 0 and closing */
    ff_inclusion_evaluate(inc, 0, m->y);
    for (size_t i = 0; i < inc->def.dio_count && m->locate; i++) {
        bool closing = inc->closes && inc->psi_rate[i] < 0;
        m->above[inc->dios[i].gap] = inc->psi[i] < 0 || (inc->psi[i] == 0 && closing);
    }
    ff_inclusion_values(inc, 0, m->y, false, g);
    for (size_t i = 0; i < m->roots && m->locate; i++) {
        bool jumps = inc->roots[i].kind == FF_ROOT_GAP && !inc->dios[inc->roots[i].of].filtered;
        m->above[i] = jumps ? m->above[i] : g[i] > 0;
    }
    for (size_t i = 0; i < inc->def.sgn_count; i++) {
        if (inc->chi[i] < -10 * m->tol * m->size[m->roots + i]) {
            snprintf(inc->error.text, sizeof inc->error.text,
                     "the factor of %s is negative at t = 0", inc->sgns[i].name);
            return FF_BAD_VALUE;
        }
    }
    inc->blaming = true;
    ff_inclusion_rates(inc, 0, m->y, m->scratch);
    inc->blaming = false;
    for (size_t i = 0; i < inc->def.sgn_count && inc->def.ledger; i++) {
        if (inc->sgns[i].rub == FF_RUB_BRISTLE) {
            m->y[inc->sgns[i].integral + FF_SPRING_TAKES] = ff_inclusion_sgn_stored(inc, i, m->y);
        }
    }
    if (inc->error.text[0] != '\0') {
        return FF_BAD_VALUE;
    }
    inc->brink = nextafter(next_switch(inc), -INFINITY);
    ff_march_restart(m, 1e-3 * inc->options.until + 1e-9);
    ff_ledger start = ff_inclusion_ledger(inc);
    inc->initial = -start.residual;
    start = find_ledger(inc, inc->leak.held);
    ff_leak_begin(&inc->leak, &inc->leaked, start.residual, 0);
    note_scale(inc);
    return FF_OK;
}

ff_status ff_inclusion_create(const ff_inclusion_def *def, const ff_run_options *options,
                              ff_inclusion **out, ff_error *error) {
    const ff_run_options o = options ? *options : ff_run_options_default();
    ff_status status = check_def(def, &o, error);
    size_t size, roots;
    if (status < 0) {
        return status;
    }
    ff_inclusion *inc = calloc(1, sizeof *inc);
    if (!inc) {
        return refuse(error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
    }
    inc->def = *def;
    inc->options = o;
    count(inc, def->sgns, &size, &roots);
    if (rows(o.method, inc->lost_at) > FF_ROWS_MOST) {
        ff_inclusion_free(inc);
        return refuse(error, FF_BAD_VALUE, "there are too many states for %s",
                      ff_method_name(o.method));
    }
    ff_arena room = {0};
    lay_out(inc, &room, size, roots);
    room = (ff_arena){calloc(room.used, 1), 0};
    inc->memory = room.at;
    if (!room.at) {
        ff_inclusion_free(inc);
        return refuse(error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
    }
    lay_out(inc, &room, size, roots);
    inc->def.arguments = def->arguments ? def->arguments : no_arguments;
    status = make_elements(inc, def, error);
    if (status < 0) {
        ff_inclusion_free(inc);
        return status;
    }
    ff_march *m = &inc->march;
    size = inc->work_at + (def->ledger && def->power);
    m->user = inc;
    m->asked = o.method;
    m->tol = o.tol;
    m->dt = o.dt;
    m->unable = rows(o.method, inc->lost_at) == 0;
    m->locate = o.events;
    m->held = def->sgn_count + 1;
    m->values = ff_inclusion_values;
    m->stepper.n = size;
    ff_march_init(m, inc->march_memory, inc->above);
    fill(inc, def);
    ff_stepper_init(&m->stepper, size, inc->lost_at,
                    ff_method_own_steps(o.method) ? NULL : inc->inert, ff_inclusion_rates, inc,
                    inc->stepper_memory, inc->pivots, inc->active);
    m->stepper.scales = inc->scales;
    m->stepper.first = inc->first;
    m->stepper.speed = def->speed ? inc->speed : NULL;
    m->stepper.timed = true;
    m->least = least_step(inc);
    inc->seen_time = NAN;
    /* what was the caller's is not looked at again */
    inc->def.start = inc->def.scale = inc->def.switches = NULL;
    inc->def.names = NULL;
    inc->def.speed = NULL;
    inc->def.silent = NULL;
    inc->def.dios = NULL;
    inc->def.sgns = NULL;
    if (ff_method_own_steps(o.method)) {
        status = ff_sundials_create(&m->stepper, o.method, m->per_weight, &m->stepper.sundials);
    }
    if (status == FF_OK) {
        status = begin(inc);
    }
    if (status < 0) {
        refuse(error, status, "%s",
               inc->error.text[0] != '\0' ? inc->error.text : ff_status_text(status));
        ff_inclusion_free(inc);
        return status;
    }
    *out = inc;
    return FF_OK;
}

void ff_inclusion_free(ff_inclusion *inc) {
    if (inc) {
        ff_sundials_free(inc->march.stepper.sundials);
        free(inc->memory);
        free(inc);
    }
}

/* ---- steps ---- */

static void queue(ff_inclusion *inc, ff_event_kind kind, size_t of, bool rejoin) {
    inc->queue[inc->queued++] = (ff_event){inc->march.time, kind, (int)of, rejoin};
    inc->march.statistics.events++;
}

static bool is_silent(const ff_inclusion *inc, size_t root) {
    return inc->roots[root].kind == FF_ROOT_USER && inc->silent[inc->roots[root].of];
}

/* The side of a root has changed: what is told of it, and what changes with it. */
static void change(ff_inclusion *inc, size_t root) {
    ff_march *m = &inc->march;
    const bool above = m->above[root];
    const size_t i = inc->roots[root].of;
    const ff_dio *dio;
    switch (inc->roots[root].kind) {
    case FF_ROOT_GAP:
        dio = &inc->dios[i];
        if (dio->clamps && above) {
            /* the force may be held at 0 from the beginning */
            ff_inclusion_values(inc, m->time, m->y, false, m->g);
            m->above[root + 1] = m->g[root + 1] > 0;
        }
        if (!dio->clamps || m->above[root + 1]) {
            queue(inc, above ? FF_TOUCHDOWN : FF_LIFTOFF, i, false);
        }
        if (!above && !dio->filtered) {
            queue(inc, FF_CLEAR, i, false);
            m->above[root + dio->clamps] = false;
        }
        break;
    case FF_ROOT_HOLD: queue(inc, above ? FF_TOUCHDOWN : FF_LIFTOFF, i, above); break;
    case FF_ROOT_GRIP:
        ff_inclusion_evaluate(inc, m->time < inc->brink ? m->time : inc->brink, m->y);
        if (inc->chi[i] > 0) {
            queue(inc, above ? FF_SLIP : FF_STICK, i, false);
        }
        break;
    case FF_ROOT_KINK: break;
    case FF_ROOT_USER: queue(inc, FF_USER, i, false); break;
    }
}

/* Finds the words for a step that could not be taken; what is held is negative or no number where it ends. */
static ff_status explain(ff_inclusion *inc, ff_status status, size_t held) {
    ff_march *m = &inc->march;
    const double h = m->stepper.step;
    char *text = inc->error.text;
    if (status == FF_BAD_VALUE && held >= m->roots && held < m->roots + inc->def.sgn_count &&
        m->held_value < 0) {
        snprintf(text, sizeof inc->error.text, "the factor of %s becomes negative at t = %.9g",
                 inc->sgns[held - m->roots].name, m->time + h);
        return status;
    }
    if (status == FF_BAD_VALUE) {
        /* the same step again, with a look at each evaluation */
        inc->blaming = true;
        ff_stepper_start(&m->stepper, m->time, m->y);
        ff_stepper_try(&m->stepper, m->method, m->time, m->y, h, m->per_weight);
        inc->blaming = false;
        m->fresh = true;
    }
    if (text[0] == '\0') {
        status = status == FF_BAD_VALUE ? FF_TOO_STIFF : status;
        snprintf(text, sizeof inc->error.text, "%s, at t = %.9g", ff_status_text(status), m->time);
    }
    return status;
}

static ff_status step_once(ff_inclusion *inc, double until) {
    ff_march *m = &inc->march;
    inc->seen_time = NAN;
    if (inc->told < inc->queued) {
        inc->event = inc->queue[inc->told++];
        return FF_EVENT;
    }
    inc->queued = inc->told = 0;
    m->last_step = 0;
    if (!(m->time < until)) {
        return FF_OK;
    }
    double change_at = next_switch(inc), before = m->time;
    size_t root;
    inc->error.text[0] = '\0';
    memcpy(inc->last_above, inc->above, m->roots * sizeof *inc->above);
    inc->last_brink = inc->brink;
    ff_status status = ff_march_step(m, fmin(until, change_at), &root);
    if (status < 0) {
        return explain(inc, status, root);
    }
    if (status == FF_STOPPED) {
        return status;
    }
    if (m->last_step > 0 && ff_method_order(m->asked)) {
        note_sizes(inc);
    }
    if (status == FF_EVENT && is_silent(inc, root)) {
        /* the next step knows nothing of what was before the bend, but is made in the same way */
        m->fresh = true;
    } else if (status == FF_EVENT) {
        change(inc, root);
        ff_march_restart(m, m->step);
    } else if (m->time == change_at) {
        for (size_t i = 0; i < inc->def.switch_count; i++) {
            if (inc->switches[i] == change_at) {
                queue(inc, FF_SWITCH, i, false);
            }
        }
        ff_march_restart(m, m->time - before);
        inc->brink = nextafter(next_switch(inc), -INFINITY);
    }
    if (inc->queued > 0 || m->statistics.steps % 8 == 0) {
        note_scale(inc);
    }
    if (inc->queued > 0) {
        inc->event = inc->queue[inc->told++];
        return FF_EVENT;
    }
    return FF_OK;
}

ff_status ff_inclusion_step(ff_inclusion *inc, double until) {
    double start = ff_seconds();
    ff_status status = step_once(inc, until);
    inc->march.statistics.seconds += ff_seconds() - start;
    return status;
}

ff_status ff_inclusion_advance(ff_inclusion *inc, double until) {
    double start = ff_seconds();
    ff_status status = FF_OK;
    long steps = 0;
    do {
        status = step_once(inc, until);
    } while (status == FF_OK && inc->march.time < until && ++steps < MOST_STEPS);
    inc->march.statistics.seconds += ff_seconds() - start;
    return steps < MOST_STEPS ? status : FF_TOO_STIFF;
}

void ff_inclusion_watch(ff_inclusion *inc, bool (*wanted)(void *user), void *user) {
    inc->march.stepper.halt = (ff_halt){.wanted = wanted, .user = user};
}

const ff_event *ff_inclusion_event(const ff_inclusion *inc) { return &inc->event; }
const char *ff_inclusion_error(const ff_inclusion *inc) { return inc->error.text; }
double ff_inclusion_time(const ff_inclusion *inc) { return inc->march.time; }
ff_statistics ff_inclusion_statistics(const ff_inclusion *inc) { return inc->march.statistics; }

/* ---- asking ---- */

/* The sides and the switch of the last step for those of now, and back. */
static void exchange(ff_inclusion *inc) {
    bool *above = inc->march.above;
    double brink = inc->brink;
    inc->march.above = inc->last_above;
    inc->last_above = above;
    inc->brink = inc->last_brink;
    inc->last_brink = brink;
}

void ff_inclusion_observe(ff_inclusion *inc, double time) {
    ff_march *m = &inc->march;
    inc->seen_time = NAN;
    if (m->last_step > 0 && time >= m->last_time && time < m->time) {
        /* the interpolant may need rates: those of then */
        exchange(inc);
        ff_march_at(m, time, inc->seen);
        exchange(inc);
        m->statistics.evaluations = m->stepper.evaluations;
        inc->seen_time = time;
    }
}

/* Evaluates what is looked at, the present or the time observed; returns its y. */
static const double *look(ff_inclusion *inc, double *time) {
    const bool past = !isnan(inc->seen_time);
    const double *y = past ? inc->seen : inc->march.y;
    *time = past ? inc->seen_time : inc->march.time;
    if (past) {
        exchange(inc);
    }
    ff_inclusion_evaluate(inc, *time < inc->brink ? *time : inc->brink, y);
    return y;
}

static void looked(ff_inclusion *inc) {
    if (!isnan(inc->seen_time)) {
        exchange(inc);
    }
}

ff_inclusion_view ff_inclusion_at(ff_inclusion *inc) {
    ff_inclusion_view out;
    const double *y = look(inc, &out.time);
    for (size_t i = 0; i < inc->def.dio_count; i++) {
        const ff_dio *dio = &inc->dios[i];
        inc->touching[i] =
            !inc->march.locate
                ? inc->contact[i] != 0
                : inc->march.above[dio->gap] && (!dio->clamps || inc->march.above[dio->gap + 1]);
    }
    for (size_t i = 0; i < inc->def.sgn_count; i++) {
        const ff_sgn *sgn = &inc->sgns[i];
        inc->slipping[i] = sgn->rub <= FF_RUB_CLUTCH && inc->chi[i] > 0 &&
                           ff_inclusion_grip(inc, i, y + inc->a_at) > 0;
    }
    looked(inc);
    out.x = y;
    out.e = y + inc->e_at;
    out.a = y + inc->a_at;
    out.psi = inc->psi, out.theta = inc->theta, out.chi = inc->chi;
    out.contact = inc->contact, out.friction = inc->friction;
    out.touching = inc->touching, out.slipping = inc->slipping;
    return out;
}

/* ---- accounts ---- */

/* What a dio or sgn has stored and lost, in the accounts of a ledger, after look(). */
static void add_dio(const ff_inclusion *inc, size_t i, const double *y, ff_ledger *out) {
    out->normal_spring += ff_inclusion_dio_stored(inc, i, y);
    out->normal_damper += inc->def.ledger ? y[inc->lost_at + i] : 0;
}

static void add_sgn(const ff_inclusion *inc, size_t i, const double *y, ff_ledger *out) {
    const ff_sgn *sgn = &inc->sgns[i];
    double stored = ff_inclusion_sgn_stored(inc, i, y);
    out->tangential_spring += stored;
    if (!inc->def.ledger) {
        return;
    }
    const double *lost = y + sgn->integral;
    out->tangential_damper += lost[FF_LOST_DAMPER];
    out->clutch += lost[FF_LOST_CLUTCH];
    if (sgn->rub > FF_RUB_ELLIPSE) {
        out->viscous += lost[FF_LOST_VISCOUS];
        out->regrade += sgn->rub == FF_RUB_BRISTLE ? lost[FF_SPRING_TAKES] - stored : 0;
    }
}

static ff_inclusion_energy energy_of(const ff_inclusion *inc, const ff_ledger *l) {
    double lost = l->normal_damper + l->tangential_damper + l->clutch + l->viscous + l->regrade;
    return (ff_inclusion_energy){l->normal_spring + l->tangential_spring,
                                 inc->def.ledger ? lost : (double)NAN};
}

ff_inclusion_energy ff_inclusion_dio_energy(ff_inclusion *inc, size_t dio) {
    ff_ledger l = {0};
    double time;
    add_dio(inc, dio, look(inc, &time), &l);
    looked(inc);
    return energy_of(inc, &l);
}

ff_inclusion_energy ff_inclusion_sgn_energy(ff_inclusion *inc, size_t sgn) {
    ff_ledger l = {0};
    double time;
    add_sgn(inc, sgn, look(inc, &time), &l);
    looked(inc);
    return energy_of(inc, &l);
}

/* The accounts, and what each party to them holds; held may be NULL. */
static ff_ledger find_ledger(ff_inclusion *inc, double *held) {
    const ff_inclusion_def *def = &inc->def;
    const size_t forces = def->dio_count + def->sgn_count;
    ff_ledger out = {0};
    double time, before = 0;
    const double *y = look(inc, &time);
    for (size_t i = 0; i < forces; i++) {
        if (i < def->dio_count) {
            add_dio(inc, i, y, &out);
        } else {
            add_sgn(inc, i - def->dio_count, y, &out);
        }
        if (held) {
            double sum = ff_ledger_sum(&out);
            held[i] = sum - before;
            before = sum;
        }
    }
    if (def->energy) {
        out.kinetic = def->energy(def->user, time, y);
    }
    if (def->ledger && def->power) {
        out.external = -y[inc->work_at];
    }
    looked(inc);
    if (held) {
        held[forces] = out.external;
    }
    out.initial = inc->initial;
    out.scale = fmax(inc->scale, ff_ledger_magnitude(&out, 0));
    ff_ledger_close(&out);
    out.residual = def->ledger && def->energy ? out.residual : (double)NAN;
    return out;
}

ff_ledger ff_inclusion_ledger(ff_inclusion *inc) { return find_ledger(inc, NULL); }

ff_status ff_inclusion_verdict(ff_inclusion *inc) {
    const ff_inclusion_def *def = &inc->def;
    const ff_march *m = &inc->march;
    char when[FF_LEAK_TIME], *text = inc->error.text;
    double part;
    ff_inclusion_observe(inc, NAN);
    text[0] = '\0';
    for (size_t i = 0; i < m->stepper.n; i++) {
        if (!isfinite(m->y[i])) {
            snprintf(text, sizeof inc->error.text, "%s is not finite",
                     i < def->states ? inc->names[i] : "an inner state or account");
            return FF_NOT_FINITE;
        }
    }
    ff_ledger l = find_ledger(inc, inc->leak.held);
    if (!def->ledger || !def->energy) {
        return FF_OK;
    }
    if (!isfinite(l.residual) || !isfinite(l.scale)) {
        snprintf(text, sizeof inc->error.text, "the energy is not finite");
        return FF_NOT_FINITE;
    }
    const double limit = ff_ledger_limit(&inc->options);
    if (fabs(l.residual) <= limit * fmax(l.scale, LEAST_ENERGY)) {
        return FF_OK;
    }
    size_t worst = ff_leak_worst(&inc->leak, &inc->leaked, l.residual, m->time, &part, when);
    snprintf(text, sizeof inc->error.text,
             "%s: the residual %.3g J is %.2g of scale, above %.2g; the largest part, %.3g J, is "
             "from %s; it grew most %s",
             ff_status_text(FF_NOT_CLOSED), l.residual, fabs(l.residual) / l.scale, limit, part,
             worst < def->dio_count                    ? inc->dios[worst].name
             : worst < def->dio_count + def->sgn_count ? inc->sgns[worst - def->dio_count].name
             : worst < inc->leak.parties               ? "power (account external)"
                                                       : "the rates between forces",
             when);
    return FF_NOT_CLOSED;
}

/* ---- parameters ---- */

ff_status ff_design_sat(ff_friction *law, double mass, double stiffness, double damping_ratio) {
    if (law->law != ff_friction_law_find("sat") || !(mass > 0) || !(stiffness > 0) ||
        !(damping_ratio > 0) || !isfinite(mass * stiffness * damping_ratio)) {
        return FF_BAD_VALUE;
    }
    law->k = stiffness;
    law->beta = 2 * damping_ratio * sqrt(mass / stiffness);
    return FF_OK;
}
