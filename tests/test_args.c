/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "../cli/args.c"
#include "../cli/table.c"
#include <footfall/json.h>
#include <footfall/report.h>
#include <setjmp.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

static const args_option options[] = {
    {"normal", "LAW", NULL, "normal law", false, 0},
    {"mass", "M", "kg", "mass of the body", false, 0},
    {"speed", "V", "m/s", "impact speed", true, 0},
    {"k", "K", "N/m^n", "stiffness", true, 0},
    {"angle", "A", "1", "angle", true, 0},
    {"set", "PATH=VALUE", NULL, "change a value", true, 0},
    {"output", "FILE", NULL, "where to write", false, 'o'},
    {"json", NULL, "", "print JSON", false, 0},
    {"a-very-long-option-name", "VALUE", NULL,
     "an option whose name is so long that its help has to start on a line of its own, and is "
     "wrapped",
     false, 0},
};
static const args_command command = {.name = "restitution",
                                     .usage = "--normal LAW --mass M [options] FILE",
                                     .summary = "One impact.",
                                     .examples = "  footfall restitution --normal linear",
                                     .options = options,
                                     .option_count = sizeof options / sizeof *options,
                                     .words_most = 1};

/* output of the command is redirected to files */
static FILE *out_file, *err_file;
static int out_kept, err_kept;
static char out_text[8192], err_text[2048];

static void capture(void) {
    fflush(stdout);
    fflush(stderr);
    out_kept = dup(1);
    err_kept = dup(2);
    out_file = tmpfile();
    err_file = tmpfile();
    dup2(fileno(out_file), 1);
    dup2(fileno(err_file), 2);
}

static void take(FILE *file, int kept, int fd, char *text, size_t size) {
    dup2(kept, fd);
    close(kept);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void release(void) {
    fflush(stdout);
    fflush(stderr);
    take(out_file, out_kept, 1, out_text, sizeof out_text);
    take(err_file, err_kept, 2, err_text, sizeof err_text);
}

/* words separated by `|`, so that a word may contain blanks */
static int parse(args *a, const args_command *c, const char *line) {
    static char copy[512];
    static char *argv[64];
    int argc = 0;
    snprintf(copy, sizeof copy, "%s", line);
    argv[argc++] = "restitution";
    for (char *at = *copy ? copy : NULL; at;) {
        argv[argc++] = at;
        at = strchr(at, '|');
        if (at) {
            *at++ = '\0';
        }
    }
    return args_parse(a, c, argc, argv);
}

static int parse_quietly(args *a, const char *line) {
    capture();
    int status = parse(a, &command, line);
    release();
    return status;
}

static void expect_error(int status, const char *text, const char *line) {
    char want[512];
    snprintf(want, sizeof want, "footfall restitution: %s\n", text);
    if (status != ARGS_WRONG || *out_text || strcmp(err_text, want) != 0) {
        fail_msg("%s: %d, '%s'", line, status, err_text);
    }
}

static void accepted(void **state) {
    (void)state;
    args a;
    assert_int_equal(parse(&a, &command, ""), 0);
    assert_false(args_given(&a, "mass"));
    assert_null(args_text(&a, "normal"));
    assert_null(args_word(&a, 0));

    assert_int_equal(parse(&a, &command,
                           "--normal|hertz|data.csv|--mass=154 g|--json|-o|x.svg|--set|a=1|"
                           "--set=b=2|--speed|-1"),
                     0);
    assert_string_equal(args_text(&a, "normal"), "hertz");
    assert_string_equal(args_text(&a, "mass"), "154 g");
    assert_string_equal(args_text(&a, "output"), "x.svg");
    assert_string_equal(args_text(&a, "speed"), "-1");
    assert_true(args_given(&a, "json"));
    assert_string_equal(args_word(&a, 0), "data.csv");
    assert_null(args_word(&a, 1));
    assert_string_equal(args_text_at(&a, "set", 0), "a=1");
    assert_string_equal(args_text_at(&a, "set", 1), "b=2");
    assert_null(args_text_at(&a, "set", 2));

    assert_int_equal(parse(&a, &command, "--|--mass"), 0);
    assert_string_equal(args_word(&a, 0), "--mass");
    assert_false(args_given(&a, "mass"));
    assert_int_equal(parse(&a, &command, "-"), 0);
    assert_string_equal(args_word(&a, 0), "-");
    assert_int_equal(parse(&a, &command, "--normal=--odd"), 0);
    assert_string_equal(args_text(&a, "normal"), "--odd");
}

static void refused(void **state) {
    (void)state;
    static const struct {
        const char *line, *why;
    } cases[] = {
        {"--sped|1", "unknown option '--sped' (did you mean '--speed'?)"},
        {"--sped=1", "unknown option '--sped' (did you mean '--speed'?)"},
        {"-mass|1", "unknown option '-mass' (did you mean '--mass'?)"},
        {"--hlep", "unknown option '--hlep' (did you mean '--help'?)"},
        {"-x", "unknown option '-x' (see 'footfall restitution --help')"},
        {"--restitution", "unknown option '--restitution' (see 'footfall restitution --help')"},
        {"--=1", "unknown option '--' (see 'footfall restitution --help')"},
        {"--mass", "option '--mass' needs a value"},
        {"--mass|--json", "option '--mass' needs a value"},
        {"-o", "option '--output' needs a value"},
        {"--json=yes", "option '--json' takes no value"},
        {"--mass|1|--mass=2", "option '--mass' is given twice"},
        {"--json|--json", "option '--json' is given twice"},
        {"-o|a|--output|b", "option '--output' is given twice"},
        {"a|b", "unexpected argument 'b'"},
        {"a|-1", "unexpected argument '-1'"},
        {"a|b\nc\x1b[31m", "unexpected argument 'b?c?[31m'"},
    };
    args a;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status = parse_quietly(&a, cases[i].line);
        expect_error(status, cases[i].why, cases[i].line);
    }
    args_command with_file = command;
    with_file.words_least = 1;
    capture();
    int status = parse(&a, &with_file, "--json");
    release();
    expect_error(status,
                 "too few arguments (usage: footfall restitution --normal LAW --mass M [options] "
                 "FILE)",
                 "no word");
}

