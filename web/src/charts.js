// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// Charts over time with a common cursor, zoom range and clock; events are drawn as ticks.

import uPlot from 'uplot';
import * as colours from './colours.js';
import {element, number, unitFor, withUnit} from './format.js';
import {place} from './run.js';

const font = '12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

/** The charts of a page. */
export class Charts {
    constructor(run, clock) {
        this.run = run;
        this.clock = clock;
        this.all = [];
        this.time = unitFor('s', run.end - run.begin);
        this.x = run.times.map(t => t * this.time.factor);
        this.sync = uPlot.sync('time');
        this.zoomListeners = [];
        this.zooming = false;
        clock.listen(() => {
            for (const chart of this.all) chart.follow();
        });
        colours.onScheme(() => this.redraw());
        this.sizes = new ResizeObserver(entries => {
            for (const {target} of entries) this.all.find(c => c.frame === target)?.fit();
        });
    }

    /** Adds a chart to an element of the page. */
    add(options, parent) {
        const chart = new Chart(this, options);
        this.all.push(chart);
        parent.append(chart.figure);
        chart.build();
        this.sizes.observe(chart.frame);
    }

    /** Zooms all charts to the same time range, in their unit; by default to the whole run. */
    zoom(min = this.x[0], max = this.x[this.x.length - 1]) {
        if (this.zooming) return;
        this.zooming = true;
        for (const chart of this.all) chart.plot.setScale('x', {min, max});
        this.zooming = false;
        const whole = min <= this.x[0] && max >= this.x[this.x.length - 1];
        for (const listener of this.zoomListeners) listener(whole);
    }

    redraw() {
        for (const chart of this.all) chart.build();
    }
}

/** One chart: a caption, the plot, and a legend with the values at the cursor, or else at the clock. */
class Chart {
    /** lines: [{label, values, unit, dash, width, colour}]; stack: the result of ledger.js, instead of lines. */
    constructor(charts, {title, note, unit, lines, stack, height = 190, digits = 4, legend = true}) {
        Object.assign(this, {charts, unit, lines, stack, height, digits});
        let largest = 0;
        for (const {values} of lines) {
            for (const value of values) largest = Math.max(largest, Math.abs(value));
        }
        this.scale = unitFor(unit, largest);
        this.frame = element('div', {class: 'plot'});
        this.legend = element('ul', {class: 'legend'});
        this.figure = element('figure', {class: 'chart'},
            element('figcaption', {}, element('b', {}, title), this.scale.unit ? ` (${this.scale.unit})` : '',
                note ? element('span', {class: 'note'}, note) : ''),
            this.frame, legend ? this.legend : '');
        // missing values are null
        this.data = [charts.x, ...lines.map(({values}) =>
            (this.scale.factor === 1 ? values : values.map(value => (value === null ? null : value * this.scale.factor))))];
        this.hidden = new Set();
    }

    colour(i) {
        return this.lines[i].colour?.() ?? colours.line(i);
    }

    /** Creates the plot, also after a change of the colour scheme. */
    build() {
        this.plot?.destroy();
        const text = colours.css('--quiet'), grid = colours.css('--grid'), {time, sync, run} = this.charts;
        const axis = {stroke: text, font, grid: {stroke: grid, width: 1}, ticks: {stroke: grid, width: 1, size: 4}, gap: 4};
        const plain = (_, values) => values.map(value => (value === null ? '' : String(+value.toPrecision(6)).replace('-', '−')));
        this.plot = new uPlot({
            width: this.frame.clientWidth || 300,
            height: this.height,
            padding: [10, 16, 0, 0],
            legend: {show: false},
            cursor: {
                sync: {key: sync.key, scales: ['x', null]},
                drag: {x: true, y: false, dist: 8, setScale: true},
                points: {show: !this.stack, size: 6},
                y: false,
            },
            scales: {x: {time: false}, y: {range: this.stack ? this.stack.range(this.scale.factor) : undefined}},
            axes: [
                {...axis, size: 24, label: `time (${time.unit})`, labelSize: 18, labelFont: font, labelGap: 0, values: plain, space: 70},
                {...axis, // equal in all charts, so that their time axes are aligned
                    size: 54, values: plain, space: 36},
            ],
            series: [{}, ...this.lines.map((line, i) => ({
                label: line.label,
                show: !this.hidden.has(i),
                stroke: this.stack?.stroke ? this.stack.stroke(i) : this.colour(i),
                // the first line is thicker, so that coinciding lines both stay visible
                width: line.width ?? (i === 0 && this.lines.length > 1 ? 2.5 : 1.5),
                dash: line.dash,
                points: {show: false},
            }))],
            bands: this.stack?.bands,
            hooks: {
                draw: [u => drawEvents(u, run, time.factor)],
                setCursor: [() => this.tell()],
                setScale: [(u, key) => {
                    if (key !== 'x') return;
                    this.charts.zoom(u.scales.x.min, u.scales.x.max);
                    this.follow();
                }],
                ready: [u => this.ready(u)],
            },
        }, this.data, this.frame);
        this.fill();
        this.follow();
    }

