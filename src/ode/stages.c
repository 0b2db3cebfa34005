/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "dop853.h"
#include "stepper.h"

int ff_stepper_weights(ff_method method, ff_stage out[FF_STAGES_KEPT]) {
    int count = 0;
    if (method == FF_AUTO || method == FF_DOPRI5) {
        out[count++] = (ff_stage){0, 0, 35.0 / 384};
        out[count++] = (ff_stage){2, 0.3, 500.0 / 1113};
        out[count++] = (ff_stage){3, 0.8, 125.0 / 192};
        out[count++] = (ff_stage){4, 8.0 / 9, -2187.0 / 6784};
    } else if (method == FF_DOP853) {
        /* where dop853.inc stores its stages 1 and 6 to 11 */
        static const int place[12] = {
            [1] = 0, [6] = 5, [7] = 7, [8] = 8, [9] = 9, [10] = 10, [11] = 1};
        for (int i = 1; i < 12; i = i == 1 ? 6 : i + 1) {
            out[count++] = (ff_stage){place[i], ff_dop853_c[i], ff_dop853_a[13][i]};
        }
    }
    return count;
}
