/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "num/memory.h"
#include "sim.h"
#include <string.h>

/* Expressions over a part of a step (docs/theory.md, Between stages): their tapes are run on interval Taylor series in theta, the
 * fraction of the step, with the polynomials of its interpolant as inputs. */

static const ff_control *program_of(const ff_sim *sim) {
    return sim->reduced->topology->controls.program;
}

/* ---- inputs ---- */

/* A part of the last step tried. */
typedef struct piece {
    ff_path path;
    bool fits; /* numbers of bodies that are not states are polynomials through samples */
    double kept[2][FF_BODY_SIGNALS]; /* a body at both ends */
} piece;

/* What is known only to be within `bound` of the middle of its values at both ends, with derivatives below those in `slopes`
 * (per time), of which there are `known`. */
static void of_bounds(const piece *p, double a, double b, double bound, const double *slopes,
                      int known, ff_interval *out) {
    const double pace = ff_interval_magnitude(p->path.rate[1]);
    const bool even = ff_interval_magnitude(p->path.rate[2]) == 0;
    out[0] = ff_path_within((a + b) / 2, bound);
    for (int k = 1; k <= p->path.order; k++) {
        const double most = k == 1 && known > 0           ? slopes[0] * pace
                            : k == 2 && known > 1 && even ? slopes[1] * pace * pace / 2
                                                          : HUGE_VAL;
        out[k] = (ff_interval){-most, most};
    }
}

/* A component of y. */
static void of_state(const ff_sim *sim, const piece *p, size_t i, ff_interval *out) {
    double mean = 0, spread = 0;
    if (p->path.by == FF_PATH_STAGES) {
        spread = ff_course_spread(sim, i, &mean);
    }
    ff_path_state(&sim->flow, &p->path, i, mean, spread, out);
}

/* y and the bodies at both ends of a part. */
static void look_at_ends(ff_sim *sim, piece *p, size_t thing) {
    for (int k = 0; k < 2; k++) {
        const double *y = ff_course_state(sim, k ? p->path.to : p->path.from),
                     *at = ff_body_state(ff_sim_bodies_at(sim, y), (int)thing);
        memcpy(p->kept[k], at, sizeof p->kept[k]);
        double *q = p->kept[k] + FF_Q;
        const double norm = sqrt(q[0] * q[0] + ff_dot(q + 1, q + 1));
        for (int c = 0; c < 4; c++) {
            q[c] /= norm;
        }
    }
    /* q and -q are the same orientation; the one near the other */
    double *a = p->kept[0] + FF_Q, *b = p->kept[1] + FF_Q;
    if (a[0] * b[0] + ff_dot(a + 1, b + 1) < 0) {
        for (int c = 0; c < 4; c++) {
            b[c] = -b[c];
        }
    }
}

/* Numbers of a body of a mechanism, or the orientation of a body that is turned apart: from values at both ends and bounds of
 * accelerations. q' = omega q/2. Between two points a time h apart with slopes below L a function is within L h/2 of the middle of
 * both values. */
static void of_body_bounds(ff_sim *sim, piece *p, size_t body, size_t part, size_t width,
                           ff_interval *out) {
    const ff_sway *sway = ff_course_sway(sim, (int)body, true);
    const double h = p->path.t[1] - p->path.t[0];
    look_at_ends(sim, p, body);
    for (size_t c = part; c < part + width; c++, out += p->path.order + 1) {
        const double a = p->kept[0][c], b = p->kept[1][c];
        const double force = sqrt(ff_dot(sway->mean, sway->mean)) + sway->off;
        if (c < FF_Q) {
            const double v =
                fmax(fabs(p->kept[0][FF_VEL + c]), fabs(p->kept[1][FF_VEL + c])) + force * h / 2;
            of_bounds(p, a, b, fabs(b - a) / 2 + force * h * h / 8, (double[]){v, force}, 2, out);
        } else if (c < FF_VEL) {
            const double rate = sway->omega / 2,
                         bend = sway->alpha / 2 + sway->omega * sway->omega / 4;
            of_bounds(p, a, b, fabs(b - a) / 2 + bend * h * h / 8, (double[]){rate, bend}, 2, out);
        } else {
            const double slope = c < FF_OMEGA ? force : sway->alpha;
            of_bounds(p, a, b, slope * h / 2, &slope, 1, out);
        }
    }
}

