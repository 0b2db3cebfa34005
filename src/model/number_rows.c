/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "expr/unit.h"
#include "numbers.h"
#include <stdio.h>
#include <string.h>

/* The fields of each thing: its keys in a scene file, with units and meaning. */

#define ANY (-INFINITY)

/* clang-format off */
#define ROW(word, of, width_, kind_, unit_, least_, text) \
    {.key = word, .unit = unit_, .meaning = text, .kind = kind_, .width = width_, .offset = of, .least = least_}
#define IN(type, field) offsetof(type, field)
/* clang-format on */

static const ff_number gravity_rows[] = {
    ROW("gravity", IN(ff_scene, gravity), 3, FF_FIELD_INPUT, "m/s^2", ANY,
        "acceleration of gravity"),
};

static const ff_number body_rows[] = {
    {.key = "mass",
     .unit = "kg",
     .meaning = "mass",
     .kind = FF_FIELD_PARAMETER,
     .width = 1,
     .offset = IN(ff_body_def, mass),
     .least = FF_POSITIVE,
     .feeds = true},
    {.key = "inertia",
     .unit = "kg m^2",
     .meaning = "inertia about the centre of mass, body axes",
     .kind = FF_FIELD_PARAMETER,
     .width = 3,
     .offset = IN(ff_body_def, inertia),
     .least = FF_POSITIVE,
     .type = FF_NUMBER_INERTIA,
     .feeds = true},
    ROW("position", IN(ff_body_def, position), 3, FF_FIELD_PARAMETER, "m", ANY,
        "position at the start"),
    ROW("orientation", IN(ff_body_def, orientation), 4, FF_FIELD_PARAMETER, "1", ANY,
        "orientation at the start, a quaternion"),
    ROW("velocity", IN(ff_body_def, velocity), 3, FF_FIELD_PARAMETER, "m/s", ANY,
        "velocity at the start"),
    ROW("omega", IN(ff_body_def, omega), 3, FF_FIELD_PARAMETER, "rad/s", ANY,
        "angular velocity at the start"),
    {.key = "lock",
     .unit = "1",
     .meaning = "locked degrees of freedom: 1 x, 2 y, 4 z, 8 rx, 16 ry, 32 rz",
     .kind = FF_FIELD_STRUCTURE,
     .width = 1,
     .type = FF_NUMBER_LOCK},
};

static const ff_number sphere_rows[] = {
    {.key = "radius",
     .unit = "m",
     .meaning = "radius of the sphere",
     .kind = FF_FIELD_PARAMETER,
     .width = 1,
     .offset = IN(ff_shape_def, radius),
     .least = FF_POSITIVE,
     .feeds = true},
};

static const ff_number listed_rows[] = {
    {.key = "center",
     .unit = "m",
     .meaning = "centre of the sphere, body axes",
     .kind = FF_FIELD_PARAMETER,
     .width = 3,
     .offset = IN(ff_shape_def, center),
     .least = ANY,
     .feeds = true},
    {.key = "radius",
     .unit = "m",
     .meaning = "radius of the sphere",
     .kind = FF_FIELD_PARAMETER,
     .width = 1,
     .offset = IN(ff_shape_def, radius),
     .feeds = true},
};

static const ff_number box_rows[] = {
    {.key = "size",
     .unit = "m",
     .meaning = "edges of the box",
     .kind = FF_FIELD_PARAMETER,
     .width = 3,
     .least = FF_POSITIVE,
     .type = FF_NUMBER_BOX,
     .feeds = true},
    {.key = "corner_radius",
     .unit = "m",
     .meaning = "radius of its corners",
     .kind = FF_FIELD_PARAMETER,
     .width = 1,
     .type = FF_NUMBER_CORNERS,
     .feeds = true},
};

static const ff_number plane_rows[] = {
    ROW("point", IN(ff_plane_def, point), 3, FF_FIELD_PARAMETER, "m", ANY, "a point of the plane"),
    {.key = "normal",
     .unit = "1",
     .meaning = "direction out of the ground",
     .kind = FF_FIELD_PARAMETER,
     .width = 3,
     .offset = IN(ff_plane_def, normal),
     .least = ANY,
     .type = FF_NUMBER_UNIT},
    ROW("velocity", IN(ff_plane_def, velocity), 3, FF_FIELD_PARAMETER, "m/s", ANY,
        "velocity of the plane"),
    ROW("surface_velocity", IN(ff_plane_def, surface_velocity), 3, FF_FIELD_INPUT, "m/s", ANY,
        "velocity of its surface, as of a belt"),
};

