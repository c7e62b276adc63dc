// Forms, their controls and labels, after https://html.spec.whatwg.org/#forms. Nothing is sent: the page stays.
import { elements } from "domino/lib/htmlelts";
import NodeList from "domino/lib/NodeList";
import { isFormAssociated } from "./components.js";
import { cachedUntilChange } from "./changes.js";
import { HTMLCollection, HTMLFormControlsCollection, RadioNodeList, collection, ownerOf } from "./live-lists.js";
import { add, lower, reflect } from "./members.js";
import { descendants, firstElement, rootOf } from "./tree.js";

const html = "http://www.w3.org/1999/xhtml";
const listed = new Set(["button", "fieldset", "input", "object", "output", "select", "textarea"]);
const labelable = new Set(["button", "input", "meter", "output", "progress", "select", "textarea"]);
const isListed = (element) => (listed.has(element.localName) && element.namespaceURI === html) || isFormAssociated(element);
const isLabelable = (element) => (labelable.has(element.localName) && element.namespaceURI === html
    && !(element.localName === "input" && element.type === "hidden")) || isFormAssociated(element);

export function install(bridge) {
    const { Event, DOMException } = bridge;
    const {
        HTMLElement, HTMLFormElement, HTMLInputElement, HTMLButtonElement, HTMLLabelElement, HTMLFieldSetElement,
        HTMLOutputElement, HTMLSelectElement, HTMLTextAreaElement, HTMLMeterElement, HTMLProgressElement, HTMLLegendElement, HTMLObjectElement,
    } = elements;
    const owner = (control) => {
        const id = control.getAttribute("form");
        if (id !== null && control.rooted) {
            const found = control.ownerDocument.getElementById(id);
            return found instanceof HTMLFormElement ? found : null;
        }
        for (let at = control.parentNode; at !== null; at = at.parentNode) if (at instanceof HTMLFormElement) return at;
        // The parser associates a control in a table with a form that is not its ancestor.
        const parsed = control._form;
        return parsed instanceof HTMLFormElement && rootOf(parsed) === rootOf(control) ? parsed : null;
    };
    const form = { get form() { return owner(this); } };
    for (const { prototype } of [
        HTMLInputElement, HTMLButtonElement, HTMLFieldSetElement, HTMLOutputElement, HTMLSelectElement,
        HTMLTextAreaElement, HTMLObjectElement,
    ]) {
        add(prototype, form);
    }
    // The labels of each control of a tree.
    const labelsIn = cachedUntilChange((root) => {
        const found = new Map();
        for (const label of descendants(root, (element) => element instanceof HTMLLabelElement)) {
            const { control } = label;
            if (control !== null) found.set(control, [...found.get(control) ?? [], label]);
        }
        return found;
    });
    const none = [];
    const labelsOf = (control) => labelsIn(rootOf(control)).get(control) ?? none;
    const labels = {
        get labels() { return isLabelable(this) ? this._labels ??= collection(NodeList, this, labelsOf) : null; },
    };
    Object.defineProperty(HTMLElement.prototype, "_labelsOf", { configurable: true, value() { return this._labels ??= collection(NodeList, this, labelsOf); } });
    for (const { prototype } of [
        HTMLInputElement, HTMLButtonElement, HTMLOutputElement, HTMLSelectElement, HTMLTextAreaElement,
        HTMLMeterElement, HTMLProgressElement,
    ]) {
        add(prototype, labels);
    }
    add(HTMLLabelElement.prototype, {
        get control() {
            const id = this.getAttribute("for");
            if (id === null) return firstElement(this, isLabelable);
            if (id === "") return null;
            const found = this.rooted ? this.ownerDocument.getElementById(id)
                : firstElement(rootOf(this), (element) => element.getAttribute("id") === id);
            return found !== null && isLabelable(found) ? found : null;
        },
        get form() {
            const { control } = this;
            return control === null || !isListed(control) ? null : control.form;
        },
    });
    reflect(HTMLLabelElement.prototype, [["htmlFor", "for"]]);
    add(HTMLLegendElement.prototype, {
        get form() { return this.parentNode instanceof HTMLFieldSetElement ? this.parentNode.form : null; },
    });
    add(HTMLButtonElement.prototype, {
        get type() {
            const type = lower(this.getAttribute("type") ?? "");
            return type === "reset" || type === "button" ? type : "submit";
        },
        set type(value) { this.setAttribute("type", value); },
    });
    const within = cachedUntilChange((fieldset) => descendants(fieldset, isListed));
    add(HTMLFieldSetElement.prototype, {
        get type() { return "fieldset"; },
        get elements() { return this._elements ??= collection(HTMLCollection, this, within); },
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
    // The controls of each form of a tree.
    const controlsIn = cachedUntilChange((root) => {
        const found = new Map();
        for (const control of descendants(root, isListed)) {
            const form = control.type === "image" ? null : owner(control);
            if (form !== null && !found.has(form)) found.set(form, []);
            found.get(form)?.push(control);
        }
        return found;
    });
    const controls = (form) => controlsIn(rootOf(form)).get(form) ?? none;
    // Controls of one name are one entry.
    const byName = (list) => cachedUntilChange((of) => {
        const found = new Map();
        for (const control of list(of)) {
            for (const name of new Set([control.id, control.getAttribute("name") ?? ""])) {
                if (!found.has(name)) found.set(name, []);
                found.get(name).push(control);
            }
        }
        return found;
    });
    const namesOf = byName(controls), namesWithin = byName(within);
    const named = (names, of, name) => {
        const find = (form) => names(form).get(name) ?? none, found = name === "" ? none : find(of);
        return found.length < 2 ? found[0] ?? null : collection(RadioNodeList, of, find);
    };
    add(RadioNodeList.prototype, {
        get value() { return radiosOf(this).find((radio) => radio.checked)?.value ?? ""; },
        set value(value) {
            const radio = radiosOf(this).find((one) => one.value === `${value}`);
            if (radio !== undefined) radio.checked = true;
        },
    });
    const radiosOf = (list) => [...list].filter((control) => control.type === "radio");
    add(HTMLFormControlsCollection.prototype, {
        namedItem(name) {
            const of = ownerOf(this);
            return named(of instanceof HTMLFormElement ? namesOf : namesWithin, of, `${name}`);
        },
    });
    add(HTMLFormElement.prototype, {
        get elements() { return this._elements ??= collection(HTMLFormControlsCollection, this, controls); },
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
            return /^\d+$/.test(key) ? controls(self)[key] : named(namesOf, self, key) ?? undefined;
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
