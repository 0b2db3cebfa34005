/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "kernels.h"
#include "num/elementary.h"
#include "params.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PARAM_MU                                                                                   \
    { "mu", "1", 0, INFINITY, NAN, "coefficient of friction", NULL }
/* a bristle wears at the rate k/mu: without friction it has no law */
#define PARAM_MU_POSITIVE                                                                          \
    { "mu", "1", FF_POSITIVE, INFINITY, NAN, "coefficient of friction", NULL }

static void none_numbers(ff_friction *law, const double *x) { (void)law, (void)x; }

static const ff_friction_law none = {
    .abi = FF_LAW_ABI,
    .name = "none",
    .formula = "f = 0",
    .source = "",
    .limits = "No friction.",
    .params = {{0}},
    .numbers = none_numbers,
};

static void ramp_numbers(ff_friction *law, const double *x) {
    law->mu = x[0];
    law->v0 = x[1];
}

static const ff_friction_law coulomb = {
    .abi = FF_LAW_ABI,
    .name = "coulomb",
    .formula = "f = -mu N v/max(|v|, v_ramp)",
    .source = "Coulomb 1785, with a linear ramp",
    .limits = "Creeps under any load: no stiction. Stiff for a small v_ramp.",
    .params = {PARAM_MU,
               {"v_ramp", "m/s", FF_POSITIVE, INFINITY, 1e-3, "speed below which the force ramps",
                NULL}},
    .numbers = ramp_numbers,
};

static const ff_friction_law awrejcewicz = {
    .abi = FF_LAW_ABI,
    .name = "awrejcewicz",
    .formula = "f = -mu N sat(epsilon, v)/epsilon",
    .source = "Awrejcewicz, Feckan and Olejnik 2005; Xiong et al. 2013, eq. 50",
    .limits = "The same force as coulomb with v_ramp = epsilon, under the name of its analysis.",
    .params = {PARAM_MU,
               {"epsilon", "m/s", FF_POSITIVE, INFINITY, 1e-5, "width of the ramp", NULL}},
    .numbers = ramp_numbers,
};

static void bengisu_akay_numbers(ff_friction *law, const double *x) {
    law->mu_s = x[0];
    law->mu = x[1];
    law->v0 = x[2];
    law->xi = x[3];
}

static const ff_friction_law bengisu_akay = {
    .abi = FF_LAW_ABI,
    .name = "bengisu-akay",
    .formula = "|v| < v0: |f| = mu_s N (1 - (1 - |v|/v0)^2), else N (mu + (mu_s - mu) exp(-xi (|v| "
               "- v0)))",
    .source = "Bengisu and Akay 1994, with the signs and units corrected (Corral et al. 2017)",
    .limits = "No stiction: creeps. The slope 2 mu_s N/v0 at rest is stiff.",
    .params = {{"mu_s", "1", 0, INFINITY, NAN, "static coefficient", NULL},
               {"mu", "1", 0, INFINITY, NAN, "kinetic coefficient", NULL},
               {"v0", "m/s", FF_POSITIVE, INFINITY, 1e-4, "speed of the greatest force", NULL},
               {"xi", "s/m", 0, INFINITY, 1000, "how fast static falls to kinetic", NULL}},
    .numbers = bengisu_akay_numbers,
};

static void dahl_numbers(ff_friction *law, const double *x) {
    law->mu = x[0];
    law->k = x[1];
}

static const ff_friction_law dahl = {
    .abi = FF_LAW_ABI,
    .name = "dahl",
    .formula = "f = -N k a, a' = v - (k/mu) |v| a",
    .source = "Dahl 1968; Xiong et al. 2013, eq. 12 with B = D = 0",
    .limits = "Drifts under an oscillating force below the friction level. k per newton of load.",
    .params = {PARAM_MU_POSITIVE,
               {"k", "1/m", FF_POSITIVE, INFINITY, NAN, "bristle stiffness per load", NULL}},
    .inner = true,
    .numbers = dahl_numbers,
};

static void lugre_numbers(ff_friction *law, const double *x) {
    law->mu = x[0];
    law->k = x[1];
    law->damping = x[2];
    law->viscous = x[3];
}

static const ff_friction_law lugre = {
    .abi = FF_LAW_ABI,
    .name = "lugre",
    .formula = "f = -N (k a + damping a' + viscous v), a' = v - (k/mu) |v| a",
    .source = "Canudas de Wit et al. 1995 without Stribeck effect; Xiong et al. 2013, eq. 12",
    .limits = "Drifts under an oscillating force below the friction level. All per newton of load.",
    .params = {PARAM_MU_POSITIVE,
               {"k", "1/m", FF_POSITIVE, INFINITY, NAN, "bristle stiffness per load", NULL},
               {"damping", "s/m", 0, INFINITY, 0, "bristle damping per load", NULL},
               {"viscous", "s/m", 0, INFINITY, 0, "viscous friction per load", NULL}},
    .inner = true,
    .numbers = lugre_numbers,
};

