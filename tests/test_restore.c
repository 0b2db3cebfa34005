/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Blocks of bytes that are not a state of a run are refused, and the run continues unaffected. */

#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "crowd/parts.h"
#include "inclusion/inclusion.h"
#include "inclusions.h"
#include "no_memory.h"
#include "scene_model.h"
#include "sim/sim.h"
#include <errno.h>
#include <footfall/field.h>
#include <footfall/footfall.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- runs ---- */

/* a subset of the grains, with located events: an open model */
static const char *const near_pairs[] = {"bodies.balls.count=12", "run.method=dopri5",
                                         "run.events=located"};

/* a run, and an undisturbed copy */
typedef struct {
    ff_model *model;
    conveying conveyor;
    ff_run_options options;
    ff_sim *sim, *other;
    char *block; /* of `sim` */
    size_t size;
} pair;

typedef enum { SCENE, FREE, MECHANISM, NEAR, CROWD, INCLUSION, KINDS } kind;

static void make_steps(ff_sim *sim, int count) {
    for (int i = 0; i < count; i++) {
        assert_true(ff_sim_step(sim, 10) >= 0);
    }
}

static void save(pair *p) {
    p->size = ff_sim_state_size(p->sim);
    p->block = malloc(p->size);
    ff_sim_save(p->sim, p->block);
}

static void open_pair(pair *p, kind which, int steps) {
    static const char *const scenes[] = {"rolling", "rolling", "fourbar", "grains", "grains"};
    *p = (pair){0};
    if (which == INCLUSION) {
        open_conveyor(&p->conveyor);
        assert_int_equal(ff_inclusion_model(&p->conveyor.def, &p->model, NULL), FF_OK);
    } else {
        p->model = scene_model(scenes[which], near_pairs, which == NEAR ? ROWS(near_pairs) : 0);
    }
    p->options = *ff_model_run(p->model);
    if (which == FREE) {
        p->options.events = false;
        p->options.method = FF_RK4;
        p->options.dt = 1e-4;
    }
    assert_int_equal(ff_sim_create(p->model, &p->options, &p->sim, NULL), FF_OK);
    assert_int_equal(ff_sim_create(p->model, &p->options, &p->other, NULL), FF_OK);
    make_steps(p->sim, steps);
    make_steps(p->other, steps);
    save(p);
}

static void assert_same(const pair *p) {
    ff_sim *a = p->sim, *b = p->other;
    ff_ledger la = ff_sim_ledger(a), lb = ff_sim_ledger(b);
    ff_statistics sa = ff_sim_statistics(a), sb = ff_sim_statistics(b);
    assert_true(ff_sim_time(a) == ff_sim_time(b));
    assert_memory_equal(&la, &lb, sizeof la);
    if (a->flow.n > 0) {
        assert_memory_equal(a->flow.y, b->flow.y, a->flow.n * sizeof *a->flow.y);
    }
    for (size_t i = 0; i < ff_model_body_count(p->model); i++) {
        ff_motion ma = ff_sim_body(a, i), mb = ff_sim_body(b, i);
        assert_memory_equal(&ma, &mb, sizeof ma);
    }
    assert_true(sa.steps == sb.steps && sa.evaluations == sb.evaluations &&
                sa.rejected == sb.rejected && sa.events == sb.events && sa.switches == sb.switches);
}

static void close_pair(pair *p) {
    make_steps(p->sim, 50);
    make_steps(p->other, 50);
    assert_same(p);
    ff_sim_free(p->sim);
    ff_sim_free(p->other);
    ff_model_free(p->model);
    free(p->block);
}

/* the state of a sim, excluding what only saving fills in */
static void assert_untouched(const pair *p) {
    char *now = malloc(p->size);
    assert_int_equal(ff_sim_state_size(p->sim), p->size);
    ff_sim_save(p->sim, now);
    assert_memory_equal(now, p->block, p->size);
    free(now);
}

static void refuse(const pair *p, const char *block, size_t size) {
    assert_int_equal(ff_sim_restore(p->sim, block, size), FF_BAD_VALUE);
}

/* ---- arbitrary blocks ---- */

