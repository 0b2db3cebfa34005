/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* The same bits everywhere: runs each line of a file of values, and compares a hash of its final state.
 *
 * hash VALUES              compares; names each run that differs
 * hash --update VALUES     writes the current hashes into the file
 * --threads N              threads of crowds
 *
 * A line is a hash, a scene or an inclusion, and settings. Paths are relative to the source directory. */

#include "io/inclusion_file.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1000, SETTINGS = 20, LINES = 500 };

/* FNV-1a, 64 bits */
static void add(uint64_t *hash, uint64_t bits) {
    for (int i = 0; i < 8; i++) {
        *hash = (*hash ^ (bits >> 8 * i & 0xff)) * UINT64_C(0x100000001b3);
    }
}

static void add_numbers(uint64_t *hash, const double *x, size_t count) {
    for (size_t i = 0; i < count; i++) {
        /* NAN has many bit patterns */
        double number = isnan(x[i]) ? (double)NAN : x[i];
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        add(hash, isnan(x[i]) ? 1 : bits);
    }
}

#define ADD(hash, x) add_numbers(hash, (const double *)&(x), sizeof(x) / sizeof(double))

static void add_event(uint64_t *hash, const ff_event *event) {
    ADD(hash, event->time);
    add(hash, (uint64_t)event->kind);
    add(hash, (uint64_t)event->contact);
    add(hash, event->rejoin);
}

static void add_statistics(uint64_t *hash, ff_statistics s) {
    add(hash, (uint64_t)s.steps);
    add(hash, (uint64_t)s.rejected);
    add(hash, (uint64_t)s.evaluations);
}

static int fail(const char *text) {
    fprintf(stderr, "%s\n", text);
    return 1;
}

static int run_scene(const char *path, const char *const *settings, size_t count, int threads,
                     uint64_t *hash) {
    ff_scene *scene = NULL;
    ff_model *model = NULL;
    ff_sim *sim = NULL;
    ff_messages messages = {0};
    ff_error error = {0};
    ff_status status = ff_scene_read(path, settings, count, &scene, &messages);
    if (status != FF_OK) {
        for (size_t i = 0; i < messages.count; i++) {
            fail(messages.at[i].text);
        }
        return fail(ff_status_text(status));
    }
    ff_messages_clear(&messages);
    if (ff_model_create(scene, &model, &error) != FF_OK) {
        return fail(error.text);
    }
    ff_run_options options = *ff_model_run(model);
    options.threads = threads ? threads : options.threads;
    status = ff_sim_create(model, &options, &sim, NULL);
    while (status == FF_OK || status == FF_EVENT) {
        status = ff_sim_advance(sim, options.until);
        if (status != FF_EVENT) {
            break;
        }
        add_event(hash, ff_sim_event(sim));
    }
    if (status != FF_OK) {
        return fail(sim && *ff_sim_error(sim) ? ff_sim_error(sim) : ff_status_text(status));
    }
    for (size_t i = 0; i < ff_model_body_count(model); i++) {
        ff_motion motion = ff_sim_body(sim, i);
        ADD(hash, motion);
    }
    for (size_t i = 0; i < ff_model_joint_count(model); i++) {
        ff_joint_record joint = ff_sim_joint(sim, i);
        ADD(hash, joint.force);
        ADD(hash, joint.moment);
    }
    for (size_t i = 0; i < ff_model_contact_count(model); i++) {
        ff_contact_record contact = ff_sim_contact(sim, i);
        ADD(hash, contact.force);
        ADD(hash, contact.u);
    }
    ff_ledger ledger = ff_sim_ledger(sim);
    ADD(hash, ledger);
    add_statistics(hash, ff_sim_statistics(sim));
    ff_sim_free(sim);
    ff_model_free(model);
    ff_scene_free(scene);
    return 0;
}

