/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene_text.h"
#include <footfall/field.h>

#ifdef FF_HAVE_YAML

/* two bodies and a joint, which begins in line 2 at column 15 */
#define BODIES                                                                                     \
    "bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}, c: {mass: 1, inertia: 1}}\n"
#define JOINT(joint) BODIES "joints: {j: {" joint "}}\n"
#define AXIS "between: [a, b], axis: [0, 1, 0]"
#define HINGE(more) JOINT("revolute: {" AXIS ", " more "}")
#define SLIDER(more) JOINT("prismatic: {" AXIS ", " more "}")
#define FORCE(force)                                                                               \
    BODIES "joints:\n  hip: {revolute: {" AXIS "}}\n"                                              \
           "  rail: {prismatic: {" AXIS "}}\n  ball: {spherical: {between: [a, b]}}\n"             \
           "forces: {f: {" force "}}\n"

static ff_scene *read_all(void) {
    ff_messages messages = {0};
    ff_scene *scene;
    ff_status status =
        ff_scene_read(FF_SOURCE_DIR "/tests/scenes/joints.yaml", NULL, 0, &scene, &messages);
    tell(&messages);
    assert_holds(status == FF_OK, "%s", told);
    ff_messages_clear(&messages);
    return scene;
}

static void assert_three(const double *seen, double x, double y, double z) {
    assert_true(seen[0] == x && seen[1] == y && seen[2] == z);
}

/* ---- valid scenes ---- */

static void every_key_of_joints(void **state) {
    (void)state;
    const double pi = acos(-1);
    ff_scene *s = read_all();
    assert_int_equal(s->joints.count, 7);
    const ff_joint_def *hip = &s->joints.at[0], *slider = &s->joints.at[1];
    for (int i = 0; i < 7; i++) {
        assert_int_equal(s->joints.at[i].kind, i);
    }
    assert_string_equal(hip->name, "hip");
    assert_true(hip->first == 0 && hip->second == 1);
    assert_three(hip->anchor, 0, 0, 0.1);
    assert_three(hip->second_anchor, 1, 2, 0.03);
    assert_three(hip->axis, 0, 2, 0);
    /* pi/4: cos and sin are accurate to rounding */
    assert_near(hip->turn[0], sqrt(0.5), 1e-15);
    assert_near(hip->turn[2], sqrt(0.5), 1e-15);
    assert_near(hip->start[0], pi / 4, 1e-15);
    assert_near(hip->rate[0], pi, 1e-14);
    assert_true(hip->along[0].stiffness == 3 && hip->along[0].rest == 0.1 &&
                hip->along[0].damping == 0.02);
    assert_true(hip->along[0].lower == -1 && hip->along[0].upper == 1);
    assert_true(hip->along[0].limit_stiffness == 10 && hip->along[0].limit_damping == 0.1 &&
                hip->along[0].load == 2);
    assert_string_equal(hip->along[0].friction.law->name, "bengisu-akay");
    assert_near(ff_friction_value(&hip->along[0].friction, "v0"), pi / 180, 1e-16);
    assert_true(ff_friction_value(&hip->along[0].friction, "mu_s") == 0.5 &&
                ff_friction_value(&hip->along[0].friction, "mu") == 0.4 &&
                ff_friction_value(&hip->along[0].friction, "xi") == 10);

    assert_true(slider->first == -1 && slider->second == 2);
    assert_three(slider->anchor, 0, 0, 0);
    assert_true(slider->start[0] == 0.1 && slider->rate[0] == 2 &&
                slider->along[0].stiffness == 3000);
    assert_true(slider->along[0].rest == 0.001 && slider->along[0].damping == 4 &&
                slider->along[0].load == 7);
    assert_true(isinf(slider->along[0].lower) && slider->along[0].lower < 0 &&
                slider->along[0].upper == 0.2);
    assert_true(slider->along[0].limit_stiffness == 5000 && slider->along[0].limit_damping == 3);
    assert_true(ff_friction_value(&slider->along[0].friction, "mu") == 0.3 &&
                ff_friction_value(&slider->along[0].friction, "v_ramp") == 0.001);

    /* bodies keep their given start unless a joint specifies it */
    for (int i = 0; i < 3; i++) {
        assert_true(isnan(s->joints.at[2].start[i]) && isnan(s->joints.at[2].rate[i]));
        assert_true(isnan(s->joints.at[4].start[i]) && isnan(s->joints.at[6].rate[i]));
    }
    assert_three(s->joints.at[2].second_anchor, 0, 0, -1);
    assert_three(s->joints.at[3].second_axis, 0, 1, 0);
    assert_three(s->joints.at[3].rate, 1, 2, 0);
    assert_true(s->joints.at[3].start[0] == 0.1);
    assert_near(s->joints.at[3].start[1], pi / 90, 1e-16);
    assert_true(s->joints.at[4].turn[0] == 0 && s->joints.at[4].turn[3] == 2);
    assert_three(s->joints.at[5].start, 0, 0.3, 0.1);
    assert_three(s->joints.at[5].rate, 0.4, 0, 3);
    ff_scene_free(s);
}

static void every_key_of_what_goes_with_them(void **state) {
    (void)state;
    ff_scene *s = read_all();
    assert_three(s->pairs.at[0].ignored_while_turning, 0, -1, 0);
    const ff_force_def *f = s->forces.at;
    assert_int_equal(s->forces.count, 5);
    assert_int_equal(f[0].kind, FF_FORCE_CONSTANT);
    assert_true(f[0].joint == 0 && f[0].effort == 2 && f[0].from == 1);
    assert_true(f[1].joint == 1 && f[1].effort == 3 && f[1].to == 2);
    assert_int_equal(f[2].kind, FF_FORCE_TABLE);
    assert_true(f[2].joint == 0 && f[2].effort == 1 && f[2].points == 2 && f[2].factors[1] == 2);
    assert_int_equal(f[3].kind, FF_FORCE_PD);
    assert_true(f[3].joint == 0 && f[3].kp == 5 && f[3].kd == 6 && f[3].target_from == 1);
    assert_near(f[3].target[0], acos(-1) / 180, 1e-17);
    assert_true(f[3].target[1] == 2 && f[3].target[2] == 3);
    assert_true(f[4].joint == 1 && f[4].kp == 5 && f[4].target[0] == 0.01);

    assert_int_equal(s->run.formulation, FF_MAXIMAL);
    assert_int_equal(s->run.constraints, FF_INDEX1_AUGMENTED);
    assert_true(s->run.constraint_frequency == 20 && s->run.constraint_damping == 0.7);
    assert_true(s->run.constraint_penalty == 1000 && s->run.constraint_tolerance == 1e-8);
    ff_scene_free(s);
}

