/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "paper_corral2017.h"
#include <math.h>

/* ---- the speed of the hip ---- */

/* The state from the paper's start, leg 1 swinging, at times in seconds: an independent integration with Radau */
static const struct {
    double time, speed, angle[2], normal[2];
} reference[] = {
    {0.05,
     0.38725661461311606,
     {-0.21748306032519213, 0.11016588546198204},
     {0, 18.48105459817409}},
    {0.1, 0.3091220996057191, {-0.13611682477798556, 0.0668669223987126}, {0, 19.385467980419335}},
    {0.2,
     0.28417523136876127,
     {0.10170492606693564, -0.0032059396491903374},
     {0, 19.797590557251198}},
    {0.3, 0.4407206417190355, {0.2680786587564181, -0.09084489501453066}, {0, 18.116935327496886}},
    {0.39, 0.6859867064811084, {0.2359056265062018, -0.21723219694592985}, {0, 16.60512581913629}},
    {0.42, 0.5435515727822872, {0.1912706783505247, -0.24441875965992355}, {17.346126644000837, 0}},
    {0.5,
     0.36557805673602806,
     {0.10072195315549509, -0.20401193355852296},
     {18.705825310026267, 0}},
    {1.0, 0.2856421207507336, {-0.09356803411000861, 0.053802110073048054}, {0, 19.68756158835451}},
    {1.5, 0.26780635623360877, {0.01417785828320547, 0.04844271860107978}, {19.972156919495234, 0}},
    {2.0, 0.3177721197349829, {0.18091943647123337, -0.02814481796056886}, {0, 19.32295609663255}},
};

void corral_trajectory(paper_job *job) {
    static const double slopes[] = {0.01, 0.02, 0.03};
    walker w = walk_begin(job, STEPS_MOST, 1e-9,
                          "joints.plane.planar.position=[0, 0.3949210026332982]", "run.until=2 s");
    double speed = 0, angle = 0, normal = 0, least = INFINITY, most = 0;
    size_t next = 0;
    w.run.when.every = 0.01;
    while (walk_next(&w)) {
        if (next < sizeof reference / sizeof *reference && !w.run.event &&
            fabs(w.now.time - reference[next].time) < 1e-9) {
            speed = fmax(speed, fabs(w.now.hip_rate[0] - reference[next].speed));
            for (int leg = 0; leg < 2; leg++) {
                angle = fmax(angle, fabs(w.now.angle[leg] - reference[next].angle[leg]));
                normal = fmax(normal, fabs(w.normal[leg] - reference[next].normal[leg]));
            }
            next++;
        }
    }
    walk_end(&w);
    static const char why[] = "independent integration, of which two tolerances differ by up to "
                              "2.7e-7 at 2 s";
    job_holds(job, "figs 5 to 8", "all instants of the reference are met",
              next == sizeof reference / sizeof *reference, "to 2 s");
    job_most(job, "sect. 4: hip speed", "greatest difference at ten instants to 2 s", "m/s", speed,
             0, 1e-6, why);
    job_most(job, "fig. 6", "greatest difference of an angle at ten instants to 2 s", "rad", angle,
             0, 1e-6, why);
    job_most(job, "fig. 8", "greatest difference of a normal force at ten instants to 2 s", "N",
             normal, 0, 1e-4, why);

    for (size_t i = 0; i < 3; i++) {
        walker v =
            walk_begin(job, 7, 1e-7, job_text(job, "parameters.slope=%g rad", slopes[i]), NULL);
        paper_curve *c = job_curve(job, FF_PLOT_LINES, "%g rad", slopes[i]);
        while (walk_next(&v)) {
            curve_point(c, v.now.time, v.now.hip_rate[0]);
            if (i == 1) {
                least = fmin(least, v.now.hip_rate[0]);
                most = fmax(most, v.now.hip_rate[0]);
            }
        }
        walk_end(&v);
    }
    job_least(job, "sect. 4: the hip speed varies every time", "greatest over least hip speed",
              NULL, most / least, 2, 0, "0.69 m/s before and 0.27 m/s between heel strikes");
}

/* ---- figures 9 and 10: slopes ---- */

