/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "args.h"
#include <footfall/elementary.h>

#include "table.h"
#include <ctype.h>
#include <footfall/law.h>
#include <footfall/unit.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { count_most = 1000000, help_width = 80, help_left_most = 26 };

int args_error(const args *a, const char *format, ...) {
    char line[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    /* keep the message on one line, whatever argument it quotes */
    for (char *c = line; *c; c++) {
        if (iscntrl((unsigned char)*c)) {
            *c = '?';
        }
    }
    fprintf(stderr, "footfall %s: %s\n", a->command->name, line);
    return ARGS_WRONG;
}

static bool is_flag(const args_option *o) { return o->unit && *o->unit == '\0'; }

/* an option of every command that uses laws; main() has already loaded the files */
static const args_option law_option = {
    "law", "FILE.so", NULL, "load laws of your own from a shared object", true, 0};
static bool accepts_laws;

void args_accept_laws(void) { accepts_laws = true; }

static const args_option *option_named(const args_command *c, const char *name, size_t length) {
    for (size_t i = 0; i < c->option_count; i++) {
        if (strlen(c->options[i].name) == length &&
            strncmp(c->options[i].name, name, length) == 0) {
            return &c->options[i];
        }
    }
    return accepts_laws && length == 3 && strncmp(name, law_option.name, 3) == 0 ? &law_option
                                                                                 : NULL;
}

/* An item of the command line: an option with its value, or a word. */
typedef struct item {
    const args_option *option;
    const char *value;
} item;

typedef struct cursor {
    int at;
    bool words_only; /* after `--` */
} cursor;

static int unknown_option(const args *a, const char *text, size_t length) {
    const args_command *c = a->command;
    char shown[64];
    snprintf(shown, sizeof shown, "%.*s", (int)length, text);
    const char **names = calloc(c->option_count + 1, sizeof *names);
    if (!names) {
        return args_error(a, "out of memory");
    }
    names[0] = "help";
    for (size_t i = 0; i < c->option_count; i++) {
        names[i + 1] = c->options[i].name;
    }
    const char *near = ff_word_nearest(shown + strspn(shown, "-"), names, c->option_count + 1);
    free(names);
    return near ? args_error(a, "unknown option '%s' (did you mean '--%s'?)", shown, near)
                : args_error(a, "unknown option '%s' (see 'footfall %s --help')", shown, c->name);
}

/* Reads the next item; at the end it has no value. */
static int next_item(const args *a, cursor *cur, item *out) {
    *out = (item){0};
    if (cur->at < a->argc && !cur->words_only && strcmp(a->argv[cur->at], "--") == 0) {
        cur->words_only = true;
        cur->at++;
    }
    if (cur->at >= a->argc) {
        return 0;
    }
    const char *text = a->argv[cur->at++];
    bool number = text[0] == '-' && (isdigit((unsigned char)text[1]) || text[1] == '.');
    if (cur->words_only || text[0] != '-' || text[1] == '\0' || number) {
        out->value = text;
        return 0;
    }
    if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
        return ARGS_HELP;
    }

    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    if (text[1] == '-') {
        out->option = option_named(a->command, text + 2, length - 2);
    }
    for (size_t i = 0; text[2] == '\0' && i < a->command->option_count; i++) {
        if (a->command->options[i].letter == text[1]) {
            out->option = &a->command->options[i];
        }
    }
    if (!out->option) {
        return unknown_option(a, text, length);
    }

    /* text that starts with two dashes is the next option, not a value */
    if (is_flag(out->option) && equals) {
        return args_error(a, "option '--%s' takes no value", out->option->name);
    }
    if (is_flag(out->option)) {
        out->value = "";
    } else if (equals) {
        out->value = equals + 1;
    } else if (cur->at < a->argc && strncmp(a->argv[cur->at], "--", 2) != 0) {
        out->value = a->argv[cur->at++];
    } else {
        return args_error(a, "option '--%s' needs a value", out->option->name);
    }
    return 0;
}

/* The i-th value of an option, or the i-th word if name is NULL, of a line that was read without error before. */
static const char *value_at(const args *a, const char *name, size_t i) {
    cursor cur = {.at = 1};
    item it;
    while (next_item(a, &cur, &it) == 0 && it.value) {
        bool wanted = name ? it.option && strcmp(it.option->name, name) == 0 : !it.option;
        if (wanted && i-- == 0) {
            return it.value;
        }
    }
    return NULL;
}

