/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "inclusion.h"
#include "equations.h"
#include "law/params.h"
#include "num/def.h"
#include "num/memory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* initial value of a scale that is not given, SI units: small, since it grows with the state */
#define LEAST_SCALE 1e-6
/* tolerance for negative factors: in m of friction deflection under a load, or in N for laws without one; smaller values
 * are rounding */
#define ROUNDING 1e-12
void ff_inclusion_def_init(ff_inclusion_def *out, size_t size) {
    const ff_inclusion_def defaults = {.size = sizeof defaults, .ledger = true};
    ff_def_give(out, size, &defaults, sizeof defaults);
}

/* ---- models ---- */

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

/* Checks a dio. */
static ff_status check_dio(const ff_inclusion_def *def, size_t i, ff_error *error) {
    const ff_normal *law = &def->dios[i].law;
    char name[FF_NAME_ROOM];
    name_of(name, def->dios[i].name, "dio", i);
    if (ff_normal_check(law, NULL) < 0 || !isfinite(def->dios[i].e) || !(def->dios[i].scale >= 0)) {
        return refuse(error, FF_BAD_VALUE, "%s: a law, a finite e and a scale >= 0 are needed",
                      name);
    }
    if (law->law->touch || law->law->leave) {
        return refuse(
            error, FF_BAD_VALUE,
            "%s: a law whose states are set when a contact begins or ends is not a function of psi",
            name);
    }
    if (law->damped && !def->closing) {
        return refuse(error, FF_MISSING,
                      "%s: its law has a damper and needs the rate of psi, which is not given",
                      name);
    }
    return FF_OK;
}

static bool is_shaped(const ff_sgn_def *def) {
    return def->shape[0][0] != 0 || def->shape[0][1] != 0 || def->shape[1][0] != 0 ||
           def->shape[1][1] != 0;
}

static ff_status check_sgn(const ff_inclusion_def *def, size_t i, ff_error *error) {
    const ff_sgn_def *sgn = &def->sgns[i];
    const ff_friction_law *law = sgn->law.law;
    char name[FF_NAME_ROOM];
    ff_ellipse ellipse;
    name_of(name, sgn->name, "sgn", i);
    if (ff_friction_check(&sgn->law, NULL) < 0 || (sgn->dimension != 1 && sgn->dimension != 2) ||
        !isfinite(sgn->a[0] + sgn->a[1]) || !(sgn->scale >= 0)) {
        return refuse(error, FF_BAD_VALUE,
                      "%s: a law, 1 or 2 dimensions, a finite a and a scale >= 0 are needed", name);
    }
    if (sgn->law.turns || sgn->law.lifts) {
        return refuse(error, FF_BAD_VALUE,
                      "%s: a law with a moment or a lift is not a function of theta", name);
    }
    if (law->touch) {
        return refuse(error, FF_BAD_VALUE,
                      "%s: its law needs a contact with a depth, which a sgn does not have", name);
    }
    if (is_shaped(sgn) && (!law->ellipse || sgn->dimension != 2)) {
        return refuse(error, FF_BAD_VALUE,
                      "%s: it has a shape, but is not in R^2, or its law cannot be anisotropic",
                      name);
    }
    if (is_shaped(sgn) && !ff_ellipse_init(&ellipse, sgn->shape)) {
        return refuse(error, FF_BAD_VALUE, "%s: its shape is singular", name);
    }
    return FF_OK;
}

static ff_status check_def(const ff_inclusion_def *def, ff_error *error) {
    if (def->states == 0 || !def->start || !def->rates ||
        (def->dio_count + def->sgn_count > 0 && !def->arguments) ||
        (def->sgn_count > 0 && !def->factors) || (def->event_count > 0 && !def->events) ||
        (def->output_count > 0 && (!def->outputs || !def->output))) {
        return refuse(error, FF_MISSING,
                      "states, their start and all functions in use are needed%s", "");
    }
    for (size_t i = 0; i < def->states; i++) {
        if (!isfinite(def->start[i]) || (def->scale && !(def->scale[i] >= 0)) ||
            (def->speed && def->speed[i] >= (int)def->states)) {
            char name[FF_NAME_ROOM];
            name_of(name, def->names ? def->names[i] : NULL, "state", i);
            return refuse(error, FF_BAD_VALUE, "%s: its start, scale or speed is invalid", name);
        }
    }
    ff_status status = FF_OK;
    for (size_t i = 0; i < def->dio_count && status == FF_OK; i++) {
        status = check_dio(def, i, error);
    }
    for (size_t i = 0; i < def->sgn_count && status == FF_OK; i++) {
        status = check_sgn(def, i, error);
    }
    return status;
}

