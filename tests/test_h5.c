/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _GNU_SOURCE
#include "check.h"
#include "trace/h5.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Counts the writes of a process and terminates it at a chosen one, which is skipped or half done. HDF5 calls
 * these functions because those of the program take precedence. */
static long writes, last_write = -1;
static bool torn;

#define SEEN __attribute__((visibility("default")))

static bool dies(void) { return writes++ == last_write; }

/* under the names used by all builds of HDF5 */
#define WRITE(name)                                                                                \
    SEEN ssize_t name(int fd, const void *from, size_t size, off_t at) {                           \
        ssize_t (*real)(int, const void *, size_t, off_t);                                         \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                 \
        if (dies()) {                                                                              \
            if (torn) {                                                                            \
                real(fd, from, size / 2, at);                                                      \
            }                                                                                      \
            raise(SIGKILL);                                                                        \
        }                                                                                          \
        return real(fd, from, size, at);                                                           \
    }
#define TRUNCATE(name)                                                                             \
    SEEN int name(int fd, off_t size) {                                                            \
        int (*real)(int, off_t);                                                                   \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                 \
        if (dies()) {                                                                              \
            raise(SIGKILL);                                                                        \
        }                                                                                          \
        return real(fd, size);                                                                     \
    }
WRITE(pwrite)
WRITE(pwrite64)
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

static char folder[] = "/tmp/footfall-h5-XXXXXX", path[64];

static const ff_h5_column columns[] = {
    {.path = "/time", .units = "s", .width = 1},
    {.path = "/bodies/ball/position", .units = "m", .parts = "x y z", .width = 3},
    {.path = "/bodies/ball/speed", .units = "m/s", .width = 1},
    /* three objects with two numbers each */
    {.path = "/bodies/omega", .units = "rad/s", .parts = "x y", .width = 2, .count = 3},
};
enum { COLUMNS = sizeof columns / sizeof *columns, WIDEST = 6 };
static const ff_h5_column event_columns[] = {
    {.path = "/events/time", .units = "s", .width = 1},
    {.path = "/events/kind", .width = 8, .text = true},
};

/* minimum and maximum number of rows that a reader must find */
typedef struct promise {
    size_t rows, most;
    bool published;
} promise;

static void add(ff_h5_table *table, size_t i) {
    double row[] = {(double)i,
                    (double)i + 0.25,
                    (double)i + 0.5,
                    (double)i + 0.75,
                    -(double)i,
                    2.0 * (double)i,
                    2.0 * (double)i + 0.25,
                    2.0 * (double)i + 0.5,
                    2.0 * (double)i + 0.75,
                    2.0 * (double)i + 1,
                    2.0 * (double)i + 1.25};
    assert_true(ff_h5_add_row(table, row));
}

/* a file of `rows` rows, `early` of them before it gets its name, with a flush after each `every`, and an event
 * after each 100 */
static void write_file(size_t rows, size_t early, size_t every, promise *p) {
    ff_error error;
    ff_h5 *file = ff_h5_create(path, 5, (double)rows, 0, &error);
    assert_holds(file, "%s", error.text);
    assert_true(ff_h5_put_text(file, "/", "scene", "bodies: {}\n", 0));
    assert_true(ff_h5_put_integer(file, "/", "complete", 0));
    assert_true(ff_h5_put_number(file, "/", "energy", NAN));
    assert_true(ff_h5_group(file, "/events"));
    ff_h5_table *table = ff_h5_add_table(file, "/", columns, COLUMNS);
    ff_h5_table *events = ff_h5_add_table(file, "/events", event_columns, 2);
    assert_true(table && events);
    for (size_t i = 0; i <= rows; i++) {
        p->most = i < rows ? i + 1 : rows;
        if (i == early) {
            assert_true(ff_h5_publish(file));
            p->published = true;
            p->rows = i;
        }
        if (i == rows) {
            break;
        }
        add(table, i);
        if (i % 100 == 0) {
            char event[16] = {0};
            double time = (double)i;
            memcpy(event, &time, sizeof time);
            memcpy(event + 8, "slip", 4);
            assert_true(ff_h5_add_row(events, event));
        }
        if (i >= early && (i + 1) % every == 0) {
            assert_true(ff_h5_flush(file));
            p->rows = i + 1;
        }
    }
    assert_true(ff_h5_put_number(file, "/", "energy", 2.5));
    assert_true(ff_h5_put_integer(file, "/", "complete", 1));
    assert_holds(ff_h5_close(file, &error), "%s", error.text);
    p->rows = rows;
}

