/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "expr/word.h"
#include "h5.h"
#include "num/memory.h"

#ifdef FF_HAVE_HDF5

#include "h5_file.h"
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Rows per chunk of a dataset: enough to compress well, few enough that compression, 5 ms for the 60 numbers of a sphere on
 * a plane, causes no pause. Wide tables have shorter chunks, so that their buffers stay below a few megabytes. Level 4 of
 * zlib is the last fast one. */
enum { chunk_least = 16, chunk_most = 1024, buffer_most = 4 << 20, level = 4 };

/* The index of a dataset is one node of 2 K entries, one for each chunk, until it is full and must be split. While a flush
 * writes the parts of a split node, the dataset cannot be read: so the node has room for the expected rows, as long as all
 * nodes together, which each flush writes, stay below a megabyte. An entry has at most 40 bytes. The smallest K differs
 * from the default, 32, because a header that contains K has version 1 (see end_place). */
enum {
    rows_unknown = 200000,
    index_most = 1 << 20,
    entry_bytes = 40,
    k_least = 40,
    k_most = 16384
};

/* Rows per chunk. Blocks may have a single row, because the total size of the buffers matters there, not the number of
 * chunks. */
static size_t chunk_rows(size_t bytes, bool blocks) {
    size_t chunk = chunk_most;
    while (chunk > (blocks ? 1 : chunk_least) && chunk * bytes > buffer_most) {
        chunk /= 2;
    }
    return chunk;
}

typedef struct column {
    hid_t data, type;
    size_t bytes;    /* bytes of a row */
    hsize_t size[2]; /* shape of a row, in elements: width, or objects and width */
    unsigned rank;
    unsigned char *rows; /* rows of the incomplete chunk */
} column;

struct ff_h5_table {
    ff_h5 *file;
    ff_h5_table *next;
    char *group;
    size_t count, chunk;
    hsize_t start;        /* number of rows in complete chunks */
    size_t used;          /* number of rows in the buffers */
    size_t raw;           /* number of these that are in the file, in an uncompressed chunk */
    hsize_t written_rows; /* value of the attribute `rows` in the file */
    column columns[];
};

/* ---- errors ---- */

static bool fail(ff_h5 *file) {
    if (*file->why.text == '\0') {
        int reason = errno;
        snprintf(file->why.text, sizeof file->why.text, "%s",
                 reason ? strerror(reason) : "HDF5 cannot write it");
    }
    return false;
}

static bool good(ff_h5 *file) {
    errno = 0;
    return *file->why.text == '\0';
}

const char *ff_h5_why(const ff_h5 *file) { return file->why.text; }

/* ---- the file ---- */

bool ff_h5_ready(ff_error *error) { return ff_h5_load(error) != NULL; }

ff_h5 *ff_h5_create(const char *path, size_t datasets, double rows, size_t block, ff_error *error) {
    *error = (ff_error){""};
    const ff_h5_library *h5 = ff_h5_load(error);
    if (!h5) {
        return NULL;
    }
    ff_h5 *file = ff_calloc(1, sizeof *file);
    if (!file) {
        snprintf(error->text, sizeof error->text, "out of memory");
        return NULL;
    }
    file->h5 = h5;
    file->id = -1;
    file->path = ff_word_copy(path);
    file->made = ff_malloc(strlen(path) + 8);
    file->fd = -1;
    if (file->path && file->made) {
        /* next to the target, so that the rename is atomic */
        sprintf(file->made, "%s.XXXXXX", path);
        file->fd = mkstemp(file->made);
    }
    if (file->fd >= 0) {
        mode_t mask = umask(0);
        umask(mask);
        fchmod(file->fd, 0666 & ~mask);
        hid_t access = ff_h5_access(h5);
        /* nothing may be written between flushes, so nothing may be evicted from the cache */
        H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
        h5->H5Pget_mdc_config(access, &cache);
        cache.evictions_enabled = 0;
        cache.incr_mode = H5C_incr__off;
        cache.flash_incr_mode = H5C_flash_incr__off;
        cache.decr_mode = H5C_decr__off;
        h5->H5Pset_mdc_config(access, &cache);
        hid_t creation = h5->H5Pcreate(h5->id.H5P_CLS_FILE_CREATE_ID_g);
        const size_t chunk = block ? chunk_rows(block, true) : chunk_most;
        double k = (rows > 0 ? rows : rows_unknown) / (double)chunk / 2 + 1;
        k = fmin(k, (double)index_most / (double)(datasets + 1) / entry_bytes / 2);
        h5->H5Pset_istore_k(creation, (unsigned)fmax(k_least, fmin(k, k_most)));
        file->id = h5->H5Fcreate(file->made, H5F_ACC_TRUNC, creation, access);
        h5->H5Pclose(access);
        h5->H5Pclose(creation);
    }
    if (file->id < 0) {
        fail(file);
        *error = file->why;
        if (file->fd >= 0) {
            close(file->fd);
            unlink(file->made);
        }
        ff_free(file->path);
        ff_free(file->made);
        ff_free(file);
        return NULL;
    }
    return file;
}

