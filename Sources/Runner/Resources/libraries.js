// Loads scripts by their URL, and libraries that are too large to be loaded in every run.
const libraries = { __proto__: null, document: 1, modules: 2, encodings: 3 };

function loadLibrary(name, bridge) {
    return apply(ask(host.library, libraries[name]), undefined, [])(bridge);
}

// The name that errors give for a script of the app's own origin; `null` for other origins.
function ownName(record) {
    if (new $URL(writeURL(record)).origin !== new $URL(writeURL(baseRecord)).origin) return null;
    const path = slice(record.path, 1);
    return safely(() => decodeComponent(path), path);
}

// Loads a file of the app's own origin. Throws a string with the reason if it fails.
function ownText(record) {
    if (ownName(record) === null) throw "an app can load only files of its own package and of the host";
    const [status, , bytes] = spread(host.requestAndWait("GET", writeURL(record, false), "", new $Uint8Array(0), 0));
    if (status < 200 || status > 299) throw `the host answered ${status}`;
    return withoutMark(bytes);
}

// Lists are read by index, because the app may have changed the iterator.
const spread = (list) => ({
    [iterator]() {
        let index = 0;
        return { next: () => ({ done: index >= list.length, value: list[index++] }) };
    },
});
