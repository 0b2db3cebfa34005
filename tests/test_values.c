/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "crowd/crowd.h"
#include "scene_text.h"
#include "sim/sim.h"
#include <footfall/field.h>
#include <stdlib.h>
#include <time.h>

/* Counts queries: the linker replaces the library's functions by these (CMakeLists.txt). */
static int asked_bodies, asked_contacts, asked_joints, asked_ledgers;

ff_motion __real_ff_sim_body(const ff_sim *sim, size_t body);
ff_motion __wrap_ff_sim_body(const ff_sim *sim, size_t body);
ff_motion __wrap_ff_sim_body(const ff_sim *sim, size_t body) {
    asked_bodies++;
    return __real_ff_sim_body(sim, body);
}

ff_contact_record __real_ff_sim_contact(const ff_sim *sim, size_t contact);
ff_contact_record __wrap_ff_sim_contact(const ff_sim *sim, size_t contact);
ff_contact_record __wrap_ff_sim_contact(const ff_sim *sim, size_t contact) {
    asked_contacts++;
    return __real_ff_sim_contact(sim, contact);
}

ff_joint_record __real_ff_sim_joint(ff_sim *sim, size_t joint);
ff_joint_record __wrap_ff_sim_joint(ff_sim *sim, size_t joint);
ff_joint_record __wrap_ff_sim_joint(ff_sim *sim, size_t joint) {
    asked_joints++;
    return __real_ff_sim_joint(sim, joint);
}

ff_ledger __real_ff_sim_ledger(const ff_sim *sim);
ff_ledger __wrap_ff_sim_ledger(const ff_sim *sim);
ff_ledger __wrap_ff_sim_ledger(const ff_sim *sim) {
    asked_ledgers++;
    return __real_ff_sim_ledger(sim);
}

/* ---- scenes ---- */

typedef struct run {
    ff_model *model;
    ff_sim *sim;
} run;

/* A scene of scenes/ or tests/scenes/ after some time; `setting` may be NULL. */
static run run_of(const char *file, const char *setting, double until) {
    char path[400];
    run r;
    ff_scene *scene;
    ff_messages messages = {0};
    ff_error error = {""};
    snprintf(path, sizeof path, FF_SOURCE_DIR "/%s", file);
    ff_status status = ff_scene_read(path, &setting, setting != NULL, &scene, &messages);
    tell(&messages);
    assert_holds(status == FF_OK, "%s: %s", file, told);
    assert_holds(ff_model_create(scene, &r.model, &error) == FF_OK, "%s", error.text);
    assert_holds(ff_sim_create(r.model, NULL, &r.sim, &error) == FF_OK, "%s", error.text);
    while (ff_sim_time(r.sim) < until) {
        assert_true(ff_sim_advance(r.sim, until) >= 0);
    }
    ff_scene_free(scene);
    ff_messages_clear(&messages);
    return r;
}

static void end(run *r) {
    ff_sim_free(r->sim);
    ff_model_free(r->model);
}

static const struct {
    const char *file, *setting;
    double until;
} scenes[] = {
    {"scenes/rolling.yaml", NULL, 0.3},
    {"scenes/biped.yaml", NULL, 0.4},
    {"scenes/biped.yaml", "run.formulation=maximal", 0.1},
    {"scenes/fourbar.yaml", NULL, 0.1},
    {"scenes/collision.yaml", NULL, 0.05},
    {"scenes/grains.yaml", NULL, 0.05},
    {"tests/scenes/joints.yaml", NULL, 0.1},
    {"scenes/top.yaml", NULL, 0},
};

/* ---- what queries give ---- */

/* A path split at its first and last dot. */
typedef struct words {
    char folder[FF_FIELD_PATH], owner[FF_FIELD_PATH], name[FF_FIELD_PATH];
} words;

static words split(const char *path) {
    words w = {"", "", ""};
    const char *first = strchr(path, '.'), *last = strrchr(path, '.');
    if (!first) {
        snprintf(w.name, sizeof w.name, "%s", path);
        return w;
    }
    snprintf(w.folder, sizeof w.folder, "%.*s", (int)(first - path), path);
    snprintf(w.name, sizeof w.name, "%s", last + 1);
    if (last > first) {
        snprintf(w.owner, sizeof w.owner, "%.*s", (int)(last - first - 1), first + 1);
    }
    return w;
}

