// Lists like a browser's: all are iterable, and those of selectors are static.
import Document from "domino/lib/Document";
import DocumentFragment from "domino/lib/DocumentFragment";
import DOMTokenList from "domino/lib/DOMTokenList";
import Element from "domino/lib/Element";
import FilteredElementList from "domino/lib/FilteredElementList";
import NamedNodeMap from "domino/lib/NamedNodeMap";
import NodeList from "domino/lib/NodeList";

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
    walk(FilteredElementList.prototype, {
        namedItem(name) {
            return [...this].find((element) => element.id === name || element.getAttribute("name") === name) ?? null;
        },
    });
    walk(DOMTokenList.prototype, {
        forEach(callback, self) { [...this].forEach((token, index) => callback.call(self, token, index, this)); },
    });
    walk(NamedNodeMap.prototype);
    const element = document.createElement("p");
    for (const list of [element.children, element.attributes]) walk(Object.getPrototypeOf(list));
    for (const { prototype } of [Document, DocumentFragment, Element]) {
        const find = prototype.querySelectorAll;
        Object.defineProperty(prototype, "querySelectorAll", {
            configurable: true, writable: true, enumerable: true,
            value: function querySelectorAll(selector) {
                const found = find.call(this, selector);
                return found instanceof NodeList ? found : new NodeList([...found]);
            },
        });
    }
}
