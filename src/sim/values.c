/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "model/fields.h"
#include "sim.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* States and outputs of a scene, in the order of traces:
 *    time
 *    bodies.NAME.position ...
 *    contacts.PAIR.touching ...   unless there are too many of them (ff_model_contacts_listed())
 *    joints.NAME.position ...     by the kind of the joint
 *    constraints.position ...     if joints are enforced by constraints
 *    ledger.kinetic ...           of the run
 *    ledger.PAIR.kinetic ...      of each contact; of each class of a crowd
 *
 * The list is not stored: the owner of a field follows from its position. */

/* ---- fields of each kind of object ---- */

typedef struct entry {
    const char *name, *unit;
    size_t width;
    const char *parts[4];
    const char *meaning;
} entry;

static const entry time_entries[] = {{"time", "s", 1, {"s"}, "time"}};

static const entry body_entries[] = {
    {"position", "m", 3, {"x", "y", "z"}, "position of the centre of mass"},
    {"orientation", "1", 4, {"qw", "qx", "qy", "qz"}, "unit quaternion from body to world axes"},
    {"velocity", "m/s", 3, {"vx", "vy", "vz"}, "velocity of the centre of mass"},
    {"omega", "rad/s", 3, {"wx", "wy", "wz"}, "angular velocity, world axes"},
    /* only for crowds, whose contacts have no fields of their own */
    {"normal_force", "N", 1, {"normal_force"}, "sum of the normal forces of all its contacts"},
};
enum { BODY_ENTRIES = sizeof body_entries / sizeof *body_entries };

static const entry contact_entries[] = {
    {"touching", "1", 1, {"touching"}, "1: a force acts"},
    {"depth", "m", 1, {"depth"}, "penetration; negative without contact"},
    {"rate", "m/s", 1, {"rate"}, "rate of the penetration"},
    {"point", "m", 3, {"point_x", "point_y", "point_z"}, "where the force acts"},
    {"elastic_force", "N", 1, {"elastic_force"}, "elastic part of the normal force"},
    {"viscous_force", "N", 1, {"viscous_force"}, "viscous part of the normal force"},
    {"force", "N", 3, {"fx", "fy", "fz"}, "normal force and friction on the first thing"},
    {"slip", "m/s", 3, {"slip_x", "slip_y", "slip_z"}, "relative velocity of the surfaces"},
    {"u", "m", 3, {"u_x", "u_y", "u_z"}, "deflection of the friction spring"},
    {"slips", "1", 1, {"slips"}, "1: friction is at its limit"},
    /* the last one is of models in which some contacts answer with a moment */
    {"torque", "N m", 3, {"tx", "ty", "tz"}, "moment of rolling and twist on the first thing"},
};
enum { CONTACT_ENTRIES = sizeof contact_entries / sizeof *contact_entries };

/* Coordinates, their rates, and force and moment of the joint on its second body at the anchor. */
#define REACTION                                                                                   \
    {"force", "N", 3, {"fx", "fy", "fz"}, "force of the joint on its second body"}, {              \
        "moment", "N m", 3, {"mx", "my", "mz"}, "moment of the joint on its second body"           \
    }
