// The validation of form controls, after https://html.spec.whatwg.org/#constraints. Nothing is shown to a user.
import { elements } from "domino/lib/htmlelts";
import { isDisabled } from "./activation.js";
import { numeric, orElse, parseNumber } from "./input-values.js";
import { changedState } from "./changes.js";
import { add } from "./members.js";

const email = /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
const textual = /^(?:text|search|url|tel|email|password|textarea)$/;
const messages = {
    valueMissing: "Please fill in this field.", typeMismatch: "Please enter a valid value.",
    patternMismatch: "Please match the requested format.", tooLong: "Please use fewer characters.",
    tooShort: "Please use more characters.", rangeUnderflow: "The value is too small.",
    rangeOverflow: "The value is too large.", stepMismatch: "Please select a valid value.", badInput: "Please enter a number.",
};

export function install(bridge) {
    const { Event, URL } = bridge, custom = new WeakMap();

    const isMissing = (control) => {
        if (!control.hasAttribute("required") || control.hasAttribute("readonly")) return false;
        if (control.type === "checkbox") return !control.checked;
        if (control.type === "radio") return !control.checked && !control._group().some((other) => other.checked);
        return control.value === "";
    };
    const matches = (control) => {
        const pattern = control.getAttribute("pattern");
        if (control.localName !== "input" || pattern === null || control.value === "" || !textual.test(control.type)) return true;
        try {
            return new RegExp(`^(?:${pattern})$`, "u").test(control.value);
        } catch {
            return true;
        }
    };
    const range = (control) => {
        const kind = control.localName === "input" ? numeric[control.type] : undefined;
        if (kind === undefined || control.value === "") return {};
        const value = kind.parse(control.value), limit = (name) => kind.parse(control.getAttribute(name) ?? "");
        const step = control.getAttribute("step");
        const size = orElse(parseNumber(step ?? "") > 0 ? parseNumber(step) : NaN, kind.step) * kind.unit;
        const base = orElse(limit("min"), orElse(kind.parse(control.getAttribute("value") ?? ""), kind.base ?? 0));
        const rest = Math.abs((value - base) / size % 1);
        return {
            rangeUnderflow: value < limit("min"), rangeOverflow: value > limit("max"),
            stepMismatch: step !== "any" && Math.min(rest, 1 - rest) > 1e-9,
        };
    };
    const flags = (control) => {
        const value = control.value ?? "", isDirty = control._isEdited === true;
        const length = (name) => Number.parseInt(control.getAttribute(name) ?? "", 10);
        const mismatch = control.type === "email" ? !(control.hasAttribute("multiple") ? value.split(",") : [value]).every((one) => email.test(one))
            : control.type === "url" && !URL.canParse(value);
        const found = {
            valueMissing: isMissing(control), typeMismatch: value !== "" && control.localName === "input" && mismatch,
            patternMismatch: !matches(control),
            tooLong: isDirty && value.length > length("maxlength"), tooShort: isDirty && value !== "" && value.length < length("minlength"),
            rangeUnderflow: false, rangeOverflow: false, stepMismatch: false, ...range(control), badInput: false,
            customError: (custom.get(control) ?? "") !== "",
        };
        return { ...found, valid: !Object.values(found).includes(true) };
    };
    const willValidate = (control) => {
        if (/^(?:fieldset|object|output)$/.test(control.localName)) return false;
        if (control.localName === "button" && control.type !== "submit") return false;
        if (control.localName === "input" && /^(?:hidden|reset|button)$/.test(control.type)) return false;
        return !isDisabled(control) && !control.hasAttribute("readonly") && control.closest("datalist") === null;
    };
    class ValidityState {
        #control;
        constructor(control) { this.#control = control; }
        static of(state) { return flags(state.#control); }
    }
    for (const name of [
        "valueMissing", "typeMismatch", "patternMismatch", "tooLong", "tooShort", "rangeUnderflow", "rangeOverflow",
        "stepMismatch", "badInput", "customError", "valid",
    ]) {
        const { of } = ValidityState;
        Object.defineProperty(ValidityState.prototype, name, { enumerable: true, configurable: true, get() { return of(this)[name]; } });
    }
    delete ValidityState.of;
    bridge.tag(ValidityState);
    const members = {
        get willValidate() { return willValidate(this); },
        get validity() { return this._validity ??= new ValidityState(this); },
        get validationMessage() {
            if (!willValidate(this)) return "";
            const found = flags(this);
            if (found.customError) return custom.get(this);
            return messages[Object.keys(messages).find((name) => found[name])] ?? "";
        },
        checkValidity() {
            if (!willValidate(this) || flags(this).valid) return true;
            bridge.dispatchTo(this, new Event("invalid", { cancelable: true }));
            return false;
        },
        reportValidity() { return this.checkValidity(); },
        setCustomValidity(message) {
            custom.set(this, `${message}`);
            changedState();
        },
    };
    for (const name of ["Input", "Button", "Select", "TextArea", "FieldSet", "Output", "Object"]) {
        add(elements[`HTML${name}Element`].prototype, members);
    }
    const formMembers = {
        checkValidity() {
            return [...this.elements].map((control) => control.checkValidity()).every(Boolean);
        },
        reportValidity() { return this.checkValidity(); },
    };
    add(elements.HTMLFormElement.prototype, formMembers);
    return { ValidityState };
}
