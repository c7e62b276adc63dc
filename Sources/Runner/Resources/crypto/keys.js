// Making, importing and exporting keys.
const usageNames = ["encrypt", "decrypt", "sign", "verify", "deriveKey", "deriveBits", "wrapKey", "unwrapKey"];
const formats = { __proto__: null, raw: true, spki: true, pkcs8: true, jwk: true };

class CryptoKey {
    #parts; #algorithm = null; #usages = null;
    constructor(key, parts) {
        if (key !== creation) throw new $TypeError("Illegal constructor");
        this.#parts = parts;
    }
    get type() { return this.#parts.type; }
    get extractable() { return this.#parts.isExtractable; }
    get algorithm() { return this.#algorithm ??= descriptionOf(this.#parts); }
    get usages() { return this.#usages ??= copyOf(this.#parts.usages); }
    // What the app cannot change: type, name, usages, and secret, point, curve, hash or length.
    static partsOf(value, place = "the key") {
        if (!isObject(value) || !(#parts in value)) throw new $TypeError(`${place} is not a CryptoKey`);
        return value.#parts;
    }
}
const { partsOf: partsOfKey } = CryptoKey;
delete CryptoKey.partsOf;
finishClass(CryptoKey, "CryptoKey");

function copyOf(list) {
    const copy = [];
    for (let index = 0; index < list.length; index++) append(copy, list[index]);
    return copy;
}

function descriptionOf({ name, hash, length, curve }) {
    return {
        name, ...(hash !== undefined && { hash: { name: hash } }), ...(length !== undefined && { length }),
        ...(curve !== undefined && { namedCurve: curve }),
    };
}

function demandType(key, type) {
    if (key.type !== type) throw failure("InvalidAccessError", `a ${type} key is needed`);
}

function includes(list, value) {
    for (let index = 0; index < list.length; index++) if (list[index] === value) return true;
    return false;
}

function listOf(value) {
    if (isArray(value)) return value;
    if (!isObject(value) || typeof value[iterator] !== "function") throw new $TypeError("a list is needed");
    const list = [];
    for (const item of value) append(list, item);
    return list;
}

// The usages without repetition, in the order of the standard.
function usagesFrom(value) {
    const list = listOf(value), names = [], usages = [];
    for (let index = 0; index < list.length; index++) {
        const name = text(list[index]);
        if (!includes(usageNames, name)) throw new $TypeError(`${name} is not a usage of keys`);
        append(names, name);
    }
    for (let index = 0; index < usageNames.length; index++) {
        if (includes(names, usageNames[index])) append(usages, usageNames[index]);
    }
    return usages;
}

function common(usages, allowed) {
    const both = [];
    for (let index = 0; index < usages.length; index++) {
        if (includes(allowed, usages[index])) append(both, usages[index]);
    }
    return both;
}

function restrict(usages, allowed) {
    if (common(usages, allowed).length !== usages.length) {
        throw failure("SyntaxError", "keys of this algorithm cannot have these usages");
    }
}

function demandUsages(parts) {
    if (parts.type !== "public" && parts.usages.length === 0) {
        throw failure("SyntaxError", "a key that nothing may use cannot be made");
    }
    return parts;
}

const wrapping = ["wrapKey", "unwrapKey"], encrypting = ["encrypt", "decrypt", "wrapKey", "unwrapKey"];
const allowedUsages = {
    __proto__: null,
    "AES-CBC": encrypting, "AES-CTR": encrypting, "AES-GCM": encrypting, "AES-KW": wrapping,
    "HMAC": ["sign", "verify"],
    "ECDSA": ["sign", "verify"], "ECDH": ["deriveKey", "deriveBits"],
    "HKDF": ["deriveKey", "deriveBits"], "PBKDF2": ["deriveKey", "deriveBits"],
};
const privateUsages = { __proto__: null, ECDSA: ["sign"], ECDH: ["deriveKey", "deriveBits"] };
const publicUsages = { __proto__: null, ECDSA: ["verify"], ECDH: [] };
const isAES = (name) => name[0] === "A";
const isOnCurve = (name) => name === "ECDSA" || name === "ECDH";
const isMaterial = (name) => name === "HKDF" || name === "PBKDF2";

function makeKey(parts) { return new CryptoKey(creation, demandUsages({ __proto__: null, ...parts })); }

function lengthOfAES(length, name) {
    if (length !== 128 && length !== 192 && length !== 256) throw failure(name, "AES has keys of 128, 192 or 256 bits");
    return length;
}

function lengthOfHMAC({ hash, length = hashes[hash].block }, name) {
    if (length === 0) throw failure(name, "a key of length 0 is not possible");
    return length;
}

function demandCurve(curve) {
    if (curves[curve] !== undefined) return;
    throw failure("NotSupportedError", `This runtime does not support the curve ${curve}.`);
}

function generate(algorithm, isExtractable, usages) {
    const { name } = algorithm;
    restrict(usages, allowedUsages[name]);
    if (!isOnCurve(name)) {
        const length = name === "HMAC" ? lengthOfHMAC(algorithm, "OperationError")
            : lengthOfAES(algorithm.length, "OperationError");
        // Checked first, because a key may be large.
        if (usages.length === 0) throw failure("SyntaxError", "a key that nothing may use cannot be made");
        if (length > 65536 * 8) throw failure("OperationError", "a key has at most 65536 bytes");
        const secret = randomBytes(trunc((length + 7) / 8));
        if (length % 8 !== 0) secret[viewLength(secret) - 1] &= 0xff << (8 - length % 8);
        return makeKey({ type: "secret", name, hash: algorithm.hash, length, secret, isExtractable, usages });
    }
    const curve = algorithm.namedCurve;
    demandCurve(curve);
    const { number, size } = curves[curve], both = run(native.generate, number);
    const point = sub(both, size), secret = sub(both, 0, size);
    const privateKey = makeKey({
        type: "private", name, curve, secret, point, isExtractable, usages: common(usages, privateUsages[name]),
    });
    const publicKey = makeKey({
        type: "public", name, curve, point, isExtractable: true, usages: common(usages, publicUsages[name]),
    });
    return { publicKey, privateKey };
}

// The members of a JsonWebKey, converted.
function readJWK(value) {
    if (value !== null && value !== undefined && !isObject(value)) throw new $TypeError("a JWK is an object");
    const jwk = { __proto__: null }, names = ["alg", "crv", "d", "k", "kty", "use", "x", "y"];
    for (let index = 0; index < names.length; index++) {
        const member = value?.[names[index]];
        if (member !== undefined) jwk[names[index]] = text(member);
    }
    if (value?.ext !== undefined) jwk.ext = !!value.ext;
    if (value?.key_ops !== undefined) {
        const list = listOf(value.key_ops), names = [];
        for (let index = 0; index < list.length; index++) append(names, text(list[index]));
        jwk.key_ops = names;
    }
    return jwk;
}

function checkJWK(jwk, type, use, isExtractable, usages) {
    if (jwk.kty !== type) throw dataError(`the JWK does not have the kty ${type}`);
    if (usages.length > 0 && jwk.use !== undefined && jwk.use !== use) {
        throw dataError(`the JWK is not for the use ${use}`);
    }
    if (jwk.key_ops !== undefined) {
        for (let index = 0; index < jwk.key_ops.length; index++) {
            for (let other = 0; other < index; other++) {
                if (jwk.key_ops[index] === jwk.key_ops[other]) throw dataError("the JWK repeats a usage");
            }
        }
        if (common(usages, jwk.key_ops).length !== usages.length) throw dataError("the JWK does not allow the usages");
    }
    if (jwk.ext === false && isExtractable) throw dataError("the JWK is not extractable");
}

const jwkNames = { __proto__: null, "AES-CBC": "CBC", "AES-CTR": "CTR", "AES-GCM": "GCM", "AES-KW": "KW" };
const jwkAlgorithm = ({ name, hash, length }) =>
    name === "HMAC" ? `HS${hashes[hash].number}` : `A${length}${jwkNames[name]}`;

function importSecret(format, data, algorithm, isExtractable, usages) {
    const { name, hash } = algorithm;
    if (format !== "raw" && (format !== "jwk" || isMaterial(name))) {
        throw failure("NotSupportedError", `keys for ${name} have no format ${format}`);
    }
    restrict(usages, allowedUsages[name]);
    if (isMaterial(name)) {
        if (isExtractable) throw failure("SyntaxError", "such a key cannot be extractable");
        return makeKey({ type: "secret", name, secret: data, isExtractable, usages });
    }
    let secret = data;
    if (format === "jwk") {
        checkJWK(data, "oct", name === "HMAC" ? "sig" : "enc", isExtractable, usages);
        if (data.k === undefined) throw dataError("the JWK has no k");
        secret = fromBase64URL(data.k);
    }
    let length = viewLength(secret) * 8;
    if (name === "HMAC") {
        if (length === 0) throw dataError("the key is empty");
        const wanted = algorithm.length ?? length;
        if (wanted > length || wanted <= length - 8) throw dataError("the key does not have the given length");
        length = wanted;
        if (length % 8 !== 0) secret[viewLength(secret) - 1] &= 0xff << (8 - length % 8);
    } else {
        lengthOfAES(length, "DataError");
    }
    if (format === "jwk" && data.alg !== undefined && data.alg !== jwkAlgorithm({ name, hash, length })) {
        throw dataError("the JWK is for another algorithm");
    }
    return makeKey({ type: "secret", name, hash, length, secret, isExtractable, usages });
}

function coordinate(string, size) {
    const bytes = fromBase64URL(string ?? "");
    if (viewLength(bytes) !== size) throw dataError("a number of the JWK has the wrong size");
    return bytes;
}

function importOnCurve(format, data, algorithm, isExtractable, usages) {
    const { name, namedCurve: curve } = algorithm;
    const isPrivate = format === "pkcs8" || (format === "jwk" && data.d !== undefined);
    restrict(usages, (isPrivate ? privateUsages : publicUsages)[name]);
    demandCurve(curve);
    const { number, size } = curves[curve];
    let point, secret;
    if (format === "raw") point = readPoint(data, curve);
    if (format === "spki") point = readSPKI(data, curve);
    if (format === "pkcs8") secret = readPKCS8(data, curve);
    if (format === "jwk") {
        checkJWK(data, "EC", name === "ECDSA" ? "sig" : "enc", isExtractable, usages);
        if (data.crv !== curve) throw dataError("the JWK is on another curve");
        const signature = { __proto__: null, "P-256": "ES256", "P-384": "ES384", "P-521": "ES512" }[curve];
        if (name === "ECDSA" && data.alg !== undefined && data.alg !== signature) {
            throw dataError("the JWK is for another algorithm");
        }
        point = joinBytes([coordinate(data.x, size), coordinate(data.y, size)]);
        if (native.isPoint(number, point) !== 1) throw dataError("that is not a point of the curve");
        if (isPrivate) secret = coordinate(data.d, size);
    }
    if (isPrivate) {
        const own = native.publicPoint(number, secret);
        if (own === undefined) throw dataError("the key is not in the range of the curve");
        if (point !== undefined && native.isEqual(own, point) !== 1) {
            throw dataError("the public key does not belong to the private key");
        }
        point = own;
    }
    return makeKey({ type: isPrivate ? "private" : "public", name, curve, point, secret, isExtractable, usages });
}

function importKey(format, data, algorithm, isExtractable, usages) {
    const { name } = algorithm;
    return (isOnCurve(name) ? importOnCurve : importSecret)(format, data, algorithm, isExtractable, usages);
}

// Bytes, or the members of a JWK.
function exportKey(format, parts) {
    const { type, name, curve, secret, point } = parts;
    if (isMaterial(name)) throw failure("NotSupportedError", `keys for ${name} cannot be exported`);
    if (!parts.isExtractable) throw failure("InvalidAccessError", "the key is not extractable");
    const isSecret = type === "secret";
    if (format === "raw" && isSecret) return secret;
    if (format !== "jwk") {
        if (isSecret) throw failure("NotSupportedError", `keys for ${name} have no format ${format}`);
        demandType(parts, format === "pkcs8" ? "private" : "public");
        if (format === "raw") return writePoint(point);
        return format === "spki" ? writeSPKI(point, curve) : writePKCS8(secret, point, curve);
    }
    const jwk = { __proto__: null }, size = isSecret ? 0 : curves[curve].size;
    if (isSecret) jwk.alg = jwkAlgorithm(parts);
    else jwk.crv = curve;
    if (type === "private") jwk.d = toBase64URL(secret);
    jwk.ext = true;
    if (isSecret) jwk.k = toBase64URL(secret);
    jwk.key_ops = copyOf(parts.usages);
    jwk.kty = isSecret ? "oct" : "EC";
    if (!isSecret) {
        jwk.x = toBase64URL(sub(point, 0, size));
        jwk.y = toBase64URL(sub(point, size));
    }
    return jwk;
}
