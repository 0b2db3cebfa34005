/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _DEFAULT_SOURCE
#include "check.h"
#include <footfall/footfall.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A user-defined allocator: all memory of the library comes from it and returns to it, and when it is exhausted
 * there is a status and a message. */

typedef struct pool {
    long blocks, given, most; /* held by the library; allocated so far; limit, or -1 */
    double bytes;
    bool wrong; /* called in a way that the header does not allow */
} pool;

/* Each block is preceded by its size: foreign blocks and double frees are detected. */
enum { before = 64, mark = 0x5eed };

typedef struct head {
    void *base;
    size_t bytes, mark;
} head;

static head *head_of(void *block) { return (head *)((char *)block - sizeof(head)); }

static void *allocate(void *user, size_t alignment, size_t bytes) {
    pool *p = user;
    p->wrong = p->wrong || alignment == 0 || (alignment & (alignment - 1)) != 0;
    if (p->most >= 0 && p->given >= p->most) {
        return NULL;
    }
    char *base = malloc(bytes + alignment + before);
    if (!base) {
        return NULL;
    }
    char *block =
        (char *)(((uintptr_t)base + before + alignment - 1) & ~(uintptr_t)(alignment - 1));
    *head_of(block) = (head){base, bytes, mark};
    memset(block, 0xa5, bytes); /* makes uninitialized use visible */
    p->given++;
    p->blocks++;
    p->bytes += (double)bytes;
    return block;
}

static void release(void *user, void *block) {
    pool *p = user;
    p->wrong = p->wrong || !block || head_of(block)->mark != mark;
    head_of(block)->mark = 0;
    p->blocks--;
    free(head_of(block)->base);
}

static void *resize(void *user, void *block, size_t bytes) {
    pool *p = user;
    void *out = allocate(user, _Alignof(max_align_t), bytes);
    p->wrong = p->wrong || !block;
    if (out) {
        const size_t had = head_of(block)->bytes;
        memcpy(out, block, had < bytes ? had : bytes);
        release(user, block);
    }
    return out;
}

static ff_allocator of(pool *p) {
    return (ff_allocator){sizeof(ff_allocator), allocate, resize, release, p};
}

/* ---- typical use ---- */

static const char ball[] =
    "bodies: {ball: {mass: 1 kg, shape: {sphere: {radius: 1 cm}}, position: [0, 0, 1.5 cm]}}\n"
    "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
    "pairs: [{between: [ball, floor], normal: {law: linear, k: 1e5, lambda: 10}}]\n"
    "run: {until: 0.02 s}\n";
static const char grains[] =
    "bodies: {balls: {count: 30, radius: 1 cm, density: 1100, seed: 1,"
    " fill: {from: [0, 0, 0], to: [8 cm, 8 cm, 11 cm]}}}\n"
    "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
    "pairs: [{between: [balls, \"*\"], normal: {law: linear, k: 1e4, lambda: 1}}]\n"
    "run: {until: 20 ms, method: verlet, events: none, dt: 1e-4}\n";
/* elements and their grid, laws of rolling and twist */
static const char bedded[] =
    "bodies: {ball: {mass: 0.1 kg, shape: {sphere: {radius: 2 cm}}, position: [0, 0, 2.01 cm],"
    " velocity: [0.1, 0, -0.1], omega: [0, 5, 10]}}\n"
    "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
    "pairs: [{between: [ball, floor], normal: {law: azad-featherstone, k: 1e6, lambda: 50, detach: "
    "local},"
    " friction: {law: bed, mu: 0.3, ratio: 0.8}, rolling: {law: bed}, twist: {law: bed}}]\n"
    "run: {until: 0.02 s, tol: 1e-6}\n";
static const char adhesive[] =
    "bodies: {ball: {mass: 0.1 kg, shape: {sphere: {radius: 2 cm}}, position: [0, 0, 2.01 cm]}}\n"
    "ground: {floor: {plane: {normal: [0, 0, 1], motion: [0, 0, 1 mm*sin(t*300 rad/s)]}}}\n"
    "pairs: [{between: [ball, floor], normal: {law: jkr, k: 1e6, w: 1, lambda: 50},"
    " friction: {law: clutch, mu: 0.3, k: 1e6, damping: 1e3},"
    " rolling: {mu_r: 0.1, k: 1e3, damping: 1}, twist: {mu_t: 0.1}}]\n"
    "run: {until: 0.02 s, tol: 1e-6}\n";
static const char linkage[] =
    "bodies: {hip: {mass: 1 kg, inertia: 0.01}, leg: {mass: 0.2 kg, inertia: 1e-3}}\n"
    "joints: {rail: {prismatic: {between: [world, hip], axis: [0, 0.1, 1],"
    " friction: {law: clutch, mu: 0.1, k: 1e4, damping: 10}, load: reaction}},\n"
    "  ball: {spherical: {between: [hip, leg], second_anchor: [0, 0, 0.1], friction: {law: "
    "coulomb, mu: 0.1},"
    " load: reaction, bearing_radius: 5 mm}}}\n"
    "forces: {servo: {pd: {joint: ball, coordinate: x, kp: 1 N m, target: [0.1]}}}\n"
    "run: {until: 0.02 s, tol: 1e-6}\n";

