// What web components need of every page: the elements that the parser and scripts create, and the names that load the
// rest. `shadow.js` and `custom-elements.js` are evaluated when an app first uses one of them.
import Document from "domino/lib/Document";
import Element from "domino/lib/Element";
import Node from "domino/lib/Node";
import Text from "domino/lib/Text";
import html, { elements } from "domino/lib/htmlelts";
import { changes } from "./changes.js";
import { add, reflect } from "./members.js";
import { during } from "./mutations.js";
import { following, rootOf } from "./tree.js";

/** The shadow root of each host, and how many there are. */
const shadows = new WeakMap();
let count = 0;

/** The shadow root of an element, also a closed one; null without one. */
export const shadowOf = (element) => (count === 0 ? null : shadows.get(element) ?? null);

export const hasShadows = () => count > 0;

/** Declares a fragment to be the shadow root of an element. */
export function setShadow(host, root) {
    shadows.set(host, root);
    count++;
    changes.lists++;
    changes.classes++;
    changes.all++;
}

/** Whether a node is the root of a shadow tree. */
export const isShadowRoot = (node) => node !== null && node !== undefined && node.nodeType === 11 && count > 0 && shadows.get(node.host) === node;

/** The root of a node, seen through shadow roots. */
export function rootBeyond(node) {
    let root = rootOf(node);
    while (isShadowRoot(root)) root = rootOf(root.host);
    return root;
}

/** Whether a node is in a document. Domino roots the nodes of the document's own tree only. */
export const isConnected = (node) => node.rooted || (count > 0 && rootBeyond(node).nodeType === 9);

/** The elements of a node and below it, also in shadow trees, in tree order. */
export function* elementsBelow(node) {
    for (let at = node; at !== null; at = following(at, node)) {
        if (at.nodeType !== 1) continue;
        yield at;
        const shadow = shadowOf(at);
        if (shadow !== null) yield* elementsBelow(shadow);
    }
}

/** The nodes that are shown for the children of a node: those of its shadow tree, or those assigned to a slot. */
export function shownChildren(node) {
    if (count === 0) return node.childNodes;
    const shadow = shadowOf(node);
    if (shadow !== null) return shadow.childNodes;
    if (node.localName === "slot" && isShadowRoot(rootOf(node))) {
        const assigned = node.assignedNodes();
        if (assigned.length > 0) return assigned;
    }
    return node.childNodes;
}

/** The element that shows an element as a child: its parent, the host of its tree, or the slot that it is assigned to. */
export function shownParent(element) {
    const { parentNode } = element;
    if (count === 0 || parentNode === null) return parentNode?.nodeType === 1 ? parentNode : null;
    if (isShadowRoot(parentNode)) return parentNode.host;
    if (parentNode.nodeType !== 1) return null;
    return shadowOf(parentNode) === null ? parentNode : tools.slotFor(element) ?? parentNode;
}

// What shadow.js has, once there is a shadow root.
let tools = null;

const name = /^[a-z](?:[-.\d_a-z\u00b7\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u037d\u037f-\u1fff\u200c\u200d\u203f\u2040\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\u{10000}-\u{effff}])*$/u;
const reserved = new Set(["annotation-xml", "color-profile", "font-face", "font-face-src", "font-face-uri", "font-face-format", "font-face-name", "missing-glyph"]);

/** Whether a name can be that of a custom element, after https://html.spec.whatwg.org/#valid-custom-element-name. */
export const isCustomName = (text) => text.includes("-") && name.test(text) && !reserved.has(text);

export class HTMLSlotElement {}

// Whether the children of a fragment are being inserted, for which domino adopts the fragment.
let isMoving = false;
/** Inserts the children of a fragment. */
export function moving(action) {
    const before = isMoving;
    isMoving = true;
    try {
        return action();
    } finally {
        isMoving = before;
    }
}

// The fragments that templates have.
const contents = new WeakSet();
/** What makes an element of a name, where domino's own class is not enough. */
export const makers = new Map();
/** What creates elements of defined names, once an app has used `customElements`. */
let registry = null;

