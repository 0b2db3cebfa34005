/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "no_memory.h"
#include "study_scenes.h"
#include <footfall/footfall.h>
#include <stdlib.h>

/* Studies: tables, figures and claims of a file, and error messages. */

#ifdef FF_HAVE_YAML

static char told[4000];

/* a mass under dry friction of 1 N, pushed with 2 N: v = t */
static const char push[] = "parameters: {M: 1 kg}\n"
                           "states: {p: 0 m, v: 0 m/s}\n"
                           "let: {f: 1 N*sgn(v)}\n"
                           "rates: {p: v, v: (2 N - f)/M}\n"
                           "frictions: {K: 1e4 N/m, beta: 1 ms, strength: 1 N}\n"
                           "run: {until: 1 s}\n";

/* a sphere on a plane: runs in lanes */
static const char plain[] = "bodies: {ball: {mass: 1, shape: {sphere: {radius: 1 cm}}, position: "
                            "[0, 0, 2 cm]}}\n"
                            "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"
                            "pairs: [{between: [ball, floor], normal: {law: hertz, k: 1e6}}]\n"
                            "run: {until: 1 ms}\n";

/* the biped of scenes/ */
static const char *walker_text(void) {
    static char text[8000];
    FILE *in = fopen(FF_SOURCE_DIR "/scenes/biped.yaml", "r");
    assert_non_null(in);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    return text;
}

