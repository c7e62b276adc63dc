// crypto.subtle. Each operation is done before its method returns; its result is delivered in a turn of its own, as
// in a browser.
const formatFrom = (value) => {
    const format = text(value);
    if (formats[format] === undefined) throw new $TypeError(`${format} is not a format of keys`);
    return format;
};

// The parts of a key for an operation of an algorithm.
function keyFor(key, algorithm, usage) {
    const parts = partsOfKey(key);
    if (parts.name !== algorithm.name) throw failure("InvalidAccessError", "the key is for another algorithm");
    if (!includes(parts.usages, usage)) throw failure("InvalidAccessError", `the key is not for the usage ${usage}`);
    return parts;
}

function supports(given, operation) {
    const name = registeredName(text(isObject(given) ? given.name : given));
    return name !== undefined && registry[name][operation] !== undefined;
}

function keyData(format, data) {
    if (format !== "jwk") return source(data);
    if (bytesOf(data) !== null) throw new $TypeError("a JWK is an object");
    return readJWK(data);
}

const lengthFrom = (value) => (value === null || value === undefined ? null : trunc(+value) >>> 0);

function keyLength(algorithm) {
    if (isMaterial(algorithm.name)) return null;
    if (algorithm.name === "HMAC") return lengthOfHMAC(algorithm, "TypeError");
    return lengthOfAES(algorithm.length, "OperationError");
}

