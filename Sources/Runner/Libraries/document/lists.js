// Makes the lists of domino iterable, as those of browsers are.
import DOMTokenList from "domino/lib/DOMTokenList";
import Element from "domino/lib/Element";
import NamedNodeMap from "domino/lib/NamedNodeMap";

function makeIterable(prototype, members = {}) {
    if (Symbol.iterator in prototype) return;
    Object.defineProperty(prototype, Symbol.iterator, {
        configurable: true, writable: true,
        *value() { for (let index = 0; index < this.length; index++) yield this.item(index); },
    });
    for (const [name, value] of Object.entries(members)) {
        Object.defineProperty(prototype, name, { configurable: true, writable: true, value });
    }
}

export function install(document) {
    makeIterable(DOMTokenList.prototype, {
        forEach(callback, self) { [...this].forEach((token, index) => callback.call(self, token, index, this)); },
    });
    makeIterable(NamedNodeMap.prototype);
    for (const [name, set] of [["setNamedItem", "setAttributeNode"], ["setNamedItemNS", "setAttributeNodeNS"]]) {
        Object.defineProperty(NamedNodeMap.prototype, name, {
            configurable: true, writable: true, enumerable: true, value(attribute) { return this.element[set](attribute); },
        });
    }
    // Domino reads `className`, which is no text in SVG, and would add the attribute for an empty list.
    Object.defineProperty(Element.prototype, "classList", {
        configurable: true, enumerable: true,
        get() {
            return this._classList ??= new DOMTokenList(() => this.getAttribute("class") ?? "", (value) => {
                if (value !== "" || this.hasAttribute("class")) this.setAttribute("class", value);
            });
        },
        set(value) { this.setAttribute("class", value); },
    });
    const { replace } = DOMTokenList.prototype;
    Object.defineProperty(DOMTokenList.prototype, "replace", {
        configurable: true, writable: true, enumerable: true, value: function (token, other) {
            if (`${token}` !== `${other}` || !this.contains(token)) return replace.call(this, token, other);
            this.add(token);
            return true;
        },
    });
    const element = document.createElement("p");
    makeIterable(Object.getPrototypeOf(element.attributes));
    for (const [name, prototype] of [
        ["NamedNodeMap", NamedNodeMap.prototype],
        ["DOMTokenList", DOMTokenList.prototype],
    ]) {
        Object.defineProperty(prototype, Symbol.toStringTag, { value: name, configurable: true });
    }
}
