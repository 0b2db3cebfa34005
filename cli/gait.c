/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "args.h"
#include "commands.h"
#include "label.h"
#include "memory.h"
#include "outcome.h"
#include "scene.h"
#include "table.h"
#include <footfall/elementary.h>
#include <footfall/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const args_option options[] = {
    {"steps", "N", "1", "steps to simulate from the scene's start before the search for the gait",
     false, 0},
    {"sweep", "PATH=VALUES", NULL,
     "find the gait for each value of a key of the scene, as in parameters.slope=0.01:0.03:9; each "
     "search starts from the previous gait",
     false, 0},
    {"continue", "PATH=FROM:TO:N", NULL,
     "follow the branch of gaits from one value of a key to another, also around turning points, "
     "with about N points, as in parameters.slope=0.02:0.06:20",
     false, 0},
    {"starts", "PATH=VALUES", NULL,
     "search for gaits from several starts, as in joints.hip.revolute.rate=1:2:9, and list the "
     "different ones; repeated: all combinations",
     true, 0},
    {"set", "PATH=VALUE", NULL, "set a value of the scene, as in parameters.slope=0.0225", true, 0},
    {"tol", "R", "1", "relative tolerance of a step; default: the scene's", false, 0},
    {"method", "M", NULL, "auto, dopri5, dop853, rosenbrock, trapezoid; default: the scene's",
     false, 0},
    {"formulation", "F", NULL,
     "how joints are enforced: articulated or maximal; default: the scene's", false, 0},
    {"constraints", "WAY", NULL,
     "constraint method of the maximal formulation; default: the scene's", false, 0},
    {"max-memory", "SIZE", NULL,
     "refuse a scene that needs more memory, such as 2 GB; default: what is available", false, 0},
    {"json", "", "", "print one JSON object", false, 0},
};

static const args_command command = {
    .name = "gait",
    .usage = "SCENE [options]",
    .summary = "Finds the periodic gait of a walker: the fixed point of the map from one step to "
               "the next, by Newton's method, with its period, length and speed, the events of a "
               "step, and the map's multipliers, which show whether nearby motions converge to it. "
               "The scene defines a step under `gait`. Exit status 1 if the walker falls.",
    .examples = "footfall gait scenes/biped.yaml\n"
                "footfall gait scenes/biped.yaml --set parameters.slope=0.0225 --json\n"
                "footfall gait scenes/biped.yaml --sweep parameters.slope=0.0175:0.025:4\n"
                "footfall gait scenes/biped.yaml --continue parameters.slope=0.02:0.06:20",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .words_least = 1,
    .words_most = 1,
};

/* ---- a step of the gait ---- */

typedef struct range {
    double least, most;
} range;

typedef struct contact_peak {
    double force, depth; /* largest values at the ends of integration steps, N, m */
} contact_peak;

/* A list; initialise with {0}. The caller frees its memory. */
typedef struct {
    ff_event *at;
    size_t count, room;
} event_list;

/* False if out of memory. */
static bool event_list_add(event_list *list, const ff_event *event) {
    if (list->count == list->room) {
        const size_t room = list->room ? 2 * list->room : 64;
        ff_event *more = realloc(list->at, room * sizeof *more);
        if (!more) {
            return false;
        }
        list->at = more;
        list->room = room;
    }
    list->at[list->count++] = *event;
    return true;
}

/* Record of one step of the gait. */
typedef struct course {
    event_list events;
    range (*joints)[FF_JOINT_COORDINATES];
    contact_peak *contacts;
    ff_ledger before, after; /* accounts at its beginning and end */
} course;

static void course_clear(course *c) {
    free(c->events.at);
    free(c->joints);
    free(c->contacts);
}

static void widen(range *r, double value) {
    r->least = fmin(r->least, value);
    r->most = fmax(r->most, value);
}

static void look_at_contacts(const ff_model *model, const ff_sim *sim, course *c) {
    for (size_t i = 0; i < ff_model_contact_count(model); i++) {
        ff_contact_record r = ff_sim_contact(sim, i);
        double normal = 0;
        for (int k = 0; k < 3; k++) {
            normal += r.force[k] * r.normal[k];
        }
        c->contacts[i].force = fmax(c->contacts[i].force, r.touching ? normal : 0);
        c->contacts[i].depth = fmax(c->contacts[i].depth, r.touching ? r.depth : 0);
    }
}

