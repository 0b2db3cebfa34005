/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "gait/fixed_point.h"
#include "motion.h"
#include "scene_text.h"
#include <stdlib.h>

/* ---- matrices ---- */

/* fails unless the eigenvalues are these; those of equal modulus may be in any order */
static void assert_eigenvalues(size_t n, const double *a, const double (*wanted)[2],
                               double tolerance) {
    double copy[64], seen[8][2];
    bool used[8] = {false};
    memcpy(copy, a, n * n * sizeof *copy);
    assert_int_equal(ff_matrix_eigenvalues(n, copy, seen), FF_OK);
    for (size_t i = 0; i < n; i++) {
        size_t best = n;
        double least = INFINITY;
        for (size_t k = 0; k < n; k++) {
            double off = hypot(seen[i][0] - wanted[k][0], seen[i][1] - wanted[k][1]);
            if (!used[k] && off < least) {
                least = off;
                best = k;
            }
        }
        assert_holds(least <= tolerance, "eigenvalue %.17g %+.17g i is off by %g", seen[i][0],
                     seen[i][1], least);
        used[best] = true;
        assert_true(i == 0 || hypot(seen[i - 1][0], seen[i - 1][1]) >=
                                  hypot(seen[i][0], seen[i][1]) - tolerance);
    }
}

/* Q d Q^T with Q a product of plane rotations */
static void turned(size_t n, const double *d, double *out) {
    memcpy(out, d, n * n * sizeof *out);
    for (size_t p = 0; p < n; p++) {
        for (size_t q = p + 1; q < n; q++) {
            double angle = uniform(0, 6), c = cos(angle), s = sin(angle);
            for (size_t k = 0; k < n; k++) {
                double x = out[p * n + k], y = out[q * n + k];
                out[p * n + k] = c * x - s * y;
                out[q * n + k] = s * x + c * y;
            }
            for (size_t k = 0; k < n; k++) {
                double x = out[k * n + p], y = out[k * n + q];
                out[k * n + p] = c * x - s * y;
                out[k * n + q] = s * x + c * y;
            }
        }
    }
}

/* rotated block-triangular matrices of known blocks: the algorithm is backward stable, so the tolerance is
 * rounding times the norm, times 100 for the condition of these eigenvalues */
static void eigenvalues_of_turned_blocks(void **state) {
    (void)state;
    for (int turn = 0; turn < 200; turn++) {
        double d[36] = {0}, a[36], wanted[6][2] = {{0}};
        const double re = uniform(-1, 1), im = uniform(0.2, 1);
        for (size_t i = 0; i < 6; i++) {
            for (size_t k = i; k < 6; k++) {
                d[i * 6 + k] = uniform(-1, 1);
            }
        }
        /* a complex pair first, then distinct real eigenvalues */
        d[0] = d[7] = re;
        d[1] = im;
        d[6] = -im;
        wanted[0][0] = wanted[1][0] = re;
        wanted[0][1] = im;
        wanted[1][1] = -im;
        for (size_t i = 2; i < 6; i++) {
            d[i * 7] = wanted[i][0] = 0.4 * (double)i - 1.4 + uniform(-0.1, 0.1);
        }
        turned(6, d, a);
        assert_eigenvalues(6, a, wanted, 1e-12);
    }
}

