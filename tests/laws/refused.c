/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <footfall/law.h>
#include <math.h>

/* Tables that are refused: CMake makes an object of each by defining FAULT. */
enum { ABI = 1, NAME, TAKEN, RESPOND, PARAMETER, EMPTY, NOTHING };

static void respond(const ff_friction *law, const ff_friction_query *q, ff_friction_answer *out) {
    out->force[0] = -law->values[0] * q->v[0];
}

static const ff_friction_law law = {
    .abi = FAULT == ABI ? FF_LAW_ABI - 1 : FF_LAW_ABI,
    .name = FAULT == NAME    ? "Not a name"
            : FAULT == TAKEN ? "dahl"
                             : "test-refused",
    .formula = "f = -c v",
    .source = "a test",
    .limits = "",
    .params = {{"c", FAULT == PARAMETER ? NULL : "N s/m", 0, INFINITY, NAN, "damping", NULL}},
    .respond = FAULT == RESPOND ? NULL : respond,
};

#if FAULT != 7 /* NOTHING: no list at all */
FF_API extern const ff_friction_law *const footfall_friction_laws[];
const ff_friction_law *const footfall_friction_laws[] = {FAULT == EMPTY ? NULL : &law, NULL};
#else
FF_API extern const ff_friction_law *const other_laws[];
const ff_friction_law *const other_laws[] = {&law, NULL};
#endif
