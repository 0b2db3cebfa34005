// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// Pages in a real browser: they draw, move, can be scrubbed, and log no errors.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import test, {after, before} from 'node:test';
import {bundle, documentOf, file, findBrowser, footfall, launch, open, pageOf, root} from './browser.js';

let browser, rolling;

before(async () => {
    assert.ok(findBrowser());
    browser = await launch();
    rolling = pageOf('scenes/rolling.yaml', 'rolling.html');
});
after(() => browser?.close());

/** Draws at a time and returns what is visible: a sum over the pixels of the replay, and its number of colours. */
const look = (page, time) => page.evaluate(async t => {
    const {clock, replay} = window.footfall;
    clock.seek(t);
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    const gl = replay.renderer.getContext(), pixels = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
    replay.draw();
    gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    const colours = new Set();
    let sum = 0;
    for (let i = 0; i < pixels.length; i += 4) {
        colours.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
        sum = (31 * sum + pixels[i] + 7 * pixels[i + 1] + 13 * pixels[i + 2]) >>> 0;
    }
    return {sum, colours: colours.size, arrows: replay.shafts.count, cones: replay.cones.count,
        ball: [...replay.balls.instanceMatrix.array.slice(12, 15)]};
}, time);

/** For each chart the number of pixels that are neither empty nor grey. */
const painted = page => page.evaluate(() => [...document.querySelectorAll('.chart canvas')].map(canvas => {
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] > 100 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 60) count++;
    }
    return count;
}));

test('an inclusion: charts and a clock, and nothing in space', async () => {
    const {page, problems, close} = await open(browser, pageOf('papers/xiong2013/example1.yaml', 'inclusion.html'));
    const captions = await page.locator('.chart figcaption').allTextContents();
    for (const caption of ['Energy ledger (J)', 'Residual', 'States (m)', 'States (m/s)', 'Gaps', 'Contact forces', 'Slip velocities', 'Friction forces']) {
        assert.ok(captions.some(text => text.startsWith(caption)), `${caption} in ${captions}`);
    }
    assert.equal(await page.locator('.stage').count(), 0);
    assert.match(await page.locator('.facts').textContent(), /9 states/);
    const events = await page.locator('.events tbody tr').first().textContent();
    assert.match(events, /touchdown/);
    await page.evaluate(() => window.footfall.clock.seek(1));
    assert.deepEqual(problems, []);
    await close();
});

