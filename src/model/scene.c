/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene.h"
#include "expr/word.h"
#include "num/def.h"
#include "num/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *ff_joint_kind_name(ff_joint_kind kind) {
    static const char *const names[] = {"revolute", "prismatic", "spherical", "universal",
                                        "fixed",    "planar",    "free",      "cylindrical",
                                        "screw",    "gear"};
    return (unsigned)kind < FF_JOINT_KINDS ? names[kind] : NULL;
}

const char *ff_joint_coordinate_name(ff_joint_kind kind, int coordinate) {
    static const char *const names[FF_JOINT_KINDS][FF_JOINT_COORDINATES] = {
        [FF_JOINT_REVOLUTE] = {"angle"},
        [FF_JOINT_PRISMATIC] = {"way"},
        [FF_JOINT_SPHERICAL] = {"x", "y", "z"},
        [FF_JOINT_UNIVERSAL] = {"angle1", "angle2"},
        [FF_JOINT_PLANAR] = {"way1", "way2", "angle"},
        [FF_JOINT_CYLINDRICAL] = {"way", "angle"},
        [FF_JOINT_SCREW] = {"angle"}};
    bool there = (unsigned)kind < FF_JOINT_KINDS && (unsigned)coordinate < FF_JOINT_COORDINATES;
    return there ? names[kind][coordinate] : NULL;
}

bool ff_joint_coordinate_slides(ff_joint_kind kind, int coordinate) {
    const char *name = ff_joint_coordinate_name(kind, coordinate);
    return name && name[0] == 'w';
}

const char *ff_formulation_name(ff_formulation formulation) {
    return formulation == FF_MAXIMAL       ? "maximal"
           : formulation == FF_ARTICULATED ? "articulated"
                                           : NULL;
}

const char *ff_constraints_name(ff_constraints constraints) {
    static const char *const names[] = {"index1",    "standard",         "baumgarte", "penalty",
                                        "augmented", "index1-augmented", "direct"};
    return (unsigned)constraints < FF_CONSTRAINTS ? names[constraints] : NULL;
}

ff_origin *ff_origin_keep(ff_origin *origin) {
    if (origin) {
        atomic_fetch_add(&origin->owners, 1);
    }
    return origin;
}

void ff_origin_drop(ff_origin *origin) {
    if (origin && atomic_fetch_sub(&origin->owners, 1) == 1) {
        origin->free(origin);
    }
}

/* Marks a scene as different from its file. */
static void mark_modified(ff_scene *scene) {
    ff_origin_drop(scene->origin);
    scene->origin = NULL;
}

ff_scene *ff_scene_create(void) {
    ff_scene *scene = ff_calloc(1, sizeof *scene);
    if (scene) {
        scene->gravity[2] = -9.81;
        scene->run = ff_run_options_default();
    }
    return scene;
}

/* ---- laws of time ---- */

_Static_assert(FF_JOINT_COORDINATES == 3, "planes and joints have as many laws");

static void free_texts(const char *texts[3]) {
    for (int c = 0; c < 3; c++) {
        ff_free((char *)texts[c]);
    }
}

/* Copies in the place of what they copy; false, with nothing kept, where memory ends. */
static bool copy_texts(const char *texts[3]) {
    bool all = true;
    for (int c = 0; c < 3; c++) {
        char *copy = texts[c] && all ? ff_word_copy(texts[c]) : NULL;
        all = all && (copy || !texts[c]);
        texts[c] = copy;
    }
    if (!all) {
        free_texts(texts);
    }
    return all;
}

bool ff_plane_moves(const ff_plane_def *def) {
    return def->motion[0] || def->motion[1] || def->motion[2];
}

bool ff_joint_moves(const ff_joint_def *def) {
    return def->motion[0] || def->motion[1] || def->motion[2];
}

