// HTMLCollection and NodeList that follow the document, after https://dom.spec.whatwg.org/#old-style-collections.
import FilteredElementList from "domino/lib/FilteredElementList";
import NodeList from "domino/lib/NodeList";
import { add } from "./members.js";

const isIndex = (key) => key >= "0" && key < ":" && /^(?:0|[1-9]\d*)$/.test(key);
const handlers = new WeakMap();

/** What a live list does: its members are those that `find` gives for its owner whenever they are read. */
class LiveList {
    #find; #isNamed; #put;
    constructor(owner, find, isNamed, put) {
        this.owner = owner;
        this.#find = find;
        this.#isNamed = isNamed;
        this.#put = put;
    }
    get members() { return this.#find(this.owner); }
    get(target, key, self) {
        if (typeof key !== "string") return Reflect.get(target, key, self);
        if (key === "length") return this.members.length;
        if (isIndex(key)) return this.members[key];
        if (this.#isNamed && !(key in target)) return self.namedItem(key) ?? undefined;
        return Reflect.get(target, key, self);
    }
    set(target, key, value, self) {
        if (typeof key !== "string" || !isIndex(key)) return Reflect.set(target, key, value, self);
        this.#put?.(this.owner, +key, value);
        return this.#put !== undefined;
    }
    has(target, key) {
        return typeof key === "string" && isIndex(key) ? key < this.members.length
            : key === "length" || key in target || (typeof key === "string" && this.names(target).includes(key));
    }
    deleteProperty(target, key) {
        return typeof key === "string" && isIndex(key) ? key >= this.members.length : Reflect.deleteProperty(target, key);
    }
    ownKeys(target) {
        const keys = [...this.members.keys()].map(String), own = Reflect.ownKeys(target);
        return [...new Set([...keys, ...this.names(target), ...own])];
    }
    // The names of members, which can be read but do not hide what the list itself has.
    names(target) {
        if (!this.#isNamed) return [];
        const all = this.members.flatMap((element) => [element.id, element.namespaceURI === "http://www.w3.org/1999/xhtml" ? element.getAttribute("name") ?? "" : ""]);
        return all.filter((name) => name !== "" && !isIndex(name) && !(name in target));
    }
    getOwnPropertyDescriptor(target, key) {
        if (typeof key !== "string") return Reflect.getOwnPropertyDescriptor(target, key);
        if (!isIndex(key)) {
            const own = Reflect.getOwnPropertyDescriptor(target, key);
            if (own !== undefined || !this.#isNamed || key in target) return own;
            const member = target.namedItem.call(this.list, key);
            return member === null || member === undefined ? undefined : { value: member, enumerable: false, configurable: true, writable: false };
        }
        const value = this.members[key];
        return value === undefined ? undefined : { value, enumerable: true, configurable: true, writable: this.#put !== undefined };
    }
}

export class HTMLCollection {}
export class HTMLOptionsCollection {}
export class HTMLFormControlsCollection {}
export class RadioNodeList {}

/**
 * A live list of the interface `Kind`. `find` gives the members for an owner and must be fast while nothing has
 * changed; `put` is called when an index is assigned.
 */
export function collection(Kind, owner, find, put = undefined) {
    const handler = new LiveList(owner, find, HTMLCollection.prototype.isPrototypeOf(Kind.prototype) || Kind === HTMLCollection, put);
    const list = handler.list = new Proxy(Object.create(Kind.prototype), handler);
    handlers.set(list, handler);
    return list;
}

/** The node that a live list belongs to. */
export const ownerOf = (list) => handlers.get(list).owner;

const hasName = (name) => (element) => element.id === name
    || (element.namespaceURI === "http://www.w3.org/1999/xhtml" && element.getAttribute("name") === name);

// Domino's lists find their members on their own.
const { item } = FilteredElementList.prototype;
const membersOf = (list) => handlers.get(list)?.members ?? (list.length, list.cache);
add(HTMLCollection.prototype, {
    item(index) { return membersOf(this)[index >>> 0] ?? null; },
    namedItem(name) { return `${name}` === "" ? null : membersOf(this).find(hasName(`${name}`)) ?? null; },
});
Object.defineProperty(HTMLCollection.prototype, Symbol.iterator, {
    configurable: true, writable: true,
    value: { *values() { for (let index = 0; index < this.length; index++) yield this[index]; } }.values,
});
Object.setPrototypeOf(HTMLOptionsCollection.prototype, HTMLCollection.prototype);
Object.setPrototypeOf(HTMLFormControlsCollection.prototype, HTMLCollection.prototype);
Object.setPrototypeOf(RadioNodeList.prototype, NodeList.prototype);
Object.setPrototypeOf(FilteredElementList.prototype, HTMLCollection.prototype);
Object.defineProperty(FilteredElementList.prototype, "item", { configurable: true, writable: true, value(index) { return item.call(this, index) ?? null; } });
