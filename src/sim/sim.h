/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A sim from inside: what it is at one instant (saved and restored as a copy), and what it works with. */

#include "dynamics/dynamics.h"
#include "flow/flow.h"
#include "ledger/leak.h"
#include "ledger/ledger.h"
#include "near.h"
#include <stdint.h>

/* What a run keeps besides its arrays and its flow. */
/* Two things that no pair names and that met (meetings.c): when, and which of the topology's list. */
enum { FF_MEETINGS_KEPT = 4 };

typedef struct ff_meeting {
    double time, which;
} ff_meeting;

typedef struct ff_sim_now {
    double initial, scale; /* of the ledger: energy at the start, largest sum of magnitudes, J */
    double gravity;        /* account at the start, from where its magnitude is counted, J */
    ff_leak_now leak;
    ff_violation violated; /* the most after any step */
    double impacts;        /* how many there were of all contacts */
    double meetings;       /* of things that no pair names: how many are known, and these */
    ff_meeting met[FF_MEETINGS_KEPT];
} ff_sim_now;

/* All that is discrete in a run of a scene, as a view of one block of bytes. */
typedef struct ff_sim_phase {
    /* J: what was in springs that stopped acting, less what was in those that began; and what corrections onto constraints
     * have removed */
    double *spent, *removed;
    ff_books *books; /* of each slot */
    ff_mode *modes;
    bool *slipping;   /* or beyond the bend of friction (ff_slot_bends()) */
    bool *inside;     /* whether a slot is in contact, as reported: its force acts */
    bool *acting;     /* forces */
    bool *above;      /* which users' functions are positive */
    double *memory;   /* of controllers: what they hold */
    double *branches; /* which sides of kinks expressions are on */
    double *samples;  /* how many of each have been taken */
} ff_sim_phase;

/* The functions of a slot whose roots end its mode: of the gap, the hold on the force, stick or slip, or the bend of a
 * friction law without these, the depth that the inner states of friction are made for. */
enum { FF_END_GAP, FF_END_HOLD, FF_END_SLIP, FF_END_ROOM, FF_ENDS };

static inline bool ff_slot_has_edge(const ff_slot *slot) {
    return slot->friction.law->slips || ff_slot_bends(slot);
}

static inline bool ff_slot_has_room(const ff_slot *slot) { return slot->friction.law->covers; }

typedef struct ff_end {
    size_t slot; /* from slot_count on: users' functions; from there on: kinks of controllers */
    int which;
} ff_end;

/* Scratch memory of controllers. */
typedef struct ff_control_room {
    double *work, *commands, *own_commands, *own_rates, *slopes, *values;
    double *rested; /* the memory of controllers that a search for rest ended with */
} ff_control_room;

