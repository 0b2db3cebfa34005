/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene_text.h"
#include "sim/sim.h"
#include <footfall/footfall.h>
#include <stdlib.h>

/* What users' functions do between the stages of a step: short pulses, conditions, events, contacts (docs/theory.md). Each result
 * is compared with a closed form; a step of half a second over a pulse of a millisecond would miss all of it. */

typedef struct run {
    ff_model *model;
    ff_sim *sim;
} run;

static const char *const methods[] = {"auto", "dopri5", "dop853", "rodas"};

static run begin_with(const char *scene, const char *options) {
    char text[4000];
    run out;
    ff_error error = {""};
    snprintf(text, sizeof text, "%srun: {%s}\n", scene, options);
    out.model = model_of_text(text);
    const ff_status status = ff_sim_create(out.model, NULL, &out.sim, &error);
    assert_holds(status == FF_OK, "%s", error.text);
    return out;
}

static run begin(const char *scene, const char *method, double tol) {
    char options[100];
    snprintf(options, sizeof options, "method: %s, tol: %g", method, tol);
    return begin_with(scene, options);
}

static void finish(const run *r) {
    ff_sim_free(r->sim);
    ff_model_free(r->model);
}

static void go(const run *r, double until) {
    ff_status status;
    while ((status = ff_sim_advance(r->sim, until)) == FF_EVENT) {
    }
    assert_holds(status == FF_OK, "%s", ff_sim_error(r->sim));
}

static void assert_sound(const run *r) {
    const ff_status status = ff_sim_verdict(r->sim);
    assert_holds(status == FF_OK, "%s", ff_sim_error(r->sim));
}

static double speed_of(const run *r) { return ff_sim_body(r->sim, 0).velocity[0]; }

/* a number as it is in the text of a scene */
static double rounded(double x) {
    char text[40];
    snprintf(text, sizeof text, "%.6g", x);
    return atof(text);
}

/* ---- pulses: height 1, centre 0, width 1 ---- */

static double gauss_area(double a, double b) { return sqrt(FF_PI) / 2 * (erf(b) - erf(a)); }
static double bell_area(double a, double b) { return tanh(b) - tanh(a); }
static double lorentz_integral(double u) { return (u / (1 + u * u) + atan(u)) / 2; }
static double lorentz_area(double a, double b) { return lorentz_integral(b) - lorentz_integral(a); }

