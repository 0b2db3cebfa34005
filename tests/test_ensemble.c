/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _DEFAULT_SOURCE
#include "check.h"
#include "ensemble/ensemble.h"
#include "no_memory.h"
#include <assert.h>
#include <footfall/footfall.h>
#include <footfall/source.h>
#include <stdlib.h>

/* Lanes: their runs compared with single ones and closed forms, the same bits for any packing, width, number of
 * threads and order, scenes that cannot use lanes, sweeps. */

/* ---- scenes ---- */

#define BALL                                                                                       \
    "  ball: {mass: 154 g, shape: {sphere: {radius: 1.65 cm}}, position: [0, 0, 10 cm], "          \
    "velocity: [0.5, 0.3, 0], omega: [3, -2, 5]}\n"
#define SCENE(gravity, floor, normal, friction)                                                    \
    "gravity: " gravity "\nbodies:\n" BALL "ground:\n  floor: {plane: " floor "}\n"                \
    "pairs:\n  - between: [ball, floor]\n    normal: " normal "\n    friction: " friction "\n"     \
    "run: {until: 1 s, tol: 1e-6}\n"
#define DOWN "[0, 0, -9.81]"
#define FLAT "{point: [0, 0, 0], normal: [0, 0, 1]}"
#define AZAD "{law: azad-featherstone, k: 8.5e6, lambda: 3.1e3}"
#define CLUTCH "{law: clutch, k: 12.75e6, damping: 3.1e3, mu: 0.2, viscous: 0.1}"

static const struct {
    const char *name, *text;
} scenes[] = {
    {"azad-featherstone, clutch", SCENE(DOWN, FLAT, AZAD, CLUTCH)},
    {"on a slope", SCENE(DOWN, "{point: [0, 0.3, -0.1], normal: [0.3, -0.2, 1]}", AZAD, CLUTCH)},
    {"without gravity along the normal",
     SCENE("[1, 0, -1]", "{point: [0, 0, 0], normal: [0, 0, 1]}", AZAD, CLUTCH)},
    {"no friction", SCENE(DOWN, FLAT, AZAD, "{law: none}")},
    {"tension",
     SCENE(DOWN, FLAT, "{law: azad-featherstone, k: 8.5e6, lambda: 3.1e3, detach: tension}",
           CLUTCH)},
    {"local",
     SCENE(DOWN, FLAT, "{law: azad-featherstone, k: 8.5e6, lambda: 3.1e3, detach: local}", CLUTCH)},
    {"dry clutch", SCENE(DOWN, FLAT, AZAD,
                         "{law: clutch, k: 12.75e6, damping: 3.1e3, mu: 0.2, viscous: 0.1, "
                         "unloaded: drop}")},
    {"clutch without viscous friction",
     SCENE(DOWN, FLAT, AZAD, "{law: clutch, k: 12.75e6, damping: 3.1e3, mu: 0.2}")},
    {"linear, clutch", SCENE(DOWN, FLAT, "{law: linear, k: 3e5, lambda: 40}",
                             "{law: clutch, k: 2e5, damping: 30, mu: 0.2}")},
    {"hunt-crossley, clutch",
     SCENE(DOWN, FLAT, "{law: hunt-crossley, k: 8.5e6, lambda: 4e6}", CLUTCH)},
    {"marhefka-orin, clutch", SCENE(DOWN, FLAT, "{law: marhefka-orin, k: 3e5, alpha: 0.3}",
                                    "{law: clutch, k: 2e5, damping: 60, mu: 0.2}")},
    {"lee-wang, clutch", SCENE(DOWN, FLAT, "{law: lee-wang, k: 8.5e6, lambda: 1e5}", CLUTCH)},
    {"tsuji, clutch", SCENE(DOWN, FLAT, "{law: tsuji, k: 8.5e6, lambda: 400}", CLUTCH)},
    {"general, clutch",
     SCENE(DOWN, FLAT, "{law: general, k: 5e6, lambda: 2e5, n: 1.4, p: 1}", CLUTCH)},
    {"two-term, clutch",
     SCENE(DOWN, FLAT, "{law: two-term, k: 8.5e6, n: 1.5, k2: 1e8, n2: 2.5, chi: 0.3}", CLUTCH)},
    {"lankarani-nikravesh, clutch",
     SCENE(DOWN, FLAT, "{law: lankarani-nikravesh, k: 8.5e6, e: 0.7}", CLUTCH)},
    {"flores, clutch", SCENE(DOWN, FLAT, "{law: flores, k: 8.5e6, e: 0.7}", CLUTCH)},
    {"sat", SCENE(DOWN, FLAT, AZAD, "{law: sat, k: 2e5, beta: 1e-3, mu: 0.2}")},
    {"lugre", SCENE(DOWN, FLAT, AZAD, "{law: lugre, k: 1e3, damping: 1, viscous: 0.01, mu: 0.2}")},
    {"dahl", SCENE(DOWN, FLAT, AZAD, "{law: dahl, k: 1e3, mu: 0.2}")},
    {"coulomb", SCENE(DOWN, FLAT, AZAD, "{law: coulomb, mu: 0.2, v_ramp: 0.05}")},
    {"coulomb on a slope", SCENE(DOWN, "{point: [0, 0.3, -0.1], normal: [0.3, -0.2, 1]}", AZAD,
                                 "{law: coulomb, mu: 0.2, v_ramp: 1e-3}")},
    {"bengisu-akay",
     SCENE(DOWN, FLAT, AZAD, "{law: bengisu-akay, mu_s: 0.3, mu: 0.2, v0: 0.1, xi: 10}")},
};

/* A ball thrown in a box without a lid, whose walls have different laws and parameters: three combinations of laws. */
#define PLANE(name, point, normal) "  " name ": {plane: {point: " point ", normal: " normal "}}\n"
#define PAIR(name, normal, friction)                                                               \
    "  - between: [ball, " name "]\n    normal: " normal "\n    friction: " friction "\n"
