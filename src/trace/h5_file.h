/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "h5.h"
#include "h5_library.h"

struct ff_h5 {
    const ff_h5_library *h5;
    hid_t id;
    /* paths of a file being written: the final name, the temporary one, and another path to it */
    char *path, *made;
    int fd;
    bool end_known; /* the position of the end-of-file address in the header is known */
    ff_h5_table *tables;
    double flushed; /* time of the last flush, on a monotonic clock */
    ff_error why;
};
