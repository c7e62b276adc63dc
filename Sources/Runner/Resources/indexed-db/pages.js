// Databases at the host. The item `catalogue` lists their names, numbers and versions. Each database has the items
// `data/ID/root` with its stores and the numbers of their pages, and `data/ID/NUMBER` for each page. Pages never
// change: a commit writes new ones, in as many calls as it needs, and in the last one the root, which makes them
// valid, together with the removal of the old ones. `data/ID/stamp` has another value after each commit. Every call
// names the values that it expects, so a call of a run that has not seen the last commit of another run has no effect.
// Without permission for `storage`, databases are kept in memory until the run ends.
const path = "/api/v1/indexed-db";
// Bytes of a call, with room for what encloses the pieces.
const longestCall = 900_000;
// UTF-16 code units of a page of a long value: at most three bytes each.
const pieceUnits = 131_072;

// `isKept` is null until the catalogue is loaded. `room` is how many bytes can still be added, as far as known.
const disk = {
    __proto__: null, isKept: null, reason: "", hasWarned: false, catalogue: null, waiting: [], room: 0,
    isSaving: false, saves: [],
};

let lastNumber = 0;
// Numbers of pages and databases must differ from those of another run, which may write at the same time.
function newNumber() {
    if (lastNumber === 0) {
        const bytes = randomBytes(5);
        for (let index = 0; index < 5; index++) lastNumber = lastNumber * 256 + bytes[index];
    }
    return numberText(++lastNumber, 36);
}

// Calls `then` with the status and the answer's JSON, which is null if there is none.
function callDisk(method, query, bytes, then) {
    const pieces = [];
    let status = 0;
    const finish = (isWhole) => {
        const answer = isWhole ? safely(() => parseJSON(decodeText(joinBytes(pieces), true)), null) : null;
        then(status, answer);
    };
    const lines = method === "GET" ? "" : "content-type\napplication/json\n";
    try {
        startRequest(method, `${baseOrigin()}${path}${query}`, lines, bytes, {
            __proto__: null, url: path, head: (code) => { status = code; },
            piece: (piece) => { append(pieces, piece); }, end: () => finish(true), fail: () => finish(false),
        });
    } catch {
        // Too many requests are active.
        startTimer(() => callDisk(method, query, bytes, then), [], 10, false, false);
    }
}

function reasonFor(status, answer) {
    const detail = isObject(answer) ? member(answer, "detail") : undefined;
    return typeof detail === "string" ? detail : `the host answered ${status}.`;
}

// All items whose key begins with a prefix, as a map; null and a reason if they cannot be loaded.
function loadItems(prefix, then) {
    const items = new $Map();
    const next = (after) => {
        const query = `?prefix=${prefix}${after === null ? "" : `&after=${after}`}`;
        callDisk("GET", query, new $Uint8Array(0), (status, answer) => {
            if (status !== 200 || answer === null) return then(null, reasonFor(status, answer));
            let last = null;
            for (let index = 0; index < answer.items.length; index++) {
                last = answer.items[index][0];
                mapSet(items, last, answer.items[index][1]);
            }
            disk.room = answer.limit - answer.used;
            if (answer.more && last !== null) next(last);
            else then(items, "");
        });
    };
    next(null);
}

// Loads what databases there are, once, and calls `then`.
function whenCatalogued(then) {
    if (disk.isKept !== null) return then();
    append(disk.waiting, then);
    if (disk.waiting.length === 1) loadCatalogue();
}

function loadCatalogue() {
    loadItems("catalogue", (items, reason) => {
        if (items === null) {
            disk.isKept = false;
            disk.reason = reason;
        } else {
            disk.catalogue = mapGet(items, "catalogue") ?? null;
            followCatalogue(disk.catalogue === null ? [] : parseJSON(disk.catalogue));
            disk.isKept = true;
        }
        const { waiting } = disk;
        disk.waiting = [];
        for (let index = 0; index < waiting.length; index++) callApp(waiting[index], undefined, []);
    });
}

