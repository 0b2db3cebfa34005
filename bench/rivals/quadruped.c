/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* A robot with twelve joints (scenes/quadruped.yaml) falls on its feet and stands, in footfall and in MuJoCo at
 * its default step of 2 ms: times, measured in turn in one run, and errors. The contact models differ, so each
 * program is compared with itself: footfall with a tolerance of 1e-10, MuJoCo with small steps. The error is the
 * largest error of the trunk's position at ten times within a second. Run it in the directory that contains
 * bench/. */

#include "../clock.h"
#include <footfall/footfall.h>
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* the drop is from 0 to 1 s, standing from 3 s to 4 s, after it has settled */
enum { PLACES = 10 };
static const double drop_end = 1, stand_from = 3, stand_end = 4;
static const double coarse = 2e-3;

/* MuJoCo's defaults; elliptic friction cones instead of pyramids; and its fourth-order method. `fine`: a step
 * whose error is below a hundredth of that of 2 ms. */
typedef struct {
    const char *name;
    int integrator, cone;
    double fine;
} way;

static const way ways[] = {{"MuJoCo", mjINT_EULER, mjCONE_PYRAMIDAL, 1e-5},
                           {"MuJoCo, elliptic", mjINT_EULER, mjCONE_ELLIPTIC, 1e-5},
                           {"MuJoCo, RK4", mjINT_RK4, mjCONE_PYRAMIDAL, 1e-4}};
enum { WAYS = sizeof ways / sizeof *ways };

/* ---- MuJoCo ---- */

typedef struct {
    mjModel *model;
    mjData *data;
} robot;

/* body frames are at the joints; numbers as in scenes/quadruped.yaml */
static void write_leg(FILE *f, const char *name, double x, double y) {
    fprintf(f,
            "<body name=\"%s_hip\" pos=\"%g %g 0\"><inertial pos=\"0 0 0\" mass=\"0.5\" "
            "diaginertia=\"4e-4 6e-4 4e-4\"/>"
            "<joint name=\"%s_a\" type=\"hinge\" axis=\"1 0 0\" damping=\"3\"/>"
            "<body name=\"%s_thigh\" pos=\"0 %g 0\"><inertial pos=\"0 0 -0.1\" mass=\"0.8\" "
            "diaginertia=\"3e-3 3e-3 5e-4\"/>"
            "<joint name=\"%s_h\" type=\"hinge\" axis=\"0 1 0\" damping=\"3\"/>"
            "<body name=\"%s_shank\" pos=\"0 0 -0.2\"><inertial pos=\"0 0 -0.1\" mass=\"0.3\" "
            "diaginertia=\"1.2e-3 1.2e-3 5e-5\"/>"
            "<joint name=\"%s_k\" type=\"hinge\" axis=\"0 1 0\" damping=\"3\"/>"
            "<geom type=\"sphere\" size=\"0.02\" pos=\"0 0 -0.2\" contype=\"1\" "
            "conaffinity=\"0\" friction=\"0.6 0.005 0.0001\"/>"
            "</body></body></body>\n",
            name, x, y, name, name, y > 0 ? 0.08 : -0.08, name, name, name);
}

/* motors are springs to a target; their damping is joint damping, which MuJoCo integrates implicitly */
static void write_model(FILE *f) {
    static const char *legs[] = {"fl", "fr", "hl", "hr"};
    fprintf(f, "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\" autolimits=\"false\"/>"
               "<option gravity=\"0 0 -9.81\"/><worldbody>"
               "<geom type=\"plane\" size=\"0 0 1\" contype=\"0\" conaffinity=\"1\" friction=\"0.6 "
               "0.005 0.0001\"/>"
               "<body name=\"trunk\" pos=\"0 0 0.346\"><freejoint/><inertial pos=\"0 0 0\" "
               "mass=\"8\" diaginertia=\"0.03 0.12 0.13\"/>\n");
    for (int i = 0; i < 4; i++) {
        write_leg(f, legs[i], i < 2 ? 0.18 : -0.18, i % 2 ? -0.1 : 0.1);
    }
    fprintf(f, "</body></worldbody><actuator>\n");
    for (int i = 0; i < 4; i++) {
        for (const char *joint = "ahk"; *joint; joint++) {
            fprintf(f, "<position joint=\"%s_%c\" kp=\"150\"/>\n", legs[i], *joint);
        }
    }
    fprintf(f, "</actuator></mujoco>\n");
}

