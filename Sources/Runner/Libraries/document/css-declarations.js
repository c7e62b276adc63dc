// A list of declarations, as the standard keeps it: of longhands, in order, with shorthands expanded. After
// https://drafts.csswg.org/cssom/#css-declaration-blocks.
import { isWide, longhandNames, longhandValue, property, valuesOf } from "./css-properties.js";
import { text } from "./css-serialization.js";
import { combined, expanded, longhandsOf, shorthandNames, shorthandsOf } from "./css-shorthands.js";
import { componentValues, hasVariables, some, trimmed } from "./css-tokens.js";

const aliases = new Map(Object.entries({
    "word-wrap": "overflow-wrap", "-webkit-transform": "transform", "-webkit-user-select": "user-select", "-webkit-appearance": "appearance",
    "-webkit-box-shadow": "box-shadow", "-webkit-transition": "transition", "-webkit-animation": "animation", "-webkit-hyphens": "hyphens",
    "-webkit-background-clip": "background-clip", "-webkit-mask-image": "mask-image", "grid-gap": "gap", "-webkit-box-sizing": "box-sizing",
    "-webkit-border-radius": "border-radius", "-webkit-filter": "filter", "-webkit-flex": "flex", "-webkit-transform-origin": "transform-origin",
}));

/** The name under which a property is kept. */
export function nameOf(written) {
    if (written.startsWith("--")) return written;
    const name = written.toLowerCase();
    return aliases.get(name) ?? name;
}

export const isKnown = (name) => (name.startsWith("--") && name.length > 2) || property(name) !== undefined || longhandsOf(name) !== undefined;

/** The names of all properties, with the older names of some. */
export const propertyNames = () => new Set([...longhandNames(), ...shorthandNames(), ...aliases.keys()]);

const remembered = new Map();

/** The longhands that a declaration sets, as `[name, value, source]`; null if it is not valid. */
export function declaration(name, written) {
    const key = `${name}:${written}`;
    let found = remembered.get(key);
    if (found !== undefined) return found;
    if (remembered.size > 2000) remembered.clear();
    found = read(name, written);
    remembered.set(key, found);
    return found;
}

function read(name, written) {
    if (name.startsWith("--")) {
        const values = trimmed(componentValues(written));
        const isInvalid = some(values, ({ type }) => type === "bad") || values.some(({ type, value }) => type === "semicolon" || (type === "delim" && value === "!"));
        return isInvalid ? null : [[name, written.trim()]];
    }
    const longhands = longhandsOf(name), values = valuesOf(written);
    if (values === null) return null;
    if (longhands === undefined) {
        const known = property(name), value = known === undefined ? null : longhandValue(known, values, written);
        return value === null ? null : [[name, value]];
    }
    if (hasVariables(values)) {
        const source = { shorthand: name, text: written.trim() };
        return longhands.map((longhand) => [longhand, "", source]);
    }
    const only = values.length === 1 && values[0].type === "ident" && isWide(values[0].value) ? values[0].value.toLowerCase() : null;
    if (only !== null) return longhands.map((longhand) => [longhand, only]);
    const found = expanded(name, values);
    return found === null || [...found.values()].includes(null) ? null : longhands.map((longhand) => [longhand, found.get(longhand)]);
}

/** The value of a shorthand of a list `get`, from the name of a longhand to `{ value, priority, source }`. */
function shorthandValue(name, get) {
    const entries = longhandsOf(name).map(get);
    if (entries.includes(undefined) || new Set(entries.map(({ priority }) => priority)).size > 1) return "";
    const sources = new Set(entries.map(({ source }) => source));
    if (sources.size > 1) return "";
    const [source] = sources;
    if (source !== undefined) return source.shorthand === name ? source.text : "";
    const values = entries.map(({ value }) => value);
    if (values.some((value) => value.includes("var(") || value.includes("env("))) return "";
    if (values.some(isWide)) return new Set(values).size === 1 ? values[0] : "";
    return combined(name, (longhand) => get(longhand).value);
}

export class Declarations {
    #list = new Map();