#define BOX(gravity, start, run)                                                                   \
    "gravity: " gravity "\nbodies:\n  ball: {mass: 154 g, shape: {sphere: {radius: 1.65 cm}}, "    \
    "position: " start "}\nground:\n" PLANE("floor", "[0, 0, 0]", "[0, 0, 1]") PLANE(              \
        "left", "[-0.2, 0, 0]", "[1, 0, 0]") PLANE("right", "[0.2, 0, 0]", "[-1, 0.1, 0.05]")      \
        PLANE("front", "[0, -0.2, 0]", "[0, 1, 0]")                                                \
            PLANE("back", "[0, 0.2, 0]", "[0, -1, 0]") "pairs:\n" PAIR(                            \
                "floor", "{law: azad-featherstone, k: 8.5e6, lambda: 1e3}", CLUTCH)                \
                PAIR("left", "{law: hunt-crossley, k: 8.5e6, lambda: 1e6}", CLUTCH)                \
                    PAIR("right", "{law: azad-featherstone, k: 4e6, lambda: 1e3}",                 \
                         "{law: clutch, k: 12.75e6, damping: 3.1e3, mu: 0.1, viscous: 0.1}")       \
                        PAIR("front", "{law: azad-featherstone, k: 8.5e6, lambda: 500}", CLUTCH)   \
                            PAIR("back", "{law: lankarani-nikravesh, k: 8.5e6, e: 0.8}",           \
                                 "{law: none}") "run: " run "\n"
#define THROWN "[0, 0, 10 cm], velocity: [1.4, 0.9, 0.5], omega: [3, -2, 5]"

static ff_model *model_of(const char *text, const char *const *settings, size_t count) {
    ff_messages messages = {0};
    ff_scene *scene = NULL;
    ff_model *model = NULL;
    ff_error error = {""};
    ff_status status =
        ff_scene_parse("s.yaml", text, strlen(text), settings, count, INFINITY, &scene, &messages);
    assert_holds(status == FF_OK, "%s", messages.count ? messages.at[0].text : "not read");
    ff_messages_clear(&messages);
    assert_holds(ff_model_create(scene, &model, &error) == FF_OK, "%s", error.text);
    ff_scene_free(scene);
    return model;
}

/* ---- runs ---- */

/* results compared at the end of a run */
enum { POSITION, VELOCITY = 3, OMEGA = 6, NORMAL_DAMPER = 9, SLIP, RESIDUAL, NUMBERS };

typedef struct {
    double end[NUMBERS], scale;
    double u[3];
    size_t counts[FF_USER + 1];
    bool good;
    long steps;
} result;

enum { ROWS_MOST = 64 };

typedef struct {
    const ff_model *model;
    ff_run_options options;
    size_t count, at, field[2], order[ROWS_MOST];
    double values[ROWS_MOST][2];
    result out[ROWS_MOST];
    ff_sim *sims[FF_ENSEMBLE_RUNS];
    size_t row[FF_ENSEMBLE_RUNS];
    size_t width; /* number of fields set, in values */
} batch;

static void look(ff_sim *sim, result *out) {
    const ff_motion m = ff_sim_body(sim, 0);
    const ff_ledger l = ff_sim_ledger(sim);
    memcpy(out->end + POSITION, m.position, sizeof m.position);
    memcpy(out->end + VELOCITY, m.velocity, sizeof m.velocity);
    memcpy(out->end + OMEGA, m.omega, sizeof m.omega);
    out->end[NORMAL_DAMPER] = l.normal_damper;
    out->end[SLIP] = l.slip + l.viscous + l.tangential_damper + l.regrade + l.created;
    out->end[RESIDUAL] = l.residual;
    out->scale = l.scale;
    out->steps = ff_sim_statistics(sim).steps;
    memcpy(out->u, ff_sim_contact(sim, 0).u, sizeof out->u);
}

static_assert(FF_TOUCHDOWN < FF_CLEAR && FF_LIFTOFF < FF_CLEAR && FF_CLEAR < FF_STICK &&
                  FF_STICK < FF_SLIP,
              "kinds of events in this order");

static bool next(void *user, int lane, ff_sim **sim) {
    batch *b = user;
    ff_error error = {""};
    if (b->at == b->count) {
        return false;
    }
    const size_t row = b->row[lane] = b->order[b->at++];
    *sim = b->sims[lane];
    ff_status status = ff_set_again(*sim, b->field, b->width, b->values[row], row % 2 == 0, &error);
    assert_holds(status == FF_OK, "%s", error.text);
    return true;
}

static void done(void *user, int lane, const size_t counts[FF_USER + 1], bool good) {
    batch *b = user;
    result *out = &b->out[b->row[lane]];
    look(b->sims[lane], out);
    memcpy(out->counts, counts, sizeof out->counts);
    out->good = good;
    assert_holds(!good || ff_sim_verdict(b->sims[lane]) == FF_OK, "%s",
                 ff_sim_error(b->sims[lane]));
}

static void run_lanes(batch *b) {
    ff_error error;
    b->at = 0;
    for (int l = 0; l < FF_ENSEMBLE_RUNS; l++) {
        assert_int_equal(ff_sim_create(b->model, &b->options, &b->sims[l], &error), FF_OK);
    }
    const ff_ensemble_feed feed = {.next = next, .done = done, .user = b};
    assert_int_equal(ff_ensemble_run(b->model, &b->options, &feed), FF_OK);
    assert_true(b->at == b->count);
    for (int l = 0; l < FF_ENSEMBLE_RUNS; l++) {
        ff_sim_free(b->sims[l]);
    }
}

static void run_single(const batch *b, size_t row, double tol, result *out) {
    ff_sim *sim;
    ff_error error = {""};
    ff_run_options o = b->options;
    o.tol = tol;
    *out = (result){.good = true};
    assert_int_equal(ff_sim_create(b->model, &o, &sim, &error), FF_OK);
    assert_int_equal(ff_sim_set_all(sim, b->field, b->width, b->values[row], &error), FF_OK);
    ff_status status;
    while ((status = ff_sim_advance(sim, o.until)) == FF_EVENT) {
        out->counts[ff_sim_event(sim)->kind]++;
    }
    assert_holds(status == FF_OK, "%s", ff_sim_error(sim));
    look(sim, out);
    ff_sim_free(sim);
}

/* Rows with different speeds and stiffnesses; only speeds if the law has no k. */
static void fill(batch *b, const ff_model *model, size_t count) {
    size_t part;
    ff_error error = {""};
    *b = (batch){.model = model, .options = *ff_model_run(model), .count = count, .width = 2};
    assert_int_equal(ff_model_field_find(model, "bodies.ball.mass", &b->field[0], &part, &error),
                     FF_OK);
    assert_int_equal(ff_model_field_find(model, "pairs[0].normal.k", &b->field[1], &part, &error),
                     FF_OK);
    double k;
    ff_sim *sim;
    assert_int_equal(ff_sim_create(model, &b->options, &sim, &error), FF_OK);
    ff_sim_get_all(sim, &b->field[1], 1, &k);
    ff_sim_free(sim);
    for (size_t i = 0; i < count; i++) {
        b->order[i] = i;
        b->values[i][0] = log_uniform(0.1, 0.3);
        b->values[i][1] = k * log_uniform(0.5, 2);
    }
}

