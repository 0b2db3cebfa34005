/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "numbers.h"
#include "body/inertia.h"
#include "body/vector.h"
#include "law/params.h"
#include "num/memory.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- things and their fields ---- */

static size_t count_of(const ff_model *model, ff_thing_kind kind) {
    const ff_scene *defs = &model->defs;
    switch (kind) {
    case FF_THING_WORLD: return 1;
    case FF_THING_PARAMETER: return defs->parameters.count;
    case FF_THING_BODY: return defs->bodies.count;
    case FF_THING_SHAPE: return defs->shapes.count;
    case FF_THING_PLANE: return defs->planes.count;
    case FF_THING_PAIR: return defs->pairs.count;
    case FF_THING_JOINT: return defs->joints.count;
    default: return defs->forces.count;
    }
}

/* the index of the first thing of a kind among all things; beyond the last kind: their number */
static size_t place_of(const ff_model *model, ff_thing_kind kind) {
    size_t place = 0;
    for (int k = 0; k < (int)kind; k++) {
        place += count_of(model, (ff_thing_kind)k);
    }
    return place;
}

static ff_thing thing_at(const ff_model *model, size_t place) {
    ff_thing out = {FF_THING_WORLD, place};
    while (out.index >= count_of(model, out.kind)) {
        out.index -= count_of(model, out.kind++);
    }
    return out;
}

static size_t things(const ff_model *model) { return place_of(model, FF_THING_KINDS); }

ff_status ff_numbers_count(ff_model *model) {
    const size_t count = things(model);
    size_t *at = model->topology->field_at = ff_malloc((count + 1) * sizeof *at), fields = 0,
           place = 0;
    if (!at) {
        return FF_NO_MEMORY;
    }
    for (int kind = 0; kind < FF_THING_KINDS; kind++) {
        for (size_t i = 0; i < count_of(model, (ff_thing_kind)kind); i++) {
            at[place++] = fields;
            fields += ff_number_rows(model, (ff_thing){(ff_thing_kind)kind, i}, SIZE_MAX, NULL);
        }
    }
    at[count] = fields;
    return FF_OK;
}

size_t ff_numbers_total(const ff_model *model) { return model->topology->field_at[things(model)]; }

bool ff_numbers_same(const ff_model *a, const ff_model *b) {
    const size_t count = things(a);
    return things(b) == count && memcmp(a->topology->field_at, b->topology->field_at,
                                        (count + 1) * sizeof *a->topology->field_at) == 0;
}

/* The thing that a field belongs to, and the number. */
static ff_thing locate(const ff_model *model, size_t field, ff_number *out) {
    const size_t *at = model->topology->field_at;
    size_t low = 0, high = things(model);
    /* the last thing whose first field is not beyond this one; earlier things without fields start there too */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(at[middle] <= field ? &low : &high) = middle;
    }
    ff_thing thing = thing_at(model, low);
    ff_number_rows(model, thing, field - at[low], out);
    return thing;
}

/* ---- paths ---- */

/* the prefix of a path before the key: "bodies.ball." */
static void write_prefix(const ff_model *model, ff_thing thing, char *out, size_t size) {
    const ff_scene *defs = &model->defs;
    const ff_topology *t = model->topology;
    switch (thing.kind) {
    case FF_THING_WORLD: *out = '\0'; break;
    case FF_THING_PARAMETER:
        snprintf(out, size, "parameters.%s", defs->parameters.at[thing.index].name);
        break;
    case FF_THING_BODY: snprintf(out, size, "bodies.%s.", defs->bodies.at[thing.index].name); break;
    case FF_THING_SHAPE: {
        size_t body = (size_t)defs->shapes.at[thing.index].body, place = 0;
        const char *name = defs->bodies.at[body].name;
        while (t->shapes[t->first[body] + place] != thing.index) {
            place++;
        }
        if (t->words[thing.index] == FF_SHAPE_LISTED) {
            snprintf(out, size, "bodies.%s.shape.spheres[%zu].", name, place);
        } else {
            snprintf(out, size, "bodies.%s.shape.%s.", name,
                     t->words[thing.index] == FF_SHAPE_SPHERE ? "sphere" : "box");
        }
        break;
    }
    case FF_THING_PLANE:
        snprintf(out, size, "ground.%s.plane.", defs->planes.at[thing.index].name);
        break;
    case FF_THING_PAIR: snprintf(out, size, "pairs[%zu].", thing.index); break;
    case FF_THING_JOINT:
        snprintf(out, size, "joints.%s.%s.", defs->joints.at[thing.index].name,
                 ff_joint_kind_name(defs->joints.at[thing.index].kind));
        break;
    default: snprintf(out, size, "forces.%s.", defs->forces.at[thing.index].name); break;
    }
}

