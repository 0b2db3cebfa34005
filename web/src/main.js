// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// Entry point: one page for every kind of document that the command embeds.

import 'uplot/dist/uPlot.min.css';
import './style.css';
import {element} from './format.js';
import {showPapers} from './papers_view.js';
import {showRun} from './run_view.js';
import {showRuns} from './runs_view.js';
import {showStudy} from './study_view.js';
import {showSweep} from './sweep_view.js';

const page = document.getElementById('page');
const kinds = {run: showRun, runs: showRuns, papers: showPapers, sweep: showSweep, study: showStudy};

try {
    const text = document.getElementById('document').textContent;
    if (!text.trim()) throw new Error('There is no document in this page: footfall puts one in.');
    const content = JSON.parse(text), show = kinds[content.kind];
    if (!show) throw new Error(`This page cannot show a document of kind '${content.kind}'.`);
    await show(content, page);
    performance.mark('all');
    document.documentElement.dataset.ready = 'all';
} catch (error) {
    page.replaceChildren(element('p', {class: 'wrong', role: 'alert'}, String(error.message)));
    throw error;
}
