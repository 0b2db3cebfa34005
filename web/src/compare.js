// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// Comparison of two runs at common times, and of two texts line by line.

import {between, breaksOf} from './smooth.js';

/** Positions of sorted times among the rows of a run: row -1 before the first and after the last row. */
export function placesOf(times, run) {
    const own = run.times, last = own.length - 1, rows = new Int32Array(times.length).fill(-1), parts = new Float64Array(times.length);
    let row = 0;
    times.forEach((t, i) => {
        if (t < own[0] || t > own[last]) return;
        while (row < last && own[row + 1] <= t) row++;
        rows[i] = row;
        parts[i] = row < last ? (t - own[row]) / (own[row + 1] - own[row]) : 0;
    });
    return {own, rows, parts, breaks: breaksOf(own, run.events)};
}

/** The values of a curve of a run at these positions; null where the run has none. */
export const joined = ({own, rows, parts, breaks}, values) => Array.from(rows, (row, i) =>
    (row < 0 ? null : parts[i] === 0 ? values[row] : between(own, values, breaks, row, parts[i])));

/** b - a where both are known. */
export const difference = (a, b) => a.map((value, i) => (value === null || b[i] === null ? null : b[i] - value));

/** Lines that only one of two texts contains, in order, by the longest common subsequence: [{run: 0 or 1, text}]. */
export function lineChanges(a, b) {
    // common lines at both ends need no search
    let from = 0, ends = 0;
    while (from < a.length && from < b.length && a[from] === b[from]) from++;
    while (ends < a.length - from && ends < b.length - from && a[a.length - 1 - ends] === b[b.length - 1 - ends]) ends++;
    const p = a.slice(from, a.length - ends), q = b.slice(from, b.length - ends);
    const whole = [...p.map(text => ({run: 0, text})), ...q.map(text => ({run: 1, text}))];
    // limits the table of the search to a million entries, and so the waiting time
    if (p.length * q.length > 1e6) return whole;
    const length = Array.from({length: p.length + 1}, () => new Uint32Array(q.length + 1));
    for (let i = p.length - 1; i >= 0; i--) {
        for (let j = q.length - 1; j >= 0; j--) {
            length[i][j] = p[i] === q[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
        }
    }
    const changes = [];
    let i = 0, j = 0;
    while (i < p.length || j < q.length) {
        if (i < p.length && j < q.length && p[i] === q[j]) {
            i++;
            j++;
        } else if (i < p.length && (j === q.length || length[i + 1][j] >= length[i][j + 1])) {
            changes.push({run: 0, text: p[i++]});
        } else {
            changes.push({run: 1, text: q[j++]});
        }
    }
    return changes;
}