static const ff_number joint_rows[] = {
    ROW("anchor", IN(ff_joint_def, anchor), 3, FF_FIELD_PARAMETER, "m", ANY,
        "anchor on the first body, body axes"),
    ROW("second_anchor", IN(ff_joint_def, second_anchor), 3, FF_FIELD_PARAMETER, "m", ANY,
        "anchor on the second body, body axes"),
    {.key = "orientation",
     .unit = "1",
     .meaning = "orientation of the second body in axes of the first at coordinate 0, a quaternion",
     .kind = FF_FIELD_PARAMETER,
     .width = 4,
     .offset = IN(ff_joint_def, turn),
     .least = ANY,
     .type = FF_NUMBER_DIRECTION},
};

static const ff_number axis_row = {.key = "axis",
                                   .unit = "1",
                                   .meaning = "axis, of the first body",
                                   .kind = FF_FIELD_PARAMETER,
                                   .width = 3,
                                   .offset = IN(ff_joint_def, axis),
                                   .least = ANY,
                                   .type = FF_NUMBER_DIRECTION};

static const ff_number second_axis_row = {.key = "second_axis",
                                          .unit = "1",
                                          .meaning = "axis, of the second body",
                                          .kind = FF_FIELD_PARAMETER,
                                          .width = 3,
                                          .offset = IN(ff_joint_def, second_axis),
                                          .least = ANY,
                                          .type = FF_NUMBER_DIRECTION};

/* start of a joint, if given */
static const ff_number turn_start_rows[] = {
    ROW("angle", IN(ff_joint_def, start), 1, FF_FIELD_PARAMETER, "rad", ANY, "angle at the start"),
    ROW("rate", IN(ff_joint_def, rate), 1, FF_FIELD_PARAMETER, "rad/s", ANY,
        "angular velocity at the start"),
};

static const ff_number slide_start_rows[] = {
    ROW("distance", IN(ff_joint_def, start), 1, FF_FIELD_PARAMETER, "m", ANY,
        "distance at the start"),
    ROW("speed", IN(ff_joint_def, rate), 1, FF_FIELD_PARAMETER, "m/s", ANY, "speed at the start"),
};

static const ff_number universal_start_rows[] = {
    ROW("angles", IN(ff_joint_def, start), 2, FF_FIELD_PARAMETER, "rad", ANY,
        "angles at the start"),
    ROW("rates", IN(ff_joint_def, rate), 2, FF_FIELD_PARAMETER, "rad/s", ANY,
        "angular velocities at the start"),
};

static const ff_number spherical_start_rows[] = {
    ROW("rotation", IN(ff_joint_def, start), 3, FF_FIELD_PARAMETER, "rad", ANY,
        "rotation vector at the start"),
    ROW("rates", IN(ff_joint_def, rate), 3, FF_FIELD_PARAMETER, "rad/s", ANY,
        "angular velocity at the start"),
};

static const ff_number planar_start_rows[] = {
    ROW("position", IN(ff_joint_def, start), 2, FF_FIELD_PARAMETER, "m", ANY,
        "position in the plane at the start"),
    ROW("angle", IN(ff_joint_def, start[2]), 1, FF_FIELD_PARAMETER, "rad", ANY,
        "angle at the start"),
    ROW("velocity", IN(ff_joint_def, rate), 2, FF_FIELD_PARAMETER, "m/s", ANY,
        "velocity in the plane at the start"),
    ROW("rate", IN(ff_joint_def, rate[2]), 1, FF_FIELD_PARAMETER, "rad/s", ANY,
        "angular velocity at the start"),
};

static const ff_number cylindrical_start_rows[] = {
    ROW("distance", IN(ff_joint_def, start), 1, FF_FIELD_PARAMETER, "m", ANY,
        "distance at the start"),
    ROW("angle", IN(ff_joint_def, start[1]), 1, FF_FIELD_PARAMETER, "rad", ANY,
        "angle at the start"),
    ROW("speed", IN(ff_joint_def, rate), 1, FF_FIELD_PARAMETER, "m/s", ANY, "speed at the start"),
    ROW("rate", IN(ff_joint_def, rate[1]), 1, FF_FIELD_PARAMETER, "rad/s", ANY,
        "angular velocity at the start"),
};