test('the rolling sphere: charts, replay, scrubbing, playing', async () => {
    const {page, problems, close} = await open(browser, rolling);
    assert.equal(await page.title(), 'rolling.yaml');
    // ledger, residual, position, velocity, spin, force, slip, depth; the residual is drawn in black
    const pixels = await painted(page);
    assert.equal(pixels.length, 8);
    pixels.forEach((count, i) => assert.ok(count > (i === 0 ? 20000 : i === 1 ? 0 : 200), `chart ${i}: ${count} pixels`));
    const captions = await page.locator('.chart figcaption').allTextContents();
    for (const caption of ['Energy ledger (mJ)', 'Residual (pJ)', 'Position (mm)', 'Velocity (m/s)', 'Contact force (N)']) {
        assert.ok(captions.some(text => text.startsWith(caption)), `${caption} in ${captions}`);
    }

    // the replay moves, and shows a force when there is one
    const start = await look(page, 0), middle = await look(page, 0.1315), end = await look(page, 1);
    assert.ok(start.colours > 20);
    assert.notEqual(start.sum, middle.sum);
    assert.notEqual(middle.sum, end.sum);
    assert.deepEqual([start.arrows, start.cones], [0, 0]);
    assert.deepEqual([middle.arrows, middle.cones], [1, 1]);
    // the position agrees with footfall, to floats of seven digits
    const said = JSON.parse(footfall('run', 'scenes/rolling.yaml', '--json')).bodies.ball.position;
    end.ball.forEach((value, i) => assert.ok(Math.abs(value - said[i]) < 1e-6, `${end.ball} for ${said}`));

    // the slider sets the time
    const slider = page.locator('.scrub input'), box = await slider.boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    assert.ok(Math.abs(await page.evaluate(() => window.footfall.clock.time) - 0.5) < 0.02);
    assert.match(await page.locator('output.time').textContent(), /^0\.[45]\d+ s$/);
    // and so does a click into a chart
    const plot = await page.locator('.chart .u-over').first().boundingBox();
    await page.mouse.click(plot.x + 0.25 * plot.width, plot.y + 20);
    assert.ok(Math.abs(await page.evaluate(() => window.footfall.clock.time) - 0.25) < 0.01);
    // from event to event
    await page.getByRole('button', {name: 'next event'}).click();
    assert.ok(Math.abs(await page.evaluate(() => window.footfall.clock.time) - 0.290373581) < 1e-8);
    await page.keyboard.press('Escape');

    // playback runs at the selected speed, and stops
    await page.getByLabel('speed').selectOption('0.5');
    await page.getByRole('button', {name: 'play'}).click();
    await page.waitForFunction(() => window.footfall.clock.time > 0.35);
    await page.getByRole('button', {name: 'pause'}).click();
    const [one, two] = await page.evaluate(async () => {
        const first = window.footfall.clock.time;
        await new Promise(done => setTimeout(done, 100));
        return [first, window.footfall.clock.time];
    });
    assert.equal(one, two);

    // cursors are linked, and so is the zoom
    await page.mouse.move(plot.x + 0.6 * plot.width, plot.y + 40);
    const at = await page.evaluate(() => window.footfall.charts.all.map(chart => chart.plot.cursor.idx));
    assert.ok(at.every(index => index === at[0] && index > 0), String(at));
    await page.mouse.move(plot.x + 0.2 * plot.width, plot.y + 40);
    await page.mouse.down();
    await page.mouse.move(plot.x + 0.4 * plot.width, plot.y + 45, {steps: 5});
    await page.mouse.up();
    const ranges = await page.evaluate(() => window.footfall.charts.all.map(({plot: {scales: {x}}}) => [x.min, x.max]));
    for (const [min, max] of ranges) assert.ok(Math.abs(min - 0.2) < 0.02 && Math.abs(max - 0.4) < 0.02, String(ranges));
    await page.getByRole('button', {name: 'whole run'}).click();
    assert.deepEqual(await page.evaluate(() => window.footfall.charts.all.map(({plot: {scales: {x}}}) => x.max)), Array(8).fill(1));

    assert.match(await page.locator('.redo pre').first().textContent(), /^footfall run scenes\/rolling.yaml --report /);
    assert.match(await page.locator('.redo pre').nth(1).textContent(), /friction: \{law: clutch/);
    assert.deepEqual(problems, []);
    await close();
});

test('warnings and impacts, as the command tells them, also from a saved trace', async () => {
    writeFileSync(file('soft.yaml'), `parameters: {spare: 3 kg}
bodies:
  a: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}, position: [0, 0, 30 cm], velocity: [0.3, 0, -3]}
  b: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}, position: [0.01, 0, 10 cm]}
ground: {floor: {plane: {normal: [0, 0, 1]}}}
pairs: [{between: ['*', '*'], normal: {law: linear, k: 5e4, lambda: 20}, friction: {law: clutch, k: 5e4, damping: 5, mu: 0.3}}]
run: {until: 0.3}
`);
    const {warnings, impacts} = JSON.parse(footfall('run', file('soft.yaml'), '--json', '-o', file('soft.h5')));
    footfall('report', file('soft.h5'), '-o', file('soft.html'));
    const {page, problems, close} = await open(browser, file('soft.html'));
    assert.ok(warnings.length >= 2);
    assert.deepEqual(await page.locator('.warnings li').allTextContents(), warnings.map(({kind, text}) => kind + text));
    const rows = await page.locator('.impacts tbody tr').evaluateAll(all => all.map(row => [...row.cells].map(cell => cell.textContent)));
    assert.deepEqual(rows.map(([name, count]) => [name, Number(count)]), Object.entries(impacts).map(([name, {count}]) => [name, count]));
    const heads = await page.locator('.impacts th').allTextContents();
    for (const head of ['peak force (N)', 'greatest depth (mm)', 'contact time (ms)', 'restitution', 'slip distance (', 'normal damper (J)']) {
        assert.ok(heads.some(text => text.startsWith(head)), `${head} in ${heads}`);
    }
    const depth = heads.indexOf('greatest depth (mm)'), most = impacts[rows[0][0]].max_depth;
    assert.ok(Math.abs(Number(rows[0][depth]) / (1e3 * most) - 1) < 1e-3, `${rows[0]} for ${most}`);
    assert.deepEqual(problems, []);
    await close();
    // a scene without warnings and impacts shows neither
    const other = await open(browser, pageOf('scenes/pendulum.yaml', 'quiet.html', '--until', '0.1'));
    assert.equal(await other.page.locator('.warnings, .impacts').count(), 0);
    await other.close();
});

test('the biped and other mechanisms: joints are drawn where they hold', async () => {
    for (const [scene, charts, pins, words] of [['biped', ['Joint angles', 'Joint positions'], 2, ['--until', '0.9']], ['fourbar', ['Joint angles', 'Joint forces'], 4, []]]) {
        const {page, problems, close} = await open(browser, pageOf(`scenes/${scene}.yaml`, `${scene}.html`, ...words));
        const captions = (await page.locator('.chart figcaption').allTextContents()).join('; ');
        for (const chart of charts) assert.ok(captions.includes(chart), `${chart} in ${captions}`);
        const pixels = await painted(page);
        // the residual is drawn in black
        pixels.forEach((count, i) => assert.ok(i === 1 || count > 200, `${scene}, chart ${i}: ${count} pixels`));
        const start = await look(page, 0), later = await look(page, 0.37);
        assert.notEqual(start.sum, later.sum);
        // the two anchors of a joint coincide, and a pin is drawn there; floats of seven digits
        const off = await page.evaluate(() => {
            const {run, replay} = window.footfall;
            let most = 0;
            for (const row of [0, run.rows >> 1, run.rows - 1]) {
                for (const {joint_kind: kind, body, anchor, other, other_anchor: second} of run.joints) {
                    if (kind !== 'revolute') continue;
                    const a = run.point(body, anchor, {row, part: 0}), b = run.point(other, second, {row, part: 0});
                    most = Math.max(most, Math.hypot(...a.map((value, i) => value - b[i])));
                }
            }
            return {most, pins: replay.pins.count};
        });
        assert.ok(off.most < 1e-5, `${scene}: ${off.most}`);
        assert.equal(off.pins, pins);
        // scrubbing by hand moves it
        const slider = await page.locator('.scrub input').boundingBox(), before = await look(page, 0);
        await page.mouse.click(slider.x + 0.7 * slider.width, slider.y + slider.height / 2);
        const time = await page.evaluate(() => window.footfall.clock.time);
        assert.ok(time > 0.2);
        assert.notEqual((await look(page, time)).sum, before.sum);
        assert.deepEqual(problems, []);
        await close();
    }
});

test('the ledger closes: the stack reaches initial less the residual', async () => {
    for (const [scene, words] of [['scenes/rolling.yaml', []], ['scenes/slope.yaml', []], ['scenes/foot.yaml', []]]) {
        const {page, problems, close} = await open(browser, pageOf(scene, 'ledger.html', ...words));
        const off = await page.evaluate(() => {
            const {run, charts} = window.footfall, {lines} = charts.all[0];
            const of = label => lines.filter(line => line.label === label).at(-1).values;
            const sum = of('sum'), initial = of('initial'), residual = run.column('ledger', 0, 'residual');
            let most = 0;
            for (let i = 0; i < run.rows; i++) most = Math.max(most, Math.abs(sum[i] + residual[i] - initial[i]));
            return most / run.ledger.scale;
        });
        // fourteen accounts, each within 5e-7 of its range
        assert.ok(off < 7e-6, `${scene}: ${off}`);
        assert.deepEqual(problems, []);
        await close();
    }
});

test('gravity is counted from its lowest value: a scene on a hill shows its losses as one in a valley', async () => {
    const ranges = [];
    for (const height of [0, 100]) {
        const {page, close} = await open(browser, pageOf('scenes/rolling.yaml', 'hill.html',
            '--set', `bodies.ball.position=[0, 0, ${height + 0.1}]`, '--set', `ground.floor.plane.point=[0, 0, ${height}]`));
        ranges.push(await page.evaluate(() => {
            const {run, charts: {all: [ledger]}} = window.footfall, gravity = ledger.stack.entries.find(({label}) => label === 'gravity').values;
            const {initial} = run.ledger, lowest = Math.min(...run.column('ledger', 0, 'gravity'));
            return {least: Math.min(...gravity), top: ledger.plot.scales.y.max / ledger.scale.factor, shown: ledger.lines.at(-1).values[0], initial: initial - lowest};
        }));
        await close();
    }
    const [valley, hill] = ranges;
    assert.deepEqual([valley.least, hill.least], [0, 0]);
    // 151 J of potential energy at 100 m, in steps of 2^-20 of the range of gravity, as floats
    for (const {shown, initial} of ranges) assert.ok(Math.abs(shown - initial) < 2e-5, `${shown} for ${initial}`);
    assert.ok(Math.abs(hill.top / valley.top - 1) < 1e-3, `${hill.top} J and ${valley.top} J`);
});

test('space plays wherever the focus is', async () => {
    const {page, problems, close} = await open(browser, rolling);
    const playing = () => page.evaluate(() => window.footfall.clock.playing);
    const shown = () => page.evaluate(() => ({...window.footfall.replay.show}));
    await page.getByLabel('speed').selectOption('0.01');
    const before = await shown();
    for (const focus of ['.play', '.controls button', '.scrub input', '.controls select', '.options input', '.zoom button', '.legend button', 'summary', '.events tr[tabindex]', '.copy']) {
        if (focus.startsWith('.events')) await page.locator('summary').click();
        await page.locator(focus).first().focus();
        assert.equal(await playing(), false, focus);
        await page.keyboard.press(' ');
        assert.equal(await playing(), true, `space plays: ${focus}`);
        await page.keyboard.press(' ');
        assert.equal(await playing(), false, `space stops: ${focus}`);
        assert.equal(await page.locator(focus).first().evaluate(node => node === document.activeElement), true, focus);
    }
    // nothing else changed: no box was ticked, nothing was unfolded
    assert.deepEqual(await shown(), before);
    // Enter does the same as space
    await page.locator('.options input').first().focus();
    await page.keyboard.press('Enter');
    assert.equal((await shown()).forces, !before.forces);
    await page.locator('.scrub input').focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await playing(), false);
    assert.deepEqual(problems, []);
    await close();
});

