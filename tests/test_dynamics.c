/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "check.h"
#include "jacobian.h"
#include "law/params.h"
#include <footfall/footfall.h>
#include <stdlib.h>

/* ---- the laws, each with its own numbers ---- */

typedef struct {
    const char *name;
    double values[FF_LAW_PARAMS];
} numbers;

static const numbers normal_numbers[] = {{"linear", {2e4, 20, 10, NAN}},
                                         {"hertz", {8.5e6, NAN}},
                                         {"hunt-crossley", {8.5e6, 3e6, NAN, 1e6, NAN}},
                                         {"marhefka-orin", {2e4, 0.3, 1.2, NAN}},
                                         {"lee-wang", {8.5e6, 1e5, 3e4, NAN}},
                                         {"ristow-schaefer", {8.5e6, 1e5, NAN, NAN}},
                                         {"azad-featherstone", {8.5e6, 3.1e3, 1e3, NAN}},
                                         {"tsuji", {8.5e6, 300, 100, NAN}},
                                         {"lankarani-nikravesh", {8.5e6, 0.7, NAN, NAN, NAN}},
                                         {"flores", {8.5e6, 0.7, 1.3, NAN, NAN}},
                                         {"general", {1e6, 500, 1.3, 0.6, 200, NAN, NAN}},
                                         {"dmt", {8.5e6, 2, 0.03, 3.1e3}},
                                         {"jkr", {8.5e6, 2, 0.03, 3.1e3}},
                                         {"two-term", {8.5e6, 1.5, 1e10, 2.5, 0.4}},
                                         {"xiong", {1e5, 0.0005, 0.001}}};

static const numbers friction_numbers[] = {{"none", {NAN}},
                                           {"coulomb", {0.3, 0.1}},
                                           {"awrejcewicz", {0.3, 0.05}},
                                           {"bengisu-akay", {0.35, 0.3, 0.1, 5}},
                                           {"dahl", {0.3, 1e3}},
                                           {"lugre", {0.3, 1e3, 0.5, 0.1}},
                                           {"clutch", {0.3, 1e5, 30, 2, NAN, NAN, NAN}},
                                           {"sat", {0.3, 1e5, 3e-4}}};

/* a law of the catalogue that is missing in this table is an error of this file */
static const double *values_of(const numbers *table, size_t rows, const char *name) {
    for (size_t i = 0; i < rows; i++) {
        if (strcmp(table[i].name, name) == 0) {
            return table[i].values;
        }
    }
    fail_msg("no numbers for %s", name);
    return NULL;
}

static ff_normal normal_of(const ff_normal_law *law) {
    ff_normal out;
    const double *values = values_of(normal_numbers, ROWS(normal_numbers), law->name);
    assert_int_equal(ff_normal_make(&out, law, values, NULL), FF_OK);
    return out;
}

static ff_friction friction_of(const ff_friction_law *law) {
    ff_friction out;
    const double *values = values_of(friction_numbers, ROWS(friction_numbers), law->name);
    assert_int_equal(ff_friction_make(&out, law, values, NULL), FF_OK);
    return out;
}

/* ---- models ---- */

static const double radius = 0.03, mass = 0.2;

static ff_model *compiled(ff_scene *scene) {
    ff_model *model;
    ff_error error = {""};
    if (ff_model_create(scene, &model, &error) != FF_OK) {
        fail_msg("%s", error.text);
    }
    ff_scene_free(scene);
    return model;
}

static int add_ball(ff_scene *scene, const char *name, double x, unsigned locked) {
    ff_body_def def = ff_body_def_default();
    def.name = name;
    def.mass = mass;
    def.position[0] = x;
    def.locked = locked;
    int body = ff_scene_add_body(scene, &def);
    assert_true(ff_scene_add_sphere(scene, body, NULL, (double[3]){0}, radius) >= 0);
    return body;
}

static void add_pair(ff_scene *scene, const char *b, ff_normal n, ff_friction f, bool stateful,
                     bool deformed) {
    ff_pair_def pair = {.size = sizeof(ff_pair_def),
                        .a = "ball",
                        .b = b,
                        .normal = n,
                        .friction = f,
                        .stateful = stateful,
                        .lever = deformed ? FF_LEVER_DEFORMED : FF_LEVER_RADIUS};
    assert_true(ff_scene_add_pair(scene, &pair) >= 0);
}

