/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>

/* A law of one's own: F = max(0, k z + h z^3 + lambda z zdot), a spring that hardens. All that anybody needs to know of it
 * is in its table: once it is registered, scenes, commands and lists know it as they know the library's own. */
enum { K, H, LAMBDA };

static void hardening_respond(const ff_normal *law, const ff_normal_query *q,
                              ff_normal_answer *out) {
    const double *x = law->values;
    /* a contact area that does not grow with depth: friction is told so by the grade */
    out->grade = 1;
    if (q->z < 0) {
        return; /* the rest of the answer is 0 */
    }
    double spring = x[K] * q->z + x[H] * q->z * q->z * q->z;
    double drag = x[LAMBDA] * q->z * q->zdot;
    /* while the force is held at 0 the damper takes up the spring's force */
    double damper = q->open ? drag : fmax(drag, -spring);
    out->force = spring + damper;
    out->loss = damper * q->zdot;
    out->ratio = out->force;
    /* the same without the clamp: its root is where the force ends */
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

/* Whether its parts fit together, and one impact under it, up to the depth that this has. */
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

/* The force on a sphere that slides at 0.5 m/s while it is pressed in, at one depth. */
static int at_one_point(const ff_normal *normal, const ff_friction *friction) {
    const double u[3] = {1e-6, 0, 0};
    ff_contact_answer out = {.u_rate = NULL};
    ff_contact_force(normal, friction,
                     &(ff_contact_query){.depth = 0.5e-3, .rate = 0.2, .slip = {0.5, 0, 0}, .u = u},
                     &out);
    printf("normal force %.6f N, friction %.6f N, %s\n", out.normal, out.friction[0],
           out.slips ? "slips" : "sticks");
    printf("stored %.6f J, loss %.6f W\n", out.stored, out.loss);
    return out.friction[0] < 0 && out.slips ? 0 : 1;
}

/* Many contacts at once: one call, with the kernel chosen for this machine. */
static int in_a_batch(const ff_normal *law) {
    enum { COUNT = 5 };
    double z[COUNT], zdot[COUNT], force[COUNT], loss[COUNT];
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        z[i] = 0.2e-3 * i;
        zdot[i] = 0.1;
    }
    law->kernels->respond(
        law,
        &(ff_normal_batch){.count = COUNT, .z = z, .zdot = zdot, .force = force, .loss = loss});
    printf("%s:", law->law->name);
    for (int i = 0; i < COUNT; i++) {
        printf(" %.4f", force[i]);
        /* one contact at a time gives the same bits */
        wrong += force[i] != ff_normal_force(law, z[i], zdot[i], NULL);
    }
    printf(" N\n");
    return wrong;
}

int main(void) {
    ff_normal sphere, own;
    ff_friction friction;
    ff_error error = {""};
    const ff_param_value soft[] = {{"k", 8.5e6}, {"lambda", 3.1e3}};
    const ff_param_value rough[] = {
        {"mu", 0.2}, {"k", 12.75e6}, {"damping", 3.1e3}, {"viscous", 0.1}};
    ff_normal_init(&sphere, ff_normal_law_find("azad-featherstone"), &error);
    ff_status status = ff_normal_set_all(&sphere, soft, 2, &error);
    ff_friction_init(&friction, ff_friction_law_find("clutch"), &error);
    status = status < 0 ? status : ff_friction_set_all(&friction, rough, 4, &error);
    /* a law of our own is used as any other, once it is registered */
    status = status < 0 ? status : ff_law_register(&hardening_law, NULL, &error);
    status = status < 0 ? status : ff_normal_init(&own, ff_normal_law_find("hardening"), &error);
    status = status < 0 ? status : ff_normal_set(&own, "k", 2e5, &error);
    status = status < 0 ? status : ff_normal_set(&own, "lambda", 1e5, &error);
    if (status != FF_OK) {
        fprintf(stderr, "%s: %s\n", ff_status_text(status), error.text);
        return 1;
    }
    return at_one_point(&sphere, &friction) + in_a_batch(&sphere) + in_a_batch(&own) +
           of_our_own(&own);
}
