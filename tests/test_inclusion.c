/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "inclusions.h"
#include "law/params.h"
#include "num/ellipse.h"
#include "reference_inclusion.h"

static const double pi = 3.14159265358979323846;

/* ---- fig. 3: a sliding mass that must not creep ---- */

static void test_sliding_mass(void **state) {
    (void)state;
    for (int law = 0; law < 4; law++) {
        sliding s;
        open_sliding(&s, sliding_law(law));
        ff_sim *rk4 = made(&s.def, options(FF_RK4, 1e-9, 8));
        ff_sim *fine = made(&s.def, options(FF_AUTO, 1e-10, 8));
        for (size_t i = 0; i < 10; i++) {
            double t = reference_sliding[law][i].t;
            advance(rk4, t, FF_USER);
            advance(fine, t, FF_USER);
            /* the same scheme, only rounding: 2e-13 observed */
            assert_close(ff_inclusion_at(rk4).x[1], reference_sliding[law][i].p_rk4, 1e-11);
            /* the reference is accurate to 3e-12 m; 3e-13 m observed */
            assert_near(ff_inclusion_at(fine).x[1], reference_sliding[law][i].p, 4e-12);
        }
        assert_true(residual(fine) < 1e-10);
        ff_sim_free(rk4);
        ff_sim_free(fine);
    }
}

/* at equal phases of the force sat stays in place, while bristles creep */
static void test_drift(void **state) {
    (void)state;
    for (int law = 0; law < 3; law++) {
        sliding s;
        open_sliding(&s, sliding_law(law));
        ff_sim *inc = made(&s.def, options(FF_AUTO, 1e-10, 8));
        advance(inc, 2 * pi * 64 / 100, FF_USER);
        double from = ff_inclusion_at(inc).x[1];
        advance(inc, 2 * pi * 127 / 100, FF_USER);
        double drift = ff_inclusion_at(inc).x[1] - from;
        /* the reference is accurate to 3e-12 m */
        assert_near(drift, reference_drift[law], 4e-12);
        assert_true(law > 0 ? drift / 63 > 7e-5 : drift / 63 < 1e-10);
        ff_sim_free(inc);
    }
}

/* ---- fig. 5: a bouncing mass ---- */

/* turning points of the mass */
static void turning(void *user, double t, const double *x, double *values) {
    (void)user, (void)t;
    values[0] = x[0];
}

static void test_bouncing_mass(void **state) {
    (void)state;
    for (size_t a = 0; a < 4; a++) {
        bouncing b;
        double alpha = reference_bounces[a].alpha;
        open_bouncing(&b, xiong_law(1e5, alpha, 0.01), 9.8);
        assert_close(ff_impact_restitution(&b.dio.law, 1, 1), reference_bounces[a].restitution,
                     1e-12);
        ff_sim *inc = made(&b.def, options(FF_AUTO, 1e-10, 5));
        int impacts = 0;
        for (size_t i = 0; i < ROWS(reference_apexes); i++) {
            if (reference_apexes[i].alpha == alpha) {
                impacts += advance(inc, reference_apexes[i].t, FF_TOUCHDOWN);
                /* the reference is accurate to 4e-10 m */
                assert_near(ff_inclusion_at(inc).x[1], reference_apexes[i].height, 1e-9);
            }
        }
        impacts += advance(inc, 5, FF_TOUCHDOWN);
        assert_int_equal(impacts, reference_bounces[a].impacts);
        assert_true(residual(inc) < 1e-9);
        ff_sim_free(inc);
        /* the deepest point is the first turning point in contact */
        b.def.event_count = 1;
        b.def.events = turning;
        inc = made(&b.def, options(FF_AUTO, 1e-10, 5));
        while (ff_inclusion_at(inc).x[1] >= 0 || ff_sim_event(inc)->kind != FF_USER) {
            assert_int_equal(ff_sim_advance(inc, 5), FF_EVENT);
        }
        assert_close(-ff_inclusion_at(inc).x[1], reference_bounces[a].deepest, 1e-9);
        ff_sim_free(inc);
    }
}

/* the paper's own scheme: the deepest point on its mesh, and apexes from speeds and heights in flight */
static void test_bouncing_mass_by_rk4(void **state) {
    (void)state;
    for (size_t a = 0; a < 4; a++) {
        bouncing b;
        double alpha = reference_bounces[a].alpha, deepest = 0, before = 0;
        size_t apex = 0;
        open_bouncing(&b, xiong_law(1e5, alpha, 0.01), 9.8);
        while (reference_apexes[apex].alpha != alpha) {
            apex++;
        }
        ff_sim *inc = made(&b.def, options(FF_RK4, 1e-9, 5));
        while (ff_sim_time(inc) < 5) {
            assert_int_equal(ff_sim_step(inc, 5), FF_OK);
            ff_inclusion_view v = ff_inclusion_at(inc);
            deepest = fmax(deepest, -v.x[1]);
            if (before > 0 && v.x[0] <= 0 && v.contact[0] == 0 && apex < ROWS(reference_apexes) &&
                reference_apexes[apex].alpha == alpha) {
                assert_close(v.x[1] + v.x[0] * v.x[0] / (2 * 9.8),
                             reference_apexes[apex].height_rk4, 1e-9);
                apex++;
            }
            before = v.x[0];
        }
        assert_close(deepest, reference_bounces[a].deepest_rk4, 1e-9);
        assert_true(apex == ROWS(reference_apexes) || reference_apexes[apex].alpha != alpha);
        ff_sim_free(inc);
    }
}

