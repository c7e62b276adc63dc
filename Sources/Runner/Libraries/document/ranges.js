// Ranges, after https://dom.spec.whatwg.org/#ranges: live ones follow every change of their nodes.
import Document from "domino/lib/Document";
import Node from "domino/lib/Node";
import Text from "domino/lib/Text";
import { elements } from "domino/lib/htmlelts";
import { add } from "./members.js";
import { follow } from "./mutations.js";
import { following, rootOf } from "./tree.js";

/** The length of a node: of its data, or the number of its children. */
export const lengthOf = (node) => (node.nodeType === 10 ? 0 : node.data !== undefined && node.nodeType !== 1 ? node.data.length : node.childNodes.length);

/** The place of a node among the children of its parent. */
export const indexOf = (node) => {
    let index = 0;
    for (let at = node.previousSibling; at !== null; at = at.previousSibling) index++;
    return index;
};

const isWithin = (node, ancestor) => {
    for (let at = node; at; at = at.parentNode) if (at === ancestor) return true;
    return false;
};

/** -1, 0 or 1: whether the first boundary point is before, at or after the second, of the same tree. */
export function compare([node, offset], [other, otherOffset]) {
    if (node === other) return Math.sign(offset - otherOffset);
    const position = node.compareDocumentPosition(other);
    if (position & Node.DOCUMENT_POSITION_PRECEDING) return -compare([other, otherOffset], [node, offset]);
    if (position & Node.DOCUMENT_POSITION_CONTAINED_BY) {
        let child = other;
        while (child.parentNode !== node) child = child.parentNode;
        if (indexOf(child) < offset) return 1;
    }
    return -1;
}

const data = (node) => node.nodeType === 3 || node.nodeType === 4 || node.nodeType === 7 || node.nodeType === 8;

