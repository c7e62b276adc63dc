// Matches component values with syntaxes in the notation of https://drafts.csswg.org/css-values-4/#value-defs.
import { colorOf } from "./css-colors.js";
import { calculation, isMath, kindOf, kindOfMath } from "./css-math.js";
import { lower } from "./members.js";

const parsed = new Map();

/** A syntax as a tree of `{ kind, … }`. */
function parse(syntax) {
    const known = parsed.get(syntax);
    if (known !== undefined) return known;
    const parts = syntax.match(/<[^>]+>|\|\||&&|[|[\]]|#?\{\d+(?:,\d*)?\}|[*+?#!]|[\w-]+\(\)|[\w-]+|[/,]/g);
    let at = 0;
    const repeated = (node) => {
        for (;;) {
            const mark = parts[at];
            const times = /^(#?)\{(\d+)(,?)(\d*)\}$/.exec(mark ?? "");
            if (times !== null) node = { kind: "many", node, least: +times[2], most: times[3] === "" ? +times[2] : times[4] === "" ? Infinity : +times[4], comma: times[1] !== "" };
            else if (mark === "*") node = { kind: "many", node, least: 0, most: Infinity };
            else if (mark === "+") node = { kind: "many", node, least: 1, most: Infinity };
            else if (mark === "?") node = { kind: "many", node, least: 0, most: 1 };
            else if (mark === "#") node = { kind: "many", node, least: 1, most: Infinity, comma: true };
            else return node;
            at++;
        }
    };
    const term = () => {
        const part = parts[at++];
        if (part === "[") {
            const node = alternatives();
            at++;
            return repeated(node);
        }
        if (part.startsWith("<")) return repeated({ kind: "type", name: part.slice(1, -1) });
        if (part.endsWith("()")) return repeated({ kind: "function", name: part.slice(0, -2) });
        return repeated(part === "/" || part === "," ? { kind: "mark", mark: part } : { kind: "word", word: part });
    };
    const row = () => {
        const list = [];
        while (at < parts.length && !["|", "||", "&&", "]"].includes(parts[at])) list.push(term());
        return list.length === 1 ? list[0] : { kind: "row", list };
    };
    const joined = (mark, kind, next) => () => {
        const list = [next()];
        while (parts[at] === mark) {
            at++;
            list.push(next());
        }
        return list.length === 1 ? list[0] : { kind, list };
    };
    const alternatives = joined("|", "one", joined("||", "any", joined("&&", "all", row)));
    const tree = alternatives();
    parsed.set(syntax, tree);
    return tree;
}

/** Syntaxes that others name; filled by the table of properties. */
export const named = new Map(Object.entries({
    "length-percentage": "<length> | <percentage>",
    position: "[ left | center | right ] || [ top | center | bottom ] | [ left | center | right | <length-percentage> ] [ top | center | bottom | <length-percentage> ]? | [ [ left | right ] <length-percentage> ] && [ [ top | bottom ] <length-percentage> ]",
    "line-width": "<length[0]> | thin | medium | thick",
    "line-style": "none | hidden | dotted | dashed | solid | double | groove | ridge | inset | outset",
    shadow: "inset? && <length>{2,4} && <color>?",
    "visual-box": "content-box | padding-box | border-box",
    "repeat-style": "repeat-x | repeat-y | [ repeat | space | round | no-repeat ]{1,2}",
    "bg-size": "[ <length-percentage[0]> | auto ]{1,2} | cover | contain",
    family: "<string> | <custom-ident>+",
    "easing-function": "linear | ease | ease-in | ease-out | ease-in-out | step-start | step-end | cubic-bezier() | steps() | linear()",
    "filter-function": "blur() | brightness() | contrast() | drop-shadow() | grayscale() | hue-rotate() | invert() | opacity() | saturate() | sepia()",
    "transform-function": "matrix() | matrix3d() | perspective() | rotate() | rotate3d() | rotateX() | rotateY() | rotateZ() | rotatex() | rotatey() | rotatez() | scale() | scale3d() | scalex() | scaley() | scalez() | skew() | skewx() | skewy() | translate() | translate3d() | translatex() | translatey() | translatez()",
    "basic-shape": "inset() | circle() | ellipse() | polygon() | path() | rect() | xywh() | shape()",
    ratio: "<number[0]> [ / <number[0]> ]?",
    size: "<length-percentage[0]> | min-content | max-content | fit-content | stretch | -webkit-fill-available | fit-content()",
}));

const gradients = /^(?:-webkit-)?(?:repeating-)?(?:linear|radial|conic)-gradient$|^(?:-webkit-)?(?:image-set|cross-fade)$|^(?:image|element|paint)$/;
const wide = /^(?:initial|inherit|unset|revert|revert-layer|default)$/i;

// Whether a value is of a basic type; `least` is the smallest number allowed.
function isOf(value, name, least) {
    const fits = (number) => least === null || number >= least;
    if (isMath(value)) {
        const node = calculation(value), kind = node === null ? null : kindOfMath(node);
        if (name === "integer") return kind === "number";
        if (name === "percentage") return kind === "percentage" || kind === "length-percentage";
        return kind === name;
    }
    switch (name) {
    case "length":
        if (value.type === "number") return value.value === 0;
        return value.type === "dimension" && kindOf(value.unit) === "length" && fits(value.value);
    case "angle": case "time": case "frequency": case "resolution": case "flex":
        if (name === "angle" && value.type === "number") return value.value === 0;
        return value.type === "dimension" && kindOf(value.unit) === name && fits(value.value);
    case "percentage": return value.type === "percentage" && fits(value.value);
    case "number": return value.type === "number" && fits(value.value);
    case "integer": return value.type === "number" && value.isInteger && fits(value.value);
    case "string": return value.type === "string";
    case "url": return value.type === "url" || (value.type === "function" && value.name === "url");
    case "ident": return value.type === "ident";
    case "custom-ident": return value.type === "ident" && !wide.test(value.value);
    case "dashed-ident": return value.type === "ident" && value.value.startsWith("--");
    case "color": return colorOf(value) !== null;
    case "image": return isOf(value, "url", null) || (value.type === "function" && gradients.test(value.name) && value.values.some(({ type }) => type !== "space"));
    case "function": return value.type === "function";
    case "any": return value.type !== "bad" && value.type !== "semicolon";
    }
    throw new Error(`unknown type ${name}`);
}

// Calls `next` with each place where a match of a node may end, until it returns true.
function match(node, values, at, next) {
    switch (node.kind) {
    case "type": {
        const [, name, least] = /^([^[]+)(?:\[(.*)\])?$/.exec(node.name);
        if (named.has(name)) return match(parse(least === undefined ? named.get(name) : named.get(name).replace(/<([\w-]+)>/g, `<$1[${least}]>`)), values, at, next);
        return at < values.length && isOf(values[at], name, least === undefined ? null : +least) && next(at + 1);
    }
    case "word": return at < values.length && values[at].type === "ident" && lower(values[at].value) === node.word && next(at + 1);
    case "function": return at < values.length && values[at].type === "function" && values[at].name === node.name.toLowerCase() && next(at + 1);
    case "mark": {
        const isThere = node.mark === "," ? values[at]?.type === "comma" : values[at]?.type === "delim" && values[at].value === node.mark;
        return isThere && next(at + 1);
    }
    case "row": {
        const step = (index, place) => (index === node.list.length ? next(place) : match(node.list[index], values, place, (end) => step(index + 1, end)));
        return step(0, at);
    }
    case "one": return node.list.some((part) => match(part, values, at, next));
    case "any": case "all": {
        const step = (left, place) => {
            if (left.length > 0 && left.some((part, index) => match(part, values, place, (end) => end > place && step(left.filter((_, other) => other !== index), end)))) return true;
            const isDone = node.kind === "any" ? left.length < node.list.length : left.every((part) => match(part, values, values.length, (end) => end === values.length));
            return isDone && next(place);
        };
        return step(node.list, at);
    }
    default: {
        const step = (count, place) => {
            if (count < node.most) {
                const start = count > 0 && node.comma ? (values[place]?.type === "comma" ? place + 1 : -1) : place;
                if (start >= 0 && match(node.node, values, start, (end) => end > start && step(count + 1, end))) return true;
            }
            return count >= node.least && next(place);
        };
        return step(0, at);
    }
    }
}

/** Whether values without white space match a syntax as a whole. */
export const isMatch = (syntax, values) => match(parse(syntax), values, 0, (end) => end === values.length);

/** The places where a match that begins at a place may end, the farthest first. */
export function endsOf(syntax, values, at) {
    const ends = new Set();
    match(parse(syntax), values, at, (end) => {
        ends.add(end);
        return false;
    });
    return [...ends].filter((end) => end > at).sort((one, other) => other - one);
}