test('what is followed is in the middle', async () => {
    const {page, problems, close} = await open(browser, rolling);
    const middle = time => page.evaluate(t => {
        const {clock, replay, run} = window.footfall;
        clock.seek(t);
        replay.draw();
        replay.camera.updateMatrixWorld();
        const {x, y} = replay.centre({row: 0, part: 0}).set(...['x', 'y', 'z'].map(name => run.value(run.column('bodies', 0, name), t))).project(replay.camera);
        return {off: Math.hypot(x, y), distance: replay.camera.position.distanceTo(replay.controls.target)};
    }, time);
    const {off, distance: far} = await middle(0.05);
    assert.ok(off > 0.1, 'the whole scene is seen at first');
    await page.getByLabel('follow').check();
    for (const time of [0.05, 0.5, 1]) {
        const {off: by, distance} = await middle(time);
        assert.ok(by < 1e-5 && Math.abs(distance / far - 1) < 1e-9, `at ${time} s: ${by}, ${distance} m away for ${far} m`);
    }
    // also after the view was rotated
    const box = await page.locator('.stage').boundingBox();
    await page.mouse.move(box.x + 100, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y + 120, {steps: 4});
    await page.mouse.up();
    assert.ok((await middle(0.7)).off < 1e-5);
    assert.deepEqual(problems, []);
    await close();
});

test('sixteen bodies have sixteen colours, and lines the same', async () => {
    const bodies = Array.from({length: 16}, (_, i) => `  b${i}: {mass: 1 kg, shape: {sphere: {radius: 5 cm}}, position: [${0.2 * i}, 0, ${0.3 + 0.01 * i}]}`).join('\n');
    writeFileSync(file('sixteen.yaml'), `bodies:\n${bodies}\nrun: {until: 0.1}\n`);
    for (const colorScheme of ['light', 'dark']) {
        const {page, problems, close} = await open(browser, pageOf(file('sixteen.yaml'), 'sixteen.html'), {colorScheme});
        const seen = await page.evaluate(() => {
            const {replay, charts} = window.footfall, rgb = replay.balls.instanceColor.array;
            const height = charts.all.find(chart => chart.figure.textContent.startsWith('Height'));
            return {balls: Array.from({length: 16}, (_, i) => rgb.slice(3 * i, 3 * i + 3).join()), lines: height.lines.map((_, i) => height.colour(i))};
        });
        assert.equal(new Set(seen.balls).size, 16);
        assert.equal(new Set(seen.lines).size, 16);
        assert.deepEqual(problems, []);
        await close();
    }
});

test('long lines of a scene are wrapped, and numbers are as written', async () => {
    writeFileSync(file('long.yaml'), readFileSync(new URL('../../scenes/bounce.yaml', import.meta.url), 'utf8')
        .replace('pairs:', `parameters: {${Array.from({length: 60}, (_, i) => `spare_number_${i}: 0.${i + 1}`).join(', ')}}\npairs:`));
    const path = pageOf(file('long.yaml'), 'long.html', '--until', '0.3', '--tol', '0.00003', '--set', 'pairs[0].normal.lambda=0.7');
    for (const viewport of [{width: 1440, height: 900}, {width: 390, height: 844}]) {
        const {page, problems, close} = await open(browser, path, {viewport});
        for (const box of await page.locator('.redo pre').all()) {
            const {wide, room, text} = await box.evaluate(node => ({wide: node.scrollWidth, room: node.clientWidth, text: node.textContent}));
            assert.ok(wide <= room, `${wide} of ${room} pixels: ${text.slice(0, 40)}`);
        }
        const scene = await page.locator('.redo pre').nth(1).textContent();
        assert.match(scene, /run: \{until: 0\.3, method: auto, tol: 3e-5, dt: 0\.0001, /);
        assert.match(scene, /lambda: 0\.7\}/);
        assert.deepEqual(problems, []);
        await close();
    }
});

test('prismatic joints: a block on a rail along the axis', async () => {
    const {page, problems, close} = await open(browser, pageOf('scenes/hopper.yaml', 'rails.html', '--until', '1'));
    const captions = (await page.locator('.chart figcaption').allTextContents()).join('; ');
    for (const caption of ['Joint positions', 'Joint efforts (N)', 'Joint power (W)', 'Joint forces']) assert.ok(captions.includes(caption), `${caption} in ${captions}`);
    const seen = await page.evaluate(() => [0, 0.3, 0.8].map(t => {
        const {clock, replay, run} = window.footfall;
        clock.seek(t);
        replay.draw();
        const blocks = [...replay.sliders.instanceMatrix.array], links = [...replay.links.instanceMatrix.array], {count} = replay.links;
        return {sliders: replay.sliders.count, pins: replay.pins.count, joints: run.joints.map(({other, other_anchor: anchor}, i) => {
            const at = run.times.findLastIndex(time => time <= t), there = run.point(other, anchor, {row: at, part: (t - run.times[at]) / ((run.times[at + 1] ?? t) - run.times[at] || 1)});
            // rails are the last links: their direction is the second column of the matrix
            const rail = links.slice(16 * (count - 2 + i), 16 * (count - 1 + i));
            return {off: Math.hypot(...there.map((value, k) => value - blocks[16 * i + 12 + k])), along: rail.slice(4, 7), from: rail.slice(12, 15)};
        })};
    }));
    for (const {sliders, pins, joints} of seen) {
        assert.deepEqual([sliders, pins], [2, 0]);
        for (const {off, along: [x, y, z], from} of joints) {
            assert.ok(off < 1e-5, `the block is ${off} m from its anchor`);
            // the hopper hops on a vertical line
            assert.ok(Math.hypot(x, y) < 1e-5 && Math.abs(z) > 0.2 && Math.hypot(from[0], from[1]) < 1e-5, `${[x, y, z]}`);
        }
    }
    assert.deepEqual(problems, []);
    await close();
});

