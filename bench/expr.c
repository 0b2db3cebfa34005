/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Right-hand sides as tapes compared with the same formulas in C: a foot of two springs on the ground (about 60
 * operations, two of them square roots), and a pendulum of two links (about 60, three of them sines and cosines).
 * Both must give the same bits. Then functions of time as interval Taylor series, which surveys of a run need. */

#include "clock.h"
#include "expr/series.h"
#include "expr/tape.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 6, RUNS = 100 };

static const char *const foot[] = {
    "vx",
    "vz",
    "w",
    "(if(z < 0, max(0, (-z)^1.5*(k - c*vz)), 0)*-mu*vx/sqrt(vx^2 + eps^2) - kx*(x - u*w) - d*vx)/m",
    "(if(z < 0, max(0, (-z)^1.5*(k - c*vz)), 0) - kz*(z - 0.1) - d*vz + kz*u*x*0.5)/m - g",
    ("(kx*(x - u*w)*u - kz*(z - 0.1)*x*0.5 - d*w*(u^2 + x^2) + mu*m*g*u)/(j + m*u*u) - w*w*x/(1 + "
     "z*z)")};

static const char *const pendulum[] = {
    "w1", "w2",
    "(-g*(2*m1 + m2)*sin(a1) - m2*g*sin(a1 - 2*a2) - 2*sin(a1 - a2)*m2*(w2^2*l2 + "
    "w1^2*l1*cos(a1 - a2)))/(l1*(2*m1 + m2 - m2*cos(2*a1 - 2*a2))) - d*w1",
    "2*sin(a1 - a2)*(w1^2*l1*(m1 + m2) + g*(m1 + m2)*cos(a1) + w2^2*l2*m2*cos(a1 - a2))/"
    "(l2*(2*m1 + m2 - m2*cos(2*a1 - 2*a2))) - d*w2 + kp*(t1 - a2) - kd*w2*w1*w1"};

static const double foot_constants[] = {8.5e6, 3.1e3, 0.2, 1e-3, 2e3, 3e3, 5, 1.5, 9.81, 0.02};
static const double pendulum_constants[] = {9.81, 1.2, 0.7, 0.5, 0.4, 0.01, 3, 0.2, 0.3};

static void foot_c(const double *restrict y, double *restrict out) {
    const double k = 8.5e6, c = 3.1e3, mu = 0.2, eps = 1e-3, kx = 2e3, kz = 3e3, d = 5, m = 1.5,
                 g = 9.81, j = 0.02;
    const double x = y[0], z = y[1], u = y[2], vx = y[3], vz = y[4], w = y[5];
    const double f = z < 0 ? ff_max(0, -z * sqrt(-z) * (k - c * vz)) : 0;
    out[0] = vx;
    out[1] = vz;
    out[2] = w;
    out[3] = (f * -mu * vx / sqrt(vx * vx + eps * eps) - kx * (x - u * w) - d * vx) / m;
    out[4] = (f - kz * (z - 0.1) - d * vz + kz * u * x * 0.5) / m - g;
    out[5] = (kx * (x - u * w) * u - kz * (z - 0.1) * x * 0.5 - d * w * (u * u + x * x) +
              mu * m * g * u) /
                 (j + m * u * u) -
             w * w * x / (1 + z * z);
}

static void pendulum_c(const double *restrict y, double *restrict out) {
    const double g = 9.81, m1 = 1.2, m2 = 0.7, l1 = 0.5, l2 = 0.4, d = 0.01, kp = 3, kd = 0.2,
                 t1 = 0.3;
    const double a1 = y[0], a2 = y[1], w1 = y[2], w2 = y[3];
    const double s = sin(a1 - a2), c = cos(a1 - a2);
    const double below = 2 * m1 + m2 - m2 * cos(2 * a1 - 2 * a2);
    out[0] = w1;
    out[1] = w2;
    out[2] = (-g * (2 * m1 + m2) * sin(a1) - m2 * g * sin(a1 - 2 * a2) -
              2 * s * m2 * (w2 * w2 * l2 + w1 * w1 * l1 * c)) /
                 (l1 * below) -
             d * w1;
    out[3] = 2 * s * (w1 * w1 * l1 * (m1 + m2) + g * (m1 + m2) * cos(a1) + w2 * w2 * l2 * m2 * c) /
                 (l2 * below) -
             d * w2 + kp * (t1 - a2) - kd * w2 * w1 * w1;
}

