// Computed values, after https://drafts.csswg.org/css-cascade-5/: what `getComputedStyle` gives. There is no layout: of used
// values, only percentages of a width in pixels are resolved.
import { changes } from "./changes.js";
import { hasShadows, isShadowRoot, shadowOf, shownParent } from "./components.js";
import { declaration, Declarations } from "./css-declarations.js";
import { numberText } from "./css-math.js";
import { isWide, longhandNames, longhandValue, optionsFor, property } from "./css-properties.js";
import { text } from "./css-serialization.js";
import { combined, longhandsOf } from "./css-shorthands.js";
import { componentValues, trimmed } from "./css-tokens.js";
import { compile, Invalid, remembering, specificity, withHost } from "./selectors.js";
import { displays, RuleIndex } from "./styles.js";
import { rootOf } from "./tree.js";

// After the style sheet of https://html.spec.whatwg.org/multipage/rendering.html; `display` is in styles.js.
const defaults = `
[hidden], area, base, basefont, datalist, head, link, meta, noembed, noframes, param, rp, script, style, template, title, dialog:not([open]), input[type=hidden] { display: none }
body { margin: 8px }
address, dfn, cite, em, i, var { font-style: italic }
b, strong, th { font-weight: bolder }
blockquote, figure { margin: 1em 40px }
p, dl, pre, listing, plaintext, xmp { margin-top: 1em; margin-bottom: 1em }
ul, ol, menu, dir { margin-top: 1em; margin-bottom: 1em; padding-left: 40px }
ul, menu, dir { list-style-type: disc } ol { list-style-type: decimal }
dd { margin-left: 40px }
h1 { font-size: 2em; font-weight: bold; margin-top: .67em; margin-bottom: .67em }
h2 { font-size: 1.5em; font-weight: bold; margin-top: .83em; margin-bottom: .83em }
h3 { font-size: 1.17em; font-weight: bold; margin-top: 1em; margin-bottom: 1em }
h4 { font-weight: bold; margin-top: 1.33em; margin-bottom: 1.33em }
h5 { font-size: .83em; font-weight: bold; margin-top: 1.67em; margin-bottom: 1.67em }
h6 { font-size: .67em; font-weight: bold; margin-top: 2.33em; margin-bottom: 2.33em }
code, kbd, pre, samp, tt, listing, plaintext, xmp { font-family: monospace; font-size: 13px }
pre, listing, plaintext, xmp { white-space: pre } textarea { white-space: pre-wrap }
big { font-size: larger } small, sub, sup { font-size: smaller }
sub { vertical-align: sub } sup { vertical-align: super }
ins, u { text-decoration: underline } del, s, strike { text-decoration: line-through }
mark { background-color: yellow; color: black }
a:any-link { color: linktext; text-decoration: underline; cursor: pointer }
center { text-align: -webkit-center } th { text-align: center }
hr { border: 1px inset gray; margin: 0.5em auto; overflow: hidden; color: gray }
table { border-collapse: separate; border-spacing: 2px; box-sizing: border-box; text-indent: 0 }
td, th { padding: 1px; vertical-align: inherit } thead, tbody, tfoot { vertical-align: middle } tr { vertical-align: inherit }
fieldset { margin: 0 2px; border: 2px groove #c0c0c0; padding: .35em .75em .625em }
button, input, select, textarea { font-size: 13.3333px; letter-spacing: normal; text-align: start; margin: 0; cursor: default }
button, input[type=submit], input[type=button], input[type=reset] { text-align: center; box-sizing: border-box; padding: 1px 6px; border: 2px outset buttonborder; background-color: buttonface; color: buttontext }
input, textarea { cursor: text } details > summary:first-of-type { list-style-type: disclosure-closed }
[dir=rtl] { direction: rtl } [dir=ltr] { direction: ltr } bdo, bdi { unicode-bidi: isolate }
nobr { white-space: nowrap }
`.replace("", "");
const displayRules = [...displays].filter(([, display]) => display !== "none").map(([name, display]) => `${name} { display: ${display} }`).join("\n");

