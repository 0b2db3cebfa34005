/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "law/kernels.h"
#include "law/params.h"
#include "law/sizes.h"
#include "laws.h"

/* ---- one arithmetic for all lane widths ---- */

enum { COUNT = 37, STRIDE = 41 }; /* not a multiple of any width */

static void test_every_width_gives_the_same_bits_friction(void **state) {
    (void)state;
    const ff_friction_law *law;
    enum { LOAD, GRADE, RATIO, SLOPE, ZDOT, V, U = V + 3, BEFORE = U + 3, IN = BEFORE + 3 };
    enum { FORCE, RATE = 3, LIFT = 6, DAMPER, SLIP, VISCOUS, LEVEL, REGRADE, OUT };
    for (size_t i = 0; (law = ff_friction_law_at(i)); i++) {
        if (law->vectors > 1) {
            continue; /* test_bed.c */
        }
        for (int turn = 0; turn < 50; turn++) {
            ff_friction a = draw_friction(law);
            double in[IN][STRIDE] = {{0}}, level[STRIDE];
            double want[OUT][STRIDE] = {{0}}, seen[OUT][STRIDE];
            for (int j = 0; j < COUNT; j++) {
                in[LOAD][j] = j % 5 == 0 ? 0 : log_uniform(1e-2, 1e3);
                in[GRADE][j] = j % 5 == 0 ? 0 : uniform(0, 0.1);
                in[RATIO][j] = log_uniform(1, 1e5);
                in[SLOPE][j] = log_uniform(1, 1e3);
                in[ZDOT][j] = uniform(-1, 1);
                level[j] = uniform(0, 1);
                for (int c = V; c < IN; c++) {
                    in[c][j] = j % 11 == 0 ? 0 : uniform(-1e-2, 1e-2);
                }
                double u[3], before[3], rate[3] = {0};
                ff_friction_query q = {.zdot = in[ZDOT][j],
                                       .load = in[LOAD][j],
                                       .grade = in[GRADE][j],
                                       .grade_slope = in[SLOPE][j],
                                       .ratio = in[RATIO][j],
                                       .u = u};
                for (int c = 0; c < 3; c++) {
                    q.v[c] = in[V + c][j];
                    u[c] = in[U + c][j];
                    before[c] = in[BEFORE + c][j];
                }
                ff_friction_answer at = ff_friction_at(&a, &q, rate);
                for (int c = 0; c < 3; c++) {
                    want[FORCE + c][j] = at.force[c];
                    want[RATE + c][j] = rate[c];
                }
                want[LIFT][j] = at.lift;
                want[DAMPER][j] = at.damper;
                want[SLIP][j] = at.slip;
                want[VISCOUS][j] = at.viscous;
                want[LEVEL][j] = level[j];
                if (law->level != FF_LEVEL_ONE) {
                    double now = ff_friction_level(&a, q.grade, q.load), graded = at.graded;
                    q.u = before;
                    graded = 0.5 * (ff_friction_at(&a, &q, rate).graded + graded);
                    want[REGRADE][j] = graded * (level[j] - now);
                    want[LEVEL][j] = now;
                    /* the mean of the losses at both ends */
                    double lost = law->stored(&a, level[j], u) - law->stored(&a, now, u) +
                                  law->stored(&a, level[j], before) - law->stored(&a, now, before);
                    double scale =
                        (level[j] + now) * (law->stored(&a, 1, u) + law->stored(&a, 1, before));
                    assert_near(want[REGRADE][j], a.lifts ? 0 : lost / 2, 1e-15 * scale);
                }
            }
            int lanes;
            for (size_t set = 0; ff_kernels_name(set, &lanes); set++) {
                memset(seen, 0, sizeof seen);
                memcpy(seen[LEVEL], level, COUNT * sizeof *level);
                ff_friction_use(&a, set);
                ff_friction_batch b = {.count = COUNT,
                                       .stride = STRIDE,
                                       .zdot = in[ZDOT],
                                       .load = in[LOAD],
                                       .grade = in[GRADE],
                                       .ratio = in[RATIO],
                                       .grade_slope = in[SLOPE],
                                       .v = in[V],
                                       .u = in[U],
                                       .before = in[BEFORE],
                                       .force = seen[FORCE],
                                       .rate = seen[RATE],
                                       .lift = seen[LIFT],
                                       .damper = seen[DAMPER],
                                       .slip = seen[SLIP],
                                       .viscous = seen[VISCOUS],
                                       .level = seen[LEVEL],
                                       .regrade = seen[REGRADE]};
                a.kernels->respond(&a, &b);
                assert_memory_equal(want, seen, sizeof want);
            }
        }
    }
}