static void eigenvalues_of_special_matrices(void **state) {
    (void)state;
    /* a cyclic permutation is invariant under the usual shifts; its eigenvalues are roots of unity */
    const double cycle[16] = {0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    assert_eigenvalues(4, cycle, (const double[][2]){{1, 0}, {-1, 0}, {0, 1}, {0, -1}}, 1e-14);
    /* the zero matrix; and a nilpotent one: its only eigenvalue 0 is determined to the cube root of rounding */
    assert_eigenvalues(3, (double[9]){0}, (const double[][2]){{0, 0}, {0, 0}, {0, 0}}, 0);
    const double jordan[9] = {0, 1, 0, 0, 0, 1, 0, 0, 0};
    assert_eigenvalues(3, jordan, (const double[][2]){{0, 0}, {0, 0}, {0, 0}}, 1e-5);
    assert_eigenvalues(1, (double[]){-3}, (const double[][2]){{-3, 0}}, 0);
    assert_eigenvalues(2, (double[]){0, 1, -4, 0}, (const double[][2]){{0, 2}, {0, -2}}, 0);
    double bad[4] = {1, NAN, 0, 1}, values[2][2];
    assert_int_equal(ff_matrix_eigenvalues(2, bad, values), FF_NO_CONVERGENCE);
}

/* ---- fixed points ---- */

/* x -> c + A (x - c) + squares of x - c: c is a fixed point, A the derivative there */
static const double point[3] = {0.3, -0.7, 1.1};
static const double slope[9] = {0.9, -0.8, 0.1, 0.7, 0.6, 0, 0.2, 0.1, -1.5};

static ff_status bent_map(void *user, const double *x, double *out) {
    ++*(int *)user;
    for (size_t i = 0; i < 3; i++) {
        out[i] = point[i];
        for (size_t k = 0; k < 3; k++) {
            out[i] += slope[i * 3 + k] * (x[k] - point[k]);
        }
        double y = x[i] - point[i], z = x[(i + 1) % 3] - point[(i + 1) % 3];
        out[i] += 0.3 * y * z + 0.2 * y * y;
    }
    return FF_OK;
}

static void newton_finds_a_point_that_repels(void **state) {
    (void)state;
    int calls = 0;
    ff_fixed_point_map map = {bent_map, &calls, 3, 1e-5, 1e-13};
    ff_found found;
    double x[3] = {0.5, -0.6, 1.2}, jacobian[9];
    assert_int_equal(ff_fixed_point_find(&map, x, jacobian, false, &found), FF_OK);
    for (size_t i = 0; i < 3; i++) {
        /* the residual is below 1e-13, and (1 - A) is well conditioned */
        assert_near(x[i], point[i], 1e-12);
    }
    assert_true(found.residual <= 1e-13 && found.iterations < 12 && calls < 60);
    /* central differences of a quadratic map have only rounding errors over the step */
    double value[3], kink;
    bent_map(&calls, x, value);
    assert_int_equal(ff_fixed_point_derivative(&map, x, value, jacobian, &kink), FF_OK);
    assert_true(kink == 0);
    for (size_t i = 0; i < 9; i++) {
        assert_near(jacobian[i], slope[i], 1e-10);
    }
}

static ff_status shift_map(void *user, const double *x, double *out) {
    (void)user;
    out[0] = 0.5 * x[0];
    out[1] = x[1] + 0.1;
    return FF_OK;
}

static void maps_without_a_point(void **state) {
    (void)state;
    ff_fixed_point_map map = {shift_map, NULL, 2, 1e-4, 1e-12};
    ff_found found;
    double x[2] = {1, 1}, jacobian[4];
    assert_int_equal(ff_fixed_point_find(&map, x, jacobian, false, &found), FF_SINGULAR);
}

/* x -> -0.5 x, sin(y), |z|/4, with a jump of 1 where x > 2e-6, undefined where y > 1e-5 */
static ff_status broken_map(void *user, const double *x, double *out) {
    ++*(int *)user;
    out[0] = -0.5 * x[0] + (x[0] > 2e-6);
    out[1] = sin(x[1]);
    out[2] = fabs(x[2]) / 4;
    return x[1] > 1e-5 ? FF_UNREACHABLE : FF_OK;
}

static void differences_keep_off_jumps(void **state) {
    (void)state;
    int calls = 0;
    ff_fixed_point_map map = {broken_map, &calls, 3, 1e-4, 1e-13};
    const double x[3] = {0, 0, 1e-3}, value[3] = {0, 0, 2.5e-4}, wanted[3] = {-0.5, 1, 0.25};
    double jacobian[9], kink;
    assert_int_equal(ff_fixed_point_derivative(&map, x, value, jacobian, &kink), FF_OK);
    for (size_t i = 0; i < 9; i++) {
        /* rounding over the smallest step, 2e-7; the error h^2/6 of sin is not larger */
        assert_near(jacobian[i], i % 4 ? 0 : wanted[i / 4], 1e-9);
    }
    assert_true(kink == 0 && calls <= 2 * (3 + 3 + 1));
    /* at the kink the slopes -1/4 and 1/4 differ by a half, however short the step is */
    const double at[3] = {0}, there[3] = {0};
    assert_int_equal(ff_fixed_point_derivative(&map, at, there, jacobian, &kink), FF_OK);
    assert_near(kink, 0.5, 1e-12);
    /* where the map is defined on one side only, there is no derivative */
    const double edge[3] = {0, 1e-5, 1}, beside[3] = {0, sin(1e-5), 0.25};
    assert_int_equal(ff_fixed_point_derivative(&map, edge, beside, jacobian, &kink),
                     FF_UNREACHABLE);
}

/* x -> x/2, with 3e-6 of noise away from 0 */
static ff_status noisy_map(void *user, const double *x, double *out) {
    (void)user;
    out[0] = 0.5 * x[0] + (x[0] != 0 ? 3e-6 : 0);
    return FF_OK;
}

/* Shorter steps have more noise: the longest is the best, with a bend of 2 noise/step and no error, since the noise cancels. */
static void differences_of_a_noisy_map(void **state) {
    (void)state;
    const ff_fixed_point_map map = {noisy_map, NULL, 1, 1e-5, 1e-13};
    double jacobian, kink;
    assert_int_equal(
        ff_fixed_point_derivative(&map, (double[]){0}, (double[]){0}, &jacobian, &kink), FF_OK);
    assert_near(kink, 0.6, 1e-9);
    assert_near(jacobian, 0.5, 1e-9);
}

/* ---- a hopper with a closed-form solution ---- */

/* A point driven by a force b v, on a floor with a linear spring and damper that may pull: in the air v' = -g + b
 * v, below 0 also -k x - l v. Maps a height h at rest to the next height, and gives the time. */
static const double g = 10, push = 0.5, stiffness = 1e4, damping = 10;

static double hop(double h, double *period) {
    /* descent: x = h + (g/b) t - (g/b^2)(exp(bt) - 1) */
    double t = sqrt(2 * h / g), c = g / push;
    for (int i = 0; i < 50; i++) {
        double e = expm1(push * t);
        t += (h + c * t - c / push * e) / (c * e);
    }
    double v = -c * expm1(push * t);
    *period = t;
    /* contact: about -g/k, x'' + 2 beta x' + k x = 0, until x = 0 again */
    double beta = (damping - push) / 2, w = sqrt(stiffness - beta * beta), a = g / stiffness;
    double b = (v + beta * a) / w, low = 0.5 * acos(-1) / w, high = 1.5 * acos(-1) / w;
    for (int i = 0; i < 200; i++) {
        t = (low + high) / 2;
        double x = -g / stiffness + exp(-beta * t) * (a * cos(w * t) + b * sin(w * t));
        *(x < 0 ? &low : &high) = t;
    }
    v = exp(-beta * t) * ((b * w - beta * a) * cos(w * t) - (a * w + beta * b) * sin(w * t));
    *period += t;
    /* ascent, until v = c + (v0 - c) exp(bt) = 0 */
    t = log(c / (c - v)) / push;
    *period += t;
    return c * t + (v - c) * expm1(push * t) / push;
}

static ff_scene *hopper(double height) {
    ff_scene *scene = ff_scene_create();
    ff_body_def def = ff_body_def_default();
    def.name = "point";
    def.mass = 1;
    for (int i = 0; i < 9; i++) {
        def.inertia[i / 3][i % 3] = i % 4 == 0;
    }
    def.position[2] = height;
    def.locked = FF_LOCK_ROTATION | FF_LOCK_X | FF_LOCK_Y;
    int body = ff_scene_add_body(scene, &def);
    ff_scene_add_sphere(scene, body, NULL, (double[]){0, 0, 0}, 0);
    ff_scene_set_gravity(scene, (double[]){0, 0, -g});
    add_floor(scene);
    ff_normal law = normal("linear", (double[]){stiffness, damping, damping, 1});
    add_pair(scene, "point", "floor", law, (ff_friction){0});
    ff_force_def force = ff_force_def_default();
    force.name = "push";
    force.kind = FF_FORCE_PD;
    force.body = body;
    force.axis[2] = 1;
    force.kd = -push;
    assert_true(ff_scene_add_force(scene, &force) >= 0);
    ff_gait_def gait = ff_gait_def_default();
    gait.section = FF_SECTION_MOVING;
    gait.body = body;
    gait.axis[2] = 1;
    assert_int_equal(ff_scene_set_gait(scene, &gait), FF_OK);
    ff_run_options o = ff_run_options_default();
    o.tol = 1e-11;
    ff_scene_set_run(scene, &o);
    return scene;
}

static ff_gait *gait_of(ff_scene *scene) {
    ff_gait *gait;
    ff_error error = {""};
    ff_status status = ff_gait_create(scene, NULL, &gait, &error);
    assert_holds(status == FF_OK, "%s", error.text);
    ff_scene_free(scene);
    return gait;
}

static void a_hop_is_what_the_formulas_say(void **state) {
    (void)state;
    ff_gait *gait = gait_of(hopper(1));
    ff_gait_record record;
    ff_error error = {""};
    double period, height = 1;
    for (int i = 0; i < 3; i++) {
        height = hop(height, &period);
        assert_int_equal(ff_gait_step(gait, &record, &error), FF_OK);
        /* tolerance times the few dozen steps of a hop */
        assert_near(record.period, period, 1e-9);
        assert_near(ff_gait_body(gait, 0).position[2], height, 1e-9);
        assert_near(ff_gait_body(gait, 0).velocity[2], 0, 1e-12);
    }
    assert_true(record.length == 0);
    ff_gait_free(gait);
}

static void a_hopper_that_is_not_stable(void **state) {
    (void)state;
    double low = 0.3, high = 10, period, unused;
    for (int i = 0; i < 200; i++) {
        double h = (low + high) / 2;
        *(hop(h, &period) < h ? &low : &high) = h;
    }
    const double d = 1e-5;
    double multiplier = (hop(low + d, &unused) - hop(low - d, &unused)) / (2 * d);
    assert_true(multiplier > 1.05);
    /* a start nearby: the cycle is unstable */
    ff_gait *gait = gait_of(hopper(1.1 * low));
    ff_gait_cycle cycle;
    ff_error error = {""};
    ff_status status = ff_gait_find(gait, &cycle, &error);
    assert_holds(status == FF_OK, "%s", error.text);
    assert_int_equal(cycle.count, 1);
    /* at a multiplier of 1.2 the error of a step is amplified five times in the fixed point */
    assert_near(ff_gait_body(gait, 0).position[2], low, 1e-8);
    assert_near(cycle.period, period, 1e-8);
    assert_near(cycle.multipliers[0][0], multiplier, 1e-6);
    /* and 1e-9 of the reference, from differences with rounding over d */
    assert_near(cycle.multipliers[0][0], multiplier, cycle.error + 1e-9);
    assert_true(cycle.multipliers[0][1] == 0 && !cycle.stable);
    assert_near(cycle.error, 0, 1e-6);
    ff_gait_free(gait);
}

/* ---- the biped ---- */

#ifdef FF_HAVE_YAML

static ff_gait *gait_in(const char *file, const char *const *settings, size_t count) {
    ff_messages messages = {0};
    ff_scene *scene;
    ff_status status = ff_scene_read(file, settings, count, &scene, &messages);
    tell(&messages);
    assert_holds(status == FF_OK, "%s", told);
    ff_messages_clear(&messages);
    return gait_of(scene);
}

static ff_gait *biped(const char *const *settings, size_t count) {
    return gait_in(FF_SOURCE_DIR "/scenes/biped.yaml", settings, count);
}

/* the start of the reference, slightly lower than the paper's 0.395; and with the swing leg at rest */
#define START "joints.plane.planar.position=[0, 0.3949210026332982]"
#define REST "joints.plane.planar.rate=0", "joints.hip.revolute.rate=1.2565"

/* period, hip height, leg angles (foot in front of the hip), velocity of the hip, rate of the stance leg, for each
 * step: computed independently with Radau's method, accurate to 1e-7 */
static const double steps[][7] = {
    {0.43826816916829775, 0.39510107567008107, -0.24835685214973197, 0.1673426991530266,
     0.49706752318346065, 0.06494288604926239, -1.2566768145887444},
    {0.44137454046529495, 0.3950947588623581, -0.24788735641337883, 0.16747012165076394,
     0.496525589808934, 0.0649150244915583, -1.2553282066044147},
    {0.44182303685227875, 0.39511472296255623, -0.24742538418767432, 0.16709721389530569,
     0.49583007772179516, 0.06466764186197609, -1.2535068597067716},
};

/* the hip, and the angle and rate of each leg, in the reference's convention */
static void read_biped(ff_gait *gait, double out[6]) {
    ff_sim *sim = ff_gait_sim(gait);
    ff_joint_record plane = ff_sim_joint(sim, 0), hip = ff_sim_joint(sim, 1);
    out[0] = plane.position[1];
    out[1] = -plane.position[2];
    out[2] = -plane.position[2] - hip.position[0];
    out[3] = plane.rate[0];
    out[4] = plane.rate[1];
    out[5] = -plane.rate[2] - hip.rate[0];
    assert_near(plane.rate[2], 0, 1e-12);
}

static void the_biped_walks_as_the_reference_does(void **state) {
    (void)state;
    ff_gait *gait = biped((const char *[]){START, REST, "run.tol=1e-8"}, 4);
    ff_error error = {""};
    for (size_t i = 0; i < ROWS(steps); i++) {
        ff_gait_record record;
        double seen[6];
        ff_status status = ff_gait_step(gait, &record, &error);
        assert_holds(status == FF_OK, "%s", error.text);
        read_biped(gait, seen);
        /* accuracy of the reference, 1e-7; the tolerance here is a tenth of it */
        assert_near(record.period, steps[i][0], 1.2e-7);
        for (size_t k = 0; k < 6; k++) {
            assert_near(seen[k], steps[i][1 + k], 1.2e-7);
        }
    }
    ff_gait_free(gait);
}

/* time, hip, leg angles and their rates in the same convention, from the paper's start with the swing leg at
 * 0.0052 rad/s; two tolerances of the reference agree to 3e-7 over the whole run, and to 1e-8 before the second
 * step */
static const double course[][9] = {
    {0.05, 0.0219640623042283, 0.39735649368038606, -0.21748306032519213, 0.11016588546198204,
     0.38725661461311606, 0.034252186686409315, 1.1616107708155665, -0.972835946376024},
    {0.2, 0.06724215889237065, 0.39928103762358325, 0.10170492606693564, -0.0032059396491903374,
     0.28417523136876127, -0.000810509312359423, 2.3575193069196563, -0.7104421360000501},
    {0.39, 0.1523057116196362, 0.3917829893346978, 0.2359056265062018, -0.21723219694592985,
     0.6859867064811084, -0.12029513415917581, -1.4715767246615423, -1.7478761138842058},
    {0.4, 0.15872375618997034, 0.3919359443967809, 0.22029838019490372, -0.23046203371417703,
     0.5986762357105, 0.10336030056777507, -1.5261498343230733, -0.9493986880353141},
    {0.6, 0.23622323056544212, 0.3992758172257542, 0.02513436766936733, 0.006308602069984071,
     0.2668349222764051, 0.004653801360771781, -0.6672508916634203, 2.507518039612808},
    {0.9, 0.3693019594572751, 0.39626304460680417, -0.24290259126756472, 0.14309316655886622,
     0.44835521012006996, 0.04988040705172931, 0.49061051488714313, -1.130097503859374},
    {1.0, 0.4048713956925576, 0.3989475777255439, -0.09356803411000861, 0.053802110073048054,
     0.2856421207507336, 0.011390019534224763, 2.2744907774423586, -0.7149214784934014},
    {2.0, 0.7968357688988851, 0.39921070026493477, 0.18091943647123337, -0.02814481796056886,
     0.3177721197349829, -0.007498630551938421, 1.9516145269291205, -0.7946885375165699},
};

static void the_bipeds_course(void **state) {
    (void)state;
    ff_gait *gait = biped((const char *[]){START}, 1);
    ff_sim *sim = ff_gait_sim(gait);
    for (size_t i = 0; i < ROWS(course); i++) {
        const double t = course[i][0], allowed = t < 0.8 ? 1e-8 : 3e-7;
        while (ff_sim_advance(sim, t) == FF_EVENT) {
        }
        assert_true(ff_sim_time(sim) == t);
        ff_joint_record plane = ff_sim_joint(sim, 0), hip = ff_sim_joint(sim, 1);
        const double seen[] = {plane.position[0],  plane.position[1],
                               -plane.position[2], -plane.position[2] - hip.position[0],
                               plane.rate[0],      plane.rate[1],
                               -plane.rate[2],     -plane.rate[2] - hip.rate[0]};
        for (size_t k = 0; k < 8; k++) {
            assert_near(seen[k], course[i][1 + k], allowed);
        }
    }
    ff_gait_free(gait);
}

/* `error` is the tolerance of the multipliers */
static void assert_cycle(ff_gait *gait, double tolerance, double error) {
    static const double wanted[] = {0.3951580090413718, -0.24705154352654135, 0.1662791636235913,
                                    0.4948661365416676, 0.06420708162876296,  -1.25093267351408};
    ff_gait_cycle cycle;
    ff_error why = {""};
    double seen[6];
    ff_status status = ff_gait_find(gait, &cycle, &why);
    assert_holds(status == FF_OK, "%s", why.text);
    read_biped(gait, seen);
    for (size_t i = 0; i < 6; i++) {
        assert_near(seen[i], wanted[i], tolerance);
    }
    assert_near(cycle.period, 0.44083487803530497, tolerance);
    assert_near(cycle.length, 0.17922696368496654, tolerance);
    assert_near(cycle.speed, 0.4065625761821252, 2 * tolerance);
    assert_true(cycle.stable);
    assert_int_equal(cycle.count, 6);
    /* Converged: central differences of the coordinates over 1e-5 to 1e-7 m, rad, m/s and rad/s give these digits.
     * The reference has 0.3564 +- 0.2906 i and 0.4150 with the same fixed point, consistent with one-sided
     * differences over about 2e-5. */
    assert_near(cycle.multipliers[0][0], 0.35314, error);
    assert_near(cycle.multipliers[0][1], 0.29016, error);
    assert_near(cycle.multipliers[2][0], 0.42062, 3 * error);
    assert_near(cycle.largest, 0.4598827346312633, 0.006);
    assert_near(cycle.multipliers[3][0], 3.32e-4, 5e-6);
    assert_near(cycle.multipliers[4][0], 0, 2e-6);
    /* the reported error is a bound, up to the digits omitted above, and not a large overestimate */
    assert_near(cycle.multipliers[0][0], 0.35314, cycle.error + 5e-6);
    assert_near(cycle.multipliers[2][0], 0.42062, cycle.error + 5e-6);
    assert_true(cycle.error > 0 && cycle.error < 5 * error);
    ff_gait_free(gait);
}

static void the_bipeds_cycle(void **state) {
    (void)state;
    /* 1e-9 of the reference, and that of a tolerance of 1e-10; 1e-9 has errors of up to 6e-9 */
    assert_cycle(biped((const char *[]){"run.tol=1e-10"}, 1), 2e-9, 4e-5);
}

static void the_same_cycle_by_constraints(void **state) {
    (void)state;
    assert_cycle(biped((const char *[]){"run.tol=1e-8", "run.formulation=maximal"}, 2), 2e-8, 4e-5);
}

/* Reported errors are valid: multipliers at loose tolerances differ from those at a tight one by no more than both
 * errors, and the errors are small enough to be useful. */
static void errors_of_multipliers_are_true(void **state) {
    (void)state;
    static const struct {
        const char *file, *tols[6];
        double most
            [6]; /* about ten times truncation and noise at these tolerances, at most 1e-7 for derivatives */
    } cases[] = {
        {FF_SOURCE_DIR "/scenes/biped.yaml",
         {"run.tol=1e-10", "run.tol=1e-8", "run.tol=1e-7", "run.tol=2e-6", "run.tol=1e-5",
          "run.tol=1e-4"},
         {1e-4, 1e-3, 1e-2, 1e-2, 1e-2, 1e-2}},
        {FF_SOURCE_DIR "/scenes/rimless_wheel.yaml",
         {"run.tol=1e-10", "run.tol=1e-8", "run.tol=1e-7", "run.tol=2e-6", "run.tol=1e-5",
          "run.tol=1e-4"},
         {1e-5, 1e-5, 1e-4, 1e-4, 1e-4, 1e-4}},
    };
    for (size_t c = 0; c < ROWS(cases); c++) {
        double wanted[6][2] = {{0}}, known = 0;
        for (size_t i = 0; i < ROWS(cases[c].tols); i++) {
            ff_gait *gait = gait_in(cases[c].file, &cases[c].tols[i], 1);
            ff_gait_cycle cycle;
            ff_error error = {""};
            ff_status status = ff_gait_find(gait, &cycle, &error);
            assert_holds(status == FF_OK, "%s", error.text);
            assert_true(cycle.error > 0 && cycle.error < cases[c].most[i] && cycle.count <= 6);
            for (size_t k = 0; k < cycle.count && i > 0; k++) {
                const double off = hypot(cycle.multipliers[k][0] - wanted[k][0],
                                         cycle.multipliers[k][1] - wanted[k][1]);
                assert_holds(off <= cycle.error + known, "multiplier %zu at %s: off by %g of %g", k,
                             cases[c].tols[i], off, cycle.error);
            }
            if (i == 0) {
                memcpy(wanted, cycle.multipliers, cycle.count * sizeof *wanted);
                known = cycle.error;
            }
            ff_gait_free(gait);
        }
    }
}

/* a mirror along an axis without motion changes nothing */
static void a_mirror_that_shows_the_same(void **state) {
    (void)state;
    ff_gait *plain = biped((const char *[]){"run.tol=1e-6"}, 1),
            *seen = biped((const char *[]){"run.tol=1e-6", "gait.reflect=[0, 2, 0]"}, 2);
    ff_error error = {""};
    for (int i = 0; i < 2; i++) {
        ff_gait_record a, b;
        assert_int_equal(ff_gait_step(plain, &a, &error), FF_OK);
        assert_int_equal(ff_gait_step(seen, &b, &error), FF_OK);
        assert_near(b.period, a.period, 1e-9);
        assert_near(b.length, a.length, 1e-9);
    }
    ff_gait_free(plain);
    ff_gait_free(seen);
}

static void bipeds_that_fall(void **state) {
    (void)state;
    ff_gait *gait = biped((const char *[]){"run.tol=1e-6", "parameters.slope=0.05"}, 2);
    ff_error error = {""};
    ff_motion before = {0};
    ff_status status = FF_OK;
    int walked = 0;
    while (status >= 0 && walked < 10) {
        before = ff_gait_body(gait, 0);
        status = ff_gait_step(gait, NULL, &error);
        walked += status >= 0;
    }
    assert_int_equal(status, FF_UNREACHABLE);
    assert_true(walked >= 1 && walked < 4);
    assert_non_null(strstr(error.text, "it falls: its centre of mass is lower than 0.25 m after"));
    /* it stays in place */
    ff_motion after = ff_gait_body(gait, 0);
    assert_memory_equal(&before, &after, sizeof before);
    ff_gait_free(gait);
    gait = biped((const char *[]){"run.tol=1e-6", "gait.limit=0.1"}, 2);
    assert_int_equal(ff_gait_step(gait, NULL, &error), FF_UNREACHABLE);
    assert_string_equal(error.text, "no step begins within 0.1 s");
    ff_gait_free(gait);
}

/* A stone with a mirror symmetry of normal y tumbles and slides over a floor: the mirror image of its motion is a
 * motion too, so two hops with mirroring lead to the same state as two plain hops. */
static void a_mirror_that_does_not(void **state) {
    (void)state;
#define STONE                                                                                      \
    "bodies:\n  stone:\n    {mass: 1, inertia: [0.01, 0.02, 0.025], position: [0, 0, 0.5],\n"      \
    "     velocity: [0.3, 0.2, 0], omega: [1, 2, 3],\n"                                            \
    "     shape: {spheres: [{center: [0.1, 0, 0], radius: 0.05},\n"                                \
    "                       {center: [-0.05, 0, 0.05], radius: 0.05}]}}\n"                         \
    "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"                            \
    "pairs: [{between: [stone, floor], normal: {law: hunt-crossley, n: 1.5, k: 1e5, lambda: "      \
    "1e4},\n"                                                                                      \
    "         friction: {law: coulomb, mu: 0.3, v_ramp: 0.1}}]\n"                                  \
    "run: {tol: 1e-10}\n"                                                                          \
    "gait: {section: {body: stone, moving: [0, 0, 1]}"
    ff_gait *plain = gait_of(parse_text(STONE "}\n")),
            *seen = gait_of(parse_text(STONE ", reflect: [0, 1, 0]}\n"));
    ff_error error = {""};
    for (int i = 0; i < 2; i++) {
        ff_gait_record a, b;
        assert_int_equal(ff_gait_step(plain, &a, &error), FF_OK);
        assert_int_equal(ff_gait_step(seen, &b, &error), FF_OK);
        /* a hop amplifies rounding differences about a hundredfold */
        assert_near(b.period, a.period, 1e-8);
        ff_motion x = ff_gait_body(plain, 0), y = ff_gait_body(seen, 0);
        double sign = i == 0 ? -1 : 1;
        assert_true(fabs(x.velocity[1]) > 0.01 && fabs(x.omega[0]) > 0.01);
        for (int c = 0; c < 3; c++) {
            double across = c == 1 ? sign : 1, about = c == 1 ? 1 : sign;
            assert_near(y.position[c], across * x.position[c], 1e-8);
            assert_near(y.velocity[c], across * x.velocity[c], 1e-8);
            assert_near(y.omega[c], about * x.omega[c], 1e-7);
            assert_near(y.orientation[1 + c] * y.orientation[0],
                        about * x.orientation[1 + c] * x.orientation[0], 1e-8);
        }
    }
    ff_gait_free(plain);
    ff_gait_free(seen);
#undef STONE
}

/* ---- the rimless wheel, and other images ---- */

/* The step of a wheel of n rigid spokes of length l on a slope, with mass m and moment of inertia I at its hub and
 * perfectly plastic impacts (McGeer 1990). About the stance foot, with J = I + m l^2, the angle a of the spoke to
 * the vertical obeys J a'' = m g l sin a from slope - pi/n to slope + pi/n. The next impact conserves the angular
 * momentum about its foot, and thus keeps eta = (I + m l^2 cos(2 pi/n))/J of the rate. The periodic rate satisfies
 * w^2 = eta^2 (w^2 + E) after the impact, E = 4 (m g l/J) sin(pi/n) sin(slope), and the map of w^2 has the slope
 * eta^2. */
typedef struct rigid_step {
    double period, length, multiplier;
} rigid_step;

static rigid_step rigid_wheel(double n, double l, double m, double inertia, double tilt) {
    const double half = acos(-1) / n, total = inertia + m * l * l, pull = m * 9.81 * l / total;
    const double eta = (inertia + m * l * l * cos(2 * half)) / total, kept = eta * eta;
    const double after = kept / (1 - kept) * 4 * pull * sin(half) * sin(tilt);
    double period = 0;
    /* the midpoint rule with this many intervals is accurate to 1e-9 for a smooth function */
    const int parts = 20000;
    for (int i = 0; i < parts; i++) {
        double angle = tilt - half + 2 * half * (i + 0.5) / parts;
        period += 2 * half / parts / sqrt(after + 2 * pull * (cos(tilt - half) - cos(angle)));
    }
    return (rigid_step){period, 2 * l * sin(half), kept};
}

#define WHEEL FF_SOURCE_DIR "/scenes/rimless_wheel.yaml"

static void the_wheel_becomes_rigid(void **state) {
    (void)state;
    const rigid_step rigid = rigid_wheel(8, 0.5, 2, 0.15, 0.08);
    static const char *const stiffness_of[] = {"parameters.k=1e8", "parameters.k=1e9",
                                               "parameters.k=1e10"};
    double last = 0;
    for (int i = 0; i < 3; i++) {
        ff_gait *gait = gait_in(WHEEL, &stiffness_of[i], 1);
        ff_gait_cycle cycle;
        ff_error error = {""};
        ff_status status = ff_gait_find(gait, &cycle, &error);
        assert_holds(status == FF_OK, "%s", error.text);
        /* a compliant spoke adds the static depth, (m g/k)^(2/3), and the depth of an impact, (2 m
         * v/lambda)^(1/2), which vanishes more slowly: by 10^(1/2) each time */
        const double off = fabs(cycle.period - rigid.period);
        assert_holds(i == 0 || off < last / sqrt(10), "off by %g after %g", off, last);
        last = off;
        assert_int_equal(cycle.count, 4);
        if (i == 2) {
            /* a few times both depths, 2e-6 m and 3e-6 m, over the speed of the hub, 0.7 m/s */
            assert_near(cycle.period, rigid.period, 2e-5);
            /* creep of at most v_ramp = 1e-5 m/s for half a second */
            assert_near(cycle.length, rigid.length, 5e-6);
            assert_near(cycle.multipliers[0][0], rigid.multiplier, 2e-5);
        }
        ff_gait_free(gait);
    }
}

/* wheels that are not invariant under the turn */
static void turns_that_are_no_symmetry(void **state) {
    (void)state;
    static const struct {
        const char *setting, *says;
    } cases[] = {
        {"gait.turn[0].by=[0, 0.7853, 0]", "64 images do not lead back to the walker: a turn must"},
        /* the wrong direction: the target is never reached */
        {"gait.turn[0].by=[0, -2*pi/8, 0]", "no gait that repeats itself was found near by"},
        /* a spoke that these steps do not use */
        {"bodies.wheel.shape.spheres[3].center=[0.36, 0, 0.36]",
         " of the gait is no motion of this walker: a step differs by "},
        {"gait.turn=[]", "say so by swap or turn"},
    };
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_gait *gait = gait_in(WHEEL, &cases[i].setting, 1);
        ff_gait_cycle cycle;
        ff_error error = {""};
        assert_true(ff_gait_find(gait, &cycle, &error) < 0);
        assert_holds(strstr(error.text, cases[i].says), "%s: '%s'", cases[i].setting, error.text);
        ff_gait_free(gait);
    }
}