void ff_scene_free(ff_scene *scene) {
    if (!scene) {
        return;
    }
    for (size_t i = 0; i < scene->joints.count; i++) {
        ff_free((char *)scene->joints.at[i].name);
        free_texts(scene->joints.at[i].motion);
    }
    for (size_t i = 0; i < scene->bodies.count; i++) {
        ff_free((char *)scene->bodies.at[i].name);
    }
    for (size_t i = 0; i < scene->shapes.count; i++) {
        ff_free(scene->shapes.at[i].name);
    }
    for (size_t i = 0; i < scene->groups.count; i++) {
        ff_free((char *)scene->groups.at[i].name);
    }
    for (size_t i = 0; i < scene->planes.count; i++) {
        ff_free((char *)scene->planes.at[i].name);
        free_texts(scene->planes.at[i].motion);
    }
    for (size_t i = 0; i < scene->pairs.count; i++) {
        ff_free((char *)scene->pairs.at[i].a);
        ff_free((char *)scene->pairs.at[i].b);
    }
    for (size_t i = 0; i < scene->forces.count; i++) {
        ff_free((char *)scene->forces.at[i].name);
        ff_free((double *)scene->forces.at[i].times);
        ff_free((double *)scene->forces.at[i].factors);
    }
    for (size_t i = 0; i < scene->parameters.count; i++) {
        ff_free((char *)scene->parameters.at[i].name);
    }
    for (size_t i = 0; i < scene->controllers.count; i++) {
        ff_controller_clear(&scene->controllers.at[i]);
    }
    ff_free(scene->controllers.at);
    ff_control_drop(scene->control);
    ff_free(scene->parameters.at);
    ff_free(scene->bodies.at);
    ff_free(scene->shapes.at);
    ff_free(scene->groups.at);
    ff_free(scene->planes.at);
    ff_free(scene->pairs.at);
    ff_free(scene->forces.at);
    ff_free(scene->joints.at);
    ff_free(scene->events.at);
    ff_origin_drop(scene->origin);
    ff_free(scene);
}

bool ff_list_grow(void **at, size_t count, size_t *room, size_t size) {
    if (count < *room) {
        return true;
    }
    size_t more = *room ? 2 * *room : 8;
    void *grown = ff_realloc(*at, more * size);
    if (!grown) {
        return false;
    }
    *at = grown;
    *room = more;
    return true;
}

void ff_scene_set_gravity(ff_scene *scene, const double gravity[3]) {
    memcpy(scene->gravity, gravity, sizeof scene->gravity);
    mark_modified(scene);
}

void ff_scene_set_start(ff_scene *scene, ff_start start) {
    scene->start = start;
    mark_modified(scene);
}

ff_start ff_scene_start(const ff_scene *scene) { return scene->start; }

ff_status ff_scene_set_run(ff_scene *scene, const ff_run_options *options) {
    ff_run_options o = ff_run_options_default();
    if (!FF_DEF_TAKE(&o, options)) {
        return FF_BAD_VALUE;
    }
    scene->run = o;
    return FF_OK;
}

const ff_run_options *ff_scene_run(const ff_scene *scene) { return &scene->run; }

ff_status ff_scene_set_gait(ff_scene *scene, const ff_gait_def *given) {
    ff_gait_def taken = ff_gait_def_default(), *def = &taken;
    if (!FF_DEF_TAKE(def, given)) {
        return FF_BAD_VALUE;
    }
    const int bodies = (int)scene->bodies.count;
    double square = 0;
    for (int i = 0; i < 3; i++) {
        square += def->axis[i] * def->axis[i];
    }
    bool good = def->body >= 0 && def->body < bodies && square > 0 && isfinite(square) &&
                def->limit > 0 && def->swaps <= FF_GAIT_SWAPS && def->turns <= FF_GAIT_TURNS;
    for (size_t i = 0; i < def->swaps && good; i++) {
        const int *swap = def->swap[i];
        good = swap[0] >= 0 && swap[0] < bodies && swap[1] >= 0 && swap[1] < bodies;
    }
    for (size_t i = 0; i < def->turns && good; i++) {
        const ff_gait_turn *turn = &def->turn[i];
        good = turn->body >= 0 && turn->body < bodies;
        for (int c = 0; c < 3; c++) {
            good = good && isfinite(turn->by[c]);
        }
    }
    if (!good) {
        return FF_BAD_VALUE;
    }
    scene->gait = *def;
    scene->walks = true;
    return FF_OK;
}

