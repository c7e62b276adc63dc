// Databases, transactions and requests, after https://w3c.github.io/IndexedDB/#database-construct. Each event is
// dispatched in a turn of its own, and a transaction stays active until the microtasks of that turn have run.
const databases = new $Map();
// Code units of all loaded entries, including keys: the limit of what an app can store.
const mostUnits = 10 << 20;

function databaseNamed(name) {
    const known = mapGet(databases, name);
    if (known !== undefined) return known;
    const database = {
        __proto__: null, name, id: null, version: 0, stores: new $Map(), root: null, stamp: null, isLoaded: true,
        isLoading: false, isStale: false, orphans: [], connections: [], live: [], queue: [], isBusy: false,
        // The committed version, and what to do when a connection is closed.
        shown: 0, closed: null,
    };
    mapSet(databases, name, database);
    return database;
}

function becomeEmpty(database) {
    mapEach(database.stores, (store) => {
        forgetStore(store);
        store.isDeleted = true;
    });
    database.id = database.root = database.stamp = null;
    database.version = database.shown = 0;
    database.stores = new $Map();
    database.isLoaded = true;
    database.orphans = [];
}

const newStore = (name, keyPath, autoIncrement) => ({
    __proto__: null, name, keyPath, autoIncrement, next: 1, savedNext: 1, tree: newTree(), indexes: new $Map(),
    // The indexes that have entries: their creation and deletion wait for earlier requests.
    filled: [], isDeleted: false,
});
const newIndex = (name, keyPath, unique, multiEntry) => ({
    __proto__: null, name, keyPath, unique, multiEntry, tree: newTree(), isDeleted: false,
});
const later = (callback) => { startTimer(callback, [], 0, false, false); };

function without(list, item) {
    const rest = [];
    for (let index = 0; index < list.length; index++) if (list[index] !== item) append(rest, list[index]);
    return rest;
}

// MARK: Transactions

// `scope` has the stores. In the state "committing" requests that were made before are still answered.
function newTransaction(connection, scope, mode, durability) {
    const { database } = connection;
    const tx = {
        __proto__: null, connection, database, scope, mode, durability, state: "inactive", isStarted: false,
        isSaving: false, isScheduled: false, wasAborted: false, queue: bareList(), first: 0, error: null, undo: new $Map(),
        numbers: new $Map(), snapshot: null, ended: null, handle: null, handles: new $Map(), sources: [],
    };
    tx.handle = new IDBTransaction(creation, tx);
    append(database.live, tx);
    return tx;
}

let active = [];
function activate(tx) {
    if (tx.state !== "inactive") return;
    tx.state = "active";
    append(active, tx);
    if (active.length > 1) return;
    onNextTurn(deactivateAll);
    later(() => {});
}

function deactivateAll() {
    const list = active;
    active = [];
    for (let index = 0; index < list.length; index++) {
        if (list[index].state === "active") list[index].state = "inactive";
        settle(list[index]);
    }
}

function startTransactions(database) {
    if (!database.isLoaded) return reload(database);
    const list = database.live;
    for (let index = 0; index < list.length; index++) {
        const tx = list[index];
        if (tx.isStarted || tx.state === "finished" || isBlocked(list, index)) continue;
        tx.isStarted = true;
        for (let at = 0; at < tx.scope.length; at++) {
            if (tx.scope[at].isDeleted) abortLater(tx, "another run of the app has deleted a store");
        }
        settle(tx);
    }
}

function abortLater(tx, reason) {
    later(() => abort(tx, domError("AbortError", reason)));
}

// Another run has changed the database: what it wrote is loaded when no transaction is under way.
function reload(database) {
    for (let index = 0; index < database.live.length; index++) if (database.live[index].isStarted) return;
    if (database.isLoading) return;
    loadAgain(database, (reason) => {
        if (reason === null) return startTransactions(database);
        const list = database.live;
        for (let index = 0; index < list.length; index++) abort(list[index], domError("UnknownError", reason));
    });
}

function loadAgain(database, then) {
    database.isLoading = true;
    whenLoaded(database, (reason) => {
        database.isLoading = false;
        then(reason);
    });
}

