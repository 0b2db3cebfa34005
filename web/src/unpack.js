// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// Reads the format of src/report/pack.c: columns of integers, each stored as its difference from a prediction by the
// previous ones, in Rice codes.

const block = 64, zeros = 31, kBits = 5, onesMost = 20, plainBits = 32;

/** Decodes base64. */
export function bytesOf(text) {
    const binary = atob(text), bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

/** Decodes little-endian doubles from base64. */
export function doublesOf(text) {
    const bytes = bytesOf(text), view = new DataView(bytes.buffer), out = new Float64Array(bytes.length / 8);
    for (let i = 0; i < out.length; i++) out[i] = view.getFloat64(8 * i, true);
    return out;
}

class Bits {
    constructor(bytes) {
        this.bytes = bytes;
        this.at = 0;  // index of the next bit
    }

    take(count) {
        let value = 0;
        while (count > 0) {
            const left = 8 - (this.at & 7), some = Math.min(left, count);
            const part = (this.bytes[this.at >>> 3] >>> (left - some)) & ((1 << some) - 1);
            // not by shifts: these are limited to 32 bits with sign
            value = value * (1 << some) + part;
            this.at += some;
            count -= some;
        }
        return value;
    }

    /** Counts the ones before the next zero and skips that zero; a run of `onesMost` ones has no zero. */
    ones() {
        let count = 0;
        while (count < onesMost && (this.bytes[this.at >>> 3] >>> (7 - (this.at & 7))) & 1) {
            count++;
            this.at++;
        }
        if (count < onesMost) this.at++;
        return count;
    }
}

/** Columns of `rows` values each, as Float32Arrays: value = least + step times an integer. */
export function unpack(bytes, rows, least, step) {
    const bits = new Bits(bytes);
    return least.map((first, c) => {
        const out = new Float32Array(rows).fill(first);
        if (!(step[c] > 0)) return out;
        const order = bits.take(2);
        let a = 0, b = 0, d = 0;  // the previous integers, for the prediction
        for (let from = 0; from < rows; from += block) {
            const k = bits.take(kBits), to = Math.min(from + block, rows);
            for (let i = from; i < to; i++) {
                let surprise = 0;
                if (k !== zeros) {
                    const ones = bits.ones();
                    const folded = ones < onesMost ? ones * 2 ** k + bits.take(k) : bits.take(plainBits);
                    surprise = folded % 2 ? -(folded + 1) / 2 : folded / 2;
                }
                const q = surprise + (order === 0 ? 0 : order === 1 ? a : order === 2 ? 2 * a - b : 3 * a - 3 * b + d);
                d = b;
                b = a;
                a = q;
                out[i] = first + step[c] * q;
            }
        }
        return out;
    });
}
