// Domino defines properties of its prototypes as not configurable, unlike a browser. While domino is
// evaluated, they are made configurable, so this must be imported first.
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

/** Restores the built-ins. */
export function restore() {
    Object.create = create;
    Object.defineProperty = defineProperty;
}
