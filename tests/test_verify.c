/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "laws.h"

/* Verification of laws: built-in laws pass with any legal parameters, and a table with one wrong entry is detected
 * by the right check. */

enum { POINTS = 300 };

static const ff_law_finding *row(const ff_law_finding *rows, size_t count, const char *what) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].what, what) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

static void assert_whole(const char *law, const ff_law_finding *rows, size_t count) {
    assert_true(count >= 3 && count <= FF_LAW_FINDINGS);
    for (size_t i = 0; i < count; i++) {
        assert_holds(rows[i].worst <= rows[i].allowed && !rows[i].where[0],
                     "%s: %s is off by %g, allowed %g: %s", law, rows[i].what, rows[i].worst,
                     rows[i].allowed, rows[i].where);
    }
}

static void assert_broken(const char *law, const ff_law_finding *rows, size_t count,
                          const char *what) {
    const ff_law_finding *seen = row(rows, count, what);
    assert_holds(seen && seen->worst > seen->allowed && seen->where[0], "%s: %s holds", law, what);
}

/* ---- built-in laws ---- */

/* depths, speeds and loads over four decades, parameters over nine */
static void test_our_normal_laws_hold(void **state) {
    (void)state;
    const ff_normal_law *law;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        for (int turn = 0; turn < 8; turn++) {
            ff_normal a = draw_normal(law);
            ff_law_finding rows[FF_LAW_FINDINGS];
            double depth = log_uniform(1e-6, 1e-2), speed = log_uniform(1e-3, 10);
            assert_whole(law->name, rows, ff_normal_verify(&a, depth, speed, POINTS, rows));
        }
    }
}

static void test_our_friction_laws_hold(void **state) {
    (void)state;
    const ff_friction_law *law;
    for (size_t i = 0; (law = ff_friction_law_at(i)); i++) {
        for (int turn = 0; turn < 8; turn++) {
            ff_friction a = draw_friction(law);
            ff_law_finding rows[FF_LAW_FINDINGS];
            double depth = log_uniform(1e-6, 1e-2), speed = log_uniform(1e-3, 10);
            double load = log_uniform(1e-3, 1e5);
            assert_whole(law->name, rows, ff_friction_verify(&a, depth, speed, load, POINTS, rows));
        }
    }
}

/* unphysical parameters: extremely stiff and soft, no damping and any damping */
static void test_extreme_parameters_hold(void **state) {
    (void)state;
    static const struct {
        const char *law;
        double values[FF_LAW_PARAMS];
    } rows[] = {
        {"linear", {1e-6, 1e12, 0, 0}},
        {"hunt-crossley", {1e15, 0, 3, 1e15, 0}},
        {"azad-featherstone", {1e15, 1e-9, NAN, 1}},
        {"tsuji", {1e-3, 1e9, 0, NAN}},
        {"flores", {1e9, 1e-6, 1, 1e-9, NAN}},
        {"lankarani-nikravesh", {1e9, 1, 3, NAN, 1}},
        {"general", {1e-6, 1e12, 3, 0, 0, 0, 3}},
        {"general", {1e12, 1, 1, 3, NAN, 1, 1}},
        {"two-term", {1e-6, 1, 1e15, 6, 1e6}},
        {"xiong", {1e12, 1e-9, 1e-3}},
        {"xiong", {1, 1e3, 1e3}},
    };
    static const struct {
        const char *law;
        double values[FF_LAW_PARAMS];
    } slides[] = {
        {"coulomb", {0, NAN}},
        {"coulomb", {10, 1e-9}},
        {"bengisu-akay", {1, 0, 1e-6, 1e6}},
        {"dahl", {1e-6, 1e9}},
        {"lugre", {10, 1e-3, 1e6, 1e6}},
        {"clutch", {0, 1e12, 1e-6, 0, 0, 0, 0}},
        {"clutch", {1e-6, 1e-3, 1e9, 1e9, 1, 1, 0}},
        {"sat", {0, 1e9, 1e-9}},
        {"sat", {10, 1e-6, 1e3}},
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        ff_normal a = normal_of(rows[i].law, rows[i].values);
        ff_law_finding found[FF_LAW_FINDINGS];
        assert_whole(rows[i].law, found, ff_normal_verify(&a, 1e-3, 1, POINTS, found));
    }
    for (size_t i = 0; i < ROWS(slides); i++) {
        ff_friction a = friction_of(slides[i].law, slides[i].values);
        ff_law_finding found[FF_LAW_FINDINGS];
        assert_whole(slides[i].law, found, ff_friction_verify(&a, 1e-3, 1, 100, POINTS, found));
    }
}

