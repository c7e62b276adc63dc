// A parser and a serializer for XML, after https://www.w3.org/TR/xml/ and https://www.w3.org/TR/xml-names/.
// Entities of a document type are refused, except for the five that XML itself defines.
import { namePattern } from "./xml-names.js";

const namespaces = {
    html: "http://www.w3.org/1999/xhtml", xml: "http://www.w3.org/XML/1998/namespace", xmlns: "http://www.w3.org/2000/xmlns/",
};
const patterns = {
    name: new RegExp(namePattern, "uy"), space: /[ \t\n]+/y, text: /[^<&]+/y, quoted: /"[^"<]*"|'[^'<]*'/y,
    reference: new RegExp(`&(?:#([0-9]+)|#x([0-9A-Fa-f]+)|(${namePattern}));`, "uy"),
};
const entities = { lt: "<", gt: ">", amp: "&", quot: "\"", apos: "'" };

class Malformed extends Error {
    constructor(message, place) {
        super(message);
        this.place = place;
    }
}

class Reader {
    #text; #document; #place = 0;
    constructor(text, document) {
        this.#text = text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
        this.#document = document;
    }
    #fail(message) { throw new Malformed(message, this.#place); }
    #at(token) { return this.#text.startsWith(token, this.#place); }
    #take(token) {
        if (!this.#at(token)) return false;
        this.#place += token.length;
        return true;
    }
    #match(pattern) {
        pattern.lastIndex = this.#place;
        const found = pattern.exec(this.#text);
        if (found !== null) this.#place = pattern.lastIndex;
        return found;
    }
    #space() { return this.#match(patterns.space) !== null; }
    #until(token, what) {
        const end = this.#text.indexOf(token, this.#place);
        if (end < 0) this.#fail(`${what} is not closed`);
        const found = this.#text.slice(this.#place, end);
        this.#place = end + token.length;
        return found;
    }

    read() {
        const illegal = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.exec(this.#text);
        if (illegal !== null) {
            this.#place = illegal.index;
            this.#fail("a character is not allowed in XML");
        }
        if (/^<\?xml[ \t\n]/.test(this.#text)) {
            const declaration = this.#until("?>", "the XML declaration");
            if (!/^<\?xml[ \t\n]+version[ \t\n]*=[ \t\n]*(?:"1\.\d"|'1\.\d')(?:[ \t\n]+encoding[ \t\n]*=[ \t\n]*(?:"[A-Za-z][\w.\-]*"|'[A-Za-z][\w.\-]*'))?(?:[ \t\n]+standalone[ \t\n]*=[ \t\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\n]*$/.test(declaration)) {
                this.#fail("the XML declaration is malformed");
            }
        }
        const open = [];
        let parent = this.#document, hasRoot = false, hasType = false;
        const scopes = [{ __proto__: null, xml: namespaces.xml, xmlns: namespaces.xmlns, "": null }];
        while (this.#place < this.#text.length) {
            if (this.#take("<!--")) {
                const data = this.#until("-->", "a comment");
                if (data.includes("--") || data.endsWith("-")) this.#fail("a comment contains --");
                parent.appendChild(this.#document.createComment(data));
            } else if (this.#take("<![CDATA[")) {
                if (open.length === 0) this.#fail("a CDATA section is outside of the root element");
                parent.appendChild(this.#document.createCDATASection(this.#until("]]>", "a CDATA section")));
            } else if (this.#take("<?")) {
                const target = this.#match(patterns.name)?.[0] ?? this.#fail("a processing instruction has no target");
                if (target.toLowerCase() === "xml") this.#fail("the XML declaration is not at the beginning");
                if (!this.#space() && !this.#at("?>")) this.#fail("a processing instruction is malformed");
                parent.appendChild(this.#document.createProcessingInstruction(target, this.#until("?>", "a processing instruction")));
            } else if (this.#at("<!DOCTYPE")) {
                if (hasRoot || hasType) this.#fail("a document type is out of place");
                hasType = true;
                this.#type();
            } else if (this.#take("</")) {
                const closing = this.#match(patterns.name)?.[0];
                this.#space();
                if (closing === undefined || open.at(-1) !== closing || !this.#take(">")) {
                    this.#fail(`the end tag of ${open.at(-1) ?? "no element"} is missing`);
                }
                open.pop();
                scopes.pop();
                parent = parent.parentNode;
            } else if (this.#take("<")) {
                if (open.length === 0 && hasRoot) this.#fail("there is a second root element");
                if (open.length >= 5000) this.#fail("elements are nested too deeply");
                const { element, qualified, scope, isEmpty } = this.#element(scopes.at(-1));
                parent.appendChild(element);
                hasRoot = true;
                if (isEmpty) continue;
                open.push(qualified);
                scopes.push(scope);
                parent = element;
            } else {
                const place = this.#place, text = this.#characters();
                if (open.length > 0) {
                    if (text !== "") parent.appendChild(this.#document.createTextNode(text));
                } else if (/[^ \t\n]/.test(text)) {
                    this.#place = place;
                    this.#fail("there is text outside of the root element");
                }
            }
        }
        if (open.length > 0) this.#fail(`the end tag of ${open.at(-1)} is missing`);
        if (!hasRoot) this.#fail("there is no root element");
    }

    #characters() {
        let text = "";
        while (this.#place < this.#text.length && !this.#at("<")) {
            if (this.#at("&")) text += this.#reference();
            else {
                const part = this.#match(patterns.text)[0];
                if (part.includes("]]>")) this.#fail("a text contains ]]>");
                text += part;
            }
        }
        return text;
    }

    #reference() {
        const found = this.#match(patterns.reference) ?? this.#fail("an & begins no reference");
        if (found[3] !== undefined) return Object.hasOwn(entities, found[3]) ? entities[found[3]] : this.#fail(`the entity ${found[3]} is not declared`);
        const code = found[1] === undefined ? Number.parseInt(found[2], 16) : +found[1];
        const isAllowed = code === 9 || code === 10 || code === 13 || (code >= 0x20 && code <= 0xd7ff) || (code >= 0xe000 && code <= 0xfffd)
            || (code >= 0x10000 && code <= 0x10ffff);
        return isAllowed ? String.fromCodePoint(code) : this.#fail("a character is not allowed in XML");
    }

    #expand(raw) {
        return raw.slice(1, -1).replace(/[\t\n]/g, " ").replace(/&[^;&]*;?/g, (reference) => {
            const inner = new Reader(reference, this.#document);
            try {
                return inner.#reference();
            } catch (error) {
                return this.#fail(error.message);
            }
        });
    }

    #element(outer) {
        const qualified = this.#match(patterns.name)?.[0] ?? this.#fail("a start tag has no name");
        const attributes = new Map();
        let scope = outer;
        for (;;) {
            const isApart = this.#space();
            if (this.#at(">") || this.#at("/>")) break;
            const key = isApart ? this.#match(patterns.name)?.[0] : undefined;
            if (key === undefined) this.#fail("a start tag is malformed");
            this.#space();
            if (!this.#take("=")) this.#fail(`the attribute ${key} has no value`);
            this.#space();
            const raw = this.#match(patterns.quoted)?.[0] ?? this.#fail(`the value of the attribute ${key} is malformed`);
            if (attributes.has(key)) this.#fail(`the attribute ${key} is repeated`);
            const value = this.#expand(raw);
            attributes.set(key, value);
            if (key !== "xmlns" && !key.startsWith("xmlns:")) continue;
            const prefix = key === "xmlns" ? "" : key.slice(6);
            if (prefix === "xmlns" || (prefix !== "" && value === "") || value === namespaces.xmlns || (prefix === "xml") !== (value === namespaces.xml)) {
                this.#fail(`the namespace prefix ${prefix} cannot be declared so`);
            }
            if (scope === outer) scope = { __proto__: outer };
            scope[prefix] = value === "" ? null : value;
        }
        const isEmpty = this.#take("/>");
        if (!isEmpty) this.#take(">");
        const element = this.#document.createElementNS(this.#namespace(qualified, scope, scope[""]), qualified);
        const seen = new Set();
        for (const [key, value] of attributes) {
            const namespace = key === "xmlns" ? namespaces.xmlns : this.#namespace(key, scope, null);
            const expanded = `${namespace}|${key.slice(key.indexOf(":") + 1)}`;
            if (seen.has(expanded)) this.#fail(`the attribute ${key} is repeated`);
            seen.add(expanded);
            element._setAttributeNS(namespace, key, value);
        }
        return { element, qualified, scope, isEmpty };
    }

    #namespace(qualified, scope, otherwise) {
        const parts = qualified.split(":");
        if (parts.length === 1) return otherwise ?? null;
        if (parts.length > 2 || parts[0] === "" || parts[1] === "") this.#fail(`the name ${qualified} is malformed`);
        return scope[parts[0]] ?? this.#fail(`the namespace prefix ${parts[0]} is not declared`);
    }

    #type() {
        const found = new RegExp(`<!DOCTYPE[ \t\n]+(${namePattern})(?:[ \t\n]+(?:SYSTEM|PUBLIC[ \t\n]+("[^"]*"|'[^']*'))[ \t\n]+("[^"]*"|'[^']*'))?[ \t\n]*`, "uy");
        const [, qualified, publicId, systemId] = this.#match(found) ?? this.#fail("the document type is malformed");
        if (this.#take("[")) {
            // Declarations are skipped; what they would define is not there then.
            if (this.#match(/(?:[^\]"'<]|<!--(?:(?!-->)[^])*-->|<(?!!--)[^"'>]*(?:"[^"]*"[^"'>]*|'[^']*'[^"'>]*)*>)*\][ \t\n]*/y) === null) this.#fail("the document type is malformed");
        }
        if (!this.#take(">")) this.#fail("the document type is malformed");
        this.#document.appendChild(this.#document.implementation.createDocumentType(
            qualified, publicId?.slice(1, -1) ?? "", systemId?.slice(1, -1) ?? ""));
    }
}

/** Parses XML into an empty document. A malformed one becomes a document with a `parsererror`, as in browsers. */
export function parseXML(text, document) {
    try {
        new Reader(text, document).read();
        return document;
    } catch (error) {
        if (!(error instanceof Malformed)) throw error;
        const before = text.slice(0, error.place).split("\n");
        while (document.firstChild !== null) document.removeChild(document.firstChild);
        const root = document.createElementNS("http://www.mozilla.org/newlayout/xml/parsererror.xml", "parsererror");
        root.textContent = `XML error in line ${before.length}, column ${before.at(-1).length + 1}: ${error.message}`;
        document.appendChild(root);
        return document;
    }
}

const escapeText = (text) => text.replace(/[&<>]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[letter]);
const escapeValue = (text) => escapeText(text).replace(/["\t\n\r]/g, (letter) => (letter === "\"" ? "&quot;" : `&#x${letter.charCodeAt(0).toString(16).toUpperCase()};`));
const empty = new Set("area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split(" "));

/** Serializes a node as XML; after https://w3c.github.io/DOM-Parsing/#xml-serialization. */
export function serializeXML(node, outer = { __proto__: null, "": null, xml: namespaces.xml }) {
    const children = (scope) => [...(node.localName === "template" && node.content ? node.content : node).childNodes].map((child) => serializeXML(child, scope)).join("");
    switch (node.nodeType) {
    case 2: return "";
    case 3: return escapeText(node.data);
    case 4: return `<![CDATA[${node.data}]]>`;
    case 7: return `<?${node.target} ${node.data}?>`;
    case 8: return `<!--${node.data}-->`;
    case 10: {
        const { publicId, systemId } = node;
        const ids = publicId !== "" ? ` PUBLIC "${publicId}"${systemId === "" ? "" : ` "${systemId}"`}` : systemId === "" ? "" : ` SYSTEM "${systemId}"`;
        return `<!DOCTYPE ${node.name}${ids}>`;
    }
    case 1: break;
    default: return children(outer);
    }
    const scope = { __proto__: outer };
    let text = "", count = 0;
    for (const attribute of node.attributes) {
        if (attribute.namespaceURI !== namespaces.xmlns) continue;
        scope[attribute.prefix === null ? "" : attribute.localName] = attribute.value === "" ? null : attribute.value;
    }
    let qualified = node.prefix === null ? node.localName : `${node.prefix}:${node.localName}`;
    const ownDefault = node.getAttributeNS(namespaces.xmlns, "xmlns");
    let skipsDefault = false;
    if (node.prefix === null && (scope[""] ?? null) !== (node.namespaceURI ?? null)) {
        if (node.namespaceURI === namespaces.xml) qualified = `xml:${node.localName}`;
        else {
            text += ` xmlns="${escapeValue(node.namespaceURI ?? "")}"`;
            scope[""] = node.namespaceURI;
            skipsDefault = ownDefault !== null;
        }
    } else if (node.prefix !== null && scope[node.prefix] !== node.namespaceURI) {
        text += ` xmlns:${node.prefix}="${escapeValue(node.namespaceURI ?? "")}"`;
        scope[node.prefix] = node.namespaceURI;
    }
    for (const attribute of node.attributes) {
        const { namespaceURI, localName } = attribute;
        let { prefix } = attribute;
        if (namespaceURI === namespaces.xmlns && prefix === null && skipsDefault) continue;
        if (namespaceURI === namespaces.xml) prefix = "xml";
        else if (namespaceURI !== null && namespaceURI !== namespaces.xmlns && (prefix === null || scope[prefix] !== namespaceURI)) {
            prefix = Object.keys(scope).find((key) => key !== "" && scope[key] === namespaceURI) ?? prefix;
            if (prefix === null || scope[prefix] !== namespaceURI) {
                prefix = prefix === null || prefix in scope ? `ns${++count}` : prefix;
                text += ` xmlns:${prefix}="${escapeValue(namespaceURI)}"`;
                scope[prefix] = namespaceURI;
            }
        }
        text += ` ${prefix === null ? "" : `${prefix}:`}${localName}="${escapeValue(attribute.value)}"`;
    }
    if (node.firstChild === null && !(node.localName === "template" && node.content?.firstChild)) {
        if (node.namespaceURI !== namespaces.html) return `<${qualified}${text}/>`;
        if (empty.has(node.localName)) return `<${qualified}${text} />`;
    }
    return `<${qualified}${text}>${children(scope)}</${qualified}>`;
}
