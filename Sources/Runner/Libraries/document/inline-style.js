// The `style` of elements and of rules, and computed styles: the interface CSSStyleDeclaration, after
// https://drafts.csswg.org/cssom/#the-cssstyledeclaration-interface. Its parser is evaluated at the first use of a `style`.
import CSSStyleDeclaration from "domino/lib/CSSStyleDeclaration";
import { elements } from "domino/lib/htmlelts";
import { elements as svgElements } from "domino/lib/svg";
import { add } from "./members.js";

const camel = (name) => name.replace(/^-/, "").replace(/-([a-z])/g, (all, letter) => letter.toUpperCase());
const pascal = (name) => camel(name).replace(/^webkit/, "Webkit");
const owners = new WeakMap();

/**
 * A style that is not of an element: `read` gives its Declarations, `write` is called after a change, `rule` is its rule;
 * or `computed` gives the value of a name, and `names` those that have one.
 */
export function styleOf(owner) {
    fill();
    const style = Object.create(CSSStyleDeclaration.prototype);
    owners.set(style, owner);
    return style;
}

const attributes = new WeakMap();
let parser = null, isFilled = false, refuse = null;

// Through `require`, what it loads is evaluated at its first call.
const declarations = () => (parser ??= require("./css-declarations.js"));

function listOf(style) {
    const owner = owners.get(style);
    if (owner !== undefined) return owner.read();
    const text = style._element.getAttribute("style") ?? "";
    let known = attributes.get(style);
    if (known === undefined || known.text !== text) attributes.set(style, known = { text, list: declarations().Declarations.parse(text) });
    return known.list;
}

function changed(style, list) {
    const owner = owners.get(style);
    if (owner !== undefined) {
        owner.write(list);
        return;
    }
    const { text } = list;
    attributes.set(style, { text, list });
    style._element.setAttribute("style", text);
}

function toChange(style) {
    if (owners.get(style)?.computed !== undefined) refuse("These styles are computed, and therefore the property is read-only.");
}

const members = {
    get cssText() { return owners.get(this)?.computed === undefined ? listOf(this).text : ""; },
    set cssText(text) {
        toChange(this);
        changed(this, declarations().Declarations.parse(`${text}`));
    },
    get length() { return owners.get(this)?.names?.().length ?? listOf(this).names.length; },
    get parentRule() { return owners.get(this)?.rule ?? null; },
    item(index) { return (owners.get(this)?.names?.() ?? listOf(this).names)[index >>> 0] ?? ""; },
    getPropertyValue(name) {
        const property = declarations().nameOf(`${name}`), owner = owners.get(this);
        return owner?.computed === undefined ? listOf(this).value(property) : owner.computed(property);
    },
    getPropertyPriority(name) {
        return owners.get(this)?.computed === undefined ? listOf(this).priority(declarations().nameOf(`${name}`)) : "";
    },
    setProperty(name, value, priority = "") {
        toChange(this);
        const property = declarations().nameOf(`${name}`), text = value === null ? "" : `${value}`.trim();
        const rank = `${priority ?? ""}`.toLowerCase();
        if (!declarations().isKnown(property) || (rank !== "" && rank !== "important")) return;
        if (text === "") {
            this.removeProperty(property);
            return;
        }
        const list = listOf(this);
        if (list.set(property, text, rank)) changed(this, list);
    },
    removeProperty(name) {
        toChange(this);
        const property = declarations().nameOf(`${name}`), list = listOf(this), before = list.value(property);
        if (list.remove(property)) changed(this, list);
        return before;
    },
    *[Symbol.iterator]() { for (let index = 0; index < this.length; index++) yield this.item(index); },
};

// Accessors for all properties.
function fill() {
    if (isFilled) return;
    isFilled = true;
    const { prototype } = CSSStyleDeclaration;
    for (const name of Object.keys(prototype)) delete prototype[name];
    add(prototype, members);
    for (const property of declarations().propertyNames()) {
        const accessor = {
            configurable: true, enumerable: true,
            get() { return this.getPropertyValue(property); },
            set(value) { this.setProperty(property, value); },
        };
        const names = property.startsWith("-webkit-") ? [camel(property), pascal(property), property] : [camel(property), property];
        for (const name of property === "float" ? ["cssFloat", "float"] : names) {
            Object.defineProperty(prototype, name, { ...accessor, enumerable: name === names[0] || property === "float" });
        }
    }
    // Indexes are rarely used; a proxy for each style would cost every access.
    for (let index = 0; index < 32; index++) {
        Object.defineProperty(prototype, index, {
            configurable: true, enumerable: false, get() { return this.item(index) || undefined; },
        });
    }
}

export function install(bridge) {
    refuse = (message) => { throw new bridge.DOMException(message, "NoModificationAllowedError"); };
    for (const { prototype } of [elements.HTMLElement, svgElements.SVGElement]) {
        const { set } = Object.getOwnPropertyDescriptor(prototype, "style");
        Object.defineProperty(prototype, "style", {
            configurable: true, enumerable: true,
            get() {
                fill();
                return this._style ??= new CSSStyleDeclaration(this);
            },
            set,
        });
    }
    return { CSSStyleDeclaration };
}
