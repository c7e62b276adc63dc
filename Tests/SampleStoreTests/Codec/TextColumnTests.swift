import Foundation
import TestSupport
import Testing

@testable import SampleStore

struct TextColumnTests {
    private let seed = UInt64.random(in: .min ... .max)

    private static let pieces = [
        "", "a", "on", "off", "é", "e\u{301}", "\0", "a\0b", "\u{FEFF}x", "\u{10FFFF}", "日本語",
        "\r\n", "\u{1F468}\u{200D}\u{1F469}",
    ]

    /// With few different texts, with many, and with all different.
    @Test(arguments: [1, 3, 13, 100_000])
    func `texts are restored scalar by scalar`(variety: Int) throws {
        var random = SplitMix(state: seed)
        for count in Array(1...140) + [255, 256, 257, 1000] {
            let texts = (0..<count).map { _ in
                let number = Int.random(in: 0..<variety, using: &random)
                return Self.pieces[number % Self.pieces.count]
                    + (number < Self.pieces.count ? "" : "\(number)")
            }
            try check(texts)
        }
    }

    @Test func `equivalent texts with different bytes stay different`() throws {
        try check((0..<200).map { $0.isMultiple(of: 3) ? "é" : "e\u{301}" })
        try check((0..<3).map { $0 == 1 ? "é" : "e\u{301}" })
    }

    @Test func `long texts are restored`() throws {
        var random = SplitMix(state: seed)
        let long = String(repeating: "x", count: 1 << 20)
        let rich = String(
            decoding: (0..<1 << 20).map { _ in UInt8.random(in: 32..<127, using: &random) },
            as: UTF8.self)
        try check([long])
        try check([rich, long, "", rich])
        try check([long, long, rich, rich, long])
    }

    private func check(_ texts: [String]) throws {
        var writer = ByteWriter()
        TextColumn.encode(texts, onto: &writer)
        let found = try writer.bytes.withUnsafeBytes { raw in
            try TextColumn.decode(raw, count: texts.count)
        }
        try #require(found.count == texts.count)
        for (one, other) in zip(texts, found) {
            try #require(one.utf8.elementsEqual(other.utf8), "seed \(seed)")
        }
    }
}
