// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// The page of a run.

import {Charts} from './charts.js';
import {Clock} from './clock.js';
import * as colours from './colours.js';
import {controls, eventKey} from './controls.js';
import {count, element, number, quantity} from './format.js';
import {ledgerCharts} from './ledger.js';
import {impactTable, warningList} from './impacts.js';
import {motionCharts} from './motion.js';
import {distinct} from './palette.js';
import {quantityCharts} from './quantities.js';
import {filmButton} from './record.js';
import {Replay} from './replay.js';
import {Run} from './run.js';

const rowsMost = 500;  // most rows of the table of events

/** The outcome of a run: a line of facts, and any problems. */
export function outcome(run) {
    const {initial, scale, residual} = run.ledger;
    // an inclusion need not define its energy
    const closes = residual === null ? '' : element('span', {}, 'residual ', element('b', {}, quantity(residual, 'J', 3)), ', ',
        element('b', {}, number(Math.abs(residual) / scale, 2)), ' of scale');
    const facts = [
        element('span', {}, element('b', {}, quantity(run.time, 's', 4)), ' simulated'),
        element('span', {}, element('b', {}, run.steps.toLocaleString('en')), ' steps, ', run.method,
            run.events_located ? `, tol ${number(run.tol, 2)}` : ''),
        run.quantities.length ? element('span', {}, count(run.quantities.filter(q => q.folder === 'states').length, 'state')) :
            element('span', {}, count(run.body_count, 'body', 'bodies'), run.joints.length ? `, ${count(run.joints.length, 'joint')}` : '',
            run.contacts.length ? `, ${count(run.contacts.length, 'pair')}` : ''),
        element('span', {}, run.event_count ? count(run.event_count, 'event') : run.events_located ? 'no events' : 'events not located'),
        initial === null ? '' : element('span', {}, 'initial energy ', element('b', {}, quantity(initial, 'J', 4))),
        closes,
    ];
    return [element('p', {class: 'facts'}, facts),
        run.ended ? element('p', {class: 'wrong', role: 'alert'}, `The run did not come to its end: ${
            run.ended.startsWith('--') ? `ended by ${run.ended}` : run.ended} at ${quantity(run.time, 's', 4)}.`) : '',
        run.failed ? element('p', {class: 'wrong', role: 'alert'}, `The run failed: ${run.failed}.`) : '',
        warningList(run)];
}

function header(run) {
    return element('header', {},
        element('h1', {}, run.title),
        run.about.trim() ? element('p', {class: 'about'}, run.about.trim().replace(/\n(?!\n)/g, ' ')) : '',
        outcome(run));
}

/** A note on what the page leaves out. */
export function samplesNote(run) {
    const {offered, rows, bits} = run.samples, notes = [];
    if (run.rows < offered) notes.push(`${rows.toLocaleString('en')} of ${offered.toLocaleString('en')} samples are in this page`);
    else notes.push(`${count(rows, 'sample')}, all of the run`);
    notes.push(`values within ${number(0.5 / 2 ** bits, 1)} of the range of each curve`);
    if (run.bodies.length < run.body_count) notes.push(`${run.bodies.length.toLocaleString('en')} of ${run.body_count.toLocaleString('en')} bodies are drawn`);
    if (run.crowd) notes.push('contacts of a crowd are not recorded one by one: colours tell how hard bodies are pressed');
    if (run.events.length < run.event_count) notes.push(`the first ${run.events.length.toLocaleString('en')} of ${run.event_count.toLocaleString('en')} events are marked`);
    return `${notes.join('; ')}.`;
}

/** A replay in its frame; null if there is no WebGL. */
export function makeReplay(run, clock, stage) {
    try {
        return new Replay(run, clock, stage);
    } catch (error) {
        stage.append(element('p', {class: 'wrong'}, `The replay needs WebGL, which this browser does not give: ${error.message}`));
        return null;
    }
}

/** The options of replays, and a legend. */
export function replayOptions(replays, clock, title) {
    const runs = replays.map(({run}) => run), [first] = replays;
    const box = (name, label) => element('label', {}, element('input', {type: 'checkbox', checked: first.show[name], onchange: event => {
        for (const replay of replays) {
            replay.show[name] = event.target.checked;
            replay.ask();
        }
    }}), label);
    const all = action => () => replays.forEach(action);
    const arrows = runs.some(run => run.contacts.length > 0), cones = runs.some(run => run.contacts.some(({mu}) => mu > 0));
    const pressed = replays.some(replay => replay.pressed), strongest = Math.max(...replays.map(replay => replay.strongest));
    const options = element('div', {class: 'options'},
        arrows || pressed ? box('forces', 'forces') : '', cones ? box('cones', 'cones') : '',
        runs.some(run => run.bodies.length <= distinct) ? box('paths', 'paths') : '', box('follow', 'follow'),
        filmButton(replays, clock, title, () => quantity(clock.time, 's', 4, true)),
        element('span', {class: 'zoom'},
            element('button', {type: 'button', 'aria-label': 'nearer', title: 'nearer', onclick: all(replay => replay.nearer(0.8))}, '+'),
            element('button', {type: 'button', 'aria-label': 'further', title: 'further', onclick: all(replay => replay.nearer(1.25))}, '−'),
            element('button', {type: 'button', onclick: all(replay => replay.aim())}, 'whole scene')));
    const notes = runs.some(run => run.planes.length) ? [`Squares of the ground are ${quantity(first.cell, 'm', 1)} wide.`] : [];
    if (arrows) {
        notes.push(`Arrows are contact forces, as long as the square root of their size; the largest is ${quantity(strongest, 'N', 3)}.`);
    }
    if (pressed) {
        notes.push(`Colours tell the sum of the normal forces on a body, by its square root: from grey (none) over blue to orange (${quantity(strongest, 'N', 3)}).`);
    }
    const key = cones ? element('ul', {class: 'key'}, ['stick', 'slip'].map(mode =>
        element('li', {}, element('span', {class: `dot ${mode}`}), mode === 'stick' ? 'sticks' : 'slips: the arrow lies on its cone'))) : '';
    return [options, key, element('p', {class: 'note'}, notes.join(' '))];
}