/* options of a ball on a tilted plane */
typedef struct {
    ff_normal normal;
    ff_friction friction;
    bool belt;       /* the plane and its surface move */
    bool controller; /* a PD force acts on the ball */
    unsigned locked;
} setting;

static ff_model *ball_on_plane(const setting *s) {
    ff_scene *scene = ff_scene_create();
    ff_plane_def plane = {.size = sizeof(ff_plane_def),
                          .name = "plane",
                          .point = {0.01, 0.02, -0.01},
                          .normal = {0.3, -0.2, 1}};
    if (s->belt) {
        memcpy(plane.velocity, (double[]){0.1, 0.2, -0.3}, sizeof plane.velocity);
        memcpy(plane.surface_velocity, (double[]){-0.5, 0.4, 0.1}, sizeof plane.surface_velocity);
    }
    int body = add_ball(scene, "ball", 0, s->locked);
    assert_true(ff_scene_add_plane(scene, &plane) >= 0);
    add_pair(scene, "plane", s->normal, s->friction, false, false);
    if (s->controller) {
        ff_force_def pd = ff_force_def_default();
        pd.name = "hold";
        pd.kind = FF_FORCE_PD;
        pd.body = body;
        memcpy(pd.axis, (double[]){0.6, 0, 0.8}, sizeof pd.axis);
        pd.kp = 4e3;
        pd.kd = 7;
        assert_true(ff_scene_add_force(scene, &pd) >= 0);
    }
    return compiled(scene);
}

/* ---- random states, away from every kink by a good part of their own size ---- */

static void random_direction(double out[3]) {
    double size;
    do {
        for (int c = 0; c < 3; c++) {
            out[c] = uniform(-1, 1);
        }
        size = sqrt(ff_dot(out, out));
    } while (size > 1 || size < 0.1);
    for (int c = 0; c < 3; c++) {
        out[c] /= size;
    }
}

static void random_tangent(const double n[3], double size, double out[3]) {
    double d[3];
    random_direction(d);
    ff_cross(n, d, out);
    double length = sqrt(ff_dot(out, out));
    for (int c = 0; c < 3; c++) {
        out[c] *= size / length;
    }
}

/* A state, and the scales of its motion: every kink is at least a third of these away. */
typedef struct {
    double *y;
    double length, speed, u, inner;
} point;

/* Depth, closing speed and internal state: `sign` > 0 closing, < 0 opening, and below -1 so fast that the
 * unclamped law pulls. */
static double random_press(const ff_slot *slot, double sign, double *z, double *inner, point *out) {
    const ff_normal *law = &slot->law;
    ff_power power;
    *z = uniform(1e-4, 1e-3);
    out->length = *z;
    out->inner = 1;
    if (law->adhesion > 0) {
        /* adhesive laws load friction where the ratio is positive: at rest, and until the damper cancels it */
        ff_normal_touch(law, 1, inner);
        out->inner = law->states > 0 ? *inner : 1;
        return sign * ff_normal_at(law, *z, 0, inner, NULL).ratio / ff_normal_value(law, "lambda");
    }
    if (law->law->gap) {
        /* the force of xiong ends where z = w (1 - alpha/beta) */
        double part = ff_normal_value(law, "alpha") / ff_normal_value(law, "beta");
        out->length = out->inner = *z * uniform(0.3, 0.8);
        *inner = (*z - (sign < -1 ? -1 : 1) * out->length) / (1 - part);
        return sign;
    }
    if (law->states > 0) {
        out->inner = *inner = uniform(0.5, 2);
    }
    if (!ff_normal_power(law, out->inner, &power)) {
        return sign / ff_normal_value(law, "chi");
    }
    /* F = k z^n (1 + zdot/balance) */
    double lambda = sign < 0 ? power.lambda_out : power.lambda;
    return sign * (lambda > 0 ? power.k * pow(*z, power.n - power.p) / lambda : 1);
}

static double value_of(const ff_friction *law, const char *name) {
    double value = ff_friction_value(law, name);
    return isnan(value) ? 0 : value;
}