static void write_path(const ff_model *model, ff_thing thing, const ff_number *number,
                       char out[FF_FIELD_PATH]) {
    write_prefix(model, thing, out, FF_FIELD_PATH);
    size_t length = strlen(out);
    snprintf(out + length, FF_FIELD_PATH - length, "%s%s", number->section ? number->section : "",
             number->key);
}

void ff_numbers_describe(const ff_model *model, size_t i, ff_field *out) {
    static const char *const xyz[] = {"x", "y", "z"}, *const wxyz[] = {"w", "x", "y", "z"};
    ff_number n;
    ff_thing thing = locate(model, i, &n);
    *out = (ff_field){.kind = n.kind, .width = n.width, .meaning = n.meaning};
    write_path(model, thing, &n, out->path);
    ff_number_unit(&n, out->unit);
    if (n.width == 3 && n.type != FF_NUMBER_TABLE && strcmp(n.key, "pd.target") != 0) {
        memcpy(out->parts, xyz, sizeof xyz);
    } else if (n.width == 4 && n.type != FF_NUMBER_TABLE) {
        memcpy(out->parts, wxyz, sizeof wxyz);
    }
}

/* the number of a thing with this path, or SIZE_MAX */
static size_t match(const ff_model *model, ff_thing thing, const char *path, size_t length) {
    char prefix[FF_FIELD_PATH];
    const size_t place = place_of(model, thing.kind) + thing.index;
    const size_t *at = model->topology->field_at;
    ff_number n;
    write_prefix(model, thing, prefix, sizeof prefix);
    size_t start = strlen(prefix);
    if (length < start || memcmp(prefix, path, start) != 0) {
        return SIZE_MAX;
    }
    for (size_t i = 0; i < at[place + 1] - at[place]; i++) {
        ff_number_rows(model, thing, i, &n);
        const char *rest = path + start;
        size_t left = length - start, section = n.section ? strlen(n.section) : 0,
               key = strlen(n.key);
        if (left == section + key && (section == 0 || memcmp(rest, n.section, section) == 0) &&
            memcmp(rest + section, n.key, key) == 0) {
            return at[place] + i;
        }
    }
    return SIZE_MAX;
}

static const char *name_of(const ff_model *model, ff_thing thing) {
    const ff_scene *defs = &model->defs;
    switch (thing.kind) {
    case FF_THING_PARAMETER: return defs->parameters.at[thing.index].name;
    case FF_THING_BODY: return defs->bodies.at[thing.index].name;
    case FF_THING_PLANE: return defs->planes.at[thing.index].name;
    case FF_THING_JOINT: return defs->joints.at[thing.index].name;
    default: return defs->forces.at[thing.index].name;
    }
}

/* shapes have the prefix of their body */
static size_t match_shapes(const ff_model *model, size_t body, const char *path, size_t length) {
    const ff_topology *t = model->topology;
    size_t found = SIZE_MAX;
    for (size_t i = t->first[body]; i < t->first[body + 1] && found == SIZE_MAX; i++) {
        if (t->words[t->shapes[i]] != FF_SHAPE_CORNER && t->words[t->shapes[i]] != FF_SHAPE_POINT) {
            found = match(model, (ff_thing){FF_THING_SHAPE, t->shapes[i]}, path, length);
        }
    }
    return found;
}

