// The parts of the addresses of links, after https://html.spec.whatwg.org/#htmlhyperlinkelementutils.
import attributes from "domino/lib/attributes";
import { elements } from "domino/lib/htmlelts";
import { changes } from "./changes.js";
import { add } from "./members.js";
import { hasSheet, pendingLinks } from "./styles.js";

const parts = ["protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];

/**
 * Loads the style sheets of links: one that a script inserts counts when it has loaded, and then its link gets an event.
 *
 * @param soon calls a function before the page is complete, at the latest
 */
export function installSheets(bridge, soon) {
    const { HTMLLinkElement } = elements, loads = new WeakMap();
    const load = (link) => {
        if (!link.isConnected || link.ownerDocument !== bridge.global.document) return;
        const address = hasSheet(link) && link.hasAttribute("href") ? bridge.URL.parse(link.getAttribute("href"), link.baseURI)?.href ?? null : null;
        if (loads.get(link) === address) return;
        loads.set(link, address);
        pendingLinks.delete(link);
        if (address === null) return;
        const isOfParser = link.ownerDocument._isParsing;
        if (!isOfParser) pendingLinks.add(link);
        soon(() => {
            if (loads.get(link) !== address) return;
            pendingLinks.delete(link);
            changes.lists++;
            changes.all++;
            const isHeard = ["load", "error"].some((type) => bridge.hasListener(link, type));
            if (isHeard) bridge.dispatchTo(link, new bridge.Event(bridge.textOf(address) === null ? "error" : "load"));
        });
    };
    Object.defineProperty(HTMLLinkElement.prototype, "_roothook", { configurable: true, writable: true, value() { load(this); } });
    for (const name of ["href", "rel"]) attributes.registerChangeHandler(HTMLLinkElement, name, load);
}

export function install({ URL }) {
    // Null for a link without an address or with one that is not valid.
    const addressOf = (link) => (link.hasAttribute("href") ? URL.parse(link.getAttribute("href"), link.baseURI) ?? URL.parse(link.getAttribute("href")) : null);
    const members = {
        get href() { return addressOf(this)?.href ?? this.getAttribute("href") ?? ""; },
        set href(value) { this.setAttribute("href", value); },
        get origin() { return addressOf(this)?.origin ?? ""; },
        toString() { return this.href; },
    };
    for (const part of parts) {
        Object.defineProperty(members, part, {
            get() { return addressOf(this)?.[part] ?? (part === "protocol" ? ":" : ""); },
            set(value) {
                const address = addressOf(this);
                if (address === null) return;
                address[part] = value;
                this.setAttribute("href", address.href);
            },
        });
    }
    for (const kind of [elements.HTMLAnchorElement, elements.HTMLAreaElement]) add(kind.prototype, members);
}
