/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "ode/dop853.h"
#include "ode/stepper.h"

/* ---- the coefficients of dop853 ---- */

/* Row sums and first moments of each stage: sum a_j c_j = c^2/2 from the third stage on. */
static void test_rows_of_dop853(void **state) {
    (void)state;
    for (int i = 2; i <= 16; i++) {
        double sum = 0, moment = 0, size = 0;
        for (int j = 1; j < i; j++) {
            sum += ff_dop853_a[i][j];
            moment += ff_dop853_a[i][j] * ff_dop853_c[j];
            size += fabs(ff_dop853_a[i][j]);
        }
        /* rounding of each coefficient to a double */
        assert_near(sum, ff_dop853_c[i], 1e-15 * size);
        if (i > 2) {
            assert_near(moment, ff_dop853_c[i] * ff_dop853_c[i] / 2, 1e-15 * size);
        }
    }
}

/* sum over stages of weight times c^power, against 1/(power + 1) */
static double quadrature_miss(const double *weights, int stages, int power) {
    double sum = 0;
    for (int j = 1; j <= stages; j++) {
        sum += weights[j] * pow(ff_dop853_c[j], power);
    }
    return sum - 1.0 / (power + 1);
}

static void test_weights_of_dop853(void **state) {
    (void)state;
    const double *b = ff_dop853_a[13];
    double b5[17] = {0}, b3[17] = {0};
    for (int j = 1; j <= 12; j++) {
        b5[j] = b[j] - ff_dop853_e5[j];
        b3[j] = ff_dop853_b3[j];
    }
    /* weights of both signs up to 6, rounded */
    for (int power = 0; power < 8; power++) {
        assert_near(quadrature_miss(b, 12, power), 0, 4e-15);
        assert_true(power >= 5 || fabs(quadrature_miss(b5, 12, power)) < 4e-15);
        assert_true(power >= 3 || fabs(quadrature_miss(b3, 12, power)) < 4e-15);
    }
    /* and no higher order */
    assert_true(fabs(quadrature_miss(b, 12, 8)) > 1e-6 && fabs(quadrature_miss(b5, 12, 5)) > 1e-6 &&
                fabs(quadrature_miss(b3, 12, 3)) > 1e-4);
    /* two of the nested conditions: sum b_i c_i a_ij c_j^2 = 1/15, sum b_i a_ij c_j^3 = 1/20 */
    double one = 0, other = 0;
    for (int i = 1; i <= 12; i++) {
        for (int j = 1; j < i; j++) {
            double c = ff_dop853_c[j];
            one += b[i] * ff_dop853_c[i] * ff_dop853_a[i][j] * c * c;
            other += b[i] * ff_dop853_a[i][j] * c * c * c;
        }
    }
    assert_near(one, 1.0 / 15, 1e-13);
    assert_near(other, 1.0 / 20, 1e-13);
}

/* ---- steps ---- */

enum { N = 5, STATES = 4 };

/* a planet on an ellipse; its last component is a quadrature: the area swept */
static int planet(void *user, double x, const double *y, double *dy) {
    (void)user;
    (void)x;
    double r = sqrt(y[0] * y[0] + y[1] * y[1]), per = 1 / (r * r * r);
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -y[0] * per;
    dy[3] = -y[1] * per;
    dy[4] = (y[0] * y[3] - y[1] * y[2]) / 2;
    return 0;
}

/* position of the planet at a time, by Kepler's equation */
static void planet_at(double t, double out[N]) {
    const double e = 0.4, b = sqrt(1 - e * e);
    double u = t;
    for (int i = 0; i < 50; i++) {
        u -= (u - e * sin(u) - t) / (1 - e * cos(u));
    }
    double rate = 1 / (1 - e * cos(u));
    memcpy(out, (double[N]){cos(u) - e, b * sin(u), -sin(u) * rate, b * cos(u) * rate, b / 2 * t},
           N * sizeof *out);
}

typedef struct {
    ff_stepper s;
    double memory[21 * N];
    size_t active[STATES];
} workshop;

static void open_workshop(workshop *w, ff_rates rates) {
    assert_int_equal(ff_stepper_room(N), sizeof w->memory / sizeof *w->memory);
    ff_sparse *matrix = ff_sparse_create(STATES);
    assert_non_null(matrix);
    ff_stepper_init(&w->s, N, STATES, NULL, rates, NULL, w->memory, matrix, w->active);
}

