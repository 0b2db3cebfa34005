// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// Begin and end of contacts between two rows. The force must not be interpolated linearly across them, because there is
// no force before contact begins. Rows are added at the time of the event or, if events are not located, at the later
// row.

/** The changes of one contact between row i and the next: the time, and which of the two rows is without contact. */
function changes(run, times) {
    const span = times[times.length - 1] - times[0], found = new Map();
    const kinds = [run.event_kinds.indexOf('liftoff'), run.event_kinds.indexOf('touchdown')];
    run.contacts.forEach((_, contact) => {
        const touching = run.column('contacts', contact, 'touching'), events = run.events.filter(([, , owner]) => owner === contact);
        for (let i = 0; i + 1 < touching.length; i++) {
            // there are rows on both sides of the event already
            if (touching[i] === touching[i + 1] || times[i + 1] - times[i] <= 1e-12 * span) continue;
            const begins = touching[i + 1] > 0;
            const event = events.find(([t, kind]) => kind === kinds[Number(begins)] && t > times[i] && t <= times[i + 1]);
            if (!found.has(i)) found.set(i, []);
            found.get(i).push({contact, begins, located: Boolean(event), time: event ? event[0] : times[i + 1]});
        }
    });
    return found;
}

/** The value of a contact between two rows at which it begins or ends. Without contact it is that of the row without
 * contact; in contact it is interpolated linearly from there. Without an event the earlier row holds until the later
 * one. */
function during({begins, located, time}, before, after, from, to, at) {
    if (!located) return before;
    if (begins) return at <= time ? before : before + (after - before) * (at - time) / (to - time || 1);
    return at >= time ? after : before + (after - before) * (at - from) / (time - from || 1);
}

/** Adds such rows to the times and columns of a run. */
export function addEdges(run) {
    const {times, columns} = run, found = changes(run, times);
    if (found.size === 0) return;
    const {start, width, names} = run.at.contacts, touching = names.indexOf('touching'), slips = names.indexOf('slips');
    // the row before each new row
    const rows = [];
    for (let i = 0; i < times.length; i++) {
        rows.push({time: times[i], row: i});
        if (!found.has(i)) continue;
        for (const time of [...new Set(found.get(i).map(change => change.time))].sort((a, b) => a - b)) rows.push({time, after: i});
    }
    run.rows = rows.length;
    run.times = Float64Array.from(rows, ({time}) => time);
    run.columns = columns.map((column, c) => {
        const contact = Math.floor((c - start) / width), k = (c - start) % width;
        const own = c >= start && contact < run.contacts.length;
        return Float32Array.from(rows, ({time, row, after: i}) => {
            if (row !== undefined) return column[row];
            const change = own ? found.get(i).find(one => one.contact === contact) : undefined;
            if (change && (k === touching || k === slips)) {
                const changed = change.located && time >= change.time;
                return column[changed ? i + 1 : i];
            }
            if (change) return during(change, column[i], column[i + 1], times[i], times[i + 1], time);
            return column[i] + (column[i + 1] - column[i]) * (time - times[i]) / (times[i + 1] - times[i]);
        });
    });
}
