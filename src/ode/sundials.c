/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "sundials.h"
#include "methods.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if FF_HAVE_SUNDIALS

#include <arkode/arkode_arkstep.h>
#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

/* What CVODES and ARKODE call differently. They return negative numbers where they fail. */
typedef struct {
    int (*create)(ff_sundials *f, ff_method method);
    int (*begin)(ff_sundials *f, double x, double first);
    int (*step)(ff_sundials *f, double stop, double *x);
    int (*at)(ff_sundials *f, double x);
    long (*refused)(ff_sundials *f);
    void (*free)(void **memory);
} family;

struct ff_sundials {
    ff_stepper *stepper;
    const family *calls;
    SUNContext context;
    void *memory;
    N_Vector y, y_weight; /* the states; for ARKODE, which has no quadratures, all components */
    N_Vector q, q_weight; /* CVODES' quadratures; NULL where there are none */
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver fixed_point;
};

/* the library never prints */
static void say_nothing(int code, const char *module, const char *function, char *text,
                        void *user) {
    (void)code, (void)module, (void)function, (void)text, (void)user;
}

/* ---- the system as SUNDIALS calls it ---- */

/* All rates at y into k[1]; 1, which asks for a shorter step, where one of `count` from `first` on is no
 * number; -1, which ends the step, where it is broken off. */
static int evaluate(ff_stepper *s, double x, N_Vector y, size_t first, N_Vector out) {
    double sum = 0;
    size_t count = (size_t)NV_LENGTH_S(out);
    s->rates(s->user, x, NV_DATA_S(y), s->k[1]);
    s->evaluations++;
    if (s->halt.now) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        double rate = s->k[1][first + i];
        NV_DATA_S(out)[i] = rate;
        sum += rate - rate;
    }
    return sum == 0 ? 0 : 1;
}

static int state_rates(double x, N_Vector y, N_Vector out, void *user) {
    return evaluate(user, x, y, 0, out);
}

static int quadrature_rates(double x, N_Vector y, N_Vector out, void *user) {
    ff_stepper *s = user;
    return evaluate(s, x, y, s->states, out);
}

/* Quadratures feed nothing back: their rows stay 0, and Newton's method finds them one turn after the
 * states. So do slopes that are not finite, as that of a root at 0. */
static int slopes(double x, N_Vector y, N_Vector rates, SUNMatrix out, void *user, N_Vector t1,
                  N_Vector t2, N_Vector t3) {
    (void)t1, (void)t2, (void)t3;
    ff_stepper *s = user;
    const size_t m = s->states;
    memcpy(s->k[0], NV_DATA_S(rates), m * sizeof(double));
    ff_stepper_jacobian(s, x, NV_DATA_S(y));
    if (s->halt.now) {
        return -1;
    }
    const double *jacobian = s->matrix + m * m;
    SUNMatZero(out);
    for (size_t column = 0; column < m; column++) {
        double *to = SM_COLUMN_D(out, column);
        for (size_t row = 0; row < m; row++) {
            double slope = jacobian[row * m + column];
            to[row] = isfinite(slope) ? slope : 0;
        }
    }
    return 0;
}

/* ---- CVODES ---- */

static int cvode_create(ff_sundials *f, ff_method method) {
    const bool stiff = method == FF_CVODE_BDF;
    void *m = f->memory = CVodeCreate(stiff ? CV_BDF : CV_ADAMS, f->context);
    if (!m || CVodeInit(m, state_rates, 0, f->y) < 0 ||
        CVodeSetErrHandlerFn(m, say_nothing, NULL) < 0 || CVodeSetUserData(m, f->stepper) < 0 ||
        CVodeSVtolerances(m, 0, f->y_weight) < 0) {
        return -1;
    }
    if (stiff) {
        /* what swings in a contact at rest is where BDF of orders 3 to 5 are unstable */
        if (CVodeSetLinearSolver(m, f->linear, f->matrix) < 0 || CVodeSetJacFn(m, slopes) < 0 ||
            CVodeSetStabLimDet(m, SUNTRUE) < 0) {
            return -1;
        }
    } else if (!(f->fixed_point = SUNNonlinSol_FixedPoint(f->y, 0, f->context)) ||
               CVodeSetNonlinearSolver(m, f->fixed_point) < 0) {
        return -1;
    }
    if (f->q &&
        (CVodeQuadInit(m, quadrature_rates, f->q) < 0 ||
         CVodeQuadSVtolerances(m, 0, f->q_weight) < 0 || CVodeSetQuadErrCon(m, SUNTRUE) < 0)) {
        return -1;
    }
    return 0;
}

