/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "no_memory.h"
#include "study_scenes.h"
#include <footfall/footfall.h>
#include <stdlib.h>

/* Studies: tables, figures and claims of a file, and mistakes in it. */

#ifdef FF_HAVE_YAML

static char told[4000];

static const char *study_file(void *user, const char *name) {
    (void)user;
    return strcmp(name, "thrown.yaml") == 0   ? thrown
           : strcmp(name, "bounce.yaml") == 0 ? bounce
                                              : NULL;
}

static char made[400];

static bool note_table(void *user, const char *name, const ff_table *t) {
    (void)user;
    snprintf(made + strlen(made), sizeof made - strlen(made), "%s %zu x %zu;", name, t->rows,
             t->columns);
    return strcmp(name, "stop") != 0;
}

static ff_status try_study(const char *text, const char *figure, ff_study **out) {
    ff_study_options o = ff_study_options_default();
    ff_messages messages = {0};
    o.path = "study.yaml";
    o.text = text;
    o.figure = figure;
    o.threads = 2;
    o.file = study_file;
    o.table = note_table;
    *made = '\0';
    const ff_status status = ff_study_run(&o, out, &messages);
    *told = '\0';
    for (size_t i = 0; i < messages.count; i++) {
        const size_t used = strlen(told);
        ff_message_format(&messages.at[i], told + used, sizeof told - used);
    }
    ff_messages_clear(&messages);
    return status;
}

static const char whole_study[] =
    "title: a study\n"
    "tables:\n"
    "  flights:\n"
    "    run: thrown.yaml\n"
    "    set: {run.until: 2 s}\n"
    "    vary: {\"bodies.ball.velocity[0]\": [1, 2], \"bodies.ball.velocity[2]\": '3:5:3'}\n"
    "    keep: {top: 'max(bodies.ball.position[2])', x: 'end(bodies.ball.position[0])'}\n"
    "  course:\n"
    "    trace: thrown.yaml\n"
    "    vary: {\"bodies.ball.velocity[2]\": [3, 4]}\n"
    "    every: 0.1 s\n"
    "    columns: {z: 'bodies.ball.position[2]'}\n"
    "  until_low:\n"
    "    trace: bounce.yaml\n"
    "    vary: {parameters.height: 20 cm}\n"
    "    parts: 3\n"
    "    stop: low\n"
    "    columns: {z: 'bodies.ball.position[2]'}\n"
    "  e:\n"
    "    impact: {law: linear, k: 100, lambda: 10, detach: tension, mass: 1 kg}\n"
    "    vary: {speed: [1, 2]}\n"
    "  loop:\n"
    "    curve: {law: hertz, k: 1e6, mass: 1 kg, speed: 1 m/s}\n"
    "    points: 50\n"
    "  known:\n"
    "    data: {top: [1.45, 1.8, 2.25], mm: [1 mm, 2 mm, 3 mm]}\n"
    "figures:\n"
    "  - id: first\n"
    "    title: heights\n"
    "    x_label: t (s)\n"
    "    y_log: true\n"
    "    curves:\n"
    "      - {table: course, x: 1e3*t, y: z, name: v = %g m/s, colours: 3}\n"
    "      - {table: flights, x: 'bodies.ball.velocity[2]', y: top, name: tops, style: points}\n"
    "  - {id: second, title: nothing to see}\n"
    "claims:\n"
    "  - {figure: first, where: a, quantity: top, unit: m, value: 'row(1, flights.top)', near: "
    "1.45, within: 1e-8, why: w}\n"
    "  - {figure: first, where: b, quantity: rows, value: sum(course.t - course.t + 1), near: 22}\n"
    "  - {figure: second, where: c, quantity: e, value: max(e.restitution) - "
    "exp(-10*pi/sqrt(300)), at_most: 0, within: 1e-12}\n"
    "  - {figure: second, where: d, quantity: spring, value: end(loop.velocity), near: -1, within: "
    "1e-9}\n"
    "  - {where: e, quantity: order, value: all(previous.known.top < known.top), near: 1}\n"
    "  - {where: f, quantity: mean, value: mean(known.mm), at_least: 2e-3}\n"
    "  - {where: g, quantity: wrong, value: 1 + 1, near: 3, within: 0.5}\n"
    "  - {where: h, quantity: other, value: 2, near: 3, otherwise: it is 2, instead: 2.1, "
    "instead_within: 0.2}\n"
    "  - {where: i, quantity: end, value: end(until_low.z), near: 0.05, within: 1e-9}\n"
    "  - {where: j, quantity: second differences, value: max(known.top - 2*previous.known.top + "
    "previous.previous.known.top), near: 0.1, within: 1e-14}\n"
    "  - {where: k, quantity: rise along the last parameter, value: min(flights.top - "
    "previous.flights.top), near: 0.35, within: 1e-8}\n";

