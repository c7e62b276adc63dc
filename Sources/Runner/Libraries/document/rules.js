// Parses a style sheet, and keeps the rules that affect the visible text.
import { Invalid, compile, specificity } from "./selectors.js";

const wanted = ["display", "visibility", "white-space", "text-transform"];
// Rules within so many others do not count.
const levelLimit = 32;
const shown = /^(?:@media\s*)(?:(?:only\s+)?(?:all|screen)\s*)?$/i;

/** A list of `{ selector, specificity, declarations: [{ property, value, important }] }`, with compiled selectors. */
export function parse(text, level = 0) {
    const source = text.replace(/\/\*[^]*?(?:\*\/|$)/g, "");
    const rules = [];
    let start = 0;
    const closing = (open) => {
        const mark = /[{}"']/g;
        let depth = 1;
        mark.lastIndex = open + 1;
        while (depth > 0) {
            const found = mark.exec(source);
            if (found === null) return source.length + 1;
            if (found[0] === "{") depth++;
            else if (found[0] === "}") depth--;
            else mark.lastIndex = endOfString(source, found.index) + 1;
        }
        return mark.lastIndex;
    };
    for (;;) {
        const open = source.indexOf("{", start);
        if (open < 0) return rules;
        // Rules without a block, such as `@import`, end with a semicolon; they are skipped.
        const prelude = source.slice(start, open).split(";").pop().trim();
        const end = closing(open);
        const body = source.slice(open + 1, end - 1);
        start = end;
        if (prelude.startsWith("@")) {
            if ((shown.test(prelude) || /^@(?:supports|layer)/i.test(prelude)) && level < levelLimit) rules.push(...parse(body, level + 1));
            continue;
        }
        const declarations = declared(body);
        if (declarations.length === 0) continue;
        for (const part of splitOutside(prelude, ",")) {
            for (const selector of compiled(part)) rules.push({ selector, specificity: specificity(selector), declarations });
        }
    }
}

// A selector that is not supported matches nothing; the other selectors of its rule still apply.
function compiled(text) {
    try {
        return compile(text);
    } catch (error) {
        if (!(error instanceof Invalid)) throw error;
        return [];
    }
}

/** The declarations in a text that affect the visible text. */
export function declared(text) {
    if (!wanted.some((property) => text.toLowerCase().includes(property))) return [];
    const list = parseDeclarations(text);
    return wanted.filter((property) => list.has(property)).map((property) => {
        const { value, priority } = list.get(property);
        return { property, value: value.toLowerCase(), important: priority !== "" };
    });
}

// The declarations of a text as a map from property to value and priority, with values as written.
function parseDeclarations(text) {
    const found = new Map();
    for (const part of splitOutside(text.replace(/\/\*[^]*?(?:\*\/|$)/g, " "), ";")) {
        const colon = part.indexOf(":");
        const name = nameOf(part.slice(0, colon).trim());
        if (colon < 0 || !isName(name)) continue;
        const important = /!\s*important\s*$/i.test(part);
        const value = part.slice(colon + 1).replace(/!\s*important\s*$/i, "").trim();
        if (!isValue(value, name)) continue;
        found.delete(name);
        found.set(name, { value, priority: important ? "important" : "" });
    }
    return found;
}

// The parts of a text between separators that are not in strings or parentheses.
function splitOutside(text, separator) {
    const parts = [];
    let depth = 0, start = 0;
    for (let at = 0; at < text.length; at++) {
        const letter = text[at];
        if (letter === "\\") at++;
        else if (letter === "\"" || letter === "'") {
            for (at++; at < text.length && text[at] !== letter; at++) if (text[at] === "\\") at++;
        } else if ("([{".includes(letter)) depth++;
        else if (")]}".includes(letter)) depth = Math.max(0, depth - 1);
        else if (letter === separator && depth === 0) {
            parts.push(text.slice(start, at));
            start = at + 1;
        }
    }
    parts.push(text.slice(start));
    return parts;
}

const nameOf = (text) => (text.startsWith("--") ? text : text.toLowerCase());
const isName = (text) => /^(?:--[^\s:;!]*|-?[a-z][a-z0-9-]*)$/.test(text);

function isValue(text, name) {
    if (name.startsWith("--")) return true;
    if (text === "" || /^[!;{}]|[{}]|!/.test(text.replace(/"[^"]*"|'[^']*'/g, ""))) return false;
    let depth = 0;
    for (const letter of text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "")) {
        if (letter === "(") depth++;
        else if (letter === ")" && --depth < 0) return false;
    }
    return depth === 0 && splitOutside(text, ";").length === 1;
}

function endOfString(source, start) {
    for (let at = start + 1; at < source.length; at++) {
        if (source[at] === "\\") at++;
        else if (source[at] === source[start] || source[at] === "\n") return at;
    }
    return source.length;
}
