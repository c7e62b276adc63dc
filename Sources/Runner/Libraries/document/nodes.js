// Members of nodes as https://dom.spec.whatwg.org/ has them, where domino differs.
import Comment from "domino/lib/Comment";
import CharacterData from "domino/lib/CharacterData";
import Document from "domino/lib/Document";
import DocumentFragment from "domino/lib/DocumentFragment";
import DocumentType from "domino/lib/DocumentType";
import DOMImplementation from "domino/lib/DOMImplementation";
import Element from "domino/lib/Element";
import Leaf from "domino/lib/Leaf";
import Node from "domino/lib/Node";
import NodeList from "domino/lib/NodeList";
import ProcessingInstruction from "domino/lib/ProcessingInstruction";
import Text from "domino/lib/Text";
import utils from "domino/lib/utils";
import { cachedUntilChange } from "./changes.js";
import { copied, copying, moving } from "./components.js";
import { HTMLCollection, collection } from "./live-lists.js";
import { add, lower } from "./members.js";
import { merging } from "./mutations.js";
import { Invalid, find, hasClass, matches } from "./selectors.js";
import { descendants, elementsOf, firstElement, rootOf } from "./tree.js";
import { namePattern } from "./xml-names.js";

const validName = new RegExp(`^${namePattern}$`, "u");

const isTextual = (node) => node?.nodeType === 3 || node?.nodeType === 4;

const asNode = (value) => {
    if (!(value instanceof Node)) throw new TypeError("the argument is not a Node");
    return value;
};

// How many arguments a call needs.
const counts = [
    [Node, {
        appendChild: 1, insertBefore: 2, removeChild: 1, replaceChild: 2, contains: 1, compareDocumentPosition: 1,
        isEqualNode: 1, isSameNode: 1, lookupPrefix: 1, lookupNamespaceURI: 1, isDefaultNamespace: 1,
    }],
    [CharacterData, { substringData: 2, appendData: 1, insertData: 2, deleteData: 2, replaceData: 3 }],
    [Text, { splitText: 1 }],
    [Element, {
        getAttribute: 1, getAttributeNS: 2, getAttributeNode: 1, getAttributeNodeNS: 2, setAttribute: 2, setAttributeNS: 3,
        setAttributeNode: 1, removeAttribute: 1, removeAttributeNS: 2, removeAttributeNode: 1, hasAttribute: 1,
        hasAttributeNS: 2, toggleAttribute: 1, closest: 1, matches: 1, webkitMatchesSelector: 1, querySelector: 1, querySelectorAll: 1,
        getElementsByTagName: 1, getElementsByTagNameNS: 2, getElementsByClassName: 1, insertAdjacentElement: 2,
        insertAdjacentText: 2, insertAdjacentHTML: 2,
    }],
    [Document, {
        createElement: 1, createElementNS: 2, createTextNode: 1, createComment: 1, createProcessingInstruction: 2,
        createCDATASection: 1, createAttribute: 1, createAttributeNS: 2, createEvent: 1, createTreeWalker: 1,
        createNodeIterator: 1, importNode: 1, adoptNode: 1, getElementById: 1, getElementsByTagName: 1,
        getElementsByTagNameNS: 2, getElementsByClassName: 1, getElementsByName: 1, querySelector: 1, querySelectorAll: 1,
    }],
    [DocumentFragment, { querySelector: 1, querySelectorAll: 1, getElementById: 1 }],
    [DOMImplementation, { createDocument: 2, createDocumentType: 3 }],
];

function countArguments() {
    for (const [{ prototype }, methods] of counts) {
        for (const [name, count] of Object.entries(methods)) {
            const method = prototype[name];
            if (typeof method !== "function") continue;
            const checked = { [name](...list) {
                if (list.length < count) throw new TypeError(`${name} needs ${count} argument${count === 1 ? "" : "s"}`);
                return method.apply(this, list);
            } }[name];
            Object.defineProperty(checked, "length", { value: count, configurable: true });
            Object.defineProperty(prototype, name, { configurable: true, writable: true, enumerable: true, value: checked });
        }
    }
}

