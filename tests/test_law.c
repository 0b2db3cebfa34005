/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "law/kernels.h"
#include "law/params.h"
#include "law/sizes.h"
#include "laws.h"

/* ---- the tables ---- */

static void check_params(const ff_param *params) {
    for (const ff_param *p = params; p->name; p++) {
        assert_true(p->least < p->most && strlen(p->meaning) > 3);
        assert_true((p->unit == NULL) == (p->words != NULL));
        size_t words = 0;
        while (p->words && p->words[words]) {
            words++;
        }
        assert_true(!p->words || (p->least == 0 && p->most == (double)words - 1));
    }
}

static void test_tables_are_complete(void **state) {
    (void)state;
    const ff_normal_law *n;
    const ff_friction_law *f;
    for (size_t i = 0; (n = ff_normal_law_at(i)); i++) {
        assert_int_equal(n->abi, FF_LAW_ABI);
        assert_ptr_equal(ff_normal_law_find(n->name), n);
        assert_true(strlen(n->formula) > 3 && strlen(n->source) > 3 && strlen(n->limits) > 3);
        assert_non_null(n->stored);
        check_params(n->params);
    }
    assert_null(ff_normal_law_find("no such law"));
    for (size_t i = 0; (f = ff_friction_law_at(i)); i++) {
        assert_int_equal(f->abi, FF_LAW_ABI);
        assert_ptr_equal(ff_friction_law_find(f->name), f);
        assert_true(strlen(f->formula) > 3 && strlen(f->limits) > 3);
        assert_true((f->form || f->respond) && (f->vectors == 0 || f->stored));
        check_params(f->params);
    }
    assert_null(ff_friction_law_find("no such law"));
}

static void test_parameters_are_checked(void **state) {
    (void)state;
    const ff_normal_law *law = ff_normal_law_find("azad-featherstone");
    ff_normal out;
    ff_error error;
    ff_power power;
    assert_int_equal(ff_normal_make(&out, law, (double[]){NAN, 1, NAN, NAN}, &error), FF_MISSING);
    assert_non_null(strstr(error.text, "needs k"));
    assert_int_equal(ff_normal_make(&out, law, (double[]){-1, 1, NAN, NAN}, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "> 0"));
    assert_int_equal(ff_normal_make(&out, law, (double[]){0, 1, NAN, NAN}, &error), FF_BAD_VALUE);
    assert_int_equal(ff_normal_make(&out, law, (double[]){INFINITY, 1, NAN, NAN}, &error),
                     FF_BAD_VALUE);
    assert_int_equal(ff_normal_make(&out, law, (double[]){1, 1, NAN, 3}, &error), FF_BAD_VALUE);
    /* an explicit -1 is not the marker of a derived value */
    assert_int_equal(ff_normal_make(&out, law, (double[]){1, 1, -1, NAN}, &error), FF_BAD_VALUE);
    assert_int_equal(ff_normal_make(&out, law, (double[]){1, 2, NAN, NAN}, NULL), FF_OK);
    assert_true(ff_normal_power(&out, 1, &power) && power.lambda_out == 2 && power.clamps);
    assert_true(out.clamps && out.damped && ff_normal_value(&out, "lambda_out") == 2);
    assert_true(ff_normal_value(&out, "k") == 1 && isnan(ff_normal_value(&out, "mu")));
    assert_int_equal(ff_normal_make(&out, law, (double[]){1, 2, 3, 1}, NULL), FF_OK);
    assert_true(ff_normal_power(&out, 1, &power) && power.lambda_out == 3 && !power.clamps);
    assert_true(!out.clamps && ff_normal_value(&out, "lambda_out") == 3);
    assert_int_equal(ff_normal_make(&out, law, (double[]){1, 0, NAN, NAN}, NULL), FF_OK);
    assert_true(!out.damped);
    law = ff_normal_law_find("xiong");
    assert_int_equal(ff_normal_make(&out, law, (double[]){1, 2, 1}, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "beta"));
    assert_int_equal(
        ff_normal_make(&out, ff_normal_law_find("two-term"), (double[]){1, 2, 1, 2, NAN}, &error),
        FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "n2"));
    ff_normal_law old = *law;
    old.abi = FF_LAW_ABI + 1;
    assert_int_equal(ff_normal_make(&out, &old, (double[]){1, 1, 2}, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "ABI"));
    ff_friction slide;
    assert_int_equal(ff_friction_make(&slide, ff_friction_law_find("clutch"),
                                      (double[]){0.2, 1, 0, NAN, NAN, NAN, NAN}, &error),
                     FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "damping"));
    slide = FRICTION("dahl", 0.2, 100);
    assert_true(ff_friction_value(&slide, "k") == 100 && isnan(ff_friction_value(&slide, "e")));
}

static void test_every_status_has_a_text(void **state) {
    (void)state;
#define CHECK_TEXT(name, value, text) assert_string_equal(ff_status_text(name), text);
    FF_STATUS_LIST(CHECK_TEXT)
    assert_string_equal(ff_status_text((ff_status)77), "unknown status");
}

/* ---- normal laws ---- */

/* F = max(0 or nothing, k z^n + lambda z^p zdot) written plainly, with the numbers of the power-law view, compared
 * with the factored kernels */
static void test_forces_are_the_formulas(void **state) {
    (void)state;
    const ff_normal_law *law;
    int views = 0;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        for (int turn = 0; turn < 2000; turn++) {
            ff_normal a = draw_normal(law);
            ff_power w;
            double z = log_uniform(1e-9, 1e-1), v = uniform(-3, 3), speed = log_uniform(1e-5, 10);
            double inner[1] = {0};
            ff_normal_touch(&a, speed, inner);
            if (!ff_normal_power(&a, speed, &w)) {
                continue;
            }
            views++;
            double lambda = v < 0 ? w.lambda_out : w.lambda;
            double spring = w.k * pow(z, w.n), damper = lambda * pow(z, w.p) * v;
            double least = w.clamps ? 0 : -(double)INFINITY;
            /* rounding of a few operations on the two terms, which may cancel */
            double tolerance = 1e-14 * (spring + fabs(damper));
            assert_near(ff_normal_force(&a, z, v, inner), fmax(least, spring + damper), tolerance);
            assert_true(ff_normal_force(&a, -z, v, inner) == 0);
            /* and without the clamp */
            ff_normal_answer open = {0};
            a.respond(&a, &(ff_normal_query){z, v, inner, true}, &open);
            assert_near(open.force, spring + damper, tolerance);
            assert_near(open.loss, damper * v, tolerance * fabs(v));
        }
    }
    assert_true(views > 10 * 2000);
}