static const char *study_file(void *user, const char *name) {
    (void)user;
    return strcmp(name, "thrown.yaml") == 0   ? thrown
           : strcmp(name, "bounce.yaml") == 0 ? bounce
           : strcmp(name, "push.yaml") == 0   ? push
           : strcmp(name, "walker.yaml") == 0 ? walker_text()
           : strcmp(name, "plain.yaml") == 0  ? plain
           : strcmp(name, "e.csv") == 0
               ? "# measured\n\ncase, speed, restitution\n1, 1, 0.8\n1, 2,0.7\r\n2,1,0.6\n2,2,0.5\n"
           : strcmp(name, "line.csv") == 0 ? "x,y\n1,2\n3\n"
           : strcmp(name, "word.csv") == 0 ? "x,y\n1,two\n"
           : strcmp(name, "head.csv") == 0 ? "x,a b\n1,2\n"
           : strcmp(name, "none.csv") == 0 ? "# nothing\n"
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

/* A study, all of whose claims hold. */
static ff_study *study_that_holds(const char *text) {
    ff_study *s;
    const ff_status status = try_study(text, NULL, &s);
    assert_holds(status == FF_OK, "%d %s", status, told);
    for (size_t i = 0; i < s->claim_count; i++) {
        assert_holds(s->claims[i].status == FF_CLAIM_HOLDS, "%s is %.17g", s->claims[i].where,
                     s->claims[i].value);
    }
    return s;
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
    /* two runs, and points */
    assert_int_equal(p->curve_count, 3);
    assert_string_equal(p->curves[1].name, "v = 4 m/s");
    assert_int_equal(p->curves[1].colour, 4);
    assert_int_equal(p->curves[0].count, 11);
    assert_near(p->curves[0].x[10], 1000, 1e-9);
    assert_string_equal(p->curves[2].name, "tops");
    assert_int_equal(p->curves[2].count, 6);
    assert_true(p->y_log && !p->x_log && p->curves[2].style == FF_PLOT_POINTS);
    ff_free(s);
    assert_non_null(strstr(made, "flights 6 x 4;course 22 x 3;"));
    /* one figure: only its own tables are computed */
    assert_true(try_study(text, "second", &s) == FF_OK);
    assert_string_equal(made, "e 2 x 8;loop 50 x 4;");
    assert_true(s->figures[0].plot.curve_count == 0 && isnan(s->claims[0].value));
    ff_free(s);
    /* nothing except what it requests */
    assert_true(try_study(text, "", &s) == FF_OK && *made == '\0');
    assert_string_equal(s->figures[0].title, "heights");
    assert_string_equal(s->claims[2].figure, "second");
    ff_free(s);
}

/* Closed-form results of each source. */
static const char sources[] =
    "tables:\n"
    "  hertz: {force: {law: hertz, k: 1e6, rate: 0}, vary: {depth: [1 mm, 4 mm]}}\n"
    "  sat: {force: {law: sat, mu: 0.5, k: 1, beta: 1, load: 2 N}, vary: {u_x: [0.5, 3], u_y: [0, "
    "4]}}\n"
    "  viscous: {force: {law: bengisu-akay, mu_s: 0.5, mu: 0.4, v0: 1e-4, xi: 1000, load: 10 N}, "
    "vary: {slip_x: [1e-4, -1]}}\n"
    "  measured: {data: e.csv}\n"
    "  theory: {impact: {law: azad-featherstone, k: 1e6, lambda: 500, mass: 1}, vary: {speed: [1, "
    "2, 3]}}\n"
    "  fits: {fit: {law: azad-featherstone, k: 1e6, lambda: 1, mass: 1}, of: theory}\n"
    "  both: {fit: {law: hunt-crossley, k: 1e6, lambda: 1, mass: 1 kg}, of: measured, by: case, "
    "free: [lambda]}\n"
    "  falls: {trace: bounce.yaml, vary: {parameters.height: [20 cm, 10 cm]}, only: falling low, "
    "columns: {z: 'bodies.ball.position[2]', v: 'bodies.ball.velocity[2]'}, stop: [touchdown 3, "
    "stick 2]}\n"
    "  cut: {run: bounce.yaml, vary: {parameters.height: 20 cm}, stop: touchdown 2, keep: {n: "
    "count(touchdown), again: count(rejoin), up: 'at(rising low, bodies.ball.velocity[2])'}}\n"
    "  pushed: {run: push.yaml, vary: {parameters.M: [1, 1.5]}, keep: {v: end(states.v)}}\n"
    "  lugre: {run: push.yaml, rivals: {friction: lugre}, vary: {parameters.M: 1}, keep: {v: "
    "end(states.v)}}\n"
    "  gaits: {gait: walker.yaml, set: {run.tol: 1e-8}, vary: {parameters.slope: '0.02:0.022:2'}, "
    "steps: 3}\n"
    "  plain: {trace: bounce.yaml, vary: {parameters.height: 20 cm}, every: 0.1 s, at_events: "
    "false, columns: {z: t}}\n"
    "  later: {trace: bounce.yaml, vary: {parameters.height: [20 cm, 10 cm]}, from: touchdown 2, "
    "stop: liftoff 2, every: 1 us, columns: {z: 'bodies.ball.position[2]'}}\n"
    "  some: {run: thrown.yaml, vary: {bodies.ball.mass: [1, -1]}, keep: {z: "
    "'end(bodies.ball.position[2])'}, may_fail: true}\n"
    "  none: {trace: thrown.yaml, vary: {bodies.ball.mass: 1}, only: user, columns: {z: t}}\n"
    "figures:\n"
    "  - id: f\n"
    "    title: t\n"
    "    z_label: N\n"
    "    curves:\n"
    "      - {table: measured, x: speed, y: number, where: case == 1}\n"
    "      - {table: sat, x: u_y, y: force_x, name: sat}\n"
    "      - {table: sat, x: u_x, y: u_y, z: force_x, style: heat}\n"
    "      - {table: sat, x: force_y, style: histogram}\n"
    "      - {table: measured, x: [0, speed], y: [previous.speed, restitution]}\n"
    "claims:\n"
    "  - {where: forces, quantity: q, value: 'row(2, hertz.force)/row(1, hertz.force)', near: 8, "
    "within: 1e-14}\n"
    "  - {where: inside, quantity: q, value: start(sat.force_x), near: -0.5, within: 1e-15}\n"
    "  - {where: outside, quantity: q, value: end(sat.force_y), near: -0.8, within: 1e-15}\n"
    "  - {where: slips, quantity: q, value: sum(viscous.force_x), near: -1, within: 1e-12}\n"
    "  - {where: csv, quantity: q, value: sum(measured.restitution*measured.case), near: 3.7, "
    "within: 1e-15}\n"
    "  - {where: fit, quantity: q, value: end(fits.lambda), near: 500, within: 1e-5}\n"
    "  - {where: rest, quantity: q, value: end(fits.rms), near: 0, within: 1e-9}\n"
    "  - {where: groups, quantity: q, value: all(previous.both.lambda < both.lambda), near: 1}\n"
    "  - {where: line, quantity: q, value: 'slope(theory.speed, 3*theory.speed - 1)', near: 3, "
    "within: 1e-14}\n"
    "  - {where: bend, quantity: q, value: 'bend(measured.speed, measured.case)', near: 0.5, "
    "within: 1e-15}\n"
    "  - {where: only, quantity: q, value: max(abs(falls.z - 0.05)), near: 0, within: 1e-9}\n"
    "  - {where: way, quantity: q, value: max(falls.v), at_most: 0}\n"
    /* the second contact sticks, and there is no third fall */
    "  - {where: rows, quantity: q, value: sum(1 + 0*falls.z), near: 4}\n"
    "  - {where: stop, quantity: q, value: end(cut.n), near: 2}\n"
    "  - {where: rejoin, quantity: q, value: end(cut.again), near: 0}\n"
    "  - {where: rising, quantity: q, value: end(cut.up), at_least: 0}\n"
    /* 2 N - 1 N for 1 s, except for the stretch of the spring, F/K = 0.1 mm */
    "  - {where: inclusion, quantity: q, value: start(pushed.v), near: 1, within: 0.02}\n"
    "  - {where: masses, quantity: q, value: start(pushed.v)/end(pushed.v), near: 1.5, within: "
    "0.02}\n"
    "  - {where: rival, quantity: q, value: end(lugre.v)/start(pushed.v), near: 1, within: 0.02}\n"
    /* independent Newton iteration: 0.44083487803530497 */
    "  - {where: gait, quantity: q, value: start(gaits.period), near: 0.44083487803530497, within: "
    "1e-7}\n"
    "  - {where: stable, quantity: q, value: min(gaits.stable), near: 1}\n"
    "  - {where: longer, quantity: q, value: end(gaits.period) - start(gaits.period), at_least: "
    "5e-4}\n"
    "  - {where: from, quantity: q, value: max(abs(first.later.z - 0.01)), near: 0, within: 1e-9}\n"
    "  - {where: since, quantity: q, value: max(later.t - first.later.t), near: 0, within: 0.01}\n"
    "  - {where: plain, quantity: q, value: sum(1 + 0*plain.t), near: 13}\n"
    "  - {where: failed, quantity: q, value: 'if(abs(row(1, some.z) + 1) < 1e-9, all(some.z < 9), "
    "2)', near: 0}\n"
    "  - {where: nothing, quantity: q, value: sum(none.t), near: 0}\n";

static void all_sources(void **state) {
    (void)state;
    ff_study *s = study_that_holds(sources);
    const ff_plot *p = &s->figures[0].plot;
    assert_int_equal(p->curve_count, 6);
    assert_true(p->curves[3].count == 4 && p->curves[3].z[0] == -0.5 && !p->curves[4].y);
    assert_true(p->curves[4].style == FF_PLOT_HISTOGRAM && !p->curves[0].z);
    /* a curve for each value of all parameters except the last */
    assert_string_equal(p->curves[1].name, "sat");
    assert_true(p->curves[2].count == 2 && !p->curves[2].name);
    assert_true(p->curves[0].y[1] == 2 && isnan(p->curves[0].y[2]) && isnan(p->curves[0].x[3]));
    /* a line of two points for each row, followed by a gap */
    assert_int_equal(p->curves[5].count, 12);
    assert_true(p->curves[5].x[3] == 0 && p->curves[5].x[4] == 2 && isnan(p->curves[5].x[5]));
    assert_true(isnan(p->curves[5].y[0]) && p->curves[5].y[3] == 1 && p->curves[5].y[4] == 0.7);
    ff_free(s);
    /* a fit needs its data columns */
    const char few[] = "tables:\n  a: {data: e.csv}\n  b: {fit: {law: linear, k: 1e6, lambda: 1, "
                       "mass: 1}, of: a, by: case}\n  c: {data: {x: 1}}\nfigures:\n  - {id: f, "
                       "title: t, curves: [{table: b, x: case, y: rms}]}\n";
    assert_holds(try_study(few, "f", &s) == FF_OK, "%s", told);
    assert_string_equal(made, "a 4 x 3;b 2 x 3;");
    ff_free(s);
}

/* The name of a table may be a part of the name of another one, with another number of rows, and so may that of a column. */
static void names_in_names(void **state) {
    (void)state;
    static const char text[] =
        "tables: {a: {data: {x: [1, 2, 3], x1: [4, 5, 7]}}, ba: {data: {x: [5, 6]}}}\n"
        "claims:\n"
        "  - {where: w, quantity: q, value: max(ba.x), near: 6}\n"
        "  - {where: w, quantity: q, value: max(a.x1 - first.a.x1), near: 3}\n";
    ff_study *study = NULL;
    assert_int_equal(try_study(text, NULL, &study), FF_OK);
    assert_int_equal(study->claim_count, 2);
    assert_int_equal(study->failed, 0);
    ff_free(study);
}

/* Describes how the runs of a table are repeated. */
static bool note_runs(void *user, const char *name, const ff_table *t) {
    (void)user;
    char *at = made + strlen(made);
    at += sprintf(at, "%s %s", name, t->path ? t->path : "-");
    for (size_t i = 0; t->settings && t->settings[i]; i++) {
        at += sprintf(at, " %s", t->settings[i]);
    }
    for (size_t i = 0; t->stops && t->stops[i]; i++) {
        at += sprintf(at, " until %s", t->stops[i]);
    }
    sprintf(at, t->lanes ? " in lanes;" : ";");
    return true;
}

/* Tables of runs have the file, settings and stops of their runs; tables of anything else, and of rivals, have none. */
static void repeatable(void **state) {
    (void)state;
    ff_study_options o = ff_study_options_default();
    ff_study *s = NULL;
    o.path = "folder/study.yaml";
    o.text = "tables:\n"
             "  a: {run: bounce.yaml, set: {run.until: 1 ms, run.tol: 1e-6}, vary: "
             "{parameters.height: 1}, stop: [touchdown, low], keep: {y: end(t)}}\n"
             "  b: {trace: thrown.yaml, vary: {bodies.ball.mass: 1}, columns: {y: t}}\n"
             "  c: {data: {x: 1}}\n"
             "  d: {run: push.yaml, rivals: {friction: dahl}, vary: {parameters.M: 1}, keep: {v: "
             "end(t)}}\n"
             "  e: {run: plain.yaml, vary: {bodies.ball.mass: 1}, keep: {y: end(t)}}\n";
    o.file = study_file;
    o.table = note_runs;
    *made = '\0';
    assert_int_equal(ff_study_run(&o, &s, NULL), FF_OK);
    ff_free(s);
    assert_string_equal(made, "a bounce.yaml run.until=1 ms run.tol=1e-6 until touchdown until low;"
                              "b thrown.yaml;c -;d -;e plain.yaml in lanes;");
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
         "study.yaml:1:70: 'columns' does not go with 'run', which takes set, vary, keep,"},
        {"tables: {a: {data: {x: 1}, vary: {y: 1}}}\n",
         "study.yaml:1:34: 'vary' does not go with 'data', which takes no other key"},
        {"tables: {a: {run: thrown.yaml, vary: {bodies.ball.mass: 1}, keep: {y: end(t)}, point: "
         "sobol}}\n",
         "did you mean 'points'"},
        {"tables: {a: {trace: thrown.yaml, vary: {bodies.ball.mass: 1}, columns: {y: t}, keep: {y: "
         "t}}}\n",
         "'keep' does not go with 'trace'"},
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
         "lines, points, dotted, heat or histogram"},
        {"tables: {a: {data: {x: 1}}}\nfigures: [{id: f, title: x, curves: [{table: a, x: x, y: x, "
         "style: heat}]}]\n",
         "'z' is missing"},
        {"tables: {a: {data: {x: 1}}}\nfigures: [{id: f, title: x, curves: [{table: a, x: x, y: x, "
         "z: x}]}]\n",
         "heat maps x, y and z, histograms x"},
        {"tables: {a: {data: {x: 1}}}\nfigures: [{id: f, title: x, curves: [{table: a, x: [x, x], "
         "style: histogram}]}]\n",
         "is one expression"},
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
        {"tables: {a: {force: {law: hertzz, k: 1}}}\n", "there is no law 'hertzz'"},
        {"tables: {a: {force: {law: sat, mu: x, k: 1, beta: 1}}}\n", "a number is wanted"},
        {"tables: {a: {fit: {law: linear, k: 1, lambda: 1, mass: 1}}}\n", "'of' is missing"},
        {"tables: {a: {fit: {law: linear, k: 1, lambda: 1, mass: 1}, of: b}}\n",
         "no table 'b' before this one"},
        {"tables: {b: {data: e.csv}, a: {fit: {law: no, k: 1}, of: b}}\n", "no normal law 'no'"},
        {"tables: {b: {data: e.csv}, a: {fit: {law: linear, k: '1,2', lambda: 1, mass: 1}, of: "
         "b}}\n",
         "one value is wanted"},
        {"tables: {b: {data: {x: 1}}, a: {fit: {law: linear, k: 1, lambda: 1, mass: 1}, of: "
         "b}}\n",
         "unknown name 'speed'"},
        {"tables: {b: {data: e.csv}, a: {fit: {law: linear, k: 1, lambda: 1, mass: 1}, of: b, "
         "free: [nu]}}\n",
         "nu"},
        {"tables: {a: {data: no.csv}}\n", "no file 'no.csv'"},
        {"tables: {a: {data: line.csv}}\n", "line.csv:3:1: 1 columns, and the first line has 2"},
        {"tables: {a: {data: word.csv}}\n", "word.csv:2:1: 'two' is not a number"},
        {"tables: {a: {data: head.csv}}\n", "'a b' cannot be the name of a column"},
        {"tables: {a: {data: none.csv}}\n", "names of columns are wanted"},
        {"tables: {a: {run: bounce.yaml, vary: {parameters.height: 1 m}, keep: {y: end(t)}, only: "
         "low}}\n",
         "'only' does not go with 'run'"},
        {"tables: {a: {run: bounce.yaml, vary: {parameters.height: 1 m}, keep: {y: "
         "'at(rising touchdown, t)'}}}\n",
         "rising and falling are for events of the scene"},
        {"tables: {a: {run: bounce.yaml, vary: {parameters.height: 1 m}, keep: {y: end(t)}, stop: "
         "[a, b, c, d, e]}}\n",
         "'stop' has 4 texts at the most"},
        {"tables: {a: {run: push.yaml, vary: {parameters.M: 1}, keep: {y: end(t)}, rivals: {slip: "
         "dahl}}}\n",
         "not of 'slip'"},
        {"tables: {a: {run: push.yaml, vary: {parameters.M: 1}, keep: {y: end(t)}, rivals: "
         "dahl}}\n",
         "rivals are {contact: LAW, friction: LAW}"},
        {"tables: {a: {gait: thrown.yaml, vary: {bodies.ball.mass: 1}}}\n", "gait"},
        {"tables: {a: {gait: walker.yaml, vary: {parameters.slope: [0.02, 0.03], parameters.pace: "
         "1}}}\n",
         "over one parameter"},
