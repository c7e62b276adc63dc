// The state of `input` and `textarea` elements.
import attributes from "domino/lib/attributes";
import { elements } from "domino/lib/htmlelts";
import { numeric, orElse, parseNumber, sanitize } from "./input-values.js";
import { changedState, cachedUntilChange } from "./changes.js";
import { add, lower, reflect } from "./members.js";
import { addSelection } from "./selection.js";
import { descendants, rootOf } from "./tree.js";

const types = new Set([
    "hidden", "text", "search", "tel", "url", "email", "password", "date", "month", "week", "time", "datetime-local",
    "number", "range", "color", "checkbox", "radio", "file", "submit", "image", "reset", "button",
]);
const fixed = new Set(["hidden", "submit", "image", "reset", "button"]);

/** The chosen files of a control, of which there are none in a headless run. */
export class FileList {
    constructor() { throw new TypeError("Illegal constructor"); }
    get length() { return 0; }
    item() { return null; }
    *[Symbol.iterator]() {}
}
for (const name of ["length", "item"]) Object.defineProperty(FileList.prototype, name, { ...Object.getOwnPropertyDescriptor(FileList.prototype, name), enumerable: true });
Object.defineProperty(FileList.prototype, Symbol.toStringTag, { value: "FileList", configurable: true });

