import Samples
import TestSupport
import Testing

@testable import Ingest

struct RoundTripTests {
    private static func number(_ random: inout SplitMix) -> Double {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return Double(Int.random(in: -100_000...100_000, using: &random)) / 1000
        case 1: return Double(Int.random(in: -4096...4096, using: &random)) * 9.80665 / 16384
        case 2:
            return [
                0, -0.0, 1e15, 1e-4, 9.999e-5, .leastNonzeroMagnitude, 999_999_999_999_999, 1e22,
                -1e300,
            ]
            .randomElement(using: &random) ?? 0
        case 3: return Double.random(in: -1...1, using: &random)
        case 4: return Double(Int64.random(in: .min ... .max, using: &random)) / 1024
        default:
            let value = Double(bitPattern: random.next())
            return value.isFinite ? value : 1
        }
    }

    private static func text(_ random: inout SplitMix) -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "\"", ",", "\n", "\r", "\\", "é", "😀", "\u{1}", "\u{2028}", "\0", "t", "\u{301}",
        ]
        let length = Int.random(in: 0...20, using: &random)
        var text = String.UnicodeScalarView()
        for _ in 0..<length { text.append(scalars.randomElement(using: &random) ?? "a") }
        return String(text)
    }

    private static func batch(_ count: Int, _ random: inout SplitMix) -> SampleBatch {
        var (times, numbers, integers) = ([Timestamp](), [Double](), [Int64]())
        var (states, notes) = ([String](), [String]())
        for _ in 0..<count {
            let wide = Bool.random(using: &random)
            let time =
                wide
                ? Int64.random(in: .min ..< .max, using: &random)
                : Int64.random(in: -2000...2_000_000_000_000_000, using: &random)
            times.append(Timestamp(microseconds: time))
            numbers.append(number(&random))
            let integer = Int64.random(in: .min ... .max, using: &random)
            integers.append(integer >> Int64.random(in: 0...63, using: &random))
            states.append(["on", "off", "charging"].randomElement(using: &random) ?? "")
            notes.append(text(&random))
        }
        return SampleBatch(
            times: times,
            columns: [.numbers(numbers), .integers(integers), .texts(states), .texts(notes)])
    }

    @Test(arguments: SampleFormat.allCases.filter { $0 != .senml })
    func `written samples are restored to the last bit, however the input is split`(
        format: SampleFormat
    ) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(state: seed)
        for _ in 0..<40 {
            let batch = Self.batch(Int.random(in: 1...60, using: &random), &random)
            let bytes = TestParser.bytes(batch, format, of: TestParser.gauge)
            let piece = Int.random(in: 1...(1 << 12), using: &random)
            let read = try TestParser.samples(bytes, format, of: TestParser.gauge, piece: piece)
            #expect(read.times == batch.times, "seed \(seed)")
            #expect(read.columns.dropFirst() == batch.columns.dropFirst(), "seed \(seed)")
            guard case .numbers(let found) = read.columns[0],
                case .numbers(let given) = batch.columns[0]
            else {
                Issue.record("no numbers, seed \(seed)")
                return
            }
            #expect(found.map(\.bitPattern) == given.map(\.bitPattern), "seed \(seed)")
        }
    }

    @Test func `numbers are written as by the standard library`() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(state: seed)
        let values = (0..<20_000).map { _ in Self.number(&random) }
        let times = values.map { _ in Timestamp(microseconds: 0) }
        let bytes = TestParser.bytes(
            SampleBatch(times: times, columns: [.numbers(values)]), .csv,
            of: [Field("x", unit: "1")])
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").dropFirst()
        #expect(lines.count == values.count)
        for (line, value) in zip(lines, values) where line != "0,\(value)" {
            Issue.record("\(line) is not \(value), seed \(seed)")
        }
    }

    @Test func `numbers are parsed as by the standard library`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(state: seed)
        for _ in 0..<5000 {
            var text = Bool.random(using: &random) ? "-" : ""
            let digits = Int.random(in: 1...25, using: &random)
            text += "\(Int.random(in: 1...9, using: &random))"
            for _ in 1..<max(2, digits) { text += "\(Int.random(in: 0...9, using: &random))" }
            if Bool.random(using: &random) {
                text += "."
                for _ in 0..<Int.random(in: 1...25, using: &random) {
                    text += "\(Int.random(in: 0...9, using: &random))"
                }
            }
            if Bool.random(using: &random) {
                text += "e\(Int.random(in: -320...280, using: &random))"
            }
            let wanted = try #require(Double(text), "\(text)")
            let found = try TestParser.samples("x,y\n\(text),0\n", .csv).columns[0]
            #expect(found == .numbers([wanted]), "\(text), seed \(seed)")
        }
    }

    @Test func `random bytes never trap`() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(state: seed)
        let alphabet = Array("{}[]\":,.-+eE0123456789txyxy \n\r\\u\"\"NVC\u{1}é".utf8)
        for _ in 0..<20_000 {
            let length = Int.random(in: 0...60, using: &random)
            let bytes = (0..<length).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            for format in SampleFormat.allCases {
                _ = TestParser.fault(bytes, format, piece: Int.random(in: 1...20, using: &random))
            }
        }
    }
}
