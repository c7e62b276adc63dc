// The constructors of the document's classes as a page sees them: most can only be tested with `instanceof`.
import Comment from "domino/lib/Comment";
import ContainerNode from "domino/lib/ContainerNode";
import CharacterData from "domino/lib/CharacterData";
import Document from "domino/lib/Document";
import DocumentFragment from "domino/lib/DocumentFragment";
import DocumentType from "domino/lib/DocumentType";
import DOMImplementation from "domino/lib/DOMImplementation";
import Element from "domino/lib/Element";
import Leaf from "domino/lib/Leaf";
import Node from "domino/lib/Node";
import NodeIterator from "domino/lib/NodeIterator";
import NodeList from "domino/lib/NodeList";
import ProcessingInstruction from "domino/lib/ProcessingInstruction";
import Text from "domino/lib/Text";
import TreeWalker from "domino/lib/TreeWalker";
import { elements as svgElements } from "domino/lib/svg";
import { construct, HTMLSlotElement } from "./components.js";
import { HTMLCollection, HTMLFormControlsCollection, HTMLOptionsCollection, RadioNodeList } from "./live-lists.js";

const lists = { HTMLCollection, HTMLFormControlsCollection, HTMLOptionsCollection, RadioNodeList };

const makers = {
    Text: (document, data = "") => document.createTextNode(`${data}`),
    Comment: (document, data = "") => document.createComment(`${data}`),
    DocumentFragment: (document) => document.createDocumentFragment(),
    Document: () => new Document(false, "about:blank"),
};
const chains = {
    Document: "Node", XMLDocument: "Document", DocumentFragment: "Node", DocumentType: "Node", Element: "Node", CharacterData: "Node", Attr: "Node",
    Text: "CharacterData", Comment: "CharacterData", ProcessingInstruction: "CharacterData", CDATASection: "Text",
    HTMLElement: "Element", SVGElement: "Element", RadioNodeList: "NodeList",
    HTMLOptionsCollection: "HTMLCollection", HTMLFormControlsCollection: "HTMLCollection",
};
const same = { HTMLDocument: "Document" };
class XMLDocument {}
Object.setPrototypeOf(XMLDocument.prototype, Document.prototype);

/** The global constructor of a class. */
export function constructorOf(name, original, bridge) {
    const make = makers[name];
    const constructor = { [name]: function (...list) {
        if (new.target === undefined) throw new TypeError("Illegal constructor");
        if (make === undefined) return construct(new.target, constructor);
        const node = make(bridge.global.document, ...list);
        if (new.target !== constructor) Object.setPrototypeOf(node, new.target.prototype);
        return node;
    } }[name];
    Object.defineProperty(constructor, "prototype", { value: original.prototype, writable: false });
    Object.defineProperty(constructor, "length", { value: 0, configurable: true });
    Object.defineProperty(original.prototype, "constructor", { value: constructor, writable: true, configurable: true });
    if (!Object.hasOwn(original.prototype, Symbol.toStringTag)) {
        Object.defineProperty(original.prototype, Symbol.toStringTag, { value: name, configurable: true });
    }
    for (const key of Object.keys(original)) if (/^[A-Z_]+$/.test(key)) Object.defineProperty(constructor, key, { value: original[key], enumerable: true });
    return constructor;
}

/** The global constructors for domino's classes `all`, by name; `svg.js` has those of the elements of SVG. */
export function constructorsOf(all, bridge) {
    const classes = {
        ...all, SVGElement: svgElements.SVGElement, HTMLSlotElement, XMLDocument, Node, Element, CharacterData, Document, DocumentFragment, DocumentType, DOMImplementation, Text, Comment,
        ProcessingInstruction, NodeList, ...lists, TreeWalker, NodeIterator,
    };
    // In domino, processing instructions and comments have the members of character data, but not its prototype.
    const made = {};
    for (const [name, original] of Object.entries(classes)) {
        if (name === "HTMLTableDataCellElement" || name === "HTMLTableHeaderCellElement") continue;
        if (typeof original !== "function" || typeof original.prototype !== "object") {
            made[name] = original;
            continue;
        }
        made[name] = constructorOf(name, original, bridge);
    }
    for (const [name, parent] of Object.entries(chains)) if (made[name] && made[parent]) Object.setPrototypeOf(made[name], made[parent]);
    for (const [name, constructor] of Object.entries(made)) {
        if (/^HTML\w+Element$/.test(name) && name !== "HTMLElement") Object.setPrototypeOf(constructor, made.HTMLElement);
    }
    Object.setPrototypeOf(made.Node, bridge.EventTarget);
    flatten();
    Object.defineProperty(Document.prototype, Symbol.toStringTag, {
        configurable: true, get() { return this.isHTML ? "HTMLDocument" : "Document"; },
    });
    const { createDocument } = DOMImplementation.prototype;
    DOMImplementation.prototype.createDocument = function (...list) { return Object.setPrototypeOf(createDocument.apply(this, list), XMLDocument.prototype); };
    for (const [name, of] of Object.entries(same)) made[name] = made[of];
    return made;
}

// Domino's chain of prototypes has classes that the standard does not.
function flatten() {
    for (const [inner, ...kinds] of [[ContainerNode, Element, Document, DocumentFragment], [Leaf, CharacterData, DocumentType]]) {
        for (const { prototype } of kinds) {
            for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(inner.prototype))) {
                if (!Object.hasOwn(prototype, name)) Object.defineProperty(prototype, name, member);
            }
            Object.setPrototypeOf(prototype, Node.prototype);
        }
    }
}
