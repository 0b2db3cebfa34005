/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Root functions of joints (edges.c): slip of their friction, and their limits. */

#include "sim.h"

/* Fills in the edges of a model (NULL: only counts them). */
size_t ff_edges_list(const ff_model *model, ff_edge *out);
/* Number of entries of ff_sim_phase.stops. */
size_t ff_edges_stops(const ff_model *model);
void ff_edges_lay_out(ff_sim *sim, ff_arena *a);
/* Sets kinds and ends of their root functions, the first of which is `root`; returns the next one. */
size_t ff_edges_prepare(ff_sim *sim, size_t root);
/* Modes that agree with the state at the start of a run. */
void ff_edges_start(ff_sim *sim);
/* Called after an evaluation of the rates in a step, for friction under reactions. */
void ff_edges_note(ff_sim *sim, double t);
void ff_edges_roots(ff_sim *sim, double t, const double *bodies, const double *y, ff_known known,
                    ff_root *out);
ff_root ff_edges_root(ff_sim *sim, size_t i, double t, const double *y);
/* Implements inside() of ff_system. */
bool ff_edges_inside(void *self, size_t but, size_t *root, double *theta);
/* Called after a step was accepted, and after a state was restored. */
void ff_edges_taken(ff_sim *sim);
void ff_edges_restored(ff_sim *sim);
/* Edge i is past its root. */
void ff_edges_jump(ff_sim *sim, size_t i, double last, ff_jump *next);
bool ff_edges_valid(const ff_sim *sim);
const char *ff_edges_owner(const ff_sim *sim, size_t i);
