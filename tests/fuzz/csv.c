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
        double *values = malloc(table.rows * sizeof *values);
        must(values, "no memory");
        for (size_t c = 0; c < table.columns; c++) {
            must(*table.names[c] && csv_find(&table, table.names[c]) == (int)c,
                 "a column that is not there");
            const int bad = csv_numbers(&table, path, c, "m/s", values, why, sizeof why);
            must(bad == 0 || (bad == 2 && strncmp(why, path, strlen(path)) == 0),
                 "numbers refused without a place");
            for (size_t r = 0; r < table.rows; r++) {
                must(bad || isnan(values[r]) || isfinite(values[r]), "a number that is infinite");
                must(table.lines[r] > table.head, "a row before its head");
            }
        }
        free(values);
        csv_clear(&table);
    }
    close(file);
    return 0;
}
