// What a click does, after https://html.spec.whatwg.org/#activation-behavior.
import { elements } from "domino/lib/htmlelts";
import { add } from "./members.js";
import { elementsOf } from "./tree.js";

const {
    HTMLElement, HTMLInputElement, HTMLButtonElement, HTMLLabelElement, HTMLAnchorElement, HTMLAreaElement,
} = elements;

const interactive = "a[href], button, details, embed, iframe, input:not([type=hidden]), label, select, textarea";
const decoded = (text) => {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
};
const isCheckable = (element) => element instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(element.type);

/** Whether a control is disabled, by itself or by a fieldset. */
export function isDisabled(element) {
    if (!/^(?:button|fieldset|input|optgroup|option|select|textarea)$/.test(element.localName)) return false;
    if (element.hasAttribute("disabled")) return true;
    if (element.localName === "option") return element.parentNode?.localName === "optgroup" && element.parentNode.hasAttribute("disabled");
    for (let at = element.parentNode, before = element; at?.nodeType === 1; before = at, at = at.parentNode) {
        if (at.localName !== "fieldset" || !at.hasAttribute("disabled")) continue;
        // The controls of its first legend stay enabled.
        const legend = elementsOf(at).find((child) => child.localName === "legend");
        if (before !== legend) return true;
    }
    return false;
}

export function install(bridge) {
    const { global, hooks } = bridge, { Event } = bridge;
    const { MouseEvent, PointerEvent } = bridge.events;

    const behaviour = (element) => {
        if (element instanceof HTMLInputElement || element instanceof HTMLButtonElement) return true;
        if (element instanceof HTMLAnchorElement || element instanceof HTMLAreaElement) return element.hasAttribute("href");
        return element instanceof HTMLLabelElement || (element instanceof HTMLElement && element.localName === "summary");
    };
    const submitOrReset = (element) => {
        const form = element.form;
        if (!form || isDisabled(element) || !element.ownerDocument.contains(element)) return;
        if (element.type === "submit" || element.type === "image") form._submitBy(element);
        else if (element.type === "reset") form.reset();
    };
    const runs = {
        input(element) {
            if (!isCheckable(element)) return submitOrReset(element);
            if (!element.isConnected) return;
            bridge.dispatchTo(element, new Event("input", { bubbles: true, composed: true }));
            bridge.dispatchTo(element, new Event("change", { bubbles: true }));
        },
        button: submitOrReset,
        a(element, event) {
            const { target } = event;
            if (target !== element && target.closest?.(interactive) !== element && target.closest?.(interactive)) return;
            if (element.ownerDocument.defaultView !== global || !element.isConnected) return;
            const { href } = element;
            if (/^javascript:/i.test(href)) bridge.later(() => bridge.run(decoded(href.slice(11)), "javascript:", 1, false));
            else if (element.hasAttribute("download")) bridge.note(`The app wanted to download ${element.getAttribute("download") || href}; a headless run keeps no downloads.`);
            else global.location = href;
        },
        area(element, event) { runs.a(element, event); },
        label(element, event) {
            const { control } = element;
            if (control === null || isDisabled(control)) return;
            // A click on something interactive inside of the label is not one on the label.
            for (let at = event.target; at !== null && at !== element; at = at.parentNode) {
                if (at === control || at.matches?.(interactive)) return;
            }
            if (event.target !== control) control.click();
        },
        summary(element) {
            const details = element.parentNode;
            if (details?.localName !== "details") return;
            if (elementsOf(details).find((child) => child.localName === "summary") !== element) return;
            details.toggleAttribute("open");
        },
    };
    hooks.activates = (target, event) => event instanceof MouseEvent && event.type === "click"
        && target instanceof HTMLElement && behaviour(target);
    hooks.before = (element) => {
        if (!isCheckable(element)) return undefined;
        if (element.type === "checkbox") {
            const state = { isChecked: element.checked, isIndeterminate: element.indeterminate };
            element.checked = !state.isChecked;
            element.indeterminate = false;
            return state;
        }
        const state = { isChecked: element.checked, other: element._group().find((other) => other.checked) ?? null };
        element.checked = true;
        return state;
    };
    hooks.cancelled = (element, event, state) => {
        if (state === undefined) return;
        if (element.type === "checkbox") element.indeterminate = state.isIndeterminate;
        element.checked = state.isChecked;
        if (element.type === "radio" && state.other && state.other !== element && state.other._isOfGroup(element)) {
            state.other.checked = true;
        }
    };
    hooks.after = (element, event, state) => {
        // A control that was no checkbox or radio button before its listeners ran does nothing more.
        if (isCheckable(element) && state === undefined) return;
        // Nothing has changed.
        if (element.type === "radio" && state?.isChecked) return;
        bridge.call(runs[element.localName], undefined, [element, event]);
    };
    add(HTMLElement.prototype, {
        click() {
            if (isDisabled(this) || this._isClicked) return;
            this._isClicked = true;
            try {
                this.dispatchEvent(new PointerEvent("click", {
                    bubbles: true, cancelable: true, composed: true, view: global, detail: 0,
                }));
            } finally {
                this._isClicked = false;
            }
        },
    });
}
