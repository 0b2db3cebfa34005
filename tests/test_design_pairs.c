/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene_text.h"
#include <footfall/impact.h>

/* Laws of pairs given by desired properties of an impact, compared with the theory of that impact. */

#define PAIR(normal)                                                                               \
    "bodies:\n"                                                                                    \
    "  a: {mass: 0.2, shape: {sphere: {radius: 0.05}}, position: [0, 0, 1]}\n"                     \
    "  b: {mass: 0.3, shape: {sphere: {radius: 0.05}}, position: [0, 0, 2]}\n"                     \
    "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"                                              \
    "pairs:\n"                                                                                     \
    "  - between: [a, b]\n"                                                                        \
    "    normal: {" normal "}\n"

static void test_reached(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double k, time, depth; /* NAN: not given */
    } cases[] = {
        {PAIR("law: hunt-crossley, restitution: 0.7 at 4 m/s, k: 1e6"), 1e6, NAN, NAN},
        {PAIR("law: linear, restitution: 0.7 at 400 cm/s, contact_time: 1 ms"), NAN, 1e-3, NAN},
        {PAIR("law: azad-featherstone, restitution: 7/10 at 4, max_depth: 2 mm"), NAN, NAN, 2e-3},
        {PAIR("law: marhefka-orin, restitution: 0.7 at 4 m/s, k: 1e5"), 1e5, NAN, NAN},
        {PAIR("law: azad-featherstone, restitution: 0.7 at 4 m/s, material: [steel, cork]"), NAN,
         NAN, NAN},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_model *model = model_of_text(cases[i].text);
        ff_impact impact;
        const ff_normal *law = ff_model_contact_facts(model, 0).normal;
        /* two free bodies: their reduced mass */
        assert_int_equal(ff_impact_solve(law, 0.2 * 0.3 / 0.5, 4, &impact), FF_OK);
        assert_near(impact.restitution, 0.7, 1e-9);
        if (!isnan(cases[i].k)) {
            assert_true(ff_normal_value(law, "k") == cases[i].k);
        }
        if (!isnan(cases[i].time)) {
            assert_close(impact.contact_time, cases[i].time, 1e-9);
        }
        if (!isnan(cases[i].depth)) {
            assert_close(impact.max_depth, cases[i].depth, 1e-9);
        }
        ff_model_free(model);
    }
}

static void test_refused(void **state) {
    (void)state;
    static const mistake cases[] = {
        {PAIR("law: linear, restitution: 0.7, k: 1e5"),
         "s.yaml:7:40: restitution of linear must be a number and a speed, as 0.7 at 4 m/s, not "
         "'0.7'\n"},
        {PAIR("law: linear, restitution: 1.2 at 4 m/s, k: 1e5"),
         "s.yaml:7:40: restitution of linear is 1.2 at 4 m/s, but must be > 0 and < 1, at a speed "
         "> 0\n"},
        {PAIR("law: linear, restitution: 0.7 at 4 kg, k: 1e5"),
         "s.yaml:7:47: restitution of linear: '4 kg' is a mass (kg), expected a speed (m/s)\n"},
        {PAIR("law: linear, restitution: 0.7 at 4 m/s, k: 1e5, lambda: 3"),
         "s.yaml:7:62: linear has both lambda and restitution: give only one\n"},
        {PAIR("law: linear, restitution: 0.7 at 4 m/s, k: 1e5, max_depth: 1 mm"),
         "s.yaml:7:54: linear has both k and max_depth: give only one\n"},
        {PAIR("law: linear, k: 1e5, lambda: 3, max_depth: 1 mm"),
         "s.yaml:7:46: max_depth of linear goes with restitution, as 0.7 at 4 m/s\n"},
        {PAIR("law: linear, restitution: 0.7 at 4 m/s"),
         "s.yaml:7:5: linear needs k (stiffness, N/m)\n"},
    };
    assert_all_say(cases, ROWS(cases));
    static const char pattern[] = "bodies:\n"
                                  "  a: {mass: 0.2, shape: {sphere: {radius: 0.05}}}\n"
                                  "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
                                  "pairs:\n"
                                  "  - between: ['*', floor]\n"
                                  "    normal: {law: linear, restitution: 0.7 at 4 m/s, k: 1e5}\n";
    assert_says(pattern,
                "s.yaml:6:40: restitution of linear needs a mass, and '*' is a pattern: give "
                "the damping\n");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_reached),
    cmocka_unit_test(test_refused),
};

CHECK_MAIN(tests)