bool ff_h5_group(ff_h5 *file, const char *path) {
    const ff_h5_library *h5 = file->h5;
    if (!good(file)) {
        return false;
    }
    hid_t links = h5->H5Pcreate(h5->id.H5P_CLS_LINK_CREATE_ID_g);
    h5->H5Pset_create_intermediate_group(links, 1);
    hid_t group = h5->H5Gcreate2(file->id, path, links, H5P_DEFAULT, H5P_DEFAULT);
    h5->H5Pclose(links);
    return (group >= 0 && h5->H5Gclose(group) >= 0) || fail(file);
}

/* ---- attributes ---- */

/* creates an attribute of one element if it does not exist, and writes it */
static bool put(ff_h5 *file, const char *object, const char *name, hid_t type, const void *value) {
    const ff_h5_library *h5 = file->h5;
    if (!good(file)) {
        return false;
    }
    hid_t owner = h5->H5Oopen(file->id, object, H5P_DEFAULT), attribute;
    if (h5->H5Aexists(owner, name) > 0) {
        attribute = h5->H5Aopen(owner, name, H5P_DEFAULT);
    } else {
        hid_t space = h5->H5Screate(H5S_SCALAR);
        attribute = h5->H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        h5->H5Sclose(space);
    }
    bool done = attribute >= 0 && h5->H5Awrite(attribute, type, value) >= 0;
    h5->H5Aclose(attribute);
    h5->H5Oclose(owner);
    return done || fail(file);
}

/* A text of fixed length with a terminating 0, which netCDF relies on; only references to scales have variable length in
 * our files. */
