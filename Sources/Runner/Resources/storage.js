// localStorage and sessionStorage. An area has `get`, `set`, `remove`, `keys` and `clear`.
// Not supported: `storage` events, and seeing the changes of another run of the same app: a run loads the
// values at its first access.
const storageQuota = 5 << 20;
const fullStorage = () => new $DOMException("the storage is full", "QuotaExceededError");

function memoryArea() {
    let entries = new $Map(), size = 0;
    const cost = (key, value) => (value === undefined ? 0 : key.length + value.length);
    return {
        __proto__: null,
        get: (key) => mapGet(entries, key) ?? null,
        set(key, value) {
            const next = size - cost(key, mapGet(entries, key)) + cost(key, value);
            if (next > storageQuota) throw fullStorage();
            size = next;
            mapSet(entries, key, value);
        },
        remove(key) {
            size -= cost(key, mapGet(entries, key));
            mapDelete(entries, key);
        },
        keys() {
            const keys = [];
            mapEach(entries, (value, key) => append(keys, key));
            return keys;
        },
        clear() {
            entries = new $Map();
            size = 0;
        },
    };
}

// A lone surrogate is invalid in UTF-8, so it is sent as U+FFFF and its number.
const surrogateMark = "\uffff";

function escapeLoneSurrogates(string) {
    if (!matches(/[\ud800-\udfff\uffff]/u, string)) return string;
    let result = "";
    for (let index = 0; index < string.length; index++) {
        const code = charCode(string, index), next = charCode(string, index + 1);
        if (code >= 0xd800 && code < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
            result += string[index] + string[++index];
        } else if ((code >= 0xd800 && code < 0xe000) || code === 0xffff) {
            result += surrogateMark + numberText(code, 16);
        } else {
            result += string[index];
        }
    }
    return result;
}

function unescapeLoneSurrogates(string) {
    if (indexOf(string, surrogateMark) < 0) return string;
    const parts = split(string, surrogateMark);
    let result = parts[0];
    for (let index = 1; index < parts.length; index++) {
        result += fromCharCode(toInteger(slice(parts[index], 0, 4), 16)) + slice(parts[index], 4);
    }
    return result;
}

