/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "law/kernels.h"
#include <footfall/footfall.h>

/* ---- random laws ---- */

/* random legal parameters: what must be given is drawn, the rest half of the time */
static void draw_params(const ff_param *params, double *values) {
    for (size_t i = 0; params[i].name; i++) {
        const ff_param *p = &params[i];
        double low = p->least == FF_POSITIVE || p->least == 0 ? 1e-3 : p->least;
        double high = isinf(p->most) ? 1e6 : p->most;
        bool required = isnan(p->fallback);
        values[i] = p->words                           ? floor(uniform(0, 2))
                    : !required && uniform(0, 1) < 0.5 ? (double)NAN
                    : isinf(p->most)                   ? log_uniform(low, high)
                                                       : uniform(p->least, p->most);
        if (p->least == FF_POSITIVE && values[i] == 0) {
            values[i] = p->most;
        }
    }
}

static ff_normal draw_normal(const ff_normal_law *law) {
    ff_normal out;
    double values[FF_LAW_PARAMS];
    while (true) {
        ff_error error;
        draw_params(law->params, values);
        ff_status status = ff_normal_init(&out, law, values, &error);
        if (status == FF_OK) {
            return out;
        }
        /* the one rule between parameters is xiong's alpha <= beta */
        assert_string_equal(law->name, "xiong");
    }
}

static ff_friction draw_friction(const ff_friction_law *law) {
    ff_friction out;
    double values[FF_LAW_PARAMS];
    ff_error error = {""};
    draw_params(law->params, values);
    if (ff_friction_init(&out, law, values, &error) != FF_OK) {
        fail_msg("%s", error.text);
    }
    return out;
}

/* ---- the tables ---- */

static void test_tables_are_complete(void **state) {
    (void)state;
    const ff_normal_law *n;
    const ff_friction_law *f;
    for (size_t i = 0; (n = ff_normal_law_at(i)); i++) {
        assert_int_equal(n->abi, FF_LAW_ABI);
        assert_ptr_equal(ff_normal_law_find(n->name), n);
        assert_true(strlen(n->formula) > 3 && strlen(n->source) > 3 && strlen(n->limits) > 3);
        for (const ff_param *p = n->params; p->name; p++) {
            assert_true(p->least < p->most && strlen(p->meaning) > 3);
            assert_true((p->unit == NULL) == (p->words != NULL));
        }
    }
    assert_int_equal(ff_normal_law_find("no such law") == NULL, 1);
    for (size_t i = 0; (f = ff_friction_law_at(i)); i++) {
        assert_int_equal(f->abi, FF_LAW_ABI);
        assert_ptr_equal(ff_friction_law_find(f->name), f);
        for (const ff_param *p = f->params; p->name; p++) {
            assert_true(p->least < p->most && strlen(p->meaning) > 3);
        }
    }
    assert_null(ff_friction_law_find("no such law"));
}

static void test_parameters_are_checked(void **state) {
    (void)state;
    const ff_normal_law *law = ff_normal_law_find("azad-featherstone");
    ff_normal out;
    ff_error error;
    assert_int_equal(ff_normal_init(&out, law, (double[]){NAN, 1, NAN, NAN}, &error), FF_MISSING);
    assert_non_null(strstr(error.text, "needs k"));
    assert_int_equal(ff_normal_init(&out, law, (double[]){-1, 1, NAN, NAN}, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "> 0"));
    assert_int_equal(ff_normal_init(&out, law, (double[]){0, 1, NAN, NAN}, &error), FF_BAD_VALUE);
    assert_int_equal(ff_normal_init(&out, law, (double[]){INFINITY, 1, NAN, NAN}, &error),
                     FF_BAD_VALUE);
    assert_int_equal(ff_normal_init(&out, law, (double[]){1, 1, NAN, 2}, &error), FF_BAD_VALUE);
    /* an explicit -1 is not the mark of a derived value */
    assert_int_equal(ff_normal_init(&out, law, (double[]){1, 1, -1, NAN}, &error), FF_BAD_VALUE);
    assert_int_equal(ff_normal_init(&out, law, (double[]){1, 2, NAN, NAN}, NULL), FF_OK);
    assert_true(out.lambda_out == 2 && out.least == 0);
    assert_int_equal(ff_normal_init(&out, law, (double[]){1, 2, 3, 1}, NULL), FF_OK);
    assert_true(out.lambda_out == 3 && isinf(out.least));
    law = ff_normal_law_find("xiong");
    assert_int_equal(ff_normal_init(&out, law, (double[]){1, 2, 1}, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "beta"));
    ff_normal_law old = *law;
    old.abi = FF_LAW_ABI + 1;
    assert_int_equal(ff_normal_init(&out, &old, (double[]){1, 1, 2}, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "ABI"));
    ff_friction slide;
    assert_int_equal(ff_friction_init(&slide, ff_friction_law_find("clutch"),
                                      (double[]){0.2, 1, 0, NAN, NAN}, &error),
                     FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "damping"));
}