static void test_no_state_at_all(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        pair p;
        open_pair(&p, (kind)k, 40);
        char *block = malloc(p.size + 8);
        memset(block, 0xff, p.size);
        refuse(&p, block, p.size);
        memset(block, 0, p.size);
        refuse(&p, block, p.size);
        memcpy(block, p.block, p.size);
        refuse(&p, block, p.size - 1);
        refuse(&p, block, p.size + 8);
        refuse(&p, block, 0);
        assert_untouched(&p);
        /* and unaligned */
        memcpy(block + 1, p.block, p.size);
        assert_int_equal(ff_sim_restore(p.sim, block + 1, p.size), FF_OK);
        free(block);
        close_pair(&p);
    }
}

/* each word of a block in turn is replaced by an invalid value: the block is refused, or the run continues from
 * it; afterwards the run continues unaffected from the valid block */
static void test_every_word(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        pair p;
        open_pair(&p, (kind)k, 25);
        size_t refused = 0, words = p.size / 8;
        char *block = malloc(p.size);
        /* all words of a small block, and some of a large one */
        for (size_t w = 0; w < words; w += 1 + words / 2000) {
            memcpy(block, p.block, p.size);
            memset(block + 8 * w, 0xff, 8);
            ff_status status = ff_sim_restore(p.sim, block, p.size);
            assert_true(status == FF_OK || status == FF_BAD_VALUE);
            refused += status == FF_BAD_VALUE;
            if (status == FF_OK) {
                ff_sim_step(p.sim, 10);
                assert_int_equal(ff_sim_restore(p.sim, p.block, p.size), FF_OK);
            }
        }
        assert_true(refused > 50);
        free(block);
        close_pair(&p);
    }
}

/* ---- fields ---- */

typedef struct {
    size_t at, size;
    union {
        double number;
        int whole;
        long count;
        size_t index;
        unsigned char byte;
    } to;
} field;

#define OF_SIM(member) offsetof(ff_sim_now, member)
#define OF_FLOW(member) (sizeof(ff_sim_now) + offsetof(ff_flow_now, member))
#define NUMBER(place, value)                                                                       \
    { .at = (place), .size = sizeof(double), .to.number = (value) }
#define WHOLE(place, value)                                                                        \
    { .at = (place), .size = sizeof(int), .to.whole = (value) }
#define COUNT(place, value)                                                                        \
    { .at = (place), .size = sizeof(long), .to.count = (value) }
#define INDEX(place, value)                                                                        \
    { .at = (place), .size = sizeof(size_t), .to.index = (value) }
#define BYTE(place, value)                                                                         \
    { .at = (place), .size = 1, .to.byte = (value) }

static void refuse_field(const pair *p, const field *f, const char *what, size_t which) {
    char *block = malloc(p->size);
    memcpy(block, p->block, p->size);
    memcpy(block + f->at, &f->to, f->size);
    assert_holds(ff_sim_restore(p->sim, block, p->size) == FF_BAD_VALUE,
                 "%s, field %zu: a state that cannot be is taken", what, which);
    free(block);
}

