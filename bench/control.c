/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L

/* Cost of a controller sampled at 1 kHz on the quadruped, relative to the same run without samples: best CPU time
 * of many runs, taken in turn. Run it in the directory that contains scenes/.
 *
 * held     scenes/quadruped.yaml with a C controller called 1000 times a second that leaves its commands
 *          unchanged: steps pass such samples
 * PD       the motors of scenes/quadruped.yaml as sampled expressions, relative to continuous ones
 * trot     scenes/quadruped_trot.yaml, sampled, relative to the same expressions without `every` */

#include "io/scene_file.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *text_of(const char *path) {
    static char text[100000];
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(1);
    }
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* removes every occurrence of a word */
static void without(char *text, const char *word) {
    for (char *at; (at = strstr(text, word));) {
        memmove(at, at + strlen(word), strlen(at + strlen(word)) + 1);
    }
}

static ff_scene *scene_of(const char *text) {
    ff_messages messages = {0};
    ff_scene *scene;
    if (ff_scene_parse("bench", text, strlen(text), NULL, 0, INFINITY, &scene, &messages) < 0) {
        fprintf(stderr, "%s\n", messages.count ? messages.at[0].text : "no scene");
        exit(1);
    }
    return scene;
}

static void idle(void *user, const ff_control_view *view, double *states, double *rates,
                 double (*commands)[6]) {
    (void)user, (void)view, (void)states, (void)rates, (void)commands;
}

/* CPU time, s: runs are single-threaded and the machine may be shared */
static double processor_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct outcome {
    double seconds;
    long steps, rejected, evaluations;
} outcome;

static outcome run(const ff_model *model) {
    ff_sim *sim;
    ff_status status = ff_sim_create(model, NULL, &sim, NULL);
    const double until = ff_model_run(model)->until, start = processor_time();
    while (status >= 0 && (status = ff_sim_advance(sim, until)) == FF_EVENT) {
    }
    const ff_statistics s = ff_sim_statistics(sim);
    const outcome out = {status < 0 ? (double)NAN : processor_time() - start, s.steps, s.rejected,
                         s.evaluations};
    ff_sim_free(sim);
    return out;
}

static void compare(const char *name, ff_scene *plain, ff_scene *sampled) {
    enum { TURNS = 20 };
    ff_model *models[2];
    outcome best[2] = {{.seconds = INFINITY}, {.seconds = INFINITY}};
    ff_scene *scenes[2] = {plain, sampled};
    for (int i = 0; i < 2; i++) {
        ff_error error;
        if (ff_model_create(scenes[i], &models[i], &error) < 0) {
            fprintf(stderr, "%s\n", error.text);
            exit(1);
        }
    }
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < 2; i++) {
            const outcome o = run(models[i]);
            best[i] = o.seconds < best[i].seconds ? o : best[i];
        }
    }
    printf("%-5s", name);
    for (int i = 0; i < 2; i++) {
        printf(" %6ld %5ld %8ld %7.1f ms", best[i].steps, best[i].rejected, best[i].evaluations,
               1e3 * best[i].seconds);
    }
    const double time = best[1].seconds / best[0].seconds,
                 evaluations = (double)best[1].evaluations / (double)best[0].evaluations;
    printf("  %5.2f %5.2f %5.2f\n", time, evaluations, time / evaluations);
    for (int i = 0; i < 2; i++) {
        ff_model_free(models[i]);
        ff_scene_free(scenes[i]);
    }
}

/* the motors of the standing quadruped as expressions */
static char *motors(const char *every) {
    static char out[100000];
    char *text = text_of("scenes/quadruped.yaml"), *forces = strstr(text, "forces:");
    const char *run_at = strstr(text, "run:");
    static const char *const legs[] = {"fl", "fr", "hl", "hr"};
    static const char joints[] = "ahk";
    static const double aims[] = {0, 0.7, -1.4};
    int at = snprintf(out, sizeof out, "%.*sforces:\n", (int)(forces - text), text);
    for (int i = 0; i < 12; i++) {
        char joint[8];
        snprintf(joint, sizeof joint, "%s_%c", legs[i / 3], joints[i % 3]);
        at += snprintf(out + at, sizeof out - (size_t)at,
                       "  %sm: {joint: %s, %seffort: \"150 N m*(%g - %s.position) - 3 N m "
                       "s*%s.rate\"}\n",
                       joint, joint, every, aims[i % 3], joint, joint);
    }
    snprintf(out + at, sizeof out - (size_t)at, "%s", run_at);
    return out;
}

int main(void) {
    printf(
        "      without samples                   sampled                           ratio\n"
        "       steps   ref.   evals.       time  steps   ref.   evals.       time   time evals. "
        "of one\n");
    ff_scene *plain = scene_of(text_of("scenes/quadruped.yaml")),
             *held = scene_of(text_of("scenes/quadruped.yaml"));
    ff_controller_def def = ff_controller_def_default();
    def.name = "idle", def.every = 1e-3, def.function = idle;
    ff_scene_add_controller(held, &def);
    compare("held", plain, held);
    plain = scene_of(motors(""));
    compare("PD", plain, scene_of(motors("every: 1 ms, ")));
    ff_scene *sampled = scene_of(text_of("scenes/quadruped_trot.yaml"));
    char *text = text_of("scenes/quadruped_trot.yaml");
    without(text, "every: 1 ms, ");
    without(text, "    every: 1 ms\n");
    without(text, "    next: {steps: \"floor(2*t/period)\"}\n");
    compare("trot", scene_of(text), sampled);
    return 0;
}
