// Colors, after https://drafts.csswg.org/css-color-4/.
import { byComma, trimmed } from "./css-tokens.js";
import { lower } from "./members.js";

// Names with their six hexadecimal digits.
const names = new Map(("aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4 black 000000 "
    + "blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0 chartreuse 7fff00 chocolate d2691e "
    + "coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b "
    + "darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 "
    + "darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f "
    + "darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff "
    + "firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod daa520 "
    + "gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 "
    + "khaki f0e68c lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 "
    + "lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1 lightsalmon ffa07a "
    + "lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0 "
    + "lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 "
    + "mediumpurple 9370db mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585 "
    + "midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000 "
    + "olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee "
    + "palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080 "
    + "rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 "
    + "seashell fff5ee sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa "
    + "springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3 "
    + "white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32").match(/\S+ \S+/g).map((pair) => pair.split(" ")));
// Those of a browser with a light color scheme.
const system = new Map(Object.entries({
    accentcolor: "0075ff", accentcolortext: "ffffff", activetext: "ff0000", buttonborder: "000000", buttonface: "efefef", buttontext: "000000",
    canvas: "ffffff", canvastext: "000000", field: "ffffff", fieldtext: "000000", graytext: "808080", highlight: "b5d5ff",
    highlighttext: "000000", linktext: "0000ee", mark: "ffff00", marktext: "000000", selecteditem: "0075ff", selecteditemtext: "ffffff",
    visitedtext: "551a8b",
}));

const ofHex = (digits) => {
    const pairs = digits.length < 6 ? [...digits].map((digit) => digit + digit) : digits.match(/../g);
    const [red, green, blue, alpha = 255] = pairs.map((pair) => parseInt(pair, 16));
    return { red, green, blue, alpha: alpha / 255 };
};
const within = (value, least, most) => Math.min(most, Math.max(least, value));
const short = (value, digits = 6) => `${+value.toFixed(digits)}`;

// The shortest number with at most three digits that gives the same eight bits.
function alphaText(alpha) {
    const byte = Math.round(alpha * 255), two = Math.round(alpha * 100) / 100;
    return short(Math.round(two * 255) === byte ? two : alpha, 3);
}

function ofHue(hue, saturation, lightness) {
    const part = (offset) => {
        const place = (offset + hue / 30) % 12;
        return 255 * (lightness - saturation * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(place - 3, 9 - place, 1)));
    };
    return { red: part(0), green: part(8), blue: part(4) };
}

function ofWhite(hue, white, black, alpha) {
    const total = white + black, gray = total >= 1 ? 255 * white / total : null, pure = ofHue(hue, 1, 0.5);
    const mixed = (part) => gray ?? within(pure[part] * (1 - total) + 255 * white, 0, 255);
    return { red: mixed("red"), green: mixed("green"), blue: mixed("blue"), alpha };
}

const angles = { deg: 1, grad: 0.9, rad: 180 / Math.PI, turn: 360 };

// The three components and the alpha value of a function, in the syntax with or without commas; or null.
function components(values, allowsCommas) {
    const lists = byComma(values);
    let parts, alpha = { type: "number", value: 1 };
    if (lists.length > 1) {
        if (!allowsCommas || lists.length > 4 || lists.some((list) => list.length !== 1)) return null;
        parts = lists.map(([one]) => one);
        if (parts.length === 4) alpha = parts.pop();
    } else {
        parts = trimmed(values).filter(({ type }) => type !== "space");
        const slash = parts.findIndex(({ type, value }) => type === "delim" && value === "/");
        if (slash >= 0) {
            if (slash !== parts.length - 2) return null;
            alpha = parts[slash + 1];
            parts = parts.slice(0, slash);
        }
    }
    if (parts.length !== 3) return null;
    const isNone = (one) => one.type === "ident" && one.value.toLowerCase() === "none" && lists.length === 1;
    const simple = (one) => (isNone(one) ? { type: "number", value: 0 } : one);
    alpha = simple(alpha);
    if (alpha.type !== "number" && alpha.type !== "percentage") return null;
    return { parts: parts.map(simple), alpha: within(alpha.type === "percentage" ? alpha.value / 100 : alpha.value, 0, 1), isLegacy: lists.length > 1 };
}

const spaces = /^(?:srgb|srgb-linear|display-p3|a98-rgb|prophoto-rgb|rec2020|xyz|xyz-d50|xyz-d65)$/;
const other = /^(?:lab|lch|oklab|oklch|light-dark)$/;

/**
 * The color of a component value: `{ red, green, blue, alpha }` with components from 0 to 255, `{ keyword }`, `{ mix }`, or
 * `{ text }` for color spaces that are not converted; null if it is none.
 */
