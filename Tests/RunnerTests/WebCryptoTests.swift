import TestSupport
import Testing

/// `crypto.subtle`, compared with the examples of the standards of its algorithms.
@Suite(.blocking)
struct WebCryptoTests {
    /// What the scripts of the tests use.
    private static let prelude = """
        const { subtle } = crypto;
        const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
        const bytes = (text) => new Uint8Array(text.match(/../g)?.map((byte) => parseInt(byte, 16)) ?? []);
        const ascii = (text) => new TextEncoder().encode(text);
        const raw = (data, algorithm, ...usages) => subtle.importKey("raw", data, algorithm, true, usages);
        const show = async (work) => {
            try {
                console.log(await work());
            } catch (error) {
                console.log(error.name);
            }
        };

        """

    private static func lines(_ script: String) throws -> [String] {
        let run = try RunOfApp(prelude + script)
        #expect(run.errors.isEmpty)
        return run.lines
    }

    @Test(arguments: [
        ("SHA-1", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("sha-256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "SHA-384",
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
        ),
        (
            "SHA-512",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
    ])
    func `digests are those of FIPS 180`(name: String, digest: String) throws {
        let script = "show(async () => hex(await subtle.digest('\(name)', ascii('abc'))))"
        #expect(try Self.lines(script) == [digest])
    }

    @Test func `HMAC, HKDF and PBKDF2 are those of their RFCs`() throws {
        let lines = try Self.lines(
            """
            (async () => {
                // RFC 4231, case 2.
                const mac = { name: "HMAC", hash: "SHA-256" };
                const key = await raw(ascii("Jefe"), mac, "sign", "verify");
                const code = await subtle.sign("HMAC", key, ascii("what do ya want for nothing?"));
                console.log(hex(code));
                console.log(await subtle.verify("HMAC", key, code, ascii("what do ya want for nothing?")));
                console.log(await subtle.verify("HMAC", key, code, ascii("what do ya want for nothing!")));
                // RFC 5869, A.1.
                const secret = await subtle.importKey("raw", new Uint8Array(22).fill(11), "HKDF", false, ["deriveBits"]);
                console.log(hex(await subtle.deriveBits({
                    name: "HKDF", hash: "SHA-256", salt: bytes("000102030405060708090a0b0c"),
                    info: bytes("f0f1f2f3f4f5f6f7f8f9"),
                }, secret, 42 * 8)));
                // RFC 6070.
                const password = await subtle.importKey("raw", ascii("password"), "PBKDF2", false, ["deriveBits"]);
                console.log(hex(await subtle.deriveBits({
                    name: "PBKDF2", hash: "SHA-1", salt: ascii("salt"), iterations: 4096,
                }, password, 160)));
            })();
            """)
        #expect(
            lines == [
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", "true", "false",
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
                "4b007901b765489abead49d926f721d065a429c1",
            ])
    }

    @Test func `AES is that of SP 800-38, and changed data is refused`() throws {
        let lines = try Self.lines(
            """
            (async () => {
                const key = "2b7e151628aed2a6abf7158809cf4f3c", block = bytes("6bc1bee22e409f96e93d7e117393172a");
                const iv = bytes("000102030405060708090a0b0c0d0e0f");
                const cbc = await raw(bytes(key), "AES-CBC", "encrypt", "decrypt");
                const encrypted = await subtle.encrypt({ name: "AES-CBC", iv }, cbc, block);
                console.log(hex(encrypted).slice(0, 32), encrypted.byteLength);
                console.log(hex(await subtle.decrypt({ name: "AES-CBC", iv }, cbc, encrypted)));
                const counter = bytes("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
                const ctr = await raw(bytes(key), "AES-CTR", "encrypt");
                console.log(hex(await subtle.encrypt({ name: "AES-CTR", counter, length: 128 }, ctr, block)));
                // The Galois/Counter Mode of Operation, McGrew and Viega, test case 4.
                const gcm = await raw(bytes("feffe9928665731c6d6a8f9467308308"), "AES-GCM", "encrypt", "decrypt");
                const parameters = {
                    name: "AES-GCM", iv: bytes("cafebabefacedbaddecaf888"),
                    additionalData: bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
                };
                const plain = bytes("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e"
                    + "2449a6b525b16aedf5aa0de657ba637b39");
                const sealed = new Uint8Array(await subtle.encrypt(parameters, gcm, plain));
                console.log(hex(sealed));
                console.log(hex(await subtle.decrypt(parameters, gcm, sealed)) === hex(plain));
                sealed[3] ^= 1;
                await show(() => subtle.decrypt(parameters, gcm, sealed));
                const short = await subtle.encrypt({ ...parameters, tagLength: 32 }, gcm, plain);
                console.log(short.byteLength, hex(short).endsWith("5bc94fbc"));
                console.log(hex(await subtle.decrypt({ ...parameters, tagLength: 32 }, gcm, short)) === hex(plain));
            })();
            """)
        #expect(
            lines == [
                "7649abac8119b246cee98e9b12e9197d 32", "6bc1bee22e409f96e93d7e117393172a",
                "874d6191b620e3261bef6864990db6ce",
                "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47",
                "true", "OperationError", "64 true", "true",
            ])
    }

