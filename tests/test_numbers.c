/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "io/scene_file.h"
#include "law/params.h"
#include "model/numbers.h"
#include "motion.h"
#include "numbers.h"
#include "sim/sim.h"
#include <dirent.h>
#include <footfall/field.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- the list ---- */

static void test_every_field_is_found_by_its_path(void **state) {
    (void)state;
    static const char *const texts[] = {BALL, ARM};
    for (size_t t = 0; t < ROWS(texts); t++) {
        ff_model *model = model_of(texts[t]);
        size_t count = ff_model_field_count(model), numbers = 0;
        ff_field f;
        for (size_t i = 0; i < count; i++) {
            assert_true(ff_model_field(model, i, &f));
            if (f.kind == FF_FIELD_STATE || f.kind == FF_FIELD_OUTPUT) {
                continue;
            }
            numbers++;
            assert_true(*f.meaning != '\0' && f.width > 0);
            size_t own = ff_numbers_find(model, f.path, strlen(f.path));
            ff_field again;
            assert_true(own != SIZE_MAX);
            ff_numbers_describe(model, own, &again);
            assert_string_equal(again.path, f.path);
        }
        assert_int_equal(numbers, ff_numbers_total(model));
        assert_false(ff_model_field(model, count, &f));
        ff_model_free(model);
    }
}

static void test_kinds_units_and_meanings(void **state) {
    (void)state;
    static const struct {
        const char *path;
        ff_field_kind kind;
        size_t width;
        const char *unit;
    } rows[] = {
        {"gravity", FF_FIELD_INPUT, 3, "m/s^2"},
        {"bodies.arm.mass", FF_FIELD_PARAMETER, 1, "kg"},
        {"bodies.arm.inertia", FF_FIELD_PARAMETER, 3, "kg m^2"},
        {"bodies.cart.inertia", FF_FIELD_PARAMETER, 9, "kg m^2"},
        {"bodies.box.inertia", FF_FIELD_STRUCTURE, 3, "kg m^2"},
        {"bodies.box.lock", FF_FIELD_STRUCTURE, 1, "1"},
        {"bodies.box.shape.box.size", FF_FIELD_PARAMETER, 3, "m"},
        {"bodies.dumbbell.shape.spheres[1].radius", FF_FIELD_PARAMETER, 1, "m"},
        {"joints.hinge.revolute.stiffness", FF_FIELD_INPUT, 1, "N m/rad"},
        {"joints.hinge.revolute.angle", FF_FIELD_PARAMETER, 1, "rad"},
        {"joints.hinge.revolute.limits.upper", FF_FIELD_PARAMETER, 1, "rad"},
        {"joints.hinge.revolute.friction.law", FF_FIELD_STRUCTURE, 1, "1"},
        {"joints.hinge.revolute.friction.mu", FF_FIELD_PARAMETER, 1, "1"},
        {"joints.hinge.revolute.load", FF_FIELD_INPUT, 1, "N m"},
        {"joints.rail.prismatic.damping", FF_FIELD_INPUT, 1, "N s/m"},
        {"forces.motor.constant.torque", FF_FIELD_INPUT, 1, "N m"},
        {"forces.servo.pd.target", FF_FIELD_INPUT, 3, "m, m/s, m/s^2"},
        {"forces.rope.spring.rest", FF_FIELD_INPUT, 1, "m"},
        {"forces.push.table.factors", FF_FIELD_STRUCTURE, 3, "1"},
        {"forces.push.to", FF_FIELD_PARAMETER, 1, "s"},
        {"forces.pull.pd.axis", FF_FIELD_PARAMETER, 3, "1"},
    };
    ff_model *model = model_of(ARM);
    for (size_t i = 0; i < ROWS(rows); i++) {
        ff_field f;
        assert_true(ff_model_field(model, field_of(model, rows[i].path), &f));
        assert_string_equal(f.path, rows[i].path);
        assert_int_equal(f.kind, rows[i].kind);
        assert_int_equal(f.width, rows[i].width);
        assert_string_equal(f.unit, rows[i].unit);
    }
    ff_model_free(model);
    /* a belt at rest is not an input, and a crowd reads its numbers at creation */
    model = model_of(BALL);
    ff_field f;
    ff_model_field(model, field_of(model, "ground.floor.plane.surface_velocity"), &f);
    assert_int_equal(f.kind, FF_FIELD_PARAMETER);
    ff_model_field(model, field_of(model, "ground.belt.plane.surface_velocity"), &f);
    assert_int_equal(f.kind, FF_FIELD_INPUT);
    ff_model_free(model);
}

