/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* The tables of all laws, their arithmetic for one contact at a time, and fused functions for both laws of one contact. */

#include "decay.h"
#include "num/isa.h"
#include "split.h"
#include "xiong.h"
#include <footfall/impact.h>
#include <footfall/material.h>

#define LANES 1
#define SET scalar
#define SQRT(x) sqrt(x)
#define TABLES

#define NORMAL_LAW(name) static const ff_normal_law name##_law
#define FRICTION_LAW(name) static const ff_friction_law name##_law

#define PARAM_MU                                                                                   \
    { "mu", "1", 0, INFINITY, NAN, "coefficient of friction", NULL }
/* the bristle equation contains k/mu: mu = 0 is not possible */
#define PARAM_MU_POSITIVE                                                                          \
    { "mu", "1", FF_POSITIVE, INFINITY, NAN, "coefficient of friction", NULL }

#include "template.inc"

/* The build generates these lists from the lines NORMAL_LAW(..) and FRICTION_LAW(..) in laws/. */
#define LISTED(name) &name##_law,
const ff_normal_law *const ff_own_normal_laws[] = {
#include "normal_laws.inc"
    NULL};
const ff_friction_law *const ff_own_friction_laws[] = {
#include "friction_laws.inc"
    NULL};

/* ---- both laws of one contact ---- */

#define FUSED(normal_tag, slide_tag)                                                               \
    static void normal_tag##_with_##slide_tag(                                                     \
        const ff_normal *normal, const ff_friction *friction, const ff_normal_query *query,        \
        const ff_friction_query *slide, ff_pair_answer *out) {                                     \
        normal_out n = normal_tag##_read(normal, query, out->rate);                                \
        slide_in in = {.z = query->z,                                                              \
                       .zdot = query->zdot,                                                        \
                       .load = larger(n.force, 0),                                                 \
                       .grade = n.grade,                                                           \
                       .slope = n.slope,                                                           \
                       .ratio = friction->lifts ? n.ratio : larger(n.ratio, 0),                    \
                       .v = {{slide->v[0], slide->v[1], slide->v[2]}}};                            \
        slide_out f = slide_tag##_read(friction, in, slide->u, out->u_rate);                       \
        out->force = n.force;                                                                      \
        out->loss = n.loss;                                                                        \
        out->grade = n.grade;                                                                      \
        out->ratio = n.ratio;                                                                      \
        out->hold = n.hold;                                                                        \
        store_vector(out->pull, 1, 1, f.force);                                                    \
        out->lift = f.lift;                                                                        \
        out->damper = f.damper;                                                                    \
        out->slip = f.slip;                                                                        \
        out->viscous = f.viscous;                                                                  \
        out->excess = f.excess;                                                                    \
        out->strain = f.strain;                                                                    \
        out->graded = slide_tag##_is_graded ? f.graded : 0;                                        \
        if (slide_tag##_is_graded && out->graded_by) {                                             \
            store_vector(out->graded_by, 1, 1, f.graded_by);                                       \
        }                                                                                          \
    }
#define FUSED_ENTRY(normal_tag, slide_tag)                                                         \
    {&normal_tag##_form, &slide_tag##_form, normal_tag##_with_##slide_tag},

/* the pairs of laws in the published models, and those most frequent in scenes */
#define FUSED_PAIRS(X)                                                                             \
    X(n32_p12, clutch)                                                                             \
    X(n32_p12, sat)                                                                                \
    X(n32_p12, ramp)                                                                               \
    X(n32_p12, bristle)                                                                            \
    X(n32_p32, clutch)                                                                             \
    X(n32_p32, ramp)                                                                               \
    X(n32_p1, clutch)                                                                              \
    X(n32_p1, stribeck)                                                                            \
    X(n1_p0, clutch)                                                                               \
    X(n1_p1, clutch)                                                                               \
    X(xiong, sat)

FUSED_PAIRS(FUSED)

static void one_after_other(const ff_normal *normal, const ff_friction *friction,
                            const ff_normal_query *query, const ff_friction_query *slide,
                            ff_pair_answer *out) {
    /* a friction law may write rates even if they are not wanted */
    double unwanted[FF_FRICTION_STATES];
    ff_normal_answer n = {.rate = out->rate};
    ff_friction_query q = *slide;
    ff_friction_answer f = {.rate = out->u_rate ? out->u_rate : unwanted,
                            .graded_by = out->graded_by};
    normal->respond(normal, query, &n);
    q.z = query->z;
    q.zdot = query->zdot;
    q.load = ff_normal_load(normal, n.force, n.grade, n.ratio);
    q.grade = n.grade;
    q.grade_slope = n.grade_slope;
    q.ratio = friction->lifts ? n.ratio : larger(n.ratio, 0);
    friction->respond(friction, &q, &f);
    out->force = n.force;
    out->loss = n.loss;
    out->grade = n.grade;
    out->ratio = n.ratio;
    out->hold = n.hold;
    memcpy(out->pull, f.force, sizeof out->pull);
    out->twist = f.twist;
    memcpy(out->moment, f.moment, sizeof out->moment);
    out->lift = f.lift;
    out->damper = f.damper;
    out->slip = f.slip;
    out->viscous = f.viscous;
    out->excess = f.excess;
    out->strain = f.strain;
    out->first = f.first;
    out->graded = f.graded;
}

ff_pair_point ff_pair_find(const ff_normal *normal, const ff_friction *friction) {
    static const struct {
        const ff_normal_form *normal;
        const ff_friction_form *friction;
        ff_pair_point both;
    } pairs[] = {FUSED_PAIRS(FUSED_ENTRY)};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (pairs[i].normal == normal->form && pairs[i].friction == friction->form) {
            return pairs[i].both;
        }
    }
    return one_after_other;
}
