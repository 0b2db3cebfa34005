// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// The energy ledger as a stack: positive accounts lie above 0, negative ones below, and the sum of all accounts is a
// line that must coincide with `initial`. Gravity and `initial` are counted from the lowest value of gravity in the
// run, so that an arbitrary reference height does not hide the losses.

import * as colours from './colours.js';
import {number, quantity} from './format.js';

/** Lines and bands for a chart, from accounts of any sign: {lines, bands, range, entries}. */
export function stack(accounts, rows) {
    const zero = new Float32Array(rows), lines = [{label: 'zero', values: zero, width: 0}], bands = [];
    const sum = new Float32Array(rows);
    let top = zero, bottom = zero, topLine = 1, bottomLine = 1, least = 0, most = 0;
    for (const {name, values} of accounts) {
        for (const sign of [1, -1]) {
            if (!values.some(value => sign * value > 0)) continue;
            const under = sign > 0 ? top : bottom, over = new Float32Array(rows);
            for (let i = 0; i < rows; i++) over[i] = under[i] + (sign * values[i] > 0 ? values[i] : 0);
            lines.push({label: name, values: over, width: 0.75});
            // a band is defined from its upper line to its lower one
            const line = lines.length;
            bands.push({series: sign > 0 ? [line, topLine] : [bottomLine, line], fill: colours.account(name)});
            if (sign > 0) [top, topLine] = [over, line];
            else [bottom, bottomLine] = [over, line];
        }
        for (let i = 0; i < rows; i++) sum[i] += values[i];
    }
    for (let i = 0; i < rows; i++) {
        most = Math.max(most, top[i]);
        least = Math.min(least, bottom[i]);
    }
    return {lines, bands, sum, least, most};
}

/** The lowest value of gravity in a run, J: the reference of gravity. */
export function datumOf(run) {
    const gravity = run.column('ledger', 0, 'gravity');
    return gravity ? gravity.reduce((least, value) => Math.min(least, value), Infinity) : 0;
}

/** The accounts of a run except the residual, with gravity relative to a datum. */
export function accountsOf(run, datum) {
    return run.at.ledger.names.filter(name => name !== 'residual')
        .map(name => ({name, values: run.column('ledger', 0, name).map(value => (name === 'gravity' ? value - datum : value))}))
        // accounts within rounding are left out
        .filter(({values}) => values.some(value => Math.abs(value) > 1e-12 * run.ledger.scale));
}

/** The options of two charts: the stack, and its residual. */
export function ledgerCharts(run) {
    const datum = datumOf(run), accounts = accountsOf(run, datum);
    const {lines, bands, sum, least, most} = stack(accounts, run.rows);
    const {scale} = run.ledger, initial = run.ledger.initial - datum, residual = run.column('ledger', 0, 'residual');
    const flat = new Float32Array(run.rows).fill(initial);
    const areas = lines.length;
    lines.push({label: 'sum', values: sum, width: 3.5}, {label: 'initial', values: flat, width: 1.5, dash: [6, 5]});
    const high = Math.max(most, initial, 0), low = Math.min(least, initial, 0), room = 0.04 * (high - low) || 1;
    const joules = value => quantity(value, 'J', 5, true);
    return [{
        title: 'Energy ledger',
        note: `their sum lies on initial${datum === 0 ? '' : '; gravity is counted from its lowest'}`,
        unit: 'J',
        height: 300,
        lines,
        stack: {
            bands,
            range: factor => () => [(low - (low < 0 ? room : 0)) * factor, (high + room) * factor],
            stroke: i => (i < areas ? colours.css('--surface') : i === areas ? colours.css('--text') : colours.css('--initial')),
            entries: [
                ...accounts.map(({name, values}) => ({label: name.replace('_', ' '), values, area: true, text: joules,
                    colour: () => colours.account(name)})),
                {label: 'sum', values: sum, total: true, text: joules, colour: () => colours.css('--text')},
                {label: 'initial', values: flat, dash: true, total: true, text: joules, colour: () => colours.css('--initial')},
                {label: 'residual', values: residual, total: true, text: value => `${quantity(value, 'J', 3)}, ${
                    number(Math.abs(value) / scale, 2)} of scale`, colour: () => 'transparent'},
            ],
        },
    }, {
        title: 'Residual',
        note: `initial minus the sum; scale is ${joules(scale)}`,
        unit: 'J',
        height: 130,
        lines: [{label: 'residual', values: residual, colour: () => colours.css('--text')}],
        legend: false,
    }];
}
