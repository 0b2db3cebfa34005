/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <stddef.h>

/* Declarations between FF_C_BEGIN and FF_C_END have C linkage, also in C++ programs. */
#ifdef __cplusplus
#define FF_C_BEGIN extern "C" {
#define FF_C_END }
#else
#define FF_C_BEGIN
#define FF_C_END
#endif

FF_C_BEGIN

/* Marks the symbols that a program may link against; all other symbols are hidden. */
#define FF_API __attribute__((visibility("default")))

/* Option and definition structs begin with `size`, the size of the struct when the caller was compiled, so that later
 * versions of the library can add members at the end. ff_X_default() returns a struct with every member at its default.
 * Members that the caller's version of the struct does not have take their defaults. A size of 0, or larger than the
 * library's own, is refused with FF_BAD_VALUE. */
#define FF_DEFAULTS(type)                                                                          \
    FF_API void type##_init(type *out, size_t size);                                               \
    static inline type type##_default(void) {                                                      \
        type out;                                                                                  \
        type##_init(&out, sizeof out);                                                             \
        return out;                                                                                \
    }

/* Status codes. 0: success; positive: success with information; negative: failure. */
#define FF_STATUS_LIST(X)                                                                          \
    X(FF_OK, 0, "done")                                                                            \
    X(FF_ENDLESS, 1, "the contact never ends")                                                     \
    X(FF_EVENT, 2, "an event before the time asked for")                                           \
    X(FF_STOPPED, 3, "stopped before the time asked for")                                          \
    X(FF_BAD_VALUE, -1, "a value is outside its legal range")                                      \
    X(FF_MISSING, -2, "a value that has no default was not given")                                 \
    X(FF_UNREACHABLE, -3, "no parameters reach what was asked for")                                \
    X(FF_NO_CONVERGENCE, -4, "an iteration did not converge")                                      \
    X(FF_TOO_STIFF, -5, "the integration needs more steps than the limit")                         \
    X(FF_NOT_IDENTIFIABLE, -6, "the data do not determine the parameters")                         \
    X(FF_NOT_BUILT, -7, "this part was left out of the build")                                     \
    X(FF_NO_MEMORY, -8, "out of memory")                                                           \
    X(FF_SINGULAR, -9, "joints are in a position in which they cannot be held")                    \
    X(FF_NOT_CLOSED, -10, "the energy ledger does not close")                                      \
    X(FF_STUCK, -11, "events follow each other without any progress in time")                      \
    X(FF_NOT_HELD, -12, "joints were not held: the run has not followed its model")                \
    X(FF_NOT_FINITE, -13, "a number is not finite")                                                \
    X(FF_NOT_WRITTEN, -14, "a file cannot be written")

typedef enum ff_status {
#define FF_STATUS_ENUM(name, value, text) name = value,
    FF_STATUS_LIST(FF_STATUS_ENUM)
#undef FF_STATUS_ENUM
} ff_status;

/* The text of a status; never NULL. */
FF_API const char *ff_status_text(ff_status status);

/* One sentence that says what went wrong, for the caller to print; empty if nothing did. */
typedef struct ff_error {
    char text[240];
} ff_error;

FF_C_END
