/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Contact parameters from materials and radii. */

#include <footfall/status.h>

FF_C_BEGIN

typedef struct ff_material {
    const char *name;
    double E;       /* Young's modulus, Pa */
    double nu;      /* Poisson's ratio */
    double density; /* kg/m^3 */
    const char *source;
} ff_material;

/* The materials of this library; NULL past the last one, or for an unknown name. */
FF_API const ff_material *ff_material_at(size_t i);
FF_API const ff_material *ff_material_find(const char *name);

/* 1/E* = (1 - nu1^2)/E1 + (1 - nu2^2)/E2, Pa; an infinite E is rigid. */
FF_API double ff_modulus(double E1, double nu1, double E2, double nu2);
/* 1/R = 1/R1 + 1/R2, m; an infinite radius is a plane. */
FF_API double ff_radius(double R1, double R2);
/* 1/m = 1/m1 + 1/m2, kg; an infinite mass does not move. */
FF_API double ff_mass(double m1, double m2);
/* Hertz: k = (4/3) E* sqrt(R), N/m^1.5. */
FF_API double ff_hertz_k(double modulus, double radius);
/* The p = 1/2 law: lambda = lambda_star sqrt(R), N s/m^1.5, with lambda_star in N s/m^2. */
FF_API double ff_viscoelastic_lambda(double lambda_star, double radius);
/* Tangential stiffness and damping of the clutch: K_t = (3/2) K_n and D_t = D_n. */
FF_API double ff_tangential_k(double k);
FF_API double ff_tangential_damping(double lambda);

FF_C_END
