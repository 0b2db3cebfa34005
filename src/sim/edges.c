/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "edges.h"
#include "body/vector.h"
#include "num/valid.h"
#include <float.h>
#include <string.h>

/* Edges of joints: where friction along a coordinate begins to slip or to stick, where a friction law without these has a kink,
 * and where a coordinate reaches its limits (docs/theory.md, Events and modes). */

/* a few units in the last place of each term */
#define ROUNDING (8 * DBL_EPSILON)
/* a reaction is the solution of linear equations, whose error is that of about ten terms */
#define REACTION_ROUNDING (64 * DBL_EPSILON)
/* fraction of a force that is far above rounding */
#define CLEAR 1e-4

/* ---- which there are ---- */

static bool has_bend(const ff_friction *law) {
    return law->law->bend && !law->law->slips && law->vectors == 0;
}

size_t ff_edges_list(const ff_model *model, ff_edge *out) {
    size_t count = 0, rubs = 0;
    for (size_t i = 0; i < model->joint_count; i++) {
        const ff_joint *j = &model->joints[i];
        for (int c = 0; c < j->coordinates; c++) {
            const ff_effort *e = &j->along[c];
            const bool there[] = {!isinf(e->lower), !isinf(e->upper),
                                  e->has_friction && e->friction.law->slips,
                                  e->has_friction && has_bend(&e->friction)};
            for (int which = 0; which < FF_EDGE_KINDS; which++) {
                if (there[which] && out) {
                    out[count] = (ff_edge){i, c, (ff_edge_kind)which, e->reacts ? rubs : SIZE_MAX};
                }
                count += there[which];
            }
            rubs += e->reacts;
        }
    }
    return count;
}

/* Frictions under their own reactions whose slip is an event: none, or all of those of the bearings. */
static size_t count_rubs(const ff_model *model) {
    size_t rubs = 0;
    bool slips = false;
    for (size_t i = 0; i < model->joint_count; i++) {
        for (int c = 0; c < model->joints[i].coordinates; c++) {
            const ff_effort *e = &model->joints[i].along[c];
            rubs += e->reacts;
            slips = slips || (e->reacts && e->friction.law->slips);
        }
    }
    return slips ? rubs : 0;
}

static size_t place_of(const ff_edge *edge) {
    return FF_JOINT_COORDINATES * edge->joint + (size_t)edge->coordinate;
}

void ff_edges_lay_out(ff_sim *sim, ff_arena *a) {
    const ff_model *model = sim->reduced;
    ff_edges *e = &sim->edges;
    e->count = sim->options.events ? ff_edges_list(model, NULL) : 0;
    e->rubs = sim->options.events ? count_rubs(model) : 0;
    FF_TAKE(a, e->at, e->count);
    for (int i = 0; i < 3; i++) {
        ff_rubs *at = i == 0 ? &e->here : i == 1 ? &e->end : &e->one;
        FF_TAKE(a, at->rubs, e->rubs);
        FF_TAKE(a, at->strains, e->count);
    }
    for (int i = 0; i < FF_EDGE_SAMPLES; i++) {
        FF_TAKE(a, e->samples[i].rubs, e->rubs);
    }
    FF_TAKE(a, e->one_y, e->rubs ? model->states : 0);
    FF_TAKE(a, e->y, e->count ? model->size : 0);
    FF_TAKE(a, e->rates, e->rubs ? model->size : 0);
}

size_t ff_edges_stops(const ff_model *model) {
    bool any = false;
    for (size_t i = 0; i < model->joint_count; i++) {
        for (int c = 0; c < model->joints[i].coordinates; c++) {
            const ff_effort *e = &model->joints[i].along[c];
            any = any || !isinf(e->lower) || !isinf(e->upper);
        }
    }
    return any ? FF_JOINT_COORDINATES * model->joint_count : 0;
}

static void forget_samples(ff_edges *e) {
    for (int i = 0; i < FF_EDGE_SAMPLES && e->rubs > 0; i++) {
        e->samples[i].t = NAN;
    }
}

static void forget(ff_edges *e) {
    e->here.t = e->end.t = e->one.t = NAN;
    forget_samples(e);
}

