// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// Shared by the tests of pages: the browser, and pages made by the command. FOOTFALL is its path.

import {execFileSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The browser of the system, undefined if there is none. */
export function findBrowser() {
    const named = process.env.CHROMIUM, folders = (process.env.PATH ?? '').split(':');
    const names = ['chromium', 'chromium-browser', 'google-chrome'];
    return named || folders.flatMap(folder => names.map(name => join(folder, name))).find(path => existsSync(path));
}

/** WebGL on the CPU: test machines have no graphics card. */
export async function launch(words = []) {
    const {chromium} = createRequire(join(root, 'web/package.json'))('playwright-core');
    return chromium.launch({
        executablePath: findBrowser(),
        args: ['--no-sandbox', '--enable-unsafe-swiftshader', ...words],
    });
}

const folder = mkdtempSync(join(tmpdir(), 'footfall-web-'));
process.on('exit', () => rmSync(folder, {recursive: true, force: true}));
export const file = name => join(folder, name);

export function footfall(...words) {
    return execFileSync(process.env.FOOTFALL, words, {cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});
}

/** Runs a scene and returns the path of its page. */
export function pageOf(scene, name, ...words) {
    footfall('run', scene, '--report', file(name), ...words);
    return file(name);
}

const place = '<script type="application/json" id="document">';

/** The content of a page. */
export function documentOf(path) {
    const text = readFileSync(path, 'utf8'), from = text.indexOf(place) + place.length;
    return JSON.parse(text.slice(from, text.indexOf('</script>', from)));
}

/** A page of a given document, in the bundle of another page. */
export function bundle(content) {
    const text = readFileSync(pageOf('scenes/bounce.yaml', 'bundle.html', '--until', '1 ms'), 'utf8'), from = text.indexOf(place) + place.length;
    return text.slice(0, from) + JSON.stringify(content).replaceAll('<', '\\u003c') + text.slice(text.indexOf('</script>', from));
}

/** Opens a page; `problems` receives all console errors, and every request outside the file. */
export async function open(browser, path, options = {}) {
    const context = await browser.newContext({viewport: {width: 1360, height: 900}, ...options});
    const page = await context.newPage(), problems = [];
    page.on('console', message => {
        if (['error', 'warning'].includes(message.type()) && !/GPU stall due to ReadPixels/.test(message.text())) problems.push(message.text());
    });
    page.on('pageerror', error => problems.push(String(error)));
    page.on('request', request => {
        if (!/^(data|blob):/.test(request.url()) && request.url() !== `file://${path}`) problems.push(`asks for ${request.url()}`);
    });
    await page.goto(`file://${path}`);
    await page.waitForSelector('html[data-ready=all]');
    // the first frame has been drawn
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    return {page, problems, close: () => context.close()};
}