int args_parse(args *a, const args_command *command, int argc, char *const *argv) {
    *a = (args){.command = command, .argc = argc, .argv = argv};
    cursor cur = {.at = 1};
    item it;
    size_t words = 0;
    do {
        int status = next_item(a, &cur, &it);
        if (status == ARGS_HELP) {
            args_help(command, stdout);
        }
        if (status) {
            return status;
        }
        if (it.value && !it.option && ++words > command->words_most) {
            return args_error(a, "unexpected argument '%s'", it.value);
        }
    } while (it.value);

    for (size_t i = 0; i < command->option_count; i++) {
        const args_option *o = &command->options[i];
        bool repeats = !o->unit && o->list;
        if (!repeats && value_at(a, o->name, 1)) {
            return args_error(a, "option '--%s' is given twice", o->name);
        }
    }
    if (words < command->words_least) {
        return args_error(a, "too few arguments (usage: footfall %s %s)", command->name,
                          command->usage);
    }
    return 0;
}

bool args_given(const args *a, const char *name) { return value_at(a, name, 0) != NULL; }

const char *args_text(const args *a, const char *name) { return value_at(a, name, 0); }

const char *args_text_at(const args *a, const char *name, size_t i) { return value_at(a, name, i); }

const char *args_word(const args *a, size_t i) { return value_at(a, NULL, i); }

args_want args_want_any(const char *unit) {
    return (args_want){.unit = unit,
                       .least = -(double)INFINITY,
                       .most = (double)INFINITY,
                       .fallback = (double)NAN};
}

/* State of reading the value of an option. */
typedef struct numbers {
    const args *a;
    const char *name;
    const args_want *want;
    const char *unit;
    ff_dimension dim;
    bool bare, with_unit; /* numbers without a unit (except 0) and with one were found */
    args_list *list;
    size_t room;
} numbers;

static int append(numbers *s, double value) {
    if (s->list->count == count_most) {
        return args_error(s->a, "option '--%s' has more than %d numbers", s->name, count_most);
    }
    if (s->list->count == s->room) {
        s->room = s->room ? 2 * s->room : 16;
        double *grown = realloc(s->list->values, s->room * sizeof *grown);
        if (!grown) {
            return args_error(s->a, "out of memory");
        }
        s->list->values = grown;
    }
    s->list->values[s->list->count++] = value;
    return 0;
}

static int read_quantity(numbers *s, const char *text, double *value) {
    char why[300];
    if (ff_quantity_parse(text, s->dim, value, why, sizeof why) < 0) {
        return args_error(s->a, "option '--%s': %s", s->name, why);
    }
    bool bare = text[strspn(text, " \t0123456789+-.eE")] == '\0';
    s->with_unit |= !bare;
    s->bare |= bare && *value != 0;
    return 0;
}

/* from:to:count, or from:to:countlog for equal ratios. Both ends are included exactly; a count of
 * one gives `from`. Weights are whole numbers divided last, so that 0:5:51 has 0.3 and not
 * 0.30000000000000004. */
static int read_range(numbers *s, char *from_text) {
    char *to_text = strchr(from_text, ':');
    *to_text++ = '\0';
    char *count_text = strchr(to_text, ':');
    if (!count_text) {
        return args_error(s->a, "option '--%s': a range is from:to:count or from:to:countlog",
                          s->name);
    }
    *count_text++ = '\0';
    double from, to;
    if (read_quantity(s, from_text, &from) || read_quantity(s, to_text, &to)) {
        return ARGS_WRONG;
    }

    count_text += strspn(count_text, " ");
    size_t digits = strspn(count_text, "0123456789");
    const char *kind = count_text + digits;
    kind += strspn(kind, " ");
    bool logarithmic = strcmp(kind, "log") == 0;
    long count = digits > 0 && digits < 9 ? strtol(count_text, NULL, 10) : 0;
    if (count < 1 || count > count_most || (*kind && !logarithmic)) {
        return args_error(
            s->a, "option '--%s': '%s' is not a count from 1 to %d, with or without 'log' after it",
            s->name, count_text, count_most);
    }
    if (logarithmic && (from <= 0 || to <= 0)) {
        return args_error(s->a, "option '--%s': both ends of a logarithmic range must be above 0",
                          s->name);
    }
    double a = logarithmic ? ff_math.log10(from) : from, b = logarithmic ? ff_math.log10(to) : to;
    for (long i = 0; i < count; i++) {
        double m = (double)(count - 1), w = (double)i;
        double x = i == 0 ? from : i == count - 1 ? to : (a * (m - w) + b * w) / m;
        if (logarithmic && i > 0 && i < count - 1) {
            x = ff_math.pow(10, x);
        }
        if (append(s, x)) {
            return ARGS_WRONG;
        }
    }
    return 0;
}