    /** The declarations of a text; what is not valid is left out. */
    static parse(source) {
        const block = new Declarations();
        for (const [name, written, priority] of declarationsIn(source)) block.put(name, written, priority);
        return block;
    }

    get names() { return [...this.#list.keys()]; }
    get entries() { return this.#list; }

    value(name) {
        const own = this.#list.get(name);
        if (own !== undefined) return own.value;
        return longhandsOf(name) === undefined ? "" : shorthandValue(name, (longhand) => this.#list.get(longhand));
    }

    priority(name) {
        const longhands = longhandsOf(name) ?? [name];
        return longhands.every((longhand) => this.#list.get(longhand)?.priority === "important") ? "important" : "";
    }

    /** As parsed from a style sheet: the last valid declaration counts, but an important one before. */
    put(name, written, priority) {
        const found = declaration(name, written);
        if (found === null) return;
        for (const [longhand, value, source] of found) {
            if (this.#list.get(longhand)?.priority === "important" && priority === "") continue;
            this.#list.delete(longhand);
            this.#list.set(longhand, { value, priority, source });
        }
    }

    /** As set by a script: in place. Whether the value is valid. */
    set(name, written, priority) {
        const found = declaration(name, written);
        if (found === null) return false;
        for (const [longhand, value, source] of found) this.#list.set(longhand, { value, priority, source });
        return true;
    }

    remove(name) {
        let isChanged = false;
        for (const longhand of longhandsOf(name) ?? [name]) isChanged = this.#list.delete(longhand) || isChanged;
        return isChanged;
    }

    get text() {
        const parts = [], done = new Set();
        const write = (name, value, priority) => parts.push(`${name}: ${value}${priority === "" ? "" : " !important"};`);
        for (const [name, { value, priority }] of this.#list) {
            if (done.has(name)) continue;
            const shorthand = name.startsWith("--") ? undefined : shorthandsOf(name).find((one) => {
                const longhands = longhandsOf(one);
                return longhands.every((longhand) => this.#list.has(longhand) && !done.has(longhand)) && this.value(one) !== "";
            });
            if (shorthand === undefined) {
                if (value !== "") write(name, value, priority);
                else if (name.startsWith("--")) write(name, "", priority);
                done.add(name);
            } else {
                write(shorthand, this.value(shorthand), priority);
                for (const longhand of longhandsOf(shorthand)) done.add(longhand);
            }
        }
        return parts.join(" ");
    }
}

/** The declarations of a text as `[name, value, priority]`, with values as written. */
export function declarationsIn(source) {
    const found = [];
    let start = 0;
    const values = componentValues(source);
    const take = (from, to) => {
        const list = trimmed(values.slice(from, to)), at = list.findIndex(({ type }) => type !== "space");
        if (at < 0 || list[0].type !== "ident") return;
        const colon = list[1]?.type === "space" ? 2 : 1;
        if (list[colon]?.type !== "colon") return;
        let content = trimmed(list.slice(colon + 1)), priority = "";
        const last = content.at(-1), mark = content.findLastIndex(({ type, value }) => type === "delim" && value === "!");
        if (mark >= 0 && last.type === "ident" && last.value.toLowerCase() === "important" && content.slice(mark + 1, -1).every(({ type }) => type === "space")) {
            content = trimmed(content.slice(0, mark));
            priority = "important";
        }
        const name = nameOf(list[0].value);
        if (content.length === 0 && !name.startsWith("--")) return;
        const written = content.length === 0 ? "" : closed(source.slice(content[0].start, content.at(-1).end), content.at(-1));
        found.push([name, written, priority]);
    };
    values.forEach(({ type, open }, at) => {
        // An at-rule ends with its block.
        const isOfRule = type === "block" && open === "{" && values.slice(start, at).find((value) => value.type !== "space")?.type === "at";
        if (type !== "semicolon" && !isOfRule) return;
        if (!isOfRule) take(start, at);
        start = at + 1;
    });
    take(start, values.length);
    return found;
}

// A function at the end of a text need not be closed.
function closed(written, value) {
    return value.type === "function" && !written.endsWith(")") ? text(componentValues(written)) : written;
}