static void test_every_status_has_a_text(void **state) {
    (void)state;
#define CHECK_TEXT(name, value, text) assert_string_equal(ff_status_text(name), text);
    FF_STATUS_LIST(CHECK_TEXT)
    assert_string_equal(ff_status_text((ff_status)77), "unknown status");
}

/* ---- normal laws ---- */

/* F = max(least, k z^n + lambda z^p zdot) written plainly, against the factored kernels */
static void test_forces_are_the_formulas(void **state) {
    (void)state;
    const ff_normal_law *law;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        for (int turn = 0; turn < 2000 && law->inner != FF_INNER_RATE; turn++) {
            ff_normal a = draw_normal(law);
            double z = log_uniform(1e-9, 1e-1), v = uniform(-3, 3), inner = log_uniform(1e-5, 10);
            double lambda = law->inner == FF_INNER_SPEED ? a.lambda / fmax(inner, a.v_min)
                            : v < 0                      ? a.lambda_out
                                                         : a.lambda;
            double spring = a.k * pow(z, a.n), damper = lambda * pow(z, a.p) * v;
            /* rounding of a few operations on the two terms, which may cancel */
            assert_near(ff_normal_force(&a, z, v, inner), fmax(a.least, spring + damper),
                        1e-14 * (spring + fabs(damper)));
            assert_true(ff_normal_force(&a, -z, v, inner) == 0);
        }
    }
}

static void test_named_damping(void **state) {
    (void)state;
    ff_normal a, b;
    ff_normal_init(&a, ff_normal_law_find("marhefka-orin"), (double[]){50e3, 0.4, NAN, NAN}, NULL);
    assert_true(a.n == 1 && a.p == 1);
    assert_near(a.lambda, 1.5 * 0.4 * 50e3, 1e-9);
    ff_normal_init(&a, ff_normal_law_find("lankarani-nikravesh"),
                   (double[]){1e6, 0.7, NAN, NAN, NAN}, NULL);
    ff_normal_init(&b, ff_normal_law_find("flores"), (double[]){1e6, 0.7, NAN, NAN, NAN}, NULL);
    double z = 1e-3, v = 0.3, latched = ff_normal_touch(&a, 0.5, 0);
    assert_true(latched == 0.5 && ff_normal_touch(&a, 1e-9, 0) == a.v_min);
    assert_close(ff_normal_force(&a, z, v, latched),
                 1e6 * pow(z, 1.5) * (1 + 0.75 * (1 - 0.49) * v / 0.5), 1e-14);
    assert_close(ff_normal_force(&b, z, v, latched),
                 1e6 * pow(z, 1.5) * (1 + 1.6 * 0.3 / 0.7 * v / 0.5), 1e-14);
}

static void test_force_is_continuous_at_touch_down(void **state) {
    (void)state;
    const ff_normal_law *law;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        for (int turn = 0; turn < 500; turn++) {
            ff_normal a = draw_normal(law);
            double v = uniform(0, 3), inner = law->inner == FF_INNER_SPEED ? fmax(v, 1e-3) : 0;
            double before = ff_normal_force(&a, -1e-300, v, inner);
            double after = ff_normal_force(&a, 0, v, inner);
            assert_true(before == 0);
            if (a.p == 0 && law->inner == FF_INNER_NONE) {
                /* the known jump */
                assert_close(after, a.lambda * v, 1e-15);
            } else {
                assert_true(after == 0);
                /* and no jump just behind: z^p of the smallest depths goes to 0 */
                double slope = ff_normal_force(&a, 1e-40, v, inner) / (a.k + a.lambda * 1e3 + 1);
                assert_true(law->inner == FF_INNER_RATE || slope < 1e-40 + pow(1e-40, a.p) * v);
            }
        }
    }
}

static void test_force_never_pulls_under_clamp(void **state) {
    (void)state;
    const ff_normal_law *law;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        bool pulls = false;
        for (int turn = 0; turn < 2000; turn++) {
            ff_normal a = draw_normal(law);
            double z = log_uniform(1e-9, 1e-1), v = uniform(-30, 3), inner = log_uniform(1e-5, 10);
            double force = ff_normal_force(&a, z, v, inner);
            assert_true(a.least != 0 || force >= 0);
            pulls = pulls || force < 0;
        }
        /* and tension is no clamp */
        assert_true(pulls == (law->inner != FF_INNER_RATE && strcmp(law->name, "hertz") != 0));
    }
}