/* the same result every time, with no state kept between calls */
static void test_it_is_the_same_every_time(void **state) {
    (void)state;
    ff_normal a = NORMAL("azad-featherstone", 1e6, 1e3, NAN, NAN),
              b = NORMAL("xiong", 1e6, 1e-5, 1e-4);
    ff_law_finding rows[3][FF_LAW_FINDINGS];
    memset(rows, 0, sizeof rows);
    size_t count = ff_normal_verify(&a, 1e-3, 1, POINTS, rows[0]);
    ff_normal_verify(&b, 1e-2, 3, POINTS, rows[2]);
    assert_int_equal(ff_normal_verify(&a, 1e-3, 1, POINTS, rows[1]), count);
    for (size_t i = 0; i < count; i++) {
        assert_true(rows[0][i].worst == rows[1][i].worst);
    }
    assert_null(row(rows[0], count, "states"));
    assert_non_null(row(rows[0], count, "ground"));
}

/* ---- normal laws with a wrong entry ---- */

static ff_normal whole;           /* the unmodified law */
static const ff_normal_law *ours; /* its table */

static void ask(const ff_normal_query *q, ff_normal_answer *out) { whole.respond(&whole, q, out); }

/* one function for each wrong result: `law` is the broken copy */
#define ANSWER(name, ...)                                                                          \
    static void name(const ff_normal *law, const ff_normal_query *q, ff_normal_answer *out) {      \
        (void)law;                                                                                 \
        ask(q, out);                                                                               \
        __VA_ARGS__;                                                                               \
    }
ANSWER(force_too_large, out->force *= 1.001)
ANSWER(loss_doubled, out->loss *= 2)
ANSWER(loss_negative, out->loss = -out->loss)
ANSWER(hold_shifted, out->hold += 1e-3 * whole.numbers[0] * q->z)
ANSWER(hold_negative, out->hold = -out->hold)
ANSWER(ratio_wrong, out->ratio *= 1.001)
ANSWER(slope_wrong, out->grade_slope *= 1.001)
ANSWER(open_wrong, if (q->open) out->force *= 1.001)
ANSWER(force_in_air, if (q->z < 0) out->force = 1e-9)
ANSWER(no_number, out->force = q->zdot > 0 ? (double)NAN : out->force)
ANSWER(rate_wrong, if (out->rate) out->rate[0] *= 1.001)
/* dry friction in the normal direction: its work is booked, its force jumps */
ANSWER(dry, double dry = 0.01 * ff_normal_force(&whole, q->z, 0, q->state) * copysign(1, q->zdot);
       out->force += dry; out->loss += dry * q->zdot)
/* the clamp acts slightly too early */
ANSWER(
    early_clamp, if (out->hold < 1e-3 * fabs(whole.numbers[0]) * q->z && !q->open) {
        out->loss -= out->force * q->zdot;
        out->force = 0;
    })