/** CDATA sections, which domino has only as text. */
class CDATASection {
    static make(document, data) {
        const node = new Text(document, data);
        Object.setPrototypeOf(node, CDATASection.prototype);
        node.nodeType = 4;
        return node;
    }
}
Object.setPrototypeOf(CDATASection.prototype, Text.prototype);
Object.defineProperties(CDATASection.prototype, {
    nodeName: { value: "#cdata-section", configurable: true },
    clone: { value() { return CDATASection.make(this.ownerDocument, this._data); }, configurable: true },
});

export function install(bridge) {
    const error = (message, name) => { throw new bridge.DOMException(message, name); };
    const chosen = (action) => {
        try {
            return action();
        } catch (reason) {
            if (reason instanceof Invalid) error(reason.message, "SyntaxError");
            throw reason;
        }
    };

    // Selectors.
    const queries = {
        querySelector(selector) { return chosen(() => find(this, `${selector}`, 1)[0] ?? null); },
        querySelectorAll(selector) { return chosen(() => new NodeList(find(this, `${selector}`))); },
    };
    const children = {
        get children() { return this._children ??= collection(HTMLCollection, this, elementsOf); },
        get firstElementChild() { return elementFrom(this.firstChild, "nextSibling"); },
        get lastElementChild() { return elementFrom(this.lastChild, "previousSibling"); },
        get childElementCount() { return elementsOf(this).length; },
    };
    for (const kind of [Document, DocumentFragment, Element]) add(kind.prototype, queries);
    for (const kind of [Document, DocumentFragment, Element]) add(kind.prototype, children);
    add(Element.prototype, {
        matches(selector) { return chosen(() => matches(this, `${selector}`)); },
        webkitMatchesSelector(selector) { return this.matches(selector); },
        closest(selector) {
            for (let at = this; at !== null && at.nodeType === 1; at = at.parentNode) {
                if (chosen(() => matches(at, `${selector}`, this))) return at;
            }
            return null;
        },
        hasAttributes() { return this.attributes.length > 0; },
        toggleAttribute(name, force) {
            const key = `${name}`;
            if (!validName.test(key)) error("the name of the attribute is not valid", "InvalidCharacterError");
            if (this.hasAttribute(key) && force !== true) {
                if (force === undefined || !force) this.removeAttribute(key);
                return false;
            }
            if (!this.hasAttribute(key) && (force === undefined || force)) this.setAttribute(key, "");
            return this.hasAttribute(key);
        },
    });
    add(DocumentFragment.prototype, {
        getElementById(id) { return firstElement(this, (element) => element.id === `${id}` && `${id}` !== ""); },
    });

    // Trees.
    const inserted = (parent, node, child) => {
        asNode(node);
        if (child !== null) asNode(child);
        if (node.nodeType === 9 || node.nodeType === 2) {
            if (child !== null && child.parentNode !== parent && !node.contains(parent)) error("the child is not one of this node", "NotFoundError");
            error("a document or an attribute cannot be a child", "HierarchyRequestError");
        }
        if (node.nodeType === 4 && parent.nodeType === 9) error("a document has no text", "HierarchyRequestError");
    };
    const withCDATA = (node, action) => {
        // Domino knows CDATA sections only as texts.
        if (node.nodeType !== 4) return action();
        node.nodeType = 3;
        try {
            return action();
        } finally {
            node.nodeType = 4;
        }
    };
    // The children of a fragment get another document, not the fragment.
    const inserting = (node, action) => {
        if (node.nodeType !== 11) return withCDATA(node, action);
        const { ownerDocument } = node;
        try {
            return moving(action);
        } finally {
            node.ownerDocument = ownerDocument;
        }
    };
    for (const kind of [Node, Document]) {
        const { insertBefore: before, replaceChild: replace, removeChild: remove } = kind.prototype;
        add(kind.prototype, {
            insertBefore(node, child) {
                if (arguments.length < 2) throw new TypeError("insertBefore needs 2 arguments");
                const place = child ?? null;
                inserted(this, node, place);
                return inserting(node, () => before.call(this, node, place));
            },
            replaceChild(node, child) {
                asNode(child);
                inserted(this, node, child);
                if (node === child && child.parentNode === this) {
                    const next = child.nextSibling;
                    remove.call(this, child);
                    inserting(node, () => before.call(this, node, next));
                    return child;
                }
                return inserting(node, () => replace.call(this, node, child));
            },
            removeChild(child) { return remove.call(this, asNode(child)); },
        });
    }
    for (const name of ["insertBefore", "replaceChild", "removeChild"]) {
        add(Leaf.prototype, { [name](node, child) {
            asNode(node);
            if (name !== "removeChild" && child !== undefined && child !== null) asNode(child);
            if (name === "removeChild") return error("the child is not one of this node", "NotFoundError");
            return error("this node has no children", "HierarchyRequestError");
        } });
    }
    add(Node.prototype, {
        appendChild(node) {
            if (arguments.length === 0) throw new TypeError("appendChild needs 1 argument");
            return this.insertBefore(node, null);
        },
        cloneNode(isDeep = false) { return copying(() => copy(this, !!isDeep)); },
        contains(node) {
            if (node !== null && node !== undefined) asNode(node);
            for (let at = node ?? null; at !== null; at = at.parentNode) if (at === this) return true;
            return false;
        },
        isSameNode(node) { return this === node; },
        isEqualNode(node) { return node !== null && node !== undefined && isEqual(this, asNode(node)); },
        compareDocumentPosition(other) { return position(asNode(other), this); },
        normalize() {
            for (let child = this.firstChild, next; child !== null; child = next) {
                next = child.nextSibling;
                if (child.nodeType !== 3) {
                    child.normalize();
                    continue;
                }
                if (child.data === "") {
                    this.removeChild(child);
                    continue;
                }
                while (next !== null && next.nodeType === 3) {
                    const { length } = child;
                    if (next.data !== "") child.appendData(next.data);
                    merging(child, next, length);
                    const rest = next.nextSibling;
                    this.removeChild(next);
                    next = rest;
                }
            }
        },
        lookupPrefix(namespace) {
            const wanted = namespace === null || namespace === "" || namespace === undefined ? null : `${namespace}`;
            const element = wanted === null ? null : elementFor(this);
            for (let at = element; at !== null && at.nodeType === 1; at = at.parentNode) {
                if (at.namespaceURI === wanted && at.prefix !== null) return at.prefix;
                for (const { prefix, localName, value } of at.attributes) if (prefix === "xmlns" && value === wanted) return localName;
            }
            return null;
        },
        lookupNamespaceURI(prefix) {
            const wanted = prefix === "" || prefix === undefined || prefix === null ? null : `${prefix}`;
            const element = elementFor(this);
            if (element === null) return null;
            if (wanted === "xml") return "http://www.w3.org/XML/1998/namespace";
            if (wanted === "xmlns") return "http://www.w3.org/2000/xmlns/";
            for (let at = element; at !== null && at.nodeType === 1; at = at.parentNode) {
                if (at.namespaceURI !== null && at.prefix === wanted) return at.namespaceURI;
                for (const attribute of at.attributes) {
                    if (attribute.namespaceURI !== "http://www.w3.org/2000/xmlns/") continue;
                    const isIt = attribute.prefix === "xmlns" ? attribute.localName === wanted
                        : attribute.prefix === null && wanted === null && attribute.localName === "xmlns";
                    if (isIt) return attribute.value === "" ? null : attribute.value;
                }
            }
            return null;
        },
        isDefaultNamespace(namespace) {
            const wanted = namespace === "" || namespace === undefined ? null : namespace;
            return this.lookupNamespaceURI(null) === wanted;
        },
    });
    for (const prototype of [Element.prototype, Document.prototype]) {
        for (const name of ["cloneNode", "lookupNamespaceURI", "isEqualNode", "contains"]) delete prototype[name];
    }

    function copy(node, isDeep) {
        const clone = node.nodeType === 9 ? emptyCopy(node) : node.nodeType === 2 ? cloneAttribute(node) : node.clone();
        clone._copyState?.(node);
        if (node.nodeType === 1) copied(clone, node);
        if (!isDeep && !(node.localName === "template" && node.content)) return clone;
        if (isDeep) for (let kid = node.firstChild; kid; kid = kid.nextSibling) clone.appendChild(copy(kid, true));
        if (isDeep && node.localName === "template" && node.content && clone.content) {
            for (let kid = node.content.firstChild; kid; kid = kid.nextSibling) clone.content.appendChild(clone.content.ownerDocument.importNode(kid, true));
        }
        return clone;
    }
    const { prototype: attribute } = Element._Attr;
    const cloneAttribute = (node) => {
        const clone = attribute._plainClone.call(node);
        clone.ownerDocument = node.ownerDocument;
        return clone;
    };
    Object.defineProperty(attribute, "_plainClone", { value: attribute.cloneNode });
    function emptyCopy(document) {
        const clone = new Document(document.isHTML, document._address);
        Object.setPrototypeOf(clone, Object.getPrototypeOf(document));
        clone._contentType = document._contentType;
        clone._quirks = document._quirks;
        return clone;
    }

    for (const { prototype } of [Element, DocumentFragment]) {
        const known = Object.getOwnPropertyDescriptor(prototype, "textContent");
        Object.defineProperty(prototype, "textContent", { ...known, get() { return textOf(this); } });
    }

    // Lists by name and class. Domino's are read again after every change, even of a text.
    const listsOf = new WeakMap();
    const listOf = (root, key, counter, makeTest) => {
        if (!listsOf.has(root)) listsOf.set(root, new Map());
        const lists = listsOf.get(root);
        if (!lists.has(key)) {
            const test = makeTest();
            lists.set(key, collection(HTMLCollection, root, cachedUntilChange((parent) => descendants(parent, test), counter)));
        }
        return lists.get(key);
    };
    const isHTML = (element) => element.namespaceURI === utils.NAMESPACE.HTML && element.ownerDocument.isHTML;
    const lists = {
        getElementsByTagName(name) {
            const wanted = `${name}`, small = lower(wanted);
            const nameOf = (element) => (element.prefix === null ? element.localName : `${element.prefix}:${element.localName}`);
            return listOf(this, `tag ${wanted}`, "lists", () => (wanted === "*" ? () => true
                : (element) => nameOf(element) === (isHTML(element) ? small : wanted)));
        },
        getElementsByTagNameNS(namespace, name) {
            const space = namespace === "" || namespace === undefined ? null : namespace === null ? null : `${namespace}`, wanted = `${name}`;
            return listOf(this, `namespace ${space} ${wanted}`, "lists", () => (element) => (space === "*" || element.namespaceURI === space)
                && (wanted === "*" || element.localName === wanted));
        },
        getElementsByClassName(names) {
            const wanted = `${names}`.split(/[ \t\n\r\f]+/).filter((name) => name !== "");
            return listOf(this, `class ${wanted.join(" ")}`, "classes", () => (element) => wanted.length > 0 && wanted.every((name) => hasClass(element, name)));
        },
    };
    for (const kind of [Document, Element]) add(kind.prototype, lists);

    // Documents.
    const none = [];
    const namedIn = cachedUntilChange((document) => {
        const found = new Map();
        for (const element of descendants(document, (one) => one.hasAttribute("name") && one.namespaceURI === utils.NAMESPACE.HTML)) {
            const name = element.getAttribute("name");
            if (!found.has(name)) found.set(name, []);
            found.get(name).push(element);
        }
        return found;
    });
    const checkName = (name) => {
        if (!validName.test(name)) error(`${JSON.stringify(name)} is not a valid name`, "InvalidCharacterError");
        return name;
    };
    add(Document.prototype, {
        createCDATASection(data) {
            if (this.isHTML) error("an HTML document has no CDATA sections", "NotSupportedError");
            if (`${data}`.includes("]]>")) error("]]> ends a CDATA section", "InvalidCharacterError");
            return CDATASection.make(this, `${data}`);
        },
        createTextNode(data) { return new Text(this, `${data}`); },
        createComment(data) { return new Comment(this, `${data}`); },
        createProcessingInstruction(target, data) {
            checkName(`${target}`);
            if (`${data}`.includes("?>")) error("?> ends a processing instruction", "InvalidCharacterError");
            return new ProcessingInstruction(this, `${target}`, `${data}`);
        },
        getElementsByName(name) {
            const key = `${name}`;
            return collection(NodeList, this, (document) => namedIn(document).get(key) ?? none);
        },
        get characterSet() { return "UTF-8"; },
        get charset() { return "UTF-8"; },
        get inputEncoding() { return "UTF-8"; },
        get contentType() { return this._contentType; },
        get URL() { return this._address; },
        get documentURI() { return this._address; },
    });
    const make = Document.prototype.createElement;
    add(Document.prototype, {
        createElement(name) {
            const key = checkName(`${name}`);
            const element = this.isHTML ? make.call(this, key) : null;
            if (element !== null) return element;
            const isXHTML = this._contentType === "application/xhtml+xml";
            return this._createElementNS(key, isXHTML ? utils.NAMESPACE.HTML : null, null);
        },
    });
    add(DOMImplementation.prototype, {
        hasFeature: () => true,
        createDocumentType(name, publicId, systemId) {
            const type = new DocumentType(this.contextObject, `${name}`, `${publicId}`, `${systemId}`);
            if (!validName.test(`${name}`) || /^:|:$|:.*:/.test(`${name}`)) error("the name of the document type is not valid", "InvalidCharacterError");
            return type;
        },
    });
    const { createDocument } = DOMImplementation.prototype;
    add(DOMImplementation.prototype, {
        createDocument(namespace, name, type = null) {
            if (type !== null && !(type instanceof DocumentType)) throw new TypeError("the argument is not a DocumentType");
            return createDocument.call(this, namespace, name === null ? "" : `${name}`, type);
        },
    });
    add(Text.prototype, {
        get wholeText() {
            let first = this, text = "";
            while (isTextual(first.previousSibling)) first = first.previousSibling;
            for (let at = first; isTextual(at); at = at.nextSibling) text += at.data;
            return text;
        },
    });
    // Names that the scope of an event handler attribute does not take from its element.
    const own = ["after", "before", "remove", "replaceWith"], ofParents = ["append", "prepend", "replaceChildren"];
    for (const [{ prototype }, names] of [[Element, [...own, ...ofParents, "slot"]], [CharacterData, own], [DocumentType, own], [Document, ofParents], [DocumentFragment, ofParents]]) {
        const hidden = Object.create(null);
        for (const name of names) hidden[name] = true;
        Object.defineProperty(prototype, Symbol.unscopables, { value: hidden, configurable: true });
    }
    const { clone } = Element.prototype;
    Object.defineProperty(Element.prototype, "clone", {
        configurable: true, writable: true, value() {
            // The parser makes elements with names that scripts cannot give.
            if (validName.test(this.localName) && (this.prefix === null || validName.test(this.prefix))) return clone.call(this);
            const element = this.ownerDocument._createElementNS(this.localName, this.namespaceURI, this.prefix);
            for (const { namespaceURI, name, value } of this.attributes) element._setAttributeNS(namespaceURI, name, value);
            return element;
        },
    });
    Object.defineProperty(Document.prototype, "defaultView", { value: null, writable: true, configurable: true });
    installAttributes();
    countArguments();

    /** Attributes are nodes, but of no tree. */
    function installAttributes() {
        Object.setPrototypeOf(attribute, Node.prototype);
        Object.defineProperties(attribute, {
            parentNode: { value: null, writable: true, configurable: true }, _nid: { value: 0, writable: true },
            childNodes: { get: () => new NodeList(), configurable: true }, firstChild: { value: null }, lastChild: { value: null },
            previousSibling: { value: null }, nextSibling: { value: null }, parentElement: { value: null },
            hasChildNodes: { value: () => false },
            ownerDocument: {
                get() { return this._document ?? this._ownerElement?.ownerDocument ?? null; },
                set(document) { this._document = document; }, configurable: true,
            },
        });
        delete attribute.cloneNode;
    }
    return { CDATASection, Attr: Element._Attr };
}

