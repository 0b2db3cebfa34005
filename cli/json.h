/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes one JSON value to a stream, with commas and indentation. The key is NULL for the outermost
 * value and inside arrays. `json j = {.out = stdout};` starts; closing the last bracket ends the
 * line. */
typedef struct json {
    FILE *out;
    int depth;        /* above 0 from the start: inside of something that another one has opened */
    char closers[32]; /* what closes each open bracket; deeper nesting is a bug */
    bool filled;      /* something stands before this place in the innermost bracket */
} json;

void json_object(json *j, const char *key);
void json_array(json *j, const char *key);
/* Closes the innermost object or array. */
void json_end(json *j);

/* The shortest digits that read back as the same double; null for NAN and infinities. */
void json_number(json *j, const char *key, double value);
void json_numbers(json *j, const char *key, const double *values, size_t count);
void json_integer(json *j, const char *key, long long value);
/* UTF-8; bytes that are not become U+FFFD. NULL is written as null. */
void json_string(json *j, const char *key, const char *text);
void json_bool(json *j, const char *key, bool value);
