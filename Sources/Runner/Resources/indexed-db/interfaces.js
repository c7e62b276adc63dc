// The interfaces of IndexedDB, after https://w3c.github.io/IndexedDB/#api. Each object has a record, on which the other
// files work.
const illegal = () => new $TypeError("Illegal constructor");
// What the next request or cursor is made of. It is no argument: an app could put a constructor of its own between a
// class and its base, and receive it.
let making = null;
function make(type, record) {
    making = { __proto__: null, type, record };
    try {
        return new type();
    } finally {
        making = null;
    }
}
function taken(type, derived) {
    if (making === null || (making.type !== type && making.type !== derived)) throw illegal();
    const { record } = making;
    making = null;
    return record;
}
function needArguments(given, count) {
    if (given < count) throw new $TypeError(`${count} argument${count === 1 ? " is" : "s are"} needed`);
}

// An integer as Web IDL converts it with [EnforceRange].
function integerFrom(value, most) {
    const number = trunc(+value);
    if (!isFiniteNumber(number) || number < 0 || number > most) throw new $TypeError("the number is out of range");
    return number + 0;
}
const countFrom = (value) => (value === undefined ? Infinity : integerFrom(value, 0xffffffff) || Infinity);
function oneOf(value, known, otherwise) {
    if (value === undefined) return otherwise;
    const wanted = text(value);
    for (let index = 0; index < known.length; index++) if (known[index] === wanted) return wanted;
    throw new $TypeError(`${quote(wanted)} is not one of ${arrayJoin(known, ", ")}`);
}

