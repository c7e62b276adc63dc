// The built-ins that the other scripts use, saved before the app can change them. Methods become
// functions of their object. Code that calls the host uses only these, `#private` fields and plain
// operators: no iteration of arrays, no promise chains, no method lookup on a prototype.
const { apply, get: reflectGet, ownKeys, getPrototypeOf, getOwnPropertyDescriptor } = Reflect;
const setProperty = Reflect.defineProperty;
const globalObject = globalThis;
const uncurry = (method) => (self, ...rest) => apply(method, self, rest);
const getter = (prototype, name) => uncurry(getOwnPropertyDescriptor(prototype, name).get);

const $Array = Array, $ArrayBuffer = ArrayBuffer, $BigInt = BigInt, $DataView = DataView, $Date = Date;
const $Error = Error, $Map = Map, $Number = Number, $Object = Object, $Promise = Promise;
const $RangeError = RangeError, $RegExp = RegExp, $Set = Set, $String = String, $Symbol = Symbol;
const $SyntaxError = SyntaxError, $TypeError = TypeError, $Uint8Array = Uint8Array, $Uint16Array = Uint16Array;
const isArray = Array.isArray, isView = ArrayBuffer.isView, freeze = Object.freeze;
const { asyncIterator, iterator, toStringTag } = Symbol;
const { parse: parseJSON, stringify: stringifyJSON } = JSON;
const { floor, max, min, trunc } = Math;
const { isFinite: isFiniteNumber, isInteger, parseFloat: parseFloatNumber } = Number;
const { fromCharCode, fromCodePoint } = String;
const toInteger = parseInt, decodeComponent = decodeURIComponent;

const arrayJoin = uncurry(Array.prototype.join);
const arraySort = uncurry(Array.prototype.sort);
const arraySplice = uncurry(Array.prototype.splice);
const charCode = uncurry(String.prototype.charCodeAt);
const codePoint = uncurry(String.prototype.codePointAt);
const endsWith = uncurry(String.prototype.endsWith);
const indexOf = uncurry(String.prototype.indexOf);
const lastIndexOf = uncurry(String.prototype.lastIndexOf);
const lower = uncurry(String.prototype.toLowerCase);
const normalize = uncurry(String.prototype.normalize);
const padStart = uncurry(String.prototype.padStart);
const repeat = uncurry(String.prototype.repeat);
const slice = uncurry(String.prototype.slice);
const startsWith = uncurry(String.prototype.startsWith);
const upper = uncurry(String.prototype.toUpperCase);
const execute = uncurry(RegExp.prototype.exec);
const numberText = uncurry(Number.prototype.toString);
const fixed = uncurry(Number.prototype.toFixed);
const symbolText = uncurry(Symbol.prototype.toString);
const functionText = uncurry(Function.prototype.toString);
const dateText = uncurry(Date.prototype.toISOString);
const dateValue = uncurry(Date.prototype.getTime);
const mapGet = uncurry(Map.prototype.get);
const mapSet = uncurry(Map.prototype.set);
const mapHas = uncurry(Map.prototype.has);
const mapDelete = uncurry(Map.prototype.delete);
const mapEach = uncurry(Map.prototype.forEach);
const $Proxy = Proxy, $WeakMap = WeakMap, $WeakRef = WeakRef;
const dereference = uncurry(WeakRef.prototype.deref);
const weakGet = uncurry(WeakMap.prototype.get);
const weakSet = uncurry(WeakMap.prototype.set);
const mapSize = getter(Map.prototype, "size");
const setAdd = uncurry(Set.prototype.add);
const setHas = uncurry(Set.prototype.has);
const setDelete = uncurry(Set.prototype.delete);
const setEach = uncurry(Set.prototype.forEach);
const setSize = getter(Set.prototype, "size");
const $TypedArray = getPrototypeOf(Uint8Array);
const copyInto = uncurry($TypedArray.prototype.set);
const viewLength = getter($TypedArray.prototype, "length");
const typedArrayName = getter($TypedArray.prototype, toStringTag);
const typedArrayBuffer = getter($TypedArray.prototype, "buffer");
const typedArrayOffset = getter($TypedArray.prototype, "byteOffset");
const typedArraySize = getter($TypedArray.prototype, "byteLength");
const dataViewBuffer = getter(DataView.prototype, "buffer");
const dataViewOffset = getter(DataView.prototype, "byteOffset");
const dataViewSize = getter(DataView.prototype, "byteLength");
const bufferSize = getter(ArrayBuffer.prototype, "byteLength");
const booleanValue = uncurry(Boolean.prototype.valueOf);
const numberValue = uncurry(Number.prototype.valueOf);
const stringValue = uncurry(String.prototype.valueOf);
const bigIntValue = uncurry(BigInt.prototype.valueOf);
const mapBrand = mapSize, setBrand = setSize, dateBrand = dateValue, bufferBrand = bufferSize;
const regExpSource = getter(RegExp.prototype, "source");
const regExpFlags = getter(RegExp.prototype, "flags");

