/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "kinds.h"
#include "expr/word.h"
#include "num/hash.h"
#include "num/memory.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ff_status ff_model_fail(ff_error *error, ff_status status, const char *format, ...) {
    va_list list;
    va_start(list, format);
    if (error) {
        vsnprintf(error->text, sizeof error->text, format, list);
    }
    va_end(list);
    return status;
}

/* ---- names ---- */

/* the names of a thing: of a body's shape "ball.left", of a grain "grains[3]" */
typedef struct {
    char full[160]; /* including the shape's name */
    const char *own;
    size_t group; /* length of the part before [; 0: not in a group */
} names;

static void name_thing(names *out, const char *own, const char *shape) {
    const char *bracket = strchr(own, '[');
    snprintf(out->full, sizeof out->full, "%s%s%s", own, shape ? "." : "", shape ? shape : "");
    out->own = own;
    out->group = bracket ? (size_t)(bracket - own) : 0;
}

/* how well a name in a pair matches a thing: 3 exactly, 2 as the name of its group, 1 by wildcard, 0 not */
static unsigned char rank(const char *name, const names *thing) {
    if (strcmp(name, thing->own) == 0 || strcmp(name, thing->full) == 0) {
        return 3;
    }
    if (thing->group && strncmp(name, thing->own, thing->group) == 0 && !name[thing->group]) {
        return 2;
    }
    return strchr(name, '*') && (ff_word_fits(name, thing->own) || ff_word_fits(name, thing->full));
}

static int compare(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* checks for two things of the same name; planes count as bodies */
static ff_status check_doubles(const ff_scene *scene, ff_error *error) {
    size_t count = scene->bodies.count + scene->planes.count, n = 0;
    const char **all = ff_malloc((count + 1) * sizeof *all);
    if (!all) {
        return FF_NO_MEMORY;
    }
    for (size_t i = 0; i < scene->bodies.count; i++) {
        all[n++] = scene->bodies.at[i].name;
    }
    for (size_t i = 0; i < scene->planes.count; i++) {
        all[n++] = scene->planes.at[i].name;
    }
    qsort(all, count, sizeof *all, compare);
    ff_status status = FF_OK;
    for (size_t i = 1; i < count && status == FF_OK; i++) {
        if (strcmp(all[i], all[i - 1]) == 0) {
            status =
                ff_model_fail(error, FF_BAD_VALUE, "two bodies or planes are called '%s'", all[i]);
        }
    }
    ff_free(all);
    return status;
}

/* ---- kinds ---- */

/* Kinds under construction: for each, how well the names a and b of every pair match. */
typedef struct {
    const ff_scene *scene;
    size_t count, room, width;
    unsigned char *ranks;
    uint64_t *hashes; /* hashes of the ranks of each kind: most different ones differ in these */
} table;

/* The kind of a thing, found or new; negative if out of memory. */
static int kind_of(table *t, const names *thing) {
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 8;
        unsigned char *grown = ff_realloc(t->ranks, t->room * (t->width + 1));
        t->ranks = grown ? grown : t->ranks;
        uint64_t *hashes = ff_realloc(t->hashes, t->room * sizeof *hashes);
        t->hashes = hashes ? hashes : t->hashes;
        if (!grown || !hashes) {
            return FF_NO_MEMORY;
        }
    }
    unsigned char *next = t->ranks + t->count * t->width;
    for (size_t i = 0; i < t->scene->pairs.count; i++) {
        next[2 * i] = rank(t->scene->pairs.at[i].a, thing);
        next[2 * i + 1] = rank(t->scene->pairs.at[i].b, thing);
    }
    const uint64_t hash = t->hashes[t->count] = ff_hash(FF_HASH_START, next, t->width);
    /* neighbours in a scene are often of the same kind: try the last one first */
    for (size_t i = t->count; i-- > 0;) {
        if (t->hashes[i] == hash && memcmp(t->ranks + i * t->width, next, t->width) == 0) {
            return (int)i;
        }
    }
    return (int)t->count++;
}