size_t ff_numbers_find(const ff_model *model, const char *path, size_t length) {
    static const struct {
        const char *word;
        ff_thing_kind kind;
    } sections[] = {{"parameters.", FF_THING_PARAMETER},
                    {"bodies.", FF_THING_BODY},
                    {"ground.", FF_THING_PLANE},
                    {"joints.", FF_THING_JOINT},
                    {"forces.", FF_THING_FORCE}};
    if (length > 6 && memcmp(path, "pairs[", 6) == 0) {
        size_t pair = strtoul(path + 6, NULL, 10);
        return pair < model->defs.pairs.count
                   ? match(model, (ff_thing){FF_THING_PAIR, pair}, path, length)
                   : SIZE_MAX;
    }
    for (size_t s = 0; s < sizeof sections / sizeof *sections; s++) {
        const size_t start = strlen(sections[s].word), count = count_of(model, sections[s].kind);
        if (length < start || memcmp(path, sections[s].word, start) != 0) {
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            ff_thing thing = {sections[s].kind, i};
            const char *name = name_of(model, thing);
            size_t own = strlen(name);
            if (length < start + own || memcmp(path + start, name, own) != 0) {
                continue;
            }
            size_t found = match(model, thing, path, length);
            if (found == SIZE_MAX && thing.kind == FF_THING_BODY) {
                found = match_shapes(model, i, path, length);
            }
            if (found != SIZE_MAX) {
                return found;
            }
        }
        return SIZE_MAX;
    }
    return match(model, (ff_thing){FF_THING_WORLD, 0}, path, length);
}

ff_number_facts ff_numbers_facts(const ff_model *model, size_t i) {
    ff_number n;
    ff_thing thing = locate(model, i, &n);
    return (ff_number_facts){.kind = n.kind,
                             .width = n.width,
                             .feeds = n.feeds,
                             .bodies = thing.kind == FF_THING_BODY ||
                                       thing.kind == FF_THING_SHAPE ||
                                       (thing.kind == FF_THING_JOINT && n.kind != FF_FIELD_INPUT),
                             .surfaces = thing.kind == FF_THING_PLANE};
}

/* ---- values ---- */

/* the definition of a thing */
static char *def_of(const ff_model *model, ff_thing thing) {
    const ff_scene *defs = &model->defs;
    switch (thing.kind) {
    case FF_THING_WORLD: return (char *)defs;
    case FF_THING_PARAMETER: return (char *)&defs->parameters.at[thing.index];
    case FF_THING_BODY: return (char *)&defs->bodies.at[thing.index];
    case FF_THING_SHAPE: return (char *)&defs->shapes.at[thing.index];
    case FF_THING_PLANE: return (char *)&defs->planes.at[thing.index];
    case FF_THING_PAIR: return (char *)&defs->pairs.at[thing.index];
    case FF_THING_JOINT: return (char *)&defs->joints.at[thing.index];
    default: return (char *)&defs->forces.at[thing.index];
    }
}

/* the index of a law among all known laws */
static double law_index(const ff_number *n, const char *def) {
    size_t i = 0;
    if (n->friction) {
        const ff_friction *law = (const ff_friction *)(def + n->offset);
        while (ff_friction_law_at(i) && ff_friction_law_at(i) != law->law) {
            i++;
        }
    } else {
        const ff_normal *law = (const ff_normal *)(def + n->offset);
        while (ff_normal_law_at(i) && ff_normal_law_at(i) != law->law) {
            i++;
        }
    }
    return (double)i;
}

static double param_value(const ff_number *n, const char *def) {
    if (n->friction) {
        return ((const ff_friction *)(def + n->offset))->values[n->param];
    }
    const ff_normal *law = (const ff_normal *)(def + n->offset);
    return ff_normal_value(law, law->law->params[n->param].name);
}

void ff_numbers_read(const ff_model *model, size_t i, double *values) {
    ff_number n;
    ff_thing thing = locate(model, i, &n);
    const char *def = def_of(model, thing);
    switch (n.type) {
    case FF_NUMBER_BOX: memcpy(values, ((const ff_shape_def *)def)->box, 3 * sizeof *values); break;
    case FF_NUMBER_CORNERS: *values = ((const ff_shape_def *)def)->radius; break;
    case FF_NUMBER_INERTIA: {
        const double(*a)[3] = n.kind == FF_FIELD_STRUCTURE ? model->bodies[thing.index].inertia
                                                           : ((const ff_body_def *)def)->inertia;
        for (size_t k = 0; k < n.width; k++) {
            values[k] = n.width == 9 ? a[k / 3][k % 3] : a[k][k];
        }
        break;
    }
    case FF_NUMBER_LOCK: *values = ((const ff_body_def *)def)->locked; break;
    case FF_NUMBER_LAW: *values = law_index(&n, def); break;
    case FF_NUMBER_PARAM: *values = param_value(&n, def); break;
    case FF_NUMBER_WORD: {
        const ff_pair_def *pair = (const ff_pair_def *)def;
        *values = n.param ? pair->lever == FF_LEVER_DEFORMED : pair->stateful;
        break;
    }
    case FF_NUMBER_TABLE: {
        const double *points = *(double *const *)(def + n.offset);
        memcpy(values, points, n.width * sizeof *values);
        break;
    }
    default: memcpy(values, def + n.offset, n.width * sizeof *values); break;
    }
}