size_t ff_edges_prepare(ff_sim *sim, size_t root) {
    ff_edges *e = &sim->edges;
    const size_t first =
        sim->reduced->slot_count + sim->reduced->event_count + ff_control_branches(sim->reduced);
    if (e->count > 0) {
        ff_edges_list(sim->reduced, e->at);
    }
    e->root_at = root;
    sim->flow.insides = e->count > 0;
    forget(e);
    for (size_t i = 0; i < e->count; i++, root++) {
        sim->flow.kinds[root] = e->at[i].which == FF_EDGE_SLIP   ? FF_ROOT_EDGE
                                : e->at[i].which == FF_EDGE_BEND ? FF_ROOT_KINK
                                                                 : FF_ROOT_GATE;
        sim->ends[root] = (ff_end){first + i, 0};
    }
    return root;
}

/* ---- friction under reactions ---- */

static void copy(const ff_sim *sim, double t, ff_rubs *to) {
    to->t = t;
    memcpy(to->rubs, sim->mechanism.bearings.rubs, sim->edges.rubs * sizeof *to->rubs);
}

void ff_edges_note(ff_sim *sim, double t) {
    ff_edges *e = &sim->edges;
    copy(sim, t, &e->samples[e->next]);
    e->next = (e->next + 1) % FF_EDGE_SAMPLES;
}

/* Evaluates the dynamics at a state of a step. What others read of the last evaluation of the rates, and trouble, stay. */
static void evaluate(ff_sim *sim, double t, const double *y, ff_rubs *to) {
    ff_mechanism *m = &sim->mechanism;
    const int trouble = m->trouble;
    const bool jams = m->jams;
    ff_rub *const own = m->bearings.rubs;
    ff_phase phase = sim->contexts[0];
    phase.touches = NULL;
    m->bearings.rubs = to->rubs;
    ff_dynamics_rates(sim->reduced, &phase, t, y, sim->edges.rates);
    m->bearings.rubs = own;
    m->trouble = trouble;
    m->jams = jams;
    to->t = t;
}

/* ---- root functions ---- */

/* time at the fraction theta of the last step tried */
static double time_at(const ff_sim *sim, double theta) {
    const ff_flow *f = &sim->flow;
    return ff_clock_time(&f->now.clock, f->now.clock.x + theta * f->stepper.step);
}

static double slip_noise(const ff_friction *law, const ff_friction_query *q,
                         const ff_joint_place *at, double size) {
    return ff_friction_excess_error(law, q, REACTION_ROUNDING * size, ROUNDING * at->speed,
                                    ROUNDING * fabs(q->u[0]));
}

/* The excess of friction along a coordinate, its strain with a sign, and its noise. */
static double excess_at(const ff_sim *sim, const ff_edge *edge, const double *bodies,
                        const double *y, const ff_rubs *rubs, double *strain, double *noise) {
    const ff_effort *e = &sim->reduced->joints[edge->joint].along[edge->coordinate];
    const ff_rub *rub = edge->rub == SIZE_MAX ? NULL : &rubs->rubs[edge->rub];
    const double u[3] = {e->bristle < 0 ? 0 : y[e->bristle]}, load = rub ? rub->load : e->load;
    ff_friction_query q = {.load = load, .grade = 1, .ratio = load, .u = u};
    ff_joint_place at = {0};
    double excess;
    if (rub) {
        excess = rub->excess;
        *strain = rub->strain;
    } else {
        double unwanted[3];
        ff_friction_answer answer = {.rate = unwanted};
        ff_dynamics_joint_place(sim->reduced, edge->joint, edge->coordinate, bodies, y, &at);
        q.v[0] = at.slip;
        e->friction.respond(&e->friction, &q, &answer);
        excess = answer.excess;
        *strain = copysign(answer.strain, -answer.force[0]);
    }
    *noise = 0;
    if (fabs(excess) <= CLEAR * (fabs(*strain) + fabs(*strain - excess))) {
        if (rub) {
            ff_dynamics_joint_place(sim->reduced, edge->joint, edge->coordinate, bodies, y, &at);
            q.v[0] = at.slip;
        }
        *noise = slip_noise(&e->friction, &q, &at, rub ? rub->size : 0);
    }
    return excess;
}