/* restitution without weight compared with the closed form, for the paper's law and alternatives */
static void test_restitution(void **state) {
    (void)state;
    const double clamp = 0, tension = 1;
    const ff_normal laws[] = {
        xiong_law(1e5, 0.007, 0.01),
        xiong_law(1e5, 0.005, 0.01),
        xiong_law(1e5, 0.001, 0.01),
        xiong_law(1e5, 2.8e-3, 4e-3),
        normal_law("linear", (double[]){1e5, 100, NAN, clamp}),
        normal_law("linear", (double[]){1e5, 100, NAN, tension}),
        normal_law("hunt-crossley", (double[]){1e6, 1e5, 1.5, NAN, clamp}),
        normal_law("azad-featherstone", (double[]){1e6, 1e3, NAN, clamp}),
        normal_law("azad-featherstone", (double[]){1e6, 1e3, NAN, tension}),
    };
    for (size_t i = 0; i < ROWS(laws); i++) {
        bouncing b;
        open_bouncing(&b, laws[i], 0);
        b.start[0] = -2;
        b.start[1] = 0.1;
        for (int m = 0; m < 2; m++) {
            ff_sim *inc = made(&b.def, options(m ? FF_DOP853 : FF_AUTO, 1e-10, 0.2));
            assert_int_equal(advance(inc, 0.2, FF_TOUCHDOWN), 1);
            double e = ff_inclusion_at(inc).x[0] / 2;
            assert_near(e, ff_impact_restitution(&laws[i], 1, 2), 1e-9);
            assert_true(residual(inc) < 1e-9);
            ff_sim_free(inc);
        }
    }
}

/* events of a clamped law: its force is held at 0 before it leaves the ground */
static void test_events_of_a_clamped_law(void **state) {
    (void)state;
    static const ff_event_kind clamped[] = {FF_TOUCHDOWN, FF_LIFTOFF, FF_CLEAR};
    for (int tension = 0; tension < 2; tension++) {
        bouncing b;
        open_bouncing(&b, normal_law("linear", (double[]){1e5, 100, NAN, tension}), 0);
        b.start[0] = -2;
        b.start[1] = 0.1;
        ff_sim *inc = made(&b.def, options(FF_AUTO, 1e-10, 0.2));
        double times[3];
        for (int i = 0; i < 3; i++) {
            assert_int_equal(ff_sim_advance(inc, 0.2), FF_EVENT);
            assert_int_equal(ff_sim_event(inc)->kind, clamped[i]);
            assert_int_equal(ff_sim_event(inc)->contact, 0);
            times[i] = ff_sim_event(inc)->time;
            assert_true(ff_inclusion_at(inc).touching[0] == (i == 0) || tension);
        }
        ff_impact impact;
        assert_int_equal(ff_impact_solve(&b.dio.law, 1, 2, &impact), FF_OK);
        assert_near(times[0], 0.05, 1e-12);
        assert_near(times[1] - times[0], impact.contact_time, 1e-10);
        assert_true(tension ? times[2] == times[1] : times[2] > times[1] + 1e-4);
        assert_int_equal(ff_sim_advance(inc, 0.2), FF_OK);
        ff_sim_free(inc);
    }
}

/* a mass that falls onto a clamped law from the start, and one that starts pressed into it */
static void test_start_in_contact(void **state) {
    (void)state;
    bouncing b;
    open_bouncing(&b, normal_law("linear", (double[]){1e5, 100, NAN, 0}), 9.8);
    b.start[0] = -1;
    b.start[1] = 0;
    ff_sim *inc = made(&b.def, options(FF_AUTO, 1e-9, 1));
    assert_true(ff_inclusion_at(inc).touching[0]);
    assert_near(ff_inclusion_at(inc).contact[0], 100, 1e-12);
    assert_int_equal(ff_sim_advance(inc, 1), FF_EVENT);
    assert_int_equal(ff_sim_event(inc)->kind, FF_LIFTOFF);
    ff_sim_free(inc);
    b.start[0] = 0;
    b.start[1] = -1e-3;
    b.dio.law = xiong_law(1e5, 1e-3, 1e-2);
    b.dio.e = 1e-3;
    inc = made(&b.def, options(FF_AUTO, 1e-9, 1));
    assert_near(ff_inclusion_at(inc).contact[0], 100, 1e-12);
    assert_near(ff_inclusion_at(inc).e[0], 1e-3, 0);
    ff_sim_free(inc);
}

