/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Compares `auto` with the best single method at equal error, over scenes and tolerances.
 *
 *     bench-auto [--quick] [--once] [--long] [--all] [--limit SECONDS] [SCENE]...
 *
 * Each scene is run by every error-controlled method at tolerances 1e-3 to 1e-12. The cost of a single method at
 * the error reached by auto is interpolated on its curve of log(cost) over log(error). auto is compared with the
 * cheapest method, once by time and once by counted cost. --quick: every second tolerance, fewer scenes; --once:
 * no repeated runs for timing; --long: more spheres; --all: print a line for every run; SCENE: only scenes whose
 * names begin with it. Run it in the directory that contains scenes/.
 *
 * Errors are observed at fixed times, also during impacts, where a difference in time of 1e-12 s is one of 1e-10 in
 * velocity. In a single run with stiff friction they vary by a factor of ten with any small change of the start, of the
 * order of the evaluations or of the method's control, which changes the ratio of a cell by a third. These scenes are
 * therefore run from eight starts that differ slightly; costs and the logarithms of errors are averaged.
 *
 * Among the worst cells is stiff friction that bounces (coulomb, awrejcewicz, lugre) at 1e-9 to 1e-11: 1.3 to 1.45 times
 * the counted cost of rodas. At equal tolerance auto costs less than rodas there (0.8 times at 1e-8 to 1e-10), but its
 * error is ten times as large. Nearly all of that error arises in the last step before lift-off, where the friction is no
 * longer stiff and auto has returned to dopri5: the force ends as (t_end - t)^1.5, so the error of a step of dopri5 reaches
 * its limit (0.04 tol in the velocity at 1e-8), and later bounces amplify it, while rodas stays at a twentieth of it. A
 * larger margin for rodas does not help, only keeping it up to lift-off: 6 % more cost and a tenth of the error at
 * 1e-8. Waiting for excess costs of 100 to 1,000 evaluations before returning, and a tenth of the tolerance for dopri5
 * afterwards, moved the worst cells to other tolerances (1.2 to 1.7 at 1e-9) and made quadruped-stands 7 % more
 * expensive. Steps of rodas below 1e-8 are limited by the error estimate of the accounts, which is two orders below
 * that of their quadrature: without this limit rodas takes 11 % less at 1e-8, 24 % at 1e-10, 37 % at 1e-12. */

#include "io/scene_file.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- scenes ---- */

/* reproducible pseudo-random numbers (Knuth's multiplier) */
static double random_part(unsigned long long *seed) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* Spheres of 1 cm on a slightly perturbed lattice of four by four fall into an open box and onto each other. */
static char *spheres_in_box(int count) {
    const size_t room = 2000 + 200 * (size_t)count;
    char *text = malloc(room);
    size_t used = 0;
    unsigned long long seed = 1;
    if (!text) {
        exit(1);
    }
    used += (size_t)snprintf(text, room, "bodies:\n");
    for (int i = 0; i < count; i++) {
        double at[3] = {0.025 * (i % 4) - 0.0375, 0.025 * (i / 4 % 4) - 0.0375,
                        0.012 + 0.023 * (i / 16)};
        used += (size_t)snprintf(
            text + used, room - used,
            "  s%d: {mass: 10 g, shape: {sphere: {radius: 1 cm}}, position: [%.6f, %.6f, %.6f],"
            " velocity: [%.3f, %.3f, -0.2]}\n",
            i, at[0] + 0.002 * (random_part(&seed) - 0.5),
            at[1] + 0.002 * (random_part(&seed) - 0.5), at[2], random_part(&seed) - 0.5,
            random_part(&seed) - 0.5);
    }
    used += (size_t)snprintf(text + used, room - used,
                             "ground:\n"
                             "  floor: {plane: {normal: [0, 0, 1]}}\n"
                             "  west: {plane: {point: [-5 cm, 0, 0], normal: [1, 0, 0]}}\n"
                             "  east: {plane: {point: [5 cm, 0, 0], normal: [-1, 0, 0]}}\n"
                             "  south: {plane: {point: [0, -5 cm, 0], normal: [0, 1, 0]}}\n"
                             "  north: {plane: {point: [0, 5 cm, 0], normal: [0, -1, 0]}}\n"
                             "pairs:\n"
                             "  - between: [\"s*\", \"*\"]\n"
                             "    normal: {law: azad-featherstone, k: 1e6, lambda: 1e3}\n"
                             "    friction: {law: clutch, mu: 0.3, k: 1.5e6, damping: 1e3}\n");
    return text;
}

