/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "expr/unit.h"
#include "expr/word.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const ff_dimension none = {0, 0, 0}, mass = {1, 0, 0}, length = {0, 1, 0};
static const ff_dimension duration = {0, 0, 1}, speed = {0, 1, -1}, force = {1, 1, -2};
static const ff_dimension pressure = {1, -1, -2}, hertz = {1, -0.5, -2};

/* sums of exponents such as 1.1 + 1 have at most one rounding */
static bool near(double a, double b) { return fabs(a - b) <= 1e-15 * (1 + fabs(b)); }

static void units(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double n, p;
        double factor, ten;
        ff_dimension dim;
    } cases[] = {
        {"1", 0, 0, 1, 0, {0, 0, 0}},
        {"m", 0, 0, 1, 0, {0, 1, 0}},
        {"mm", 0, 0, 1, -3, {0, 1, 0}},
        {"min", 0, 0, 60, 0, {0, 0, 1}},
        {"m in", 0, 0, -1, 0, {0, 0, 0}},
        {"h", 0, 0, 3600, 0, {0, 0, 1}},
        {"g", 0, 0, 1, -3, {1, 0, 0}},
        {"kg", 0, 0, 1, 0, {1, 0, 0}},
        {"t", 0, 0, 1, 3, {1, 0, 0}},
        {"ms", 0, 0, 1, -3, {0, 0, 1}},
        {"m s", 0, 0, 1, 0, {0, 1, 1}},
        {"kHz", 0, 0, 1, 3, {0, 0, -1}},
        {"rpm", 0, 0, 0.10471975511965977, 0, {0, 0, -1}},
        {"GPa", 0, 0, 1, 9, {1, -1, -2}},
        {"um", 0, 0, 1, -6, {0, 1, 0}},
        {"\xc2\xb5m", 0, 0, 1, -6, {0, 1, 0}},
        {"\xce\xbcm", 0, 0, 1, -6, {0, 1, 0}},
        {"nN", 0, 0, 1, -9, {1, 1, -2}},
        {"rad", 0, 0, 1, 0, {0, 0, 0}},
        {"deg", 0, 0, 0.017453292519943295, 0, {0, 0, 0}},
        {"W", 0, 0, 1, 0, {1, 2, -3}},
        {"kg m^2", 0, 0, 1, 0, {1, 2, 0}},
        {"m/s", 0, 0, 1, 0, {0, 1, -1}},
        {"m / s", 0, 0, 1, 0, {0, 1, -1}},
        {"1/s", 0, 0, 1, 0, {0, 0, -1}},
        {"N/m/s", 0, 0, 1, 0, {1, 0, -3}},
        {"N*s/m", 0, 0, 1, 0, {1, 0, -1}},
        {"N\xc2\xb7s/m", 0, 0, 1, 0, {1, 0, -1}},
        {"N \xe2\x8b\x85 s/m", 0, 0, 1, 0, {1, 0, -1}},
        {"kg/(m s^2)", 0, 0, 1, 0, {1, -1, -2}},
        {"(m/s)^2", 0, 0, 1, 0, {0, 2, -2}},
        {"m s^-2", 0, 0, 1, 0, {0, 1, -2}},
        {"N/m^1.5", 0, 0, 1, 0, {1, -0.5, -2}},
        {"N/m^(3/2)", 0, 0, 1, 0, {1, -0.5, -2}},
        {"N/mm^1.5", 0, 0, 1, 4.5, {1, -0.5, -2}},
        {"N/m^n", 1.5, 0, 1, 0, {1, -0.5, -2}},
        {"N m^-n", 1.5, 0, 1, 0, {1, -0.5, -2}},
        {"N s/m^(n+1)", 1.5, 0, 1, 0, {1, -1.5, -1}},
        {"N s/m^(p+1)", 0, 0.5, 1, 0, {1, -0.5, -1}},
        {"N s/m^( 1 + p )", 0, 0.5, 1, 0, {1, -0.5, -1}},
        {"m^(2*n-1)", 1.5, 0, 1, 0, {0, 2, 0}},
        {"m^(n-p)", 1.5, 0.25, 1, 0, {0, 1.25, 0}},
        {"N/m^n2", 1.5, 0, 1, 0, {1, -2, -2}},
        {"N s^q/m^(p+q)", 0, 1.5, 1, 0, {1, -2.5, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ff_unit unit;
        char why[200] = "";
        const ff_exponent names[] = {
            {"n", cases[i].n}, {"p", cases[i].p}, {"n2", 3}, {"q", 2}, {0}};
        int status = ff_unit_parse(cases[i].text, names, &unit, why, sizeof why);
        bool bad = cases[i].factor < 0;
        bool same = status == 0 && near(unit.factor, cases[i].factor) &&
                    near(unit.ten, cases[i].ten) && near(unit.dim.kg, cases[i].dim.kg) &&
                    near(unit.dim.m, cases[i].dim.m) && near(unit.dim.s, cases[i].dim.s);
        if (bad ? status != -1 : !same) {
            fail_msg("'%s': %g 10^%g kg^%g m^%g s^%g, %s", cases[i].text, unit.factor, unit.ten,
                     unit.dim.kg, unit.dim.m, unit.dim.s, why);
        }
    }
}

static void bad_units(void **state) {
    (void)state;
    const ff_exponent names[] = {{"n", NAN}, {"p", NAN}, {0}};
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"", "a unit is missing at the end"},
        {"m/", "a unit is missing at the end"},
        {"furlong", "unknown unit 'furlong'"},
        {"Nm", "unknown unit 'Nm'"},
        {"mmin", "unknown unit 'mmin'"},
        {"Ms", "unknown unit 'Ms'"},
        {"3", "'3' is not a unit"},
        {"11", "'11' is not a unit"},
        {"1.5", "'1.5' is not a unit"},
        {"/s", "'/s' is not a unit"},
        {"m^", "'' is not an exponent"},
        {"m^x", "the exponent 'x' has no value here"},
        {"m^n_2x", "the exponent 'n_2x' has no value here"},
        {"m^-n", "the exponent 'n' has no value here"},
        {"m^(1+)", "')' is not an exponent"},
        {"m^(1/)", "')' is not an exponent"},
        {"m^(1", "an exponent has no matching ')'"},
        {"m^101", "an exponent is beyond 100"},
        {"m^(1/0)", "an exponent is beyond 100"},
        {"m^n", "the exponent 'n' has no value here"},
        {"m^(p+1)", "the exponent 'p' has no value here"},
        {"m^2s", "is missing before 's'"},
        {"(m s", "a ')' is missing"},
        {"m)", "')' is unexpected"},
        {"(((((((((m)))))))))", "parentheses are nested too deeply"},
        {"m\xc2", "is missing before"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ff_unit unit;
        char why[200] = "";
        int status = ff_unit_parse(cases[i].text, i % 2 ? NULL : names, &unit, why, sizeof why);
        if (status != -1 || !strstr(why, cases[i].why)) {
            fail_msg("'%s': %d, %s", cases[i].text, status, why);
        }
    }
    ff_unit unit;
    assert_int_equal(ff_unit_parse("furlong", NULL, &unit, NULL, 0), -1);
}