/* ---- frictional contact in 3D, eqs 28 to 30 ---- */

/* x = (p, p') */
static void thrown_arguments(void *user, double t, const double *x, double *psi, double *theta) {
    (void)user, (void)t;
    psi[0] = x[2];
    theta[0] = x[3];
    theta[1] = x[4];
}

static void thrown_factors(void *user, double t, const double *x, const double *contact,
                           double *chi) {
    (void)t, (void)x;
    chi[0] = *(const double *)user * contact[0];
}

static void thrown_rates(void *user, double t, const double *x, const double *contact,
                         const double *friction, double *dx) {
    (void)user, (void)t;
    memcpy(dx, x + 3, 3 * sizeof *dx);
    dx[3] = -friction[0];
    dx[4] = -friction[1];
    dx[5] = contact[0];
}

static void thrown_closing(void *user, double t, const double *x, double *psi_rate) {
    (void)user, (void)t;
    psi_rate[0] = x[5];
}

/* eq. 29 as printed, with M = 1 */
static void eq29(const double *y, double mu, double *dy) {
    const double K = 1e5, beta = 4e-3, alpha = 2.8e-3;
    double fz = K * fmax(0, y[6] - beta * (y[2] + y[6]) / alpha), f[2];
    double q[2] = {beta * y[3] + y[7], beta * y[4] + y[8]}, size = hypot(q[0], q[1]);
    for (int i = 0; i < 2; i++) {
        f[i] = K * (size > mu * fz / K ? mu * fz / K * q[i] / size : q[i]);
        dy[i] = y[3 + i];
        dy[3 + i] = -f[i];
        dy[7 + i] = (f[i] / K - y[7 + i]) / beta;
    }
    dy[2] = y[5];
    dy[5] = fz;
    dy[6] = fmax(-y[6] / beta, -(y[2] + y[6]) / alpha);
}

static void test_thrown_mass(void **state) {
    (void)state;
    double mu = 0.2, start[6] = {0, 0, 0.1, 3, 4, -2};
    ff_dio_def dio = {.law = xiong_law(1e5, 2.8e-3, 4e-3)};
    ff_sgn_def sgn = {.dimension = 2, .law = sat_law(1e5, 4e-3)};
    ff_inclusion_def def = ff_inclusion_def_default();
    def.states = 6;
    def.start = start;
    def.dio_count = def.sgn_count = 1;
    def.dios = &dio;
    def.sgns = &sgn;
    def.user = &mu;
    def.arguments = thrown_arguments;
    def.factors = thrown_factors;
    def.rates = thrown_rates;
    ff_sim *inc = made(&def, options(FF_AUTO, 1e-10, 0.1));
    advance(inc, 0.1, FF_USER);
    ff_inclusion_view v = ff_inclusion_at(inc);
    /* it slips throughout: friction removes mu times the normal impulse, opposite to the initial direction */
    double e = ff_impact_restitution(&dio.law, 1, 2), loss = mu * 2 * (1 + e);
    assert_near(v.x[5], 2 * e, 1e-9);
    assert_near(v.x[3], 3 - 0.6 * loss, 1e-9);
    assert_near(v.x[4], 4 - 0.8 * loss, 1e-9);
    ff_sim_free(inc);
    /* RK4 on the engine's right-hand side and on the printed equation */
    inc = made(&def, options(FF_RK4, 1e-9, 0.1));
    double y[9] = {0, 0, 0.1, 3, 4, -2}, k[4][9], g[9];
    for (int step = 0; step < 100; step++) {
        static const double part[] = {0, 0.5e-3, 0.5e-3, 1e-3};
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < 9; i++) {
                g[i] = y[i] + (s > 0 ? part[s] * k[s - 1][i] : 0);
            }
            eq29(g, mu, k[s]);
        }
        for (int i = 0; i < 9; i++) {
            y[i] += 1e-3 / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        }
        assert_int_equal(ff_sim_advance(inc, (step + 1) * 1e-3), FF_OK);
        v = ff_inclusion_at(inc);
        for (int i = 0; i < 9; i++) {
            double seen = i < 6 ? v.x[i] : i == 6 ? v.e[0] : v.a[i - 7];
            assert_near(seen, y[i], 1e-12);
        }
    }
    ff_sim_free(inc);
}

/* ---- example I ---- */