/* Balls of 1 kg on a plate with four feet that is pushed sideways: a small force on stiff sticking contacts. */
static char *plate_of_balls(int count) {
    const size_t room = 2000 + 150 * (size_t)count;
    char *text = malloc(room);
    size_t used = 0;
    if (!text) {
        exit(1);
    }
    used += (size_t)snprintf(text, room,
                             "bodies:\n"
                             "  box: {mass: 10, inertia: 1, lock: rotation, position: [0, 0, "
                             "0.49998], shape: {spheres: ["
                             "{name: top, center: [0, 0, -99999.5], radius: 1e5},"
                             "{name: foot0, center: [-9, -9, -0.4], radius: 0.1},"
                             "{name: foot1, center: [-9, 9, -0.4], radius: 0.1},"
                             "{name: foot2, center: [9, -9, -0.4], radius: 0.1},"
                             "{name: foot3, center: [9, 9, -0.4], radius: 0.1}]}}\n");
    for (int i = 0; i < count; i++) {
        used += (size_t)snprintf(
            text + used, room - used,
            "  ball%d: {mass: 1, shape: {sphere: {radius: 0.5}}, position: [%d, %d, 1.49994]}\n", i,
            2 * (i / 5) - 4, 2 * (i % 5) - 4);
    }
    snprintf(text + used, room - used,
             "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
             "pairs:\n"
             "  - between: [\"box.foot*\", floor]\n"
             "    normal: {law: azad-featherstone, k: 9.6e8, lambda: 1.92e6}\n"
             "    friction: {law: clutch, mu: 0.4, k: 1.44e9, damping: 1.92e6}\n"
             "  - between: [\"ball*\", box.top]\n"
             "    normal: {law: azad-featherstone, k: 3.88e7, lambda: 7.76e4}\n"
             "    friction: {law: clutch, mu: 0.8, k: 5.82e7, damping: 7.76e4}\n"
             "forces: {push: {constant: {body: box, force: [0, 150, 0]}}}\n");
    return text;
}

typedef struct {
    const char *name, *file, *text; /* a file, or a text with one %s for `part` */
    const char *part;
    char *(*build)(int count);
    int count;      /* number of generated spheres */
    double until;   /* end time, s: short enough that step errors grow by less than 1e3 */
    double settle;  /* s: the run starts from the state at this time, nearly at rest */
    int tolerances; /* number of tolerances, from 1e-3 down; 0: all */
    int starts;     /* number of starts over which costs and errors are averaged; 0: one */
    bool quick, only_long;
} scene;

#define STIFF                                                                                      \
    "bodies: {ball: {mass: 1, shape: {sphere: {radius: 5 cm}}, position: [0, 0, 5.2 cm],"          \
    " velocity: [0.3, 0.1, 0]}}\n"                                                                 \
    "ground: {floor: {plane: {normal: [0.05, 0, 1]}}}\n"                                           \
    "pairs: [{between: [ball, floor], normal: {law: hunt-crossley, k: 1e7, lambda: 1e7},"          \
    " friction: %s}]\n"

/* a box with spheres as corners falls on a slope and tumbles */
#define BOX                                                                                        \
    "bodies: {box: {mass: 1 kg, shape: {box: {size: [10 cm, 10 cm, 15 cm], corner_radius: 5 mm}}," \
    " position: [0, 0, 14 cm], orientation: {axis: [-0.01, 0.07, 0.8], angle: 1.67},"              \
    " velocity: [0.5, 0, 0], omega: [2.8, 3.4, -2.1]}}\n"                                          \
    "ground: {floor: {plane: {normal: [0.054, 0, 1]}}}\n"                                          \
    "pairs: [{between: [box, floor], normal: {law: azad-featherstone, k: 9.7e6, lambda: 4.1e3},"   \
    " friction: %s}]\n"

