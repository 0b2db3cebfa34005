// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// node screenshots.js FOLDER: the pictures of pages that the README and the docs show.

import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {launch, open, pageOf} from './browser.js';

const shots = [
    {name: 'report.png', scene: 'scenes/rolling.yaml', time: 0.1313, options: {viewport: {width: 1280, height: 800}}},
    {name: 'report-phone.png', scene: 'scenes/funnel.yaml', time: 0.16, options: {viewport: {width: 390, height: 844}, colorScheme: 'dark', isMobile: true, hasTouch: true}},
];

const browser = await launch();
for (const {name, scene, time, options} of shots) {
    const {page, problems, close} = await open(browser, pageOf(scene, name.replace('.png', '.html')), options);
    await page.evaluate(t => window.footfall.clock.seek(t), time);
    // at rest it is drawn fine
    await page.waitForTimeout(2500);
    await page.screenshot({path: join(process.argv[2], name)});
    console.log(`wrote ${join(process.argv[2], name)}`);
    if (problems.length > 0) throw new Error(problems.join('\n'));
    await close();
}

// the index page of the papers
const folder = mkdtempSync(join(tmpdir(), 'footfall-papers-'));
execFileSync(process.env.FOOTFALL, ['papers', '-o', folder], {stdio: 'ignore'});
const {page, problems, close} = await open(browser, join(folder, 'index.html'), {viewport: {width: 1280, height: 1000}});
await page.waitForTimeout(1000);
await page.screenshot({path: join(process.argv[2], 'papers.png')});
console.log(`wrote ${join(process.argv[2], 'papers.png')}`);
if (problems.length > 0) throw new Error(problems.join('\n'));
await close();
rmSync(folder, {recursive: true});
await browser.close();
