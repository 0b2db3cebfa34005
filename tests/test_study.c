/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _DEFAULT_SOURCE
#include "check.h"
#include "no_memory.h"
#include "study/design.h"
#include "study/reduction.h"
#include "study_scenes.h"
#include <fcntl.h>
#include <footfall/footfall.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sweeps: ranges and distributions, results compared with closed forms, damaged records, identical bits for any
 * number of threads and parts, and error messages. */

/* ---- ranges ---- */

static ff_axis axis(const char *text, const char *unit) {
    ff_axis out;
    ff_error error = {""};
    assert_holds(ff_axis_read(text, unit, &out, &error) == FF_OK, "%s: %s", text, error.text);
    return out;
}

static void ranges(void **state) {
    (void)state;
    const struct {
        const char *text, *unit;
        size_t count;
        double values[6];
        bool logarithmic;
    } cases[] = {
        {"a=1", "", 1, {1}, false},
        {"a=1,2 , 4", "1", 3, {1, 2, 4}, false},
        {"a=0:1:5", "", 5, {0, 0.25, 0.5, 0.75, 1}, false},
        {"a=1:0:3", "", 3, {1, 0.5, 0}, false},
        {"a=0.1:9:1", "", 1, {0.1}, false},
        {"a=1e-2:1e2:5log", "", 5, {0.01, 0.1, 1, 10, 100}, true},
        {"a=1cm:3 cm:3", "m", 3, {0.01, 0.02, 0.03}, false},
        {"a=1 cm, 3", "m", 2, {0.01, 3}, false},
        {"a=154 g", "", 1, {0.154}, false},
        /* 0.3, not 0.30000000000000004 */
        {"a=0:0.5:6", "", 6, {0, 0.1, 0.2, 0.3, 0.4, 0.5}, false},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_axis a = axis(cases[i].text, cases[i].unit);
        assert_int_equal(a.count, cases[i].count);
        assert_int_equal(a.logarithmic, cases[i].logarithmic);
        assert_string_equal(a.path, "a");
        for (size_t k = 0; k < a.count; k++) {
            /* powers of ten are accurate to an ulp */
            assert_close(a.values[k], cases[i].values[k], cases[i].logarithmic ? 3e-16 : 0);
        }
        ff_axis_clear(&a);
    }
    ff_axis words = axis("a.law=hertz, linear", "");
    assert_true(words.kind == FF_AXIS_WORDS && words.count == 2);
    assert_string_equal(words.words[1], "linear");
    ff_axis_clear(&words);
}

static void wrong_ranges(void **state) {
    (void)state;
    const struct {
        const char *text, *unit, *wanted;
    } cases[] = {
        {"a", "", "PATH=RANGE is wanted"},
        {"=1", "", "PATH=RANGE is wanted"},
        {"a= ", "", "PATH=RANGE is wanted"},
        {"a=1:2", "", "has no count"},
        {"a=1:2:0", "", "is not a count"},
        {"a=1:2:-3", "", "is not a count"},
        {"a=1:2:3.5", "", "is not a count"},
        {"a=1:2:x", "", "is not a count"},
        {"a=1:2:3lin", "", "is not a count"},
        {"a=1:2:99999999999999999999", "", "is not a count"},
        {"a=0:2:3log", "", "must be above 0"},
        {"a=-1:-2:3log", "", "must be above 0"},
        {"a=1,,2", "", "is empty"},
        {"a=1,", "", "is empty"},
        {"a=1,b", "", "'b'"},
        {"a=nan", "1", "words"},
        {"a=1 kg:2 kg:2", "m", "expected a length"},
        {"a=1 kg:2 m:2", "", "is in m, and others are in kg"},
        {"a=uniform(1)", "", "uniform(FROM, TO) is wanted"},
        {"a=uniform(1, 2) x", "", "uniform(FROM, TO) is wanted"},
        {"a=uniform(2, 1)", "", "1 is not above 2"},
        {"a=loguniform(0, 1)", "", "0 is not above 0"},
        {"a=normal(0, -1)", "", "below 0"},
        {"a=lognormal(-1, 1)", "", "-1 is not above 0"},
        {"a=norml(0, 1)", "", "did you mean 'normal'?"},
        {"a=cauchy(0, 1)", "", "is no distribution"},
        {"a=normal(0, 1 kg)", "m", "expected a length"},
        {"a=lognormal(1 m, 1 m)", "m", "expected a plain number"},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_axis out;
        ff_error error = {""};
        const ff_status status = ff_axis_read(cases[i].text, cases[i].unit, &out, &error);
        if (status >= 0 && strcmp(cases[i].wanted, "words") == 0) {
            assert_true(out.kind == FF_AXIS_WORDS);
            ff_axis_clear(&out);
            continue;
        }
        assert_holds(status == FF_BAD_VALUE && strstr(error.text, cases[i].wanted), "%s: %s",
                     cases[i].text, error.text);
    }
}

/* ---- distributions ---- */