function textOf(parent) {
    let text = "";
    for (let kid = parent.firstChild; kid !== null; kid = kid.nextSibling) {
        if (kid.nodeType === 3 || kid.nodeType === 4) text += kid.data;
        else if (kid.nodeType === 1) text += textOf(kid);
    }
    return text;
}

function elementFrom(node, next) {
    for (let at = node; at !== null; at = at[next]) if (at.nodeType === 1) return at;
    return null;
}

// The element whose declarations of namespaces apply to a node.
function elementFor(node) {
    switch (node.nodeType) {
    case 1: return node;
    case 2: return node.ownerElement;
    case 9: return node.documentElement;
    case 10: case 11: return null;
    default: return node.parentElement;
    }
}

function isEqual(one, other) {
    if (one.nodeType !== other.nodeType) return false;
    switch (one.nodeType) {
    case 1:
        if (one.namespaceURI !== other.namespaceURI || one.prefix !== other.prefix || one.localName !== other.localName) return false;
        if (one.attributes.length !== other.attributes.length) return false;
        for (const { namespaceURI, localName, value } of one.attributes) if (other.getAttributeNS(namespaceURI, localName) !== value) return false;
        break;
    case 2: return one.namespaceURI === other.namespaceURI && one.localName === other.localName && one.value === other.value;
    case 7: if (one.target !== other.target || one.data !== other.data) return false; break;
    case 10: return one.name === other.name && one.publicId === other.publicId && one.systemId === other.systemId;
    case 3: case 4: case 8: return one.data === other.data;
    default: break;
    }
    let kid = one.firstChild, twin = other.firstChild;
    for (; kid && twin; kid = kid.nextSibling, twin = twin.nextSibling) if (!isEqual(kid, twin)) return false;
    return !kid && !twin;
}

/** Where `other` is, seen from `node`. */
function position(other, node) {
    if (other === node) return 0;
    const path = (from) => {
        const list = [];
        for (let at = from; at; at = at.nodeType === 2 ? at.ownerElement : at.parentNode) list.unshift(at);
        return list;
    };
    const these = path(node), those = path(other);
    if (these[0] !== those[0]) return 1 + 32 + (order(other) < order(node) ? 2 : 4);
    let at = 0;
    while (at < these.length && at < those.length && these[at] === those[at]) at++;
    if (at === these.length) return 4 + 16;
    if (at === those.length) return 2 + 8;
    const [one, two] = [these[at], those[at]];
    if (one.nodeType === 2 && two.nodeType === 2) {
        const list = [...one.ownerElement.attributes];
        return 32 + (list.indexOf(two) < list.indexOf(one) ? 2 : 4);
    }
    if (two.nodeType === 2) return 2;
    if (one.nodeType === 2) return 4;
    return one.index < two.index ? 4 : 2;
}

// Trees apart from each other have an order, which only must not change.
const orders = new WeakMap();
let lastOrder = 0;
function order(node) {
    const root = rootOf(node);
    if (!orders.has(root)) orders.set(root, ++lastOrder);
    return orders.get(root);
}