static void every_way_to_hold_them(void **state) {
    (void)state;
    for (int i = 0; i < FF_CONSTRAINTS; i++) {
        char text[300];
        snprintf(text, sizeof text, BODIES "run: {formulation: %s, constraints: %s}\n",
                 ff_formulation_name(i % 2 ? FF_MAXIMAL : FF_ARTICULATED),
                 ff_constraints_name((ff_constraints)i));
        ff_scene *s = parse_text(text);
        assert_holds(s != NULL, "%s", told);
        assert_int_equal(s->run.constraints, i);
        assert_int_equal(s->run.formulation, i % 2 ? FF_MAXIMAL : FF_ARTICULATED);
        ff_scene_free(s);
    }
}

static ff_joint_def joint_of(const char *text) {
    ff_scene *s = parse_text(text);
    assert_holds(s != NULL, "%s%s", text, told);
    ff_joint_def def = s->joints.at[s->joints.count - 1];
    ff_scene_free(s);
    return def;
}

/* in a partly specified start the rest is 0 */
static void starts_that_are_half_said(void **state) {
    (void)state;
    ff_joint_def def = joint_of(HINGE("angle: 1"));
    assert_true(def.start[0] == 1 && def.rate[0] == 0);
    def = joint_of(HINGE("rate: 2"));
    assert_true(def.start[0] == 0 && def.rate[0] == 2);
    def = joint_of(JOINT("planar: {" AXIS ", angle: 1}"));
    assert_three(def.start, 0, 0, 1);
    assert_three(def.rate, 0, 0, 0);
    def = joint_of(JOINT("planar: {" AXIS ", velocity: [1, 2]}"));
    assert_three(def.start, 0, 0, 0);
    assert_three(def.rate, 1, 2, 0);
    def = joint_of(HINGE("stiffness: 1"));
    assert_true(isnan(def.start[0]) && isnan(def.rate[0]));
}

/* Every friction law, with stiffness per radian instead of per metre, and newton metres instead of newtons. */
static void friction_of_a_hinge(void **state) {
    (void)state;
    static const struct {
        const char *law, *param;
        double value;
    } laws[] = {
        {"none", NULL, 0},
        {"coulomb, mu: 1, v_ramp: 2 rad/s", "v_ramp", 2},
        {"awrejcewicz, mu: 1, epsilon: 3 1/s", "epsilon", 3},
        {"bengisu-akay, mu_s: 1, mu: 1, v0: 4 rad/s, xi: 5 s/rad", "v0", 4},
        {"dahl, mu: 1, k: 5 1/rad", "k", 5},
        {"lugre, mu: 1, k: 6, damping: 7 s, viscous: 8 s/rad", "damping", 7},
        {"clutch, mu: 1, k: 7 N m/rad, damping: 8 N m s, viscous: 9 N m s/rad", "viscous", 9},
        {"sat, mu: 1, k: 8 N m, beta: 9 ms", "beta", 9e-3},
    };
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        char text[400];
        snprintf(text, sizeof text, HINGE("load: 1, friction: {law: %s}"), laws[i].law);
        ff_joint_def def = joint_of(text);
        size_t length = strlen(def.along[0].friction.law->name);
        assert_true(strncmp(laws[i].law, def.along[0].friction.law->name, length) == 0 &&
                    strcspn(laws[i].law, ",") == length);
        assert_true(!laws[i].param ||
                    ff_friction_value(&def.along[0].friction, laws[i].param) == laws[i].value);
    }
    /* and `bed` and `viscous-bed`, which need a depth */
    assert_null(ff_friction_law_at(sizeof laws / sizeof *laws + 2));
    /* along a slider the units are those of a contact with n = 1 */
    ff_joint_def def = joint_of(SLIDER(
        "load: 1, friction: {law: clutch, mu: 1, k: 2 N/m, damping: 3 N s/m, viscous: 4 N s/m}"));
    assert_true(ff_friction_value(&def.along[0].friction, "k") == 2 &&
                ff_friction_value(&def.along[0].friction, "damping") == 3 &&
                ff_friction_value(&def.along[0].friction, "viscous") == 4);
}

#define FLOOR(more) JOINT("planar: {between: [world, b], axis: [0, 0, 1], " more "}")
#define CROSS(more)                                                                                \
    JOINT("universal: {between: [a, b], axis: [1, 0, 0], second_axis: [0, 1, 0], " more "}")