const sizes = { "xx-small": 9, "x-small": 10, small: 13, medium: 16, large: 18, "x-large": 24, "xx-large": 32, "xxx-large": 48 };
const edges = { left: "0%", top: "0%", center: "50%", right: "100%", bottom: "100%" };
const widths = { thin: 1, medium: 3, thick: 5 };
const blocks = { inline: "block", "inline-block": "block", "inline-flex": "flex", "inline-grid": "grid", "inline-table": "table" };
const pseudo = /::?(before|after|first-line|first-letter|marker|placeholder|selection|backdrop)$/i;

const isInheriting = (written) => written === undefined || /^(?:inherit|unset|revert|revert-layer)$/i.test(written);

// A property may refer to others one through the other this often, and may become so long: more is as invalid as a cycle.
const chainLimit = 100, lengthLimit = 1 << 16;

// The functions `var` of values replaced; null if one has no value.
function substituted(source, valueOf, depth = 0) {
    if (depth > 16 || source.length > lengthLimit) return null;
    const replace = (values, from, to) => {
        let written = "", at = from;
        for (const value of values) {
            if (value.values === undefined) continue;
            if (value.type === "function" && (value.name === "var" || value.name === "env")) {
                const own = trimmed(value.values), comma = own.findIndex(({ type }) => type === "comma");
                const name = own[0]?.type === "ident" ? own[0].value : "";
                let found = value.name === "var" ? valueOf(name) : name.startsWith("safe-area-inset-") ? "0px" : null;
                if (found === null && comma >= 0) {
                    const start = own[comma].end, end = own.at(-1).end;
                    found = substituted(source.slice(start, end).trim(), valueOf, depth + 1);
                }
                if (found === null) return null;
                written += source.slice(at, value.start) + found;
            } else {
                const inner = value.values.length === 0 ? "" : replace(value.values, value.values[0].start, value.values.at(-1).end);
                if (inner === null) return null;
                if (value.values.length === 0) continue;
                written += source.slice(at, value.values[0].start) + inner;
                at = value.values.at(-1).end;
                continue;
            }
            at = value.end;
        }
        return written + source.slice(at, to);
    };
    return replace(componentValues(source), 0, source.length);
}

/** `rules(take)` calls `take` with the rules of the document's style sheets; see `eachRule` in css-rules.js. */
export class ComputedStyles {
    #rules; #global; #count = -1; #known = new Map(); #scopes = new Map(); #agent; #root = null;

