/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "h5.h"

#ifndef FF_HAVE_HDF5

#include <math.h>
#include <stdio.h>

/* a build without HDF5 creates and opens no file; the other functions are never called */

static ff_h5 *refuse(ff_error *error) {
    snprintf(error->text, sizeof error->text,
             "footfall was built without HDF5 (Debian: apt-get install libhdf5-dev, build again)");
    return NULL;
}

bool ff_h5_ready(ff_error *error) { return refuse(error) != NULL; }

ff_h5 *ff_h5_create(const char *path, size_t datasets, double rows, size_t block, ff_error *error) {
    (void)block;
    (void)path, (void)datasets, (void)rows;
    return refuse(error);
}

ff_h5 *ff_h5_open(const char *path, ff_error *error) {
    (void)path;
    return refuse(error);
}

bool ff_h5_group(ff_h5 *file, const char *path) {
    (void)file, (void)path;
    return false;
}

bool ff_h5_put_text(ff_h5 *file, const char *object, const char *name, const char *text,
                    size_t room) {
    (void)file, (void)object, (void)name, (void)text, (void)room;
    return false;
}

bool ff_h5_put_document(ff_h5 *file, const char *path, const char *text) {
    (void)file, (void)path, (void)text;
    return false;
}

bool ff_h5_document(ff_h5 *file, const char *path, char **out, ff_error *error) {
    (void)file, (void)path, (void)error;
    *out = NULL;
    return false;
}

bool ff_h5_put_number(ff_h5 *file, const char *object, const char *name, double value) {
    (void)file, (void)object, (void)name, (void)value;
    return false;
}

bool ff_h5_put_integer(ff_h5 *file, const char *object, const char *name, long long value) {
    (void)file, (void)object, (void)name, (void)value;
    return false;
}

ff_h5_table *ff_h5_add_table(ff_h5 *file, const char *group, const ff_h5_column *columns,
                             size_t count) {
    (void)file, (void)group, (void)columns, (void)count;
    return NULL;
}

bool ff_h5_add_row(ff_h5_table *table, const void *row) {
    (void)table, (void)row;
    return false;
}

bool ff_h5_publish(ff_h5 *file) {
    (void)file;
    return false;
}

bool ff_h5_flush(ff_h5 *file) {
    (void)file;
    return false;
}

bool ff_h5_tick(ff_h5 *file) {
    (void)file;
    return false;
}

const char *ff_h5_why(const ff_h5 *file) {
    (void)file;
    return "";
}

char *ff_h5_text(ff_h5 *file, const char *object, const char *name) {
    (void)file, (void)object, (void)name;
    return NULL;
}

double ff_h5_number(ff_h5 *file, const char *object, const char *name) {
    (void)file, (void)object, (void)name;
    return (double)NAN;
}

long long ff_h5_rows(ff_h5 *file, const char *path, size_t *width) {
    (void)file, (void)path, (void)width;
    return -1;
}

bool ff_h5_read(ff_h5 *file, const char *path, size_t first, size_t count, void *out) {
    (void)file, (void)path, (void)first, (void)count, (void)out;
    return false;
}

bool ff_h5_visit(ff_h5 *file, const char *group, ff_h5_visitor *visitor, void *user) {
    (void)file, (void)group, (void)visitor, (void)user;
    return false;
}

bool ff_h5_close(ff_h5 *file, ff_error *error) {
    (void)error;
    return file == NULL;
}

#else
/* ISO C forbids an empty translation unit */
typedef int ff_h5_nothing;
#endif
