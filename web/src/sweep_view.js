// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// The page of a sweep: a chart, a heat map or a histogram of kept numbers, sliders for the other parameters, and a
// comparison of two runs.

import * as colours from './colours.js';
import {count, element, number, withUnit} from './format.js';
import {codeBox, whilePrinting} from './run_view.js';
import {histogram, rangeOf, Sweep, ticks} from './sweep.js';

const font = '12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
const unitOf = column => (column.unit === '1' ? '' : column.unit);
const labelOf = column => (unitOf(column) ? `${column.name} (${unitOf(column)})` : column.name);
const curvesMost = 12;

/** Colours of heat maps, from low to high: viridis at nine points (van der Walt and Smith 2015), uniform in
 * lightness. */
const heat = ['#440154', '#472d7b', '#3b528b', '#2c728e', '#21918c', '#28ae80', '#5ec962', '#addc30', '#fde725']
    .map(hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16)));

function heatColour(part) {
    const at = Math.max(0, Math.min(1, part)) * (heat.length - 1), i = Math.min(heat.length - 2, Math.floor(at));
    return `rgb(${heat[i].map((value, c) => Math.round(value + (heat[i + 1][c] - value) * (at - i))).join(',')})`;
}

/** Maps values to positions on an axis, and back. Words are placed at their index. */
class Axis {
    constructor(column, low, high, from, to, logarithmic) {
        this.log = logarithmic && low > 0;
        const scale = this.log ? Math.log : value => value;
        const margin = low === high ? Math.abs(low) || 1 : 0;
        this.low = this.log && margin ? low / 2 : low - margin;
        this.high = this.log && margin ? high * 2 : high + margin;
        const [a, b] = [scale(this.low), scale(this.high)];
        this.at = value => from + (scale(value) - a) / (b - a) * (to - from);
        this.column = column;
    }

    ticks(many) {
        if (this.column?.words) return this.column.words.map((word, i) => [i, word]);
        return ticks(this.low, this.high, many, this.log).map(value => [value, number(value, 4)]);
    }
}

class Picture {
    constructor(view) {
        this.view = view;
        this.canvas = element('canvas', {tabindex: '0', role: 'img'});
        this.frame = element('div', {class: 'plot sweep-plot'}, this.canvas);
        this.spots = [];
        this.canvas.addEventListener('pointermove', event => view.point(this.nearest(event)));
        this.canvas.addEventListener('pointerleave', () => view.point(null));
        this.canvas.addEventListener('click', event => {
            const row = this.nearest(event);
            if (row !== null) view.choose(row, event.shiftKey || event.ctrlKey || event.metaKey ? 'B' : view.next);
        });
        new ResizeObserver(() => this.draw()).observe(this.frame);
    }

    /** The drawn run nearest to the pointer, or null. */
    nearest(event) {
        const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
        let best = null, least = 30 ** 2;
        for (const spot of this.spots) {
            const off = spot.w ? (x >= spot.x && x < spot.x + spot.w && y >= spot.y && y < spot.y + spot.h ? 0 : Infinity)
                : (spot.x - x) ** 2 + (spot.y - y) ** 2;
            if (off < least) [best, least] = [spot.row, off];
        }
        return best;
    }

    draw() {
        const width = Math.max(200, this.frame.clientWidth), height = Math.min(460, Math.max(300, width * 0.5)), ratio = devicePixelRatio || 1;
        Object.assign(this.canvas, {width: Math.round(width * ratio), height: Math.round(height * ratio)});
        Object.assign(this.canvas.style, {width: `${width}px`, height: `${height}px`});
        this.c = this.canvas.getContext('2d');
        this.c.scale(ratio, ratio);
        this.c.font = font;
        this.box = {left: 96, top: 12, right: width - 16, bottom: height - 44};
        this.spots = [];
        this.view.paint(this);
    }

