// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// Warnings about a scene, and a summary of each contact.

import {element, number, unitFor} from './format.js';

/** The list of warnings of a run, '' if there are none. */
export function warningList(run) {
    const warnings = run.warnings ?? [];
    if (warnings.length === 0) return '';
    return element('section', {class: 'warnings', 'aria-label': 'warnings'},
        element('h2', {}, warnings.length === 1 ? 'Warning' : `${warnings.length} warnings`),
        element('ul', {}, warnings.map(({kind, text}) => element('li', {}, element('span', {class: 'badge'}, kind), text))));
}

/** Smallest and largest restitution of the impacts that have ended. */
function restitution(each) {
    const values = each.map(impact => impact.restitution).filter(value => value !== null);
    if (values.length === 0) return '–';
    const least = number(Math.min(...values), 3), most = number(Math.max(...values), 3);
    return least === most ? least : `${least} to ${most}`;
}

/** A table with one row for each contact that was closed at some time, '' if there is none. */
export function impactTable(run) {
    const contacts = Object.entries(run.impacts ?? {});
    if (contacts.length === 0) return '';
    // values within rounding are 0
    const energy = (contact, name) => (Math.abs(contact.energy[name] ?? 0) > 1e-12 * run.ledger.scale ? contact.energy[name] : 0);
    const accounts = run.at.ledger.names.filter(name => contacts.some(([, contact]) => energy(contact, name) !== 0));
    const column = (title, unit, value) => {
        const {unit: shown, factor} = unitFor(unit, Math.max(...contacts.map(([, contact]) => Math.abs(value(contact)))));
        return {title: shown ? `${title} (${shown})` : title, text: contact => number(value(contact) * factor, 4)};
    };
    const columns = [
        {title: 'impacts', text: contact => contact.count.toLocaleString('en')},
        column('peak force', 'N', contact => contact.max_force),
        column('greatest depth', 'm', contact => contact.max_depth),
        column('contact time', 's', contact => contact.contact_time),
        {title: 'restitution', text: contact => restitution(contact.each)},
        column('slip distance', 'm', contact => contact.slip_distance),
        ...accounts.map(name => column(name.replace('_', ' '), 'J', contact => energy(contact, name))),
    ];
    const left = run.contacts_touched - contacts.length;
    return element('section', {class: 'impacts', 'aria-label': 'impacts'},
        element('h2', {}, 'Impacts'),
        element('div', {class: 'scroll'}, element('table', {},
            element('thead', {}, element('tr', {}, element('th', {}, 'contact'), columns.map(({title}) => element('th', {class: 'number'}, title)))),
            element('tbody', {}, contacts.map(([name, contact]) => element('tr', {}, element('td', {}, name),
                columns.map(({text}) => element('td', {class: 'number'}, text(contact)))))))),
        element('p', {class: 'note'}, `Energies are those that went through the contact, restitution is that of its impacts, least to greatest.${
            left > 0 ? ` ${left.toLocaleString('en')} more contacts are not shown.` : ''}`));
}
