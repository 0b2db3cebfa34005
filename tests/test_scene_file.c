/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "io/source.h"
#include "scene_text.h"
#include <footfall/material.h>
#include <glob.h>
#include <stdlib.h>
#include <time.h>

#ifdef FF_HAVE_YAML

/* a scene with a body, with ground, with a pair and with a force */
#define BALL "bodies: {ball: {mass: 1, shape: {sphere: {radius: 1}}}}\n"
#define BODY(body) "bodies:\n  b: {mass: 1, " body "}\n"
#define FLOOR "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
#define PAIR(pair) BALL FLOOR "pairs:\n- {between: [ball, floor], " pair "}\n"
#define LAW(law) PAIR("normal: {law: " law "}")
#define SLIDE(law) PAIR("normal: {law: hertz, k: 1},\n   friction: {law: " law "}")
#define FORCE(force) BALL "forces:\n  f: {" force "}\n"

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

/* ---- invalid scenes ---- */

/* one case per line, however long */
/* clang-format off */

static void yaml_rules(void **state) {
    (void)state;
    static const mistake cases[] = {
        {"", "s.yaml:1:1: the text is empty\n"},
        {"# only this\n", "s.yaml:1:1: the text is empty\n"},
        {"---\n", "s.yaml:2:1: the scene needs bodies (name: {mass: .., shape: ..})\n"},
        {"[1, 2]", "s.yaml:1:1: the scene must be a map, not a list\n"},
        {"scene", "s.yaml:1:1: the scene must be a map, not a text\n"},
        {BALL "---\n" BALL, "s.yaml:2:1: a second document begins here; only one is allowed\n"},
        {BALL "run: {tol: 1e-3, tol: 1e-4}\n", "s.yaml:2:18: duplicate key 'tol', first in line 2\n"},
        {BALL BALL BALL, "s.yaml:2:1: duplicate key 'bodies', first in line 1\n"
                         "s.yaml:3:1: duplicate key 'bodies', first in line 1\n"},
        {BALL "run: &here {tol: 1e-3}\n", "s.yaml:2:6: anchors are not allowed: '&here'\n"},
        {BALL "run: *here\n", "s.yaml:2:6: aliases are not allowed: '*here'\n"},
        {"bodies: {}\njoints: {j: {fixed: {between: [world, *b]}}}\n",
         "s.yaml:1:9: bodies of the scene must be a map of name: {mass: .., shape: ..}, not an empty map\n"
         "s.yaml:2:39: aliases are not allowed: '*b'\n"},
        {BALL "run: !!map {tol: !x 1e-3}\n", "s.yaml:2:6: tags are not allowed: 'tag:yaml.org,2002:map'\n"
         "s.yaml:2:18: tags are not allowed: '!x'\n"},
        {"%TAG ! tag:x,2000:\n---\n" BALL, "s.yaml:1:1: tags are not allowed: '%TAG'\n"},
        {BALL "run: {<<: {tol: 1e-3}}\n", "s.yaml:2:7: merge keys are not allowed: '<<'\n"},
        {BALL "run: {[a, b]: 1, {c: d}: 2}\n", "s.yaml:2:7: a key must be a word, not a list\n"
                                               "s.yaml:2:18: a key must be a word, not a map\n"},
        {BALL "run:\n  ?\n  : 1\n", "s.yaml:3:4: a key is empty\n"},
        {BALL "run: {tol: \"1\\0\"}\n", "s.yaml:2:12: a text must not contain a NUL character\n"},
        {BALL "run: {tol: 1\n", "s.yaml:3:1: did not find expected ',' or '}' while parsing a flow mapping from line 2, column 6\n"},
        {"bodies:\n  b: {mass: 1}\n c: 2\n", "s.yaml:3:2: did not find expected key while parsing a block mapping from line 1, column 1\n"},
        {"a: @\n", "s.yaml:1:4: found character that cannot start any token while scanning for the next token from line 1, column 4\n"},
        {"run: [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]\n", "s.yaml:1:21: lists and maps are nested more than 16 deep\n"},
    };
    ALL_SAY(cases);
}

static void no_text_at_all(void **state) {
    (void)state;
    assert_null(parse("bodies:\n  b\xff", 12, NULL, 0));
    assert_string_equal(told,
                        "s.yaml:2:4: this is not a text in UTF-8: invalid leading UTF-8 octet\n");
    assert_null(parse("run: \0\1\2", 8, NULL, 0));
    assert_string_equal(
        told, "s.yaml:1:6: this is not a text in UTF-8: control characters are not allowed\n");

    /* an extremely long text, key and list of names */
    enum { long_size = 1000000 };
    char *text = malloc(long_size + 100);
    int used = sprintf(text, BALL "run: {method: ");
    memset(text + used, 'x', long_size);
    memcpy(text + used + long_size, "}\n", 3);
    assert_null(parse_text(text));
    assert_string_equal(told, "s.yaml:2:15: a text of 1000000 bytes is too long (at most 1000)\n");
    used = sprintf(text, BALL "? ");
    memset(text + used, 'x', long_size);
    memcpy(text + used + long_size, "\n: 1\n", 6);
    assert_null(parse_text(text));
    assert_string_equal(told, "s.yaml:2:3: a text of 1000000 bytes is too long (at most 1000)\n");
    memset(text, '[', long_size);
    text[long_size] = '\0';
    assert_null(parse_text(text));
    assert_string_equal(told, "s.yaml:1:17: lists and maps are nested more than 16 deep\n");
    free(text);
}