    /** Draws axes with their labels around the data, and grid lines behind it. */
    frameOf(x, y, xLabel, yLabel) {
        const {c, box} = this;
        c.strokeStyle = colours.css('--grid');
        c.fillStyle = colours.css('--quiet');
        c.lineWidth = 1;
        c.textAlign = 'center';
        c.textBaseline = 'top';
        let last = -Infinity;
        for (const [value, text] of x.ticks(Math.max(2, (box.right - box.left) / 90))) {
            const at = x.at(value);
            c.beginPath(); c.moveTo(at, box.top); c.lineTo(at, box.bottom); c.stroke();
            if (at - last < c.measureText(text).width + 8) continue;
            last = at;
            c.fillText(text, at, box.bottom + 6);
        }
        c.textAlign = 'right';
        c.textBaseline = 'middle';
        for (const [value, text] of y.ticks(6)) {
            const at = y.at(value);
            c.beginPath(); c.moveTo(box.left, at); c.lineTo(box.right, at); c.stroke();
            c.fillText(text, box.left - 6, at);
        }
        c.textAlign = 'center';
        c.textBaseline = 'bottom';
        c.fillText(xLabel, (box.left + box.right) / 2, box.bottom + 42);
        c.save();
        c.translate(12, (box.top + box.bottom) / 2);
        c.rotate(-Math.PI / 2);
        c.textBaseline = 'top';
        c.fillText(yLabel, 0, -8);
        c.restore();
    }

    mark(spot, letter) {
        const {c} = this, x = spot.w ? spot.x + spot.w / 2 : spot.x, y = spot.w ? spot.y + spot.h / 2 : spot.y;
        c.fillStyle = colours.css('--surface');
        c.strokeStyle = colours.css('--text');
        c.lineWidth = 1.5;
        c.beginPath(); c.arc(x, y, 8, 0, 2 * Math.PI); c.fill(); c.stroke();
        c.fillStyle = colours.css('--text');
        c.textAlign = 'center';
        c.textBaseline = 'middle';
        c.fillText(letter, x, y + 0.5);
    }
}

class View {
    constructor(sweep) {
        this.sweep = sweep;
        const numeric = sweep.varied.filter(column => !column.words);
        this.x = numeric[0] ?? sweep.varied[0];
        this.y = sweep.kept[0];
        this.family = sweep.grid.find(column => column !== this.x && column.count > 1) ?? null;
        this.places = new Map(sweep.grid.map(column => [column, 0]));
        this.kind = 'chart';
        this.next = 'A';
        this.A = 0;
        this.B = sweep.rowCount > 1 ? sweep.rowCount - 1 : null;
        this.picture = new Picture(this);
        this.told = element('p', {class: 'note', 'aria-live': 'polite'});
        this.legend = element('ul', {class: 'legend'});
        this.sliders = element('div', {class: 'sliders'});
        this.runs = element('section', {class: 'changes'});
    }

    select(label, name, items, current, change) {
        const box = element('select', {name, onchange: event => { change(items[event.target.value][1]); this.update(); }},
            items.map(([text, item], i) => element('option', {value: i, selected: item === current()}, text)));
        return element('label', {}, label, ' ', box);
    }

    /** Creates the controls, again whenever a choice changes the available options. */
    controls() {
        const {sweep} = this, columns = list => list.map(column => [column.name, column]);
        const others = sweep.grid.filter(column => column !== this.x && column.count > 1);
        const kinds = [['chart', 'chart'], ...(others.length ? [['heat map', 'heat']] : []), ['histogram', 'histogram']];
        if (!kinds.some(([, kind]) => kind === this.kind)) this.kind = 'chart';
        if (this.family === this.x || (this.kind === 'heat' && !this.family)) this.family = others[0] ?? null;
        const parts = [this.select('show', 'show', columns(sweep.kept), () => this.y, value => { this.y = value; }),
            this.select('as', 'kind', kinds, () => this.kind, value => { this.kind = value; })];
        if (this.kind !== 'histogram') {
            parts.push(this.select('against', 'against', columns(sweep.varied), () => this.x, value => { this.x = value; }));
            if (others.length) {
                parts.push(this.select(this.kind === 'heat' ? 'and' : 'curves', 'curves',
                    [...(this.kind === 'heat' ? [] : [['one', null]]), ...columns(others)], () => this.family, value => { this.family = value; }));
            }
            // a finger has no Shift
            if (sweep.rowCount > 1) parts.push(this.select('a click selects', 'next', [['A', 'A'], ['B', 'B']], () => this.next, value => { this.next = value; this.point(null); }));
        }
        return parts;
    }

