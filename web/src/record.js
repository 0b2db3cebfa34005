// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// Records a video of the replay with the browser's recorder: the run from begin to end at the chosen speed.

import * as colours from './colours.js';
import {element} from './format.js';

const formats = [['video/webm;codecs=vp9', 'webm'], ['video/webm;codecs=vp8', 'webm'], ['video/webm', 'webm'], ['video/mp4', 'mp4']];

/** A format in which this browser can record a canvas; undefined if there is none. */
function findFormat() {
    if (typeof MediaRecorder === 'undefined' || !HTMLCanvasElement.prototype.captureStream) return undefined;
    return formats.find(([type]) => MediaRecorder.isTypeSupported(type));
}

/** A canvas with all replays side by side and the time below them; `paint()` draws their current state. */
function filmOf(replays, timeText) {
    const canvas = document.createElement('canvas'), ratio = devicePixelRatio || 1, line = Math.round(26 * ratio);
    // encoders accept even sizes only
    const even = value => 2 * Math.floor(value / 2);
    const sizes = replays.map(({frame}) => [even(frame.clientWidth * ratio), even(frame.clientHeight * ratio)]);
    canvas.width = sizes.reduce((sum, [width]) => sum + width, 0);
    canvas.height = even(Math.max(...sizes.map(([, height]) => height)) + line);
    const ctx = canvas.getContext('2d');
    const paint = () => {
        let x = 0;
        ctx.fillStyle = colours.css('--surface');
        ctx.fillRect(0, 0, canvas.width, canvas.height);
        replays.forEach((replay, i) => {
            ctx.drawImage(replay.renderer.domElement, x, 0, ...sizes[i]);
            x += sizes[i][0];
        });
        ctx.fillStyle = colours.css('--text');
        ctx.font = `${Math.round(15 * ratio)}px system-ui, sans-serif`;
        ctx.textBaseline = 'middle';
        ctx.fillText(timeText(), 10 * ratio, canvas.height - line / 2);
    };
    return {canvas, paint};
}

/** A button that records the run and saves it; '' if the browser has no recorder. */
export function filmButton(replays, clock, title, timeText) {
    const format = findFormat();
    if (!format) return '';
    const [type, suffix] = format;
    let recorder = null;
    const button = element('button', {type: 'button', class: 'film', title: 'film the replay at the speed that is set, and save it',
        onclick: () => (recorder ? clock.play(false) : film())}, 'video');

    const save = parts => {
        const link = element('a', {href: URL.createObjectURL(new Blob(parts, {type})), download: `${title.replace(/\.ya?ml$/, '')}.${suffix}`});
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    };
    const film = () => {
        const {canvas, paint} = filmOf(replays, timeText), parts = [];
        recorder = new MediaRecorder(canvas.captureStream(30), {mimeType: type, videoBitsPerSecond: 6e6});
        recorder.ondataavailable = event => parts.push(event.data);
        recorder.onstop = () => {
            for (const replay of replays) replay.filmed = false;
            recorder = null;
            button.textContent = 'video';
            save(parts);
        };
        for (const replay of replays) replay.filmed = true;
        button.textContent = 'stop and save';
        clock.play(false);
        clock.seek(clock.begin);
        paint();
        recorder.start();
        // the last frame is held for a moment, so that it is part of the video
        const frame = () => {
            paint();
            if (clock.playing) requestAnimationFrame(frame);
            else setTimeout(() => { paint(); recorder.stop(); }, 200);
        };
        clock.play();
        requestAnimationFrame(frame);
    };
    return button;
}