/* F zdot = d(stored)/dt + loss along any motion z(t): the derivative of the stored energy by a
 * central difference, whose error is of order h^2 */
static void test_power_balance_of_normal_laws(void **state) {
    (void)state;
    const ff_normal_law *law;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        for (int turn = 0; turn < 2000; turn++) {
            ff_normal a = draw_normal(law);
            double z = log_uniform(1e-5, 1e-1), v = uniform(-3, 3);
            double inner = law->inner == FF_INNER_RATE ? uniform(-1, 1) * z : log_uniform(1e-3, 10);
            ff_normal_answer at = ff_normal_at(&a, z, v, inner);
            assert_true(at.loss >= 0);
            assert_near(at.force, ff_normal_force(&a, z, v, inner), 0);
            double h =
                1e-5 * fmin(z / fmax(fabs(v), 1e-3), law->inner == FF_INNER_RATE ? a.alpha : 1);
            /* a mode change of xiong inside the difference would not be seen by it */
            double hold = law->inner == FF_INNER_RATE ? at.rate : 0;
            ff_normal_answer up = ff_normal_at(&a, z + h * v, v, inner + h * hold);
            ff_normal_answer down = ff_normal_at(&a, z - h * v, v, inner - h * hold);
            if (law->inner == FF_INNER_RATE && (up.force > 0) != (down.force > 0)) {
                continue;
            }
            double stored = (up.stored - down.stored) / (2 * h);
            double scale =
                fabs(at.force * v) + at.loss + fabs(stored) + fabs(up.stored) * 1e-11 / h;
            assert_near(at.force * v, stored + at.loss, 1e-8 * scale);
        }
    }
}

/* partial derivatives against central differences; the step is 1e-6 of the depth or speed, so the
 * difference is good to 1e-9 of the terms */
static void test_partial_derivatives_of_normal_laws(void **state) {
    (void)state;
    const ff_normal_law *law;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        for (int turn = 0; turn < 2000; turn++) {
            ff_normal a = draw_normal(law);
            double z = log_uniform(1e-5, 1e-1), v = uniform(-3, 3), w = log_uniform(1e-2, 10);
            w *= law->inner == FF_INNER_RATE ? 1e-2 * z : 1;
            ff_normal_answer at = ff_normal_at(&a, z, v, w);
            double hz = 1e-6 * z, hv = 1e-6 * fabs(v), hw = 1e-6 * w;
            double f[6] = {ff_normal_force(&a, z + hz, v, w), ff_normal_force(&a, z - hz, v, w),
                           ff_normal_force(&a, z, v + hv, w), ff_normal_force(&a, z, v - hv, w),
                           ff_normal_force(&a, z, v, w + hw), ff_normal_force(&a, z, v, w - hw)};
            bool kink = false;
            for (int j = 0; j < 6; j++) {
                kink = kink || (f[j] == 0) != (at.force == 0);
            }
            if (kink || (law->inner == FF_INNER_SPEED && fabs(w - a.v_min) < 2 * hw)) {
                continue;
            }
            double lambda = fmax(a.lambda, a.lambda_out) /
                            (law->inner == FF_INNER_SPEED ? fmax(w, a.v_min) : 1);
            double size = a.k * pow(z, a.n) + lambda * pow(z, a.p) * fabs(v);
            if (law->inner == FF_INNER_RATE) {
                size = a.k * a.beta / a.alpha * (z + w);
            }
            double tolerance = 1e-8 * size;
            assert_near((f[0] - f[1]) / 2 / 1e-6, at.dF_dz * z, tolerance);
            assert_near((f[2] - f[3]) / 2 / 1e-6, at.dF_dzdot * fabs(v), tolerance);
            assert_near((f[4] - f[5]) / 2 / 1e-6, at.dF_dinner * w, tolerance);
            double grade =
                (ff_normal_at(&a, z + hz, v, w).grade - ff_normal_at(&a, z - hz, v, w).grade) /
                (2 * hz);
            assert_near(grade, at.grade_slope, 1e-8 * (1 + at.grade / z));
            double rate[2] = {ff_normal_at(&a, z + hz, v, w).rate,
                              ff_normal_at(&a, z - hz, v, w).rate};
            double fade[2] = {ff_normal_at(&a, z, v, w + hw).rate,
                              ff_normal_at(&a, z, v, w - hw).rate};
            if (law->inner == FF_INNER_RATE) {
                /* piecewise linear: only the rounding of z/alpha and w/alpha over the step */
                double round = 1e-15 * (z + w) / a.alpha;
                assert_near((rate[0] - rate[1]) / (2 * hz), at.drate_dz, round / hz);
                assert_near((fade[0] - fade[1]) / (2 * hw), at.drate_dinner, round / hw);
            }
        }
    }
}