static void test_example_1(void **state) {
    (void)state;
    rolling r;
    open_rolling(&r);
    ff_sim *rk4 = made(&r.def, options(FF_RK4, 1e-9, 3));
    ff_sim *fine = made(&r.def, options(FF_AUTO, 1e-10, 3));
    ff_status status;
    size_t impacts = 0, row = 0;
    for (size_t i = 0; i < ROWS(reference_rolling); i++) {
        double t = reference_rolling[i].t;
        advance(rk4, t, FF_USER);
        ff_inclusion_view v = ff_inclusion_at(rk4);
        /* rounding differences of the heights grow with the bounces: 3e-10 observed at 3 s */
        assert_close(v.x[5], reference_rolling[i].pz_rk4, 1e-9);
        assert_close(v.x[3], reference_rolling[i].px_rk4, 1e-9);
        assert_close(v.x[0], reference_rolling[i].vx_rk4, 1e-9);
        assert_near(v.x[7], reference_rolling[i].wy_rk4, 1e-9 * 8);
    }
    while ((status = ff_sim_advance(fine, reference_rolling[row].t)) >= 0) {
        const double *x = ff_inclusion_at(fine).x;
        if (status == FF_EVENT) {
            if (ff_sim_event(fine)->kind == FF_TOUCHDOWN && impacts < ROWS(reference_impacts)) {
                assert_near(ff_sim_event(fine)->time, reference_impacts[impacts].t, 1e-9);
                assert_near(x[2], reference_impacts[impacts].vz, 1e-8);
                impacts++;
            }
            continue;
        }
        /* the reference is accurate to 2e-8 before 2.5 s, and to 1.2e-7 at 3 s by its own estimate */
        assert_close(x[5], reference_rolling[row].pz, 1e-7);
        assert_close(x[3], reference_rolling[row].px, 1e-7);
        assert_close(x[0], reference_rolling[row].vx, 1e-7);
        assert_near(x[7], reference_rolling[row].wy, 1e-7 * 8);
        if (++row == ROWS(reference_rolling)) {
            break;
        }
    }
    assert_int_equal(row, ROWS(reference_rolling));
    assert_int_equal(impacts, ROWS(reference_impacts));
    assert_true(residual(fine) < 1e-9);
    ff_sim_free(rk4);
    ff_sim_free(fine);
}

/* The scene of the same sphere resets the deflection when contact ends, while here a decays with beta = 4 ms
 * during flights of at least 60 ms: only e^-15 of a remains, when the sphere already rolls. */
static void test_example_1_as_a_scene(void **state) {
    (void)state;
    ff_scene *scene;
    ff_model *model;
    ff_sim *sim;
    ff_run_options o = options(FF_AUTO, 1e-10, 3);
    rolling r;
    if (ff_scene_read(FF_SOURCE_DIR "/scenes/xiong1.yaml", NULL, 0, &scene, NULL) < 0) {
        skip();
    }
    assert_int_equal(ff_model_create(scene, &model, NULL), FF_OK);
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
    open_rolling(&r);
    ff_sim *inc = made(&r.def, o);
    for (int i = 1; i <= 60; i++) {
        while (ff_sim_advance(sim, i * 0.05) == FF_EVENT) {
        }
        advance(inc, i * 0.05, FF_USER);
        ff_motion m = ff_sim_body(sim, 0);
        const double *x = ff_inclusion_at(inc).x;
        for (int c = 0; c < 3; c++) {
            assert_near(x[c], m.velocity[c], 1e-8);
            assert_near(x[3 + c], m.position[c], 1e-8);
            assert_near(x[6 + c], m.omega[c], 1e-8);
        }
    }
    ff_ledger a = ff_sim_ledger(inc), b = ff_sim_ledger(sim);
    assert_near(a.kinetic, b.kinetic + b.gravity, 1e-7);
    assert_near(a.normal_damper, b.normal_damper, 1e-7);
    assert_near(a.slip, b.slip, 1e-7);
    /* energy released in the scene is dissipated by the damper here */
    assert_near(a.tangential_damper, b.tangential_damper + b.release, 1e-7);
    ff_sim_free(inc);
    ff_sim_free(sim);
    ff_model_free(model);
    ff_scene_free(scene);
}

/* ---- example II ---- */

static void test_example_2(void **state) {
    (void)state;
    conveying c;
    open_conveyor(&c);
    ff_sim *rk4 = made(&c.def, options(FF_RK4, 1e-9, 2));
    ff_sim *fine = made(&c.def, options(FF_AUTO, 1e-10, 2));
    for (size_t i = 0; i < ROWS(reference_conveyor); i++) {
        double t = reference_conveyor[i].t;
        advance(rk4, t, FF_USER);
        advance(fine, t, FF_USER);
        for (int q = 0; q < 4; q++) {
            /* RK4 is marginally stable here: rounding grows a thousandfold in 0.1 s, to 1e-10 at 0.5 s */
            if (t <= 0.5) {
                assert_near(ff_inclusion_at(rk4).x[q], reference_conveyor[i].p_rk4[q], 1e-9);
            }
            /* the motion is sensitive: the reference's own error estimate, and 1e-7 up to 1 s */
            assert_near(ff_inclusion_at(fine).x[q], reference_conveyor[i].p[q],
                        fmax(1e-8, 2 * reference_conveyor[i].apart));
        }
        if (t == 2) {
            /* held by static friction, at rest in all contacts, away from 0 */
            ff_inclusion_view v = ff_inclusion_at(fine);
            assert_true(fabs(v.x[1]) > 1e-5 && fabs(v.x[1]) < 1e-4);
            assert_true(v.touching[0] && v.touching[1] && v.touching[2]);
            assert_true(!v.slipping[0] && !v.slipping[1] && v.slipping[2]);
            assert_near(v.contact[2], 9.8 - v.friction[1], 1e-3);
            assert_near(v.friction[2], 0.5 * v.contact[2], 1e-9);
        }
    }
    assert_true(residual(fine) < 1e-9);
    ff_sim_free(rk4);
    ff_sim_free(fine);
}

