/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "contact.h"
#include "expr/word.h"
#include "num/elementary.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const *contact_law_names(size_t *count) {
    static const char *names[32];
    const ff_normal_law *law;
    for (*count = 0; (law = ff_normal_law_at(*count)); ++*count) {
        names[*count] = law->name;
    }
    return names;
}

int contact_law(const args *a, const ff_normal_law **law) {
    size_t count, index;
    const char *const *names = contact_law_names(&count);
    if (!args_given(a, "normal")) {
        return args_error(a,
                          "option '--normal' is missing (normal law; `footfall laws` lists them)");
    }
    int status = args_choice(a, "normal", names, count, &index);
    if (status == 0) {
        *law = ff_normal_law_at(index);
    }
    return status;
}

/* the option of a parameter: lambda_out is --lambda-out */
static const char *option_of(const char *param) {
    return strcmp(param, "lambda_out") == 0 ? "lambda-out"
           : strcmp(param, "v_min") == 0    ? "v-min"
                                            : param;
}

static int set_one(const args *a, args_list *list, double value) {
    list->values = malloc(sizeof *list->values);
    if (!list->values) {
        return args_error(a, "out of memory");
    }
    list->values[0] = value;
    list->count = 1;
    return 0;
}

/* an option that only some laws have, given to one that has not */
static int refuse_foreign(const contact *c, const args *a) {
    static const char *const params[] = {"k",     "lambda", "lambda_out", "n", "p",   "detach",
                                         "alpha", "e",      "v_min",      "K", "beta"};
    for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
        bool known = false;
        for (size_t j = 0; j < c->param_count; j++) {
            known = known || strcmp(params[i], c->law->params[j].name) == 0;
        }
        if (known || !args_given(a, option_of(params[i]))) {
            continue;
        }
        char has[120] = "";
        for (size_t j = 0; j < c->param_count; j++) {
            snprintf(has + strlen(has), sizeof has - strlen(has), "%s--%s", j ? ", " : "",
                     option_of(c->law->params[j].name));
        }
        return args_error(a, "%s has no parameter '--%s' (it has %s)", c->law->name,
                          option_of(params[i]), has);
    }
    return 0;
}

/* The values of n and p that the units of the other parameters speak of. They can be swept only
 * where no unit is written, since a unit needs their value. */
static int read_exponents(contact *c, const args *a, double *n, double *p) {
    *n = *p = NAN;
    for (size_t i = 0; i < c->param_count; i++) {
        const ff_param *param = &c->law->params[i];
        if (strcmp(param->name, "n") != 0 && strcmp(param->name, "p") != 0) {
            continue;
        }
        args_want want = {"1", NAN, NAN, param->least, param->most, param->fallback};
        int status = args_numbers(a, param->name, &want, &c->params[i]);
        if (status) {
            return status;
        }
        double *letter = param->name[0] == 'n' ? n : p;
        *letter = c->params[i].values[0];
    }
    return 0;
}

static bool is_damping(const char *param) {
    return strcmp(param, "lambda") == 0 || strcmp(param, "alpha") == 0;
}

static bool sweeps(const contact *c, const char *name) {
    for (size_t i = 0; i < c->param_count; i++) {
        if (strcmp(c->law->params[i].name, name) == 0) {
            return c->params[i].count > 1;
        }
    }
    return false;
}

static int read_params(contact *c, const args *a, unsigned need) {
    double n, p;
    int status = read_exponents(c, a, &n, &p);
    for (size_t i = 0; i < c->param_count && !status; i++) {
        const ff_param *param = &c->law->params[i];
        const char *name = option_of(param->name);
        args_want want = {param->unit, n, p, param->least, param->most, param->fallback};
        if (c->params[i].count > 0) {
            continue;
        }
        if (param->words) {
            size_t words = 0, index = (size_t)param->fallback;
            while (param->words[words]) {
                words++;
            }
            status = args_choice(a, name, param->words, words, &index);
            status = status ? status : set_one(a, &c->params[i], (double)index);
            continue;
        }
        bool letters = strpbrk(param->unit, "np") && (sweeps(c, "n") || sweeps(c, "p"));
        const char *text = args_text(a, name);
        if (letters && text && strpbrk(text, "NkmMGs/")) {
            return args_error(
                a, "the unit of '--%s' follows the exponents: leave it out where they are swept",
                name);
        }
        bool stiffness = strcmp(name, "k") == 0;
        c->k_given = c->k_given || (stiffness && args_given(a, name));
        if (!args_given(a, name)) {
            /* what is to be found starts from 1; what the library derives is left to it */
            bool free = (is_damping(name) && (need & CONTACT_FREE_DAMPING)) ||
                        (stiffness && ((need & CONTACT_FREE_K) || !isnan(c->modulus))) ||
                        (c->law->inner == FF_INNER_RATE && (need & CONTACT_FREE_DAMPING));
            if (free || param->fallback == FF_DERIVED) {
                status = set_one(a, &c->params[i], free ? 1 : (double)NAN);
                continue;
            }
        }
        status = args_numbers(a, name, &want, &c->params[i]);
    }
    return status;
}