/* Slip and deflection, at the fraction `part` of the way to the knee of the friction law. */
static void random_slide(const ff_slot *slot, const double n[3], const ff_normal_answer *press,
                         double part, double slip[3], double u[3], point *out) {
    const ff_friction *f = &slot->friction;
    double v0 = value_of(f, "v_ramp") + value_of(f, "epsilon") + value_of(f, "v0");
    double knee = v0 > 0 ? v0 : 0.3, size = part * knee, k = value_of(f, "k"),
           mu = value_of(f, "mu");
    if (!f->law->slips) {
        random_tangent(n, size, slip);
        out->u = f->vectors > 0 ? 0.5 * mu / k : 1;
        if (f->vectors > 0) {
            random_tangent(n, out->u, u);
        }
        out->speed = fmin(out->speed, fmin(size, fabs(size - knee)));
        return;
    }
    /* the knee of s = k u + damping v (clutch), u + beta v (sat); without load there is only slip */
    bool sat = value_of(f, "beta") > 0;
    double by_u = sat ? 1 : k, by_v = sat ? value_of(f, "beta") : value_of(f, "damping"), s[3];
    knee = mu * fmax(sat ? (press->force + slot->law.adhesion) / k : press->ratio, 0);
    size = knee > 0 ? part * knee : part * 0.3 * by_v;
    random_tangent(n, size, s);
    random_tangent(n, size / by_v, slip);
    for (int c = 0; c < 3; c++) {
        u[c] = (s[c] - by_v * slip[c]) / by_u;
    }
    double away = fmin(size, fabs(size - knee));
    out->u = away / by_u;
    out->speed = fmin(out->speed, away / by_v);
}

/* the law without its clamp */
static ff_normal_answer press_of(const ff_slot *slot, double z, double zdot, const double *state) {
    ff_normal_answer out = {0};
    slot->law.respond(&slot->law, &(ff_normal_query){z, zdot, state, true}, &out);
    return out;
}

static point random_point(const ff_model *model, double t, double sign, double part) {
    const ff_slot *slot = &model->slots[0];
    const double *n = slot->normal;
    point out = {.y = calloc(model->size, sizeof(double))};
    assert_non_null(out.y);
    double *state = out.y + slot->state_at, z, slip[3];
    double zdot = random_press(slot, sign, &z, state, &out);
    ff_normal_answer press = press_of(slot, z, zdot, state);
    out.speed = fabs(zdot);
    random_slide(slot, n, &press, part, slip, state + ff_slot_u(slot), &out);
    /* the body with this motion */
    double *p = out.y + FF_P, *v = out.y + FF_VEL, *omega = out.y + FF_OMEGA, arm[3], turned[3];
    random_tangent(n, uniform(0, 0.03), p);
    ff_add_scaled(p, slot->level + slot->rise * t - z, n, p);
    random_direction(out.y + FF_Q + 1);
    random_direction(omega);
    for (int c = 0; c < 3; c++) {
        omega[c] *= out.speed / radius;
        arm[c] = -radius * n[c];
    }
    ff_cross(omega, arm, turned);
    ff_add_scaled(slip, -zdot, n, v);
    ff_add_scaled(v, 1, slot->skin, v);
    ff_add_scaled(v, -1, turned, v);
    return out;
}

/* ---- the Jacobian compared with differences ---- */

enum { MOST = FF_BODY_STRIDE + 4 };

/* the states that affect others, in the numbering of the simulator */
static size_t number_states(const ff_model *model, int *place) {
    int count = 0;
    for (size_t i = 0; i < model->states; i++) {
        place[i] = model->inert[i] ? -1 : count++;
    }
    return (size_t)count;
}

static double scale_of(const ff_model *model, const point *at, size_t i) {
    size_t u = model->slot_at + (size_t)ff_slot_u(&model->slots[0]);
    return i >= u                ? at->u
           : i >= model->slot_at ? at->inner
           : i >= FF_OMEGA       ? at->speed / radius
           : i >= FF_VEL         ? at->speed
                                 : at->length;
}

/* The terms that add up to a rate, before cancellation: sum |J| |y| over the three rows of a vector; for a moment,
 * that of the force on its lever. */
static double terms(const ff_model *model, const point *at, const double seen[MOST][MOST],
                    size_t row) {
    const size_t u = model->slot_at + (size_t)ff_slot_u(&model->slots[0]);
    bool moment = row >= FF_OMEGA && row < model->slot_at;
    bool inner = row >= model->slot_at && row < u;
    size_t first = row >= u ? u : inner ? row : row >= FF_VEL ? FF_VEL : FF_P;
    double sum = 0;
    for (size_t i = first; i < (inner ? first + 1 : first + 3); i++) {
        for (size_t j = 0; j < model->states; j++) {
            sum += fabs(seen[i][j] * at->y[j]);
        }
    }
    return moment ? sum * mass * radius * model->bodies[0].per_inertia[0][0] : sum;
}

