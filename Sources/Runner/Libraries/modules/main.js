// ES modules for an engine whose C API has no module loader: acorn parses them, `rewrite` turns each into a
// function, and this links and evaluates them after https://tc39.es/ecma262/#sec-source-text-module-records.
//
// Not supported: import maps, import attributes, and bare specifiers.
import { Namespace, resolve } from "./bindings.js";
import { Evaluation } from "./evaluation.js";
import { fault, IMPORT, rewrite, rewriteScript, SourceError } from "./rewrite.js";

/**
 * Creates the library.
 *
 * @param bridge `textOf(address)` throws a string if there is none; `resolve(specifier, base)` returns a
 *   URL or `null`; `nameOf(address)` returns the name for errors; `evaluate(source, name, line, head)` runs a
 *   text with a head of that length before the source; `caller()` returns the place of a call of `import()`;
 *   `located(error, file, line, column)` returns the error and keeps its place.
 */
export default function library(bridge) {
    /** Records by URL; one that failed to load is not loaded again. */
    const records = new Map();

    /** The error for the app; `fallback` is the place of an import. */
    function thrown(error) {
        if (!(error instanceof SourceError)) return error;
        return bridge.located(new error.type(error.message), error.file, error.line, error.column);
    }

    /** @param importer `{ name, line, column }` of the first import, or where `import()` was called. */
    function load(address, importer, source = undefined, name = bridge.nameOf(address), line = 1) {
        let record = records.get(address);
        if (record !== undefined) return record;
        if (source === undefined) {
            try {
                source = bridge.textOf(address);
            } catch (reason) {
                throw importError(importer, `The module ${name}, imported by ${shown(importer)}, is missing: ${reason}.`);
            }
        }
        const { text, head, requests, ...shape } = rewrite(source, name, line);
        record = {
            address, name, line, ...shape, requests, text, head, state: "new", getters: null, generator: null,
            namespace: null, dependencies: null, evaluation: new Evaluation(),
        };
        records.set(address, record);
        return record;
    }

    const shown = ({ name, line }) => (line === undefined ? name : `${name}:${line}`);
    const importError = ({ name, line, column }, message, type = TypeError) =>
        new SourceError(type, message, name, line ?? 0, column ?? 0);

    function addressOf(specifier, base, importer) {
        const address = bridge.resolve(specifier, base);
        if (address !== null) return address;
        throw importError(
            importer, `${JSON.stringify(specifier)} in ${shown(importer)} is not a URL: begin it with ./, ../ or /.`);
    }

    const importerOf = (record, request) => ({ name: record.name, ...record.requests.get(request) });

    function dependency(record, request) {
        const importer = importerOf(record, request);
        return load(addressOf(request, record.address, importer), importer);
    }

    /** Loads the dependencies of a module, then links their functions and bindings. */
    function link(record) {
        const fresh = [];
        const visit = (at) => {
            if (at.state !== "new") return;
            at.state = "linking";
            fresh.push(at);
            at.dependencies = new Map([...at.requests.keys()].map((request) => [request, dependency(at, request)]));
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
                const what = found === null ? "has no export" : "has more than one export";
                throw importError(
                    importerOf(record, request),
                    `${record.name}: ${JSON.stringify(request)} ${what} ${JSON.stringify(name)}`, SyntaxError);
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
        const factory = bridge.evaluate(record.text, record.name, record.line, record.head);
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

    /** `import(specifier)`: a promise of the namespace. */
    async function importFrom(base, specifier) {
        const wanted = String(specifier), importer = { name: bridge.nameOf(base), ...bridge.caller() };
        // The caller goes on before the module is loaded and evaluated.
        await undefined;
        try {
            const record = load(addressOf(wanted, base, importer), importer);
            link(record);
            await record.evaluation.begin(record);
            return namespaceOf(record);
        } catch (error) {
            throw thrown(error);
        }
    }

    return {
        /** Runs a module; `source` is its text, if known, and `line` its first line. */
        run(address, source, name, line) {
            try {
                const record = load(address, { name }, source, name, line);
                link(record);
                return record.evaluation.begin(record);
            } catch (error) {
                throw thrown(error);
            }
        },
        /** The text of a script in which `import(…)` works; throws if it is not a valid script. */
        script(source, name, line, address) {
            try {
                return rewriteScript(source, name, line, address);
            } catch (error) {
                throw thrown(error);
            }
        },
        /** Keeps the place of the syntax error of a script, which the engine does not report. */
        locate(error, source, name, line) {
            const found = fault(source, name, line);
            if (found instanceof SourceError) bridge.located(error, found.file, found.line, found.column);
        },
        /** The function that it calls, and its name. */
        importFrom, importName: IMPORT,
    };
}