/* The index of a name among those of its kind. */
#define INDEX(kind, model, wanted)                                                                 \
    size_t index = 0;                                                                              \
    while (strcmp(ff_model_##kind##_name(model, index), wanted) != 0) {                            \
        index++;                                                                                   \
    }

#define PUT(what)                                                                                  \
    if (strcmp(name, #what) == 0) {                                                                \
        memcpy(out, &from.what, sizeof from.what);                                                 \
        return sizeof from.what / sizeof(double);                                                  \
    }
#define PUT_AS(word, value)                                                                        \
    if (strcmp(name, word) == 0) {                                                                 \
        *out = value;                                                                              \
        return 1;                                                                                  \
    }

static size_t body_values(const run *r, const words *w, double *out) {
    const char *name = w->name;
    INDEX(body, r->model, w->owner)
    const ff_motion from = ff_sim_body(r->sim, index);
    PUT(position)
    PUT(orientation)
    PUT(velocity)
    PUT(omega)
    PUT_AS("normal_force", ff_crowd_normal_force(r->sim->own, index))
    return 0;
}

static size_t contact_values(const run *r, const words *w, double *out) {
    const char *name = w->name;
    INDEX(contact, r->model, w->owner)
    const ff_contact_record from = ff_sim_contact(r->sim, index);
    PUT(depth)
    PUT(rate)
    PUT(point)
    PUT(force)
    PUT(slip)
    PUT(u)
    PUT_AS("touching", from.touching)
    PUT_AS("slips", from.slips)
    PUT_AS("elastic_force", from.elastic)
    PUT_AS("viscous_force", from.viscous)
    return 0;
}

/* A planar joint has separate fields for displacement and angle; other joints have one. */
static size_t joint_values(const run *r, const words *w, double *out) {
    const char *name = w->name;
    INDEX(joint, r->model, w->owner)
    const ff_joint_facts f = ff_model_joint_facts(r->model, index);
    const ff_joint_record from = ff_sim_joint(r->sim, index);
    const bool planar = f.kind == FF_JOINT_PLANAR || f.kind == FF_JOINT_CYLINDRICAL;
    const size_t width = (size_t)f.coordinates - planar;
    PUT(force)
    PUT(moment)
    if (strcmp(name, "position") == 0 || strcmp(name, planar ? "velocity" : "rate") == 0 ||
        strcmp(name, "effort") == 0) {
        const double *of = *name == 'p' ? from.position : *name == 'e' ? from.effort : from.rate;
        memcpy(out, of, width * sizeof *out);
        return width;
    }
    PUT_AS("torque", from.effort[width])
    PUT_AS("angle", from.position[width])
    PUT_AS("rate", from.rate[width])
    return 0;
}

static size_t ledger_values(const run *r, const words *w, double *out) {
    const char *name = w->name;
    ff_ledger from;
    if (!*w->owner) {
        from = ff_sim_ledger(r->sim);
    } else if (ff_model_class_count(r->model) > 0) {
        INDEX(class, r->model, w->owner)
        from = ff_sim_class_ledger(r->sim, index);
    } else {
        INDEX(contact, r->model, w->owner)
        from = ff_sim_contact_ledger(r->sim, index);
    }
    FF_LEDGER_LIST(PUT)
    PUT(initial)
    PUT(scale)
    PUT(residual)
    return 0;
}

static size_t values_of(const run *r, const words *w, double *out) {
    const char *name = w->name;
    if (!*w->folder) {
        PUT_AS("time", ff_sim_time(r->sim))
    }
    if (strcmp(w->folder, "constraints") == 0) {
        const ff_violation from = ff_sim_violation(r->sim);
        PUT(position)
        PUT(velocity)
    }
    return strcmp(w->folder, "bodies") == 0     ? body_values(r, w, out)
           : strcmp(w->folder, "contacts") == 0 ? contact_values(r, w, out)
           : strcmp(w->folder, "joints") == 0   ? joint_values(r, w, out)
           : strcmp(w->folder, "ledger") == 0   ? ledger_values(r, w, out)
                                                : 0;
}

/* every field equals the query of its owner, and is found by its path */
static void equals_queries(void **state) {
    (void)state;
    for (size_t s = 0; s < ROWS(scenes); s++) {
        run r = run_of(scenes[s].file, scenes[s].setting, scenes[s].until);
        ff_field f;
        size_t i = 0;
        for (; ff_model_field(r.model, i, &f); i++) {
            double seen[16], wanted[16];
            size_t found, part;
            /* initial values of a scene have the path of the state that starts there */
            if (f.kind != FF_FIELD_STATE && f.kind != FF_FIELD_OUTPUT) {
                continue;
            }
            assert_int_equal(ff_model_field_find(r.model, f.path, &found, &part, NULL), FF_OK);
            assert_int_equal(found, i);
            assert_true(part == SIZE_MAX);
            const words w = split(f.path);
            assert_holds(values_of(&r, &w, wanted) == f.width, "%s: width of %s is %zu",
                         scenes[s].file, f.path, f.width);
            assert_int_equal(ff_sim_get(r.sim, i, seen), FF_OK);
            assert_holds(memcmp(seen, wanted, f.width * sizeof *seen) == 0,
                         "%s: %s is %g instead of %g", scenes[s].file, f.path, seen[0], wanted[0]);
            assert_true(*f.unit && *f.meaning && f.scale >= 0);
            for (size_t k = 0; k < f.width; k++) {
                assert_non_null(f.parts[k]);
            }
        }
        assert_int_equal(ff_model_field_count(r.model), i);
        assert_false(ff_model_field(r.model, SIZE_MAX, &f));
        end(&r);
    }
}

/* reading many at once gives the same numbers, with one query per object */
static void all_at_once(void **state) {
    (void)state;
    for (size_t s = 0; s < ROWS(scenes); s++) {
        run r = run_of(scenes[s].file, scenes[s].setting, scenes[s].until);
        const size_t count = ff_model_field_count(r.model);
        size_t *fields = malloc(count * sizeof *fields), used = 0, n = 0;
        double *all = malloc(4 * count * sizeof *all), one[16];
        ff_field f;
        for (size_t i = 0; i < count; i++) {
            ff_model_field(r.model, i, &f);
            if (f.kind == FF_FIELD_STATE || f.kind == FF_FIELD_OUTPUT) {
                fields[n++] = i;
            }
        }
        asked_bodies = asked_contacts = asked_joints = asked_ledgers = 0;
        assert_int_equal(ff_sim_get_all(r.sim, fields, n, all), FF_OK);
        assert_int_equal(asked_bodies, ff_model_body_count(r.model));
        assert_int_equal(asked_contacts, ff_model_contact_count(r.model));
        assert_int_equal(asked_ledgers, 1);
        int joints = 0;
        for (size_t i = 0; i < ff_model_joint_count(r.model); i++) {
            joints += ff_model_joint_facts(r.model, i).kind != FF_JOINT_FREE;
        }
        assert_int_equal(asked_joints, joints);
        for (size_t i = 0; i < n; i++) {
            ff_model_field(r.model, fields[i], &f);
            ff_sim_get(r.sim, fields[i], one);
            assert_memory_equal(one, all + used, f.width * sizeof *one);
            used += f.width;
        }
        /* in any order */
        for (size_t i = 0; i < n / 2; i++) {
            size_t swapped = fields[i];
            fields[i] = fields[n - 1 - i];
            fields[n - 1 - i] = swapped;
        }
        assert_int_equal(ff_sim_get_all(r.sim, fields, n, all), FF_OK);
        for (size_t i = 0, at = 0; i < n; i++) {
            ff_model_field(r.model, fields[i], &f);
            ff_sim_get(r.sim, fields[i], one);
            assert_memory_equal(one, all + at, f.width * sizeof *one);
            at += f.width;
        }
        /* an index out of range: nothing is evaluated */
        fields[n - 1] = ff_model_field_count(r.model);
        all[0] = 17;
        assert_int_equal(ff_sim_get_all(r.sim, fields, n, all), FF_BAD_VALUE);
        assert_true(all[0] == 17);
        assert_int_equal(ff_sim_get_all(r.sim, fields, 0, all), FF_OK);
        free(fields);
        free(all);
        end(&r);
    }
}

/* values refer to the observed time */
static void observed(void **state) {
    (void)state;
    run r = run_of("scenes/rolling.yaml", NULL, 0.01);
    size_t fields[2];
    double before = ff_sim_time(r.sim), seen[4];
    assert_true(ff_sim_step(r.sim, 1) >= 0);
    double half = 0.5 * (before + ff_sim_time(r.sim));
    assert_int_equal(ff_model_field_find(r.model, "time", &fields[0], NULL, NULL), FF_OK);
    assert_int_equal(ff_model_field_find(r.model, "bodies.ball.position", &fields[1], NULL, NULL),
                     FF_OK);
    ff_sim_observe(r.sim, half);
    const ff_motion m = ff_sim_body(r.sim, 0);
    assert_int_equal(ff_sim_get_all(r.sim, fields, 2, seen), FF_OK);
    assert_true(seen[0] == half);
    assert_memory_equal(seen + 1, m.position, sizeof m.position);
    ff_sim_observe(r.sim, NAN);
    ff_sim_get_all(r.sim, fields, 2, seen);
    assert_true(seen[0] == ff_sim_time(r.sim) && seen[1] != m.position[0]);
    end(&r);
}

/* integrated quantities are states: bodies, or the coordinates of their joints */
static void kinds(void **state) {
    (void)state;
    static const struct {
        const char *setting, *path;
        ff_field_kind kind;
    } rows[] = {
        {NULL, "time", FF_FIELD_STATE},
        {NULL, "bodies.leg1.position", FF_FIELD_OUTPUT},
        {NULL, "joints.hip.position", FF_FIELD_STATE},
        {NULL, "joints.hip.rate", FF_FIELD_STATE},
        {NULL, "joints.hip.effort", FF_FIELD_OUTPUT},
        {NULL, "joints.plane.velocity", FF_FIELD_STATE},
        {NULL, "joints.plane.moment", FF_FIELD_OUTPUT},
        {NULL, "joints.plane.rate", FF_FIELD_STATE},
        {NULL, "joints.plane.effort", FF_FIELD_OUTPUT},
        {NULL, "joints.plane.torque", FF_FIELD_OUTPUT},
        {NULL, "contacts.leg1/floor.u", FF_FIELD_OUTPUT},
        {NULL, "ledger.slip", FF_FIELD_OUTPUT},
        {"run.formulation=maximal", "bodies.leg1.position", FF_FIELD_STATE},
        {"run.formulation=maximal", "joints.hip.position", FF_FIELD_OUTPUT},
        {"pairs[0].friction={law: dahl, mu: 0.4, k: 1e4}", "contacts.leg1/floor.u", FF_FIELD_STATE},
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        run r = run_of("scenes/biped.yaml", rows[i].setting, 0);
        size_t field;
        ff_field f;
        ff_error error = {""};
        ff_model_field_find(r.model, rows[i].path, &field, NULL, &error);
        assert_string_equal(error.text, "");
        ff_model_field(r.model, field, &f);
        assert_holds(f.kind == rows[i].kind, "%s is: %s", rows[i].path, ff_field_kind_name(f.kind));
        end(&r);
    }
    assert_string_equal(ff_field_kind_name(FF_FIELD_INPUT), "input");
    assert_string_equal(ff_field_kind_name(FF_FIELD_PARAMETER), "parameter");
    assert_string_equal(ff_field_kind_name(FF_FIELD_STRUCTURE), "structure");
    assert_string_equal(ff_field_kind_name(FF_FIELD_STATE), "state");
    assert_string_equal(ff_field_kind_name(FF_FIELD_OUTPUT), "output");
}

static void indices(void **state) {
    (void)state;
    static const struct {
        const char *path, *says;
        size_t part; /* SIZE_MAX - 1: not found */
    } rows[] = {
        {"bodies.ball.position", "", SIZE_MAX},
        {"bodies.ball.position[2]", "", 2},
        {"bodies.ball.orientation[3]", "", 3},
        {"contacts.ball/floor.force[0]", "", 0},
        {"ledger.slip[0]", "", 0},
        {"ledger.ball/floor.slip", "", SIZE_MAX},
        {"bodies.ball.position[3]",
         "'bodies.ball.position' has no element [3]: it has 3, counted from 0", SIZE_MAX - 1},
        {"time[1]", "'time' has no element [1]: it has 1, counted from 0", SIZE_MAX - 1},
        {"bodies.bal.position",
         "there is no field 'bodies.bal.position' (did you mean 'bodies.ball.position'?)",
         SIZE_MAX - 1},
        {"bodies.ball.positoin[2]",
         "there is no field 'bodies.ball.positoin' (did you mean 'bodies.ball.position'?)",
         SIZE_MAX - 1},
        {"body.ball.omega",
         "there is no field 'body.ball.omega' (did you mean 'bodies.ball.omega'?)", SIZE_MAX - 1},
        {"contacts.ball/flor.depth",
         "there is no field 'contacts.ball/flor.depth' (did you mean 'contacts.ball/floor.depth'?)",
         SIZE_MAX - 1},
        {"ledger.slipp", "there is no field 'ledger.slipp' (did you mean 'ledger.slip'?)",
         SIZE_MAX - 1},
        {"tim", "there is no field 'tim' (did you mean 'time'?)", SIZE_MAX - 1},
        {"weather", "there is no field 'weather'", SIZE_MAX - 1},
        {"", "there is no field ''", SIZE_MAX - 1},
        {".", "there is no field '.'", SIZE_MAX - 1},
        {"[1]", "there is no field ''", SIZE_MAX - 1},
        {"]", "there is no field ']'", SIZE_MAX - 1},
        {"1]", "there is no field '1]'", SIZE_MAX - 1},
        {"bodies", "there is no field 'bodies'", SIZE_MAX - 1},
        {"time.s", "there is no field 'time.s' (did you mean 'time'?)", SIZE_MAX - 1},
        {"bodies..omega", "there is no field 'bodies..omega' (did you mean 'bodies.ball.omega'?)",
         SIZE_MAX - 1},
        {"ledger..slip", "there is no field 'ledger..slip' (did you mean 'ledger.slip'?)",
         SIZE_MAX - 1},
        {"bodies.ball.position[]",
         "there is no field 'bodies.ball.position[]' (did you mean 'bodies.ball.position'?)",
         SIZE_MAX - 1},
        {"bodies.ball.position[1234567890]", "there is no field 'bodies.ball.position[1234567890]'",
         SIZE_MAX - 1},
    };
    run r = run_of("scenes/rolling.yaml", NULL, 0);
    for (size_t i = 0; i < ROWS(rows); i++) {
        size_t field, part = 0;
        ff_error error = {""};
        ff_status status = ff_model_field_find(r.model, rows[i].path, &field, &part, &error);
        assert_holds(strcmp(error.text, rows[i].says) == 0, "%s says: %s", rows[i].path,
                     error.text);
        assert_int_equal(status, *rows[i].says ? FF_BAD_VALUE : FF_OK);
        assert_true(status < 0 || part == rows[i].part);
        assert_int_equal(ff_model_field_find(r.model, rows[i].path, &field, NULL, NULL), status);
    }
    /* a path of any length is refused with one sentence */
    char path[2000];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    size_t field;
    ff_error error = {""};
    assert_int_equal(ff_model_field_find(r.model, path, &field, NULL, &error), FF_BAD_VALUE);
    assert_int_equal(strlen(error.text), strlen("there is no field ''") + 90);
    end(&r);
}

/* 10,000 grains: the list takes no memory, and no query takes longer than a pass over all of them */
static void many(void **state) {
    (void)state;
    static const char setting[] = "bodies.balls={count: 10000, radius: 1 cm, density: 1100 kg/m^3, "
                                  "fill: {from: [0, 0, 0], to: [1, 1, 1]}, seed: 1}";
    run r = run_of("scenes/grains.yaml", setting, 0);
    ff_field f = {.path = ""};
    ff_error error = {""};
    size_t field, part, count = 0;
    clock_t began = clock();
    for (size_t i = 0; ff_model_field(r.model, i, &f); i++) {
        count += f.kind == FF_FIELD_STATE || f.kind == FF_FIELD_OUTPUT;
    }
    /* time, bodies, and ledgers of the run and of one class */
    assert_int_equal(count, 1 + 5 * 10000 + 2 * 18);
    for (size_t i = 0; i < 10000; i += 100) {
        char path[FF_FIELD_PATH];
        snprintf(path, sizeof path, "bodies.balls[%zu].omega[1]", i);
        assert_int_equal(ff_model_field_find(r.model, path, &field, &part, NULL), FF_OK);
        assert_int_equal(field, 1 + 5 * i + 3);
        assert_int_equal(part, 1);
    }
    assert_int_equal(ff_model_field_find(r.model, "ledger.balls/*.slip", &field, NULL, NULL),
                     FF_OK);
    assert_int_equal(
        ff_model_field_find(r.model, "bodies.balls[10000].omega", &field, NULL, &error),
        FF_BAD_VALUE);
    assert_string_equal(error.text, "there is no field 'bodies.balls[10000].omega' (did you mean "
                                    "'bodies.balls[1000].omega'?)");
    /* measured: 0.02 s; quadratic time would be a minute */
    assert_true((double)(clock() - began) / CLOCKS_PER_SEC < 5);
    end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_queries), cmocka_unit_test(all_at_once), cmocka_unit_test(observed),
        cmocka_unit_test(kinds),          cmocka_unit_test(indices),     cmocka_unit_test(many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
