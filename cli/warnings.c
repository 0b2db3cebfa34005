/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "warnings.h"

static void tell(const args *a, const char *scene, const ff_warning *w) {
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
    const size_t count = ff_model_warning_count(model);
    for (size_t i = 0; i < count; i++) {
        const ff_warning w = ff_model_warning(model, i);
        tell(a, scene, &w);
    }
    return judge(a, scene, count, ARGS_WRONG);
}

int warnings_of_run(const args *a, const char *scene, ff_sim *sim) {
    const size_t count = ff_sim_warning_count(sim);
    for (size_t i = 0; i < count; i++) {
        const ff_warning w = ff_sim_warning(sim, i);
        tell(a, scene, &w);
    }
    return judge(a, scene, count, 1);
}

static void warning_json(ff_json *j, const ff_warning *w) {
    ff_json_object(j, NULL);
    ff_json_string(j, "kind", ff_warning_name(w->kind));
    ff_json_number(j, "value", w->value);
    ff_json_number(j, "limit", w->limit);
    ff_json_string(j, "text", w->text);
    ff_json_end(j);
}

void warnings_json(ff_json *j, const ff_model *model, ff_sim *sim) {
    ff_json_array(j, "warnings");
    for (size_t i = 0; i < ff_model_warning_count(model); i++) {
        const ff_warning w = ff_model_warning(model, i);
        warning_json(j, &w);
    }
    for (size_t i = 0; sim && i < ff_sim_warning_count(sim); i++) {
        const ff_warning w = ff_sim_warning(sim, i);
        warning_json(j, &w);
    }
    ff_json_end(j);
}
