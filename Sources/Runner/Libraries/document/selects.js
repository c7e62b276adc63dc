// `select` and `option` elements: which options are selected, and the list of them.
import Element from "domino/lib/Element";
import { elements } from "domino/lib/htmlelts";
import { isDisabled } from "./activation.js";
import { changedState, derived, cachedUntilChange } from "./changes.js";
import { HTMLCollection, HTMLOptionsCollection, collection, ownerOf } from "./live-lists.js";
import { add } from "./members.js";
import { descendants, elementsOf } from "./tree.js";

const isIndex = (key) => typeof key === "string" && /^\d+$/.test(key);

export function install() {
    const { HTMLOptionElement, HTMLSelectElement, HTMLDataListElement } = elements;
    const selectOf = (option) => {
        const parent = option.parentNode?.localName === "optgroup" ? option.parentNode.parentNode : option.parentNode;
        return parent?.localName === "select" ? parent : null;
    };
    const groupsOf = derived((select) => [elementsOf(select)], (select) => elementsOf(select).filter((child) => child.localName === "optgroup"));
    const optionsOf = derived((select) => [elementsOf(select), ...groupsOf(select).map(elementsOf)], (select) => elementsOf(select).flatMap((child) => (child.localName === "option" ? [child]
        : child.localName === "optgroup" ? elementsOf(child).filter((option) => option.localName === "option") : [])));
    const isRaw = (option) => option._isSelected ?? option.hasAttribute("selected");
    const displaySize = (select) => Number.parseInt(select.getAttribute("size") ?? "", 10) || (select.multiple ? 4 : 1);
    // The selected option of a list of one line: the first enabled one by default, unless the app has deselected all
    // since the list last changed.
    const chosenOf = cachedUntilChange((select) => {
        const options = optionsOf(select), selected = options.findLast(isRaw);
        if (selected !== undefined) return selected;
        if (displaySize(select) !== 1 || isSame(select._clearedFor, options)) return null;
        return options.find((option) => !isDisabled(option)) ?? null;
    }, "all");
    const isSame = (list, other) => list !== undefined && list.length === other.length && list.every((option, at) => option === other[at]);
    const selectedOf = cachedUntilChange((select) => {
        if (select.multiple) return optionsOf(select).filter(isRaw);
        const option = chosenOf(select);
        return option === null ? [] : [option];
    }, "all");
    const selectOnly = (select, index) => {
        const options = optionsOf(select);
        options.forEach((option, at) => { option._isSelected = at === index; });
        select._clearedFor = options[index] === undefined ? options : undefined;
        changedState();
    };
    const put = (select, index, option) => {
        const options = optionsOf(select);
        if (option === null || option === undefined) {
            options[index]?.remove();
            return;
        }
        if (!(option instanceof HTMLOptionElement)) throw new TypeError("the value is not an option");
        for (let count = options.length; count < index; count++) select.appendChild(select.ownerDocument.createElement("option"));
        const known = optionsOf(select)[index];
        if (known === undefined) select.appendChild(option);
        else known.parentNode.replaceChild(option, known);
    };
    add(HTMLOptionElement.prototype, {
        get selected() {
            const select = selectOf(this);
            return select === null || select.multiple ? isRaw(this) : chosenOf(select) === this;
        },
        set selected(value) {
            const select = selectOf(this);
            if (select !== null && !select.multiple && value) for (const other of optionsOf(select)) other._isSelected = false;
            if (select !== null) select._clearedFor = undefined;
            this._isSelected = !!value;
            changedState();
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
            return this._options ??= collection(HTMLOptionsCollection, this, optionsOf, put);
        },
        get selectedIndex() {
            const options = optionsOf(this);
            return this.multiple ? options.findIndex(isRaw) : options.indexOf(chosenOf(this));
        },
        set selectedIndex(index) { selectOnly(this, +index); },
        get selectedOptions() { return this._selected ??= collection(HTMLCollection, this, selectedOf); },
        get value() { return selectedOf(this)[0]?.value ?? ""; },
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
            else Element.prototype.remove.call(this);
        },
    });
    Object.defineProperty(HTMLSelectElement.prototype, "_reset", {
        configurable: true,
        value() {
            this._clearedFor = undefined;
            for (const option of optionsOf(this)) option._isSelected = undefined;
            changedState();
        },
    });
    // An index of a select is one of its options.
    const { prototype } = HTMLSelectElement;
    Object.setPrototypeOf(prototype, new Proxy(Object.getPrototypeOf(prototype), {
        get(target, key, self) {
            return isIndex(key) && self instanceof HTMLSelectElement ? optionsOf(self)[key] : Reflect.get(target, key, self);
        },
        set(target, key, value, self) {
            if (!isIndex(key) || !(self instanceof HTMLSelectElement)) return Reflect.set(target, key, value, self);
            put(self, +key, value);
            return true;
        },
    }));
    add(HTMLOptionsCollection.prototype, {
        add(option, before) { ownerOf(this).add(option, before); },
        remove(index) { optionsOf(ownerOf(this))[index]?.remove(); },
        get selectedIndex() { return ownerOf(this).selectedIndex; },
        set selectedIndex(index) { ownerOf(this).selectedIndex = index; },
        get length() { return optionsOf(ownerOf(this)).length; },
        set length(length) { ownerOf(this).length = length; },
    });
    const within = cachedUntilChange((list) => descendants(list, (element) => element.localName === "option"));
    add(HTMLDataListElement.prototype, {
        get options() { return this._options ??= collection(HTMLCollection, this, within); },
    });
}