static int run_inclusion(const char *path, const char *const *settings, size_t count,
                         uint64_t *hash) {
    ff_rivals rivals = {0};
    ff_equations *system = NULL;
    ff_sim *inc = NULL;
    ff_run_options options;
    ff_messages messages = {0};
    ff_error error = {0};
    /* the first settings may choose other laws */
    while (count > 0 && strncmp(*settings, "--", 2) == 0) {
        *(strncmp(*settings, "--contact=", 10) == 0 ? &rivals.contact : &rivals.friction) =
            strchr(*settings, '=') + 1;
        settings++, count--;
    }
    ff_status status =
        ff_inclusion_read(path, settings, count, &rivals, &system, &options, &messages);
    if (status != FF_OK) {
        for (size_t i = 0; i < messages.count; i++) {
            fail(messages.at[i].text);
        }
        return fail(ff_status_text(status));
    }
    ff_messages_clear(&messages);
    status = ff_inclusion_create(ff_equations_def(system), &options, &inc, &error);
    if (status != FF_OK) {
        return fail(error.text);
    }
    while ((status = ff_sim_advance(inc, options.until)) == FF_EVENT) {
        add_event(hash, ff_sim_event(inc));
    }
    if (status != FF_OK) {
        return fail(ff_sim_error(inc));
    }
    const ff_inclusion_def *def = ff_equations_def(system);
    ff_inclusion_view view = ff_inclusion_at(inc);
    add_numbers(hash, view.x, def->states);
    add_numbers(hash, view.e, def->dio_count);
    add_numbers(hash, view.contact, def->dio_count);
    size_t places = 0;
    for (size_t i = 0; i < def->sgn_count; i++) {
        places += (size_t)def->sgns[i].dimension;
    }
    add_numbers(hash, view.a, places);
    add_numbers(hash, view.friction, places);
    ff_ledger ledger = ff_sim_ledger(inc);
    ADD(hash, ledger);
    add_statistics(hash, ff_sim_statistics(inc));
    ff_sim_free(inc);
    ff_equations_free(system);
    return 0;
}

/* inclusions have a key `rates` */
static int is_inclusion(const char *path) {
    char line[LINE];
    int found = 0;
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        found = strncmp(line, "rates:", 6) == 0;
    }
    if (file) {
        fclose(file);
    }
    return found;
}

static char lines[LINES][LINE];

int main(int argc, char **argv) {
    const char *values = NULL;
    int update = 0, threads = 0, wrong = 0, runs = 0, count = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--update") == 0) {
            update = 1;
        } else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            threads = atoi(argv[++i]);
        } else {
            values = argv[i];
        }
    }
    FILE *file = values ? fopen(values, "r") : NULL;
    if (!file) {
        fprintf(stderr, "usage: hash [--update] [--threads N] VALUES\n");
        return 2;
    }
    while (count < LINES && fgets(lines[count], LINE, file)) {
        lines[count][strcspn(lines[count], "\n")] = '\0';
        count++;
    }
    fclose(file);
    for (int i = 0; i < count; i++) {
        if (*lines[i] == '#' || *lines[i] == '\0') {
            continue;
        }
        char text[LINE], path[LINE + 300], *settings[SETTINGS];
        size_t setting_count = 0;
        memcpy(text, lines[i], LINE);
        const char *wanted = strtok(text, " "), *name = strtok(NULL, " ");
        while (setting_count < SETTINGS && (settings[setting_count] = strtok(NULL, " "))) {
            setting_count++;
        }
        snprintf(path, sizeof path, "%s/%s", FF_SOURCE_DIR, name ? name : "");
        uint64_t hash = UINT64_C(0xcbf29ce484222325);
        const char *const *with = (const char *const *)settings;
        int status = is_inclusion(path) ? run_inclusion(path, with, setting_count, &hash)
                                        : run_scene(path, with, setting_count, threads, &hash);
        char seen[20], rest[LINE];
        snprintf(seen, sizeof seen, "%016llx", (unsigned long long)hash);
        snprintf(rest, sizeof rest, "%s", strchr(lines[i], ' ') ? strchr(lines[i], ' ') : "");
        runs++;
        if (status != 0) {
            printf("fails:%s\n", rest);
            wrong++;
        } else if (update) {
            snprintf(lines[i], LINE, "%s%.900s", seen, rest);
        } else if (strcmp(seen, wanted) != 0) {
            printf("differs:%s: %s, not %s\n", rest, seen, wanted);
            wrong++;
        }
    }
    if (update && wrong == 0) {
        file = fopen(values, "w");
        for (int i = 0; file && i < count; i++) {
            fprintf(file, "%s\n", lines[i]);
        }
        return file && fclose(file) == 0 ? 0 : 1;
    }
    printf("%d runs, %d of them with other bits than in %s\n", runs, wrong, values);
    return wrong > 0;
}