static void close_workshop(workshop *w) { ff_sparse_free(w->s.matrix); }

typedef struct {
    double end, inside; /* largest error at the ends of steps, and within steps */
    long evaluations;
} miss;

static miss orbit(ff_method method, int steps, bool dense) {
    static const double per_weight[N] = {1, 1, 1, 1, 1};
    workshop w;
    double y[N], want[N], seen[N], h = 3.0 / steps;
    miss out = {0};
    open_workshop(&w, planet);
    planet_at(0, y);
    ff_stepper_start(&w.s, 0, y);
    for (int i = 0; i < steps; i++) {
        ff_stepper_try(&w.s, method, i * h, y, h, per_weight);
        for (int part = 1; dense && part < 8; part++) {
            ff_stepper_dense(&w.s, method, i * h, y, h);
            ff_stepper_at(&w.s, part / 8.0, seen);
            planet_at((i + part / 8.0) * h, want);
            for (int c = 0; c < N; c++) {
                out.inside = fmax(out.inside, fabs(seen[c] - want[c]));
            }
        }
        memcpy(y, w.s.y1, sizeof y);
        ff_stepper_accept(&w.s);
        planet_at((i + 1) * h, want);
        for (int c = 0; c < N; c++) {
            out.end = fmax(out.end, fabs(y[c] - want[c]));
        }
    }
    out.evaluations = w.s.evaluations;
    close_workshop(&w);
    return out;
}

/* steps short enough for the leading term to dominate, long enough compared with rounding */
static void test_orders_of_explicit_pairs(void **state) {
    (void)state;
    static const struct {
        ff_method method;
        int steps;
        double end, inside;
        long each, dense;
    } methods[] = {{FF_DOP853, 16, 7.5, 6.5, 12, 3}, {FF_DOPRI5, 40, 4.7, 3.7, 6, 0}};
    for (int i = 0; i < 2; i++) {
        int steps = methods[i].steps;
        miss coarse = orbit(methods[i].method, steps, true);
        miss fine = orbit(methods[i].method, 2 * steps, true);
        double end = log2(coarse.end / fine.end), inside = log2(coarse.inside / fine.inside);
        assert_holds(end > methods[i].end, "%s: order %g", ff_method_name(methods[i].method), end);
        assert_holds(inside > methods[i].inside, "%s: dense order %g",
                     ff_method_name(methods[i].method), inside);
        /* the interpolant is computed once, and only if needed */
        assert_int_equal(coarse.evaluations, 1 + steps * (methods[i].each + methods[i].dense));
        assert_int_equal(orbit(methods[i].method, steps, false).evaluations,
                         1 + steps * methods[i].each);
    }
}

/* the interpolant matches both ends of a step */
static void test_interpolant_at_the_ends(void **state) {
    (void)state;
    static const double per_weight[N] = {1, 1, 1, 1, 1};
    workshop w;
    double y[N], seen[N];
    open_workshop(&w, planet);
    planet_at(0.3, y);
    ff_stepper_start(&w.s, 0.3, y);
    ff_stepper_try(&w.s, FF_DOP853, 0.3, y, 0.2, per_weight);
    ff_stepper_dense(&w.s, FF_DOP853, 0.3, y, 0.2);
    ff_stepper_at(&w.s, 0, seen);
    assert_memory_equal(seen, y, sizeof y);
    ff_stepper_at(&w.s, 1, seen);
    for (int c = 0; c < N; c++) {
        assert_near(seen[c], w.s.y1[c], 1e-15);
    }
    close_workshop(&w);
}

/* A step whose end is moved is as accurate as a step of that length, its rates are those at the new end, and its
 * interpolant is the same function of x. */
