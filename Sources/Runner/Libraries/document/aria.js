// The attributes of ARIA as members of elements, after https://w3c.github.io/aria/#ARIAMixin.
import Element from "domino/lib/Element";

const names = [
    "Atomic", "AutoComplete", "BrailleLabel", "BrailleRoleDescription", "Busy", "Checked", "ColCount", "ColIndex", "ColIndexText", "ColSpan",
    "Current", "Description", "Disabled", "Expanded", "HasPopup", "Hidden", "Invalid", "KeyShortcuts", "Label", "Level", "Live", "Modal",
    "MultiLine", "MultiSelectable", "Orientation", "Placeholder", "PosInSet", "Pressed", "ReadOnly", "Relevant", "Required", "RoleDescription", "RowCount",
    "RowIndex", "RowIndexText", "RowSpan", "Selected", "SetSize", "Sort", "ValueMax", "ValueMin", "ValueNow", "ValueText",
];

/** Each member with its attribute. */
export const ariaMembers = new Map([["role", "role"], ...names.map((name) => [`aria${name}`, `aria-${name.toLowerCase()}`])]);

/** Defines the members; `get` and `set` are called with the object and the name of the attribute. */
export function defineAria(prototype, get, set) {
    for (const [member, attribute] of ariaMembers) {
        Object.defineProperty(prototype, member, {
            configurable: true, enumerable: true,
            get() { return get(this, attribute); },
            set(value) { set(this, attribute, value === null || value === undefined ? null : `${value}`); },
        });
    }
}

export function install() {
    defineAria(Element.prototype, (element, name) => element.getAttribute(name), (element, name, value) => {
        if (value === null) element.removeAttribute(name);
        else element.setAttribute(name, value);
    });
}