// Loads a database, but not while transactions work on what was loaded before.
function whenReady(database, then) {
    if (database.isLoaded) return then(null);
    if (!database.isLoading && database.live.length === 0) return loadAgain(database, then);
    startTimer(() => whenReady(database, then), [], 5, false, false);
}

// A transaction waits for those before it that write what it uses, or use what it writes.
function isBlocked(list, at) {
    const tx = list[at];
    for (let index = 0; index < at; index++) {
        const other = list[index];
        if (other.mode === "readonly" && tx.mode === "readonly") continue;
        for (let store = 0; store < tx.scope.length; store++) if (includes(other.scope, tx.scope[store])) return true;
    }
    return false;
}

// Answers the next request, or commits when there is none and no more can be made.
function settle(tx) {
    if (!tx.isStarted || tx.isScheduled || tx.isSaving || tx.state === "finished") return;
    if (tx.first < tx.queue.length) {
        tx.isScheduled = true;
        later(() => {
            tx.isScheduled = false;
            answer(tx);
            settle(tx);
        });
    } else if (tx.state !== "active") {
        commit(tx);
    }
}

function answer(tx) {
    // Requests to which nobody listens are answered together.
    for (let count = 0; count < 64 && tx.first < tx.queue.length && tx.state !== "finished"; count++) {
        const request = tx.queue[tx.first];
        tx.queue[tx.first++] = undefined;
        if (tx.first === tx.queue.length) {
            tx.queue = bareList();
            tx.first = 0;
        }
        let result, error = null;
        try {
            result = request.run();
        } catch (thrown) {
            error = isException(thrown) ? thrown : domError("UnknownError", safely(() => text(thrown.message), "it failed"));
        }
        if (request.handle === null) {
            if (error !== null) return abort(tx, error);
            continue;
        }
        request.isDone = true;
        request.result = result;
        request.error = error;
        if (error === null && !isHeard(tx, request)) continue;
        const event = error === null ? new Event("success") : new Event("error", { bubbles: true, cancelable: true });
        activate(tx);
        dispatchTo(request.handle, event);
        if (tx.state === "finished") return;
        if (hasThrown(event) && tx.state === "active") {
            abort(tx, domError("AbortError", "a listener has thrown an exception"));
        } else if (error !== null && !isPrevented(event)) {
            abort(tx, error);
        }
        return;
    }
}

const isHeard = (tx, { handle }) => hasListener(handle, "success") || hasListener(tx.handle, "success")
    || hasListener(tx.connection.handle, "success");

function commit(tx) {
    tx.isSaving = true;
    tx.state = "committing";
    const isUpgrade = tx.mode === "versionchange";
    if (!isUpgrade && mapSize(tx.undo) === 0 && mapSize(tx.numbers) === 0) return later(() => complete(tx));
    save(tx.database, tx.scope, isUpgrade, droppedPages(tx), (error) => {
        if (error !== null) return abort(tx, error);
        complete(tx);
    });
}

// The pages of long values that the transaction has removed or replaced.
function droppedPages(tx) {
    const dropped = [];
    const drop = (value) => {
        if (typeof value !== "object" || value.ids === null) return;
        for (let index = 0; index < value.ids.length; index++) append(dropped, value.ids[index]);
    };
    mapEach(tx.undo, (changes, tree) => {
        mapEach(changes, (before, key) => {
            if (before !== undefined && valueIn(tree, key) !== before) drop(before);
        });
    });
    if (tx.snapshot === null) return dropped;
    mapEach(tx.snapshot.stores, (store) => {
        if (store.isDeleted) eachIn(store.tree, everything, (key, value) => drop(value));
    });
    return dropped;
}
const everything = newRange(null, null, false, false);

function complete(tx) {
    tx.state = "finished";
    const { database, snapshot } = tx;
    if (snapshot !== null) {
        database.shown = database.version;
        for (let index = 0; index < snapshot.details.length; index++) {
            const { store } = snapshot.details[index];
            if (store.isDeleted) forgetStore(store);
        }
    }
    leave(tx, new Event("complete"));
}