/* The ranges of coordinates: a rate that changes its sign between two instants is assumed to be linear in between. */
static void look_at_joints(const ff_model *model, ff_sim *sim, double dt, ff_joint_record *last,
                           course *c) {
    for (size_t i = 0; i < ff_model_joint_count(model); i++) {
        ff_joint_record now = ff_sim_joint(sim, i);
        for (int k = 0; k < ff_model_joint_facts(model, i).coordinates; k++) {
            double a = last[i].rate[k], b = now.rate[k];
            if (dt > 0 && a * b < 0) {
                double s = a / (a - b);
                widen(&c->joints[i][k], last[i].position[k] + dt * s * a / 2);
            }
            widen(&c->joints[i][k], now.position[k]);
        }
        last[i] = now;
    }
}

static ff_status follow(ff_gait *gait, double period, course *c) {
    const ff_model *model = ff_gait_model(gait);
    const size_t joints = ff_model_joint_count(model);
    ff_sim *sim = ff_gait_sim(gait);
    ff_joint_record *last = calloc(joints + 1, sizeof *last);
    c->joints = calloc(joints + 1, sizeof *c->joints);
    c->contacts = calloc(ff_model_contact_count(model) + 1, sizeof *c->contacts);
    ff_status status = last && c->joints && c->contacts ? FF_OK : FF_NO_MEMORY;
    for (size_t i = 0; i < joints && status >= 0; i++) {
        for (int k = 0; k < FF_JOINT_COORDINATES; k++) {
            c->joints[i][k] = (range){INFINITY, -INFINITY};
        }
    }
    double time = 0;
    if (status >= 0) {
        c->before = ff_sim_ledger(sim);
        look_at_joints(model, sim, 0, last, c);
        look_at_contacts(model, sim, c);
    }
    while (status >= 0 && ff_sim_time(sim) < period) {
        status = ff_sim_step(sim, period);
        if (status == FF_EVENT && ff_sim_event(sim)->kind != FF_USER &&
            !event_list_add(&c->events, ff_sim_event(sim))) {
            status = FF_NO_MEMORY;
        }
        if (status >= 0) {
            look_at_joints(model, sim, ff_sim_time(sim) - time, last, c);
            look_at_contacts(model, sim, c);
            time = ff_sim_time(sim);
        }
    }
    status = status < 0 ? status : ff_sim_verdict(sim);
    c->after = ff_sim_ledger(sim);
    free(last);
    return status;
}

/* ---- output ---- */

/* A gait, with the steps made to find it. */
typedef struct result {
    ff_gait *gait;
    ff_gait_record *walk;
    size_t walked;
    ff_gait_cycle cycle;
    course course;
} result;

/* whether the coordinates of a joint determine the body's position, so that its motion need not be printed */
static bool held(const ff_model *model, size_t body) {
    for (size_t i = 0; i < ff_model_joint_count(model); i++) {
        ff_joint_facts f = ff_model_joint_facts(model, i);
        if (f.second == (int)body && (f.coordinates > 0 || f.kind == FF_JOINT_FIXED)) {
            return true;
        }
    }
    return false;
}

static void fixed_point_json(ff_json *j, const result *r) {
    const ff_model *model = ff_gait_model(r->gait);
    ff_sim *sim = ff_gait_sim(r->gait);
    char key[160];
    ff_json_object(j, "fixed_point");
    for (size_t i = 0; i < ff_model_joint_count(model); i++) {
        ff_joint_facts f = ff_model_joint_facts(model, i);
        ff_joint_record at = ff_sim_joint(sim, i);
        for (int k = 0; k < f.coordinates; k++) {
            snprintf(key, sizeof key, "%s.%s", ff_model_joint_name(model, i),
                     label_coordinate(model, i, k).name);
            ff_json_number(j, key, at.position[k]);
        }
        for (int k = 0; k < f.coordinates; k++) {
            snprintf(key, sizeof key, "%s.%s", ff_model_joint_name(model, i),
                     label_rate(model, i, k).name);
            ff_json_number(j, key, at.rate[k]);
        }
    }
    for (size_t i = 0; i < ff_model_body_count(model); i++) {
        ff_motion m = ff_gait_body(r->gait, i);
        double values[13];
        memcpy(values, m.position, sizeof m.position);
        memcpy(values + 3, m.orientation, sizeof m.orientation);
        memcpy(values + 7, m.velocity, sizeof m.velocity);
        memcpy(values + 10, m.omega, sizeof m.omega);
        for (size_t k = 0; k < 13 && !held(model, i); k++) {
            const char *name = ff_model_body_name(model, i);
            snprintf(key, sizeof key, "%s.%s", name, label_of(model, "bodies", name, k).name);
            ff_json_number(j, key, values[k]);
        }
    }
    ff_json_end(j);
}