static void test_paths_that_are_none(void **state) {
    (void)state;
    static const struct {
        const char *path, *says;
    } rows[] = {{"pairs[0].friction.nu", "did you mean 'pairs[0].friction.mu'?"},
                {"bodies.bell.mass", "did you mean 'bodies.ball.mass'?"},
                {"parameters.slop", "did you mean 'parameters.slope'?"},
                {"pairs[7].friction.mu", "there is no field"},
                {"ground.floor.plane.point[3]", "has no element [3]: it has 3"},
                {"bodies.ball", "there is no field"}};
    ff_model *model = model_of(BALL);
    for (size_t i = 0; i < ROWS(rows); i++) {
        ff_error error = {""};
        size_t field, part;
        assert_true(ff_model_field_find(model, rows[i].path, &field, &part, &error) < 0);
        assert_holds(strstr(error.text, rows[i].says) != NULL, "'%s' does not say '%s'", error.text,
                     rows[i].says);
    }
    ff_model_free(model);
}

/* no list is stored: the last fields of a large model are described immediately */
static void test_a_large_model_lists_its_fields(void **state) {
    (void)state;
    enum { bodies = 20000 };
    ff_scene *scene = ff_scene_create();
    for (int i = 0; i < bodies; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        add_ball(scene, name, 1, 0.1, (double[]){i, 0, 0}, (double[3]){0});
    }
    ff_model *model = compiled(scene);
    ff_field f;
    /* gravity, seven fields of each body, then the radii of their spheres */
    assert_int_equal(ff_numbers_total(model), 1 + 8 * bodies);
    ff_numbers_describe(model, 1 + 8 * bodies - 1, &f);
    assert_string_equal(f.path, "bodies.b19999.shape.sphere.radius");
    assert_int_equal(ff_numbers_find(model, f.path, strlen(f.path)), 8 * bodies);
    ff_model_free(model);
}

/* ---- setting a value compared with writing it in the file ---- */

/* Structs are compared by field: names and tables belong to each model, and padding is undefined. */
#define EQ(field) (memcmp(&a->field, &b->field, sizeof a->field) == 0)

static bool same_normal(const ff_normal *a, const ff_normal *b) {
    return EQ(law) && EQ(respond) && EQ(form) && EQ(kernels) && EQ(numbers) && EQ(states) &&
           EQ(clamps) && EQ(damped) && EQ(values);
}

static bool same_friction(const ff_friction *a, const ff_friction *b) {
    return EQ(law) && EQ(respond) && EQ(form) && EQ(kernels) && EQ(numbers) && EQ(vectors) &&
           EQ(lifts) && EQ(keeps) && EQ(values);
}

static bool same_bodies(const ff_model_body *a, const ff_model_body *b) {
    return EQ(mass) && EQ(per_mass) && EQ(round) && EQ(free_turning) && EQ(inertia) && EQ(centre) &&
           EQ(per_inertia) && EQ(locked) && EQ(start);
}

static bool same_slots(const ff_slot *a, const ff_slot *b) {
    return EQ(body) && EQ(other) && EQ(center) && EQ(radius) && EQ(other_center) &&
           EQ(other_radius) && EQ(normal) && EQ(skin) && EQ(level) && EQ(rise) && EQ(extent) &&
           EQ(share) && EQ(both) && EQ(slides) && EQ(filtered) && EQ(rests) && EQ(turns) &&
           EQ(graded) && EQ(clock) && EQ(gated) && EQ(gate) && EQ(stateful) && EQ(states) &&
           EQ(state_at) && EQ(integral_at) && EQ(integral) && same_normal(&a->law, &b->law) &&
           same_friction(&a->friction, &b->friction);
}

static bool same_efforts(const ff_effort *a, const ff_effort *b) {
    return EQ(works) && EQ(stiffness) && EQ(rest) && EQ(damping) && EQ(lower) && EQ(upper) &&
           EQ(limit_stiffness) && EQ(limit_damping) && EQ(load) && EQ(has_friction) && EQ(rub) &&
           EQ(bristle) && same_friction(&a->friction, &b->friction) &&
           same_normal(&a->limit, &b->limit);
}

