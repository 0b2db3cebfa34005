/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "motion.h"

/* Deliberately wrong laws: each result, stored energy and sign in turn. The residual of the ledger must show it. */

/* ---- kinds of damage ---- */

typedef enum {
    NOTHING,
    NORMAL_FORCE,
    NORMAL_LOSS_SIGN,
    NORMAL_LOSS,
    NORMAL_STORED,
    NORMAL_RATE,
    FRICTION_FORCE,
    FRICTION_RATE,
    LIFT,
    DAMPER_SIGN,
    DAMPER,
    SLIP_SIGN,
    SLIP_LOSS,
    VISCOUS_SIGN,
    VISCOUS,
    GRADED,
    GRADED_SIGN,
    GRADED_SLOPE,
    GRADED_SLOPE_SIGN,
    FRICTION_STORED,
    FRICTION_STORED_SIGN,
    BREAKS
} damage;

static const char *const names[BREAKS] = {"nothing",
                                          "normal force",
                                          "sign of the normal loss",
                                          "normal loss",
                                          "normal stored",
                                          "normal rate",
                                          "friction force",
                                          "friction rate",
                                          "lift",
                                          "sign of the damper",
                                          "damper",
                                          "sign of slip",
                                          "slip",
                                          "sign of viscous",
                                          "viscous",
                                          "graded",
                                          "sign of graded",
                                          "graded slope",
                                          "sign of the graded slope",
                                          "friction stored",
                                          "sign of friction stored"};

static damage broken;
static ff_normal real_normal;
static ff_friction real_friction;

static void wrong_press(const ff_normal *law, const ff_normal_query *q, ff_normal_answer *out) {
    (void)law;
    real_normal.respond(&real_normal, q, out);
    out->force *= broken == NORMAL_FORCE ? 1.01 : 1;
    out->ratio *= broken == NORMAL_FORCE ? 1.01 : 1;
    out->loss *= broken == NORMAL_LOSS_SIGN ? -1 : broken == NORMAL_LOSS ? 1.1 : 1;
    if (broken == NORMAL_RATE && out->rate && law->states > 0) {
        out->rate[0] *= 1.1;
    }
}

static double wrong_stored(const ff_normal *law, double z, double zdot, const double *state) {
    (void)law;
    return (broken == NORMAL_STORED ? 7 : 1) * ff_normal_stored(&real_normal, z, zdot, state);
}

static void wrong_slide(const ff_friction *law, const ff_friction_query *q,
                        ff_friction_answer *out) {
    (void)law;
    real_friction.respond(&real_friction, q, out);
    for (int i = 0; i < 3; i++) {
        out->force[i] *= broken == FRICTION_FORCE ? 1.01 : 1;
        if (broken == FRICTION_RATE && out->rate) {
            out->rate[i] *= 1.1;
        }
    }
    out->lift *= broken == LIFT ? 0.9 : 1;
    out->damper *= broken == DAMPER_SIGN ? -1 : broken == DAMPER ? 1.1 : 1;
    out->slip *= broken == SLIP_SIGN ? -1 : broken == SLIP_LOSS ? 1.1 : 1;
    out->viscous *= broken == VISCOUS_SIGN ? -1 : broken == VISCOUS ? 1.5 : 1;
    out->graded *= broken == GRADED_SIGN ? -1 : broken == GRADED ? 7 : 1;
    for (int i = 0; i < 3 && out->graded_by; i++) {
        out->graded_by[i] *= broken == GRADED_SLOPE_SIGN ? -1 : broken == GRADED_SLOPE ? 7 : 1;
    }
}

static double wrong_spring(const ff_friction *law, double level, const double *u) {
    (void)law;
    double by = broken == FRICTION_STORED ? 7 : broken == FRICTION_STORED_SIGN ? -1 : 1;
    return by * real_friction.law->stored(&real_friction, level, u);
}

