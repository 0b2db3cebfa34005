/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "law/params.h"
#include "motion.h"

/* User-defined laws with several internal states that are equivalent to built-in laws with one: Dahl's bristle as
 * two that share its stiffness, and the law of Xiong et al. with a second filter that is twice the first. */

static ff_friction one_bristle;
static ff_normal one_filter;

/* f = -N (k/2) (a + b), each bristle as Dahl's */
static void two_respond(const ff_friction *law, const ff_friction_query *q,
                        ff_friction_answer *out) {
    (void)law;
    for (int j = 0; j < 2; j++) {
        double rate[3], by[3];
        ff_friction_query half = *q;
        ff_friction_answer at = {.rate = rate, .graded_by = by};
        half.u = q->u + 3 * j;
        one_bristle.respond(&one_bristle, &half, &at);
        for (int c = 0; c < 3; c++) {
            out->force[c] = (j ? out->force[c] : 0) + at.force[c] / 2;
            if (out->rate) {
                out->rate[3 * j + c] = rate[c];
            }
            if (out->graded_by) {
                out->graded_by[3 * j + c] = by[c] / 2;
            }
        }
        out->slip = (j ? out->slip : 0) + at.slip / 2;
        out->graded = (j ? out->graded : 0) + at.graded / 2;
    }
}

static double two_stored(const ff_friction *law, double level, const double *u) {
    const ff_friction_law *one = one_bristle.law;
    (void)law;
    return (one->stored(&one_bristle, level, u) + one->stored(&one_bristle, level, u + 3)) / 2;
}

static const ff_friction_law two_bristles = {
    .abi = FF_LAW_ABI,
    .name = "two-bristles",
    .formula = "two bristles of Dahl's",
    .source = "",
    .limits = "",
    .params = {{0}},
    .vectors = 2,
    .level = FF_LEVEL_LOAD,
    .respond = two_respond,
    .stored = two_stored,
};

/* the first state has no effect: it is twice the second */
static void filters_respond(const ff_normal *law, const ff_normal_query *q, ff_normal_answer *out) {
    ff_normal_query one = *q;
    double rate = 0;
    (void)law;
    ff_normal_answer at = {.rate = &rate};
    one.state = q->state + 1;
    one_filter.respond(&one_filter, &one, &at);
    double *rates = out->rate;
    *out = at;
    out->rate = rates;
    if (rates) {
        rates[0] = 2 * rate;
        rates[1] = rate;
    }
}

static double filters_stored(const ff_normal *law, double z, double zdot, const double *state) {
    (void)law;
    return ff_normal_stored(&one_filter, z, zdot, state + 1);
}

static double filters_gap(const ff_normal *law, const ff_normal_query *q, double *rate) {
    ff_normal_query one = *q;
    (void)law;
    one.state = q->state + 1;
    return one_filter.law->gap(&one_filter, &one, rate);
}

static void filters_rest(const ff_normal *law, double time, double *state) {
    (void)law;
    one_filter.law->rest(&one_filter, time, state + 1);
    state[0] = 2 * state[1];
}

static const ff_normal_law two_filters = {
    .abi = FF_LAW_ABI,
    .name = "two-filters",
    .formula = "the law of Xiong et al.",
    .source = "",
    .limits = "",
    .params = {{0}},
    .states = 2,
    .respond = filters_respond,
    .stored = filters_stored,
    .gap = filters_gap,
    .rest = filters_rest,
};

/* two colliding balls, or one on the floor */
static ff_ledger run(bool several, bool pair, ff_method method, ff_motion *out) {
    ff_friction f = one_bristle;
    ff_normal n = one_filter;
    if (several) {
        assert_int_equal(ff_friction_make(&f, &two_bristles, NULL, NULL), FF_OK);
        assert_int_equal(ff_normal_make(&n, &two_filters, NULL, NULL), FF_OK);
        assert_true(f.vectors == 2 && n.states == 2);
    }
    ff_scene *scene = ff_scene_create();
    ff_scene_set_gravity(scene, (double[]){0, 0, pair ? 0 : -9.81});
    add_ball(scene, "ball", 0.2, 0.03, (double[]){0, 0, 0.04}, (double[]){0.5, 0.2, -0.5});
    if (pair) {
        add_ball(scene, "other", 0.3, 0.02, (double[]){0.01, 0, -0.02}, (double[]){0, 0, 0.5});
        add_pair(scene, "ball", "other", n, f);
    } else {
        add_floor(scene);
        add_pair(scene, "ball", "floor", n, f);
    }
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, method, 1e-9);
    go(sim, 0.1);
    ff_ledger l = ff_sim_ledger(sim);
    *out = ff_sim_body(sim, 0);
    finish(sim, model);
    return l;
}

static void test_several_states_do_as_one(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_DOPRI5, FF_RODAS};
    one_bristle = friction("dahl", (double[]){0.3, 5e3});
    one_filter = normal("xiong", (double[]){1e5, 2e-4, 8e-4});
    for (int pair = 0; pair < 2; pair++) {
        for (size_t m = 0; m < ROWS(methods); m++) {
            ff_motion want, seen;
            ff_ledger one = run(false, pair, methods[m], &want),
                      two = run(true, pair, methods[m], &seen);
            for (int c = 0; c < 3; c++) {
                assert_near(seen.position[c], want.position[c], 1e-8);
                assert_near(seen.velocity[c], want.velocity[c], 1e-7);
                assert_near(seen.omega[c], want.omega[c], 1e-5);
            }
            assert_true(one.slip > 1e-3 && one.regrade > 1e-5 && one.created < -1e-5);
            assert_true(fabs(two.residual) < 1e-7 * two.scale);
#define NEAR(name) assert_near(two.name, one.name, 1e-7 * one.scale);
            FF_LEDGER_LIST(NEAR)
#undef NEAR
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_several_states_do_as_one),
};

CHECK_MAIN(tests)
