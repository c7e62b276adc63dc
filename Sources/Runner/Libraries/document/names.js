// Elements with an id are properties of the window, shadowed by names that scripts declare.
import Document from "domino/lib/Document";

export class Names {
    #global; #document; #names = new Set();

    constructor(bridge, document) {
        this.#global = bridge.global;
        this.#document = document;
        document.addId = (id, element) => {
            Document.prototype.addId.call(document, id, element);
            this.#add(id);
        };
        bridge.beforeScript((source) => this.#yield(source));
    }

    #add(name) {
        if (!/^[A-Za-z_$][\w$]*$/.test(name) || name in this.#global) return;
        this.#names.add(name);
        Object.defineProperty(this.#global, name, {
            configurable: true, enumerable: false,
            get: () => this.#document.getElementById(name) ?? undefined,
            set: (value) => {
                this.#names.delete(name);
                Object.defineProperty(this.#global, name, {
                    configurable: true, enumerable: true, writable: true, value,
                });
            },
        });
    }

    // A declared variable is undefined at first, and would be shadowed by the element.
    #yield(source) {
        for (const name of this.#names) {
            if (!new RegExp(`\\bvar\\s[^;]*(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`).test(source)) continue;
            this.#names.delete(name);
            delete this.#global[name];
        }
    }
}