static const char *const passive_words[] = {"false", "true", NULL};

static void clutch_numbers(ff_friction *law, const double *x) {
    law->mu = x[0];
    law->k = x[1];
    law->damping = x[2];
    law->viscous = x[3];
    law->passive = x[4] != 0;
}

static const ff_friction_law clutch = {
    .abi = FF_LAW_ABI,
    .name = "clutch",
    .formula =
        "f_stick = -z^(n-1) (k u + damping v), cut at mu N + viscous |v_clutch|; u' = v - v_clutch",
    .source = "Azad and Featherstone 2010, eqs 19-31, solved for v_clutch",
    .limits = "The spring gains energy as z grows (booked as regrade) unless passive. n is the "
              "normal law's.",
    .params = {PARAM_MU,
               {"k", "N/m^n", FF_POSITIVE, INFINITY, NAN, "tangential stiffness", NULL},
               {"damping", "N s/m^n", FF_POSITIVE, INFINITY, NAN, "tangential damping", NULL},
               {"viscous", "N s/m", 0, INFINITY, 0, "viscous friction while slipping", NULL},
               {"passive", NULL, 0, 1, 0, "let the spring act back on the normal force",
                passive_words}},
    .inner = true,
    .events = true,
    .numbers = clutch_numbers,
};

static void sat_numbers(ff_friction *law, const double *x) {
    law->mu = x[0];
    law->k = x[1];
    law->beta = x[2];
}

static const ff_friction_law sat = {
    .abi = FF_LAW_ABI,
    .name = "sat",
    .formula = "f = -k sat(mu N/k, a + beta v), a' = (sat(mu N/k, a + beta v) - a)/beta",
    .source = "Kikuuwe et al. 2006; Xiong, Kikuuwe and Yamamoto 2013, eq. 18",
    .limits = "Static friction equals kinetic friction. Sticks without drift.",
    .params = {PARAM_MU,
               {"k", "N/m", FF_POSITIVE, INFINITY, NAN, "tangential stiffness", NULL},
               {"beta", "s", FF_POSITIVE, INFINITY, NAN, "damping time", NULL}},
    .inner = true,
    .events = true,
    .numbers = sat_numbers,
};

static const ff_friction_law *const laws[] = {
    &none, &coulomb, &awrejcewicz, &bengisu_akay, &dahl, &lugre, &clutch, &sat,
};

const ff_friction_law *ff_friction_law_at(size_t i) {
    return i < sizeof laws / sizeof *laws ? laws[i] : NULL;
}

const ff_friction_law *ff_friction_law_find(const char *name) {
    const ff_friction_law *law;
    for (size_t i = 0; (law = ff_friction_law_at(i)); i++) {
        if (strcmp(law->name, name) == 0) {
            return law;
        }
    }
    return NULL;
}

/* ---- a law with its numbers ---- */

static ff_friction_form form(const ff_friction_law *law) {
    if (law->point) {
        return FF_SLIDE_USER;
    }
    return law == &none           ? FF_SLIDE_NONE
           : law == &bengisu_akay ? FF_SLIDE_STRIBECK
           : law == &clutch       ? FF_SLIDE_CLUTCH
           : law == &sat          ? FF_SLIDE_SAT
           : law->inner           ? FF_SLIDE_BRISTLE
                                  : FF_SLIDE_RAMP;
}

void ff_friction_use(ff_friction *law, const ff_kernels *set) {
    law->kernels = &set->friction[form(law->law)];
    law->single = law->law->point ? law->law->point : ff_friction_singles[form(law->law)];
}

ff_status ff_friction_init(ff_friction *out, const ff_friction_law *law, const double *values,
                           ff_error *error) {
    double checked[FF_LAW_PARAMS];
    ff_friction made = {.law = law};
    ff_status status = ff_law_check(law->name, law->abi, law->params, values, checked, error);
    if (status < 0) {
        return status;
    }
    law->numbers(&made, checked);
    ff_friction_use(&made, ff_kernels_best());
    *out = made;
    return FF_OK;
}

static double square(const double a[3]) { return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]; }

/* |a x + b y| */
static double sum_size(double a, const double x[3], double b, const double y[3]) {
    return sqrt(square((double[]){a * x[0] + b * y[0], a * x[1] + b * y[1], a * x[2] + b * y[2]}));
}