/* Three points on springs, with phases a third of a period apart, reach their highest points in turn: with an
 * image in which each takes the place of the next, a step is a third of the period and periodic. With the opposite
 * permutation it is two thirds. */
static void three_that_take_turns(void **state) {
    (void)state;
#define POINT(name, at, speed)                                                                     \
    "  " name ": {mass: 1, inertia: [1, 1, 1], lock: [x, y, rx, ry, rz], position: [0, 0, " at     \
    "], velocity: [0, 0, " speed "]}\n"
#define PULL(name) "  s" name ": {pd: {body: " name ", axis: [0, 0, 1], kp: 9, target: [0]}}\n"
#define THREE                                                                                      \
    "gravity: [0, 0, 0]\nbodies:\n" POINT("a", "1", "0") POINT("b", "-0.5", "1.5*sqrt(3)")         \
        POINT("c", "-0.5", "-1.5*sqrt(3)") "forces:\n" PULL("a") PULL("b")                         \
            PULL("c") "run: {tol: 1e-11}\n"                                                        \
                      "gait: {section: {body: a, moving: [0, 0, 1]}, swap: "
    static const struct {
        const char *text;
        double parts;
    } cases[] = {{THREE "[[a, b, c]]}\n", 1}, {THREE "[[a, c, b]]}\n", 2}};
    for (size_t i = 0; i < ROWS(cases); i++) {
        ff_scene *scene = parse_text(cases[i].text);
        assert_holds(scene != NULL, "%s", told);
        assert_int_equal(ff_scene_gait(scene)->swaps, 2);
        ff_gait *gait = gait_of(scene);
        ff_error error = {""};
        for (int k = 0; k < 3; k++) {
            ff_gait_record record;
            assert_int_equal(ff_gait_step(gait, &record, &error), FF_OK);
            /* the tolerance times a few dozen steps */
            assert_near(record.period, cases[i].parts * 2 * acos(-1) / 9, 1e-9);
            assert_near(record.change, 0, 1e-9);
        }
        assert_near(ff_gait_body(gait, 1).position[2], -0.5, 1e-9);
        assert_near(ff_gait_body(gait, 1).velocity[2], 1.5 * sqrt(3), 1e-9);
        assert_near(ff_gait_body(gait, 2).velocity[2], -1.5 * sqrt(3), 1e-9);
        ff_gait_free(gait);
    }
#undef POINT
#undef PULL
#undef THREE
}

