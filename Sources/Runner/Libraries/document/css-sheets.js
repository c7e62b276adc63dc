// The style sheets of documents: `document.styleSheets`, the `sheet` of elements, `getComputedStyle`, and `CSS.supports`. What is
// large is evaluated at the first use of one of them.
import CSSStyleDeclaration from "domino/lib/CSSStyleDeclaration";
import Document from "domino/lib/Document";
import Element from "domino/lib/Element";
import { elements } from "domino/lib/htmlelts";
import { changes, whenChanged } from "./changes.js";
import { styleOf } from "./inline-style.js";
import { add } from "./members.js";
import { adoptedSheets, isSheet, sheetTexts } from "./styles.js";
import { descendants } from "./tree.js";

const names = ["CSSRule", "CSSRuleList", "MediaList", "StyleSheet", "StyleSheetList", "CSSStyleSheet", "CSSGroupingRule", "CSSStyleRule", "CSSConditionRule",
    "CSSMediaRule", "CSSSupportsRule", "CSSContainerRule", "CSSLayerBlockRule", "CSSLayerStatementRule", "CSSScopeRule", "CSSStartingStyleRule", "CSSImportRule",
    "CSSNamespaceRule", "CSSFontFaceRule", "CSSPageRule", "CSSKeyframesRule", "CSSKeyframeRule", "CSSCounterStyleRule", "CSSPropertyRule",
    "CSSNestedDeclarations"];

