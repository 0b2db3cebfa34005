/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "io/source.h"
#include "scene_parts.h"
#include "scene_text.h"
#include <footfall/material.h>
#include <glob.h>
#include <stdlib.h>
#include <time.h>

#ifdef FF_HAVE_YAML

/* ---- valid scenes ---- */

static void assert_vector(const double *seen, double x, double y, double z) {
    assert_true(seen[0] == x && seen[1] == y && seen[2] == z);
}

static ff_scene *read_file(const char *name, const char *const *settings, size_t count) {
    char path[512];
    ff_messages messages = {0};
    ff_scene *scene;
    snprintf(path, sizeof path, FF_SOURCE_DIR "/%s", name);
    ff_status status = ff_scene_read(path, settings, count, &scene, &messages);
    tell(&messages);
    assert_holds(status == FF_OK && messages.count == 0, "%s", told);
    ff_messages_clear(&messages);
    return scene;
}

static void every_key_of_bodies(void **state) {
    (void)state;
    ff_scene *s = read_file("tests/scenes/everything.yaml", NULL, 0);
    assert_vector(s->gravity, 1, 2, -3);
    assert_int_equal(s->bodies.count, 7);
    const ff_body_def *ball = &s->bodies.at[0], *plate = &s->bodies.at[1], *foot = &s->bodies.at[2];
    assert_string_equal(ball->name, "ball");
    assert_true(ball->mass == 0.154);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            assert_true(ball->inertia[i][j] == (i == j ? 2e-5 : 0));
            assert_true(plate->inertia[i][j] == (i == j ? i + 1 : 0));
        }
    }
    assert_vector(ball->position, 0.01, 2, 0.003);
    assert_vector(ball->velocity, 1, 2, 0.03);
    assert_vector(ball->omega, 1, 2, 3);
    assert_true(ball->orientation[0] == 2);
    assert_int_equal(ball->locked, 0);
    /* half of 90 deg: cos and sin are accurate to rounding */
    assert_near(plate->orientation[0], sqrt(0.5), 1e-15);
    assert_near(plate->orientation[3], sqrt(0.5), 1e-15);
    assert_true(plate->orientation[1] == 0 && plate->orientation[2] == 0);
    assert_int_equal(plate->locked, FF_LOCK_X | FF_LOCK_RZ);
    assert_vector(foot->inertia[0], 3, 1, 0);
    assert_vector(foot->inertia[1], 1, 4, 0);
    assert_vector(foot->inertia[2], 0, 0, 5);
    assert_int_equal(s->bodies.at[3].locked, FF_LOCK_ROTATION);
    assert_true(isnan(s->bodies.at[3].inertia[0][0]));
    assert_string_equal(s->bodies.at[4].name, "sand[0]");
    assert_vector(s->bodies.at[6].velocity, 0, 0.01, 0);

    /* one sphere, eight corners, two spheres, a point, three grains */
    assert_int_equal(s->shapes.count, 15);
    const ff_shape_def *shapes = s->shapes.at;
    assert_true(!shapes[0].name && shapes[0].radius == 0.0165 && shapes[0].body == 0);
    assert_true(shapes[1].radius == 0.1 && shapes[8].body == 1);
    assert_vector(shapes[8].box, 1, 2, 3);
    assert_string_equal(shapes[9].name, "heel");
    assert_vector(shapes[9].center, 0, 0, -1);
    assert_string_equal(shapes[10].name, "sphere1");
    assert_vector(shapes[10].center, 0, 1, -0.01);
    assert_true(!shapes[11].name && shapes[11].radius == 0 && shapes[11].body == 3);

    assert_int_equal(s->planes.count, 2);
    assert_string_equal(s->planes.at[0].name, "floor");
    assert_vector(s->planes.at[0].point, 0, 0, 1);
    assert_vector(s->planes.at[0].normal, 0, 0.6, 0.8);
    assert_vector(s->planes.at[0].velocity, 1, 0, 0);
    assert_vector(s->planes.at[0].surface_velocity, 0, 1, 0);
    assert_vector(s->planes.at[1].point, 0, 0, 0);
    ff_scene_free(s);
}

