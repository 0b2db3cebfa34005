/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "papers.h"

static const char twice[] = "DOP853 at two tolerances";
static const char scheme[] = "the same scheme, independently: only rounding differs";

/* the classical Runge-Kutta method with 1 ms, over kinks and switches alike, as the paper has it */
#define PLAIN_RK4 "run.method=rk4", "run.dt=1 ms", "run.events=none"

enum { STATES_MOST = 9, MARKS_MOST = 4096 };

/* Samples of a run, and its events with the states there. */
typedef struct {
    double t, x[STATES_MOST];
    ff_event_kind kind;
    int force;
} mark;

typedef struct {
    size_t count, mark_count;
    mark *rows, *marks;
    double strongest; /* friction, N */
    double residual;  /* of the energy ledger at the end, over its scale; NAN without accounts */
} history;

/* That the energy ledger closes. */
void xiong_check_ledger(paper_job *job, const char *where, const history *h);
/* Goes through a run, with a row for each multiple of `every`, and closes it. */
history xiong_record(paper_run r, double every);
/* The row nearest to a time. */
const mark *xiong_row(const history *h, double t);
/* Height of the k-th apex, from the motion at the end of the k-th contact; of the state z, of velocity v. */
double xiong_apex(const history *h, size_t k, int z, int v, double weight);

/* One state over time, from `from` on, or of another state: x and y are indices of states, -1: time. */
typedef struct {
    int x, y;
    double scale, shift;    /* what is drawn is scale (y - shift) */
    double least, most;     /* leaves out what is beyond; both 0: nothing */
    double from, to, every; /* s; to 0: the end */
} view_of;

void xiong_draw(paper_job *job, const history *h, view_of v, ff_plot_style style, const char *name);

/* Examples I, II and III. */
void xiong_fig7(paper_job *job);
void xiong_fig9(paper_job *job);
void xiong_fig11(paper_job *job);