/* all rows reported as complete exist and are correct */
static size_t check_file(const promise *p) {
    ff_error error;
    size_t width;
    ff_h5 *file = ff_h5_open(path, &error);
    assert_holds(file, "cannot be opened: %s", error.text);
    size_t rows = (size_t)ff_h5_number(file, "/", "rows");
    for (int c = 0; c < COLUMNS; c++) {
        long long length = ff_h5_rows(file, columns[c].path, &width);
        assert_true(length >= 0 &&
                    width == columns[c].width * (columns[c].count ? columns[c].count : 1));
        rows = (size_t)length < rows ? (size_t)length : rows;
    }
    assert_holds(rows >= p->rows && rows <= p->most, "%zu rows instead of %zu to %zu", rows,
                 p->rows, p->most);
    double *values = calloc(rows + 1, WIDEST * sizeof *values);
    for (int c = 0; c < COLUMNS; c++) {
        /* all data can be read, complete or not */
        size_t length = (size_t)ff_h5_rows(file, columns[c].path, &width);
        double *all = calloc(length + 1, width * sizeof *all);
        assert_holds(ff_h5_read(file, columns[c].path, 0, length, all), "%s", columns[c].path);
        free(all);
        assert_true(ff_h5_read(file, columns[c].path, 0, rows, values));
        for (size_t i = 0; i < rows; i++) {
            double wanted[] = {(double)i, (double)i + 0.25, -(double)i, 2.0 * (double)i};
            for (size_t j = 0; j < width; j++) {
                assert_holds(values[i * width + j] == wanted[c] + 0.25 * (double)j,
                             "%s, row %zu of %zu: %g", columns[c].path, i, rows,
                             values[i * width + j]);
            }
        }
    }
    free(values);
    size_t events = (size_t)ff_h5_number(file, "/events", "rows");
    for (size_t i = 0; i < events; i++) {
        char kind[8];
        double time;
        assert_true(ff_h5_read(file, "/events/kind", i, 1, kind) && strcmp(kind, "slip") == 0);
        assert_true(ff_h5_read(file, "/events/time", i, 1, &time) && time == 100.0 * (double)i);
    }
    char *scene = ff_h5_text(file, "/", "scene");
    assert_string_equal(scene, "bodies: {}\n");
    free(scene);
    assert_true(ff_h5_close(file, NULL));
    return rows;
}

static void test_round_trip(void **state) {
    (void)state;
    const size_t counts[] = {0, 1, 1023, 1024, 1025, 5000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (size_t every = 1; every < 10000; every *= 37) {
            promise p = {0};
            write_file(counts[i], 0, every, &p);
            assert_int_equal(check_file(&p), counts[i]);
            p = (promise){0};
            write_file(counts[i], counts[i] / 2, every, &p);
            assert_int_equal(check_file(&p), counts[i]);
            p = (promise){0};
            write_file(counts[i], counts[i], every, &p);
            assert_int_equal(check_file(&p), counts[i]);
        }
    }
    ff_error error;
    ff_h5 *file = ff_h5_open(path, &error);
    assert_true(ff_h5_number(file, "/", "energy") == 2.5 &&
                ff_h5_number(file, "/", "complete") == 1);
    assert_true(isnan(ff_h5_number(file, "/", "nothing")) && isnan(ff_h5_number(file, "/no", "x")));
    assert_null(ff_h5_text(file, "/", "nothing"));
    assert_null(ff_h5_text(file, "/", "energy"));
    assert_int_equal(ff_h5_rows(file, "/nothing", &(size_t){0}), -1);
    assert_false(ff_h5_read(file, "/time", 4999, 2, &(double[2]){0}));
    char *units = ff_h5_text(file, "/bodies/ball/position", "units");
    assert_string_equal(units, "m");
    free(units);
    ff_h5_close(file, NULL);
}