// Takes over what databases there are; another run may have made or deleted some.
function followCatalogue(list) {
    const found = new $Set();
    for (let index = 0; index < list.length; index++) {
        const [name, id, version] = spread(list[index]), database = databaseNamed(name);
        setAdd(found, name);
        if (database.id === id) {
            if (database.live.length === 0 && database.version !== version) database.isLoaded = false;
            if (!database.isLoaded) database.version = database.shown = version;
            continue;
        }
        if (database.live.length > 0) {
            database.isStale = true;
            continue;
        }
        becomeEmpty(database);
        database.id = id;
        database.version = database.shown = version;
        database.isLoaded = false;
    }
    mapEach(databases, (database) => {
        if (database.id !== null && !setHas(found, database.name)) becomeEmpty(database);
    });
}

// The catalogue after a change of one database, whose version is 0 if it is deleted.
function catalogueWith(changed, id) {
    const list = bareList();
    mapEach(databases, (database) => {
        const number = database === changed ? id : database.id;
        const version = database === changed || database.root === null ? database.version : database.root.version;
        if (number !== null && version > 0) list[list.length] = bareOf(database.name, number, version);
    });
    return stringifyJSON(list);
}

// Once a run, when something is written that will not be kept.
function warnOfMemory() {
    if (disk.isKept !== false || disk.hasWarned) return;
    disk.hasWarned = true;
    host.console(3, `indexedDB is kept for this run only: ${disk.reason}`);
}

// MARK: Loading

// Reads the stores of a database from its pages, unless they are in memory. `then` gets null, or a reason.
function whenLoaded(database, then, isAgain = false) {
    if (database.isLoaded) return then(null);
    const prefix = `data/${database.id}/`;
    loadItems(prefix, (items, reason) => {
        if (items === null) return then(reason);
        const root = mapGet(items, `${prefix}root`);
        if (root === undefined) return then("another run of the app has deleted the database");
        try {
            read(database, parseJSON(root), items, prefix);
        } catch {
            // Another run may have removed pages between two calls.
            return isAgain ? then("its pages are damaged") : whenLoaded(database, then, true);
        }
        database.stamp = mapGet(items, `${prefix}stamp`) ?? null;
        database.isLoaded = true;
        then(null);
    });
}

function read(database, root, pages, prefix) {
    const used = new $Set();
    setAdd(used, "root");
    setAdd(used, "stamp");
    const page = (number) => {
        setAdd(used, number);
        const content = mapGet(pages, prefix + number);
        if (content === undefined) throw new $TypeError("a page is missing");
        return content;
    };
    const stores = new $Map();
    for (let index = 0; index < root.stores.length; index++) {
        const saved = root.stores[index], before = mapGet(database.stores, saved.name);
        if (before !== undefined) forgetStore(before);
        const store = before ?? newStore(saved.name, saved.path, saved.auto);
        store.next = store.savedNext = saved.next;
        readLeaves(store.tree, saved.pages, (number) => readStorePage(page(number), number, page));
        const indexes = new $Map();
        store.filled = [];
        for (let number = 0; number < saved.indexes.length; number++) {
            const one = saved.indexes[number];
            const known = mapGet(store.indexes, one.name) ?? newIndex(one.name, one.path, one.unique, one.multi);
            readLeaves(known.tree, one.pages, (number) => readIndexPage(page(number), number));
            mapSet(indexes, one.name, known);
            append(store.filled, known);
        }
        store.indexes = indexes;
        mapSet(stores, saved.name, store);
    }
    mapEach(database.stores, (store, name) => {
        if (mapGet(stores, name) === store) return;
        forgetStore(store);
        store.isDeleted = true;
    });
    database.stores = stores;
    database.version = root.version;
    database.root = root;
    // Pages of a commit that did not come to its end.
    database.orphans = [];
    mapEach(pages, (content, key) => {
        const number = slice(key, prefix.length);
        if (!setHas(used, number)) append(database.orphans, number);
    });
}

