/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "inclusion.h"
#include "num/hash.h"
#include "num/valid.h"

/* Validation of a restored state, and the fingerprint of a run. */

bool ff_inclusion_knows(const void *self, const ff_event *event) {
    const ff_inclusion_def *def = &((const ff_inclusion *)self)->def;
    const size_t most[FF_EVENT_KINDS] = {
        [FF_TOUCHDOWN] = def->dio_count, [FF_LIFTOFF] = def->dio_count,
        [FF_CLEAR] = def->dio_count,     [FF_STICK] = def->sgn_count,
        [FF_SLIP] = def->sgn_count,      [FF_SWITCH] = def->switch_count,
        [FF_USER] = def->event_count};
    return event->contact >= 0 && (size_t)event->contact < most[event->kind];
}

bool ff_inclusion_valid(const ff_sim *sim) {
    const ff_inclusion *inc = sim->own;
    const ff_flow *f = &sim->flow;
    const ff_inclusion_phase *phase = &inc->phases[0];
    const double switched = ff_inclusion_next(inc, ff_flow_time(f));
    bool good = *phase->brink == nextafter(switched, -INFINITY) &&
                ff_valid_flags(phase->above, inc->watched) &&
                ff_valid_positive(inc->scales, inc->lost_at) &&
                /* scales of accounts may be infinite: the energy is defined by the caller */
                ff_valid_sizes(inc->scales + inc->lost_at, inc->size - inc->lost_at) &&
                ff_valid_sizes(inc->sizes, f->roots) && ff_inclusion_survey_valid(inc);
    for (size_t i = 0; i < inc->def.sgn_count && good; i++) {
        good = ff_books_valid(&phase->books[i]);
    }
    return good;
}

/* ---- fingerprint ---- */

static uint64_t hash_dio(uint64_t h, const ff_dio_def *d) {
    h = ff_fingerprint_normal(ff_hash_text(h, d->name), &d->law);
    return FF_HASH(FF_HASH(h, d->e), d->scale);
}

static uint64_t hash_sgn(uint64_t h, const ff_sgn_def *s) {
    h = ff_fingerprint_friction(ff_hash_text(h, s->name), &s->law);
    h = FF_HASH(FF_HASH(h, s->dimension), s->a);
    return FF_HASH(FF_HASH(h, s->shape), s->scale);
}

uint64_t ff_inclusion_fingerprint(const ff_sim *sim) {
    const ff_inclusion_def *def = ff_model_inclusion(sim->model);
    /* which functions exist, and numbers of objects */
    const uint64_t counts[] = {def->states,      def->dio_count, def->sgn_count, def->switch_count,
                               def->event_count, def->version,   def->ledger,    !!def->speed,
                               !!def->arguments, !!def->closing, !!def->factors, !!def->events,
                               !!def->energy,    !!def->power};
    uint64_t h = FF_HASH(ff_hash_text(FF_HASH_START, "inclusion"), counts);
    h = ff_hash(h, def->start, def->states * sizeof *def->start);
    h = ff_hash(h, def->scale, def->states * sizeof *def->scale);
    for (size_t i = 0; i < def->states; i++) {
        h = ff_hash_text(h, def->names[i]);
        h = def->speed ? FF_HASH(h, def->speed[i]) : h;
    }
    for (size_t i = 0; i < def->dio_count; i++) {
        h = hash_dio(h, &def->dios[i]);
    }
    for (size_t i = 0; i < def->sgn_count; i++) {
        h = hash_sgn(h, &def->sgns[i]);
    }
    h = ff_hash(h, def->switches, def->switch_count * sizeof *def->switches);
    return ff_hash(h, def->silent, def->event_count * sizeof *def->silent);
}