test('joint torques and their power', async () => {
    const {page, problems, close} = await open(browser, pageOf('scenes/quadruped_trot.yaml', 'trot.html', '--until', '0.1'));
    const lines = await page.evaluate(() => window.footfall.charts.all.filter(({figure}) => /^Joint (torques|power)/.test(figure.textContent))
        .map(({figure, lines: all}) => [figure.querySelector('figcaption').textContent, all.length, all.every(({values}) => values.some(value => value !== 0))]));
    assert.deepEqual(lines.map(([, count, moves]) => [count, moves]), [[12, true], [12, true]]);
    assert.match(lines[0][0], /^Joint torques \(N m\)/);
    assert.match(lines[1][0], /^Joint power \(W\)/);
    assert.deepEqual(problems, []);
    await close();
});

test('two runs side by side, and their difference', async () => {
    for (const [mu, name] of [[0.2, 'rough'], [0.05, 'smooth']]) {
        footfall('run', 'scenes/rolling.yaml', '--set', `pairs[0].friction.mu=${mu}`, '--until', name === 'rough' ? '0.5' : '0.4', '-o', file(`${name}.h5`));
    }
    footfall('report', file('rough.h5'), file('smooth.h5'), '-o', file('two.html'));
    const {page, problems, close} = await open(browser, file('two.html'));
    assert.equal(await page.locator('.stage canvas').count(), 2);
    assert.match(await page.locator('.changes').textContent(), /^A .*mu: 0\.2, .*\nA {2}run: \{until: 0\.5, .*\nB .*mu: 0\.05, .*\nB {2}run: \{until: 0\.4, /);
    const seen = await page.evaluate(() => {
        const {runs, charts, clock} = window.footfall, chart = start => charts.all.find(({figure}) => figure.querySelector('figcaption').textContent.startsWith(start));
        const end = 0.4, at = charts.run.times.indexOf(end), [a, b] = runs.map(run => run.value(run.column('bodies', 0, 'x'), end));
        const line = (which, label) => which.lines.find(one => one.label === label).values;
        return {charts: charts.all.length, dashes: chart('Position').lines.map(({label, dash}) => [label, Boolean(dash)]), clock: clock.end,
            of: [a, b], shown: [line(chart('Position'), 'A x')[at], line(chart('Position'), 'B x')[at], line(chart('Position: difference'), 'x')[at]],
            after: [line(chart('Position'), 'B x').at(-1), line(chart('Position: difference'), 'x').at(-1)]};
    });
    assert.deepEqual(seen.dashes, [['A x', false], ['B x', true], ['A y', false], ['B y', true], ['A z', false], ['B z', true]]);
    assert.equal(seen.clock, 0.5);
    assert.ok(seen.of[1] - seen.of[0] > 0.001, 'less friction goes farther');
    [seen.of[0], seen.of[1], seen.of[1] - seen.of[0]].forEach((value, i) => assert.ok(Math.abs(value - seen.shown[i]) < 1e-9, `${seen.shown} for ${seen.of}`));
    // the shorter run has no values beyond its end
    assert.deepEqual(seen.after, [null, null]);
    // before the first contact both are the same, whatever their rows
    const flight = await page.evaluate(() => {
        const {charts} = window.footfall, {lines} = charts.all.find(({figure}) => figure.querySelector('figcaption').textContent.startsWith('Position: difference'));
        return Math.max(...lines.flatMap(({values}) => [...values].filter((_, i) => charts.run.times[i] < 0.13).map(Math.abs)));
    });
    // resolution of a page: 2^-20 of 0.2 m
    assert.ok(flight < 1e-6, `${flight} m`);
    // including gravity, which is counted from the same height in both
    const weights = await page.evaluate(() => {
        const {charts} = window.footfall, {lines} = charts.all.find(({figure}) => figure.textContent.startsWith('Energy accounts: difference'));
        return lines.find(({label}) => label === 'gravity').values[0];
    });
    assert.ok(Math.abs(weights) < 2e-7, `${weights} J`);
    // one clock, one view
    const sums = () => page.evaluate(() => window.footfall.replays.map(replay => {
        replay.draw();
        return [...replay.balls.instanceMatrix.array.slice(12, 15), ...replay.camera.position.toArray()].map(value => Math.fround(value));
    }));
    await page.evaluate(() => window.footfall.clock.seek(0.4));
    const [a, b] = await sums();
    assert.ok(Math.abs(a[0] - seen.of[0]) < 1e-5 && Math.abs(b[0] - seen.of[1]) < 1e-5);
    assert.deepEqual(a.slice(3), b.slice(3));
    const box = await page.locator('.stage').nth(1).boundingBox();
    await page.mouse.move(box.x + 100, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y + 120, {steps: 4});
    await page.mouse.up();
    const [c, d] = await sums();
    assert.notDeepEqual(c.slice(3), a.slice(3));
    c.slice(3).forEach((value, i) => assert.ok(Math.abs(value - d[3 + i]) < 1e-6, `${c} and ${d}`));
    // the final ledger of both
    const rows = await page.locator('.accounts tbody tr').evaluateAll(all => all.map(row => [...row.cells].map(cell => cell.textContent)));
    assert.ok(rows.some(([name]) => name === 'slip') && rows.at(-1)[0] === 'initial');
    assert.match(rows.at(-1)[3], /^0 /);
    assert.deepEqual(problems, []);
    await page.setViewportSize({width: 390, height: 844});
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than a phone');
    await close();

    // the same run twice, and two runs with nothing in common
    footfall('report', file('rough.h5'), file('rough.h5'), '-o', file('same.html'));
    const same = await open(browser, file('same.html'));
    assert.match(await same.page.locator('.scenes').textContent(), /The scenes are the same/);
    assert.equal(await same.page.evaluate(() => Math.max(...window.footfall.charts.all.filter(({figure}) => figure.textContent.includes('B − A'))
        .flatMap(({lines}) => lines.map(({values}) => Math.max(...values.map(Math.abs)))))), 0);
    assert.deepEqual(same.problems, []);
    await same.close();
    footfall('run', 'scenes/pendulum.yaml', '--until', '0.2', '-o', file('pendulum.h5'));
    footfall('report', file('rough.h5'), file('pendulum.h5'), '-o', file('mixed.html'));
    const mixed = await open(browser, file('mixed.html'));
    assert.match(await mixed.page.locator('.charts').textContent(), /only of A/);
    assert.match(await mixed.page.locator('.charts').textContent(), /only of B/);
    assert.deepEqual(mixed.problems, []);
    await mixed.close();
    // inclusions: charts only
    footfall('run', 'papers/xiong2013/example1.yaml', '--until', '0.3', '-o', file('inclusion.h5'));
    footfall('report', file('inclusion.h5'), file('inclusion.h5'), '-o', file('inclusions.html'));
    const inclusions = await open(browser, file('inclusions.html'));
    assert.equal(await inclusions.page.locator('.stage').count(), 0);
    assert.match(await inclusions.page.locator('.charts').textContent(), /States: difference/);
    assert.deepEqual(inclusions.problems, []);
    await inclusions.close();
});

test('a video of the replay, by the browser itself', async () => {
    const {page, problems, close} = await open(browser, pageOf('scenes/rolling.yaml', 'filmed.html', '--until', '0.2'), {viewport: {width: 800, height: 600}});
    await page.evaluate(() => { window.footfall.clock.speed = 0.2; });
    const download = page.waitForEvent('download');
    await page.getByRole('button', {name: 'video'}).click();
    assert.equal(await page.locator('.film').textContent(), 'stop and save');
    const made = await download;
    assert.equal(made.suggestedFilename(), 'rolling.webm');
    await made.saveAs(file('rolling.webm'));
    const bytes = readFileSync(file('rolling.webm'));
    // EBML, with WebM as its kind
    assert.equal(bytes.subarray(0, 4).toString('hex'), '1a45dfa3');
    assert.ok(bytes.subarray(0, 64).includes('webm') && bytes.length > 5000, `${bytes.length} bytes`);
    assert.equal(await page.evaluate(() => window.footfall.clock.time), 0.2);
    assert.equal(await page.locator('.film').textContent(), 'video');
    // it plays, and its beginning differs from later frames
    const played = await page.evaluate(async data => {
        const video = document.createElement('video');
        video.muted = true;
        video.src = `data:video/webm;base64,${data}`;
        await new Promise((done, fail) => {
            video.onloadeddata = done;
            video.onerror = () => fail(video.error);
        });
        const canvas = document.createElement('canvas');
        canvas.width = video.videoWidth;
        canvas.height = video.videoHeight;
        const ctx = canvas.getContext('2d', {willReadFrequently: true});
        const look = () => {
            ctx.drawImage(video, 0, 0);
            const {data: pixels} = ctx.getImageData(0, 0, canvas.width, canvas.height);
            return pixels.reduce((sum, value, i) => (31 * sum + value * (i % 4 < 3)) >>> 0, 0);
        };
        const first = look();
        await video.play();
        await new Promise(done => { video.onended = done; });
        return {size: [video.videoWidth, video.videoHeight], seconds: video.currentTime, moves: look() !== first};
    }, bytes.toString('base64'));
    assert.ok(played.moves);
    // at a fifth of the speed, 0.2 s take one second, and longer on a busy machine
    assert.ok(played.seconds > 0.7, `${played.seconds} s`);
    assert.ok(played.size.every(value => value % 2 === 0 && value > 200), String(played.size));
    assert.deepEqual(problems, []);
    await close();
});

test('dark mode', async () => {
    const light = await open(browser, rolling), dark = await open(browser, rolling, {colorScheme: 'dark'});
    const ground = ({page}) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await ground(light), 'rgb(255, 255, 255)');
    assert.equal(await ground(dark), 'rgb(22, 24, 26)');
    assert.notEqual((await look(light.page, 0)).sum, (await look(dark.page, 0)).sum);
    // it follows the colour scheme of the system, including charts
    const before = await painted(light.page);
    await light.page.emulateMedia({colorScheme: 'dark'});
    assert.equal(await ground(light), 'rgb(22, 24, 26)');
    assert.equal((await look(light.page, 0)).sum, (await look(dark.page, 0)).sum);
    assert.equal((await painted(light.page)).length, before.length);
    assert.deepEqual([...light.problems, ...dark.problems], []);
    await light.close();
    await dark.close();
});

test('a phone', async () => {
    const {page, problems, close} = await open(browser, rolling, {viewport: {width: 360, height: 740}, deviceScaleFactor: 2, isMobile: true, hasTouch: true});
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than the screen');
    for (const at of [0, 1]) {
        await page.evaluate(part => scrollTo(0, part * document.body.scrollHeight), at);
        const {y, height} = await page.locator('.controls').boundingBox();
        assert.ok(y > 0 && y + height <= 740, 'the controls are in reach');
    }
    for (const button of await page.locator('.controls button').all()) {
        const {width, height} = await button.boundingBox();
        assert.ok(width >= 40 && height >= 40, 'a finger finds them');
    }
    const plot = page.locator('.chart .u-over').first();
    await plot.scrollIntoViewIfNeeded();
    const {x, y, width} = await plot.boundingBox();
    await page.touchscreen.tap(x + 0.5 * width, y + 60);
    assert.ok(Math.abs(await page.evaluate(() => window.footfall.clock.time) - 0.5) < 0.02);
    assert.deepEqual(problems, []);
    await close();
});

test('on paper', async () => {
    const {page, problems, close} = await open(browser, rolling, {colorScheme: 'dark'});
    const pdf = await page.pdf({format: 'A4', printBackground: true});
    assert.ok(pdf.subarray(0, 5).toString() === '%PDF-' && pdf.length > 30000);
    await page.emulateMedia({media: 'print'});
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
    assert.equal(await page.locator('.controls').isVisible(), false);
    assert.deepEqual(problems, []);
    await close();
});

test('texts are texts', async () => {
    // a path, a comment and a command line that would end their script element
    const folder = file('a<'), scene = `${folder}/script><script>hurt=1<!--.yaml`;
    mkdirSync(folder, {recursive: true});
    writeFileSync(scene, `# </script><script>window.hurt = 1</script> <!-- <b>bold</b> &lt;\n${readFileSync(new URL('../../scenes/bounce.yaml', import.meta.url), 'utf8')}`);
    const {page, problems, close} = await open(browser, pageOf(scene, 'texts.html'));
    assert.equal(await page.title(), 'script><script>hurt=1<!--.yaml');
    assert.match(await page.locator('.about').textContent(), /<\/script><script>window.hurt = 1<\/script> <!-- <b>bold<\/b> &lt;/);
    assert.equal(await page.evaluate(() => window.hurt), undefined);
    assert.equal(await page.locator('.chart').count() > 4, true);
    assert.deepEqual(problems, []);
    await close();
});

test('boxes, points, springs, moving ground and many bodies are drawn', async () => {
    const {page, problems, close} = await open(browser, pageOf('tests/web/shapes.yaml', 'shapes.html'));
    const seen = await page.evaluate(() => {
        const {replay} = window.footfall;
        return {balls: replay.balls.count, blocks: replay.blocks.count, grounds: replay.grounds.length, links: replay.links.count};
    });
    assert.deepEqual(seen, {balls: 3, blocks: 1, grounds: 2, links: 3});
    const ground = time => page.evaluate(t => {
        const {clock, replay} = window.footfall;
        clock.seek(t);
        replay.draw();
        return replay.grounds.map(({mesh}) => [mesh.position.x, mesh.material.map.offset.x]);
    }, time);
    const [[, skin], [lift]] = await ground(0), [[, later], [lifted]] = await ground(0.5);
    assert.notEqual(skin, later);
    assert.ok(Math.abs(lifted - lift - 0.1) < 1e-12);
    assert.notEqual((await look(page, 0)).sum, (await look(page, 0.4)).sum);
    assert.deepEqual(problems, []);
    await close();

    const crowd = await open(browser, pageOf('scenes/grains.yaml', 'grains.html'));
    assert.notEqual((await look(crowd.page, 0)).sum, (await look(crowd.page, 0.2)).sum);
    assert.match(await crowd.page.locator('footer').textContent(), /contacts of a crowd are not recorded one by one/);
    // the colour of bodies shows their load: none at the start, some at the end, none if forces are off
    const tones = time => crowd.page.evaluate(t => {
        const {clock, replay} = window.footfall;
        clock.seek(t);
        replay.draw();
        const rgb = replay.balls.instanceColor.array;
        return new Set(Array.from({length: replay.balls.count}, (_, i) => rgb.slice(3 * i, 3 * i + 3).join())).size;
    }, time);
    assert.equal(await tones(0), 1);
    assert.ok(await tones(0.4) > 10);
    await crowd.page.getByLabel('forces').uncheck();
    assert.equal(await tones(0.4), 1);
    const force = await crowd.page.evaluate(() => window.footfall.charts.all.find(({figure}) => figure.textContent.startsWith('Normal force on a body (N)'))
        .lines.map(({label, values}) => [label, Math.max(...values)]));
    assert.deepEqual(force.map(([label]) => label), ['greatest', 'mean']);
    assert.ok(force[0][1] > force[1][1] && force[1][1] > 0);
    assert.deepEqual(crowd.problems, []);
    await crowd.close();
});

test('a run that did not come to its end says so', async () => {
    try {
        pageOf('scenes/rolling.yaml', 'short.html', '--max-steps', '200');
        assert.fail('exit 1 is due');
    } catch (error) {
        assert.equal(error.status, 1);
    }
    const {page, problems, close} = await open(browser, file('short.html'));
    assert.match(await page.getByRole('alert').textContent(), /did not come to its end: ended by --max-steps at 0\.\d+ s|at \d+\.?\d* ms/);
    assert.deepEqual(problems, []);
    await close();
});

test('without WebGL there are charts, and a sentence', async () => {
    const plain = await launch(['--disable-3d-apis']);
    try {
        const {page, close} = await open(plain, rolling);
        assert.match(await page.locator('.stage').textContent(), /needs WebGL/);
        const pixels = await painted(page);
        assert.ok(pixels.length === 8 && pixels[0] > 20000);
        await close();
    } finally {
        await plain.close();
    }
});

test('papers: figures and checks', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 60"><script>window.hurt = 1</script><path d="M0 60L90 0" stroke-width="9" stroke="#0072b2"/></svg>';
    const check = {paper: 'azad2010', where: 'fig. 9', quantity: 'restitution', value: 0.62, expected: '0.62', tolerance: 0.005, why: 'two digits are printed', status: 'pass', note: ''};
    writeFileSync(file('papers.html'), bundle({
        kind: 'papers', title: 'Five papers', generated_by: 'footfall 0', papers: [
            {name: 'azad2010', title: 'Azad and Featherstone 2010', figures: [
                {id: 'Fig. 9', caption: 'Restitution against speed', illustrative: false, svg, csv: 'azad2010/fig9.csv'},
                {id: 'Fig. 10', caption: '</script> & more', illustrative: true, svg, csv: 'azad2010/fig10.csv'}],
            checks: [check, {...check, status: 'fail', quantity: 'depth'}, {...check, status: 'not-reproduced', note: 'we see 0.7'}]},
            {name: 'xiong2013', title: 'Xiong, Kikuuwe and Yamamoto 2013', figures: [], checks: [check]}]}));
    const {page, problems, close} = await open(browser, file('papers.html'));
    assert.equal(await page.locator('.figure img').count(), 2);
    assert.ok(await page.evaluate(() => [...document.images].every(image => image.complete && image.naturalWidth > 0)));
    assert.equal(await page.evaluate(() => window.hurt), undefined);
    assert.equal(await page.locator('tr[data-status]').count(), 4);
    await page.getByRole('button', {name: '1 not reproduced'}).click();
    assert.equal(await page.locator('tr[data-status]:visible').count(), 1);
    assert.match(await page.locator('tr[data-status]:visible').textContent(), /we see 0\.7/);
    assert.equal(await page.locator('.figure a').first().getAttribute('href'), 'azad2010/fig9.csv');
    // text is legible: 900 units of a figure are at least 600 pixels, also if it scrolls
    const widths = () => page.locator('.figure img').evaluateAll(all => all.map(image => image.clientWidth));
    assert.ok((await widths()).every(width => width >= 600), String(await widths()));
    // on a dark background the line is as light as its contrast requires, and follows the scheme
    const lightness = () => page.evaluate(async () => {
        const [image] = document.images, canvas = document.createElement('canvas');
        await image.decode();
        canvas.width = 90;
        canvas.height = 60;
        const ctx = canvas.getContext('2d');
        ctx.drawImage(image, 0, 0, 90, 60);
        const {data} = ctx.getImageData(45, 30, 1, 1);
        return data[0] + data[1] + data[2];
    });
    const bright = await lightness();
    await page.emulateMedia({colorScheme: 'dark'});
    // pictures are redrawn after the page was notified
    let dark = await lightness();
    for (let i = 0; i < 100 && dark <= bright + 30; i++) {
        await page.waitForTimeout(50);
        dark = await lightness();
    }
    assert.ok(dark > bright + 30, `${dark} for ${bright}`);
    assert.equal(await page.locator('.figure .picture').first().evaluate(node => getComputedStyle(node).backgroundColor), 'rgb(22, 24, 26)');
    assert.deepEqual(problems, []);
    await page.setViewportSize({width: 360, height: 740});
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than a phone');
    assert.ok((await widths()).every(width => width >= 600), String(await widths()));
    await close();
});

