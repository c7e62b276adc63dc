import CWebCrypto

extension Primitive {
    /// The algorithms of `crypto.subtle`.
    ///
    /// Each returns nothing if the operation fails, such as when data was tampered with.
    static func crypto(of run: Run) -> [Primitive] {
        [
            Primitive("digest") { arguments throws(PrimitiveError) in
                let hash: UInt32 = try arguments.integer(0)
                let data = try arguments.input(1)
                return .made(nervous_digest_size(hash)) { nervous_digest(hash, data, $0) }
            },
            Primitive("hmac") { arguments throws(PrimitiveError) in
                let hash: UInt32 = try arguments.integer(0)
                let key = try arguments.input(1)
                let data = try arguments.input(2)
                return .made(nervous_digest_size(hash)) { nervous_hmac(hash, key, data, $0) }
            },
            Primitive("hkdf") { arguments throws(PrimitiveError) in
                let hash: UInt32 = try arguments.integer(0)
                let secret = try arguments.input(1)
                let salt = try arguments.input(2)
                let info = try arguments.input(3)
                let count = try arguments.count(4)
                return .made(count) { nervous_hkdf(hash, secret, salt, info, $0, count) }
            },
            Primitive("pbkdf2") { arguments throws(PrimitiveError) in
                let hash: UInt32 = try arguments.integer(0)
                let password = try arguments.input(1)
                let salt = try arguments.input(2)
                let iterations: UInt32 = try arguments.integer(3)
                let count = try arguments.count(4)
                return .made(count) {
                    nervous_pbkdf2(hash, password, salt, iterations, $0, count)
                }
            },
            Primitive("sealGCM") { arguments throws(PrimitiveError) in try seal(arguments) },
            Primitive("openGCM") { arguments throws(PrimitiveError) in try open(arguments) },
            Primitive("aesCBC") { arguments throws(PrimitiveError) in
                let key = try arguments.input(0)
                let iv = try arguments.input(1)
                let data = try arguments.input(2)
                let encrypts = try arguments.number(3) == 1
                return .made(data.count) { nervous_aes_cbc(key, iv, data, encrypts, $0) }
            },
            Primitive("aesCTR") { arguments throws(PrimitiveError) in
                let key = try arguments.input(0)
                let counter = try arguments.input(1)
                let bits: UInt32 = try arguments.integer(2)
                let data = try arguments.input(3)
                return .made(data.count) { nervous_aes_ctr(key, counter, bits, data, $0) }
            },
            Primitive("wrap") { arguments throws(PrimitiveError) in
                let key = try arguments.input(0)
                let data = try arguments.input(1)
                return .made(data.count + 8) { nervous_aes_wrap(key, data, $0) }
            },
            Primitive("unwrap") { arguments throws(PrimitiveError) in
                let key = try arguments.input(0)
                let data = try arguments.input(1)
                return .made(max(0, data.count - 8)) { nervous_aes_unwrap(key, data, $0) }
            },
            Primitive("generate") { [unowned run] arguments throws(PrimitiveError) in
                let curve: UInt32 = try arguments.integer(0)
                let size = nervous_curve_size(curve)
                return .made(3 * size) { key in
                    run.withRandom {
                        nervous_curve_generate(curve, $0, $1, key, key?.advanced(by: size))
                    }
                }
            },
            Primitive("publicPoint") { arguments throws(PrimitiveError) in
                let curve: UInt32 = try arguments.integer(0)
                let key = try arguments.input(1)
                return .made(2 * nervous_curve_size(curve)) {
                    nervous_curve_public(curve, key, $0)
                }
            },
            Primitive("isPoint") { arguments throws(PrimitiveError) in
                .number(
                    nervous_curve_has(try arguments.integer(0), try arguments.input(1)) ? 1 : 0)
            },
            Primitive("decompress") { arguments throws(PrimitiveError) in
                let curve: UInt32 = try arguments.integer(0)
                let point = try arguments.input(1)
                return .made(2 * nervous_curve_size(curve)) {
                    nervous_curve_decompress(curve, point, $0)
                }
            },
            Primitive("ecdh") { arguments throws(PrimitiveError) in
                let curve: UInt32 = try arguments.integer(0)
                let key = try arguments.input(1)
                let point = try arguments.input(2)
                return .made(nervous_curve_size(curve)) { nervous_ecdh(curve, key, point, $0) }
            },
            Primitive("sign") { [unowned run] arguments throws(PrimitiveError) in
                let curve: UInt32 = try arguments.integer(0)
                let key = try arguments.input(1)
                let digest = try arguments.input(2)
                return .made(2 * nervous_curve_size(curve)) { signature in
                    run.withRandom {
                        nervous_ecdsa_sign(curve, key, digest, $0, $1, signature)
                    }
                }
            },
            Primitive("verify") { arguments throws(PrimitiveError) in
                .number(
                    nervous_ecdsa_verify(
                        try arguments.integer(0), try arguments.input(1), try arguments.input(2),
                        try arguments.input(3)) ? 1 : 0)
            },
            Primitive("isEqual") { arguments throws(PrimitiveError) in
                let left = try arguments.input(0)
                let right = try arguments.input(1)
                let isEqual =
                    left.count == right.count
                    && nervous_bytes_equal(left.bytes, right.bytes, left.count)
                return .number(isEqual ? 1 : 0)
            },
        ]
    }

