/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "law/params.h"
#include "scene_text.h"
#include <footfall/footfall.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* ---- shared definitions ---- */

static const ff_grains_def sand = {.size = sizeof(ff_grains_def),
                                   .name = "sand",
                                   .count = 30,
                                   .radius = {FF_SPREAD_NORMAL, 1e-3, 1e-4},
                                   .density = 2500,
                                   .from = {-0.01, 0, 0},
                                   .to = {0.01, 0.02, 0.05},
                                   .velocity = {1, 2, 3},
                                   .seed = 7};

static ff_scene *with(const ff_grains_def *def) {
    ff_scene *scene = ff_scene_create();
    ff_error error = {""};
    int first = ff_scene_add_grains(scene, def, &error);
    assert_holds(first == 0 && !*error.text, "%s", error.text);
    assert_int_equal(scene->bodies.count, def->count);
    assert_int_equal(scene->shapes.count, def->count);
    return scene;
}

static ff_normal normal(const char *name, const double *values) {
    ff_normal law;
    assert_int_equal(ff_normal_make(&law, ff_normal_law_find(name), values, NULL), FF_OK);
    return law;
}

/* a pair with a linear law of this stiffness */
static void add_pair(ff_scene *scene, const char *a, const char *b, double k) {
    ff_pair_def pair = {.size = sizeof(ff_pair_def),
                        .a = a,
                        .b = b,
                        .normal = normal("linear", (double[]){k, 1, NAN, NAN})};
    assert_true(ff_scene_add_pair(scene, &pair) >= 0);
}

static void add_floor(ff_scene *scene) {
    ff_plane_def plane = {.size = sizeof(ff_plane_def), .name = "floor", .normal = {0, 0, 1}};
    assert_true(ff_scene_add_plane(scene, &plane) >= 0);
}

/* ---- grains ---- */

static void assert_grain(const ff_scene *scene, size_t i, double radius, double x, double y,
                         double z) {
    const double *at = scene->bodies.at[i].position;
    assert_holds(scene->shapes.at[i].radius == radius && at[0] == x && at[1] == y && at[2] == z,
                 "grain %zu: radius %a at %a, %a, %a", i, scene->shapes.at[i].radius, at[0], at[1],
                 at[2]);
}

/* the same bits on every machine; the numbers were computed by the same formulas in Python, and the first radius
 * by the first number of splitmix64 in its authors' code */
static void same_seed_same_grains(void **state) {
    (void)state;
    ff_grains_def def = {.size = sizeof(ff_grains_def),
                         .name = "g",
                         .count = 8,
                         .radius = {FF_SPREAD_UNIFORM, 1, 2},
                         .density = 1,
                         .to = {9, 9, 9},
                         .seed = 1234567};
    ff_scene *scene = with(&def);
    assert_true(scene->shapes.at[0].radius == 1 + (double)(6457827717110365317u >> 11) * 0x1p-53);
    assert_grain(scene, 0, 0x1.599ed017fb090p+0, 0x1.b8aa677e48999p+0, 0x1.26ad8bec98345p+1,
                 0x1.d7eaeb74e4674p+0);
    assert_grain(scene, 7, 0x1.11d4346c2c7f4p+0, 0x1.eedd5bc56d8fdp+2, 0x1.945b78c9cb9c7p+2,
                 0x1.d938633819b3bp+2);
    ff_scene_free(scene);

    scene = with(&sand);
    assert_grain(scene, 0, 0x1.0ed701d17885ap-10, -0x1.199daf776c525p-7, 0x1.566a4c1db6e59p-10,
                 0x1.282711927abfap-10);
    assert_grain(scene, 8, 0x1.03bfb9a63da4cp-10, -0x1.84e8a5575b93fp-8, 0x1.1186509aecdb6p-8,
                 0x1.5d4967707c744p-10);
    assert_grain(scene, 29, 0x1.fc4827ebc2b74p-11, -0x1.72ec17ad1a8e2p-8, 0x1.aab65821053e9p-7,
                 0x1.9c1208456d511p-10);
    /* with a smaller count, the grains are the first of the larger group */
    def = sand;
    def.count = 12;
    ff_scene *few = with(&def);
    def.seed = 8;
    ff_scene *other = with(&def);
    for (size_t i = 0; i < 12; i++) {
        const ff_body_def *a = &scene->bodies.at[i], *b = &few->bodies.at[i];
        assert_string_equal(a->name, b->name);
        assert_true(a->mass == b->mass);
        assert_memory_equal(a->position, b->position, sizeof a->position);
        for (int axis = 0; axis < 3; axis++) {
            assert_true(a->position[axis] != other->bodies.at[i].position[axis]);
        }
        assert_true(a->mass != other->bodies.at[i].mass);
    }
    ff_scene_free(scene);
    ff_scene_free(few);
    ff_scene_free(other);

    /* grains of equal radius */
    def = (ff_grains_def){.size = sizeof(ff_grains_def),
                          .name = "g",
                          .count = 20,
                          .radius = {.a = 0.01},
                          .density = 1,
                          .to = {0.1, 0.1, 0.1},
                          .seed = 1};
    scene = with(&def);
    assert_grain(scene, 0, 0x1.47ae147ae147bp-7, 0x1.a36a371fcbd87p-7, 0x1.bdd78cf89ccd4p-7,
                 0x1.df0d5bcd3cb8bp-7);
    assert_grain(scene, 19, 0x1.47ae147ae147bp-7, 0x1.600cbd281abe7p-4, 0x1.dd2f0ebcf9d23p-7,
                 0x1.410bf35077800p-5);
    ff_scene_free(scene);
}

