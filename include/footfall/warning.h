/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Warnings: what the author of a scene may not have intended, each with the number that shows it. A warning does not stop
 * a run.
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
    X(FF_WARN_UNPAIRED, "unpaired")       /* two things meet, or will, and no pair names them: s, m */ \
    X(FF_WARN_INSIDE, "inside")           /* a start deep inside another thing: m */                \
    X(FF_WARN_PLANE, "plane")             /* the normal of a plane points away from everything: m */\
    X(FF_WARN_DENSITY, "density")         /* beyond any solid: kg/m^3 */                            \
    X(FF_WARN_DEPTH, "depth")             /* above a tenth of the radius: depth by radius */        \
    X(FF_WARN_THROUGH, "through")         /* deeper than the smaller radius: depth by radius */     \
    X(FF_WARN_PRESSURE, "pressure")       /* mean, above the strength of a named material: Pa */    \
    X(FF_WARN_STEP, "step")               /* a fixed step above the largest stable one: s */        \
    X(FF_WARN_START, "start")             /* joints corrected the start: m or rad, m/s or rad/s */  \
    X(FF_WARN_CONSTRAINT, "constraint")   /* work of joints by the energy scale */                  \
    X(FF_WARN_REACTION, "reaction")       /* of joints, not determined: by the largest one */       \
    X(FF_WARN_PARAMETER, "parameter")     /* that nothing uses: its value */                        \
    X(FF_WARN_TRACE, "trace")             /* contacts that traces leave out: how many there are */
/* clang-format on */

typedef enum ff_warning_kind {
#define FF_WARNING_ENUM(kind, name) kind,
    FF_WARNING_LIST(FF_WARNING_ENUM)
#undef FF_WARNING_ENUM
        FF_WARNING_KINDS
} ff_warning_kind;

/* The name of a kind, as in the list above; NULL for no kind. */
FF_API const char *ff_warning_name(ff_warning_kind kind);

typedef struct ff_warning {
    ff_warning_kind kind;
    double value, limit; /* the number that shows it, and what it should not pass; NAN: none */
    char text[240];      /* one sentence, "" past the last warning */
} ff_warning;

/* Warning i of a model and its run options, evaluated with each call. The first few of each kind are listed; the last of
 * them says how many more there are. */
FF_API ff_warning ff_model_warning(const ff_model *model, size_t i);

/* Warning i of a run, beside those of its model: from its own options and from what has happened up to now. */
FF_API ff_warning ff_sim_warning(ff_sim *sim, size_t i);

/* Members of a JSON object that is open: `warnings`, of the model and then of the run; `impacts`, an object for each contact
 * that was touched, of the first `contacts_most` of them (0: all); and `contacts_touched`, how many there are. Without a sim
 * only the warnings of the model. */
FF_API void ff_outcome_json(ff_json *j, const ff_model *model, ff_sim *sim, size_t contacts_most);

FF_C_END
