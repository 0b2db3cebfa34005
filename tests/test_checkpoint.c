/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

#define _POSIX_C_SOURCE 200809L
/* A run that is resumed from a file ends with the same bits as one that was not interrupted. */

#include "check.h"
#include "inclusions.h"
#include "io/inclusion_file.h"
#include "law/params.h"
#include "num/hash.h"
#include "scene_model.h"
#include "sim/sim.h"
#include <errno.h>
#include <fcntl.h>
#include <footfall/field.h>
#include <footfall/footfall.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/footfall-checkpoint-XXXXXX";

static ff_status finish(ff_sim *sim, double until) {
    ff_status status;
    while ((status = ff_sim_advance(sim, until)) == FF_EVENT) {
    }
    return status;
}

static void assert_same(ff_sim *a, ff_sim *b, size_t bodies) {
    ff_ledger la = ff_sim_ledger(a), lb = ff_sim_ledger(b);
    ff_statistics sa = ff_sim_statistics(a), sb = ff_sim_statistics(b);
    assert_memory_equal(&la, &lb, sizeof la);
    if (a->flow.n > 0) {
        assert_memory_equal(a->flow.y, b->flow.y, a->flow.n * sizeof *a->flow.y);
    }
    for (size_t i = 0; i < bodies; i++) {
        ff_motion ma = ff_sim_body(a, i), mb = ff_sim_body(b, i);
        assert_memory_equal(&ma, &mb, sizeof ma);
    }
    assert_true(sa.steps == sb.steps && sa.evaluations == sb.evaluations &&
                sa.rejected == sb.rejected && sa.events == sb.events && sa.switches == sb.switches);
}

static void put(const char *data, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

static void refuse(ff_sim *sim, const char *why) {
    ff_error error = {""};
    assert_int_equal(ff_checkpoint_read(path, sim, NULL, NULL, &error), FF_BAD_VALUE);
    if (!strstr(error.text, why)) {
        fail_msg("'%s' does not say '%s'", error.text, why);
    }
}

/* conditions that occurred when runs were saved */
static struct { bool implicit, curved, queued; } met;

/* Runs to the end time of the options, in pieces that end after 1, 2, 4, 8 ... steps, each with its own sim, and
 * without interruption. */
static void assert_resumes(const ff_model *model, const ff_run_options *o) {
    ff_sim *whole, *part, *next;
    assert_int_equal(ff_sim_create(model, o, &whole, NULL), FF_OK);
    assert_int_equal(ff_sim_create(model, o, &part, NULL), FF_OK);
    int step = 0, written = 0;
    while (ff_sim_time(part) < o->until) {
        assert_holds(ff_sim_step(part, o->until) >= 0, "%s: %s", ff_method_name(o->method),
                     ff_sim_error(part));
        const ff_flow_now *now = &part->flow.now;
        const bool implicit = now->method == FF_ROSENBROCK || now->method == FF_RODAS;
        /* and in every rare condition */
        bool rare = (implicit && !met.implicit) || (now->clock.power > 1 && !met.curved) ||
                    (now->reported < now->queued && !met.queued);
        if (++step == 1 << written || rare) {
            written += step == 1 << written;
            met.implicit = met.implicit || implicit;
            met.curved = met.curved || now->clock.power > 1;
            met.queued = met.queued || now->reported < now->queued;
            assert_int_equal(ff_checkpoint_write(path, part, "here", 5, NULL), FF_OK);
            void *extra;
            size_t size;
            assert_int_equal(ff_sim_create(model, o, &next, NULL), FF_OK);
            assert_int_equal(ff_checkpoint_read(path, next, &extra, &size, NULL), FF_OK);
            assert_int_equal(size, 5);
            assert_string_equal(extra, "here");
            free(extra);
            ff_sim_free(part);
            part = next;
        }
    }
    assert_true(written >= 3);
    assert_int_equal(finish(whole, o->until), FF_OK);
    assert_same(whole, part, ff_model_body_count(model));
    ff_sim_free(whole);
    ff_sim_free(part);
}

/* at many moments of every scene, with every method: after a step, at an event, between two events at one instant */
static void test_every_scene_and_method(void **state) {
    (void)state;
    static const char *const scenes[] = {"bounce", "collision", "foot", "rolling", "xiong1"};
    memset(&met, 0, sizeof met);
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++) {
        for (int method = 0; method < FF_METHODS; method++) {
            ff_model *model = scene_model(scenes[s], NULL, 0);
            ff_run_options o = *ff_model_run(model);
            o.method = (ff_method)method;
            o.tol = 1e-6;
            o.dt = 2e-5;
            o.until = 0.25;
            assert_resumes(model, &o);
            ff_model_free(model);
        }
    }
    assert_true(met.curved && met.queued);
}