static const entry revolute_entries[] = {
    {"position", "rad", 1, {"angle"}, "angle"},
    {"rate", "rad/s", 1, {"rate"}, "rate of the angle"},
    {"effort", "N m", 1, {"effort"}, "torque about the axis"},
    REACTION,
};
static const entry prismatic_entries[] = {
    {"position", "m", 1, {"distance"}, "distance"},
    {"rate", "m/s", 1, {"speed"}, "rate of the distance"},
    {"effort", "N", 1, {"effort"}, "force along the axis"},
    REACTION,
};
static const entry universal_entries[] = {
    {"position", "rad", 2, {"angle1", "angle2"}, "angles about the two axes"},
    {"rate", "rad/s", 2, {"rate1", "rate2"}, "rates of the angles"},
    {"effort", "N m", 2, {"effort1", "effort2"}, "torques about the two axes"},
    REACTION,
};
static const entry planar_entries[] = {
    {"position", "m", 2, {"way1", "way2"}, "distances in the plane"},
    {"angle", "rad", 1, {"angle"}, "angle in the plane"},
    {"velocity", "m/s", 2, {"speed1", "speed2"}, "rates of the distances"},
    {"rate", "rad/s", 1, {"rate"}, "rate of the angle"},
    {"effort", "N", 2, {"effort1", "effort2"}, "forces in the plane"},
    {"torque", "N m", 1, {"torque"}, "torque about the axis"},
    REACTION,
};
static const entry cylindrical_entries[] = {
    {"position", "m", 1, {"distance"}, "distance"},
    {"angle", "rad", 1, {"angle"}, "angle about the axis"},
    {"velocity", "m/s", 1, {"speed"}, "rate of the distance"},
    {"rate", "rad/s", 1, {"rate"}, "rate of the angle"},
    {"effort", "N", 1, {"effort"}, "force along the axis"},
    {"torque", "N m", 1, {"torque"}, "torque about the axis"},
    REACTION,
};
static const entry spherical_entries[] = {
    {"position",
     "rad",
     3,
     {"turn_x", "turn_y", "turn_z"},
     "rotation vector, axes of the first body"},
    {"rate",
     "rad/s",
     3,
     {"rate_x", "rate_y", "rate_z"},
     "angular velocity, axes of the first body"},
    {"effort", "N m", 3, {"effort_x", "effort_y", "effort_z"}, "torque, axes of the first body"},
    REACTION,
};
static const entry reaction_entries[] = {REACTION};
#undef REACTION

static const entry constraint_entries[] = {
    {"position", "m", 1, {"position"}, "largest violation of a constraint, m or rad"},
    {"velocity", "m/s", 1, {"velocity"}, "largest rate of a violation, m/s or rad/s"},
};

static const entry ledger_entries[] = {
#define ENTRY(name) {#name, "J", 1, {#name}, "energy account"},
    FF_LEDGER_LIST(ENTRY)
#undef ENTRY
        {"initial", "J", 1, {"initial"}, "energy at the start"},
    {"scale", "J", 1, {"scale"}, "largest sum of the magnitudes of all energies so far"},
    {"residual", "J", 1, {"residual"}, "energy missing in the sum of the accounts"},
};

typedef struct table {
    const entry *entries;
    size_t count;
} table;

#define TABLE(entries)                                                                             \
    { entries, sizeof entries / sizeof *entries }

typedef enum group { TIME, BODIES, CONTACTS, JOINTS, CONSTRAINTS, LEDGERS, GROUPS } group;

static const char *const folders[GROUPS] = {"time",   "bodies",      "contacts",
                                            "joints", "constraints", "ledger"};
/* joints have tables by their kinds, bodies of a crowd and contacts with moments longer ones */
static const table crowd_bodies = TABLE(body_entries);
static const table turning_contacts = TABLE(contact_entries);
static const table tables[GROUPS] = {[TIME] = TABLE(time_entries),
                                     [BODIES] = {body_entries, BODY_ENTRIES - 1},
                                     [CONTACTS] = {contact_entries, CONTACT_ENTRIES - 1},
                                     [CONSTRAINTS] = TABLE(constraint_entries),
                                     [LEDGERS] = TABLE(ledger_entries)};
static const table joint_tables[FF_JOINT_KINDS] = {[FF_JOINT_REVOLUTE] = TABLE(revolute_entries),
                                                   [FF_JOINT_PRISMATIC] = TABLE(prismatic_entries),
                                                   [FF_JOINT_UNIVERSAL] = TABLE(universal_entries),
                                                   [FF_JOINT_PLANAR] = TABLE(planar_entries),
                                                   [FF_JOINT_CYLINDRICAL] =
                                                       TABLE(cylindrical_entries),
                                                   [FF_JOINT_SCREW] = TABLE(revolute_entries),
                                                   [FF_JOINT_GEAR] = TABLE(reaction_entries),
                                                   [FF_JOINT_SPHERICAL] = TABLE(spherical_entries),
                                                   [FF_JOINT_FIXED] = TABLE(reaction_entries)};

/* Most numbers that one thing has: a contact with a torque has 21. */
enum { NUMBERS = 24 };

/* ---- owners of fields ---- */

/* An object that has fields, starting at `first`. */
typedef struct owner {
    group group;
    size_t index; /* index within its kind; for ledgers, 0 is the run */
    size_t first;
    table table;
} owner;

/* Constraints can be violated if joints are enforced by multipliers. */
static bool is_constrained(const ff_model *model) {
    const ff_joint_tree *tree = model->tree;
    return tree && tree->assembly.constraints > 0 &&
           (model->run.formulation == FF_MAXIMAL || tree->loop_count > 0);
}