static void wrong_bodies(void **state) {
    (void)state;
    static const mistake cases[] = {
        {"bodies: [a]", "s.yaml:1:9: bodies of the scene must be a map of name: {mass: .., shape: ..}, not a list of 1\n"},
        {"bodies: {}", "s.yaml:1:9: bodies of the scene must be a map of name: {mass: .., shape: ..}, not an empty map\n"},
        {"gravity: [0, 0, 1]", "s.yaml:1:1: the scene needs bodies (name: {mass: .., shape: ..})\n"},
        {"bodie: {}", "s.yaml:1:1: unknown key 'bodie' in the scene (did you mean 'bodies'?)\n"},
        {BALL "gravity: [0, 0, -9.81 m/s]\n", "s.yaml:2:17: gravity of the scene: '-9.81 m/s' is a speed (m/s), expected an acceleration (m/s^2)\n"},
        {BALL "gravity: 9.81\n", "s.yaml:2:10: gravity of the scene must be a list of three numbers, not '9.81'\n"},
        {"bodies: {b: 1}", "s.yaml:1:13: body 'b' must be a map, not a text\n"},
        {"bodies: {b: }", "s.yaml:1:10: body 'b' needs mass (kg)\n"},
        {"bodies:\n  b: {lock: rotation}", "s.yaml:2:3: body 'b' needs mass (kg)\n"},
        {"bodies:\n  ball: {masss: 1, shape: {sphere: {radius: 1}}}\n", "s.yaml:2:10: unknown key 'masss' in body 'ball' (did you mean 'mass'?)\n"},
        {BODY("lock: rotation, color: red"), "s.yaml:2:32: unknown key 'color' in body 'b' (known are mass, inertia, position, orientation, velocity, omega, shape, lock)\n"},
        {"bodies:\n  b.c: {mass: 1, lock: rotation}\n  'd*': {mass: 1, lock: rotation}\n",
         "s.yaml:2:3: 'b.c' cannot be the name of a body: use letters, digits, _ and -, at most 63\ns.yaml:3:3: 'd*' cannot be the name of a body: use letters, digits, _ and -, at most 63\n"},
        {"bodies: {world: {mass: 1, lock: rotation}}\n", "s.yaml:1:10: a body cannot be called 'world': in springs and joints that name means the ground\n"},
        {"bodies:\n  b: {mass: 0, lock: rotation}\n", "s.yaml:2:13: mass of body 'b' is 0, but must be > 0\n"},
        {"bodies:\n  b: {mass: .inf, lock: rotation}\n", "s.yaml:2:13: mass of body 'b': '.inf' is not a number\n"},
        {"bodies:\n  b: {mass: nan, lock: rotation}\n", "s.yaml:2:13: mass of body 'b': 'nan' is not a finite number\n"},
        {"bodies:\n  b: {mass: 1e999, lock: rotation}\n", "s.yaml:2:13: mass of body 'b': '1e999' is not a finite number\n"},
        {"bodies:\n  b: {mass: 3 cm, lock: rotation}\n", "s.yaml:2:13: mass of body 'b': '3 cm' is a length (m), expected a mass (kg)\n"},
        {"bodies:\n  b: {mass: , lock: rotation}\n", "s.yaml:2:13: mass of body 'b' must be a number, not empty\n"},
        {"bodies:\n  b: {mass: [1, 2], lock: rotation}\n", "s.yaml:2:13: mass of body 'b' must be a number, not a list of 2\n"},
        {"bodies:\n  b: {mass: {a: 1}, lock: rotation}\n", "s.yaml:2:13: mass of body 'b' must be a number, not a map\n"},
        {BODY("inertia: -1"), "s.yaml:2:25: inertia of body 'b' is -1, but must be > 0\n"},
        {BODY("inertia: [1, 0, 1]"), "s.yaml:2:29: inertia of body 'b' is 0, but must be > 0\n"},
        {BODY("inertia: [1, 2]"), "s.yaml:2:25: inertia of body 'b' must be a number, a list of three, or three rows of three, not a list of 2\n"},
        {BODY("inertia: [[1, 0, 0], [0, 1], [0, 0, 1]]"), "s.yaml:2:37: inertia of body 'b' must be a list of three rows of three numbers, not a list of 2\n"},
        {BODY("inertia: [[1, 0, 0], [1, 1, 0], [0, 0, 1]]"), "s.yaml:2:25: inertia of body 'b' must be symmetric\n"},
        {BODY("inertia: [[1, 2, 0], [2, 1, 0], [0, 0, 1]]"), "s.yaml:2:25: inertia of body 'b' must be positive definite\n"},
        {BODY("inertia: [[1 kg, 0, 0], [0, 1, 0], [0, 0, x]]"),
         "s.yaml:2:27: inertia of body 'b': '1 kg' is a mass (kg), expected a moment of inertia (kg m^2)\n"
         "s.yaml:2:58: inertia of body 'b': 'x' is not a number\n"},
        {BODY("lock: rotation, position: [1, 2]"), "s.yaml:2:42: position of body 'b' must be a list of three numbers, not a list of 2\n"},
        {BODY("lock: rotation, velocity: [1, 2 m, x]"), "s.yaml:2:46: velocity of body 'b': '2 m' is a length (m), expected a speed (m/s)\n"
         "s.yaml:2:51: velocity of body 'b': 'x' is not a number\n"},
        {BODY("inertia: 1, omega: [1 m/s, 0, 0]"), "s.yaml:2:36: omega of body 'b': '1 m/s' is a speed (m/s), expected a rate (1/s)\n"},
        {BODY("inertia: 1, orientation: [0, 0, 0, 0]"), "s.yaml:2:41: orientation of body 'b' has no direction: its length is 0\n"},
        {BODY("inertia: 1, orientation: [1, 0, 0]"), "s.yaml:2:41: orientation of body 'b' must be [w, x, y, z] or {axis: [..], angle: ..}, not a list of 3\n"},
        {BODY("inertia: 1, orientation: {axis: [0, 0, 0], angel: 1}"),
         "s.yaml:2:48: axis of orientation of body 'b' has no direction: its length is 0\n"
         "s.yaml:2:59: unknown key 'angel' in orientation of body 'b' (did you mean 'angle'?)\n"},
        {BODY("inertia: 1, orientation: {angle: 1 m}"), "s.yaml:2:28: orientation of body 'b' needs axis (a vector)\n"
         "s.yaml:2:49: angle of orientation of body 'b': '1 m' is a length (m), expected a plain number\n"},
        {BODY("inertia: 1, lock: {x: 1}"), "s.yaml:2:34: lock of body 'b' must be a list of x, y, z, rx, ry, rz, or rotation, not a map\n"},
        {BODY("inertia: 1, lock: [x, w, [y], x]"), "s.yaml:2:38: unknown lock 'w' in body 'b' (known are x, y, z, rx, ry, rz, rotation)\n"
         "s.yaml:2:41: lock of body 'b' must be a word, not a list of 1\n"
         "s.yaml:2:46: lock of body 'b' names 'x' twice\n"},
        {BODY("inertia: 1, omega: [0, 2 Hz, 0]"),
         "s.yaml:2:39: omega of body 'b': '2 Hz' is a frequency, expected an angular velocity: 12.566 rad/s\n"},
        {BODY("inertia: 1, velocity: [1, 0, 0], omega: [0, 1, 0], lock: [x, ry]"),
         "s.yaml:2:38: velocity of body 'b' is not 0 along x, which is locked\n"
         "s.yaml:2:56: omega of body 'b' is not 0 about y, which is locked\n"},
        {BODY("lock: x"), "s.yaml:2:3: body 'b' needs inertia, or lock: rotation: it has no shape with a volume\n"},
        {BODY("shape: {point: {}}"), "s.yaml:2:3: body 'b' needs inertia, or lock: rotation: it has no shape with a volume\n"},
    };
    ALL_SAY(cases);
}