/* Every entry compared with the central difference over h, 1e-4 of the scale of the motion. The error is h^2/6 of
 * the third derivative: 1e-8 of the row's largest term, times less than 10 if a pole as of 1/|s| is a third of
 * that scale away. Rounding: each of the dozen operations of a rate rounds its terms, and the difference divides
 * this by h. */
static void check_jacobian(const ff_model *model, ff_mode mode, double t, const point *at,
                           const char *what) {
    const double step = 1e-4, truncation = 10 * step * step, rounding = 12 * 0x1p-53;
    ff_phase phase = {.modes = &mode, .acting = (bool[]){true}};
    int place[MOST];
    double jacobian[MOST * MOST], seen[MOST][MOST], up[64], down[64];
    const size_t states = model->states;
    assert_true(states <= MOST && model->size <= 64);
    size_t m = number_states(model, place);
    fill_jacobian(model, &phase, t, at->y, place, m, jacobian);
    for (size_t j = 0; j < states; j++) {
        double was = at->y[j], h = step * scale_of(model, at, j), high = was + h, low = was - h;
        at->y[j] = high;
        ff_dynamics_rates(model, &phase, t, at->y, up);
        at->y[j] = low;
        ff_dynamics_rates(model, &phase, t, at->y, down);
        at->y[j] = was;
        for (size_t i = 0; i < states; i++) {
            seen[i][j] = (up[i] - down[i]) / (high - low);
        }
    }
    for (size_t i = 0; i < states; i++) {
        double greatest = 0, sum = terms(model, at, seen, i);
        for (size_t j = 0; j < states; j++) {
            greatest = fmax(greatest, fabs(seen[i][j]) * scale_of(model, at, j));
        }
        for (size_t j = 0; j < states && place[i] >= 0; j++) {
            if (place[j] < 0) {
                continue;
            }
            double scale = scale_of(model, at, j);
            double entry = jacobian[(size_t)place[i] * m + (size_t)place[j]];
            double allowed = (truncation * greatest + rounding * sum / step) / scale;
            assert_holds(
                fabs(entry - seen[i][j]) <= allowed,
                "%s: d(rate %zu)/d(state %zu) is %.10g, by differences %.10g: off by %.2g, "
                "allowed %.2g",
                what, i, j, entry, seen[i][j], entry - seen[i][j], allowed);
        }
    }
}

static void test_jacobian_of_every_law(void **state) {
    (void)state;
    const ff_normal_law *n;
    const ff_friction_law *f;
    for (size_t i = 0; (n = ff_normal_law_at(i)); i++) {
        for (size_t j = 0; (f = ff_friction_law_at(j)); j++) {
            if (f->vectors > 1 || f->of_normal) {
                continue; /* test_bed.c, test_rolling.c */
            }
            for (int turn = 0; turn < 40; turn++) {
                bool filtered = n->rest, slips = turn & 1, pull = turn & 2, clamped = turn & 4;
                setting s = {.normal = normal_of(n),
                             .friction = friction_of(f),
                             .belt = turn & 8,
                             .controller = turn & 16,
                             .locked = turn % 5 == 0 ? FF_LOCK_Y | FF_LOCK_RX : 0};
                double sign = pull                  ? uniform(-2, -1.4)
                              : uniform(0, 1) < 0.5 ? uniform(-0.7, -0.3)
                                                    : uniform(0.3, 1);
                ff_mode mode = !clamped ? FF_LOADED : filtered ? FF_AIR : FF_CLAMPED;
                ff_model *model = ball_on_plane(&s);
                double t = uniform(0, 0.1);
                point at =
                    random_point(model, t, sign, slips ? uniform(1.5, 3) : uniform(0.3, 0.7));
                char what[100];
                snprintf(what, sizeof what, "%s, %s, turn %d", n->name, f->name, turn);
                check_jacobian(model, mode, t, &at, what);
                free(at.y);
                ff_model_free(model);
            }
        }
    }
}

