/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _DEFAULT_SOURCE
#include "check.h"
#include "ensemble/ensemble.h"
#include "no_memory.h"
#include <footfall/footfall.h>
#include <footfall/source.h>
#include <stdlib.h>

/* Lanes with bodies of several spheres: each run has the bits of a single run, all of its state included, whatever the laws,
 * the planes, the method, the vector width, its neighbours and the order; scenes that cannot use lanes; sweeps. */

/* ---- scenes ---- */

#define START                                                                                      \
    "position: [0, 0, 0.2], velocity: [0.5, 0, -1], omega: [3, 5, -2], orientation: {axis: [1, "   \
    "2, 0.5], angle: 0.7}"
#define DUMBBELL                                                                                   \
    "{mass: 0.5 kg, shape: {spheres: [{center: [0.1, 0, 0], radius: 3 cm}, {center: [-0.06, 0, "   \
    "0], radius: 4 cm}]}, " START "}"
#define CUBE                                                                                       \
    "{mass: 1 kg, shape: {box: {size: [10 cm, 10 cm, 10 cm], corner_radius: 5 mm}}, " START "}"
#define BRICK                                                                                      \
    "{mass: 1 kg, shape: {box: {size: [20 cm, 10 cm, 6 cm], corner_radius: 1 cm}}, " START "}"
/* the middle sphere is at the centre of mass */
#define TRIPLE                                                                                     \
    "{mass: 0.8 kg, inertia: [1e-3, 2e-3, 2.5e-3], shape: {spheres: [{center: [0, 0, 0], radius: " \
    "3 cm}, {center: [0.08, 0.02, 0], radius: 2 cm}, {center: [-0.08, -0.02, 0.01], radius: 2 "    \
    "cm}]}, " START "}"
/* round, with its centre of mass outside the centre of its sphere */
#define TOP                                                                                        \
    "{mass: 20 g, inertia: [3e-6, 3e-6, 3e-6], shape: {spheres: [{center: [0, 0, 6 mm], radius: "  \
    "2 "                                                                                           \
    "cm}]}, " START "}"
#define AZAD "{law: azad-featherstone, k: 8.5e6, lambda: 3.1e3}"
#define CLUTCH "{law: clutch, k: 12.75e6, damping: 3.1e3, mu: 0.3, viscous: 0.1}"
#define FLOOR "  floor: {plane: {normal: [0.02, 0.1, 1]}}\n"
#define SCENE(body, planes, pairs, run)                                                            \
    "gravity: [0, 0, -9.81]\nbodies:\n  it: " body "\nground:\n" planes "pairs:\n" pairs           \
    "run: " run "\n"
#define PAIR(plane, normal, friction)                                                              \
    "  - between: [it, " plane "]\n    normal: " normal "\n    friction: " friction "\n"
#define ON(body, normal, friction)                                                                 \
    SCENE(body, FLOOR, PAIR("floor", normal, friction), "{until: 0.4 s, tol: 1e-6}")
#define CORNER                                                                                     \
    FLOOR "  left: {plane: {point: [-0.1, 0, 0], normal: [1, 0, 0.1]}}\n"                          \
          "  back: {plane: {point: [0, -0.15, 0], normal: [0, 1, 0]}}\n"