/* auto in an implicit phase, and the method of order 8 */
static void test_stiff(void **state) {
    (void)state;
    ff_model *model = scene_model("biped", NULL, 0);
    ff_run_options o = *ff_model_run(model);
    o.tol = 1e-6;
    o.until = 0.4;
    memset(&met, 0, sizeof met);
    assert_resumes(model, &o);
    assert_true(met.implicit);
    o.method = FF_DOP853;
    assert_resumes(model, &o);
    ff_model_free(model);
}

/* articulated, with a loop, and by bodies projected onto their constraints */
static void test_mechanisms(void **state) {
    (void)state;
    static const struct {
        const char *scene, *settings[2];
        size_t count;
    } rows[] = {{"chain", {0}, 0},
                {"fourbar", {0}, 0},
                {"fourbar", {"run.formulation=maximal"}, 1},
                {"fourbar", {"run.formulation=maximal", "run.constraints=direct"}, 2},
                {"chain", {"run.formulation=maximal", "run.constraints=baumgarte"}, 2},
                {"top", {0}, 0}};
    for (size_t i = 0; i < ROWS(rows); i++) {
        ff_model *model = scene_model(rows[i].scene, rows[i].settings, rows[i].count);
        ff_run_options o = *ff_model_run(model);
        o.until = 0.3;
        assert_resumes(model, &o);
        ff_model_free(model);
    }
}

static void test_crowds(void **state) {
    (void)state;
    ff_model *model = scene_model("grains", NULL, 0);
    ff_run_options o = *ff_model_run(model);
    o.until = 0.1;
    assert_resumes(model, &o);
    o.method = FF_SEMI_IMPLICIT;
    o.threads = 2;
    assert_resumes(model, &o);
    ff_model_free(model);
}

/* ---- inclusions ---- */

/* bristle laws, whose stiffness is proportional to the load: energy changes due to the load are booked */
static void test_inclusions_in_c(void **state) {
    (void)state;
    static const ff_method methods[] = {FF_AUTO, FF_DOP853, FF_RK4};
    conveying c;
    ff_model *model;
    ff_run_options o = ff_run_options_default();
    o.tol = 1e-7;
    o.dt = 2e-5;
    o.until = 0.5;
    for (size_t i = 0; i < 2 * ROWS(methods); i++) {
        open_conveyor(&c);
        for (int k = 0; k < 3 && i % 2; k++) {
            c.sgns[k].law = friction_law("lugre", (double[]){1, 1e4, 30, 0});
            assert_int_equal(c.sgns[k].law.law->level, FF_LEVEL_LOAD);
        }
        c.def.switch_count = 2;
        c.def.switches = (const double[]){0.1, 0.3};
        o.method = methods[i / 2];
        assert_int_equal(ff_inclusion_model(&c.def, &model, NULL), FF_OK);
        assert_resumes(model, &o);
        ff_model_free(model);
    }
}

static ff_equations *read_inclusion(const char *name, const char *setting, ff_run_options *o) {
    char file[400];
    ff_equations *out = NULL;
    ff_messages messages = {0};
    snprintf(file, sizeof file, FF_SOURCE_DIR "/papers/xiong2013/%s.yaml", name);
    ff_status status =
        ff_inclusion_read(file, &setting, setting ? 1 : 0, &(ff_rivals){0}, &out, o, &messages);
    assert_holds(status == FF_OK, "%s", messages.count ? messages.at[0].text : name);
    return out;
}

static void test_inclusions_in_text(void **state) {
    (void)state;
    static const char *const names[] = {"example2", "slide", "anisotropic", "bounce"};
    for (size_t i = 0; i < ROWS(names); i++) {
        ff_run_options o;
        ff_model *model;
        ff_equations *s = read_inclusion(names[i], NULL, &o);
        o.until = fmin(o.until, 1);
        assert_int_equal(ff_inclusion_model(ff_equations_def(s), &model, NULL), FF_OK);
        assert_resumes(model, &o);
        ff_model_free(model);
        ff_equations_free(s);
    }
}

/* fails unless the checkpoint of a run of one definition is refused by a run of the other */
static void assert_inclusions_differ(const ff_inclusion_def *ours, const ff_inclusion_def *theirs,
                                     const char *what) {
    ff_sim *a, *b;
    ff_error error = {""};
    assert_int_equal(ff_inclusion_create(ours, NULL, &a, NULL), FF_OK);
    if (ff_inclusion_create(theirs, NULL, &b, &error) != FF_OK) {
        fail_msg("%s: %s", what, error.text);
    }
    assert_int_equal(ff_checkpoint_write(path, a, NULL, 0, NULL), FF_OK);
    assert_int_equal(ff_checkpoint_read(path, a, NULL, NULL, NULL), FF_OK);
    assert_holds(ff_checkpoint_read(path, b, NULL, NULL, &error) == FF_BAD_VALUE,
                 "%s: a run of another inclusion goes on from the file", what);
    assert_non_null(strstr(error.text, "another inclusion"));
    ff_sim_free(a);
    ff_sim_free(b);
}