static void test_derivatives_stay_finite_at_touch_down(void **state) {
    (void)state;
    ff_normal a;
    ff_normal_init(&a, ff_normal_law_find("azad-featherstone"), (double[]){1e6, 1e3, NAN, NAN},
                   NULL);
    ff_normal_answer at = ff_normal_at(&a, 0, 1, 0), floor = ff_normal_at(&a, FF_DEPTH_FLOOR, 1, 0);
    assert_true(isfinite(at.dF_dz) && at.dF_dz == floor.dF_dz && at.dF_dz > 0);
    assert_true(isfinite(at.grade_slope) && at.grade_slope == floor.grade_slope);
}

/* force = grade * ratio with ratio finite at z = 0: k z + lambda zdot for p = n - 1 */
static void test_ratio_has_the_root_cancelled(void **state) {
    (void)state;
    ff_normal a;
    ff_normal_init(&a, ff_normal_law_find("azad-featherstone"), (double[]){8.5e6, 3.1e3, NAN, NAN},
                   NULL);
    ff_normal_answer at = ff_normal_at(&a, 0, 1.4, 0);
    assert_true(at.grade == 0 && at.force == 0 && at.ratio == 3.1e3 * 1.4);
    at = ff_normal_at(&a, 1e-4, 0.3, 0);
    assert_close(at.grade, sqrt(1e-4), 1e-15);
    assert_close(at.grade * at.ratio, at.force, 1e-15);
}

/* ---- one arithmetic for all lane widths ---- */

enum { COUNT = 37 }; /* no multiple of any width */

static void test_every_width_gives_the_same_bits_normal(void **state) {
    (void)state;
    const ff_normal_law *law;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        for (int turn = 0; turn < 50; turn++) {
            ff_normal a = draw_normal(law);
            double z[COUNT], v[COUNT], w[COUNT];
            for (int j = 0; j < COUNT; j++) {
                z[j] = j % 7 == 0 ? 0 : uniform(-1e-3, 1e-2);
                v[j] = uniform(-3, 3);
                w[j] = log_uniform(1e-4, 1);
            }
            double want[5][COUNT], seen[5][COUNT], force[COUNT];
            for (size_t set = 0; ff_kernels_at(set); set++) {
                memset(seen, 0, sizeof seen);
                ff_normal_use(&a, ff_kernels_at(set));
                a.kernels->respond(&a, &(ff_normal_batch){COUNT, z, v, w, seen[0], seen[1], seen[2],
                                                          seen[3], seen[4]});
                a.kernels->force(&a, COUNT, z, v, w, force);
                assert_memory_equal(force, seen[0], sizeof force);
                if (set == 0) {
                    memcpy(want, seen, sizeof want);
                }
                assert_memory_equal(want, seen, sizeof want);
            }
        }
    }
    /* the wide ones are there where the machine has them */
    assert_true(ff_kernels_best()->lanes >= 1);
}

static void test_every_width_gives_the_same_bits_friction(void **state) {
    (void)state;
    const ff_friction_law *law;
    for (size_t i = 0; (law = ff_friction_law_at(i)); i++) {
        for (int turn = 0; turn < 50; turn++) {
            ff_friction a = draw_friction(law);
            double in[10][COUNT], want[10][COUNT], seen[10][COUNT];
            for (int j = 0; j < COUNT; j++) {
                in[0][j] = j % 5 == 0 ? 0 : log_uniform(1e-2, 1e3);
                in[1][j] = j % 5 == 0 ? 0 : uniform(0, 0.1);
                in[2][j] = log_uniform(1, 1e5);
                in[3][j] = log_uniform(1, 1e3);
                for (int c = 4; c < 10; c++) {
                    in[c][j] = j % 11 == 0 ? 0 : uniform(-1e-2, 1e-2);
                }
            }
            for (size_t set = 0; ff_kernels_at(set); set++) {
                memset(seen, 0, sizeof seen);
                ff_friction_use(&a, ff_kernels_at(set));
                a.kernels->respond(&a, &(ff_friction_batch){COUNT, COUNT, in[0], in[1], in[2],
                                                            in[3], in[4], in[7], seen[0], seen[3],
                                                            seen[6], seen[7], seen[8], seen[9]});
                if (set == 0) {
                    memcpy(want, seen, sizeof want);
                }
                assert_memory_equal(want, seen, sizeof want);
            }
        }
    }
}

/* ---- friction laws ---- */

