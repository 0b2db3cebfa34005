/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "papers.h"

/* The walker of corral2017/biped.yaml, step after step of the gait. Angles are from the normal of the slope, positive
 * where the foot is in front of the hip; tables of two are by leg. */

/* One instant. */
typedef struct pose {
    double time;
    double hip[2], hip_rate[2]; /* along the slope and off it, m, m/s */
    double angle[2], rate[2];   /* rad, rad/s */
} pose;

/* Where the gait is cut into steps: the leg behind has come to its rearmost and begins to swing, while the other one
 * stands in front of the hip. */
typedef struct section {
    pose at;
    int leg;      /* that begins to swing */
    double depth; /* of the foot that stands, m */
    double peak;  /* the greatest normal force since the section before, N */
    /* what contacts took and gravity gave since the start, J */
    double normal_loss, friction_loss, gained;
} section;

enum { STEPS_MOST = 24 };

typedef struct walker {
    paper_run run;
    pose now;
    double normal[2], tangential[2]; /* forces on the feet, N */
    double depth[2], slip[2];        /* m, m/s */
    section steps[STEPS_MOST];
    size_t count, most; /* sections so far, and how many end the walk */
    bool fell;          /* the hip is down, or no step came in 1.2 s */
} walker;

/* A walk of so many steps with this tolerance and up to two settings of the scene. */
walker walk_begin(paper_job *job, size_t most, double tol, const char *first, const char *second);
/* Goes on by one step of the method. False at the end of the walk or after a fall. */
bool walk_next(walker *w);
/* The whole walk. */
walker walk_all(paper_job *job, size_t most, double tol, const char *first, const char *second);
void walk_end(walker *w);
/* Of the last step: duration, s; length, m. NAN after a fall. */
double walk_period(const walker *w);
double walk_length(const walker *w);

/* ---- figures: of the gait ---- */
void corral_friction(paper_job *job);
void corral_start(paper_job *job);
void corral_gait(paper_job *job);
void corral_trajectory(paper_job *job);
void corral_slopes(paper_job *job);
/* of what it depends on */
void corral_normal_laws(paper_job *job);
void corral_friction_laws(paper_job *job);
void corral_near_starts(paper_job *job);
void corral_far_starts(paper_job *job);
void corral_contact(paper_job *job);
/* of how its joints are held */
void corral_ways(paper_job *job);
void corral_drift(paper_job *job);
void corral_methods(paper_job *job);
void corral_chatter(paper_job *job);
