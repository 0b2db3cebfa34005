/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "unit.h"
#include "num/elementary.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* exponents are short literals or sums such as n+1, so equal ones differ only by rounding */
static const double exponent_tolerance = 1e-9;

/* far beyond any physical unit; keeps powers of factors finite */
static const double exponent_most = 100;

enum { depth_most = 8 };

typedef struct reader {
    const char *at;
    const ff_exponent *names;
    int depth;
    char *why;
    size_t why_size;
} reader;

static int fail(char *why, size_t why_size, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(why, why_size, format, list);
    va_end(list);
    return -1;
}

static const char *skip_space(const char *s) { return s + strspn(s, " \t"); }

/* Reads a decimal number and multiplies it by 10^ten with a single rounding: the exponent is added to that of the literal
 * before strtod is called. Returns the end of the literal, NULL if there is none. */
static const char *number(const char *text, int ten, double *value) {
    const char *digits = "0123456789";
    const char *whole = text + (*text == '+' || *text == '-');
    size_t whole_count = strspn(whole, digits);
    const char *end = whole + whole_count, *fraction = end;
    size_t fraction_count = 0;
    if (*end == '.') {
        fraction = end + 1;
        fraction_count = strspn(fraction, digits);
        end = fraction + fraction_count;
    }
    if (whole_count + fraction_count == 0 || whole_count + fraction_count > 400) {
        return NULL;
    }

    long exponent = 0;
    if (*end == 'e' || *end == 'E') {
        const char *e = end + 1 + (end[1] == '+' || end[1] == '-');
        if (isdigit((unsigned char)*e)) {
            exponent = strtol(end + 1, NULL, 10);
            end = e + strspn(e, digits);
        }
    }
    /* far beyond the range of doubles, even after 400 digits */
    exponent = exponent > 100000 ? 100000 : exponent < -100000 ? -100000 : exponent;

    /* strtod expects the decimal point of the current locale */
    char copy[512];
    snprintf(copy, sizeof copy, "%s%.*s%s%.*se%ld", *text == '-' ? "-" : "", (int)whole_count,
             whole, localeconv()->decimal_point, (int)fraction_count, fraction, exponent + ten);
    *value = strtod(copy, NULL);
    return end;
}

const char *ff_number_read(const char *text, double *value) { return number(text, 0, value); }

typedef struct unit_entry {
    const char *name, *prefixes;
    ff_unit unit;
} unit_entry;

static const unit_entry units[] = {
    {"m", "numcdk", {1, 0, {0, 1, 0}, 0}},  {"g", "numk", {1, -3, {1, 0, 0}, 0}},
    {"t", "", {1, 3, {1, 0, 0}, 0}},        {"s", "num", {1, 0, {0, 0, 1}, 0}},
    {"min", "", {60, 0, {0, 0, 1}, 0}},     {"h", "", {3600, 0, {0, 0, 1}, 0}},
    {"Hz", "mkMG", {1, 0, {0, 0, -1}, 1}},  {"rpm", "", {0.10471975511965977, 0, {0, 0, -1}, 0}},
    {"N", "numkMG", {1, 0, {1, 1, -2}, 0}}, {"J", "numkMG", {1, 0, {1, 2, -2}, 0}},
    {"W", "numkMG", {1, 0, {1, 2, -3}, 0}}, {"Pa", "numkMG", {1, 0, {1, -1, -2}, 0}},
    {"rad", "num", {1, 0, {0, 0, 0}, 0}},   {"deg", "", {0.017453292519943295, 0, {0, 0, 0}, 0}},
};

static int prefix_ten(char letter) {
    const char *letters = "numcdkMG";
    static const int tens[] = {-9, -6, -3, -2, -1, 3, 6, 9};
    return tens[strchr(letters, letter) - letters];
}

/* Finds a unit by name; complete names first, so `min` is the minute and `m` the metre. */
static bool find_unit(const char *name, ff_unit *unit) {
    const size_t count = sizeof units / sizeof *units;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, units[i].name) == 0) {
            *unit = units[i].unit;
            return true;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (*name && strchr(units[i].prefixes, *name) && strcmp(name + 1, units[i].name) == 0) {
            *unit = units[i].unit;
            unit->ten += prefix_ten(*name);
            return true;
        }
    }
    return false;
}

/* Length of the micro sign (U+00B5) or the letter mu (U+03BC) at s, else 0. */
static size_t micro(const char *s) {
    return strncmp(s, "\xc2\xb5", 2) == 0 || strncmp(s, "\xce\xbc", 2) == 0 ? 2 : 0;
}