/* The largest residual of a run, relative to its scale. */
static double worst_residual(damage what) {
    ff_normal_law press = *real_normal.law;
    ff_friction_law slide = *real_friction.law;
    ff_normal n = real_normal;
    ff_friction f = real_friction;
    broken = what;
    press.respond = wrong_press;
    press.stored = wrong_stored;
    slide.respond = wrong_slide;
    slide.stored = wrong_spring;
    n.law = &press;
    n.form = NULL;
    n.respond = wrong_press;
    f.law = &slide;
    f.form = NULL;
    f.respond = wrong_slide;
    ff_scene *scene = ff_scene_create();
    ff_scene_set_gravity(scene, (double[]){0, 0, -9.81});
    add_ball(scene, "ball", 0.154, 0.0165, (double[]){0, 0, 0.03}, (double[]){0.5, 0.5, 0});
    ff_plane_def belt = {.size = sizeof(ff_plane_def),
                         .name = "floor",
                         .normal = {0, 0, 1},
                         .surface_velocity = {0.2, 0, 0}};
    assert_true(ff_scene_add_plane(scene, &belt) >= 0);
    add_pair(scene, "ball", "floor", n, f);
    ff_model *model = compiled(scene);
    ff_sim *sim = started(model, FF_DOPRI5, 1e-9);
    double worst = 0;
    /* the first contact, from touch-down to slightly after its end */
    while (ff_sim_time(sim) < 0.06) {
        assert_true(ff_sim_step(sim, 0.06) >= 0);
        ff_ledger l = ff_sim_ledger(sim);
        worst = fmax(worst, fabs(l.residual) / l.scale);
    }
    finish(sim, model);
    return worst;
}

/* members that a law does not use cannot be wrong */
static bool applies(damage what) {
    const ff_friction *f = &real_friction;
    bool sprung = f->vectors > 0, graded = f->law->level != FF_LEVEL_ONE && !f->lifts;
    double viscous = ff_friction_value(f, "viscous"), damping = ff_friction_value(f, "damping");
    switch (what) {
    case NORMAL_RATE: return real_normal.law->rest;
    case FRICTION_RATE:
    case FRICTION_STORED:
    case FRICTION_STORED_SIGN: return sprung;
    case DAMPER:
    case DAMPER_SIGN: return sprung && !(damping == 0) && strcmp(f->law->name, "dahl") != 0;
    case LIFT: return f->lifts;
    case VISCOUS:
    case VISCOUS_SIGN: return viscous > 0;
    case GRADED:
    case GRADED_SIGN:
    case GRADED_SLOPE:
    case GRADED_SLOPE_SIGN: return graded;
    default: return true;
    }
}

static void check(const char *normal_name, const double *normal_values, const char *friction_name,
                  const double *friction_values) {
    real_normal = normal(normal_name, normal_values);
    real_friction = friction(friction_name, friction_values);
    double sound = worst_residual(NOTHING);
    assert_holds(sound < 1e-8, "%s, %s: %g of scale", normal_name, friction_name, sound);
    for (int what = 1; what < BREAKS; what++) {
        if (applies((damage)what)) {
            double seen = worst_residual((damage)what);
            assert_holds(seen > 1e-6 && seen > 100 * sound, "%s, %s, %s: %g of scale is not seen",
                         normal_name, friction_name, names[what], seen);
        }
    }
}

static void test_residual_shows_what_is_wrong(void **state) {
    (void)state;
    const double azad_values[] = {8.5e6, 3.1e3, NAN, NAN};
    check("azad-featherstone", azad_values, "clutch",
          (double[]){0.2, 12.75e6, 3.1e3, 5, NAN, NAN, NAN});
    check("azad-featherstone", azad_values, "clutch",
          (double[]){0.2, 12.75e6, 3.1e3, 5, 1, NAN, NAN});
    check("azad-featherstone", azad_values, "dahl", (double[]){0.2, 2e4});
    check("azad-featherstone", azad_values, "lugre", (double[]){0.2, 2e4, 2, 1});
    check("linear", (double[]){1e5, 50, NAN, NAN}, "lugre", (double[]){0.2, 2e4, 2, 1});
    check("xiong", (double[]){1e5, 1e-4, 5e-4}, "sat", (double[]){0.2, 1e5, 1e-4});
    check("hunt-crossley", (double[]){8.5e6, 1e6, NAN, NAN, NAN}, "coulomb", (double[]){0.2, 1e-2});
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_residual_shows_what_is_wrong),
};

CHECK_MAIN(tests)