/* ---- contacts that touch where steps begin ---- */

static ff_gait *gait_of_text(const char *text) {
    ff_scene *scene = parse_text(text);
    assert_holds(scene != NULL, "%s", told);
    return gait_of(scene);
}

static ff_gait_cycle cycle_of(ff_gait *gait) {
    ff_gait_cycle cycle = {0};
    ff_error error = {""};
    ff_status status = ff_gait_find(gait, &cycle, &error);
    assert_holds(status == FF_OK, "%s", error.text);
    return cycle;
}

/* Multipliers do not depend on where steps begin, apart from zeros: compares two sections of one walker. `fixed`: error of
 * the fixed points, by which multipliers differ in addition to their errors. */
static void assert_same_cycle(const ff_gait_cycle *a, const ff_gait_cycle *b, double fixed) {
    const size_t most = a->count > b->count ? a->count : b->count;
    const double allowed = a->error + b->error + fixed;
    assert_near(a->period, b->period, fixed);
    assert_near(a->length, b->length, fixed);
    for (size_t i = 0; i < most; i++) {
        double x[2] = {0}, y[2] = {0};
        if (i < a->count) {
            memcpy(x, a->multipliers[i], sizeof x);
        }
        if (i < b->count) {
            memcpy(y, b->multipliers[i], sizeof y);
        }
        /* imaginary parts of a pair may be listed in either order */
        assert_holds(fabs(x[0] - y[0]) < allowed && fabs(fabs(x[1]) - fabs(y[1])) < allowed,
                     "multiplier %zu: %.9g + %.9gi, %.9g + %.9gi (errors %g, %g)", i, x[0], x[1],
                     y[0], y[1], a->error, b->error);
    }
}