class DOMStringList {
    #names;
    constructor(key, names) {
        if (key !== creation) throw illegal();
        this.#names = arraySort(names);
        for (let index = 0; index < names.length; index++) {
            setProperty(this, index, { __proto__: null, value: names[index], enumerable: true, configurable: true });
        }
    }
    get length() { return this.#names.length; }
    contains(name) {
        needArguments(arguments.length, 1);
        return includes(this.#names, text(name));
    }
    item(index) {
        needArguments(arguments.length, 1);
        return this.#names[+index >>> 0] ?? null;
    }
}
hide(DOMStringList.prototype, iterator, arrayPrototype[iterator]);
finishClass(DOMStringList, "DOMStringList");

class IDBVersionChangeEvent extends Event {
    #from; #to;
    constructor(type, options) {
        needArguments(arguments.length, 1);
        super(type, options);
        const from = options?.oldVersion, to = options?.newVersion;
        this.#from = from === undefined ? 0 : trunc(+from) || 0;
        this.#to = to === undefined || to === null ? null : trunc(+to) || 0;
    }
    get oldVersion() { return this.#from; }
    get newVersion() { return this.#to; }
}
finishClass(IDBVersionChangeEvent, "IDBVersionChangeEvent");

class IDBRequest extends EventTarget {
    #request;
    constructor() {
        const request = taken(IDBRequest, IDBOpenDBRequest);
        super();
        this.#request = request;
        request.handle = this;
    }
    get result() {
        this.#needDone();
        return this.#request.result;
    }
    get error() {
        this.#needDone();
        return this.#request.error;
    }
    get source() { return this.#request.source; }
    get transaction() { return this.#request.tx?.handle ?? null; }
    get readyState() { return this.#request.isDone ? "done" : "pending"; }
    // An event of a request goes on to its transaction, except that of a request to open a database.
    static parentOf(value) { return #request in value && value.#request.run !== null ? value.#request.tx.handle : null; }
    #needDone() {
        if (!this.#request.isDone) throw domError("InvalidStateError", "the request has not finished");
    }
}
const { parentOf: parentOfRequest } = IDBRequest;
delete IDBRequest.parentOf;
addHandlers(IDBRequest.prototype, ["success", "error"]);
finishClass(IDBRequest, "IDBRequest");

class IDBOpenDBRequest extends IDBRequest {}
addHandlers(IDBOpenDBRequest.prototype, ["blocked", "upgradeneeded"]);
finishClass(IDBOpenDBRequest, "IDBOpenDBRequest");

// Adds a request to a transaction, which must be active.
function enqueueRequest(tx, request) {
    tx.queue[tx.queue.length] = request;
    settle(tx);
}

function makeRequest(source, tx, run) {
    const request = newRequest(source, tx, run), handle = make(IDBRequest, request);
    enqueueRequest(tx, request);
    return handle;
}

function needActive(tx) {
    if (tx.state !== "active") throw domError("TransactionInactiveError", "the transaction is not active");
}
function needWritable(tx) {
    if (tx.mode === "readonly") throw domError("ReadOnlyError", "the transaction may only read");
}

// Functions of the app run while a value is cloned; they cannot use the transaction.
function cloneFor(tx, value) {
    tx.state = "inactive";
    try {
        return cloneValue(value);
    } finally {
        if (tx.state === "inactive") tx.state = "active";
    }
}

class IDBFactory {
    constructor(key) { if (key !== creation) throw illegal(); }
    open(name, version = undefined) {
        checkFactory(this);
        needArguments(arguments.length, 1);
        const title = text(name), number = version === undefined ? undefined : integerFrom(version, 2 ** 53 - 1);
        if (number === 0) throw new $TypeError("the version must not be 0");
        const request = newRequest(null, null, null), handle = make(IDBOpenDBRequest, request);
        open(request, title, number);
        return handle;
    }
    deleteDatabase(name) {
        checkFactory(this);
        needArguments(arguments.length, 1);
        const title = text(name), request = newRequest(null, null, null);
        const handle = make(IDBOpenDBRequest, request);
        deleteDatabase(request, title);
        return handle;
    }
    databases() {
        return new $Promise((resolve) => {
            checkFactory(this);
            whenCatalogued(() => {
                const list = [];
                mapEach(databases, ({ name, shown }) => { if (shown > 0) append(list, { name, version: shown }); });
                resolve(list);
            });
        });
    }
    cmp(first, second) {
        checkFactory(this);
        needArguments(arguments.length, 2);
        const one = neededKey(first), other = neededKey(second);
        return one < other ? -1 : one > other ? 1 : 0;
    }
}
finishClass(IDBFactory, "IDBFactory");
const indexedDB = new IDBFactory(creation);
function checkFactory(value) {
    if (value !== indexedDB) throw new $TypeError("this is not the IDBFactory");
}

class IDBDatabase extends EventTarget {
    #connection;
    constructor(key, connection) {
        if (key !== creation) throw illegal();
        super();
        this.#connection = connection;
    }
    get name() { return this.#connection.database.name; }
    get version() { return this.#connection.version; }
    get objectStoreNames() {
        return new DOMStringList(creation, copyOfPath(this.#connection.names));
    }
    transaction(names, mode = "readonly", options = {}) {
        needArguments(arguments.length, 1);
        const connection = this.#connection, list = keyPathFrom(names);
        const kind = oneOf(mode, ["readonly", "readwrite", "versionchange"], "readonly");
        const durability = oneOf(asOptions(options).durability, ["default", "strict", "relaxed"], "default");
        if (connection.upgrade !== null) throw domError("InvalidStateError", "an upgrade is under way");
        if (connection.isClosing) throw domError("InvalidStateError", "the connection is closing");
        const scope = [], wanted = isArray(list) ? list : [list];
        for (let index = 0; index < wanted.length; index++) {
            const store = mapGet(connection.database.stores, wanted[index]);
            if (store === undefined) throw domError("NotFoundError", `there is no store ${quote(wanted[index])}`);
            if (!includes(scope, store)) append(scope, store);
        }
        if (scope.length === 0) throw domError("InvalidAccessError", "a transaction needs a store");
        if (kind === "versionchange") throw new $TypeError("only an upgrade has the mode versionchange");
        const tx = newTransaction(connection, scope, kind, durability);
        activate(tx);
        later(() => startTransactions(connection.database));
        return tx.handle;
    }
    close() { close(this.#connection); }
    createObjectStore(name, options = {}) {
        needArguments(arguments.length, 1);
        const connection = this.#connection, title = text(name), given = asOptions(options);
        const auto = !!given.autoIncrement;
        const path = given.keyPath === undefined || given.keyPath === null ? null : keyPathFrom(given.keyPath);
        const tx = upgradeOf(connection);
        if (path !== null && !isKeyPath(path)) throw domError("SyntaxError", "the key path is not valid");
        const { stores } = connection.database;
        if (mapHas(stores, title)) throw domError("ConstraintError", `there is already a store ${quote(title)}`);
        if (auto && path !== null && (path === "" || isArray(path))) {
            throw domError("InvalidAccessError", "a generator needs a key path with one name");
        }
        const store = newStore(title, path, auto);
        mapSet(stores, title, store);
        append(tx.scope, store);
        append(connection.names, title);
        return storeIn(tx, store);
    }
    deleteObjectStore(name) {
        needArguments(arguments.length, 1);
        const connection = this.#connection, title = text(name);
        upgradeOf(connection);
        const { stores } = connection.database, store = mapGet(stores, title);
        if (store === undefined) throw domError("NotFoundError", `there is no store ${quote(title)}`);
        store.isDeleted = true;
        mapEach(store.indexes, (one) => { one.isDeleted = true; });
        store.indexes = new $Map();
        mapDelete(stores, title);
        connection.names = without(connection.names, title);
    }
}
addHandlers(IDBDatabase.prototype, ["abort", "close", "error", "versionchange"]);
finishClass(IDBDatabase, "IDBDatabase");

function asOptions(options) {
    if (options === undefined || options === null) return { __proto__: null };
    if (!isObject(options)) throw new $TypeError("the options are not an object");
    return options;
}

function upgradeOf({ upgrade }) {
    if (upgrade === null) throw domError("InvalidStateError", "no upgrade is under way");
    needActive(upgrade);
    return upgrade;
}

class IDBTransaction extends EventTarget {
    #tx;
    constructor(key, tx) {
        if (key !== creation) throw illegal();
        super();
        this.#tx = tx;
    }
    get objectStoreNames() {
        const tx = this.#tx, names = [];
        if (tx.mode === "versionchange") {
            return new DOMStringList(creation, copyOfPath(tx.connection.names));
        }
        for (let index = 0; index < tx.scope.length; index++) append(names, tx.scope[index].name);
        return new DOMStringList(creation, names);
    }
    get mode() { return this.#tx.mode; }
    get durability() { return this.#tx.durability; }
    get db() { return this.#tx.connection.handle; }
    get error() { return this.#tx.error; }
    objectStore(name) {
        needArguments(arguments.length, 1);
        const tx = this.#tx, title = text(name);
        if (tx.state === "finished") throw domError("InvalidStateError", "the transaction has finished");
        const store = mapGet(tx.database.stores, title);
        if (store === undefined || !includes(tx.scope, store)) {
            throw domError("NotFoundError", `the transaction has no store ${quote(title)}`);
        }
        return storeIn(tx, store);
    }
    commit() {
        const tx = this.#tx;
        if (tx.state !== "active") throw domError("InvalidStateError", "the transaction is not active");
        tx.state = "committing";
        settle(tx);
    }
    static parentOf(value) { return #tx in value ? value.#tx.connection.handle : null; }
    abort() {
        const tx = this.#tx;
        if (tx.state === "finished" || tx.state === "committing") {
            throw domError("InvalidStateError", "the transaction has finished");
        }
        abort(tx, null);
    }
}
const { parentOf: parentOfTransaction } = IDBTransaction;
delete IDBTransaction.parentOf;
setParents((target) => parentOfRequest(target) ?? parentOfTransaction(target));
addHandlers(IDBTransaction.prototype, ["abort", "complete", "error"]);
finishClass(IDBTransaction, "IDBTransaction");

function storeIn(tx, store) {
    let handle = mapGet(tx.handles, store);
    if (handle === undefined) {
        const source = { __proto__: null, tx, store };
        append(tx.sources, source);
        mapSet(tx.handles, store, handle = new IDBObjectStore(creation, source));
    }
    return handle;
}

// What stores and indexes have in common: a tree, and what a record is to the reader.
// A source is a store or, with `index`, an index of it.
function needSource({ store, index }) {
    if (store.isDeleted || index?.isDeleted) throw domError("InvalidStateError", "the store or index was deleted");
}
const nameOf = ({ store, index }) => (index ?? store).name;
const treeOf = ({ store, index }) => (index === undefined ? store.tree : index.tree);
const primaryOf = (source, key, value) => (source.index === undefined ? key : value);
const keyPart = (source, key, value) => (source.index === undefined ? key : slice(key, 0, key.length - value.length));
const stringOf = (source, primary) => textOf(valueIn(source.store.tree, primary));

function firstIn(source, range) {
    let found = null;
    eachIn(treeOf(source), range, (key, value) => {
        found = { __proto__: null, key, value };
        return false;
    });
    return found;
}

const readings = {
    __proto__: null,
    get(source, range) {
        const found = firstIn(source, range);
        return found === null ? undefined : readValue(stringOf(source, primaryOf(source, found.key, found.value)));
    },
    getKey(source, range) {
        const found = firstIn(source, range);
        return found === null ? undefined : valueOfKey(primaryOf(source, found.key, found.value));
    },
    getAll(source, range, count) {
        return listIn(source, range, count, (primary) => readValue(stringOf(source, primary)));
    },
    getAllKeys(source, range, count) { return listIn(source, range, count, valueOfKey); },
    count(source, range) {
        let number = 0;
        eachIn(treeOf(source), range, () => { number++; });
        return number;
    },
};

function listIn(source, range, count, make) {
    const list = [];
    eachIn(treeOf(source), range, (key, value) => {
        append(list, make(primaryOf(source, key, value)));
        return list.length < count;
    });
    return list;
}

function query(handle, source, name, given, isNeeded, count = undefined) {
    needSource(source);
    needActive(source.tx);
    const range = queryRange(given, isNeeded), most = countFrom(count);
    return makeRequest(handle, source.tx, () => readings[name](source, range, most));
}

function openCursor(handle, source, given, direction, isKeyOnly) {
    const way = oneOf(direction, ["next", "nextunique", "prev", "prevunique"], "next");
    needSource(source);
    needActive(source.tx);
    const cursor = {
        __proto__: null, source, range: queryRange(given, false), direction: way, isKeyOnly, handle: null, owner: handle,
        request: null, entry: null, key: null, primary: null, isReady: false, count: 1, wanted: null, wantedPrimary: null,
        shown: { __proto__: null },
    };
    const request = newRequest(handle, source.tx, () => iterate(cursor)), object = make(IDBRequest, request);
    cursor.request = request;
    cursor.handle = make(isKeyOnly ? IDBCursor : IDBCursorWithValue, cursor);
    enqueueRequest(source.tx, request);
    return object;
}

// Moves a cursor as often as it is to be moved, to `wanted` if that is given; null at the end.
function iterate(cursor) {
    const { source, direction } = cursor, tree = treeOf(source);
    for (let count = 0; count < cursor.count; count++) {
        const found = startsWith(direction, "next") ? entryAfter(cursor, tree) : entryBefore(cursor, tree);
        if (found === null) {
            cursor.key = cursor.primary = null;
            cursor.shown = { __proto__: null };
            return null;
        }
        cursor.entry = found.key;
        cursor.primary = primaryOf(source, found.key, found.value);
        cursor.key = keyPart(source, found.key, found.value);
    }
    cursor.count = 1;
    cursor.wanted = cursor.wantedPrimary = null;
    cursor.isReady = true;
    cursor.shown = { __proto__: null, value: cursor.isKeyOnly ? undefined : readValue(stringOf(source, cursor.primary)) };
    return cursor.handle;
}

const wantedEntry = ({ source, wanted, wantedPrimary }) =>
    (wantedPrimary === null ? wanted : source.index === undefined ? wantedPrimary : wanted + wantedPrimary);

function entryAfter(cursor, tree) {
    const { range, entry, key, direction } = cursor;
    let from = range.lower === null ? "" : range.lowerOpen ? range.lower + afterAll : range.lower, isOpen = false;
    const wanted = wantedEntry(cursor);
    if (wanted !== null && wanted > from) from = wanted;
    if (entry !== null) {
        const after = direction === "nextunique" ? key + afterAll : entry;
        if (after >= from) {
            from = after;
            isOpen = true;
        }
    }
    const found = entryFrom(tree, from, isOpen);
    return found === null || (range.upper !== null && isBeyond(found.key, range)) ? null : found;
}

function entryBefore(cursor, tree) {
    const { source, range, entry, key, direction } = cursor, isUnique = direction === "prevunique";
    let to = afterAll, isOpen = true;
    if (range.upper !== null) to = range.upperOpen ? range.upper : range.upper + afterAll;
    const wanted = wantedEntry(cursor);
    if (wanted !== null) {
        const most = cursor.wantedPrimary === null ? wanted + afterAll : wanted;
        if (most < to) {
            to = most;
            isOpen = false;
        }
    }
    if (entry !== null) {
        const before = isUnique ? key : entry;
        if (before <= to) {
            to = before;
            isOpen = true;
        }
    }
    let found = entryUpTo(tree, to, isOpen);
    if (found === null) return null;
    // Of equal keys, the first one.
    if (isUnique) found = entryFrom(tree, keyPart(source, found.key, found.value), false);
    const { lower, lowerOpen } = range;
    return lower !== null && (lowerOpen ? found.key < lower + afterAll : found.key < lower) ? null : found;
}

class IDBObjectStore {
    #source;
    constructor(key, source) {
        if (key !== creation) throw illegal();
        this.#source = source;
    }
    get name() { return this.#source.lastName ?? nameOf(this.#source); }
    set name(value) {
        const title = text(value), { store, tx } = this.#source, { database, connection } = tx;
        needSource(this.#source);
        if (tx.mode !== "versionchange") throw domError("InvalidStateError", "only an upgrade can rename a store");
        needActive(tx);
        if (store.name === title) return;
        if (mapHas(database.stores, title)) throw domError("ConstraintError", `there is already a store ${quote(title)}`);
        mapDelete(database.stores, store.name);
        store.name = title;
        mapSet(database.stores, title, store);
        connection.names = namesOf(database);
    }
    get keyPath() {
        const source = this.#source;
        return source.path ??= copyOfPath(source.store.keyPath);
    }
    get indexNames() {
        const names = [];
        mapEach(this.#source.store.indexes, (one, name) => append(names, name));
        return new DOMStringList(creation, names);
    }
    get transaction() { return this.#source.tx.handle; }
    get autoIncrement() { return this.#source.store.autoIncrement; }
    put(value, key = undefined) { return this.#write(arguments.length, value, key, false); }
    add(value, key = undefined) { return this.#write(arguments.length, value, key, true); }
    #write(count, value, key, isNew) {
        needArguments(count, 1);
        return put(this, this.#source, value, key, isNew);
    }
    delete(given) {
        needArguments(arguments.length, 1);
        const { tx, store } = this.#source;
        needSource(this.#source);
        needActive(tx);
        needWritable(tx);
        const range = queryRange(given, true);
        return makeRequest(this, tx, () => removeRange(tx, store, range));
    }
    clear() {
        const { tx, store } = this.#source;
        needSource(this.#source);
        needActive(tx);
        needWritable(tx);
        return makeRequest(this, tx, () => clearStore(tx, store));
    }
    get(given) {
        needArguments(arguments.length, 1);
        return query(this, this.#source, "get", given, true);
    }
    getKey(given) {
        needArguments(arguments.length, 1);
        return query(this, this.#source, "getKey", given, true);
    }
    getAll(given = undefined, count = undefined) { return query(this, this.#source, "getAll", given, false, count); }
    getAllKeys(given = undefined, count = undefined) {
        return query(this, this.#source, "getAllKeys", given, false, count);
    }
    count(given = undefined) { return query(this, this.#source, "count", given, false); }
    openCursor(given = undefined, direction = "next") { return openCursor(this, this.#source, given, direction, false); }
    openKeyCursor(given = undefined, direction = "next") { return openCursor(this, this.#source, given, direction, true); }
    index(name) {
        needArguments(arguments.length, 1);
        const { store, tx } = this.#source, title = text(name);
        if (store.isDeleted || tx.state === "finished") {
            throw domError("InvalidStateError", "the transaction has finished, or the store was deleted");
        }
        const one = mapGet(store.indexes, title);
        if (one === undefined) throw domError("NotFoundError", `there is no index ${quote(title)}`);
        return this.#indexOf(one);
    }
    createIndex(name, path, options = {}) {
        needArguments(arguments.length, 2);
        const { store, tx } = this.#source, title = text(name), keyPath = keyPathFrom(path), given = asOptions(options);
        const multiEntry = !!given.multiEntry, unique = !!given.unique;
        this.#needUpgrade();
        if (mapHas(store.indexes, title)) throw domError("ConstraintError", `there is already an index ${quote(title)}`);
        if (!isKeyPath(keyPath)) throw domError("SyntaxError", "the key path is not valid");
        if (multiEntry && isArray(keyPath)) {
            throw domError("InvalidAccessError", "an index of several key paths cannot have several entries of a value");
        }
        const one = newIndex(title, keyPath, unique, multiEntry);
        mapSet(store.indexes, title, one);
        enqueueRequest(tx, newRequest(null, tx, () => populate(tx, store, one)));
        return this.#indexOf(one);
    }
    deleteIndex(name) {
        needArguments(arguments.length, 1);
        const { store, tx } = this.#source, title = text(name);
        this.#needUpgrade();
        const one = mapGet(store.indexes, title);
        if (one === undefined) throw domError("NotFoundError", `there is no index ${quote(title)}`);
        one.isDeleted = true;
        mapDelete(store.indexes, title);
        enqueueRequest(tx, newRequest(null, tx, () => emptyIndex(tx, store, one)));
    }
    #needUpgrade() {
        const { tx } = this.#source;
        if (tx.mode !== "versionchange") throw domError("InvalidStateError", "only an upgrade can change indexes");
        needSource(this.#source);
        needActive(tx);
    }
    #indexOf(index) {
        const { tx, store } = this.#source;
        let handle = mapGet(tx.handles, index);
        if (handle === undefined) {
            const source = { __proto__: null, tx, store, index, owner: this };
            append(tx.sources, source);
            mapSet(tx.handles, index, handle = new IDBIndex(creation, source));
        }
        return handle;
    }
}
finishClass(IDBObjectStore, "IDBObjectStore");

// `handle` is the source of the request: a store, or the cursor that updates a record.
function put(handle, source, value, key, isNew) {
    const { tx, store } = source, { keyPath, autoIncrement } = store;
    needSource(source);
    needActive(tx);
    needWritable(tx);
    if (keyPath !== null && key !== undefined) throw domError("DataError", "the store takes the key from the value");
    if (keyPath === null && !autoIncrement && key === undefined) throw domError("DataError", "the store needs a key");
    let primary = key === undefined ? null : neededKey(key);
    const clone = cloneFor(tx, value);
    needActive(tx);
    if (keyPath !== null) {
        const found = keyAt(clone, keyPath);
        if (found === null) throw domError("DataError", "the key in the value is not valid");
        if (found !== nothing) primary = found;
        else if (!autoIncrement) throw domError("DataError", "the value has no key");
        else if (!canPutKey(clone, keyPath)) throw domError("DataError", "the value has no place for a key");
    }
    return makeRequest(handle, tx, () => storeRecord(tx, store, clone, primary, isNew));
}

class IDBIndex {
    #source;
    constructor(key, source) {
        if (key !== creation) throw illegal();
        this.#source = source;
    }
    get name() { return this.#source.lastName ?? nameOf(this.#source); }
    set name(value) {
        const title = text(value), { store, index, tx } = this.#source;
        needSource(this.#source);
        if (tx.mode !== "versionchange") throw domError("InvalidStateError", "only an upgrade can rename an index");
        needActive(tx);
        if (index.name === title) return;
        if (mapHas(store.indexes, title)) throw domError("ConstraintError", `there is already an index ${quote(title)}`);
        mapDelete(store.indexes, index.name);
        index.name = title;
        mapSet(store.indexes, title, index);
    }
    get objectStore() { return this.#source.owner; }
    get keyPath() {
        const source = this.#source;
        return source.path ??= copyOfPath(source.index.keyPath);
    }
    get multiEntry() { return this.#source.index.multiEntry; }
    get unique() { return this.#source.index.unique; }
    get(given) {
        needArguments(arguments.length, 1);
        return query(this, this.#source, "get", given, true);
    }
    getKey(given) {
        needArguments(arguments.length, 1);
        return query(this, this.#source, "getKey", given, true);
    }
    getAll(given = undefined, count = undefined) { return query(this, this.#source, "getAll", given, false, count); }
    getAllKeys(given = undefined, count = undefined) {
        return query(this, this.#source, "getAllKeys", given, false, count);
    }
    count(given = undefined) { return query(this, this.#source, "count", given, false); }
    openCursor(given = undefined, direction = "next") { return openCursor(this, this.#source, given, direction, false); }
    openKeyCursor(given = undefined, direction = "next") { return openCursor(this, this.#source, given, direction, true); }
}
finishClass(IDBIndex, "IDBIndex");

class IDBCursor {
    #cursor;
    constructor() { this.#cursor = taken(IDBCursor, IDBCursorWithValue); }
    get source() { return this.#cursor.owner; }
    get direction() { return this.#cursor.direction; }
    get key() {
        const { shown, key } = this.#cursor;
        return "key" in shown ? shown.key : shown.key = key === null ? undefined : valueOfKey(key);
    }
    get primaryKey() {
        const { shown, primary } = this.#cursor;
        return "primary" in shown ? shown.primary : shown.primary = primary === null ? undefined : valueOfKey(primary);
    }
    get request() { return this.#cursor.request.handle; }
    advance(count) {
        needArguments(arguments.length, 1);
        const cursor = this.#cursor, number = integerFrom(count, 0xffffffff);
        if (number === 0) throw new $TypeError("the count must not be 0");
        needMovable(cursor);
        cursor.count = number;
        move(cursor);
    }
    continue(key = undefined) {
        const cursor = this.#cursor;
        needMovable(cursor);
        if (key !== undefined) {
            const wanted = neededKey(key), isForward = startsWith(cursor.direction, "next");
            if (isForward ? wanted <= cursor.key : wanted >= cursor.key) {
                throw domError("DataError", "the key is not further on in the direction of the cursor");
            }
            cursor.wanted = wanted;
        }
        move(cursor);
    }
    continuePrimaryKey(key, primaryKey) {
        needArguments(arguments.length, 2);
        const cursor = this.#cursor, { source, direction } = cursor;
        needActive(source.tx);
        needSource(source);
        if (source.index === undefined || (direction !== "next" && direction !== "prev")) {
            throw domError("InvalidAccessError", "only a cursor of an index can go to a primary key, in the directions next and prev");
        }
        needReady(cursor);
        const wanted = neededKey(key), primary = neededKey(primaryKey), there = wanted + primary;
        if (direction === "next" ? there <= cursor.entry : there >= cursor.entry) {
            throw domError("DataError", "the keys are not further on in the direction of the cursor");
        }
        cursor.wanted = wanted;
        cursor.wantedPrimary = primary;
        move(cursor);
    }
    update(value) {
        needArguments(arguments.length, 1);
        const cursor = this.#cursor, { source, primary } = cursor, { tx, store } = source;
        this.#needRecord();
        const clone = cloneFor(tx, value);
        if (store.keyPath !== null) {
            const found = keyAt(clone, store.keyPath);
            if (found === nothing || found !== primary) throw domError("DataError", "the key in the value is another one");
        }
        return makeRequest(this, tx, () => storeRecord(tx, store, clone, primary, false));
    }
    delete() {
        const { source, primary } = this.#cursor, { tx, store } = source;
        this.#needRecord();
        return makeRequest(this, tx, () => removeRecord(tx, store, primary));
    }
    #needRecord() {
        const cursor = this.#cursor, { tx } = cursor.source;
        needActive(tx);
        needWritable(tx);
        needSource(cursor.source);
        needReady(cursor);
        if (cursor.isKeyOnly) throw domError("InvalidStateError", "the cursor has keys only");
    }
    static valueOf(cursor) { return cursor.#cursor.shown.value; }
}
const { valueOf: valueOfCursor } = IDBCursor;
delete IDBCursor.valueOf;
finishClass(IDBCursor, "IDBCursor");

function needReady({ isReady }) {
    if (!isReady) throw domError("InvalidStateError", "the cursor is being moved, or is at its end");
}

function needMovable(cursor) {
    needActive(cursor.source.tx);
    needSource(cursor.source);
    needReady(cursor);
}

function move(cursor) {
    cursor.isReady = false;
    cursor.request.isDone = false;
    enqueueRequest(cursor.source.tx, cursor.request);
}

class IDBCursorWithValue extends IDBCursor {
    get value() { return valueOfCursor(this); }
}
finishClass(IDBCursorWithValue, "IDBCursorWithValue");

return {
    __proto__: null,
    globals: {
        __proto__: null, indexedDB, IDBFactory, IDBDatabase, IDBTransaction, IDBObjectStore, IDBIndex, IDBCursor,
        IDBCursorWithValue, IDBKeyRange, IDBRequest, IDBOpenDBRequest, IDBVersionChangeEvent, DOMStringList,
    },
};
