// The names of algorithms and their parameters, after https://w3c.github.io/webcrypto/#algorithm-normalization.
const hashes = {
    __proto__: null,
    "SHA-1": { __proto__: null, number: 1, block: 512 }, "SHA-256": { __proto__: null, number: 256, block: 512 },
    "SHA-384": { __proto__: null, number: 384, block: 1024 }, "SHA-512": { __proto__: null, number: 512, block: 1024 },
};
const digestOf = (hash, data) => run(native.digest, hashes[hash].number, data);

// Conversions of Web IDL.
function source(value) {
    const bytes = bytesOf(value);
    if (bytes === null) throw new $TypeError("an ArrayBuffer or a view is needed");
    return bytes;
}

// For data of an operation that is done at once: it is not copied.
function borrowed(value) {
    const bytes = bytesWithin(value);
    if (bytes === null) throw new $TypeError("an ArrayBuffer or a view is needed");
    return bytes;
}

function whole(value, most) {
    const number = trunc(+value) + 0;
    if (!isInteger(number) || number < 0 || number > most) throw new $TypeError("a number is out of range");
    return number;
}

function needed(value, name) {
    if (value === undefined) throw new $TypeError(`the algorithm needs the member ${name}`);
    return value;
}

const octet = (value) => whole(value, 0xff);
const short = (value) => whole(value, 0xffff);
const long = (value) => whole(value, 0xffffffff);
const hashName = (value) => normalizedAlgorithm(value, "digest").name;

// Each member with its conversion, in the order of Web IDL; a name that ends with `?` is optional.
const parameters = {
    __proto__: null,
    none: { __proto__: null },
    cbc: { __proto__: null, iv: source },
    ctr: { __proto__: null, counter: source, length: octet },
    gcm: { __proto__: null, "additionalData?": source, iv: source, "tagLength?": octet },
    hash: { __proto__: null, hash: hashName },
    length: { __proto__: null, length: short },
    hmac: { __proto__: null, hash: hashName, "length?": long },
    curve: { __proto__: null, namedCurve: text },
    hkdf: { __proto__: null, hash: hashName, info: source, salt: source },
    pbkdf2: { __proto__: null, hash: hashName, iterations: long, salt: source },
    ecdh: { __proto__: null, public: (value) => partsOfKey(value, "the member public") && value },
};

// The parameters of each operation of each algorithm.
const aes = (kind) => ({
    __proto__: null, encrypt: kind, decrypt: kind, generateKey: "length", importKey: "none", length: "length",
});
const digest = { __proto__: null, digest: "none" };
const registry = {
    __proto__: null,
    "SHA-1": digest, "SHA-256": digest, "SHA-384": digest, "SHA-512": digest,
    "AES-CBC": aes("cbc"), "AES-CTR": aes("ctr"), "AES-GCM": aes("gcm"),
    "AES-KW": {
        __proto__: null, wrapKey: "none", unwrapKey: "none", generateKey: "length", importKey: "none", length: "length",
    },
    "HMAC": {
        __proto__: null, sign: "none", verify: "none", generateKey: "hmac", importKey: "hmac", length: "hmac",
    },
    "ECDSA": { __proto__: null, sign: "hash", verify: "hash", generateKey: "curve", importKey: "curve" },
    "ECDH": { __proto__: null, deriveBits: "ecdh", generateKey: "curve", importKey: "curve" },
    "HKDF": { __proto__: null, deriveBits: "hkdf", importKey: "none", length: "none" },
    "PBKDF2": { __proto__: null, deriveBits: "pbkdf2", importKey: "none", length: "none" },
};
const registered = { __proto__: null };
for (const name in registry) registered[upper(name)] = name;
// The name as the standard writes it; the case of ASCII letters does not matter.
const registeredName = (given) => (matches(/[^\0-\x7f]/, given) ? undefined : registered[upper(given)]);

function normalizedAlgorithm(given, operation) {
    const named = isObject(given) ? needed(given.name, "name") : given;
    const wanted = text(named), name = registeredName(wanted);
    const kind = name === undefined ? undefined : registry[name][operation];
    if (kind === undefined) {
        throw failure("NotSupportedError", `This runtime does not support ${operation} with the algorithm ${wanted}.`);
    }
    const result = { __proto__: null, name }, members = parameters[kind];
    for (const member in members) {
        const isOptional = member[member.length - 1] === "?";
        const key = isOptional ? sliceEnd(member) : member;
        const value = isObject(given) ? given[key] : undefined;
        if (isOptional && value === undefined) continue;
        result[key] = members[member](needed(value, key));
    }
    return result;
}