    constructor(global, rules) {
        this.#global = global;
        this.#rules = rules;
        const list = [];
        for (const [, selector, body] of `${displayRules}\n${defaults}`.matchAll(/([^{}]+)\{([^}]*)\}/g)) {
            const block = Declarations.parse(body);
            for (const one of compile(selector.trim())) list.push({ selector: one, specificity: specificity(one), block });
        }
        this.#agent = new RuleIndex(list);
    }

    /** The resolved value of a property of an element; empty if there is none. */
    value(element, name, part) {
        this.#begin(element.ownerDocument);
        if (name.startsWith("--")) return this.#custom(element, name, part) ?? "";
        const longhands = longhandsOf(name);
        if (longhands !== undefined) return combined(name, (longhand) => this.#computed(element, longhand, part));
        return property(name) === undefined ? "" : this.#resolved(element, name, part);
    }

    names = () => [...longhandNames()];

    #begin(document) {
        if (this.#count === changes.all && this.#root === document) return;
        this.#count = changes.all;
        this.#root = document;
        this.#known = new Map();
        this.#scopes = new Map();
    }

    // The rules of the style sheets of a tree: an index for each pseudo-element, and the order of layers.
    #scope(root) {
        if (this.#scopes.has(root)) return this.#scopes.get(root);
        const lists = new Map([["", []]]), names = new Map();
        this.#rules(root, ({ selector, block, layer }) => {
            const path = layer === null || layer === undefined ? null : layer.join("\u0000");
            // A layer ends after those within it.
            if (path !== null) for (let size = 1; size <= layer.length; size++) if (!names.has(layer.slice(0, size).join("\u0000"))) names.set(layer.slice(0, size).join("\u0000"), layer.slice(0, size));
            if (block === undefined) return;
            let list;
            try {
                list = split(selector).map((one) => {
                    const found = pseudo.exec(one);
                    return [found === null ? "" : found[1].toLowerCase(), compile(found === null ? one : one.slice(0, found.index) || "*")];
                });
            } catch (error) {
                if (error instanceof Invalid) return;
                throw error;
            }
            for (const [part, compiled] of list) {
                if (!lists.has(part)) lists.set(part, []);
                for (const one of compiled) lists.get(part).push({ selector: one, specificity: specificity(one), block, path });
            }
        });
        const scope = { layers: orderOf(names), indexes: new Map([...lists].map(([part, list]) => [part, new RuleIndex(list)])) };
        this.#scopes.set(root, scope);
        return scope;
    }

    // The cascaded values of an element, each as `{ value, source, priority }`, and those of the user agent.
    #cascaded(element, part = "") {
        let known = this.#known.get(element);
        if (known === undefined) this.#known.set(element, known = new Map());
        if (known.has(part)) return known.get(part);
        const found = { values: new Map(), agent: new Map(), ranks: new Map(), computed: new Map(), custom: new Map() };
        known.set(part, found);
        const take = (block, rank, importantRank) => {
            for (const [name, entry] of block.entries) {
                const own = entry.priority === "important" ? importantRank : rank, before = found.ranks.get(name);
                if (before !== undefined && compare(before, own) > 0) continue;
                found.ranks.set(name, own);
                found.values.set(name, entry);
            }
        };
        const { ownerDocument } = element;
        remembering(() => {
            if (part === "") {
                for (const { selector, specificity: weight, block, order } of this.#agent.candidates(element)) {
                    if (!selector.test(element, ownerDocument)) continue;
                    take(block, [0, 0, weight, order], [9, 0, weight, order]);
                    for (const [name, entry] of block.entries) found.agent.set(name, entry);
                }
            }
            for (const { root, host, ranks } of treesOf(element)) {
                const { layers, indexes } = this.#scope(root);
                withHost(host, () => {
                    for (const { selector, specificity: weight, block, path, order } of indexes.get(part)?.candidates(element) ?? []) {
                        if (!selector.test(element, ownerDocument)) continue;
                        const layer = path === null ? layers.length : layers.indexOf(path);
                        take(block, [ranks[0], layer, weight, order], [ranks[1], -layer, weight, order]);
                    }
                });
            }
        });
        if (part === "") {
            const own = element.getAttribute("style");
            if (own !== null && own !== "") take(Declarations.parse(own), [2, 0, 0, 0], [4, 0, 0, 0]);
        }
        return found;
    }

    #parent(element, part) { return part === "" ? parentOf(element) : element; }

    // The value of a custom property; `busy` has those whose values are being found, one within the other.
    #custom(element, name, part, busy = []) {
        const { values, custom } = this.#cascaded(element, part);
        if (custom.has(name)) return custom.get(name);
        const value = this.#customValue(element, name, part, busy, values.get(name)?.value);
        // Meanwhile it may have turned out to be part of a cycle.
        if (!custom.has(name)) custom.set(name, value);
        return custom.get(name);
    }
    #customValue(element, name, part, busy, written) {
        if (isInheriting(written)) {
            let at = element, of = part, own = written;
            while (isInheriting(own)) {
                at = this.#parent(at, of);
                of = "";
                if (at === null) return null;
                own = this.#cascaded(at).values.get(name)?.value;
            }
            return this.#custom(at, name, "");
        }
        if (/^initial$/i.test(written)) return null;
        if (!/\b(?:var|env)\(/i.test(written)) return written;
        // Every property of a cycle is without a value.
        const start = busy.indexOf(name);
        if (start >= 0) for (const one of busy.slice(start)) this.#cascaded(element, part).custom.set(one, null);
        if (start >= 0 || busy.length >= chainLimit) return null;
        busy.push(name);
        const found = substituted(written, (other) => this.#custom(element, other, part, busy));
        busy.pop();
        return found === null || found.length > lengthLimit ? null : found.trim();
    }

    #computed(element, name, part = "") {
        const { computed } = this.#cascaded(element, part);
        if (!computed.has(name)) {
            // A value that refers to itself counts as the initial one.
            computed.set(name, property(name).initial);
            computed.set(name, this.#compute(element, name, part));
        }
        return computed.get(name);
    }

    #compute(element, name, part) {
        const known = property(name), cascaded = this.#cascaded(element, part), parent = this.#parent(element, part);
        let specified = this.#specified(element, name, part, cascaded.values.get(name));
        if (specified === "revert" || specified === "revert-layer") specified = cascaded.agent.get(name)?.value ?? "unset";
        if (specified === null || specified === "unset") specified = known.isInherited ? "inherit" : "initial";
        if (specified === "inherit") {
            if (parent !== null) return this.#computed(parent, name, "");
            specified = "initial";
        }
        if (specified === "initial") specified = known.initial;
        return this.#absolute(element, name, specified, part, parent);
    }

    #specified(element, name, part, entry) {
        if (entry === undefined) return null;
        const { value, source } = entry;
        const valueOf = (other) => this.#custom(element, other, part);
        if (source !== undefined) {
            const written = substituted(source.text, valueOf);
            return written === null ? null : declaration(source.shorthand, written)?.find(([longhand]) => longhand === name)?.[1] ?? null;
        }
        if (isWide(value) || !/\b(?:var|env)\(/i.test(value)) return value;
        const written = substituted(value, valueOf), values = written === null ? [] : trimmed(componentValues(written));
        return values.length === 0 ? null : longhandValue(property(name), values, written);
    }

    // A value with lengths in pixels and colors as they are shown.
    #absolute(element, name, specified, part, parent) {
        const parentValue = (other) => (parent === null ? null : this.#computed(parent, other));
        const own = (other) => this.#computed(element, other, part);
        const context = {
            isComputed: true,
            current: () => (name === "color" ? parentValue("color") ?? "rgb(0, 0, 0)" : own("color")),
            address: (address) => {
                try {
                    return new URL(address, element.baseURI).href;
                } catch {
                    return address;
                }
            },
            resolve: (unit, value) => {
                const isSize = name === "font-size", size = isSize ? parseFloat(parentValue("font-size") ?? "16") : null;
                const rootSize = () => (parentOf(element) === null && part === "" ? (isSize ? 16 : parseFloat(own("font-size"))) : parseFloat(this.#computed(element.ownerDocument.documentElement, "font-size")));
                const em = () => size ?? parseFloat(own("font-size"));
                switch (unit) {
                case "%": return isSize ? size * value / 100 : name === "line-height" ? em() * value / 100 : undefined;
                case "em": return em() * value;
                case "rem": return rootSize() * value;
                case "ex": case "ch": case "rex": case "rch": return (unit[0] === "r" ? rootSize() : em()) * value / 2;
                case "ic": case "cap": return em() * value;
                case "lh": case "rlh": {
                    const height = name === "line-height" || isSize ? parentValue("line-height") ?? "normal" : own("line-height");
                    return value * (height === "normal" ? em() * 1.2 : /px$/.test(height) ? parseFloat(height) : parseFloat(height) * em());
                }
                }
                const [, kind] = /^[sld]?(v(?:w|h|i|b|min|max))$/.exec(unit) ?? [];
                if (kind === undefined) return undefined;
                const { innerWidth: width, innerHeight: height } = this.#global;
                const whole = { vw: width, vi: width, vh: height, vb: height, vmin: Math.min(width, height), vmax: Math.max(width, height) }[kind];
                return whole * value / 100;
            },
        };
        switch (name) {
        case "font-size": {
            const size = parseFloat(parentValue("font-size") ?? "16");
            if (Object.hasOwn(sizes, specified)) return `${sizes[specified]}px`;
            if (specified === "larger" || specified === "smaller") return `${numberText(specified === "larger" ? size * 1.2 : size / 1.2)}px`;
            break;
        }
        case "font-weight":
            if (specified === "normal" || specified === "bold") return specified === "bold" ? "700" : "400";
            if (specified === "bolder" || specified === "lighter") {
                const weight = parseFloat(parentValue("font-weight") ?? "400");
                if (specified === "bolder") return weight < 350 ? "400" : weight < 550 ? "700" : weight < 900 ? "900" : `${weight}`;
                return weight < 100 ? `${weight}` : weight < 550 ? "100" : weight < 750 ? "400" : "700";
            }
            break;
        case "display":
            if (Object.hasOwn(blocks, specified) && (/^(?:absolute|fixed)$/.test(own("position")) || own("float") !== "none")) return blocks[specified];
            break;
        case "background-position-x": case "background-position-y":
            specified = specified.split(", ").map((one) => edges[one] ?? one).join(", ");
            break;
        case "float":
            return /^(?:absolute|fixed)$/.test(own("position")) ? "none" : specified;
        }
        if (name.endsWith("-width") && Object.hasOwn(widths, specified)) specified = `${widths[specified]}px`;
        const known = property(name), styled = /^(border-(?!image).*|outline|column-rule)-width$/.exec(name);
        if (styled !== null && /^(?:none|hidden)$/.test(own(`${styled[1]}-style`))) return "0px";
        return text(trimmed(componentValues(specified)), context, optionsFor(known));
    }

    // What the interface gives: a line height in pixels, and percentages of a known width.
    #resolved(element, name, part) {
        const value = this.#computed(element, name, part);
        if (name === "line-height" && /^[\d.]+$/.test(value)) return `${numberText(parseFloat(value) * parseFloat(this.#computed(element, "font-size", part)))}px`;
        if (!value.includes("%") || !/^(?:(?:min-|max-)?(?:width|height)|(?:margin|padding)-(?:top|right|bottom|left))$/.test(name)) return value;
        const parent = this.#parent(element, part);
        const whole = parent === null ? "" : this.#resolved(parent, name.endsWith("height") ? "height" : "width", "");
        if (!/^-?[\d.]+px$/.test(whole)) return value;
        const resolve = (unit, amount) => (unit === "%" ? parseFloat(whole) * amount / 100 : undefined);
        const context = { isComputed: true, resolve, current: () => "", address: (address) => address };
        return text(trimmed(componentValues(value)), context, optionsFor(property(name)));
    }
}

