// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// The page of two runs, A and B: both replays side by side with a common clock, curves of both in one chart, and B
// minus A.

import {Charts} from './charts.js';
import {Clock} from './clock.js';
import * as colours from './colours.js';
import {difference, joined, lineChanges, placesOf} from './compare.js';
import {controls} from './controls.js';
import {element, quantity, unitFor, withUnit} from './format.js';
import {impactTable} from './impacts.js';
import {accountsOf, datumOf} from './ledger.js';
import {motionCharts} from './motion.js';
import {quantityCharts} from './quantities.js';
import {Run} from './run.js';
import {chartsHint, codeBox, makeReplay, outcome, replayOptions, samplesNote, saveLink, whilePrinting} from './run_view.js';

const names = ['A', 'B'];

function* chartsOf(run, datum) {
    if (run.ledger.residual !== null) {
        yield {title: 'Energy accounts', unit: 'J',
            lines: accountsOf(run, datum).map(({name, values}) => ({label: name.replace('_', ' '), values}))};
    }
    yield* run.bodies.length > 0 ? motionCharts(run) : quantityCharts(run);
}

/** A chart with the lines of both runs, those of B dashed, and a chart of their difference: [both, difference or
 * null]. */
function pairOf(places, title, unit, charts) {
    const labels = [...new Set(charts.flatMap(chart => chart?.lines.map(({label}) => label) ?? []))];
    const both = [], differences = [];
    labels.forEach((label, k) => {
        const [a, b] = charts.map((chart, i) => {
            const line = chart?.lines.find(one => one.label === label);
            return line ? joined(places[i], line.values) : null;
        });
        const colour = () => colours.line(k);
        if (a) both.push({label: `A ${label}`, values: a, colour, width: 2});
        if (b) both.push({label: `B ${label}`, values: b, colour, width: 2, dash: [6, 4]});
        if (a && b) differences.push({label, values: difference(a, b), colour, width: 1.5});
    });
    const note = charts.every(Boolean) ? 'A, B dashed' : `only of ${names[charts.findIndex(Boolean)]}`;
    return [{title, note, unit, lines: both},
        differences.length > 0 ? {title: `${title}: difference`, note: 'B − A', unit, lines: differences} : null];
}

/** The accounts at the end of both runs. */
function ledgerTable(runs) {
    if (runs.some(run => run.ledger.residual === null)) return '';
    const of = runs.map(run => new Map(run.at.ledger.names.map(name => [name, run.column('ledger', 0, name).at(-1)])));
    const scale = Math.max(...runs.map(run => run.ledger.scale));
    const rows = [...new Set(of.flatMap(map => [...map.keys()]))]
        .filter(name => name === 'residual' || of.some(map => Math.abs(map.get(name) ?? 0) > 1e-12 * scale))
        .map(name => ({name, values: of.map(map => map.get(name) ?? 0)}));
    rows.push({name: 'initial', values: runs.map(run => run.ledger.initial)});
    const {unit, factor} = unitFor('J', scale);
    // a residual has its own order of magnitude
    const text = (name, value) => (name === 'residual' ? quantity(value, 'J', 3) : withUnit(value * factor, unit, 5));
    return element('section', {class: 'accounts', 'aria-label': 'energy ledger'},
        element('h2', {}, 'Energy ledger at the end'),
        element('div', {class: 'scroll wide'}, element('table', {},
            element('thead', {}, element('tr', {}, ['account', ...names, 'B − A'].map((head, i) => element('th', {class: i ? 'number' : null}, head)))),
            element('tbody', {}, rows.map(({name, values: [a, b]}) => element('tr', {}, element('td', {}, name.replace('_', ' ')),
                [a, b, b - a].map(value => element('td', {class: 'number'}, text(name, value)))))))));
}

/** Lines in which the scenes differ. */
function sceneChanges(runs) {
    const changes = lineChanges(...runs.map(run => run.scene.trimEnd().split('\n')));
    if (changes.length === 0) return element('p', {}, 'The scenes are the same.');
    return element('div', {class: 'code'}, element('pre', {class: 'changes'}, changes.map(({run, text}) =>
        element('span', {class: `change ${names[run]}`}, `${names[run]}  ${text}\n`))));
}

