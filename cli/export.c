/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "export.h"
#include "commands.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const args_option options[] = {
    {"output", "OUT", NULL,
     "lammps: files are OUT.in and OUT.data; vtk: a folder; lammps-dump: a file; default: the name "
     "of FILE",
     false, 'o'},
    {"every", "T", "s",
     "lammps: time between frames of its dump, default: the scene's, or a hundredth of the run; of "
     "a trace: only rows that are so far apart",
     false, 0},
    {"set", "PATH=VALUE", NULL, "lammps: another value for a key of the scene", true, 0},
    {"until", "T", "s", "lammps: end of the run; default: the scene's", false, 0},
    {"dt", "H", "s", "lammps: its step; default: that of a scene with fixed steps", false, 0},
};

static const args_command command = {
    .name = "export",
    .usage = "lammps SCENE [options] | vtk TRACE.h5 [options] | lammps-dump TRACE.h5 [options]",
    .summary =
        "Writes spheres for other programs. `lammps` writes a scene as input and data of LAMMPS' "
        "granular package, where many spheres go that outgrow a machine; what LAMMPS has no "
        "formula for is refused. `vtk` writes the spheres of a trace as .vtp files and a .pvd for "
        "ParaView, `lammps-dump` as a dump for OVITO. `footfall import` reads dumps of LAMMPS.",
    .examples = "footfall export lammps scenes/funnel.yaml -o funnel\n"
                "footfall export vtk funnel.h5 -o frames\n"
                "footfall export lammps-dump funnel.h5 --every 1ms",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .words_least = 2,
    .words_most = 2,
};

char *export_name(const args *a, const char *path, const char *suffix) {
    const char *given = args_text(a, "output"), *slash = strrchr(path, '/');
    const char *name = given ? given : slash ? slash + 1 : path;
    const char *dot = given ? NULL : strrchr(name, '.');
    const int length = (int)(dot && dot != name ? (size_t)(dot - name) : strlen(name));
    const size_t room = (size_t)length + strlen(suffix) + 1;
    char *out = malloc(room);
    if (out) {
        snprintf(out, room, "%.*s%s", length, name, given ? "" : suffix);
    } else {
        args_error(a, "out of memory");
    }
    return out;
}

FILE *export_open(const args *a, const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file) {
        args_error(a, "%s: %s", path, strerror(errno));
    }
    return file;
}

int export_close(const args *a, FILE *file, const char *path, bool told) {
    const bool good = !ferror(file);
    if (fclose(file) != 0 || !good) {
        args_error(a, "%s: cannot be written", path);
        return 1;
    }
    if (told) {
        fprintf(stderr, "wrote %s\n", path);
    }
    return 0;
}

int command_export(int argc, char **argv) {
    static const char *const kinds[] = {"lammps", "vtk", "lammps-dump"};
    static const char *const of_scenes[] = {"set", "until", "dt"};
    args a;
    int status = args_parse(&a, &command, argc, argv);
    if (status) {
        return status == ARGS_HELP ? 0 : status;
    }
    const char *kind = args_word(&a, 0), *path = args_word(&a, 1);
    size_t i = 0;
    while (i < 3 && strcmp(kind, kinds[i]) != 0) {
        i++;
    }
    if (i == 3) {
        return args_error(&a, "unknown '%.60s' (one of: lammps, vtk, lammps-dump)", kind);
    }
    status = i == 0 ? 0 : args_refuse(&a, of_scenes, 3, "is for scenes: `export lammps`");
    return status ? status : i == 0 ? export_lammps(&a, path) : export_trace(&a, path, i == 1);
}
