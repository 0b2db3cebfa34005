/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "motion.h"
#include "reference_motion.h"

/* ---- compared with independently computed values, to 1e-7 relative at tol 1e-10 ---- */

static void test_reference_bounce(void **state) {
    (void)state;
    ff_model *model =
        ball_on_floor(0.154, 0.0165, 0.1165, (double[3]){0}, 9.81, azad(), (ff_friction){0});
    ff_sim *sim = started(model, FF_AUTO, 1e-10);
    for (size_t i = 0; i < ROWS(reference_bounce); i++) {
        const double *row = reference_bounce[i];
        assert_close(next_event(sim, FF_TOUCHDOWN), row[0], 1e-8);
        if (row[1] > 0) {
            assert_close(next_event(sim, FF_LIFTOFF), row[1], 1e-8);
            assert_close(next_event(sim, FF_CLEAR), row[2], 1e-8);
            ff_motion m = ff_sim_body(sim, 0);
            assert_close(m.position[2] - 0.0165 + m.velocity[2] * m.velocity[2] / (2 * 9.81),
                         row[3], 1e-7);
        }
    }
    go(sim, 1);
    ff_ledger l = ff_sim_ledger(sim);
    assert_close(l.normal_damper, 0.15110265419290228, 1e-9);
    assert_close(l.normal_spring, 1.9102795392038174e-05, 1e-7);
    assert_near(ff_sim_body(sim, 0).position[2] - 0.0165, -3.161165276243395e-05, 1e-7 * 3.2e-5);
    finish(sim, model);
}

static void test_reference_rolling(void **state) {
    (void)state;
    ff_model *model = rolling(0.1);
    ff_sim *sim = started(model, FF_AUTO, 1e-10);
    for (size_t i = 0; i < ROWS(reference_contacts); i++) {
        const double *row = reference_contacts[i];
        assert_close(next_event(sim, FF_TOUCHDOWN), row[0], 1e-9);
        assert_near(ff_sim_contact(sim, 0).slip[0], row[3], 1e-7 * 0.5);
        assert_close(next_event(sim, FF_LIFTOFF), row[1], 1e-9);
        assert_close(next_event(sim, FF_CLEAR), row[2], 1e-9);
        assert_near(ff_sim_contact(sim, 0).slip[0], row[4], 1e-7 * 0.5);
    }
    finish(sim, model);
    /* between events, by the interpolant; observation changes nothing */
    model = rolling(0.1);
    sim = started(model, FF_AUTO, 1e-10);
    size_t row = 0, rows = ROWS(reference_path);
    double plain = 0;
    while (row < rows) {
        ff_status status = ff_sim_step(sim, 1);
        assert_true(status >= 0);
        plain = ff_sim_time(sim);
        while (row < rows && reference_path[row][0] <= ff_sim_time(sim) + 1e-13) {
            const double *want = reference_path[row], *account = reference_accounts[row];
            ff_sim_observe(sim, want[0]);
            ff_ledger l = ff_sim_ledger(sim);
            ff_motion m = ff_sim_body(sim, 0);
            ff_contact_record c = ff_sim_contact(sim, 0);
            assert_near(m.position[0], want[1], 1e-7 * 0.4);
            assert_near(c.slip[0], want[2], 1e-7 * 0.5);
            /* energies relative to the initial one, 0.1646 J */
            double fine = 1e-7 * 0.1646;
            assert_near(l.kinetic + l.gravity - 0.154 * 9.81 * 0.0165, account[1], fine);
            assert_near(l.normal_spring, account[2], fine);
            assert_near(l.normal_damper, account[3], fine);
            assert_near(l.tangential_damper, account[4], fine);
            assert_near(l.slip + l.viscous, account[5], fine);
            assert_near(l.tangential_spring, account[6], fine);
            assert_near(l.regrade + l.created, -account[7], fine);
            row++;
        }
        ff_sim_observe(sim, NAN);
        assert_true(ff_sim_time(sim) == plain);
    }
    /* the oscillation about rolling is resolved to 0.03 tol of the velocity scale of 2 m/s */
    assert_near(ff_sim_body(sim, 0).velocity[0], 5.0 / 14, 6e-12);
    finish(sim, model);
}

