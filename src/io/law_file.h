/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Laws of callers' own from a shared object. It exports one or both of
 *     const ff_normal_law *const footfall_normal_laws[];
 *     const ff_friction_law *const footfall_friction_laws[];
 * each ending with NULL. Loading one runs its code: only the command line names such files, never a scene. */

#include <footfall/law.h>

/* Loads a file and makes its laws known by ff_law_register(); it stays loaded. FF_BAD_VALUE with a sentence in `error` where
 * it cannot be loaded, exports no laws, or one of them is refused; the laws before that one are known then. Not for several
 * threads at once. */
ff_status ff_law_load(const char *path, ff_error *error);