    /** The grid parameters that are set by sliders. */
    held() {
        if (this.kind === 'histogram') return this.sweep.grid.filter(column => column.count > 1 && this.sweep.samples > 1);
        return this.sweep.grid.filter(column => column.count > 1 && column !== this.x && column !== this.family);
    }

    update() {
        this.options.replaceChildren(...this.controls());
        this.sliders.replaceChildren(...this.held().map(column => {
            const show = () => `${column.name} = ${column.words ? column.words[column.steps[this.places.get(column)]]
                : withUnit(column.steps[this.places.get(column)], unitOf(column))}`;
            const text = element('span', {}, show());
            return element('label', {class: 'slider'}, text, element('input', {type: 'range', name: column.name, min: 0, max: column.count - 1, step: 1,
                value: this.places.get(column), oninput: event => {
                    this.places.set(column, Number(event.target.value));
                    text.textContent = show();
                    this.picture.draw();
                }}));
        }));
        this.picture.canvas.setAttribute('aria-label', `${this.y.name}${this.kind === 'histogram' ? '' : ` against ${this.x.name}`}`);
        this.picture.draw();
        this.compare();
    }

    /** Draws the chosen picture. */
    paint(picture) {
        this.legend.replaceChildren();
        ({chart: () => this.paintChart(picture), heat: () => this.paintHeat(picture), histogram: () => this.paintHistogram(picture)})[this.kind]();
        for (const [letter, row] of [['A', this.A], ['B', this.B]]) {
            const spot = picture.spots.find(s => s.row === row);
            if (spot) picture.mark(spot, letter);
        }
    }

    paintChart(picture) {
        const {sweep, x: xs, y: ys, family} = this, {c, box} = picture;
        const free = new Set([xs, ...(family ? [family] : [])]);
        const rows = sweep.rows(this.places, free), lines = !sweep.drawn.length && xs.count > 0;
        const [low, high] = rangeOf(rows.map(row => sweep.value(row, xs))), [least, most] = rangeOf(rows.map(row => sweep.value(row, ys)));
        const pad = (most - least) * 0.05;
        const x = new Axis(xs, low, high, box.left, box.right, xs.logarithmic), y = new Axis(ys, least - pad, most + pad, box.bottom, box.top, false);
        picture.frameOf(x, y, labelOf(xs), labelOf(ys));
        const curves = new Map();
        for (const row of rows) {
            const key = family ? sweep.value(row, family) : 0;
            if (!curves.has(key)) curves.set(key, []);
            curves.get(key).push(row);
        }
        let i = 0;
        for (const [key, members] of curves) {
            // if there are more curves than colours, they are thin and coloured by a gradient
            const colour = curves.size <= curvesMost ? colours.line(i) : heatColour(i / (curves.size - 1));
            c.strokeStyle = c.fillStyle = colour;
            c.lineWidth = curves.size <= curvesMost ? 2 : 1;
            let drawing = false;
            c.beginPath();
            for (const row of members) {
                const value = sweep.value(row, ys);
                if (!Number.isFinite(value)) { drawing = false; continue; }
                const spot = {row, x: x.at(sweep.value(row, xs)), y: y.at(value)};
                picture.spots.push(spot);
                if (lines && drawing) c.lineTo(spot.x, spot.y); else c.moveTo(spot.x, spot.y);
                drawing = true;
            }
            if (lines) c.stroke();
            if (!lines || members.length <= 60) {
                for (const spot of picture.spots.slice(-members.length)) {
                    c.beginPath(); c.arc(spot.x, spot.y, lines ? 2.5 : 2, 0, 2 * Math.PI); c.fill();
                }
            }
            if (family && curves.size <= curvesMost) {
                this.legend.append(element('li', {}, element('span', {class: 'swatch', style: `--colour: ${colour}`}), ' ',
                    family.words ? family.words[key] : `${family.short} ${withUnit(key, unitOf(family))}`));
            }
            i++;
        }
    }

