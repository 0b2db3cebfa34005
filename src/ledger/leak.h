/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Attribution of a residual. Energies that must sum to a constant are held by parties: contacts, and accounts of the run.
 * At each evaluation the growth of the residual since the previous one is attributed to the party that exchanged the most
 * energy in between. This is an estimate, and a good one if the residual arises in few places: a step over a missed
 * contact, or too long a step in one. */

#include <stddef.h>

enum { FF_LEAK_TIME = 60 };

/* Arrays have one element more than there are parties, for growth while none exchanged energy. */
typedef struct ff_leak {
    size_t parties;
    double *held;   /* energy held by each party now, J; set by the caller before each evaluation */
    double *taken;  /* energy held by each party at the last evaluation, J */
    double *blamed; /* attributed part of the residual, J */
} ff_leak;

/* State besides arrays. */
typedef struct ff_leak_now {
    double residual, time; /* at the last evaluation */
    double worst, from,
        /* largest change of the residual between two evaluations, J, and its time interval, s */
        to;
} ff_leak_now;

void ff_leak_begin(ff_leak *leak, ff_leak_now *now, double residual, double time);
void ff_leak_note(ff_leak *leak, ff_leak_now *now, double residual, double time);

/* The party with the largest attributed part of the residual, that part, and when the residual grew most, as text; includes
 * the time since the last evaluation without making one. */
size_t ff_leak_worst(const ff_leak *leak, const ff_leak_now *now, double residual, double time,
                     double *part, char when[FF_LEAK_TIME]);
