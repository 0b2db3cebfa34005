// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// The page unpacks what the command packs: bits, numbers, geometry; without a browser.

import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import test from 'node:test';
import {difference, joined, lineChanges, placesOf} from '../../web/src/compare.js';
import {addEdges} from '../../web/src/edges.js';
import {contrast, darkFigure, parts} from '../../web/src/figure.js';
import {number, quantity, unitFor} from '../../web/src/format.js';
import {cut, directions, visiblePart} from '../../web/src/ground.js';
import {dark, distinct, light} from '../../web/src/palette.js';
import {place, Run} from '../../web/src/run.js';
import {breaksOf, between} from '../../web/src/smooth.js';
import {bytesOf, doublesOf, unpack} from '../../web/src/unpack.js';
import {documentOf, file, footfall, pageOf} from './browser.js';

test('bits by hand', () => {
    // order 1 (01), k = 1 (00001), then 3, -2, 0 folded to 6, 3, 0: 1110 0, 10 1, 0 0; as bytes 01000011 11001010 0...
    assert.deepEqual([...unpack(new Uint8Array([0b01000011, 0b11001010, 0]), 3, [10], [0.5])[0]], [11.5, 10.5, 10.5]);
    // a block of zeros, and a constant column, which takes no bits
    assert.deepEqual(unpack(new Uint8Array([0b00111110]), 3, [7, 1], [0, 2]).map(c => [...c]), [[7, 7, 7], [1, 1, 1]]);
});

test('base64', () => {
    assert.deepEqual([...bytesOf('AAECAw==')], [0, 1, 2, 3]);
    assert.deepEqual([...doublesOf('AAAAAAAA8D8AAAAAAAAAwA==')], [1, -2]);
});

// every value of the trace, compared with the same run in CSV; rows between steps are only on the page
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
                // half a step, and rounding to float
                const most = 0.5001 * step[c] + 1e-7 * Math.max(Math.abs(least[c]), Math.abs(value));
                assert.ok(Math.abs(run.columns[c][row] - value) <= most, `${head} at ${line[0]} s: ${run.columns[c][row]} for ${value}`);
                compared++;
            });
        }
        assert.ok(compared > 5000);
        // and the precision stated by the page
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
    // a plane moving away from the floor is not cut by it, one moving along it is
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

