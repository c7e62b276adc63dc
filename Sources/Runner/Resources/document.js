// The document. Its library is loaded when it is first needed; this script connects it with the runner.
const bridge = {
    __proto__: null, global: globalObject, Event, CustomEvent, EventTarget, DOMException, URL,
    addConstants, handlerOf, setHandler, note,
    call: callApp,
    soon: runSoon,
    later: (callback) => { startTimer(callback, [], 0, false, false); },
    hooks, leaveUninitialized, isUnderWay, dispatchTo, addHandlers, hasListener, tag,
    // The document defines a global name itself, when it is first used.
    taken(name) { if (isWaitingFor[name]) isWaitingFor[name] = false; },
    beforeScript(callback) { beforeScript = callback; },
    address: () => writeURL(baseRecord),
    run(source, name, line, isModule) {
        if (isModule) runModule(inlineAddress(), source, name, line);
        else runScript(source, name, line, writeURL(baseRecord));
    },
    // Runs a script by its URL. Returns whether it exists.
    runFrom(address, base, isModule) {
        const record = parseURL(text(address), parseURL(text(base), baseRecord));
        let source;
        try {
            if (record === null) throw "that is not a valid address";
            source = ownText(record);
        } catch (reason) {
            host.console(4, `The script ${quote(text(address))} is missing: ${text(reason)}.`);
            return false;
        }
        if (isModule) runModule(writeURL(record, false), source, ownName(record), 1);
        else runScript(source, ownName(record), 1, writeURL(record, false));
        return true;
    },
    textOf(address) {
        return safely(() => ownText(parseURL(text(address), baseRecord)), null);
    },
    // Loads a file of the app's own origin or a `data:` URL. `then` is called later with the bytes, or with
    // null if there are none.
    bytesOf(address, base, then) {
        const record = parseURL(text(address), parseURL(text(base), baseRecord));
        const later = (bytes) => { startTimer(then, [bytes], 0, false, false); };
        if (record === null) return later(null);
        const whole = writeURL(record, false);
        const data = execute(/^data:([^,]*),(.*)$/s, whole);
        if (data !== null) {
            return later(safely(() => {
                const content = decodeComponent(data[2]);
                return matches(/;\s*base64\s*$/i, data[1]) ? bytesOfBase64(content) : host.encode(content);
            }, null));
        }
        if (ownName(record) === null) return later(null);
        const pieces = [];
        let isFound = false;
        startRequest("GET", whole, "", new $Uint8Array(0), {
            __proto__: null,
            head(status) { isFound = status >= 200 && status < 300; },
            piece(bytes) { append(pieces, bytes); },
            end: () => then(isFound ? joinBytes(pieces) : null),
            fail: () => then(null),
        });
    },
};

function bytesOfBase64(content) {
    const string = decodeBase64(content);
    const bytes = new $Uint8Array(string.length);
    for (let index = 0; index < string.length; index++) bytes[index] = charCode(string, index);
    return bytes;
}

// Global names whose first use loads the document.
const documentNames = [
    "document", "DOMParser", "XMLSerializer", "getComputedStyle", "MutationObserver", "Node", "NodeList",
    "Element", "Document", "DocumentFragment", "Text", "Comment", "HTMLElement", "HTMLDocument",
    "HTMLInputElement", "HTMLCanvasElement", "Image", "Option", "UIEvent", "MouseEvent", "KeyboardEvent",
    "InputEvent", "FocusEvent", "SVGElement", "ResizeObserver", "IntersectionObserver", "Path2D", "ImageData",
    "HTMLCollection", "CSS", "FileList", "customElements", "ShadowRoot", "Range", "StaticRange", "Selection", "getSelection",
];
// jQuery and `App` of nervousnet apps.
const hostLibrary = "/nervousnet-axon-resources/libs.js";
const libraryNames = ["$", "jQuery", "App"];

let view, isExposed = false, documentError = "";
const isWaitingFor = { __proto__: null };

function wait(names, load) {
    for (let index = 0; index < names.length; index++) {
        const name = names[index];
        isWaitingFor[name] = true;
        setProperty(globalObject, name, {
            __proto__: null, configurable: true, enumerable: false,
            get() {
                load();
                return isWaitingFor[name] ? undefined : globalObject[name];
            },
            set(value) {
                isWaitingFor[name] = false;
                define(name, value);
            },
        });
    }
}

// Removes global names whose library is missing.
function stopWaiting(names) {
    for (let index = 0; index < names.length; index++) {
        if (isWaitingFor[names[index]]) delete globalObject[names[index]];
        isWaitingFor[names[index]] = false;
    }
}

function loadView() {
    if (isExposed) return view !== null;
    isExposed = true;
    try {
        view ??= loadLibrary("document", bridge);
    } catch (error) {
        view = null;
        documentError = `The document is not available in this run: ${isError(error) ? error.message : text(error)}`;
        note(documentError);
    }
    const globals = view?.globals ?? {}, names = ownKeys(globals);
    for (let index = 0; index < names.length; index++) {
        const name = names[index];
        if (isWaitingFor[name] === false || (isWaitingFor[name] === undefined && name in globalObject)) continue;
        isWaitingFor[name] = false;
        define(name, globals[name]);
    }
    return view !== null;
}

function placeDocument(document) {
    isWaitingFor.document = false;
    define("document", document);
}

let isParsing = false;

wait(documentNames, () => {
    // While the page is parsed there is no document yet.
    if (isParsing) return;
    if (loadView() && isWaitingFor.document) {
        const html = safely(() => ownText(baseRecord), "");
        isParsing = true;
        const document = view.parse(html, "app.html");
        isParsing = false;
        if (isWaitingFor.document) placeDocument(document);
    }
    stopWaiting(documentNames);
});
wait(libraryNames, () => {
    bridge.runFrom(hostLibrary, bridge.address(), false);
    stopWaiting(libraryNames);
});

const pages = {
    __proto__: null,
    // Runs the page, which loads the app's scripts.
    page(name) {
        stopWaiting(libraryNames);
        let html;
        try {
            html = ownText(baseRecord);
        } catch (reason) {
            reportUncaught(`The page ${quote(name)} is missing: ${text(reason)}.`);
            return;
        }
        if (!loadView()) {
            reportUncaught(documentError);
            return;
        }
        placeDocument(view.open(html, name));
        stopWaiting(documentNames);
        host.scheduleTurn();
    },
    step() { if (view.step()) host.scheduleTurn(); },
    // All scripts have been loaded: fires the events of a loaded page, in a run without its page.
    loaded() {
        if (!isExposed || view === null) dispatchTo(globalObject, new Event("load"));
        else view.complete();
    },
    view: () => view?.view(),
    markup: () => view?.markup(),
};

// Loads libraries in a process from which runs are forked, which defines no names yet. What fails is loaded
// again by the run that needs it, which reports the reason.
const provisions = {
    __proto__: null,
    document() { view = safely(() => loadLibrary("document", bridge), undefined); },
    modules() {
        safely(modules, null);
        modulesError = "";
    },
};
