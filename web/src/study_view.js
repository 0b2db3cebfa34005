// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// The page of a study: its claims, its figures, and its tables to be explored like sweeps.

import * as colours from './colours.js';
import {count, element} from './format.js';
import {checkTable, figureOf, paintPictures, tally, words} from './papers_view.js';
import {whilePrinting} from './run_view.js';
import {exploreSweep, factsOf} from './sweep_view.js';

/** A figure with its title and all that is said about it as its caption. */
const pictureOf = figure => figureOf({...figure, illustrative: Boolean(figure.chosen),
    caption: [`${figure.title}.`, figure.caption, figure.chosen].filter(Boolean).join(' ')});

export function showStudy(content, page) {
    const {figures, claims, tables} = content, shown = {};
    const grid = element('section', {class: 'sweep'}), facts = element('div', {class: 'facts'});
    const explore = name => {
        const {view, parts} = exploreSweep({...tables.find(table => table.name === name), laws: content.laws});
        // a grid of two parameters or more is a heat map, unless one of them has few values
        if (view.sweep.grid.length > 1 && view.family && view.family.count > 12) view.kind = 'heat';
        facts.replaceChildren(...factsOf(view.sweep));
        grid.replaceChildren(...parts);
        view.update();
        view.point(null);
        shown.sweep = view;
    };
    page.classList.add('study');
    page.append(
        element('header', {}, element('h1', {}, content.title ?? content.file.replace(/^.*\//, '')),
            element('div', {class: 'facts'}, element('span', {}, element('b', {}, count(claims.length, 'claim'))),
                tally(claims).filter(({many}) => many > 0).map(({status, many}) => element('span', {class: `badge ${status}`}, `${many} ${words[status]}`)),
                element('span', {}, count(figures.length, 'figure')),
                claims.length ? element('a', {href: '#claims'}, 'claims') : '',
                tables.length ? element('a', {href: '#tables'}, count(tables.length, 'table')) : '')),
        element('div', {class: 'figures'}, figures.map(pictureOf)),
        claims.length ? element('h2', {id: 'claims'}, 'Claims') : '', checkTable(claims));
    if (tables.length) {
        page.append(element('h2', {id: 'tables'}, 'Explore a table'),
            element('label', {}, 'table ', element('select', {name: 'table', onchange: event => explore(event.target.value)},
                tables.map(({name}) => element('option', {value: name}, name)))),
            facts, grid);
    }
    page.append(element('h2', {}, 'Command'), element('div', {class: 'code'}, element('pre', {}, content.command)),
        element('footer', {}, element('p', {}, `Written by ${content.generated_by}.`)));
    if (tables.length) explore(tables[0].name);
    paintPictures();
    const paint = () => { paintPictures(); shown.sweep?.picture.draw(); };
    colours.onScheme(paint);
    whilePrinting(page, paint);
    window.footfall = shown;
}
