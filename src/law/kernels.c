/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "kernels.h"
#include "num/isa.h"

/* ---- user-defined laws, one contact at a time ---- */

static ff_normal_answer ask(const ff_normal *law, double z, double zdot, const double *state,
                            double *rate) {
    ff_normal_answer out = {.rate = rate};
    law->respond(law, &(ff_normal_query){.z = z, .zdot = zdot, .state = state}, &out);
    return out;
}

static void own_force(const ff_normal *law, size_t count, const double *z, const double *zdot,
                      const double *state, double *force) {
    static const double none[FF_LAW_STATES];
    for (size_t i = 0; i < count; i++) {
        double at[FF_LAW_STATES];
        for (size_t s = 0; s < (size_t)law->states && state; s++) {
            at[s] = state[s * count + i];
        }
        force[i] = ask(law, z[i], zdot[i], state ? at : none, NULL).force;
    }
}

static void own_respond(const ff_normal *law, const ff_normal_batch *b) {
    for (size_t i = 0; i < b->count; i++) {
        double state[FF_LAW_STATES], rate[FF_LAW_STATES];
        for (size_t s = 0; s < (size_t)law->states; s++) {
            state[s] = b->state[s * b->stride + i];
            rate[s] = 0;
        }
        ff_normal_answer out = ask(law, b->z[i], b->zdot[i], state, rate);
        b->force[i] = out.force;
        b->loss[i] = out.loss;
        for (size_t s = 0; s < (size_t)law->states && b->rate; s++) {
            b->rate[s * b->stride + i] = rate[s];
        }
        if (b->grade) {
            b->grade[i] = out.grade;
            b->ratio[i] = out.ratio;
        }
        if (b->grade_slope) {
            b->grade_slope[i] = out.grade_slope;
        }
    }
}

static double own_push(const ff_normal *law, double z, double zdot, const double *state, bool open,
                       double *rate, double *loss) {
    ff_normal_answer out = {.rate = rate};
    law->respond(law, &(ff_normal_query){z, zdot, state, open}, &out);
    if (loss) {
        *loss = out.loss;
    }
    return out.force;
}

/* Energy that a change of level removes from the springs, J: the mean of its values for u at both ends of the step. */
static double own_regrade(const ff_friction *law, const double *before, const double *after,
                          double last, double level) {
    return law->lifts || !law->law->stored
               ? 0
               : 0.5 * (law->law->stored(law, last, before) - law->law->stored(law, level, before) +
                        law->law->stored(law, last, after) - law->law->stored(law, level, after));
}

static void own_slide(const ff_friction *law, const ff_friction_batch *b) {
    for (size_t i = 0; i < b->count; i++) {
        const size_t states = 3 * (size_t)law->vectors;
        double u[FF_FRICTION_STATES], before[FF_FRICTION_STATES], rate[FF_FRICTION_STATES];
        ff_friction_query q = {.z = b->z ? b->z[i] : 0,
                               .zdot = b->zdot ? b->zdot[i] : 0,
                               .load = b->load[i],
                               .grade = b->grade ? b->grade[i] : 1,
                               .ratio = b->grade ? b->ratio[i] : b->load[i],
                               .grade_slope = b->grade_slope ? b->grade_slope[i] : 0,
                               .u = u};
        ff_friction_answer out = {.rate = rate};
        for (size_t s = 0; s < states; s++) {
            u[s] = b->u[s * b->stride + i];
            before[s] = b->before ? b->before[s * b->stride + i] : u[s];
            rate[s] = 0;
        }
        for (size_t c = 0; c < 3; c++) {
            q.v[c] = b->v[c * b->stride + i];
        }
        law->respond(law, &q, &out);
        for (size_t c = 0; c < 3; c++) {
            b->force[c * b->stride + i] = out.force[c];
        }
        for (size_t s = 0; s < states && b->rate; s++) {
            b->rate[s * b->stride + i] = rate[s];
        }
        b->lift[i] = out.lift;
        b->damper[i] = out.damper;
        b->slip[i] = out.slip;
        b->viscous[i] = out.viscous;
        if (b->level && law->law->level != FF_LEVEL_ONE) {
            double level = law->law->level == FF_LEVEL_GRADE ? q.grade : q.load;
            b->regrade[i] = own_regrade(law, before, u, b->level[i], level);
            b->level[i] = level;
        }
    }
}

static void own_flat(const ff_friction *law, int dimension, double load, const double *v,
                     const double *u, double *force, double *rate, double *lost) {
    double state[FF_FRICTION_STATES] = {0}, rates[FF_FRICTION_STATES] = {0};
    ff_friction_query q = {.load = load, .grade = 1, .ratio = load, .u = state};
    ff_friction_answer out = {.rate = rates};
    for (int c = 0; c < dimension; c++) {
        q.v[c] = v[c];
        for (int i = 0; i < law->vectors; i++) {
            state[3 * i + c] = u[i * dimension + c];
        }
    }
    law->respond(law, &q, &out);
    for (int c = 0; c < dimension; c++) {
        force[c] = out.force[c];
        for (int i = 0; i < law->vectors; i++) {
            rate[i * dimension + c] = rates[3 * i + c];
        }
    }
    if (lost) {
        lost[FF_LOST_DAMPER] = out.damper;
        lost[FF_LOST_SLIP] = out.slip;
        lost[FF_LOST_VISCOUS] = out.viscous;
    }
}

static void own_line(const ff_friction *law, double load, const double *v, const double *u,
                     double *force, double *rate, double *lost) {
    own_flat(law, 1, load, v, u, force, rate, lost);
}

static void own_plane(const ff_friction *law, double load, const double *v, const double *u,
                      double *force, double *rate, double *lost) {
    own_flat(law, 2, load, v, u, force, rate, lost);
}

ff_normal_push ff_normal_push_of(const ff_normal *law) {
    return law->form ? law->form->push : own_push;
}

ff_friction_flat ff_friction_flat_of(const ff_friction *law, int dimension) {
    if (law->form) {
        return dimension == 1 ? law->form->line : law->form->plane;
    }
    return dimension == 1 ? own_line : own_plane;
}

/* ---- instruction sets ---- */

static const struct {
    const char *name;
    int lanes;
} sets[FF_KERNEL_SETS] = {{"scalar", 1}, {"sse2", 2}, {"avx2", 4}, {"avx512", 8}};

/* number of instruction sets that this CPU supports */
static size_t set_count(void) {
#if FF_X86
    static const ff_isa isas[] = {FF_ISA_SSE2, FF_ISA_AVX2, FF_ISA_AVX512};
    size_t count = 1;
    while (count < FF_KERNEL_SETS && ff_isa_has(isas[count - 1])) {
        count++;
    }
    return count;
#else
    return 1;
#endif
}

const char *ff_kernels_name(size_t i, int *lanes) {
    if (i >= set_count()) {
        return NULL;
    }
    *lanes = sets[i].lanes;
    return sets[i].name;
}

size_t ff_kernels_best(void) { return set_count() - 1; }

void ff_normal_use(ff_normal *law, size_t i) {
    static const ff_normal_kernels own = {own_force, own_respond};
    law->kernels = law->form ? law->form->sets[i] : &own;
}

void ff_friction_use(ff_friction *law, size_t i) {
    static const ff_friction_kernels own = {own_slide};
    law->kernels = law->form ? law->form->sets[i] : &own;
}
