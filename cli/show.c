/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "show.h"
#include <footfall/unit.h>
#include <math.h>
#include <string.h>

void show_impact_json(ff_json *j, const ff_impact *impact) {
    ff_json_number(j, "speed", impact->speed);
    ff_json_number(j, "restitution", impact->restitution);
    ff_json_number(j, "loss", impact->loss);
    ff_json_number(j, "contact_time", impact->contact_time);
    ff_json_number(j, "clear_time", impact->clear_time);
    ff_json_number(j, "max_depth", impact->max_depth);
    ff_json_number(j, "max_depth_time", impact->max_depth_time);
    ff_json_number(j, "max_force", impact->max_force);
    ff_json_number(j, "max_force_depth", impact->max_force_depth);
    ff_json_number(j, "end_depth", impact->end_depth);
    ff_json_number(j, "energy_lost", impact->energy_lost);
    ff_json_number(j, "impulse", impact->impulse);
    ff_json_number(j, "impulse_ratio", impact->impulse_ratio);
    ff_json_number(j, "delta", impact->delta);
}

/* the slowest impact that rebounds: the first of four speeds a decade that does, then bisection of ln v to rounding */
double show_sticking_speed(const ff_normal *law, double mass) {
    double low = 0, high = 1e-9;
    if (!(law->adhesion > 0)) {
        return (double)NAN;
    }
    while (high < 1e6 && !(ff_impact_restitution(law, mass, high) > 0)) {
        low = high;
        high *= 1.7782794100389228;
    }
    if (low == 0 || high >= 1e6) {
        return low == 0 ? 0 : HUGE_VAL;
    }
    for (int turn = 0; turn < 60; turn++) {
        double v = sqrt(low * high);
        *(ff_impact_restitution(law, mass, v) > 0 ? &high : &low) = v;
    }
    return high;
}

/* the unit of a parameter with the exponents of this law put in, as N/m^1.5 for N/m^n */
static const char *unit_text(const ff_param *params, const double *values, const ff_param *param,
                             char *buf, size_t size) {
    ff_exponent exponents[FF_LAW_PARAMS + 1] = {{0}};
    ff_unit unit;
    for (size_t i = 0, used = 0; params[i].name; i++) {
        if (params[i].unit && strcmp(params[i].unit, "1") == 0) {
            exponents[used++] = (ff_exponent){params[i].name, values[i]};
        }
    }
    if (strcmp(param->unit, "1") == 0) {
        return "";
    }
    /* a unit without exponents is printed as in the table */
    if (ff_unit_parse(param->unit, NULL, &unit, NULL, 0) == 0 ||
        ff_unit_parse(param->unit, exponents, &unit, NULL, 0) < 0) {
        return param->unit;
    }
    return ff_dimension_units(unit.dim, buf, size);
}

void show_law(FILE *out, const ff_normal *law) {
    fprintf(out, "%s: %s\n", law->law->name, law->law->formula);
    for (size_t i = 0; law->law->params[i].name; i++) {
        const ff_param *param = &law->law->params[i];
        char unit[80];
        if (param->words) {
            fprintf(out, "  %-12s %s\n", param->name, param->words[(size_t)law->values[i]]);
        } else if (law->values[i] != FF_DERIVED) {
            const char *text = unit_text(law->law->params, law->values, param, unit, sizeof unit);
            fprintf(out, "  %-12s %.10g%s%s\n", param->name, law->values[i], *text ? " " : "",
                    text);
        }
    }
}

static void params_json(ff_json *j, const char *key, const ff_param *params, const double *values) {
    ff_json_object(j, key);
    for (size_t i = 0; params[i].name; i++) {
        if (params[i].words) {
            ff_json_string(j, params[i].name, params[i].words[(size_t)values[i]]);
        } else if (values[i] != FF_DERIVED) {
            ff_json_number(j, params[i].name, values[i]);
        }
    }
    ff_json_end(j);
}

void show_law_json(ff_json *j, const char *key, const ff_normal *law) {
    params_json(j, key, law->law->params, law->values);
}

void show_friction_json(ff_json *j, const char *key, const ff_friction *law) {
    params_json(j, key, law->law->params, law->values);
}