static void cycle_json(ff_json *j, const ff_gait_cycle *c) {
    ff_json_number(j, "period", c->period);
    ff_json_number(j, "step_length", c->length);
    ff_json_number(j, "speed", c->speed);
    ff_json_bool(j, "stable", c->stable);
    ff_json_array(j, "multipliers");
    for (size_t i = 0; i < c->count; i++) {
        ff_json_numbers(j, NULL, c->multipliers[i], 2);
    }
    ff_json_end(j);
    ff_json_number(j, "largest_multiplier", c->largest);
    ff_json_number(j, "multiplier_error", c->error);
    ff_json_number(j, "residual", c->residual);
    ff_json_integer(j, "iterations", c->iterations);
}

static void course_json(ff_json *j, const ff_model *model, const course *c) {
    char key[160];
    ff_json_array(j, "events");
    for (size_t i = 0; i < c->events.count; i++) {
        const ff_event *e = &c->events.at[i];
        ff_json_object(j, NULL);
        ff_json_number(j, "t", e->time);
        ff_json_string(j, "kind", ff_event_name(e->kind));
        ff_json_string(j, "pair", e->contact < 0 ? NULL : ff_model_event_owner(model, e));
        ff_json_end(j);
    }
    ff_json_end(j);
    ff_json_array(j, "touchdown");
    for (size_t i = 0; i < c->events.count; i++) {
        if (c->events.at[i].kind == FF_TOUCHDOWN) {
            ff_json_number(j, NULL, c->events.at[i].time);
        }
    }
    ff_json_end(j);
    ff_json_object(j, "range");
    for (size_t i = 0; i < ff_model_joint_count(model); i++) {
        ff_joint_facts f = ff_model_joint_facts(model, i);
        for (int k = 0; k < f.coordinates; k++) {
            snprintf(key, sizeof key, "%s.%s", ff_model_joint_name(model, i),
                     label_coordinate(model, i, k).name);
            ff_json_numbers(j, key, (double[]){c->joints[i][k].least, c->joints[i][k].most}, 2);
        }
    }
    ff_json_end(j);
    ff_json_object(j, "contacts");
    for (size_t i = 0; i < ff_model_contact_count(model); i++) {
        ff_json_object(j, ff_model_contact_name(model, i));
        ff_json_number(j, "max_force", c->contacts[i].force);
        ff_json_number(j, "max_depth", c->contacts[i].depth);
        ff_json_end(j);
    }
    ff_json_end(j);
    ff_json_object(j, "energy");
#define CHANGE(name) ff_json_number(j, #name, c->after.name - c->before.name);
    FF_LEDGER_LIST(CHANGE)
#undef CHANGE
    ff_json_number(j, "residual", c->after.residual);
    ff_json_end(j);
}

static void print_json(const result *r) {
    ff_json j = {.out = stdout};
    ff_json_object(&j, NULL);
    cycle_json(&j, &r->cycle);
    fixed_point_json(&j, r);
    course_json(&j, ff_gait_model(r->gait), &r->course);
    ff_json_array(&j, "walk");
    for (size_t i = 0; i < r->walked; i++) {
        ff_json_object(&j, NULL);
        ff_json_number(&j, "period", r->walk[i].period);
        ff_json_number(&j, "step_length", r->walk[i].length);
        ff_json_number(&j, "change", r->walk[i].change);
        ff_json_end(&j);
    }
    ff_json_end(&j);
    ff_json_integer(&j, "steps_walked", (long long)r->walked + r->cycle.steps);
    ff_json_end(&j);
}

static void print_state(const result *r) {
    static const table_column columns[] = {{"joint", NULL},     {"coordinate", NULL},
                                           {"at", "rad, m"},    {"rate", "rad/s, m/s"},
                                           {"least", "rad, m"}, {"most", "rad, m"}};
    const ff_model *model = ff_gait_model(r->gait);
    ff_sim *sim = ff_gait_sim(r->gait);
    table t;
    table_init(&t, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < ff_model_joint_count(model); i++) {
        ff_joint_facts f = ff_model_joint_facts(model, i);
        ff_joint_record at = ff_sim_joint(sim, i);
        for (int k = 0; k < f.coordinates; k++) {
            table_text(&t, ff_model_joint_name(model, i));
            table_text(&t, label_coordinate(model, i, k).name);
            table_number(&t, at.position[k]);
            table_number(&t, at.rate[k]);
            table_number(&t, r->course.joints[i][k].least);
            table_number(&t, r->course.joints[i][k].most);
        }
    }
    if (t.count > 0) {
        printf("\nwhere a step begins, and the range of a step\n");
        table_print(&t, stdout);
    }
    table_clear(&t);
}