/* a format of the argument, thrice at most, and the integral from a to b */
static const struct {
    const char *format;
    double (*area)(double, double);
} shapes[] = {{"exp(-((%s)^2))", gauss_area},
              {"(1 - tanh(%s)^2)", bell_area},
              {"1/(1 + (%s)^2)^2", lorentz_area}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* the text of pulse i about `at` of a quantity, and its integral between two places */
static double pulse(char *text, size_t size, int i, const char *of, double at, double width,
                    const char *unit, double from, double to) {
    char u[200];
    snprintf(u, sizeof u, "(%s - %.6g %s)/(%.6g %s)", of, at, unit, width, unit);
    snprintf(text, size, shapes[i].format, u);
    return width * shapes[i].area((from - at) / width, (to - at) / width);
}

#define FREE "gravity: [0, 0, 0]\nbodies: {ball: {mass: 2, inertia: [1, 1, 1]%s}}\n"

/* The error of a speed: the part of the tolerance that pulses may leave out, and the local errors of the steps. In all these runs it
 * is below 20 tolerances of the speed reached and of the scale of speeds. */
static void assert_speed(const run *r, double seen, double want, double tol, const char *what) {
    const double scale = fabs(want) + ff_model_body_facts(r->model, 0).speed_scale;
    assert_holds(fabs(seen - want) <= 20 * tol * scale, "%s: %.15g instead of %.15g, off by %.3g",
                 what, seen, want, (seen - want) / scale);
}

static void test_time(void **state) {
    (void)state;
    static const double widths[] = {3e-5, 1e-3, 3e-2}, tols[] = {1e-6, 1e-9};
    for (int shape = 0; shape < SHAPES; shape++) {
        for (size_t w = 0; w < ROWS(widths); w++) {
            for (size_t k = 0; k < ROWS(methods) * ROWS(tols); k++) {
                char f[300], text[1000];
                const double at = 0.3 + 0.1 * (double)w, tol = tols[k % 2],
                             area = pulse(f, sizeof f, shape, "t", at, widths[w], "s", 0, 1);
                snprintf(text, sizeof text,
                         FREE "forces: {kick: {body: ball, force: [\"700 N*%s\", 0, 0]}}\n", "", f);
                run r = begin(text, methods[k / 2], tol);
                go(&r, 1);
                assert_speed(&r, speed_of(&r), 700 * area / 2, tol, text);
                assert_sound(&r);
                finish(&r);
            }
        }
    }
}

/* m v^2/2 rises by the integral of the force over the way */
static void test_space(void **state) {
    (void)state;
    static const double widths[] = {1e-4, 3e-3, 3e-2};
    for (int shape = 0; shape < SHAPES; shape++) {
        for (size_t w = 0; w < ROWS(widths); w++) {
            for (size_t m = 0; m < ROWS(methods); m++) {
                char f[300], text[1000];
                const double end = 20, area = pulse(f, sizeof f, shape, "ball.position[0]", 7.3,
                                                    widths[w], "m", 0, end);
                const double force = rounded(60 / area);
                snprintf(text, sizeof text,
                         FREE "forces: {field: {body: ball, force: [\"%.6g N*%s\", 0, 0]}}\n",
                         ", velocity: [10, 0, 0]", force, f);
                run r = begin(text, methods[m], 1e-9);
                go(&r, 1.5);
                /* at 1.5 s it is 15 m away or farther, where the slowest tail has 1e-8 of the area left */
                const double at = ff_sim_body(r.sim, 0).position[0],
                             done = pulse(f, sizeof f, shape, "x", 7.3, widths[w], "m", 0, at);
                assert_speed(&r, speed_of(&r), sqrt(100 + force * done), 1e-9, text);
                assert_sound(&r);
                finish(&r);
            }
        }
    }
}

/* m v' = c f(t) v, so that v = v0 exp(c area/m) */
static void test_time_and_state(void **state) {
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++) {
        for (size_t m = 0; m < ROWS(methods); m++) {
            for (double width = 2e-4; width < 0.1; width *= 10) {
                char f[300], text[1000];
                const double area = pulse(f, sizeof f, shape, "t", 0.62, width, "s", 0, 1),
                             c = rounded(1.4 / area);
                snprintf(text, sizeof text,
                         FREE "forces: {kick: {body: ball, force: [\"%.6g N*%s*ball.velocity[0]/(1 "
                              "m/s)\", 0, 0]}}\n",
                         ", velocity: [3, 0, 0]", c, f);
                run r = begin(text, methods[m], 1e-9);
                go(&r, 1);
                assert_speed(&r, speed_of(&r), 3 * exp(c * area / 2), 1e-9, text);
                finish(&r);
            }
        }
    }
}

/* 1/(1 + (sin(pi t/T)/s)^2): the integral over a period is T s/sqrt(1 + s^2) */
static void test_train(void **state) {
    (void)state;
    static const double sharp[] = {3e-3, 3e-2};
    for (size_t i = 0; i < ROWS(sharp); i++) {
        for (size_t m = 0; m < ROWS(methods) - 1; m++) {
            char text[1000];
            const double s = sharp[i], each = 0.37 * s / sqrt(1 + s * s);
            snprintf(text, sizeof text,
                     FREE "forces: {kick: {body: ball, force: [\"40 N/(1 + (sin(pi*t/(0.37 "
                          "s))/%.6g)^2)\", 0, 0]}}\n",
                     "", s);
            run r = begin(text, methods[m], 1e-9);
            go(&r, 0.37 * 5);
            assert_speed(&r, speed_of(&r), 5 * 40 * each / 2, 1e-9, text);
            finish(&r);
        }
    }
}

/* a pulse of 30 us in an hour; and one beside a slow large force */
static void test_hour(void **state) {
    (void)state;
    char f[300], text[1000];
    for (int shape = 0; shape < SHAPES; shape++) {
        const double area = pulse(f, sizeof f, shape, "t", 2345.67, 3e-5, "s", 0, 3600);
        snprintf(text, sizeof text,
                 FREE "forces: {kick: {body: ball, force: [\"9000 N*%s\", 0, 0]}}\n", "", f);
        run r = begin(text, "auto", 1e-9);
        go(&r, 3600);
        assert_speed(&r, speed_of(&r), 4500 * area, 1e-9, text);
        assert_true(ff_sim_statistics(r.sim).steps < 1000);
        finish(&r);
        snprintf(text, sizeof text,
                 FREE "forces: {kick: {body: ball, force: [\"10 N*sin(t*0.01 Hz) + 9000 N*%s\", 0, "
                      "0]}}\n",
                 "", f);
        r = begin(text, "auto", 1e-9);
        go(&r, 3600);
        assert_speed(&r, speed_of(&r), 500 * (1 - cos(36)) + 4500 * area, 1e-9, text);
        finish(&r);
    }
}