static const struct {
    const char *name, *text;
} scenes[] = {
    {"dumbbell", ON(DUMBBELL, AZAD, CLUTCH)},
    {"cube", ON(CUBE, AZAD, CLUTCH)},
    {"brick, tight", SCENE(BRICK, FLOOR, PAIR("floor", AZAD, CLUTCH), "{until: 0.2 s, tol: 1e-9}")},
    {"brick, loose", SCENE(BRICK, FLOOR, PAIR("floor", AZAD, CLUTCH), "{until: 1 s, tol: 1e-3}")},
    {"triple", ON(TRIPLE, AZAD, CLUTCH)},
    {"top",
     ON(TOP, "{law: hunt-crossley, k: 1e6, lambda: 1e6}", "{law: coulomb, mu: 0.3, v_ramp: 1e-3}")},
    {"dopri5", SCENE(DUMBBELL, FLOOR, PAIR("floor", AZAD, CLUTCH),
                     "{until: 0.3 s, tol: 1e-7, method: dopri5, max_step: 2 ms}")},
    {"no friction", ON(DUMBBELL, AZAD, "{law: none}")},
    {"tension",
     ON(DUMBBELL, "{law: azad-featherstone, k: 8.5e6, lambda: 3.1e3, detach: tension}", CLUTCH)},
    {"local",
     ON(TRIPLE, "{law: azad-featherstone, k: 8.5e6, lambda: 3.1e3, detach: local}", CLUTCH)},
    {"dry clutch",
     ON(DUMBBELL, AZAD,
        "{law: clutch, k: 12.75e6, damping: 3.1e3, mu: 0.2, viscous: 0.1, unloaded: drop}")},
    {"clutch without viscous friction",
     ON(DUMBBELL, AZAD, "{law: clutch, k: 12.75e6, damping: 3.1e3, mu: 0.2}")},
    {"linear", ON(DUMBBELL, "{law: linear, k: 3e5, lambda: 40}",
                  "{law: clutch, k: 2e5, damping: 30, mu: 0.2}")},
    {"linear, tension", ON(DUMBBELL, "{law: linear, k: 3e5, lambda: 40, detach: tension}",
                           "{law: dahl, k: 1e3, mu: 0.2}")},
    {"marhefka-orin", ON(DUMBBELL, "{law: marhefka-orin, k: 3e5, alpha: 0.3}",
                         "{law: sat, k: 2e5, beta: 1e-3, mu: 0.2}")},
    {"lee-wang", ON(DUMBBELL, "{law: lee-wang, k: 8.5e6, lambda: 1e5}", CLUTCH)},
    {"tsuji", ON(TRIPLE, "{law: tsuji, k: 8.5e6, lambda: 400}", CLUTCH)},
    {"general", ON(DUMBBELL, "{law: general, k: 5e6, lambda: 2e5, n: 1.4, p: 1}",
                   "{law: lugre, k: 1e3, damping: 1, viscous: 0.01, mu: 0.2}")},
    {"two-term",
     ON(DUMBBELL, "{law: two-term, k: 8.5e6, n: 1.5, k2: 1e8, n2: 2.5, chi: 0.3}", CLUTCH)},
    {"lankarani-nikravesh", ON(DUMBBELL, "{law: lankarani-nikravesh, k: 8.5e6, e: 0.7}", CLUTCH)},
    {"flores",
     ON(CUBE, "{law: flores, k: 8.5e6, e: 0.7}", "{law: awrejcewicz, mu: 0.3, epsilon: 1e-2}")},
    {"sat", ON(DUMBBELL, AZAD, "{law: sat, k: 2e5, beta: 1e-3, mu: 0.2}")},
    {"lugre", ON(DUMBBELL, AZAD, "{law: lugre, k: 1e3, damping: 1, viscous: 0.01, mu: 0.2}")},
    {"dahl", ON(TRIPLE, AZAD, "{law: dahl, k: 1e3, mu: 0.2}")},
    {"coulomb", ON(DUMBBELL, AZAD, "{law: coulomb, mu: 0.2, v_ramp: 0.05}")},
    {"bengisu-akay",
     ON(DUMBBELL, AZAD, "{law: bengisu-akay, mu_s: 0.3, mu: 0.2, v0: 0.1, xi: 10}")},
    /* three planes, each with laws of its own */
    {"corner", SCENE(CUBE, CORNER,
                     PAIR("floor", AZAD, CLUTCH)
                         PAIR("left", "{law: flores, k: 8.5e6, e: 0.7}", "{law: none}")
                             PAIR("back", "{law: linear, k: 3e5, lambda: 40}",
                                  "{law: lugre, k: 1e3, damping: 1, mu: 0.2}"),
                     "{until: 0.4 s, tol: 1e-6}")},
};

static ff_model *model_of(const char *text, const char *setting) {
    ff_messages messages = {0};
    ff_scene *scene = NULL;
    ff_model *model = NULL;
    ff_error error = {""};
    ff_status status = ff_scene_parse("s.yaml", text, strlen(text), &setting, setting != NULL,
                                      INFINITY, &scene, &messages);
    assert_holds(status == FF_OK, "%s", messages.count ? messages.at[0].text : "not read");
    ff_messages_clear(&messages);
    assert_holds(ff_model_create(scene, &model, &error) == FF_OK, "%s", error.text);
    ff_scene_free(scene);
    return model;
}

/* ---- runs ---- */

enum { RUNS_MOST = 40, PARTS = 6 };

