// Makes the lists of domino iterable, as those of browsers are.
import DOMTokenList from "domino/lib/DOMTokenList";
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
    const element = document.createElement("p");
    makeIterable(Object.getPrototypeOf(element.attributes));
    for (const [name, prototype] of [
        ["NamedNodeMap", NamedNodeMap.prototype],
        ["DOMTokenList", DOMTokenList.prototype],
    ]) {
        Object.defineProperty(prototype, Symbol.toStringTag, { value: name, configurable: true });
    }
}