static const ff_number pitch_row = ROW("pitch", IN(ff_joint_def, pitch), 1, FF_FIELD_PARAMETER,
                                       "m/rad", ANY, "displacement along its axis per angle");

static const ff_number ratio_row =
    ROW("ratio", IN(ff_joint_def, ratio), 1, FF_FIELD_PARAMETER, "1", ANY,
        "rate of the second coordinate divided by that of the first, in their units");

/* efforts along a coordinate, an angle or a displacement; offsets are relative to the effort */
/* clang-format off */
#define EFFORTS(effort, way) \
    ROW("stiffness", IN(ff_joint_effort, stiffness), 1, FF_FIELD_INPUT, effort "/" way, 0, "stiffness of its spring"), \
    ROW("rest", IN(ff_joint_effort, rest), 1, FF_FIELD_INPUT, way, ANY, "coordinate at which its spring is at rest"), \
    ROW("damping", IN(ff_joint_effort, damping), 1, FF_FIELD_INPUT, effort " s/" way, 0, "damping of its damper")
#define LIMITS(effort, way, pace) \
    ROW("limits.lower", IN(ff_joint_effort, lower), 1, FF_FIELD_PARAMETER, way, ANY, "lower limit of the coordinate"), \
    ROW("limits.upper", IN(ff_joint_effort, upper), 1, FF_FIELD_PARAMETER, way, ANY, "upper limit of the coordinate"), \
    ROW("limits.stiffness", IN(ff_joint_effort, limit_stiffness), 1, FF_FIELD_PARAMETER, effort "/" way, FF_POSITIVE, \
        "stiffness of its stops"), \
    ROW("limits.damping", IN(ff_joint_effort, limit_damping), 1, FF_FIELD_PARAMETER, pace, 0, "damping of its stops")
#define LOAD(effort) \
    ROW("load", IN(ff_joint_effort, load), 1, FF_FIELD_INPUT, effort, 0, "load of its friction")
static const ff_number turn_effort_rows[] = {EFFORTS("N m", "rad"), LIMITS("N m", "rad", "s/rad"), LOAD("N m")};
static const ff_number slide_effort_rows[] = {EFFORTS("N", "m"), LIMITS("N", "m", "s/m"), LOAD("N")};

static const ff_number bearing_radius_row = ROW("bearing_radius", IN(ff_joint_def, bearing), 1, FF_FIELD_PARAMETER, "m", FF_POSITIVE, "radius of its bearing"),
                       bearing_length_row = ROW("bearing_length", IN(ff_joint_def, bearing), 1, FF_FIELD_PARAMETER, "m", 0, "distance of its two bearings, or 0"),
                       sleeve_length_row = ROW("bearing_length", IN(ff_joint_def, bearing_length), 1, FF_FIELD_PARAMETER, "m", 0, "distance of its two bearings, or 0");

#define PUSHES(word) \
    ROW(word ".force", IN(ff_force_def, force), 3, FF_FIELD_INPUT, "N", ANY, "force, world axes"), \
    ROW(word ".torque", IN(ff_force_def, torque), 3, FF_FIELD_INPUT, "N m", ANY, "torque, world axes")
#define TORQUE(word) ROW(word ".torque", IN(ff_force_def, effort), 1, FF_FIELD_INPUT, "N m", ANY, "torque at the joint")
#define FORCE(word) ROW(word ".force", IN(ff_force_def, effort), 1, FF_FIELD_INPUT, "N", ANY, "force at the joint")
#define GAINS(effort, way) \
    ROW("pd.kp", IN(ff_force_def, kp), 1, FF_FIELD_INPUT, effort "/" way, 0, "gain of the error"), \
    ROW("pd.kd", IN(ff_force_def, kd), 1, FF_FIELD_INPUT, effort " s/" way, 0, "gain of its rate"), \
    ROW("pd.target", IN(ff_force_def, target), 3, FF_FIELD_INPUT, way ", " way "/s, " way "/s^2", ANY, \
        "target, a polynomial of time"), \
    ROW("pd.target_from", IN(ff_force_def, target_from), 1, FF_FIELD_INPUT, "s", ANY, "time from which its target runs")
