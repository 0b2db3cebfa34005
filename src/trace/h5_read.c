/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "h5.h"
#include "num/memory.h"

#ifdef FF_HAVE_HDF5

#include "h5_file.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Deeper nesting or more objects do not occur in our files; links back to a group could make either infinite. Our texts are
 * shorter than this limit. */
enum { depth_most = 16, objects_most = 1000000, text_most = 1 << 30 };

ff_h5 *ff_h5_open(const char *path, ff_error *error) {
    *error = (ff_error){""};
    const ff_h5_library *h5 = ff_h5_load(error);
    if (!h5) {
        return NULL;
    }
    /* check simple reasons first: HDF5 reports the same error for all */
    FILE *plain = fopen(path, "rb");
    int byte = plain ? fgetc(plain) : EOF;
    if (byte == EOF) {
        bool empty = plain && !ferror(plain);
        snprintf(error->text, sizeof error->text, "%s", empty ? "is empty" : strerror(errno));
    }
    if (plain) {
        fclose(plain);
    }
    if (byte == EOF) {
        return NULL;
    }
    if (h5->H5Fis_hdf5(path) <= 0) {
        snprintf(error->text, sizeof error->text, "is not an HDF5 file");
        return NULL;
    }
    ff_h5 *file = ff_calloc(1, sizeof *file);
    if (file) {
        hid_t access = ff_h5_access(h5);
        file->h5 = h5;
        file->id = h5->H5Fopen(path, H5F_ACC_RDONLY, access);
        h5->H5Pclose(access);
    }
    if (!file || file->id < 0) {
        snprintf(error->text, sizeof error->text, "%s",
                 file ? "is truncated or damaged" : "out of memory");
        ff_free(file);
        return NULL;
    }
    return file;
}

/* opens an attribute of one element, -1 if there is none */
static hid_t open_attribute(ff_h5 *file, const char *object, const char *name) {
    const ff_h5_library *h5 = file->h5;
    hid_t owner = h5->H5Oopen(file->id, object, H5P_DEFAULT);
    hid_t attribute = owner >= 0 ? h5->H5Aopen(owner, name, H5P_DEFAULT) : -1;
    if (owner >= 0) {
        h5->H5Oclose(owner);
    }
    if (attribute < 0) {
        return -1;
    }
    hid_t space = h5->H5Aget_space(attribute);
    bool one = h5->H5Sget_simple_extent_npoints(space) == 1;
    h5->H5Sclose(space);
    if (!one) {
        h5->H5Aclose(attribute);
    }
    return one ? attribute : -1;
}

/* The size of a text of fixed length; 0: it is not one. Types of variable length are not read: libhdf5 follows their
 * references into a heap and crashes if that is damaged. */
static size_t text_size(const ff_h5_library *h5, hid_t type) {
    const size_t size = h5->H5Tget_class(type) == H5T_STRING && h5->H5Tis_variable_str(type) == 0
                            ? h5->H5Tget_size(type)
                            : 0;
    return size <= text_most ? size : 0;
}

char *ff_h5_text(ff_h5 *file, const char *object, const char *name) {
    const ff_h5_library *h5 = file->h5;
    hid_t attribute = open_attribute(file, object, name);
    if (attribute < 0) {
        return NULL;
    }
    hid_t type = h5->H5Aget_type(attribute);
    const size_t size = text_size(h5, type);
    char *text = size ? ff_calloc(1, size + 1) : NULL;
    if (text && h5->H5Aread(attribute, type, text) < 0) {
        ff_free(text);
        text = NULL;
    }
    h5->H5Tclose(type);
    h5->H5Aclose(attribute);
    return text;
}

bool ff_h5_document(ff_h5 *file, const char *path, char **out, ff_error *error) {
    const ff_h5_library *h5 = file->h5;
    char group[256];
    snprintf(group, sizeof group, "%.*s", (int)(strrchr(path, '/') - path), path);
    *out = NULL;
    /* check the parent first: asking for a child of a missing group is an error */
    if ((*group && h5->H5Lexists(file->id, group, H5P_DEFAULT) == 0) ||
        h5->H5Lexists(file->id, path, H5P_DEFAULT) == 0) {
        return true;
    }
    hid_t data = h5->H5Dopen2(file->id, path, H5P_DEFAULT);
    if (data >= 0) {
        hid_t type = h5->H5Dget_type(data), space = h5->H5Dget_space(data);
        const size_t size = text_size(h5, type);
        const bool one = h5->H5Sget_simple_extent_npoints(space) == 1;
        *out = size && one ? ff_calloc(1, size + 1) : NULL;
        if (*out && h5->H5Dread(data, type, space, space, H5P_DEFAULT, *out) < 0) {
            ff_free(*out);
            *out = NULL;
        }
        h5->H5Tclose(type);
        h5->H5Sclose(space);
        h5->H5Dclose(data);
    }
    if (!*out) {
        snprintf(error->text, sizeof error->text, "is damaged: %s is not a text of fixed length",
                 path);
    }
    return *out;
}

