/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "model.h"
#include "num/memory.h"
#include <stdlib.h>
#include <string.h>

/* ---- one joint ---- */

/* A direction perpendicular to a unit vector: the first of x, y, z that is more than 45 degrees from it, projected. */
static void square_to(const double axis[3], double out[3]) {
    int i = 0;
    while (fabs(axis[i]) > 0.7072) {
        i++;
    }
    for (int c = 0; c < 3; c++) {
        out[c] = (c == i) - axis[i] * axis[c];
    }
    ff_normalise(out, out);
}

/* The two directions of a planar joint: the second has its largest component positive. */
static void ways_across(const double axis[3], double ways[2][3]) {
    square_to(axis, ways[0]);
    ff_cross(axis, ways[0], ways[1]);
    int largest = 0;
    for (int c = 1; c < 3; c++) {
        largest = fabs(ways[1][c]) > fabs(ways[1][largest]) ? c : largest;
    }
    for (int c = 0; c < 3 && ways[1][largest] < 0; c++) {
        /* the largest component last, since its sign is tested */
        ways[1][(largest + 1 + c) % 3] *= -1;
    }
}

/* Adds a row that keeps `across` of the second body perpendicular to `square` of the first, as where coordinates are 0:
 * there a direction d of the first is turn^T d of the second. */
static void add_square(ff_joint *j, const double turn[3][3], const double square[3],
                       const double across[3]) {
    memcpy(j->square[j->squares], square, 3 * sizeof *square);
    ff_rotate_back(turn, across, j->across[j->squares]);
    j->squares++;
}

/* Adds two rows that keep the axis perpendicular to two directions of the first body. */
static void hold_axis(ff_joint *j, const double turn[3][3]) {
    double across[2][3];
    square_to(j->axis, across[0]);
    ff_cross(j->axis, across[0], across[1]);
    add_square(j, turn, across[0], j->axis);
    add_square(j, turn, across[1], j->axis);
}

/* Adds three rows that keep each axis of the second body perpendicular to the next axis of the first. */
static void hold_turning(ff_joint *j, const double turn[3][3]) {
    for (int i = 0; i < 3; i++) {
        double square[3] = {i == 0, i == 1, i == 2}, across[3] = {i == 2, i == 0, i == 1};
        add_square(j, turn, square, across);
    }
}

static void make_rows(ff_joint *j) {
    double turn[3][3];
    ff_rotation(j->turn, turn);
    switch (j->kind) {
    case FF_JOINT_REVOLUTE:
        j->meets = true;
        hold_axis(j, turn);
        break;
    case FF_JOINT_PRISMATIC:
        square_to(j->axis, j->slide[0]);
        ff_cross(j->axis, j->slide[0], j->slide[1]);
        j->slides = 2;
        hold_turning(j, turn);
        break;
    case FF_JOINT_SPHERICAL: j->meets = true; break;
    case FF_JOINT_UNIVERSAL:
        j->meets = true;
        j->squares = 1;
        memcpy(j->square[0], j->axis, sizeof j->axis);
        memcpy(j->across[0], j->second_axis, sizeof j->second_axis);
        break;
    case FF_JOINT_FIXED:
        j->meets = true;
        hold_turning(j, turn);
        break;
    case FF_JOINT_PLANAR:
        memcpy(j->slide[0], j->axis, sizeof j->axis);
        j->slides = 1;
        hold_axis(j, turn);
        break;
    case FF_JOINT_CYLINDRICAL:
    case FF_JOINT_SCREW:
        square_to(j->axis, j->slide[0]);
        ff_cross(j->axis, j->slide[0], j->slide[1]);
        j->slides = 2;
        hold_axis(j, turn);
        j->threads = j->kind == FF_JOINT_SCREW;
        break;
    default: break;
    }
    j->rows =
        3 * j->meets + j->slides + j->squares + j->threads + (j->kind == FF_JOINT_GEAR) + j->drives;
}

static int coordinates_of(ff_joint_kind kind) {
    int count = 0;
    while (ff_joint_coordinate_name(kind, count)) {
        count++;
    }
    return count;
}

