// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// What the command packs, the page unpacks: bits, numbers, geometry, without a browser.

import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import test from 'node:test';
import {number, quantity, unitFor} from '../../web/src/format.js';
import {cut, directions, visiblePart} from '../../web/src/ground.js';
import {place, Run} from '../../web/src/run.js';
import {bytesOf, doublesOf, unpack} from '../../web/src/unpack.js';
import {documentOf, file, pageOf} from './browser.js';

test('bits by hand', () => {
    // order 1 (01), k = 1 (00001), then 3, -2, 0 folded to 6, 3, 0: 1110 0, 10 1, 0 0; as bytes 01000011 11001010 0...
    assert.deepEqual([...unpack(new Uint8Array([0b01000011, 0b11001010, 0]), 3, [10], [0.5])[0]], [11.5, 10.5, 10.5]);
    // a block of zeros, and a column that never changes and takes no bits
    assert.deepEqual(unpack(new Uint8Array([0b00111110]), 3, [7, 1], [0, 2]).map(c => [...c]), [[7, 7, 7], [1, 1, 1]]);
});

test('base64', () => {
    assert.deepEqual([...bytesOf('AAECAw==')], [0, 1, 2, 3]);
    assert.deepEqual([...doublesOf('AAAAAAAA8D8AAAAAAAAAwA==')], [1, -2]);
});

// every value of the trace, against the same run in CSV; rows between steps are only on the page
for (const [name, words] of [['rolling', []], ['collision', []], ['foot', ['--tol', '1e-12']], ['xiong1', ['--until', '1.2']], ['biped', ['--until', '0.3']], ['fourbar', []]]) {
    test(`${name}: the page has the numbers of the trace`, () => {
        const content = documentOf(pageOf(`scenes/${name}.yaml`, `${name}.html`, '-o', file(`${name}.csv`), ...words));
        const run = new Run(content), lines = readFileSync(file(`${name}.csv`), 'utf8').trim().split('\n').map(line => line.split(','));
        const heads = lines[0].map(head => head.replace(/^t:s$/, 't')), {least, step, layout} = content.samples;
        const names = [
            ...run.bodies.flatMap(body => layout.bodies.map(([part]) => `${body}:${part}`)),
            ...run.contacts.flatMap(contact => layout.contacts.map(([part]) => `${contact.name}:${part}`)),
            ...run.jointColumns.map(({joint, name: part}) => `${joint}:${part}`),
            ...layout.ledger.map(([part]) => `ledger:${part}`)];
        assert.equal(names.length, least.length);
        const rows = new Map([...run.times].map((t, row) => [t, row]));
        let compared = 0;
        for (const line of lines.slice(1)) {
            const row = rows.get(Number(line[0]));
            assert.notEqual(row, undefined, `no row at ${line[0]} s`);
            names.forEach((head, c) => {
                const vector = !head.startsWith('ledger:') && {omega: ['wx', 'wy', 'wz'], slip: ['slip_x', 'slip_y', 'slip_z'], reaction: ['fx', 'fy', 'fz']}[head.split(':')[1]];
                const of = part => Number(line[heads.indexOf(part)]);
                const value = vector ? Math.hypot(...vector.map(part => of(head.replace(/:.*/, `:${part}`)))) : of(head);
                // half a step, and what a float rounds
                const most = 0.5001 * step[c] + 1e-7 * Math.max(Math.abs(least[c]), Math.abs(value));
                assert.ok(Math.abs(run.columns[c][row] - value) <= most, `${head} at ${line[0]} s: ${run.columns[c][row]} for ${value}`);
                compared++;
            });
        }
        assert.ok(compared > 5000);
        // and the precision that the page claims
        assert.equal(content.samples.bits, 20);
        assert.equal(content.samples.rows, content.samples.offered);
    });
}

test('times between rows', () => {
    const times = [0, 1, 3, 3, 4];
    assert.deepEqual(place(times, -1), {row: 0, part: 0});
    assert.deepEqual(place(times, 2), {row: 1, part: 0.5});
    assert.deepEqual(place(times, 4), {row: 3, part: 1});
    assert.deepEqual(place(times, 9), {row: 3, part: 1});
    // of two rows at one time, before and after a jump, the later one
    assert.deepEqual(place(times, 3), {row: 3, part: 0});
    assert.deepEqual(place([5], 7), {row: 0, part: 0});
});