static void print_text(const result *r) {
    const ff_gait_cycle *c = &r->cycle;
    const ff_model *model = ff_gait_model(r->gait);
    printf("period  %.9g s\nstep    %.9g m\nspeed   %.9g m/s\n", c->period, c->length, c->speed);
    printf("%s: the largest multiplier has modulus %.4g, known to %.1g\n",
           c->stable ? "stable" : "not stable", c->largest, c->error);
    printf("found by %d iterations after %zu steps; a step leads back to %.1g of its scales\n",
           c->iterations, r->walked, c->residual);
    printf("\nmultipliers\n");
    for (size_t i = 0; i < c->count; i++) {
        const double *m = c->multipliers[i];
        if (m[1] == 0) {
            printf("  %.6g\n", m[0]);
        } else if (m[1] > 0) {
            printf("  %.6g +- %.6g i, modulus %.6g\n", m[0], m[1], ff_math.hypot(m[0], m[1]));
        }
    }
    print_state(r);
    printf("\n");
    for (size_t i = 0; i < r->course.events.count; i++) {
        const ff_event *e = &r->course.events.at[i];
        printf("%.9g s  %s %s\n", e->time, ff_event_name(e->kind),
               e->contact < 0 ? "" : ff_model_event_owner(model, e));
    }
    const ff_ledger *a = &r->course.before, *b = &r->course.after;
    double friction = b->tangential_damper + b->slip + b->viscous + b->tangential_spring -
                      (a->tangential_damper + a->slip + a->viscous + a->tangential_spring);
    printf("\nenergy of a step: %.6g J from gravity, %.6g J lost in normal contact, %.6g J in "
           "friction\n",
           a->gravity - b->gravity,
           b->normal_damper + b->normal_spring - a->normal_damper - a->normal_spring, friction);
}

/* ---- computation ---- */

static void result_clear(result *r) {
    course_clear(&r->course);
    free(r->walk);
    ff_gait_free(r->gait);
    *r = (result){0};
}

/* Reads the scene with --set applied. */
static int load(const args *a, ff_scene **scene) {
    double memory = 0;
    int status = memory_limit(a, 1, &memory);
    return status ? status : scene_read(a, args_word(a, 0), memory, scene, NULL);
}

/* Run options of a scene with those of the command. */
static int run_options(const args *a, const ff_scene *scene, ff_run_options *o) {
    *o = *ff_scene_run(scene);
    int status = scene_run_options(a, o);
    return status ? status : scene_joint_options(a, o);
}

/* Creates the walker of a scene at its start. */
static int prepare(const args *a, const ff_scene *scene, result *r) {
    ff_error error = {""};
    ff_run_options o;
    int status = run_options(a, scene, &o);
    if (!status) {
        ff_status done = ff_gait_create(scene, &o, &r->gait, &error);
        if (done < 0) {
            args_error(a, "%s: %s", args_word(a, 0),
                       *error.text ? error.text : ff_status_text(done));
            status = done == FF_BAD_VALUE || done == FF_MISSING ? ARGS_WRONG : 1;
        }
    }
    return status;
}

/* The walker of a scene that was read, with settings; the file is not read again. */
static int prepare_set(const args *a, const ff_scene *scene, const char *const *settings,
                       size_t count, result *r) {
    ff_scene *with = NULL;
    ff_messages messages = {0};
    ff_status done = ff_scene_with(scene, settings, count, &with, &messages);
    int status = scene_tell(a, args_word(a, 0), done, &messages);
    status = status ? status : prepare(a, with, r);
    ff_scene_free(with);
    return status;
}

/* The walker of a scene with one value set at a path. */
static int prepare_with(const args *a, const ff_scene *scene, const char *path, double value,
                        result *r) {
    char text[260];
    const char *setting = text;
    snprintf(text, sizeof text, "%s=%.17g", path, value);
    return prepare_set(a, scene, &setting, 1, r);
}

