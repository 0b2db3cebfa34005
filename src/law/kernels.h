/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/law.h>

/* The exponent pairs (n, p) that need square roots only, and the rest through pow(). */
typedef enum ff_normal_form {
    FF_FORM_1_0,       /* linear */
    FF_FORM_1_1,       /* Hunt-Crossley with a flat punch, Marhefka-Orin */
    FF_FORM_32_32,     /* Hunt-Crossley on a sphere */
    FF_FORM_32_1,      /* Lee-Wang, Ristow-Schaefer */
    FF_FORM_32_12,     /* Azad-Featherstone */
    FF_FORM_32_14,     /* Tsuji */
    FF_FORM_ANY,       /* any exponents */
    FF_FORM_SPEED_32,  /* damping from the speed at touch-down, n = p = 3/2 */
    FF_FORM_SPEED_ANY, /* the same, any n = p */
    FF_FORM_XIONG,
    FF_FORM_USER, /* a caller's own law, point by point */
    FF_FORM_COUNT
} ff_normal_form;

typedef enum ff_friction_form {
    FF_SLIDE_NONE,
    FF_SLIDE_RAMP,
    FF_SLIDE_STRIBECK,
    FF_SLIDE_BRISTLE, /* Dahl, LuGre */
    FF_SLIDE_CLUTCH,
    FF_SLIDE_SAT,
    FF_SLIDE_USER,
    FF_SLIDE_COUNT
} ff_friction_form;

/* All kernels of one instruction set. */
typedef struct ff_kernels {
    const char *name;
    int lanes;
    ff_normal_kernels normal[FF_FORM_COUNT];
    ff_friction_kernels friction[FF_SLIDE_COUNT];
} ff_kernels;

extern const ff_kernels ff_kernels_scalar;
/* its laws one contact at a time; NULL for a caller's own, which are points already */
extern const ff_normal_point ff_normal_singles[FF_FORM_COUNT];
extern const ff_friction_point ff_friction_singles[FF_SLIDE_COUNT];
#if FF_X86
extern const ff_kernels ff_kernels_sse2;
extern const ff_kernels ff_kernels_avx2;
extern const ff_kernels ff_kernels_avx512;
#endif

/* The i-th instruction set this machine can run, slowest first; NULL past the last one. */
const ff_kernels *ff_kernels_at(size_t i);
/* The widest one. */
const ff_kernels *ff_kernels_best(void);

/* Points `law` at the kernels of one instruction set. */
void ff_normal_use(ff_normal *law, const ff_kernels *set);
void ff_friction_use(ff_friction *law, const ff_kernels *set);