/* contacts never pull, friction never exceeds its limit, and M1 and M2 touch at the reference times */
static void test_invariants_of_example_2(void **state) {
    (void)state;
    conveying c;
    size_t touches = 0;
    open_conveyor(&c);
    ff_sim *inc = made(&c.def, options(FF_AUTO, 1e-9, 2));
    ff_status status;
    while (ff_sim_time(inc) < 2) {
        status = ff_sim_step(inc, 2);
        assert_true(status >= 0);
        const ff_event *e = ff_sim_event(inc);
        ff_inclusion_view v = ff_inclusion_at(inc);
        for (int i = 0; i < 3; i++) {
            assert_true(v.contact[i] >= 0);
            assert_true(fabs(v.friction[i]) <= v.chi[i] * (1 + 1e-15));
        }
        if (status == FF_EVENT && e->contact == 1 && touches < ROWS(reference_touches) &&
            (e->kind == FF_TOUCHDOWN || e->kind == FF_LIFTOFF)) {
            bool down = e->kind == FF_TOUCHDOWN;
            /* the reference has a mesh of 0.1 ms */
            assert_near(e->time, reference_touches[touches][!down], 1.5e-4);
            touches += !down;
        }
    }
    assert_int_equal(touches, ROWS(reference_touches));
    ff_inclusion_energy wall = ff_inclusion_dio_energy(inc, 0),
                        belt = ff_inclusion_sgn_energy(inc, 2);
    ff_ledger l = ff_sim_ledger(inc);
    assert_true(wall.lost > 0 && wall.lost < l.normal_damper);
    /* nearly all the energy supplied by the belt is lost at the belt */
    assert_true(belt.lost > 0.9 * -l.external);
    ff_sim_free(inc);
}

/* ---- example III ---- */

typedef struct {
    ff_inclusion_def def;
    stick_slip mass;
    double start[2];
    ff_sgn_def sgn;
} sticking;

/* eq. 50: the smoothing also bounds |w| from below in the factor */
static void smooth_factors(void *user, double t, const double *x, const double *contact,
                           double *chi) {
    const stick_slip *s = user;
    (void)t, (void)contact;
    chi[0] = s->F / (s->V + fmax(fabs(x[1]), 1e-5));
}

/* where p crosses 0, where it turns, and where |w| has its kink */
static void cycle_events(void *user, double t, const double *x, double *values) {
    (void)t;
    values[0] = x[0];
    values[1] = ((const stick_slip *)user)->u - x[1];
    values[2] = x[1];
}

static void test_example_3(void **state) {
    (void)state;
    static const bool silent[] = {false, false, true};
    for (size_t i = 0; i < ROWS(reference_cycles); i++) {
        const bool smooth = reference_cycles[i].smooth;
        sticking s = {.mass = {1, 1, 1, 1, reference_cycles[i].F, 1}, .start = {1.19149, 0}};
        s.sgn.dimension = 1;
        s.sgn.law = smooth ? friction_law("awrejcewicz", (double[]){1, 1e-5}) : sat_law(1e5, 0.5);
        s.def = ff_inclusion_def_default();
        s.def.states = 2;
        s.def.start = s.start;
        s.def.sgn_count = 1;
        s.def.sgns = &s.sgn;
        s.def.user = &s.mass;
        s.def.arguments = stick_slip_arguments;
        s.def.factors = smooth ? smooth_factors : stick_slip_factors;
        s.def.rates = stick_slip_rates;
        s.def.energy = stick_slip_energy;
        s.def.power = stick_slip_power;
        s.def.event_count = 3;
        s.def.events = cycle_events;
        s.def.silent = silent;
        ff_sim *inc = made(&s.def, options(FF_DOP853, 1e-10, 60));
        double last = 0, period = 0, p_max = 0, p_min = 0;
        int sticks = 0;
        ff_status status;
        while ((status = ff_sim_advance(inc, 60)) == FF_EVENT) {
            const ff_event *e = ff_sim_event(inc);
            const double *x = ff_inclusion_at(inc).x;
            assert_int_not_equal(e->kind == FF_USER && e->contact == 2, 1);
            if (e->kind == FF_USER && e->contact == 0 && x[1] < 1) {
                period = e->time - last;
                last = e->time;
            } else if (e->kind == FF_USER && fabs(x[0]) > 1.2) {
                p_max = x[0] > 0 ? x[0] : p_max;
                p_min = x[0] < 0 ? x[0] : p_min;
            }
            sticks += e->kind == FF_STICK;
        }
        assert_int_equal(status, FF_OK);
        /* for F = 0.2 the reference is still approaching the cycle; for 0.5 it is accurate to 4e-10 */
        assert_near(period, reference_cycles[i].period, 1e-9 + reference_cycles[i].period_error);
        assert_near(p_max, reference_cycles[i].p_max, 2e-9);
        assert_near(p_min, reference_cycles[i].p_min, 2e-9);
        /* for F = 0.5 it sticks for 1.29 s of each of 7 cycles */
        assert_true(smooth ? sticks == 0 : sticks >= 7);
        /* w is determined to 3e-12 m/s, and K beta times that is friction force: 1.5e-7 N during stick */
        assert_true(residual(inc) < 1e-8);
        ff_sim_free(inc);
    }
}