/* fields of every run */
static void test_numbers_of_a_flow(void **state) {
    (void)state;
    const field fields[] = {NUMBER(OF_SIM(scale), -1),
                            NUMBER(OF_SIM(scale), NAN),
                            NUMBER(OF_SIM(leak.worst), -1),
                            NUMBER(OF_SIM(leak.time), INFINITY),
                            NUMBER(OF_SIM(leak.from), -1),
                            NUMBER(OF_SIM(leak.to), NAN),
                            NUMBER(OF_SIM(violated.position), NAN),
                            NUMBER(OF_SIM(violated.velocity), -1),
                            NUMBER(OF_FLOW(clock.start), NAN),
                            NUMBER(OF_FLOW(clock.start), -1),
                            NUMBER(OF_FLOW(clock.x), INFINITY),
                            NUMBER(OF_FLOW(clock.x), -1),
                            WHOLE(OF_FLOW(clock.power), 0),
                            WHOLE(OF_FLOW(clock.power), 5),
                            WHOLE(OF_FLOW(clock.power), INT_MIN),
                            NUMBER(OF_FLOW(clock.mark_x), INFINITY),
                            NUMBER(OF_FLOW(clock.mark_time), -INFINITY),
                            NUMBER(OF_FLOW(step), 0),
                            NUMBER(OF_FLOW(step), NAN),
                            NUMBER(OF_FLOW(step), INFINITY),
                            NUMBER(OF_FLOW(least), 0),
                            NUMBER(OF_FLOW(least), NAN),
                            NUMBER(OF_FLOW(next), NAN),
                            NUMBER(OF_FLOW(next), -1),
                            WHOLE(OF_FLOW(method), FF_AUTO),
                            WHOLE(OF_FLOW(method), FF_ROSENBROCK),
                            WHOLE(OF_FLOW(method), FF_METHODS),
                            WHOLE(OF_FLOW(method), -1),
                            NUMBER(OF_FLOW(choice.limited), -1),
                            NUMBER(OF_FLOW(choice.explicit_step), NAN),
                            NUMBER(OF_FLOW(choice.spent), INFINITY),
                            NUMBER(OF_FLOW(choice.gone), -1),
                            NUMBER(OF_FLOW(choice.budget), NAN),
                            BYTE(OF_FLOW(choice.proved), 2),
                            WHOLE(OF_FLOW(choice.failures[0]), -1),
                            WHOLE(OF_FLOW(choice.failures[1]), 11),
                            WHOLE(OF_FLOW(choice.smooth), INT_MAX),
                            NUMBER(OF_FLOW(choice.steps), -1),
                            NUMBER(OF_FLOW(choice.stretch), NAN),
                            NUMBER(OF_FLOW(plan.wanted[0]), -1),
                            NUMBER(OF_FLOW(plan.wanted[FF_PLAN_MOST - 1]), NAN),
                            WHOLE(OF_FLOW(plan.count), -1),
                            WHOLE(OF_FLOW(plan.count), FF_PLAN_MOST + 1),
                            WHOLE(OF_FLOW(plan.at), -2),
                            WHOLE(OF_FLOW(plan.at), FF_PLAN_MOST + 1),
                            WHOLE(OF_FLOW(plan.end), -1),
                            WHOLE(OF_FLOW(plan.end), FF_PLAN_MOST),
                            BYTE(OF_FLOW(plan.whole), 2),
                            NUMBER(OF_FLOW(plan.scale), -1),
                            NUMBER(OF_FLOW(plan.scale), INFINITY),
                            NUMBER(OF_FLOW(linear), -1),
                            NUMBER(OF_FLOW(flops), INFINITY),
                            COUNT(OF_FLOW(statistics.changes[1]), -1),
                            BYTE(OF_FLOW(fresh), 2),
                            WHOLE(OF_FLOW(event.kind), FF_EVENT_KINDS),
                            WHOLE(OF_FLOW(event.contact), 1000000),
                            WHOLE(OF_FLOW(event.contact), -2),
                            BYTE(OF_FLOW(event.rejoin), 0x80),
                            NUMBER(OF_FLOW(event.time), NAN),
                            NUMBER(OF_FLOW(event.time), 1e9),
                            INDEX(OF_FLOW(queued), SIZE_MAX),
                            INDEX(OF_FLOW(queued), 1000),
                            INDEX(OF_FLOW(reported), 1000),
                            NUMBER(OF_FLOW(moved), NAN),
                            NUMBER(OF_FLOW(moved), 1e9),
                            WHOLE(OF_FLOW(stalled), -1),
                            WHOLE(OF_FLOW(stalled), INT_MAX),
                            COUNT(OF_FLOW(statistics.steps), -1),
                            COUNT(OF_FLOW(statistics.steps), LONG_MAX),
                            COUNT(OF_FLOW(statistics.method_steps[3]), -1),
                            COUNT(OF_FLOW(statistics.searches), LONG_MIN),
                            NUMBER(OF_FLOW(statistics.seconds), NAN),
                            WHOLE(OF_FLOW(statistics.threads), -1)};
    for (int k = 0; k < KINDS; k++) {
        pair p;
        open_pair(&p, (kind)k, 30);
        for (size_t i = 0; i < ROWS(fields); i++) {
            refuse_field(&p, &fields[i], "flow", i);
        }
        assert_untouched(&p);
        close_pair(&p);
    }
}

/* offset of a part of the state in a block */
static size_t place(const pair *p, const void *at) {
    return sizeof(ff_sim_now) + sizeof(ff_flow_now) +
           (size_t)((const char *)at - (const char *)p->sim->memory);
}