/* ---- changes ---- */

/* The number to be changed, for messages. */
typedef struct target {
    const ff_model *model;
    ff_thing thing;
    ff_number n;
} target;

static ff_status refuse(ff_error *error, const target *t, const char *format, double value,
                        double bound) {
    char path[FF_FIELD_PATH], why[120];
    write_path(t->model, t->thing, &t->n, path);
    snprintf(why, sizeof why, format, value, bound);
    return ff_model_fail(error, FF_BAD_VALUE, "%.110s %s", path, why);
}

/* Checks values that do not depend on other numbers. */
static ff_status check(const target *t, const double *values, ff_error *error) {
    const ff_number *n = &t->n;
    double square = 0;
    for (size_t i = 0; i < n->width; i++) {
        square += values[i] * values[i];
        if (!isfinite(values[i])) {
            return refuse(error, t, "must be a finite number, not %g", values[i], 0);
        }
        /* laws check their own ranges */
        if (n->type != FF_NUMBER_PARAM && values[i] < n->least &&
            !(n->type == FF_NUMBER_INERTIA && n->width == 9)) {
            return refuse(error, t,
                          n->least == FF_POSITIVE ? "is %g, but must be > 0"
                                                  : "is %g, but must be >= %g",
                          values[i], n->least);
        }
    }
    if ((n->type == FF_NUMBER_DIRECTION || n->type == FF_NUMBER_UNIT) &&
        !(square > 0 && isfinite(square))) {
        return refuse(error, t, "must have a direction: its length is %g", sqrt(square), 0);
    }
    return FF_OK;
}

static ff_status write_param(const ff_number *n, char *def, double value, ff_error *error) {
    double values[FF_LAW_PARAMS];
    if (n->friction) {
        ff_friction *law = (ff_friction *)(def + n->offset);
        ff_law_given(law->law->params, law->values, values);
        values[n->param] = value;
        return ff_friction_make(law, law->law, values, error);
    }
    ff_normal *law = (ff_normal *)(def + n->offset);
    ff_law_given(law->law->params, law->values, values);
    values[n->param] = value;
    return ff_normal_make(law, law->law, values, error);
}

/* the corners of a box, as ff_scene_add_box() sets them */
static ff_status write_box(const target *t, ff_shape_def *corners, const double size[3],
                           double radius, ff_error *error) {
    double most = fmin(size[0], fmin(size[1], size[2])) / 2;
    if (radius > most) {
        return refuse(error, t,
                      "makes corners of %g m, but they must be <= %g m, half of the shortest edge",
                      radius, most);
    }
    for (int corner = 0; corner < 8; corner++) {
        ff_shape_def *s = &corners[corner];
        for (int axis = 0; axis < 3; axis++) {
            double half = size[axis] / 2 - radius;
            s->center[axis] = corner >> axis & 1 ? half : -half;
            s->box[axis] = size[axis];
        }
        s->radius = radius;
    }
    return FF_OK;
}

static void write_inertia(double a[3][3], size_t width, const double *values) {
    for (size_t k = 0; k < 9; k++) {
        a[k / 3][k % 3] = width == 9 ? values[k] : k / 3 == k % 3 ? values[k / 3] : 0;
    }
}

