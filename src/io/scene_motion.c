/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene_control.h"
#include <string.h>

/* Planes and joints with prescribed motion. */

/* The prescribed motion of a plane; NULL: none. */
static const ff_node *motion_of(const ff_node *entry) {
    const ff_node *plane = entry->kind == FF_NODE_MAP ? ff_node_find(entry, "plane") : NULL;
    return plane && plane->kind == FF_NODE_MAP ? ff_node_find(plane, "motion") : NULL;
}

static void read_plane(ff_control_reader *c, ff_scene_reader *r, const ff_node *entry,
                       const ff_node *node) {
    char where[FF_WHERE];
    ff_where(where, "plane of ground '%.63s'", entry->key);
    const ff_map map = {r->messages, &r->parameters, where, NULL, r};
    ff_draft_motion motion = {.plane = 0};
    size_t i = 0;
    while (motion.plane < r->scene->planes.count &&
           strcmp(r->scene->planes.at[motion.plane].name, entry->key) != 0) {
        motion.plane++;
    }
    if (node->kind != FF_NODE_LIST || node->count != 3) {
        ff_node_refuse(&map, "motion", node, "a list of three expressions of t");
        return;
    }
    for (const ff_node *item = node->first; item; item = item->next) {
        if (!(motion.is[i++] = ff_control_law(c, &map, item, &(ff_dimension)FF_DIM_LENGTH))) {
            return;
        }
    }
    ff_control_move_plane(c, &motion);
}

/* The prescribed motion of coordinate c of a joint; NULL: none. `joint` is the map of its kind. */
static const ff_node *drive_of(const ff_node *joint, ff_joint_kind kind, int c) {
    const char *word = ff_joint_coordinate_name(kind, c);
    if (word && ff_joint_coordinate_name(kind, 1)) {
        const ff_node *along = ff_node_find(joint, "along");
        joint = along && along->kind == FF_NODE_MAP ? ff_node_find(along, word) : NULL;
    }
    return word && joint && joint->kind == FF_NODE_MAP ? ff_node_find(joint, "motion") : NULL;
}

/* The rotation vector of a spherical joint. */
static void read_turn(ff_control_reader *c, ff_scene_reader *r, const ff_joined *joint,
                      const ff_node *node) {
    char where[FF_WHERE];
    int k = 0;
    ff_where(where, "spherical of joint '%.63s'", joint->name);
    const ff_map map = {r->messages, &r->parameters, where, NULL, r};
    if (node->kind != FF_NODE_LIST || node->count != 3) {
        ff_node_refuse(&map, "motion", node, "a list of three expressions of t");
        return;
    }
    for (const ff_node *item = node->first; item; item = item->next, k++) {
        ff_expr e = ff_control_law(c, &map, item, &(ff_dimension)FF_DIM_NONE);
        if (e) {
            ff_control_move_joint(c, &(ff_draft_drive){(size_t)joint->index, k, e});
        }
    }
}

static void read_joints(ff_control_reader *c, ff_scene_reader *r, const ff_node *entry) {
    for (size_t i = 0; entry && i < r->joints.count; i++, entry = entry->next) {
        const ff_joined *joint = &r->joints.at[i];
        char where[FF_WHERE];
        const bool ball = joint->kind == FF_JOINT_SPHERICAL;
        /* an invalid joint has its own message */
        const ff_node *turn =
            ball && joint->index >= 0 ? ff_node_find(entry->first, "motion") : NULL;
        if (turn) {
            read_turn(c, r, joint, turn);
        }
        for (int k = ball ? FF_JOINT_COORDINATES : 0; joint->index >= 0 && k < FF_JOINT_COORDINATES;
             k++) {
            const ff_node *node = drive_of(entry->first, joint->kind, k);
            if (!node) {
                continue;
            }
            ff_where(where, "%s of joint '%.63s'", ff_joint_coordinate_name(joint->kind, k),
                     joint->name);
            const ff_map map = {r->messages, &r->parameters, where, NULL, r};
            const bool slides = ff_joint_coordinate_slides(joint->kind, k);
            ff_expr e = ff_control_law(
                c, &map, node, slides ? &(ff_dimension)FF_DIM_LENGTH : &(ff_dimension)FF_DIM_NONE);
            if (e) {
                ff_control_move_joint(c, &(ff_draft_drive){(size_t)joint->index, k, e});
            }
        }
    }
}

static const ff_node *first_of(const ff_node *root, const char *section) {
    const ff_node *node = ff_node_find(root, section);
    return node && node->kind == FF_NODE_MAP ? node->first : NULL;
}

void ff_read_motions(ff_control_reader *c, ff_scene_reader *r, const ff_node *root) {
    for (const ff_node *entry = first_of(root, "ground"); entry && r->status >= 0;
         entry = entry->next) {
        if (motion_of(entry)) {
            read_plane(c, r, entry, motion_of(entry));
        }
    }
    read_joints(c, r, first_of(root, "joints"));
}

bool ff_control_wanted(const ff_node *root) {
    bool wanted = ff_node_find(root, "controllers") || ff_node_find(root, "events");
    for (const ff_node *entry = first_of(root, "forces"); entry && !wanted; entry = entry->next) {
        wanted = entry->kind == FF_NODE_MAP &&
                 (ff_node_find(entry, "joint") || ff_node_find(entry, "body"));
    }
    for (const ff_node *entry = first_of(root, "ground"); entry && !wanted; entry = entry->next) {
        wanted = motion_of(entry);
    }
    for (const ff_node *entry = first_of(root, "joints"); entry && !wanted; entry = entry->next) {
        const ff_node *joint = entry->kind == FF_NODE_MAP ? entry->first : NULL;
        wanted = joint && joint->kind == FF_NODE_MAP &&
                 (ff_node_find(joint, "motion") || ff_node_find(joint, "along"));
    }
    return wanted;
}
