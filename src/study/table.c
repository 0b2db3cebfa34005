/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "table.h"
#include "block.h"
#include "num/memory.h"

/* A copy of a list, with NULL at its end. */
static const char *const *copy_list(ff_block *b, const char *const *list, size_t count) {
    const char **out = ff_block_take(b, (count + 1) * sizeof *out);
    if (out) {
        out[count] = NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const char *word = ff_block_text(b, list[i]);
        if (out) {
            out[i] = word;
        }
    }
    return out;
}

static const char *const *copy_words(ff_block *b, const char *const *words) {
    size_t count = 0;
    while (words && words[count]) {
        count++;
    }
    return words ? copy_list(b, words, count) : NULL;
}

ff_table *ff_table_create(const ff_table_column *columns, size_t count, size_t varied,
                          size_t samples, size_t rows, const char *const *reasons,
                          const ff_sweep *runs, double **values) {
    char *block = NULL;
    ff_table *out = NULL;
    for (int turn = 0; turn < 2; turn++) {
        ff_block b = {block, 0};
        out = ff_block_take(&b, sizeof *out);
        ff_table_column *column = ff_block_take(&b, count * sizeof *column);
        *values = ff_block_take(&b, rows * count * sizeof **values);
        const char **why = ff_block_take(&b, rows * sizeof *why);
        for (size_t c = 0; c < count; c++) {
            ff_table_column copy = columns[c];
            copy.name = ff_block_text(&b, columns[c].name);
            copy.unit = ff_block_text(&b, columns[c].unit);
            copy.words = copy_words(&b, columns[c].words);
            if (column) {
                column[c] = copy;
            }
        }
        const char *path = runs ? ff_block_text(&b, runs->path) : NULL;
        const char *const *settings =
            runs ? copy_list(&b, runs->settings, runs->setting_count) : NULL;
        const char *const *stops = runs ? copy_list(&b, runs->stops, runs->stop_count) : NULL;
        if (out) {
            *out = (ff_table){.rows = rows,
                              .columns = count,
                              .varied = varied,
                              .samples = samples,
                              .column = column,
                              .values = *values,
                              .reason = why,
                              .path = path,
                              .settings = settings,
                              .stops = stops};
        }
        for (size_t i = 0; i < rows; i++) {
            const char *reason = reasons ? ff_block_text(&b, reasons[i]) : NULL;
            if (out) {
                why[i] = reason;
                out->failed += reason != NULL;
            }
        }
        block = block ? block : ff_malloc(b.used);
        if (!block) {
            return NULL;
        }
    }
    return out;
}
