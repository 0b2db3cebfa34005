/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/memory.h"
#include "parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- functions of the definition ---- */

/* Copies in pairs, because the engine reads pairs: a pair of numbers that were written one by one cannot be read as a pair
 * before both stores have completed. */
static void put_in(ff_equations *s, double t, const double *x) {
    double *w = s->work;
    const double *end = x + s->state_count, *pairs = x + s->state_count / 2 * 2;
    *w++ = t;
    for (; x < pairs; x += 2, w += 2) {
        memcpy(w, x, 2 * sizeof *w);
    }
    if (x < end) {
        *w = *x;
    }
}

static void take_rates(const ff_equations *s, double *dx) {
    const double *w = s->work;
    const size_t *from = s->rate_places, *end = from + s->state_count,
                 *pairs = from + s->state_count / 2 * 2;
    for (; from < pairs; from += 2, dx += 2) {
        const double pair[2] = {w[from[0]], w[from[1]]};
        memcpy(dx, pair, sizeof pair);
    }
    if (from < end) {
        *dx = w[*from];
    }
}

/* An inclusion keeps arguments and forces in the memory of the tape; other callers have them elsewhere. */
static void copy(double *to, const double *from, size_t count) {
    if (to != from && count > 0) {
        memcpy(to, from, count * sizeof *to);
    }
}

static inline void put_forces(ff_equations *s, const double *contact_forces,
                              const double *friction_forces) {
    if (contact_forces != s->def.contact || friction_forces != s->def.friction) {
        copy(s->def.contact, contact_forces, s->contact_count);
        copy(s->def.friction, friction_forces, s->width);
    }
}

/* Runs the groups up to this one: common parts are computed in the first group that needs them. */
static void run_to(ff_equations *s, int group) {
    while (s->done < group) {
        ff_tape_run(s->tape, (size_t)++s->done, s->work);
    }
}

/* Runs one group: those before it have been run, or are empty. */
static void run_one(ff_equations *s, int group) {
    s->done = group;
    ff_tape_run(s->tape, (size_t)group, s->work);
}

/* The engine calls arguments, factors and rates in this order, and omits factors if there are none. */
static void arguments(void *user, double t, const double *x, double *psi, double *theta) {
    ff_equations *s = user;
    put_in(s, t, x);
    run_one(s, FF_GROUP_ARGUMENTS);
    if (psi != s->def.psi || theta != s->def.theta) {
        copy(psi, s->def.psi, s->contact_count);
        copy(theta, s->def.theta, s->width);
    }
}

static void closing(void *user, double t, const double *x, double *psi_rate) {
    const ff_equations *s = user;
    (void)t, (void)x;
    for (size_t i = 0; i < s->contact_count; i++) {
        double rate = s->psi_rates_at[i];
        /* the rate of an open gap has no effect, so it may be NAN, such as that of a distance at 0 */
        psi_rate[i] = rate == rate || !(s->def.psi[i] > 0) ? rate : 0;
    }
}

static void factors(void *user, double t, const double *x, const double *forces, double *chi) {
    ff_equations *s = user;
    (void)t, (void)x;
    copy(s->def.contact, forces, s->contact_count);
    run_one(s, FF_GROUP_FACTORS);
    copy(chi, s->def.chi, s->friction_count);
}

static void rates(void *user, double t, const double *x, const double *contact_forces,
                  const double *friction_forces, double *dx) {
    ff_equations *s = user;
    (void)t, (void)x;
    put_forces(s, contact_forces, friction_forces);
    run_one(s, FF_GROUP_RATES);
    take_rates(s, dx);
}

/* The engine calls power after rates, and energy after factors, with the same t, x and forces. */
static double power(void *user, double t, const double *x, const double *contact_forces,
                    const double *friction_forces) {
    const ff_equations *s = user;
    (void)t, (void)x, (void)contact_forces, (void)friction_forces;
    return s->work[s->power_place];
}

/* The kinks of the expressions: known with the arguments or, if they contain forces, after those. */
static void events(void *user, double t, const double *x, double *values) {
    ff_equations *s = user;
    const size_t plain = s->kink_count - s->force_kinks;
    (void)t, (void)x;
    for (size_t i = 0; i < plain; i++) {
        values[i] = s->kinks_at[i];
    }
    if (s->force_kinks == 0) {
        return;
    }
    run_to(s, FF_GROUP_KINKS);
    for (size_t i = 0; i < s->force_kinks; i++) {
        values[plain + i] = s->work[ff_tape_place(s->tape, s->first_force_kink + i)];
    }
}

static double energy(void *user, double t, const double *x) {
    ff_equations *s = user;
    (void)t, (void)x;
    run_to(s, FF_GROUP_ENERGY);
    return s->work[s->energy_place];
}

