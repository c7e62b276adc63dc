// The part of CSS that determines the visible text: display, visibility, white-space and text-transform,
// from the default style sheet, style sheets and `style` attributes.
import { parse } from "./rules.js";

const displays = new Map();
for (const [display, names] of Object.entries({
    none: "area base basefont datalist head link meta noembed noframes noscript param rp script style template title",
    block: "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend listing main menu nav ol optgroup option p plaintext pre search section summary ul xmp",
    "list-item": "li", "inline-block": "button input meter progress select textarea",
    table: "table", "table-caption": "caption", "table-row": "tr", "table-cell": "td th",
    "table-row-group": "tbody", "table-header-group": "thead", "table-footer-group": "tfoot",
    "table-column": "col", "table-column-group": "colgroup", ruby: "ruby", "ruby-text": "rt",
})) {
    for (const name of names.split(" ")) displays.set(name, display);
}
const inherited = { visibility: "visible", "white-space": "normal", "text-transform": "none" };

export class Styles {
    #bridge; #sheets = new Map(); #rules = []; #key = ""; #known = new WeakMap();

    constructor(bridge) { this.#bridge = bridge; }

    /** Clears the cache, because the document may have changed. */
    begin() {
        this.#known = new WeakMap();
        const { document } = this.#bridge.global;
        const texts = [];
        for (const element of document.querySelectorAll("style, link")) {
            if (element.localName === "style") texts.push(element.textContent);
            else if (/(?:^|\s)stylesheet(?:\s|$)/i.test(element.getAttribute("rel") ?? "") && !element.hasAttribute("disabled")) {
                texts.push(this.#fetched(element.getAttribute("href") ?? ""));
            }
        }
        const key = texts.join("\0");
        if (key === this.#key) return;
        this.#key = key;
        this.#rules = texts.flatMap((text) => this.#parsed(text));
    }

    /** The computed display of an element, regardless of its ancestors. */
    display(element) {
        const value = this.#value(element, "display");
        if (value !== undefined) return value;
        if (element.hasAttribute("hidden")) return "none";
        if (element.localName === "dialog" && !element.hasAttribute("open")) return "none";
        if (element.localName === "input" && element.type === "hidden") return "none";
        return displays.get(element.localName) ?? "inline";
    }

    /** Whether neither an element nor an ancestor has the display `none`. */
    isRendered(element) {
        for (let at = element; at !== null && at.nodeType === 1; at = at.parentNode) {
            if (this.display(at) === "none") return false;
        }
        return element.isConnected;
    }

    textOf(element) {
        return {
            visibility: this.#inherited(element, "visibility"), white: this.#inherited(element, "white-space"),
            transform: this.#inherited(element, "text-transform"),
        };
    }

    /** For `getComputedStyle`: the properties above computed, others from the element's own style. */
    declaration(element) {
        const read = (name) => {
            const property = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
            this.begin();
            if (property === "display") return this.display(element);
            if (property in inherited) return this.#inherited(element, property);
            return element.style?.getPropertyValue(property) || initial(property);
        };
        return new Proxy({}, {
            get: (target, name) => {
                if (name === "getPropertyValue") return read;
                if (name === "length") return 0;
                return typeof name === "string" ? read(name) : undefined;
            },
            has: () => true,
        });
    }

    #inherited(element, property) {
        for (let at = element; at !== null && at.nodeType === 1; at = at.parentNode) {
            const value = this.#value(at, property);
            if (value !== undefined && value !== "inherit") return value;
            if (property === "white-space" && /^(?:pre|listing|plaintext|xmp|textarea)$/.test(at.localName)) return "pre";
        }
        return inherited[property];
    }

    /** The value of style sheets and the `style` attribute; `undefined` if they do not set it. */
    #value(element, property) {
        let values = this.#known.get(element);
        if (values === undefined) this.#known.set(element, values = this.#cascade(element));
        return values[property];
    }

    #cascade(element) {
        const values = Object.create(null), ranks = Object.create(null);
        const take = (property, value, rank) => {
            if (ranks[property] !== undefined && ranks[property] > rank) return;
            ranks[property] = rank;
            values[property] = value;
        };
        for (const { selector, specificity, declarations } of this.#rules) {
            if (!matches(element, selector)) continue;
            for (const { property, value, important } of declarations) {
                take(property, value, specificity + (important ? 1e10 : 0));
            }
        }
        const own = element.getAttribute("style");
        if (own !== null && own !== "") {
            for (const { property, value, important } of parse(`x{${own}}`)[0]?.declarations ?? []) {
                take(property, value, important ? 2e10 : 1e9);
            }
        }
        return values;
    }

    #parsed(text) {
        if (!this.#sheets.has(text)) this.#sheets.set(text, parse(text));
        return this.#sheets.get(text);
    }

    #fetched(address) {
        const key = `\0${address}`;
        if (!this.#sheets.has(key)) this.#sheets.set(key, this.#bridge.textOf(address) ?? "");
        return this.#sheets.get(key);
    }
}

function matches(element, selector) {
    try {
        return element.matches(selector);
    } catch {
        // A selector that domino does not support.
        return false;
    }
}

// The initial values of properties that pages calculate with.
function initial(property) {
    if (property === "opacity") return "1";
    return /^(?:margin|padding)-|^border-.*-width$/.test(property) ? "0px" : "";
}