/* touch-down is located to rounding, on either side of z = 0: the damper of the linear law acts there */
static void test_jacobian_at_touch_down(void **state) {
    (void)state;
    setting s = {.normal = normal_of(ff_normal_law_find("linear")),
                 .friction = friction_of(ff_friction_law_find("none"))};
    ff_model *model = ball_on_plane(&s);
    const ff_slot *slot = &model->slots[0];
    int place[MOST];
    double y[64] = {0}, jacobian[MOST * MOST];
    size_t m = number_states(model, place);
    ff_add_scaled(y, slot->level + 1e-17, slot->normal, y + FF_P);
    ff_add_scaled(y, -1, slot->normal, y + FF_VEL);
    ff_phase phase = {.modes = (ff_mode[]){FF_LOADED}, .acting = (bool[]){true}};
    fill_jacobian(model, &phase, 0, y, place, m, jacobian);
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            double entry = jacobian[(size_t)place[FF_VEL + i] * m + (size_t)place[FF_VEL + j]];
            assert_near(entry, -20 / mass * slot->normal[i] * slot->normal[j], 1e-12);
        }
    }
    ff_model_free(model);
}

/* ---- bodies of any inertia, eccentric spheres, two spheres ---- */

/* Options of two bodies: the second is a body with its own sphere, or a plane. */
typedef struct {
    ff_normal normal;
    ff_friction friction;
    bool pair, stateful, off_centre, forces, deformed;
    bool round; /* both bodies */
    unsigned locked;
} meeting;

enum { BODIES_MOST = 2, STATES_MOST = BODIES_MOST * FF_BODY_STRIDE + 5 };

static int add_lump(ff_scene *scene, const char *name, const meeting *m, double r) {
    ff_body_def def = ff_body_def_default();
    def.name = name;
    def.mass = mass * uniform(0.5, 2);
    def.locked = m->round ? m->locked : 0;
    double center[3] = {0}, size = 0.4 * def.mass * r * r;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            def.inertia[i][j] = i == j     ? size * (m->round ? 1 : 1 + 0.5 * i)
                                : m->round ? 0
                                           : 0.1 * size * (i + j);
        }
        center[i] = m->off_centre ? uniform(-r, r) : 0;
    }
    int body = ff_scene_add_body(scene, &def);
    assert_true(body >= 0 && ff_scene_add_sphere(scene, body, NULL, center, r) >= 0);
    return body;
}

static ff_model *two_things(const meeting *m) {
    static const double times[] = {0, 1}, factors[] = {1, 3};
    ff_scene *scene = ff_scene_create();
    int a = add_lump(scene, "ball", m, radius), b = -1;
    if (m->pair) {
        b = add_lump(scene, "other", m, 2 * radius);
    } else {
        ff_plane_def plane = {.size = sizeof(ff_plane_def),
                              .name = "other",
                              .point = {0.01, 0.02, 0},
                              .normal = {0.3, -0.2, 1}};
        assert_true(ff_scene_add_plane(scene, &plane) >= 0);
    }
    add_pair(scene, "other", m->normal, m->friction, m->stateful, m->deformed);
    if (m->forces) {
        ff_force_def spring = ff_force_def_default(), twist = ff_force_def_default();
        spring.name = "spring";
        spring.kind = FF_FORCE_SPRING;
        spring.body = a;
        spring.other = b;
        spring.stiffness = 3e3;
        spring.damping = 7;
        spring.rest = 0.01;
        memcpy(spring.anchor, (double[]){0.02, -0.01, 0.03}, sizeof spring.anchor);
        memcpy(spring.other_anchor, (double[]){-0.04, 0.01, 0.02}, sizeof spring.other_anchor);
        twist.name = "twist";
        twist.kind = FF_FORCE_TABLE;
        twist.body = a;
        memcpy(twist.force, (double[]){1, 2, 3}, sizeof twist.force);
        memcpy(twist.torque, (double[]){0.3, -0.2, 0.1}, sizeof twist.torque);
        twist.points = 2;
        twist.times = times;
        twist.factors = factors;
        assert_true(ff_scene_add_force(scene, &spring) >= 0);
        assert_true(ff_scene_add_force(scene, &twist) >= 0);
    }
    return compiled(scene);
}

