/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "args.h"
#include "commands.h"
#include <ctype.h>
#include <fcntl.h>
#include <footfall/footfall.h>
#include <footfall/tool.h>
#include <footfall/unit.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
    bool laws; /* accepts --law FILE.so */
} commands[] = {
    {"run", command_run, "run a scene: motion, events, energy ledger", true},
    {"check", command_check, "print a scene as footfall reads it, and what its contacts imply",
     true},
    {"sweep", command_sweep, "run a scene many times with parameters varied", true},
    {"gait", command_gait, "find a walker's gait: period, speed, multipliers, stability", true},
    {"inspect", command_inspect, "describe a trace, and print the scene it was made with", false},
    {"report", command_report, "make the page of a run, or of two, from saved traces", false},
    {"export", command_export, "write spheres for LAMMPS, ParaView and OVITO", true},
    {"import", command_import, "read a dump of LAMMPS back into a trace", true},
    {"inclusion", command_inclusion, "turn a differential inclusion into an ODE and run it", true},
    {"laws", command_laws, "list force laws and materials: formula, parameters, units", true},
    {"restitution", command_restitution,
     "compute an impact: restitution, contact time, depth, force", true},
    {"design", command_design, "find the parameters for a desired impact", true},
    {"phase", command_phase, "draw phase planes and force-depth loops", true},
    {"fit", command_fit, "fit parameters to measurements, with confidence intervals", true},
    {"papers", command_papers, "reproduce the figures and check the claims of five papers", false},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static int help(FILE *out) {
    fprintf(out, "usage: footfall COMMAND [options]\n\nSimulates bodies in compliant contact with "
                 "friction, with an energy ledger.\n\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        fprintf(out, "  %-12s %s\n", commands[i].name, commands[i].summary);
    }
    fprintf(out,
            "\n`footfall COMMAND --help` says more; `footfall --version` prints the version.\n"
            "Numbers are SI, or carry a unit: 154g, \"1.65 cm\", 200GPa. Exit status: 0 done,\n"
            "1 the run failed, 2 the input is wrong.\n");
    return 0;
}

/* Loads the files of `--law FILE.so` before options are read, because the laws have options of their own. Other errors of
 * the line are reported when it is read. */
static int load_laws(int argc, char **argv) {
    ff_error error;
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *path = strncmp(argv[i], "--law=", 6) == 0 ? argv[i] + 6 : NULL;
        if (strcmp(argv[i], "--law") == 0 && i + 1 < argc && strncmp(argv[i + 1], "--", 2) != 0) {
            path = argv[++i];
        }
        if (path && ff_law_load(path, &error) != FF_OK) {
            for (char *c = error.text; *c; c++) {
                *c = iscntrl((unsigned char)*c) ? '?' : *c;
            }
            fprintf(stderr, "footfall %s: --law %s\n", argv[1], error.text);
            return 2;
        }
    }
    args_accept_laws();
    return 0;
}

static int dispatch(int argc, char **argv) {
    const char *names[COMMANDS];
    if (argc < 2) {
        help(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        return help(stdout);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("footfall %s\n", ff_version());
        return 0;
    }
    for (size_t i = 0; i < COMMANDS; i++) {
        names[i] = commands[i].name;
        if (strcmp(argv[1], names[i]) == 0) {
            int status = commands[i].laws ? load_laws(argc, argv) : 0;
            return status ? status : commands[i].run(argc - 1, argv + 1);
        }
    }
    for (char *c = argv[1]; *c; c++) {
        *c = iscntrl((unsigned char)*c) ? '?' : *c;
    }
    const char *near = ff_word_nearest(argv[1], names, COMMANDS);
    if (near) {
        fprintf(stderr, "footfall: unknown command '%s' (did you mean '%s'?)\n", argv[1], near);
    } else {
        fprintf(stderr, "footfall: unknown command '%s' (`footfall --help` lists them)\n", argv[1]);
    }
    return 2;
}

int main(int argc, char **argv) {
    /* a file or pipe that is opened later must not become a standard stream */
    for (int fd = 0; fd <= 2; fd++) {
        /* writing to a closed standard output must still fail */
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 1 ? O_RDONLY : O_RDWR) != fd) {
            return 1;
        }
    }
    /* the parent may ignore SIGCHLD, and then child processes would never seem to end */
    signal(SIGCHLD, SIG_DFL);
    int status = dispatch(argc, argv);
    /* a full disk or a closed pipe must not look like success */
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == 0) {
        fprintf(stderr, "footfall: cannot write to standard output\n");
        return 1;
    }
    return status;
}
