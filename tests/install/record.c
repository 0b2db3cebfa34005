/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* A program outside the tree, in C and in C++: reads a scene from text, records a run into a file, makes its page, reads the
 * file back. Prints the version, for run.sh to compare; the argument is a folder. */

#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    "bodies:\n"
    "  ball: {mass: 1 kg, shape: {sphere: {radius: 1 cm}}, position: [0, 0, 5 cm]}\n"
    "ground:\n"
    "  floor: {plane: {normal: [0, 0, 1]}}\n"
    "pairs:\n"
    "  - {between: [ball, floor], normal: {law: linear, k: 1e5, lambda: 10}}\n"
    "run: {until: 0.2 s}\n";

static int failed(const char *what, const ff_error *error) {
    fprintf(stderr, "%s: %s\n", what, error->text);
    return 1;
}

/* Rows of the height, from a file. */
static int read_back(const char *path) {
    ff_error error = {""};
    ff_trace *trace = NULL;
    size_t column = 0;
    if (ff_trace_open(path, &trace, &error) < 0 ||
        ff_trace_find(trace, "ball:z", &column, &error) < 0) {
        return failed("open", &error);
    }
    const size_t rows = ff_trace_row_count(trace);
    double *height = (double *)malloc(rows * sizeof *height);
    ff_column told;
    ff_event event;
    const ff_trace_facts facts = ff_trace_about(trace);
    const int good = height && ff_trace_values(trace, column, height, &error) >= 0 && rows == 201 &&
                     fabs(height[0] - 0.05) < 1e-15 && ff_trace_column(trace, column, &told) &&
                     strcmp(told.unit, "m") == 0 && ff_trace_event_count(trace) > 1 &&
                     strcmp(ff_trace_event(trace, 0, &event), "ball/floor") == 0 &&
                     event.kind == FF_TOUCHDOWN && facts.complete && strcmp(facts.scene, text) == 0;
    free(height);
    ff_trace_free(trace);
    return good ? 0 : failed("what was read back", &error);
}

int main(int argc, char **argv) {
    ff_scene *scene = NULL;
    ff_model *model = NULL;
    ff_sim *sim = NULL;
    ff_trace *trace = NULL;
    ff_error error = {""};
    char path[1000], page[1000];
    snprintf(path, sizeof path, "%s/trace.h5", argc > 1 ? argv[1] : ".");
    snprintf(page, sizeof page, "%s/page.html", argc > 1 ? argv[1] : ".");
    if (ff_scene_parse("text", text, strlen(text), NULL, 0, (double)INFINITY, &scene, NULL) < 0 ||
        ff_model_create(scene, &model, &error) < 0 ||
        ff_sim_create(model, NULL, &sim, &error) < 0) {
        return failed("scene", &error);
    }
    ff_trace_options options = ff_trace_options_default();
    options.path = path;
    options.every = 1e-3;
    options.name = "ball.yaml";
    options.source = options.scene = text;
    /* a build without HDF5 has CSV */
    if (ff_trace_check(path, &error) < 0) {
        snprintf(path, sizeof path, "%s/trace.csv", argc > 1 ? argv[1] : ".");
    }
    if (ff_sim_record(sim, 0.2, &options, &trace, &error) < 0) {
        return failed("record", &error);
    }
    ff_trace_free(trace);
    if (strstr(path, ".h5") && read_back(path)) {
        return 1;
    }
    /* the page, of another run in memory */
    ff_sim_free(sim);
    options.path = NULL;
    if (ff_sim_create(model, NULL, &sim, &error) < 0) {
        return failed("sim", &error);
    }
    ff_trace_options_page(&options, sim, 0);
    if (ff_sim_record(sim, 0.2, &options, &trace, &error) < 0 ||
        (ff_page_check(page, &error) >= 0 && ff_trace_page(trace, page, &error) < 0)) {
        return failed("page", &error);
    }
    ff_trace_free(trace);
    ff_sim_free(sim);
    ff_model_free(model);
    ff_scene_free(scene);
    puts(ff_version());
    return 0;
}
