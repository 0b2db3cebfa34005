/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Pages: one HTML file each, that needs nothing else. What web/ was built to is in the command; a page is that with
 * a document in it, whose member `kind` says what is shown: "run" or "papers" (docs/report.md). */

#include "args.h"

/* Whether the command was built with the page: 0, or 2 after it was told what is missing. */
int page_built(const args *a);
/* The same, and whether a page can be written under this name: for finding out before a long run. */
int page_check(const args *a, const char *path);

/* Writes a page; `json` is UTF-8, and may hold any text. False where the stream failed. */
bool page_write(FILE *out, const char *title, const char *json, size_t length);

/* The same into a file, which appears when it is complete, and a line on stderr says so. The exit status. */
int page_save(const args *a, const char *path, const char *title, const char *json, size_t length);
