/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "ensemble.h"
#include "lane.h"
#include "num/memory.h"
#include "trials.h"
#include <assert.h>
#include <math.h>
#include <stdint.h>

int ff_ensemble_width(void) { return ff_lane_work_best()->width; }

/* All reasons to refuse a contact or a model, except laws without lanes. */
static const char *refuse_slot(const ff_slot *s) {
    const ff_friction *friction = &s->friction;
    return s->other >= 0 ? "two bodies may touch"
           : s->motion || s->rise != 0 || s->skin[0] != 0 || s->skin[1] != 0 || s->skin[2] != 0
               ? "the plane moves"
           : s->gated || s->stateful ? "the contact has a state of its own"
           : s->share != 0           ? "the lever of its force is r - z"
           : s->filtered || s->rests || s->law.states > 1 ||
                   (s->law.states == 1 && !s->law.law->touch)
               ? "the normal law has an inner state"
           : s->law.adhesion > 0 ? "the contact adheres"
           : s->turns || s->resists || s->lifts || friction->lifts || friction->keeps ||
                   friction->vectors > 1 || friction->scalars > 0 || friction->law->touch
               ? "the friction law has no lanes"
               : NULL;
}

static const char *refuse_slots(const ff_model *model) {
    const char *why = NULL;
    for (size_t i = 0; i < model->slot_count && !why; i++) {
        why = refuse_slot(&model->slots[i]);
    }
    return why;
}

/* Reasons to refuse a sphere about its centre of mass. */
static const char *refuse_sphere(const ff_model *model, const ff_run_options *o) {
    return model->bodies[0].locked              ? "the body is locked"
           : model->slot_count > FF_LANE_PLANES ? "there are more than eight planes"
           : model->slot_count > 1 && !o->events
               ? "steps have a fixed length, and there are several planes"
           : o->method != FF_AUTO && o->method != FF_DOPRI5 && o->method != FF_RK4
               ? "the method is none of auto, dopri5 and rk4"
           : o->events && o->method == FF_RK4   ? "steps of rk4 end at events"
           : !o->events && o->method != FF_RK4  ? "events are not located"
           : isfinite(o->max_step) && o->events ? "steps have a greatest length"
                                                : NULL;
}

static const char *refuse(const ff_model *model, const ff_run_options *o) {
    const char *why = model->crowd || model->kind || model->open ? "it is no small scene"
                      : model->body_count != 1                   ? "it has several bodies"
                      : model->tree || model->joint_count > 0    ? "it has joints"
                      : model->force_count > 0                   ? "forces are applied"
                      : model->event_count > 0                   ? "it has events of its own"
                      : model->topology->controls.program || model->topology->controls.own_count > 0
                          ? "it has controllers"
                      : model->slot_count < 1 ? "there is no contact"
                      : !(o->until > 0)       ? "the run has no end"
                                              : NULL;
    why = why                             ? why
          : model->bodies[0].free_turning ? refuse_sphere(model, o)
                                          : ff_trials_refusal(model, o);
    return why ? why : refuse_slots(model);
}

const char *ff_ensemble_refusal(const ff_model *model, const ff_run_options *o) {
    ff_lane_laws laws;
    const char *why = refuse(model, o);
    for (size_t i = 0; i < model->slot_count && !why; i++) {
        why = ff_lane_laws_find(&model->slots[i], &laws) ? NULL : "a law has no lanes";
    }
    return why;
}

/* The runs in progress on one thread. */
typedef struct ensemble {
    const ff_lane_work *work;
    const ff_ensemble_feed *feed;
    const ff_model *model;
    /* combinations of laws, and those of each plane */
    ff_lane_laws laws[FF_LANE_PLANES];
    const ff_lane_laws *each[FF_LANE_PLANES];
    size_t kinds;
    bool fixed; /* fixed steps, without events */
    ff_lane lanes[FF_ABREAST];
    ff_lane_block block;
    int live;
} ensemble;

static_assert((int)FF_ENSEMBLE_RUNS == (int)FF_ABREAST, "lanes of the feed are those of a block");

/* Whether a run can share the lanes with the others. */
static bool fits(const ensemble *e, const ff_sim *sim) {
    const ff_model *model = sim->model;
    bool out = sim->reduced == model && sim->options.events == !e->fixed &&
               !refuse(model, &sim->options) && model->bodies[0].free_turning &&
               model->slot_count == e->model->slot_count;
    for (size_t i = 0; i < model->slot_count && out; i++) {
        const ff_slot *own = &model->slots[i], *all = &e->model->slots[i];
        out = own->law.form == all->law.form && own->law.clamps == all->law.clamps &&
              own->slides == all->slides && own->graded == all->graded &&
              own->friction.form == all->friction.form && own->friction.law == all->friction.law;
    }
    return out;
}

