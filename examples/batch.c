/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <footfall/footfall.h>
#include <stdio.h>

/* Forces of one contact, and of many at once. */

/* The force on a sphere that slides at 0.5 m/s while it is pressed in, at a single depth. */
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
    ff_normal sphere;
    ff_friction friction;
    ff_error error = {""};
    const ff_param_value soft[] = {{"k", 8.5e6}, {"lambda", 3.1e3}};
    const ff_param_value rough[] = {
        {"mu", 0.2}, {"k", 12.75e6}, {"damping", 3.1e3}, {"viscous", 0.1}};
    if (ff_normal_init(&sphere, ff_normal_law_find("azad-featherstone"), &error) < 0 ||
        ff_normal_set_all(&sphere, soft, 2, &error) < 0 ||
        ff_friction_init(&friction, ff_friction_law_find("clutch"), &error) < 0 ||
        ff_friction_set_all(&friction, rough, 4, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    return at_one_point(&sphere, &friction) + in_a_batch(&sphere);
}
