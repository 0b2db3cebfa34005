/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Bodies connected by joints: quantities that are computed at every evaluation. Spatial motions and loads are in world
 * axes, force before moment and velocity before omega. */

#include "contact/contact.h"
#include "num/arena.h"

/* The constraint rows of one joint: row . (v, omega of the first, v, omega of the second) = rate, and the same for
 * accelerations = gamma. */
typedef struct ff_rows {
    double first[FF_ROWS][6], second[FF_ROWS][6];
    double violation[FF_ROWS], gamma[FF_ROWS];
    double rate[FF_ROWS]; /* 0 except for prescribed motion */
} ff_rows;

/* One body of an articulated tree (links.inc), about its anchor P. Vectors and columns of matrices have four numbers, the
 * last of them 0, for loops over lanes. */
typedef struct ff_link_work {
    double reach[4]; /* from the parent's P to this one */
    double com[4];   /* from P to the centre of mass */
    double omega[4]; /* of the body */
    /* acceleration of P minus gravity, and angular acceleration, with constant speeds */
    double coasting[2][4];
    double change[2][4];   /* change of that by the rates of the speeds */
    double point[4], v[4]; /* of P */
    double d[3][3];        /* inverse of columns times inertia times columns */
    double start[3];       /* rates of the speeds if the parent's acceleration does not change */
    double column[3][4];   /* directions of the speeds */
    double pitch;          /* screw: translation along its column per rotation about it */
    double vv[3][4];       /* articulated inertia: force per acceleration, */
    double vw[3][4];       /* force per angular acceleration, */
    double ww[3][4];       /* moment per angular acceleration */
    double force[2][4];    /* articulated force and moment for the coasting motion */
    double u[3][2][4];     /* inertia times columns: force, and moment about the parent's P */
    double pull[3][2][4];  /* d times that */
} ff_link_work;

/* One body of a maximal tree (maximal.c): the joint above it, and everything below it, condensed. */
typedef struct ff_condensed {
    double mass[6][6]; /* condensed, then its factors */
    double load[6], free[6], a[6];
    double spread[FF_ROWS][6]; /* inverse of mass times a row of the joint */
    double w[FF_ROWS][FF_ROWS];
    double pull[FF_ROWS][6]; /* inverse of w times the parent's rows */
    double gap[FF_ROWS];
} ff_condensed;

/* One degree of freedom of an articulated tree, for Jacobians (tangent.c). A joint with several is split into a chain of
 * rotations and translations; the three rotations of a ball (a spherical joint, or a free body) stay together. Spatial
 * vectors are about the origin of the tree. */
typedef struct ff_dof {
    int link, up, first; /* its body; the previous degree of freedom or -1; the first of its ball */
    int depth;           /* number of degrees of freedom before it */
    size_t row;          /* start of its row of the mass matrix */
    size_t q_at, u_at;   /* positions in y: coordinate (or quaternion of its ball) and speed */
    double s[6];         /* motion of the bodies beyond it per unit of its speed */
    double carried[6];   /* d(s)/dt */
    double shift[6];     /* change of velocities per coordinate, in axes that move along */
    double bend[6];      /* change of accelerations per coordinate, in axes that move along */
    double twice[6];     /* change of accelerations per speed, in axes that move along */
    double by_q[6], by_u[6]; /* change of the force on all bodies beyond it */
    double heavy[6];         /* inertia of all bodies beyond it times s */
    double spun[3];          /* transpose of their bias force matrix times s */
} ff_dof;

/* A body, and the sums over all bodies from it on, about the origin of the tree. */
typedef struct ff_subtree {
    double origin[3];  /* the anchor of the first body of the tree, assumed to be at rest */
    int last;          /* the last degree of freedom that moves the body, or -1 */
    double v[6], a[6]; /* motion of the body, and acceleration minus gravity */
    double mass, moved[3], inertia[3][3]; /* mass, mass times position, inertia */
    double momentum[3], spin[3][3];       /* bias forces per rotation x: 2 x x momentum, spin x */
    double need[6];                       /* force for the accelerations */
} ff_subtree;