/* ---- alternatives to sat ---- */

static void test_friction_rivals(void **state) {
    (void)state;
    static const double bends[] = {1};
    const struct {
        ff_friction law;
        double creep; /* m/s, at 0.8 of the friction limit */
    } rivals[] = {
        {sat_law(5e3, 2e-3), 0},
        {friction_law("coulomb", (double[]){1, 1e-3}), 0.8e-3},
        {friction_law("awrejcewicz", (double[]){1, 1e-4}), 0.8e-4},
        /* 1 - (1 - v/v0)^2 = 0.8 */
        {friction_law("bengisu-akay", (double[]){1, 1, 1e-3, 1000}), 1e-3 * (1 - sqrt(0.2))},
        {friction_law("lugre", (double[]){1, 1e4, 20, 0}), 0},
        {friction_law("clutch", (double[]){1, 5e3, 10, 0, 0, 0, 0}), 0},
    };
    for (size_t i = 0; i < ROWS(rivals); i++) {
        sliding s;
        open_sliding(&s, rivals[i].law);
        s.mass.force = steady_force;
        s.def.switches = bends;
        s.def.switch_count = 1;
        ff_sim *inc = made(&s.def, options(FF_AUTO, 1e-9, 6));
        advance(inc, 6, FF_USER);
        assert_near(ff_inclusion_at(inc).x[0], rivals[i].creep, 1e-9);
        assert_near(ff_inclusion_at(inc).friction[0], 0.4, 1e-7);
        assert_true(residual(inc) < 1e-7);
        ff_sim_free(inc);
    }
}

/* Under a changing load bristles lose energy or gain it: two parts of one power, each monotonic. */
static void swelling_factors(void *user, double t, const double *x, const double *contact,
                             double *chi) {
    (void)user, (void)x, (void)contact;
    chi[0] = 0.7 + 0.2 * sin(3 * t);
}

/* a load with a jump at the switch of 0.65 s */
static void jumping_factors(void *user, double t, const double *x, const double *contact,
                            double *chi) {
    swelling_factors(user, t, x, contact, chi);
    chi[0] -= t < 0.65 ? 0 : 0.3;
}

static void test_bristles_under_load(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_DOP853, FF_AUTO, FF_ROSENBROCK};
    for (int k = 0; k < 12; k++) {
        const int law = 1 + k % 2, jumps = k / 2 % 2;
        sliding s;
        open_sliding(&s, sliding_law(law));
        s.def.factors = jumps ? jumping_factors : swelling_factors;
        s.sgn.a[0] = 1e-5;
        ff_sim *inc = made(&s.def, options(methods[k / 4], 1e-9, 4));
        ff_ledger last = ff_sim_ledger(inc);
        /* the initial energy of the bristle, 0.7 N 1e4/m a^2/2, is in the accounts */
        assert_close(last.initial, 0.35e4 * 1e-10, 1e-12);
        if (jumps) {
            /* the jump takes its share of chi k a^2/2, as does the interval before it, 1e-7 s of 0.6 N/s */
            advance(inc, 0.65 - 1e-7, FF_USER);
            double was = ff_sim_ledger(inc).regrade;
            assert_int_equal(advance(inc, 0.65, FF_SWITCH), 1);
            double a = ff_inclusion_at(inc).a[0];
            assert_close(ff_sim_ledger(inc).regrade - was, 0.3 * 1e4 * a * a / 2, 1e-6);
            last = ff_sim_ledger(inc);
        }
        for (int i = jumps ? 66 : 1; i <= 400; i++) {
            advance(inc, i * 0.01, FF_USER);
            ff_ledger now = ff_sim_ledger(inc);
            /* a method may have negative weights: monotonic up to the error of a step */
            assert_true(now.regrade >= last.regrade - 1e-12 * now.scale);
            assert_true(now.created <= last.created + 1e-12 * now.scale);
            last = now;
        }
        assert_true(residual(inc) < (methods[k / 4] == FF_ROSENBROCK ? 2e-8 : 1e-8));
        assert_true(last.regrade > 1e-5 && last.created < -1e-5);
        ff_sim_free(inc);
    }
    /* both are exactly 0 under a constant load */
    sliding s;
    open_sliding(&s, sliding_law(1));
    ff_sim *inc = made(&s.def, options(FF_AUTO, 1e-9, 4));
    advance(inc, 4, FF_USER);
    assert_true(ff_sim_ledger(inc).regrade == 0 && ff_sim_ledger(inc).created == 0);
    ff_sim_free(inc);
}