static void test_arrays_of_a_scene(void **state) {
    (void)state;
    pair p;
    open_pair(&p, SCENE, 30);
    const ff_flow *f = &p.sim->flow;
    const ff_sim_phase *phase = &p.sim->phase;
    const field fields[] = {
        NUMBER(place(&p, &f->y[0]), NAN),
        NUMBER(place(&p, &f->y[f->n - 1]), INFINITY),
        NUMBER(place(&p, &f->y[FF_Q]), 1e200),
        NUMBER(place(&p, &f->rates_here[2]), NAN),
        NUMBER(place(&p, &f->per_weight[0]), 0),
        NUMBER(place(&p, &f->per_weight[1]), NAN),
        NUMBER(place(&p, &f->per_weight[f->n - 1]), -1),
        NUMBER(place(&p, &f->roots_here[0].noise), -1),
        BYTE(place(&p, &f->roots_here[0].course), 3),
        BYTE(place(&p, &f->roots_here[0].leaving), 2),
        NUMBER(place(&p, &f->changed[0]), 1e9),
        NUMBER(place(&p, &f->changed[0]), -1),
        WHOLE(place(&p, &f->switches[0]), 3),
        WHOLE(place(&p, &f->switches[0]), INT_MIN),
        NUMBER(place(&p, phase->spent), NAN),
        NUMBER(place(&p, phase->removed), INFINITY),
        NUMBER(place(&p, &phase->books[0].release), NAN),
        NUMBER(place(&p, &phase->books[0].turned_sum), NAN),
        BYTE(place(&p, &phase->books[0].turned), 7),
        WHOLE(place(&p, &phase->modes[0]), FF_FREE),
        WHOLE(place(&p, &phase->modes[0]), 4),
        WHOLE(place(&p, &phase->modes[0]), -1),
        BYTE(place(&p, &phase->slipping[0]), 2),
        BYTE(place(&p, &phase->inside[0]), 255),
        NUMBER(place(&p, &p.sim->extents[0].speed), 0),
        NUMBER(place(&p, &p.sim->extents[0].length), NAN),
        NUMBER(place(&p, &p.sim->extents[0].turning), INFINITY),
        NUMBER(place(&p, &p.sim->fastest[0]), -1),
        NUMBER(place(&p, &p.sim->inputs[0]), NAN),
        NUMBER(place(&p, &p.sim->inputs[0]), INFINITY),
    };
    assert_false(f->now.fresh);
    for (size_t i = 0; i < ROWS(fields); i++) {
        refuse_field(&p, &fields[i], "scene", i);
    }
    assert_untouched(&p);
    close_pair(&p);
    /* modes of a run without located events, and the requested method */
    open_pair(&p, FREE, 30);
    for (int mode = FF_AIR; mode < FF_FREE; mode++) {
        const field is = WHOLE(place(&p, &p.sim->phase.modes[0]), mode);
        refuse_field(&p, &is, "free", (size_t)mode);
    }
    const field method = WHOLE(OF_FLOW(method), FF_DOPRI5), power = WHOLE(OF_FLOW(clock.power), 2);
    refuse_field(&p, &method, "method", 0);
    refuse_field(&p, &power, "clock", 0);
    assert_untouched(&p);
    close_pair(&p);
}

static double height(void *user, double t, const ff_motion *bodies) {
    (void)user, (void)t;
    return bodies[0].position[2] - 0.05;
}