static void wrong_shapes(void **state) {
    (void)state;
    static const mistake cases[] = {
        {BODY("shape: sphere"), "s.yaml:2:23: shape of body 'b' must be a map, not a text\n"},
        {BODY("shape: {}"), "s.yaml:2:16: shape of body 'b' needs one of sphere, spheres, box, point\n"},
        {BODY("shape: {cylinder: {}}"), "s.yaml:2:16: shape of body 'b' needs one of sphere, spheres, box, point\n"
         "s.yaml:2:24: unknown key 'cylinder' in shape of body 'b' (known are sphere, spheres, box, point)\n"},
        {BODY("shape: {sphere: {radius: 1}, point: {}}"), "s.yaml:2:45: shape of body 'b' has both sphere and point: give only one\n"},
        {BODY("shape: {sphere: {}}"), "s.yaml:2:24: sphere of body 'b' needs radius (m)\n"},
        {BODY("shape: {sphere: {radius: 0}}"), "s.yaml:2:41: radius of sphere of body 'b' is 0, but must be > 0\n"},
        {BODY("shape: {sphere: {radius: 1, center: [0, 0, 0]}}"), "s.yaml:2:44: unknown key 'center' in sphere of body 'b' (known are radius)\n"},
        {BODY("shape: {spheres: {}}"), "s.yaml:2:33: spheres of shape of body 'b' must be a list of {center, radius}, not an empty map\n"},
        {BODY("shape: {spheres: [1, {center: [0, 0, 0]}]}"), "s.yaml:2:34: spheres[0] of body 'b' must be a map, not a text\n"
         "s.yaml:2:37: spheres[1] of body 'b' needs radius (m)\n"},
        {BODY("shape: {spheres: [{center: [0, 0, 0], radius: -1}]}"), "s.yaml:2:62: radius of spheres[0] of body 'b' is -1, but must be >= 0\n"},
        {BODY("shape: {spheres: [{name: a.b, center: [0, 0, 0], radius: 1}, {name: [], center: [0, 0, 0], radius: 1}]}"),
         "s.yaml:2:41: 'a.b' cannot be the name of a sphere: use letters, digits, _ and -, at most 63\ns.yaml:2:84: name of spheres[1] of body 'b' must be a word, not a list of 0\n"},
        {BODY("shape: {spheres: [{name: sphere1, center: [0, 0, 0], radius: 1}, {center: [0, 0, 0], radius: 1}]}"),
         "s.yaml:2:81: spheres[1] of body 'b': an earlier sphere is also called 'sphere1'\n"},
        {BODY("shape: {box: {size: [1, 0, 1]}}"), "s.yaml:2:40: size of box of body 'b' is 0, but must be > 0\n"},
        {BODY("shape: {box: {corner_radius: 1 mm}}"), "s.yaml:2:24: box of body 'b' needs size (its edges, m)\n"},
        {BODY("shape: {box: {size: [1, 2, 3], corner_radius: 0.6}}"),
         "s.yaml:2:62: corner_radius of box of body 'b' is 0.6, but must be <= 0.5, half of its shortest edge\n"},
        {BODY("lock: rotation, shape: {point: {radius: 1}}"), "s.yaml:2:47: point of shape of body 'b' must be an empty map, {}, not a map\n"},
        {BODY("lock: rotation, shape: {point: 1}"), "s.yaml:2:47: point of shape of body 'b' must be an empty map, {}, not '1'\n"},
    };
    ALL_SAY(cases);
}

static void wrong_ground(void **state) {
    (void)state;
    static const mistake cases[] = {
        {BALL "ground: floor\n", "s.yaml:2:9: ground of the scene must be a map of name: {plane: {..}}, not 'floor'\n"},
        {BALL "ground: {floor: {}}\n", "s.yaml:2:10: ground 'floor' needs plane\n"},
        {BALL "ground: {floor: {plane: {}}}\n", "s.yaml:2:18: plane of ground 'floor' needs normal (out of the ground)\n"},
        {BALL "ground: {floor: {plane: {normal: [0, 0, 0]}}}\n",
         "s.yaml:2:34: normal of plane of ground 'floor' has no direction: its length is 0\n"},
        {BALL "ground: {floor: {plane: {normal: [0, 0, 1e200]}}}\n",
         "s.yaml:2:34: normal of plane of ground 'floor' has no direction: its length is inf\n"},
        {BALL "ground: {floor: {plane: {normal: [0, 0, 1 m]}}}\n",
         "s.yaml:2:41: normal of plane of ground 'floor': '1 m' is a length (m), expected a plain number\n"},
        {BALL "ground: {floor: {plane: {normal: [0, 0, 1], speed: 1}}}\n",
         "s.yaml:2:45: unknown key 'speed' in plane of ground 'floor' (known are point, normal, velocity, surface_velocity, motion)\n"},
        {BALL "ground: {floor: {plan: {normal: [0, 0, 1]}}}\n", "s.yaml:2:18: unknown key 'plan' in ground 'floor' (did you mean 'plane'?)\n"},
        {BALL "ground: {a.b: {plane: {normal: [0, 0, 1]}}}\n", "s.yaml:2:10: 'a.b' cannot be the name of a ground: use letters, digits, _ and -, at most 63\n"},
        {BALL "ground: {ball: {plane: {normal: [0, 0, 1]}}}\n", "s.yaml:2:10: ground 'ball' has the name of a body\n"},
    };
    ALL_SAY(cases);
}

