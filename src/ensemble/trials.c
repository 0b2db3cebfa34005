/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "trials.h"
#include "num/arena.h"
#include "num/isa.h"
#include "num/memory.h"
#include <assert.h>
#include <string.h>

static ff_trials_try best_try(void) {
#if FF_X86
    if (ff_isa_has(FF_ISA_AVX512)) {
        return ff_trials_try_avx512;
    }
    if (ff_isa_has(FF_ISA_AVX2)) {
        return ff_trials_try_avx2;
    }
#endif
    return ff_trials_try_plain;
}

/* A row of a lane, and its position in y. */
typedef struct place {
    size_t row, at;
} place;

/* One run. */
typedef struct trial {
    ff_sim *sim;      /* borrowed; NULL: none */
    ff_mode *modes;   /* modes of its slots for which its contacts are laid out */
    size_t *touching; /* slots that touch, in their order: the contacts of the lane */
    place *places;    /* rows of the body and of these slots */
    size_t place_count;
    bool laid_out;
    int lane;
    const struct crew *crew;
    size_t counts[FF_USER + 1];
} trial;

/* The runs in progress on one thread. */
typedef struct crew {
    const ff_model *model;
    const ff_ensemble_feed *feed;
    ff_trials_try try;
    ff_trials t;
    trial lanes[FF_TRIALS];
    size_t *kind; /* index of the laws of each slot */
    bool changed; /* contacts of some lane were laid out */
    size_t steps; /* of all runs */
    bool stopped; /* by the feed */
} crew;

static_assert((int)FF_TRIALS <= (int)FF_ENSEMBLE_RUNS, "the feed has as many lanes");

/* ---- from a sim to its lane and back ---- */

static void put_pair(const ff_slot *s, int l, ff_trial_pair *p) {
    p->centred[l] = s->center[0] == 0 && s->center[1] == 0 && s->center[2] == 0 ? -1 : 0;
    p->radius[l] = s->radius;
    p->level[l] = s->level;
    for (int i = 0; i < 3; i++) {
        p->center[i][l] = s->center[i];
        p->normal[i][l] = s->normal[i];
    }
}

/* Clears a row of a lane, which then is constant and has no error, and gives it a place in y if it has one. */
static void put_row(crew *e, int l, size_t row, size_t at) {
    trial *lane = &e->lanes[l];
    e->t.y[row][l] = e->t.k[0][row][l] = e->t.per_weight[row][l] = 0;
    /* a step that goes on begins with these; what a failed run has left may not be finite */
    e->t.y1[row][l] = e->t.k[6][row][l] = 0;
    if (at != SIZE_MAX) {
        lane->places[lane->place_count++] = (place){row, at};
    }
}

/* Lays out contact `at` of a lane: that of a slot, or none (SIZE_MAX). */
static void lay_out_contact(crew *e, int l, size_t at, size_t slot) {
    const ff_sim *sim = e->lanes[l].sim;
    const ff_slot *s = slot == SIZE_MAX ? NULL : &sim->reduced->slots[slot];
    const bool deflects = s && s->slides && s->friction.vectors > 0;
    ff_trial_contact *c = &e->t.contact[at];
    c->on[l] = s ? -1 : 0;
    for (size_t k = 0; k < FF_TRIAL_U; k++) {
        put_row(e, l, FF_BODY_STRIDE + FF_TRIAL_U * at + k,
                deflects ? s->state_at + (size_t)ff_slot_u(s) + k : SIZE_MAX);
    }
    for (size_t k = 0; k < FF_TRIAL_ACCOUNTS; k++) {
        put_row(e, l, e->t.accounts + FF_TRIAL_ACCOUNTS * at + k,
                s && s->integral[k] >= 0 ? s->integral_at + (size_t)s->integral[k] : SIZE_MAX);
    }
    if (!s) {
        return;
    }
    c->open[l] = sim->phase.modes[slot] == FF_LOADED ? -1 : 0;
    c->kind[l] = (double)e->kind[slot];
    put_pair(s, l, &c->pair);
    for (int i = 0; i < FF_LAW_NUMBERS; i++) {
        c->law[i][l] = s->law.numbers[i];
        c->friction[i][l] = s->friction.numbers[i];
    }
}

