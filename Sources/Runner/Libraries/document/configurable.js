// Domino makes what its prototypes have unchangeable. In a browser it can be changed, and here it must
// be: while domino is evaluated, properties are made configurable. Must be imported before it.
const { create, defineProperty } = Object;

function loosened(descriptor) {
    return "value" in descriptor || "get" in descriptor || "set" in descriptor
        ? { ...descriptor, configurable: true, ...("value" in descriptor ? { writable: true } : {}) }
        : descriptor;
}

Object.create = (prototype, properties) => {
    if (properties === undefined) return create(prototype);
    const all = {};
    for (const name of Object.keys(properties)) all[name] = loosened(properties[name]);
    return create(prototype, all);
};
Object.defineProperty = (object, name, descriptor) => defineProperty(object, name, loosened(descriptor));

/** Puts the built-ins back. */
export function restore() {
    Object.create = create;
    Object.defineProperty = defineProperty;
}
