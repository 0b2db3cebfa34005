/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "expr/word.h"
#include "model.h"
#include "num/arena.h"
#include "num/memory.h"
#include "numbers.h"
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parts of bodies ---- */

/* finds the kinds of shapes in terms of a scene file: `sphere` and `point` are a single shape at the origin */
static void find_words(const ff_scene *scene, ff_topology *t, size_t body) {
    const size_t *at = t->shapes + t->first[body], count = t->first[body + 1] - t->first[body];
    for (size_t i = 0; i < count; i++) {
        const ff_shape_def *s = &scene->shapes.at[at[i]];
        t->words[at[i]] = s->box[0] > 0            ? i == 0 ? FF_SHAPE_BOX : FF_SHAPE_CORNER
                          : s->listed || count > 1 ? FF_SHAPE_LISTED
                          : ff_dot(s->center, s->center) > 0 ? FF_SHAPE_LISTED
                          : s->radius > 0                    ? FF_SHAPE_SPHERE
                                                             : FF_SHAPE_POINT;
    }
}

static void hold_of(const ff_program *program, ff_topology *t) {
    for (size_t i = 0; i < program->read_count; i++) {
        const ff_signal *s = &program->reads[i];
        if (s->kind == FF_SIGNAL_BODY && s->part < FF_VEL && s->part + s->width > FF_P + 3) {
            t->held[s->thing] = true;
        }
    }
}

/* Marks bodies whose orientation is read by expressions of controllers and events: it must be integrated under error control.
 * Functions in C may read that of all bodies. */
static void hold_read(const ff_scene *scene, ff_topology *t) {
    const ff_control *c = scene->control;
    if (c) {
        hold_of(&c->flow, t);
    }
    for (size_t i = 0; c && i < c->sampler_count; i++) {
        hold_of(&c->samplers[i].program, t);
    }
    for (size_t i = 0; c && i < c->reaction_count; i++) {
        hold_of(&c->reactions[i].program, t);
    }
    for (size_t i = 0; c && i < c->event_count; i++) {
        hold_of(&c->events[i], t);
    }
    bool all = scene->controllers.count > 0;
    for (size_t i = 0; i < scene->events.count; i++) {
        all = all || (scene->events.at[i].function && !scene->events.at[i].aside);
    }
    for (size_t b = 0; b < scene->bodies.count && all; b++) {
        t->held[b] = true;
    }
}

static ff_status find_parts(const ff_scene *scene, ff_topology *t) {
    const size_t bodies = scene->bodies.count, shapes = scene->shapes.count;
    t->shapes = ff_malloc((shapes + 1) * sizeof *t->shapes);
    t->words = ff_calloc(shapes + 1, sizeof *t->words);
    t->first = ff_calloc(bodies + 2, sizeof *t->first);
    t->held = ff_calloc(bodies + 1, sizeof *t->held);
    t->placer = ff_malloc((bodies + 1) * sizeof *t->placer);
    t->belt = ff_calloc(scene->planes.count + 1, sizeof *t->belt);
    if (!t->shapes || !t->words || !t->first || !t->held || !t->placer || !t->belt) {
        return FF_NO_MEMORY;
    }
    /* counts are offset by two, so that filling in moves each start to its final place */
    for (size_t i = 0; i < shapes; i++) {
        t->first[scene->shapes.at[i].body + 2]++;
    }
    for (size_t i = 2; i <= bodies; i++) {
        t->first[i] += t->first[i - 1];
    }
    for (size_t i = 0; i < shapes; i++) {
        t->shapes[t->first[scene->shapes.at[i].body + 1]++] = i;
    }
    for (size_t i = 0; i < bodies; i++) {
        find_words(scene, t, i);
        t->placer[i] = -1;
    }
    for (size_t i = 0; i < scene->forces.count; i++) {
        const ff_force_def *f = &scene->forces.at[i];
        if (f->kind == FF_FORCE_SPRING) {
            t->held[f->body] = true;
            if (f->other >= 0) {
                t->held[f->other] = true;
            }
        }
    }
    for (size_t i = 0; i < scene->joints.count; i++) {
        const ff_joint_def *j = &scene->joints.at[i];
        t->held[j->second] = true;
        if (j->first >= 0) {
            t->held[j->first] = true;
        }
        if (!isnan(j->start[0]) || !isnan(j->rate[0]) || ff_joint_moves(j)) {
            t->placer[j->second] = (int)i;
        }
    }
    hold_read(scene, t);
    for (size_t i = 0; i < scene->planes.count; i++) {
        double skin[3];
        ff_plane_skin(&scene->planes.at[i], skin);
        t->belt[i] = ff_dot(skin, skin) > 0 || ff_plane_moves(&scene->planes.at[i]);
    }
    return FF_OK;
}

