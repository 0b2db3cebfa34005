// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// The charts of a run besides its ledger: one per thing if there are few, aggregated if there are many.

import * as colours from './colours.js';
import {distinct as few} from './palette.js';

const length = ([x, y, z]) => x.map((value, i) => Math.hypot(value, y[i], z[i]));

/** Least, mean and largest of many columns. */
function spread(columns, rows) {
    const least = new Float32Array(rows).fill(Infinity), most = new Float32Array(rows).fill(-Infinity);
    const mean = new Float32Array(rows);
    for (const column of columns) {
        for (let i = 0; i < rows; i++) {
            least[i] = Math.min(least[i], column[i]);
            most[i] = Math.max(most[i], column[i]);
            mean[i] += column[i] / columns.length;
        }
    }
    return {least, mean, most};
}

function* bodyCharts(run) {
    const bodies = run.bodies.map((name, i) => ({name, i}));
    const of = (i, name) => run.column('bodies', i, name);
    const speed = i => length(run.vector('bodies', i, ['vx', 'vy', 'vz']));
    if (bodies.length > few) {
        const note = `of ${bodies.length} bodies`, height = spread(bodies.map(({i}) => of(i, 'z')), run.rows);
        yield {title: 'Height z', note, unit: 'm', lines: [
            {label: 'highest', values: height.most}, {label: 'mean', values: height.mean}, {label: 'lowest', values: height.least}]};
        if (of(0, 'vx')) {
            const {most, mean} = spread(bodies.map(({i}) => speed(i)), run.rows);
            yield {title: 'Speed', note, unit: 'm/s', lines: [{label: 'fastest', values: most}, {label: 'mean', values: mean}]};
        }
        if (of(0, 'normal_force')) {
            const {most, mean} = spread(bodies.map(({i}) => of(i, 'normal_force')), run.rows);
            yield {title: 'Normal force on a body', note: `sum over its contacts, ${note}`, unit: 'N',
                lines: [{label: 'greatest', values: most}, {label: 'mean', values: mean}]};
        }
        return;
    }
    if (bodies.length <= 2) {
        const parts = names => bodies.flatMap(({name, i}) => names.map((part, k) =>
            ({label: bodies.length === 1 ? 'xyz'[k] : `${name} ${'xyz'[k]}`, values: of(i, part)})));
        yield {title: 'Position', note: 'of the centre of mass', unit: 'm', lines: parts(['x', 'y', 'z'])};
        yield {title: 'Velocity', unit: 'm/s', lines: parts(['vx', 'vy', 'vz'])};
    } else {
        const each = values => bodies.map(({name, i}) => ({label: name, values: values(i)}));
        yield {title: 'Height z', note: 'of the centre of mass', unit: 'm', lines: each(i => of(i, 'z'))};
        yield {title: 'Speed', unit: 'm/s', lines: each(speed)};
    }
    const spins = bodies.map(({name, i}) => ({label: name, values: of(i, 'omega')}));
    if (spins.some(({values}) => values.some(value => value !== 0))) {
        yield {title: 'Spin', note: 'size of the angular velocity', unit: 'rad/s', lines: spins};
    }
}

function* contactCharts(run) {
    // contacts that never close are left out
    const touching = run.contacts.map((contact, i) => ({...contact, i}))
        .filter(({i}) => run.column('contacts', i, 'touching').some(value => value > 0));
    if (touching.length === 0) return;
    const of = (i, name) => run.column('contacts', i, name);
    const depth = i => of(i, 'depth').map(value => Math.max(value, 0));
    const slip = i => of(i, 'slip').map((value, row) => (of(i, 'touching')[row] > 0 ? value : 0));
    if (touching.length > few) {
        const normal = new Float32Array(run.rows), friction = new Float32Array(run.rows), number = new Float32Array(run.rows);
        for (const {i} of touching) {
            const forces = run.forces(i), touches = of(i, 'touching');
            for (let row = 0; row < run.rows; row++) {
                normal[row] += forces.normal[row];
                friction[row] += forces.friction[row];
                number[row] += touches[row] > 0.5;
            }
        }
        yield {title: 'Contact force', note: `sums of sizes, ${touching.length} contacts`, unit: 'N',
            lines: [{label: 'normal', values: normal}, {label: 'friction', values: friction, dash: [5, 4]}]};
        yield {title: 'Contacts that touch', unit: '1', lines: [{label: 'contacts', values: number}]};
        yield {title: 'Greatest depth', unit: 'm', lines: [{label: 'depth', values: spread(touching.map(({i}) => depth(i)), run.rows).most}]};
        return;
    }
    const single = touching.length === 1;
    yield {title: 'Contact force', note: single ? touching[0].name : 'on the first of each pair', unit: 'N',
        lines: touching.flatMap(({name, i, mu}, k) => {
            const {normal, friction} = run.forces(i);
            // with several contacts each has its own colour, and friction is dashed
            const tone = single ? {} : {colour: () => colours.line(k)};
            const lines = [{label: single ? 'normal' : `${name} normal`, values: normal, ...tone}];
            if (mu > 0) lines.push({label: single ? 'friction' : `${name} friction`, values: friction, ...tone, dash: [5, 4]});
            return lines;
        })};
    if (touching.some(({mu}) => mu > 0)) {
        yield {title: 'Slip speed', note: 'of the touching points', unit: 'm/s',
            lines: touching.filter(({mu}) => mu > 0).map(({name, i}) => ({label: name, values: slip(i)}))};
    }
    yield {title: 'Depth', note: 'of contact', unit: 'm', lines: touching.map(({name, i}) => ({label: name, values: depth(i)}))};
}

/** Coordinates of joints, their reactions, efforts along their coordinates, and the power of these. */
function* jointCharts(run) {
    const efforts = run.efforts(), moved = efforts.filter(({values}) => values.some(value => value !== 0));
    const powers = moved.map(({power, ...effort}) => ({...effort, unit: 'W', values: power}));
    for (const [title, note, columns] of [
        ['Joint angles', '', run.jointColumns.filter(({unit}) => unit === 'rad')],
        ['Joint positions', '', run.jointColumns.filter(({unit}) => unit === 'm')],
        ['Joint torques', 'of actuators, springs, dampers, limits and friction', moved.filter(({unit}) => unit === 'N m')],
        ['Joint efforts', 'forces of actuators, springs, dampers, limits and friction', moved.filter(({unit}) => unit === 'N')],
        ['Joint power', 'effort times rate; positive: into the motion', powers],
        ['Joint forces', 'sizes of reactions', run.jointColumns.filter(({name}) => name === 'reaction')]]) {
        const left = columns.length - few;
        if (columns.length === 0) continue;
        yield {title, note: left > 0 ? `the first ${few} of ${columns.length}` : note, unit: columns[0].unit, lines: columns.slice(0, few).map(({joint, name, values}) =>
            ({label: ['angle', 'distance', 'effort', 'reaction'].includes(name) ? joint : `${joint} ${name}`, values}))};
    }
}

/** A generator: charts that are not in sight are created later. */
export function* motionCharts(run) {
    yield* bodyCharts(run);
    yield* contactCharts(run);
    yield* jointCharts(run);
}
