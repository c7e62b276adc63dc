// Members of form controls that domino lacks.
import { elements } from "domino/lib/htmlelts";

function add(prototype, members) {
    for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(members))) {
        Object.defineProperty(prototype, name, { ...member, enumerable: true, configurable: true });
    }
}

export function install(bridge) {
    const { HTMLFormElement, HTMLInputElement, HTMLOptionElement, HTMLSelectElement } = elements;
    add(HTMLOptionElement.prototype, {
        get selected() {
            if (this._isSelected !== undefined) return this._isSelected;
            return this.hasAttribute("selected");
        },
        set selected(value) {
            const select = this.closest("select");
            if (select !== null && !select.multiple) for (const other of select.options) other._isSelected = false;
            this._isSelected = !!value;
        },
        get index() { return Math.max(0, [...(this.closest("select")?.options ?? [])].indexOf(this)); },
    });
    add(HTMLSelectElement.prototype, {
        get selectedIndex() {
            const options = [...this.options];
            const chosen = options.findLastIndex((option) => option.selected);
            return chosen >= 0 || this.multiple ? chosen : options.findIndex((option) => !option.disabled);
        },
        set selectedIndex(index) {
            [...this.options].forEach((option, at) => { option._isSelected = at === index; });
        },
        get selectedOptions() {
            const options = [...this.options];
            return this.multiple ? options.filter((option) => option.selected)
                : options.slice(this.selectedIndex).slice(0, this.selectedIndex < 0 ? 0 : 1);
        },
        get value() { return this.options[this.selectedIndex]?.value ?? ""; },
        set value(value) {
            this.selectedIndex = [...this.options].findIndex((option) => option.value === String(value));
        },
        get length() { return this.options.length; },
        get type() { return this.multiple ? "select-multiple" : "select-one"; },
        add(option, before = null) { this.insertBefore(option, typeof before === "number" ? this.options[before] ?? null : before); },
    });
    add(HTMLInputElement.prototype, {
        get valueAsNumber() { return this.value.trim() === "" ? NaN : Number(this.value); },
        select() {},
        setSelectionRange() {},
        checkValidity: () => true,
    });
    add(HTMLFormElement.prototype, {
        get elements() { return this.querySelectorAll("button, fieldset, input, output, select, textarea"); },
        get length() { return this.elements.length; },
        submit() { bridge.note("The app wanted to send a form; a headless run stays on its page."); },
        reset() { this.dispatchEvent(new bridge.Event("reset", { bubbles: true, cancelable: true })); },
        requestSubmit() {
            const event = new bridge.Event("submit", { bubbles: true, cancelable: true });
            if (this.dispatchEvent(event)) this.submit();
        },
    });
    // A click on a submit button dispatches the form's `submit` event first.
    for (const kind of [HTMLInputElement, elements.HTMLButtonElement]) {
        const before = Object.getOwnPropertyDescriptor(kind.prototype, "_post_click_activation_steps")?.value;
        Object.defineProperty(kind.prototype, "_post_click_activation_steps", {
            configurable: true,
            value(event) {
                if (this.type === "submit") return this.closest("form")?.requestSubmit();
                before?.call(this, event);
                if (this.type === "checkbox" || this.type === "radio") {
                    for (const type of ["input", "change"]) {
                        this.dispatchEvent(new bridge.Event(type, { bubbles: true }));
                    }
                }
            },
        });
    }
    return {};
}
