// Parts of the platform that are compiled when an app first uses one of their names, so that the start of other
// apps does not take longer. Each is a function whose parameter, `shared`, has what this scope saved before
// the app ran.
const shared = {
    __proto__: null, AbortController, Event, EventTarget, ProgressEvent, TextDecoder, abortSignal, addConstants,
    addHandlers, append, apply, arrayJoin, arraySort, arraySplice, asyncIterator, asyncIteratorPrototype, baseOrigin,
    bigIntValue, booleanValue, bringPart, bufferBrand, bufferSize, bytesOf, bytesOfBase64, bytesWithin,
    callApp, charCode, charsetOf, codePoint, copyInto, creation, dataViewBuffer, dataViewOffset, dataViewSize,
    dateBrand, dateValue, decodeMarked, decodeText, decodeWith, decoderOf, dispatchTo, dropRequest, elementSizes,
    encodeBase64, errorTypes, execute, finishClass, floor, freeze, fromCharCode, fromCodePoint,
    getOwnPropertyDescriptor, getPrototypeOf, globalObject, has, hasListener, hasThrown, headersFromLines, hexByte,
    hide, host, indexOf, isAborted, isArray, isDetached, isElsewhere, isError, isException, isFiniteNumber, isInteger,
    isObject, isPrevented, isSignal, isView, iterator, joinBytes, lastIndexOf, lower, mapBrand, mapDelete, mapEach,
    mapGet, mapHas, mapSet, mapSize, matches, max, member, min, normalize, note, numberText, numberValue, onNextTurn,
    ownKeys, padStart, pairsOf, parseForm, parseJSON, parseURL, promiseResolve, quote, randomBytes, readHeader,
    reasonOf, regExpFlags, regExpSource, replaceAll, runSoon, safely, setAdd, setBrand, setEach, setHas, setParents,
    setProperty, setPrototypeOf, slice, split, spread, startRequest, startTimer, startsWith, stopTimer, stringValue,
    stringifyJSON, text, toInteger, toStringTag, transferBuffer, trunc, typedArrayBuffer, typedArrayName,
    typedArrayOffset, typedArraySize, upper, viewClasses, viewLength, wellFormed, whenAborted, withoutMark, writeURL,
    $Array, $ArrayBuffer, $BigInt, $DOMException, $Date, $Error, $Map, $Object, $Promise, $RangeError, $RegExp, $Set,
    $TypeError, $URL, $Uint8Array,
    now: () => trunc(performanceClock.timeOrigin + host.now()),
    elapsed: () => host.now(),
    cloneValue: member(globalObject, "structuredClone"),
    baseOf: () => baseRecord,
    // The origin of an address, or of the app.
    originOf: (address) => new $URL(address === undefined ? writeURL(baseRecord) : text(address)).origin,
    signalOf: (controller) => signalOfController(controller),
    streams: () => bringPart("streams"),
    broughtPart: (name) => broughtPart(name),
};

const partNumbers = {
    __proto__: null, streams: 0, blob: 1, idna: 2, crypto: 3, messaging: 4, performance: 5, eventSource: 6,
    webSocket: 7, indexedDB: 8,
};
const broughtParts = { __proto__: null };

// The exports of a part; its globals are defined where the app has not defined them.
function bringPart(name) {
    const brought = broughtParts[name];
    if (brought !== undefined) return brought;
    const part = broughtParts[name] = apply(ask(host.part, partNumbers[name], arrayJoin(ownKeys(shared), ", ")), undefined, [shared]);
    const names = ownKeys(part.globals);
    for (let index = 0; index < names.length; index++) {
        if (isWaitingFor[names[index]] === false) continue;
        isWaitingFor[names[index]] = false;
        define(names[index], part.globals[names[index]]);
    }
    return part;
}

// `null` for a part that is not loaded: no object can be of its types.
const broughtPart = (name) => broughtParts[name] ?? null;

wait([
    "ReadableStream", "ReadableStreamDefaultReader", "ReadableStreamBYOBReader", "ReadableStreamDefaultController",
    "ReadableByteStreamController", "ReadableStreamBYOBRequest", "WritableStream", "WritableStreamDefaultWriter",
    "WritableStreamDefaultController", "TransformStream", "TransformStreamDefaultController",
    "CountQueuingStrategy", "ByteLengthQueuingStrategy", "TextEncoderStream", "TextDecoderStream",
], () => { bringPart("streams"); });
wait(["Blob", "File", "FileReader", "FormData"], () => { bringPart("blob"); });
hide(URL, "createObjectURL", function createObjectURL(blob) {
    bringPart("blob");
    return apply($URL.createObjectURL, $URL, [blob]);
});
hide(URL, "revokeObjectURL", function revokeObjectURL(address) {
    bringPart("blob");
    apply($URL.revokeObjectURL, $URL, [address]);
});
wait(["CryptoKey", "SubtleCrypto"], () => { bringPart("crypto"); });
wait(["MessageEvent", "MessagePort", "MessageChannel", "BroadcastChannel", "postMessage"], () => {
    bringPart("messaging");
});
wait([
    "PerformanceEntry", "PerformanceMark", "PerformanceMeasure", "PerformanceObserver",
    "PerformanceObserverEntryList",
], () => { bringPart("performance"); });
wait(["EventSource"], () => { bringPart("eventSource"); });
wait(["WebSocket", "CloseEvent"], () => { bringPart("webSocket"); });
wait([
    "indexedDB", "IDBFactory", "IDBDatabase", "IDBTransaction", "IDBObjectStore", "IDBIndex", "IDBCursor",
    "IDBCursorWithValue", "IDBKeyRange", "IDBRequest", "IDBOpenDBRequest", "IDBVersionChangeEvent", "DOMStringList",
], () => { bringPart("indexedDB"); });
for (const name of [
    "mark", "measure", "clearMarks", "clearMeasures", "getEntries", "getEntriesByType", "getEntriesByName",
]) {
    hide(performanceClock, name, {
        [name](...list) { return apply(bringPart("performance")[name], this, list); },
    }[name]);
}

class Performance extends EventTarget {
    constructor(key) {
        if (key !== creation) throw new $TypeError("Illegal constructor");
        super();
    }
}
finishClass(Performance, "Performance");
define("Performance", Performance);
setPrototypeOf(performanceClock, Performance.prototype);