static void copy_unit(char out[FF_FIELD_UNIT], const char *given) {
    snprintf(out, FF_FIELD_UNIT, "%s", given ? given : "");
}

/* Copies a definition with its arrays and names into one block of memory. */
static void copy_def(const ff_inclusion_def *from, ff_arena *a, ff_inclusion_def *out) {
    double *start, *scale, *switches;
    int *speed;
    bool *silent;
    ff_dio_def *dios;
    ff_sgn_def *sgns;
    ff_inclusion_output *outputs;
    char(*names)[FF_NAME_ROOM], (*units)[FF_FIELD_UNIT];
    const char **name, **unit;
    FF_TAKE(a, start, from->states);
    FF_TAKE(a, scale, from->states);
    FF_TAKE(a, speed, from->states);
    FF_TAKE(a, switches, from->switch_count);
    FF_TAKE(a, silent, from->event_count);
    FF_TAKE(a, dios, from->dio_count);
    FF_TAKE(a, sgns, from->sgn_count);
    FF_TAKE(a, outputs, from->output_count);
    FF_TAKE(a, name, from->states);
    FF_TAKE(a, unit, from->states);
    FF_TAKE(a, names, from->states + from->dio_count + from->sgn_count + from->output_count);
    FF_TAKE(a, units, from->states + from->output_count);
    if (!a->at) {
        return;
    }
    *out = *from;
    for (size_t i = 0; i < from->states; i++) {
        start[i] = from->start[i];
        scale[i] = from->scale ? from->scale[i] : 0;
        speed[i] = from->speed ? from->speed[i] : -1;
        name_of(*names, from->names ? from->names[i] : NULL, "state", i);
        name[i] = *names++;
        copy_unit(*units, from->units ? from->units[i] : NULL);
        unit[i] = *units++;
    }
    for (size_t i = 0; i < from->dio_count; i++) {
        dios[i] = from->dios[i];
        name_of(*names, from->dios[i].name, "dio", i);
        dios[i].name = *names++;
    }
    for (size_t i = 0; i < from->sgn_count; i++) {
        sgns[i] = from->sgns[i];
        name_of(*names, from->sgns[i].name, "sgn", i);
        sgns[i].name = *names++;
    }
    for (size_t i = 0; i < from->output_count; i++) {
        outputs[i] = from->outputs[i];
        name_of(*names, from->outputs[i].name, "output", i);
        outputs[i].name = *names++;
        copy_unit(*units, from->outputs[i].unit);
        outputs[i].unit = *units++;
    }
    for (size_t i = 0; i < from->switch_count; i++) {
        switches[i] = from->switches[i];
    }
    for (size_t i = 0; i < from->event_count; i++) {
        silent[i] = from->silent && from->silent[i];
    }
    out->start = start;
    out->scale = scale;
    out->speed = from->speed ? speed : NULL;
    out->switches = switches;
    out->silent = silent;
    out->dios = dios;
    out->sgns = sgns;
    out->names = name;
    out->units = unit;
    out->outputs = outputs;
}

ff_status ff_inclusion_model(const ff_inclusion_def *given, ff_model **out, ff_error *error) {
    ff_inclusion_def taken = ff_inclusion_def_default(), *def = &taken;
    if (!FF_DEF_TAKE(def, given)) {
        return ff_def_refuse(error);
    }
    ff_status status = check_def(def, error);
    if (status < 0) {
        return status;
    }
    ff_arena room = {0};
    ff_inclusion_def *copy, none;
    ff_model *model = ff_calloc(1, sizeof *model);
    FF_TAKE(&room, copy, 1);
    copy_def(def, &room, &none);
    char *memory = model ? ff_calloc(room.used, 1) : NULL;
    if (!memory) {
        ff_free(model);
        return refuse(error, FF_NO_MEMORY, "%s", ff_status_text(FF_NO_MEMORY));
    }
    room = (ff_arena){memory, 0};
    FF_TAKE(&room, copy, 1);
    copy_def(def, &room, copy);
    model->kind = &ff_inclusion_kind;
    model->fields = &ff_inclusion_fields;
    model->source = memory;
    model->free_source = ff_free;
    model->run = ff_run_options_default();
    *out = model;
    return FF_OK;
}