static void what_a_grain_is(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    ff_body_def ball = ff_body_def_default();
    ball.name = "ball";
    ball.mass = 1;
    assert_int_equal(ff_scene_add_body(scene, &ball), 0);
    assert_int_equal(ff_scene_add_grains(scene, &sand, NULL), 1);
    double mass = 0, least = INFINITY, most = 0;
    for (size_t i = 0; i < sand.count; i++) {
        char name[20];
        const ff_body_def *body = &scene->bodies.at[1 + i];
        const ff_shape_def *shape = &scene->shapes.at[i];
        snprintf(name, sizeof name, "sand[%zu]", i);
        assert_string_equal(body->name, name);
        assert_memory_equal(body->velocity, sand.velocity, sizeof body->velocity);
        assert_true(isnan(body->inertia[0][0]) && body->orientation[0] == 1 && body->locked == 0);
        assert_true(shape->body == (int)i + 1 && !shape->name && shape->box[0] == 0);
        assert_true(shape->center[0] == 0 && shape->center[1] == 0 && shape->center[2] == 0);
        /* a few roundings */
        assert_close(body->mass, 2500 * 4 / 3.0 * acos(-1) * pow(shape->radius, 3), 1e-15);
        mass += body->mass;
        least = fmin(least, shape->radius);
        most = fmax(most, shape->radius);
    }
    assert_int_equal(ff_scene_group_count(scene), 1);
    ff_group group = ff_scene_group(scene, 0);
    assert_string_equal(group.name, "sand");
    assert_true(group.first == 1 && group.count == 30 && group.mass == mass);
    assert_true(group.radius_least == least && group.radius_most == most && least < most);
    ff_scene_free(scene);
}