/* Efforts along the coordinates of a joint. */
static void derive_efforts(ff_joint *j, const ff_joint_def *def) {
    j->works = false;
    for (int c = 0; c < FF_JOINT_COORDINATES; c++) {
        const ff_joint_effort *from = &def->along[c];
        ff_effort *e = &j->along[c];
        e->stiffness = from->stiffness;
        e->rest = from->rest;
        e->damping = from->damping;
        e->lower = from->lower;
        e->upper = from->upper;
        e->limit = from->limit;
        e->limit_stiffness = from->limit_stiffness;
        e->limit_damping = from->limit_damping;
        e->load = from->load;
        e->friction = from->friction;
        e->has_friction = from->friction.law && !from->friction.law->nothing;
        e->reacts = e->has_friction && def->loaded;
        e->bearing = def->bearing;
        e->apart = def->kind == FF_JOINT_PRISMATIC && def->bearing != 0 ? def->bearing
                                                                        : def->bearing_length;
        e->works = e->stiffness > 0 || e->damping > 0 || e->has_friction || !isinf(e->lower) ||
                   !isinf(e->upper);
        j->works = j->works || e->works;
    }
}

static int vectors_of(const ff_effort *e) { return e->has_friction ? e->friction.vectors : 0; }

/* Checks friction, and efforts that cannot act along a coordinate. */
static ff_status check_effort(ff_joint *j, int c, ff_error *error) {
    ff_effort *e = &j->along[c];
    if (j->kind == FF_JOINT_SPHERICAL && c == 0) {
        const char *wrong = e->rest != 0 ? "the rest position of a spherical joint's spring is "
                                           "given by orientation: rest must be 0"
                            : !isinf(e->lower) || !(e->upper > 0)
                                ? "the swing of a spherical joint has only an upper limit, above 0"
                            : vectors_of(e) > 0
                                ? "the friction law of a spherical joint must have no inner state"
                                : NULL;
        if (wrong) {
            return ff_model_fail(error, FF_BAD_VALUE, "joint '%s': %s", j->name, wrong);
        }
    } else if (e->works && j->kind == FF_JOINT_SPHERICAL) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "joint '%s': springs, dampers, limits and friction act on the turning "
                             "of a spherical joint in all directions: along[0] has them",
                             j->name);
    } else if (e->works && c >= j->coordinates) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "joint '%s': a %s joint has %d coordinates that springs, dampers, "
                             "limits and friction can act along",
                             j->name, ff_joint_kind_name(j->kind), j->coordinates);
    }
    if (e->limit.law && (e->limit.states > 0 || e->limit.law->gap)) {
        return ff_model_fail(
            error, FF_BAD_VALUE,
            "joint '%s': the law of its limits must have no inner state, and '%s' has one", j->name,
            e->limit.law->name);
    }
    const bool turns = !ff_joint_coordinate_slides(j->kind, c);
    const char *wrong =
        !e->reacts ? NULL
        : vectors_of(e) > 0 && e->friction.law->level == FF_LEVEL_LOAD
            ? "friction under its own reaction has no springs that get stiffer with the load"
        : (turns && !(e->bearing > 0)) || isinf(e->bearing)
            ? "friction under its own reaction needs the radius of the bearing, above 0"
        : !(e->apart >= 0) || isinf(e->apart)
            ? "the distance of two bearings is at least 0, and finite"
            : NULL;
    if (wrong) {
        return ff_model_fail(error, FF_BAD_VALUE, "joint '%s': %s", j->name, wrong);
    }
    if (!e->has_friction) {
        return FF_OK;
    }
    if (e->friction.vectors > 1 || e->friction.scalars > 0) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "joint '%s': its friction must have at most one inner state", j->name);
    }
    if (e->friction.turns) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "joint '%s': its friction '%s' answers with a moment, as of a contact",
                             j->name, e->friction.law->name);
    }
    e->rub = ff_friction_flat_of(&e->friction, 1);
    return FF_OK;
}

/* Prescribed motion of a spherical joint: converts the components of the rotation vector and their first two derivatives to
 * rotation vector, angular velocity and its rate. */
void ff_joint_turn_law(double law[3][3]) {
    double x[3], d[3], dd[3], w[3], rate[3];
    for (int c = 0; c < 3; c++) {
        x[c] = law[c][0];
        d[c] = law[c][1];
        dd[c] = law[c][2];
    }
    ff_rotation_vector_rates(x, d, dd, w, rate);
    for (int c = 0; c < 3; c++) {
        law[c][1] = w[c];
        law[c][2] = rate[c];
    }
}

/* Coordinates with a prescribed motion start accordingly. A start that is also given must be equal up to the rounding of
 * another way of writing the expression. */