/* one value or two, for one body or two */
static int read_bodies(const args *a, const char *name, double least, double out[2],
                       size_t *count) {
    args_list list;
    args_want want = args_want_any(NULL);
    want.least = least;
    *count = 0;
    if (!args_given(a, name)) {
        return 0;
    }
    int status = args_numbers(a, name, &want, &list);
    if (status) {
        return status;
    }
    *count = list.count;
    if (list.count <= 2) {
        memcpy(out, list.values, list.count * sizeof *out);
    }
    args_list_free(&list);
    return *count <= 2 ? 0
                       : args_error(a, "--%s takes one value or two, for one body or two", name);
}

static int find_material(const args *a, const char *name, size_t length, const ff_material **out) {
    const char *names[32];
    size_t count = 0;
    char word[64] = "";
    for (const ff_material *m; (m = ff_material_at(count)); count++) {
        names[count] = m->name;
    }
    if (length < sizeof word) {
        memcpy(word, name, length);
    }
    *out = ff_material_find(word);
    if (*out) {
        return 0;
    }
    const char *near = ff_word_nearest(word, names, count);
    return near ? args_error(a, "unknown material '%s' (did you mean '%s'?)", word, near)
                : args_error(a, "unknown material '%.*s' (`footfall laws --materials` lists them)",
                             (int)length, name);
}

/* E* and R from --materials or --E and --nu, and --radius */
static int read_elasticity(contact *c, const args *a) {
    double E[2], nu[2];
    size_t E_count, nu_count, radii;
    const char *text = args_text(a, "materials");
    int status = read_bodies(a, "E", FF_POSITIVE, E, &E_count);
    status = status ? status : read_bodies(a, "nu", 0, nu, &nu_count);
    status = status ? status : read_bodies(a, "radius", FF_POSITIVE, c->body_radius, &radii);
    if (status) {
        return status;
    }
    c->body_radius[1] = radii < 2 ? HUGE_VAL : c->body_radius[1];
    c->radius = radii > 0 ? ff_radius(c->body_radius[0], c->body_radius[1]) : (double)NAN;
    if (text && (E_count || nu_count)) {
        return args_error(a, "give either --materials or --E and --nu");
    }
    if (text) {
        const char *comma = strchr(text, ',');
        size_t length = comma ? (size_t)(comma - text) : strlen(text);
        status = find_material(a, text, length, &c->material[0]);
        c->material[1] = c->material[0];
        if (!status && comma) {
            status = find_material(a, comma + 1, strlen(comma + 1), &c->material[1]);
        }
        if (status) {
            return status;
        }
        c->modulus = ff_modulus(c->material[0]->E, c->material[0]->nu, c->material[1]->E,
                                c->material[1]->nu);
    } else if (E_count || nu_count) {
        if (E_count != nu_count) {
            return args_error(a, "--E and --nu go together, one value each for each body");
        }
        for (size_t i = 0; i < nu_count; i++) {
            if (nu[i] > 0.5) {
                return args_error(a, "--nu is %g, but must be in [0, 0.5]", nu[i]);
            }
        }
        /* one body alone meets a rigid one */
        c->modulus =
            ff_modulus(E[0], nu[0], E_count > 1 ? E[1] : HUGE_VAL, E_count > 1 ? nu[1] : 0);
    }
    if (!isnan(c->modulus) && isnan(c->radius)) {
        return args_error(a, "materials need --radius to give a stiffness");
    }
    return 0;
}

