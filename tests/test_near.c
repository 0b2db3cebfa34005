/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Runs of open models, in which only near pairs have slots, compared with the same scenes with a slot for every
 * pair: the same bits. */

#include "model/model.h"
#include "motion.h"
#include "sim/sim.h"
#include <footfall/field.h>
#include <stdlib.h>

static int pick(int count) { return (int)uniform(0, count); }

/* laws in turn: persistent bristles, springs with and without a level, states of the normal law */
static void choose_laws(int kind, ff_normal *law, ff_friction *rub) {
    const double k = 1e6;
    *law = kind == 5   ? normal("xiong", (double[]){3e4, 3e-4, 1e-3, NAN})
           : kind == 4 ? normal("lankarani-nikravesh", (double[]){k, 0.7, NAN, NAN, NAN, NAN})
                       : normal("azad-featherstone", (double[]){k, 1e3, NAN, NAN});
    *rub = kind % 4 == 0   ? friction("clutch", (double[]){0.3, 1.5 * k, 1e3, 0, NAN, NAN, NAN})
           : kind % 4 == 1 ? friction("dahl", (double[]){0.4, 3e3})
           : kind % 4 == 2 ? friction("sat", (double[]){0.5, 3e4, 1e-3})
                           : friction("lugre", (double[]){0.3, 3e3, 0.2, NAN});
}

/* Spheres and dumbbells of several sizes fall into a bowl of three planes, one of which moves and one is a belt. */
static ff_scene *bowl(int kind, int bodies, uint64_t seed) {
    ff_scene *scene = ff_scene_create();
    ff_normal law, other;
    ff_friction rub;
    check_seed = seed * 2654435769u + 88172645463325252u;
    for (int i = 0; i < bodies; i++) {
        ff_body_def def = ff_body_def_default();
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        def.name = name;
        def.mass = uniform(0.01, 0.05);
        for (int c = 0; c < 3; c++) {
            def.position[c] = c == 2 ? 0.06 + 0.03 * (i / 4) : 0.045 * (i / (c ? 2 : 1) % 2);
            def.position[c] += uniform(-0.002, 0.002);
            def.velocity[c] = uniform(-0.5, 0.5);
            def.omega[c] = uniform(-10, 10);
        }
        const double r = uniform(0.006, 0.012);
        int body = ff_scene_add_body(scene, &def);
        assert_true(body >= 0);
        if (i % 3 == 2) {
            assert_true(ff_scene_add_sphere(scene, body, "l", (double[]){-r, 0, 0}, r) >= 0);
            assert_true(ff_scene_add_sphere(scene, body, "r", (double[]){r, 0, 0}, 0.8 * r) >= 0);
        } else {
            assert_true(ff_scene_add_sphere(scene, body, NULL, (double[]){0, 0, 0}, r) >= 0);
        }
    }
    static const double normals[3][3] = {{0.6, 0, 0.8}, {-0.6, 0, 0.8}, {0, 0.28, 0.96}};
    for (int i = 0; i < 3; i++) {
        ff_plane_def plane = {.size = sizeof(ff_plane_def),
                              .name = (const char *[]){"left", "right", "back"}[i]};
        memcpy(plane.normal, normals[i], sizeof plane.normal);
        plane.surface_velocity[1] = i == 0 ? 0.1 : 0;
        plane.velocity[2] = i == 2 ? 0.05 : 0;
        assert_true(ff_scene_add_plane(scene, &plane) >= 0);
    }
    choose_laws(kind, &law, &rub);
    choose_laws(kind + 1 == 5 ? 0 : kind, &other, &rub);
    ff_pair_def among = {
        .size = sizeof(ff_pair_def), .a = "b*", .b = "b*", .normal = law, .friction = rub};
    assert_true(ff_scene_add_pair(scene, &among) >= 0);
    for (int i = 0; i < 3; i++) {
        ff_pair_def on = {.size = sizeof(ff_pair_def),
                          .a = "b*",
                          .b = (const char *[]){"left", "right", "back"}[i],
                          .normal = other,
                          .friction = rub};
        assert_true(ff_scene_add_pair(scene, &on) >= 0);
    }
    return scene;
}

typedef struct {
    ff_model *model;
    ff_sim *sim;
} run;

