// How keys are written: base64url, and the DER of keys on curves (RFC 5480, RFC 5915, RFC 5958).
const native = host.crypto();
const failure = (name, message) => new $DOMException(message, name);
const dataError = (message) => failure("DataError", message);

function sub(bytes, start, end = viewLength(bytes)) {
    return bytesOf(new $Uint8Array(typedArrayBuffer(bytes), typedArrayOffset(bytes) + start, end - start));
}

// Calls a primitive, which returns nothing if it fails.
function run(primitive, ...list) {
    let result;
    try {
        result = apply(primitive, undefined, list);
    } catch (error) {
        throw typeof error === "string" ? failure("OperationError", error) : error;
    }
    if (result === undefined) throw failure("OperationError", "the operation failed");
    return result;
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

function toBase64URL(bytes) {
    let result = "";
    const size = viewLength(bytes);
    for (let index = 0; index < size; index += 3) {
        const left = min(3, size - index);
        const group = bytes[index] << 16 | (left > 1 ? bytes[index + 1] << 8 : 0) | (left > 2 ? bytes[index + 2] : 0);
        for (let digit = 0; digit <= left; digit++) result += letters[(group >> (18 - 6 * digit)) & 63];
    }
    return result;
}

function fromBase64URL(string) {
    const bytes = new $Uint8Array(trunc(string.length * 3 / 4));
    if (string.length % 4 === 1) throw dataError("the text is not base64url");
    let group = 0, bits = 0, at = 0;
    for (let index = 0; index < string.length; index++) {
        const value = indexOf(letters, string[index]);
        if (value < 0) throw dataError("the text is not base64url");
        group = (group << 6 | value) & 0xffff;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes[at++] = (group >> bits) & 255;
        }
    }
    return bytes;
}

const curves = {
    __proto__: null,
    "P-256": { __proto__: null, number: 256, size: 32, oid: [0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7] },
    "P-384": { __proto__: null, number: 384, size: 48, oid: [0x2b, 0x81, 4, 0, 0x22] },
    "P-521": { __proto__: null, number: 521, size: 66, oid: [0x2b, 0x81, 4, 0, 0x23] },
};
const ecPublicKey = [0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];
const INTEGER = 2, BITS = 3, OCTETS = 4, OBJECT = 6, SEQUENCE = 0x30, FIRST = 0xa0, SECOND = 0xa1;

function bytesFrom(list) {
    const bytes = new $Uint8Array(list.length);
    for (let index = 0; index < list.length; index++) bytes[index] = list[index];
    return bytes;
}

function isSame(bytes, list) {
    if (viewLength(bytes) !== list.length) return false;
    for (let index = 0; index < list.length; index++) if (bytes[index] !== list[index]) return false;
    return true;
}

function element(tag, ...parts) {
    const content = joinBytes(parts), size = viewLength(content);
    const head = size < 128 ? [tag, size] : size < 256 ? [tag, 0x81, size] : [tag, 0x82, size >> 8, size & 255];
    return joinBytes([bytesFrom(head), content]);
}

// Reads the elements of a DER content one after the other.
function reader(bytes) {
    let at = 0;
    const size = viewLength(bytes);
    return {
        __proto__: null,
        get isAtEnd() { return at === size; },
        get tag() { return at < size ? bytes[at] : -1; },
        take(tag) {
            if (at + 2 > size || bytes[at] !== tag) throw dataError("the key is not valid DER");
            let length = bytes[at + 1];
            at += 2;
            if (length >= 128) {
                const digits = length & 127;
                if (digits < 1 || digits > 3 || at + digits > size || bytes[at] === 0) {
                    throw dataError("the key is not valid DER");
                }
                length = 0;
                for (let index = 0; index < digits; index++) length = length * 256 + bytes[at++];
                if (length < 128) throw dataError("the key is not valid DER");
            }
            if (at + length > size) throw dataError("the key is not valid DER");
            const content = sub(bytes, at, at + length);
            at += length;
            return content;
        },
    };
}

function finish(...readers) {
    for (let index = 0; index < readers.length; index++) {
        if (!readers[index].isAtEnd) throw dataError("the key is not valid DER");
    }
}

const curveIdentifier = (curve) => element(
    SEQUENCE, element(OBJECT, bytesFrom(ecPublicKey)), element(OBJECT, bytesFrom(curves[curve].oid)));

function readCurveIdentifier(content, curve) {
    const identifier = reader(content);
    if (!isSame(identifier.take(OBJECT), ecPublicKey) || !isSame(identifier.take(OBJECT), curves[curve].oid)) {
        throw dataError(`the key is not one on the curve ${curve}`);
    }
    finish(identifier);
}

// The coordinates of a point that is written as in SEC 1, section 2.3.3.
function readPoint(bytes, curve) {
    const { number, size } = curves[curve], length = viewLength(bytes);
    let point;
    if (length === 1 + 2 * size && bytes[0] === 4) {
        point = sub(bytes, 1);
    } else if (length === 1 + size) {
        point = native.decompress(number, bytes);
    }
    if (point === undefined || native.isPoint(number, point) !== 1) throw dataError("that is not a point of the curve");
    return point;
}

const writePoint = (point) => joinBytes([bytesFrom([4]), point]);

function readBits(content) {
    if (viewLength(content) === 0 || content[0] !== 0) throw dataError("the key is not valid DER");
    return sub(content, 1);
}

const writeBits = (bytes) => element(BITS, bytesFrom([0]), bytes);

function readSPKI(bytes, curve) {
    const whole = reader(bytes), info = reader(whole.take(SEQUENCE));
    readCurveIdentifier(info.take(SEQUENCE), curve);
    const point = readBits(info.take(BITS));
    finish(whole, info);
    return readPoint(point, curve);
}

const writeSPKI = (point, curve) => element(SEQUENCE, curveIdentifier(curve), writeBits(writePoint(point)));

// Returns the private key.
function readPKCS8(bytes, curve) {
    const { number, size } = curves[curve];
    const whole = reader(bytes), info = reader(whole.take(SEQUENCE));
    if (!isSame(info.take(INTEGER), [0])) throw dataError("the version of the key is not supported");
    readCurveIdentifier(info.take(SEQUENCE), curve);
    const content = reader(info.take(OCTETS)), key = reader(content.take(SEQUENCE));
    if (!isSame(key.take(INTEGER), [1])) throw dataError("the version of the key is not supported");
    const secret = key.take(OCTETS);
    if (viewLength(secret) !== size) throw dataError("the key has the wrong size");
    if (key.tag === FIRST) {
        const parameters = reader(key.take(FIRST));
        if (!isSame(parameters.take(OBJECT), curves[curve].oid)) throw dataError("the key names another curve");
        finish(parameters);
    }
    const point = native.publicPoint(number, secret);
    if (point === undefined) throw dataError("the key is not in the range of the curve");
    if (key.tag === SECOND) {
        const outer = reader(key.take(SECOND)), given = readPoint(readBits(outer.take(BITS)), curve);
        finish(outer);
        if (native.isEqual(given, point) !== 1) throw dataError("the public key does not belong to the private key");
    }
    // Attributes may follow.
    if (info.tag === FIRST) info.take(FIRST);
    finish(whole, info, content, key);
    return secret;
}

function writePKCS8(secret, point, curve) {
    const key = element(
        SEQUENCE, element(INTEGER, bytesFrom([1])), element(OCTETS, secret),
        element(SECOND, writeBits(writePoint(point))));
    return element(SEQUENCE, element(INTEGER, bytesFrom([0])), curveIdentifier(curve), element(OCTETS, key));
}