/* Runs of one model with different masses and stiffnesses, and the state at the end of each. */
typedef struct {
    const ff_model *model;
    ff_run_options options;
    size_t fields[2], count, at, order[RUNS_MOST], row[FF_ENSEMBLE_RUNS];
    double values[RUNS_MOST][2];
    ff_sim *sims[FF_ENSEMBLE_RUNS];
    bool busy[FF_ENSEMBLE_RUNS];
    size_t size[RUNS_MOST][PARTS];
    char *state[RUNS_MOST][PARTS];
    size_t counts[RUNS_MOST][FF_USER + 1];
} batch;

/* Everything that a run has computed: accounts, y, tolerances, the phase (modes, books), steps, the list of impacts. */
static void keep_state(batch *b, size_t row, ff_sim *sim) {
    const ff_flow *f = &sim->flow;
    ff_statistics s = ff_sim_statistics(sim);
    size_t impacts = ff_sim_impact_count(sim);
    impacts = impacts < FF_IMPACTS_KEPT ? impacts : FF_IMPACTS_KEPT;
    s.seconds = 0;
    const double now[] = {sim->now.initial, sim->now.scale, sim->now.leak.worst, ff_sim_time(sim),
                          f->now.step};
    const struct {
        const void *at;
        size_t size;
    } parts[PARTS] = {{now, sizeof now},
                      {f->y, f->n * sizeof *f->y},
                      {f->per_weight, f->n * sizeof *f->per_weight},
                      {f->phase, f->phase_size},
                      {&s, sizeof s},
                      {sim->impacts, impacts * sizeof *sim->impacts}};
    for (int i = 0; i < PARTS; i++) {
        free(b->state[row][i]);
        b->size[row][i] = parts[i].size;
        b->state[row][i] = malloc(parts[i].size + 1);
        memcpy(b->state[row][i], parts[i].at, parts[i].size);
    }
}

static bool next(void *user, int lane, ff_sim **sim) {
    batch *b = user;
    ff_error error = {""};
    if (b->at == b->count) {
        return false;
    }
    const size_t row = b->row[lane] = b->order[b->at++];
    *sim = b->sims[lane];
    b->busy[lane] = true;
    assert_holds(ff_set_again(*sim, b->fields, 2, b->values[row], row % 2 == 0, &error) == FF_OK,
                 "%s", error.text);
    return true;
}

static void done(void *user, int lane, const size_t counts[FF_USER + 1], bool good) {
    batch *b = user;
    const size_t row = b->row[lane];
    b->busy[lane] = false;
    assert_holds(good, "row %zu: %s", row, ff_sim_error(b->sims[lane]));
    memcpy(b->counts[row], counts, sizeof b->counts[row]);
    keep_state(b, row, b->sims[lane]);
}

static void run_lanes(batch *b) {
    ff_error error;
    b->at = 0;
    for (int l = 0; l < FF_ENSEMBLE_RUNS; l++) {
        assert_int_equal(ff_sim_create(b->model, &b->options, &b->sims[l], &error), FF_OK);
    }
    const ff_ensemble_feed feed = {.next = next, .done = done, .user = b};
    assert_int_equal(ff_ensemble_run(b->model, &b->options, &feed), FF_OK);
    assert_true(b->at == b->count);
    for (int l = 0; l < FF_ENSEMBLE_RUNS; l++) {
        ff_sim_free(b->sims[l]);
    }
}

static void run_single(batch *b, size_t row) {
    ff_sim *sim;
    ff_error error = {""};
    assert_int_equal(ff_sim_create(b->model, &b->options, &sim, &error), FF_OK);
    assert_int_equal(ff_sim_set_all(sim, b->fields, 2, b->values[row], &error), FF_OK);
    ff_status status;
    while ((status = ff_sim_advance(sim, b->options.until)) == FF_EVENT) {
        b->counts[row][ff_sim_event(sim)->kind]++;
        if (!(ff_sim_time(sim) < b->options.until)) {
            break;
        }
    }
    assert_holds(status >= 0 && ff_sim_verdict(sim) == FF_OK, "%s", ff_sim_error(sim));
    keep_state(b, row, sim);
    ff_sim_free(sim);
}