static void no_events(void *user, double t, const double *x, double *values) {
    (void)user, (void)t, (void)x;
    values[0] = values[1] = 1;
}

/* each member of a definition is changed in turn */
static void test_definitions_count(void **state) {
    (void)state;
    enum { CHANGES = 20 };
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"}, *const others[] = {
                                                                                     "a", "b", "c",
                                                                                     "d", "e", "f",
                                                                                     "g", "i"};
    static const double scale[] = {1, 1, 1, 1, 1, 1, 1, 1},
                        other_scale[] = {1, 1, 1, 2, 1, 1, 1, 1};
    static const int speed[] = {4, 5, 6, 7, -1, -1, -1, -1}, other_speed[8] = {4, 5, 6, -1, -1, -1};
    static const double times[] = {0.1, 0.2}, other_times[] = {0.1, 0.25};
    static const bool silent[] = {true, false}, other_silent[] = {true, true};
    for (int i = 0; i < CHANGES; i++) {
        conveying a, b;
        open_conveyor(&a);
        a.def.names = names;
        a.def.scale = scale;
        a.def.speed = speed;
        a.def.switches = times;
        a.def.switch_count = a.def.event_count = 2;
        a.def.events = no_events;
        a.def.silent = silent;
        b = a;
        b.def.start = b.start;
        b.def.dios = b.dios;
        b.def.sgns = b.sgns;
        b.def.user = &b.conveyor;
        ff_inclusion_def *d = &b.def;
        switch (i) {
        case 0: b.start[1] += 1e-9; break;
        case 1: d->scale = other_scale; break;
        case 2: d->scale = NULL; break;
        case 3: d->names = others; break;
        case 4: d->speed = other_speed; break;
        case 5: d->speed = NULL; break;
        case 6: d->switches = other_times; break;
        case 7: d->switch_count = 1; break;
        case 8: d->silent = other_silent; break;
        case 9: d->event_count = 0; break;
        case 10: d->ledger = false; break;
        case 11: d->energy = NULL; break;
        case 12: d->power = NULL; break;
        case 13: d->version = 1; break;
        case 14: b.dios[1].law = xiong_law(5e5, 1.6e-3, 2.1e-3); break;
        case 15: b.dios[1].e = 1e-6; break;
        case 16: b.sgns[2].law = sat_law(4e5, 2e-3); break;
        case 17: b.sgns[2].a[0] = 1e-6; break;
        case 18: b.sgns[2].scale = 1; break;
        default: b.dios[0].name = "wall";
        }
        char what[32];
        snprintf(what, sizeof what, "change %d", i);
        assert_inclusions_differ(&a.def, d, what);
    }
    /* shapes and dimensions */
    rolling r, q;
    open_rolling(&r);
    open_rolling(&q);
    memcpy(q.sgn.shape, (double[2][2]){{1, 0}, {0, 1.5}}, sizeof q.sgn.shape);
    assert_inclusions_differ(&r.def, &q.def, "shape");
}

/* The functions of an inclusion given as text are identified by their tape. */
static void test_equations_count(void **state) {
    (void)state;
    ff_run_options o;
    ff_equations *ours = read_inclusion("example2", NULL, &o),
                 *again = read_inclusion("example2", NULL, &o),
                 *other = read_inclusion("example2", "parameters.Ks=101 N/m", &o);
    const ff_inclusion_def *a = ff_equations_def(ours), *b = ff_equations_def(other);
    assert_true(a->version != 0 && a->version == ff_equations_def(again)->version);
    assert_true(a->version != b->version);
    assert_inclusions_differ(a, b, "parameter");
    ff_equations_free(ours);
    ff_equations_free(again);
    ff_equations_free(other);
}

/* ---- inputs ---- */

static void set(ff_sim *sim, const char *field, double value) {
    ff_error error = {""};
    if (ff_sim_set_path(sim, field, value, &error) < 0) {
        fail_msg("%s", error.text);
    }
}

/* Inputs set during a run are part of the state; those set at the start are part of the run, and a resuming sim
 * must have them. */