#define WALKER "tables: {a: {gait: walker.yaml,\n  "
#define BRANCH "a branch needs FROM:TO:N with N of 2 or more"
        {"tables: {a: {gait: walker.yaml}}\n", "over one parameter: vary or continue it"},
        {WALKER "continue: {parameters.slope: [0.02, 0.03]}}}\n", "study.yaml:2:32: " BRANCH},
        {WALKER "continue: {parameters.slope: '1e-2:2e-2:3log'}}}\n", BRANCH},
        {WALKER "continue: {parameters.slope: '0.02:0.02:3'}}}\n", BRANCH},
        {WALKER "continue: {parameters.slope: 0.02}}}\n", BRANCH},
        {WALKER "continue: {parameters.slope: '0.02:0.03'}}}\n",
         "study.yaml:2:32: '0.02:0.03' has"},
        {WALKER "continue: {parameters.slop: '0.02:0.03:3'}}}\n", "slop"},
        {WALKER "continue: {parameters.slope: '0.5:0.6:3'}}}\n",
         "walker.yaml: parameters.slope=0.5: after 0 steps"},
        {WALKER "continue: 1}}\n", "study.yaml:2:13: a map is wanted"},
        {WALKER "steps: 2.5, vary: {parameters.slope: 0.02}}}\n",
         "study.yaml:2:10: 'steps' is a whole number from 0 to 1e+06"},
        {WALKER "vary: {parameters.slope: 0.02}, continue: {parameters.slope: '0.02:0.03:2'}}}\n",
         "a table of gaits has vary or continue, not both"},
        /* a scene without gaits is wrong, not a gait that is missing */
        {"tables: {a: {gait: thrown.yaml, vary: {bodies.ball.mass: 1}, may_fail: true}}\n", "gait"},
        {"tables: {a: {gait: walker.yaml, vary: {parameters.slope: 0.5}}}\n",
         "parameters.slope=0.5"},
        {"tables: {a: {gait: walker.yaml, vary: {parameters.slope: steep}}}\n",
         "numbers are wanted"},
        {"tables: {a: {data: {x: 1}}}\nfigures: [{id: f, title: x, curves: [{table: a, x: [x, x], "
         "y: x}]}]\n",
         "as many expressions as each other"},
        {"tables: {a: {data: {x: 1}}}\nfigures: [{id: f, title: x, curves: [{table: a, y: x}]}]\n",
         "'x' is missing"},
        {"tables: {a: {data: {x: 1}}}\nfigures: [{id: f, title: x, curves: [{table: a, x: x, y: x, "
         "where: z}]}]\n",
         "unknown name 'z'"},
        {"tables: {a: {data: {x: 1}}}\nclaims: [{where: w, quantity: q, value: 'slope(a.x, a.x)', "
         "near: 1}]\n",
         "a line needs 2 rows"},
        {"tables: {a: {data: {x: 1}}\n", "study.yaml:"},
        {"tables: {a: {data: {x: 1}}}\nfigures: {a: 1, b: 2, c: 3}\n",
         "study.yaml:2:10: 'figures' must be a list"},
        {"tables: {a: {data: {x: 1}}}\nclaims: {a: 1, b: 2, c: 3}\n",
         "study.yaml:2:9: 'claims' must be a list"},
        {"tables: {a: {data: {x: 1}}}\nfigures: [{id: f, title: x, curves: 1}]\n",
         "study.yaml:2:37: 'curves' must be a list"},
        {"tables: {a: {data: {x: 1}}}\nfigures: [{id: ../f, title: x}]\n",
         "study.yaml:2:16: '../f' cannot be the id of a figure"},
        {"tables: {a: {data: {x: 1}}}\nfigures: [{id: f, title: x}, {id: f, title: y}]\n",
         "study.yaml:2:35: there are two figures 'f'"},
