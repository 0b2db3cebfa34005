/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "num/bracket.h"
#include "sim.h"
#include <string.h>

/* Detects things that no pair names but that meet, for warnings: the first few, and when. They are examined at the ends of
 * steps, and within steps in which they move farther than their size. Changes no result. */

/* Bodies connected by joints are identified by the root of their tree. */
static int root_of(const ff_model *model, int body) {
    while (model->tree && model->tree->links[body].parent >= 0) {
        body = model->tree->links[body].parent;
    }
    return body;
}

static void sphere_at(const ff_model *model, int shape, const double *bodies, double out[3]) {
    const ff_shape_def *s = &model->defs.shapes.at[shape];
    const double *at = bodies + (size_t)s->body * FF_BODY_STRIDE;
    double arm[3], turned[3], axes[3][3];
    ff_add_scaled(s->center, -1, model->bodies[s->body].centre, arm);
    ff_rotation(at + FF_Q, axes);
    ff_rotate(axes, arm, turned);
    ff_add_scaled(at + FF_P, 1, turned, out);
}

/* Distance between two things, m; negative: they overlap. */
static double gap(const ff_model *model, const ff_slot_source *s, double t, const double *bodies) {
    const ff_shape_def *shapes = model->defs.shapes.at;
    double way[3], other[3];
    sphere_at(model, s->shape, bodies, way);
    if (s->other >= 0) {
        sphere_at(model, s->other, bodies, other);
        ff_add_scaled(way, -1, other, way);
        return sqrt(ff_dot(way, way)) - shapes[s->shape].radius - shapes[s->other].radius;
    }
    const ff_plane_def *plane = &model->defs.planes.at[s->plane];
    ff_add_scaled(way, -1, plane->point, way);
    ff_add_scaled(way, -t, plane->velocity, way);
    return ff_dot(way, plane->normal) / sqrt(ff_dot(plane->normal, plane->normal)) -
           shapes[s->shape].radius;
}

static double gap_within(ff_sim *sim, const ff_slot_source *s, double theta) {
    const ff_shape_def *shapes = sim->model->defs.shapes.at;
    const int other = s->other >= 0 ? shapes[s->other].body : -1;
    ff_flow_within(&sim->flow, theta, ff_bodies_reads(sim, shapes[s->shape].body, other),
                   sim->scratch);
    return gap(sim->model, s, ff_flow_time_within(&sim->flow, theta),
               ff_sim_bodies_at(sim, sim->scratch));
}

/* Whether a pair of things is examined: planes with a prescribed motion are not. */
static bool watched(const ff_sim *sim, size_t i) {
    const ff_model *model = sim->model;
    const ff_slot_source *s = &model->topology->apart[i];
    const ff_shape_def *shapes = model->defs.shapes.at;
    bool is = true;
    /* for two bodies, the first shapes that meet are enough */
    for (size_t k = 0; k < (size_t)sim->now.meetings; k++) {
        const ff_slot_source *met = &model->topology->apart[(size_t)sim->now.met[k].which];
        is = is && !(shapes[met->shape].body == shapes[s->shape].body && met->plane == s->plane &&
                     (s->other < 0 || shapes[met->other].body == shapes[s->other].body));
    }
    is = is && (s->plane < 0 || !ff_laws_of_plane(&model->topology->controls, (size_t)s->plane));
    return is && (s->other < 0 ||
                  root_of(model, shapes[s->shape].body) != root_of(model, shapes[s->other].body));
}