static void test_moved_end(void **state) {
    (void)state;
    static const double per_weight[N] = {1, 1, 1, 1, 1};
    static const ff_method methods[] = {FF_DOPRI5, FF_DOP853, FF_RK4};
    for (int i = 0; i < 6; i++) {
        const double x = 0.3, h = 0.05, theta = i % 2 ? 0.99 : 1.01;
        workshop w, other;
        double y[N], before[N], after[N], rates[N], want[N], old[N];
        double moved = 0, error = 0, drift = 0, change = 0;
        open_workshop(&w, planet);
        open_workshop(&other, planet);
        planet_at(x, y);
        ff_stepper_start(&w.s, x, y);
        ff_stepper_start(&other.s, x, y);
        ff_stepper_try(&w.s, methods[i / 2], x, y, h, per_weight);
        ff_stepper_try(&other.s, methods[i / 2], x, y, theta * h, per_weight);
        ff_stepper_dense(&w.s, methods[i / 2], x, y, h);
        ff_stepper_at(&w.s, 0.6 * theta, before);
        memcpy(old, w.s.k[6], sizeof old);
        ff_stepper_move_end(&w.s, theta);
        ff_stepper_at(&w.s, 0.6, after);
        assert_memory_equal(before, after, sizeof before);
        ff_stepper_at(&w.s, 1, after);
        assert_memory_equal(w.s.y1, after, sizeof after);
        assert_near(w.s.step, theta * h, 1e-16);
        planet(NULL, x, w.s.y1, rates);
        planet_at(x + theta * h, want);
        for (int c = 0; c < N; c++) {
            moved = fmax(moved, fabs(w.s.y1[c] - want[c]));
            error = fmax(error, fabs(other.s.y1[c] - want[c]));
            drift = fmax(drift, fabs(w.s.k[6][c] - rates[c]));
            change = fmax(change, fabs(w.s.k[6][c] - old[c]));
        }
        /* errors of steps that differ in length by a hundredth differ by 9 % at order 9; a move along the rates at the
         * end would be off by 5e-7, where these errors are 2e-7 (rk4) and less */
        assert_holds(moved < 1.5 * error, "%s: %g, a step of that length %g",
                     ff_method_name(methods[i / 2]), moved, error);
        /* the second derivative of the interpolant, also of Hermite's cubic (rk4), is correct to 0.4 % in this step */
        assert_holds(drift < 0.01 * change, "%s: rates are off by %g, they changed by %g",
                     ff_method_name(methods[i / 2]), drift, change);
        close_workshop(&w);
        close_workshop(&other);
    }
}

/* the error estimate of dop853 decreases with order 8 and does not underestimate the error */
static void test_error_estimate(void **state) {
    (void)state;
    static const double per_weight[N] = {1, 1, 1, 1, 1};
    double estimate[2];
    for (int fine = 0; fine < 2; fine++) {
        workshop w;
        double y[N], want[N], h = fine ? 0.15 : 0.3;
        open_workshop(&w, planet);
        planet_at(0, y);
        ff_stepper_start(&w.s, 0, y);
        estimate[fine] = ff_stepper_try(&w.s, FF_DOP853, 0, y, h, per_weight);
        planet_at(h, want);
        for (int c = 0; c < N; c++) {
            assert_true(fabs(w.s.y1[c] - want[c]) <= estimate[fine]);
        }
        close_workshop(&w);
    }
    assert_true(log2(estimate[0] / estimate[1]) > 7.5);
}

/* ---- stiffness ---- */

/* y0'' = -w^2 y0 - 2 d y0', eigenvalues -d +- i sqrt(w^2 - d^2) of modulus w, and two decays; y4 is a quadrature */
enum { OMEGA = 50, DECAY = 30, SLOW = 2, FAST = 400 };

static int modes(void *user, double x, const double *y, double *dy) {
    const double fast = *(const double *)user;
    (void)x;
    dy[0] = y[1];
    dy[1] = -OMEGA * OMEGA * y[0] - 2 * DECAY * y[1];
    dy[2] = -SLOW * y[2];
    dy[3] = -fast * y[3];
    dy[4] = y[0];
    return 0;
}