#define GROOVE                                                                                     \
    "bodies: {ball: {mass: 100 g, shape: {sphere: {radius: 2 cm}},"                                \
    " position: [3 mm, -16.6 mm, 10.8 cm], velocity: [-0.062, 0.357, 0]}}\n"                       \
    "ground: {left: {plane: {normal: [1, 0.031, 0.855]}},"                                         \
    " right: {plane: {normal: [-1, 0.386, 1.458]}}}\n"                                             \
    "pairs: [{between: [ball, \"*\"], normal: {law: azad-featherstone, k: 6.45e5, lambda: 164},"   \
    " friction: %s}]\n"

static const scene scenes[] = {
    {.name = "rolling", .file = "scenes/rolling.yaml", .until = 1, .quick = true},
    {.name = "drop", .file = "scenes/drop.yaml", .until = 5, .quick = true},
    {.name = "foot", .file = "scenes/foot.yaml", .until = 0.7, .quick = true},
    {.name = "collision", .file = "scenes/collision.yaml", .until = 0.05},
    {.name = "biped", .file = "scenes/biped.yaml", .until = 1, .quick = true},
    {.name = "quadruped-drop", .file = "scenes/quadruped.yaml", .until = 0.3, .quick = true},
    {.name = "quadruped-stands",
     .file = "scenes/quadruped.yaml",
     .until = 0.5,
     .settle = 1,
     .quick = true},
    {.name = "spheres-5", .build = spheres_in_box, .count = 5, .until = 0.1},
    {.name = "spheres-10", .build = spheres_in_box, .count = 10, .until = 0.1, .quick = true},
    {.name = "spheres-20", .build = spheres_in_box, .count = 20, .until = 0.1},
    {.name = "spheres-40", .build = spheres_in_box, .count = 40, .until = 0.05},
    {.name = "spheres-80", .build = spheres_in_box, .count = 80, .until = 0.03},
    {.name = "spheres-160",
     .build = spheres_in_box,
     .count = 160,
     .until = 0.03,
     .only_long = true},
    {.name = "spheres-300",
     .build = spheres_in_box,
     .count = 300,
     .until = 0.03,
     .only_long = true},
    {.name = "plate",
     .build = plate_of_balls,
     .count = 25,
     .until = 0.2,
     .tolerances = 5,
     .quick = true},
    {.name = "groove", .text = GROOVE, .part = "{law: none}", .until = 1},
    {.name = "groove-rough",
     .text = GROOVE,
     .part = "{law: clutch, mu: 0.3, k: 9.7e5, damping: 164}",
     .until = 1,
     .quick = true},
    {.name = "box", .text = BOX, .part = "{law: none}", .until = 0.4},
    {.name = "box-rough",
     .text = BOX,
     .part = "{law: clutch, mu: 0.4, k: 1.45e7, damping: 4.1e3}",
     .until = 0.4,
     .quick = true},
    {.name = "coulomb",
     .text = STIFF,
     .part = "{law: coulomb, mu: 0.3, v_ramp: 1e-5}",
     .until = 1,
     .starts = 8},
    {.name = "awrejcewicz",
     .text = STIFF,
     .part = "{law: awrejcewicz, mu: 0.3, epsilon: 1e-5}",
     .until = 1,
     .starts = 8},
    {.name = "bengisu-akay",
     .text = STIFF,
     .part = "{law: bengisu-akay, mu_s: 0.4, mu: 0.3, v0: 1e-5, xi: 100}",
     .until = 1,
     .starts = 8,
     .quick = true},
    {.name = "dahl",
     .text = STIFF,
     .part = "{law: dahl, mu: 0.3, k: 1e5}",
     .until = 1,
     .starts = 8},
    {.name = "lugre",
     .text = STIFF,
     .part = "{law: lugre, mu: 0.3, k: 1e5, damping: 300, viscous: 0.1}",
     .until = 1,
     .starts = 8,
     .quick = true},
    {.name = "clutch",
     .text = STIFF,
     .part = "{law: clutch, mu: 0.3, k: 1.5e7, damping: 1e6}",
     .until = 1,
     .starts = 8,
     .quick = true},
    {.name = "sat",
     .text = STIFF,
     .part = "{law: sat, mu: 0.3, k: 1e5, beta: 0.05}",
     .until = 1,
     .starts = 8},
};

enum { SCENES = sizeof scenes / sizeof *scenes };