static batch batch_of(const ff_model *model, size_t count) {
    batch b = {.model = model, .options = *ff_model_run(model), .count = count};
    size_t part;
    ff_error error = {""};
    double values[2];
    ff_sim *sim;
    assert_int_equal(ff_model_field_find(model, "bodies.it.mass", &b.fields[0], &part, &error),
                     FF_OK);
    assert_int_equal(ff_model_field_find(model, "pairs[0].normal.k", &b.fields[1], &part, &error),
                     FF_OK);
    assert_int_equal(ff_sim_create(model, &b.options, &sim, &error), FF_OK);
    ff_sim_get_all(sim, b.fields, 2, values);
    ff_sim_free(sim);
    for (size_t i = 0; i < count; i++) {
        b.order[i] = i;
        b.values[i][0] = values[0] * log_uniform(0.5, 2);
        b.values[i][1] = values[1] * log_uniform(0.5, 2);
    }
    return b;
}

static void clear(batch *b) {
    for (size_t i = 0; i < RUNS_MOST * PARTS; i++) {
        free(b->state[i / PARTS][i % PARTS]);
    }
}

static void assert_same_row(const batch *a, const batch *b, const char *name, const char *what,
                            size_t row) {
    for (int i = 0; i < PARTS; i++) {
        size_t at = 0;
        const size_t size = a->size[row][i];
        while (at < size && a->state[row][i][at] == b->state[row][i][at]) {
            at++;
        }
        assert_holds(size == b->size[row][i] && at == size,
                     "%s, %s: row %zu, part %d differs from byte %zu of %zu on", name, what, row, i,
                     at, size);
    }
}

static void assert_same(const batch *a, const batch *b, const char *name, const char *what) {
    for (size_t row = 0; row < a->count; row++) {
        assert_same_row(a, b, name, what, row);
        assert_holds(memcmp(a->counts[row], b->counts[row], sizeof a->counts[row]) == 0,
                     "%s, %s: row %zu has other events", name, what, row);
    }
}

/* ---- the bits of single runs ---- */

static void compare(const ff_model *model, const char *name, size_t count) {
    const char *why = ff_ensemble_refusal(model, ff_model_run(model));
    assert_holds(!why, "%s: %s", name, why);
    batch single = batch_of(model, count), lanes = single;
    for (size_t row = 0; row < count; row++) {
        run_single(&single, row);
    }
    run_lanes(&lanes);
    assert_same(&single, &lanes, name, "lanes");
    clear(&single);
    clear(&lanes);
}

static void same_as_single(void **state) {
    (void)state;
    for (size_t s = 0; s < ROWS(scenes); s++) {
        ff_model *model = model_of(scenes[s].text, NULL);
        compare(model, scenes[s].name, 20);
        ff_model_free(model);
    }
}

/* Any width, order and neighbours. */
static void same_in_any_lane(void **state) {
    (void)state;
    const char *sets[] = {"sse2", "avx2", "avx512"};
    const size_t which[] = {1, 4, ROWS(scenes) - 1};
    for (size_t s = 0; s < ROWS(which); s++) {
        const char *name = scenes[which[s]].name;
        ff_model *model = model_of(scenes[which[s]].text, NULL);
        batch first = batch_of(model, 30), other = first;
        run_lanes(&first);
        for (size_t i = 0; i < ROWS(sets); i++) {
            setenv("FOOTFALL_ISA", sets[i], 1);
            run_lanes(&other);
            unsetenv("FOOTFALL_ISA");
            assert_same(&first, &other, name, sets[i]);
        }
        for (size_t i = 0; i < other.count; i++) {
            other.order[i] = other.count - 1 - i;
        }
        run_lanes(&other);
        assert_same(&first, &other, name, "the other way round");
        for (size_t i = 0; i < first.count; i++) {
            other.count = 1;
            other.order[0] = i;
            run_lanes(&other);
        }
        other.count = first.count;
        assert_same(&first, &other, name, "alone");
        clear(&first);
        clear(&other);
        ff_model_free(model);
    }
}

static bool stops(void *user) {
    (void)user;
    return true;
}