/* means and deviations of 100,000 radii: within four standard errors */
static void radii_are_spread_as_asked(void **state) {
    (void)state;
    enum { many = 100000 };
    /* a normal distribution truncated at 2 deviations keeps 1 - 4 phi(2)/(Phi(2) - Phi(-2)) of its variance,
     * 0.773741, and its fourth moment is 1.416189 of the original variance squared */
    static const struct {
        ff_spread spread;
        double least, most, mean, variance, fourth;
    } cases[] = {
        {{FF_SPREAD_SAME, 2, 0}, 2, 2, 2, 0, 0},
        {{FF_SPREAD_UNIFORM, 1, 3}, 1, 3, 2, 1 / 3.0, 1 / 5.0},
        {{FF_SPREAD_UNIFORM, 2, 2}, 2, 2, 2, 0, 0},
        {{FF_SPREAD_NORMAL, 3, 1}, 1, 5, 3, 0.7737413, 1.4161891},
        {{FF_SPREAD_NORMAL, 3, 0}, 3, 3, 3, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ff_grains_def def = {.size = sizeof(ff_grains_def),
                             .name = "g",
                             .count = many,
                             .radius = cases[i].spread,
                             .density = 1,
                             .to = {1000, 1000, 1000},
                             .seed = i};
        clock_t start = clock();
        ff_scene *scene = with(&def);
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        assert_holds(seconds < 1, "100,000 grains take %g s", seconds);
        double sum = 0, squares = 0;
        for (size_t j = 0; j < many; j++) {
            double r = scene->shapes.at[j].radius;
            assert_true(r >= cases[i].least && r <= cases[i].most);
            sum += r - cases[i].mean;
            squares += (r - cases[i].mean) * (r - cases[i].mean);
        }
        double variance = cases[i].variance;
        assert_near(sum / many, 0, 4 * sqrt(variance / many));
        assert_near(squares / many, variance,
                    4 * sqrt((cases[i].fourth - variance * variance) / many));
        ff_scene_free(scene);
    }
}

/* no two grains touch, and all are inside the box, also if it is just full */
static void grains_start_apart(void **state) {
    (void)state;
    static const ff_grains_def cases[] = {
        {.size = sizeof(ff_grains_def),
         .name = "a",
         .count = 1000,
         .radius = {.a = 1},
         .density = 1,
         .to = {21, 21, 21}},
        {.size = sizeof(ff_grains_def),
         .name = "b",
         .count = 500,
         .radius = {FF_SPREAD_UNIFORM, 0.1, 1},
         .density = 1,
         .from = {-7, 5, 1},
         .to = {10, 22, 30}},
        {.size = sizeof(ff_grains_def),
         .name = "c",
         .count = 343,
         .radius = {FF_SPREAD_NORMAL, 1e-3, 1e-4},
         .density = 1,
         .from = {1, 1, 1},
         .to = {1.01764, 1.01764, 1.01764}},
        {.size = sizeof(ff_grains_def),
         .name = "d",
         .count = 12,
         .radius = {.a = 1e-3},
         .density = 1,
         .to = {2.1e-3, 4.1e-3, 1}},
        {.size = sizeof(ff_grains_def),
         .name = "e",
         .count = 1,
         .radius = {.a = 1},
         .density = 1,
         .to = {2.1, 2.1, 2.1}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const ff_grains_def *def = &cases[c];
        ff_scene *scene = with(def);
        double gap = INFINITY;
        for (size_t i = 0; i < def->count; i++) {
            const double *p = scene->bodies.at[i].position, r = scene->shapes.at[i].radius;
            for (int axis = 0; axis < 3; axis++) {
                assert_true(p[axis] - r > def->from[axis] && p[axis] + r < def->to[axis]);
            }
            for (size_t j = 0; j < i; j++) {
                const double *q = scene->bodies.at[j].position;
                double away = sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                                   (p[2] - q[2]) * (p[2] - q[2]));
                gap = fmin(gap, (away - r - scene->shapes.at[j].radius) / r);
            }
        }
        /* a tenth of the clearance of both in their cells */
        assert_holds(gap > 0.0099, "%s: a gap of %g radii", def->name, gap);
        /* filled upward: the last grain is not below the first */
        assert_true(def->count == 1 ||
                    scene->bodies.at[def->count - 1].position[2] > scene->bodies.at[0].position[2]);
        ff_scene_free(scene);
    }
}

static void wrong_grains(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    static const char long_name[] =
        "a234567890123456789012345678901234567890123456789012345678901234";
    const char *names[] = {NULL, "", "a[1]", "a.b", "a*", long_name};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ff_grains_def def = sand;
        ff_error error;
        def.name = names[i];
        assert_int_equal(ff_scene_add_grains(scene, &def, &error), FF_BAD_VALUE);
        assert_string_equal(error.text,
                            "a group needs a name, at most 63 long, without '[', '.' and '*'");
    }
    struct {
        ff_grains_def def;
        const char *says;
    } cases[20];
    size_t count = 0;
#define WRONG(change, text)                                                                        \
    cases[count].def = sand;                                                                       \
    cases[count].def.change;                                                                       \
    cases[count++].says = text
    /* clang-format off */
    WRONG(count = 0, "count of group 'sand' is 0, but must be >= 1 and <= 10000000");
    WRONG(count = 10000001, "count of group 'sand' is 10000001, but must be >= 1 and <= 10000000");
    WRONG(radius.a = 2e-4, "radius of group 'sand' is from 0 to 0.0004 (2 deviations about its mean), but must be > 0");
    WRONG(radius.b = -1e-4, "radius of group 'sand' is from 0.0012 to 0.0008 (2 deviations about its mean), but must not fall");
    WRONG(radius = ((ff_spread){FF_SPREAD_SAME, -1, 0}), "radius of group 'sand' is from -1 to -1, but must be > 0");
    WRONG(radius = ((ff_spread){FF_SPREAD_SAME, INFINITY, 0}), "radius of group 'sand' is from inf to inf, but must be finite");
    WRONG(radius = ((ff_spread){FF_SPREAD_UNIFORM, 0, 1}), "radius of group 'sand' is from 0 to 1, but must be > 0");
    WRONG(radius = ((ff_spread){FF_SPREAD_UNIFORM, 2, 1}), "radius of group 'sand' is from 2 to 1, but must not fall");
    WRONG(radius = ((ff_spread){FF_SPREAD_UNIFORM, 1, NAN}), "radius of group 'sand' is from 1 to nan, but must not fall");
    WRONG(density = 0, "density of group 'sand' is 0, which gives masses from 0 to 0 kg");
    WRONG(density = 1e-320, "density of group 'sand' is 9.99989e-321, which gives masses from 0 to 0 kg");
    WRONG(density = INFINITY, "density of group 'sand' is inf, which gives masses from inf to inf kg");
    WRONG(to[1] = 0, "the box of group 'sand' goes from 0 to 0 along y, but must have a positive size");
    WRONG(to[2] = INFINITY, "the box of group 'sand' goes from 0 to inf along z, but must have a positive size");
    WRONG(from[0] = NAN, "the box of group 'sand' goes from nan to 0.01 along x, but must have a positive size");
    WRONG(count = 1217, "the box of group 'sand' has room for 931 of its 1217 grains with the largest radius, 0.0012 m");
    WRONG(to[2] = 2e-3, "the box of group 'sand' has room for 0 of its 30 grains with the largest radius, 0.0012 m");
    /* clang-format on */
    for (size_t i = 0; i < count; i++) {
        ff_error error;
        assert_int_equal(ff_scene_add_grains(scene, &cases[i].def, &error), FF_BAD_VALUE);
        assert_string_equal(error.text, cases[i].says);
        assert_int_equal(ff_scene_add_grains(scene, &cases[i].def, NULL), FF_BAD_VALUE);
    }
    assert_int_equal(scene->bodies.count, 0);
    assert_int_equal(ff_scene_group_count(scene), 0);
    ff_scene_free(scene);
}