static const struct {
    const char *name;
    const char *const *texts;
    size_t count;
    const char *const *names;
    size_t state_count, name_count;
    const double *constants;
    void (*c)(const double *restrict y, double *restrict out);
} systems[] = {
    {"foot", foot, 6,
     (const char *const[]){"x", "z", "u", "vx", "vz", "w", "k", "c", "mu", "eps", "kx", "kz", "d",
                           "m", "g", "j"},
     6, 16, foot_constants, foot_c},
    {"pendulum", pendulum, 4,
     (const char *const[]){"a1", "a2", "w1", "w2", "g", "m1", "m2", "l1", "l2", "d", "kp", "kd",
                           "t1"},
     4, 13, pendulum_constants, pendulum_c},
};

static double states[RUNS][STATES], results[RUNS][STATES], wanted[RUNS][STATES];

typedef struct {
    const ff_tape *tape;
    double *work;
    size_t count;
    size_t places[STATES];
    void (*c)(const double *restrict y, double *restrict out);
} job;

static void by_tape(const job *j, const double *y, double *out) {
    for (size_t k = 0; k < j->count; k++) {
        j->work[k] = y[k];
    }
    ff_tape_run(j->tape, 0, j->work);
    for (size_t k = 0; k < j->count; k++) {
        out[k] = j->work[j->places[k]];
    }
}

/* independent states: the processor can overlap evaluations */
static void apart_tape(void *user) {
    for (int i = 0; i < RUNS; i++) {
        by_tape(user, states[i], results[i]);
    }
}

static void apart_c(void *user) {
    for (int i = 0; i < RUNS; i++) {
        ((const job *)user)->c(states[i], wanted[i]);
    }
}

/* as in an integrator: each evaluation depends on the previous result */
static void move(double *y, const double *rate) {
    for (int k = 0; k < STATES; k++) {
        y[k] += 1e-9 * rate[k];
    }
}

static void chain_tape(void *user) {
    double y[STATES];
    memcpy(y, states[1], sizeof y);
    for (int i = 0; i < RUNS; i++) {
        by_tape(user, y, results[i]);
        move(y, results[i]);
    }
}

static void chain_c(void *user) {
    double y[STATES];
    memcpy(y, states[1], sizeof y);
    for (int i = 0; i < RUNS; i++) {
        ((const job *)user)->c(y, wanted[i]);
        move(y, wanted[i]);
    }
}

static int measure(const char *name, const char *how, job *j, void (*tape)(void *user),
                   void (*c)(void *user)) {
    memset(results, 0, sizeof results);
    memset(wanted, 0, sizeof wanted);
    double tape_time = bench_seconds(tape, j), c_time = bench_seconds(c, j);
    printf("%-10s %-6s %6zu %10.1f %10.1f %6.2f\n", name, how, ff_tape_length(j->tape),
           1e9 * tape_time / RUNS, 1e9 * c_time / RUNS, tape_time / c_time);
    if (memcmp(results, wanted, sizeof results) != 0) {
        printf("%s: the tape gives other bits than C\n", name);
        return 1;
    }
    return 0;
}

/* functions of time, on a short piece near what happens, and on a long one far away */
static const char *const functions[] = {
    "3*sin(2*pi*50*t)", "5*exp(-((t - 1)/0.001)^2)", "(1 - tanh((t - 1)/0.001)^2)^2",
    "7/(1 + exp((1 - t)/0.001))", "2/(1 + ((t - 1)/0.001)^2)^2"};