static const ff_number constant_rows[] = {PUSHES("constant")}, turn_constant_rows[] = {TORQUE("constant")},
                       slide_constant_rows[] = {FORCE("constant")};
static const ff_number table_rows[] = {PUSHES("table")}, turn_table_rows[] = {TORQUE("table")},
                       slide_table_rows[] = {FORCE("table")};
static const ff_number pd_rows[] = {GAINS("N", "m")}, turn_pd_rows[] = {GAINS("N m", "rad")};
/* clang-format on */

static const ff_number pd_axis_row = {.key = "pd.axis",
                                      .unit = "1",
                                      .meaning = "direction along which it acts",
                                      .kind = FF_FIELD_PARAMETER,
                                      .width = 3,
                                      .offset = IN(ff_force_def, axis),
                                      .least = ANY,
                                      .type = FF_NUMBER_UNIT};

static const ff_number spring_rows[] = {
    ROW("spring.anchor", IN(ff_force_def, anchor), 3, FF_FIELD_PARAMETER, "m", ANY,
        "anchor on the body, body axes"),
    ROW("spring.to_anchor", IN(ff_force_def, other_anchor), 3, FF_FIELD_PARAMETER, "m", ANY,
        "anchor of its other end"),
    ROW("spring.stiffness", IN(ff_force_def, stiffness), 1, FF_FIELD_INPUT, "N/m", 0, "stiffness"),
    ROW("spring.damping", IN(ff_force_def, damping), 1, FF_FIELD_INPUT, "N s/m", 0, "damping"),
    ROW("spring.rest", IN(ff_force_def, rest), 1, FF_FIELD_INPUT, "m", 0,
        "length at which it is at rest"),
};

static const ff_number points_rows[] = {
    {.key = "table.times",
     .unit = "s",
     .meaning = "times of its table",
     .kind = FF_FIELD_STRUCTURE,
     .offset = IN(ff_force_def, times),
     .type = FF_NUMBER_TABLE},
    {.key = "table.factors",
     .unit = "1",
     .meaning = "factors of its table",
     .kind = FF_FIELD_STRUCTURE,
     .offset = IN(ff_force_def, factors),
     .type = FF_NUMBER_TABLE},
};

static const ff_number span_rows[] = {
    ROW("from", IN(ff_force_def, from), 1, FF_FIELD_PARAMETER, "s", ANY, "time at which it begins"),
    ROW("to", IN(ff_force_def, to), 1, FF_FIELD_PARAMETER, "s", ANY, "time at which it ends"),
};

/* ---- rows of a thing ---- */

typedef struct walk {
    size_t count, wanted;
    ff_number *out;
} walk;

static void add(walk *w, const ff_number *number) {
    if (w->count++ == w->wanted) {
        *w->out = *number;
    }
}

#define ADD_ALL(w, rows)                                                                           \
    for (size_t i_ = 0; i_ < sizeof(rows) / sizeof *(rows); i_++) {                                \
        add((w), &(rows)[i_]);                                                                     \
    }

/* A dimension is a product of powers of force, length and time, N^kg m^(m - kg) s^(s + 2 kg): replacing N by N m, and m by
 * 1, gives that of a rotation. */
void ff_number_unit(const ff_number *number, char out[FF_FIELD_UNIT]) {
    const ff_exponent names[] = {{"n", 1}, {0}};
    ff_unit u;
    if (number->turned && number->friction &&
        ff_unit_parse(number->unit, names, &u, NULL, 0) == 0) {
        ff_dimension_units((ff_dimension){u.dim.kg, 2 * u.dim.kg, u.dim.s}, out, FF_FIELD_UNIT);
    } else if (number->turned) {
        /* exponents by name, as in N/m^n */
        size_t at = 0;
        for (const char *c = number->unit; *c && at + 4 < FF_FIELD_UNIT; c++) {
            const char single[] = {*c, 0}, *word = *c == 'N' ? "N m" : *c == 'm' ? "rad" : single;
            at += (size_t)snprintf(out + at, FF_FIELD_UNIT - at, "%s", word);
        }
    } else {
        snprintf(out, FF_FIELD_UNIT, "%s", number->unit);
    }
}