    @Test func `ECDSA verifies an example of RFC 6979, and signs what it verifies`() throws {
        let lines = try Self.lines(
            """
            (async () => {
                // A.2.5, SHA-256, the message "sample".
                const coordinates = "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
                    + "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299";
                const signature = bytes("efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
                    + "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8");
                const curve = { name: "ECDSA", namedCurve: "P-256" }, algorithm = { name: "ECDSA", hash: "SHA-256" };
                const key = await raw(bytes("04" + coordinates), curve, "verify");
                console.log(await subtle.verify(algorithm, key, signature, ascii("sample")));
                console.log(await subtle.verify(algorithm, key, signature, ascii("simple")));
                const packed = await raw(bytes("03" + coordinates.slice(0, 64)), curve, "verify");
                console.log(hex(await subtle.exportKey("raw", packed)) === "04" + coordinates);
                for (const namedCurve of ["P-256", "P-384", "P-521"]) {
                    const pair = await subtle.generateKey({ name: "ECDSA", namedCurve }, true, ["sign", "verify"]);
                    const made = await subtle.sign(algorithm, pair.privateKey, ascii("text"));
                    console.log(made.byteLength, await subtle.verify(algorithm, pair.publicKey, made, ascii("text")));
                    for (const format of ["pkcs8", "jwk"]) {
                        const exported = await subtle.exportKey(format, pair.privateKey);
                        const back = await subtle.importKey(
                            format, exported, { name: "ECDSA", namedCurve }, true, ["sign"]);
                        const again = await subtle.sign(algorithm, back, ascii("text"));
                        console.log(await subtle.verify(algorithm, pair.publicKey, again, ascii("text")));
                    }
                }
            })();
            """)
        #expect(
            lines == [
                "true", "false", "true", "64 true", "true", "true", "96 true", "true", "true",
                "132 true", "true", "true",
            ])
    }

    @Test func `ECDH of two pairs gives one secret, and a point off the curve is refused`() throws {
        let lines = try Self.lines(
            """
            (async () => {
                for (const namedCurve of ["P-256", "P-384", "P-521"]) {
                    const curve = { name: "ECDH", namedCurve };
                    const [one, two] = [await subtle.generateKey(curve, false, ["deriveBits"]),
                        await subtle.generateKey(curve, false, ["deriveBits"])];
                    const first = await subtle.deriveBits({ name: "ECDH", public: two.publicKey }, one.privateKey, null);
                    const second = await subtle.deriveBits({ name: "ECDH", public: one.publicKey }, two.privateKey, null);
                    console.log(first.byteLength, hex(first) === hex(second));
                }
                const off = new Uint8Array(65).fill(1);
                off[0] = 4;
                await show(() => raw(off, { name: "ECDH", namedCurve: "P-256" }));
                // The order of the curve and 0 are no private keys.
                const order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
                for (const secret of [order, "0".repeat(64)]) {
                    const der = "3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420" + secret;
                    await show(() => subtle.importKey(
                        "pkcs8", bytes(der), { name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]));
                }
            })();
            """)
        #expect(
            lines == ["32 true", "48 true", "66 true", "DataError", "DataError", "DataError"])
    }

    @Test(arguments: [
        ("subtle.digest('MD5', ascii('a'))", "NotSupportedError"),
        ("subtle.generateKey({ name: 'RSA-OAEP' }, true, ['encrypt'])", "NotSupportedError"),
        ("subtle.digest('SHA-256', 'a text')", "TypeError"),
        ("subtle.digest('SHA-256')", "TypeError"),
        ("subtle.digest('SHA-256', new Uint8Array((32 << 20) + 1))", "OperationError"),
        ("raw(new Uint8Array(15), 'AES-GCM', 'encrypt')", "DataError"),
        ("raw(new Uint8Array(16), 'AES-GCM', 'sign')", "SyntaxError"),
        (
            "subtle.importKey('jwk', { kty: 'oct', k: '?' }, 'AES-GCM', true, ['encrypt'])",
            "DataError"
        ),
        (
            "subtle.importKey('spki', bytes('3003020100'), { name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify'])",
            "DataError"
        ),
        (
            "subtle.importKey('spki', bytes('30ffffffffff'), { name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify'])",
            "DataError"
        ),
        (
            "raw(new Uint8Array(1), 'PBKDF2', 'deriveBits')", "SyntaxError"
        ),
        (
            "subtle.importKey('raw', new Uint8Array(1), 'PBKDF2', false, ['deriveBits']).then((key) => subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-1', salt: new Uint8Array(0), iterations: 1 }, key, 2 ** 31))",
            "OperationError"
        ),
    ])
    func `what is wrong or too large is refused by name`(script: String, error: String) throws {
        #expect(try Self.lines("show(() => \(script))") == [error])
    }

    @Test func `operations survive an app that replaces the built-ins`() throws {
        let lines = try Self.lines(
            """
            const show2 = console.log, text = hex, { prototype } = Uint8Array, then = Promise.prototype.then;
            const data = ascii("abc");
            for (const object of [Array, Uint8Array, Object.getPrototypeOf(Uint8Array), Map, Promise, String]) {
                for (const name of Object.getOwnPropertyNames(object.prototype)) {
                    if (name === "constructor" || name === "then") continue;
                    try { object.prototype[name] = () => { throw new Error("replaced"); }; } catch {}
                }
            }
            Object.defineProperty(Array.prototype, 0, { set() { throw new Error("setter"); }, configurable: true });
            const finish = (digest) => {
                delete Array.prototype[0];
                show2(digest.byteLength);
            };
            then.call(crypto.subtle.digest("SHA-256", data), finish, (error) => {
                delete Array.prototype[0];
                show2(error.message);
            });
            """)
        #expect(lines == ["32"])
    }

    @Test func `accessors on Object.prototype receive neither primitives nor keys`() throws {
        let lines = try Self.lines(
            """
            let count = 0;
            for (const name of [
                "digest", "hmac", "hkdf", "pbkdf2", "aesCBC", "aesCTR", "sealGCM", "openGCM", "wrap", "unwrap", "generate",
                "publicPoint", "isPoint", "decompress", "ecdh", "sign", "verify", "isEqual", "namedCurve", "parts",
            ]) {
                Object.defineProperty(Object.prototype, name, {
                    configurable: true, set() { count++; }, get() { count++; return () => new Uint8Array(32); },
                });
            }
            (async () => {
                const algorithm = { __proto__: null, name: "HMAC", hash: "SHA-256" };
                const key = await raw(new Uint8Array([1, 2, 3]), algorithm, "sign");
                console.log(hex(await subtle.sign("HMAC", key, new Uint8Array(1))).slice(0, 8), count);
            })();
            """)
        #expect(lines == ["d5b05509 0"])
    }

    @Test func `a class that the app puts between others receives no key of theirs`() throws {
        let lines = try Self.lines(
            """
            let key;
            for (const type of [PerformanceMark, PerformanceMeasure, XMLHttpRequest, XMLHttpRequestUpload, File]) {
                Object.setPrototypeOf(type, function (first) { key = first; });
                for (const make of [
                    () => performance.mark("x"), () => performance.measure("x"), () => new XMLHttpRequest().upload,
                    () => new File([], "x"),
                ]) { try { make(); } catch {} }
                show(() => new CryptoKey(key, {}));
            }
            """)
        #expect(lines == Array(repeating: "TypeError", count: 5))
    }

    @Test func `keys that are not extractable are not exported`() throws {
        let lines = try Self.lines(
            """
            (async () => {
                const key = await subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt"]);
                await show(() => subtle.exportKey("raw", key));
                Object.defineProperty(key, "extractable", { value: true });
                await show(() => subtle.exportKey("jwk", key));
                console.log(JSON.stringify(key.algorithm), String(key), key instanceof CryptoKey);
            })();
            """)
        #expect(
            lines == [
                "InvalidAccessError", "InvalidAccessError",
                #"{"name":"AES-GCM","length":256} [object CryptoKey] true"#,
            ])
    }

    @Test func `keys are reproducible in runs with a seed`() throws {
        func key(_ seed: UInt64) throws -> [String] {
            let script =
                Self.prelude
                + "subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits'])"
                + ".then(({ publicKey }) => subtle.exportKey('raw', publicKey)).then((key) => console.log(hex(key)))"
            return try RunOfApp(inVirtualTimeFrom: 0, seed: seed, script).lines
        }
        let first = try key(1)
        #expect(first.count == 1)
        #expect(try key(1) == first)
        #expect(try key(2) != first)
    }
}