#define RUN "tables: {a: {run: thrown.yaml, keep: {y: end(t)},\n  "
        {RUN "vary: {bodies.ball.mass: '1:2'}}}\n", "study.yaml:2:28: '1:2' has no count"},
        {RUN "vary: {bodies.bal.mass: '1,2'}}}\n",
         "study.yaml:1:13: thrown.yaml: there is no 'bal'"},
        {RUN "vary: {bodies.ball.mass: 1}, set: {run.tolerance: 1}}}\n",
         "study.yaml:2:53: unknown key 'tolerance' in run"},
        {"tables: {a: {run: thrown.yaml, vary: {bodies.ball.mass: 1},\n  keep: {y: end(q)}}}\n",
         "study.yaml:2:13: column 7: there is no field 'q'"},
        {RUN "vary: {bodies.ball.mass: 'uniform(1, 2)'}, samples: -1}}\n",
         "study.yaml:2:55: 'samples' is a whole number from 1 to 1e+09"},
        {RUN "vary: {bodies.ball.mass: 'uniform(1, 2)'}, samples: 2.5}}\n", "'samples' is a whole"},
        {RUN "vary: {bodies.ball.mass: 'uniform(1, 2)'}, samples: 1e30}}\n",
         "'samples' is a whole"},
        {RUN "vary: {bodies.ball.mass: 'uniform(1, 2)'}, samples: x}}\n", "'samples': 'x' is not"},
        {RUN "vary: {bodies.ball.mass: 'uniform(1, 2)'}, samples: 2, seed: -1}}\n",
         "'seed' is a whole number from 0"},
        {"tables: {a: {trace: thrown.yaml, vary: {bodies.ball.mass: 1}, columns: {y: t},\n"
         "  every: -1 s}}\n",
         "study.yaml:2:10: 'every' is a time above 0"},
        {"tables: {a: {trace: thrown.yaml, vary: {bodies.ball.mass: 1}, columns: {y: t},\n"
         "  parts: 0}}\n",
         "study.yaml:2:10: 'parts' is a whole number from 1"},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_study *s;
        const ff_status status = try_study(cases[i].text, NULL, &s);
        assert_holds(status < 0 && !s && strstr(told, cases[i].wanted), "%s: %d %s", cases[i].text,
                     status, told);
    }
    /* fits of each other, of which one figure is wanted */
    ff_study *s;
    assert_true(
        try_study("tables: {a: {fit: {law: linear}, of: b}, b: {fit: {law: linear}, of: a}}\n"
                  "figures: [{id: f, title: x, curves: [{table: a, x: x, y: x}]}]\n",
                  "f", &s) < 0);
    assert_holds(strstr(told, "no table 'b' before this one"), "%s", told);
    assert_true(try_study("tables: {stop: {data: {x: 1}}, a: {data: {x: 1}}}\n", NULL, &s) ==
                    FF_STOPPED &&
                !s);
}