/* The hopper above, 0.1 m over a belt, slowed down by a drag along it. At its highest point its state is its height and
 * its speed, at its lowest one also the deflection of the friction spring; the multiplier of what flight erases is 0. */
#define BELT(friction, section)                                                                    \
    "gravity: [0, 0, -10]\n"                                                                       \
    "bodies: {point: {mass: 1, inertia: [1, 1, 1], lock: [y, rotation], shape: {sphere: {radius: " \
    "0.1}}, position: [0, 0, 2], velocity: [0.5, 0, -1]}}\n"                                       \
    "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1], surface_velocity: [1, 0, "      \
    "0]}}}\n"                                                                                      \
    "pairs: [{between: [point, floor], normal: {law: linear, k: 1e4, lambda: 10}, friction: "      \
    "{" friction "}}]\n"                                                                           \
    "forces: {push: {body: point, force: [\"-0.5 N s/m*point.velocity[0]\", 0, \"0.5 N "           \
    "s/m*point.velocity[2]\"]}}\n"                                                                 \
    "gait: {section: {body: point, moving: " section "}, direction: [1, 0, 0]}\n"                  \
    "run: {tol: 1e-9}\n"

static void springs_of_friction_are_part_of_the_state(void **state) {
    (void)state;
    static const char *const scenes[][2] = {
        {BELT("law: clutch, k: 2e3, damping: 5, mu: 0.5", "[0, 0, 1]"),
         BELT("law: clutch, k: 2e3, damping: 5, mu: 0.5", "[0, 0, -1]")},
        {BELT("law: lugre, k: 5e3, damping: 20, mu: 0.4", "[0, 0, 1]"),
         BELT("law: lugre, k: 5e3, damping: 20, mu: 0.4", "[0, 0, -1]")},
    };
    for (int i = 0; i < 2; i++) {
        ff_gait *high = gait_of_text(scenes[i][0]), *low = gait_of_text(scenes[i][1]);
        const ff_gait_cycle above = cycle_of(high), below = cycle_of(low);
        assert_int_equal(above.count, 2);
        assert_int_equal(below.count, 3);
        /* residuals of 10 tol, amplified by 1/(1.17 - 1) */
        assert_same_cycle(&above, &below, 1e-7);
        /* of the horizontal speed: friction of the clutch adds to the drag */
        assert_true(i > 0 || fabs(below.multipliers[1][0] - 0.0976) < 1e-4);
        ff_gait_free(high);
        ff_gait_free(low);
    }
}

