/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Runs of scenes and inclusions, for the commands `run` and `inclusion`. */

#include "args.h"
#include "warnings.h"
#include <footfall/footfall.h>
#include <footfall/source.h>

/* Common options. */
/* clang-format off */
#define RUN_OPTIONS                                                                                \
    {"until", "T", "s", "end of the run; default: the file's", false, 0},                          \
    {"method", "M", NULL,                                                                          \
     "auto, dopri5, dop853, rosenbrock, rodas, trapezoid; with fixed steps rk4, heun, verlet, "    \
     "semi-implicit, euler",                                                                       \
     false, 0},                                                                                    \
    {"dt", "H", "s", "step size of fixed-step methods; default: the file's", false, 0},            \
    {"max-step", "H", "s", "largest step size of any method; default: the file's", false, 0},      \
    {"tol", "R", "1", "relative tolerance; default: the file's", false, 0},                        \
    {"events", "WORD", NULL, "located, or none (neither located nor reported); default: the file's", false,\
     0},                                                                                           \
    {"set", "PATH=VALUE", NULL, "set a value of the file, as in bodies.ball.mass=0.2",             \
     true, 0},                                                                                     \
    {"output", "OUT", NULL, "write a trace during the run: OUT.h5 (HDF5) or OUT.csv", false,       \
     'o'},                                                                                         \
    {"every", "T", "s", "time between rows of the trace; default: the file's, or every step", false, 0},\
    {"change", "PART", "1",                                                                        \
     "only rows in which something has changed by this fraction of its scale", false, 0},          \
    {"only-events", "", "", "only rows at events", false, 0},                                      \
    {"checkpoint", "FILE", NULL,                                                                   \
     "write the complete state of the run at its end, and on a signal, to resume from",            \
     false, 0},                                                                                    \
    {"checkpoint-every", "T", NULL,                                                                \
     "also every T s of simulated time, or with 'events' after each event", false, 0},             \
    {"resume", "FILE", NULL, "resume from a checkpoint; with the same -o, continue its trace",     \
     false, 0},                                                                                    \
    {"max-steps", "N", "1", "end the run after N steps", false, 0},                                \
    {"max-seconds", "S", "s", "end the run after this much wall-clock time", false, 0},            \
    {"max-memory", "SIZE", NULL,                                                                   \
     "refuse a file that needs more memory, such as 2 GB; default: what is available", false, 0},  \
    {"plot", "DIR", NULL,                                                                          \
     "draw forces, energies and slip into a folder; for a scene also heights and joints, for "     \
     "an inclusion states and outputs",                                                            \
     false, 0},                                                                                    \
    {"report", "OUT.html", NULL,                                                                   \
     "write a page: charts, energy ledger and a replay of the scene, in one file", false, 0},      \
    {"trust", "", "",                                                                              \
     "repeat the run twice, with smaller tolerances and another method, and print how many digits agree",\
     false, 0},                                                                                    \
    WARNINGS_STRICT,                                                                               \
    {"json", "", "", "print one JSON object", false, 0},                                           \
    {"quiet", "", "", "print only errors and the output of --json", false, 'q'}
/* clang-format on */

/* The scene or inclusion that is run. */
typedef struct run_subject {
    ff_scene *scene;         /* NULL: an inclusion */
    ff_equations *equations; /* NULL: a scene */
    ff_run_options o;        /* with the options of the command */
    char *source;            /* the text of the file */
} run_subject;

/* Reads a file with --set and --detach applied. `rivals` (may be NULL) replaces laws of an inclusion; if it is given, the
 * file must be one. Scenes may use at most `memory` bytes. 0, or the exit status after an error was printed. */
int run_read(const args *a, const char *path, const ff_rivals *rivals, double memory,
             run_subject *out);
void run_subject_clear(run_subject *s);

/* Runs the file of the command line and prints the outcome; returns the exit status. */
int run_one(const args *a, const ff_rivals *rivals);