/* A feed that stops leaves sims that go on alone, with the same bits. */
static void stopped(void **state) {
    (void)state;
    ff_model *model = model_of(scenes[1].text, "run.until=2");
    batch b = batch_of(model, RUNS_MOST), single = b;
    ff_error error;
    size_t left = 0;
    for (int l = 0; l < FF_ENSEMBLE_RUNS; l++) {
        assert_int_equal(ff_sim_create(b.model, &b.options, &b.sims[l], &error), FF_OK);
    }
    const ff_ensemble_feed feed = {.next = next, .done = done, .stop = stops, .user = &b};
    assert_int_equal(ff_ensemble_run(b.model, &b.options, &feed), FF_OK);
    for (int l = 0; l < FF_ENSEMBLE_RUNS; l++) {
        ff_sim *sim = b.sims[l];
        const size_t row = b.row[l];
        if (b.busy[l]) {
            ff_status status;
            assert_true(ff_sim_time(sim) > 0 && ff_sim_time(sim) < b.options.until);
            while ((status = ff_sim_advance(sim, b.options.until)) == FF_EVENT) {
            }
            assert_int_equal(status, FF_OK);
            keep_state(&b, row, sim);
            run_single(&single, row);
            assert_same_row(&b, &single, "stopped", "alone afterwards", row);
            left++;
        }
        ff_sim_free(sim);
    }
    assert_true(left > 0 && b.at < b.count);
    clear(&b);
    clear(&single);
    ff_model_free(model);
}

/* Random bodies, planes, laws, methods and tolerances. */
static void random_scenes(void **state) {
    (void)state;
    static const char *const normals[] = {"linear, k: %g, lambda: 30",
                                          "hertz, k: %g",
                                          "hunt-crossley, k: %g, lambda: 3e5",
                                          "marhefka-orin, k: %g, alpha: 0.2",
                                          "lee-wang, k: %g, lambda: 3e4",
                                          "azad-featherstone, k: %g, lambda: 1e3",
                                          "tsuji, k: %g, lambda: 100",
                                          "lankarani-nikravesh, k: %g, e: 0.8",
                                          "flores, k: %g, e: 0.6",
                                          "general, k: %g, lambda: 1e5, n: 1.3, p: 1",
                                          "azad-featherstone, k: %g, lambda: 1e3, detach: local",
                                          "hunt-crossley, k: %g, lambda: 3e5, detach: tension",
                                          "two-term, k: %g, n: 1.5, k2: 1e8, n2: 2.5, chi: 0.3"};
    static const char *const frictions[] = {"none",
                                            "clutch, k: 1e6, damping: 300, mu: 0.3, viscous: 0.1",
                                            "clutch, k: 1e6, damping: 300, mu: 0.1",
                                            "clutch, k: 1e6, damping: 300, mu: 0.4, unloaded: drop",
                                            "sat, k: 2e5, beta: 1e-3, mu: 0.2",
                                            "dahl, k: 1e3, mu: 0.4",
                                            "lugre, k: 1e3, damping: 1, viscous: 0.01, mu: 0.3",
                                            "coulomb, mu: 0.2, v_ramp: 0.02",
                                            "awrejcewicz, mu: 0.2, epsilon: 0.05",
                                            "bengisu-akay, mu_s: 0.3, mu: 0.2, v0: 0.1, xi: 10"};
    enum { SCENES = 60, ROOM = 8192 };
    char *text = malloc(ROOM), law[200];
    for (int turn = 0; turn < SCENES; turn++) {
        int at = snprintf(text, ROOM, "gravity: [%g, 0, -9.81]\nbodies:\n  it: {mass: 0.5, ",
                          uniform(-1, 1));
#define ADD(...) at += snprintf(text + at, (size_t)(ROOM - at), __VA_ARGS__)
        const int spheres = (int)uniform(1, 7), planes = (int)uniform(1, 4);
        /* without an inertia of its own, a single sphere is one about its centre of mass */
        if (spheres == 1 || uniform(0, 1) < 0.5) {
            ADD("inertia: [%g, %g, %g], ", uniform(1e-3, 2e-3), uniform(1e-3, 2e-3), 2e-3);
        }
        ADD("shape: {spheres: [");
        for (int i = 0; i < spheres; i++) {
            ADD("%s{center: [%g, %g, %g], radius: %g}", i ? ", " : "", uniform(-0.1, 0.1),
                uniform(-0.1, 0.1), uniform(-0.1, 0.1), uniform(0.02, 0.05));
        }
        ADD("]}, position: [0, 0, 0.3], velocity: [%g, %g, -1], omega: [%g, %g, %g]}\nground:\n",
            uniform(-1, 1), uniform(-1, 1), uniform(-9, 9), uniform(-9, 9), uniform(-9, 9));
        for (int i = 0; i < planes; i++) {
            ADD("  p%d: {plane: {point: [%g, 0, 0], normal: [%g, %g, 1]}}\n", i,
                i ? uniform(-0.3, 0.3) : 0, i ? uniform(-1, 1) : 0, i ? uniform(-1, 1) : 0.05);
        }
        ADD("pairs:\n");
        for (int i = 0; i < planes; i++) {
            snprintf(law, sizeof law, normals[(size_t)uniform(0, ROWS(normals))],
                     log_uniform(3e5, 3e6));
            ADD("  - {between: [it, p%d], normal: {law: %s}, friction: {law: %s}}\n", i, law,
                frictions[(size_t)uniform(0, ROWS(frictions))]);
        }
        ADD("run: {until: 0.3 s, tol: %g, method: %s}\n", log_uniform(1e-9, 1e-4),
            uniform(0, 1) < 0.7 ? "auto" : "dopri5");
        ff_model *model = model_of(text, NULL);
        compare(model, text, 6);
        ff_model_free(model);
    }
    free(text);
}