/* The orientation of a body that is integrated, whose quaternion is normalised where it is read. */
static void widen(const ff_sim *sim, size_t at, ff_interval *out) {
    const double *ends[] = {sim->flow.y + at, sim->flow.stepper.y1 + at};
    double off = 0;
    for (int k = 0; k < 2; k++) {
        const double *q = ends[k];
        off = fmax(off, fabs(sqrt(q[0] * q[0] + ff_dot(q + 1, q + 1)) - 1));
    }
    *out = ff_path_within((out->lo + out->hi) / 2,
                          (out->hi - out->lo) / 2 + 2 * off + 8 * DBL_EPSILON);
}

/* Position in y of the part of a body's numbers that begins at `part`, if they are states; otherwise SIZE_MAX. */
static size_t states_of_body(const ff_model *model, size_t body, size_t part) {
    if (!ff_articulated(model)) {
        return part == FF_Q && ff_turns_apart(model, body) ? SIZE_MAX
                                                           : body * FF_BODY_STRIDE + part;
    }
    const ff_link *l = &model->tree->links[body];
    const bool centred = l->com[0] == 0 && l->com[1] == 0 && l->com[2] == 0;
    /* coordinates are the place and the orientation, speeds the velocity and omega */
    return l->kind == FF_JOINT_FREE && l->driven == 0 && centred ? l->at + part : SIZE_MAX;
}

/* Whether a signal is known as a series: not contacts, and joints only where their coordinates are states. */
static bool is_known(const ff_model *model, const ff_signal *s) {
    if (s->kind == FF_SIGNAL_CONTACT) {
        return s->part == FF_CONTACT_TOUCHING;
    }
    if (s->kind == FF_SIGNAL_JOINT) {
        const ff_link *l = ff_course_link(model, s->thing);
        return l && l->driven == 0 && l->coordinates <= FF_JOINT_COORDINATES;
    }
    return true;
}

/* Numbers of bodies of a mechanism as polynomials through 8 samples within the step: they are analytic functions of coordinates that
 * are polynomials, so that the remainder is beyond what the method itself resolves. */
static void of_fits(const ff_sim *sim, const piece *p, const ff_signal *s, size_t input,
                    ff_interval *out) {
    for (size_t c = 0; c < s->width; c++, out += p->path.order + 1) {
        ff_path_polynomial(sim->pieces.fits + (input + c) * FF_DENSE_MOST, FF_DENSE_MOST,
                           p->path.from, p->path.to, p->path.order, out);
    }
}