static ff_model *model_of(const scene *s) {
    ff_scene *parsed = NULL;
    ff_model *model = NULL;
    ff_messages messages = {0};
    ff_error error = {""};
    ff_status status;
    if (s->file) {
        status = ff_scene_read(s->file, NULL, 0, &parsed, &messages);
    } else {
        char *text = s->build ? s->build(s->count) : malloc(2000);
        if (!text) {
            exit(1);
        }
        if (!s->build) {
            snprintf(text, 2000, s->text, s->part);
        }
        status = ff_scene_parse(s->name, text, strlen(text), NULL, 0, INFINITY, &parsed, &messages);
        free(text);
    }
    if (status < 0 || ff_model_create(parsed, &model, &error) < 0) {
        char line[400] = "";
        if (messages.count > 0) {
            ff_message_format(&messages.at[0], line, sizeof line);
        }
        printf("%s: %s%s\n", s->name, line, error.text);
    }
    ff_messages_clear(&messages);
    ff_scene_free(parsed);
    return model;
}

/* ---- one run ---- */

/* Number of times at which the bodies are compared: at a single time the error may be small by chance. */
enum { LOOKS = 16 };

enum {
#define ACCOUNT(name) AT_##name,
    FF_LEDGER_LIST(ACCOUNT)
#undef ACCOUNT
        ACCOUNTS
};

typedef struct {
    ff_motion *bodies; /* at each comparison time */
    double touch;      /* time of the last touch-down, s */
    double accounts[ACCOUNTS], scale;
    double seconds, cost, error;
    ff_statistics statistics;
    ff_status status; /* FF_STOPPED: time limit exceeded */
} outcome;

/* CPU time of this thread, because the machine is shared. */
static double seconds_used(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
    double end; /* deadline, in seconds_used() */
} deadline;

static bool is_over(void *user) { return seconds_used() > ((deadline *)user)->end; }

static void look(ff_sim *sim, const ff_model *model, ff_motion *out) {
    for (size_t i = 0; i < ff_model_body_count(model); i++) {
        out[i] = ff_sim_body(sim, i);
    }
}

static outcome run(const ff_model *model, const ff_motion *start, ff_method method, double tol,
                   double until, double limit) {
    ff_run_options o = *ff_model_run(model);
    const size_t count = ff_model_body_count(model);
    outcome out = {.bodies = calloc(LOOKS * count, sizeof(ff_motion))};
    ff_sim *sim;
    int looks = 0;
    o.method = method;
    o.tol = tol;
    o.until = until;
    if (!out.bodies) {
        exit(1);
    }
    out.status = ff_sim_create(model, &o, &sim, NULL);
    if (out.status < 0) {
        return out;
    }
    if (start) {
        ff_sim_begin(sim, start);
    }
    deadline stop = {seconds_used() + limit};
    ff_sim_watch(sim, is_over, &stop);
    double before = seconds_used();
    do {
        out.status = ff_sim_step(sim, until);
        if (out.status == FF_EVENT && ff_sim_event(sim)->kind == FF_TOUCHDOWN) {
            out.touch = ff_sim_event(sim)->time;
        }
        for (double t; looks < LOOKS && out.status >= 0 && out.status != FF_STOPPED; looks++) {
            t = until * (looks + 1) / LOOKS;
            if (t > ff_sim_time(sim)) {
                break;
            }
            ff_sim_observe(sim, t);
            look(sim, model, out.bodies + (size_t)looks * count);
            ff_sim_observe(sim, INFINITY);
        }
    } while (out.status >= 0 && out.status != FF_STOPPED && ff_sim_time(sim) < until);
    out.seconds = seconds_used() - before;
    if (out.status >= 0 && out.status != FF_STOPPED) {
        out.status = FF_OK;
    }
    ff_ledger l = ff_sim_ledger(sim);
#define ACCOUNT(name) out.accounts[AT_##name] = l.name;
    FF_LEDGER_LIST(ACCOUNT)
#undef ACCOUNT
    /* two parts of one power; error control uses their sum */
    out.accounts[AT_created] += out.accounts[AT_regrade];
    out.accounts[AT_regrade] = 0;
    out.scale = l.scale;
    out.statistics = ff_sim_statistics(sim);
    out.cost = out.statistics.cost;
    ff_sim_free(sim);
    return out;
}

static double furthest(const double *a, const double *b, double scale, double most) {
    for (int c = 0; c < 3; c++) {
        most = fmax(most, fabs(a[c] - b[c]) / scale);
    }
    return most;
}

