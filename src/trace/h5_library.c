/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#ifdef FF_HAVE_HDF5

#include "h5_library.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ff_h5_library library;
static bool loaded;

static void *open_library(void) {
    /* Debian's names of the serial library, then the usual ones; 1.10, 1.12 and 1.14 */
    static const char *const names[] = {
        "libhdf5_serial.so.103", "libhdf5_serial.so.310", "libhdf5.so.103", "libhdf5.so.200",
        "libhdf5.so.310",        "libhdf5_serial.so",     "libhdf5.so"};
    const char *wanted = getenv("FOOTFALL_HDF5");
    if (wanted) {
        return dlopen(wanted, RTLD_LAZY | RTLD_LOCAL);
    }
    void *handle = NULL;
    for (size_t i = 0; !handle && i < sizeof names / sizeof *names; i++) {
        handle = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    }
    return handle;
}

/* POSIX allows dlsym for objects and functions alike */
static bool find(void *handle, const char *name, void *out, size_t size) {
    void *at = dlsym(handle, name);
    memcpy(out, &at, size);
    return at != NULL;
}

static bool resolve(void *handle) {
    bool found = true;
    hid_t *id;
#define FIND(name) found = found && find(handle, #name, &library.name, sizeof library.name);
    FF_H5_FUNCTIONS(FIND)
#undef FIND
    find(handle, "H5Pset_file_locking", &library.H5Pset_file_locking,
         sizeof library.H5Pset_file_locking);
    /* files are closed explicitly; on a full disk, HDF5 would crash when retrying at exit */
    if (!found || library.H5dont_atexit() < 0 || library.H5open() < 0) {
        return false;
    }
#define FIND(name)                                                                                 \
    found = found && find(handle, #name "_g", &id, sizeof id);                                     \
    library.id.name##_g = found ? *id : -1;
    FF_H5_IDS(FIND)
#undef FIND
    return found;
}

const ff_h5_library *ff_h5_load(ff_error *error) {
    if (loaded) {
        return &library;
    }
    void *handle = open_library();
    if (!handle) {
        snprintf(error->text, sizeof error->text,
                 "the HDF5 library is not installed (Debian: apt-get install libhdf5-103-1)");
        return NULL;
    }
    unsigned major = 0, minor = 0, release = 0;
    bool good = resolve(handle) && library.H5get_libversion(&major, &minor, &release) >= 0;
    /* identifiers have 64 bits since 1.10, direct chunk writes exist since 1.10.3 */
    if (!good || major * 10000 + minor * 100 + release < 11003 ||
        library.H5Zfilter_avail(H5Z_FILTER_DEFLATE) <= 0) {
        snprintf(error->text, sizeof error->text,
                 "HDF5 1.10.3 or later with zlib is needed, this is %u.%u.%u", major, minor,
                 release);
        dlclose(handle);
        return NULL;
    }
    /* failures are reported by footfall, not printed by HDF5 */
    library.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    loaded = true;
    return &library;
}

hid_t ff_h5_access(const ff_h5_library *h5) {
    hid_t access = h5->H5Pcreate(h5->id.H5P_CLS_FILE_ACCESS_ID_g);
    /* the earliest format has no mark of being open for writing, which a killed writer would leave */
    h5->H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
    h5->H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    /* allow reading during a run, and file systems without locks */
    if (h5->H5Pset_file_locking) {
        h5->H5Pset_file_locking(access, 0, 1);
    }
    return access;
}

#else
/* ISO C forbids an empty translation unit */
typedef int ff_h5_nothing;
#endif
