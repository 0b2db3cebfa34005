/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "mpi_team.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const mpi_team_library *library;

size_t mpi_team_started(void) {
    /* OpenMPI; MPICH and its descendants */
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    long size = 1;
    for (size_t i = 0; i < sizeof names / sizeof *names && size <= 1; i++) {
        const char *text = getenv(names[i]);
        size = text ? strtol(text, NULL, 10) : 1;
    }
    return size > 1 ? (size_t)size : 1;
}

int mpi_team_begin(const args *a, ff_team *team) {
    /* found beside libfootfall.so, as the command's run path says; MPI's own plug-ins look for its symbols in all libraries */
    const char *wanted = getenv("FOOTFALL_MPI"), *name = wanted ? wanted : "libfootfall-mpi.so";
    void *handle = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    library = handle ? dlsym(handle, "mpi_team") : NULL;
    if (!library || library->size != sizeof *library) {
        const char *why = handle ? "is of another version of footfall" : dlerror();
        return args_error(a,
                          "--mpi needs libfootfall-mpi.so, which is built where MPI is found "
                          "(Debian: apt-get install libopenmpi-dev): %.200s",
                          why ? why : name);
    }
    if (!library->begin(team)) {
        if (team->rank == 0) {
            args_error(a, "this MPI cannot be called by several threads (MPI_THREAD_SERIALIZED)");
        }
        library->end(team, (char[MPI_TEAM_TEXT]){""}, NULL, NULL);
        return ARGS_WRONG;
    }
    return 0;
}

typedef struct ending {
    const args *a;
    const char *own;
    char told[MPI_TEAM_TEXT];
    int status;
} ending;

static void tell(void *user, size_t rank, const char *text) {
    ending *e = user;
    if (!*text) {
        return;
    }
    /* a mistake in the file is found by all */
    if (strcmp(text, e->own) != 0 && strcmp(text, e->told) != 0) {
        args_error(e->a, "rank %zu: %s", rank, text);
        snprintf(e->told, sizeof e->told, "%s", text);
    }
    e->status = e->status ? e->status : 1;
}

int mpi_team_end(const args *a, const ff_team *team, int status, const char *text) {
    ending e = {.a = a, .own = text, .status = status};
    char own[MPI_TEAM_TEXT] = "";
    if (status) {
        snprintf(own, sizeof own, "%s", *text ? text : "failed");
    }
    library->end(team, own, tell, &e);
    return team->rank == 0 ? e.status : 0;
}