static double stored_seven(const ff_normal *law, double z, double zdot, const double *x) {
    (void)law;
    return 7 * ours->stored(&whole, z, zdot, x);
}
static double stored_negative(const ff_normal *law, double z, double zdot, const double *x) {
    (void)law;
    return -ours->stored(&whole, z, zdot, x);
}
static double stored_by_speed(const ff_normal *law, double z, double zdot, const double *x) {
    (void)law;
    return ours->stored(&whole, z, zdot, x) * (1 + 0.1 * zdot);
}
static void slopes_scaled(const ff_normal *law, const ff_normal_query *q, double *m) {
    ours->slopes(&whole, q, m);
    m[FF_BY_Z] *= 1.001;
    (void)law;
}
static void slopes_of_rate(const ff_normal *law, const ff_normal_query *q, double *m) {
    ours->slopes(&whole, q, m);
    m[FF_BY_ZDOT] = 0;
    (void)law;
}
static void slopes_of_grade(const ff_normal *law, const ff_normal_query *q, double *m) {
    ours->slopes(&whole, q, m);
    m[FF_OF_GRADE * (FF_BY_STATES + law->states) + FF_BY_Z] *= 1.001;
}
static void slopes_of_state(const ff_normal *law, const ff_normal_query *q, double *m) {
    ours->slopes(&whole, q, m);
    m[FF_OF_RATES * (FF_BY_STATES + law->states) + FF_BY_STATES] *= 1.001;
}
static double no_error(const ff_normal *law, const ff_normal_query *q, double z, double zdot) {
    (void)law, (void)q, (void)z, (void)zdot;
    return 0;
}
static void touch_nothing(const ff_normal *law, double zdot, double *x) {
    (void)law, (void)zdot;
    x[0] = NAN;
}
static void touch_energy(const ff_normal *law, double zdot, double *x) {
    (void)law, (void)zdot;
    x[0] += 1e-3;
}
static void leave_nothing(const ff_normal *law, double *x) {
    (void)law;
    x[0] = INFINITY;
}
static void rest_slow(const ff_normal *law, double time, double *x) {
    (void)law;
    ours->rest(&whole, 0.999 * time, x);
}
static double size_none(const ff_normal *law, int i, double depth, double speed) {
    (void)law, (void)i, (void)depth, (void)speed;
    return 0;
}
static double gap_shifted(const ff_normal *law, const ff_normal_query *q, double *rate) {
    (void)law;
    return ours->gap(&whole, q, rate) + 1e-6;
}
static double gap_turned(const ff_normal *law, const ff_normal_query *q, double *rate) {
    (void)law;
    return -ours->gap(&whole, q, rate);
}
static double gap_rate(const ff_normal *law, const ff_normal_query *q, double *rate) {
    (void)law;
    double gap = ours->gap(&whole, q, rate);
    *rate *= 1.001;
    return gap;
}
static double recover_fast(const ff_normal *law, double depth, double push, double *loss) {
    (void)law;
    return 1.001 * ours->recover(&whole, depth, push, loss);
}
static double recover_lossless(const ff_normal *law, double depth, double push, double *loss) {
    (void)law;
    double rate = ours->recover(&whole, depth, push, loss);
    *loss *= 0.999;
    return rate;
}
static double recover_unpushed(const ff_normal *law, double depth, double push, double *loss) {
    (void)law, (void)push;
    return ours->recover(&whole, depth, 0, loss);
}
#define VIEW(name, ...)                                                                            \
    static bool name(const ff_normal *law, double speed, ff_power *out) {                          \
        (void)law;                                                                                 \
        bool is = ours->power_form(&whole, speed, out);                                            \
        __VA_ARGS__;                                                                               \
        return is;                                                                                 \
    }
VIEW(view_k, out->k *= 1.001)
VIEW(view_n, out->n += 0.001)
VIEW(view_lambda, out->lambda_out *= 2)
VIEW(view_clamps, out->clamps = !out->clamps)
static bool choose_other(const ff_normal *law, const ff_power *power, double *values) {
    bool is = ours->with_power(law, power, values);
    values[0] *= 1.001;
    return is;
}
static bool choose_none(const ff_normal *law, const ff_power *power, double *values) {
    (void)law, (void)power, (void)values;
    return false;
}
static double decay_more(const ff_normal *law, double mass, double speed) {
    (void)law;
    return ours->decay(&whole, mass, speed) + 0.05;
}
static ff_status impact_more(const ff_normal *law, double mass, double speed, ff_impact *out) {
    (void)law;
    ff_status status = ours->impact(&whole, mass, speed, out);
    out->decay += 0.05;
    return status;
}
static ff_status curve_backwards(const ff_normal *law, double mass, double speed, size_t count,
                                 ff_impact_point *points) {
    (void)law;
    ff_status status = ours->curve(&whole, mass, speed, count, points);
    points[count - 1].velocity *= -1;
    return status;
}
static ff_status design_other(const ff_normal *law, double mass, double restitution, double time,
                              double *values, ff_error *error) {
    ff_status status = ours->design(law, mass, restitution, time, values, error);
    values[0] *= 1.01;
    return status;
}