function forgetStore(store) {
    forgetTree(store.tree);
    for (let index = 0; index < store.filled.length; index++) forgetTree(store.filled[index].tree);
}

function readLeaves(tree, numbers, readPage) {
    tree.saved = bareList();
    for (let index = 0; index < numbers.length; index++) {
        const leaf = readPage(numbers[index]);
        leaf.id = numbers[index];
        for (let entry = 0; entry < leaf.keys.length; entry++) leaf.size += costOf(leaf.keys[entry], leaf.values[entry]);
        tree.leaves[index] = leaf;
        tree.saved[index] = leaf.id;
        tree.count += leaf.keys.length;
        loaded.entries += leaf.keys.length;
        loaded.size += leaf.size;
    }
}

// A page has its keys in the first line, and a line for each value. JSON has no line breaks.
function readStorePage(content, number, page) {
    const leaf = newLeaf(), lines = split(content, "\n"), keys = parseJSON(lines[0]);
    for (let index = 0; index < keys.length; index++) {
        const line = lines[index + 1];
        leaf.keys[index] = keyOfJSON(keys[index]);
        if (line[0] !== "@") {
            leaf.values[index] = line;
            continue;
        }
        const value = longOf("");
        value.ids = parseJSON(slice(line, 1));
        for (let piece = 0; piece < value.ids.length; piece++) value.string += page(value.ids[piece]);
        leaf.values[index] = value;
    }
    return leaf;
}

function readIndexPage(content) {
    const leaf = newLeaf(), keys = parseJSON(content);
    for (let index = 0; index < keys.length; index += 2) {
        const primary = keyOfJSON(keys[index + 1]);
        leaf.values[index / 2] = primary;
        leaf.keys[index / 2] = keyOfJSON(keys[index]) + primary;
    }
    return leaf;
}

// MARK: Saving