static void efforts_by_coordinate(void **state) {
    (void)state;
    const char text[] =
        FLOOR("along: {way2: {stiffness: 1 N/mm, rest: 1 cm, damping: 2 N s/m, "
              "limits: {lower: -1 mm, stiffness: 3, damping: 4 s/m}}, way1: "
              "{limits: {upper: 1 m, law: hunt-crossley, k: 2 N/mm^1.5, lambda: 8}}, "
              "angle: {stiffness: 5 N m, limits: {upper: 90 deg, law: hertz, k: 9 N m}, friction: "
              "{law: lugre, mu: 0.1, k: 2}, load: 6 N "
              "m}}") "forces:\n"
                     "  f: {constant: {joint: j, coordinate: way2, force: 1 N}}\n"
                     "  g: {pd: {joint: j, coordinate: angle, kp: 1 N m, target: [1 rad]}}\n";
    const char *set[] = {"joints.j.planar.along.way1.damping=7 N s/m"};
    ff_scene *s = parse(text, strlen(text), set, 1);
    assert_holds(s != NULL, "%s", told);
    const ff_joint_effort *e = s->joints.at[0].along;
    assert_true(e[0].damping == 7 && e[0].stiffness == 0);
    assert_true(e[1].stiffness == 1000 && e[1].rest == 0.01 && e[1].damping == 2);
    assert_true(e[1].lower == -1e-3 && isinf(e[1].upper));
    assert_true(e[1].limit_stiffness == 3 && e[1].limit_damping == 4);
    assert_true(e[0].upper == 1 && isinf(e[0].lower) && fabs(e[2].upper - acos(0)) < 1e-15);
    assert_near(ff_normal_value(&e[0].limit, "k"), 2 * pow(1000, 1.5), 1e-9);
    assert_true(ff_normal_value(&e[0].limit, "lambda") == 8 && !e[1].limit.law);
    assert_true(ff_normal_value(&e[2].limit, "k") == 9);
    assert_true(e[2].stiffness == 5 && e[2].load == 6);
    assert_true(ff_friction_value(&e[2].friction, "k") == 2);
    assert_true(s->forces.at[0].coordinate == 1 && s->forces.at[1].coordinate == 2);
    /* the model has these numbers under the paths of the file */
    ff_model *model;
    ff_error error;
    assert_int_equal(ff_model_create(s, &model, &error), FF_OK);
    static const struct {
        const char *path, *unit;
        double value;
    } fields[] = {{"joints.j.planar.along.way1.damping", "N s/m", 7},
                  {"joints.j.planar.along.way2.limits.stiffness", "N/m", 3},
                  {"joints.j.planar.along.angle.stiffness", "N m/rad", 5},
                  {"joints.j.planar.along.angle.friction.mu", "1", 0.1},
                  {"joints.j.planar.along.angle.load", "N m", 6},
                  {"joints.j.planar.along.way1.limits.lambda", "N s/m^(n+1)", 8},
                  {"joints.j.planar.along.angle.limits.k", "N m/rad^n", 9}};
    ff_sim *sim;
    assert_int_equal(ff_sim_create(model, NULL, &sim, &error), FF_OK);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        size_t at;
        assert_int_equal(ff_model_field_find(model, fields[i].path, &at, NULL, NULL), FF_OK);
        ff_field f;
        assert_true(ff_model_field(model, at, &f));
        assert_string_equal(f.path, fields[i].path);
        assert_string_equal(f.unit, fields[i].unit);
        double value;
        assert_int_equal(ff_sim_get(sim, at, &value), FF_OK);
        assert_true(value == fields[i].value);
    }
    ff_sim_free(sim);
    ff_model_free(model);
    ff_scene_free(s);
}

static void cylinders_and_screws(void **state) {
    (void)state;
    ff_joint_def def = joint_of(JOINT("cylindrical: {" AXIS
                                      ", distance: 1 cm, angle: 2, speed: 3, rate: 4, along: "
                                      "{way: {damping: 5 N s/m}, angle: {damping: 6 N m s}}}"));
    assert_int_equal(def.kind, FF_JOINT_CYLINDRICAL);
    assert_true(def.start[0] == 0.01 && def.start[1] == 2 && def.rate[0] == 3 && def.rate[1] == 4);
    assert_true(def.along[0].damping == 5 && def.along[1].damping == 6);
    def = joint_of(
        JOINT("screw: {" AXIS ", pitch: 5 mm/(360 deg), angle: 1, rate: 2, stiffness: 3 N m}"));
    assert_int_equal(def.kind, FF_JOINT_SCREW);
    assert_near(def.pitch, 5e-3 / (4 * acos(0)), 1e-18);
    assert_true(def.start[0] == 1 && def.rate[0] == 2 && def.along[0].stiffness == 3);
}

#define GEAR(gear)                                                                                 \
    BODIES "joints:\n  hip: {revolute: {between: [world, a], axis: [0, 0, 1]}}\n"                  \
           "  tube: {cylindrical: {between: [world, b], axis: [0, 1, 0]}}\n"                       \
           "  weld: {fixed: {between: [b, c]}}\n  g: {gear: {" gear "}}\n"

static void gears(void **state) {
    (void)state;
    ff_joint_def def =
        joint_of(GEAR("joints: [hip, tube], coordinates: [angle, way], ratio: 2 cm/rad"));
    assert_int_equal(def.kind, FF_JOINT_GEAR);
    assert_true(def.joints[0] == 0 && def.joints[1] == 1);
    assert_true(def.coordinates[0] == 0 && def.coordinates[1] == 0 && def.ratio == 0.02);
    assert_true(def.first == 0 && def.second == 1);
    def = joint_of(GEAR("joints: [tube, tube], coordinates: [way, angle], ratio: 3 rad/m"));
    assert_true(def.joints[0] == 1 && def.joints[1] == 1 && def.coordinates[1] == 1 &&
                def.ratio == 3);
}

