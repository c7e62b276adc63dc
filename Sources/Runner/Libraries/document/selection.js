// The selected text of text controls, after https://html.spec.whatwg.org/#textFieldSelection.
import { add } from "./members.js";

const selectable = new Set(["text", "search", "tel", "url", "password", "textarea"]);

/** Adds the selection to controls, whose current text is their `value`. */
export function addSelection(bridge, ...kinds) {
    const states = new WeakMap();
    const stateOf = (control) => {
        if (!states.has(control)) states.set(control, { start: 0, end: 0, direction: "none" });
        const state = states.get(control), size = control.value.length;
        state.start = Math.min(state.start, size);
        state.end = Math.min(state.end, size);
        return state;
    };
    const check = (control) => {
        if (!selectable.has(control.type)) throw new bridge.DOMException("this control has no selection", "InvalidStateError");
    };
    const select = (control, start, end, direction) => {
        const state = stateOf(control), size = control.value.length;
        const before = { ...state };
        state.end = Math.min(end, size);
        state.start = Math.min(start, state.end);
        state.direction = direction === "forward" || direction === "backward" ? direction : "none";
        if (before.start === state.start && before.end === state.end && before.direction === state.direction) return;
        bridge.later(() => bridge.dispatchTo(control, new bridge.Event("select", { bubbles: true })));
    };
    const unsigned = (value) => value >>> 0;
    const members = {
        get selectionStart() { return selectable.has(this.type) ? stateOf(this).start : null; },
        set selectionStart(value) {
            check(this);
            const { end, direction } = stateOf(this), start = value === null ? 0 : unsigned(value);
            select(this, start, Math.max(start, end), direction);
        },
        get selectionEnd() { return selectable.has(this.type) ? stateOf(this).end : null; },
        set selectionEnd(value) {
            check(this);
            const { start, direction } = stateOf(this);
            select(this, start, value === null ? 0 : unsigned(value), direction);
        },
        get selectionDirection() { return selectable.has(this.type) ? stateOf(this).direction : null; },
        set selectionDirection(value) {
            check(this);
            const { start, end } = stateOf(this);
            select(this, start, end, value);
        },
        select() { if (selectable.has(this.type)) select(this, 0, Infinity, "none"); },
        setSelectionRange(start, end, direction) {
            check(this);
            select(this, unsigned(start), unsigned(end), direction);
        },
        setRangeText(replacement, start, end, mode = "preserve") {
            check(this);
            const state = { ...stateOf(this) }, { value } = this;
            if (arguments.length === 1) ({ start, end } = state);
            start = unsigned(start);
            end = unsigned(end);
            if (start > end) throw new bridge.DOMException("the start is behind the end", "IndexSizeError");
            if (!["select", "start", "end", "preserve"].includes(mode)) throw new TypeError(`${mode} is no mode of selection`);
            start = Math.min(start, value.length);
            end = Math.min(end, value.length);
            const text = `${replacement}`, added = start + text.length, more = text.length - (end - start);
            this._setRawValue(value.slice(0, start) + text + value.slice(end));
            bridge.later(() => bridge.dispatchTo(this, new bridge.Event("select", { bubbles: true })));
            let from = state.start, to = state.end;
            if (mode === "select") [from, to] = [start, added];
            else if (mode === "start") from = to = start;
            else if (mode === "end") from = to = added;
            else {
                if (from > end) from += more;
                else if (from > start) from = start;
                if (to > end) to += more;
                else if (to > start) to = added;
            }
            states.set(this, { start: from, end: to, direction: "none" });
        },
    };
    for (const kind of kinds) add(kind.prototype, members);
    return {
        /** Puts the cursor behind a text that was set. */
        toEnd(control) { states.set(control, { start: control.value.length, end: control.value.length, direction: "none" }); },
    };
}