/* What runs of scenes, crowds and inclusions do each in its own way. */
typedef struct ff_sim_kind {
    /* Checks the options and makes everything; a failure leaves what was made to ff_sim_free(). */
    ff_status (*create)(ff_sim *sim, ff_error *error);
    void (*free)(ff_sim *sim); /* may be NULL */
    /* Of those that are not carried by a flow, and have more to save than the sim's memory; otherwise NULL. */
    ff_status (*step)(ff_sim *sim, double until);
    /* Begins anew with the numbers of another model, which the sim is about to have. */
    ff_status (*renumber)(ff_sim *sim, const ff_model *made, ff_error *error);
    double (*time)(const ff_sim *sim);
    ff_motion (*body)(const ff_sim *sim, size_t body);
    double (*normal_force)(ff_sim *sim, size_t body); /* of all contacts of a body, of crowds */
    ff_ledger (*class_ledger)(const ff_sim *sim, size_t index);
    int (*threads)(const ff_sim *sim);
    size_t (*saved_size)(const ff_sim *sim);
    void (*save)(const ff_sim *sim, void *out);
    /* FF_BAD_VALUE where the bytes cannot be what save() wrote, FF_NO_MEMORY; then nothing has changed. */
    ff_status (*restore)(ff_sim *sim, const void *state, size_t size);
    /* Before a step of the flow, after one that ended so, and the words for one that failed. */
    void (*ready)(ff_sim *sim);
    /* What is asked of a const sim is worked out before anybody can ask: at the end of a step, and where another time is
     * observed. */
    void (*show)(ff_sim *sim); /* may be NULL */
    /* Before a copy of the state is taken. */
    void (*pack)(ff_sim *sim);
    /* Whether what was put in place of the state can be one, besides the flow and `now`; may be NULL. */
    bool (*valid)(const ff_sim *sim);
    /* After a valid state was put in place: what follows from it. A failure has changed nothing. */
    ff_status (*unpack)(ff_sim *sim);
    /* A hash of all that a run depends on besides its state and the options of every run, for checkpoints. */
    uint64_t (*fingerprint)(const ff_sim *sim);
    void (*note)(ff_sim *sim, ff_status status);
    ff_status (*explain)(ff_sim *sim, ff_status status);
    /* All accounts at the time that is observed, and what each party holds (may be NULL); a residual of NAN where they do
     * not close by nature. */
    ff_ledger (*ledger)(ff_sim *sim, double *held);
    /* what an event that is neither a switch nor a user's is of */
    const char *(*owner)(const ff_model *model, const ff_event *event);
    size_t (*parties)(const ff_model *model);
    void (*name_party)(const ff_model *model, size_t party, char *out, size_t size);
    /* FF_NOT_FINITE, explained, where a number is not. */
    ff_status (*finite)(ff_sim *sim, const ff_ledger *ledger);
    /* J: a residual that rounding explains. */
    double (*rounding)(const ff_sim *sim, const ff_ledger *ledger);
} ff_sim_kind;

/* Each in its own room: here, and crowd/run.c. */
extern const ff_sim_kind ff_scene_kind, ff_crowd_kind;

struct ff_sim {
    const ff_sim_kind *kind;
    const ff_model *model; /* the one it was created with, or one with numbers of the sim's own */
    const ff_model
        *reduced;  /* with slots of near pairs alone; `model` itself unless that is open */
    ff_near *near; /* of an open model: which pairs those are; otherwise NULL */
    struct ff_own_numbers *numbers; /* once it has set one (set.c); NULL before */
    uint64_t fingerprint; /* of the model at the start (checkpoint.c); 0: not worked out */
    ff_model *own_model;  /* that nobody else has, freed with the sim; NULL: somebody has it */
    ff_run_options options;
    void *own;    /* what a crowd or an inclusion has; NULL for scenes */
    void *memory; /* all arrays: those of the state first, `state_size` bytes of them */
    size_t state_size;

    /* the state */
    ff_flow flow;
    ff_sim_now now;
    ff_sim_phase phase, past;  /* views of the flow's, and of its last step's */
    ff_extent *extents;        /* of each body: what errors are relative to */
    double *fastest;           /* the speed of each body lately */
    double *user_size;         /* the largest magnitude of each user's function so far */
    double *branch_size;       /* the largest magnitude of each argument of a kink so far */
    double *inputs;            /* of the model, filled when the state is saved */
    ff_impact_record *impacts; /* the first of them */

    /* work */
    ff_leak leak;           /* its `taken` and `blamed` are of the state */
    ff_end *ends;           /* what each root function is of */
    size_t *root_at;        /* the first root function of each slot */
    ff_phase contexts[2];   /* what rates depend on besides y: now, and in the last step */
    ff_touch_kept *touches; /* of the last evaluation of the rates, or look at all root functions */
    bool looked;            /* it was the look, and jumps since then were looked at */
    ff_motion *motions;
    double *shown; /* motions of the bodies of an articulated model at the time observed */
    double *scratch, *middle;
    double *slope_rates; /* of models with contacts that answer with a moment */
    ff_extent *extents_now;
    int *place;             /* of a state among those that act on something, or -1 */
    ff_mechanism mechanism; /* of a model with joints */
    ff_control_room control;
    int trouble;     /* of the mechanism where a step begins */
    bool *carries;   /* slots that touch at a start at rest */
    ff_rest rest;    /* what the search for a start at rest found */
    bool reactions;  /* it holds what the joints exert at the time that is asked for */
    char error[480]; /* what the last failure was */
};

