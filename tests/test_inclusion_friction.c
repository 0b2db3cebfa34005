/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "inclusions.h"
#include "law/params.h"
#include "num/ellipse.h"

static const double pi = 3.14159265358979323846;

/* Friction forces beyond those of Xiong, Kikuuwe and Yamamoto 2013. */

/* for random ellipses and points: inside the set, along the normal, and maximal power */
static void test_nearest_point_of_an_ellipse(void **state) {
    (void)state;
    for (int round = 0; round < 4000; round++) {
        /* half of them aligned with the axes, where the short axis does not magnify rounding */
        bool turned = round % 2;
        double thin = log_uniform(1e-6, 1), turn = turned ? uniform(0, 2 * pi) : 0;
        double c = cos(turn), s = sin(turn), size = log_uniform(1e-9, 10);
        double d = turned ? cos(uniform(0, 2 * pi)) : 1, f = sqrt(1 - d * d);
        /* A = R diag(1, thin) times an arbitrary rotation, which has no effect */
        double a[2][2] = {{c * d - s * thin * f, -c * f - s * thin * d},
                          {s * d + c * thin * f, -s * f + c * thin * d}};
        double way = uniform(0, 2 * pi), to = log_uniform(0.1, 1e4) * size;
        double x[2] = {to * cos(way), to * sin(way)}, y[2];
        ff_ellipse e;
        assert_true(ff_ellipse_init(&e, a));
        assert_close(e.axes[0], 1, 1e-14);
        /* rounding of the determinant */
        assert_near(e.axes[1], thin, 1e-15);
        ff_ellipse_nearest(&e, size, x, y);
        if (ff_ellipse_norm(&e, x) <= size) {
            assert_true(x[0] == y[0] && x[1] == y[1]);
            continue;
        }
        double rest[2] = {x[0] - y[0], x[1] - y[1]};
        assert_near(ff_ellipse_norm(&e, y), size, (turned ? 1e-14 / thin : 1e-15) * size);
        for (int k = 0; k < 12; k++) {
            double p = k * pi / 6, g[2] = {c * size * cos(p) - s * size * thin * sin(p),
                                           s * size * cos(p) + c * size * thin * sin(p)};
            assert_true(rest[0] * (g[0] - y[0]) + rest[1] * (g[1] - y[1]) <= 1e-15 * to * size);
        }
        if (!turned) {
            /* rest = s (y_i/p_i^2), each side to rounding of x, y and their difference */
            double along = rest[0] * y[1], across = rest[1] * y[0] * thin * thin;
            double rounding = 4e-16 * (fabs(x[0]) + fabs(y[0])) * fabs(y[1]) +
                              4e-16 * (fabs(x[1]) + fabs(y[1])) * fabs(y[0]) * thin * thin;
            assert_near(along, across, rounding + 1e-15 * fabs(along));
        }
    }
    /* on a disc the law is sat */
    ff_ellipse disc;
    double y[2];
    assert_true(ff_ellipse_init(&disc, (double[2][2]){{2, 0}, {0, 2}}));
    ff_ellipse_nearest(&disc, 0.5, (double[]){3, 4}, y);
    assert_near(y[0], 0.6, 1e-15);
    assert_near(y[1], 0.8, 1e-15);
    ff_ellipse_nearest(&disc, 0, (double[]){3, 4}, y);
    assert_true(y[0] == 0 && y[1] == 0);
    assert_false(ff_ellipse_init(&disc, (double[2][2]){{1, 2}, {2, 4}}));
    assert_false(ff_ellipse_init(&disc, (double[2][2]){{NAN, 0}, {0, 1}}));
}

/* A skate on ice: mass 1 kg under a force, friction of 0.1 N along and 1 N across. x = (v, p). */
typedef struct {
    double force[2], shape[2][2];
} runner;

static void runner_arguments(void *user, double t, const double *x, double *psi, double *theta) {
    (void)user, (void)t, (void)psi;
    theta[0] = x[0];
    theta[1] = x[1];
}

static void runner_factors(void *user, double t, const double *x, const double *contact,
                           double *chi) {
    (void)user, (void)t, (void)x, (void)contact;
    chi[0] = 1;
}

static void runner_rates(void *user, double t, const double *x, const double *contact,
                         const double *friction, double *dx) {
    const runner *r = user;
    (void)t, (void)contact;
    for (int c = 0; c < 2; c++) {
        dx[c] = r->force[c] - friction[c];
        dx[2 + c] = x[c];
    }
}

static double runner_energy(void *user, double t, const double *x) {
    (void)user, (void)t;
    return (x[0] * x[0] + x[1] * x[1]) / 2;
}

static double runner_power(void *user, double t, const double *x, const double *contact,
                           const double *friction) {
    const runner *r = user;
    (void)t, (void)contact, (void)friction;
    return r->force[0] * x[0] + r->force[1] * x[1];
}