/* ---- compared with single runs ---- */

/* A lane has the error of single runs at about the same tolerance, each relative to a run at 1e-10. The error of a
 * step passes through about 40 events, with a large random effect: the error of a single run is taken as the
 * largest of four, at tolerances from half to twice that of the lane. On average over all scenes and results, the
 * worst of 20 rows has less than 1.5 times that error; any one has less than ten times, or tol relative to the
 * size of the motion if both are small. The numbers of touch-downs, lift-offs and ends of contacts agree in 8 rows
 * of 10; a last bounce of microns depends on the tolerance. For a rolling ball an instant of slip before each
 * lift-off depends on rounding, also in single runs: all kinds of events are compared if it slides for longer. */
static void agrees(void **state) {
    (void)state;
    double ratios = 0;
    for (size_t s = 0; s < ROWS(scenes); s++) {
        ff_model *model = model_of(scenes[s].text, NULL, 0);
        batch b;
        double worst[NUMBERS] = {0}, worst_single[NUMBERS] = {0};
        size_t same = 0, good = 0;
        fill(&b, model, 20);
        assert_holds(!ff_ensemble_refusal(model, &b.options), "%s: %s", scenes[s].name,
                     ff_ensemble_refusal(model, &b.options));
        run_lanes(&b);
        for (size_t row = 0; row < b.count; row++) {
            static const double parts[] = {0.5, 0.8, 1.25, 2};
            result single[ROWS(parts)], tight;
            if (!b.out[row].good) {
                continue;
            }
            good++;
            for (size_t k = 0; k < ROWS(parts); k++) {
                run_single(&b, row, parts[k] * b.options.tol, &single[k]);
            }
            run_single(&b, row, 1e-10, &tight);
            /* touch-downs, lift-offs and clear; sticks and slips follow them in the array */
            same += memcmp(b.out[row].counts, tight.counts,
                           (s == 0 ? FF_SLIP + 1 : FF_CLEAR + 1) * sizeof *tight.counts) == 0;
            /* scales of the motion: 1.5 m/s, 90 rad/s and the energy */
            const double sizes[NUMBERS] = {1,  1,  1,  1.5,         1.5,         1.5,
                                           90, 90, 90, tight.scale, tight.scale, tight.scale};
            for (int i = 0; i < NUMBERS; i++) {
                const double wanted = i == RESIDUAL ? 0 : tight.end[i];
                worst[i] = fmax(worst[i], fabs(b.out[row].end[i] - wanted) / sizes[i]);
                for (size_t k = 0; k < ROWS(parts); k++) {
                    worst_single[i] =
                        fmax(worst_single[i], fabs(single[k].end[i] - wanted) / sizes[i]);
                }
            }
        }
        assert_holds(good >= b.count - 1, "%s: %zu of %zu rows", scenes[s].name, good, b.count);
        assert_holds(same * 10 >= good * 8, "%s: %zu of %zu rows have the events", scenes[s].name,
                     same, good);
        for (int i = 0; i < NUMBERS; i++) {
            assert_holds(worst[i] <= fmax(10 * worst_single[i], b.options.tol),
                         "%s, number %d: off by %.3g, a single run by %.3g", scenes[s].name, i,
                         worst[i], worst_single[i]);
            /* below a tenth of tol both are accurate */
            const double least = 0.1 * b.options.tol;
            ratios += log(fmax(worst[i], least) / fmax(worst_single[i], least));
        }
        ff_model_free(model);
    }
    ratios = exp(ratios / (NUMBERS * ROWS(scenes)));
    assert_holds(ratios < 1.5, "lanes are off by %.3g times as much as single runs", ratios);
}

/* ---- closed forms ---- */

/* In the air one step is exact: p = p0 + v t + g t^2/2, to rounding, omega is constant, and the accounts stay 0. */
static void flight(void **state) {
    (void)state;
    const char *settings[] = {"run.until=0.1", "bodies.ball.velocity=[0.5,0.3,1]"};
    ff_model *model = model_of(scenes[1].text, settings, 2);
    batch b;
    fill(&b, model, 20);
    run_lanes(&b);
    for (size_t row = 0; row < b.count; row++) {
        const double *end = b.out[row].end;
        const double wanted[9] = {0.05, 0.03, 0.1 + 0.1 - 9.81 * 0.005, 0.5, 0.3, 1 - 0.981, 3,
                                  -2,   5};
        for (int i = 0; i < 9; i++) {
            assert_near(end[i], wanted[i], 1e-14);
        }
        assert_true(b.out[row].good && end[NORMAL_DAMPER] == 0);
        assert_near(end[RESIDUAL], 0, 1e-15);
    }
    ff_model_free(model);
}

/* A ball on a Hertzian spring without friction bounces to its initial height forever: it touches down after sqrt(2
 * d/g), is in contact for the time of Hertz's theory (2.9432 depth/speed, slightly less than with gravity), and in
 * the air for 2 v/g. 1 s contains five full cycles. */
static void bounces(void **state) {
    (void)state;
    ff_model *model = model_of(SCENE(DOWN, FLAT, "{law: hertz, k: 8.5e6}", "{law: none}"), NULL, 0);
    batch b;
    fill(&b, model, 8);
    run_lanes(&b);
    for (size_t row = 0; row < b.count; row++) {
        const double m = b.values[row][0], k = b.values[row][1], d = 0.1 - 0.0165, g = 9.81,
                     v = sqrt(2 * g * d), fall = sqrt(2 * d / g);
        const double depth = pow(5 * m * v * v / (4 * k), 0.4),
                     turn = 2 * fall + 2.9432 * depth / v;
        assert_true(b.out[row].good);
        assert_int_equal(b.out[row].counts[FF_TOUCHDOWN], (size_t)((1 - fall) / turn) + 1);
        /* no energy is lost, within the tolerance */
        const double *end = b.out[row].end;
        double energy = m * g * end[2];
        for (int i = 0; i < 3; i++) {
            energy += m * end[VELOCITY + i] * end[VELOCITY + i] / 2;
        }
        assert_near(energy, m * (g * 0.1 + (0.25 + 0.09) / 2), 1e-6 * m);
    }
    ff_model_free(model);
}

