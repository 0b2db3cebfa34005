/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Contacts of an open model that have slots: those of bodies that are near each other. Two bodies are near if they would
 * touch when each is enlarged by its margin, with bodies at their anchors. While no body has moved from its anchor by more
 * than its margin, only near pairs can touch; this is ensured before a step is accepted. */

#include "ledger/ledger.h"
#include "num/arena.h"
#include "num/cells.h"

/* Kept data of a contact without a slot. Its inner states are in a separate array. */
typedef struct ff_absent {
    size_t contact;
    double left; /* time at which its slot was given up, s */
    ff_books books;
    double integral[FF_CONTACT_INTEGRALS];
} ff_absent;

/* Counts that determine the layout of a state, and times of the last search. */
typedef struct ff_near_counts {
    size_t slots, absent;
    double since;   /* time at which bodies were at their anchors, s */
    double longest; /* duration to which the step was shortened then, s; INFINITY: it was not */
} ff_near_counts;

typedef struct ff_near {
    /* arrays of the state */
    ff_near_counts *counts;
    size_t *of;           /* contact of each slot, in order */
    double (*anchors)[3]; /* anchor of each body */
    double *margins;
    ff_absent *absent; /* sorted by contact */
    double *absent_states;

    ff_model reduced; /* model with the current slots */
    size_t states;    /* most inner states of a contact */
    double rise;      /* speed of the fastest plane, m/s */
    double *reach; /* for each body: radius about its centre of mass that contains all its shapes */

    /* Growing work memory: slots now and next, contacts that will have slots, their previous slots, marks of removed slots
     * with data to keep; and the sim's memory for the next layout. */
    ff_ball *balls;
    double *wanted; /* margins for the next search */
    ff_cells cells;
    ff_slot *slots, *next_slots;
    size_t slot_room, next_slot_room;
    size_t *found, found_count, found_room;
    size_t *slot_from, slot_from_room;
    bool *leaves;
    size_t leaves_room;
    void *spare;
    size_t memory_size, spare_size;
    /* positions of components and root functions in the previous layout */
    size_t *y_from, *root_from;
} ff_near;