static void every_key_of_pairs(void **state) {
    (void)state;
    ff_scene *s = read_file("tests/scenes/everything.yaml", NULL, 0);
    assert_int_equal(s->pairs.count, 5);
    const ff_pair_def *p = s->pairs.at;
    assert_string_equal(p[0].a, "ball");
    assert_string_equal(p[0].b, "floor");
    assert_string_equal(p[0].normal.law->name, "general");
    ff_power power;
    assert_true(ff_normal_power(&p[0].normal, 1, &power));
    assert_true(power.k == 3 && power.lambda == 2 && power.lambda_out == 1);
    assert_true(power.n == 1.5 && power.p == 0.25 && !power.clamps);
    assert_string_equal(p[0].friction.law->name, "clutch");
    const ff_friction *f = &p[0].friction;
    assert_true(ff_friction_value(f, "k") == 4 && ff_friction_value(f, "damping") == 5);
    assert_true(ff_friction_value(f, "mu") == 0.2 && ff_friction_value(f, "viscous") == 0.1);
    assert_true(ff_friction_value(f, "passive") == 1 && f->lifts && p[0].stateful);

    const ff_material *steel = ff_material_find("steel"), *cork = ff_material_find("cork");
    double modulus = ff_modulus(steel->E, steel->nu, cork->E, cork->nu);
    assert_string_equal(p[1].a, "foot.heel");
    assert_true(ff_normal_value(&p[1].normal, "k") == ff_hertz_k(modulus, 0.5));
    assert_string_equal(p[1].friction.law->name, "none");
    assert_string_equal(p[2].a, "f*");
    assert_true(ff_normal_value(&p[2].normal, "k") == 50000 &&
                ff_normal_value(&p[2].normal, "n") == 1 && !p[2].stateful);
    assert_string_equal(p[4].a, "sand");
    assert_string_equal(p[4].b, "sand[2]");
    const ff_normal *xiong = &p[3].normal;
    assert_true(ff_normal_value(xiong, "K") == 1e5 && ff_normal_value(xiong, "alpha") == 0.0028 &&
                ff_normal_value(xiong, "beta") == 0.004);
    ff_scene_free(s);
}

static void every_key_of_forces_and_run(void **state) {
    (void)state;
    ff_scene *s = read_file("tests/scenes/everything.yaml", NULL, 0);
    assert_int_equal(s->forces.count, 5);
    const ff_force_def *f = s->forces.at;
    assert_string_equal(f[0].name, "push");
    assert_int_equal(f[0].kind, FF_FORCE_CONSTANT);
    assert_vector(f[0].force, 1, 2, 3);
    assert_vector(f[0].torque, 4, 5, 6);
    assert_true(f[0].from == 1 && f[0].to == 2 && f[0].body == 0);
    assert_int_equal(f[1].kind, FF_FORCE_TABLE);
    assert_true(f[1].points == 3 && f[1].times[1] == 0.001 && f[1].factors[2] == -1);
    assert_vector(f[1].torque, 0, 0, 1);
    assert_true(f[1].body == 1 && isinf(f[1].from) && isinf(f[1].to));
    assert_int_equal(f[2].kind, FF_FORCE_SPRING);
    assert_vector(f[2].anchor, 0, 0, 0.01);
    assert_vector(f[2].other_anchor, 0, 0, 2);
    assert_true(f[2].stiffness == 3000 && f[2].damping == 4 && f[2].rest == 0.05);
    assert_true(f[2].other == -1 && f[3].body == 2 && f[3].other == 1);
    assert_int_equal(f[4].kind, FF_FORCE_PD);
    assert_vector(f[4].axis, 0, 0, -1);
    assert_vector(f[4].target, 0.01, 2, 3);
    assert_true(f[4].kp == 20000 && f[4].kd == 5 && f[4].target_from == 0.5 && f[4].to == 3);

    assert_true(s->run.until == 3 && s->run.tol == 1e-6 && s->run.dt == 0.001);
    assert_true(s->run.every == 0.01 && !s->run.events && s->run.threads == 3);
    assert_int_equal(s->run.method, FF_SEMI_IMPLICIT);
    ff_scene_free(s);
}

static void what_is_not_said(void **state) {
    (void)state;
    /* sections and maps may be empty */
    ff_scene *s = parse_text("bodies: {b: {mass: 1, shape: {point: }, lock: [rotation]}}\n"
                             "ground:\npairs:\nforces:\nrun:\n");
    assert_non_null(s);
    ff_run_options run = ff_run_options_default();
    assert_vector(s->gravity, 0, 0, -9.81);
    assert_vector(s->bodies.at[0].position, 0, 0, 0);
    assert_true(s->bodies.at[0].orientation[0] == 1);
    assert_true(s->run.until == run.until && s->run.tol == run.tol && s->run.events);
    assert_true(s->run.every == 0 && s->run.method == FF_AUTO && s->run.threads == 0);
    ff_scene_free(s);
}