/* both laws in one fused function give the same bits as one after the other */
static void test_pairs_give_the_same_bits(void **state) {
    (void)state;
    const ff_normal_law *n;
    const ff_friction_law *f;
    int fused = 0;
    ff_normal tension = NORMAL("hertz", 1, NAN);
    ff_friction nothing = FRICTION("none", 0);
    const ff_pair_point plain = ff_pair_find(&tension, &nothing);
    for (size_t i = 0; (n = ff_normal_law_at(i)); i++) {
        for (size_t j = 0; (f = ff_friction_law_at(j)); j++) {
            if (f->vectors > 1) {
                continue; /* test_bed.c */
            }
            for (int turn = 0; turn < 60; turn++) {
                ff_normal a = draw_normal(n);
                ff_friction b = draw_friction(f);
                ff_pair_point both = ff_pair_find(&a, &b);
                fused += both != plain;
                double z = turn % 7 ? uniform(-1e-3, 1e-2) : 0, w = draw_state(&a, 1e-2);
                double u[3] = {uniform(-1, 1) * 1e-3, uniform(-1, 1) * 1e-3, 0};
                ff_normal_query q = {z, uniform(-1, 1), &w, turn % 3 == 0};
                ff_friction_query slide = {.v = {uniform(-1, 1), uniform(-1, 1)}, .u = u};
                double rate[2][4] = {{0}}, by[2][3] = {{0}};
                ff_pair_answer one = {.rate = rate[0], .u_rate = rate[0] + 1, .graded_by = by[0]};
                both(&a, &b, &q, &slide, &one);
                ff_normal_answer push = {.rate = rate[1]};
                ff_friction_answer grip = {.rate = rate[1] + 1, .graded_by = by[1]};
                a.respond(&a, &q, &push);
                slide.z = q.z;
                slide.zdot = q.zdot;
                slide.load = ff_normal_load(&a, push.force, push.grade, push.ratio);
                slide.grade = push.grade;
                slide.grade_slope = push.grade_slope;
                slide.ratio = push.ratio > 0 || b.lifts ? push.ratio : 0;
                b.respond(&b, &slide, &grip);
                assert_true(one.force == push.force && one.loss == push.loss &&
                            one.grade == push.grade && one.ratio == push.ratio);
                assert_true(one.lift == grip.lift && one.damper == grip.damper &&
                            one.slip == grip.slip && one.viscous == grip.viscous &&
                            one.excess == grip.excess && one.strain == grip.strain);
                assert_memory_equal(one.pull, grip.force, sizeof one.pull);
                assert_memory_equal(rate[0], rate[1], sizeof rate[0]);
                assert_memory_equal(by[0], by[1], sizeof by[0]);
                one.graded_by = NULL;
                both(&a, &b, &q, &slide, &one);
                assert_true(one.graded == grip.graded);
            }
        }
    }
    /* eleven pairs of forms, each shared by several laws */
    assert_true(fused > 11 * 60);
}

/* ---- friction laws ---- */

/* a random contact: load, depth through the grade of n = 3/2, motion in the plane z = 0; u is filled in */
static ff_friction_query draw_query(const ff_friction *a, double u[3]) {
    ff_friction_query q = {.u = u};
    q.z = log_uniform(1e-6, 1e-2);
    q.load = log_uniform(1e-2, 1e3);
    q.grade = sqrt(q.z);
    q.ratio = q.load / q.grade;
    q.grade_slope = 0.5 / q.grade;
    q.zdot = uniform(-2, 2);
    /* the range of the springs: if their stiffness is proportional to the grade, at load/grade */
    double mu = friction_value(a, "mu"), stretch = 0;
    if (a->vectors > 0) {
        stretch = mu / friction_value(a, "k") *
                  (a->law->level == FF_LEVEL_ONE     ? q.load
                   : a->law->level == FF_LEVEL_GRADE ? q.ratio
                                                     : 1);
    }
    /* slip from far below to far above the scale of the law */
    double reach = a->vectors > 0 ? log_uniform(1e-3, 1e3) : log_uniform(1e-6, 1);
    double angle = uniform(0, 6.28), turn = uniform(0, 6.28), size = uniform(0, 1) * stretch;
    double speed = a->vectors > 0 ? reach * fmax(stretch, 1e-9) : reach;
    q.v[0] = speed * cos(angle);
    q.v[1] = speed * sin(angle);
    u[0] = size * cos(turn);
    u[1] = size * sin(turn);
    u[2] = 0;
    return q;
}

