/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Internals of a sim: its state at one instant (saved and restored by copying), and its work memory. */

#include "dynamics/dynamics.h"
#include "flow/path.h"
#include "flow/quadrature.h"
#include "ledger/leak.h"
#include "ledger/ledger.h"
#include "near.h"
#include <stdint.h>

/* A body without a shape that is behind a plane (meetings.c): since when, body times number of planes plus plane, and the
 * largest distance, m. */
typedef struct ff_behind {
    double time, which, depth;
} ff_behind;

/* How far the ledger of a run was from closing, and how far the tolerances let it be (verdict.c). */
typedef struct ff_doubt {
    double most, time; /* the largest residual so far, J, and when */
    /* the largest effects on the ledger that were found: of errors of a step within its tolerances, and of rounding, J */
    double step, rounding;
    double looked; /* number of steps when they were last found */
} ff_doubt;

/* State of a run besides its arrays and its flow. Two things that no pair names but that met (meetings.c): when, and their
 * index in the topology's list. */
enum { FF_MEETINGS_KEPT = 4 };

typedef struct ff_meeting {
    double time, which;
} ff_meeting;

typedef struct ff_sim_now {
    /* of what can move: initial energy, energy scale, and account `gravity` at the start, the reference for its magnitude, J */
    double initial, scale, gravity;
    ff_leak_now leak;
    ff_doubt doubt;
    ff_violation violated; /* largest violation after any step */
    double impacts;        /* number of impacts of all contacts */
    /* first times at which a step may have missed what functions do, and at which a root function had no bound, s; 0: none */
    double unresolved, unbounded;
    double meetings; /* number of known meetings of things that no pair names, and the meetings */
    ff_meeting met[FF_MEETINGS_KEPT];
    double behind_count;
    ff_behind behind[FF_MEETINGS_KEPT];
} ff_sim_now;

/* What an equilibrium search did to the start (rest.c): the bodies that it moved and turned farthest, and by how much; a
 * displacement relative to the body's size, m. */
typedef struct ff_shift {
    int moved, turned;
    double way, size, angle;
} ff_shift;

/* The discrete state of a run of a scene, as a view of one block of bytes. */
typedef struct ff_sim_phase {
    /* energy in springs that stopped acting minus that in springs that began, J; and energy removed by corrections onto
     * constraints */
    double *spent, *removed;
    ff_books *books; /* of each slot */
    ff_mode *modes;
    bool *slipping; /* slipping, or beyond the kink of friction (ff_slot_bends()) */
    /* all elements of a contact stick (ff_slot_has_parts()), until that ends for the first time */
    bool *grips;
    bool *parted; /* full stick has ended in this contact */
    bool *
        turning; /* beyond the edges of rolling and of twist, 2 per slot; none if no contact has a moment */
    bool *opening; /* zdot < 0, for a normal law with a kink there (`kinked`) */
    bool *inside;  /* whether a slot is reported as touching: its force acts */
    /* per coordinate of each joint: its friction slips, or is beyond its kink; and the side of its limits that it is on. None
     * without such friction, and without limits */
    bool *rubbing;
    signed char *stops;
    bool *acting;     /* which forces act */
    bool *above;      /* which users' functions are positive */
    double *memory;   /* held numbers of controllers */
    double *branches; /* sides of the kinks of expressions */
    double *samples;  /* number of samples taken by each controller */
    double *changed;  /* time of the last sample that changed anything, s; none without samples */
} ff_sim_phase;

/* Root functions of a slot: the gap, the end of the force, stick or slip (or the kink of a friction law without these),
 * the depth that the inner states of friction cover, and the end of full stick; stick or slip (or kinks) of rolling and twist;
 * and the turning point of a normal law with a kink at zdot = 0, which is no event. */
enum {
    FF_END_GAP,
    FF_END_HOLD,
    FF_END_SLIP,
    FF_END_ROOM,
    FF_END_GRIP,
    FF_END_ROLLING,
    FF_END_TWIST,
    FF_END_TURN,
    FF_ENDS
};

static inline bool ff_slot_has_edge(const ff_slot *slot) {
    return slot->friction.law->slips || ff_slot_bends(slot);
}

static inline bool ff_slot_has_room(const ff_slot *slot) { return slot->friction.law->covers; }

/* With one vector there is one part, and full stick ends where slip begins. */
static inline bool ff_slot_has_parts(const ff_slot *slot) {
    return slot->friction.law->parts && slot->friction.vectors > 1;
}

