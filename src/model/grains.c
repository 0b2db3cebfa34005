/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "expr/word.h"
#include "kinds.h"
#include "num/def.h"
#include "num/memory.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* smallest edge of a cell in diameters of the largest grain: room for a random offset, so that towers of equal grains
 * collapse */
static const double cell_edge = 1.05;
/* fraction of the free room in a cell that is used for the offset, so that neighbours are separated by more than rounding */
static const double shift_most = 0.9;
/* a box that is a whole number of cells wide must hold them, whatever the division rounds to */
static const double rounding = 1e-12;

/* ---- random numbers ---- */

/* 64 bits from a counter: splitmix64 (Steele, Lea and Flood 2014, in the form of Vigna 2015) */
static uint64_t draw(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* uniform in [0, 1) */
static double draw_part(uint64_t *state) { return (double)(draw(state) >> 11) * 0x1p-53; }

/* True with probability exp(-x), 0 <= x <= 1, using only comparisons, which involve no rounding (von Neumann 1951): the
 * probability that x > u1 > u2 > ... holds for n or more numbers is x^n/n!, so the probability that it ends after an even
 * number of them is 1 - x + x^2/2! - ... */
static bool draw_decay(uint64_t *state, double x) {
    bool even = true;
    for (double u = draw_part(state); u < x; u = draw_part(state)) {
        x = u;
        even = !even;
    }
    return even;
}

/* normal with mean 0 and standard deviation 1, truncated at -2 and 2: x is accepted with probability exp(-x^2/2) */
static double draw_normal(uint64_t *state) {
    double x;
    do {
        x = 4 * draw_part(state) - 2;
    } while (!draw_decay(state, x * x / 4) || !draw_decay(state, x * x / 4));
    return x;
}

/* ---- distributions ---- */

static double spread_least(const ff_spread *s) {
    return s->kind == FF_SPREAD_NORMAL ? s->a - 2 * s->b : s->a;
}

static double spread_most(const ff_spread *s) {
    return s->kind == FF_SPREAD_NORMAL ? s->a + 2 * s->b : s->kind == FF_SPREAD_SAME ? s->a : s->b;
}

static double spread_draw(const ff_spread *s, uint64_t *state) {
    switch (s->kind) {
    case FF_SPREAD_SAME: break;
    case FF_SPREAD_UNIFORM: return fmin(s->a + (s->b - s->a) * draw_part(state), s->b);
    case FF_SPREAD_NORMAL: return s->a + s->b * draw_normal(state);
    }
    return s->a;
}

ff_status ff_spread_check(const ff_spread *spread, const char *what, ff_error *error) {
    double least = spread_least(spread), most = spread_most(spread);
    if (least > 0 && least <= most && !isinf(most)) {
        return FF_OK;
    }
    return ff_model_fail(error, FF_BAD_VALUE, "%s is from %g to %g%s, but must %s", what, least,
                         most,
                         spread->kind == FF_SPREAD_NORMAL ? " (2 deviations about its mean)" : "",
                         !(least <= most) ? "not fall"
                         : least > 0      ? "be finite"
                                          : "be > 0");
}

/* ---- groups ---- */

static double mass_of(double density, double radius) {
    static const double pi = 3.14159265358979323846;
    return density * (4 * pi / 3) * radius * radius * radius;
}

enum { name_most = 63 };

static ff_status check_grains(const ff_grains_def *def, ff_error *error) {
    char what[120];
    if (!def->name || !*def->name || strlen(def->name) > name_most || strpbrk(def->name, "[.*")) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "a group needs a name, at most %d long, without '[', '.' and '*'",
                             name_most);
    }
    if (def->count < 1 || def->count > FF_GRAINS_MOST) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "count of group '%s' is %zu, but must be >= 1 and <= %d", def->name,
                             def->count, FF_GRAINS_MOST);
    }
    snprintf(what, sizeof what, "radius of group '%s'", def->name);
    if (ff_spread_check(&def->radius, what, error) < 0) {
        return FF_BAD_VALUE;
    }
    double least = mass_of(def->density, spread_least(&def->radius)),
           most = mass_of(def->density, spread_most(&def->radius));
    if (!(least > 0) || isinf(most)) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "density of group '%s' is %g, which gives masses from %g to %g kg",
                             def->name, def->density, least, most);
    }
    return FF_OK;
}