/* Makes some steps, then finds the gait and records a step of it. On failure the reason is in `error`. */
static ff_status find(size_t steps, result *r, ff_error *error) {
    ff_error why = {""};
    r->walk = calloc(steps + 1, sizeof *r->walk);
    ff_status status = r->walk ? FF_OK : FF_NO_MEMORY;
    double time = 0;
    for (size_t i = 0; i < steps && status >= 0; i++) {
        status = ff_gait_step(r->gait, &r->walk[i], &why);
        if (status < 0) {
            snprintf(error->text, sizeof error->text, "after %zu step%s and %.6g s: %.180s",
                     r->walked, r->walked == 1 ? "" : "s", time, why.text);
            return status;
        }
        time += r->walk[i].period;
        r->walked++;
    }
    status = status < 0 ? status : ff_gait_find(r->gait, &r->cycle, error);
    status = status < 0 ? status : follow(r->gait, r->cycle.period, &r->course);
    if (status < 0 && !*error->text) {
        snprintf(error->text, sizeof error->text, "%s", ff_status_text(status));
    }
    return status;
}

static int one(const args *a, size_t steps) {
    result r = {0};
    ff_error error = {""};
    ff_scene *scene = NULL;
    int status = load(a, &scene);
    status = status ? status : prepare(a, scene, &r);
    ff_scene_free(scene);
    ff_status found = status ? FF_OK : find(steps, &r, &error);
    if (!status && found < 0) {
        args_error(a, "%s: %s", args_word(a, 0), error.text);
        status = found == FF_BAD_VALUE ? ARGS_WRONG : 1;
    }
    if (!status && args_given(a, "json")) {
        print_json(&r);
    } else if (!status) {
        print_text(&r);
    }
    result_clear(&r);
    return status;
}

/* ---- gaits over one number ---- */

/* Splits PATH=VALUES into the path and the values, which are read like those of an option. */
static int read_sweep(const args *a, const char *name_of_option, size_t index, char path[200],
                      args_list *values) {
    const args_option option = {name_of_option, "VALUES", "1", "", true, 0};
    const args_command own = {.name = a->command->name, .options = &option, .option_count = 1};
    const char *text = args_text_at(a, name_of_option, index), *equals = strchr(text, '=');
    if (!equals || equals == text || (size_t)(equals - text) >= 200) {
        return args_error(a,
                          "option '--%s': '%.60s' is not PATH=VALUES, as "
                          "parameters.slope=0.01:0.03:9",
                          name_of_option, text);
    }
    snprintf(path, 200, "%.*s", (int)(equals - text), text);
    char name[] = "gait", key[40];
    snprintf(key, sizeof key, "--%s", name_of_option);
    char *copy = malloc(strlen(equals));
    if (!copy) {
        return args_error(a, "out of memory");
    }
    strcpy(copy, equals + 1);
    char *const words[] = {name, key, copy};
    args sub = {&own, 3, words};
    args_want any = args_want_any(NULL);
    int status = args_numbers(&sub, name_of_option, &any, values);
    free(copy);
    return status;
}

static const table_column point_columns[] = {{"value", NULL},  {"period", "s"},      {"step", "m"},
                                             {"speed", "m/s"}, {"multiplier", NULL}, {"", NULL}};

static void point_begin_json(ff_json *j, double value) {
    ff_json_object(j, NULL);
    ff_json_number(j, "value", value);
}

/* A row of a table; cycle NULL: none was found, for the reason `what`. */
static void point_row(table *t, double value, const ff_gait_cycle *cycle, const char *what) {
    table_number(t, value);
    table_number(t, cycle ? cycle->period : (double)NAN);
    table_number(t, cycle ? cycle->length : (double)NAN);
    table_number(t, cycle ? cycle->speed : (double)NAN);
    table_number(t, cycle ? cycle->largest : (double)NAN);
    table_text(t, what ? what : cycle->stable ? "stable" : "not stable");
}

/* Gaits over one number of a scene, and how they are printed. */
typedef struct branch {
    const args *a;
    const char *option; /* sweep or continue */
    ff_scene *scene;
    char path[200];
    args_list values;
    size_t found, missed;
    ff_error *errors; /* of the values without a gait: the table refers to them */
    ff_json j;
    ff_json *json; /* NULL: a table */
    table table;
} branch;

static ff_status branch_walker(void *user, double value, ff_gait **out, ff_error *error) {
    const branch *b = user;
    char text[260];
    const char *setting = text;
    ff_scene *scene = NULL;
    ff_messages messages = {0};
    snprintf(text, sizeof text, "%s=%.17g", b->path, value);
    ff_status status = ff_scene_with(b->scene, &setting, 1, &scene, &messages);
    if (status < 0) {
        snprintf(error->text, sizeof error->text, "%.100s: %.130s", text,
                 messages.count ? messages.at[0].text : ff_status_text(status));
    }
    ff_messages_clear(&messages);
    ff_run_options o;
    if (status >= 0) {
        /* the options were checked before */
        status = run_options(b->a, scene, &o) ? FF_BAD_VALUE : FF_OK;
    }
    status = status < 0 ? status : ff_gait_create(scene, &o, out, error);
    ff_scene_free(scene);
    return status;
}