/* the damping of the tangential spring at a level of 1 */
static double damping_of(const ff_friction *a) {
    return friction_value(a, "beta") > 0 ? friction_value(a, "beta") * friction_value(a, "k")
                                         : friction_value(a, "damping");
}

/* -f.v + lift zdot = d(stored)/dt + damper + slip + viscous - graded d(level)/dt, all losses >= 0, for any rate of
 * the level: at constant load if the load is the level, at the rate of the grade if the grade is */
static void test_power_balance_of_friction_laws(void **state) {
    (void)state;
    const ff_friction_law *law;
    for (size_t i = 0; (law = ff_friction_law_at(i)); i++) {
        if (law->vectors > 1) {
            continue; /* test_bed.c */
        }
        for (int turn = 0; turn < 4000; turn++) {
            ff_friction a = draw_friction(law);
            double u[3], rate[3] = {0};
            ff_friction_query q = draw_query(&a, u);
            ff_friction_answer at = ff_friction_at(&a, &q, rate);
            assert_true(at.damper >= 0 && at.slip >= 0 && at.viscous >= 0);
            assert_true(ff_friction_stored(&a, &q) >= 0);
            double k = a.vectors > 0 ? friction_value(&a, "k") : 0;
            double level = ff_friction_level(&a, q.grade, q.load), uu = dot(u, u);
            double grow = law->level == FF_LEVEL_GRADE  ? q.grade_slope * q.zdot
                          : law->level == FF_LEVEL_LOAD ? uniform(-1e3, 1e3)
                                                        : 0;
            /* stored = k/2 |u|^2 times the level */
            assert_close(ff_friction_stored(&a, &q), k / 2 * uu * level, 1e-15);
            double stored = k * level * dot(u, rate) + k / 2 * uu * grow;
            double regrade = -at.graded * grow;
            double in = -dot(at.force, q.v) + at.lift * q.zdot;
            double out = stored + at.damper + at.slip + at.viscous + regrade;
            double scale = fabs(in) + fabs(stored) + at.damper + at.slip + at.viscous +
                           fabs(regrade) + k * level * sqrt(uu * dot(rate, rate)) +
                           k * uu * fabs(grow);
            /* rounding: the force before clamping, which may be much larger, times every speed */
            double size = sqrt(uu), speed = sqrt(dot(q.v, q.v)), beta = friction_value(&a, "beta");
            double rough = level * (k * size + damping_of(&a) * speed) *
                           (speed + sqrt(dot(rate, rate)) + (beta > 0 ? size / beta : 0));
            assert_near(in, out, 1e-14 * (scale + rough));
            assert_true(law->level == FF_LEVEL_ONE ? at.graded == 0
                                                   : at.lift == 0 || at.graded == 0);
        }
    }
}

/* the friction force opposes slip, and is bounded by mu N (plus the viscous part) */
static void test_friction_is_bounded(void **state) {
    (void)state;
    const ff_friction_law *law;
    for (size_t i = 0; (law = ff_friction_law_at(i)); i++) {
        if (law->vectors > 1) {
            continue; /* test_bed.c */
        }
        for (int turn = 0; turn < 2000; turn++) {
            ff_friction a = draw_friction(law);
            double u[3], rate[3] = {0};
            ff_friction_query q = draw_query(&a, u);
            ff_friction_answer at = ff_friction_at(&a, &q, rate);
            double size = sqrt(dot(at.force, at.force)), speed = sqrt(dot(q.v, q.v));
            double most = law->nothing ? 0 : law->cone(&a) * (q.load + at.lift);
            double viscous = friction_value(&a, "viscous");
            if (law->level == FF_LEVEL_LOAD) {
                most += q.load * (2 * damping_of(&a) + viscous) * speed;
            } else if (law->slips) {
                double slip[3] = {q.v[0] - rate[0], q.v[1] - rate[1], 0};
                /* v - u' cancels to the rounding of v */
                most += viscous * (sqrt(dot(slip, slip)) + 1e-15 * speed);
                assert_true((at.excess > 0) == (at.slip > 0));
            }
            assert_holds(size <= most * (1 + 1e-12), "%s: |f| = %g > %g", law->name, size, most);
        }
    }
}

