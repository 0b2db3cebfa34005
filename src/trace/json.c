/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <footfall/json.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Length of the UTF-8 character at s, 0 if it is invalid: RFC 3629, table of well-formed sequences. */
static size_t character(const unsigned char *s) {
    if (s[0] < 0x80) {
        return 1;
    }
    size_t bytes = s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (s[0] < 0xc2 || s[0] > 0xf4) {
        return 0;
    }
    /* overlong forms, surrogates, beyond U+10FFFF */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) {
        return 0;
    }
    for (size_t i = 1; i < bytes; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return bytes;
}

static void put_string(FILE *out, const char *text) {
    fputc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t bytes = character(s);
        if (*s == '"' || *s == '\\') {
            fprintf(out, "\\%c", *s);
        } else if (*s < 0x20 || *s == 0x7f) {
            fprintf(out, "\\u%04x", *s);
        } else if (bytes == 0) {
            fputs("\\ufffd", out);
        } else {
            fwrite(s, 1, bytes, out);
        }
        s += bytes ? bytes : 1;
    }
    fputc('"', out);
}

static void put_number(FILE *out, double value) {
    if (!isfinite(value)) {
        fputs("null", out);
        return;
    }
    char digits[32];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) {
            break;
        }
    }
    fputs(digits, out);
}

/* writes comma, newline, indentation and key before a value */
static void place(ff_json *j, const char *key) {
    if (j->filled) {
        fputc(',', j->out);
    }
    if (j->depth > 0) {
        fprintf(j->out, "\n%*s", 2 * j->depth, "");
    }
    if (key) {
        put_string(j->out, key);
        fputs(": ", j->out);
    }
    j->filled = true;
}

static void open_bracket(ff_json *j, const char *key, char opener, char closer) {
    assert(j->depth < (int)sizeof j->closers);
    place(j, key);
    fputc(opener, j->out);
    j->closers[j->depth++] = closer;
    j->filled = false;
}

void ff_json_object(ff_json *j, const char *key) { open_bracket(j, key, '{', '}'); }

void ff_json_array(ff_json *j, const char *key) { open_bracket(j, key, '[', ']'); }

void ff_json_end(ff_json *j) {
    assert(j->depth > 0);
    j->depth--;
    if (j->filled) {
        fprintf(j->out, "\n%*s", 2 * j->depth, "");
    }
    fputc(j->closers[j->depth], j->out);
    j->filled = true;
    if (j->depth == 0) {
        fputc('\n', j->out);
    }
}

void ff_json_number(ff_json *j, const char *key, double value) {
    place(j, key);
    put_number(j->out, value);
}

void ff_json_numbers(ff_json *j, const char *key, const double *values, size_t count) {
    place(j, key);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "[", j->out);
        put_number(j->out, values[i]);
    }
    fputs(count ? "]" : "[]", j->out);
}

void ff_json_integer(ff_json *j, const char *key, long long value) {
    place(j, key);
    fprintf(j->out, "%lld", value);
}

void ff_json_string(ff_json *j, const char *key, const char *text) {
    place(j, key);
    if (text) {
        put_string(j->out, text);
    } else {
        fputs("null", j->out);
    }
}

void ff_json_bool(ff_json *j, const char *key, bool value) {
    place(j, key);
    fputs(value ? "true" : "false", j->out);
}
