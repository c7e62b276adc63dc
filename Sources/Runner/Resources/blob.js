// Blob, File, FileReader and object URLs, after https://w3c.github.io/FileAPI. The bytes of a blob never change:
// slices share them.
// Iterates as the language does, since the app may give any iterable.
function listOf(value, what, convert) {
    if (!isObject(value)) throw new $TypeError(`${what} is not a sequence`);
    const method = value[iterator], list = [];
    if (typeof method !== "function") throw new $TypeError(`${what} is not a sequence`);
    const walk = apply(method, value, []), { next } = walk;
    for (;;) {
        const step = apply(next, walk, []);
        if (!isObject(step)) throw new $TypeError("the result of an iterator is not an object");
        if (step.done) return list;
        append(list, convert(step.value));
    }
}

// A type is kept only if it is printable ASCII.
function typeOf(value) {
    const type = text(value);
    return matches(/[^\x20-\x7e]/, type) ? "" : lower(type);
}

const nativeLines = (string) => replaceAll(string, /\r\n?|\n/g, "\n");

function piecesOf(parts, isNative) {
    const pieces = [];
    for (let index = 0; index < parts.length; index++) {
        const part = parts[index];
        if (isBlob(part)) {
            append(pieces, bytesOfBlob(part));
            continue;
        }
        const bytes = bytesOf(part);
        if (bytes !== null) append(pieces, bytes);
        else append(pieces, host.encode(isNative ? nativeLines(text(part)) : text(part)));
    }
    return joinBytes(pieces);
}

// Parts that are no buffers become strings before the options are read.
const partsOfBlob = (parts) => (parts === undefined ? [] : listOf(parts, "the argument", (part) =>
    (isBlob(part) || isView(part) || has(bufferBrand, part) ? part : text(part))));

function optionsOfBlob(options) {
    const given = options === undefined || options === null ? { __proto__: null } : options;
    if (!isObject(given)) throw new $TypeError("the options are not an object");
    const endings = given.endings === undefined ? "transparent" : text(given.endings);
    if (endings !== "transparent" && endings !== "native") {
        throw new $TypeError(`${quote(endings)} is not a kind of line endings`);
    }
    return { given, isNative: endings === "native" };
}

// Not `creation`: an app could put a constructor of its own between File and Blob, and receive the key.
const blobKey = { __proto__: null };