function eventTable(run, clock) {
    if (run.events.length === 0) return '';
    const rows = run.events.slice(0, rowsMost).map(([t, kind, contact]) => element('tr', {tabindex: 0,
        onclick: () => clock.seek(t), onkeydown: event => { if (event.key === 'Enter') clock.seek(t); }},
    element('td', {class: 'number'}, t.toFixed(6)), element('td', {}, run.event_kinds[kind]),
    element('td', {}, run.event_owners[contact] ?? '')));
    return element('details', {class: 'events'}, element('summary', {}, `Events (${run.event_count.toLocaleString('en')})`),
        run.event_count > rowsMost ? element('p', {class: 'note'}, `The first ${rowsMost}.`) : '',
        element('div', {class: 'scroll'}, element('table', {},
            element('thead', {}, element('tr', {}, element('th', {class: 'number'}, 'time (s)'), element('th', {}, 'event'), element('th', {}, 'pair'))),
            element('tbody', {}, rows))));
}

function copyButton(text) {
    const button = element('button', {type: 'button', class: 'copy', onclick: async () => {
        try {
            await navigator.clipboard.writeText(text);
            button.textContent = 'copied';
        } catch {
            button.textContent = 'select it by hand';
        }
        setTimeout(() => { button.textContent = 'copy'; }, 1500);
    }}, 'copy');
    return button;
}

/** A text in a box, with a copy button and optional other elements; long lines are wrapped. */
export function codeBox(text, ...more) {
    return element('div', {class: 'code'}, element('pre', {}, text.trimEnd()), copyButton(text), more);
}

export function saveLink(run) {
    const name = run.title.endsWith('.yaml') ? run.title : `${run.title}.yaml`;
    return element('a', {class: 'copy', download: name, href: `data:application/yaml;charset=utf-8,${encodeURIComponent(run.scene)}`}, 'save');
}

function redoPart(run) {
    return element('section', {class: 'redo'},
        element('h2', {}, 'Do it again'), codeBox(run.command),
        element('h2', {}, 'The scene, as it was run'), codeBox(run.scene, saveLink(run)));
}

/** Unfolds everything and uses light colours while a page is printed; `redraw` redraws all charts. */
export function whilePrinting(page, redraw) {
    const paper = printing => {
        colours.setPrinting(printing);
        redraw();
        for (const details of page.querySelectorAll('details')) details.open = printing;
    };
    addEventListener('beforeprint', () => paper(true));
    addEventListener('afterprint', () => paper(false));
}

/** The line above charts: meaning of ticks, how to zoom, and a button that shows the whole run again. */
export function chartsHint(run, charts) {
    const whole = element('button', {type: 'button', class: 'whole', hidden: true, onclick: () => charts.zoom()}, 'whole run');
    charts.zoomListeners.push(all => { whole.hidden = all; });
    return element('div', {class: 'hint'}, eventKey(run),
        element('span', {class: 'note'}, element('span', {class: 'fine'}, 'click: go there; drag: zoom in; space: play'),
            element('span', {class: 'coarse'}, 'touch: go there')), whole);
}

export function showRun(content, page) {
    const run = new Run(content), clock = new Clock(run.begin, run.end), charts = new Charts(run, clock);
    const stage = element('div', {class: 'stage'});
    // an inclusion has no bodies to draw: only charts and a clock
    const drawn = run.bodies.length > 0;
    const replay = element('section', {class: 'replay', 'aria-label': drawn ? 'replay' : 'time'}, drawn ? stage : '', controls(run, clock));
    const plots = element('section', {class: 'charts', 'aria-label': 'charts'});
    page.classList.add('run');
    page.append(header(run),
        element('div', {class: drawn ? 'columns' : 'columns flat'},
            element('div', {class: 'side'}, replay),
            element('div', {class: 'main'}, chartsHint(run, charts), plots, eventTable(run, clock))),
        impactTable(run),
        redoPart(run),
        element('footer', {}, element('p', {}, samplesNote(run)), element('p', {}, `Written by ${run.generated_by}.`)));
    const motion = drawn ? motionCharts(run) : quantityCharts(run);
    for (const options of run.ledger.residual === null ? [] : ledgerCharts(run)) charts.add(options, plots);
    const addNext = () => {
        const {value, done} = motion.next();
        if (!done) charts.add(value, plots);
        return !done;
    };
    addNext();
    clock.seek(run.begin);
    // for tests and for use in the browser's console
    const view = {run, clock, charts, replay: null};
    window.footfall = view;

    whilePrinting(page, () => {
        while (addNext());
        charts.redraw();
        view.replay?.paint();
        view.replay?.draw();
    });

    // starting WebGL may take a second: show the rest of the page first
    return new Promise(done => {
        requestAnimationFrame(() => setTimeout(() => {
            view.replay = drawn ? makeReplay(run, clock, stage) : null;
            if (view.replay) replay.append(...replayOptions([view.replay], clock, run.title));
            const more = () => (addNext() ? setTimeout(more) : done());
            // content further down is created after the first frame
            requestAnimationFrame(() => setTimeout(() => {
                performance.mark('seen');
                more();
            }));
        }));
    });
}
