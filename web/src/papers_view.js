// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// The page of papers: figures and checks, paper by paper.

import * as colours from './colours.js';
import {darkFigure} from './figure.js';
import {element, number} from './format.js';
import {whilePrinting} from './run_view.js';

const statuses = ['pass', 'fail', 'not-reproduced'];
export const words = {pass: 'pass', fail: 'fail', 'not-reproduced': 'not reproduced'};

const value = v => (typeof v === 'number' ? number(v, 5) : v === null || v === undefined ? '–' : String(v));
const badge = status => element('span', {class: `badge ${status}`}, words[status] ?? status);
const anchor = name => `paper-${name}`;

const pictures = [];  // with their SVG texts: on a dark background they are drawn in other colours

/** A picture from a file next to the page, or from text; as an image, so that scripts and names in it have no
 * effect. */
function picture(svg, caption) {
    const image = element('img', {alt: caption, loading: 'lazy'});
    if (/^\s*</.test(svg)) pictures.push({image, svg});
    else image.src = svg;
    return image;
}

export function paintPictures() {
    for (const {image, svg} of pictures) {
        image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(colours.isDark() ? darkFigure(svg) : svg)}`;
    }
}

export function figureOf({id, caption, illustrative, svg, csv}) {
    const image = svg ? picture(svg, caption) : '', apart = svg && !/^\s*</.test(svg);
    return element('figure', {class: 'figure'}, element(apart ? 'a' : 'div', {class: 'picture', href: apart ? svg : null}, image),
        element('figcaption', {}, element('b', {}, id), illustrative ? element('span', {class: 'badge', title: 'the paper does not print its parameters'}, 'illustrative') : '',
            ' ', caption, csv ? [' ', element('a', {href: csv}, 'numbers')] : ''));
}

function checkRow({where, quantity, unit, relation, value: ours, expected, tolerance, why, status, note}) {
    const wanted = relation && relation !== 'near' ? `${relation} ${value(expected)}` : value(expected);
    return element('tr', {'data-status': status},
        element('td', {}, badge(status)), element('td', {}, where), element('td', {}, unit ? `${quantity} (${unit})` : quantity),
        element('td', {class: 'number'}, value(ours)), element('td', {class: 'number'}, wanted),
        element('td', {class: 'number'}, value(tolerance)), element('td', {class: 'why'}, [why, note].filter(Boolean).join('; ')));
}

export function checkTable(checks) {
    if (checks.length === 0) return '';
    return element('div', {class: 'scroll wide'}, element('table', {class: 'checks'},
        element('thead', {}, element('tr', {}, ['', 'where', 'quantity', 'ours', 'expected', 'tolerance', 'why'].map((head, i) =>
            element('th', {class: i >= 3 && i <= 5 ? 'number' : null}, head)))),
        element('tbody', {}, checks.map(checkRow))));
}

export const tally = checks => statuses.map(status => ({status, many: checks.filter(check => check.status === status).length}));

export function showPapers(content, page) {
    const all = content.papers.flatMap(paper => paper.checks ?? []);
    page.classList.add('papers');
    const filter = element('div', {class: 'filter', role: 'group', 'aria-label': 'checks'},
        [{status: 'all', many: all.length}, ...tally(all)].map(({status, many}) => element('button', {type: 'button',
            'aria-pressed': String(status === 'all'), 'data-filter': status, onclick: event => {
                for (const button of filter.children) button.setAttribute('aria-pressed', String(button === event.currentTarget));
                for (const row of page.querySelectorAll('tr[data-status]')) row.hidden = status !== 'all' && row.dataset.status !== status;
            }}, status === 'all' ? `all ${many} checks` : `${many} ${words[status]}`)));
    page.append(
        element('header', {}, element('h1', {}, content.title), filter),
        element('nav', {}, element('ul', {}, content.papers.map(paper => element('li', {},
            element('a', {href: `#${anchor(paper.name)}`}, paper.title),
            ' ', tally(paper.checks ?? []).filter(({many}) => many > 0).map(({status, many}) => element('span', {class: `badge ${status}`}, `${many} ${words[status]}`)))))),
        ...content.papers.map(paper => element('section', {class: 'paper', id: anchor(paper.name)},
            element('h2', {}, paper.title),
            element('div', {class: 'figures'}, (paper.figures ?? []).map(figureOf)),
            checkTable(paper.checks ?? []))),
        element('footer', {}, element('p', {}, content.generated_by ? `Written by ${content.generated_by}.` : '')));
    paintPictures();
    colours.onScheme(paintPictures);
    whilePrinting(page, paintPictures);
}
