// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// The table of a sweep. Rows are in the order of a grid in which the last parameter varies fastest, and samples vary
// before all parameters.

/** Minimum and maximum of the finite numbers. */
export function rangeOf(values) {
    let low = Infinity, high = -Infinity;
    for (const value of values) {
        if (!Number.isFinite(value)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
    }
    return low <= high ? [low, high] : [0, 1];
}

export class Sweep {
    constructor(content) {
        const {columns, values, samples, failed, settings, stops, laws, file, rows} = content;
        Object.assign(this, {columns, values, samples, failed, settings, stops, laws, file, rowCount: rows});
        const width = this.columns.length;
        this.columns.forEach((column, at) => {
            column.at = at;
            column.short = column.name.replace(/^.*\./, '');
        });
        this.varied = this.columns.filter(column => column.varied);
        this.kept = this.columns.filter(column => !column.varied);
        // parameters with listed values; the others are sampled
        this.grid = this.varied.filter(column => column.count > 0);
        this.drawn = this.varied.filter(column => !column.count);
        let stride = this.samples;
        for (const column of [...this.grid].reverse()) {
            column.stride = stride;
            column.steps = Array.from({length: column.count}, (_, i) => this.values[i * stride * width + column.at]);
            stride *= column.count;
        }
        this.reasons = new Map(this.failed.map(({row, error}) => [row, error]));
    }

    value(row, column) {
        return this.values[row * this.columns.length + column.at];
    }

    /** A value as text: a word, or a number. */
    text(row, column, show) {
        const value = this.value(row, column);
        return column.words ? column.words[value] : show(value);
    }

    /** The rows whose grid parameters have these indices; those in `free` may have any. places: Map of column to
     * index. */
    rows(places, free = new Set()) {
        const out = [];
        const walk = (i, row) => {
            if (i === this.grid.length) {
                for (let sample = 0; sample < this.samples; sample++) out.push(row + sample);
                return;
            }
            const column = this.grid[i];
            const from = free.has(column) ? 0 : places.get(column), to = free.has(column) ? column.count - 1 : from;
            for (let at = from; at <= to; at++) walk(i + 1, row + at * column.stride);
        };
        walk(0, 0);
        return out;
    }

    /** The command that repeats one run of the sweep, to the end that the file sets. Only of a table with a `file`. */
    command(row) {
        const quote = text => (/^[\w./:=,+@%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
        const settings = [...this.settings, ...this.varied.map(column => `${column.name}=${this.text(row, column, String)}`)];
        return ['footfall run', quote(this.file), ...settings.map(text => `--set ${quote(text)}`), ...this.laws.map(path => `--law ${quote(path)}`)].join(' ');
    }
}

/** Edges and counts of a histogram with about sqrt(n) bins, at most 60. */
export function histogram(values) {
    const finite = values.filter(Number.isFinite), [low, high] = rangeOf(finite);
    const bins = Math.max(1, Math.min(60, Math.ceil(Math.sqrt(finite.length)))), width = (high - low) / bins || 1;
    const counts = Array(bins).fill(0);
    for (const value of finite) counts[Math.min(bins - 1, Math.floor((value - low) / width))]++;
    return {low, width, counts};
}

/** About `many` round numbers in a range; powers of ten on a logarithmic axis. */
export function ticks(low, high, many, logarithmic) {
    if (logarithmic && low > 0 && high / low > 10) {
        const out = [];
        for (let power = Math.ceil(Math.log10(low) - 1e-9); power <= Math.log10(high) + 1e-9; power++) out.push(10 ** power);
        return out;
    }
    const raw = (high - low) / many || 1, size = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].find(factor => factor * size >= raw * 0.999) * size;
    const out = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) out.push(i * step);
    return out;
}