static void test_reference_drop(void **state) {
    (void)state;
    ff_normal hard = normal("azad-featherstone", (double[]){1e10, 1e5, NAN, NAN});
    ff_model *model =
        ball_on_floor(0.066, 0.0127, 1.0127, (double[3]){0}, 10, hard, (ff_friction){0});
    ff_sim *sim = started(model, FF_AUTO, 1e-10);
    for (size_t i = 0; i < ROWS(reference_drop); i++) {
        const double *row = reference_drop[i];
        assert_close(next_event(sim, FF_TOUCHDOWN), row[0], 1e-8);
        assert_false(ff_sim_event(sim)->rejoin);
        if (row[1] > 0) {
            assert_close(next_event(sim, FF_LIFTOFF), row[1], 1e-8);
        }
    }
    go(sim, 2.9);
    assert_close(ff_sim_ledger(sim).normal_damper, 0.6600000646732188, 1e-9);
    go(sim, 5);
    /* chattering has ended in permanent contact, at the static depth */
    assert_near(ff_sim_body(sim, 0).position[2] - 0.0127, -1.633162090427844e-07, 1e-7 * 1.6e-7);
    finish(sim, model);
}

/* Azad and Featherstone 2014, II.C: ode23t took 2100 steps */
static void test_drop_takes_few_steps(void **state) {
    (void)state;
    ff_normal hard = normal("azad-featherstone", (double[]){1e10, 1e5, NAN, NAN});
    ff_model *model =
        ball_on_floor(0.066, 0.0127, 1.0127, (double[3]){0}, 10, hard, (ff_friction){0});
    ff_sim *sim = started(model, FF_AUTO, 1e-5);
    go(sim, 5);
    ff_statistics s = ff_sim_statistics(sim);
    assert_true(s.steps <= 1500 && s.switches >= 1 && s.method_steps[FF_RODAS] > 0);
    assert_close(ff_sim_ledger(sim).normal_damper, 0.66000006533, 3e-5);
    finish(sim, model);
}

/* ---- peaks inside a step ---- */

typedef double (*quantity)(const ff_contact_record *contact);

static double depth_of(const ff_contact_record *c) { return c->depth; }
static double pull_of(const ff_contact_record *c) { return fabs(c->force[0]); }
static double press_of(const ff_contact_record *c) {
    return c->force[0] * c->normal[0] + c->force[1] * c->normal[1] + c->force[2] * c->normal[2];
}

static double observed(ff_sim *sim, double time, quantity q) {
    ff_sim_observe(sim, time);
    ff_contact_record c = ff_sim_contact(sim, 0);
    return q(&c);
}

/* the maximum within the step that began at `from`: the best of a few points, then golden-section search between
 * its neighbours; 30 iterations leave 1e-6 of it, and a maximum is flat */
static double step_peak(ff_sim *sim, double from, quantity q) {
    enum { parts = 8 };
    const double golden = 0.6180339887498949;
    double to = ff_sim_time(sim), part = (to - from) / parts, best = -INFINITY, at = from;
    for (int i = 0; i <= parts; i++) {
        double seen = observed(sim, from + i * part, q);
        at = seen > best ? from + i * part : at;
        best = fmax(best, seen);
    }
    double low = fmax(at - part, from), high = fmin(at + part, to);
    for (int turn = 0; turn < 30; turn++) {
        double a = high - golden * (high - low), b = low + golden * (high - low);
        double fa = observed(sim, a, q), fb = observed(sim, b, q);
        best = fmax(best, fmax(fa, fb));
        if (fa > fb) {
            high = b;
        } else {
            low = a;
        }
    }
    ff_sim_observe(sim, NAN);
    return best;
}

/* the maxima from here to the next lift-off or to `until` */
static void find_peaks(ff_sim *sim, double until, const quantity *q, size_t count, double *best) {
    for (size_t i = 0; i < count; i++) {
        best[i] = -INFINITY;
    }
    while (ff_sim_time(sim) < until) {
        double from = ff_sim_time(sim);
        ff_status status = ff_sim_step(sim, until);
        assert_true(status >= 0);
        for (size_t i = 0; i < count && ff_sim_time(sim) > from; i++) {
            best[i] = fmax(best[i], step_peak(sim, from, q[i]));
        }
        if (status == FF_EVENT && ff_sim_event(sim)->kind == FF_LIFTOFF) {
            return;
        }
    }
}

