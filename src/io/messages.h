/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/scene.h>

/* A location in an input; line 0 for a setting. The file name is not owned. */
typedef struct ff_place {
    const char *file;
    size_t line, column;
} ff_place;

/* Adds a message; beyond FF_MESSAGES_MOST, or if out of memory, it is only counted. */
__attribute__((format(printf, 3, 4))) void ff_messages_add(ff_messages *messages, ff_place place,
                                                           const char *format, ...);

/* Whether further messages would only be counted. */
bool ff_messages_full(const ff_messages *messages);

/* The number of all messages, including those only counted. */
size_t ff_messages_total(const ff_messages *messages);

/* Sorts the messages from `first` on by location; those without a line come last. */
void ff_messages_sort(ff_messages *messages, size_t first);