/* ---- pairs ---- */

/* the stiffness of the contact with this name; NAN if there is none */
static double stiffness_of(const ff_model *model, const char *name) {
    for (size_t i = 0; i < ff_model_contact_count(model); i++) {
        if (strcmp(ff_model_contact_name(model, i), name) == 0) {
            return ff_normal_value(ff_model_contact_facts(model, i).normal, "k");
        }
    }
    return (double)NAN;
}

/* the name of a body has precedence over that of its group, and that over a pattern */
static void names_of_groups(void **state) {
    (void)state;
    ff_grains_def def = sand;
    def.count = 3;
    ff_scene *scene = with(&def);
    add_floor(scene);
    add_pair(scene, "*", "*", 1);
    add_pair(scene, "sand", "sand", 2);
    add_pair(scene, "sand", "floor", 3);
    add_pair(scene, "sand[0]", "sand", 4);
    add_pair(scene, "sand[1]", "floor", 5);
    ff_model *model;
    ff_error error = {""};
    assert_int_equal(ff_model_create(scene, &model, &error), FF_OK);
    assert_int_equal(ff_model_contact_count(model), 6);
    assert_true(stiffness_of(model, "sand[0]/floor") == 3);
    assert_true(stiffness_of(model, "sand[1]/floor") == 5);
    assert_true(stiffness_of(model, "sand[0]/sand[1]") == 4);
    assert_true(stiffness_of(model, "sand[1]/sand[2]") == 2);
    ff_model_free(model);

    /* a body and a pattern are as specific as twice a group */
    add_pair(scene, "sand[2]", "*", 6);
    assert_true(ff_model_create(scene, &model, &error) < 0);
    assert_string_equal(error.text, "two pairs match 'sand[1]' and 'sand[2]' equally well");
    ff_scene_free(scene);

    /* patterns match the names of grains */
    scene = with(&def);
    add_floor(scene);
    add_pair(scene, "*and[*", "floor", 1);
    add_pair(scene, "sand[*", "sa*", 2);
    assert_int_equal(ff_model_create(scene, &model, &error), FF_OK);
    assert_true(stiffness_of(model, "sand[2]/floor") == 1);
    assert_true(stiffness_of(model, "sand[0]/sand[2]") == 2);
    ff_model_free(model);
    ff_scene_free(scene);

    /* a single grain has no other to pair with */
    def.count = 1;
    scene = with(&def);
    add_pair(scene, "sand", "sand", 1);
    assert_int_equal(ff_model_create(scene, &model, &error), FF_OK);
    assert_int_equal(ff_model_contact_count(model), 0);
    ff_model_free(model);
    ff_scene_free(scene);
}

#ifdef FF_HAVE_YAML

/* ---- files ---- */

/* a group in a file with everything except a radius; one case per line, however long */
/* clang-format off */
#define FILL "fill: {from: [0, 0, 0], to: [1, 1, 1]}"
#define GROUP(keys) "bodies:\n  g: {count: 5, density: 1, " FILL ", " keys "}\n"
#define SAND "bodies:\n  g: {count: 5, radius: 1 cm, density: 1, " FILL "}\n  h: {count: 5, radius: {uniform: [1 cm, 2 cm]}, density: 1, " FILL "}\n" \
             "  b: {mass: 1, shape: {sphere: {radius: 1 cm}}}\nground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
#define BETWEEN(names, law) SAND "pairs:\n- {between: " names ", normal: {law: hertz, " law "}}\n"
#define FORCE(body) SAND "forces:\n  f: {constant: {body: " body ", force: [1, 0, 0]}}\n"

