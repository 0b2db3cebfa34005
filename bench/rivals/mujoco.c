/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "chain.h"
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* mj_forward() of a chain without contacts, constraints, passive forces and actuators: what remains is kinematics,
 * the mass matrix and its factorization, the bias forces and the accelerations. MuJoCo's parser rejects trees
 * deeper than 100 elements. */

typedef struct {
    mjModel *model;
    mjData *data;
} side;

static void write_model(const chain *c, FILE *f) {
    fprintf(f,
            "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\" autolimits=\"false\"/>"
            "<size nconmax=\"1\" njmax=\"1\"/><option gravity=\"0 0 %.17g\"><flag "
            "constraint=\"disable\" "
            "contact=\"disable\" passive=\"disable\" actuation=\"disable\"/></option><worldbody>",
            -CHAIN_GRAVITY);
    for (int i = 0; i < c->n; i++) {
        /* the frame of a body is at its anchor; the next body is positioned relative to it */
        double from[3];
        for (int k = 0; k < 3; k++) {
            from[k] = c->link[i].anchor[k] + (i > 0 ? c->link[i - 1].com[k] : 0);
        }
        fprintf(
            f,
            "<body pos=\"%.17g %.17g %.17g\"><inertial pos=\"%.17g %.17g %.17g\" mass=\"%.17g\" "
            "diaginertia=\"%.17g %.17g %.17g\"/><joint type=\"hinge\" axis=\"%.17g %.17g "
            "%.17g\"/>\n",
            from[0], from[1], from[2], c->link[i].com[0], c->link[i].com[1], c->link[i].com[2],
            c->link[i].mass, c->link[i].inertia[0], c->link[i].inertia[1], c->link[i].inertia[2],
            c->link[i].axis[0], c->link[i].axis[1], c->link[i].axis[2]);
    }
    for (int i = 0; i < c->n; i++) {
        fprintf(f, "</body>");
    }
    fprintf(f, "</worldbody></mujoco>\n");
}

static void clear(void *self) {
    side *s = self;
    mj_deleteData(s->data);
    mj_deleteModel(s->model);
    free(s);
}

static void *make(const chain *c) {
    char path[] = "/tmp/chain-XXXXXX", error[300] = "cannot be written";
    int file = mkstemp(path);
    FILE *f = file < 0 ? NULL : fdopen(file, "w");
    side *s = calloc(1, sizeof *s);
    if (f) {
        write_model(c, f);
        fclose(f);
        s->model = mj_loadXML(path, NULL, error, sizeof error);
        remove(path);
    }
    if (!s->model) {
        error[strcspn(error, "\n")] = 0;
        printf("MuJoCo does not take the chain of %d: %s\n", c->n, error);
        free(s);
        return NULL;
    }
    s->data = mj_makeData(s->model);
    for (int i = 0; i < c->n; i++) {
        s->data->qpos[i] = c->q[i];
        s->data->qvel[i] = c->u[i];
    }
    return s;
}

static void run(void *self) {
    side *s = self;
    mj_forward(s->model, s->data);
}

static void accelerations(void *self, double *out) {
    side *s = self;
    for (int i = 0; i < s->model->nv; i++) {
        out[i] = s->data->qacc[i];
    }
}

const rival rival_mujoco = {"MuJoCo", make, run, accelerations, clear};