static void quantiles(void **state) {
    (void)state;
    /* Abramowitz and Stegun's table 26.5, and in the tails by mpmath: sqrt(2) erfinv(2 u - 1) with 40 digits */
    const double known[][2] = {{0.5, 0},
                               {0.8413447460685429, 1},
                               {0.975, 1.959963984540054},
                               {0.9772498680518208, 2},
                               {1e-10, -6.361340902404056},
                               {1e-15, -7.941345326170997}};
    for (size_t i = 0; i < ROWS(known); i++) {
        /* an error of half an ulp in u is one of 1e-16/phi(x) in x: 1e-15 at x = 2 */
        assert_near(ff_normal_quantile(known[i][0]), known[i][1], 3e-15 * (1 + fabs(known[i][1])));
    }
    /* round trip with erfc of the C library */
    for (int i = 0; i < 2000; i++) {
        const double u = i % 2 ? uniform(0, 1) : log_uniform(1e-16, 0.5);
        const double x = ff_normal_quantile(u), back = erfc(-x / sqrt(2)) / 2;
        /* dQ/Q = -x dx in the tails: half an ulp of x = 8.2 is 7e-15 of Q, and x^2 amplifies an ulp in erfc
         * equally */
        assert_close(back, u, 3e-14);
        assert_true(ff_normal_quantile(1 - u) >= -ff_normal_quantile(u) - 1e-3 || u < 1e-13);
    }
    ff_axis a = axis("a=uniform(2, 6)", "");
    assert_near(ff_axis_quantile(&a, 0.25), 3, 0);
    ff_axis_clear(&a);
    a = axis("a=loguniform(1e-2, 1e2)", "");
    assert_close(ff_axis_quantile(&a, 0.75), 10, 1e-15);
    ff_axis_clear(&a);
    a = axis("a=normal(10, 2)", "");
    assert_close(ff_axis_quantile(&a, 0.8413447460685429), 12, 1e-15);
    ff_axis_clear(&a);
    a = axis("a=lognormal(10, 0.5)", "");
    assert_close(ff_axis_quantile(&a, 0.9772498680518208), 10 * exp(1), 3e-15);
    ff_axis_clear(&a);
}

static ff_design *design(const char *const *texts, size_t count, ff_points points, size_t samples,
                         uint64_t seed) {
    ff_sweep sweep = ff_sweep_default();
    ff_axis *axes = calloc(count, sizeof *axes);
    ff_design *out;
    ff_error error = {""};
    for (size_t i = 0; i < count; i++) {
        axes[i] = axis(texts[i], "");
    }
    sweep.points = points;
    sweep.samples = samples;
    sweep.seed = seed;
    assert_holds(ff_design_create(axes, count, &sweep, &out, &error) == FF_OK, "%s", error.text);
    return out;
}

enum { DIMENSIONS = FF_SOBOL_MOST, POINTS = 1 << 10 };

static const char *const cube[DIMENSIONS] = {
    "a=uniform(0, 1)", "a=uniform(0, 1)", "a=uniform(0, 1)", "a=uniform(0, 1)", "a=uniform(0, 1)",
    "a=uniform(0, 1)", "a=uniform(0, 1)", "a=uniform(0, 1)", "a=uniform(0, 1)", "a=uniform(0, 1)",
    "a=uniform(0, 1)", "a=uniform(0, 1)", "a=uniform(0, 1)", "a=uniform(0, 1)", "a=uniform(0, 1)",
    "a=uniform(0, 1)", "a=uniform(0, 1)", "a=uniform(0, 1)", "a=uniform(0, 1)", "a=uniform(0, 1)",
    "a=uniform(0, 1)"};

/* Each of `count` layers contains one point, in each dimension. */
static void check_layers(const double (*points)[DIMENSIONS], size_t count) {
    for (size_t d = 0; d < DIMENSIONS; d++) {
        bool *seen = calloc(count, sizeof *seen);
        for (size_t i = 0; i < count; i++) {
            const size_t layer = (size_t)(points[i][d] * (double)count);
            assert_true(points[i][d] > 0 && points[i][d] < 1);
            assert_holds(layer < count && !seen[layer], "dimension %zu, layer %zu", d, layer);
            seen[layer] = true;
        }
        free(seen);
    }
}

static void designs(void **state) {
    (void)state;
    static double points[POINTS][DIMENSIONS];
    for (uint64_t seed = 0; seed < 3; seed++) {
        ff_design *d = design(cube, DIMENSIONS, FF_POINTS_SOBOL, POINTS, seed);
        for (size_t i = 0; i < POINTS; i++) {
            ff_design_point(d, i, points[i]);
        }
        ff_design_free(d);
        /* a (t, s)-sequence is stratified in each dimension for every power of 2, also under a digital shift */
        for (size_t count = 2; count <= POINTS; count *= 2) {
            check_layers(points, count);
        }
        /* the first two dimensions are a (0, 2)-sequence: each box of 2^-a by 2^-b contains one of 2^(a+b) points */
        for (unsigned a = 0; a <= 10; a++) {
            static bool seen[POINTS];
            memset(seen, 0, sizeof seen);
            for (size_t i = 0; i < POINTS; i++) {
                const size_t box = ((size_t)(points[i][0] * (1 << a)) << (10 - a)) +
                                   (size_t)(points[i][1] * (1 << (10 - a)));
                assert_false(seen[box]);
                seen[box] = true;
            }
        }
        /* the product of 1 + (x - 1/2) over eight dimensions has mean 1; independent points have an error of 0.03 */
        double sum = 0;
        for (size_t i = 0; i < POINTS; i++) {
            double product = 1;
            for (int k = 0; k < 8; k++) {
                product *= 0.5 + points[i][k];
            }
            sum += product / POINTS;
        }
        assert_near(sum, 1, 0.005);

        d = design(cube, DIMENSIONS, FF_POINTS_LATIN, 300, seed);
        for (size_t i = 0; i < 300; i++) {
            ff_design_point(d, i, points[i]);
        }
        ff_design_free(d);
        check_layers(points, 300);
    }
    /* independent points: mean and variance within five standard deviations, and neighbours are uncorrelated */
    ff_design *d = design(cube, 2, FF_POINTS_RANDOM, 20000, 7);
    double mean = 0, square = 0, beside = 0, before = 0, after = 0;
    for (size_t i = 0; i < 20000; i++) {
        double p[2];
        ff_design_point(d, i, p);
        mean += p[0] / 20000;
        square += (p[0] - 0.5) * (p[0] - 0.5) / 20000;
        beside += (p[0] - 0.5) * (p[1] - 0.5) / 20000;
        after += (p[0] - 0.5) * before / 20000;
        before = p[0] - 0.5;
    }
    assert_near(mean, 0.5, 5 * sqrt(1.0 / 12 / 20000));
    assert_near(square, 1.0 / 12, 5 * sqrt(1.0 / 180 / 20000));
    assert_near(beside, 0, 5.0 / 12 / sqrt(20000));
    assert_near(after, 0, 5.0 / 12 / sqrt(20000));
    ff_design_free(d);
}

