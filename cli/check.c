/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "args.h"
#include "commands.h"
#include "joints.h"
#include "memory.h"
#include "rest.h"
#include "scene.h"
#include "show.h"
#include "table.h"
#include "warnings.h"
#include <footfall/json.h>
#include <footfall/tool.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const args_option options[] = {
    {"set", "PATH=VALUE", NULL, "set a value of the scene, as in bodies.ball.mass=0.2", true, 0},
    {"max-memory", "SIZE", NULL,
     "refuse a scene that needs more memory, such as 2 GB; default: what is available", false, 0},
    WARNINGS_STRICT,
    {"json", "", "", "print one JSON object", false, 0},
};

static const args_command command = {
    .name = "check",
    .usage = "SCENE [options]",
    .summary =
        "Prints the scene as it was understood: which things may touch, with which laws and "
        "parameters, and what these imply in a typical impact: restitution, contact time, depth, "
        "force and stiffness; joints, their start coordinates and the remaining degrees of "
        "freedom; and the run options. Errors are reported with file, line and column.",
    .examples = "footfall check scenes/rolling.yaml",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .words_least = 1,
    .words_most = 1,
};

static void print_contact(ff_contact_facts f) {
    ff_impact impact;
    show_law(stdout, f.normal);
    printf("friction %s: %s\n", f.friction->law->name, f.friction->law->formula);
    show_friction(stdout, f.friction, false);
    show_turning(stdout, &f);
    if (f.ignored_while_turning) {
        const double *axis = f.ignored_while_turning;
        printf("  ignored while its body turns about [%g, %g, %g]\n", axis[0], axis[1], axis[2]);
    }
    ff_status status = ff_impact_solve(f.normal, f.mass, f.speed, &impact);
    printf("  an impact of %.4g kg at %.4g m/s, without other forces:\n", f.mass, f.speed);
    if (status < 0) {
        printf("  %s\n", ff_status_text(status));
        return;
    }
    ff_stiffness s = ff_impact_stiffness(f.normal, f.mass, impact.max_depth);
    printf("  restitution  %.6g\n", impact.restitution);
    if (isinf(impact.contact_time)) {
        printf("  contact time never ends\n");
    } else {
        printf("  contact time %.4g s\n", impact.contact_time);
    }
    printf("  max depth    %.4g m\n  max force    %.4g N\n", impact.max_depth, impact.max_force);
    const double sticks = show_sticking_speed(f.normal, f.mass);
    if (!isnan(sticks)) {
        printf("  sticks below %.4g m/s\n", sticks);
    }
    printf("  shortest time %.3g s, largest stable rk4 step %.3g s\n", s.time_scale, s.step_rk4);
}

/* Names that differ only in the numbers of grains, such as sand[0]/floor and sand[1]/floor, form a kind; so do their
 * contacts if they have the same laws. */
typedef struct {
    char name[280]; /* without the numbers */
    size_t first, count;
} kind;

typedef struct {
    kind *at;
    size_t count, room;
} kind_list;

static void strip_numbers(const char *name, char *out, size_t size) {
    size_t used = 0;
    bool number = false;
    for (; *name && used + 1 < size; name++) {
        number = number || *name == '[';
        if (!number) {
            out[used++] = *name;
        }
        number = number && *name != ']';
    }
    out[used] = '\0';
}

/* Whether two laws of rolling or twist, NULL for none, are the same. */
static bool same_turning(const ff_friction *a, const ff_friction *b) {
    return !a || !b ? a == b
                    : a->law == b->law && memcmp(a->values, b->values, sizeof a->values) == 0;
}

static bool same_laws(const ff_model *model, size_t i, size_t j) {
    ff_contact_facts a = ff_model_contact_facts(model, i), b = ff_model_contact_facts(model, j);
    return a.normal->law == b.normal->law && a.friction->law == b.friction->law &&
           memcmp(a.normal->values, b.normal->values, sizeof a.normal->values) == 0 &&
           memcmp(a.friction->values, b.friction->values, sizeof a.friction->values) == 0 &&
           same_turning(a.rolling, b.rolling) && same_turning(a.twist, b.twist) && a.arm == b.arm &&
           a.arm_length == b.arm_length && !a.ignored_while_turning == !b.ignored_while_turning;
}