static double thrown_energy(void *user, double t, const double *x) {
    (void)user, (void)t;
    return (x[3] * x[3] + x[4] * x[4] + x[5] * x[5]) / 2;
}

/* the same under contact forces that are continuous, jump at touch-down, or are clamped against tension */
static void test_bristles_under_contact(void **state) {
    (void)state;
    double mu = 0.2, start[6] = {0, 0, 0.1, 3, 4, -2};
    const ff_normal laws[] = {xiong_law(1e5, 2.8e-3, 4e-3),
                              normal_law("linear", (double[]){1e5, 100, NAN, 0}),
                              normal_law("azad-featherstone", (double[]){1e6, 1e3, NAN, 0}),
                              normal_law("two-term", (double[]){1e6, NAN, 1e9, NAN, 0.2})};
    for (size_t i = 0; i < ROWS(laws); i++) {
        ff_dio_def dio = {.law = laws[i]};
        ff_sgn_def sgn = {.dimension = 2, .law = sliding_law(2), .a = {-2e-5, 3e-5}};
        ff_inclusion_def def = ff_inclusion_def_default();
        def.states = 6;
        def.start = start;
        def.dio_count = def.sgn_count = 1;
        def.dios = &dio;
        def.sgns = &sgn;
        def.user = &mu;
        def.arguments = thrown_arguments;
        def.closing = thrown_closing;
        def.factors = thrown_factors;
        def.rates = thrown_rates;
        def.energy = thrown_energy;
        for (int m = 0; m < 2; m++) {
            ff_sim *inc = made(&def, options(m ? FF_DOP853 : FF_AUTO, 1e-9, 0.1));
            advance(inc, 0.1, FF_USER);
            /* azad-featherstone, whose force begins as a square root of time; 2e-12 for the others */
            assert_holds(residual(inc) < 1e-8, "%s: %.2g", laws[i].law->name, residual(inc));
            ff_ledger l = ff_sim_ledger(inc);
            /* bristles gain energy while the contact compresses, and lose it while it expands */
            assert_true(l.created < -1e-4 && l.regrade > 1e-4);
            ff_sim_free(inc);
        }
    }
}

/* ---- user-defined laws ---- */

static ff_normal table_normal;
static ff_friction table_friction;

/* xiong, with a second state that follows the first without any effect */
static void two_states(const ff_normal *law, const ff_normal_query *q, ff_normal_answer *out) {
    table_normal.respond(law, q, out);
    if (out->rate) {
        out->rate[1] = 2 * out->rate[0];
    }
}

/* dahl, with a second vector that has no effect */
static void two_vectors(const ff_friction *law, const ff_friction_query *q,
                        ff_friction_answer *out) {
    table_friction.respond(law, q, out);
    for (int c = 0; c < 3; c++) {
        out->rate[3 + c] = -out->rate[c];
    }
}

static void test_own_laws(void **state) {
    (void)state;
    table_normal = xiong_law(1e5, 2.8e-3, 4e-3);
    table_friction = sliding_law(2);
    ff_normal_law own_normal = *table_normal.law;
    ff_friction_law own_friction = *table_friction.law;
    own_normal.form = NULL;
    own_normal.respond = two_states;
    own_normal.states = 2;
    own_friction.form = NULL;
    own_friction.respond = two_vectors;
    own_friction.vectors = 2;
    double seen[2][9], mu = 0.2, start[6] = {0, 0, 0.1, 3, 4, -2};
    for (int own = 0; own < 2; own++) {
        ff_dio_def dio = {.law = table_normal, .e = 1e-6};
        ff_sgn_def sgn = {.dimension = 2, .law = table_friction, .a = {1e-6, 2e-6}};
        ff_inclusion_def def = ff_inclusion_def_default();
        if (own) {
            assert_int_equal(ff_normal_make(&dio.law, &own_normal, table_normal.values, NULL),
                             FF_OK);
            assert_int_equal(ff_friction_make(&sgn.law, &own_friction, table_friction.values, NULL),
                             FF_OK);
        }
        def.states = 6;
        def.start = start;
        def.dio_count = def.sgn_count = 1;
        def.dios = &dio;
        def.sgns = &sgn;
        def.user = &mu;
        def.arguments = thrown_arguments;
        def.factors = thrown_factors;
        def.rates = thrown_rates;
        def.energy = thrown_energy;
        ff_sim *inc = made(&def, options(FF_DOP853, 1e-11, 0.1));
        advance(inc, 0.052, FF_USER);
        assert_true(ff_inclusion_at(inc).touching[0]);
        memcpy(seen[own], ff_inclusion_at(inc).x, 6 * sizeof(double));
        seen[own][6] = ff_inclusion_at(inc).e[0];
        memcpy(seen[own] + 7, ff_inclusion_at(inc).a, 2 * sizeof(double));
        advance(inc, 0.1, FF_USER);
        assert_true(residual(inc) < 1e-10);
        ff_sim_free(inc);
    }
    for (int i = 0; i < 9; i++) {
        assert_near(seen[0][i], seen[1][i], 1e-10);
    }
}