/* Effect of a degree of freedom on one end of a force between two bodies. `way` and `velocity`: changes of D and V (bond.h)
 * per coordinate; `by_q` and `by_u`: those of the force. */
typedef struct ff_dof_lever {
    int dof;
    double reach[3]; /* velocity of the contact point per unit of the speed */
    double slide[3]; /* of that point within the body: it moves with the centre of the sphere */
    double way[3], velocity[3];
    double by_q[3], by_u[3];
} ff_dof_lever;

/* Scratch memory for Jacobians of articulated trees without loops. */
typedef struct ff_tangent {
    size_t dofs, states, balls; /* states: those after the bodies' in y */
    size_t columns, first;      /* length of a row; position of the states in y */
    ff_dof *dof;
    ff_subtree *trees;    /* by body */
    ff_dof_lever *levers; /* of both ends of a force */
    double *mass;         /* one row per degree of freedom: entries of all before it, and its own */
    /* Rows: rates of speeds, rates of states, omegas of balls. Columns: coordinates, speeds, states. */
    double *rows;
    double *row;      /* one more */
    double *by_state; /* a row by all states of y */
} ff_tangent;

/* The body that a joint of the tree connects to its parent. */
static inline int ff_joint_hanging(const ff_model *model, size_t joint) {
    const ff_joint *j = &model->joints[joint];
    return model->tree->links[j->second].joint == (int)joint ? j->second : j->first;
}

/* Eigenvalues of the loops' matrix below this fraction of the largest are rounding errors: their rows are redundant. */
#define FF_REDUNDANT 1e-11

/* Friction of joints under their own reactions (bearing.c), along `count` coordinates; for a spherical joint about
 * its instantaneous axis of rotation. Reactions are force and moment on the second body at its anchor. */
typedef struct ff_bearings {
    size_t count;
    size_t *joints;
    int *coordinates;
    double (*about)[3]; /* spherical: unit vector of its angular velocity, world axes */
    double (*reaction)[6], (*free)[6]; /* last result, and without this friction */
    double (*answers)[6];              /* effect of a unit of each friction on each reaction */
    double (*axis)[3], *rate, *force, *miss, *matrix;
    size_t *pivots;
    double (*effort)[FF_JOINT_COORDINATES], *loads; /* efforts and loads without this friction */
    struct ff_rub *rubs;
} ff_bearings;

/* Friction i at the last evaluation of accelerations. Its load is `grade` (|part[0]| + |part[1]|), where the parts, unlike the
 * load, are smooth functions of time also where they pass through 0: two forces, or a force or moment and 0. */
typedef struct ff_rub {
    double part[2][3], grade;
    double size; /* magnitude of the terms of the load */
    double load;
    double strain; /* with the sign of the deflection */
    double excess;
} ff_rub;