typedef struct ff_end {
    size_t
        slot; /* slot; slot_count and beyond: users' functions, kinks of controllers, edges of joints */
    int which;
} ff_end;

/* Bounds of the motion of a body in the last step tried. */
typedef struct ff_sway {
    /* the acceleration of its centre of mass is within `off` of `mean`, m/s^2 */
    double mean[3], off;
    bool turns;
    /* if `turns`: bounds of |alpha|, of |omega|, and of |alpha| + |omega|^2 */
    double alpha, omega, turn;
    double anchor; /* mechanisms: bound of the acceleration of its anchor */
    long step;     /* ff_stepper.tries of that step */
} ff_sway;

/* Work memory for expressions over a part of a step. */
typedef struct ff_piece_room {
    ff_interval *work; /* of one tape at a time, at any order */
    /* ff_course of the root functions of kinks and of users' functions */
    unsigned char *branches, *events;
    unsigned char *acts; /* ff_reliance of commands and rates */
    double *fits;     /* coefficients of polynomials through samples of inputs; NULL: not needed */
    bool timed, free; /* some of them are functions of time; read states, not affinely */
} ff_piece_room;

/* Root functions of a joint along one of its coordinates: its limits, stick or slip, or the kink of a friction law without
 * these, which is no event. */
typedef enum ff_edge_kind {
    FF_EDGE_LOWER,
    FF_EDGE_UPPER,
    FF_EDGE_SLIP,
    FF_EDGE_BEND,
    FF_EDGE_KINDS
} ff_edge_kind;

typedef struct ff_edge {
    size_t joint;
    int coordinate;
    ff_edge_kind which;
    size_t rub; /* index among frictions under reactions, SIZE_MAX if it is none of them */
} ff_edge;

/* What root functions of joints read, at a time: frictions under reactions, and strains of all edges. */
typedef struct ff_rubs {
    double t;
    ff_rub *rubs;
    double *strains;
} ff_rubs;

/* More than a step of any method has stages; a step of dop853 evaluates the rates 15 times, with its interpolant. */
enum { FF_EDGE_SAMPLES = 24 };

/* Root functions of joints (edges.c). */
typedef struct ff_edges {
    size_t count, root_at; /* the first of them */
    ff_edge *at;
    size_t rubs; /* frictions under reactions; 0 if none of them slips */
    /* at the start of the next step, at the end of the last one tried, and at the state evaluated last */
    ff_rubs here, end, one;
    double *one_y, *y, *rates;        /* that state; scratch memory */
    ff_rubs samples[FF_EDGE_SAMPLES]; /* evaluations of the rates in the current step, in a ring */
    int next;
} ff_edges;

/* Scratch memory of controllers. */
typedef struct ff_control_room {
    double *work, *commands, *acted, *own_commands, *own_rates, *slopes, *values;
    double *rested; /* the memory of controllers at the end of an equilibrium search */
    /* the memory of controllers before a sample; and after one inside a step that is repeated up to it, if `waits` */
    double *before, *after;
    bool waits;
} ff_control_room;