static robot make_robot(void) {
    char path[] = "/tmp/quadruped-XXXXXX", error[300] = "cannot be written";
    int file = mkstemp(path);
    FILE *f = file < 0 ? NULL : fdopen(file, "w");
    robot out = {0};
    if (f) {
        write_model(f);
        fclose(f);
        out.model = mj_loadXML(path, NULL, error, sizeof error);
        remove(path);
    }
    if (!out.model) {
        printf("MuJoCo does not take the robot: %s\n", error);
        exit(1);
    }
    out.data = mj_makeData(out.model);
    return out;
}

static void start_robot(const robot *r, const way *how, double dt) {
    static const double angles[] = {0, 0.7, -1.4};
    r->model->opt.timestep = dt;
    r->model->opt.integrator = how->integrator;
    r->model->opt.cone = how->cone;
    mj_resetData(r->model, r->data);
    for (int i = 0; i < 12; i++) {
        r->data->qpos[7 + i] = r->data->ctrl[i] = angles[i % 3];
    }
    r->data->qvel[0] = 0.3;
}

/* steps of length dt from the start to `end`; records the trunk at PLACES times after `from` */
static void run_robot(const robot *r, const way *how, double dt, double from, double end,
                      double (*places)[3]) {
    const long first = lround(from / dt), each = lround((end - from) / dt / PLACES);
    start_robot(r, how, dt);
    for (long i = 0; i < first; i++) {
        mj_step(r->model, r->data);
    }
    for (long i = 0; i < PLACES * each; i++) {
        mj_step(r->model, r->data);
        memcpy(places[i / each], r->data->qpos, sizeof *places);
    }
}

/* ---- footfall ---- */

static ff_model *model;

static ff_sim *sim_of(double tol) {
    ff_run_options o = *ff_model_run(model);
    ff_sim *sim;
    o.tol = tol;
    o.until = stand_end;
    if (ff_sim_create(model, &o, &sim, NULL) < 0) {
        exit(1);
    }
    return sim;
}

static void advance(ff_sim *sim, double until) {
    ff_status status;
    while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
    }
    if (status < 0) {
        printf("%s\n", ff_sim_error(sim));
        exit(1);
    }
}

/* each position by a separate uninterrupted run */
static void find_places(double tol, double from, double end, double (*places)[3]) {
    for (int i = 0; i < PLACES; i++) {
        ff_sim *sim = sim_of(tol);
        if (from > 0) {
            advance(sim, from);
        }
        advance(sim, from + (end - from) * (i + 1) / PLACES);
        memcpy(places[i], ff_sim_body(sim, 0).position, sizeof *places);
        ff_sim_free(sim);
    }
}

static double largest(double (*a)[3], double (*b)[3]) {
    double out = 0;
    for (int i = 0; i < PLACES; i++) {
        double off = 0;
        for (int c = 0; c < 3; c++) {
            off += (a[i][c] - b[i][c]) * (a[i][c] - b[i][c]);
        }
        out = fmax(out, sqrt(off));
    }
    return out;
}

/* ---- both ---- */

typedef struct {
    double from, end, seconds;
    long steps;
} part;

static void time_robot(const robot *r, const way *how, part *p) {
    start_robot(r, how, coarse);
    while (r->data->time < p->from - coarse / 2) {
        mj_step(r->model, r->data);
    }
    double start = bench_now();
    while (r->data->time < p->end - coarse / 2) {
        mj_step(r->model, r->data);
    }
    p->seconds = fmin(p->seconds, bench_now() - start);
}

static void time_footfall(double tol, part *p) {
    ff_sim *sim = sim_of(tol);
    if (p->from > 0) {
        advance(sim, p->from);
    }
    long before = ff_sim_statistics(sim).steps;
    double start = bench_now();
    advance(sim, p->end);
    p->seconds = fmin(p->seconds, bench_now() - start);
    p->steps = ff_sim_statistics(sim).steps - before;
    ff_sim_free(sim);
}