/* k = (4/3) E* sqrt(R) where it was not given */
static int derive_stiffness(contact *c, const args *a) {
    for (size_t i = 0; i < c->param_count; i++) {
        const char *name = c->law->params[i].name;
        if (strcmp(name, "k") == 0 && !c->k_given && !isnan(c->modulus)) {
            double values[FF_LAW_PARAMS];
            ff_normal law = {0};
            for (size_t j = 0; j < c->param_count; j++) {
                values[j] = c->params[j].values[0];
            }
            c->law->numbers(&law, values);
            if (law.n != 1.5 || sweeps(c, "n")) {
                return args_error(
                    a, "materials give k of a sphere, for n = 3/2; %s has n = %g: give --k",
                    c->law->name, law.n);
            }
            c->params[i].values[0] = ff_hertz_k(c->modulus, c->radius);
            c->k_given = true;
        }
        if (strcmp(name, "lambda") == 0 && args_given(a, "lambda-star")) {
            args_want want = args_want_any(NULL);
            double star;
            want.least = 0;
            int status = args_number(a, "lambda-star", &want, &star);
            if (status) {
                return status;
            }
            if (strcmp(c->law->name, "azad-featherstone") != 0 || args_given(a, "lambda") ||
                isnan(c->radius)) {
                return args_error(a, "--lambda-star is for azad-featherstone, with --radius and "
                                     "without --lambda");
            }
            c->params[i].values[0] = ff_viscoelastic_lambda(star, c->radius);
        }
    }
    return 0;
}

static int read_mass(contact *c, const args *a) {
    const char *text = args_text(a, "mass");
    size_t count = 0;
    int status;
    if (text && strchr(text, ':')) {
        args_want want = args_want_any(NULL);
        want.least = FF_POSITIVE;
        return args_numbers(a, "mass", &want, &c->mass);
    }
    status = read_bodies(a, "mass", FF_POSITIVE, c->body_mass, &count);
    if (status) {
        return status;
    }
    if (count == 0) {
        if (!c->material[0] || isnan(c->radius)) {
            return args_error(a, "option '--mass' is missing (kg; two values for two free bodies)");
        }
        /* solid spheres of the material; a body without radius is a plate that does not move */
        for (size_t i = 0; i < 2; i++) {
            double r = c->body_radius[i];
            c->body_mass[i] = 4 * FF_PI / 3 * r * r * r * c->material[i]->density;
        }
        count = isinf(c->body_radius[1]) ? 1 : 2;
    }
    return set_one(a, &c->mass,
                   count == 1 ? c->body_mass[0] : ff_mass(c->body_mass[0], c->body_mass[1]));
}

/* every point of the sweep must be a legal law */
static int check_points(const contact *c, const args *a) {
    for (size_t i = 0; i < contact_count(c); i += c->speed.count) {
        ff_error error;
        ff_normal law;
        double mass, speed;
        if (contact_point(c, i, &law, &mass, &speed, &error) < 0) {
            return args_error(a, "%s", error.text);
        }
    }
    return 0;
}

int contact_read(contact *c, const args *a, unsigned need) {
    *c = (contact){.modulus = NAN, .radius = NAN};
    int status = contact_law(a, &c->law);
    if (status) {
        return status;
    }
    while (c->law->params[c->param_count].name) {
        c->param_count++;
    }
    bool star = args_given(a, "lambda-star");
    if (star && strcmp(c->law->name, "azad-featherstone") != 0) {
        return args_error(a, "'--lambda-star' is for azad-featherstone");
    }
    status = refuse_foreign(c, a);
    status = status ? status : read_elasticity(c, a);
    status = status ? status : read_params(c, a, star ? need | CONTACT_FREE_DAMPING : need);
    status = status ? status : derive_stiffness(c, a);
    status = status ? status : read_mass(c, a);
    if (!status && (need & CONTACT_NO_SPEED)) {
        status = set_one(a, &c->speed, 1);
    } else if (!status) {
        args_want want = args_want_any(NULL);
        want.least = need & CONTACT_ZERO_SPEED ? 0 : FF_POSITIVE;
        status = args_numbers(a, "speed", &want, &c->speed);
    }
    if (!status && contact_count(c) > 1000000) {
        status = args_error(a, "a sweep of %zu points is more than 1,000,000", contact_count(c));
    }
    status = status ? status : check_points(c, a);
    if (status) {
        contact_clear(c);
    }
    return status;
}

void contact_clear(contact *c) {
    for (size_t i = 0; i < c->param_count; i++) {
        args_list_free(&c->params[i]);
    }
    args_list_free(&c->mass);
    args_list_free(&c->speed);
}

size_t contact_count(const contact *c) {
    size_t count = c->mass.count * c->speed.count;
    for (size_t i = 0; i < c->param_count; i++) {
        count *= c->params[i].count;
    }
    return count;
}

