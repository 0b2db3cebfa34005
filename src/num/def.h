/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Option and definition structs that begin with their size (FF_DEFAULTS in footfall/status.h). */

#include <footfall/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Copies the caller's struct over defaults of `size` bytes: the members that the caller's version has. False if the given
 * size is invalid. New members must not use bytes that were padding at the end of an older version. */
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

/* Reports an invalid size. */
ff_status ff_def_refuse(ff_error *error);

/* Copies defaults to a caller's struct of `room` bytes. */
static inline void ff_def_give(void *out, size_t room, const void *defaults, size_t size) {
    memcpy(out, defaults, room < size ? room : size);
    memcpy(out, &room, sizeof room);
}