/* Root function of a kink of friction: as for contacts, the error allowed in a speed counts as noise. */
static ff_root bend_root(const ff_sim *sim, const ff_edge *edge, const double *bodies,
                         const double *y) {
    const ff_joint *j = &sim->reduced->joints[edge->joint];
    const ff_effort *e = &j->along[edge->coordinate];
    const ff_extent *size = &sim->extents[j->second];
    const double none[3] = {0};
    ff_joint_place at;
    if (!ff_roots_locate_bends(&sim->options)) {
        return (ff_root){.g = -1};
    }
    ff_dynamics_joint_place(sim->reduced, edge->joint, edge->coordinate, bodies, y, &at);
    const double beyond = e->friction.law->bend(
        &e->friction,
        &(ff_friction_query){
            .load = e->load, .grade = 1, .ratio = e->load, .v = {at.slip}, .u = none});
    const bool slides = ff_joint_coordinate_slides(j->kind, edge->coordinate);
    return (ff_root){
        .g = sim->phase.rubbing[place_of(edge)] ? -beyond : beyond,
        .noise = fmax(FF_LOCAL_PART * sim->options.tol * (slides ? size->speed : size->turning),
                      ROUNDING * at.speed)};
}

static ff_root edge_root(const ff_sim *sim, size_t i, const double *bodies, const double *y,
                         const ff_rubs *rubs) {
    const ff_edge *edge = &sim->edges.at[i];
    if (edge->which == FF_EDGE_BEND) {
        return bend_root(sim, edge, bodies, y);
    }
    if (edge->which == FF_EDGE_SLIP) {
        double noise;
        const double excess = excess_at(sim, edge, bodies, y, rubs, &rubs->strains[i], &noise);
        /* under a reaction a step is searched by ff_edges_inside() instead of by slopes: 0 excludes a dip */
        return (ff_root){.g = sim->phase.rubbing[place_of(edge)] ? -excess : excess,
                         .noise = noise,
                         .course = edge->rub != SIZE_MAX ? FF_COURSE_SMOOTH : FF_COURSE_UNKNOWN};
    }
    const ff_effort *e = &sim->reduced->joints[edge->joint].along[edge->coordinate];
    const int side = edge->which == FF_EDGE_UPPER ? 1 : -1;
    const double limit = side > 0 ? e->upper : e->lower;
    ff_joint_place at;
    ff_dynamics_joint_place(sim->reduced, edge->joint, edge->coordinate, bodies, y, &at);
    const bool stopped = sim->phase.stops[place_of(edge)] == side;
    const double z = side * (at.q - limit), pace = side * at.rate;
    ff_root out = {.g = stopped ? -z : z,
                   .noise = ROUNDING * (at.size + fabs(limit)),
                   .slope = stopped ? -pace : pace,
                   .course = ff_course_knows_joint(sim, edge->joint) ? FF_COURSE_BOUNDED
                                                                     : FF_COURSE_SMOOTH};
    out.leaving = fabs(z) <= out.noise && out.slope > 1e-15 * at.speed && out.slope > 0;
    return out;
}

void ff_edges_roots(ff_sim *sim, double t, const double *bodies, const double *y, ff_known known,
                    ff_root *out) {
    ff_edges *e = &sim->edges;
    /* now, at the end of a step that was tried, or close to these, for slopes of other functions */
    const bool here = t == ff_sim_now_time(sim), near = !here && t != time_at(sim, 1);
    ff_rubs *at = here ? &e->here : near ? &e->one : &e->end;
    at->t = near ? (double)NAN : t;
    if (e->rubs > 0 && !near) {
        e->one.t = NAN;
        if (known == FF_KNOWN_RATES) {
            copy(sim, t, at);
        } else {
            evaluate(sim, t, y, at);
            sim->flow.stepper.evaluations++;
        }
    }
    for (size_t i = 0; i < e->count; i++) {
        out[i] = edge_root(sim, i, bodies, y, at);
    }
}

ff_root ff_edges_root(ff_sim *sim, size_t i, double t, const double *y) {
    ff_edges *e = &sim->edges;
    const bool reacts = e->at[i].which == FF_EDGE_SLIP && e->at[i].rub != SIZE_MAX;
    const size_t size = sim->reduced->states * sizeof *y;
    if (reacts && !(e->one.t == t && memcmp(e->one_y, y, size) == 0)) {
        evaluate(sim, t, y, &e->one);
        memcpy(e->one_y, y, size);
        sim->flow.stepper.evaluations++;
    }
    return edge_root(sim, i, ff_sim_bodies_at(sim, y), y, &e->one);
}

/* ---- slip that begins and ends within a step ---- */

/* A friction at a point of a step. */
typedef struct {
    double theta, t;
    ff_rub rub;
} mark;

/* Bounds of the second derivatives of the parts of a load, and of a strain. */
typedef struct {
    double part[2], strain;
} bends;

