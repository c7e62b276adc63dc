// MutationObserver, after https://dom.spec.whatwg.org/#mutation-observers, and whether a document has changed
// since the last check. Nothing is recorded without observers; changes are counted always, see changes.js.
import CharacterData from "domino/lib/CharacterData";
import Comment from "domino/lib/Comment";
import ContainerNode from "domino/lib/ContainerNode";
import Document from "domino/lib/Document";
import DocumentFragment from "domino/lib/DocumentFragment";
import Element from "domino/lib/Element";
import { elements } from "domino/lib/htmlelts";
import Node from "domino/lib/Node";
import NodeList from "domino/lib/NodeList";
import ProcessingInstruction from "domino/lib/ProcessingInstruction";
import Text from "domino/lib/Text";
import { changedAttribute, changedChildren, changedData } from "./changes.js";

export function install(bridge) {
    // What each node is observed for: a list of [observer, options, registration]. Only nodes hold their observers,
    // and only an observer with records holds nodes. Another registration begins when an observer disconnects.
    const registered = new WeakMap(), registrations = new WeakMap();
    const holds = ([observer, , registration]) => registrations.get(observer) === registration;
    const pending = new Set();
    // How many observers are active, and the same while changes are recorded.
    let hasChanged = true, isQueued = false, active = 0, count = 0, made = 0;

    class MutationRecord {
        constructor(values) { for (const [key, value] of Object.entries(values)) Object.defineProperty(this, key, { value, enumerable: true }); }
    }
    bridge.tag(MutationRecord);

    const deliver = () => {
        isQueued = false;
        const list = [...pending].sort((one, other) => numbers.get(one) - numbers.get(other));
        pending.clear();
        for (const observer of list) {
            const records = observer.takeRecords();
            if (records.length > 0) bridge.call(callbacks.get(observer), observer, [records, observer]);
        }
    };
    const note = (type, target, details) => {
        const interested = new Map();
        for (let node = target; node; node = node.parentNode) {
            for (const entry of registered.get(node) ?? []) {
                const [observer, options] = entry;
                if (!holds(entry) || (node !== target && !options.subtree) || !options[type]) continue;
                if (type === "attributes" && options.attributeFilter
                    && (!options.attributeFilter.includes(details.attributeName) || details.attributeNamespace !== null)) continue;
                const wantsOld = type === "attributes" ? options.attributeOldValue : type === "characterData" && options.characterDataOldValue;
                interested.set(observer, (interested.get(observer) ?? null) ?? (wantsOld ? details.oldValue : null));
            }
        }
        for (const [observer, oldValue] of interested) {
            pending.add(observer);
            queues.get(observer).push(new MutationRecord({
                type, target, addedNodes: new NodeList(details.addedNodes ?? []), removedNodes: new NodeList(details.removedNodes ?? []),
                previousSibling: details.previousSibling ?? null, nextSibling: details.nextSibling ?? null,
                attributeName: details.attributeName ?? null, attributeNamespace: details.attributeNamespace ?? null, oldValue,
            }));
        }
        if (interested.size > 0 && !isQueued) {
            isQueued = true;
            bridge.soon(deliver);
        }
    };
    const queues = new WeakMap(), callbacks = new WeakMap(), numbers = new WeakMap();

    class MutationObserver {
        constructor(callback) {
            if (typeof callback !== "function") throw new TypeError("the callback is not a function");
            callbacks.set(this, callback);
            queues.set(this, []);
            numbers.set(this, made++);
        }
        observe(target, options = {}) {
            if (!(target instanceof Node)) throw new TypeError("the target is not a Node");
            const wishes = { ...options };
            if (wishes.attributeFilter !== undefined) wishes.attributeFilter = [...wishes.attributeFilter].map(String);
            if (wishes.attributeFilter !== undefined || wishes.attributeOldValue !== undefined) wishes.attributes ??= true;
            if (wishes.characterDataOldValue !== undefined) wishes.characterData ??= true;
            if (!wishes.childList && !wishes.attributes && !wishes.characterData) {
                throw new TypeError("one of childList, attributes and characterData must be true");
            }
            if ((wishes.attributeOldValue || wishes.attributeFilter) && !wishes.attributes) throw new TypeError("attributes is false");
            if (wishes.characterDataOldValue && !wishes.characterData) throw new TypeError("characterData is false");
            if (!registrations.has(this)) {
                registrations.set(this, {});
                count = ++active;
            }
            const list = (registered.get(target) ?? []).filter(holds);
            registered.set(target, list);
            const known = list.find(([observer]) => observer === this);
            if (known !== undefined) known[1] = wishes;
            else list.push([this, wishes, registrations.get(this)]);
        }
        disconnect() {
            if (registrations.delete(this)) count = --active;
            queues.set(this, []);
            pending.delete(this);
        }
        takeRecords() {
            const records = queues.get(this);
            queues.set(this, []);
            return records;
        }
    }
    bridge.tag(MutationObserver);

    // Domino reports only changes of nodes in a document, without the details that records need: so records are made where
    // nodes change.
    const { _insertOrReplace } = Node.prototype;
    Object.defineProperty(Node.prototype, "_insertOrReplace", {
        configurable: true, writable: true,
        value(parent, before, isReplace) {
            let child = isReplace && before.nodeType === 1 ? before : this;
            if (child.nodeType === 11) {
                changedChildren(this);
                child = this.firstChild;
                while (child !== null && child.nodeType !== 1 && child.nextSibling !== null) child = child.nextSibling;
            } else if (this.parentNode) changedChildren(this.parentNode, this);
            changedChildren(parent, child);
            try {
                return this._insertRecorded(parent, before, isReplace);
            } finally {
                // A script that was inserted has run meanwhile.
                changedChildren(parent, child);
            }
        },
    });
    Object.defineProperty(Node.prototype, "_insertRecorded", {
        value(parent, before, isReplace) {
            if (count === 0) return _insertOrReplace.call(this, parent, before, isReplace);
            const isFragment = this.nodeType === 11;
            const added = isFragment ? [...this.childNodes] : [this];
            if (!isFragment && this.parentNode) {
                const { parentNode, previousSibling, nextSibling } = this;
                if (before === this && !isReplace) before = nextSibling;
                note("childList", parentNode, { removedNodes: [this], previousSibling, nextSibling });
            }
            if (isFragment && added.length > 0) note("childList", this, { removedNodes: added });
            const outside = (node, next) => {
                while (node && !isFragment && node === this) node = node[next];
                return node;
            };
            const previousSibling = outside(before ? before.previousSibling : parent.lastChild, "previousSibling");
            const nextSibling = outside(isReplace ? before.nextSibling : before, "nextSibling");
            const answer = _insertOrReplace.call(this, parent, before, isReplace);
            if (added.length > 0 || isReplace) {
                note("childList", parent, { addedNodes: added, removedNodes: isReplace ? [before] : [], previousSibling, nextSibling });
            }
            return answer;
        },
    });
    // `remove` is a copy on each prototype that has it.
    const kinds = new Set([Element, CharacterData, Text, Comment, ProcessingInstruction]);
    for (const { prototype } of kinds) {
        if (!Object.hasOwn(prototype, "remove")) continue;
        const { remove } = prototype;
        Object.defineProperty(prototype, "remove", {
            configurable: true, writable: true, enumerable: true,
            value: function () {
                const { parentNode } = this;
                if (count > 0 && parentNode) {
                    const { previousSibling, nextSibling } = this;
                    remove.call(this);
                    note("childList", parentNode, { removedNodes: [this], previousSibling, nextSibling });
                } else remove.call(this);
                changedChildren(parentNode, this);
            },
        });
    }
    const { removeChildren } = ContainerNode.prototype;
    ContainerNode.prototype.removeChildren = function () {
        const removed = count > 0 ? [...this.childNodes] : [];
        for (let kid = this.firstChild; kid !== null; kid = kid.nextSibling) {
            changedChildren(this, kid);
            if (kid.nodeType === 1) break;
        }
        removeChildren.call(this);
        if (removed.length > 0) note("childList", this, { removedNodes: removed });
    };
    for (const { prototype } of [Text, Comment, ProcessingInstruction]) {
        for (const name of ["data", "nodeValue", "textContent"]) {
            const known = Object.getOwnPropertyDescriptor(prototype, name);
            if (known?.set === undefined) continue;
            Object.defineProperty(prototype, name, {
                ...known,
                set(value) {
                    const oldValue = count === 0 ? null : this.data;
                    known.set.call(this, value);
                    changedData(this);
                    if (count > 0) note("characterData", this, { oldValue });
                },
            });
        }
    }
    const { prototype: attribute } = Element._Attr;
    const value = Object.getOwnPropertyDescriptor(attribute, "value");
    Object.defineProperty(attribute, "value", {
        ...value,
        set(text) {
            const { _ownerElement: owner, data: oldValue, localName, namespaceURI } = this;
            if (owner) changedAttribute(localName);
            value.set.call(this, text);
            if (owner) changedAttribute(localName);
            if (count > 0 && owner) note("attributes", owner, { attributeName: localName, attributeNamespace: namespaceURI, oldValue: oldValue ?? null });
        },
    });
    for (const name of ["removeAttribute", "removeAttributeNS"]) {
        const remove = Element.prototype[name];
        Element.prototype[name] = function (...list) {
            const found = name === "removeAttribute" ? this.getAttributeNode(list[0]) : this.getAttributeNodeNS(list[0], list[1]);
            if (!found) return remove.apply(this, list);
            const oldValue = found.value;
            changedAttribute(found.localName);
            remove.apply(this, list);
            changedAttribute(found.localName);
            if (count > 0) note("attributes", this, { attributeName: found.localName, attributeNamespace: found.namespaceURI, oldValue });
        };
    }

    // What consists of several changes makes one record.
    const quietly = (action) => {
        const before = count;
        count = 0;
        try {
            return action();
        } finally {
            count = before === 0 ? 0 : active;
        }
    };
    const replacing = (replace) => function (...list) {
        if (count === 0) return replace.apply(this, list);
        const removedNodes = [...this.childNodes];
        quietly(() => replace.apply(this, list));
        const addedNodes = [...this.childNodes];
        if (removedNodes.length + addedNodes.length > 0) note("childList", this, { removedNodes, addedNodes });
        return undefined;
    };
    const { HTMLElement } = elements;
    for (const [prototype, name, kind] of [
        [Element.prototype, "textContent", "set"], [DocumentFragment.prototype, "textContent", "set"], [HTMLElement.prototype, "innerHTML", "set"],
        [Element.prototype, "innerHTML", "set"], [HTMLElement.prototype, "innerText", "set"], [Element.prototype, "replaceChildren", "value"],
        [Document.prototype, "replaceChildren", "value"], [DocumentFragment.prototype, "replaceChildren", "value"],
    ]) {
        const known = Object.getOwnPropertyDescriptor(prototype, name);
        if (known?.[kind] !== undefined) Object.defineProperty(prototype, name, { ...known, [kind]: replacing(known[kind]) });
    }
    for (const name of ["setAttributeNode", "setAttributeNodeNS"]) {
        const set = Element.prototype[name];
        Object.defineProperty(Element.prototype, name, {
            configurable: true, writable: true, enumerable: true, value(attr) {
                const oldValue = attr instanceof Element._Attr ? this.getAttributeNodeNS(attr.namespaceURI, attr.localName)?.value ?? null : null;
                const isNew = attr?.ownerElement !== this;
                const answer = quietly(() => set.call(this, attr));
                if (!isNew) return answer;
                changedAttribute(attr.localName);
                if (count > 0) note("attributes", this, { attributeName: attr.localName, attributeNamespace: attr.namespaceURI, oldValue });
                return answer;
            },
        });
    }

    return {
        globals: { MutationObserver, MutationRecord, WebKitMutationObserver: MutationObserver },
        watch(document) {
            hasChanged = true;
            document._setMutationHandler(() => { hasChanged = true; });
        },
        takeChange() {
            const answer = hasChanged;
            hasChanged = false;
            return answer;
        },
    };
}