static void grids(void **state) {
    (void)state;
    const char *const texts[] = {"a=1,2", "b=uniform(0, 1)", "c=10,20,30", "d=x,y"};
    ff_design *d = design(texts, 4, FF_POINTS_RANDOM, 5, 1);
    assert_int_equal(d->rows, 2 * 3 * 2 * 5);
    double p[4], first[4];
    for (size_t i = 0; i < d->rows; i++) {
        ff_design_point(d, i, p);
        ff_design_point(d, i % 5, first);
        assert_near(p[0], i < 30 ? 1 : 2, 0);
        assert_near(p[2], 10 * (double)(1 + i / 10 % 3), 0);
        assert_near(p[3], (double)(i / 5 % 2), 0);
        /* all grid points have the same samples */
        assert_near(p[1], first[1], 0);
    }
    ff_design_free(d);
}

/* ---- sweeps ---- */

static char told[4000];

static ff_status try_sweep(const ff_sweep *sweep, ff_table **out) {
    ff_messages messages = {0};
    const ff_status status = ff_sweep_run(sweep, out, &messages);
    *told = '\0';
    for (size_t i = 0; i < messages.count; i++) {
        const size_t used = strlen(told);
        ff_message_format(&messages.at[i], told + used, sizeof told - used);
    }
    ff_messages_clear(&messages);
    return status;
}

static ff_table *sweep_of(ff_sweep *sweep) {
    ff_table *out;
    const ff_status status = try_sweep(sweep, &out);
    assert_holds(status == FF_OK, "%d: %s", status, told);
    return out;
}

static ff_sweep sweep_text(const char *text, const char *const *vary, size_t vary_count,
                           const char *const *keep, size_t keep_count) {
    ff_sweep sweep = ff_sweep_default();
    sweep.path = "s.yaml";
    sweep.text = text;
    sweep.vary = vary;
    sweep.vary_count = vary_count;
    sweep.keep = keep;
    sweep.keep_count = keep_count;
    sweep.threads = 2;
    return sweep;
}

/* One run of a scene, and one result of it. */
static double kept(const char *text, const char *vary, const char *keep) {
    ff_sweep sweep = sweep_text(text, &vary, 1, &keep, 1);
    ff_table *t = sweep_of(&sweep);
    const double value = t->values[1];
    assert_holds(t->failed == 0, "%s", t->reason[0]);
    ff_free(t);
    return value;
}

#ifdef FF_HAVE_YAML

static void closed_forms(void **state) {
    (void)state;
    const struct {
        const char *keep;
        double wanted;
    } cases[] = {
        {"start(bodies.ball.position[2])", 1},
        {"end(bodies.ball.position[2])", -1},
        {"end(t)", 1},
        {"end(time)", 1},
        {"max(bodies.ball.position[2])", 1.45},
        {"min(bodies.ball.position[2])", -1},
        {"max(-bodies.ball.position[2])", 1},
        {"peak(bodies.ball.position[2])", 0.3},
        {"peak(-bodies.ball.position[2])", 1},
        {"peak(t - t)", 0},
        {"min((bodies.ball.position[2] - 0.5 m)^2)", 0},
        {"max(bodies.ball.velocity)", 7.280109889280518}, /* sqrt(53) */
        {"min(norm(bodies.ball.velocity))", 2},           /* at the top of the trajectory */
        {"integral(bodies.ball.position[2])",
         1 + 1.5 - 5. / 3}, /* of degree below 6: integrated exactly */
        {"mean(bodies.ball.velocity[2]^2)", 9 - 30 + 100. / 3},
        {"integral(bodies.ball.position[2]^2)", 1. + 3 - 1. / 3 - 30. / 4 + 5},
        {"first(t, bodies.ball.position[2] < 0)", 0.8385164807134505}, /* (3 + sqrt(29))/10 */
        {"first(t, bodies.ball.velocity[2] <= 0 m/s)", 0.3},
        {"first(bodies.ball.position[0], 0 > bodies.ball.position[2])", 2 * 0.8385164807134505},
        {"first(t, bodies.ball.position[2] > 0.5)", 0},
        {"end(bodies.ball.position[0])/start(bodies.ball.velocity[0]) + 1 s", 2},
        {"max(start(t), end(t), 0.5 s)", 1},
        {"count(touchdown)", 0},
        {"3*bodies.ball.mass", 6},
        {"e = end(ledger.kinetic)", 53},
        {"sqrt(2*end(ledger.kinetic)/bodies.ball.mass)", 7.280109889280518},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        const double seen = kept(thrown, "bodies.ball.mass=2", cases[i].keep);
        /* positions are accurate to tol = 1e-9 of their scales, here some metres; squares at a minimum far better */
        assert_holds(fabs(seen - cases[i].wanted) <= 2e-8 * (1 + fabs(cases[i].wanted)),
                     "%s is %.17g instead of %.17g", cases[i].keep, seen, cases[i].wanted);
    }
    const char *never[] = {"first(t, bodies.ball.position[2] > 2 m)", "at(touchdown 1, t)"};
    for (size_t i = 0; i < ROWS(never); i++) {
        assert_true(isnan(kept(thrown, "bodies.ball.mass=2", never[i])));
    }
}

