// Shadow trees: their roots, slots, and the path of events through them, after https://dom.spec.whatwg.org/#shadow-trees. This file
// is evaluated when an app first makes a shadow root.
import Document from "domino/lib/Document";
import DocumentFragment from "domino/lib/DocumentFragment";
import Element from "domino/lib/Element";
import Node from "domino/lib/Node";
import { cachedUntilChange } from "./changes.js";
import { elementsBelow, isConnected, isCustomName, isShadowRoot, setShadow, shadowOf } from "./components.js";
import { add } from "./members.js";
import { follow } from "./mutations.js";
import { descendants, rootOf } from "./tree.js";

const html = "http://www.w3.org/1999/xhtml";
const hosts = new Set([
    "article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "main", "nav", "p", "section", "span",
]);
const isSlot = (node) => node?.nodeType === 1 && node.localName === "slot" && node.namespaceURI === html;

export function install(bridge, declareIn) {
    const { hooks, global } = bridge;
    const error = (name, message) => { throw new bridge.DOMException(message, name); };
    const facts = new WeakMap();

    class ShadowRoot {
        constructor() { throw new TypeError("Illegal constructor"); }
    }
    Object.setPrototypeOf(ShadowRoot.prototype, DocumentFragment.prototype);
    Object.setPrototypeOf(ShadowRoot, global.DocumentFragment);
    bridge.tag(ShadowRoot);
    const ownOnly = (members) => {
        for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(members))) {
            Object.defineProperty(ShadowRoot.prototype, name, { ...descriptor, enumerable: true, configurable: true });
        }
    };
    const fact = (name) => ({ get() { return facts.get(this)[name]; }, enumerable: true, configurable: true });
    for (const name of ["mode", "host", "delegatesFocus", "slotAssignment", "clonable", "serializable"]) {
        Object.defineProperty(ShadowRoot.prototype, name, fact(name));
    }
    const markup = Object.getOwnPropertyDescriptor(Node.prototype, "serialize").value;
    ownOnly({
        get innerHTML() { return markup.call(this); },
        set innerHTML(text) {
            const holder = this.ownerDocument.createElement("div");
            holder.innerHTML = text ?? "";
            this.replaceChildren(...holder.childNodes);
        },
        getHTML(options) { return markupOf(this, options); },
        setHTMLUnsafe(text) {
            this.innerHTML = text;
            declareIn(this);
        },
        get activeElement() {
            let active = this.ownerDocument._focused ?? null;
            for (; active !== null && rootOf(active) !== this; active = rootOf(active).host ?? null);
            return active;
        },
        elementFromPoint: () => null,
        elementsFromPoint: () => [],
        getAnimations: () => [],
        cloneNode() { return error("NotSupportedError", "a shadow root is not cloned"); },
    });
    for (const name of ["styleSheets", "adoptedStyleSheets"]) {
        Object.defineProperty(ShadowRoot.prototype, name, Object.getOwnPropertyDescriptor(Document.prototype, name));
    }
    // While markup with shadow roots is written, those that it shall contain.
    let wanted = null;
    Object.defineProperty(Node.prototype, "serialize", {
        configurable: true, writable: true, value() {
            const root = wanted === null || this.nodeType !== 1 ? null : shadowOf(this);
            if (root === null || !((wanted.isSerializable && root.serializable) || wanted.roots.includes(root))) return markup.call(this);
            const flags = ["delegatesFocus", "serializable", "clonable"].filter((name) => root[name]).map((name) => ` shadowroot${name.toLowerCase()}=""`);
            return `<template shadowrootmode="${root.mode}"${flags.join("")}>${markup.call(root)}</template>${markup.call(this)}`;
        },
    });
    function markupOf(node, options) {
        const before = wanted;
        wanted = { isSerializable: !!options?.serializableShadowRoots, roots: [...options?.shadowRoots ?? []] };
        try {
            return node.serialize();
        } finally {
            wanted = before;
        }
    }
    bridge.addHandlers(ShadowRoot.prototype, ["slotchange"]);

    function attach(host, options) {
        if (options === null || typeof options !== "object") throw new TypeError("attachShadow needs a mode");
        const { mode, delegatesFocus = false, slotAssignment = "named", clonable = false, serializable = false } = options;
        if (!["open", "closed"].includes(mode)) throw new TypeError("the mode is neither open nor closed");
        if (!["named", "manual"].includes(slotAssignment)) throw new TypeError("slots are assigned by name or manually");
        const isAble = host.namespaceURI === html && (hosts.has(host.localName) || isCustomName(host.localName));
        if (!isAble || host._forbidsShadow?.()) error("NotSupportedError", `a ${host.localName} cannot have a shadow root`);
        if (shadowOf(host) !== null) error("NotSupportedError", "the element already has a shadow root");
        const root = new DocumentFragment(host.ownerDocument);
        Object.setPrototypeOf(root, ShadowRoot.prototype);
        facts.set(root, {
            mode, host, delegatesFocus: !!delegatesFocus, slotAssignment, clonable: !!clonable, serializable: !!serializable,
        });
        setShadow(host, root);
        return root;
    }

    // Slots.
    const slotsOf = cachedUntilChange((root) => {
        const found = new Map();
        for (const slot of descendants(root, isSlot)) if (!found.has(slot.name)) found.set(slot.name, slot);
        return found;
    });
    // For slots that are assigned manually, the slot of each node, and the nodes of each slot.
    const manualSlots = new WeakMap(), manualNodes = new WeakMap();
    const nameOf = (node) => (node.nodeType === 1 ? node.getAttribute("slot") ?? "" : "");
    function slotFor(node, name = nameOf(node)) {
        if (node.nodeType !== 1 && node.nodeType !== 3 && node.nodeType !== 4) return null;
        const root = node.parentNode === null ? null : shadowOf(node.parentNode);
        if (root === null) return null;
        if (root.slotAssignment === "named") return slotsOf(root).get(name) ?? null;
        const slot = manualSlots.get(node);
        return slot !== undefined && rootOf(slot) === root ? slot : null;
    }
    function assigned(slot) {
        const root = rootOf(slot);
        if (!isShadowRoot(root)) return [];
        if (root.slotAssignment === "manual") return (manualNodes.get(slot) ?? []).filter((node) => node.parentNode === root.host);
        if (slotsOf(root).get(slot.name) !== slot) return [];
        return root.host.childNodes.filter((node) => slotFor(node) === slot);
    }
    const flattened = (slot) => {
        if (!isShadowRoot(rootOf(slot))) return [];
        const nodes = assigned(slot);
        const list = nodes.length > 0 ? nodes : slot.childNodes.filter((node) => node.nodeType === 1 || node.nodeType === 3);
        return [...list].flatMap((node) => (isSlot(node) && isShadowRoot(rootOf(node)) ? flattened(node) : [node]));
    };
    const changed = new Set();
    const signal = (slot) => {
        if (changed.size === 0) {
            bridge.soon(() => {
                const slots = [...changed];
                changed.clear();
                for (const one of slots) bridge.dispatchTo(one, new bridge.Event("slotchange", { bubbles: true }));
            });
        }
        changed.add(slot);
    };
    const signalAll = (slots) => { for (const slot of slots) if (slot !== null) signal(slot); };
    const filled = (nodes) => [...nodes].flatMap((node) => [...elementsBelow(node)]).filter((node) => isSlot(node) && assigned(node).length > 0);
    const isFallback = (parent) => isSlot(parent) && isShadowRoot(rootOf(parent)) && assigned(parent).length === 0;
    const lost = (node, parent) => {
        const root = shadowOf(parent);
        if (root !== null) signalAll([root.slotAssignment === "named" ? slotsOf(root).get(nameOf(node)) ?? null : manualSlots.get(node) ?? null]);
        if (isFallback(parent)) signal(parent);
    };
    follow({
        isActive: () => true,
        willInsert({ added, replaced }) { if (replaced !== null) this.willRemove(replaced); for (const node of added) if (node.parentNode !== null) this.willRemove(node); },
        didInsert({ parent, added, from, node, replaced }) {
            if (from !== null && from !== parent) lost(node, from);
            if (replaced !== null) lost(replaced, parent);
            signalAll(added.map((one) => slotFor(one)));
            if (isFallback(parent)) signal(parent);
            if (isShadowRoot(rootOf(parent))) signalAll(filled(added));
            if (!isConnected(parent)) return;
            // Scripts, images and frames of shadow trees start as those of the document's own tree do.
            for (const one of added) for (const element of elementsBelow(one)) if (!element.rooted) element._roothook?.();
        },
        willRemove(node) {
            if (!isShadowRoot(rootOf(node))) return;
            const slots = filled([node]);
            if (slots.length > 0) signalAll(slots);
        },
        didRemove: lost,
        willEmpty(parent, children) { if (isShadowRoot(rootOf(parent))) signalAll(filled(children)); },
        didEmpty(parent, children) { for (const node of children) lost(node, parent); },
        didChangeAttribute(element, name, namespace, oldValue, value) {
            if (namespace !== null || (oldValue ?? "") === (value ?? "")) return;
            if (name === "slot") signalAll([slotFor(element, oldValue ?? ""), slotFor(element)]);
            else if (name === "name" && isSlot(element) && isShadowRoot(rootOf(element))) {
                const { host, slotAssignment } = rootOf(element);
                if (slotAssignment === "named" && host.childNodes.some((node) => [oldValue ?? "", value ?? ""].includes(nameOf(node)))) signal(element);
            }
        },
    });

    // Events, after https://dom.spec.whatwg.org/#concept-event-dispatch.
    const isNode = (target) => target instanceof Node;
    const includes = (root, node) => {
        for (let at = rootOf(node); ; at = rootOf(at.host)) {
            if (at === root) return true;
            if (!isShadowRoot(at)) return false;
        }
    };
    function retarget(target, other) {
        for (let at = target; ; at = rootOf(at).host) {
            if (!isNode(at)) return at;
            const root = rootOf(at);
            if (!isShadowRoot(root) || (isNode(other) && includes(root, other))) return at;
        }
    }
    const { parentOf } = hooks;
    hooks.routeOf = (target, event) => {
        const related = event.relatedTarget ?? null, steps = [];
        let goal = target, found = retarget(related, target), activated = null;
        const isTree = isNode(target) && isShadowRoot(rootOf(target));
        if (goal === found && goal !== related) return { steps, activated, isCleared: isTree };
        const append = (at, adjusted, isSlotInClosed) => {
            const root = isNode(at) ? rootOf(at) : null;
            steps.push({
                target: at, adjusted, related: found, isSlotInClosed, isInShadow: isShadowRoot(root),
                isRootOfClosed: at === root && isShadowRoot(root) && root.mode === "closed",
            });
        };
        const next = (at) => {
            if (!isNode(at)) return parentOf(at, event);
            const slot = slotFor(at);
            if (slot !== null) return slot;
            if (!isShadowRoot(at)) return parentOf(at, event);
            return !event.composed && at === rootOf(steps[0].target) ? null : at.host;
        };
        append(target, target, false);
        if (hooks.activates(target, event)) activated = target;
        let slottable = isNode(target) && slotFor(target) !== null ? target : null;
        for (let parent = next(target); parent !== null; parent = next(parent)) {
            let isSlotInClosed = false;
            if (slottable !== null) {
                slottable = null;
                isSlotInClosed = rootOf(parent).mode === "closed";
            }
            if (isNode(parent) && slotFor(parent) !== null) slottable = parent;
            found = retarget(related, parent);
            if (!isNode(parent) || (isNode(goal) && includes(rootOf(goal), parent))) {
                if (activated === null && event.bubbles && hooks.activates(parent, event)) activated = parent;
                append(parent, null, isSlotInClosed);
            } else if (parent === found) {
                break;
            } else {
                goal = parent;
                if (activated === null && hooks.activates(goal, event)) activated = goal;
                append(parent, parent, isSlotInClosed);
            }
        }
        const last = steps.findLast((step) => step.adjusted !== null);
        const isHidden = (node) => isNode(node) && isShadowRoot(rootOf(node));
        return { steps, activated, isCleared: isHidden(last.adjusted) || isHidden(last.related) };
    };

    return {
        ShadowRoot, attach, slotFor, markup: markupOf,
        // Nothing outside of a closed tree sees its slots.
        assignedSlot(node) {
            const slot = slotFor(node);
            return slot === null || rootOf(slot).mode === "closed" ? null : slot;
        },
        assignedNodes: (slot, options) => [...options?.flatten ? flattened(slot) : assigned(slot)],
        assign(slot, nodes) {
            for (const node of nodes) if (!(node instanceof Element) && node?.nodeType !== 3) throw new TypeError("a slot shows elements and texts");
            for (const node of manualNodes.get(slot) ?? []) manualSlots.delete(node);
            for (const node of nodes) {
                const other = manualSlots.get(node);
                if (other !== undefined) manualNodes.set(other, manualNodes.get(other).filter((one) => one !== node));
                manualSlots.set(node, slot);
            }
            manualNodes.set(slot, [...new Set(nodes)]);
            if (isShadowRoot(rootOf(slot))) signal(slot);
        },
    };
}
