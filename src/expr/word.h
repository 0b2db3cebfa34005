/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/unit.h>
#include <stdbool.h>
#include <stddef.h>

/* Number of characters to insert, delete, change or swap with a neighbour to turn one text into the other; SIZE_MAX if they
 * differ over more than 63 bytes. */
size_t ff_word_distance(const char *a, const char *b);

/* Whether a text matches a pattern in which * stands for any text. */
bool ff_word_fits(const char *pattern, const char *text);

/* A copy of a text that the caller frees, or NULL. */
char *ff_word_copy(const char *text);
