/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* A model is shared by threads, and a sim can be read by several: sims of one model run in parallel, while other
 * threads read the model and a resting sim. All get the same bits as a single thread. Also built with
 * -fsanitize=thread (.ci/run), which detects writes without visible effect. */

#include "check.h"
#include "num/hash.h"
#include <footfall/field.h>
#include <footfall/footfall.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { RUNNERS = 3, READERS = 2 };

typedef struct {
    const char *scene;
    const char *settings[2];
    size_t count;
    double until; /* s: some hundred steps */
    int threads;  /* threads of a crowd */
} job;

static const job jobs[] = {
    {"rolling", {0}, 0, 0.3, 0},
    {"collision", {0}, 0, 0.3, 0},
    {"chain", {0}, 0, 0.5, 0},
    {"fourbar", {"run.formulation=maximal", "run.constraints=direct"}, 2, 0.5, 0},
    {"biped", {0}, 0, 0.1, 0},
    {"grains", {0}, 0, 0.01, 1},
    {"grains", {0}, 0, 0.01, 2},
};

static ff_model *load(const job *j) {
    char file[512];
    ff_scene *scene;
    ff_model *model;
    snprintf(file, sizeof file, FF_SOURCE_DIR "/scenes/%s.yaml", j->scene);
    assert_int_equal(ff_scene_read(file, j->settings, j->count, &scene, NULL), FF_OK);
    assert_int_equal(ff_model_create(scene, &model, NULL), FF_OK);
    ff_scene_free(scene);
    return model;
}

/* ---- queries ---- */

/* a hash of all queries of a model */
static uint64_t read_model(const ff_model *model) {
    uint64_t h = FF_HASH(FF_HASH_START, ff_model_run(model)->tol);
    for (size_t i = 0; i < ff_model_body_count(model); i++) {
        const ff_body_facts facts = ff_model_body_facts(model, i);
        h = FF_HASH(ff_hash_text(h, ff_model_body_name(model, i)), facts);
    }
    for (size_t i = 0; i < ff_model_contact_count(model); i++) {
        const ff_contact_facts facts = ff_model_contact_facts(model, i);
        h = FF_HASH(ff_hash_text(h, ff_model_contact_name(model, i)), facts.speed);
    }
    for (size_t i = 0; i < ff_model_class_count(model); i++) {
        const ff_contact_facts facts = ff_model_class_facts(model, i);
        h = FF_HASH(ff_hash_text(h, ff_model_class_name(model, i)), facts.speed);
    }
    for (size_t i = 0; i < ff_model_joint_count(model); i++) {
        const ff_joint_facts facts = ff_model_joint_facts(model, i);
        h = FF_HASH(ff_hash_text(h, ff_model_joint_name(model, i)), facts.anchor);
    }
    for (size_t i = 0; i < ff_model_unpaired_count(model); i++) {
        h = ff_hash_text(h, ff_model_unpaired_name(model, i));
    }
    for (size_t i = 0; i < ff_model_field_count(model); i++) {
        ff_field field;
        size_t found;
        ff_model_field(model, i, &field);
        h = FF_HASH(ff_hash_text(h, field.path), field.width);
        if (ff_model_field_find(model, field.path, &found, NULL, NULL) == FF_OK) {
            h = FF_HASH(h, found);
        }
    }
    const ff_assembly assembly = ff_model_assembly(model);
    return FF_HASH(h, assembly.freedoms);
}

/* a hash of all queries of a sim that is not changed */
static uint64_t read_sim(const ff_model *model, const ff_sim *sim) {
    const double time = ff_sim_time(sim);
    const ff_statistics s = ff_sim_statistics(sim);
    const ff_violation off = ff_sim_violation_most(sim);
    const size_t size = ff_sim_state_size(sim);
    uint64_t h = FF_HASH(FF_HASH(FF_HASH(FF_HASH_START, time), s.steps), s.evaluations);
    h = FF_HASH(FF_HASH(FF_HASH(h, off), size), ff_sim_event(sim)->kind);
    h = ff_hash_text(h, ff_sim_error(sim));
    for (size_t i = 0; i < ff_model_body_count(model); i++) {
        const ff_motion m = ff_sim_body(sim, i);
        h = FF_HASH(h, m);
    }
    for (size_t i = 0; i < ff_model_contact_count(model); i++) {
        const ff_contact_record r = ff_sim_contact(sim, i);
        const ff_ledger l = ff_sim_contact_ledger(sim, i);
        h = FF_HASH(FF_HASH(FF_HASH(FF_HASH(h, r.depth), r.force), r.slip), l);
    }
    for (size_t i = 0; i < ff_model_class_count(model); i++) {
        const ff_ledger l = ff_sim_class_ledger(sim, i);
        h = FF_HASH(h, l);
    }
    return h;
}

