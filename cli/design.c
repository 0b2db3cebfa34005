/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "commands.h"
#include "contact.h"
#include "contact_options.h"
#include "show.h"
#include <footfall/elementary.h>
#include <math.h>
#include <string.h>

static const args_option options[] = {
    {"restitution", "E", "1", "desired coefficient of restitution at --speed", false, 0},
    {"loss", "L", "1", "desired 1 - e instead, which is more accurate near e = 1", false, 0},
    {"contact-time", "T", "s", "desired time until the force ends; determines k", false, 0},
    {"max-depth", "Z", "m", "desired maximum depth; determines k", false, 0},
    {"plot", "FILE", NULL, "draw e against speed; .svg, .png or .pdf", true, 0},
    {"json", "", "", "print one JSON object", false, 0},
};

static const args_command command = {
    .name = "design",
    .usage = "--normal LAW --mass M --speed V --restitution E [--k K | --contact-time T | "
             "--max-depth Z]",
    .summary = "Finds the parameters of a normal law for a desired impact. k is given, follows "
               "from materials and radius, or from a contact time or a maximum depth; the damping "
               "follows from the restitution. A law with its own design function, such as xiong, "
               "takes --restitution and --contact-time.",
    .examples = "footfall design --normal azad-featherstone --k 8.5e6 --mass 154g --speed 1 "
                "--restitution 0.62\n"
                "footfall design --normal hunt-crossley --mass 1kg --speed 2 --restitution 0.7 "
                "--max-depth 1mm\n"
                "footfall design --normal azad-featherstone --materials steel,brass --radius "
                "1.27cm --speed 1 --loss 1e-3\n"
                "footfall design --normal xiong --mass 1kg --restitution 0.8 --contact-time 8ms",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

typedef struct {
    double decay, restitution; /* desired -ln e and e */
    double time, depth;        /* desired, NAN if not given */
} wish;

static int read_wish(const args *a, wish *w) {
    args_want fraction = args_want_any(NULL), positive = fraction;
    positive.least = FF_POSITIVE;
    fraction.least = FF_POSITIVE;
    fraction.most = 1;
    double loss;
    int status;
    if (args_given(a, "loss") == args_given(a, "restitution")) {
        return args_error(a, "give either --restitution or --loss");
    }
    if (args_given(a, "loss")) {
        fraction.most = 1 - 1e-9;
        status = args_number(a, "loss", &fraction, &loss);
        w->decay = -ff_math.log1p(-loss);
        w->restitution = 1 - loss;
    } else {
        status = args_number(a, "restitution", &fraction, &w->restitution);
        w->decay = -ff_math.log(w->restitution);
    }
    w->time = w->depth = NAN;
    if (!status && args_given(a, "contact-time")) {
        status = args_number(a, "contact-time", &positive, &w->time);
    }
    if (!status && args_given(a, "max-depth")) {
        status = args_number(a, "max-depth", &positive, &w->depth);
    }
    if (!status && !isnan(w->time) && !isnan(w->depth)) {
        return args_error(
            a,
            "give either --contact-time or --max-depth: e, v and one of them determine the other");
    }
    return status;
}

static int design(const args *a, const contact *c, const wish *w, ff_normal *law, double mass,
                  double speed) {
    ff_error error = {""};
    ff_status done;
    bool sized = !isnan(w->time) || !isnan(w->depth);
    if (c->law->design) {
        if (isnan(w->time)) {
            return args_error(a, "%s is designed from --restitution and --contact-time",
                              c->law->name);
        }
        done = ff_design_impact(law, mass, w->restitution, w->time, &error);
    } else if (!ff_design_possible(law)) {
        return args_error(a, "%s has no damping that could be determined", c->law->name);
    } else if (sized && c->sized) {
        return args_error(a, "%s is given already: leave out --contact-time or --max-depth",
                          c->stiffness);
    } else if (!sized && !c->sized) {
        return args_error(a, "give --%s, --materials with --radius, --contact-time or --max-depth",
                          c->stiffness);
    } else if (w->decay == 0) {
        return args_error(a, "e = 1 means no damping: use hertz, or --loss for a small loss");
    } else if (!isnan(w->time)) {
        done = ff_design_contact_time(law, mass, speed, w->decay, w->time);
    } else if (!isnan(w->depth)) {
        done = ff_design_max_depth(law, mass, speed, w->decay, w->depth);
    } else {
        done = ff_design_damping(law, mass, speed, w->decay);
    }
    if (done < 0) {
        args_error(a, "%s", *error.text ? error.text : ff_status_text(done));
        return 1;
    }
    return 0;
}

static void print_step(const char *method, double step) {
    if (step > 0) {
        printf("  %-18s %.4g s\n", method, step);
    } else {
        printf("  %-18s none is stable\n", method);
    }
}

static void print_design(const contact *c, const ff_normal *law, const ff_impact *impact,
                         const ff_stiffness *s) {
    contact_print_derived(c, stdout);
    show_law(stdout, law);
    double star = contact_lambda_star(law, c->radius);
    if (!isnan(star)) {
        printf("lambda* = lambda/sqrt(R) = %.10g N s/m^2\n", star);
    }
    printf("at %g m/s with %g kg:\n", impact->speed, impact->mass);
    printf("  restitution        %.12g (loss %.12g)\n", impact->restitution, impact->loss);
    printf("  impulse ratio      %.12g\n", impact->impulse_ratio);
    printf("  contact time       %.6g s\n", impact->contact_time);
    printf("  max depth          %.6g m\n", impact->max_depth);
    printf("  max force          %.6g N\n", impact->max_force);
    printf("  energy lost        %.6g J\n", impact->energy_lost);
    printf("at that depth:\n");
    printf("  frequency          %.6g Hz\n", s->frequency);
    if (!isnan(s->damping_ratio)) {
        printf("  damping ratio      %.6g\n", s->damping_ratio);
    }
    printf("  shortest time      %.4g s\n", s->time_scale);
    printf("largest stable step:\n");
    print_step("euler", s->step_euler);
    if (!isnan(s->step_semi_implicit)) {
        print_step("semi-implicit", s->step_semi_implicit);
    }
    print_step("heun", s->step_heun);
    print_step("rk4", s->step_rk4);
}

static void json_design(const contact *c, const ff_normal *law, const ff_impact *impact,
                        const ff_stiffness *s) {
    ff_json j = {.out = stdout};
    ff_json_object(&j, NULL);
    contact_json_derived(c, &j);
    show_law_json(&j, "parameters", law);
    double star = contact_lambda_star(law, c->radius);
    if (!isnan(star)) {
        ff_json_number(&j, "lambda_star", star);
    }
    ff_json_object(&j, "impact");
    ff_json_number(&j, "mass", impact->mass);
    show_impact_json(&j, impact);
    ff_json_end(&j);
    ff_json_object(&j, "stiffness");
    ff_json_number(&j, "frequency", s->frequency);
    ff_json_number(&j, "damping_ratio", s->damping_ratio);
    ff_json_number(&j, "time_scale", s->time_scale);
    ff_json_object(&j, "stable_step");
    ff_json_number(&j, "euler", s->step_euler);
    ff_json_number(&j, "semi-implicit", s->step_semi_implicit);
    ff_json_number(&j, "heun", s->step_heun);
    ff_json_number(&j, "rk4", s->step_rk4);
    ff_json_end(&j);
    ff_json_end(&j);
    ff_json_end(&j);
}

/* e from a hundredth to ten times the speed, and the requested point */
static int draw(const args *a, const ff_normal *law, const ff_impact *impact) {
    enum { samples = 200 };
    double x[samples], y[samples];
    for (int i = 0; i < samples; i++) {
        x[i] = impact->speed * ff_math.pow(10, -2 + 3.0 * i / (samples - 1));
        y[i] = ff_impact_restitution(law, impact->mass, x[i]);
    }
    const ff_plot_curve curves[] = {
        {law->law->name, x, y, samples, FF_PLOT_LINES, 0, NULL},
        {"wanted", &impact->speed, &impact->restitution, 1, FF_PLOT_POINTS, 0, NULL},
    };
    return show_plot(a, &(ff_plot){.title = law->law->formula,
                                   .x_label = "speed at touch-down (m/s)",
                                   .y_label = "coefficient of restitution",
                                   .x_log = true,
                                   .curves = curves,
                                   .curve_count = 2});
}

static int run(const args *a) {
    contact c;
    wish w;
    ff_normal law;
    ff_impact impact;
    double mass, speed;
    const ff_normal_law *table;
    int status = show_plot_check(a);
    status = status ? status : contact_law(a, &table);
    status = status ? status : read_wish(a, &w);
    /* the e of a law with its own design function does not depend on speed */
    unsigned need = CONTACT_FREE_DAMPING | CONTACT_FREE_K;
    if (!status && table->design && !args_given(a, "speed") && !args_given(a, "drop")) {
        need |= CONTACT_NO_SPEED;
    }
    status = status ? status : contact_read(&c, a, need);
    if (status) {
        return status;
    }
    if (c.mass.count > 1) {
        status = args_error(a, "design takes one mass, or two of two bodies");
    }
    contact_point(&c, 0, &law, &mass, &speed, NULL);
    status = status ? status : design(a, &c, &w, &law, mass, speed);
    if (!status) {
        ff_status done = ff_impact_solve(&law, mass, speed, &impact);
        if (done < 0) {
            args_error(a, "%s", ff_status_text(done));
            status = 1;
        }
    }
    if (!status) {
        ff_stiffness s = ff_impact_stiffness(&law, mass, impact.max_depth);
        if (args_given(a, "json")) {
            json_design(&c, &law, &impact, &s);
        } else {
            print_design(&c, &law, &impact, &s);
        }
        status = args_given(a, "plot") ? draw(a, &law, &impact) : 0;
    }
    contact_clear(&c);
    return status;
}

int command_design(int argc, char **argv) {
    return contact_command(&command, false, argc, argv, run);
}
