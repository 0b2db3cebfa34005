/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Any change of a trace in HDF5: it is refused with a reason, or all of it can be read. The sanitizers look on; libhdf5 itself
 * is not instrumented. The first byte chooses the trace; then each group of six bytes is a change: where, how, and to what. */

#define _GNU_SOURCE
#include "trace/trace.h"
#include "trace/h5.h"
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

/* a damaged file may claim any size, and libhdf5 allocates that much memory; leaks of libhdf5 are not ours */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1:max_allocation_size_mb=500";
}
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libhdf5"; }

#define FLOOR                                                                                      \
    "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"                                              \
    "pairs: [{between: ['*', '*'], normal: {law: linear, k: 1e4, lambda: 10}}]\n"

static const char *const texts[] = {
    "bodies:\n"
    "  ball: {mass: 0.1, shape: {sphere: {radius: 0.02}}, position: [0, 0, 0.03]}\n" FLOOR
    "run: {until: 0.1, tol: 1e-6}\n",
    "bodies:\n"
    "  sand: {count: 150, radius: 1 mm, density: 2500, fill: {from: [0, 0, 0], to: [2 cm, 2 cm, 2 "
    "cm]}, seed: 1}\n" FLOOR "run: {until: 1 ms, method: verlet, dt: 10 us, events: none}\n"};

enum { TRACES = sizeof texts / sizeof *texts };

static struct {
    char *bytes;
    size_t size;
} bases[TRACES];

static void make_base(int which) {
    char folder[] = "/tmp/footfall-fuzz-XXXXXX", path[64];
    ff_scene *scene = NULL;
    ff_model *model = NULL;
    ff_sim *sim = NULL;
    ff_trace *trace = NULL;
    ff_error error = {""};
    const char *text = texts[which];
    must(mkdtemp(folder), "no folder");
    snprintf(path, sizeof path, "%s/base.h5", folder);
    must(ff_scene_parse("text", text, strlen(text), NULL, 0, (double)INFINITY, &scene, NULL) ==
                 FF_OK &&
             ff_model_create(scene, &model, &error) == FF_OK &&
             ff_sim_create(model, NULL, &sim, &error) == FF_OK,
         "no sim");
    ff_trace_options o = ff_trace_options_default();
    o.path = path;
    o.name = o.command = "fuzz";
    o.source = o.scene = text;
    must(ff_sim_record(sim, ff_model_run(model)->until, &o, &trace, &error) == FF_OK, error.text);
    ff_trace_free(trace);
    ff_sim_free(sim);
    ff_model_free(model);
    ff_scene_free(scene);
    FILE *file = fopen(path, "rb");
    must(file && fseek(file, 0, SEEK_END) == 0, "no file");
    bases[which].size = (size_t)ftell(file);
    bases[which].bytes = malloc(bases[which].size);
    rewind(file);
    must(fread(bases[which].bytes, 1, bases[which].size, file) == bases[which].size, "not read");
    fclose(file);
    unlink(path);
    rmdir(folder);
}

static void read_all(const ff_trace *t) {
    const size_t rows = ff_trace_row_count(t), columns = ff_trace_column_count(t);
    ff_error error = {""};
    double *values = malloc((rows + 1) * sizeof *values);
    ff_column column;
    for (size_t i = 0; i < columns; i += 1 + columns / 40) {
        must(ff_trace_column(t, i, &column) && *column.name, "a column without a name");
        ff_status status = ff_trace_values(t, i, values, &error);
        must(status == FF_OK || *error.text, "values refused without a reason");
    }
    for (size_t i = 0; i < ff_trace_event_count(t); i++) {
        ff_event event;
        ff_trace_event(t, i, &event);
        must(ff_event_name(event.kind) != NULL, "an event without a name");
    }
    ff_trace *loaded = NULL;
    ff_status status = ff_trace_load(t, 10000, 7, &loaded, &error);
    must(status == FF_OK || *error.text, "not loaded, without a reason");
    ff_trace_free(loaded);
    const ff_trace_facts facts = ff_trace_about(t);
    must(facts.version != NULL, "no version");
    free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const int which = size ? data[0] % TRACES : 0;
    if (!bases[which].bytes) {
        make_base(which);
    }
    const size_t length = bases[which].size;
    char *bytes = malloc(length), path[40];
    size_t cut = length;
    memcpy(bytes, bases[which].bytes, length);
    for (size_t i = 1; i + 6 <= size; i += 6) {
        const size_t at = (data[i] | (size_t)data[i + 1] << 8 | (size_t)data[i + 2] << 16) % length;
        switch (data[i + 3] % 5) {
        case 0: bytes[at] = (char)data[i + 4]; break;
        case 1: bytes[at] ^= (char)(1 << data[i + 4] % 8); break;
        case 2:
            memset(bytes + at, data[i + 4], length - at < data[i + 5] ? length - at : data[i + 5]);
            break;
        case 3:
            memmove(bytes + at, bytes + (at * 7 + data[i + 4]) % length,
                    length - at < 64 || length - (at * 7 + data[i + 4]) % length < 64
                        ? 0
                        : data[i + 5] % 64);
            break;
        default: cut = data[i + 4] == 0 ? at : cut; break;
        }
    }
    int file = memfd_create("trace", 0);
    must(file >= 0 && write(file, bytes, cut) == (ssize_t)cut, "no file in memory");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    ff_trace *trace = NULL;
    ff_error error = {""};
    const ff_status status = ff_trace_open(path, &trace, &error);
    must((status == FF_OK) == (trace != NULL), "a trace that was refused, or none");
    must(status == FF_OK || *error.text, "refused without a reason");
    if (trace) {
        read_all(trace);
    }
    ff_trace_free(trace);
    close(file);
    free(bytes);
    return 0;
}