static hid_t text_type(const ff_h5_library *h5, size_t size) {
    hid_t type = h5->H5Tcopy(h5->id.H5T_C_S1_g);
    h5->H5Tset_size(type, size);
    h5->H5Tset_strpad(type, H5T_STR_NULLTERM);
    h5->H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

/* an attribute has at most 64 kB, including its header */
enum { text_most = 60000 };

bool ff_h5_put_text(ff_h5 *file, const char *object, const char *name, const char *text,
                    size_t room) {
    const size_t length = strlen(text), size = (length > room ? length : room) + 1;
    char *padded = ff_calloc(1, size);
    if (!padded || size > text_most) {
        errno = padded ? EOVERFLOW : ENOMEM;
        ff_free(padded);
        return fail(file);
    }
    memcpy(padded, text, length);
    hid_t type = text_type(file->h5, size);
    bool done = put(file, object, name, type, padded);
    file->h5->H5Tclose(type);
    ff_free(padded);
    return done;
}

bool ff_h5_put_document(ff_h5 *file, const char *path, const char *text) {
    const ff_h5_library *h5 = file->h5;
    if (!text || !good(file)) {
        return !text;
    }
    hid_t type = text_type(h5, strlen(text) + 1), space = h5->H5Screate(H5S_SCALAR);
    hid_t creation = h5->H5Pcreate(h5->id.H5P_CLS_DATASET_CREATE_ID_g);
    h5->H5Pset_obj_track_times(creation, 0);
    hid_t data = h5->H5Dcreate2(file->id, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    bool done = data >= 0 && h5->H5Dwrite(data, type, space, space, H5P_DEFAULT, text) >= 0;
    h5->H5Pclose(creation);
    h5->H5Sclose(space);
    h5->H5Tclose(type);
    return (data >= 0 && h5->H5Dclose(data) >= 0 && done) || fail(file);
}

bool ff_h5_put_number(ff_h5 *file, const char *object, const char *name, double value) {
    return put(file, object, name, file->h5->id.H5T_NATIVE_DOUBLE_g, &value);
}

bool ff_h5_put_integer(ff_h5 *file, const char *object, const char *name, long long value) {
    return put(file, object, name, file->h5->id.H5T_NATIVE_LLONG_g, &value);
}

/* ---- tables ---- */

/* ---- dimension scales (HDF5 Dimension Scale Specification 1.0), which netCDF and xarray use ---- */

/* Attributes of a scale. A `bare` one is a dimension without values, in netCDF's convention. */
static bool put_scale(ff_h5 *file, const char *path, size_t bare) {
    const ff_h5_library *h5 = file->h5;
    static const char class[] = "DIMENSION_SCALE";
    char name[80];
    snprintf(name, sizeof name, "%s", strrchr(path, '/') + 1);
    if (bare) {
        snprintf(name, sizeof name, "This is a netCDF dimension but not a netCDF variable.%10zu",
                 bare);
    }
    hid_t class_type = text_type(h5, sizeof class), name_type = text_type(h5, strlen(name) + 1);
    h5->H5Tset_cset(class_type, H5T_CSET_ASCII);
    h5->H5Tset_cset(name_type, H5T_CSET_ASCII);
    bool done =
        put(file, path, "CLASS", class_type, class) && put(file, path, "NAME", name_type, name);
    h5->H5Tclose(class_type);
    h5->H5Tclose(name_type);
    return done;
}

/* The scale of the numbers of a row, created if it does not exist. */
static bool make_axis(ff_h5 *file, size_t width, char path[32]) {
    const ff_h5_library *h5 = file->h5;
    const hsize_t size = width;
    sprintf(path, "/axis_%zu", width);
    if (h5->H5Lexists(file->id, path, H5P_DEFAULT) > 0) {
        return true;
    }
    hid_t creation = h5->H5Pcreate(h5->id.H5P_CLS_DATASET_CREATE_ID_g);
    h5->H5Pset_obj_track_times(creation, 0);
    hid_t space = h5->H5Screate_simple(1, &size, NULL);
    hid_t data = h5->H5Dcreate2(file->id, path, h5->id.H5T_NATIVE_DOUBLE_g, space, H5P_DEFAULT,
                                creation, H5P_DEFAULT);
    double *values = ff_malloc(width * sizeof *values);
    for (size_t i = 0; values && i < width; i++) {
        values[i] = (double)i;
    }
    bool done =
        values && data >= 0 &&
        h5->H5Dwrite(data, h5->id.H5T_NATIVE_DOUBLE_g, space, space, H5P_DEFAULT, values) >= 0;
    ff_free(values);
    h5->H5Pclose(creation);
    h5->H5Sclose(space);
    done = data >= 0 && h5->H5Dclose(data) >= 0 && done;
    return done ? put_scale(file, path, width) : fail(file);
}

/* Attaches scales to the dimensions of a dataset. */
static bool put_dimensions(ff_h5 *file, hid_t data, const char *const *scales, unsigned rank) {
    const ff_h5_library *h5 = file->h5;
    const hsize_t size = rank;
    hobj_ref_t refs[3];
    hvl_t list[3];
    bool done = true;
    for (unsigned i = 0; i < rank; i++) {
        list[i] = (hvl_t){1, &refs[i]};
        done = done && h5->H5Rcreate(&refs[i], file->id, scales[i], H5R_OBJECT, -1) >= 0;
    }
    hid_t type = h5->H5Tvlen_create(h5->id.H5T_STD_REF_OBJ_g),
          space = h5->H5Screate_simple(1, &size, NULL);
    hid_t attribute = h5->H5Acreate2(data, "DIMENSION_LIST", type, space, H5P_DEFAULT, H5P_DEFAULT);
    done = done && attribute >= 0 && h5->H5Awrite(attribute, type, list) >= 0;
    h5->H5Aclose(attribute);
    h5->H5Sclose(space);
    h5->H5Tclose(type);
    return done || fail(file);
}

/* `rows`: the dataset that is the scale of rows. */
static bool make_dataset(ff_h5 *file, const ff_h5_column *c, column *out, size_t chunk,
                         const char *rows) {
    const ff_h5_library *h5 = file->h5;
    hid_t number = h5->id.H5T_NATIVE_DOUBLE_g;
    out->type = c->text ? text_type(h5, c->width) : h5->H5Tcopy(number);
    hid_t creation = h5->H5Pcreate(h5->id.H5P_CLS_DATASET_CREATE_ID_g);
    hid_t access = h5->H5Pcreate(h5->id.H5P_CLS_DATASET_ACCESS_ID_g);
    hid_t links = h5->H5Pcreate(h5->id.H5P_CLS_LINK_CREATE_ID_g);
    h5->H5Pset_create_intermediate_group(links, 1);
    if (!c->text) {
        /* values that a killed run could not write are NAN */
        h5->H5Pset_fill_value(creation, number, &(double){(double)NAN});
    }
    hsize_t dims[3] = {0, out->size[0], out->size[1]},
            most[3] = {H5S_UNLIMITED, out->size[0], out->size[1]},
            chunks[3] = {chunk, out->size[0], out->size[1]};
    h5->H5Pset_chunk(creation, (int)out->rank, chunks);
    h5->H5Pset_shuffle(creation);
    h5->H5Pset_deflate(creation, level);
    /* the same run gives the same bytes */
    h5->H5Pset_obj_track_times(creation, 0);
    /* chunks are written completely and immediately */
    h5->H5Pset_chunk_cache(access, 1, 0, 1);
    hid_t space = h5->H5Screate_simple((int)out->rank, dims, most);
    out->data = h5->H5Dcreate2(file->id, c->path, out->type, space, links, creation, access);
    h5->H5Sclose(space);
    h5->H5Pclose(links);
    h5->H5Pclose(access);
    h5->H5Pclose(creation);
    char axis[32] = "", things[32] = "";
    const char *scales[3] = {rows, !c->count ? axis : c->things ? c->things : things, axis};
    return (out->data >= 0 || fail(file)) &&
           (!c->units || ff_h5_put_text(file, c->path, "units", c->units, 0)) &&
           (!c->parts || ff_h5_put_text(file, c->path, "columns", c->parts, 0)) &&
           (c->first == SIZE_MAX ||
            ff_h5_put_integer(file, c->path, "first_column", (long long)c->first)) &&
           (out->rank == 1 || make_axis(file, c->width, axis)) &&
           (!c->count || c->things || make_axis(file, c->count, things)) &&
           (rows == c->path ? put_scale(file, rows, 0)
                            : put_dimensions(file, out->data, scales, out->rank));
}

static size_t row_bytes(const ff_h5_column *c) {
    return (c->count ? c->count : 1) * c->width * (c->text ? 1 : sizeof(double));
}

ff_h5_table *ff_h5_add_table(ff_h5 *file, const char *group, const ff_h5_column *columns,
                             size_t count) {
    if (!good(file)) {
        return NULL;
    }
    ff_h5_table *t = ff_calloc(1, sizeof *t + count * sizeof *t->columns);
    if (!t) {
        fail(file);
        return NULL;
    }
    *t = (ff_h5_table){.file = file, .next = file->tables};
    file->tables = t;
    size_t bytes = 0;
    bool blocks = false;
    for (size_t i = 0; i < count; i++) {
        bytes += row_bytes(&columns[i]);
        blocks = blocks || columns[i].count > 0;
    }
    t->chunk = chunk_rows(bytes, blocks);
    t->group = ff_word_copy(group);
    bool done = t->group && ff_h5_put_integer(file, group, "rows", 0);
    while (done && t->count < count) {
        const ff_h5_column *c = &columns[t->count];
        column *out = &t->columns[t->count++];
        const size_t width = c->text ? 1 : c->width;
        out->bytes = row_bytes(c);
        out->size[0] = c->count ? c->count : width;
        out->size[1] = width;
        out->rank = c->count ? 3 : width > 1 ? 2 : 1;
        out->rows = ff_calloc(t->chunk, out->bytes);
        done = out->rows && make_dataset(file, c, out, t->chunk, columns[0].path);
    }
    if (!done) {
        fail(file);
        return NULL;
    }
    return t;
}

static bool set_rows(ff_h5_table *t, hsize_t rows) {
    bool done = true;
    for (size_t i = 0; done && i < t->count; i++) {
        const column *c = &t->columns[i];
        hsize_t dims[3] = {rows, c->size[0], c->size[1]};
        done = t->file->h5->H5Dset_extent(c->data, dims) >= 0;
    }
    return done || fail(t->file);
}

static bool put_row_count(ff_h5_table *t, hsize_t rows) {
    t->written_rows = rows;
    return ff_h5_put_integer(t->file, t->group, "rows", (long long)rows);
}

/* Position of the end-of-file address in superblock version 1 (HDF5 File Format Specification, II.A), which files with a
 * non-default index size have. */
enum { end_place = 44 };

static void store_end(unsigned char out[8], hsize_t size) {
    for (int i = 0; i < 8; i++) {
        out[i] = (unsigned char)(size >> 8 * i);
    }
}

/* whether it is at the expected position */
static bool find_end(const ff_h5 *file) {
    unsigned char seen[8], wanted[8];
    hsize_t size;
    if (file->h5->H5Fget_filesize(file->id, &size) < 0 ||
        pread(file->fd, seen, sizeof seen, end_place) != sizeof seen) {
        return false;
    }
    store_end(wanted, size);
    return memcmp(seen, wanted, sizeof seen) == 0;
}

/* Passes everything to the operating system, where it survives the process. */
static bool write_out(ff_h5 *file) {
    const ff_h5_library *h5 = file->h5;
    hsize_t size;
    if (h5->H5Fget_filesize(file->id, &size) < 0 || ftruncate(file->fd, (off_t)size) != 0) {
        return fail(file);
    }
    /* HDF5 writes its header last, and nothing beyond the end address in the header can be read: so write the end address
     * first */
    if (file->end_known) {
        unsigned char end[8];
        store_end(end, size);
        if (pwrite(file->fd, end, sizeof end, end_place) != sizeof end) {
            return fail(file);
        }
    }
    return h5->H5Fflush(file->id, H5F_SCOPE_LOCAL) >= 0 || fail(file);
}

/* Writes data first, then the number of complete rows. */
static bool commit(ff_h5 *file) {
    bool done = write_out(file), changed = false;
    for (ff_h5_table *t = file->tables; done && t; t = t->next) {
        hsize_t rows = t->start + t->raw;
        if (t->written_rows != rows) {
            changed = true;
            done = put_row_count(t, rows);
        }
    }
    return done && (!changed || write_out(file));
}

/* Writes the buffers as an uncompressed chunk, which stays in place while rows are added: a recompressed chunk would move,
 * and meanwhile the index on disk would be invalid. */
static bool write_raw(ff_h5_table *t) {
    const ff_h5_library *h5 = t->file->h5;
    const uint32_t no_filter = ~(uint32_t)0;
    bool done = set_rows(t, t->start + t->used);
    for (size_t i = 0; done && i < t->count; i++) {
        const column *c = &t->columns[i];
        hsize_t from[3] = {t->start, 0, 0};
        done = h5->H5Dwrite_chunk(c->data, H5P_DEFAULT, no_filter, from, t->chunk * c->bytes,
                                  c->rows) >= 0;
    }
    t->raw = t->used;
    return done || fail(t->file);
}

static bool write_compressed(ff_h5_table *t) {
    const ff_h5_library *h5 = t->file->h5;
    bool done = set_rows(t, t->start + t->used);
    for (size_t i = 0; done && i < t->count; i++) {
        const column *c = &t->columns[i];
        hsize_t from[3] = {t->start, 0, 0}, count[3] = {t->used, c->size[0], c->size[1]};
        hid_t memory = h5->H5Screate_simple((int)c->rank, count, NULL);
        hid_t space = h5->H5Dget_space(c->data);
        h5->H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL);
        done = h5->H5Dwrite(c->data, c->type, memory, space, H5P_DEFAULT, c->rows) >= 0;
        h5->H5Sclose(space);
        h5->H5Sclose(memory);
    }
    return done || fail(t->file);
}

/* Writes the buffers as a chunk that is complete or the last one. */
static bool write_chunk(ff_h5_table *t) {
    bool done = t->raw ? write_raw(t) : write_compressed(t);
    t->start += t->used;
    t->used = t->raw = 0;
    return done;
}

bool ff_h5_add_row(ff_h5_table *t, const void *row) {
    const unsigned char *from = row;
    if (!good(t->file)) {
        return false;
    }
    for (size_t i = 0; i < t->count; i++) {
        const column *c = &t->columns[i];
        memcpy(c->rows + t->used * c->bytes, from, c->bytes);
        from += c->bytes;
    }
    return ++t->used < t->chunk || write_chunk(t);
}

static double clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool ff_h5_flush(ff_h5 *file) {
    bool done = good(file);
    for (ff_h5_table *t = file->tables; done && t; t = t->next) {
        done = t->used == t->raw || write_raw(t);
    }
    file->flushed = clock_now();
    return done && commit(file);
}

bool ff_h5_tick(ff_h5 *file) {
    double past = clock_now() - file->flushed;
    bool between = true;
    for (const ff_h5_table *t = file->tables; past >= 0.5 && t; t = t->next) {
        between = between && t->used == t->raw;
    }
    return past < 0.5 || (past < 1 && !between) || ff_h5_flush(file);
}

bool ff_h5_publish(ff_h5 *file) {
    bool done = good(file);
    /* writing and removing a chunk creates an index before there are rows: later flushes update it in place, after
     * everything that refers to it */
    for (ff_h5_table *t = file->tables; done && t; t = t->next) {
        if (t->start + t->used > 0) {
            done = t->used == 0 || write_raw(t);
            continue;
        }
        t->used = 1;
        done = write_compressed(t) && set_rows(t, 0);
        t->used = t->raw = 0;
    }
    if (!done || !commit(file)) {
        return false;
    }
    file->end_known = find_end(file);
    if (rename(file->made, file->path) != 0) {
        return fail(file);
    }
    ff_free(file->made);
    file->made = NULL;
    file->flushed = clock_now();
    return true;
}

bool ff_h5_close(ff_h5 *file, ff_error *error) {
    if (!file) {
        return true;
    }
    const ff_h5_library *h5 = file->h5;
    bool done = good(file);
    for (ff_h5_table *t = file->tables; done && t; t = t->next) {
        done = t->used == 0 || write_chunk(t);
    }
    done = done && (!file->tables || commit(file));
    while (file->tables) {
        ff_h5_table *t = file->tables;
        file->tables = t->next;
        for (size_t i = 0; i < t->count; i++) {
            h5->H5Dclose(t->columns[i].data);
            h5->H5Tclose(t->columns[i].type);
            ff_free(t->columns[i].rows);
        }
        ff_free(t->group);
        ff_free(t);
    }
    errno = 0;
    done = (h5->H5Fclose(file->id) >= 0 || fail(file)) && done;
    /* a file that never got its name is removed */
    if (file->made) {
        unlink(file->made);
    }
    if (error) {
        *error = file->why;
    }
    if (file->path) {
        close(file->fd);
    }
    ff_free(file->path);
    ff_free(file->made);
    ff_free(file);
    return done;
}

#endif