/* a run with a slot for every pair, or only for near ones */
static run make(ff_scene *scene, bool open, const ff_run_options *o) {
    run out;
    ff_error error;
    scene->slots_most = open ? 0.5 : 1e9;
    assert_int_equal(ff_model_create(scene, &out.model, &error), FF_OK);
    assert_int_equal(out.model->open, open);
    assert_int_equal(ff_sim_create(out.model, o, &out.sim, &error), FF_OK);
    return out;
}

static void end(run *r) {
    ff_sim_free(r->sim);
    ff_model_free(r->model);
}

static void same_bodies(const ff_sim *a, const ff_sim *b, size_t count, const char *what) {
    for (size_t i = 0; i < count; i++) {
        ff_motion x = ff_sim_body(a, i), y = ff_sim_body(b, i);
        assert_holds(memcmp(&x, &y, sizeof x) == 0, "%s: body %zu at %.17g s: %.17g against %.17g",
                     what, i, ff_sim_time(a), x.position[2], y.position[2]);
    }
}

/* The same events and motions, step by step; accounts agree to rounding of their sums. */
static void go_together(run *a, run *b, double until, const char *what) {
    while (ff_sim_time(a->sim) < until) {
        ff_status x = ff_sim_step(a->sim, until), y = ff_sim_step(b->sim, until);
        assert_holds(x == y && x >= 0, "%s: %d and %d at %.17g s: %s", what, x, y,
                     ff_sim_time(a->sim), ff_sim_error(b->sim));
        assert_holds(ff_sim_time(a->sim) == ff_sim_time(b->sim), "%s: %.17g s and %.17g s", what,
                     ff_sim_time(a->sim), ff_sim_time(b->sim));
        if (x == FF_EVENT) {
            const ff_event *e = ff_sim_event(a->sim), *f = ff_sim_event(b->sim);
            assert_true(e->kind == f->kind && e->contact == f->contact && e->time == f->time &&
                        e->rejoin == f->rejoin);
        }
    }
    same_bodies(a->sim, b->sim, a->model->body_count, what);
    ff_ledger l = ff_sim_ledger(a->sim), m = ff_sim_ledger(b->sim);
#define SAME(name) assert_near(m.name, l.name, 1e-13 * l.scale);
    FF_LEDGER_LIST(SAME)
    SAME(initial)
    SAME(scale)
    SAME(residual)
#undef SAME
    for (size_t i = 0; i < ff_model_contact_count(a->model); i++) {
        ff_ledger p = ff_sim_contact_ledger(a->sim, i), q = ff_sim_contact_ledger(b->sim, i);
#define SAME(name)                                                                                 \
    assert_holds(p.name == q.name, "%s: " #name " of %s is %.17g and %.17g", what,                 \
                 ff_model_contact_name(a->model, i), p.name, q.name);
        FF_LEDGER_LIST(SAME)
#undef SAME
        ff_contact_record c = ff_sim_contact(a->sim, i), d = ff_sim_contact(b->sim, i);
        const double *x = &c.depth, *y = &d.depth;
        assert_true(c.touching == d.touching && c.slips == d.slips);
        for (; x < c.u + 3; x++, y++) {
            assert_holds(*x == *y, "%s: %s differs, depths %.17g and %.17g", what,
                         ff_model_contact_name(a->model, i), c.depth, d.depth);
        }
    }
}

static ff_run_options options(ff_method method, bool events) {
    ff_run_options o = ff_run_options_default();
    o.method = method;
    o.events = events;
    o.tol = 1e-6;
    o.dt = 1e-5;
    o.until = 0.2;
    return o;
}

/* without laws whose states evolve without contact: these are advanced in closed form */
static void test_same_bits(void **state) {
    (void)state;
    for (int trial = 0; trial < 15; trial++) {
        ff_scene *scene = bowl(trial % 5, 5 + pick(6), (uint64_t)trial);
        ff_run_options o = options(trial % 3 == 2 ? FF_DOP853 : FF_DOPRI5, true);
        run all = make(scene, false, &o), near = make(scene, true, &o);
        char what[40];
        size_t least = SIZE_MAX;
        snprintf(what, sizeof what, "bowl %d", trial);
        for (int k = 1; k <= 8; k++) {
            go_together(&all, &near, 0.025 * k, what);
            least = near.sim->reduced->slot_count < least ? near.sim->reduced->slot_count : least;
        }
        assert_holds(least < near.model->contact_count * 3 / 4, "%s: %zu slots of %zu", what, least,
                     near.model->contact_count);
        assert_int_equal(ff_sim_verdict(near.sim), FF_OK);
        end(&all);
        end(&near);
        ff_scene_free(scene);
    }
}

