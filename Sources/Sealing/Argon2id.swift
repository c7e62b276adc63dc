import CArgon2
import Glibc

/// The costs of deriving a key from a passphrase, stored beside what the key protects.
public struct Argon2idCosts: Hashable, Sendable, Codable {
    /// In KiB.
    public let memory: UInt32
    /// The number of passes over the memory.
    public let passes: UInt32
    /// The number of lanes.
    public let lanes: UInt32

    public init(memory: UInt32, passes: UInt32, lanes: UInt32) {
        (self.memory, self.passes, self.lanes) = (memory, passes, lanes)
    }

    /// The second recommended choice of RFC 9106, section 4: 64 MiB, 3 passes, 4 lanes.
    public static let standard = Argon2idCosts(memory: 64 << 10, passes: 3, lanes: 4)

    /// Whether this host computes with them: at most 1 GiB, 64 passes and 64 lanes, so that a changed file
    /// cannot exhaust the machine.
    var isAcceptable: Bool {
        (8 * lanes...1 << 20).contains(memory) && (1...64).contains(passes)
            && (1...64).contains(lanes)
    }
}

/// Argon2id, version 1.3, of RFC 9106.
enum Argon2id {
    /// - Parameters:
    ///   - salt: at least 8 bytes.
    ///   - secret: an additional key, if any.
    ///   - associatedData: what the key is bound to.
    ///   - count: the number of bytes of the result.
    /// - Throws: `damaged` for costs that are not acceptable; `memory` if there is not enough of it.
    static func key(
        from passphrase: SecretBytes, salt: [UInt8], costs: Argon2idCosts, secret: [UInt8] = [],
        associatedData: [UInt8] = [], count: Int = 32
    ) throws(SealingError) -> SecretBytes {
        guard costs.isAcceptable, salt.count >= 8 else {
            throw SealingError(.damaged, "The parameters of the passphrase are not acceptable.")
        }
        // The library takes pointers to mutable memory, and changes only the output.
        var (salt, secret, associatedData) = (salt, secret, associatedData)
        let processors = UInt32(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        return try SecretBytes(count: count) { (output) throws(SealingError) in
            let result = passphrase.withUnsafeBytes { password in
                salt.withUnsafeMutableBufferPointer { salt in
                    secret.withUnsafeMutableBufferPointer { secret in
                        associatedData.withUnsafeMutableBufferPointer { associatedData in
                            var context = argon2_context()
                            context.out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
                            context.outlen = UInt32(output.count)
                            context.pwd = UnsafeMutablePointer(
                                mutating: password.baseAddress?.assumingMemoryBound(
                                    to: UInt8.self))
                            context.pwdlen = UInt32(password.count)
                            context.salt = salt.baseAddress
                            context.saltlen = UInt32(salt.count)
                            context.secret = secret.isEmpty ? nil : secret.baseAddress
                            context.secretlen = UInt32(secret.count)
                            context.ad = associatedData.isEmpty ? nil : associatedData.baseAddress
                            context.adlen = UInt32(associatedData.count)
                            (context.m_cost, context.t_cost) = (costs.memory, costs.passes)
                            context.lanes = costs.lanes
                            context.threads = min(costs.lanes, processors)
                            context.version = UInt32(ARGON2_VERSION_13.rawValue)
                            return argon2id_ctx(&context)
                        }
                    }
                }
            }
            guard result == ARGON2_OK.rawValue else {
                throw SealingError(
                    .memory,
                    "No key can be derived from the passphrase: \(String(cString: argon2_error_message(result)))."
                )
            }
        }
    }
}