/* divides the box into cells; FF_BAD_VALUE if there are too few */
static ff_status cut_box(const ff_grains_def *def, double cells[3], ff_error *error) {
    double edge = 2 * spread_most(&def->radius) * cell_edge, room = 1;
    for (int axis = 0; axis < 3; axis++) {
        double span = def->to[axis] - def->from[axis];
        if (!(span > 0) || isinf(span)) {
            return ff_model_fail(
                error, FF_BAD_VALUE,
                "the box of group '%s' goes from %g to %g along %c, but must have a positive size",
                def->name, def->from[axis], def->to[axis], "xyz"[axis]);
        }
        cells[axis] = floor(span / edge * (1 + rounding));
        room *= cells[axis];
    }
    if (room < (double)def->count) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "the box of group '%s' has room for %.0f of its %zu grains with the "
                             "largest radius, %g m",
                             def->name, room, def->count, spread_most(&def->radius));
    }
    return FF_OK;
}

/* places a grain of a radius in the next cell */
static int add_grain(ff_scene *scene, const ff_grains_def *def, const double cells[3], size_t i,
                     double radius, uint64_t *state) {
    char name[100];
    snprintf(name, sizeof name, "%s[%zu]", def->name, i);
    ff_body_def body = ff_body_def_default();
    body.name = name;
    body.mass = mass_of(def->density, radius);
    memcpy(body.velocity, def->velocity, sizeof body.velocity);
    double turn = (double)i;
    for (int axis = 0; axis < 3; axis++) {
        double edge = (def->to[axis] - def->from[axis]) / cells[axis];
        double cell = fmod(turn, cells[axis]);
        double shift = shift_most * (edge / 2 - radius) * (2 * draw_part(state) - 1);
        body.position[axis] = def->from[axis] + edge * (cell + 0.5) + shift;
        turn = floor(turn / cells[axis]);
    }
    int index = ff_scene_add_body(scene, &body);
    int shape = index < 0 ? index : ff_scene_add_sphere(scene, index, NULL, (double[3]){0}, radius);
    return shape < 0 ? shape : index;
}

int ff_scene_add_grains(ff_scene *scene, const ff_grains_def *given, ff_error *error) {
    double cells[3];
    ff_grains_def taken = ff_grains_def_default(), *def = &taken;
    if (!FF_DEF_TAKE(def, given)) {
        return ff_def_refuse(error);
    }
    if (check_grains(def, error) < 0 || cut_box(def, cells, error) < 0) {
        return FF_BAD_VALUE;
    }
    ff_group group = {.name = ff_word_copy(def->name),
                      .first = (int)scene->bodies.count,
                      .radius_least = INFINITY};
    if (!group.name || !FF_GROW(scene->groups)) {
        ff_free((char *)group.name);
        return FF_NO_MEMORY;
    }
    uint64_t state = def->seed;
    int index = 0;
    for (; group.count < def->count && index >= 0; group.count++) {
        double radius = spread_draw(&def->radius, &state);
        index = add_grain(scene, def, cells, group.count, radius, &state);
        group.radius_least = fmin(group.radius_least, radius);
        group.radius_most = fmax(group.radius_most, radius);
        group.mass += mass_of(def->density, radius);
    }
    scene->groups.at[scene->groups.count++] = group;
    return index < 0 ? index : group.first;
}

size_t ff_scene_group_count(const ff_scene *scene) { return scene->groups.count; }

ff_group ff_scene_group(const ff_scene *scene, size_t i) {
    return i < scene->groups.count ? scene->groups.at[i] : (ff_group){.first = -1};
}
