/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "memory.h"
#include <footfall/tool.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* memory available without swapping, or else the total */
static double available(void) {
    FILE *file = fopen("/proc/meminfo", "r");
    double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE), kilobytes;
    char line[256];
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "MemAvailable: %lf kB", &kilobytes) == 1) {
            bytes = kilobytes * 1024;
        }
    }
    if (file) {
        fclose(file);
    }
    return bytes;
}

int memory_limit(const args *a, int runs_at_once, double *limit) {
    static const struct {
        const char *name;
        double bytes;
    } units[] = {{"", 1},      {"B", 1},        {"kB", 1e3},     {"MB", 1e6},     {"GB", 1e9},
                 {"TB", 1e12}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
    const char *text = args_text(a, "max-memory");
    if (!text) {
        *limit = available() / runs_at_once;
        return 0;
    }
    char *unit;
    double number = strtod(text, &unit);
    bool good = unit > text && number > 0 && isfinite(number);
    unit += strspn(unit, " ");
    for (size_t i = 0; good && i < sizeof units / sizeof *units; i++) {
        if (strcmp(unit, units[i].name) == 0) {
            *limit = number * units[i].bytes;
            return 0;
        }
    }
    return args_error(a,
                      "option '--max-memory': '%.60s' is not a size such as 2 GB (B, kB, MB, GB, "
                      "TB, KiB, MiB, GiB, TiB)",
                      text);
}

int memory_take(const args *a, const char *path, double bytes, double *left) {
    char needs[FF_MEMORY_TEXT], there[FF_MEMORY_TEXT];
    if (bytes > *left) {
        return args_error(a, "%s: needs about %s, %s are available", path,
                          ff_memory_text(bytes, needs), ff_memory_text(*left, there));
    }
    *left -= bytes;
    return 0;
}