/* bodies of all shapes */
#define MANY                                                                                       \
    "bodies:\n"                                                                                    \
    "  ball: {mass: 1, shape: {sphere: {radius: 1}}}\n"                                            \
    "  bowl: {mass: 1, shape: {sphere: {radius: 1}}}\n"                                            \
    "  foot: {mass: 1, shape: {spheres: [{name: heel, center: [0, 0, 0], radius: 1},"              \
    " {name: toe, center: [0, 0, 0], radius: 2}]}}\n"                                              \
    "  box: {mass: 1, shape: {box: {size: [1, 1, 1]}}}\n"                                          \
    "  dot: {mass: 1, shape: {point: {}}, lock: rotation}\n"                                       \
    "  bare: {mass: 1, lock: rotation}\n"                                                          \
    "ground: {floor: {plane: {normal: [0, 0, 1]}}, wall: {plane: {normal: [1, 0, 0]}}}\n"
#define BETWEEN(names) MANY "pairs:\n- {between: " names ", normal: {law: hertz, k: 1}}\n"

static void wrong_names_of_pairs(void **state) {
    (void)state;
    static const mistake cases[] = {
        {BETWEEN("ball"), "s.yaml:10:13: between of pairs[0] must be two names, [a, b], not 'ball'\n"},
        {BETWEEN("[ball]"), "s.yaml:10:13: between of pairs[0] must be two names, [a, b], not a list of 1\n"},
        {BETWEEN("[ball, [floor]]"), "s.yaml:10:20: between of pairs[0] must be two names, not a list of 1\n"},
        {BETWEEN("[bal, flor]"), "s.yaml:10:14: unknown body or plane 'bal' in pairs[0] (did you mean 'ball'?)\n"
         "s.yaml:10:19: unknown body or plane 'flor' in pairs[0] (did you mean 'floor'?)\n"},
        {BETWEEN("[ball, ceiling]"), "s.yaml:10:20: unknown body or plane 'ceiling' in pairs[0] (known are ball, bare, bowl, box, dot, floor, foot, wall)\n"},
        {BETWEEN("[foot.heal, floor]"), "s.yaml:10:14: body 'foot' has no shape 'heal' (did you mean 'heel'?)\n"},
        {BETWEEN("[ball.heel, floor]"), "s.yaml:10:14: body 'ball' has no shape 'heel'\n"},
        {BETWEEN("[floor.heel, ball]"), "s.yaml:10:14: unknown body or plane 'floor.heel' in pairs[0] (known are ball, bare, bowl, box, dot, floor, foot, wall)\n"},
        {BETWEEN("[bare, floor]"), "s.yaml:10:14: body 'bare' has no shape and touches nothing\n"},
        {BETWEEN("['leg*', '*.toes']"), "s.yaml:10:14: no body or plane matches 'leg*' in pairs[0]\ns.yaml:10:22: no body or plane matches '*.toes' in pairs[0]\n"},
        {BETWEEN("['*.h*l', '**b*ll*']"), ""},
        {BETWEEN("[box.corner7, floor]"), ""},
        {BETWEEN("[floor, wall]"), "s.yaml:10:13: there is no contact between 'floor' and 'wall': both are ground\n"},
        {BETWEEN("[foot.heel, foot.toe]"), "s.yaml:10:13: there is no contact between 'foot.heel' and 'foot.toe': they are one body\n"},
        {BETWEEN("[box, ball]"), "s.yaml:10:13: there is no contact between 'box' and 'ball': only spheres can touch spheres\n"},
        {BETWEEN("[foot, dot]"), "s.yaml:10:13: there is no contact between 'foot' and 'dot': only spheres can touch spheres\n"},
        {BETWEEN("[foot, ball]"), ""},
    };
    ALL_SAY(cases);
}

static void wrong_pairs(void **state) {
    (void)state;
    static const mistake cases[] = {
        {BALL "pairs: {a: b}\n", "s.yaml:2:8: pairs of the scene must be a list of {between: [a, b], normal: {law: ..}}, not a map\n"},
        {BALL "pairs: [1]\n", "s.yaml:2:9: pairs[0] must be a map, not a text\n"},
        {BALL "pairs: [{}]\n", "s.yaml:2:9: pairs[0] needs between (two names, [a, b])\ns.yaml:2:9: pairs[0] needs normal (a normal law)\n"},
        {PAIR("normal: {law: hertz, k: 1}, material: steel"), "s.yaml:4:56: unknown key 'material' in pairs[0] (known are between, normal, friction, rolling, twist, ground, lever, ignored_while_turning)\n"},
        {PAIR("normal: {law: hertz, k: 1}, ground: memory"), "s.yaml:4:64: unknown ground 'memory' in pairs[0] (known are stateless, stateful)\n"},
        {PAIR("normal: hertz"), "s.yaml:4:36: normal of pairs[0] must be a map, not a text\n"},
        {PAIR("normal: {k: 1}"), "s.yaml:4:28: normal of pairs[0] needs law (the name of a law)\n"},
        {LAW("[hertz]"), "s.yaml:4:42: law of normal of pairs[0] must be a word, not a list of 1\n"},
        {LAW("azad-fetherstone, k: 1"), "s.yaml:4:42: unknown law 'azad-fetherstone' in normal of pairs[0] (did you mean 'azad-featherstone'?)\n"},
        {LAW("clutch"), "s.yaml:4:42: unknown law 'clutch' in normal of pairs[0] (known are linear, hertz, hunt-crossley, marhefka-orin, lee-wang, ristow-schaefer, azad-featherstone, tsuji, lankarani-nikravesh, flores, general, dmt, jkr, two-term, xiong)\n"},
        {LAW("azad-featherstone"), "s.yaml:4:28: azad-featherstone needs k (stiffness, N/m^1.5)\n"
         "s.yaml:4:28: azad-featherstone needs lambda (damping, N s/m^1.5)\n"},
        {LAW("azad-featherstone, k: 1, lamda: 1"), "s.yaml:4:67: unknown key 'lamda' in azad-featherstone (did you mean 'lambda'?)\n"},
        {LAW("hertz, k: 1, mu: 1"), "s.yaml:4:55: unknown key 'mu' in hertz (known are law, k, n, material)\n"},
        {LAW("hertz, k: 0, n: 4"), "s.yaml:4:58: n of hertz is 4, but must be >= 1 and <= 3\n"},
        {LAW("hertz, k: 0, n: 1"), "s.yaml:4:52: k of hertz is 0, but must be > 0\n"},
        {LAW("hertz, k: 1 N/m"), "s.yaml:4:52: k of hertz: '1 N/m' is a stiffness (N/m), expected N/m^1.5\n"},
        {LAW("hertz, k: 1 N/m^1.5, n: 2"), "s.yaml:4:52: k of hertz: '1 N/m^1.5' is in N/m^1.5, expected a pressure (Pa)\n"},
        {LAW("hertz, n: 1, k: 1 N/m"), ""},
        {LAW("general, k: 1 N/m, lambda: 1"), "s.yaml:4:28: general needs n (exponent of the spring, 1)\ns.yaml:4:28: general needs p (exponent of the damper, 1)\n"},
        {LAW("linear, k: 1, lambda: 1, detach: let"), "s.yaml:4:75: unknown detach 'let' in linear (known are clamp, tension, local)\n"},
        {LAW("linear, k: 1, lambda: 1, detach: [clamp]"), "s.yaml:4:75: detach of linear must be a word, not a list of 1\n"},
        {LAW("xiong, K: 1, alpha: 2, beta: 1"), "s.yaml:4:28: alpha of xiong must not exceed beta: it would create energy\n"},
        {PAIR("normal: {law: hertz, k: 1}, friction: 0.3"), "s.yaml:4:66: friction of pairs[0] must be a map, not a text\n"},
        {SLIDE("klutch"), "s.yaml:5:20: unknown law 'klutch' in friction of pairs[0] (did you mean 'clutch'?)\n"},
        {SLIDE("coulomb, mu: -1"), "s.yaml:5:33: mu of coulomb is -1, but must be >= 0\n"},
        {SLIDE("clutch, mu: 1, k: 1 N/m, damping: 1 N s/m^1.5, passive: yes"),
         "s.yaml:5:38: k of clutch: '1 N/m' is a stiffness (N/m), expected N/m^1.5\n"
         "s.yaml:5:76: unknown passive 'yes' in clutch (known are false, true)\n"},
        {SLIDE("clutch, mu: 1, k: 1, material: [steel, steel]"), "s.yaml:5:4: clutch needs damping (tangential damping, N s/m^n)\n"
         "s.yaml:5:41: unknown key 'material' in clutch (known are law, mu, k, damping, viscous, passive, unloaded, between, from)\n"},
        /* the exponent of a law with another parameter missing is known; an invalid one is the only message */
        {PAIR(
             "normal: {law: lee-wang, k: 1}, friction: {law: clutch, mu: 1, damping: 1, k: 1 N/m}"),
         "s.yaml:4:28: lee-wang needs lambda (damping, N s/m^2)\n"
         "s.yaml:4:105: k of clutch: '1 N/m' is a stiffness (N/m), expected N/m^1.5\n"},
        {PAIR("normal: {law: hertz, k: 1 N/m, n: x}, friction: {law: clutch, mu: 1, damping: 1, k: 1 N/m}"),
         "s.yaml:4:62: n of hertz: 'x' is not a number\n"},
    };
    ALL_SAY(cases);
}