static bool note_reasons(void *user, const char *name, const ff_table *t) {
    (void)name;
    char *out = user;
    for (size_t i = 0; i < t->rows; i++) {
        snprintf(out + strlen(out), 400 - strlen(out), "%g %g %s;", t->values[i * t->columns],
                 t->values[i * t->columns + 1], t->reason[i] ? t->reason[i] : "-");
    }
    return true;
}

/* Branches of gaits, and values without a gait. */
static void gaits(void **state) {
    (void)state;
    static const char text[] =
        "tables:\n"
        "  up: {gait: walker.yaml, set: {run.tol: 1e-7}, continue: {parameters.slope: "
        "'0.02:0.024:3'}, steps: 3}\n"
        "  ends: {gait: walker.yaml, set: {run.tol: 1e-7}, vary: {parameters.slope: [0.02, "
        "0.024]}, steps: 3}\n"
        "figures:\n"
        "  - {id: f, title: t, curves: [{table: up, x: parameters.slope, y: length}]}\n"
        "claims:\n"
        /* both are found to ten times the tolerance */
        "  - {where: start, quantity: q, value: start(up.period) - start(ends.period), near: 0, "
        "within: 1e-6}\n"
        "  - {where: end, quantity: q, value: end(up.period) - end(ends.period), near: 0, within: "
        "1e-6}\n"
        "  - {where: to, quantity: q, value: end(up.parameters.slope), near: 0.024}\n"
        "  - {where: rows, quantity: q, value: sum(1 + 0*up.period), at_least: 3}\n"
        /* the step is along the tangent, from which the gait differs in second order */
        "  - {where: near, quantity: q, value: max(up.parameters.slope - "
        "previous.up.parameters.slope), at_most: 0.002, within: 1e-5}\n"
        "  - {where: turning, quantity: q, value: sum(up.turning), near: 0}\n"
        /* the modulus is computed twice, by different functions of the same numbers */
        "  - {where: modulus, quantity: q, value: max(abs(sqrt(up.re1^2 + up.im1^2) - "
        "up.multiplier)), near: 0, within: 1e-15}\n"
        "  - {where: order, quantity: q, value: 'all(up.re2^2 + up.im2^2 <= up.re1^2 + up.im1^2 + "
        "1e-15)', near: 1}\n"
        "  - {where: six, quantity: q, value: max(abs(up.re6)), at_most: 1e-4}\n";
    ff_study *s = study_that_holds(text);
    assert_int_equal(s->figures[0].plot.curve_count, 1);
    ff_free(s);
    assert_non_null(strstr(made, "ends 2 x 20;"));
    /* a value without a gait, and a branch that cannot begin, are rows with their reasons */
    char reasons[400] = "";
    ff_study_options o = ff_study_options_default();
    o.path = "study.yaml";
    o.text = "tables:\n"
             "  a: {gait: walker.yaml, vary: {parameters.slope: [0.02, 0.5]}, set: {run.tol: "
             "1e-6}, may_fail: true}\n"
             "  b: {gait: walker.yaml, continue: {parameters.slope: '0.5:0.6:2'}, may_fail: "
             "true}\n";
    o.file = study_file;
    o.table = note_reasons;
    o.user = reasons;
    assert_int_equal(ff_study_run(&o, &s, NULL), FF_OK);
    ff_free(s);
    assert_holds(strncmp(reasons, "0.02 0.4408", 11) == 0 && strstr(reasons, " -;0.5 nan after ") &&
                     strstr(reasons, ";0.5 nan after 0 steps"),
                 "%s", reasons);
#ifdef CAN_END
    /* out of memory while the rows become a table: its last allocations */
    o.text = "tables: {a: {gait: walker.yaml, vary: {parameters.slope: 0.02}, set: {run.tol: "
             "1e-5}, steps: 0}}\n";
    o.table = NULL;
    given = 0, give_most = 1000000;
    assert_int_equal(ff_study_run(&o, &s, NULL), FF_OK);
    ff_free(s);
    const long all = given;
    for (long most = all - 12; most < all; most++) {
        given = 0, give_most = most;
        const ff_status none = ff_study_run(&o, &s, NULL);
        give_most = -1;
        assert_holds(none == FF_NO_MEMORY && !s, "%ld of %ld blocks: %d", most, all, none);
    }
#endif
}