static int in_range(const numbers *s) {
    const args_want *w = s->want;
    const char *unit = strcmp(s->unit, "1") == 0 ? "" : s->unit;
    const char *space = *unit ? " " : "";
    for (size_t i = 0; i < s->list->count; i++) {
        double x = s->list->values[i];
        char rule[128];
        if (!isfinite(x)) {
            snprintf(rule, sizeof rule, "not finite");
        } else if (x < w->least && w->least == FF_POSITIVE) {
            snprintf(rule, sizeof rule, "not above 0");
        } else if (x < w->least) {
            snprintf(rule, sizeof rule, "below %.15g%s%s", w->least, space, unit);
        } else if (x > w->most) {
            snprintf(rule, sizeof rule, "above %.15g%s%s", w->most, space, unit);
        } else {
            continue;
        }
        return args_error(s->a, "option '--%s': %.15g%s%s is %s", s->name, x, space, unit, rule);
    }
    return 0;
}

/* Elements between commas are numbers or ranges. */
static int read_elements(numbers *s, char *text) {
    for (char *element = text; element;) {
        char *comma = strchr(element, ',');
        if (comma) {
            *comma++ = '\0';
        }
        double value;
        bool range = strchr(element, ':') != NULL;
        if (range ? read_range(s, element)
                  : read_quantity(s, element, &value) || append(s, value)) {
            return ARGS_WRONG;
        }
        element = comma;
    }
    if (s->bare && s->with_unit) {
        return args_error(s->a, "option '--%s': give all numbers a unit, or none", s->name);
    }
    return in_range(s);
}

int args_numbers(const args *a, const char *name, const args_want *want, args_list *list) {
    const args_option *option = option_named(a->command, name, strlen(name));
    const char *text = value_at(a, name, 0);
    *list = (args_list){0};
    numbers s = {.a = a, .name = name, .want = want, .list = list};
    /* an option that this command does not have counts as not given */
    s.unit = want->unit ? want->unit : option ? option->unit : "1";

    if (!text) {
        if (option && isnan(want->fallback)) {
            return args_error(a, "option '--%s' is missing (%s)", name, option->help);
        }
        return append(&s, want->fallback);
    }
    ff_unit unit;
    char why[200];
    if (ff_unit_parse(s.unit, want->exponents, &unit, why, sizeof why) < 0) {
        return args_error(a, "option '--%s': %s", name, why);
    }
    s.dim = unit.dim;
    if (!option->list && strpbrk(text, ",:")) {
        return args_error(a, "option '--%s' takes one number, not '%.60s'", name, text);
    }
    char *copy = malloc(strlen(text) + 1);
    int status = copy ? read_elements(&s, strcpy(copy, text)) : args_error(a, "out of memory");
    free(copy);
    if (status) {
        args_list_free(list);
    }
    return status;
}

void args_list_free(args_list *list) {
    free(list->values);
    *list = (args_list){0};
}

int args_number(const args *a, const char *name, const args_want *want, double *value) {
    args_list list;
    int status = args_numbers(a, name, want, &list);
    if (status == 0 && list.count > 1) {
        status = args_error(a, "option '--%s' takes one number here", name);
    } else if (status == 0) {
        *value = list.values[0];
    }
    args_list_free(&list);
    return status;
}

int args_whole(const args *a, const char *name, const args_want *want, double *value) {
    double number;
    int status = args_number(a, name, want, &number);
    if (status == 0 && number != floor(number)) {
        return args_error(a, "option '--%s': %.15g is not a whole number", name, number);
    }
    *value = status ? *value : number;
    return status;
}

int args_choice(const args *a, const char *name, const char *const *words, size_t count,
                size_t *index) {
    const char *text = value_at(a, name, 0);
    if (!text) {
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            *index = i;
            return 0;
        }
    }
    const char *near = ff_word_nearest(text, words, count);
    if (near) {
        return args_error(a, "option '--%s': unknown '%.60s' (did you mean '%s'?)", name, text,
                          near);
    }
    char all[600] = "";
    for (size_t i = 0, used = 0; i < count && used < sizeof all; i++) {
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", words[i]);
    }
    return args_error(a, "option '--%s': unknown '%.60s' (one of: %s)", name, text, all);
}

/* Prints words starting at column `at`, and further lines at column `indent`. */
static void wrap(FILE *out, const char *text, size_t at, size_t indent) {
    bool fresh = true;
    while (*(text += strspn(text, " "))) {
        size_t bytes = strcspn(text, " "), wide = table_width(text, bytes);
        if (!fresh && at + 1 + wide > help_width) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
            fresh = true;
        }
        fprintf(out, "%s%.*s", fresh ? "" : " ", (int)bytes, text);
        at += wide + !fresh;
        fresh = false;
        text += bytes;
    }
    fputc('\n', out);
}

