// Every change of a tree, of data and of attributes. Domino reports only changes of nodes in a document, without
// details, so this replaces the methods of domino that make changes: for all that follows them, in one place.
import CharacterData from "domino/lib/CharacterData";
import Comment from "domino/lib/Comment";
import ContainerNode from "domino/lib/ContainerNode";
import Document from "domino/lib/Document";
import DocumentFragment from "domino/lib/DocumentFragment";
import Element from "domino/lib/Element";
import Node from "domino/lib/Node";
import ProcessingInstruction from "domino/lib/ProcessingInstruction";
import Text from "domino/lib/Text";
import { elements } from "domino/lib/htmlelts";
import { changedAttribute, changedChildren, changedData } from "./changes.js";
import { add } from "./members.js";

const followers = [];
// How many of the replaced methods are running, one within the other, and how many of them change several nodes.
let depth = 0, compounds = 0, isMoving = false;

/**
 * Adds what follows changes. While its `isActive()` is false, a change costs it nothing. Each of its other functions is
 * optional:
 *
 * - `willInsert(change)` and `didInsert(change)`, where `node`, or its children if it is a fragment, is inserted: `added`
 *   into `parent` between `previous` and `next`, in place of `replaced` or null. `from` is the parent that loses the
 *   node, or null, and `fromPrevious` and `fromNext` are its neighbours there.
 * - `willRemove(node)` and `didRemove(node, parent, previous, next)`
 * - `willEmpty(parent, children)` and `didEmpty(parent, children)`
 * - `didReplaceAll(parent, removed, added)` after a change that consists of several; `isCompound()` is true meanwhile
 * - `didChangeData(node, oldValue, offset, count, length)`: `count` units at `offset` became `length` units
 * - `willMerge(node, next, length)`: the data of the text `next` was added to `node`, which had that length
 * - `didChangeAttribute(element, name, namespace, oldValue, value)`
 * - `settled()` when the outermost change has ended
 */
export function follow(follower) { followers.push(follower); }

/** Whether the changes under way are part of one that `didReplaceAll` will tell. */
export const isCompound = () => compounds > 0;

const tell = (name, ...list) => {
    for (const follower of followers) if (follower[name] !== undefined && follower.isActive()) follower[name](...list);
};
const isFollowed = () => {
    for (let at = 0; at < followers.length; at++) if (followers[at].isActive()) return true;
    return false;
};

/** Tells that the data of the text `next` has become the end of `node`, from `length` on; `next` is removed afterwards. */
export const merging = (node, next, length) => tell("willMerge", node, next, length);

/** Performs a change of several nodes; what has to wait for the end of a change waits for its end. */
export function during(action) {
    depth++;
    try {
        return action();
    } finally {
        if (--depth === 0) tell("settled");
    }
}

const compound = (action) => during(() => {
    compounds++;
    try {
        return action();
    } finally {
        compounds--;
    }
});

export function install() {
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
                if (!isFollowed()) return _insertOrReplace.call(this, parent, before, isReplace);
                return during(() => insert(this, parent, before, isReplace));
            } finally {
                // A script that was inserted has run meanwhile.
                changedChildren(parent, child);
            }
        },
    });
    function insert(node, parent, before, isReplace) {
        const isFragment = node.nodeType === 11, from = isFragment ? null : node.parentNode;
        const next = before === node && !isReplace ? node.nextSibling : before;
        // Neighbours that are moved themselves do not count.
        const outside = (at, way) => (at === node && !isFragment ? at[way] : at);
        const change = {
            node, parent, from, added: isFragment ? [...node.childNodes] : [node], replaced: isReplace ? before : null,
            fromPrevious: from === null ? null : node.previousSibling, fromNext: from === null ? null : node.nextSibling,
            previous: outside(next === null ? parent.lastChild : next.previousSibling, "previousSibling"),
            next: outside(isReplace ? before.nextSibling : next, "nextSibling"),
        };
        tell("willInsert", change);
        const wasMoving = isMoving;
        isMoving = true;
        try {
            _insertOrReplace.call(node, parent, next, isReplace);
        } finally {
            isMoving = wasMoving;
        }
        tell("didInsert", change);
    }
    // `remove` is a copy on each prototype that has it.
    for (const { prototype } of new Set([Element, CharacterData, Text, Comment, ProcessingInstruction])) {
        if (!Object.hasOwn(prototype, "remove")) continue;
        const { remove } = prototype;
        Object.defineProperty(prototype, "remove", {
            configurable: true, writable: true, enumerable: true,
            value: function () {
                const { parentNode } = this;
                // Domino removes a node that it inserts elsewhere.
                if (isMoving || !parentNode || !isFollowed()) remove.call(this);
                else {
                    during(() => {
                        const { previousSibling, nextSibling } = this;
                        tell("willRemove", this);
                        remove.call(this);
                        tell("didRemove", this, parentNode, previousSibling, nextSibling);
                    });
                }
                changedChildren(parentNode, this);
            },
        });
    }
    const { removeChildren } = ContainerNode.prototype;
    ContainerNode.prototype.removeChildren = function () {
        for (let kid = this.firstChild; kid !== null; kid = kid.nextSibling) {
            changedChildren(this, kid);
            if (kid.nodeType === 1) break;
        }
        if (this.firstChild === null || !isFollowed()) return removeChildren.call(this);
        return during(() => {
            const children = [...this.childNodes];
            tell("willEmpty", this, children);
            removeChildren.call(this);
            tell("didEmpty", this, children);
        });
    };
    followData();
    followAttributes();
    const replacing = (replace) => function (...list) {
        if (!isFollowed()) return replace.apply(this, list);
        const removed = [...this.childNodes];
        compound(() => replace.apply(this, list));
        tell("didReplaceAll", this, removed, [...this.childNodes]);
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
}

