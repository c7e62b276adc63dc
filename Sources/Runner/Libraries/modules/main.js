// ES modules for an engine that is lent without its own loader: acorn reads them, `rewrite` makes a
// function of each, and this links and evaluates them after https://tc39.es/ecma262/#sec-source-text-module-records.
//
// Modules that wait (top-level await) hold up those after them, one after the other, where the standard
// lets them wait side by side. Not done: import maps, import attributes, and names without a path.
import { Namespace, resolve } from "./bindings.js";
import { IMPORT, rewrite, rewriteScript } from "./rewrite.js";

/**
 * Makes the library.
 *
 * @param bridge `textOf(address)` throws a text when there is none; `resolve(specifier, base)` gives an
 *   address or `null`; `nameOf(address)` what errors call it; `evaluate(source, name, line)`.
 */
export default function library(bridge) {
    /** Records by address; one that failed to load stays failed. */
    const records = new Map();

    function load(address, source = undefined, name = bridge.nameOf(address), line = 1) {
        let record = records.get(address);
        if (record !== undefined) return record;
        if (source === undefined) {
            try {
                source = bridge.textOf(address);
            } catch (reason) {
                throw new TypeError(`The module ${address} is missing: ${reason}.`);
            }
        }
        const { text, ...shape } = rewrite(source, name, line);
        record = {
            address, name, line, ...shape, text, state: "new", getters: null, generator: null, namespace: null,
            evaluation: null, error: null,
        };
        records.set(address, record);
        return record;
    }

    function dependency(record, specifier) {
        const address = bridge.resolve(specifier, record.address);
        if (address === null) {
            throw new TypeError(`${JSON.stringify(specifier)} in ${record.name} is no address: begin it with ./, ../ or /.`);
        }
        return load(address);
    }

    /** Loads what a module needs, then gives each its functions and its bindings. */
    function link(record) {
        const fresh = [];
        const visit = (at) => {
            if (at.state !== "new") return;
            at.state = "linking";
            fresh.push(at);
            at.dependencies = new Map(at.requests.map((request) => [request, dependency(at, request)]));
            for (const next of at.dependencies.values()) visit(next);
        };
        try {
            visit(record);
            for (const at of fresh) check(at);
            for (const at of fresh) instantiate(at);
        } catch (error) {
            for (const at of fresh) records.delete(at.address);
            throw error;
        }
        for (const at of fresh) at.state = "linked";
    }

    function check(record) {
        const wanted = [...record.imports.values(), ...record.indirect.values()];
        for (const { request, name } of wanted) {
            if (name === "*") continue;
            const found = resolve(record.dependencies.get(request), name);
            if (found === null || found === "ambiguous") {
                throw new SyntaxError(`${record.name}: ${JSON.stringify(request)} ${found === null ? "has no export" : "has more than one export"} ${JSON.stringify(name)}`);
            }
        }
    }

    function instantiate(record) {
        const imports = Object.create(null);
        for (const [local, { request, name }] of record.imports) {
            const from = record.dependencies.get(request);
            Object.defineProperty(imports, local, {
                enumerable: true,
                get: name === "*" ? () => namespaceOf(from) : () => resolve(from, name).get(),
            });
        }
        const meta = Object.assign(Object.create(null), { url: record.address });
        meta.resolve = (specifier) => bridge.resolve(String(specifier), record.address);
        const factory = bridge.evaluate(record.text, record.name, record.line);
        record.text = null;
        record.generator = factory(
            imports, meta, importFrom,
            (getters) => { record.getters = getters; })();
        // Up to its first stop, where functions are hoisted and the rest is not yet there.
        record.generator.next();
    }

    function namespaceOf(record) {
        return record.namespace ??= Namespace(record);
    }

    /** Modules in the order in which they run. */
    function order(record) {
        const found = [], seen = new Set();
        const visit = (at) => {
            if (seen.has(at)) return;
            seen.add(at);
            for (const next of at.dependencies.values()) visit(next);
            found.push(at);
        };
        visit(record);
        return found;
    }

    /** Returns a promise where something waits, else nothing. */
    function evaluate(record) {
        const queue = order(record);
        const goOn = (index) => {
            for (let at = index; at < queue.length; at++) {
                const wait = run(queue[at]);
                if (wait !== undefined) return wait.then(() => goOn(at + 1));
            }
            return undefined;
        };
        return goOn(0);
    }

    function run(record) {
        if (record.state === "failed") throw record.error;
        if (record.state !== "linked") return record.evaluation ?? undefined;
        record.state = "evaluated";
        const fail = (error) => {
            record.state = "failed";
            record.error = error;
            throw error;
        };
        try {
            const result = record.generator.next();
            if (!record.isAsync) return undefined;
            return record.evaluation = result.then(() => { record.evaluation = null; }, fail);
        } catch (error) {
            return fail(error);
        }
    }

    /** `import(specifier)`: a promise of the namespace. */
    async function importFrom(base, specifier) {
        const wanted = String(specifier), address = bridge.resolve(wanted, base);
        if (address === null) {
            throw new TypeError(`${JSON.stringify(wanted)} is no address: begin it with ./, ../ or /.`);
        }
        const record = load(address);
        link(record);
        await evaluate(record);
        return namespaceOf(record);
    }

    return {
        /** Runs a module; `source` is its text where that is known, and `line` where it begins. */
        run(address, source, name, line) {
            const record = load(address, source, name, line);
            link(record);
            return evaluate(record);
        },
        /** The text of a script in which `import(…)` works. */
        script: rewriteScript,
        /** What it calls, and the name under which it looks for it. */
        importFrom, importName: IMPORT,
    };
}