/* a wrong result, or a table damaged by `entry` of the same index; and the check that detects it */
typedef struct {
    const char *law, *finding;
    ff_normal_point answer;
    ff_normal_law table; /* its non-NULL entries replace ours */
} normal_fault;

static ff_normal_law spoil(const ff_normal_law *from, const ff_normal_law *with) {
    ff_normal_law out = *from;
#define TAKE(entry) out.entry = with->entry ? with->entry : out.entry
    TAKE(stored);
    TAKE(slopes);
    TAKE(touch);
    TAKE(leave);
    TAKE(rest);
    TAKE(gap);
    TAKE(recover);
    TAKE(state_size);
    TAKE(hold_error);
    TAKE(power_form);
    TAKE(with_power);
    TAKE(decay);
    TAKE(impact);
    TAKE(curve);
    TAKE(design);
#undef TAKE
    return out;
}

static void test_wrong_entries_of_normal_laws_are_found(void **state) {
    (void)state;
    static const char *const power = "azad-featherstone", *const rate = "xiong",
                             *const speed = "flores";
    const normal_fault faults[] = {
        {power, "balance", force_too_large, {0}},
        {power, "view", force_too_large, {0}},
        {rate, "balance", force_too_large, {0}},
        {speed, "balance", force_too_large, {0}},
        {power, "balance", loss_doubled, {0}},
        {rate, "balance", loss_doubled, {0}},
        {power, "signs", loss_negative, {0}},
        {rate, "signs", loss_negative, {0}},
        {power, "roots", hold_shifted, {0}},
        {speed, "roots", hold_shifted, {0}},
        {power, "roots", hold_negative, {0}},
        {"two-term", "roots", hold_negative, {0}},
        {power, "view", ratio_wrong, {0}},
        {power, "slopes", slope_wrong, {0}},
        {"two-term", "slopes", slope_wrong, {0}},
        {power, "balance", open_wrong, {0}},
        {power, "continuity", open_wrong, {0}},
        {power, "roots", force_in_air, {0}},
        {power, "signs", no_number, {0}},
        {rate, "balance", rate_wrong, {0}},
        {rate, "states", rate_wrong, {0}},
        {power, "continuity", dry, {0}},
        {"hertz", "continuity", dry, {0}},
        {power, "continuity", early_clamp, {0}},
        {power, "roots", early_clamp, {0}},
        {power, "balance", NULL, {.stored = stored_seven}},
        {rate, "balance", NULL, {.stored = stored_seven}},
        {"two-term", "balance", NULL, {.stored = stored_seven}},
        {power, "signs", NULL, {.stored = stored_negative}},
        {power, "balance", NULL, {.stored = stored_by_speed}},
        {power, "slopes", NULL, {.slopes = slopes_scaled}},
        {rate, "slopes", NULL, {.slopes = slopes_scaled}},
        {power, "slopes", NULL, {.slopes = slopes_of_rate}},
        {power, "slopes", NULL, {.slopes = slopes_of_grade}},
        {rate, "slopes", NULL, {.slopes = slopes_of_state}},
        {power, "roots", NULL, {.hold_error = no_error}},
        {speed, "states", NULL, {.touch = touch_nothing}},
        {rate, "states", NULL, {.touch = touch_energy}},
        {rate, "states", NULL, {.leave = leave_nothing}},
        {rate, "states", NULL, {.rest = rest_slow}},
        {rate, "states", NULL, {.state_size = size_none}},
        {rate, "roots", NULL, {.gap = gap_shifted}},
        {rate, "roots", NULL, {.gap = gap_turned}},
        {rate, "roots", NULL, {.gap = gap_rate}},
        {power, "ground", NULL, {.recover = recover_fast}},
        {power, "ground", NULL, {.recover = recover_lossless}},
        {power, "ground", NULL, {.recover = recover_unpushed}},
        {power, "view", NULL, {.power_form = view_k}},
        {power, "view", NULL, {.power_form = view_n}},
        {power, "view", NULL, {.power_form = view_lambda}},
        {speed, "view", NULL, {.power_form = view_lambda}},
        {power, "view", NULL, {.power_form = view_clamps}},
        {power, "view", NULL, {.with_power = choose_other}},
        {power, "view", NULL, {.with_power = choose_none}},
        {"linear", "view", NULL, {.decay = decay_more}},
        {rate, "view", NULL, {.impact = impact_more}},
        {rate, "view", NULL, {.curve = curve_backwards}},
        {rate, "view", NULL, {.design = design_other}},
    };
    for (size_t i = 0; i < ROWS(faults); i++) {
        const normal_fault *f = &faults[i];
        whole = f->law == power    ? NORMAL(power, 8.5e6, 3.1e3, NAN, NAN)
                : f->law == rate   ? NORMAL(rate, 1e6, 1e-4, 1e-3)
                : f->law == speed  ? NORMAL(speed, 1e6, 0.7, NAN, NAN, NAN)
                : f->law[0] == 'l' ? NORMAL("linear", 1e6, 1e3, NAN, NAN)
                : f->law[0] == 'h' ? NORMAL("hertz", 1e6, NAN)
                                   : NORMAL("two-term", 1e6, NAN, 1e9, NAN, 0.1);
        ours = whole.law;
        ff_law_finding rows[FF_LAW_FINDINGS];
        if (i == 0 || f->law != faults[i - 1].law) {
            assert_whole(f->law, rows, ff_normal_verify(&whole, 1e-3, 1, POINTS, rows));
        }
        ff_normal_law table = spoil(ours, &f->table);
        ff_normal broken = whole;
        broken.law = &table;
        broken.respond = f->answer ? f->answer : whole.respond;
        char name[60];
        snprintf(name, sizeof name, "%s with fault %zu", f->law, i);
        assert_broken(name, rows, ff_normal_verify(&broken, 1e-3, 1, POINTS, rows), f->finding);
    }
}

