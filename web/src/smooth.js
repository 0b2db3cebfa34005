// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// Interpolation between rows. A trace has a row for each step, and a step in free flight is long: linear interpolation
// would deviate from the parabola by g h^2/8. Between two rows a curve is the cubic with the slopes of the parabolas
// through three neighbouring rows (exact for parabolas). At events, where curves may jump or bend, only rows of one
// side are used.

/** Marks the rows that slopes must not be computed across: those at events, and both of two rows at the same time. */
export function breaksOf(times, events) {
    const at = new Set(events.map(([t]) => t)), breaks = new Uint8Array(times.length), span = times[times.length - 1] - times[0];
    times.forEach((t, i) => {
        if (at.has(t)) breaks[i] = 1;
        if (i > 0 && t - times[i - 1] <= 1e-12 * span) breaks[i] = breaks[i - 1] = 1;
    });
    return breaks;
}

/** The slope at row i of the parabola through it and rows j and k. */
function slopeOf(times, values, i, j, k) {
    const a = times[j] - times[i], b = times[k] - times[i];
    return ((values[j] - values[i]) * b / a - (values[k] - values[i]) * a / b) / (b - a);
}

/** The slope at row i, an end of the interval to row `to`, the next or the previous one. */
function slopeAt(times, values, breaks, i, to) {
    const step = to - i, other = i - step, beyond = to + step;
    if (!breaks[i] && other >= 0 && other < times.length) return slopeOf(times, values, i, to, other);
    if (!breaks[to] && beyond >= 0 && beyond < times.length) return slopeOf(times, values, i, to, beyond);
    return (values[to] - values[i]) / (times[to] - times[i]);
}

/** The value between `row` and the next one, at a fraction of the interval from 0 to 1 (cubic Hermite
 * interpolation). */
export function between(times, values, breaks, row, part) {
    const a = values[row], b = values[row + 1], h = times[row + 1] - times[row];
    if (part === 0 || a === b && breaks[row] && breaks[row + 1]) return a;
    if (part === 1) return b;
    const s = h * slopeAt(times, values, breaks, row, row + 1), e = h * slopeAt(times, values, breaks, row + 1, row);
    const rest = 1 - part;
    return a + part * (b - a) + part * rest * (rest * (s - (b - a)) - part * (e - (b - a)));
}

/** Adds rows to a run where they are more than `gap` apart; columns named by `holds` are constant between rows. */
export function addBetween(run, gap, holds) {
    const {times, columns} = run, rows = [];
    for (let i = 0; i < times.length; i++) {
        rows.push({row: i, part: 0});
        const cuts = i + 1 < times.length ? Math.ceil((times[i + 1] - times[i]) / gap * (1 - 1e-9)) : 0;
        for (let k = 1; k < cuts; k++) rows.push({row: i, part: k / cuts});
    }
    if (rows.length === times.length) return;
    const breaks = breaksOf(times, run.events);
    run.rows = rows.length;
    run.times = Float64Array.from(rows, ({row, part}) => (part > 0 ? times[row] + (times[row + 1] - times[row]) * part : times[row]));
    run.columns = columns.map((column, c) => Float32Array.from(rows, ({row, part}) =>
        (part === 0 || holds(c) ? column[row] : between(times, column, breaks, row, part))));
}
