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

/** The namespace object of `import * as`. */
export function Namespace(record) {
    const namespace = Object.create(null);
    for (const name of names(record).sort()) {
        const found = resolve(record, name);
        if (found === null || found === "ambiguous") continue;
        Object.defineProperty(namespace, name, { enumerable: true, get: found.get });
    }
    Object.defineProperty(namespace, Symbol.toStringTag, { value: "Module" });
    return Object.freeze(namespace);
}
