/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <stdbool.h>

/* Instruction sets that loops are compiled for, in increasing order. Results do not depend on the choice. */
typedef enum ff_isa { FF_ISA_SCALAR, FF_ISA_SSE2, FF_ISA_AVX2, FF_ISA_AVX512 } ff_isa;

/* Whether this machine supports an instruction set. The environment variable FOOTFALL_ISA (scalar, sse2, avx2, avx512)
 * limits the instruction sets used, for tests; any other value is ignored. */
bool ff_isa_has(ff_isa isa);