/* Notes the progress of a table, and stops at the second row. */
static bool note_progress(void *user, size_t done, size_t wanted) {
    char *at = (char *)user + strlen(user);
    sprintf(at, "%zu/%zu ", done, wanted);
    return done < 2;
}

/* A table of gaits reports its progress, and a study that is stopped in it makes no other table. */
static void gaits_can_be_stopped(void **state) {
    (void)state;
    static const struct {
        const char *how, *progress;
    } cases[] = {{"vary: {parameters.slope: [0.02, 0.5, 0.021]}, may_fail: true", "1/3 2/3 "},
                 {"vary: {parameters.slope: [0.02, 0.021, 0.022]}", "1/3 2/3 "},
                 {"continue: {parameters.slope: '0.02:0.022:3'}", "1/3 2/3 "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400], progress[80] = "";
        ff_study *s = NULL;
        ff_study_options o = ff_study_options_default();
        snprintf(text, sizeof text,
                 "tables:\n  a: {gait: walker.yaml, set: {run.tol: 1e-6}, %s}\n"
                 "  b: {run: plain.yaml, vary: {bodies.ball.mass: 1}, keep: {y: end(t)}}\n",
                 cases[i].how);
        o.path = "study.yaml";
        o.text = text;
        o.file = study_file;
        o.progress = note_progress;
        o.user = progress;
        assert_int_equal(ff_study_run(&o, &s, NULL), FF_STOPPED);
        assert_null(s);
        assert_string_equal(progress, cases[i].progress);
    }
}