const ff_gait_def *ff_scene_gait(const ff_scene *scene) {
    return scene->walks ? &scene->gait : NULL;
}

int ff_scene_add_body(ff_scene *scene, const ff_body_def *given) {
    ff_body_def taken = ff_body_def_default(), *def = &taken;
    if (!FF_DEF_TAKE(def, given)) {
        return FF_BAD_VALUE;
    }
    if (!def->name || !(def->mass > 0) || isinf(def->mass)) {
        return FF_BAD_VALUE;
    }
    char *name = ff_word_copy(def->name);
    if (!name || !FF_GROW(scene->bodies)) {
        ff_free(name);
        return FF_NO_MEMORY;
    }
    ff_body_def *body = &scene->bodies.at[scene->bodies.count];
    *body = *def;
    body->name = name;
    mark_modified(scene);
    return (int)scene->bodies.count++;
}

static int add_shape(ff_scene *scene, int body, const char *name, const double center[3],
                     double radius, const double box[3]) {
    if (body < 0 || (size_t)body >= scene->bodies.count || !(radius >= 0)) {
        return FF_BAD_VALUE;
    }
    char *copy = name ? ff_word_copy(name) : NULL;
    if ((name && !copy) || !FF_GROW(scene->shapes)) {
        ff_free(copy);
        return FF_NO_MEMORY;
    }
    ff_shape_def *shape = &scene->shapes.at[scene->shapes.count];
    *shape = (ff_shape_def){.name = copy, .body = body, .radius = radius};
    memcpy(shape->center, center, sizeof shape->center);
    memcpy(shape->box, box, sizeof shape->box);
    mark_modified(scene);
    return (int)scene->shapes.count++;
}

int ff_scene_add_sphere(ff_scene *scene, int body, const char *name, const double center[3],
                        double radius) {
    return add_shape(scene, body, name, center, radius, (double[3]){0});
}

int ff_scene_add_box(ff_scene *scene, int body, const double size[3], double corner_radius) {
    int first = (int)scene->shapes.count;
    for (int corner = 0; corner < 8; corner++) {
        static const char *const names[] = {"corner0", "corner1", "corner2", "corner3",
                                            "corner4", "corner5", "corner6", "corner7"};
        double center[3];
        for (int axis = 0; axis < 3; axis++) {
            double half = size[axis] / 2 - corner_radius;
            if (!(half >= 0)) {
                return FF_BAD_VALUE;
            }
            center[axis] = corner >> axis & 1 ? half : -half;
        }
        int status = add_shape(scene, body, names[corner], center, corner_radius, size);
        if (status < 0) {
            return status;
        }
    }
    return first;
}

int ff_scene_add_plane(ff_scene *scene, const ff_plane_def *given) {
    ff_plane_def taken = ff_plane_def_default(), *def = &taken;
    if (!FF_DEF_TAKE(def, given)) {
        return FF_BAD_VALUE;
    }
    const double *n = def->normal;
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!def->name || !(length > 0) || isinf(length)) {
        return FF_BAD_VALUE;
    }
    char *name = ff_word_copy(def->name);
    if (!name || !FF_GROW(scene->planes) || !copy_texts(def->motion)) {
        ff_free(name);
        return FF_NO_MEMORY;
    }
    ff_plane_def *plane = &scene->planes.at[scene->planes.count];
    *plane = *def;
    plane->name = name;
    for (int i = 0; i < 3; i++) {
        plane->normal[i] /= length;
    }
    mark_modified(scene);
    return (int)scene->planes.count++;
}

