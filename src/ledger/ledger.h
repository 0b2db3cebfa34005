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
/* residual = initial - the sum of all accounts. */
void ff_ledger_close(ff_ledger *ledger);