/* Reads letters, replacing a micro sign by u; false if they do not fit. */
static bool read_name(const char **at, char name[8]) {
    size_t length = 0;
    while (isalpha((unsigned char)**at) || micro(*at)) {
        size_t wide = micro(*at);
        if (length < 8) {
            name[length++] = wide ? 'u' : **at;
        }
        *at += wide ? wide : 1;
    }
    name[length < 8 ? length : 7] = '\0';
    return length < 8;
}

size_t ff_unit_word(const char *text) {
    const char *end = text;
    char name[8];
    ff_unit unit;
    bool whole = read_name(&end, name) && !isdigit((unsigned char)*end) && *end != '_';
    return whole && find_unit(name, &unit) ? (size_t)(end - text) : 0;
}

/* Length of `*`, the middle dot (U+00B7) or the dot operator (U+22C5) at s, else 0. */
size_t ff_unit_times(const char *s) {
    if (*s == '*') {
        return 1;
    }
    return strncmp(s, "\xc2\xb7", 2) == 0 ? 2 : strncmp(s, "\xe2\x8b\x85", 3) == 0 ? 3 : 0;
}

/* atom = number, or [-]name */
static int read_atom(reader *r, double *value) {
    r->at = skip_space(r->at);
    const char *name = r->at + (*r->at == '-'), *end = name;
    while (isalpha((unsigned char)*end) ||
           (end > name && (isdigit((unsigned char)*end) || *end == '_'))) {
        end++;
    }
    if (end > name) {
        int length = (int)(end - name);
        const ff_exponent *known = r->names;
        while (known && known->name &&
               (strncmp(known->name, name, (size_t)length) != 0 || known->name[length] != '\0')) {
            known++;
        }
        if (!known || !known->name || isnan(known->value)) {
            return fail(r->why, r->why_size, "the exponent '%.*s' has no value here",
                        length > 40 ? 40 : length, name);
        }
        *value = name > r->at ? -known->value : known->value;
        r->at = end;
        return 0;
    }
    end = number(r->at, 0, value);
    if (!end) {
        return fail(r->why, r->why_size, "'%.40s' is not an exponent", r->at);
    }
    r->at = end;
    return 0;
}

/* term = atom {(* or /) atom} */
static int read_term(reader *r, double *value) {
    if (read_atom(r, value) < 0) {
        return -1;
    }
    for (;;) {
        r->at = skip_space(r->at);
        char op = *r->at;
        if (op != '*' && op != '/') {
            return 0;
        }
        double next;
        r->at++;
        if (read_atom(r, &next) < 0) {
            return -1;
        }
        *value = op == '*' ? *value * next : *value / next;
    }
}

/* exponent = atom, or (term {(+ or -) term}) */
static int read_exponent(reader *r, double *value) {
    if (*r->at != '(') {
        if (read_atom(r, value) < 0) {
            return -1;
        }
    } else {
        r->at++;
        if (read_term(r, value) < 0) {
            return -1;
        }
        while (*r->at == '+' || *r->at == '-') {
            double sign = *r->at++ == '+' ? 1 : -1, next;
            if (read_term(r, &next) < 0) {
                return -1;
            }
            *value += sign * next;
        }
        if (*r->at != ')') {
            return fail(r->why, r->why_size, "an exponent has no matching ')'");
        }
        r->at++;
    }
    if (!(fabs(*value) <= exponent_most)) {
        return fail(r->why, r->why_size, "an exponent is beyond %g", exponent_most);
    }
    return 0;
}

static int read_product(reader *r, ff_unit *unit);

/* factor = 1, name, or (product) */
static int read_factor(reader *r, ff_unit *unit) {
    r->at = skip_space(r->at);
    if (*r->at == '1' && !isdigit((unsigned char)r->at[1]) && r->at[1] != '.') {
        r->at++;
        *unit = (ff_unit){.factor = 1};
        return 0;
    }
    if (*r->at == '(') {
        if (++r->depth > depth_most) {
            return fail(r->why, r->why_size, "parentheses are nested too deeply");
        }
        r->at++;
        if (read_product(r, unit) < 0) {
            return -1;
        }
        if (*r->at != ')') {
            return fail(r->why, r->why_size, "a ')' is missing");
        }
        r->at++;
        r->depth--;
        return 0;
    }
    const char *start = r->at;
    char name[8];
    bool fits = read_name(&r->at, name);
    if (r->at == start) {
        return *start ? fail(r->why, r->why_size, "'%.40s' is not a unit", start)
                      : fail(r->why, r->why_size, "a unit is missing at the end");
    }
    if (fits && find_unit(name, unit)) {
        return 0;
    }
    return fail(
        r->why, r->why_size,
        "unknown unit '%.*s' (known are m g t s min h Hz rpm N J W Pa rad deg with prefixes, "
        "as in 'kN s/m')",
        r->at - start > 40 ? 40 : (int)(r->at - start), start);
}