/* ---- scenes that cannot use lanes ---- */

static void refusals(void **state) {
    (void)state;
    const char *text = ON(DUMBBELL, AZAD, CLUTCH);
    const struct {
        const char *text, *setting, *why;
    } cases[] = {
        {text, "run.method=rodas", "the method is neither auto nor dopri5"},
        {text, "run.method=rk4", "the method is neither auto nor dopri5"},
        {text, "run.events=none", "events are not located"},
        {ON("{mass: 1 kg, inertia: [1e-3, 1e-3, 1e-3], lock: [y], shape: {spheres: [{center: [0.1, "
            "0, 0], radius: 3 cm}]}, position: [0, 0, 1]}",
            AZAD, CLUTCH),
         NULL, "the body is locked"},
        {text, "ground.floor.plane.surface_velocity=[1, 0, 0]", "the plane moves"},
        {text, "pairs[0].friction.passive=true", "the friction law has no lanes"},
        {ON(DUMBBELL, "{law: xiong, K: 1e6, alpha: 1e-4, beta: 1e-3}",
            "{law: sat, k: 2e5, beta: 1e-3, mu: 0.2}"),
         NULL, "the normal law has an inner state"},
        {"events: {low: \"it.position[2] - 5 cm\"}\n" ON(DUMBBELL, AZAD, CLUTCH), NULL,
         "it has events of its own"},
        {"forces: {wind: {constant: {body: it, force: [0.1, 0, 0]}}}\n" ON(DUMBBELL, AZAD, CLUTCH),
         NULL, "forces are applied"},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_model *model = model_of(cases[i].text, cases[i].setting);
        const char *why = ff_ensemble_refusal(model, ff_model_run(model));
        assert_holds(why && strcmp(why, cases[i].why) == 0, "case %zu: %s", i, why ? why : "lanes");
        ff_model_free(model);
    }
}

/* ---- sweeps ---- */

static ff_table *table_of(const ff_sweep *sweep) {
    ff_table *t = NULL;
    ff_messages messages = {0};
    ff_status status = ff_sweep_run(sweep, &t, &messages);
    assert_holds(status == FF_OK, "%s", messages.count ? messages.at[0].text : "");
    ff_messages_clear(&messages);
    return t;
}

/* Numbers of whole runs, of events, impacts and orientations are those of single runs, bit for bit, with any number of threads.
 * A row that fails has the same reason. */
