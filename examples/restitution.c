/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <footfall/footfall.h>
#include <stdio.h>

int main(void) {
    ff_normal law;
    ff_impact impact;
    const double speed[] = {0.1, 1, 10};
    ff_normal_init(&law, ff_normal_law_find("azad-featherstone"), NULL);
    ff_normal_set(&law, "k", 8.5e6, NULL);
    ff_normal_set(&law, "lambda", 3.1e3, NULL);
    for (int i = 0; i < 3; i++) {
        ff_impact_solve(&law, 0.154, speed[i], &impact);
        printf("%4g m/s: e = %.12f, contact %.4f ms, depth %.4f mm\n", speed[i], impact.restitution,
               impact.contact_time * 1e3, impact.max_depth * 1e3);
    }
}
