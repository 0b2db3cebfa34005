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
/* What is held while time passes changes: a condition, a force that begins, a sample, an input, another run of the same sim. What
 * was known of functions of time before says nothing about what follows. */
static void test_after_changes(void **state) {
    (void)state;
    static const char *const forces[] = {
        "force: [\"if(t < 0.3 s, 0 N, 700 N*exp(-((t - 0.7 s)/0.1 ms)^2))\", 0, 0]}}\n",
        "force: [\"700 N*exp(-((t - 0.7 s)/0.1 ms)^2)\", 0, 0], from: 0.2 s}}\n",
        "force: [\"s.u*exp(-((t - 0.7 s)/0.1 ms)^2)\", 0, 0]}}\n"
        "controllers: {s: {every: 0.4 s, states: {k: 0}, next: {k: k + 1}, let: {u: \"if(k > 0, "
        "700 N, 0 N)\"}}}\n"};
    /* a force of 700 N on 2 kg */
    const double want = 350 * 1e-4 * sqrt(FF_PI);
    for (size_t i = 0; i < ROWS(forces); i++) {
        for (size_t k = 0; k < ROWS(methods); k++) {
            char text[1000];
            snprintf(text, sizeof text, FREE "forces: {kick: {body: ball, %s", "", forces[i]);
            run r = begin(text, methods[k], 1e-9);
            go(&r, 1);
            assert_speed(&r, speed_of(&r), want, 1e-9, text);
            /* from the start again, after the pulse */
            const ff_motion start = {.orientation = {1, 0, 0, 0}};
            assert_int_equal(ff_sim_begin(r.sim, &start), FF_OK);
            go(&r, 1);
            assert_speed(&r, speed_of(&r), want, 1e-9, text);
            assert_sound(&r);
            finish(&r);
        }
    }
}

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
            /* 235; with bounds from both ends of a step instead of fits there would be 14,000 */
            assert_true(ff_sim_statistics(r.sim).steps < 1000);
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

/* ---- contacts ---- */

typedef double (*gap_function)(const double *with, double t);

/* The first time after 0 at which a gap closes, or NAN: looked for at steps of `by`, and at the lowest points between them. */
static double first_root(gap_function gap, const double *with, double end, double by) {
    double before = gap(with, 0), now = gap(with, by);
    for (double t = by; t < end; t += by) {
        const double next = gap(with, t + by);
        double low = t - by, high = now <= 0 ? t : (double)NAN;
        if (now > 0 && now < before && now < next) {
            double a = t - by, b = t + by;
            for (int k = 0; k < 100; k++) {
                const double c = a + (b - a) / 3, d = b - (b - a) / 3;
                *(gap(with, c) < gap(with, d) ? &b : &a) = gap(with, c) < gap(with, d) ? d : c;
            }
            high = gap(with, a) <= 0 ? a : (double)NAN;
        }
        for (int k = 0; k < 100 && !isnan(high); k++) {
            const double middle = (low + high) / 2;
            *(gap(with, middle) > 0 ? &low : &high) = middle;
        }
        if (!isnan(high)) {
            return high;
        }
        before = now;
        now = next;
    }
    return NAN;
}

/* The time of the first event, a touch-down; NAN if there is none. */
static double first_touch(const run *r, double until) {
    const ff_status status = ff_sim_advance(r->sim, until);
    if (status == FF_OK) {
        return NAN;
    }
    assert_holds(status == FF_EVENT, "%s", ff_sim_error(r->sim));
    assert_int_equal(ff_sim_event(r->sim)->kind, FF_TOUCHDOWN);
    return ff_sim_event(r->sim)->time;
}

/* a scene with text in front of a floor, whose first touch-down is at a time, or never if that is NAN */
static void assert_touch(const char *text, const char *method, double until, double want,
                         double off) {
    run r = begin(text, method, 1e-9);
    const double seen = first_touch(&r, until);
    assert_holds(isnan(seen) == isnan(want) && !(fabs(seen - want) > off),
                 "%s\n%s: touches at %.12g instead of %.12g", text, method, seen, want);
    finish(&r);
}

#define HARD "normal: {law: hunt-crossley, k: 2e6, lambda: 6e5}"

/* height, speed, gravity; amplitude, angular frequency and phase of the plate */
static double plate_gap(const double *p, double t) {
    return p[0] - 0.01 + p[1] * t - p[2] * t * t / 2 - p[3] * sin(p[4] * t + p[5]);
}