static void every_method(void **state) {
    (void)state;
    static const struct {
        const char *name;
        ff_method method;
    } methods[] = {{"auto", FF_AUTO},
                   {"euler", FF_EULER},
                   {"semi-implicit", FF_SEMI_IMPLICIT},
                   {"heun", FF_HEUN},
                   {"rk4", FF_RK4},
                   {"dopri5", FF_DOPRI5},
                   {"dop853", FF_DOP853},
                   {"verlet", FF_VERLET},
                   {"trapezoid", FF_TRAPEZOID},
                   {"rosenbrock", FF_ROSENBROCK},
                   {"rodas", FF_RODAS}};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        char text[200];
        snprintf(text, sizeof text, BALL "run: {method: %s}\n", methods[i].name);
        ff_scene *s = parse_text(text);
        assert_holds(s != NULL, "%s", told);
        assert_int_equal(s->run.method, methods[i].method);
        ff_scene_free(s);
    }
}

/* a pair with every parameter of a law: its default, otherwise 1, or its first word */
static ff_scene *parse_law(const char *pair, const char *law, const ff_param *param) {
    char text[1000];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   BALL FLOOR "pairs: [{between: [ball, floor], %s%s", pair, law);
    for (; param->name; param++) {
        char number[32];
        bool given = isnan(param->fallback) || param->fallback == FF_DERIVED;
        snprintf(number, sizeof number, "%g", given ? 1 : param->fallback);
        used += (size_t)snprintf(text + used, sizeof text - used, ", %s: %s", param->name,
                                 param->words ? param->words[0] : number);
    }
    snprintf(text + used, sizeof text - used, "}}]\n");
    ff_scene *scene = parse_text(text);
    assert_holds(scene != NULL, "%s%s", text, told);
    return scene;
}

static void every_law(void **state) {
    (void)state;
    const ff_normal_law *normal;
    const ff_friction_law *friction;
    for (size_t i = 0; (normal = ff_normal_law_at(i)); i++) {
        ff_scene *s = parse_law("normal: {law: ", normal->name, normal->params);
        assert_ptr_equal(s->pairs.at[0].normal.law, normal);
        ff_scene_free(s);
    }
    for (size_t i = 0; (friction = ff_friction_law_at(i)); i++) {
        ff_scene *s = parse_law("normal: {law: hertz, k: 1}, friction: {law: ", friction->name,
                                friction->params);
        assert_ptr_equal(s->pairs.at[0].friction.law, friction);
        ff_scene_free(s);
    }
}

static void the_scenes_of_the_papers(void **state) {
    (void)state;
    glob_t found;
    assert_int_equal(glob(FF_SOURCE_DIR "/scenes/*.yaml", 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 6);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        ff_messages messages = {0};
        ff_scene *scene;
        ff_status status = ff_scene_read(found.gl_pathv[i], NULL, 0, &scene, &messages);
        tell(&messages);
        assert_holds(status == FF_OK && scene, "%s", told);
        ff_messages_clear(&messages);
        ff_scene_free(scene);
    }
    globfree(&found);
}

/* ---- settings ---- */

static const char settable[] =
    BALL FLOOR "pairs: [{between: [ball, floor], normal: {law: hertz, k: 1}}, {between: [ball, "
               "floor], normal: {law: hertz, k: 2}}]\n"
               "forces: {f: {constant: {body: ball, force: [1, 2, 3]}}}\n";

static ff_scene *set(const char *setting) { return parse(settable, strlen(settable), &setting, 1); }

