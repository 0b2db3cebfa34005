/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Changes a checkpoint and corrects its hash: either it is refused and the sim is unchanged, or the run continues for some
 * steps. Run under the sanitizers. The first byte selects the run, the second when it was saved; then each group of eleven
 * bytes is a change: where, how, and to what value. */

#define _GNU_SOURCE
#include "io/inclusion_file.h"
#include "io/scene_file.h"
#include "num/hash.h"
#include <footfall/checkpoint.h>
#include <footfall/field.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

/* ---- runs ---- */

#define BALL                                                                                       \
    "bodies:\n"                                                                                    \
    "  ball: {mass: 0.1, shape: {sphere: {radius: 0.02}}, position: [0, 0, 0.03], velocity: "      \
    "[0.2, 0, -1]}\n"                                                                              \
    "ground: {floor: {plane: {normal: [0, 0, 1], surface_velocity: [0.1, 0, 0]}}}\n"               \
    "pairs:\n"                                                                                     \
    "  - between: [ball, floor]\n"                                                                 \
    "    normal: {law: azad-featherstone, k: 1e6, lambda: 300}\n"                                  \
    "    friction: {law: clutch, k: 1e6, damping: 100, mu: 0.3}\n"                                 \
    "forces:\n"                                                                                    \
    "  push: {constant: {body: ball, force: [0.1, 0, 0]}, from: 5 ms, to: 30 ms}\n"
#define PENDULUM                                                                                   \
    "bodies:\n"                                                                                    \
    "  rod: {mass: 1, inertia: 0.01, position: [0.3, 0, 0.1], shape: {sphere: {radius: 0.05}}}\n"  \
    "  bob: {mass: 1, inertia: 0.01, position: [0.6, 0, 0.1], shape: {sphere: {radius: 0.05}}}\n"  \
    "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"                                              \
    "joints:\n"                                                                                    \
    "  top: {revolute: {between: [world, rod], anchor: [0, 0, 0.1], second_anchor: [-0.3, 0, "     \
    "0], axis: [0, 1, 0]}}\n"                                                                      \
    "  mid: {revolute: {between: [rod, bob], anchor: [0.15, 0, 0], second_anchor: [-0.15, 0, "     \
    "0], axis: [0, 1, 0]}}\n"                                                                      \
    "pairs:\n"                                                                                     \
    "  - between: [bob, floor]\n"                                                                  \
    "    normal: {law: hunt-crossley, k: 1e5, lambda: 1e4}\n"                                      \
    "    friction: {law: bengisu-akay, mu_s: 0.5, mu: 0.4, v0: 1e-3, xi: 100}\n"

static const char *const scenes[] = {
    BALL "run: {until: 0.1, tol: 1e-6}\n",
    BALL "run: {until: 0.1, method: rk4, dt: 1e-4, events: none}\n",
    PENDULUM "run: {until: 0.5, tol: 1e-6}\n",
    PENDULUM "run: {until: 0.5, tol: 1e-6, formulation: maximal}\n",
    "bodies:\n"
    "  balls: {count: 12, radius: 1 cm, density: 1100 kg/m^3, fill: {from: [0, 0, 0], to: [5 cm, 5 "
    "cm, 8 cm]}, seed: 1}\n"
    "ground:\n"
    "  floor: {plane: {normal: [0, 0, 1]}}\n"
    "  left: {plane: {normal: [1, 0, 0]}}\n"
    "pairs:\n"
    "  - between: [balls, \"*\"]\n"
    "    normal: {law: azad-featherstone, k: 5e4, lambda: 70}\n"
    "    friction: {law: clutch, k: 7.5e4, damping: 70, mu: 0.5}\n"
    "run: {until: 0.1, method: verlet, events: none, dt: 1e-4}\n",
};

