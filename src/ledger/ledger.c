/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "ledger.h"
#include "dynamics/dynamics.h"
#include "ode/stepper.h"
#include <math.h>

/* The tangential spring's stiffness depends on depth or load: its path integral W = int k u.du is not
 * what it stores, E = k |u|^2/2. regrade is W - E less what was released, negative where the law made
 * energy (docs/theory.md, Regrade and the passive clutch). The lift of a passive clutch is in W too:
 * then there is nothing to regrade. */
ff_ledger ff_ledger_contact(const ff_model *model, size_t i, ff_mode mode, double t,
                            const double *bodies, const double *y, double release, double cut) {
    const ff_slot *slot = &model->slots[i];
    const double *state = y + model->slot_at + i * FF_CONTACT_STRIDE;
    const double *integral = y + model->integral_at + i * FF_CONTACT_INTEGRALS;
    ff_ledger out = {0};
    bool recovers = mode == FF_AIR && slot->stateful && state[0] > 0;
    bool ignored = mode == FF_FREE && ff_touch_ignored(slot, bodies);
    if ((mode != FF_AIR || slot->law.law->inner == FF_INNER_RATE || recovers) && !ignored) {
        ff_touch touch;
        ff_touch_find(slot, t, bodies, &touch);
        if (recovers) {
            ff_touch_recover(slot, state, &touch);
        } else {
            ff_touch_answer(slot, mode, state, &touch);
        }
        out.normal_spring = ff_touch_normal(slot, state, &touch);
        out.tangential_spring = ff_touch_tangential(slot, state, &touch);
    }
    out.normal_damper = integral[FF_NORMAL_DAMPER];
    out.tangential_damper = integral[FF_TANGENTIAL_DAMPER];
    out.clutch = integral[FF_CLUTCH];
    out.viscous = integral[FF_VISCOUS];
    out.release = release + cut;
    out.regrade = integral[FF_SPRING_WORK] - out.tangential_spring - release;
    out.external = integral[FF_PLANE_WORK];
    return out;
}

void ff_ledger_bodies(const ff_model *model, const double *bodies, const double *y,
                      ff_ledger *out) {
    out->kinetic += ff_dynamics_kinetic(model, bodies);
    out->gravity += ff_dynamics_gravity(model, bodies);
    out->constraint += y[model->run_at + FF_CONSTRAINT_WORK];
    out->dampers += y[model->run_at + FF_DAMPER_WORK];
    out->external += y[model->run_at + FF_APPLIED_WORK];
}

double ff_ledger_sum(const ff_ledger *l) {
    double sum = 0;
#define ADD(name) sum += l->name;
    FF_LEDGER_LIST(ADD)
#undef ADD
    return sum;
}

double ff_ledger_magnitude(const ff_ledger *l, double gravity) {
    ff_ledger from = *l;
    double sum = 0;
    from.gravity -= gravity;
#define ADD(name) sum += fabs(from.name);
    FF_LEDGER_LIST(ADD)
#undef ADD
    return sum;
}

void ff_ledger_close(ff_ledger *l) { l->residual = l->initial - ff_ledger_sum(l); }

/* Steps that are chosen by their error close the ledger to about the tolerance; a thousand times that is no matter of
 * many steps, and 1e-6 leaves room for long runs. Fixed steps, and steps over events that nobody looks for, promise
 * no digits: a hundredth says that the result is not nonsense. */
double ff_ledger_limit(const ff_run_options *o) {
    return ff_method_fixed(o->method) || !o->events ? 1e-2 : fmax(1e-6, 1e3 * o->tol);
}
