import Foundation
import Sealing
import TestSupport
import Testing

struct OwnerKeyTests {
    @Test func `what is sealed to the public key is opened by the private one, at its place only`()
        throws
    {
        var generator = SplitMix(state: 1)
        let key = try OwnerKey()
        for count in [0, 1, 31, 4096, 100_000] {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            let sealed = try key.publicKey.seal(bytes, for: .secret, at: "app/a/b")
            #expect(sealed.count == count + OwnerPublicKey.overhead)
            #expect(try key.open(sealed, for: .secret, at: "app/a/b").bytes == bytes)
            #expect(code { try key.open(sealed, for: .secret, at: "app/a/c") } == .damaged)
            #expect(code { try key.open(sealed, for: .store, at: "app/a/b") } == .damaged)
            #expect(
                code { try OwnerKey().open(sealed, for: .secret, at: "app/a/b") } == .damaged)
        }
    }

    @Test func `equal bytes have different sealed forms`() throws {
        let key = try OwnerKey().publicKey
        let forms = try (0..<100).map { _ in
            try key.seal(Array("same".utf8), for: .secret, at: "a")
        }
        #expect(Set(forms).count == 100)
    }

    @Test func `a sealed form with any changed, missing or additional byte is refused`() throws {
        let key = try OwnerKey()
        let sealed = try key.publicKey.seal(Array("value".utf8), for: .secret, at: "a")
        for index in sealed.indices {
            for bit in [UInt8(1), 0x80] {
                var changed = sealed
                changed[index] ^= bit
                #expect(code { try key.open(changed, for: .secret, at: "a") } == .damaged)
            }
            #expect(
                code { try key.open(Array(sealed[..<index]), for: .secret, at: "a") } == .damaged)
        }
        #expect(code { try key.open(sealed + [0], for: .secret, at: "a") } == .damaged)
    }

    @Test func `a public key of small order is refused`() throws {
        for small: [UInt8] in [
            [], [1, 2], .init(repeating: 0, count: 32), [1] + .init(repeating: 0, count: 31),
        ] {
            #expect(code { try OwnerPublicKey(small) } == .damaged)
        }
    }

    @Test func `the memory of a secret is locked, not dumped, and zero in a forked process`()
        throws
    {
        let secret = try SecretBytes(copying: Array("a secret value".utf8))
        let address = secret.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/smaps"))
        let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        var flags: Substring?
        var isInside = false
        for line in maps.split(separator: "\n") {
            if let range = line.firstMatch(of: #/^([0-9a-f]+)-([0-9a-f]+) /#) {
                let (start, end) = (UInt(range.1, radix: 16) ?? 0, UInt(range.2, radix: 16) ?? 0)
                isInside = (start..<end).contains(address)
            } else if isInside, line.hasPrefix("VmFlags:") {
                flags = line
            }
        }
        let words = try #require(flags).split(separator: " ")
        #expect(Set(words).isSuperset(of: ["lo", "dd", "wf"]))
        #expect(secret.bytes == Array("a secret value".utf8))
    }
}

extension SecretBytes {
    var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}

/// The code of the error that an operation throws; `nil` if it does not.
func code(_ body: () throws -> some Any) -> SealingError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? SealingError)?.code
    }
}