/* zdot^q has the sign of zdot (Azad and Featherstone 2010, eq. 1) */
static void test_general_has_a_power_of_the_rate(void **state) {
    (void)state;
    for (int turn = 0; turn < 2000; turn++) {
        double k = log_uniform(1, 1e6), lambda = log_uniform(1, 1e6), n = uniform(1, 3);
        double p = uniform(0, 3), q = uniform(1, 3), out = log_uniform(1, 1e6);
        ff_normal a = NORMAL("general", k, lambda, n, p, out, 0, q);
        double z = log_uniform(1e-6, 1e-1), v = uniform(-3, 3);
        double spring = k * pow(z, n), damper = pow(z, p) * pow(fabs(v), q);
        damper *= v < 0 ? -out : lambda;
        assert_near(ff_normal_force(&a, z, v, NULL), fmax(0, spring + damper),
                    1e-14 * (spring + fabs(damper)));
        ff_power power;
        assert_false(ff_normal_power(&a, 1, &power));
        assert_int_equal(ff_normal_set_power(&a, 1, 1, 1), FF_BAD_VALUE);
        /* with q = 1, given or by default, it is the law without q, to the last bit */
        ff_normal b = NORMAL("general", k, lambda, n, p, out, 0, 1);
        ff_normal c = NORMAL("general", k, lambda, n, p, out, 0, NAN);
        assert_true(ff_normal_force(&b, z, v, NULL) == ff_normal_force(&c, z, v, NULL));
    }
}

/* two springs, and a damper proportional to their force */
static void test_two_term(void **state) {
    (void)state;
    for (int turn = 0; turn < 2000; turn++) {
        double k = log_uniform(1, 1e6), n = uniform(1, 3), k2 = log_uniform(1, 1e6);
        double n2 = uniform(n + 1e-3, 6), chi = log_uniform(1e-3, 10);
        ff_normal a = NORMAL("two-term", k, n, k2, n2, chi);
        double z = log_uniform(1e-6, 1e-1), v = uniform(-3, 3);
        double spring = k * pow(z, n) + k2 * pow(z, n2), damper = fmax(chi * v, -1);
        ff_normal_answer at = ff_normal_at(&a, z, v, NULL, NULL);
        assert_near(at.force, spring * (1 + damper), 1e-14 * spring * (1 + fabs(damper)));
        assert_near(at.loss, spring * damper * v, 1e-14 * spring * (1 + fabs(damper)) * fabs(v));
        assert_close(ff_normal_stored(&a, z, v, NULL),
                     k * pow(z, n + 1) / (n + 1) + k2 * pow(z, n2 + 1) / (n2 + 1), 1e-14);
        assert_true((at.hold > 0) == (at.force > 0));
    }
    ff_normal a = NORMAL("two-term", 1e6, NAN, 1e9, NAN, NAN);
    assert_true(!a.damped && ff_normal_force(&a, 0, 1, NULL) == 0);
}

/* e' = max(-e/beta, (z - e)/alpha), F = K (e + beta e') */
static void test_xiong(void **state) {
    (void)state;
    for (int turn = 0; turn < 2000; turn++) {
        double K = log_uniform(1, 1e6), beta = log_uniform(1e-4, 1),
               alpha = uniform(0.01, 1) * beta;
        ff_normal a = NORMAL("xiong", K, alpha, beta);
        double z = uniform(-1e-2, 1e-2), w = uniform(0, 1e-2), rate, gap_rate;
        ff_normal_answer at = ff_normal_at(&a, z, 1, &w, &rate);
        double want = fmax(-w / beta, (z - w) / alpha);
        assert_near(rate, want, 1e-15 * (fabs(z) + w) / alpha);
        assert_near(at.force, K * (w + beta * want),
                    1e-14 * K * (w + beta * (w + fabs(z)) / alpha));
        double gap = a.law->gap(&a, &(ff_normal_query){z, 1, &w, false}, &gap_rate);
        assert_true((gap > 0) == (at.force > 0) || fabs(gap) < 1e-15);
        assert_near(gap_rate, 1 - rate * (1 - alpha / beta), 1e-14 * (1 + fabs(rate)));
        double later = w;
        a.law->rest(&a, beta, &later);
        assert_close(later, w * exp(-1), 1e-15);
    }
}

static void test_named_damping(void **state) {
    (void)state;
    ff_power power;
    ff_normal a = NORMAL("marhefka-orin", 50e3, 0.4, NAN, NAN);
    assert_true(ff_normal_power(&a, 1, &power) && power.n == 1 && power.p == 1);
    assert_near(power.lambda, 1.5 * 0.4 * 50e3, 1e-9);
    a = NORMAL("lankarani-nikravesh", 1e6, 0.7, NAN, NAN, NAN);
    ff_normal b = NORMAL("flores", 1e6, 0.7, NAN, NAN, NAN);
    double z = 1e-3, v = 0.3, latched = 0, least = 0;
    ff_normal_touch(&a, 0.5, &latched);
    ff_normal_touch(&a, 1e-9, &least);
    assert_true(latched == 0.5 && least == ff_normal_value(&a, "v_min"));
    assert_close(ff_normal_force(&a, z, v, &latched),
                 1e6 * pow(z, 1.5) * (1 + 0.75 * (1 - 0.49) * v / 0.5), 1e-14);
    assert_close(ff_normal_force(&b, z, v, &latched),
                 1e6 * pow(z, 1.5) * (1 + 1.6 * 0.3 / 0.7 * v / 0.5), 1e-14);
}

