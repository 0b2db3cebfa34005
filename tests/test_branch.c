/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "gait/curve.h"
#include "motion.h"
#include "scene_text.h"
#include <footfall/memory.h>
#include <stdlib.h>

/* ---- curves of fixed points ---- */

/* Fixed points on the circle x^2 + p^2 = 1, with a second component that must be twice the first. The map is
 * undefined for |p| > wall. */
static double wall;

static ff_status circle(void *user, const double *x, double p, bool fine, double *out) {
    (void)user;
    (void)fine;
    if (fabs(p) > wall) {
        return FF_NO_CONVERGENCE;
    }
    out[0] = x[0] + 0.3 * (1 - x[0] * x[0] - p * p);
    out[1] = x[1] / 2 + x[0];
    return FF_OK;
}

static const ff_curve_map round_map = {circle, NULL, 2, 1e-5, 1e-13};

/* the full circle: both turning points, and the unstable half */
static void a_circle(void **state) {
    (void)state;
    wall = 2;
    ff_curve curve;
    assert_int_equal(ff_curve_start(&curve, &round_map, (double[]){1, 2}, 0, 1, 0.1), FF_OK);
    int turns = 0, count = 0;
    double before = 0, angle = 0;
    while (angle < 2 * 3.14159 && count++ < 1000) {
        assert_int_equal(ff_curve_next(&curve, -3, 3, 0.2), FF_OK);
        const double *z = curve.here.z, *t = curve.here.tangent;
        assert_near(z[0] * z[0] + z[2] * z[2], 1, 1e-12);
        assert_near(z[1], 2 * z[0], 1e-12);
        /* the tangent of a circle, with the contribution of the second component */
        assert_near(t[0] * z[0] + t[2] * z[2], 0, 1e-9);
        assert_near(t[1], 2 * t[0], 1e-9);
        assert_near(t[0] * t[0] + t[1] * t[1] + t[2] * t[2], 1, 1e-14);
        double now = atan2(z[2], z[0]), way = now - before;
        way = way < -3 ? way + 2 * acos(-1) : way;
        assert_holds(way > 0, "it runs back at %g", now);
        angle += way;
        before = now;
        if (curve.turning) {
            /* the error of the parameter is half the square of the remaining slope, at most 1e-4 */
            assert_near(fabs(z[2]), 1, 1e-8);
            assert_near(z[0], 0, 2e-4);
            turns++;
        }
    }
    assert_int_equal(turns, 2);
    ff_curve_clear(&curve);
}

static void a_curve_ends_at_its_bounds(void **state) {
    (void)state;
    wall = 2;
    for (int direction = -1; direction <= 1; direction += 2) {
        ff_curve curve;
        assert_int_equal(ff_curve_start(&curve, &round_map, (double[]){1, 2}, 0, direction, 0.1),
                         FF_OK);
        int count = 0;
        while (fabs(curve.here.z[2]) < 0.7 && count++ < 100) {
            assert_int_equal(ff_curve_next(&curve, -0.7, 0.7, 0.3), FF_OK);
        }
        assert_true(curve.here.z[2] == 0.7 * direction);
        assert_near(curve.here.z[0], sqrt(1 - 0.49), 1e-12);
        assert_false(curve.turning);
        ff_curve_clear(&curve);
    }
}

/* where the map ends the curve comes close, then reports why it cannot continue, and stays */
static void a_curve_that_breaks_off(void **state) {
    (void)state;
    wall = 0.5;
    ff_curve curve;
    assert_int_equal(ff_curve_start(&curve, &round_map, (double[]){1, 2}, 0, 1, 0.1), FF_OK);
    ff_status status = FF_OK;
    for (int i = 0; i < 100 && status == FF_OK; i++) {
        status = ff_curve_next(&curve, -3, 3, 0.2);
    }
    assert_int_equal(status, FF_NO_CONVERGENCE);
    assert_true(curve.here.z[2] > 0.4999 && curve.here.z[2] < 0.5);
    assert_near(curve.here.z[0], sqrt(1 - curve.here.z[2] * curve.here.z[2]), 1e-12);
    ff_curve_clear(&curve);
}