/* Functions that differ between runs of scenes, crowds and inclusions. */
typedef struct ff_sim_kind {
    /* Checks the options and allocates everything; after a failure ff_sim_free() frees what was allocated. */
    ff_status (*create)(ff_sim *sim, ff_error *error);
    void (*free)(ff_sim *sim); /* may be NULL */
    /* Only for kinds without a flow, or with data to save outside the sim's memory; otherwise NULL. */
    ff_status (*step)(ff_sim *sim, double until);
    /* Restarts with the numbers of another model, which the sim is about to get. */
    ff_status (*renumber)(ff_sim *sim, const ff_model *made, ff_error *error);
    double (*time)(const ff_sim *sim);
    ff_motion (*body)(const ff_sim *sim, size_t body);
    /* crowds: sum of the normal forces of all contacts of a body */
    double (*normal_force)(ff_sim *sim, size_t body);
    ff_ledger (*class_ledger)(const ff_sim *sim, size_t index);
    int (*threads)(const ff_sim *sim);
    size_t (*saved_size)(const ff_sim *sim);
    void (*save)(const ff_sim *sim, void *out);
    /* FF_BAD_VALUE if save() cannot have written these bytes, FF_NO_MEMORY; then nothing has changed. */
    ff_status (*restore)(ff_sim *sim, const void *state, size_t size);
    /* Called before a step of the flow, after a step with its status, and to explain a failed step. */
    void (*ready)(ff_sim *sim);
    /* Computes what queries of a const sim need: at the end of a step, and when another time is observed. */
    void (*show)(ff_sim *sim); /* may be NULL */
    /* Called before a copy of the state is taken. */
    void (*pack)(ff_sim *sim);
    /* Whether a restored state is valid, apart from the flow and `now`; may be NULL. */
    bool (*valid)(const ff_sim *sim);
    /* Called after a valid state was restored: computes what follows from it. On failure nothing has changed. */
    ff_status (*unpack)(ff_sim *sim);
    /* A hash of what a run depends on besides its state and general options, for checkpoints. */
    uint64_t (*fingerprint)(const ff_sim *sim);
    void (*note)(ff_sim *sim, ff_status status);
    ff_status (*explain)(ff_sim *sim, ff_status status);
    /* All accounts at the observed time, and the energy of each party (may be NULL); residual NAN if the accounts cannot
     * close. The gravity of bodies that cannot move is in `initial` instead of `gravity`. */
    ff_ledger (*ledger)(ff_sim *sim, double *held);
    /* name of what an event belongs to, other than FF_SWITCH and FF_USER */
    const char *(*owner)(const ff_model *model, const ff_event *event);
    size_t (*parties)(const ff_model *model);
    void (*name_party)(const ff_model *model, size_t party, char *out, size_t size);
    /* FF_NOT_FINITE, with an explanation, if a number is not finite. */
    ff_status (*finite)(ff_sim *sim, const ff_ledger *ledger);
    /* Largest residual that is no failure whatever the scale, J: that of tolerances and rounding. */
    double (*permits)(ff_sim *sim, const ff_ledger *ledger);
} ff_sim_kind;

/* Defined in scene.c and crowd/run.c. */
extern const ff_sim_kind ff_scene_kind, ff_crowd_kind;

struct ff_sim {
    const ff_sim_kind *kind;
    const ff_model *model; /* the model it was created with, or one with the sim's own numbers */
    /* the model with slots for near pairs only; equal to `model` unless that is open */
    const ff_model *reduced;
    ff_near *near;                  /* open models: near pairs; otherwise NULL */
    struct ff_own_numbers *numbers; /* own numbers, once one was set (set.c); NULL before */
    /* fingerprint of the model at the start (checkpoint.c); 0: not computed */
    uint64_t fingerprint;
    ff_model *own_model; /* model that belongs to the sim and is freed with it; NULL: none */
    ff_run_options options;
    void *own;    /* data of a crowd or an inclusion; NULL for scenes */
    void *memory; /* all arrays, beginning with `state_size` bytes of the state */
    size_t state_size;

    /* the state */
    ff_flow flow;
    ff_sim_now now;
    ff_sim_phase phase, past; /* views of the phase of the flow, and of its last step */
    ff_extent *extents;       /* scales of each body for errors */
    double *fastest;          /* recent largest speed of each body */
    double *user_size;        /* largest magnitude of each user's function so far */
    double *branch_size;      /* largest magnitude of each kink's argument so far */
    ff_survey *surveys;
    double *inputs;            /* inputs of the model, filled in when the state is saved */
    ff_impact_record *impacts; /* the first impacts */

    /* work memory */
    ff_leak leak;           /* its `taken` and `blamed` belong to the state */
    ff_end *ends;           /* what each root function belongs to */
    size_t *root_at;        /* index of the first root function of each slot */
    ff_phase contexts[2];   /* what rates depend on besides y: now, and in the last step */
    ff_touch_kept *touches; /* from the last evaluation of the rates or of all root functions */
    bool looked;            /* it was of the root functions, including jumps since then */
    ff_sway *sways;         /* of each body */
    ff_piece_room pieces;
    ff_motion *motions;
    double *shown; /* motions of the bodies of an articulated model at the observed time */
    double *scratch;
    double *slope_rates; /* for models with contacts that have a moment */
    ff_extent *extents_now;
    int *place;             /* row of a state among the active ones, or -1 */
    ff_folding folding;     /* of Jacobians; no `fold`: not possible */
    ff_fold fold;           /* its arrays */
    ff_mechanism mechanism; /* for a model with joints */
    ff_control_room control;
    ff_edges edges;  /* root functions of joints */
    int trouble;     /* trouble of the mechanism at the start of a step */
    bool *carries;   /* slots that touch in a start at rest */
    ff_rest rest;    /* result of the equilibrium search */
    ff_shift shift;  /* and what it did to the start */
    bool continues;  /* while a run begins: inner states of contacts are given */
    bool reactions;  /* the mechanism holds the joint reactions at the observed time */
    char error[480]; /* explanation of the last failure */
};

