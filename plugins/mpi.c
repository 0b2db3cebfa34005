/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */

/* The processes of an MPI program as a team that shares a sweep. This is a separate library, loaded by `footfall
 * sweep --mpi`, so that the command itself does not depend on MPI. It must be compiled for the MPI in use (OpenMPI,
 * MPICH), because their binary interfaces differ. */

#include "mpi_team.h"
#include <mpi.h>
#include <string.h>

/* The shared counter is in the memory of rank 0. Other ranks increment it by one-sided operations. Networks without
 * hardware support complete these only while rank 0 calls MPI, which is what poll() is for. */
static struct {
    MPI_Win window;
    uint64_t *counter;
} shared;

static uint64_t take(void *user, uint64_t count) {
    uint64_t before = 0;
    (void)user;
    MPI_Fetch_and_op(&count, &before, MPI_UINT64_T, 0, 0, MPI_SUM, shared.window);
    MPI_Win_flush(0, shared.window);
    return before;
}

static void poll(void *user) {
    int flag;
    (void)user;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void meet(void *user) {
    (void)user;
    MPI_Barrier(MPI_COMM_WORLD);
}

static bool begin(ff_team *team) {
    int provided, rank, ranks;
    /* calls are serialised: the lock of the sweep is held in every call */
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_allocate(rank == 0 ? sizeof *shared.counter : 0, sizeof *shared.counter, MPI_INFO_NULL,
                     MPI_COMM_WORLD, &shared.counter, &shared.window);
    if (rank == 0) {
        /* the standard requires a lock before the memory of a window is written */
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, shared.window);
        *shared.counter = 0;
        MPI_Win_unlock(0, shared.window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, shared.window);
    *team = (ff_team){.rank = (size_t)rank,
                      .ranks = (size_t)ranks,
                      .take = take,
                      .poll = rank == 0 && ranks > 1 ? poll : NULL,
                      .meet = meet};
    return provided >= MPI_THREAD_SERIALIZED;
}

static void end(const ff_team *team, const char text[MPI_TEAM_TEXT], mpi_team_tell *tell,
                void *user) {
    enum { TAG = 1 };
    char own[MPI_TEAM_TEXT], other[MPI_TEAM_TEXT];
    /* one after the other, so that the texts of thousands of ranks are never in memory at once */
    if (team->rank > 0) {
        memcpy(own, text, sizeof own);
        MPI_Send(own, sizeof own, MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
    }
    for (size_t i = 1; team->rank == 0 && i < team->ranks; i++) {
        MPI_Recv(other, sizeof other, MPI_CHAR, (int)i, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (tell) {
            tell(user, i, other);
        }
    }
    MPI_Win_unlock_all(shared.window);
    MPI_Win_free(&shared.window);
    MPI_Finalize();
}

__attribute__((visibility("default")))
const mpi_team_library mpi_team = {.size = sizeof(mpi_team_library), .begin = begin, .end = end};
