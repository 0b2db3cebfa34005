/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "report.h"
#include "expr/unit.h"
#include <math.h>
#include <string.h>

void report_impact_json(json *j, const ff_impact *impact) {
    json_number(j, "speed", impact->speed);
    json_number(j, "restitution", impact->restitution);
    json_number(j, "loss", impact->loss);
    json_number(j, "contact_time", impact->contact_time);
    json_number(j, "clear_time", impact->clear_time);
    json_number(j, "max_depth", impact->max_depth);
    json_number(j, "max_depth_time", impact->max_depth_time);
    json_number(j, "max_force", impact->max_force);
    json_number(j, "max_force_depth", impact->max_force_depth);
    json_number(j, "end_depth", impact->end_depth);
    json_number(j, "energy_lost", impact->energy_lost);
    json_number(j, "impulse", impact->impulse);
    json_number(j, "delta", impact->delta);
}

double report_param(const ff_normal *law, const char *name) {
    if (strcmp(name, "k") == 0 || strcmp(name, "K") == 0) {
        return law->k;
    }
    if (strcmp(name, "lambda") == 0) {
        return law->lambda;
    }
    if (strcmp(name, "lambda_out") == 0) {
        return law->lambda_out;
    }
    if (strcmp(name, "n") == 0) {
        return law->n;
    }
    if (strcmp(name, "p") == 0) {
        return law->p;
    }
    if (strcmp(name, "alpha") == 0) {
        return law->alpha;
    }
    if (strcmp(name, "beta") == 0) {
        return law->beta;
    }
    if (strcmp(name, "v_min") == 0) {
        return law->v_min;
    }
    return NAN;
}

/* the unit of a parameter with the exponents of this law put in, as N/m^1.5 for N/m^n */
static const char *unit_text(const ff_normal *law, const ff_param *param, char *buf, size_t size) {
    ff_unit unit;
    if (strcmp(param->unit, "1") == 0) {
        return "";
    }
    if (!strpbrk(param->unit, "np") || ff_unit_parse(param->unit, law->n, law->p, &unit, NULL, 0)) {
        return param->unit;
    }
    /* of `length (m)` only what is in parentheses */
    ff_dimension_text(unit.dim, buf, size);
    char *open = strchr(buf, '('), *close = strrchr(buf, ')');
    if (open && close && open > buf && open[-1] == ' ') {
        *close = '\0';
        return open + 1;
    }
    return buf;
}

void report_law(FILE *out, const ff_normal *law) {
    fprintf(out, "%s: %s\n", law->law->name, law->law->formula);
    for (const ff_param *param = law->law->params; param->name; param++) {
        double value = report_param(law, param->name);
        char unit[80];
        if (strcmp(param->name, "detach") == 0) {
            fprintf(out, "  %-12s %s\n", param->name, param->words[law->least == 0 ? 0 : 1]);
        } else if (!isnan(value) &&
                   !(strcmp(param->name, "lambda_out") == 0 && value == law->lambda)) {
            const char *text = unit_text(law, param, unit, sizeof unit);
            fprintf(out, "  %-12s %.10g%s%s\n", param->name, value, *text ? " " : "", text);
        }
    }
}

void report_law_json(json *j, const char *key, const ff_normal *law) {
    json_object(j, key);
    for (const ff_param *param = law->law->params; param->name; param++) {
        double value = report_param(law, param->name);
        if (strcmp(param->name, "detach") == 0) {
            json_string(j, param->name, param->words[law->least == 0 ? 0 : 1]);
        } else if (!isnan(value)) {
            json_number(j, param->name, value);
        }
    }
    json_end(j);
}

/* the unit of a parameter where lengths are angles */
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

void report_friction(FILE *out, const ff_friction *f, bool turns) {
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"mu_s", f->mu_s},  {"mu", f->mu},           {"v_ramp", f->v0},
                   {"epsilon", f->v0}, {"v0", f->v0},           {"xi", f->xi},
                   {"k", f->k},        {"damping", f->damping}, {"viscous", f->viscous},
                   {"beta", f->beta},  {"passive", f->passive}};
    for (const ff_param *p = f->law->params; p->name; p++) {
        bool unit = p->unit && strcmp(p->unit, "1") != 0;
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            if (strcmp(numbers[i].name, p->name) == 0) {
                fprintf(out, "  %-12s %g%s%s\n", p->name, numbers[i].value, unit ? " " : "",
                        !unit   ? ""
                        : turns ? turned_unit(p->unit)
                                : p->unit);
            }
        }
    }
}

int report_plot_check(const args *a) {
    char why[200];
    for (size_t i = 0; args_text_at(a, "plot", i); i++) {
        if (plot_check(args_text_at(a, "plot", i), why, sizeof why)) {
            return args_error(a, "%s", why);
        }
    }
    return 0;
}

int report_plot(const args *a, const plot *p) {
    char why[400];
    for (size_t i = 0; args_text_at(a, "plot", i); i++) {
        int status = plot_write(p, args_text_at(a, "plot", i), why, sizeof why);
        if (status) {
            args_error(a, "%s", why);
            return status;
        }
        fprintf(stderr, "wrote %s\n", args_text_at(a, "plot", i));
    }
    return 0;
}
