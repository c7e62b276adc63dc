// Parses a style sheet, and keeps the rules that affect the visible text.
import { parseDeclarations, splitOutside } from "./inline-style.js";
import { Invalid, compile, specificity } from "./selectors.js";

const wanted = ["display", "visibility", "white-space", "text-transform"];
const shown = /^(?:@media\s*)(?:(?:only\s+)?(?:all|screen)\s*)?$/i;

/** A list of `{ selector, specificity, declarations: [{ property, value, important }] }`, with compiled selectors. */
export function parse(text) {
    const source = text.replace(/\/\*[^]*?(?:\*\/|$)/g, "");
    const rules = [];
    let start = 0;
    const closing = (open) => {
        let depth = 1, at = open + 1;
        for (; at < source.length && depth > 0; at++) {
            if (source[at] === "{") depth++;
            else if (source[at] === "}") depth--;
            else if (source[at] === "\"" || source[at] === "'") at = endOfString(source, at);
        }
        return at;
    };
    for (;;) {
        const open = source.indexOf("{", start);
        if (open < 0) return rules;
        // A rule that ends with a semicolon is like `@import`.
        const prelude = source.slice(start, open).split(";").pop().trim();
        const end = closing(open);
        const body = source.slice(open + 1, end - 1);
        start = end;
        if (prelude.startsWith("@")) {
            if (shown.test(prelude) || /^@(?:supports|layer)/i.test(prelude)) rules.push(...parse(body));
            continue;
        }
        const declarations = declared(body);
        if (declarations.length === 0) continue;
        for (const part of splitOutside(prelude, ",")) {
            for (const selector of compiled(part)) rules.push({ selector, specificity: specificity(selector), declarations });
        }
    }
}

// A selector that is not supported matches nothing; the others of its rule do.
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

function endOfString(source, start) {
    for (let at = start + 1; at < source.length; at++) {
        if (source[at] === "\\") at++;
        else if (source[at] === source[start] || source[at] === "\n") return at;
    }
    return source.length;
}