/* Lays out the contacts of a lane that touch, if that has changed; none if it has no run. */
static void lay_out(crew *e, int l) {
    trial *lane = &e->lanes[l];
    const size_t slots = e->t.slots, before = e->t.contacts[l];
    const ff_mode *modes = lane->sim ? lane->sim->phase.modes : NULL;
    if (modes && lane->laid_out && memcmp(lane->modes, modes, slots * sizeof *modes) == 0) {
        return;
    }
    size_t count = 0;
    lane->laid_out = modes;
    lane->place_count = 0;
    for (size_t r = 0; r < FF_BODY_STRIDE; r++) {
        put_row(e, l, r, r);
    }
    for (size_t i = 0; i < slots && modes; i++) {
        lane->modes[i] = modes[i];
        if (modes[i] != FF_AIR) {
            lane->touching[count] = i;
            lay_out_contact(e, l, count++, i);
        }
    }
    e->t.contacts[l] = count;
    for (size_t at = count; at < before; at++) {
        lay_out_contact(e, l, at, SIZE_MAX);
    }
    e->changed = true;
}

/* Fills in the rates of the step that was tried for a lane. Components without a row have rate 0. */
static void fetch(void *user) {
    const trial *lane = user;
    const ff_trials *t = &lane->crew->t;
    const ff_flow *f = &lane->sim->flow;
    for (int k = 0; k < 7; k += k == 0 ? 2 : 1) {
        double *to = f->stepper.k[k];
        memset(to, 0, f->n * sizeof *to);
        for (size_t i = 0; i < lane->place_count; i++) {
            to[lane->places[i].at] = t->k[k][lane->places[i].row][lane->lane];
        }
    }
}

/* Takes the start of the step that the flow of a lane waits for. */
static void load(crew *e, int l) {
    static const double offsets[6] = {1.0 / 5, 0.3, 0.8, 8.0 / 9, 1, 1};
    trial *lane = &e->lanes[l];
    ff_flow *f = &lane->sim->flow;
    ff_stepper *s = &f->stepper;
    ff_trials *t = &e->t;
    const ff_clock *clock = &f->now.clock;
    const double h = f->trial.h;
    /* the last step was tried here, and neither y nor the rates have changed since: FSAL, or a rejected step */
    const bool known = s->fetch;
    t->goes_on[l] = known && s->taken ? -1 : 0;
    ff_stepper_hand_out(s, clock->x, h, fetch, lane);
    lay_out(e, l);
    t->h[l] = h;
    for (int i = 0; i < 6; i++) {
        const double x = clock->x + (i == 0 ? h / 5 : offsets[i] * h);
        t->pace[i][l] = clock->power * ff_power_of(x, clock->power - 1);
    }
    for (size_t i = 0; i < lane->place_count; i++) {
        const size_t row = lane->places[i].row, at = lane->places[i].at;
        t->per_weight[row][l] = f->per_weight[at];
    }
    if (!known) {
        for (size_t i = 0; i < lane->place_count; i++) {
            const size_t row = lane->places[i].row, at = lane->places[i].at;
            t->y[row][l] = f->y[at];
            t->k[0][row][l] = s->k[0][at];
        }
        /* components without a row: the sum of ode/dopri5.inc with rates of 0 */
        for (size_t i = 0; i < f->n; i++) {
            s->y1[i] = f->y[i] + 0.0;
        }
    }
    for (size_t at = 0; at < t->contacts[l]; at++) {
        const ff_slot *slot = &lane->sim->reduced->slots[lane->touching[at]];
        t->contact[at].latched[l] = slot->law.states > 0 ? f->y[slot->state_at] : 0;
    }
}

/* Gives the step that was tried to the flow of a lane. */
static void unload(crew *e, int l) {
    trial *lane = &e->lanes[l];
    ff_sim *sim = lane->sim;
    ff_flow *f = &sim->flow;
    ff_stepper *s = &f->stepper;
    const ff_trials *t = &e->t;
    for (size_t i = 0; i < lane->place_count; i++) {
        s->y1[lane->places[i].at] = t->y1[lane->places[i].row][l];
    }
    for (size_t at = 0; at < t->contacts[l]; at++) {
        double kept[FF_TRIAL_KEPT];
        for (int j = 0; j < FF_TRIAL_KEPT; j++) {
            kept[j] = t->contact[at].kept[j][l];
        }
        memcpy(&sim->touches[lane->touching[at]], kept, sizeof kept);
    }
    for (size_t i = 0; i < t->slots; i++) {
        if (lane->modes[i] == FF_AIR) {
            sim->touches[i].z = t->z[i][l];
            sim->touches[i].zdot = t->zdot[i][l];
        }
    }
    sim->looked = false;
    s->bend = t->bend[l];
    s->stiffness = t->stiffness[l];
    f->trial.error = t->error[l];
    f->trial.made = true;
}

