// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// Formatting of numbers and units.

const prefixes = [['G', 1e-9], ['M', 1e-6], ['k', 1e-3], ['', 1], ['m', 1e3], ['µ', 1e6], ['n', 1e9], ['p', 1e12], ['f', 1e15]];
const prefixed = new Set(['m', 's', 'N', 'J', 'W', 'N m', 'm/s']);

/** A unit in which the largest value has one to three digits before the point: {unit, factor}. */
export function unitFor(unit, largest) {
    if (!prefixed.has(unit) || !(largest > 0)) return {unit: unit === '1' ? '' : unit, factor: 1};
    for (const [prefix, factor] of prefixes) {
        // prefixes such as km and Ms are not in use
        if (factor < 1 && !['N', 'J', 'W', 'N m'].includes(unit)) continue;
        if (largest * factor >= 0.9995) return {unit: prefix + unit, factor};
    }
    return {unit, factor: 1};
}

/** A number with a limited number of significant digits and a real minus sign; `still`: a constant number of digits,
 * for values that change while displayed. */
export function number(value, digits = 4, still = false) {
    if (value === null || value === undefined || !Number.isFinite(value)) return '–';
    if (value === 0) return '0';
    const size = Math.abs(value);
    const rounded = Number(value.toPrecision(digits));
    let text = size >= 1e5 || size < 1e-3 ? rounded.toExponential() : String(rounded);
    if (still && size < 1e5 && size >= 1e-3) text = value.toPrecision(digits);
    const found = /^(-?[\d.]+)e([+-])(\d+)$/.exec(text);
    if (found) {
        const power = [...found[3]].map(d => '⁰¹²³⁴⁵⁶⁷⁸⁹'[d]).join('');
        text = `${found[1]} × 10${found[2] === '-' ? '⁻' : ''}${power}`;
    }
    return text.replace('-', '−');
}

export const withUnit = (value, unit, digits, still) => `${number(value, digits, still)}${unit ? ` ${unit}` : ''}`;

/** A quantity in a suitable unit. */
export function quantity(value, unit, digits, still) {
    const u = unitFor(unit, Math.abs(value));
    return withUnit(value * u.factor, u.unit, digits, still);
}

export const count = (value, one, many = `${one}s`) => `${value.toLocaleString('en')} ${value === 1 ? one : many}`;

/** An element with attributes and children; texts are inserted as text, never as markup. */
export function element(name, attributes = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
        if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
        else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value === true ? '' : value);
    }
    node.append(...children.flat(2).filter(child => child !== null && child !== undefined && child !== false));
    return node;
}