static void studies(void **state) {
    (void)state;
    const char *text = whole_study;
    ff_study *s;
    const ff_status status = try_study(text, NULL, &s);
    assert_holds(status == FF_OK, "%d %s", status, told);
    assert_string_equal(s->title, "a study");
    assert_int_equal(s->claim_count, 11);
    for (size_t i = 0; i < s->claim_count; i++) {
        const ff_claim_status wanted = i == 6   ? FF_CLAIM_FAILS
                                       : i == 7 ? FF_CLAIM_OTHERWISE
                                                : FF_CLAIM_HOLDS;
        assert_holds(s->claims[i].status == wanted, "claim %s is %.17g", s->claims[i].where,
                     s->claims[i].value);
    }
    assert_int_equal(s->failed, 1);
    const ff_plot *p = &s->figures[0].plot;
    /* two runs, and a curve for each value of all parameters but the last */
    assert_int_equal(p->curve_count, 4);
    assert_string_equal(p->curves[1].name, "v = 4 m/s");
    assert_int_equal(p->curves[1].colour, 4);
    assert_int_equal(p->curves[0].count, 11);
    assert_near(p->curves[0].x[10], 1000, 1e-9);
    assert_string_equal(p->curves[2].name, "tops");
    assert_null(p->curves[3].name);
    assert_true(p->y_log && !p->x_log && p->curves[2].style == FF_PLOT_POINTS);
    ff_free(s);
    assert_non_null(strstr(made, "flights 6 x 4;course 22 x 3;"));
    /* one figure: only what it needs */
    assert_true(try_study(text, "second", &s) == FF_OK);
    assert_string_equal(made, "e 2 x 8;loop 50 x 4;");
    assert_true(s->figures[0].plot.curve_count == 0 && isnan(s->claims[0].value));
    ff_free(s);
    /* nothing but what it says */
    assert_true(try_study(text, "", &s) == FF_OK && *made == '\0');
    assert_string_equal(s->figures[0].title, "heights");
    assert_string_equal(s->claims[2].figure, "second");
    ff_free(s);
}

