/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "sim.h"
#include <errno.h>
#include <fcntl.h>
#include <footfall/checkpoint.h>
#include <footfall/footfall.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* FNV-1a, 64 bit (Fowler, Noll and Vo) */
static uint64_t hash(uint64_t h, const void *data, size_t size) {
    const unsigned char *at = data;
    for (size_t i = 0; i < size; i++) {
        h = (h ^ at[i]) * 0x100000001b3u;
    }
    return h;
}

static uint64_t hash_text(uint64_t h, const char *text) { return hash(h, text, strlen(text) + 1); }

#define HASH(h, value) hash((h), &(value), sizeof(value))

static uint64_t hash_friction(uint64_t h, const ff_friction *friction) {
    return HASH(hash_text(h, friction->law->name), friction->values);
}

static uint64_t hash_laws(uint64_t h, const ff_normal *normal, const ff_friction *friction) {
    return hash_friction(HASH(hash_text(h, normal->law->name), normal->values), friction);
}

static uint64_t hash_joint(uint64_t h, const ff_joint *j) {
    const double numbers[] = {j->kind, j->first,           j->second,        j->stiffness,
                              j->rest, j->damping,         j->lower,         j->upper,
                              j->load, j->limit_stiffness, j->limit_damping, j->rubs};
    h = HASH(HASH(HASH(HASH(h, numbers), j->anchor), j->second_anchor), j->turn);
    h = HASH(HASH(h, j->axis), j->second_axis);
    return j->rubs ? hash_friction(h, &j->friction) : h;
}

/* how joints are held */
static uint64_t hash_ways(uint64_t h, const ff_run_options *o) {
    const double numbers[] = {o->formulation,        o->constraints,
                              o->constraint_damping, o->constraint_frequency,
                              o->constraint_penalty, o->constraint_tolerance};
    return HASH(h, numbers);
}

static uint64_t hash_force(uint64_t h, const ff_force_def *f) {
    const double numbers[] = {
        f->kind,        f->body,      f->other,     f->force[0],  f->force[1],  f->force[2],
        f->torque[0],   f->torque[1], f->torque[2], f->stiffness, f->damping,   f->rest,
        f->kp,          f->kd,        f->target[0], f->target[1], f->target[2], f->from,
        f->target_from, f->to,        f->joint,     f->effort};
    h = HASH(h, numbers);
    h = HASH(HASH(HASH(h, f->anchor), f->other_anchor), f->axis);
    h = f->points ? hash(h, f->times, f->points * sizeof *f->times) : h;
    return f->points ? hash(h, f->factors, f->points * sizeof *f->factors) : h;
}

/* All that a run depends on besides its state. */
static uint64_t fingerprint(const ff_sim *sim) {
    if (sim->fingerprint) {
        return sim->fingerprint;
    }
    const ff_model *model = sim->model;
    uint64_t h = 0xcbf29ce484222325u;
    h = HASH(h, model->gravity);
    for (size_t i = 0; i < model->body_count; i++) {
        const ff_model_body *b = &model->bodies[i];
        h = HASH(HASH(HASH(HASH(h, b->mass), b->inertia), b->locked), b->start);
    }
    for (size_t i = 0; i < model->slot_count; i++) {
        const ff_slot *s = &model->slots[i];
        const double numbers[] = {
            s->body,      s->other,     s->radius,          s->other_radius,    s->level,
            s->rise,      s->skin[0],   s->skin[1],         s->skin[2],         s->normal[0],
            s->normal[1], s->normal[2], s->share,           s->stateful,        s->center[0],
            s->center[1], s->center[2], s->other_center[0], s->other_center[1], s->other_center[2]};
        h = hash_laws(HASH(HASH(HASH(h, numbers), s->gated), s->gate), &s->law, &s->friction);
    }
    for (size_t i = 0; i < model->joint_count; i++) {
        h = hash_joint(h, &model->joints[i]);
    }
    h = model->joint_count ? hash_ways(h, &sim->options) : h;
    const ff_crowd_model *crowd = model->crowd;
    if (crowd) {
        h = hash(h, crowd->kind, model->body_count * sizeof *crowd->kind);
        h = hash(h, crowd->radius, model->body_count * sizeof *crowd->radius);
        h = hash(h, crowd->walls, crowd->wall_count * sizeof *crowd->walls);
        h = hash(h, crowd->pair_class,
                 crowd->kind_count * crowd->kind_count * sizeof *crowd->pair_class);
        h = hash(h, crowd->wall_class,
                 crowd->kind_count * crowd->wall_count * sizeof *crowd->wall_class);
    }
    for (size_t i = 0; crowd && i < crowd->class_count; i++) {
        h = hash_laws(h, &crowd->classes[i].law, &crowd->classes[i].friction);
    }
    for (size_t i = 0; i < model->force_count; i++) {
        h = hash_force(h, &model->forces[i]);
    }
    h = HASH(h, model->event_count);
    h = HASH(HASH(h, sim->options.method), sim->options.tol);
    return HASH(HASH(h, sim->options.dt), sim->options.events);
}

void ff_checkpoint_note(ff_sim *sim) { sim->fingerprint = fingerprint(sim); }

/* The head of a file; what follows is the state, the caller's bytes, and a hash of all before. */
typedef struct {
    char magic[24];
    char version[24];
    uint64_t layout; /* of the state in this build */
    uint64_t model;
    uint64_t state_size, extra_size;
} head;

static const char magic[24] = "footfall checkpoint 1\n";

