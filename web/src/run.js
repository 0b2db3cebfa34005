// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// A run as the page uses it: columns by name, poses and forces at a time.

import {addEdges} from './edges.js';
import {addBetween} from './smooth.js';
import {bytesOf, doublesOf, unpack} from './unpack.js';

/** The row before a time, and the fraction of the way to the next row, 0 to 1. */
export function place(times, t) {
    let low = 0, high = times.length - 1;
    if (t <= times[0] || high === 0) return {row: 0, part: 0};
    if (t >= times[high]) return {row: high - 1, part: 1};
    while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (times[middle] <= t) low = middle;
        else high = middle;
    }
    const span = times[high] - times[low];
    return {row: low, part: span > 0 ? (t - times[low]) / span : 1};
}

const between = (values, row, part) =>
    part > 0 ? values[row] + (values[row + 1] - values[row]) * part : values[row];

function rotated([w, x, y, z], [a, b, c]) {
    // v + 2 q x (q x v + w v)
    const i = y * c - z * b + w * a, j = z * a - x * c + w * b, k = x * b - y * a + w * c;
    return [a + 2 * (y * k - z * j), b + 2 * (z * i - x * k), c + 2 * (x * j - y * i)];
}

export class Run {
    constructor(document) {
        Object.assign(this, document);
        const {rows, layout, least, step, time, data} = document.samples;
        this.rows = rows;
        this.times = doublesOf(time);
        this.columns = unpack(bytesOf(data), rows, least, step);
        this.begin = this.times[0];
        this.end = this.times[rows - 1];
        // offsets of columns: things in order, each with the same columns
        this.at = {};
        let start = 0;
        for (const [folder, count] of [['bodies', this.bodies.length], ['contacts', this.contacts.length], ['quantities', 1], ['joints', 1], ['ledger', 1]]) {
            this.at[folder] = {start, width: layout[folder].length, names: layout[folder].map(([name]) => name)};
            start += count * layout[folder].length;
        }
        addEdges(this);
        // curves and replays are smooth even if a trace has few rows
        const {start: from, width, names} = this.at.contacts, flags = new Set(['touching', 'slips'].map(name => names.indexOf(name)));
        addBetween(this, (this.end - this.begin) / 400, c =>
            c >= from && c < from + this.contacts.length * width && flags.has((c - from) % width));
        // inclusion: [folder, owner, name, unit]
        this.quantities = layout.quantities.map(([folder, owner, name, unit], i) =>
            ({folder, owner, name, unit, values: this.columns[this.at.quantities.start + i]}));
        // joints of different kinds have different columns
        this.jointColumns = layout.joints.map(([joint, name, unit], i) =>
            ({joint: this.joints[joint].name, name, unit, values: this.columns[this.at.joints.start + i]}));
    }

    /** A column by its name: `column('bodies', 0, 'x')`; undefined if there is none. */
    column(folder, index, name) {
        const {start, width, names} = this.at[folder], k = names.indexOf(name);
        return k < 0 ? undefined : this.columns[start + index * width + k];
    }

    vector(folder, index, names) {
        return names.map(name => this.column(folder, index, name));
    }

    /** Position and orientation (w, x, y, z) of a body. */
    pose(body, {row, part}) {
        const p = this.vector('bodies', body, ['x', 'y', 'z']).map(c => between(c, row, part));
        let q = [1, 0, 0, 0];
        if (this.column('bodies', body, 'qw')) {
            q = this.vector('bodies', body, ['qw', 'qx', 'qy', 'qz']).map(c => between(c, row, part));
            const norm = Math.hypot(...q) || 1;
            q = q.map(value => value / norm);
        }
        return {p, q};
    }

    /** World coordinates of a point given in the axes of a body; body -1 is the world. */
    point(body, anchor, when) {
        if (body < 0) return anchor;
        const {p, q} = this.pose(body, when), r = rotated(q, anchor);
        return [p[0] + r[0], p[1] + r[1], p[2] + r[2]];
    }

    /** The normal of a contact, from the second thing to the first. */
    normal(contact, when) {
        if (contact.other < 0) return contact.normal;
        const a = this.point(contact.body, contact.center, when);
        const b = this.point(contact.other, contact.other_center, when);
        const n = [a[0] - b[0], a[1] - b[1], a[2] - b[2]], length = Math.hypot(...n) || 1;
        return n.map(value => value / length);
    }

    /** The state of a contact: contact point, normal, force on the first thing; null if it is open. */
    touch(index, when) {
        // flags hold from their row to the next
        const row = when.part >= 1 ? when.row + 1 : when.row;
        if (!this.column('contacts', index, 'touching')[row]) return null;
        const contact = this.contacts[index], n = this.normal(contact, when);
        const center = this.point(contact.body, contact.center, when);
        const force = this.vector('contacts', index, ['fx', 'fy', 'fz']).map(c => between(c, when.row, when.part));
        return {
            point: center.map((value, i) => value - contact.radius * n[i]),
            normal: n,
            force,
            slips: this.column('contacts', index, 'slips')[row] > 0,
        };
    }

    /** Normal force and friction of a contact, as columns. */
    forces(index) {
        const contact = this.contacts[index], [fx, fy, fz] = this.vector('contacts', index, ['fx', 'fy', 'fz']);
        const normal = new Float32Array(this.rows), friction = new Float32Array(this.rows);
        // a friction within the rounding of the three components, half a step each, is 0
        const {start, width, names} = this.at.contacts, {step} = this.samples;
        const rounding = Math.hypot(...['fx', 'fy', 'fz'].map(name => step[start + index * width + names.indexOf(name)]));
        for (let row = 0; row < this.rows; row++) {
            if (fx[row] === 0 && fy[row] === 0 && fz[row] === 0) continue;
            const n = this.normal(contact, {row, part: 0});
            const across = fx[row] * n[0] + fy[row] * n[1] + fz[row] * n[2];
            normal[row] = across;
            const along = Math.hypot(fx[row] - across * n[0], fy[row] - across * n[1], fz[row] - across * n[2]);
            friction[row] = along > rounding ? along : 0;
        }
        return {normal, friction};
    }

    /** Efforts of joints, each with its power, the effort times the rate of its coordinate: [{joint, name, unit,
     * values, power}]. */
    efforts() {
        const rates = {effort: ['rate', 'speed'], effort1: ['rate1', 'speed1'], effort2: ['rate2', 'speed2'], torque: ['rate'],
            effort_x: ['rate_x'], effort_y: ['rate_y'], effort_z: ['rate_z']};
        return this.jointColumns.filter(({name}) => rates[name]).flatMap(effort => {
            const rate = this.jointColumns.find(({joint, name, unit}) => joint === effort.joint && rates[effort.name].includes(name) &&
                unit === (effort.unit === 'N m' ? 'rad/s' : 'm/s'));
            return rate ? [{...effort, power: effort.values.map((value, row) => value * rate.values[row])}] : [];
        });
    }

    /** The value of a column at a time. */
    value(column, t) {
        const {row, part} = place(this.times, t);
        return between(column, row, part);
    }
}