/* The fraction of the last step at which two things meet; NAN: they do not. */
static double meets(ff_sim *sim, const ff_slot_source *s) {
    const ff_model *model = sim->model;
    const ff_flow *f = &sim->flow;
    const double now = ff_sim_now_time(sim), *bodies = ff_sim_bodies_at(sim, f->y);
    const double length = now - ff_clock_now(&f->last.clock);
    const bool dense = ff_method_order(f->last.method) > 0 && length > 0;
    const double end = gap(model, s, now, bodies);
    int parts = 1;
    if (s->other >= 0 && dense) {
        const ff_shape_def *a = &model->defs.shapes.at[s->shape],
                           *b = &model->defs.shapes.at[s->other];
        double v[3];
        ff_add_scaled(bodies + (size_t)a->body * FF_BODY_STRIDE + FF_VEL, -1,
                      bodies + (size_t)b->body * FF_BODY_STRIDE + FF_VEL, v);
        const double way = length * sqrt(ff_dot(v, v));
        /* things farther away than they move cannot meet */
        parts = end < way ? (int)fmin(1 + 2 * way / (a->radius + b->radius + 1e-9), 64) : 1;
    }
    /* minus the gap, which is positive once they have met */
    ff_bracket b = {.high = NAN};
    for (int k = 1; k <= parts && !(b.high <= 1); k++) {
        const double theta = (double)k / parts,
                     in = -(k == parts ? end : gap_within(sim, s, theta));
        if (in > 0) {
            b.high = theta;
            b.g_high = in;
        } else {
            b.low = theta;
            b.g_low = in;
        }
    }
    /* the start of the step has not been evaluated yet */
    b.g_low = b.low > 0 || !(b.high <= 1) || !dense ? b.g_low : fmin(-gap_within(sim, s, 0), 0);
    while (dense && b.high <= 1 && ff_bracket_wider(&b, 1e-9)) {
        const double at = ff_bracket_guess(&b);
        ff_bracket_narrow(&b, at, -gap_within(sim, s, at));
    }
    return b.high;
}

void ff_meetings_step(ff_sim *sim) {
    const ff_topology *t = sim->model->topology;
    bool looked = false;
    for (size_t i = 0; i < t->apart_count && sim->now.meetings < FF_MEETINGS_KEPT; i++) {
        if (!watched(sim, i)) {
            continue;
        }
        const double theta = meets(sim, &t->apart[i]);
        looked = true;
        /* overlaps at the start are intended */
        if (theta <= 1 && gap(sim->model, &t->apart[i], 0, sim->model->starts) >= 0) {
            sim->now.met[(size_t)sim->now.meetings++] = (ff_meeting){
                theta < 1 ? ff_flow_time_within(&sim->flow, theta) : ff_sim_now_time(sim),
                (double)i};
        }
    }
    if (looked && ff_articulated(sim->reduced)) {
        /* restore the positions of the bodies at the end of the step for later use */
        ff_sim_bodies_at(sim, sim->flow.y);
    }
}

/* ---- bodies without a shape ---- */

/* The distance of a centre of mass above a plane. */
static double above(const ff_model *model, size_t body, size_t plane, double t,
                    const double *bodies) {
    const ff_plane_def *def = &model->defs.planes.at[plane];
    const ff_plane_motion *motion = ff_laws_of_plane(&model->topology->controls, plane);
    double way[3], law[6] = {0};
    ff_add_scaled(bodies + body * FF_BODY_STRIDE + FF_P, -1, def->point, way);
    ff_add_scaled(way, -t, def->velocity, way);
    if (motion) {
        ff_plane_motion_at(motion, t, law);
        ff_add_scaled(way, -1, law, way);
    }
    return ff_dot(way, def->normal) / sqrt(ff_dot(def->normal, def->normal));
}

/* A body that has a shape is watched by its shapes, and one that cannot move or starts behind the plane is meant to be there. */
double ff_meetings_behind(const ff_sim *sim, size_t body, size_t plane, const double *bodies) {
    const ff_model *model = sim->model;
    const size_t *first = model->topology->first;
    if (first[body] < first[body + 1] || !model->bodies[body].moves) {
        return 0;
    }
    const double now = above(model, body, plane, ff_sim_now_time(sim), bodies);
    return now < 0 && above(model, body, plane, 0, model->starts) > 0 ? -now : 0;
}

void ff_meetings_note(ff_sim *sim) {
    const size_t planes = sim->model->defs.planes.count;
    ff_sim_now *now = &sim->now;
    const double t = ff_sim_now_time(sim);
    const double *bodies = planes > 0 ? ff_sim_bodies_at(sim, sim->flow.y) : NULL;
    for (size_t i = 0; i < sim->model->body_count * planes; i++) {
        const double depth = ff_meetings_behind(sim, i / planes, i % planes, bodies);
        size_t k = 0;
        while (depth > 0 && k < (size_t)now->behind_count && now->behind[k].which != (double)i) {
            k++;
        }
        if (depth > 0 && k < FF_MEETINGS_KEPT) {
            now->behind_count = fmax(now->behind_count, (double)(k + 1));
            ff_behind *b = &now->behind[k];
            *b = (ff_behind){b->depth > 0 ? b->time : t, (double)i, fmax(b->depth, depth)};
        }
    }
}