static void test_inputs(void **state) {
    (void)state;
    ff_model *model = scene_model("rolling", NULL, 0);
    ff_sim *whole, *part, *next;
    assert_int_equal(ff_sim_create(model, NULL, &whole, NULL), FF_OK);
    set(whole, "gravity[2]", -8);
    for (int turn = 0; turn < 4; turn++) {
        assert_int_equal(ff_sim_create(model, NULL, &next, NULL), FF_OK);
        if (turn > 0) {
            assert_int_equal(ff_checkpoint_write(path, part, NULL, 0, NULL), FF_OK);
            refuse(next, "another scene");
        }
        set(next, "gravity[2]", -8);
        if (turn > 0) {
            assert_int_equal(ff_checkpoint_read(path, next, NULL, NULL, NULL), FF_OK);
            ff_sim_free(part);
        }
        part = next;
        assert_int_equal(finish(whole, 0.1 * (turn + 1)), FF_OK);
        assert_int_equal(finish(part, 0.1 * (turn + 1)), FF_OK);
        assert_same(whole, part, 1);
        set(whole, "gravity[0]", 0.5 * turn);
        set(part, "gravity[0]", 0.5 * turn);
    }
    /* before the event of the last input was reported */
    assert_int_equal(ff_checkpoint_write(path, part, NULL, 0, NULL), FF_OK);
    assert_int_equal(ff_checkpoint_read(path, part, NULL, NULL, NULL), FF_OK);
    assert_int_equal(ff_sim_step(part, 1), FF_EVENT);
    assert_int_equal(ff_sim_step(whole, 1), FF_EVENT);
    assert_int_equal(ff_sim_event(part)->kind, FF_SWITCH);
    assert_int_equal(finish(part, 0.6), FF_OK);
    assert_int_equal(finish(whole, 0.6), FF_OK);
    assert_same(whole, part, 1);
    ff_sim_free(whole);
    ff_sim_free(part);
    ff_model_free(model);
}

/* writing a checkpoint changes no bit of the run that continues */
static void test_writing_changes_nothing(void **state) {
    (void)state;
    ff_model *model = scene_model("rolling", NULL, 0);
    ff_sim *a, *b;
    assert_int_equal(ff_sim_create(model, NULL, &a, NULL), FF_OK);
    assert_int_equal(ff_sim_create(model, NULL, &b, NULL), FF_OK);
    assert_int_equal(finish(a, 1), FF_OK);
    while (ff_sim_time(b) < 1) {
        assert_true(ff_sim_step(b, 1) >= 0);
        if (ff_sim_statistics(b).steps % 100 == 0) {
            assert_int_equal(ff_checkpoint_write(path, b, NULL, 0, NULL), FF_OK);
        }
    }
    assert_same(a, b, 1);
    ff_sim_free(a);
    ff_sim_free(b);
    ff_model_free(model);
}

static void test_refusals(void **state) {
    (void)state;
    ff_model *model = scene_model("rolling", NULL, 0);
    ff_model *other = scene_model("rolling", (const char *const[]){"bodies.ball.mass=155 g"}, 1);
    ff_sim *sim, *heavy, *loose;
    ff_error error = {""};
    ff_run_options o = *ff_model_run(model);
    o.tol = 1e-5;
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    assert_int_equal(ff_sim_create(other, NULL, &heavy, NULL), FF_OK);
    assert_int_equal(ff_sim_create(model, &o, &loose, NULL), FF_OK);
    ff_sim_step(sim, 1);
    assert_int_equal(ff_checkpoint_write(path, sim, NULL, 0, NULL), FF_OK);
    refuse(heavy, "another scene");
    refuse(loose, "another scene, method or tolerance");
    /* every bit counts */
    static char data[100000];
    FILE *file = fopen(path, "rb");
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    assert_true(size > 100 && size < sizeof data);
    for (int turn = 0; turn < 200; turn++) {
        size_t at = (size_t)uniform(24, (double)size);
        data[at] ^= 1;
        put(data, size);
        refuse(sim, "damaged");
        data[at] ^= 1;
    }
    put(data, size - 9);
    refuse(sim, "damaged");
    put(data, 10);
    refuse(sim, "not a checkpoint");
    put("bodies:\n", 8);
    refuse(sim, "not a checkpoint");
    put(data, size);
    assert_int_equal(ff_checkpoint_read(path, sim, NULL, NULL, NULL), FF_OK);
    unlink(path);
    refuse(sim, "No such file");
    assert_int_equal(ff_checkpoint_write("/nowhere/at/all", sim, NULL, 0, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "/nowhere/at/all: No such file"));
    ff_sim_free(sim);
    ff_sim_free(heavy);
    ff_sim_free(loose);
    ff_model_free(model);
    ff_model_free(other);
}

