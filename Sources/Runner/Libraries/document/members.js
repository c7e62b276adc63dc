// Definitions of members as Web IDL has them: enumerable, configurable, on the prototype.

/** Defines the members of an object literal on a prototype; accessors stay accessors. */
export function add(prototype, members) {
    for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(members))) {
        Object.defineProperty(prototype, name, { ...member, enumerable: true, configurable: true });
    }
}

/** Accessors that reflect attributes: each name with its attribute, or the same name. */
export function reflect(prototype, names, kind = "string") {
    for (const entry of names) {
        const [name, attribute] = Array.isArray(entry) ? entry : [entry, entry.toLowerCase()];
        Object.defineProperty(prototype, name, {
            enumerable: true, configurable: true,
            get() {
                if (kind === "boolean") return this.hasAttribute(attribute);
                if (kind === "long") return Number.parseInt(this.getAttribute(attribute) ?? "", 10) || 0;
                return this.getAttribute(attribute) ?? "";
            },
            set(value) {
                if (kind !== "boolean") this.setAttribute(attribute, kind === "long" ? String(Math.trunc(+value) || 0) : value);
                else if (value) this.setAttribute(attribute, "");
                else this.removeAttribute(attribute);
            },
        });
    }
}

/** A collection of nodes: `find` gives its members in tree order whenever they are read. */
export function collection(name, find, members = {}) {
    const list = {
        get length() { return find().length; },
        item: (index) => find()[index] ?? null,
        namedItem: (key) => (key === "" ? null
            : find().find((element) => element.id === key || element.getAttribute("name") === key) ?? null),
        [Symbol.iterator]: () => find()[Symbol.iterator](),
        [Symbol.toStringTag]: name,
    };
    for (const key of Reflect.ownKeys(list)) Object.defineProperty(list, key, { enumerable: false });
    Object.defineProperties(list, Object.getOwnPropertyDescriptors(members));
    const isIndex = (key) => typeof key === "string" && /^(?:0|[1-9]\d*)$/.test(key);
    return new Proxy(list, {
        get(target, key, self) {
            if (isIndex(key)) return find()[key];
            if (key in target || typeof key !== "string") return Reflect.get(target, key, self);
            return target.namedItem(key) ?? undefined;
        },
        has: (target, key) => (isIndex(key) ? key < find().length : key in target),
        ownKeys: (target) => [...find().keys()].map(String).concat(Reflect.ownKeys(target)),
        getOwnPropertyDescriptor(target, key) {
            if (!isIndex(key)) return Reflect.getOwnPropertyDescriptor(target, key);
            const value = find()[key];
            return value === undefined ? undefined : { value, enumerable: true, configurable: true, writable: false };
        },
    });
}