    /// The number of bytes of a complete tag.
    private static let tag = 16

    /// The encrypted data, followed by the first bytes of its tag.
    private static func seal(_ arguments: Arguments) throws(PrimitiveError) -> PrimitiveResult {
        let key = try arguments.input(0)
        let iv = try arguments.input(1)
        let additional = try arguments.input(2)
        let data = try arguments.input(3)
        let length: UInt32 = try arguments.integer(4)
        guard length <= tag else { throw PrimitiveError("a tag is too long") }
        return .made(data.count + Int(length)) { result in
            var made = [UInt8](repeating: 0, count: tag)
            guard nervous_aes_gcm(key, iv, additional, data, true, result, &made) else {
                return false
            }
            for index in 0..<Int(length) { result?[data.count + index] = made[index] }
            return true
        }
    }

    private static func open(_ arguments: Arguments) throws(PrimitiveError) -> PrimitiveResult {
        let key = try arguments.input(0)
        let iv = try arguments.input(1)
        let additional = try arguments.input(2)
        var data = try arguments.input(3)
        let length: UInt32 = try arguments.integer(4)
        guard length <= tag, length <= data.count else { return .nothing }
        data.count -= Int(length)
        let given = data.bytes?.advanced(by: data.count)
        return .made(data.count) { result in
            var made = [UInt8](repeating: 0, count: tag)
            return nervous_aes_gcm(key, iv, additional, data, false, result, &made)
                && nervous_bytes_equal(made, given, Int(length))
        }
    }
}

extension PrimitiveResult {
    /// The `count` bytes that `make` writes; nothing if it fails.
    fileprivate static func made(
        _ count: Int, by make: (UnsafeMutablePointer<UInt8>?) -> Bool
    ) -> PrimitiveResult {
        var isMade = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            isMade = make(buffer.baseAddress)
            used = isMade ? count : 0
        }
        return isMade ? .bytes(bytes) : .nothing
    }
}

extension Arguments {
    /// The memory of a `Uint8Array`, valid until the primitive returns.
    fileprivate func input(_ index: Int) throws(PrimitiveError) -> nervous_bytes {
        let memory = try buffer(index, limit: Limits.cryptoInput)
        return nervous_bytes(
            bytes: UnsafePointer(memory.baseAddress?.assumingMemoryBound(to: UInt8.self)),
            count: memory.count)
    }

    /// The number of bytes to derive.
    fileprivate func count(_ index: Int) throws(PrimitiveError) -> Int {
        let count: UInt32 = try integer(index)
        guard count <= Limits.derived else { throw PrimitiveError("there are too many bytes") }
        return Int(count)
    }
}

extension Run {
    /// Calls `body` with a source of random numbers and its context.
    fileprivate func withRandom<T>(
        _ body: (nervous_random, UnsafeMutableRawPointer) -> T
    ) -> T {
        body(
            { context, count, bytes in
                guard let context else { return }
                let run = Unmanaged<Run>.fromOpaque(context).takeUnretainedValue()
                run.fillRandom(UnsafeMutableRawBufferPointer(start: bytes, count: count))
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
