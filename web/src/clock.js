// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// The clock shared by charts and replay.

export const speeds = [5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001];

export class Clock {
    constructor(begin, end) {
        this.begin = begin;
        this.end = end;
        this.time = begin;
        this.playing = false;
        this.listeners = [];
        // default: a whole run takes about ten seconds
        const wanted = (end - begin) / 10;
        this.speed = speeds.reduce((best, s) =>
            (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best), 1);
    }

    listen(listener) {
        this.listeners.push(listener);
    }

    tell() {
        for (const listener of this.listeners) listener(this);
    }

    seek(time) {
        this.time = Math.min(Math.max(time, this.begin), this.end);
        this.tell();
    }

    play(playing = true) {
        if (playing === this.playing) return;
        this.playing = playing;
        if (playing && this.time >= this.end) this.time = this.begin;
        let last = null;
        const tick = now => {
            if (!this.playing) return;
            if (last !== null) this.time += this.speed * (now - last) / 1000;
            last = now;
            if (this.time >= this.end) {
                this.time = this.end;
                this.playing = false;
            }
            this.tell();
            requestAnimationFrame(tick);
        };
        if (playing) requestAnimationFrame(tick);
        this.tell();
    }
}