// Reverts what a transaction did. Its requests get an error, each in a turn of its own, and then `abort` is fired.
function abort(tx, error) {
    if (tx.state === "finished") return;
    tx.state = "finished";
    tx.error = error;
    tx.wasAborted = true;
    const { database, connection, snapshot } = tx;
    mapEach(tx.undo, (changes, tree) => {
        mapEach(changes, (before, key) => {
            if (before === undefined) removeFrom(tree, key);
            else putIn(tree, key, before);
        });
    });
    mapEach(tx.numbers, (next, store) => { store.next = next; });
    if (snapshot !== null) {
        restore(database, snapshot);
        connection.version = snapshot.version;
        connection.names = namesOf(database);
    }
    for (let index = tx.first; index < tx.queue.length; index++) {
        const request = tx.queue[index];
        if (request.handle === null) continue;
        later(() => {
            request.isDone = true;
            request.result = undefined;
            request.error = domError("AbortError", "the transaction was aborted");
            dispatchTo(request.handle, new Event("error", { bubbles: true, cancelable: true }));
        });
    }
    tx.queue = bareList();
    tx.first = 0;
    later(() => leave(tx, new Event("abort", { bubbles: true })));
}

function leave(tx, event) {
    const { database, connection } = tx;
    database.live = without(database.live, tx);
    if (tx.snapshot !== null) connection.upgrade = null;
    // Handles keep the names that they had, whatever a later upgrade does.
    for (let index = 0; index < tx.sources.length; index++) {
        const source = tx.sources[index];
        source.lastName = nameOf(source);
    }
    later(() => {
        startTransactions(database);
        checkClosed(connection);
    });
    if (tx.ended !== null) later(() => tx.ended());
    tx.undo = new $Map();
    dispatchTo(tx.handle, event);
}

// MARK: Changes

function noteBefore(tx, tree, key) {
    let changes = mapGet(tx.undo, tree);
    if (changes === undefined) mapSet(tx.undo, tree, changes = new $Map());
    if (!mapHas(changes, key)) mapSet(changes, key, valueIn(tree, key));
}

// Refuses what an app cannot store, before anything is changed.
function needRoom(entries, size) {
    if (loaded.entries + entries > mostEntries) {
        throw domError("QuotaExceededError", `an app has at most ${mostEntries} entries in its databases`);
    }
    if (loaded.size + size > mostUnits) {
        throw domError("QuotaExceededError", "the databases are larger than what an app can store");
    }
}

function write(tx, tree, key, value) {
    noteBefore(tx, tree, key);
    putIn(tree, key, value);
}

function remove(tx, tree, key) {
    noteBefore(tx, tree, key);
    removeFrom(tree, key);
}

// Stores a record and returns its key. `clone` is the value, `key` null where the store generates one. Nothing is changed
// if it fails.
function storeRecord(tx, store, clone, key, isNew) {
    let primary = key, { next } = store;
    if (primary === null) {
        if (next > 2 ** 53) throw domError("ConstraintError", "the key generator has no more numbers");
        primary = numberMark + unitsOfNumber(next);
        if (store.keyPath !== null) putKey(clone, store.keyPath, next);
        next++;
    } else if (store.autoIncrement && primary[0] === numberMark) {
        const number = numberAt(primary, 1);
        if (number >= next) next = number >= 2 ** 53 ? 2 ** 53 + 2 : floor(number) + 1;
    }
    const before = valueIn(store.tree, primary);
    if (before !== undefined && isNew) throw domError("ConstraintError", "there is already a record with this key");
    const string = writeValue(clone), value = string.length > longValue ? longOf(string) : string;
    const entries = entriesFor(store, clone, primary);
    let size = costOf(primary, value);
    for (let index = 0; index < entries.length; index++) size += costOf(entries[index].key, primary);
    needRoom(entries.length + 1, size);
    if (next !== store.next) {
        if (!mapHas(tx.numbers, store)) mapSet(tx.numbers, store, store.next);
        store.next = next;
    }
    if (before !== undefined) removeRecord(tx, store, primary);
    for (let index = 0; index < entries.length; index++) write(tx, entries[index].tree, entries[index].key, primary);
    write(tx, store.tree, primary, value);
    return valueOfKey(primary);
}

function entriesFor(store, clone, primary) {
    const entries = bareList();
    for (let number = 0; number < store.filled.length; number++) {
        const one = store.filled[number], keys = indexKeys(clone, one);
        for (let index = 0; index < keys.length; index++) {
            const key = keys[index] + primary;
            if (one.unique && isTaken(one.tree, keys[index], key)) throw notUnique(one);
            entries[entries.length] = { __proto__: null, tree: one.tree, key };
        }
    }
    return entries;
}

