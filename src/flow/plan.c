/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "flow.h"
#include "num/valid.h"
#include <math.h>

/* A controller sample makes forces jump, and stiff components respond with a transient that has mostly decayed before the
 * next sample: steps must be short after each sample and grow from there. Error control, which knows only the last step,
 * begins with a step that is too long, grows too slowly while errors decay, and leaves a short remainder before the next
 * sample: 7.7 attempts per millisecond of scenes/quadruped_trot.yaml, compared with 5.8 with a plan. Successive intervals
 * are similar: the k-th step after a sample is as long as the error of the k-th step of the previous interval allows, and
 * all are scaled equally so that a whole number of them fills the interval. Error control still checks each step. */

/* A step that exceeds the suggestion of error control by this factor has 1.1^5 0.9^5 = 0.95 of the allowed error; 1.12
 * saves no more evaluations, since more steps are rejected. */
#define STRETCH 1.1

void ff_plan_leave(ff_flow *f) { f->now.plan.at = -1; }

void ff_plan_forget(ff_flow *f) {
    f->now.plan.at = -1;
    f->now.plan.count = f->now.plan.end = 0;
}

/* Sets the length of the next step if it is planned. */
static void propose(ff_flow *f) {
    const ff_plan *p = &f->now.plan;
    if (p->at < p->end) {
        f->now.step = p->whole && p->at == p->end - 1 ? f->now.next - f->now.clock.x
                                                      : p->scale * p->wanted[p->at];
    }
}

void ff_plan_begin(ff_flow *f) {
    ff_plan *p = &f->now.plan;
    const double interval = f->now.next - f->now.clock.x;
    if (f->now.clock.power > 1 || ff_method_order(f->now.method) == 0) {
        ff_plan_leave(f);
        return;
    }
    if (p->at > 0) {
        p->count = p->at;
    }
    double sum = 0;
    p->end = p->at = 0;
    while (p->end < p->count && STRETCH * sum < interval) {
        sum += p->wanted[p->end++];
    }
    p->whole = p->end > 0 && STRETCH * sum >= interval;
    p->scale = p->whole ? interval / sum : 1;
    propose(f);
}

void ff_plan_taken(ff_flow *f, double h, double factor) {
    ff_plan *p = &f->now.plan;
    if (p->at < 0 || p->at == FF_PLAN_MOST) {
        return;
    }
    p->wanted[p->at++] = h * factor;
    propose(f);
}

void ff_plan_refused(ff_flow *f) { f->now.plan.end = 0; }

bool ff_plan_valid(const ff_flow *f) {
    const ff_plan *p = &f->now.plan;
    bool good = p->count >= 0 && p->count <= FF_PLAN_MOST && p->at >= -1 && p->at <= FF_PLAN_MOST &&
                p->end >= 0 && p->end <= p->count && ff_valid_flags(&p->whole, 1) &&
                isfinite(p->scale) && p->scale >= 0;
    for (int i = 0; i < FF_PLAN_MOST; i++) {
        good = good && isfinite(p->wanted[i]) && p->wanted[i] >= 0;
    }
    return good;
}