/** Number of coloured pixels in the picture of a sweep; read from a copy marked for frequent reading. */
const colourful = page => page.locator('.sweep-plot canvas').evaluate(canvas => {
    const copy = Object.assign(document.createElement('canvas'), {width: canvas.width, height: canvas.height});
    const context = copy.getContext('2d', {willReadFrequently: true});
    context.drawImage(canvas, 0, 0);
    const {data} = context.getImageData(0, 0, copy.width, copy.height);
    let many = 0;
    for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] > 100 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 40) many++;
    }
    return many;
});

test('a sweep: chart, sliders, heat map, histogram, two runs', async () => {
    const path = file('sweep.html');
    const out = footfall('sweep', 'scenes/rolling.yaml', '--vary', 'pairs[0].friction.mu=0.05:0.5:10', '--vary', 'pairs[0].normal.k=1e6:1e7:3log',
        '--vary', 'bodies.ball.velocity[0]=0.2,0.5', '--keep', 'slip=end(ledger.slip)', '--keep', 'end(bodies.ball.velocity[0])', '--set', 'run.until=0.3 s',
        '--json', '--report', path);
    const rows = JSON.parse(out).rows.map(row => row.values);
    const {page, problems, close} = await open(browser, path);
    assert.match(await page.locator('.facts').textContent(), /60 runs.*3 parameters/);
    assert.equal(await page.locator('.legend li').count(), 3);
    assert.ok(await colourful(page) > 2000);
    // the page assigns each run its row of the table: 10 values of mu, 3 of k, 2 of the velocity, the last varying
    // fastest
    const told = await page.evaluate(() => {
        const {sweep: view} = window.footfall, {sweep} = view;
        return sweep.rows(new Map([[sweep.grid[2], 1]]), new Set([sweep.grid[0], sweep.grid[1]])).map(row => sweep.columns.map(column => sweep.value(row, column)));
    });
    assert.deepEqual(told, rows.filter(row => row[2] === 0.5));
    // the slider shows other runs
    const before = await page.evaluate(() => window.footfall.sweep.picture.spots.map(spot => spot.row));
    await page.locator('.slider input').fill('1');
    assert.match(await page.locator('.slider').textContent(), /velocity\[0\] = 0.5 m\/s/);
    const after = await page.evaluate(() => window.footfall.sweep.picture.spots.map(spot => spot.row));
    assert.deepEqual(after, before.map(row => row + 1));
    // a click selects run A, with Shift run B; the table shows both and their difference
    for (const [at, shift] of [[0, []], [29, ['Shift']]]) {
        const {row, x, y} = await page.evaluate(i => window.footfall.sweep.picture.spots[i], at);
        await page.locator('.sweep-plot canvas').click({position: {x, y}, modifiers: shift});
        assert.equal(await page.evaluate(which => window.footfall.sweep[which], shift.length ? 'B' : 'A'), row);
    }
    const cells = await page.locator('.changes tbody tr').first().locator('td').allTextContents();
    assert.deepEqual(cells.slice(0, 4), ['pairs[0].friction.mu', '0.05', '0.5', '0.45']);
    const commands = (await page.locator('.changes pre').textContent()).split('\n');
    assert.match(commands[0], /^footfall run scenes\/rolling.yaml --set 'run.until=0.3 s' --set 'pairs\[0\].friction.mu=0.05' .* -o A.h5$/);
    assert.match(commands[1], /^footfall run scenes\/rolling.yaml .* -o B.h5$/);
    assert.equal(commands[2], 'footfall report A.h5 B.h5 -o AB.html');
    // without Shift, as with a finger
    await page.locator('select[name=next]').selectOption('B');
    const {row: third, ...spot} = await page.evaluate(() => window.footfall.sweep.picture.spots[3]);
    await page.locator('.sweep-plot canvas').click({position: {x: spot.x, y: spot.y}});
    assert.equal(await page.evaluate(() => window.footfall.sweep.B), third);
    // every cell of the heat map is painted
    await page.locator('select[name=kind]').selectOption({label: 'heat map'});
    assert.equal(await page.evaluate(() => window.footfall.sweep.picture.spots.length), 30);
    assert.ok(await colourful(page) > 100000);
    await page.locator('select[name=kind]').selectOption({label: 'histogram'});
    assert.match(await page.locator('.legend').textContent(), /mean .* 60 runs/);
    assert.ok(await colourful(page) > 2000);
    assert.deepEqual(problems, []);
    await close();
});