/* Both bodies have random orientations and angular velocities; the first is placed at the given depth of contact. */
static point random_meeting(const ff_model *model, double sign, double part) {
    const ff_slot *slot = &model->slots[0];
    point out = {.y = calloc(model->size, sizeof(double))};
    assert_non_null(out.y);
    double *state = out.y + slot->state_at, z, slip[3], n[3], point_velocity[3] = {0};
    memcpy(n, slot->normal, sizeof n);
    if (slot->other >= 0) {
        random_direction(n);
    }
    double zdot = random_press(slot, sign, &z, state, &out);
    ff_normal_answer press = press_of(slot, z, zdot, state);
    out.speed = fabs(zdot);
    random_slide(slot, n, &press, part, slip, state + ff_slot_u(slot), &out);
    double *a = out.y, *b = out.y + FF_BODY_STRIDE, center[2][3] = {{0}}, r[3][3];
    for (size_t i = 0; i < model->body_count; i++) {
        double *body = out.y + i * FF_BODY_STRIDE;
        random_direction(body + FF_Q + 1);
        body[FF_Q] = uniform(-1, 1);
        random_direction(body + FF_VEL);
        random_direction(body + FF_OMEGA);
        for (int c = 0; c < 3; c++) {
            body[FF_OMEGA + c] *= out.speed / radius;
            body[FF_VEL + c] *= out.speed;
            body[FF_P + c] = uniform(-0.1, 0.1);
        }
        ff_rotation(body + FF_Q, r);
        ff_rotate(r, i ? slot->other_center : slot->center, center[i]);
    }
    /* the centre of the first sphere, then its body, then its velocity */
    double far = slot->level - z;
    if (slot->other >= 0) {
        far = slot->radius + slot->other_radius - z;
        ff_add_scaled(b + FF_P, 1, center[1], a + FF_P);
    } else {
        memset(a + FF_P, 0, 3 * sizeof *a);
    }
    ff_add_scaled(a + FF_P, far, n, a + FF_P);
    ff_add_scaled(a + FF_P, -1, center[0], a + FF_P);
    ff_touch touch;
    memset(a + FF_VEL, 0, 3 * sizeof *a);
    ff_touch_find(slot, 0, out.y, &touch);
    assert_near(touch.z, z, 1e-15);
    ff_add_scaled(touch.slide.v, -touch.zdot, n, point_velocity);
    ff_add_scaled(slip, -zdot, n, a + FF_VEL);
    ff_add_scaled(a + FF_VEL, -1, point_velocity, a + FF_VEL);
    return out;
}

static double meeting_scale(const ff_model *model, const point *at, size_t i) {
    const ff_slot *slot = &model->slots[0];
    const size_t u = model->slot_at + (size_t)ff_slot_u(slot), c = i % FF_BODY_STRIDE;
    return slot->stateful && i == model->states - 1 ? at->inner
           : i >= u                                 ? at->u
           : i >= model->slot_at                    ? at->inner
           : c >= FF_OMEGA                          ? at->speed / radius / 4
           : c >= FF_VEL                            ? at->speed
           : c >= FF_Q                              ? at->length / radius / 4
                                                    : at->length;
}

/* Every entry compared with central differences over h and h/2, extrapolated. The error is h^4 of the fifth
 * derivative, with h 1e-3 of the scale of the motion and kinks and poles at least a third of that scale away, plus
 * rounding of the terms of a rate over h: together below 1e-8 of the row's largest term, measured. An omitted term
 * would be at least about 1e-3 of that, as depth to radius. */
static void check_meeting(const ff_model *model, ff_mode mode, const point *at, double part,
                          const char *what) {
    ff_phase phase = {.modes = &mode, .acting = (bool[]){true, true}};
    const size_t states = model->states;
    int place[STATES_MOST];
    static double jacobian[STATES_MOST * STATES_MOST], seen[STATES_MOST][STATES_MOST];
    double up[64], down[64];
    assert_true(states <= STATES_MOST && model->size <= 64);
    size_t m = number_states(model, place);
    fill_jacobian(model, &phase, 0.2, at->y, place, m, jacobian);
    for (size_t j = 0; j < states; j++) {
        for (int half = 0; half < 2; half++) {
            double was = at->y[j], h = (half ? 0.5e-3 : 1e-3) * meeting_scale(model, at, j);
            double high = was + h, low = was - h;
            at->y[j] = high;
            ff_dynamics_rates(model, &phase, 0.2, at->y, up);
            at->y[j] = low;
            ff_dynamics_rates(model, &phase, 0.2, at->y, down);
            at->y[j] = was;
            for (size_t i = 0; i < states; i++) {
                double slope = (up[i] - down[i]) / (high - low);
                seen[i][j] = half ? (4 * slope - seen[i][j]) / 3 : slope;
            }
        }
    }
    for (size_t i = 0; i < states; i++) {
        /* a moment is the force on its lever, which may cancel */
        bool moment = i < model->slot_at && i % FF_BODY_STRIDE >= FF_OMEGA;
        const ff_model_body *body = &model->bodies[moment ? i / FF_BODY_STRIDE : 0];
        double greatest = 0, lever = radius * body->mass * body->per_inertia[0][0];
        for (size_t j = 0; j < states; j++) {
            double scale = meeting_scale(model, at, j);
            greatest = fmax(greatest, fabs(seen[i][j]) * scale);
            for (size_t c = 0; moment && c < 3; c++) {
                size_t force = i - i % FF_BODY_STRIDE + FF_VEL + c;
                greatest = fmax(greatest, fabs(seen[force][j]) * scale * lever);
            }
        }
        for (size_t j = 0; j < states && place[i] >= 0; j++) {
            if (place[j] < 0) {
                continue;
            }
            double scale = meeting_scale(model, at, j);
            double entry = jacobian[(size_t)place[i] * m + (size_t)place[j]];
            double allowed = part * greatest / scale;
            assert_holds(
                fabs(entry - seen[i][j]) <= allowed,
                "%s: d(rate %zu)/d(state %zu) is %.10g, by differences %.10g: off by %.2g, "
                "allowed %.2g",
                what, i, j, entry, seen[i][j], entry - seen[i][j], allowed);
        }
    }
}