/* Whether two contacts have the same description. */
static bool same_contact(const ff_model *model, size_t i, size_t j) {
    ff_contact_facts a = ff_model_contact_facts(model, i), b = ff_model_contact_facts(model, j);
    return same_laws(model, i, j) && a.mass == b.mass && a.speed == b.speed &&
           (!a.ignored_while_turning || memcmp(a.ignored_while_turning, b.ignored_while_turning,
                                               3 * sizeof *a.ignored_while_turning) == 0);
}

static void add_kind(kind_list *list, const ff_model *model, const char *name, size_t index,
                     bool contacts) {
    kind new = {.first = index, .count = 1};
    strip_numbers(name, new.name, sizeof new.name);
    for (size_t i = 0; strchr(name, '[') && i < list->count; i++) {
        if (strcmp(list->at[i].name, new.name) == 0 &&
            (!contacts || same_laws(model, list->at[i].first, index))) {
            list->at[i].count++;
            return;
        }
    }
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 16;
        list->at = realloc(list->at, list->room * sizeof *list->at);
        if (!list->at) {
            fprintf(stderr, "footfall: out of memory\n");
            exit(1);
        }
    }
    list->at[list->count++] = new;
}

static void print_contacts(const ff_model *model) {
    kind_list kinds = {0};
    for (size_t i = 0; i < ff_model_contact_count(model); i++) {
        add_kind(&kinds, model, ff_model_contact_name(model, i), i, true);
    }
    for (size_t i = 0; i < kinds.count; i++) {
        const char *name = ff_model_contact_name(model, kinds.at[i].first);
        if (strchr(name, '[')) {
            printf("\n%s: %zu of them, this is %s\n", kinds.at[i].name, kinds.at[i].count, name);
        } else {
            printf("\n%s\n", name);
        }
        /* laws that were already described */
        size_t same = 0;
        while (same < i && !same_contact(model, kinds.at[same].first, kinds.at[i].first)) {
            same++;
        }
        if (same < i) {
            printf("  as %s\n", ff_model_contact_name(model, kinds.at[same].first));
        } else {
            print_contact(ff_model_contact_facts(model, kinds.at[i].first));
        }
    }
    free(kinds.at);
    kinds = (kind_list){0};
    for (size_t i = 0; i < ff_model_unpaired_count(model); i++) {
        add_kind(&kinds, model, ff_model_unpaired_name(model, i), i, false);
    }
    for (size_t i = 0; i < kinds.count; i++) {
        printf("%sno pair, no contact: %s\n", i ? "" : "\n", kinds.at[i].name);
    }
    free(kinds.at);
    for (size_t i = 0; i < ff_model_class_count(model); i++) {
        printf("\n%s\n", ff_model_class_name(model, i));
        print_contact(ff_model_class_facts(model, i));
    }
    if (ff_model_contact_count(model) + ff_model_class_count(model) + ff_model_joint_count(model) ==
        0) {
        printf("\nnothing can touch: no pair matches two shapes, or a shape and a plane\n");
    }
}

static void print_groups(const ff_scene *scene, const ff_model *model) {
    static const table_column columns[] = {
        {"group", NULL}, {"grains", NULL},        {"least radius", "m"},    {"largest", "m"},
        {"mass", "kg"},  {"position scale", "m"}, {"velocity scale", "m/s"}};
    table t;
    table_init(&t, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < ff_scene_group_count(scene); i++) {
        ff_group g = ff_scene_group(scene, i);
        double length = INFINITY, speed = INFINITY;
        for (size_t j = 0; j < g.count; j++) {
            ff_body_facts f = ff_model_body_facts(model, (size_t)g.first + j);
            length = fmin(length, f.length_scale);
            speed = fmin(speed, f.speed_scale);
        }
        table_text(&t, g.name);
        table_number(&t, (double)g.count);
        table_number(&t, g.radius_least);
        table_number(&t, g.radius_most);
        table_number(&t, g.mass);
        table_number(&t, length);
        table_number(&t, speed);
    }
    if (t.count > 0) {
        table_print(&t, stdout);
    }
    table_clear(&t);
}

static void print_parameters(const ff_scene *scene) {
    for (size_t i = 0; i < ff_scene_parameter_count(scene); i++) {
        ff_parameter p = ff_scene_parameter(scene, i);
        bool unit = *p.unit && strcmp(p.unit, "1") != 0;
        printf("%s  %-12s %.10g%s%s%s\n", i ? "" : "parameters\n", p.name, p.value, unit ? " " : "",
               unit ? p.unit : "", p.used ? "" : "  (not used)");
    }
    if (ff_scene_parameter_count(scene) > 0) {
        printf("\n");
    }
}