/* The maximum of: errors of positions and velocities at all comparison times, relative to their scales; errors of
 * the accounts of the ledger, relative to the energy scale; error of the last touch-down, relative to the
 * duration. */
static double error_of(const ff_model *model, const outcome *o, const outcome *exact,
                       double until) {
    const size_t count = ff_model_body_count(model);
    double most = fabs(o->touch - exact->touch) / until;
    for (size_t i = 0; i < LOOKS * count; i++) {
        ff_body_facts f = ff_model_body_facts(model, i % count);
        const ff_motion *a = &o->bodies[i], *b = &exact->bodies[i];
        most = furthest(a->position, b->position, f.length_scale, most);
        most = furthest(a->velocity, b->velocity, f.speed_scale, most);
    }
    for (int i = 0; i < ACCOUNTS; i++) {
        most = fmax(most, fabs(o->accounts[i] - exact->accounts[i]) / exact->scale);
    }
    return most;
}

/* ---- one scene ---- */

static const ff_method methods[] = {FF_AUTO, FF_DOPRI5, FF_DOP853, FF_ROSENBROCK, FF_RODAS};
enum { METHODS = sizeof methods / sizeof *methods };

/* 1e-3 to 1e-12, and a tighter one for single methods, so that their curves cover the errors of auto */
enum { TOLERANCE_FIRST = 3, COMPARED = 10, TOLERANCES = COMPARED + 1 };

static int compared(const scene *s) { return s->tolerances ? s->tolerances : COMPARED; }

static double tolerance(int i) { return pow(10, -TOLERANCE_FIRST - i); }

typedef struct {
    outcome at[METHODS][TOLERANCES];
} table;

static double cost_of(const outcome *o, bool timed) { return timed ? o->seconds : o->cost; }

/* The cost of a method at this error, interpolated on its curve; INFINITY if it never reached the error. */
static double cost_at(const outcome *curve, int count, int stride, double error, bool timed) {
    double best = INFINITY;
    for (int i = 0; i < count; i += stride) {
        const outcome *a = &curve[i], *b = i > 0 ? &curve[i - stride] : NULL;
        if (a->status != FF_OK) {
            continue;
        }
        if (a->error <= error) {
            best = fmin(best, cost_of(a, timed));
        }
        /* between two tolerances, the tighter of which reaches the error */
        if (b && b->status == FF_OK && a->error <= error && b->error > error) {
            double part = log(error / a->error) / log(b->error / a->error);
            best = fmin(best,
                        exp((1 - part) * log(cost_of(a, timed)) + part * log(cost_of(b, timed))));
        }
    }
    return best;
}

typedef struct {
    double *at;
    size_t count;
} list;

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void add(list *l, double value) {
    double *more = realloc(l->at, (l->count + 1) * sizeof *more);
    if (!more) {
        exit(1);
    }
    l->at = more;
    l->at[l->count++] = value;
}

static void tell(const char *what, list *l) {
    if (l->count > 0) {
        qsort(l->at, l->count, sizeof *l->at, compare);
        printf("%-44s %4zu cells: median %.2f, nine of ten below %.2f, worst %.2f\n", what,
               l->count, l->at[l->count / 2], l->at[9 * (l->count - 1) / 10], l->at[l->count - 1]);
    }
}

typedef struct {
    bool quick, all, once;
    double limit; /* of one run, s */
    list timed, counted, counted_all;
    int failed; /* runs of auto that failed where a single method succeeded */
} bench;

static const double long_enough = 5e-3; /* s: shorter runs cannot be timed reliably */

static void print_run(const scene *s, double tol, ff_method method, const outcome *o) {
    printf("%-17s %6.0e %-11s", s->name, tol, ff_method_name(method));
    if (o->status != FF_OK) {
        printf(" %s after %.0f ms\n",
               o->status == FF_STOPPED ? "stopped" : ff_status_text(o->status), 1e3 * o->seconds);
        return;
    }
    printf(" %9.2f ms %10.0f %8ld steps %6ld rejected, error %8.1e", 1e3 * o->seconds, o->cost,
           o->statistics.steps, o->statistics.rejected, o->error);
    if (method == FF_AUTO) {
        printf(", %ld changes:", o->statistics.switches);
        for (int c = 0; c < FF_REASONS; c++) {
            printf(" %ld", o->statistics.changes[c]);
        }
        printf(",");
        for (int m = 0; m < FF_METHODS; m++) {
            if (o->statistics.method_steps[m] > 0) {
                printf(" %ld %s", o->statistics.method_steps[m], ff_method_name((ff_method)m));
            }
        }
    }
    printf("\n");
}