static void groups_in_files(void **state) {
    (void)state;
    static const mistake cases[] = {
        {GROUP("radius: 1 cm, velocity: [0, 0, 1], seed: 0"), ""},
        {"bodies:\n  g: {count: 5}\n", "s.yaml:2:3: group 'g' needs radius (m, or {uniform: [from, to]})\n"
         "s.yaml:2:3: group 'g' needs density (kg/m^3)\ns.yaml:2:3: group 'g' needs fill ({from: [..], to: [..]})\n"},
        {GROUP("radius: 1 cm, colour: red"), "s.yaml:2:83: unknown key 'colour' in group 'g' (known are count, radius, density, fill, velocity, seed)\n"},
        /* the keys of a single body, and those of a group without count */
        {GROUP("radius: 1, mass: 1, inertia: 1, position: 1, orientation: 1, omega: 1, shape: 1, lock: 1"),
         "s.yaml:2:80: 'mass' in group 'g' is for a single body: a group has radius, density and fill\n"
         "s.yaml:2:89: 'inertia' in group 'g' is for a single body: a group has radius, density and fill\n"
         "s.yaml:2:101: 'position' in group 'g' is for a single body: a group has radius, density and fill\n"
         "s.yaml:2:114: 'orientation' in group 'g' is for a single body: a group has radius, density and fill\n"
         "s.yaml:2:130: 'omega' in group 'g' is for a single body: a group has radius, density and fill\n"
         "s.yaml:2:140: 'shape' in group 'g' is for a single body: a group has radius, density and fill\n"
         "s.yaml:2:150: 'lock' in group 'g' is for a single body: a group has radius, density and fill\n"},
        {"bodies:\n  g: {radius: 1 cm, density: 1, " FILL "}\n", "s.yaml:2:3: group 'g' needs count (how many)\n"},
        {"bodies:\n  g: {cuont: 3, radius: 1 cm, density: 1, " FILL "}\n", "s.yaml:2:7: unknown key 'cuont' in group 'g' (did you mean 'count'?)\n"},
        {"bodies:\n  b: {mass: 1, lock: rotation, radius: 1, density: 1, fill: 1, seed: 1}\n",
         "s.yaml:2:32: 'radius' in body 'b' is for a group of grains: count is missing\n"
         "s.yaml:2:43: 'density' in body 'b' is for a group of grains: count is missing\n"
         "s.yaml:2:55: 'fill' in body 'b' is for a group of grains: count is missing\n"
         "s.yaml:2:64: 'seed' in body 'b' is for a group of grains: count is missing\n"},
        /* names */
        {"bodies:\n  a.b: {count: 5, radius: 1 cm, density: 1, " FILL "}\n", "s.yaml:2:3: 'a.b' cannot be the name of a body: use letters, digits, _ and -, at most 63\n"},
        {"bodies:\n  world: {count: 5, radius: 1 cm, density: 1, " FILL "}\n", "s.yaml:2:3: a body cannot be called 'world': in springs and joints that name means the ground\n"},
        /* numbers */
        {"bodies:\n  g: {count: 0, radius: 1 cm, density: 1, " FILL "}\n", "s.yaml:2:14: count of group 'g' is 0, but must be >= 1 and <= 1e+07\n"},
        {"bodies:\n  g: {count: 2.5, radius: 1 cm, density: 1, " FILL ", seed: 0.5}\n", "s.yaml:2:14: count of group 'g' is 2.5, but must be a whole number\n"
         "s.yaml:2:91: seed of group 'g' is 0.5, but must be a whole number\n"},
        {"bodies:\n  g: {count: 1e8, radius: 1 cm, density: 1 kg, " FILL ", seed: 1e16}\n", "s.yaml:2:14: count of group 'g' is 1e+08, but must be >= 1 and <= 1e+07\n"
         "s.yaml:2:42: density of group 'g': '1 kg' is a mass (kg), expected a density (kg/m^3)\n"
         "s.yaml:2:94: seed of group 'g' is 1e+16, but must be >= 0 and <= 9.0072e+15\n"},
        {"bodies:\n  g: {count: many, radius: 1 cm, density: 0, " FILL ", seed: -1}\n", "s.yaml:2:14: count of group 'g': 'many' is not a number\n"
         "s.yaml:2:43: density of group 'g' is 0, but must be > 0\ns.yaml:2:92: seed of group 'g' is -1, but must be >= 0 and <= 9.0072e+15\n"},
        {GROUP("radius: 1 cm, velocity: 1"), "s.yaml:2:93: velocity of group 'g' must be a list of three numbers, not '1'\n"},
        /* radii */
        {GROUP("radius: 0"), "s.yaml:2:77: radius of group 'g' is 0, but must be > 0\n"},
        {GROUP("radius: 1 s"), "s.yaml:2:77: radius of group 'g': '1 s' is a time (s), expected a length (m)\n"},
        {GROUP("radius: "), "s.yaml:2:77: radius of group 'g' must be a length, {uniform: [from, to]} or {normal: [mean, deviation]}, not empty\n"},
        {GROUP("radius: [1, 2]"), "s.yaml:2:77: radius of group 'g' must be a length, {uniform: [from, to]} or {normal: [mean, deviation]}, not a list of 2\n"},
        {GROUP("radius: {}"), "s.yaml:2:69: radius of group 'g' needs one of uniform, normal\n"},
        {GROUP("radius: {unifrom: [1 cm, 2 cm]}"), "s.yaml:2:78: unknown key 'unifrom' in radius of group 'g' (did you mean 'uniform'?)\n"},
        {GROUP("radius: {uniform: [1 cm, 2 cm], normal: [1 cm, 1 mm]}"), "s.yaml:2:101: radius of group 'g' has both uniform and normal: give only one\n"},
        {GROUP("radius: {uniform: 1 cm}"), "s.yaml:2:87: uniform of radius of group 'g' must be two numbers, [from, to], not '1 cm'\n"},
        {GROUP("radius: {normal: [1 cm]}"), "s.yaml:2:86: normal of radius of group 'g' must be two numbers, [mean, deviation], not a list of 1\n"},
        {GROUP("radius: {uniform: [2 cm, 1 cm]}"), "s.yaml:2:77: radius of group 'g' is from 0.02 to 0.01, but must not fall\n"},
        {GROUP("radius: {uniform: [0, 1 cm]}"), "s.yaml:2:77: radius of group 'g' is from 0 to 0.01, but must be > 0\n"},
        {GROUP("radius: {normal: [1 cm, 5 mm]}"), "s.yaml:2:77: radius of group 'g' is from 0 to 0.02 (2 deviations about its mean), but must be > 0\n"},
        {GROUP("radius: {normal: [1 cm, -1 mm]}"), "s.yaml:2:93: normal of radius of group 'g' is -0.001, but must be >= 0\n"},
        {GROUP("radius: {normal: [1 kg, 1 mm]}"), "s.yaml:2:87: normal of radius of group 'g': '1 kg' is a mass (kg), expected a length (m)\n"},
        /* the box; references to an invalid group cause no further messages */
        {"bodies:\n  g: {count: 5, radius: 1, density: 1, fill: 3}\n", "s.yaml:2:46: fill of group 'g' must be a map, not a text\n"},
        {"bodies:\n  g: {count: 5, radius: 1, density: 1, fill: {from: [0, 0, 0]}}\n", "s.yaml:2:40: fill of group 'g' needs to (the opposite corner, m)\n"},
        {"bodies:\n  g: {count: 5, radius: 1, density: 1, fill: {from: [0, 0, 0], to: [1, 1 s, 1]}}\n",
         "s.yaml:2:72: to of fill of group 'g': '1 s' is a time (s), expected a length (m)\n"},
        {"bodies:\n  g: {count: 5, radius: 1, density: 1, fill: {from: [0, 0, 0], to: [1, -1, 1]}}\n",
         "s.yaml:2:46: the box of group 'g' goes from 0 to -1 along y, but must have a positive size\n"},
        {GROUP("radius: 30 cm") "ground: {floor: {plane: {normal: [0, 0, 1]}}}\npairs:\n- {between: [g, g], normal: {law: hertz, material: [steel, cork]}}\n- {between: [g, floor], normal: {law: hertz, k: 1}}\n",
         "s.yaml:2:35: the box of group 'g' has room for 1 of its 5 grains with the largest radius, 0.3 m\n"},
    };
    ALL_SAY(cases);
}