static void test_same_bits_of_other_methods(void **state) {
    (void)state;
    static const struct {
        ff_method method;
        bool events;
    } ways[] = {{FF_RODAS, true},   {FF_ROSENBROCK, true},    {FF_TRAPEZOID, true}, {FF_RK4, true},
                {FF_RK4, false},    {FF_HEUN, false},         {FF_DOPRI5, false},   {FF_AUTO, true},
                {FF_VERLET, false}, {FF_SEMI_IMPLICIT, false}};
    for (size_t i = 0; i < ROWS(ways); i++) {
        ff_scene *scene = bowl((int)i % 4, 6, i + 100);
        ff_run_options o = options(ways[i].method, ways[i].events);
        o.tol = 1e-4;
        scene->run = o;
        scene->run.method = FF_AUTO; /* no crowd */
        run all = make(scene, false, &o), near = make(scene, true, &o);
        go_together(&all, &near, 0.03, ff_method_name(ways[i].method));
        end(&all);
        end(&near);
        ff_scene_free(scene);
    }
}

/* A law whose state evolves without contact: when its slot is released, the state decays in closed form. The
 * motion agrees with that of all slots up to errors of 1e-10 per step, amplified by a few impacts. */
static void test_resting_states(void **state) {
    (void)state;
    ff_scene *scene = bowl(5, 5, 7);
    ff_run_options o = options(FF_DOPRI5, true);
    o.tol = 1e-10;
    run all = make(scene, false, &o), near = make(scene, true, &o);
    size_t absent = 0;
    for (int k = 1; k <= 40; k++) {
        while (ff_sim_advance(all.sim, 0.005 * k) == FF_EVENT) {
        }
        while (ff_sim_advance(near.sim, 0.005 * k) == FF_EVENT) {
        }
        const size_t now = near.sim->near->counts->absent;
        absent = now > absent ? now : absent;
        if (k == 12) {
            for (size_t i = 0; i < all.model->body_count; i++) {
                ff_motion x = ff_sim_body(all.sim, i), y = ff_sim_body(near.sim, i);
                assert_near(y.position[0], x.position[0], 1e-8);
                assert_near(y.position[2], x.position[2], 1e-8);
            }
            for (size_t i = 0; i < ff_model_contact_count(all.model); i++) {
                ff_ledger p = ff_sim_contact_ledger(all.sim, i),
                          q = ff_sim_contact_ledger(near.sim, i);
                const double scale = ff_sim_ledger(all.sim).scale;
                assert_near(q.normal_damper, p.normal_damper, 1e-7 * scale);
                assert_near(q.normal_spring, p.normal_spring, 1e-7 * scale);
            }
        }
    }
    assert_true(absent > 0);
    assert_int_equal(ff_sim_verdict(near.sim), FF_OK);
    end(&all);
    end(&near);
    ff_scene_free(scene);
}

/* ---- saving ---- */

static char *save(ff_sim *sim, size_t *size) {
    *size = ff_sim_state_size(sim);
    char *out = malloc(*size);
    ff_sim_save(sim, out);
    return out;
}

/* A run continues bit for bit from any of its states, in the same and in another sim, whatever slots these have. */
static void test_save_and_restore(void **state) {
    (void)state;
    ff_scene *scene = bowl(0, 9, 3);
    ff_run_options o = options(FF_DOPRI5, true);
    run a = make(scene, true, &o), b = make(scene, true, &o);
    enum { TIMES = 6 };
    char *blocks[TIMES];
    size_t sizes[TIMES], slots[TIMES], different = 0;
    ff_motion last[9];
    for (int k = 0; k < TIMES; k++) {
        while (ff_sim_advance(a.sim, 0.03 * k) == FF_EVENT) {
        }
        blocks[k] = save(a.sim, &sizes[k]);
        slots[k] = a.sim->reduced->slot_count;
        different += k > 0 && slots[k] != slots[k - 1];
    }
    assert_true(different > 0);
    for (size_t i = 0; i < 9; i++) {
        last[i] = ff_sim_body(a.sim, i);
    }
    for (int k = 0; k < TIMES; k++) {
        const int from = (k * 5) % TIMES;
        ff_sim *sim = k % 2 ? a.sim : b.sim;
        assert_int_equal(ff_sim_restore(sim, blocks[from], sizes[from]), FF_OK);
        assert_int_equal(sim->reduced->slot_count, slots[from]);
        size_t size;
        char *again = save(sim, &size);
        assert_int_equal(size, sizes[from]);
        assert_memory_equal(again, blocks[from], size);
        free(again);
        for (int stop = from; stop < TIMES; stop++) {
            while (ff_sim_advance(sim, 0.03 * stop) == FF_EVENT) {
            }
        }
        for (size_t i = 0; i < 9; i++) {
            ff_motion m = ff_sim_body(sim, i);
            assert_memory_equal(&m, &last[i], sizeof m);
        }
    }
    for (int k = 0; k < TIMES; k++) {
        free(blocks[k]);
    }
    end(&a);
    end(&b);
    ff_scene_free(scene);
}