/* ---- threads ---- */

typedef struct {
    const job *job;
    const ff_model *model;
    const ff_sim *rests;
    uint64_t model_is, sim_is; /* hashes seen by a single thread */
    atomic_int running;
    atomic_bool wrong;
} room;

static ff_sim *make_run(const job *j, const ff_model *model) {
    ff_run_options o = *ff_model_run(model);
    ff_sim *sim = NULL;
    o.threads = j->threads;
    if (ff_sim_create(model, &o, &sim, NULL) == FF_OK) {
        while (ff_sim_advance(sim, j->until) == FF_EVENT) {
        }
    }
    return sim;
}

/* Makes its own run, and another with its own input, which no other thread sees. */
static void *go(void *user) {
    room *r = user;
    ff_sim *sim = make_run(r->job, r->model);
    if (!sim || read_sim(r->model, sim) != r->sim_is) {
        r->wrong = true;
    }
    if (sim && r->job->threads == 0 &&
        (ff_sim_set_path(sim, "gravity[2]", -5, NULL) < 0 || ff_sim_step(sim, 10) < 0)) {
        r->wrong = true;
    }
    ff_sim_free(sim);
    r->running--;
    return NULL;
}

static void *look(void *user) {
    room *r = user;
    do {
        if (read_model(r->model) != r->model_is || read_sim(r->model, r->rests) != r->sim_is) {
            r->wrong = true;
        }
    } while (r->running > 0);
    return NULL;
}

static void test_shared(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS(jobs); i++) {
        pthread_t threads[RUNNERS + READERS];
        ff_model *model = load(&jobs[i]);
        ff_sim *rests = make_run(&jobs[i], model);
        assert_non_null(rests);
        assert_holds(ff_sim_statistics(rests).steps > 40, "%s: too short to meet", jobs[i].scene);
        room r = {.job = &jobs[i],
                  .model = model,
                  .rests = rests,
                  .model_is = read_model(model),
                  .sim_is = read_sim(model, rests),
                  .running = RUNNERS};
        for (int k = 0; k < RUNNERS + READERS; k++) {
            assert_int_equal(pthread_create(&threads[k], NULL, k < RUNNERS ? go : look, &r), 0);
        }
        for (int k = 0; k < RUNNERS + READERS; k++) {
            pthread_join(threads[k], NULL);
        }
        assert_holds(!r.wrong, "%s: threads disagree", jobs[i].scene);
        assert_true(read_model(model) == r.model_is && read_sim(model, rests) == r.sim_is);
        ff_sim_free(rests);
        ff_model_free(model);
    }
}

/* An observed time inside the last step, read by several threads at once. */
static void test_observed(void **state) {
    (void)state;
    ff_model *model = load(&jobs[2]);
    ff_sim *sim = make_run(&jobs[2], model);
    const double before = ff_sim_time(sim);
    assert_int_equal(ff_sim_step(sim, 1), FF_OK);
    ff_sim_observe(sim, (before + ff_sim_time(sim)) / 2);
    room r = {.job = &jobs[2],
              .model = model,
              .rests = sim,
              .model_is = read_model(model),
              .sim_is = read_sim(model, sim)};
    pthread_t threads[READERS];
    for (int k = 0; k < READERS; k++) {
        assert_int_equal(pthread_create(&threads[k], NULL, look, &r), 0);
    }
    for (int k = 0; k < READERS; k++) {
        pthread_join(threads[k], NULL);
    }
    assert_false(r.wrong);
    ff_sim_free(sim);
    ff_model_free(model);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_shared),
    cmocka_unit_test(test_observed),
};

CHECK_MAIN(tests)