/* every point of the plane is a fixed point: there is no tangent */
static ff_status identity(void *user, const double *x, double p, bool fine, double *out) {
    (void)user;
    (void)p;
    (void)fine;
    memcpy(out, x, 2 * sizeof *x);
    return FF_OK;
}

static void no_curve(void **state) {
    (void)state;
    const ff_curve_map map = {identity, NULL, 2, 1e-5, 1e-13};
    ff_curve curve;
    assert_int_equal(ff_curve_start(&curve, &map, (double[]){1, 2}, 0, 1, 0.1), FF_SINGULAR);
    ff_curve_clear(&curve);
}

/* ---- walkers ---- */

#ifdef FF_HAVE_YAML

typedef struct point {
    double value, period, largest, error;
    bool turning, stable;
} point;

typedef struct seen {
    const ff_scene *scene;
    const char *path;
    size_t count, stop;
    point points[200];
    double again; /* the period of the last gait by Newton's method from there */
    double to;
    size_t missing;
    ff_error why; /* of the last value without a gait */
} seen;

static ff_status walker_for(void *user, double value, ff_gait **out, ff_error *error) {
    const seen *s = user;
    char text[80];
    const char *setting = text;
    ff_scene *scene = NULL;
    ff_messages messages = {0};
    snprintf(text, sizeof text, "%s=%.17g", s->path, value);
    ff_status status = ff_scene_with(s->scene, &setting, 1, &scene, &messages);
    if (status < 0) {
        snprintf(error->text, sizeof error->text, "%.200s", messages.at[0].text);
    }
    ff_messages_clear(&messages);
    status = status < 0 ? status : ff_gait_create(scene, NULL, out, error);
    ff_scene_free(scene);
    return status;
}

static ff_status note(void *user, double value, bool turning, ff_gait *gait,
                      const ff_gait_cycle *cycle) {
    seen *s = user;
    assert_true(s->count < 200);
    s->points[s->count++] =
        (point){value, cycle->period, cycle->largest, cycle->error, turning, cycle->stable};
    assert_true(cycle->residual < 1e-6 && cycle->count > 0);
    if (s->count == s->stop) {
        return FF_STOPPED;
    }
    if (s->count > 1 && value == s->to) {
        ff_gait_cycle found;
        ff_error error = {""};
        assert_int_equal(ff_gait_find(gait, &found, &error), FF_OK);
        s->again = found.period;
    }
    return FF_OK;
}

static ff_scene *read_biped(const char *tol) {
    ff_messages messages = {0};
    ff_scene *scene;
    assert_int_equal(ff_scene_read(FF_SOURCE_DIR "/scenes/biped.yaml", &tol, 1, &scene, &messages),
                     FF_OK);
    ff_messages_clear(&messages);
    return scene;
}

static ff_status follow(const ff_scene *scene, const char *path, double from, double to,
                        double points, seen *s, ff_error *error) {
    const size_t stop = s->stop;
    *s = (seen){.scene = scene, .path = path, .stop = stop, .to = from};
    ff_gait_branch branch = ff_gait_branch_default();
    branch.from = from;
    branch.to = to;
    branch.points = points;
    branch.steps = 3;
    branch.walker = walker_for;
    branch.point = note;
    branch.user = s;
    return ff_gait_continue(&branch, error);
}

/* The long-period and the short-period gait of the biped meet in a turning point, where a multiplier is 1: stable
 * before it, unstable after it. Back at the initial slope there is another gait, which Newton's method finds, too. */
static void two_gaits_meet(void **state) {
    (void)state;
    ff_scene *scene = read_biped("run.tol=1e-7");
    static seen s;
    ff_error error = {""};
    ff_status status = follow(scene, "parameters.slope", 0.012, 0.009, 2, &s, &error);
    assert_holds(status == FF_OK, "%s", error.text);
    size_t turn = 0, turns = 0;
    for (size_t i = 0; i < s.count; i++) {
        turn = s.points[i].turning ? i : turn;
        turns += s.points[i].turning;
    }
    assert_int_equal(turns, 1);
    assert_near(s.points[turn].largest, 1, 1e-3);
    for (size_t i = 0; i < s.count; i++) {
        const point *p = &s.points[i];
        assert_true(i == turn || p->value > s.points[turn].value);
        assert_true(i == turn || (p->largest < 1) == (i < turn));
        assert_true(i == 0 || p->period < s.points[i - 1].period);
    }
    assert_true(s.points[0].stable && !s.points[s.count - 1].stable);
    assert_true(s.points[s.count - 1].value == 0.012);
    assert_true(s.points[0].period - s.points[s.count - 1].period > 0.03);
    assert_near(s.again, s.points[s.count - 1].period, 1e-6);
    ff_scene_free(scene);
}

