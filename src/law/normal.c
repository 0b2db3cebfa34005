/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "normal.h"
#include "decay.h"
#include "kernels.h"
#include "num/elementary.h"
#include "params.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what the laws have in common ---- */

static const char *const detach_words[] = {"clamp", "tension", NULL};

#define PARAM_K(unit_)                                                                             \
    { "k", unit_, FF_POSITIVE, INFINITY, NAN, "stiffness", NULL }
#define PARAM_LAMBDA(unit_)                                                                        \
    { "lambda", unit_, 0, INFINITY, NAN, "damping", NULL }
#define PARAM_OUT(unit_)                                                                           \
    {                                                                                              \
        "lambda_out", unit_, 0, INFINITY, FF_DERIVED,                                              \
            "damping while opening, lambda if not given", NULL                                     \
    }
#define PARAM_N(default_)                                                                          \
    { "n", "1", 1, 3, default_, "exponent of the spring", NULL }
#define PARAM_DETACH                                                                               \
    {                                                                                              \
        "detach", NULL, 0, 1, 0,                                                                   \
            "clamp: contact ends where the force does; tension: at z = 0, it may pull",            \
            detach_words                                                                           \
    }

static void set_power(ff_normal *law, double k, double n, double p, double lambda,
                      double lambda_out, double detach) {
    law->k = k;
    law->n = n;
    law->p = p;
    law->lambda = lambda;
    law->lambda_out = lambda_out == FF_DERIVED ? lambda : lambda_out;
    law->least = detach == 0 ? 0 : -INFINITY;
}

/* ---- the laws ---- */

static void linear_numbers(ff_normal *law, const double *x) {
    set_power(law, x[0], 1, 0, x[1], x[2], x[3]);
}

static const ff_normal_law linear = {
    .abi = FF_LAW_ABI,
    .name = "linear",
    .formula = "F = k z + lambda zdot",
    .source = "Kelvin-Voigt; Marhefka and Orin 1996, eq. 3",
    .limits = "The force jumps to lambda v at touch-down. e does not depend on speed.",
    .params = {PARAM_K("N/m"), PARAM_LAMBDA("N s/m"), PARAM_OUT("N s/m"), PARAM_DETACH},
    .numbers = linear_numbers,
    .decay = ff_power_decay,
};

static void hertz_numbers(ff_normal *law, const double *x) {
    set_power(law, x[0], x[1], x[1], 0, 0, 0);
}

static const ff_normal_law hertz = {
    .abi = FF_LAW_ABI,
    .name = "hertz",
    .formula = "F = k z^n",
    .source = "Hertz 1882; Johnson 1985, chapter 4",
    .limits = "Elastic: nothing is lost, e = 1. Depth small against the radius.",
    .params = {PARAM_K("N/m^n"), PARAM_N(1.5)},
    .numbers = hertz_numbers,
    .decay = ff_power_decay,
};

static void hunt_crossley_numbers(ff_normal *law, const double *x) {
    set_power(law, x[0], x[2], x[2], x[1], x[3], x[4]);
}

static const ff_normal_law hunt_crossley = {
    .abi = FF_LAW_ABI,
    .name = "hunt-crossley",
    .formula = "F = k z^n + lambda z^n zdot",
    .source = "Hunt and Crossley 1975; Marhefka and Orin 1996, eq. 6",
    .limits = "e depends on lambda v/k alone; the rebound speed never exceeds k/lambda.",
    .params = {PARAM_K("N/m^n"), PARAM_LAMBDA("N s/m^(n+1)"), PARAM_N(1.5),
               PARAM_OUT("N s/m^(n+1)"), PARAM_DETACH},
    .numbers = hunt_crossley_numbers,
    .decay = ff_power_decay,
};

/* lambda = 3/2 alpha k makes e = 1 - alpha v at low speed (Marhefka and Orin 1996, eq. 7) */
static void marhefka_orin_numbers(ff_normal *law, const double *x) {
    set_power(law, x[0], x[2], x[2], 1.5 * x[1] * x[0], FF_DERIVED, x[3]);
    law->alpha = x[1];
}

static const ff_normal_law marhefka_orin = {
    .abi = FF_LAW_ABI,
    .name = "marhefka-orin",
    .formula = "F = k z^n + (3/2) alpha k z^n zdot",
    .source = "Marhefka and Orin 1996, eqs 6, 7",
    .limits = "e = 1 - alpha v holds at low speed only; e falls as 2/(3 alpha v) at high speed.",
    .params = {PARAM_K("N/m^n"),
               {"alpha", "s/m", 0, INFINITY, NAN, "slope of e against speed at low speed", NULL},
               PARAM_N(1),
               PARAM_DETACH},
    .numbers = marhefka_orin_numbers,
    .decay = ff_power_decay,
};