// The app's storage at the host: loaded at first use, and written at the end of each turn that changed
// it. If the values cannot be loaded, for example without permission, they are kept in memory until the run
// ends.
function keptArea() {
    const path = "/api/v1/local-storage", longestBody = 1 << 20;
    const memory = memoryArea();
    // For each key its value and its size in bytes; `null` until loaded.
    let entries = null, isKept = false, hasWarned = false;
    // Changes that have not been sent: whether everything was cleared, and pairs as JSON.
    let isCleared = false, changes = new $Map(), isDue = false;
    // Bytes that can still be added, as far as known.
    let room = 0;

    const sizeOf = (string) => viewLength(host.encode(string));
    let loadFailure = "";
    const warn = (what, reason) => {
        if (hasWarned) return;
        hasWarned = true;
        host.console(3, `localStorage ${what}: ${reason}`);
    };
    const sentence = (error) => text(isError(error) ? error.message : error);

    // The response's JSON; throws a string with the reason if there is none.
    function call(method, body) {
        const headers = method === "PATCH" ? "content-type\napplication/json\n" : "";
        const [status, , bytes] = spread(host.requestAndWait(method, path, headers, body, 0));
        const answer = safely(() => parseJSON(decodeText(bytes, true)), null);
        if (status === 200 && answer !== null) return answer;
        const detail = answer === null ? undefined : member(answer, "detail");
        throw typeof detail === "string" ? detail : `the host answered ${status}.`;
    }

    function load() {
        if (entries !== null) return;
        entries = new $Map();
        try {
            const { items, used, limit } = call("GET", new $Uint8Array(0));
            for (let index = 0; index < items.length; index++) {
                const key = items[index][0], value = items[index][1];
                mapSet(entries, unescapeLoneSurrogates(key),
                    { value: unescapeLoneSurrogates(value), size: sizeOf(key) + sizeOf(value) });
            }
            room = limit - used;
            isKept = true;
        } catch (error) {
            loadFailure = sentence(error);
        }
    }

    function send(pieces) {
        const { used, limit } = call("PATCH", host.encode(`[${arrayJoin(pieces, ",")}]`));
        room = limit - used;
    }

    // Sends the changes to the host; rejected ones are sent again with the next change.
    function flush() {
        isDue = false;
        try {
            if (isCleared) {
                const { used, limit } = call("DELETE", new $Uint8Array(0));
                room = limit - used;
                isCleared = false;
            }
            while (mapSize(changes) > 0) {
                const pieces = [], keys = [];
                let size = 2;
                mapEach(changes, (piece, key) => {
                    if (size + piece.size + 1 > longestBody) return;
                    size += piece.size + 1;
                    append(pieces, piece.json);
                    append(keys, key);
                });
                send(pieces);
                for (let index = 0; index < keys.length; index++) mapDelete(changes, keys[index]);
            }
        } catch (error) {
            warn("could not be kept", sentence(error));
        }
    }

    function note(key, json, size) {
        mapSet(changes, key, { json, size });
        schedule();
    }

    function schedule() {
        if (isDue) return;
        isDue = true;
        runSoon(flush);
    }

    return {
        __proto__: null,
        flush() { if (isDue) flush(); },
        get(key) {
            load();
            return isKept ? mapGet(entries, key)?.value ?? null : memory.get(key);
        },
        set(key, value) {
            load();
            if (!isKept) {
                warn("is kept for this run only", loadFailure);
                return memory.set(key, value);
            }
            const name = escapeLoneSurrogates(key), content = escapeLoneSurrogates(value);
            const before = mapGet(entries, key);
            if (before !== undefined && before.value === value) return;
            const size = sizeOf(name) + sizeOf(content);
            const json = `[${stringifyJSON(name)},${stringifyJSON(content)}]`, length = sizeOf(json);
            if (sizeOf(name) > 1024 || length + 3 > longestBody) throw fullStorage();
            const growth = size - (before === undefined ? 0 : before.size);
            // Another run of the app, or another area, may have freed space.
            if (growth > room) flush();
            if (growth > room || mapSize(entries) >= 10000 && before === undefined) throw fullStorage();
            room -= growth;
            mapSet(entries, key, { value, size });
            note(key, json, length);
        },
        remove(key) {
            load();
            if (!isKept) return memory.remove(key);
            const before = mapGet(entries, key);
            if (before === undefined) return;
            room += before.size;
            mapDelete(entries, key);
            const json = `[${stringifyJSON(escapeLoneSurrogates(key))},null]`;
            note(key, json, sizeOf(json));
        },
        keys() {
            load();
            if (!isKept) return memory.keys();
            const keys = [];
            mapEach(entries, (value, key) => append(keys, key));
            return keys;
        },
        clear() {
            load();
            if (!isKept) return memory.clear();
            mapEach(entries, ({ size }) => { room += size; });
            entries = new $Map();
            changes = new $Map();
            isCleared = true;
            schedule();
        },
    };
}

class Storage {
    #area;
    constructor(key, area) {
        if (key !== creation) throw new $TypeError("Illegal constructor");
        this.#area = area;
    }
    static of(area) {
        const storage = new Storage(creation, area);
        const isOwn = (key) => typeof key === "string" && !(key in Storage.prototype);
        const proxy = new $Proxy(storage, {
            __proto__: null,
            get: (target, key) => (isOwn(key) ? area.get(key) ?? undefined : reflectGet(storage, key, storage)),
            set(target, key, value) {
                if (isOwn(key)) area.set(key, text(value));
                return true;
            },
            has: (target, key) => (isOwn(key) ? area.get(key) !== null : key in storage),
            deleteProperty(target, key) {
                if (isOwn(key)) area.remove(key);
                return true;
            },
            ownKeys: () => area.keys(),
            getOwnPropertyDescriptor(target, key) {
                const value = isOwn(key) ? area.get(key) : null;
                return value === null ? undefined
                    : { value, writable: true, enumerable: true, configurable: true };
            },
        });
        weakSet(areasOf, proxy, area);
        weakSet(areasOf, storage, area);
        return proxy;
    }
    get length() { return areaOf(this).keys().length; }
    key(index) { return areaOf(this).keys()[trunc(+index) || 0] ?? null; }
    getItem(key) { return areaOf(this).get(text(key)); }
    setItem(key, value) { areaOf(this).set(text(key), text(value)); }
    removeItem(key) { areaOf(this).remove(text(key)); }
    clear() { areaOf(this).clear(); }
}
const areasOf = new $WeakMap();
const areaOf = (storage) => {
    const area = weakGet(areasOf, storage);
    if (area === undefined) throw new $TypeError("this is not a Storage");
    return area;
};
const makeStorage = Storage.of;
delete Storage.of;

const lastingArea = keptArea();
define("Storage", Storage);
define("localStorage", makeStorage(lastingArea));
define("sessionStorage", makeStorage(memoryArea()));
