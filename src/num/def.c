/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "def.h"
#include <stdio.h>

ff_status ff_def_refuse(ff_error *error) {
    if (error) {
        snprintf(error->text, sizeof error->text,
                 "`size` of a definition is invalid: initialise the struct with its _default() "
                 "function");
    }
    return FF_BAD_VALUE;
}