/* The maximum height is found wherever steps end. */
static void peaks(void **state) {
    (void)state;
    const char *vary[] = {"run.max_step=0.03:0.31:97"};
    const char *keep[] = {"max(bodies.ball.position[2])", "first(t, bodies.ball.position[2] < 0)",
                          "integral(sin(10*t/(1 s)))"};
    ff_sweep sweep = sweep_text(thrown, vary, 1, keep, 3);
    ff_table *t = sweep_of(&sweep);
    for (size_t i = 0; i < t->rows; i++) {
        const double *row = t->values + 4 * i;
        assert_near(row[1], 1.45, 1e-9);
        assert_near(row[2], 0.8385164807134505, 1e-9);
        /* three-point Gauss rule: h^7 10^6/2016000 per step, 1/h steps */
        assert_near(row[3], (1 - cos(10)) / 10, pow(row[0], 6) * 1e6 / 2016000);
    }
    ff_free(t);
}

/* Events and impacts agree with those of a single run. */
static void events(void **state) {
    (void)state;
    ff_scene *scene;
    ff_model *model;
    ff_sim *sim;
    double second = NAN, last = NAN, x_at = NAN, low = NAN;
    int downs = 0, lows = 0;
    assert_true(ff_scene_parse("s", bounce, strlen(bounce), NULL, 0, INFINITY, &scene, NULL) ==
                FF_OK);
    assert_true(ff_model_create(scene, &model, NULL) == FF_OK);
    assert_true(ff_sim_create(model, NULL, &sim, NULL) == FF_OK);
    while (ff_sim_advance(sim, 1.2) == FF_EVENT) {
        const ff_event *e = ff_sim_event(sim);
        if (e->kind == FF_TOUCHDOWN) {
            downs++;
            second = downs == 2 ? e->time : second;
            x_at = downs == 2 ? ff_sim_body(sim, 0).position[0] : x_at;
            last = e->time;
        }
        if (e->kind == FF_USER) {
            lows++;
            low = lows == 2 ? e->time : low;
        }
    }
    const struct {
        const char *keep;
        double wanted;
    } cases[] = {
        {"count(touchdown)", downs},
        {"count(touchdown ball/floor)", downs},
        {"count(low)", lows},
        {"count(user)", lows},
        {"at(touchdown 2, t)", second},
        {"at(touchdown ball/floor 2, bodies.ball.position[0])", x_at},
        {"at(touchdown last, t)", last},
        {"at(low 2, t)", low},
        {"at(touchdown, t)", ff_sim_impact(sim, 0).time},
        {"impact(1, time)", ff_sim_impact(sim, 0).time},
        {"impact(ball/floor 2, restitution)", ff_sim_impact(sim, 1).restitution},
        {"impact(2, speed)", ff_sim_impact(sim, 1).speed},
        {"impact(2, contact_time)", ff_sim_impact(sim, 1).contact_time},
        {"impact(last, time)", ff_sim_impact(sim, ff_sim_impact_count(sim) - 1).time},
    };
    assert_true(downs > 2 && lows > 2);
    for (size_t i = 0; i < ROWS(cases); i++) {
        const double seen = kept(bounce, "pairs[0].friction.mu=0.2", cases[i].keep);
        assert_holds(seen == cases[i].wanted, "%s is %.17g instead of %.17g", cases[i].keep, seen,
                     cases[i].wanted);
    }
    /* the maximum force, from short steps; the vertex of a parabola within a long step is accurate to 1e-10 */
    const char greatest[] = "max(contacts.ball/floor.force[2])";
    assert_close(kept(bounce, "pairs[0].friction.mu=0.2", greatest),
                 kept(bounce, "run.max_step=1e-5", greatest), 1e-9);
    assert_true(isnan(kept(bounce, "pairs[0].friction.mu=0.2", "impact(1000, time)")));
    ff_sim_free(sim);
    ff_model_free(model);
    ff_scene_free(scene);
}

static bool same(const ff_table *a, const ff_table *b) {
    if (a->rows != b->rows || a->columns != b->columns || a->failed != b->failed) {
        return false;
    }
    for (size_t i = 0; i < a->rows; i++) {
        const char *x = a->reason[i] ? a->reason[i] : "", *y = b->reason[i] ? b->reason[i] : "";
        if (strcmp(x, y) != 0) {
            return false;
        }
    }
    return memcmp(a->values, b->values, a->rows * a->columns * sizeof *a->values) == 0;
}

static const char *const few_vary[] = {"pairs[0].friction.mu=-0.05:0.5:6",
                                       "bodies.ball.velocity[0]=uniform(0, 1)",
                                       "parameters.height=normal(20 cm, 1 cm)"};
static const char *const few_keep[] = {"count(slip)", "max(contacts.ball/floor.force)",
                                       "end(bodies.ball.velocity[0])"};

