/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Options and definitions that begin with their size. */

#include <footfall/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Copies what a caller gave over defaults of `size` bytes: the first members, as many as the caller's version has. False
 * where the size cannot be. A new member of a struct must not lie in what was padding at its end before. */
static inline bool ff_def_take(void *out, size_t size, const void *given) {
    size_t has;
    if (!given) {
        return false;
    }
    memcpy(&has, given, sizeof has);
    if (has <= sizeof has || has > size) {
        return false;
    }
    memcpy(out, given, has);
    memcpy(out, &size, sizeof size);
    return true;
}

#define FF_DEF_TAKE(out, given) ff_def_take(out, sizeof *(out), given)

/* Says that the size of a definition is wrong. */
ff_status ff_def_refuse(ff_error *error);

/* Copies defaults out to a caller whose struct has `room` bytes. */
static inline void ff_def_give(void *out, size_t room, const void *defaults, size_t size) {
    memcpy(out, defaults, room < size ? room : size);
    memcpy(out, &room, sizeof room);
}
