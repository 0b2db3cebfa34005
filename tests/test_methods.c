/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "outcome.h"
#include "reference_motion.h"
#include "scene_model.h"
#include <stdlib.h>

/* The same scenes by methods that share the equations and the search for events; test_second_opinion.c shares only
 * the equations. */

static const ff_method methods[] = {FF_AUTO, FF_DOP853};

/* Local errors are kept at 0.03 of the tolerance, and add up: over the bounces of a run to at most this many
 * tolerances, at events, at the end and within steps, measured at 1e-6 and 1e-9. */
#define TOLERANCES 5

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

static void test_methods_agree(void **state) {
    (void)state;
    static const char *const names[] = {"rolling", "drop", "collision", "bounce", "foot", "xiong1"};
    for (size_t i = 0; i < ROWS(names); i++) {
        ff_model *model = scene_model(names[i], NULL, 0);
        double until = scene_until(names[i]);
        outcome exact = outcome_of(model, FF_DOPRI5, 1e-12, until);
        for (size_t j = 0; j < ROWS(methods); j++) {
            for (int fine = 0; fine < 2; fine++) {
                double tol = fine ? 1e-9 : 1e-6;
                char what[100];
                outcome seen = outcome_of(model, methods[j], tol, until);
                snprintf(what, sizeof what, "%s by %s at %g", names[i], ff_method_name(methods[j]),
                         tol);
                outcome_compare(what, &seen, &exact, TOLERANCES * tol);
                const ff_statistics *s = &seen.statistics;
                assert_true(s->evaluations > s->steps);
                assert_true(methods[j] == FF_AUTO || s->method_steps[methods[j]] == s->steps);
            }
        }
        ff_model_free(model);
    }
}

/* ---- compared with independently computed values ---- */

