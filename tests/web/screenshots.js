// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// node screenshots.js FOLDER: the pictures of pages in the README and the docs, including the replays of all scenes.

import {execFileSync} from 'node:child_process';
import {copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {launch, open, pageOf, root} from './browser.js';

const shots = [
    {name: 'report.png', scene: 'scenes/rolling.yaml', time: 0.1313, options: {viewport: {width: 1280, height: 800}}},
    {name: 'report-phone.png', scene: 'scenes/funnel.yaml', time: 0.16, options: {viewport: {width: 390, height: 844}, colorScheme: 'dark', isMobile: true, hasTouch: true}},
];

const browser = await launch();

/** A picture of a page, optionally at a time of its clock, after `prepare` has clicked. */
async function shoot(path, name, time, options, prepare) {
    const {page, problems, close} = await open(browser, path, options);
    if (time !== undefined) await page.evaluate(t => window.footfall.clock.seek(t), time);
    await prepare?.(page);
    // when paused it is drawn in full quality
    await page.waitForTimeout(2500);
    await page.screenshot({path: join(process.argv[2], name)});
    console.log(`wrote ${join(process.argv[2], name)}`);
    if (problems.length > 0) throw new Error(problems.join('\n'));
    await close();
}

for (const {name, scene, time, options} of shots) await shoot(pageOf(scene, name.replace('.png', '.html')), name, time, options);

// two runs side by side, by commands without local paths
const folder = mkdtempSync(join(tmpdir(), 'footfall-pictures-')), call = (...words) => execFileSync(process.env.FOOTFALL, words, {cwd: folder, stdio: 'ignore'});
copyFileSync(join(root, 'scenes/rolling.yaml'), join(folder, 'rolling.yaml'));
for (const mu of ['0.2', '0.05']) call('run', 'rolling.yaml', '--set', `pairs[0].friction.mu=${mu}`, '-o', `mu-${mu}.h5`);
call('report', 'mu-0.2.h5', 'mu-0.05.h5', '-o', 'compare.html');
await shoot(join(folder, 'compare.html'), 'compare.png', 0.1313, {viewport: {width: 1280, height: 1200}});

// a sweep: a heat map over two parameters, and a slider for the third
call('sweep', 'rolling.yaml', '--vary', 'pairs[0].friction.mu=0.02:0.4:39', '--vary', 'bodies.ball.velocity[0]=0.1:1:19', '--vary', 'pairs[0].normal.k=1e6:1e7:3log',
    '--keep', 'slip=end(ledger.slip)', '--keep', 'speed=end(bodies.ball.velocity[0])', '--report', 'sweep.html');
await shoot(join(folder, 'sweep.html'), 'sweep.png', undefined, {viewport: {width: 1280, height: 960}}, async page => {
    await page.locator('select[name=kind]').selectOption({label: 'heat map'});
    for (const [at, modifiers] of [[200, []], [600, ['Shift']]]) {
        const {x, y, w, h} = await page.evaluate(i => window.footfall.sweep.picture.spots[i], at);
        await page.locator('.sweep-plot canvas').click({position: {x: x + w/2, y: y + h/2}, modifiers});
    }
});

// a study: its figures
copyFileSync(join(root, 'studies/restitution_map/study.yaml'), join(folder, 'study.yaml'));
call('sweep', 'study.yaml', '--report', 'study.html');
await shoot(join(folder, 'study.html'), 'study.png', undefined, {viewport: {width: 1280, height: 960}});

// the gallery: the replay of each scene, at half its duration or at a better time (s), and from closer
// if the bodies are small in the whole scene
const moments = {bounce: 0.1453, drop: 0.9, dominoes: 0.55, funnel: 0.2, grains: 0.35, rolling: 0.1313, xiong1: 0.35};
const nearer = {biped: 0.45, double_pendulum: 0.7, fourbar: 0.5, hopper: 0.7, pendulum: 0.4, quadruped: 0.6, quadruped_stand: 0.6, quadruped_trot: 0.6, top: 0.35};
mkdirSync(join(process.argv[2], 'gallery'), {recursive: true});
for (const name of readdirSync(join(root, 'scenes')).map(file => file.replace('.yaml', '')).sort()) {
    const {page, problems, close} = await open(browser, pageOf(`scenes/${name}.yaml`, `${name}.html`), {viewport: {width: 1280, height: 800}});
    await page.evaluate(([t, part]) => {
        window.footfall.clock.seek(t ?? window.footfall.clock.end/2);
        window.footfall.replay.nearer(part ?? 1);
    }, [moments[name], nearer[name]]);
    await page.waitForTimeout(2500);
    await page.locator('.stage').screenshot({path: join(process.argv[2], 'gallery', `${name}.jpg`), type: 'jpeg', quality: 85});
    console.log(`wrote ${join(process.argv[2], 'gallery', `${name}.jpg`)}`);
    if (problems.length > 0) throw new Error(problems.join('\n'));
    await close();
}

// the index page of the papers
call('papers', '-o', 'papers');
await shoot(join(folder, 'papers/index.html'), 'papers.png', undefined, {viewport: {width: 1280, height: 1000}});
rmSync(folder, {recursive: true});
await browser.close();