/* with a grade of 1, vectors of one and of two components give the same results as three, to rounding */
static void test_line_and_plane(void **state) {
    (void)state;
    const ff_friction_law *law;
    for (size_t i = 0; (law = ff_friction_law_at(i)); i++) {
        if (law->vectors > 1) {
            continue; /* test_bed.c */
        }
        for (int turn = 0; turn < 2000; turn++) {
            ff_friction a = draw_friction(law);
            for (int dimension = 1; dimension <= 2; dimension++) {
                double u[3], rate[3] = {0}, force[2], flat_rate[2] = {0}, lost[FF_LOSSES];
                ff_friction_query q = draw_query(&a, u);
                q.grade = 1;
                q.grade_slope = 0;
                q.ratio = q.load;
                if (dimension == 1) {
                    q.v[1] = u[1] = 0;
                }
                ff_friction_answer at = ff_friction_at(&a, &q, rate);
                ff_friction_flat flat = ff_friction_flat_of(&a, dimension);
                flat(&a, q.load, q.v, u, force, flat_rate, lost);
                double size = sqrt(dot(at.force, at.force)), pace = sqrt(dot(rate, rate));
                pace += sqrt(dot(q.v, q.v));
                pace += friction_value(&a, "beta") > 0
                            ? sqrt(dot(u, u)) / friction_value(&a, "beta")
                            : 0;
                for (int c = 0; c < dimension; c++) {
                    assert_near(force[c], at.force[c], 1e-15 * size);
                    assert_near(flat_rate[c], rate[c], 1e-15 * pace);
                }
                /* the square of a rate that is a difference of speeds */
                double level = ff_friction_level(&a, 1, q.load), slow = sqrt(dot(rate, rate));
                assert_near(lost[FF_LOST_DAMPER], at.damper,
                            3e-15 * level * damping_of(&a) * pace * (slow + 1e-15 * pace));
                assert_near(lost[FF_LOST_SLIP], at.slip, 1e-14 * at.slip);
                assert_near(lost[FF_LOST_VISCOUS], at.viscous, 1e-14 * at.viscous);
                flat(&a, q.load, q.v, u, force, flat_rate, NULL);
            }
        }
    }
}

/* Azad and Featherstone 2010, eqs 22-31, taken literally: f = f_slip of eq. 27 with V_clutch from
 * eqs 30 and 31, whose own f is this f */
static void test_clutch_solves_its_implicit_equation(void **state) {
    (void)state;
    int slips = 0;
    for (int turn = 0; turn < 4000; turn++) {
        double mu = log_uniform(1e-3, 1e6), k = log_uniform(1e-3, 1e6), D = log_uniform(1e-3, 1e6);
        double C = turn % 2 ? log_uniform(1e-3, 1e6) : 0;
        ff_friction a = FRICTION("clutch", mu, k, D, C, 0, NAN, NAN);
        double u[3];
        ff_friction_query q = draw_query(&a, u);
        ff_friction_answer at = ff_friction_at(&a, &q, NULL);
        double stick[3], size = 0;
        for (int c = 0; c < 3; c++) {
            stick[c] = -k * q.grade * u[c] - D * q.grade * q.v[c];
            size += stick[c] * stick[c];
        }
        size = sqrt(size);
        bool slip = size > mu * q.load;
        slips += slip;
        for (int c = 0; c < 3; c++) {
            double rate = -(at.force[c] + k * q.grade * u[c]) / (D * q.grade);
            double clutch = q.v[c] - rate;
            double want = slip ? stick[c] * mu * q.load / size - C * clutch : stick[c];
            /* u' from a difference of forces, then times the viscous coefficient */
            double scale = size + C * (fabs(q.v[c]) + size / (D * q.grade));
            assert_near(at.force[c], want, 1e-12 * scale);
        }
    }
    /* both modes occurred */
    assert_true(slips > 400 && slips < 3600);
}

/* with a viscous term the force is continuous at z = 0, and without it u' has its limit */
static void test_clutch_is_regular_at_zero_depth(void **state) {
    (void)state;
    ff_friction a;
    const double u[3] = {0};
    for (int viscous = 0; viscous < 2; viscous++) {
        a = FRICTION("clutch", 0.2, 12.75e6, 3.1e3, viscous * 0.1, NAN, NAN, NAN);
        /* touch-down of the rolling sphere: ratio = lambda zdot, slipping immediately */
        ff_friction_query q = {.grade = 0, .ratio = 3.1e3 * 1.28, .v = {0.5, 0.5, 0}, .u = u};
        double rate[2][3];
        ff_friction_answer at = ff_friction_at(&a, &q, rate[0]);
        q.grade = 1e-9;
        q.load = q.grade * q.ratio;
        ff_friction_answer near = ff_friction_at(&a, &q, rate[1]);
        for (int c = 0; c < 3; c++) {
            assert_true(at.force[c] == 0 && isfinite(rate[0][c]));
            assert_near(near.force[c], 0, 1e-5);
            /* with a viscous term u' has a layer of depth (C/D)^2; grade 1e-9 lies inside */
            assert_near(rate[1][c], rate[0][c], 1e-4);
        }
    }
    /* no load, no deflection, no motion: no force and no division by zero */
    ff_friction_query still = {.u = u};
    double rate[3];
    ff_friction_answer at = ff_friction_at(&a, &still, rate);
    assert_true(at.force[0] == 0 && rate[0] == 0 && at.slip == 0 && !(at.excess > 0));
}

