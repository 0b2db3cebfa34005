/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>

/* A user-defined law: F = max(0, k z + h z^3 + lambda z zdot), a hardening spring. Its table defines it
 * completely: once registered, scenes, commands and lists treat it like a built-in law. */
enum { K, H, LAMBDA };

static void hardening_respond(const ff_normal *law, const ff_normal_query *q,
                              ff_normal_answer *out) {
    const double *x = law->values;
    /* the contact area does not grow with depth; friction laws receive this as the grade */
    out->grade = 1;
    if (q->z < 0) {
        return; /* all other members are 0 */
    }
    double spring = x[K] * q->z + x[H] * q->z * q->z * q->z;
    double drag = x[LAMBDA] * q->z * q->zdot;
    /* while the force is clamped at 0, the damper dissipates the energy of the spring */
    double damper = q->open ? drag : fmax(drag, -spring);
    out->force = spring + damper;
    out->loss = damper * q->zdot;
    out->ratio = out->force;
    /* the force without the clamp: its root is where the contact force ends */
    out->hold = spring + drag;
}

static double hardening_stored(const ff_normal *law, double z, double zdot, const double *state) {
    const double *x = law->values;
    (void)zdot, (void)state;
    return z > 0 ? x[K] * z * z / 2 + x[H] * z * z * z * z / 4 : 0;
}

static const ff_normal_law hardening_law = {
    .abi = FF_LAW_ABI,
    .name = "hardening",
    .formula = "F = k z + h z^3 + lambda z zdot",
    .source = "examples/law.c",
    .limits = "None: it is an example.",
    .params = {{"k", "N/m", FF_POSITIVE, INFINITY, NAN, "stiffness", NULL},
               {"h", "N/m^3", 0, INFINITY, 5e12, "hardening", NULL},
               {"lambda", "N s/m^2", 0, INFINITY, 0, "damping", NULL}},
    .clamps = true,
    .damped = true,
    .respond = hardening_respond,
    .stored = hardening_stored,
};

/* Verifies the consistency of the law, and one impact up to its maximum depth. */
static int of_our_own(const ff_normal *law) {
    ff_impact impact;
    ff_law_finding findings[FF_LAW_FINDINGS];
    int broken = 0;
    if (ff_impact_solve(law, 0.154, 1, &impact) != FF_OK) {
        return 1;
    }
    printf("%s: e = %.6f at 1 m/s, %.6f mm deep, %.6f N at the most\n", law->law->name,
           impact.restitution, 1e3 * impact.max_depth, impact.max_force);
    size_t count = ff_normal_verify(law, impact.max_depth, 1, 1000, findings);
    for (size_t i = 0; i < count; i++) {
        if (findings[i].worst > findings[i].allowed) {
            printf("%s is off by %.1e: %s\n", findings[i].what, findings[i].worst,
                   findings[i].where);
            broken++;
        }
    }
    return broken;
}

int main(void) {
    ff_normal own;
    ff_error error = {""};
    ff_status status = ff_law_register(&hardening_law, NULL, &error);
    status = status < 0 ? status : ff_normal_init(&own, ff_normal_law_find("hardening"), &error);
    status = status < 0 ? status : ff_normal_set(&own, "k", 2e5, &error);
    status = status < 0 ? status : ff_normal_set(&own, "lambda", 1e5, &error);
    if (status < 0) {
        fprintf(stderr, "%s: %s\n", ff_status_text(status), error.text);
        return 1;
    }
    return of_our_own(&own);
}
