/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene_text.h"
#include <footfall/footfall.h>
#include <stdlib.h>

/* Scenes that are stiff, or on which implicit methods used to fail: all of them finish, by every suitable method,
 * and their ledgers close within the tolerance. */

typedef struct {
    ff_motion body[2];
    ff_ledger ledger;
    ff_statistics statistics;
    ff_event first; /* of all events */
    bool slips;     /* state of the first contact at the end */
} outcome;

static outcome run(const ff_model *model, ff_method method, double tol) {
    ff_run_options o = *ff_model_run(model);
    outcome out = {.first = {.time = NAN}};
    ff_sim *sim;
    ff_status status;
    o.method = method;
    o.tol = tol;
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
    while ((status = ff_sim_advance(sim, o.until)) == FF_EVENT) {
        if (isnan(out.first.time)) {
            out.first = *ff_sim_event(sim);
        }
    }
    assert_holds(status == FF_OK, "%s at %g stopped at %g s", ff_method_name(method), tol,
                 ff_sim_time(sim));
    for (size_t i = 0; i < 2 && i < ff_model_body_count(model); i++) {
        out.body[i] = ff_sim_body(sim, i);
    }
    out.slips = ff_sim_contact(sim, 0).slips;
    out.ledger = ff_sim_ledger(sim);
    out.statistics = ff_sim_statistics(sim);
    ff_sim_free(sim);
    return out;
}

static double residual(const outcome *seen) {
    return fabs(seen->ledger.residual) / seen->ledger.scale;
}

/* ---- laws with p >= n, clamped ---- */

/* A ball deep in the ground moves out faster than k/lambda: the damper would pull more than the spring pushes; the
 * clamped force is 0 and the ball flies freely, for any exponents. The energy of the spring is lost in the damper,
 * as in every clamped contact. */
static void test_what_is_clamped_does_not_pull(void **state) {
    (void)state;
    static const char *const laws[] = {"{law: hunt-crossley, k: 1000, lambda: 1000, n: 1.5}",
                                       "{law: marhefka-orin, k: 1000, alpha: 0.6666666666666667}",
                                       "{law: general, k: 1000, lambda: 1000, n: 1.5, p: 1.5}"};
    static const double exponents[] = {1.5, 1, 1.5};
    static const char *const frictions[] = {"{law: none}", "{law: dahl, mu: 0.3, k: 100}",
                                            "{law: lugre, mu: 0.3, k: 100, damping: 1, viscous: 1}",
                                            "{law: sat, mu: 0.3, k: 1e4, beta: 1e-3}"};
    for (size_t i = 0; i < ROWS(laws); i++) {
        for (size_t j = 0; j < ROWS(frictions); j++) {
            char text[1000];
            snprintf(text, sizeof text,
                     "gravity: [0, 0, 0]\n"
                     "bodies:\n"
                     "  ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.05],"
                     " velocity: [0.3, 0, 2]}\n"
                     "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
                     "pairs: [{between: [ball, floor], normal: %s, friction: %s}]\n"
                     "run: {until: 0.05}\n",
                     laws[i], frictions[j]);
            ff_model *model = model_of_text(text);
            double n = exponents[i], spring = 1000 * pow(0.05, n + 1) / (n + 1);
            static const ff_method methods[] = {FF_DOPRI5, FF_RODAS, FF_ROSENBROCK, FF_TRAPEZOID};
            for (size_t k = 0; k < ROWS(methods); k++) {
                outcome seen = run(model, methods[k], 1e-9);
                /* straight lines up to rounding; the damper account is an integral of z^n zdot */
                assert_near(seen.body[0].position[2], 0.05 + 2 * 0.05, 1e-12);
                assert_near(seen.body[0].velocity[2], 2, 1e-12);
                assert_near(seen.body[0].velocity[0], 0.3, 1e-12);
                assert_near(seen.ledger.normal_damper, spring, 1e-8 * seen.ledger.scale);
                assert_true(residual(&seen) < 1e-8);
                assert_true(seen.first.kind == FF_CLEAR);
                assert_near(seen.first.time, 0.025, 1e-9);
            }
            ff_model_free(model);
        }
    }
}