// What an element inherits from: in a shadow tree its host, or the slot that shows it.
const parentOf = shownParent;

// The trees whose style sheets an element has rules of, with the host for `:host`, and the ranks of their declarations, normal
// and important: those of its own tree come before those of the tree that it hosts.
function treesOf(element) {
    const own = hasShadows() ? rootOf(element) : null, shadow = shadowOf(element), isWithin = own !== null && isShadowRoot(own);
    const trees = [{ root: isWithin ? own : element.ownerDocument, host: isWithin ? own.host : null, ranks: [1, 3] }];
    if (shadow !== null) trees.push({ root: shadow, host: element, ranks: [0.5, 3.5] });
    return trees;
}

function compare(one, other) {
    for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return one[at] - other[at];
    return 0;
}

function split(selector) {
    const parts = [];
    let start = 0;
    for (const { type, start: from, end } of componentValues(selector)) {
        if (type !== "comma") continue;
        parts.push(selector.slice(start, from).trim());
        start = end;
    }
    return [...parts, selector.slice(start).trim()];
}

// The paths of layers in their order: what is directly in a layer comes after the layers in it.
function orderOf(names) {
    const found = [];
    const visit = (prefix) => {
        for (const [path, list] of names) {
            if (list.length !== prefix.length + 1 || !prefix.every((name, at) => list[at] === name)) continue;
            visit(list);
            found.push(path);
        }
    };
    visit([]);
    return found;
}