static bool same_joints(const ff_joint *a, const ff_joint *b) {
    return EQ(kind) && EQ(first) && EQ(second) && EQ(anchor) && EQ(second_anchor) && EQ(axis) &&
           EQ(second_axis) && EQ(ways) && EQ(turn) && EQ(start) && EQ(rate) && EQ(placed) &&
           EQ(meets) && EQ(slides) && EQ(squares) && EQ(rows) && EQ(slide) && EQ(square) &&
           EQ(across) && EQ(row_at) && EQ(loop) && EQ(works) && EQ(coordinates) && EQ(threads) &&
           EQ(pitch) && same_efforts(&a->along[0], &b->along[0]) &&
           same_efforts(&a->along[1], &b->along[1]) && same_efforts(&a->along[2], &b->along[2]);
}

static bool same_forces(const ff_force_def *a, const ff_force_def *b) {
    return EQ(kind) && EQ(body) && EQ(other) && EQ(joint) && EQ(coordinate) && EQ(effort) &&
           EQ(force) && EQ(torque) && EQ(points) && EQ(anchor) && EQ(other_anchor) &&
           EQ(stiffness) && EQ(damping) && EQ(rest) && EQ(axis) && EQ(kp) && EQ(kd) && EQ(target) &&
           EQ(target_from) && EQ(from) && EQ(to);
}

static bool same_classes(const ff_class *a, const ff_class *b) {
    return EQ(slides) && EQ(graded) && same_normal(&a->law, &b->law) &&
           same_friction(&a->friction, &b->friction);
}

static bool same_links(const ff_link *a, const ff_link *b) {
    return EQ(parent) && EQ(joint) && EQ(kind) && EQ(reversed) && EQ(anchor) && EQ(offset) &&
           EQ(com) && EQ(axis) && EQ(parent_axis) && EQ(pitch) && EQ(ways) && EQ(turn) &&
           EQ(swing) && EQ(weight) && EQ(at) && EQ(coordinates) && EQ(speeds) && EQ(speed_at);
}

#define BYTES(field, count)                                                                        \
    if ((count) > 0 && memcmp(a->field, b->field, (count) * sizeof *a->field) != 0) {              \
        return #field;                                                                             \
    }
#define EACH(field, count, same)                                                                   \
    for (size_t i_ = 0; i_ < (count); i_++) {                                                      \
        if (!same(&a->field[i_], &b->field[i_])) {                                                 \
            return #field;                                                                         \
        }                                                                                          \
    }

/* the first difference between the numbers of two models of one layout, or NULL */
static const char *difference(const ff_model *a, const ff_model *b) {
    const size_t bodies = a->body_count;
    BYTES(gravity, 3)
    EACH(bodies, bodies, same_bodies)
    EACH(slots, a->slot_count, same_slots)
    EACH(joints, a->joint_count, same_joints)
    EACH(forces, a->force_count, same_forces)
    BYTES(extents, bodies)
    BYTES(scales, a->size)
    BYTES(speed, a->states)
    BYTES(first, a->size)
    BYTES(inert, a->size)
    BYTES(body_at, bodies)
    if (a->tree) {
        EACH(tree->links, bodies, same_links)
        BYTES(tree->order, bodies)
        BYTES(tree->loops, a->tree->loop_count)
        if (!EQ(tree->assembly) || !EQ(tree->condition)) {
            return "assembly";
        }
    }
    if (a->crowd) {
        EACH(crowd->classes, a->crowd->class_count, same_classes)
        BYTES(crowd->walls, a->crowd->wall_count)
        BYTES(crowd->radius, bodies)
        BYTES(crowd->push, 3 * bodies)
    } else {
        BYTES(starts, bodies * FF_BODY_STRIDE)
    }
    return EQ(energy) ? NULL : "energy";
}

/* a slightly different value; 0 becomes a small one */
static void vary(const ff_field *f, double *values) {
    for (size_t i = 0; i < f->width; i++) {
        values[i] =
            values[i] == 0 ? 0.01 * (double)(1 + i) : values[i] * (1 + 0.01 * (double)(1 + i));
    }
    if (f->width == 9) {
        /* an inertia matrix is symmetric */
        values[3] = values[1];
        values[6] = values[2];
        values[7] = values[5];
    }
}

static void write_setting(const ff_field *f, const double *v, char *out, size_t size) {
    if (f->width == 1) {
        snprintf(out, size, "%s=%.17g", f->path, v[0]);
    } else if (f->width == 2) {
        snprintf(out, size, "%s=[%.17g, %.17g]", f->path, v[0], v[1]);
    } else if (f->width == 3) {
        snprintf(out, size, "%s=[%.17g, %.17g, %.17g]", f->path, v[0], v[1], v[2]);
    } else if (f->width == 4) {
        snprintf(out, size, "%s=[%.17g, %.17g, %.17g, %.17g]", f->path, v[0], v[1], v[2], v[3]);
    } else {
        snprintf(out, size,
                 "%s=[[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]",
                 f->path, v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]);
    }
}