static void test_plates(void **state) {
    (void)state;
    for (int i = 0; i < 60; i++) {
        char text[1000];
        const double hz = rounded(log_uniform(20, 500)),
                     p[] = {rounded(0.012 + log_uniform(1e-3, 0.2)),
                            rounded(uniform(-3, -0.1)),
                            i % 3 ? 9.81 : 0,
                            rounded(log_uniform(0.05, 10) / (2 * FF_PI * hz)),
                            2 * FF_PI * hz,
                            rounded(uniform(0, 6))};
        if (plate_gap(p, 0) <= 0) {
            continue;
        }
        snprintf(
            text, sizeof text,
            "gravity: [0, 0, %g]\nbodies: {ball: {mass: 20 g, shape: {sphere: {radius: 1 cm}}, "
            "position: [0, 0, %.6g], velocity: [0.3, 0, %.6g]}}\nground: {plate: {plane: "
            "{normal: [0, 0, 1], motion: [0, 0, \"%.6g m*sin(2*pi*t*%.6g Hz + %.6g)\"]}}}\n"
            "pairs: [{between: [ball, plate], " HARD "}]\n",
            -p[2], p[0], p[1], p[3], hz, p[5]);
        /* positions of 1 m to 1e-9, at the speed of the approach; where it grazes, the root of that */
        const double want = first_root(plate_gap, p, 1, 1 / (200 * hz)),
                     rate = isnan(want)
                                ? 1
                                : fabs(p[1] - p[2] * want - p[3] * p[4] * cos(p[4] * want + p[5]));
        assert_touch(text, methods[i % 4], 1, want, 1e-9 / fmax(rate, 1e-3));
    }
}

/* a plate that vibrates does not shorten the steps of a body far above it */
static void test_long_fall(void **state) {
    (void)state;
    const double hz = 487, p[] = {100, 0, 9.81, 2e-3, 2 * FF_PI * hz, 0};
    run r = begin("bodies: {ball: {mass: 20 g, shape: {sphere: {radius: 1 cm}}, position: [0, 0, "
                  "100]}}\nground: {plate: {plane: {normal: [0, 0, 1], motion: [0, 0, \"2 "
                  "mm*sin(2*pi*t*487 Hz)\"]}}}\npairs: [{between: [ball, plate], " HARD "}]\n",
                  "auto", 1e-9);
    /* 100 m to 1e-9 at 44 m/s */
    assert_near(first_touch(&r, 10), first_root(plate_gap, p, 10, 1e-5), 1e-8);
    const long steps = ff_sim_statistics(r.sim).steps;
    assert_holds(steps <= 8, "%ld steps", steps);
    finish(&r);
}

/* A sphere of 1 cm flies past another one at 120 m/s: with the distance b of their lines they touch if b < 2 cm, where
 * 2 - 60 t (relative to the other, which flies at 60 m/s) is sqrt((2 cm)^2 - b^2). Gravity acts on both alike. */
static void test_passing(void **state) {
    (void)state;
    static const double apart[] = {0.02 * (1 - 1e-7), 0.02 * (1 + 1e-7), 0.0199, 0.0201, 0};
    for (size_t i = 0; i < ROWS(apart); i++) {
        for (size_t m = 0; m < ROWS(methods); m++) {
            char text[1000];
            const double b = apart[i];
            snprintf(
                text, sizeof text,
                "bodies:\n  a: {mass: 1, shape: {sphere: {radius: 1 cm}}, velocity: [120, 0, "
                "0]}\n  b: {mass: 1, shape: {sphere: {radius: 1 cm}}, position: [30, %.17g, 0], "
                "velocity: [60, 0, 0]}\npairs: [{between: [a, b], " HARD "}]\n",
                b);
            /* 30 to 60 m to 1e-9 at 60 m/s; where it grazes, 2 cm (1 - 1e-7), at a tenth of a millimetre from the nearest
             * point, the gap falls at 0.03 m/s */
            assert_touch(text, methods[m], 1.2,
                         b < 0.02 ? (30 - sqrt(4e-4 - b * b)) / 60 : (double)NAN,
                         i == 0 ? 1e-6 : 5e-9);
        }
    }
}

/* height, speed, gravity; length, angular speed, angle, radius */
static double tip_gap(const double *p, double t) {
    return p[0] + p[1] * t - p[2] * t * t / 2 - p[3] * sin(p[4] * t + p[5]) - p[6];
}

/* The tip of a rod that spins about its centre touches a floor as the centre falls; in flight the sphere at the tip passes the
 * floor by less than a millimetre many times before. */