/* Number of rows of a method's matrix; 0: it has none. */
size_t ff_sim_rows(const ff_model *model, ff_method method);

ff_motion ff_motion_at(const double *bodies, size_t body);
/* The motions of bodies at y: in y itself, or in the mechanism's work memory until the next call. */
const double *ff_sim_bodies_at(ff_sim *sim, const double *y);
/* The time of a sim that is not a crowd. */
static inline double ff_sim_now_time(const ff_sim *sim) { return ff_flow_time(&sim->flow); }

/* ff_sim_step() without its clock. FF_STOPPED if a step waits to be tried elsewhere (ff_flow_trial). */
ff_status ff_sim_step_once(ff_sim *sim, double until);

/* ---- setting fields (set.c) ---- */

/* Number of doubles of the inputs of a sim, reading them, and writing them, which makes the model follow from them. They
 * belong to the state. FF_BAD_VALUE for inputs that the model cannot have, FF_NO_MEMORY: nothing has changed. */
size_t ff_set_inputs_size(const ff_sim *sim);
void ff_set_inputs_save(const ff_sim *sim, double *values);
ff_status ff_set_inputs_restore(ff_sim *sim, const double *values);
void ff_set_free(ff_sim *sim);
/* As ff_sim_set_all(), of a sim that may have run: it begins anew. `alone`: a scene file is not evaluated again, which takes
 * ten times as long as all else; right where nothing else in the file follows from these fields. Whether that is so shows in
 * two sims that were set in both ways: all numbers of their models are the same. */
ff_status ff_set_again(ff_sim *sim, const size_t *fields, size_t count, const double *values,
                       bool alone, ff_error *error);
bool ff_set_same(const ff_sim *a, const ff_sim *b);
/* Called before inputs change in a run: computes the fingerprint for its checkpoints (checkpoint.c). */
void ff_checkpoint_note(ff_sim *sim);
/* Fingerprints of scenes and crowds (fingerprint.c; see ff_sim_kind), and of contact laws. */
uint64_t ff_fingerprint_scene(const ff_sim *sim);
uint64_t ff_fingerprint_normal(uint64_t h, const ff_normal *law);
uint64_t ff_fingerprint_friction(uint64_t h, const ff_friction *law);

/* ---- near pairs of open models (near.c) ---- */

/* The parts of a sim before it got a new layout. */
typedef struct ff_near_kept {
    ff_sim sim;
    ff_near near;
} ff_near_kept;

ff_status ff_near_create(ff_sim *sim);
void ff_near_free(ff_sim *sim);
/* Lays out a run that begins with these bodies; everything is 0. */
ff_status ff_near_begin(ff_sim *sim, const double *bodies);
/* For an equilibrium search: whether all pairs that can touch on the way of bodies from y to `to` have slots (always true
 * if the model is not open); and a new layout with bodies as in y, each of which may move by `way` and, unless `to` is
 * NULL, as far as that. Positions and inner states are kept, except of pairs that are no longer near; everything else is 0. */