function sliceEnd(string) {
    let result = "";
    for (let index = 0; index < string.length - 1; index++) result += string[index];
    return result;
}

// The operations on bytes. `key` is the parts of a CryptoKey.
const tagLengths = { __proto__: null, 32: 4, 64: 8, 96: 12, 104: 13, 112: 14, 120: 15, 128: 16 };

function blockOf(bytes) {
    if (viewLength(bytes) !== 16) throw failure("OperationError", "16 bytes are needed");
    return bytes;
}

function tagOf({ tagLength = 128 }) {
    const bytes = tagLengths[tagLength];
    if (bytes === undefined) throw failure("OperationError", "the tag cannot have this length");
    return bytes;
}

function counter({ counter, length }, key, data) {
    if (viewLength(counter) !== 16 || length < 1 || length > 128) {
        throw failure("OperationError", "the counter does not have 16 bytes, or its length is not 1 to 128 bits");
    }
    return run(native.aesCTR, key.secret, counter, length, data);
}

const encryption = {
    __proto__: null,
    "AES-CBC"({ iv }, key, data) {
        const rest = 16 - viewLength(data) % 16, padding = new $Uint8Array(rest);
        for (let index = 0; index < rest; index++) padding[index] = rest;
        return run(native.aesCBC, key.secret, blockOf(iv), joinBytes([data, padding]), 1);
    },
    "AES-CTR": counter,
    "AES-GCM"(algorithm, key, data) {
        const { iv, additionalData = new $Uint8Array(0) } = algorithm;
        return run(native.sealGCM, key.secret, iv, additionalData, data, tagOf(algorithm));
    },
};
const decryption = {
    __proto__: null,
    "AES-CBC"({ iv }, key, data) {
        const size = viewLength(data);
        if (size === 0 || size % 16 !== 0) throw failure("OperationError", "the data is not of whole blocks");
        const padded = run(native.aesCBC, key.secret, blockOf(iv), data, 0), count = padded[size - 1];
        let isValid = count >= 1 && count <= 16;
        for (let index = 1; isValid && index <= count; index++) isValid = padded[size - index] === count;
        if (!isValid) throw failure("OperationError", "the padding is wrong");
        return sub(padded, 0, size - count);
    },
    "AES-CTR": counter,
    "AES-GCM"(algorithm, key, data) {
        const { iv, additionalData = new $Uint8Array(0) } = algorithm;
        return run(native.openGCM, key.secret, iv, additionalData, data, tagOf(algorithm));
    },
};
const signing = {
    __proto__: null,
    HMAC: (algorithm, key, data) => run(native.hmac, hashes[key.hash].number, key.secret, data),
    ECDSA(algorithm, key, data) {
        demandType(key, "private");
        return run(native.sign, curves[key.curve].number, key.secret, digestOf(algorithm.hash, data));
    },
};
const verification = {
    __proto__: null,
    HMAC(algorithm, key, signature, data) {
        return run(native.isEqual, signature, signing.HMAC(algorithm, key, data)) === 1;
    },
    ECDSA(algorithm, key, signature, data) {
        demandType(key, "public");
        const digest = digestOf(algorithm.hash, data);
        return run(native.verify, curves[key.curve].number, key.point, digest, signature) === 1;
    },
};

function wholeBytes(length) {
    if (length === null || length % 8 !== 0) throw failure("OperationError", "the length is not one of whole bytes");
    return length / 8;
}

const derivation = {
    __proto__: null,
    ECDH({ public: other }, key, length) {
        demandType(key, "private");
        const theirs = partsOfKey(other);
        if (theirs.type !== "public" || theirs.name !== "ECDH" || theirs.curve !== key.curve) {
            throw failure("InvalidAccessError", "the other key is not a public key on the same curve");
        }
        const secret = run(native.ecdh, curves[key.curve].number, key.secret, theirs.point);
        if (length === null) return secret;
        const count = trunc((length + 7) / 8);
        if (count > viewLength(secret)) throw failure("OperationError", "the secret is shorter");
        const cut = sub(secret, 0, count);
        if (length % 8 !== 0) cut[count - 1] &= 0xff << (8 - length % 8);
        return cut;
    },
    HKDF: ({ hash, salt, info }, key, length) =>
        run(native.hkdf, hashes[hash].number, key.secret, salt, info, wholeBytes(length)),
    PBKDF2: ({ hash, salt, iterations }, key, length) =>
        run(native.pbkdf2, hashes[hash].number, key.secret, salt, iterations, wholeBytes(length)),
};
