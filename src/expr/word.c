/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "word.h"
#include "num/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { length_most = 63 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Damerau-Levenshtein distance with adjacent transpositions (optimal string alignment): row i of the table depends only on
 * the two rows above it. Both words have at most length_most characters. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t rows[3][length_most + 1] = {{0}};
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        size_t *reused = before;
        before = above;
        above = row;
        row = reused;
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = least(row[j], before[j - 2] + 1);
            }
        }
    }
    return row[b_length];
}

size_t ff_word_distance(const char *a, const char *b) {
    size_t a_length = strlen(a), b_length = strlen(b);
    /* common prefixes and suffixes cost nothing */
    for (; a_length && b_length && *a == *b; a++, b++, a_length--, b_length--) {
        ;
    }
    while (a_length && b_length && a[a_length - 1] == b[b_length - 1]) {
        a_length--;
        b_length--;
    }
    return a_length > length_most || b_length > length_most ? SIZE_MAX
                                                            : distance(a, a_length, b, b_length);
}

const char *ff_word_nearest(const char *word, const char *const *list, size_t count) {
    size_t length = strlen(word);
    if (length == 0 || length > length_most) {
        return NULL;
    }
    size_t bound = length / 3 > 1 ? length / 3 : 1;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t other = list[i] ? strlen(list[i]) : 0;
        if (other == 0 || other > length_most) {
            continue;
        }
        size_t d = ff_word_distance(word, list[i]);
        /* a word with no character in common is not near */
        if (d > bound || d >= (length > other ? length : other)) {
            continue;
        }
        nearest = list[i];
        if (d == 0) {
            break;
        }
        bound = d - 1;
    }
    return nearest;
}

bool ff_word_fits(const char *pattern, const char *text) {
    const char *star = NULL, *kept = text;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            kept = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            /* let the last star match one more character */
            pattern = star + 1;
            text = ++kept;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "*")] == '\0';
}

char *ff_word_copy(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = ff_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}
