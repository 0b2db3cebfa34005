/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "table.h"
#include "block.h"
#include "num/memory.h"

static const char *const *copy_words(ff_block *b, const char *const *words) {
    size_t count = 0;
    while (words && words[count]) {
        count++;
    }
    const char **out = words ? ff_block_take(b, (count + 1) * sizeof *out) : NULL;
    for (size_t i = 0; i < count; i++) {
        const char *word = ff_block_text(b, words[i]);
        if (out) {
            out[i] = word;
            out[i + 1] = NULL;
        }
    }
    return out;
}

ff_table *ff_table_create(const ff_table_column *columns, size_t count, size_t varied,
                          size_t samples, size_t rows, const char *const *reasons,
                          double **values) {
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
        if (out) {
            *out = (ff_table){.rows = rows,
                              .columns = count,
                              .varied = varied,
                              .samples = samples,
                              .column = column,
                              .values = *values,
                              .reason = why};
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
