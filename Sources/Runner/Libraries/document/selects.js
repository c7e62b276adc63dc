// `select` and `option` elements: which options are selected, and the list of them.
import { elements } from "domino/lib/htmlelts";
import { isDisabled } from "./activation.js";
import { add, collection } from "./members.js";

export function install() {
    const { HTMLOptionElement, HTMLSelectElement, HTMLDataListElement } = elements;
    const selectOf = (option) => {
        const parent = option.parentNode?.localName === "optgroup" ? option.parentNode.parentNode : option.parentNode;
        return parent?.localName === "select" ? parent : null;
    };
    const optionsOf = (select) => [...select.querySelectorAll("option")].filter((option) => selectOf(option) === select);
    const isRaw = (option) => option._isSelected ?? option.hasAttribute("selected");
    const displaySize = (select) => Number.parseInt(select.getAttribute("size") ?? "", 10) || (select.multiple ? 4 : 1);
    // The option that a list shows which shows one.
    const chosen = (select) => {
        const options = optionsOf(select);
        return options.findLast(isRaw)
            ?? (displaySize(select) === 1 && select._isCleared !== true ? options.find((option) => !isDisabled(option)) ?? null : null);
    };
    add(HTMLOptionElement.prototype, {
        get selected() {
            const select = selectOf(this);
            return select === null || select.multiple ? isRaw(this) : chosen(select) === this;
        },
        set selected(value) {
            const select = selectOf(this);
            if (select !== null && !select.multiple && value) for (const other of optionsOf(select)) other._isSelected = false;
            if (select !== null) select._isCleared = false;
            this._isSelected = !!value;
        },
        get index() {
            const select = selectOf(this);
            return select === null ? 0 : optionsOf(select).indexOf(this);
        },
        get value() { return this.getAttribute("value") ?? this.text; },
        set value(value) { this.setAttribute("value", value); },
        get label() { return this.getAttribute("label") || this.text; },
        set label(value) { this.setAttribute("label", value); },
        get form() { return selectOf(this)?.form ?? null; },
    });
    Object.defineProperty(HTMLOptionElement.prototype, "_copyState", {
        configurable: true, value(from) { this._isSelected = from._isSelected; },
    });
    add(HTMLSelectElement.prototype, {
        get options() {
            return this._options ??= collection("HTMLOptionsCollection", () => optionsOf(this), {
                add: (option, before) => this.add(option, before),
                remove: (index) => optionsOf(this)[index]?.remove(),
                get selectedIndex() { return this._select.selectedIndex; },
                set selectedIndex(index) { this._select.selectedIndex = index; },
                _select: this,
                get length() { return optionsOf(this._select).length; },
                set length(length) { this._select.length = length; },
            });
        },
        get selectedIndex() {
            const options = optionsOf(this);
            return this.multiple ? options.findIndex(isRaw) : options.indexOf(chosen(this));
        },
        set selectedIndex(index) {
            optionsOf(this).forEach((option, at) => { option._isSelected = at === +index; });
            this._isCleared = !(index >= 0 && index < optionsOf(this).length);
        },
        get selectedOptions() {
            return this._selected ??= collection("HTMLCollection", () => optionsOf(this).filter((option) => option.selected));
        },
        get value() { return optionsOf(this)[this.selectedIndex]?.value ?? ""; },
        set value(value) {
            this.selectedIndex = optionsOf(this).findIndex((option) => option.value === `${value}`);
        },
        get length() { return optionsOf(this).length; },
        set length(length) {
            const options = optionsOf(this);
            for (const option of options.slice(length)) option.remove();
            for (let count = options.length; count < length; count++) this.appendChild(this.ownerDocument.createElement("option"));
        },
        get type() { return this.multiple ? "select-multiple" : "select-one"; },
        item(index) { return optionsOf(this)[index] ?? null; },
        namedItem(name) { return this.options.namedItem(`${name}`); },
        add(option, before = null) {
            const place = typeof before === "number" ? optionsOf(this)[before] ?? null : before;
            (place?.parentNode ?? this).insertBefore(option, place);
        },
        remove(index) {
            if (arguments.length > 0) optionsOf(this)[index]?.remove();
            else this.parentNode?.removeChild(this);
        },
    });
    Object.defineProperty(HTMLSelectElement.prototype, "_reset", {
        configurable: true,
        value() {
            this._isCleared = false;
            for (const option of optionsOf(this)) option._isSelected = undefined;
        },
    });
    add(HTMLDataListElement.prototype, {
        get options() { return this._options ??= collection("HTMLCollection", () => [...this.querySelectorAll("option")]); },
    });
}
