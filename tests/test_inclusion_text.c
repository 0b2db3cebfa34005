/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "check.h"
#include "io/inclusion_file.h"
#include "no_memory.h"
#include <footfall/footfall.h>
#include <stdlib.h>

/* Inclusions from files with exhausted memory: after any number of allocations there is a status and no partial
 * result. */

#ifdef CAN_END
static void no_memory(void **state) {
    (void)state;
    static const struct {
        const char *file;
        ff_rivals rivals;
    } rows[] = {{"example2", {NULL, NULL}},
                {"example2", {"hunt-crossley", "lugre"}},
                {"anisotropic", {"linear", "sat"}}};
    for (size_t i = 0; i < ROWS(rows); i++) {
        char path[400];
        snprintf(path, sizeof path, FF_SOURCE_DIR "/papers/xiong2013/%s.yaml", rows[i].file);
        bool done = false;
        for (long most = 0; !done; most++) {
            ff_equations *system = NULL;
            ff_run_options run;
            ff_messages messages = {0};
            given = 0, give_most = most;
            ff_status status =
                ff_inclusion_read(path, NULL, 0, &rows[i].rivals, &system, &run, &messages);
            char *text = status == FF_OK ? ff_equations_show(system) : NULL;
            give_most = -1;
            done = status == FF_OK && text;
            assert_holds(status == FF_OK || status == FF_NO_MEMORY, "%s after %ld: %d", path, most,
                         (int)status);
            /* a failed read returns nothing */
            assert_true((status == FF_OK) == (system != NULL));
            free(text);
            ff_equations_free(system);
            ff_messages_clear(&messages);
            assert_true(most < 100000);
        }
    }
}
#else
static void no_memory(void **state) {
    (void)state;
    skip();
}
#endif

static const struct CMUnitTest tests[] = {cmocka_unit_test(no_memory)};

CHECK_MAIN(tests)