test('a sweep of samples, words, and runs that fail', async () => {
    const path = file('samples.html');
    assert.throws(() => footfall('sweep', 'scenes/rolling.yaml', '--vary', 'pairs[0].friction.mu=uniform(0.1, 0.5)', '--vary',
        'run.method=auto,dopri5,euler', '--samples', '20', '--keep', 'end(ledger.slip)', '--set', 'run.until=0.1 s', '--set', 'run.dt=9 s', '--report', path));
    const {page, problems, close} = await open(browser, path);
    assert.match(await page.locator('.facts').textContent(), /60 runs.*20 samples.*20 failed/);
    assert.equal(await page.locator('details tbody tr').count(), 20);
    assert.ok(await colourful(page) > 100);
    assert.match(await page.locator('.legend').textContent(), /auto.*dopri5/);
    await page.locator('select[name=against]').selectOption({label: 'run.method'});
    await page.locator('select[name=kind]').selectOption({label: 'histogram'});
    assert.match(await page.locator('.slider').textContent(), /run.method = auto/);
    assert.match(await page.locator('.legend').textContent(), /20 runs/);
    assert.deepEqual(problems, []);
    await close();
});

/** Runs the commands that the page shows for its runs A and B, which end with a page of both, and returns the results of the runs. */
async function repeat(page) {
    const commands = await page.locator('.changes pre').textContent();
    const out = execFileSync('sh', ['-e', '-c', `footfall() { [ "$1" = run ] && set -- "$@" --json; "$FOOTFALL" "$@"; }\n${commands}`],
        {cwd: file(''), encoding: 'utf8', stdio: 'pipe'});
    assert.deepEqual(documentOf(file('AB.html')).runs.map(({title}) => title), ['rolling.yaml', 'rolling.yaml']);
    return out.trim().split(/\n(?=\{)/).map(text => JSON.parse(text));
}

test('a study: figures, claims, its tables with sliders and two runs', async () => {
    const path = file('study.html'), rolling = join(root, 'scenes/rolling.yaml');
    writeFileSync(file('study.yaml'), `title: Slip of a ball
tables:
  slip:
    run: ${rolling}
    set: {run.until: 0.2 s}
    vary: {"pairs[0].friction.mu": "0.05:0.5:4", "bodies.ball.velocity[0]": "0.2,0.5,1", "pairs[0].normal.k": "1e6,1e7"}
    keep: {slip: end(ledger.slip), speed: "end(bodies.ball.velocity[0])"}
  impacts:
    impact: {law: hunt-crossley, k: 1e6, mass: 1 kg}
    vary: {lambda: "1e4:1e6:15log", speed: "0.1:1:15log"}
  stopped:
    run: ${rolling}
    vary: {"pairs[0].friction.mu": "0.05:0.5:4"}
    stop: liftoff
    keep: {slip: end(ledger.slip)}
  course:
    trace: ${rolling}
    set: {run.until: 0.2 s}
    vary: {"pairs[0].friction.mu": [0.1, 0.2]}
    columns: {z: "bodies.ball.position[2]"}
figures:
  - {id: map, title: Restitution, caption: of one law, curves: [{table: impacts, x: lambda, y: speed, z: restitution, style: heat}]}
  - {id: height, title: Height, chosen: mu was chosen, curves: [{table: course, x: t, y: z}]}
claims:
  - {figure: map, where: impacts, quantity: damping loses energy, value: max(impacts.restitution), at_most: 1, why: no impact gains any}
  - {figure: height, where: course, quantity: wrong on purpose, unit: m, value: start(course.z), near: 7}
`);
    // a claim that fails is exit status 1, and the page is written
    assert.throws(() => footfall('sweep', file('study.yaml'), '--report', path), error => error.status === 1 && /1 of 2 claims do not hold/.test(error.stderr));
    const {page, problems, close} = await open(browser, path);
    assert.equal(await page.locator('h1').textContent(), 'Slip of a ball');
    // a trace is no grid that could be explored
    assert.match(await page.locator('header .facts').textContent(), /2 claims.*1 pass.*1 fail.*2 figures.*3 tables/);
    assert.deepEqual(await page.locator('table.checks tbody tr').evaluateAll(rows => rows.map(row => row.dataset.status)), ['pass', 'fail']);
    assert.match(await page.locator('table.checks tbody tr').first().textContent(), /damping loses energy.*at most 1.*no impact gains any/);
    assert.deepEqual(await page.locator('.figure figcaption').allTextContents(), ['map Restitution. of one law', 'heightillustrative Height. mu was chosen']);
    const widths = await page.locator('.figure img').evaluateAll(images => Promise.all(images.map(async image => { await image.decode(); return image.naturalWidth; })));
    assert.ok(widths.length === 2 && widths.every(width => width > 100), String(widths));
    // the first table: two parameters in the chart, a slider for the third
    const facts = () => page.locator('main > .facts').textContent();
    assert.match(await facts(), /24 runs.*3 parameters/);
    assert.ok(await colourful(page) > 500);
    const before = await page.evaluate(() => window.footfall.sweep.picture.spots.map(spot => spot.row));
    await page.locator('.slider input').fill('1');
    assert.deepEqual(await page.evaluate(() => window.footfall.sweep.picture.spots.map(spot => spot.row)), before.map(row => row + 1));
    // the first run is A, and a click with Shift selects B
    const {row, x, y} = await page.evaluate(() => window.footfall.sweep.picture.spots[5]);
    await page.locator('.sweep-plot canvas').click({position: {x, y}, modifiers: ['Shift']});
    assert.equal(await page.evaluate(() => window.footfall.sweep.B), row);
    const [name, a, b, difference] = await page.locator('.changes tbody tr').nth(2).locator('td').allTextContents();
    assert.deepEqual([name, a, b, difference], ['pairs[0].normal.k', '1 × 10⁶', '1 × 10⁷', '9 × 10⁶']);
    // the commands repeat both runs and compare them on the page of two runs
    const repeated = await repeat(page), kept = await page.evaluate(() => {
        const {sweep, A, B} = window.footfall.sweep, slip = sweep.kept.find(column => column.name === 'slip');
        return [A, B].map(at => sweep.value(at, slip));
    });
    // the sweep ran in lanes, whose errors differ from those of a run: at tol 1e-9 both are some 1e-9 of the energy, 0.2 J
    repeated.forEach(({time, ledger}, i) => assert.ok(time === 0.2 && Math.abs(ledger.slip - kept[i]) < 1e-8, `${ledger.slip} ${kept[i]}`));
    // runs that an event ends: the commands go on, and the page says so
    await page.locator('select[name=table]').selectOption('stopped');
    assert.match(await page.locator('.changes .note').textContent(), /do not end at liftoff, as here/);
    assert.equal((await repeat(page))[0].time, 1);
    // impacts are not runs of a file; their table is a heat map, each cell of which is one
    await page.locator('select[name=table]').selectOption('impacts');
    assert.equal(await page.locator('.changes pre').count(), 0);
    assert.match(await page.locator('.changes thead').textContent(), /A: run 1B: run 225B − A/);
    assert.match(await facts(), /225 runs.*2 parameters/);
    assert.equal(await page.evaluate(() => window.footfall.sweep.kind), 'heat');
    assert.equal(await page.evaluate(() => window.footfall.sweep.picture.spots.length), 225);
    assert.ok(await colourful(page) > 100000);
    assert.deepEqual(problems, []);
    await close();
});

test('20,000 samples and ten contacts: the page stays small', () => {
    const path = pageOf('tests/web/many.yaml', 'many.html');
    assert.ok(statSync(path).size < 5e6, `${statSync(path).size} bytes`);
});
