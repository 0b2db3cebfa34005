/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "inclusion.h"
#include "equations.h"
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
/* m, of how far friction gives way under a load, and N where a law does not: a factor this little below 0 is rounding */
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
    if (law->law->touch || law->law->leave) {
        return refuse(error, FF_BAD_VALUE,
                      "%s: a law whose states are set when a contact begins or ends is no function "
                      "of psi",
                      dio->name);
    }
    if (law->damped && !inc->def.closing) {
        return refuse(error, FF_MISSING,
                      "%s: its law has a damper and wants the rate of psi, which is not given",
                      dio->name);
    }
    dio->law = *law;
    dio->jumps = !law->law->gap;
    dio->clamps = dio->jumps && law->clamps;
    inc->closes = inc->closes || (inc->def.closing && (law->damped || dio->jumps));
    return FF_OK;
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
    const ff_friction_law *law = def->law.law;
    if (law->turns || def->law.lifts) {
        return refuse(error, FF_BAD_VALUE,
                      "%s: a law that answers with a moment or a lift is no function of theta",
                      sgn->name);
    }
    sgn->law = def->law;
    sgn->dimension = def->dimension;
    if (shape[0][0] != 0 || shape[0][1] != 0 || shape[1][0] != 0 || shape[1][1] != 0) {
        if (!law->ellipse || sgn->dimension != 2) {
            return refuse(error, FF_BAD_VALUE,
                          "%s: it has a shape, but not in R^2, or its law cannot be anisotropic",
                          sgn->name);
        }
        sgn->shaped = true;
        if (!ff_ellipse_init(&sgn->ellipse, shape)) {
            return refuse(error, FF_BAD_VALUE, "%s: its shape is singular", sgn->name);
        }
    }
    sgn->slips = law->slips;
    sgn->watched = law->slips || law->bend;
    sgn->losses = law->dry ? FF_LOST_VISCOUS : FF_LOST_VISCOUS + 1;
    sgn->graded = law->level == FF_LEVEL_LOAD;
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

/* Puts a dio into the row of the one before it, where that can be, or begins one. */
static void line_up_dio(ff_inclusion *inc, size_t i) {
    const ff_dio *dio = &inc->dios[i];
    ff_dio_row *last = inc->dio_rows + inc->dio_row_count - 1;
    const bool many = dio->law.form && !dio->jumps;
    if (many && i > 0 && last->push == dio->law.form->push_all) {
        last->row.count++;
        return;
    }
    inc->dio_rows[inc->dio_row_count++] =
        (ff_dio_row){.row = {.count = 1,
                             .stride = sizeof *dio,
                             .law = &dio->law,
                             .gap = inc->psi + i,
                             .gap_rate = inc->psi_rate + i,
                             .force = inc->contact + i},
                     .push = many ? dio->law.form->push_all : NULL,
                     .first = i,
                     .at = dio->at,
                     .integral = inc->lost_at + i};
}

