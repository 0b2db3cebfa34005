/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* Any text as measured data: it is refused with a reason and a place, or it is a table of names and numbers. The sanitizers
 * look on. */

#define _GNU_SOURCE
#include "../../cli/csv.c"
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[40], why[400] = "";
    csv table;
    int file = memfd_create("data", 0);
    must(file >= 0 && write(file, data, size) == (ssize_t)size, "no file in memory");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const int status = csv_read(&table, path, why, sizeof why);
    must(status == 0 || (status == 2 && strncmp(why, path, strlen(path)) == 0),
         "refused without a place");
    if (status == 0) {
        must(table.columns > 0 && table.rows > 0, "an empty table");
        for (size_t c = 0; c < table.columns; c++) {
            const double *values = csv_column(&table, table.names[c]);
            must(values && *table.names[c], "a column that is not there");
            for (size_t r = 0; r < table.rows; r++) {
                must(isnan(values[r]) || isfinite(values[r]), "a number that is infinite");
                must(table.lines[r] > table.head, "a row before its head");
            }
        }
        csv_clear(&table);
    }
    close(file);
    return 0;
}
