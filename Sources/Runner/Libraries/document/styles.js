// The part of CSS that determines the visible text: display, visibility, white-space and text-transform,
// from the default style sheet, style sheets and `style` attributes.
import { changes } from "./changes.js";
import { hasShadows, isShadowRoot, shadowOf, shownParent } from "./components.js";
import { declared, parse } from "./rules.js";
import { remembering, withHost } from "./selectors.js";
import { descendants, rootOf } from "./tree.js";

/** The default display of elements by their name. */
export const displays = new Map();
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
/** What gives the text of a style sheet that a script has changed, by its element. */
export const sheetTexts = new WeakMap();

/** What gives the texts of the style sheets that a document or a shadow root has adopted, by it. */
export const adoptedSheets = new WeakMap();
const adoptedTexts = (root) => adoptedSheets.get(root)?.() ?? [];

const inherited = { visibility: "visible", "white-space": "normal", "text-transform": "none" };

/** An index of rules by the id, the class or the tag name that a matching element must have. */
export class RuleIndex {
    #lists = new Map();
    constructor(rules) {
        rules.forEach((rule, order) => {
            const { key } = rule.selector, name = key === null ? "" : nameOf(key.kind, key.name);
            if (!this.#lists.has(name)) this.#lists.set(name, []);
            this.#lists.get(name).push({ ...rule, order });
        });
    }
    /** The rules that may match an element, in the order of the style sheets. */
    candidates(element) {
        const found = [...this.#lists.get("") ?? []], seen = new Set();
        const take = (kind, name) => {
            const key = nameOf(kind, name);
            if (seen.has(key)) return;
            seen.add(key);
            found.push(...this.#lists.get(key) ?? []);
        };
        take("tag", element.localName);
        const id = element.getAttribute("id"), classes = element.getAttribute("class");
        if (id !== null) take("id", id);
        for (const name of classes?.split(/[ \t\n\r\f]+/) ?? []) take("class", name);
        return found.sort((one, other) => one.order - other.order);
    }
}
const nameOf = (kind, name) => `${kind} ${kind === "id" ? name : name.toLowerCase()}`;

export class Styles {
    #bridge; #sheets = new Map(); #files = new Map(); #rules = new RuleIndex([]); #isOfAddress = false;
    #known = new WeakMap(); #shadows = new WeakMap(); #document = null; #texts = []; #lists = -1; #all = -1;

    constructor(bridge) { this.#bridge = bridge; }

    /** Drops what no longer holds since the document has changed. */
    begin() {
        const { document } = this.#bridge.global;
        const isSame = this.#document === document;
        if (isSame && this.#all === changes.all && !this.#isOfAddress) return;
        this.#known = new WeakMap();
        this.#all = changes.all;
        if (isSame && this.#lists === changes.lists) return;
        this.#document = document;
        this.#lists = changes.lists;
        const sheets = new Map();
        const lists = descendants(document, isSheet).map((element) => sheetTexts.get(element)?.() ?? this.source(element));
        lists.push(...adoptedTexts(document));
        for (const text of lists) if (!sheets.has(text)) sheets.set(text, this.#sheets.get(text) ?? parse(text));
        const isKnown = lists.length === this.#texts.length && lists.every((text, at) => text === this.#texts[at]);
        if (isKnown) return;
        this.#texts = lists;
        this.#sheets = sheets;
        this.#isOfAddress = lists.some((text) => text.includes(":target"));
        this.#rules = new RuleIndex(lists.flatMap((text) => sheets.get(text)));
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
        for (let at = element; at !== null; at = shownParent(at)) if (this.display(at) === "none") return false;
        return element.isConnected;
    }

    textOf(element) {
        return {
            visibility: this.#inherited(element, "visibility"), white: this.#inherited(element, "white-space"),
            transform: this.#inherited(element, "text-transform"),
        };
    }

    #inherited(element, property) {
        for (let at = element; at !== null; at = shownParent(at)) {
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
        // The rules of the tree that an element hosts rank below those of its own.
        const apply = (rules, host, offset) => remembering(() => withHost(host, () => {
            for (const { selector, specificity, declarations } of rules.candidates(element)) {
                if (!selector.test(element, element.ownerDocument)) continue;
                for (const { property, value, important } of declarations) {
                    take(property, value, important ? specificity + 1e10 : specificity - offset);
                }
            }
        }));
        const root = hasShadows() ? rootOf(element) : null, shadow = shadowOf(element);
        if (shadow !== null) apply(this.#rulesOf(shadow), element, 1e9);
        if (isShadowRoot(root)) apply(this.#rulesOf(root), root.host, 0);
        else apply(this.#rules, null, 0);
        const own = element.getAttribute("style");
        if (own !== null && own !== "") {
            for (const { property, value, important } of declared(own)) {
                take(property, value, important ? 2e10 : 1e9);
            }
        }
        return values;
    }

    // The rules of the style sheets of a shadow tree.
    #rulesOf(root) {
        const known = this.#shadows.get(root);
        if (known?.count === changes.lists) return known.rules;
        const texts = [...descendants(root, isSheet).map((element) => sheetTexts.get(element)?.() ?? this.source(element)), ...adoptedTexts(root)];
        const rules = new RuleIndex(texts.flatMap(parse));
        this.#shadows.set(root, { count: changes.lists, rules });
        return rules;
    }

    /** The text of a style sheet of an element. */
    source(element) { return element.localName === "style" ? element.textContent : this.fetched(element.getAttribute("href") ?? ""); }

    fetched(address) {
        if (!this.#files.has(address)) this.#files.set(address, this.#bridge.textOf(address) ?? "");
        return this.#files.get(address);
    }
}

/** Whether an element has a style sheet. */
export const isSheet = (element) => element.localName === "style" || (element.localName === "link"
    && hasSheet(element) && !pendingLinks.has(element) && !element.hasAttribute("disabled"));

/** Whether a link refers to a style sheet. */
export const hasSheet = (link) => /(?:^|\s)stylesheet(?:\s|$)/i.test(link.getAttribute("rel") ?? "");

/** The links whose style sheets are being loaded. */
export const pendingLinks = new WeakSet();