static void test_anisotropic_friction(void **state) {
    (void)state;
    double turn = 0.4, c = cos(turn), s = sin(turn), start[4] = {0};
    /* symmetric: 0.1 along (c, s), 1 across */
    runner r = {
        .shape = {{0.1 * c * c + s * s, -0.9 * c * s}, {-0.9 * c * s, 0.1 * s * s + c * c}}};
    ff_sgn_def sgn = {.dimension = 2, .law = sat_law(1e5, 5e-3)};
    ff_inclusion_def def = ff_inclusion_def_default();
    memcpy(sgn.shape, r.shape, sizeof sgn.shape);
    def.states = 4;
    def.start = start;
    def.sgn_count = 1;
    def.sgns = &sgn;
    def.user = &r;
    def.arguments = runner_arguments;
    def.factors = runner_factors;
    def.rates = runner_rates;
    def.energy = runner_energy;
    def.power = runner_power;
    /* 0.5 N: held across, but not along */
    for (int along = 0; along < 2; along++) {
        r.force[0] = 0.5 * (along ? c : -s);
        r.force[1] = 0.5 * (along ? s : c);
        ff_sim *inc = made(&def, options(FF_AUTO, 1e-9, 2));
        advance(inc, 2, FF_USER);
        ff_inclusion_view v = ff_inclusion_at(inc);
        /* presliding: at most chi/K = 1e-5 m, over 2 s */
        assert_near(hypot(v.x[0], v.x[1]), along ? 2 * 0.4 : 0, 1e-4);
        assert_true(v.slipping[0] == along);
        assert_true(residual(inc) < 1e-8);
        ff_sim_free(inc);
    }
    /* During free sliding it is the inclusion v' = -A A^T v/|A^T v| up to F/(K beta) = 2 mm/s, while it is fast. */
    r.force[0] = r.force[1] = 0;
    start[0] = 3;
    ff_sim *inc = made(&def, options(FF_AUTO, 1e-10, 1));
    double w[2] = {3, 0}, h = 1e-4;
    for (int i = 0; i < 10000; i++) {
        double k[2], m[2] = {w[0], w[1]};
        for (int half = 0; half < 2; half++) {
            double b[2] = {r.shape[0][0] * m[0] + r.shape[0][1] * m[1],
                           r.shape[1][0] * m[0] + r.shape[1][1] * m[1]};
            for (int q = 0; q < 2; q++) {
                k[q] = -(r.shape[q][0] * b[0] + r.shape[q][1] * b[1]) / hypot(b[0], b[1]);
                m[q] = w[q] + h / 2 * k[q];
            }
        }
        w[0] += h * k[0];
        w[1] += h * k[1];
    }
    advance(inc, 1, FF_USER);
    assert_near(ff_inclusion_at(inc).x[0], w[0], 5e-3);
    assert_near(ff_inclusion_at(inc).x[1], w[1], 5e-3);
    assert_true(fabs(w[1]) > 0.1);
    assert_true(residual(inc) < 1e-9);
    ff_sim_free(inc);
}

/* static friction above kinetic friction: a factor that decreases from 0.75 N at rest to 0.5 N */
static void stribeck_factors(void *user, double t, const double *x, const double *contact,
                             double *chi) {
    (void)user, (void)t, (void)contact;
    chi[0] = 0.5 + 0.25 * exp(-x[0] * x[0] / 1e-4);
}

static double pull(double t) { return t < 1 ? fmin(1.4 * t, 0.7) : t < 1.2 ? 0.8 : 0.6; }

static void test_static_above_kinetic(void **state) {
    (void)state;
    static const double switches[] = {0.5, 1, 1.2};
    sliding s;
    open_sliding(&s, sat_law(5e4, 5e-3));
    s.mass.force = pull;
    s.def.factors = stribeck_factors;
    s.def.switches = switches;
    s.def.switch_count = 3;
    ff_sim *inc = made(&s.def, options(FF_AUTO, 1e-9, 2));
    /* 0.7 N is held, 0.8 N is not, and during sliding 0.6 N suffices */
    assert_int_equal(advance(inc, 1, FF_SLIP), 0);
    assert_near(ff_inclusion_at(inc).x[0], 0, 1e-6);
    assert_int_equal(advance(inc, 1.2, FF_SLIP), 1);
    double v = ff_inclusion_at(inc).x[0];
    assert_true(v > 0.03);
    assert_int_equal(advance(inc, 2, FF_STICK), 0);
    assert_near(ff_inclusion_at(inc).x[0], v + 0.8 * 0.1, 2e-3);
    assert_true(residual(inc) < 1e-8);
    ff_sim_free(inc);
}

/* A patch: a board of 1 kg on twelve points in a ring of radius R that share its weight while it rolls, pitches
 * and yaws by small angles. The points are at depth H below the centre of mass. x = (x, y, z, roll, pitch, yaw)
 * and their rates. */
enum { POINTS = 12 };
static const double R = 0.1, H = 0.03, MU = 0.3, I = 0.004, IZ = 0.008, G = 9.8;

static void patch_point(int i, double out[2]) {
    out[0] = R * cos(2 * pi * i / POINTS);
    out[1] = R * sin(2 * pi * i / POINTS);
}