// Whether an index has a key in another entry than `own`.
function isTaken(tree, key, own) {
    const found = entryFrom(tree, key, false);
    return found !== null && found.key !== own && startsWith(found.key, key);
}

const notUnique = ({ name }) => domError("ConstraintError", `the index ${quote(name)} is unique and has this key`);

function removeRecord(tx, store, primary) {
    const value = valueIn(store.tree, primary);
    if (value === undefined) return;
    if (store.filled.length > 0) {
        const clone = readValue(textOf(value));
        for (let number = 0; number < store.filled.length; number++) {
            const one = store.filled[number], keys = indexKeys(clone, one);
            for (let index = 0; index < keys.length; index++) remove(tx, one.tree, keys[index] + primary);
        }
    }
    remove(tx, store.tree, primary);
}

function removeRange(tx, store, range) {
    const keys = bareList();
    eachIn(store.tree, range, (key) => { keys[keys.length] = key; });
    for (let index = 0; index < keys.length; index++) removeRecord(tx, store, keys[index]);
}

function clearStore(tx, store) {
    const clear = (tree) => {
        eachIn(tree, everything, (key) => noteBefore(tx, tree, key));
        forgetTree(tree);
    };
    clear(store.tree);
    for (let index = 0; index < store.filled.length; index++) clear(store.filled[index].tree);
}

function populate(tx, store, one) {
    if (store.isDeleted) return;
    eachIn(store.tree, everything, (primary, value) => {
        const keys = indexKeys(readValue(textOf(value)), one);
        for (let index = 0; index < keys.length; index++) {
            const key = keys[index] + primary;
            if (one.unique && isTaken(one.tree, keys[index], key)) throw notUnique(one);
            needRoom(1, costOf(key, primary));
            write(tx, one.tree, key, primary);
        }
    });
    append(store.filled, one);
}

function emptyIndex(tx, store, one) {
    store.filled = without(store.filled, one);
    eachIn(one.tree, everything, (key) => noteBefore(tx, one.tree, key));
    forgetTree(one.tree);
}

// MARK: Upgrades

// Names, indexes and generators before an upgrade.
function snapshotOf(database) {
    const details = [];
    mapEach(database.stores, (store, name) => {
        const indexes = new $Map();
        mapEach(store.indexes, (one, key) => { mapSet(indexes, key, one); });
        append(details, { __proto__: null, store, name, next: store.next, indexes });
    });
    const stores = new $Map();
    mapEach(database.stores, (store, name) => { mapSet(stores, name, store); });
    return { __proto__: null, version: database.version, stores, details };
}

function restore(database, { version, stores, details }) {
    const kept = new $Set();
    mapEach(stores, (store) => { setAdd(kept, store); });
    mapEach(database.stores, (store) => {
        if (setHas(kept, store)) return;
        forgetStore(store);
        store.isDeleted = true;
        store.indexes = new $Map();
    });
    database.version = version;
    database.stores = stores;
    for (let index = 0; index < details.length; index++) {
        const { store, name, next, indexes } = details[index];
        mapEach(store.indexes, (one) => { one.isDeleted = true; });
        store.name = name;
        store.next = next;
        store.isDeleted = false;
        store.indexes = indexes;
        store.filled = [];
        mapEach(indexes, (one, key) => {
            append(store.filled, one);
            one.name = key;
            one.isDeleted = false;
        });
    }
}

function namesOf(database) {
    const names = [];
    mapEach(database.stores, (store, name) => append(names, name));
    return names;
}

// MARK: Connections

function newConnection(database, version) {
    const connection = {
        __proto__: null, database, version, names: namesOf(database), isClosing: false, isClosed: false, upgrade: null,
        handle: null,
    };
    connection.handle = new IDBDatabase(creation, connection);
    append(database.connections, connection);
    return connection;
}

function close(connection) {
    connection.isClosing = true;
    checkClosed(connection);
}

// A connection is closed when its transactions have ended.
function checkClosed(connection) {
    const { database } = connection;
    if (!connection.isClosing || connection.isClosed) return;
    for (let index = 0; index < database.live.length; index++) {
        if (database.live[index].connection === connection) return;
    }
    connection.isClosed = true;
    database.connections = without(database.connections, connection);
    const { closed } = database;
    if (closed !== null) later(closed);
}