double ff_h5_number(ff_h5 *file, const char *object, const char *name) {
    const ff_h5_library *h5 = file->h5;
    hid_t attribute = open_attribute(file, object, name);
    double value;
    if (attribute < 0) {
        return (double)NAN;
    }
    hid_t type = h5->H5Aget_type(attribute);
    H5T_class_t class = h5->H5Tget_class(type);
    if ((class != H5T_FLOAT && class != H5T_INTEGER) ||
        h5->H5Aread(attribute, h5->id.H5T_NATIVE_DOUBLE_g, &value) < 0) {
        value = (double)NAN;
    }
    h5->H5Tclose(type);
    h5->H5Aclose(attribute);
    return value;
}

/* opens a dataset and reads its shape; -1 if it is not one of ours */
static hid_t open_dataset(ff_h5 *file, const char *path, hsize_t dims[3], int *rank, size_t *bytes,
                          bool *text) {
    const ff_h5_library *h5 = file->h5;
    hid_t data = h5->H5Dopen2(file->id, path, H5P_DEFAULT);
    if (data < 0) {
        return -1;
    }
    hid_t space = h5->H5Dget_space(data), type = h5->H5Dget_type(data);
    dims[1] = dims[2] = 1;
    *rank = h5->H5Sget_simple_extent_ndims(space);
    *bytes = h5->H5Tget_size(type);
    H5T_class_t class = h5->H5Tget_class(type);
    *text = class == H5T_STRING && h5->H5Tis_variable_str(type) == 0;
    bool ours = *rank >= 1 && *rank <= 3 && (*text || class == H5T_FLOAT) &&
                h5->H5Sget_simple_extent_dims(space, dims, NULL) >= 0;
    /* our rows and columns are shorter */
    ours = ours && dims[0] < text_most && dims[1] < text_most && dims[2] < text_most &&
           dims[1] * dims[2]<text_most && * bytes> 0 && *bytes < text_most;
    h5->H5Sclose(space);
    h5->H5Tclose(type);
    if (!ours) {
        h5->H5Dclose(data);
    }
    return ours ? data : -1;
}

long long ff_h5_rows(ff_h5 *file, const char *path, size_t *width) {
    hsize_t dims[3];
    int rank;
    size_t bytes;
    bool text;
    hid_t data = open_dataset(file, path, dims, &rank, &bytes, &text);
    if (data < 0) {
        return -1;
    }
    file->h5->H5Dclose(data);
    *width = text ? bytes : (size_t)(dims[1] * dims[2]);
    return (long long)dims[0];
}

bool ff_h5_read(ff_h5 *file, const char *path, size_t first, size_t count, void *out) {
    const ff_h5_library *h5 = file->h5;
    hsize_t dims[3];
    int rank;
    size_t bytes;
    bool text;
    hid_t data = open_dataset(file, path, dims, &rank, &bytes, &text);
    if (data < 0 || count == 0 || first > dims[0] || count > dims[0] - first) {
        if (data >= 0) {
            h5->H5Dclose(data);
        }
        return data >= 0 && count == 0;
    }
    hsize_t from[3] = {first, 0, 0}, part[3] = {count, dims[1], dims[2]};
    hid_t memory = h5->H5Screate_simple(rank, part, NULL), space = h5->H5Dget_space(data);
    hid_t type = text ? h5->H5Dget_type(data) : h5->H5Tcopy(h5->id.H5T_NATIVE_DOUBLE_g);
    h5->H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, part, NULL);
    bool done = h5->H5Dread(data, type, memory, space, H5P_DEFAULT, out) >= 0;
    h5->H5Tclose(type);
    h5->H5Sclose(memory);
    h5->H5Sclose(space);
    h5->H5Dclose(data);
    return done;
}

typedef struct {
    ff_h5_visitor *visitor;
    void *user;
    size_t objects;
} visits;

static bool visit(ff_h5 *file, const char *group, int depth, visits *v) {
    const ff_h5_library *h5 = file->h5;
    hid_t id = h5->H5Gopen2(file->id, group, H5P_DEFAULT);
    H5G_info_t info;
    bool done = id >= 0 && depth > 0 && h5->H5Gget_info(id, &info) >= 0;
    for (hsize_t i = 0; done && i < info.nlinks; i++) {
        char name[256], path[1024];
        ssize_t length = h5->H5Lget_name_by_idx(id, ".", H5_INDEX_NAME, H5_ITER_INC, i, name,
                                                sizeof name, H5P_DEFAULT);
        /* our names are short */
        done = length > 0 && (size_t)length < sizeof name && ++v->objects < objects_most &&
               snprintf(path, sizeof path, "%s%s%s", group, group[1] ? "/" : "", name) <
                   (int)sizeof path;
        hid_t object = done ? h5->H5Oopen(id, name, H5P_DEFAULT) : -1;
        done = object >= 0;
        if (done) {
            H5I_type_t kind = h5->H5Iget_type(object);
            h5->H5Oclose(object);
            done = (kind == H5I_DATASET || kind == H5I_GROUP) &&
                   v->visitor(v->user, path, kind == H5I_DATASET) &&
                   (kind == H5I_DATASET || visit(file, path, depth - 1, v));
        }
    }
    if (id >= 0) {
        h5->H5Gclose(id);
    }
    return done;
}

bool ff_h5_visit(ff_h5 *file, const char *group, ff_h5_visitor *visitor, void *user) {
    visits v = {visitor, user, 0};
    return visit(file, group, depth_most, &v);
}

#endif