static void test_tip(void **state) {
    (void)state;
    for (int i = 0; i < 12; i++) {
        char text[1000];
        const double spin = rounded(log_uniform(20, 2000)), p[] = {rounded(uniform(0.55, 1)),
                                                                   rounded(uniform(-0.5, 1)),
                                                                   i % 2 ? 9.81 : 2,
                                                                   0.5,
                                                                   spin,
                                                                   0,
                                                                   0.01};
        snprintf(text, sizeof text,
                 "gravity: [0, 0, %g]\nbodies: {rod: {mass: 1, inertia: [0.1, 0.1, 0.1], shape: "
                 "{spheres: [{center: [0.5, 0, 0], radius: 0.01}]}, position: [0, 0, %.6g], "
                 "velocity: [0, 0, %.6g], omega: [0, %.6g, 0]}}\nground: {floor: {plane: {normal: "
                 "[0, 0, 1]}}}\npairs: [{between: [rod, floor], " HARD "}]\n",
                 -p[2], p[0], p[1], spin);
        const double want = first_root(tip_gap, p, 3, 1e-2 / spin),
                     rate = p[1] - p[2] * want - p[3] * spin * cos(spin * want);
        assert_true(want > 0);
        /* a tip that just reaches the floor falls slowly relative to it */
        assert_touch(text, methods[i % 4], 3, want, 2e-9 / fmin(fmax(fabs(rate), 1e-3), 1));
    }
}

/* A link turns at 80 rad/s and its end dips into the floor by 1 um, for 0.2 mm of its way of 1 m; or misses it by as much. */
static void test_link_through_floor(void **state) {
    (void)state;
    static const char *const ways[] = {"", "formulation: maximal, "};
    for (int k = 0; k < 8; k++) {
        char text[1000], options[100];
        const bool dips = k % 2 == 0;
        const double height = 0.51 + (dips ? -1e-6 : 1e-6), from = 2.3,
                     want = (2 * FF_PI - from - acos((height - 0.01) / 0.5)) / 80;
        snprintf(text, sizeof text,
                 "gravity: [0, 0, 0]\nbodies: {arm: {mass: 1, inertia: [0.1, 0.1, 0.1], shape: "
                 "{spheres: [{center: [0, 0, -0.25], radius: 0.01}]}}}\njoints: {axle: {revolute: "
                 "{between: [world, arm], axis: [0, 1, 0], anchor: [0, 0, %.9g], second_anchor: "
                 "[0, 0, 0.25], angle: %.6g, rate: 80}}}\nground: {floor: {plane: {normal: [0, 0, "
                 "1]}}}\npairs: [{between: [arm, floor], " HARD "}]\n",
                 height, from);
        snprintf(options, sizeof options, "%smethod: %s, tol: 1e-10", ways[k / 4],
                 methods[k / 2 % 2]);
        run r = begin_with(text, options);
        const double seen = first_touch(&r, 0.07);
        /* at the touch-down the end falls at 0.08 m/s; in maximal coordinates the arm is held to 1e-10 */
        assert_holds(dips ? fabs(seen - want) < 1e-7 : isnan(seen), "%s: %.12g instead of %.12g",
                     options, seen, want);
        finish(&r);
    }
}

enum { KEPT = 40 };

typedef struct record {
    ff_event events[KEPT];
    int count;
    ff_motion end;
} record;

static record record_of(const char *text, const char *options, double until) {
    record out = {.count = 0};
    run r = begin_with(text, options);
    ff_status status;
    while ((status = ff_sim_advance(r.sim, until)) == FF_EVENT) {
        assert_true(out.count < KEPT);
        out.events[out.count++] = *ff_sim_event(r.sim);
    }
    assert_holds(status == FF_OK, "%s", ff_sim_error(r.sim));
    assert_sound(&r);
    out.end = ff_sim_body(r.sim, 0);
    finish(&r);
    return out;
}

/* Plates that jump under a ball and return, under one that rests or hovers, and one that shakes a ball off: as with steps of a
 * hundredth of what they do. */
static void test_plate_jumps(void **state) {
    (void)state;
    static const struct {
        const char *gravity, *height, *start, *motion;
        double step;
    } cases[] = {
        {"-9.81", "10 mm", "start: rest\n",
         "1 mm*(tanh((t - 0.5 s)/(0.2 ms)) - tanh((t - 0.505 s)/(0.2 ms)))", 5e-6},
        {"0", "11 mm", "", "1 mm*(tanh((t - 0.5 s)/(0.2 ms)) - tanh((t - 0.505 s)/(0.2 ms)))",
         5e-6},
        {"0", "11 mm", "", "2 mm*exp(-((t - 0.5 s)/(1 ms))^2)", 1e-5},
        {"-9.81", "10 mm", "start: rest\n", "-0.2 mm*exp(-((t - 0.5 s)/(1 ms))^2)", 1e-5},
        {"-9.81", "10 mm", "start: rest\n", "0.1 mm*sin(2*pi*t*100 Hz)*exp(-((t - 0.5 s)/20 ms)^2)",
         2e-5},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        char text[1000], options[100];
        snprintf(
            text, sizeof text,
            "gravity: [0, 0, %s]\n%sbodies: {ball: {mass: 20 g, shape: {sphere: {radius: 1 "
            "cm}}, position: [0, 0, %s]}}\nground: {plate: {plane: {normal: [0, 0, 1], motion: "
            "[0, 0, \"%s\"]}}}\npairs: [{between: [ball, plate], " HARD "}]\n",
            cases[i].gravity, cases[i].start, cases[i].height, cases[i].motion);
        snprintf(options, sizeof options, "tol: 1e-10, max_step: %g", cases[i].step);
        const double until = 0.506;
        const record want = record_of(text, options, until);
        assert_true(want.count > 0);
        for (size_t m = 0; m < ROWS(methods); m++) {
            snprintf(options, sizeof options, "tol: 1e-10, method: %s", methods[m]);
            const record seen = record_of(text, options, until);
            assert_holds(seen.count == want.count, "case %zu, %s: %d events instead of %d", i,
                         methods[m], seen.count, want.count);
            for (int k = 0; k < want.count; k++) {
                assert_int_equal(seen.events[k].kind, want.events[k].kind);
                /* two runs of 1e-10, whose errors a few impacts multiply by about ten each */
                assert_near(seen.events[k].time, want.events[k].time, 1e-7);
            }
            assert_near(seen.end.velocity[2], want.end.velocity[2],
                        1e-6 * (1 + fabs(want.end.velocity[2])));
        }
    }
}