/* A file of a state with another layout has a valid checksum: only its layout and version differ. */
static void test_other_builds(void **state) {
    (void)state;
    enum { VERSION = 24, LAYOUT = 48 }; /* offsets in the header, after 24 bytes of magic */
    static char data[100000];
    ff_model *model = scene_model("rolling", NULL, 0);
    ff_sim *sim;
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    assert_int_equal(ff_checkpoint_write(path, sim, NULL, 0, NULL), FF_OK);
    FILE *file = fopen(path, "rb");
    size_t size = fread(data, 1, sizeof data, file), body = size - sizeof(uint64_t);
    fclose(file);
    assert_true(size < sizeof data && strcmp(data + VERSION, ff_version()) == 0);
    static const size_t places[] = {VERSION, VERSION + 4, LAYOUT, LAYOUT + 7};
    for (size_t i = 0; i <= ROWS(places); i++) {
        if (i < ROWS(places)) {
            data[places[i]] ^= 1;
        }
        /* FNV-1a of everything before the checksum */
        uint64_t sum = 0xcbf29ce484222325u;
        for (size_t k = 0; k < body; k++) {
            sum = (sum ^ (unsigned char)data[k]) * 0x100000001b3u;
        }
        memcpy(data + body, &sum, sizeof sum);
        put(data, size);
        if (i < ROWS(places)) {
            refuse(sim, "another version or build");
            data[places[i]] ^= 1;
        } else {
            assert_int_equal(ff_checkpoint_read(path, sim, NULL, NULL, NULL), FF_OK);
        }
    }
    ff_sim_free(sim);
    ff_model_free(model);
}

/* ---- what a run depends on ---- */

/* Two balls on a slide and a floor, under one force, with these laws. */
static ff_model *pushed(const ff_force_def *force, ff_normal n, ff_friction f) {
    ff_scene *scene = ff_scene_create();
    for (int i = 0; i < 2; i++) {
        ff_body_def def = ff_body_def_default();
        def.name = i ? "second" : "first";
        def.mass = 1;
        def.position[0] = i;
        def.position[2] = 0.2;
        assert_int_equal(ff_scene_add_body(scene, &def), i);
        assert_true(ff_scene_add_sphere(scene, i, NULL, (double[3]){0}, 0.1) >= 0);
    }
    ff_joint_def slide = ff_joint_def_default();
    slide.name = "slide";
    slide.kind = FF_JOINT_PRISMATIC;
    slide.first = -1;
    slide.second = 1;
    memcpy(slide.axis, (double[]){0, 1, 0}, sizeof slide.axis);
    memcpy(slide.anchor, (double[]){1, 0, 0.2}, sizeof slide.anchor);
    assert_true(ff_scene_add_joint(scene, &slide) >= 0);
    assert_true(ff_scene_add_plane(scene, &(ff_plane_def){.size = sizeof(ff_plane_def),
                                                          .name = "floor",
                                                          .normal = {0, 0, 1}}) >= 0);
    ff_pair_def pair = {
        .size = sizeof(ff_pair_def), .a = "first", .b = "floor", .normal = n, .friction = f};
    assert_true(ff_scene_add_pair(scene, &pair) >= 0);
    if (force) {
        assert_true(ff_scene_add_force(scene, force) >= 0);
    }
    ff_model *model;
    ff_error error = {""};
    if (ff_model_create(scene, &model, &error) != FF_OK) {
        fail_msg("%s", error.text);
    }
    ff_scene_free(scene);
    return model;
}

/* fails unless the checkpoint of a run of `ours` is refused by one of `other`, and only by that */
static void assert_distinct(ff_model *ours, ff_model *other, const char *what, size_t which) {
    ff_sim *a, *b;
    ff_error error = {""};
    assert_int_equal(ff_sim_create(ours, NULL, &a, NULL), FF_OK);
    assert_int_equal(ff_sim_create(other, NULL, &b, NULL), FF_OK);
    assert_int_equal(ff_checkpoint_write(path, a, NULL, 0, NULL), FF_OK);
    assert_int_equal(ff_checkpoint_read(path, a, NULL, NULL, NULL), FF_OK);
    assert_holds(ff_checkpoint_read(path, b, NULL, NULL, &error) == FF_BAD_VALUE,
                 "%s, number %zu: a run with another value goes on from the file", what, which);
    assert_non_null(strstr(error.text, "another scene"));
    ff_sim_free(a);
    ff_sim_free(b);
    ff_model_free(ours);
    ff_model_free(other);
}

static ff_normal hertz(void) {
    ff_normal out;
    assert_int_equal(ff_normal_make(&out, ff_normal_law_find("azad-featherstone"),
                                    (double[]){1e6, 1e3, NAN, NAN}, NULL),
                     FF_OK);
    return out;
}

