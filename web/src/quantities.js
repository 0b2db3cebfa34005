// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// The charts of an inclusion: states and outputs grouped by unit, gaps, slip velocities and forces.

import {distinct as few} from './palette.js';

const groups = [
    ['states', null, 'States'],
    ['outputs', null, 'Outputs'],
    ['contacts', 'gap', 'Gaps'],
    ['contacts', 'force', 'Contact forces'],
    ['frictions', 'slip', 'Slip velocities'],
    ['frictions', 'force', 'Friction forces'],
];

/** Generates the options of charts. A chart has lines of one unit, at most as many as there are distinct colours. */
export function* quantityCharts(run) {
    for (const [folder, field, title] of groups) {
        const all = run.quantities.filter(q => q.folder === folder && (!field || q.name.split('[')[0] === field));
        for (const unit of new Set(all.map(q => q.unit))) {
            const same = all.filter(q => q.unit === unit);
            for (let from = 0; from < same.length; from += few) {
                const lines = same.slice(from, from + few).map(({owner, name, values}) =>
                    ({label: field ? name.replace(field, owner) : name, values}));
                yield {title, unit, lines, note: same.length > few ? `${from + 1} to ${from + lines.length} of ${same.length}` : undefined};
            }
        }
    }
}