/* a few steps, which end with the same bits */
static void compare_runs(ff_sim *a, ff_sim *b, const char *path) {
    if (a->model->crowd) {
        return;
    }
    for (int i = 0; i < 5; i++) {
        ff_status x = ff_sim_step(a, 1), y = ff_sim_step(b, 1);
        assert_int_equal(x, y);
    }
    assert_holds(memcmp(a->flow.y, b->flow.y, a->model->size * sizeof *a->flow.y) == 0 &&
                     ff_sim_time(a) == ff_sim_time(b),
                 "a run after %s was set differs", path);
}

/* Each field that can be set: the model equals that of the scene with the value written in it, or both are
 * refused. */
static void compare_all(const char *name, const ff_model *model,
                        ff_scene *(*with)(const void *user, const char *setting),
                        const void *user) {
    size_t set_count = 0, refused = 0;
    for (size_t i = 0; i < ff_numbers_total(model); i++) {
        ff_field f;
        ff_error error = {""};
        double values[9];
        char setting[600];
        ff_numbers_describe(model, i, &f);
        ff_sim *sim = sim_of(model);
        if (f.kind == FF_FIELD_STRUCTURE) {
            refuses(sim, f.path, 1, f.width > 1 ? "" : "is part of the structure");
            ff_sim_free(sim);
            continue;
        }
        size_t first, end;
        ff_field_source_of(model, ff_model_field_count(model) - 1, &first, &end);
        ff_numbers_read(model, i, values);
        vary(&f, values);
        write_setting(&f, values, setting, sizeof setting);
        ff_status status = ff_sim_set(sim, first + i, values, &error);
        ff_scene *scene = with(user, setting);
        ff_model *written = NULL;
        ff_status made = scene ? ff_model_create(scene, &written, NULL) : FF_BAD_VALUE;
        if (status < 0) {
            assert_true(*error.text != '\0');
            assert_ptr_equal(sim->model, model);
            ff_sim *fresh = NULL;
            assert_holds(made < 0 || ff_model_compare(model, written, NULL) < 0 ||
                             ff_sim_create(written, &sim->options, &fresh, NULL) < 0,
                         "%s: %s can be written, but not set: %s", name, setting, error.text);
            refused++;
        } else {
            assert_holds(made >= 0, "%s: %s can be set, but not written", name, setting);
            const char *what = difference(sim->model, written);
            assert_holds(!what, "%s: %s differs after setting %s", name, what, setting);
            /* the run options of a sim stay the same, whatever the file says now */
            ff_sim *fresh;
            assert_int_equal(ff_sim_create(written, &sim->options, &fresh, NULL), FF_OK);
            compare_runs(sim, fresh, f.path);
            ff_sim_free(fresh);
            set_count++;
        }
        ff_sim_free(sim);
        ff_model_free(written);
        ff_scene_free(scene);
    }
    if (set_count < 8) {
        fail_msg("%s: only %zu fields could be set, %zu were refused", name, set_count, refused);
    }
}

static ff_scene *read_with(const void *file, const char *setting) {
    ff_scene *scene = NULL;
    ff_scene_read(file, &setting, 1, &scene, NULL);
    return scene;
}

static ff_scene *parse_with(const void *text, const char *setting) {
    ff_scene *scene = NULL;
    ff_scene_parse("s.yaml", text, strlen(text), &setting, 1, INFINITY, &scene, NULL);
    return scene;
}

static void test_set_is_as_good_as_written(void **state) {
    (void)state;
    static const char *const texts[] = {BALL, ARM};
    for (size_t i = 0; i < ROWS(texts); i++) {
        ff_model *model = model_of(texts[i]);
        compare_all(i ? "arm" : "ball", model, parse_with, texts[i]);
        ff_model_free(model);
    }
    DIR *folder = opendir(FF_SOURCE_DIR "/scenes");
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char file[600];
        ff_scene *scene;
        snprintf(file, sizeof file, "%s/scenes/%s", FF_SOURCE_DIR, entry->d_name);
        if (!strstr(entry->d_name, ".yaml") || ff_scene_read(file, NULL, 0, &scene, NULL) < 0) {
            continue;
        }
        ff_model *model = compiled(scene);
        if (model->body_count < 200) {
            compare_all(entry->d_name, model, read_with, file);
        }
        ff_model_free(model);
    }
    closedir(folder);
}

