/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Return values of fallible functions: 0 continue; the help was printed, exit with 0; an error was printed on stderr, exit
 * with 2. */
enum { ARGS_HELP = 1, ARGS_WRONG = 2 };

/* `--name VALUE` or `--name=VALUE`. A string option with `list` may be repeated; a number option with `list` accepts
 * `0.1,1,10`, `0:5:51` (from:to:count) or `1e-3:10:100log`. */
typedef struct args_option {
    const char *name;    /* without dashes */
    const char *metavar; /* name of the value in the help */
    const char *unit;    /* SI unit, "1" for a pure number; NULL for a string, "" for a flag */
    const char *help;
    bool list;
    char letter; /* short form, such as 'o' for `-o VALUE`; 0 for none */
} args_option;

/* A subcommand. `--help` and `-h` are accepted without being listed. */
typedef struct args_command {
    const char *name;     /* "restitution" */
    const char *usage;    /* text after the name: "--normal LAW --mass M --speed V [options]" */
    const char *summary;  /* one or more sentences */
    const char *examples; /* lines of text, NULL for none */
    const args_option *options;
    size_t option_count;
    /* number of arguments that are not options, such as file names */
    size_t words_least, words_most;
} args_command;

/* A parsed command line. Owns nothing: command and argv must outlive it. */
typedef struct args {
    const args_command *command;
    int argc;
    char *const *argv;
} args;

/* Requirements of a numeric option. */
typedef struct args_want {
    const char *unit;                    /* NULL: that of the option */
    const struct ff_exponent *exponents; /* names in the unit, as for ff_unit_parse() */
    double least, most;                  /* in SI; FF_POSITIVE as least means > 0 */
    double fallback;                     /* default value; NAN: required */
} args_want;

typedef struct args_list {
    double *values;
    size_t count;
} args_list;

/* Adds `--law FILE.so`, which may be repeated, to the options of the command that is read next. */
void args_accept_laws(void);

/* Reads a command line whose argv[0] is the subcommand's name. */
int args_parse(args *a, const args_command *command, int argc, char *const *argv);

bool args_given(const args *a, const char *name);

/* The value of a string option as it was given, NULL if it was not; _at for repeated ones. */
const char *args_text(const args *a, const char *name);
const char *args_text_at(const args *a, const char *name, size_t i);

/* The i-th argument that is not an option, NULL beyond the last one. */
const char *args_word(const args *a, size_t i);

/* Any finite number in this unit (NULL: the option's), no names of exponents, no fallback. */
args_want args_want_any(const char *unit);

/* The numbers of an option in SI. On success the list is not empty and the caller frees it. */
int args_numbers(const args *a, const char *name, const args_want *want, args_list *list);
void args_list_free(args_list *list);

/* The value in SI of an option that takes one number. */
int args_number(const args *a, const char *name, const args_want *want, double *value);

/* The value of an option that takes a whole number. */
int args_whole(const args *a, const char *name, const args_want *want, double *value);

/* The index of an option's word in a list; unchanged if the option is not given. The error names the nearest word. */
int args_choice(const args *a, const char *name, const char *const *words, size_t count,
                size_t *index);

/* Reports an error, with `why` after the name, if one of these options is given. */
int args_refuse(const args *a, const char *const *names, size_t count, const char *why);

/* Prints one line `footfall NAME: ...` on stderr and returns ARGS_WRONG. */
int args_error(const args *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the error of a library call; returns the exit status, 0 if it is not a failure. */
int args_status(const args *a, ff_status status, const ff_error *error);

/* The command line with quotes where a shell needs them; the caller frees it. NULL if out of memory. */
char *args_line(const args *a);
/* args_line() with another value for an option that was given at most once. */
char *args_line_with(const args *a, const char *name, const char *value);

/* Prints the help, wrapped at 80 columns. */
void args_help(const args_command *command, FILE *out);