void corral_slopes(paper_job *job) {
    /* 12 steps from the paper's start; an independent integration, good to 1e-5 */
    static const struct {
        double slope, period, rear, change, peak;
    } rows[] = {
        {0.01, 0.43800548199237527, -0.17129132735560743, 0.0013420981920474195, 104.748},
        {0.015, 0.43812048722802394, -0.21840859231384172, 7.455604275119487e-05, 207.938},
        {0.02, 0.4408353485006654, -0.2470518084311057, 3.0298988948351813e-07, 308.786},
        {0.025, 0.44357446296698205, -0.2679151466414514, -2.529017908287079e-05, 406.863},
        {0.03, 0.4460131715327609, -0.2847130025388657, -0.0001939129686961416, 503.564},
    };
    enum { SLOPES = sizeof rows / sizeof *rows, ROOM = 60000, STEPS = 12 };
    static const char why[] =
        "independent integration of 12 steps from the same start, good to 1e-5";
    struct {
        double time, angle, force;
    } * trace[SLOPES];
    size_t count[SLOPES] = {0};
    walker walks[SLOPES];
    for (size_t i = 0; i < SLOPES; i++) {
        trace[i] = job_room(job, ROOM, sizeof **trace);
        walker w =
            walk_begin(job, STEPS, 1e-7, job_text(job, "parameters.slope=%g rad", rows[i].slope),
                       "joints.plane.planar.position=[0, 0.3949210026332982]");
        while (walk_next(&w)) {
            if (w.now.time < 4 && count[i] < ROOM) {
                size_t k = count[i]++;
                trace[i][k].time = w.now.time;
                trace[i][k].angle = w.now.angle[0];
                trace[i][k].force = w.normal[0];
            }
        }
        walk_end(&w);
        walks[i] = w;
    }

    /* fig. 9 */
    for (size_t i = 0; i < SLOPES; i++) {
        paper_curve *c = job_curve(job, FF_PLOT_LINES, "%g rad", rows[i].slope);
        for (size_t k = 0; k < count[i]; k++) {
            curve_point(c, trace[i][k].time, trace[i][k].angle);
        }
        const section *s = &walks[i].steps[STEPS - 1];
        double rear = s->at.angle[s->leg];
        job_near(job, "fig. 9", job_text(job, "period of the last step at %g rad", rows[i].slope),
                 "s", walk_period(&walks[i]), rows[i].period, 1e-5, why);
        job_near(job, "fig. 9", job_text(job, "its rearmost angle at %g rad", rows[i].slope), "rad",
                 rear, rows[i].rear, 1e-5, why);
        if (rows[i].slope == 0.02) {
            double change = rear - s[-1].at.angle[s[-1].leg];
            job_most(job, "sect. 4: walking is steady and passive",
                     "change of the angle over the last step at 0.02 rad", "rad", fabs(change), 0,
                     1e-5, why);
        } else if (rows[i].slope > 0.02) {
            double first = fabs(walks[i].steps[0].at.angle[walks[i].steps[0].leg]) - 0.2479,
                   last = fabs(rear) - fabs(s[-1].at.angle[s[-1].leg]);
            job_check(
                job,
                &(check){.where = "sect. 4: for a higher slope the angle increases in every step",
                         .quantity = job_text(job,
                                              "growth in the last step as part of that in the "
                                              "first, at %g rad",
                                              rows[i].slope),
                         .relation = CHECK_AT_LEAST,
                         .value = last / first,
                         .expected = 1,
                         .why = "gravity is said to give more than impacts take at each step",
                         .otherwise = "the growth dies out: impacts take more the faster it walks, "
                                      "and it settles on a larger cycle",
                         .instead = -rows[i].change / first,
                         .instead_within = 1e-5 / fabs(first)});
        }
    }
    walker steep = walk_all(job, STEPS, 1e-6, "parameters.slope=0.2 rad", NULL);
    job_check(job, &(check){.where = "sect. 4: for the slope of 0,20 rad the walking is steady",
                            .quantity = "steps at 0.2 rad, of 12",
                            .relation = CHECK_AT_LEAST,
                            .value = (double)steep.count,
                            .expected = STEPS,
                            .why = "a steady walk",
                            .otherwise = "it falls in its first step; 0,020 rad must be meant, the "
                                         "slope of sect. 2.3",
                            .instead = 0,
                            .instead_within = 0});
    walker beyond = walk_all(job, STEPS, 1e-7, "parameters.slope=0.035 rad",
                             "joints.plane.planar.position=[0, 0.3949210026332982]");
    job_holds(job, "fig. 9", "at 0.035 rad it falls within 12 steps from this start", beyond.fell,
              "the same in an independent integration");
    job_next(job);

    /* fig. 10 */
    for (size_t i = 0; i < SLOPES; i++) {
        paper_curve *c = job_curve(job, FF_PLOT_LINES, "%g rad", rows[i].slope);
        for (size_t k = 0; k < count[i]; k++) {
            curve_point(c, trace[i][k].time, trace[i][k].force);
        }
        job_near(
            job, "fig. 10",
            job_text(job, "peak of the normal force in the last step at %g rad", rows[i].slope),
            "N", walks[i].steps[STEPS - 1].peak, rows[i].peak, 1e-3 * rows[i].peak,
            "independent integration; both are the greatest value at steps of a method");
    }
    const section *s = walks[3].steps;
    double first = s[1].peak - s[0].peak, last = s[11].peak - s[10].peak;
    job_check(job, &(check){.where = "sect. 4: higher slopes: contact forces bigger with every "
                                     "impact",
                            .quantity = "growth of the peak in the last step as part of that in "
                                        "the second, at 0.025 rad",
                            .relation = CHECK_AT_LEAST,
                            .value = last / first,
                            .expected = 1,
                            .why = "said to grow with every impact",
                            .otherwise = "peaks settle at 407 N, with the angles",
                            .instead = 0,
                            .instead_within = 0.05});
    s = &walks[3].steps[STEPS - 1];
    double gained = s[0].gained - s[-1].gained,
           lost = s[0].normal_loss + s[0].friction_loss - s[-1].normal_loss - s[-1].friction_loss;
    job_check(job, &(check){.where = "sect. 4: potential energy gained is greater than what falls "
                                     "on each impact",
                            .quantity = "part of the work of gravity that is not lost in the last "
                                        "step, at 0.025 rad",
                            .relation = CHECK_AT_LEAST,
                            .value = 1 - lost / gained,
                            .expected = 0.01,
                            .why = "1 % of it at each step would be a visible growth",
                            .otherwise = "after 12 steps impacts and friction take all that "
                                         "gravity gives",
                            .instead = 0,
                            .instead_within = 2e-3});
}