/* Gravity decelerates it: once zdot = -k/lambda the ground pushes again, at t = (v - k/lambda)/g for p = n. */
static void test_what_is_clamped_pushes_again(void **state) {
    (void)state;
    ff_model *model = model_of_text(
        "gravity: [0, 0, -10]\n"
        "bodies:\n"
        "  ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.04],"
        " velocity: [0.3, 0, 1.2]}\n"
        "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
        "pairs: [{between: [ball, floor], normal: {law: hunt-crossley, k: 1000, lambda: 1000},"
        " friction: {law: lugre, mu: 0.3, k: 100, damping: 1}}]\n"
        "run: {until: 0.5}\n");
    static const ff_method methods[] = {FF_AUTO, FF_DOP853, FF_RODAS, FF_ROSENBROCK};
    for (size_t k = 0; k < ROWS(methods); k++) {
        outcome seen = run(model, methods[k], 1e-9);
        assert_true(seen.first.kind == FF_TOUCHDOWN && seen.first.rejoin);
        assert_near(seen.first.time, (1.2 - 1) / 10, 1e-10);
        assert_true(residual(&seen) < 1e-8);
    }
    ff_model_free(model);
}

/* ---- a root of the interpolant only ---- */

/* At a loose tolerance the interpolant of a step dips below 0 between its ends, while shorter steps do not: the
 * step is shortened, and the run continues. */
static void test_dip_of_an_interpolant(void **state) {
    (void)state;
    ff_model *model = model_of_text(
        "bodies: {ball: {mass: 1, shape: {sphere: {radius: 5 cm}}, position: [0, 0, 5.2 cm],"
        " velocity: [0.3, 0.1, 0]}}\n"
        "ground: {floor: {plane: {normal: [0.05, 0, 1]}}}\n"
        "pairs: [{between: [ball, floor], normal: {law: hunt-crossley, k: 1e7, lambda: 1e7},"
        " friction: {law: clutch, mu: 0.3, k: 1.5e7, damping: 1e6}}]\n"
        "run: {until: 1}\n");
    outcome seen = run(model, FF_DOPRI5, 5e-3);
    /* at most 500 impacts and steps add up to less than the tolerance */
    assert_true(residual(&seen) < 5e-3);
    ff_model_free(model);
}

/* ---- bristles ---- */

/* Bodies of several spheres rock and turn: one end is thrown out of the ground faster than k/lambda while dahl and
 * lugre still hold it. Scales from 1e-7 J to 1e6 J. */