const ff_inclusion_def *ff_model_inclusion(const ff_model *model) {
    return model->kind == &ff_inclusion_kind ? model->source : NULL;
}

ff_status ff_inclusion_create(const ff_inclusion_def *def, const ff_run_options *options,
                              ff_sim **out, ff_error *error) {
    ff_model *model;
    ff_status status = ff_inclusion_model(def, &model, error);
    if (status < 0) {
        return status;
    }
    status = ff_sim_create(model, options, out, error);
    if (status < 0) {
        ff_model_free(model);
        return status;
    }
    (*out)->own_model = model;
    return FF_OK;
}

/* ---- runs ---- */

static void no_arguments(void *user, double t, const double *x, double *psi, double *theta) {
    (void)user, (void)t, (void)x, (void)psi, (void)theta;
}

/* Adds a dio to the row of the previous one if possible, or begins a new row. */
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

/* Most rows of a full matrix by finite differences: 180 MB with its factors. */
enum { ROWS_MOST = 3000 };

/* Number of rows of a method's matrix, which is full; 0: none. auto stays explicit if it would be too large. */
static size_t rows(ff_method method, size_t states) {
    const bool none = !ff_method_implicit(method) || (method == FF_AUTO && states > ROWS_MOST);
    return none ? 0 : states;
}

static void make_dio(ff_inclusion *inc, size_t i) {
    const ff_normal *law = &inc->def.dios[i].law;
    ff_dio *dio = &inc->dios[i];
    dio->law = *law;
    dio->name = inc->def.dios[i].name;
    dio->jumps = !law->law->gap;
    dio->clamps = dio->jumps && law->clamps;
    dio->kinked = dio->jumps && law->kinked;
    inc->closes = inc->closes || (inc->def.closing && (law->damped || dio->jumps));
}

static void make_sgn(ff_inclusion *inc, size_t i) {
    const ff_sgn_def *def = &inc->def.sgns[i];
    const ff_friction_law *law = def->law.law;
    ff_sgn *sgn = &inc->sgns[i];
    sgn->law = def->law;
    sgn->name = def->name;
    sgn->dimension = def->dimension;
    sgn->shaped = is_shaped(def) && ff_ellipse_init(&sgn->ellipse, def->shape);
    sgn->slips = law->slips;
    sgn->watched = law->slips || law->bend;
    sgn->losses = law->dry ? FF_LOST_VISCOUS : FF_LOST_VISCOUS + 1;
    sgn->graded = law->level == FF_LEVEL_LOAD;
}

/* Positions in y and the number of root functions: those of each dio, sgn and event, then functions that must not change: a
 * factor for each sgn, and one that represents all arguments. */
static void count(ff_inclusion *inc) {
    const ff_inclusion_def *def = &inc->def;
    size_t roots = def->event_count, integral;
    inc->lost_at = def->states;
    for (size_t i = 0; i < def->dio_count; i++) {
        const ff_normal *law = &def->dios[i].law;
        inc->lost_at += (size_t)law->states;
        roots += 1u + (!law->law->gap && law->clamps) + (!law->law->gap && law->kinked);
    }
    integral = def->dio_count;
    for (size_t i = 0; i < def->sgn_count; i++) {
        const ff_friction_law *law = def->sgns[i].law.law;
        inc->width += (size_t)def->sgns[i].dimension;
        inc->lost_at += (size_t)(def->sgns[i].dimension * def->sgns[i].law.vectors);
        roots += law->slips || law->bend;
        integral += (size_t)(law->dry ? FF_LOST_VISCOUS : FF_LOST_VISCOUS + 1) +
                    (law->level == FF_LEVEL_LOAD);
    }
    inc->watched = inc->sim->options.events ? roots : 0;
    inc->work_at = inc->lost_at + (def->ledger ? integral : 0);
    inc->size = inc->work_at + (def->ledger && def->power);
}

/* Positions of the parts of a phase in its block; returns its size. */
static size_t lay_out_phase(const ff_inclusion *inc, char *block, ff_inclusion_phase *out) {
    ff_arena a = {block, 0};
    FF_TAKE(&a, out->brink, 1);
    FF_TAKE(&a, out->books, inc->def.sgn_count);
    FF_TAKE(&a, out->above, inc->watched);
    return a.used;
}

