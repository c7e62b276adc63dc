// Component values as texts: as a declaration has them, or computed for an element.
import { colorOf, computedColor, specifiedColor } from "./css-colors.js";
import { calculation, isMath, known, kindOf, mathText, numberText, pixels } from "./css-math.js";
import { quoted } from "./css-tokens.js";
import { escapeIdentifier } from "./selectors.js";

const specified = {
    isComputed: false, resolve: () => undefined, current: () => "", address: (text) => text,
};

// Where a color is expected as an argument, or where a value is one.
const isNamedColor = (value) => value.type === "ident" || value.type === "hash" || value.type === "function";

function valueText(value, context, options) {
    switch (value.type) {
    case "space": return " ";
    case "comma": return ", ";
    case "colon": return ":";
    case "semicolon": return ";";
    case "string": return quoted(value.value);
    case "url": return `url(${quoted(context.address(value.value))})`;
    case "number":
        return options.zero && value.value === 0 ? "0px" : numberText(value.value);
    case "percentage": {
        const length = context.resolve("%", value.value);
        return length === undefined ? `${numberText(value.value)}%` : `${numberText(length)}px`;
    }
    case "dimension": {
        if (context.isComputed) {
            if (value.unit in { ms: 1, s: 1 }) return `${numberText(value.unit === "ms" ? value.value / 1000 : value.value)}s`;
            const length = pixels(value.unit) === undefined ? context.resolve(value.unit, value.value) : pixels(value.unit) * value.value;
            if (length !== undefined) return `${numberText(length)}px`;
        }
        return `${numberText(value.value)}${value.unit === "q" ? "Q" : value.unit === "hz" ? "Hz" : value.unit === "khz" ? "kHz" : value.unit}`;
    }
    case "block": return `${value.open}${text(value.values, context, options)}${{ "(": ")", "[": "]", "{": "}" }[value.open]}`;
    case "at": return `@${value.value}`;
    case "comment": return "";
    }
    if (options.colors && isNamedColor(value)) {
        const color = colorOf(value), write = (one) => plainText(one, context, options);
        if (color !== null) return context.isComputed ? computedColor(color, context.current, write) : specifiedColor(color, write);
    }
    if (isMath(value)) {
        const node = calculation(value, context.resolve);
        if (node !== null) {
            const result = context.isComputed ? known(node) : null;
            return result === null ? mathText(node) : `${numberText(result[0])}${result[1]}`;
        }
    }
    if (value.type === "ident") return options.keepsCase ? escapeIdentifier(value.value) : value.value.toLowerCase();
    return plainText(value, context, options);
}

function plainText(value, context, options) {
    if (value.type === "function") {
        const inner = /^(?:matrix|scale|cubic|steps|rotate3d|counter|attr)/.test(value.name) || !/gradient|translate|inset|circle|ellipse|polygon|rect|blur|shadow|perspective/.test(value.name);
        return `${value.name}(${text(value.values, context, inner ? { ...options, zero: false } : options)})`;
    }
    if (value.type === "hash") return `#${value.value}`;
    return value.value ?? "";
}

const isSpace = (value) => value === undefined || value.type === "space";

/**
 * Values as one text. `options`: `colors`, whether names can be colors; `keepsCase` of identifiers; `zero`, whether a zero
 * without a unit is a length.
 */
export function text(values, context = specified, options = {}) {
    let written = "";
    values.forEach((value, at) => {
        const before = values[at - 1], after = values[at + 1];
        if (value.type === "space") {
            if (before === undefined || after === undefined || before.type === "comma" || after.type === "comma") return;
        }
        const isSlash = value.type === "delim" && value.value === "/";
        if (isSlash && !isSpace(before)) written += " ";
        written += valueText(value, context, options);
        if (isSlash && !isSpace(after)) written += " ";
    });
    return written;
}

/** Values with units of lengths whose kind is known. */
export const isLength = (value) => value.type === "dimension" && kindOf(value.unit) === "length";
