// Elements with an id are properties of the window, shadowed by names that scripts declare.
import Document from "domino/lib/Document";

export class Names {
    #global; #document; #soon; #names = new Set();

    constructor(bridge, document) {
        this.#global = bridge.global;
        this.#document = document;
        this.#soon = bridge.soon;
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

    // A variable that a script declares is undefined at first, and would be shadowed by the element. Only after the
    // script is it known whether a `var` was of the whole script or of a function.
    #yield(source) {
        if (this.#names.size === 0) return;
        const hidden = [];
        for (const name of declaredIn(source)) {
            if (!this.#names.delete(name)) continue;
            delete this.#global[name];
            hidden.push(name);
        }
        if (hidden.length > 0) this.#soon(() => { for (const name of hidden) this.#add(name); });
    }
}

// The names that a script declares with `var` outside of braces; strings and comments are skipped.
function declaredIn(source) {
    const found = [], part = /"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'|`(?:[^`\\]|\\[^])*`|\/\/[^\n]*|\/\*[^]*?\*\/|[{}]|\bvar\s+([^;{}]{1,200})/g;
    let depth = 0;
    for (let at = part.exec(source); at !== null; at = part.exec(source)) {
        if (at[0] === "{") depth++;
        else if (at[0] === "}") depth--;
        else if (at[1] !== undefined && depth === 0) {
            for (const [, name] of at[1].matchAll(/(?:^|,)\s*([A-Za-z_$][\w$]*)\s*(?=[=,]|in\b|of\b|$)/g)) found.push(name);
        }
    }
    return found;
}