/* Invalid blocks are refused, and the run continues unaffected. */
static void test_refused_states(void **state) {
    (void)state;
    ff_scene *scene = bowl(0, 9, 3);
    ff_run_options o = options(FF_DOPRI5, true);
    run a = make(scene, true, &o), b = make(scene, true, &o);
    while (ff_sim_time(a.sim) < 1 && a.sim->near->counts->absent < 2) {
        assert_true(ff_sim_step(a.sim, 1) >= 0);
    }
    while (ff_sim_advance(b.sim, 0.05) == FF_EVENT) {
    }
    assert_true(a.sim->near->counts->absent > 1);
    size_t size, own_size;
    char *block = save(a.sim, &size), *own = save(b.sim, &own_size), *bad = malloc(size + 64);
    /* offsets of the arrays of near pairs in a block */
    const size_t head = size - a.sim->state_size;
    const char *memory = a.sim->memory;
    const ff_near *near = a.sim->near;
    const struct {
        const void *at;
        double value;
        bool whole; /* a size_t, not a double */
    } wrong[] = {
        {&near->counts->slots, 1e12, true},
        {&near->counts->slots, 0, true},
        {&near->counts->absent, 1e15, true},
        {&near->counts->absent, 0, true},
        {&near->counts->since, NAN, false},
        {&near->counts->since, 1, false},
        {&near->counts->longest, NAN, false},
        {&near->counts->longest, 0, false},
        {&near->of[0], 1e9, true},
        {&near->of[near->counts->slots - 1], (double)ff_model_contact_count(a.model), true},
        {&near->of[1], (double)near->of[0], true},
        {&near->anchors[1][2], INFINITY, false},
        {&near->margins[0], -1, false},
        {&near->margins[0], NAN, false},
        {&near->absent[0].contact, (double)near->absent[1].contact, true},
        {&near->absent[0].contact, (double)near->of[0], true},
        {&near->absent[1].contact, 1e9, true},
        {&near->absent[0].left, 3, false},
        {&near->absent[0].books.cut, NAN, false},
        {&near->absent[0].integral[0], INFINITY, false},
        {&near->absent_states[0], NAN, false},
    };
    for (size_t i = 0; i < ROWS(wrong); i++) {
        const size_t at = head + (size_t)((const char *)wrong[i].at - memory);
        const size_t whole = (size_t)wrong[i].value;
        memcpy(bad, block, size);
        memcpy(bad + at, wrong[i].whole ? (const void *)&whole : (const void *)&wrong[i].value, 8);
        assert_holds(ff_sim_restore(b.sim, bad, size) == FF_BAD_VALUE, "wrong state %zu is taken",
                     i);
    }
    for (size_t length = 0; length < size + 64; length += length < 400 ? 8 : 997) {
        memcpy(bad, block, size);
        if (length != size) {
            assert_int_equal(ff_sim_restore(b.sim, bad, length), FF_BAD_VALUE);
        }
    }
    size_t again_size;
    char *again = save(b.sim, &again_size);
    assert_int_equal(again_size, own_size);
    assert_memory_equal(again, own, own_size);
    assert_int_equal(ff_sim_restore(b.sim, block, size), FF_OK);
    same_bodies(a.sim, b.sim, 9, "restored");
    free(again);
    free(bad);
    free(own);
    free(block);
    end(&a);
    end(&b);
    ff_scene_free(scene);
}

/* ---- setting numbers, restarts ---- */

