/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Example II of Xiong, Kikuuwe and Yamamoto 2013, for 2 s: a plain RK4 loop over their eq. 45 written by hand, the
 * same equations as functions of an inclusion, and the inclusion as text; each without and with accounts.
 * Functions and text must give the same results to the last bit. */

#include "clock.h"
#include "inclusion/equations.h"
#include "law/params.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double K = 5e5, alpha = 1.6e-3, beta = 2e-3, mu = 0.5, M1 = 0.5, M2 = 1, Ks = 100,
                    u = 1, g = 9.8;

/* ---- by hand ---- */

enum { STATES = 14, ACCOUNTS = 10 };

static double sat(double Z, double x) { return x > Z ? Z : x < -Z ? -Z : x; }

/* accounts: loss of each dio, of the damper and the clutch of each sgn, and the power of the belt */
static void by_hand(const double *y, double *dy, bool accounts) {
    const double *e = y + 8, *a = y + 11;
    double psi[3] = {y[0], y[2] - y[0], y[3]}, theta[3] = {y[5], y[5] - y[7], y[6] + u};
    double N[3], f[3];
    for (int i = 0; i < 3; i++) {
        double hold = e[i] - beta * (psi[i] + e[i]) / alpha;
        N[i] = K * (hold > 0 ? hold : 0);
        f[i] = K * sat(mu * N[i] / K, a[i] + beta * theta[i]);
        double free = -e[i] / beta, held = -(psi[i] + e[i]) / alpha;
        dy[8 + i] = free > held ? free : held;
        dy[11 + i] = (f[i] / K - a[i]) / beta;
        if (accounts) {
            dy[14 + i] = K * (beta - alpha) * dy[8 + i] * dy[8 + i];
            dy[17 + i] = K * beta * dy[11 + i] * dy[11 + i];
            dy[20 + i] = f[i] * (theta[i] - dy[11 + i]);
        }
    }
    for (int i = 0; i < 4; i++) {
        dy[i] = y[4 + i];
    }
    dy[4] = (N[0] - N[1]) / M1;
    dy[5] = (-Ks * y[1] - f[0] - f[1]) / M1;
    dy[6] = (-f[2] + N[1]) / M2;
    dy[7] = (f[1] + N[2]) / M2 - g;
    if (accounts) {
        dy[23] = f[2] * u;
    }
}

typedef struct {
    const char *name;
    enum { BY_HAND, FUNCTIONS, TEXT } how;
    bool ledger;
    ff_method method;
    double tol;
    double best, last; /* s; final position of M1, which keeps the compiler from removing code */
    long steps, evaluations;
} job;

static void run_by_hand(job *j) {
    double y[STATES + ACCOUNTS] = {0, 0.25, 0.05}, s[STATES + ACCOUNTS], k[4][STATES + ACCOUNTS];
    const double h = 1e-3;
    const bool accounts = j->ledger;
    const int n = accounts ? STATES + ACCOUNTS : STATES;
    for (int step = 0; step < 2000; step++) {
        by_hand(y, k[0], accounts);
        for (int i = 0; i < n; i++) {
            s[i] = y[i] + h / 2 * k[0][i];
        }
        by_hand(s, k[1], accounts);
        for (int i = 0; i < n; i++) {
            s[i] = y[i] + h / 2 * k[1][i];
        }
        by_hand(s, k[2], accounts);
        for (int i = 0; i < n; i++) {
            s[i] = y[i] + h * k[2][i];
        }
        by_hand(s, k[3], accounts);
        for (int i = 0; i < n; i++) {
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        }
    }
    j->last = y[1];
    j->steps = 2000;
    j->evaluations = 8000;
}

/* ---- as functions of an inclusion ---- */

static void arguments(void *user, double t, const double *x, double *psi, double *theta) {
    (void)user, (void)t;
    psi[0] = x[0];
    psi[1] = x[2] - x[0];
    psi[2] = x[3];
    theta[0] = x[5];
    theta[1] = x[5] - x[7];
    theta[2] = x[6] + u;
}

static void factors(void *user, double t, const double *x, const double *contact, double *chi) {
    (void)user, (void)t, (void)x;
    for (int i = 0; i < 3; i++) {
        chi[i] = mu * contact[i];
    }
}

static void rates(void *user, double t, const double *x, const double *N, const double *f,
                  double *dx) {
    (void)user, (void)t;
    for (int i = 0; i < 4; i++) {
        dx[i] = x[4 + i];
    }
    dx[4] = (N[0] - N[1]) / M1;
    dx[5] = (-Ks * x[1] - f[0] - f[1]) / M1;
    dx[6] = (N[1] - f[2]) / M2;
    dx[7] = (f[1] + N[2]) / M2 - g;
}

