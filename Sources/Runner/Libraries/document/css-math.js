// Mathematical functions of CSS, after https://drafts.csswg.org/css-values-4/#math.
import { byComma, trimmed } from "./css-tokens.js";

const lengths = { px: 1, cm: 96 / 2.54, mm: 9.6 / 2.54, q: 2.4 / 2.54, in: 96, pc: 16, pt: 4 / 3 };
const relative = new Set(("em rem ex rex ch rch cap rcap ic ric lh rlh vw vh vi vb vmin vmax svw svh lvw lvh dvw dvh svmin svmax lvmin lvmax "
    + "dvmin dvmax cqw cqh cqi cqb cqmin cqmax").split(" "));
const others = {
    deg: ["angle", 1], grad: ["angle", 0.9], rad: ["angle", 180 / Math.PI], turn: ["angle", 360], s: ["time", 1], ms: ["time", 0.001],
    hz: ["frequency", 1], khz: ["frequency", 1000], dppx: ["resolution", 1], x: ["resolution", 1], dpi: ["resolution", 1 / 96],
    dpcm: ["resolution", 2.54 / 96], fr: ["flex", 1],
};
const canonical = { angle: "deg", time: "s", frequency: "hz", resolution: "dppx", flex: "fr", length: "px" };

/** What a unit measures, or null. */
export const kindOf = (unit) => (unit in lengths || relative.has(unit) ? "length" : others[unit]?.[0] ?? null);
export const pixels = (unit) => lengths[unit];

/** A number as CSS writes it. */
export function numberText(value) {
    if (Number.isInteger(value)) return `${Object.is(value, -0) ? 0 : value}`;
    const text = `${+value.toPrecision(6)}`;
    return text === "-0" || /e-/.test(text) ? "0" : text;
}

const functions = new Set("calc min max clamp round mod rem sin cos tan asin acos atan atan2 pow sqrt hypot log exp abs sign".split(" "));
export const isMath = ({ type, name }) => type === "function" && functions.has(name);

// A term: a map from unit ("" for numbers, "%" for percentages) to its factor, or a function that is kept.
const plain = (value, unit) => ({ terms: new Map([[unit, value]]) });
const simple = (node) => node?.terms?.size === 1;
const numberOf = (node) => (simple(node) && node.terms.has("") ? node.terms.get("") : null);
const scaled = (node, factor) => (node.terms === undefined
    ? { ...node, factor: node.factor * factor }
    : { terms: new Map([...node.terms].map(([unit, value]) => [unit, value * factor])) });

function kinds(node, found = new Set()) {
    if (node.terms !== undefined) for (const unit of node.terms.keys()) found.add(unit === "" ? "number" : unit === "%" ? "percentage" : kindOf(unit));
    if (node.sum !== undefined) for (const part of node.sum) kinds(part, found);
    if (node.list !== undefined) for (const part of node.list) kinds(part, found);
    return found;
}

/** What a calculation gives: a kind such as `length`, or `length-percentage`; null if the kinds do not fit. */
export function kindOfMath(node) {
    const found = kinds(node);
    if (found.size === 1) return [...found][0];
    if (found.size !== 2 || !found.has("percentage") || found.has("number")) return null;
    return `${[...found].find((kind) => kind !== "percentage")}-percentage`;
}

function added(one, other) {
    if (one.terms !== undefined && other.terms !== undefined) {
        const terms = new Map(one.terms);
        for (const [unit, value] of other.terms) terms.set(unit, (terms.get(unit) ?? 0) + value);
        return { terms };
    }
    return { sum: [...one.sum ?? [one], ...other.sum ?? [other]] };
}

/**
 * The calculation of a function, or null if it is none. `resolve` gives for a unit and its factor the same in pixels, or
 * undefined if that is not known.
 */