/* Starts runs in a lane until one is in progress; false if the feed has no more runs. */
static bool refill(ensemble *e, int l) {
    static const size_t none[FF_USER + 1];
    ff_lane *lane = &e->lanes[l];
    while (e->feed->next(e->feed->user, l, &lane->sim)) {
        const bool fit = fits(e, lane->sim);
        const ff_lane_next next = fit ? ff_lane_begin(lane, &e->block, l) : FF_LANE_IN_TROUBLE;
        if (next == FF_LANE_GOES_ON) {
            return true;
        }
        if (next == FF_LANE_DONE) {
            ff_lane_leave(lane, &e->block, l);
        }
        e->feed->done(e->feed->user, l, fit ? lane->counts : none, next == FF_LANE_DONE);
    }
    e->block.live[l] = e->block.fresh[l] = e->block.aimed[l] = 0;
    lane->sim = NULL;
    return false;
}

/* Reports the end of a lane's run and starts the next one. */
static void change_run(ensemble *e, int l, bool good) {
    ff_lane_block *b = &e->block;
    if (good) {
        ff_lane_leave(&e->lanes[l], b, l);
    }
    e->feed->done(e->feed->user, l, e->lanes[l].counts, good);
    e->live -= !refill(e, l);
}

/* TURNS: iterations between two calls of stop(), about a tenth of a second; STEPS: fixed steps per iteration */
enum { TURNS = 65536, STEPS = 64 };

/* Lets the next step be one of the lanes with some laws. Returns whether there are any. */
static bool choose(ensemble *e, const ff_lane_laws *laws) {
    bool any = false;
    for (int l = 0; l < FF_ABREAST; l++) {
        const bool ours = e->lanes[l].sim && e->lanes[l].laws == laws;
        e->block.live[l] = ours ? -1 : 0;
        any = any || ours;
    }
    return any;
}

/* A step of all lanes with some laws, or fixed steps, and what happens at its end. */
static void step(ensemble *e, const ff_lane_laws *laws) {
    ff_lane_block *b = &e->block;
    uint32_t waits = e->fixed ? e->work->rk4(b, laws, STEPS) : e->work->step(b, laws);
    for (uint32_t quiet = b->advanced; quiet; quiet &= quiet - 1) {
        const int l = __builtin_ctz(quiet);
        ff_lane_report_step(&e->lanes[l], b, l);
    }
    for (uint32_t late = b->late; late; late &= late - 1) {
        const int l = __builtin_ctz(late);
        if (!ff_lane_keeps_clear(&e->lanes[l], b, l)) {
            change_run(e, l, false);
        }
    }
    for (; waits; waits &= waits - 1) {
        const int l = __builtin_ctz(waits);
        const ff_lane_next next = e->fixed ? ff_lane_attend_fixed(&e->lanes[l], b, l)
                                           : ff_lane_attend(&e->lanes[l], b, l);
        if (next != FF_LANE_GOES_ON) {
            change_run(e, l, next == FF_LANE_DONE);
        }
    }
}

static void run(ensemble *e) {
    for (int l = 0; l < FF_ABREAST; l++) {
        e->live += refill(e, l);
    }
    for (size_t turn = 1; e->live > 0; turn++) {
        for (size_t k = 0; k < e->kinds; k++) {
            if (e->kinds == 1 || choose(e, &e->laws[k])) {
                step(e, &e->laws[k]);
            }
        }
        if (turn % TURNS == 0 && e->feed->stop && e->feed->stop(e->feed->user)) {
            return;
        }
    }
}

static void set_laws(ensemble *e, bool reports) {
    size_t kind[FF_LANE_PLANES];
    e->kinds = ff_lane_laws_list(e->model, e->laws, kind);
    for (size_t k = 0; k < e->kinds; k++) {
        e->laws[k].reports = reports;
        e->laws[k].several = e->model->slot_count > 1;
    }
    for (size_t i = 0; i < e->model->slot_count; i++) {
        e->each[i] = &e->laws[kind[i]];
    }
}

/* Aligned independently of the allocator. */
char *ff_lane_memory(size_t size, char **at) {
    char *block = ff_calloc(1, size + 64);
    *at = block ? block + (64 - (uintptr_t)block % 64) : NULL;
    return block;
}

ff_status ff_ensemble_run(const ff_model *model, const ff_run_options *options,
                          const ff_ensemble_feed *feed) {
    if (!model->bodies[0].free_turning) {
        return ff_trials_run(model, feed);
    }
    char *at, *memory = ff_lane_memory(sizeof(ensemble), &at);
    if (!memory) {
        return FF_NO_MEMORY;
    }
    ensemble *e = (ensemble *)(void *)at;
    e->work = ff_lane_work_best();
    e->feed = feed;
    e->model = model;
    e->fixed = !options->events;
    set_laws(e, feed->step != NULL);
    for (int l = 0; l < FF_ABREAST; l++) {
        e->lanes[l].event = feed->event;
        e->lanes[l].step = feed->step;
        e->lanes[l].each = e->each;
        e->lanes[l].user = feed->user;
    }
    run(e);
    ff_free(memory);
    return FF_OK;
}