static void settings(void **state) {
    (void)state;
    static const char *const list[] = {
        "gravity=[0,0,-1]",
        "bodies.ball.mass=200 g",
        "bodies.ball.position=[1, 2, 3 cm]",
        "bodies.ball.position[1]=5 mm",
        "bodies.ball.shape.sphere.radius=3",
        "pairs[1].normal.k=1e6",
        "pairs[0].normal={law: linear, k: 3, lambda: 4}",
        "pairs[1].friction.law=coulomb",
        "pairs[1].friction.mu= 0.3",
        "forces.f.constant.force[2]=7 kN",
        "forces.f.to=3 s",
        "run.tol=1e-3",
        "run.tol=1e-10",
        "run.method=rk4",
    };
    ff_scene *s = parse(settable, strlen(settable), list, sizeof list / sizeof *list);
    assert_holds(s != NULL, "%s", told);
    assert_vector(s->gravity, 0, 0, -1);
    assert_true(s->bodies.at[0].mass == 0.2 && s->shapes.at[0].radius == 3);
    assert_vector(s->bodies.at[0].position, 1, 0.005, 0.03);
    assert_string_equal(s->pairs.at[0].normal.law->name, "linear");
    assert_true(ff_normal_value(&s->pairs.at[0].normal, "k") == 3 &&
                ff_normal_value(&s->pairs.at[1].normal, "k") == 1e6);
    assert_true(ff_friction_value(&s->pairs.at[1].friction, "mu") == 0.3);
    assert_vector(s->forces.at[0].force, 1, 2, 7000);
    assert_true(s->forces.at[0].to == 3 && s->run.tol == 1e-10 && s->run.method == FF_RK4);
    ff_scene_free(s);

    /* an empty section can be set too */
    const char *text = BALL "run:\n", *tol = "run.tol=1e-3";
    s = parse(text, strlen(text), &tol, 1);
    assert_true(s && s->run.tol == 1e-3);
    ff_scene_free(s);
}