int ff_scene_add_pair(ff_scene *scene, const ff_pair_def *given) {
    ff_pair_def taken = ff_pair_def_default(), *def = &taken;
    if (!FF_DEF_TAKE(def, given)) {
        return FF_BAD_VALUE;
    }
    ff_status laws = ff_normal_check(&def->normal, NULL);
    laws = laws < 0 || !def->friction.law ? laws : ff_friction_check(&def->friction, NULL);
    laws = laws < 0 || !def->rolling.law ? laws : ff_friction_check(&def->rolling, NULL);
    laws = laws < 0 || !def->twist.law ? laws : ff_friction_check(&def->twist, NULL);
    if (!def->a || !def->b || laws < 0) {
        return laws < 0 ? laws : FF_BAD_VALUE;
    }
    if (def->arm < FF_ARM_HERTZ || def->arm > FF_ARM_MARSHALL ||
        (def->twist.law && def->arm == FF_ARM_LENGTH &&
         !(def->arm_length > 0 && isfinite(def->arm_length)))) {
        return FF_BAD_VALUE;
    }
    char *a = ff_word_copy(def->a), *b = ff_word_copy(def->b);
    if (!a || !b || !FF_GROW(scene->pairs)) {
        ff_free(a);
        ff_free(b);
        return FF_NO_MEMORY;
    }
    ff_pair_def *pair = &scene->pairs.at[scene->pairs.count];
    *pair = *def;
    pair->a = a;
    pair->b = b;
    if (!pair->friction.law) {
        ff_friction_none(&pair->friction);
    }
    if (pair->rolling.law && pair->rolling.law->nothing) {
        pair->rolling = (ff_friction){0};
    }
    if (pair->twist.law && pair->twist.law->nothing) {
        pair->twist = (ff_friction){0};
    }
    mark_modified(scene);
    return (int)scene->pairs.count++;
}

int ff_scene_add_force(ff_scene *scene, const ff_force_def *given) {
    ff_force_def taken = ff_force_def_default(), *def = &taken;
    if (!FF_DEF_TAKE(def, given)) {
        return FF_BAD_VALUE;
    }
    size_t bodies = scene->bodies.count, size = def->points * sizeof(double);
    bool placed = def->joint >= 0 ? (size_t)def->joint < scene->joints.count
                                  : def->body >= 0 && (size_t)def->body < bodies;
    if (placed && def->joint >= 0 &&
        !ff_joint_coordinate_name(scene->joints.at[def->joint].kind, def->coordinate)) {
        return FF_BAD_VALUE;
    }
    if (!def->name || !placed || def->other >= (int)bodies || !(def->from <= def->to) ||
        (def->kind == FF_FORCE_TABLE && def->points < 2)) {
        return FF_BAD_VALUE;
    }
    for (size_t i = 1; i < def->points; i++) {
        if (!(def->times[i] > def->times[i - 1])) {
            return FF_BAD_VALUE;
        }
    }
    char *name = ff_word_copy(def->name);
    double *times = size ? ff_malloc(size) : NULL, *factors = size ? ff_malloc(size) : NULL;
    if (!name || (size && (!times || !factors)) || !FF_GROW(scene->forces)) {
        ff_free(name);
        ff_free(times);
        ff_free(factors);
        return FF_NO_MEMORY;
    }
    ff_force_def *force = &scene->forces.at[scene->forces.count];
    *force = *def;
    force->name = name;
    force->times = times;
    force->factors = factors;
    if (size) {
        memcpy(times, def->times, size);
        memcpy(factors, def->factors, size);
    }
    mark_modified(scene);
    return (int)scene->forces.count++;
}

/* ---- controllers ---- */

void ff_controller_def_init(ff_controller_def *def, size_t size) {
    memset(def, 0, size);
    def->size = size;
}

void ff_controller_clear(ff_controller_def *def) {
    ff_free((char *)def->name);
    ff_free((double *)def->start);
    ff_free((double *)def->scales);
    ff_free((int *)def->forces);
}

/* a copy of some numbers, `other` if there are none; NULL if out of memory */
static double *copy_numbers(const double *from, size_t count, double other) {
    double *out = ff_malloc((count + 1) * sizeof *out);
    for (size_t i = 0; out && i < count; i++) {
        out[i] = from ? from[i] : other;
    }
    return out;
}

