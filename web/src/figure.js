// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// Converts figures drawn in black and colours on white to dark backgrounds.

import {dark} from './palette.js';

const linear = value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);

/** Relative luminance of a colour of three numbers from 0 to 255 (WCAG 2.1). */
const luminance = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);

/** The three components of a colour such as #0072b2. */
export const parts = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));

/** Contrast of two colours, from 1 to 21 (WCAG 2.1). */
export function contrast(a, b) {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
}

/** A colour of a figure on a dark background: white becomes the background, black becomes light, greys lie in
 * between, and other colours are lightened until their contrast is 4.5. */
function onDark(colour) {
    const ground = parts(dark.surface);
    if (Math.max(...colour) - Math.min(...colour) < 12) return colour.map((value, i) => Math.round(231 + (ground[i] - 231) * value / 255));
    for (let white = 0; white < 1; white += 0.05) {
        const lighter = colour.map(value => Math.round(value + (255 - value) * white));
        if (contrast(lighter, ground) >= 4.5) return lighter;
    }
    return [255, 255, 255];
}

/** The text of an SVG for dark backgrounds: replaces hexadecimal colours, black and white. */
export function darkFigure(svg) {
    const put = colour => `rgb(${onDark(colour).join(',')})`;
    return svg
        .replace(/rgb\(\s*(\d+),\s*(\d+),\s*(\d+)\)/g, (_, ...rgb) => put(rgb.slice(0, 3).map(Number)))
        .replace(/(['"])(#[0-9a-f]{6})\1/gi, (_, quote, hex) => `${quote}${put(parts(hex))}${quote}`)
        .replace(/(['"])(black|white)\1/g, (_, quote, name) => `${quote}${put(name === 'black' ? [0, 0, 0] : [255, 255, 255])}${quote}`);
}
