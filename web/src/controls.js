// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// Controls: play, pause, scrub, speed, and jumps from event to event.

import {speeds} from './clock.js';
import * as colours from './colours.js';
import {element, unitFor} from './format.js';

const icon = path => {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    const shape = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    svg.setAttribute('viewBox', '0 0 16 16');
    svg.setAttribute('aria-hidden', 'true');
    shape.setAttribute('d', path);
    svg.append(shape);
    return svg;
};
const icons = {
    play: 'M4 2.5v11l9-5.5z',
    pause: 'M4 2.5h3v11H4zM9 2.5h3v11H9z',
    before: 'M3 3h2v10H3zM13 3v10L6 8z',
    after: 'M11 3h2v10h-2zM3 3v10l7-5z',
};

export function controls(run, clock) {
    const {unit, factor} = unitFor('s', run.end - run.begin);
    const digits = Math.max(0, 5 - Math.floor(Math.log10((run.end - run.begin) * factor || 1)) - 1);
    const play = element('button', {type: 'button', class: 'play', onclick: () => clock.play(!clock.playing)});
    const times = [...new Set(run.events.map(([t]) => t))].sort((a, b) => a - b);
    // larger than differences that are displayed as the same time
    const step = (run.end - run.begin) * 1e-7;
    const jump = forward => {
        clock.play(false);
        const t = forward ? times.find(at => at > clock.time + step) : times.findLast(at => at < clock.time - step);
        clock.seek(t ?? (forward ? run.end : run.begin));
    };
    const button = (name, label, forward) => element('button', {type: 'button', title: label, 'aria-label': label,
        onclick: () => jump(forward)}, icon(icons[name]));
    const readout = element('output', {class: 'time'});
    const slider = element('input', {type: 'range', min: 0, max: 10000, step: 1, value: 0, 'aria-label': 'time',
        oninput: () => {
            clock.play(false);
            clock.seek(run.begin + (run.end - run.begin) * slider.value / 10000);
        }});
    const speed = element('select', {'aria-label': 'speed', title: 'speed', onchange: () => { clock.speed = Number(speed.value); }},
        speeds.map(s => element('option', {value: s, selected: s === clock.speed}, s >= 1 ? `${s}×` : `1/${Math.round(1 / s)}×`)));
    const ticks = element('canvas', {class: 'ticks', 'aria-hidden': 'true'});

    const drawTicks = () => {
        const ratio = devicePixelRatio || 1, width = ticks.clientWidth, height = ticks.clientHeight, thumb = 8;
        ticks.width = width * ratio;
        ticks.height = height * ratio;
        const ctx = ticks.getContext('2d');
        ctx.scale(ratio, ratio);
        for (const [t, kind] of run.events) {
            ctx.fillStyle = colours.eventColour(run.event_kinds[kind]);
            ctx.fillRect(thumb + (width - 2 * thumb) * (t - run.begin) / (run.end - run.begin || 1) - 0.5, 0, 1, height);
        }
    };
    new ResizeObserver(drawTicks).observe(ticks);
    colours.onScheme(drawTicks);

    let shown = null;
    clock.listen(() => {
        const text = `${(clock.time * factor).toFixed(digits)} ${unit}`;
        if (readout.textContent !== text) readout.textContent = text;
        slider.value = Math.round(10000 * (clock.time - run.begin) / (run.end - run.begin || 1));
        slider.setAttribute('aria-valuetext', text);
        if (shown !== clock.playing) {
            shown = clock.playing;
            const label = shown ? 'pause' : 'play';
            play.replaceChildren(icon(icons[label]));
            play.title = play.ariaLabel = label;
        }
    });

    // Space plays wherever the focus is; Enter does what space would have done there. Arrow keys move a focused slider
    // or choice.
    const plays = event => event.key === ' ' && !event.target.closest?.('textarea, input[type=text]') &&
        !event.ctrlKey && !event.metaKey && !event.altKey;
    document.addEventListener('keydown', event => {
        if (plays(event)) {
            if (!event.repeat) clock.play(!clock.playing);
        } else if (event.key === 'Enter' && event.target.matches?.('input[type=checkbox]')) {
            event.target.click();
        } else if (event.target.closest?.('input, select') || event.ctrlKey || event.metaKey || event.altKey) {
            return;
        } else if (event.key === 'ArrowRight') {
            jump(true);
        } else if (event.key === 'ArrowLeft') {
            jump(false);
        } else {
            return;
        }
        event.preventDefault();
    });
    // Firefox activates a button when space is released, even if the key press was handled
    document.addEventListener('keyup', event => {
        if (plays(event)) event.preventDefault();
    });

    return element('div', {class: 'controls'},
        times.length > 0 ? button('before', 'event before', false) : '', play,
        times.length > 0 ? button('after', 'next event', true) : '',
        element('div', {class: 'scrub'}, ticks, slider), readout, speed);
}

/** The legend of event ticks, with the number of events of each kind. */
export function eventKey(run) {
    const counts = new Map();
    for (const [, kind] of run.events) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const list = element('ul', {class: 'key'});
    const fill = () => list.replaceChildren(...[...counts].sort(([a], [b]) => a - b).map(([kind, many]) => element('li', {},
        element('span', {class: 'tick', style: `--colour: ${colours.eventColour(run.event_kinds[kind])}`}), `${many} ${run.event_kinds[kind]}`)));
    fill();
    colours.onScheme(fill);
    return list;
}
