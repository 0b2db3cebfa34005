/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

#include <footfall/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What fallible calls return: 0 go on; the help was printed, exit with 0; one line on stderr says
 * what is wrong, exit with 2. */
enum { ARGS_HELP = 1, ARGS_WRONG = 2 };

/* `--name VALUE` or `--name=VALUE`. A string that may be a list is one that may be repeated; a
 * number that may be a list is `0.1,1,10`, `0:5:51` (from:to:count) or `1e-3:10:100log`. */
typedef struct args_option {
    const char *name;    /* without dashes */
    const char *metavar; /* of the value, for the help */
    const char *unit;    /* in SI, "1" for a pure number; NULL for a string, "" for a flag */
    const char *help;
    bool list;
    char letter; /* of the short form, as 'o' for `-o VALUE`; 0 for none */
} args_option;

/* A subcommand. `--help` and `-h` are understood without being listed. */
typedef struct args_command {
    const char *name;     /* "restitution" */
    const char *usage;    /* what follows the name, "--normal LAW --mass M --speed V [options]" */
    const char *summary;  /* one or more sentences */
    const char *examples; /* lines of text, NULL for none */
    const args_option *options;
    size_t option_count;
    size_t words_least, words_most; /* how many arguments that are no options, as file names */
} args_command;

/* A parsed command line. Owns nothing: command and argv must outlive it. */
typedef struct args {
    const args_command *command;
    int argc;
    char *const *argv;
} args;

/* What a numeric option has to be. */
typedef struct args_want {
    const char *unit;                    /* NULL: that of the option */
    const struct ff_exponent *exponents; /* names in the unit, as for ff_unit_parse() */
    double least, most;                  /* in SI; FF_POSITIVE as least means > 0 */
    double fallback; /* taken where the option is not given; NAN: it must be given */
} args_want;

typedef struct args_list {
    double *values;
    size_t count;
} args_list;

/* Makes `--law FILE.so`, which may be repeated, an option of the command that is read next. */
void args_accept_laws(void);

/* Reads a command line whose argv[0] is the subcommand's name. */
int args_parse(args *a, const args_command *command, int argc, char *const *argv);

bool args_given(const args *a, const char *name);

/* The value of a string option as it was given, NULL if it was not; _at for repeated ones. */
const char *args_text(const args *a, const char *name);
const char *args_text_at(const args *a, const char *name, size_t i);

/* The i-th argument that is no option, NULL past the last one. */
const char *args_word(const args *a, size_t i);

/* Any finite number in this unit (NULL: the option's), no names of exponents, no fallback. */
args_want args_want_any(const char *unit);

/* The numbers of an option in SI. On success the list is not empty and the caller's to free. */
int args_numbers(const args *a, const char *name, const args_want *want, args_list *list);
void args_list_free(args_list *list);

/* The value in SI of an option that takes one number. */
int args_number(const args *a, const char *name, const args_want *want, double *value);

/* The value of an option that takes a whole number. */
int args_whole(const args *a, const char *name, const args_want *want, double *value);

/* The index of an option's word in a list; untouched where the option is not given. The error
 * names the nearest word. */
int args_choice(const args *a, const char *name, const char *const *words, size_t count,
                size_t *index);

/* An error, with `why` behind its name, if one of these options is given: nothing is ignored. */
int args_refuse(const args *a, const char *const *names, size_t count, const char *why);

/* Prints one line `footfall NAME: ...` on stderr and returns ARGS_WRONG. */
int args_error(const args *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints what is wrong in the same way: the exit status for a status of the library, 0 where it is none of failure. */
int args_status(const args *a, ff_status status, const ff_error *error);

/* The command as one would type it, with quotes around what a shell would take apart; the caller frees it. NULL
 * where memory ends. */
char *args_line(const args *a);
/* args_line() with another value for an option that was given once or not at all. */
char *args_line_with(const args *a, const char *name, const char *value);

/* Prints the help, wrapped at 80 columns. */
void args_help(const args_command *command, FILE *out);
