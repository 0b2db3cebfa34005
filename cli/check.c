/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "args.h"
#include "commands.h"
#include "json.h"
#include "ode/stepper.h"
#include "report.h"
#include "scene.h"
#include "table.h"
#include <math.h>
#include <string.h>

static const args_option options[] = {
    {"set", "PATH=VALUE", NULL, "another value for a key of the scene, as bodies.ball.mass=0.2",
     true, 0},
    {"json", "", "", "print one JSON object", false, 0},
};

static const args_command command = {
    .name = "check",
    .usage = "SCENE [options]",
    .summary =
        "The scene as understood: what may touch what, by which laws with which numbers, and what "
        "they imply at the speed each body is likely to meet something with: restitution, contact "
        "time, depth, force, and how stiff that is; and how it is run. Mistakes are reported with "
        "their places.",
    .examples = "footfall check scenes/rolling.yaml",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .words_least = 1,
    .words_most = 1,
};

/* the numbers of a friction law, by the names its table gives them */
static void print_friction(const ff_friction *f) {
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"mu_s", f->mu_s},  {"mu", f->mu},           {"v_ramp", f->v0},
                   {"epsilon", f->v0}, {"v0", f->v0},           {"xi", f->xi},
                   {"k", f->k},        {"damping", f->damping}, {"viscous", f->viscous},
                   {"beta", f->beta},  {"passive", f->passive}};
    for (const ff_param *p = f->law->params; p->name; p++) {
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            if (strcmp(numbers[i].name, p->name) == 0) {
                printf("  %-12s %g%s%s\n", p->name, numbers[i].value,
                       p->unit && strcmp(p->unit, "1") ? " " : "",
                       p->unit && strcmp(p->unit, "1") ? p->unit : "");
            }
        }
    }
}

static void print_contact(const ff_model *model, size_t i) {
    ff_contact_facts f = ff_model_contact_facts(model, i);
    ff_impact impact;
    printf("%s\n", ff_model_contact_name(model, i));
    report_law(stdout, f.normal);
    printf("friction %s: %s\n", f.friction->law->name, f.friction->law->formula);
    print_friction(f.friction);
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
    printf("  shortest time %.3g s, largest stable rk4 step %.3g s\n", s.time_scale, s.step_rk4);
}

static void print_bodies(const ff_model *model) {
    static const table_column columns[] = {
        {"body", NULL},  {"mass", "kg"},          {"inertia x", "kg m^2"},  {"y", "kg m^2"},
        {"z", "kg m^2"}, {"position scale", "m"}, {"velocity scale", "m/s"}};
    table t;
    table_init(&t, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < ff_model_body_count(model); i++) {
        ff_body_facts f = ff_model_body_facts(model, i);
        table_text(&t, ff_model_body_name(model, i));
        table_number(&t, f.mass);
        for (int c = 0; c < 3; c++) {
            table_number(&t, f.inertia[c]);
        }
        table_number(&t, f.length_scale);
        table_number(&t, f.speed_scale);
    }
    table_print(&t, stdout);
    table_clear(&t);
    printf("absolute tolerances are the relative one times these scales\n");
}

/* only methods without an error estimate take steps of dt */
static bool has_fixed_steps(const ff_run_options *o) { return ff_method_order(o->method) == 0; }

static void print_run(const ff_run_options *o) {
    printf("run\n  until        %g s\n  method       %s\n  tol          %g\n", o->until,
           ff_method_name(o->method), o->tol);
    if (has_fixed_steps(o)) {
        printf("  dt           %g s\n", o->dt);
    }
    printf("  events       %s\n", o->events ? "located" : "none");
    if (o->every > 0) {
        printf("  every        %g s\n", o->every);
    }
}

static void print_json(const ff_model *model, const ff_run_options *o) {
    json j = {.out = stdout};
    json_object(&j, NULL);
    json_object(&j, "bodies");
    for (size_t i = 0; i < ff_model_body_count(model); i++) {
        ff_body_facts f = ff_model_body_facts(model, i);
        json_object(&j, ff_model_body_name(model, i));
        json_number(&j, "mass", f.mass);
        json_numbers(&j, "inertia", f.inertia, 3);
        json_number(&j, "position_scale", f.length_scale);
        json_number(&j, "velocity_scale", f.speed_scale);
        json_end(&j);
    }
    json_end(&j);
    json_array(&j, "contacts");
    for (size_t i = 0; i < ff_model_contact_count(model); i++) {
        ff_contact_facts f = ff_model_contact_facts(model, i);
        ff_impact impact;
        json_object(&j, NULL);
        json_string(&j, "pair", ff_model_contact_name(model, i));
        json_string(&j, "normal", f.normal->law->name);
        report_law_json(&j, "parameters", f.normal);
        json_string(&j, "friction", f.friction->law->name);
        if (ff_impact_solve(f.normal, f.mass, f.speed, &impact) >= 0) {
            json_object(&j, "impact");
            json_number(&j, "mass", f.mass);
            report_impact_json(&j, &impact);
            json_end(&j);
        }
        json_end(&j);
    }
    json_end(&j);
    json_array(&j, "unpaired");
    for (size_t i = 0; i < ff_model_unpaired_count(model); i++) {
        json_string(&j, NULL, ff_model_unpaired_name(model, i));
    }
    json_end(&j);
    json_object(&j, "run");
    json_number(&j, "until", o->until);
    json_string(&j, "method", ff_method_name(o->method));
    json_number(&j, "tol", o->tol);
    json_number(&j, "dt", has_fixed_steps(o) ? o->dt : (double)NAN);
    json_string(&j, "events", o->events ? "located" : "none");
    json_number(&j, "every", o->every > 0 ? o->every : (double)NAN);
    json_end(&j);
    json_end(&j);
}

int command_check(int argc, char **argv) {
    args a;
    ff_scene *scene;
    ff_model *model;
    int status = args_parse(&a, &command, argc, argv);
    if (status) {
        return status == ARGS_HELP ? 0 : status;
    }
    status = scene_load(&a, &scene, &model, NULL);
    if (status) {
        return status;
    }
    if (args_given(&a, "json")) {
        print_json(model, ff_scene_run(scene));
    } else {
        print_bodies(model);
        for (size_t i = 0; i < ff_model_contact_count(model); i++) {
            printf("\n");
            print_contact(model, i);
        }
        for (size_t i = 0; i < ff_model_unpaired_count(model); i++) {
            printf("%sno pair, no contact: %s\n", i ? "" : "\n", ff_model_unpaired_name(model, i));
        }
        if (ff_model_contact_count(model) == 0) {
            printf("\nnothing touches anything: no pair fits two shapes, or a shape and a plane\n");
        }
        printf("\n");
        print_run(ff_scene_run(scene));
    }
    ff_model_free(model);
    ff_scene_free(scene);
    return 0;
}
