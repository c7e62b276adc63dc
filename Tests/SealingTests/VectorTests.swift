import Crypto
import Foundation
import TestSupport
import Testing
import Text

@testable import Sealing

/// Examples of the specifications.
struct VectorTests {
    @Test func `a key is derived as in RFC 9106, section 5.3`() throws {
        let key = try Argon2id.key(
            from: SecretBytes(copying: [UInt8](repeating: 1, count: 32)),
            salt: [UInt8](repeating: 2, count: 16),
            costs: Argon2idCosts(memory: 32, passes: 3, lanes: 4),
            secret: [UInt8](repeating: 3, count: 8),
            associatedData: [UInt8](repeating: 4, count: 12))
        #expect(
            key.withUnsafeBytes { $0.hexadecimal }
                == "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659")
    }

    /// RFC 9180, A.2.1: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, ChaCha20Poly1305, base mode.
    @Test func `the suite opens the first message of RFC 9180, A.2.1`() throws {
        let key = try Curve25519.KeyAgreement.PrivateKey(
            rawRepresentation: bytes(
                "8057991eef8f1f1af18f4a9491d16a1ce333f695d4db8e38da75975c4478e0fb"))
        #expect(
            key.publicKey.rawRepresentation.hexadecimal
                == "4310ee97d88cc1f088a5576c77ab0cf5c3ac797f3d95139c6c84b5429c59662a")
        var recipient = try HPKE.Recipient(
            privateKey: key, ciphersuite: OwnerPublicKey.suite,
            info: Data(bytes("4f6465206f6e2061204772656369616e2055726e")),
            encapsulatedKey: Data(
                bytes("1afa08d3dec047a643885163f1180476fa7ddb54c6a8029ea33f95796bf2ac4a")))
        let plain = try recipient.open(
            Data(
                bytes(
                    "1c5250d8034ec2b784ba2cfd69dbdb8af406cfe3ff938e131f0def8c8b60b4db21993c62ce81883d2dd1b51a28"
                )), authenticating: Data(bytes("436f756e742d30")))
        #expect(String(decoding: plain, as: UTF8.self) == "Beauty is truth, truth beauty")
    }

    @Test(arguments: [
        ("A12UEL5L", "a12uel5l", "a"),
        (
            "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw",
            "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw", "abcdef"
        ),
    ])
    func `a valid text of BIP 173 is decoded and encoded`(
        text: String, lower: String, prefix: String
    ) throws {
        let bytes = try #require(Bech32.decode(text, prefix: prefix))
        #expect(Bech32.encode(bytes, prefix: prefix) == lower)
    }

    @Test(arguments: ["A1G7SGD8", "10a06t8", "1qzzfhee", "x1b4n0q5v", "li1dgmt3", "de1lg7wt\u{7F}"])
    func `an invalid text of BIP 173 is refused`(text: String) {
        let prefix = String(text.lowercased().prefix { $0 != "1" })
        #expect(Bech32.decode(text, prefix: prefix) == nil)
    }

    private func bytes(_ hexadecimal: String) -> [UInt8] {
        [UInt8](hexadecimal: hexadecimal) ?? []
    }
}

/// Test vectors of others, in folders that the environment names.
///
/// `NERVOUS_AGE_TESTKIT` is the folder `age/testdata` of https://github.com/C2SP/CCTV, and
/// `NERVOUS_WYCHEPROOF` the folder `testvectors_v1` of https://github.com/C2SP/wycheproof.
@Suite(.blocking)
struct ForeignVectorTests {
    private static let kit = ProcessInfo.processInfo.environment["NERVOUS_AGE_TESTKIT"]
    private static let wycheproof = ProcessInfo.processInfo.environment["NERVOUS_WYCHEPROOF"]

    /// A file of the test kit: fields, an empty line, and the encrypted file.
    private struct KitFile {
        let fields: [String: [String]]
        let file: [UInt8]

        init?(_ data: Data) {
            guard let end = data.range(of: Data("\n\n".utf8)) else { return nil }
            var fields: [String: [String]] = [:]
            for line in String(decoding: data[..<end.lowerBound], as: UTF8.self).split(
                separator: "\n")
            {
                let parts = line.split(separator: ":", maxSplits: 1)
                fields[String(parts[0]), default: []].append(
                    parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
            }
            self.fields = fields
            file = Array(data[end.upperBound...])
        }

        /// Whether it concerns binary files with one X25519 identity.
        var isSupported: Bool {
            fields["armored"] == nil && fields["passphrase"] == nil && fields["compressed"] == nil
                && fields["identity"]?.count == 1
                && fields["identity"]?[0].hasPrefix("AGE-SECRET-KEY-1") == true
        }
    }