export function install(bridge) {
    const error = (name, message) => { throw new bridge.DOMException(message, name); };
    // The live ranges, which only apps hold; most pages have none.
    const live = new Set();
    const each = (action) => {
        for (const reference of live) {
            const range = reference.deref();
            if (range === undefined) live.delete(reference);
            else action(points.get(range));
        }
    };
    // The boundary points of each range: `start` and `end`, each a node and an offset.
    const points = new WeakMap();
    const ends = ["start", "end"];

    const willRemove = (node) => {
        const parent = node.parentNode;
        if (live.size === 0 || !parent) return;
        const index = indexOf(node);
        each((both) => {
            for (const end of ends) {
                const [at, offset] = both[end];
                if (isWithin(at, node)) both[end] = [parent, index];
                else if (at === parent && offset > index) both[end] = [parent, offset - 1];
            }
        });
    };
    // `parent` gets `count` children before `next`. The nodes `gone`, which are still there, were handled by
    // `willRemove`, so they no longer count.
    const willInsert = (parent, next, gone, count) => {
        if (next === null) return;
        const before = [...gone].filter((node) => node.parentNode === parent && node !== next && compare([node, 0], [next, 0]) < 0);
        const index = indexOf(next) - before.length;
        each((both) => {
            for (const end of ends) if (both[end][0] === parent && both[end][1] > index) both[end] = [parent, both[end][1] + count];
        });
    };
    const didReplace = (node, offset, count, length) => {
        each((both) => {
            for (const end of ends) {
                const [at, place] = both[end];
                if (at !== node || place <= offset) continue;
                both[end] = [node, place <= offset + count ? offset : place + length - count];
            }
        });
    };

    follow({
        isActive: () => live.size > 0,
        willInsert({ parent, next, added, replaced }) {
            const gone = new Set([...replaced === null ? [] : [replaced], ...[...added].reverse()]);
            for (const node of gone) willRemove(node);
            willInsert(parent, next, gone, added.length);
        },
        willRemove,
        willEmpty(parent, children) { for (const kid of [...children].reverse()) willRemove(kid); },
        willMerge(node, next, length) {
            const index = indexOf(next);
            each((both) => {
                for (const end of ends) {
                    const [at, place] = both[end];
                    if (at === next) both[end] = [node, length + place];
                    else if (at === next.parentNode && place === index) both[end] = [node, length];
                }
            });
        },
        didChangeData(node, oldValue, offset, count, length) { didReplace(node, offset, count, length); },
    });
    add(Text.prototype, {
        splitText(offset) {
            const at = offset >>> 0, { length, parentNode } = this;
            if (at > length) error("IndexSizeError", "the offset is behind the end of the text");
            const rest = this.ownerDocument.createTextNode(this.data.slice(at));
            if (parentNode !== null) {
                parentNode.insertBefore(rest, this.nextSibling);
                const index = indexOf(this);
                each((both) => {
                    for (const end of ends) {
                        const [node, place] = both[end];
                        if (node === this && place > at) both[end] = [rest, place - at];
                        else if (node === parentNode && place === index + 1) both[end] = [parentNode, place + 1];
                    }
                });
            }
            this.replaceData(at, length - at, "");
            return rest;
        },
    });

    const check = (node, offset) => {
        if (!(node instanceof Node)) throw new TypeError("the argument is not a Node");
        if (node.nodeType === 10) error("InvalidNodeTypeError", "a boundary point is not in a doctype");
        if (offset > lengthOf(node)) error("IndexSizeError", "the offset is behind the end of the node");
    };
    const parentOf = (node) => {
        if (!(node instanceof Node)) throw new TypeError("the argument is not a Node");
        return node.parentNode ?? error("InvalidNodeTypeError", "the node has no parent");
    };
    const rootOfRange = (range) => rootOf(points.get(range).start[0]);
    const set = (range, end, point) => {
        const both = points.get(range);
        const isApart = rootOf(point[0]) !== rootOfRange(range);
        both[end] = point;
        const other = end === "start" ? "end" : "start";
        const order = isApart ? 0 : compare(both.start, both.end);
        if (isApart || order > 0) both[other] = point;
    };
    const contains = ({ start, end }, node) => compare([node, 0], start) > 0 && compare([node, lengthOf(node)], end) < 0;
    // The children of the common ancestor that a range contains wholly, and the ones that it cuts.
    const partsOf = (range) => {
        const { start, end } = points.get(range), common = range.commonAncestorContainer;
        const cut = (node) => {
            let child = node;
            while (child.parentNode !== common) child = child.parentNode;
            return child;
        };
        const whole = [...common.childNodes].filter((kid) => contains({ start, end }, kid));
        if (whole.some((kid) => kid.nodeType === 10)) error("HierarchyRequestError", "a doctype cannot be in a fragment");
        return {
            first: isWithin(end[0], start[0]) ? null : cut(start[0]),
            last: isWithin(start[0], end[0]) ? null : cut(end[0]), whole,
        };
    };
    // Where a range collapses after its contents were taken out.
    const placeAfter = ({ start, end }) => {
        if (isWithin(end[0], start[0])) return start;
        let node = start[0];
        while (!isWithin(end[0], node.parentNode)) node = node.parentNode;
        return [node.parentNode, indexOf(node) + 1];
    };
    const between = (start, end) => {
        const range = new Range();
        Object.assign(points.get(range), { start, end });
        return range;
    };
    // Copies the contents into a fragment, or moves them.
    const contentsOf = (range, isMove) => {
        const { start, end } = points.get(range), document = start[0].ownerDocument ?? start[0];
        const fragment = document.createDocumentFragment();
        if (range.collapsed) return fragment;
        const copy = (node, from, to) => {
            const clone = node.cloneNode(false);
            clone.data = node.data.slice(from, to);
            fragment.appendChild(clone);
            if (isMove) node.replaceData(from, to - from, "");
        };
        if (start[0] === end[0] && data(start[0])) {
            copy(start[0], start[1], end[1]);
            return fragment;
        }
        const { first, last, whole } = partsOf(range), place = isMove ? placeAfter(points.get(range)) : null;
        const side = (node, from, to) => {
            const clone = node.cloneNode(false);
            fragment.appendChild(clone);
            clone.appendChild(contentsOf(between(from, to), isMove));
        };
        if (first !== null && data(first)) copy(first, start[1], lengthOf(first));
        else if (first !== null) side(first, start, [first, lengthOf(first)]);
        for (const kid of whole) fragment.appendChild(isMove ? kid : kid.cloneNode(true));
        if (last !== null && data(last)) copy(last, 0, end[1]);
        else if (last !== null) side(last, [last, 0], end);
        if (isMove) Object.assign(points.get(range), { start: place, end: place });
        return fragment;
    };

    class AbstractRange {
        constructor() { if (new.target === AbstractRange) throw new TypeError("Illegal constructor"); }
        get startContainer() { return points.get(this).start[0]; }
        get startOffset() { return points.get(this).start[1]; }
        get endContainer() { return points.get(this).end[0]; }
        get endOffset() { return points.get(this).end[1]; }
        get collapsed() {
            const { start, end } = points.get(this);
            return start[0] === end[0] && start[1] === end[1];
        }
    }

    class StaticRange extends AbstractRange {
        constructor({ startContainer, startOffset, endContainer, endOffset }) {
            super();
            for (const node of [startContainer, endContainer]) {
                if (!(node instanceof Node)) throw new TypeError("a container is not a Node");
                if (node.nodeType === 10 || node.nodeType === 2) error("InvalidNodeTypeError", "a range is not in a doctype or an attribute");
            }
            points.set(this, { start: [startContainer, startOffset >>> 0], end: [endContainer, endOffset >>> 0] });
        }
    }

    class Range extends AbstractRange {
        constructor() {
            super();
            const { document } = bridge.global;
            points.set(this, { start: [document, 0], end: [document, 0] });
            live.add(new WeakRef(this));
        }
        get commonAncestorContainer() {
            const { start, end } = points.get(this);
            let node = start[0];
            while (!isWithin(end[0], node)) node = node.parentNode;
            return node;
        }
        setStart(node, offset) {
            check(node, offset >>> 0);
            set(this, "start", [node, offset >>> 0]);
        }
        setEnd(node, offset) {
            check(node, offset >>> 0);
            set(this, "end", [node, offset >>> 0]);
        }
        setStartBefore(node) { set(this, "start", [parentOf(node), indexOf(node)]); }
        setStartAfter(node) { set(this, "start", [parentOf(node), indexOf(node) + 1]); }
        setEndBefore(node) { set(this, "end", [parentOf(node), indexOf(node)]); }
        setEndAfter(node) { set(this, "end", [parentOf(node), indexOf(node) + 1]); }
        collapse(toStart = false) {
            const both = points.get(this);
            if (toStart) both.end = both.start;
            else both.start = both.end;
        }
        selectNode(node) {
            const parent = parentOf(node), index = indexOf(node);
            Object.assign(points.get(this), { start: [parent, index], end: [parent, index + 1] });
        }
        selectNodeContents(node) {
            check(node, 0);
            Object.assign(points.get(this), { start: [node, 0], end: [node, lengthOf(node)] });
        }
        compareBoundaryPoints(how, other) {
            if (!points.has(other)) throw new TypeError("the argument is not a Range");
            const kind = how & 0xffff;
            if (kind > 3) error("NotSupportedError", `${kind} is not a way to compare`);
            if (rootOfRange(this) !== rootOfRange(other)) error("WrongDocumentError", "the ranges are in different trees");
            const own = points.get(this), its = points.get(other);
            return compare(own[kind === 0 || kind === 3 ? "start" : "end"], its[kind === 0 || kind === 1 ? "start" : "end"]);
        }
        deleteContents() {
            const { start, end } = points.get(this);
            if (this.collapsed) return;
            if (start[0] === end[0] && data(start[0])) {
                start[0].replaceData(start[1], end[1] - start[1], "");
                return;
            }
            const common = this.commonAncestorContainer, removed = [], place = placeAfter({ start, end });
            for (let node = common.firstChild; node; node = following(node, common)) {
                if (contains({ start, end }, node) && !removed.some((one) => isWithin(node, one))) removed.push(node);
            }
            if (data(start[0])) start[0].replaceData(start[1], lengthOf(start[0]) - start[1], "");
            for (const node of removed) node.remove();
            if (data(end[0])) end[0].replaceData(0, end[1], "");
            Object.assign(points.get(this), { start: place, end: place });
        }
        extractContents() { return contentsOf(this, true); }
        cloneContents() { return contentsOf(this, false); }
        insertNode(node) {
            if (!(node instanceof Node)) throw new TypeError("the argument is not a Node");
            const { start: [at, offset] } = points.get(this);
            if (at === node || at.nodeType === 7 || at.nodeType === 8 || (at.nodeType === 3 && at.parentNode === null)) {
                error("HierarchyRequestError", "nothing can be inserted here");
            }
            let next = at.nodeType === 3 ? at : at.childNodes[offset] ?? null;
            const parent = next === null ? at : next.parentNode;
            parent._ensureInsertValid(node, next, true);
            if (at.nodeType === 3) next = at.splitText(offset);
            if (next === node) next = next.nextSibling;
            if (node.parentNode) node.remove();
            const index = next === null ? lengthOf(parent) : indexOf(next);
            const after = index + (node.nodeType === 11 ? lengthOf(node) : 1);
            const wasCollapsed = this.collapsed;
            parent.insertBefore(node, next);
            if (wasCollapsed) points.get(this).end = [parent, after];
        }
        surroundContents(parent) {
            const { start, end } = points.get(this), common = this.commonAncestorContainer;
            for (const [node] of [start, end]) {
                for (let at = node; at !== common; at = at.parentNode) {
                    if (at.nodeType !== 3) error("InvalidStateError", "the range cuts an element");
                }
            }
            if ([9, 10, 11].includes(parent.nodeType)) error("InvalidNodeTypeError", "the node cannot surround anything");
            const fragment = this.extractContents();
            if (parent.firstChild) parent.replaceChildren();
            this.insertNode(parent);
            parent.appendChild(fragment);
            this.selectNode(parent);
        }
        cloneRange() {
            const { start, end } = points.get(this);
            return between(start, end);
        }
        detach() {}
        comparePoint(node, offset) {
            if (!(node instanceof Node)) throw new TypeError("the argument is not a Node");
            if (rootOf(node) !== rootOfRange(this)) error("WrongDocumentError", "the node is in another tree");
            check(node, offset >>> 0);
            const { start, end } = points.get(this), point = [node, offset >>> 0];
            return compare(point, start) < 0 ? -1 : compare(point, end) > 0 ? 1 : 0;
        }
        isPointInRange(node, offset) {
            return node instanceof Node && rootOf(node) !== rootOfRange(this) ? false : this.comparePoint(node, offset) === 0;
        }
        intersectsNode(node) {
            if (!(node instanceof Node)) throw new TypeError("the argument is not a Node");
            if (rootOf(node) !== rootOfRange(this)) return false;
            const { parentNode } = node;
            if (parentNode === null) return true;
            const { start, end } = points.get(this), index = indexOf(node);
            return compare([parentNode, index], end) < 0 && compare([parentNode, index + 1], start) > 0;
        }
        toString() {
            const { start, end } = points.get(this);
            if (start[0] === end[0] && isText(start[0])) return start[0].data.slice(start[1], end[1]);
            let text = isText(start[0]) ? start[0].data.slice(start[1]) : "";
            const common = this.commonAncestorContainer;
            for (let node = common.firstChild ?? null; node !== null; node = following(node, common)) {
                if (isText(node) && contains({ start, end }, node)) text += node.data;
            }
            return text + (isText(end[0]) ? end[0].data.slice(0, end[1]) : "");
        }
        createContextualFragment(markup) {
            const { start: [node] } = points.get(this), document = node.ownerDocument ?? node;
            let context = node.nodeType === 1 ? node : node.nodeType === 9 || node.nodeType === 11 ? null : node.parentElement;
            if (context === null || (context instanceof elements.HTMLElement && context.localName === "html")) context = document.createElement("body");
            const holder = context.cloneNode(false), fragment = document.createDocumentFragment();
            holder.innerHTML = markup;
            fragment.append(...holder.childNodes);
            // Scripts of such a fragment run when they are inserted, unlike those of `innerHTML`.
            for (const script of fragment.querySelectorAll("script")) script._hasStarted = false;
            return fragment;
        }
        getBoundingClientRect() { return bridge.global.document.createElement("p").getBoundingClientRect(); }
        getClientRects() { return []; }
    }
    const isText = (node) => node.nodeType === 3 || node.nodeType === 4;
    for (const [number, name] of ["START_TO_START", "START_TO_END", "END_TO_END", "END_TO_START"].entries()) {
        for (const holder of [Range, Range.prototype]) Object.defineProperty(holder, name, { value: number, enumerable: true });
    }
    for (const type of [AbstractRange, StaticRange, Range]) bridge.tag(type);
    add(Document.prototype, {
        createRange() {
            const range = new Range();
            Object.assign(points.get(range), { start: [this, 0], end: [this, 0] });
            return range;
        },
    });
    return { AbstractRange, StaticRange, Range };
}