/* each number of a force is changed in turn */
static void test_forces_count(void **state) {
    (void)state;
#define AT(kind, field)                                                                            \
    { kind, offsetof(ff_force_def, field) }
    static const struct {
        ff_force_kind kind;
        size_t at;
    } numbers[] = {AT(FF_FORCE_CONSTANT, force[0]),
                   AT(FF_FORCE_CONSTANT, force[1]),
                   AT(FF_FORCE_CONSTANT, force[2]),
                   AT(FF_FORCE_CONSTANT, torque[0]),
                   AT(FF_FORCE_CONSTANT, torque[1]),
                   AT(FF_FORCE_CONSTANT, torque[2]),
                   AT(FF_FORCE_CONSTANT, from),
                   AT(FF_FORCE_CONSTANT, to),
                   AT(FF_FORCE_TABLE, force[0]),
                   AT(FF_FORCE_SPRING, anchor[0]),
                   AT(FF_FORCE_SPRING, anchor[2]),
                   AT(FF_FORCE_SPRING, other_anchor[1]),
                   AT(FF_FORCE_SPRING, stiffness),
                   AT(FF_FORCE_SPRING, damping),
                   AT(FF_FORCE_SPRING, rest),
                   AT(FF_FORCE_PD, kp),
                   AT(FF_FORCE_PD, kd),
                   AT(FF_FORCE_PD, target[0]),
                   AT(FF_FORCE_PD, target[1]),
                   AT(FF_FORCE_PD, target[2]),
                   AT(FF_FORCE_PD, target_from)};
#undef AT
    double times[] = {0, 1, 2}, factors[] = {0, 1, 0}, other_times[] = {0, 1.5, 2},
           other_factors[] = {0, 1, 0.5};
    ff_friction none = {0};
    for (size_t i = 0; i < ROWS(numbers) + 7; i++) {
        ff_force_def f = ff_force_def_default();
        f.name = "force";
        f.kind = i < ROWS(numbers) ? numbers[i].kind : FF_FORCE_TABLE;
        f.body = 0;
        f.force[0] = f.stiffness = f.kp = f.axis[0] = 1;
        f.from = 0.25;
        f.to = 8;
        f.points = 3;
        f.times = times;
        f.factors = factors;
        ff_force_def other = f;
        ff_model *ours;
        if (i < ROWS(numbers)) {
            *(double *)((char *)&other + numbers[i].at) += 0.5;
        } else if (i == ROWS(numbers)) {
            other.times = other_times;
        } else if (i == ROWS(numbers) + 1) {
            other.factors = other_factors;
        } else if (i == ROWS(numbers) + 2) {
            other.body = 1;
        } else if (i == ROWS(numbers) + 3) {
            other.kind = FF_FORCE_CONSTANT;
        } else if (i == ROWS(numbers) + 4) {
            f.kind = other.kind = FF_FORCE_SPRING;
            other.other = 1;
        } else if (i == ROWS(numbers) + 5) {
            f.kind = other.kind = FF_FORCE_PD;
            memcpy(other.axis, (double[]){0, 0, 1}, sizeof other.axis);
        } else {
            f.joint = other.joint = 0;
            f.body = other.body = -1;
            memset(f.force, 0, sizeof f.force);
            memset(other.force, 0, sizeof other.force);
            f.effort = 1;
            other.effort = 2;
        }
        ours = pushed(&f, hertz(), none);
        assert_distinct(ours, pushed(&other, hertz(), none), "force", i);
    }
    ff_force_def f = ff_force_def_default();
    f.name = "force";
    f.body = 0;
    f.force[0] = 1;
    assert_distinct(pushed(&f, hertz(), none), pushed(NULL, hertz(), none), "no force", 0);
}

/* every parameter of every law of friction */
static void test_friction_counts(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double values[FF_LAW_PARAMS];
    } laws[] = {{"coulomb", {0.2, 1e-3}},
                {"bengisu-akay", {0.25, 0.2, 1e-3, 100}},
                {"dahl", {0.2, 1e5}},
                {"lugre", {0.2, 1e5, 10, 0.01}},
                {"clutch", {0.2, 12.75e6, 3.1e3, 0.1, 0, 0, 0}},
                {"sat", {0.2, 1e5, 1e-4}}};
    for (size_t i = 0; i < ROWS(laws); i++) {
        const ff_friction_law *law = ff_friction_law_find(laws[i].name);
        for (size_t k = 0; k < FF_LAW_PARAMS && law->params[k].name; k++) {
            ff_friction ours, other;
            double values[FF_LAW_PARAMS];
            memcpy(values, laws[i].values, sizeof values);
            assert_int_equal(ff_friction_make(&ours, law, values, NULL), FF_OK);
            values[k] = values[k] == 0 ? 1 : 1.125 * values[k];
            assert_int_equal(ff_friction_make(&other, law, values, NULL), FF_OK);
            assert_distinct(pushed(NULL, hertz(), ours), pushed(NULL, hertz(), other), laws[i].name,
                            k);
        }
    }
}

/* ---- files with a valid checksum ---- */

/* the header of a file: two texts, layout, model, then these sizes */
enum { STATE_SIZE = 64, EXTRA_SIZE = 72, HEAD = 80 };

static void put_right(char *data, size_t size) {
    uint64_t sum = ff_hash(FF_HASH_START, data, size - sizeof sum);
    memcpy(data + size - sizeof sum, &sum, sizeof sum);
    put(data, size);
}

