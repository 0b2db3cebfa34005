/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/status.h>
#include <stdbool.h>
#include <stdio.h>

FF_C_BEGIN

/* Writes one JSON value to a stream, with commas and indentation. `ff_json j = {.out = stdout};` starts; closing the
 * outermost bracket ends the line. Keys are NULL for the outermost value and inside arrays. */
typedef struct ff_json {
    FILE *out;
    /* nesting depth; start with a value > 0 to write inside of an object that is already open */
    int depth;
    /* closing character of each open bracket; deeper nesting is a bug in the caller */
    char closers[32];
    bool filled; /* the innermost bracket already contains a value */
} ff_json;

/* Opens an object, or an array. */
FF_API void ff_json_object(ff_json *j, const char *key);
FF_API void ff_json_array(ff_json *j, const char *key);
/* Closes the innermost object or array. */
FF_API void ff_json_end(ff_json *j);

/* Writes the shortest digits that read back as the same double; null for NAN and infinities. */
FF_API void ff_json_number(ff_json *j, const char *key, double value);
FF_API void ff_json_numbers(ff_json *j, const char *key, const double *values, size_t count);
FF_API void ff_json_integer(ff_json *j, const char *key, long long value);
/* Writes UTF-8; invalid bytes become U+FFFD. NULL is written as null. */
FF_API void ff_json_string(ff_json *j, const char *key, const char *text);
FF_API void ff_json_bool(ff_json *j, const char *key, bool value);

FF_C_END
