/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Forward dynamics of chains of revolute joints: evaluations per second in both formulations, each as in a run
 * (motions of all bodies, forces, accelerations), and in MuJoCo and Bullet if installed, on the same chain in the
 * same state. The accelerations are compared to check that all solve the same problem. */

#include "rivals/chain.h"
#include "body/vector.h"
#include "clock.h"
#include "dynamics/dynamics.h"
#include "sim/sim.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* reproducible pseudo-random numbers between -1 and 1 */
static double chance(void) {
    static unsigned long long state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-52 - 1;
}

/* links about 0.3 m long with a mass of about 1 kg; axes alternately near x and y */
static chain random_chain(int n) {
    chain c = {.n = n};
    for (int i = 0; i < n; i++) {
        double length = 0;
        c.link[i].mass = 1 + 0.5 * chance();
        for (int k = 0; k < 3; k++) {
            c.link[i].inertia[k] = 0.02 + 0.005 * chance();
            c.link[i].axis[k] = (k == i % 2) + 0.2 * chance();
            c.link[i].anchor[k] = (k == 2 && i > 0 ? -0.15 : 0) + 0.03 * chance();
            c.link[i].com[k] = (k == 2 ? -0.15 : 0) + 0.03 * chance();
            length += c.link[i].axis[k] * c.link[i].axis[k];
        }
        for (int k = 0; k < 3; k++) {
            c.link[i].axis[k] /= sqrt(length);
        }
        c.q[i] = chance();
        c.u[i] = chance();
    }
    return c;
}

/* ---- footfall ---- */

typedef struct {
    ff_model *model;
    ff_sim *sim;
    ff_phase phase;
    double *rates;
} side;

static void stop(const char *what) {
    printf("%s\n", what);
    exit(1);
}

static void make(const chain *c, ff_formulation formulation, side *out) {
    ff_scene *scene = ff_scene_create();
    ff_run_options options = ff_run_options_default();
    ff_error error = {{0}};
    options.formulation = formulation;
    ff_scene_set_run(scene, &options);
    ff_scene_set_gravity(scene, (double[]){0, 0, -CHAIN_GRAVITY});
    for (int i = 0; i < c->n; i++) {
        char name[16];
        snprintf(name, sizeof name, "link%d", i);
        ff_body_def body = ff_body_def_default();
        body.name = name;
        body.mass = c->link[i].mass;
        memset(body.inertia, 0, sizeof body.inertia);
        ff_joint_def joint = ff_joint_def_default();
        joint.name = name;
        joint.kind = FF_JOINT_REVOLUTE;
        joint.first = i - 1;
        joint.second = i;
        joint.start[0] = c->q[i];
        joint.rate[0] = c->u[i];
        for (int k = 0; k < 3; k++) {
            body.inertia[k][k] = c->link[i].inertia[k];
            joint.axis[k] = c->link[i].axis[k];
            joint.anchor[k] = c->link[i].anchor[k];
            joint.second_anchor[k] = -c->link[i].com[k];
        }
        if (ff_scene_add_body(scene, &body) != i || ff_scene_add_joint(scene, &joint) != i) {
            stop("no memory");
        }
    }
    if (ff_model_create(scene, &out->model, &error) < 0) {
        stop(error.text);
    }
    if (ff_sim_create(out->model, NULL, &out->sim, NULL) < 0) {
        stop("no memory");
    }
    out->phase = out->sim->contexts[0];
    out->rates = calloc(out->model->size, sizeof *out->rates);
    ff_scene_free(scene);
}

static void run(void *self) {
    side *s = self;
    ff_dynamics_rates(s->model, &s->phase, 0, s->sim->flow.y, s->rates);
}

static void clear(void *self) {
    side *s = self;
    free(s->rates);
    ff_sim_free(s->sim);
    ff_model_free(s->model);
}

/* Joint accelerations: rates of the joint speeds, or differences of the links' angular accelerations along the
 * axes, alpha_i = alpha_(i-1) + a_i u_i' + omega_(i-1) x a_i u_i, whose last term is perpendicular to a_i. */
