/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _DEFAULT_SOURCE
#include "court.h"
#include <mujoco/mujoco.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* MuJoCo has no restitution. Its contacts are springs with dampers that do not pull, solref = time constant and damping ratio. A free
 * impact on such a spring returns (Schwager and Poschel 2007), with s = sqrt(1 - zeta^2),
 *
 *     e = exp(-(zeta/s) (pi - atan2(2 zeta s, 1 - 2 zeta^2))),
 *
 * which is solved for zeta. The time constant 1/(zeta omega) gives all the same stiffness, omega = 100/s, twice that of the default
 * (20 ms, 1): a contact lasts three hundredths of a second. */

static const double omega = 100;

static double ratio_for(double e) {
    double low = 1e-6, high = 1 - 1e-6;
    for (int i = 0; i < 60; i++) {
        const double zeta = (low + high) / 2, s = sqrt(1 - zeta * zeta);
        const double got = exp(-zeta / s * (M_PI - atan2(2 * zeta * s, 1 - 2 * zeta * zeta)));
        *(got > e ? &low : &high) = zeta;
    }
    return low;
}

static mjModel *model;
static mjData *data;
static bool diverged;

/* MuJoCo warns of numbers that are not finite, and starts anew. */
static void on_warning(const char *text) {
    (void)text;
    diverged = true;
}

void court_begin(double e, double z, double speed, double dt) {
    char path[] = "/tmp/court-XXXXXX", error[300] = "";
    const double zeta = ratio_for(e);
    int file = mkstemp(path);
    FILE *f = fdopen(file, "w");
    fprintf(
        f,
        "<mujoco><option gravity=\"0 0 0\" timestep=\"%.17g\"/><default><geom condim=\"1\" "
        "solref=\"%.17g %.17g\"/></default><worldbody><geom type=\"plane\" size=\"9 9 1\"/><body "
        "pos=\"0 0 %.17g\"><freejoint/><geom type=\"sphere\" size=\"%g\" mass=\"%g\"/></body>"
        "</worldbody></mujoco>",
        dt, 1 / (zeta * omega), zeta, z, COURT_RADIUS, COURT_MASS);
    fclose(f);
    model = mj_loadXML(path, NULL, error, sizeof error);
    remove(path);
    if (!model) {
        fprintf(stderr, "MuJoCo: %s\n", error);
        exit(1);
    }
    data = mj_makeData(model);
    data->qvel[2] = -speed;
    diverged = false;
}

void court_step(double dt) {
    (void)dt;
    mj_step(model, data);
}

double court_height(void) { return diverged ? (double)INFINITY : data->qpos[2]; }
double court_velocity(void) { return diverged ? (double)INFINITY : data->qvel[2]; }

void court_end(void) {
    mj_deleteData(data);
    mj_deleteModel(model);
}

int main(void) {
    mju_user_warning = on_warning;
    return court();
}