static void wrong_gears(void **state) {
    (void)state;
    static const mistake cases[] = {
        {GEAR("joints: hip, ratio: 1"),
         "s.yaml:6:22: joints of gear of joint 'g' must be two joints, [a, b], not 'hip'\n"},
        {GEAR("joints: [hip, hop], ratio: 1"),
         "s.yaml:6:28: no joint 'hop' before gear of joint 'g'\n"},
        {GEAR("joints: [hip, []], ratio: 1"),
         "s.yaml:6:28: joints of gear of joint 'g' must be the name of a joint, not a list of 0\n"},
        {GEAR("joints: [hip, weld], ratio: 1"),
         "s.yaml:6:28: joints of gear of joint 'g' must have coordinates, and 'weld' is fixed\n"},
        {GEAR("joints: [hip, tube], ratio: 1"),
         "s.yaml:6:7: gear of joint 'g' needs coordinates, for joint 'tube' has several\n"},
        {GEAR("joints: [hip, tube], coordinates: [angle], ratio: 1"),
         "s.yaml:6:48: coordinates of gear of joint 'g' must be two coordinates, [a, b], not a "
         "list of 1\n"},
        {GEAR("joints: [hip, tube], coordinates: [angle, wy], ratio: 1"),
         "s.yaml:6:56: unknown coordinate 'wy' in gear of joint 'g' (did you mean 'way'?)\n"},
        {GEAR("joints: [hip, tube], coordinates: [angle, way], ratio: 1 rad"),
         "s.yaml:6:69: ratio of gear of joint 'g': '1 rad' is a plain number, expected a length "
         "(m)\n"},
        {GEAR("joints: [hip, tube], coordinates: [angle, angle], ratio: 0"),
         "s.yaml:6:71: ratio of gear of joint 'g' must not be 0\n"},
        {GEAR("joints: [hip, hip], ratio: 1"),
         "s.yaml:6:22: gear of joint 'g' couples a coordinate with itself\n"},
        {GEAR("joints: [hip, tube], coordinates: [angle, angle]"),
         "s.yaml:6:7: gear of joint 'g' needs ratio (rate of the second by that of the first)\n"},
        {GEAR("ratio: 1"), "s.yaml:6:7: gear of joint 'g' needs joints (two joints, [a, b])\n"},
        {GEAR("joints: [hip, tube], coordinates: [angle, angle], ratio: 1, between: [a, b]"),
         "s.yaml:6:74: unknown key 'between' in gear of joint 'g' (known are joints, coordinates, "
         "ratio)\n"},
        /* an invalid joint has its own message */
        {BODIES "joints:\n  hip: {revolute: {between: [world, a], axis: [0, 0, 1], angle: 1 m}}\n  "
                "tie: {revolute: {between: [world, b], axis: [0, 0, 1]}}\n"
                "  g: {gear: {joints: [hip, tie], ratio: 1}}\n",
         "s.yaml:3:65: angle of revolute of joint 'hip': '1 m' is a length (m), expected a plain "
         "number\n"},
    };
    ALL_SAY(cases);
}