/* product = factor[^exponent] {(space, times or /) factor[^exponent]} */
static int read_product(reader *r, ff_unit *unit) {
    *unit = (ff_unit){.factor = 1};
    double sign = 1;
    for (;;) {
        ff_unit next;
        double power = 1;
        if (read_factor(r, &next) < 0) {
            return -1;
        }
        if (*r->at == '^') {
            r->at++;
            if (read_exponent(r, &power) < 0) {
                return -1;
            }
        }
        power *= sign;
        unit->factor *= ff_pow(next.factor, power);
        unit->ten += power * next.ten;
        unit->dim.kg += power * next.dim.kg;
        unit->dim.m += power * next.dim.m;
        unit->dim.s += power * next.dim.s;
        unit->hertz += power * next.hertz;

        const char *after = skip_space(r->at);
        bool spaced = after > r->at;
        r->at = after;
        if (*after == '\0' || *after == ')') {
            return 0;
        }
        sign = *after == '/' ? -1 : 1;
        if (*after == '/') {
            r->at++;
        } else if (ff_unit_times(after)) {
            r->at += ff_unit_times(after);
        } else if (!spaced) {
            return fail(r->why, r->why_size, "a space, '*' or '/' is missing before '%.40s'",
                        after);
        }
    }
}

int ff_unit_parse(const char *text, const ff_exponent *names, ff_unit *unit, char *why,
                  size_t why_size) {
    reader r = {.at = text, .names = names, .why = why, .why_size = why_size};
    if (read_product(&r, unit) < 0) {
        return -1;
    }
    if (*r.at) {
        return fail(why, why_size, "'%.40s' is unexpected", r.at);
    }
    return 0;
}

bool ff_dimension_same(ff_dimension a, ff_dimension b) {
    return fabs(a.kg - b.kg) <= exponent_tolerance && fabs(a.m - b.m) <= exponent_tolerance &&
           fabs(a.s - b.s) <= exponent_tolerance;
}