/* single bodies; those of a group share one line */
static void print_bodies(const ff_scene *scene, const ff_model *model) {
    static const table_column columns[] = {
        {"body", NULL},  {"mass", "kg"},          {"inertia x", "kg m^2"},  {"y", "kg m^2"},
        {"z", "kg m^2"}, {"position scale", "m"}, {"velocity scale", "m/s"}};
    table t;
    table_init(&t, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < ff_model_body_count(model); i++) {
        ff_body_facts f = ff_model_body_facts(model, i);
        if (strchr(ff_model_body_name(model, i), '[')) {
            continue;
        }
        table_text(&t, ff_model_body_name(model, i));
        table_number(&t, f.mass);
        for (int c = 0; c < 3; c++) {
            table_number(&t, f.inertia[c]);
        }
        table_number(&t, f.length_scale);
        table_number(&t, f.speed_scale);
    }
    if (t.count > 0) {
        table_print(&t, stdout);
    }
    table_clear(&t);
    for (size_t i = 0; i < ff_model_body_count(model); i++) {
        ff_body_facts f = ff_model_body_facts(model, i);
        const char *name = ff_model_body_name(model, i);
        if (f.products[0] != 0 || f.products[1] != 0 || f.products[2] != 0) {
            printf("%s: products of inertia xy %g, xz %g, yz %g kg m^2\n", name, f.products[0],
                   f.products[1], f.products[2]);
        }
        if (f.center[0] != 0 || f.center[1] != 0 || f.center[2] != 0) {
            printf("%s: its centre of mass is at [%g, %g, %g] m in the frame of its shapes\n", name,
                   f.center[0], f.center[1], f.center[2]);
        }
    }
    print_groups(scene, model);
    printf("absolute tolerances are the relative tolerance times these scales%s\n",
           ff_scene_group_count(scene) ? " (the smallest of a group)" : "");
}

/* only fixed-step methods use dt */
static bool has_fixed_steps(const ff_run_options *o) { return ff_method_fixed(o->method); }

/* threads are only used by crowds */
static void print_gait(const ff_model *model, const ff_gait_def *g) {
    if (!g) {
        return;
    }
    printf("gait\n  a step begins where %s, %s [%g, %g, %g], comes to rest\n",
           ff_model_body_name(model, (size_t)g->body),
           g->section == FF_SECTION_TURNING ? "turning about" : "moving along", g->axis[0],
           g->axis[1], g->axis[2]);
    for (size_t i = 0; i < g->swaps; i++) {
        printf("  swap         %s and %s\n", ff_model_body_name(model, (size_t)g->swap[i][0]),
               ff_model_body_name(model, (size_t)g->swap[i][1]));
    }
    for (size_t i = 0; i < g->turns; i++) {
        const ff_gait_turn *t = &g->turn[i];
        printf("  turn         %s by [%g, %g, %g] rad\n",
               ff_model_body_name(model, (size_t)t->body), t->by[0], t->by[1], t->by[2]);
    }
    const struct {
        const char *name;
        const double *at;
    } ways[] = {{"reflect", g->reflect}, {"direction", g->direction}};
    for (size_t i = 0; i < 2; i++) {
        const double *v = ways[i].at;
        if (v[0] != 0 || v[1] != 0 || v[2] != 0) {
            printf("  %-12s [%g, %g, %g]\n", ways[i].name, v[0], v[1], v[2]);
        }
    }
    printf("  limit        %g s\n", g->limit);
    if (!isinf(g->lowest)) {
        printf("  lowest       %g m\n", g->lowest);
    }
    printf("\n");
}