/* ---- what touches what ---- */

enum { UNPAIRED_MOST = 100 };

ff_status ff_model_note_unpaired(ff_topology *t, const char *a, const char *b) {
    char name[200];
    if (t->unpaired_count == UNPAIRED_MOST) {
        return FF_OK;
    }
    snprintf(name, sizeof name, "%.90s/%.90s", a, b);
    for (size_t i = 0; i < t->unpaired_count; i++) {
        if (strcmp(t->unpaired[i], name) == 0) {
            return FF_OK;
        }
    }
    if (!t->unpaired && !(t->unpaired = ff_calloc(UNPAIRED_MOST, sizeof *t->unpaired))) {
        return FF_NO_MEMORY;
    }
    t->unpaired[t->unpaired_count] = ff_word_copy(name);
    return t->unpaired[t->unpaired_count++] ? FF_OK : FF_NO_MEMORY;
}

/* number of pairs of shapes, and of shapes and planes, that are named */
static double count_pairs(const ff_scene *scene, const ff_kinds *kinds, bool *memory) {
    double *shapes = ff_calloc(2 * kinds->count + 1, sizeof *shapes), *planes, total = 0;
    *memory = shapes;
    if (!shapes) {
        return 0;
    }
    planes = shapes + kinds->count;
    for (size_t i = 0; i < scene->shapes.count; i++) {
        shapes[kinds->shape[i]]++;
    }
    for (size_t i = 0; i < scene->planes.count; i++) {
        planes[kinds->plane[i]]++;
    }
    for (size_t a = 0; a < kinds->count; a++) {
        for (size_t b = 0; b < kinds->count; b++) {
            double ways = a == b  ? shapes[a] * (shapes[a] - 1) / 2
                          : a < b ? shapes[a] * shapes[b]
                                  : 0;
            bool paired = kinds->pair[a * kinds->count + b] != FF_NO_PAIR;
            total += paired ? ways + shapes[a] * planes[b] : 0;
        }
    }
    ff_free(shapes);
    return total;
}

static bool wants_crowd(const ff_scene *scene, double pairs) {
    const ff_run_options *run = &scene->run;
    return pairs > FF_SLOTS_USUAL && !run->events && scene->joints.count == 0 &&
           (run->method == FF_VERLET || run->method == FF_SEMI_IMPLICIT);
}

double ff_model_pairs(const ff_scene *scene, bool *crowd) {
    ff_kinds kinds;
    ff_error error;
    bool memory;
    if (ff_kinds_make(scene, &kinds, &error) < 0) {
        *crowd = false;
        return 0;
    }
    double pairs = count_pairs(scene, &kinds, &memory);
    *crowd = wants_crowd(scene, pairs);
    ff_kinds_free(&kinds);
    return pairs;
}

static ff_status add_source(ff_model *model, const ff_scene *scene, const ff_kinds *kinds,
                            int shape, int other, int plane, ff_error *error) {
    const ff_shape_def *s = &scene->shapes.at[shape],
                       *o = other < 0 ? NULL : &scene->shapes.at[other];
    const char *a = scene->bodies.at[s->body].name,
               *b = o ? scene->bodies.at[o->body].name : scene->planes.at[plane].name;
    int kind = kinds->shape[shape], with = o ? kinds->shape[other] : kinds->plane[plane];
    int pair = ff_kinds_pair(kinds, kind, with);
    if (pair == FF_NO_PAIR) {
        ff_topology *t = model->topology;
        if (t->apart_count < FF_APART_MOST) {
            t->apart[t->apart_count++] = (ff_slot_source){shape, other, plane, pair};
        }
        return ff_model_note_unpaired(model->topology, a, b);
    }
    if (pair == FF_TWO_PAIRS) {
        return ff_model_fail(error, FF_BAD_VALUE, "two pairs match '%s' and '%s' equally well", a,
                             b);
    }
    /* the first name of the pair is the first thing */
    bool swapped = o && ff_kinds_swapped(kinds, kind, with);
    model->topology->sources[model->contact_count++] =
        (ff_slot_source){swapped ? other : shape, swapped ? shape : other, plane, pair};
    return FF_OK;
}

/* Shapes by kind, in index order within each kind. */
typedef struct {
    size_t *starts; /* start of each kind, and the end of the last one */
    int *shapes;
    int *found; /* scratch */
} partners;