static ff_status start_by_law(const ff_model *model, size_t index, const ff_joint_def *def,
                              ff_joint *j, ff_error *error) {
    double laws[FF_JOINT_COORDINATES][3];
    for (int c = 0; c < j->coordinates; c++) {
        j->law[c] = ff_laws_of_joint(&model->topology->controls, index, c);
        if (j->law[c]) {
            j->drives++;
            ff_joint_motion_at(j->law[c], 0, laws[c]);
        }
    }
    if (j->kind == FF_JOINT_SPHERICAL && j->drives > 0) {
        if (j->drives < j->coordinates) {
            return ff_model_fail(
                error, FF_BAD_VALUE,
                "joint '%s': the motion of a spherical joint is a rotation vector: "
                "all three of its components are given",
                j->name);
        }
        ff_joint_turn_law(laws);
    }
    for (int c = 0; c < j->coordinates; c++) {
        const double *at = laws[c];
        if (!j->law[c]) {
            continue;
        }
        if (!isfinite(at[0]) || !isfinite(at[1]) || !isfinite(at[2])) {
            return ff_model_fail(error, FF_BAD_VALUE,
                                 "joint '%s': its motion or a rate of it is not finite at t = 0",
                                 j->name);
        }
        const double given[2] = {def->start[c], def->rate[c]};
        for (int k = 0; k < 2; k++) {
            if (fabs(given[k] - at[k]) > 1e-9 * fmax(1, fabs(at[k]))) {
                return ff_model_fail(error, FF_BAD_VALUE,
                                     "joint '%s': its %s starts at %.9g, but its motion begins at "
                                     "%.9g: leave out the start",
                                     j->name, k ? "rate" : "coordinate", given[k], at[k]);
            }
        }
        j->start[c] = at[0];
        j->rate[c] = at[1];
        j->placed = true;
    }
    return FF_OK;
}

static ff_status derive_joint(ff_model *model, size_t index, ff_error *error) {
    const ff_joint_def *def = &model->defs.joints.at[index];
    ff_joint *j = &model->joints[index];
    int vectors[FF_JOINT_COORDINATES];
    for (int c = 0; c < FF_JOINT_COORDINATES; c++) {
        vectors[c] = vectors_of(&j->along[c]);
    }
    *j = (ff_joint){.name = def->name,
                    .kind = def->kind,
                    .first = def->first,
                    .second = def->second,
                    .pitch = def->pitch,
                    .ratio = def->ratio,
                    .coordinates = coordinates_of(def->kind)};
    derive_efforts(j, def);
    for (int c = 0; c < FF_JOINT_COORDINATES; c++) {
        j->along[c].bristle = -1;
        if (model->derived && vectors_of(&j->along[c]) != vectors[c]) {
            return ff_model_fail(error, FF_BAD_VALUE,
                                 "the friction of joint '%s' would have different inner states: "
                                 "make a new model from a scene",
                                 def->name);
        }
        ff_status status = check_effort(j, c, error);
        if (status != FF_OK) {
            return status;
        }
    }
    /* relative to the centres of mass */
    static const double nowhere[3];
    ff_add_scaled(def->anchor, -1, j->first >= 0 ? model->bodies[j->first].centre : nowhere,
                  j->anchor);
    ff_add_scaled(def->second_anchor, -1, model->bodies[j->second].centre, j->second_anchor);
    ff_normalise(def->axis, j->axis);
    ff_normalise(def->second_axis, j->second_axis);
    double norm = sqrt(def->turn[0] * def->turn[0] + ff_dot(def->turn + 1, def->turn + 1)),
           turn[3][3], across[3];
    for (int i = 0; i < 4; i++) {
        j->turn[i] = def->turn[i] / norm;
    }
    ff_rotation(j->turn, turn);
    ff_rotate(turn, j->second_axis, across);
    if (j->kind == FF_JOINT_UNIVERSAL && fabs(ff_dot(across, j->axis)) > 1e-9) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "joint '%s': the axes of a universal joint must be perpendicular "
                             "where its coordinates are 0",
                             def->name);
    }
    if (j->kind != FF_JOINT_UNIVERSAL) {
        ff_rotate_back(turn, j->axis, j->second_axis);
    }
    ways_across(j->axis, j->ways);
    for (int i = 0; i < j->coordinates; i++) {
        j->placed = j->placed || !isnan(def->start[i]) || !isnan(def->rate[i]);
    }
    for (int i = 0; i < FF_JOINT_COORDINATES; i++) {
        j->start[i] = isnan(def->start[i]) ? 0 : def->start[i];
        j->rate[i] = isnan(def->rate[i]) ? 0 : def->rate[i];
    }
    if (j->kind == FF_JOINT_SCREW && j->pitch == 0) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "joint '%s': the pitch of a screw must not be 0 (that is a revolute "
                             "joint)",
                             def->name);
    }
    for (int i = 0; i < 2; i++) {
        int body = i ? j->second : j->first;
        if (body >= 0 && model->bodies[body].locked) {
            return ff_model_fail(error, FF_BAD_VALUE,
                                 "body '%s' is locked and held by joint '%s': use a joint with the "
                                 "world (planar, prismatic, revolute) instead of the lock",
                                 model->bodies[body].name, def->name);
        }
    }
    if (j->kind == FF_JOINT_FREE && j->first >= 0) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "joint '%s': two bodies that move freely need no joint; free is only "
                             "between the world and a body",
                             def->name);
    }
    for (int i = 0; i < 2 && j->kind == FF_JOINT_GEAR; i++) {
        const ff_joint_def *of = &model->defs.joints.at[def->joints[i]];
        j->geared[i] = def->joints[i];
        j->geared_coordinates[i] = def->coordinates[i];
        j->bodies[i][0] = of->first;
        j->bodies[i][1] = of->second;
    }
    if (j->kind == FF_JOINT_GEAR && j->ratio == 0) {
        return ff_model_fail(error, FF_BAD_VALUE, "joint '%s': the ratio of a gear must not be 0",
                             def->name);
    }
    ff_status status = start_by_law(model, index, def, j, error);
    make_rows(j);
    return status;
}

