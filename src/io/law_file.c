/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "law_file.h"
#include "num/memory.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static ff_status refuse(ff_error *error, const char *path,
                                                              const char *format, ...) {
    va_list list;
    /* the end of a long path is more informative than its beginning */
    size_t length = strlen(path), most = 100;
    int used = snprintf(error->text, sizeof error->text, "%s%s: ", length > most ? "..." : "",
                        length > most ? path + length - most : path);
    va_start(list, format);
    vsnprintf(error->text + used, sizeof error->text - (size_t)used, format, list);
    va_end(list);
    return FF_BAD_VALUE;
}

/* the loader's message without the path at its beginning */
static const char *loader_text(const char *path) {
    const char *text = dlerror();
    size_t length = strlen(path);
    text += text && strncmp(text, "./", 2) == 0 && strncmp(path, "./", 2) != 0 ? 2 : 0;
    if (text && strncmp(text, path, length) == 0 && text[length] == ':') {
        text += length + 1;
        text += strspn(text, " ");
    }
    return text ? text : "unknown";
}

/* the loader searches a name without a slash in its own folders, not in the current one */
static void *open_object(const char *path) {
    if (strchr(path, '/')) {
        return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    char *here = ff_malloc(strlen(path) + 3);
    if (!here) {
        return NULL;
    }
    strcpy(here, "./");
    strcat(here, path);
    void *handle = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    ff_free(here);
    return handle;
}

static ff_status register_all(const char *path, const ff_normal_law *const *normal,
                              const ff_friction_law *const *friction, ff_error *error) {
    ff_error why = {""};
    size_t count = 0;
    for (; normal && *normal; normal++, count++) {
        if (ff_law_register(*normal, NULL, &why) != FF_OK) {
            return refuse(error, path, "%s", why.text);
        }
    }
    for (; friction && *friction; friction++, count++) {
        if (ff_law_register(NULL, *friction, &why) != FF_OK) {
            return refuse(error, path, "%s", why.text);
        }
    }
    return count > 0 ? FF_OK : refuse(error, path, "its lists of laws are empty");
}

ff_status ff_law_load(const char *path, ff_error *error) {
    ff_error unwanted;
    error = error ? error : &unwanted;
    FILE *file = fopen(path, "rb");
    if (!file) {
        return refuse(error, path, "%s", strerror(errno));
    }
    fclose(file);
    void *handle = open_object(path);
    if (!handle) {
        return refuse(error, path, "not a shared object that can be loaded (%s)",
                      loader_text(path));
    }
    const void *normal = dlsym(handle, "footfall_normal_laws");
    const void *friction = dlsym(handle, "footfall_friction_laws");
    if (!normal && !friction) {
        dlclose(handle);
        return refuse(error, path,
                      "exports no laws: neither footfall_normal_laws nor footfall_friction_laws");
    }
    return register_all(path, normal, friction, error);
}