static double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* a random contact: load, depth by way of the grade of n = 3/2, motion in the plane z = 0 */
static ff_friction_query draw_query(const ff_friction *a) {
    ff_friction_query q = {0};
    double z = log_uniform(1e-6, 1e-2);
    q.load = log_uniform(1e-2, 1e3);
    q.load_rate = uniform(-1e3, 1e3);
    q.grade = sqrt(z);
    q.ratio = q.load / q.grade;
    q.grade_slope = 0.5 / sqrt(z);
    q.zdot = uniform(-2, 2);
    /* slip from far below to far above what the law's own scale is */
    double reach = a->law->inner ? log_uniform(1e-3, 1e3) : log_uniform(1e-6, 1);
    double stretch = 0;
    if (strcmp(a->law->name, "clutch") == 0) {
        stretch = a->mu * q.ratio / a->k;
    } else if (strcmp(a->law->name, "sat") == 0) {
        stretch = a->mu * q.load / a->k;
    } else if (a->law->inner) {
        stretch = a->mu / a->k;
    }
    double angle = uniform(0, 6.28), turn = uniform(0, 6.28), size = uniform(0, 1) * stretch;
    double speed = a->law->inner ? reach * fmax(stretch, 1e-9) : reach;
    q.v[0] = speed * cos(angle);
    q.v[1] = speed * sin(angle);
    q.u[0] = a->law->inner ? size * cos(turn) : 0;
    q.u[1] = a->law->inner ? size * sin(turn) : 0;
    return q;
}

/* -f.v + lift zdot = d(stored)/dt + damper + clutch + viscous + regrade, all losses >= 0 */
static void test_power_balance_of_friction_laws(void **state) {
    (void)state;
    const ff_friction_law *law;
    for (size_t i = 0; (law = ff_friction_law_at(i)); i++) {
        for (int turn = 0; turn < 4000; turn++) {
            ff_friction a = draw_friction(law);
            ff_friction_query q = draw_query(&a);
            ff_friction_answer at = ff_friction_at(&a, &q);
            assert_true(at.damper >= 0 && at.clutch >= 0 && at.viscous >= 0 && at.stored >= 0);
            /* d/dt of stored = k/2 |u|^2 times grade, load or 1, in closed form */
            double grow = strcmp(law->name, "clutch") == 0 ? q.grade_slope * q.zdot
                          : strcmp(law->name, "sat") == 0  ? 0
                                                           : q.load_rate;
            double level = strcmp(law->name, "clutch") == 0 ? q.grade
                           : strcmp(law->name, "sat") == 0  ? 1
                                                            : q.load;
            double stored = a.k * level * dot(q.u, at.rate) + a.k / 2 * dot(q.u, q.u) * grow;
            double in = -dot(at.force, q.v) + at.lift * q.zdot;
            double out = stored + at.damper + at.clutch + at.viscous + at.regrade;
            double scale = fabs(in) + fabs(stored) + at.damper + at.clutch + at.viscous +
                           fabs(at.regrade) +
                           a.k * level * sqrt(dot(q.u, q.u) * dot(at.rate, at.rate)) +
                           a.k * dot(q.u, q.u) * fabs(grow);
            /* rounding: the force before it is cut, which may be much larger, times every speed */
            double size = sqrt(dot(q.u, q.u)), speed = sqrt(dot(q.v, q.v));
            double damping = strcmp(law->name, "clutch") == 0 ? a.damping : a.beta * a.k;
            double rough = level * (a.k * size + damping * speed) *
                           (speed + sqrt(dot(at.rate, at.rate)) + (a.beta > 0 ? size / a.beta : 0));
            assert_near(in, out, 1e-14 * (scale + rough));
        }
    }
}

/* the friction force opposes slip, and is bounded by mu N (and the viscous part) */
static void test_friction_is_bounded(void **state) {
    (void)state;
    const ff_friction_law *law;
    for (size_t i = 0; (law = ff_friction_law_at(i)); i++) {
        for (int turn = 0; turn < 2000; turn++) {
            ff_friction a = draw_friction(law);
            ff_friction_query q = draw_query(&a);
            ff_friction_answer at = ff_friction_at(&a, &q);
            double size = sqrt(dot(at.force, at.force)), speed = sqrt(dot(q.v, q.v));
            double most = fmax(a.mu, a.mu_s) * (q.load + at.lift);
            if (strcmp(law->name, "lugre") == 0) {
                most += q.load * (2 * a.damping + a.viscous) * speed;
            } else if (strcmp(law->name, "clutch") == 0) {
                double slip[3] = {q.v[0] - at.rate[0], q.v[1] - at.rate[1], 0};
                /* v - u' cancels to the rounding of v */
                most += a.viscous * (sqrt(dot(slip, slip)) + 1e-15 * speed);
                assert_true(at.slips == (sqrt(dot(slip, slip)) > 0));
            }
            assert_holds(size <= most * (1 + 1e-12), "%s: |f| = %g > %g", law->name, size, most);
        }
    }
}

