/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "joints.h"
#include "label.h"
#include "show.h"
#include "table.h"
#include <math.h>
#include <string.h>

/* ---- assembly ---- */

static void print_assembly(const ff_model *model) {
    ff_assembly a = ff_model_assembly(model);
    printf("joints: %zu, %s, %zu degree%s of freedom", ff_model_joint_count(model),
           ff_formulation_name(ff_model_run(model)->formulation), a.freedoms,
           a.freedoms == 1 ? "" : "s");
    if (a.redundant > 0) {
        printf("; %zu of %zu constraints %s redundant", a.redundant, a.constraints,
               a.redundant == 1 ? "is" : "are");
    }
    printf("\n");
}

static void assembly_json(ff_json *j, const ff_model *model) {
    ff_assembly a = ff_model_assembly(model);
    ff_json_object(j, "assembly");
    ff_json_integer(j, "freedoms", (long long)a.freedoms);
    ff_json_integer(j, "constraints", (long long)a.constraints);
    ff_json_integer(j, "redundant", (long long)a.redundant);
    ff_json_number(j, "moved", a.moved);
    ff_json_number(j, "turned", a.turned);
    ff_json_number(j, "velocity", a.velocity);
    ff_json_number(j, "omega", a.omega);
    ff_json_end(j);
}

/* ---- results of a run ---- */

/* more would push the ledger off the screen */
enum { joints_shown = 20 };

static double length(const double a[3]) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

/* One line per joint, with as many columns as the joint with the most coordinates needs. */
static void print_table(const ff_model *model, ff_sim *sim, size_t count) {
    table_column columns[5 + 3 * FF_JOINT_COORDINATES] = {{"joint", NULL}, {"kind", NULL}};
    int most = 0;
    size_t used = 2;
    for (size_t i = 0; i < count; i++) {
        int coordinates = ff_model_joint_facts(model, i).coordinates;
        most = coordinates > most ? coordinates : most;
    }
    for (int c = 0; c < most; c++) {
        columns[used++] = c ? (table_column){"", NULL} : (table_column){"at", "rad, m"};
    }
    for (int c = 0; c < most; c++) {
        columns[used++] = c ? (table_column){"", NULL} : (table_column){"rate", "rad/s, m/s"};
    }
    for (int c = 0; c < (most > 1 ? most : 1); c++) {
        columns[used++] = c ? (table_column){"", NULL} : (table_column){"effort", "N m, N"};
    }
    columns[used++] = (table_column){"force", "N"};
    columns[used++] = (table_column){"moment", "N m"};
    table t;
    table_init(&t, columns, used);
    for (size_t i = 0; i < count; i++) {
        ff_joint_facts f = ff_model_joint_facts(model, i);
        ff_joint_record r = ff_sim_joint(sim, i);
        table_text(&t, ff_model_joint_name(model, i));
        table_text(&t, ff_joint_kind_name(f.kind));
        for (int c = 0; c < most; c++) {
            table_number(&t, c < f.coordinates ? r.position[c] : (double)NAN);
        }
        for (int c = 0; c < most; c++) {
            table_number(&t, c < f.coordinates ? r.rate[c] : (double)NAN);
        }
        for (int c = 0; c < (most > 1 ? most : 1); c++) {
            table_number(&t, c < f.coordinates ? r.effort[c] : (double)NAN);
        }
        table_number(&t, length(r.force));
        table_number(&t, length(r.moment));
    }
    table_print(&t, stdout);
    table_clear(&t);
}

void joints_print(const ff_model *model, ff_sim *sim) {
    size_t count = ff_model_joint_count(model), shown = count > joints_shown ? joints_shown : count;
    if (count == 0) {
        return;
    }
    print_assembly(model);
    size_t violation;
    if (ff_model_field_find(model, "constraints.position", &violation, NULL, NULL) == FF_OK) {
        ff_violation worst = ff_sim_violation_most(sim);
        bool maximal = ff_model_run(model)->formulation == FF_MAXIMAL;
        printf("constraints (%s) violated by %.2g m, %.2g m/s at most\n",
               maximal ? ff_constraints_name(ff_model_run(model)->constraints) : "of loops",
               worst.position, worst.velocity);
    }
    printf("\n");
    print_table(model, sim, shown);
    if (shown < count) {
        printf("... and %zu more\n", count - shown);
    }
    printf("\n");
}

static void violation_json(ff_json *j, const char *key, ff_violation violation) {
    ff_json_object(j, key);
    ff_json_number(j, "position", violation.position);
    ff_json_number(j, "velocity", violation.velocity);
    ff_json_end(j);
}