/* ---- runs ---- */

const char *ff_trials_refusal(const ff_model *model, const ff_run_options *o) {
    return model->bodies[0].locked ? "the body is locked"
           : !o->events            ? "events are not located"
           : o->method != FF_AUTO && o->method != FF_DOPRI5
               ? "the method is neither auto nor dopri5"
               : NULL;
}

/* Whether a run can share the lanes with the others. */
static bool fits(const crew *e, const ff_sim *sim) {
    const ff_model *model = sim->model, *all = e->model;
    bool out = sim->reduced == model && !ff_ensemble_refusal(model, &sim->options) &&
               !model->bodies[0].free_turning && model->bodies[0].round == all->bodies[0].round &&
               model->slot_count == all->slot_count;
    for (size_t i = 0; i < model->slot_count && out; i++) {
        const ff_slot *a = &model->slots[i], *b = &all->slots[i];
        out = a->law.form == b->law.form && a->slides == b->slides && a->graded == b->graded &&
              a->friction.form == b->friction.form && a->friction.law == b->friction.law;
    }
    return out;
}

/* The numbers of the body of a new run. */
static void begin(crew *e, int l) {
    trial *lane = &e->lanes[l];
    const ff_model *model = lane->sim->reduced;
    const ff_model_body *body = &model->bodies[0];
    ff_trials *t = &e->t;
    lane->laid_out = false;
    memset(lane->counts, 0, sizeof lane->counts);
    lane->sim->flow.trial.elsewhere = true;
    t->per_mass[l] = body->per_mass;
    for (size_t i = 0; i < t->slots; i++) {
        put_pair(&model->slots[i], l, &t->slot[i]);
    }
    for (int i = 0; i < 3; i++) {
        t->gravity[i][l] = model->gravity[i];
        for (int j = 0; j < 3; j++) {
            t->inertia[i][j][l] = body->inertia[i][j];
            t->per_inertia[i][j][l] = body->per_inertia[i][j];
        }
    }
}

/* Lets the flow of a sim try its own steps again. */
static void release(ff_sim *sim) {
    ff_flow *f = &sim->flow;
    ff_stepper_fetch(&f->stepper);
    f->stepper.fetch = NULL;
    f->trial.elsewhere = f->trial.made = false;
}

/* Ends the run of a lane. */
static void end(crew *e, int l, bool good) {
    trial *lane = &e->lanes[l];
    release(lane->sim);
    e->feed->done(e->feed->user, l, lane->counts, good);
    lane->sim = NULL;
}

/* steps between two calls of stop(): a few hundredths of a second, or a few tenths for implicit steps */
enum { STEPS = 16384 };

/* Makes the steps of a run until one waits to be tried, or the feed stops. False if the run has ended. */
static bool advance(crew *e, int l) {
    trial *lane = &e->lanes[l];
    ff_sim *sim = lane->sim;
    const ff_ensemble_feed *feed = e->feed;
    const double until = sim->options.until;
    for (;;) {
        if (++e->steps % STEPS == 0 && feed->stop && feed->stop(feed->user)) {
            e->stopped = true;
            return true;
        }
        const ff_status status = ff_sim_step_once(sim, until);
        if (sim->flow.trial.waits) {
            return true;
        }
        if (status < 0) {
            end(e, l, false);
            return false;
        }
        if (feed->step) {
            feed->step(feed->user, l, &(ff_ensemble_step){.end = ff_sim_time(sim), .sim = sim});
        }
        if (status == FF_EVENT) {
            lane->counts[ff_sim_event(sim)->kind]++;
            if (feed->event) {
                feed->event(feed->user, l);
            }
        }
        if (!(ff_sim_time(sim) < until)) {
            end(e, l, true);
            return false;
        }
    }
}

