/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Where a residual comes from. Energies that must sum up are held by parties: contacts, accounts of the run. At each
 * look, what the residual has grown by since the last one is laid to the party that exchanged the most energy
 * meanwhile. That is a guess, and a good one where a residual arises in few places: a step over a contact that was
 * missed, or too long a step in one. */

#include <stddef.h>

enum { FF_LEAK_TIME = 60 };

/* Arrays have one place more than there are parties, for what grew while none exchanged anything. */
typedef struct ff_leak {
    size_t parties;
    double *held;   /* J: what each holds now; filled by the caller before each look */
    double *taken;  /* J: what each held at the last look */
    double *blamed; /* J: its part of the residual */
} ff_leak;

/* What there is besides arrays. */
typedef struct ff_leak_now {
    double residual, time; /* at the last look */
    double worst, from,
        to; /* the greatest change of the residual between two looks, J, and when, s */
} ff_leak_now;

void ff_leak_begin(ff_leak *leak, ff_leak_now *now, double residual, double time);
void ff_leak_note(ff_leak *leak, ff_leak_now *now, double residual, double time);

/* The party that the largest part of the residual is laid to, that part, and when the residual grew most, in words;
 * with what has come since the last look, but without taking one. */
size_t ff_leak_worst(const ff_leak *leak, const ff_leak_now *now, double residual, double time,
                     double *part, char when[FF_LEAK_TIME]);
