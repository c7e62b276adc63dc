// Forms, their controls and labels, after https://html.spec.whatwg.org/#forms. Nothing is sent: the page stays.
import { elements } from "domino/lib/htmlelts";
import { isDisabled } from "./activation.js";
import { add, collection, reflect } from "./members.js";

const listed = "button, fieldset, input, object, output, select, textarea";
const labelable = "button, input:not([type=hidden]), meter, output, progress, select, textarea";

export function install(bridge) {
    const { Event, DOMException } = bridge;
    const {
        HTMLElement, HTMLFormElement, HTMLInputElement, HTMLButtonElement, HTMLLabelElement, HTMLFieldSetElement,
        HTMLOutputElement, HTMLSelectElement, HTMLTextAreaElement, HTMLMeterElement, HTMLProgressElement, HTMLLegendElement, HTMLObjectElement,
    } = elements;
    const root = (node) => {
        while (node.parentNode) node = node.parentNode;
        return node;
    };
    const owner = (control) => {
        const id = control.getAttribute("form");
        if (id !== null && control.isConnected) {
            const found = control.ownerDocument.getElementById(id);
            return found instanceof HTMLFormElement ? found : null;
        }
        const form = control.closest("form");
        if (form !== null) return form;
        // The parser gives a control that stands in a table a form that is not around it.
        const parsed = control._form;
        return parsed instanceof HTMLFormElement && root(parsed) === root(control) ? parsed : null;
    };
    const form = { get form() { return owner(this); } };
    for (const { prototype } of [
        HTMLInputElement, HTMLButtonElement, HTMLFieldSetElement, HTMLOutputElement, HTMLSelectElement,
        HTMLTextAreaElement, HTMLObjectElement,
    ]) {
        add(prototype, form);
    }
    const labels = {
        get labels() {
            if (!this.matches(labelable)) return null;
            return this._labels ??= collection("NodeList", () => [...root(this).querySelectorAll?.("label") ?? []]
                .filter((label) => label.control === this), {
                forEach(callback, self) { [...this].forEach((label, index) => callback.call(self, label, index, this)); },
            });
        },
    };
    for (const { prototype } of [
        HTMLInputElement, HTMLButtonElement, HTMLOutputElement, HTMLSelectElement, HTMLTextAreaElement,
        HTMLMeterElement, HTMLProgressElement,
    ]) {
        add(prototype, labels);
    }
    add(HTMLLabelElement.prototype, {
        get control() {
            const id = this.getAttribute("for");
            if (id === null) return this.querySelector(labelable);
            if (id === "") return null;
            const found = root(this).querySelector?.(`[id=${JSON.stringify(id)}]`) ?? null;
            return found?.matches(labelable) ? found : null;
        },
        get form() {
            const { control } = this;
            return control === null || !control.matches(listed) ? null : control.form;
        },
    });
    reflect(HTMLLabelElement.prototype, [["htmlFor", "for"]]);
    add(HTMLLegendElement.prototype, {
        get form() { return this.parentNode instanceof HTMLFieldSetElement ? this.parentNode.form : null; },
    });
    add(HTMLButtonElement.prototype, {
        get type() {
            const type = (this.getAttribute("type") ?? "").toLowerCase();
            return type === "reset" || type === "button" ? type : "submit";
        },
        set type(value) { this.setAttribute("type", value); },
    });
    add(HTMLFieldSetElement.prototype, {
        get type() { return "fieldset"; },
        get elements() { return this._elements ??= collection("HTMLFormControlsCollection", () => [...this.querySelectorAll(listed)]); },
    });
    reflect(HTMLFieldSetElement.prototype, ["disabled"], "boolean");
    reflect(HTMLFieldSetElement.prototype, ["name"]);
    add(HTMLOutputElement.prototype, {
        get type() { return "output"; },
        get defaultValue() { return this._default ?? this.textContent; },
        set defaultValue(value) {
            if (this._default === undefined) this.textContent = value;
            else this._default = `${value}`;
        },
        get value() { return this.textContent; },
        set value(value) {
            this._default ??= this.textContent;
            this.textContent = value;
        },
    });
    Object.defineProperty(HTMLOutputElement.prototype, "_reset", {
        configurable: true,
        value() {
            if (this._default !== undefined) this.textContent = this._default;
            this._default = undefined;
        },
    });
    // Radio buttons of one name are one entry.
    const controls = (of) => [...root(of).querySelectorAll?.(listed) ?? []]
        .filter((control) => owner(control) === of && control.type !== "image");
    const named = (of, name) => {
        const found = controls(of).filter((control) => control.id === name || control.getAttribute("name") === name);
        if (found.length < 2) return found[0] ?? null;
        return Object.assign(collection("RadioNodeList", () => found), {
            get value() { return found.find((control) => control.type === "radio" && control.checked)?.value ?? ""; },
            set value(value) {
                const radio = found.find((control) => control.type === "radio" && control.value === `${value}`);
                if (radio) radio.checked = true;
            },
        });
    };
    add(HTMLFormElement.prototype, {
        get elements() {
            return this._elements ??= collection("HTMLFormControlsCollection", () => controls(this), {
                namedItem: (name) => named(this, `${name}`),
            });
        },
        get length() { return controls(this).length; },
        submit() { bridge.note("The app wanted to send a form; a headless run stays on its page."); },
        reset() {
            if (!bridge.dispatchTo(this, new Event("reset", { bubbles: true, cancelable: true }))) return;
            for (const control of controls(this)) control._reset?.();
        },
        requestSubmit(submitter = null) {
            if (submitter !== null) {
                if (!(submitter instanceof HTMLElement) || !/^(?:submit|image)$/.test(submitter.type)) throw new TypeError("the control submits no form");
                if (submitter.form !== this) throw new DOMException("the control is not of this form", "NotFoundError");
            }
            this._submitBy(submitter);
        },
    });
    Object.defineProperty(HTMLFormElement.prototype, "_submitBy", {
        configurable: true,
        value(submitter) {
            if (!this.isConnected || this._isSubmitting) return;
            this._isSubmitting = true;
            try {
                const isChecked = !this.hasAttribute("novalidate") && !submitter?.hasAttribute("formnovalidate");
                if (isChecked && !this.reportValidity()) return;
                const event = new bridge.events.SubmitEvent("submit", { bubbles: true, cancelable: true, submitter });
                if (!bridge.dispatchTo(this, event)) return;
            } finally {
                this._isSubmitting = false;
            }
            this.submit();
        },
    });
    reflect(HTMLFormElement.prototype, [["acceptCharset", "accept-charset"], "autocomplete", "name", "target", "rel"]);
    reflect(HTMLFormElement.prototype, ["noValidate"], "boolean");
    // Controls are also members of their form, by index and by name.
    Object.setPrototypeOf(HTMLFormElement.prototype, new Proxy(Object.getPrototypeOf(HTMLFormElement.prototype), {
        get(target, key, self) {
            if (typeof key !== "string" || key in target || key.startsWith("_") || !(self instanceof HTMLFormElement)) {
                return Reflect.get(target, key, self);
            }
            return /^\d+$/.test(key) ? controls(self)[key] : named(self, key) ?? undefined;
        },
    }));
    add(HTMLProgressElement.prototype, {
        get max() { return positive(this.getAttribute("max"), 1); },
        set max(value) { this.setAttribute("max", String(+value)); },
        get value() { return Math.min(positive(this.getAttribute("value"), 0), this.max); },
        set value(value) { this.setAttribute("value", String(+value)); },
        get position() { return this.hasAttribute("value") ? this.value / this.max : -1; },
    });
}

function positive(text, otherwise) {
    const number = Number.parseFloat(text ?? "");
    return number > 0 ? number : otherwise;
}
