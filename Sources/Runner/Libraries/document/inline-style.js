// The `style` of an element, as the list of declarations in its attribute. Values are kept as written: only what
// cannot be a value of any property is refused.
import CSSStyleDeclaration from "domino/lib/CSSStyleDeclaration";
import { add } from "./members.js";

// Properties that domino's list lacks.
const more = ("accent-color appearance aspect-ratio backdrop-filter block-size border-block border-end-end-radius border-inline "
    + "border-start-start-radius caret-color clip-path color-scheme column-gap columns contain container filter font-feature-settings "
    + "font-variation-settings gap grid grid-area grid-auto-columns grid-auto-flow grid-auto-rows grid-column grid-column-end "
    + "grid-column-start grid-gap grid-row grid-row-end grid-row-start grid-template grid-template-areas grid-template-columns "
    + "grid-template-rows hyphens inline-size inset inset-block inset-inline isolation justify-items justify-self margin-block "
    + "margin-inline mask mask-image mix-blend-mode object-fit object-position offset overflow-anchor overscroll-behavior padding-block "
    + "padding-inline place-content place-items place-self rotate row-gap scale scroll-behavior scroll-margin scroll-snap-type "
    + "text-decoration-color text-decoration-line text-decoration-style text-decoration-thickness text-underline-offset "
    + "touch-action transform-box transform-origin transform-style translate user-select will-change").split(" ");

/** The declarations of a `style` attribute, as a map from property to value and priority. */
export function parseDeclarations(text) {
    const found = new Map();
    for (const part of splitOutside(text.replace(/\/\*[^]*?(?:\*\/|$)/g, " "), ";")) {
        const colon = part.indexOf(":");
        const name = nameOf(part.slice(0, colon).trim());
        if (colon < 0 || !isName(name)) continue;
        const important = /!\s*important\s*$/i.test(part);
        const value = part.slice(colon + 1).replace(/!\s*important\s*$/i, "").trim();
        if (!isValue(value, name)) continue;
        found.delete(name);
        found.set(name, { value, priority: important ? "important" : "" });
    }
    return found;
}

/** The parts of a text between separators that are not in strings or parentheses. */
export function splitOutside(text, separator) {
    const parts = [];
    let depth = 0, start = 0;
    for (let at = 0; at < text.length; at++) {
        const letter = text[at];
        if (letter === "\\") at++;
        else if (letter === "\"" || letter === "'") {
            for (at++; at < text.length && text[at] !== letter; at++) if (text[at] === "\\") at++;
        } else if ("([{".includes(letter)) depth++;
        else if (")]}".includes(letter)) depth = Math.max(0, depth - 1);
        else if (letter === separator && depth === 0) {
            parts.push(text.slice(start, at));
            start = at + 1;
        }
    }
    parts.push(text.slice(start));
    return parts;
}

const nameOf = (text) => (text.startsWith("--") ? text : text.toLowerCase());
const isName = (text) => /^(?:--[^\s:;!]*|-?[a-z][a-z0-9-]*)$/.test(text);

function isValue(text, name) {
    if (name.startsWith("--")) return true;
    if (text === "" || /^[!;{}]|[{}]|!/.test(text.replace(/"[^"]*"|'[^']*'/g, ""))) return false;
    let depth = 0;
    for (const letter of text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "")) {
        if (letter === "(") depth++;
        else if (letter === ")" && --depth < 0) return false;
    }
    return depth === 0 && splitOutside(text, ";").length === 1;
}

const dashed = (name) => (name === "cssFloat" ? "float" : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replace(/^(?=(?:webkit|moz|ms)-)/, "-"));
const camel = (name) => name.replace(/^-/, "").replace(/-([a-z])/g, (all, letter) => letter.toUpperCase());

export function install() {
    const { prototype } = CSSStyleDeclaration;
    const state = new WeakMap();
    const listOf = (style) => {
        const text = style._element.getAttribute("style") ?? "";
        let known = state.get(style);
        if (known === undefined || known.text !== text) state.set(style, known = { text, list: parseDeclarations(text) });
        return known.list;
    };
    const write = (style, list) => {
        const text = [...list].map(([name, { value, priority }]) => `${name}: ${value}${priority === "" ? "" : " !important"};`).join(" ");
        state.set(style, { text, list });
        style._element.setAttribute("style", text);
    };
    add(prototype, {
        get cssText() {
            return [...listOf(this)].map(([name, { value, priority }]) => `${name}: ${value}${priority === "" ? "" : " !important"};`).join(" ");
        },
        set cssText(text) { write(this, parseDeclarations(`${text}`)); },
        get length() { return listOf(this).size; },
        get parentRule() { return null; },
        item(index) { return [...listOf(this).keys()][index] ?? ""; },
        getPropertyValue(name) { return listOf(this).get(nameOf(`${name}`))?.value ?? ""; },
        getPropertyPriority(name) { return listOf(this).get(nameOf(`${name}`))?.priority ?? ""; },
        setProperty(name, value, priority = "") {
            const property = nameOf(`${name}`), text = value === null ? "" : `${value}`.trim();
            const rank = `${priority ?? ""}`.toLowerCase();
            if (!isName(property) || (rank !== "" && rank !== "important")) return;
            if (text === "") {
                this.removeProperty(property);
                return;
            }
            if (!isValue(text, property)) return;
            const list = listOf(this);
            list.set(property, { value: text, priority: rank });
            write(this, list);
        },
        removeProperty(name) {
            const property = nameOf(`${name}`), list = listOf(this);
            const before = list.get(property)?.value ?? "";
            if (list.delete(property)) write(this, list);
            return before;
        },
        *[Symbol.iterator]() { yield* [...listOf(this).keys()]; },
    });
    const names = new Set([...Object.keys(prototype).filter((name) => /^[a-z][A-Za-z]*$/.test(name)), ...more.map(camel)]);
    for (const name of ["cssText", "length", "parentRule", "item", "getPropertyValue", "getPropertyPriority", "setProperty",
        "removeProperty", "setPropertyValue", "setPropertyPriority"]) {
        names.delete(name);
    }
    for (const name of names) {
        const property = dashed(name);
        const accessor = {
            configurable: true, enumerable: true,
            get() { return this.getPropertyValue(property); },
            set(value) { this.setProperty(property, value); },
        };
        Object.defineProperty(prototype, name, accessor);
        if (property !== name) Object.defineProperty(prototype, property, { ...accessor, enumerable: false });
    }
    // Indexes are rarely used; a proxy for each style would cost every access.
    for (let index = 0; index < 32; index++) {
        Object.defineProperty(prototype, index, {
            configurable: true, enumerable: false, get() { return [...listOf(this).keys()][index]; },
        });
    }
}