class SubtleCrypto {
    #brand = true;
    constructor(key) { if (key !== creation) throw new $TypeError("Illegal constructor"); }
    digest(algorithm, data) {
        SubtleCrypto.#check(this, arguments.length, 2);
        const { name } = normalizedAlgorithm(algorithm, "digest");
        return typedArrayBuffer(digestOf(name, borrowed(data)));
    }
    encrypt(algorithm, key, data) {
        SubtleCrypto.#check(this, arguments.length, 3);
        partsOfKey(key);
        const normal = normalizedAlgorithm(algorithm, "encrypt");
        return typedArrayBuffer(encryption[normal.name](normal, keyFor(key, normal, "encrypt"), borrowed(data)));
    }
    decrypt(algorithm, key, data) {
        SubtleCrypto.#check(this, arguments.length, 3);
        partsOfKey(key);
        const normal = normalizedAlgorithm(algorithm, "decrypt");
        return typedArrayBuffer(decryption[normal.name](normal, keyFor(key, normal, "decrypt"), borrowed(data)));
    }
    sign(algorithm, key, data) {
        SubtleCrypto.#check(this, arguments.length, 3);
        partsOfKey(key);
        const normal = normalizedAlgorithm(algorithm, "sign");
        return typedArrayBuffer(signing[normal.name](normal, keyFor(key, normal, "sign"), borrowed(data)));
    }
    verify(algorithm, key, signature, data) {
        SubtleCrypto.#check(this, arguments.length, 4);
        partsOfKey(key);
        const normal = normalizedAlgorithm(algorithm, "verify"), parts = keyFor(key, normal, "verify");
        return verification[normal.name](normal, parts, borrowed(signature), borrowed(data));
    }
    generateKey(algorithm, extractable, keyUsages) {
        SubtleCrypto.#check(this, arguments.length, 3);
        const usages = usagesFrom(keyUsages);
        return generate(normalizedAlgorithm(algorithm, "generateKey"), !!extractable, usages);
    }
    importKey(format, data, algorithm, extractable, keyUsages) {
        SubtleCrypto.#check(this, arguments.length, 5);
        const kind = formatFrom(format), usages = usagesFrom(keyUsages);
        const normal = normalizedAlgorithm(algorithm, "importKey");
        return importKey(kind, keyData(kind, data), normal, !!extractable, usages);
    }
    exportKey(format, key) {
        SubtleCrypto.#check(this, arguments.length, 2);
        const kind = formatFrom(format), exported = exportKey(kind, partsOfKey(key));
        return kind === "jwk" ? { ...exported } : typedArrayBuffer(sub(exported, 0));
    }
    deriveBits(algorithm, baseKey, length = null) {
        SubtleCrypto.#check(this, arguments.length, 2);
        partsOfKey(baseKey);
        const count = lengthFrom(length), normal = normalizedAlgorithm(algorithm, "deriveBits");
        return typedArrayBuffer(derivation[normal.name](normal, keyFor(baseKey, normal, "deriveBits"), count));
    }
    deriveKey(algorithm, baseKey, derivedKeyType, extractable, keyUsages) {
        SubtleCrypto.#check(this, arguments.length, 5);
        partsOfKey(baseKey);
        const usages = usagesFrom(keyUsages), normal = normalizedAlgorithm(algorithm, "deriveBits");
        const wanted = normalizedAlgorithm(derivedKeyType, "importKey"), length = normalizedAlgorithm(derivedKeyType, "length");
        const key = keyFor(baseKey, normal, "deriveKey");
        const bytes = derivation[normal.name](normal, key, keyLength(length));
        return importKey("raw", bytes, wanted, !!extractable, usages);
    }
    wrapKey(format, key, wrappingKey, wrapAlgorithm) {
        SubtleCrypto.#check(this, arguments.length, 4);
        const kind = formatFrom(format), parts = partsOfKey(key);
        partsOfKey(wrappingKey);
        const isWrap = supports(wrapAlgorithm, "wrapKey");
        const normal = normalizedAlgorithm(wrapAlgorithm, isWrap ? "wrapKey" : "encrypt");
        const wrapper = keyFor(wrappingKey, normal, "wrapKey"), exported = exportKey(kind, parts);
        const bytes = kind === "jwk" ? host.encode(textOfJWK(exported)) : exported;
        return typedArrayBuffer(isWrap ? run(native.wrap, wrapper.secret, bytes)
            : encryption[normal.name](normal, wrapper, bytes));
    }
    unwrapKey(format, wrappedKey, unwrappingKey, unwrapAlgorithm, unwrappedKeyAlgorithm, extractable, keyUsages) {
        SubtleCrypto.#check(this, arguments.length, 7);
        const kind = formatFrom(format), wrapped = source(wrappedKey), usages = usagesFrom(keyUsages);
        partsOfKey(unwrappingKey);
        const isWrap = supports(unwrapAlgorithm, "unwrapKey");
        const normal = normalizedAlgorithm(unwrapAlgorithm, isWrap ? "unwrapKey" : "decrypt");
        const wanted = normalizedAlgorithm(unwrappedKeyAlgorithm, "importKey");
        const wrapper = keyFor(unwrappingKey, normal, "unwrapKey");
        const bytes = isWrap ? run(native.unwrap, wrapper.secret, wrapped)
            : decryption[normal.name](normal, wrapper, wrapped);
        return importKey(kind, kind === "jwk" ? parsedJWK(bytes) : bytes, wanted, !!extractable, usages);
    }
    static #check(self, given, wanted) {
        if (!isObject(self) || !(#brand in self)) throw new $TypeError("Illegal invocation");
        if (given < wanted) throw new $TypeError(`${wanted} arguments are needed`);
    }
}
const operations = [
    "digest", "encrypt", "decrypt", "sign", "verify", "generateKey", "importKey", "exportKey", "deriveBits", "deriveKey",
    "wrapKey", "unwrapKey",
];
for (let index = 0; index < operations.length; index++) {
    const name = operations[index], work = SubtleCrypto.prototype[name];
    hide(SubtleCrypto.prototype, name, {
        [name](...list) {
            return new $Promise((resolve, reject) => {
                let settle = resolve, result;
                try {
                    result = apply(work, this, list);
                } catch (error) {
                    settle = reject;
                    result = error;
                }
                startTimer(() => settle(result), [], 0, false, false);
            });
        },
    }[name]);
}
finishClass(SubtleCrypto, "SubtleCrypto");

// Does not follow a `toJSON` that the app gave arrays.
function textOfJWK(jwk) {
    setProperty(jwk.key_ops, "toJSON", { __proto__: null, value: undefined });
    return stringifyJSON(jwk);
}

function parsedJWK(bytes) {
    let value;
    try {
        value = parseJSON(decodeText(bytes, true));
    } catch {
        throw dataError("the content is not a JWK");
    }
    return readJWK(value);
}

return { __proto__: null, globals: { __proto__: null, SubtleCrypto, CryptoKey }, subtle: new SubtleCrypto(creation) };