#define MATERIAL(a, b, law) MANY "pairs:\n- {between: [" a ", " b "], normal: {law: " law "}}\n"

static void stiffness_from_materials(void **state) {
    (void)state;
    static const mistake cases[] = {
        {MATERIAL("ball", "floor", "hertz, material: [steel, cork]"), ""},
        {MATERIAL("ball", "floor", "hertz, material: steel"), "s.yaml:10:59: material of hertz must be two materials, [a, b], not 'steel'\n"},
        {MATERIAL("ball", "floor", "hertz, material: [steel, corc]"), "s.yaml:10:67: unknown material 'corc' in hertz (did you mean 'cork'?)\n"},
        {MATERIAL("ball", "floor", "hertz, k: 1, material: [steel, cork]"), "s.yaml:10:49: hertz has both k and material: give only one\n"},
        {MATERIAL("ball", "floor", "hertz, n: 1, material: [steel, cork]"),
         "s.yaml:10:55: material gives no k of hertz with these exponents (a sphere has n = 3/2): give k\n"},
        {MATERIAL("ball", "floor", "xiong, material: [steel, cork], K: 1, alpha: 1, beta: 1"),
         "s.yaml:10:49: unknown key 'material' in xiong (known are law, K, alpha, beta)\n"},
        {MATERIAL("dot", "floor", "hertz, material: [steel, cork]"),
         "s.yaml:10:58: material of hertz needs a radius, and that of 'dot' is 0: give k\n"},
        {MATERIAL("floor", "box", "hertz, material: [steel, cork]"),
         "s.yaml:10:58: material of hertz needs a radius, and that of 'box' is 0: give k\n"},
        {MATERIAL("foot", "floor", "hertz, material: [steel, cork]"),
         "s.yaml:10:59: material of hertz needs a radius, and 'foot' has several: name one shape, or give k\n"},
        {MATERIAL("b*", "floor", "hertz, material: [steel, cork]"),
         "s.yaml:10:57: material of hertz needs a radius, and 'b*' is a pattern: give k\n"},
        {MATERIAL("bal", "floor", "hertz, material: [steel, cork]"),
         "s.yaml:10:14: unknown body or plane 'bal' in pairs[0] (did you mean 'ball'?)\n"},
    };
    ALL_SAY(cases);

    /* the radius of two spheres is that of their parallel connection */
    ff_scene *s = parse_text(
        MATERIAL("foot.toe", "ball", "azad-featherstone, lambda: 1, material: [steel, steel]"));
    assert_non_null(s);
    const ff_material *steel = ff_material_find("steel");
    double modulus = ff_modulus(steel->E, steel->nu, steel->E, steel->nu);
    assert_true(ff_normal_value(&s->pairs.at[0].normal, "k") ==
                ff_hertz_k(modulus, ff_reduced_radius(2, 1)));
    ff_scene_free(s);
}

#define SLIDING(normal, friction)                                                                  \
    MANY "pairs:\n- {between: [ball, floor], normal: {law: " normal "}, friction: {law: " friction  \
         "}}\n"

