/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "watch.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

/* progress display: start, simulated time then, last update, and whether there is a line to clear */
static struct {
    bool wanted, shown;
    double since, from, last;
    long calls;
} progress;

static void on_interrupt(int signal) {
    (void)signal;
    interrupted = 1;
}

static double clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void watch_begin(bool quiet) {
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
    progress.wanted = !quiet && isatty(STDERR_FILENO);
}

bool watch_interrupted(void) { return interrupted; }

/* a duration in readable form */
static const char *duration(double seconds, char buf[32]) {
    if (!(seconds < 360000)) {
        snprintf(buf, 32, "days");
    } else if (seconds >= 3600) {
        snprintf(buf, 32, "%d h %02d min", (int)(seconds / 3600), (int)(fmod(seconds, 3600) / 60));
    } else if (seconds >= 60) {
        snprintf(buf, 32, "%d min %02d s", (int)(seconds / 60), (int)fmod(seconds, 60));
    } else {
        snprintf(buf, 32, "%.0f s", ceil(seconds));
    }
    return buf;
}

/* The line is redrawn at most five times a second; nothing is shown in the first half second. */
static const double first = 0.5, again = 0.2;

void watch_progress(double now, double until, const char *unit) {
    enum { width = 24 };
    if (!progress.wanted) {
        return;
    }
    const double clock = clock_now();
    if (progress.calls++ == 0) {
        progress.since = progress.last = clock;
        progress.from = now;
    }
    if (clock - progress.last < (progress.shown ? again : first)) {
        return;
    }
    const double part = until > 0 ? fmin(now / until, 1) : 1,
                 rate = (now - progress.from) / (clock - progress.since);
    char bar[width + 1], left[32];
    memset(bar, ' ', width);
    memset(bar, '=', (size_t)(width * fmax(part, 0)));
    bar[width] = '\0';
    /* numbers of runs are integers */
    const int digits = *unit == 's' ? 4 : 10;
    fprintf(stderr, "\r[%s] %3.0f %%  %.*g of %.*g %s", bar, 100 * part, digits, now, digits, until,
            unit);
    if (rate > 0) {
        fprintf(stderr, "  %.3g %s/s  %s left", rate, unit, duration((until - now) / rate, left));
    }
    /* clear the rest of a longer previous line */
    fprintf(stderr, "\033[K");
    progress.last = clock;
    progress.shown = true;
}

void watch_clear(void) {
    if (progress.shown) {
        fprintf(stderr, "\r\033[K");
        progress.shown = false;
    }
}