const newRequest = (source, tx, run) => ({
    __proto__: null, handle: null, source, tx, run, result: undefined, error: null, isDone: false,
});

// Requests to open and to delete a database of one name are done one after the other.
function enqueue(name, work) {
    whenCatalogued(() => {
        const database = databaseNamed(name);
        append(database.queue, work);
        runQueue(database);
    });
}

function runQueue(database) {
    if (database.isBusy || database.queue.length === 0) return;
    database.isBusy = true;
    const work = arraySplice(database.queue, 0, 1)[0];
    later(() => work(database, () => {
        database.isBusy = false;
        if (database.queue.length > 0) runQueue(database);
        else if (database.version === 0 && database.connections.length === 0) mapDelete(databases, database.name);
    }));
}

function failOpening(request, error, done) {
    request.isDone = true;
    request.result = undefined;
    request.error = error;
    request.tx = null;
    dispatchTo(request.handle, new Event("error", { bubbles: true, cancelable: true }));
    done();
}

function succeedOpening(request, connection, done) {
    request.isDone = true;
    request.result = connection.handle;
    request.tx = null;
    dispatchTo(request.handle, new Event("success"));
    done();
}

function open(request, name, version) {
    enqueue(name, (database, done) => whenReady(database, (reason) => {
        if (reason !== null) return failOpening(request, domError("UnknownError", reason), done);
        const wanted = version ?? (database.version === 0 ? 1 : database.version);
        if (database.version > wanted) {
            const message = `the database has version ${database.version}, which is higher than ${wanted}`;
            return failOpening(request, domError("VersionError", message), done);
        }
        const connection = newConnection(database, wanted);
        if (database.version === wanted) return succeedOpening(request, connection, done);
        closeOthers(database, connection, wanted, request, () => upgrade(request, connection, wanted, done));
    }));
}

// Asks the other connections to close, and calls `then` in a turn of its own when they are closed.
function closeOthers(database, own, version, request, then) {
    const others = without(database.connections, own);
    const changeOf = (type) => new IDBVersionChangeEvent(type, { oldVersion: database.version, newVersion: version });
    for (let index = 0; index < others.length; index++) {
        const other = others[index];
        later(() => { if (!other.isClosing) dispatchTo(other.handle, changeOf("versionchange")); });
    }
    const areClosed = () => without(database.connections, own).length === 0;
    const check = () => {
        if (!areClosed() || database.closed === null) return;
        database.closed = null;
        then();
    };
    later(() => {
        database.closed = check;
        if (areClosed()) check();
        else dispatchTo(request.handle, changeOf("blocked"));
    });
}

function upgrade(request, connection, version, done) {
    const { database } = connection, scope = [], before = database.version;
    mapEach(database.stores, (store) => append(scope, store));
    const tx = newTransaction(connection, scope, "versionchange", "default");
    tx.snapshot = snapshotOf(database);
    tx.isStarted = true;
    tx.ended = () => {
        if (!tx.wasAborted && !connection.isClosing) return succeedOpening(request, connection, done);
        close(connection);
        failOpening(request, domError("AbortError", "the upgrade was aborted, or its connection closed"), done);
    };
    database.version = version;
    connection.upgrade = tx;
    request.isDone = true;
    request.result = connection.handle;
    request.tx = tx;
    activate(tx);
    const event = new IDBVersionChangeEvent("upgradeneeded", { oldVersion: before, newVersion: version });
    dispatchTo(request.handle, event);
    if (hasThrown(event)) abort(tx, domError("AbortError", "a listener has thrown an exception"));
}

function deleteDatabase(request, name) {
    enqueue(name, (database, done) => {
        const finish = (version) => {
            request.isDone = true;
            dispatchTo(request.handle, new IDBVersionChangeEvent("success", { oldVersion: version, newVersion: null }));
            done();
        };
        if (database.version === 0) return finish(0);
        closeOthers(database, null, null, request, () => erase(database, (error) => {
            if (error !== null) return failOpening(request, error, done);
            const { version } = database;
            becomeEmpty(database);
            finish(version);
        }));
    });
}