static void numbers_accepted(void **state) {
    (void)state;
    static const struct {
        const char *line, *name;
        size_t count;
        double values[6];
    } cases[] = {
        {"--mass|154 g", "mass", 1, {0.154}},
        {"--speed|-1", "speed", 1, {-1}},
        {"--speed|0.1,1,10", "speed", 3, {0.1, 1, 10}},
        {"--speed|1 cm/s, 2cm/s", "speed", 2, {0.01, 0.02}},
        {"--speed|0:0.5:6", "speed", 6, {0, 0.1, 0.2, 0.3, 0.4, 0.5}},
        {"--speed|5:1:5", "speed", 5, {5, 4, 3, 2, 1}},
        {"--speed|3:4:1", "speed", 1, {3}},
        {"--speed|1e-3:10:5log", "speed", 5, {1e-3, 1e-2, 0.1, 1, 10}},
        {"--speed|1 mm/s:10 m/s:5log", "speed", 5, {1e-3, 1e-2, 0.1, 1, 10}},
        {"--speed|0:10 cm/s: 3", "speed", 3, {0, 0.05, 0.1}},
        {"--speed|7,1:2:3,0", "speed", 5, {7, 1, 1.5, 2, 0}},
        {"--angle|180 deg,1 rad", "angle", 2, {3.141592653589793, 1}},
        {"--k|8.5e6 N/m^1.5", "k", 1, {8.5e6}},
        {"", "angle", 1, {42}},
    };
    args a;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        args_want want = args_want_any(NULL);
        want.exponents = (const ff_exponent[]){{"n", 1.5}, {0}};
        want.fallback = 42;
        args_list list;
        assert_int_equal(parse(&a, &command, cases[i].line), 0);
        assert_int_equal(args_numbers(&a, cases[i].name, &want, &list), 0);
        assert_int_equal(list.count, cases[i].count);
        for (size_t j = 0; j < list.count; j++) {
            if (list.values[j] != cases[i].values[j]) {
                fail_msg("%s: [%zu] is %.17g", cases[i].line, j, list.values[j]);
            }
        }
        args_list_free(&list);
    }
    args_want want = args_want_any("N/m^(p+1)");
    want.exponents = (const ff_exponent[]){{"p", 0.5}, {0}};
    double value = 0;
    assert_int_equal(parse(&a, &command, "--k|2 N/m^1.5"), 0);
    assert_int_equal(args_number(&a, "k", &want, &value), 0);
    assert_true(value == 2);

    args_list list;
    want = args_want_any(NULL);
    assert_int_equal(parse(&a, &command, "--speed|0:1:1000000"), 0);
    assert_int_equal(args_numbers(&a, "speed", &want, &list), 0);
    assert_int_equal(list.count, 1000000);
    assert_true(list.values[999999] == 1);
    args_list_free(&list);
}