/* which forces are active, and the sign of a user's function */
static void test_forces_and_functions(void **state) {
    (void)state;
    ff_scene *scene;
    pair p = {0};
    assert_int_equal(ff_scene_read(FF_SOURCE_DIR "/scenes/foot.yaml", NULL, 0, &scene, NULL),
                     FF_OK);
    assert_int_equal(ff_scene_add_event(scene, height, NULL), 0);
    assert_int_equal(ff_model_create(scene, &p.model, NULL), FF_OK);
    ff_scene_free(scene);
    assert_int_equal(ff_sim_create(p.model, NULL, &p.sim, NULL), FF_OK);
    assert_int_equal(ff_sim_create(p.model, NULL, &p.other, NULL), FF_OK);
    make_steps(p.sim, 30);
    make_steps(p.other, 30);
    save(&p);
    const field fields[] = {
        BYTE(place(&p, &p.sim->phase.acting[0]), 2), BYTE(place(&p, &p.sim->phase.above[0]), 2),
        NUMBER(place(&p, &p.sim->user_size[0]), NAN), NUMBER(place(&p, &p.sim->user_size[0]), -1)};
    for (size_t i = 0; i < ROWS(fields); i++) {
        refuse_field(&p, &fields[i], "forces", i);
    }
    /* an event of an existing function, and of one that does not exist */
    char *block = malloc(p.size);
    ff_flow_now now;
    memcpy(block, p.block, p.size);
    memcpy(&now, block + sizeof(ff_sim_now), sizeof now);
    now.event = (ff_event){.time = 0, .kind = FF_USER, .contact = 1};
    memcpy(block + sizeof(ff_sim_now), &now, sizeof now);
    refuse(&p, block, p.size);
    now.event.contact = 0;
    memcpy(block + sizeof(ff_sim_now), &now, sizeof now);
    assert_int_equal(ff_sim_restore(p.sim, block, p.size), FF_OK);
    assert_int_equal(ff_sim_restore(p.sim, p.block, p.size), FF_OK);
    free(block);
    assert_untouched(&p);
    close_pair(&p);
}

/* A queue full of events that no function has reported leaves no room for new ones. */
static void test_queue(void **state) {
    (void)state;
    pair p;
    open_pair(&p, SCENE, 0);
    while (ff_sim_step(p.sim, 10) != FF_EVENT) {
        assert_true(ff_sim_step(p.other, 10) >= 0);
    }
    assert_true(ff_sim_step(p.other, 10) >= 0);
    free(p.block);
    save(&p);
    const ff_flow *f = &p.sim->flow;
    assert_true(f->now.queued > 0 && f->now.queued < ff_flow_events_most(f));
    char *block = malloc(p.size);
    for (int turn = 0; turn < 3; turn++) {
        ff_flow_now now;
        memcpy(block, p.block, p.size);
        memcpy(&now, block + sizeof(ff_sim_now), sizeof now);
        now.reported = 0;
        now.queued = ff_flow_events_most(f);
        for (size_t i = 0; i < now.queued; i++) {
            const ff_event e = {.time = ff_flow_time(f) - (turn == 2),
                                .kind = turn == 1 ? FF_SWITCH : FF_SLIP,
                                .contact = turn == 1 ? -1 : 0};
            memcpy(block + place(&p, f->queue) + i * sizeof e, &e, sizeof e);
        }
        memcpy(block + sizeof(ff_sim_now), &now, sizeof now);
        refuse(&p, block, p.size);
    }
    free(block);
    assert_untouched(&p);
    close_pair(&p);
}

static void test_arrays_of_an_inclusion(void **state) {
    (void)state;
    pair p;
    open_pair(&p, INCLUSION, 60);
    const ff_inclusion *inc = p.sim->own;
    const ff_inclusion_phase *phase = &inc->phases[0];
    const field fields[] = {NUMBER(place(&p, phase->brink), 0),
                            NUMBER(place(&p, phase->brink), NAN),
                            NUMBER(place(&p, &phase->books[0].graded), NAN),
                            BYTE(place(&p, &phase->above[0]), 2),
                            NUMBER(place(&p, &inc->scales[0]), 0),
                            NUMBER(place(&p, &inc->scales[0]), INFINITY),
                            NUMBER(place(&p, &inc->scales[inc->size - 1]), -1),
                            NUMBER(place(&p, &inc->sizes[0]), NAN),
                            NUMBER(place(&p, &p.sim->flow.y[1]), INFINITY)};
    for (size_t i = 0; i < ROWS(fields); i++) {
        refuse_field(&p, &fields[i], "inclusion", i);
    }
    assert_untouched(&p);
    close_pair(&p);
}

/* ---- crowds ---- */

