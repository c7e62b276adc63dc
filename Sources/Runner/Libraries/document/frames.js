// Frames: each has a window and a document of its own, which is loaded from the app's own files. The scripts of a frame do
// not run, so that an app is one program; its page reads and changes the documents of frames.
import domino from "domino";
import Document from "domino/lib/Document";
import { elements } from "domino/lib/htmlelts";
import { changes } from "./changes.js";
import { isConnected, isShadowRoot, makers } from "./components.js";
import { add, reflect } from "./members.js";
import { descendants, rootOf } from "./tree.js";
import { parseXML } from "./xml.js";

const { HTMLElement, HTMLIFrameElement } = elements;
const types = { xml: "application/xml", xhtml: "application/xhtml+xml", xht: "application/xhtml+xml", svg: "image/svg+xml", txt: "text/plain" };
const windowEvents = [
    "beforeunload", "blur", "error", "focus", "hashchange", "load", "message", "pagehide", "pageshow", "resize", "scroll", "unload",
];
// The window of each frame: `null` while it is in no document.
const windows = new WeakMap();

/**
 * Gives frames their windows and documents.
 *
 * @param soon calls a function before the page is complete, at the latest
 */
export function install(bridge, soon) {
    const { global, URL } = bridge;
    // Domino would make a window with a document for each element.
    makers.set("iframe", (document, localName, prefix) => Object.setPrototypeOf(new HTMLElement(document, localName, prefix), HTMLIFrameElement.prototype));

    // The interfaces and functions that windows of frames share with the page's.
    let shared = null;
    function sharedWindow() {
        if (shared !== null) return shared;
        shared = Object.create(bridge.EventTarget.prototype);
        for (const name of Object.getOwnPropertyNames(global)) {
            if (!/^[A-Z]\w*$/.test(name)) continue;
            Object.defineProperty(shared, name, { configurable: true, get: () => global[name], set(value) { put(this, name, value); } });
        }
        const functions = [
            "setTimeout", "clearTimeout", "setInterval", "clearInterval", "queueMicrotask", "requestAnimationFrame", "cancelAnimationFrame",
            "getComputedStyle", "matchMedia", "atob", "btoa", "structuredClone", "fetch",
        ];
        for (const name of functions) if (typeof global[name] === "function") put(shared, name, global[name].bind(global));
        bridge.addHandlers(shared, windowEvents);
        Object.defineProperty(shared, Symbol.toStringTag, { value: "Window", configurable: true });
        return shared;
    }
    const put = (object, name, value) => Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });

    class FrameLocation {
        #go; #read;
        constructor(read, go) {
            this.#read = read;
            this.#go = go;
        }
        get href() { return this.#read().href; }
        set href(value) { this.#go(`${value}`); }
        get origin() { return this.#read().origin; }
        assign(value) { this.#go(`${value}`); }
        replace(value) { this.#go(`${value}`); }
        reload() { this.#go(this.href); }
        toString() { return this.href; }
    }
    for (const part of ["protocol", "host", "hostname", "port", "pathname", "search", "hash"]) {
        Object.defineProperty(FrameLocation.prototype, part, { configurable: true, enumerable: true, get() { return new URL(this.href)[part]; } });
    }

    function makeWindow(frame) {
        const window = Object.create(sharedWindow());
        const members = {
            window, self: window, frames: window, parent: isOfPage(frame) ? global : frame.ownerDocument.defaultView, top: global, frameElement: frame, opener: null, length: 0,
            name: frame.getAttribute("name") ?? "", document: null, navigator: global.navigator, console: global.console,
        };
        for (const [name, value] of Object.entries(members)) put(window, name, value);
        Object.defineProperty(window, "closed", { configurable: true, get: () => windows.get(frame) !== window });
        const location = new FrameLocation(() => new URL(window._address), (address) => {
            const place = URL.parse(address, window._address === "about:blank" ? frame.baseURI : window._address);
            if (place === null) throw new bridge.DOMException(`${JSON.stringify(address)} is not a valid URL`, "SyntaxError");
            navigate(frame, window, place.href);
        });
        Object.defineProperty(window, "location", { configurable: true, enumerable: true, get: () => location, set(value) { location.href = value; } });
        Object.defineProperty(window, "_address", { value: "about:blank", writable: true });
        Object.defineProperty(window, "postMessage", {
            configurable: true, writable: true, value(message) {
                const data = global.structuredClone(message);
                bridge.later(() => bridge.dispatchTo(window, new global.MessageEvent("message", { data, origin: global.origin, source: global })));
            },
        });
        return window;
    }

    const plain = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    function parse(text, address) {
        const type = types[/\.(\w+)$/.exec(new URL(address).pathname)?.[1].toLowerCase()] ?? "text/html";
        let document;
        if (type === "text/html" || type === "text/plain") {
            document = domino.createDocument(type === "text/html" ? text : `<pre>${plain(text)}`, true);
        } else {
            document = new Document(false, address);
            document._contentType = type;
            document = parseXML(text, document);
        }
        return document;
    }
    // Puts a document into a window; null for one of another origin, which the page may not read.
    function show(window, document, address) {
        window._address = address;
        window.document = document;
        if (document === null) return;
        Object.defineProperty(document, "_address", { configurable: true, get: () => window._address });
        document.defaultView = window;
        document.readyState = "complete";
    }
    function navigate(frame, window, address) {
        const before = new URL(window._address), next = new URL(address);
        const isSamePlace = before.href.split("#")[0] === next.href.split("#")[0] && next.hash !== "";
        if (isSamePlace && window.document !== null) {
            window._address = address;
            changes.all++;
            return;
        }
        const isOwn = next.origin === new URL(bridge.address()).origin;
        const text = isOwn ? bridge.textOf(address) : null;
        if (isOwn) show(window, text === null ? domino.createDocument("", true) : parse(text, address), address);
        else show(window, null, address);
        tellLoad(frame, window);
    }
    function tellLoad(frame, window) {
        const { document } = window;
        soon(() => {
            if (windows.get(frame) !== window || window.document !== document) return;
            if (document !== null) bridge.dispatchTo(window, new bridge.Event("load"));
            bridge.dispatchTo(frame, new bridge.Event("load"));
        });
    }

    // A frame within the document of a frame stays empty, so that a page cannot load itself without end.
    const isOfPage = ({ ownerDocument }) => ownerDocument === global.document || ownerDocument.defaultView === global;
    function load(frame) {
        if (!isConnected(frame) || !(isOfPage(frame) || frame.ownerDocument.defaultView)) return;
        let window = windows.get(frame);
        if (window === undefined) {
            windows.set(frame, window = makeWindow(frame));
            show(window, domino.createDocument("", true), "about:blank");
            index();
        }
        if (!isOfPage(frame)) {
            tellLoad(frame, window);
            return;
        }
        const markup = frame.getAttribute("srcdoc"), source = frame.getAttribute("src") ?? "";
        if (markup !== null) {
            show(window, domino.createDocument(markup, true), "about:srcdoc");
            tellLoad(frame, window);
            return;
        }
        const place = source === "" ? null : URL.parse(source, frame.baseURI);
        if (place === null || place.protocol === "about:" || place.protocol === "javascript:") tellLoad(frame, window);
        else navigate(frame, window, place.href);
    }
    // The windows of frames by their number and name, as properties of the page's window.
    const framesOf = () => descendants(global.document, (element) => element instanceof HTMLIFrameElement);
    let indexed = 0;
    function index() {
        const count = framesOf().length + 1;
        for (; indexed < count; indexed++) {
            const at = indexed;
            if (String(at) in global) continue;
            Object.defineProperty(global, String(at), { configurable: true, enumerable: false, get: () => framesOf()[at]?.contentWindow ?? undefined });
        }
    }
    Object.defineProperty(global, "length", { configurable: true, enumerable: true, get: () => (indexed === 0 ? 0 : framesOf().length), set(value) { put(global, "length", value); } });

    const windowOf = (frame) => {
        const window = windows.get(frame);
        if (window === undefined) return null;
        if (isConnected(frame)) return window;
        // Its window is gone with the frame.
        windows.delete(frame);
        return null;
    };
    Object.defineProperty(HTMLIFrameElement.prototype, "_roothook", { configurable: true, writable: true, value() {
        windowOf(this);
        load(this);
    } });
    add(HTMLIFrameElement.prototype, {
        get contentWindow() { return windowOf(this); },
        get contentDocument() { return windowOf(this)?.document ?? null; },
        get src() {
            const source = this.getAttribute("src");
            return source === null ? "" : URL.parse(source, this.baseURI)?.href ?? source;
        },
        set src(value) { this.setAttribute("src", value); },
    });
    reflect(HTMLIFrameElement.prototype, ["srcdoc", "name", "allow", "loading"]);
    const all = Object.hasOwn(HTMLIFrameElement.prototype, "_attributeChangeHandlers") ? HTMLIFrameElement.prototype._attributeChangeHandlers
        : HTMLIFrameElement.prototype._attributeChangeHandlers = Object.create(HTMLIFrameElement.prototype._attributeChangeHandlers);
    for (const name of ["src", "srcdoc"]) {
        all[name] = (frame) => { if (windowOf(frame) !== null && !isShadowRoot(rootOf(frame))) load(frame); };
    }
}
