import Foundation
import Samples
import TestSupport
import Testing

@testable import Auth

/// Tokens that their holders narrow; `docs/attenuate.py` is a second implementation.
@Suite(.blocking)
struct AttenuatedTokenTests {
    private static let everything = Caveat(
        label: "sub-agent", sensors: ["network.eth0", "cpu"], access: .stats, maximumRate: 0.25,
        precision: 0.1, history: .seconds(90), expires: Timestamp(microseconds: 1_800_000_000_123))

    private static func caveats() throws -> [Caveat] {
        [
            try #require(everything), try #require(Caveat()), try #require(Caveat(access: .write)),
            try #require(Caveat(sensors: (0..<32).compactMap { SensorID("s\($0)") })),
            try #require(
                Caveat(label: "a", maximumRate: .leastNonzeroMagnitude, precision: 1.7e308)),
        ]
    }

    @Test func `blocks are read in their order, and each ends where the next begins`() throws {
        let parent = Token()
        var text = parent.text
        var added: [Caveat] = []
        for caveat in try Self.caveats() {
            added.append(caveat)
            text = try AttenuatedToken(narrowing: text, by: caveat).text
            let token = try #require(AttenuatedToken(text))
            #expect(token.caveats == added)
            #expect(token.isAuthentic && !token.isSealed && token.text == text)
            #expect(token.root == parent.rootPublicKey)
        }
    }

    @Test func `a sealed token cannot be narrowed, and one of 16 blocks neither`() throws {
        let caveat = try #require(Caveat(label: "x"))
        var text = Token().text
        for _ in 0..<AttenuatedToken.blockLimit {
            let sealed = try AttenuatedToken(narrowing: text, by: caveat, seals: true)
            #expect(sealed.isSealed && AttenuatedToken(sealed.text)?.isAuthentic == true)
            let error = #expect(throws: AuthError.self) {
                try AttenuatedToken(narrowing: sealed.text, by: caveat)
            }
            #expect(error?.code == .invalidToken)
            text = try AttenuatedToken(narrowing: text, by: caveat).text
        }
        #expect(AttenuatedToken(text)?.isAuthentic == true)
        #expect(throws: AuthError.self) { try AttenuatedToken(narrowing: text, by: caveat) }
        #expect(throws: AuthError.self) { try AttenuatedToken(narrowing: "nvs_x", by: caveat) }
    }

    @Test(arguments: [false, true])
    func `a token of which one byte is changed is not authentic`(isSealed: Bool) throws {
        let first = try AttenuatedToken(narrowing: Token().text, by: try #require(Self.everything))
        let token = try AttenuatedToken(
            narrowing: first.text, by: try #require(Caveat(sensors: ["cpu"])), seals: isSealed)
        let body = try #require([UInt8](base64URL: token.text.dropFirst(4))).dropLast(3)
        for position in body.indices {
            var changed = Array(body)
            changed[position] ^= 1 << UInt8(position % 8)
            #expect(AttenuatedToken(body: changed)?.isAuthentic != true, "byte \(position)")
        }
        for length in 0..<body.count {
            #expect(AttenuatedToken(body: Array(body.prefix(length))) == nil, "\(length) bytes")
        }
        #expect(AttenuatedToken(body: Array(body) + [0]) == nil)
        #expect(AttenuatedToken(body: Array(body))?.isAuthentic == true)
    }

    @Test func `blocks cannot be removed, reordered or taken from another token`() throws {
        let caveats = try Self.caveats()
        func chain(_ parent: Token, _ caveats: [Caveat]) throws -> AttenuatedToken {
            var text = parent.text
            for caveat in caveats { text = try AttenuatedToken(narrowing: text, by: caveat).text }
            return try #require(AttenuatedToken(text))
        }
        let (parent, other) = (Token(), Token())
        let (token, foreign) = (try chain(parent, caveats), try chain(other, caveats))
        let (blocks, rest) = try #require(token.rawBlocks)
        let (others, _) = try #require(foreign.rawBlocks)
        func joined(_ blocks: [[UInt8]]) -> AttenuatedToken? {
            AttenuatedToken(
                body: [1] + [UInt8](token.root) + [UInt8(blocks.count)] + blocks.flatMap(\.self)
                    + rest)
        }
        #expect(joined(blocks)?.isAuthentic == true)
        for index in blocks.indices {
            var fewer = blocks
            fewer.remove(at: index)
            #expect(joined(fewer)?.isAuthentic != true)
            var mixed = blocks
            mixed[index] = others[index]
            #expect(joined(mixed)?.isAuthentic != true)
            var moved = blocks
            moved.swapAt(index, (index + 1) % blocks.count)
            #expect(joined(moved)?.isAuthentic != true)
        }
    }

    @Test func `a payload has one form`() throws {
        let key = [UInt8](repeating: 7, count: 32)
        func payload(_ entries: [[UInt8]]) -> [UInt8] {
            key + entries.flatMap { [$0[0], UInt8($0.count - 1)] + $0.dropFirst() }
        }
        func isRead(_ payload: [UInt8]) -> Bool {
            let block =
                [UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
                + [UInt8](repeating: 0, count: 64)
            return AttenuatedToken(body: [1] + key + [1] + block + [0] + key) != nil
        }
        let (cpu, load): ([UInt8], [UInt8]) = ([2] + "cpu".utf8, [2] + "load".utf8)
        let one = [UInt8]([0x3F, 0xF0, 0, 0, 0, 0, 0, 0])
        #expect(isRead(payload([])))
        #expect(isRead(payload([[1] + "a-1".utf8, cpu, load, [3, 2], [4] + one])))
        for entries: [[UInt8]] in [
            [load, cpu], [cpu, cpu], [[3, 2], cpu], [[3, 2], [3, 2]], [[3, 0]], [[3, 4]],
            [[3, 1, 1]],
            [[4] + one, [4] + one], [[4, 0x3F, 0xF0]], [[4] + [UInt8](repeating: 0, count: 8)],
            [[4, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0]], [[5, 0xBF, 0xF0, 0, 0, 0, 0, 0, 0]],
            [[6] + [UInt8](repeating: 0, count: 8)], [[6] + [UInt8](repeating: 0xFF, count: 8)],
            [[1]], [[1] + "A".utf8], [[1] + String(repeating: "a", count: 33).utf8], [[2]],
            [[2] + "C".utf8], [[0]], [[8]], [[255, 1]],
        ] {
            #expect(!isRead(payload(entries)), "\(entries)")
        }
        #expect(!isRead(Array(key.dropLast())) && !isRead(key + [1]) && !isRead(key + [1, 9, 97]))
    }

    @Test func `random text is not a token, and never a trap`() throws {
        var random = SplitMix(state: 23)
        let token = try AttenuatedToken(narrowing: Token().text, by: try #require(Self.everything))
        let body = try #require([UInt8](base64URL: token.text.dropFirst(4))).dropLast(3)
        for _ in 0..<20_000 {
            var bytes = Array(body)
            for _ in 0...Int.random(in: 0...6, using: &random) {
                let position = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: position)
                default: bytes.insert(UInt8.random(in: 0...3, using: &random), at: position)
                }
            }
            // What is read has one form.
            if let read = AttenuatedToken(body: bytes) {
                #expect(read.text == AttenuatedToken.text(of: bytes))
            }
        }
        for text in ["nvc_", "nvc_A", "nvc_====", "nvc_é", "nvs_", "", "nvc_" + token.text] {
            #expect(AttenuatedToken(text) == nil)
        }
    }

    @Test func `the documented Python script makes and reads the same tokens`() throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/attenuate.py").path()
        func python(_ words: [String], _ text: String) throws -> String {
            let program = try Program(
                "/usr/bin/env", ["python3", script] + words, input: .pipe, output: .pipe)
            try program.write(Array(text.utf8))
            program.endInput()
            let output = String(decoding: try program.readToEnd(), as: UTF8.self)
            #expect(try program.wait() == 0)
            return output.trimmingCharacters(in: .newlines)
        }
        let parent = Token()
        let words = [
            "expires=1800000000123", "sensor=network.eth0", "access=stats", "rate=0.25",
            "label=sub-agent", "sensor=cpu", "precision=0.1", "history=90000000",
        ]
        let theirs = try #require(AttenuatedToken(try python(words, parent.text)))
        #expect(theirs.isAuthentic)
        #expect(theirs.caveats == [try #require(Self.everything)])
        #expect(theirs.root == parent.rootPublicKey)
        let ours = try AttenuatedToken(
            narrowing: theirs.text, by: try #require(Caveat(label: "b", access: .raw)))
        let sealed = try #require(
            AttenuatedToken(try python(["sensor=cpu", "seal=yes"], ours.text)))
        #expect(sealed.isAuthentic && sealed.isSealed && sealed.caveats.count == 3)
        #expect(
            try python(["--show"], sealed.text) == """
                label=sub-agent sensor=cpu sensor=network.eth0 access=stats rate=0.25 precision=0.1 \
                history=90000000 expires=1800000000123
                label=b access=raw
                sensor=cpu
                sealed
                """)
    }

}

extension AttenuatedToken {
    /// Reads a body to which the right checksum is added.
    fileprivate init?(body: [UInt8]) { self.init(Self.text(of: body)) }

    /// The bytes of each block, and those of the proof.
    fileprivate var rawBlocks: (blocks: [[UInt8]], proof: [UInt8])? {
        guard let bytes = [UInt8](base64URL: text.dropFirst(4)) else { return nil }
        var rest = bytes.dropLast(3)[34...]
        var blocks: [[UInt8]] = []
        for _ in caveats {
            let first = rest.startIndex
            let length = 66 + Int(rest[first]) << 8 + Int(rest[first + 1])
            blocks.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return (blocks, Array(rest))
    }
}