/* Samples the inputs of the flow program at Chebyshev's points of the last step tried, and fits polynomials. */
static void fit(ff_sim *sim) {
    /* (1 - cos(pi i/7))/2 */
    static const double at[FF_DENSE_MOST] = {0,
                                             0.04951556604879048,
                                             0.18825509907063323,
                                             0.38873953302184278,
                                             0.61126046697815722,
                                             0.81174490092936677,
                                             0.95048443395120952,
                                             1};
    ff_flow *f = &sim->flow;
    const ff_program *program = &program_of(sim)->flow;
    ff_stepper_dense(&f->stepper, f->now.method, f->now.clock.x, f->y, f->stepper.step);
    const size_t count = ff_tape_inputs(program->tape);
    double *fits = sim->pieces.fits, *work = sim->contexts[0].control_work + program->work_at;
    if (f->carries) {
        /* the last sample leaves bodies where the end of the step has them */
        f->system->carry(sim, &(ff_span){&f->now.clock, f->stepper.step, f->y}, 1, f->stepper.y1);
    }
    for (int k = 0; k < FF_DENSE_MOST; k++) {
        const double *y = ff_course_state(sim, at[k]);
        const ff_control_view view = {
            sim->reduced, &sim->contexts[0],
            ff_clock_time(&f->now.clock, f->now.clock.x + at[k] * f->stepper.step),
            ff_sim_bodies_at(sim, y), y};
        ff_control_gather(&view, program, sim->contexts[0].control_work);
        for (size_t i = 0; i < count; i++) {
            fits[i * FF_DENSE_MOST + (size_t)k] = work[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        /* divided differences, then powers of theta by Horner's scheme */
        double *c = fits + i * FF_DENSE_MOST;
        for (int k = 1; k < FF_DENSE_MOST; k++) {
            for (int j = FF_DENSE_MOST - 1; j >= k; j--) {
                c[j] = (c[j] - c[j - 1]) / (at[j] - at[j - k]);
            }
        }
        for (int k = FF_DENSE_MOST - 2; k >= 0; k--) {
            for (int j = k; j < FF_DENSE_MOST - 1; j++) {
                c[j] -= at[k] * c[j + 1];
            }
        }
    }
}

/* The inputs of a program over a part of a step; those that are not known are unbounded. */
static void gather(ff_sim *sim, const ff_program *program, piece *p, ff_interval *out) {
    const ff_model *model = sim->reduced;
    const ff_sim_phase *phase = &sim->phase;
    const size_t each = (size_t)p->path.order + 1;
    size_t input = 0;
    for (size_t i = 0; i < program->read_count; i++) {
        const ff_signal *s = &program->reads[i];
        const bool known = is_known(model, s);
        const size_t at = s->kind == FF_SIGNAL_BODY ? states_of_body(model, s->thing, s->part) : 0;
        if (at == SIZE_MAX) {
            if (p->fits) {
                of_fits(sim, p, s, input, out);
            } else {
                of_body_bounds(sim, p, s->thing, s->part, s->width, out);
            }
            input += s->width;
            out += each * s->width;
            continue;
        }
        input += s->width;
        for (size_t c = s->part; c < s->part + s->width; c++, out += each) {
            switch (s->kind) {
            case FF_SIGNAL_TIME: memcpy(out, p->path.rate, each * sizeof *out); break;
            case FF_SIGNAL_BODY:
                of_state(sim, p, at + c - s->part, out);
                if (s->part == FF_Q) {
                    widen(sim, at, out);
                }
                break;
            case FF_SIGNAL_STATE: of_state(sim, p, model->control_at + s->thing, out); break;
            case FF_SIGNAL_MEMORY:
                ff_path_constant(phase->memory[s->thing], p->path.order, out);
                break;
            case FF_SIGNAL_BRANCH:
                ff_path_constant(phase->branches[s->thing], p->path.order, out);
                break;
            case FF_SIGNAL_JOINT: {
                const ff_link *l = ff_course_link(model, s->thing);
                if (known &&
                    c % FF_JOINT_RATE < (size_t)(c < FF_JOINT_RATE ? l->coordinates : l->speeds)) {
                    of_state(sim, p,
                             l->at + (c < FF_JOINT_RATE
                                          ? c
                                          : (size_t)l->coordinates + c - FF_JOINT_RATE),
                             out);
                    break;
                }
                for (size_t k = 0; k < each; k++) {
                    out[k] = known ? ff_interval_of(0) : ff_interval_all();
                }
                break;
            }
            case FF_SIGNAL_CONTACT:
                for (size_t k = 0; k < each; k++) {
                    out[k] = !known ? ff_interval_all() : (ff_interval){0, k == 0};
                }
                break;
            }
        }
    }
}

static piece piece_of(ff_sim *sim, double from, double to, int order) {
    return (piece){.path = ff_path_of(&sim->flow, from, to, order)};
}

/* ---- root functions ---- */

/* Runs the tape of a program, up to a group, over a part of the step. */
static void run(ff_sim *sim, const ff_program *program, size_t groups, piece *p) {
    ff_interval *work = sim->pieces.work;
    ff_flow *f = &sim->flow;
    if (p->path.by == FF_PATH_DENSE) {
        ff_stepper_dense(&f->stepper, f->now.method, f->now.clock.x, f->y, f->stepper.step);
    }
    ff_series_begin(program->tape, p->path.order, work);
    gather(sim, program, p, work);
    for (size_t g = 0; g < groups; g++) {
        ff_series_run(program->tape, g, p->path.order, work);
    }
}

/* An upper bound of an expression, or of its negative, over a part of the step: for a whole step from its stages first. */
static double most_of(ff_sim *sim, const ff_program *program, size_t groups, size_t output,
                      const ff_step_part *part, double side) {
    const bool whole = part->from == 0 && part->to == 1 && sim->flow.stepper.dense_terms == 0 &&
                       sim->flow.now.clock.power == 1;
    double most = HUGE_VAL;
    for (int turn = whole ? 0 : 1; turn < 2 && most > part->a->noise; turn++) {
        piece p = piece_of(sim, part->from, part->to, FF_PATH_ORDER);
        p.path.by = turn == 0 ? FF_PATH_STAGES : FF_PATH_DENSE;
        run(sim, program, groups, &p);
        most = ff_path_bound_side(
            ff_series_output(program->tape, output, FF_PATH_ORDER, sim->pieces.work), side, part);
    }
    return most;
}

/* An expression that stays between two whole numbers, `side` and the next one: both distances, from values at both ends. */
static double whole_most(ff_sim *sim, size_t k, double side, const ff_step_part *part) {
    const ff_control *program = program_of(sim);
    const ff_program *flow = &program->flow;
    const size_t output = program->act_count + k;
    double ends[2];
    for (int end = 0; end < 2; end++) {
        const double at = end ? part->to : part->from;
        piece p = piece_of(sim, at, at, 0);
        run(sim, flow, FF_GROUP_BRANCHES + 1, &p);
        const ff_interval *x = ff_series_output(flow->tape, output, 0, sim->pieces.work);
        ends[end] = (x->lo + x->hi) / 2;
    }
    piece p = piece_of(sim, part->from, part->to, FF_PATH_ORDER);
    run(sim, flow, FF_GROUP_BRANCHES + 1, &p);
    const ff_interval *x = ff_series_output(flow->tape, output, FF_PATH_ORDER, sim->pieces.work);
    ff_interval below[FF_PATH_ORDER + 1], above[FF_PATH_ORDER + 1];
    for (int i = 0; i <= FF_PATH_ORDER; i++) {
        below[i] = ff_interval_negate(x[i]);
        above[i] = x[i];
    }
    below[0] = ff_interval_add(below[0], ff_interval_of(side));
    above[0] = ff_interval_subtract(above[0], ff_interval_of(side + 1));
    const double w = part->to - part->from;
    return fmax(ff_path_bound(below, side - ends[0], side - ends[1], w),
                ff_path_bound(above, ends[0] - (side + 1), ends[1] - (side + 1), w));
}

double ff_piece_branch(ff_sim *sim, size_t k, const ff_step_part *part) {
    const ff_control *program = program_of(sim);
    const double side = sim->phase.branches[k];
    return program->branches[k].whole ? whole_most(sim, k, side, part)
                                      : most_of(sim, &program->flow, FF_GROUP_BRANCHES + 1,
                                                program->act_count + k, part, side);
}

double ff_piece_event(ff_sim *sim, size_t i, const ff_step_part *part) {
    const ff_program *program = &program_of(sim)->events[sim->reduced->events[i].expression];
    return most_of(sim, program, 1, 0, part, !sim->phase.above[i]);
}

/* Prescribed motions are programs of time alone. */
void ff_piece_law(ff_sim *sim, const ff_program *program, double from, double to, int order) {
    ff_interval *work = sim->pieces.work;
    ff_series_begin(program->tape, order, work);
    if (program->read_count > 0) {
        ff_path_constant(from, order, work);
        work[0].hi = to;
        work[order > 0] = order > 0 ? ff_interval_of(1) : work[0];
    }
    ff_series_run(program->tape, 0, order, work);
}

void ff_piece_time(ff_sim *sim, double from, double to, int order) {
    const ff_program *program = &program_of(sim)->flow;
    ff_interval *work = sim->pieces.work, *out = work;
    ff_series_begin(program->tape, order, work);
    for (size_t i = 0; i < program->read_count; i++) {
        const ff_signal *s = &program->reads[i];
        for (size_t c = 0; c < s->width; c++, out += order + 1) {
            switch (s->kind) {
            case FF_SIGNAL_TIME:
                ff_path_constant(from, order, out);
                out[0].hi = to;
                out[1] = ff_interval_of(1);
                break;
            case FF_SIGNAL_MEMORY: ff_path_constant(sim->phase.memory[s->thing], order, out); break;
            case FF_SIGNAL_BRANCH:
                ff_path_constant(sim->phase.branches[s->thing], order, out);
                break;
            case FF_SIGNAL_CONTACT:
                ff_path_constant(0, order, out);
                out[0].hi = s->part == FF_CONTACT_TOUCHING;
                break;
            default: ff_path_constant(0, order, out); break;
            }
        }
    }
    ff_series_run(program->tape, FF_GROUP_ACTS, order, work);
}

void ff_piece_step(ff_sim *sim, double to, int order) {
    piece p = piece_of(sim, 0, to, order);
    p.path.by = FF_PATH_CUBIC;
    p.fits = true;
    if (to == 1 && sim->pieces.fits) {
        fit(sim);
    }
    run(sim, &program_of(sim)->flow, FF_GROUP_ACTS + 1, &p);
}

void ff_piece_motion(ff_sim *sim, const ff_plane_motion *motion, double from, double to,
                     const double normal[3], ff_interval *place, ff_interval *bend) {
    const ff_tape *tape = motion->program.tape;
    ff_piece_law(sim, &motion->program, from, to, FF_PATH_ORDER);
    *place = *bend = ff_interval_of(0);
    for (size_t c = 0; c < 3; c++) {
        const ff_interval *x = ff_series_output(tape, c, FF_PATH_ORDER, sim->pieces.work);
        if (normal[c] != 0) {
            *place = ff_interval_add(*place, ff_interval_scale(x[0], normal[c]));
            *bend = ff_interval_add(*bend, ff_interval_scale(x[2], 2 * normal[c]));
        }
    }
}

/* ---- memory ---- */

static size_t room_of(const ff_program *program) {
    return program->tape ? ff_series_room(program->tape, FF_SERIES_ORDER_MOST) : 0;
}

/* Whether a program reads numbers of bodies that are not states. */
static bool needs_fits(const ff_sim *sim, const ff_program *program) {
    bool needs = false;
    for (size_t i = 0; i < program->read_count; i++) {
        const ff_signal *s = &program->reads[i];
        needs = needs || (s->kind == FF_SIGNAL_BODY &&
                          states_of_body(sim->reduced, s->thing, s->part) == SIZE_MAX);
    }
    return needs;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

void ff_piece_lay_out(ff_sim *sim, ff_arena *a) {
    const ff_control *program = program_of(sim);
    ff_piece_room *room = &sim->pieces;
    size_t most = 0, acts = 0;
    if (program) {
        most = room_of(&program->flow);
        for (size_t i = 0; i < program->event_count; i++) {
            most = larger(most, room_of(&program->events[i]));
        }
        acts = program->act_count;
    }
    const ff_controls *c = &sim->reduced->topology->controls;
    const ff_control *both[] = {c->program, c->laws};
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; both[k] && i < both[k]->drive_count; i++) {
            most = larger(most, room_of(&both[k]->drives[i].program));
        }
        for (size_t i = 0; both[k] && i < both[k]->motion_count; i++) {
            most = larger(most, room_of(&both[k]->motions[i].program));
        }
    }
    FF_TAKE(a, room->work, most);
    FF_TAKE(a, room->branches, ff_control_branches(sim->reduced));
    FF_TAKE(a, room->events, sim->reduced->event_count);
    FF_TAKE(a, room->acts, acts);
    if (program && needs_fits(sim, &program->flow)) {
        FF_TAKE(a, room->fits, FF_DENSE_MOST * ff_tape_inputs(program->flow.tape));
    }
}

/* What outputs of a program rely on, if signals of which `known` is false count as states and, unless `all`, others as constants. */
static ff_status rely(const ff_sim *sim, const ff_program *program, bool all, unsigned char *out) {
    const size_t count = ff_tape_inputs(program->tape);
    unsigned char *kinds = ff_malloc(count + 1), *to = kinds;
    if (!kinds) {
        return FF_NO_MEMORY;
    }
    for (size_t i = 0; i < program->read_count; i++) {
        const ff_signal *s = &program->reads[i];
        const bool fixed = s->kind == FF_SIGNAL_MEMORY || s->kind == FF_SIGNAL_BRANCH ||
                           (s->kind == FF_SIGNAL_CONTACT && s->part == FF_CONTACT_TOUCHING);
        const bool counts = !is_known(sim->reduced, s) || (all && !fixed);
        memset(to,
               !counts                     ? FF_INPUT_CONSTANT
               : s->kind == FF_SIGNAL_TIME ? FF_INPUT_TIME
                                           : FF_INPUT_STATE,
               s->width);
        to += s->width;
    }
    const ff_status status = ff_series_reliance(program->tape, kinds, out);
    ff_free(kinds);
    return status;
}

ff_status ff_piece_prepare(ff_sim *sim) {
    const ff_control *program = program_of(sim);
    ff_piece_room *room = &sim->pieces;
    ff_status status = FF_OK;
    for (size_t i = 0; i < sim->reduced->event_count; i++) {
        const ff_event_def *event = &sim->reduced->events[i];
        unsigned char relies = FF_RELIES_FREELY;
        if (!event->function && program->events[event->expression].tape) {
            status = status < 0 ? status
                                : rely(sim, &program->events[event->expression], false, &relies);
        }
        room->events[i] = relies == FF_RELIES_NOT ? FF_COURSE_BOUNDED : FF_COURSE_UNKNOWN;
    }
    if (!program || !program->flow.tape) {
        return status;
    }
    unsigned char *all = ff_malloc(ff_tape_outputs(program->flow.tape) + 1);
    status = status < 0 ? status : all ? rely(sim, &program->flow, false, all) : FF_NO_MEMORY;
    for (size_t k = 0; k < program->branch_count && status == FF_OK; k++) {
        room->branches[k] =
            all[program->act_count + k] == FF_RELIES_NOT ? FF_COURSE_BOUNDED : FF_COURSE_SMOOTH;
        sim->flow.slopeless = sim->flow.slopeless || room->branches[k] == FF_COURSE_SMOOTH;
    }
    for (size_t i = 0; i < program->act_count && status == FF_OK; i++) {
        room->acts[i] = all[i] == FF_RELIES_NOT;
    }
    status = status < 0 ? status : rely(sim, &program->flow, true, all);
    bool reads_time = false;
    for (size_t i = 0; i < program->flow.read_count; i++) {
        reads_time = reads_time || program->flow.reads[i].kind == FF_SIGNAL_TIME;
    }
    for (size_t i = 0; i < program->act_count && status == FF_OK; i++) {
        room->free = room->free || (room->acts[i] && all[i] == FF_RELIES_FREELY);
        room->timed =
            room->timed || (reads_time && room->acts[i] &&
                            (all[i] == FF_RELIES_ON_TIME || all[i] == FF_RELIES_AFFINELY));
        /* nothing is known of what depends on the depth, rate or force of a contact */
        room->acts[i] = room->acts[i] ? all[i] : FF_RELIES_NOT;
    }
    ff_free(all);
    return status;
}
