// TextEncoder, TextDecoder, atob, btoa.
class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(input = "") { return host.encode(text(input)); }
    encodeInto(input, target) {
        if (!isObject(target) || typedArrayName(target) !== "Uint8Array") {
            throw new $TypeError("the target is not a Uint8Array");
        }
        const source = text(input), room = viewLength(target);
        let read = 0, written = 0;
        for (; read < source.length;) {
            const code = codePoint(source, read);
            const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
            if (written + size > room) break;
            written += size;
            read += code < 0x10000 ? 1 : 2;
        }
        copyInto(target, host.encode(slice(source, 0, read)));
        return { read, written };
    }
}

finishClass(TextEncoder, "TextEncoder");

// The number of bytes at the end that belong to an incomplete character.
function unfinished(bytes) {
    const size = viewLength(bytes);
    for (let back = 1; back <= min(3, size); back++) {
        const byte = bytes[size - back];
        if (byte < 0x80) return 0;
        if (byte >= 0xc0) {
            const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
            if (needed <= back || byte < 0xc2 || byte > 0xf4) return 0;
            const low = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
            const high = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
            const next = bytes[size - back + 1];
            return back > 1 && (next < low || next > high) ? 0 : back;
        }
    }
    return 0;
}

// Encodings other than UTF-8 are in a library, which is loaded when one of their labels is used.
let encodings;
function loadEncodings() {
    return encodings ??= loadLibrary("encodings", {
        __proto__: null, append, charCode, join: arrayJoin, lower, ownKeys, parse: toInteger, split,
        units: (size) => new $Uint16Array(size),
        fromUnits: (units, size) =>
            apply(fromCharCode, undefined, new $Uint16Array(typedArrayBuffer(units), 0, size)),
    });
}

function encodingOf(label) {
    const name = lower(execute(/^[\t\n\f\r ]*([^]*?)[\t\n\f\r ]*$/, label)[1]);
    if (matches(/^(?:utf-?8|unicode-1-1-utf-8|x-unicode20utf8|unicode11utf8|unicode20utf8)$/, name)) return "utf-8";
    let found;
    try {
        found = loadEncodings().nameOf(name);
    } catch (error) {
        throw new $RangeError(`Encodings other than UTF-8 are not available in this run: ${
            isError(error) ? error.message : text(error)}`);
    }
    if (found === undefined) throw new $RangeError(`The encoding ${quote(name)} is not supported`);
    return found;
}

class TextDecoder {
    #encoding; #fatal; #keepsMark; #rest = new $Uint8Array(0); #began = false; #legacy = null; #hasFailed = false;
    constructor(label = "utf-8", options = {}) {
        this.#encoding = encodingOf(text(label));
        if (options !== undefined && options !== null && !isObject(options)) {
            throw new $TypeError("the options are not an object");
        }
        this.#fatal = !!options?.fatal;
        this.#keepsMark = !!options?.ignoreBOM;
    }
    get encoding() { return this.#encoding; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#keepsMark; }
    decode(input = undefined, options = {}) {
        if (options !== undefined && options !== null && !isObject(options)) {
            throw new $TypeError("the options are not an object");
        }
        return decodeWith(this, input, !!options?.stream);
    }
    #decodeLegacy(bytes, streams) {
        this.#legacy ??= loadEncodings().decoder(this.#encoding, () => { this.#hasFailed = true; });
        this.#hasFailed = false;
        const result = this.#legacy(bytes, viewLength(bytes), !streams);
        if (this.#hasFailed && this.#fatal) {
            this.#legacy = null;
            throw new $TypeError(`the bytes are not ${this.#encoding}`);
        }
        return result;
    }
    #decodeUTF8(added, streams) {
        let bytes = viewLength(this.#rest) === 0 ? added : joinBytes([this.#rest, added]);
        const size = viewLength(bytes), kept = streams ? unfinished(bytes) : 0;
        this.#rest = new $Uint8Array(kept);
        if (kept > 0) {
            const buffer = typedArrayBuffer(bytes);
            copyInto(this.#rest, new $Uint8Array(buffer, size - kept, kept));
            bytes = joinBytes([new $Uint8Array(buffer, 0, size - kept)]);
        }
        return decodeText(bytes, this.#fatal);
    }
    static decodeWith(decoder, input, streams) {
        const added = input === undefined ? new $Uint8Array(0) : bytesOf(input);
        if (added === null) throw new $TypeError("the input is not a buffer");
        let result;
        try {
            result = decoder.#encoding === "utf-8" ? decoder.#decodeUTF8(added, streams)
                : decoder.#decodeLegacy(added, streams);
        } catch (error) {
            decoder.#began = false;
            throw error;
        }
        const hasText = result !== "", isStart = !decoder.#began;
        decoder.#began = streams && (decoder.#began || hasText);
        if (isStart && hasText && !decoder.#keepsMark && charCode(result, 0) === 0xfeff
            && startsWith(decoder.#encoding, "utf-")) {
            return slice(result, 1);
        }
        return result;
    }
}
const { decodeWith } = TextDecoder;
delete TextDecoder.decodeWith;
finishClass(TextDecoder, "TextDecoder");

const decodeText = (bytes, fatal) => ask(host.decode, bytes, fatal ? 1 : 0);

// The name of the encoding in a content type, or null.
const charsetOf = (type) => execute(/;\s*charset=("?)([^;"]+)\1/i, type)?.[2] ?? null;
// A decoder of an encoding; null without a name or for an unknown one.
const decoderOf = (label) => (label === null ? null : safely(() => new TextDecoder(label), null));

// The text of bytes: a byte order mark decides before the decoder, and without both it is UTF-8.
function decodeMarked(bytes, decoder) {
    if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeWith(new TextDecoder("utf-16be"), bytes, false);
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeWith(new TextDecoder("utf-16le"), bytes, false);
    const isUTF8 = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    return decoder === null || isUTF8 ? withoutMark(bytes) : decodeWith(decoder, bytes, false);
}

const base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function encodeBase64(string) {
    let result = "";
    for (let index = 0; index < string.length; index += 3) {
        let group = 0, size = 0;
        for (; size < 3 && index + size < string.length; size++) {
            const code = charCode(string, index + size);
            if (code > 255) {
                throw new $DOMException("a character is above U+00FF", "InvalidCharacterError");
            }
            group |= code << (16 - 8 * size);
        }
        for (let digit = 0; digit < 4; digit++) {
            result += digit > size ? "=" : base64Letters[(group >> (18 - 6 * digit)) & 63];
        }
    }
    return result;
}

define("btoa", function btoa(data) { return encodeBase64(text(data)); });

function decodeBase64(data) {
    const source = text(data);
    let string = "";
    for (let index = 0; index < source.length; index++) {
        if (indexOf(" \t\n\f\r", source[index]) < 0) string += source[index];
    }
    if (string.length % 4 === 0) {
        if (endsWith(string, "==")) string = slice(string, 0, -2);
        else if (endsWith(string, "=")) string = slice(string, 0, -1);
    }
    const invalid = () => new $DOMException("the text is not base64", "InvalidCharacterError");
    if (string.length % 4 === 1) throw invalid();
    let result = "", group = 0, bits = 0;
    for (let index = 0; index < string.length; index++) {
        const value = indexOf(base64Letters, string[index]);
        if (value < 0) throw invalid();
        group = (group << 6 | value) & 0xffff;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            result += fromCharCode((group >> bits) & 255);
        }
    }
    return result;
}

define("atob", function atob(data) { return decodeBase64(data); });

define("TextEncoder", TextEncoder);
define("TextDecoder", TextDecoder);