static void line_up_sgn(ff_inclusion *inc, size_t i) {
    const ff_sgn *sgn = &inc->sgns[i];
    const ff_friction_form *form = sgn->shaped ? NULL : sgn->law.form;
    ff_sgn_row *last = inc->sgn_rows + inc->sgn_row_count - 1;
    if (form && i > 0 && last->rub && sgn[-1].law.law == sgn->law.law &&
        sgn[-1].dimension == sgn->dimension) {
        last->row.count++;
        return;
    }
    inc->sgn_rows[inc->sgn_row_count++] = (ff_sgn_row){.row = {.count = 1,
                                                               .stride = sizeof *sgn,
                                                               .law = &sgn->law,
                                                               .load = inc->chi + i,
                                                               .v = inc->theta + sgn->at,
                                                               .force = inc->friction + sgn->at,
                                                               .excess = inc->excess + i,
                                                               .graded = inc->graded + i,
                                                               .losses = sgn->losses,
                                                               .width = sgn->losses + sgn->graded},
                                                       .rub = !form                 ? NULL
                                                              : sgn->dimension == 1 ? form->lines
                                                                                    : form->planes,
                                                       .first = i,
                                                       .at = sgn->a_at,
                                                       .integral = sgn->integral};
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

/* The number of states and friction arguments, and room for all that may be in y, and for roots. */
static void count(ff_inclusion *inc, const ff_inclusion_def *def, size_t *size, size_t *roots) {
    *roots = 2 * def->dio_count + def->sgn_count + def->event_count;
    inc->width = 0;
    inc->lost_at = def->states;
    for (size_t i = 0; i < def->dio_count; i++) {
        inc->lost_at += (size_t)def->dios[i].law.states;
    }
    for (size_t i = 0; i < def->sgn_count; i++) {
        size_t dimension = def->sgns[i].dimension == 2 ? 2 : 1;
        inc->width += dimension;
        inc->lost_at += dimension * (size_t)def->sgns[i].law.vectors;
    }
    *size = inc->lost_at + def->dio_count + (FF_LOSSES + 1) * def->sgn_count + 1;
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
    FF_TAKE(a, inc->dio_rows, def->dio_count);
    FF_TAKE(a, inc->sgn_rows, def->sgn_count);
    FF_TAKE(a, inc->roots, roots);
    FF_TAKE(a, inc->stepper_memory, ff_stepper_room(size, rows(inc->options.method, states)));
    FF_TAKE(a, inc->march_memory, ff_march_room(size, functions));
    FF_TAKE(a, inc->above, roots);
    FF_TAKE(a, inc->last_above, roots);
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
    FF_TAKE(a, inc->excess, def->sgn_count);
    FF_TAKE(a, inc->graded, def->sgn_count);
    FF_TAKE(a, inc->inner_rates, size);
    FF_TAKE(a, inc->inside, size);
    FF_TAKE(a, inc->sums, (FF_PARTS + 1) * def->sgn_count);
    FF_TAKE(a, inc->books, def->sgn_count);
    FF_TAKE(a, inc->last_books, def->sgn_count);
    FF_TAKE(a, inc->e, def->dio_count);
    FF_TAKE(a, inc->a, inc->width);
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
    size_t root = 0, at = 0, state = def->states, integral = inc->lost_at + def->dio_count;
    for (size_t i = 0; i < def->dio_count && status == FF_OK; i++) {
        ff_dio *dio = &inc->dios[i];
        status = make_dio(inc, &def->dios[i], i, error);
        dio->at = state;
        state += (size_t)dio->law.states;
        dio->gap = root;
        inc->roots[root++] = (ff_root){FF_ROOT_GAP, i};
        if (dio->clamps) {
            inc->roots[root++] = (ff_root){FF_ROOT_HOLD, i};
        }
        if (status == FF_OK) {
            line_up_dio(inc, i);
        }
    }
    for (size_t i = 0; i < def->sgn_count && status == FF_OK; i++) {
        ff_sgn *sgn = &inc->sgns[i];
        status = make_sgn(inc, &def->sgns[i], i, error);
        sgn->at = at;
        at += (size_t)sgn->dimension;
        sgn->a_at = state;
        state += (size_t)(sgn->dimension * sgn->law.vectors);
        sgn->integral = integral;
        integral += sgn->losses + sgn->graded;
        inc->grades = inc->grades || (sgn->graded && def->ledger);
        if (sgn->watched) {
            sgn->root = root;
            inc->roots[root++] = (ff_root){sgn->slips ? FF_ROOT_GRIP : FF_ROOT_KINK, i};
        }
        if (status == FF_OK) {
            line_up_sgn(inc, i);
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

static void fix_scales(ff_inclusion *inc, size_t at, size_t states, double scale) {
    for (size_t i = at; i < at + states && scale > 0; i++) {
        inc->fixed[i] = true;
        inc->scales[i] = scale;
    }
}

/* The reciprocal of the error that each component may make. */
static void weigh(ff_inclusion *inc, size_t from) {
    ff_march *m = &inc->march;
    for (size_t i = from; i < m->stepper.n; i++) {
        m->per_weight[i] = 1 / (FF_LOCAL_PART * m->tol * inc->scales[i]);
    }
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
    for (size_t i = def->states; i < inc->lost_at; i++) {
        inc->speed[i] = -1;
        inc->scales[i] = own ? 1e-3 : LEAST_SCALE;
    }
    for (size_t i = 0; i < def->dio_count; i++) {
        const ff_dio *dio = &inc->dios[i];
        if (dio->law.states > 0) {
            m->y[dio->at] = def->dios[i].e;
        }
        fix_scales(inc, dio->at, (size_t)dio->law.states, def->dios[i].scale);
    }
    for (size_t i = 0; i < def->sgn_count; i++) {
        const ff_sgn *sgn = &inc->sgns[i];
        const ff_friction *law = &sgn->law;
        const size_t dimension = (size_t)sgn->dimension;
        if (law->vectors > 0) {
            memcpy(m->y + sgn->a_at, def->sgns[i].a, dimension * sizeof *m->y);
        }
        fix_scales(inc, sgn->a_at, dimension * (size_t)law->vectors, def->sgns[i].scale);
        double give = law->law->reach ? law->law->reach(law, 1) : 1;
        m->size[m->roots + i] = ROUNDING * fmax(1 / give, 1) / (10 * m->tol);
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
    weigh(inc, 0);
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
    }
    weigh(inc, inc->lost_at);
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
        least = fmin(least, 1e-3 / ff_inclusion_dio_pace(&inc->dios[i]));
    }
    for (size_t i = 0; i < inc->def.sgn_count; i++) {
        least = fmin(least, 1e-3 / ff_inclusion_sgn_pace(&inc->sgns[i]));
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
        const ff_root *root = &inc->roots[i];
        if (root->kind == FF_ROOT_HOLD) {
            m->above[i] = g[i] >= 0;
        } else if (root->kind != FF_ROOT_GAP || !inc->dios[root->of].jumps) {
            m->above[i] = g[i] > 0;
        }
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
    if (inc->error.text[0] != '\0') {
        return FF_BAD_VALUE;
    }
    inc->brink = nextafter(next_switch(inc), -INFINITY);
    ff_march_restart(m, 1e-3 * inc->options.until + 1e-9);
    ff_inclusion_open_books(inc);
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
    count(inc, def, &size, &roots);
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
    ff_stepper_init(&m->stepper, size, inc->lost_at, NULL, ff_inclusion_rates, inc,
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
            /* the force may be held at 0 from the beginning, but is not where it only begins at 0 */
            ff_inclusion_values(inc, m->time, m->y, false, m->g);
            m->above[root + 1] = m->g[root + 1] >= 0;
        }
        if (!dio->clamps || m->above[root + 1]) {
            queue(inc, above ? FF_TOUCHDOWN : FF_LIFTOFF, i, false);
        }
        if (!above && dio->jumps) {
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
    memcpy(inc->last_books, inc->books, inc->def.sgn_count * sizeof *inc->books);
    inc->last_brink = inc->brink;
    bool jumped = false;
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
        jumped = true;
        ff_march_restart(m, m->step);
    } else if (m->time == change_at) {
        for (size_t i = 0; i < inc->def.switch_count; i++) {
            if (inc->switches[i] == change_at) {
                queue(inc, FF_SWITCH, i, false);
            }
        }
        ff_march_restart(m, m->time - before);
        inc->brink = nextafter(next_switch(inc), -INFINITY);
        jumped = true;
    }
    if (inc->grades) {
        ff_inclusion_book(inc, jumped);
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

void ff_inclusion_observe(ff_inclusion *inc, double time) {
    ff_march *m = &inc->march;
    inc->seen_time = NAN;
    if (m->last_step > 0 && time >= m->last_time && time < m->time) {
        /* the interpolant may need rates: those of then */
        ff_inclusion_exchange(inc);
        ff_march_at(m, time, inc->seen);
        ff_inclusion_exchange(inc);
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
        ff_inclusion_exchange(inc);
    }
    ff_inclusion_evaluate(inc, *time < inc->brink ? *time : inc->brink, y);
    return y;
}

static void looked(ff_inclusion *inc) {
    if (!isnan(inc->seen_time)) {
        ff_inclusion_exchange(inc);
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
        inc->e[i] = dio->law.states > 0 ? y[dio->at] : 0;
    }
    for (size_t i = 0; i < inc->def.sgn_count; i++) {
        const ff_sgn *sgn = &inc->sgns[i];
        inc->slipping[i] = sgn->slips && inc->chi[i] > 0 && inc->excess[i] > 0;
        if (sgn->law.vectors > 0) {
            memcpy(inc->a + sgn->at, y + sgn->a_at, (size_t)sgn->dimension * sizeof *y);
        }
    }
    looked(inc);
    out.x = y, out.e = inc->e, out.a = inc->a;
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

static void add_sgn(const ff_inclusion *inc, size_t i, double time, const double *y,
                    ff_ledger *out) {
    const ff_sgn *sgn = &inc->sgns[i];
    out->tangential_spring += ff_inclusion_sgn_stored(inc, i, inc->chi[i], y);
    if (!inc->def.ledger) {
        return;
    }
    const double *lost = y + sgn->integral;
    out->tangential_damper += lost[FF_LOST_DAMPER];
    out->slip += lost[FF_LOST_SLIP];
    out->viscous += sgn->losses > FF_LOST_VISCOUS ? lost[FF_LOST_VISCOUS] : 0;
    if (sgn->graded) {
        ff_books now = ff_inclusion_books(inc, i, time, y);
        out->regrade += now.regrade;
        out->created += now.created;
    }
}

static ff_inclusion_energy energy_of(const ff_inclusion *inc, const ff_ledger *l) {
    double lost =
        l->normal_damper + l->tangential_damper + l->slip + l->viscous + l->regrade + l->created;
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
    const double *y = look(inc, &time);
    add_sgn(inc, sgn, time, y, &l);
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
            add_sgn(inc, i - def->dio_count, time, y, &out);
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

/* M x'' + K beta x' + K x = 0 has the damping ratio beta/2 sqrt(K/M) */
double ff_damping_time(double mass, double stiffness, double damping_ratio) {
    return 2 * damping_ratio * sqrt(mass / stiffness);
}

ff_status ff_design_sat(ff_friction *law, double mass, double stiffness, double damping_ratio) {
    double values[FF_LAW_PARAMS];
    if (!law->law->match || !(mass > 0) || !(stiffness > 0) || !(damping_ratio > 0) ||
        !isfinite(mass * stiffness * damping_ratio)) {
        return FF_BAD_VALUE;
    }
    memcpy(values, law->values, sizeof values);
    law->law->match(NAN, stiffness, ff_damping_time(mass, stiffness, damping_ratio), values);
    for (size_t i = 0; law->law->params[i].name; i++) {
        if (isnan(values[i])) {
            return FF_BAD_VALUE;
        }
    }
    return ff_friction_init(law, law->law, values, NULL);
}
