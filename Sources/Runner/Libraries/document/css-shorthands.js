// Shorthand properties: the expansion of each into its longhands, and the value of a shorthand that represents
// given longhands.
import { endsOf, isMatch } from "./css-grammar.js";
import { longhandValue, property } from "./css-properties.js";
import { text } from "./css-serialization.js";
import { byComma } from "./css-tokens.js";

const sides = ["top", "right", "bottom", "left"];
const around = (before, after = "") => sides.map((side) => `${before}${side}${after}`);
const corners = ["top-left", "top-right", "bottom-right", "bottom-left"].map((corner) => `border-${corner}-radius`);
const image = ["source", "slice", "width", "outset", "repeat"].map((part) => `border-image-${part}`);
const variants = ["ligatures", "caps", "alternates", "numeric", "east-asian", "position", "emoji"].map((part) => `font-variant-${part}`);

/** Each shorthand with the longhands that it sets. */
const shorthands = new Map();
const kinds = new Map();
const define = (kind, list) => {
    for (const [name, longhands] of Object.entries(list)) {
        shorthands.set(name, longhands);
        kinds.set(name, kind);
    }
};
const line = (before) => [`${before}-width`, `${before}-style`, `${before}-color`];
define("four", {
    margin: around("margin-"), padding: around("padding-"), inset: sides, "border-width": around("border-", "-width"),
    "border-style": around("border-", "-style"), "border-color": around("border-", "-color"), "scroll-margin": around("scroll-margin-"),
    "scroll-padding": around("scroll-padding-"),
});
define("two", {
    overflow: ["overflow-x", "overflow-y"], gap: ["row-gap", "column-gap"], "grid-gap": ["row-gap", "column-gap"],
    "overscroll-behavior": ["overscroll-behavior-x", "overscroll-behavior-y"],
    ...Object.fromEntries(["margin", "padding", "inset"].flatMap((name) => ["block", "inline"].map((axis) => [`${name}-${axis}`, [`${name}-${axis}-start`, `${name}-${axis}-end`]]))),
    ...Object.fromEntries(["width", "style", "color"].flatMap((name) => ["block", "inline"].map((axis) => [`border-${axis}-${name}`, [`border-${axis}-start-${name}`, `border-${axis}-end-${name}`]]))),
});
define("place", {
    "place-content": ["align-content", "justify-content"], "place-items": ["align-items", "justify-items"], "place-self": ["align-self", "justify-self"],
});
define("any", {
    ...Object.fromEntries(sides.map((side) => [`border-${side}`, line(`border-${side}`)])),
    ...Object.fromEntries(["block-start", "block-end", "inline-start", "inline-end"].map((side) => [`border-${side}`, line(`border-${side}`)])),
    outline: ["outline-color", "outline-style", "outline-width"], "column-rule": line("column-rule"),
    "list-style": ["list-style-position", "list-style-image", "list-style-type"], "flex-flow": ["flex-direction", "flex-wrap"],
    columns: ["column-width", "column-count"],
    "text-decoration": ["text-decoration-line", "text-decoration-thickness", "text-decoration-style", "text-decoration-color"],
    "text-emphasis": ["text-emphasis-style", "text-emphasis-color"],
});
define("list", {
    transition: ["transition-property", "transition-duration", "transition-timing-function", "transition-delay", "transition-behavior"],
    animation: ["animation-duration", "animation-timing-function", "animation-delay", "animation-iteration-count", "animation-direction",
        "animation-fill-mode", "animation-play-state", "animation-name"],
});
define("border", { border: [...around("border-", "-width"), ...around("border-", "-style"), ...around("border-", "-color"), ...image] });
define("radius", { "border-radius": corners });
define("slashes", { "border-image": image, "grid-row": ["grid-row-start", "grid-row-end"], "grid-column": ["grid-column-start", "grid-column-end"],
    "grid-area": ["grid-row-start", "grid-column-start", "grid-row-end", "grid-column-end"] });
define("flex", { flex: ["flex-grow", "flex-shrink", "flex-basis"] });
define("position", { "background-position": ["background-position-x", "background-position-y"] });
const layers = ["background-image", "background-position-x", "background-position-y", "background-size", "background-repeat", "background-attachment",
    "background-origin", "background-clip", "background-color"];
define("background", { background: layers });
define("font", { font: ["font-style", "font-variant-caps", "font-weight", "font-stretch", "font-size", "line-height", "font-family"] });
define("variant", { "font-variant": variants });