static void test_arrays_of_a_crowd(void **state) {
    (void)state;
    pair p;
    open_pair(&p, CROWD, 2500);
    const ff_crowd *crowd = p.sim->own;
    const ff_slots *slots = &crowd->slots;
    const size_t n = crowd->bodies, count = slots->count;
    assert_true(count > 20 && slots->bounds[1] > 2);
    const size_t first = p.size - ff_crowd_state_size(crowd), order = first + sizeof crowd->now,
                 places = order + n * sizeof *crowd->order,
                 speeds = places + 2 * n * sizeof(ff_place),
                 grains = places + n * (2 * sizeof(ff_place) + sizeof(ff_speed) + sizeof(ff_load)),
                 accounts = grains + n * sizeof(ff_grain),
                 bounds = accounts + crowd->parts->class_count * sizeof(ff_account),
                 a = bounds + (slots->sections + 1) * sizeof *slots->bounds, b = a + 4 * count,
                 touching = b + 4 * count, memory = touching + count;
    assert_int_equal(memory + count * sizeof(ff_memory), p.size);
#define OF_CROWD(member) (first + offsetof(ff_crowd_now, member))
    const field fields[] = {
        NUMBER(OF_CROWD(time), NAN),
        NUMBER(OF_CROWD(time), -1),
        NUMBER(OF_CROWD(step), INFINITY),
        NUMBER(OF_CROWD(drift), -1),
        COUNT(OF_CROWD(searches), -1),
        COUNT(OF_CROWD(searches), LONG_MAX),
        INDEX(OF_CROWD(slot_count), count + 1),
        /* times the size of a slot this overflows to the actual size */
        INDEX(OF_CROWD(slot_count), SIZE_MAX / 73 * 73),
        INDEX(OF_CROWD(slot_count), SIZE_MAX),
        INDEX(OF_CROWD(contacts), count + 1),
        WHOLE(order, -1),
        WHOLE(order, (int)n),
        WHOLE(order, crowd->order[1]),
        NUMBER(places, NAN),
        NUMBER(places + offsetof(ff_place, reach), 1),
        NUMBER(places + n * sizeof(ff_place), INFINITY),
        NUMBER(speeds, NAN),
        NUMBER(speeds + offsetof(ff_speed, r), 1),
        NUMBER(grains + offsetof(ff_grain, v), NAN),
        NUMBER(grains + offsetof(ff_grain, q), 1e200),
        NUMBER(grains + offsetof(ff_grain, per_mass), 1),
        NUMBER(grains + offsetof(ff_grain, per_inertia), 1),
        NUMBER(accounts, NAN),
        INDEX(bounds, 1),
        INDEX(bounds + sizeof(size_t), count + 1),
        INDEX(bounds + sizeof(size_t), SIZE_MAX),
        INDEX(bounds + slots->sections * sizeof(size_t), count - 1),
        WHOLE(a, -1),
        WHOLE(a, (int)n),
        WHOLE(a, INT_MAX),
        WHOLE(b, -1),
        WHOLE(b, slots->a[0]),
        WHOLE(b, INT_MAX),
        /* the wall of a slot is that of its section */
        WHOLE(b + 4 * (count - 1), slots->b[count - 1] + 1),
        WHOLE(b + 4 * (count - 1), -1),
        BYTE(touching, 2),
        NUMBER(memory, NAN),
    };
    for (size_t i = 0; i < ROWS(fields); i++) {
        refuse_field(&p, &fields[i], "crowd", i);
    }
    /* slots out of order */
    char *block = malloc(p.size);
    memcpy(block, p.block, p.size);
    memcpy(block + a, p.block + a + 4, 4);
    memcpy(block + b, p.block + b + 4, 4);
    refuse(&p, block, p.size);
    /* an orientation of zero length */
    memcpy(block, p.block, p.size);
    memset(block + grains + offsetof(ff_grain, q), 0, 4 * sizeof(double));
    refuse(&p, block, p.size);
    free(block);
    assert_untouched(&p);
    close_pair(&p);
}

/* ---- memory ---- */