/* blocks of many objects: chunks of few rows, down to one */
static void test_wide_blocks(void **state) {
    (void)state;
    const size_t counts[] = {1000, 100000, 300000};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        const size_t wide = 3 * counts[k];
        const ff_h5_column both[] = {
            {.path = "/time", .width = 1},
            {.path = "/bodies/position", .units = "m", .width = 3, .count = counts[k]}};
        ff_error error;
        ff_h5 *file = ff_h5_create(path, 2, 20, (wide + 1) * sizeof(double), &error);
        ff_h5_table *table = file ? ff_h5_add_table(file, "/", both, 2) : NULL;
        double *row = calloc(wide + 1, sizeof *row);
        assert_true(table && row && ff_h5_publish(file));
        for (size_t i = 0; i < 20; i++) {
            for (size_t j = 0; j <= wide; j++) {
                row[j] = (double)(i * 7 + j);
            }
            assert_true(ff_h5_add_row(table, row) && (i != 9 || ff_h5_flush(file)));
        }
        assert_true(ff_h5_close(file, &error));
        file = ff_h5_open(path, &error);
        size_t width = 0;
        assert_int_equal(ff_h5_rows(file, "/bodies/position", &width), 20);
        assert_int_equal(width, wide);
        for (size_t i = 0; i < 20; i++) {
            assert_true(ff_h5_read(file, "/bodies/position", i, 1, row));
            assert_true(row[0] == (double)(i * 7 + 1) && row[wide - 1] == (double)(i * 7 + wide));
        }
        free(row);
        ff_h5_close(file, NULL);
    }
}

/* killed at each of its writes, before or in the middle of it */
static void kill_at_all(size_t rows, size_t early, size_t every, bool half, promise *p) {
    bool ended = false;
    for (long at = 0; !ended; at++) {
        unlink(path);
        *p = (promise){0};
        pid_t child = fork();
        if (child == 0) {
            writes = 0, last_write = at, torn = half;
            write_file(rows, early, every, p);
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        ended = WIFEXITED(status);
        assert_holds(!ended || WEXITSTATUS(status) == 0, "the writer failed");
        /* before it gets its name it does not exist */
        if (p->published || access(path, F_OK) == 0) {
            check_file(p);
        }
    }
}

static void test_killed(void **state) {
    (void)state;
    promise *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(p != MAP_FAILED);
    /* flushes within chunks, between them, and only the last */
    const size_t every[] = {300, 1024, 5000};
    for (size_t i = 0; i < 3; i++) {
        kill_at_all(3000, 0, every[i], false, p);
        kill_at_all(3000, 0, every[i], true, p);
    }
    /* a file that continues with rows of another, up to the middle of a chunk and up to its end */
    const size_t early[] = {50, 1024, 1500};
    for (size_t i = 0; i < 3; i++) {
        kill_at_all(3000, early[i], 300, false, p);
        kill_at_all(3000, early[i], 300, true, p);
    }
    munmap(p, sizeof *p);
}

static void put(const char *text) {
    FILE *file = fopen(path, "wb");
    fputs(text, file);
    fclose(file);
}

static void test_wrong_files(void **state) {
    (void)state;
    ff_error error;
    unlink(path);
    assert_null(ff_h5_open(path, &error));
    assert_string_equal(error.text, "No such file or directory");
    put("");
    assert_null(ff_h5_open(path, &error));
    assert_string_equal(error.text, "is empty");
    put("time,x\n1,2\n");
    assert_null(ff_h5_open(path, &error));
    assert_string_equal(error.text, "is not an HDF5 file");
    promise p = {0};
    write_file(5000, 0, 10000, &p);
    assert_int_equal(truncate(path, 20000), 0);
    assert_null(ff_h5_open(path, &error));
    assert_string_equal(error.text, "is truncated or damaged");
    assert_null(ff_h5_open(folder, &error));
    assert_string_equal(error.text, "Is a directory");
    assert_null(ff_h5_create("/nowhere/at/all.h5", 1, 0, 0, &error));
    assert_string_equal(error.text, "No such file or directory");
}

/* the first failure is kept and reported at the end */
static void test_failure_stays(void **state) {
    (void)state;
    ff_error error;
    ff_h5 *file = ff_h5_create(path, 1, 0, 0, &error);
    assert_non_null(file);
    assert_false(ff_h5_put_number(file, "/nothing", "x", 1));
    assert_false(ff_h5_put_number(file, "/", "x", 1));
    assert_false(ff_h5_group(file, "/a"));
    assert_null(ff_h5_add_table(file, "/", columns, COLUMNS));
    assert_false(ff_h5_flush(file));
    assert_false(ff_h5_publish(file));
    assert_string_equal(ff_h5_why(file), "HDF5 cannot write it");
    assert_false(ff_h5_close(file, &error));
    assert_string_equal(error.text, "HDF5 cannot write it");
    assert_true(ff_h5_close(NULL, NULL));
}

static int make_folder(void **state) {
    (void)state;
    snprintf(path, sizeof path, "%s/t.h5", mkdtemp(folder));
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_wide_blocks),
        cmocka_unit_test(test_killed),        cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_failure_stays),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
#ifndef FF_HAVE_HDF5
    return 0;
#endif
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