static void compare_cell(bench *b, const scene *s, const table *t, int i, int stride,
                         double least) {
    const outcome *o = &t->at[0][i];
    double best[2] = {INFINITY, INFINITY};
    int which[2] = {0, 0};
    bool possible = false;
    for (int m = 1; m < METHODS; m++) {
        possible = possible || t->at[m][i].status == FF_OK;
        for (int timed = 0; timed < 2 && o->status == FF_OK; timed++) {
            double cost = cost_at(t->at[m], compared(s) + 1, stride, o->error, timed);
            which[timed] = cost < best[timed] ? m : which[timed];
            best[timed] = fmin(best[timed], cost);
        }
    }
    print_run(s, tolerance(i), FF_AUTO, o);
    if (o->status != FF_OK) {
        b->failed += possible;
        return;
    }
    /* `least` estimates the error of the reference by one difference, within a factor of three: below that the errors of
     * methods are rounding and do not depend on the tolerance */
    if (isinf(best[0]) || o->error <= 3 * least) {
        printf("%-24s %s\n", "",
               isinf(best[0]) ? "no single method is as good" : "as good as the reference");
        return;
    }
    double timed = o->seconds / best[1], counted = o->cost / best[0];
    printf("%-24s %.2f of %s by time, %.2f of %s by count%s\n", "", timed,
           ff_method_name(methods[which[1]]), counted, ff_method_name(methods[which[0]]),
           o->seconds > long_enough ? "" : ", short");
    add(&b->counted_all, counted);
    if (o->seconds > long_enough) {
        add(&b->timed, timed);
        add(&b->counted, counted);
    }
}

/* Runs everything once, then repeats short runs in turn and keeps the best time. */
static void run_all(bench *b, const scene *s, const ff_model *model, const ff_motion *start,
                    const outcome *exact, double least, table *t, int stride) {
    enum { ROUNDS = 7 };
    const double worth = b->quick ? 0.05 : 0.3; /* s: total time to spend on the runs of one cell */
    for (int round = 0; round < (b->once ? 1 : ROUNDS); round++) {
        for (int i = 0; i <= compared(s); i += stride) {
            double fastest = INFINITY;
            for (int m = i == compared(s); m < METHODS; m++) {
                outcome *o = &t->at[m][i];
                if (round > 0 && (o->status != FF_OK || round * o->seconds > worth)) {
                    continue;
                }
                /* a method ten times slower at the same tolerance cannot be the best at the same error */
                double limit = m == 0 ? 10 * b->limit : fmin(b->limit, 0.02 + 10 * fastest);
                outcome again = run(model, start, methods[m], tolerance(i), s->until,
                                    round == 0 ? limit : HUGE_VAL);
                if (round == 0) {
                    *o = again;
                    /* errors below that of the reference cannot be measured */
                    o->error = fmax(error_of(model, o, exact, s->until), least);
                } else {
                    o->seconds = fmin(o->seconds, again.seconds);
                }
                free(again.bodies);
                o->bodies = NULL;
                fastest = o->status == FF_OK ? fmin(fastest, o->seconds) : fastest;
            }
        }
    }
}

/* Motions of all bodies at a start of a scene. In start k they are k percent faster and k tenths of a millimetre higher. */
static ff_motion *start_of(const scene *s, const ff_model *model, int k) {
    const size_t count = ff_model_body_count(model);
    ff_motion *out = NULL;
    if (s->settle > 0) {
        outcome settled = run(model, NULL, FF_DOPRI5, 1e-9, s->settle, INFINITY);
        memmove(settled.bodies, settled.bodies + (LOOKS - 1) * count, count * sizeof *out);
        return settled.bodies;
    }
    if (k > 0) {
        ff_sim *sim;
        out = calloc(count, sizeof *out);
        if (!out || ff_sim_create(model, NULL, &sim, NULL) < 0) {
            exit(1);
        }
        look(sim, model, out);
        ff_sim_free(sim);
        for (size_t i = 0; i < count; i++) {
            for (int c = 0; c < 3; c++) {
                out[i].velocity[c] *= 1 + 0.01 * k;
            }
            out[i].position[2] += 1e-4 * k;
        }
    }
    return out;
}

