/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/status.h>
#include <stddef.h>

/* All of a file of at most `most` bytes, with a NUL after them, which the caller frees; NULL with a status, and for
 * FF_BAD_VALUE with the reason in errno. */
char *ff_text_file(const char *path, size_t most, size_t *length, ff_status *status);