    ready(u) {
        this.marker = element('div', {class: 'now'});
        u.over.append(this.marker);
        const {clock, time} = this.charts;
        const seek = event => {
            const at = event.clientX - u.over.getBoundingClientRect().left;
            clock.seek(u.posToVal(at, 'x') / time.factor);
        };
        let from = null;
        u.over.addEventListener('pointerdown', event => { from = event.clientX; });
        u.over.addEventListener('pointermove', event => {
            if (event.pointerType === 'touch' && from !== null) seek(event);
        });
        u.over.addEventListener('pointerup', event => {
            if (from !== null && Math.abs(event.clientX - from) < 6) seek(event);
            from = null;
        });
        u.over.addEventListener('pointercancel', () => { from = null; });
    }

    fit() {
        const width = this.frame.clientWidth;
        if (width > 0 && width !== this.plot.width) {
            this.plot.setSize({width, height: this.height});
            this.follow();
        }
    }

    /** Moves the line at the clock: an element over the plot, so that the plot need not be redrawn. */
    follow() {
        if (!this.plot || !this.marker) return;
        const x = this.plot.valToPos(this.charts.clock.time * this.charts.time.factor, 'x');
        const inside = x >= -1 && x <= this.plot.over.clientWidth + 1;
        this.marker.style.transform = `translateX(${x}px)`;
        this.marker.hidden = !inside;
        this.tellSoon();
    }

    /** Updates the legend at a limited rate: updating it in every frame costs more than the rest of the frame. */
    tellSoon() {
        this.telling ??= setTimeout(() => {
            this.telling = null;
            this.tell();
        }, 80);
    }

    /** Creates the entries of the legend: a swatch, a name, a value; a click hides the line. */
    fill() {
        this.values = [];
        const entries = this.stack ? this.stack.entries : this.lines.map((line, i) => ({
            label: line.label, values: this.data[i + 1], colour: () => this.colour(i), dash: line.dash, index: i,
        }));
        this.legend.replaceChildren(...entries.map(entry => {
            const value = element('span', {class: 'value'});
            this.values.push({value, entry});
            const swatch = element('span', {class: entry.dash ? 'swatch dashed' : entry.area ? 'swatch area' : 'swatch',
                style: `--colour: ${entry.colour()}`});
            const name = element('span', {class: 'name'}, entry.label);
            if (entry.index === undefined) return element('li', {class: entry.total ? `total ${entry.label}` : null}, swatch, name, value);
            const button = element('button', {type: 'button', 'aria-pressed': String(!this.hidden.has(entry.index)),
                title: 'show or hide', onclick: () => {
                    const shown = this.hidden.delete(entry.index);
                    if (!shown) this.hidden.add(entry.index);
                    this.plot.setSeries(entry.index + 1, {show: shown});
                    button.setAttribute('aria-pressed', String(shown));
                }}, swatch, name, value);
            return element('li', {}, button);
        }));
    }

    tell() {
        if (!this.plot || !this.values) return;
        const {charts, plot} = this, hovered = plot.cursor.idx;
        const {row, part} = hovered !== null && hovered !== undefined
            ? {row: hovered, part: 0} : place(charts.run.times, charts.clock.time);
        for (const {value, entry} of this.values) {
            const v = entry.values, known = v[row] !== null && (part === 0 || v[row + 1] !== null);
            const now = !known ? null : part > 0 ? v[row] + (v[row + 1] - v[row]) * part : v[row];
            const text = entry.text ? entry.text(now) : withUnit(now, this.scale.unit, this.digits, true);
            if (value.textContent !== text) value.textContent = text;
        }
    }
}

/** Draws ticks at the top of a plot, one per visible event, but at most one per pixel. */
function drawEvents(u, run, factor) {
    const {ctx, bbox} = u, ratio = devicePixelRatio || 1, seen = new Set();
    ctx.save();
    ctx.lineWidth = ratio;
    for (const [t, kind] of run.events) {
        const x = Math.round(u.valToPos(t * factor, 'x', true));
        const name = run.event_kinds[kind];
        if (x < bbox.left || x > bbox.left + bbox.width || seen.has(x * 8 + kind)) continue;
        seen.add(x * 8 + kind);
        ctx.strokeStyle = colours.eventColour(name);
        ctx.beginPath();
        ctx.moveTo(x + 0.5, bbox.top - 8 * ratio);
        ctx.lineTo(x + 0.5, bbox.top);
        ctx.stroke();
    }
    ctx.restore();
}