/* The pair for two kinds: the best match among those with a name that matches the first kind. */
static int best_pair(const table *t, size_t a, size_t b, const size_t *pairs, size_t count,
                     bool *swapped) {
    const unsigned char *of_a = t->ranks + a * t->width, *of_b = t->ranks + b * t->width;
    int best = 0, found = FF_NO_PAIR;
    for (size_t k = 0; k < count; k++) {
        const size_t i = pairs[k];
        for (size_t turn = 0; turn < 2; turn++) {
            int x = of_a[2 * i + turn], y = of_b[2 * i + 1 - turn], score = x && y ? x + y : 0;
            if (score > best) {
                best = score;
                found = (int)i;
                *swapped = turn;
            } else if (score == best && score > 0 && found != (int)i) {
                found = FF_TWO_PAIRS;
            }
        }
    }
    return found;
}

/* The pairs with a name that matches a kind: few of many. */
static size_t pairs_of(const table *t, size_t kind, size_t *out) {
    const unsigned char *ranks = t->ranks + kind * t->width;
    size_t count = 0;
    for (size_t i = 0; i < t->scene->pairs.count; i++) {
        if (ranks[2 * i] || ranks[2 * i + 1]) {
            out[count++] = i;
        }
    }
    return count;
}

static ff_status check_pairs(const table *t, ff_error *error) {
    for (size_t i = 0; i < t->width; i++) {
        bool known = false;
        for (size_t k = 0; k < t->count; k++) {
            known = known || t->ranks[k * t->width + i];
        }
        if (!known) {
            const ff_pair_def *pair = &t->scene->pairs.at[i / 2];
            return ff_model_fail(
                error, FF_BAD_VALUE,
                "pair %zu names '%s', which is neither a plane nor a body with a shape", i / 2,
                i % 2 ? pair->b : pair->a);
        }
    }
    return FF_OK;
}

ff_status ff_kinds_make(const ff_scene *scene, ff_kinds *out, ff_error *error) {
    table t = {.scene = scene, .width = 2 * scene->pairs.count};
    *out = (ff_kinds){0};
    ff_status status = check_doubles(scene, error);
    out->shape = ff_malloc((scene->shapes.count + 1) * sizeof *out->shape);
    out->plane = ff_malloc((scene->planes.count + 1) * sizeof *out->plane);
    status = status < 0 || (out->shape && out->plane) ? status : FF_NO_MEMORY;
    for (size_t i = 0; i < scene->planes.count + scene->shapes.count && status == FF_OK; i++) {
        size_t shape = i - scene->planes.count;
        names thing;
        if (i < scene->planes.count) {
            name_thing(&thing, scene->planes.at[i].name, NULL);
        } else {
            const ff_shape_def *s = &scene->shapes.at[shape];
            name_thing(&thing, scene->bodies.at[s->body].name, s->name);
        }
        int kind = kind_of(&t, &thing);
        status = kind < 0 ? FF_NO_MEMORY : FF_OK;
        *(i < scene->planes.count ? &out->plane[i] : &out->shape[shape]) = kind;
    }
    if (status == FF_OK) {
        status = check_pairs(&t, error);
    }
    size_t *pairs = ff_malloc((scene->pairs.count + 1) * sizeof *pairs);
    status = status < 0 || pairs ? status : FF_NO_MEMORY;
    if (status == FF_OK) {
        out->count = t.count;
        out->pair = ff_malloc((t.count * t.count + 1) * sizeof *out->pair);
        out->swapped = ff_calloc(t.count * t.count + 1, sizeof *out->swapped);
        status = out->pair && out->swapped ? FF_OK : FF_NO_MEMORY;
    }
    for (size_t a = 0; status == FF_OK && a < t.count; a++) {
        const size_t count = pairs_of(&t, a, pairs);
        for (size_t b = 0; b < t.count; b++) {
            const size_t i = a * t.count + b;
            out->pair[i] = best_pair(&t, a, b, pairs, count, &out->swapped[i]);
        }
    }
    ff_free(pairs);
    ff_free(t.ranks);
    ff_free(t.hashes);
    if (status < 0) {
        ff_kinds_free(out);
    }
    return status;
}

void ff_kinds_free(ff_kinds *kinds) {
    ff_free(kinds->shape);
    ff_free(kinds->plane);
    ff_free(kinds->pair);
    ff_free(kinds->swapped);
    *kinds = (ff_kinds){0};
}