/* lambda of a material; k and damping of a clutch from the normal law beside it */
static void parameters_from_surroundings(void **state) {
    (void)state;
    static const mistake cases[] = {
        {MATERIAL("ball", "floor", "azad-featherstone, k: 1, lambda_star: 1 kN s/m^2"), ""},
        {MATERIAL("ball", "floor", "azad-featherstone, k: 1, lambda_star: 1 N"),
         "s.yaml:10:80: lambda_star of azad-featherstone: '1 N' is a force (N), expected N s/m^2\n"},
        {MATERIAL("ball", "floor", "azad-featherstone, k: 1, lambda: 1, lambda_star: 1"),
         "s.yaml:10:67: azad-featherstone has both lambda and lambda_star: give only one\n"},
        {MATERIAL("b*", "floor", "azad-featherstone, k: 1, lambda_star: 1"),
         "s.yaml:10:78: lambda_star of azad-featherstone needs a radius, and 'b*' is a pattern: give lambda\n"},
        {MATERIAL("ball", "floor", "hertz, k: 1, lambda_star: 1"),
         "s.yaml:10:55: unknown key 'lambda_star' in hertz (known are law, k, n, material)\n"},
        {MATERIAL("ball", "floor", "linear, lambda: 1, material: [steel, cork]"),
         "s.yaml:10:28: linear needs k (stiffness, N/m)\n"
         "s.yaml:10:61: unknown key 'material' in linear (known are law, k, lambda, lambda_out, detach)\n"},
        {SLIDING("azad-featherstone, k: 1, lambda: 1", "clutch, mu: 1"),
         "s.yaml:10:79: clutch needs k (tangential stiffness, N/m^n; or from: normal)\n"
         "s.yaml:10:79: clutch needs damping (tangential damping, N s/m^n; or from: normal)\n"},
        {SLIDING("azad-featherstone, k: 1, lambda: 1", "clutch, mu: 1, from: normal"), ""},
        {SLIDING("azad-featherstone, k: 1, lambda: 1", "clutch, mu: 1, from: abnormal"),
         "s.yaml:10:116: unknown source 'abnormal' in clutch (did you mean 'normal'?)\n"},
        {SLIDING("azad-featherstone, k: 1, lambda: 0", "clutch, mu: 1, from: normal"),
         "s.yaml:10:79: damping of clutch is 0, but must be > 0\n"},
        /* lambda z^n zdot has another unit than damping z^(n-1) v */
        {SLIDING("hunt-crossley, k: 1, lambda: 1", "clutch, mu: 1, from: normal"),
         "s.yaml:10:75: clutch needs damping (tangential damping, N s/m^n)\n"},
        {SLIDING("hunt-crossley, k: 1, lambda: 1", "clutch, mu: 1, damping: 1, from: normal"), ""},
        {SLIDING("azad-featherstone, k: 1, lambda: 1", "dahl, mu: 1, k: 1, from: normal"),
         "s.yaml:10:114: unknown key 'from' in dahl (known are law, mu, k)\n"},
        {SLIDING("xiong, K: 1, alpha: 1, beta: 1", "clutch, mu: 1, damping: 1, from: normal"),
         "s.yaml:10:75: clutch needs k (tangential stiffness, N/m^n)\n"},
        {SLIDING("azad-featherstone, k: -1, lambda: 1", "clutch, mu: 1, from: normal"),
         "s.yaml:10:64: k of azad-featherstone is -1, but must be > 0\n"},
        /* friction with a normal law whose grade is a power although it is not a power law */
        {SLIDING("two-term, k: 1, k2: 1", "clutch, mu: 1, k: 1 N/m^1.5, damping: 1"), ""},
        {SLIDING("xiong, K: 1, alpha: 1, beta: 1", "clutch, mu: 1, k: 1 N/m, damping: 1"), ""},
        {SLIDING("two-term, k: 1, k2: 1 N/m^2, n2: 2", "none"), ""},
        {SLIDING("two-term, k: 1, k2: 1 N/m^2", "none"),
         "s.yaml:10:62: k2 of two-term: '1 N/m^2' is a pressure (Pa), expected N/m^3\n"},
        {SLIDING("general, k: 1, n: 1, p: 1, q: 2, lambda: 1 N s^2/m^3", "none"), ""},
    };
    ALL_SAY(cases);
    const ff_material *steel = ff_material_find("steel"), *cork = ff_material_find("cork");
    double k = ff_hertz_k(ff_modulus(steel->E, steel->nu, cork->E, cork->nu), 1);
    ff_scene *s = parse_text(SLIDING(
        "azad-featherstone, material: [steel, cork], lambda_star: 4", "clutch, mu: 1, viscous: 2"));
    assert_non_null(s);
    const ff_pair_def *p = &s->pairs.at[0];
    assert_true(ff_normal_value(&p->normal, "k") == k);
    assert_true(ff_normal_value(&p->normal, "lambda") == ff_viscoelastic_lambda(4, 1));
    assert_true(ff_friction_value(&p->friction, "k") == ff_tangential_k(k));
    assert_true(ff_friction_value(&p->friction, "damping") == ff_viscoelastic_lambda(4, 1));
    assert_true(ff_friction_value(&p->friction, "viscous") == 2);
    ff_scene_free(s);
}