/* ---- friction laws with a wrong entry ---- */

static ff_friction grip;
static const ff_friction_law *ours_too;

#define SLIDE(name, ...)                                                                           \
    static void name(const ff_friction *law, const ff_friction_query *q,                           \
                     ff_friction_answer *out) {                                                    \
        (void)law;                                                                                 \
        grip.respond(&grip, q, out);                                                               \
        __VA_ARGS__;                                                                               \
    }
SLIDE(slide_more, for (int i = 0; i < 3; i++) out->force[i] *= 1.001)
SLIDE(slide_along, for (int i = 0; i < 3; i++) out->force[i] *= -1)
SLIDE(damper_doubled, out->damper *= 2)
SLIDE(damper_negative, out->damper *= -1)
SLIDE(slip_less, out->slip *= 0.999)
SLIDE(slip_negative, out->slip *= -1)
SLIDE(viscous_less, out->viscous *= 0.999)
SLIDE(graded_none, out->graded = 0)
SLIDE(graded_twice, out->graded *= 2)
SLIDE(graded_flat, if (out->graded_by) out->graded_by[0] = 0)
SLIDE(strain_none, out->strain = 0)
SLIDE(viscous_dry, out->viscous = out->slip; out->slip = 0)
SLIDE(lift_less, out->lift *= 0.999)
SLIDE(lift_at_all, out->lift = 1)
SLIDE(moment_at_all, out->moment[2] = 1)
SLIDE(excess_turned, out->excess *= -1)
SLIDE(excess_shifted, out->excess += 1e-3 * fabs(out->excess) + 1e-3 * q->ratio)
SLIDE(slide_rate, for (int i = 0; i < 3; i++) out->rate[i] *= 1.001)
SLIDE(slide_no_number, out->force[0] = q->load == 0 ? (double)NAN : out->force[0])
/* slip begins immediately, with a smaller force: booked, but it jumps */
SLIDE(
    slide_drop, if (out->excess > 0) {
        double was = 0;
        for (int i = 0; i < 3; i++) {
            was -= out->force[i] * q->v[i];
            out->force[i] *= 0.99;
        }
        out->slip -= 0.01 * was;
    })

static double springs_seven(const ff_friction *law, double level, const double *u) {
    (void)law;
    return 7 * ours_too->stored(&grip, level, u);
}
static double springs_levelled(const ff_friction *law, double level, const double *u) {
    (void)law, (void)level;
    return ours_too->stored(&grip, 1, u);
}
#define STEEP(name, ...)                                                                           \
    static void name(const ff_friction *law, const ff_friction_query *q, double *m) {              \
        const int columns = FF_BY_U + 3 * law->vectors;                                            \
        (void)columns;                                                                             \
        ours_too->slopes(&grip, q, m);                                                             \
        __VA_ARGS__;                                                                               \
    }