static void test_force_is_continuous_at_touch_down(void **state) {
    (void)state;
    const ff_normal_law *law;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        for (int turn = 0; turn < 500; turn++) {
            ff_normal a = draw_normal(law);
            ff_power power = {.k = 0};
            double v = uniform(0, 3), inner = 0;
            ff_normal_touch(&a, v, &inner);
            bool view = ff_normal_power(&a, v, &power);
            double before = ff_normal_force(&a, -1e-300, v, &inner);
            double after = ff_normal_force(&a, 0, v, &inner);
            if (a.adhesion > 0) {
                continue; /* adhesive contacts begin with a pull: test_adhesion.c */
            }
            assert_true(before == 0);
            if (view && power.p == 0) {
                /* the known jump */
                assert_close(after, power.lambda * v, 1e-15);
            } else {
                assert_true(after == 0);
                /* and no jump right after it: z^p of the smallest depths tends to 0 */
                double slope = ff_normal_force(&a, 1e-40, v, &inner) / (power.k + power.lambda + 1);
                assert_true(!view || slope < 1e-40 + pow(1e-40, power.p) * v * 1e3);
            }
        }
    }
    /* very different exponents and strong damping: no 0 times infinity at z = 0 */
    ff_normal a = NORMAL("general", 1e6, 1e15, 3, 0, NAN, NAN, NAN);
    ff_normal_answer at = ff_normal_at(&a, 0, 1, NULL, NULL);
    assert_true(isfinite(at.force) && isfinite(at.loss) && isfinite(at.ratio));
    a = NORMAL("general", 1e6, 1e15, 3, 0, NAN, NAN, 3);
    at = ff_normal_at(&a, 0, -100, NULL, NULL);
    assert_true(at.force == 0 && at.loss == 0 && isfinite(at.hold));
}

static void test_force_never_pulls_under_clamp(void **state) {
    (void)state;
    const ff_normal_law *law;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        bool pulls = false, tears = false;
        for (int turn = 0; turn < 2000; turn++) {
            ff_normal a = draw_normal(law);
            double z = log_uniform(1e-9, 1e-1), v = uniform(-30, 3), inner = log_uniform(1e-5, 10);
            ff_normal_answer at = ff_normal_at(&a, z, v, &inner, NULL);
            assert_true(!a.clamps || at.force >= 0);
            assert_true(!a.clamps || (at.hold > 0) == (at.force > 0));
            pulls = pulls || at.force < 0;
            tears = tears || (!a.clamps && a.damped);
        }
        /* and under tension nothing is clamped */
        assert_true(pulls == tears);
    }
}

/* F zdot = d(stored)/dt + loss along any motion z(t): the derivative of the stored energy by a central difference,
 * with an error of order h^2 */
static void test_power_balance_of_normal_laws(void **state) {
    (void)state;
    const ff_normal_law *law;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        for (int turn = 0; turn < 2000; turn++) {
            ff_normal a = draw_normal(law);
            double z = log_uniform(1e-5, 1e-1), v = uniform(-3, 3), w = draw_state(&a, z);
            double alpha = normal_value(&a, "beta") > 0 ? normal_value(&a, "alpha") : 1, rate = 0;
            ff_normal_answer at = ff_normal_at(&a, z, v, &w, &rate);
            assert_true(at.loss >= 0);
            assert_near(at.force, ff_normal_force(&a, z, v, &w), 0);
            double h = 1e-5 * fmin(z / fmax(fabs(v), 1e-3), alpha);
            double next[2] = {w + h * rate, w - h * rate};
            double up = ff_normal_stored(&a, z + h * v, v, &next[0]);
            double down = ff_normal_stored(&a, z - h * v, v, &next[1]);
            /* skip changes of mode within the difference */
            if ((ff_normal_force(&a, z + h * v, v, &next[0]) > 0) !=
                (ff_normal_force(&a, z - h * v, v, &next[1]) > 0)) {
                continue;
            }
            double stored = (up - down) / (2 * h);
            double scale = fabs(at.force * v) + at.loss + fabs(stored) + fabs(up) * 1e-11 / h;
            /* adhesive laws store energy at z = 0 too, whose rounding enters the difference */
            scale += a.adhesion > 0 ? 3e-7 * fabs(up) / h : 0;
            assert_near(at.force * v, stored + at.loss, 1e-8 * scale);
        }
    }
}

/* partial derivatives compared with central differences; the step is 1e-6 of the depth or speed, so the difference
 * is accurate to 1e-9 of the terms, and to 1e-5 if the table itself uses differences */
static void test_partial_derivatives_of_normal_laws(void **state) {
    (void)state;
    const ff_normal_law *law;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        for (int turn = 0; turn < 2000; turn++) {
            ff_normal a = draw_normal(law);
            double z = log_uniform(1e-5, 1e-1), v = uniform(-3, 3), x[3] = {z, v, 0};
            x[2] = a.law->touch ? log_uniform(1e-2, 10) : log_uniform(1e-4, 0.1) * z;
            const int columns = FF_BY_STATES + a.states;
            double m[5 * 3];
            assert_true(ff_normal_slope_size(&a) <= ROWS(m));
            ff_normal_slopes_at(&a, &(ff_normal_query){z, v, &x[2], false}, m);
            ff_normal_answer at = ff_normal_at(&a, z, v, &x[2], NULL);
            double mean = a.law->slopes ? 1e-8 : 1e-5;
            double v_min = normal_value(&a, "v_min"), alpha = normal_value(&a, "alpha");
            for (int by = 0; by < columns; by++) {
                double h = 1e-6 * fabs(x[by]), rates[2] = {0};
                ff_normal_answer f[2];
                for (int side = 0; side < 2; side++) {
                    double y[3] = {x[0], x[1], x[2]};
                    y[by] += side ? h : -h;
                    f[side] = ff_normal_at(&a, y[0], y[1], &y[2], &rates[side]);
                }
                if ((f[0].force == 0) != (at.force == 0) || (f[1].force == 0) != (at.force == 0) ||
                    (a.law->touch && fabs(x[2] - v_min) < 2e-6 * x[2])) {
                    continue; /* a kink */
                }
                ff_normal_answer open = {0};
                a.respond(&a, &(ff_normal_query){z, v, &x[2], true}, &open);
                double size = fabs(at.force) + fabs(open.force) + a.adhesion +
                              fabs(ff_normal_force(&a, z, 0, &x[2])) * (a.damped ? 1 + fabs(v) : 1);
                double terms = size + fabs(open.loss / v);
                if (alpha > 0 && a.law->gap) {
                    terms =
                        normal_value(&a, "K") * normal_value(&a, "beta") / alpha * (z + fabs(x[2]));
                    /* piecewise linear: only the rounding of z/alpha and w/alpha over the step */
                    double round = 1e-15 * (z + x[2]) / alpha;
                    assert_near((rates[1] - rates[0]) / (2 * h), m[FF_OF_RATES * columns + by],
                                round / h + mean * fabs(m[FF_OF_RATES * columns + by]));
                }
                assert_near((f[1].force - f[0].force) / 2 / 1e-6, m[by] * fabs(x[by]),
                            mean * terms);
                double grade = (f[1].grade - f[0].grade) / (2 * h);
                assert_near(grade, m[FF_OF_GRADE * columns + by],
                            mean * (1 + at.grade) / fabs(x[by]));
                double bend = (f[1].grade_slope - f[0].grade_slope) / (2 * h);
                assert_near(bend, m[FF_OF_GRADE_SLOPE * columns + by],
                            10 * mean * (1 + at.grade_slope) / fabs(x[by]));
                if (by == FF_BY_Z) {
                    assert_near(grade, at.grade_slope, 1e-8 * (1 + at.grade / z));
                }
            }
        }
    }
}