static const char *const bristles[] = {
    "gravity: [0, 0, -3.12e-06]\n"
    "bodies:\n"
    "  ball: {mass: 0.22009189660482315, shape: {spheres: ["
    "{name: a, center: [0.0380348189980732, 0, 0], radius: 0.0380348189980732},"
    "{name: b, center: [-0.0380348189980732, 0, 0], radius: 0.0380348189980732},"
    "{name: c, center: [0, 0.0380348189980732, 0], radius: 0.0190174094990366}]},"
    " position: [-0.0337038351337432, -0.03643905109154379, 0.06736797177422721],"
    " velocity: [0.0005001013885236337, 0.00070412838547607, -0.0011624630052380137],"
    " omega: [0.010655210273558318, 0.006790101161380519, -0.012949017488851371]}\n"
    "ground: {floor: {plane: {normal: [-0.40277469048558906, -0.4354616460336067,"
    " 0.8050749676508019]}}}\n"
    "pairs: [{between: [\"b*\", floor], normal: {law: hunt-crossley, k: 381.43290464906545,"
    " lambda: 3811910.422098695}, friction: {law: dahl, k: 559.5166563656986,"
    " mu: 0.258678361088726}}]\n"
    "run: {until: 40}\n",
    "gravity: [0, 0, -675132.6288576717]\n"
    "bodies:\n"
    "  ball: {mass: 9.827446580170079e-05, shape: {spheres: ["
    "{name: a, center: [0.0029071017561737625, 0, 0], radius: 0.0029071017561737625},"
    "{name: b, center: [-0.0029071017561737625, 0, 0], radius: 0.0029071017561737625},"
    "{name: c, center: [0, 0.0029071017561737625, 0], radius: 0.0014535508780868813}]},"
    " position: [0.00044160314054368606, -0.005450627176728364, 0.0033410331851755452],"
    " velocity: [-82.6038936026544, 136.87072101331208, -87.42507067465404],"
    " omega: [57433.318257514424, -55566.99580524516, 51775.923653180726]}\n"
    "ground: {floor: {plane: {normal: [0.06891066533656981, -0.8505517981314795,"
    " 0.5213568441079278]}}}\n"
    "pairs: [{between: [\"b*\", floor], normal: {law: marhefka-orin, k: 20285.787093751762,"
    " alpha: 0.004888947984262731}, friction: {law: lugre, k: 30.651172675386388,"
    " mu: 1.155878050571864, damping: 0.0002133396160088367}}]\n"
    "run: {until: 0.00228}\n",
    "gravity: [0, 0, -6044.219702699126]\n"
    "bodies:\n"
    "  ball: {mass: 171.2589275194118, shape: {box: {size: [0.5597374851428192,"
    " 0.5597374851428192, 0.6996718564285239], corner_radius: 0.0349835928214262}},"
    " position: [0.0489334371390755, 0.052708764331085685, 0.6959671251421563],"
    " velocity: [-0.029045905718716066, -0.0758477498992579, -0.7291276911040538],"
    " omega: [-1.6970317603539222, 0.6362858913957582, -0.6142478148504215]}\n"
    "ground: {floor: {plane: {normal: [0.06993753621987964, 0.07533337795244953,"
    " 0.994702781334086]}}}\n"
    "pairs: [{between: [\"b*\", floor], normal: {law: marhefka-orin, k: 353572799341.59644,"
    " alpha: 6.73183112535759}, friction: {law: lugre, k: 27882.77828781354,"
    " mu: 0.4609488300869822, damping: 0.06136535231142155}}]\n"
    "run: {until: 0.05}\n",
    "gravity: [0, 0, -0.009572680583560344]\n"
    "bodies:\n"
    "  ball: {mass: 8231.493114480103, shape: {spheres: ["
    "{name: a, center: [1.2719583069603302, 0, 0], radius: 1.2719583069603302},"
    "{name: b, center: [-1.2719583069603302, 0, 0], radius: 1.2719583069603302},"
    "{name: c, center: [0, 1.2719583069603302, 0], radius: 0.6359791534801651}]},"
    " position: [0.8043134785115493, 2.453795501272768, 1.078220659112149],"
    " velocity: [0.006942797039143644, -0.011441349850802265, -0.0036367208597051013],"
    " omega: [0.0032830170157977573, -0.003976333687376155, 0.0023350116148616856]}\n"
    "ground: {floor: {plane: {normal: [0.2874273159777798, 0.8768818050822397,"
    " 0.3853100543011075]}}}\n"
    "pairs: [{between: [\"b*\", floor], normal: {law: general, k: 35757909.19620835,"
    " lambda: 49596062987.341255, n: 1, p: 1}, friction: {law: lugre, k: 1326.1063547596286,"
    " mu: 1.8982333063502077, damping: 2.0120168211198655}}]\n"
    "run: {until: 40}\n"};

static void test_bristles_close_their_ledgers(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS(bristles); i++) {
        ff_model *model = model_of_text(bristles[i]);
        outcome coarse = run(model, FF_AUTO, 1e-6), fine = run(model, FF_AUTO, 1e-9);
        /* thousands of steps, each with an error below a thirtieth of the tolerance, and rocking bodies double
         * earlier errors at each corner impact: within 100 tolerances at 1e-6, and within one at 1e-9, measured */
        assert_holds(residual(&coarse) < 1e-4, "bristle %zu: %g", i, residual(&coarse));
        assert_holds(residual(&fine) < 1e-9, "bristle %zu: %g", i, residual(&fine));
        ff_model_free(model);
    }
}