/* for scenes built by calls, numbers are set from the definitions of the model alone */
static void test_scenes_by_calls(void **state) {
    (void)state;
    ff_scene *scene = scene_of(ARM);
    ff_scene_set_gravity(scene, (double[]){0, 0, -9.81});
    assert_null(scene->origin);
    ff_model *model = compiled(scene);
    compare_all("arm by calls", model, parse_with, ARM);
    ff_model_free(model);
}

static void test_crowds(void **state) {
    (void)state;
    static const char text[] =
        "parameters: {mu: 0.5}\n"
        "bodies: {sand: {count: 60, radius: 4 mm, density: 2500,\n"
        "         fill: {from: [0, 0, 0.01], to: [0.05, 0.05, 0.2]}}}\n"
        "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"
        "pairs: [{between: [sand, '*'], normal: {law: hunt-crossley, k: 1e5, lambda: 100},\n"
        "         friction: {law: clutch, k: 1e5, damping: 10, mu: mu}}]\n"
        "forces: {push: {constant: {body: 'sand[3]', force: [0, 0, 1e-4]}}}\n"
        "run: {method: verlet, dt: 10 us, events: none}\n";
    ff_model *model = model_of(text);
    assert_non_null(model->crowd);
    compare_all("crowd", model, parse_with, text);
    ff_sim *sim = sim_of(model);
    set(sim, "parameters.mu", 0.3);
    assert_true(value_of(sim, "pairs[0].friction.mu") == 0.3);
    set(sim, "pairs[0].friction.mu", 0.4);
    set(sim, "gravity[2]", -1.6);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(ff_sim_step(sim, 1), FF_OK);
    }
    assert_near(ff_sim_body(sim, 0).velocity[2], -1.6e-3, 1e-9);
    refuses(sim, "gravity[2]", -9.81, "is a parameter");
    finish(sim, model);
}

/* ---- parameters ---- */

/* everything that depends on a parameter of the file, also through the reader: angles, other parameters, materials */
static void test_parameters_of_the_file(void **state) {
    (void)state;
    ff_model *model = model_of(BALL);
    ff_sim *sim = sim_of(model), *other = sim_of(model);
    double k = value_of(sim, "pairs[0].normal.k"), gravity[3];
    set(sim, "parameters.slope", 0.2);
    assert_int_equal(ff_sim_get(sim, field_of(model, "gravity"), gravity), FF_OK);
    assert_near(gravity[0], 9.81 * sin(0.2), 1e-15 * 9.81);
    assert_true(value_of(sim, "pairs[0].friction.mu") == 0.4);
    assert_true(value_of(sim, "parameters.twice") == 0.4);
    /* a value set explicitly no longer follows its parameter, whatever is set later; a radius determines stiffness */
    set(sim, "pairs[0].friction.mu", 0.7);
    set(sim, "parameters.slope", 0.3);
    assert_true(value_of(sim, "pairs[0].friction.mu") == 0.7);
    set(sim, "bodies.ball.shape.sphere.radius", 4 * 0.0165);
    assert_close(value_of(sim, "pairs[0].normal.k"), 2 * k, 1e-14);
    assert_true(value_of(sim, "parameters.slope") == 0.3);
    /* a dependent parameter set explicitly */
    set(sim, "parameters.twice", 0.9);
    assert_true(value_of(sim, "parameters.slope") == 0.3);
    /* the model, and its other sims, are unchanged */
    assert_true(value_of(other, "parameters.slope") == 0.1);
    assert_true(value_of(other, "pairs[0].friction.mu") == 0.2);
    ff_sim_free(other);
    finish(sim, model);
}

