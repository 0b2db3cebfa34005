/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Which contacts of an open model have slots: those of bodies that are near each other. A pair of bodies is near where
 * they would touch if each grew by its margin, as found with bodies at their anchors. No body that has left its anchor by
 * less than its margin can touch anything that is not near: before a step is taken, that is made sure of. */

#include "ledger/ledger.h"
#include "num/arena.h"
#include "num/cells.h"

/* What a contact without a slot has kept. Its inner states follow, in an array of their own. */
typedef struct ff_absent {
    size_t contact;
    double left; /* s, when its slot was given up */
    ff_books books;
    double integral[FF_CONTACT_INTEGRALS];
} ff_absent;

/* How many there are of what: all that the layout of a state depends on. */
typedef struct ff_near_counts {
    size_t slots, absent;
    double since; /* s, when bodies were at their anchors */
} ff_near_counts;

typedef struct ff_near {
    /* arrays of the state */
    ff_near_counts *counts;
    size_t *of;           /* the contact of each slot, in order */
    double (*anchors)[3]; /* of each body */
    double *margins;
    ff_absent *absent; /* by contact, in order */
    double *absent_states;

    ff_model reduced; /* with the slots that there are */
    size_t states;    /* inner states of a contact at the most */
    double rise;      /* m/s, of the fastest plane */
    double *reach;    /* of each body: a sphere about its centre of mass holds all its shapes */

    /* Memory of its own, which grows: slots now and next, contacts that will have slots, which slots were which, and which
     * of those that go leave something; and the sim's memory for the next layout. */
    ff_ball *balls;
    ff_cells cells;
    ff_slot *slots, *next_slots;
    size_t slot_room, next_slot_room;
    size_t *found, found_count, found_room;
    size_t *slot_from, slot_from_room;
    bool *leaves;
    size_t leaves_room;
    void *spare;
    size_t memory_size, spare_size;
    /* where components and root functions were in the layout before */
    size_t *y_from, *root_from;
} ff_near;