static double energy(void *user, double t, const double *x) {
    (void)user, (void)t;
    return M1 * (x[4] * x[4] + x[5] * x[5]) / 2 + M2 * (x[6] * x[6] + x[7] * x[7]) / 2 +
           Ks * x[1] * x[1] / 2 + M2 * g * x[3];
}

static double power(void *user, double t, const double *x, const double *N, const double *f) {
    (void)user, (void)t, (void)x, (void)N;
    return f[2] * u;
}

static const double first[8] = {0, 0.25, 0.05};
/* index of the state that is the rate of each state, or -1 */
static const int speed[8] = {4, 5, 6, 7, -1, -1, -1, -1};
static ff_dio_def dios[3];
static ff_sgn_def sgns[3];

static ff_inclusion_def functions(void) {
    ff_inclusion_def def = ff_inclusion_def_default();
    for (int i = 0; i < 3; i++) {
        ff_normal_make(&dios[i].law, ff_normal_law_find("xiong"), (double[]){K, alpha, beta}, NULL);
        ff_friction_make(&sgns[i].law, ff_friction_law_find("sat"), (double[]){1, K, beta}, NULL);
        sgns[i].dimension = 1;
    }
    def.states = 8;
    def.start = first;
    def.speed = speed;
    def.dio_count = def.sgn_count = 3;
    def.dios = dios;
    def.sgns = sgns;
    def.arguments = arguments;
    def.factors = factors;
    def.rates = rates;
    def.energy = energy;
    def.power = power;
    return def;
}

/* ---- as text ---- */

typedef ff_status adder(ff_equations *s, const char *name, const char *text, ff_expr_error *error);

static const struct {
    adder *add;
    const char *name, *text;
} lines[] = {
    {ff_equations_parameter, "mu", "0.5"},
    {ff_equations_parameter, "M1", "0.5 kg"},
    {ff_equations_parameter, "M2", "1 kg"},
    {ff_equations_parameter, "Ks", "100 N/m"},
    {ff_equations_parameter, "u", "1 m/s"},
    {ff_equations_parameter, "g", "9.8 m/s^2"},
    {ff_equations_state, "p1x", "0 m"},
    {ff_equations_state, "p1y", "0.25 m"},
    {ff_equations_state, "p2x", "0.05 m"},
    {ff_equations_state, "p2y", "0 m"},
    {ff_equations_state, "v1x", "0 m/s"},
    {ff_equations_state, "v1y", "0 m/s"},
    {ff_equations_state, "v2x", "0 m/s"},
    {ff_equations_state, "v2y", "0 m/s"},
    {ff_equations_let, "wall", "dio(p1x)"},
    {ff_equations_let, "side", "dio(p2x - p1x)"},
    {ff_equations_let, "belt", "dio(p2y)"},
    {ff_equations_let, "f1", "mu*wall*sgn(v1y)"},
    {ff_equations_let, "f2", "mu*side*sgn(v1y - v2y)"},
    {ff_equations_let, "f3", "mu*belt*sgn(v2x + u)"},
    {ff_equations_rate, "p1x", "v1x"},
    {ff_equations_rate, "p1y", "v1y"},
    {ff_equations_rate, "p2x", "v2x"},
    {ff_equations_rate, "p2y", "v2y"},
    {ff_equations_rate, "v1x", "(wall - side)/M1"},
    {ff_equations_rate, "v1y", "(-Ks*p1y - f1 - f2)/M1"},
    {ff_equations_rate, "v2x", "(side - f3)/M2"},
    {ff_equations_rate, "v2y", "(f2 + belt)/M2 - g"},
    {ff_equations_account, "energy",
     "M1*(v1x^2 + v1y^2)/2 + M2*(v2x^2 + v2y^2)/2 + Ks*p1y^2/2 + M2*g*p2y"},
    {ff_equations_account, "power", "f3*u"},
};

/* Parses and compiles the text; the laws are those of the functions. */
static ff_equations *compile(void) {
    ff_equations *s = ff_equations_create();
    ff_expr_error error;
    bool good = s;
    for (size_t i = 0; good && i < sizeof lines / sizeof *lines; i++) {
        good = lines[i].add(s, lines[i].name, lines[i].text, &error) == FF_OK;
    }
    for (size_t i = 0; good && i < 3; i++) {
        ff_equations_set_contact(s, i, &dios[i].law, "");
        ff_equations_set_friction(s, i, &sgns[i].law, "");
    }
    if (good && ff_equations_finish(s, &error) == FF_OK) {
        return s;
    }
    ff_equations_free(s);
    return NULL;
}