static void test_jacobian_of_every_meeting(void **state) {
    (void)state;
    const ff_normal_law *n;
    const ff_friction_law *f;
    for (size_t i = 0; (n = ff_normal_law_at(i)); i++) {
        for (size_t j = 0; (f = ff_friction_law_at(j)); j++) {
            if (f->vectors > 1 || f->of_normal) {
                continue; /* test_bed.c, test_rolling.c */
            }
            for (int turn = 0; turn < 128; turn++) {
                bool slips = turn & 1, pull = turn & 2, clamped = turn & 4;
                bool filtered = n->rest;
                meeting m = {.normal = normal_of(n),
                             .friction = friction_of(f),
                             .pair = turn & 8,
                             .off_centre = turn & 16,
                             .forces = turn & 32,
                             .round = turn & 64,
                             .deformed = turn % 9 < 4,
                             .locked = turn % 5 == 0 ? FF_LOCK_Y | FF_LOCK_RX : 0};
                ff_power power;
                m.stateful = n->recover && ff_normal_power(&m.normal, 1, &power) &&
                             power.p < power.n && power.lambda_out > 0 && turn % 3 == 0;
                if (strcmp(f->name, "clutch") == 0 && turn % 7 < 4 && !(n->gap && n->leave)) {
                    /* `passive`, which is not allowed with jkr */
                    m.friction.values[4] = 1;
                    ff_friction_make(&m.friction, f, m.friction.values, NULL);
                }
                double sign = pull                  ? uniform(-2, -1.4)
                              : uniform(0, 1) < 0.5 ? uniform(-0.7, -0.3)
                                                    : uniform(0.3, 1);
                ff_mode mode = turn % 11 == 0 ? FF_FREE
                               : !clamped     ? FF_LOADED
                               : filtered     ? FF_AIR
                                              : FF_CLAMPED;
                if (m.stateful && mode == FF_FREE) {
                    mode = FF_AIR;
                }
                ff_model *model = two_things(&m);
                point at = random_meeting(model, sign, slips ? uniform(1.5, 3) : uniform(0.3, 0.7));
                if (m.stateful && mode == FF_AIR) {
                    at.y[model->states - 1] = at.inner = 3 * at.length;
                }
                char what[100];
                snprintf(what, sizeof what, "%s, %s, turn %d", n->name, f->name, turn);
                check_meeting(model, mode, &at, 1e-8, what);
                free(at.y);
                ff_model_free(model);
            }
        }
    }
}

/* ---- user-defined laws ---- */

/* built-in laws as user-defined ones: only force, rates, grade and other members that are not derivatives are
 * filled in */
static void own_normal(const ff_normal *law, const ff_normal_query *q, ff_normal_answer *out) {
    const ff_normal *real = law->law->user;
    real->respond(real, q, out);
}

static void own_friction(const ff_friction *law, const ff_friction_query *q,
                         ff_friction_answer *out) {
    const ff_friction *real = law->law->user;
    real->respond(real, q, out);
}