/* Adds the results of one of `starts` starts to the averages of all; a method must succeed from all of them. */
static void average(const table *one, int starts, table *all) {
    for (int m = 0; m < METHODS; m++) {
        for (int i = 0; i < TOLERANCES; i++) {
            const outcome *from = &one->at[m][i];
            outcome *to = &all->at[m][i];
            to->status = to->status != FF_OK ? to->status : from->status;
            to->seconds += from->seconds / starts;
            to->cost += from->cost / starts;
            to->error = (to->error > 0 ? to->error : 1) * pow(from->error, 1.0 / starts);
            to->statistics = from->statistics;
        }
    }
}

static void run_scene(bench *b, const scene *s) {
    ff_model *model = model_of(s);
    if (!model) {
        return;
    }
    const int stride = b->quick ? 2 : 1, starts = s->starts ? s->starts : 1;
    table *t = calloc(2, sizeof *t);
    double least = 1;
    if (!t) {
        exit(1);
    }
    for (int k = 0; k < starts; k++) {
        ff_motion *start = start_of(s, model, k);
        /* two unrelated methods: their difference estimates the error of the reference */
        const double tight = tolerance(compared(s));
        outcome exact = run(model, start, FF_DOP853, tight, s->until, INFINITY);
        outcome other = run(model, start, FF_DOPRI5, tight, s->until, INFINITY);
        if (exact.status != FF_OK) {
            printf("%s: no reference: %s\n", s->name, ff_status_text(exact.status));
            exit(1);
        }
        const double known = error_of(model, &other, &exact, s->until);
        least *= pow(known, 1.0 / starts);
        printf("%s: %zu bodies, %zu pairs, %g s, %ld events, reference known to %.1e (%.2f s)\n",
               s->name, ff_model_body_count(model), ff_model_contact_count(model), s->until,
               exact.statistics.events, known, exact.seconds + other.seconds);
        memset(&t[1], 0, sizeof t[1]);
        run_all(b, s, model, start, &exact, known, &t[1], stride);
        average(&t[1], starts, &t[0]);
        free(exact.bodies);
        free(other.bodies);
        free(start);
    }
    for (int i = 0; i <= compared(s); i += stride) {
        if (i < compared(s)) {
            compare_cell(b, s, t, i, stride, least);
        }
        for (int m = 1; m < METHODS && b->all; m++) {
            print_run(s, tolerance(i), methods[m], &t->at[m][i]);
        }
    }
    printf("\n");
    fflush(stdout);
    free(t);
    ff_model_free(model);
}

int main(int argc, char **argv) {
    bench b = {0};
    bool longer = false, named = false;
    for (int i = 1; i < argc; i++) {
        b.quick = b.quick || strcmp(argv[i], "--quick") == 0;
        b.all = b.all || strcmp(argv[i], "--all") == 0;
        b.once = b.once || strcmp(argv[i], "--once") == 0;
        longer = longer || strcmp(argv[i], "--long") == 0;
        if (strcmp(argv[i], "--limit") == 0 && i + 1 < argc) {
            b.limit = atof(argv[++i]);
        } else {
            named = named || argv[i][0] != '-';
        }
    }
    b.limit = b.limit > 0 ? b.limit : b.quick ? 1 : 10;
    for (int k = 0; k < SCENES; k++) {
        const scene *s = &scenes[k];
        bool wanted = !named && (longer || !s->only_long) && (s->quick || !b.quick);
        for (int i = 1; i < argc && named; i++) {
            wanted = wanted || strncmp(s->name, argv[i], strlen(argv[i])) == 0;
        }
        if (wanted) {
            run_scene(&b, s);
        }
    }
    printf("auto against the best single method at equal error\n");
    tell("by time, runs above 5 ms", &b.timed);
    tell("by counted cost, runs above 5 ms", &b.counted);
    tell("by counted cost, all runs", &b.counted_all);
    printf("runs of auto that failed where one method did not: %d\n", b.failed);
    return b.failed > 0;
}
