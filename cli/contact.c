/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "contact.h"
#include "contact_options.h"
#include "law_values.h"
#include <footfall/elementary.h>
#include <footfall/tool.h>
#include <footfall/unit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const *contact_law_names(size_t *count) {
    static const char *names[128];
    const ff_normal_law *law;
    for (*count = 0; *count < 128 && (law = ff_normal_law_at(*count)); ++*count) {
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

static int set_one(const args *a, args_list *list, double value) {
    list->values = malloc(sizeof *list->values);
    if (!list->values) {
        return args_error(a, "out of memory");
    }
    list->values[0] = value;
    list->count = 1;
    return 0;
}

/* reports an option that the chosen law does not have */
static int refuse_foreign(const contact *c, const args *a) {
    const char *names[CONTACT_PARAMS];
    size_t count = contact_params(names);
    for (size_t i = 0; i < count; i++) {
        const char *option = contact_option(a, names[i]);
        if (contact_param(c->law, names[i]) || !args_given(a, option)) {
            continue;
        }
        char has[200] = "";
        for (size_t j = 0; j < c->param_count; j++) {
            size_t used = strlen(has);
            snprintf(has + used, sizeof has - used, "%s--%s", j ? ", " : "",
                     contact_option(a, c->law->params[j].name));
        }
        return args_error(a, "%s has no parameter '--%s' (it has %s)", c->law->name, option, has);
    }
    return 0;
}

static bool is_pure(const ff_param *param) { return param->unit && strcmp(param->unit, "1") == 0; }

/* Numbers of one parameter, or one NAN if it is not given. */
static int read_param(contact *c, const args *a, size_t i, const ff_exponent *exponents) {
    const ff_param *param = &c->law->params[i];
    const char *name = contact_option(a, param->name), *text = args_text(a, name);
    args_want want = {param->unit, exponents, param->least, param->most, NAN};
    ff_unit unit;
    if (!text) {
        return set_one(a, &c->params[i], NAN);
    }
    if (param->words) {
        size_t words = 0, index = 0;
        while (param->words[words]) {
            words++;
        }
        int status = args_choice(a, name, param->words, words, &index);
        return status ? status : set_one(a, &c->params[i], (double)index);
    }
    /* exponents can be swept only if no unit is given, since a unit depends on their value */
    if (ff_unit_parse(param->unit, exponents, &unit, NULL, 0) < 0) {
        if (strpbrk(text, "NkmMGs/")) {
            return args_error(
                a, "the unit of '--%s' depends on the exponents: leave it out if they are swept",
                name);
        }
        want.unit = "1";
    }
    return args_numbers(a, name, &want, &c->params[i]);
}

/* Dimensionless numbers first: they may be exponents in the units of the others. */
static int read_params(contact *c, const args *a) {
    ff_exponent exponents[FF_LAW_PARAMS + 1] = {{0}};
    size_t count = 0;
    int status = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < c->param_count && !status; i++) {
            const ff_param *param = &c->law->params[i];
            if (is_pure(param) != (pass == 0)) {
                continue;
            }
            status = read_param(c, a, i, exponents);
            if (!status && pass == 0) {
                const args_list *list = &c->params[i];
                double value = list->count > 1 ? (double)NAN : list->values[0];
                bool fallback = list->count == 1 && isnan(value);
                exponents[count++] = (ff_exponent){param->name, fallback ? param->fallback : value};
            }
        }
    }
    return status;
}

/* Which parameters change if stiffness and damping of a law are multiplied; false: not possible. */
static bool changes(const ff_normal *law, const double times[3], bool out[FF_LAW_PARAMS]) {
    double values[FF_LAW_PARAMS];
    ff_power wanted;
    ff_normal_power(law, 1, &wanted);
    wanted.k *= times[0];
    wanted.lambda *= times[1];
    wanted.lambda_out *= times[2];
    memcpy(values, law->values, sizeof values);
    bool can = law->law->with_power(law, &wanted, values);
    for (size_t i = 0; i < FF_LAW_PARAMS; i++) {
        out[i] = can && values[i] != law->values[i] && !isnan(values[i]);
    }
    return can;
}

