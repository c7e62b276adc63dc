// Selectors, after https://www.w3.org/TR/selectors-4/: parsed once, and compiled to functions of an element.
import { isDisabled } from "./activation.js";
import { hasShadows, isDefined, isShadowRoot, shadowOf } from "./components.js";
import { lower } from "./members.js";
import { elementsOf, firstElement, following, placeOf, rootOf } from "./tree.js";

class Invalid extends Error {}

const html = "http://www.w3.org/1999/xhtml";
// Attributes whose values HTML compares without regard to case.
const caseless = new Set(("accept accept-charset align alink axis bgcolor charset checked clear codetype color compact "
    + "declare defer dir direction disabled enctype face frame hreflang http-equiv lang language link media method "
    + "multiple nohref noresize noshade nowrap readonly rel rev rules scope scrolling selected shape target text type "
    + "valign valuetype vlink").split(" "));
const space = /^[ \t\n\r\f]+/;

// A pattern that begins with `^` as one that matches at a place, without a copy of the rest of the text.
const stickies = new Map();
function stickyOf(pattern) {
    let sticky = stickies.get(pattern.source + pattern.flags);
    if (sticky === undefined) stickies.set(pattern.source + pattern.flags, sticky = new RegExp(pattern.source.slice(1), `${pattern.flags}y`));
    return sticky;
}

// A backslash at the end of a text escapes its end.
const escape = String.raw`\\(?:[0-9a-fA-F]{1,6}(?:\r\n|[ \t\n\r\f])?|[^\n\r\f0-9a-fA-F]|$)`;
const letter = String.raw`[A-Za-z_\u0080-\u{10ffff}\0]`, other = String.raw`[\w\-\u0080-\u{10ffff}\0]`;
const identifierPattern = new RegExp(`^(?:--|-?(?:${letter}|${escape}))(?:${other}|${escape})*`, "u");
const namePattern = new RegExp(`^(?:${other}|${escape})+`, "u");