/* Lets the run of a lane, or the next ones, go on until a step waits to be tried. False if the feed has no more runs. */
static bool prepare(crew *e, int l) {
    trial *lane = &e->lanes[l];
    while (!lane->sim || !advance(e, l)) {
        if (!e->feed->next(e->feed->user, l, &lane->sim)) {
            lane->sim = NULL;
            return false;
        }
        if (fits(e, lane->sim)) {
            begin(e, l);
        } else {
            memset(lane->counts, 0, sizeof lane->counts);
            end(e, l, false);
        }
    }
    return true;
}

/* Lists the laws that lanes have in a contact. */
static void list_kinds(ff_trial_contact *c) {
    c->kind_count = 0;
    for (int l = 0; l < FF_TRIALS; l++) {
        int k = 0;
        while (k < c->kind_count && c->kinds[k] != (size_t)c->kind[l]) {
            k++;
        }
        if (c->on[l] && k == c->kind_count) {
            c->kinds[c->kind_count++] = (size_t)c->kind[l];
        }
    }
}

static void run(crew *e) {
    uint32_t live = (1u << FF_TRIALS) - 1;
    while (live) {
        for (uint32_t rest = live; rest && !e->stopped; rest &= rest - 1) {
            const int l = __builtin_ctz(rest);
            if (!prepare(e, l)) {
                live &= ~(1u << l);
                lay_out(e, l);
            }
        }
        if (e->stopped) {
            break;
        }
        for (uint32_t rest = live; rest; rest &= rest - 1) {
            load(e, __builtin_ctz(rest));
        }
        for (size_t at = 0; at < e->t.slots && e->changed; at++) {
            list_kinds(&e->t.contact[at]);
        }
        e->changed = false;
        e->try(&e->t);
        for (uint32_t rest = live; rest; rest &= rest - 1) {
            unload(e, __builtin_ctz(rest));
        }
    }
    for (int l = 0; l < FF_TRIALS; l++) {
        if (e->lanes[l].sim) {
            release(e->lanes[l].sim);
        }
    }
}

/* Lays out all arrays. */
static void lay_out_all(crew *e, ff_arena *a) {
    const size_t slots = e->model->slot_count, rows = e->t.accounts + FF_TRIAL_ACCOUNTS * slots;
    ff_trials *t = &e->t;
    FF_TAKE(a, t->contact, slots);
    FF_TAKE(a, t->slot, slots);
    FF_TAKE(a, t->z, slots);
    FF_TAKE(a, t->zdot, slots);
    FF_TAKE(a, t->laws, slots);
    FF_TAKE(a, t->y, rows);
    FF_TAKE(a, t->y1, rows);
    FF_TAKE(a, t->stage, rows);
    FF_TAKE(a, t->per_weight, rows);
    for (int k = 0; k < 7; k++) {
        FF_TAKE(a, t->k[k], rows);
    }
    for (int l = 0; l < FF_TRIALS; l++) {
        FF_TAKE(a, e->lanes[l].modes, slots);
        FF_TAKE(a, e->lanes[l].touching, slots);
        FF_TAKE(a, e->lanes[l].places, rows);
    }
    FF_TAKE(a, e->kind, slots);
}

ff_status ff_trials_run(const ff_model *model, const ff_ensemble_feed *feed) {
    char *at, *arrays = NULL, *block = ff_lane_memory(sizeof(crew), &at);
    ff_arena a = {NULL, 0};
    crew *e = (crew *)(void *)at;
    if (e) {
        e->model = model;
        e->feed = feed;
        e->try = best_try();
        e->t.round = model->bodies[0].round;
        e->t.slots = model->slot_count;
        e->t.accounts = FF_BODY_STRIDE + FF_TRIAL_U * model->slot_count;
        lay_out_all(e, &a);
        arrays = ff_lane_memory(a.used, &a.at);
    }
    if (arrays) {
        a.used = 0;
        lay_out_all(e, &a);
        for (int l = 0; l < FF_TRIALS; l++) {
            e->lanes[l].lane = l;
            e->lanes[l].crew = e;
        }
        ff_lane_laws_list(model, e->t.laws, e->kind);
        run(e);
    }
    const ff_status status = arrays ? FF_OK : FF_NO_MEMORY;
    ff_free(arrays);
    ff_free(block);
    return status;
}