/** Whether an element is what it is going to be, for `:defined`. */
export const isDefined = (element) => (registry === null
    ? !(element.namespaceURI === "http://www.w3.org/1999/xhtml" && isCustomName(element.localName)) : registry.isDefined(element));

/** Whether an element is a custom element that is a control of forms. */
export const isFormAssociated = (element) => registry !== null && registry.isOfForm(element);

/** Copies a node: custom elements run when the copy is complete. `action` calls `copied` for each copy. */
export const copying = (action) => (registry === null ? action() : during(() => registry.copying(action)));
export const copied = (clone, node) => registry?.copied(clone, node);

/** Makes an element for `new` with a class of an app; throws if there is no such class. */
export function construct(type, of) {
    if (registry === null) throw new TypeError("Illegal constructor");
    return registry.construct(type, of);
}

export function install(bridge) {
    const { global } = bridge;
    // Slots and elements with the name of a custom element are not unknown.
    const { createElement } = html, { HTMLElement } = elements;
    Object.setPrototypeOf(HTMLSlotElement.prototype, HTMLElement.prototype);
    makers.set("template", (document, localName, prefix) => {
        const element = createElement(document, localName, prefix);
        contents.add(element.content);
        return element;
    });
    makers.set("slot", (document, localName, prefix) => Object.setPrototypeOf(new HTMLElement(document, localName, prefix), HTMLSlotElement.prototype));
    html.createElement = (document, localName, prefix) => {
        const make = makers.get(localName);
        if (make !== undefined) return make(document, localName, prefix);
        if (!localName.includes("-") || !isCustomName(localName)) return createElement(document, localName, prefix);
        return registry?.create(document, localName, prefix) ?? new HTMLElement(document, localName, prefix);
    };
    const shadow = () => require("./shadow.js").install(bridge, declareIn);
    const shadowTools = () => (tools ??= shadow());
    add(Element.prototype, {
        attachShadow(options) { return shadowTools().attach(this, options); },
        get shadowRoot() {
            const root = shadowOf(this);
            return root === null || root.mode === "closed" ? null : root;
        },
        get assignedSlot() { return count === 0 ? null : shadowTools().assignedSlot(this); },
        getHTML(options) { return count === 0 ? this.innerHTML : shadowTools().markup(this, options); },
        setHTMLUnsafe(text) {
            this.innerHTML = text;
            declareIn(this.localName === "template" ? this.content : this);
        },
    });
    reflect(Element.prototype, ["slot"]);
    reflect(HTMLSlotElement.prototype, ["name"]);
    add(Text.prototype, { get assignedSlot() { return count === 0 ? null : shadowTools().assignedSlot(this); } });
    add(HTMLSlotElement.prototype, {
        assignedNodes(options) { return count === 0 ? [] : shadowTools().assignedNodes(this, options); },
        assignedElements(options) { return this.assignedNodes(options).filter((node) => node.nodeType === 1); },
        assign(...nodes) { shadowTools().assign(this, nodes); },
    });
    add(Node.prototype, {
        get isConnected() { return isConnected(this); },
        getRootNode(options) { return options?.composed ? rootBeyond(this) : rootOf(this); },
    });
    // An ancestor is also the host of a fragment, and one that a shadow root or the contents of a template belong to.
    const { isAncestor } = Node.prototype;
    Object.defineProperty(Node.prototype, "isAncestor", {
        configurable: true, writable: true, value(node) {
            if (isAncestor.call(this, node)) return true;
            for (let root = rootOf(node); root.nodeType === 11 && root.host instanceof Node; root = rootOf(root.host)) {
                for (let at = root.host; at !== null; at = at.parentNode) if (at === this) return true;
            }
            return false;
        },
    });

    const custom = () => {
        if (registry === null) {
            const made = require("./custom-elements.js").install(bridge);
            registry = made.registry;
            define("customElements", made.customElements);
            define("CustomElementRegistry", made.CustomElementRegistry);
        }
        return registry;
    };
    const define = (key, value) => Object.defineProperty(global, key, { configurable: true, enumerable: false, writable: true, value });
    const wait = (key, load) => {
        bridge.taken(key);
        Object.defineProperty(global, key, {
            configurable: true, enumerable: false, set: (value) => define(key, value), get() {
                load();
                return global[key];
            },
        });
    };
    for (const key of ["customElements", "CustomElementRegistry"]) wait(key, custom);
    const interfaces = () => {
        const { ElementInternals, CustomStateSet } = require("./element-internals.js").install(bridge);
        return { ElementInternals, CustomStateSet };
    };
    for (const key of ["ElementInternals", "CustomStateSet"]) {
        wait(key, () => { for (const [known, value] of Object.entries(interfaces())) define(known, value); });
    }
    add(HTMLElement.prototype, { attachInternals() { return custom().attachInternals(this); } });
    wait("ShadowRoot", () => define("ShadowRoot", shadowTools().ShadowRoot));
    Object.defineProperty(Document.prototype, "_interfaceOf", {
        configurable: true, value(localName) { return createElement(this, localName, null).constructor.name; },
    });
    const { createElement: make, createElementNS: makeNS, importNode, adoptNode } = Document.prototype;
    add(Document.prototype, {
        createElement(key, options) {
            if (arguments.length === 0) return make.call(this);
            return registry === null ? make.call(this, key) : during(() => registry.named(make.call(this, key), options));
        },
        createElementNS(namespace, key, options) {
            if (registry === null) return makeNS.apply(this, arguments);
            return during(() => registry.named(makeNS.call(this, namespace, key), options));
        },
        importNode(...list) {
            if (count > 0 && isShadowRoot(list[0])) throw new bridge.DOMException("a shadow root cannot be imported", "NotSupportedError");
            if (registry === null) return importNode.apply(this, list);
            return during(() => registry.imported(importNode.apply(this, list)));
        },
        adoptNode(node) {
            if (arguments.length === 0) return adoptNode.call(this);
            if (!isMoving && isShadowRoot(node)) throw new bridge.DOMException("a shadow root cannot be adopted", "HierarchyRequestError");
            // The contents of a template stay in the document of the template.
            if (!isMoving && contents.has(node)) return node;
            const before = node?.ownerDocument, answer = adoptNode.call(this, node);
            if (before !== this && before !== undefined && (count > 0 || registry !== null)) during(() => adopted(node, before, this));
            return answer;
        },
    });
    // The document of a host is that of its shadow tree.
    function adopted(node, before, document) {
        for (const element of [...elementsBelow(node)]) {
            const root = shadowOf(element);
            if (root !== null) for (let at = root; at !== null; at = following(at, root)) at.ownerDocument = document;
            registry?.adopted(element, before, document);
        }
    }
    // The shadow roots that markup declares.
    function declareIn(root) {
        for (const template of root.querySelectorAll("template[shadowrootmode=open], template[shadowrootmode=closed]")) {
            const shadow = declare(template);
            if (shadow !== null) declareIn(shadow);
        }
    }
    function declare(template) {
        const host = template.parentNode;
        if (host?.nodeType !== 1 || shadowOf(host) !== null) return null;
        try {
            const root = shadowTools().attach(host, {
                mode: template.getAttribute("shadowrootmode").toLowerCase(), delegatesFocus: template.hasAttribute("shadowrootdelegatesfocus"),
                clonable: template.hasAttribute("shadowrootclonable"), serializable: template.hasAttribute("shadowrootserializable"),
            });
            template.remove();
            root.appendChild(template.content);
            return root;
        } catch (error) {
            bridge.note(`A shadow root that the page declares is left out: ${error.message}.`);
            return null;
        }
    }
    return {
        /** Makes the shadow root that a template of the page declares; the template is then no more. */
        declare,
    };
}
