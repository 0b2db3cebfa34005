/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Many spheres and planes with fixed steps and without located events. Contacts share a block of slots that is rebuilt by a
 * cell grid when bodies have moved; accounts are kept for each class of pairs. */

#include "model/model.h"

typedef struct ff_crowd ff_crowd;

ff_status ff_crowd_create(const ff_model *model, const ff_run_options *options, ff_crowd **out);
void ff_crowd_free(ff_crowd *crowd);

double ff_crowd_time(const ff_crowd *crowd);
/* Makes one step of at most the step size, at most to `until`. */
ff_status ff_crowd_step(ff_crowd *crowd, double until);

ff_motion ff_crowd_body(const ff_crowd *crowd, size_t body);
/* The sum of the normal forces of all contacts of a body, N. The first call after a step goes through all contacts. */
double ff_crowd_normal_force(ff_crowd *crowd, size_t body);
/* The accounts of the run, without initial and scale, and the energy of each party (may be NULL); and those of one class of
 * pairs. */
ff_ledger ff_crowd_ledger(const ff_crowd *crowd, double *held);
ff_ledger ff_crowd_class_ledger(const ff_crowd *crowd, size_t index);
/* Number of contacts now, and number of searches so far. */
size_t ff_crowd_contacts(const ff_crowd *crowd);
long ff_crowd_searches(const ff_crowd *crowd);
int ff_crowd_threads(const ff_crowd *crowd);
/* Estimate of the memory of a crowd, bytes. */
double ff_crowd_memory(double bodies);

/* The complete state as bytes; it can be restored only into a crowd of the same model. FF_BAD_VALUE if the bytes cannot be
 * a state of it, FF_NO_MEMORY: then nothing has changed. */
size_t ff_crowd_state_size(const ff_crowd *crowd);
void ff_crowd_save(const ff_crowd *crowd, void *state);
ff_status ff_crowd_restore(ff_crowd *crowd, const void *state, size_t size);
