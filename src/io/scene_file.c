/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene_file.h"
#include "num/memory.h"
#include "run_section.h"
#include "scene_control.h"
#include "scene_reader.h"
#include "setting.h"
#include "source.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

void ff_reader_name(ff_scene_reader *r, ff_named named) {
    if (!FF_GROW(r->names)) {
        r->status = FF_NO_MEMORY;
        return;
    }
    r->names.at[r->names.count++] = named;
}

static int by_name(const void *a, const void *b) {
    const ff_named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    /* a body before a plane of the same name */
    return order ? order : (x->body < y->body) - (x->body > y->body);
}

static void sort_names(ff_scene_reader *r) {
    if (r->names.count < 2) {
        return;
    }
    qsort(r->names.at, r->names.count, sizeof *r->names.at, by_name);
    for (size_t i = 1; i < r->names.count; i++) {
        const ff_named *named = &r->names.at[i];
        if (strcmp(named->name, named[-1].name) == 0) {
            ff_messages_add(r->messages, named->node->key_place,
                            "ground '%s' has the name of a body", named->name);
        }
    }
}

static const ff_named *find_name(const ff_scene_reader *r, const char *name) {
    size_t low = 0, high = r->names.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, r->names.at[middle].name);
        if (order == 0) {
            return &r->names.at[middle];
        }
        *(order < 0 ? &high : &low) = order < 0 ? middle : middle + 1;
    }
    return NULL;
}

bool ff_reader_find(const ff_scene_reader *r, const char *name, ff_named *out) {
    const ff_named *named = find_name(r, name);
    if (named) {
        *out = *named;
        return true;
    }
    /* a grain, by its index */
    char group[64] = "";
    const char *bracket = strchr(name, '[');
    size_t length = bracket ? (size_t)(bracket - name) : 0;
    memcpy(group, name, length < sizeof group ? length : 0);
    named = find_name(r, group);
    size_t grain = bracket ? strtoul(bracket + 1, NULL, 10) : 0;
    if (!named || grain >= named->grains ||
        strcmp(name, r->scene->bodies.at[(size_t)named->body + grain].name) != 0) {
        return false;
    }
    size_t shape = named->shape + grain;
    *out = (ff_named){name, named->node, named->body + (int)grain, shape, shape + 1, 0};
    return true;
}

void ff_reader_unknown(ff_scene_reader *r, const ff_map *map, const ff_node *node, bool planes) {
    const char **words = ff_calloc(r->names.count + 1, sizeof *words);
    size_t count = 0;
    if (!words) {
        r->status = FF_NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < r->names.count; i++) {
        if (planes || r->names.at[i].body >= 0) {
            words[count++] = r->names.at[i].name;
        }
    }
    char hint[FF_HINT];
    ff_messages_add(map->messages, node->place, "unknown body%s '%.60s' in %s%s",
                    planes ? " or plane" : "", node->text, map->where,
                    ff_word_hint(map, node->text, words, count, hint));
    ff_free(words);
}

void ff_key_body(const ff_map *map, const ff_key *field, const ff_node *node) {
    ff_scene_reader *r = map->context;
    if (node->kind != FF_NODE_TEXT) {
        ff_node_refuse(map, field->key, node, "the name of a body");
        return;
    }
    ff_named named;
    if (!ff_reader_find(r, node->text, &named) || named.body < 0) {
        ff_reader_unknown(r, map, node, false);
        return;
    }
    if (named.grains) {
        ff_messages_add(map->messages, node->place,
                        "%s of %s must be one body, and '%s' is a group: name a grain, as '%s[0]'",
                        field->key, map->where, named.name, named.name);
        return;
    }
    *(int *)((char *)map->out + field->offset) = named.body;
}

int ff_reader_added(ff_scene_reader *r, const char *where, const ff_node *node, int index) {
    if (index == FF_NO_MEMORY) {
        r->status = FF_NO_MEMORY;
    } else if (index < 0) {
        ff_messages_add(r->messages, node->key_place, "%s: %s", where,
                        ff_status_text((ff_status)index));
    }
    return index;
}

/* ---- the scene ---- */

typedef struct top {
    double gravity[3];
    ff_start start;
    const ff_node *parameters, *bodies, *ground, *joints, *pairs, *controllers, *forces, *events,
        *gait, *run;
} top;

