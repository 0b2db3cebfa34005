/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "args.h"
#include "commands.h"
#include <footfall/footfall.h>
#include <stdlib.h>
#include <string.h>

static const args_option options[] = {
    {"output", "OUT.html", NULL, "the page; default: that of the trace with .html for .h5", false,
     'o'},
    {"plot", "DIR", NULL, "draw the run into a folder, too, as `footfall run --plot` does", false,
     0},
};

static const args_command command = {
    .name = "report",
    .usage = "TRACE.h5 [options]",
    .summary = "Makes the page of a run from a trace that was saved with -o TRACE.h5: charts, "
               "energy ledger and a replay of the scene, in one file. The trace may be one of a "
               "run that was killed.",
    .examples = "footfall report roll.h5\n"
                "footfall report roll.h5 -o page.html --plot pictures",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .words_least = 1,
    .words_most = 1,
};

/* The page beside a trace, the caller's to free; NULL where memory ends. */
static char *page_of(const char *trace) {
    const size_t length = strlen(trace);
    const size_t stem = length > 3 && strcmp(trace + length - 3, ".h5") == 0 ? length - 3 : length;
    char *path = malloc(stem + sizeof ".html");
    if (path) {
        memcpy(path, trace, stem);
        memcpy(path + stem, ".html", sizeof ".html");
    }
    return path;
}

static void tell_picture(void *user, const char *path, size_t lines, size_t left_out) {
    (void)user, (void)lines, (void)left_out;
    fprintf(stderr, "wrote %s\n", path);
}

int command_report(int argc, char **argv) {
    args a;
    int status = args_parse(&a, &command, argc, argv);
    if (status) {
        return status == ARGS_HELP ? 0 : status;
    }
    ff_error error = {""};
    ff_trace *trace = NULL;
    char *beside = page_of(args_word(&a, 0));
    const char *path = args_given(&a, "output") ? args_text(&a, "output") : beside;
    ff_status done = beside ? ff_page_check(path, &error) : FF_NO_MEMORY;
    done = done < 0 ? done : ff_trace_open(args_word(&a, 0), &trace, &error);
    done = done < 0 ? done : ff_trace_page(trace, path, &error);
    if (done >= 0) {
        fprintf(stderr, "wrote %s\n", path);
    }
    if (done >= 0 && args_given(&a, "plot")) {
        done = ff_trace_plot(trace, args_text(&a, "plot"), tell_picture, NULL, &error);
    }
    status = args_status(&a, done, &error);
    ff_trace_free(trace);
    free(beside);
    return status;
}