const promiseResolve = Promise.resolve;
const { setPrototypeOf } = Reflect;
const stringWellFormed = String.prototype.toWellFormed;
const asyncIteratorPrototype = getPrototypeOf(getPrototypeOf(async function* () {}).prototype);
const transferBuffer = uncurry(ArrayBuffer.prototype.transfer);
const isDetached = getter(ArrayBuffer.prototype, "detached");
const viewClasses = { __proto__: null, DataView }, elementSizes = { __proto__: null };
for (const name of [
    "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array",
    "Float16Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array",
]) {
    if (globalObject[name] === undefined) continue;
    viewClasses[name] = globalObject[name];
    elementSizes[name] = globalObject[name].BYTES_PER_ELEMENT;
}

// An index assignment could call a setter that the app defined on `Array.prototype`.
function append(list, value) {
    setProperty(list, list.length, {
        __proto__: null, value, writable: true, enumerable: true, configurable: true,
    });
}

function has(brand, value) {
    try {
        brand(value);
        return true;
    } catch {
        return false;
    }
}

const isObject = (value) =>
    (typeof value === "object" && value !== null) || typeof value === "function";
const matches = (pattern, text) => execute(pattern, text) !== null;
const member = (object, name) => getOwnPropertyDescriptor(object, name)?.value;
const text = (value) => `${value}`;
const wellFormed = (string) => apply(stringWellFormed, string, []);

function split(string, separator) {
    const parts = [];
    let start = 0;
    for (;;) {
        const end = indexOf(string, separator, start);
        if (end < 0) break;
        append(parts, slice(string, start, end));
        start = end + separator.length;
    }
    append(parts, slice(string, start));
    return parts;
}

// The bytes of a view or a buffer, not copied, or `null` for other values.
function bytesWithin(value) {
    let buffer, offset, size;
    if (typeof value !== "object" || value === null) return null;
    if (typedArrayName(value) !== undefined) {
        buffer = typedArrayBuffer(value);
        offset = typedArrayOffset(value);
        size = typedArraySize(value);
    } else if (isView(value)) {
        buffer = dataViewBuffer(value);
        offset = dataViewOffset(value);
        size = dataViewSize(value);
    } else if (has(bufferBrand, value)) {
        buffer = value;
        offset = 0;
        size = bufferSize(value);
    } else {
        return null;
    }
    return isDetached(buffer) ? new $Uint8Array(0) : new $Uint8Array(buffer, offset, size);
}

// A copy of the bytes of a view or a buffer, or `null` for other values.
function bytesOf(value) {
    const bytes = bytesWithin(value);
    if (bytes === null) return null;
    const copy = new $Uint8Array(viewLength(bytes));
    copyInto(copy, bytes);
    return copy;
}

function joinBytes(pieces) {
    let size = 0;
    for (let index = 0; index < pieces.length; index++) size += viewLength(pieces[index]);
    const whole = new $Uint8Array(size);
    let offset = 0;
    for (let index = 0; index < pieces.length; index++) {
        copyInto(whole, pieces[index], offset);
        offset += viewLength(pieces[index]);
    }
    return whole;
}

// A primitive throws a string, which becomes a TypeError.
function ask(primitive, ...rest) {
    try {
        return apply(primitive, undefined, rest);
    } catch (error) {
        throw typeof error === "string" ? new $TypeError(error) : error;
    }
}

function replaceAll(string, pattern, by) {
    let result = "", at = 0;
    pattern.lastIndex = 0;
    for (;;) {
        const found = execute(pattern, string);
        if (found === null) return result + slice(string, at);
        result += slice(string, at, found.index) + by;
        at = found.index + found[0].length;
    }
}

function addConstants(type, names) {
    for (let value = 0; value < names.length; value++) {
        const constant = { __proto__: null, value, enumerable: true };
        setProperty(type, names[value], constant);
        setProperty(type.prototype, names[value], constant);
    }
}

function define(name, value) {
    setProperty(globalObject, name, {
        __proto__: null, value, writable: true, enumerable: false, configurable: true,
    });
}

function hide(prototype, name, value) {
    setProperty(prototype, name, {
        __proto__: null, value, writable: true, enumerable: false, configurable: true,
    });
}

// The prototypes of the platform's classes, whose objects are not cloned.
const platformPrototypes = new Set();

// Methods are enumerable, as everywhere in the platform.
function finishClass(type, name) {
    setAdd(platformPrototypes, type.prototype);
    const keys = ownKeys(type.prototype);
    for (let index = 0; index < keys.length; index++) {
        if (keys[index] === "constructor" || typeof keys[index] === "symbol") continue;
        setProperty(type.prototype, keys[index], { __proto__: null, enumerable: true });
    }
    setProperty(type.prototype, toStringTag, { __proto__: null, value: name, configurable: true });
    return type;
}