/* bristles under a tensile force: tension is no load, and the bristle then stores no energy */
static void test_bristles_under_tension(void **state) {
    (void)state;
    for (int lugre = 0; lugre < 2; lugre++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "bodies:\n"
                 "  ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.15],"
                 " velocity: [1, 0, -3]}\n"
                 "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
                 "pairs: [{between: [ball, floor], normal: {law: linear, k: 1e5, lambda: 300,"
                 " detach: tension}, friction: {law: %s, mu: 0.3, k: 1000%s}}]\n"
                 "run: {until: 0.5}\n",
                 lugre ? "lugre" : "dahl", lugre ? ", damping: 0.5" : "");
        ff_model *model = model_of_text(text);
        outcome coarse = run(model, FF_AUTO, 1e-6), fine = run(model, FF_AUTO, 1e-9);
        assert_true(residual(&coarse) < 1e-6);
        assert_true(residual(&fine) < 1e-9);
        ff_model_free(model);
    }
}

/* ---- two spheres ---- */

/* Two free spheres graze with a weakly damped clutch: resolving k/damping would take millions of steps. */
static const char *const two_spheres =
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: 11.3, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.60001],"
    " velocity: [0, 0, -0.2], omega: [0, 22.86, 0]}\n"
    "  b: {mass: 1413.7, shape: {sphere: {radius: 0.5}}}\n"
    "pairs: [{between: [a, b], normal: {law: tsuji, k: 1.5e10, lambda: 2e5},"
    " friction: {law: clutch, mu: 0.4, k: 1.8e10, damping: 18}}]\n"
    "run: {until: 1.3 ms}\n";

static void test_two_spheres_with_a_stiff_clutch(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_AUTO, FF_RODAS, FF_ROSENBROCK, FF_TRAPEZOID};
    ff_model *model = model_of_text(two_spheres);
    outcome fine = run(model, FF_RODAS, 1e-10);
    for (size_t i = 0; i < ROWS(methods); i++) {
        double tol = methods[i] == FF_TRAPEZOID ? 1e-6 : 1e-8;
        outcome seen = run(model, methods[i], tol);
        assert_holds(seen.statistics.steps < 10000, "%s: %ld steps", ff_method_name(methods[i]),
                     seen.statistics.steps);
        assert_true(residual(&seen) < 10 * tol);
        /* relative to speeds of 0.2 m/s and 22.86 rad/s; a hundred tolerances for the sum over hundreds of steps */
        for (int c = 0; c < 3; c++) {
            assert_near(seen.body[0].velocity[c], fine.body[0].velocity[c], 100 * tol * 0.2);
            assert_near(seen.body[0].omega[c], fine.body[0].omega[c], 100 * tol * 22.86);
        }
        /* total momentum and angular momentum, conserved by forces at a common point */
        for (int c = 0; c < 3; c++) {
            double p = 11.3 * seen.body[0].velocity[c] + 1413.7 * seen.body[1].velocity[c];
            assert_near(p, c == 2 ? -0.2 * 11.3 : 0, 1e-12);
        }
    }
    ff_model_free(model);
}

/* RODAS has order 4 only with the complete Jacobian: two balls pressed together roll and spin, always in one mode.
 * Errors are relative to a fine run with another method; the step sizes show the order. */
static void test_rodas_keeps_its_order_with_two_spheres(void **state) {
    (void)state;
    ff_model *model = model_of_text(
        "gravity: [0, 0, 0]\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [0.004, 0.005, 0.006], shape: {sphere: {radius: 0.1}},"
        " position: [0, 0, 0.19], velocity: [0.3, 0.1, 0], omega: [1, 2, 3]}\n"
        "  b: {mass: 2, shape: {sphere: {radius: 0.1}}, omega: [-1, 1, 0.5]}\n"
        "pairs: [{between: [a, b], normal: {law: hunt-crossley, k: 1e4, lambda: 1e3},"
        " friction: {law: clutch, mu: 5, k: 1e4, damping: 100}}]\n"
        "forces:\n"
        "  hold: {spring: {body: a, to: b, stiffness: 3000, rest: 1 cm, damping: 1}}\n"
        "run: {until: 0.05}\n");
    outcome exact = run(model, FF_DOP853, 1e-13);
    double off[2], steps[2];
    for (int i = 0; i < 2; i++) {
        outcome seen = run(model, FF_RODAS, i ? 1e-9 : 1e-5);
        off[i] = 0;
        for (int c = 0; c < 3; c++) {
            off[i] = fmax(off[i], fabs(seen.body[0].velocity[c] - exact.body[0].velocity[c]));
        }
        steps[i] = (double)seen.statistics.steps;
    }
    double order = log(off[0] / off[1]) / log(steps[1] / steps[0]);
    assert_holds(order > 3.5, "order %.2f, errors %.2g %.2g in %g and %g steps", order, off[0],
                 off[1], steps[0], steps[1]);
    ff_model_free(model);
}

