// Texts of CSS as component values, after https://drafts.csswg.org/css-syntax-3/.

const number = /[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/iy;
const name = /-?(?:[a-z_\u0080-\u{10ffff}]|\\[^\n\r\f])(?:[\w\u0080-\u{10ffff}-]|\\[^\n\r\f])*|--(?:[\w\u0080-\u{10ffff}-]|\\[^\n\r\f])*/iuy;
const hash = /(?:[\w\u0080-\u{10ffff}-]|\\[^\n\r\f])+/iuy;
const space = /(?:[ \t\n\r\f]|\/\*[^]*?(?:\*\/|$))+/y;
const closing = { "(": ")", "[": "]", "{": "}" };

/** The text that a name or the content of a string with escapes stands for. */
export const unescaped = (text) => text.replace(/\\(?:([0-9a-f]{1,6})(?:\r\n|[ \t\n\r\f])?|(\r\n|[\n\r\f])|([^]))/giu, (all, code, end, letter) => {
    if (code === undefined) return letter ?? "";
    const point = parseInt(code, 16);
    return point === 0 || point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ? "\ufffd" : String.fromCodePoint(point);
});

/** A text as a string of CSS. */
export const quoted = (text) => `"${text.replace(/["\\]/g, "\\$&").replace(/[\u0001-\u001f\u007f]/g, (letter) => `\\${letter.charCodeAt(0).toString(16)} `)}"`;

// Blocks and functions within so many others are not parsed.
const depthLimit = 128;

/**
 * The component values of a text: each has a `type` and its place from `start` to `end`; functions and blocks have
 * `values`, those that are not closed are closed at the end. White space is one value; comments are white space.
 */
export function componentValues(text) {
    let at = 0, depth = 0;
    const take = (pattern) => {
        pattern.lastIndex = at;
        const found = pattern.exec(text);
        if (found === null) return null;
        at = pattern.lastIndex;
        return found[0];
    };
    const string = (mark) => {
        const start = ++at;
        for (; at < text.length && text[at] !== mark; at++) {
            if (text[at] === "\\") at++;
            else if (/[\n\r\f]/.test(text[at])) return { type: "bad" };
        }
        const value = unescaped(text.slice(start, at));
        at++;
        return { type: "string", value };
    };
    const numeric = (written) => {
        const value = Number(written), unit = take(name);
        const isInteger = /^[+-]?\d+$/.test(written), isSigned = /^[+-]/.test(written);
        if (unit !== null) return { type: "dimension", value, unit: unescaped(unit).toLowerCase(), isInteger, isSigned };
        if (text[at] !== "%") return { type: "number", value, isInteger, isSigned };
        at++;
        return { type: "percentage", value, isSigned };
    };
    const named = (written) => {
        const value = unescaped(written);
        if (text[at] !== "(") return { type: "ident", value };
        if (depth >= depthLimit) return { type: "bad", value };
        at++;
        const bare = /[ \t\n\r\f]*([^"'()\s\\]*(?:\\[^\n][^"'()\s\\]*)*)[ \t\n\r\f]*(?:\)|$)/y;
        if (value.toLowerCase() === "url") {
            bare.lastIndex = at;
            const found = bare.exec(text);
            if (found !== null) {
                at = bare.lastIndex;
                return { type: "url", value: unescaped(found[1]) };
            }
        }
        return { type: "function", name: value.startsWith("--") ? value : value.toLowerCase(), values: list(")") };
    };
    const one = () => {
        if (take(space) !== null) return { type: "space" };
        const letter = text[at];
        if (letter === "\"" || letter === "'") return string(letter);
        if (letter === "#") {
            at++;
            const value = take(hash);
            return value === null ? { type: "delim", value: "#" } : { type: "hash", value: unescaped(value) };
        }
        const digits = take(number);
        if (digits !== null) return numeric(digits);
        if (text.startsWith("-->", at) || text.startsWith("<!--", at)) {
            at += letter === "-" ? 3 : 4;
            return { type: "comment" };
        }
        const written = take(name);
        if (written !== null) return named(written);
        at++;
        if (letter in closing && depth >= depthLimit) return { type: "bad", value: letter };
        if (letter in closing) return { type: "block", open: letter, values: list(closing[letter]) };
        if (letter === "@") {
            const rule = take(name);
            if (rule !== null) return { type: "at", value: unescaped(rule).toLowerCase() };
        }
        if (letter === ",") return { type: "comma" };
        if (letter === ":") return { type: "colon" };
        if (letter === ";") return { type: "semicolon" };
        return /[)\]}]/.test(letter) ? { type: "bad", value: letter } : { type: "delim", value: letter };
    };
    const list = (end) => {
        const values = [];
        depth++;
        while (at < text.length) {
            if (text[at] === end) {
                at++;
                break;
            }
            const start = at, value = one();
            value.start = start;
            value.end = Math.min(at, text.length);
            values.push(value);
        }
        depth--;
        return values;
    };
    return list(null);
}

/** Without the white space at both ends. */
export function trimmed(values) {
    let start = 0, end = values.length;
    while (start < end && values[start].type === "space") start++;
    while (end > start && values[end - 1].type === "space") end--;
    return values.slice(start, end);
}

/** The lists between commas. */
export function byComma(values) {
    const lists = [[]];
    for (const value of values) {
        if (value.type === "comma") lists.push([]);
        else lists.at(-1).push(value);
    }
    return lists.map(trimmed);
}

/** Whether a value or one within it satisfies a condition. */
export const some = (values, test) => values.some((value) => test(value) || (value.values !== undefined && some(value.values, test)));

/** Whether a text has a function that is substituted when the value is computed. */
export const hasVariables = (values) => some(values, ({ type, name }) => type === "function" && (name === "var" || name === "env" || name === "attr"));