static int cvode_begin(ff_sundials *f, double x, double first) {
    int status = CVodeReInit(f->memory, x, f->y);
    status = status < 0 ? status : CVodeSetInitStep(f->memory, first);
    return status < 0 || !f->q ? status : CVodeQuadReInit(f->memory, f->q);
}

static int cvode_step(ff_sundials *f, double stop, double *x) {
    int status = CVodeSetStopTime(f->memory, stop);
    status = status < 0 ? status : CVode(f->memory, stop, f->y, x, CV_ONE_STEP);
    double same;
    return status < 0 || !f->q ? status : CVodeGetQuad(f->memory, &same, f->q);
}

static int cvode_at(ff_sundials *f, double x) {
    int status = CVodeGetDky(f->memory, x, 0, f->y);
    return status < 0 || !f->q ? status : CVodeGetQuadDky(f->memory, x, 0, f->q);
}

static long cvode_refused(ff_sundials *f) {
    long errors = 0, turns = 0, quadratures = 0;
    CVodeGetNumErrTestFails(f->memory, &errors);
    CVodeGetNumStepSolveFails(f->memory, &turns);
    if (f->q) {
        CVodeGetQuadNumErrTestFails(f->memory, &quadratures);
    }
    return errors + turns + quadratures;
}

static const family cvode = {cvode_create, cvode_begin,   cvode_step,
                             cvode_at,     cvode_refused, CVodeFree};

/* ---- ARKODE: its singly diagonally implicit method of order 4 ---- */

static int arkode_create(ff_sundials *f, ff_method method) {
    (void)method;
    void *m = f->memory = ARKStepCreate(NULL, state_rates, 0, f->y, f->context);
    return !m || ARKStepSetErrHandlerFn(m, say_nothing, NULL) < 0 ||
                   ARKStepSetUserData(m, f->stepper) < 0 ||
                   ARKStepSVtolerances(m, 0, f->y_weight) < 0 ||
                   ARKStepSetLinearSolver(m, f->linear, f->matrix) < 0 ||
                   ARKStepSetJacFn(m, slopes) < 0
               ? -1
               : 0;
}

static int arkode_begin(ff_sundials *f, double x, double first) {
    int status = ARKStepReInit(f->memory, NULL, state_rates, x, f->y);
    return status < 0 ? status : ARKStepSetInitStep(f->memory, first);
}

static int arkode_step(ff_sundials *f, double stop, double *x) {
    int status = ARKStepSetStopTime(f->memory, stop);
    return status < 0 ? status : ARKStepEvolve(f->memory, stop, f->y, x, ARK_ONE_STEP);
}

static int arkode_at(ff_sundials *f, double x) { return ARKStepGetDky(f->memory, x, 0, f->y); }

static long arkode_refused(ff_sundials *f) {
    long errors = 0, turns = 0;
    ARKStepGetNumErrTestFails(f->memory, &errors);
    ARKStepGetNumStepSolveFails(f->memory, &turns);
    return errors + turns;
}

static const family arkode = {arkode_create, arkode_begin,   arkode_step,
                              arkode_at,     arkode_refused, ARKStepFree};

/* ---- for the stepper ---- */

/* Absolute tolerances only: the scales of the components are what makes them relative, as for every other
 * method. SUNDIALS takes the root of the mean of squares; over the root of their number it is the root
 * of the sum, and no component is off by more than its weight. */
static N_Vector weights(const double *per_weight, size_t count, SUNContext context) {
    N_Vector out = N_VNew_Serial((sunindextype)count, context);
    for (size_t i = 0; out && i < count; i++) {
        NV_DATA_S(out)[i] = 1 / (per_weight[i] * sqrt((double)count));
    }
    return out;
}

