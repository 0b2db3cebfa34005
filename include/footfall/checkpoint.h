/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A run in a file, to go on with after whatever ended it: the whole state of a sim, and what its caller wants to
 * keep beside it. A file is complete or not there: it is written under another name first, brought to the
 * disk, and then takes the place of the one before. */

#include <footfall/sim.h>

/* `extra` bytes of the caller's own, `size` of them, may be NULL. */
FF_API ff_status ff_checkpoint_write(const char *path, ff_sim *sim, const void *extra, size_t size,
                                     ff_error *error);

/* Puts `sim` where the file left off; it must have been made of the same model with the same options but for
 * `until` and `threads`. *extra is allocated, and freed by the caller; both may be NULL. FF_BAD_VALUE where the file
 * is none of ours, of another version or build, damaged, or of another model: `error` says which. */
FF_API ff_status ff_checkpoint_read(const char *path, ff_sim *sim, void **extra, size_t *size,
                                    ff_error *error);
