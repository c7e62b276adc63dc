// Lists like a browser's: all are iterable.
import DOMTokenList from "domino/lib/DOMTokenList";
import NamedNodeMap from "domino/lib/NamedNodeMap";

function walk(prototype, members = {}) {
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
    walk(DOMTokenList.prototype, {
        forEach(callback, self) { [...this].forEach((token, index) => callback.call(self, token, index, this)); },
    });
    walk(NamedNodeMap.prototype);
    const element = document.createElement("p");
    walk(Object.getPrototypeOf(element.attributes));
    for (const [name, prototype] of [
        ["NamedNodeMap", NamedNodeMap.prototype],
        ["DOMTokenList", DOMTokenList.prototype],
    ]) {
        Object.defineProperty(prototype, Symbol.toStringTag, { value: name, configurable: true });
    }
}