/* How many rows the matrices of a method have; 0: it has none. */
size_t ff_sim_rows(const ff_model *model, ff_method method);

ff_motion ff_motion_at(const double *bodies, size_t body);
/* The motions of bodies at y: in y itself, or in the mechanism's work, until it is asked again. */
const double *ff_sim_bodies_at(ff_sim *sim, const double *y);
/* The time, for sims that are no crowd. */
static inline double ff_sim_now_time(const ff_sim *sim) { return ff_flow_time(&sim->flow); }

/* ---- setting fields (set.c) ---- */

/* How many doubles the inputs of a sim are, what they are, and back: then its model is the one that follows from them.
 * They belong to its state. FF_BAD_VALUE, for inputs that the model cannot have, and FF_NO_MEMORY: nothing has changed. */
size_t ff_set_inputs_size(const ff_sim *sim);
void ff_set_inputs_save(const ff_sim *sim, double *values);
ff_status ff_set_inputs_restore(ff_sim *sim, const double *values);
void ff_set_free(ff_sim *sim);
/* Before inputs change in a run: works out what checkpoints of it are known by (checkpoint.c). */
void ff_checkpoint_note(ff_sim *sim);
/* Of scenes and crowds (fingerprint.c), of ff_sim_kind; and of the laws of contact, for all who have some. */
uint64_t ff_fingerprint_scene(const ff_sim *sim);
uint64_t ff_fingerprint_normal(uint64_t h, const ff_normal *law);
uint64_t ff_fingerprint_friction(uint64_t h, const ff_friction *law);

/* ---- near pairs of open models (near.c) ---- */

/* A sim as it was before it was laid out anew. */
typedef struct ff_near_kept {
    ff_sim sim;
    ff_near near;
} ff_near_kept;

ff_status ff_near_create(ff_sim *sim);
void ff_near_free(ff_sim *sim);
/* Lays out a run that begins with these bodies; all of it is 0. */
ff_status ff_near_begin(ff_sim *sim, const double *bodies);
/* Of a search for a start: whether all pairs have slots that can touch on the way of bodies from y to `to` (true of a model
 * that is not open); and lays the sim out with bodies where they are in y, each of which may go by `way` and, unless `to` is
 * NULL, as far as that. Positions and inner states stay, but of pairs that are no longer near, and all else is 0. */
bool ff_near_covers(const ff_sim *sim, const double *to);
ff_status ff_near_follow(ff_sim *sim, const double *to, double way);
/* Of ff_system: bodies may go beyond their margins in a step of this time. */
ff_status ff_near_arrange(void *self, double time, const double *to, bool *changed);
/* sim->model has other numbers: so has sim->reduced, of any sim. */
void ff_near_refresh(ff_sim *sim);
/* The slot of a contact, SIZE_MAX where it has none; and what a contact without a slot has in its accounts. */
size_t ff_near_slot(const ff_sim *sim, size_t contact);
static inline size_t ff_near_contact(const ff_sim *sim, size_t slot) {
    return sim->near ? sim->near->of[slot] : slot;
}
ff_ledger ff_near_absent_ledger(const ff_sim *sim, size_t contact, double t);
/* NULL where there is nothing. */
const ff_books *ff_near_absent_books(const ff_sim *sim, size_t contact);
/* Lays the sim out for a state that is about to be put in place, after ff_near_keep(); ff_near_undo() takes that back. */
ff_status ff_near_fit(ff_sim *sim, const char *state, size_t size);
void ff_near_keep(const ff_sim *sim, ff_near_kept *out);
void ff_near_undo(ff_sim *sim, const ff_near_kept *kept);
bool ff_near_valid(const ff_sim *sim);
/* Its arrays of the state, and of the work. */
void ff_near_lay_out_state(ff_sim *sim, const ff_near_counts *counts, ff_arena *a);
void ff_near_lay_out_work(ff_sim *sim, ff_arena *a);
/* All arrays of a run of a scene (scene.c); `counts` of an open model, or NULL. */
void ff_scene_lay_out(ff_sim *sim, const ff_near_counts *counts, ff_arena *a);