/* A block on a floor is kept oscillating by a force of van der Pol's form. It never leaves the floor, and its friction
 * spring is never reset. Steps begin where it turns back, on either side. */
#define SLED(section)                                                                              \
    "gravity: [0, 0, -10]\n"                                                                       \
    "bodies: {sled: {mass: 1, inertia: [1, 1, 1], lock: [y, rotation], shape: {sphere: {radius: "  \
    "0.1}}, position: [0.12, 0, 0.099], velocity: [0.1, 0, 0]}}\n"                                 \
    "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"                            \
    "pairs: [{between: [sled, floor], normal: {law: linear, k: 1e4, lambda: 100}, friction: "      \
    "{law: "                                                                                       \
    "clutch, k: 2e3, damping: 20, mu: 0.05}}]\n"                                                   \
    "forces: {push: {body: sled, force: [\"1 N - 100 N/m*sled.position[0] + 2 N s/m*(1 - "         \
    "(sled.position[0]/(0.1 m))^2)*sled.velocity[0]\", 0, 0]}}\n" section "run: {tol: 1e-10}\n"

static void contacts_may_last_for_the_whole_step(void **state) {
    (void)state;
    ff_gait *right = gait_of_text(SLED("gait: {section: {body: sled, moving: [1, 0, 0]}}\n")),
            *left = gait_of_text(SLED("gait: {section: {body: sled, moving: [-1, 0, 0]}}\n"));
    const ff_gait_cycle a = cycle_of(right), b = cycle_of(left);
    /* x, z and its rate, and the spring */
    assert_int_equal(a.count, 4);
    assert_int_equal(b.count, 4);
    /* residuals of 10 tol in two fixed points */
    assert_same_cycle(&a, &b, 1e-8);
    /* A plain run: where the block turns back on the right, its distance from the cycle decreases by the largest
     * multiplier in each period. */
    ff_model *model = model_of_text(SLED("events: {turn: \"sled.velocity[0]\"}\n"));
    ff_sim *sim;
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    double x[14];
    for (int k = 0; k < 14;) {
        assert_int_equal(ff_sim_advance(sim, 100), FF_EVENT);
        const double here = ff_sim_body(sim, 0).position[0];
        if (ff_sim_event(sim)->kind == FF_USER && here > 0) {
            x[k++] = here;
        }
    }
    const double end = ff_gait_body(right, 0).position[0], ratio = (x[13] - end) / (x[12] - end);
    /* the ratio differs by 2.6 per metre of distance, which is 7e-6 m; errors of the run are 1e-10 m */
    assert_near(ratio, a.multipliers[0][0], 1e-4);
    finish(sim, model);
    ff_gait_free(right);
    ff_gait_free(left);
}