static void gait_json(ff_json *j, const ff_model *model, const ff_gait_def *g) {
    if (!g) {
        ff_json_string(j, "gait", NULL);
        return;
    }
    ff_json_object(j, "gait");
    ff_json_string(j, "body", ff_model_body_name(model, (size_t)g->body));
    ff_json_string(j, "section", g->section == FF_SECTION_TURNING ? "turning" : "moving");
    ff_json_numbers(j, "axis", g->axis, 3);
    ff_json_array(j, "swap");
    for (size_t i = 0; i < g->swaps; i++) {
        ff_json_array(j, NULL);
        ff_json_string(j, NULL, ff_model_body_name(model, (size_t)g->swap[i][0]));
        ff_json_string(j, NULL, ff_model_body_name(model, (size_t)g->swap[i][1]));
        ff_json_end(j);
    }
    ff_json_end(j);
    ff_json_array(j, "turn");
    for (size_t i = 0; i < g->turns; i++) {
        ff_json_object(j, NULL);
        ff_json_string(j, "body", ff_model_body_name(model, (size_t)g->turn[i].body));
        ff_json_numbers(j, "by", g->turn[i].by, 3);
        ff_json_end(j);
    }
    ff_json_end(j);
    ff_json_numbers(j, "reflect", g->reflect, 3);
    ff_json_numbers(j, "direction", g->direction, 3);
    ff_json_number(j, "limit", g->limit);
    ff_json_number(j, "lowest", g->lowest);
    ff_json_end(j);
}

static void print_run(const ff_model *model, const ff_run_options *o) {
    printf("run\n  until        %g s\n  method       %s\n  tol          %g\n", o->until,
           ff_method_name(o->method), o->tol);
    if (has_fixed_steps(o)) {
        printf("  dt           %g s\n", o->dt);
    }
    if (isfinite(o->max_step)) {
        printf("  max_step     %g s\n", o->max_step);
    }
    if (isfinite(o->max_steps)) {
        printf("  max_steps    %g\n", o->max_steps);
    }
    printf("  events       %s\n", o->events ? "located" : "none");
    if (o->every > 0) {
        printf("  every        %g s\n", o->every);
    }
    if (ff_model_class_count(model) > 0 && o->threads > 0) {
        printf("  threads      %d\n", o->threads);
    }
    if (ff_model_joint_count(model) > 0) {
        printf("  formulation  %s\n", ff_formulation_name(o->formulation));
    }
    if (ff_model_joint_count(model) > 0 && o->formulation == FF_MAXIMAL) {
        printf("  constraints  %s\n", ff_constraints_name(o->constraints));
    }
}

static void contact_json(ff_json *j, const char *name, ff_contact_facts f) {
    ff_impact impact;
    ff_json_object(j, NULL);
    ff_json_string(j, "pair", name);
    if (f.materials[0]) {
        ff_json_array(j, "materials");
        ff_json_string(j, NULL, f.materials[0]->name);
        ff_json_string(j, NULL, f.materials[1]->name);
        ff_json_end(j);
    }
    ff_json_string(j, "normal", f.normal->law->name);
    show_law_json(j, "parameters", f.normal);
    ff_json_string(j, "friction", f.friction->law->name);
    show_friction_json(j, "friction_parameters", f.friction);
    show_turning_json(j, &f);
    if (f.ignored_while_turning) {
        ff_json_numbers(j, "ignored_while_turning", f.ignored_while_turning, 3);
    }
    if (ff_impact_solve(f.normal, f.mass, f.speed, &impact) >= 0) {
        ff_json_object(j, "impact");
        ff_json_number(j, "mass", f.mass);
        show_impact_json(j, &impact);
        if (f.normal->adhesion > 0) {
            ff_json_number(j, "sticking_speed", show_sticking_speed(f.normal, f.mass));
        }
        ff_json_end(j);
    }
    ff_json_end(j);
}