/* the unit of a parameter if lengths are angles */
static const char *turned_unit(const char *unit) {
    static const char *const units[][2] = {
        {"m/s", "rad/s"},     {"s/m", "s/rad"},       {"1/m", "1/rad"},         {"N/m", "N m/rad"},
        {"N/m^n", "N m/rad"}, {"N s/m", "N m s/rad"}, {"N s/m^n", "N m s/rad"},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i][0]) == 0) {
            return units[i][1];
        }
    }
    return unit;
}

/* the unit of a parameter beside a grade of 1 */
static const char *plain_unit(const char *unit) {
    return strcmp(unit, "N/m^n") == 0 ? "N/m" : strcmp(unit, "N s/m^n") == 0 ? "N s/m" : unit;
}

static const char *same_unit(const char *unit) { return unit; }

static void show_numbers(FILE *out, const ff_friction *f, const char *(*unit_of)(const char *)) {
    for (size_t i = 0; f->law->params[i].name; i++) {
        const ff_param *param = &f->law->params[i];
        bool unit = param->unit && strcmp(param->unit, "1") != 0;
        if (param->words) {
            fprintf(out, "  %-12s %s\n", param->name, param->words[(size_t)f->values[i]]);
        } else if (f->values[i] != FF_DERIVED) {
            fprintf(out, "  %-12s %g%s%s\n", param->name, f->values[i], unit ? " " : "",
                    unit ? unit_of(param->unit) : "");
        }
    }
}

void show_friction(FILE *out, const ff_friction *f, bool turns) {
    show_numbers(out, f, turns ? turned_unit : same_unit);
}

/* the arm of twist, as a scene file has it */
static const char *arm_word(ff_arm arm) {
    return arm == FF_ARM_HERTZ ? "hertz" : arm == FF_ARM_UNIFORM ? "uniform" : "friction";
}

void show_turning(FILE *out, const ff_contact_facts *f) {
    if (f->rolling) {
        fprintf(out, "rolling %s: %s\n", f->rolling->law->name,
                f->rolling->turns ? f->rolling->law->formula
                                  : "moment R n x f of its force f at the velocity R omega_r x n");
        show_numbers(out, f->rolling, plain_unit);
    }
    if (f->twist) {
        const bool shared = f->arm == FF_ARM_MARSHALL;
        fprintf(out, "twist %s: moment arm f of its force f at the velocity arm spin\n",
                f->twist->law->name);
        show_numbers(out, f->twist, shared ? same_unit : plain_unit);
        if (f->arm == FF_ARM_LENGTH) {
            fprintf(out, "  %-12s %g m\n", "arm", f->arm_length);
        } else {
            fprintf(out, "  %-12s %s\n", shared ? "from" : "arm", arm_word(f->arm));
        }
    }
}

void show_turning_json(ff_json *j, const ff_contact_facts *f) {
    if (f->rolling) {
        ff_json_string(j, "rolling", f->rolling->law->name);
        show_friction_json(j, "rolling_parameters", f->rolling);
    }
    if (f->twist) {
        ff_json_string(j, "twist", f->twist->law->name);
        show_friction_json(j, "twist_parameters", f->twist);
        if (f->arm == FF_ARM_LENGTH) {
            ff_json_number(j, "twist_arm", f->arm_length);
        } else {
            ff_json_string(j, "twist_arm", arm_word(f->arm));
        }
    }
}

int show_plot_check(const args *a) {
    ff_error error = {""};
    int status = 0;
    for (size_t i = 0; !status && args_text_at(a, "plot", i); i++) {
        status = args_status(a, ff_plot_check(args_text_at(a, "plot", i), &error), &error);
    }
    return status;
}

int show_plot(const args *a, const ff_plot *p) {
    ff_error error = {""};
    for (size_t i = 0; args_text_at(a, "plot", i); i++) {
        int status = args_status(a, ff_plot_write(p, args_text_at(a, "plot", i), &error), &error);
        if (status) {
            return status;
        }
        fprintf(stderr, "wrote %s\n", args_text_at(a, "plot", i));
    }
    return 0;
}
