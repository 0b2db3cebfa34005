/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The entry of list that word was probably meant to be, for "did you mean"; the first of equally
 * near ones. NULL if none is within a third of the word's length (or 1), or the word is longer than
 * 63 bytes. NULL entries are skipped. */
const char *ff_word_nearest(const char *word, const char *const *list, size_t count);

/* How many letters must be added, left out, changed or swapped with their neighbour to make one text the other;
 * SIZE_MAX if they differ over more than 63 bytes. */
size_t ff_word_distance(const char *a, const char *b);

/* Whether a text fits a pattern in which * stands for anything. */
bool ff_word_fits(const char *pattern, const char *text);

/* A copy of a text that the caller frees, or NULL. */
char *ff_word_copy(const char *text);