static const char inclusion[] = "parameters: {M: 1 kg, mu: 0.4, g: 9.8 m/s^2}\n"
                                "states: {p: 0 m, h: 1 mm, v: 0.5 m/s, w: 0 m/s}\n"
                                "let:\n"
                                "  ground: dio(h)\n"
                                "  rub: mu*ground*sgn(v)\n"
                                "  push: if(t < 0.02 s, 1 N, 0 N)\n"
                                "rates: {p: v, h: w, v: (push - rub)/M, w: ground/M - g}\n"
                                "contacts: {K: 1e5 N/m, beta: 2 ms, alpha: 1 ms}\n"
                                "frictions: {K: 1e5 N/m, beta: 2 ms}\n"
                                "accounts: {energy: M*(v^2 + w^2)/2 + M*g*h, power: push*v}\n"
                                "run: {until: 0.1 s, tol: 1e-6}\n";

enum { SCENES = sizeof scenes / sizeof *scenes, RUNS = SCENES + 1, MOMENTS = 6 };

/* steps before each moment: at the start, in flight, in contact, after an event */
static const int steps[MOMENTS] = {0, 1, 6, 13, 30, 90};

typedef struct {
    ff_model *model; /* NULL: not made yet */
    ff_run_options options;
    unsigned char *files[MOMENTS];
    size_t sizes[MOMENTS];
} run;

static run runs[RUNS];

static void make_model(size_t which, run *r) {
    ff_messages messages = {0};
    ff_status status;
    if (which < SCENES) {
        ff_scene *scene = NULL;
        status = ff_scene_parse("scene", scenes[which], strlen(scenes[which]), NULL, 0, INFINITY,
                                &scene, &messages);
        must(status == FF_OK, messages.count > 0 ? messages.at[0].text : "no scene");
        must(ff_model_create(scene, &r->model, NULL) == FF_OK, "no model");
        r->options = *ff_model_run(r->model);
        ff_scene_free(scene);
    } else {
        ff_equations *s = NULL;
        status = ff_inclusion_parse("inclusion", inclusion, strlen(inclusion), NULL, 0,
                                    &(ff_rivals){0}, &s, &r->options, &messages);
        must(status == FF_OK, messages.count > 0 ? messages.at[0].text : "no inclusion");
        /* the equations live as long as the model */
        must(ff_inclusion_model(ff_equations_def(s), &r->model, NULL) == FF_OK, "no model");
    }
    ff_messages_clear(&messages);
}

static ff_sim *make_sim(const run *r) {
    ff_sim *sim = NULL;
    must(ff_sim_create(r->model, &r->options, &sim, NULL) == FF_OK, "no sim");
    return sim;
}

static void make_files(run *r) {
    char folder[] = "/tmp/footfall-fuzz-XXXXXX", path[64];
    must(mkdtemp(folder), "no folder");
    snprintf(path, sizeof path, "%s/file", folder);
    ff_sim *sim = make_sim(r);
    for (int m = 0, made = 0; m < MOMENTS; m++) {
        for (; made < steps[m]; made++) {
            must(ff_sim_step(sim, 10) >= 0, "a run that fails");
        }
        must(ff_checkpoint_write(path, sim, "extra", 5, NULL) == FF_OK, "not written");
        FILE *file = fopen(path, "rb");
        fseek(file, 0, SEEK_END);
        r->sizes[m] = (size_t)ftell(file);
        rewind(file);
        r->files[m] = malloc(r->sizes[m]);
        must(fread(r->files[m], 1, r->sizes[m], file) == r->sizes[m], "not read");
        fclose(file);
    }
    ff_sim_free(sim);
    unlink(path);
    rmdir(folder);
}

static const run *run_of(size_t which) {
    run *r = &runs[which];
    if (!r->model) {
        make_model(which, r);
        make_files(r);
    }
    return r;
}

/* ---- changes ---- */

enum { CHANGE = 11, HASH = sizeof(uint64_t) };