STEEP(steep_v, m[FF_BY_V] *= 1.001)
STEEP(steep_load, m[FF_BY_LOAD] *= 1.001)
STEEP(steep_grade, m[FF_BY_GRADE] *= 1.001)
STEEP(steep_u, m[FF_BY_U + 1] += 1e-3 * m[FF_BY_U])
STEEP(steep_rate, m[FF_OF_U_RATES * columns + FF_BY_V] *= 1.001)
STEEP(steep_lift, m[FF_OF_LIFT * columns + FF_BY_U] *= 1.001)
static double excess_exact(const ff_friction *law, const ff_friction_query *q, double load,
                           double v, double u) {
    (void)law, (void)q, (void)load, (void)v, (void)u;
    return 0;
}
#define RELAX(name, ...)                                                                           \
    static void name(const ff_friction *law, double grade, const double *u,                        \
                     ff_friction_answer *out) {                                                    \
        (void)law;                                                                                 \
        ours_too->relax(&grip, grade, u, out);                                                     \
        __VA_ARGS__;                                                                               \
    }
RELAX(relax_fast, out->rate[0] *= 1.001)
RELAX(relax_more, out->damper *= 1.001)
RELAX(relax_graded, out->graded = 0)
static void match_other(double load, double stiffness, double time, double *values) {
    ours_too->match(load, 1.001 * stiffness, time, values);
}
static void ellipse_other(const ff_friction *law, const struct ff_ellipse *shape,
                          const ff_friction_query *q, ff_friction_answer *out) {
    (void)law;
    ours_too->ellipse(&grip, shape, q, out);
    out->force[0] *= 1.001;
}
static double reach_none(const ff_friction *law, double load) {
    (void)law, (void)load;
    return 0;
}
static double cone_negative(const ff_friction *law) {
    (void)law;
    return -1;
}