/* the file may be deleted: it is not read or parsed again */
static void test_a_scene_with_settings(void **state) {
    (void)state;
    char file[] = "/tmp/footfall-numbers-XXXXXX";
    int made = mkstemp(file);
    assert_true(made >= 0 && write(made, BALL, sizeof BALL - 1) == (ssize_t)sizeof BALL - 1);
    close(made);
    ff_scene *scene, *with, *again;
    assert_int_equal(ff_scene_read(file, (const char *[]){"bodies.ball.mass=2"}, 1, &scene, NULL),
                     FF_OK);
    unlink(file);
    assert_int_equal(ff_scene_with(scene, (const char *[]){"parameters.slope=0.3"}, 1, &with, NULL),
                     FF_OK);
    /* and again, starting from the result */
    ff_scene_free(scene);
    assert_int_equal(
        ff_scene_with(with, (const char *[]){"pairs[1].friction.mu=0.9"}, 1, &again, NULL), FF_OK);
    assert_true(with->bodies.at[0].mass == 2 && again->bodies.at[0].mass == 2);
    assert_near(again->gravity[0], 9.81 * sin(0.3), 1e-14);
    assert_true(ff_friction_value(&again->pairs.at[1].friction, "mu") == 0.9);
    assert_true(ff_friction_value(&with->pairs.at[1].friction, "mu") == 0.2);
    ff_messages messages = {0};
    assert_int_equal(
        ff_scene_with(with, (const char *[]){"bodies.ball.masss=1"}, 1, &scene, &messages),
        FF_BAD_VALUE);
    assert_null(scene);
    assert_true(messages.count == 1 && strstr(messages.at[0].text, "masss"));
    ff_messages_clear(&messages);
    ff_scene_free(with);
    ff_scene_free(again);
    scene = ff_scene_create();
    assert_int_equal(ff_scene_with(scene, NULL, 0, &with, NULL), FF_MISSING);
    ff_scene_free(scene);
}

static void test_parameters_before_the_first_step(void **state) {
    (void)state;
    ff_model *model = model_of(BALL);
    ff_sim *sim = sim_of(model);
    set(sim, "bodies.ball.velocity[2]", -3);
    assert_true(ff_sim_body(sim, 0).velocity[2] == -3);
    set(sim, "bodies.ball.position[2]", 0.5);
    assert_true(ff_sim_body(sim, 0).velocity[2] == -3 && ff_sim_body(sim, 0).position[2] == 0.5);
    ff_sim_step(sim, 1);
    refuses(sim, "bodies.ball.velocity[2]", -1, "before the first step");
    refuses(sim, "pairs[0].friction.mu", 0.1, "'pairs[0].friction.mu' is a parameter");
    /* after a restart it counts as having made no step */
    ff_motion start = ff_sim_body(sim, 0);
    assert_int_equal(ff_sim_begin(sim, &start), FF_OK);
    set(sim, "pairs[0].friction.mu", 0.1);
    assert_true(ff_sim_body(sim, 0).position[2] == 0.5);
    finish(sim, model);
}

static bool always(void *user) {
    (void)user;
    return true;
}

/* a watch function stays installed after a restart */
static void test_watching_goes_on(void **state) {
    (void)state;
    ff_model *model = model_of(BALL);
    ff_sim *sim = sim_of(model);
    ff_sim_watch(sim, always, NULL);
    set(sim, "pairs[0].friction.mu", 0.1);
    assert_int_equal(ff_sim_advance(sim, 1), FF_STOPPED);
    finish(sim, model);
}

static void test_several_at_once(void **state) {
    (void)state;
    ff_model *model = model_of(BALL);
    ff_sim *sim = sim_of(model);
    size_t fields[] = {field_of(model, "pairs[0].friction.mu"), field_of(model, "gravity"),
                       field_of(model, "ground.floor.plane.normal")};
    double values[] = {0.8, 1, 2, -3, 0, 2, 2}, back[7];
    ff_error error = {""};
    assert_int_equal(ff_sim_set_all(sim, fields, 3, values, &error), FF_OK);
    assert_int_equal(ff_sim_get_all(sim, fields, 3, back), FF_OK);
    assert_memory_equal(back, values, 4 * sizeof *back);
    assert_near(back[6], sqrt(0.5), 2e-16);
    /* all or none */
    const double wrong[] = {0.9, 1, 1, 1, 0, 0, 0};
    assert_true(ff_sim_set_all(sim, fields, 3, wrong, &error) < 0);
    assert_non_null(strstr(error.text, "ground.floor.plane.normal must have a direction"));
    assert_true(value_of(sim, "pairs[0].friction.mu") == 0.8);
    assert_int_equal(ff_sim_set_all(sim, fields, 0, NULL, NULL), FF_OK);
    /* more than fit in a short list; of two values the last one counts */
    size_t many[40];
    double mus[40];
    for (int i = 0; i < 40; i++) {
        many[i] = fields[0];
        mus[i] = 0.01 * (i + 1);
    }
    assert_int_equal(ff_sim_set_all(sim, many, 40, mus, &error), FF_OK);
    assert_true(value_of(sim, "pairs[0].friction.mu") == 0.4);
    finish(sim, model);
}