static ff_sweep few(void) {
    ff_sweep sweep = sweep_text(bounce, few_vary, 3, few_keep, 3);
    sweep.samples = 2;
    sweep.points = FF_POINTS_LATIN;
    return sweep;
}

static void threads(void **state) {
    (void)state;
    ff_sweep sweep = few();
    sweep.threads = 1;
    ff_table *one = sweep_of(&sweep);
    sweep.threads = 4;
    ff_table *four = sweep_of(&sweep);
    /* negative friction gives a row with the reason */
    assert_int_equal(one->failed, 2);
    assert_non_null(strstr(one->reason[0], "mu of clutch is -0.05"));
    assert_true(isnan(one->values[3]) && !isnan(one->values[2]));
    assert_true(same(one, four));
    sweep.seed = 1;
    ff_table *other = sweep_of(&sweep);
    assert_false(same(one, other));
    assert_string_equal(one->column[4].name, "max(contacts.ball/floor.force)");
    assert_string_equal(one->column[4].unit, "N");
    assert_string_equal(one->column[2].unit, "m");
    assert_int_equal(one->column[0].count, 6);
    ff_free(other);
    ff_free(four);
    ff_free(one);
}

/* Values set in the model give the same bits as the same values written in the file. */
static void two_ways(void **state) {
    (void)state;
    const char *vary[] = {"pairs[0].friction.mu=0.05:0.5:7", "bodies.ball.velocity[0]=0.1,0.3",
                          "bodies.ball.velocity[1]=0,0.2", "run.tol=1e-8"};
    const char *keep[] = {"end(bodies.ball.position[0])", "end(ledger.slip)",
                          "integral(contacts.ball/floor.force[2])"};
    const char *settings[] = {"run.tol=1e-8"};
    ff_sweep sweep = sweep_text(bounce, vary, 3, keep, 3);
    sweep.settings = settings;
    sweep.setting_count = 1;
    ff_table *numbers = sweep_of(&sweep);
    sweep.vary_count = 4;
    sweep.setting_count = 0;
    ff_table *file = sweep_of(&sweep);
    assert_int_equal(numbers->rows, 28);
    assert_int_equal(file->rows, 28);
    for (size_t i = 0; i < 28; i++) {
        assert_memory_equal(numbers->values + 6 * i + 3, file->values + 7 * i + 4,
                            3 * sizeof(double));
    }
    ff_free(numbers);
    ff_free(file);
}

static void words(void **state) {
    (void)state;
    const char *vary[] = {"pairs[0].normal.law=hunt-crossley,general"};
    const char *keep[] = {"impact(1, restitution)"};
    ff_sweep sweep = sweep_text(bounce, vary, 1, keep, 1);
    ff_table *t = sweep_of(&sweep);
    assert_string_equal(t->column[0].words[(size_t)t->values[2]], "general");
    assert_null(t->column[0].words[2]);
    assert_true(t->values[1] > 0.5 && t->values[1] < 1);
    ff_free(t);
}

/* ---- error messages ---- */