static void describe(ff_inclusion *inc) {
    ff_sim *sim = inc->sim;
    const ff_run_options *o = &sim->options;
    ff_inclusion_phase none;
    sim->flow = (ff_flow){.system = &ff_inclusion_system,
                          .self = inc,
                          .n = inc->size,
                          .states = inc->lost_at,
                          .rows = rows(o->method, inc->lost_at),
                          .phase_size = lay_out_phase(inc, NULL, &none),
                          .roots = inc->watched + inc->def.sgn_count + 1,
                          .switches_most = inc->def.switch_count,
                          .method = o->method,
                          .tol = o->tol,
                          .dt = o->dt,
                          .longest = o->max_step,
                          .evaluation = 250 + 100 * (double)inc->lost_at,
                          .jacobian = (double)inc->lost_at,
                          .differences = true,
                          .locates = o->events,
                          .arranges = inc->survey.timed || inc->survey.free};
}

/* allocates numbers, unless the caller provides them */
static void take(ff_arena *a, double **at, double *given, size_t count) {
    if (given) {
        *at = given;
    } else {
        FF_TAKE(a, *at, count);
    }
}

static void lay_out(ff_inclusion *inc, ff_arena *a) {
    const ff_inclusion_def *def = &inc->def;
    ff_flow *f = &inc->sim->flow;
    const size_t states = inc->lost_at, size = inc->size;
    ff_flow_lay_out_state(f, a);
    FF_TAKE(a, inc->scales, size);
    FF_TAKE(a, inc->sizes, f->roots);
    ff_inclusion_survey_lay_out_state(inc, a);
    ff_sim_lay_out_leak(inc->sim, a);
    ff_flow_lay_out_work(f, a);
    lay_out_phase(inc, f->phase, &inc->phases[0]);
    lay_out_phase(inc, f->last.phase, &inc->phases[1]);
    FF_TAKE(a, inc->dios, def->dio_count);
    FF_TAKE(a, inc->sgns, def->sgn_count);
    FF_TAKE(a, inc->dio_rows, def->dio_count);
    FF_TAKE(a, inc->sgn_rows, def->sgn_count);
    FF_TAKE(a, inc->roots, inc->watched);
    FF_TAKE(a, inc->noise, f->roots);
    FF_TAKE(a, inc->noise_part, f->roots);
    FF_TAKE(a, inc->values, f->roots);
    FF_TAKE(a, inc->first, size);
    FF_TAKE(a, inc->fixed, size);
    FF_TAKE(a, inc->speed, states);
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
    FF_TAKE(a, inc->e, def->dio_count);
    FF_TAKE(a, inc->a, inc->width);
    size_t outputs = 0;
    for (size_t i = 0; i < def->output_count; i++) {
        outputs += def->outputs[i].width;
    }
    FF_TAKE(a, inc->outputs, outputs);
    FF_TAKE(a, inc->touching, def->dio_count);
    FF_TAKE(a, inc->slipping, def->sgn_count);
    ff_inclusion_survey_lay_out_work(inc, a);
}

static void add_root(ff_inclusion *inc, size_t *root, ff_watched of, size_t i, ff_root_kind kind) {
    if (inc->sim->flow.locates) {
        inc->sim->flow.kinds[*root] = (unsigned char)kind;
        inc->roots[*root] = (ff_inclusion_root){.of = of, .i = i};
    }
    ++*root;
}

