// Media queries and the conditions of `@supports`, after https://drafts.csswg.org/mediaqueries-4/ and
// https://drafts.csswg.org/css-conditional-3/. The medium is a screen of the size that the window has.
import { declaration, isKnown, nameOf } from "./css-declarations.js";
import { calculation, isMath, known, pixels } from "./css-math.js";
import { text } from "./css-serialization.js";
import { byComma, componentValues, trimmed } from "./css-tokens.js";
import { compile, Invalid } from "./selectors.js";

const word = (value) => (value?.type === "ident" ? value.value.toLowerCase() : null);
const dense = (values) => values.filter(({ type }) => type !== "space");

// A condition of blocks with `not`, `and` and `or`; `test` gives true, false or, if it is invalid, null for a block.
function condition(values, test) {
    const parts = dense(values);
    if (parts.length === 0) return null;
    if (word(parts[0]) === "not") {
        const answer = parts.length === 2 ? test(parts[1]) : null;
        return answer === null ? null : !answer;
    }
    let answer = test(parts[0]);
    const joint = word(parts[1]);
    if (answer === null || (parts.length > 1 && joint !== "and" && joint !== "or") || parts.length % 2 === 0) return null;
    for (let at = 1; at < parts.length; at += 2) {
        const next = test(parts[at + 1]);
        if (word(parts[at]) !== joint || next === null) return null;
        answer = joint === "and" ? answer && next : answer || next;
    }
    return answer;
}

// A feature in parentheses: what is not known does not hold.
function feature(values, media) {
    const parts = dense(values);
    if (parts.length === 1 && parts[0].type === "block" && parts[0].open === "(") return queryCondition(parts[0].values, media);
    if (parts[0]?.type === "block" || parts[0]?.type === "function" || word(parts[0]) === "not") return queryCondition(values, media);
    const name = word(parts[0]);
    if (name === null || (parts.length > 1 && parts[1].type !== "colon")) return range(parts, media);
    const plain = name.replace(/^(?:min|max)-/, ""), own = media[plain];
    if (parts.length === 1) return own !== undefined && own !== 0 && own !== "none";
    const wanted = amount(parts.slice(2));
    if (own === undefined || wanted === null) return false;
    return name.startsWith("min-") ? own >= wanted : name.startsWith("max-") ? own <= wanted : own === wanted;
}

function range(parts, media) {
    const at = parts.findIndex((part) => word(part) in media), marks = /^[<>=]$/;
    if (at < 0) return parts.length > 0 && parts.every(({ type }) => type !== "bad") && parts.some(({ type, value }) => type === "delim" && marks.test(value)) ? false : null;
    const own = media[word(parts[at])], isMark = (part) => part?.type === "delim" && marks.test(part.value);
    const compare = (left, list, right) => {
        const mark = list.map(({ value }) => value).join("");
        return { "<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right, "=": left === right }[mark] ?? null;
    };
    const before = parts.slice(0, at), after = parts.slice(at + 1);
    const left = before.length === 0 ? true : compare(amount(before.filter((part) => !isMark(part))), before.filter(isMark), own);
    const right = after.length === 0 ? true : compare(own, after.filter(isMark), amount(after.filter((part) => !isMark(part))));
    return left === null || right === null ? null : left && right;
}

function amount(parts) {
    const [value] = parts;
    if (parts.length === 3 && parts[1].value === "/") return parts[0].value / parts[2].value;
    if (parts.length !== 1) return null;
    if (value.type === "number") return value.value;
    if (value.type === "ident") return value.value.toLowerCase();
    if (isMath(value)) return known(calculation(value) ?? { terms: new Map() })?.[0] ?? null;
    if (value.type !== "dimension") return null;
    return value.value * (pixels(value.unit) ?? { em: 16, rem: 16, dppx: 1, x: 1, dpi: 1 / 96 }[value.unit] ?? NaN);
}

const queryCondition = (values, media) => condition(values, (block) => (block.type === "block" && block.open === "(" ? feature(block.values, media) : block.type === "function" ? false : null));

// A query as `{ text, matches }`.
function query(values) {
    const parts = dense(values), first = word(parts[0]);
    const none = { text: "not all", matches: () => false };
    if (parts.length === 0 || parts.some(({ type }) => type === "bad" || type === "delim" || type === "string" || type === "number")) return none;
    const written = text(values);
    if (parts[0].type === "block" || (first === "not" && parts[1]?.type === "block")) {
        return queryCondition(values, {}) === null ? none : { text: written, matches: (media) => queryCondition(values, media) === true };
    }
    const hasPrefix = first === "not" || first === "only", type = word(parts[hasPrefix ? 1 : 0]), rest = parts.slice(hasPrefix ? 2 : 1);
    if (type === null || /^(?:and|or|not|only|layer)$/.test(type) || (rest.length > 0 && (word(rest[0]) !== "and" || rest.length < 2))) return none;
    if (rest.length > 0 && (queryCondition(rest.slice(1), {}) === null || rest.some((part) => word(part) === "or"))) return none;
    return {
        text: written,
        matches(media) {
            const holds = (type === "all" || type === "screen") && (rest.length === 0 || queryCondition(rest.slice(1), media) === true);
            return first === "not" ? !holds : holds;
        },
    };
}

/** The queries of a text, each with its `text` and `matches` of the features of a medium. */
export function mediaQueries(written) {
    const values = trimmed(componentValues(written));
    return values.length === 0 ? [] : byComma(values).map(query);
}

/** The features of the window's medium. */
export function mediumOf({ innerWidth, innerHeight }) {
    return {
        width: innerWidth, height: innerHeight, "device-width": innerWidth, "device-height": innerHeight, "aspect-ratio": innerWidth / innerHeight,
        orientation: innerWidth > innerHeight ? "landscape" : "portrait", color: 8, resolution: 1, hover: "none", "any-hover": "none", pointer: "none",
        "any-pointer": "none", "prefers-color-scheme": "light", "prefers-reduced-motion": "no-preference", grid: 0, scripting: "enabled",
    };
}

function isSupported(values, source) {
    const list = trimmed(values), colon = list[1]?.type === "space" ? 2 : 1;
    if (list[0]?.type !== "ident" || list[colon]?.type !== "colon") return null;
    const name = nameOf(list[0].value), content = trimmed(list.slice(colon + 1));
    if (content.length === 0) return name.startsWith("--");
    return isKnown(name) && declaration(name, source.slice(content[0].start, content.at(-1).end).replace(/\s*!\s*important$/i, "")) !== null;
}

function supportsBlock(source) {
    return (block) => {
        if (block.type === "function" && block.name === "selector") {
            try {
                return compile(source.slice(block.values[0]?.start ?? block.end, block.values.at(-1)?.end ?? block.end)).length > 0;
            } catch (error) {
                if (error instanceof Invalid) return false;
                throw error;
            }
        }
        if (block.type === "function") return false;
        if (block.type !== "block" || block.open !== "(") return null;
        return isSupported(block.values, source) ?? condition(block.values, supportsBlock(source)) ?? false;
    };
}

/** Whether a condition of `@supports` holds; null if it is not valid. */
export function supportsCondition(source) { return condition(trimmed(componentValues(source)), supportsBlock(source)); }

/** `CSS.supports`. */
export function supports(first, second) {
    if (second !== undefined) {
        const name = nameOf(first);
        if (!isKnown(name)) return false;
        return second.trim() === "" ? name.startsWith("--") : declaration(name, second) !== null;
    }
    const values = trimmed(componentValues(first));
    return supportsCondition(first) ?? isSupported(values, first) ?? false;
}