typedef struct ff_mechanism {
    const ff_model *model;
    double *bodies; /* motions, FF_BODY_STRIDE each: for an articulated model */
    /* the states for which links and bodies were computed last; `in_place` is cleared where numbers of the model change */
    double *placed;
    bool in_place;
    /* prescribed motions at the time of ff_mechanism_time(): coordinate and its first and second derivatives; and a
     * y that follows them */
    double (*laws)[FF_JOINT_COORDINATES][3], *led;
    double *loads; /* on bodies, in the positions of accelerations, FF_BODY_STRIDE each */
    double (*effort)[FF_JOINT_COORDINATES]; /* along the coordinates of each joint */
    double (*turn)[3][3];                   /* of bodies */
    double (*a)[6];                         /* accelerations of bodies */
    double (*push)[6], (*gathered)[6];
    double *speeds;             /* rates of all speeds, articulated */
    double *multipliers;        /* of all rows: force on the second body along each */
    double *target;             /* target of rows times accelerations */
    const struct ff_links *way; /* kernels for this machine (links.h) */
    ff_link_work *links;        /* articulated; the world is the last */
    ff_condensed *nodes;
    ff_rows *rows; /* of each joint; only of loops in an articulated model */
    /* loops: effect of a unit of each of their rows on accelerations of bodies, speeds and other multipliers */
    double (*answer)[6], *answer_speeds, *answer_multipliers;
    double *matrix, *vectors, *values, *row_scale, *miss, *null;
    double *augmented, *augmented_target;
    double *scratch; /* for rates that are not needed */
    /* close to a singular position: a state near y, loads on the bodies, violations at y, accelerations with the
     * rows at several points */
    double *aside, *aside_loads, *aside_violation, *responses;
    double (*aside_effort)[FF_JOINT_COORDINATES];
    ff_touch_slopes *slopes; /* of contacts, while matrices are computed */
    double *slope_room;
    double *slope_rates;
    ff_tangent tangent;
    size_t rank;  /* rank of the loops' rows at the last factorisation */
    size_t usual; /* rank at the start; 0: not known yet */
    /* the smallest of the `usual` largest eigenvalues of the loops' matrix divided by the largest: at the start, and
     * its current value relative to that */
    double reference, condition;
    double cut;  /* eigenvalues below this fraction of the largest are left out */
    bool close;  /* whether the last rates were computed close to a singular position */
    int trouble; /* the joint whose loop is in a singular position or that jams; or -1 */
    bool jams;   /* the joint jams; otherwise its loop is singular */
    ff_bearings bearings;
} ff_mechanism;

void ff_mechanism_lay_out(const ff_model *model, ff_mechanism *m, ff_arena *arena);

/* Evaluates prescribed motions at time t; they hold until the next call. */
void ff_mechanism_time(ff_mechanism *m, double t);
/* Sets the coordinates and speeds in y, of an articulated tree, that have a prescribed motion. */
void ff_mechanism_lead(ff_mechanism *m, double *y);

/* ---- rows (rows.c) ---- */

/* Rows of a joint, from the motions of its bodies and their rotations; NULL for the world. */
void ff_rows_find(const ff_joint *joint, const double *first, const double first_turn[3][3],
                  const double *second, const double second_turn[3][3], ff_rows *out);
/* Rows of a gear, from the motions and rotations of all bodies. */
void ff_rows_gear(const ff_model *model, const ff_joint *gear, const double *bodies,
                  double (*turns)[3][3], ff_rows *out);
/* Rows of prescribed motions of a joint, {coordinate, first derivative, second derivative} each: the last rows of
 * the joint. */
void ff_rows_driven(const ff_joint *joint, double (*laws)[3], const double *bodies,
                    double (*turns)[3][3], ff_rows *out);
/* Rows times a spatial vector for each body. */
void ff_rows_times(const ff_joint *joint, const ff_rows *rows, double (*six)[6], double *out);
/* Adds rows^T times multipliers to a spatial vector for each body. */
void ff_rows_push(const ff_joint *joint, const ff_rows *rows, const double *multipliers,
                  double (*six)[6]);
/* The coordinates of a joint and their rates, from motions. */
void ff_joint_coordinates(const ff_joint *joint, const double *bodies, double *position,
                          double *rate);

/* ---- articulated (articulated.c) ---- */

/* Position and motion of one body, from those of its parent and its own coordinates and speeds. The world follows
 * the last body of `work`, all 0. */
void ff_link_place(const ff_model *model, int body, const double *q, const double *u,
                   ff_link_work *work, double *bodies);
/* Initial orientation and angular velocity, relative to the parent, of a body that hangs by a spherical joint. */
void ff_link_start_ball(const ff_model *model, int body, const double *bodies, double q[4],
                        double u[3]);