/* If memory is exhausted anywhere, a sim that could not restore a state keeps its own. */
static void test_memory_ends(void **state) {
    (void)state;
#ifdef CAN_END
    for (int k = 0; k < KINDS; k++) {
        pair p;
        open_pair(&p, (kind)k, 400);
        /* parts that must be allocated: inputs of a scene, many slots of a crowd */
        ff_sim *fresh;
        const ff_error none = {""};
        if (k < CROWD) {
            ff_error error = none;
            assert_int_equal(ff_sim_set_path(p.sim, "gravity[2]", -5, &error), FF_OK);
            free(p.block);
            save(&p);
        }
        bool done = false;
        for (long most = 0; !done; most++) {
            assert_int_equal(ff_sim_create(p.model, &p.options, &fresh, NULL), FF_OK);
            size_t size = ff_sim_state_size(fresh);
            char *before = malloc(size), *after = malloc(size);
            ff_sim_save(fresh, before);
            given = 0, give_most = most;
            ff_status status = ff_sim_restore(fresh, p.block, p.size);
            give_most = -1;
            done = status == FF_OK;
            if (!done) {
                assert_int_equal(status, FF_NO_MEMORY);
                assert_int_equal(ff_sim_state_size(fresh), size);
                ff_sim_save(fresh, after);
                assert_memory_equal(before, after, size);
                make_steps(fresh, 3);
            }
            free(before);
            free(after);
            ff_sim_free(fresh);
        }
        if (k < CROWD) {
            assert_int_equal(ff_sim_set_path(p.other, "gravity[2]", -5, NULL), FF_OK);
        }
        close_pair(&p);
    }
#else
    skip();
#endif
}

/* Near pairs need memory if there are more of them than ever before. A step without that memory is not taken, and
 * can be repeated later. */
static void test_steps_without_memory(void **state) {
    (void)state;
#ifdef CAN_END
    pair p;
    int ends = 0;
    open_pair(&p, NEAR, 0);
    for (int i = 0; i < 2000; i++) {
        given = 0, give_most = 0;
        ff_status status = ff_sim_step(p.sim, 10);
        give_most = -1;
        if (status == FF_NO_MEMORY) {
            ends++;
            status = ff_sim_step(p.sim, 10);
        }
        assert_true(status >= 0 && ff_sim_step(p.other, 10) == status);
    }
    assert_true(ends > 0);
    /* the same for a restart: if memory is exhausted anywhere, the run is unchanged */
    ff_motion start[12];
    assert_int_equal(ff_model_body_count(p.model), 12);
    for (size_t i = 0; i < 12; i++) {
        start[i] = ff_sim_body(p.sim, 11 - i);
    }
    ff_status status = FF_NO_MEMORY;
    long most = 0;
    for (; status != FF_OK; most++) {
        given = 0, give_most = most;
        status = ff_sim_begin(p.sim, start);
        give_most = -1;
        assert_true(status == FF_OK || status == FF_NO_MEMORY);
        if (status < 0) {
            assert_same(&p);
        }
    }
    assert_true(most > 1);
    assert_int_equal(ff_sim_begin(p.other, start), FF_OK);
    close_pair(&p);
#else
    skip();
#endif
}

/* The same for files. */
static void test_files_without_memory(void **state) {
    (void)state;
#ifdef CAN_END
    char path[] = "/tmp/footfall-restore-XXXXXX";
    close(mkstemp(path));
    pair p;
    open_pair(&p, CROWD, 40);
    for (int reads = 0; reads < 2; reads++) {
        ff_status status = FF_NO_MEMORY;
        for (long most = 0; status != FF_OK; most++) {
            void *extra = NULL;
            size_t size;
            ff_error error = {""};
            given = 0, give_most = most;
            status = reads ? ff_checkpoint_read(path, p.sim, &extra, &size, &error)
                           : ff_checkpoint_write(path, p.sim, "extra", 5, &error);
            give_most = -1;
            assert_true(status == FF_OK || (status == FF_NO_MEMORY && *error.text && !extra));
            assert_untouched(&p);
            free(extra);
        }
    }
    unlink(path);
    close_pair(&p);
#else
    skip();
#endif
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_no_state_at_all),
    cmocka_unit_test(test_every_word),
    cmocka_unit_test(test_numbers_of_a_flow),
    cmocka_unit_test(test_arrays_of_a_scene),
    cmocka_unit_test(test_forces_and_functions),
    cmocka_unit_test(test_queue),
    cmocka_unit_test(test_arrays_of_an_inclusion),
    cmocka_unit_test(test_arrays_of_a_crowd),
    cmocka_unit_test(test_memory_ends),
    cmocka_unit_test(test_steps_without_memory),
    cmocka_unit_test(test_files_without_memory),
};

CHECK_MAIN(tests)