/* ---- a scene as a system (system.c) ---- */

extern const ff_system ff_scene_system;

/* What is to be known once arrays are there. */
ff_status ff_system_prepare(ff_sim *sim);
/* Points what works with the numbers of a model at those of sim->model. */
void ff_system_use(ff_sim *sim);
/* The errors that steps may have, from the sizes of motions and the rounding of y. */
void ff_system_weigh(ff_sim *sim);
/* The error that a step may have in one component, as its reciprocal. */
double ff_system_per_weight(const ff_sim *sim, double scale, double y);
/* Motions that have become much faster or slower than they were have other sizes. */
void ff_system_watch_sizes(ff_sim *sim);
/* Sets which forces act from now on; `tell`: as events. */
void ff_system_set_acting(ff_sim *sim, bool tell);
/* The time a contact of a body takes to reach its depth. */
double ff_system_touch_time(const ff_model *model, int body);

/* ---- controllers (control.c) ---- */

size_t ff_control_branches(const ff_model *model);
/* What is looked at, as a controller sees it (scene.c). */
void ff_scene_look(const ff_sim *sim, ff_control_view *out);
void ff_control_lay_out(ff_sim *sim, ff_arena *a);
void ff_control_prepare(ff_sim *sim);
/* Points what rates depend on at a phase, and at the scratch memory of the sim. */
void ff_control_give(const ff_sim *sim, const ff_sim_phase *phase, ff_phase *out);
/* States, memory, the first samples, sides of kinks. */
void ff_control_start(ff_sim *sim);
/* States in y, and memory, as they are written. */
void ff_control_write_start(ff_sim *sim, double *memory);
/* Why nothing rests under what controllers do, whatever the state; NULL: it may. */
const char *ff_control_unrest(const ff_model *model);
/* Keeps the memory of controllers that a search for rest has found. FF_UNREACHABLE, explained, where samples would change states. */
ff_status ff_control_keep_rest(ff_sim *sim, const ff_phase *phase);
/* Sets sides of kinks as the state says. Whether any changed. */
bool ff_control_settle(ff_sim *sim);
/* The root functions of some kinks; and what happens at one. */
void ff_control_roots(ff_sim *sim, double t, const double *bodies, const double *y, size_t first,
                      size_t count, ff_root *out);
void ff_control_switch(ff_sim *sim, size_t branch);
/* Decides sides where what is discrete has changed; some root functions have fired there. */
void ff_control_decide(ff_sim *sim, const size_t *fired, size_t count);
/* How large the terms of an expression's root function are, after a step; and those of all kinks. */
double ff_control_size(const ff_sim *sim, double size, const ff_root *from, const ff_root *to);
void ff_control_note_sizes(ff_sim *sim, const ff_root *from, const ff_root *to);
/* A user's function that is an expression. */
double ff_control_event_value(ff_sim *sim, size_t expression, double t, const double *bodies,
                              const double *y);
/* When the next sample is to be taken; and takes those that are due. */
double ff_control_next(const ff_sim *sim);
void ff_control_meet(ff_sim *sim);
/* What an event that was reported does. */
void ff_control_event(ff_sim *sim, const ff_event *event);
bool ff_control_valid(const ff_sim *sim);

/* ---- roots (roots.c) ---- */