export const longhandsOf = (name) => shorthands.get(name);
export const shorthandNames = () => shorthands.keys();

const within = new Map();
/** The shorthands that set a longhand, those with most longhands first. */
export function shorthandsOf(name) {
    if (!within.has(name)) {
        const found = [...shorthands].filter(([one, list]) => list.includes(name) && one !== "grid-gap");
        within.set(name, found.sort((one, other) => other[1].length - one[1].length).map(([one]) => one));
    }
    return within.get(name);
}

const initial = (name) => property(name).initial;
const valueOf = (name, values) => (values.length === 0 ? null : longhandValue(property(name), values, text(values)));
const words = (values) => {
    // White space is dropped; a slash stays as an element of its own, so no space is needed around it.
    const parts = [];
    for (const value of values) if (value.type !== "space") parts.push(value);
    return parts;
};
const isSlash = ({ type, value }) => type === "delim" && value === "/";
function bySlash(values) {
    const lists = [[]];
    for (const value of values) {
        if (isSlash(value)) lists.push([]);
        else if (value.type !== "space") lists.at(-1).push(value);
    }
    return lists;
}
const spaced = (values) => values.flatMap((value, at) => (at === 0 || value.type === "comma" || values[at - 1].type === "comma" ? [value] : [{ type: "space" }, value]));

