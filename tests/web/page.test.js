// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// Pages in a real browser: they draw, move, can be scrubbed, and complain of nothing.

import assert from 'node:assert/strict';
import {mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import test, {after, before} from 'node:test';
import {bundle, file, findBrowser, footfall, launch, open, pageOf} from './browser.js';

let browser, rolling;

before(async () => {
    assert.ok(findBrowser());
    browser = await launch();
    rolling = pageOf('scenes/rolling.yaml', 'rolling.html');
});
after(() => browser?.close());

/** Draws at a time and tells what is to be seen: a sum over the pixels of the replay, and how many colours it has. */
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

/** For each chart how many of its pixels are neither empty nor grey. */
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

    // the replay moves, and shows a force where there is one
    const start = await look(page, 0), middle = await look(page, 0.1315), end = await look(page, 1);
    assert.ok(start.colours > 20);
    assert.notEqual(start.sum, middle.sum);
    assert.notEqual(middle.sum, end.sum);
    assert.deepEqual([start.arrows, start.cones], [0, 0]);
    assert.deepEqual([middle.arrows, middle.cones], [1, 1]);
    // where footfall says that it is; floats of seven digits
    const said = JSON.parse(footfall('run', 'scenes/rolling.yaml', '--json')).bodies.ball.position;
    end.ball.forEach((value, i) => assert.ok(Math.abs(value - said[i]) < 1e-6, `${end.ball} for ${said}`));

    // the slider is the time
    const slider = page.locator('.scrub input'), box = await slider.boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    assert.ok(Math.abs(await page.evaluate(() => window.footfall.clock.time) - 0.5) < 0.02);
    assert.match(await page.locator('output.time').textContent(), /^0\.[45]\d+ s$/);
    // so is a click into a chart
    const plot = await page.locator('.chart .u-over').first().boundingBox();
    await page.mouse.click(plot.x + 0.25 * plot.width, plot.y + 20);
    assert.ok(Math.abs(await page.evaluate(() => window.footfall.clock.time) - 0.25) < 0.01);
    // from event to event
    await page.getByRole('button', {name: 'next event'}).click();
    assert.ok(Math.abs(await page.evaluate(() => window.footfall.clock.time) - 0.290373581) < 1e-8);
    await page.keyboard.press('Escape');

    // playing goes on, at the speed that is set, and stops
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
    // none of either
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
        // the two anchors of a joint are one point, and a pin is there; floats of seven digits
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
            const sum = of('sum'), residual = run.column('ledger', 0, 'residual');
            let most = 0;
            for (let i = 0; i < run.rows; i++) most = Math.max(most, Math.abs(sum[i] + residual[i] - run.ledger.initial));
            return most / run.ledger.scale;
        });
        // fourteen accounts, each within 5e-7 of its range
        assert.ok(off < 7e-6, `${scene}: ${off}`);
        assert.deepEqual(problems, []);
        await close();
    }
});

test('dark mode', async () => {
    const light = await open(browser, rolling), dark = await open(browser, rolling, {colorScheme: 'dark'});
    const ground = ({page}) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await ground(light), 'rgb(255, 255, 255)');
    assert.equal(await ground(dark), 'rgb(22, 24, 26)');
    assert.notEqual((await look(light.page, 0)).sum, (await look(dark.page, 0)).sum);
    // it changes with the system, charts too
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
    // a path, a comment and a command line that would end the script they are in
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
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 60"><script>window.hurt = 1</script><path d="M0 60L90 0" stroke="#0072b2"/></svg>';
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
    assert.deepEqual(problems, []);
    await page.setViewportSize({width: 360, height: 740});
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than a phone');
    await close();
});

test('20,000 samples and ten contacts: the page stays small', () => {
    const path = pageOf('tests/web/many.yaml', 'many.html');
    assert.ok(statSync(path).size < 5e6, `${statSync(path).size} bytes`);
});