static void change(unsigned char *file, size_t size, const uint8_t *how) {
    static const double numbers[] = {NAN, INFINITY, -INFINITY, -1, 0, 1, 1e300, 1e-300, 1e-9, 4};
    const size_t at = (size_t)(how[0] | how[1] << 8) % (size - HASH), room = size - HASH - at;
    const size_t word = at / 8 * 8;
    switch (how[2] % 4) {
    case 0: file[at] = how[3]; break;
    case 1: memcpy(file + at, how + 3, room < 8 ? room : 8); break;
    case 2:
        if (word + 8 <= size - HASH) {
            memcpy(file + word, &numbers[how[3] % (sizeof numbers / sizeof *numbers)], 8);
        }
        break;
    default: file[at] ^= (unsigned char)(1 << how[3] % 8);
    }
}

/* a file in memory, under a path */
static void put(const unsigned char *file, size_t size, char path[64]) {
    static int memory = -1;
    if (memory < 0) {
        memory = memfd_create("checkpoint", 0);
    }
    must(memory >= 0 && ftruncate(memory, 0) == 0 && pwrite(memory, file, size, 0) == (ssize_t)size,
         "no memory for a file");
    snprintf(path, 64, "/proc/self/fd/%d", memory);
}

/* ---- what may follow ---- */

static void *save(ff_sim *sim, size_t *size) {
    *size = ff_sim_state_size(sim);
    void *out = malloc(*size);
    ff_sim_save(sim, out);
    return out;
}

/* a state that was taken is one that is given, too */
static void save_again(const run *r, ff_sim *sim) {
    ff_sim *other = make_sim(r);
    size_t size;
    void *state = save(sim, &size);
    must(ff_sim_restore(other, state, size) == FF_OK, "a state that can be read, but not written");
    free(state);
    ff_sim_free(other);
}

static void go_on(ff_sim *sim, const run *r, bool sets) {
    ff_status status = FF_OK;
    if (sets) {
        ff_sim_set_path(sim, "gravity[2]", -5, NULL);
    }
    for (int i = 0; i < 12 && status >= 0; i++) {
        const double before = ff_sim_time(sim);
        status = ff_sim_step(sim, before + 1);
        must(ff_sim_time(sim) >= before, "time that goes back");
        if (status == FF_EVENT) {
            must(*ff_event_name(ff_sim_event(sim)->kind), "an event without a name");
        }
        ff_sim_observe(sim, (before + ff_sim_time(sim)) / 2);
        ff_sim_ledger(sim);
    }
    for (size_t i = 0; i < ff_model_contact_count(r->model); i++) {
        ff_sim_contact(sim, i);
        ff_sim_contact_ledger(sim, i);
    }
    ff_sim_verdict(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3) {
        return 0;
    }
    const run *r = run_of(data[0] % RUNS);
    const size_t moment = data[1] % MOMENTS;
    const bool sets = data[2] & 1;
    size_t length = r->sizes[moment];
    /* some are cut, or longer than they say */
    unsigned char *file = calloc(1, length + 16);
    memcpy(file, r->files[moment], length);
    length = data[2] >> 1 & 1 ? length - (data[2] >> 2) : length + (data[2] >> 6) * 4u;
    for (size_t at = 3; at + CHANGE <= size; at += CHANGE) {
        change(file, length, data + at);
    }
    uint64_t sum = ff_hash(FF_HASH_START, file, length - sizeof sum);
    memcpy(file + length - sizeof sum, &sum, sizeof sum);

    char path[64];
    ff_sim *sim = make_sim(r);
    ff_error error = {""};
    size_t before_size, after_size;
    void *before = save(sim, &before_size), *extra = NULL;
    put(file, length, path);
    if (ff_checkpoint_read(path, sim, &extra, &(size_t){0}, &error) == FF_OK) {
        free(extra);
        save_again(r, sim);
        go_on(sim, r, sets);
    } else {
        void *after = save(sim, &after_size);
        must(*error.text && !extra, "refused without a reason");
        must(after_size == before_size && memcmp(before, after, after_size) == 0,
             "a sim that was changed by what it refused");
        free(after);
    }
    free(before);
    free(file);
    ff_sim_free(sim);
    return 0;
}