/* The text of a file with some words replaced. */
static char *text_with(const char *path, const char *const words[][2], size_t count) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = calloc(1, 20000), *out = calloc(1, 20000);
    assert_true(text && out && fread(text, 1, 19000, file) > 0);
    fclose(file);
    for (size_t i = 0; i < count; i++) {
        char *at = strstr(text, words[i][0]);
        assert_non_null(at);
        snprintf(out, 20000, "%.*s%s%s", (int)(at - text), text, words[i][1],
                 at + strlen(words[i][0]));
        memcpy(text, out, 20000);
    }
    free(out);
    return text;
}

/* The wheel with springs of friction: steps begin on one spoke, as high as the hub comes, or as low as it comes, on two of
 * them. The next spoke inherits the spring of the one before. */
static void springs_are_exchanged_by_a_turn(void **state) {
    (void)state;
    static const char *const words[][2] = {
        {"{law: coulomb, v_ramp: 1e-5, mu: 2}", "{law: clutch, k: 1e7, damping: 1e5, mu: 2}"},
        {"moving: [0, 0, 1]", "moving: [0, 0, -1]"}};
    char *texts[2] = {text_with(WHEEL, words, 1), text_with(WHEEL, words, 2)};
    ff_gait *high = gait_of_text(texts[0]), *low = gait_of_text(texts[1]);
    const ff_gait_cycle above = cycle_of(high), below = cycle_of(low);
    assert_int_equal(above.count, 5);
    assert_int_equal(below.count, 6);
    assert_same_cycle(&above, &below, 1e-6);
    ff_gait_free(high);
    ff_gait_free(low);
    free(texts[0]);
    free(texts[1]);
}

/* ---- rejected gaits ---- */

static void assert_refused(const char *text, ff_status wanted, const char *says) {
    ff_scene *scene = parse_text(text);
    assert_holds(scene != NULL, "%s", told);
    ff_gait *gait = NULL;
    ff_error error = {""};
    ff_status status = ff_gait_create(scene, NULL, &gait, &error);
    if (status == FF_OK) {
        status = ff_gait_step(gait, NULL, &error);
        ff_gait_free(gait);
    }
    assert_int_equal(status, wanted);
    assert_holds(strstr(error.text, says), "'%s' instead of '%s'", error.text, says);
    ff_scene_free(scene);
}

#define BALL "bodies: {ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1]}}\n"
#define HOPS "gait: {section: {body: ball, moving: [0, 0, 1]}"
#define FLOOR "ground: {floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"
#define FALLS FLOOR "pairs: [{between: [ball, floor], normal: {law: linear, k: 1e4, lambda: 1}"

static void scenes_without_a_gait(void **state) {
    (void)state;
    assert_refused(BALL, FF_MISSING, "the scene does not say what a step is: add gait: {section:");
    assert_refused(BALL HOPS "}\nrun: {events: none}\n", FF_BAD_VALUE, "needs located events");
    assert_refused(BALL HOPS "}\nrun: {method: rk4}\n", FF_BAD_VALUE,
                   "'rk4' has steps of one length");
    assert_refused(BALL HOPS "}\nforces: {wind: {constant: {body: ball, force: [1, 0, 0]}, to: 2 "
                             "s}}\n",
                   FF_BAD_VALUE, "force 'wind' depends on time");
    assert_refused(BALL HOPS ", direction: [1, 0, 0]}\njoints: {rail: {prismatic: {between: "
                             "[world, ball], axis: [0, 0, 1]}}}\n",
                   FF_BAD_VALUE, "nothing can travel along the direction");
    /* a ball that falls forever, and one whose steps begin in a contact with internal state */
    assert_refused(BALL HOPS ", limit: 1 s}\n", FF_UNREACHABLE, "no step begins within 1 s");
    assert_refused(
        "bodies: {ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.2], "
        "velocity: [1, 0, 0]}}\n"
        "gait: {section: {body: ball, moving: [0, 0, -1]}}\n" FALLS
        ", friction: {law: bed, mu: 0.5, ratio: 1, tau: 1 ms}}]\n",
        FF_BAD_VALUE,
        "contact 'ball/floor' has an inner state where a step begins that cannot be part of a gait "
        "(of its friction law 'bed')");
}

