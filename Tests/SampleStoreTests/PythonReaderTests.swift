import Foundation
import Samples
import TestSupport
import Testing

@testable import SampleStore

/// The Python reader in `docs/`, which shares no code with the store.
@Suite(.blocking)
struct PythonReaderTests {
    private static let script = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/read-samples.py")
    private static let python: URL? =
        ["/usr/bin/python3", "/usr/local/bin/python3"]
        .map { URL(filePath: $0) }.first { FileManager.default.isExecutableFile(atPath: $0.path()) }
        ?? (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { URL(filePath: "\($0)/python3") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path()) }

    private let seed = UInt64.random(in: .min ... .max)

    @Test(.enabled(if: PythonReaderTests.python != nil, "needs Python 3"))
    func `another program reads every value of every kind of column`() async throws {
        let folder = try TemporaryStore()
        var random = SplitMix(state: seed)
        let rules = ChunkRules(chunkSize: 700, unsealedRows: 2)
        let integers = IntegerSeries.allCases.map { Field("\($0)", unit: "1", kind: .integer) }
        let numbers = NumberSeries.allCases.map { Field("n.\($0)", unit: "Cel") }
        let texts = [Field("state", kind: .state), Field("note", kind: .text)]
        let fields = integers + numbers + texts
        let store = try await folder.open(fields, rules: rules)
        var times: [Int64] = []
        for count in [1, 5, 128, 129, 600, 700, 3, 260] {
            let start = 1_790_000_000_000_000 + Int64(times.count) * 1_000_000
            let batch = SampleBatch(
                times: (0..<count).map { row in
                    Timestamp(microseconds: start + Int64(row) * 999_983 / 3)
                },
                columns: IntegerSeries.allCases.map { .integers($0.values(count, &random)) }
                    + NumberSeries.allCases.map { .numbers($0.values(count, &random)) }
                    + [
                        .texts((0..<count).map { ["on", "off", "é"][$0 % 3] }),
                        .texts((0..<count).map { "line \($0 * 31)\tof 日本語\n" }),
                    ])
            times += batch.times.map(\.microseconds)
            try await store.append(batch, to: "probe")
            // The last three batches are in the journal.
            if times.count <= 1500 {
                try await store.flush()
            } else {
                try await store.flushToJournal()
            }
        }
        let samples = try await store.all()
        #expect(samples.count == times.count)
        let lines = try WriterProcess(
            try #require(Self.python), [Self.script.path(), folder.path, "probe"]
        ).lines()
        #expect(lines.first?.hasPrefix("time\tconstant [1]\tsmall [1]") == true, "seed \(seed)")
        try #require(lines.count == samples.count + 1, "seed \(seed)")
        for (line, sample) in zip(lines.dropFirst(), samples) {
            let words = line.split(separator: "\t", omittingEmptySubsequences: false)
            try #require(words.count == fields.count + 1)
            #expect(words[0] == sample.time.description)
            for (word, value) in zip(words.dropFirst(), sample.values) {
                try #require(Self.isEqual(String(word), value), "seed \(seed): \(word), \(value)")
            }
        }
        try await store.close()
    }

    private static func isEqual(_ word: String, _ value: Value) -> Bool {
        switch value {
        case .integer(let integer): Int64(word) == integer
        case .number(let number): Double(word)?.bitPattern == number.bitPattern
        case .text(let text):
            word.unicodeScalars.elementsEqual(
                text.replacing("\t", with: "\\t").replacing("\n", with: "\\n").unicodeScalars)
        }
    }
}
