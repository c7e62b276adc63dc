// Exports and imports of modules.

/** Resolves an exported name: `{ get }`, `null` if there is none, `"ambiguous"` if there are several. */
export function resolve(record, name, seen = new Set()) {
    const key = `${record.address}\0${name}`;
    if (seen.has(key)) return null;
    seen.add(key);
    const local = record.locals.get(name);
    if (local !== undefined) return { record, name, get: () => record.getters[name]() };
    const indirect = record.indirect.get(name);
    if (indirect !== undefined) {
        const from = record.dependencies.get(indirect.request);
        if (indirect.name === "*") return { record: from, name: "*", get: () => from.namespace ??= Namespace(from) };
        return resolve(from, indirect.name, seen);
    }
    if (name === "default") return null;
    let found = null;
    for (const request of record.stars) {
        const other = resolve(record.dependencies.get(request), name, seen);
        if (other === "ambiguous") return other;
        if (other === null) continue;
        if (found !== null && (found.record !== other.record || found.name !== other.name)) return "ambiguous";
        found = other;
    }
    return found;
}

function names(record, seen = new Set()) {
    if (seen.has(record)) return [];
    seen.add(record);
    const found = new Set([...record.locals.keys(), ...record.indirect.keys()]);
    for (const request of record.stars) {
        for (const name of names(record.dependencies.get(request), seen)) {
            if (name !== "default") found.add(name);
        }
    }
    return [...found];
}

/**
 * The namespace object of `import * as`: https://tc39.es/ecma262/#sec-module-namespace-exotic-objects.
 *
 * The target has a data property for each export, so that the proxy may report them; their values are
 * those of the exporting modules.
 */
export function Namespace(record) {
    const target = Object.create(null), getters = new Map();
    for (const name of names(record).sort()) {
        const found = resolve(record, name);
        if (found === null || found === "ambiguous") continue;
        getters.set(name, found.get);
        Object.defineProperty(target, name, { writable: true, enumerable: true });
    }
    Object.defineProperty(target, Symbol.toStringTag, { value: "Module" });
    Object.preventExtensions(target);
    const slotOf = (key) => {
        const slot = Reflect.getOwnPropertyDescriptor(target, key), get = getters.get(key);
        if (get !== undefined) slot.value = get();
        return slot;
    };
    return new Proxy(target, {
        __proto__: null,
        get(_, key) {
            const get = getters.get(key);
            return get === undefined ? target[key] : get();
        },
        set: () => false,
        getOwnPropertyDescriptor: (_, key) => slotOf(key),
        defineProperty(_, key, wanted) {
            if (!getters.has(key)) return Reflect.defineProperty(target, key, wanted);
            const { value } = slotOf(key);
            return wanted.configurable !== true && wanted.enumerable !== false && wanted.writable !== false
                && !("get" in wanted) && !("set" in wanted)
                && (!("value" in wanted) || Object.is(wanted.value, value));
        },
    });
}