/* ---- the kink of a ramp ---- */

/* A block on the floor under its own weight, with coulomb's ramp up to v0. Sliding to rest, |v|' = -a with a = mu
 * g until |v| = v0, at t1, then |v| = v0 exp(-a (t - t1)/v0). Pushed from rest with F/m = b > a, v = v0 b/a (1 -
 * exp(-a t/v0)) until v = v0, then v' = b - a. Steps end at the kink, because an error estimate across it would be
 * far too small; the kink is not an event, and a law without stick never reports slip. */
static void test_bend_of_a_ramp(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_DOPRI5, FF_DOP853, FF_RODAS, FF_AUTO};
    static const char text[] =
        "bodies: {block: {mass: 1, inertia: 1, lock: rotation, shape: {sphere: {radius: 0.5}},"
        " position: [0, 0, 0.499], velocity: [%s, 0]}}\n"
        "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
        "pairs: [{between: [block, floor], normal: {law: linear, k: 9806.65, lambda: 0},"
        " friction: {law: coulomb, mu: 0.3, v_ramp: 0.05}}]\n"
        "forces: {push: {constant: {body: block, force: [%s, 0, 0]}}}\n"
        "gravity: [0, 0, -9.80665]\n"
        "run: {until: 0.2}\n";
    const double a = 0.3 * 9.80665, v0 = 0.05, b = 4, t1 = 0.45 / a, t2 = -v0 / a * log(1 - a / b);
    const double way[] = {(0.25 - v0 * v0) / (2 * a) - v0 * v0 / a * expm1(-a * (0.2 - t1) / v0),
                          b / a * v0 * t2 - v0 * v0 / a +
                              (0.2 - t2) * (v0 + (b - a) * (0.2 - t2) / 2)};
    for (int i = 0; i < 2; i++) {
        char full[1000];
        snprintf(full, sizeof full, text, i ? "0, 0" : "0.3, 0.4", i ? "4" : "0");
        ff_model *model = model_of_text(full);
        for (size_t j = 0; j < ROWS(methods); j++) {
            for (double tol = 1e-7; tol > 0.5e-11; tol /= 100) {
                outcome seen = run(model, methods[j], tol);
                const double *p = seen.body[0].position, off = hypot(p[0], p[1]) - way[i];
                /* at most 4e-3 tol; the error of dopri5 across the kink is 6e-3 to 0.2 tol, of dop853 up to 0.04 */
                assert_holds(fabs(off) < 5e-3 * tol, "%s at %g: off by %g",
                             ff_method_name(methods[j]), tol, off);
                assert_true(isnan(seen.first.time) && !seen.slips);
            }
        }
        /* fixed steps cross the kink: 200 of them, with no more evaluations than without it */
        ff_run_options o = ff_run_options_default();
        ff_sim *sim;
        o.method = FF_EULER;
        o.dt = 1e-3;
        assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
        assert_int_equal(ff_sim_advance(sim, 0.2), FF_OK);
        assert_int_equal(ff_sim_statistics(sim).steps, 200);
        assert_true(ff_sim_statistics(sim).evaluations <= 202);
        ff_sim_free(sim);
        ff_model_free(model);
    }
}

/* ---- every suitable method finishes ---- */

