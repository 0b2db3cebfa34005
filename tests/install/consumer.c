/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <footfall/footfall.h>
#include <stdio.h>

/* prints the version of the library it was linked to, for run.sh to compare */
int main(void) {
    puts(ff_version());
    return 0;
}