/* how much more than the largest second difference of its values the second derivative of a function may be */
#define BENDS_MORE 2

/* By how much a function may deviate from the straight line between two of its values at a distance h. */
static double slack(double bend, double h) { return BENDS_MORE * bend * h * h / 8; }

/* The least distance from 0 of the straight line from a to b, and its place as a fraction. */
static double nearest(const double a[3], const double b[3], double *place) {
    double way[3], at[3];
    ff_add_scaled(b, -1, a, way);
    const double square = ff_dot(way, way);
    *place = square > 0 ? fmin(fmax(-ff_dot(a, way) / square, 0), 1) : 0.5;
    ff_add_scaled(a, *place, way, at);
    return sqrt(ff_dot(at, at));
}

/* The strain at which friction slips under a load. */
static double hold_of(const ff_friction *law, double load) {
    double unwanted[3];
    const double u[3] = {0};
    ff_friction_answer at = {.rate = unwanted};
    law->respond(law, &(ff_friction_query){.load = load, .grade = 1, .ratio = load, .u = u}, &at);
    return at.strain - at.excess;
}

/* Whether friction that sticks at two points may slip between them, or stick if it slips there: with w the parts of its load and
 * s its strain, |w| is at least the distance from 0 of the straight line between the two values minus the slack, and s at most the
 * larger one plus its slack. `place`: where that is, as a fraction. */
static bool may_change(const ff_friction *law, bool slips, const mark *a, const mark *b,
                       const bends *bend, double *place) {
    const double h = b->t - a->t, s0 = a->rub.strain, s1 = b->rub.strain;
    double load = 0, at[2], best = HUGE_VAL;
    *place = 0.5;
    for (int k = 0; k < 2; k++) {
        const double *from = a->rub.part[k], *to = b->rub.part[k], more = slack(bend->part[k], h);
        const double low = nearest(from, to, &at[k]);
        load += slips ? sqrt(fmax(ff_dot(from, from), ff_dot(to, to))) + more : fmax(low - more, 0);
        if (low < best && ff_dot(from, from) > 0) {
            best = low;
            *place = at[k];
        }
    }
    load *= a->rub.grade;
    if (slips) {
        const bool turns = (s0 < 0) != (s1 < 0);
        const double least = turns ? 0 : fmin(fabs(s0), fabs(s1)) - slack(bend->strain, h);
        *place = turns ? s0 / (s0 - s1) : 0.5;
        return least < hold_of(law, load);
    }
    return fmax(fabs(s0), fabs(s1)) + slack(bend->strain, h) > hold_of(law, load);
}

/* Second derivatives from how far a value between a and b is off the straight line between them. */
static void note_bends(const mark *a, const mark *b, double t, const ff_rub *rub, bends *out) {
    const double h = b->t - a->t, part = (t - a->t) / h, by = 2 / (part * (1 - part) * h * h);
    for (int k = 0; k < 2; k++) {
        double off[3];
        for (int c = 0; c < 3; c++) {
            off[c] = rub->part[k][c] -
                     (a->rub.part[k][c] + part * (b->rub.part[k][c] - a->rub.part[k][c]));
        }
        out->part[k] = fmax(out->part[k], by * sqrt(ff_dot(off, off)));
    }
    const double line = a->rub.strain + part * (b->rub.strain - a->rub.strain);
    out->strain = fmax(out->strain, by * fabs(rub->strain - line));
}

/* Values close to the ends of a step say little about its middle, and errors of stages count much. */
#define INSIDE 0.05
/* A step has a value in its middle if one is at least so far from its ends. */
#define MIDDLE 0.2

/* What the evaluations of the rates in a step show of a friction. False if none was in its middle. */
static bool survey(const ff_edges *e, size_t rub, const mark *a, const mark *b, bends *out) {
    bool middle = false;
    for (int i = 0; i < FF_EDGE_SAMPLES; i++) {
        const ff_rubs *at = &e->samples[i];
        const double part = (at->t - a->t) / (b->t - a->t);
        if (part > INSIDE && part < 1 - INSIDE) {
            note_bends(a, b, at->t, &at->rubs[rub], out);
            middle = middle || (part > MIDDLE && part < 1 - MIDDLE);
        }
    }
    return middle;
}