static void groups_in_pairs_and_forces(void **state) {
    (void)state;
    static const mistake cases[] = {
        {BETWEEN("[g, floor]", "k: 1"), ""},
        {BETWEEN("[g, g]", "k: 1"), ""},
        {BETWEEN("[g, h]", "k: 1"), ""},
        {BETWEEN("[b, h]", "k: 1"), ""},
        {BETWEEN("['g[0]', g]", "k: 1"), ""},
        {BETWEEN("['g[4]', 'g[3]']", "k: 1"), ""},
        {BETWEEN("['g[*', '*3]']", "k: 1"), ""},
        {BETWEEN("['g[4]', 'g[4]']", "k: 1"), "s.yaml:7:13: there is no contact between 'g[4]' and 'g[4]': they are one body\n"},
        {BETWEEN("['g[5]', 'g[-1]']", "k: 1"), "s.yaml:7:14: unknown body or plane 'g[5]' in pairs[0] (known are b, floor, g, h)\n"
         "s.yaml:7:22: unknown body or plane 'g[-1]' in pairs[0] (known are b, floor, g, h)\n"},
        {BETWEEN("['g[01]', 'x[1]']", "k: 1"), "s.yaml:7:14: unknown body or plane 'g[01]' in pairs[0] (known are b, floor, g, h)\n"
         "s.yaml:7:23: unknown body or plane 'x[1]' in pairs[0] (known are b, floor, g, h)\n"},
        {BETWEEN("['b[0]', '[0]']", "k: 1"), "s.yaml:7:14: unknown body or plane 'b[0]' in pairs[0] (known are b, floor, g, h)\n"
         "s.yaml:7:22: unknown body or plane '[0]' in pairs[0] (known are b, floor, g, h)\n"},
        {BETWEEN("['g[7*', '*g']", "k: 1"), "s.yaml:7:14: no body or plane matches 'g[7*' in pairs[0]\ns.yaml:7:22: no body or plane matches '*g' in pairs[0]\n"},
        {BETWEEN("[g.top, 'g[1].top']", "k: 1"), "s.yaml:7:14: body 'g' has no shape 'top'\ns.yaml:7:21: body 'g[1]' has no shape 'top'\n"},
        /* stiffness from materials requires a single radius */
        {BETWEEN("[g, g]", "material: [steel, steel]"), ""},
        {BETWEEN("[b, 'h[2]']", "material: [steel, steel]"), ""},
        {BETWEEN("[h, floor]", "material: [steel, cork]"), "s.yaml:7:56: material of hertz needs a radius, and 'h' has grains of several: give k\n"},
        {BETWEEN("['*', floor]", "material: [steel, cork]"), "s.yaml:7:58: material of hertz needs a radius, and '*' is a pattern: give k\n"},
        {FORCE("'g[2]'"), ""},
        {FORCE("g"), "s.yaml:7:24: body of constant of force 'f' must be one body, and 'g' is a group: name a grain, as 'g[0]'\n"},
        {FORCE("'g[5]'"), "s.yaml:7:24: unknown body 'g[5]' in constant of force 'f' (known are b, g, h)\n"},
        {SAND "forces:\n  f: {spring: {body: b, to: h, stiffness: 1}}\n", "s.yaml:7:29: to of spring of force 'f' must be one body, and 'h' is a group: name a grain, as 'h[0]'\n"},
    };
    ALL_SAY(cases);

    ff_scene *scene = parse_text(BETWEEN("[g, h]", "k: 1") "forces: {f: {constant: {body: 'h[2]', force: [1, 0, 0]}}}\n");
    assert_holds(scene != NULL, "%s", told);
    assert_int_equal(scene->forces.at[0].body, 7);
    ff_scene_free(scene);
}