/* (load + lift)/grade of a clutch, as its kernel has it */
static double clutch_ratio(const ff_friction *law, const ff_friction_query *q) {
    double lift = law->passive ? law->k / 2 * square(q->u) * q->grade_slope : 0;
    return q->ratio + lift / fmax(q->grade, 1e-200);
}

ff_friction_answer ff_friction_at(const ff_friction *law, const ff_friction_query *q) {
    ff_friction_answer out = {0};
    law->single(law, q, &out);
    if (law->law->point) {
        return out;
    }
    double energy = law->k / 2 * square(q->u);
    switch (form(law->law)) {
    case FF_SLIDE_BRISTLE:
        out.stored = energy * q->load;
        out.regrade = -energy * q->load_rate;
        break;
    case FF_SLIDE_CLUTCH:
        out.stored = energy * q->grade;
        out.regrade = law->passive ? 0 : -energy * q->grade_slope * q->zdot;
        out.slips = sum_size(law->k, q->u, law->damping, q->v) > law->mu * clutch_ratio(law, q);
        break;
    case FF_SLIDE_SAT:
        out.stored = energy;
        out.slips = sum_size(1, q->u, law->beta, q->v) > law->mu * q->load / law->k;
        break;
    default: break;
    }
    return out;
}

/* ---- partial derivatives ---- */

/* a[3][3] += along d d^T + across (I - d d^T) for a unit vector d */
static void add_split(double a[3][3], const double d[3], double along, double across) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double dd = d[i] * d[j];
            a[i][j] += along * dd + across * ((i == j) - dd);
        }
    }
}

/* a[3][3] += s x y^T */
static void add_outer(double a[3][3], double s, const double x[3], const double y[3]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a[i][j] += s * x[i] * y[j];
        }
    }
}

/* the length of a, and its direction in d (any unit vector serves where a = 0) */
static double split(const double a[3], double d[3]) {
    double size = sqrt(square(a));
    for (int i = 0; i < 3; i++) {
        d[i] = size > 0 ? a[i] / size : i == 0;
    }
    return size;
}

/* f = -c(|v|) v N: along v the slope is -(c + c' |v|) N, across it -c N */
static void stateless_slopes(const ff_friction *law, const ff_friction_query *q,
                             ff_friction_slopes *out) {
    double d[3], speed = split(q->v, d), across, along;
    if (form(law->law) == FF_SLIDE_RAMP) {
        across = law->mu / fmax(speed, law->v0);
        along = speed > law->v0 ? 0 : across;
    } else if (speed < law->v0) {
        across = law->mu_s * (2 - speed / law->v0) / law->v0;
        along = 2 * law->mu_s * (1 - speed / law->v0) / law->v0;
    } else {
        double fall = (law->mu_s - law->mu) * ff_exp(-law->xi * (speed - law->v0));
        across = (law->mu + fall) / speed;
        along = -law->xi * fall;
    }
    add_split(out->df_dv, d, -q->load * along, -q->load * across);
    for (int i = 0; i < 3; i++) {
        out->df_dload[i] = -across * q->v[i];
    }
}

/* a' = v - (k/mu) |v| a, f = -N (k a + damping a' + viscous v) */
static void bristle_slopes(const ff_friction *law, const ff_friction_query *q,
                           ff_friction_slopes *out) {
    double d[3], speed = split(q->v, d), wear = law->k / law->mu, N = q->load;
    add_split(out->dr_dv, d, 1, 1);
    if (speed > 0) {
        add_outer(out->dr_dv, -wear, q->u, d);
    }
    add_split(out->dr_du, d, -wear * speed, -wear * speed);
    for (int i = 0; i < 3; i++) {
        double rate = q->v[i] - wear * speed * q->u[i];
        out->df_dload[i] = -(law->k * q->u[i] + law->damping * rate + law->viscous * q->v[i]);
        for (int j = 0; j < 3; j++) {
            out->df_dv[i][j] = -N * (law->damping * out->dr_dv[i][j] + law->viscous * (i == j));
            out->df_du[i][j] = -N * (law->k * (i == j) + law->damping * out->dr_du[i][j]);
        }
    }
}

/* With s = k u + damping v, d = s/|s|, hold = mu ratio: while slipping
 * f = -g d ((1 - a) hold + a |s|), a = c h, and v_clutch = d h (|s| - hold). By the grade without the lift
 * of a passive clutch, which depends on the depth in its own way. */