static void test_derivatives_stay_finite_at_touch_down(void **state) {
    (void)state;
    ff_normal a = NORMAL("azad-featherstone", 1e6, 1e3, NAN, NAN);
    double at[6], floor[6];
    ff_normal_slopes_at(&a, &(ff_normal_query){0, 1, NULL, false}, at);
    ff_normal_slopes_at(&a, &(ff_normal_query){FF_DEPTH_FLOOR, 1, NULL, false}, floor);
    assert_true(isfinite(at[FF_BY_Z]) && at[FF_BY_Z] == floor[FF_BY_Z] && at[FF_BY_Z] > 0);
    assert_true(isfinite(at[2 * FF_OF_GRADE + FF_BY_Z]) &&
                at[2 * FF_OF_GRADE + FF_BY_Z] == floor[2 * FF_OF_GRADE + FF_BY_Z]);
    assert_true(isfinite(ff_normal_at(&a, 0, 1, NULL, NULL).grade_slope));
}

/* force = grade * ratio with ratio finite at z = 0: k z + lambda zdot for p = n - 1 */
static void test_ratio_has_the_root_cancelled(void **state) {
    (void)state;
    ff_normal a = NORMAL("azad-featherstone", 8.5e6, 3.1e3, NAN, NAN);
    ff_normal_answer at = ff_normal_at(&a, 0, 1.4, NULL, NULL);
    assert_true(at.grade == 0 && at.force == 0 && at.ratio == 3.1e3 * 1.4);
    at = ff_normal_at(&a, 1e-4, 0.3, NULL, NULL);
    assert_close(at.grade, sqrt(1e-4), 1e-15);
    assert_close(at.grade * at.ratio, at.force, 1e-15);
}

/* the force on the recovering ground is 0: k z^n + lambda z^p z'^q + push = 0, and the loss is the power of spring
 * and push */
static void test_recovery(void **state) {
    (void)state;
    const ff_normal_law *law;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        for (int turn = 0; turn < 500 && law->recover; turn++) {
            ff_normal a = draw_normal(law);
            double z = log_uniform(1e-6, 1e-2), loss, push = turn % 2 ? log_uniform(1e-3, 1e3) : 0;
            double rate = law->recover(&a, z, push, &loss);
            if (!a.damped || !isfinite(rate)) {
                continue;
            }
            ff_normal_answer open = {0};
            a.respond(&a, &(ff_normal_query){z, rate, NULL, true}, &open);
            double spring = ff_normal_force(&a, z, 0, NULL);
            assert_near(open.force + push, 0, 1e-13 * (spring + push));
            assert_close(loss, -(spring + push) * rate, 1e-13);
        }
    }
}

/* ---- other parameters for the same law ---- */

static void test_power_can_be_chosen(void **state) {
    (void)state;
    const ff_normal_law *law;
    int chosen = 0;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        for (int turn = 0; turn < 200; turn++) {
            ff_normal a = draw_normal(law), b = a;
            ff_power was, now;
            if (!ff_normal_power(&a, 1, &was)) {
                assert_int_equal(ff_normal_set_power(&b, 1, 1, 1), FF_BAD_VALUE);
                continue;
            }
            /* every law accepts another stiffness at the same ratio of damping */
            double factor = log_uniform(1e-2, 1e2);
            assert_int_equal(ff_normal_set_power(&b, was.k * factor, was.lambda * factor,
                                                 was.lambda_out * factor),
                             FF_OK);
            assert_true(ff_normal_power(&b, 1, &now));
            assert_close(now.k, was.k * factor, 1e-15);
            assert_close(now.lambda, was.lambda * factor, 1e-14);
            assert_close(now.lambda_out, was.lambda_out * factor, 1e-14);
            assert_true(now.n == was.n && now.p == was.p && now.clamps == was.clamps);
            /* and laws with a damping parameter accept any damping */
            bool free = !isnan(ff_normal_value(&a, "lambda_out"));
            ff_status status = ff_normal_set_power(&b, 3, 5, 7);
            assert_int_equal(status, free ? FF_OK : FF_BAD_VALUE);
            if (free) {
                assert_true(ff_normal_power(&b, 1, &now) && now.k == 3 && now.lambda == 5 &&
                            now.lambda_out == 7);
                assert_int_equal(ff_normal_set_power(&b, 3, 5, 5), FF_OK);
                assert_true(ff_normal_value(&b, "lambda_out") == 5);
                chosen++;
            }
        }
    }
    assert_true(chosen > 6 * 200);
    /* a law without damping cannot be given one */
    ff_normal a = NORMAL("hertz", 1e6, NAN);
    assert_int_equal(ff_normal_set_power(&a, 1e6, 0, 1), FF_BAD_VALUE);
    assert_int_equal(ff_normal_set_power(&a, 2e6, 0, 0), FF_OK);
    assert_true(ff_normal_value(&a, "k") == 2e6);
}