static void make_elements(ff_inclusion *inc) {
    const ff_inclusion_def *def = &inc->def;
    size_t root = 0, at = 0, state = def->states, integral = inc->lost_at + def->dio_count;
    for (size_t i = 0; i < def->dio_count; i++) {
        ff_dio *dio = &inc->dios[i];
        make_dio(inc, i);
        dio->at = state;
        state += (size_t)dio->law.states;
        dio->gap = root;
        /* a law without its own gap acts only on one side, others on both */
        add_root(inc, &root, FF_OF_GAP, i, dio->jumps ? FF_ROOT_MODE : FF_ROOT_EDGE);
        if (dio->clamps) {
            add_root(inc, &root, FF_OF_HOLD, i, FF_ROOT_EDGE);
        }
        if (dio->kinked) {
            add_root(inc, &root, FF_OF_TURN, i, FF_ROOT_KINK);
        }
        line_up_dio(inc, i);
    }
    for (size_t i = 0; i < def->sgn_count; i++) {
        ff_sgn *sgn = &inc->sgns[i];
        make_sgn(inc, i);
        sgn->at = at;
        at += (size_t)sgn->dimension;
        sgn->a_at = state;
        state += (size_t)(sgn->dimension * sgn->law.vectors);
        sgn->integral = integral;
        integral += sgn->losses + sgn->graded;
        inc->grades = inc->grades || (sgn->graded && def->ledger);
        if (sgn->watched) {
            sgn->root = root;
            add_root(inc, &root, sgn->slips ? FF_OF_GRIP : FF_OF_BEND, i,
                     sgn->slips ? FF_ROOT_EDGE : FF_ROOT_KINK);
        }
        line_up_sgn(inc, i);
    }
    for (size_t i = 0; i < def->event_count; i++) {
        add_root(inc, &root, FF_OF_USER, i, def->silent[i] ? FF_ROOT_KINK : FF_ROOT_USER);
    }
    for (size_t i = inc->watched; i < inc->sim->flow.roots; i++) {
        inc->sim->flow.kinds[i] = FF_ROOT_HELD;
    }
    for (size_t i = 0; i < inc->watched; i++) {
        inc->roots[i].bounded = ff_inclusion_survey_bounds(inc, i);
        inc->sim->flow.slopeless = inc->sim->flow.slopeless || !inc->roots[i].bounded;
    }
}

static void fix_scales(ff_inclusion *inc, size_t at, size_t states, double scale) {
    for (size_t i = at; i < at + states && scale > 0; i++) {
        inc->fixed[i] = true;
        inc->scales[i] = scale;
    }
}

/* Initialises scales, start values and the properties of states that methods need. */
static void fill(ff_inclusion *inc) {
    const ff_inclusion_def *def = &inc->def;
    const double tol = inc->sim->options.tol;
    double *y = inc->sim->flow.y;
    for (size_t i = 0; i < def->states; i++) {
        y[i] = def->start[i];
        inc->fixed[i] = def->scale[i] > 0;
        inc->scales[i] = inc->fixed[i] ? def->scale[i] : fmax(fabs(def->start[i]), LEAST_SCALE);
        inc->speed[i] = def->speed ? def->speed[i] : -1;
        if (inc->speed[i] >= 0) {
            inc->first[inc->speed[i]] = true;
        }
    }
    for (size_t i = def->states; i < inc->lost_at; i++) {
        inc->speed[i] = -1;
        inc->scales[i] = LEAST_SCALE;
    }
    for (size_t i = 0; i < def->dio_count; i++) {
        const ff_dio *dio = &inc->dios[i];
        if (dio->law.states > 0) {
            y[dio->at] = def->dios[i].e;
        }
        fix_scales(inc, dio->at, (size_t)dio->law.states, def->dios[i].scale);
    }
    /* a function this small compared with its largest value so far is rounding, and its sign is meaningless */
    for (size_t i = 0; i < inc->watched; i++) {
        inc->noise_part[i] = 1e-13;
    }
    /* functions that must not change may do so within errors of the tolerance */
    for (size_t i = 0; i < def->sgn_count; i++) {
        const ff_sgn *sgn = &inc->sgns[i];
        const ff_friction *law = &sgn->law;
        const size_t dimension = (size_t)sgn->dimension;
        if (law->vectors > 0) {
            memcpy(y + sgn->a_at, def->sgns[i].a, dimension * sizeof *y);
        }
        fix_scales(inc, sgn->a_at, dimension * (size_t)law->vectors, def->sgns[i].scale);
        double give = law->law->reach ? law->law->reach(law, 1) : 1;
        inc->noise_part[inc->watched + i] = 10 * tol;
        inc->sizes[inc->watched + i] = ROUNDING * fmax(1 / give, 1) / (10 * tol);
    }
    /* kinks are located to the tolerance: a function that stays at 0 must not end every step with its errors */
    for (size_t i = 0; i < inc->watched; i++) {
        const ff_watched of = inc->roots[i].of;
        if (of == FF_OF_TURN || (of == FF_OF_USER && def->silent[inc->roots[i].i])) {
            inc->noise_part[i] = tol;
        }
    }
    for (size_t i = inc->lost_at; i < inc->size; i++) {
        inc->scales[i] = FF_LEAST_ENERGY;
    }
    ff_inclusion_weigh(inc, 0);
}