static void numbers_refused(void **state) {
    (void)state;
    static const struct {
        const char *line, *name, *why;
    } cases[] = {
        {"", "mass", "option '--mass' is missing (mass of the body)"},
        {"--mass|-1", "mass", "option '--mass': -1 kg is not above 0"},
        {"--mass|0", "mass", "option '--mass': 0 kg is not above 0"},
        {"--mass|2 t", "mass", "option '--mass': 2000 kg is above 1000 kg"},
        {"--mass|3 cm", "mass", "option '--mass': '3 cm' is a length (m), expected a mass (kg)"},
        {"--mass=", "mass", "option '--mass': '' is not a number"},
        {"--mass|-h", "mass", "option '--mass': '-h' is not a number"},
        {"--mass|nan", "mass", "option '--mass': 'nan' is not a finite number"},
        {"--mass|1,2", "mass", "option '--mass' takes one number, not '1,2'"},
        {"--mass|1:2:3", "mass", "option '--mass' takes one number, not '1:2:3'"},
        {"--speed|fast", "speed", "option '--speed': 'fast' is not a number"},
        {"--speed|1,,2", "speed", "option '--speed': '' is not a number"},
        {"--speed|1,2,", "speed", "option '--speed': '' is not a number"},
        {"--speed|1,2,-3", "speed", "option '--speed': -3 m/s is not above 0"},
        {"--speed|1,2 cm/s", "speed", "option '--speed': give all numbers a unit, or none"},
        {"--speed|1:10 cm/s:3", "speed", "option '--speed': give all numbers a unit, or none"},
        {"--speed|0:5", "speed", "option '--speed': a range is from:to:count or from:to:countlog"},
        {"--speed|a:5:3", "speed", "option '--speed': 'a' is not a number"},
        {"--speed|1:b:3", "speed", "option '--speed': 'b' is not a number"},
        {"--speed|1:5:0", "speed",
         "option '--speed': '0' is not a count from 1 to 1000000, with or without 'log' after it"},
        {"--speed|1:5:1000001", "speed",
         "option '--speed': '1000001' is not a count from 1 to 1000000, with or without 'log' "
         "after it"},
        {"--speed|1:5:99999999999999999999", "speed",
         "option '--speed': '99999999999999999999' is not a count from 1 to 1000000, with or "
         "without 'log' after it"},
        {"--speed|1:5:-3", "speed",
         "option '--speed': '-3' is not a count from 1 to 1000000, with or without 'log' after it"},
        {"--speed|1:5:2.5", "speed",
         "option '--speed': '2.5' is not a count from 1 to 1000000, with or without 'log' after "
         "it"},
        {"--speed|1:5:log", "speed",
         "option '--speed': 'log' is not a count from 1 to 1000000, with or without 'log' after "
         "it"},
        {"--speed|1:5:9lin", "speed",
         "option '--speed': '9lin' is not a count from 1 to 1000000, with or without 'log' after "
         "it"},
        {"--speed|1:5:9:2", "speed",
         "option '--speed': '9:2' is not a count from 1 to 1000000, with or without 'log' after "
         "it"},
        {"--speed|0:5:9log", "speed",
         "option '--speed': both ends of a logarithmic range must be above 0"},
        {"--speed|5:-1:9log", "speed",
         "option '--speed': both ends of a logarithmic range must be above 0"},
        {"--speed|1e308:1.5e308:9", "speed", "option '--speed': inf m/s is not finite"},
        {"--speed|1:2:600000,3:4:600000", "speed",
         "option '--speed' has more than 1000000 numbers"},
        {"--k|1", "k", "option '--k': the exponent 'n' has no value here"},
    };
    args a;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        args_want want = args_want_any(NULL);
        want.least = FF_POSITIVE;
        if (strcmp(cases[i].name, "mass") == 0) {
            want.most = 1000;
        }
        args_list list;
        assert_int_equal(parse_quietly(&a, cases[i].line), 0);
        capture();
        int status = args_numbers(&a, cases[i].name, &want, &list);
        release();
        expect_error(status, cases[i].why, cases[i].line);
        assert_null(list.values);
    }
    args_want want = args_want_any(NULL);
    want.least = 1;
    args_list list;
    double value = -7;
    assert_int_equal(parse(&a, &command, "--angle|0.5,1,2"), 0);
    capture();
    int status = args_numbers(&a, "angle", &want, &list);
    release();
    expect_error(status, "option '--angle': 0.5 is below 1", "below");
    assert_int_equal(parse(&a, &command, "--angle|1,2"), 0);
    capture();
    status = args_number(&a, "angle", &want, &value);
    release();
    expect_error(status, "option '--angle' takes one number here", "two");
    capture();
    status = args_number(&a, "speed", &want, &value);
    release();
    expect_error(status, "option '--speed' is missing (impact speed)", "missing");
    assert_true(value == -7);
}