class Blob {
    #bytes; #type;
    constructor(parts = undefined, options = {}) {
        if (parts === blobKey) {
            this.#bytes = options.bytes;
            this.#type = options.type;
            return;
        }
        if (parts === null) throw new $TypeError("the argument is not a sequence");
        const list = partsOfBlob(parts), { given, isNative } = optionsOfBlob(options);
        const type = given.type === undefined ? "" : typeOf(given.type);
        this.#bytes = piecesOf(list, isNative);
        this.#type = type;
    }
    get size() { return viewLength(this.#bytes); }
    get type() { return this.#type; }
    slice(start = 0, end = this.size, type = "") {
        const size = viewLength(this.#bytes), place = (value) => {
            const number = +value, whole = number !== number ? 0 : trunc(max(-(2 ** 53), min(2 ** 53, number)));
            return whole < 0 ? max(0, size + whole) : min(whole, size);
        };
        const from = place(start), to = max(from, place(end));
        const bytes = new $Uint8Array(typedArrayBuffer(this.#bytes), typedArrayOffset(this.#bytes) + from, to - from);
        return new Blob(blobKey, { bytes, type: typeOf(type) });
    }
    stream() { return streams().publicReadable(streamOfBytes(this.#bytes)); }
    text() { return this.#read((bytes) => withoutMark(bytes)); }
    arrayBuffer() { return this.#read((bytes) => typedArrayBuffer(bytesOf(bytes))); }
    bytes() { return this.#read(bytesOf); }
    #read(finish) {
        return new $Promise((resolve, reject) => {
            const bytes = this.#bytes;
            startTimer(() => {
                try {
                    resolve(finish(bytes));
                } catch (error) {
                    reject(error);
                }
            }, [], 0, false, false);
        });
    }
    static internals = {
        __proto__: null,
        isBlob: (value) => isObject(value) && #bytes in value,
        bytesOfBlob: (blob) => blob.#bytes,
        typeOfBlob: (blob) => blob.#type,
    };
}
const { isBlob, bytesOfBlob, typeOfBlob } = Blob.internals;
delete Blob.internals;
finishClass(Blob, "Blob");

const newBlob = (bytes, type) => new Blob(blobKey, { bytes, type });

const chunkBytes = 65536;
function streamOfBytes(bytes) {
    let offset = 0;
    return streams().fromSource((give) => {
        const size = min(chunkBytes, viewLength(bytes) - offset);
        if (size === 0) return give(null);
        const chunk = new $Uint8Array(size);
        copyInto(chunk, new $Uint8Array(typedArrayBuffer(bytes), typedArrayOffset(bytes) + offset, size));
        offset += size;
        give(chunk);
    }, () => {});
}

class File extends Blob {
    #name; #modified;
    constructor(parts, name, options = {}) {
        if (parts === blobKey) {
            super(blobKey, name);
            this.#name = name.name;
            this.#modified = name.modified;
            return;
        }
        if (arguments.length < 2) throw new $TypeError("a File needs parts and a name");
        if (!isObject(parts)) throw new $TypeError("the argument is not a sequence");
        const list = partsOfBlob(parts), title = wellFormed(text(name)), { given, isNative } = optionsOfBlob(options);
        const type = given.type === undefined ? "" : typeOf(given.type);
        const modified = given.lastModified === undefined ? now() : trunc(+given.lastModified) || 0;
        super(blobKey, { bytes: piecesOf(list, isNative), type });
        this.#name = title;
        this.#modified = modified;
    }
    get name() { return this.#name; }
    get lastModified() { return this.#modified; }
    get webkitRelativePath() { return ""; }
    static isFile(value) { return isObject(value) && #name in value; }
    static detailsOf(value) { return { name: value.#name, modified: value.#modified }; }
}
const { isFile, detailsOf } = File;
delete File.isFile;
delete File.detailsOf;
setProperty(File, "length", { __proto__: null, value: 2, configurable: true });
finishClass(File, "File");

const newFile = (bytes, type, name, modified = now()) => new File(blobKey, { bytes, type, name, modified });

// Clones share the bytes, which do not change.
function cloneBlob(value) {
    if (!isFile(value)) return newBlob(bytesOfBlob(value), typeOfBlob(value));
    const { name, modified } = detailsOf(value);
    return newFile(bytesOfBlob(value), typeOfBlob(value), name, modified);
}

class FileReader extends EventTarget {
    #state = 0; #result = null; #error = null; #current = null;
    get readyState() { return this.#state; }
    get result() { return this.#result; }
    get error() { return this.#error; }
    readAsArrayBuffer(blob) { this.#read(blob, (bytes) => typedArrayBuffer(bytesOf(bytes))); }
    readAsBinaryString(blob) { this.#read(blob, binaryText); }
    readAsDataURL(blob) {
        this.#read(blob, (bytes) => {
            const type = typeOfBlob(blob);
            return `data:${type === "" ? "application/octet-stream" : type};base64,${encodeBase64(binaryText(bytes))}`;
        });
    }
    readAsText(blob, label = undefined) {
        const wanted = label === undefined ? null : text(label);
        this.#read(blob, (bytes) => {
            return decodeMarked(bytes, decoderOf(wanted) ?? decoderOf(charsetOf(typeOfBlob(blob))));
        });
    }
    abort() {
        if (this.#state !== 1) {
            this.#result = null;
            return;
        }
        this.#current = null;
        this.#state = 2;
        this.#result = null;
        this.#error = new $DOMException("The read was aborted.", "AbortError");
        this.#fire("abort", 0, 0);
        if (this.#state !== 1) this.#fire("loadend", 0, 0);
    }
    #fire(type, loaded, total) {
        dispatchTo(this, new ProgressEvent(type, { lengthComputable: total > 0, loaded, total }));
    }
    #read(blob, finish) {
        if (!(#state in this)) throw new $TypeError("this is not a FileReader");
        if (!isBlob(blob)) throw new $TypeError("the argument is not a Blob");
        if (this.#state === 1) throw new $DOMException("the reader is reading already", "InvalidStateError");
        const current = this.#current = {}, bytes = bytesOfBlob(blob), size = viewLength(bytes);
        this.#state = 1;
        this.#result = this.#error = null;
        const later = (action) => startTimer(() => { if (this.#current === current) action(); }, [], 0, false, false);
        later(() => {
            this.#fire("loadstart", 0, size);
            later(() => {
                if (size > 0) this.#fire("progress", size, size);
                later(() => {
                    this.#state = 2;
                    try {
                        this.#result = finish(bytes);
                    } catch {
                        this.#error = new $DOMException("The file could not be read.", "NotReadableError");
                    }
                    this.#fire(this.#error === null ? "load" : "error", size, size);
                    later(() => { if (this.#state !== 1) this.#fire("loadend", size, size); });
                });
            });
        });
    }
}
finishClass(FileReader, "FileReader");
addHandlers(FileReader.prototype, ["loadstart", "progress", "load", "abort", "error", "loadend"]);
addConstants(FileReader, ["EMPTY", "LOADING", "DONE"]);

function binaryText(bytes) {
    const pieces = [];
    for (let index = 0; index < viewLength(bytes); index++) append(pieces, fromCharCode(bytes[index]));
    return arrayJoin(pieces, "");
}

function randomUUID() {
    const bytes = new $Uint8Array(16);
    host.random(bytes);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let id = "";
    for (let index = 0; index < 16; index++) {
        if (index === 4 || index === 6 || index === 8 || index === 10) id += "-";
        id += padStart(numberText(bytes[index], 16), 2, "0");
    }
    return id;
}

// Object URLs of this run.
const objects = new $Map();
hide($URL, "createObjectURL", function createObjectURL(blob) {
    if (!isBlob(blob)) throw new $TypeError("the argument is not a Blob");
    const address = `blob:${baseOrigin()}/${randomUUID()}`;
    mapSet(objects, address, blob);
    return address;
});
hide($URL, "revokeObjectURL", function revokeObjectURL(address) {
    mapDelete(objects, text(address));
});
setProperty($URL, "createObjectURL", { __proto__: null, enumerable: true });
setProperty($URL, "revokeObjectURL", { __proto__: null, enumerable: true });