static void lee_wang_numbers(ff_normal *law, const double *x) {
    set_power(law, x[0], 1.5, 1, x[1], x[2], x[3]);
}

static const ff_normal_law lee_wang = {
    .abi = FF_LAW_ABI,
    .name = "lee-wang",
    .formula = "F = k z^(3/2) + lambda z zdot",
    .source = "Lee and Wang 1983; Azad and Featherstone 2014, section I",
    .limits = "1 - e grows with speed as v^(3/5) at low speed.",
    .params = {PARAM_K("N/m^1.5"), PARAM_LAMBDA("N s/m^2"), PARAM_OUT("N s/m^2"), PARAM_DETACH},
    .numbers = lee_wang_numbers,
    .decay = ff_power_decay,
};

static const ff_normal_law ristow_schaefer = {
    .abi = FF_LAW_ABI,
    .name = "ristow-schaefer",
    .formula = "F = k z^(3/2) + lambda z zdot",
    .source = "Ristow 1992, Schaefer et al. 1996; Corral et al. 2017, section 2.2",
    .limits = "The same force as lee-wang, under the name the biped's paper gives it.",
    .params = {PARAM_K("N/m^1.5"), PARAM_LAMBDA("N s/m^2"), PARAM_OUT("N s/m^2"), PARAM_DETACH},
    .numbers = lee_wang_numbers,
    .decay = ff_power_decay,
};

static void azad_featherstone_numbers(ff_normal *law, const double *x) {
    set_power(law, x[0], 1.5, 0.5, x[1], x[2], x[3]);
}

static const ff_normal_law azad_featherstone = {
    .abi = FF_LAW_ABI,
    .name = "azad-featherstone",
    .formula = "F = k z^(3/2) + lambda z^(1/2) zdot",
    .source = "Azad and Featherstone 2010, eq. 13; 2014, eq. 8; Kuwabara and Kono 1987",
    .limits = "Linear viscoelasticity of one material, or of one much softer than the other.",
    .params = {PARAM_K("N/m^1.5"), PARAM_LAMBDA("N s/m^1.5"), PARAM_OUT("N s/m^1.5"), PARAM_DETACH},
    .numbers = azad_featherstone_numbers,
    .decay = ff_power_decay,
};

static void tsuji_numbers(ff_normal *law, const double *x) {
    set_power(law, x[0], 1.5, 0.25, x[1], x[2], x[3]);
}

static const ff_normal_law tsuji = {
    .abi = FF_LAW_ABI,
    .name = "tsuji",
    .formula = "F = k z^(3/2) + lambda z^(1/4) zdot",
    .source = "Tsuji, Tanaka and Ishida 1992",
    .limits =
        "e does not depend on speed: it is that of the linear law with zeta = lambda/sqrt(5 m k).",
    .params = {PARAM_K("N/m^1.5"), PARAM_LAMBDA("N s/m^1.25"), PARAM_OUT("N s/m^1.25"),
               PARAM_DETACH},
    .numbers = tsuji_numbers,
    .decay = ff_power_decay,
};

/* lambda = (3/4)(1 - e^2) k/v_i; the field holds lambda times the latched speed v_i */
static void lankarani_numbers(ff_normal *law, const double *x) {
    set_power(law, x[0], x[2], x[2], 0.75 * (1 - x[1] * x[1]) * x[0], FF_DERIVED, x[4]);
    law->v_min = x[3];
}

#define PARAM_V_MIN                                                                                \
    {                                                                                              \
        "v_min", "m/s", FF_POSITIVE, INFINITY, 1e-3, "least speed at touch-down that is latched",  \
            NULL                                                                                   \
    }

static const ff_normal_law lankarani_nikravesh = {
    .abi = FF_LAW_ABI,
    .name = "lankarani-nikravesh",
    .formula = "F = k z^n (1 + (3/4)(1 - e^2) zdot/v_i)",
    .source = "Lankarani and Nikravesh 1990",
    .limits = "The wanted e is reached for e near 1 only: e = 0 gives 0.66.",
    .params = {PARAM_K("N/m^n"),
               {"e", "1", 0, 1, NAN, "wanted restitution", NULL},
               PARAM_N(1.5),
               PARAM_V_MIN,
               PARAM_DETACH},
    .inner = FF_INNER_SPEED,
    .numbers = lankarani_numbers,
    .decay = ff_power_decay,
};