/* Evaluates an edge within the last step tried. */
static ff_root look(ff_sim *sim, size_t i, double theta, mark *out) {
    ff_edges *e = &sim->edges;
    out->theta = theta;
    out->t = time_at(sim, theta);
    ff_flow_tried_at(&sim->flow, out->t, e->y);
    const ff_root root = ff_edges_root(sim, i, out->t, e->y);
    out->rub = e->one.rubs[e->at[i].rub];
    return root;
}

/* Finds where edge i disagrees between two points at which it agrees. */
static bool find_change(ff_sim *sim, size_t i, const mark *a, const mark *b, const bends *bend,
                        int *left, double *theta) {
    /* slip that is shorter than this part of a step is below any tolerance */
    const double shortest = 1e-9;
    const ff_edge *edge = &sim->edges.at[i];
    const ff_friction *law = &sim->reduced->joints[edge->joint].along[edge->coordinate].friction;
    double place;
    if (*left == 0 || b->theta - a->theta < shortest ||
        !may_change(law, sim->phase.rubbing[place_of(edge)], a, b, bend, &place)) {
        return false;
    }
    --*left;
    mark m;
    const ff_root at =
        look(sim, i, a->theta + fmin(fmax(place, 0.05), 0.95) * (b->theta - a->theta), &m);
    if (ff_root_disagrees(&at)) {
        *theta = m.theta;
        return true;
    }
    /* stages of a step are less accurate than its interpolant: what they have shown counts half as much with each look */
    bends now = {{bend->part[0] / 2, bend->part[1] / 2}, bend->strain / 2};
    if (m.t > a->t && m.t < b->t) {
        note_bends(a, b, m.t, &m.rub, &now);
    }
    return find_change(sim, i, a, &m, &now, left, theta) ||
           find_change(sim, i, &m, b, &now, left, theta);
}

/* Slip and stick under a reaction: examined where the load, or the strain, may pass through 0. Of a function at whose root the
 * step ends, the part before the root: it may have changed twice before. */
static bool changes(ff_sim *sim, size_t i, bool ends, double *theta) {
    /* a load that passes through 0 is found in about 5 looks; a near miss needs a few more */
    enum { LOOKS = 100 };
    /* at this place before its root a function is far from 0, compared with its rounding, and nearly linear */
    const double before = 1 - 1e-3;
    ff_edges *e = &sim->edges;
    const size_t rub = e->at[i].rub;
    mark a = {0, time_at(sim, 0), e->here.rubs[rub]}, b = {1, e->end.t, e->end.rubs[rub]}, m;
    bends bend = {{0}, 0};
    int left = LOOKS;
    const bool middle = survey(e, rub, &a, &b, &bend);
    for (int k = 0; k < 2; k++) {
        const double at = k ? 0.5 : before;
        if (k ? middle : !ends) {
            continue;
        }
        const ff_root root = look(sim, i, at, &m);
        if (ff_root_disagrees(&root)) {
            *theta = at;
            return true;
        }
        if (k && m.t > a.t && m.t < b.t) {
            note_bends(&a, &b, m.t, &m.rub, &bend);
        } else if (!k) {
            b = m;
        }
    }
    return b.t > a.t && find_change(sim, i, &a, &b, &bend, &left, theta);
}

/* Under a given load, friction that slips in opposite directions at both ends of a step sticks in between, where its strain
 * passes through 0. */
static bool turns_back(ff_sim *sim, size_t i, double *theta) {
    /* slip is unlikely to turn around within a billionth of a step */
    enum { HALVES = 30 };
    ff_edges *e = &sim->edges;
    const bool below = e->here.strains[i] < 0;
    double low = 0, high = 1;
    for (int turn = 0; turn < HALVES && (e->end.strains[i] < 0) != below; turn++) {
        const double at = (low + high) / 2;
        ff_flow_tried_at(&sim->flow, time_at(sim, at), e->y);
        const ff_root root = edge_root(sim, i, ff_sim_bodies_at(sim, e->y), e->y, &e->one);
        if (ff_root_disagrees(&root)) {
            *theta = at;
            return true;
        }
        if ((e->one.strains[i] < 0) == below) {
            low = at;
        } else {
            high = at;
        }
    }
    return false;
}

