/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene_text.h"
#include <stdlib.h>

#ifdef FF_HAVE_YAML

#define BALL "bodies: {ball: {mass: 1, shape: {sphere: {radius: 1}}}}\n"
#define GIVEN(parameters, body)                                                                    \
    "parameters: {" parameters "}\nbodies:\n  b: {" body ", lock: rotation}\n"

static ff_scene *good(const char *text, const char *const *settings, size_t count) {
    ff_scene *scene = parse(text, strlen(text), settings, count);
    assert_holds(scene != NULL, "%s\nsays:\n%s", text, told);
    return scene;
}

/* ---- valid parameters ---- */

static void values(void **state) {
    (void)state;
    const struct {
        const char *text;
        double mass;
    } cases[] = {
        {GIVEN("m0: 154 g", "mass: m0"), 0.154},
        {GIVEN("m0: 154 g", "mass: 2*m0"), 2 * 0.154},
        {GIVEN("m0: 154 g", "mass: m0 + 1"), 1.154},
        {GIVEN("m0: 2", "mass: m0"), 2},
        {GIVEN("m0: -2", "mass: -m0"), 2},
        {GIVEN("r: 2 cm, rho: 7850 kg/m^3", "mass: 4/3*pi*r^3*rho"),
         4. / 3 * 3.141592653589793 * (0.02 * 0.02 * 0.02) * 7850},
        {GIVEN("a: 2 kg, b: 3*a, c: a + b", "mass: c"), 8},
        {GIVEN("a: 2, b: a/3 kg", "mass: 1/b"), 1.5},
        {GIVEN("n: 3/2, L: 4 m, rho: 2 kg/m^1.5", "mass: rho*L^n"), 16},
        {GIVEN("a: 2 kg", "mass: 'max(a, 3)'"), 3},
        {GIVEN("a: 2 kg", "mass: \"if(a > 1 kg, 5, 6)\""), 5},
        {GIVEN("angle: 30 deg", "mass: 2 kg*cos(angle)"), 1.7320508075688774},
        {GIVEN("f: 2 1/s, t: 3 s", "mass: f*t*1 kg"), 6},
        /* also without parameters */
        {"bodies: {b: {mass: 2*3, lock: rotation}}\n", 6},
        {"bodies: {b: {mass: (3), lock: rotation}}\n", 3},
        {"bodies: {b: {mass: --3, lock: rotation}}\n", 3},
        {"bodies: {b: {mass: -(-3 kg), lock: rotation}}\n", 3},
        {"bodies: {b: {mass: +3 kg, lock: rotation}}\n", 3},
        {"bodies: {b: {mass: pi, lock: rotation}}\n", 3.141592653589793},
        {"bodies: {b: {mass: 2 kg*cos(0), lock: rotation}}\n", 2},
        {"bodies: {b: {mass: (1 + 1) , lock: rotation}}\n", 2},
        {"parameters:\nbodies: {b: {mass: 5, lock: rotation}}\n", 5},
        /* wherever the section is */
        {"bodies: {b: {mass: m0, lock: rotation}}\nparameters: {m0: 7 kg}\n", 7},
        /* a literal stays a literal, whatever the names of parameters */
        {GIVEN("m: 2 kg", "mass: 3 kg"), 3},
        {GIVEN("m: 2 kg", "mass: 3*m"), 6},
        {GIVEN("kg: 2 kg", "mass: 3 kg"), 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ff_scene *scene = good(cases[i].text, NULL, 0);
        assert_holds(scene->bodies.at[0].mass == cases[i].mass, "%s is %.17g", cases[i].text,
                     scene->bodies.at[0].mass);
        ff_scene_free(scene);
    }
}

/* every kind of number: vectors, laws, forces, groups, run options */
static void everywhere(void **state) {
    (void)state;
    static const char text[] =
        "parameters: {slope: 0.5, E: 200 GPa, r: 4 mm, n: 1.5, T: 2 s, some: 2, k0: 1 kN/m}\n"
        "gravity: [0, 0, -9.81*cos(slope)]\n"
        "bodies:\n"
        "  ball: {mass: some, shape: {sphere: {radius: r}}, position: [r, 2*r, 10 cm + r],\n"
        "         inertia: [some, some*2, 5], velocity: [r/T, 0, 0],\n"
        "         orientation: {axis: [0, 0, some], angle: 2*slope}, omega: [0, 0, 2*pi/T]}\n"
        "  sand: {count: 2*some, radius: {uniform: [r, 2*r]}, density: 1000*some, seed: some + 1,\n"
        "         fill: {from: [1, 1, 1], to: [1 + 50*r, 2, 2]}}\n"
        "ground:\n"
        "  floor: {plane: {normal: [sin(slope), 0, cos(slope)]}}\n"
        "pairs:\n"
        "  - between: [ball, floor]\n"
        "    normal: {law: general, k: 4/3*E*sqrt(r), lambda: 1 ms*E*r^0.5, n: n, p: n - 1}\n"
        "    friction: {law: clutch, k: 2*E*sqrt(r), damping: E*T*sqrt(r), mu: slope/5}\n"
        "forces:\n"
        "  f: {spring: {body: ball, to: world, stiffness: 2*k0, rest: r}, from: T/2}\n"
        "run: {until: 3*T, tol: 1e-9*some}\n";
    ff_scene *s = good(text, NULL, 0);
    const ff_body_def *ball = &s->bodies.at[0];
    const ff_pair_def *pair = &s->pairs.at[0];
    double r = 0.004, E = 200e9;
    assert_true(s->gravity[2] == -9.81 * cos(0.5));
    assert_true(ball->mass == 2 && s->shapes.at[0].radius == r);
    assert_true(ball->position[1] == 2 * r && ball->position[2] == 0.1 + r);
    assert_true(ball->inertia[1][1] == 4 && ball->velocity[0] == r / 2);
    assert_true(ball->omega[2] == 2 * 3.141592653589793 / 2);
    assert_true(ball->orientation[3] == sin(0.5));
    assert_int_equal(s->bodies.count, 5);
    assert_true(s->planes.at[0].normal[0] == sin(0.5) && s->planes.at[0].normal[2] == cos(0.5));
    const ff_normal *n = &pair->normal;
    const ff_friction *f = &pair->friction;
    assert_true(ff_normal_value(n, "k") == 4. / 3 * E * sqrt(r) && ff_normal_value(n, "n") == 1.5);
    assert_true(ff_normal_value(n, "p") == 0.5 &&
                ff_normal_value(n, "lambda") == 1e-3 * E * sqrt(r));
    assert_true(ff_friction_value(f, "k") == 2 * E * sqrt(r) && ff_friction_value(f, "mu") == 0.1);
    assert_true(s->forces.at[0].stiffness == 2000 && s->forces.at[0].from == 1);
    assert_true(s->run.until == 6 && s->run.tol == 2e-9);
    ff_scene_free(s);
}

static void settings(void **state) {
    (void)state;
    static const char text[] = GIVEN("slope: 1 deg, m0: 2 kg, m1: 3*m0", "mass: m1");
    static const struct {
        const char *setting;
        double mass;
    } cases[] = {
        {"parameters.m0=5", 15},    {"parameters.m0=500 g", 1.5},
        {"parameters.m1=m0", 2},    {"parameters.m0=slope*1 kg/1 deg", 3},
        {"bodies.b.mass=2*m1", 12}, {"bodies.b.mass='max(m1, 7 kg)'", 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ff_scene *scene = good(text, &cases[i].setting, 1);
        /* 1 deg/1 deg has an error of at most one rounding */
        assert_near(scene->bodies.at[0].mass, cases[i].mass, 1e-15 * cases[i].mass);
        ff_scene_free(scene);
    }
    static const struct {
        const char *setting, *says;
    } wrong[] = {
        {"parameters.m2=5", "--set parameters.m2=5: there is no 'm2' in parameters (did you mean "
                            "'m0'?)\n"},
        {"parameters.m0=2*q", "--set parameters.m0=2*q: m0 of parameters: unknown name 'q'\n"},
        {"bodies.b.mass=slope",
         "--set bodies.b.mass=slope: mass of body 'b': 'slope' is a plain number, expected a mass "
         "(kg)\n"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(parse(text, strlen(text), &wrong[i].setting, 1));
        assert_holds(strcmp(told, wrong[i].says) == 0, "%s", told);
    }
}

static void what_was_given(void **state) {
    (void)state;
    ff_scene *s =
        good(GIVEN("m0: 154 g, factor: 2, unused: 3*factor, angle: 3 deg", "mass: m0"), NULL, 0);
    static const struct {
        const char *name, *unit;
        double value;
        bool used;
    } wanted[] = {{"m0", "kg", 0.154, true},
                  {"factor", "", 2, true},
                  {"unused", "", 6, false},
                  {"angle", "1", 3 * 0.017453292519943295, false}};
    assert_int_equal(ff_scene_parameter_count(s), 4);
    for (size_t i = 0; i < 4; i++) {
        ff_parameter p = ff_scene_parameter(s, i);
        assert_string_equal(p.name, wanted[i].name);
        assert_string_equal(p.unit, wanted[i].unit);
        assert_true(p.value == wanted[i].value && p.used == wanted[i].used);
    }
    ff_scene_free(s);
    s = good(BALL, NULL, 0);
    assert_int_equal(ff_scene_parameter_count(s), 0);
    ff_scene_free(s);
}

/* ---- invalid parameters ---- */

/* clang-format off */

static void mistakes(void **state) {
    (void)state;
    static const mistake cases[] = {
        /* the section */
        {"parameters: 3\n" BALL, "s.yaml:1:13: parameters of the scene must be a map of name: number, not '3'\n"},
        {"parameters: [1, 2]\n" BALL, "s.yaml:1:13: parameters of the scene must be a map of name: number, not a list of 2\n"},
        {"parameters: {a: [1, 2]}\n" BALL, "s.yaml:1:17: a of parameters must be a number, not a list of 2\n"},
        {"parameters: {a: }\n" BALL, "s.yaml:1:17: a of parameters must be a number, not empty\n"},
        {"parameters: {a b: 1}\n" BALL, "s.yaml:1:14: 'a b' cannot be the name of a parameter: use letters, digits, _ and -, at most 63\n"},
        {"parameters: {a-b: 1}\n" BALL, "s.yaml:1:14: 'a-b' cannot be the name of a parameter: - is an operator\n"},
        {"parameters: {2a: 1}\n" BALL, "s.yaml:1:14: '2a' cannot be the name of a parameter: it begins with a digit\n"},
        {"parameters: {sin: 1}\n" BALL, "s.yaml:1:14: 'sin' cannot be the name of a parameter: it is a function\n"},
        {"parameters: {pi: 1}\n" BALL, "s.yaml:1:14: 'pi' cannot be the name of a parameter: it is 3.14159\n"},
        {"parameters: {a: 1, a: 2}\n" BALL, "s.yaml:1:20: duplicate key 'a', first in line 1\n"},
        {"paramters: {a: 1}\n" BALL, "s.yaml:1:1: unknown key 'paramters' in the scene (did you mean 'parameters'?)\n"},
        /* values of parameters */
        {"parameters: {a: 2 apples}\n" BALL, "s.yaml:1:17: a of parameters: '2 apples': unknown unit 'apples' (known are m g t s min h Hz rpm N J W Pa rad deg with prefixes, as in 'kN s/m')\n"},
        {"parameters: {a: 1e999}\n" BALL, "s.yaml:1:17: a of parameters: '1e999' is not a finite number\n"},
        {"parameters: {a: 1/0}\n" BALL, "s.yaml:1:17: a of parameters: '1/0' is inf, but must be finite\n"},
        {"parameters: {a: 2*b, b: 1}\n" BALL, "s.yaml:1:19: a of parameters: parameter 'b' is used before it is defined: define it above\n"},
        {"parameters: {a: 2*a}\n" BALL, "s.yaml:1:19: a of parameters: parameter 'a' is used before it is defined: define it above\n"},
        {"parameters: {radius: 1, a: 2*radus}\n" BALL, "s.yaml:1:30: a of parameters: unknown name 'radus' (did you mean 'radius'?)\n"},
        {"parameters: {a: 1 m, b: 1 s, c: 2*(a + b)}\n" BALL, "s.yaml:1:38: c of parameters: cannot add m and s\n"},
        {"parameters: {a: 1 +}\n" BALL, "s.yaml:1:20: a of parameters: a number or a name is missing at the end\n"},
        {"parameters: {a: '[1, 2]'}\n" BALL, "s.yaml:1:17: a of parameters: '[1, 2]' is a vector, not a number\n"},
        /* an error is reported once, and reading continues */
        {GIVEN("a: 1 m + 1 s", "mass: a, velocity: [q, 0, 0]"), "s.yaml:1:21: a of parameters: cannot add m and s\n"
         "s.yaml:3:27: velocity of body 'b': unknown name 'q'\n"},
        /* numbers of the scene */
        {GIVEN("m0: 1 kg", "mass: m00"), "s.yaml:3:13: mass of body 'b': unknown name 'm00' (did you mean 'm0'?)\n"},
        {GIVEN("r: 1 m", "mass: r"), "s.yaml:3:13: mass of body 'b': 'r' is a length (m), expected a mass (kg)\n"},
        {GIVEN("E: 1 GPa, r: 1 m", "mass: E*sqrt(r)"), "s.yaml:3:13: mass of body 'b': 'E*sqrt(r)' is in N/m^1.5, expected a mass (kg)\n"},
        {GIVEN("a: 1", "mass: 2*(a"), "s.yaml:3:15: mass of body 'b': this '(' has no matching ')'\n"},
        {GIVEN("a: 1", "mass: \"2*(a\""), "s.yaml:3:13: mass of body 'b': this '(' has no matching ')'\n"},
        {GIVEN("a: 1", "mass: sni(a)"), "s.yaml:3:13: mass of body 'b': unknown function 'sni' (did you mean 'sin'?)\n"},
        {GIVEN("a: 1", "mass: 1/(a - 1)"), "s.yaml:3:13: mass of body 'b': '1/(a - 1)' is inf, but must be finite\n"},
        {GIVEN("a: 1", "mass: -a"), "s.yaml:3:13: mass of body 'b' is -1, but must be > 0\n"},
        {GIVEN("a: 1 um", "mass: 1 \xc2\xb5g*a*q"), "s.yaml:3:20: mass of body 'b': unknown name 'q'\n"},
        {GIVEN("f: 2 Hz", "mass: 1, omega: [0, 0, f]"), "s.yaml:3:30: omega of body 'b': 'f' is a frequency, expected an angular velocity: multiply it by 2*pi\n"},
        /* a parameter with the name of a unit */
        {GIVEN("s: 2", "mass: 1, velocity: [2 m/s, 0, 0]"), "s.yaml:3:31: velocity of body 'b': 's' is a unit and a name: write (2 m)/s for the name, or rename it\n"},
        {"parameters: {m: 1, rho: 2 kg/m^3}\n" BALL, "s.yaml:1:30: rho of parameters: 'm' is a unit and a name: write (2 kg)/m for the name, or rename it\n"},
        /* if the exponent of a law is unknown, units that depend on it are not checked */
        {"parameters: {n: 1}\n" BALL "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
         "pairs:\n- {between: [ball, floor], normal: {law: hertz, k: 1 N, n: 2*q}}\n", "s.yaml:5:62: n of hertz: unknown name 'q'\n"},
        {"parameters: {n: 2}\n" BALL "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
         "pairs:\n- {between: [ball, floor], normal: {law: hertz, k: 1 N/m, n: n}}\n", "s.yaml:5:52: k of hertz: '1 N/m' is a stiffness (N/m), expected a pressure (Pa)\n"},
        {GIVEN("n: 1", "mass: 1") "ground: {g: {plane: {normal: [0, 0, n - 1]}}}\n", "s.yaml:4:30: normal of plane of ground 'g' has no direction: its length is 0\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_says(cases[i].text, cases[i].says);
    }
}

/* literals have the same meaning with parameters */
static void literals(void **state) {
    (void)state;
    static const mistake cases[] = {
        {GIVEN("a: 1", "mass: 3 cm"), "s.yaml:3:13: mass of body 'b': '3 cm' is a length (m), expected a mass (kg)\n"},
        {GIVEN("a: 1", "mass: -3 cm"), "s.yaml:3:13: mass of body 'b': '-3 cm' is a length (m), expected a mass (kg)\n"},
        {GIVEN("a: 1", "mass: 1e999"), "s.yaml:3:13: mass of body 'b': '1e999' is not a finite number\n"},
        {GIVEN("a: 1", "mass: .inf"), "s.yaml:3:13: mass of body 'b': '.inf' is not a number\n"},
        {GIVEN("a: 1", "mass: 2 kq"), "s.yaml:3:13: mass of body 'b': '2 kq': unknown unit 'kq' (known are m g t s min h Hz rpm N J W Pa rad deg with prefixes, as in 'kN s/m')\n"},
        {"bodies: {b: {mass: 2 kg/q, lock: rotation}}\n", "s.yaml:1:20: mass of body 'b': '2 kg/q': unknown unit 'q' (known are m g t s min h Hz rpm N J W Pa rad deg with prefixes, as in 'kN s/m')\n"},
        {"bodies: {b: {mass: '', lock: rotation}}\n", "s.yaml:1:20: mass of body 'b': '' is not a number\n"},
        {"bodies: {b: {mass: '-', lock: rotation}}\n", "s.yaml:1:20: mass of body 'b': '-' is not a number\n"},
        {GIVEN("a: 1", "mass: --"), "s.yaml:3:15: mass of body 'b': a number or a name is missing at the end\n"},
        {"bodies: {b: {mass: heavy, lock: rotation}}\n", "s.yaml:1:20: mass of body 'b': 'heavy' is not a number\n"},
        {"bodies: {b: {mass: 2 kg*cos(q), lock: rotation}}\n", "s.yaml:1:29: mass of body 'b': unknown name 'q'\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_says(cases[i].text, cases[i].says);
    }
}

/* clang-format on */

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(values),         cmocka_unit_test(everywhere), cmocka_unit_test(settings),
    cmocka_unit_test(what_was_given), cmocka_unit_test(mistakes),   cmocka_unit_test(literals),
};

#else

static void not_built(void **state) {
    (void)state;
    skip();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(not_built)};

#endif

CHECK_MAIN(tests)