static size_t owner_count(const ff_model *model, group g) {
    switch (g) {
    case BODIES: return ff_model_body_count(model);
    case CONTACTS: return ff_model_contacts_listed(model);
    case JOINTS: return ff_model_joint_count(model);
    case CONSTRAINTS: return is_constrained(model);
    case LEDGERS: return 1 + ff_model_contacts_listed(model) + ff_model_class_count(model);
    default: return 1;
    }
}

static const char *owner_name(const ff_model *model, const owner *o) {
    switch (o->group) {
    case BODIES: return ff_model_body_name(model, o->index);
    case CONTACTS: return ff_model_contact_name(model, o->index);
    case JOINTS: return ff_model_joint_name(model, o->index);
    case LEDGERS:
        return o->index == 0                       ? NULL
               : ff_model_contact_count(model) > 0 ? ff_model_contact_name(model, o->index - 1)
                                                   : ff_model_class_name(model, o->index - 1);
    default: return NULL;
    }
}

/* The table of the first object of a group. */
static table first_table(const ff_model *model, group g) {
    return g == JOINTS && ff_model_joint_count(model) > 0 ? joint_tables[model->joints[0].kind]
           : g == BODIES && model->crowd                  ? crowd_bodies
           : g == CONTACTS && model->turns                ? turning_contacts
                                                          : tables[g];
}

/* Iterates over the objects of a group. */
static owner first_owner(const ff_model *model, group g, size_t first) {
    return (owner){g, 0, first, first_table(model, g)};
}

static void next_owner(const ff_model *model, owner *o) {
    o->first += o->table.count;
    o->index++;
    if (o->group == JOINTS && o->index < ff_model_joint_count(model)) {
        o->table = joint_tables[model->joints[o->index].kind];
    }
}

/* The end of the fields of a group that begin at `first`. */
static size_t group_end(const ff_model *model, group g, size_t first) {
    size_t count = owner_count(model, g);
    if (g != JOINTS) {
        return first + count * first_table(model, g).count;
    }
    for (size_t i = 0; i < count; i++) {
        first += joint_tables[model->joints[i].kind].count;
    }
    return first;
}

/* Moves to the owner of a field. Fast if `o` is that owner already, or a joint shortly before it. */
static void find_owner(const ff_model *model, size_t field, owner *o) {
    group g = TIME;
    size_t first = 0, end;
    if (field >= o->first && field < o->first + o->table.count) {
        return;
    }
    if (o->group == JOINTS && field >= o->first) {
        while (o->index < ff_model_joint_count(model) && field >= o->first + o->table.count) {
            next_owner(model, o);
        }
        if (o->index < ff_model_joint_count(model)) {
            return;
        }
    }
    while (field >= (end = group_end(model, g, first))) {
        first = end;
        g++;
    }
    *o = first_owner(model, g, first);
    if (g != JOINTS) {
        o->index = (field - first) / o->table.count;
        o->first += o->index * o->table.count;
    }
    while (field >= o->first + o->table.count) {
        next_owner(model, o);
    }
}

/* ---- the list ---- */

static size_t count(const ff_model *model) {
    size_t end = 0;
    for (group g = TIME; g < GROUPS; g++) {
        end = group_end(model, g, end);
    }
    return end;
}

/* Estimates of the largest values of an object, from the start. */
typedef struct size {
    double length, speed, force;
} size;

static size size_of(const ff_model *model, const owner *o) {
    size s = {0};
    if (o->group == BODIES || o->group == JOINTS) {
        ff_body_facts b = ff_model_body_facts(
            model, o->group == BODIES ? o->index : (size_t)model->joints[o->index].second);
        s = (size){b.length_scale, b.speed_scale,
                   b.mass * b.speed_scale * b.speed_scale / b.length_scale};
    } else if (o->group == CONTACTS) {
        const ff_slot_source *from = &model->topology->sources[o->index];
        const ff_shape_def *shapes = model->defs.shapes.at;
        ff_contact_facts c = ff_model_contact_facts(model, o->index);
        s.length = model->extents[shapes[from->shape].body].length;
        if (from->other >= 0) {
            s.length = fmax(s.length, model->extents[shapes[from->other].body].length);
        }
        s.speed = c.speed;
        s.force = c.mass * c.speed * c.speed / s.length;
    } else if (o->group == CONSTRAINTS) {
        for (size_t i = 0; i < model->body_count; i++) {
            s.length = fmax(s.length, model->extents[i].length);
            s.speed = fmax(s.speed, model->extents[i].speed);
        }
    }
    return s;
}