static void test_crafted_files(void **state) {
    (void)state;
    ff_model *model = scene_model("bounce", NULL, 0);
    ff_sim *sim, *other;
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    assert_int_equal(ff_sim_create(model, NULL, &other, NULL), FF_OK);
    assert_int_equal(ff_checkpoint_write(path, sim, "extra", 5, NULL), FF_OK);
    assert_int_equal(finish(sim, 0.1), FF_OK);
    assert_int_equal(finish(other, 0.1), FF_OK);
    static char true_data[100000], data[100000];
    FILE *file = fopen(path, "rb");
    const size_t size = fread(true_data, 1, sizeof true_data, file);
    fclose(file);
    assert_true(size > HEAD && size < sizeof data - 100);
    uint64_t state_size;
    memcpy(&state_size, true_data + STATE_SIZE, sizeof state_size);
    assert_int_equal(HEAD + state_size + 5 + 8, size);
    /* sizes whose sum is correct only after overflow */
    static const uint64_t moved[] = {1, 6, (uint64_t)1 << 63, UINT64_MAX - 4};
    for (size_t i = 0; i < ROWS(moved); i++) {
        uint64_t more = state_size + moved[i], less = 5 - moved[i];
        memcpy(data, true_data, sizeof data);
        memcpy(data + STATE_SIZE, &more, sizeof more);
        memcpy(data + EXTRA_SIZE, &less, sizeof less);
        put_right(data, size);
        /* a state that is some bytes too long or too short is detected by the sim */
        refuse(sim, less > size ? "damaged" : "not contain a valid state of this run");
    }
    /* longer and shorter than the header says */
    memcpy(data, true_data, sizeof data);
    memset(data + size - 8, 0, 64);
    put_right(data, size + 32);
    refuse(sim, "damaged");
    memcpy(data, true_data, sizeof data);
    put_right(data, size - 32);
    refuse(sim, "damaged");
    put_right(data, HEAD + 8);
    refuse(sim, "damaged");
    put_right(data, HEAD + 7);
    refuse(sim, "not a checkpoint");
    /* an impossible state */
    memcpy(data, true_data, sizeof data);
    memset(data + HEAD, 0xff, state_size);
    put_right(data, size);
    refuse(sim, "not contain a valid state of this run");
    /* after every refusal the run continues */
    assert_int_equal(finish(sim, 0.2), FF_OK);
    assert_int_equal(finish(other, 0.2), FF_OK);
    assert_same(sim, other, 1);
    ff_sim_free(sim);
    ff_sim_free(other);
    ff_model_free(model);
}

/* ---- a sim already in use ---- */

/* A sim that has observed a time inside its last step is restored: its queries refer to the restored state, and
 * there is no last step to observe. */
static void test_restored_is_seen(void **state) {
    (void)state;
    ff_model *model = scene_model("bounce", NULL, 0);
    ff_sim *early, *late;
    assert_int_equal(ff_sim_create(model, NULL, &early, NULL), FF_OK);
    assert_int_equal(ff_sim_create(model, NULL, &late, NULL), FF_OK);
    assert_int_equal(finish(late, 0.2), FF_OK);
    assert_int_equal(ff_checkpoint_write(path, late, NULL, 0, NULL), FF_OK);
    assert_int_equal(finish(early, 0.1), FF_OK);
    double from = ff_sim_time(early);
    assert_true(ff_sim_step(early, 0.11) >= 0 && ff_sim_time(early) > from);
    double inside = (from + ff_sim_time(early)) / 2;
    ff_motion now = ff_sim_body(early, 0);
    ff_sim_observe(early, inside);
    ff_motion seen = ff_sim_body(early, 0);
    assert_memory_not_equal(&seen, &now, sizeof now);
    assert_int_equal(ff_checkpoint_read(path, early, NULL, NULL, NULL), FF_OK);
    assert_same(early, late, 1);
    ff_sim_observe(early, inside);
    assert_same(early, late, 1);
    ff_sim_free(early);
    ff_sim_free(late);
    ff_model_free(model);
}

/* ---- the disk ---- */

/* the system's function, which can be made to fail and checks whether the file already has its final name */
static int synced, early_name;
static bool disk_fails;
FF_API int fsync(int file) {
    synced++;
    early_name += access(path, F_OK) == 0;
    errno = disk_fails ? EIO : 0;
    return disk_fails || fcntl(file, F_GETFD) < 0 ? -1 : 0;
}

/* A checkpoint is flushed to disk before it replaces the previous one; if the disk fails, the previous one stays. */
static void test_on_the_disk(void **state) {
    (void)state;
    ff_model *model = scene_model("bounce", NULL, 0);
    ff_sim *sim;
    ff_error error = {""};
    char left[sizeof path + 4];
    snprintf(left, sizeof left, "%s.new", path);
    unlink(path);
    synced = early_name = 0;
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    assert_int_equal(ff_checkpoint_write(path, sim, NULL, 0, NULL), FF_OK);
    assert_true(synced == 1 && early_name == 0 && access(path, F_OK) == 0);
    assert_int_equal(finish(sim, 0.1), FF_OK);
    disk_fails = true;
    assert_int_equal(ff_checkpoint_write(path, sim, NULL, 0, &error), FF_BAD_VALUE);
    disk_fails = false;
    assert_non_null(strstr(error.text, strerror(EIO)));
    assert_true(access(left, F_OK) != 0);
    assert_int_equal(ff_checkpoint_read(path, sim, NULL, NULL, NULL), FF_OK);
    assert_true(ff_sim_time(sim) == 0);
    ff_sim_free(sim);
    ff_model_free(model);
}

