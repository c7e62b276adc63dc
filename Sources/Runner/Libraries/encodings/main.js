// The legacy encodings, which TextDecoder loads when a label other than UTF-8's is used.
import * as decoders from "./decoders.js";
import { labels } from "./labels.js";
import { charactersOf, makeTables } from "./tables.js";

/**
 * @param bridge functions of the runner: `charCode`, `parse` (an integer), `join`, `append`, `split`, `lower`,
 *     `ownKeys`, `units` (an array of code units) and `fromUnits` (their text).
 * @returns `nameOf(label)`, the name of an encoding or undefined, and `decoder(name)`, a function of bytes.
 */
export default function connect(bridge) {
    const names = { __proto__: null }, made = { __proto__: null };
    const all = bridge.ownKeys(labels);
    for (let index = 0; index < all.length; index++) {
        const list = bridge.split(labels[all[index]], " ");
        for (let at = 0; at < list.length; at++) names[list[at]] = bridge.lower(all[index]);
    }

    function make(name) {
        switch (name) {
        case "utf-16le": return decoders.utf16(false);
        case "utf-16be": return decoders.utf16(true);
        case "x-user-defined": return decoders.userDefined;
        case "gbk":
        case "gb18030": return decoders.gb18030(makeTables("gb18030", bridge).two);
        case "big5": return decoders.big5(makeTables("big5", bridge).two);
        case "euc-kr": return decoders.eucKr(makeTables("euc-kr", bridge).two);
        case "shift_jis": return decoders.shiftJis(makeTables("shift_jis", bridge).two);
        case "iso-2022-jp": return decoders.iso2022Jp(makeTables("euc-jp", bridge).two);
        case "euc-jp": {
            const { two, three } = makeTables("euc-jp", bridge);
            return decoders.eucJp(two, three);
        }
        default: return decoders.singleByte(
            charactersOf(name), { isWindows: name[0] === "w", isMac: name === "macintosh" }, bridge.charCode);
        }
    }

    // Decodes bytes after those of the calls before; `isEnd` after the last ones. `fail` is called for each error.
    function decoder(name, fail) {
        const factory = made[name] ??= make(name);
        let pieces = [], size = 0;
        const units = bridge.units(4002);
        const put = (point) => {
            if (point > 0xffff) {
                units[size++] = 0xd800 + ((point - 0x10000) >> 10);
                units[size++] = 0xdc00 + ((point - 0x10000) & 0x3ff);
            } else {
                units[size++] = point;
            }
            if (size > 4000) flush();
        };
        const flush = () => {
            bridge.append(pieces, bridge.fromUnits(units, size));
            size = 0;
        };
        const step = factory({
            __proto__: null, put,
            fail: () => {
                fail();
                put(0xfffd);
            },
        });
        const feed = (byte) => {
            const again = step(byte);
            if (again !== undefined) for (let index = 0; index < again.length; index++) feed(again[index]);
        };
        return (bytes, length, isEnd) => {
            pieces = [];
            size = 0;
            for (let index = 0; index < length; index++) feed(bytes[index]);
            if (isEnd) feed(-1);
            flush();
            return bridge.join(pieces, "");
        };
    }

    return { nameOf: (label) => names[label], decoder };
}
