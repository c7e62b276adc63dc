// The visible text of an element, after https://html.spec.whatwg.org/#the-innertext-idl-attribute.
import { shownChildren } from "./components.js";
import { elementsOf } from "./tree.js";

const unseen = new Set([
    "audio", "canvas", "embed", "iframe", "img", "input", "meter", "object", "progress", "svg",
    "textarea", "video",
]);

/** Assembles lines: spaces collapse, and blocks begin and end lines. */
class Lines {
    #text = ""; #breaks = 0; #hasSpace = false;
    block(count) {
        this.#hasSpace = false;
        if (this.#text !== "") this.#breaks = Math.max(this.#breaks, count);
    }
    add(text, white) {
        if (white === "pre" || white === "pre-wrap" || white === "break-spaces") return this.#put(text);
        const source = white === "pre-line" ? text : text.replace(/\n/g, " ");
        for (const part of source.split(/([ \t\r\f\n]+)/)) {
            if (part === "") continue;
            if (!/^[ \t\r\f\n]/.test(part)) this.#put(part);
            else if (part.includes("\n")) this.#put("\n");
            else this.#hasSpace = true;
        }
    }
    newline() {
        this.#hasSpace = false;
        this.#put("\n");
    }
    tab() {
        this.#hasSpace = false;
        this.#put("\t");
    }
    #put(text) {
        if (this.#breaks > 0) {
            this.#text += "\n".repeat(this.#breaks);
            this.#breaks = 0;
            this.#hasSpace = false;
        }
        if (this.#hasSpace && this.#text !== "" && !/[\n\t ]$/.test(this.#text) && !/^[\n\t]/.test(text)) this.#text += " ";
        this.#hasSpace = false;
        this.#text += text;
    }
    toString() { return this.#text; }
}

const casing = {
    uppercase: (text) => text.toUpperCase(), lowercase: (text) => text.toLowerCase(),
    capitalize: (text) => text.replace(/(^|[\s\p{P}])(\p{L})/gu, (all, before, letter) => before + letter.toUpperCase()),
};

function collect(node, lines, styles) {
    if (node.nodeType === 3) {
        const { visibility, white, transform } = styles.textOf(node.parentNode);
        if (visibility !== "visible") return;
        lines.add(casing[transform]?.(node.data) ?? node.data, white);
        return;
    }
    if (node.nodeType !== 1) return;
    const display = styles.display(node);
    if (display === "none" || unseen.has(node.localName)) return;
    if (node.localName === "br") return lines.newline();
    const isBlock = display !== "contents" && !display.startsWith("inline") && !/^table-(?:row|cell|header|footer|col|row-group)/.test(display);
    const margin = node.localName === "p" ? 2 : isBlock || /^(?:option|optgroup)$/.test(node.localName) ? 1 : 0;
    if (margin > 0) lines.block(margin);
    if (display === "table-row") lines.block(1);
    if (node.localName === "details" && !node.hasAttribute("open")) {
        const summary = elementsOf(node).find((child) => child.localName === "summary");
        if (summary !== undefined) collect(summary, lines, styles);
    } else {
        for (const child of shownChildren(node)) collect(child, lines, styles);
    }
    if (display === "table-cell" && nextShown(node, styles)) lines.tab();
    if (display === "table-row") lines.block(1);
    if (margin > 0) lines.block(margin);
}

function nextShown(cell, styles) {
    for (let next = cell.nextElementSibling; next !== null; next = next.nextElementSibling) {
        if (styles.display(next) === "table-cell") return true;
    }
    return false;
}

/** The `innerText` of an element. */
export function visibleText(element, styles) {
    if (element === null) return "";
    styles.begin();
    if (!styles.isRendered(element)) return element.textContent;
    const lines = new Lines();
    for (const child of shownChildren(element)) collect(child, lines, styles);
    return String(lines).replace(/[ \t]+\n/g, "\n").trimEnd();
}