/* q'' + 2 d q' + rate q = 0, d^2 < rate, after a time t */
static void swing(double rate, double d, double t, double *q, double *w) {
    const double f = sqrt(rate - d * d), c = cos(f * t) * exp(-d * t),
                 s = sin(f * t) / f * exp(-d * t), q0 = *q, w0 = *w;
    *q = c * q0 + s * (w0 + d * q0);
    *w = c * w0 - s * (rate * q0 + d * w0);
}

/* A ball close to rest on linear laws, which sticks: depth and slip are damped oscillators. At an amplitude of 2 nm and
 * 1 um/s, a thousandth of the depth at rest, one solution of the linear equations reaches the end of the run; at 1 um
 * there are steps before it. The error is that of the linear equations, which are exact here, and of the steps. */
static void settles(void **state) {
    (void)state;
    const double m = 0.154, r = 0.0165, k = 3e5, lambda = 40, kt = 2e5, damping = 30, g = 9.81,
                 t = 0.005, rest = m * g / k, kappa = 3.5 / m;
    const double offs[] = {2e-9, 1e-6}, errors[] = {1e-8, 1e-4};
    for (int i = 0; i < 2; i++) {
        char text[100];
        snprintf(text, sizeof text, "bodies.ball.position=[0,0,%.17g]", r - rest - offs[i]);
        const char *settings[] = {text, "bodies.ball.velocity=[1e-6,0,0]",
                                  "bodies.ball.omega=[0,0,0]", "run.until=0.005",
                                  "bodies.ball.mass=0.154"};
        ff_model *model = model_of(SCENE(DOWN, FLAT, "{law: linear, k: 3e5, lambda: 40}",
                                         "{law: clutch, k: 2e5, damping: 30, mu: 0.2}"),
                                   settings, ROWS(settings));
        batch b;
        fill(&b, model, 1);
        b.values[0][0] = m;
        b.values[0][1] = k;
        run_lanes(&b);
        double z = offs[i], w = 0, u = 0, s = 1e-6;
        const double rate = k / m, energy = rate * z * z;
        swing(rate, lambda / (2 * m), t, &z, &w);
        swing(kappa * kt, kappa * damping / 2, t, &u, &s);
        const double *end = b.out[0].end, speed = offs[i] * sqrt(rate), error = errors[i];
        assert_true(b.out[0].good);
        assert_holds(i > 0 || b.out[0].steps <= 2, "%ld steps", b.out[0].steps);
        assert_near(end[2], r - rest - z, error * offs[i] + 1e-17);
        assert_near(end[VELOCITY + 2], -w, error * speed);
        assert_near(end[VELOCITY], 1e-6 + (s - 1e-6) * 2 / 7, error * speed);
        assert_near(end[POSITION], (1e-6 - 1e-6 * 2 / 7) * t + u * 2 / 7, error * offs[i]);
        assert_near(end[NORMAL_DAMPER], m / 2 * (energy - rate * z * z - w * w),
                    error * m * energy + 1e-16 * b.out[0].scale);
        ff_model_free(model);
    }
}

/* ---- the same bits ---- */

static void assert_same(const batch *a, const batch *b, const char *what) {
    for (size_t row = 0; row < a->count; row++) {
        assert_holds(
            memcmp(a->out[row].end, b->out[row].end, sizeof a->out[row].end) == 0 &&
                memcmp(a->out[row].u, b->out[row].u, sizeof a->out[row].u) == 0 &&
                memcmp(a->out[row].counts, b->out[row].counts, sizeof a->out[row].counts) == 0 &&
                a->out[row].scale == b->out[row].scale,
            "%s: row %zu differs", what, row);
    }
}

/* Whatever its neighbours, order and vector width, the bits of a run are the same. */
static void packs_alike(const batch *first) {
    const char *sets[] = {"sse2", "avx2", "avx512"};
    batch other = *first;
    for (size_t i = 0; i < ROWS(sets); i++) {
        other = *first;
        setenv("FOOTFALL_ISA", sets[i], 1);
        run_lanes(&other);
        unsetenv("FOOTFALL_ISA");
        assert_same(first, &other, sets[i]);
    }
    for (size_t i = 0; i < other.count; i++) {
        other.order[i] = other.count - 1 - i;
    }
    run_lanes(&other);
    assert_same(first, &other, "the other way round");
    /* each run alone */
    for (size_t i = 0; i < first->count; i++) {
        other.count = 1;
        other.order[0] = i;
        run_lanes(&other);
    }
    other.count = first->count;
    assert_same(first, &other, "alone");
}

static void same_bits(void **state) {
    (void)state;
    const size_t which[] = {0, 1, 12, 13, 15, 17, 18, 20, 22};
    for (size_t s = 0; s < ROWS(which); s++) {
        for (int fixed = 0; fixed < 2; fixed++) {
            const char *settings[] = {"run.method=rk4", "run.dt=2e-5", "run.events=none",
                                      "run.until=0.2"};
            ff_model *model = model_of(scenes[which[s]].text, settings, fixed ? ROWS(settings) : 0);
            batch first;
            fill(&first, model, fixed ? 20 : 40);
            /* one that stays in the air and a heavy one end at other times than the rest */
            first.values[3][0] = 5;
            run_lanes(&first);
            packs_alike(&first);
            ff_model_free(model);
        }
    }
}

/* Also with several planes, between which lanes change their laws. */
static void same_bits_in_a_box(void **state) {
    (void)state;
    const char *settings[] = {"bodies.ball.velocity=[1.1,0.9,0.5]"};
    ff_model *model = model_of(BOX(DOWN, THROWN, "{until: 0.6 s, tol: 1e-6}"), settings, 1);
    batch first;
    size_t good = 0;
    fill(&first, model, 40);
    assert_holds(!ff_ensemble_refusal(model, &first.options), "%s",
                 ff_ensemble_refusal(model, &first.options));
    run_lanes(&first);
    for (size_t i = 0; i < first.count; i++) {
        good += first.out[i].good;
    }
    assert_holds(good > 35, "%zu of 40 rows", good);
    packs_alike(&first);
    ff_model_free(model);
}

/* A second plane that is never reached does not change a bit. It is as hard as the first one and no farther
 * away, because scales of the error control follow from all planes. */