/* clang-format on */

static void groups_by_settings(void **state) {
    (void)state;
    static const char text[] = SAND;
    static const char *const list[] = {"bodies.g.count=8", "bodies.h.radius.uniform[1]=30 mm",
                                       "bodies.g.seed=3"};
    ff_scene *scene = parse(text, strlen(text), list, 3);
    assert_holds(scene != NULL, "%s", told);
    ff_group g = ff_scene_group(scene, 0), h = ff_scene_group(scene, 1);
    assert_true(g.count == 8 && h.first == 8 && h.count == 5);
    assert_true(h.radius_most > 0.02 && h.radius_most < 0.03);
    ff_scene_free(scene);
    static const char *const wrong[] = {"bodies.g[0].count=8", "bodies.g.cuont=8"};
    assert_null(parse(text, strlen(text), wrong, 2));
    assert_string_equal(
        told, "--set bodies.g[0].count=8: 'bodies.g' is not a list, so it has no item 0\n"
              "--set bodies.g.cuont=8: unknown key 'cuont' in group 'g' (did you mean 'count'?)\n");
}

/* the file and the builder give the same grains */
static void the_same_by_file(void **state) {
    (void)state;
    static const char text[] = "bodies:\n"
                               "  sand:\n"
                               "    count: 30\n"
                               "    radius: {normal: [1 mm, 0.1 mm]}\n"
                               "    density: 2.5 t/m^3\n"
                               "    fill: {from: [-1 cm, 0, 0], to: [1 cm, 2 cm, 5 cm]}\n"
                               "    velocity: [1, 2, 3]\n"
                               "    seed: 7\n";
    ff_scene *read = parse_text(text), *built = with(&sand);
    assert_holds(read != NULL, "%s", told);
    assert_int_equal(read->bodies.count, built->bodies.count);
    for (size_t i = 0; i < sand.count; i++) {
        const ff_body_def *a = &read->bodies.at[i], *b = &built->bodies.at[i];
        assert_true(a->mass == b->mass && read->shapes.at[i].radius == built->shapes.at[i].radius);
        assert_memory_equal(a->position, b->position, sizeof a->position);
        assert_memory_equal(a->velocity, b->velocity, sizeof a->velocity);
    }
    ff_scene_free(read);
    ff_scene_free(built);
}

#endif

/* ---- runs ---- */

