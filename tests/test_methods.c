/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "reference_motion.h"
#include <footfall/footfall.h>
#include <stdlib.h>

/* The same scenes through methods that share nothing but the equations and the search for events. */

#define ROWS(table) (sizeof(table) / sizeof *(table))

/* Local errors are kept at 0.03 of the tolerance, and add up: over the bounces of a run to at most this
 * many tolerances, measured at 1e-6 and 1e-9. CVODE begins anew with order 1 at each of up to 112
 * events, and takes thousands of steps. ARKODE's events are where a cubic puts them. */
typedef struct {
    ff_method method;
    double most, between; /* at events and at the end, and within steps */
} opinion;

static const opinion opinions[] = {
    {FF_AUTO, 5, 5},        {FF_DOP853, 5, 5},
#if FF_HAVE_SUNDIALS
    {FF_CVODE_BDF, 50, 50}, {FF_CVODE_ADAMS, 50, 50}, {FF_ARKODE_DIRK, 5, 50},
#endif
};

static ff_model *scene_model(const char *name) {
    char path[400];
    ff_scene *scene;
    ff_model *model;
    snprintf(path, sizeof path, FF_SOURCE_DIR "/scenes/%s.yaml", name);
    assert_int_equal(ff_scene_read(path, NULL, 0, &scene, NULL), FF_OK);
    assert_int_equal(ff_model_create(scene, &model, NULL), FF_OK);
    ff_scene_free(scene);
    return model;
}

static double scene_until(const char *name) {
    return strcmp(name, "drop") == 0        ? 5
           : strcmp(name, "collision") == 0 ? 0.05
           : strcmp(name, "foot") == 0      ? 0.1
                                            : 1;
}

static ff_sim *started(const ff_model *model, ff_method method, double tol) {
    ff_run_options o = ff_run_options_default();
    ff_sim *sim;
    o.method = method;
    o.tol = tol;
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
    return sim;
}

/* ---- whole runs ---- */

enum { EVENTS = 400, BODIES = 2 };

typedef struct {
    ff_event events[EVENTS];
    size_t count;
    ff_motion bodies[BODIES];
    ff_ledger ledger;
    ff_statistics statistics;
} outcome;

static outcome run(const ff_model *model, ff_method method, double tol, double until) {
    outcome out = {.count = 0};
    ff_sim *sim = started(model, method, tol);
    ff_status status;
    while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
        assert_true(out.count < EVENTS);
        out.events[out.count++] = *ff_sim_event(sim);
    }
    assert_holds(status == FF_OK, "%s stopped at %g", ff_method_name(method), ff_sim_time(sim));
    for (size_t i = 0; i < ff_model_body_count(model); i++) {
        out.bodies[i] = ff_sim_body(sim, i);
    }
    out.ledger = ff_sim_ledger(sim);
    out.statistics = ff_sim_statistics(sim);
    ff_sim_free(sim);
    return out;
}