/* lambda = (8/5)(1 - e)/e k/v_i */
static void flores_numbers(ff_normal *law, const double *x) {
    set_power(law, x[0], x[2], x[2], 1.6 * (1 - x[1]) / x[1] * x[0], FF_DERIVED, x[4]);
    law->v_min = x[3];
}

static const ff_normal_law flores = {
    .abi = FF_LAW_ABI,
    .name = "flores",
    .formula = "F = k z^n (1 + (8/5)((1 - e)/e) zdot/v_i)",
    .source = "Flores, Machado, Silva and Martins 2011",
    .limits = "The wanted e is reached to within 0.05 over the whole range.",
    .params = {PARAM_K("N/m^n"),
               {"e", "1", FF_POSITIVE, 1, NAN, "wanted restitution", NULL},
               PARAM_N(1.5),
               PARAM_V_MIN,
               PARAM_DETACH},
    .inner = FF_INNER_SPEED,
    .numbers = flores_numbers,
    .decay = ff_power_decay,
};

static void general_numbers(ff_normal *law, const double *x) {
    set_power(law, x[0], x[2], x[3], x[1], x[4], x[5]);
}

static const ff_normal_law general = {
    .abi = FF_LAW_ABI,
    .name = "general",
    .formula = "F = k z^n + lambda z^p zdot",
    .source = "Hunt and Crossley 1975, with free exponents; Azad and Featherstone 2014, eq. 1",
    .limits = "For p < n the clamp always acts; e is independent of speed only for p = (n-1)/2.",
    .params = {PARAM_K("N/m^n"),
               PARAM_LAMBDA("N s/m^(p+1)"),
               PARAM_N(NAN),
               {"p", "1", 0, 3, NAN, "exponent of the damper", NULL},
               PARAM_OUT("N s/m^(p+1)"),
               PARAM_DETACH},
    .numbers = general_numbers,
    .decay = ff_power_decay,
};

static void xiong_numbers(ff_normal *law, const double *x) {
    law->k = x[0];
    law->alpha = x[1];
    law->beta = x[2];
    law->n = 1;
    law->p = 0;
}

static const char *xiong_refuse(const ff_normal *law) {
    return law->alpha > law->beta ? "alpha of xiong must not exceed beta: it would create energy"
                                  : NULL;
}

static const ff_normal_law xiong = {
    .abi = FF_LAW_ABI,
    .name = "xiong",
    .formula = "F = K (w + beta w'), w' = max(-w/beta, (z - w)/alpha)",
    .source = "Xiong, Kikuuwe and Yamamoto 2013, eqs 24, 25",
    .limits = "e does not depend on speed and has a least value for given alpha/beta.",
    .params = {{"K", "N/m", FF_POSITIVE, INFINITY, NAN, "stiffness", NULL},
               {"alpha", "s", FF_POSITIVE, INFINITY, NAN, "filter time, at most beta", NULL},
               {"beta", "s", FF_POSITIVE, INFINITY, NAN, "damping time", NULL}},
    .inner = FF_INNER_RATE,
    .numbers = xiong_numbers,
    .refuse = xiong_refuse,
};

static const ff_normal_law *const laws[] = {
    &linear,
    &hertz,
    &hunt_crossley,
    &marhefka_orin,
    &lee_wang,
    &ristow_schaefer,
    &azad_featherstone,
    &tsuji,
    &lankarani_nikravesh,
    &flores,
    &general,
    &xiong,
};

const ff_normal_law *ff_normal_law_at(size_t i) {
    return i < sizeof laws / sizeof *laws ? laws[i] : NULL;
}

const ff_normal_law *ff_normal_law_find(const char *name) {
    const ff_normal_law *law;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        if (strcmp(law->name, name) == 0) {
            return law;
        }
    }
    return NULL;
}

/* ---- a law with its numbers ---- */

static ff_normal_form form(const ff_normal *law) {
    if (law->law->point) {
        return FF_FORM_USER;
    }
    if (law->law->inner == FF_INNER_RATE) {
        return FF_FORM_XIONG;
    }
    if (law->law->inner == FF_INNER_SPEED) {
        return law->n == 1.5 ? FF_FORM_SPEED_32 : FF_FORM_SPEED_ANY;
    }
    static const struct {
        double n, p;
        ff_normal_form form;
    } roots[] = {{1, 0, FF_FORM_1_0},    {1, 1, FF_FORM_1_1},       {1.5, 1.5, FF_FORM_32_32},
                 {1.5, 1, FF_FORM_32_1}, {1.5, 0.5, FF_FORM_32_12}, {1.5, 0.25, FF_FORM_32_14}};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        if (law->n == roots[i].n && law->p == roots[i].p) {
            return roots[i].form;
        }
    }
    return FF_FORM_ANY;
}