static ff_status note_missing(void *user, double value, ff_status status, const ff_error *error) {
    seen *s = user;
    assert_true(value == 0.06 && status == FF_UNREACHABLE);
    s->missing++;
    s->why = *error;
    return FF_OK;
}

/* The gaits of given values: at 0.06 rad the walker falls when it starts as in the file, but the gait exists and is found from
 * the gaits of smaller slopes. */
static void gaits_of_values(void **state) {
    (void)state;
    ff_scene *scene = read_biped("run.tol=1e-7");
    static seen s;
    ff_error error = {""};
    s = (seen){.scene = scene, .path = "parameters.slope", .to = NAN};
    const double values[] = {0.06, 0.02, 0.03, 0.045, 0.06};
    ff_gait_branch branch = ff_gait_branch_default();
    branch.values = values;
    branch.count = sizeof values / sizeof *values;
    branch.steps = 3;
    branch.walker = walker_for;
    branch.point = note;
    branch.missing = note_missing;
    branch.user = &s;
    assert_int_equal(ff_gait_continue(&branch, &error), FF_OK);
    assert_int_equal(s.missing, 1);
    assert_holds(strstr(s.why.text, "after 2 steps and ") && strstr(s.why.text, "it falls"), "%s",
                 s.why.text);
    assert_int_equal(s.count, 4);
    for (size_t i = 0; i < s.count; i++) {
        assert_true(s.points[i].value == values[i + 1] && !s.points[i].turning);
        assert_true(i == 0 || s.points[i].period > s.points[i - 1].period);
    }
    /* without `missing` the first failure ends the search */
    branch.missing = NULL;
    s.count = 0;
    assert_int_equal(ff_gait_continue(&branch, &error), FF_UNREACHABLE);
    assert_int_equal(s.count, 0);
    assert_holds(strstr(error.text, "it falls"), "%s", error.text);
    ff_scene_free(scene);
}

/* a branch ended by the caller, and invalid ones */
static void branches_that_end(void **state) {
    (void)state;
    ff_scene *scene = read_biped("run.tol=1e-7");
    static seen s;
    ff_error error = {""};
    s.stop = 2;
    assert_int_equal(follow(scene, "parameters.slope", 0.02, 0.03, 10, &s, &error), FF_STOPPED);
    assert_int_equal(s.count, 2);
    s.stop = 0;
    assert_int_equal(follow(scene, "parameters.slope", 0.02, 0.02, 10, &s, &error), FF_BAD_VALUE);
    assert_string_equal(error.text, "a branch needs two values that differ, one point at least, "
                                    "and both of its functions");
    assert_int_equal(s.count, 0);
    /* one leg heavier than the other: swapping the legs is no longer a symmetry */
    ff_status status = follow(scene, "bodies.leg1.mass", 1, 1.2, 10, &s, &error);
    assert_true(status < 0);
    assert_holds(strstr(error.text, "the branch ends near 1"), "%s", error.text);
    assert_holds(strstr(error.text, "is no motion of this walker"), "%s", error.text);
    assert_int_equal(s.count, 1);
    ff_gait_branch branch = ff_gait_branch_default();
    branch.size = 3;
    assert_true(ff_gait_continue(&branch, &error) < 0);
    assert_true(ff_gait_continue(NULL, &error) < 0);
    ff_scene_free(scene);
}

#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_circle),
    cmocka_unit_test(a_curve_ends_at_its_bounds),
    cmocka_unit_test(a_curve_that_breaks_off),
    cmocka_unit_test(no_curve),
#ifdef FF_HAVE_YAML
    cmocka_unit_test(two_gaits_meet),
    cmocka_unit_test(gaits_of_values),
    cmocka_unit_test(branches_that_end),
#endif
};

CHECK_MAIN(tests)