ff_status ff_controller_copy(const ff_controller_def *def, ff_controller_def *out) {
    ff_controller_def_init(out, sizeof *out);
    /* members that the caller's older struct does not have keep their defaults */
    memcpy(out, def, def->size < sizeof *out ? def->size : sizeof *out);
    out->size = sizeof *out;
    int *forces = ff_malloc((def->force_count + 1) * sizeof *forces);
    out->name = ff_word_copy(def->name);
    out->start = copy_numbers(def->start, def->state_count, 0);
    out->scales = copy_numbers(def->scales, def->state_count, 1);
    out->forces = forces;
    if (!out->name || !out->start || !out->scales || !forces) {
        ff_controller_clear(out);
        return FF_NO_MEMORY;
    }
    for (size_t i = 0; i < def->force_count; i++) {
        forces[i] = def->forces[i];
    }
    return FF_OK;
}

/* Whether a force can be commanded and has no controller yet. */
static bool is_free(const ff_scene *scene, const ff_controller_def *def, size_t k) {
    const int force = def->forces[k];
    if (force < 0 || (size_t)force >= scene->forces.count ||
        scene->forces.at[force].kind != FF_FORCE_CONTROL) {
        return false;
    }
    for (size_t i = 0; i < k; i++) {
        if (def->forces[i] == force) {
            return false;
        }
    }
    for (size_t i = 0; i < scene->controllers.count; i++) {
        for (size_t j = 0; j < scene->controllers.at[i].force_count; j++) {
            if (scene->controllers.at[i].forces[j] == force) {
                return false;
            }
        }
    }
    for (size_t i = 0; scene->control && i < scene->control->act_count; i++) {
        const ff_target *to = &scene->control->acts[i];
        if (to->kind == FF_TARGET_COMMAND && to->at / FF_COMMANDS == (size_t)force) {
            return false;
        }
    }
    return true;
}

int ff_scene_add_controller(ff_scene *scene, const ff_controller_def *def) {
    const size_t least = offsetof(ff_controller_def, user) + sizeof def->user;
    const bool bounded = def->size >= offsetof(ff_controller_def, shortest) + sizeof def->shortest;
    if (def->size < least || !def->name || !def->function || !(def->every >= 0) ||
        isinf(def->every) || (bounded && !(def->shortest >= 0)) || !(def->shortest >= 0) ||
        (def->force_count > 0 && !def->forces)) {
        return FF_BAD_VALUE;
    }
    for (size_t i = 0; i < def->state_count; i++) {
        if ((def->start && !isfinite(def->start[i])) ||
            (def->scales && !(def->scales[i] > 0 && isfinite(def->scales[i])))) {
            return FF_BAD_VALUE;
        }
    }
    for (size_t i = 0; i < def->force_count; i++) {
        if (!is_free(scene, def, i)) {
            return FF_BAD_VALUE;
        }
    }
    if (!FF_GROW(scene->controllers) ||
        ff_controller_copy(def, &scene->controllers.at[scene->controllers.count]) < 0) {
        return FF_NO_MEMORY;
    }
    mark_modified(scene);
    return (int)scene->controllers.count++;
}

/* whether the length is positive, finite, and can be divided by */
static bool has_length(const double v[3]) {
    double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    return square > 0 && !isinf(square);
}

static ff_status check_effort(const ff_joint_effort *e) {
    if (!(e->stiffness >= 0) || !(e->damping >= 0) || !(e->lower <= e->upper) ||
        !(e->limit_stiffness >= 0) || !(e->limit_damping >= 0) || !(e->load >= 0)) {
        return FF_BAD_VALUE;
    }
    ff_status status = e->limit.law ? ff_normal_check(&e->limit, NULL) : FF_OK;
    return status == FF_OK && e->friction.law ? ff_friction_check(&e->friction, NULL) : status;
}