/* Azad and Featherstone 2010, eqs 22-31, taken literally: f = f_slip of eq. 27 with V_clutch from
 * eqs 30 and 31, whose own f is this f */
static void test_clutch_solves_its_implicit_equation(void **state) {
    (void)state;
    int slips = 0;
    for (int turn = 0; turn < 4000; turn++) {
        ff_friction a = draw_friction(ff_friction_law_find("clutch"));
        a.passive = false;
        ff_friction_query q = draw_query(&a);
        ff_friction_answer at = ff_friction_at(&a, &q);
        double stick[3], size = 0;
        for (int c = 0; c < 3; c++) {
            stick[c] = -a.k * q.grade * q.u[c] - a.damping * q.grade * q.v[c];
            size += stick[c] * stick[c];
        }
        size = sqrt(size);
        bool slip = size > a.mu * q.load;
        slips += slip;
        for (int c = 0; c < 3; c++) {
            double rate = -(at.force[c] + a.k * q.grade * q.u[c]) / (a.damping * q.grade);
            double clutch = q.v[c] - rate;
            double want = slip ? stick[c] * a.mu * q.load / size - a.viscous * clutch : stick[c];
            /* u' from a difference of forces, then times the viscous coefficient */
            double scale = size + a.viscous * (fabs(q.v[c]) + size / (a.damping * q.grade));
            assert_near(at.force[c], want, 1e-12 * scale);
        }
    }
    /* both modes were met */
    assert_true(slips > 400 && slips < 3600);
}

/* with a viscous term the force is continuous at z = 0, and without it u' is that of the limit */
static void test_clutch_is_regular_at_zero_depth(void **state) {
    (void)state;
    ff_friction a;
    for (int viscous = 0; viscous < 2; viscous++) {
        ff_friction_init(&a, ff_friction_law_find("clutch"),
                         (double[]){0.2, 12.75e6, 3.1e3, viscous * 0.1, NAN}, NULL);
        /* touch-down of the rolling sphere: ratio = lambda zdot, slipping at once */
        ff_friction_query q = {.grade = 0, .ratio = 3.1e3 * 1.28, .v = {0.5, 0.5, 0}};
        ff_friction_answer at = ff_friction_at(&a, &q);
        q.grade = 1e-9;
        q.load = q.grade * q.ratio;
        ff_friction_answer near = ff_friction_at(&a, &q);
        for (int c = 0; c < 3; c++) {
            assert_true(at.force[c] == 0 && isfinite(at.rate[c]));
            assert_near(near.force[c], 0, 1e-5);
            /* with a viscous term u' has a layer of depth (C/D)^2, which grade 1e-9 is inside of */
            assert_near(near.rate[c], at.rate[c], 1e-4);
        }
    }
    /* no load, no deflection, no motion: no force and no division by zero */
    ff_friction_query still = {0};
    ff_friction_answer at = ff_friction_at(&a, &still);
    assert_true(at.force[0] == 0 && at.rate[0] == 0 && at.clutch == 0 && !at.slips);
}

/* a contact without load slips as soon as anything is left to move it */
static void test_no_load_slips(void **state) {
    (void)state;
    ff_friction clutch, sat;
    ff_friction_init(&clutch, ff_friction_law_find("clutch"), (double[]){0.2, 1e6, 1e3, 0, NAN},
                     NULL);
    ff_friction_init(&sat, ff_friction_law_find("sat"), (double[]){0.2, 1e6, 1e-3}, NULL);
    ff_friction_query q = {.grade = 0.01, .v = {0.1, 0, 0}, .u = {1e-6, 0, 0}};
    assert_true(ff_friction_at(&clutch, &q).slips && ff_friction_at(&sat, &q).slips);
    q.load = 1e6;
    q.ratio = 1e8;
    assert_false(ff_friction_at(&clutch, &q).slips || ff_friction_at(&sat, &q).slips);
}