void ff_roots_all(void *self, double t, const double *y, ff_known known, ff_root *out);
/* A slot has jumped: what all functions were looked at by is made so again, here. */
void ff_roots_look_again(ff_sim *sim, size_t slot);
void ff_roots_one(void *self, double t, const double *y, size_t which, ff_root *out);
ff_reads ff_roots_reads(const void *self, size_t which);
/* Components of y that the motion of a body depends on, and of `other` where that is not negative; no parts: on all of y. */
ff_reads ff_bodies_reads(const ff_sim *sim, int body, int other);
/* Components of y that a slot depends on: its bodies and its own states; no parts: on all of y. */
ff_reads ff_slot_reads(const ff_sim *sim, size_t slot);

/* ---- events (events.c) ---- */

void ff_events_jump(void *self, const size_t *fired, size_t count, double last, ff_jump *out);
/* Without located events: a slot that has come into contact latches its speed, one that has left it
 * is reset, both at the end of the step that shows it. Whether there was any. */
bool ff_events_settle(void *self);
/* How things stand at the start of a run; returns the power of its clock. */
int ff_events_start(ff_sim *sim);
/* Makes inner states of friction that are 0 ready for a contact at rest, in y. */
void ff_events_touch_friction(const ff_sim *sim, double *y);

/* What is in springs of friction as a run begins was neither made nor lost by a change of level. */
void ff_books_start(ff_sim *sim);
/* ---- impacts (impacts.c) ---- */

/* How the force of a slot begins to act: with an impact, with one that goes on after its force was held at 0, or with
 * none, where z > 0 already. */
typedef enum ff_hit { FF_HIT_NEW, FF_HIT_ON, FF_HIT_NONE } ff_hit;

/* The force of a slot begins or ends to act. */
void ff_impacts_begin(ff_sim *sim, size_t i, const ff_touch *touch, ff_hit how);
void ff_impacts_end(ff_sim *sim, size_t i, const ff_touch *touch);
/* Looks at the step last taken, before anything happens at its end. */
void ff_impacts_step(ff_sim *sim);
/* Notes which things without a pair met in the step last taken. */
void ff_meetings_step(ff_sim *sim);

/* Books what changes of level did to the springs of friction in the step last taken, before anything happens at its end. */
void ff_books_step(ff_sim *sim);

/* The ledger, and what each party to it holds: the sum of a contact's accounts, or an account of the run. */
ff_ledger ff_sim_ledger_parts(ff_sim *sim, double *held);
/* The end of the state: parties to leaks. */
void ff_sim_lay_out_leak(ff_sim *sim, ff_arena *a);
/* Begins anew at the start state of the model. FF_NO_MEMORY: of open models; and where a start at rest is not found
 * (rest.h), of which sim->error tells: then it begins as written. */
ff_status ff_sim_rebegin(ff_sim *sim);

/* ---- whether a run can be trusted (verdict.c) ---- */

/* Whether joints were held so far: the part of ff_sim_verdict() that is about them. */
ff_status ff_sim_joints_verdict(ff_sim *sim);
size_t ff_verdict_parties(const ff_model *model);
/* The party that a slot is: itself, or the pair of the scene that it is of, in an open model. */
size_t ff_verdict_party(const ff_sim *sim, size_t slot);
/* The ledger begins here. */
void ff_verdict_begin(ff_sim *sim);
/* A look at the ledger: its scale, and who is to be blamed for what the residual has grown by. */
void ff_verdict_note(ff_sim *sim);
/* FF_NOT_FINITE, with a text that names it, where y or the motion of a body has a number that is not finite. */
ff_status ff_verdict_state(ff_sim *sim, const double *y);
ff_status ff_verdict_bodies(ff_sim *sim);
/* Of scenes and crowds. */
void ff_verdict_name_party(const ff_model *model, size_t party, char *out, size_t size);
ff_status ff_verdict_finite(ff_sim *sim, const ff_ledger *ledger);
double ff_verdict_rounding(const ff_sim *sim, const ff_ledger *ledger);
