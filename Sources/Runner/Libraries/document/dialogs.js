// What opens and closes: `details` and `dialog` elements, after https://html.spec.whatwg.org/#interactive-elements.
import attributes from "domino/lib/attributes";
import { elements } from "domino/lib/htmlelts";
import { add } from "./members.js";

export function install(bridge) {
    const { HTMLDetailsElement, HTMLDialogElement } = elements;
    const { ToggleEvent } = bridge.events;
    const stateOf = (details) => (details.hasAttribute("open") ? "open" : "closed");

    // Several changes of `open` before the event make one event.
    const toggled = new WeakMap();
    attributes.registerChangeHandler(HTMLDetailsElement, "open", (details, name, before, value) => {
        const wasOpen = before !== null && before !== undefined;
        if (wasOpen === (value !== null) || toggled.has(details)) return;
        toggled.set(details, wasOpen ? "open" : "closed");
        bridge.later(() => {
            const oldState = toggled.get(details);
            toggled.delete(details);
            bridge.dispatchTo(details, new ToggleEvent("toggle", { oldState, newState: stateOf(details) }));
        });
    });

    const modal = new WeakSet();
    const error = (message) => { throw new bridge.DOMException(message, "InvalidStateError"); };
    const returned = new WeakMap();
    add(HTMLDialogElement.prototype, {
        get returnValue() { return returned.get(this) ?? ""; },
        set returnValue(value) { returned.set(this, `${value}`); },
        show() {
            if (this.hasAttribute("open")) {
                if (modal.has(this)) error("the dialog is modal");
                return;
            }
            this.setAttribute("open", "");
        },
        showModal() {
            if (this.hasAttribute("open")) {
                if (!modal.has(this)) error("the dialog is open and not modal");
                return;
            }
            if (!this.isConnected) error("the dialog is in no document");
            modal.add(this);
            this.setAttribute("open", "");
        },
        close(value) {
            modal.delete(this);
            if (!this.hasAttribute("open")) return;
            this.removeAttribute("open");
            if (value !== undefined) this.returnValue = value;
            bridge.later(() => bridge.dispatchTo(this, new bridge.Event("close")));
        },
    });
}