static void print_json(const ff_scene *scene, const ff_model *model, ff_sim *sim) {
    const ff_run_options *o = ff_scene_run(scene);
    ff_json j = {.out = stdout};
    ff_json_object(&j, NULL);
    ff_json_object(&j, "parameters");
    for (size_t i = 0; i < ff_scene_parameter_count(scene); i++) {
        ff_parameter p = ff_scene_parameter(scene, i);
        ff_json_object(&j, p.name);
        ff_json_number(&j, "value", p.value);
        ff_json_string(&j, "unit", p.unit);
        ff_json_bool(&j, "used", p.used);
        ff_json_end(&j);
    }
    ff_json_end(&j);
    ff_json_object(&j, "bodies");
    for (size_t i = 0; i < ff_model_body_count(model); i++) {
        ff_body_facts f = ff_model_body_facts(model, i);
        ff_json_object(&j, ff_model_body_name(model, i));
        ff_json_number(&j, "mass", f.mass);
        ff_json_numbers(&j, "inertia", f.inertia, 3);
        ff_json_numbers(&j, "products", f.products, 3);
        ff_json_numbers(&j, "center", f.center, 3);
        ff_json_number(&j, "position_scale", f.length_scale);
        ff_json_number(&j, "velocity_scale", f.speed_scale);
        ff_json_end(&j);
    }
    ff_json_end(&j);
    joints_check_json(&j, scene, model, sim);
    rest_json(&j, model, sim);
    ff_json_array(&j, "contacts");
    const size_t contacts = ff_model_contact_count(model);
    for (size_t i = 0; i < contacts && contacts <= FF_CONTACTS_LISTED; i++) {
        contact_json(&j, ff_model_contact_name(model, i), ff_model_contact_facts(model, i));
    }
    for (size_t i = 0; i < ff_model_class_count(model); i++) {
        contact_json(&j, ff_model_class_name(model, i), ff_model_class_facts(model, i));
    }
    ff_json_end(&j);
    ff_json_array(&j, "unpaired");
    for (size_t i = 0; i < ff_model_unpaired_count(model); i++) {
        ff_json_string(&j, NULL, ff_model_unpaired_name(model, i));
    }
    ff_json_end(&j);
    ff_outcome_json(&j, model, NULL, 0);
    ff_json_number(&j, "memory", ff_scene_memory(scene));
    gait_json(&j, model, ff_scene_gait(scene));
    ff_json_object(&j, "run");
    ff_json_number(&j, "until", o->until);
    ff_json_string(&j, "method", ff_method_name(o->method));
    ff_json_number(&j, "tol", o->tol);
    ff_json_number(&j, "dt", has_fixed_steps(o) ? o->dt : (double)NAN);
    ff_json_number(&j, "max_step", isfinite(o->max_step) ? o->max_step : (double)NAN);
    ff_json_number(&j, "max_steps", isfinite(o->max_steps) ? o->max_steps : (double)NAN);
    ff_json_string(&j, "events", o->events ? "located" : "none");
    ff_json_number(&j, "every", o->every > 0 ? o->every : (double)NAN);
    if (ff_model_class_count(model) > 0) {
        ff_json_number(&j, "threads", o->threads > 0 ? o->threads : (double)NAN);
    }
    if (ff_model_joint_count(model) > 0) {
        ff_json_string(&j, "formulation", ff_formulation_name(o->formulation));
        ff_json_string(&j, "constraints", ff_constraints_name(o->constraints));
    }
    ff_json_end(&j);
    ff_json_end(&j);
}

int command_check(int argc, char **argv) {
    args a;
    ff_scene *scene;
    ff_model *model;
    int status = args_parse(&a, &command, argc, argv);
    if (status) {
        return status == ARGS_HELP ? 0 : status;
    }
    const char *path = args_word(&a, 0);
    double memory = 0;
    status = memory_limit(&a, 1, &memory);
    status = status ? status : scene_read(&a, path, memory, &scene, NULL);
    if (status) {
        return status;
    }
    status = scene_compile(&a, path, scene, &memory, &model);
    if (status) {
        ff_scene_free(scene);
        return status;
    }
    const int strict = warnings_of_model(&a, path, model);
    /* only a sim knows where joints and scenes at rest start */
    ff_sim *sim = NULL;
    ff_run_options o = *ff_scene_run(scene);
    o.method = FF_AUTO;
    o.events = true;
    ff_error error = {{0}};
    const bool starts = ff_model_joint_count(model) > 0 || ff_scene_start(scene) == FF_START_REST;
    ff_status made = starts ? ff_sim_create(model, &o, &sim, &error) : FF_OK;
    if (made < 0) {
        status = args_error(&a, "%s: %s", path, error.text);
    } else if (args_given(&a, "json")) {
        print_json(scene, model, sim);
    } else {
        print_parameters(scene);
        print_bodies(scene, model);
        joints_check(scene, model, sim);
        if (sim) {
            rest_print(model, sim);
        }
        print_contacts(model);
        printf("\n");
        print_gait(model, ff_scene_gait(scene));
        print_run(model, ff_scene_run(scene));
    }
    ff_sim_free(sim);
    ff_model_free(model);
    ff_scene_free(scene);
    return status ? status : strict;
}
