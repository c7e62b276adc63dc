// The selection of a document, after https://w3c.github.io/selection-api/. Nobody selects in a headless run, so it is
// what scripts make it.
import Document from "domino/lib/Document";
import Node from "domino/lib/Node";
import { add } from "./members.js";
import { compare, indexOf, lengthOf } from "./ranges.js";
import { rootOf } from "./tree.js";

export function install(bridge, Range) {
    const error = (name, message) => { throw new bridge.DOMException(message, name); };
    // For each selection its document, its range or null, and whether it was selected backwards.
    const states = new WeakMap(), selections = new WeakMap(), changed = new WeakSet();
    const make = (start, end) => {
        const range = new Range();
        range.setStart(...start);
        range.setEnd(...end);
        return range;
    };
    const select = (selection, range, isBackward = false) => {
        const state = states.get(selection), before = state.range;
        const isSame = before === null || range === null ? before === range : isBackward === state.isBackward
            && before.startContainer === range.startContainer && before.startOffset === range.startOffset
            && before.endContainer === range.endContainer && before.endOffset === range.endOffset;
        Object.assign(state, { range, isBackward });
        if (isSame) return;
        if (changed.has(state.document)) return;
        changed.add(state.document);
        bridge.later(() => {
            changed.delete(state.document);
            bridge.dispatchTo(state.document, new bridge.Event("selectionchange"));
        });
    };
    const pointOf = (selection, isFocus) => {
        const { range, isBackward } = states.get(selection);
        if (range === null) return [null, 0];
        return isFocus === isBackward ? [range.startContainer, range.startOffset] : [range.endContainer, range.endOffset];
    };
    const isOwn = (selection, node) => rootOf(node) === states.get(selection).document;
    const check = (node, offset) => {
        if (!(node instanceof Node)) throw new TypeError("the argument is not a Node");
        if (node.nodeType === 10) error("InvalidNodeTypeError", "a selection does not begin in a doctype");
        if (offset > lengthOf(node)) error("IndexSizeError", "the offset is beyond the end of the node");
        return offset;
    };
    const needed = (selection) => states.get(selection).range ?? error("InvalidStateError", "nothing is selected");

    class Selection {
        constructor() { throw new TypeError("Illegal constructor"); }
        get anchorNode() { return pointOf(this, false)[0]; }
        get anchorOffset() { return pointOf(this, false)[1]; }
        get focusNode() { return pointOf(this, true)[0]; }
        get focusOffset() { return pointOf(this, true)[1]; }
        get isCollapsed() { return states.get(this).range?.collapsed ?? true; }
        get rangeCount() { return states.get(this).range === null ? 0 : 1; }
        get type() {
            const { range } = states.get(this);
            return range === null ? "None" : range.collapsed ? "Caret" : "Range";
        }
        get direction() {
            const { range, isBackward } = states.get(this);
            return range === null || range.collapsed ? "none" : isBackward ? "backward" : "forward";
        }
        getRangeAt(index) {
            const { range } = states.get(this);
            if (range === null || index >>> 0 !== 0) error("IndexSizeError", "there is no such range");
            return range;
        }
        addRange(range) {
            if (!(range instanceof Range)) throw new TypeError("the argument is not a Range");
            if (isOwn(this, range.startContainer) && states.get(this).range === null) select(this, range);
        }
        removeRange(range) {
            if (!(range instanceof Range)) throw new TypeError("the argument is not a Range");
            if (states.get(this).range !== range) error("NotFoundError", "the range is not selected");
            select(this, null);
        }
        removeAllRanges() { if (states.get(this).range !== null) select(this, null); }
        empty() { this.removeAllRanges(); }
        collapse(node, offset = 0) {
            if (node === null || node === undefined) return this.removeAllRanges();
            const at = check(node, offset >>> 0);
            if (isOwn(this, node)) select(this, make([node, at], [node, at]));
            return undefined;
        }
        setPosition(node, offset) { this.collapse(node, offset); }
        collapseToStart() {
            const { startContainer, startOffset } = needed(this);
            select(this, make([startContainer, startOffset], [startContainer, startOffset]));
        }
        collapseToEnd() {
            const { endContainer, endOffset } = needed(this);
            select(this, make([endContainer, endOffset], [endContainer, endOffset]));
        }
        extend(node, offset = 0) {
            const at = check(node, offset >>> 0);
            if (!isOwn(this, node)) return;
            needed(this);
            const [anchor, place] = pointOf(this, false);
            this.setBaseAndExtent(anchor, place, node, at);
        }
        setBaseAndExtent(anchor, anchorOffset, focus, focusOffset) {
            const start = [anchor, check(anchor, anchorOffset >>> 0)], end = [focus, check(focus, focusOffset >>> 0)];
            if (!isOwn(this, anchor) || !isOwn(this, focus)) return;
            const isBackward = compare(end, start) < 0;
            select(this, isBackward ? make(end, start) : make(start, end), isBackward);
        }
        selectAllChildren(node) {
            check(node, 0);
            if (isOwn(this, node)) select(this, make([node, 0], [node, node.childNodes.length]));
        }
        containsNode(node, allowsPart = false) {
            if (!(node instanceof Node)) throw new TypeError("the argument is not a Node");
            const { range } = states.get(this), { parentNode } = node;
            if (range === null || !isOwn(this, node)) return false;
            if (parentNode === null) return allowsPart;
            if (allowsPart) return range.intersectsNode(node);
            const index = indexOf(node);
            return range.comparePoint(parentNode, index) === 0 && range.comparePoint(parentNode, index + 1) === 0;
        }
        deleteFromDocument() { states.get(this).range?.deleteContents(); }
        modify() { bridge.note("Selection.modify has no effect: a headless run has no layout."); }
        toString() { return states.get(this).range?.toString() ?? ""; }
    }
    bridge.tag(Selection);
    const getSelection = (document) => {
        if (document.defaultView === null || document.defaultView === undefined) return null;
        if (!selections.has(document)) {
            const selection = Object.create(Selection.prototype);
            states.set(selection, { document, range: null, isBackward: false });
            selections.set(document, selection);
        }
        return selections.get(document);
    };
    add(Document.prototype, { getSelection() { return getSelection(this); } });
    return { Selection, getSelection: () => getSelection(bridge.global.document) };
}