static double scale_of(const char *unit, size s) {
    return strcmp(unit, "m") == 0       ? s.length
           : strcmp(unit, "m/s") == 0   ? s.speed
           : strcmp(unit, "rad/s") == 0 ? s.speed / s.length
           : strcmp(unit, "N") == 0     ? s.force
           : strcmp(unit, "N m") == 0   ? s.force * s.length
                                        : 1;
}

/* Bodies and contacts are states if y holds them; so are the coordinates of joints in articulated models, except those of
 * spherical joints, for which y holds the orientation of the body. */
static bool is_state(const ff_model *model, const owner *o, const entry *e) {
    switch (o->group) {
    case TIME: return true;
    case BODIES:
        return e->unit[0] != 'N' &&
               (!ff_articulated(model) || model->tree->links[o->index].joint < 0);
    case CONTACTS:
        return strcmp(e->name, "u") == 0 &&
               ff_model_contact_facts(model, o->index).friction->vectors > 0;
    case JOINTS:
        return ff_articulated(model) && !model->joints[o->index].loop &&
               model->joints[o->index].kind != FF_JOINT_SPHERICAL && e->unit[0] != 'N';
    default: return false;
    }
}

static void describe(const ff_model *model, size_t i, ff_field *out) {
    owner o = {0};
    find_owner(model, i, &o);
    const entry *e = &o.table.entries[i - o.first];
    const char *name = owner_name(model, &o);
    if (o.group == TIME) {
        snprintf(out->path, sizeof out->path, "%s", e->name);
    } else {
        snprintf(out->path, sizeof out->path, "%s.%s%s%s", folders[o.group], name ? name : "",
                 name ? "." : "", e->name);
    }
    snprintf(out->unit, sizeof out->unit, "%s", e->unit);
    memcpy(out->parts, e->parts, sizeof out->parts);
    out->kind = is_state(model, &o, e) ? FF_FIELD_STATE : FF_FIELD_OUTPUT;
    out->width = e->width;
    out->meaning = e->meaning;
    out->scale = o.group == LEDGERS || o.group == TIME ? 0 : scale_of(e->unit, size_of(model, &o));
}

/* whether a text of some length is this word */
static bool is_word(const char *text, size_t length, const char *word) {
    return strncmp(text, word, length) == 0 && word[length] == '\0';
}

/* A path is folder, owner and name: names of owners may contain dots, those of folders and fields do not. */
static size_t find(const ff_model *model, const char *path, size_t length) {
    size_t head = 0, tail = length, first = 0;
    while (head < length && path[head] != '.') {
        head++;
    }
    while (tail > head && path[tail - 1] != '.') {
        tail--;
    }
    for (group g = TIME; g < GROUPS; g++) {
        if (!is_word(path, head, folders[g])) {
            first = group_end(model, g, first);
            continue;
        }
        const char *owned = tail > head + 1 ? path + head + 1 : NULL,
                   *name = g == TIME ? path : path + tail;
        size_t owned_length = owned ? tail - head - 2 : 0,
               name_length = length - (size_t)(name - path);
        owner o = first_owner(model, g, first);
        for (size_t n = owner_count(model, g); o.index < n; next_owner(model, &o)) {
            const char *own = owner_name(model, &o);
            if (!own != !owned || (own && !is_word(owned, owned_length, own))) {
                continue;
            }
            for (size_t i = 0; i < o.table.count; i++) {
                if (is_word(name, name_length, o.table.entries[i].name)) {
                    return o.first + i;
                }
            }
        }
        break;
    }
    return SIZE_MAX;
}

/* ---- values ---- */

static double *put(double *to, const double *from, size_t n) {
    memcpy(to, from, n * sizeof *to);
    return to + n;
}

static void put_contact(double *to, const ff_contact_record *c) {
    *to++ = c->touching;
    *to++ = c->depth;
    *to++ = c->rate;
    to = put(to, c->point, 3);
    *to++ = c->elastic;
    *to++ = c->viscous;
    to = put(to, c->force, 3);
    to = put(to, c->slip, 3);
    to = put(to, c->u, 3);
    *to++ = c->slips;
    put(to, c->torque, 3);
}