static uint64_t layout_of(const ff_sim *sim) {
    const uint64_t sizes[] = {sizeof sim->now, sizeof sim->flow.now, sizeof(ff_event),
                              sizeof(ff_mode), sizeof(ff_method),    FF_BODY_STRIDE,
                              FF_METHODS,      FF_CONTACT_INTEGRALS, 0x0102030405060708u};
    return hash(0xcbf29ce484222325u, sizes, sizeof sizes);
}

static head make_head(const ff_sim *sim, size_t state_size, size_t extra_size) {
    head out = {.layout = layout_of(sim),
                .model = fingerprint(sim),
                .state_size = state_size,
                .extra_size = extra_size};
    memcpy(out.magic, magic, sizeof magic);
    snprintf(out.version, sizeof out.version, "%s", ff_version());
    return out;
}

static ff_status tell(ff_error *error, ff_status status, const char *path, const char *what) {
    return ff_model_fail(error, status, "%.150s: %s", path, what);
}

/* ---- writing ---- */

/* all of it on the disk, and then under its name */
static bool put_file(const char *path, const char *data, size_t size) {
    size_t room = strlen(path) + 8;
    char *made = malloc(room);
    if (!made) {
        return false;
    }
    snprintf(made, room, "%s.new", path);
    int file = open(made, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    bool good = file >= 0;
    for (size_t at = 0; good && at < size;) {
        ssize_t done = write(file, data + at, size - at);
        good = done > 0 || (done < 0 && errno == EINTR);
        at += done > 0 ? (size_t)done : 0;
    }
    good = good && fsync(file) == 0;
    int reason = errno;
    if (file >= 0) {
        good = close(file) == 0 && good;
    }
    errno = good ? 0 : reason;
    good = good && rename(made, path) == 0;
    if (!good) {
        reason = errno;
        unlink(made);
        errno = reason;
    }
    free(made);
    return good;
}

ff_status ff_checkpoint_write(const char *path, ff_sim *sim, const void *extra, size_t size,
                              ff_error *error) {
    size_t state = ff_sim_state_size(sim), total = sizeof(head) + state + size + sizeof(uint64_t);
    char *data = malloc(total);
    if (!data) {
        return tell(error, FF_NO_MEMORY, path, "out of memory");
    }
    head first = make_head(sim, state, size);
    memcpy(data, &first, sizeof first);
    ff_sim_save(sim, data + sizeof first);
    if (size) {
        memcpy(data + sizeof first + state, extra, size);
    }
    uint64_t sum = hash(0xcbf29ce484222325u, data, total - sizeof sum);
    memcpy(data + total - sizeof sum, &sum, sizeof sum);
    bool good = put_file(path, data, total);
    int reason = errno;
    free(data);
    return good ? FF_OK : tell(error, FF_BAD_VALUE, path, strerror(reason));
}

/* ---- reading ---- */

static char *get_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    long length = -1;
    struct stat s;
    /* the length of a folder is no length */
    if (file && (fstat(fileno(file), &s) != 0 || S_ISDIR(s.st_mode))) {
        fclose(file);
        errno = EISDIR;
        return NULL;
    }
    if (file && fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0) {
        rewind(file);
        data = malloc((size_t)length + 1);
        *size = (size_t)length;
        if (data && fread(data, 1, *size, file) != *size) {
            free(data);
            data = NULL;
        }
    }
    int reason = errno;
    if (file) {
        fclose(file);
    }
    errno = reason;
    return data;
}

/* What is wrong with a file, or NULL. */
static const char *fault(const ff_sim *sim, const char *data, size_t size) {
    head first, ours = make_head(sim, 0, 0);
    uint64_t sum;
    if (size < sizeof first + sizeof sum || memcmp(data, magic, sizeof magic) != 0) {
        return "this is no checkpoint of footfall";
    }
    memcpy(&first, data, sizeof first);
    memcpy(&sum, data + size - sizeof sum, sizeof sum);
    if (hash(0xcbf29ce484222325u, data, size - sizeof sum) != sum ||
        first.state_size + first.extra_size + sizeof first + sizeof sum != size) {
        return "the checkpoint is damaged";
    }
    if (memcmp(first.version, ours.version, sizeof first.version) != 0 ||
        first.layout != ours.layout) {
        return "the checkpoint is of another version or build of footfall";
    }
    return first.model == ours.model ? NULL
                                     : "the checkpoint is of another scene, method or tolerance";
}

ff_status ff_checkpoint_read(const char *path, ff_sim *sim, void **extra, size_t *extra_size,
                             ff_error *error) {
    size_t size = 0;
    errno = 0;
    char *data = get_file(path, &size);
    if (!data) {
        return tell(error, FF_BAD_VALUE, path, errno ? strerror(errno) : "cannot be read");
    }
    const char *why = fault(sim, data, size);
    ff_status status = why ? tell(error, FF_BAD_VALUE, path, why) : FF_OK;
    if (status == FF_OK) {
        head first;
        memcpy(&first, data, sizeof first);
        status = ff_sim_restore(sim, data + sizeof first, first.state_size);
        if (status < 0) {
            tell(error, status, path, ff_status_text(status));
        } else if (extra) {
            *extra_size = first.extra_size;
            *extra = malloc(first.extra_size + 1);
            status = *extra ? FF_OK : tell(error, FF_NO_MEMORY, path, "out of memory");
            if (*extra) {
                memcpy(*extra, data + sizeof first + first.state_size, first.extra_size);
            }
        }
    }
    free(data);
    return status;
}
