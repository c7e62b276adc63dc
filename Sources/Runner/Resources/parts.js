// Parts of the platform that are compiled when an app first uses one of their names, so that the start of other
// apps does not take longer. Each is a function of `shared`: what this scope has saved before the app ran.
const shared = {
    __proto__: null, AbortController, Event, EventTarget, ProgressEvent, TextDecoder, abortSignal, addConstants, addHandlers, append,
    apply, arrayJoin, asyncIterator, asyncIteratorPrototype, baseOrigin, bufferBrand, bufferSize, bytesOf, charCode, codePoint,
    copyInto, creation, dataViewBuffer, dataViewOffset, dataViewSize, decodeText, decodeWith, dispatchTo,
    elementSizes, encodeBase64, execute, finishClass, floor, fromCharCode, fromCodePoint, has, hide, host, indexOf, isAborted, isDetached,
    isFiniteNumber, isObject, isSignal, isView, iterator, joinBytes, lastIndexOf, lower, mapDelete, mapGet, mapSet, matches, max,
    min, numberText, normalize, ownKeys, padStart, pairsOf, parseForm, promiseResolve, quote, reasonOf, replaceAll, runSoon, safely,
    setProperty, setPrototypeOf, slice, spread, startTimer, startsWith, split, text, toStringTag, transferBuffer,
    trunc, typedArrayBuffer, typedArrayName, typedArrayOffset, typedArraySize, viewClasses, viewLength, wellFormed,
    whenAborted, withoutMark, $ArrayBuffer, $DOMException, $Map, $Promise, $RangeError, $TypeError, $URL, $Uint8Array,
    now: () => trunc(performanceClock.timeOrigin + host.now()),
    signalOf: (controller) => signalOfController(controller),
    streams: () => bringPart("streams"),
};

const partNumbers = { __proto__: null, streams: 0, blob: 1, idna: 2 };
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

// A part that was not brought has made no object that could be asked about.
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