/* Springs of rolling and twist have a stiffness of their own: n = 1. */
static const char *plain_unit(const char *unit) {
    return strcmp(unit, "N/m^n") == 0 ? "N/m" : strcmp(unit, "N s/m^n") == 0 ? "N s/m" : unit;
}

/* The law itself, and its parameters; `section` is "normal.", "rolling." or "twist.", or ends with
 * "friction." or "limits.". Parameters that feed others are read from the scene file anew. */
static void add_law(walk *w, const char *section, const ff_param *params, size_t offset,
                    bool friction, bool turned, bool feeds) {
    add(w, &(ff_number){.section = section,
                        .key = "law",
                        .unit = "1",
                        .meaning = friction ? "friction law, by its index in the list of laws"
                                            : "normal law, by its index in the list of laws",
                        .kind = FF_FIELD_STRUCTURE,
                        .width = 1,
                        .offset = offset,
                        .type = FF_NUMBER_LAW,
                        .friction = friction});
    const bool plain = strcmp(section, "rolling.") == 0 || strcmp(section, "twist.") == 0;
    for (int i = 0; params[i].name; i++) {
        const ff_param *p = &params[i];
        add(w, &(ff_number){.section = section,
                            .key = p->name,
                            .unit = !p->unit ? "1"
                                    : plain  ? plain_unit(p->unit)
                                             : p->unit,
                            .meaning = p->meaning,
                            .kind = p->words ? FF_FIELD_STRUCTURE : FF_FIELD_PARAMETER,
                            .width = 1,
                            .offset = offset,
                            .least = p->least,
                            .type = FF_NUMBER_PARAM,
                            .param = i,
                            .friction = friction,
                            .feeds = feeds,
                            .turned = turned && p->unit});
    }
}

static void add_body(walk *w, const ff_model *model, size_t index) {
    const ff_body_def *def = &model->defs.bodies.at[index];
    for (size_t i = 0; i < sizeof body_rows / sizeof *body_rows; i++) {
        ff_number n = body_rows[i];
        if (n.type == FF_NUMBER_INERTIA) {
            const double(*a)[3] = def->inertia;
            bool own = !isnan(a[0][0]),
                 full = own && (a[0][1] != 0 || a[0][2] != 0 || a[1][2] != 0);
            n.width = full ? 9 : 3;
            n.kind = own ? n.kind : FF_FIELD_STRUCTURE;
            n.meaning = own ? n.meaning : "moments of inertia, from its shapes";
        } else if (i >= 2 && model->topology->placer[index] >= 0) {
            n.kind = FF_FIELD_STRUCTURE;
        }
        add(w, &n);
    }
}

/* Adds the efforts along a coordinate, with the name of the coordinate if there are several. */
static void add_efforts(walk *w, const ff_joint_def *def, int c, bool only) {
    /* clang-format off */
    static const char *const sections[][4] = {
#define SECTION(name) {name, "along." name ".", "along." name ".friction.", "along." name ".limits."}
        SECTION("angle"), SECTION("way"), SECTION("angle1"), SECTION("angle2"), SECTION("way1"), SECTION("way2")
#undef SECTION
    };
    /* clang-format on */
    /* the rotation of a spherical joint has no coordinate name */
    const bool ball = def->kind == FF_JOINT_SPHERICAL;
    size_t own = 0;
    while (!ball && strcmp(sections[own][0], ff_joint_coordinate_name(def->kind, c)) != 0) {
        own++;
    }
    const char *const *section = sections[own];
    const bool slides = ff_joint_coordinate_slides(def->kind, c);
    const ff_number *rows = slides ? slide_effort_rows : turn_effort_rows;
    const ff_joint_effort *e = &def->along[c];
    const size_t base = IN(ff_joint_def, along) + (size_t)c * sizeof *e;
    const bool limited = !isinf(e->lower) || !isinf(e->upper), has_friction = e->friction.law;
    for (int i = 0; i < 8; i++) {
        bool there = i < 3    ? !(ball && i == 1)
                     : i == 3 ? !isinf(e->lower)
                     : i == 4 ? !isinf(e->upper)
                     : i < 7  ? limited && !e->limit.law
                              : has_friction && !def->loaded;
        if (there) {
            ff_number n = rows[i];
            n.section = only ? NULL : section[1];
            n.offset += base;
            add(w, &n);
        }
    }
    if (limited && e->limit.law) {
        add_law(w, only ? "limits." : section[3], e->limit.law->params,
                base + IN(ff_joint_effort, limit), false, !slides, false);
    }
    if (has_friction && def->loaded && only) {
        add(w, slides ? &bearing_length_row : &bearing_radius_row);
    }
    if (has_friction) {
        add_law(w, only ? "friction." : section[2], e->friction.law->params,
                base + IN(ff_joint_effort, friction), true, !slides, false);
    }
}