bool ff_near_covers(const ff_sim *sim, const double *to);
ff_status ff_near_follow(ff_sim *sim, const double *to, double way);
/* Implements arrange() of ff_system: bodies may move beyond their margins in a step of this duration. */
ff_status ff_near_arrange(void *self, double *time, const double *to, bool *changed);
/* Updates sim->reduced after the numbers of sim->model have changed, for any sim. */
void ff_near_refresh(ff_sim *sim);
/* The slot of a contact, SIZE_MAX if it has none; and the accounts of a contact without a slot. */
size_t ff_near_slot(const ff_sim *sim, size_t contact);
static inline size_t ff_near_contact(const ff_sim *sim, size_t slot) {
    return sim->near ? sim->near->of[slot] : slot;
}
ff_ledger ff_near_absent_ledger(const ff_sim *sim, size_t contact, double t);
/* NULL if there are none. */
const ff_books *ff_near_absent_books(const ff_sim *sim, size_t contact);
/* Lays the sim out for a state that is about to be restored, after ff_near_keep(); ff_near_undo() reverts that. */
ff_status ff_near_fit(ff_sim *sim, const char *state, size_t size);
void ff_near_keep(const ff_sim *sim, ff_near_kept *out);
void ff_near_undo(ff_sim *sim, const ff_near_kept *kept);
bool ff_near_valid(const ff_sim *sim);
/* Lays out its arrays of the state, and of the work memory. */
void ff_near_lay_out_state(ff_sim *sim, const ff_near_counts *counts, ff_arena *a);
void ff_near_lay_out_work(ff_sim *sim, ff_arena *a);
/* Lays out all arrays of a run of a scene (scene.c); `counts` for an open model, otherwise NULL. */
void ff_scene_lay_out(ff_sim *sim, const ff_near_counts *counts, ff_arena *a);

/* ---- a scene as a system (system.c) ---- */

extern const ff_system ff_scene_system;

/* Sets what a flow needs after arrays are laid out. */
ff_status ff_system_prepare(ff_sim *sim);
/* Makes everything use the numbers of sim->model. */
void ff_system_use(ff_sim *sim);
/* Computes the allowed errors of a step from the scales of motions and the rounding of y. */
void ff_system_weigh(ff_sim *sim);
/* Reciprocal of the allowed error of a step in one component. */
double ff_system_per_weight(const ff_sim *sim, double scale, double y);
/* Updates the scales of motions that have become much faster or slower. */
void ff_system_watch_sizes(ff_sim *sim);
/* Sets which forces act from now on; `report_changes`: report changes as events. */
void ff_system_set_acting(ff_sim *sim, bool report_changes);
/* The time in which a contact of a body reaches its largest depth. */
/* Rotates round bodies, whose orientation is not in the rates, up to the fraction theta of a step (turns.c). */
void ff_turns_carry(ff_sim *sim, const ff_span *span, double theta, double *to);
double ff_system_touch_time(const ff_model *model, int body);

/* ---- controllers (control.c) ---- */

size_t ff_control_branches(const ff_model *model);
/* ff_sim_begin() with inner states of all slots in their order, which contacts that touch continue with; NULL: 0. Not for
 * open models. (scene.c) */
ff_status ff_sim_begin_inside(ff_sim *sim, const ff_motion *bodies, const double *inner);
/* The observed state as a controller sees it (scene.c). */
void ff_scene_look(const ff_sim *sim, ff_control_view *out);
void ff_control_lay_out(ff_sim *sim, ff_arena *a);
void ff_control_prepare(ff_sim *sim);
/* Sets what rates depend on to a phase and to the scratch memory of the sim. */
void ff_control_give(const ff_sim *sim, const ff_sim_phase *phase, ff_phase *out);
/* Initialises states, memory, the first samples and sides of kinks. */
void ff_control_start(ff_sim *sim);
/* Sets states in y, and memory, to their written values. */
void ff_control_write_start(ff_sim *sim, double *memory);
/* Why there is no equilibrium with these controllers in any state; NULL: there may be one. */
const char *ff_control_unrest(const ff_model *model);
/* Keeps the memory of controllers found by an equilibrium search. FF_UNREACHABLE, with an explanation, if samples would
 * change states. */
ff_status ff_control_keep_rest(ff_sim *sim, const ff_phase *phase);
/* Sets sides of kinks according to the state. Returns whether any changed. */
bool ff_control_settle(ff_sim *sim);
/* The root functions of some kinks; and the change at a root. */
void ff_control_roots(ff_sim *sim, double t, const double *bodies, const double *y, size_t first,
                      size_t count, ff_root *out);
void ff_control_switch(ff_sim *sim, size_t branch);
/* Decides sides after discrete numbers have changed; some root functions have switched at this instant. */
void ff_control_decide(ff_sim *sim, const size_t *fired, size_t count);
/* Magnitude of the terms of an expression's root function after a step; and update for all kinks. */
double ff_control_size(const ff_sim *sim, double size, const ff_root *from, const ff_root *to);
void ff_control_note_sizes(ff_sim *sim, const ff_root *from, const ff_root *to);
/* A user's function that is an expression. */
double ff_control_event_value(ff_sim *sim, size_t expression, double t, const double *bodies,
                              const double *y);