static void clutch_slopes(const ff_friction *law, const ff_friction_query *q,
                          ff_friction_slopes *out) {
    double s[3], d[3], g = fmax(q->grade, 1e-200), D = law->damping, k = law->k;
    for (int i = 0; i < 3; i++) {
        s[i] = k * q->u[i] + D * q->v[i];
    }
    double size = split(s, d), hold = law->mu * clutch_ratio(law, q);
    add_split(out->dr_dv, d, 1, 1);
    if (size <= hold) {
        add_split(out->df_dv, d, -q->grade * D, -q->grade * D);
        add_split(out->df_du, d, -q->grade * k, -q->grade * k);
        for (int i = 0; i < 3; i++) {
            out->df_dgrade[i] = -s[i];
        }
        return;
    }
    double c = law->viscous / g, h = 1 / (D + c), a = c * h;
    double across = ((1 - a) * hold + a * size) / size, turn = h * (size - hold) / size;
    add_split(out->df_dv, d, -q->grade * a * D, -q->grade * across * D);
    add_split(out->df_du, d, -q->grade * a * k, -q->grade * across * k);
    add_split(out->dr_dv, d, -h * D, -turn * D);
    add_split(out->dr_du, d, -h * k, -turn * k);
    for (int i = 0; i < 3; i++) {
        out->df_dload[i] = -d[i] * (1 - a) * law->mu;
        out->dr_dload[i] = d[i] * h * law->mu / g;
        /* da/dg = -a (1 - a)/g, dh/dg = a h/g, and hold is load over g */
        out->df_dgrade[i] = -d[i] * (a * size + a * (1 - a) * (hold - size));
        out->dr_dgrade[i] = -d[i] * h / g * (a * (size - hold) + hold);
    }
    if (law->passive) {
        /* the lift raises hold with u */
        double per = law->mu * k * q->grade_slope / g;
        add_outer(out->df_du, -q->grade * (1 - a) * per, d, q->u);
        add_outer(out->dr_du, h * per, d, q->u);
    }
}

static void sat_slopes(const ff_friction *law, const ff_friction_query *q,
                       ff_friction_slopes *out) {
    double want[3], d[3], k = law->k, beta = law->beta, most = law->mu * q->load / k;
    for (int i = 0; i < 3; i++) {
        want[i] = q->u[i] + beta * q->v[i];
    }
    double size = split(want, d), along = 1, across = 1;
    if (size > most) {
        along = 0;
        across = most / size;
        for (int i = 0; i < 3; i++) {
            out->df_dload[i] = -law->mu * d[i];
            out->dr_dload[i] = law->mu / (k * beta) * d[i];
        }
    }
    add_split(out->df_dv, d, -k * beta * along, -k * beta * across);
    add_split(out->df_du, d, -k * along, -k * across);
    add_split(out->dr_dv, d, along, across);
    add_split(out->dr_du, d, (along - 1) / beta, (across - 1) / beta);
}

ff_friction_slopes ff_friction_slopes_at(const ff_friction *law, const ff_friction_query *q) {
    ff_friction_slopes out = {0};
    switch (form(law->law)) {
    case FF_SLIDE_USER:
        if (law->law->slopes) {
            law->law->slopes(law, q, &out);
        }
        break;
    case FF_SLIDE_RAMP:
    case FF_SLIDE_STRIBECK: stateless_slopes(law, q, &out); break;
    case FF_SLIDE_BRISTLE: bristle_slopes(law, q, &out); break;
    case FF_SLIDE_CLUTCH: clutch_slopes(law, q, &out); break;
    case FF_SLIDE_SAT: sat_slopes(law, q, &out); break;
    case FF_SLIDE_NONE:
    case FF_SLIDE_COUNT: break;
    }
    return out;
}

ff_contact_answer ff_contact_force(const ff_normal *normal, const ff_friction *friction,
                                   const ff_contact_query *q) {
    ff_normal_answer n = ff_normal_at(normal, q->depth, q->rate, q->inner);
    ff_contact_answer out = {
        .normal = n.force, .inner_rate = n.rate, .stored = n.stored, .loss = n.loss};
    /* friction ends with the contact: at z = 0, for xiong where the force does */
    if (normal->law->inner == FF_INNER_RATE ? n.force <= 0 : q->depth < 0) {
        return out;
    }
    ff_friction_query slide = {.load = fmax(n.force, 0),
                               .grade = n.grade,
                               .ratio = fmax(n.ratio, 0),
                               .grade_slope = n.grade_slope,
                               .zdot = q->rate};
    memcpy(slide.v, q->slip, sizeof slide.v);
    memcpy(slide.u, q->u, sizeof slide.u);
    ff_friction_answer f = ff_friction_at(friction, &slide);
    memcpy(out.friction, f.force, sizeof out.friction);
    memcpy(out.u_rate, f.rate, sizeof out.u_rate);
    out.normal += f.lift;
    out.stored += f.stored;
    out.loss += f.damper + f.clutch + f.viscous;
    out.slips = f.slips;
    return out;
}
