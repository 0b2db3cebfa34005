/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "inside.h"
#include <math.h>

/* The frame of the plane of a lane. */

const ff_integral ff_lane_accounts[FF_LANE_ACCOUNTS] = {FF_NORMAL_DAMPER, FF_TANGENTIAL_DAMPER,
                                                        FF_SLIP_LOSS, FF_VISCOUS, FF_GRADED_WORK};

/* In-plane position of the centre of mass. */
double ff_lane_place(const ff_lane *lane, double way, double time, int i) {
    return lane->place0[i] + lane->alpha * way + lane->beta[i] * time +
           lane->gamma[i] * time * time / 2;
}

void ff_lane_frame_set(ff_lane *lane, const double n[3]) {
    /* the coordinate axis with the smallest component along n */
    int least = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    least = fabs(n[2]) < fabs(n[least]) ? 2 : least;
    double axis[3] = {0}, size;
    axis[least] = 1;
    ff_cross(n, axis, lane->across[0]);
    size = sqrt(ff_dot(lane->across[0], lane->across[0]));
    for (int c = 0; c < 3; c++) {
        lane->across[0][c] /= size;
    }
    ff_cross(n, lane->across[0], lane->across[1]);
}