/* Coordinates and speeds from the motions of bodies: of one body, and of all into y. */
void ff_link_read(const ff_model *model, size_t body, const double *bodies, double *q, double *u);
void ff_links_read(const ff_model *model, const double *bodies, double *y);
/* The kernels for this machine, used by ff_links_place() and ff_links_rates(). */
const struct ff_links *ff_links_best(void);
/* Positions and motions of all bodies: sets links and bodies. */
void ff_links_place(ff_mechanism *m, const double *y);
/* Prescribed motion of the spherical joint that a body hangs by, for the current position of its parent:
 * orientation, angular velocity relative to the parent, and the rate of that. */
void ff_links_ball(const ff_mechanism *m, size_t body, double q[4], double u[3], double du[3]);
/* Accelerations under m->loads and m->effort: rates of all coordinates and speeds. */
void ff_links_rates(ff_mechanism *m, const double *y, double *dy);
/* The acceleration of a body's anchor minus gravity, after ff_links_rates(). */
void ff_link_acceleration(const ff_link_work *w, double out[6]);
/* The component of a force and moment at a body's anchor along a coordinate of its joint, after ff_links_place(). */
double ff_link_along(const ff_link *l, const ff_link_work *w, int coordinate, const double push[6]);
/* The response to loads alone (6 for each body) after ff_links_rates(): accelerations of bodies, changes of speeds. */
void ff_links_answer(ff_mechanism *m, double (*push)[6], double (*a)[6], double *speeds);

/* ---- friction under reactions (bearing.c) ---- */

void ff_bearings_lay_out(const ff_model *model, ff_bearings *b, ff_arena *arena);

/* ---- Jacobians of articulated trees (tangent.c) ---- */

void ff_tangent_lay_out(const ff_model *model, ff_tangent *t, ff_arena *arena);

/* ---- maximal (maximal.c) ---- */

/* Condenses the masses, or the identity, with the rows of the tree and their compliance. */
void ff_nodes_factor(ff_mechanism *m, bool identity, double compliance);
/* M a - J^T l = push, J a + compliance l = target, over the tree: a and the multipliers of its joints. */
void ff_nodes_solve(ff_mechanism *m, double (*push)[6], const double *target, double (*a)[6],
                    double *multipliers);

/* ---- loops (loops.c) ---- */

/* Computes the responses of the factorised tree to the rows of the loops. */
void ff_loops_factor(ff_mechanism *m, bool identity, double compliance);
/* Closes the loops: changes m->a, m->speeds and m->multipliers so that J a + compliance l = target, with multipliers
 * of minimum norm. */
void ff_loops_close(ff_mechanism *m, const double *target);

/* After factorising a maximal model: multipliers of all joints whose total effect is zero, along eigenvector i of
 * the loops' matrix. False if that eigenvector has an effect. */
bool ff_loops_null(const ff_mechanism *m, size_t i, double *null);

/* ---- mechanism (mechanism.c) ---- */

/* The motions of the bodies at y: y itself, or computed. m may be NULL without joints. */
const double *ff_mechanism_bodies(const ff_model *model, ff_mechanism *m, const double *y);
/* Computes accelerations, rates and constraint power into dy, after the loads are set. `way`: how constraints are enforced. */
void ff_mechanism_rates(ff_mechanism *m, const ff_run_options *way, const double *y, double *dy);
/* After the rates of an articulated model: the force and moment of its joint on each body of the tree, about its anchor,
 * into m->push. */
void ff_mechanism_reactions(ff_mechanism *m);
/* Corrects positions, then velocities, onto the constraints, in the metric of the masses or the identity. False if
 * violations remain. Close to a singular position a correction that would lead to another branch is omitted. */
bool ff_mechanism_project(ff_mechanism *m, bool identity, double *y);
/* The largest distance from a centre of mass to a joint of the body, m. */
double ff_mechanism_size(const ff_model *model);
/* The joint with the largest violation at the last rows, and its size. */
int ff_mechanism_worst(const ff_mechanism *m, double *off);
/* The largest violations at y. */
ff_violation ff_mechanism_violation(ff_mechanism *m, const double *y);
