// Keys, key paths and key ranges, after https://w3c.github.io/IndexedDB/#keys.
// A key is kept as a string of code units whose order is that of the keys. It begins with the unit of its type. No
// such string is the beginning of another, so the strings of two keys can be joined, and `key + afterAll` comes
// after everything that begins with the key.
const numberMark = "\u0010", dateMark = "\u0020", stringMark = "\u0030", binaryMark = "\u0040", arrayMark = "\u0050";
const keyEnd = "\u0000", afterAll = "\uffff";
// Code units of a key.
const longestKey = 65536;
const deepestKey = 200;

const domError = (name, message) => new $DOMException(message, name);
// A list to which elements are assigned: an app cannot give its prototype setters.
function bareList() {
    const list = [];
    setPrototypeOf(list, null);
    return list;
}

const numberBuffer = new $ArrayBuffer(8);
const numberView = new viewClasses.Float64Array(numberBuffer), numberUnits = new viewClasses.Uint16Array(numberBuffer);

// The four units of a number, whose order is that of numbers; -0 is 0.
function unitsOfNumber(number) {
    numberView[0] = number + 0;
    const isNegative = numberUnits[3] >= 0x8000, mask = isNegative ? 0xffff : 0;
    return fromCharCode(numberUnits[3] ^ (isNegative ? mask : 0x8000), numberUnits[2] ^ mask, numberUnits[1] ^ mask,
        numberUnits[0] ^ mask);
}

function numberAt(key, at) {
    const isNegative = charCode(key, at) < 0x8000, mask = isNegative ? 0xffff : 0;
    numberUnits[3] = isNegative ? charCode(key, at) ^ 0xffff : charCode(key, at) & 0x7fff;
    for (let index = 1; index < 4; index++) numberUnits[3 - index] = charCode(key, at + index) ^ mask;
    return numberView[0];
}

// The units 0 and 1 become pairs, since 0 ends a string.
function unitsOfString(string) {
    if (!matches(/[\0\x01]/, string)) return string;
    return replaceAll(replaceAll(string, /\x01/g, "\u0001\u0002"), /\0/g, "\u0001\u0001");
}

function unitsOfBytes(bytes) {
    let units = "";
    for (let index = 0; index < viewLength(bytes); index++) units += fromCharCode(bytes[index] + 1);
    return units;
}

// The key of a value of the app; null if it is not valid. Throws what a getter of the app throws.
function keyOf(value, outer = null, depth = 0) {
    const key = rawKeyOf(value, outer, depth);
    return key !== null && key.length > longestKey ? null : key;
}

function rawKeyOf(value, outer, depth) {
    if (typeof value === "number") return value !== value ? null : numberMark + unitsOfNumber(value);
    if (typeof value === "string") {
        return value.length > longestKey ? null : stringMark + unitsOfString(value) + keyEnd;
    }
    if (typeof value !== "object" || value === null) return null;
    if (isArray(value)) return rawKeyOfArray(value, outer, depth);
    if (has(dateBrand, value)) {
        const time = dateValue(value);
        return time !== time ? null : dateMark + unitsOfNumber(time);
    }
    if (isView(value) || has(bufferBrand, value)) {
        if (isDetached(bufferOf(value))) return null;
        const bytes = bytesWithin(value);
        return viewLength(bytes) > longestKey ? null : binaryMark + unitsOfBytes(bytes) + keyEnd;
    }
    return null;
}

function rawKeyOfArray(value, outer, depth) {
    if (depth >= deepestKey) return null;
    for (let at = outer; at !== null; at = at.outer) if (at.value === value) return null;
    const within = { __proto__: null, value, outer }, size = value.length;
    let units = arrayMark;
    for (let index = 0; index < size; index++) {
        if (getOwnPropertyDescriptor(value, index) === undefined) return null;
        const key = rawKeyOf(value[index], within, depth + 1);
        if (key === null || units.length + key.length > longestKey) return null;
        units += key;
    }
    return units + keyEnd;
}

const bufferOf = (value) => (!isView(value) ? value
    : typedArrayName(value) === undefined ? dataViewBuffer(value) : typedArrayBuffer(value));

function neededKey(value) {
    const key = keyOf(value);
    if (key === null) throw domError("DataError", "the key is not valid");
    return key;
}