test('sixteen colours that can be told apart, on light and on dark', () => {
    const lab = hex => {
        const [r, g, b] = parts(hex).map(value => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
        const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
        const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
        const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
        return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
    };
    assert.equal(distinct, 16);
    for (const {lines, surface} of [light, dark]) {
        assert.equal(lines.length, distinct);
        lines.forEach((a, i) => {
            // WCAG 2.1, 1.4.11: parts of graphics
            assert.ok(contrast(parts(a), parts(surface)) >= 3, `${a} on ${surface}: ${contrast(parts(a), parts(surface))}`);
            lines.slice(0, i).forEach(b => {
                const apart = Math.hypot(...lab(a).map((value, k) => value - lab(b)[k]));
                // four times the just noticeable difference
                assert.ok(apart >= 0.08, `${a} and ${b}: ${apart}`);
            });
        });
    }
});

test('figures on dark ground', () => {
    assert.equal(contrast([0, 0, 0], [255, 255, 255]), 21);
    const text = '<svg><rect fill="#ffffff"/><path stroke="rgb(  0, 114, 178)"/><path stroke=\'black\'/><use href="#gpPt1"/><text>#1 black</text></svg>';
    const made = darkFigure(text), colours = [...made.matchAll(/rgb\((\d+),(\d+),(\d+)\)/g)].map(found => found.slice(1).map(Number));
    assert.deepEqual(colours[0], parts(dark.surface));
    for (const colour of colours.slice(1)) assert.ok(contrast(colour, parts(dark.surface)) >= 4.5, String(colour));
    assert.equal(colours.length, 3);
    assert.match(made, /<use href="#gpPt1"\/><text>#1 black<\/text>/);
    // grey keeps its distance from the background
    assert.deepEqual(darkFigure('"rgb(255,255,255)"'), `"rgb(${parts(dark.surface).join(',')})"`);
});

test('a 0 is a 0, whatever else a column has: no friction in flight', () => {
    const run = new Run(documentOf(pageOf('scenes/rolling.yaml', 'flight.html')));
    const touching = run.column('contacts', 0, 'touching'), depth = run.column('contacts', 0, 'depth'), {normal, friction} = run.forces(0);
    let flying = 0, most = 0;
    run.times.forEach((_, row) => {
        most = Math.max(most, friction[row]);
        // until it is clear of the ground, a law may have friction left
        if (touching[row] > 0 || depth[row] > -1e-6) return;
        flying++;
        assert.deepEqual([normal[row], friction[row], ...run.vector('contacts', 0, ['fx', 'fy', 'fz']).map(column => column[row])], [0, 0, 0, 0, 0], `at ${run.times[row]} s`);
    });
    assert.ok(flying > 100 && most > 10);
});

test('a force along a tilted normal has no friction: what components are rounded to is none', () => {
    // it falls along the normal: no friction force
    writeFileSync(file('tilted.yaml'), `gravity: [-6, 0, -8]
bodies: {ball: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}, position: [0.06, 0, 0.08]}}
ground: {floor: {plane: {normal: [0.6, 0, 0.8]}}}
pairs: [{between: [ball, floor], normal: {law: hunt-crossley, k: 1e5, lambda: 1e5}, friction: {law: clutch, k: 1e5, damping: 50, mu: 0.5}}]
run: {until: 0.5}
`);
    const run = new Run(documentOf(pageOf(file('tilted.yaml'), 'tilted.html'))), {normal, friction} = run.forces(0);
    assert.ok(Math.max(...normal) > 10);
    assert.equal(Math.max(...friction), 0);
});

/** A document of one body and one contact with these rows of [time, touching, force], packed as plain integers. */
const contactRun = (rows, events) => {
    const names = ['touching', 'depth', 'fx', 'fy', 'fz', 'slip', 'slips'];
    const columns = names.map(name => Float32Array.from(rows, ([, touches, force]) => ({touching: touches, fz: force})[name] ?? 0));
    return {
        times: Float64Array.from(rows, ([t]) => t), rows: rows.length, columns, contacts: [{}], events, event_kinds: ['touchdown', 'liftoff'],
        at: {contacts: {start: 0, width: names.length, names}},
        column(_, contact, name) { return this.columns[names.indexOf(name)]; },
    };
};
const edged = (rows, events = []) => {
    const run = contactRun(rows, events);
    addEdges(run);
    return [...run.times].map((t, i) => [t, run.columns[0][i], run.columns[4][i]]);
};

test('no ramp leads into a contact or out of it', () => {
    // located: force begins and ends at the events
    assert.deepEqual(edged([[0, 0, 0], [1, 1, 8], [2, 0, 0]], [[0.5, 0, 0], [1.5, 1, 0]]),
        [[0, 0, 0], [0.5, 1, 0], [1, 1, 8], [1.5, 0, 0], [2, 0, 0]]);
    // not located: no force before the first row with a force, which is kept up to the first row without
    assert.deepEqual(edged([[0, 0, 0], [1, 1, 8], [2, 0, 0]]), [[0, 0, 0], [1, 0, 0], [1, 1, 8], [2, 1, 8], [2, 0, 0]]);
    // rows on both sides already exist
    const whole = [[0, 0, 0], [1 - 1e-16, 0, 0], [1, 1, 8], [2, 1, 3]];
    assert.deepEqual(edged(whole, [[1, 0, 0]]), whole);
});

for (const [how, words] of [['every step', []], ['even spacing', ['--every', '4ms']], ['fixed steps', ['--method', 'rk4', '--dt', '1ms', '--events', 'none']]]) {
    test(`rows at ${how}: a force begins where contact begins`, () => {
        footfall('run', 'scenes/bounce.yaml', '--set', 'pairs[0].normal={law: linear, k: 1e4, lambda: 5}', '--until', '0.5', '-o', file('edge.h5'), ...words);
        footfall('report', file('edge.h5'), '-o', file('edge.html'));
        const run = new Run(documentOf(file('edge.html'))), touching = run.column('contacts', 0, 'touching'), force = run.column('contacts', 0, 'fz');
        let begins = 0;
        for (let row = 1; row < run.rows; row++) {
            if (touching[row - 1] > 0 || !(touching[row] > 0)) continue;
            begins++;
            // the row before has no force; either it is at the same time or the force grows from 0
            assert.equal(force[row - 1], 0);
            assert.ok(force[row] === 0 || run.times[row] - run.times[row - 1] < 1e-12, `from ${run.times[row - 1]} to ${run.times[row]} s`);
        }
        assert.ok(begins >= 2, `${begins} contacts`);
    });
}

test('curves between rows are exact for parabolas, and reach across no event', () => {
    const times = [0, 0.1, 0.4, 1, 1, 1.5, 2.5], values = times.map((t, i) => (i < 4 ? 3 - 5 * t * t : t)), breaks = breaksOf(times, [[1, 0, 0]]);
    assert.deepEqual([...breaks], [0, 0, 0, 1, 1, 0, 0]);
    const at = t => {
        const {row, part} = place(times, t);
        return between(times, values, breaks, row, part);
    };
    for (const t of [0, 0.05, 0.2, 0.4, 0.7, 0.99]) assert.ok(Math.abs(at(t) - (3 - 5 * t * t)) < 1e-12, `at ${t}: ${at(t)}`);
    for (const t of [1, 1.2, 2]) assert.ok(Math.abs(at(t) - t) < 1e-12, `at ${t}: ${at(t)}`);
    // two rows are interpolated linearly, one row is a constant
    assert.equal(between([0, 1], [2, 4], new Uint8Array(2), 0, 0.5), 3);
    assert.deepEqual(joined(placesOf([0, 5, 6], {times: [5], events: []}), [7]), [null, 7, null]);
    // at times between rows; of two rows at one time the later one counts
    const found = joined(placesOf([-1, 0, 0.2, 0.7, 1, 1.2, 2.5, 3], {times, events: [[1, 0, 0]]}), values);
    [null, 3, 2.8, 0.55, 1, 1.2, 2.5, null].forEach((value, i) => assert.ok(value === found[i] || Math.abs(value - found[i]) < 1e-12, String(found)));
});

test('a saved trace of few rows is smooth: free flight is a parabola', () => {
    footfall('run', 'scenes/bounce.yaml', '--until', '0.14', '-o', file('flight.h5'));
    footfall('report', file('flight.h5'), '-o', file('flight.html'));
    const content = documentOf(file('flight.html')), run = new Run(content), z = run.column('bodies', 0, 'z');
    assert.ok(content.samples.rows < 100 && run.rows >= 400, `${run.rows} of ${content.samples.rows} rows`);
    run.times.forEach((t, row) => {
        // steps of 2^-20 of the range, and slopes from rows rounded to that
        assert.ok(Math.abs(z[row] - (0.1165 - 9.81 / 2 * t * t)) < 1e-6, `at ${t} s: ${z[row]}`);
    });
});

test('what differs: curves and lines', () => {
    assert.deepEqual(difference([1, 2, null], [3, 5, 7]), [2, 3, null]);
    assert.deepEqual(lineChanges(['a', 'b', 'c'], ['a', 'b', 'c']), []);
    assert.deepEqual(lineChanges(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'y', 'd']), [{run: 0, text: 'b'}, {run: 1, text: 'x'}, {run: 1, text: 'y'}]);
    assert.deepEqual(lineChanges([], ['a']), [{run: 1, text: 'a'}]);
    assert.deepEqual(lineChanges(['a'], []), [{run: 0, text: 'a'}]);
    // too many for a table: all of them
    const many = mark => Array.from({length: 1200}, (_, i) => `${mark}${i}`);
    assert.equal(lineChanges(many('a'), many('b')).length, 2400);
});

test('joints: efforts and powers', () => {
    const run = new Run(documentOf(pageOf('scenes/hopper.yaml', 'hopper.html', '--until', '1')));
    const leg = run.efforts().find(({joint}) => joint === 'leg'), of = name => run.jointColumns.find(column => column.joint === 'leg' && column.name === name).values;
    assert.equal(leg.unit, 'N');
    assert.ok(leg.power.some(value => value > 1) && leg.power.some(value => value < -1));
    leg.power.forEach((value, row) => assert.equal(value, Math.fround(of('effort')[row] * of('speed')[row])));
    // the power of all joints is that of controllers and springs: minus `external`, within the accuracy of the page
    const total = run.efforts().reduce((sum, {power}) => {
        for (let row = 1; row < run.rows; row++) sum += (power[row] + power[row - 1]) / 2 * (run.times[row] - run.times[row - 1]);
        return sum;
    }, 0);
    const external = run.column('ledger', 0, 'external');
    const given = external[0] - external.at(-1);
    // trapezoidal rule over rows of steps, with commands that jump every millisecond
    assert.ok(Math.abs(total - given) < 0.02 * Math.max(...external.map(Math.abs)), `${total} J for ${given} J`);
});

test('a crowd has forces', () => {
    const run = new Run(documentOf(pageOf('scenes/grains.yaml', 'pressed.html')));
    const weight = 30, sums = [];
    assert.equal(run.bodies.length, weight);
    for (let body = 0; body < run.bodies.length; body++) {
        const force = run.column('bodies', body, 'normal_force');
        assert.equal(force[0], 0);
        assert.ok(force.every(value => value >= 0));
        sums.push(force.at(-1));
    }
    assert.ok(sums.every(value => value > 0), `all lie on something: ${sums}`);
});
