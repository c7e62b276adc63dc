// ElementInternals, after https://html.spec.whatwg.org/#element-internals. This file is evaluated when an app first attaches them.
import { defineAria } from "./aria.js";
import { changes } from "./changes.js";
import { shadowOf } from "./components.js";

const flags = ["valueMissing", "typeMismatch", "patternMismatch", "tooLong", "tooShort", "rangeUnderflow", "rangeOverflow", "stepMismatch", "badInput", "customError"];
let made = null;

/** Returns the interfaces, and `attach`, which makes the internals of an element of a form or of another element. */
export function install(bridge) {
    if (made !== null) return made;
    const error = (name, message) => { throw new bridge.DOMException(message, name); };
    const states = new WeakMap();
    const stateOf = (internals) => states.get(internals) ?? (() => { throw new TypeError("the object is not an ElementInternals"); })();
    const inForm = (internals) => {
        const state = stateOf(internals);
        if (!state.isOfForm) error("NotSupportedError", "the element is not associated with forms");
        return state;
    };

    class CustomStateSet extends Set {
        add(value) {
            changes.all++;
            return super.add(`${value}`);
        }
        delete(value) {
            changes.all++;
            return super.delete(value);
        }
        clear() {
            changes.all++;
            super.clear();
        }
    }
    class ElementInternals {
        constructor() { throw new TypeError("Illegal constructor"); }
        get shadowRoot() { return shadowOf(stateOf(this).element); }
        get states() { return stateOf(this).states; }
        get form() {
            const { element } = inForm(this), id = element.getAttribute("form");
            return id === null ? element.closest("form") : element.getRootNode().getElementById?.(id) ?? null;
        }
        get labels() {
            const { element } = inForm(this);
            return element._labelsOf();
        }
        setFormValue(value, state = value) { Object.assign(inForm(this), { value, restored: state }); }
        setValidity(given = {}, message = undefined, anchor = undefined) {
            const state = inForm(this), set = flags.filter((flag) => given?.[flag]);
            if (set.length > 0 && (message === undefined || `${message}` === "")) throw new TypeError("an invalid element needs a message");
            if (anchor !== undefined && !(anchor instanceof bridge.global.HTMLElement)) throw new TypeError("the anchor is not an HTMLElement");
            state.flags = new Set(set);
            state.message = set.length === 0 ? "" : `${message}`;
            changes.all++;
        }
        get willValidate() { return !inForm(this).element.hasAttribute("disabled"); }
        get validity() {
            const { flags: set } = inForm(this), validity = {};
            for (const flag of flags) validity[flag] = set.has(flag);
            return { ...validity, valid: set.size === 0 };
        }
        get validationMessage() { return inForm(this).message; }
        checkValidity() {
            const { element, flags: set } = inForm(this);
            if (set.size === 0 || !this.willValidate) return true;
            bridge.dispatchTo(element, new bridge.Event("invalid", { cancelable: true }));
            return false;
        }
        reportValidity() { return this.checkValidity(); }
    }
    for (const type of [CustomStateSet, ElementInternals]) bridge.tag(type);
    defineAria(ElementInternals.prototype, (internals, name) => stateOf(internals).aria.get(name) ?? null,
        (internals, name, value) => { stateOf(internals).aria.set(name, value); });
    const attached = new WeakSet();
    made = {
        CustomStateSet, ElementInternals,
        attach(element, isOfForm) {
            if (attached.has(element)) error("NotSupportedError", "the element already has internals");
            attached.add(element);
            const internals = Object.create(ElementInternals.prototype);
            states.set(internals, { element, isOfForm, states: new CustomStateSet(), aria: new Map(), flags: new Set(), message: "", value: null });
            return internals;
        },
    };
    return made;
}