// Reads the key at `place.at` and moves the place behind it. `make` has a function for each type.
function readKey(key, place, make) {
    const mark = key[place.at++];
    if (mark === numberMark || mark === dateMark) {
        const number = numberAt(key, place.at);
        place.at += 4;
        return mark === numberMark ? make.number(number) : make.date(number);
    }
    if (mark === arrayMark) {
        const list = [];
        while (key[place.at] !== keyEnd) append(list, readKey(key, place, make));
        place.at++;
        return make.array(list);
    }
    const end = indexOf(key, keyEnd, place.at), units = slice(key, place.at, end);
    place.at = end + 1;
    if (mark === stringMark) {
        return make.string(!matches(/\x01/, units) ? units
            : replaceAll(replaceAll(units, /\x01\x01/g, "\u0000"), /\x01\x02/g, "\u0001"));
    }
    const bytes = new $Uint8Array(units.length);
    for (let index = 0; index < units.length; index++) bytes[index] = charCode(units, index) - 1;
    return make.binary(bytes);
}

const valueMaker = {
    __proto__: null, number: (number) => number, date: (time) => new $Date(time), string: (string) => string,
    binary: (bytes) => typedArrayBuffer(bytes), array: (list) => list,
};
const valueOfKey = (key) => readKey(key, { __proto__: null, at: 0 }, valueMaker);

// A key as JSON, in which pages keep it.
const jsonMaker = {
    __proto__: null,
    number: (number) => (isFiniteNumber(number) ? `${number}` : `{"n":"${number}"}`),
    date: (time) => `{"d":${time}}`, string: (string) => stringifyJSON(string),
    binary: (bytes) => `{"b":"${base64Of(bytes)}"}`, array: (list) => `[${arrayJoin(list, ",")}]`,
};
const jsonOfKey = (key) => readKey(key, { __proto__: null, at: 0 }, jsonMaker);

function keyOfJSON(value) {
    if (typeof value === "number") return numberMark + unitsOfNumber(value);
    if (typeof value === "string") return stringMark + unitsOfString(value) + keyEnd;
    if (isArray(value)) {
        let units = arrayMark;
        for (let index = 0; index < value.length; index++) units += keyOfJSON(value[index]);
        return units + keyEnd;
    }
    const number = member(value, "n"), time = member(value, "d");
    if (number !== undefined) return numberMark + unitsOfNumber(+number);
    if (time !== undefined) return dateMark + unitsOfNumber(time);
    return binaryMark + unitsOfBytes(bytesOfBase64(member(value, "b"))) + keyEnd;
}

// MARK: Key paths

const isIdentifier = (name) => matches(/^[$_\p{ID_Start}][$_\u200c\u200d\p{ID_Continue}]*$/u, name);

function isKeyPath(path) {
    if (isArray(path)) {
        for (let index = 0; index < path.length; index++) if (!isKeyPath(path[index])) return false;
        return path.length > 0;
    }
    if (path === "") return true;
    const names = split(path, ".");
    for (let index = 0; index < names.length; index++) if (!isIdentifier(names[index])) return false;
    return true;
}

// A key path as Web IDL converts it: a string, or a sequence of strings.
function keyPathFrom(given) {
    if (!isObject(given) || given[iterator] === undefined || given[iterator] === null) return text(given);
    const list = [];
    for (const item of given) append(list, text(item));
    return list;
}

function copyOfPath(path) {
    if (!isArray(path)) return path;
    const copy = [];
    for (let index = 0; index < path.length; index++) append(copy, path[index]);
    return copy;
}

// What a path leads to in a clone; `nothing` if it leads nowhere. A clone has no getters.
const nothing = { __proto__: null };
function valueAt(value, path) {
    if (path === "") return value;
    const names = split(path, ".");
    let at = value;
    for (let index = 0; index < names.length; index++) {
        const name = names[index];
        if (typeof at === "string" && name === "length") at = at.length;
        else if (!isObject(at)) return nothing;
        else {
            const found = ownValue(at, name);
            if (found === undefined) return nothing;
            at = found;
        }
    }
    return at;
}

function ownValue(object, name) {
    const blobs = broughtPart("blob");
    if (blobs !== null && blobs.isBlob(object)) {
        return matches(/^(?:size|type|name|lastModified)$/, name) ? object[name] : undefined;
    }
    return member(object, name);
}

// The key that a path leads to: null if it is not valid, `nothing` if there is none.
function keyAt(value, path) {
    if (!isArray(path)) {
        const found = valueAt(value, path);
        return found === nothing ? nothing : keyOf(found);
    }
    let units = arrayMark;
    for (let index = 0; index < path.length; index++) {
        const key = keyAt(value, path[index]);
        if (key === nothing || key === null) return key;
        units += key;
    }
    return units.length > longestKey ? null : units + keyEnd;
}

