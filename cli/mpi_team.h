/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Ranks of MPI that share a sweep. MPI is in libfootfall-mpi.so (plugins/mpi.c), loaded by mpi_team_begin(). */

#include "args.h"
#include <footfall/study.h>

enum { MPI_TEAM_TEXT = 400 };

/* On rank 0: what another rank has to tell, "" for nothing. */
typedef void mpi_team_tell(void *user, size_t rank, const char *text);

/* What libfootfall-mpi.so has under the name mpi_team. */
typedef struct mpi_team_library {
    size_t size; /* of this struct: that of another version differs */
    /* Starts MPI; all ranks call it. False: it cannot be called by threads that take turns */
    bool (*begin)(ff_team *team);
    /* Ends MPI; all ranks call it, those but 0 with what they have to tell. */
    void (*end)(const ff_team *team, const char text[MPI_TEAM_TEXT], mpi_team_tell *tell,
                void *user);
} mpi_team_library;

/* How many processes mpirun has started as one program, 1 where this one was not started by it. */
size_t mpi_team_started(void);

/* Loads MPI and starts it: 0, or 2 after an error was printed. */
int mpi_team_begin(const args *a, ff_team *team);

/* Ends MPI. `status`: exit status of this rank, `text`: why, where it is no success. Rank 0 prints what others failed with that is
 * not what it failed with itself, and has the exit status for all; the others have 0. */
int mpi_team_end(const args *a, const ff_team *team, int status, const char *text);