/* The table is the library's, except for `respond`, `slopes` and `user`. */
static void test_jacobian_of_own_laws(void **state) {
    (void)state;
    const ff_normal_law *n;
    const ff_friction_law *f;
    for (size_t i = 0; (n = ff_normal_law_at(i)); i++) {
        for (size_t j = 0; (f = ff_friction_law_at(j)); j++) {
            if (f->vectors > 1 || f->of_normal) {
                continue; /* test_bed.c, test_rolling.c */
            }
            ff_normal normal = normal_of(n);
            ff_friction friction = friction_of(f);
            ff_normal_law own_n = *n;
            ff_friction_law own_f = *f;
            own_n.respond = own_normal;
            own_n.slopes = NULL;
            own_n.user = &normal;
            own_f.respond = own_friction;
            own_f.slopes = NULL;
            own_f.user = &friction;
            for (int turn = 0; turn < 16; turn++) {
                meeting m = {.normal = normal,
                             .friction = friction,
                             .pair = turn & 1,
                             .off_centre = turn & 2,
                             .round = turn & 4};
                m.normal.law = &own_n;
                m.normal.form = NULL;
                m.normal.respond = own_normal;
                m.friction.law = &own_f;
                m.friction.form = NULL;
                m.friction.respond = own_friction;
                ff_model *model = two_things(&m);
                point at = random_meeting(model, uniform(0.3, 1),
                                          turn & 8 ? uniform(1.5, 3) : uniform(0.3, 0.7));
                char what[100];
                snprintf(what, sizeof what, "own %s, %s, turn %d", n->name, f->name, turn);
                /* differences of the law: digits are lost where a value is 0 and its scale is that of something
                 * else */
                check_meeting(model, FF_LOADED, &at, 1e-6, what);
                free(at.y);
                ff_model_free(model);
            }
        }
    }
}

/* ---- without contact ---- */

/* above the ground only gravity acts, whatever the internal states: v' = g, omega' = u' = 0 */
static void test_nothing_acts_in_the_air(void **state) {
    (void)state;
    const ff_normal_law *n;
    const ff_friction_law *f;
    for (size_t i = 0; (n = ff_normal_law_at(i)); i++) {
        for (size_t j = 0; (f = ff_friction_law_at(j)); j++) {
            if (f->vectors > 1 || f->of_normal) {
                continue; /* test_bed.c, test_rolling.c */
            }
            setting s = {.normal = normal_of(n), .friction = friction_of(f), .belt = true};
            ff_model *model = ball_on_plane(&s);
            point at = random_point(model, 0, 0.5, 2);
            ff_add_scaled(at.y, 0.01, model->slots[0].normal, at.y);
            for (int free_mode = 0; free_mode < 2; free_mode++) {
                double dy[64];
                ff_phase phase = {.modes = (ff_mode[]){free_mode ? FF_FREE : FF_AIR}};
                ff_dynamics_rates(model, &phase, 0, at.y, dy);
                for (int c = 0; c < 3; c++) {
                    assert_near(dy[FF_VEL + c], model->gravity[c], 0);
                    assert_near(dy[FF_OMEGA + c], 0, 0);
                }
                size_t u = model->slot_at + (size_t)ff_slot_u(&model->slots[0]);
                for (size_t c = u; c < model->states; c++) {
                    assert_near(dy[c], 0, 0);
                }
            }
            free(at.y);
            ff_model_free(model);
        }
    }
}

/* the same for one pair in a user's loop */
static void test_no_friction_without_contact(void **state) {
    (void)state;
    const ff_normal_law *n;
    ff_friction clutch = friction_of(ff_friction_law_find("clutch"));
    for (size_t i = 0; (n = ff_normal_law_at(i)); i++) {
        ff_normal normal = normal_of(n);
        double u_rate[3] = {1, 1, 1};
        ff_contact_query q = {.depth = -1e-3, .slip = {0.5, 0, 0}, .inner = (double[]){1e-4}};
        ff_contact_answer out = {.u_rate = u_rate};
        ff_contact_force(&normal, &clutch, &q, &out);
        assert_true(out.normal == 0 && out.friction[0] == 0 && u_rate[0] == 0);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_jacobian_of_every_law),
    cmocka_unit_test(test_jacobian_of_every_meeting),
    cmocka_unit_test(test_jacobian_at_touch_down),
    cmocka_unit_test(test_jacobian_of_own_laws),
    cmocka_unit_test(test_nothing_acts_in_the_air),
    cmocka_unit_test(test_no_friction_without_contact),
};

CHECK_MAIN(tests)
