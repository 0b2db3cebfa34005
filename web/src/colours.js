// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// The colours of the page for the current colour scheme.

import {dark, light} from './palette.js';

// stored energy is blue and green, losses are warm colours, the rest is grey and violet
const accounts = {
    kinetic: '#0072b2', gravity: '#6fbdea', springs: '#00486f', normal_spring: '#009e73', tangential_spring: '#86d2bb',
    dampers: '#8c3d00', normal_damper: '#d55e00', tangential_damper: '#f0a53c', slip: '#cc79a7', viscous: '#8b4a76',
    regrade: '#8a8a8a', created: '#c4b000', release: '#5c5c5c', external: '#6a5acd', constraint: '#b9b9b9',
};

// indices of line colours
const kinds = {touchdown: 0, liftoff: 3, clear: 6, stick: 2, slip: 1, microslip: 7, switch: 4, user: 5,
    'roll-stick': 2, 'roll-slip': 1, 'twist-stick': 2, 'twist-slip': 1, 'reach-limit': 0, 'leave-limit': 3};

let printing = false;
export const setPrinting = value => { printing = value; };

const query = matchMedia('(prefers-color-scheme: dark)');
export const isDark = () => query.matches && !printing;
export const onScheme = listener => query.addEventListener('change', listener);

export const palette = () => (isDark() ? dark : light);
export const line = i => palette().lines[i % palette().lines.length];
export const account = name => accounts[name] ?? '#8a8a8a';
export const eventColour = kind => line(kinds[kind] ?? 6);

/** A colour of the style sheet. */
export const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