/* ---- refusals ---- */

static void test_what_cannot_be_set(void **state) {
    (void)state;
    ff_model *model = model_of(BALL);
    ff_sim *sim = sim_of(model);
    refuses(sim, "pairs[0].normal.law", 1, "is part of the structure");
    refuses(sim, "pairs[0].normal.detach", 1, "is part of the structure");
    refuses(sim, "bodies.ball.inertia[0]", 1, "is part of the structure");
    refuses(sim, "ledger.kinetic", 1, "is an output");
    refuses(sim, "time", 1, "'time'");
    refuses(sim, "bodies.ball.mass", -1, "mass");
    refuses(sim, "bodies.ball.mass", NAN, "mass");
    refuses(sim, "bodies.ball.velocity[0]", INFINITY, "must be a finite number, not inf");
    refuses(sim, "gravity[0]", NAN, "must be a finite number");
    refuses(sim, "gravity", 1, "has 3 numbers: name one of them");
    refuses(sim, "pairs[0].friction.mu", -1, "mu of clutch is -1");
    refuses(sim, "pairs[0].normal.k", 1e6, "give only one");
    refuses(sim, "ground.floor.plane.surface_velocity[0]", 1,
            "different inner states, accounts or events");
    refuses(sim, "bodies.ball.masss", 1, "did you mean");
    ff_error error = {""};
    assert_true(ff_sim_set(sim, 100000, &(double){1}, &error) < 0);
    assert_non_null(strstr(error.text, "there is no field 100000"));
    finish(sim, model);

    model = model_of(ARM);
    sim = sim_of(model);
    refuses(sim, "bodies.arm.position[0]", 1, "the start of the body is determined by a joint");
    refuses(sim, "joints.hinge.position", 1, "is a state");
    refuses(sim, "joints.hinge.revolute.stiffness", -1, "is -1, but must be >= 0");
    refuses(sim, "joints.hinge.revolute.limits.stiffness", 0, "is 0, but must be > 0");
    refuses(sim, "joints.hinge.revolute.limits.lower", 2, "above the upper one");
    refuses(sim, "forces.push.table.factors[1]", 2, "is part of the structure");
    refuses(sim, "forces.rope.spring.rest", -1, "must be >= 0");
    refuses(sim, "bodies.box.shape.box.corner_radius", 0.2, "half of its shortest edge");
    refuses(sim, "bodies.arm.inertia[1]", -2, "inertia");
    refuses(sim, "bodies.cart.inertia[1]", 3, "symmetric");
    finish(sim, model);
    /* without a file, the definitions of the model are used */
    ff_scene *scene = scene_of(ARM);
    ff_scene_set_gravity(scene, (double[]){0, 0, -9.81});
    model = compiled(scene);
    sim = sim_of(model);
    refuses(sim, "bodies.arm.mass", 0, "bodies.arm.mass is 0, but must be > 0");
    refuses(sim, "bodies.box.shape.box.corner_radius", 0.2, "half of the shortest edge");
    refuses(sim, "bodies.box.shape.box.size[0]", 0.01, "half of the shortest edge");
    refuses(sim, "bodies.cart.inertia[1]", 3, "not symmetric");
    set(sim, "bodies.box.shape.box.size[0]", 0.05);
    finish(sim, model);
}

/* friction with a number of internal states given by a parameter, and no effect */
static const char *derive_layers(ff_friction *law) {
    law->vectors = (int)law->values[0];
    return NULL;
}

static void respond_layers(const ff_friction *law, const ff_friction_query *query,
                           ff_friction_answer *out) {
    (void)query;
    memset(out->rate, 0, 3 * (size_t)law->vectors * sizeof *out->rate);
}

static double store_layers(const ff_friction *law, double level, const double *u) {
    (void)law, (void)level, (void)u;
    return 0;
}

static const ff_friction_law layers = {.abi = FF_LAW_ABI,
                                       .name = "layers",
                                       .params = {{"layers", "1", 1, 8, 2, "how many", NULL}},
                                       .derive = derive_layers,
                                       .vectors = 1,
                                       .respond = respond_layers,
                                       .stored = store_layers};

/* a spring that ends at z = 0, or before it if its parameter is 1 */
static const char *derive_ending(ff_normal *law) {
    law->clamps = law->values[0] == 1;
    return NULL;
}