static void sweeps(void **state) {
    (void)state;
    const char *vary[] = {"pairs[0].normal.k=loguniform(4e6, 2e7)", "bodies.it.mass=0.5,1,-1"},
               *keep[] = {"end(bodies.it.orientation[1])",
                          "max(contacts.it.corner5/floor.force)",
                          "mean(bodies.it.velocity[0])",
                          "min(bodies.it.position[2])",
                          "first(t, bodies.it.velocity[2] > 0)",
                          "integral(norm(bodies.it.omega))",
                          "end(ledger.residual)",
                          "start(bodies.it.position[2])",
                          "n=count(touchdown)",
                          "at(liftoff 1, bodies.it.velocity[2])",
                          "impact(1, restitution)"},
               *never[] = {"touchdown 1000"};
    ff_sweep sweep = ff_sweep_default();
    sweep.path = "s.yaml";
    sweep.text = ON(CUBE, AZAD, CLUTCH);
    sweep.vary = vary;
    sweep.vary_count = ROWS(vary);
    sweep.samples = 12;
    sweep.keep = keep;
    sweep.keep_count = ROWS(keep);
    sweep.threads = 1;
    ff_table *lanes = table_of(&sweep);
    assert_true(lanes->lanes == ff_ensemble_width() && !lanes->alone && lanes->left_lanes == 0);
    /* an event that ends a run excludes lanes; this one does not occur */
    sweep.stops = never;
    sweep.stop_count = 1;
    ff_table *single = table_of(&sweep);
    assert_true(single->lanes == 0 && single->rows == lanes->rows && single->failed == 12);
    sweep.stop_count = 0;
    const size_t size = lanes->rows * lanes->columns * sizeof *lanes->values;
    assert_memory_equal(single->values, lanes->values, size);
    for (size_t i = 0; i < lanes->rows; i++) {
        assert_true(!lanes->reason[i] == !single->reason[i]);
        assert_true(!lanes->reason[i] || strcmp(lanes->reason[i], single->reason[i]) == 0);
    }
    for (int threads = 2; threads < 4; threads++) {
        sweep.threads = threads;
        ff_table *t = table_of(&sweep);
        assert_memory_equal(t->values, lanes->values, size);
        ff_free(t);
    }
    ff_free(single);
    ff_free(lanes);
    /* a body with equal moments of inertia has rates of its own: alone, with the same bits as any */
    const char *moments[] = {"bodies.it.inertia[0]=1e-3,2e-3,1.5e-3"},
               *spin[] = {"end(bodies.it.omega[0])"};
    ff_sweep round = ff_sweep_default();
    round.path = "s.yaml";
    round.text = ON("{mass: 0.8 kg, inertia: [1e-3, 2e-3, 2e-3], shape: {spheres: [{center: [0.08, "
                    "0.02, 0], radius: 2 cm}]}, " START "}",
                    AZAD, CLUTCH);
    round.vary = moments;
    round.vary_count = 1;
    round.keep = spin;
    round.keep_count = 1;
    lanes = table_of(&round);
    round.stops = never;
    round.stop_count = 1;
    single = table_of(&round);
    assert_true(lanes->lanes > 0 && lanes->left_lanes == 1 && single->lanes == 0);
    assert_memory_equal(single->values, lanes->values, 6 * sizeof *lanes->values);
    ff_free(single);
    ff_free(lanes);
    /* a run that fails is repeated alone, for its message */
    const char *few[] = {"run.max_steps=50"};
    sweep.settings = few;
    sweep.setting_count = 1;
    ff_table *t = table_of(&sweep);
    assert_true(t->failed == t->rows);
    assert_non_null(strstr(t->reason[0], "max_steps"));
    ff_free(t);
}

static void memory_ends(void **state) {
    (void)state;
#ifdef CAN_END
    const char *vary[] = {"pairs[0].normal.k=4e6,8e6"}, *keep[] = {"end(ledger.residual)"};
    ff_sweep sweep = ff_sweep_default();
    ff_table *t = NULL;
    ff_status status = FF_NO_MEMORY;
    long most = 0;
    sweep.path = "s.yaml";
    sweep.text = ON(DUMBBELL, AZAD, CLUTCH);
    sweep.vary = vary;
    sweep.vary_count = 1;
    sweep.keep = keep;
    sweep.keep_count = 1;
    sweep.threads = 1;
    for (; status != FF_OK && most < 100000; most++) {
        given = 0, give_most = most;
        status = ff_sweep_run(&sweep, &t, NULL);
        give_most = -1;
        assert_holds(status == FF_OK || (!t && status == FF_NO_MEMORY), "%ld blocks: %d", most,
                     status);
    }
    assert_true(status == FF_OK && most > 50 && t->rows == 2 && t->failed == 0 && t->lanes > 0);
    ff_free(t);
#else
    skip();
#endif
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(same_as_single), cmocka_unit_test(same_in_any_lane),
    cmocka_unit_test(random_scenes),  cmocka_unit_test(stopped),
    cmocka_unit_test(refusals),       cmocka_unit_test(sweeps),
    cmocka_unit_test(memory_ends),
};

CHECK_MAIN(tests)