    paintHeat(picture) {
        const {sweep, x: xs, y: ys, family} = this, {c, box} = picture;
        const rows = sweep.rows(this.places, new Set([xs, family])), [least, most] = rangeOf(rows.map(row => sweep.value(row, ys)));
        // one cell per value, of equal size, independent of the distances between values
        const wide = (box.right - box.left) / xs.count, high = (box.bottom - box.top) / family.count;
        const columns = column => column.steps.map((value, i) => [i, column.words ? column.words[value] : number(value, 4)]);
        const axis = (column, from, size) => ({at: i => from + (i + 0.5) * size, ticks: many => columns(column).filter((_, i) => i % Math.ceil(column.count / many) === 0)});
        picture.frameOf(axis(xs, box.left, wide), axis(family, box.bottom, -high), labelOf(xs), labelOf(family));
        for (const row of rows) {
            const i = Math.floor(row / xs.stride) % xs.count, j = Math.floor(row / family.stride) % family.count, value = sweep.value(row, ys);
            const spot = {row, x: box.left + i * wide, y: box.bottom - (j + 1) * high, w: wide, h: high};
            picture.spots.push(spot);
            if (!Number.isFinite(value)) continue;
            c.fillStyle = heatColour((value - least) / (most - least || 1));
            c.fillRect(Math.floor(spot.x), Math.floor(spot.y), Math.ceil(wide), Math.ceil(high));
        }
        this.legend.append(element('li', {}, `${labelOf(ys)}: ${number(least)}`),
            element('li', {class: 'heat', style: `background: linear-gradient(to right, ${heat.map(rgb => `rgb(${rgb})`).join(',')})`}),
            element('li', {}, number(most)));
    }