/* Which parameters depend on the desired stiffness and damping. A law with its own design function determines all required
 * ones. */
static void find_roles(const ff_normal_law *table, bool stiffness[FF_LAW_PARAMS],
                       bool damping[FF_LAW_PARAMS]) {
    double values[FF_LAW_PARAMS];
    bool scaled[FF_LAW_PARAMS], alone[FF_LAW_PARAMS], both[FF_LAW_PARAMS], apart[FF_LAW_PARAMS];
    ff_normal law;
    ff_power power;
    memset(stiffness, 0, FF_LAW_PARAMS * sizeof *stiffness);
    memset(damping, 0, FF_LAW_PARAMS * sizeof *damping);
    for (size_t i = 0; i < FF_LAW_PARAMS; i++) {
        values[i] = (double)NAN;
    }
    for (size_t i = 0; table->design && table->params[i].name; i++) {
        damping[i] = isnan(table->params[i].fallback);
    }
    ff_law_fill(table->params, values);
    if (table->design || !table->with_power || normal_of(&law, table, values, NULL) < 0 ||
        !ff_normal_power(&law, 1, &power)) {
        return;
    }
    /* some laws have the damping as a parameter, some its ratio to the stiffness */
    bool can_scale = changes(&law, (double[]){2, 2, 2}, scaled);
    bool can_alone = changes(&law, (double[]){2, 1, 1}, alone);
    changes(&law, (double[]){1, 2, 2}, both);
    changes(&law, (double[]){1, 2, 3}, apart);
    for (size_t i = 0; i < FF_LAW_PARAMS; i++) {
        stiffness[i] =
            (can_scale || can_alone) && (scaled[i] || !can_scale) && (alone[i] || !can_alone);
        damping[i] = both[i] || apart[i];
    }
}

/* reads one value or two, for one body or two */
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
    c->radius = radii > 0 ? ff_reduced_radius(c->body_radius[0], c->body_radius[1]) : (double)NAN;
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
        /* a single body meets a rigid one */
        c->modulus =
            ff_modulus(E[0], nu[0], E_count > 1 ? E[1] : HUGE_VAL, E_count > 1 ? nu[1] : 0);
    }
    if (!isnan(c->modulus) && isnan(c->radius)) {
        return args_error(a, "materials need --radius to give a stiffness");
    }
    return 0;
}

/* the parameter of a law that follows from lambda*; -1 if none does. `per` receives its value for lambda* = R = 1 */
static int star_param(const ff_normal_law *law, double radius, double *per) {
    double values[FF_LAW_PARAMS], without[FF_LAW_PARAMS];
    for (size_t i = 0; i < FF_LAW_PARAMS; i++) {
        values[i] = without[i] = (double)NAN;
    }
    if (law->surround) {
        law->surround(&(ff_surroundings){NAN, radius, 1, NAN, NAN, NAN, NAN, NAN, NAN}, values);
        law->surround(&(ff_surroundings){NAN, radius, NAN, NAN, NAN, NAN, NAN, NAN, NAN}, without);
    }
    for (int i = 0; law->params[i].name; i++) {
        if (!isnan(values[i]) && isnan(without[i])) {
            *per = values[i];
            return i;
        }
    }
    return -1;
}

double contact_lambda_star(const ff_normal *law, double radius) {
    double per;
    int i = isnan(radius) ? -1 : star_param(law->law, radius, &per);
    return i < 0 ? (double)NAN : law->values[i] / per;
}