static void a_far_plane(void **state) {
    (void)state;
    static const char far[] =
        "gravity: [0, 0, -9.81]\nbodies:\n" BALL "ground:\n  floor: {plane: " FLAT
        "}\n  wall: {plane: {point: [-0.05, 0, 0], normal: [1, 0, 0]}}\npairs:\n" PAIR(
            "floor", AZAD, CLUTCH) PAIR("wall", AZAD, CLUTCH) "run: {until: 1 s, tol: 1e-6}\n";
    ff_model *one = model_of(scenes[0].text, NULL, 0), *two = model_of(far, NULL, 0);
    batch a, b;
    fill(&a, one, 20);
    fill(&b, two, 20);
    for (size_t i = 0; i < a.count; i++) {
        a.values[i][1] = 8.5e6;
    }
    memcpy(b.values, a.values, sizeof a.values);
    run_lanes(&a);
    run_lanes(&b);
    for (size_t i = 0; i < a.count; i++) {
        assert_true(a.out[i].good && b.out[i].good);
    }
    assert_same(&a, &b, "a far plane");
    ff_model_free(one);
    ff_model_free(two);
}

/* ---- fixed steps ---- */

/* Steps of rk4 are those of a single run in other coordinates: they differ by rounding, amplified by 25 contacts
 * in 10,000 steps. */
static void fixed_steps(void **state) {
    (void)state;
    const char *settings[] = {"run.method=rk4", "run.dt=3e-5", "run.events=none", "run.until=0.5"};
    for (size_t s = 0; s < ROWS(scenes); s++) {
        if (strstr(scenes[s].text, "v_ramp: 1e-3")) {
            /* mu N/v_ramp times the step is 40 in an impact: unstable, so that rounding errors grow */
            continue;
        }
        ff_model *model = model_of(scenes[s].text, settings, ROWS(settings));
        batch b;
        fill(&b, model, 5);
        assert_null(ff_ensemble_refusal(model, &b.options));
        run_lanes(&b);
        for (size_t row = 0; row < b.count; row++) {
            result single;
            run_single(&b, row, b.options.tol, &single);
            assert_true(b.out[row].good);
            for (int i = 0; i < NUMBERS; i++) {
                const double size = i < VELOCITY        ? 1
                                    : i < OMEGA         ? 1.5
                                    : i < NORMAL_DAMPER ? 90
                                                        : 0.3;
                assert_holds(fabs(b.out[row].end[i] - single.end[i]) <= 1e-9 * size,
                             "%s, row %zu, number %d: %.17g, single %.17g", scenes[s].name, row, i,
                             b.out[row].end[i], single.end[i]);
            }
        }
        ff_model_free(model);
    }
}

/* ---- scenes that cannot use lanes ---- */

static void refusals(void **state) {
    (void)state;
#define WITH(more) more SCENE(DOWN, FLAT, AZAD, CLUTCH)
    const struct {
        const char *text, *setting, *why;
    } cases[] = {
        {WITH(""), "run.method=rodas", "the method is none of auto, dopri5 and rk4"},
        {WITH(""), "run.events=none", "events are not located"},
        {WITH(""), "run.max_step=1e-3", "steps have a greatest length"},
        {WITH("events: {low: \"ball.position[2] - 5 cm\"}\n"), NULL, "it has events of its own"},
        {WITH("forces: {wind: {constant: {body: ball, force: [0.1, 0, 0]}}}\n"), NULL,
         "forces are applied"},
        {SCENE(DOWN, "{point: [0, 0, 0], normal: [0, 0, 1], surface_velocity: [1, 0, 0]}", AZAD,
               CLUTCH),
         NULL, "the plane moves"},
        {SCENE(DOWN, FLAT, AZAD,
               "{law: clutch, k: 12.75e6, damping: 3.1e3, mu: 0.2, passive: true}"),
         NULL, "the friction law has no lanes"},
        {BOX(DOWN, THROWN, "{until: 1 s, method: rk4, dt: 1e-5, events: none}"), NULL,
         "steps have a fixed length, and there are several planes"},
        {BOX(DOWN, THROWN, "{until: 1 s}"), "ground.back.plane.velocity=[0,-0.1,0]",
         "the plane moves"},
        {BOX(DOWN, THROWN, "{until: 1 s}"), "pairs[3].friction.passive=true",
         "the friction law has no lanes"},
        {SCENE(DOWN, FLAT, "{law: xiong, K: 1e6, alpha: 1e-4, beta: 1e-3}",
               "{law: sat, k: 2e5, beta: 1e-3, mu: 0.2}"),
         NULL, "the normal law has an inner state"},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_model *model = model_of(cases[i].text, &cases[i].setting, cases[i].setting != NULL);
        const char *why = ff_ensemble_refusal(model, ff_model_run(model));
        assert_holds(why && strcmp(why, cases[i].why) == 0, "case %zu: %s", i, why ? why : "lanes");
        ff_model_free(model);
    }
}

/* ---- sweeps ---- */

static const char *const keep[] = {"end(bodies.ball.velocity[0])", "end(ledger.residual)",
                                   "n=count(touchdown ball/floor)", "m=2*bodies.ball.mass"};

/* kept in addition to other numbers, it makes sweeps run one at a time */
#define ORIENTATION "end(bodies.ball.orientation[0])"

static ff_sweep sweep_of(const char *text, const char *const *vary, size_t count) {
    ff_sweep sweep = ff_sweep_default();
    sweep.path = "s.yaml";
    sweep.text = text;
    sweep.vary = vary;
    sweep.vary_count = count;
    sweep.keep = keep;
    sweep.keep_count = ROWS(keep);
    return sweep;
}

static ff_table *table_of(const ff_sweep *sweep) {
    ff_table *t = NULL;
    ff_messages messages = {0};
    ff_status status = ff_sweep_run(sweep, &t, &messages);
    assert_holds(status == FF_OK, "%s", messages.count ? messages.at[0].text : "");
    ff_messages_clear(&messages);
    return t;
}

/* Sweeps use lanes automatically: the same bits for any number of threads, also if the file is evaluated again for
 * each run. Results equal those of a single run within the tolerance; an invalid run is a row with its reason. */