// Saves what a transaction has changed in some stores. `then` gets null, or the error that aborts the transaction.
// `isStructural` says that version, stores or indexes may have changed, so the pages of all stores are part of it.
// `dropped` has the numbers of the pages of long values that are no longer there.
function save(database, stores, isStructural, dropped, then) {
    warnOfMemory();
    if (disk.isKept === null) return whenCatalogued(() => save(database, stores, isStructural, dropped, then));
    if (disk.isKept === false) return startTimer(() => then(null), [], 0, false, false);
    if (database.isStale) {
        database.isStale = false;
        disk.isKept = null;
        return then(errorFor(409, null));
    }
    if (disk.isSaving) {
        append(disk.saves, () => save(database, stores, isStructural, dropped, then));
        return;
    }
    const finish = startSaving(then);
    const id = database.id ?? newNumber(), prefix = `data/${id}/`, pieces = [], written = [];
    const write = (content) => {
        const number = newNumber();
        append(pieces, { __proto__: null, key: prefix + number, content });
        append(written, number);
        return number;
    };
    // The numbers of the pages of leaves and of long values, as they will be.
    const changes = [];
    const savedTree = (tree, contentOf) => {
        const numbers = bareList();
        for (let index = 0; index < tree.leaves.length; index++) {
            const leaf = tree.leaves[index];
            numbers[index] = leaf.id ?? write(contentOf(leaf, write, changes));
        }
        append(changes, { __proto__: null, tree, numbers });
        return numbers;
    };
    const root = { __proto__: null, name: database.name, version: database.version, stores: bareList() };
    mapEach(database.stores, (store, name) => {
        const isIncluded = isStructural || includes(stores, store);
        const indexes = bareList();
        mapEach(store.indexes, (one) => {
            indexes[indexes.length] = {
                __proto__: null, name: one.name, path: bareCopy(one.keyPath), unique: one.unique, multi: one.multiEntry,
                pages: isIncluded ? savedTree(one.tree, indexPage) : one.tree.saved,
            };
        });
        root.stores[root.stores.length] = {
            __proto__: null, name, path: bareCopy(store.keyPath), auto: store.autoIncrement,
            next: isIncluded ? store.next : store.savedNext, indexes,
            pages: isIncluded ? savedTree(store.tree, storePage) : store.tree.saved,
        };
    });
    const stamp = newNumber(), expected = [pairOf(`${prefix}stamp`, database.stamp)];
    const last = [pairOf(`${prefix}stamp`, stamp), pairOf(`${prefix}root`, stringifyJSON(root))];
    const catalogue = isStructural ? catalogueWith(database, id) : disk.catalogue;
    if (isStructural) {
        append(expected, pairOf("catalogue", disk.catalogue));
        append(last, pairOf("catalogue", catalogue));
    }
    const removed = removedPages(database, root);
    for (let index = 0; index < removed.length; index++) append(last, pairOf(prefix + removed[index], null));
    for (let index = 0; index < dropped.length; index++) append(last, pairOf(prefix + dropped[index], null));
    sendPieces(expected, pieces, last, (status, answer) => {
        if (status !== 200 || answer === null) {
            for (let index = 0; index < written.length; index++) append(database.orphans, written[index]);
            if (status === 409) {
                database.isLoaded = database.id === null;
                if (isStructural) disk.isKept = null;
            }
            return finish(errorFor(status, answer));
        }
        disk.room = answer.limit - answer.used;
        disk.catalogue = catalogue;
        database.id = id;
        database.stamp = stamp;
        database.root = root;
        database.orphans = [];
        for (let index = 0; index < changes.length; index++) {
            const { tree, numbers, value, ids } = changes[index];
            if (tree === undefined) {
                value.ids = ids;
                continue;
            }
            tree.saved = numbers;
            for (let at = 0; at < numbers.length; at++) tree.leaves[at].id = numbers[at];
        }
        mapEach(database.stores, (store) => {
            if (isStructural || includes(stores, store)) store.savedNext = store.next;
        });
        finish(null);
    });
}

// One call at a time, since each expects what the one before wrote.
function startSaving(then) {
    disk.isSaving = true;
    return (error) => {
        disk.isSaving = false;
        if (disk.saves.length > 0) callApp(arraySplice(disk.saves, 0, 1)[0], undefined, []);
        then(error);
    };
}

function includes(list, item) {
    for (let index = 0; index < list.length; index++) if (list[index] === item) return true;
    return false;
}

function bareCopy(keyPath) {
    return isArray(keyPath) ? bare(copyOfPath(keyPath)) : keyPath;
}

// A pair of key and value as JSON, in bytes.
const pairOf = (key, value) => host.encode(`[${stringifyJSON(key)},${stringifyJSON(value)}]`);

function storePage(leaf, write, changes) {
    const keys = bareList();
    let lines = "";
    for (let index = 0; index < leaf.keys.length; index++) {
        const value = leaf.values[index];
        keys[index] = jsonOfKey(leaf.keys[index]);
        lines += `\n${lineOf(value, write, changes)}`;
    }
    return `[${arrayJoin(keys, ",")}]${lines}`;
}

function lineOf(value, write, changes) {
    if (typeof value === "string") return value;
    let ids = value.ids;
    if (ids === null) {
        ids = bareList();
        const { string } = value;
        for (let at = 0; at < string.length;) {
            let end = min(at + pieceUnits, string.length);
            // Not between the two units of a character.
            if (end < string.length && (charCode(string, end) & 0xfc00) === 0xdc00) end--;
            ids[ids.length] = write(slice(string, at, end));
            at = end;
        }
        append(changes, { __proto__: null, value, ids });
    }
    return `@${stringifyJSON(ids)}`;
}

