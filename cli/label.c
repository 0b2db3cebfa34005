/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "label.h"
#include <stdio.h>
#include <string.h>

label label_of(const ff_model *model, const char *folder, const char *owner, size_t n) {
    char path[FF_FIELD_PATH];
    size_t field = 0;
    ff_field f;
    label out;
    /* the position is the first field of bodies and of joints with coordinates */
    snprintf(path, sizeof path, "%s.%s.position", folder, owner);
    ff_model_field_find(model, path, &field, NULL, NULL);
    while (ff_model_field(model, field++, &f) && n >= f.width) {
        n -= f.width;
    }
    out.name = f.parts[n];
    memcpy(out.unit, f.unit, sizeof out.unit);
    return out;
}

label label_coordinate(const ff_model *model, size_t joint, int coordinate) {
    return label_of(model, "joints", ff_model_joint_name(model, joint), (size_t)coordinate);
}

label label_rate(const ff_model *model, size_t joint, int coordinate) {
    return label_coordinate(model, joint,
                            ff_model_joint_facts(model, joint).coordinates + coordinate);
}