static int read_star(contact *c, const args *a) {
    args_want want = args_want_any(NULL);
    double per;
    if (!args_given(a, "lambda-star")) {
        return 0;
    }
    int i = star_param(c->law, 1, &per);
    if (i < 0) {
        char others[160] = "";
        const ff_normal_law *law;
        for (size_t j = 0; (law = ff_normal_law_at(j)); j++) {
            size_t used = strlen(others);
            if (star_param(law, 1, &per) >= 0) {
                snprintf(others + used, sizeof others - used, "%s%s", used ? ", " : "", law->name);
            }
        }
        return args_error(a, "'--lambda-star' is for %s, not for %s", others, c->law->name);
    }
    const char *option = contact_option(a, c->law->params[i].name);
    if (args_given(a, option) || isnan(c->radius)) {
        return args_error(a, "--lambda-star goes with --radius and without --%s", option);
    }
    want.least = 0;
    return args_number(a, "lambda-star", &want, &c->lambda_star);
}

/* The values of parameters at the first point; NAN if unknown. */
static void known_values(const contact *c, double values[FF_LAW_PARAMS]) {
    for (size_t j = 0; j < c->param_count; j++) {
        values[j] = c->params[j].values[0];
    }
    if (c->law->surround) {
        c->law->surround(
            &(ff_surroundings){c->modulus, c->radius, c->lambda_star, NAN, NAN, NAN, NAN, NAN, NAN},
            values);
    }
}

/* "n = 2, p = 1", of a law at a point */
static void exponents_text(const contact *c, const double *values, char *out, size_t size) {
    *out = '\0';
    for (size_t i = 0; i < c->param_count; i++) {
        const ff_param *param = &c->law->params[i];
        size_t used = strlen(out);
        double value = isnan(values[i]) ? param->fallback : values[i];
        if (is_pure(param) && !isnan(value)) {
            snprintf(out + used, size - used, "%s%s = %g", used ? ", " : " with ", param->name,
                     value);
        }
    }
}

/* Reports a missing parameter at a point, and what could be given. */
static int refuse_missing(const contact *c, const args *a, const double *values, size_t i) {
    const ff_param *param = &c->law->params[i];
    char exponents[120];
    exponents_text(c, values, exponents, sizeof exponents);
    if (isnan(c->modulus)) {
        return args_error(a, "option '--%s' is missing (%s, %s)", contact_option(a, param->name),
                          param->meaning, param->unit ? param->unit : "a word");
    }
    return args_error(a,
                      "materials give no %s of %s%s (they give k of a sphere, n = 3/2): give --%s",
                      param->name, c->law->name, exponents, contact_option(a, param->name));
}

/* Whether a comma-separated list contains this name; `-` and `_` are equivalent. */
static bool is_listed(const char *names, const char *name) {
    for (const char *at = names; at && *at; at += *at == ',') {
        const size_t length = strcspn(at, ",");
        size_t same = 0;
        while (same < length && name[same] &&
               (at[same] == name[same] || (at[same] == '-' && name[same] == '_'))) {
            same++;
        }
        if (same == length && name[same] == '\0') {
            return true;
        }
        at += length;
    }
    return false;
}

/* Parameters to be determined are left open; all others must be known. */
static int require_params(contact *c, const args *a, unsigned need, const char *names) {
    double values[FF_LAW_PARAMS];
    bool stiffness[FF_LAW_PARAMS], damping[FF_LAW_PARAMS];
    find_roles(c->law, stiffness, damping);
    known_values(c, values);
    c->sized = true;
    for (size_t i = 0; i < c->param_count; i++) {
        const char *option = contact_option(a, c->law->params[i].name);
        const bool open = isnan(values[i]) && isnan(c->law->params[i].fallback);
        if (damping[i] && !names && (need & CONTACT_FREE_DAMPING) && args_given(a, option)) {
            return args_error(a, "'--%s' is found by %s: leave it out", option, a->command->name);
        }
        c->free[i] = names ? open && is_listed(names, c->law->params[i].name)
                           : open && ((damping[i] && (need & CONTACT_FREE_DAMPING)) ||
                                      (stiffness[i] && (need & CONTACT_FREE_K)) ||
                                      (need & CONTACT_FREE_MISSING));
        if (stiffness[i]) {
            c->stiffness = option;
            c->sized = c->sized && !isnan(values[i]);
        }
        if (open && !c->free[i]) {
            return refuse_missing(c, a, values, i);
        }
    }
    if (!names && (need & CONTACT_FREE_DAMPING) && args_given(a, "lambda-star")) {
        return args_error(a, "'--lambda-star' is found by %s: leave it out", a->command->name);
    }
    return 0;
}