static int option_left(const args_option *o, char *buf, size_t size) {
    char letter[8] = "";
    if (o->letter) {
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    }
    bool value = !is_flag(o) && o->metavar;
    return snprintf(buf, size, "  %s--%s%s%s", letter, o->name, value ? " " : "",
                    value ? o->metavar : "");
}

void args_help(const args_command *command, FILE *out) {
    fprintf(out, "usage: footfall %s ", command->name);
    wrap(out, command->usage, 17 + strlen(command->name), 4);
    fputc('\n', out);
    wrap(out, command->summary, 0, 0);

    const args_option help = {.name = "help", .unit = "", .help = "print this", .letter = 'h'};
    char left[128];
    int widest = option_left(&help, left, sizeof left);
    bool lists = false;
    size_t shared = accepts_laws ? 1 : 0;
    for (size_t i = 0; i < command->option_count + shared; i++) {
        int width = option_left(i < command->option_count ? &command->options[i] : &law_option,
                                left, sizeof left);
        if (width > widest && width <= help_left_most) {
            widest = width;
        }
    }
    fprintf(out, "\noptions:\n");
    for (size_t i = 0; i <= command->option_count + shared; i++) {
        const args_option *o = i < command->option_count            ? &command->options[i]
                               : i < command->option_count + shared ? &law_option
                                                                    : &help;
        int width = option_left(o, left, sizeof left), start = widest + 2;
        fprintf(out, "%s", left);
        if (width > widest) {
            fprintf(out, "\n%*s", start, "");
        } else {
            fprintf(out, "%*s", start - width, "");
        }

        bool number = o->unit && *o->unit, unit = number && strcmp(o->unit, "1") != 0;
        /* a metavar such as "M[,M2]" already shows the list */
        bool sweep = o->list && number && !strchr(o->metavar, '[');
        const char *more = sweep ? "list or range" : o->list && !number ? "may be repeated" : "";
        lists |= sweep;
        char text[400];
        snprintf(text, sizeof text, "%s%s%s%s%s%s", o->help, unit || *more ? " (" : "",
                 unit ? o->unit : "", unit && *more ? "; " : "", more, unit || *more ? ")" : "");
        wrap(out, text, (size_t)start, (size_t)start);
    }
    if (lists) {
        fputc('\n', out);
        wrap(out,
             "Numbers are in SI or carry a unit ('154 g'). A list is '0.1,1,10'; a range is "
             "from:to:count as in '0:5:51', or with equal ratios '1e-3:10:100log'.",
             0, 0);
    }
    if (command->examples) {
        fprintf(out, "\nexamples:\n%s\n", command->examples);
    }
}

int args_refuse(const args *a, const char *const *names, size_t count, const char *why) {
    for (size_t i = 0; i < count; i++) {
        if (args_given(a, names[i])) {
            return args_error(a, "'--%s' %s", names[i], why);
        }
    }
    return 0;
}

int args_status(const args *a, ff_status status, const ff_error *error) {
    if (status >= 0) {
        return 0;
    }
    args_error(a, "%s", *error->text ? error->text : ff_status_text(status));
    return status == FF_BAD_VALUE || status == FF_MISSING || status == FF_NOT_BUILT ? ARGS_WRONG
                                                                                    : 1;
}

/* quotes a word if a shell would split it */
static void put_word(FILE *out, const char *word) {
    bool plain = *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_-+=./,:@%") == strlen(word);
    fputs(plain ? " " : " '", out);
    for (; *word; word++) {
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, out);
    }
    fputs(plain ? "" : "'", out);
}

char *args_line_with(const args *a, const char *name, const char *value) {
    char *line = NULL, option[40];
    size_t size;
    FILE *out = open_memstream(&line, &size);
    if (!out) {
        return NULL;
    }
    const size_t length = (size_t)snprintf(option, sizeof option, "--%s", name ? name : "");
    bool options = true;
    fputs("footfall", out);
    for (int i = 0; i < a->argc; i++) {
        const char *word = a->argv[i];
        options = options && strcmp(word, "--") != 0;
        const bool same = name && options && strncmp(word, option, length) == 0;
        if (same && word[length] == '\0') {
            i++;
        } else if (!same || word[length] != '=') {
            put_word(out, word);
        }
    }
    if (name) {
        put_word(out, option);
        put_word(out, value);
    }
    if (fclose(out) != 0) {
        free(line);
        return NULL;
    }
    return line;
}

char *args_line(const args *a) { return args_line_with(a, NULL, NULL); }