/* matrices of partial derivatives against central differences of the answer */
static void test_partial_derivatives_of_friction_laws(void **state) {
    (void)state;
    const ff_friction_law *law;
    for (size_t i = 0; (law = ff_friction_law_at(i)); i++) {
        for (int turn = 0; turn < 1500; turn++) {
            ff_friction a = draw_friction(law);
            ff_friction_query q = draw_query(&a);
            q.v[2] = 0.3 * q.v[0];
            ff_friction_slopes at = ff_friction_slopes_at(&a, &q);
            bool slips = ff_friction_at(&a, &q).slips;
            double speed = sqrt(dot(q.v, q.v)), stretch = fmax(sqrt(dot(q.u, q.u)), 1e-6 * speed);
            /* what the velocity is small against: itself, and the decay of Stribeck's curve */
            double pace = a.xi > 0 ? fmin(speed, 1 / a.xi) : speed;
            /* spring and damper may almost cancel: then the force turns within their sum */
            double damping = a.beta > 0 ? a.k * a.beta : a.damping;
            if (law->events) {
                double s[3] = {0};
                for (int c = 0; c < 3; c++) {
                    s[c] = a.k * q.u[c] + damping * q.v[c];
                }
                pace = fmin(pace, sqrt(dot(s, s)) / damping);
                stretch = fmin(stretch, sqrt(dot(s, s)) / a.k);
            }
            /* the lift of a passive clutch is no function of the grade */
            for (int column = 0; column < (a.passive ? 7 : 8); column++) {
                ff_friction_query up = q, down = q;
                double h = 1e-5 * (column < 3    ? pace
                                   : column < 6  ? stretch
                                   : column == 6 ? q.load
                                                 : q.grade);
                if (column < 3) {
                    up.v[column] += h, down.v[column] -= h;
                } else if (column < 6) {
                    up.u[column - 3] += h, down.u[column - 3] -= h;
                } else {
                    up.load += column == 6 ? h : 0, down.load -= column == 6 ? h : 0;
                    up.grade += column == 7 ? h : 0, down.grade -= column == 7 ? h : 0;
                    up.ratio = up.load / up.grade, down.ratio = down.load / down.grade;
                }
                ff_friction_answer f = ff_friction_at(&a, &up), g = ff_friction_at(&a, &down);
                if (f.slips != slips || g.slips != slips || fabs(speed - a.v0) <= 2 * h) {
                    continue;
                }
                for (int row = 0; row < 3; row++) {
                    const double *df = column < 3 ? at.df_dv[row] : at.df_du[row];
                    const double *dr = column < 3 ? at.dr_dv[row] : at.dr_du[row];
                    double want_f = column < 6    ? df[column % 3]
                                    : column == 6 ? at.df_dload[row]
                                                  : at.df_dgrade[row];
                    double want_r = column < 6    ? dr[column % 3]
                                    : column == 6 ? at.dr_dload[row]
                                                  : at.dr_dgrade[row];
                    double norm_f =
                        column < 6 ? fabs(df[0]) + fabs(df[1]) + fabs(df[2]) : fabs(want_f);
                    double norm_r =
                        column < 6 ? fabs(dr[0]) + fabs(dr[1]) + fabs(dr[2]) : fabs(want_r);
                    /* the difference is good to (h/scale)^2 = 1e-10 and to rounding over h */
                    double size = sqrt(dot(f.force, f.force)) + q.load * (a.mu + a.mu_s);
                    double rate = speed + sqrt(dot(f.rate, f.rate));
                    rate += a.beta > 0 ? stretch / a.beta : 0;
                    assert_near((f.force[row] - g.force[row]) / (2 * h), want_f,
                                1e-8 * norm_f + 1e-14 * size / h);
                    assert_near((f.rate[row] - g.rate[row]) / (2 * h), want_r,
                                1e-8 * norm_r + 1e-14 * rate / h);
                }
            }
        }
    }
}

/* ---- a caller's own law ---- */

static void doubled(const ff_normal *law, double z, double zdot, double inner,
                    ff_normal_answer *out) {
    (void)zdot, (void)inner;
    out->force = z > 0 ? *(const double *)law->law->user * z : 0;
}

static void no_numbers(ff_normal *law, const double *values) { law->k = values[0]; }

static void test_a_callers_own_law(void **state) {
    (void)state;
    double factor = 2;
    const ff_normal_law own = {.abi = FF_LAW_ABI,
                               .name = "own",
                               .formula = "F = 2 z",
                               .params = {{"k", "N/m", 0, INFINITY, 1, "unused", NULL}},
                               .numbers = no_numbers,
                               .point = doubled,
                               .user = &factor};
    ff_normal a;
    assert_int_equal(ff_normal_init(&a, &own, (double[]){NAN}, NULL), FF_OK);
    double z[3] = {-1, 1, 3}, v[3] = {0}, force[3];
    a.kernels->force(&a, 3, z, v, NULL, force);
    assert_true(force[0] == 0 && force[1] == 2 && force[2] == 6);
    assert_true(ff_normal_force(&a, 4, 0, 0) == 8 && ff_normal_at(&a, 4, 0, 0).force == 8);
    double loss[3], rate[3], grade[3], ratio[3];
    a.kernels->respond(&a, &(ff_normal_batch){3, z, v, NULL, force, loss, rate, grade, ratio});
    assert_true(force[2] == 6 && loss[2] == 0 && rate[0] == 0 && grade[1] == 0);
    ff_impact impact;
    assert_int_equal(ff_impact_solve(&a, 1, 1, &impact), FF_BAD_VALUE);
}

