// Members of nodes that domino lacks and pages use. There is no layout: sizes are zero.
import ContainerNode from "domino/lib/ContainerNode";
import Document from "domino/lib/Document";
import DocumentFragment from "domino/lib/DocumentFragment";
import Element from "domino/lib/Element";
import Node from "domino/lib/Node";
import { elements } from "domino/lib/htmlelts";
import { cachedUntilChange } from "./changes.js";
import { HTMLCollection, collection } from "./live-lists.js";
import { add } from "./members.js";
import { visibleText } from "./text.js";
import { descendants } from "./tree.js";

const html = "http://www.w3.org/1999/xhtml";

/** What `dataset` gives. */
export class DOMStringMap {
    constructor() { throw new TypeError("Illegal constructor"); }
}
Object.defineProperty(DOMStringMap.prototype, Symbol.toStringTag, { value: "DOMStringMap", configurable: true });

function fragmentOf(document, parts) {
    if (parts.length === 1 && parts[0] instanceof Node) return parts[0];
    const fragment = document.createDocumentFragment();
    for (const part of parts) {
        fragment.appendChild(part instanceof Node ? part : document.createTextNode(String(part)));
    }
    return fragment;
}

const parents = {
    append(...parts) { this.appendChild(fragmentOf(this.ownerDocument ?? this, parts)); },
    prepend(...parts) { this.insertBefore(fragmentOf(this.ownerDocument ?? this, parts), this.firstChild); },
    replaceChildren(...parts) {
        const fragment = fragmentOf(this.ownerDocument ?? this, parts);
        this._ensureInsertValid(fragment, null, true);
        this.removeChildren();
        this.appendChild(fragment);
    },
};

const nameOf = (key) => `data-${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
const keyOf = (name) => name.slice(5).replace(/-([a-z])/g, (all, letter) => letter.toUpperCase());

function datasetOf(element) {
    const names = () => element.getAttributeNames().filter((name) => name.startsWith("data-"));
    return new Proxy(Object.create(DOMStringMap.prototype), {
        get: (target, key) => (typeof key === "string" ? element.getAttribute(nameOf(key)) ?? Reflect.get(target, key) : Reflect.get(target, key)),
        set(target, key, value) {
            element.setAttribute(nameOf(key), String(value));
            return true;
        },
        has: (target, key) => element.hasAttribute(nameOf(String(key))) || Reflect.has(target, key),
        deleteProperty(target, key) {
            element.removeAttribute(nameOf(key));
            return true;
        },
        ownKeys: () => names().map(keyOf),
        getOwnPropertyDescriptor: (target, key) => (element.hasAttribute(nameOf(String(key)))
            ? { value: element.getAttribute(nameOf(key)), writable: true, enumerable: true, configurable: true }
            : undefined),
    });
}

// Domino leaves children that are removed together linked to one another, so that inserting one of them
// would insert all.
function unlinkRemoved() {
    const remove = ContainerNode.prototype.removeChildren;
    ContainerNode.prototype.removeChildren = function () {
        const removed = [];
        for (let kid = this.firstChild; kid !== null; kid = kid.nextSibling) removed.push(kid);
        remove.call(this);
        for (const kid of removed) {
            kid._nextSibling = kid._previousSibling = kid;
            kid._index = undefined;
        }
    };
}

export function install(bridge, styles) {
    unlinkRemoved();
    add(Node.prototype, {
        get baseURI() { return (this.ownerDocument ?? (this.nodeType === 9 ? this : bridge.global.document))._documentBaseURL; },
    });
    for (const kind of [Element, Document, DocumentFragment]) add(kind.prototype, parents);
    const box = { x: 0, y: 0, top: 0, left: 0, right: 0, bottom: 0, width: 0, height: 0 };
    const sizes = {};
    for (const side of ["Width", "Height", "Top", "Left"]) {
        for (const kind of ["offset", "client", "scroll"]) sizes[kind + side] = 0;
    }
    for (const [name, value] of Object.entries(sizes)) {
        Object.defineProperty(Element.prototype, name, {
            configurable: true, enumerable: true, get: () => value, set() {},
        });
    }
    add(Element.prototype, {
        get offsetParent() { return this.parentElement; },
        get dataset() { return datasetOf(this); },
        getBoundingClientRect: () => ({ ...box, toJSON: () => box }),
        getClientRects() {
            styles.begin();
            return styles.isRendered(this) ? [{ ...box }] : [];
        },
        scrollIntoView() {},
        scrollTo() {},
        scrollBy() {},
        animate: () => ({ cancel() {}, finish() {}, play() {}, pause() {}, finished: Promise.resolve() }),
    });
    // The parser takes no element of SVG or MathML as the context, so one is put around the text.
    const wholes = { "http://www.w3.org/2000/svg": "svg", "http://www.w3.org/1998/Math/MathML": "math" };
    const { innerHTML } = Object.getOwnPropertyDescriptors(elements.HTMLElement.prototype);
    Object.defineProperty(Element.prototype, "innerHTML", {
        ...innerHTML, set(text) {
            const name = wholes[this.namespaceURI], holder = this.ownerDocument.createElementNS(html, "div");
            innerHTML.set.call(holder, name === undefined ? text : `<${name}>${text ?? ""}</${name}>`);
            const from = name === undefined ? holder : holder.firstChild;
            this.replaceChildren(...from.childNodes);
        },
    });
    add(elements.HTMLElement.prototype, {
        get innerText() { return visibleText(this, styles); },
        set innerText(value) {
            const parts = String(value).split(/\r\n?|\n/);
            this.replaceChildren(...parts.flatMap((part, index) =>
                (index === 0 ? [part] : [this.ownerDocument.createElement("br"), part])));
        },
        get outerText() { return this.innerText; },
        get isContentEditable() { return false; },
    });
    const list = (test) => {
        const known = new WeakMap(), find = cachedUntilChange((document) => descendants(document, (element) => element.namespaceURI === html && test(element)));
        return {
            get() {
                if (!known.has(this)) known.set(this, collection(HTMLCollection, this, find));
                return known.get(this);
            }, configurable: true, enumerable: true,
        };
    };
    const named = (name) => list((element) => element.localName === name);
    Object.defineProperties(Document.prototype, {
        images: named("img"), embeds: named("embed"), forms: named("form"), scripts: named("script"),
        links: list((element) => /^(?:a|area)$/.test(element.localName) && element.hasAttribute("href")),
        cookie: { get: () => "", set() {}, configurable: true },
        referrer: { get: () => "", configurable: true },
        domain: { get: () => bridge.global.location.hostname, set() {}, configurable: true },
        location: {
            get() { return this.defaultView?.location ?? null; },
            set(value) { if (this.defaultView) this.defaultView.location = value; }, configurable: true,
        },
        hidden: { get: () => false, configurable: true },
        visibilityState: { get: () => "visible", configurable: true },
        execCommand: { value: () => false, configurable: true },
        elementFromPoint: { value: () => null, configurable: true, writable: true },
        elementsFromPoint: { value: () => [], configurable: true, writable: true },
    });
    return { EventTarget: bridge.EventTarget };
}
