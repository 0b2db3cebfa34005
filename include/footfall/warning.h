/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Warnings about what the author of a scene may not have intended, each with the number that shows it. A warning does not
 * stop a run.
 *
 *     ff_warning w;
 *     for (size_t i = 0; *(w = ff_model_warning(model, i)).text; i++) {
 *         fprintf(stderr, "warning: %s\n", w.text);
 *     } */

#include <footfall/json.h>
#include <footfall/sim.h>

FF_C_BEGIN

/* clang-format off */
#define FF_WARNING_LIST(X)                                                                          \
    X(FF_WARN_UNPAIRED, "unpaired")       /* two things meet or will meet, but no pair names them: s, m */ \
    X(FF_WARN_INSIDE, "inside")           /* a start deep inside another thing: m */                \
    X(FF_WARN_PLANE, "plane")             /* the normal of a plane points away from everything: m */\
    X(FF_WARN_DENSITY, "density")         /* greater than of any solid: kg/m^3 */                            \
    X(FF_WARN_DEPTH, "depth")             /* above a tenth of the radius: depth/radius */        \
    X(FF_WARN_THROUGH, "through")         /* greater than the smaller radius: depth/radius */     \
    X(FF_WARN_PRESSURE, "pressure")       /* mean pressure above the strength of the material: Pa */    \
    X(FF_WARN_STEP, "step")               /* fixed step larger than the stability limit: s */        \
    X(FF_WARN_START, "start")             /* start corrected to satisfy joints: m, rad, m/s or rad/s */  \
    X(FF_WARN_CONSTRAINT, "constraint")   /* work of constraint forces over energy scale */                  \
    X(FF_WARN_REACTION, "reaction")       /* joint reactions not unique: relative to the largest */       \
    X(FF_WARN_PARAMETER, "parameter")     /* a parameter or law without effect: its value, or a radius */       \
    X(FF_WARN_TRACE, "trace")             /* contacts left out of traces: their number */     \
    X(FF_WARN_INERTIA, "inertia")         /* rounding of constraint forces on a body of small inertia: relative */ \
    X(FF_WARN_BEHIND, "behind")           /* a body without a shape went through a plane: m */       \
    X(FF_WARN_UNBOUNDED, "unbounded")     /* a function whose course between stages is not known: time, s */ \
    X(FF_WARN_UNRESOLVED, "unresolved")   /* steps that cannot be shortened may miss something: time, s */ \
    X(FF_WARN_REST, "rest")               /* the search for equilibrium moved or turned a body far: m, rad */
/* clang-format on */

typedef enum ff_warning_kind {
#define FF_WARNING_ENUM(kind, name) kind,
    FF_WARNING_LIST(FF_WARNING_ENUM)
#undef FF_WARNING_ENUM
        FF_WARNING_KINDS
} ff_warning_kind;

/* The name of a kind as in the list above; NULL if there is no such kind. */
FF_API const char *ff_warning_name(ff_warning_kind kind);

typedef struct ff_warning {
    ff_warning_kind kind;
    double value, limit; /* the number that shows it, and its limit; NAN: none */
    char text[240];      /* one sentence; "" if there is no such warning */
} ff_warning;

/* Warning i of a model and its run options, evaluated at each call. Only the first few of each kind are listed; the last
 * one says how many more there are. */
FF_API ff_warning ff_model_warning(const ff_model *model, size_t i);

/* Warning i of a run, in addition to those of its model: from its own options and from what has happened so far. */
FF_API ff_warning ff_sim_warning(ff_sim *sim, size_t i);

/* Writes members into an open JSON object: `warnings` of the model and the run; `impacts`, one object for each of the first
 * `contacts_most` contacts that touched (0: all); and `contacts_touched`, their number. Without a sim, only the warnings of
 * the model. */
FF_API void ff_outcome_json(ff_json *j, const ff_model *model, ff_sim *sim, size_t contacts_most);

FF_C_END