static void sweeps(void **state) {
    (void)state;
    const char *vary[] = {"pairs[0].normal.k=loguniform(4e6, 2e7)", "bodies.ball.mass=0.1,0.2,0.3"},
               *wrong[] = {"pairs[0].normal.k=1e6,-1,2e6"};
    static const char text[] = "parameters: {mass: 154 g}\ngravity: [0, 0, -9.81]\nbodies:\n"
                               "  ball: {mass: mass, shape: {sphere: {radius: 1.65 cm}}, position: "
                               "[0, 0, 10 cm], velocity: [0.5, 0.3, 0]}\n"
                               "ground:\n  floor: {plane: " FLAT "}\n"
                               "pairs:\n  - between: [ball, floor]\n    normal: " AZAD
                               "\n    friction: " CLUTCH "\nrun: {until: 0.5 s, tol: 1e-6}\n";
    ff_sweep sweep = sweep_of(text, vary, 2);
    sweep.samples = 40;
    sweep.threads = 1;
    ff_table *one = table_of(&sweep);
    assert_true(one->lanes == ff_ensemble_width() && !one->alone && one->failed == 0);
    assert_int_equal(one->rows, 120);
    for (int threads = 2; threads < 5; threads++) {
        sweep.threads = threads;
        ff_table *t = table_of(&sweep);
        assert_memory_equal(t->values, one->values, one->rows * one->columns * sizeof *one->values);
        ff_free(t);
    }
    /* the mass depends on `parameters.mass` in the file */
    const char *by_file[] = {vary[0], "parameters.mass=0.1,0.2,0.3"};
    sweep.vary = by_file;
    ff_table *file = table_of(&sweep);
    assert_true(file->lanes > 0);
    assert_memory_equal(file->values, one->values, one->rows * one->columns * sizeof *one->values);
    ff_free(file);
    /* one at a time, with the reason */
    sweep.vary = vary;
    const char *more[] = {keep[0], keep[1], keep[2], ORIENTATION};
    sweep.keep = more;
    ff_table *single = table_of(&sweep);
    assert_int_equal(single->lanes, 0);
    assert_string_equal(single->alone, "an orientation is kept");
    size_t same = 0;
    for (size_t i = 0; i < one->rows; i++) {
        const double *a = one->values + i * one->columns, *b = single->values + i * one->columns;
        assert_near(a[2], b[2], 1e-6);
        /* tol relative to the energy, about 0.2 J per kg */
        assert_near(a[3], 0, 1e-6);
        same += a[4] == b[4];
        assert_true(a[5] == 2 * a[1]);
    }
    /* all except those with bounces of microns */
    assert_true(same > 110);
    ff_free(single);
    ff_free(one);
    sweep = sweep_of(text, wrong, 1);
    ff_table *t = table_of(&sweep);
    assert_true(t->lanes > 0 && t->failed == 1 && t->reason[1] && !t->reason[0] && !t->reason[2]);
    assert_non_null(strstr(t->reason[1], "k"));
    ff_free(t);
}

/* Numbers at events, of impacts and of the start agree with those of single runs within the tolerance, relative to
 * times of 1 s, speeds of 1 m/s and energies of 0.2 J. An event that does not occur gives NAN. Touch-downs of which the
 * contact has not cleared are counted separately. */
static void events(void **state) {
    (void)state;
    const char *vary[] = {"pairs[0].normal.k=loguniform(4e6, 2e7)", "bodies.ball.mass=0.1,0.3"};
    const char *kept[] = {"at(touchdown 2, t)",
                          "at(liftoff ball/floor 1, bodies.ball.velocity[2])",
                          "at(clear 2, bodies.ball.position[0])",
                          "at(stick 1, norm(bodies.ball.omega))/30",
                          "at(slip 1, ledger.slip)",
                          "impact(1, speed)",
                          "impact(ball/floor 2, restitution)",
                          "impact(1, contact_time)",
                          "start(bodies.ball.velocity[0])",
                          "at(touchdown 1000, t)",
                          "count(touchdown ball/floor)",
                          "count(rejoin)",
                          ORIENTATION};
    enum { NUMBERS_AT = 9, ALL = ROWS(kept) - 1 };
    ff_sweep sweep = sweep_of(SCENE(DOWN, FLAT, AZAD, CLUTCH), vary, 2);
    sweep.samples = 20;
    sweep.keep = kept;
    sweep.keep_count = ALL;
    ff_table *lanes = table_of(&sweep);
    sweep.keep_count = ALL + 1;
    ff_table *single = table_of(&sweep);
    assert_true(lanes->lanes > 0 && single->lanes == 0 && lanes->failed == 0 && lanes->rows == 40);
    size_t same = 0;
    for (size_t i = 0; i < lanes->rows; i++) {
        const double *a = lanes->values + i * lanes->columns + 2,
                     *b = single->values + i * single->columns + 2;
        for (int c = 0; c < NUMBERS_AT; c++) {
            assert_holds(fabs(a[c] - b[c]) <= 2e-6, "row %zu, %s: %.12g, single %.12g", i, kept[c],
                         a[c], b[c]);
        }
        assert_true(a[8] == 0.5);
        assert_true(isnan(a[9]) && isnan(b[9]));
        same += a[10] == b[10] && a[11] == b[11];
        assert_true(a[10] > a[11] + 3);
    }
    /* all except those with bounces of microns */
    assert_holds(same >= 36, "%zu of 40 rows", same);
    ff_free(lanes);
    ff_free(single);
}

/* The table of the first `count` kept numbers in lanes, with the same bits for three threads and the narrowest vectors; and of
 * single runs, which also keep the number that follows them. */
static ff_table *both_ways(ff_sweep *sweep, size_t count, ff_table **single) {
    sweep->keep_count = count;
    sweep->threads = 1;
    ff_table *lanes = table_of(sweep);
    sweep->threads = 3;
    setenv("FOOTFALL_ISA", "sse2", 1);
    ff_table *again = table_of(sweep);
    unsetenv("FOOTFALL_ISA");
    assert_memory_equal(lanes->values, again->values,
                        lanes->rows * lanes->columns * sizeof *lanes->values);
    assert_true(lanes->left_lanes == again->left_lanes);
    ff_free(again);
    sweep->keep_count = count + 1;
    *single = table_of(sweep);
    assert_true(lanes->lanes > 0 && (*single)->lanes == 0 && lanes->failed == 0);
    return lanes;
}

/* Extrema, means and first times over whole runs agree with those of single runs: within 5 times the tolerance of 1e-6,
 * relative to the sizes below. Both have errors that have passed through 20 events (see agrees()); the largest difference
 * is 3 times the tolerance, in the impulse of all impacts. Keeping them changes no other number of a lane.
 * Means need all points of each step; a number that is kept alone, without means, is judged by the ends of most steps. It
 * differs by at most a tenth of the tolerance, the error of the interpolant within steps. Their bits are
 * the same for any number of threads and any vector width. */