static void loops_are_refused(void **state) {
    (void)state;
    ff_scene *scene;
    ff_gait *gait;
    ff_error error = {""};
    assert_int_equal(ff_scene_read(FF_SOURCE_DIR "/scenes/fourbar.yaml", NULL, 0, &scene, NULL),
                     FF_OK);
    ff_gait_def def = ff_gait_def_default();
    assert_int_equal(ff_scene_set_gait(scene, &def), FF_BAD_VALUE);
    def.body = 0;
    def.axis[1] = 1;
    def.turns = 1;
    def.turn[0] = (ff_gait_turn){99, {0}};
    assert_int_equal(ff_scene_set_gait(scene, &def), FF_BAD_VALUE);
    def.turn[0] = (ff_gait_turn){0, {0, NAN, 0}};
    assert_int_equal(ff_scene_set_gait(scene, &def), FF_BAD_VALUE);
    def.turns = FF_GAIT_TURNS + 1;
    assert_int_equal(ff_scene_set_gait(scene, &def), FF_BAD_VALUE);
    def.turns = 0;
    assert_int_equal(ff_scene_set_gait(scene, &def), FF_OK);
    assert_int_equal(ff_gait_create(scene, NULL, &gait, &error), FF_BAD_VALUE);
    assert_non_null(strstr(error.text, "closes a loop, and gaits are found for trees of joints"));
    ff_scene_free(scene);
}

static void sections_that_are_wrong(void **state) {
    (void)state;
    static const mistake cases[] = {
        {BALL "gait: {limit: 1 s}\n", "s.yaml:2:1: the gait needs section (where a step begins: "
                                      "{body: .., turning: [0, 1, 0]})\n"},
        {BALL "gait: {section: ball}\n", "s.yaml:2:17: section of the gait must be a map: {body: "
                                         ".., turning: [0, 1, 0]}, not 'ball'\n"},
        {BALL "gait: {section: {body: ball}}\n",
         "s.yaml:2:8: section of the gait needs one of turning, moving\n"},
        {BALL "gait: {section: {body: ball, turning: [0, 1, 0], moving: [0, 0, 1]}}\n",
         "s.yaml:2:50: section of the gait has both turning and moving: give only one\n"},
        {BALL "gait: {section: {body: bal, turning: [0, 1, 0]}}\n",
         "s.yaml:2:24: unknown body 'bal' in section of the gait (did you mean 'ball'?)\n"},
        {BALL "gait: {section: {body: ball, turning: [0, 0, 0]}}\n",
         "s.yaml:2:39: turning of section of the gait has no direction: its length is 0\n"},
        {BALL HOPS ", swap: [[ball, ball]]}\n",
         "s.yaml:2:64: swap of the gait names 'ball' twice\n"},
        {BALL HOPS ", swap: [ball]}\n", "s.yaml:2:57: swap of the gait must be a list of lists of "
                                        "bodies, [[a, b], ..], not 'ball'\n"},
        {BALL HOPS ", swap: ball}\n", "s.yaml:2:56: swap of the gait must be a list of lists of "
                                      "bodies, [[a, b], ..], not 'ball'\n"},
        {BALL HOPS ", swap: [[ball]]}\n", "s.yaml:2:57: swap of the gait must be a list of lists "
                                          "of bodies, [[a, b], ..], not a list of 1\n"},
        {BALL HOPS ", turn: ball}\n", "s.yaml:2:56: turn of the gait must be a list of at most 32 "
                                      "turns, [{body: .., by: [0, 2*pi/8, 0]}, ..], not 'ball'\n"},
        {BALL HOPS ", turn: [ball]}\n", "s.yaml:2:57: turn of the gait must be a list of {body: "
                                        ".., by: [0, 2*pi/8, 0]}, not 'ball'\n"},
        {BALL HOPS ", turn: [{body: ball}]}\n",
         "s.yaml:2:57: turn of the gait needs by (a rotation vector in axes of the body, rad)\n"},
        {BALL HOPS ", turn: [{body: ball, by: [0, 1 s, 0]}]}\n",
         "s.yaml:2:78: by of turn of the gait: '1 s' is a time (s), expected a plain number\n"},
        {BALL HOPS ", turn: [{body: ball, by: [0, 1, 0]}, {body: ball, by: [1, 0, 0]}]}\n",
         "s.yaml:2:86: turn of the gait names a body twice\n"},
        {BALL HOPS ", limit: 0 s}\n", "s.yaml:2:57: limit of the gait is 0, but must be > 0\n"},
        {BALL HOPS ", lowest: 2 s}\n",
         "s.yaml:2:58: lowest of the gait: '2 s' is a time (s), expected a length (m)\n"},
        {BALL HOPS ", mirror: 1}\n", "s.yaml:2:50: unknown key 'mirror' in the gait (known are "
                                     "section, swap, turn, reflect, direction, limit, lowest)\n"},
    };
    ALL_SAY(cases);
}

#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(eigenvalues_of_turned_blocks),
    cmocka_unit_test(eigenvalues_of_special_matrices),
    cmocka_unit_test(newton_finds_a_point_that_repels),
    cmocka_unit_test(maps_without_a_point),
    cmocka_unit_test(differences_keep_off_jumps),
    cmocka_unit_test(differences_of_a_noisy_map),
    cmocka_unit_test(a_hop_is_what_the_formulas_say),
    cmocka_unit_test(a_hopper_that_is_not_stable),
#ifdef FF_HAVE_YAML
    cmocka_unit_test(the_biped_walks_as_the_reference_does),
    cmocka_unit_test(the_bipeds_course),
    cmocka_unit_test(the_bipeds_cycle),
    cmocka_unit_test(the_same_cycle_by_constraints),
    cmocka_unit_test(errors_of_multipliers_are_true),
    cmocka_unit_test(a_mirror_that_shows_the_same),
    cmocka_unit_test(a_mirror_that_does_not),
    cmocka_unit_test(the_wheel_becomes_rigid),
    cmocka_unit_test(springs_of_friction_are_part_of_the_state),
    cmocka_unit_test(springs_are_exchanged_by_a_turn),
    cmocka_unit_test(contacts_may_last_for_the_whole_step),
    cmocka_unit_test(turns_that_are_no_symmetry),
    cmocka_unit_test(three_that_take_turns),
    cmocka_unit_test(bipeds_that_fall),
    cmocka_unit_test(scenes_without_a_gait),
    cmocka_unit_test(loops_are_refused),
    cmocka_unit_test(sections_that_are_wrong),
#endif
};

CHECK_MAIN(tests)