/** Returns the globals; the interfaces are defined as accessors, which evaluate the rest when they are first read. */
export function install(bridge, styles, escapeIdentifier) {
    let made = null, computed = null;
    const medium = () => require("./css-conditions.js").mediumOf(bridge.global);
    const model = () => made ??= require("./css-rules.js").install(bridge, {
        medium,
        changed(sheet) {
            const { ownerNode } = sheet;
            if (ownerNode !== null) sheetTexts.set(ownerNode, () => model().textOf(sheet));
            changes.lists++;
            changes.all++;
        },
        load(href, parent) {
            const address = URL.parse(href, parent.href ?? bridge.global.document.baseURI);
            if (address === null) return null;
            const data = /^data:text\/css(?:;charset=[\w-]+)?,([^#]*)/i.exec(address.href);
            // One that is missing is a sheet without rules.
            return { text: data === null ? bridge.textOf(address.href) ?? "" : decodeURIComponent(data[1]), href: address.href };
        },
    });
    const { URL } = bridge;

    // The sheet of each element with the text that it was made of.
    const known = new WeakMap();
    const isActive = (element) => element.isConnected && isSheet(element)
        && (element.localName !== "style" || /^(?:|text\/css)$/i.test(element.getAttribute("type") ?? ""));
    function sheetOf(element) {
        const entry = known.get(element);
        if (!isActive(element)) {
            if (entry !== undefined) {
                known.delete(element);
                sheetTexts.delete(element);
            }
            return null;
        }
        if (entry?.count === changes.lists) return entry.sheet;
        const isLink = element.localName === "link", href = isLink ? URL.parse(element.getAttribute("href") ?? "", element.baseURI)?.href ?? null : null;
        // Of a file that is missing there is a sheet without rules, as in Chromium.
        const text = isLink ? href === null ? null : bridge.textOf(href) ?? "" : element.textContent;
        if (entry !== undefined && entry.text === text && entry.href === href) {
            entry.count = changes.lists;
            return entry.sheet;
        }
        sheetTexts.delete(element);
        if (text === null) return null;
        const owner = (sheet) => (sheetOf(element) === sheet ? element : null);
        const sheet = model().makeSheet(text, { owner, href, media: element.getAttribute("media") ?? "" });
        known.set(element, { sheet, text, href, count: changes.lists });
        if (isLink && /(?:^|\s)alternate(?:\s|$)/i.test(element.getAttribute("rel"))) sheet.disabled = true;
        return sheet;
    }
    const sheetsIn = (document) => descendants(document, isActive).map(sheetOf).filter((sheet) => sheet !== null);
    const lists = new WeakMap(), adopted = new WeakMap();
    add(Document.prototype, {
        get styleSheets() {
            if (!lists.has(this)) lists.set(this, model().list(() => sheetsIn(this)));
            return lists.get(this);
        },
        get adoptedStyleSheets() {
            if (!adopted.has(this)) adopted.set(this, []);
            return adopted.get(this);
        },
        set adoptedStyleSheets(sheets) {
            const list = [...sheets];
            if (!list.every(model().isSheet)) throw new TypeError("a member is not a CSSStyleSheet");
            adopted.set(this, list);
            adoptedSheets.set(this, () => list.filter((sheet) => !sheet.disabled).map((sheet) => model().textOf(sheet)));
            changes.lists++;
            changes.all++;
        },
    });
    for (const kind of [elements.HTMLStyleElement, elements.HTMLLinkElement]) {
        add(kind.prototype, { get sheet() { return sheetOf(this); } });
    }
    add(elements.HTMLStyleElement.prototype, {
        get disabled() { return sheetOf(this)?.disabled ?? false; },
        set disabled(value) {
            const sheet = sheetOf(this);
            if (sheet !== null) sheet.disabled = value;
        },
    });
    const rules = (document, take) => {
        const media = medium(), { eachRule } = model();
        for (const sheet of [...sheetsIn(document), ...adopted.get(document) ?? []]) eachRule(sheet, media, take);
    };
    const part = (text) => /^::?(before|after|first-line|first-letter|marker|placeholder|selection|backdrop)$/i.exec(`${text}`)?.[1].toLowerCase();
    const getComputedStyle = function getComputedStyle(element, pseudo = null) {
        if (!(element instanceof Element)) throw new TypeError("the argument is not an Element");
        if (pseudo !== null && /^::?(?:part|slotted)\(/i.test(`${pseudo}`)) throw new TypeError(`${pseudo} has no style of its own`);
        computed ??= new (require("./css-computed.js").ComputedStyles)(bridge.global, rules);
        animations?.check();
        const isPart = pseudo !== null && `${pseudo}`.startsWith(":"), of = isPart ? part(pseudo) : "";
        const isNothing = () => !element.isConnected || of === undefined;
        return styleOf({ computed: (name) => (isNothing() ? "" : computed.value(element, name, of)), names: () => (isNothing() ? [] : computed.names()) });
    };
    // An app listens to the events of animations: the page is looked at after each change.
    let animations = null;
    bridge.animates = () => {
        if (animations !== null) return;
        computed ??= new (require("./css-computed.js").ComputedStyles)(bridge.global, rules);
        animations = require("./animations.js").install(bridge, (element, name) => computed.value(element, name, ""), () => {
            let isUsed = false;
            rules(bridge.global.document, ({ block }) => {
                for (const name of block?.names ?? []) if (/^(?:animation|transition)-/.test(name)) isUsed = true;
            });
            return isUsed;
        });
        whenChanged(() => animations.schedule());
        animations.schedule();
    };
    const globals = {
        CSSStyleDeclaration, getComputedStyle,
        CSS: {
            escape(text) {
                if (arguments.length === 0) throw new TypeError("escape needs an argument");
                return escapeIdentifier(`${text}`);
            },
            supports(first, second) {
                if (arguments.length === 0) throw new TypeError("supports needs an argument");
                return require("./css-conditions.js").supports(`${first}`, arguments.length > 1 ? `${second}` : undefined);
            },
        },
    };
    for (const name of names) {
        if (name in bridge.global) continue;
        const define = (value) => Object.defineProperty(bridge.global, name, { configurable: true, enumerable: false, writable: true, value });
        Object.defineProperty(bridge.global, name, {
            configurable: true, enumerable: false, set: define,
            get() {
                define(model().kinds[name]);
                return model().kinds[name];
            },
        });
    }
    return { globals };
}