static ff_status branch_point(void *user, double value, bool turning, ff_gait *gait,
                              const ff_gait_cycle *cycle) {
    branch *b = user;
    const result r = {.gait = gait, .cycle = *cycle};
    b->found++;
    if (b->json) {
        point_begin_json(b->json, value);
        if (!b->errors) {
            ff_json_bool(b->json, "turning_point", turning);
        }
        cycle_json(b->json, cycle);
        fixed_point_json(b->json, &r);
        ff_json_end(b->json);
    }
    point_row(&b->table, value, cycle, turning ? "turning point" : NULL);
    return FF_OK;
}

static ff_status branch_missing(void *user, double value, ff_status status, const ff_error *error) {
    (void)status;
    branch *b = user;
    if (b->json) {
        point_begin_json(b->json, value);
        ff_json_string(b->json, "error", error->text);
        ff_json_end(b->json);
    }
    b->errors[b->missed] = *error;
    point_row(&b->table, value, NULL, b->errors[b->missed++].text);
    return FF_OK;
}

/* Reads PATH=VALUES and the scene. On failure, too, branch_clear() is needed. */
static int branch_init(branch *b, const args *a, const char *option) {
    *b = (branch){.a = a, .option = option, .j.out = stdout};
    b->json = args_given(a, "json") ? &b->j : NULL;
    table_init(&b->table, point_columns, sizeof point_columns / sizeof *point_columns);
    int status = read_sweep(a, option, 0, b->path, &b->values);
    return status ? status : load(a, &b->scene);
}

/* Creates the walker for a value, so that an invalid value is refused before anything is printed. */
static int branch_try(const branch *b, double value) {
    result r = {0};
    const int status = prepare_with(b->a, b->scene, b->path, value, &r);
    result_clear(&r);
    return status;
}

/* Follows and prints; the points that were found are printed also if the branch ends early. */
static int branch_print(branch *b, ff_gait_branch *def, size_t steps) {
    ff_error error = {""};
    def->steps = steps;
    def->walker = branch_walker;
    def->point = branch_point;
    def->user = b;
    if (b->json) {
        ff_json_object(b->json, NULL);
        ff_json_string(b->json, b->option, b->path);
        ff_json_array(b->json, "points");
    }
    const ff_status done = ff_gait_continue(def, &error);
    const char *why = done >= 0 ? NULL : *error.text ? error.text : ff_status_text(done);
    if (b->json) {
        ff_json_end(b->json);
        if (!def->values || why) {
            ff_json_string(b->json, "error", why);
        }
        ff_json_end(b->json);
    } else {
        printf("%s\n", b->path);
        table_print(&b->table, stdout);
    }
    if (!why && b->found == 0) {
        why = "no value has a gait that was found";
    }
    if (why) {
        args_error(b->a, "%s: %s", args_word(b->a, 0), why);
    }
    return why ? 1 : 0;
}

static void branch_clear(branch *b) {
    table_clear(&b->table);
    free(b->errors);
    ff_scene_free(b->scene);
    args_list_free(&b->values);
}

static int sweep(const args *a, size_t steps) {
    branch b;
    int status = branch_init(&b, a, "sweep");
    if (!status && !(b.errors = calloc(b.values.count + 1, sizeof *b.errors))) {
        status = args_error(a, "out of memory");
    }
    for (size_t i = 0; i < b.values.count && !status; i++) {
        status = branch_try(&b, b.values.values[i]);
    }
    if (!status) {
        ff_gait_branch def = ff_gait_branch_default();
        def.values = b.values.values;
        def.count = b.values.count;
        def.missing = branch_missing;
        status = branch_print(&b, &def, steps);
    }
    branch_clear(&b);
    return status;
}

static int follow_branch(const args *a, size_t steps) {
    branch b;
    int status = branch_init(&b, a, "continue");
    const size_t count = b.values.count;
    /* only the ends and the count matter: nothing else is taken */
    const char *given = status ? "" : strchr(args_text(a, "continue"), '=');
    if (!status && (count < 2 || b.values.values[0] == b.values.values[count - 1] ||
                    strchr(given, ',') || strstr(given, "log"))) {
        status = args_error(a, "option '--continue': a branch needs PATH=FROM:TO:N with N of 2 or "
                               "more and two values that differ");
    }
    if (!status) {
        ff_gait_branch def = ff_gait_branch_default();
        def.from = b.values.values[0];
        def.to = b.values.values[count - 1];
        def.points = (double)count - 1;
        status = branch_try(&b, def.to);
        status = status ? status : branch_try(&b, def.from);
        status = status ? status : branch_print(&b, &def, steps);
    }
    branch_clear(&b);
    return status;
}