/* rates of a bead on a crank with the angle exp(-u^2): r'' = r angle'^2 */
static void bead_rates(double t, const double y[2], double out[2]) {
    const double u = (t - 0.5) / 3e-3, rate = -2 * u / 3e-3 * exp(-u * u);
    out[0] = y[1];
    out[1] = y[0] * rate * rate;
}

/* The same crank and rail by function calls: their motion is in no program of a scene file. */
static run crank_by_calls(const char *method) {
    ff_scene *scene = ff_scene_create();
    ff_run_options options = ff_run_options_default();
    ff_body_def body = ff_body_def_default();
    ff_joint_def joint = ff_joint_def_default();
    ff_error error = {""};
    run out;
    ff_scene_set_gravity(scene, (double[]){0, 0, 0});
    body.name = "crank", body.mass = 1;
    for (int c = 0; c < 3; c++) {
        body.inertia[c][c] = 1;
    }
    const int crank = ff_scene_add_body(scene, &body);
    body.name = "bead", body.mass = 0.1;
    for (int c = 0; c < 3; c++) {
        body.inertia[c][c] = 1e-3;
    }
    const int bead = ff_scene_add_body(scene, &body);
    joint.name = "motor", joint.kind = FF_JOINT_REVOLUTE, joint.first = -1, joint.second = crank;
    joint.axis[0] = joint.axis[1] = 0, joint.axis[2] = 1;
    joint.motion[0] = "1 rad*exp(-((t - 0.5 s)/3 ms)^2)";
    assert_int_equal(ff_scene_add_joint(scene, &joint), 0);
    joint = ff_joint_def_default();
    joint.name = "rail", joint.kind = FF_JOINT_PRISMATIC, joint.first = crank, joint.second = bead;
    joint.axis[0] = 1, joint.axis[1] = joint.axis[2] = 0;
    joint.start[0] = 0.1, joint.rate[0] = 0;
    assert_int_equal(ff_scene_add_joint(scene, &joint), 1);
    assert_holds(ff_model_create(scene, &out.model, &error) == FF_OK, "%s", error.text);
    ff_scene_free(scene);
    for (int m = 0; m < FF_METHODS; m++) {
        options.method =
            strcmp(ff_method_name((ff_method)m), method) == 0 ? (ff_method)m : options.method;
    }
    options.tol = 1e-9;
    assert_holds(ff_sim_create(out.model, &options, &out.sim, &error) == FF_OK, "%s", error.text);
    return out;
}

/* A crank turns by 1 rad and back in a few milliseconds and throws a bead along its rail: by Runge and Kutta's method with steps
 * of a five-hundredth of that. */