static void own_slide(const ff_friction *law, const ff_friction_query *q, ff_friction_answer *out) {
    for (int c = 0; c < 3; c++) {
        out->force[c] = -law->mu * q->v[c];
    }
}

static void own_numbers(ff_friction *law, const double *values) { law->mu = values[0]; }

static void test_a_callers_own_friction(void **state) {
    (void)state;
    const ff_friction_law own = {.abi = FF_LAW_ABI,
                                 .name = "own",
                                 .params = {{"c", "N s/m", 0, INFINITY, 3, "damping", NULL}},
                                 .numbers = own_numbers,
                                 .point = own_slide};
    ff_friction a;
    assert_int_equal(ff_friction_init(&a, &own, (double[]){NAN}, NULL), FF_OK);
    double load[2] = {1, 1}, v[6] = {1, 2, 3, 4, 5, 6}, f[6], w[4][2];
    a.kernels->respond(&a, &(ff_friction_batch){.count = 2,
                                                .stride = 2,
                                                .load = load,
                                                .v = v,
                                                .force = f,
                                                .lift = w[0],
                                                .damper = w[1],
                                                .clutch = w[2],
                                                .viscous = w[3]});
    assert_true(f[0] == -3 && f[5] == -18);
    ff_friction_query q = {.v = {1, 0, 0}};
    assert_true(ff_friction_at(&a, &q).force[0] == -3);
    assert_true(ff_friction_slopes_at(&a, &q).df_dv[0][0] == 0);
}

/* ---- materials ---- */

/* Azad and Featherstone 2010, eqs 4, 5, 20, 21: a foundation whose springs and dampers per area go as
 * depth^-1/2, under a sphere with contact area A = 2 pi r z. Local depth zeta = z - A/(2 pi r).
 * With zeta = z t^2 the integrands are smooth; Gauss-Legendre with 8 points is exact to rounding. */
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
    assert_close(ff_radius(0.0127, INFINITY), 0.0127, 1e-15);
    assert_close(ff_radius(0.03, 0.03), 0.015, 1e-15);
    assert_close(ff_mass(1, 3), 0.75, 1e-15);
    assert_close(ff_viscoelastic_lambda(10, 0.04), 2, 1e-15);
    /* steel on cast iron, R = 1.27 cm: about 1.2e10 (Azad and Featherstone 2014, II.C takes 1e10) */
    const ff_material *steel = ff_material_find("steel"), *iron = ff_material_find("cast-iron");
    double k = ff_hertz_k(ff_modulus(steel->E, steel->nu, iron->E, iron->nu), 0.0127);
    assert_true(k > 1e10 && k < 1.4e10);
    assert_null(ff_material_find("unobtainium"));
    for (size_t i = 0; ff_material_at(i); i++) {
        const ff_material *m = ff_material_at(i);
        assert_true(m->E > 0 && m->nu >= 0 && m->nu < 0.5 && m->density > 0 &&
                    strlen(m->source) > 5);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_tables_are_complete),
    cmocka_unit_test(test_parameters_are_checked),
    cmocka_unit_test(test_every_status_has_a_text),
    cmocka_unit_test(test_forces_are_the_formulas),
    cmocka_unit_test(test_named_damping),
    cmocka_unit_test(test_force_is_continuous_at_touch_down),
    cmocka_unit_test(test_force_never_pulls_under_clamp),
    cmocka_unit_test(test_power_balance_of_normal_laws),
    cmocka_unit_test(test_partial_derivatives_of_normal_laws),
    cmocka_unit_test(test_derivatives_stay_finite_at_touch_down),
    cmocka_unit_test(test_ratio_has_the_root_cancelled),
    cmocka_unit_test(test_every_width_gives_the_same_bits_normal),
    cmocka_unit_test(test_every_width_gives_the_same_bits_friction),
    cmocka_unit_test(test_power_balance_of_friction_laws),
    cmocka_unit_test(test_friction_is_bounded),
    cmocka_unit_test(test_clutch_solves_its_implicit_equation),
    cmocka_unit_test(test_clutch_is_regular_at_zero_depth),
    cmocka_unit_test(test_no_load_slips),
    cmocka_unit_test(test_partial_derivatives_of_friction_laws),
    cmocka_unit_test(test_a_callers_own_law),
    cmocka_unit_test(test_a_callers_own_friction),
    cmocka_unit_test(test_foundation_integrals_give_the_coefficients),
    cmocka_unit_test(test_combination_rules),
};

CHECK_MAIN(tests)