static void test_stiffness(void **state) {
    (void)state;
    /* the velocity of an oscillation is larger by omega, and so is its scale */
    static const double per_weight[N] = {1e6, 1e6 / OMEGA, 1e6, 1e6, 1e6};
    static const double fastest[] = {FAST, 0};
    for (int i = 0; i < 2; i++) {
        const double largest = fastest[i] > 0 ? FAST : OMEGA;
        double y[N] = {1, 0, 1, 1, 0}, fast = fastest[i];
        workshop w;
        open_workshop(&w, modes);
        w.s.user = &fast;
        ff_stepper_start(&w.s, 0, y);
        ff_stepper_try(&w.s, FF_RODAS, 0, y, 1e-3, per_weight);
        ff_stepper_accept(&w.s);
        /* four iterations of the power method after four: the next mode is reduced to 1/8^4, and a complex pair
         * rotates by angles that need not be multiples of a turn */
        assert_near(ff_stepper_spectral_radius(&w.s, per_weight), largest, 0.1 * largest);
        for (int k = 0; k < 2; k++) {
            const ff_method method = k ? FF_DOP853 : FF_DOPRI5;
            /* at the limit of stability the fastest mode alone determines the difference of the last stages */
            const double h = (k ? 6 : 3.3) / largest;
            memcpy(y, (double[N]){1, 0, 1, 1, 0}, sizeof y);
            ff_stepper_start(&w.s, 0, y);
            ff_stepper_try(&w.s, method, 0, y, h, per_weight);
            ff_stepper_stiffness(&w.s, method, per_weight);
            if (i == 0) {
                assert_near(w.s.stiffness, h * largest, 0.02 * h * largest);
            } else {
                /* for an oscillation it is at most the norm of the matrix */
                assert_true(w.s.stiffness > h * largest / 2 &&
                            w.s.stiffness < h * (OMEGA + 2 * DECAY));
            }
        }
        close_workshop(&w);
    }
}

/* x = 1.5 + (1 - exp(-t))/4: a position far from 0 */
static int brake(void *user, double x, const double *y, double *dy) {
    (void)user;
    (void)x;
    memset(dy, 0, N * sizeof *dy);
    dy[0] = y[1];
    dy[1] = -y[1];
    return 0;
}

/* A last stage below half a unit in the last place of a position is not lost. The roundings of all steps add up
 * like a random walk, to at most sqrt(20000) 1.1e-16 = 1.6e-14; 5e-15 are measured. If stages were added to the
 * position one by one, the loss would be 1.3e-13 with RODAS and 1.7e-12 with Rodas3. */
static void test_short_implicit_steps(void **state) {
    (void)state;
    static const struct {
        ff_method method;
        double h;
    } methods[] = {{FF_RODAS, 6e-4}, {FF_ROSENBROCK, 2e-5}};
    static const double per_weight[N] = {1e12, 1e12, 1, 1, 1};
    enum { STEPS = 20000 };
    for (int i = 0; i < 2; i++) {
        const double h = methods[i].h;
        double y[N] = {1.5, 0.25};
        workshop w;
        open_workshop(&w, brake);
        ff_stepper_start(&w.s, 0, y);
        for (int k = 0; k < STEPS; k++) {
            ff_stepper_try(&w.s, methods[i].method, k * h, y, h, per_weight);
            memcpy(y, w.s.y1, sizeof y);
            ff_stepper_accept(&w.s);
        }
        double off = fabs(y[0] - (1.5 - expm1(-h * STEPS) / 4));
        assert_holds(off < 2.5e-14, "%s: off by %g", ff_method_name(methods[i].method), off);
        close_workshop(&w);
    }
}

/* ---- invalid rates ---- */

/* a rate that is NAN between valid ones */
static int broken(void *user, double x, const double *y, double *dy) {
    (void)user;
    for (int i = 0; i < N; i++) {
        dy[i] = i < STATES ? -y[i] : 0;
    }
    dy[1] = x > 0 ? NAN : 0;
    return 0;
}

static int still(void *user, double x, const double *y, double *dy) {
    (void)user;
    (void)x;
    (void)y;
    memset(dy, 0, N * sizeof *dy);
    return 0;
}

static void test_no_number_is_no_small_error(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_DOPRI5, FF_DOP853, FF_ROSENBROCK, FF_RODAS,
                                        FF_TRAPEZOID};
    static const double per_weight[N] = {1, 1, 1, 1, 1};
    double y[N] = {1, 2, 3, 4, 5};
    for (int i = 0; i < 5; i++) {
        workshop w;
        open_workshop(&w, broken);
        ff_stepper_start(&w.s, 0, y);
        double error = ff_stepper_try(&w.s, methods[i], 0, y, 0.1, per_weight);
        assert_holds(!(error <= 1), "%s: %g", ff_method_name(methods[i]), error);
        close_workshop(&w);
        /* without motion the error is 0 */
        open_workshop(&w, still);
        ff_stepper_start(&w.s, 0, y);
        assert_near(ff_stepper_try(&w.s, methods[i], 0, y, 0.1, per_weight), 0, 0);
        close_workshop(&w);
    }
}

