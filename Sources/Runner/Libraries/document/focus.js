// The focused element, after https://html.spec.whatwg.org/#focus. There is no sequential navigation.
import Document from "domino/lib/Document";
import Element from "domino/lib/Element";
import { elements } from "domino/lib/htmlelts";
import { isDisabled } from "./activation.js";
import { changedState } from "./changes.js";
import { isShadowRoot } from "./components.js";
import { add } from "./members.js";
import { follow } from "./mutations.js";
import { rootOf } from "./tree.js";

const natural = "a[href], area[href], button, input:not([type=hidden]), select, textarea, iframe, summary";

export function install(bridge, styles) {
    const { FocusEvent } = bridge.events;
    const focused = new WeakMap();

    const isFocusable = (element) => {
        if (!element.isConnected || isDisabled(element)) return false;
        const index = Number.parseInt(element.getAttribute("tabindex") ?? "", 10);
        const editable = element.getAttribute("contenteditable");
        if (!element.matches(natural) && Number.isNaN(index) && (editable === null || editable === "false")) return false;
        styles.begin();
        return styles.isRendered(element);
    };
    // An element that leaves its document loses the focus for good.
    let last = null;
    const drop = () => {
        if (last === null || last.isConnected) return;
        focused.delete(last.ownerDocument);
        last = null;
    };
    follow({ isActive: () => last !== null, didRemove: drop, didEmpty: drop, didInsert: drop });
    const current = (document) => {
        const element = focused.get(document);
        return element !== undefined && element.isConnected && element.ownerDocument === document ? element : null;
    };
    const fire = (element, type, bubbles, relatedTarget) => bridge.dispatchTo(element, new FocusEvent(type, {
        bubbles, composed: true, view: bridge.global, relatedTarget,
    }));
    const move = (document, next) => {
        const before = current(document);
        if (before === next) return;
        if (before !== null) {
            focused.delete(document);
            changedState();
            fire(before, "blur", false, next);
            fire(before, "focusout", true, next);
        }
        if (next === null || !next.isConnected) return;
        focused.set(document, next);
        last = next;
        changedState();
        fire(next, "focus", false, before);
        if (current(document) === next) fire(next, "focusin", true, before);
    };
    delete elements.HTMLElement.prototype.focus;
    delete elements.HTMLElement.prototype.blur;
    add(Element.prototype, {
        focus() { if (this.ownerDocument.defaultView === bridge.global && isFocusable(this)) move(this.ownerDocument, this); },
        blur() { if (current(this.ownerDocument) === this) move(this.ownerDocument, null); },
    });
    add(elements.HTMLElement.prototype, {
        get tabIndex() {
            const index = Number.parseInt(this.getAttribute("tabindex") ?? "", 10);
            return Number.isNaN(index) ? (this.matches(natural) ? 0 : -1) : index;
        },
        set tabIndex(value) { this.setAttribute("tabindex", String(value | 0)); },
        get autofocus() { return this.hasAttribute("autofocus"); },
        set autofocus(value) { this.toggleAttribute("autofocus", !!value); },
    });
    add(Document.prototype, {
        get activeElement() {
            let element = current(this);
            while (element !== null && isShadowRoot(rootOf(element))) element = rootOf(element).host;
            return element ?? this.body ?? this.documentElement;
        },
        hasFocus() { return this.defaultView === bridge.global; },
    });
    Object.defineProperty(Document.prototype, "_focused", { configurable: true, get() { return current(this); } });
    return {
        /** Focuses the first element that asks for it, at the end of parsing. */
        begin(document) { if (current(document) === null) document.querySelector("[autofocus]")?.focus(); },
    };
}
