/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene_text.h"
#include "trace/trace.h"
#include <stdlib.h>

/* Number of evaluated rows: the linker replaces the library's function by this one (CMakeLists.txt). */
static int evaluated;

ff_status __real_ff_sim_get_all(ff_sim *sim, const size_t *fields, size_t count, double *values);
ff_status __wrap_ff_sim_get_all(ff_sim *sim, const size_t *fields, size_t count, double *values);
ff_status __wrap_ff_sim_get_all(ff_sim *sim, const size_t *fields, size_t count, double *values) {
    evaluated++;
    return __real_ff_sim_get_all(sim, fields, count, values);
}

/* ---- sample times ---- */

/* The sample times of a run with these steps, terminated by a negative one; steps that end in an event are given
 * as t + 100. */
static void assert_instants(ff_sampler s, const double *steps, const double *wanted) {
    size_t used = 0;
    ff_sampler_start(&s, *steps++);
    for (bool more = true; more;) {
        for (double next; !isinf(next = ff_sampler_next(&s)); ff_sampler_pass(&s)) {
            assert_near(next, wanted[used], 1e-15);
            used++;
        }
        more = *steps >= 0;
        if (more) {
            ff_sampler_step(&s, *steps >= 100 ? *steps - 100 : *steps, *steps >= 100);
            steps++;
        } else {
            ff_sampler_end(&s, s.to);
            more = s.pending;
        }
    }
    assert_true(wanted[used] < 0);
}

static void instants(void **state) {
    (void)state;
#define RUN (const double[])
    /* each step; with times within steps, as many as their length requires, or a fixed number */
    assert_instants((ff_sampler){0}, RUN{0, 1, 102, 5, -1}, RUN{0, 1, 2, 5, -1});
    assert_instants((ff_sampler){.fill = 1}, RUN{0, 1, 2.5, 2.5, -1},
                    RUN{0, 1, 1.75, 2.5, 2.5, -1});
    assert_instants((ff_sampler){.parts = 4}, RUN{1, 2, 102, -1},
                    RUN{1, 1.25, 1.5, 1.75, 2, 2, -1});
    /* an event on both sides, but not a second one at the same instant, and not with a spacing */
    assert_instants((ff_sampler){.before = true}, RUN{0, 1, 102, 102, 5, -1},
                    RUN{0, 1, nextafter(2, 0), 2, 2, 5, -1});
    assert_instants((ff_sampler){.before = true, .fill = 1}, RUN{0, 102, -1},
                    RUN{0, 1, nextafter(2, 0), 2, -1});
    assert_instants((ff_sampler){.before = true, .every = 1}, RUN{0, 101.5, -1}, RUN{0, 1, -1});
    /* multiples of a spacing, none twice; from the middle of a run; together with events */
    assert_instants((ff_sampler){.every = 1}, RUN{0, 0.5, 2.5, 3, -1}, RUN{0, 1, 2, 3, -1});
    assert_instants((ff_sampler){.every = 1}, RUN{1.5, 1.7, 3.2, -1}, RUN{1.5, 2, 3, -1});
    assert_instants((ff_sampler){.every = 1}, RUN{0, 100.5, 2, -1}, RUN{0, 1, 2, -1});
    assert_instants((ff_sampler){.every = 1, .events = true}, RUN{0, 100.5, 101, -1},
                    RUN{0, 0.5, 1, 1, -1});
    /* 3*0.1 is above 0.3: the end of the run counts as that multiple */
    assert_instants((ff_sampler){.every = 0.1}, RUN{0, 0.15, 0.3, -1}, RUN{0, 0.1, 0.2, 0.3, -1});
    /* only events, with or without a spacing */
    assert_instants((ff_sampler){.only_events = true}, RUN{0, 1, 102, -1}, RUN{2, -1});
    assert_instants((ff_sampler){.only_events = true, .every = 0.5}, RUN{0, 101, 2, -1},
                    RUN{1, -1});
#undef RUN
}

/* ---- rows ---- */

/* Two traces of one run, recorded together or each in its own run. */
typedef struct {
    ff_model *model;
    ff_sim *sims[2];
    ff_trace *traces[2];
} pair;

static void record(ff_trace *first, double until) {
    ff_sim *sim = first->sim;
    assert_int_equal(ff_trace_start(first, NULL), FF_OK);
    while (ff_sim_time(sim) < until) {
        ff_status status = ff_sim_step(sim, until);
        assert_true(status >= 0);
        assert_int_equal(ff_trace_step(first, status == FF_EVENT ? ff_sim_event(sim) : NULL, NULL),
                         FF_OK);
    }
    assert_int_equal(ff_trace_end(first, NULL, NULL), FF_OK);
}