static void mistakes(void **state) {
    (void)state;
    const struct {
        const char *vary, *keep, *wanted;
    } cases[] = {
        {"pairs[0].friction.mu=0.1", "max(contacts.ball/flor.force)",
         "--keep max(contacts.ball/flor.force): column 5: there is no field"},
        {"pairs[0].friction.mu=0.1", "end(bodies.ball.position)", "has 3 numbers"},
        {"pairs[0].friction.mu=0.1", "bodies.ball.position[2]", "changes in a run"},
        {"pairs[0].friction.mu=0.1", "max(end(t))", "a reduction inside of another one"},
        {"pairs[0].friction.mu=0.1", "first(t, t)", "waits for a comparison"},
        {"pairs[0].friction.mu=0.1", "first(t, t == 1 s)", "waits for a comparison"},
        {"pairs[0].friction.mu=0.1", "first(t, t < 1 m)", "cannot compare"},
        {"pairs[0].friction.mu=0.1", "end(t) + end(bodies.ball.position[0])", "column 8"},
        {"pairs[0].friction.mu=0.1", "max(t", "lacks its ')'"},
        {"pairs[0].friction.mu=0.1", "end(t, t)", "end(x) is wanted"},
        {"pairs[0].friction.mu=0.1", "at(t)", "at(touchdown 3, x) is wanted"},
        {"pairs[0].friction.mu=0.1", "end()", "end(x) is wanted"},
        {"pairs[0].friction.mu=0.1", "at(touchdow, t)", "did you mean 'touchdown'"},
        {"pairs[0].friction.mu=0.1", "at(touchdown 0, t)", "neither a contact"},
        {"pairs[0].friction.mu=0.1", "at(touchdown ball/floor x, t)", "not a number from 1"},
        {"pairs[0].friction.mu=0.1", "at(touchdown 1 2, t)", "one word too many"},
        {"pairs[0].friction.mu=0.1", "at(low x, t)", "not a number from 1"},
        {"pairs[0].friction.mu=0.1", "impact(1, force)", "no 'force'"},
        {"pairs[0].friction.mu=0.1", "sin(end(t))", "sin"},
        {"pairs[0].friction.mu=0.1", "end(foo)", "no field 'foo'"},
        {"pairs[0].friction.mu=0.1", "", "column 1"},
        {"pairs[0].friction.mu=0.1", "_0 + end(t)", "do not begin with an underscore"},
        {"pairs[0].fricton.mu=0.1", "end(t)", "did you mean 'friction'"},
        {"bodies.ball.velocity=0.1", "end(t)", "has 3 numbers: name one"},
        {"pairs[0].friction.mu=1:2", "end(t)", "--vary pairs[0].friction.mu=1:2: "},
        {"pairs[0].friction.mu=uniform(0, 1)", "end(t)", "how many samples"},
        {"bodies.bal.mass=1", "end(t)", "there is no 'bal' in bodies"},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_sweep sweep = sweep_text(bounce, &cases[i].vary, 1, &cases[i].keep, 1);
        ff_table *t;
        const ff_status status = try_sweep(&sweep, &t);
        assert_holds((status == FF_BAD_VALUE || status == FF_MISSING) && !t &&
                         strstr(told, cases[i].wanted),
                     "%s, %s: %d, %s", cases[i].vary, cases[i].keep, status, told);
    }
    /* about the sweep as a whole */
    const char *vary[] = {"pairs[0].friction.mu=0.1", "pairs[0].friction.mu=0.2"};
    const char *keep[] = {"end(t)", " end(t)"};
    ff_table *t;
    ff_sweep sweep = sweep_text(bounce, vary, 2, keep, 1);
    assert_true(try_sweep(&sweep, &t) == FF_BAD_VALUE && strstr(told, "varied twice"));
    sweep = sweep_text(bounce, vary, 1, keep, 2);
    assert_true(try_sweep(&sweep, &t) == FF_BAD_VALUE && strstr(told, "kept twice"));
    sweep = sweep_text(bounce, vary, 0, keep, 1);
    assert_true(try_sweep(&sweep, &t) == FF_MISSING && strstr(told, "nothing is varied"));
    sweep = sweep_text(bounce, vary, 1, keep, 0);
    assert_true(try_sweep(&sweep, &t) == FF_MISSING && strstr(told, "nothing is kept"));
    sweep = sweep_text(bounce, vary, 1, keep, 1);
    sweep.samples = 5;
    assert_true(try_sweep(&sweep, &t) == FF_BAD_VALUE && strstr(told, "samples of nothing"));
    sweep.samples = 0;
    sweep.shards = 3, sweep.shard = 4;
    assert_true(try_sweep(&sweep, &t) == FF_BAD_VALUE && strstr(told, "no part 4 of 3"));
    sweep.shard = 1;
    assert_true(try_sweep(&sweep, &t) == FF_MISSING && strstr(told, "need a file"));
    sweep.shards = 0;
    sweep.threads = FF_THREADS_MOST + 1;
    assert_true(try_sweep(&sweep, &t) == FF_BAD_VALUE && strstr(told, "threads"));
    sweep.threads = 1;
    sweep.points = (ff_points)7;
    assert_true(try_sweep(&sweep, &t) == FF_BAD_VALUE && strstr(told, "random, latin or sobol"));
    sweep.points = FF_POINTS_RANDOM;
    sweep.size = 0;
    assert_true(ff_sweep_run(&sweep, &t, NULL) == FF_BAD_VALUE && !t);
    sweep = sweep_text("bodies: {b: {mas: 1}}\n", vary, 1, keep, 1);
    assert_true(try_sweep(&sweep, &t) == FF_BAD_VALUE && strstr(told, "s.yaml:1:"));
    sweep.text = NULL;
    sweep.path = "/nowhere/s.yaml";
    assert_true(try_sweep(&sweep, &t) == FF_BAD_VALUE && strstr(told, "No such file"));
    const char *sobol[DIMENSIONS + 1];
    char texts[DIMENSIONS + 1][40];
    for (size_t i = 0; i <= DIMENSIONS; i++) {
        snprintf(texts[i], sizeof texts[i], "parameters.p%zu=uniform(0, 1)", i);
        sobol[i] = texts[i];
    }
    sweep = sweep_text(bounce, sobol, DIMENSIONS + 1, keep, 1);
    sweep.points = FF_POINTS_SOBOL, sweep.samples = 2;
    assert_true(try_sweep(&sweep, &t) == FF_BAD_VALUE && strstr(told, "take a Latin hypercube"));
}

/* ---- records ---- */

static char folder[40], records[64];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/footfall-study-XXXXXX");
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(records, sizeof records, "%s/out.part", folder);
    return 0;
}

static int drop_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

static bool stop_at(void *user, size_t done, size_t wanted) {
    (void)wanted;
    return done < *(size_t *)user;
}

/* the contents of the file of records */
static char *load(size_t *size) {
    FILE *file = fopen(records, "rb");
    char *text = malloc(100000);
    assert_non_null(file);
    *size = fread(text, 1, 100000, file);
    fclose(file);
    return text;
}

