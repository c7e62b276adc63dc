// Parses a style sheet, and keeps the rules that affect the visible text.

const wanted = /^(?:display|visibility|white-space|text-transform)$/;
const shown = /^(?:@media\s*)(?:(?:only\s+)?(?:all|screen)\s*)?$/i;

/** A list of `{ selector, specificity, declarations: [{ property, value, important }] }`. */
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
        for (const selector of split(prelude)) {
            rules.push({ selector, specificity: specificity(selector), declarations });
        }
    }
}

function declared(body) {
    const found = [];
    for (const part of body.split(";")) {
        const colon = part.indexOf(":");
        const property = part.slice(0, colon).trim().toLowerCase();
        if (colon < 0 || !wanted.test(property)) continue;
        const value = part.slice(colon + 1).trim().toLowerCase();
        const important = /!\s*important$/.test(value);
        found.push({ property, value: value.replace(/\s*!\s*important$/, ""), important });
    }
    return found;
}

function split(prelude) {
    const parts = [];
    let depth = 0, start = 0;
    for (let at = 0; at <= prelude.length; at++) {
        const letter = prelude[at];
        if (letter === "(" || letter === "[") depth++;
        else if (letter === ")" || letter === "]") depth--;
        else if (letter === "," && depth === 0 || letter === undefined) {
            const part = prelude.slice(start, at).trim();
            if (part !== "") parts.push(part);
            start = at + 1;
        }
    }
    return parts;
}

function endOfString(source, start) {
    for (let at = start + 1; at < source.length; at++) {
        if (source[at] === "\\") at++;
        else if (source[at] === source[start] || source[at] === "\n") return at;
    }
    return source.length;
}

/** The specificity of a selector (ids, classes, types) as one number. */
function specificity(selector) {
    const plain = selector.replace(/:not\(/g, " ").replace(/\[[^\]]*\]/g, ".x").replace(/::[\w-]+/g, " x");
    const ids = plain.match(/#[\w-]+/g)?.length ?? 0;
    const classes = plain.match(/\.[\w-]+|:[\w-]+/g)?.length ?? 0;
    const types = plain.match(/(?:^|[\s>+~])[a-z][\w-]*/gi)?.length ?? 0;
    return ids * 1e6 + classes * 1e3 + types;
}