void ff_joints_derive_efforts(ff_model *model) {
    for (size_t i = 0; i < model->joint_count; i++) {
        derive_efforts(&model->joints[i], &model->defs.joints.at[i]);
    }
}

/* ---- the tree ---- */

/* Connects a body to its parent by a joint, in the direction of the tree. */
static void make_link(ff_model *model, int body, int joint, int parent) {
    ff_link *l = &model->tree->links[body];
    const ff_joint *j = joint < 0 ? NULL : &model->joints[joint];
    static const int speeds_of[] = {1, 1, 3, 2, 0, 3, 6, 2, 1, 0};
    static const int states_of[] = {1, 1, 4, 2, 0, 3, 7, 2, 1, 0};
    bool loose = !j || j->kind == FF_JOINT_FREE;
    *l = (ff_link){.parent = parent,
                   .joint = joint,
                   .kind = loose ? FF_JOINT_FREE : j->kind,
                   .turn = {1, 0, 0, 0},
                   .axis = {0, 0, 1}};
    l->speeds = speeds_of[l->kind];
    l->coordinates = states_of[l->kind];
    if (!loose) {
        l->reversed = body != j->second;
        double sign = l->reversed ? -1 : 1;
        memcpy(l->anchor, l->reversed ? j->second_anchor : j->anchor, sizeof l->anchor);
        const double *own = l->reversed ? j->anchor : j->second_anchor;
        const double *axis = l->reversed ? j->axis : j->second_axis;
        const double *other = l->reversed ? j->second_axis : j->axis;
        for (int i = 0; i < 3; i++) {
            l->com[i] = -own[i];
            l->axis[i] = sign * axis[i];
            l->parent_axis[i] = sign * other[i];
        }
        memcpy(l->ways, j->ways, sizeof l->ways);
        l->pitch = j->pitch;
        for (int c = 0; c < j->coordinates; c++) {
            l->driven |= j->law[c] ? 1u << c : 0;
        }
        for (int i = 0; i < 4; i++) {
            l->turn[i] = (i > 0 && l->reversed ? -1 : 1) * j->turn[i];
        }
    }
    for (int i = 0; i < 3; i++) {
        l->offset[i] = l->anchor[i] + (parent >= 0 ? model->tree->links[parent].com[i] : 0);
    }
    double axis[4] = {0, l->axis[0], l->axis[1], l->axis[2]};
    ff_quaternion_times(l->turn, axis, l->swing);
    /* Steiner: I + m (d^2 1 - d d^T) */
    const ff_model_body *b = &model->bodies[body];
    double square = ff_dot(l->com, l->com);
    for (int i = 0, at = 0; i < 3; i++) {
        for (int k = i; k < 3; k++) {
            l->weight[at++] =
                b->inertia[i][k] + b->mass * ((i == k) * square - l->com[i] * l->com[k]);
        }
    }
    l->weight[6] = b->mass;
}

/* Adds bodies that are connected to those already in the tree, by joints in scene order. */
static ff_status grow(ff_model *model, bool *reached, size_t *found, ff_error *error) {
    bool more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < model->joint_count; i++) {
            const ff_joint *j = &model->joints[i];
            bool first = j->first < 0 || reached[j->first], second = reached[j->second];
            if (first == second || j->kind == FF_JOINT_GEAR) {
                continue;
            }
            int body = first ? j->second : j->first;
            if (!first && j->kind == FF_JOINT_PLANAR) {
                return ff_model_fail(error, FF_BAD_VALUE,
                                     "joint '%s': exchange its bodies, so that the one connected "
                                     "to the world comes first",
                                     j->name);
            }
            make_link(model, body, (int)i, first ? j->first : j->second);
            model->tree->order[(*found)++] = body;
            reached[body] = more = true;
        }
    }
    return FF_OK;
}