static void put_text(const char *name, const char *text) {
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_text(const char *name, const char *text) {
    char read[100] = "";
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    assert_int_equal(fread(read, 1, sizeof read, file), strlen(text));
    fclose(file);
    assert_string_equal(read, text);
}

/* Other files next to a checkpoint are neither overwritten nor removed, whatever their names. */
static void test_files_of_others(void **state) {
    (void)state;
    ff_model *model = scene_model("bounce", NULL, 0);
    ff_sim *sim;
    ff_error error = {""};
    struct stat s;
    char folder[] = "/tmp/footfall-folder-XXXXXX", file[64], first[80], link[80], aim[64], name[80];
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/file", folder);
    snprintf(first, sizeof first, "%s.new", file);
    snprintf(link, sizeof link, "%s.new1", file);
    snprintf(aim, sizeof aim, "%s/aim", folder);
    put_text(first, "somebody's");
    put_text(aim, "whatever");
    assert_int_equal(symlink(aim, link), 0);
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    for (int turn = 0; turn < 2; turn++) {
        /* with and without a failing disk */
        disk_fails = turn == 1;
        assert_int_equal(ff_checkpoint_write(file, sim, NULL, 0, &error),
                         turn == 0 ? FF_OK : FF_BAD_VALUE);
        disk_fails = false;
        assert_text(first, "somebody's");
        assert_text(aim, "whatever");
        assert_true(lstat(link, &s) == 0 && S_ISLNK(s.st_mode));
        snprintf(name, sizeof name, "%s.new2", file);
        assert_true(access(name, F_OK) != 0);
        assert_int_equal(ff_checkpoint_read(file, sim, NULL, NULL, NULL), FF_OK);
    }
    /* with the permissions of any new file */
    mode_t mask = umask(0);
    umask(mask);
    assert_true(stat(file, &s) == 0 && (s.st_mode & 0777) == (0666 & ~mask));
    /* a dangling link is not followed */
    unlink(aim);
    assert_int_equal(ff_checkpoint_write(file, sim, NULL, 0, NULL), FF_OK);
    assert_true(access(aim, F_OK) != 0);
    /* no name is left */
    for (int i = 2; i < 100; i++) {
        snprintf(name, sizeof name, "%s.new%d", file, i);
        put_text(name, "x");
    }
    assert_int_equal(ff_checkpoint_write(file, sim, NULL, 0, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, strerror(EEXIST)));
    for (int i = 2; i < 100; i++) {
        snprintf(name, sizeof name, "%s.new%d", file, i);
        assert_text(name, "x");
        unlink(name);
    }
    /* a directory exists at the path of the file */
    unlink(file);
    assert_int_equal(mkdir(file, 0777), 0);
    assert_int_equal(ff_checkpoint_write(file, sim, NULL, 0, &error), FF_BAD_VALUE);
    assert_text(first, "somebody's");
    rmdir(file);
    /* a directory without write permission: not even root can create files in /proc */
    assert_int_equal(ff_checkpoint_write("/proc/footfall", sim, NULL, 0, &error), FF_BAD_VALUE);
    if (geteuid() != 0) {
        assert_int_equal(chmod(folder, 0555), 0);
        assert_int_equal(ff_checkpoint_write(file, sim, NULL, 0, &error), FF_BAD_VALUE);
        assert_non_null(strstr(error.text, strerror(EACCES)));
        assert_int_equal(chmod(folder, 0777), 0);
    }
    unlink(first);
    unlink(link);
    rmdir(folder);
    ff_sim_free(sim);
    ff_model_free(model);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_scene_and_method),
        cmocka_unit_test(test_stiff),
        cmocka_unit_test(test_mechanisms),
        cmocka_unit_test(test_crowds),
        cmocka_unit_test(test_inclusions_in_c),
        cmocka_unit_test(test_inclusions_in_text),
        cmocka_unit_test(test_definitions_count),
        cmocka_unit_test(test_equations_count),
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_writing_changes_nothing),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_other_builds),
        cmocka_unit_test(test_forces_count),
        cmocka_unit_test(test_friction_counts),
        cmocka_unit_test(test_crafted_files),
        cmocka_unit_test(test_restored_is_seen),
        cmocka_unit_test(test_on_the_disk),
        cmocka_unit_test(test_files_of_others),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    int file = mkstemp(path);
    close(file);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
