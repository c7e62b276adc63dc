// Evaluates scripts and modules. The library for modules is loaded when it is first needed.
let moduleLibrary = null, modulesError = "";

function modules() {
    if (moduleLibrary !== null) return moduleLibrary;
    // The host sends each library once, so a load that failed is not repeated.
    if (modulesError !== "") throw new $TypeError(modulesError);
    try {
        moduleLibrary = loadLibrary("modules", {
            __proto__: null,
            resolve(specifier, base) {
                if (!matches(/^(?:\.{0,2}\/|https?:)/i, specifier)) return null;
                const record = parseURL(specifier, parseURL(base, null));
                return record === null ? null : writeURL(record, false);
            },
            nameOf: (address) => ownName(parseURL(address, null)) ?? address,
            textOf: (address) => ownText(parseURL(address, null)),
            evaluate(source, name, line, head) {
                mapSet(heads, `${name}:${line}`, head);
                return ask(host.evaluate, source, name, line);
            },
            caller() {
                const calls = frames(new $Error());
                return calls.length === 0 ? {} : { line: calls[0].line, column: calls[0].column };
            },
            located(error, file, line, column) {
                weakSet(places, error, { __proto__: null, file, line, column });
                return error;
            },
        });
    } catch (error) {
        modulesError = `Modules are not available in this run: ${isError(error) ? error.message : text(error)}`;
        throw new $TypeError(modulesError);
    }
    define(moduleLibrary.importName, moduleLibrary.importFrom);
    return moduleLibrary;
}

let inlineModules = 0;
const inlineAddress = () => `${writeURL(baseRecord, false)}#module-${++inlineModules}`;

async function reportLater(promise, name) {
    try {
        await promise;
    } catch (error) {
        reportUncaught(error, "", name);
    }
}

// Finds the place of the syntax error of a script.
function locate(error, source, name, line) {
    if (error instanceof $SyntaxError) safely(() => modules().locate(error, source, name, line));
}

function runModule(address, source, name, line) {
    try {
        const wait = modules().run(address, source, name, line);
        if (wait !== undefined) reportLater(wait, name);
    } catch (error) {
        reportUncaught(error, "", name);
    }
}

// Called with the source of a script before the script runs; set by a document.
let beforeScript = () => {};

function runScript(source, name, line, address) {
    try {
        const wanted = matches(/\bimport\s*\(/, source)
            // For an invalid script the engine throws its own syntax error.
            ? safely(() => modules().script(source, name, line, address), source) : source;
        beforeScript(source);
        ask(host.evaluate, wanted, name, line);
    } catch (error) {
        locate(error, source, name, line);
        reportUncaught(error, "", name);
    }
}

const addressOf = (name) => writeURL(parseURL(name, baseRecord), false);
const loads = {
    __proto__: null,
    // A source that may import at run time: a script or a module.
    script(name, source) {
        const address = addressOf(name);
        if (safely(() => modules().script(source, name, 1, address), null) === null
            && moduleLibrary !== null) {
            runModule(address, source, name, 1);
        } else {
            if (modulesError !== "") note(modulesError);
            runScript(source, name, 1, address);
        }
    },
    // A source that is not a script may be a module; if it is neither, `error` is the reason.
    module(name, source, error) {
        if (!matches(/\b(?:import|export|await)\b/, source)) {
            locate(error, source, name, 1);
            return reportUncaught(error, "", name);
        }
        runModule(addressOf(name), source, name, 1);
    },
};