/* a contact without load slips as soon as there is any motion */
static void test_no_load_slips(void **state) {
    (void)state;
    ff_friction clutch = FRICTION("clutch", 0.2, 1e6, 1e3, 0, NAN, NAN, NAN);
    ff_friction sat = FRICTION("sat", 0.2, 1e6, 1e-3);
    const double u[3] = {1e-6};
    ff_friction_query q = {.grade = 0.01, .v = {0.1, 0, 0}, .u = u};
    assert_true(ff_friction_at(&clutch, &q, NULL).excess > 0);
    assert_true(ff_friction_at(&sat, &q, NULL).excess > 0);
    q.load = 1e6;
    q.ratio = 1e8;
    assert_false(ff_friction_at(&clutch, &q, NULL).excess > 0);
    assert_false(ff_friction_at(&sat, &q, NULL).excess > 0);
}

/* interpretations of the paper that are options: viscous friction without load (8B), u between contacts (9) */
static void test_options_of_the_clutch(void **state) {
    (void)state;
    ff_friction keep = FRICTION("clutch", 0.2, 1e6, 1e3, 0.1, NAN, NAN, NAN);
    ff_friction drop = FRICTION("clutch", 0.2, 1e6, 1e3, 0.1, NAN, 1, 1);
    ff_friction bare = FRICTION("clutch", 0.2, 1e6, 1e3, 0, NAN, NAN, NAN);
    assert_true(!keep.keeps && drop.keeps && !keep.lifts);
    for (int turn = 0; turn < 500; turn++) {
        double u[3], rate[3][3];
        ff_friction_query q = draw_query(&keep, u);
        /* under load both are the same law */
        ff_friction_answer a = ff_friction_at(&keep, &q, rate[0]);
        ff_friction_answer b = ff_friction_at(&drop, &q, rate[1]);
        assert_memory_equal(a.force, b.force, sizeof a.force);
        assert_memory_equal(rate[0], rate[1], sizeof rate[0]);
        assert_true(a.viscous == b.viscous && a.slip == b.slip && a.damper == b.damper);
        /* without load one still drags, the other is the law without viscous friction */
        q.load = q.ratio = 0;
        a = ff_friction_at(&keep, &q, rate[0]);
        b = ff_friction_at(&drop, &q, rate[1]);
        ff_friction_answer c = ff_friction_at(&bare, &q, rate[2]);
        assert_true(dot(a.force, q.v) != 0 && a.viscous > 0);
        assert_true(dot(b.force, b.force) == 0 && b.viscous == 0 && b.slip == 0);
        assert_memory_equal(rate[1], rate[2], sizeof rate[1]);
        assert_true(b.damper == c.damper);
    }
    ff_friction passive = FRICTION("clutch", 0.2, 1e6, 1e3, 0.1, 1, NAN, NAN);
    assert_true(passive.lifts);
}

/* without a force from the ground u relaxes: k_t u + b_t u' = 0, and the dissipation equals the energy lost by the
 * spring */
static void test_relaxing(void **state) {
    (void)state;
    const ff_friction_law *law;
    for (size_t i = 0; (law = ff_friction_law_at(i)); i++) {
        if (law->vectors > 1) {
            continue; /* test_bed.c */
        }
        for (int turn = 0; turn < 200 && law->relax; turn++) {
            ff_friction a = draw_friction(law);
            double u[3], rate[3];
            ff_friction_query q = draw_query(&a, u);
            double by[3];
            ff_friction_answer at = {.rate = rate, .graded_by = by};
            law->relax(&a, q.grade, u, &at);
            double k = friction_value(&a, "k"), b = friction_value(&a, "damping");
            for (int c = 0; c < 3; c++) {
                assert_near(k * u[c] + b * rate[c], 0, 1e-15 * k * fabs(u[c]));
            }
            assert_close(at.damper, -k * q.grade * dot(u, rate), 1e-14);
            assert_close(at.graded, a.lifts ? 0 : k / 2 * dot(u, u), 1e-14);
            assert_close(by[0], a.lifts ? 0 : k * u[0], 1e-14);
        }
    }
}