static void settings_of_joints(void **state) {
    (void)state;
    const char *good[] = {"joints.j.revolute.damping=0.1 N m s", "joints.j.revolute.limits.upper=2",
                          "joints.j.revolute.limits.stiffness=3",
                          "joints.j.revolute.between=[world, a]"};
    const char text[] = HINGE("angle: 1");
    ff_scene *s = parse(text, strlen(text), good, 4);
    assert_holds(s != NULL, "%s", told);
    assert_true(s->joints.at[0].along[0].damping == 0.1 && s->joints.at[0].along[0].upper == 2);
    assert_true(s->joints.at[0].first == -1 && s->joints.at[0].second == 0);
    ff_scene_free(s);
    static const mistake wrong[] = {
        {"joints.i.revolute.damping=1",
         "--set joints.i.revolute.damping=1: there is no 'i' in joints (known are j)\n"},
        {"joints.j.revolute.dampin=1",
         "--set joints.j.revolute.dampin=1: unknown key 'dampin' in revolute of joint 'j' (did "
         "you mean 'damping'?)\n"},
        {"joints.j.revolute.damping=1 N",
         "--set joints.j.revolute.damping=1 N: damping of revolute of joint 'j': '1 N' is a "
         "force (N), expected a torque per rate (N m s)\n"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        s = parse(text, strlen(text), &wrong[i].text, 1);
        assert_null(s);
        assert_string_equal(told, wrong[i].says);
    }
}

/* ---- invalid scenes ---- */

/* one case per line, however long */
/* clang-format off */

static void wrong_joints(void **state) {
    (void)state;
    static const mistake cases[] = {
        {BODIES "joints: 3\n", "s.yaml:2:9: joints of the scene must be a map of name: {revolute: {..}}, not '3'\n"},
        {BODIES "joint: {}\n", "s.yaml:2:1: unknown key 'joint' in the scene (did you mean 'joints'?)\n"},
        {JOINT(""), "s.yaml:2:10: joint 'j' needs one of revolute, prismatic, spherical, universal, fixed, planar, free, cylindrical, screw, gear\n"},
        {JOINT("revolut: {between: [a, b]}"), "s.yaml:2:14: unknown key 'revolut' in joint 'j' (did you mean 'revolute'?)\n"},
        {JOINT("fixed: {between: [a, b]}, spherical: {between: [a, b]}"), "s.yaml:2:40: joint 'j' has both fixed and spherical: give only one\n"},
        {JOINT("fixed: 3"), "s.yaml:2:21: fixed of joint 'j' must be a map, not a text\n"},
        {BODIES "joints: {j*: {fixed: {between: [a, b]}}}\n", "s.yaml:2:10: 'j*' cannot be the name of a joint: use letters, digits, _ and -, at most 63\n"},
        {JOINT("fixed: {}"), "s.yaml:2:14: fixed of joint 'j' needs between (two bodies, [a, b])\n"},
        {JOINT("fixed: {between: a}"), "s.yaml:2:31: between of fixed of joint 'j' must be two bodies, [a, b], not 'a'\n"},
        {JOINT("fixed: {between: [a]}"), "s.yaml:2:31: between of fixed of joint 'j' must be two bodies, [a, b], not a list of 1\n"},
        {JOINT("fixed: {between: [a, []]}"), "s.yaml:2:35: between of fixed of joint 'j' must be the name of a body, not a list of 0\n"},
        {JOINT("fixed: {between: [a, bb]}"), "s.yaml:2:35: unknown body 'bb' in fixed of joint 'j' (did you mean 'b'?)\n"},
        {JOINT("fixed: {between: [a, world]}"), "s.yaml:2:35: between of fixed of joint 'j': world can only come first\n"},
        {JOINT("fixed: {between: [a, a]}"), "s.yaml:2:31: between of fixed of joint 'j' names one body twice\n"},
        {JOINT("free: {between: [a, b]}"), "s.yaml:2:31: between of free of joint 'j' must begin with world: two bodies that move at will against each other need no joint\n"},
        {"bodies: {a: {mass: 1, lock: rotation}}\njoints: {j: {fixed: {between: [world, a]}}}\n", "s.yaml:2:39: body 'a' has a lock, and fixed of joint 'j' holds it: a joint with the world can do what the lock does\n"},
        {JOINT("revolute: {between: [a, b]}"), "s.yaml:2:14: revolute of joint 'j' needs axis (a vector)\n"},
        {JOINT("revolute: {between: [a, b], axis: [0, 0, 0]}"), "s.yaml:2:48: axis of revolute of joint 'j' has no direction: its length is 0\n"},
        {JOINT("universal: {between: [a, b], axis: [1, 0, 0]}"), "s.yaml:2:14: universal of joint 'j' needs second_axis (a vector)\n"},
        {JOINT("universal: {between: [a, b], axis: [1, 0, 0], second_axis: [1, 1, 0]}"), "s.yaml:2:73: second_axis of universal of joint 'j' must be square to axis, and has 45 deg against it\n"},
        {JOINT("universal: {between: [a, b], axis: [1, 0, 0], second_axis: [0, 1, 0], orientation: {axis: [0, 0, 1], angle: 30 deg}}"), "s.yaml:2:73: second_axis of universal of joint 'j' must be square to axis, and has 120 deg against it\n"},
        {JOINT("universal: {between: [a, b], axis: [1, 0, 0], second_axis: [1, 0, 0], angles: [1]}"), "s.yaml:2:92: angles of universal of joint 'j' must be a list of two numbers, not a list of 1\n"},
        {JOINT("spherical: {between: [a, b], axis: [1, 0, 0]}"), "s.yaml:2:43: axis of spherical of joint 'j' is for limits of its swing, and there are none\n"},
        {JOINT("spherical: {between: [a, b], limits: {upper: 1, stiffness: 1}}"), "s.yaml:2:43: limits of spherical of joint 'j' need axis, from which it swings\n"},
        {JOINT("spherical: {between: [a, b], axis: [1, 0, 0], limits: {lower: 0, upper: 1, stiffness: 1}}"), "s.yaml:2:69: limits of spherical of joint 'j': a swing has no lower limit\n"},
        {JOINT("spherical: {between: [a, b], axis: [1, 0, 0], limits: {upper: 4, stiffness: 1}}"), "s.yaml:2:76: upper of limits of spherical of joint 'j' is 4, and must be between 0 and 180 deg\n"},
        {JOINT("spherical: {between: [a, b], stiffness: 1, rest: 1}"), "s.yaml:2:57: 'rest' in spherical of joint 'j' is what orientation says\n"},
        {JOINT("spherical: {between: [a, b], friction: {law: coulomb, mu: 1}}"), "s.yaml:2:43: spherical of joint 'j' has friction, and needs load (what presses on it, N m)\n"},
        {JOINT("fixed: {between: [a, b], stiffness: 1}"), "s.yaml:2:39: 'stiffness' in fixed of joint 'j' is for joints that have coordinates\n"},
        {JOINT("planar: {" AXIS ", limits: {upper: 1}}"), "s.yaml:2:57: 'limits' in planar of joint 'j' is given for each coordinate, under along\n"},
        {JOINT("fixed: {between: [a, b], friction: {law: coulomb}, load: 1}"), "s.yaml:2:39: 'friction' in fixed of joint 'j' is for joints that have coordinates\n"
                                                                                "s.yaml:2:65: 'load' in fixed of joint 'j' is for joints that have coordinates\n"},
        {JOINT("universal: {between: [a, b], axis: [1, 0, 0], second_axis: [0, 1, 0], damping: 1}"), "s.yaml:2:84: 'damping' in universal of joint 'j' is given for each coordinate, under along\n"},
        {JOINT("fixed: {between: [a, b], orientation: [0, 0, 0, 0]}"), "s.yaml:2:52: orientation of fixed of joint 'j' has no direction: its length is 0\n"},
    };
    ALL_SAY(cases);
}

static void wrong_efforts(void **state) {
    (void)state;
    static const mistake cases[] = {
        {FLOOR("along: 3"), "s.yaml:2:68: along of planar of joint 'j' must be a map, not a text\n"},
        {FLOOR("along: {way: {}}"), "s.yaml:2:69: unknown key 'way' in along of planar of joint 'j' (did you mean 'way1'?)\n"},
        {FLOOR("along: {way1: {stiffness: 1 N m}}"), "s.yaml:2:87: stiffness of way1 of along of planar of joint 'j': '1 N m' is an energy or torque (J), expected a stiffness (N/m)\n"},
        {FLOOR("along: {angle: {friction: {law: coulomb, mu: 1}}}"), "s.yaml:2:77: angle of along of planar of joint 'j' has friction, and needs load (what presses on it, N m)\n"},
        {CROSS("along: {angle2: {load: 1}}"), "s.yaml:2:101: angle2 of along of universal of joint 'j' has a load, and needs friction for it to act\n"},
        {CROSS("along: {angle2: {limits: {lower: 1, upper: 0, stiffness: 1}}}"), "s.yaml:2:127: upper of limits of angle2 of along of universal of joint 'j' is 0, below its lower, 1\n"},
        {CROSS("along: {angle1: {limits: {upper: 1, law: hertz, k: 1 N m, stiffness: 2}}}"), "s.yaml:2:142: unknown key 'stiffness' in hertz (known are law, k, n, lower, upper)\n"},
        {HINGE("limits: {law: hertz, k: 1}"), "s.yaml:2:59: limits of revolute of joint 'j' needs lower or upper\n"},
        {HINGE("limits: {upper: 1, law: hertz}"), "s.yaml:2:59: hertz needs k (stiffness, N m)\n"},
        {HINGE("limits: {upper: 1, law: hert, k: 1}"), "s.yaml:2:83: unknown law 'hert' in limits of revolute of joint 'j' (did you mean 'hertz'?)\n"},
        {HINGE("limits: {upper: 1, law: hertz, k: 1 N}"), "s.yaml:2:93: k of hertz: '1 N' is a force (N), expected an energy or torque (J)\n"},
        {HINGE("limits: {upper: 1 m, law: hertz, k: 1}"), "s.yaml:2:75: upper of limits of revolute of joint 'j': '1 m' is a length (m), expected a plain number\n"},
        {HINGE("limits: {lower: 2, upper: 1, law: hertz, k: 1}"), "s.yaml:2:85: upper of limits of revolute of joint 'j' is 1, below its lower, 2\n"},
        {HINGE("limits: {upper: 1, law: xiong, K: 1, alpha: 1, beta: 1}"), "s.yaml:2:83: limits of revolute of joint 'j' takes laws without inner states, and 'xiong' has one\n"},
        {HINGE("limits: {upper: 1, law: flores, k: 1, e: 0.5}"), "s.yaml:2:83: limits of revolute of joint 'j' takes laws without inner states, and 'flores' has one\n"},
        {JOINT("screw: {" AXIS "}"), "s.yaml:2:14: screw of joint 'j' needs pitch (way by angle, m/rad)\n"},
        {JOINT("screw: {" AXIS ", pitch: 0}"), "s.yaml:2:63: pitch of screw of joint 'j' must not be 0: that is a revolute joint\n"},
        {JOINT("screw: {" AXIS ", pitch: 1 N}"), "s.yaml:2:63: pitch of screw of joint 'j': '1 N' is a force (N), expected a length (m)\n"},
        {JOINT("screw: {" AXIS ", pitch: 1, load: 1}"), "s.yaml:2:66: screw of joint 'j' has a load, and needs friction for it to act\n"},
        {JOINT("cylindrical: {" AXIS ", damping: 1}"), "s.yaml:2:62: 'damping' in cylindrical of joint 'j' is given for each coordinate, under along\n"},
        {HINGE("along: {}"), "s.yaml:2:59: 'along' in revolute of joint 'j' is for joints with several coordinates\n"},
        {JOINT("fixed: {between: [a, b], along: {}}"), "s.yaml:2:39: 'along' in fixed of joint 'j' is for joints that have coordinates\n"},
        {FLOOR("rate: 0") "forces: {f: {constant: {joint: j, force: 1}}}\n", "s.yaml:3:32: constant of force 'f' needs coordinate, because joint 'j' has several: way1, way2, angle\n"},
        {FLOOR("rate: 0") "forces: {f: {constant: {joint: j, coordinate: angel, torque: 1}}}\n", "s.yaml:3:47: unknown coordinate 'angel' in constant of force 'f' (did you mean 'angle'?)\n"},
        {FLOOR("rate: 0") "forces: {f: {constant: {joint: j, coordinate: angle, force: 1}}}\n", "s.yaml:3:14: constant of force 'f' needs torque (N m)\n"
                                                                                             "s.yaml:3:54: 'force' in constant of force 'f' is for coordinates that slide\n"},
        {FORCE("constant: {joint: hip, coordinate: way, torque: 1}"), "s.yaml:6:49: unknown coordinate 'way' in constant of force 'f' (known are angle)\n"},
    };
    ALL_SAY(cases);
}

static void wrong_numbers_of_joints(void **state) {
    (void)state;
    static const mistake cases[] = {
        {HINGE("angle: 1 m"), "s.yaml:2:66: angle of revolute of joint 'j': '1 m' is a length (m), expected a plain number\n"},
        {HINGE("rate: 1 Hz"), "s.yaml:2:65: rate of revolute of joint 'j': '1 Hz' is a frequency, expected an angular velocity: 6.2832 rad/s\n"},
        {HINGE("stiffness: 1 N/m"), "s.yaml:2:70: stiffness of revolute of joint 'j': '1 N/m' is a stiffness (N/m), expected an energy or torque (J)\n"},
        {HINGE("stiffness: -1"), "s.yaml:2:70: stiffness of revolute of joint 'j' is -1, but must be >= 0\n"},
        {HINGE("damping: 1 N s/m"), "s.yaml:2:68: damping of revolute of joint 'j': '1 N s/m' is a damping (N s/m), expected a torque per rate (N m s)\n"},
        {SLIDER("distance: 1 rad"), "s.yaml:2:70: distance of prismatic of joint 'j': '1 rad' is a plain number, expected a length (m)\n"},
        {SLIDER("angle: 1"), "s.yaml:2:60: unknown key 'angle' in prismatic of joint 'j' (known are between, anchor, second_anchor, orientation, axis, distance, speed, stiffness, rest, damping, limits, friction, load, bearing_length, motion)\n"},
        {SLIDER("stiffness: 1 N m/rad"), "s.yaml:2:71: stiffness of prismatic of joint 'j': '1 N m/rad' is an energy or torque (J), expected a stiffness (N/m)\n"},
        {HINGE("limits: {stiffness: 1}"), "s.yaml:2:59: limits of revolute of joint 'j' needs lower or upper\n"},
        {HINGE("limits: {upper: 1}"), "s.yaml:2:59: limits of revolute of joint 'j' needs stiffness (N m/rad)\n"},
        {HINGE("limits: {lower: 2, upper: 1, stiffness: 1}"), "s.yaml:2:85: upper of limits of revolute of joint 'j' is 1, below its lower, 2\n"},
        {HINGE("limits: {upper: 1, stiffness: 0}"), "s.yaml:2:89: stiffness of limits of revolute of joint 'j' is 0, but must be > 0\n"},
        {SLIDER("limits: {upper: 1 m, stiffness: 1, damping: 1 s}"), "s.yaml:2:104: damping of limits of prismatic of joint 'j': '1 s' is a time (s), expected m^-1 s\n"},
        {HINGE("limits: 3"), "s.yaml:2:67: limits of revolute of joint 'j' must be a map, not a text\n"},
        {HINGE("friction: {law: coulomb, mu: 1}"), "s.yaml:2:59: revolute of joint 'j' has friction, and needs load (what presses on it, N m)\n"},
        {SLIDER("load: 1"), "s.yaml:2:60: prismatic of joint 'j' has a load, and needs friction for it to act\n"},
        {HINGE("load: 1 N, friction: {law: coulomb, mu: 1}"), "s.yaml:2:65: load of revolute of joint 'j': '1 N' is a force (N), expected an energy or torque (J)\n"},
        {HINGE("load: 1, friction: {law: coulom, mu: 1}"), "s.yaml:2:84: unknown law 'coulom' in friction of revolute of joint 'j' (did you mean 'coulomb'?)\n"},
        {HINGE("load: 1, friction: {law: coulomb, mu: 1, v_ramp: 1 mm/s}"), "s.yaml:2:108: v_ramp of coulomb: '1 mm/s' is a speed (m/s), expected a rate (1/s)\n"},
        {HINGE("load: 1, friction: {law: sat, mu: 1, beta: 1}"), "s.yaml:2:68: sat needs k (tangential stiffness, N m)\n"},
        {SLIDER("load: 1, friction: {law: sat, mu: 1, beta: 1}"), "s.yaml:2:69: sat needs k (tangential stiffness, N/m)\n"},
    };
    ALL_SAY(cases);
}

/* a start specified twice */
static void wrong_starts(void **state) {
    (void)state;
    static const mistake cases[] = {
        {"bodies:\n  b: {mass: 1, inertia: 1, position: [0, 0, 0], orientation: [1, 0, 0, 0], velocity: [1, 0, 0], omega: [0, 0, 0]}\n"
         "joints: {j: {revolute: {between: [world, b], axis: [0, 0, 1], angle: 1}}}\n",
         "s.yaml:2:28: position of body 'b' is one too many: angle of joint 'j' says how it starts\n"
         "s.yaml:2:49: orientation of body 'b' is one too many: angle of joint 'j' says how it starts\n"
         "s.yaml:2:76: velocity of body 'b' is one too many: angle of joint 'j' says how it starts\n"
         "s.yaml:2:97: omega of body 'b' is one too many: angle of joint 'j' says how it starts\n"},
        {"bodies:\n  b: {mass: 1, inertia: 1, position: [0, 0, 0], velocity: [1, 0, 0]}\n"
         "joints: {j: {planar: {between: [world, b], axis: [0, 0, 1], rate: 1}}}\n",
         "s.yaml:2:28: position of body 'b' is one too many: rate of joint 'j' says how it starts\n"
         "s.yaml:2:49: velocity of body 'b' is one too many: rate of joint 'j' says how it starts\n"},
        {BODIES "joints:\n  i: {prismatic: {between: [world, b], axis: [0, 0, 1], distance: 1}}\n"
         "  j: {revolute: {between: [a, b], axis: [0, 0, 1], angle: 1}}\n",
         "s.yaml:4:52: angle of joint 'j': how body 'b' starts is given by joint 'i' already\n"},
        {BODIES "joints:\n  i: {revolute: {between: [a, b], axis: [0, 0, 1], angle: 1}}\n"
         "  j: {revolute: {between: [b, c], axis: [0, 0, 1], angle: 1}}\n"
         "  k: {revolute: {between: [c, a], axis: [0, 0, 1], angle: 1}}\n",
         "s.yaml:5:52: angle of joint 'k': body 'a' would start by itself, around a loop; leave one joint of it without\n"},
        /* an invalid joint specifies no start */
        {"bodies:\n  b: {mass: 1, inertia: 1, position: [0, 0, 0]}\n"
         "joints: {j: {revolute: {between: [world, b], axis: [0, 0, 1], angle: 1, rest: 1 m}}}\n",
         "s.yaml:3:79: rest of revolute of joint 'j': '1 m' is a length (m), expected a plain number\n"},
    };
    ALL_SAY(cases);
}

static void wrong_actuators(void **state) {
    (void)state;
    static const mistake cases[] = {
        {FORCE("constant: {joint: hop, torque: 1}"), "s.yaml:6:32: unknown joint 'hop' in constant of force 'f' (did you mean 'hip'?)\n"},
        {FORCE("constant: {joint: [], torque: 1}"), "s.yaml:6:32: joint of constant of force 'f' must be the name of a joint, not a list of 0\n"},
        {FORCE("constant: {joint: ball, torque: 1}"), "s.yaml:6:32: constant of force 'f' needs coordinate, because joint 'ball' has several: x, y, z\n"},
        {FORCE("constant: {joint: hip}"), "s.yaml:6:14: constant of force 'f' needs torque (N m)\n"},
        {FORCE("constant: {joint: hip, force: 1 N}"), "s.yaml:6:14: constant of force 'f' needs torque (N m)\n"
                                                      "s.yaml:6:37: 'force' in constant of force 'f' is for coordinates that slide\n"},
        {FORCE("constant: {joint: hip, torque: [0, 0, 1]}"), "s.yaml:6:45: torque of constant of force 'f' must be a number, not a list of 3\n"},
        {FORCE("constant: {joint: rail, torque: 1, force: 1 N m}"), "s.yaml:6:38: 'torque' in constant of force 'f' is for coordinates that turn\n"
                                                                    "s.yaml:6:56: force of constant of force 'f': '1 N m' is an energy or torque (J), expected a force (N)\n"},
        {FORCE("constant: {joint: hip, body: a, torque: 1}"), "s.yaml:6:37: 'body' in constant of force 'f' is not allowed: the force acts at a joint\n"},
        {FORCE("pd: {joint: hip, axis: [0, 0, 1], kp: 1, target: [0]}"), "s.yaml:6:31: 'axis' in pd of force 'f' is that of the joint\n"},
        {FORCE("pd: {joint: hip, kp: 1 N/m, target: [0]}"), "s.yaml:6:35: kp of pd of force 'f': '1 N/m' is a stiffness (N/m), expected an energy or torque (J)\n"},
        {FORCE("pd: {joint: rail, kp: 1 N/m, target: [1 rad]}"), "s.yaml:6:52: target of pd of force 'f': '1 rad' is a plain number, expected a length (m)\n"},
        {FORCE("table: {joint: hip, torque: 1, times: [0, 1], factors: [1]}"), "s.yaml:6:69: factors of table of force 'f' must be a list of two numbers or more, not a list of 1\n"},
        {FORCE("spring: {joint: hip, body: a, to: b, stiffness: 1}"), "s.yaml:6:23: unknown key 'joint' in spring of force 'f' (known are body, anchor, to, to_anchor, stiffness, damping, rest)\n"},
        /* an invalid joint is known by name nevertheless */
        {HINGE("angle: 1 m") "forces: {f: {constant: {joint: j, torque: 1}}}\n", "s.yaml:2:66: angle of revolute of joint 'j': '1 m' is a length (m), expected a plain number\n"},
    };
    ALL_SAY(cases);
}

static void wrong_ways_to_hold(void **state) {
    (void)state;
    static const mistake cases[] = {
        {BODIES "run: {formulation: minimal}\n", "s.yaml:2:20: unknown formulation 'minimal' in run (did you mean 'maximal'?)\n"},
        {BODIES "run: {constraints: index2}\n", "s.yaml:2:20: unknown constraints 'index2' in run (did you mean 'index1'?)\n"},
        {BODIES "run: {constraints: [direct]}\n", "s.yaml:2:20: constraints of run must be a word, not a list of 1\n"},
        {BODIES "run: {constraint_frequency: 10 Hz}\n", "s.yaml:2:29: constraint_frequency of run: '10 Hz' is a frequency, expected an angular velocity: 62.832 rad/s\n"},
        {BODIES "run: {constraint_damping: -1}\n", "s.yaml:2:27: constraint_damping of run is -1, but must be >= 0\n"},
        {BODIES "run: {constraint_penalty: 1 N/m}\n", "s.yaml:2:27: constraint_penalty of run: '1 N/m' is a stiffness (N/m), expected a mass (kg)\n"},
        {BODIES "run: {constraint_tolerance: 0}\n", "s.yaml:2:29: constraint_tolerance of run is 0, but must be > 0\n"},
        {"bodies: {a: {mass: 1, shape: {sphere: {radius: 1}}}}\nground: {f: {plane: {normal: [0, 0, 1]}}}\n"
         "pairs: [{between: [a, f], normal: {law: hertz, k: 1}, ignored_while_turning: [0, 0, 0]}]\n",
         "s.yaml:3:78: ignored_while_turning of pairs[0] has no direction: its length is 0\n"},
    };
    ALL_SAY(cases);
}

/* clang-format on */

/* Locks of a body without joints hold beside a mechanism, in every method: a block that is locked to x between two springs
 * follows x = cos(sqrt(k/m) t), and a locked body stays where it is. */
static void locks_beside_joints(void **state) {
    (void)state;
    static const char *const hows[] = {"articulated", "maximal"};
    static const char *const methods[] = {"auto", "dop853", "rosenbrock", "rodas", "trapezoid"};
    for (size_t i = 0; i < 10; i++) {
        char text[900];
        snprintf(
            text, sizeof text,
            "bodies:\n"
            "  still: {mass: 1e5, inertia: 1, position: [0, 0, 2], lock: [x, y, z, rotation]}\n"
            "  block: {mass: 2, inertia: 1, position: [1, 0, 2], lock: [y, z, ry]}\n"
            "  arm: {mass: 1, inertia: 0.1}\n"
            "joints: {pin: {revolute: {between: [world, arm], second_anchor: [0, 0, 1 m], axis: "
            "[0, 1, 0], angle: 0.3}}}\n"
            "forces: {s: {spring: {body: block, to: still, stiffness: 50}}}\n"
            "run: {until: 1, tol: 1e-8, formulation: %s, method: %s}\n",
            hows[i % 2], methods[i / 2]);
        ff_model *model = model_of_text(text);
        ff_sim *sim;
        assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
        assert_int_equal(ff_sim_advance(sim, 1), FF_OK);
        assert_int_equal(ff_sim_verdict(sim), FF_OK);
        const ff_motion still = ff_sim_body(sim, 0), block = ff_sim_body(sim, 1);
        assert_true(still.position[2] == 2 && still.velocity[2] == 0);
        assert_true(block.position[2] == 2 && block.omega[1] == 0);
        /* trapezoid: 7e-7 m after 5 rad at tol 1e-8 */
        assert_close(block.position[0], cos(5), 1e-5);
        /* what does not move is no part of the scale: of the block and the arm, 100 J */
        assert_true(ff_sim_ledger(sim).scale < 200);
        ff_sim_free(sim);
        ff_model_free(model);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(locks_beside_joints),
    cmocka_unit_test(every_key_of_joints),
    cmocka_unit_test(every_key_of_what_goes_with_them),
    cmocka_unit_test(every_way_to_hold_them),
    cmocka_unit_test(starts_that_are_half_said),
    cmocka_unit_test(friction_of_a_hinge),
    cmocka_unit_test(settings_of_joints),
    cmocka_unit_test(wrong_joints),
    cmocka_unit_test(wrong_numbers_of_joints),
    cmocka_unit_test(cylinders_and_screws),
    cmocka_unit_test(gears),
    cmocka_unit_test(wrong_gears),
    cmocka_unit_test(efforts_by_coordinate),
    cmocka_unit_test(wrong_efforts),
    cmocka_unit_test(wrong_starts),
    cmocka_unit_test(wrong_actuators),
    cmocka_unit_test(wrong_ways_to_hold),
};

#else

static void not_built(void **state) { (void)state; }

static const struct CMUnitTest tests[] = {cmocka_unit_test(not_built)};

#endif

CHECK_MAIN(tests)
