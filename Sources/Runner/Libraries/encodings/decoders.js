// The decoders of the standard. A decoder takes a byte, or -1 at the end, and puts code points; it returns the bytes
// to be decoded again, or nothing.
import { ranges } from "./tables.js";

const isIn = (byte, low, high) => byte >= low && byte <= high;

export function singleByte(characters, { isWindows, isMac }, charCode) {
    return (out) => (byte) => {
        if (byte < 0) return;
        if (byte < 0x80) return void out.put(byte);
        const unit = charCode(characters, byte - 0x80);
        if (unit !== 0xfffd) out.put(unit);
        else if (isMac && byte === 0xf0) out.put(0xf8ff);
        else if (isWindows && byte < 0xa0) out.put(byte);
        else out.fail();
    };
}

export const userDefined = (out) => (byte) => { if (byte >= 0) out.put(byte < 0x80 ? byte : 0xf700 + byte); };

export const utf16 = (isBig) => (out) => {
    let lead = -1, high = -1;
    return (byte) => {
        if (byte < 0) {
            if (lead >= 0 || high >= 0) out.fail();
            lead = high = -1;
            return;
        }
        if (lead < 0) {
            lead = byte;
            return;
        }
        const unit = isBig ? lead << 8 | byte : byte << 8 | lead;
        lead = -1;
        if (high >= 0) {
            const first = high;
            high = -1;
            if (isIn(unit, 0xdc00, 0xdfff)) return void out.put(0x10000 + ((first - 0xd800) << 10) + unit - 0xdc00);
            out.fail();
            return isBig ? [unit >> 8, unit & 255] : [unit & 255, unit >> 8];
        }
        if (isIn(unit, 0xd800, 0xdbff)) high = unit;
        else if (isIn(unit, 0xdc00, 0xdfff)) out.fail();
        else out.put(unit);
    };
};

function rangePoint(pointer) {
    if ((pointer > 39419 && pointer < 189000) || pointer > 1237575) return 0;
    if (pointer === 7457) return 0xe7c7;
    if (pointer >= 189000) return 0x10000 + pointer - 189000;
    let index = 0;
    while (index + 1 < ranges.gbChars.length && ranges.gbChars[index + 1] <= pointer) index++;
    return ranges.uChars[index] + pointer - ranges.gbChars[index];
}

export const gb18030 = (table) => (out) => {
    let first = 0, second = 0, third = 0;
    return (byte) => {
        if (byte < 0) {
            if (first !== 0) out.fail();
            first = second = third = 0;
            return;
        }
        if (third !== 0) {
            const bytes = [second, third, byte];
            const pointer = (first - 0x81) * 12600 + (second - 0x30) * 1260 + (third - 0x81) * 10 + byte - 0x30;
            first = second = third = 0;
            if (!isIn(byte, 0x30, 0x39)) {
                out.fail();
                return bytes;
            }
            const point = rangePoint(pointer);
            return void (point === 0 ? out.fail() : out.put(point));
        }
        if (second !== 0) {
            if (isIn(byte, 0x81, 0xfe)) {
                third = byte;
                return;
            }
            const bytes = [second, byte];
            first = second = 0;
            out.fail();
            return bytes;
        }
        if (first !== 0) {
            if (isIn(byte, 0x30, 0x39)) {
                second = byte;
                return;
            }
            const lead = first;
            first = 0;
            return pair(out, table, lead, byte, isIn(byte, 0x40, 0x7e) || isIn(byte, 0x80, 0xfe));
        }
        if (byte < 0x80) out.put(byte);
        else if (byte === 0x80) out.put(0x20ac);
        else if (byte === 0xff) out.fail();
        else first = byte;
    };
};

// A character of two bytes; an ASCII byte after a wrong lead is decoded again.
function pair(out, table, lead, byte, isTrail) {
    const point = isTrail ? table[lead << 8 | byte] : 0;
    if (point !== 0) return void out.put(point);
    out.fail();
    return byte < 0x80 ? [byte] : undefined;
}

const leading = (out, low, high, step, otherwise) => {
    let lead = 0;
    return (byte) => {
        if (byte < 0) {
            if (lead !== 0) out.fail();
            lead = 0;
            return;
        }
        if (lead !== 0) {
            const first = lead;
            lead = 0;
            return step(first, byte);
        }
        if (byte < 0x80) out.put(byte);
        else if (isIn(byte, low, high)) lead = byte;
        else out.fail();
    };
};

const big5Sequences = { __proto__: null, 0x8862: [0xca, 0x304], 0x8864: [0xca, 0x30c], 0x88a3: [0xea, 0x304], 0x88a5: [0xea, 0x30c] };
export const big5 = (table) => (out) => leading(out, 0x81, 0xfe, (lead, byte) => {
    const sequence = big5Sequences[lead << 8 | byte];
    if (sequence !== undefined) {
        out.put(sequence[0]);
        return void out.put(sequence[1]);
    }
    return pair(out, table, lead, byte, isIn(byte, 0x40, 0x7e) || isIn(byte, 0xa1, 0xfe));
});