function followData() {
    // The node of which a part of the data is being replaced, and that part: `[offset, count, length]`.
    let whole = null, part = null;
    const replacing = (node, range, action) => {
        const before = [whole, part];
        [whole, part] = [node, range];
        try {
            return action();
        } finally {
            [whole, part] = before;
        }
    };
    const { replaceData, appendData } = CharacterData.prototype;
    add(CharacterData.prototype, {
        replaceData(offset, count, text) {
            if (!isFollowed()) return replaceData.call(this, offset, count, text);
            const at = offset >>> 0, size = Math.min(count >>> 0, this.length - at);
            return replacing(this, [at, size, `${text}`.length], () => replaceData.call(this, offset, count, text));
        },
        appendData(text) {
            if (!isFollowed()) return appendData.call(this, ...arguments);
            return replacing(this, [this.length, 0, `${text}`.length], () => appendData.call(this, ...arguments));
        },
    });
    for (const { prototype } of [Text, Comment, ProcessingInstruction]) {
        for (const name of ["data", "nodeValue", "textContent"]) {
            const known = Object.getOwnPropertyDescriptor(prototype, name);
            if (known?.set === undefined) continue;
            Object.defineProperty(prototype, name, {
                ...known,
                set(value) {
                    if (!isFollowed()) {
                        known.set.call(this, value);
                        changedData(this);
                        return;
                    }
                    const oldValue = this.data;
                    during(() => {
                        known.set.call(this, value);
                        changedData(this);
                        tell("didChangeData", this, oldValue, ...(whole === this ? part : [0, oldValue.length, this.data.length]));
                    });
                },
            });
        }
    }
}

function followAttributes() {
    // An attribute whose node is being replaced changes once.
    let isReplacing = false;
    const changed = (element, { localName, namespaceURI }, oldValue, value) => {
        changedAttribute(localName);
        if (!isReplacing && isFollowed()) during(() => tell("didChangeAttribute", element, localName, namespaceURI, oldValue, value));
    };
    const { prototype: attribute } = Element._Attr;
    const value = Object.getOwnPropertyDescriptor(attribute, "value");
    Object.defineProperty(attribute, "value", {
        ...value,
        set(text) {
            const { _ownerElement: owner, data: oldValue, localName } = this;
            if (owner) changedAttribute(localName);
            value.set.call(this, text);
            if (owner) changed(owner, this, oldValue ?? null, this.data);
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
            return changed(this, found, oldValue, null);
        };
    }
    for (const name of ["setAttributeNode", "setAttributeNodeNS"]) {
        const set = Element.prototype[name];
        Object.defineProperty(Element.prototype, name, {
            configurable: true, writable: true, enumerable: true, value(attr) {
                const oldValue = attr instanceof Element._Attr ? this.getAttributeNodeNS(attr.namespaceURI, attr.localName)?.value ?? null : null;
                const isNew = attr?.ownerElement !== this, wasReplacing = isReplacing;
                let answer;
                isReplacing = true;
                try {
                    answer = set.call(this, attr);
                } finally {
                    isReplacing = wasReplacing;
                }
                if (isNew) changed(this, attr, oldValue, attr.value);
                return answer;
            },
        });
    }
}
