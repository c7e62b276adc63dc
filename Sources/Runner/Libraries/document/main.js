// The document of a headless run: domino's, with additions that pages need.
//
// Bundled when Nervous is built, and evaluated in a runner when its app first uses a document. This code
// runs with the app's privileges and built-ins, and the host does not rely on it.
import { restore } from "./configurable.js";
import domino from "domino";
import { install as installEvents } from "./events.js";
import { install as installElements } from "./elements.js";
import { install as installForms } from "./forms.js";
import { install as installImages } from "./images.js";
import { install as installLists } from "./lists.js";
import { Names } from "./names.js";
import { install as installObservers } from "./observers.js";
import { Page } from "./page.js";
import { Styles } from "./styles.js";
import { visibleText } from "./text.js";

restore();

/**
 * Creates the library.
 *
 * @param bridge functions of the runner: `global`, `Event`, `EventTarget`, …; see `document.js` of the
 *   runner's own scripts.
 * @returns `globals`, the properties added to the global object, and functions that open pages.
 */
export default function library(bridge) {
    const { impl } = domino;
    installEvents(bridge);
    installLists(domino.createDocument());
    const styles = new Styles(bridge);
    const globals = { ...impl, ...installElements(bridge, styles), ...installForms(bridge) };
    for (const name of ["DOMException", "Event", "CustomEvent", "UIEvent", "MouseEvent", "Window", "HTMLParser"]) {
        delete globals[name];
    }
    const observers = installObservers(bridge);
    const images = installImages(bridge);
    Object.assign(globals, observers.globals, bridge.events, {
        DOMParser: class DOMParser {
            parseFromString(text, type) {
                const made = domino.createDocument(String(text), true);
                if (type !== "text/html") made._contentType = String(type);
                return made;
            }
        },
        XMLSerializer: class XMLSerializer {
            serializeToString(node) { return node.outerHTML ?? node.textContent; }
        },
        getComputedStyle: (element) => styles.declaration(element),
        Image: function Image(width, height) {
            const image = bridge.global.document.createElement("img");
            if (width !== undefined) image.width = width;
            if (height !== undefined) image.height = height;
            return image;
        },
        Option: function Option(text = "", value = undefined) {
            const option = bridge.global.document.createElement("option");
            option.textContent = text;
            if (value !== undefined) option.value = value;
            return option;
        },
    });
    let page = null, shown = "";
    const open = (html, name) => {
        page = new Page(bridge, html, name);
        observers.watch(page.document);
        new Names(bridge, page.document);
        return page;
    };
    return {
        globals,
        /** A document that is parsed at once; its scripts do not run. */
        parse(html, name) {
            const document = open(html, name).parseWithoutScripts();
            images.enable(document);
            return document;
        },
        /** A page that runs: `step` performs the next step and returns whether there are more. */
        open(html, name) {
            const { document } = open(html, name);
            images.enable(document);
            return document;
        },
        step: () => page.step(),
        /** Dispatches the events for the end of all scripts. */
        complete() { page.complete(); },
        /** The visible text, if it has changed since the last call. */
        view() {
            if (page === null || !observers.takeChange()) return undefined;
            const text = visibleText(page.document.body, styles);
            if (text === shown) return undefined;
            return shown = text;
        },
        markup: () => (page === null ? undefined : page.markup()),
    };
}