static void add_joint(walk *w, const ff_joint_def *def) {
    const bool ball = def->kind == FF_JOINT_SPHERICAL;
    const bool one = !ff_joint_coordinate_name(def->kind, 1);
    if (def->kind == FF_JOINT_GEAR) {
        add(w, &ratio_row);
        return;
    }
    ADD_ALL(w, joint_rows)
    if (ff_joint_coordinate_name(def->kind, 0) && !ball) {
        add(w, &axis_row);
    }
    if (def->kind == FF_JOINT_SCREW) {
        add(w, &pitch_row);
    }
    if (def->kind == FF_JOINT_UNIVERSAL) {
        add(w, &second_axis_row);
    }
    if (!isnan(def->start[0]) || !isnan(def->rate[0])) {
        switch (def->kind) {
        case FF_JOINT_REVOLUTE: ADD_ALL(w, turn_start_rows) break;
        case FF_JOINT_PRISMATIC: ADD_ALL(w, slide_start_rows) break;
        case FF_JOINT_SPHERICAL: ADD_ALL(w, spherical_start_rows) break;
        case FF_JOINT_UNIVERSAL: ADD_ALL(w, universal_start_rows) break;
        case FF_JOINT_PLANAR: ADD_ALL(w, planar_start_rows) break;
        case FF_JOINT_CYLINDRICAL: ADD_ALL(w, cylindrical_start_rows) break;
        case FF_JOINT_SCREW: ADD_ALL(w, turn_start_rows) break;
        default: break;
        }
    }
    if (def->loaded && !one && !ball) {
        const bool sleeve = def->kind == FF_JOINT_CYLINDRICAL;
        add(w, &bearing_radius_row);
        if (sleeve) {
            add(w, &sleeve_length_row);
        }
    }
    for (int c = 0; !ball && ff_joint_coordinate_name(def->kind, c); c++) {
        add_efforts(w, def, c, one);
    }
    if (ball) {
        add_efforts(w, def, 0, true);
    }
}

static void add_pair(walk *w, const ff_pair_def *def) {
    static const ff_number ignored =
        ROW("ignored_while_turning", IN(ff_pair_def, ignored_while_turning), 3, FF_FIELD_PARAMETER,
            "1", ANY, "no contact while the body turns about this axis");
    static const ff_number arm =
        ROW("twist.arm", IN(ff_pair_def, arm_length), 1, FF_FIELD_PARAMETER, "m", FF_POSITIVE,
            "distance from the normal at which friction resists spin");
    static const ff_number words[] = {
        {.key = "ground",
         .unit = "1",
         .meaning = "1: the ground recovers gradually after lift-off",
         .kind = FF_FIELD_STRUCTURE,
         .width = 1,
         .type = FF_NUMBER_WORD},
        {.key = "lever",
         .unit = "1",
         .meaning = "1: forces of a plane act at the plane, not at the lowest point of the "
                    "undeformed sphere",
         .kind = FF_FIELD_STRUCTURE,
         .width = 1,
         .param = 1,
         .type = FF_NUMBER_WORD},
    };
    const bool shared = def->twist.law && def->arm == FF_ARM_MARSHALL;
    add_law(w, "normal.", def->normal.law->params, IN(ff_pair_def, normal), false, false, true);
    add_law(w, "friction.", def->friction.law->params, IN(ff_pair_def, friction), true, false,
            shared);
    if (def->rolling.law) {
        add_law(w, "rolling.", def->rolling.law->params, IN(ff_pair_def, rolling), true, false,
                false);
    }
    if (def->twist.law) {
        add_law(w, "twist.", def->twist.law->params, IN(ff_pair_def, twist), true, false, false);
    }
    if (def->twist.law && def->arm == FF_ARM_LENGTH) {
        add(w, &arm);
    }
    ADD_ALL(w, words)
    if (ff_dot(def->ignored_while_turning, def->ignored_while_turning) > 0) {
        ff_number n = ignored;
        n.type = FF_NUMBER_DIRECTION;
        add(w, &n);
    }
}