/* matrices of partial derivatives compared with central differences */
static void test_partial_derivatives_of_friction_laws(void **state) {
    (void)state;
    const ff_friction_law *law;
    for (size_t i = 0; (law = ff_friction_law_at(i)); i++) {
        if (law->vectors > 1) {
            continue; /* test_bed.c */
        }
        for (int turn = 0; turn < 1500; turn++) {
            ff_friction a = draw_friction(law);
            double u[3], rate[3] = {0};
            ff_friction_query q = draw_query(&a, u);
            q.v[2] = 0.3 * q.v[0];
            const int states = 3 * a.vectors, columns = FF_BY_U + states;
            double m[(FF_OF_U_RATES + 3) * (FF_BY_U + 3)];
            assert_true(ff_friction_slope_size(&a) <= ROWS(m));
            ff_friction_slopes_at(&a, &q, m);
            bool slips = ff_friction_at(&a, &q, rate).excess > 0;
            double speed = sqrt(dot(q.v, q.v)), stretch = fmax(sqrt(dot(u, u)), 1e-6 * speed);
            double v0 = law->bend && a.vectors == 0 ? speed - law->bend(&a, &q) : (double)NAN;
            /* velocity scale: the velocity itself, and the decay of Stribeck's curve */
            double xi = friction_value(&a, "xi"), pace = xi > 0 ? fmin(speed, 1 / xi) : speed;
            /* spring and damper may almost cancel: then the force changes direction within their sum */
            double damping = damping_of(&a), k = friction_value(&a, "k"), s[3] = {0};
            double beta = friction_value(&a, "beta");
            if (law->slips) {
                for (int c = 0; c < 3; c++) {
                    s[c] = k * u[c] + damping * q.v[c];
                }
                pace = fmin(pace, sqrt(dot(s, s)) / damping);
                stretch = fmin(stretch, sqrt(dot(s, s)) / k);
            }
            for (int by = 0; by < columns; by++) {
                double size = by < FF_BY_LOAD           ? pace
                              : by == FF_BY_LOAD        ? q.load
                              : by == FF_BY_GRADE       ? q.grade
                              : by == FF_BY_GRADE_SLOPE ? q.grade_slope
                              : by == FF_BY_DEPTH       ? q.z
                              : by == FF_BY_DEPTH_RATE  ? speed
                                                        : stretch;
                double h = 1e-5 * size, rates[2][3] = {{0}}, moved[3];
                ff_friction_answer f[2];
                for (int side = 0; side < 2; side++) {
                    ff_friction_query y = q;
                    double step = side ? h : -h;
                    memcpy(moved, u, sizeof moved);
                    y.u = moved;
                    *(by < FF_BY_LOAD           ? &y.v[by]
                      : by == FF_BY_LOAD        ? &y.load
                      : by == FF_BY_GRADE       ? &y.grade
                      : by == FF_BY_GRADE_SLOPE ? &y.grade_slope
                      : by == FF_BY_DEPTH       ? &y.z
                      : by == FF_BY_DEPTH_RATE  ? &y.zdot
                                                : &moved[by - FF_BY_U]) += step;
                    y.ratio = y.load / y.grade;
                    f[side] = ff_friction_at(&a, &y, rates[side]);
                }
                if ((f[0].excess > 0) != slips || (f[1].excess > 0) != slips ||
                    fabs(speed - v0) <= 2 * h) {
                    continue;
                }
                /* the difference is accurate to (h/scale)^2 = 1e-10 and to rounding over h */
                double force = sqrt(dot(f[1].force, f[1].force));
                force += law->cone ? q.load * law->cone(&a) : 0;
                double flow = speed + sqrt(dot(rates[1], rates[1]));
                flow += beta > 0 ? stretch / beta : 0;
                double norm[2] = {0};
                for (int row = 0; row < 3; row++) {
                    int first = by < FF_BY_LOAD ? FF_BY_V : by < FF_BY_U ? by : FF_BY_U;
                    for (int c = first;
                         c < (by >= FF_BY_LOAD && by < FF_BY_U ? first + 1 : first + 3); c++) {
                        norm[0] += fabs(m[row * columns + c]);
                        norm[1] += states ? fabs(m[(FF_OF_U_RATES + row) * columns + c]) : 0;
                    }
                }
                for (int row = 0; row < 3; row++) {
                    assert_near((f[1].force[row] - f[0].force[row]) / (2 * h),
                                m[row * columns + by], 1e-8 * norm[0] + 1e-14 * force / h);
                    if (states) {
                        assert_near((rates[1][row] - rates[0][row]) / (2 * h),
                                    m[(FF_OF_U_RATES + row) * columns + by],
                                    1e-8 * norm[1] + 1e-14 * flow / h);
                    }
                }
                double lift = m[FF_OF_LIFT * columns + by];
                assert_near((f[1].lift - f[0].lift) / (2 * h), lift,
                            1e-8 * fabs(lift) + 1e-14 * fabs(f[1].lift) / h);
            }
        }
    }
}

