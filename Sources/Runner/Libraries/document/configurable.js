// Domino defines properties of its prototypes as not configurable, unlike a browser. While domino is
// evaluated, they are made configurable, so this must be imported first.
const { create, defineProperties, defineProperty } = Object;

function loosened(descriptor) {
    return "value" in descriptor || "get" in descriptor || "set" in descriptor
        ? { ...descriptor, configurable: true, ...("value" in descriptor ? { writable: true } : {}) }
        : descriptor;
}

function allLoosened(properties) {
    const all = {};
    for (const name of Object.keys(properties)) all[name] = loosened(properties[name]);
    return all;
}

Object.create = (prototype, properties) => (properties === undefined ? create(prototype) : create(prototype, allLoosened(properties)));
Object.defineProperties = (object, properties) => defineProperties(object, allLoosened(properties));
Object.defineProperty = (object, name, descriptor) => defineProperty(object, name, loosened(descriptor));

/** Restores the built-ins. */
export function restore() {
    Object.create = create;
    Object.defineProperties = defineProperties;
    Object.defineProperty = defineProperty;
}