/* ---- comparison ---- */

static ff_inclusion_def by_functions, by_text;

static void run(void *user) {
    job *j = user;
    if (j->how == BY_HAND) {
        run_by_hand(j);
        return;
    }
    ff_inclusion_def def = j->how == TEXT ? by_text : by_functions;
    ff_run_options options = ff_run_options_default();
    ff_sim *inc;
    options.until = 2;
    options.dt = 1e-3;
    options.tol = j->tol;
    options.method = j->method;
    options.events = j->method != FF_RK4;
    def.ledger = j->ledger;
    def.energy = j->ledger ? def.energy : NULL;
    def.power = j->ledger ? def.power : NULL;
    if (ff_inclusion_create(&def, &options, &inc, NULL) < 0) {
        exit(1);
    }
    while (ff_sim_advance(inc, 2) == FF_EVENT) {
    }
    ff_statistics statistics = ff_sim_statistics(inc);
    j->last = ff_inclusion_at(inc).x[1];
    j->steps = statistics.steps;
    j->evaluations = statistics.evaluations;
    ff_sim_free(inc);
}

static void run_compile(void *user) {
    (void)user;
    ff_equations_free(compile());
}

int main(void) {
    by_functions = functions();
    ff_equations *system = compile();
    if (!system) {
        return 1;
    }
    by_text = *ff_equations_def(system);
    job jobs[] = {
        {.name = "rk4 1 ms, by hand",
         .how = BY_HAND,
         .ledger = false,
         .method = FF_RK4,
         .tol = 1e-6},
        {.name = "rk4 1 ms, functions",
         .how = FUNCTIONS,
         .ledger = false,
         .method = FF_RK4,
         .tol = 1e-6},
        {.name = "rk4 1 ms, text", .how = TEXT, .ledger = false, .method = FF_RK4, .tol = 1e-6},
        {.name = "rk4 1 ms, by hand, accounts",
         .how = BY_HAND,
         .ledger = true,
         .method = FF_RK4,
         .tol = 1e-6},
        {.name = "rk4 1 ms, functions, accounts",
         .how = FUNCTIONS,
         .ledger = true,
         .method = FF_RK4,
         .tol = 1e-6},
        {.name = "rk4 1 ms, text, accounts",
         .how = TEXT,
         .ledger = true,
         .method = FF_RK4,
         .tol = 1e-6},
        {.name = "auto 1e-6, functions, accounts",
         .how = FUNCTIONS,
         .ledger = true,
         .method = FF_AUTO,
         .tol = 1e-6},
        {.name = "auto 1e-6, text, accounts",
         .how = TEXT,
         .ledger = true,
         .method = FF_AUTO,
         .tol = 1e-6},
        {.name = "auto 1e-9, functions, accounts",
         .how = FUNCTIONS,
         .ledger = true,
         .method = FF_AUTO,
         .tol = 1e-9},
        {.name = "auto 1e-9, text, accounts",
         .how = TEXT,
         .ledger = true,
         .method = FF_AUTO,
         .tol = 1e-9},
    };
    enum { COUNT = sizeof jobs / sizeof *jobs };
    /* in turn, so that noise affects all alike; short ones more often */
    for (int turn = 0; turn < 60; turn++) {
        for (int i = 0; i < COUNT; i++) {
            for (int again = 0; again < (jobs[i].method == FF_RK4 ? 10 : 1); again++) {
                double start = bench_now();
                run(&jobs[i]);
                double seconds = bench_now() - start;
                jobs[i].best = jobs[i].best > 0 ? fmin(jobs[i].best, seconds) : seconds;
            }
        }
    }
    /* relative to the first of each group */
    printf("example II, 2 s%25s %9s %11s %8s\n", "time (ms)", "steps", "evaluations", "ratio");
    double against = 0, told = 0;
    bool same = true;
    for (int i = 0; i < COUNT; i++) {
        const job *j = &jobs[i];
        against = i == 0 || i == 3 || i == 6 || i == 8 ? j->best : against;
        printf("%-30s %9.3f %9ld %11ld %8.2f\n", j->name, j->best * 1e3, j->steps, j->evaluations,
               j->best / against);
        same = same && (j->how != TEXT || j->last == told);
        told = j->last;
    }
    printf("%-30s %9.3f\n", "compiling the text", bench_seconds(run_compile, NULL) * 1e3);
    ff_equations_free(system);
    if (!same) {
        fprintf(stderr, "text and functions differ\n");
    }
    return !same;
}
