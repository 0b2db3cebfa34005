/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <footfall/law.h>
#include <math.h>

/* User-defined laws in a shared object, for the command: docs/own-laws.md.
 *
 *     cc -std=c17 -O2 -ffp-contract=off -fPIC -shared own_law.c -o own_law.so -lm
 *     footfall laws --verify --law ./own_law.so
 *     footfall run scene.yaml --law ./own_law.so */

/* ---- a friction law with an internal state: Dahl 1968 ----
 *
 * a' = v - (k/mu) |v| a, f = -N k a: a bristle whose stiffness is proportional to the load N. It stores N k
 * |a|^2/2. Of the power -f.v = N k a.v, N k a.a' goes into the bristle and N (k^2/mu) |v| |a|^2 is dissipated.
 *
 * Its numbers are not parameters of the table but are reached through its pointer: one object may hold several
 * such tables. */

typedef struct bristle {
    double mu, k; /* coefficient of friction; stiffness per load, 1/m */
} bristle;

static const bristle *bristle_of(const ff_friction *law) { return law->law->user; }

static double length(const double a[3]) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

static void dahl_respond(const ff_friction *law, const ff_friction_query *q,
                         ff_friction_answer *out) {
    const bristle *b = bristle_of(law);
    const double *a = q->u, wear = b->k / b->mu * length(q->v);
    double square = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    for (int i = 0; i < 3; i++) {
        out->rate[i] = q->v[i] - wear * a[i];
        out->force[i] = -q->load * (b->k * a[i]);
        if (out->graded_by) {
            out->graded_by[i] = b->k * a[i];
        }
    }
    out->slip = q->load * b->k * wear * square;
    /* change of the stored energy with the load, d(stored)/d(load), and its slope with respect to a above */
    out->graded = b->k / 2 * square;
}

static double dahl_stored(const ff_friction *law, double load, const double *a) {
    return bristle_of(law)->k / 2 * (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * load;
}

/* |v| has a kink where the motion reverses along a line: steps end there */
static double dahl_bend(const ff_friction *law, const ff_friction_query *q) {
    (void)law;
    return q->v[1] == 0 && q->v[2] == 0 ? q->v[0] : length(q->v);
}

/* the bristle is longest during sliding: mu/k */
static double dahl_reach(const ff_friction *law, double load) {
    (void)load;
    return bristle_of(law)->mu / bristle_of(law)->k;
}

static double dahl_cone(const ff_friction *law) { return bristle_of(law)->mu; }

static bristle rubber = {.mu = 0.2, .k = 1000};

static const ff_friction_law own_dahl = {
    .abi = FF_LAW_ABI,
    .name = "own-dahl",
    .formula = "f = -N k a, a' = v - (k/mu) |v| a, mu = 0.2, k = 1000/m",
    .source = "Dahl 1968",
    .limits = "Drifts under an oscillating force below the friction level.",
    .vectors = 1,           /* a */
    .dry = true,            /* no viscous friction */
    .level = FF_LEVEL_LOAD, /* the stiffness is proportional to the load */
    .respond = dahl_respond,
    .stored = dahl_stored,
    .bend = dahl_bend,
    .reach = dahl_reach,
    .cone = dahl_cone,
    .user = &rubber,
};

/* ---- a normal law without internal state: a hardening spring ----
 *
 * F = max(0, (k z + h z^3)(1 + chi zdot)). Parameters of the table become keys in scenes and options of commands. */

enum { K, H, CHI };

static void hardening_respond(const ff_normal *law, const ff_normal_query *q,
                              ff_normal_answer *out) {
    const double *x = law->values, z = q->z;
    out->grade = 1; /* the contact area does not grow with depth */
    if (z < 0) {
        return; /* without contact all other members are 0 */
    }
    double spring = x[K] * z + x[H] * z * z * z, drag = x[CHI] * q->zdot;
    /* while the force is clamped at 0, the damper dissipates the energy of the spring; `open` requests the law
     * without its clamp, which continues smoothly */
    double damper = q->open ? drag : fmax(drag, -1);
    out->force = spring * (1 + damper);
    out->loss = spring * damper * q->zdot;
    out->ratio = out->force;         /* force / grade */
    out->hold = spring * (1 + drag); /* the force without the clamp: it ends contact at its root */
}

static double hardening_stored(const ff_normal *law, double z, double zdot, const double *state) {
    const double *x = law->values;
    (void)zdot, (void)state;
    return z > 0 ? x[K] * z * z / 2 + x[H] * z * z * z * z / 4 : 0;
}

static const ff_normal_law own_hardening = {
    .abi = FF_LAW_ABI,
    .name = "own-hardening",
    .formula = "F = (k z + h z^3)(1 + chi zdot)",
    .source = "an example; damping as Hunt and Crossley 1975",
    .limits = "e depends on chi v alone.",
    .params = {{"k", "N/m", FF_POSITIVE, INFINITY, NAN, "stiffness at small depths", NULL},
               {"h", "N/m^3", 0, INFINITY, 0, "hardening", NULL},
               {"chi", "s/m", 0, INFINITY, 0, "damping by the elastic force", NULL}},
    .clamps = true,
    .damped = true,
    .respond = hardening_respond,
    .stored = hardening_stored,
};

/* the symbol that the command looks up */
FF_API extern const ff_normal_law *const footfall_normal_laws[];
FF_API extern const ff_friction_law *const footfall_friction_laws[];
const ff_normal_law *const footfall_normal_laws[] = {&own_hardening, NULL};
const ff_friction_law *const footfall_friction_laws[] = {&own_dahl, NULL};
