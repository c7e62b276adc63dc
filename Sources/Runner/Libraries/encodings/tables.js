// Lookup tables, from those of Debian's iconv-lite, which have the form of its `DBCSCodec`.
import big5Added from "iconv-lite/encodings/tables/big5-added.json";
import cp936 from "iconv-lite/encodings/tables/cp936.json";
import cp949 from "iconv-lite/encodings/tables/cp949.json";
import cp950 from "iconv-lite/encodings/tables/cp950.json";
import eucjp from "iconv-lite/encodings/tables/eucjp.json";
import gbkAdded from "iconv-lite/encodings/tables/gbk-added.json";
import gbRanges from "iconv-lite/encodings/tables/gb18030-ranges.json";
import shiftjis from "iconv-lite/encodings/tables/shiftjis.json";
import single from "iconv-lite/encodings/sbcs-data-generated.js";
import more from "iconv-lite/encodings/sbcs-data.js";

const sources = {
    __proto__: null, gb18030: [cp936, gbkAdded], "euc-kr": [cp949], big5: [cp950, big5Added], "euc-jp": [eucjp],
    shift_jis: [shiftjis],
};

// Code points by the last two bytes of a character; 0 where there is none. Characters of three bytes, which EUC-JP
// has for JIS X 0212, are in a table of their own.
export function makeTables(name, { charCode, parse }) {
    const two = new Uint32Array(65536), three = new Uint32Array(65536);
    const files = sources[name];
    for (let file = 0; file < files.length; file++) {
        for (let row = 0; row < files[file].length; row++) {
            const chunk = files[file][row], address = parse(chunk[0], 16);
            const table = address > 0xffff ? three : two;
            let at = address & 0xffff;
            for (let index = 1; index < chunk.length; index++) {
                const part = chunk[index];
                if (typeof part === "number") {
                    for (let point = table[at - 1] + 1, end = at + part; at < end; at++) table[at] = point++;
                    continue;
                }
                for (let place = 0; place < part.length; place++) {
                    const unit = charCode(part, place);
                    if (unit >= 0xd800 && unit < 0xdc00) {
                        const low = charCode(part, ++place);
                        table[at++] = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                    } else if (unit > 0xff0 && unit <= 0xfff) {
                        // A sequence: Big5 has four of them, which its decoder knows.
                        place += 0xfff - unit + 2;
                        at++;
                    } else {
                        table[at++] = unit === 0xfffd ? 0 : unit;
                    }
                }
            }
        }
    }
    return { two, three };
}

export const ranges = gbRanges;

// The characters of the bytes from 0x80 of a single-byte encoding.
export function charactersOf(name) {
    const key = { __proto__: null, "koi8-r": "koi8r", "koi8-u": "koi8u", macintosh: "macroman",
        "x-mac-cyrillic": "maccyrillic", "iso-8859-8-i": "iso88598" }[name] ?? withoutDashes(name);
    let entry = single[key] ?? more[key];
    while (typeof entry === "string") entry = single[entry] ?? more[entry];
    const changes = changed[name];
    if (changes === undefined) return entry.chars;
    let result = "";
    for (let byte = 0x80; byte < 0x100; byte++) result += changes[byte] ?? entry.chars[byte - 0x80];
    return result;
}

// Where the indexes of https://encoding.spec.whatwg.org/ differ from iconv-lite.
const changed = {
    __proto__: null, "koi8-u": { __proto__: null, 0xae: "\u045e", 0xbe: "\u040e" },
    macintosh: { __proto__: null, 0xbd: "\u03a9", 0xdb: "\u20ac" },
    "x-mac-cyrillic": { __proto__: null, 0xa2: "\u0490", 0xb6: "\u0491", 0xff: "\u20ac" },
};

function withoutDashes(name) {
    let result = "";
    for (let index = 0; index < name.length; index++) if (name[index] !== "-") result += name[index];
    return result;
}