    paintHistogram(picture) {
        const {sweep, y: ys} = this, {c, box} = picture;
        const free = new Set(sweep.samples > 1 ? [] : sweep.grid), rows = sweep.rows(this.places, free);
        const {low, width, counts} = histogram(rows.map(row => sweep.value(row, ys)));
        const x = new Axis(ys, low, low + width * counts.length, box.left, box.right, false), y = new Axis(null, 0, Math.max(...counts, 1), box.bottom, box.top, false);
        picture.frameOf(x, y, labelOf(ys), 'runs');
        c.fillStyle = colours.line(0);
        counts.forEach((many, i) => {
            const from = x.at(low + i * width), to = x.at(low + (i + 1) * width);
            c.fillRect(from + 0.5, y.at(many), to - from - 1, box.bottom - y.at(many));
        });
        const finite = rows.map(row => sweep.value(row, ys)).filter(Number.isFinite), mean = finite.reduce((a, b) => a + b, 0) / finite.length;
        const spread = Math.sqrt(finite.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, finite.length - 1));
        this.legend.append(element('li', {}, `mean ${withUnit(mean, unitOf(ys))}, standard deviation ${withUnit(spread, unitOf(ys))}, ${count(finite.length, 'run')}`));
    }

    /** Shows the run at the pointer. */
    point(row) {
        const {sweep} = this;
        this.told.textContent = row === null ? `Click a run to make it ${this.next}${this.next === 'A' ? ', with Shift to make it B' : ''}.`
            : [...sweep.varied, this.y].map(column => `${column.name} = ${sweep.text(row, column, value => withUnit(value, unitOf(column)))}`).join(', ');
    }

    choose(row, letter) {
        this[letter] = row;
        this.picture.draw();
        this.compare();
    }

    /** The commands that repeat the chosen runs and compare them on one page. Rows that are not runs of a file have none. */
    commands(rows) {
        const {sweep} = this;
        if (!sweep.file) return [];
        const pair = rows.length > 1, lines = rows.map((row, i) => `${sweep.command(row)} ${pair ? `-o ${'AB'[i]}.h5` : '--report A.html'}`);
        return [element('p', {class: 'note'}, pair ? 'These commands repeat both runs and write a page that compares them, AB.html.' : 'This command repeats the run and writes its page, A.html.',
            sweep.stops.length ? ` ${pair ? 'They do' : 'It does'} not end at ${sweep.stops.join(', ')}, as here, but at the end that the file sets.` : ''),
        codeBox([...lines, ...(pair ? ['footfall report A.h5 B.h5 -o AB.html'] : [])].join('\n'))];
    }

    /** Compares two runs: parameters, kept numbers, their differences, and the commands that repeat them. */
    compare() {
        const {sweep} = this, rows = [this.A, this.B].filter(row => row !== null);
        const cell = (row, column) => element('td', {class: 'number'}, sweep.text(row, column, value => number(value, 6)));
        this.runs.replaceChildren(element('h2', {}, rows.length > 1 ? 'Two runs' : 'One run'),
            element('div', {class: 'scroll wide'}, element('table', {},
                element('thead', {}, element('tr', {}, element('th', {}, ''), ...rows.map((row, i) => element('th', {class: 'number'}, `${'AB'[i]}: run ${row + 1}`)),
                    rows.length > 1 ? element('th', {class: 'number'}, 'B − A') : '', element('th', {}, 'unit'))),
                element('tbody', {}, sweep.columns.map(column => element('tr', {}, element('td', {}, column.varied ? element('b', {}, column.name) : column.name),
                    ...rows.map(row => cell(row, column)),
                    rows.length > 1 ? element('td', {class: 'number'}, column.words ? '' : number(sweep.value(this.B, column) - sweep.value(this.A, column), 6)) : '',
                    element('td', {}, unitOf(column))))))),
            ...rows.map((row, i) => (sweep.reasons.has(row) ? element('p', {class: 'wrong'}, `${'AB'[i]} failed: ${sweep.reasons.get(row)}`) : '')),
            ...this.commands(rows));
    }
}

/** The parts of a sweep that can be explored: controls, picture, two runs, failed runs; and the view behind them. */
export function exploreSweep(content) {
    const sweep = new Sweep(content), view = new View(sweep);
    view.options = element('div', {class: 'options'});
    return {view, parts: [
        view.options, view.sliders,
        element('figure', {class: 'chart'}, view.picture.frame, view.legend, view.told),
        view.runs,
        content.failed.length ? element('details', {}, element('summary', {}, `Runs that failed (${content.failed.length})`),
            element('div', {class: 'scroll'}, element('table', {}, element('tbody', {}, content.failed.slice(0, 1000).map(({row, error}) =>
                element('tr', {}, element('td', {class: 'number'}, row + 1), element('td', {}, error))))))) : '']};
}

/** Number of runs, parameters, samples and failures. */
export const factsOf = ({rowCount, varied, samples, failed}) => [element('span', {}, element('b', {}, count(rowCount, 'run'))),
    element('span', {}, count(varied.length, 'parameter')),
    samples > 1 ? element('span', {}, `${samples.toLocaleString('en')} samples`) : '',
    failed.length ? element('span', {class: 'wrong'}, `${failed.length.toLocaleString('en')} failed`) : ''];

export function showSweep(content, page) {
    const {view, parts} = exploreSweep(content);
    page.classList.add('sweep');
    page.append(
        element('header', {}, element('h1', {}, content.file.replace(/^.*\//, '')), element('div', {class: 'facts'}, factsOf(view.sweep))),
        ...parts,
        element('h2', {}, 'Command'), element('div', {class: 'code'}, element('pre', {}, content.command)),
        element('footer', {}, element('p', {}, `Written by ${content.generated_by}.`)));
    view.update();
    view.point(null);
    colours.onScheme(() => view.picture.draw());
    whilePrinting(page, () => view.picture.draw());
    window.footfall = {sweep: view};
}