static void whole_runs(void **state) {
    (void)state;
    const char *vary[] = {"bodies.ball.mass=loguniform(0.1, 0.3)", "bodies.ball.velocity[0]=0.5,1"};
    static const struct {
        const char *kept;
        double size;
    } cases[] = {
        {"max(contacts.ball/floor.force)", 250},
        {"max(contacts.ball/floor.depth)", 1e-3},
        {"min(contacts.ball/floor.depth)", 0.1},
        {"min(bodies.ball.position[2])", 1},
        {"max(bodies.ball.velocity)", 1},
        {"min(bodies.ball.velocity[2])", 1},
        {"max(bodies.ball.velocity[2]*bodies.ball.position[0])", 1},
        {"max(norm(bodies.ball.omega))", 90},
        {"mean(bodies.ball.position[2])", 1},
        {"integral(contacts.ball/floor.force[2])", 1},
        {"mean(ledger.kinetic)", 0.2},
        {"max(ledger.slip)", 0.2},
        {"max(ledger.tangential_spring)", 0.2},
        {"min(ledger.created)", 0.2},
        {"mean(ledger.regrade)", 0.2},
        {"max(t)", 1},
        {"peak(contacts.ball/floor.force[2])", 1},
        {"max(contacts.ball/floor.force[2]*(1 + t/(100 s)))", 250},
        {"first(t, bodies.ball.velocity[2] > 0.3)", 1},
        {"first(bodies.ball.position[0], contacts.ball/floor.depth > 1e-4)", 1},
        {"first(ledger.normal_damper, bodies.ball.position[2] < 3 cm)", 0.2},
        {"first(t, t > 0.25 s)", 1},
        {"first(t, bodies.ball.position[2] > 5)", 1},
        {"end(bodies.ball.velocity[0])", 1},
        {ORIENTATION, 1},
    };
    enum { ALL = ROWS(cases) - 1 };
    const char *kept[ALL + 1];
    const size_t which[] = {0, 1, 3, 4, 5, 8, 9, 15, 17, 18, 20};
    for (int i = 0; i <= ALL; i++) {
        kept[i] = cases[i].kept;
    }
    for (size_t s = 0; s <= ROWS(which); s++) {
        /* without losses each peak of the force is as high as the last, and that of force times 1 + t/100 is higher by less
         * than it exceeds the ends of its step */
        const bool bounces_on = s == ROWS(which);
        const char *name = bounces_on ? "bounces on" : scenes[which[s]].name;
        ff_sweep sweep =
            sweep_of(bounces_on ? SCENE(DOWN, FLAT, "{law: hertz, k: 8.5e6}", "{law: none}")
                                : scenes[which[s]].text,
                     vary, 2);
        sweep.samples = 10;
        sweep.keep = kept;
        ff_table *single, *lanes = both_ways(&sweep, ALL, &single);
        ff_table *plain[ALL];
        for (int c = 0; c < ALL; c++) {
            sweep.keep = kept + c;
            sweep.keep_count = 1;
            plain[c] = table_of(&sweep);
        }
        for (size_t i = 0; i < lanes->rows; i++) {
            const double *a = lanes->values + i * lanes->columns + sweep.vary_count,
                         *b = single->values + i * single->columns + sweep.vary_count;
            assert_true(a[ALL - 1] == plain[ALL - 1]->values[i * 3 + 2]);
            for (int c = 0; c < ALL; c++) {
                if (bounces_on && strncmp(kept[c], "peak", 4) == 0) {
                    continue; /* any of the equal peaks */
                }
                const double off = fabs(a[c] - b[c]), own = plain[c]->values[i * 3 + 2];
                assert_holds(isnan(a[c]) ? isnan(own) : fabs(a[c] - own) <= 1e-7 * cases[c].size,
                             "%s, row %zu, %s: %.12g, with others %.12g", name, i, kept[c], own,
                             a[c]);
                assert_holds(isnan(a[c]) ? isnan(b[c]) : off <= 5e-6 * cases[c].size,
                             "%s, row %zu, %s: %.12g, single %.12g", name, i, kept[c], a[c], b[c]);
            }
        }
        ff_free(lanes);
        for (int c = 0; c < ALL; c++) {
            ff_free(plain[c]);
        }
        ff_free(single);
    }
}

/* A ball thrown in a box: motion, accounts of each contact and impacts agree with those of single runs. At a tolerance of
 * 1e-9, errors pass through up to 9 impacts on walls of different directions; both differ by less than 100 times the
 * tolerance, relative to 1 m, 1 m/s, 30 rad/s and 1 J. Events of each contact are counted by name. Tables have the same bits
 * for any number of threads and any width. A run that touches two planes at once leaves its lane, is counted, and has the
 * bits of a single run. */