static void quantities(void **state) {
    (void)state;
    const struct {
        const char *text;
        ff_dimension dim;
        double value;
    } cases[] = {
        {"154", mass, 154},
        {"1e-3", mass, 1e-3},
        {"+.5", none, 0.5},
        {"-2.", length, -2},
        {"-0", length, 0},
        {"0e7", length, 0},
        {" 154 g ", mass, 0.154},
        {"1.65cm", length, 0.0165},
        {"1.65 cm", length, 0.0165},
        {"0.02 rad", none, 0.02},
        {"180 deg", none, 3.141592653589793},
        {"200 GPa", pressure, 200e9},
        {"8.5e6 N/m^1.5", hertz, 8.5e6},
        {"8.5e6N/m^(3/2)", hertz, 8.5e6},
        {"1.1 ms", duration, 0.0011},
        {"3 min", duration, 180},
        {"3.6 km/h", speed, 1},
        {"5 kg m/s^2", force, 5},
        {"2e3 1/s", {0, 0, -1}, 2000},
        {"2 rad/s", {0, 0, -1}, 2},
        {"180 deg/s", {0, 0, -1}, 3.141592653589793},
        {"60 rpm", {0, 0, -1}, 6.283185307179586},
        {"2 mm kHz", speed, 2},
        {"5 1/kHz", duration, 0.005},
        {"1E2", none, 100},
        {"1e308", none, 1e308},
        {"123456789012345678901234567890 nm", length, 123456789012345678901.23456789},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = -1;
        char why[300] = "";
        /* equal to the last bit, except for the division in km/h */
        int status = ff_quantity_parse(cases[i].text, cases[i].dim, &value, why, sizeof why);
        if (status != 0 || !near(value, cases[i].value) ||
            (!strchr(cases[i].text, '/') && value != cases[i].value)) {
            fail_msg("'%s': %.17g, %s", cases[i].text, value, why);
        }
    }
    /* a fractional power of ten cannot be exact */
    double value;
    assert_int_equal(ff_quantity_parse("1 N/mm^1.5", hertz, &value, NULL, 0), 0);
    assert_true(fabs(value / 31622.776601683792 - 1) < 1e-15);
}