static void output(void *user, const ff_inclusion_view *view, double *values) {
    ff_equations *s = user;
    put_in(s, view->time, view->x);
    put_forces(s, view->contact, view->friction);
    s->done = -1;
    run_to(s, FF_GROUP_REST);
    for (size_t i = 0, k = 0; i < s->output_count; i++) {
        for (unsigned c = 0; c < s->outputs[i].length; c++, k++) {
            values[k] = s->work[ff_tape_place(s->tape, s->first_output + k)];
        }
    }
}

const ff_equations *ff_equations_behind(const ff_inclusion_def *def) {
    return def->rates == rates ? def->user : NULL;
}

/* ---- compilation ---- */

/* Names for the tape: inputs in the order of their indices, then constants. */
static ff_expr_name_def *names_of_tape(const ff_equations *s, size_t *count) {
    static const ff_meaning order[] = {FF_MEANS_TIME, FF_MEANS_STATE, FF_MEANS_CONTACT,
                                       FF_MEANS_FRICTION, FF_MEANS_PARAMETER};
    ff_expr_name_def *names = ff_malloc((s->count + 1) * sizeof *names);
    *count = 0;
    for (size_t k = 0; names && k < sizeof order / sizeof *order; k++) {
        for (size_t i = 0; i < s->count; i++) {
            if (s->entries[i].meaning == order[k]) {
                names[(*count)++] = s->names[i];
            }
        }
    }
    return names;
}

/* Positions in `work`: inputs are t, states and forces; psi, theta, psi', kinks and chi are in order. */
static bool find_places(ff_equations *s) {
    for (size_t i = 0; i < s->friction_count; i++) {
        s->width += s->frictions[i].length;
    }
    const size_t closing_count = s->closes ? s->contact_count : 0,
                 kinks = s->kink_count - s->force_kinks;
    size_t at = s->contact_count + s->width + closing_count + kinks + s->friction_count;
    s->def.contact = s->work + 1 + s->state_count;
    s->def.friction = s->def.contact + s->contact_count;
    if (at > 0) {
        s->def.psi = s->work + ff_tape_place(s->tape, 0);
        s->def.theta = s->def.psi + s->contact_count;
        s->psi_rates_at = s->def.theta + s->width;
        s->kinks_at = s->psi_rates_at + closing_count;
        s->def.chi = s->def.theta + s->width + closing_count + kinks;
    }
    s->rate_places = ff_malloc((s->state_count + 1) * sizeof *s->rate_places);
    for (size_t i = 0; s->rate_places && i < s->state_count; i++) {
        s->rate_places[i] = ff_tape_place(s->tape, at++);
    }
    s->power_place = s->power ? ff_tape_place(s->tape, at++) : 0;
    s->energy_place = s->energy ? ff_tape_place(s->tape, at++) : 0;
    s->first_force_kink = at;
    s->first_output = at + s->force_kinks;
    return s->rate_places;
}

static void find_speeds(const ff_equations *s, int *speed) {
    /* a state whose rate is another state is a position */
    for (size_t i = 0; i < s->state_count; i++) {
        const ff_expr_node *node = ff_expr_at(s->pool, s->rates[i]);
        const ff_equations_entry *of =
            node->kind == FF_EXPR_NAME ? ff_equations_find(s, node->text) : NULL;
        speed[i] = of && of->meaning == FF_MEANS_STATE ? (int)of->number : -1;
    }
}

static ff_change change_of(const void *user, const char *name) {
    const ff_equations_entry *of = ff_equations_find(user, name);
    return !of || of->meaning == FF_MEANS_PARAMETER ? FF_CHANGES_NEVER
           : of->meaning == FF_MEANS_TIME           ? FF_CHANGES_BY_TIME
           : of->meaning == FF_MEANS_STATE          ? FF_CHANGES
                                                    : FF_CHANGES_WITH_FORCES;
}

/* The time at which a function of time alone is 0, if it is linear; otherwise NAN. */
static double time_of(ff_equations *s, ff_expr e) {
    ff_expr_error error;
    ff_expr t = ff_expr_name(s->pool, "t");
    ff_expr_scope scope = ff_equations_scope(s);
    double at[3];
    for (int i = 0; i < 3; i++) {
        ff_expr value = ff_expr_number(s->pool, i),
                there = ff_expr_replace(s->pool, e, &t, &value, 1);
        if (!there || ff_expr_value(s->pool, there, &scope, &at[i], 1, &error) < 0) {
            return NAN;
        }
    }
    double slope = at[1] - at[0], bend = at[2] - at[1] - slope;
    return fabs(bend) <= 1e-12 * fabs(slope) && slope != 0 ? -at[0] / slope : (double)NAN;
}

