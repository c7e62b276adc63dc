// localStorage and sessionStorage. An area has `get`, `set`, `remove` and `keys`; here it is memory.
const storageQuota = 5 << 20;

function memoryArea(firstWrite) {
    let entries = new $Map(), size = 0;
    const cost = (key, value) => (value === undefined ? 0 : key.length + value.length);
    return {
        __proto__: null,
        get: (key) => mapGet(entries, key) ?? null,
        set(key, value) {
            firstWrite();
            const next = size - cost(key, mapGet(entries, key)) + cost(key, value);
            if (next > storageQuota) throw new $DOMException("the storage is full", "QuotaExceededError");
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
    clear() {
        const area = areaOf(this), keys = area.keys();
        for (let index = 0; index < keys.length; index++) area.remove(keys[index]);
    }
}
const areasOf = new $WeakMap();
const areaOf = (storage) => {
    const area = weakGet(areasOf, storage);
    if (area === undefined) throw new $TypeError("this is no Storage");
    return area;
};
const makeStorage = Storage.of;
delete Storage.of;

{
    let isTold = false;
    const lasting = memoryArea(() => {
        if (isTold) return;
        isTold = true;
        host.console(3, "localStorage is kept for this run only.");
    });
    define("Storage", Storage);
    define("localStorage", makeStorage(lasting));
    define("sessionStorage", makeStorage(memoryArea(() => {})));
}