static void choices(void **state) {
    (void)state;
    static const char *const words[] = {"hertz", "azad-featherstone"};
    args a;
    size_t index = 9;
    assert_int_equal(parse(&a, &command, ""), 0);
    assert_int_equal(args_choice(&a, "normal", words, 2, &index), 0);
    assert_int_equal(index, 9);
    assert_int_equal(parse(&a, &command, "--normal|azad-featherstone"), 0);
    assert_int_equal(args_choice(&a, "normal", words, 2, &index), 0);
    assert_int_equal(index, 1);
    assert_int_equal(parse(&a, &command, "--normal|azad-fetherstone"), 0);
    capture();
    int status = args_choice(&a, "normal", words, 2, &index);
    release();
    expect_error(status,
                 "option '--normal': unknown 'azad-fetherstone' (did you mean "
                 "'azad-featherstone'?)",
                 "near");
    assert_int_equal(parse(&a, &command, "--normal|glue"), 0);
    capture();
    status = args_choice(&a, "normal", words, 2, &index);
    release();
    expect_error(status, "option '--normal': unknown 'glue' (one of: hertz, azad-featherstone)",
                 "far");
}

static void help(void **state) {
    (void)state;
    args a;
    assert_int_equal(parse_quietly(&a, "--mass|1|--help"), ARGS_HELP);
    assert_string_equal(err_text, "");
    assert_string_equal(
        out_text,
        "usage: footfall restitution --normal LAW --mass M [options] FILE\n"
        "\n"
        "One impact.\n"
        "\n"
        "options:\n"
        "  --normal LAW       normal law\n"
        "  --mass M           mass of the body (kg)\n"
        "  --speed V          impact speed (m/s; list or range)\n"
        "  --k K              stiffness (N/m^n; list or range)\n"
        "  --angle A          angle (list or range)\n"
        "  --set PATH=VALUE   change a value (may be repeated)\n"
        "  -o, --output FILE  where to write\n"
        "  --json             print JSON\n"
        "  --a-very-long-option-name VALUE\n"
        "                     an option whose name is so long that its help has to start\n"
        "                     on a line of its own, and is wrapped\n"
        "  -h, --help         print this\n"
        "\n"
        "Numbers are in SI or carry a unit ('154 g'). A list is '0.1,1,10'; a range is\n"
        "from:to:count as in '0:5:51', or with equal ratios '1e-3:10:100log'.\n"
        "\n"
        "examples:\n"
        "  footfall restitution --normal linear\n");
    assert_int_equal(parse_quietly(&a, "-h"), ARGS_HELP);
}