/* Finds the kinks of the right-hand side. A comparison with time is known beforehand: a switch. */
static ff_status find_kinks(ff_equations *s, const ff_expr *all, size_t count,
                            ff_expr_error *error) {
    size_t kept = 0;
    ff_status status = ff_kinks_find(s->pool, all, count, change_of, s, &s->kinks, &s->kink_count);
    if (status < 0) {
        return ff_equations_not_made(s, error);
    }
    for (size_t i = 0; i < s->kink_count; i++) {
        const ff_kink kink = s->kinks[i];
        double time = kink.of_time && kink.jumps ? time_of(s, kink.is) : (double)NAN;
        bool known = false;
        for (size_t j = 0; j < s->switch_count; j++) {
            known = known || fabs(s->switches[j] - time) <= 1e-12 * fabs(time);
        }
        if (isnan(time)) {
            s->kinks[kept++] = kink;
        } else if (!known && !ff_equations_add_switch(s, time)) {
            return ff_equations_no_memory(error);
        }
    }
    s->kink_count = kept;
    /* those with forces come last */
    ff_kink *sorted = ff_malloc((kept + 1) * sizeof *sorted);
    if (!sorted) {
        return ff_equations_no_memory(error);
    }
    size_t at = 0;
    for (int forces = 0; forces < 2; forces++) {
        for (size_t i = 0; i < kept; i++) {
            if (s->kinks[i].of_forces == forces) {
                sorted[at++] = s->kinks[i];
                s->force_kinks += (size_t)forces;
            }
        }
    }
    ff_free(s->kinks);
    s->kinks = sorted;
    return FF_OK;
}

/* All expressions in the order of the groups, and how many each has; NULL with a status on failure. */
static ff_expr *in_groups(ff_equations *s, size_t counts[FF_EQUATIONS_GROUPS], ff_status *status,
                          ff_expr_error *error) {
    const size_t m = s->contact_count, l = s->friction_count, n = s->state_count,
                 arguments_count = m + l + (s->closes ? m : 0);
    size_t k = 0;
    ff_expr *all = ff_malloc((arguments_count + l + n + 1) * sizeof *all), *grown = NULL;
    *status = all ? FF_OK : ff_equations_no_memory(error);
    for (size_t i = 0; i < m && all; i++) {
        all[k++] = s->contacts[i].psi;
    }
    for (size_t i = 0; i < l && all; i++) {
        all[k++] = s->frictions[i].theta;
    }
    for (size_t i = 0; i < m && s->closes && *status == FF_OK; i++) {
        all[k] = s->contacts[i].rate ? s->contacts[i].rate : ff_expr_number(s->pool, 0);
        *status = all[k++] ? FF_OK : ff_equations_not_made(s, error);
    }
    for (size_t i = 0; i < l && *status == FF_OK; i++) {
        all[k++] = s->frictions[i].chi;
    }
    for (size_t i = 0; i < n && *status == FF_OK; i++) {
        all[k++] = s->rates[i];
    }
    if (*status == FF_OK && s->power) {
        all[k++] = s->power;
    }
    /* everything that affects steps is complete: its kinks are evaluated with the arguments */
    *status = *status == FF_OK ? find_kinks(s, all, k, error) : *status;
    if (*status == FF_OK) {
        grown = ff_realloc(all, (k + s->kink_count + s->output_count + 1) * sizeof *grown);
        *status = grown ? FF_OK : ff_equations_no_memory(error);
    }
    if (*status < 0) {
        ff_free(all);
        return NULL;
    }
    const size_t plain = s->kink_count - s->force_kinks;
    memmove(grown + arguments_count + plain, grown + arguments_count,
            (k - arguments_count) * sizeof *grown);
    for (size_t i = 0; i < plain; i++) {
        grown[arguments_count + i] = s->kinks[i].is;
    }
    k += plain;
    if (s->energy) {
        grown[k++] = s->energy;
    }
    for (size_t i = plain; i < s->kink_count; i++) {
        grown[k++] = s->kinks[i].is;
    }
    for (size_t i = 0; i < s->output_count; i++) {
        grown[k++] = s->outputs[i].is;
    }
    memcpy(counts,
           (size_t[FF_EQUATIONS_GROUPS]){arguments_count + plain, l, n + (s->power > 0),
                                         s->energy > 0, s->force_kinks, s->output_count},
           FF_EQUATIONS_GROUPS * sizeof *counts);
    return grown;
}