/* parameters that the table derives from the bodies if they are not given */
static void test_surroundings(void **state) {
    (void)state;
    const ff_surroundings with = {
        .modulus = 1e9, .radius = 0.04, .lambda_star = 10, .k = 8, .lambda = 3};
    const double hertz = ff_hertz_k(1e9, 0.04);
    static const struct {
        const char *law;
        double given[FF_LAW_PARAMS];
        bool k;
    } rows[] = {{"azad-featherstone", {NAN, 1, NAN, NAN}, true},
                {"hertz", {NAN, NAN}, true},
                {"hertz", {NAN, 1.5}, true},
                {"hertz", {NAN, 2}, false},
                {"hertz", {7, NAN}, false},
                {"hunt-crossley", {NAN, 1, NAN}, true},
                {"hunt-crossley", {NAN, 1, 1.2}, false},
                {"marhefka-orin", {NAN, 1, NAN}, false},
                {"marhefka-orin", {NAN, 1, 1.5}, true},
                {"lee-wang", {NAN, 1}, true},
                {"tsuji", {NAN, 1}, true},
                {"flores", {NAN, 0.5, NAN}, true},
                {"lankarani-nikravesh", {NAN, 0.5, 2}, false},
                {"general", {NAN, 1, 1.5}, true},
                {"general", {NAN, 1, 2}, false}};
    for (size_t i = 0; i < ROWS(rows); i++) {
        double values[FF_LAW_PARAMS];
        memcpy(values, rows[i].given, sizeof values);
        ff_normal_law_find(rows[i].law)->surround(&with, values);
        bool same = values[0] == rows[i].given[0] || (isnan(values[0]) && isnan(rows[i].given[0]));
        assert_holds(rows[i].k ? values[0] == hertz : same, "row %zu: k is %g", i, values[0]);
    }
    double values[FF_LAW_PARAMS] = {1, NAN, NAN, NAN};
    ff_normal_law_find("azad-featherstone")->surround(&with, values);
    assert_true(values[0] == 1 && values[1] == 2 && isnan(values[2]));
    assert_null(ff_normal_law_find("linear")->surround);
    double grip[FF_LAW_PARAMS] = {0.2, NAN, NAN, NAN};
    ff_friction_law_find("clutch")->surround(&with, grip);
    assert_true(grip[0] == 0.2 && grip[1] == 12 && grip[2] == 3 && isnan(grip[3]));
}

/* ---- one arithmetic for all lane widths ---- */

enum { COUNT = 37, STRIDE = 41 }; /* not a multiple of any width */

static void test_every_width_gives_the_same_bits_normal(void **state) {
    (void)state;
    const ff_normal_law *law;
    int lanes = 0;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        for (int turn = 0; turn < 50; turn++) {
            ff_normal a = draw_normal(law);
            double z[COUNT], v[COUNT], w[STRIDE];
            for (int j = 0; j < COUNT; j++) {
                z[j] = j % 7 == 0 ? 0 : uniform(-1e-3, 1e-2);
                v[j] = uniform(-3, 3);
                w[j] = log_uniform(1e-4, 1);
            }
            enum { FORCE, LOSS, RATE, GRADE, RATIO, SLOPE, OUT };
            double want[OUT][STRIDE] = {{0}}, seen[OUT][STRIDE], force[COUNT];
            for (int j = 0; j < COUNT; j++) {
                ff_normal_answer at = ff_normal_at(&a, z[j], v[j], &w[j], &want[RATE][j]);
                want[FORCE][j] = at.force;
                want[LOSS][j] = at.loss;
                want[GRADE][j] = at.grade;
                want[RATIO][j] = at.ratio;
                want[SLOPE][j] = at.grade_slope;
            }
            for (size_t set = 0; ff_kernels_name(set, &lanes); set++) {
                memset(seen, 0, sizeof seen);
                ff_normal_use(&a, set);
                a.kernels->respond(&a, &(ff_normal_batch){.count = COUNT,
                                                          .stride = STRIDE,
                                                          .z = z,
                                                          .zdot = v,
                                                          .state = w,
                                                          .force = seen[FORCE],
                                                          .loss = seen[LOSS],
                                                          .rate = seen[RATE],
                                                          .grade = seen[GRADE],
                                                          .ratio = seen[RATIO],
                                                          .grade_slope = seen[SLOPE]});
                a.kernels->force(&a, COUNT, z, v, w, force);
                assert_memory_equal(force, want[FORCE], sizeof force);
                assert_memory_equal(want, seen, sizeof want);
                /* only requested outputs are written */
                memset(seen, 0, sizeof seen);
                a.kernels->respond(&a, &(ff_normal_batch){.count = COUNT,
                                                          .stride = STRIDE,
                                                          .z = z,
                                                          .zdot = v,
                                                          .state = w,
                                                          .force = seen[FORCE],
                                                          .loss = seen[LOSS]});
                assert_memory_equal(want, seen, 2 * sizeof *want);
            }
            double rate[1], loss;
            for (int j = 0; j < COUNT; j++) {
                double push = ff_normal_push_of(&a)(&a, z[j], v[j], &w[j], false, rate, &loss);
                assert_true(push == want[FORCE][j] && loss == want[LOSS][j]);
                assert_true(a.states == 0 || rate[0] == want[RATE][j]);
            }
        }
    }
    assert_true(lanes >= 1 && ff_kernels_best() < FF_KERNEL_SETS);
}

/* the closed-form error of `hold`, compared with differences in a copy of the law without the closed form */
static void test_errors_of_hold(void **state) {
    (void)state;
    const ff_normal_law *n;
    for (size_t i = 0; (n = ff_normal_law_at(i)); i++) {
        for (int turn = 0; turn < 200 && n->hold_error; turn++) {
            ff_normal a = draw_normal(n), b = a;
            ff_normal_law without = *n;
            without.hold_error = NULL;
            b.law = &without;
            double w = log_uniform(1e-3, 1);
            ff_normal_query q = {log_uniform(1e-5, 1e-2), uniform(-1, 1), &w, false};
            /* its derivative by the rate is the slope itself; by differences to the rounding of k z over their
             * step, 6e-6 */
            double closed = ff_normal_hold_error(&a, &q, 0, 1);
            double rough = 1e-10 * ff_normal_hold_error(&a, &q, q.z, 0) / fmax(fabs(q.zdot), 1e-3);
            assert_near(ff_normal_hold_error(&b, &q, 0, 1), closed, 1e-4 * closed + rough);
            assert_true(ff_normal_hold_error(&a, &q, 1, 1) > 0);
        }
    }
}

/* ---- user-defined laws ---- */

static void doubled(const ff_normal *law, const ff_normal_query *q, ff_normal_answer *out) {
    out->force = q->z > 0 ? *(const double *)law->law->user * q->z : 0;
}

static double doubled_stored(const ff_normal *law, double z, double zdot, const double *inner) {
    (void)zdot, (void)inner;
    return z > 0 ? *(const double *)law->law->user * z * z / 2 : 0;
}

static double factor = 2;
static const ff_normal_law doubled_law = {
    .abi = FF_LAW_ABI,
    .name = "own-spring",
    .formula = "F = 2 z",
    .source = "test",
    .limits = "none",
    .params = {{"k", "N/m", 0, INFINITY, 1, "unused", NULL}},
    .respond = doubled,
    .stored = doubled_stored,
    .user = &factor,
};