/* twenty grains fall and roll apart: every impact is located, and the ledger closes */
static void grains_settle(void **state) {
    (void)state;
    ff_grains_def def = {.size = sizeof(ff_grains_def),
                         .name = "g",
                         .count = 20,
                         .radius = {FF_SPREAD_NORMAL, 0.01, 1e-3},
                         .density = 1000,
                         .to = {0.08, 0.08, 0.08},
                         .seed = 1};
    ff_scene *scene = with(&def);
    add_floor(scene);
    ff_pair_def pair = {.size = sizeof(ff_pair_def), .a = "g", .b = "*"};
    pair.normal = normal("azad-featherstone", (double[]){1e5, 200, NAN, NAN});
    assert_int_equal(ff_friction_make(&pair.friction, ff_friction_law_find("clutch"),
                                      (double[]){0.3, 1.5e5, 200, NAN, NAN, NAN, NAN}, NULL),
                     FF_OK);
    assert_true(ff_scene_add_pair(scene, &pair) >= 0);
    ff_model *model;
    ff_sim *sim;
    ff_run_options options = ff_run_options_default();
    options.method = FF_DOPRI5;
    options.tol = 1e-8;
    assert_int_equal(ff_model_create(scene, &model, NULL), FF_OK);
    double radii[20];
    for (size_t i = 0; i < def.count; i++) {
        radii[i] = scene->shapes.at[i].radius;
    }
    ff_scene_free(scene);
    assert_int_equal(ff_sim_create(model, &options, &sim, NULL), FF_OK);
    ff_status status;
    long events = 0;
    while ((status = ff_sim_advance(sim, 0.3)) == FF_EVENT) {
        events++;
    }
    assert_int_equal(status, FF_OK);
    ff_ledger ledger = ff_sim_ledger(sim);
    assert_true(events > 100);
    /* the tolerance, although it applies to single steps: their errors have either sign */
    assert_near(ledger.residual, 0, options.tol * ledger.scale);
    /* the remaining motion is rolling; no grain is deeper in the floor than a tenth of its radius */
    assert_holds(ledger.kinetic < 0.1 * ledger.initial, "%g J of %g J move", ledger.kinetic,
                 ledger.initial);
    for (size_t i = 0; i < def.count; i++) {
        assert_true(ff_sim_body(sim, i).position[2] > 0.9 * radii[i]);
    }
    ff_sim_free(sim);
    ff_model_free(model);
}

/* ---- memory ---- */

static double memory_of(ff_scene *scene, ff_method method, bool events) {
    ff_run_options o = ff_run_options_default();
    o.method = method;
    o.events = events;
    ff_scene_set_run(scene, &o);
    return ff_scene_memory(scene);
}

static void memory_is_estimated(void **state) {
    (void)state;
    ff_grains_def def = sand;
    ff_scene *scene = with(&def);
    add_floor(scene);
    add_pair(scene, "sand", "floor", 1e3);
    /* 30 slots: the program, and a matrix of the states of bodies and slots, all of which may be coupled */
    double few = memory_of(scene, FF_RK4, true), states = 30 * 13 + 30 * 4;
    assert_holds(few > 3e6 && few < 4e6, "%g", few);
    assert_near(memory_of(scene, FF_ROSENBROCK, true) - few, 5200 * states, 1);
    /* 465 pairs with each other, of which at most ten per body are near, and six are coupled */
    add_pair(scene, "sand", "sand", 1e3);
    states = 30 * 13 + 300 * 4;
    double slots = memory_of(scene, FF_RK4, true);
    assert_near(memory_of(scene, FF_TRAPEZOID, true) - slots, 5e3 * 30 * 37 + 200 * states, 1);
    assert_true(memory_of(scene, FF_AUTO, true) > slots);
    /* a crowd needs less */
    assert_true(memory_of(scene, FF_VERLET, false) < slots);
    assert_true(memory_of(scene, FF_VERLET, true) == slots);
    ff_scene_free(scene);

    /* two kilobytes per grain */
    def.count = 3000;
    def.to[2] = 5;
    scene = with(&def);
    add_pair(scene, "sand", "sand", 1e3);
    double many = memory_of(scene, FF_SEMI_IMPLICIT, false) - 3e6;
    assert_holds(many > 1e3 * 3000 && many < 3e3 * 3000, "%g", many);
    ff_scene_free(scene);
}

#ifdef FF_HAVE_YAML
static void groups_within_memory(void **state) {
    (void)state;
    static const char text[] =
        "bodies: {sand: {count: 10000000, radius: 1 mm, density: 2500, fill: {from: [0, 0, 0], to: "
        "[3, 3, 3]}}}\n";
    ff_messages messages = {0};
    ff_scene *scene;
    clock_t begin = clock();
    assert_int_equal(
        ff_scene_parse("s.yaml", text, sizeof text - 1, NULL, 0, 1e9, &scene, &messages),
        FF_BAD_VALUE);
    /* refused before it is created, which would take seconds */
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 0.5);
    assert_int_equal(messages.count, 1);
    double needs = 0, there = 0;
    assert_int_equal(
        sscanf(messages.at[0].text,
               "group 'sand' of 10000000 grains needs about %lf GB, %lf GB are available", &needs,
               &there),
        2);
    assert_true(needs > 10 && needs < 40 && there == 1);
    ff_messages_clear(&messages);
}
#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(memory_is_estimated),  cmocka_unit_test(same_seed_same_grains),
    cmocka_unit_test(what_a_grain_is),      cmocka_unit_test(radii_are_spread_as_asked),
    cmocka_unit_test(grains_start_apart),   cmocka_unit_test(wrong_grains),
    cmocka_unit_test(names_of_groups),
#ifdef FF_HAVE_YAML
    cmocka_unit_test(groups_in_files),      cmocka_unit_test(groups_in_pairs_and_forces),
    cmocka_unit_test(groups_by_settings),   cmocka_unit_test(the_same_by_file),
    cmocka_unit_test(groups_within_memory),
#endif
    cmocka_unit_test(grains_settle),
};

CHECK_MAIN(tests)