void ff_normal_use(ff_normal *law, const ff_kernels *set) {
    law->kernels = &set->normal[form(law)];
    law->single = law->law->point ? law->law->point : ff_normal_singles[form(law)];
}

ff_status ff_normal_init(ff_normal *out, const ff_normal_law *law, const double *values,
                         ff_error *error) {
    double checked[FF_LAW_PARAMS];
    ff_normal made = {.law = law};
    ff_status status = ff_law_check(law->name, law->abi, law->params, values, checked, error);
    if (status < 0) {
        return status;
    }
    law->numbers(&made, checked);
    const char *why = law->refuse ? law->refuse(&made) : NULL;
    if (why) {
        if (error) {
            snprintf(error->text, sizeof error->text, "%s", why);
        }
        return FF_BAD_VALUE;
    }
    ff_normal_use(&made, ff_kernels_best());
    *out = made;
    return FF_OK;
}

bool ff_normal_has_damping(const ff_normal_law *law) {
    bool found = false;
    for (const ff_param *param = law->params; param->name; param++) {
        found = found || strcmp(param->name, "lambda") == 0;
    }
    return !law->point && (found || law == &marhefka_orin);
}

void ff_normal_set(ff_normal *law, double k, double lambda, double lambda_out) {
    law->k = k;
    law->lambda = lambda;
    law->lambda_out = lambda_out;
    if (law->law == &marhefka_orin) {
        law->alpha = lambda / (1.5 * k);
    }
}

double ff_normal_force(const ff_normal *law, double z, double zdot, double inner) {
    ff_normal_answer out = {0};
    law->single(law, z, zdot, inner, &out);
    return out.force;
}

/* Partial derivatives of F = k z^n + lambda z^p zdot, 0 where the clamp holds it at 0. */
static void power_slopes(const ff_normal *law, double z, double zdot, double inner,
                         ff_normal_answer *out) {
    if (z < 0) {
        return;
    }
    double depth = fmax(z, FF_DEPTH_FLOOR);
    double latched = fmax(inner, law->v_min);
    double lambda = law->law->inner == FF_INNER_SPEED ? law->lambda / latched
                    : zdot < 0                        ? law->lambda_out
                                                      : law->lambda;
    double zp = ff_pow(depth, law->p);
    out->stored = law->k * out->grade * z * z / (law->n + 1);
    out->grade_slope = (law->n - 1) * ff_pow(depth, law->n - 2);
    if (law->least == 0 && law->k * ff_pow(depth, law->n) + lambda * zp * zdot <= 0) {
        return;
    }
    out->dF_dz = law->n * law->k * ff_pow(depth, law->n - 1) + law->p * lambda * zp / depth * zdot;
    out->dF_dzdot = lambda * zp;
    if (law->law->inner == FF_INNER_SPEED && inner > law->v_min) {
        out->dF_dinner = -lambda * zp * zdot / latched;
    }
}

static void xiong_slopes(const ff_normal *law, double z, double w, ff_normal_answer *out) {
    double K = law->k, alpha = law->alpha, beta = law->beta, rate = out->rate;
    out->stored = K / 2 * (w * w + 2 * alpha * w * rate + alpha * beta * rate * rate);
    if ((z - w) / alpha > -w / beta) {
        out->dF_dz = K * beta / alpha;
        out->dF_dinner = K * (1 - beta / alpha);
        out->drate_dz = 1 / alpha;
        out->drate_dinner = -1 / alpha;
    } else {
        out->drate_dinner = -1 / beta;
    }
}

ff_normal_answer ff_normal_at(const ff_normal *law, double z, double zdot, double inner) {
    ff_normal_answer out = {0};
    law->single(law, z, zdot, inner, &out);
    if (law->law->point) {
        return out;
    }
    if (law->law->inner == FF_INNER_RATE) {
        xiong_slopes(law, z, inner, &out);
    } else {
        power_slopes(law, z, zdot, inner, &out);
    }
    return out;
}

double ff_normal_touch(const ff_normal *law, double v, double inner) {
    return law->law->inner == FF_INNER_SPEED ? fmax(v, law->v_min) : inner;
}
