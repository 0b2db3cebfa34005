/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <footfall/material.h>
#include <math.h>
#include <string.h>

/* Modulus (Pa), Poisson's ratio, density (kg/m^3) and strength (Pa) at room temperature. They vary with alloy, grade,
 * direction and moisture. Strength is that of the weakest usual grade: a bearing ball is eight times as strong as S235. */
/* clang-format off */
static const ff_material materials[] = {
    {"steel", 210e9, 0.30, 7850, 235e6, "EN 1993-1-1:2005, 3.2.6 (carbon steel); density EN 1991-1-1:2002, table A.4; strength: S235, table 3.1"},
    {"cast-iron", 110e9, 0.26, 7200, 840e6, "EN 1561, grade EN-GJL-250 (grey iron; grades from 90 to 145 GPa); strength: in compression, annex A"},
    {"brass", 100.6e9, 0.35, 8530, 125e6, "Kaye and Laby, Tables of Physical and Chemical Constants, 2.2.2 (70Cu 30Zn; others 100 to 117 GPa); strength: annealed, Copper Development Association, publication 120, table 16"},
    {"aluminium", 70e9, 0.30, 2700, 240e6, "EN 1999-1-1:2007, 3.2.5 (wrought alloys); strength: EN AW-6061 T6, table 3.2b"},
    {"lead", 16.1e9, 0.44, 11340, 8e6, "Kaye and Laby, Tables of Physical and Chemical Constants, 2.2.2; density of pure lead at 20 C; strength: Ashby, Materials Selection in Mechanical Design, appendix A (8 to 14 MPa)"},
    {"cork", 20e6, 0.05, 170, 0.8e6, "Gibson, Easterling and Ashby 1981, Proc. R. Soc. A 377, 99 (radial); others differ by a factor of 2; strength: collapse in compression"},
    {"glass", 70e9, 0.20, 2500, 360e6, "EN 572-1:2012 (soda-lime silicate); strength: in compression, Ashby, Materials Selection in Mechanical Design, appendix A"},
    {"rubber", 2e6, 0.499, 930, 20e6, "Ashby, Materials Selection in Mechanical Design, appendix A (natural rubber, 1.5 to 2.5 MPa); strength: the same (20 to 30 MPa)"},
    {"abs", 2.4e9, 0.41, 1050, 18.5e6, "Granta MaterialUniverse (moulded ABS, 2 to 2.9 GPa, nu 0.394 to 0.422); printed parts are softer; strength: Ashby, Materials Selection in Mechanical Design, appendix A (18.5 to 51 MPa)"},
    {"pla", 3.5e9, 0.36, 1250, 48e6, "Farah, Anderson and Langer 2016, Adv. Drug Deliv. Rev. 107, 367; printed parts are softer; strength: Ashby, Materials Selection in Mechanical Design, appendix A (48 to 72 MPa)"},
    {"concrete", 31e9, 0.20, 2400, 25e6, "EN 1992-1-1:2004, table 3.1 and 3.1.3, class C25/30; density of normal concrete; strength: of cylinders, characteristic"},
    {"wood", 11e9, 0.372, 420, 21e6, "EN 338:2016, class C24, along the grain; nu: Wood Handbook 2010, table 5-2 (Sitka spruce, LR); strength: compression along the grain, characteristic"},
};
/* clang-format on */

const ff_material *ff_material_at(size_t i) {
    return i < sizeof materials / sizeof *materials ? &materials[i] : NULL;
}

const ff_material *ff_material_find(const char *name) {
    const ff_material *material;
    for (size_t i = 0; (material = ff_material_at(i)); i++) {
        if (strcmp(material->name, name) == 0) {
            return material;
        }
    }
    return NULL;
}