static void read_start(const ff_map *map, const ff_key *field, const ff_node *node) {
    static const char *const words[] = {"written", "rest"};
    const int word = ff_node_word(map, field->key, node, words, FF_COUNT(words));
    if (word >= 0) {
        ((top *)map->out)->start = (ff_start)word;
    }
}

static const ff_key top_fields[] = {
    {.key = "parameters", .read = ff_key_node, .offset = offsetof(top, parameters)},
    {"gravity", ff_key_vector, offsetof(top, gravity), NULL, FF_DIM_ACCELERATION, 0, 0},
    {.key = "bodies",
     .read = ff_key_node,
     .offset = offsetof(top, bodies),
     .need = "name: {mass: .., shape: ..}"},
    {.key = "ground", .read = ff_key_node, .offset = offsetof(top, ground)},
    {.key = "joints", .read = ff_key_node, .offset = offsetof(top, joints)},
    {.key = "pairs", .read = ff_key_node, .offset = offsetof(top, pairs)},
    {.key = "controllers", .read = ff_key_node, .offset = offsetof(top, controllers)},
    {.key = "forces", .read = ff_key_node, .offset = offsetof(top, forces)},
    {.key = "events", .read = ff_key_node, .offset = offsetof(top, events)},
    {.key = "start", .read = read_start},
    {.key = "gait", .read = ff_key_node, .offset = offsetof(top, gait)},
    {.key = "run", .read = ff_key_node, .offset = offsetof(top, run)},
};

static void read_sections(ff_scene_reader *r, const ff_node *root) {
    top t = {0};
    const size_t before = ff_messages_total(r->messages);
    ff_run_options run = ff_run_options_default();
    memcpy(t.gravity, r->scene->gravity, sizeof t.gravity);
    /* parameters are read first, wherever they are, because all other numbers may use them */
    const ff_node *parameters = ff_node_find(root, "parameters");
    if (parameters) {
        ff_parameters_read(&r->parameters, parameters, r->messages);
    }
    ff_keys_read(&(ff_map){r->messages, &r->parameters, "the scene", &t, r}, root, top_fields,
                 FF_COUNT(top_fields));
    ff_scene_set_gravity(r->scene, t.gravity);
    ff_scene_set_start(r->scene, t.start);
    if (t.bodies) {
        ff_read_bodies(r, t.bodies);
    }
    if (t.ground) {
        ff_read_ground(r, t.ground);
    }
    sort_names(r);
    if (t.joints) {
        ff_read_joints(r, t.joints);
    }
    if (t.pairs) {
        ff_read_pairs(r, t.pairs);
    }
    const bool controlled = ff_control_wanted(root) && r->status >= 0;
    if (controlled) {
        r->control = ff_control_read(r, root);
    }
    if (t.forces) {
        ff_read_forces(r, t.forces);
    }
    if (r->control) {
        ff_control_finish(r->control, before);
    }
    if (t.gait) {
        ff_read_gait(r, t.gait);
    }
    ff_read_run(&r->parameters, t.run, true, &run, r->messages);
    ff_scene_set_run(r->scene, &run);
}

static ff_status read_scene(const ff_node *root, double memory, ff_messages *messages,
                            ff_scene *scene) {
    ff_scene_reader r = {.messages = messages, .scene = scene, .memory = memory};
    read_sections(&r, root);
    ff_status status = ff_parameters_give(&r.parameters, scene);
    ff_control_reader_free(r.control);
    ff_parameters_clear(&r.parameters);
    ff_free(r.names.at);
    ff_free(r.joints.at);
    return r.status < 0 ? r.status : status;
}

/* ---- kept source of a scene ---- */

/* The tree of a scene that was read without errors, with all settings applied. */
typedef struct kept {
    ff_origin origin;
    ff_origin *parent; /* owner of the shared texts, or NULL */
    ff_tree *tree;
    ff_node *root;
    char *name; /* file name in messages */
    double memory;
} kept;

/* Larger trees are dropped after reading: 64 MB, about 20,000 bodies, as much as their model takes. */
static const size_t tree_most = 64000000;

static ff_status with(const ff_origin *origin, const char *const *settings, size_t count,
                      ff_scene **out, ff_messages *messages);

static void kept_free(ff_origin *origin) {
    kept *k = (kept *)origin;
    ff_tree_free(k->tree);
    ff_origin_drop(k->parent);
    ff_free(k->name);
    ff_free(k);
}