static void test_reference_peaks_of_bounces(void **state) {
    (void)state;
    ff_model *model =
        ball_on_floor(0.154, 0.0165, 0.1165, (double[3]){0}, 9.81, azad(), (ff_friction){0});
    ff_sim *sim = started(model, FF_AUTO, 1e-10);
    for (size_t i = 0; i < ROWS(reference_bounce_peaks); i++) {
        double peaks[2];
        find_peaks(sim, 1, (quantity[]){press_of, depth_of}, 2, peaks);
        assert_close(peaks[0], reference_bounce_peaks[i][0], 1e-7);
        assert_close(peaks[1], reference_bounce_peaks[i][1], 1e-7);
    }
    finish(sim, model);
}

static void test_reference_peaks_of_a_drop(void **state) {
    (void)state;
    ff_normal hard = normal("azad-featherstone", (double[]){1e10, 1e5, NAN, NAN});
    ff_model *model =
        ball_on_floor(0.066, 0.0127, 1.0127, (double[3]){0}, 10, hard, (ff_friction){0});
    ff_sim *sim = started(model, FF_AUTO, 1e-10);
    for (size_t i = 0; i < ROWS(reference_drop); i++) {
        double peak;
        find_peaks(sim, 2.6, (quantity[]){press_of}, 1, &peak);
        assert_close(peak, reference_drop[i][2], 1e-7);
    }
    finish(sim, model);
}

static void test_reference_peaks_of_rolling(void **state) {
    (void)state;
    ff_model *model = rolling(0.1);
    ff_sim *sim = started(model, FF_AUTO, 1e-10);
    double peak;
    find_peaks(sim, 1, (quantity[]){pull_of}, 1, &peak);
    assert_close(peak, 33.93538189548365, 1e-7);
    finish(sim, model);
}

/* Xiong, Kikuuwe and Yamamoto 2013, figures 5 and 7e */
static void test_reference_depths_of_xiong(void **state) {
    (void)state;
    double peak;
    for (size_t i = 0; i < ROWS(reference_xiong_depth); i++) {
        ff_normal law = normal("xiong", (double[]){1e5, reference_xiong_depth[i][0], 0.01});
        ff_model *model = ball_on_floor(1, 0.1, 1.1, (double[3]){0}, 9.8, law, (ff_friction){0});
        ff_sim *sim = started(model, FF_AUTO, 1e-10);
        find_peaks(sim, 1, (quantity[]){depth_of}, 1, &peak);
        assert_close(peak, reference_xiong_depth[i][1], 1e-7);
        finish(sim, model);
    }
    ff_model *model = ball_on_floor(1, 0.5, 1, (double[]){5.5, 0, 0}, 9.8,
                                    normal("xiong", (double[]){1e5, 0.0028, 0.004}),
                                    friction("sat", (double[]){0.1, 1e5, 0.004}));
    ff_sim *sim = started(model, FF_AUTO, 1e-10);
    find_peaks(sim, 3, (quantity[]){depth_of}, 1, &peak);
    assert_close(peak, 0.008789698835851956, 1e-7);
    finish(sim, model);
}