static void test_set(void **state) {
    (void)state;
    ff_scene *scene = bowl(0, 8, 11);
    ff_run_options o = options(FF_DOPRI5, true);
    run all = make(scene, false, &o), near = make(scene, true, &o);
    ff_error error;
    /* a plane that is not a belt has no account for its work */
    assert_int_equal(
        ff_sim_set_path(near.sim, "ground.right.plane.surface_velocity[1]", 0.1, &error),
        FF_BAD_VALUE);
    assert_holds(strstr(error.text,
                        "contact 'b0/right' would have different inner states, accounts or events"),
                 "%s", error.text);
    for (int k = 0; k < 2; k++) {
        ff_sim *sim = k ? near.sim : all.sim;
        assert_int_equal(ff_sim_set_path(sim, "pairs[0].friction.mu", 0.7, &error), FF_OK);
        assert_int_equal(ff_sim_set_path(sim, "bodies.b1.shape.sphere.radius", 0.015, &error),
                         FF_OK);
    }
    go_together(&all, &near, 0.06, "parameters");
    for (int k = 0; k < 2; k++) {
        ff_sim *sim = k ? near.sim : all.sim;
        assert_int_equal(ff_sim_set_path(sim, "gravity[0]", 2, &error), FF_OK);
        assert_int_equal(
            ff_sim_set_path(sim, "ground.left.plane.surface_velocity[1]", -0.3, &error), FF_OK);
    }
    go_together(&all, &near, 0.12, "inputs");
    ff_motion start[8];
    for (size_t i = 0; i < 8; i++) {
        start[i] = ff_sim_body(all.sim, 7 - i);
        start[i].position[2] += 0.03;
    }
    assert_int_equal(ff_sim_begin(all.sim, start), FF_OK);
    assert_int_equal(ff_sim_begin(near.sim, start), FF_OK);
    go_together(&all, &near, 0.05, "another start");
    end(&all);
    end(&near);
    ff_scene_free(scene);
}

/* A body that crosses the whole scene in one step of free flight hits what is on its path, whatever was near
 * before. */
static void test_long_steps(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    ff_scene_set_gravity(scene, (double[]){0, 0, 0});
    for (int i = 0; i < 20; i++) {
        ff_body_def def = ff_body_def_default();
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        def.name = name;
        def.mass = 1;
        def.position[0] = i;
        def.velocity[0] = i == 0 ? 50 : 0;
        int body = ff_scene_add_body(scene, &def);
        assert_true(ff_scene_add_sphere(scene, body, NULL, (double[]){0, 0, 0}, 0.01) >= 0);
    }
    ff_pair_def pair = {.size = sizeof(ff_pair_def),
                        .a = "b*",
                        .b = "b*",
                        .normal = normal("hertz", (double[]){1e9, NAN, NAN}),
                        .friction = friction("none", NULL)};
    assert_true(ff_scene_add_pair(scene, &pair) >= 0);
    ff_run_options o = options(FF_AUTO, true);
    o.until = 1;
    run all = make(scene, false, &o), near = make(scene, true, &o);
    assert_int_equal(near.sim->reduced->slot_count, 0);
    go_together(&all, &near, 1, "a row of balls");
    /* each has passed its speed to the next */
    assert_near(ff_sim_body(near.sim, 19).velocity[0], 50, 1e-4);
    end(&all);
    end(&near);
    ff_scene_free(scene);
}

/* Balls in a lattice fall from 1 m onto a floor, all at once. Steps of their flight could be as long as the flight, and then
 * every two balls would be near each other; steps are shortened instead. A run that is restored in flight continues with the
 * same bits. */
