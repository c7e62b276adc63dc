// The document of a headless run: domino's, with additions that pages need.
//
// Bundled when Nervous is built, and evaluated in a runner when its app first uses a document. This code
// runs with the app's privileges and built-ins, and the host does not rely on it.
import { restore } from "./configurable.js";
import domino from "domino";
import { install as installActivation } from "./activation.js";
import { install as installAria } from "./aria.js";
import { install as installCanvas } from "./canvas.js";
import { FileList, install as installControls } from "./controls.js";
import { install as installComponents } from "./components.js";
import { install as installDialogs } from "./dialogs.js";
import { install as installSelection } from "./document-selection.js";
import { install as installEvents } from "./events.js";
import { DOMStringMap, install as installElements } from "./elements.js";
import { install as installFocus } from "./focus.js";
import { install as installForms } from "./forms.js";
import { install as installFrames } from "./frames.js";
import { install as installImages } from "./images.js";
import { install as installStyle } from "./inline-style.js";
import { install as installSheets } from "./css-sheets.js";
import { constructorsOf } from "./interfaces.js";
import { install as installLinks, installSheets as installLinkedSheets } from "./links.js";
import { install as installLists } from "./lists.js";
import { install as installMutations } from "./mutations.js";
import { Names } from "./names.js";
import { install as installNodes } from "./nodes.js";
import { install as installNodeText } from "./node-text.js";
import { install as installObservers } from "./observers.js";
import { Page } from "./page.js";
import { install as installRanges } from "./ranges.js";
import { install as installSelects } from "./selects.js";
import { install as installSizeObservers } from "./size-observers.js";
import { Styles } from "./styles.js";
import { install as installSVG } from "./svg.js";
import { install as installTables } from "./tables.js";
import { visibleText } from "./text.js";
import { install as installValidity } from "./validity.js";
import { escapeIdentifier } from "./selectors.js";
import { parseXML, serializeXML } from "./xml.js";
import Document from "domino/lib/Document";

restore();

const xmlTypes = ["text/xml", "application/xml", "application/xhtml+xml", "image/svg+xml"];

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
    installElements(bridge, styles);
    installStyle(bridge);
    const sheets = installSheets(bridge, styles, escapeIdentifier);
    installLinks(bridge);
    const nodes = installNodes(bridge);
    installNodeText(bridge);
    installActivation(bridge);
    installDialogs(bridge);
    installControls(bridge);
    installSelects();
    installTables(bridge);
    installForms(bridge);
    const validity = installValidity(bridge);
    const focus = installFocus(bridge, styles);
    installMutations();
    installAria();
    const components = installComponents(bridge);
    const observers = installObservers(bridge);
    const ranges = installRanges(bridge), selection = installSelection(bridge, ranges.Range);
    const globals = constructorsOf({ ...impl, ...nodes }, bridge);
    installSVG(bridge, () => globals.SVGElement);
    for (const name of ["DOMException", "Event", "CustomEvent", "UIEvent", "MouseEvent", "Window", "HTMLParser"]) {
        delete globals[name];
    }
    const images = installImages(bridge);
    // A function whose objects are elements of an interface.
    const made = (name, constructor) => Object.defineProperty(constructor, "prototype", { value: globals[name].prototype, writable: false });
    Object.assign(globals, observers.globals, ranges, selection, validity, installCanvas(bridge), installSizeObservers(bridge, styles), bridge.events, sheets.globals, {
        DOMStringMap, FileList,
        DOMParser: class DOMParser {
            parseFromString(text, type) {
                if (arguments.length < 2) throw new TypeError("parseFromString needs 2 arguments");
                const kind = `${type}`;
                if (kind === "text/html") return domino.createDocument(`${text}`, true);
                if (!xmlTypes.includes(kind)) throw new TypeError(`${kind} is not a type that can be parsed`);
                const document = new Document(false, bridge.address());
                document._contentType = kind;
                return parseXML(`${text}`, document);
            }
        },
        XMLSerializer: class XMLSerializer {
            serializeToString(node) {
                if (!(node instanceof globals.Node)) throw new TypeError("the argument is not a Node");
                return serializeXML(node);
            }
        },
        Image: made("HTMLImageElement", function Image(width, height) {
            const image = bridge.global.document.createElement("img");
            if (width !== undefined) image.width = width;
            if (height !== undefined) image.height = height;
            return image;
        }),
        Option: made("HTMLOptionElement", function Option(text = "", value = undefined, defaultSelected = false, selected = false) {
            const option = bridge.global.document.createElement("option");
            if (`${text}` !== "") option.textContent = text;
            if (value !== undefined) option.value = value;
            if (defaultSelected) option.setAttribute("selected", "");
            option.selected = selected;
            return option;
        }),
    });
    let page = null, shown = "", waiting = [];
    // What has to happen before the page is complete, and happens soon.
    const soon = (action) => {
        let isDone = false;
        const once = () => {
            if (isDone) return;
            isDone = true;
            waiting = waiting.filter((one) => one !== once);
            action();
        };
        waiting.push(once);
        bridge.later(once);
    };
    const settle = () => { for (const action of [...waiting]) action(); };
    installFrames(bridge, soon);
    installLinkedSheets(bridge, soon);
    const open = (html, name) => {
        page = new Page(bridge, html, name, focus.begin, components.declare, settle);
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
