/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* One function per subcommand; argv[0] is its name. Each returns the exit status: 0 done, 1 the run
 * failed, 2 the input is wrong. */
int command_laws(int argc, char **argv);
int command_restitution(int argc, char **argv);
int command_design(int argc, char **argv);
int command_phase(int argc, char **argv);
int command_fit(int argc, char **argv);
int command_run(int argc, char **argv);
int command_check(int argc, char **argv);
int command_inspect(int argc, char **argv);
int command_report(int argc, char **argv);
int command_export(int argc, char **argv);
int command_import(int argc, char **argv);
int command_inclusion(int argc, char **argv);
int command_papers(int argc, char **argv);
int command_gait(int argc, char **argv);
int command_sweep(int argc, char **argv);