/* ---- several starts ---- */

enum { STARTS_KEYS = 8, STARTS_MOST = 100000 };

/* One key of the scene with its values. */
typedef struct start_key {
    char path[200];
    args_list values;
} start_key;

typedef struct starts {
    start_key keys[STARTS_KEYS];
    size_t keys_count, combinations;
} starts;

/* Result of one start. */
typedef struct start_result {
    ff_gait_cycle cycle; /* without multipliers */
    ff_error error;      /* empty: it led to a gait */
    size_t gait;         /* the first start that led to the same gait */
} start_result;

/* Two gaits are equal if period and length agree to a thousand times the tolerance. */
static bool same_gait(const ff_gait_cycle *a, const ff_gait_cycle *b, double tol) {
    const double most = 1e3 * tol;
    return fabs(a->period - b->period) <= most * a->period &&
           fabs(a->length - b->length) <= most * fmax(fabs(a->length), fabs(b->length)) + 1e-300;
}

static double start_value(const starts *s, size_t combination, size_t key) {
    for (size_t i = 0; i < key; i++) {
        combination /= s->keys[i].values.count;
    }
    return s->keys[key].values.values[combination % s->keys[key].values.count];
}

/* Prints a start as settings separated by spaces. */
static void print_start(const starts *s, size_t combination) {
    for (size_t k = 0; k < s->keys_count; k++) {
        printf("%s%s=%.6g", k ? " " : "", s->keys[k].path, start_value(s, combination, k));
    }
}

static int try_start(const args *a, const ff_scene *scene, size_t steps, const starts *s,
                     size_t combination, double *tol, start_result *out) {
    char texts[STARTS_KEYS][260];
    const char *settings[STARTS_KEYS];
    result r = {0};
    for (size_t k = 0; k < s->keys_count; k++) {
        snprintf(texts[k], sizeof texts[k], "%s=%.17g", s->keys[k].path,
                 start_value(s, combination, k));
        settings[k] = texts[k];
    }
    int status = prepare_set(a, scene, settings, s->keys_count, &r);
    if (!status) {
        if (find(steps, &r, &out->error) >= 0) {
            out->cycle = r.cycle;
            out->cycle.multipliers = NULL;
            *out->error.text = '\0';
        }
        *tol = ff_model_run(ff_gait_model(r.gait))->tol;
    }
    result_clear(&r);
    return status;
}

static void starts_json(const starts *s, const start_result *results) {
    ff_json j = {.out = stdout};
    ff_json_object(&j, NULL);
    ff_json_array(&j, "starts");
    for (size_t k = 0; k < s->keys_count; k++) {
        ff_json_string(&j, NULL, s->keys[k].path);
    }
    ff_json_end(&j);
    ff_json_array(&j, "gaits");
    for (size_t i = 0; i < s->combinations; i++) {
        const ff_gait_cycle *c = &results[i].cycle;
        if (*results[i].error.text || results[i].gait != i) {
            continue;
        }
        ff_json_object(&j, NULL);
        ff_json_number(&j, "period", c->period);
        ff_json_number(&j, "step_length", c->length);
        ff_json_number(&j, "speed", c->speed);
        ff_json_bool(&j, "stable", c->stable);
        ff_json_number(&j, "largest_multiplier", c->largest);
        ff_json_number(&j, "multiplier_error", c->error);
        ff_json_array(&j, "starts");
        for (size_t n = i; n < s->combinations; n++) {
            if (!*results[n].error.text && results[n].gait == i) {
                double values[STARTS_KEYS];
                for (size_t k = 0; k < s->keys_count; k++) {
                    values[k] = start_value(s, n, k);
                }
                ff_json_numbers(&j, NULL, values, s->keys_count);
            }
        }
        ff_json_end(&j);
        ff_json_end(&j);
    }
    ff_json_end(&j);
    ff_json_array(&j, "failed");
    for (size_t i = 0; i < s->combinations; i++) {
        if (*results[i].error.text) {
            double values[STARTS_KEYS];
            for (size_t k = 0; k < s->keys_count; k++) {
                values[k] = start_value(s, i, k);
            }
            ff_json_object(&j, NULL);
            ff_json_numbers(&j, "values", values, s->keys_count);
            ff_json_string(&j, "error", results[i].error.text);
            ff_json_end(&j);
        }
    }
    ff_json_end(&j);
    ff_json_end(&j);
}

