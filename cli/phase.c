/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "commands.h"
#include "contact.h"
#include "contact_options.h"
#include "show.h"
#include "table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const args_option options[] = {
    {"branch", "V", "m/s",
     "separation speeds > 0 at the maximum depth, for branches that no free impact reaches", true,
     0},
    {"points", "N", "1", "points on a contour", false, 0},
    {"loop", "", "", "draw force against depth instead of velocity against depth", false, 0},
    {"plot", "FILE", NULL, "draw; .svg, .png or .pdf", true, 0},
    {"json", "", "", "print one JSON object with every point", false, 0},
};

static const args_command command = {
    .name = "phase",
    .usage = "--normal LAW [parameters] --mass M --speed V1,V2,... [options]",
    .summary = "Computes contours of the phase plane (depth, velocity), one for each speed at "
               "touch-down, and the force along them. Branches are drawn without clamp; for p = n "
               "the velocity -k/lambda separates them from the impacts. For n = 1 and p = 1 the "
               "part with z < 0, where there is no contact, is dotted.",
    .examples = "footfall phase --normal marhefka-orin --k 50e3 --alpha 0.4 --mass 50 --speed "
                "0.5,1,2,3,4 --branch 2,2.5,3 --plot phase.svg\n"
                "footfall phase --normal azad-featherstone --k 8.5e6 --lambda 3.1e3 --mass 154g "
                "--speed 1 --loop --plot loop.png",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

typedef struct {
    double start; /* speed at touch-down, or minus that of a branch at its depth */
    bool branch;
    ff_impact_point *points;
} contour;

typedef struct {
    contour *contours;
    size_t count, room, points;
    bool mirrored; /* the equation is also defined for z < 0 */
} picture;

static int compute(const args *a, const contact *c, const args_list *branches, picture *p) {
    double deepest = 0, mass, speed;
    ff_normal law;
    for (size_t i = 0; i < p->room; i++) {
        bool branch = i >= c->speed.count;
        contour *now = &p->contours[i];
        contact_point(c, branch ? 0 : i, &law, &mass, &speed, NULL);
        *now = (contour){.branch = branch,
                         .start = branch ? -branches->values[i - c->speed.count] : speed,
                         .points = malloc(p->points * sizeof *now->points)};
        if (!now->points) {
            args_error(a, "out of memory");
            return 1;
        }
        p->count++;
        ff_status done =
            branch ? ff_phase_branch(&law, mass, deepest, now->start, p->points, now->points)
                   : ff_impact_curve(&law, mass, speed, p->points, now->points);
        if (branch && done == FF_BAD_VALUE) {
            return args_error(a,
                              "--branch needs a power law, or one without inner states: %s is "
                              "neither",
                              c->law->name);
        }
        if (done != FF_OK) {
            args_error(a, "at %g m/s: %s", now->start, ff_status_text(done));
            return 1;
        }
        ff_impact impact;
        if (!branch && ff_impact_solve(&law, mass, speed, &impact) == FF_OK) {
            deepest = fmax(deepest, impact.max_depth);
        }
    }
    ff_power power;
    p->mirrored = ff_normal_power(&law, speed, &power) && power.n == 1 && power.p == 1;
    return 0;
}

static double separatrix(const contact *c) {
    ff_normal law;
    double mass, speed;
    contact_point(c, 0, &law, &mass, &speed, NULL);
    ff_power power;
    /* the same for all speeds if touch-down sets no inner state */
    return ff_normal_power(&law, speed, &power) && power.p == power.n && power.lambda_out > 0 &&
                   law.states == 0
               ? -power.k / power.lambda_out
               : (double)NAN;
}

static void print_json(const contact *c, const picture *p) {
    ff_json j = {.out = stdout};
    ff_json_object(&j, NULL);
    ff_json_string(&j, "law", c->law->name);
    ff_json_number(&j, "separatrix", separatrix(c));
    ff_json_array(&j, "contours");
    for (size_t i = 0; i < p->count; i++) {
        static const char *const keys[] = {"time", "depth", "velocity", "force"};
        ff_json_object(&j, NULL);
        ff_json_number(&j, p->contours[i].branch ? "velocity_at_depth" : "speed",
                       p->contours[i].start);
        ff_json_bool(&j, "reached_by_impact", !p->contours[i].branch);
        for (size_t key = 0; key < 4; key++) {
            ff_json_array(&j, keys[key]);
            for (size_t n = 0; n < p->points; n++) {
                const ff_impact_point *at = &p->contours[i].points[n];
                ff_json_number(&j, NULL,
                               key == 0   ? at->time
                               : key == 1 ? at->depth
                               : key == 2 ? at->velocity
                                          : at->force);
            }
            ff_json_end(&j);
        }
        ff_json_end(&j);
    }
    ff_json_end(&j);
    ff_json_end(&j);
}

static void print_table(const contact *c, const picture *p) {
    static const table_column columns[] = {{"contour", NULL},
                                           {"starts at", "m/s"},
                                           {"max depth", "m"},
                                           {"strongest force", "N"},
                                           {"ends at", "m/s"}};
    table t;
    printf("%s: %s\n", c->law->name, c->law->formula);
    if (!isnan(separatrix(c))) {
        printf("separatrix: no impact leaves faster than %.6g m/s\n", -separatrix(c));
    }
    table_init(&t, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < p->count; i++) {
        const contour *now = &p->contours[i];
        const ff_impact_point *last = &now->points[p->points - 1];
        ff_impact impact;
        ff_normal law;
        double mass, speed;
        contact_point(c, now->branch ? 0 : i, &law, &mass, &speed, NULL);
        table_text(&t, now->branch ? "branch" : "impact");
        table_number(&t, now->start);
        if (now->branch) {
            double strongest = 0;
            for (size_t n = 0; n < p->points; n++) {
                double force = now->points[n].force;
                strongest = fabs(force) > fabs(strongest) ? force : strongest;
            }
            /* it only opens: deepest at the start */
            table_number(&t, now->points[0].depth);
            table_number(&t, strongest);
        } else {
            ff_impact_solve(&law, mass, speed, &impact);
            table_number(&t, impact.max_depth);
            table_number(&t, impact.max_force);
        }
        table_number(&t, last->velocity);
    }
    table_print(&t, stdout);
    table_clear(&t);
}

static int draw(const args *a, const contact *c, const picture *p) {
    bool loop = args_given(a, "loop"), mirrored = p->mirrored && !loop;
    size_t curves = p->count * (mirrored ? 2 : 1), n = p->points;
    double *xy = malloc(3 * p->count * n * sizeof *xy);
    ff_plot_curve *list = calloc(curves, sizeof *list);
    char(*names)[40] = calloc(p->count, sizeof *names);
    int status = 1;
    if (xy && list && names) {
        for (size_t i = 0; i < p->count; i++) {
            double *x = xy + 3 * i * n, *y = x + n, *mirror = y + n;
            for (size_t j = 0; j < n; j++) {
                const ff_impact_point *at = &p->contours[i].points[j];
                x[j] = at->depth * 1e3;
                mirror[j] = -x[j];
                y[j] = loop ? at->force : at->velocity;
            }
            snprintf(names[i], sizeof names[i], "%s%g m/s", p->contours[i].branch ? "branch " : "",
                     p->contours[i].start);
            list[i] = (ff_plot_curve){names[i], x, y, n, FF_PLOT_LINES, 0, NULL};
            if (mirrored) {
                list[p->count + i] =
                    (ff_plot_curve){NULL, mirror, y, n, FF_PLOT_DOTTED, i + 1, NULL};
            }
        }
        status = show_plot(a, &(ff_plot){.title = c->law->formula,
                                         .x_label = "depth (mm)",
                                         .y_label = loop ? "force (N)" : "velocity (m/s)",
                                         .curves = list,
                                         .curve_count = curves});
    }
    free(xy);
    free(list);
    free(names);
    return status;
}

static int run(const args *a) {
    contact c;
    args_list branches = {0};
    double points;
    args_want positive = args_want_any(NULL), size = args_want_any(NULL);
    positive.least = FF_POSITIVE;
    size.least = 2;
    size.most = 1e6;
    size.fallback = 200;
    int status = show_plot_check(a);
    status = status ? status : args_whole(a, "points", &size, &points);
    if (!status && args_given(a, "branch")) {
        status = args_numbers(a, "branch", &positive, &branches);
    }
    status = status ? status : contact_read(&c, a, CONTACT_ALL);
    if (status) {
        args_list_free(&branches);
        return status;
    }
    picture p = {.room = c.speed.count + branches.count, .points = (size_t)points};
    if (contact_swept(&c) > 0) {
        status = args_error(a, "phase sweeps speeds only: give one value of every other parameter");
    } else if (!(p.contours = calloc(p.room, sizeof *p.contours))) {
        args_error(a, "out of memory");
        status = 1;
    }
    status = status ? status : compute(a, &c, &branches, &p);
    if (!status && args_given(a, "json")) {
        print_json(&c, &p);
    } else if (!status) {
        print_table(&c, &p);
    }
    if (!status && args_given(a, "plot")) {
        status = draw(a, &c, &p);
    }
    for (size_t i = 0; i < p.count; i++) {
        free(p.contours[i].points);
    }
    free(p.contours);
    args_list_free(&branches);
    contact_clear(&c);
    return status;
}

int command_phase(int argc, char **argv) {
    return contact_command(&command, true, argc, argv, run);
}
