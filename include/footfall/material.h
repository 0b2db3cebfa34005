/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Contact parameters from materials and radii. */

#include <footfall/status.h>
#include <math.h>

FF_C_BEGIN

typedef struct ff_material {
    const char *name;
    double E;       /* Young's modulus, Pa */
    double nu;      /* Poisson's ratio */
    double density; /* kg/m^3 */
    /* yield strength, or compressive strength of brittle materials; lower end of the range, Pa */
    double strength;
    const char *source;
} ff_material;

/* Material i of the library, and the material of a name; NULL if there is none. */
FF_API const ff_material *ff_material_at(size_t i);
FF_API const ff_material *ff_material_find(const char *name);

/* Contact modulus E*, Pa: 1/E* = (1 - nu1^2)/E1 + (1 - nu2^2)/E2; an infinite E is rigid. */
static inline double ff_modulus(double E1, double nu1, double E2, double nu2) {
    return 1 / ((1 - nu1 * nu1) / E1 + (1 - nu2 * nu2) / E2);
}

/* Reduced radius, m: 1/R = 1/R1 + 1/R2; an infinite radius is a plane. */
static inline double ff_reduced_radius(double R1, double R2) { return 1 / (1 / R1 + 1 / R2); }

/* Reduced mass, kg: 1/m = 1/m1 + 1/m2; an infinite mass does not move. */
static inline double ff_reduced_mass(double m1, double m2) { return 1 / (1 / m1 + 1 / m2); }

/* Hertz: k = (4/3) E* sqrt(R), N/m^1.5 (Azad and Featherstone 2014, eq. 5). */
static inline double ff_hertz_k(double modulus, double radius) {
    return 4.0 / 3 * modulus * sqrt(radius);
}

/* Damping of the law with p = 1/2: lambda = lambda_star sqrt(R), N s/m^1.5, with lambda_star in N s/m^2 (Azad and
 * Featherstone 2014, eq. 9). */
static inline double ff_viscoelastic_lambda(double lambda_star, double radius) {
    return lambda_star * sqrt(radius);
}

/* Mindlin 1949: tangential over normal stiffness of a contact, G* over E*, where 1/G* = (2 - nu1)/(4 G1) + (2 - nu2)/(4 G2)
 * and G = E/(2 (1 + nu)). It is 2 (1 - nu)/(2 - nu) if both materials have the same nu or one is rigid. */
static inline double ff_mindlin_ratio(double E1, double nu1, double E2, double nu2) {
    double soft = (2 - nu1) * (1 + nu1) / (2 * E1) + (2 - nu2) * (1 + nu2) / (2 * E2);
    return 1 / (soft * ff_modulus(E1, nu1, E2, nu2));
}

/* Tangential stiffness and damping of the clutch: K_t = (3/2) K_n, since K_n = (4/3) E* sqrt(r) and K_t = 2 E* sqrt(r), and
 * D_t = D_n (Azad and Featherstone 2010, eqs 10, 12, 23 and 24). */
static inline double ff_tangential_k(double k) { return 1.5 * k; }
static inline double ff_tangential_damping(double lambda) { return lambda; }

FF_C_END