/* Finds the bodies that the joints of a gear move. False if it has no coordinates to couple. */
static bool find_geared(const ff_scene *scene, ff_joint_def *def) {
    for (int i = 0; i < 2; i++) {
        const int joint = def->joints[i];
        if (joint < 0 || joint >= (int)scene->joints.count ||
            scene->joints.at[joint].kind == FF_JOINT_SPHERICAL ||
            !ff_joint_coordinate_name(scene->joints.at[joint].kind, def->coordinates[i])) {
            return false;
        }
        *(i ? &def->second : &def->first) = scene->joints.at[joint].second;
    }
    return (def->joints[0] != def->joints[1] || def->coordinates[0] != def->coordinates[1]) &&
           isfinite(def->ratio) && def->ratio != 0;
}

int ff_scene_add_joint(ff_scene *scene, const ff_joint_def *given) {
    ff_joint_def taken = ff_joint_def_default(), *def = &taken;
    if (!FF_DEF_TAKE(def, given)) {
        return FF_BAD_VALUE;
    }
    if (def->kind == FF_JOINT_GEAR && !find_geared(scene, def)) {
        return FF_BAD_VALUE;
    }
    size_t bodies = scene->bodies.count;
    bool turns = def->turn[0] != 0 || has_length(def->turn + 1);
    if (!def->name || (int)def->kind < 0 || (int)def->kind >= FF_JOINT_KINDS || def->first < -1 ||
        def->first >= (int)bodies || def->second < 0 || def->second >= (int)bodies ||
        (def->first == def->second && def->kind != FF_JOINT_GEAR) || !has_length(def->axis) ||
        !has_length(def->second_axis) || !turns) {
        return FF_BAD_VALUE;
    }
    if (def->kind == FF_JOINT_SCREW && (!isfinite(def->pitch) || def->pitch == 0)) {
        return FF_BAD_VALUE;
    }
    for (int c = 0; c < FF_JOINT_COORDINATES; c++) {
        ff_status status = check_effort(&def->along[c]);
        if (status != FF_OK) {
            return status;
        }
    }
    char *name = ff_word_copy(def->name);
    if (!name || !FF_GROW(scene->joints) || !copy_texts(def->motion)) {
        ff_free(name);
        return FF_NO_MEMORY;
    }
    ff_joint_def *joint = &scene->joints.at[scene->joints.count];
    *joint = *def;
    joint->name = name;
    mark_modified(scene);
    return (int)scene->joints.count++;
}

int ff_scene_add_event(ff_scene *scene, ff_event_function function, void *user) {
    if (!function) {
        return FF_BAD_VALUE;
    }
    if (!FF_GROW(scene->events)) {
        return FF_NO_MEMORY;
    }
    scene->events.at[scene->events.count] = (ff_event_def){.function = function, .user = user};
    return (int)scene->events.count++;
}

ff_status ff_scene_add_parameter(ff_scene *scene, const char *name, const ff_parameter *parameter) {
    ff_parameter kept = *parameter;
    kept.name = ff_word_copy(name);
    if (!kept.name || !FF_GROW(scene->parameters)) {
        ff_free((char *)kept.name);
        return FF_NO_MEMORY;
    }
    scene->parameters.at[scene->parameters.count++] = kept;
    return FF_OK;
}

size_t ff_scene_parameter_count(const ff_scene *scene) { return scene->parameters.count; }

ff_status ff_scene_with(const ff_scene *scene, const char *const *settings, size_t count,
                        ff_scene **out, ff_messages *messages) {
    *out = NULL;
    return scene->origin ? scene->origin->with(scene->origin, settings, count, out, messages)
                         : FF_MISSING;
}

ff_parameter ff_scene_parameter(const ff_scene *scene, size_t i) {
    return i < scene->parameters.count ? scene->parameters.at[i] : (ff_parameter){.name = NULL};
}

const ff_joint_def *ff_scene_joint(const ff_scene *scene, size_t i) {
    return i < scene->joints.count ? &scene->joints.at[i] : NULL;
}
