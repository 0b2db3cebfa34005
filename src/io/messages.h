/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/scene.h>

/* A place in an input; line 0 for a setting. The file's name is not owned. */
typedef struct ff_place {
    const char *file;
    size_t line, column;
} ff_place;

/* Adds a message; beyond FF_MESSAGES_MOST, or where memory ends, it is only counted. */
__attribute__((format(printf, 3, 4))) void ff_messages_add(ff_messages *messages, ff_place place,
                                                           const char *format, ...);

/* Whether further messages would only be counted. */
bool ff_messages_full(const ff_messages *messages);

/* Everything that was ever added. */
size_t ff_messages_total(const ff_messages *messages);

/* Puts the messages from `first` on in the order of the file; those without a line come last. */
void ff_messages_sort(ff_messages *messages, size_t first);
