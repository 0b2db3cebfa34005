/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "h5.h"
#include "h5_library.h"

struct ff_h5 {
    const ff_h5_library *h5;
    hid_t id;
    /* where it is written: the name it gets, the one it is made under, another way to it */
    char *path, *made;
    int fd;
    bool end_known; /* the place of the end in its head is */
    ff_h5_table *tables;
    double flushed; /* when, on a clock of its own */
    ff_error why;
};
