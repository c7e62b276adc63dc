// MutationObserver, after https://dom.spec.whatwg.org/#mutation-observers, and whether a document has changed
// since the last check. Nothing is recorded while nobody observes.
import CharacterData from "domino/lib/CharacterData";
import Comment from "domino/lib/Comment";
import ContainerNode from "domino/lib/ContainerNode";
import DocumentFragment from "domino/lib/DocumentFragment";
import Element from "domino/lib/Element";
import { elements } from "domino/lib/htmlelts";
import Node from "domino/lib/Node";
import NodeList from "domino/lib/NodeList";
import ProcessingInstruction from "domino/lib/ProcessingInstruction";
import Text from "domino/lib/Text";

export function install(bridge) {
    const observers = new Set();
    // What each node is observed for: a list of [observer, options].
    const registered = new WeakMap();
    let hasChanged = true, isQueued = false, count = 0;

    class MutationRecord {
        constructor(values) { for (const [key, value] of Object.entries(values)) Object.defineProperty(this, key, { value, enumerable: true }); }
    }
    bridge.tag(MutationRecord);

    const deliver = () => {
        isQueued = false;
        for (const observer of [...observers]) {
            const records = observer.takeRecords();
            if (records.length > 0) bridge.call(callbacks.get(observer), observer, [records, observer]);
        }
    };
    const note = (type, target, details) => {
        const interested = new Map();
        for (let node = target; node; node = node.parentNode) {
            for (const [observer, options] of registered.get(node) ?? []) {
                if ((node !== target && !options.subtree) || !options[type]) continue;
                if (type === "attributes" && options.attributeFilter
                    && (!options.attributeFilter.includes(details.attributeName) || details.attributeNamespace !== null)) continue;
                const wantsOld = type === "attributes" ? options.attributeOldValue : type === "characterData" && options.characterDataOldValue;
                interested.set(observer, (interested.get(observer) ?? null) ?? (wantsOld ? details.oldValue : null));
            }
        }
        for (const [observer, oldValue] of interested) {
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
    const queues = new WeakMap(), callbacks = new WeakMap(), targets = new WeakMap();

    class MutationObserver {
        constructor(callback) {
            if (typeof callback !== "function") throw new TypeError("the callback is not a function");
            callbacks.set(this, callback);
            queues.set(this, []);
            targets.set(this, new Set());
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
            const list = registered.get(target) ?? [];
            registered.set(target, list);
            const known = list.find(([observer]) => observer === this);
            if (known !== undefined) known[1] = wishes;
            else list.push([this, wishes]);
            targets.get(this).add(target);
            observers.add(this);
            count = observers.size;
        }
        disconnect() {
            for (const target of targets.get(this)) {
                registered.set(target, registered.get(target).filter(([observer]) => observer !== this));
            }
            targets.get(this).clear();
            queues.set(this, []);
            observers.delete(this);
            count = observers.size;
        }
        takeRecords() {
            const records = queues.get(this);
            queues.set(this, []);
            return records;
        }
    }
    bridge.tag(MutationObserver);

    // Domino tells only of nodes in a document, and not enough: the records are made where nodes change.
    const { _insertOrReplace } = Node.prototype;
    Object.defineProperty(Node.prototype, "_insertOrReplace", {
        configurable: true, writable: true,
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
                if (count > 0 && this.parentNode && !this._isMoving) {
                    const { parentNode, previousSibling, nextSibling } = this;
                    remove.call(this);
                    note("childList", parentNode, { removedNodes: [this], previousSibling, nextSibling });
                } else remove.call(this);
            },
        });
    }
    const { removeChildren } = ContainerNode.prototype;
    ContainerNode.prototype.removeChildren = function () {
        const removed = count > 0 ? [...this.childNodes] : [];
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
                    if (count === 0) return known.set.call(this, value);
                    const oldValue = this.data;
                    known.set.call(this, value);
                    note("characterData", this, { oldValue });
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
            value.set.call(this, text);
            if (count > 0 && owner) note("attributes", owner, { attributeName: localName, attributeNamespace: namespaceURI, oldValue: oldValue ?? null });
        },
    });
    for (const name of ["removeAttribute", "removeAttributeNS"]) {
        const remove = Element.prototype[name];
        Element.prototype[name] = function (...list) {
            if (count === 0) return remove.apply(this, list);
            const found = name === "removeAttribute" ? this.getAttributeNode(list[0]) : this.getAttributeNodeNS(list[0], list[1]);
            const oldValue = found?.value;
            remove.apply(this, list);
            if (found) note("attributes", this, { attributeName: found.localName, attributeNamespace: found.namespaceURI, oldValue });
        };
    }

    // Setters that replace all children make one record.
    const { HTMLElement } = elements;
    for (const [prototype, name] of [
        [Element.prototype, "textContent"], [DocumentFragment.prototype, "textContent"], [HTMLElement.prototype, "innerHTML"],
        [HTMLElement.prototype, "innerText"],
    ]) {
        const known = Object.getOwnPropertyDescriptor(prototype, name);
        if (known?.set === undefined) continue;
        Object.defineProperty(prototype, name, {
            ...known,
            set(content) {
                if (count === 0) return known.set.call(this, content);
                const removedNodes = [...this.childNodes];
                count = 0;
                try {
                    known.set.call(this, content);
                } finally {
                    count = observers.size;
                }
                const addedNodes = [...this.childNodes];
                if (removedNodes.length + addedNodes.length > 0) note("childList", this, { removedNodes, addedNodes });
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
