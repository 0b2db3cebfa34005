/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "warned.h"

void ff_warned_add(ff_warned *warned, const ff_warnings *list, size_t row, size_t runs) {
    bool seen[FF_WARNING_KINDS] = {false};
    for (size_t i = 0; i < list->count; i++) {
        const ff_warning_kind kind = list->at[i].kind;
        if (seen[kind]) {
            continue;
        }
        seen[kind] = true;
        if (warned->of[kind].runs == 0 || row < warned->of[kind].row) {
            warned->of[kind].warning = list->at[i];
            warned->of[kind].row = row;
        }
        warned->of[kind].runs += runs;
    }
}

void ff_warned_tell(const ff_warned *warned, const ff_sweep *sweep) {
    for (size_t kind = 0; kind < FF_WARNING_KINDS && sweep->warning; kind++) {
        if (warned->of[kind].runs) {
            sweep->warning(sweep->user, &warned->of[kind].warning, warned->of[kind].row,
                           warned->of[kind].runs);
        }
    }
}
