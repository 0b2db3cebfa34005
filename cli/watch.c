/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "watch.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal) {
    (void)signal;
    interrupted = 1;
}

void watch_begin(void) {
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
}

bool watch_interrupted(void) { return interrupted; }

void watch_progress(double part) {
    static double last = -1;
    /* fifty times a run at most */
    if (part - last < 0.02 || !isatty(STDERR_FILENO)) {
        return;
    }
    last = part;
    char bar[41];
    memset(bar, ' ', 40);
    memset(bar, '=', (size_t)(40 * fmin(part, 1)));
    bar[40] = '\0';
    fprintf(stderr, "\r[%s] %3.0f %%", bar, 100 * part);
}

void watch_clear(void) {
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r%50s\r", "");
    }
}
