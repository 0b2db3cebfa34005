/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>

/* A law of one's own: F = max(0, k z + h z^3 + lambda z zdot), a spring that hardens. The parameters
 * k and lambda come through the table; h comes through its user pointer. */
static double hardening = 5e12; /* N/m^3 */

static void hardening_numbers(ff_normal *law, const double *values) {
    law->k = values[0];
    law->lambda = values[1];
    law->n = 1;
    law->p = 1;
}

static void hardening_point(const ff_normal *law, double z, double zdot, double inner,
                            ff_normal_answer *out) {
    (void)inner;
    if (z < 0) {
        return; /* all of the answer is 0 */
    }
    double h = *(const double *)law->law->user;
    double spring = law->k * z + h * z * z * z;
    /* while the force is held at 0 the damper takes up the spring's force */
    double damper = fmax(law->lambda * z * zdot, -spring);
    out->force = spring + damper;
    out->stored = law->k * z * z / 2 + h * z * z * z * z / 4;
    out->loss = damper * zdot;
    out->grade = 1;
    out->ratio = out->force;
    if (out->force > 0) {
        out->dF_dz = law->k + 3 * h * z * z + law->lambda * zdot;
        out->dF_dzdot = law->lambda * z;
    }
}

static const ff_normal_law hardening_law = {
    .abi = FF_LAW_ABI,
    .name = "hardening",
    .formula = "F = k z + h z^3 + lambda z zdot",
    .source = "",
    .limits = "",
    .params = {{"k", "N/m", FF_POSITIVE, INFINITY, NAN, "stiffness", NULL},
               {"lambda", "N s/m^2", 0, INFINITY, 0, "damping", NULL}},
    .numbers = hardening_numbers,
    .point = hardening_point,
    .user = &hardening,
};

/* The force on a sphere that slides at 0.5 m/s while it is pressed in, at one depth. */
static int at_one_point(const ff_normal *normal, const ff_friction *friction) {
    ff_normal_answer n = ff_normal_at(normal, 0.5e-3, 0.2, 0);
    ff_friction_answer f =
        ff_friction_at(friction, &(ff_friction_query){.load = n.force,
                                                      .grade = n.grade,
                                                      .ratio = n.ratio,
                                                      .grade_slope = n.grade_slope,
                                                      .zdot = 0.2,
                                                      .v = {0.5, 0, 0},
                                                      .u = {1e-6, 0, 0}});
    printf("normal force %.6f N, stored %.6f J, loss %.6f W\n", n.force, n.stored, n.loss);
    printf("friction %.6f N, %s, slip loss %.6f W\n", f.force[0], f.slips ? "slips" : "sticks",
           f.clutch + f.viscous);
    return f.force[0] < 0 && f.slips ? 0 : 1;
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
        wrong += force[i] != ff_normal_force(law, z[i], zdot[i], 0);
    }
    printf(" N\n");
    return wrong;
}

int main(void) {
    ff_normal sphere, own;
    ff_friction friction;
    ff_error error = {""};
    ff_status status = ff_normal_init(&sphere, ff_normal_law_find("azad-featherstone"),
                                      (double[]){8.5e6, 3.1e3, NAN, NAN}, &error);
    if (status == FF_OK) {
        status = ff_friction_init(&friction, ff_friction_law_find("clutch"),
                                  (double[]){0.2, 12.75e6, 3.1e3, 0.1, NAN}, &error);
    }
    if (status == FF_OK) {
        status = ff_normal_init(&own, &hardening_law, (double[]){2e5, 1e5}, &error);
    }
    if (status != FF_OK) {
        fprintf(stderr, "%s: %s\n", ff_status_text(status), error.text);
        return 1;
    }
    return at_one_point(&sphere, &friction) + in_a_batch(&sphere) + in_a_batch(&own);
}