/* clang-format off */
static void wrong_settings(void **state) {
    (void)state;
    static const mistake cases[] = {
        {"", "a setting must be PATH=VALUE, as in bodies.ball.mass=0.2"},
        {"run.tol", "a setting must be PATH=VALUE, as in bodies.ball.mass=0.2"},
        {"run.tol=", "the value is missing"},
        {"run.tol=  ", "the value is missing"},
        {"run.tol=# none", "the text is empty"},
        {"=1", "a key is missing after ''"},
        {"run.=1", "a key is missing after 'run.'"},
        {"run..tol=1", "a key is missing after 'run.'"},
        {".run=1", "a key is missing after ''"},
        {"[0]=1", "a key is missing after ''"},
        {"runs.tol=1", "unknown key 'runs' in the scene (did you mean 'run'?)"},
        {"run.tolerance=1", "unknown key 'tolerance' in run (known are until, method, tol, dt, max_step, max_steps, events, every, threads, "
            "formulation, constraints, constraint_frequency, constraint_damping, constraint_penalty, constraint_tolerance)"},
        {"bodies.ball.masss=1", "unknown key 'masss' in body 'ball' (did you mean 'mass'?)"},
        {"bodies.ball.mass=1 cm", "mass of body 'ball': '1 cm' is a length (m), expected a mass (kg)"},
        {"bodies.ball.mass.kg=1", "'bodies.ball.mass' is not a map, so it has no 'kg'"},
        {"bodies.bal.mass=1", "there is no 'bal' in bodies (did you mean 'ball'?)"},
        {"bodies.new={mass: 1}", "there is no 'new' in bodies (known are ball)"},
        {"ground.flor.plane.point=[0,0,0]", "there is no 'flor' in ground (did you mean 'floor'?)"},
        {"forces.g.to=1", "there is no 'g' in forces (known are f)"},
        {"pairs[2].normal.k=1", "'pairs' has no item 2: it has 2, counted from 0"},
        {"pairs[].normal.k=1", "a number and ']' must follow 'pairs['"},
        {"pairs[-1].normal.k=1", "a number and ']' must follow 'pairs['"},
        {"pairs[99999999999].normal.k=1", "a number and ']' must follow 'pairs['"},
        {"pairs[0=1", "a number and ']' must follow 'pairs['"},
        {"pairs[0]normal.k=1", "'.' or '=' must follow 'pairs[0]'"},
        {"pairs.normal.k=1", "'pairs' is not a map, so it has no 'normal'"},
        {"bodies[0].mass=1", "'bodies' is not a list, so it has no item 0"},
        {"bodies.ball.position[0]=1", "'bodies.ball.position' is not a list, so it has no item 0"},
        {"pairs[0].normal.lambda=1", "unknown key 'lambda' in hertz (known are law, k, n, material)"},
        {"pairs[0].friction.mu=1", "friction of pairs[0] needs law (the name of a law)"},
        {"gravity=[0,0", "did not find expected ',' or ']' while parsing a flow sequence"},
        {"run={tol: 1, tol: 1}", "duplicate key 'tol'"},
        {"gravity=&x [0, 0, 1]", "anchors are not allowed: '&x'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char says[1000];
        snprintf(says, sizeof says, "--set %s: %s\n", cases[i].text, cases[i].says);
        assert_null(set(cases[i].text));
        assert_string_equal(told, says);
    }
    assert_null(set("gravity=\xff"));
    assert_string_equal(told, "--set gravity=?: this is not a text in UTF-8: invalid leading UTF-8 octet\n");
    /* a scene that is not a map has nothing to set */
    const char *tol = "run.tol=1";
    assert_null(parse("[1]", 3, &tol, 1));
    assert_string_equal(told, "s.yaml:1:1: the scene must be a map, not a list\n");
    /* messages about the file come first */
    const char *text = BALL "rum:\n", *list[] = {"run.tl=1", "run.tol"};
    assert_null(parse(text, strlen(text), list, 2));
    assert_string_equal(told, "s.yaml:2:1: unknown key 'rum' in the scene (did you mean 'run'?)\n--set run.tol: a setting must be PATH=VALUE, as in bodies.ball.mass=0.2\n--set run.tl=1: unknown key 'tl' in run (did you mean 'tol'?)\n");
}

/* a scene with its settings as text: nothing is lost and nothing is left to resolve */
static void resolved(void **state) {
    (void)state;
    static const struct {
        const char *text, *setting, *gives;
    } cases[] = {
        {"# a comment\nbodies:\n  b: {mass: 1 kg}\n", NULL, "bodies:\n  b: {mass: 1 kg}\n"},
        {"gravity: [0, 0, -9.81 m/s^2]\n", "gravity[1]=-2", "gravity: [0, -2, -9.81 m/s^2]\n"},
        {"run: {tol: 1e-9}", "run.until=0.5 s", "run: {tol: 1e-9, until: 0.5 s}\n"},
        {"pairs:\n  - between: [leg*, '*']\n", NULL, "pairs:\n  - {between: [leg*, \"*\"]}\n"},
        {"a: {b: 'x: y', c: '', d: \"q\\\"\\\\\\n\", e: '- 1', f: }", NULL,
         "a: {b: \"x: y\", c: \"\", d: \"q\\\"\\\\\\x0a\", e: \"- 1\", f: }\n"},
        {"bodies:\n", NULL, "bodies: \n"},
    };
    char *text, *again;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *setting = cases[i].setting;
        assert_int_equal(ff_scene_resolve(cases[i].text, &setting, setting != NULL, &text), FF_OK);
        assert_string_equal(text, cases[i].gives);
        assert_int_equal(ff_scene_resolve(text, NULL, 0, &again), FF_OK);
        assert_string_equal(again, text);
        free(text);
        free(again);
    }
    assert_int_equal(ff_scene_resolve("bodies: [", NULL, 0, &text), FF_BAD_VALUE);
    assert_null(text);
    const char *wrong = "bodies.nobody.mass=1";
    assert_int_equal(ff_scene_resolve(BALL, &wrong, 1, &text), FF_BAD_VALUE);
    assert_null(text);

    ff_messages messages = {0};
    ff_scene *scene;
    char *source;
    size_t length;
    ff_status status;
    source = ff_source_read(FF_SOURCE_DIR "/tests/scenes/everything.yaml", FF_SOURCE_MOST, &length,
                            &messages, &status);
    assert_int_equal(
        ff_scene_parse("s.yaml", source, length, NULL, 0, (double)INFINITY, &scene, &messages),
        FF_OK);
    assert_int_equal(ff_scene_resolve(source, NULL, 0, &again), FF_OK);
    /* text of a parsed scene is not parsed again */
    assert_int_equal(ff_scene_print(scene, NULL, 0, &text), FF_OK);
    assert_string_equal(text, again);
    free(again);
    ff_scene_free(parse_text(text));
    assert_string_equal(told, "");
    free(text);
    const char *setting = "run.until=0.25 s";
    assert_int_equal(ff_scene_print(scene, &setting, 1, &text), FF_OK);
    assert_int_equal(ff_scene_resolve(source, &setting, 1, &again), FF_OK);
    assert_string_equal(text, again);
    free(text);
    free(again);
    assert_int_equal(ff_scene_print(scene, &wrong, 1, &text), FF_BAD_VALUE);
    assert_null(text);
    /* a modified scene no longer equals its file */
    ff_scene_set_gravity(scene, (double[]){0, 0, 0});
    assert_int_equal(ff_scene_print(scene, NULL, 0, &text), FF_MISSING);
    assert_null(text);
    ff_scene_free(scene);
    free(source);
}

/* clang-format on */

/* ---- many bodies, and random input ---- */

#ifdef __SANITIZE_ADDRESS__
static const double seconds_most = 10; /* instrumented build */
#else
static const double seconds_most = 1;
#endif