/* checks values that depend on other numbers */
static ff_status check_order(const target *t, ff_error *error) {
    const ff_model *model = t->model;
    const ff_thing thing = t->thing;
    if (thing.kind == FF_THING_JOINT) {
        const ff_joint_def *j = &model->defs.joints.at[thing.index];
        for (int c = 0; c < FF_JOINT_COORDINATES; c++) {
            const ff_joint_effort *e = &j->along[c];
            if (e->lower > e->upper) {
                return refuse(error, t, "puts the lower limit, %g, above the upper one, %g",
                              e->lower, e->upper);
            }
        }
    }
    if (thing.kind == FF_THING_FORCE) {
        const ff_force_def *f = &model->defs.forces.at[thing.index];
        if (f->from > f->to) {
            return refuse(error, t, "makes the force begin at %g s, after its end at %g s", f->from,
                          f->to);
        }
    }
    return FF_OK;
}

ff_status ff_numbers_write(ff_model *model, size_t i, const double *values, ff_error *error) {
    target t = {.model = model};
    t.thing = locate(model, i, &t.n);
    ff_status status = check(&t, values, error);
    if (status < 0) {
        return status;
    }
    const ff_number_type type = t.n.type;
    const size_t width = t.n.width;
    char *def = def_of(model, t.thing);
    ff_shape_def *shape = (ff_shape_def *)def;
    if (type == FF_NUMBER_PARAM) {
        return write_param(&t.n, def, *values, error);
    }
    if (type == FF_NUMBER_BOX) {
        return write_box(&t, shape, values, shape->radius, error);
    }
    if (type == FF_NUMBER_CORNERS) {
        const double size[3] = {shape->box[0], shape->box[1], shape->box[2]};
        return write_box(&t, shape, size, *values, error);
    }
    if (type == FF_NUMBER_INERTIA) {
        write_inertia(((ff_body_def *)def)->inertia, width, values);
        return FF_OK;
    }
    double before[4], *to = (double *)(def + t.n.offset), length = 1;
    if (type == FF_NUMBER_UNIT) {
        length = sqrt(values[0] * values[0] + values[1] * values[1] + values[2] * values[2]);
    }
    memcpy(before, to, width * sizeof *to);
    for (size_t k = 0; k < width; k++) {
        to[k] = values[k] / length;
    }
    status = check_order(&t, error);
    if (status < 0) {
        memcpy(to, before, width * sizeof *to);
    }
    return status;
}

/* ---- inputs ---- */

void ff_numbers_each_input(const ff_model *model, void (*visit)(void *user, size_t field),
                           void *user) {
    static const ff_thing_kind kinds[] = {FF_THING_WORLD, FF_THING_PLANE, FF_THING_JOINT,
                                          FF_THING_FORCE};
    const size_t *at = model->topology->field_at;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t place = place_of(model, kinds[k]);
        for (size_t i = 0; i < count_of(model, kinds[k]); i++, place++) {
            for (size_t row = 0; row < at[place + 1] - at[place]; row++) {
                ff_number n;
                ff_number_rows(model, (ff_thing){kinds[k], i}, row, &n);
                if (n.kind == FF_FIELD_INPUT) {
                    visit(user, at[place] + row);
                }
            }
        }
    }
}

/* operation on each input in turn */
typedef struct visit {
    const ff_model *model;
    ff_model *changed;
    double *out;
    const double *in;
    size_t count;
} visit;

static void count_input(void *user, size_t field) {
    visit *v = user;
    ff_number n;
    locate(v->model, field, &n);
    v->count += n.width;
}

static void read_input(void *user, size_t field) {
    visit *v = user;
    ff_number n;
    locate(v->model, field, &n);
    ff_numbers_read(v->model, field, v->out + v->count);
    v->count += n.width;
}

/* inputs are plain numbers */
static void write_input(void *user, size_t field) {
    visit *v = user;
    ff_number n;
    char *def = def_of(v->changed, locate(v->changed, field, &n));
    memcpy(def + n.offset, v->in + v->count, n.width * sizeof *v->in);
    v->count += n.width;
}

size_t ff_numbers_inputs(const ff_model *model) {
    visit v = {.model = model};
    ff_numbers_each_input(model, count_input, &v);
    return v.count;
}

void ff_numbers_inputs_read(const ff_model *model, double *values) {
    ff_numbers_each_input(model, read_input, &(visit){.model = model, .out = values});
}

void ff_numbers_inputs_write(ff_model *model, const double *values) {
    ff_numbers_each_input(model, write_input, &(visit){.changed = model, .in = values});
}