static void compare(const robot *r, const char *what, double from, double end) {
    static const double tols[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
    enum { TOLS = sizeof tols / sizeof *tols, TURNS = 30 };
    double exact[PLACES][3], seen[PLACES][3], error[TOLS], rival[WAYS];
    part theirs[WAYS], ours[TOLS];
    for (int i = 0; i < WAYS; i++) {
        theirs[i] = (part){from, end, INFINITY, lround((end - from) / coarse)};
        run_robot(r, &ways[i], ways[i].fine, from, end, exact);
        run_robot(r, &ways[i], coarse, from, end, seen);
        rival[i] = largest(seen, exact);
    }
    find_places(1e-10, from, end, exact);
    for (int i = 0; i < TOLS; i++) {
        ours[i] = (part){from, end, INFINITY, 0};
        find_places(tols[i], from, end, seen);
        error[i] = largest(seen, exact);
    }
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < WAYS; i++) {
            time_robot(r, &ways[i], &theirs[i]);
        }
        for (int i = 0; i < TOLS; i++) {
            time_footfall(tols[i], &ours[i]);
        }
    }
    printf("%s, %g s to %g s; best of %d by turns\n", what, from, end, (int)TURNS);
    printf("%-20s %7s %10s %10s\n", "", "steps", "ms", "error, m");
    for (int i = 0; i < WAYS; i++) {
        printf("%-20s %7ld %10.3f %10.1e\n", ways[i].name, theirs[i].steps, 1e3 * theirs[i].seconds,
               rival[i]);
    }
    for (int i = 0; i < TOLS; i++) {
        printf("footfall, tol %-6.0e %7ld %10.3f %10.1e\n", tols[i], ours[i].steps,
               1e3 * ours[i].seconds, error[i]);
    }
    for (int i = 0; i < WAYS; i++) {
        int best = -1;
        for (int k = 0; k < TOLS; k++) {
            if (error[k] <= rival[i] / 10 && (best < 0 || ours[k].seconds < ours[best].seconds)) {
                best = k;
            }
        }
        if (best < 0) {
            printf("%s: no tolerance here has a tenth of its error\n", ways[i].name);
        } else {
            printf("%s: at most a tenth of its error (%.2g) in %.2f of its time, at tol %.0e\n",
                   ways[i].name, error[best] / rival[i], ours[best].seconds / theirs[i].seconds,
                   tols[best]);
        }
    }
}

int main(void) {
    ff_messages messages = {0};
    ff_scene *scene;
    if (ff_scene_read("scenes/quadruped.yaml", NULL, 0, &scene, &messages) < 0 ||
        ff_model_create(scene, &model, NULL) < 0) {
        fprintf(stderr, "scenes/quadruped.yaml cannot be read\n");
        return 1;
    }
    robot r = make_robot();
    /* check that it is the same robot: the initial positions of the bodies agree */
    ff_sim *sim = sim_of(1e-6);
    start_robot(&r, &ways[0], coarse);
    mj_forward(r.model, r.data);
    for (size_t i = 0; i < ff_model_body_count(model); i++) {
        int body = mj_name2id(r.model, mjOBJ_BODY, ff_model_body_name(model, i));
        ff_motion at = ff_sim_body(sim, i);
        for (int c = 0; c < 3; c++) {
            if (body < 0 || fabs(r.data->xipos[3 * body + c] - at.position[c]) > 1e-12) {
                fprintf(stderr, "body '%s' is elsewhere\n", ff_model_body_name(model, i));
                return 1;
            }
        }
    }
    ff_sim_free(sim);
    compare(&r, "the drop", 0, drop_end);
    printf("  goal: at most the time of MuJoCo at a tenth of its error\n\n");
    compare(&r, "standing", stand_from, stand_end);
    printf("  goal: at most a fifth of its time\n");
    mj_deleteData(r.data);
    mj_deleteModel(r.model);
    ff_model_free(model);
    ff_scene_free(scene);
    return 0;
}
