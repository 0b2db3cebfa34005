/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "papers.h"
#include <math.h>

/* ---- figures 6 and 7: one impact ---- */

/* What the run of one impact brings. */
typedef struct {
    double max_force, end_depth, restitution, area;
} loop;

/* Force against depth of the run of impact.yaml, and the area within by the trapezoidal rule. */
static loop draw_loop(paper_job *job, const char *normal) {
    loop l = {0};
    paper_run r = run_scene(job, "azad2010/impact.yaml", normal, NULL);
    paper_curve *c = job_curve(job, PLOT_LINES, NULL);
    double depth = 0, force = 0;
    /* z and F in 4000 samples of a contact of about 2.5 ms */
    r.every = 1e-6;
    while (run_next(&r)) {
        ff_contact_record now = ff_sim_contact(r.sim, 0);
        if (r.event && r.event->kind == FF_LIFTOFF) {
            l.end_depth = now.depth;
        }
        if (now.depth >= 0) {
            curve_point(c, 1e3 * now.depth, now.force[2]);
            l.area += 0.5 * (now.force[2] + force) * (now.depth - depth);
            depth = now.depth;
            force = now.force[2];
        }
        l.max_force = fmax(l.max_force, now.force[2]);
    }
    l.restitution = ff_sim_body(r.sim, 0).velocity[2];
    run_close(&r);
    return l;
}

static void check_loop(paper_job *job, const char *where, const loop *l, double e, double force,
                       double lost) {
    static const char sampled[] =
        "independent integration at 1e-13; the run is sampled each us: 3e-6 of the peak";
    job_near(job, where, "coefficient of restitution", NULL, l->restitution, e, 1e-10,
             "independent integration at 1e-13; the tolerance of the run is 1e-12");
    job_near(job, where, "peak force", "N", l->max_force, force, 3e-6 * force, sampled);
    job_near(
        job, where, "area within the loop: the energy lost", "J", l->area, lost, 1e-6,
        "energy of the motion that is lost; the trapezoidal rule misses 0.21 lambda (v dt)^1.5 "
        "= 6.4e-7 J where the force begins as a root");
}

static void fig6(paper_job *job) {
    loop l =
        draw_loop(job, "pairs[0].normal={law: hunt-crossley, n: 1.5, k: 8.5e6, lambda: 3.1e6}");
    check_loop(job, "fig. 6", &l, 0.8036671225184596, 201.98947712194357, 0.02726717502608324);
}

static void fig7(paper_job *job) {
    loop l = draw_loop(job, "pairs[0].normal.k=8.5e6");
    check_loop(job, "fig. 7", &l, 0.620290784160815, 178.27430926916782, 0.047373429417557414);
}

static const paper_figure figures[] = {
    {.id = "fig6",
     .title = "Contact force against ground deformation, classical model",
     .x_label = "ground deformation (mm)",
     .y_label = "normal force (N)",
     .make = fig6},
    {.id = "fig7",
     .title = "Contact force against ground deformation, new model",
     .caption = "The force ends before the ground is back at zero.",
     .x_label = "ground deformation (mm)",
     .y_label = "normal force (N)",
     .make = fig7},
};

const paper paper_azad2010 = {
    .name = "azad2010",
    .title = "Azad and Featherstone 2010: Modeling the contact between a rolling sphere and a "
             "compliant ground plane",
    .figures = figures,
    .figure_count = sizeof figures / sizeof *figures,
};
