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
import {quantityCharts} from './quantities.js';
import {Replay} from './replay.js';
import {Run} from './run.js';

const rowsMost = 500;  // of the table of events

function header(run) {
    const {initial, scale, residual} = run.ledger;
    // an inclusion need not say what its energy is
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
    return element('header', {},
        element('h1', {}, run.title),
        run.about.trim() ? element('p', {class: 'about'}, run.about.trim().replace(/\n(?!\n)/g, ' ')) : '',
        element('p', {class: 'facts'}, facts),
        run.ended ? element('p', {class: 'wrong', role: 'alert'}, `The run did not come to its end: ${
            run.ended.startsWith('--') ? `ended by ${run.ended}` : run.ended} at ${quantity(run.time, 's', 4)}.`) : '',
        run.failed ? element('p', {class: 'wrong', role: 'alert'}, `The run failed: ${run.failed}.`) : '',
        warningList(run));
}

/** What the page leaves out, so that nobody takes it for all there is. */
function samplesNote(run) {
    const {offered, rows, bits} = run.samples, notes = [];
    if (run.rows < offered) notes.push(`${rows.toLocaleString('en')} of ${offered.toLocaleString('en')} samples are in this page`);
    else notes.push(`${count(rows, 'sample')}, all of the run`);
    notes.push(`values within ${number(0.5 / 2 ** bits, 1)} of the range of each curve`);
    if (run.bodies.length < run.body_count) notes.push(`${run.bodies.length.toLocaleString('en')} of ${run.body_count.toLocaleString('en')} bodies are drawn`);
    if (run.crowd) notes.push('contacts of a crowd are not recorded one by one: there are no force arrows');
    if (run.events.length < run.event_count) notes.push(`the first ${run.events.length.toLocaleString('en')} of ${run.event_count.toLocaleString('en')} events are marked`);
    return `${notes.join('; ')}.`;
}

/** The replay in its frame, with what can be switched; null where there is no WebGL. */
function fillReplay(run, clock, stage, part) {
    let replay = null;
    try {
        replay = new Replay(run, clock, stage);
    } catch (error) {
        stage.append(element('p', {class: 'wrong'}, `The replay needs WebGL, which this browser does not give: ${error.message}`));
        return null;
    }
    const box = (name, label) => element('label', {}, element('input', {type: 'checkbox', checked: replay.show[name], onchange: event => {
        replay.show[name] = event.target.checked;
        replay.ask();
    }}), label);
    const forces = run.contacts.length > 0, cones = run.contacts.some(({mu}) => mu > 0);
    part.append(element('div', {class: 'options'},
        forces ? box('forces', 'forces') : '', cones ? box('cones', 'friction cones') : '',
        run.bodies.length <= 12 ? box('paths', 'paths') : '', box('follow', 'follow'),
        element('span', {class: 'zoom'},
            element('button', {type: 'button', 'aria-label': 'nearer', title: 'nearer', onclick: () => replay.nearer(0.8)}, '+'),
            element('button', {type: 'button', 'aria-label': 'further', title: 'further', onclick: () => replay.nearer(1.25)}, '−'),
            element('button', {type: 'button', onclick: () => replay.aim()}, 'whole scene'))));
    const notes = run.planes.length ? [`Squares of the ground are ${quantity(replay.cell, 'm', 1)} wide.`] : [];
    if (forces) {
        notes.push(`Arrows are contact forces, as long as the square root of their size; the largest is ${quantity(replay.strongest, 'N', 3)}.`);
    }
    const key = cones ? element('ul', {class: 'key'}, ['stick', 'slip'].map(mode =>
        element('li', {}, element('span', {class: `dot ${mode}`}), mode === 'stick' ? 'sticks' : 'slips: the arrow lies on its cone'))) : '';
    part.append(key, element('p', {class: 'note'}, notes.join(' ')));
    return replay;
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

function redoPart(run) {
    const name = run.title.endsWith('.yaml') ? run.title : `${run.title}.yaml`;
    const save = element('a', {class: 'copy', download: name, href: `data:application/yaml;charset=utf-8,${encodeURIComponent(run.scene)}`}, 'save');
    return element('section', {class: 'redo'},
        element('h2', {}, 'Do it again'),
        element('div', {class: 'code'}, element('pre', {}, run.command), copyButton(run.command)),
        element('h2', {}, 'The scene, as it was run'),
        element('div', {class: 'code'}, element('pre', {}, run.scene.trimEnd()), copyButton(run.scene), save));
}

export function showRun(content, page) {
    const run = new Run(content), clock = new Clock(run.begin, run.end), charts = new Charts(run, clock);
    const stage = element('div', {class: 'stage'});
    // an inclusion has nothing to draw in space: charts and a clock
    const drawn = run.bodies.length > 0;
    const replay = element('section', {class: 'replay', 'aria-label': drawn ? 'replay' : 'time'}, drawn ? stage : '', controls(run, clock));
    const whole = element('button', {type: 'button', class: 'whole', hidden: true, onclick: () => charts.zoom()}, 'whole run');
    charts.zoomListeners.push(all => { whole.hidden = all; });
    const plots = element('section', {class: 'charts', 'aria-label': 'charts'});
    page.classList.add('run');
    page.append(header(run),
        element('div', {class: drawn ? 'columns' : 'columns flat'},
            element('div', {class: 'side'}, replay),
            element('div', {class: 'main'},
                element('div', {class: 'hint'}, eventKey(run),
                    element('span', {class: 'note'}, element('span', {class: 'fine'}, 'click: go there; drag: zoom in'),
                        element('span', {class: 'coarse'}, 'touch: go there')), whole),
                plots, eventTable(run, clock))),
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
    // for tests and for the curious
    const view = {run, clock, charts, replay: null};
    window.footfall = view;

    // paper is white, and shows what is folded
    const paper = printing => {
        colours.setPrinting(printing);
        while (addNext());
        charts.redraw();
        view.replay?.paint();
        view.replay?.draw();
        for (const details of page.querySelectorAll('details')) details.open = printing;
    };
    addEventListener('beforeprint', () => paper(true));
    addEventListener('afterprint', () => paper(false));

    // a browser may take a second to begin with three dimensions: by then there is something to look at
    return new Promise(done => {
        requestAnimationFrame(() => setTimeout(() => {
            view.replay = drawn ? fillReplay(run, clock, stage, replay) : null;
            const more = () => (addNext() ? setTimeout(more) : done());
            // what is below comes after the first frame
            requestAnimationFrame(() => setTimeout(() => {
                performance.mark('seen');
                more();
            }));
        }));
    });
}