static void respond_ending(const ff_normal *law, const ff_normal_query *query,
                           ff_normal_answer *out) {
    (void)law;
    *out = (ff_normal_answer){.force = 1e4 * query->z, .hold = query->z};
}

static double store_ending(const ff_normal *law, double z, double zdot, const double *state) {
    (void)law, (void)zdot, (void)state;
    return 5e3 * z * z;
}

static const ff_normal_law ending = {.abi = FF_LAW_ABI,
                                     .name = "ending",
                                     .params = {{"early", "1", 0, 1, 0, "1: before z = 0", NULL}},
                                     .derive = derive_ending,
                                     .respond = respond_ending,
                                     .stored = store_ending};

static ff_model *model_ending(double early) {
    ff_scene *scene = ff_scene_create();
    ff_body_def def = ff_body_def_default();
    def.name = "ball";
    def.mass = 1;
    ff_scene_add_body(scene, &def);
    ff_scene_add_sphere(scene, 0, NULL, (double[3]){0}, 0.1);
    add_floor(scene);
    ff_normal law;
    ff_friction none;
    assert_int_equal(ff_normal_make(&law, &ending, &early, NULL), FF_OK);
    assert_int_equal(ff_friction_make(&none, ff_friction_law_find("none"), NULL, NULL), FF_OK);
    add_pair(scene, "ball", "floor", law, none);
    return compiled(scene);
}

/* Whether a law clamps decides how many root functions its contact has: a run has room for those of its first model. */
static void test_root_functions_stay(void **state) {
    (void)state;
    ff_model *model = model_ending(0), *other = model_ending(1), *same = model_ending(0);
    ff_error error = {""};
    assert_int_equal(ff_model_compare(model, same, NULL), FF_OK);
    assert_int_equal(ff_model_compare(model, other, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "make a new model"));
    ff_sim *sim = sim_of(model);
    refuses(sim, "pairs[0].normal.early", 1, "accounts or events");
    finish(sim, model);
    ff_model_free(other);
    ff_model_free(same);
}

/* values that require another model: freely rotating bodies, laws with other states, other branches of a scene */
static void test_what_would_be_another_model(void **state) {
    (void)state;
    ff_scene *scene = ff_scene_create();
    ff_body_def def = ff_body_def_default();
    def.name = "ball";
    def.mass = 1;
    def.inertia[0][0] = def.inertia[1][1] = def.inertia[2][2] = 1;
    ff_scene_add_body(scene, &def);
    ff_scene_add_sphere(scene, 0, NULL, (double[3]){0}, 0.1);
    add_floor(scene);
    ff_friction law;
    assert_int_equal(ff_friction_make(&law, &layers, (double[]){3}, NULL), FF_OK);
    add_pair(scene, "ball", "floor", azad(), law);
    ff_model *model = compiled(scene);
    ff_sim *sim = sim_of(model);
    refuses(sim, "bodies.ball.inertia[0]", 2, "begin to matter");
    refuses(sim, "pairs[0].friction.layers", 4, "would have different inner states");
    finish(sim, model);

    /* the number of grains depends on a parameter */
    model = model_of("parameters: {n: 2, r: 1 cm}\n"
                     "bodies: {sand: {count: n, radius: r, density: 1000,\n"
                     "         fill: {from: [0, 0, 0], to: [1, 1, 1]}}}\n");
    sim = sim_of(model);
    refuses(sim, "parameters.n", 3, "make a new model");
    set(sim, "parameters.r", 0.02);
    assert_close(sim->model->bodies[0].mass, 8 * model->bodies[0].mass, 1e-12);
    finish(sim, model);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_field_is_found_by_its_path),
    cmocka_unit_test(test_kinds_units_and_meanings),
    cmocka_unit_test(test_paths_that_are_none),
    cmocka_unit_test(test_a_large_model_lists_its_fields),
    cmocka_unit_test(test_set_is_as_good_as_written),
    cmocka_unit_test(test_scenes_by_calls),
    cmocka_unit_test(test_crowds),
    cmocka_unit_test(test_parameters_of_the_file),
    cmocka_unit_test(test_a_scene_with_settings),
    cmocka_unit_test(test_parameters_before_the_first_step),
    cmocka_unit_test(test_watching_goes_on),
    cmocka_unit_test(test_several_at_once),
    cmocka_unit_test(test_what_cannot_be_set),
    cmocka_unit_test(test_what_would_be_another_model),
    cmocka_unit_test(test_root_functions_stay),
};

CHECK_MAIN(tests)
