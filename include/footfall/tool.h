/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Functions for tools around the library, such as the command: laws from files, properties of the machine and of methods. */

#include <footfall/law.h>
#include <footfall/run.h>

FF_C_BEGIN

/* Loads user-defined laws from a shared object, which exports one or both of
 *     const ff_normal_law *const footfall_normal_laws[];
 *     const ff_friction_law *const footfall_friction_laws[];
 * each terminated by NULL. Loading runs the code of the file, so only the command line names such files, never a scene.
 *
 * The laws are registered by ff_law_register(), and the file stays loaded. FF_BAD_VALUE, with a sentence in `error`, if it
 * cannot be loaded, exports no laws, or one of them is refused; laws before that one stay registered. Not thread-safe. */
FF_API ff_status ff_law_load(const char *path, ff_error *error);

/* Replaces each NAN in `values` by the default of its parameter, or by some valid number if it has none, so that the
 * structure of a law can be examined before its parameters are known. */
FF_API void ff_law_fill(const ff_param *params, double *values);

enum { FF_MEMORY_TEXT = 32 };

/* Formats a number of bytes, such as "12.3 GB"; returns buf. */
FF_API const char *ff_memory_text(double bytes, char buf[FF_MEMORY_TEXT]);

/* Number of threads that this machine can run at once. */
FF_API int ff_cores(void);

/* Whether a method uses fixed steps. */
static inline bool ff_method_fixed(ff_method method) {
    return method == FF_EULER || method == FF_SEMI_IMPLICIT || method == FF_HEUN ||
           method == FF_RK4 || method == FF_VERLET;
}

FF_C_END