/* on a body, at a rotational joint coordinate, or at a translational one */
static void add_force(walk *w, const ff_model *model, const ff_force_def *def) {
    int way = 0;
    if (def->joint >= 0) {
        const ff_joint_kind kind = model->defs.joints.at[def->joint].kind;
        way = ff_joint_coordinate_slides(kind, def->coordinate) ? 2 : 1;
    }
    if (def->kind == FF_FORCE_CONTROL) {
        /* commanded by a controller: an output */
    } else if (def->kind == FF_FORCE_SPRING) {
        ADD_ALL(w, spring_rows)
    } else if (def->kind == FF_FORCE_PD) {
        if (way == 0) {
            add(w, &pd_axis_row);
        }
        const ff_number *rows = way == 1 ? turn_pd_rows : pd_rows;
        for (size_t i = 0; i < sizeof pd_rows / sizeof *pd_rows; i++) {
            add(w, &rows[i]);
        }
    } else {
        static const ff_number *const rows[2][3] = {
            {constant_rows, turn_constant_rows, slide_constant_rows},
            {table_rows, turn_table_rows, slide_table_rows}};
        for (int i = 0; i < (way == 0 ? 2 : 1); i++) {
            add(w, &rows[def->kind == FF_FORCE_TABLE][way][i]);
        }
        for (int i = 0; i < 2 && def->kind == FF_FORCE_TABLE; i++) {
            ff_number n = points_rows[i];
            n.width = def->points;
            add(w, &n);
        }
    }
    if (!isinf(def->from)) {
        add(w, &span_rows[0]);
    }
    if (!isinf(def->to)) {
        add(w, &span_rows[1]);
    }
}

static void add_shape(walk *w, ff_shape_word word) {
    switch (word) {
    case FF_SHAPE_SPHERE: ADD_ALL(w, sphere_rows) break;
    case FF_SHAPE_LISTED: ADD_ALL(w, listed_rows) break;
    case FF_SHAPE_BOX: ADD_ALL(w, box_rows) break;
    default: break;
    }
}

static void add_parameter(walk *w, const ff_model *model, size_t index) {
    add(w, &(ff_number){.key = "",
                        .unit = model->defs.parameters.at[index].unit,
                        .meaning = "parameter of the scene file",
                        .kind = model->defs.origin ? FF_FIELD_PARAMETER : FF_FIELD_STRUCTURE,
                        .width = 1,
                        .offset = IN(ff_parameter, value),
                        .least = ANY,
                        .feeds = true});
}

size_t ff_number_rows(const ff_model *model, ff_thing thing, size_t wanted, ff_number *out) {
    const ff_scene *defs = &model->defs;
    walk w = {.wanted = wanted, .out = out};
    switch (thing.kind) {
    case FF_THING_WORLD: ADD_ALL(&w, gravity_rows) break;
    case FF_THING_PARAMETER: add_parameter(&w, model, thing.index); break;
    case FF_THING_BODY: add_body(&w, model, thing.index); break;
    case FF_THING_SHAPE: add_shape(&w, model->topology->words[thing.index]); break;
    case FF_THING_PLANE: ADD_ALL(&w, plane_rows) break;
    case FF_THING_PAIR: add_pair(&w, &defs->pairs.at[thing.index]); break;
    case FF_THING_JOINT: add_joint(&w, &defs->joints.at[thing.index]); break;
    default: add_force(&w, model, &defs->forces.at[thing.index]); break;
    }
    if (wanted < w.count) {
        bool still = thing.kind == FF_THING_PLANE && !model->topology->belt[thing.index];
        /* a belt at rest has no account for its work; a crowd reads its numbers when it is created */
        if (out->kind == FF_FIELD_INPUT && (still || model->crowd)) {
            out->kind = FF_FIELD_PARAMETER;
        }
    }
    return w.count;
}