export function colorOf(value) {
    if (value.type === "hash") return /^(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(value.value) ? ofHex(value.value) : null;
    if (value.type === "ident") {
        const keyword = lower(value.value);
        return keyword === "currentcolor" || keyword === "transparent" || names.has(keyword) || system.has(keyword) ? { keyword } : null;
    }
    if (value.type !== "function") return null;
    const { name, values } = value;
    if (name === "rgb" || name === "rgba") {
        const found = components(values, true);
        if (found === null) return null;
        const kinds = new Set(found.parts.map(({ type }) => type));
        if ((found.isLegacy && kinds.size > 1) || [...kinds].some((kind) => kind !== "number" && kind !== "percentage")) return null;
        const [red, green, blue] = found.parts.map((part) => within(part.type === "percentage" ? part.value * 2.55 : part.value, 0, 255));
        return { red, green, blue, alpha: found.alpha };
    }
    if (name === "hsl" || name === "hsla" || name === "hwb") {
        const found = components(values, name !== "hwb");
        if (found === null) return null;
        const [hue, saturation, lightness] = found.parts;
        if (hue.type !== "number" && !(hue.type === "dimension" && hue.unit in angles)) return null;
        for (const part of [saturation, lightness]) if (part.type !== "percentage" && (found.isLegacy || part.type !== "number")) return null;
        const degrees = hue.value * (hue.type === "dimension" ? angles[hue.unit] : 1);
        if (name === "hwb") return ofWhite(((degrees % 360) + 360) % 360, saturation.value / 100, lightness.value / 100, found.alpha);
        return { ...ofHue(((degrees % 360) + 360) % 360, within(saturation.value, 0, 100) / 100, within(lightness.value, 0, 100) / 100), alpha: found.alpha };
    }
    if (name === "color") {
        const list = trimmed(values), space = list[0]?.type === "ident" ? list[0].value.toLowerCase() : "";
        const found = spaces.test(space) ? components(list.slice(1), false) : null;
        if (found === null || found.parts.some(({ type }) => type !== "number" && type !== "percentage")) return null;
        const numbers = found.parts.map((part) => (part.type === "percentage" ? part.value / 100 : part.value));
        const alpha = found.alpha < 1 ? ` / ${alphaText(found.alpha)}` : "";
        return { text: `color(${space === "xyz" ? "xyz-d65" : space} ${numbers.map((one) => short(one)).join(" ")}${alpha})`, space, numbers, alpha: found.alpha };
    }
    if (name === "color-mix") return mixOf(values);
    if (other.test(name) && values.length > 0) return { written: value };
    return null;
}

function mixOf(values) {
    const [method, ...lists] = byComma(values);
    const words = method.filter(({ type }) => type === "ident").map((one) => one.value.toLowerCase());
    if (lists.length !== 2 || words[0] !== "in" || words.length < 2) return null;
    const parts = lists.map((list) => {
        const some = list.filter(({ type }) => type !== "space"), share = some.find(({ type }) => type === "percentage");
        const rest = some.filter((one) => one !== share);
        const color = rest.length === 1 ? colorOf(rest[0]) : null;
        return color === null ? null : { color, share: share?.value };
    });
    if (parts.includes(null)) return null;
    return { mix: parts, method: words.slice(1).join(" ") };
}

/** A color as it is written in a declaration. `written` serializes values that are kept. */
export function specifiedColor(color, written) {
    if (color.keyword !== undefined) return color.keyword;
    if (color.text !== undefined) return color.text;
    if (color.written !== undefined) return written(color.written);
    if (color.mix !== undefined) {
        const parts = color.mix.map((part) => specifiedColor(part.color, written) + (part.share === undefined ? "" : ` ${short(part.share)}%`));
        return `color-mix(in ${color.method}, ${parts.join(", ")})`;
    }
    const [red, green, blue] = [color.red, color.green, color.blue].map((part) => Math.round(part));
    return color.alpha < 1 ? `rgba(${red}, ${green}, ${blue}, ${alphaText(color.alpha)})` : `rgb(${red}, ${green}, ${blue})`;
}

/** The color that is computed, where `current()` is the color of the text, as a text. */
export function computedColor(color, current, written) {
    if (color.keyword === "currentcolor") return current();
    if (color.keyword === "transparent") return "rgba(0, 0, 0, 0)";
    if (color.keyword !== undefined) return specifiedColor(ofHex(names.get(color.keyword) ?? system.get(color.keyword)), written);
    if (color.mix === undefined || color.method !== "srgb") return specifiedColor(color, written);
    const resolved = color.mix.map((part) => rgbOf(part.color, current, written));
    if (resolved.includes(null)) return specifiedColor(color, written);
    let [one, two] = color.mix.map(({ share }) => share);
    one ??= two === undefined ? 50 : 100 - two;
    two ??= 100 - one;
    const total = one + two, alphas = resolved.map(({ alpha }) => alpha);
    if (total === 0) return specifiedColor(color, written);
    const alpha = (alphas[0] * one + alphas[1] * two) / total;
    const parts = [0, 1, 2].map((at) => (alpha === 0 ? 0 : (resolved[0].parts[at] * alphas[0] * one + resolved[1].parts[at] * alphas[1] * two) / total / alpha));
    const whole = alpha * Math.min(1, total / 100);
    return `color(srgb ${parts.map((part) => short(part)).join(" ")}${whole < 1 ? ` / ${alphaText(whole)}` : ""})`;
}

// Components from 0 to 1, of colors in sRGB.
function rgbOf(color, current, written) {
    if (color.red !== undefined) return { parts: [color.red / 255, color.green / 255, color.blue / 255], alpha: color.alpha };
    if (color.space === "srgb") return { parts: color.numbers, alpha: color.alpha };
    const found = /^(?:rgba?\((.*)\)|color\(srgb (.*)\))$/.exec(computedColor(color, current, written));
    if (found === null) return null;
    const [red, green, blue, alpha = 1] = (found[1] ?? found[2]).split(/[ ,/]+/).map(Number);
    return { parts: found[1] === undefined ? [red, green, blue] : [red / 255, green / 255, blue / 255], alpha };
}