// Assigns words in any order to longhands, each at most once; the longest parts first. Null if that is impossible.
function anyOrder(names, values, syntaxOf = (name) => property(name).syntax) {
    const assign = (at, left) => {
        if (at === values.length) return new Map();
        for (const name of left) {
            for (const end of endsOf(syntaxOf(name), values, at)) {
                const rest = assign(end, left.filter((other) => other !== name));
                if (rest !== null) return rest.set(name, values.slice(at, end));
            }
        }
        return null;
    };
    return assign(0, names);
}
function anyOrderTexts(names, values, syntaxOf) {
    const found = anyOrder(names, values, syntaxOf);
    if (found === null) return null;
    return new Map(names.map((name) => [name, found.has(name) ? valueOf(name, spaced(found.get(name))) : initial(name)]));
}
const itemSyntax = (syntax) => syntax.replace(/#$/, "").replace(/none \| <custom-ident>$/, "none | <custom-ident>");
const all = (names, texts) => (texts.some((one) => one === null) ? null : new Map(names.map((name, at) => [name, texts[at]])));

// A background's position may have an offset for one axis only.
const placeSyntax = "<position> | [ center | [ left | right ] <length-percentage>? ] && [ center | [ top | bottom ] <length-percentage>? ]";

// The parts of a position for the two axes, or null.
function positionParts(values) {
    const parts = words(values), of = (list) => text(spaced(list), undefined, { zero: true });
    const is = (one, pattern) => one?.type === "ident" && pattern.test(one.value);
    if (!isMatch(placeSyntax, parts)) return null;
    const across = /^(?:left|right)$/i, down = /^(?:top|bottom)$/i, side = /^(?:left|right|top|bottom|center)$/i;
    if (parts.length === 1) return is(parts[0], down) ? ["center", of(parts)] : [of(parts), "center"];
    if (parts.length === 2) {
        const turned = is(parts[0], down) || is(parts[1], across);
        return turned ? [of([parts[1]]), of([parts[0]])] : [of([parts[0]]), of([parts[1]])];
    }
    const second = parts.findIndex((one, at) => at > 0 && is(one, side));
    const lists = [parts.slice(0, second), parts.slice(second)];
    if (is(lists[0][0], down) || is(lists[1][0], across)) lists.reverse();
    return lists.map(of);
}

const expanding = {
    four(names, values) {
        const parts = words(values);
        if (parts.length > 4) return null;
        const [top, right = top, bottom = top, left = right] = parts;
        return all(names, [top, right, bottom, left].map((part, at) => valueOf(names[at], [part])));
    },
    two(names, values) {
        const parts = words(values);
        return parts.length > 2 ? null : all(names, [parts[0], parts[1] ?? parts[0]].map((part, at) => valueOf(names[at], [part])));
    },
    place(names, values) {
        const parts = words(values);
        for (const end of endsOf(property(names[0]).syntax, parts, 0)) {
            const rest = end === parts.length ? parts : parts.slice(end);
            if (isMatch(property(names[1]).syntax, rest)) return all(names, [valueOf(names[0], spaced(parts.slice(0, end))), valueOf(names[1], spaced(rest))]);
        }
        return null;
    },
    any(names, values, shorthand) {
        const parts = words(values);
        const none = parts.findIndex(({ type, value }) => type === "ident" && value.toLowerCase() === "none");
        if (shorthand === "list-style" && none >= 0) {
            const rest = parts.filter((_, at) => at !== none), found = anyOrderTexts(names, rest);
            if (found === null) return null;
            if (found.get("list-style-type") === initial("list-style-type")) found.set("list-style-type", "none");
            return found;
        }
        return anyOrderTexts(names, parts);
    },
    list(names, values) {
        const lists = byComma(values).map((part) => anyOrderTexts(names, words(part), (name) => itemSyntax(property(name).syntax)));
        if (lists.includes(null)) return null;
        return new Map(names.map((name) => [name, lists.map((found) => found.get(name)).join(", ")]));
    },
    border(names, values) {
        const found = anyOrderTexts(line("border-top"), words(values));
        if (found === null) return null;
        return new Map(names.map((name) => [name, name.startsWith("border-image") ? initial(name) : found.get(name.replace(/right|bottom|left/, "top"))]));
    },
    radius(names, values) {
        const lists = bySlash(values);
        if (lists.length > 2 || lists.some((list) => list.length === 0 || list.length > 4)) return null;
        const spread = ([one, two = one, three = one, four = two]) => [one, two, three, four];
        const across = spread(lists[0]), down = spread(lists[1] ?? lists[0]);
        return all(names, names.map((name, at) => valueOf(name, spaced([across[at], down[at]]))));
    },
    slashes(names, values, shorthand) {
        const lists = bySlash(values);
        if (shorthand === "border-image") {
            const [head, ...rest] = lists, found = anyOrder([image[0], image[1], image[4]], head);
            if (found === null || rest.length > 2) return null;
            const part = (name, list) => (list === undefined || list.length === 0 ? initial(name) : valueOf(name, spaced(list)));
            return all(names, [part(image[0], found.get(image[0])), part(image[1], found.get(image[1])), part(image[2], rest[0]), part(image[3], rest[1]), part(image[4], found.get(image[4]))]);
        }
        if (lists.length > names.length) return null;
        const isName = (list) => list?.length === 1 && list[0].type === "ident" && list[0].value.toLowerCase() !== "auto";
        // What is left out is the same as its opposite, if that is a name.
        const [first] = lists, second = lists[1] ?? (isName(first) ? first : null);
        const whole = names.length === 2 ? [first, second]
            : [first, second, lists[2] ?? (isName(first) ? first : null), lists[3] ?? (isName(second) ? second : null)];
        return all(names, names.map((name, at) => (whole[at] === null ? "auto" : valueOf(name, spaced(whole[at])))));
    },
    flex(names, values) {
        const parts = words(values);
        if (parts.length === 1 && parts[0].type === "ident") {
            const known = { none: ["0", "0", "auto"], auto: ["1", "1", "auto"] }[parts[0].value.toLowerCase()];
            if (known !== undefined) return all(names, known);
        }
        const isNumber = (part) => isMatch("<number[0]>", [part]);
        const at = parts.findIndex(isNumber);
        const numbers = at < 0 ? [] : isNumber(parts[at + 1] ?? { type: "space" }) ? parts.slice(at, at + 2) : parts.slice(at, at + 1);
        const rest = parts.filter((part) => !numbers.includes(part));
        if (rest.length > 1) return null;
        const [grow = "1", shrink = "1"] = numbers.map((part) => text([part]));
        return all(names, [grow, shrink, rest.length === 0 ? "0%" : valueOf("flex-basis", rest)]);
    },
    position(names, values) {
        const lists = byComma(values).map(positionParts);
        return lists.includes(null) ? null : new Map(names.map((name, at) => [name, lists.map((list) => list[at]).join(", ")]));
    },
    background(names, values) {
        const syntax = {
            image: "none | <image>", position: placeSyntax,
            repeat: "<repeat-style>", attachment: "scroll | fixed | local", origin: "<visual-box>", clip: "<visual-box> | text", color: "<color>",
        };
        const lists = byComma(values), layersFound = [];
        for (const [index, list] of lists.entries()) {
            let parts = words(list), size = null;
            const slash = parts.findIndex(isSlash);
            if (slash >= 0) {
                const end = endsOf("<bg-size>", parts, slash + 1)[0];
                if (end === undefined || slash === 0) return null;
                size = parts.slice(slash + 1, end);
                // The position ends at the slash.
                const before = parts.slice(0, slash), after = parts.slice(end);
                const start = [...before.keys()].find((at) => isMatch(syntax.position, before.slice(at)));
                if (start === undefined) return null;
                const found = layer(Object.keys(syntax).filter((name) => name !== "position"), [...before.slice(0, start), ...after]);
                if (found === null) return null;
                layersFound.push(found.set("position", before.slice(start)).set("size", size));
            } else {
                const found = layer(Object.keys(syntax), parts);
                if (found === null || parts.length === 0) return null;
                layersFound.push(found);
            }
            if (layersFound.at(-1).has("color") && index < lists.length - 1) return null;
        }
        function layer(names, parts) { return anyOrder(names, parts, (name) => syntax[name]); }
        const part = (found, name, longhand) => (found.has(name) ? valueOf(longhand, spaced(found.get(name))) : initial(longhand));
        const column = (make) => layersFound.map(make).join(", ");
        const positions = layersFound.map((found) => (found.has("position") ? positionParts(found.get("position")) : ["0%", "0%"]));
        if (positions.includes(null)) return null;
        const boxes = layersFound.map((found) => [part(found, "origin", "background-origin"), found.has("clip") ? part(found, "clip", "background-clip")
            : found.has("origin") ? part(found, "origin", "background-origin") : "border-box"]);
        return new Map([
            [names[0], column((found) => part(found, "image", names[0]))], [names[1], positions.map(([x]) => x).join(", ")],
            [names[2], positions.map(([, y]) => y).join(", ")], [names[3], column((found) => part(found, "size", names[3]))],
            [names[4], column((found) => part(found, "repeat", names[4]))], [names[5], column((found) => part(found, "attachment", names[5]))],
            [names[6], boxes.map(([origin]) => origin).join(", ")], [names[7], boxes.map(([, clip]) => clip).join(", ")],
            [names[8], part(layersFound.at(-1), "color", names[8])],
        ]);
    },
    font(names, values) {
        const parts = words(values);
        if (parts.length === 1 && parts[0].type === "ident" && /^(?:caption|icon|menu|message-box|small-caption|status-bar)$/i.test(parts[0].value)) {
            return all(names, ["normal", "normal", "normal", "normal", "13.3333px", "normal", "sans-serif"]);
        }
        const first = parts.findIndex((part) => isMatch(property("font-size").syntax, [part]) && !isMatch(property("font-weight").syntax, [part]));
        if (first < 0) return null;
        const head = anyOrderTexts(names.slice(0, 4), parts.slice(0, first).filter(({ type, value }) => type !== "ident" || value.toLowerCase() !== "normal"),
            (name) => (name === "font-variant-caps" ? "small-caps" : name === "font-stretch" ? property(name).syntax.replace(" | <percentage[0]>", "") : property(name).syntax));
        const hasHeight = parts[first + 1] !== undefined && isSlash(parts[first + 1]);
        const height = hasHeight ? (parts[first + 2] === undefined ? null : valueOf("line-height", [parts[first + 2]])) : "normal";
        const family = spaced(parts.slice(first + (hasHeight ? 3 : 1)));
        if (head === null || height === null) return null;
        if (head.get("font-weight") === "400") head.set("font-weight", "normal");
        return all(names, [...head.values(), valueOf("font-size", [parts[first]]), height, valueOf("font-family", family)]);
    },
    variant(names, values) {
        const parts = words(values), written = text(values);
        if (written === "normal" || written === "none") return all(names, names.map((name) => (name.endsWith("ligatures") ? written : "normal")));
        const found = anyOrderTexts(["font-variant-caps"], parts);
        return found === null ? null : new Map(names.map((name) => [name, found.get(name) ?? "normal"]));
    },
};

/** The values of the longhands of a shorthand, or null if it cannot have a value. */
export const expanded = (name, values) => expanding[kinds.get(name)](shorthands.get(name), values, name);

const fourText = ([top, right, bottom, left]) => (left !== right ? [top, right, bottom, left] : bottom !== top ? [top, right, bottom] : right !== top ? [top, right] : [top]).join(" ");
const changed = (names, get) => names.map((name) => [get(name), initial(name)]).filter(([value, first]) => value !== first).map(([value]) => value);
const combining = {
    four: (names, get) => fourText(names.map(get)),
    two: (names, get) => (get(names[0]) === get(names[1]) ? get(names[0]) : `${get(names[0])} ${get(names[1])}`),
    any: (names, get) => changed(names, get).join(" ") || get(names[0]),
    list(names, get) {
        const lists = names.map((name) => split(get(name)));
        if (new Set(lists.map((list) => list.length)).size > 1) return "";
        return lists[0].map((_, at) => names.flatMap((name, index) => (lists[index][at] === initial(name) ? [] : [lists[index][at]])).join(" ") || lists[0][at]).join(", ");
    },
    border(names, get) {
        const lists = [0, 4, 8].map((start) => names.slice(start, start + 4).map(get));
        if (lists.some((list) => new Set(list).size > 1) || image.some((name) => get(name) !== initial(name))) return "";
        return combining.any(line("border-top"), get);
    },
    radius(names, get) {
        const pairs = names.map((name) => get(name).split(/ (?![^(]*\))/)), across = fourText(pairs.map(([one]) => one)), down = fourText(pairs.map(([one, two = one]) => two));
        return across === down ? across : `${across} / ${down}`;
    },
    slashes(names, get) {
        if (names === image) {
            const [source, slice, width, outset, repeat] = names.map(get), isPlain = (at, value) => value === initial(names[at]);
            const middle = isPlain(2, width) && isPlain(3, outset) ? "" : isPlain(3, outset) ? ` / ${width}` : ` / ${width} / ${outset}`;
            const parts = [isPlain(0, source) ? "" : source, isPlain(1, slice) && middle === "" ? "" : `${slice}${middle}`, isPlain(4, repeat) ? "" : repeat].filter((part) => part !== "");
            return parts.join(" ") || "none";
        }
        const values = names.map(get);
        while (values.length > 1 && values.at(-1) === "auto") values.pop();
        if (names.length === 2 && values[0] === values[1] && /^[a-z_]/i.test(values[0]) && !values[0].startsWith("span")) values.pop();
        return values.join(" / ");
    },
    flex: (names, get) => names.map(get).join(" "),
    position(names, get) {
        const [across, down] = names.map((name) => get(name).split(", "));
        return across.length === down.length ? across.map((x, at) => `${x} ${down[at]}`).join(", ") : "";
    },
    background(names, get) {
        const values = names.slice(0, 8).map((name) => split(get(name))), count = values[0].length;
        const color = get(names[8]);
        if (values.some((list) => list.length !== count)) return "";
        return values[0].map((picture, at) => {
            const [, x, y, size, repeat, attachment, origin, clip] = values.map((list) => list[at]), parts = [];
            if (picture !== "none") parts.push(picture);
            if (x !== "0%" || y !== "0%" || size !== "auto") parts.push(size === "auto" ? `${x} ${y}` : `${x} ${y} / ${size}`);
            if (repeat !== "repeat") parts.push(repeat);
            if (attachment !== "scroll") parts.push(attachment);
            if (origin !== "padding-box" || clip !== "border-box") parts.push(...origin === clip ? [origin] : [origin, clip]);
            if (at === count - 1 && color !== "transparent" && color !== "rgba(0, 0, 0, 0)") parts.push(color);
            return parts.join(" ") || (at === count - 1 && color === "rgba(0, 0, 0, 0)" ? color : "none");
        }).join(", ");
    },
    font(names, get) {
        const [style, caps, weight, stretch, size, height, family] = names.map(get);
        if (!["normal", "small-caps"].includes(caps)) return "";
        const head = [style, caps, weight === "400" ? "normal" : weight, stretch === "100%" ? "normal" : stretch].filter((part) => part !== "normal");
        return [...head, height === "normal" ? size : `${size} / ${height}`, family].join(" ");
    },
    variant: (names, get) => names.map(get).filter((value) => value !== "normal").join(" ") || "normal",
};
combining.place = combining.two;

// The parts between commas that are not in parentheses.
function split(written) {
    const parts = [];
    let depth = 0, start = 0;
    for (let at = 0; at < written.length; at++) {
        if (written[at] === "(") depth++;
        else if (written[at] === ")") depth--;
        else if (written[at] === "," && depth === 0) {
            parts.push(written.slice(start, at).trim());
            start = at + 1;
        }
    }
    return [...parts, written.slice(start).trim()];
}

/** The value of a shorthand whose longhands have the values that `get` gives; empty if it cannot express them. */
export const combined = (name, get) => combining[kinds.get(name)](shorthands.get(name), get);
