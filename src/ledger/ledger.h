/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "contact/contact.h"

/* The accounts of one slot; `bodies` are the motions at y, `release` and `cut` what was in its tangential and in
 * its normal spring when it was cut off. */
ff_ledger ff_ledger_contact(const ff_model *model, size_t slot, ff_mode mode, double t,
                            const double *bodies, const double *y, double release, double cut);
/* Adds what belongs to the bodies and the run. */
void ff_ledger_bodies(const ff_model *model, const double *bodies, const double *y, ff_ledger *out);
/* Parties to a leak (leak.h): contacts, or classes of them in a crowd, then these. */
enum { FF_PARTY_SPRINGS, FF_PARTY_DAMPERS, FF_PARTY_APPLIED, FF_PARTY_CONSTRAINT, FF_PARTIES };

/* The sum of all accounts, and the sum of their magnitudes with gravity counted from `gravity`. */
double ff_ledger_sum(const ff_ledger *ledger);
double ff_ledger_magnitude(const ff_ledger *ledger, double gravity);
/* residual = initial - the sum of all accounts. */
void ff_ledger_close(ff_ledger *ledger);
/* The largest residual of a run that has not failed, as a part of scale. */
double ff_ledger_limit(const ff_run_options *options);