static void wrong_forces(void **state) {
    (void)state;
    static const mistake cases[] = {
        {BALL "forces: [1]\n", "s.yaml:2:9: forces of the scene must be a map of name: {constant: {..}}, not a list of 1\n"},
        {BALL "forces: {a.b: {constant: {body: ball, force: [1, 0, 0]}}}\n",
         "s.yaml:2:10: 'a.b' cannot be the name of a force: use letters, digits, _ and -, at most 63\n"},
        {BALL "forces: {f: push}\n", "s.yaml:2:13: force 'f' must be a map, not a text\n"},
        {FORCE("from: 1"), "s.yaml:3:3: force 'f' needs one of constant, table, spring, pd\n"},
        {FORCE("sprng: {}"), "s.yaml:3:7: unknown key 'sprng' in force 'f' (did you mean 'spring'?)\n"},
        {FORCE("constant: {body: ball, force: [1, 0, 0]}, spring: {body: ball, to: world, stiffness: 1}"),
         "s.yaml:3:49: force 'f' has both constant and spring: give only one\n"},
        {FORCE("constant: {}"), "s.yaml:3:7: constant of force 'f' needs body (the name of one)\n"
                                "s.yaml:3:7: force 'f' needs force or torque\n"},
        {FORCE("constant: {body: bal, torque: [1 N, 0, 0]}"), "s.yaml:3:24: unknown body 'bal' in constant of force 'f' (did you mean 'ball'?)\n"
         "s.yaml:3:38: torque of constant of force 'f': '1 N' is a force (N), expected an energy or torque (J)\n"},
        {FLOOR FORCE("constant: {body: floor, force: [1, 0, 0]}"), "s.yaml:4:24: unknown body 'floor' in constant of force 'f' (known are ball)\n"},
        {FORCE("constant: {body: [ball], force: [1, 0, 0]}"), "s.yaml:3:24: body of constant of force 'f' must be the name of a body, not a list of 1\n"},
        {FORCE("constant: {body: ball, force: [1, 0, 0]}, from: 2, to: 1"), "s.yaml:3:62: to of force 'f' is 1, before its from, 2\n"},
        {FORCE("constant: {body: ball, force: [1, 0, 0]}, from: 1 m"),
         "s.yaml:3:55: from of force 'f': '1 m' is a length (m), expected a time (s)\n"},
        {FORCE("table: {body: ball}"), "s.yaml:3:7: table of force 'f' needs times (s)\n"
         "s.yaml:3:7: table of force 'f' needs factors (one for each time)\n"
         "s.yaml:3:7: force 'f' needs force or torque\n"},
        {FORCE("table: {body: ball, force: [1, 0, 0], times: [0, 1, 1, 0], factors: [1, 2]}"),
         "s.yaml:3:59: times of table of force 'f' must increase: 1 comes after 1\ns.yaml:3:62: times of table of force 'f' must increase: 0 comes after 1\ns.yaml:3:75: force 'f' has 4 times and 2 factors\n"},
        {FORCE("table: {body: ball, force: [1, 0, 0], times: [0], factors: 1}"),
         "s.yaml:3:52: times of table of force 'f' must be a list of two numbers or more, not a list of 1\n"
         "s.yaml:3:66: factors of table of force 'f' must be a list of two numbers or more, not '1'\n"},
        {FORCE("table: {body: ball, force: [1, 0, 0], times: [0, x], factors: [1, 2 s]}"),
         "s.yaml:3:56: times of table of force 'f': 'x' is not a number\n"
         "s.yaml:3:73: factors of table of force 'f': '2 s' is a time (s), expected a plain number\n"},
        {FORCE("spring: {body: ball}"), "s.yaml:3:7: spring of force 'f' needs to (world, or a body)\n"
         "s.yaml:3:7: spring of force 'f' needs stiffness (N/m)\n"},
        {FORCE("spring: {body: ball, to: ball, stiffness: 1}"), "s.yaml:3:32: force 'f' has both ends at the same body\n"},
        {FORCE("spring: {body: ball, to: wrld, stiffness: -1, damping: 1 N/m, rest: -1}"),
         "s.yaml:3:32: unknown body 'wrld' in spring of force 'f' (known are ball)\n"
         "s.yaml:3:49: stiffness of spring of force 'f' is -1, but must be >= 0\n"
         "s.yaml:3:62: damping of spring of force 'f': '1 N/m' is a stiffness (N/m), expected a damping (N s/m)\n"
         "s.yaml:3:75: rest of spring of force 'f' is -1, but must be >= 0\n"},
        {FORCE("pd: {body: ball}"), "s.yaml:3:7: pd of force 'f' needs axis (a vector)\n"
         "s.yaml:3:7: pd of force 'f' needs kp (N/m)\n"
         "s.yaml:3:7: pd of force 'f' needs target ([t0, t1, t2], m, m/s, m/s^2)\n"},
        {FORCE("pd: {body: ball, axis: [0, 0, 0], kp: 1, target: [1 m, 1 m, 1 m]}"),
         "s.yaml:3:30: axis of pd of force 'f' has no direction: its length is 0\n"
         "s.yaml:3:62: target of pd of force 'f': '1 m' is a length (m), expected a speed (m/s)\n"
         "s.yaml:3:67: target of pd of force 'f': '1 m' is a length (m), expected an acceleration (m/s^2)\n"},
        {FORCE("pd: {body: ball, axis: [0, 0, 1], kp: 1, target: []}"),
         "s.yaml:3:56: target of pd of force 'f' must be a list [t0, t1, t2] of one to three numbers, not a list of 0\n"},
        {FORCE("pd: {body: ball, axis: [0, 0, 1], kp: 1, target: [1, 2, 3, 4]}"),
         "s.yaml:3:56: target of pd of force 'f' must be a list [t0, t1, t2] of one to three numbers, not a list of 4\n"},
    };
    ALL_SAY(cases);
}

static void wrong_run(void **state) {
    (void)state;
    static const mistake cases[] = {
        {BALL "run: fast\n", "s.yaml:2:6: run must be a map, not a text\n"},
        {BALL "run: {max_steps: 1.5}\n", "s.yaml:2:18: max_steps of run is 1.5, but must be a whole number\n"},
        {BALL "run: {max_steps: 0}\n", "s.yaml:2:18: max_steps of run is 0, but must be >= 1\n"},
        {BALL "run: {untill: 1}\n", "s.yaml:2:7: unknown key 'untill' in run (did you mean 'until'?)\n"},
        {BALL "run: {steps: 100}\n", "s.yaml:2:7: unknown key 'steps' in run (known are until, method, tol, dt, max_step, max_steps, events, every, threads, "
            "formulation, constraints, constraint_frequency, constraint_damping, constraint_penalty, constraint_tolerance)\n"},
        {BALL "run: {until: -1, tol: 2, dt: 0, every: 0}\n", "s.yaml:2:14: until of run is -1, but must be >= 0\n"
         "s.yaml:2:23: tol of run is 2, but must be > 0 and <= 1\n"
         "s.yaml:2:30: dt of run is 0, but must be > 0\n"
         "s.yaml:2:40: every of run is 0, but must be > 0\n"},
        {BALL "run: {threads: 257}\n", "s.yaml:2:16: threads of run is 257, but must be >= 0 and <= 256\n"},
        {BALL "run: {threads: 1.5}\n", "s.yaml:2:16: threads of run is 1.5, but must be a whole number\n"},
        {BALL "run: {until: 1 m, tol: 1 s}\n", "s.yaml:2:14: until of run: '1 m' is a length (m), expected a time (s)\n"
         "s.yaml:2:24: tol of run: '1 s' is a time (s), expected a plain number\n"},
        {BALL "run: {method: rk45, events: all}\n", "s.yaml:2:15: unknown method 'rk45' in run (did you mean 'rk4'?)\n"
         "s.yaml:2:29: unknown events 'all' in run (known are none, located)\n"},
        {BALL "run: {method: ode23t}\n", "s.yaml:2:15: unknown method 'ode23t' in run (known are auto, euler, semi-implicit, heun, rk4, verlet, dopri5, dop853, trapezoid, rosenbrock, rodas)\n"},
        {BALL "run: {method: }\n", "s.yaml:2:15: method of run must be a word, not empty\n"},
    };
    ALL_SAY(cases);
}

