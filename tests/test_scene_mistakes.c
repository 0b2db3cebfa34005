/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene_parts.h"
#include "scene_text.h"
#include <footfall/material.h>
#include <stdlib.h>

#ifdef FF_HAVE_YAML

/* Invalid scenes, and what is said about them. */

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

static const struct CMUnitTest tests[] = {
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
};

CHECK_MAIN(tests)

#else

int main(void) { return 0; }

#endif