/* The shortest first step: a small fraction of the shortest time constant of a law. */
static double least_step(const ff_inclusion *inc) {
    double least = 1e-6 * inc->sim->options.until;
    for (size_t i = 0; i < inc->def.dio_count; i++) {
        least = fmin(least, 1e-3 / ff_inclusion_dio_pace(&inc->dios[i]));
    }
    for (size_t i = 0; i < inc->def.sgn_count; i++) {
        least = fmin(least, 1e-3 / ff_inclusion_sgn_pace(&inc->sgns[i]));
    }
    return least;
}

/* Determines on which side of 0 functions are at the start. */
static ff_status begin(ff_inclusion *inc, ff_error *error) {
    ff_sim *sim = inc->sim;
    ff_flow *f = &sim->flow;
    const ff_inclusion_phase *phase = &inc->phases[0];
    ff_inclusion_size_noise(inc);
    *phase->brink = INFINITY;
    /* laws without their own gap: in contact if psi < 0, or if psi is 0 and closing */
    ff_inclusion_evaluate(inc, phase, 0, f->y);
    for (size_t i = 0; i < inc->def.dio_count && f->locates; i++) {
        bool closing = inc->closes && inc->psi_rate[i] < 0;
        phase->above[inc->dios[i].gap] = inc->psi[i] < 0 || (inc->psi[i] == 0 && closing);
    }
    ff_inclusion_values(inc, 0, f->y, false);
    for (size_t i = 0; i < inc->watched; i++) {
        const ff_inclusion_root *root = &inc->roots[i];
        if (root->of == FF_OF_HOLD) {
            phase->above[i] = inc->values[i] >= 0;
        } else if (root->of != FF_OF_GAP || !inc->dios[root->i].jumps) {
            phase->above[i] = inc->values[i] > 0;
        }
    }
    for (size_t i = 0; i < inc->def.sgn_count; i++) {
        const size_t held = inc->watched + i;
        if (inc->chi[i] < -inc->noise[held]) {
            return ff_model_fail(error, FF_BAD_VALUE, "the factor of %s is negative at t = 0",
                                 inc->sgns[i].name);
        }
    }
    inc->blaming = true;
    ff_inclusion_rates(inc, 0, f->y, f->scratch);
    inc->blaming = false;
    if (sim->error[0] != '\0') {
        return ff_model_fail(error, FF_BAD_VALUE, "%s", sim->error);
    }
    *phase->brink = nextafter(ff_inclusion_next(inc, 0), -INFINITY);
    ff_flow_begin(f, 1, 1e-3 * sim->options.until + 1e-9, least_step(inc));
    for (size_t i = 0; i < f->roots; i++) {
        inc->sizes[i] = fmax(inc->sizes[i], fabs(f->here[i].g));
    }
    ff_inclusion_size_noise(inc);
    ff_inclusion_survey_note(inc);
    ff_inclusion_open_books(inc);
    ff_verdict_begin(sim);
    ff_inclusion_note(sim, FF_EVENT);
    return FF_OK;
}

ff_status ff_inclusion_make(ff_sim *sim, ff_error *error) {
    ff_inclusion *inc = sim->own = ff_calloc(1, sizeof *inc);
    ff_arena room = {0};
    if (!inc) {
        return FF_NO_MEMORY;
    }
    inc->sim = sim;
    inc->def = *ff_model_inclusion(sim->model);
    inc->def.arguments = inc->def.arguments ? inc->def.arguments : no_arguments;
    count(inc);
    if (rows(sim->options.method, inc->lost_at) > ROWS_MOST) {
        return refuse(error, FF_BAD_VALUE, "there are too many states for %s",
                      ff_method_name(sim->options.method));
    }
    ff_status status = ff_inclusion_survey_prepare(inc);
    if (status < 0) {
        return status;
    }
    describe(inc);
    lay_out(inc, &room);
    room = (ff_arena){ff_calloc(room.used, 1), 0};
    if (!room.at) {
        return FF_NO_MEMORY;
    }
    sim->memory = room.at;
    lay_out(inc, &room);
    status = ff_inclusion_survey_prepare(inc);
    make_elements(inc);
    status = status < 0 ? status : ff_flow_init(&sim->flow, NULL);
    if (status < 0) {
        return status;
    }
    sim->flow.stepper.scales = inc->scales;
    sim->flow.stepper.first = inc->first;
    sim->flow.stepper.speed = inc->def.speed ? inc->speed : NULL;
    sim->flow.stepper.timed = true;
    fill(inc);
    return begin(inc, error);
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
    return ff_friction_make(law, law->law, values, NULL);
}