static void test_a_ball_on_a_ramp_by_every_method(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_AUTO,  FF_DOPRI5,     FF_DOP853,
                                        FF_RODAS, FF_ROSENBROCK, FF_TRAPEZOID};
    static const char *const laws[] = {
        "normal: {law: azad-featherstone, k: 8.5e6, lambda: 3.1e3}",
        "normal: {law: tsuji, k: 8.5e6, lambda: 500}",
        "normal: {law: linear, k: 2e5, lambda: 100}, friction: {law: clutch, mu: 0.4, k: 3e5,"
        " damping: 100}",
        "normal: {law: tsuji, k: 8.5e6, lambda: 500}, friction: {law: bengisu-akay, mu_s: 0.4,"
        " mu: 0.3, v0: 1e-3}",
        "normal: {law: lee-wang, k: 8.5e6, lambda: 3e4}, friction: {law: sat, mu: 0.4, k: 3e5,"
        " beta: 1e-4}"};
    for (size_t i = 0; i < ROWS(laws); i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "bodies:\n"
                 "  ball: {mass: 154 g, shape: {sphere: {radius: 1.65 cm}},"
                 " position: [-2 cm, 0, 2 cm], velocity: [5, 0, 4.9]}\n"
                 "ground: {ramp: {plane: {normal: [-1, 0, 1]}}}\n"
                 "pairs: [{between: [ball, ramp], %s}]\n"
                 "run: {until: 0.4 s}\n",
                 laws[i]);
        ff_model *model = model_of_text(text);
        for (size_t j = 0; j < ROWS(methods); j++) {
            for (double tol = 1e-9; tol < 1.5e-5; tol *= 10) {
                outcome seen = run(model, methods[j], tol);
                /* the trapezoidal rule of order 2 takes tens of thousands of steps, whose errors add up */
                assert_holds(residual(&seen) < 100 * tol, "law %zu by %s at %g: residual %g", i,
                             ff_method_name(methods[j]), tol, residual(&seen));
                assert_true(seen.statistics.steps < 50000);
            }
        }
        ff_model_free(model);
    }
}

/* a box whose corners hit the floor: touch-down at z = 0 to the last bit, where the slopes of a clutch are 0/0 */
static void test_a_box_by_every_method(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_DOP853, FF_RODAS, FF_ROSENBROCK, FF_TRAPEZOID};
    ff_model *model = model_of_text(
        "bodies:\n"
        "  box: {mass: 1, shape: {box: {size: [0.1, 0.06, 0.04], corner_radius: 0.005}},"
        " position: [0, 0, 0.1], omega: [1, 2, 3]}\n"
        "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
        "pairs: [{between: [box, floor], normal: {law: azad-featherstone, k: 1e6, lambda: 1e3},"
        " friction: {law: clutch, mu: 0.3, k: 1.5e6, damping: 1e3}}]\n"
        "run: {until: 0.15}\n");
    outcome want = run(model, FF_DOPRI5, 1e-10);
    for (size_t i = 0; i < ROWS(methods); i++) {
        outcome seen = run(model, methods[i], 1e-7);
        assert_holds(seen.statistics.steps < 20000, "%s: %ld steps", ff_method_name(methods[i]),
                     seen.statistics.steps);
        /* each corner impact doubles errors, as in test_methods */
        for (int c = 0; c < 3; c++) {
            assert_near(seen.body[0].position[c], want.body[0].position[c], 3e-5);
            assert_near(seen.body[0].velocity[c], want.body[0].velocity[c], 3e-4);
        }
        assert_true(residual(&seen) < 1e-5);
    }
    ff_model_free(model);
}

#if FF_HAVE_YAML
static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_is_clamped_does_not_pull),
    cmocka_unit_test(test_what_is_clamped_pushes_again),
    cmocka_unit_test(test_dip_of_an_interpolant),
    cmocka_unit_test(test_bristles_close_their_ledgers),
    cmocka_unit_test(test_bristles_under_tension),
    cmocka_unit_test(test_two_spheres_with_a_stiff_clutch),
    cmocka_unit_test(test_rodas_keeps_its_order_with_two_spheres),
    cmocka_unit_test(test_bend_of_a_ramp),
    cmocka_unit_test(test_a_ball_on_a_ramp_by_every_method),
    cmocka_unit_test(test_a_box_by_every_method),
};

CHECK_MAIN(tests)
#else
int main(void) { return 0; }
#endif