static void test_a_callers_own_law(void **state) {
    (void)state;
    ff_normal a;
    assert_int_equal(ff_normal_make(&a, &doubled_law, (double[]){NAN}, NULL), FF_OK);
    double z[3] = {-1, 1, 3}, v[3] = {0}, force[3];
    a.kernels->force(&a, 3, z, v, NULL, force);
    assert_true(force[0] == 0 && force[1] == 2 && force[2] == 6);
    assert_true(ff_normal_force(&a, 4, 0, NULL) == 8);
    assert_true(ff_normal_at(&a, 4, 0, NULL, NULL).force == 8);
    assert_true(ff_normal_stored(&a, 4, 0, NULL) == 16);
    double loss[3], rate[3] = {7}, grade[3], ratio[3];
    a.kernels->respond(&a, &(ff_normal_batch){.count = 3,
                                              .stride = 3,
                                              .z = z,
                                              .zdot = v,
                                              .force = force,
                                              .loss = loss,
                                              .rate = rate,
                                              .grade = grade,
                                              .ratio = ratio});
    assert_true(force[2] == 6 && loss[2] == 0 && rate[0] == 7 && grade[1] == 0);
    /* slopes by differences, accurate to the square of their step, 4e-11; and 0 without contact */
    double m[6];
    ff_normal_slopes_at(&a, &(ff_normal_query){1, 0, NULL, false}, m);
    assert_close(m[FF_BY_Z], 2, 1e-10);
    assert_true(m[FF_BY_ZDOT] == 0);
    ff_normal_slopes_at(&a, &(ff_normal_query){-1e-3, 0, NULL, false}, m);
    assert_true(m[FF_BY_Z] == 0);
    assert_close(ff_normal_depth(&a, 4, 3), 4.2426, 2e-3);
    assert_close(ff_normal_speed(&a, 4, 3), sqrt(4.5), 1e-15);
}

/* a law with two internal states, in batches and singly */
static void two_states(const ff_normal *law, const ff_normal_query *q, ff_normal_answer *out) {
    (void)law;
    out->force = q->z + 10 * q->state[0] + 100 * q->state[1];
    if (out->rate) {
        out->rate[0] = q->state[1];
        out->rate[1] = -q->state[0];
    }
}

static void test_own_laws_have_any_number_of_states(void **state) {
    (void)state;
    ff_normal_law own = doubled_law;
    own.respond = two_states;
    own.states = 2;
    ff_normal a;
    assert_int_equal(ff_normal_make(&a, &own, (double[]){NAN}, NULL), FF_OK);
    /* contact j has its states at [j] and [stride + j]; force() takes a stride of count */
    const double z[2] = {1, 2}, v[2] = {0}, w[4] = {3, 4, 5, 6};
    double force[2], loss[2], rate[4];
    a.kernels->force(&a, 2, z, v, w, force);
    assert_true(force[0] == 1 + 30 + 500 && force[1] == 2 + 40 + 600);
    assert_true(ff_normal_force(&a, 1, 0, (double[]){3, 5}) == force[0]);
    a.kernels->respond(&a, &(ff_normal_batch){.count = 2,
                                              .stride = 2,
                                              .z = z,
                                              .zdot = v,
                                              .state = w,
                                              .force = force,
                                              .loss = loss,
                                              .rate = rate});
    assert_true(force[1] == 2 + 40 + 600 && rate[0] == 5 && rate[2] == -3 && rate[3] == -4);
    double m[5 * 4];
    ff_normal_slopes_at(&a, &(ff_normal_query){1, 0, w, false}, m);
    assert_close(m[FF_BY_STATES + 1], 100, 1e-9);
    assert_close(m[(FF_OF_RATES + 1) * 4 + FF_BY_STATES], -1, 1e-9);
}

static void own_slide(const ff_friction *law, const ff_friction_query *q, ff_friction_answer *out) {
    for (int c = 0; c < 3; c++) {
        out->force[c] = -law->values[0] * q->v[c];
    }
}

static const ff_friction_law slide_law = {
    .abi = FF_LAW_ABI,
    .name = "own-slide",
    .formula = "f = -c v",
    .source = "test",
    .limits = "none",
    .params = {{"c", "N s/m", 0, INFINITY, 3, "damping", NULL}},
    .respond = own_slide,
};

static void test_registering(void **state) {
    (void)state;
    ff_error error;
    static ff_normal_law bad;
    bad = doubled_law;
    bad.abi = 1;
    assert_int_equal(ff_law_register(&bad, NULL, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "another version"));
    bad = doubled_law;
    bad.name = "linear";
    assert_int_equal(ff_law_register(&bad, NULL, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "already"));
    bad.name = "Not a name";
    assert_int_equal(ff_law_register(&bad, NULL, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "letters"));
    bad = doubled_law;
    bad.stored = NULL;
    assert_int_equal(ff_law_register(&bad, NULL, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "stored"));
    bad = doubled_law;
    bad.limits = NULL;
    assert_int_equal(ff_law_register(&bad, NULL, NULL), FF_BAD_VALUE);
    bad = doubled_law;
    bad.states = FF_LAW_STATES + 1;
    assert_int_equal(ff_law_register(&bad, NULL, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "states"));
    bad = doubled_law;
    bad.params[0].fallback = -5;
    assert_int_equal(ff_law_register(&bad, NULL, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "default"));
    static const char *const names[] = {"", "9k", "_k", "k 1", "law"};
    for (size_t i = 0; i < ROWS(names); i++) {
        bad = doubled_law;
        bad.params[0].name = names[i];
        assert_int_equal(ff_law_register(&bad, NULL, &error), FF_BAD_VALUE);
        assert_non_null(strstr(error.text, "names of parameters"));
    }
    bad = doubled_law;
    bad.params[0].unit = "furlong";
    assert_int_equal(ff_law_register(&bad, NULL, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "unit"));
    bad = doubled_law;
    bad.params[1] = bad.params[0];
    assert_int_equal(ff_law_register(&bad, NULL, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "same name"));
    bad = doubled_law;
    bad.form = ff_normal_law_find("xiong")->form;
    assert_int_equal(ff_law_register(&bad, NULL, &error), FF_BAD_VALUE);
    static ff_friction_law worse;
    worse = slide_law;
    worse.vectors = 1;
    assert_int_equal(ff_law_register(NULL, &worse, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "stored"));
    /* if one of two laws is invalid, neither is registered */
    assert_int_equal(ff_law_register(&doubled_law, &worse, &error), FF_BAD_VALUE);
    assert_null(ff_normal_law_find("own-spring"));
    size_t count = 0;
    while (ff_normal_law_at(count)) {
        count++;
    }
    assert_int_equal(ff_law_register(&doubled_law, &slide_law, &error), FF_OK);
    assert_ptr_equal(ff_normal_law_find("own-spring"), &doubled_law);
    assert_ptr_equal(ff_friction_law_find("own-slide"), &slide_law);
    assert_ptr_equal(ff_normal_law_at(count), &doubled_law);
    assert_null(ff_normal_law_at(count + 1));
    assert_int_equal(ff_law_register(&doubled_law, NULL, &error), FF_BAD_VALUE);
}