ff_status ff_equations_finish(ff_equations *s, ff_expr_error *error) {
    const size_t m = s->contact_count, l = s->friction_count, n = s->state_count;
    size_t name_count, counts[FF_EQUATIONS_GROUPS];
    ff_status status;
    *error = (ff_expr_error){0};
    if (n == 0) {
        return ff_equations_fail(error, 0, "there are no states");
    }
    for (size_t i = 0; i < s->count; i++) {
        if (s->entries[i].meaning == FF_MEANS_STATE && !s->rates[s->entries[i].number]) {
            return ff_equations_fail(error, 0, "state '%.60s' has no rate", s->entries[i].name);
        }
    }
    if (s->energy && ff_equations_means(s, s->energy, FF_MEANS_CONTACT)) {
        return ff_equations_fail(
            error, 0,
            "energy depends only on the states: the energy stored in contacts is added to it");
    }
    for (size_t i = 0; i < m; i++) {
        s->closes = s->closes || s->contacts[i].rate;
    }
    s->start = ff_malloc((n + 1) * sizeof *s->start);
    s->state_names = ff_malloc((n + 1) * sizeof *s->state_names);
    s->dios = ff_calloc(m + 1, sizeof *s->dios);
    s->sgns = ff_calloc(l + 1, sizeof *s->sgns);
    s->state_units = ff_calloc(n + 1, sizeof *s->state_units);
    s->state_unit_names = ff_malloc((n + 1) * sizeof *s->state_unit_names);
    s->output_defs = ff_malloc((s->output_count + 1) * sizeof *s->output_defs);
    int *speed = ff_malloc((n + 1) * sizeof *speed);
    s->def.speed = speed;
    if (!s->start || !s->state_names || !s->state_units || !s->state_unit_names ||
        !s->output_defs || !s->dios || !s->sgns || !speed) {
        return ff_equations_no_memory(error);
    }
    for (size_t i = 0; i < s->count; i++) {
        const ff_equations_entry *e = &s->entries[i];
        if (e->meaning == FF_MEANS_STATE) {
            s->start[e->number] = e->value;
            s->state_names[e->number] = e->name;
        }
    }
    ff_expr *all = in_groups(s, counts, &status, error);
    ff_expr_name_def *names = names_of_tape(s, &name_count);
    if (status == FF_OK && !names) {
        status = ff_equations_no_memory(error);
    }
    if (status == FF_OK) {
        const ff_expr_scope scope = {names, name_count, NULL, 0};
        status = ff_tape_compile(s->pool, all, counts, FF_EQUATIONS_GROUPS, FF_GROUP_RATES, &scope,
                                 &s->tape, error);
    }
    ff_free(all);
    ff_free(names);
    if (status < 0) {
        return status;
    }
    s->silent = ff_malloc((s->kink_count + 1) * sizeof *s->silent);
    s->work = ff_malloc((ff_tape_room(s->tape) + 1) * sizeof *s->work);
    if (!s->work || !s->silent) {
        return ff_equations_no_memory(error);
    }
    ff_tape_begin(s->tape, s->work);
    for (size_t i = 0; i < m; i++) {
        s->dios[i] = (ff_dio_def){.name = ff_equations_contact(s, i), .law = s->contacts[i].law};
    }
    for (size_t i = 0; i < l; i++) {
        s->sgns[i] = (ff_sgn_def){.name = ff_equations_friction(s, i),
                                  .dimension = (int)s->frictions[i].length,
                                  .law = s->frictions[i].law};
        memcpy(s->sgns[i].shape, s->frictions[i].shape, sizeof s->sgns[i].shape);
    }
    find_speeds(s, speed);
    ff_inclusion_def def = ff_inclusion_def_default();
    def.states = n;
    def.start = s->start;
    def.names = s->state_names;
    def.speed = speed;
    def.dio_count = m;
    def.sgn_count = l;
    def.dios = s->dios;
    def.sgns = s->sgns;
    def.user = s;
    def.version = ff_tape_version(s->tape);
    def.arguments = arguments;
    def.closing = s->closes ? closing : NULL;
    def.factors = factors;
    def.rates = rates;
    for (size_t i = 0; i < s->kink_count; i++) {
        s->silent[i] = true;
    }
    def.event_count = s->kink_count;
    def.events = s->kink_count > 0 ? events : NULL;
    def.silent = s->silent;
    def.switch_count = s->switch_count;
    def.switches = s->switches;
    for (size_t i = 0; i < n; i++) {
        ff_equations_state_units(s, i, s->state_units[i]);
        s->state_unit_names[i] = s->state_units[i];
    }
    for (size_t i = 0; i < s->output_count; i++) {
        s->output_defs[i] =
            (ff_inclusion_output){s->outputs[i].name, s->outputs[i].units, s->outputs[i].length};
    }
    def.units = s->state_unit_names;
    def.output_count = s->output_count;
    def.outputs = s->output_defs;
    def.output = s->output_count > 0 ? output : NULL;
    def.energy = s->energy ? energy : NULL;
    def.power = s->power ? power : NULL;
    s->def = def;
    return find_places(s) ? FF_OK : ff_equations_no_memory(error);
}