/* A tree whose nodes have their own copy of the file name; NULL if out of memory. */
static kept *kept_create(const char *name, double memory, const kept *parent) {
    kept *k = ff_calloc(1, sizeof *k);
    size_t size = strlen(name) + 1;
    if (!k || !(k->name = ff_malloc(size)) || !(k->tree = ff_tree_create())) {
        ff_free(k ? k->name : NULL);
        ff_free(k);
        return NULL;
    }
    memcpy(k->name, name, size);
    k->memory = memory;
    k->origin.with = with;
    k->origin.free = kept_free;
    k->parent = parent ? ff_origin_keep((ff_origin *)&parent->origin) : NULL;
    atomic_init(&k->origin.owners, 1);
    return k;
}

/* Makes a scene from a tree, which the scene keeps; `status`: result of making the tree. Messages since `first` are sorted. */
static ff_status finish(kept *k, ff_status status, size_t first, size_t before, ff_messages *found,
                        ff_scene **out) {
    ff_scene *scene = status < 0 ? NULL : ff_scene_create();
    if (status >= 0 && scene) {
        scene->reading = true;
        status = read_scene(k->root, k->memory, found, scene);
        scene->reading = false;
    } else if (status >= 0) {
        status = FF_NO_MEMORY;
    }
    if (status >= 0 && ff_messages_total(found) > before) {
        status = FF_BAD_VALUE;
    }
    if (status >= 0 && ff_tree_size(k->tree) <= tree_most) {
        scene->origin = ff_origin_keep(&k->origin);
    }
    if (status >= 0) {
        *out = scene;
    } else {
        ff_scene_free(scene);
    }
    ff_messages_sort(found, first);
    ff_origin_drop(k ? &k->origin : NULL);
    return status;
}

ff_status ff_scene_parse(const char *name, const char *text, size_t length,
                         const char *const *settings, size_t setting_count, double memory,
                         ff_scene **out, ff_messages *messages) {
    ff_messages own = {0};
    ff_messages *found = messages ? messages : &own;
    size_t first = found->count, before = ff_messages_total(found);
    kept *k = kept_create(name, memory, NULL);
    *out = NULL;
    ff_status status =
        k ? ff_source_tree(k->tree, k->name, text, length, settings, setting_count, found, &k->root)
          : FF_NO_MEMORY;
    status = finish(k, status, first, before, found, out);
    ff_messages_clear(&own);
    return status;
}

static ff_status with(const ff_origin *origin, const char *const *settings, size_t count,
                      ff_scene **out, ff_messages *messages) {
    const kept *from = (const kept *)origin;
    ff_messages own = {0};
    ff_messages *found = messages ? messages : &own;
    size_t first = found->count, before = ff_messages_total(found);
    kept *k = kept_create(from->name, from->memory, from);
    *out = NULL;
    ff_status status = k && (k->root = ff_tree_copy(k->tree, from->root)) ? FF_OK : FF_NO_MEMORY;
    for (size_t i = 0; i < count && status >= 0; i++) {
        status = ff_setting_apply(k->tree, k->root, settings[i], found);
    }
    status = finish(k, status, first, before, found, out);
    ff_messages_clear(&own);
    return status;
}

ff_status ff_scene_print(const ff_scene *scene, const char *const *settings, size_t setting_count,
                         char **out) {
    const kept *k = (const kept *)scene->origin;
    ff_messages messages = {0};
    *out = NULL;
    if (!k) {
        return FF_MISSING;
    }
    ff_tree *tree = ff_tree_create();
    ff_node *root = tree ? ff_tree_copy(tree, k->root) : NULL;
    ff_status status = root ? FF_OK : FF_NO_MEMORY;
    for (size_t i = 0; i < setting_count && status >= 0; i++) {
        status = ff_setting_apply(tree, root, settings[i], &messages);
    }
    if (status >= 0) {
        status = messages.count ? FF_BAD_VALUE : ff_tree_print(root, out);
    }
    ff_messages_clear(&messages);
    ff_tree_free(tree);
    return status;
}

ff_status ff_scene_read(const char *path, const char *const *settings, size_t setting_count,
                        ff_scene **out, ff_messages *messages) {
    size_t length;
    ff_status status;
    *out = NULL;
    char *text = ff_source_read(path, FF_SOURCE_MOST, &length, messages, &status);
    if (status >= 0) {
        status =
            ff_scene_parse(path, text, length, settings, setting_count, INFINITY, out, messages);
    }
    ff_free(text);
    return status;
}
