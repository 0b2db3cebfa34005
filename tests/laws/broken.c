/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <footfall/law.h>
#include <math.h>

/* A law that is registered, but makes energy: its damper is not booked. */

static void respond(const ff_normal *law, const ff_normal_query *q, ff_normal_answer *out) {
    if (q->z > 0) {
        out->force = law->values[0] * q->z + law->values[1] * q->zdot;
        out->grade = 1;
        out->ratio = out->force;
    }
}

static double stored(const ff_normal *law, double z, double zdot, const double *state) {
    (void)zdot, (void)state;
    return z > 0 ? law->values[0] * z * z / 2 : 0;
}

static const ff_normal_law law = {
    .abi = FF_LAW_ABI,
    .name = "test-broken",
    .formula = "F = k z + c zdot",
    .source = "a test",
    .limits = "its loss is missing",
    .params = {{"k", "N/m", FF_POSITIVE, INFINITY, NAN, "stiffness", NULL},
               {"c", "N s/m", 0, INFINITY, NAN, "damping", NULL}},
    .damped = true,
    .respond = respond,
    .stored = stored,
};

FF_API extern const ff_normal_law *const footfall_normal_laws[];
const ff_normal_law *const footfall_normal_laws[] = {&law, NULL};
