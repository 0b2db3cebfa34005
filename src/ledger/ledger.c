/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "ledger.h"
#include "dynamics/dynamics.h"
#include "num/valid.h"
#include "ode/stepper.h"
#include <math.h>

bool ff_books_valid(const ff_books *b) {
    const double numbers[] = {b->release, b->cut,     b->regrade,   b->created,
                              b->graded,  b->watched, b->turned_at, b->turned_sum};
    const ff_hits *h = &b->hits;
    const double sizes[] = {h->count, h->force, h->depth, h->time,  h->slip, h->since,
                            h->began, h->speed, h->spell, h->entry, h->v,    h->span};
    return ff_valid_finite(numbers, sizeof numbers / sizeof *numbers) &&
           ff_valid_flags(&b->turned, 1) && ff_valid_finite(sizes, sizeof sizes / sizeof *sizes) &&
           ff_valid_sizes(sizes, sizeof sizes / sizeof *sizes) && isfinite(h->load) &&
           isfinite(h->swing) && isfinite(h->rate) && ff_valid_flags(&h->acts, 1);
}

/* Friction springs store E = w L: w, the law's `graded`, depends on u, and L is their level, the grade or the load. A
 * change of level at fixed u removes the power P = -w L' from them without doing work (docs/theory.md, Regrade). Since d(w
 * L)/dt = L w' + w L', its integral is that of L w', the graded work, minus w L. This form avoids L', which is infinite if
 * a grade is a root of depth, and requires accelerations if it is a load. Both terms come from the law itself and not from
 * the account of stored energy, so an error in any of them shows in the residual. */
double ff_ledger_graded(const ff_slot *slot, const double *y, const ff_touch *touch) {
    return ff_slot_integral(slot, y, FF_GRADED_WORK) -
           touch->at.graded * ff_touch_level(slot, touch);
}

void ff_ledger_book(ff_books *books, double change) {
    *(change > 0 ? &books->regrade : &books->created) += change;
}

void ff_ledger_catch_up(ff_books *books, double time, double sum) {
    if (books->turned && time > books->turned_at) {
        ff_ledger_book(books, books->turned_sum - books->graded);
        books->graded = books->turned_sum;
    }
    ff_ledger_book(books, sum - books->graded);
}

bool ff_ledger_book_parts(ff_books *books, double *at, int parts, double *theta, double *sum) {
    bool turned = false;
    for (int k = 1; k < parts; k++) {
        double before = at[k] - at[k - 1], after = at[k + 1] - at[k], across = before + after,
               bend = after - before;
        if (before * after < 0) {
            at[k] -= across * across / (8 * bend);
            *theta = (k - across / (2 * bend)) / parts;
            *sum = at[k];
            turned = true;
        }
    }
    for (int k = 1; k <= parts; k++) {
        ff_ledger_book(books, at[k] - at[k - 1]);
    }
    return turned;
}

/* Each account is a state function or an integral of its own power; none is computed as a difference of others. */
ff_ledger ff_ledger_contact(const ff_model *model, size_t i, ff_mode mode, double t,
                            const double *bodies, const double *y, const ff_books *books) {
    const ff_slot *slot = &model->slots[i];
    const double *state = y + slot->state_at;
    ff_books now = *books;
    ff_ledger out = {0};
    bool recovers = ff_touch_recovers(slot, mode, state);
    bool ignored = mode == FF_FREE && ff_touch_ignored(slot, bodies);
    if ((mode != FF_AIR || slot->rests || recovers) && !ignored) {
        ff_touch touch;
        ff_touch_find(slot, t, bodies, &touch);
        if (recovers) {
            ff_touch_recover(slot, state, NULL, &touch);
        } else {
            ff_touch_answer(slot, mode, state, NULL, &touch);
        }
        out.normal_spring = ff_touch_normal(slot, mode, state, &touch);
        if (mode != FF_AIR || recovers) {
            out.tangential_spring = ff_touch_tangential(slot, state, &touch);
            if (slot->graded) {
                ff_ledger_catch_up(&now, t, ff_ledger_graded(slot, y, &touch));
            }
        }
    }
    out.normal_damper = ff_slot_integral(slot, y, FF_NORMAL_DAMPER);
    out.tangential_damper = ff_slot_integral(slot, y, FF_TANGENTIAL_DAMPER);
    out.slip = ff_slot_integral(slot, y, FF_SLIP_LOSS);
    out.viscous = ff_slot_integral(slot, y, FF_VISCOUS);
    out.regrade = now.regrade;
    out.created = now.created;
    out.release = now.release + now.cut;
    out.external = ff_slot_integral(slot, y, FF_PLANE_WORK);
    return out;
}

void ff_ledger_bodies(const ff_model *model, const double *bodies, const double *y,
                      ff_ledger *out) {
    out->kinetic += ff_dynamics_kinetic(model, bodies);
    out->gravity += ff_dynamics_gravity(model, bodies, true);
    out->initial += ff_dynamics_gravity(model, bodies, false);
    out->constraint += ff_run_integral(model, y, FF_CONSTRAINT_WORK);
    out->dampers += ff_run_integral(model, y, FF_DAMPER_WORK);
    out->external += ff_run_integral(model, y, FF_APPLIED_WORK);
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

/* Adaptive steps close the ledger to about the tolerance; a thousand times that cannot be explained by many steps, and 1e-6
 * leaves room for long runs. Fixed steps, and steps over events that are not located, guarantee no accuracy: a hundredth
 * only excludes meaningless results. */
double ff_ledger_limit(const ff_run_options *o) {
    return ff_method_fixed(o->method) || !o->events ? 1e-2 : fmax(1e-6, 1e3 * o->tol);
}