test('numbers and units', () => {
    assert.deepEqual(unitFor('m', 0.0012), {unit: 'mm', factor: 1e3});
    assert.deepEqual(unitFor('N', 2500), {unit: 'kN', factor: 1e-3});
    assert.deepEqual(unitFor('m', 2500), {unit: 'm', factor: 1});
    assert.deepEqual(unitFor('1', 3), {unit: '', factor: 1});
    assert.deepEqual(unitFor('rad/s', 1e-5), {unit: 'rad/s', factor: 1});
    assert.equal(number(-0.5), '−0.5');
    assert.equal(number(4.53e-11, 2), '4.5 × 10⁻¹¹');
    assert.equal(number(50, 1), '50');
    assert.equal(number(NaN), '–');
    assert.equal(quantity(8.67667e-12, 'J', 3), '8.68 pJ');
});

test('planes are cut where they end', () => {
    const floor = {point: [0, 0, 0], normal: [0, 0, 1], velocity: [0, 0, 0]};
    const box = [[-1, -2, -0.1], [1, 2, 3]];
    const area = polygon => {
        let sum = 0;
        polygon.forEach(([x, y], i) => {
            const [a, b] = polygon[(i + 1) % polygon.length];
            sum += x * b - y * a;
        });
        return Math.abs(sum) / 2;
    };
    assert.ok(Math.abs(area(visiblePart(floor, [floor], box)) - 8) < 1e-12);
    const wall = {point: [0.5, 0, 0], normal: [-1, 0, 0], velocity: [0, 0, 0]};
    assert.ok(Math.abs(area(visiblePart(floor, [floor, wall], box)) - 6) < 1e-12);
    // one that goes away from the floor is not cut by it, one that goes along it is
    const rises = {point: [0, 0, 1], normal: [1, 0, 0], velocity: [0, 0, 1]}, slides = {...rises, velocity: [1, 0, 0]};
    for (const [plane, lowest] of [[rises, -0.1], [slides, 0]]) {
        assert.ok(Math.abs(Math.min(...visiblePart(plane, [floor, plane], box).map(([, , z]) => z)) - lowest) < 1e-12);
    }
    assert.deepEqual(visiblePart({...floor, point: [0, 0, -1]}, [], box), []);
    assert.deepEqual(cut([[0, 0, 0], [1, 0, 0], [1, 1, 0]], [1, 0, 0], 2), []);
    for (const normal of [[0, 0, 1], [1, 0, 0], [0, 0.6, 0.8]]) {
        const [u, v] = directions(normal), dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
        for (const [a, b, want] of [[u, v, 0], [u, normal, 0], [v, normal, 0], [u, u, 1], [v, v, 1]]) assert.ok(Math.abs(dot(a, b) - want) < 1e-12);
    }
});

test('a crowd is thinned, and the page says by how much', () => {
    const path = pageOf('scenes/funnel.yaml', 'crowd.html', '--set', 'bodies.beads.count=1000', '--set', 'bodies.beads.fill.to=[4 cm, 4 cm, 20 cm]',
        '--until', '12 ms', '--threads', '1');
    const {samples, bodies, body_count: all} = documentOf(path);
    assert.ok(readFileSync(path).length < 5e6);
    assert.equal(all, 1000);
    assert.equal(bodies.length, 1000);
    assert.ok(samples.rows < 620 && samples.offered > 2000, `${samples.rows} of ${samples.offered}`);
    const times = doublesOf(samples.time);
    assert.equal(times[0], 0);
    assert.ok(Math.abs(times.at(-1) - 0.012) < 1e-12);
});

test('the same run gives the same page', () => {
    const words = ['scenes/rolling.yaml', 'twice.html', '--until', '0.3'], first = readFileSync(pageOf(...words)), again = readFileSync(pageOf(...words));
    assert.ok(first.equals(again));
});
