/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "args.h"
#include "commands.h"
#include <footfall/footfall.h>
#include <stdlib.h>
#include <string.h>

static const args_option options[] = {
    {"output", "OUT.html", NULL,
     "the page; default: the name of the trace with .html instead of .h5; for two traces A-B.html "
     "next to the first",
     false, 'o'},
    {"plot", "DIR", NULL,
     "also draw plots into a folder, like `footfall run --plot`; for one trace only", false, 0},
};

static const args_command command = {
    .name = "report",
    .usage = "TRACE.h5 [OTHER.h5] [options]",
    .summary = "Makes the page of a run from a trace saved with -o TRACE.h5: charts, energy ledger "
               "and a replay of the scene, in one file. The trace may be of a killed run. For two "
               "traces it makes one page with both runs side by side and their difference.",
    .examples = "footfall report roll.h5\n"
                "footfall report roll.h5 -o page.html --plot pictures\n"
                "footfall report before.h5 after.h5 -o compared.html",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .words_least = 1,
    .words_most = 2,
};

/* The length of a path without .h5 */
static int stem_of(const char *path) {
    const size_t length = strlen(path);
    const bool h5 = length > 3 && strcmp(path + length - 3, ".h5") == 0;
    return (int)(h5 ? length - 3 : length);
}

/* The page next to a trace, for two named after both; the caller frees it. NULL if out of memory. */
static char *page_of(const char *trace, const char *other) {
    const char *slash = other ? strrchr(other, '/') : NULL, *name = slash ? slash + 1 : other;
    const size_t room = strlen(trace) + (other ? strlen(other) : 0) + sizeof "-.html";
    char *path = malloc(room);
    if (path && name) {
        snprintf(path, room, "%.*s-%.*s.html", stem_of(trace), trace, stem_of(name), name);
    } else if (path) {
        snprintf(path, room, "%.*s.html", stem_of(trace), trace);
    }
    return path;
}

static void print_picture(void *user, const char *path, size_t lines, size_t left_out) {
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
    ff_trace *trace = NULL, *second = NULL;
    const char *other = args_word(&a, 1);
    if (other && args_given(&a, "plot")) {
        return args_error(
            &a, "--plot draws one run: make the page of two without it, and plot each separately");
    }
    char *beside = page_of(args_word(&a, 0), other);
    const char *path = args_given(&a, "output") ? args_text(&a, "output") : beside;
    ff_status done = beside ? ff_page_check(path, &error) : FF_NO_MEMORY;
    done = done < 0 ? done : ff_trace_open(args_word(&a, 0), &trace, &error);
    done = done < 0 || !other ? done : ff_trace_open(other, &second, &error);
    done = done < 0 ? done
           : second ? ff_trace_compare(trace, second, path, &error)
                    : ff_trace_page(trace, path, &error);
    if (done >= 0) {
        fprintf(stderr, "wrote %s\n", path);
    }
    if (done >= 0 && args_given(&a, "plot")) {
        done = ff_trace_plot(trace, args_text(&a, "plot"), print_picture, NULL, &error);
    }
    status = args_status(&a, done, &error);
    ff_trace_free(trace);
    ff_trace_free(second);
    free(beside);
    return status;
}