ff_status contact_point(const contact *c, size_t i, ff_normal *law, double *mass, double *speed,
                        ff_error *error) {
    double values[FF_LAW_PARAMS];
    *speed = c->speed.values[i % c->speed.count];
    i /= c->speed.count;
    *mass = c->mass.values[i % c->mass.count];
    i /= c->mass.count;
    for (size_t j = c->param_count; j-- > 0; i /= c->params[j].count) {
        values[j] = c->params[j].values[i % c->params[j].count];
    }
    return ff_normal_init(law, c->law, values, error);
}

size_t contact_swept(const contact *c) {
    size_t count = c->mass.count > 1;
    for (size_t j = 0; j < c->param_count; j++) {
        count += c->params[j].count > 1;
    }
    return count;
}

/* the parameter behind the j-th swept quantity; param_count stands for the mass */
static size_t swept_param(const contact *c, size_t j) {
    for (size_t param = 0; param < c->param_count; param++) {
        if (c->params[param].count > 1 && j-- == 0) {
            return param;
        }
    }
    return c->param_count;
}

const char *contact_swept_name(const contact *c, size_t j) {
    size_t param = swept_param(c, j);
    return param < c->param_count ? c->law->params[param].name : "mass";
}

double contact_swept_value(const contact *c, size_t j, size_t i) {
    size_t param = swept_param(c, j);
    i /= c->speed.count;
    if (param == c->param_count) {
        return c->mass.values[i % c->mass.count];
    }
    i /= c->mass.count;
    for (size_t last = c->param_count - 1; last > param; last--) {
        i /= c->params[last].count;
    }
    return c->params[param].values[i % c->params[param].count];
}

void contact_print_detach(const contact *c, FILE *out) {
    for (size_t i = 0; i < c->param_count; i++) {
        if (c->law->params[i].words) {
            fprintf(out, "%s: %s\n", c->law->params[i].name,
                    c->law->params[i].words[(size_t)c->params[i].values[0]]);
        }
    }
}

void contact_print_derived(const contact *c, FILE *out) {
    if (c->material[0]) {
        fprintf(out, "materials %s (E %.4g GPa, nu %g) and %s (E %.4g GPa, nu %g)\n",
                c->material[0]->name, c->material[0]->E / 1e9, c->material[0]->nu,
                c->material[1]->name, c->material[1]->E / 1e9, c->material[1]->nu);
    }
    if (!isnan(c->modulus)) {
        fprintf(out, "1/E* = (1 - nu1^2)/E1 + (1 - nu2^2)/E2: E* = %.6g Pa\n", c->modulus);
        fprintf(out, "k = (4/3) E* sqrt(R) = %.6g N/m^1.5", ff_hertz_k(c->modulus, c->radius));
        fprintf(out, "; tangential k = 3/2 of that\n");
    }
    if (!isnan(c->radius) && !isinf(c->body_radius[1])) {
        fprintf(out, "1/R = 1/R1 + 1/R2: R = %.6g m\n", c->radius);
    }
    if (c->body_mass[1] > 0 && !isinf(c->body_mass[1])) {
        fprintf(out, "1/m = 1/m1 + 1/m2: m = %.6g kg\n", c->mass.values[0]);
    } else if (c->material[0] && c->mass.count == 1) {
        fprintf(out, "m = %.6g kg\n", c->mass.values[0]);
    }
}

void contact_json_parameters(const contact *c, json *j) {
    json_object(j, "parameters");
    for (size_t i = 0; i < c->param_count; i++) {
        const ff_param *param = &c->law->params[i];
        double value = c->params[i].values[0];
        value = isnan(value) && param->fallback != FF_DERIVED ? param->fallback : value;
        if (param->words) {
            json_string(j, param->name, param->words[(size_t)value]);
        } else if (c->params[i].count == 1 && !isnan(value)) {
            json_number(j, param->name, value);
        }
    }
    json_end(j);
}

void contact_json_derived(const contact *c, json *j) {
    json_string(j, "law", c->law->name);
    if (c->material[0]) {
        json_array(j, "materials");
        json_string(j, NULL, c->material[0]->name);
        json_string(j, NULL, c->material[1]->name);
        json_end(j);
    }
    if (!isnan(c->modulus)) {
        json_number(j, "modulus", c->modulus);
        json_number(j, "hertz_k", ff_hertz_k(c->modulus, c->radius));
    }
    if (!isnan(c->radius)) {
        json_number(j, "radius", c->radius);
    }
}