static void test_common_fall(void **state) {
    (void)state;
    enum { SIDE = 7, BALLS = SIDE * SIDE * SIDE };
    ff_scene *scene = ff_scene_create();
    const double r = 0.01, none[3] = {0}, height = 1, g = 9.81, lands = sqrt(2 * height / g);
    for (int i = 0; i < BALLS; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        add_ball(scene, name, 0.01, r,
                 (double[]){2.05 * r * (i % SIDE), 2.05 * r * (i / SIDE % SIDE),
                            height + r + 2.05 * r * (i / SIDE / SIDE)},
                 none);
    }
    add_floor(scene);
    add_pair(scene, "b*", "*", normal("azad-featherstone", (double[]){1e6, 100, NAN, NAN}),
             friction("none", NULL));
    ff_run_options o = options(FF_DOPRI5, true);
    run a = make(scene, true, &o), b = make(scene, true, &o);
    size_t most = 0, size;
    while (ff_sim_time(a.sim) < 0.9 * lands) {
        assert_true(ff_sim_step(a.sim, 0.9 * lands) >= 0);
        most = a.sim->reduced->slot_count > most ? a.sim->reduced->slot_count : most;
    }
    /* pairs of 16 per ball, and the floor; all would be 58,996 */
    assert_in_range(most, 8 * BALLS, 17 * BALLS);
    assert_in_range(ff_sim_statistics(a.sim).steps, 2, 600);
    const double t = ff_sim_time(a.sim);
    for (size_t i = 0; i < BALLS; i++) {
        ff_motion m = ff_sim_body(a.sim, i);
        assert_near(m.position[2],
                    (double)height + r + 2.05 * r * (double)(i / SIDE / SIDE) - g * t * t / 2,
                    1e-13);
    }
    char *block = save(a.sim, &size);
    assert_int_equal(ff_sim_restore(b.sim, block, size), FF_OK);
    free(block);
    go_together(&a, &b, lands + 0.002, "restored in flight");
    end(&a);
    end(&b);
    ff_scene_free(scene);
}

/* Number of components of the state interpolated within steps (CMakeLists.txt wraps these functions). */
static double interpolated;

void __real_ff_stepper_at(const ff_stepper *s, double theta, double *out);
void __real_ff_stepper_states_at(const ff_stepper *s, double theta, double *out);
void __real_ff_stepper_part_at(const ff_stepper *s, double theta, size_t from, size_t count,
                               double *out);
void __wrap_ff_stepper_at(const ff_stepper *s, double theta, double *out);
void __wrap_ff_stepper_states_at(const ff_stepper *s, double theta, double *out);
void __wrap_ff_stepper_part_at(const ff_stepper *s, double theta, size_t from, size_t count,
                               double *out);

void __wrap_ff_stepper_at(const ff_stepper *s, double theta, double *out) {
    interpolated += (double)s->n;
    __real_ff_stepper_at(s, theta, out);
}

void __wrap_ff_stepper_states_at(const ff_stepper *s, double theta, double *out) {
    interpolated += (double)s->states;
    __real_ff_stepper_states_at(s, theta, out);
}

void __wrap_ff_stepper_part_at(const ff_stepper *s, double theta, size_t from, size_t count,
                               double *out) {
    interpolated += (double)count;
    __real_ff_stepper_part_at(s, theta, from, count, out);
}

/* Balls in a row on a floor, pressed together and shaken: number of interpolated components per ball and step. */
static double interpolated_in_row(int balls) {
    ff_scene *scene = ff_scene_create();
    const double r = 0.01, none[3] = {0};
    check_seed = 88172645463325252u;
    for (int i = 0; i < balls; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        const double v[3] = {uniform(-0.05, 0.05), 0, uniform(-0.05, 0.05)};
        add_ball(scene, name, 0.01, r, (double[]){1.99 * r * i, 0, 0.99 * r}, i ? v : none);
    }
    add_floor(scene);
    add_pair(scene, "b*", "*", normal("azad-featherstone", (double[]){1e6, 1, NAN, NAN}),
             friction("clutch", (double[]){0.3, 1.5e6, 1e3, 0, NAN, NAN, NAN}));
    ff_run_options o = options(FF_DOPRI5, true);
    run row = make(scene, true, &o);
    interpolated = 0;
    while (ff_sim_statistics(row.sim).steps < 200) {
        assert_true(ff_sim_step(row.sim, 1) >= 0);
    }
    end(&row);
    ff_scene_free(scene);
    return interpolated / balls / 200;
}

/* Events of a contact within a step are searched in the states of its two bodies only: the work per step is
 * proportional to the number of contacts, not to its square. 22 components with 20 balls and 26 with 400, where
 * more steps end in an event; all states for each contact would be 303 and 10,700. */
static void test_growth(void **state) {
    (void)state;
    const double few = interpolated_in_row(20), many = interpolated_in_row(400);
    assert_holds(many < 2 * few, "%g components a ball and step of 20, %g of 400", few, many);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_same_bits),      cmocka_unit_test(test_same_bits_of_other_methods),
    cmocka_unit_test(test_resting_states), cmocka_unit_test(test_save_and_restore),
    cmocka_unit_test(test_refused_states), cmocka_unit_test(test_set),
    cmocka_unit_test(test_long_steps),     cmocka_unit_test(test_common_fall),
    cmocka_unit_test(test_growth),
};
CHECK_MAIN(tests)