static int read_mass(contact *c, const args *a, unsigned need) {
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
        if ((need & CONTACT_NO_MASS) != 0) {
            return set_one(a, &c->mass, 1);
        }
        if (!c->material[0] || isnan(c->radius)) {
            return args_error(a, "option '--mass' is missing (kg; two values for two free bodies)");
        }
        /* solid spheres of the material; a body without radius is a fixed plate */
        for (size_t i = 0; i < 2; i++) {
            double r = c->body_radius[i];
            c->body_mass[i] = 4 * FF_PI / 3 * r * r * r * c->material[i]->density;
        }
        count = isinf(c->body_radius[1]) ? 1 : 2;
    }
    return set_one(a, &c->mass,
                   count == 1 ? c->body_mass[0]
                              : ff_reduced_mass(c->body_mass[0], c->body_mass[1]));
}

/* every point of the sweep must give a valid law */
static int check_points(const contact *c, const args *a) {
    for (size_t i = 0; i < contact_count(c); i += c->speed.count) {
        ff_error error;
        ff_normal law;
        double mass, speed;
        ff_status status = contact_point(c, i, &law, &mass, &speed, &error);
        if (status < 0 && status != FF_MISSING) {
            return args_error(a, "%s", error.text);
        }
        for (size_t j = 0; status == FF_MISSING && j < c->param_count; j++) {
            if (isnan(law.values[j]) && isnan(c->law->params[j].fallback)) {
                return refuse_missing(c, a, law.values, j);
            }
        }
    }
    return 0;
}

int contact_speeds(const args *a, const args_want *want, args_list *out) {
    static const char *const other[] = {"speed"};
    if (!args_given(a, "drop")) {
        return args_numbers(a, "speed", want, out);
    }
    int status = args_refuse(a, other, 1, "cannot be used with --drop");
    status = status ? status : args_numbers(a, "drop", want, out);
    for (size_t i = 0; !status && i < out->count; i++) {
        out->values[i] = sqrt(2 * 9.81 * out->values[i]);
    }
    return status;
}

int contact_read(contact *c, const args *a, unsigned need) {
    return contact_read_free(c, a, need, NULL);
}

