// ES modules for an engine whose C API has no module loader: acorn parses them, `rewrite` turns each into a
// function, and this links and evaluates them after https://tc39.es/ecma262/#sec-source-text-module-records.
//
// Modules with top-level await delay those after them, one after the other; the standard lets them wait
// concurrently. Not supported: import maps, import attributes, and bare specifiers.
import { Namespace, resolve } from "./bindings.js";
import { IMPORT, rewrite, rewriteScript } from "./rewrite.js";

/**
 * Creates the library.
 *
 * @param bridge `textOf(address)` throws a string if there is none; `resolve(specifier, base)` returns a
 *   URL or `null`; `nameOf(address)` returns the name for errors; `evaluate(source, name, line)`.
 */
export default function library(bridge) {
    /** Records by URL; one that failed to load is not loaded again. */
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
            throw new TypeError(`${JSON.stringify(specifier)} in ${record.name} is not a URL: begin it with ./, ../ or /.`);
        }
        return load(address);
    }

    /** Loads the dependencies of a module, then links their functions and bindings. */
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
        // Runs to its first stop, where functions are hoisted and nothing else is defined.
        record.generator.next();
    }

    function namespaceOf(record) {
        return record.namespace ??= Namespace(record);
    }

    /** Modules in the order of evaluation. */
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

    /** Returns a promise if a module waits, otherwise undefined. */
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
            throw new TypeError(`${JSON.stringify(wanted)} is not a URL: begin it with ./, ../ or /.`);
        }
        const record = load(address);
        link(record);
        await evaluate(record);
        return namespaceOf(record);
    }

    return {
        /** Runs a module; `source` is its text, if known, and `line` its first line. */
        run(address, source, name, line) {
            const record = load(address, source, name, line);
            link(record);
            return evaluate(record);
        },
        /** The text of a script in which `import(…)` works. */
        script: rewriteScript,
        /** The function that it calls, and its name. */
        importFrom, importName: IMPORT,
    };
}