static ff_status make_tree(ff_model *model, ff_error *error) {
    size_t found = 0;
    bool *reached = ff_calloc(model->body_count, sizeof *reached);
    if (!reached) {
        return FF_NO_MEMORY;
    }
    ff_status status = grow(model, reached, &found, error);
    for (size_t i = 0; i < model->body_count && status == FF_OK; i++) {
        if (!reached[i]) {
            /* the first body of a component that is not connected to the world */
            make_link(model, (int)i, -1, -1);
            model->tree->order[found++] = (int)i;
            reached[i] = true;
            status = grow(model, reached, &found, error);
        }
    }
    ff_free(reached);
    for (size_t k = 0; k < found && status == FF_OK; k++) {
        ff_link *l = &model->tree->links[model->tree->order[k]];
        l->speed_at = model->tree->speeds;
        model->tree->speeds += (size_t)l->speeds;
        model->tree->locks = model->tree->locks || model->bodies[model->tree->order[k]].locked;
    }
    return status;
}

static ff_status find_loops(ff_model *model, ff_error *error) {
    ff_joint_tree *tree = model->tree;
    for (size_t i = 0; i < model->joint_count; i++) {
        ff_joint *j = &model->joints[i];
        int holds = tree->links[j->second].joint == (int)i ? j->second : j->first;
        j->loop = holds < 0 || tree->links[holds].joint != (int)i;
        j->row_at = model->joint_rows;
        model->joint_rows += (size_t)j->rows;
        tree->driven = tree->driven || j->drives > 0;
        for (int c = 0; c < j->coordinates; c++) {
            tree->reacts = tree->reacts || j->along[c].reacts;
        }
        tree->balls = tree->balls || (j->kind == FF_JOINT_SPHERICAL && j->works);
        for (size_t k = 0; k < model->defs.forces.count; k++) {
            tree->balls = tree->balls || (j->kind == FF_JOINT_SPHERICAL &&
                                          model->defs.forces.at[k].joint == (int)i);
        }
        if (j->loop && j->placed && j->drives == 0) {
            return ff_model_fail(error, FF_BAD_VALUE,
                                 "joint '%s' closes a loop: its start follows from the other "
                                 "joints and must not be given",
                                 j->name);
        }
        if (j->loop && j->rows > 0) {
            tree->loops[tree->loop_count++] = (int)i;
            tree->loop_rows += (size_t)j->rows;
        }
    }
    return FF_OK;
}

ff_status ff_joints_derive(ff_model *model, ff_error *error) {
    ff_joint_tree *tree = model->tree;
    ff_status status = FF_OK;
    tree->articulated = model->run.formulation == FF_ARTICULATED;
    tree->loop_count = tree->loop_rows = tree->speeds = model->joint_rows = 0;
    tree->driven = tree->balls = tree->reacts = tree->locks = false;
    for (size_t i = 0; i < model->joint_count && status == FF_OK; i++) {
        status = derive_joint(model, i, error);
    }
    status = status == FF_OK ? make_tree(model, error) : status;
    return status == FF_OK ? find_loops(model, error) : status;
}

/* ---- queries ---- */

size_t ff_model_joint_count(const ff_model *model) { return model->joint_count; }

const char *ff_model_joint_name(const ff_model *model, size_t joint) {
    return joint < model->joint_count ? model->joints[joint].name : NULL;
}

ff_joint_facts ff_model_joint_facts(const ff_model *model, size_t joint) {
    if (joint >= model->joint_count) {
        return (ff_joint_facts){.kind = FF_JOINT_FREE, .first = -1, .second = -1};
    }
    const ff_joint *j = &model->joints[joint];
    ff_joint_facts out = {.kind = j->kind,
                          .first = j->first,
                          .second = j->second,
                          .coordinates = j->coordinates,
                          .loop = j->loop && j->rows > 0};
    memcpy(out.anchor, j->anchor, sizeof out.anchor);
    memcpy(out.second_anchor, j->second_anchor, sizeof out.second_anchor);
    return out;
}

ff_assembly ff_model_assembly(const ff_model *model) {
    return model->tree ? model->tree->assembly : (ff_assembly){.freedoms = 6 * model->body_count};
}