export function install(bridge) {
    const { HTMLInputElement, HTMLTextAreaElement } = elements;
    const error = (message, name) => { throw new bridge.DOMException(message, name); };
    const selection = addSelection(bridge, HTMLInputElement, HTMLTextAreaElement);

    // The radio buttons of a tree, by their names.
    const radiosIn = cachedUntilChange((root) => {
        const found = new Map();
        for (const radio of descendants(root, (element) => element instanceof HTMLInputElement && element.type === "radio")) {
            const name = radio.getAttribute("name") ?? "";
            if (!found.has(name)) found.set(name, []);
            found.get(name).push(radio);
        }
        return found;
    });
    // When checked radio buttons are added to a group, only the last of them stays checked. The others are
    // unchecked when the state is first read, and not one by one while a page is parsed.
    const arrived = new Set();
    const arrive = (input) => {
        if (input.type !== "radio" || !(input._isChecked ?? input.hasAttribute("checked"))) return;
        arrived.delete(input);
        arrived.add(input);
        if (arrived.size > 4096) settle();
    };
    const settle = () => {
        if (arrived.size === 0) return;
        const list = [...arrived].reverse();
        arrived.clear();
        for (const input of list) {
            if (!(input._isChecked ?? input.hasAttribute("checked"))) continue;
            for (const other of input._group()) if (other.checked) other._isChecked = false;
        }
    };
    add(HTMLInputElement.prototype, {
        get type() {
            const type = lower(this.getAttribute("type") ?? "");
            return types.has(type) ? type : "text";
        },
        set type(value) {
            const before = this.type, text = this.value;
            this.setAttribute("type", value);
            const isKept = fixed.has(this.type) && !fixed.has(before) && !/^(?:checkbox|radio|file)$/.test(before);
            if (isKept && text !== "") this.setAttribute("value", text);
        },
        get value() {
            const { type } = this;
            if (type === "file") return "";
            if (fixed.has(type)) return this.getAttribute("value") ?? "";
            if (type === "checkbox" || type === "radio") return this.getAttribute("value") ?? "on";
            return sanitize(this, type, this._text ?? this.getAttribute("value") ?? "");
        },
        set value(value) {
            const { type } = this, text = value === null ? "" : `${value}`;
            if (type === "file") {
                if (text !== "") error("only a user can choose files", "InvalidStateError");
            } else if (fixed.has(type) || type === "checkbox" || type === "radio") {
                this.setAttribute("value", text);
            } else {
                const before = this.value;
                this._setRawValue(sanitize(this, type, text));
                if (this.value !== before) selection.toEnd(this);
            }
        },
        get defaultValue() { return this.getAttribute("value") ?? ""; },
        set defaultValue(value) { this.setAttribute("value", value); },
        get checked() {
            settle();
            return this._isChecked ?? this.hasAttribute("checked");
        },
        set checked(value) {
            settle();
            this._isChecked = !!value;
            changedState();
            if (this._isChecked && this.type === "radio") for (const other of this._group()) other._isChecked = false;
        },
        get indeterminate() { return this._isIndeterminate ?? false; },
        set indeterminate(value) {
            this._isIndeterminate = !!value;
            changedState();
        },
        get files() { return this.type === "file" ? this._files ??= Object.create(FileList.prototype) : null; },
        get list() {
            const found = this.ownerDocument.getElementById(this.getAttribute("list") ?? "");
            return found?.localName === "datalist" ? found : null;
        },
        get valueAsNumber() {
            const kind = numeric[this.type];
            return kind === undefined ? NaN : kind.parse(this.value);
        },
        set valueAsNumber(value) {
            const kind = numeric[this.type];
            if (Math.abs(value) === Infinity) throw new TypeError("the number is infinite");
            if (kind === undefined) error("this control has no number", "InvalidStateError");
            this.value = Number.isNaN(+value) ? "" : kind.write(+value);
        },
        get valueAsDate() {
            const kind = numeric[this.type];
            if (!kind?.isDate) return null;
            const number = kind.parse(this.value);
            if (Number.isNaN(number)) return null;
            return new Date(this.type === "month" ? Date.UTC(1970, number) : number);
        },
        set valueAsDate(value) {
            const kind = numeric[this.type];
            if (!kind?.isDate) error("this control has no date", "InvalidStateError");
            if (value !== null && Object.prototype.toString.call(value) !== "[object Date]") throw new TypeError("the value is not a Date");
            const time = value === null ? NaN : +value;
            if (Number.isNaN(time)) this.value = "";
            else if (this.type === "month") this.value = kind.write((value.getUTCFullYear() - 1970) * 12 + value.getUTCMonth());
            else this.value = kind.write(time);
        },
        stepUp(count = 1) { this._step(+count); },
        stepDown(count = 1) { this._step(-count); },
        get width() { return Number.parseInt(this.getAttribute("width") ?? "", 10) || 0; },
        get height() { return Number.parseInt(this.getAttribute("height") ?? "", 10) || 0; },
        showPicker() {},
    });
    const hidden = (prototype, members) => {
        for (const [name, value] of Object.entries(members)) {
            Object.defineProperty(prototype, name, { value, configurable: true, writable: true });
        }
    };
    hidden(HTMLInputElement.prototype, {
        _setRawValue(text) {
            this._text = text;
            this._isEdited = true;
            changedState();
        },
        // The other radio buttons of its group.
        _group() {
            const name = this.getAttribute("name") ?? "";
            if (this.type !== "radio" || name === "") return [];
            return (radiosIn(rootOf(this)).get(name) ?? []).filter((other) => other !== this && this._isOfGroup(other));
        },
        _isOfGroup(other) {
            return (this.getAttribute("name") ?? "") !== "" && other.getAttribute("name") === this.getAttribute("name")
                && other.type === "radio" && this.type === "radio" && other.form === this.form;
        },
        _step(count) {
            const kind = numeric[this.type], given = this.getAttribute("step");
            if (kind === undefined || given === "any") error("this control has no steps", "InvalidStateError");
            const size = orElse(parseNumber(given ?? "") > 0 ? parseNumber(given) : NaN, kind.step) * kind.unit;
            const limit = (name) => kind.parse(this.getAttribute(name) ?? "");
            const base = orElse(limit("min"), orElse(kind.parse(this.getAttribute("value") ?? ""), kind.base ?? 0));
            const [min, max] = [orElse(limit("min"), this.type === "range" ? 0 : -Infinity), orElse(limit("max"), this.type === "range" ? 100 : Infinity)];
            if (min > max) return;
            const before = orElse(kind.parse(this.value), 0);
            const exact = (number) => Number(number.toPrecision(12));
            const steps = exact((before - base) / size);
            let value = Number.isInteger(steps) ? before + count * size
                : base + (count > 0 ? Math.ceil(steps) : Math.floor(steps)) * size;
            if (value < min) value = base + Math.ceil(exact((min - base) / size)) * size;
            if (value > max) value = base + Math.floor(exact((max - base) / size)) * size;
            if ((count > 0 && value < before) || (count < 0 && value > before)) return;
            this.value = kind.write(exact(value));
        },
        _reset() {
            this._text = this._isChecked = undefined;
            this._isEdited = false;
            changedState();
        },
        _copyState(from) {
            settle();
            this._text = from._text;
            this._isChecked = from._isChecked;
            this._isEdited = from._isEdited;
            this._isIndeterminate = from._isIndeterminate;
        },
    });
    reflect(HTMLInputElement.prototype, ["accept", "alt", "max", "min", "name", "pattern", "placeholder", "step", "dirName", "autocomplete"]);
    reflect(HTMLInputElement.prototype, ["disabled", "readOnly", "required", "multiple", ["defaultChecked", "checked"], "formNoValidate"], "boolean");
    delete HTMLInputElement.prototype._post_click_activation_steps;
    for (const changed of ["checked", "name", "type", "form"]) {
        attributes.registerChangeHandler(HTMLInputElement, changed, (input, name, before, value) => {
            if (value !== null && (changed !== "checked" || input._isChecked === undefined)) arrive(input);
        });
    }
    Object.defineProperty(HTMLInputElement.prototype, "_roothook", { configurable: true, writable: true, value() { arrive(this); } });

    const lines = (text) => text.replace(/\r\n?/g, "\n");
    add(HTMLTextAreaElement.prototype, {
        get type() { return "textarea"; },
        get value() { return lines(this._text ?? this.defaultValue); },
        set value(value) {
            const before = this.value;
            this._setRawValue(value === null ? "" : `${value}`);
            if (this.value !== before) selection.toEnd(this);
        },
        get defaultValue() {
            let text = "";
            for (let kid = this.firstChild; kid !== null; kid = kid.nextSibling) if (kid.nodeType === 3 || kid.nodeType === 4) text += kid.data;
            return text;
        },
        set defaultValue(value) { this.textContent = value; },
        get textLength() { return this.value.length; },
    });
    hidden(HTMLTextAreaElement.prototype, {
        _setRawValue(text) {
            this._text = text;
            this._isEdited = true;
            changedState();
        },
        _reset() {
            this._text = undefined;
            this._isEdited = false;
            changedState();
        },
        _copyState(from) {
            this._text = from._text;
            this._isEdited = from._isEdited;
        },
    });
    reflect(HTMLTextAreaElement.prototype, ["name", "placeholder", "wrap", "dirName", "autocomplete"]);
    reflect(HTMLTextAreaElement.prototype, ["disabled", "readOnly", "required"], "boolean");
}