static void json_output(void **state) {
    (void)state;
    const double values[] = {0.1, 0.1 + 0.2, 1e22, -(double)INFINITY};
    capture();
    ff_json j = {.out = stdout};
    ff_json_object(&j, NULL);
    ff_json_string(&j, "say \"\\", "a\n\x7f µ \xff \xed\xa0\x80 \xf0\x9f\x91\xa3 \xc2");
    ff_json_string(&j, "none", NULL);
    ff_json_array(&j, "points");
    ff_json_object(&j, NULL);
    ff_json_number(&j, "x", (double)NAN);
    ff_json_bool(&j, "y", true);
    ff_json_end(&j);
    ff_json_integer(&j, NULL, -3);
    ff_json_end(&j);
    ff_json_array(&j, "empty");
    ff_json_end(&j);
    ff_json_numbers(&j, "v", values, 4);
    ff_json_numbers(&j, "w", values, 0);
    ff_json_end(&j);
    release();
    assert_string_equal(out_text, "{\n"
                                  "  \"say \\\"\\\\\": \"a\\u000a\\u007f µ \\ufffd "
                                  "\\ufffd\\ufffd\\ufffd \xf0\x9f\x91\xa3 \\ufffd\",\n"
                                  "  \"none\": null,\n"
                                  "  \"points\": [\n"
                                  "    {\n"
                                  "      \"x\": null,\n"
                                  "      \"y\": true\n"
                                  "    },\n"
                                  "    -3\n"
                                  "  ],\n"
                                  "  \"empty\": [],\n"
                                  "  \"v\": [0.1, 0.30000000000000004, 1e+22, null],\n"
                                  "  \"w\": []\n"
                                  "}\n");
}

static void table_output(void **state) {
    (void)state;
    static const table_column columns[] = {{"law", NULL}, {"v", "m/s"}, {"e", NULL}};
    table t;
    table_init(&t, columns, 3);
    for (int i = 0; i < 40; i++) {
        table_number(&t, i);
    }
    table_clear(&t);
    table_text(&t, "hertz");
    table_number(&t, 1);
    table_number(&t, 0.123456789);
    table_text(&t, "\xc2\xb5");
    table_number(&t, 1e-7);
    table_number(&t, (double)NAN);
    capture();
    table_print(&t, stdout);
    release();
    table_clear(&t);
    assert_string_equal(out_text, "law        v         e\n"
                                  "         m/s\n"
                                  "hertz      1  0.123457\n"
                                  "\xc2\xb5      1e-07         -\n");
}