/* The time of the next sample; the time of a sample at which a step must end; taking the samples that are due now, which
 * returns whether they changed anything; and see ff_system.pass. */
double ff_control_next(const ff_sim *sim);
double ff_control_end(const ff_sim *sim, double t);
bool ff_control_meet(ff_sim *sim);
double ff_control_pass(ff_sim *sim, double end);
/* Performs the actions of a reported event. */
void ff_control_event(ff_sim *sim, const ff_event *event);
bool ff_control_valid(const ff_sim *sim);

/* ---- between two points of a step (course.c) ---- */

/* The bounds of a body in the last step tried; `turns`: its rotation matters. */
const ff_sway *ff_course_sway(ff_sim *sim, int body, bool turns);
/* The rate of a component of y in the last step tried is within the returned distance of `mean`. */
double ff_course_spread(const ff_sim *sim, size_t i, double *mean);
/* y at a fraction of the last step tried, complete: in y itself or in work memory until the next call. */
const double *ff_course_state(ff_sim *sim, double theta);
/* The link whose coordinates, which are states, are those of a joint; NULL: there is none. */
const ff_link *ff_course_link(const ff_model *model, size_t joint);
/* Whether the second rates of a joint's coordinates are bounded. */
bool ff_course_knows_joint(const ff_sim *sim, size_t joint);
/* Implements most() of ff_system. */
double ff_course_most(void *self, size_t which, const ff_step_part *part);

/* ---- expressions over a part of a step (piece.c) ---- */

/* Lays out work memory, and finds out what is known of each expression. FF_NO_MEMORY. */
void ff_piece_lay_out(ff_sim *sim, ff_arena *a);
ff_status ff_piece_prepare(ff_sim *sim);
/* most() of ff_system for side k of a kink, and for event function i of the user. */
double ff_piece_branch(ff_sim *sim, size_t k, const ff_step_part *part);
double ff_piece_event(ff_sim *sim, size_t i, const ff_step_part *part);
/* Runs the tape of a prescribed motion between two times; commands and rates as functions of time alone, states being 0; and
 * along the last step tried, up to a fraction of it. */
void ff_piece_law(ff_sim *sim, const ff_program *program, double from, double to, int order);
void ff_piece_time(ff_sim *sim, double from, double to, int order);
void ff_piece_step(ff_sim *sim, double to, int order);
/* Ranges of the displacement of a plane along a direction, m, and of its second rate, between two times. */
void ff_piece_motion(ff_sim *sim, const ff_plane_motion *motion, double from, double to,
                     const double normal[3], ff_interval *place, ff_interval *bend);

/* ---- steps in which nothing is hidden (survey.c) ---- */

size_t ff_survey_count(const ff_model *model);
/* Whether there is anything that limits steps. */
bool ff_survey_limits(const ff_model *model);
bool ff_survey_valid(const ff_sim *sim);
/* Called after a change of what is held while time passes: sides, samples, which forces act, contacts, scales, inputs. */
void ff_survey_forget(ff_sim *sim);
/* stands for time 0 where 0 means never, s */
#define FF_SOON 1e-300
/* Shortens a step to a time over which functions of time are resolved. FF_BAD_VALUE, with an explanation, at a pole. */
ff_status ff_survey_time(ff_sim *sim, double *time);
/* After error control has shortened steps to nothing: FF_BAD_VALUE, with an explanation, if that was because of a pole of a
 * function of time; otherwise FF_TOO_STIFF. */
ff_status ff_survey_stiff(ff_sim *sim);
/* Whether functions that read states hide nothing in the last step tried; otherwise a shorter time. */
bool ff_survey_step(ff_sim *sim, double *time);

/* ---- roots (roots.c) ---- */

/* Whether kinks of friction that are no events are located. */
bool ff_roots_locate_bends(const ff_run_options *o);
void ff_roots_all(void *self, double t, const double *y, ff_known known, ff_root *out);
/* During `taken`: whether the touches are those at the end of the step. */
static inline bool ff_sim_touches_known(const ff_sim *sim) {
    return sim->flow.known == FF_KNOWN_RATES || (sim->flow.known == FF_KNOWN_ROOTS && sim->looked);
}
/* Evaluates the touch of a slot again at the current state. */
void ff_roots_look_again(ff_sim *sim, size_t slot);
void ff_roots_one(void *self, double t, const double *y, size_t which, ff_root *out);
ff_reads ff_roots_reads(const void *self, size_t which);
/* Components of y that the motion of a body depends on, and of `other` if that is not negative; no parts: all of y. */
ff_reads ff_bodies_reads(const ff_sim *sim, int body, int other);
/* Components of y that a slot depends on: its bodies and its own states; no parts: all of y. */
ff_reads ff_slot_reads(const ff_sim *sim, size_t slot);