/* a motor on a joint, and a state of a controller that a later force reads, in all formulations */
static void test_joint_and_controller(void **state) {
    (void)state;
    static const char *const ways[] = {"", "formulation: maximal, "};
    for (int shape = 0; shape < SHAPES; shape++) {
        for (size_t way = 0; way < ROWS(ways); way++) {
            char f[300], text[1000], options[100];
            const double area = pulse(f, sizeof f, shape, "t", 0.443, 4e-4, "s", 0, 1);
            snprintf(options, sizeof options, "%stol: 1e-9", ways[way]);
            snprintf(text, sizeof text,
                     "bodies: {wheel: {mass: 1, inertia: 0.3}}\n"
                     "joints: {axle: {revolute: {between: [world, wheel], axis: [1, 0, 0]}}}\n"
                     "forces: {motor: {joint: axle, effort: \"250 N m*%s\"}}\n",
                     f);
            run r = begin_with(text, options);
            go(&r, 1);
            /* the scale of turning is 1 rad/s or less */
            assert_near(ff_sim_body(r.sim, 0).omega[0], 250 * area / 0.3, 2e-8);
            finish(&r);
        }
        for (size_t m = 0; m < ROWS(methods); m++) {
            char f[300], text[1000];
            const double area = pulse(f, sizeof f, shape, "t", 0.443, 4e-4, "s", 0, 1);
            snprintf(
                text, sizeof text,
                FREE
                "controllers: {sum: {states: {x: {start: 0, scale: 1}}, rates: {x: \"1 "
                "kHz*%s\"}}}\n"
                "forces: {push: {body: ball, force: [\"if(t > 1 s, 1 N*sum.x, 0 N)\", 0, 0]}}\n",
                "", f);
            run r = begin(text, methods[m], 1e-9);
            go(&r, 2);
            assert_speed(&r, speed_of(&r), 1000 * area / 2, 1e-8, text);
            finish(&r);
        }
    }
}

/* Simpson's rule */
static double integral(double (*f)(double), double a, double b) {
    enum { PARTS = 20000 };
    double sum = 0;
    for (int i = 0; i <= PARTS; i++) {
        sum += (i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2) * f(a + (b - a) * i / PARTS);
    }
    return sum * (b - a) / (3 * PARTS);
}

static double by_height(double angle) {
    const double u = (sin(angle) - 0.5) / 2e-4;
    return exp(-u * u);
}

static double by_way(double angle) {
    const double u = (cos(angle) - 0.8) / 2e-4;
    return exp(-u * u);
}

/* An arm with its mass at the end turns; a motor acts where the mass passes a height, or where its velocity, which is known to be
 * omega, points somewhere: I omega^2/2 rises by the integral of the effort over the angle. Places of a link are no states: they are
 * fitted along the step. */
static void test_link(void **state) {
    (void)state;
    static const struct {
        const char *of;
        double (*f)(double);
    } cases[] = {{"(bob.position[2] - 0.5 m)/(0.2 mm)", by_height},
                 {"(bob.position[0] - 0.8 m)/(0.2 mm)", by_way}};
    static const char *const ways[] = {"", "formulation: maximal, "};
    for (size_t i = 0; i < ROWS(cases); i++) {
        for (size_t way = 0; way < ROWS(ways); way++) {
            char text[1000], options[100];
            snprintf(text, sizeof text,
                     "gravity: [0, 0, 0]\n"
                     "bodies: {bob: {mass: 1, inertia: 1e-3}}\n"
                     "joints: {axle: {revolute: {between: [world, bob], axis: [0, -1, 0], "
                     "second_anchor: [-1, 0, 0], rate: 1.5}}}\n"
                     "forces: {motor: {joint: axle, effort: \"2000 N m*exp(-((%s)^2))\"}}\n",
                     cases[i].of);
            snprintf(options, sizeof options, "%stol: 1e-10", ways[way]);
            run r = begin_with(text, options);
            go(&r, 0.75);
            /* at 0.75 s the angle is above 1.1 rad, the passages are at 0.52 and 0.64 rad; of a pulse that narrow the
             * integral is near w sqrt(pi)/slope, and the range of +-6 widths has it to rounding */
            const double middle = i == 0 ? asin(0.5) : acos(0.8),
                         work = 2000 * integral(cases[i].f, middle - 4e-3, middle + 4e-3),
                         want = sqrt(1.5 * 1.5 + 2 * work / 1.001);
            assert_near(-ff_sim_body(r.sim, 0).omega[1], want, 1e-8);
            assert_true(want > 1.6);
            assert_sound(&r);
            finish(&r);
        }
    }
}

/* ---- conditions ---- */

/* Forces that act while a sine is above L = 0.9995: in each period for (pi - 2 asin L)/w at full height, or with the integral of
 * sin - L, (2 cos(asin L) - L (pi - 2 asin L))/w. */
