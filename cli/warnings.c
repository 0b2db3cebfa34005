/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "warnings.h"

static void print_warning(const args *a, const char *scene, const ff_warning *w) {
    fprintf(stderr, "footfall %s: warning: %s: %s\n", a->command->name, scene, w->text);
}

static int judge(const args *a, const char *scene, size_t count, int status) {
    if (count == 0 || !args_given(a, "strict")) {
        return 0;
    }
    args_error(a, "%s: %zu warning%s, and --strict takes none", scene, count,
               count == 1 ? "" : "s");
    return status;
}

int warnings_of_model(const args *a, const char *scene, const ff_model *model) {
    size_t count = 0;
    for (ff_warning w; *(w = ff_model_warning(model, count)).text; count++) {
        print_warning(a, scene, &w);
    }
    return judge(a, scene, count, ARGS_WRONG);
}

int warnings_of_run(const args *a, const char *scene, ff_sim *sim) {
    size_t count = 0;
    for (ff_warning w; *(w = ff_sim_warning(sim, count)).text; count++) {
        print_warning(a, scene, &w);
    }
    return judge(a, scene, count, 1);
}

void warnings_of_runs(const args *a, const char *scene, const ff_warning *w, size_t row,
                      size_t runs) {
    fprintf(stderr, "footfall %s: warning: %s: %s (%zu run%s, the first in row %zu)\n",
            a->command->name, scene, w->text, runs, runs == 1 ? "" : "s", row + 1);
}