static ff_status run(const char *text, ff_error *error) {
    ff_scene *scene = NULL;
    ff_model *model = NULL;
    ff_sim *sim = NULL;
    ff_trace *trace = NULL;
    char *resolved = NULL;
    ff_messages messages = {0};
    ff_status status =
        ff_scene_parse("text", text, strlen(text), NULL, 0, (double)INFINITY, &scene, &messages);
    if (status < 0) {
        snprintf(error->text, sizeof error->text, "%s",
                 messages.count ? messages.at[0].text : ff_status_text(status));
    }
    ff_messages_clear(&messages);
    status = status < 0 ? status : ff_model_create(scene, &model, error);
    status = status < 0 ? status : ff_sim_create(model, NULL, &sim, error);
    const ff_trace_options options = ff_trace_options_default();
    status = status < 0 ? status : ff_sim_record(sim, 0.02, &options, &trace, error);
    if (status >= 0) {
        status = ff_scene_resolve(text, NULL, 0, &resolved);
        snprintf(error->text, sizeof error->text, "%s", status < 0 ? ff_status_text(status) : "");
    }
    assert_true(status < 0 || strstr(resolved, "law:"));
    ff_free(resolved);
    ff_trace_free(trace);
    ff_sim_free(sim);
    ff_model_free(model);
    ff_scene_free(scene);
    return status;
}

static void all_of_it(void **state) {
    (void)state;
    static const char *const texts[] = {ball, grains, bedded, adhesive, linkage};
    for (size_t i = 0; i < ROWS(texts); i++) {
        pool p = {.most = -1};
        ff_error error = {""};
        assert_int_equal(ff_allocator_set(&(ff_allocator){0}), FF_BAD_VALUE);
        const ff_allocator mine = of(&p);
        assert_int_equal(ff_allocator_set(&mine), FF_OK);
        const ff_status status = run(texts[i], &error);
        assert_int_equal(ff_allocator_set(NULL), FF_OK);
        assert_holds(status == FF_OK, "%d: %s", (int)status, error.text);
        assert_true(p.given > 50 && p.bytes > 1e4);
        assert_int_equal(p.blocks, 0);
        assert_false(p.wrong);
        /* no allocation after the C library's allocator is restored */
        const long given = p.given;
        assert_int_equal(run(texts[i], &error), FF_OK);
        assert_int_equal(p.given, given);
    }
}

static void missing_functions(void **state) {
    (void)state;
    pool p = {.most = -1};
    for (int i = 0; i < 4; i++) {
        ff_allocator a = of(&p);
        a.size = i == 0 ? 0 : a.size;
        a.allocate = i == 1 ? NULL : a.allocate;
        a.resize = i == 2 ? NULL : a.resize;
        a.release = i == 3 ? NULL : a.release;
        assert_int_equal(ff_allocator_set(&a), FF_BAD_VALUE);
    }
    ff_error error = {""};
    assert_int_equal(run(ball, &error), FF_OK);
    assert_int_equal(p.given, 0);
    ff_free(NULL);
}

/* Exhausted after any number of blocks. */
static void no_more(void **state) {
    (void)state;
    static const char *const texts[] = {ball, grains, bedded, adhesive, linkage};
    for (size_t i = 0; i < ROWS(texts); i++) {
        pool p = {0};
        const ff_allocator mine = of(&p);
        ff_status status = FF_NO_MEMORY;
        for (long most = 0; status != FF_OK; most++) {
            ff_error error = {""};
            p = (pool){.most = most};
            assert_int_equal(ff_allocator_set(&mine), FF_OK);
            status = run(texts[i], &error);
            assert_int_equal(ff_allocator_set(NULL), FF_OK);
            assert_holds(status == FF_OK || status == FF_NO_MEMORY, "after %ld: %d", most,
                         (int)status);
            assert_holds(status == FF_OK || *error.text, "after %ld: %d without a reason", most,
                         (int)status);
            assert_holds(p.blocks == 0, "after %ld: %ld blocks are left", most, p.blocks);
            assert_false(p.wrong);
            assert_true(most < 100000);
        }
        assert_true(p.given > 50);
    }
}

/* Prescribed motions in definitions, compiled with the model. */
static ff_status laws(ff_error *error) {
    ff_scene *scene = ff_scene_create();
    ff_model *model = NULL;
    ff_body_def body = ff_body_def_default();
    body.name = "arm", body.mass = 1;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            body.inertia[i][k] = i == k;
        }
    }
    ff_joint_def j = ff_joint_def_default();
    j.name = "motor", j.kind = FF_JOINT_REVOLUTE, j.motion[0] = "30 deg*sin(2*pi*t*1 Hz)";
    ff_plane_def floor = ff_plane_def_default();
    floor.name = "floor", floor.motion[2] = "2 mm*sin(2*pi*t*25 Hz)";
    int index = scene ? ff_scene_add_body(scene, &body) : FF_NO_MEMORY;
    index = index < 0 ? index : ff_scene_add_joint(scene, &j);
    index = index < 0 ? index : ff_scene_add_plane(scene, &floor);
    const ff_status status = index < 0 ? (ff_status)index : ff_model_create(scene, &model, error);
    ff_model_free(model);
    ff_scene_free(scene);
    return status;
}

static void no_more_laws(void **state) {
    (void)state;
    pool p = {0};
    const ff_allocator mine = of(&p);
    ff_status status = FF_NO_MEMORY;
    for (long most = 0; status != FF_OK; most++) {
        ff_error error = {""};
        p = (pool){.most = most};
        assert_int_equal(ff_allocator_set(&mine), FF_OK);
        status = laws(&error);
        assert_int_equal(ff_allocator_set(NULL), FF_OK);
        assert_holds(status == FF_OK || status == FF_NO_MEMORY, "after %ld: %d, %s", most,
                     (int)status, error.text);
        assert_holds(p.blocks == 0, "after %ld: %ld blocks are left", most, p.blocks);
        assert_false(p.wrong);
        assert_true(most < 10000);
    }
    assert_true(p.given > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_laws),
        cmocka_unit_test(all_of_it),
        cmocka_unit_test(missing_functions),
        cmocka_unit_test(no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