static bool fill(ff_sundials *f, ff_method method, const double *per_weight) {
    const ff_stepper *s = f->stepper;
    const bool apart = method != FF_ARKODE_DIRK;
    const size_t count = apart ? s->states : s->n, rest = s->n - count;
    f->calls = apart ? &cvode : &arkode;
    if (SUNContext_Create(NULL, &f->context) < 0) {
        return false;
    }
    f->y = N_VNew_Serial((sunindextype)count, f->context);
    f->y_weight = weights(per_weight, count, f->context);
    f->matrix = SUNDenseMatrix((sunindextype)count, (sunindextype)count, f->context);
    f->linear = f->y && f->matrix ? SUNLinSol_Dense(f->y, f->matrix, f->context) : NULL;
    if (!f->y_weight || !f->linear) {
        return false;
    }
    N_VConst(0, f->y);
    if (rest > 0) {
        f->q = N_VNew_Serial((sunindextype)rest, f->context);
        f->q_weight = weights(per_weight + count, rest, f->context);
        if (!f->q || !f->q_weight) {
            return false;
        }
        N_VConst(0, f->q);
    }
    return f->calls->create(f, method) == 0;
}

ff_status ff_sundials_create(ff_stepper *s, ff_method method, const double *per_weight,
                             ff_sundials **out) {
    ff_sundials *f = calloc(1, sizeof *f);
    *out = NULL;
    if (!f) {
        return FF_NO_MEMORY;
    }
    f->stepper = s;
    if (!fill(f, method, per_weight)) {
        ff_sundials_free(f);
        return FF_NO_MEMORY;
    }
    *out = f;
    return FF_OK;
}

void ff_sundials_free(ff_sundials *f) {
    if (!f) {
        return;
    }
    if (f->memory) {
        f->calls->free(&f->memory);
    }
    SUNNonlinSolFree(f->fixed_point);
    SUNLinSolFree(f->linear);
    SUNMatDestroy(f->matrix);
    N_VDestroy(f->q_weight);
    N_VDestroy(f->q);
    N_VDestroy(f->y_weight);
    N_VDestroy(f->y);
    SUNContext_Free(&f->context);
    free(f);
}

bool ff_sundials_begin(ff_sundials *f, double x, double most, const double *y) {
    const size_t count = (size_t)NV_LENGTH_S(f->y);
    memcpy(NV_DATA_S(f->y), y, count * sizeof *y);
    if (f->q) {
        memcpy(NV_DATA_S(f->q), y + count, (f->stepper->n - count) * sizeof *y);
    }
    /* the first step is its own choice, 0, but it refuses to choose within rounding of x */
    return f->calls->begin(f, x, most < 1e-12 * fabs(x) ? most : 0) >= 0;
}

static void copy_out(const ff_sundials *f, double *out) {
    const size_t count = (size_t)NV_LENGTH_S(f->y);
    memcpy(out, NV_DATA_S(f->y), count * sizeof *out);
    if (f->q) {
        memcpy(out + count, NV_DATA_S(f->q), (f->stepper->n - count) * sizeof *out);
    }
}

double ff_sundials_step(ff_sundials *f, double x, double stop, double *y1, long *refused) {
    double there = x;
    long before = f->calls->refused(f);
    int status = f->calls->step(f, stop, &there);
    *refused += f->calls->refused(f) - before;
    copy_out(f, y1);
    return status >= 0 && there > x ? there - x : 0;
}

void ff_sundials_at(ff_sundials *f, double x, double *out) {
    f->calls->at(f, x);
    copy_out(f, out);
}

#else

ff_status ff_sundials_create(ff_stepper *s, ff_method method, const double *per_weight,
                             ff_sundials **out) {
    (void)s, (void)method, (void)per_weight;
    *out = NULL;
    return FF_NOT_BUILT;
}

void ff_sundials_free(ff_sundials *f) { (void)f; }

bool ff_sundials_begin(ff_sundials *f, double x, double most, const double *y) {
    (void)f, (void)x, (void)most, (void)y;
    return false;
}

double ff_sundials_step(ff_sundials *f, double x, double stop, double *y1, long *refused) {
    (void)f, (void)x, (void)stop, (void)y1, (void)refused;
    return 0;
}

void ff_sundials_at(ff_sundials *f, double x, double *out) { (void)f, (void)x, (void)out; }

#endif