static void save(const char *text, size_t size) {
    FILE *file = fopen(records, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

/* A file of records truncated at any byte, or with any byte changed, gives the table of an undisturbed sweep. */
static void torn(void **state) {
    (void)state;
    ff_sweep sweep = few();
    ff_table *whole = sweep_of(&sweep), *t;
    sweep.records = records;
    t = sweep_of(&sweep);
    assert_true(same(whole, t));
    ff_free(t);
    size_t size, step = 37;
    char *text = load(&size);
    /* a header and 12 runs; the messages of two are longer than the payload of a record */
    assert_true(size > 64 + 12 * 56);
    for (size_t cut = 0; cut < size; cut += step) {
        save(text, cut);
        t = sweep_of(&sweep);
        assert_holds(same(whole, t), "cut at %zu", cut);
        ff_free(t);
    }
    for (size_t at = 64; at < size; at += step) {
        text[at] ^= 4;
        save(text, size);
        text[at] ^= 4;
        t = sweep_of(&sweep);
        assert_holds(same(whole, t), "changed at %zu", at);
        ff_free(t);
    }
    /* if all runs are recorded, none is run: a scene that cannot run gives the same table, because only its text
     * counts */
    save(text, size);
    sweep.merge = true;
    t = sweep_of(&sweep);
    assert_true(same(whole, t));
    ff_free(t);
    /* an incomplete file */
    save(text, size - 1);
    assert_true(try_sweep(&sweep, &t) == FF_MISSING && strstr(told, "1 of 12 runs are not in"));
    sweep.merge = false;
    /* of another sweep, and no records at all */
    save(text, size);
    sweep.seed = 5;
    assert_true(try_sweep(&sweep, &t) == FF_MISSING && strstr(told, "another sweep"));
    sweep.seed = 0;
    text[30] ^= 1;
    save(text, size);
    assert_true(try_sweep(&sweep, &t) == FF_MISSING && strstr(told, "another sweep"));
    unlink(records);
    /* a path that cannot be written */
    sweep.records = "/nowhere/out.part";
    assert_true(try_sweep(&sweep, &t) == FF_NOT_WRITTEN && strstr(told, "No such file"));
    free(text);
    ff_free(whole);
}

static void interrupted(void **state) {
    (void)state;
    ff_sweep sweep = few();
    /* several seconds on one core: progress is reported ten times a second */
    sweep.samples = 100;
    ff_table *whole = sweep_of(&sweep), *t;
    size_t stop = 0;
    sweep.records = records;
    sweep.progress = stop_at;
    sweep.user = &stop;
    sweep.threads = 1;
    assert_true(try_sweep(&sweep, &t) == FF_STOPPED && !t);
    size_t size;
    free(load(&size));
    assert_true(size > 64);
    stop = SIZE_MAX;
    sweep.threads = 2;
    t = sweep_of(&sweep);
    assert_true(same(whole, t));
    ff_free(t);
    unlink(records);
    ff_free(whole);
}

static void shards(void **state) {
    (void)state;
    ff_sweep sweep = few();
    ff_table *whole = sweep_of(&sweep), *t;
    size_t rows = 0;
    sweep.records = records;
    sweep.shards = 5;
    for (sweep.shard = 1; sweep.shard <= 5; sweep.shard++) {
        t = sweep_of(&sweep);
        /* rows of this part */
        assert_memory_equal(t->values, whole->values + rows * whole->columns,
                            t->rows * t->columns * sizeof *t->values);
        rows += t->rows;
        ff_free(t);
    }
    assert_int_equal(rows, whole->rows);
    sweep.shards = sweep.shard = 0;
    sweep.merge = true;
    t = sweep_of(&sweep);
    assert_true(same(whole, t));
    ff_free(t);
    for (int i = 1; i <= 5; i++) {
        char path[80];
        snprintf(path, sizeof path, "%s%d-5", records, i);
        assert_int_equal(unlink(path), 0);
    }
    ff_free(whole);
}

/* ---- teams ---- */

enum { RANKS = 3 };

/* Processes that share a sweep, simulated by threads. */
typedef struct team {
    atomic_uint_fast64_t counter;
    pthread_barrier_t barrier;
    atomic_size_t taken[RANKS]; /* number of requests for rows of each rank */
    size_t first;               /* the rank that takes rows before all others; RANKS: none */
} team;

typedef struct member {
    team *all;
    ff_team team;
    ff_sweep sweep;
    ff_table *table;
    ff_status status;
    char told[400];
    bool slow; /* progress is reported between two calls */
} member;

static uint64_t take(void *user, uint64_t count) {
    member *m = user;
    while (m->all->first < RANKS && m->all->first != m->team.rank &&
           m->all->taken[m->all->first] == 0) {
        usleep(1000);
    }
    m->all->taken[m->team.rank]++;
    const uint64_t before = atomic_fetch_add(&m->all->counter, count);
    if (m->slow) {
        usleep(150000);
    }
    return before;
}

static void meet(void *user) { pthread_barrier_wait(&((member *)user)->all->barrier); }

static void *take_part(void *user) {
    member *m = user;
    ff_messages messages = {0};
    m->status = ff_sweep_run(&m->sweep, &m->table, &messages);
    if (messages.count) {
        ff_message_format(&messages.at[0], m->told, sizeof m->told);
    }
    ff_messages_clear(&messages);
    return NULL;
}

static void run_team(team *all, member members[RANKS]) {
    pthread_t threads[RANKS];
    atomic_store(&all->counter, 0);
    all->first = RANKS;
    for (size_t i = 0; i < RANKS; i++) {
        atomic_store(&all->taken[i], 0);
        all->first = members[i].slow ? i : all->first;
    }
    pthread_barrier_init(&all->barrier, NULL, RANKS);
    for (size_t i = 0; i < RANKS; i++) {
        member *m = &members[i];
        m->all = all;
        m->team = (ff_team){.rank = i, .ranks = RANKS, .take = take, .meet = meet, .user = m};
        m->sweep.records = records;
        m->sweep.team = &m->team;
        assert_int_equal(pthread_create(&threads[i], NULL, take_part, m), 0);
    }
    for (size_t i = 0; i < RANKS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    pthread_barrier_destroy(&all->barrier);
}

static void drop_ranks(void) {
    for (int i = 0; i < RANKS; i++) {
        char path[80];
        snprintf(path, sizeof path, "%s.rank%d", records, i);
        assert_int_equal(unlink(path), 0);
    }
}

/* The table of a team is that of one process, also if some members fail: rows they had taken are run when the
 * sweep is resumed. */
static void teams(void **state) {
    (void)state;
    team all;
    char path[80];
    size_t stop = 0;
    ff_sweep sweep = few();
    sweep.samples = 20;
    ff_table *whole = sweep_of(&sweep), *t;
    member good[RANKS] = {{.sweep = sweep}, {.sweep = sweep}, {.sweep = sweep}};
    run_team(&all, good);
    assert_true(good[0].status == FF_OK && same(whole, good[0].table));
    assert_true(good[1].status == FF_OK && !good[1].table);
    /* every row was taken once; all members except the one with the last row may have requested more */
    assert_true(all.counter >= whole->rows && all.counter < whole->rows + RANKS);
    ff_free(good[0].table);
    drop_ranks();

    /* one member cannot write: the others do all the work */
    snprintf(path, sizeof path, "%s.rank1", records);
    const int file = open(path, O_RDWR | O_CREAT, 0666);
    assert_true(file >= 0 && flock(file, LOCK_EX) == 0);
    member locked[RANKS] = {{.sweep = sweep}, {.sweep = sweep}, {.sweep = sweep}};
    run_team(&all, locked);
    assert_true(locked[0].status == FF_OK && same(whole, locked[0].table));
    assert_true(locked[1].status == FF_NOT_WRITTEN &&
                strstr(locked[1].told, "another process is writing it"));
    assert_int_equal(all.taken[1], 0);
    ff_free(locked[0].table);
    close(file);
    drop_ranks();

    /* one member is stopped in its first run: its row is missing; another number of processes completes the table */
    member stopped[RANKS] = {{.sweep = sweep}, {.sweep = sweep}, {.sweep = sweep}};
    stopped[2].sweep.progress = stop_at;
    stopped[2].sweep.user = &stop;
    stopped[2].sweep.threads = 1;
    stopped[2].slow = true;
    run_team(&all, stopped);
    assert_int_equal(stopped[2].status, FF_STOPPED);
    assert_true(stopped[0].status == FF_NOT_WRITTEN && !stopped[0].table);
    assert_holds(strstr(stopped[0].told, "1 of 120 runs are missing"), "%s", stopped[0].told);
    sweep.records = records;
    t = sweep_of(&sweep);
    assert_true(same(whole, t));
    ff_free(t);
    unlink(records);
    drop_ranks();

    /* a file that one member cannot read, and invalid teams; all members return */
    member unread[RANKS] = {{.sweep = sweep}, {.sweep = sweep}, {.sweep = sweep}};
    unread[1].sweep.text = NULL;
    unread[1].sweep.path = "/nowhere/s.yaml";
    run_team(&all, unread);
    assert_true(unread[0].status == FF_OK && same(whole, unread[0].table));
    assert_true(unread[1].status == FF_BAD_VALUE && strstr(unread[1].told, "No such file"));
    ff_free(unread[0].table);
    snprintf(path, sizeof path, "%s.rank1", records);
    close(open(path, O_RDWR | O_CREAT, 0666));
    drop_ranks();
    member parts[RANKS] = {{.sweep = sweep}, {.sweep = sweep}, {.sweep = sweep}};
    parts[1].sweep.shards = 3, parts[1].sweep.shard = 2;
    run_team(&all, parts);
    assert_true(parts[0].status == FF_OK && same(whole, parts[0].table));
    assert_true(parts[1].status == FF_BAD_VALUE && strstr(parts[1].told, "no shard, no merge"));
    ff_free(parts[0].table);
    close(open(path, O_RDWR | O_CREAT, 0666));
    drop_ranks();
    ff_free(whole);
}

/* ---- memory ---- */

static void memory(void **state) {
    (void)state;
#ifdef CAN_END
    const char *const vary[] = {"bodies.ball.mass=-1,2"};
    const char *const keep[] = {"max(bodies.ball.position[2])"};
    ff_sweep sweep = sweep_text(thrown, vary, 1, keep, 1);
    sweep.threads = 1;
    sweep.records = records;
    ff_table *t = NULL;
    ff_status status = FF_NO_MEMORY;
    long most = 0;
    for (; status != FF_OK && most < 100000; most++) {
        given = 0, give_most = most;
        status = ff_sweep_run(&sweep, &t, NULL);
        give_most = -1;
        assert_holds(status == FF_OK ||
                         (!t && (status == FF_NO_MEMORY || status == FF_NOT_WRITTEN)),
                     "%ld blocks: %d", most, status);
        unlink(records);
    }
    assert_true(status == FF_OK && most > 50 && t->rows == 2 && t->failed == 1);
    ff_free(t);
#else
    skip();
#endif
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(ranges),
    cmocka_unit_test(wrong_ranges),
    cmocka_unit_test(quantiles),
    cmocka_unit_test(designs),
    cmocka_unit_test(grids),
    cmocka_unit_test(closed_forms),
    cmocka_unit_test(peaks),
    cmocka_unit_test(events),
    cmocka_unit_test(threads),
    cmocka_unit_test(two_ways),
    cmocka_unit_test(words),
    cmocka_unit_test(mistakes),
    cmocka_unit_test_setup_teardown(torn, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(interrupted, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(shards, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(teams, make_folder, drop_folder),
    cmocka_unit_test_setup_teardown(memory, make_folder, drop_folder),
};

#else

static const struct CMUnitTest tests[] = {cmocka_unit_test(ranges), cmocka_unit_test(wrong_ranges),
                                          cmocka_unit_test(quantiles), cmocka_unit_test(designs),
                                          cmocka_unit_test(grids)};

#endif

CHECK_MAIN(tests)