/* ---- parameters ---- */

static void test_design(void **state) {
    (void)state;
    /* a mass of 2 kg on sat of 1e4 N/m with zeta = 0.2 is a damped oscillator */
    ff_friction law = sat_law(1, 1);
    assert_int_equal(ff_design_sat(&law, 2, 1e4, 0.2), FF_OK);
    assert_near(ff_friction_value(&law, "beta") / 2 * sqrt(ff_friction_value(&law, "k") / 2), 0.2,
                1e-15);
    sliding s;
    open_sliding(&s, law);
    s.mass = (sliding_mass){2, 1e3, steady_force};
    s.def.switch_count = 0;
    s.start[0] = 0.1;
    ff_sim *inc = made(&s.def, options(FF_DOP853, 1e-11, 0.1));
    double w = sqrt(1e4 / 2), d = w * sqrt(1 - 0.04), t = 0.05;
    advance(inc, t, FF_USER);
    /* free oscillation alone; the force of 0.4 t adds at most 0.4 t/K */
    double swing = 0.1 / d * exp(-0.2 * w * t) * sin(d * t);
    assert_near(ff_inclusion_at(inc).x[1], swing, 0.4 * t / 1e4);
    ff_sim_free(inc);
    ff_friction other = friction_law("coulomb", (double[]){1, 1e-3});
    assert_int_equal(ff_design_sat(&other, 2, 1e4, 0.2), FF_BAD_VALUE);
    assert_int_equal(ff_design_sat(&law, 0, 1e4, 0.2), FF_BAD_VALUE);
    assert_int_equal(ff_design_sat(&law, 2, -1, 0.2), FF_BAD_VALUE);
    assert_int_equal(ff_design_sat(&law, 2, 1e4, NAN), FF_BAD_VALUE);
    assert_int_equal(ff_design_sat(&law, 2, INFINITY, 1), FF_BAD_VALUE);
}

/* contact parameters from a desired restitution and contact time, checked in a run */
static void test_design_of_contact(void **state) {
    (void)state;
    bouncing b;
    ff_normal law = xiong_law(1, 1, 1);
    assert_int_equal(ff_design_impact(&law, 1, 0.6, 5e-3, NULL), FF_OK);
    open_bouncing(&b, law, 0);
    b.start[0] = -1;
    b.start[1] = 0.1;
    ff_sim *inc = made(&b.def, options(FF_DOP853, 1e-11, 0.2));
    assert_int_equal(ff_sim_advance(inc, 1), FF_EVENT);
    double touch = ff_sim_event(inc)->time;
    assert_int_equal(ff_sim_advance(inc, 1), FF_EVENT);
    assert_near(ff_sim_event(inc)->time - touch, 5e-3, 1e-11);
    assert_near(ff_inclusion_at(inc).x[0], 0.6, 1e-10);
    ff_sim_free(inc);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sliding_mass),
    cmocka_unit_test(test_drift),
    cmocka_unit_test(test_bouncing_mass),
    cmocka_unit_test(test_bouncing_mass_by_rk4),
    cmocka_unit_test(test_restitution),
    cmocka_unit_test(test_events_of_a_clamped_law),
    cmocka_unit_test(test_start_in_contact),
    cmocka_unit_test(test_thrown_mass),
    cmocka_unit_test(test_example_1),
    cmocka_unit_test(test_example_1_as_a_scene),
    cmocka_unit_test(test_example_2),
    cmocka_unit_test(test_invariants_of_example_2),
    cmocka_unit_test(test_example_3),
    cmocka_unit_test(test_friction_rivals),
    cmocka_unit_test(test_bristles_under_load),
    cmocka_unit_test(test_bristles_under_contact),
    cmocka_unit_test(test_own_laws),
    cmocka_unit_test(test_design),
    cmocka_unit_test(test_design_of_contact),
};

CHECK_MAIN(tests)
