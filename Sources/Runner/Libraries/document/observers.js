// MutationObserver, after https://dom.spec.whatwg.org/#mutation-observers, and whether a document has changed
// since the last check. Nothing is recorded without observers; changes are counted always, see changes.js.
import Node from "domino/lib/Node";
import NodeList from "domino/lib/NodeList";
import { follow, isCompound } from "./mutations.js";

export function install(bridge) {
    // What each node is observed for: a list of [observer, options, registration]. Only nodes hold their observers,
    // and only an observer with records holds nodes. Another registration begins when an observer disconnects.
    const registered = new WeakMap(), registrations = new WeakMap();
    const holds = ([observer, , registration]) => registrations.get(observer) === registration;
    const pending = new Set();
    // How many observers are active.
    let hasChanged = true, isQueued = false, count = 0, made = 0;

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
                count++;
            }
            const list = (registered.get(target) ?? []).filter(holds);
            registered.set(target, list);
            const known = list.find(([observer]) => observer === this);
            if (known !== undefined) known[1] = wishes;
            else list.push([this, wishes, registrations.get(this)]);
        }
        disconnect() {
            if (registrations.delete(this)) count--;
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

    follow({
        isActive: () => count > 0,
        willInsert({ node, from, added, fromPrevious: previousSibling, fromNext: nextSibling }) {
            if (isCompound()) return;
            if (from !== null) note("childList", from, { removedNodes: [node], previousSibling, nextSibling });
            if (node.nodeType === 11 && added.length > 0) note("childList", node, { removedNodes: added });
        },
        didInsert({ parent, added, replaced, previous: previousSibling, next: nextSibling }) {
            if (isCompound() || (added.length === 0 && replaced === null)) return;
            note("childList", parent, { addedNodes: added, removedNodes: replaced === null ? [] : [replaced], previousSibling, nextSibling });
        },
        didRemove(node, parent, previousSibling, nextSibling) {
            if (!isCompound()) note("childList", parent, { removedNodes: [node], previousSibling, nextSibling });
        },
        didEmpty(parent, removedNodes) { if (!isCompound()) note("childList", parent, { removedNodes }); },
        didReplaceAll(parent, removedNodes, addedNodes) {
            if (!isCompound() && removedNodes.length + addedNodes.length > 0) note("childList", parent, { removedNodes, addedNodes });
        },
        didChangeData(node, oldValue) { note("characterData", node, { oldValue }); },
        didChangeAttribute(element, attributeName, attributeNamespace, oldValue) {
            note("attributes", element, { attributeName, attributeNamespace, oldValue });
        },
    });

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
