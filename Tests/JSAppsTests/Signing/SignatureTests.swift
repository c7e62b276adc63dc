import Auth
import Foundation
import TestSupport
import Testing
import Text

@testable import JSApps

@Suite(.blocking)
struct SignatureTests {
    private static let signature = """
        {
          "format": 1,
          "algorithm": "ed25519",
          "key": "nvpub_03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8c52f39",
          "signature": "e99d43b8bf94e73b53bac9e1c1adbfbc3bf6a4d67172d18f4b8e8b10e25d19b1\
        f96f389301de0892cc99b62fb66ecac28f3ae0a159761aee1ac3831f3c078108"
        }

        """

    /// The numbers were computed by another implementation, from the specification alone.
    @Test func `the signature of the specified example is the specified one`() throws {
        let signed = try SignedPackage.vector.signed()
        let written = try #require(signed.files[PackageSignature.fileName])
        #expect(String(decoding: written, as: UTF8.self) == Self.signature)
        let package = try signed.checked()
        let message = String(
            decoding: PackageSignature.message(package.manifest, package.files), as: UTF8.self)
        #expect(
            message == """
                nervous package 1
                my-app
                1.0.0
                e6921f8889cb94c2a7d6e0c67219f38ba774d4c5ef1881bde6bb6a6e7abaa3c2

                """)
        #expect(
            package.signer?.fingerprint
                == "ed25519:56475aa75463474c0285df5dbf2bcab73da651358839e9b77481b2eab107708c")
        #expect(package.signer?.shortFingerprint == "ed25519:56475aa75463474c")
    }

    @Test func `openssl accepts the signature and rejects any other`() throws {
        let folder = try TemporaryFolder()
        let key = try SigningKey(SignedPackage.secret)
        let package = try SignedPackage.vector.checked()
        let message = PackageSignature.message(package.manifest, package.files)
        // RFC 8410: an Ed25519 key is encoded as these twelve bytes and the key.
        let header: [UInt8] = [0x30, 0x2A, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 3, 0x21, 0]
        let publicKey = try folder.write("key.der", header + key.signer.bytes)
        func accepts(_ message: [UInt8], _ signature: [UInt8]) throws -> Bool {
            let text = try folder.write("message", message)
            let file = try folder.write("signature", signature)
            let words =
                ["pkeyutl", "-verify", "-rawin", "-pubin", "-keyform", "DER"]
                + ["-inkey", publicKey.path(), "-in", text.path(), "-sigfile", file.path()]
            return try Program("/usr/bin/openssl", words).wait() == 0
        }
        var signature = try key.signature(of: message)
        #expect(try accepts(message, signature))
        #expect(try !accepts(message + [0x0A], signature))
        signature[0] ^= 1
        #expect(try !accepts(message, signature))
    }

    @Test func `a change of any byte invalidates the signature`() throws {
        let signed = try SignedPackage.vector.signed()
        #expect(try signed.fault() == nil)
        for (path, bytes) in signed.files {
            for index in bytes.indices {
                for bit in [UInt8(1), 0x20, 0x80] {
                    let changed = signed.changed { $0.files[path]?[index] ^= bit }
                    let fault = try changed.fault()
                    #expect(
                        fault == .badSignature || path == "package.json" && fault != nil,
                        "byte \(index) of \(path) with \(bit)")
                }
            }
            for longer in [bytes + [0x0A], [0x20] + bytes, Array(bytes.dropLast())] {
                #expect(try signed.changed { $0.files[path] = longer }.fault() != nil, "\(path)")
            }
        }
    }

    private static let changes: [(String, @Sendable (inout SignedPackage) -> Void)] = [
        ("an additional file", { $0.files["more.js"] = [] }),
        ("an additional file in a folder", { $0.files["images/x.svg"] = Array("<svg/>\n".utf8) }),
        ("a missing file", { $0.files["images/grün.svg"] = nil }),
        (
            "a file under another name",
            { $0.files["images/gruen.svg"] = $0.files.removeValue(forKey: "images/grün.svg") }
        ),
        (
            "a name in another Unicode form",
            {
                $0.files["images/gru\u{308}n.svg"] = $0.files.removeValue(forKey: "images/grün.svg")
            }
        ),
        (
            "two exchanged files",
            {
                ($0.files["app.js"], $0.files["app.html"]) = (
                    $0.files["app.html"], $0.files["app.js"]
                )
            }
        ),
        (
            "another version",
            {
                $0.files["package.json"] = Array(
                    #"{"name": "my-app", "version": "1.0.1", "privileges": []}"#.utf8)
            }
        ),
        (
            "another name",
            {
                $0.folder = "other"
                $0.files["package.json"] = Array(
                    #"{"name": "other", "version": "1.0.0", "privileges": []}"#.utf8)
            }
        ),
    ]

    @Test(arguments: changes.indices)
    func `added, removed, renamed and exchanged files are detected`(index: Int) throws {
        let (what, change) = Self.changes[index]
        #expect(
            try SignedPackage.vector.signed().changed(change).fault() == .badSignature, "\(what)")
    }

    @Test func `a signature of another key, or for another package, is rejected`() throws {
        let signed = try SignedPackage.vector.signed()
        let other = try SignedPackage.vector.signed(by: SignedPackage.otherSecret)
        func text(_ package: SignedPackage) -> String {
            String(decoding: package.files[PackageSignature.fileName] ?? [], as: UTF8.self)
        }
        let lines = zip(text(signed).split(separator: "\n"), text(other).split(separator: "\n"))
        // The key of one signer and the signature of another.
        let mixed = lines.map { $0.contains("\"key\"") ? $1 : $0 }.joined(separator: "\n") + "\n"
        let swapped = signed.changed { $0.files[PackageSignature.fileName] = Array(mixed.utf8) }
        #expect(try swapped.fault() == .badSignature)
        var newer = SignedPackage.vector
        newer.files["app.js"] = []
        let signature = try newer.signed().files[PackageSignature.fileName]
        let carried = signed.changed { $0.files[PackageSignature.fileName] = signature }
        #expect(try carried.fault() == .badSignature)
    }

    private static let malformed: [(String, String)] = [
        ("empty", ""), ("no object", "[]\n"), ("an empty object", "{}\n"),
        ("not JSON", "signed\n"), ("a repeated key", replacing("\"algorithm\"", "\"format\"")),
        ("another format", replacing("\"format\": 1", "\"format\": 2")),
        ("another algorithm", replacing("ed25519", "rsa")),
        ("a shorter key", replacing("c52f39", "c52f")),
        ("a mistyped key", replacing("nvpub_03a1", "nvpub_03a2")),
        ("a private key", replacing("nvpub_", "nvsec_")),
        ("a shorter signature", replacing("8108", "81")),
        ("a signature in capitals", replacing("e99d43b8bf", "E99D43B8BF")),
        ("other spaces", replacing("  \"format\": 1", "\t\"format\": 1")),
        ("an additional member", replacing("\"format\": 1,", "\"format\": 1, \"x\": 1,")),
        ("no line break at the end", String(signature.dropLast())),
        ("an additional line break", signature + "\n"),
        ("a large file", signature + String(repeating: " ", count: 9000)),
    ]

    private static func replacing(_ text: String, _ other: String) -> String {
        signature.replacingOccurrences(of: text, with: other)
    }

    @Test(arguments: malformed)
    func `a signature in another form is refused`(name: String, text: String) throws {
        let package = SignedPackage.vector.changed {
            $0.files[PackageSignature.fileName] = Array(text.utf8)
        }
        #expect(try package.fault() == .badSignature)
    }

    @Test(arguments: [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    ])
    func `a key of small order is rejected`(digits: String) throws {
        let bytes = try #require([UInt8](hexadecimal: digits))
        #expect(SignerKey(bytes) == nil)
        #expect(SignerKey(KeyText.signer.encode(bytes)) == nil)
    }
}