/* the closed-form error of `excess`, compared with differences in a copy of the law without the closed form */
static void test_errors_of_excess(void **state) {
    (void)state;
    const ff_friction_law *f;
    for (size_t i = 0; (f = ff_friction_law_at(i)); i++) {
        if (f->vectors > 1) {
            continue; /* test_bed.c */
        }
        for (int turn = 0; turn < 200 && f->excess_error; turn++) {
            ff_friction a = draw_friction(f), b = a;
            ff_friction_law without = *f;
            without.excess_error = NULL;
            b.law = &without;
            double u[3];
            ff_friction_query q = draw_query(&a, u);
            q.grade_slope = 0;
            for (int by = 0; by < 3; by++) {
                double closed = ff_friction_excess_error(&a, &q, by == 0, by == 1, by == 2);
                double other = ff_friction_excess_error(&b, &q, by == 0, by == 1, by == 2);
                /* by differences to the rounding of `excess` over their step */
                double size = fabs(ff_friction_at(&a, &q, NULL).excess),
                       of[] = {q.load, 1e-3, 1e-9};
                double rough = 1e-9 * size / of[by];
                /* the sum over components of a unit vector is at most sqrt(3) */
                assert_true(other <= 1.74 * closed + rough);
                assert_true(by > 0 || other >= 0.999 * closed - rough);
            }
        }
    }
}

/* ---- user-defined laws ---- */

/* two vectors: f = -c (v + u + 2 w), u' = v, w' = -u */
static void two_vectors(const ff_friction *law, const ff_friction_query *q,
                        ff_friction_answer *out) {
    for (int c = 0; c < 3; c++) {
        out->force[c] = -law->numbers[0] * (q->v[c] + q->u[c] + 2 * q->u[3 + c]);
        out->rate[c] = q->v[c];
        out->rate[3 + c] = -q->u[c];
    }
}

static double two_vectors_stored(const ff_friction *law, double level, const double *u) {
    (void)law, (void)level;
    return dot(u, u) + dot(u + 3, u + 3);
}

static void own_slide(const ff_friction *law, const ff_friction_query *q, ff_friction_answer *out) {
    for (int c = 0; c < 3; c++) {
        out->force[c] = -law->numbers[0] * q->v[c];
    }
}

static const char *own_derive(ff_friction *law) {
    law->numbers[0] = law->values[0];
    return law->values[0] == 13 ? "c must not be 13" : NULL;
}

static const ff_friction_law slide_law = {
    .abi = FF_LAW_ABI,
    .name = "own-slide",
    .formula = "f = -c v",
    .source = "test",
    .limits = "none",
    .params = {{"c", "N s/m", 0, INFINITY, 3, "damping", NULL}},
    .derive = own_derive,
    .respond = own_slide,
};

