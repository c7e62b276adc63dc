// TextEncoder, TextDecoder, atob, btoa.
class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(input = "") { return host.encode(text(input)); }
    encodeInto(input, target) {
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

// The number of bytes at the end that belong to an incomplete character.
function unfinished(bytes) {
    const size = viewLength(bytes);
    for (let back = 1; back <= min(3, size); back++) {
        const byte = bytes[size - back];
        if (byte < 0x80) return 0;
        if (byte >= 0xc0) {
            const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
            return needed > back && byte < 0xf5 ? back : 0;
        }
    }
    return 0;
}

class TextDecoder {
    #fatal; #keepsMark; #rest = new $Uint8Array(0); #began = false;
    constructor(label = "utf-8", options = {}) {
        const name = lower(text(label));
        if (!matches(/^\s*(utf-?8|unicode-1-1-utf-8|x-unicode20utf8|unicode11utf8|unicode20utf8)\s*$/, name)) {
            throw new $RangeError(`The encoding ${quote(name)} is not supported`);
        }
        this.#fatal = !!options?.fatal;
        this.#keepsMark = !!options?.ignoreBOM;
    }
    get encoding() { return "utf-8"; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#keepsMark; }
    decode(input, options = {}) {
        const added = input === undefined ? new $Uint8Array(0) : bytesOf(input);
        if (added === null) throw new $TypeError("the input is not a buffer");
        const streams = !!options?.stream;
        let bytes = viewLength(this.#rest) === 0 ? added : joinBytes([this.#rest, added]);
        const size = viewLength(bytes), kept = streams ? unfinished(bytes) : 0;
        this.#rest = new $Uint8Array(kept);
        if (kept > 0) {
            const buffer = typedArrayBuffer(bytes);
            copyInto(this.#rest, new $Uint8Array(buffer, size - kept, kept));
            bytes = joinBytes([new $Uint8Array(buffer, 0, size - kept)]);
        }
        let result;
        try {
            result = decodeText(bytes, this.#fatal);
        } catch (error) {
            this.#began = false;
            throw error;
        }
        if (!this.#began && !this.#keepsMark && charCode(result, 0) === 0xfeff) {
            result = slice(result, 1);
        }
        this.#began = streams && (this.#began || size > kept);
        return result;
    }
}

const decodeText = (bytes, fatal) => ask(host.decode, bytes, fatal ? 1 : 0);

const base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

define("btoa", function btoa(data) {
    const string = text(data);
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
});

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