static void test_references_of_the_drop(void **state) {
    (void)state;
    ff_model *model = scene_model("drop", NULL, 0);
    for (size_t j = 0; j < ROWS(methods); j++) {
        double tol = 1e-9, most = TOLERANCES * tol;
        outcome seen = outcome_of(model, methods[j], tol, 2.9);
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

/* rolling, observed between steps and right after events by each method's own interpolant; observation changes
 * nothing */
static void test_references_between_steps(void **state) {
    (void)state;
    ff_model *model = scene_model("rolling", NULL, 0);
    for (size_t j = 0; j < ROWS(methods); j++) {
        double tol = 1e-9, most = TOLERANCES * tol;
        outcome plain = outcome_of(model, methods[j], tol, 1);
        ff_sim *sim = started(model, methods[j], tol);
        size_t row = 0, contact = 0, inside = 0;
        while (ff_sim_time(sim) < 1) {
            double from = ff_sim_time(sim);
            ff_status status = ff_sim_step(sim, 1);
            assert_true(status >= 0);
            double here = ff_sim_time(sim);
            if (status == FF_EVENT && ff_sim_event(sim)->kind == FF_CLEAR) {
                assert_near(here, reference_contacts[contact++][2], most);
            }
            /* the ledger also closes within a step */
            ff_sim_observe(sim, from + 0.37 * (here - from));
            ff_ledger l = ff_sim_ledger(sim);
            assert_holds(fabs(l.residual) <= most * l.scale, "%s: residual %g at %.9g",
                         ff_method_name(methods[j]), l.residual / l.scale, here);
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

/* a weight below the rounding of a coordinate does not prevent convergence of Newton's method: the length scale of
 * the drop is its depth, 1e-5 m, and its height is 1 m */
static void test_weights_below_rounding(void **state) {
    (void)state;
    ff_model *model = scene_model("drop", NULL, 0);
    outcome seen = outcome_of(model, FF_TRAPEZOID, 1e-10, 0.4);
    assert_true(seen.statistics.steps < 1000);
    ff_model_free(model);
}

/* ---- reproducibility ---- */

/* a saved run and one that continues from the saved state end with the same bits: without contact, in contact, and
 * within rounding of the saved time */
static void test_a_saved_run_goes_on_alike(void **state) {
    (void)state;
    static const double times[] = {0.1, 0.1 + 1e-16 * 2, 0.1312, 0.35, 0.7};
    ff_model *model = scene_model("rolling", NULL, 0);
    for (size_t j = 0; j < ROWS(methods); j++) {
        ff_sim *first = started(model, methods[j], 1e-6);
        size_t size = ff_sim_state_size(first);
        char *saved = malloc(size);
        for (size_t i = 0; i < ROWS(times); i++) {
            ff_sim *second = started(model, methods[j], 1e-6);
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

/* a body without contact driven by a controller with a moving target: the implicit method keeps its order 3 */
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

/* ---- without events ---- */

/* steps cross the kinks where contacts begin and end, and error control shortens them there: the residual is at
 * most 1e-8 of its scale, the position error 1e-7 m; 5 tolerances are allowed for both, as elsewhere */
static void test_without_located_events(void **state) {
    (void)state;
    ff_model *model = scene_model("rolling", NULL, 0);
    for (size_t j = 0; j < ROWS(methods); j++) {
        ff_run_options o = ff_run_options_default();
        ff_sim *sim;
        o.method = methods[j];
        o.tol = 1e-6;
        o.events = false;
        assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
        assert_int_equal(ff_sim_advance(sim, 0.2), FF_OK);
        ff_ledger l = ff_sim_ledger(sim);
        assert_near(l.residual, 0, TOLERANCES * o.tol * l.scale);
        assert_near(ff_sim_body(sim, 0).position[0], 0.08945066723532899, TOLERANCES * o.tol);
        ff_sim_free(sim);
    }
    ff_model_free(model);
}

/* No step of any method is longer than the limit; a longer fixed step is refused. */
static void test_longest_step(void **state) {
    (void)state;
    ff_model *model = scene_model("rolling", NULL, 0);
    for (int m = 0; m < FF_METHODS; m++) {
        ff_run_options o = *ff_model_run(model);
        ff_error error;
        ff_sim *sim;
        o.method = (ff_method)m;
        o.dt = 5e-5;
        o.max_step = 1e-4;
        assert_int_equal(ff_sim_create(model, &o, &sim, &error), FF_OK);
        double before = 0, most = 0;
        while (before < 0.1) {
            assert_true(ff_sim_step(sim, 0.1) >= 0);
            most = fmax(most, ff_sim_time(sim) - before);
            before = ff_sim_time(sim);
        }
        /* the time itself is rounded */
        assert_true(most <= 1e-4 * (1 + 1e-10) && most > 4e-5);
        ff_sim_free(sim);
        o.dt = 2e-4;
        const bool fixed =
            m == FF_EULER || m == FF_SEMI_IMPLICIT || m == FF_HEUN || m == FF_RK4 || m == FF_VERLET;
        assert_int_equal(ff_sim_create(model, &o, &sim, &error), fixed ? FF_BAD_VALUE : FF_OK);
        if (fixed) {
            assert_string_equal(error.text, "dt is 0.0002 s, longer than max_step, 0.0001 s");
        } else {
            ff_sim_free(sim);
        }
        o.max_step = 0;
        assert_int_equal(ff_sim_create(model, &o, &sim, &error), FF_BAD_VALUE);
    }
    ff_model_free(model);
}

/* A run ends with an error after the maximum number of steps, also in a crowd; one that needs exactly that many
 * succeeds. */
static void test_most_steps(void **state) {
    (void)state;
    ff_model *model = scene_model("rolling", NULL, 0);
    ff_run_options o = *ff_model_run(model);
    ff_sim *sim;
    ff_error error;
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
    while (ff_sim_time(sim) < 0.1) {
        assert_true(ff_sim_advance(sim, 0.1) >= 0);
    }
    const long steps = ff_sim_statistics(sim).steps;
    ff_sim_free(sim);
    for (int less = 0; less < 2; less++) {
        o.max_steps = (double)(steps - less);
        assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
        ff_status status = FF_OK;
        while (status >= 0 && ff_sim_time(sim) < 0.1) {
            status = ff_sim_advance(sim, 0.1);
        }
        assert_int_equal(status, less ? FF_TOO_STIFF : FF_OK);
        assert_true(ff_sim_statistics(sim).steps == steps - less);
        if (less) {
            char text[80];
            snprintf(text, sizeof text, "%ld steps are as many as max_steps allows", steps - 1);
            assert_string_equal(ff_sim_error(sim), text);
        }
        ff_sim_free(sim);
    }
    for (int i = 0; i < 4; i++) {
        o.max_steps = (const double[]){0, 0.5, 1.5, NAN}[i];
        assert_int_equal(ff_sim_create(model, &o, &sim, &error), FF_BAD_VALUE);
        assert_string_equal(error.text, "max_steps must be a whole number, 1 or more");
    }
    ff_model_free(model);
}

#if FF_HAVE_YAML
static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_rosenbrock_follows_a_moving_target),
    cmocka_unit_test(test_methods_agree),
    cmocka_unit_test(test_references_of_the_drop),
    cmocka_unit_test(test_references_between_steps),
    cmocka_unit_test(test_weights_below_rounding),
    cmocka_unit_test(test_a_saved_run_goes_on_alike),
    cmocka_unit_test(test_without_located_events),
    cmocka_unit_test(test_longest_step),
    cmocka_unit_test(test_most_steps),
};

CHECK_MAIN(tests)
#else
int main(void) { return 0; }
#endif