/* ---- materials ---- */

/* Azad and Featherstone 2010, eqs 4, 5, 20, 21: a foundation whose springs and dampers per area are proportional
 * to depth^-1/2, under a sphere with contact area A = 2 pi r z. Local depth zeta = z - A/(2 pi r). With zeta = z
 * t^2 the integrands are smooth; Gauss-Legendre with 8 points is exact to rounding. */
static double gauss(double (*f)(double t, const double *p), const double *p) {
    static const double x[4] = {0.18343464249564980, 0.52553240991632899, 0.79666647741362674,
                                0.96028985649753623};
    static const double w[4] = {0.36268378337836198, 0.31370664587788729, 0.22238103445337447,
                                0.10122853629037626};
    double total = 0;
    for (int i = 0; i < 4; i++) {
        total += w[i] / 2 * (f(0.5 + x[i] / 2, p) + f(0.5 - x[i] / 2, p));
    }
    return total;
}

/* p = {z, r, per}: eq. 4, f_K = int_0^z A(xi) K_A(z - xi) dxi with z - xi = z t^2, K_A = per zeta^-1/2 */
static double spring_integrand(double t, const double *p) {
    double z = p[0], xi = z * (1 - t * t), area = 2 * acos(-1) * p[1] * xi;
    return area * p[2] / sqrt(z) * 2 * z;
}

/* eqs 5, 20, 21: int over the area of per zeta^-1/2, with dA = 2 pi r dzeta and zeta = z t^2 */
static double area_integrand(double t, const double *p) {
    (void)t;
    double z = p[0];
    return p[2] / sqrt(z) * 2 * acos(-1) * p[1] * 2 * z;
}

static void test_foundation_integrals_give_the_coefficients(void **state) {
    (void)state;
    for (int turn = 0; turn < 200; turn++) {
        double z = log_uniform(1e-7, 1e-3), r = log_uniform(1e-3, 1),
               modulus = log_uniform(1e6, 1e11);
        double alpha = log_uniform(1, 1e8), pi = acos(-1);
        double stiff[3] = {z, r, modulus / (2 * pi * sqrt(r))}, damp[3] = {z, r, alpha};
        double k = ff_hertz_k(modulus, r);
        assert_close(gauss(spring_integrand, stiff), k * pow(z, 1.5), 1e-13);
        assert_close(gauss(area_integrand, stiff), ff_tangential_k(k) * sqrt(z), 1e-13);
        double damping = 4 * pi * r * alpha;
        assert_close(gauss(area_integrand, damp), ff_tangential_damping(damping) * sqrt(z), 1e-13);
    }
}

static void test_combination_rules(void **state) {
    (void)state;
    assert_close(ff_modulus(210e9, 0.3, INFINITY, 0), 210e9 / 0.91, 1e-15);
    assert_close(ff_modulus(2, 0, 2, 0), 1, 1e-15);
    assert_close(ff_reduced_radius(0.0127, INFINITY), 0.0127, 1e-15);
    assert_close(ff_reduced_radius(0.03, 0.03), 0.015, 1e-15);
    assert_close(ff_reduced_mass(1, 3), 0.75, 1e-15);
    assert_close(ff_viscoelastic_lambda(10, 0.04), 2, 1e-15);
    /* steel on cast iron, R = 1.27 cm: about 1.2e10 (Azad and Featherstone 2014, II.C uses 1e10) */
    const ff_material *steel = ff_material_find("steel"), *iron = ff_material_find("cast-iron");
    double k = ff_hertz_k(ff_modulus(steel->E, steel->nu, iron->E, iron->nu), 0.0127);
    assert_true(k > 1e10 && k < 1.4e10);
    assert_null(ff_material_find("unobtainium"));
    for (size_t i = 0; ff_material_at(i); i++) {
        const ff_material *m = ff_material_at(i);
        assert_true(m->E > 0 && m->nu >= 0 && m->nu < 0.5 && m->density > 0 && m->strength > 0 &&
                    strlen(m->source) > 5);
    }
}

