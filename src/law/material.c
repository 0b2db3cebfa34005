/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <footfall/material.h>
#include <math.h>
#include <string.h>

/* Values at room temperature; alloys, grades, direction and moisture move them. */
/* clang-format off */
static const ff_material materials[] = {
    {"steel", 210e9, 0.30, 7850, "EN 1993-1-1:2005, 3.2.6 (carbon steel); density EN 1991-1-1:2002, table A.4"},
    {"cast-iron", 110e9, 0.26, 7200, "EN 1561, grade EN-GJL-250 (grey iron; grades from 90 to 145 GPa)"},
    {"brass", 100.6e9, 0.35, 8530, "Kaye and Laby, Tables of Physical and Chemical Constants, 2.2.2 (70Cu 30Zn; others 100 to 117 GPa)"},
    {"aluminium", 70e9, 0.30, 2700, "EN 1999-1-1:2007, 3.2.5 (wrought alloys)"},
    {"lead", 16.1e9, 0.44, 11340, "Kaye and Laby, Tables of Physical and Chemical Constants, 2.2.2; density of pure lead at 20 C"},
    {"cork", 20e6, 0.05, 170, "Gibson, Easterling and Ashby 1981, Proc. R. Soc. A 377, 99 (radial); others differ by a factor of 2"},
    {"glass", 70e9, 0.20, 2500, "EN 572-1:2012 (soda-lime silicate)"},
    {"rubber", 2e6, 0.499, 930, "Ashby, Materials Selection in Mechanical Design, appendix A (natural rubber, 1.5 to 2.5 MPa)"},
    {"abs", 2.4e9, 0.41, 1050, "Granta MaterialUniverse (moulded ABS, 2 to 2.9 GPa, nu 0.394 to 0.422); printed parts are softer"},
    {"pla", 3.5e9, 0.36, 1250, "Farah, Anderson and Langer 2016, Adv. Drug Deliv. Rev. 107, 367; printed parts are softer"},
    {"concrete", 31e9, 0.20, 2400, "EN 1992-1-1:2004, table 3.1 and 3.1.3, class C25/30; density of normal concrete"},
    {"wood", 11e9, 0.372, 420, "EN 338:2016, class C24, along the grain; nu: Wood Handbook 2010, table 5-2 (Sitka spruce, LR)"},
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