/** Links the views of two replays: rotating one rotates the other. */
function linkViews(replays) {
    let copying = false;
    replays.forEach((replay, i) => replay.controls.addEventListener('change', () => {
        if (copying) return;
        copying = true;
        replays[1 - i].copyView(replay);
        copying = false;
    }));
    replays[1].copyView(replays[0]);
}

export function showRuns(content, page) {
    const runs = content.runs.map(document => new Run(document));
    const times = Float64Array.from(new Set(runs.flatMap(run => [...run.times]))).sort();
    // events of both runs; their kinds are common to all runs
    const all = {times, rows: times.length, begin: times[0], end: times.at(-1), event_kinds: runs[0].event_kinds,
        events: runs.flatMap(run => run.events).sort(([a], [b]) => a - b)};
    const clock = new Clock(all.begin, all.end), charts = new Charts(all, clock);
    const drawn = runs[0].bodies.length > 0;
    const stages = runs.map(() => element('div', {class: 'stage'}));
    const side = element('section', {class: 'replay', 'aria-label': drawn ? 'replays' : 'time'},
        drawn ? element('div', {class: 'stages'}, runs.map((run, i) => element('figure', {}, element('figcaption', {}, element('b', {}, names[i]), ` ${run.title}`), stages[i]))) : '',
        controls(all, clock));
    const plots = element('section', {class: 'charts pairs', 'aria-label': 'charts'});
    page.classList.add('run', 'runs');
    page.append(
        element('header', {}, element('h1', {}, content.title),
            element('div', {class: 'both'}, runs.map((run, i) => element('section', {'aria-label': `run ${names[i]}`},
                element('h2', {}, `${names[i]}  ${run.title}`), element('pre', {class: 'command'}, run.command), outcome(run))))),
        element('section', {class: 'scenes'}, element('h2', {}, 'What differs in the scenes'), sceneChanges(runs)),
        side, chartsHint(all, charts), plots, ledgerTable(runs),
        ...runs.map((run, i) => {
            const table = impactTable(run);
            table.querySelector?.('h2').append(` of ${names[i]}`);
            return table;
        }),
        element('section', {class: 'redo'}, runs.map((run, i) => [
            element('h2', {}, `The scene of ${names[i]}, as it was run`), codeBox(run.scene, saveLink(run))])),
        element('footer', {}, runs.map((run, i) => element('p', {}, `${names[i]}: ${samplesNote(run)}`)), element('p', {}, `Written by ${runs[0].generated_by}.`)));

    // a common datum: the difference of gravity is then that of heights
    const datum = Math.min(...runs.map(datumOf));
    const found = runs.map(run => new Map([...chartsOf(run, datum)].map(chart => [`${chart.title} ${chart.unit}`, chart])));
    const places = runs.map(run => placesOf(times, run)), keys = [...new Set(found.flatMap(map => [...map.keys()]))];
    const addNext = () => {
        const key = keys.shift();
        if (!key) return false;
        const both = found.map(map => map.get(key)), {title, unit} = both.find(Boolean), row = element('div', {class: 'pair'});
        plots.append(row);
        for (const options of pairOf(places, title, unit, both)) {
            if (options) charts.add(options, row);
        }
        return true;
    };
    const view = {runs, clock, charts, replays: []};
    window.footfall = view;
    clock.seek(all.begin);
    whilePrinting(page, () => {
        while (addNext());
        charts.redraw();
        for (const replay of view.replays) {
            replay.paint();
            replay.draw();
        }
    });
    return new Promise(done => {
        requestAnimationFrame(() => setTimeout(() => {
            view.replays = drawn ? runs.map((run, i) => makeReplay(run, clock, stages[i])).filter(Boolean) : [];
            if (view.replays.length === 2) {
                linkViews(view.replays);
                side.append(...replayOptions(view.replays, clock, content.title));
            }
            const more = () => (addNext() ? setTimeout(more) : done());
            // charts are further down: created after the first frame
            requestAnimationFrame(() => setTimeout(() => {
                performance.mark('seen');
                more();
            }));
        }));
    });
}