static pair record_both(const char *file, double until, const ff_trace_options choices[2],
                        bool apart) {
    char path[400];
    pair p = {0};
    ff_scene *scene;
    snprintf(path, sizeof path, FF_SOURCE_DIR "/scenes/%s", file);
    assert_int_equal(ff_scene_read(path, NULL, 0, &scene, NULL), FF_OK);
    assert_int_equal(ff_model_create(scene, &p.model, NULL), FF_OK);
    for (int i = 1; i >= 0; i--) {
        ff_trace_options o = choices[i];
        o.size = sizeof o;
        o.beside = apart || i == 1 ? NULL : p.traces[1];
        assert_int_equal(ff_sim_create(p.model, NULL, &p.sims[i], NULL), FF_OK);
        assert_int_equal(ff_trace_create(p.sims[apart ? i : 1], &o, &p.traces[i], NULL), FF_OK);
    }
    for (int i = 0; i < 1 + apart; i++) {
        record(p.traces[i], until);
    }
    ff_scene_free(scene);
    return p;
}

static void clear(pair *p) {
    for (int i = 0; i < 2; i++) {
        ff_trace_free(p->traces[i]);
        ff_sim_free(p->sims[i]);
    }
    ff_model_free(p->model);
}

/* Options without their size are refused, because it is unknown which members they have. */
static void sizes(void **state) {
    (void)state;
    ff_trace_options good = ff_trace_options_default(), none = {.every = 1};
    pair p = record_both("rolling.yaml", 0.01, (ff_trace_options[2]){good, good}, true);
    ff_trace *trace = NULL;
    ff_error error = {""};
    assert_int_equal(ff_trace_create(p.sims[0], &none, &trace, &error), FF_BAD_VALUE);
    assert_null(trace);
    assert_non_null(strstr(error.text, "size"));
    clear(&p);
}

/* number of distinct times of two traces together */
static size_t distinct(const ff_trace *a, const ff_trace *b) {
    size_t i = 0, k = 0, count = 0;
    while (i < a->rows || k < b->rows) {
        double x = i < a->rows ? a->values[i * a->columns] : (double)INFINITY,
               y = k < b->rows ? b->values[k * b->columns] : (double)INFINITY, least = fmin(x, y);
        /* simultaneous events have a row each */
        i += x <= least;
        k += y <= least;
        count++;
    }
    return count;
}

/* a row of two traces is evaluated once, and equals that of a single trace */
static void once(void **state) {
    (void)state;
    static const struct {
        const char *file;
        double until;
        ff_trace_options choices[2];
        size_t again; /* the end again, for a row that is recorded only because it is the last */
    } rows[] = {
        {"rolling.yaml", 0.2, {{.every = 0}, {.fill = 5e-4}}, 0},
        {"rolling.yaml", 0.2, {{.every = 1e-3}, {.fill = 5e-4}}, 0},
        {"rolling.yaml", 0.2, {{.rows = FF_ROWS_EVENTS}, {.fill = 5e-4}}, 1},
        {"rolling.yaml", 0.2, {{.change = 0.01}, {.fill = 5e-4}}, 0},
        {"biped.yaml", 0.3, {{.every = 0}, {.every = 0}}, 0},
        {"grains.yaml", 0.01, {{.every = 0}, {.bodies_most = 7}}, 0},
        {"grains.yaml", 0.01, {{.every = 1e-3}, {.bodies_most = 7}}, 0},
    };
    for (size_t r = 0; r < ROWS(rows); r++) {
        evaluated = 0;
        pair both = record_both(rows[r].file, rows[r].until, rows[r].choices, false);
        const ff_trace *a = both.traces[0], *b = both.traces[1];
        assert_int_equal(evaluated, distinct(a, b) + rows[r].again);
        pair alone = record_both(rows[r].file, rows[r].until, rows[r].choices, true);
        for (int i = 0; i < 2; i++) {
            const ff_trace *x = both.traces[i], *y = alone.traces[i];
            assert_true(x->rows > 1 && x->rows == y->rows && x->columns == y->columns);
            assert_memory_equal(x->values, y->values, x->rows * x->columns * sizeof *x->values);
        }
        clear(&both);
        clear(&alone);
    }
}

