// Definitions of members as Web IDL has them: enumerable, configurable, on the prototype.

/** Defines the members of an object literal on a prototype; accessors stay accessors. */
export function add(prototype, members) {
    for (const name of Reflect.ownKeys(members)) {
        const member = Object.getOwnPropertyDescriptor(members, name);
        Object.defineProperty(prototype, name, { ...member, enumerable: typeof name === "string", configurable: true });
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
                return this.getAttribute(attribute) ?? "";
            },
            set(value) {
                if (kind !== "boolean") this.setAttribute(attribute, value);
                else if (value) this.setAttribute(attribute, "");
                else this.removeAttribute(attribute);
            },
        });
    }
}

/** The text with ASCII letters in lower case, as names and keywords of HTML are compared. */
export const lower = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
