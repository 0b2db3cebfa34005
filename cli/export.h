/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include "args.h"
#include <footfall/footfall.h>

/* Writes a scene of spheres as input and data of LAMMPS' granular package; the exit status. */
int export_lammps(const args *a, const char *path);
/* Writes the spheres of a trace, at each of its rows: .vtp files with a .pvd, or one dump of LAMMPS; the exit status. */
int export_trace(const args *a, const char *path, bool vtk);

/* The value of -o, or the name of a file without its folder and its suffix, with `suffix`; the caller's to free. NULL where memory
 * ends. */
char *export_name(const args *a, const char *path, const char *suffix);
/* A file that is written: complains where it cannot be. */
FILE *export_open(const args *a, const char *path);
/* Closes it and says so; 0, or 1 after an error was printed. */
int export_close(const args *a, FILE *file, const char *path, bool told);
