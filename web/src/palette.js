// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// Colours of lines and bodies: the palette of Okabe and Ito (2008), which colour-blind people can distinguish, and nine
// more. The sixteen colours differ by at least 0.08 in OKLab (Ottosson 2020; 0.02 is just noticeable) and have a
// contrast of at least 3 to the page (WCAG 2.1, 1.4.11). On dark backgrounds they are lighter.

export const light = {
    surface: '#ffffff',
    lines: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b97f00', '#2e98d6', '#555555', '#7f3fd1',
        '#8f1d1d', '#2c5a12', '#849a00', '#e0188c', '#0d8a9e', '#1c2b8c', '#86533a', '#9488dd'],
    stick: '#009e73',
    slip: '#d55e00',
    // from no force to the largest one
    load: ['#d3dde3', '#6f9fc0', '#d55e00'],
};

export const dark = {
    surface: '#16181a',
    lines: ['#4fa8e0', '#f0803c', '#2fbf95', '#dd93bb', '#e6a817', '#8fd0f5', '#b5b5b5', '#a970ff',
        '#e0484f', '#6fa83c', '#cfe05a', '#ff4fb4', '#12d6d0', '#5b74f5', '#b5835f', '#d3c6ff'],
    stick: '#2fbf95',
    slip: '#f0803c',
    load: ['#4a555d', '#6fa8cc', '#ff8b40'],
};

/** The number of things that can have distinct colours. */
export const distinct = light.lines.length;