/* Marhefka and Orin 1996, fig. 8: a foot is placed by a position controller, bears weight, is lifted */
static void test_reference_foot(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    ff_scene_set_gravity(scene, (double[3]){0});
    ff_body_def def = ff_body_def_default();
    def.name = "foot";
    def.mass = 25;
    def.locked = FF_LOCK_ROTATION | FF_LOCK_X | FF_LOCK_Y;
    def.velocity[2] = -2;
    int body = ff_scene_add_body(scene, &def);
    ff_scene_add_sphere(scene, body, NULL, (double[3]){0}, 0);
    add_floor(scene);
    add_pair(scene, "foot", "floor", normal("marhefka-orin", (double[]){50e3, 0.5, NAN, NAN}),
             (ff_friction){0});
    ff_force_def pd = ff_force_def_default();
    pd.name = "place";
    pd.kind = FF_FORCE_PD;
    pd.body = body;
    pd.axis[2] = -1;
    pd.kp = 20e3;
    pd.target[1] = 2;
    pd.target[2] = -10;
    pd.to = 0.1;
    ff_scene_add_force(scene, &pd);
    pd.name = "lift";
    memcpy(pd.target, (double[]){0.1, -2, 0}, sizeof pd.target);
    pd.from = pd.target_from = 0.5;
    pd.to = INFINITY;
    ff_scene_add_force(scene, &pd);
    ff_force_def weight = ff_force_def_default();
    weight.name = "weight";
    weight.body = body;
    weight.force[2] = -1000;
    weight.from = 0.1;
    weight.to = 0.5;
    ff_scene_add_force(scene, &weight);
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, FF_AUTO, 1e-10);
    double peaks[2];
    find_peaks(sim, 0.1, (quantity[]){depth_of, press_of}, 2, peaks);
    assert_close(peaks[0], 0.032704391453177106, 1e-7);
    assert_close(peaks[1], 2323.9270096665373, 1e-7);
    ff_contact_record c = ff_sim_contact(sim, 0);
    assert_close(c.depth, 0.023964416260805546, 1e-7);
    assert_close(c.force[2], 1461.6832161564525, 1e-7);
    go(sim, 0.5);
    c = ff_sim_contact(sim, 0);
    assert_close(c.depth, 0.019978844180467515, 1e-7);
    assert_close(c.force[2], 999.1437708002379, 1e-7);
    assert_close(next_event(sim, FF_LIFTOFF), 0.566094554063824, 1e-7);
    assert_close(ff_sim_body(sim, 0).velocity[2], 1.0453018226866408, 1e-7);
    assert_near(ff_sim_ledger(sim).residual, 0, 1e-9 * 50);
    finish(sim, model);
}

/* ---- theory ---- */

/* a simulated impact without gravity has the restitution, time and loss of the theory */
static void test_impacts_agree_with_theory(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double values[FF_LAW_PARAMS];
    } laws[] = {{"linear", {2e4, 50, NAN, NAN}},
                {"linear", {2e4, 50, NAN, 1}},
                {"hunt-crossley", {1e6, 1e6, NAN, NAN, NAN}},
                {"lee-wang", {1e6, 3e4, NAN, NAN}},
                {"azad-featherstone", {1e6, 1e3, NAN, NAN}},
                {"azad-featherstone", {1e6, 1e3, NAN, 1}},
                {"azad-featherstone", {1e6, 1e3, 300, NAN}},
                {"tsuji", {1e6, 100, NAN, NAN}},
                {"flores", {1e6, 0.6, NAN, NAN, NAN}},
                {"general", {1e6, 1e3, 1.7, 0.6, NAN, NAN, NAN}},
                {"xiong", {1e5, 0.0005, 0.001}}};
    for (size_t i = 0; i < ROWS(laws); i++) {
        ff_normal law = normal(laws[i].name, laws[i].values);
        ff_model *model =
            ball_on_floor(0.5, 0.1, 0.2, (double[]){0, 0, -2}, 0, law, (ff_friction){0});
        ff_sim *sim = started(model, FF_AUTO, 1e-11);
        ff_impact want;
        assert_int_equal(ff_impact_solve(&law, 0.5, 2, &want), FF_OK);
        double touch = next_event(sim, FF_TOUCHDOWN), peaks[2];
        assert_near(touch, 0.05, 1e-12);
        find_peaks(sim, 1, (quantity[]){depth_of, press_of}, 2, peaks);
        assert_close(ff_sim_event(sim)->time - touch, want.contact_time, 1e-8);
        assert_close(peaks[0], want.max_depth, 1e-8);
        assert_close(peaks[1], want.max_force, 1e-8);
        next_event(sim, FF_CLEAR);
        assert_near(ff_sim_body(sim, 0).velocity[2] / 2, want.restitution, 1e-9);
        go(sim, 1);
        assert_near(ff_sim_ledger(sim).normal_damper, want.energy_lost, 1e-8);
        finish(sim, model);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_reference_bounce),
    cmocka_unit_test(test_reference_rolling),
    cmocka_unit_test(test_reference_drop),
    cmocka_unit_test(test_drop_takes_few_steps),
    cmocka_unit_test(test_reference_peaks_of_bounces),
    cmocka_unit_test(test_reference_peaks_of_a_drop),
    cmocka_unit_test(test_reference_peaks_of_rolling),
    cmocka_unit_test(test_reference_depths_of_xiong),
    cmocka_unit_test(test_reference_foot),
    cmocka_unit_test(test_impacts_agree_with_theory),
};

CHECK_MAIN(tests)