void joints_json(ff_json *j, const ff_model *model, ff_sim *sim, const ff_run_options *o) {
    if (ff_model_joint_count(model) == 0) {
        return;
    }
    ff_json_string(j, "formulation", ff_formulation_name(o->formulation));
    ff_json_string(j, "constraints", ff_constraints_name(o->constraints));
    assembly_json(j, model);
    violation_json(j, "violation", ff_sim_violation_most(sim));
    ff_json_object(j, "joints");
    for (size_t i = 0; i < ff_model_joint_count(model); i++) {
        size_t coordinates = (size_t)ff_model_joint_facts(model, i).coordinates;
        ff_joint_record r = ff_sim_joint(sim, i);
        ff_json_object(j, ff_model_joint_name(model, i));
        ff_json_numbers(j, "position", r.position, coordinates);
        ff_json_numbers(j, "rate", r.rate, coordinates);
        if (coordinates == 1) {
            ff_json_number(j, "effort", r.effort[0]);
        } else {
            ff_json_numbers(j, "effort", r.effort, coordinates);
        }
        ff_json_numbers(j, "anchor", r.anchor, 3);
        ff_json_numbers(j, "force", r.force, 3);
        ff_json_numbers(j, "moment", r.moment, 3);
        ff_json_end(j);
    }
    ff_json_end(j);
}

/* ---- check ---- */

static const char *body_name(const ff_model *model, int body) {
    return body < 0 ? "world" : ff_model_body_name(model, (size_t)body);
}

static bool has_axis(ff_joint_kind kind) {
    return ff_joint_coordinate_name(kind, 0) && kind != FF_JOINT_SPHERICAL;
}

static void print_vector(const char *name, const double a[3]) {
    printf("  %-12s [%g, %g, %g]\n", name, a[0], a[1], a[2]);
}

static void print_effort(const ff_joint_def *def, int c, const char *name, bool slides) {
    const ff_joint_effort *e = &def->along[c];
    const char *way = slides ? "m" : "rad", *effort = slides ? "N" : "N m", *of = name ? name : "";
    const char *between = name ? ": " : "";
    if (e->stiffness > 0) {
        printf("  stiffness    %s%s%g %s/%s, at rest at %g %s\n", of, between, e->stiffness, effort,
               way, e->rest, way);
    }
    if (e->damping > 0) {
        printf("  damping      %s%s%g %s s/%s\n", of, between, e->damping, effort, way);
    }
    if (!isinf(e->lower) || !isinf(e->upper)) {
        printf("  limits       %s%s", of, between);
        if (!isinf(e->lower)) {
            printf("from %g %s ", e->lower, way);
        }
        if (!isinf(e->upper)) {
            printf("to %g %s ", e->upper, way);
        }
        if (e->limit.law) {
            printf("by %s\n", e->limit.law->name);
        } else {
            printf("by %g %s/%s, damping %g s/%s\n", e->limit_stiffness, effort, way,
                   e->limit_damping, way);
        }
    }
    if (e->friction.law && def->loaded) {
        printf("  friction     %s%s%s under the joint's own reaction", of, between,
               e->friction.law->name);
        const double apart = def->kind == FF_JOINT_PRISMATIC ? def->bearing : def->bearing_length;
        if (!slides) {
            printf(", bearing radius %g m", def->bearing);
        }
        if (def->kind == FF_JOINT_PRISMATIC || (def->kind == FF_JOINT_CYLINDRICAL && apart > 0)) {
            printf(", bearing length %g m", apart);
        }
        printf("\n");
        show_friction(stdout, &e->friction, !slides);
    } else if (e->friction.law) {
        printf("  friction     %s%s%s under a load of %g %s\n", of, between, e->friction.law->name,
               e->load, effort);
        show_friction(stdout, &e->friction, !slides);
    }
}

static void effort_json(ff_json *j, const ff_joint_effort *e) {
    ff_json_number(j, "stiffness", e->stiffness);
    ff_json_number(j, "rest", e->rest);
    ff_json_number(j, "damping", e->damping);
    ff_json_number(j, "lower", e->lower);
    ff_json_number(j, "upper", e->upper);
    ff_json_number(j, "limit_stiffness", e->limit_stiffness);
    ff_json_number(j, "limit_damping", e->limit_damping);
    ff_json_string(j, "limit_law", e->limit.law ? e->limit.law->name : NULL);
    ff_json_string(j, "friction", e->friction.law ? e->friction.law->name : NULL);
    ff_json_number(j, "load", e->load);
}

