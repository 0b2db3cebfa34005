/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Checkpoints: the complete state of a sim (of a scene, a crowd or an inclusion) in a file, with data of the caller, so
 * that a run can be resumed after an interruption. The file is replaced atomically: it is first written as PATH.new, or the
 * first of PATH.new1, PATH.new2 ... that does not exist, flushed to disk, and then renamed. Existing files of these names
 * are not touched; the temporary file of a killed process remains. */

#include <footfall/sim.h>

FF_C_BEGIN

/* Writes the state of a sim and `size` bytes of the caller (may be NULL) to a file. FF_NOT_WRITTEN if that fails. */
FF_API ff_status ff_checkpoint_write(const char *path, ff_sim *sim, const void *extra, size_t size,
                                     ff_error *error);

/* Restores a sim from a file. The sim must have been created from the same model with the same options except `until` and
 * `threads`; the functions of an inclusion are identified by its `version`. *extra is allocated and must be freed by the
 * caller with ff_free(); `extra` and `size` may be NULL. FF_BAD_VALUE if the file is not a checkpoint, is damaged, or
 * belongs to another version, build or model; `error` says which. On failure nothing is changed. */
FF_API ff_status ff_checkpoint_read(const char *path, ff_sim *sim, void **extra, size_t *size,
                                    ff_error *error);

FF_C_END