static void test_gates(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool full;
    } gates[] = {
        {"if(sin(2*pi*t*50 Hz) > 0.9995, 1, 0)", true},
        {"(sin(2*pi*t*50 Hz) >= 0.9995)", true},
        {"floor((sin(2*pi*t*50 Hz) + 1.0005)/2)", true},
        {"ceil(sin(2*pi*t*50 Hz)/2 - 0.49975)", true},
        {"(1 + sign(sin(2*pi*t*50 Hz) - 0.9995))/2", true},
        {"max(0, sin(2*pi*t*50 Hz) - 0.9995)", false},
        {"(-min(0, 0.9995 - sin(2*pi*t*50 Hz)))", false},
        {"(abs(sin(2*pi*t*50 Hz) - 0.9995) + sin(2*pi*t*50 Hz) - 0.9995)/2", false},
    };
    const double w = 2 * FF_PI * 50, level = 0.9995, on = FF_PI - 2 * asin(level);
    for (size_t i = 0; i < ROWS(gates); i++) {
        for (size_t m = 0; m < ROWS(methods); m++) {
            char text[1000];
            const double force = gates[i].full ? 100 : 1e5;
            snprintf(text, sizeof text,
                     FREE "forces: {kick: {body: ball, force: [\"%g N*%s\", 0, 0]}}\n", "", force,
                     gates[i].text);
            run r = begin(text, methods[m], 1e-9);
            go(&r, 0.1);
            const double each = (gates[i].full ? on : 2 * cos(asin(level)) - level * on) / w;
            /* both ends of each stay are located to rounding of t in 0.1 s, 1e-16 of 1e-4 s */
            assert_speed(&r, speed_of(&r), 5 * force * each / 2, 1e-9, gates[i].text);
            finish(&r);
        }
    }
}

/* ---- users' events ---- */

/* An event function whose sign changes twice within 2 mm of a way of 40 m, and a force that it switches on and off:
 * v^2 rises by 2 F d/m, the motion within the band is uniformly accelerated. */
static void test_band(void **state) {
    (void)state;
    static const char *const bands[] = {
        "(ball.position[0] - 13.7 m)^2 - (1 mm)^2", "abs(ball.position[0] - 13.7 m) - 1 mm",
        "(ball.position[0] - 13.7 m)^2/(1 m) - 1e-6 m", "(t*40 m/s - 13.7 m)^2 - (1 mm)^2"};
    for (size_t i = 0; i < ROWS(bands); i++) {
        for (size_t m = 0; m < ROWS(methods); m++) {
            char text[1000];
            const double force = i == 3 ? 0 : 2e4, way = 2e-3, v = sqrt(1600 + force * way),
                         first = 13.699 / 40, second = first + 2 * way / (40 + v);
            snprintf(text, sizeof text,
                     FREE
                     "events: {band: \"%s\"}\n"
                     "controllers: {gate: {states: {push: 0, seen: 0}, on: {falling band: {push: "
                     "1, seen: 10*seen + 1}, rising band: {push: 0, seen: 10*seen + 2}}}}\n"
                     "forces: {kick: {body: ball, force: [\"%g N*gate.push\", 0, 0]}}\n",
                     ", velocity: [40, 0, 0]", bands[i], force);
            run r = begin(text, methods[m], 1e-9);
            double times[2];
            for (int k = 0; k < 2; k++) {
                assert_int_equal(ff_sim_advance(r.sim, 1), FF_EVENT);
                assert_int_equal(ff_sim_event(r.sim)->kind, FF_USER);
                assert_string_equal(ff_model_event_name(r.model, ff_sim_event(r.sim)), "band");
                times[k] = ff_sim_event(r.sim)->time;
            }
            assert_int_equal(ff_sim_advance(r.sim, 1), FF_OK);
            /* positions of 14 m are known to 1e-9 of it and a few times that, at 40 m/s */
            assert_near(times[0], first, 1e-9);
            assert_near(times[1], second, 1e-9);
            assert_speed(&r, speed_of(&r), v, 1e-9, bands[i]);
            size_t field, part;
            double seen[4];
            assert_int_equal(
                ff_model_field_find(r.model, "controllers.gate.seen", &field, &part, NULL), FF_OK);
            assert_int_equal(ff_sim_get(r.sim, field, seen), FF_OK);
            assert_near(seen[0], 12, 0);
            finish(&r);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_time),           cmocka_unit_test(test_space),
    cmocka_unit_test(test_time_and_state), cmocka_unit_test(test_train),
    cmocka_unit_test(test_hour),           cmocka_unit_test(test_joint_and_controller),
    cmocka_unit_test(test_link),           cmocka_unit_test(test_gates),
    cmocka_unit_test(test_band),
};

CHECK_MAIN(tests)