/* velocity v + omega x (X, Y, -H) */
static void patch_arguments(void *user, double t, const double *x, double *psi, double *theta) {
    (void)user, (void)t;
    for (int i = 0; i < POINTS; i++) {
        double p[2];
        patch_point(i, p);
        psi[i] = x[2] + x[3] * p[1] - x[4] * p[0];
        theta[2 * i] = x[6] - H * x[10] - x[11] * p[1];
        theta[2 * i + 1] = x[7] + H * x[9] + x[11] * p[0];
    }
}

static void patch_factors(void *user, double t, const double *x, const double *contact,
                          double *chi) {
    (void)user, (void)t, (void)x;
    for (int i = 0; i < POINTS; i++) {
        chi[i] = MU * contact[i];
    }
}

static void patch_rates(void *user, double t, const double *x, const double *contact,
                        const double *friction, double *dx) {
    double f[6] = {0, 0, -G};
    (void)user, (void)t;
    memcpy(dx, x + 6, 6 * sizeof *dx);
    for (int i = 0; i < POINTS; i++) {
        const double N = contact[i], *q = friction + 2 * i;
        double p[2];
        patch_point(i, p);
        f[0] -= q[0];
        f[1] -= q[1];
        f[2] += N;
        f[3] += (p[1] * N - H * q[1]) / I;
        f[4] += (H * q[0] - p[0] * N) / I;
        f[5] += (p[1] * q[0] - p[0] * q[1]) / IZ;
    }
    memcpy(dx + 6, f, sizeof f);
}

static double patch_energy(void *user, double t, const double *x) {
    (void)user, (void)t;
    return (x[6] * x[6] + x[7] * x[7] + x[8] * x[8] + I * (x[9] * x[9] + x[10] * x[10]) +
            IZ * x[11] * x[11]) /
               2 +
           G * x[2];
}

static void test_patch(void **state) {
    (void)state;
    double start[12] = {[6] = 0.5, [11] = 8};
    ff_dio_def dios[POINTS];
    ff_sgn_def sgns[POINTS];
    ff_inclusion_def def = ff_inclusion_def_default();
    for (int i = 0; i < POINTS; i++) {
        dios[i] = (ff_dio_def){.law = xiong_law(1e5, 1e-3, 4e-3)};
        sgns[i] = (ff_sgn_def){.dimension = 2, .law = sat_law(1e5, 4e-3)};
    }
    /* it starts at rest on the points: e = z = g/(POINTS K) */
    start[2] = -G / (POINTS * 1e5);
    for (int i = 0; i < POINTS; i++) {
        dios[i].e = -start[2];
    }
    def.states = 12;
    def.start = start;
    def.dio_count = def.sgn_count = POINTS;
    def.dios = dios;
    def.sgns = sgns;
    def.arguments = patch_arguments;
    def.factors = patch_factors;
    def.rates = patch_rates;
    def.energy = patch_energy;
    ff_sim *inc = made(&def, options(FF_AUTO, 1e-7, 1));
    advance(inc, 0.05, FF_USER);
    ff_inclusion_view v = ff_inclusion_at(inc);
    double load = 0, front = 0, drag = 0;
    for (int i = 0; i < POINTS; i++) {
        double p[2];
        patch_point(i, p);
        load += v.contact[i];
        front += p[0] * v.contact[i];
        drag += v.friction[2 * i];
    }
    /* the points carry the weight, those in front more, balancing the moment of friction. Pitching has not yet
     * settled */
    assert_near(load, G, 0.05 * G);
    assert_near(front, H * drag, 0.1 * H * MU * G);
    /* a spinning board is braked by less than mu m g */
    assert_true(drag < 0.7 * MU * G && drag > 0.1 * MU * G);
    /* sliding and spinning end together; then the board stays at rest, held by all points */
    double ends[2] = {0};
    for (int k = 0; k < 400; k++) {
        advance(inc, 0.05 + k * 1e-3, FF_USER);
        v = ff_inclusion_at(inc);
        ends[0] = hypot(v.x[6], v.x[7]) > 5e-3 ? ff_sim_time(inc) : ends[0];
        ends[1] = fabs(v.x[11]) * R > 5e-3 ? ff_sim_time(inc) : ends[1];
    }
    assert_true(ends[0] > 0.2 && fabs(ends[0] - ends[1]) < 0.02);
    double rest[2] = {v.x[0], v.x[5]};
    advance(inc, 1, FF_USER);
    v = ff_inclusion_at(inc);
    assert_near(v.x[0], rest[0], 1e-5);
    assert_near(v.x[5], rest[1], 1e-4);
    for (int i = 0; i < POINTS; i++) {
        assert_true(v.touching[i] && !v.slipping[i]);
    }
    assert_true(residual(inc) < 1e-6);
    ff_sim_free(inc);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_nearest_point_of_an_ellipse),
    cmocka_unit_test(test_anisotropic_friction),
    cmocka_unit_test(test_static_above_kinetic),
    cmocka_unit_test(test_patch),
};

CHECK_MAIN(tests)
