/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Elementary functions compared with those of the C library, measured in turn: nanoseconds per call and their
 * ratio. The C library chooses its variants for this CPU. */

#include "clock.h"
#include "num/elementary.h"
#include <math.h>
#include <stdio.h>

enum { COUNT = 1024 };

static double x[COUNT], y[COUNT];
/* otherwise compilers would remove unused results */
static volatile double out[COUNT];

typedef struct {
    double (*one)(double a);
    double (*two)(double a, double b);
} job;

static void run(void *user) {
    const job *j = user;
    for (int i = 0; i < COUNT; i++) {
        out[i] = j->one ? j->one(x[i]) : j->two(x[i], y[i]);
    }
}

static void both(void *user) {
    (void)user;
    for (int i = 0; i < COUNT; i++) {
        double s, c;
        ff_sincos(x[i], &s, &c);
        out[i] = s + c;
    }
}

static void both_of_libm(void *user) {
    (void)user;
    for (int i = 0; i < COUNT; i++) {
        out[i] = sin(x[i]) + cos(x[i]);
    }
}

static double random(double low, double high) {
    static unsigned long long seed = 1;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

static void compare(const char *name, void (*ours)(void *), void *our, void (*libm)(void *),
                    void *their) {
    double a = bench_seconds(ours, our), b = bench_seconds(libm, their);
    a = fmin(a, bench_seconds(ours, our));
    b = fmin(b, bench_seconds(libm, their));
    printf("%-20s %8.2f %8.2f %8.2f\n", name, a / COUNT * 1e9, b / COUNT * 1e9, a / b);
}

#define ONE(name) #name, ff_##name, name, NULL, NULL
#define TWO(name) #name, NULL, NULL, ff_##name, name

int main(void) {
    static const struct {
        const char *name;
        double (*ours)(double), (*libm)(double);
        double (*ours2)(double, double), (*libm2)(double, double);
        double low, high;
        const char *range;
    } cases[] = {
        {ONE(exp), -20, 20, ""},         {ONE(expm1), -2, 2, ""},    {ONE(log), 1e-3, 1e3, ""},
        {ONE(log1p), -0.5, 2, ""},       {ONE(log2), 1e-3, 1e3, ""}, {ONE(log10), 1e-3, 1e3, ""},
        {TWO(pow), 1e-4, 2, ""},         {ONE(cbrt), 1e-3, 1e3, ""}, {TWO(hypot), 1e-3, 2, ""},
        {ONE(sin), -0.7, 0.7, " small"}, {ONE(sin), -10, 10, ""},    {ONE(sin), 1e7, 1e9, " large"},
        {ONE(cos), -0.7, 0.7, " small"}, {ONE(cos), -10, 10, ""},    {ONE(tan), -10, 10, ""},
        {ONE(asin), -1, 1, ""},          {ONE(acos), -1, 1, ""},     {ONE(atan), -3, 3, ""},
        {TWO(atan2), -2, 2, ""},         {ONE(sinh), -5, 5, ""},     {ONE(cosh), -5, 5, ""},
        {ONE(tanh), -2, 2, ""},
    };
    printf("%-20s %8s %8s %8s\n", "", "ours", "libm", "ratio");
    printf("%-20s %8s %8s\n", "", "ns", "ns");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int k = 0; k < COUNT; k++) {
            x[k] = random(cases[i].low, cases[i].high);
            y[k] = random(-2, 3);
        }
        job ours = {cases[i].ours, cases[i].ours2}, libm = {cases[i].libm, cases[i].libm2};
        char name[40];
        snprintf(name, sizeof name, "%s%s", cases[i].name, cases[i].range);
        compare(name, run, &ours, run, &libm);
    }
    for (int k = 0; k < COUNT; k++) {
        x[k] = random(-0.7, 0.7);
    }
    compare("sin and cos, small", both, NULL, both_of_libm, NULL);
    return 0;
}