static void many_bodies(void **state) {
    (void)state;
    enum { many = 20000, line = 200 };
    char *text = malloc(2 * many * line);
    size_t used = (size_t)sprintf(text, FLOOR "bodies:\n");
    for (int i = 0; i < many; i++) {
        used += (size_t)sprintf(text + used,
                                "  ball%d: {mass: 154 g, shape: {sphere: {radius: 1.65 cm}}, "
                                "position: [%d cm, 0, 10 cm], velocity: [0.5, 0.5, 0]}\n",
                                i, i);
    }
    used += (size_t)sprintf(text + used, "pairs:\n");
    for (int i = 0; i < many; i++) {
        used += (size_t)sprintf(text + used,
                                "- {between: [ball%d, floor], normal: {law: hertz, k: 1}}\n", i);
    }
    clock_t start = clock();
    ff_scene *scene = parse(text, used, NULL, 0);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    assert_holds(scene != NULL, "%s", told);
    assert_int_equal(scene->bodies.count, many);
    assert_int_equal(scene->pairs.count, many);
    assert_holds(seconds < seconds_most, "20,000 bodies take %g s", seconds);
    ff_scene_free(scene);
    free(text);
}

/* changes a few bytes of a text, mostly to characters with a meaning in YAML */
static size_t mutate(char *text, size_t length, size_t room) {
    static const char marks[] = "{}[]:,-#&*!|>'\"%@?\n\t 0129.eE+~<abxyz\x01\x7f\xc3\xff";
    for (int changes = (int)uniform(1, 6); changes > 0; changes--) {
        size_t at = (size_t)uniform(0, (double)length);
        char mark = marks[(size_t)uniform(0, sizeof marks)];
        double how = uniform(0, 3);
        if (how < 1) {
            text[at] = mark;
        } else if (how < 2 && length < room) {
            memmove(text + at + 1, text + at, length++ - at);
            text[at] = mark;
        } else if (length > 1) {
            /* remove a piece */
            size_t piece = (size_t)uniform(1, 12);
            piece = piece > length - at ? length - at : piece;
            memmove(text + at, text + at + piece, length - at - piece);
            length -= piece < length ? piece : 0;
        }
    }
    return length;
}

static void change_file(const char *path) {
    char whole[8000], text[8100];
    FILE *file = fopen(path, "r");
    size_t length = fread(whole, 1, sizeof whole, file);
    fclose(file);
    int good = 0;
    for (int i = 0; i < 3000; i++) {
        memcpy(text, whole, length);
        ff_scene *scene = parse(text, mutate(text, length, sizeof text), NULL, 0);
        good += scene != NULL;
        ff_scene_free(scene);
    }
    /* some changes are harmless, most are not */
    assert_in_range(good, 1, 1500);
}

static void anything_at_all(void **state) {
    (void)state;
    change_file(FF_SOURCE_DIR "/tests/scenes/everything.yaml");
    change_file(FF_SOURCE_DIR "/tests/scenes/joints.yaml");
    for (int i = 0; i < 3000; i++) {
        char setting[120] = "pairs[0].normal.k=1e6";
        const char *list[] = {setting};
        size_t used = mutate(setting, strlen(setting), sizeof setting - 1);
        setting[used] = '\0';
        ff_scene_free(parse(settable, strlen(settable), list, 1));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_key_of_bodies),
    cmocka_unit_test(every_key_of_pairs),
    cmocka_unit_test(every_key_of_forces_and_run),
    cmocka_unit_test(what_is_not_said),
    cmocka_unit_test(every_method),
    cmocka_unit_test(every_law),
    cmocka_unit_test(the_scenes_of_the_papers),
    cmocka_unit_test(settings),
    cmocka_unit_test(wrong_settings),
    cmocka_unit_test(resolved),
    cmocka_unit_test(many_bodies),
    cmocka_unit_test(anything_at_all),
};

#else

static void not_built(void **state) {
    (void)state;
    ff_messages messages = {0};
    ff_scene *scene;
    ff_status status =
        ff_scene_read(FF_SOURCE_DIR "/scenes/rolling.yaml", NULL, 0, &scene, &messages);
    assert_int_equal(status, FF_NOT_BUILT);
    assert_null(scene);
    tell(&messages);
    assert_non_null(strstr(told, "libyaml-dev"));
    ff_messages_clear(&messages);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(not_built)};

#endif

CHECK_MAIN(tests)