static void wrong_studies(void **state) {
    (void)state;
    const struct {
        const char *text, *wanted;
    } cases[] = {
        {"title: x\n", "the study needs tables"},
        {"tables: {}\ntable: 1\n", "unknown key 'table'"},
        {"tables: [1]\n", "tables are name: {..}"},
        {"tables: {a: {}}\n", "table 'a'"},
        {"tables: {a: {run: x.yaml, data: {}}}\n", "table 'a'"},
        {"tables: {a: {runs: x.yaml}}\n", "did you mean 'run'"},
        {"tables: {a b: {data: {x: [1]}}}\n", "cannot be the name of a table"},
        {"tables: {a: {run: no.yaml, vary: {x: 1}, keep: {y: end(t)}}}\n", "no file 'no.yaml'"},
        {"tables: {a: {run: thrown.yaml, keep: {y: end(t)}}}\n", "nothing is varied"},
        {"tables: {a: {run: thrown.yaml, vary: {bodies.ball.mass: 1}, columns: {y: t}}}\n",
         "runs have keep"},
        {"tables: {a: {run: thrown.yaml, vary: {bodies.ball.mass: -1}, keep: {y: end(t)}}}\n",
         "a run of table 'a' failed"},
        {"tables: {a: {trace: thrown.yaml, vary: {bodies.ball.mass: 1}, columns: {y: t}, stop: "
         "lo}}\n",
         "there is no event 'lo'"},
        {"tables: {a: {run: thrown.yaml, vary: {bodies.ball.mass: 1}, keep: {y: end(t)}, points: "
         "x}}\n",
         "random, latin or sobol"},
        {"tables: {a: {impact: {k: 1}}}\n", "'law' is missing"},
        {"tables: {a: {impact: {law: hertzz, k: 1}}}\n", "no normal law 'hertzz'"},
        {"tables: {a: {impact: {law: hertz, k: 1, mass: 1 m, speed: 1}}}\n", "expected a mass"},
        {"tables: {a: {impact: {law: hertz, k: 1, speed: 1}}}\n", "an impact of nan kg"},
        {"tables: {a: {curve: {law: hertz, k: 1, mass: 1, speed: 1}, points: 1}}\n",
         "2 to 1e6 points"},
        {"tables: {a: {data: {x: [1, 2], y: [1]}}}\n", "'y' has 1 numbers"},
        {"tables: {a: {data: {x: [b]}}}\n", "a number is wanted"},
        {"tables: {a: {data: {x: 1}}}\nfigures: [{title: x}]\n", "'id' is missing"},
        {"tables: {a: {data: {x: 1}}}\nfigures: [{id: f, title: x, y_log: maybe}]\n",
         "true or false"},
        {"tables: {a: {data: {x: 1}}}\nfigures: [{id: f, title: x, curves: [{table: b, x: x, y: "
         "x}]}]\n",
         "no table 'b'"},
        {"tables: {a: {data: {x: 1}}}\nfigures: [{id: f, title: x, curves: [{table: a, x: x, y: "
         "z}]}]\n",
         "unknown name 'z'"},
        {"tables: {a: {data: {x: 1}}}\nfigures: [{id: f, title: x, curves: [{table: a, x: x, y: x, "
         "style: dash}]}]\n",
         "lines, points or dotted"},
        {"tables: {a: {data: {x: 1}}}\nclaims: [{where: w, quantity: q, value: 1}]\n",
         "one of near, at_most and at_least"},
        {"tables: {a: {data: {x: 1}}}\nclaims: [{where: w, quantity: q, value: 1, near: 1, "
         "instead: 2}]\n",
         "come together"},
        {"tables: {a: {data: {x: 1}}}\nclaims: [{where: w, quantity: q, value: max(b.x), near: "
         "1}]\n",
         "unknown name 'b.x'"},
        {"tables: {a: {data: {x: 1}}}\nclaims: [{where: w, quantity: q, value: a.x, near: 1}]\n",
         "a.x"},
        {"tables: {a: {data: {x: 1}}}\nclaims: [{where: w, quantity: q, value: 'row(2, a.x)', "
         "near: 1}]\n",
         "has 1 rows"},
        {"tables: {a: {data: {x: 1}}}\nclaims: [{where: w, quantity: q, value: max(previous.a.x), "
         "near: 1}]\n",
         "has 0 rows"},
        {"tables: {a: {data: {x: [1, 2]}}, b: {data: {x: [1, 2, 3]}}}\nclaims: [{where: w, "
         "quantity: q, value: max(a.x - b.x), near: 1}]\n",
         "has 3 rows, and others have 2"},
        {"tables: {a: {data: {x: 1}}\n", "study.yaml:"},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_study *s;
        const ff_status status = try_study(cases[i].text, NULL, &s);
        assert_holds(status < 0 && !s && strstr(told, cases[i].wanted), "%s: %d %s", cases[i].text,
                     status, told);
    }
    ff_study *s;
    assert_true(try_study("tables: {stop: {data: {x: 1}}, a: {data: {x: 1}}}\n", NULL, &s) ==
                    FF_STOPPED &&
                !s);
}

static void memory(void **state) {
    (void)state;
#ifdef CAN_END
    ff_status status;
    long most;
    const char study[] =
        "tables:\n  a: {data: {x: [1, 2]}}\n  b: {impact: {law: hertz, k: 1e6, mass: 1}, vary: "
        "{speed: "
        "[1, 2]}}\nfigures: [{id: f, title: g, curves: [{table: a, x: x, y: x, name: n}]}]\n"
        "claims: [{where: w, quantity: q, value: max(a.x), near: 2}]\n";
    ff_study *s = NULL;
    status = FF_NO_MEMORY;
    for (most = 0; status != FF_OK && most < 100000; most++) {
        ff_study_options o = ff_study_options_default();
        o.path = "s.yaml";
        o.text = study;
        given = 0, give_most = most;
        status = ff_study_run(&o, &s, NULL);
        give_most = -1;
        assert_holds(status == FF_OK || (!s && status == FF_NO_MEMORY), "%ld blocks: %d", most,
                     status);
    }
    assert_true(status == FF_OK && most > 50 && s->failed == 0);
    ff_free(s);
#else
    skip();
#endif
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(studies), cmocka_unit_test(wrong_studies), cmocka_unit_test(memory)};

#else

static void not_built(void **state) {
    (void)state;
    skip();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(not_built)};

#endif

CHECK_MAIN(tests)