static void compare(const char *what, const outcome *seen, const outcome *want, double most) {
    assert_holds(seen->count == want->count, "%s: %zu events", what, seen->count);
    for (size_t i = 0; i < seen->count; i++) {
        const ff_event *a = &seen->events[i], *b = &want->events[i];
        assert_holds(a->kind == b->kind && a->contact == b->contact && a->rejoin == b->rejoin,
                     "%s: event %zu is %s", what, i, ff_event_name(a->kind));
        assert_holds(fabs(a->time - b->time) <= most, "%s: %s at %.12g, off by %g", what,
                     ff_event_name(a->kind), a->time, a->time - b->time);
    }
    /* lengths and speeds of these scenes are of the order of 1 or below */
    for (size_t i = 0; i < BODIES; i++) {
        const ff_motion *a = &seen->bodies[i], *b = &want->bodies[i];
        for (int c = 0; c < 3; c++) {
            double p = a->position[c] - b->position[c], v = a->velocity[c] - b->velocity[c];
            assert_holds(fabs(p) <= most && fabs(v) <= most, "%s: body %zu is off by %g, %g", what,
                         i, p, v);
        }
    }
#define NEAR(name)                                                                                 \
    assert_holds(fabs(seen->ledger.name - want->ledger.name) <= most * want->ledger.scale,         \
                 "%s: %s is off by %g", what, #name, seen->ledger.name - want->ledger.name);
    FF_LEDGER_LIST(NEAR)
#undef NEAR
    assert_holds(fabs(seen->ledger.residual) <= most * seen->ledger.scale, "%s: residual %g", what,
                 seen->ledger.residual / seen->ledger.scale);
}

static void test_opinions_agree(void **state) {
    (void)state;
    static const char *const names[] = {"rolling", "drop", "collision", "bounce", "foot", "xiong1"};
    for (size_t i = 0; i < ROWS(names); i++) {
        ff_model *model = scene_model(names[i]);
        double until = scene_until(names[i]);
        outcome exact = run(model, FF_DOPRI5, 1e-12, until);
        for (size_t j = 0; j < ROWS(opinions); j++) {
            /* the events of xiong1 are in stiff steps, where a cubic is too coarse */
            bool coarse = i == 5 && opinions[j].method == FF_ARKODE_DIRK;
            for (int fine = 0; fine < 2 && !coarse; fine++) {
                double tol = fine ? 1e-9 : 1e-6;
                char what[100];
                outcome seen = run(model, opinions[j].method, tol, until);
                snprintf(what, sizeof what, "%s by %s at %g", names[i],
                         ff_method_name(opinions[j].method), tol);
                /* in the contacts of xiong1 stability limits the steps of cvode-adams: its error scatters from 10 to 200
                 * tol when tol changes by a twentieth */
                double scatter = i == 5 && opinions[j].method == FF_CVODE_ADAMS ? 5 : 1;
                compare(what, &seen, &exact, scatter * opinions[j].most * tol);
                const ff_statistics *s = &seen.statistics;
                assert_true(s->evaluations > s->steps);
                assert_true(opinions[j].method == FF_AUTO ||
                            s->method_steps[opinions[j].method] == s->steps);
            }
        }
        ff_model_free(model);
    }
}

/* ---- against values computed elsewhere ---- */

static void test_references_of_the_drop(void **state) {
    (void)state;
    ff_model *model = scene_model("drop");
    for (size_t j = 0; j < ROWS(opinions); j++) {
        double tol = 1e-9, most = opinions[j].most * tol;
        outcome seen = run(model, opinions[j].method, tol, 2.9);
        size_t row = 0;
        for (size_t i = 0; i < seen.count; i++) {
            const ff_event *e = &seen.events[i];
            row += i > 0 && e->kind == FF_TOUCHDOWN;
            if (e->kind == FF_TOUCHDOWN || e->kind == FF_LIFTOFF) {
                assert_near(e->time, reference_drop[row][e->kind == FF_LIFTOFF], most);
            }
        }
        assert_int_equal(row + 1, ROWS(reference_drop));
        assert_near(seen.ledger.normal_damper, 0.6600000646732188, most * seen.ledger.scale);
        assert_near(seen.bodies[0].position[2] - 0.0127, -1.633162090427844e-07, most);
    }
    ff_model_free(model);
}

/* rolling, looked at between steps and right after events by each method's own interpolant, which changes
 * nothing */
static void test_references_between_steps(void **state) {
    (void)state;
    ff_model *model = scene_model("rolling");
    for (size_t j = 0; j < ROWS(opinions); j++) {
        double tol = 1e-9, most = opinions[j].between * tol;
        outcome plain = run(model, opinions[j].method, tol, 1);
        ff_sim *sim = started(model, opinions[j].method, tol);
        size_t row = 0, contact = 0, inside = 0;
        while (ff_sim_time(sim) < 1) {
            double from = ff_sim_time(sim);
            ff_status status = ff_sim_step(sim, 1);
            assert_true(status >= 0);
            double here = ff_sim_time(sim);
            if (status == FF_EVENT && ff_sim_event(sim)->kind == FF_CLEAR) {
                assert_near(here, reference_contacts[contact++][2], most);
            }
            /* the ledger closes inside a step, too */
            ff_sim_observe(sim, from + 0.37 * (here - from));
            ff_ledger l = ff_sim_ledger(sim);
            assert_holds(fabs(l.residual) <= most * l.scale, "%s: residual %g at %.9g",
                         ff_method_name(opinions[j].method), l.residual / l.scale, here);
            for (; row < ROWS(reference_path) && reference_path[row][0] <= here; row++) {
                const double *want = reference_path[row], *account = reference_accounts[row];
                inside += want[0] < here;
                ff_sim_observe(sim, want[0]);
                l = ff_sim_ledger(sim);
                assert_near(ff_sim_body(sim, 0).position[0], want[1], most);
                assert_near(ff_sim_contact(sim, 0).slip[0], want[2], most);
                assert_near(l.normal_damper, account[3], most * l.scale);
                assert_near(l.tangential_damper, account[4], most * l.scale);
                assert_near(l.slip + l.viscous, account[5], most * l.scale);
                assert_near(l.tangential_spring, account[6], most * l.scale);
                assert_near(l.regrade + l.created, -account[7], most * l.scale);
            }
            ff_sim_observe(sim, NAN);
        }
        assert_true(inside > 10 && row == ROWS(reference_path) &&
                    contact == ROWS(reference_contacts));
        ff_motion end = ff_sim_body(sim, 0);
        assert_memory_equal(&end, &plain.bodies[0], sizeof end);
        ff_sim_free(sim);
    }
    ff_model_free(model);
}

/* a weight below the rounding of a coordinate does not keep Newton's method from ending: the drop's
 * lengths are of its depth, 1e-5 m, and its height is 1 m */
static void test_weights_below_rounding(void **state) {
    (void)state;
    ff_model *model = scene_model("drop");
    outcome seen = run(model, FF_TRAPEZOID, 1e-10, 0.4);
    assert_true(seen.statistics.steps < 1000);
    ff_model_free(model);
}

/* ---- the same bits ---- */

/* a run that is saved on the way and one that goes on from what was saved end alike, by methods that
 * remember earlier steps, too; in the air, in contact, and within rounding of where it was saved */
static void test_a_saved_run_goes_on_alike(void **state) {
    (void)state;
    static const double times[] = {0.1, 0.1 + 1e-16 * 2, 0.1312, 0.35, 0.7};
    ff_model *model = scene_model("rolling");
    for (size_t j = 0; j < ROWS(opinions); j++) {
        ff_sim *first = started(model, opinions[j].method, 1e-6);
        size_t size = ff_sim_state_size(first);
        char *saved = malloc(size);
        for (size_t i = 0; i < ROWS(times); i++) {
            ff_sim *second = started(model, opinions[j].method, 1e-6);
            while (ff_sim_advance(first, times[i]) == FF_EVENT) {
            }
            assert_near(ff_sim_time(first), times[i], 1e-15);
            ff_sim_save(first, saved);
            assert_int_equal(ff_sim_restore(second, saved, size), FF_OK);
            double next = i + 1 < ROWS(times) ? times[i + 1] : 1;
            while (ff_sim_advance(first, next) == FF_EVENT) {
            }
            ff_status status;
            while ((status = ff_sim_advance(second, next)) == FF_EVENT) {
            }
            assert_int_equal(status, FF_OK);
            ff_motion a = ff_sim_body(first, 0), b = ff_sim_body(second, 0);
            ff_ledger one = ff_sim_ledger(first), other = ff_sim_ledger(second);
            ff_statistics s = ff_sim_statistics(first), t = ff_sim_statistics(second);
            assert_memory_equal(&a, &b, sizeof a);
            assert_memory_equal(&one, &other, sizeof one);
            assert_int_equal(s.steps, t.steps);
            assert_int_equal(s.evaluations, t.evaluations);
            ff_sim_free(second);
        }
        free(saved);
        ff_sim_free(first);
    }
    ff_model_free(model);
}

/* ---- forces that depend on time ---- */

/* a body in the air led by a controller whose target moves: the implicit method keeps its order 3 */
static void test_rosenbrock_follows_a_moving_target(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    ff_body_def body = ff_body_def_default();
    ff_force_def pd = ff_force_def_default();
    ff_model *model;
    double x[3], steps[3];
    body.name = "cart";
    body.mass = 1;
    ff_scene_set_gravity(scene, (double[]){0, 0, 0});
    pd.name = "lead";
    pd.kind = FF_FORCE_PD;
    pd.body = ff_scene_add_body(scene, &body);
    pd.axis[0] = 1;
    pd.kp = 40;
    pd.kd = 8;
    pd.target[1] = 1;
    pd.target[2] = 3;
    assert_int_equal(ff_scene_add_sphere(scene, pd.body, NULL, (double[]){0, 0, 0}, 0.1) < 0, 0);
    assert_true(ff_scene_add_force(scene, &pd) >= 0);
    assert_int_equal(ff_model_create(scene, &model, NULL), FF_OK);
    ff_scene_free(scene);
    for (int i = 0; i < 3; i++) {
        ff_sim *sim = started(model, i < 2 ? FF_ROSENBROCK : FF_DOP853,
                              i == 0   ? 1e-4
                              : i == 1 ? 1e-7
                                       : 1e-12);
        while (ff_sim_advance(sim, 0.5) == FF_EVENT) {
        }
        x[i] = ff_sim_body(sim, 0).position[0];
        steps[i] = (double)ff_sim_statistics(sim).steps;
        ff_sim_free(sim);
    }
    double order = log(fabs(x[0] - x[2]) / fabs(x[1] - x[2])) / log(steps[1] / steps[0]);
    assert_holds(order > 2.6, "order %.2f, errors %.2g %.2g", order, x[0] - x[2], x[1] - x[2]);
    ff_model_free(model);
}

/* ---- what is left out, and what fails ---- */

#if FF_HAVE_SUNDIALS

#if !defined(__SANITIZE_ADDRESS__) && defined(__GLIBC__)
/* the C library's own, with a count in front, where SUNDIALS finds it, too */
static long allocations;
void *__libc_malloc(size_t size);
FF_API void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

/* the first step of SUNDIALS makes what it keeps, steps after it make nothing */
static void test_steps_allocate_nothing(void **state) {
    (void)state;
    ff_model *model = scene_model("rolling");
    for (int m = FF_CVODE_BDF; m <= FF_ARKODE_DIRK; m++) {
        allocations = 0;
        ff_sim *sim = started(model, (ff_method)m, 1e-6);
        assert_true(allocations > 10);
        ff_sim_step(sim, 1);
        allocations = 0;
        while (ff_sim_advance(sim, 1) == FF_EVENT) {
        }
        ff_sim_observe(sim, 0.99999);
        assert_int_equal(allocations, 0);
        ff_sim_free(sim);
    }
    ff_model_free(model);
}
#define COUNTS_ALLOCATIONS 1
#endif

static double sudden(void *user, double time, const ff_motion *bodies) {
    (void)user;
    (void)bodies;
    return time - 0.01;
}

/* without location of events, with a user's own, with a body that no Jacobian is known for */
static void test_other_ways_through_sundials(void **state) {
    (void)state;
    for (int m = FF_CVODE_BDF; m <= FF_ARKODE_DIRK; m++) {
        ff_model *model = scene_model("rolling");
        ff_run_options o = ff_run_options_default();
        ff_sim *sim;
        o.method = (ff_method)m;
        o.tol = 1e-6;
        o.events = false;
        assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
        assert_int_equal(ff_sim_advance(sim, 0.2), FF_OK);
        ff_ledger l = ff_sim_ledger(sim);
        /* steps go over kinks, which cost digits */
        assert_near(l.residual, 0, 1e-4 * l.scale);
        assert_near(ff_sim_body(sim, 0).position[0], 0.08945066723532899, 1e-4);
        ff_sim_free(sim);
        ff_model_free(model);

        ff_scene *scene = ff_scene_create();
        ff_body_def box = ff_body_def_default();
        box.name = "box";
        box.mass = 1;
        box.position[2] = 0.1;
        memcpy(box.omega, (double[]){1, 2, 3}, sizeof box.omega);
        assert_int_equal(ff_scene_add_body(scene, &box), 0);
        assert_true(ff_scene_add_box(scene, 0, (double[]){0.1, 0.06, 0.04}, 0.005) >= 0);
        assert_true(
            ff_scene_add_plane(scene, &(ff_plane_def){.name = "floor", .normal = {0, 0, 1}}) >= 0);
        ff_pair_def pair = {.a = "box", .b = "floor"};
        assert_int_equal(ff_normal_init(&pair.normal, ff_normal_law_find("azad-featherstone"),
                                        (double[]){1e6, 1e3, NAN, NAN}, NULL),
                         FF_OK);
        assert_int_equal(ff_friction_init(&pair.friction, ff_friction_law_find("clutch"),
                                          (double[]){0.3, 1.5e6, 1e3, NAN, NAN, NAN, NAN}, NULL),
                         FF_OK);
        assert_true(ff_scene_add_pair(scene, &pair) >= 0);
        assert_int_equal(ff_scene_add_event(scene, sudden, NULL), 0);
        assert_int_equal(ff_model_create(scene, &model, NULL), FF_OK);
        outcome want = run(model, FF_DOPRI5, 1e-10, 0.2);
        outcome seen = run(model, (ff_method)m, 1e-7, 0.2);
        assert_int_equal(seen.events[0].kind, FF_USER);
        assert_true(seen.count > 4);
        /* a tumbling box doubles errors at each corner that hits */
        compare(ff_method_name((ff_method)m), &seen, &want, 3e-5);
        ff_model_free(model);
        ff_scene_free(scene);
    }
}

#else

static void test_sundials_is_not_built(void **state) {
    (void)state;
    ff_model *model = scene_model("rolling");
    for (int m = FF_CVODE_BDF; m <= FF_ARKODE_DIRK; m++) {
        ff_run_options o = ff_run_options_default();
        ff_sim *sim;
        o.method = (ff_method)m;
        assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_NOT_BUILT);
    }
    ff_model_free(model);
}

#endif

#if FF_HAVE_YAML
static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_rosenbrock_follows_a_moving_target),
    cmocka_unit_test(test_opinions_agree),
    cmocka_unit_test(test_references_of_the_drop),
    cmocka_unit_test(test_references_between_steps),
    cmocka_unit_test(test_weights_below_rounding),
    cmocka_unit_test(test_a_saved_run_goes_on_alike),
#if FF_HAVE_SUNDIALS
    cmocka_unit_test(test_other_ways_through_sundials),
#ifdef COUNTS_ALLOCATIONS
    cmocka_unit_test(test_steps_allocate_nothing),
#endif
#else
    cmocka_unit_test(test_sundials_is_not_built),
#endif
};

CHECK_MAIN(tests)
#else
int main(void) { return 0; }
#endif
