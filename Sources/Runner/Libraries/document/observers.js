// MutationObserver, and whether a document has changed since the last check.
import MUTATE from "domino/lib/MutationConstants";

export function install(bridge) {
    const observers = new Set();
    let hasChanged = true, isQueued = false;

    const deliver = () => {
        isQueued = false;
        for (const observer of [...observers]) {
            const records = observer.takeRecords();
            if (records.length > 0) bridge.call(observer.callback, observer, [records, observer]);
        }
    };
    const note = (type, target, details) => {
        for (const observer of observers) {
            for (const [root, options] of observer.targets) {
                if (!options[type] || !(root === target || (options.subtree && root.contains(target)))) continue;
                if (type === "attributes" && options.attributeFilter
                    && !options.attributeFilter.includes(details.attributeName)) continue;
                observer.records.push({
                    type, target, addedNodes: [], removedNodes: [], attributeName: null,
                    attributeNamespace: null, oldValue: null, previousSibling: null, nextSibling: null,
                    ...details,
                });
                if (!isQueued) {
                    isQueued = true;
                    bridge.soon(deliver);
                }
                break;
            }
        }
    };

    class MutationObserver {
        constructor(callback) {
            if (typeof callback !== "function") throw new TypeError("the callback is not a function");
            Object.defineProperties(this, {
                callback: { value: callback }, targets: { value: new Map() },
                records: { value: [], writable: true },
            });
        }
        observe(target, options = {}) {
            const wishes = { ...options };
            if (wishes.attributeFilter || wishes.attributeOldValue) wishes.attributes ??= true;
            if (wishes.characterDataOldValue) wishes.characterData ??= true;
            if (!wishes.childList && !wishes.attributes && !wishes.characterData) {
                throw new TypeError("one of childList, attributes and characterData must be true");
            }
            this.targets.set(target, wishes);
            observers.add(this);
        }
        disconnect() {
            this.targets.clear();
            this.records = [];
            observers.delete(this);
        }
        takeRecords() {
            const records = this.records;
            this.records = [];
            return records;
        }
    }

    const changes = {
        [MUTATE.VALUE]: ({ target }) => note("characterData", target, {}),
        [MUTATE.ATTR]: ({ target, attr }) => note("attributes", target, { attributeName: attr.name }),
        [MUTATE.REMOVE_ATTR]: ({ target, attr }) => note("attributes", target, { attributeName: attr.name }),
        [MUTATE.REMOVE]: ({ target, node }) => note("childList", target, { removedNodes: [node] }),
        [MUTATE.INSERT]: ({ target, node }) => note("childList", target, { addedNodes: [node] }),
        [MUTATE.MOVE]: ({ target }) => note("childList", target.parentNode, { addedNodes: [target] }),
    };
    return {
        globals: { MutationObserver },
        watch(document) {
            hasChanged = true;
            document._setMutationHandler((change) => {
                hasChanged = true;
                if (observers.size > 0) changes[change.type]?.(change);
            });
        },
        takeChange() {
            const answer = hasChanged;
            hasChanged = false;
            return answer;
        },
    };
}