static void plot_errors(void **state) {
    (void)state;
    const double x[] = {1, 2}, y[] = {1, -(double)INFINITY};
    const ff_plot_curve curve = {"c", x, y, 2, FF_PLOT_LINES, 0, NULL};
    const ff_plot_curve hidden = {"c", y + 1, x, 1, FF_PLOT_LINES, 0, NULL};
    ff_plot p = {.title = "t", .x_label = "x", .y_label = "y", .curves = &curve, .curve_count = 1};
    ff_error why = {""};
    assert_int_equal(ff_plot_check("a.png", &why), FF_OK);
    assert_int_equal(ff_plot_check(".png", &why), FF_BAD_VALUE);
    assert_int_equal(ff_plot_write(&p, "a.jpg", &why), FF_BAD_VALUE);
    assert_string_equal(why.text,
                        "cannot plot to 'a.jpg': its name must end in .svg, .png or .pdf");
    assert_int_equal(ff_plot_write(&p, "/no/such/dir/a.png", &why), FF_NOT_WRITTEN);
    assert_string_equal(why.text, "cannot write '/no/such/dir/a.png': No such file or directory");

    char dir[] = "/tmp/footfall-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/a.svg", dir);
    p.curves = &hidden;
    assert_int_equal(ff_plot_write(&p, path, &why), FF_NOT_WRITTEN);
    assert_non_null(strstr(why.text, "no point is finite"));
    p.curves = &curve;
    char kept[4096];
    snprintf(kept, sizeof kept, "%s", getenv("PATH"));
    setenv("PATH", dir, 1);
    assert_int_equal(ff_plot_write(&p, path, &why), FF_NOT_WRITTEN);
    assert_string_equal(why.text, "plots need gnuplot (apt-get install gnuplot-nox)");

    /* a gnuplot that exits immediately, with more input than a pipe holds */
    static double many[20000];
    const ff_plot_curve large = {"c", many, many, 20000, FF_PLOT_POINTS, 0, NULL};
    p.curves = &large;
    char fake[64];
    snprintf(fake, sizeof fake, "%s/gnuplot", dir);
    FILE *file = fopen(fake, "w");
    fputs("#!/bin/sh\necho 'line 0: it is broken' >&2\nexit 3\n", file);
    fclose(file);
    chmod(fake, 0700);
    assert_int_equal(ff_plot_write(&p, path, &why), FF_NOT_WRITTEN);
    assert_string_equal(why.text, "gnuplot failed: line 0: it is broken");
    file = fopen(fake, "w");
    fputs("#!/bin/sh\necho '<svg>a picture that is cut off'\n", file);
    fclose(file);
    assert_int_equal(ff_plot_write(&p, path, &why), FF_NOT_WRITTEN);
    assert_string_equal(why.text,
                        "gnuplot failed: the picture is not complete (is the disk full?)");
    setenv("PATH", kept, 1);

    /* only the fake itself is left */
    remove(fake);
    assert_int_equal(rmdir(dir), 0);
}

static void plot_files(void **state) {
    (void)state;
    if (system("command -v gnuplot >/dev/null") != 0) {
        fail_msg("gnuplot is missing (make setup)");
    }
    const double x[] = {1e-3, 1, (double)NAN, 10, 0}, y[] = {1, 0.5, 3, 0.1, -1};
    ff_plot_curve curves[20];
    for (size_t i = 0; i < 20; i++) {
        curves[i] = (ff_plot_curve){i % 3 ? "it's `touch pwned` @x {/b} \\" : NULL,
                                    x,
                                    y,
                                    5,
                                    (ff_plot_style)(i % 3),
                                    0,
                                    NULL};
    }
    curves[1].count = 0;
    ff_plot p = {.title = "50 % \"quoted\"\n$PATH",
                 .x_label = "v (m/s)",
                 .y_label = "e",
                 .x_log = true,
                 .y_log = true,
                 .curves = curves,
                 .curve_count = 20};
    char dir[] = "/tmp/footfall-XXXXXX", path[64];
    ff_error why = {""};
    assert_non_null(mkdtemp(dir));
    static const char *const starts[] = {"<?xml", "\x89PNG", "%PDF"};
    static const char *const names[] = {"a.svg", "it's b.png", "c.pdf"};
    for (int i = 0; i < 3; i++) {
        char start_bytes[6] = "";
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        if (ff_plot_write(&p, path, &why) != 0) {
            fail_msg("%s: %s", path, why.text);
        }
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        assert_int_equal(fread(start_bytes, 1, 5, file), 5);
        fclose(file);
        assert_memory_equal(start_bytes, starts[i], strlen(starts[i]));
        remove(path);
    }
    /* a directory at the path of the file */
    snprintf(path, sizeof path, "%s/d.png", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    p.curve_count = 1;
    assert_int_equal(ff_plot_write(&p, path, &why), FF_NOT_WRITTEN);
    assert_non_null(strstr(why.text, "Is a directory"));
    rmdir(path);
    assert_int_equal(rmdir(dir), 0);
    assert_int_not_equal(access("pwned", F_OK), 0);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted),         cmocka_unit_test(refused),
        cmocka_unit_test(numbers_accepted), cmocka_unit_test(numbers_refused),
        cmocka_unit_test(choices),          cmocka_unit_test(help),
        cmocka_unit_test(json_output),      cmocka_unit_test(table_output),
        cmocka_unit_test(plot_errors),      cmocka_unit_test(plot_files),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