/* clang-format on */

static void all_mistakes_of_a_file(void **state) {
    (void)state;
    const char *path = FF_SOURCE_DIR "/tests/scenes/mistakes.yaml";
    /* clang-format off */
    static const char *const says[] = {
        "2:17: gravity of the scene: '-9.81 m/s' is a speed (m/s), expected an acceleration (m/s^2)",
        "4:10: unknown key 'masss' in body 'ball' (did you mean 'mass'?)",
        "5:43: size of box of body 'block' must be a list of three numbers, not a list of 2",
        "5:59: unknown lock 'spin' in body 'block' (known are x, y, z, rx, ry, rz, rotation)",
        "7:37: unknown key 'nromal' in plane of ground 'floor' (did you mean 'normal'?)",
        "9:15: unknown body or plane 'bal' in pairs[0] (did you mean 'ball'?)",
        "10:5: azad-featherstone needs lambda (damping, N s/m^1.5)",
        "11:32: k of clutch: '12.75e6 N/m' is a stiffness (N/m), expected N/m^1.5",
        "11:54: damping of clutch is 0, but must be > 0",
        "13:70: to of force 'push' is 1, before its from, 2",
        "14:27: unknown method 'rk45' in run (did you mean 'rk4'?)",
    };
    /* clang-format on */
    ff_messages messages = {0};
    ff_scene *scene;
    assert_int_equal(ff_scene_read(path, NULL, 0, &scene, &messages), FF_BAD_VALUE);
    assert_null(scene);
    assert_int_equal(messages.count, sizeof says / sizeof *says);
    for (size_t i = 0; i < messages.count; i++) {
        char line[1000], wanted[1000];
        ff_message_format(&messages.at[i], line, sizeof line);
        snprintf(wanted, sizeof wanted, "%s:%s", path, says[i]);
        assert_string_equal(line, wanted);
    }
    ff_messages_clear(&messages);
    /* messages are optional */
    assert_int_equal(ff_scene_read(path, NULL, 0, &scene, NULL), FF_BAD_VALUE);
}

static void files_that_cannot_be_read(void **state) {
    (void)state;
    static const mistake cases[] = {
        {"/nowhere.yaml", "/nowhere.yaml: No such file or directory\n"},
        {FF_SOURCE_DIR, FF_SOURCE_DIR ": Is a directory\n"},
        {"/dev/null", "/dev/null:1:1: the text is empty\n"},
        {"/dev/zero", "/dev/zero: File too large\n"},
        {FF_SOURCE_DIR "/tests/scenes/tabs.yaml",
         FF_SOURCE_DIR "/tests/scenes/tabs.yaml:2:1: found character that cannot start any token "
                       "while scanning for the next token from line 2, column 1\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ff_messages messages = {0};
        ff_scene *scene;
        assert_int_equal(ff_scene_read(cases[i].text, NULL, 0, &scene, &messages), FF_BAD_VALUE);
        assert_null(scene);
        tell(&messages);
        assert_string_equal(told, cases[i].says);
        ff_messages_clear(&messages);
        assert_int_equal(ff_scene_read(cases[i].text, NULL, 0, &scene, NULL), FF_BAD_VALUE);
    }
}

static void messages_are_one_line_each(void **state) {
    (void)state;
    /* a control character, and a character cut at the length limit of quotes */
    assert_says(BALL "run: {\"a\\nb\\e\": 1}\n",
                "s.yaml:2:7: unknown key 'a?b?' in run (known are "
                "until, method, tol, dt, max_step, max_steps, events, every, threads, formulation, "
                "constraints, "
                "constraint_frequency, constraint_damping, constraint_penalty, "
                "constraint_tolerance)\n");
    assert_says(
        BALL
        "run: {x23456789012345678901234567890123456789012345678901234567\xc3\xa9\xc3\xa9: 1}\n",
        "s.yaml:2:7: unknown key "
        "'x23456789012345678901234567890123456789012345678901234567\xc3\xa9?' in run "
        "(known are until, method, tol, dt, max_step, max_steps, events, every, threads, "
        "formulation, constraints, constraint_frequency, constraint_damping, constraint_penalty, "
        "constraint_tolerance)\n");

    /* beyond 50 messages the rest is counted */
    char text[6000];
    size_t used = (size_t)sprintf(text, BALL "run: {");
    for (int i = 0; i < 70; i++) {
        used += (size_t)sprintf(text + used, "key%d: 1, ", i);
    }
    sprintf(text + used, "}\n");
    ff_messages messages = {0};
    ff_scene *scene;
    assert_int_equal(
        ff_scene_parse("s.yaml", text, strlen(text), NULL, 0, INFINITY, &scene, &messages),
        FF_BAD_VALUE);
    assert_int_equal(messages.count, FF_MESSAGES_MOST);
    assert_int_equal(messages.left_out, 70 - FF_MESSAGES_MOST);
    ff_messages_clear(&messages);
    assert_int_equal(messages.count, 0);

    /* one list can collect messages of several scenes */
    assert_int_equal(ff_scene_parse("b.yaml", "run: 1", 6, NULL, 0, INFINITY, &scene, &messages),
                     FF_BAD_VALUE);
    assert_int_equal(
        ff_scene_parse("a.yaml", BALL, strlen(BALL), NULL, 0, INFINITY, &scene, &messages), FF_OK);
    ff_scene_free(scene);
    assert_int_equal(messages.count, 2);
    assert_string_equal(messages.at[0].file, "b.yaml");
    ff_messages_clear(&messages);
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
    cmocka_unit_test(yaml_rules),
    cmocka_unit_test(no_text_at_all),
    cmocka_unit_test(wrong_bodies),
    cmocka_unit_test(wrong_shapes),
    cmocka_unit_test(wrong_ground),
    cmocka_unit_test(wrong_names_of_pairs),
    cmocka_unit_test(wrong_pairs),
    cmocka_unit_test(stiffness_from_materials),
    cmocka_unit_test(parameters_from_surroundings),
    cmocka_unit_test(wrong_forces),
    cmocka_unit_test(wrong_run),
    cmocka_unit_test(all_mistakes_of_a_file),
    cmocka_unit_test(files_that_cannot_be_read),
    cmocka_unit_test(messages_are_one_line_each),
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