void joints_check(const ff_scene *scene, const ff_model *model, ff_sim *sim) {
    for (size_t i = 0; i < ff_model_joint_count(model); i++) {
        const ff_joint_def *def = ff_scene_joint(scene, i);
        ff_joint_facts f = ff_model_joint_facts(model, i);
        ff_joint_record r = ff_sim_joint(sim, i);
        printf("\n%s: %s, between %s and %s%s\n", ff_model_joint_name(model, i),
               ff_joint_kind_name(f.kind), body_name(model, f.first), body_name(model, f.second),
               f.loop ? ", closes a loop" : "");
        if (has_axis(f.kind)) {
            print_vector("axis", def->axis);
        }
        if (f.kind == FF_JOINT_GEAR) {
            printf("  ratio        %g, of joints %s and %s\n", def->ratio,
                   ff_model_joint_name(model, (size_t)def->joints[0]),
                   ff_model_joint_name(model, (size_t)def->joints[1]));
        }
        if (f.kind == FF_JOINT_SCREW) {
            printf("  pitch        %g m/rad\n", def->pitch);
        }
        if (f.kind == FF_JOINT_UNIVERSAL) {
            print_vector("second axis", def->second_axis);
        }
        for (int c = 0; c < f.coordinates; c++) {
            const label at = label_coordinate(model, i, c), rate = label_rate(model, i, c);
            printf("  %-12s %g %s, %s %g %s\n", at.name, r.position[c], at.unit, rate.name,
                   r.rate[c], rate.unit);
        }
        for (int c = 0; c < f.coordinates; c++) {
            if (def->motion[c]) {
                printf("  motion       %s = %s\n", ff_joint_coordinate_name(f.kind, c),
                       def->motion[c]);
            }
        }
        if (f.kind == FF_JOINT_SPHERICAL) {
            if (!isinf(def->along[0].upper)) {
                print_vector("axis", def->axis);
            }
            print_effort(def, 0, NULL, false);
        }
        for (int c = 0; c < f.coordinates && f.kind != FF_JOINT_SPHERICAL; c++) {
            print_effort(def, c, f.coordinates > 1 ? ff_joint_coordinate_name(f.kind, c) : NULL,
                         ff_joint_coordinate_slides(f.kind, c));
        }
    }
    if (ff_model_joint_count(model) > 0) {
        printf("\n");
        print_assembly(model);
    }
}

void joints_check_json(ff_json *j, const ff_scene *scene, const ff_model *model, ff_sim *sim) {
    if (ff_model_joint_count(model) == 0) {
        return;
    }
    assembly_json(j, model);
    ff_json_object(j, "joints");
    for (size_t i = 0; i < ff_model_joint_count(model); i++) {
        const ff_joint_def *def = ff_scene_joint(scene, i);
        ff_joint_facts f = ff_model_joint_facts(model, i);
        ff_joint_record r = ff_sim_joint(sim, i);
        ff_json_object(j, ff_model_joint_name(model, i));
        ff_json_string(j, "kind", ff_joint_kind_name(f.kind));
        ff_json_array(j, "between");
        ff_json_string(j, NULL, body_name(model, f.first));
        ff_json_string(j, NULL, body_name(model, f.second));
        ff_json_end(j);
        ff_json_bool(j, "loop", f.loop);
        ff_json_numbers(j, "anchor", f.anchor, 3);
        ff_json_numbers(j, "second_anchor", f.second_anchor, 3);
        if (has_axis(f.kind)) {
            ff_json_numbers(j, "axis", def->axis, 3);
        }
        if (f.kind == FF_JOINT_GEAR) {
            ff_json_number(j, "ratio", def->ratio);
        }
        if (f.kind == FF_JOINT_SCREW) {
            ff_json_number(j, "pitch", def->pitch);
        }
        ff_json_numbers(j, "position", r.position, (size_t)f.coordinates);
        ff_json_numbers(j, "rate", r.rate, (size_t)f.coordinates);
        if (def->motion[0] || def->motion[1] || def->motion[2]) {
            ff_json_object(j, "motion");
            for (int c = 0; c < f.coordinates; c++) {
                ff_json_string(j, ff_joint_coordinate_name(f.kind, c), def->motion[c]);
            }
            ff_json_end(j);
        }
        if (f.coordinates == 1 || f.kind == FF_JOINT_SPHERICAL) {
            effort_json(j, &def->along[0]);
        } else if (f.coordinates > 1) {
            ff_json_object(j, "along");
            for (int c = 0; c < f.coordinates; c++) {
                ff_json_object(j, ff_joint_coordinate_name(f.kind, c));
                effort_json(j, &def->along[c]);
                ff_json_end(j);
            }
            ff_json_end(j);
        }
        ff_json_end(j);
    }
    ff_json_end(j);
}
