// Positions of errors, and reports of uncaught errors.
const isInternal = (file) => startsWith(file, "nervous:");

function safely(body, otherwise) {
    try {
        return body();
    } catch {
        return otherwise;
    }
}

const isError = (value) =>
    isObject(value) && (value instanceof $Error || typeof member(value, "stack") === "string");

// In an error of the host, `fix` is a sentence that says what the owner can do. It follows the message.
function headline(error) {
    const name = text(error.name ?? "Error"), fix = member(error, "fix");
    const message = text(error.message ?? "") + (typeof fix === "string" ? ` ${fix}` : "");
    if (message === "") return name;
    return name === "" ? message : `${name}: ${message}`;
}

// `places` has the positions of errors in sources that could not run. `heads` has, by the name and the first
// line of a module, the number of characters that the loader puts before its source; they do not count as
// columns.
const places = new $WeakMap(), heads = new $Map();

// The engine's format is `function@file:line:column`, one call per line.
function frames(error) {
    const stack = safely(() => member(error, "stack"), "");
    const found = [];
    if (typeof stack !== "string") return found;
    const lines = split(stack, "\n");
    for (let index = 0; index < lines.length; index++) {
        const parts = execute(/^(.*?)@(.*):(\d+):(\d+)$/, lines[index]);
        if (parts === null || isInternal(parts[2])) continue;
        const file = parts[2], line = +parts[3];
        const column = max(1, +parts[4] - (mapGet(heads, `${file}:${line}`) ?? 0));
        append(found, { name: parts[1], file, line, column });
    }
    return found;
}

function trace(calls) {
    let lines = "";
    for (let index = 0; index < calls.length; index++) {
        const { name, file, line, column } = calls[index];
        const place = `${file}:${line}:${column}`;
        lines += `${index === 0 ? "" : "\n"}    at ${name === "" ? place : `${name} (${place})`}`;
    }
    return lines;
}

function stackOf(error) {
    const calls = trace(frames(error));
    return calls === "" ? headline(error) : `${headline(error)}\n${calls}`;
}

function count(value) {
    return typeof value === "number" && value >= 0 && value < 0x100000000 ? floor(value) : 0;
}

// Dispatches an event to the global object first; if its default is prevented, the error is handled.
let isReporting = false;
function isHandled(event) {
    if (isReporting || !hasListener(globalObject, eventType(event))) return false;
    isReporting = true;
    try {
        return !dispatchTo(globalObject, event);
    } finally {
        isReporting = false;
    }
}

function reportRejection(promise, reason) {
    const options = { cancelable: true, promise, reason };
    if (isHandled(new PromiseRejectionEvent("unhandledrejection", options))) return;
    reportUncaught(reason, "Unhandled rejection: ");
}

function reportUncaught(error, prefix = "", script = "") {
    let file = script, line = 0, column = 0, message, stack = "";
    if (isError(error)) {
        const calls = frames(error), place = weakGet(places, error);
        if (place !== undefined && place.line > 0) {
            ({ file, line, column } = place);
        } else if (calls.length > 0) {
            ({ file, line, column } = calls[0]);
        } else {
            const source = safely(() => member(error, "sourceURL"), "");
            line = count(safely(() => member(error, "line"), 0));
            column = count(safely(() => member(error, "column"), 0));
            if (typeof source === "string" && source !== "") file = source;
            if (isInternal(file)) {
                file = script;
                line = column = 0;
            }
        }
        stack = trace(calls);
        message = safely(() => explained(headline(error)), "Error");
    } else {
        message = typeof error === "string" ? error : safely(() => inspect(error), "an exception that cannot be shown");
    }
    if (prefix === "") {
        const options = {
            cancelable: true, error, message, filename: file, lineno: count(line), colno: count(column),
        };
        if (isHandled(new ErrorEvent("error", options))) return;
    }
    host.uncaught(file, count(line), count(column), prefix + message, stack);
}

// Calls a function of the app; an exception is reported and the run continues.
function callApp(callback, self, list) {
    try {
        return apply(callback, self, list);
    } catch (error) {
        reportUncaught(error);
    }
}

define("reportError", function reportError(error) { reportUncaught(error); });