/* ---- rates with a status ---- */

static const ff_method all_methods[] = {FF_EULER,  FF_SEMI_IMPLICIT, FF_HEUN,   FF_RK4,
                                        FF_VERLET, FF_DOPRI5,        FF_DOP853, FF_ROSENBROCK,
                                        FF_RODAS,  FF_TRAPEZOID};

/* the orbit of the planet, with rates defined up to the time `edge` only */
typedef struct {
    double edge;
    int answer; /* status beyond the edge */
    int beyond; /* number of evaluations beyond the edge */
} charted;

static int chart(void *user, double x, const double *y, double *dy) {
    charted *c = user;
    if (x > c->edge) {
        c->beyond++;
        return c->answer;
    }
    return planet(NULL, x, y, dy);
}

/* a step beyond the edge has an infinite error by every method; a shorter step after it gives the
 * same bits as without it */
static void test_rates_ask_for_a_shorter_step(void **state) {
    (void)state;
    static const double per_weight[N] = {1, 1, 1, 1, 1};
    for (size_t i = 0; i < ROWS(all_methods); i++) {
        charted c = {.edge = 0.11, .answer = 1};
        workshop asked, plain;
        double y[N];
        planet_at(0, y);
        open_workshop(&asked, chart);
        asked.s.user = &c;
        ff_stepper_start(&asked.s, 0, y);
        assert_int_equal(asked.s.answer, 0);
        double error = ff_stepper_try(&asked.s, all_methods[i], 0, y, 0.2, per_weight);
        assert_holds(isinf(error) && asked.s.answer == 1, "%s: %g, %d",
                     ff_method_name(all_methods[i]), error, asked.s.answer);
        /* evaluation stops once a step has become useless */
        assert_int_equal(c.beyond, 1);
        error = ff_stepper_try(&asked.s, all_methods[i], 0, y, 0.1, per_weight);
        open_workshop(&plain, planet);
        ff_stepper_start(&plain.s, 0, y);
        assert_near(error, ff_stepper_try(&plain.s, all_methods[i], 0, y, 0.1, per_weight), 0);
        assert_int_equal(asked.s.answer, 0);
        assert_memory_equal(asked.s.y1, plain.s.y1, sizeof y);
        close_workshop(&asked);
        close_workshop(&plain);
    }
}

/* the stepper returns the status of failing rates, at the start of a step and within one */
static void test_rates_fail(void **state) {
    (void)state;
    static const double per_weight[N] = {1, 1, 1, 1, 1};
    for (size_t i = 0; i < ROWS(all_methods); i++) {
        charted c = {.edge = 0.11, .answer = FF_SINGULAR};
        workshop w;
        double y[N];
        planet_at(0, y);
        open_workshop(&w, chart);
        w.s.user = &c;
        ff_stepper_start(&w.s, 0.2, y);
        assert_int_equal(w.s.answer, FF_SINGULAR);
        ff_stepper_start(&w.s, 0, y);
        assert_int_equal(w.s.answer, 0);
        assert_false(ff_stepper_try(&w.s, all_methods[i], 0, y, 0.2, per_weight) <= 1);
        assert_int_equal(w.s.answer, FF_SINGULAR);
        close_workshop(&w);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_rows_of_dop853),
    cmocka_unit_test(test_weights_of_dop853),
    cmocka_unit_test(test_orders_of_explicit_pairs),
    cmocka_unit_test(test_interpolant_at_the_ends),
    cmocka_unit_test(test_moved_end),
    cmocka_unit_test(test_stiffness),
    cmocka_unit_test(test_error_estimate),
    cmocka_unit_test(test_short_implicit_steps),
    cmocka_unit_test(test_no_number_is_no_small_error),
    cmocka_unit_test(test_rates_ask_for_a_shorter_step),
    cmocka_unit_test(test_rates_fail),
};

CHECK_MAIN(tests)