static const ff_interval near_and_far[] = {{1, 1.0001}, {1.1, 1.2}};

typedef struct {
    const ff_tape *tape;
    ff_interval *work;
    int order;
} series_job;

static void run_series(void *user) {
    const series_job *j = user;
    for (int i = 0; i < RUNS; i++) {
        ff_series_run(j->tape, 0, j->order, j->work);
    }
}

static int measure_series(void) {
    static const int orders[] = {0, 1, 4, 8};
    const ff_expr_name_def time = {.name = "t"};
    const ff_expr_scope scope = {&time, 1, NULL, 0};
    printf("\n%-32s %6s %6s %10s %10s %10s %10s\n", "series", "piece", "steps", "order 0 ns",
           "order 1", "order 4", "order 8");
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        ff_expr_pool *pool = ff_expr_pool_create();
        ff_expr_error error;
        ff_tape *tape;
        const ff_expr e = ff_expr_parse(pool, functions[f], NULL, 0, &error);
        if (ff_tape_compile(pool, &e, &(size_t){1}, 1, 0, &scope, &tape, &error) < 0) {
            printf("%s: column %zu: %s\n", functions[f], error.column, error.text);
            return 1;
        }
        for (size_t p = 0; p < 2; p++) {
            printf("%-32s %6s %6zu", functions[f], p == 0 ? "near" : "far", ff_tape_length(tape));
            for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
                series_job j = {tape, calloc(ff_series_room(tape, orders[o]), sizeof *j.work),
                                orders[o]};
                ff_series_begin(tape, j.order, j.work);
                j.work[0] = near_and_far[p];
                if (j.order > 0) {
                    j.work[1] = ff_interval_of(1);
                }
                printf(" %10.0f", 1e9 * bench_seconds(run_series, &j) / RUNS);
                free(j.work);
            }
            printf("\n");
        }
        ff_tape_free(tape);
        ff_expr_pool_free(pool);
    }
    return 0;
}

int main(void) {
    int status = 0;
    printf("%-10s %-6s %6s %10s %10s %6s\n", "system", "runs", "steps", "tape ns", "C ns", "ratio");
    for (int i = 0; i < RUNS; i++) {
        for (int k = 0; k < STATES; k++) {
            states[i][k] = sin(1.7 * i + 0.9 * k);
        }
    }
    for (size_t s = 0; s < sizeof systems / sizeof *systems; s++) {
        ff_expr_pool *pool = ff_expr_pool_create();
        ff_expr_error error;
        ff_expr outputs[STATES];
        ff_expr_name_def names[16] = {{0}};
        ff_tape *tape;
        for (size_t i = 0; i < systems[s].name_count; i++) {
            names[i].name = systems[s].names[i];
            names[i].value = i < systems[s].state_count
                                 ? NULL
                                 : &systems[s].constants[i - systems[s].state_count];
        }
        for (size_t i = 0; i < systems[s].count; i++) {
            outputs[i] = ff_expr_parse(pool, systems[s].texts[i], NULL, 0, &error);
        }
        ff_expr_scope scope = {names, systems[s].name_count, NULL, 0};
        if (ff_tape_compile(pool, outputs, &systems[s].count, 1, 0, &scope, &tape, &error) < 0) {
            printf("%s: column %zu: %s\n", systems[s].name, error.column, error.text);
            return 1;
        }
        job j = {.tape = tape,
                 .work = malloc(ff_tape_room(tape) * sizeof(double)),
                 .count = systems[s].count,
                 .c = systems[s].c};
        for (size_t i = 0; i < systems[s].count; i++) {
            j.places[i] = ff_tape_place(tape, i);
        }
        ff_tape_begin(tape, j.work);
        status |= measure(systems[s].name, "apart", &j, apart_tape, apart_c);
        status |= measure(systems[s].name, "chain", &j, chain_tape, chain_c);
        free(j.work);
        ff_tape_free(tape);
        ff_expr_pool_free(pool);
    }
    return status | measure_series();
}