/* ---- events (events.c) ---- */

/* After a step: contacts all of whose parts stick have a full stick that may end. */
void ff_events_watch_grip(ff_sim *sim);
void ff_events_jump(void *self, const size_t *fired, size_t count, double last, ff_jump *out);
/* Without located events: a slot that has come into contact latches its speed, one that has left is reset, at the end of
 * the step that shows it. Returns whether there was any. */
bool ff_events_settle(void *self);
/* Initialises modes at the start of a run; returns the exponent of its time transformation. */
int ff_events_start(ff_sim *sim);
/* Marks all contacts as touching and prepares zero inner states of friction for a contact at rest, in y. */
void ff_events_touch(const ff_sim *sim, double *y);

/* Starts the books so that the initial energy of friction springs counts as neither created nor lost by a change of level. */
void ff_books_start(ff_sim *sim);
/* ---- impacts (impacts.c) ---- */

/* How the force of a slot begins: with a new impact, as the continuation of one after its force was clamped at 0, or
 * without an impact because z > 0 already. */
typedef enum ff_hit { FF_HIT_NEW, FF_HIT_ON, FF_HIT_NONE } ff_hit;

/* Called when the force of a slot begins or ends. */
void ff_impacts_begin(ff_sim *sim, size_t i, const ff_touch *touch, ff_hit how);
void ff_impacts_end(ff_sim *sim, size_t i, const ff_touch *touch);
/* Evaluates the last accepted step, before anything happens at its end. */
void ff_impacts_step(ff_sim *sim);
/* Whether prescribed motions of joints were smooth enough in the last accepted step (drives.c): FF_NOT_HELD, with an
 * explanation, if one jumps. */
ff_status ff_drives_step(ff_sim *sim);
/* Records which things without a pair met in the last accepted step. */
void ff_meetings_step(ff_sim *sim);
/* Records which bodies without a shape are behind a plane now. */
void ff_meetings_note(ff_sim *sim);
/* The distance of a body without a shape behind a plane now, m: 0 if it is in front of it, or was not at the start. */
double ff_meetings_behind(const ff_sim *sim, size_t body, size_t plane, const double *bodies);

/* Books the effect of level changes on friction springs in the last accepted step, before anything happens at its end. */
void ff_books_step(ff_sim *sim);

/* The ledger, and the energy of each party: the sum of a contact's accounts, or an account of the run. */
ff_ledger ff_sim_ledger_parts(ff_sim *sim, double *held);
/* Lays out the end of the state: parties of the attribution. */
void ff_sim_lay_out_leak(ff_sim *sim, ff_arena *a);
/* Restarts at the start state of the model. FF_NO_MEMORY for open models; another failure if no start at rest is found
 * (rest.h), with an explanation in sim->error: then it starts as written. */
ff_status ff_sim_rebegin(ff_sim *sim);

/* ---- validity of a run (verdict.c) ---- */

/* Whether joints were held so far: the part of ff_sim_verdict() about joints. */
ff_status ff_sim_joints_verdict(ff_sim *sim);
size_t ff_verdict_parties(const ff_model *model);
/* The party of a slot: itself, or in an open model the pair of the scene that it belongs to. */
size_t ff_verdict_party(const ff_sim *sim, size_t slot);
/* Starts the ledger. */
void ff_verdict_begin(ff_sim *sim);
/* Evaluates the ledger: its scale, and the attribution of the growth of the residual. */
void ff_verdict_note(ff_sim *sim);
/* FF_NOT_FINITE, with a text that names it, if y or the motion of a body has a number that is not finite. */
ff_status ff_verdict_state(ff_sim *sim, const double *y);
ff_status ff_verdict_bodies(ff_sim *sim);
/* For scenes and crowds. */
void ff_verdict_name_party(const ff_model *model, size_t party, char *out, size_t size);
ff_status ff_verdict_finite(ff_sim *sim, const ff_ledger *ledger);
double ff_verdict_permits(ff_sim *sim, const ff_ledger *ledger);