    @Test(.enabled(if: kit != nil, "NERVOUS_AGE_TESTKIT is not set"))
    func `each file of the test kit of age is opened or refused as it demands`() throws {
        let folder = try #require(Self.kit)
        var opened = 0
        var refused = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
            let data = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
            guard let vector = KitFile(data), vector.isSupported,
                let text = vector.fields["identity"]?[0]
            else { continue }
            let identity = try AgeIdentity(file: text)
            let plain = try? AgeFile.decrypt(vector.file, with: identity)
            if vector.fields["expect"] == ["success"] {
                opened += 1
                let hash = plain?.withUnsafeBytes { SHA256.hash(data: $0).hexadecimal }
                #expect(hash == vector.fields["payload"]?[0], "\(name)")
            } else {
                refused += 1
                #expect(plain == nil, "\(name)")
            }
        }
        #expect(opened >= 7 && refused >= 40, "\(opened) opened, \(refused) refused")
        print("age test kit: \(opened) files opened, \(refused) refused")
    }

    private struct Wycheproof: Decodable {
        struct Group: Decodable {
            let ivSize: Int?
            let tagSize: Int?
            let tests: [Vector]
        }

        struct Vector: Decodable {
            let tcId: Int
            let result: String
            var `public`, `private`, shared: String?
            var ikm, salt, info, okm: String?
            let size: Int?
            var key, iv, aad, msg, ct, tag: String?
        }

        let testGroups: [Group]
    }

    private static func groups(_ name: String) throws -> [Wycheproof.Group] {
        let folder = try #require(wycheproof)
        let data = try Data(contentsOf: URL(filePath: "\(folder)/\(name)_test.json"))
        return try JSONDecoder().decode(Wycheproof.self, from: data).testGroups
    }

    private static func data(_ text: String?) throws -> Data {
        let bytes = text.flatMap { [UInt8](hexadecimal: $0) }
        return Data(try #require(bytes))
    }

    @Test(.enabled(if: wycheproof != nil, "NERVOUS_WYCHEPROOF is not set"))
    func `X25519 agrees with Wycheproof, and refuses keys of small order`() throws {
        var count = 0
        for vector in try Self.groups("x25519").flatMap(\.tests) {
            count += 1
            let key = try Curve25519.KeyAgreement.PrivateKey(
                rawRepresentation: Self.data(vector.private))
            let secret = try? key.sharedSecretFromKeyAgreement(
                with: .init(rawRepresentation: Self.data(vector.public)))
            let shared = secret?.withUnsafeBytes { $0.hexadecimal }
            if try Self.data(vector.shared).allSatisfy({ $0 == 0 }) {
                #expect(shared == nil || shared == vector.shared, "\(vector.tcId)")
            } else {
                #expect(shared == vector.shared, "\(vector.tcId)")
            }
        }
        #expect(count > 400)
    }

    @Test(.enabled(if: wycheproof != nil, "NERVOUS_WYCHEPROOF is not set"))
    func `HKDF-SHA256 agrees with Wycheproof`() throws {
        var count = 0
        for vector in try Self.groups("hkdf_sha256").flatMap(\.tests) where vector.result == "valid"
        {
            count += 1
            let key = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: try Self.data(vector.ikm)),
                salt: try Self.data(vector.salt), info: try Self.data(vector.info),
                outputByteCount: try #require(vector.size))
            #expect(key.withUnsafeBytes { $0.hexadecimal } == vector.okm, "\(vector.tcId)")
        }
        #expect(count > 50)
    }

    @Test(
        .enabled(if: wycheproof != nil, "NERVOUS_WYCHEPROOF is not set"),
        arguments: ["chacha20_poly1305", "aes_gcm"])
    func `authenticated encryption agrees with Wycheproof`(name: String) throws {
        var count = 0
        for group in try Self.groups(name) where group.ivSize == 96 && group.tagSize == 128 {
            for vector in group.tests {
                count += 1
                let key = SymmetricKey(data: try Self.data(vector.key))
                let (nonce, aad) = (try Self.data(vector.iv), try Self.data(vector.aad))
                let (ciphertext, tag) = (try Self.data(vector.ct), try Self.data(vector.tag))
                let plain: Data? =
                    name == "aes_gcm"
                    ? try? AES.GCM.open(
                        .init(nonce: .init(data: nonce), ciphertext: ciphertext, tag: tag),
                        using: key, authenticating: aad)
                    : try? ChaChaPoly.open(
                        .init(nonce: .init(data: nonce), ciphertext: ciphertext, tag: tag),
                        using: key, authenticating: aad)
                #expect(
                    plain == (vector.result == "valid" ? try Self.data(vector.msg) : nil),
                    "\(vector.tcId)")
            }
        }
        #expect(count > 50)
    }
}