export function calculation(value, resolve = () => undefined) {
    const operand = (token) => {
        if (token.type === "number") return plain(token.value, "");
        if (token.type === "percentage") {
            const known = resolve("%", token.value);
            return known === undefined ? plain(token.value, "%") : plain(known, "px");
        }
        if (token.type === "dimension") {
            const kind = kindOf(token.unit);
            if (kind === null) return null;
            if (token.unit in others) return plain(token.value * others[token.unit][1], canonical[kind]);
            if (token.unit in lengths) return plain(token.value * lengths[token.unit], "px");
            const known = resolve(token.unit, token.value);
            return known === undefined ? plain(token.value, token.unit) : plain(known, "px");
        }
        if (token.type === "ident") {
            const constant = { e: Math.E, pi: Math.PI, infinity: Infinity, "-infinity": -Infinity, nan: NaN }[token.value.toLowerCase()];
            return constant === undefined ? null : plain(constant, "");
        }
        if (token.type === "block" && token.open === "(") return sum(token.values);
        return isMath(token) ? call(token) : null;
    };
    const sum = (values) => {
        const tokens = trimmed(values);
        if (tokens.length === 0) return null;
        const parts = [];
        let start = 0, sign = 1;
        // White space is required around + and -.
        for (let at = 0; at < tokens.length; at++) {
            const { type, value: mark } = tokens[at];
            if (type !== "delim" || (mark !== "+" && mark !== "-")) continue;
            if (tokens[at - 1]?.type !== "space" || tokens[at + 1]?.type !== "space") return null;
            parts.push([sign, tokens.slice(start, at)]);
            sign = mark === "+" ? 1 : -1;
            start = at + 1;
        }
        parts.push([sign, tokens.slice(start)]);
        let whole = null;
        for (const [factor, list] of parts) {
            const part = product(list.filter(({ type }) => type !== "space"));
            if (part === null) return null;
            whole = whole === null ? scaled(part, factor) : added(whole, scaled(part, factor));
        }
        return kindOfMath(whole) === null ? null : whole;
    };
    const product = (tokens) => {
        if (tokens.length % 2 === 0) return null;
        let whole = operand(tokens[0]);
        for (let at = 1; at < tokens.length && whole !== null; at += 2) {
            const { type, value: mark } = tokens[at], next = operand(tokens[at + 1]);
            if (type !== "delim" || next === null) return null;
            const factor = numberOf(next), own = numberOf(whole);
            if (mark === "*" && factor !== null) whole = multiplied(whole, factor);
            else if (mark === "*" && own !== null) whole = multiplied(next, own);
            else if (mark === "/" && factor !== null) whole = multiplied(whole, 1 / factor);
            else return null;
        }
        return whole;
    };
    const multiplied = (node, factor) => (node.sum === undefined ? scaled(node, factor) : { sum: node.sum.map((part) => multiplied(part, factor)) });
    const call = ({ name, values }) => {
        if (name === "calc") return sum(values);
        const lists = byComma(values);
        const list = lists.map((part, at) => (name === "round" && at === 0 && part.length === 1 && part[0].type === "ident" ? null : sum(part)));
        const strategy = name === "round" && list[0] === null ? lists[0][0].value.toLowerCase() : null;
        if (strategy !== null) list.shift();
        if (list.length === 0 || list.includes(null)) return null;
        const counts = { clamp: [3, 3], min: [1, Infinity], max: [1, Infinity], hypot: [1, Infinity], round: [1, 2], mod: [2, 2], rem: [2, 2], atan2: [2, 2], pow: [2, 2], log: [1, 2] }[name] ?? [1, 1];
        if (list.length < counts[0] || list.length > counts[1]) return null;
        const node = { name, list, strategy, factor: 1 };
        if (kindOfMath(node) === null) return null;
        const [unit] = list[0].terms?.keys() ?? [];
        if (!list.every((part) => simple(part) && part.terms.has(unit)) || unit === "%") return node;
        const known = evaluated(name, list.map((part) => part.terms.get(unit)), unit, strategy);
        return known === null ? null : plain(...known);
    };
    return call(value);
}

function evaluated(name, list, unit, strategy) {
    const [one, two, three] = list, radians = unit === "deg" ? one * Math.PI / 180 : one;
    const step = two ?? 1;
    switch (name) {
    case "min": return [Math.min(...list), unit];
    case "max": return [Math.max(...list), unit];
    case "clamp": return [Math.max(one, Math.min(two, three)), unit];
    case "abs": return [Math.abs(one), unit];
    case "sign": return [Math.sign(one), ""];
    case "mod": return [one - two * Math.floor(one / two), unit];
    case "rem": return [one % two, unit];
    case "hypot": return [Math.hypot(...list), unit];
    case "round": {
        const round = { up: Math.ceil, down: Math.floor, "to-zero": Math.trunc }[strategy] ?? Math.round;
        return [round(one / step) * step, unit];
    }
    case "sin": case "cos": case "tan": return unit === "" || unit === "deg" ? [Math[name](radians), ""] : null;
    case "asin": case "acos": case "atan": return unit === "" ? [Math[name](one) * 180 / Math.PI, "deg"] : null;
    case "atan2": return [Math.atan2(one, two) * 180 / Math.PI, "deg"];
    }
    if (unit !== "") return null;
    if (name === "log") return [two === undefined ? Math.log(one) : Math.log(one) / Math.log(two), ""];
    return [name === "pow" ? one ** two : Math[name](one), ""];
}

/** A calculation whose value is known, as `[value, unit]`; null otherwise. */
export const known = (node) => (simple(node) ? [...node.terms].map(([unit, value]) => [value, unit])[0] : null);

const order = (unit) => (unit === "" ? "0" : unit === "%" ? "1" : `2${unit}`);
function sumText(node) {
    const parts = node.sum ?? (node.terms === undefined ? [node] : null);
    if (parts !== null) return parts.map((part) => (part.terms === undefined ? callText(part) : sumText(part))).join(" + ");
    return [...node.terms].sort(([one], [other]) => (order(one) < order(other) ? -1 : 1)).map(([unit, value], at) => {
        const sign = at === 0 ? (value < 0 ? "-" : "") : value < 0 ? " - " : " + ";
        return `${sign}${numberText(Math.abs(value))}${unit}`;
    }).join("");
}
function callText({ name, list, strategy, factor }) {
    const text = `${name}(${[...strategy === null ? [] : [strategy], ...list.map(sumText)].join(", ")})`;
    return factor === 1 ? text : `${numberText(factor)} * ${text}`;
}

/** A calculation as a text. */
export const mathText = (node) => (node.list !== undefined && node.factor === 1 ? callText(node) : `calc(${sumText(node)})`);