class Parser {
    #text; #place = 0;
    // How many lists are being parsed, one within the other.
    depth = 0;
    constructor(text) { this.#text = text; }

    get isAtEnd() { return this.#place >= this.#text.length; }
    get rest() { return this.#text.slice(this.#place); }
    peek(text) { return this.#text.startsWith(text, this.#place); }
    take(pattern) {
        if (typeof pattern === "string") {
            if (!this.peek(pattern)) return null;
            this.#place += pattern.length;
            return pattern;
        }
        const sticky = stickyOf(pattern);
        sticky.lastIndex = this.#place;
        const found = sticky.exec(this.#text);
        if (found === null) return null;
        this.#place = sticky.lastIndex;
        return found[0];
    }
    skip() { return this.take(space) !== null; }
    need(pattern) { return this.take(pattern) ?? fail(this.#text); }

    identifier() {
        const found = this.take(identifierPattern);
        return found === null ? null : unescape(found);
    }
    name() {
        const found = this.need(namePattern);
        return unescape(found);
    }
    string() {
        const found = this.take(/^(?:"(?:[^"\\\n\r\f]|\\(?:\r\n|[^]))*(?:"|$)|'(?:[^'\\\n\r\f]|\\(?:\r\n|[^]))*(?:'|$))/);
        if (found === null) return null;
        const isClosed = found.length > 1 && found.endsWith(found[0]);
        return unescape(found.slice(1, isClosed ? -1 : undefined).replace(/\\(?:\r\n|\n|\r|\f)/g, ""));
    }
    // A list with what `parse` gives, or an empty one where that fails, after skipping the rest of the part.
    forgiving(parse) {
        const start = this.#place, before = this.depth;
        try {
            const found = parse();
            if (this.isAtEnd || this.peek(",") || this.peek(")")) return [found];
        } catch (error) {
            if (!(error instanceof Invalid)) throw error;
        }
        this.#place = start;
        this.depth = before;
        for (let depth = 0; !this.isAtEnd && !(depth === 0 && (this.peek(",") || this.peek(")")));) {
            const part = this.take(/^(?:[^()[\]"',]+|"[^"]*"?|'[^']*'?)/) ?? this.take(/^[^]/);
            if (part === "(" || part === "[") depth++;
            else if (part === ")" || part === "]") depth--;
        }
        return [];
    }
    // The text in parentheses for which there is no grammar here.
    raw() {
        let depth = 1, text = "";
        while (depth > 0) {
            const part = this.take(/^(?:[^()"']+|"[^"]*"|'[^']*')/) ?? this.take("(") ?? this.take(")");
            if (part === null) break;
            if (part === "(") depth++;
            else if (part === ")" && --depth === 0) break;
            text += part;
        }
        return text.trim();
    }
}

function fail(text) { throw new Invalid(`${JSON.stringify(text)} is not a valid selector`); }

function unescape(text) {
    return text.replace(/\\([0-9a-fA-F]{1,6})(?:\r\n|[ \t\n\r\f])?|\\([^]?)/gu, (all, code, letter) => {
        if (code === undefined) return letter === "" ? "\ufffd" : letter;
        const number = Number.parseInt(code, 16);
        return number === 0 || number > 0x10ffff || (number >= 0xd800 && number <= 0xdfff) ? "\ufffd" : String.fromCodePoint(number);
    }).replaceAll("\0", "\ufffd");
}

/** A text as an identifier of a selector, after https://drafts.csswg.org/cssom/#serialize-an-identifier. */
export function escapeIdentifier(text) {
    const code = (letter) => `\\${letter.charCodeAt(0).toString(16)} `;
    if (text === "-") return "\\-";
    return text.replaceAll("\0", "\ufffd").replace(/[\u0001-\u001f\u007f]|^\d|^(-)(\d)/g, (letter, dash, digit) => (dash === undefined ? code(letter) : dash + code(digit)))
        .replace(/(\\[\da-f]+ )|[^\w\-\u0080-\uffff]/g, (letter, escaped) => escaped ?? `\\${letter}`);
}

// --- Elements around an element.

// The host whose shadow tree's own style sheets or elements are being matched: it is the parent of that tree.
let host = null;
const parentOf = (element) => {
    const { parentNode } = element;
    if (parentNode === null) return null;
    return parentNode.nodeType === 1 ? parentNode : host !== null && shadowOf(host) === parentNode ? host : null;
};

// In a shadow tree, `:host` is the element that has the tree.
function inTree(node, action) {
    if (!hasShadows()) return action();
    const root = rootOf(node);
    return withHost(isShadowRoot(root) ? root.host : null, action);
}

/** Matches selectors of a shadow tree, where `:host` is the element that has the tree. */
export function withHost(element, action) {
    const before = host;
    host = element;
    try {
        return action();
    } finally {
        host = before;
    }
}
const before = (element) => element.previousElementSibling;
const after = (element) => element.nextElementSibling;
const isHTML = (element) => element.namespaceURI === html && element.ownerDocument.isHTML;
const typeOf = (element) => `${element.namespaceURI} ${element.localName}`;
const isOfType = (element) => (other) => other.localName === element.localName && other.namespaceURI === element.namespaceURI;
const hasNone = (element, next, test) => {
    for (let at = next(element); at !== null; at = next(at)) if (test(at)) return false;
    return true;
};

// What was found out during one call, by what it is about: nothing changes until the call ends. Without it,
// combinators and positions would be tried again for every candidate.
let memory = null;
function remembering(action) {
    const before = memory;
    memory = null;
    try {
        return action();
    } finally {
        memory = before;
    }
}
function recall(key, make) {
    memory ??= new Map();
    let value = memory.get(key);
    if (value === undefined) memory.set(key, value = make());
    return value;
}

/** The position of an element, from 1, among those siblings that `keyOf` gives the same key; `key` identifies it. */
function position(element, isFromEnd, key, keyOf) {
    const counts = recall(key, () => new Map());
    const { parentNode } = element;
    let known = counts.get(parentNode);
    if (known === undefined) {
        known = { places: new Map(), sizes: new Map() };
        counts.set(parentNode, known);
        for (const sibling of elementsOf(parentNode)) {
            const group = keyOf(sibling);
            if (group === null) continue;
            const place = (known.sizes.get(group) ?? 0) + 1;
            known.sizes.set(group, place);
            known.places.set(sibling, place);
        }
    }
    const place = known.places.get(element);
    return place === undefined || !isFromEnd ? place : known.sizes.get(keyOf(element)) - place + 1;
}

const isControl = (element, names) => element.namespaceURI === html && names.includes(element.localName);
const isText = (element) => (element.localName === "input" && !/^(?:hidden|range|color|checkbox|radio|file|submit|image|reset|button)$/.test(element.type)) || element.localName === "textarea";
const language = (element) => {
    for (let at = element; at !== null; at = parentOf(at)) {
        const value = at.getAttributeNS("http://www.w3.org/XML/1998/namespace", "lang") ?? (at.namespaceURI === html ? at.getAttribute("lang") : null);
        if (value !== null) return lower(value);
    }
    return "";
};
// After https://html.spec.whatwg.org/#auto-directionality: the first letter with a direction decides.
const strong = /(\p{Script=Arabic}|\p{Script=Hebrew}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}|\u200f)|\p{L}|\u200e/u;
const directionOfText = (text) => {
    const found = strong.exec(text);
    return found === null ? null : found[1] === undefined ? "ltr" : "rtl";
};
function strongText(element) {
    for (let kid = element.firstChild; kid !== null; kid = kid.nextSibling) {
        if (kid.nodeType === 3 && strong.test(kid.data)) return kid.data;
        if (kid.nodeType !== 1 || kid.hasAttribute("dir") || /^(?:bdi|script|style|textarea)$/.test(kid.localName)) continue;
        const text = strongText(kid);
        if (text !== "") return text;
    }
    return "";
}
const direction = (element) => {
    for (let at = element; at !== null; at = parentOf(at)) {
        const value = lower(at.getAttribute("dir") ?? "");
        if (value === "ltr" || value === "rtl") return value;
        if (value === "auto" || (at.localName === "bdi" && at.namespaceURI === html)) return directionOfText(isText(at) ? at.value : strongText(at)) ?? "ltr";
    }
    return "ltr";
};

const decoded = (text) => {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
};
const controls = ["button", "input", "select", "textarea", "optgroup", "option", "fieldset"];
const simple = {
    root: (element) => element.parentNode?.nodeType === 9,
    empty: (element) => {
        for (let kid = element.firstChild; kid !== null; kid = kid.nextSibling) {
            if (kid.nodeType === 1 || ((kid.nodeType === 3 || kid.nodeType === 4) && kid.data !== "")) return false;
        }
        return true;
    },
    "first-child": (element) => element.parentNode !== null && before(element) === null,
    "last-child": (element) => element.parentNode !== null && after(element) === null,
    "only-child": (element) => element.parentNode !== null && before(element) === null && after(element) === null,
    "first-of-type": (element) => hasNone(element, before, isOfType(element)),
    "last-of-type": (element) => hasNone(element, after, isOfType(element)),
    "only-of-type": (element) => hasNone(element, before, isOfType(element)) && hasNone(element, after, isOfType(element)),
    "any-link": (element) => isControl(element, ["a", "area"]) && element.hasAttribute("href"),
    link: (element) => isControl(element, ["a", "area"]) && element.hasAttribute("href"),
    visited: () => false, hover: () => false, active: () => false, "focus-visible": (element) => element.ownerDocument.activeElement === element && element.localName !== "body",
    focus: (element) => element.ownerDocument.activeElement === element && element.localName !== "body",
    "focus-within": (element) => {
        const { activeElement } = element.ownerDocument;
        return activeElement !== null && activeElement.localName !== "body" && element.contains(activeElement);
    },
    target: (element) => {
        if (!element.isConnected) return false;
        const hash = element.ownerDocument.location?.hash ?? "";
        return hash.length > 1 && (element.id === hash.slice(1) || element.id === decoded(hash.slice(1)));
    },
    enabled: (element) => isControl(element, controls) && !isDisabled(element),
    disabled: (element) => isControl(element, controls) && isDisabled(element),
    checked: (element) => (isControl(element, ["input"]) && /^(?:checkbox|radio)$/.test(element.type) && element.checked)
        || (isControl(element, ["option"]) && element.selected),
    indeterminate: (element) => (isControl(element, ["input"]) && ((element.type === "checkbox" && element.indeterminate)
        || (element.type === "radio" && !element.checked && !element._group().some((other) => other.checked))))
        || (isControl(element, ["progress"]) && !element.hasAttribute("value")),
    default: (element) => (isControl(element, ["input"]) && element.hasAttribute("checked")) || (isControl(element, ["option"]) && element.hasAttribute("selected")),
    required: (element) => isControl(element, ["input", "select", "textarea"]) && element.hasAttribute("required"),
    optional: (element) => isControl(element, ["input", "select", "textarea"]) && !element.hasAttribute("required"),
    "read-write": (element) => (isText(element) && !element.hasAttribute("readonly") && !isDisabled(element)) || /^(?:|true|plaintext-only)$/.test(element.getAttribute("contenteditable") ?? "no"),
    "read-only": (element) => !simple["read-write"](element),
    "placeholder-shown": (element) => isText(element) && element.hasAttribute("placeholder") && element.value === "",
    valid: (element) => validity(element) === true,
    invalid: (element) => validity(element) === false,
    "in-range": (element) => ranged(element) && !element.validity.rangeUnderflow && !element.validity.rangeOverflow,
    "out-of-range": (element) => ranged(element) && (element.validity.rangeUnderflow || element.validity.rangeOverflow),
    open: (element) => isControl(element, ["details", "dialog"]) && element.hasAttribute("open"),
    defined: isDefined, fullscreen: () => false, "popover-open": () => false, modal: () => false, autofill: () => false,
    host: (element) => element === host, "user-valid": () => false, "user-invalid": () => false,
};
const ranged = (element) => isControl(element, ["input"]) && (element.hasAttribute("min") || element.hasAttribute("max")) && element.willValidate;
function validity(element) {
    if (isControl(element, ["form", "fieldset"])) return [...element.elements].every((control) => !control.willValidate || control.validity.valid);
    return element.willValidate === true ? element.validity.valid : null;
}

/** `an+b` as a function of a position. */
function nth(text) {
    const source = lower(text.trim());
    if (source === "odd") return (count) => count % 2 === 1;
    if (source === "even") return (count) => count % 2 === 0;
    const found = /^(?:([+-]?\d*)n(?:\s*([+-])\s*(\d+))?|([+-]?\d+))$/.exec(source);
    if (found === null) return fail(text);
    if (found[4] !== undefined) return (count) => count === +found[4];
    const step = found[1] === "" || found[1] === "+" ? 1 : found[1] === "-" ? -1 : +found[1];
    const first = found[3] === undefined ? 0 : found[2] === "-" ? -found[3] : +found[3];
    return (count) => (step === 0 ? count === first : (count - first) % step === 0 && (count - first) / step >= 0);
}

/** Whether a language is in a range, after the extended filtering of RFC 4647. */
function isOfLanguage(own, range) {
    if (range === "") return own === "";
    const tags = own.split("-"), wanted = range.split("-");
    if (own === "" || (wanted[0] !== "*" && wanted[0] !== tags[0])) return false;
    let at = 1;
    for (const one of wanted.slice(1)) {
        if (one === "*") continue;
        while (at < tags.length && tags[at] !== one && tags[at].length > 1) at++;
        if (tags[at++] !== one) return false;
    }
    return true;
}

function parsePseudo(parser) {
    if (parser.take(":")) {
        // Pseudo-elements are valid and match no element.
        const name = lower(parser.identifier() ?? fail("::"));
        if (parser.take("(")) parser.raw();
        else if (!/^(?:before|after|first-line|first-letter|selection|placeholder|marker|backdrop|file-selector-button|cue|-webkit-[\w-]+)$/.test(name)) fail(`::${name}`);
        return { test: () => false, weight: [0, 0, 1] };
    }
    const name = lower(parser.identifier() ?? fail(":"));
    if (!parser.take("(")) {
        if (name === "scope") return { test: (element, scope) => (scope.nodeType === 1 ? element === scope : simple.root(element)), weight: [0, 1, 0] };
        if (/^(?:before|after|first-line|first-letter)$/.test(name)) return { test: () => false, weight: [0, 0, 1] };
        return { test: Object.hasOwn(simple, name) ? simple[name] : fail(`:${name}`), weight: [0, 1, 0] };
    }
    parser.skip();
    const list = (options) => {
        const found = parseList(parser, { isNested: true, ...options });
        if (!parser.take(")") && !parser.isAtEnd) fail(parser.rest);
        return found;
    };
    const most = (found) => found.reduce((best, one) => (compare(one.weight, best) > 0 ? one.weight : best), [0, 0, 0]);
    switch (name) {
    case "not": {
        const found = list();
        return { test: (element, scope) => !found.some((one) => one.test(element, scope)), weight: most(found) };
    }
    case "is": case "where": case "matches": case "-webkit-any": {
        const found = list({ isForgiving: true });
        return { test: (element, scope) => found.some((one) => one.test(element, scope)), weight: name === "where" ? [0, 0, 0] : most(found) };
    }
    case "has": {
        const found = list({ isRelative: true });
        return { test: (element, scope) => found.some((one) => one.isRelatedTo(element, scope)), weight: most(found) };
    }
    case "lang": {
        const wanted = parser.raw().split(",").map((part) => part.trim().replace(/^["']|["']$/g, "").toLowerCase());
        return {
            test: (element) => {
                const own = language(element);
                return wanted.some((one) => isOfLanguage(own, one));
            }, weight: [0, 1, 0],
        };
    }
    case "dir": {
        const wanted = lower(parser.raw());
        return { test: (element) => direction(element) === wanted, weight: [0, 1, 0] };
    }
    case "nth-child": case "nth-last-child": {
        const formula = nth(parser.need(/^(?:[^o)]|o(?!f[\s(]))*/i));
        const of = parser.take(/^of\s+/i) === null ? null : list();
        if (of === null && !parser.take(")") && !parser.isAtEnd) fail(parser.rest);
        const isFromEnd = name === "nth-last-child", key = {};
        return {
            test: (element, scope) => {
                if (element.parentNode === null) return false;
                if (of === null) return formula(isFromEnd ? elementsOf(element.parentNode).length - placeOf(element) : placeOf(element) + 1);
                const place = position(element, isFromEnd, key, (other) => (of.some((one) => one.test(other, scope)) ? "" : null));
                return place !== undefined && formula(place);
            },
            weight: of === null ? [0, 1, 0] : add([0, 1, 0], most(of)),
        };
    }
    case "nth-of-type": case "nth-last-of-type": {
        const formula = nth(parser.raw()), isFromEnd = name === "nth-last-of-type";
        return { test: (element) => element.parentNode !== null && formula(position(element, isFromEnd, typeOf, typeOf)), weight: [0, 1, 0] };
    }
    case "host": case "host-context": {
        const found = list(), isContext = name === "host-context";
        const matchesAround = (element, scope) => {
            for (let at = element; at !== null; at = at.parentNode ?? at.host ?? null) {
                if (at.nodeType === 1 && found.some((one) => one.test(at, scope))) return true;
            }
            return false;
        };
        return {
            test: (element, scope) => element === host && (isContext ? matchesAround(element, scope) : found.some((one) => one.test(element, scope))),
            weight: add([0, 1, 0], most(found)),
        };
    }
    case "state":
        parser.raw();
        return { test: () => false, weight: [0, 1, 0] };
    default: return fail(`:${name}()`);
    }
}

function parseAttribute(parser) {
    parser.skip();
    let namespace, name = null;
    if (parser.take(/^\*\|(?!=)/)) namespace = "*";
    else if (parser.take(/^\|(?!=)/)) namespace = null;
    name = parser.identifier() ?? fail(parser.rest);
    if (namespace === undefined && parser.take(/^\|(?!=)/)) fail(`${name}|`);
    parser.skip();
    const operator = parser.take(/^[~|^$*]?=/);
    const small = lower(name);
    const read = (element) => {
        if (namespace === "*") {
            for (const attribute of element.attributes) if (attribute.localName === name || (isHTML(element) && attribute.localName === small)) return attribute.value;
            return null;
        }
        return element.getAttributeNS(null, isHTML(element) ? small : name);
    };
    const weight = [0, 1, 0];
    if (operator === null) {
        if (!parser.take("]") && !parser.isAtEnd) fail(parser.rest);
        return { test: (element) => read(element) !== null, weight };
    }
    parser.skip();
    const wanted = parser.string() ?? parser.identifier() ?? fail(parser.rest);
    parser.skip();
    const flag = lower(parser.take(/^[iIsS]/) ?? "");
    parser.skip();
    if (!parser.take("]") && !parser.isAtEnd) fail(parser.rest);
    const tests = {
        "=": (value, text) => value === text,
        "~=": (value, text) => text !== "" && !/[ \t\n\r\f]/.test(text) && value.split(/[ \t\n\r\f]+/).includes(text),
        "|=": (value, text) => value === text || value.startsWith(`${text}-`),
        "^=": (value, text) => text !== "" && value.startsWith(text),
        "$=": (value, text) => text !== "" && value.endsWith(text),
        "*=": (value, text) => text !== "" && value.includes(text),
    };
    const test = tests[operator];
    return {
        test(element) {
            const value = read(element);
            if (value === null) return false;
            if (flag === "i" || (flag === "" && caseless.has(small) && isHTML(element))) return test(lower(value), lower(wanted));
            return test(value, wanted);
        }, weight,
    };
}

const add = (one, other) => one.map((number, at) => number + other[at]);
const compare = (one, other) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2];

/** A compound selector: the tests, and what finds candidates fast. */
function parseCompound(parser) {
    const tests = [];
    let weight = [0, 0, 0], key = null, isEmpty = true;
    const put = (test, more) => {
        tests.push(test);
        weight = add(weight, more);
        isEmpty = false;
    };
    if (parser.take(/^\*\|/) || (parser.peek("|") && !parser.peek("||") && parser.take("|") && put((element) => element.namespaceURI === null, [0, 0, 0]) === undefined)) isEmpty = false;
    if (parser.take("*")) isEmpty = false;
    else {
        const name = parser.identifier();
        if (name !== null) {
            if (parser.peek("|") && !parser.peek("||")) fail(`${name}|`);
            const small = lower(name);
            key = { kind: "tag", name };
            put((element) => element.localName === (isHTML(element) ? small : name), [0, 0, 1]);
        } else if (!isEmpty) fail(parser.rest);
    }
    for (;;) {
        if (parser.take("#")) {
            const id = parser.identifier() ?? fail(parser.rest);
            key = { kind: "id", name: id };
            put((element) => element.getAttribute("id") === id, [1, 0, 0]);
        } else if (parser.take(".")) {
            const name = parser.identifier() ?? fail(parser.rest);
            if (key?.kind !== "id") key = { kind: "class", name };
            put((element) => hasClass(element, name), [0, 1, 0]);
        } else if (parser.take("[")) {
            const { test, weight: more } = parseAttribute(parser);
            put(test, more);
        } else if (parser.take(":")) {
            const { test, weight: more } = parsePseudo(parser);
            put(test, more);
        } else break;
    }
    if (isEmpty) return null;
    const test = tests.length === 1 ? tests[0] : (element, scope) => {
        for (let at = 0; at < tests.length; at++) if (!tests[at](element, scope)) return false;
        return true;
    };
    return { test: tests.length === 0 ? () => true : test, weight, key };
}

/** Whether an element has a class; without regard to case in quirks mode. */
export function hasClass(element, name) {
    const value = element.getAttribute("class");
    if (value === null || value.length < name.length) return false;
    if (value === name) return true;
    const isQuirky = element.ownerDocument._quirks === true;
    return (isQuirky ? lower(value) : value).split(/[ \t\n\r\f]+/).includes(isQuirky ? lower(name) : name);
}

function parseComplex(parser, { isRelative = false } = {}) {
    const steps = [];
    let weight = [0, 0, 0];
    let combinator = isRelative ? parser.take(/^[>+~]/) ?? " " : "";
    parser.skip();
    for (;;) {
        const compound = parseCompound(parser) ?? fail(parser.rest);
        steps.push({ ...compound, combinator });
        weight = add(weight, compound.weight);
        const hasSpace = parser.skip();
        if (parser.isAtEnd || parser.peek(",") || parser.peek(")")) break;
        combinator = parser.take(/^[>+~](?!\|)/);
        if (combinator === null) {
            if (!hasSpace) fail(parser.rest);
            combinator = " ";
        }
        parser.skip();
    }
    // Matches the steps up to `at` from right to left.
    const match = (element, at, scope, anchor) => {
        const step = steps[at];
        if (!step.test(element, scope)) return false;
        if (at === 0 && step.combinator === "") return true;
        const goes = (other) => (at === 0 ? other === anchor : match(other, at - 1, scope, anchor));
        switch (step.combinator) {
        case ">": return parentOf(element) !== null && goes(parentOf(element));
        case "+": return before(element) !== null && goes(before(element));
        case "~": return element.parentNode !== null && followsOne(element, goes, tableOf(step, anchor));
        default: return isWithinOne(element, goes, tableOf(step, anchor));
        }
    };
    const last = steps.length - 1;
    const isDown = (combinator) => combinator === " " || combinator === ">";
    // Whether an element has the relation to `anchor` that the steps describe.
    const isRelated = (anchor, scope) => {
        const isIt = (element) => match(element, last, scope, anchor);
        const [{ combinator }] = steps, below = steps.some((step, at) => at > 0 && isDown(step.combinator));
        if (combinator === ">" && last === 0) return elementsOf(anchor).some(isIt);
        if (isDown(combinator)) return firstElement(anchor, isIt) !== null;
        if (anchor.parentNode === null) return false;
        if (combinator === "~" && last === 0) return precedesOne(anchor, (other) => steps[0].test(other, scope), tableOf(steps[0], null));
        const isNext = combinator === "+" && steps.every((step, at) => at === 0 || isDown(step.combinator));
        for (let other = after(anchor); other !== null; other = isNext ? null : after(other)) {
            if (isIt(other) || (below && firstElement(other, isIt) !== null)) return true;
        }
        return false;
    };
    return { test: (element, scope) => match(element, last, scope, null), weight, key: steps[last].key, isRelatedTo: isRelated };
}

// What was found out about a step in this call.
function tableOf(step, anchor) {
    const known = recall(step, () => ({ anchor, table: new Map() }));
    if (known.anchor !== anchor) {
        known.anchor = anchor;
        known.table = new Map();
    }
    return known.table;
}

/** Whether `test` holds for an ancestor of an element; `table` has the answer for an element and its ancestors. */
function isWithinOne(element, test, table) {
    const visited = [];
    let answer = false;
    for (let other = parentOf(element); other !== null; other = parentOf(other)) {
        const known = table.get(other);
        if (known !== undefined) {
            answer = known;
            break;
        }
        visited.push(other);
        if (test(other)) {
            answer = true;
            break;
        }
    }
    for (const other of visited) table.set(other, answer);
    return answer;
}

/** Whether `test` holds for an earlier sibling; `table` has the first such place by the parent. */
function followsOne(element, test, table) {
    const list = elementsOf(element.parentNode), end = placeOf(element);
    let known = table.get(list);
    if (known === undefined) table.set(list, known = { place: 0, isFound: false });
    while (!known.isFound && known.place < end) {
        if (test(list[known.place])) known.isFound = true;
        else known.place++;
    }
    return known.isFound && known.place < end;
}

/** Whether `test` holds for a later sibling; `table` has the last such place by the parent. */
function precedesOne(element, test, table) {
    const list = elementsOf(element.parentNode), start = placeOf(element);
    let place = table.get(list);
    if (place === undefined) table.set(list, place = list.findLastIndex(test));
    return place > start;
}

// Selectors within so many others are not valid.
const depthLimit = 128;

function parseList(parser, options = {}) {
    const list = [];
    if (++parser.depth > depthLimit) fail("A selector with too many others within it");
    parser.skip();
    if (options.isForgiving && (parser.peek(")") || parser.isAtEnd)) {
        parser.depth--;
        return list;
    }
    for (;;) {
        if (options.isForgiving) list.push(...parser.forgiving(() => parseComplex(parser, options)));
        else list.push(parseComplex(parser, options));
        if (!parser.take(",")) break;
        parser.skip();
    }
    parser.depth--;
    if (!options.isNested && !parser.isAtEnd) fail(parser.rest);
    return list;
}

// --- Use.

const known = new Map();

/** The parsed selector. Throws an error with a message for an invalid one. */
export function parse(text) {
    let list = known.get(text);
    if (list === undefined) {
        list = compile(text);
        if (known.size > 500) known.clear();
        known.set(text, list);
    }
    return list;
}

/** A selector list as objects with a `test` of an element, a `weight` and a `key`; not kept. */
export const compile = (text) => parseList(new Parser(text.replace(/("(?:[^"\\]|\\[^])*(?:"|$)|'(?:[^'\\]|\\[^])*(?:'|$))|\/\*[^]*?(?:\*\/|$)/g, "$1")));

export function matches(element, text, scope = element) {
    const list = parse(text);
    return inTree(element, () => remembering(() => list.some((one) => one.test(element, scope))));
}

/** The specificity of a selector as one number. */
export const specificity = ({ weight }) => weight[0] * 1e6 + weight[1] * 1e3 + weight[2];

export function find(root, text, limit = Infinity) {
    const list = parse(text);
    return inTree(root, () => remembering(() => search(root, list, limit)));
}

function search(root, list, limit) {
    const found = [];
    // An id is unique, as a rule: only the elements with it are candidates.
    if (list.length === 1 && list[0].key?.kind === "id" && root.nodeType === 9 && limit === 1) {
        const element = root.getElementById(list[0].key.name);
        if (element === null) return found;
        if (list[0].test(element, root)) return [element];
    }
    for (let at = root.firstChild; at !== null; at = following(at, root)) {
        if (at.nodeType !== 1) continue;
        for (let one = 0; one < list.length; one++) {
            if (!list[one].test(at, root)) continue;
            found.push(at);
            break;
        }
        if (found.length >= limit) break;
    }
    return found;
}

export { Invalid, remembering };