static void starts_text(const starts *s, const start_result *results) {
    static const table_column columns[] = {{"period", "s"},      {"step", "m"},    {"speed", "m/s"},
                                           {"multiplier", NULL}, {"starts", NULL}, {"", NULL}};
    table t;
    size_t failed = 0, first = 0;
    table_init(&t, columns, sizeof columns / sizeof *columns);
    for (size_t i = s->combinations; i-- > 0;) {
        if (*results[i].error.text) {
            failed++;
            first = i;
        }
    }
    for (size_t i = 0; i < s->combinations; i++) {
        const ff_gait_cycle *c = &results[i].cycle;
        size_t count = 0;
        for (size_t n = i; n < s->combinations; n++) {
            count += !*results[n].error.text && results[n].gait == i;
        }
        if (count > 0) {
            table_number(&t, c->period);
            table_number(&t, c->length);
            table_number(&t, c->speed);
            table_number(&t, c->largest);
            table_number(&t, (double)count);
            table_text(&t, c->stable ? "stable" : "not stable");
        }
    }
    table_print(&t, stdout);
    table_clear(&t);
    if (failed > 0) {
        printf("%zu start%s of %zu lead%s to no gait; the first: ", failed, failed == 1 ? "" : "s",
               s->combinations, failed == 1 ? "s" : "");
        print_start(s, first);
        printf(": %s\n", results[first].error.text);
    }
}

static int read_starts(const args *a, starts *s) {
    s->combinations = 1;
    while (args_text_at(a, "starts", s->keys_count)) {
        if (s->keys_count == STARTS_KEYS) {
            return args_error(a, "option '--starts' is given more than %d times", STARTS_KEYS);
        }
        start_key *key = &s->keys[s->keys_count];
        int status = read_sweep(a, "starts", s->keys_count, key->path, &key->values);
        if (status) {
            return status;
        }
        s->keys_count++;
        s->combinations *= key->values.count;
        if (s->combinations > STARTS_MOST) {
            return args_error(a, "option '--starts': more than %d combinations", STARTS_MOST);
        }
    }
    return 0;
}

static int several_starts(const args *a, size_t steps) {
    starts s = {0};
    ff_scene *scene = NULL;
    start_result *results = NULL;
    size_t found = 0;
    double tol = 0;
    int status = read_starts(a, &s);
    status = status ? status : load(a, &scene);
    if (!status && !(results = calloc(s.combinations, sizeof *results))) {
        status = args_error(a, "out of memory");
    }
    for (size_t i = 0; i < s.combinations && !status; i++) {
        status = try_start(a, scene, steps, &s, i, &tol, &results[i]);
        results[i].gait = i;
        for (size_t n = 0; n < i && !*results[i].error.text; n++) {
            if (!*results[n].error.text && results[n].gait == n &&
                same_gait(&results[n].cycle, &results[i].cycle, tol)) {
                results[i].gait = n;
                break;
            }
        }
        found += !status && !*results[i].error.text;
    }
    if (!status && args_given(a, "json")) {
        starts_json(&s, results);
    } else if (!status) {
        starts_text(&s, results);
    }
    if (!status && found == 0) {
        args_error(a, "%s: no start leads to a gait", args_word(a, 0));
        status = 1;
    }
    for (size_t k = 0; k < s.keys_count; k++) {
        args_list_free(&s.keys[k].values);
    }
    free(results);
    ff_scene_free(scene);
    return status;
}

int command_gait(int argc, char **argv) {
    args a;
    double steps;
    int status = args_parse(&a, &command, argc, argv);
    if (status) {
        return status == ARGS_HELP ? 0 : status;
    }
    args_want count = args_want_any(NULL);
    count.least = 0;
    count.most = 1e6;
    count.fallback = 3;
    status = args_whole(&a, "steps", &count, &steps);
    if (status) {
        return status;
    }
    static const struct {
        const char *name;
        int (*run)(const args *a, size_t steps);
    } ways[] = {{"sweep", sweep}, {"continue", follow_branch}, {"starts", several_starts}};
    int (*run)(const args *a, size_t steps) = one;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (args_given(&a, ways[i].name)) {
            if (run != one) {
                return args_error(
                    &a, "options '--sweep', '--continue' and '--starts' exclude each other");
            }
            run = ways[i].run;
        }
    }
    return run(&a, (size_t)steps);
}
