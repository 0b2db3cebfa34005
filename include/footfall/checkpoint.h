/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A run in a file, to be resumed after whatever ended it: the whole state of a sim of a scene, a crowd or an inclusion, and
 * what its caller wants to keep beside it. A file is complete or not there: it is written under another name first, PATH.new
 * or the first of PATH.new1, PATH.new2 ... that is free, brought to the disk, and then takes the place of the one before.
 * Files of others are neither overwritten nor removed; what a process that was killed left of its own stays. */

#include <footfall/sim.h>

FF_C_BEGIN

/* Writes the state of a sim, and `size` bytes `extra` of the caller's own (may be NULL). */
FF_API ff_status ff_checkpoint_write(const char *path, ff_sim *sim, const void *extra, size_t size,
                                     ff_error *error);

/* Puts `sim` where the file left off; it must have been made of the same model with the same options but for
 * `until` and `threads`; what functions of an inclusion compute is known by its `version`. *extra is allocated, and freed by
 * the caller; both may be NULL. FF_BAD_VALUE where the file is not a checkpoint, of another version or build, damaged, of
 * another model, or holds what no run can have written: `error` says which. A call that fails has changed nothing. */
FF_API ff_status ff_checkpoint_read(const char *path, ff_sim *sim, void **extra, size_t *size,
                                    ff_error *error);

FF_C_END
