/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* What tools around the library need, as the command does: laws from files, the machine, methods. */

#include <footfall/law.h>
#include <footfall/run.h>

FF_C_BEGIN

/* Laws of callers' own from a shared object. It exports one or both of
 *     const ff_normal_law *const footfall_normal_laws[];
 *     const ff_friction_law *const footfall_friction_laws[];
 * each ending with NULL. Loading one runs its code: only the command line names such files, never a scene.
 *
 * Loads a file and makes its laws known by ff_law_register(); it stays loaded. FF_BAD_VALUE with a sentence in `error` where
 * it cannot be loaded, exports no laws, or one of them is refused; the laws before that one are known then. Not for several
 * threads at once. */
FF_API ff_status ff_law_load(const char *path, ff_error *error);

/* Gives each value that is NAN its default, or, where it has none, a legal number: for a law whose structure is asked for
 * before its numbers are known. */
FF_API void ff_law_fill(const ff_param *params, double *values);

enum { FF_MEMORY_TEXT = 32 };

/* "12.3 GB"; returns buf. */
FF_API const char *ff_memory_text(double bytes, char buf[FF_MEMORY_TEXT]);

/* How many threads this machine can run at once. */
FF_API int ff_cores(void);

/* Whether a method makes steps of fixed size. */
static inline bool ff_method_fixed(ff_method method) {
    return method == FF_EULER || method == FF_SEMI_IMPLICIT || method == FF_HEUN ||
           method == FF_RK4 || method == FF_VERLET;
}

FF_C_END