static void put_joint(double *to, size_t coordinates, const ff_joint_record *r) {
    to = put(to, r->position, coordinates);
    to = put(to, r->rate, coordinates);
    to = put(to, r->effort, coordinates);
    to = put(to, r->force, 3);
    put(to, r->moment, 3);
}

/* All numbers of an object, in the order of its table. */
static void evaluate(ff_sim *sim, const owner *o, double numbers[NUMBERS]) {
    const ff_model *model = sim->model;
    const size_t i = o->index;
    switch (o->group) {
    case TIME:
        numbers[0] = isnan(sim->flow.seen_time) ? ff_sim_time(sim) : sim->flow.seen_time;
        return;
    case BODIES: {
        ff_motion m = ff_sim_body(sim, i);
        double *end =
            put(put(put(put(numbers, m.position, 3), m.orientation, 4), m.velocity, 3), m.omega, 3);
        if (model->crowd) {
            *end = sim->kind->normal_force(sim, i);
        }
        return;
    }
    case CONTACTS: {
        ff_contact_record c = ff_sim_contact(sim, i);
        put_contact(numbers, &c);
        return;
    }
    case JOINTS: {
        ff_joint_record r = ff_sim_joint(sim, i);
        put_joint(numbers, (size_t)model->joints[i].coordinates, &r);
        return;
    }
    case CONSTRAINTS: {
        ff_violation v = ff_sim_violation(sim);
        numbers[0] = v.position;
        numbers[1] = v.velocity;
        return;
    }
    default: {
        const ff_ledger l = i == 0                              ? ff_sim_ledger(sim)
                            : ff_model_contact_count(model) > 0 ? ff_sim_contact_ledger(sim, i - 1)
                                                                : ff_sim_class_ledger(sim, i - 1);
#define PUT(name) *numbers++ = l.name;
        FF_LEDGER_LIST(PUT)
        PUT(initial)
        PUT(scale)
        PUT(residual)
#undef PUT
    }
    }
}

static void get(ff_sim *sim, const size_t *fields, size_t n, double *values) {
    owner o = {0};
    size_t evaluated = SIZE_MAX;
    double numbers[NUMBERS];
    for (size_t k = 0; k < n; k++) {
        find_owner(sim->model, fields[k], &o);
        if (o.first != evaluated) {
            evaluate(sim, &o, numbers);
            evaluated = o.first;
        }
        const entry *e = &o.table.entries[fields[k] - o.first];
        const double *from = numbers;
        for (const entry *before = o.table.entries; before < e; before++) {
            from += before->width;
        }
        values = put(values, from, e->width);
    }
}

const ff_field_source ff_field_outputs = {
    .count = count, .describe = describe, .find = find, .get = get};

/* ---- all sources ---- */

/* The values of some fields of one source, by their indices in the whole list; returns where the values of other sources
 * follow, except for the last source. */
static double *get_some(ff_sim *sim, const ff_field_source *source, size_t first,
                        const size_t *fields, size_t n, double *values, bool last) {
    /* fields of the first source keep their indices: read all at once */
    if (first == 0) {
        source->get(sim, fields, n, values);
    }
    for (size_t k = 0; k < n && (first > 0 || !last); k++) {
        const size_t own = fields[k] - first;
        ff_field f = {.width = 1};
        source->describe(sim->model, own, &f);
        if (first > 0) {
            source->get(sim, &own, 1, values);
        }
        values += f.width;
    }
    return values;
}

ff_status ff_sim_get_all(ff_sim *sim, const size_t *fields, size_t n, double *values) {
    size_t first, end, most = 0;
    for (size_t k = 0; k < n; k++) {
        most = fields[k] > most ? fields[k] : most;
    }
    if (!ff_field_source_of(sim->model, most, &first, &end)) {
        return FF_BAD_VALUE;
    }
    for (size_t k = 0, next; k < n; k = next) {
        const ff_field_source *source = ff_field_source_of(sim->model, fields[k], &first, &end);
        for (next = k + 1; next < n && fields[next] >= first && fields[next] < end; next++) {
            ;
        }
        values = get_some(sim, source, first, fields + k, next - k, values, next == n);
    }
    return FF_OK;
}