static void test_driven_joint(void **state) {
    (void)state;
    double y[2] = {0.1, 0};
    const double h = 6e-6, from = 0.47;
    for (int i = 0; i < 10000; i++) {
        double k[4][2], at[2] = {y[0], y[1]};
        for (int s = 0; s < 4; s++) {
            const double by = s == 0 ? 0 : s == 3 ? h : h / 2;
            for (int c = 0; c < 2 && s > 0; c++) {
                at[c] = y[c] + by * k[s - 1][c];
            }
            bead_rates(from + i * h + by, at, k[s]);
        }
        for (int c = 0; c < 2; c++) {
            y[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
        }
    }
    for (size_t m = 0; m < ROWS(methods); m++) {
        run r = begin("gravity: [0, 0, 0]\nbodies:\n  crank: {mass: 1, inertia: 1}\n  bead: {mass: "
                      "100 g, inertia: 1e-3}\njoints:\n  motor: {revolute: {between: [world, "
                      "crank], axis: [0, 0, 1], motion: \"1 rad*exp(-((t - 0.5 s)/3 "
                      "ms)^2)\"}}\n  rail: {prismatic: {between: [crank, bead], axis: [1, 0, 0], "
                      "distance: 10 cm, speed: 0}}\n",
                      methods[m], 1e-9);
        go(&r, 1);
        const ff_joint_record rail = ff_sim_joint(r.sim, 1);
        assert_true(y[1] > 10);
        assert_near(rail.rate[0], y[1], 1e-7 * y[1]);
        assert_near(rail.position[0], y[0] + y[1] * (1 - from - 10000 * h), 1e-7 * y[1]);
        assert_sound(&r);
        finish(&r);
        r = crank_by_calls(methods[m]);
        go(&r, 1);
        assert_near(ff_sim_joint(r.sim, 1).rate[0], y[1], 1e-7 * y[1]);
        finish(&r);
    }
}

/* ---- singular functions ---- */

/* Before a pole error control needs more and more steps, fewer at a large tolerance. */
static void test_poles(void **state) {
    (void)state;
    static const struct {
        const char *scene, *says;
    } cases[] = {
        {FREE "forces: {f: {body: ball, force: [\"1 N/(t/(1 s) - 0.5)\", 0, 0]}}\n",
         "a force, effort or rate that is a function of t has no bound near t = 0.5"},
        {FREE "forces: {f: {body: ball, force: [\"1 N/abs(t/(1 s) - 0.5)^1.5\", 0, 0]}}\n",
         "a force, effort or rate that is a function of t has no bound near t = 0.5"},
        {"gravity: [0, 0, 0]\nbodies: {b: {mass: 1, inertia: 1}}\njoints: {rail: {prismatic: "
         "{between: [world, b], axis: [1, 0, 0], motion: \"1e-6 m*log(abs(t/(1 s) - 0.5))\"}}}\n",
         "the motion of joint 'rail' has no bound near t = 0.5"},
        {"start: rest\nbodies: {b: {mass: 1, shape: {sphere: {radius: 1 cm}}, position: [0, 0, 1 "
         "cm]}}\nground: {lift: {plane: {normal: [0, 0, 1], motion: [0, 0, \"1e-6 m/(t/(1 s) - "
         "0.5) + 2e-6 m\"]}}}\npairs: [{between: [b, lift], " HARD "}]\n",
         "the motion of plane 'lift' has no bound near t = 0.5"},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        for (size_t m = 0; m < ROWS(methods) - 1; m++) {
            char text[1500];
            snprintf(text, sizeof text, cases[i].scene, "");
            run r = begin(i < 2 ? text : cases[i].scene, methods[m], 1e-6);
            ff_status status;
            while ((status = ff_sim_advance(r.sim, 1)) == FF_EVENT) {
            }
            assert_holds(status == FF_BAD_VALUE, "case %zu, %s: %s", i, methods[m],
                         ff_status_text(status));
            assert_holds(strncmp(ff_sim_error(r.sim), cases[i].says, strlen(cases[i].says)) == 0,
                         "%s says: %s", methods[m], ff_sim_error(r.sim));
            assert_near(ff_sim_time(r.sim), 0.5, 1e-3);
            finish(&r);
        }
    }
}

/* Functions whose derivatives are infinite somewhere, or jump, have integrals all the same. */
static void test_integrable(void **state) {
    (void)state;
    static const struct {
        const char *force;
        double impulse; /* from 0 to 1 s */
    } cases[] = {
        {"1 N*sqrt(t/(1 s))", 2.0 / 3},
        {"1 N*sqrt(max(t/(1 s) - 0.5, 0))", 0.23570226039551584}, /* 2/3 (1/2)^(3/2) */
        {"1 N*abs(t/(1 s) - 0.5)", 0.25},
        {"if(t < 0.3 s, 0 N, 5 N)", 3.5},
        {"1 N*floor(t/(0.3 s))", 1.2}, /* 0.3 (1 + 2) + 0.1 3 */
        {"1 N*(t/(1 s))^1.5", 0.4},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        for (size_t m = 0; m < ROWS(methods); m++) {
            char text[1000];
            snprintf(text, sizeof text, FREE "forces: {f: {body: ball, force: [\"%s\", 0, 0]}}\n",
                     "", cases[i].force);
            run r = begin(text, methods[m], 1e-9);
            go(&r, 1);
            /* at the end of a domain steps are halved down to it, about thirty with an error of 1e-9 each at most */
            assert_speed(&r, speed_of(&r), cases[i].impulse / 2, 1e-9, cases[i].force);
            finish(&r);
        }
    }
}

/* At the end of a domain, where a held side of max() has no values beyond, a run ends soon if it cannot go on: it does not make
 * steps that are too short to be any. */
static void test_end_of_domain(void **state) {
    (void)state;
    for (size_t m = 0; m < ROWS(methods); m++) {
        char text[1000];
        snprintf(text, sizeof text,
                 FREE "forces: {f: {body: ball, force: [\"1 N*max(0, 0.6 - "
                      "ball.position[1]/(1 m))^1.5\", 0, 0]}}\n",
                 ", velocity: [0, 1, 0]");
        run r = begin(text, methods[m], 1e-9);
        long steps = 0;
        ff_status status = FF_OK;
        while (status >= 0 && ff_sim_time(r.sim) < 1 && steps++ < 2000) {
            status = ff_sim_step(r.sim, 1);
        }
        assert_holds(steps < 2000, "%s: %.17g s", methods[m], ff_sim_time(r.sim));
        /* (2/5) 0.6^(5/2)/m: all of the impulse, at either end */
        assert_near(speed_of(&r), 0.2 * pow(0.6, 2.5), 1e-8);
        finish(&r);
    }
}

/* Far from the origin, where positions are rounded, errors of all bodies count less, and of equal bodies alike. */
static void test_far_bodies(void **state) {
    (void)state;
    double weights[2][FF_BODY_STRIDE];
    for (int far = 0; far < 2; far++) {
        char text[500];
        const double x = far ? 1e7 : 1;
        snprintf(text, sizeof text,
                 "gravity: [0, 0, 0]\nbodies:\n  a: {mass: 1, inertia: 1, position: [%g, 0, 0]}\n"
                 "  b: {mass: 1, inertia: 1, position: [%g, 0, 0]}\n",
                 x, x);
        run r = begin(text, "dopri5", 1e-9);
        const double *all = r.sim->flow.per_weight;
        assert_memory_equal(all, all + FF_BODY_STRIDE, sizeof weights[far]);
        memcpy(weights[far], all, sizeof weights[far]);
        finish(&r);
    }
    assert_true(weights[1][FF_P] < weights[0][FF_P] && weights[1][FF_VEL] < weights[0][FF_VEL]);
}

/* ---- what is kept of a run ---- */

#define BOTH                                                                                       \
    "gravity: [0, 0, -9.81]\nbodies: {ball: {mass: 20 g, shape: {sphere: {radius: 1 cm}}, "        \
    "position: [0, 0, 30 mm]}}\nground: {plate: {plane: {normal: [0, 0, 1], motion: [0, 0, "       \
    "\"1 mm*exp(-((t - 0.15 s)/1 ms)^2)\"]}}}\npairs: [{between: [ball, plate], " HARD "}]\n"      \
    "events: {band: \"(ball.velocity[2] + 0.2 m/s)^2 - (1 mm/s)^2\"}\n"                            \
    "forces: {kick: {body: ball, force: [\"30 N*exp(-((t - 0.1 s)/(40 us))^2)\", 0, \"1 "          \
    "mN*exp(-((ball.position[2] - 12 mm)/(10 um))^2)\"]}}\n"

static const char *const kept_path = "test_hidden.checkpoint";

/* a run that is saved after each of some steps ends with the bits of one that is not */
static void test_saved(void **state) {
    (void)state;
    const double until = 0.2;
    for (size_t m = 0; m < ROWS(methods); m++) {
        run whole = begin(BOTH, methods[m], 1e-9);
        go(&whole, until);
        const ff_motion want = ff_sim_body(whole.sim, 0);
        const ff_statistics all = ff_sim_statistics(whole.sim);
        finish(&whole);
        assert_true(want.velocity[0] > 0.1);
        for (int turn = 0; turn < 12; turn++) {
            run r = begin(BOTH, methods[m], 1e-9), next = begin(BOTH, methods[m], 1e-9);
            const long steps = all.steps * (turn + 1) / 14;
            while (ff_sim_statistics(r.sim).steps < steps) {
                assert_true(ff_sim_step(r.sim, until) >= 0);
            }
            if (turn % 2) {
                assert_int_equal(ff_checkpoint_write(kept_path, r.sim, NULL, 0, NULL), FF_OK);
                assert_int_equal(ff_checkpoint_read(kept_path, next.sim, NULL, NULL, NULL), FF_OK);
                remove(kept_path);
            } else {
                const size_t size = ff_sim_state_size(r.sim);
                void *block = malloc(size);
                ff_sim_save(r.sim, block);
                assert_int_equal(ff_sim_restore(next.sim, block, size), FF_OK);
                free(block);
            }
            go(&next, until);
            const ff_motion seen = ff_sim_body(next.sim, 0);
            const ff_statistics now = ff_sim_statistics(next.sim);
            assert_memory_equal(&seen, &want, sizeof seen);
            assert_true(now.steps == all.steps && now.evaluations == all.evaluations &&
                        now.rejected == all.rejected);
            finish(&r);
            finish(&next);
        }
    }
}

/* what a survey found is part of a state, and numbers that none can find are refused */
static void test_damaged_survey(void **state) {
    (void)state;
    run r = begin(BOTH, "auto", 1e-9), other = begin(BOTH, "auto", 1e-9);
    const size_t count = ff_survey_count(r.sim->reduced), size = ff_sim_state_size(r.sim);
    void *block = malloc(size);
    assert_true(count > 0);
    for (int k = 0; k < 20; k++) {
        assert_true(ff_sim_step(r.sim, 1) >= 0);
    }
    for (size_t i = 0; i < count; i++) {
        double *const members[] = {&r.sim->surveys[i].to, &r.sim->surveys[i].longest,
                                   &r.sim->surveys[i].method};
        for (size_t k = 0; k < ROWS(members); k++) {
            const double was = *members[k];
            for (int wrong = 0; wrong < 2; wrong++) {
                *members[k] = wrong ? (double)NAN : -1;
                ff_sim_save(r.sim, block);
                assert_int_equal(ff_sim_restore(other.sim, block, size), FF_BAD_VALUE);
            }
            *members[k] = was;
        }
    }
    ff_sim_save(r.sim, block);
    assert_int_equal(ff_sim_restore(other.sim, block, size), FF_OK);
    free(block);
    finish(&r);
    finish(&other);
}

/* ---- warnings ---- */

/* the number of the first warning of a kind, NAN if there is none */
static double warned(ff_sim *sim, ff_warning_kind kind, char *text, size_t size) {
    ff_warning w;
    for (size_t i = 0; *(w = ff_sim_warning(sim, i)).text; i++) {
        if (w.kind == kind) {
            snprintf(text, size, "%s", w.text);
            return w.value;
        }
    }
    return NAN;
}

/* Steps that cannot be shortened, or conditions whose changes are not located: warnings with the first time. */
static void test_unresolved(void **state) {
    (void)state;
    static const struct {
        const char *force, *options;
        double from, to; /* the warning's time; NAN: none */
    } cases[] = {
        /* steps of 1 ms over pulses of 30 us or of 0.1 s */
        {"5000 N*exp(-((t - 0.5 s)/(30 us))^2)", "method: rk4, dt: 1 ms", 0.498, 0.5},
        {"5000 N*exp(-((t - 0.5 s)/(30 us))^2)", "method: semi-implicit, dt: 1 ms", 0.498, 0.5},
        {"5000 N*exp(-((t - 0.5 s)/(0.1 s))^2)", "method: rk4, dt: 1 ms", NAN, 0},
        {"5000 N*exp(-((ball.position[0] - 5 m)/(0.3 mm))^2)", "method: rk4, dt: 1 ms", 0.498, 0.5},
        {"5000 N*exp(-((ball.position[0] - 5 m)/(1 m))^2)", "method: rk4, dt: 1 ms", NAN, 0},
        /* a condition that changes at 0.5 s; the steps in between can have any length */
        {"if(t < 0.5 s, 0 N, 5 N)", "events: none", 0, 0.5},
        {"if(ball.position[0] < 5 m, 0 N, 5 N)", "events: none", 0, 0.5},
        {"if(t < 2 s, 0 N, 5 N)", "events: none, max_step: 0.01", NAN, 0},
        {"if(t < 0.5 s, 0 N, 5 N)", "tol: 1e-9", NAN, 0},
        {"5 N*exp(-((t - 0.5 s)/(30 us))^2)", "events: none", NAN, 0},
        {"5 N*exp(-((t - 0.5 s)/(30 us))^2)", "tol: 1e-9", NAN, 0},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        char text[1000], said[300];
        snprintf(text, sizeof text, FREE "forces: {f: {body: ball, force: [\"%s\", 0, 0]}}\n",
                 ", velocity: [10, 0, 0]", cases[i].force);
        run r = begin_with(text, cases[i].options);
        go(&r, 0.4);
        const double early = warned(r.sim, FF_WARN_UNRESOLVED, said, sizeof said);
        go(&r, 1);
        const double at = warned(r.sim, FF_WARN_UNRESOLVED, said, sizeof said);
        assert_holds(isnan(cases[i].from) ? isnan(at) : at >= cases[i].from && at <= cases[i].to,
                     "%s, %s: from %g on", cases[i].force, cases[i].options, at);
        if (cases[i].from > 0) {
            assert_true(isnan(early));
            assert_non_null(strstr(said, "they have a fixed length"));
        }
        /* the first one stays */
        go(&r, 1.2);
        const double later = warned(r.sim, FF_WARN_UNRESOLVED, said, sizeof said);
        assert_true(isnan(at) ? isnan(later) : later == at);
        finish(&r);
    }
}

/* ---- functions in C ---- */

static void kick(void *user, const ff_control_view *view, double *states, double *rates,
                 double (*commands)[6]) {
    const double u = (ff_control_time(view) - 0.6180339) / 1e-3;
    (void)user, (void)states, (void)rates;
    commands[0][0] = 700 * exp(-u * u);
}

static ff_model *kicked(double shortest, double every) {
    ff_scene *scene = parse_text("gravity: [0, 0, 0]\nbodies: {ball: {mass: 2, inertia: [1, 1, "
                                 "1]}}\n");
    ff_controller_def def = ff_controller_def_default();
    ff_force_def force = ff_force_def_default();
    ff_model *model;
    force.kind = FF_FORCE_CONTROL, force.body = 0, force.name = "push";
    const int push = ff_scene_add_force(scene, &force);
    def.name = "kick", def.function = kick, def.forces = &push, def.force_count = 1;
    def.shortest = shortest, def.every = every;
    assert_int_equal(ff_scene_add_controller(scene, &def), 0);
    assert_int_equal(ff_model_create(scene, &model, NULL), FF_OK);
    ff_scene_free(scene);
    return model;
}

static void test_function_in_c(void **state) {
    (void)state;
    static const struct {
        double shortest, every;
        ff_method method;
        bool found, unbounded, unresolved;
    } cases[] = {{0, 0, FF_AUTO, false, true, false},      {1e-3, 0, FF_AUTO, true, false, false},
                 {1e-3, 0, FF_DOPRI5, true, false, false}, {1e-3, 0, FF_DOP853, true, false, false},
                 {1e-3, 0, FF_RODAS, true, false, false},  {0, 1e-2, FF_AUTO, false, false, false},
                 {1e-3, 0, FF_RK4, false, false, true},    {1e-2, 0, FF_RK4, false, false, false},
                 {0, 0, FF_RK4, false, false, false}};
    for (size_t i = 0; i < ROWS(cases); i++) {
        run r = {.model = kicked(cases[i].shortest, cases[i].every)};
        ff_run_options o = ff_run_options_default();
        char said[300] = "";
        o.method = cases[i].method, o.dt = 2e-3, o.tol = 1e-9;
        assert_int_equal(ff_sim_create(r.model, &o, &r.sim, NULL), FF_OK);
        go(&r, 1);
        const double want = 350 * 1e-3 * sqrt(FF_PI);
        if (cases[i].found) {
            assert_speed(&r, speed_of(&r), want, 1e-9, "a function in C");
            assert_true(ff_sim_statistics(r.sim).steps >= 1000);
        } else if (cases[i].unbounded) {
            assert_true(speed_of(&r) < want / 2);
        }
        const double unresolved = warned(r.sim, FF_WARN_UNRESOLVED, said, sizeof said),
                     unbounded = warned(r.sim, FF_WARN_UNBOUNDED, said, sizeof said);
        assert_true(isnan(unbounded) == !cases[i].unbounded);
        assert_true(isnan(unresolved) == !cases[i].unresolved);
        if (cases[i].unbounded) {
            assert_non_null(strstr(said, "kick") && strstr(said, "shortest") ? said : NULL);
        }
        finish(&r);
    }
}

static void test_wrong_shortest(void **state) {
    (void)state;
    static const double wrong[] = {-1e-3, NAN, -INFINITY};
    for (size_t i = 0; i < ROWS(wrong); i++) {
        ff_scene *scene = parse_text("bodies: {ball: {mass: 2, inertia: 1}}\n");
        ff_controller_def def = ff_controller_def_default();
        def.name = "kick", def.function = kick, def.shortest = wrong[i];
        assert_int_equal(ff_scene_add_controller(scene, &def), FF_BAD_VALUE);
        ff_scene_free(scene);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_time),
    cmocka_unit_test(test_after_changes),
    cmocka_unit_test(test_space),
    cmocka_unit_test(test_time_and_state),
    cmocka_unit_test(test_train),
    cmocka_unit_test(test_hour),
    cmocka_unit_test(test_joint_and_controller),
    cmocka_unit_test(test_link),
    cmocka_unit_test(test_gates),
    cmocka_unit_test(test_band),
    cmocka_unit_test(test_plates),
    cmocka_unit_test(test_long_fall),
    cmocka_unit_test(test_passing),
    cmocka_unit_test(test_tip),
    cmocka_unit_test(test_link_through_floor),
    cmocka_unit_test(test_plate_jumps),
    cmocka_unit_test(test_driven_joint),
    cmocka_unit_test(test_poles),
    cmocka_unit_test(test_integrable),
    cmocka_unit_test(test_end_of_domain),
    cmocka_unit_test(test_far_bodies),
    cmocka_unit_test(test_saved),
    cmocka_unit_test(test_damaged_survey),
    cmocka_unit_test(test_unresolved),
    cmocka_unit_test(test_function_in_c),
    cmocka_unit_test(test_wrong_shortest),
};

CHECK_MAIN(tests)