/* of a crowd some bodies, evenly spaced */
static void some_bodies(void **state) {
    (void)state;
    const ff_trace_options choices[2] = {{.every = 1}, {.every = 1, .bodies_most = 7}};
    pair p = record_both("grains.yaml", 1e-3, choices, true);
    const ff_trace *t = p.traces[1];
    char name[FF_TRACE_NAME], wanted[FF_TRACE_NAME];
    assert_int_equal(p.traces[0]->bodies, 30);
    assert_int_equal(t->bodies, 7);
    /* time, five fields of each body, 15 accounts and the residual */
    assert_int_equal(t->set_count, 1 + 5 * 7 + 16);
    for (size_t i = 0; i < 7; i++) {
        const ff_field f = ff_trace_field(t, 1 + 5 * i);
        ff_trace_column_name(&f, 2, name, sizeof name);
        snprintf(wanted, sizeof wanted, "balls[%zu]:z", i * 30 / 7);
        assert_string_equal(name, wanted);
        assert_int_equal(ff_trace_body(t, i), i * 30 / 7);
    }
    clear(&p);
}

/* The force of a linear spring and damper jumps at touch-down from 0 to lambda v. Rows show both sides: the row
 * before is the last double before the event and has no force; the row at the event has the force of the closed
 * form v = sqrt(2 g h). No other row in the air is followed by one in contact. */
static void both_sides(void **state) {
    (void)state;
    const double lambda = 30, height = 0.1, v = sqrt(2 * 9.81 * height);
    ff_model *model = model_of_text(
        "bodies: {ball: {mass: 1 kg, shape: {sphere: {radius: 1 cm}}, position: [0, 0, 11 cm]}}\n"
        "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
        "pairs: [{between: [ball, floor], normal: {law: linear, k: 1e5, lambda: 30}}]\n"
        "run: {until: 0.5, tol: 1e-9}\n");
    ff_trace_options o = ff_trace_options_default();
    ff_sim *sim;
    ff_trace *t;
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    assert_int_equal(ff_sim_record(sim, 0.5, &o, &t, NULL), FF_OK);
    size_t touching, force, touchdowns = 0, edges = 0;
    assert_int_equal(ff_trace_find(t, "ball/floor:touching", &touching, NULL), FF_OK);
    assert_int_equal(ff_trace_find(t, "ball/floor:fz", &force, NULL), FF_OK);
    for (size_t i = 0; i < ff_trace_event_count(t); i++) {
        ff_event e;
        ff_trace_event(t, i, &e);
        touchdowns += e.kind == FF_TOUCHDOWN;
    }
    for (size_t r = 1; r < t->rows; r++) {
        const double *before = t->values + (r - 1) * t->columns, *after = before + t->columns;
        assert_true(after[0] > before[0]);
        if (before[touching] > 0 || !(after[touching] > 0)) {
            continue;
        }
        assert_true(nextafter(before[0], INFINITY) >= after[0]);
        assert_true(before[force] == 0 && after[force] > 0);
        if (edges++ == 0) {
            /* free flight is accurate to 1e-9 */
            assert_near(after[force] / (lambda * v), 1, 1e-8);
        }
    }
    assert_true(touchdowns > 1);
    assert_int_equal(edges, touchdowns);
    ff_trace_free(t);
    ff_sim_free(sim);
    ff_model_free(model);
}

/* names of columns in tables */
static void names(void **state) {
    (void)state;
    static const struct {
        const char *path;
        size_t width, part;
        const char *label, *name;
    } rows[] = {
        {"time", 1, 0, "s", "t:s"},
        {"bodies.ball.position", 3, 1, "y", "ball:y"},
        {"contacts.leg.toe/floor.depth", 1, 0, "depth", "leg.toe/floor:depth"},
        {"constraints.position", 1, 0, "position", "constraints:position"},
        {"ledger.slip", 1, 0, "slip", "ledger:slip"},
        {"frictions.foot.force", 2, 1, NULL, "foot:force[1]"},
        {"contacts.foot.force", 1, 0, NULL, "foot:force"},
        {"states.x", 1, 0, NULL, "x"},
        {"outputs.force", 3, 2, NULL, "force[2]"},
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        ff_field f = {.width = rows[i].width};
        char name[FF_TRACE_NAME];
        snprintf(f.path, sizeof f.path, "%s", rows[i].path);
        for (size_t k = 0; k < 4 && rows[i].label; k++) {
            f.parts[k] = rows[i].label;
        }
        ff_trace_column_name(&f, rows[i].part, name, sizeof name);
        assert_string_equal(name, rows[i].name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instants),    cmocka_unit_test(sizes),      cmocka_unit_test(once),
        cmocka_unit_test(some_bodies), cmocka_unit_test(both_sides), cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
