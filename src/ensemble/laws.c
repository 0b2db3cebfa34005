/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "parts.h"

/* The laws of contacts, as kernels know them. */

bool ff_lane_laws_find(const ff_slot *slot, ff_lane_laws *out) {
    const ff_lane_work *work = ff_lane_work_best();
    const ff_normal_form *normal = slot->law.form;
    const ff_friction_form *friction = slot->friction.form;
    int graded = 0;
    *out =
        (ff_lane_laws){.normal = normal ? work->normal_of(normal->tag) : -1,
                       .friction = !slot->slides ? work->friction_of("none", &graded)
                                   : friction    ? work->friction_of(friction->tag, &graded)
                                                 : -1,
                       .clamps = slot->law.clamps,
                       .slips = slot->slides && (slot->friction.law->slips || ff_slot_bends(slot)),
                       .bends = slot->slides && ff_slot_bends(slot),
                       .lifts = slot->friction.lifts};
    if (out->normal < 0 || out->friction < 0) {
        return false;
    }
    out->graded = slot->graded ? graded : 0;
    out->pair = work->pair_of(out->normal, out->friction);
    return true;
}

static bool same(const ff_lane_laws *a, const ff_lane_laws *b) {
    return a->normal == b->normal && a->friction == b->friction && a->clamps == b->clamps &&
           a->lifts == b->lifts && a->slips == b->slips && a->bends == b->bends &&
           a->graded == b->graded;
}

size_t ff_lane_laws_list(const ff_model *model, ff_lane_laws *out, size_t *kind) {
    size_t kinds = 0;
    for (size_t i = 0; i < model->slot_count; i++) {
        ff_lane_laws laws;
        size_t k = 0;
        ff_lane_laws_find(&model->slots[i], &laws);
        while (k < kinds && !same(&laws, &out[k])) {
            k++;
        }
        out[k] = laws;
        kinds += k == kinds;
        kind[i] = k;
    }
    return kinds;
}