static void box(void **state) {
    (void)state;
    const char *vary[] = {"bodies.ball.velocity[0]=uniform(0.5, 2.5)",
                          "bodies.ball.velocity[1]=-0.7,0.9"};
    const char *kept[] = {"end(bodies.ball.position[0])",
                          "end(bodies.ball.position[1])",
                          "end(bodies.ball.position[2])",
                          "end(bodies.ball.velocity[0])",
                          "end(norm(bodies.ball.omega))/30",
                          "end(ledger.residual)",
                          "end(ledger.ball/floor.normal_damper)",
                          "end(ledger.ball/left.normal_damper)",
                          "end(ledger.ball/right.slip)",
                          "end(ledger.ball/right.normal_damper)",
                          "end(ledger.ball/front.viscous)",
                          "end(ledger.ball/back.normal_damper)",
                          "end(ledger.created)",
                          "max(contacts.ball/right.depth)",
                          "max(contacts.ball/left.force)/500",
                          "min(bodies.ball.position[1])",
                          "mean(ledger.kinetic)",
                          "first(t, bodies.ball.position[1] > 0.1)",
                          "at(touchdown ball/right 1, bodies.ball.velocity[2])",
                          "at(clear ball/back, bodies.ball.omega[2])/30",
                          "impact(ball/floor 2, restitution)",
                          "impact(ball/back 1, speed)",
                          "count(touchdown)",
                          "count(touchdown ball/floor)",
                          "count(liftoff ball/left)",
                          ORIENTATION};
    enum { ALL = ROWS(kept) - 1, COUNTS = ALL - 3 };
    ff_sweep sweep = sweep_of(BOX(DOWN, THROWN, "{until: 0.6 s, tol: 1e-9}"), vary, 2);
    sweep.samples = 40;
    sweep.keep = kept;
    ff_table *single, *lanes = both_ways(&sweep, ALL, &single);
    assert_int_equal(lanes->rows, 80);
    size_t same = 0, met[3] = {0};
    for (size_t i = 0; i < lanes->rows; i++) {
        const double *a = lanes->values + i * lanes->columns + 2,
                     *b = single->values + i * single->columns + 2;
        for (int c = 0; c < ALL; c++) {
            const double most = c < COUNTS ? 1e-7 : 0;
            assert_holds(isnan(a[c]) ? isnan(b[c]) : fabs(a[c] - b[c]) <= most,
                         "row %zu, %s: %.12g, single %.12g", i, kept[c], a[c], b[c]);
        }
        same += memcmp(a, b, ALL * sizeof *a) == 0;
        met[0] += a[8] > 0;
        met[1] += a[11] > 0;
        met[2] += a[COUNTS + 2] > 0;
    }
    /* counts by name alone */
    sweep.keep = kept + COUNTS;
    sweep.keep_count = ALL - COUNTS;
    ff_table *counts = table_of(&sweep);
    for (size_t i = 0; i < counts->rows; i++) {
        assert_memory_equal(counts->values + i * counts->columns + 2,
                            lanes->values + i * lanes->columns + 2 + COUNTS,
                            (ALL - COUNTS) * sizeof(double));
    }
    ff_free(counts);
    /* all walls are met, and runs that leave their lanes are those that have the bits of single ones */
    assert_true(met[0] > 20 && met[1] > 20 && met[2] > 20);
    assert_holds(lanes->left_lanes == same && same < 20, "%zu and %zu runs", lanes->left_lanes,
                 same);
    ff_free(lanes);
    ff_free(single);
}

/* Runs that touch two planes at once leave their lanes, and have the bits of single runs: one that starts in an edge, one
 * thrown into an edge along its bisector, one that rolls into a wall. One that bounces along a wall, a micrometre away from
 * it, stays in its lane, and differs by at most the tolerance. */
static void two_contacts(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t left;
    } cases[] = {
        {BOX(DOWN, "[-0.1836, -0.1836, 2 cm]", "{until: 0.1 s, tol: 1e-6}"), 3},
        {BOX("[0, 0, 0]", "[-0.1, -0.1, 10 cm], velocity: [-1, -1, 0]",
             "{until: 0.2 s, tol: 1e-6}"),
         3},
        {BOX(DOWN, "[0, 0, 1.65 cm], velocity: [-0.5, 0, 0]", "{until: 0.6 s, tol: 1e-6}"), 3},
        {BOX(DOWN, "[-0.183499, 0, 3 cm], velocity: [0, 0.5, 0]", "{until: 0.2 s, tol: 1e-6}"), 0},
    };
    const char *vary[] = {"bodies.ball.mass=0.1,0.2,0.3"};
    const char *kept[] = {"end(bodies.ball.position[1])", "end(ledger.residual)",
                          "count(touchdown)", ORIENTATION};
    for (size_t s = 0; s < ROWS(cases); s++) {
        ff_sweep sweep = sweep_of(cases[s].text, vary, 1);
        sweep.keep = kept;
        sweep.keep_count = 3;
        ff_table *lanes = table_of(&sweep);
        sweep.keep_count = 4;
        ff_table *single = table_of(&sweep);
        assert_true(lanes->lanes > 0 && single->lanes == 0 && lanes->failed == 0);
        assert_holds(lanes->left_lanes == cases[s].left && single->left_lanes == 0,
                     "scene %zu: %zu of 3 runs", s, lanes->left_lanes);
        for (size_t i = 0; i < lanes->rows; i++) {
            for (int c = 0; c < 3; c++) {
                assert_near(lanes->values[i * lanes->columns + 1 + (size_t)c],
                            single->values[i * single->columns + 1 + (size_t)c],
                            cases[s].left > 0 ? 0 : 1e-6);
            }
        }
        ff_free(lanes);
        ff_free(single);
    }
}

/* Dependencies on other numbers of the file are found: friction takes its k from that of the normal law. */
static void feeds(void **state) {
    (void)state;
    const char *vary[] = {"pairs[0].normal.k=4e6,8e6"};
    const char *text = SCENE(DOWN, FLAT, AZAD, "{law: clutch, from: normal, mu: 0.2}");
    ff_sweep sweep = sweep_of(text, vary, 1);
    const char *what[] = {"kt=pairs[0].friction.k", keep[0]};
    sweep.keep = what;
    sweep.keep_count = 2;
    ff_table *t = table_of(&sweep);
    assert_true(t->lanes > 0);
    /* 3/2 of it (Azad and Featherstone 2010) */
    assert_close(t->values[1], 6e6, 1e-15);
    assert_close(t->values[4], 12e6, 1e-15);
    ff_free(t);
}

static void memory_ends(void **state) {
    (void)state;
#ifdef CAN_END
    const char *vary[] = {"pairs[0].normal.k=4e6,8e6"};
    ff_sweep sweep = sweep_of(SCENE(DOWN, FLAT, AZAD, CLUTCH), vary, 1);
    ff_table *t = NULL;
    ff_status status = FF_NO_MEMORY;
    long most = 0;
    sweep.threads = 1;
    for (; status != FF_OK && most < 100000; most++) {
        given = 0, give_most = most;
        status = ff_sweep_run(&sweep, &t, NULL);
        give_most = -1;
        assert_holds(status == FF_OK || (!t && status == FF_NO_MEMORY), "%ld blocks: %d", most,
                     status);
    }
    assert_true(status == FF_OK && most > 50 && t->rows == 2 && t->failed == 0 && t->lanes > 0);
    ff_free(t);
#else
    skip();
#endif
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(agrees),
    cmocka_unit_test(flight),
    cmocka_unit_test(bounces),
    cmocka_unit_test(settles),
    cmocka_unit_test(same_bits),
    cmocka_unit_test(refusals),
    cmocka_unit_test(fixed_steps),
    cmocka_unit_test(sweeps),
    cmocka_unit_test(events),
    cmocka_unit_test(whole_runs),
    cmocka_unit_test(box),
    cmocka_unit_test(two_contacts),
    cmocka_unit_test(same_bits_in_a_box),
    cmocka_unit_test(a_far_plane),
    cmocka_unit_test(feeds),
    cmocka_unit_test(memory_ends),
};

CHECK_MAIN(tests)
