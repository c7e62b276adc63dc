// The parts of the addresses of links, after https://html.spec.whatwg.org/#htmlhyperlinkelementutils.
import { elements } from "domino/lib/htmlelts";
import { add } from "./members.js";

const parts = ["protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];

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
