/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "rest.h"
#include <math.h>

/* more would fill the screen */
enum { contacts_shown = 12 };

void rest_print(const ff_model *model, const ff_sim *sim) {
    const ff_rest r = ff_sim_rest(sim);
    if (!r.found) {
        return;
    }
    printf("start at rest: %ld iterations, accelerations below %.2g m/s^2\n", r.iterations,
           r.acceleration);
    printf("  '%s' was moved by %.3g m, the most; bodies were turned by up to %.3g rad\n",
           ff_model_body_name(model, (size_t)r.body), r.moved, r.turned);
    if (r.dropped > 0) {
        printf("  initial velocities of up to %.3g m/s were set to 0\n", r.dropped);
    }
    size_t shown = 0;
    for (size_t i = 0; i < ff_model_contact_count(model) && shown < contacts_shown; i++) {
        if (ff_sim_rest_carries(sim, i)) {
            printf("%s%s", shown++ ? ", " : "  carried by ", ff_model_contact_name(model, i));
        }
    }
    if (shown < r.carrying) {
        printf(" and %zu more", r.carrying - shown);
    }
    printf("%s", shown ? "\n" : "");
    if (r.growth > 0) {
        printf("  unstable: a small disturbance grows by a factor e every %.3g s\n", 1 / r.growth);
    }
    printf("\n");
}

void rest_json(ff_json *j, const ff_model *model, const ff_sim *sim) {
    const ff_rest r = sim ? ff_sim_rest(sim) : (ff_rest){0};
    if (!r.found) {
        ff_json_string(j, "rest", NULL);
        return;
    }
    ff_json_object(j, "rest");
    ff_json_integer(j, "iterations", r.iterations);
    ff_json_number(j, "acceleration", r.acceleration);
    ff_json_number(j, "moved", r.moved);
    ff_json_string(j, "moved_body", ff_model_body_name(model, (size_t)r.body));
    ff_json_number(j, "turned", r.turned);
    ff_json_number(j, "velocity_dropped", r.dropped);
    ff_json_array(j, "carrying");
    for (size_t i = 0; i < ff_model_contact_count(model); i++) {
        if (ff_sim_rest_carries(sim, i)) {
            ff_json_string(j, NULL, ff_model_contact_name(model, i));
        }
    }
    ff_json_end(j);
    ff_json_number(j, "growth", r.growth > 0 ? r.growth : (double)NAN);
    ff_json_end(j);
}