static void test_a_callers_own_friction(void **state) {
    (void)state;
    ff_friction a;
    ff_error error;
    assert_int_equal(ff_friction_make(&a, &slide_law, (double[]){13}, &error), FF_BAD_VALUE);
    assert_string_equal(error.text, "c must not be 13");
    assert_int_equal(ff_friction_make(&a, &slide_law, (double[]){NAN}, NULL), FF_OK);
    double load[2] = {1, 1}, v[6] = {1, 2, 3, 4, 5, 6}, f[6], w[4][2];
    ff_friction_batch b = {.count = 2,
                           .stride = 2,
                           .load = load,
                           .v = v,
                           .force = f,
                           .lift = w[0],
                           .damper = w[1],
                           .slip = w[2],
                           .viscous = w[3]};
    a.kernels->respond(&a, &b);
    assert_true(f[0] == -3 && f[5] == -18);
    ff_friction_query q = {.v = {1, 0, 0}};
    assert_true(ff_friction_at(&a, &q, NULL).force[0] == -3);
    double m[FF_OF_U_RATES * FF_BY_U];
    ff_friction_slopes_at(&a, &q, m);
    assert_close(m[0], -3, 1e-9);
    assert_true(m[FF_BY_LOAD] == 0 && ff_friction_stored(&a, &q) == 0);
    double force[2], lost[FF_LOSSES];
    ff_friction_flat_of(&a, 2)(&a, 1, v, NULL, force, NULL, lost);
    assert_true(force[0] == -3 && force[1] == -6 && lost[0] == 0);

    /* two vectors: in batches, singly, in a plane */
    ff_friction_law own = slide_law;
    own.respond = two_vectors;
    own.stored = two_vectors_stored;
    own.vectors = 2;
    assert_int_equal(ff_friction_make(&a, &own, (double[]){1}, NULL), FF_OK);
    double u[12], rate[12];
    for (int i = 0; i < 12; i++) {
        u[i] = 10 + i;
    }
    b.u = u;
    b.rate = rate;
    a.kernels->respond(&a, &b);
    for (int c = 0; c < 3; c++) {
        for (int j = 0; j < 2; j++) {
            assert_true(f[2 * c + j] == -(v[2 * c + j] + u[2 * c + j] + 2 * u[6 + 2 * c + j]));
            assert_true(rate[2 * c + j] == v[2 * c + j]);
            assert_true(rate[6 + 2 * c + j] == -u[2 * c + j]);
        }
    }
    q.u = u;
    /* unrequested rates are not written */
    assert_true(ff_friction_at(&a, &q, NULL).force[0] == -(1 + 10 + 2 * 13));
    assert_null(ff_friction_at(&a, &q, NULL).rate);
    ff_friction_flat_of(&a, 2)(&a, 1, v, u, force, rate, NULL);
    assert_true(force[1] == -(2 + 11 + 2 * 13) && rate[3] == -11);
}

/* the force of one contact for another simulator's loop equals the two laws, one after the other */
static void test_contact_force(void **state) {
    (void)state;
    ff_normal a = NORMAL("azad-featherstone", 8.5e6, 3.1e3, NAN, NAN);
    ff_friction b = FRICTION("clutch", 0.2, 12.75e6, 3.1e3, 0.1, 1, NAN, NAN);
    const double u[3] = {1e-5, 2e-5, 0};
    double rate[3], want_rate[3];
    ff_contact_query q = {.depth = 5e-4, .rate = 0.2, .slip = {0.3, -0.1, 0}, .u = u};
    ff_contact_answer out = {.u_rate = rate};
    ff_contact_force(&a, &b, &q, &out);
    ff_normal_answer n = ff_normal_at(&a, 5e-4, 0.2, NULL, NULL);
    ff_friction_query slide = {.z = 5e-4,
                               .zdot = 0.2,
                               .load = n.force,
                               .grade = n.grade,
                               .grade_slope = n.grade_slope,
                               .ratio = n.ratio,
                               .v = {0.3, -0.1, 0},
                               .u = u};
    ff_friction_answer f = ff_friction_at(&b, &slide, want_rate);
    assert_true(f.lift > 0 && out.normal == n.force + f.lift && out.slips == (f.excess > 0));
    assert_memory_equal(out.friction, f.force, sizeof f.force);
    assert_memory_equal(rate, want_rate, sizeof rate);
    assert_true(out.loss == n.loss + (f.damper + f.slip + f.viscous));
    assert_true(out.stored ==
                ff_normal_stored(&a, 5e-4, 0.2, NULL) + ff_friction_stored(&b, &slide));
    /* and no force in the air */
    q.depth = -1e-6;
    ff_contact_force(&a, &b, &q, &out);
    assert_true(out.normal == 0 && out.friction[0] == 0 && out.stored == 0 && rate[0] == 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_width_gives_the_same_bits_friction),
    cmocka_unit_test(test_pairs_give_the_same_bits),
    cmocka_unit_test(test_power_balance_of_friction_laws),
    cmocka_unit_test(test_friction_is_bounded),
    cmocka_unit_test(test_line_and_plane),
    cmocka_unit_test(test_clutch_solves_its_implicit_equation),
    cmocka_unit_test(test_clutch_is_regular_at_zero_depth),
    cmocka_unit_test(test_no_load_slips),
    cmocka_unit_test(test_options_of_the_clutch),
    cmocka_unit_test(test_relaxing),
    cmocka_unit_test(test_partial_derivatives_of_friction_laws),
    cmocka_unit_test(test_errors_of_excess),
    cmocka_unit_test(test_a_callers_own_friction),
    cmocka_unit_test(test_contact_force),
};

CHECK_MAIN(tests)
