// crypto: random numbers from the kernel. `subtle` is loaded when it is first used.
function randomBytes(size) {
    const bytes = new $Uint8Array(size);
    ask(host.random, bytes);
    return bytes;
}

class Crypto {
    // Only objects of this class have it.
    #brand = true;
    constructor(key) { if (key !== creation) throw new $TypeError("Illegal constructor"); }
    get subtle() {
        if (!(#brand in this)) throw new $TypeError("Illegal invocation");
        return bringPart("crypto").subtle;
    }
    getRandomValues(view) {
        const kind = isObject(view) ? typedArrayName(view) : undefined;
        if (kind === undefined || startsWith(kind, "Float")) {
            throw new $DOMException("an integer array is needed", "TypeMismatchError");
        }
        const size = typedArraySize(view);
        if (size > 65536) {
            throw new $DOMException("at most 65536 bytes at once", "QuotaExceededError");
        }
        copyInto(
            new $Uint8Array(typedArrayBuffer(view), typedArrayOffset(view), size),
            randomBytes(size));
        return view;
    }
    randomUUID() {
        const bytes = randomBytes(16);
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let id = "";
        for (let index = 0; index < 16; index++) {
            if (index === 4 || index === 6 || index === 8 || index === 10) id += "-";
            id += padStart(numberText(bytes[index], 16), 2, "0");
        }
        return id;
    }
}
define("Crypto", Crypto);
define("crypto", new Crypto(creation));