/* The name of a dimension with its article; NULL if it has none. */
static const char *dimension_name(ff_dimension dim) {
    static const struct {
        ff_dimension dim;
        const char *name;
    } names[] = {
        {{0, 0, 0}, "a plain number"},
        {{1, 0, 0}, "a mass (kg)"},
        {{0, 1, 0}, "a length (m)"},
        {{0, 0, 1}, "a time (s)"},
        {{0, 1, -1}, "a speed (m/s)"},
        {{0, 1, -2}, "an acceleration (m/s^2)"},
        {{1, 1, -2}, "a force (N)"},
        {{1, 2, -2}, "an energy or torque (J)"},
        {{1, 2, -3}, "a power (W)"},
        {{1, -1, -2}, "a pressure (Pa)"},
        {{0, 0, -1}, "a rate (1/s)"},
        {{1, 0, -2}, "a stiffness (N/m)"},
        {{1, 0, -1}, "a damping (N s/m)"},
        {{1, 1, -1}, "an impulse (N s)"},
        {{0, 2, 0}, "an area (m^2)"},
        {{0, 3, 0}, "a volume (m^3)"},
        {{1, -3, 0}, "a density (kg/m^3)"},
        {{1, 2, 0}, "a moment of inertia (kg m^2)"},
        {{1, 2, -1}, "a torque per rate (N m s)"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (ff_dimension_same(dim, names[i].dim)) {
            return names[i].name;
        }
    }
    return NULL;
}

static size_t put_power(char *buf, size_t size, size_t used, const char *unit, double power) {
    if (fabs(power) <= exponent_tolerance || used >= size) {
        return used;
    }
    const char *space = used && buf[used - 1] != '/' ? " " : "";
    int more = fabs(power - 1) <= exponent_tolerance
                   ? snprintf(buf + used, size - used, "%s%s", space, unit)
                   : snprintf(buf + used, size - used, "%s%s^%.6g", space, unit, power);
    return used + (size_t)more;
}

const char *ff_dimension_units(ff_dimension dim, char *buf, size_t size) {
    const char *name = dimension_name(dim), *unit = name ? strchr(name, '(') : NULL;
    if (name) {
        snprintf(buf, size, "%.*s", unit ? (int)strlen(unit) - 2 : 1, unit ? unit + 1 : "1");
        return buf;
    }
    /* stiffness and damping of contact laws are written with newtons */
    bool stiffness = ff_dimension_same(dim, (ff_dimension){1, dim.m, -2});
    bool damping = ff_dimension_same(dim, (ff_dimension){1, dim.m, -1});
    if ((stiffness || damping) && dim.m < 1) {
        snprintf(buf, size, stiffness ? "N/" : "N s/");
        put_power(buf, size, strlen(buf), "m", 1 - dim.m);
        return buf;
    }
    size_t used = put_power(buf, size, 0, "kg", dim.kg);
    used = put_power(buf, size, used, "m", dim.m);
    put_power(buf, size, used, "s", dim.s);
    return buf;
}

const char *ff_dimension_text(ff_dimension dim, char *buf, size_t size) {
    const char *name = dimension_name(dim);
    if (!name) {
        return ff_dimension_units(dim, buf, size);
    }
    snprintf(buf, size, "%s", strchr(name, ' ') + 1);
    return buf;
}

/* "a length (m)", or only the units if there is no name */
static const char *described(ff_dimension dim, char *buf, size_t size) {
    const char *name = dimension_name(dim);
    return name ? name : ff_dimension_text(dim, buf, size);
}

int ff_dimension_refuse(const char *text, ff_dimension is, ff_dimension expected, char *why,
                        size_t why_size) {
    char a[64], b[64];
    return fail(why, why_size, "'%.60s' is %s%s, expected %s", text,
                dimension_name(is) ? "" : "in ", described(is, a, sizeof a),
                described(expected, b, sizeof b));
}

/* angular velocity */
static const ff_dimension rate = {0, 0, -1};

/* nan, inf and infinity in any case, with or without a sign */
static bool names_no_finite(const char *text) {
    char word[10] = "";
    text += *text == '+' || *text == '-';
    for (size_t i = 0; i + 1 < sizeof word && text[i]; i++) {
        word[i] = (char)tolower((unsigned char)text[i]);
    }
    return strcmp(word, "nan") == 0 || strcmp(word, "inf") == 0 || strcmp(word, "infinity") == 0;
}

/* Reads a number with an optional unit into SI, without checking its range. */
static int read_quantity(const char *text, ff_quantity *q, char *why, size_t why_size) {
    double x;
    const char *end = number(text, 0, &x);
    if (!end) {
        return fail(why, why_size, "'%.60s' is not a %snumber", text,
                    names_no_finite(text) ? "finite " : "");
    }
    *q = (ff_quantity){.value = x};
    end = skip_space(end);
    if (*end == '\0') {
        return 0;
    }
    ff_unit unit;
    char reason[192] = "'1' is not a unit";
    bool lone = *end == '1' && *skip_space(end + 1) != '/';
    if (lone || ff_unit_parse(end, NULL, &unit, reason, sizeof reason) < 0) {
        return fail(why, why_size, "'%.60s': %s", text, reason);
    }
    /* an integer power of ten is merged into the literal, so that 154 g equals 0.154 exactly */
    if (unit.ten == floor(unit.ten)) {
        number(text, (int)unit.ten, &x);
    } else {
        x *= ff_pow(10, unit.ten);
    }
    *q = (ff_quantity){.value = x * unit.factor,
                       .dim = unit.dim,
                       .has_unit = true,
                       .hertz = fabs(unit.hertz) > exponent_tolerance};
    return 0;
}

static int refuse_size(const char *text, double x, char *why, size_t why_size) {
    if (!isfinite(x)) {
        return fail(why, why_size, "'%.60s' is not a finite number", text);
    }
    if (x == 0 && isdigit((unsigned char)text[strspn(text, "+-0.")])) {
        return fail(why, why_size, "'%.60s' is too small a number", text);
    }
    return 0;
}

int ff_quantity_read(const char *text, ff_quantity *q, char *why, size_t why_size) {
    text = skip_space(text);
    if (read_quantity(text, q, why, why_size) < 0) {
        return -1;
    }
    return refuse_size(text, q->value, why, why_size);
}

int ff_quantity_parse(const char *text, ff_dimension expected, double *value, char *why,
                      size_t why_size) {
    ff_quantity q;
    text = skip_space(text);
    if (read_quantity(text, &q, why, why_size) < 0) {
        return -1;
    }
    if (q.has_unit && !ff_dimension_same(q.dim, expected)) {
        return ff_dimension_refuse(text, q.dim, expected, why, why_size);
    }
    /* 2 Hz could mean 2 or 4 pi rad/s */
    if (q.hertz && ff_dimension_same(expected, rate)) {
        return fail(why, why_size,
                    "'%.60s' is a frequency, expected an angular velocity: %.5g rad/s", text,
                    6.283185307179586 * q.value);
    }
    if (refuse_size(text, q.value, why, why_size) < 0) {
        return -1;
    }
    *value = q.value;
    return 0;
}
