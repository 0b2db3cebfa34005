/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "contact_options.h"
#include <ctype.h>
#include <footfall/unit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const args_option law_option =
    {"normal", "LAW", NULL, "normal law; `footfall laws` lists them", false, 0};
static const args_option body_options[] = {
    {"lambda-star", "L", "N s/m^2", "viscosity of the material, lambda = lambda* sqrt(R), with a radius", false, 0},
    {"mass", "M[,M2]", "kg", "mass of one body against a wall, or masses of two free bodies", true, 0},
    {"radius", "R[,R2]", "m", "radius of a sphere on a plate, or radii of two spheres", true, 0},
    {"materials", "A[,B]", NULL, "compute k from the E and nu of these (one: both bodies); also the mass, if not given", false, 0},
    {"E", "E[,E2]", "Pa", "Young's moduli instead of --materials (one: the other body is rigid)", true, 0},
    {"nu", "NU[,NU2]", "1", "Poisson's ratios, with --E", true, 0},
    {"speed", "V", "m/s", "at touch-down", true, 0},
    {"drop", "H", "m", "compute the speed from a drop height H: sqrt(2 g H), g = 9.81 m/s^2", true, 0},
};
/* clang-format on */
enum { BODY_OPTIONS = sizeof body_options / sizeof *body_options };

const ff_param *contact_param(const ff_normal_law *law, const char *name) {
    for (const ff_param *param = law->params; param->name; param++) {
        if (strcmp(param->name, name) == 0) {
            return param;
        }
    }
    return NULL;
}

size_t contact_params(const char *names[CONTACT_PARAMS]) {
    const ff_normal_law *law;
    size_t count = 0;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        for (const ff_param *param = law->params; param->name; param++) {
            size_t j = 0;
            while (j < count && strcmp(names[j], param->name) != 0) {
                j++;
            }
            if (j == count && count < CONTACT_PARAMS) {
                names[count++] = param->name;
            }
        }
    }
    return count;
}

/* An option made from the parameters of that name of all laws. */
typedef struct made {
    char name[48], metavar[48], help[320];
} made;

/* "meaning", or "law, law: meaning" if few laws have that meaning; with the unit if all have the same */
static void describe(const char *name, const char *meaning, bool with_unit, char *out,
                     size_t size) {
    const ff_normal_law *law;
    const char *unit = NULL;
    bool same = true;
    char laws[160] = "";
    size_t count = 0;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        const ff_param *param = contact_param(law, name);
        if (param && strcmp(param->meaning, meaning) == 0) {
            size_t used = strlen(laws);
            snprintf(laws + used, sizeof laws - used, "%s%s", count++ ? ", " : "", law->name);
            same = same && (!unit || (param->unit && strcmp(unit, param->unit) == 0));
            unit = unit ? unit : param->unit;
        }
    }
    size_t used = strlen(out);
    bool shown = with_unit && same && unit && strcmp(unit, "1") != 0;
    snprintf(out + used, size - used, "%s%s%s%s%s%s", used ? "; " : "", count > 3 ? "" : laws,
             count > 3 ? "" : ": ", meaning, shown ? ", " : "", shown ? unit : "");
}

static args_option param_option(const char *name, bool sweep, made *text) {
    const ff_normal_law *law;
    const char *unit = NULL, *const *words = NULL, *meanings[16];
    bool same = true, number = false;
    size_t count = 0;
    for (size_t i = 0; (law = ff_normal_law_at(i)); i++) {
        const ff_param *param = contact_param(law, name);
        size_t m = 0;
        if (!param) {
            continue;
        }
        words = param->words ? param->words : words;
        number = number || !param->words;
        same = same && (!unit || (param->unit && strcmp(unit, param->unit) == 0));
        unit = unit ? unit : param->unit;
        while (m < count && strcmp(meanings[m], param->meaning) != 0) {
            m++;
        }
        if (m == count && count < sizeof meanings / sizeof *meanings) {
            meanings[count++] = param->meaning;
        }
    }
    ff_unit plain;
    bool common = same && unit && ff_unit_parse(unit, NULL, &plain, NULL, 0) == 0;
    for (size_t m = 0; m < count; m++) {
        describe(name, meanings[m], !common, text->help, sizeof text->help);
    }
    for (size_t i = 0; !number && words[i]; i++) {
        size_t used = strlen(text->metavar);
        snprintf(text->metavar + used, sizeof text->metavar - used, "%s%s", i ? "|" : "", words[i]);
    }
    if (number) {
        text->metavar[0] = (char)toupper((unsigned char)*name);
    }
    return (args_option){text->name, text->metavar,   number ? common ? unit : "1" : NULL,
                         text->help, sweep && number, 0};
}

static bool has_option(const args_option *options, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(options[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* `prefix` and the name of a parameter as an option */
static void option_name(const char *prefix, const char *param, char out[48]) {
    snprintf(out, 48, "%s%s", prefix, param);
    for (char *c = out; *c; c++) {
        *c = *c == '_' ? '-' : *c;
    }
}

int contact_command(const args_command *command, bool sweep, int argc, char **argv,
                    int (*run)(const args *a)) {
    const char *params[CONTACT_PARAMS];
    size_t count = contact_params(params), used = 0;
    args_option *list = calloc(1 + count + BODY_OPTIONS + command->option_count, sizeof *list);
    made *texts = calloc(count, sizeof *texts);
    args_command whole = *command;
    args a;
    int status = 1;
    if (list && texts) {
        list[used++] = law_option;
        for (size_t i = 0; i < count; i++) {
            char *name = texts[i].name;
            option_name("", params[i], name);
            if (strcmp(name, law_option.name) == 0 || strcmp(name, "help") == 0 ||
                has_option(body_options, BODY_OPTIONS, name) ||
                has_option(command->options, command->option_count, name)) {
                option_name("normal-", params[i], name);
            }
            list[used++] = param_option(params[i], sweep, &texts[i]);
        }
        memcpy(list + used, body_options, sizeof body_options);
        used += BODY_OPTIONS;
        list[used - 2].list = list[used - 1].list = sweep; /* speed and drop */
        memcpy(list + used, command->options, command->option_count * sizeof *list);
        whole.options = list;
        whole.option_count = used + command->option_count;
        status = args_parse(&a, &whole, argc, argv);
        status = status == ARGS_HELP ? 0 : status ? status : run(&a);
    } else {
        fprintf(stderr, "footfall %s: out of memory\n", command->name);
    }
    free(list);
    free(texts);
    return status;
}

const char *contact_option(const args *a, const char *param) {
    const args_command *c = a->command;
    char name[48];
    option_name("normal-", param, name);
    if (!has_option(c->options, c->option_count, name)) {
        option_name("", param, name);
    }
    for (size_t i = 0; i < c->option_count; i++) {
        if (strcmp(c->options[i].name, name) == 0) {
            return c->options[i].name;
        }
    }
    return param;
}