int contact_read_free(contact *c, const args *a, unsigned need, const char *names) {
    *c = (contact){.modulus = NAN, .radius = NAN, .lambda_star = NAN};
    int status = contact_law(a, &c->law);
    if (status) {
        return status;
    }
    while (c->law->params[c->param_count].name) {
        c->param_count++;
    }
    status = refuse_foreign(c, a);
    status = status ? status : read_elasticity(c, a);
    status = status ? status : read_star(c, a);
    status = status ? status : read_params(c, a);
    status = status ? status : require_params(c, a, need, names);
    status = status ? status : read_mass(c, a, need);
    if (!status && (need & CONTACT_NO_SPEED)) {
        status = set_one(a, &c->speed, 1);
    } else if (!status) {
        args_want want = args_want_any(NULL);
        want.least = need & CONTACT_ZERO_SPEED ? 0 : FF_POSITIVE;
        status = contact_speeds(a, &want, &c->speed);
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
    if (c->law->surround) {
        c->law->surround(
            &(ff_surroundings){c->modulus, c->radius, c->lambda_star, NAN, NAN, NAN, NAN, NAN, NAN},
            values);
    }
    for (size_t j = 0; j < c->param_count; j++) {
        const ff_param *param = &c->law->params[j];
        const bool closed = isfinite(param->least) && isfinite(param->most);
        values[j] = !isnan(values[j]) || !c->free[j] ? values[j]
                    : closed                         ? (param->least + param->most) / 2
                                                     : fmin(fmax(1, param->least), param->most);
    }
    ff_status status = normal_of(law, c->law, values, error);
    if (status < 0) {
        memcpy(law->values, values, sizeof values);
    }
    return status;
}

size_t contact_swept(const contact *c) {
    size_t count = c->mass.count > 1;
    for (size_t j = 0; j < c->param_count; j++) {
        count += c->params[j].count > 1;
    }
    return count;
}

/* the parameter of the j-th swept quantity; param_count stands for the mass */
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

void contact_print_words(const contact *c, FILE *out) {
    for (size_t i = 0; i < c->param_count; i++) {
        const ff_param *param = &c->law->params[i];
        double value = c->params[i].values[0];
        if (param->words) {
            fprintf(out, "%s: %s\n", param->name,
                    param->words[(size_t)(isnan(value) ? param->fallback : value)]);
        }
    }
}

bool contact_damped(const ff_normal_law *table, ff_normal *law) {
    double values[FF_LAW_PARAMS];
    for (size_t i = 0; i < FF_LAW_PARAMS; i++) {
        values[i] = (double)NAN;
    }
    for (const ff_param *param = table->params; param->name; param++) {
        if (is_pure(param) && isnan(param->fallback)) {
            return false;
        }
    }
    ff_law_fill(table->params, values);
    return normal_of(law, table, values, NULL) == FF_OK && ff_design_possible(law);
}

/* Two laws with the same exponents are equal; with p = n, e depends only on lambda v/k, for any n. */
static bool same(const ff_normal *a, const ff_normal *b, bool by_restitution) {
    ff_power x, y;
    ff_normal_power(a, 1, &x);
    ff_normal_power(b, 1, &y);
    return (x.n == y.n && x.p == y.p) || (by_restitution && x.p == x.n && y.p == y.n);
}

size_t contact_damped_laws(ff_normal laws[CONTACT_LAWS], bool by_restitution) {
    const ff_normal_law *table;
    size_t count = 0;
    for (size_t i = 0; (table = ff_normal_law_at(i)) && count < CONTACT_LAWS; i++) {
        size_t other = 0;
        if (contact_damped(table, &laws[count])) {
            while (other < count && !same(&laws[other], &laws[count], by_restitution)) {
                other++;
            }
            count += other == count;
        }
    }
    return count;
}

size_t contact_force_params(const ff_normal_law *table, const char *names[FF_LAW_PARAMS]) {
    bool stiffness[FF_LAW_PARAMS], damping[FF_LAW_PARAMS];
    size_t count = 0;
    find_roles(table, stiffness, damping);
    for (size_t i = 0; table->params[i].name; i++) {
        if ((stiffness[i] || damping[i]) && table->params[i].fallback != FF_DERIVED) {
            names[count++] = table->params[i].name;
        }
    }
    return count;
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

void contact_json_parameters(const contact *c, ff_json *j) {
    ff_normal law;
    double mass, speed;
    contact_point(c, 0, &law, &mass, &speed, NULL);
    ff_json_object(j, "parameters");
    for (size_t i = 0; i < c->param_count; i++) {
        const ff_param *param = &c->law->params[i];
        if (param->words) {
            ff_json_string(j, param->name, param->words[(size_t)law.values[i]]);
        } else if (c->params[i].count == 1 && law.values[i] != FF_DERIVED) {
            ff_json_number(j, param->name, law.values[i]);
        }
    }
    ff_json_end(j);
}

void contact_json_derived(const contact *c, ff_json *j) {
    ff_json_string(j, "law", c->law->name);
    if (c->material[0]) {
        ff_json_array(j, "materials");
        ff_json_string(j, NULL, c->material[0]->name);
        ff_json_string(j, NULL, c->material[1]->name);
        ff_json_end(j);
    }
    if (!isnan(c->modulus)) {
        ff_json_number(j, "modulus", c->modulus);
        ff_json_number(j, "hertz_k", ff_hertz_k(c->modulus, c->radius));
    }
    if (!isnan(c->radius)) {
        ff_json_number(j, "radius", c->radius);
    }
}
