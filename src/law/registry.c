/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "expr/unit.h"
#include "kernels.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* All known laws: those of laws/, then user-defined ones. */

enum { MOST = 64 };

static const ff_normal_law *own_normal[MOST];
static const ff_friction_law *own_friction[MOST];
static size_t normal_count, friction_count;

const ff_normal_law *ff_normal_law_at(size_t i) {
    size_t ours = 0;
    while (ff_own_normal_laws[ours] && ours < i) {
        ours++;
    }
    return ff_own_normal_laws[ours]  ? ff_own_normal_laws[ours]
           : i - ours < normal_count ? own_normal[i - ours]
                                     : NULL;
}

const ff_friction_law *ff_friction_law_at(size_t i) {
    size_t ours = 0;
    while (ff_own_friction_laws[ours] && ours < i) {
        ours++;
    }
    return ff_own_friction_laws[ours]  ? ff_own_friction_laws[ours]
           : i - ours < friction_count ? own_friction[i - ours]
                                       : NULL;
}

const ff_normal_law *ff_normal_law_find(const char *name) {
    const ff_normal_law *law;
    for (size_t i = 0; (law = ff_normal_law_at(i)) && strcmp(law->name, name) != 0; i++) {
    }
    return law;
}

const ff_friction_law *ff_friction_law_find(const char *name) {
    const ff_friction_law *law;
    for (size_t i = 0; (law = ff_friction_law_at(i)) && strcmp(law->name, name) != 0; i++) {
    }
    return law;
}

static ff_status refuse(ff_error *error, const char *name, const char *why) {
    if (error) {
        snprintf(error->text, sizeof error->text, "law %.60s: %s", name ? name : "without a name",
                 why);
    }
    return FF_BAD_VALUE;
}

/* Whether a unit can be parsed. Its exponents may be dimensionless parameters of the law, or n and p of the normal law
 * of the pair. */
static bool readable(const char *text, const ff_param *params) {
    ff_exponent names[FF_LAW_PARAMS + 3] = {{"n", 1}, {"p", 1}};
    ff_unit unit;
    for (size_t i = 0, used = 2; i < FF_LAW_PARAMS && params[i].name; i++) {
        if (params[i].unit && strcmp(params[i].unit, "1") == 0) {
            names[used++] = (ff_exponent){params[i].name, 1};
        }
    }
    return ff_unit_parse(text, names, &unit, NULL, 0) == 0;
}

/* The first error in the members that both kinds of table have; NULL if there is none. */
static const char *fault(const char *name, const char *const texts[3], const ff_param *params) {
    if (!name || !*name || !texts[0] || !texts[1] || !texts[2]) {
        return "it needs a name, a formula, a source and limits";
    }
    for (const char *c = name; *c; c++) {
        if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '-') {
            return "its name may have small letters, digits and - only";
        }
    }
    size_t count = 0;
    for (; count <= FF_LAW_PARAMS && params[count].name; count++) {
        const ff_param *p = &params[count];
        if (!p->meaning || (!p->unit && !p->words) || !(p->least <= p->most)) {
            return "each of its parameters needs a unit or words, a range and a meaning";
        }
        /* the name becomes a key in scenes, beside `law`, and an option of commands */
        static const char allowed[] =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
        if (!*p->name || strchr(allowed + 52, *p->name) || p->name[strspn(p->name, allowed)] ||
            strcmp(p->name, "law") == 0) {
            return "names of parameters have letters, digits and _, and are not law";
        }
        if (p->unit && !readable(p->unit, params)) {
            return "the unit of one of its parameters cannot be read";
        }
        double given = p->fallback;
        if (!isnan(given) && given != FF_DERIVED && !(given >= p->least && given <= p->most)) {
            return "the default of one of its parameters is out of its range";
        }
        for (size_t i = 0; i < count; i++) {
            if (strcmp(params[i].name, p->name) == 0) {
                return "two of its parameters have the same name";
            }
        }
    }
    return count > FF_LAW_PARAMS ? "it has too many parameters" : NULL;
}

static const char *normal_fault(const ff_normal_law *law) {
    const char *const texts[] = {law->formula, law->source, law->limits};
    const char *why = fault(law->name, texts, law->params);
    return why                                              ? why
           : !law->respond || !law->stored                  ? "it needs respond and stored"
           : law->form                                      ? "form is for laws of this library"
           : law->states < 0 || law->states > FF_LAW_STATES ? "it has too many states"
           : ff_normal_law_find(law->name)                  ? "there is already a law of that name"
           : normal_count == MOST                           ? "there are too many laws"
                                                            : NULL;
}

static const char *friction_fault(const ff_friction_law *law) {
    const char *const texts[] = {law->formula, law->source, law->limits};
    const char *why = fault(law->name, texts, law->params);
    return why ? why
           : !law->respond || (law->vectors > 0 && !law->stored)
               ? "it needs respond, and stored if it has states"
           : law->form ? "form is for laws of this library"
           : law->vectors < 0 || law->scalars < 0 ||
                   3 * law->vectors + law->scalars > FF_FRICTION_STATES
               ? "it has too many states"
           : ff_friction_law_find(law->name) ? "there is already a law of that name"
           : friction_count == MOST          ? "there are too many laws"
                                             : NULL;
}

/* members other than `abi` cannot be read from a table of another ABI */
static ff_status refuse_abi(ff_error *error, int abi) {
    if (error) {
        snprintf(error->text, sizeof error->text,
                 "a law was made for another version of footfall: its ABI is %d, not %d", abi,
                 FF_LAW_ABI);
    }
    return FF_BAD_VALUE;
}

ff_status ff_law_register(const ff_normal_law *normal, const ff_friction_law *friction,
                          ff_error *error) {
    if ((normal && normal->abi != FF_LAW_ABI) || (friction && friction->abi != FF_LAW_ABI)) {
        return refuse_abi(error, normal && normal->abi != FF_LAW_ABI ? normal->abi : friction->abi);
    }
    const char *why = normal ? normal_fault(normal) : NULL;
    if (why) {
        return refuse(error, normal->name, why);
    }
    why = friction ? friction_fault(friction) : NULL;
    if (why) {
        return refuse(error, friction->name, why);
    }
    if (normal) {
        own_normal[normal_count++] = normal;
    }
    if (friction) {
        own_friction[friction_count++] = friction;
    }
    return FF_OK;
}