bool ff_edges_inside(void *self, size_t but, size_t *root, double *theta) {
    ff_sim *sim = self;
    ff_edges *e = &sim->edges;
    if (e->count == 0) {
        return false;
    }
    const double now = time_at(sim, 0), end = time_at(sim, 1);
    if (e->here.t != now) {
        /* as after the state was restored; not counted, since the run that saved it has not evaluated it again */
        ff_rubs *here = &e->here;
        if (e->rubs > 0) {
            evaluate(sim, now, sim->flow.y, here);
        }
        here->t = now;
        for (size_t i = 0; i < e->count; i++) {
            edge_root(sim, i, ff_sim_bodies_at(sim, sim->flow.y), sim->flow.y, here);
        }
    }
    for (size_t i = 0; i < e->count; i++) {
        const size_t at = e->root_at + i;
        const ff_root *from = &sim->flow.here[at], *to = &sim->flow.end[at];
        if (e->at[i].which != FF_EDGE_SLIP || !(end > now) || e->end.t != end ||
            !(from->g <= from->noise && (at == but || to->g <= to->noise))) {
            continue;
        }
        if (e->at[i].rub != SIZE_MAX
                ? changes(sim, i, at == but, theta)
                : sim->phase.rubbing[place_of(&e->at[i])] && turns_back(sim, i, theta)) {
            *root = at;
            return true;
        }
    }
    return false;
}

void ff_edges_taken(ff_sim *sim) {
    ff_edges *e = &sim->edges;
    const ff_rubs end = e->end;
    e->end = e->here;
    e->here = end;
    e->here.t = end.t == ff_sim_now_time(sim) ? end.t : (double)NAN;
    e->end.t = NAN;
    forget_samples(e);
}

/* ---- changes ---- */

static void report(ff_sim *sim, ff_event_kind kind, const ff_edge *edge) {
    ff_flow_report(&sim->flow, kind, (int)(sim->model->contact_count + place_of(edge)), false);
}

void ff_edges_jump(ff_sim *sim, size_t i, double last, ff_jump *next) {
    const ff_edge *edge = &sim->edges.at[i];
    const size_t at = place_of(edge);
    if (edge->which == FF_EDGE_BEND) {
        /* step size and method continue unchanged */
        sim->phase.rubbing[at] = !sim->phase.rubbing[at];
        return;
    }
    if (edge->which == FF_EDGE_SLIP) {
        sim->phase.rubbing[at] = !sim->phase.rubbing[at];
        report(sim, sim->phase.rubbing[at] ? FF_SLIP : FF_STICK, edge);
    } else {
        const signed char side = edge->which == FF_EDGE_UPPER ? 1 : -1;
        sim->phase.stops[at] = sim->phase.stops[at] == side ? 0 : side;
        report(sim, sim->phase.stops[at] ? FF_REACH_LIMIT : FF_LEAVE_LIMIT, edge);
    }
    ff_jump_ask(next, 1, last);
}

void ff_edges_start(ff_sim *sim) {
    ff_edges *e = &sim->edges;
    const double *y = sim->flow.y;
    forget(e);
    if (e->rubs > 0) {
        evaluate(sim, 0, y, &e->one);
    }
    for (size_t i = 0; i < e->count; i++) {
        const ff_edge *edge = &e->at[i];
        const size_t at = place_of(edge);
        const ff_root root = edge_root(sim, i, ff_sim_bodies_at(sim, y), y, &e->one);
        if (edge->which == FF_EDGE_SLIP || edge->which == FF_EDGE_BEND) {
            sim->phase.rubbing[at] = root.g > 0;
        } else if (root.g > 0) {
            sim->phase.stops[at] = edge->which == FF_EDGE_UPPER ? 1 : -1;
        }
    }
    e->one.t = NAN;
}

void ff_edges_restored(ff_sim *sim) { forget(&sim->edges); }

bool ff_edges_valid(const ff_sim *sim) {
    const ff_model *model = sim->reduced;
    const size_t count = ff_edges_list(model, NULL) > 0 ? model->joint_count : 0;
    const bool stops = ff_edges_stops(model) > 0;
    bool good = true;
    for (size_t i = 0; i < FF_JOINT_COORDINATES * count && good; i++) {
        const ff_effort *e =
            &model->joints[i / FF_JOINT_COORDINATES].along[i % FF_JOINT_COORDINATES];
        const int side = stops ? sim->phase.stops[i] : 0;
        good = ff_valid_flags(&sim->phase.rubbing[i], 1) &&
               (side == 0 || (side == 1 && !isinf(e->upper)) || (side == -1 && !isinf(e->lower)));
    }
    return good;
}

const char *ff_edges_owner(const ff_sim *sim, size_t i) {
    const ff_edge *edge = &sim->edges.at[i];
    return sim->model->topology->joint_owners[edge->joint][edge->coordinate];
}