static ff_status make_partners(partners *p, const ff_scene *scene, const ff_kinds *kinds) {
    const size_t count = scene->shapes.count;
    p->starts = ff_calloc(kinds->count + 2, sizeof *p->starts);
    p->shapes = ff_malloc((count + 1) * sizeof *p->shapes);
    p->found = ff_malloc((count + 1) * sizeof *p->found);
    if (!p->starts || !p->shapes || !p->found) {
        return FF_NO_MEMORY;
    }
    /* each start is one too far until its kind has been filled in */
    for (size_t i = 0; i < count; i++) {
        p->starts[kinds->shape[i] + 2]++;
    }
    for (size_t k = 2; k < kinds->count + 2; k++) {
        p->starts[k] += p->starts[k - 1];
    }
    for (size_t i = 0; i < count; i++) {
        p->shapes[p->starts[kinds->shape[i] + 1]++] = (int)i;
    }
    return FF_OK;
}

static void free_partners(partners *p) {
    ff_free(p->starts);
    ff_free(p->shapes);
    ff_free(p->found);
}

static int by_number(const void *a, const void *b) {
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* The shapes after a given one, in order, that have a pair with it, in time proportional to the result. */
static size_t partners_of(partners *p, const ff_kinds *kinds, size_t shape) {
    const int kind = kinds->shape[shape];
    size_t count = 0, of_kinds = 0;
    for (size_t k = 0; k < kinds->count; k++) {
        if (ff_kinds_pair(kinds, kind, (int)k) == FF_NO_PAIR) {
            continue;
        }
        const size_t before = count;
        for (size_t i = p->starts[k + 1]; i-- > p->starts[k] && p->shapes[i] > (int)shape;) {
            p->found[count++] = p->shapes[i];
        }
        of_kinds += count > before;
    }
    if (of_kinds > 1) {
        qsort(p->found, count, sizeof *p->found, by_number);
    }
    for (size_t i = 0; of_kinds == 1 && i < count / 2; i++) {
        const int last = p->found[count - 1 - i];
        p->found[count - 1 - i] = p->found[i];
        p->found[i] = last;
    }
    return count;
}

static ff_status find_slots(ff_model *model, const ff_scene *scene, const ff_kinds *kinds,
                            size_t most, ff_error *error) {
    const size_t shapes = scene->shapes.count;
    ff_topology *t = model->topology;
    t->sources = ff_calloc(most + 1, sizeof *t->sources);
    t->row_at = model->open ? ff_calloc(shapes + 1, sizeof *t->row_at) : NULL;
    if (!t->sources || (model->open && !t->row_at)) {
        return FF_NO_MEMORY;
    }
    partners p;
    ff_status status = make_partners(&p, scene, kinds);
    for (size_t i = 0; i < shapes && status == FF_OK; i++) {
        if (model->open) {
            t->row_at[i] = model->contact_count;
        }
        for (size_t j = 0; j < scene->planes.count && status == FF_OK; j++) {
            status = add_source(model, scene, kinds, (int)i, -1, (int)j, error);
        }
        /* things without a pair are recorded only up to the limit */
        const bool all = model->topology->unpaired_count < UNPAIRED_MOST;
        const size_t count = all ? shapes - i - 1 : partners_of(&p, kinds, i);
        for (size_t k = 0; k < count && status == FF_OK; k++) {
            const int j = all ? (int)(i + 1 + k) : p.found[k];
            if (scene->shapes.at[i].body != scene->shapes.at[j].body) {
                status = add_source(model, scene, kinds, (int)i, j, -1, error);
            }
        }
    }
    free_partners(&p);
    if (model->open) {
        t->row_at[shapes] = model->contact_count;
    }
    model->slot_count = model->open ? 0 : model->contact_count;
    return status;
}

/* Sources of a shape are ordered: those with planes first, then those with later shapes. */
static size_t find_contact(const ff_model *model, size_t shape, bool plane, int with) {
    const ff_topology *t = model->topology;
    size_t low = t->row_at[shape], high = t->row_at[shape + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const ff_slot_source *s = &t->sources[middle];
        /* the given shape may be either one of a source */
        int at = s->plane >= 0 ? s->plane : s->shape == (int)shape ? s->other : s->shape;
        if ((s->plane >= 0) == plane && at == with) {
            return middle;
        }
        bool before = (s->plane >= 0) == plane ? at < with : s->plane >= 0;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return SIZE_MAX;
}

size_t ff_model_contact_of(const ff_model *model, size_t shape, size_t other) {
    return shape < other ? find_contact(model, shape, false, (int)other)
                         : find_contact(model, other, false, (int)shape);
}

size_t ff_model_contact_on(const ff_model *model, size_t shape, size_t plane) {
    return find_contact(model, shape, true, (int)plane);
}

/* Whether contacts share slots as a crowd; FF_BAD_VALUE if they should but cannot. */
static ff_status find_crowd(ff_model *model, const ff_scene *scene, const ff_kinds *kinds,
                            ff_error *error) {
    const char *why = ff_crowd_obstacle(scene);
    if (why) {
        return ff_model_fail(
            error, FF_BAD_VALUE,
            "there are too many pairs for this method, and the scene cannot be run as a crowd: %s",
            why);
    }
    for (size_t i = 0; i < kinds->count * kinds->count; i++) {
        if (kinds->pair[i] == FF_TWO_PAIRS) {
            return ff_model_fail(error, FF_BAD_VALUE,
                                 "two pairs match the same things equally well");
        }
    }
    model->crowd = &model->own_crowd;
    model->own_crowd = (ff_crowd_model){.kind_count = kinds->count,
                                        .wall_count = scene->planes.count,
                                        .class_count = scene->pairs.count};
    return ff_crowd_note_strangers(model->topology, scene, kinds);
}

/* With more pairs, a scene that requests a crowd but cannot be one is refused with the reason, because near pairs would be
 * slow. */
enum { FF_SLOTS_CROWD = 20000 };

/* Chooses one slot per pair, a crowd, or an open model. */
static ff_status find_contacts(ff_model *model, const ff_scene *scene, const ff_kinds *kinds,
                               ff_error *error) {
    bool memory;
    double pairs = count_pairs(scene, kinds, &memory);
    if (!memory) {
        return FF_NO_MEMORY;
    }
    if (wants_crowd(scene, pairs)) {
        ff_status status = find_crowd(model, scene, kinds, error);
        if (status != FF_BAD_VALUE || pairs > FF_SLOTS_CROWD) {
            return status;
        }
    }
    if (pairs > INT_MAX) {
        return ff_model_fail(error, FF_BAD_VALUE, "%.0f pairs may touch, and there can be %d",
                             pairs, INT_MAX);
    }
    model->open = scene->joints.count == 0 &&
                  pairs > (scene->slots_most > 0 ? scene->slots_most : FF_SLOTS_USUAL);
    return find_slots(model, scene, kinds, (size_t)pairs, error);
}

/* ---- names and tables ---- */

/* Memory that is counted first and then handed out, like an arena but without gaps. */
typedef struct pool {
    char *at;
    size_t used;
} pool;

/* "a", or "a.shape/b.shape" if there is more of it */
static const char *put(pool *p, const char *a, const char *a_shape, const char *b,
                       const char *b_shape) {
    size_t size = strlen(a) + 1 + (a_shape ? strlen(a_shape) + 1 : 0) + (b ? strlen(b) + 1 : 0) +
                  (b_shape ? strlen(b_shape) + 1 : 0);
    char *out = p->at ? p->at + p->used : NULL;
    if (out) {
        snprintf(out, size, "%s%s%s%s%s%s%s", a, a_shape ? "." : "", a_shape ? a_shape : "",
                 b ? "/" : "", b ? b : "", b_shape ? "." : "", b_shape ? b_shape : "");
    }
    p->used += size;
    return out;
}

/* Names of the owners of a joint's events: the joint, or "joint.coordinate" if it has several coordinates. */
static void put_joint_owners(ff_model *model, const ff_scene *scene, pool *p) {
    for (size_t i = 0; i < scene->joints.count; i++) {
        const ff_joint_def *def = &scene->joints.at[i];
        const bool one = def->kind == FF_JOINT_SPHERICAL || !ff_joint_coordinate_name(def->kind, 1);
        for (int c = 0; c < FF_JOINT_COORDINATES; c++) {
            const char *own = ff_joint_coordinate_name(def->kind, c),
                       *name = one || !own ? NULL : put(p, def->name, own, NULL, NULL);
            if (p->at) {
                model->topology->joint_owners[i][c] = name ? name : model->joints[i].name;
            }
        }
    }
}

static void put_contact_names(ff_model *model, const ff_scene *scene, pool *p) {
    for (size_t i = 0; i < model->contact_count; i++) {
        const ff_slot_source *from = &model->topology->sources[i];
        const ff_shape_def *s = &scene->shapes.at[from->shape],
                           *o = from->other < 0 ? NULL : &scene->shapes.at[from->other];
        const char *b = o ? scene->bodies.at[o->body].name : scene->planes.at[from->plane].name,
                   *name = put(p, scene->bodies.at[s->body].name, s->name, b, o ? o->name : NULL);
        if (p->at && model->open) {
            model->topology->contact_names[i] = name;
        } else if (p->at) {
            model->slots[i].name = name;
        }
    }
    for (size_t i = 0; model->crowd && i < scene->pairs.count; i++) {
        const char *name = put(p, scene->pairs.at[i].a, NULL, scene->pairs.at[i].b, NULL);
        if (p->at) {
            model->crowd->classes[i].name = name;
        }
    }
}

/* Counts the names, or copies them to the model, whose block then holds the definitions. */
static void put_names(ff_model *model, const ff_scene *scene, pool *p) {
    ff_scene *defs = &model->defs;
    const bool fill = p->at;
    for (size_t i = 0; i < scene->bodies.count; i++) {
        const char *name = put(p, scene->bodies.at[i].name, NULL, NULL, NULL);
        if (fill) {
            model->bodies[i].name = name;
        }
        if (fill && i < defs->bodies.count) {
            defs->bodies.at[i].name = name;
        }
    }
    for (size_t i = 0; i < defs->shapes.count; i++) {
        const char *own = scene->shapes.at[i].name,
                   *name = own ? put(p, own, NULL, NULL, NULL) : NULL;
        if (fill) {
            defs->shapes.at[i].name = (char *)name;
        }
    }
#define PUT(list, field)                                                                           \
    for (size_t i = 0; i < scene->list.count; i++) {                                               \
        const char *name = put(p, scene->list.at[i].field, NULL, NULL, NULL);                      \
        if (fill) {                                                                                \
            defs->list.at[i].field = name;                                                         \
        }                                                                                          \
    }
    PUT(planes, name)
    PUT(pairs, a)
    PUT(pairs, b)
    PUT(joints, name)
    PUT(forces, name)
    PUT(parameters, name)
#undef PUT
    for (size_t i = 0; fill && i < scene->joints.count; i++) {
        model->joints[i].name = defs->joints.at[i].name;
        /* laws are compiled */
        memset(defs->joints.at[i].motion, 0, sizeof defs->joints.at[i].motion);
    }
    for (size_t i = 0; fill && i < scene->planes.count; i++) {
        memset(defs->planes.at[i].motion, 0, sizeof defs->planes.at[i].motion);
    }
    put_joint_owners(model, scene, p);
    put_contact_names(model, scene, p);
}

/* copies the points of all table forces */
static ff_status put_tables(ff_model *model, const ff_scene *scene) {
    size_t count = 0;
    for (size_t i = 0; i < scene->forces.count; i++) {
        count += 2 * scene->forces.at[i].points;
    }
    double *at = model->topology->tables = ff_malloc((count + 1) * sizeof *at);
    for (size_t i = 0; at && i < scene->forces.count; i++) {
        const ff_force_def *from = &scene->forces.at[i];
        ff_force_def *to = &model->defs.forces.at[i];
        to->times = to->factors = NULL;
        if (from->points > 0) {
            to->times = memcpy(at, from->times, from->points * sizeof *at);
            to->factors = memcpy(at + from->points, from->factors, from->points * sizeof *at);
            at += 2 * from->points;
        }
    }
    return model->topology->tables ? FF_OK : FF_NO_MEMORY;
}

/* ---- the block ---- */

/* Derived data, then the definitions. */
static void lay_out_block(ff_model *m, ff_arena *a) {
    ff_crowd_model *c = m->crowd ? (m->crowd = &m->own_crowd) : NULL;
    ff_joint_tree *tree = m->joint_count ? (m->tree = &m->own_tree) : NULL;
    const size_t bodies = m->body_count;
    FF_TAKE(a, m->bodies, bodies);
    FF_TAKE(a, m->slots, m->slot_count);
    m->slots = m->open ? NULL : m->slots;
    FF_TAKE(a, m->prototypes, m->open ? m->defs.pairs.count : 0);
    FF_TAKE(a, m->forces, m->force_count);
    FF_TAKE(a, m->events, m->event_count);
    FF_TAKE(a, m->joints, m->joint_count);
    FF_TAKE(a, m->body_at, bodies);
    FF_TAKE(a, m->extents, bodies);
    FF_TAKE(a, m->starts, c ? 0 : bodies * FF_BODY_STRIDE);
    FF_TAKE(a, m->scales, m->room);
    FF_TAKE(a, m->speed, m->room);
    FF_TAKE(a, m->first, m->room);
    FF_TAKE(a, m->inert, m->room);
    if (tree) {
        FF_TAKE(a, tree->links, bodies);
        FF_TAKE(a, tree->order, bodies);
        FF_TAKE(a, tree->loops, m->joint_count);
    }
    if (c) {
        FF_TAKE(a, c->kind, bodies);
        FF_TAKE(a, c->radius, bodies);
        FF_TAKE(a, c->push, 3 * bodies);
        FF_TAKE(a, c->walls, c->wall_count);
        FF_TAKE(a, c->classes, c->class_count);
        FF_TAKE(a, c->pair_class, c->kind_count * c->kind_count);
        FF_TAKE(a, c->wall_class, c->kind_count * c->wall_count);
    }
    FF_TAKE(a, m->defs.bodies.at, m->defs.bodies.count);
    FF_TAKE(a, m->defs.shapes.at, m->defs.shapes.count);
    FF_TAKE(a, m->defs.planes.at, m->defs.planes.count);
    FF_TAKE(a, m->defs.pairs.at, m->defs.pairs.count);
    FF_TAKE(a, m->defs.joints.at, m->defs.joints.count);
    FF_TAKE(a, m->defs.forces.at, m->defs.forces.count);
    FF_TAKE(a, m->defs.parameters.at, m->defs.parameters.count);
}

/* most numbers that y can have with these laws */
static size_t most_numbers(const ff_model *model, const ff_scene *scene) {
    size_t most = model->body_count * FF_BODY_STRIDE + model->joint_count * FF_JOINT_COORDINATES +
                  FF_RUN_INTEGRALS;
    most += scene->control ? scene->control->state_count : 0;
    for (size_t i = 0; i < scene->controllers.count; i++) {
        most += scene->controllers.at[i].state_count;
    }
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_pair_def *pair = &scene->pairs.at[model->topology->sources[i].pair];
        most +=
            (size_t)(pair->normal.states + ff_friction_states(&pair->friction) +
                     ff_friction_states(&pair->rolling) + ff_friction_states(&pair->twist) + 1) +
            FF_CONTACT_INTEGRALS;
    }
    return most;
}

static ff_status make_block(ff_model *model, const ff_scene *scene) {
    ff_scene *defs = &model->defs;
    ff_arena room = {0};
    *defs = (ff_scene){.gravity = {scene->gravity[0], scene->gravity[1], scene->gravity[2]},
                       .start = scene->start,
                       .run = scene->run,
                       .origin = ff_origin_keep(scene->origin)};
    /* the grains of a crowd are not listed individually */
    defs->bodies.count = model->crowd ? 0 : scene->bodies.count;
    defs->shapes.count = model->crowd ? 0 : scene->shapes.count;
    defs->planes.count = scene->planes.count;
    defs->pairs.count = scene->pairs.count;
    defs->joints.count = scene->joints.count;
    defs->forces.count = scene->forces.count;
    defs->parameters.count = scene->parameters.count;
    model->room = most_numbers(model, scene);
    lay_out_block(model, &room);
    model->block_size = room.used;
    model->block = ff_calloc(room.used + 1, 1);
    if (!model->block) {
        return FF_NO_MEMORY;
    }
    room = (ff_arena){model->block, 0};
    lay_out_block(model, &room);
#define COPY(list)                                                                                 \
    if (defs->list.count > 0) {                                                                    \
        memcpy(defs->list.at, scene->list.at, defs->list.count * sizeof *defs->list.at);           \
    }
    COPY(bodies)
    COPY(shapes)
    COPY(planes)
    COPY(pairs)
    COPY(joints)
    COPY(forces)
    COPY(parameters)
#undef COPY
    if (scene->events.count > 0) {
        memcpy(model->events, scene->events.at, scene->events.count * sizeof *model->events);
    }
    return FF_OK;
}

static void give_kinds(ff_crowd_model *c, size_t bodies, const ff_kinds *kinds) {
    for (size_t i = 0; i < bodies; i++) {
        c->kind[i] = kinds->shape[i];
    }
    memcpy(c->pair_class, kinds->pair, kinds->count * kinds->count * sizeof *c->pair_class);
    for (size_t k = 0; k < kinds->count; k++) {
        for (size_t w = 0; w < c->wall_count; w++) {
            c->wall_class[k * c->wall_count + w] = ff_kinds_pair(kinds, (int)k, kinds->plane[w]);
        }
    }
}

/* ---- the model ---- */

static ff_status make(ff_model *model, const ff_scene *scene, ff_error *error) {
    ff_kinds kinds;
    ff_status status = find_parts(scene, model->topology);
    if (status < 0) {
        return status;
    }
    status = ff_kinds_make(scene, &kinds, error);
    if (status < 0) {
        return status;
    }
    status = find_contacts(model, scene, &kinds, error);
    status = status < 0 ? status : make_block(model, scene);
    if (status == FF_OK && model->crowd) {
        give_kinds(model->crowd, model->body_count, &kinds);
    }
    if (model->open) {
        model->topology->kinds = kinds;
    } else {
        ff_kinds_free(&kinds);
    }
    if (status < 0) {
        return status;
    }
    if (model->open &&
        !(model->topology->contact_names =
              ff_malloc((model->contact_count + 1) * sizeof *model->topology->contact_names))) {
        return FF_NO_MEMORY;
    }
    if (scene->joints.count > 0 &&
        !(model->topology->joint_owners =
              ff_malloc(scene->joints.count * sizeof *model->topology->joint_owners))) {
        return FF_NO_MEMORY;
    }
    pool names = {0};
    put_names(model, scene, &names);
    names = (pool){model->topology->names = ff_malloc(names.used + 1), 0};
    if (!names.at) {
        return FF_NO_MEMORY;
    }
    put_names(model, scene, &names);
    status = put_tables(model, scene);
    status = status < 0 ? status : ff_controls_make(model, scene, error);
    return status < 0 ? status : ff_numbers_count(model);
}

ff_status ff_topology_make(const ff_scene *scene, ff_model **out, ff_error *error) {
    ff_model *model = ff_calloc(1, sizeof *model);
    if (!model || !(model->topology = ff_calloc(1, sizeof *model->topology))) {
        ff_free(model);
        return FF_NO_MEMORY;
    }
    model->run = scene->run;
    model->body_count = scene->bodies.count;
    model->force_count = scene->forces.count;
    model->event_count = scene->events.count;
    model->joint_count = scene->joints.count;
    ff_status status = make(model, scene, error);
    if (status < 0) {
        ff_model_free(model);
        return status;
    }
    *out = model;
    return FF_OK;
}

void ff_topology_forget_bodies(ff_topology *t) {
    ff_free(t->words);
    ff_free(t->placer);
    ff_free(t->held);
    ff_free(t->first);
    ff_free(t->shapes);
    t->words = NULL;
    t->placer = NULL;
    t->held = NULL;
    t->first = t->shapes = NULL;
}

static const size_t head = (sizeof(ff_model) + 63) / 64 * 64;

ff_model *ff_model_copy(const ff_model *model, ff_model *into) {
    ff_model *out = into ? into : ff_malloc(head + model->block_size);
    if (!out) {
        return NULL;
    }
    *out = *model;
    out->copy = true;
    out->block = (char *)out + head;
    memcpy(out->block, model->block, model->block_size);
    ff_arena room = {out->block, 0};
    lay_out_block(out, &room);
    return out;
}

void ff_model_free(ff_model *model) {
    if (model && model->free_source) {
        model->free_source(model->source);
    } else if (model && !model->copy) {
        ff_topology *t = model->topology;
        for (size_t i = 0; i < t->unpaired_count; i++) {
            ff_free(t->unpaired[i]);
        }
        ff_free(t->unpaired);
        ff_topology_forget_bodies(t);
        ff_kinds_free(&t->kinds);
        ff_controls_clear(&t->controls);
        ff_free(t->contact_names);
        ff_free(t->joint_owners);
        ff_free(t->row_at);
        ff_free(t->field_at);
        ff_free(t->belt);
        ff_free(t->sources);
        ff_free(t->tables);
        ff_free(t->names);
        ff_free(t);
        ff_origin_drop(model->defs.origin);
        ff_free(model->block);
    }
    ff_free(model);
}

/* ---- comparison ---- */

#define SAME(a, b, count) ((count) == 0 || memcmp((a), (b), (count) * sizeof *(a)) == 0)

static bool same_names(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_scene(const ff_scene *a, const ff_scene *b) {
    bool same = a->bodies.count == b->bodies.count && a->shapes.count == b->shapes.count &&
                a->planes.count == b->planes.count && a->pairs.count == b->pairs.count &&
                a->joints.count == b->joints.count && a->forces.count == b->forces.count;
    for (size_t i = 0; same && i < a->bodies.count; i++) {
        const ff_body_def *x = &a->bodies.at[i], *y = &b->bodies.at[i];
        same = same_names(x->name, y->name) && x->locked == y->locked &&
               isnan(x->inertia[0][0]) == isnan(y->inertia[0][0]);
    }
    for (size_t i = 0; same && i < a->planes.count; i++) {
        same = same_names(a->planes.at[i].name, b->planes.at[i].name);
    }
    for (size_t i = 0; same && i < a->pairs.count; i++) {
        const ff_pair_def *x = &a->pairs.at[i], *y = &b->pairs.at[i];
        same = same_names(x->a, y->a) && same_names(x->b, y->b) && x->normal.law == y->normal.law &&
               x->friction.law == y->friction.law && x->rolling.law == y->rolling.law &&
               x->twist.law == y->twist.law && x->arm == y->arm && x->stateful == y->stateful &&
               x->lever == y->lever;
    }
    for (size_t i = 0; same && i < a->joints.count; i++) {
        const ff_joint_def *x = &a->joints.at[i], *y = &b->joints.at[i];
        same = same_names(x->name, y->name) && x->kind == y->kind && x->first == y->first &&
               x->second == y->second && SAME(x->joints, y->joints, 2) &&
               SAME(x->coordinates, y->coordinates, 2);
        for (int c = 0; c < FF_JOINT_COORDINATES; c++) {
            same = same && x->along[c].friction.law == y->along[c].friction.law &&
                   x->along[c].limit.law == y->along[c].limit.law;
        }
    }
    for (size_t i = 0; same && i < a->forces.count; i++) {
        const ff_force_def *x = &a->forces.at[i], *y = &b->forces.at[i];
        same = same_names(x->name, y->name) && x->kind == y->kind && x->body == y->body &&
               x->other == y->other && x->joint == y->joint && x->coordinate == y->coordinate &&
               x->points == y->points;
    }
    return same;
}

static bool same_slots(const ff_model *a, const ff_model *b) {
    bool same = a->slot_count == b->slot_count && a->contact_count == b->contact_count &&
                a->open == b->open;
    for (size_t i = 0; same && a->open && i < a->defs.pairs.count; i++) {
        same = ff_slot_same_layout(&a->prototypes[i], &b->prototypes[i]);
    }
    for (size_t i = 0; same && i < a->contact_count && a->open; i++) {
        same = same_names(a->topology->contact_names[i], b->topology->contact_names[i]);
    }
    for (size_t i = 0; same && i < a->slot_count; i++) {
        const ff_slot *x = &a->slots[i], *y = &b->slots[i];
        same = same_names(x->name, y->name) && x->state_at == y->state_at &&
               x->integral_at == y->integral_at && ff_slot_same_layout(x, y);
    }
    return same;
}

static bool same_controls(const ff_controls *a, const ff_controls *b) {
    const ff_control *x = a->program, *y = b->program;
    bool same =
        a->states == b->states && a->memories == b->memories && !x == !y && !a->laws == !b->laws;
    same = same && (!a->laws || (a->laws->motion_count == b->laws->motion_count &&
                                 a->laws->drive_count == b->laws->drive_count));
    return same && (!x || (x->room == y->room && x->room_out == y->room_out &&
                           x->branch_count == y->branch_count && x->slope_count == y->slope_count &&
                           x->act_count == y->act_count && x->sampler_count == y->sampler_count &&
                           x->event_count == y->event_count && x->motion_count == y->motion_count &&
                           x->drive_count == y->drive_count));
}

ff_status ff_model_compare(const ff_model *a, const ff_model *b, ff_error *error) {
    bool same =
        a->body_count == b->body_count && !a->crowd == !b->crowd &&
        a->event_count == b->event_count && a->control_at == b->control_at &&
        same_controls(&a->topology->controls, &b->topology->controls) && a->size == b->size &&
        a->states == b->states && a->active == b->active && same_scene(&a->defs, &b->defs) &&
        same_slots(a, b) && SAME(a->body_at, b->body_at, a->body_count) &&
        SAME(a->inert, b->inert, a->size) && SAME(a->speed, b->speed, a->states) &&
        SAME(a->topology->words, b->topology->words, a->defs.shapes.count) && ff_numbers_same(a, b);
    for (size_t i = 0; same && i < a->joint_count; i++) {
        for (int c = 0; c < FF_JOINT_COORDINATES; c++) {
            same = same && a->joints[i].along[c].bristle == b->joints[i].along[c].bristle;
        }
    }
    if (same && a->crowd) {
        same = SAME(a->crowd->kind, b->crowd->kind, a->body_count);
    }
    return same ? FF_OK
                : ff_model_fail(error, FF_BAD_VALUE,
                                "the change would give different bodies, contacts, joints, laws or "
                                "states: make a new model from a scene");
}
