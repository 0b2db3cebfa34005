/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/status.h>
#include <stdbool.h>
#include <stdio.h>

FF_C_BEGIN

/* Writes one JSON value to a stream, with commas and indentation. The key is NULL for the outermost
 * value and inside arrays. `ff_json j = {.out = stdout};` starts; closing the last bracket ends the
 * line. */
typedef struct ff_json {
    FILE *out;
    int depth;        /* above 0 from the start: inside of something that another one has opened */
    char closers[32]; /* what closes each open bracket; deeper nesting is a bug */
    bool filled;      /* something stands before this place in the innermost bracket */
} ff_json;

FF_API void ff_json_object(ff_json *j, const char *key);
FF_API void ff_json_array(ff_json *j, const char *key);
/* Closes the innermost object or array. */
FF_API void ff_json_end(ff_json *j);

/* The shortest digits that read back as the same double; null for NAN and infinities. */
FF_API void ff_json_number(ff_json *j, const char *key, double value);
FF_API void ff_json_numbers(ff_json *j, const char *key, const double *values, size_t count);
FF_API void ff_json_integer(ff_json *j, const char *key, long long value);
/* UTF-8; bytes that are not become U+FFFD. NULL is written as null. */
FF_API void ff_json_string(ff_json *j, const char *key, const char *text);
FF_API void ff_json_bool(ff_json *j, const char *key, bool value);

FF_C_END