function indexPage(leaf) {
    const keys = bareList();
    for (let index = 0; index < leaf.keys.length; index++) {
        const primary = leaf.values[index];
        keys[2 * index] = jsonOfKey(slice(leaf.keys[index], 0, leaf.keys[index].length - primary.length));
        keys[2 * index + 1] = jsonOfKey(primary);
    }
    return `[${arrayJoin(keys, ",")}]`;
}

// The pages that the present root has and the new one has not, and those of commits that did not come to their end.
function removedPages(database, root) {
    const kept = new $Set(), removed = [];
    const each = (from, visit) => {
        for (let index = 0; index < from.stores.length; index++) {
            const store = from.stores[index];
            for (let at = 0; at < store.pages.length; at++) visit(store.pages[at]);
            for (let number = 0; number < store.indexes.length; number++) {
                const { pages } = store.indexes[number];
                for (let at = 0; at < pages.length; at++) visit(pages[at]);
            }
        }
    };
    each(root, (number) => { setAdd(kept, number); });
    if (database.root !== null) each(database.root, (number) => { if (!setHas(kept, number)) append(removed, number); });
    for (let index = 0; index < database.orphans.length; index++) append(removed, database.orphans[index]);
    return removed;
}

// Sends pieces in as many calls as they need, and `last` in the last one. Pieces are encoded when they are sent, so
// that they do not need memory at the same time.
function sendPieces(expected, pieces, last, then, first = 0, waiting = null) {
    const sizeOf = (list) => {
        let size = 0;
        for (let index = 0; index < list.length; index++) size += viewLength(list[index]) + 1;
        return size;
    };
    const changes = [];
    let size = sizeOf(expected), at = first, next = waiting;
    while (at < pieces.length) {
        next ??= pairOf(pieces[at].key, pieces[at].content);
        if (changes.length > 0 && size + viewLength(next) >= longestCall) break;
        size += viewLength(next) + 1;
        append(changes, next);
        next = null;
        at++;
    }
    const isLast = at === pieces.length && (changes.length === 0 || size + sizeOf(last) < longestCall);
    for (let index = 0; isLast && index < last.length; index++) append(changes, last[index]);
    const bytes = [];
    append(bytes, host.encode('{"expected":['));
    appendPairs(bytes, expected);
    append(bytes, host.encode('],"changes":['));
    appendPairs(bytes, changes);
    append(bytes, host.encode("]}"));
    callDisk("PATCH", "", joinBytes(bytes), (status, answer) => {
        if (isLast || status !== 200 || answer === null) then(status, answer);
        else sendPieces(expected, pieces, last, then, at, next);
    });
}

function appendPairs(bytes, pairs) {
    for (let index = 0; index < pairs.length; index++) {
        if (index > 0) append(bytes, comma);
        append(bytes, pairs[index]);
    }
}
const comma = host.encode(",");

function errorFor(status, answer) {
    const reason = reasonFor(status, answer);
    if (status === 409) return domError("AbortError", "another run of the app has changed the database; try again");
    if (status === 507 || status === 413) return domError("QuotaExceededError", reason);
    return domError("UnknownError", reason);
}

// Removes a database at the host. `then` gets null, or the error.
function erase(database, then) {
    if (disk.isKept !== true || database.id === null) return then(null);
    if (disk.isSaving) {
        append(disk.saves, () => erase(database, then));
        return;
    }
    const finish = startSaving(then), prefix = `data/${database.id}/`;
    loadItems(prefix, (items, reason) => {
        if (items === null) return finish(domError("UnknownError", reason));
        const catalogue = catalogueWith(database, null), last = [pairOf("catalogue", catalogue)];
        mapEach(items, (content, key) => { append(last, pairOf(key, null)); });
        sendPieces([pairOf("catalogue", disk.catalogue)], [], last, (status, answer) => {
            if (status !== 200 || answer === null) {
                if (status === 409) disk.isKept = null;
                return finish(errorFor(status, answer));
            }
            disk.catalogue = catalogue;
            disk.room = answer.limit - answer.used;
            finish(null);
        });
    });
}