static void bad_quantities(void **state) {
    (void)state;
    const struct {
        const char *text;
        ff_dimension dim;
        const char *why;
    } cases[] = {
        {"3 cm", mass, "'3 cm' is a length (m), expected a mass (kg)"},
        {"3 N/m", hertz, "'3 N/m' is a stiffness (N/m), expected N/m^1.5"},
        {"3 N s/m^2", mass, "'3 N s/m^2' is in N s/m^2, expected a mass (kg)"},
        {"2 J", none, "'2 J' is an energy or torque (J), expected a plain number"},
        {"2 rad", mass, "'2 rad' is a plain number, expected a mass (kg)"},
        {"2 Hz", {0, 0, -1}, "'2 Hz' is a frequency, expected an angular velocity: 12.566 rad/s"},
        {"-1 kHz", {0, 0, -1}, "expected an angular velocity: -6283.2 rad/s"},
        {"2 Hz", duration, "'2 Hz' is a rate (1/s), expected a time (s)"},
        {"3 rpm", mass, "'3 rpm' is a rate (1/s), expected a mass (kg)"},
        {"3 krpm", {0, 0, -1}, "unknown unit 'krpm'"},
        {"fast", speed, "'fast' is not a number"},
        {"", speed, "'' is not a number"},
        {"-", speed, "'-' is not a number"},
        {".", speed, "'.' is not a number"},
        {"g", mass, "'g' is not a number"},
        {"nan", mass, "'nan' is not a finite number"},
        {"-inf", mass, "'-inf' is not a finite number"},
        {"Infinity", mass, "'Infinity' is not a finite number"},
        {"infinite", mass, "'infinite' is not a number"},
        {"1e999", mass, "'1e999' is not a finite number"},
        {"1e99999999999999999999", mass, "is not a finite number"},
        {"1e308 t", mass, "'1e308 t' is not a finite number"},
        {"1e-400", mass, "'1e-400' is too small a number"},
        {"1e-99999999999999999999", mass, "is too small a number"},
        {"1e-320 ng", mass, "'1e-320 ng' is too small a number"},
        {"0x10", mass, "'0x10': unknown unit 'x'"},
        {"1.5.1", mass, "'1.5.1': '.1' is not a unit"},
        {"5 1", none, "'5 1': '1' is not a unit"},
        {"5 1 g", mass, "'5 1 g': '1' is not a unit"},
        {"5 apples", mass, "'5 apples': unknown unit 'apples'"},
        {"5 g!", mass, "is missing before '!'"},
        {"5 m^n", length, "'5 m^n': the exponent 'n' has no value here"},
        {"1,5", mass, "'1,5': ',5' is not a unit"},
        {"1e", mass, "'1e': unknown unit 'e'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = -7;
        char why[300] = "";
        int status = ff_quantity_parse(cases[i].text, cases[i].dim, &value, why, sizeof why);
        if (status != -1 || value != -7 || !strstr(why, cases[i].why)) {
            fail_msg("'%s': %d %g, %s", cases[i].text, status, value, why);
        }
    }
    /* an extremely long mantissa is refused, not truncated */
    char digits[600];
    memset(digits, '1', sizeof digits);
    digits[sizeof digits - 1] = '\0';
    double value;
    assert_int_equal(ff_quantity_parse(digits, none, &value, NULL, 0), -1);
}

static void texts(void **state) {
    (void)state;
    const struct {
        ff_dimension dim;
        const char *text;
    } cases[] = {
        {mass, "mass (kg)"},
        {speed, "speed (m/s)"},
        {force, "force (N)"},
        {none, "plain number"},
        {hertz, "N/m^1.5"},
        {{1, -1.5, -1}, "N s/m^2.5"},
        {{1, 2.5, -2}, "kg m^2.5 s^-2"},
        {{0, -1, 1}, "m^-1 s"},
        {{2, 0, 0}, "kg^2"},
        {{1, 1 + 1e-12, -2}, "force (N)"},
    };
    char buf[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(ff_dimension_text(cases[i].dim, buf, sizeof buf), cases[i].text);
    }
    /* truncated, without overrun */
    char small[6];
    assert_string_equal(ff_dimension_text((ff_dimension){1, 2.5, -2}, small, sizeof small),
                        "kg m^");
}

static void words(void **state) {
    (void)state;
    const char *const list[] = {"speed", NULL, "spend", "azad-featherstone", "k", "mu", "lambda"};
    const size_t count = sizeof list / sizeof *list;
    assert_string_equal(ff_word_nearest("sped", list, count), "speed");
    assert_string_equal(ff_word_nearest("spede", list, count), "speed");
    assert_string_equal(ff_word_nearest("spend", list, count), "spend");
    assert_string_equal(ff_word_nearest("azad-fetherstone", list, count), "azad-featherstone");
    assert_string_equal(ff_word_nearest("zaad-fetherstones", list, count), "azad-featherstone");
    assert_string_equal(ff_word_nearest("m", list, count), "mu");
    assert_string_equal(ff_word_nearest("kk", list, count), "k");
    assert_null(ff_word_nearest("x", list, count));
    assert_null(ff_word_nearest("", list, count));
    assert_null(ff_word_nearest("restitution", list, count));
    assert_null(ff_word_nearest("lmd", list, count));
    assert_int_equal(ff_word_distance("", ""), 0);
    assert_int_equal(ff_word_distance("speed", "speed"), 0);
    assert_int_equal(ff_word_distance("", "mu"), 2);
    assert_int_equal(ff_word_distance("bodies.ball.x", "bodies.bal.x"), 1);
    assert_int_equal(ff_word_distance("bodies.blal.x", "bodies.ball.x"), 1);
    assert_int_equal(ff_word_distance("aab", "aba"), 1);
    assert_int_equal(ff_word_distance("aa", "a"), 1);
    char longest[100];
    memset(longest, 'k', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_null(ff_word_nearest(longest, list, count));
    assert_true(ff_word_distance(longest, "mu") == SIZE_MAX);
    assert_null(ff_word_nearest("speed", list, 0));
}

/* functions used by expression parsers */
static void parts(void **state) {
    (void)state;
    double value = 0;
    const char *text = "2.5e3cm";
    assert_ptr_equal(ff_number_read(text, &value), text + 5);
    assert_true(value == 2500);
    assert_null(ff_number_read("e3", &value));
    static const struct {
        const char *text;
        size_t word, times;
    } words[] = {{"kN*x", 2, 0},
                 {"kNx", 0, 0},
                 {"m2", 0, 0},
                 {"m_", 0, 0},
                 {"\xc2\xb5m", 3, 0},
                 {"furlongs", 0, 0},
                 {"", 0, 0},
                 {"*", 0, 1},
                 {"\xc2\xb7", 0, 2},
                 {"/", 0, 0},
                 {"\xe2\x8b\x85m", 0, 3}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_int_equal(ff_unit_word(words[i].text), words[i].word);
        assert_int_equal(ff_unit_times(words[i].text), words[i].times);
    }

    ff_quantity q;
    char why[200] = "", buf[64];
    assert_int_equal(ff_quantity_read(" 154 g", &q, why, sizeof why), 0);
    assert_true(q.value == 0.154 && q.has_unit && !q.hertz && ff_dimension_same(q.dim, mass));
    assert_int_equal(ff_quantity_read("7", &q, why, sizeof why), 0);
    assert_true(q.value == 7 && !q.has_unit && ff_dimension_same(q.dim, none));
    assert_int_equal(ff_quantity_read("7 kHz", &q, why, sizeof why), 0);
    assert_true(q.value == 7000 && q.hertz && !ff_dimension_same(q.dim, none));
    static const char *const wrong[][2] = {{"x", "'x' is not a number"},
                                           {"1e999 m", "'1e999 m' is not a finite number"},
                                           {"1e-999", "'1e-999' is too small a number"},
                                           {"2 m)", "'2 m)': ')' is unexpected"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(ff_quantity_read(wrong[i][0], &q, why, sizeof why), -1);
        assert_string_equal(why, wrong[i][1]);
    }

    assert_string_equal(ff_dimension_units(none, buf, sizeof buf), "1");
    assert_string_equal(ff_dimension_units(force, buf, sizeof buf), "N");
    assert_string_equal(ff_dimension_units(hertz, buf, sizeof buf), "N/m^1.5");
    assert_string_equal(ff_dimension_units((ff_dimension){2, 1, 0}, buf, sizeof buf), "kg^2 m");
    assert_int_equal(ff_dimension_refuse("k", hertz, mass, why, sizeof why), -1);
    assert_string_equal(why, "'k' is in N/m^1.5, expected a mass (kg)");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units),          cmocka_unit_test(bad_units), cmocka_unit_test(quantities),
        cmocka_unit_test(bad_quantities), cmocka_unit_test(texts),     cmocka_unit_test(words),
        cmocka_unit_test(parts),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