/* Parameters by name, in any order, and refused ones. */
static void test_parameters_by_name(void **state) {
    (void)state;
    ff_error error = {""};
    ff_normal law, made;
    const ff_normal_law *table = ff_normal_law_find("azad-featherstone");
    assert_int_equal(ff_normal_init(&law, NULL, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "no law"));
    assert_int_equal(ff_normal_init(&law, NULL, NULL), FF_BAD_VALUE);
    assert_int_equal(ff_normal_init(&law, table, &error), FF_OK);

    /* a law with a missing value names it, returns NAN, and is refused everywhere */
    ff_impact impact;
    ff_power power;
    assert_int_equal(ff_normal_check(&law, &error), FF_MISSING);
    assert_non_null(strstr(error.text, "needs k"));
    assert_true(isnan(ff_normal_force(&law, 1e-3, 0, NULL)));
    assert_true(isnan(ff_normal_stored(&law, 1e-3, 0, NULL)));
    assert_false(ff_normal_power(&law, 1, &power));
    assert_int_equal(ff_normal_set_power(&law, 1, 1, 1), FF_BAD_VALUE);
    assert_int_equal(ff_impact_solve(&law, 1, 1, &impact), FF_BAD_VALUE);
    assert_true(isnan(ff_impact_restitution(&law, 1, 1)) && isnan(ff_impact_delta(&law, 1, 1)));
    assert_true(isnan(ff_impact_stiffness(&law, 1, 1e-3).step_rk4));
    assert_false(ff_design_possible(&law));
    assert_int_equal(ff_design_impact(&law, 1, 0.5, 1e-3, &error), FF_MISSING);
    ff_scene *scene = ff_scene_create();
    ff_pair_def pair = {.size = sizeof(ff_pair_def), .a = "a", .b = "b", .normal = law};
    assert_int_equal(ff_scene_add_pair(scene, &pair), FF_MISSING);
    ff_contact_answer answer = {0};
    ff_friction none;
    ff_friction_none(&none);
    ff_contact_force(&law, &none, &(ff_contact_query){.depth = 1e-3}, &answer);
    assert_true(isnan(answer.normal));

    /* once its last value is set, the law equals one made from all values at once */
    assert_int_equal(ff_normal_choose(&law, "detach", "tension", &error), FF_OK);
    assert_int_equal(ff_normal_set(&law, "lambda", 3.1e3, &error), FF_OK);
    assert_int_equal(ff_normal_set(&law, "k", 8.5e6, &error), FF_OK);
    assert_int_equal(ff_normal_check(&law, NULL), FF_OK);
    assert_int_equal(ff_normal_make(&made, table, (double[]){8.5e6, 3.1e3, NAN, 1}, NULL), FF_OK);
    assert_true(ff_normal_force(&law, 1e-3, -0.3, NULL) ==
                ff_normal_force(&made, 1e-3, -0.3, NULL));
    assert_memory_equal(law.numbers, made.numbers, sizeof law.numbers);

    /* refused values change nothing */
    assert_int_equal(ff_normal_set(&law, "lamda", 1, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "did you mean 'lambda'"));
    assert_int_equal(ff_normal_set(&law, NULL, 1, &error), FF_BAD_VALUE);
    assert_int_equal(ff_normal_set(&law, "k", -1, &error), FF_BAD_VALUE);
    assert_int_equal(ff_normal_set(&law, "k", NAN, &error), FF_BAD_VALUE);
    assert_int_equal(ff_normal_choose(&law, "detach", "slowly", &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "one of clamp, tension, local"));
    assert_int_equal(ff_normal_choose(&law, "k", "stiff", &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "is a number"));
    assert_memory_equal(law.numbers, made.numbers, sizeof law.numbers);

    /* values that conflict when set one by one are accepted together */
    const ff_param_value first[] = {{"K", 1e5}, {"alpha", 1e-3}, {"beta", 2e-3}};
    const ff_param_value second[] = {{"alpha", 4e-3}, {"beta", 5e-3}};
    assert_int_equal(ff_normal_init(&law, ff_normal_law_find("xiong"), NULL), FF_OK);
    assert_int_equal(ff_normal_set_all(&law, first, 3, &error), FF_OK);
    assert_int_equal(ff_normal_set(&law, "alpha", 4e-3, &error), FF_BAD_VALUE);
    assert_int_equal(ff_normal_set_all(&law, second, 2, &error), FF_OK);
    assert_true(ff_normal_value(&law, "alpha") == 4e-3 && ff_normal_value(&law, "K") == 1e5);

    /* friction */
    ff_friction slide = {0};
    assert_int_equal(ff_friction_set(&slide, "mu", 1, &error), FF_BAD_VALUE);
    assert_int_equal(ff_friction_init(&slide, NULL, &error), FF_BAD_VALUE);
    assert_int_equal(ff_friction_init(&slide, ff_friction_law_find("dahl"), &error), FF_OK);
    assert_int_equal(ff_friction_check(&slide, &error), FF_MISSING);
    const ff_friction_query q = {.z = 1e-3, .load = 2, .grade = 1, .ratio = 2, .v = {1}};
    assert_true(isnan(ff_friction_at(&slide, &q, NULL).force[0]));
    pair.normal = made;
    pair.friction = slide;
    assert_int_equal(ff_scene_add_pair(scene, &pair), FF_MISSING);
    assert_int_equal(ff_friction_set(&slide, "mu", 0.3, &error), FF_OK);
    assert_int_equal(ff_friction_set(&slide, "k", 1e5, &error), FF_OK);
    assert_int_equal(ff_friction_check(&slide, &error), FF_OK);
    assert_true(ff_friction_value(&slide, "mu") == 0.3);
    assert_int_equal(ff_friction_choose(&slide, "mu", "some", &error), FF_BAD_VALUE);
    pair.friction = slide;
    assert_true(ff_scene_add_pair(scene, &pair) >= 0);
    ff_scene_free(scene);

    /* an uninitialized law */
    const ff_normal nothing = {0};
    const ff_friction no_friction = {0};
    assert_int_equal(ff_normal_check(&nothing, &error), FF_BAD_VALUE);
    assert_int_equal(ff_normal_check(NULL, &error), FF_BAD_VALUE);
    assert_true(isnan(ff_normal_value(&nothing, "k")));
    assert_true(isnan(ff_normal_force(&nothing, 1e-3, 0, NULL)));
    assert_true(isnan(ff_friction_value(&no_friction, "mu")));
    assert_true(isnan(ff_friction_at(&no_friction, &q, NULL).force[0]));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_parameters_by_name),
    cmocka_unit_test(test_tables_are_complete),
    cmocka_unit_test(test_parameters_are_checked),
    cmocka_unit_test(test_every_status_has_a_text),
    cmocka_unit_test(test_forces_are_the_formulas),
    cmocka_unit_test(test_general_has_a_power_of_the_rate),
    cmocka_unit_test(test_two_term),
    cmocka_unit_test(test_xiong),
    cmocka_unit_test(test_named_damping),
    cmocka_unit_test(test_force_is_continuous_at_touch_down),
    cmocka_unit_test(test_force_never_pulls_under_clamp),
    cmocka_unit_test(test_power_balance_of_normal_laws),
    cmocka_unit_test(test_partial_derivatives_of_normal_laws),
    cmocka_unit_test(test_derivatives_stay_finite_at_touch_down),
    cmocka_unit_test(test_ratio_has_the_root_cancelled),
    cmocka_unit_test(test_recovery),
    cmocka_unit_test(test_power_can_be_chosen),
    cmocka_unit_test(test_surroundings),
    cmocka_unit_test(test_every_width_gives_the_same_bits_normal),
    cmocka_unit_test(test_errors_of_hold),
    cmocka_unit_test(test_a_callers_own_law),
    cmocka_unit_test(test_own_laws_have_any_number_of_states),
    cmocka_unit_test(test_foundation_integrals_give_the_coefficients),
    cmocka_unit_test(test_combination_rules),
    /* last, because it changes what ff_normal_law_at() lists */
    cmocka_unit_test(test_registering),
};

CHECK_MAIN(tests)