static void memory(void **state) {
    (void)state;
#ifdef CAN_END
    ff_status status;
    long most;
    const char study[] =
        "tables:\n  a: {data: {x: [1, 2]}}\n  b: {impact: {law: linear, k: 1e6, lambda: 100, mass: "
        "1}, vary: "
        "{speed: "
        "[1, 2]}}\n  c: {fit: {law: linear, k: 1e6, lambda: 1, mass: 1}, of: b, free: [lambda]}\n  "
        "d: {data: e.csv}\n"
        "figures: [{id: f, title: g, curves: [{table: a, x: [x, x], y: [x, x], name: n, "
        "where: x < 2}]}]\n"
        "claims: [{where: w, quantity: q, value: 'max(a.x) + slope(a.x, a.x)', near: 3}]\n";
    ff_study *s = NULL;
    status = FF_NO_MEMORY;
    for (most = 0; status != FF_OK && most < 100000; most++) {
        ff_study_options o = ff_study_options_default();
        o.path = "s.yaml";
        o.text = study;
        o.file = study_file;
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
    cmocka_unit_test(studies),        cmocka_unit_test(all_sources),
    cmocka_unit_test(names_in_names), cmocka_unit_test(repeatable),
    cmocka_unit_test(gaits),          cmocka_unit_test(gaits_can_be_stopped),
    cmocka_unit_test(wrong_studies),  cmocka_unit_test(memory)};

#else

static void not_built(void **state) {
    (void)state;
    skip();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(not_built)};

#endif

CHECK_MAIN(tests)