static void test_wrong_entries_of_friction_laws_are_found(void **state) {
    (void)state;
    static const struct {
        const char *law, *finding;
        ff_friction_point answer;
        ff_friction_law table;
    } faults[] = {
        {"clutch", "balance", slide_more, {0}},
        {"dahl", "balance", slide_more, {0}},
        {"sat", "balance", slide_more, {0}},
        {"coulomb", "balance", slide_more, {0}},
        {"coulomb", "signs", slide_along, {0}},
        {"clutch", "balance", damper_doubled, {0}},
        {"lugre", "balance", damper_doubled, {0}},
        {"sat", "balance", damper_doubled, {0}},
        {"clutch", "signs", damper_negative, {0}},
        {"clutch", "balance", slip_less, {0}},
        {"bengisu-akay", "balance", slip_less, {0}},
        {"sat", "signs", slip_negative, {0}},
        {"clutch", "balance", viscous_less, {0}},
        {"lugre", "balance", viscous_less, {0}},
        {"clutch", "balance", graded_none, {0}},
        {"dahl", "balance", graded_none, {0}},
        {"lugre", "balance", graded_twice, {0}},
        {"lugre", "slopes", graded_flat, {0}},
        {"clutch", "slopes", graded_flat, {0}},
        {"clutch", "roots", strain_none, {0}},
        {"coulomb", "signs", viscous_dry, {0}},
        {"passive", "balance", lift_less, {0}},
        {"clutch", "signs", lift_at_all, {0}},
        {"clutch", "signs", moment_at_all, {0}},
        {"clutch", "roots", excess_turned, {0}},
        {"sat", "roots", excess_turned, {0}},
        {"clutch", "roots", excess_shifted, {0}},
        {"passive", "roots", excess_shifted, {0}},
        {"clutch", "balance", slide_rate, {0}},
        {"dahl", "balance", slide_rate, {0}},
        {"sat", "balance", slide_rate, {0}},
        {"clutch", "signs", slide_no_number, {0}},
        {"clutch", "continuity", slide_drop, {0}},
        {"sat", "continuity", slide_drop, {0}},
        {"clutch", "balance", NULL, {.stored = springs_seven}},
        {"passive", "balance", NULL, {.stored = springs_seven}},
        {"dahl", "balance", NULL, {.stored = springs_seven}},
        {"sat", "balance", NULL, {.stored = springs_seven}},
        {"dahl", "balance", NULL, {.stored = springs_levelled}},
        {"clutch", "balance", NULL, {.stored = springs_levelled}},
        {"clutch", "slopes", NULL, {.slopes = steep_v}},
        {"coulomb", "slopes", NULL, {.slopes = steep_v}},
        {"dahl", "slopes", NULL, {.slopes = steep_load}},
        {"sat", "slopes", NULL, {.slopes = steep_load}},
        {"clutch", "slopes", NULL, {.slopes = steep_grade}},
        {"passive", "slopes", NULL, {.slopes = steep_lift}},
        {"clutch", "slopes", NULL, {.slopes = steep_u}},
        {"dahl", "slopes", NULL, {.slopes = steep_rate}},
        {"clutch", "roots", NULL, {.excess_error = excess_exact}},
        {"sat", "roots", NULL, {.excess_error = excess_exact}},
        {"clutch", "ground", NULL, {.relax = relax_fast}},
        {"clutch", "ground", NULL, {.relax = relax_more}},
        {"clutch", "ground", NULL, {.relax = relax_graded}},
        {"lugre", "view", NULL, {.match = match_other}},
        {"sat", "view", NULL, {.ellipse = ellipse_other}},
        {"dahl", "states", NULL, {.reach = reach_none}},
        {"coulomb", "states", NULL, {.cone = cone_negative}},
    };
    for (size_t i = 0; i < ROWS(faults); i++) {
        const char *law = faults[i].law;
        const ff_friction_law *with = &faults[i].table;
        grip = strcmp(law, "clutch") == 0    ? FRICTION("clutch", 0.2, 1e6, 1e3, 10, NAN, NAN, NAN)
               : strcmp(law, "passive") == 0 ? FRICTION("clutch", 0.2, 1e6, 1e3, 10, 1, NAN, NAN)
               : strcmp(law, "dahl") == 0    ? FRICTION("dahl", 0.2, 1e3)
               : strcmp(law, "lugre") == 0   ? FRICTION("lugre", 0.2, 1e3, 1, 0.1)
               : strcmp(law, "sat") == 0     ? FRICTION("sat", 0.2, 1e6, 1e-3)
               : strcmp(law, "coulomb") == 0 ? FRICTION("coulomb", 0.2, NAN)
                                             : FRICTION("bengisu-akay", 0.3, 0.2, NAN, 10);
        ours_too = grip.law;
        ff_law_finding rows[FF_LAW_FINDINGS];
        if (i == 0 || strcmp(law, faults[i - 1].law) != 0) {
            assert_whole(law, rows, ff_friction_verify(&grip, 1e-3, 1, 100, POINTS, rows));
        }
        ff_friction_law table = *ours_too;
        table.stored = with->stored ? with->stored : table.stored;
        table.slopes = with->slopes ? with->slopes : table.slopes;
        table.excess_error = with->excess_error ? with->excess_error : table.excess_error;
        table.relax = with->relax ? with->relax : table.relax;
        table.reach = with->reach ? with->reach : table.reach;
        table.cone = with->cone ? with->cone : table.cone;
        table.match = with->match ? with->match : table.match;
        table.ellipse = with->ellipse ? with->ellipse : table.ellipse;
        ff_friction broken = grip;
        broken.law = &table;
        broken.respond = faults[i].answer ? faults[i].answer : grip.respond;
        char name[60];
        snprintf(name, sizeof name, "%s with fault %zu", law, i);
        assert_broken(name, rows, ff_friction_verify(&broken, 1e-3, 1, 100, POINTS, rows),
                      faults[i].finding);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_our_normal_laws_hold),
    cmocka_unit_test(test_our_friction_laws_hold),
    cmocka_unit_test(test_extreme_parameters_hold),
    cmocka_unit_test(test_it_is_the_same_every_time),
    cmocka_unit_test(test_wrong_entries_of_normal_laws_are_found),
    cmocka_unit_test(test_wrong_entries_of_friction_laws_are_found),
};

CHECK_MAIN(tests)
