/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "fields.h"
#include "expr/word.h"
#include "model.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A scene has fields of its run and of its definition. */
static const ff_field_source *const of_scenes[] = {&ff_field_outputs, &ff_field_controls,
                                                   &ff_field_numbers};

static const ff_field_source *const *sources_of(const ff_model *model, size_t *count) {
    *count = model->fields ? 1 : sizeof of_scenes / sizeof *of_scenes;
    return model->fields ? &model->fields : of_scenes;
}

const char *ff_field_kind_name(ff_field_kind kind) {
    static const char *const names[] = {"input", "parameter", "structure", "state", "output"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

const ff_field_source *ff_field_source_of(const ff_model *model, size_t i, size_t *first,
                                          size_t *end) {
    size_t count;
    const ff_field_source *const *sources = sources_of(model, &count);
    *first = 0;
    for (size_t s = 0; s < count; s++) {
        *end = *first + sources[s]->count(model);
        if (i < *end) {
            return sources[s];
        }
        *first = *end;
    }
    return NULL;
}

size_t ff_model_field_count(const ff_model *model) {
    size_t first, end;
    ff_field_source_of(model, SIZE_MAX, &first, &end);
    return end;
}

bool ff_model_field(const ff_model *model, size_t i, ff_field *out) {
    size_t first, end;
    const ff_field_source *source = ff_field_source_of(model, i, &first, &end);
    if (source) {
        *out = (ff_field){.width = 1};
        source->describe(model, i - first, out);
    }
    return source;
}

/* ---- search ---- */

static size_t find(const ff_model *model, const char *path, size_t length) {
    size_t first = 0, count;
    const ff_field_source *const *sources = sources_of(model, &count);
    for (size_t s = 0; s < count; s++) {
        size_t i = sources[s]->find(model, path, length);
        if (i != SIZE_MAX) {
            return first + i;
        }
        first += sources[s]->count(model);
    }
    return SIZE_MAX;
}

/* The length of a path without the index at its end, which becomes *part; the whole length if there is none. */
static size_t cut_index(const char *path, size_t *part) {
    size_t length = strlen(path), at = length;
    *part = SIZE_MAX;
    if (length == 0 || path[length - 1] != ']') {
        return length;
    }
    do {
        at--;
    } while (at > 0 && path[at - 1] >= '0' && path[at - 1] <= '9');
    /* nine digits are more than any index needs, and do not overflow */
    if (at == 0 || path[at - 1] != '[' || at == length - 1 || length - 1 - at > 9) {
        return length;
    }
    *part = (size_t)strtoul(path + at, NULL, 10);
    return at - 1;
}

/* The nearest path that differs by at most a third of its length; empty if there is none. Paths are written and compared
 * one at a time, because a crowd has hundreds of thousands. */
static void find_nearest(const ff_model *model, const char *path, char nearest[FF_FIELD_PATH]) {
    size_t length = strlen(path), bound = length / 3 > 1 ? length / 3 : 1;
    size_t source_count;
    const ff_field_source *const *sources = sources_of(model, &source_count);
    nearest[0] = '\0';
    for (size_t s = 0; s < source_count && bound > 0; s++) {
        const size_t count = sources[s]->count(model);
        for (size_t i = 0; i < count && bound > 0; i++) {
            ff_field f = {.width = 1};
            sources[s]->describe(model, i, &f);
            size_t d = ff_word_distance(path, f.path);
            if (d <= bound) {
                memcpy(nearest, f.path, FF_FIELD_PATH);
                bound = d - 1;
            }
        }
    }
}

/* paths in messages are truncated so that two of them fit */
#define SHOWN "%.90s"

static ff_status refuse_path(const ff_model *model, const char *path, size_t length,
                             ff_error *error) {
    char bare[FF_FIELD_PATH], nearest[FF_FIELD_PATH];
    if (error) {
        snprintf(bare, sizeof bare, "%.*s", (int)(length < sizeof bare ? length : sizeof bare - 1),
                 path);
        find_nearest(model, bare, nearest);
        size_t used = (size_t)snprintf(error->text, sizeof error->text,
                                       "there is no field '" SHOWN "'", bare);
        if (*nearest) {
            snprintf(error->text + used, sizeof error->text - used, " (did you mean '" SHOWN "'?)",
                     nearest);
        }
    }
    return FF_BAD_VALUE;
}

ff_status ff_model_field_find(const ff_model *model, const char *path, size_t *field, size_t *part,
                              ff_error *error) {
    size_t index, length = cut_index(path, &index);
    /* an index may be part of the path itself, as in the name of a grain */
    *field = find(model, path, strlen(path));
    if (*field != SIZE_MAX) {
        index = SIZE_MAX;
    } else if (index != SIZE_MAX) {
        *field = find(model, path, length);
    }
    if (*field == SIZE_MAX) {
        return refuse_path(model, path, length, error);
    }
    if (index != SIZE_MAX) {
        ff_field f;
        ff_model_field(model, *field, &f);
        if (index >= f.width) {
            if (error) {
                snprintf(error->text, sizeof error->text,
                         "'" SHOWN "' has no element [%zu]: it has %zu, counted from 0", f.path,
                         index, f.width);
            }
            return FF_BAD_VALUE;
        }
    }
    if (part) {
        *part = index;
    }
    return FF_OK;
}