// The keys of a value in an index; an index has no entry for an invalid key.
function indexKeys(value, { keyPath, multiEntry }) {
    const keys = bareList(), found = multiEntry && !isArray(keyPath) ? valueAt(value, keyPath) : nothing;
    if (!isArray(found)) {
        const key = keyAt(value, keyPath);
        if (key !== nothing && key !== null) keys[0] = key;
        return keys;
    }
    const seen = new $Set();
    for (let index = 0; index < found.length; index++) {
        const key = keyOf(found[index]);
        if (key === null || setHas(seen, key)) continue;
        setAdd(seen, key);
        keys[keys.length] = key;
    }
    return keys;
}

// Whether a generated key can be put where the path leads.
function canPutKey(value, path) {
    const names = split(path, ".");
    let at = value;
    for (let index = 0; index < names.length - 1; index++) {
        if (!isObject(at)) return false;
        const next = member(at, names[index]);
        if (next === undefined) return true;
        at = next;
    }
    return isObject(at);
}

function putKey(value, path, key) {
    const names = split(path, ".");
    let at = value;
    const put = (name, item) => setProperty(at, name, {
        __proto__: null, value: item, writable: true, enumerable: true, configurable: true,
    });
    for (let index = 0; index < names.length - 1; index++) {
        if (member(at, names[index]) === undefined) put(names[index], {});
        at = member(at, names[index]);
    }
    put(names[names.length - 1], key);
}

// MARK: Ranges

// A range has keys, or null where it is open-ended.
const newRange = (lower, upper, lowerOpen, upperOpen) => ({ __proto__: null, lower, upper, lowerOpen, upperOpen });
const isInRange = (range, key) => (range.lower === null || (range.lowerOpen ? key > range.lower : key >= range.lower))
    && (range.upper === null || (range.upperOpen ? key < range.upper : key <= range.upper));

class IDBKeyRange {
    #range; #lower; #upper;
    constructor(key, range) {
        if (key !== creation) throw new $TypeError("Illegal constructor");
        this.#range = range;
    }
    get lower() {
        const { lower } = this.#range;
        return this.#lower ??= lower === null ? undefined : valueOfKey(lower);
    }
    get upper() {
        const { upper } = this.#range;
        return this.#upper ??= upper === null ? undefined : valueOfKey(upper);
    }
    get lowerOpen() { return this.#range.lowerOpen; }
    get upperOpen() { return this.#range.upperOpen; }
    includes(key) {
        if (arguments.length === 0) throw new $TypeError("a key is needed");
        const range = this.#range;
        return isInRange(range, neededKey(key));
    }
    static only(value) {
        if (arguments.length === 0) throw new $TypeError("a key is needed");
        const key = neededKey(value);
        return new IDBKeyRange(creation, newRange(key, key, false, false));
    }
    static lowerBound(lower, open = false) {
        if (arguments.length === 0) throw new $TypeError("a key is needed");
        return new IDBKeyRange(creation, newRange(neededKey(lower), null, !!open, true));
    }
    static upperBound(upper, open = false) {
        if (arguments.length === 0) throw new $TypeError("a key is needed");
        return new IDBKeyRange(creation, newRange(null, neededKey(upper), true, !!open));
    }
    static bound(lower, upper, lowerOpen = false, upperOpen = false) {
        if (arguments.length < 2) throw new $TypeError("two keys are needed");
        const from = neededKey(lower), to = neededKey(upper);
        if (from > to || (from === to && (lowerOpen || upperOpen))) {
            throw domError("DataError", "the range contains no key");
        }
        return new IDBKeyRange(creation, newRange(from, to, !!lowerOpen, !!upperOpen));
    }
    static rangeOf(value) { return isObject(value) && #range in value ? value.#range : null; }
}
const { rangeOf } = IDBKeyRange;
delete IDBKeyRange.rangeOf;
finishClass(IDBKeyRange, "IDBKeyRange");

// The range of a query: a range, a key, or everything if that is allowed.
function queryRange(query, isNeeded) {
    const range = rangeOf(query);
    if (range !== null) return range;
    if (query === undefined || query === null) {
        if (isNeeded) throw domError("DataError", "a key or a range is needed");
        return newRange(null, null, false, false);
    }
    const key = neededKey(query);
    return newRange(key, key, false, false);
}