export const eucKr = (table) => (out) =>
    leading(out, 0x81, 0xfe, (lead, byte) => pair(out, table, lead, byte, isIn(byte, 0x41, 0xfe)));

export const shiftJis = (table) => (out) => {
    let lead = 0;
    return (byte) => {
        if (byte < 0) {
            if (lead !== 0) out.fail();
            lead = 0;
        } else if (lead !== 0) {
            const first = lead, isTrail = isIn(byte, 0x40, 0x7e) || isIn(byte, 0x80, 0xfc);
            lead = 0;
            const pointer = (first - (first < 0xa0 ? 0x81 : 0xc1)) * 188 + byte - (byte < 0x7f ? 0x40 : 0x41);
            if (isTrail && isIn(pointer, 8836, 10715)) return void out.put(0xe000 - 8836 + pointer);
            return pair(out, table, first, byte, isTrail);
        } else if (byte <= 0x80) {
            out.put(byte);
        } else if (isIn(byte, 0xa1, 0xdf)) {
            out.put(0xff61 - 0xa1 + byte);
        } else if (isIn(byte, 0x81, 0x9f) || isIn(byte, 0xe0, 0xfc)) {
            lead = byte;
        } else {
            out.fail();
        }
    };
};

export const eucJp = (table, added) => (out) => {
    let lead = 0, isAdded = false;
    return (byte) => {
        if (byte < 0) {
            if (lead !== 0) out.fail();
            lead = 0;
            isAdded = false;
        } else if (lead === 0x8e && isIn(byte, 0xa1, 0xdf)) {
            lead = 0;
            out.put(0xff61 - 0xa1 + byte);
        } else if (lead === 0x8f && isIn(byte, 0xa1, 0xfe)) {
            isAdded = true;
            lead = byte;
        } else if (lead !== 0) {
            const first = lead, chosen = isAdded ? added : table;
            lead = 0;
            isAdded = false;
            return pair(out, chosen, first, byte, isIn(first, 0xa1, 0xfe) && isIn(byte, 0xa1, 0xfe));
        } else if (byte < 0x80) {
            out.put(byte);
        } else if (byte === 0x8e || byte === 0x8f || isIn(byte, 0xa1, 0xfe)) {
            lead = byte;
        } else {
            out.fail();
        }
    };
};

export const iso2022Jp = (table) => (out) => {
    let state = "ascii", set = "ascii", lead = 0, hasOutput = false;
    return (byte) => {
        switch (state) {
        case "trail": {
            if (byte === 0x1b) {
                state = "escape";
                return void out.fail();
            }
            state = "lead";
            if (byte < 0) {
                out.fail();
                return [-1];
            }
            const point = isIn(byte, 0x21, 0x7e) ? table[(lead | 0x80) << 8 | byte | 0x80] : 0;
            return void (point === 0 ? out.fail() : out.put(point));
        }
        case "escape":
            if (byte === 0x24 || byte === 0x28) {
                lead = byte;
                state = "escape end";
                return;
            }
            hasOutput = false;
            state = set;
            out.fail();
            return [byte];
        case "escape end": {
            const first = lead;
            lead = 0;
            const next = first === 0x28 && byte === 0x42 ? "ascii" : first === 0x28 && byte === 0x4a ? "roman"
                : first === 0x28 && byte === 0x49 ? "katakana"
                    : first === 0x24 && (byte === 0x40 || byte === 0x42) ? "lead" : null;
            if (next !== null) {
                state = set = next;
                const isEmpty = hasOutput;
                hasOutput = true;
                return void (isEmpty ? out.fail() : undefined);
            }
            hasOutput = false;
            state = set;
            out.fail();
            return [first, byte];
        }
        }
        if (byte === 0x1b) {
            state = "escape";
            return;
        }
        if (byte < 0) {
            state = set = "ascii";
            hasOutput = false;
            return;
        }
        hasOutput = false;
        if (state === "lead") {
            if (!isIn(byte, 0x21, 0x7e)) return void out.fail();
            lead = byte;
            state = "trail";
        } else if (state === "katakana") {
            if (isIn(byte, 0x21, 0x5f)) out.put(0xff61 - 0x21 + byte);
            else out.fail();
        } else if (byte > 0x7f || byte === 0x0e || byte === 0x0f) {
            out.fail();
        } else if (state === "roman" && (byte === 0x5c || byte === 0x7e)) {
            out.put(byte === 0x5c ? 0xa5 : 0x203e);
        } else {
            out.put(byte);
        }
    };
};