static void accelerations(const chain *c, const side *s, double *out) {
    for (int i = 0; i < c->n; i++) {
        if (s->model->tree->articulated) {
            out[i] = s->rates[s->model->body_at[i] + 1];
            continue;
        }
        const double *state = ff_body_state(s->sim->flow.y, i), *axis = c->link[i].axis;
        const double *own = s->rates + (size_t)i * FF_BODY_STRIDE + FF_OMEGA,
                     *before = own - FF_BODY_STRIDE;
        double turn[3][3];
        ff_rotation(state + FF_Q, turn);
        out[i] = 0;
        for (int k = 0; k < 3; k++) {
            out[i] += ff_dot(turn[k], axis) * (own[k] - (i > 0 ? before[k] : 0));
        }
    }
}

/* ---- comparison ---- */

typedef struct {
    const char *name;
    void (*run)(void *self);
    void (*clear)(void *self);
    void *self;
    double seconds, off; /* off: error of the accelerations relative to the largest */
    double found[CHAIN_MOST];
} runner;

/* Best times, measured in turn, so that noise affects all alike. */
static void race(runner *r, int count) {
    for (int round = 0; round < 60; round++) {
        for (int i = 0; i < count; i++) {
            long calls = 0;
            double start = bench_now(), passed;
            do {
                for (int k = 0; k < 10; k++) {
                    r[i].run(r[i].self);
                }
                calls += 10;
                passed = bench_now() - start;
            } while (passed < 0.002);
            r[i].seconds = fmin(r[i].seconds, passed / (double)calls);
        }
    }
}

static const rival *const rivals[] = {
#ifdef BENCH_MUJOCO
    &rival_mujoco,
#endif
#ifdef BENCH_BULLET
    &rival_bullet,
#endif
    NULL,
};

/* true if all accelerations agree */
static bool race_of(int n) {
    chain c = random_chain(n);
    side tree, loose;
    runner r[4] = {{"articulated", run, clear, &tree, INFINITY, 0, {0}},
                   {"maximal", run, clear, &loose, INFINITY, 0, {0}}};
    int count = 2;
    make(&c, FF_ARTICULATED, &tree);
    make(&c, FF_MAXIMAL, &loose);
    run(&tree);
    run(&loose);
    accelerations(&c, &tree, r[0].found);
    accelerations(&c, &loose, r[1].found);
    for (int i = 0; rivals[i]; i++) {
        void *self = rivals[i]->make(&c);
        if (self) {
            r[count] =
                (runner){rivals[i]->name, rivals[i]->run, rivals[i]->clear, self, INFINITY, 0, {0}};
            rivals[i]->run(self);
            rivals[i]->accelerations(self, r[count++].found);
        }
    }
    double largest = 0, best = INFINITY;
    bool agree = true;
    for (int k = 0; k < n; k++) {
        largest = fmax(largest, fabs(r[0].found[k]));
    }
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < n; k++) {
            r[i].off = fmax(r[i].off, fabs(r[i].found[k] - r[0].found[k]) / largest);
        }
        agree = agree && r[i].off < 1e-9;
    }
    race(r, count);
    for (int i = 2; i < count; i++) {
        best = fmin(best, r[i].seconds);
    }
    for (int i = 0; i < count; i++) {
        printf("%4d  %-12s %10.3e %9.1f", n, r[i].name, 1 / r[i].seconds, r[i].seconds / n * 1e9);
        if (isfinite(best)) {
            printf(" %8.2f", best / r[i].seconds);
        } else {
            printf(" %8s", "-");
        }
        printf(" %12.1e\n", r[i].off);
    }
    for (int i = 0; i < count; i++) {
        r[i].clear(r[i].self);
    }
    return agree;
}

int main(void) {
    static const int sizes[] = {6, 12, 30, 100};
    bool agree = true;
    printf("forward dynamics of chains of revolute joints; one core, best of 60 tries by turns\n");
    printf("%4s  %-12s %10s %9s %8s %12s\n", "n", "side", "a second", "ns/joint", "of best",
           "accel. off");
    for (int i = 0; i < 4; i++) {
        agree = race_of(sizes[i]) && agree;
    }
    printf("of best: how many times as often as the faster of the others here; off: from "
           "articulated, of "
           "the largest\n");
    if (!rivals[0]) {
        printf("neither MuJoCo nor Bullet is here (make setup GROUPS=rivals)\n");
    }
    if (!agree) {
        stop("accelerations do not agree to 1e-9");
    }
    return 0;
}
