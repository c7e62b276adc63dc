import Foundation
import Testing

@testable import Commands

/// Sparklines, and the values that they show.
struct SparklineTests {
    @Test(
        arguments: [
            ([0, 1, 2, 3, 4, 5, 6, 7], "▁▂▃▄▅▆▇█"), ([7, 0], "█▁"), ([-1, nil, 1], "▁ █"),
            ([5, 5, 5], "▄▄▄"), ([], ""), ([nil, nil], "  "), ([.nan, 1, 2], " ▁█"),
            ([-.greatestFiniteMagnitude, 0, .greatestFiniteMagnitude], "▁▅█"), ([1], "▄"),
            ([.infinity, 3, 4], " ▁█"), ([1, 1.0000001], "▁█"),
        ] as [([Double?], String)])
    func `the smallest value is the lowest block and the largest the highest`(
        values: [Double?], text: String
    ) {
        #expect(Sparkline.text(values) == text)
        #expect(text.unicodeScalars.allSatisfy { $0 == " " || Sparkline.scalars.contains($0) })
    }

    private static func recent(_ points: [(Double, Double)]) -> RecentValues {
        var values = RecentValues(length: 60_000)
        for (time, value) in points { values.add(value, at: time) }
        return values
    }

    @Test func `an interval has the mean of its samples, or the previous value if it has none`() {
        let values = Self.recent([(61_000, 2), (62_000, 4), (85_000, 9)])
        #expect(
            values.means(count: 6, until: 119_999) == [3, 3, 9, 9, 9, 9])
        // Ten seconds later everything has moved by one interval.
        #expect(values.means(count: 6, until: 120_000) == [4, 9, 9, 9, 9, 9])
        #expect(
            Self.recent([(95_000, 1)]).means(count: 6, until: 119_999) == [
                nil, nil, nil, 1, 1, 1,
            ])
    }

    @Test func `older values are ignored, and only the last minute is kept`() {
        var values = Self.recent([(1000, 1), (2000, 2), (1500, 7), (2000, 8)])
        #expect(values.means(count: 1, until: 59_999) == [1.5])
        values.add(5, at: 62_500)
        // The last value before the minute is still valid at its beginning.
        #expect(values.means(count: 60, until: 62_500).first == 2)
        values.add(6, at: 1_000_000)
        #expect(values.means(count: 2, until: 1_000_000) == [5, 6])
    }

    @Test func `events end at empty lines, and comments and positions are none`() {
        var parser = ServerSentEventParser()
        let text = """
            : opening
            id: 1

            id: 2
            event: sample
            data: {"t":1}

            data:x
            data: y

            event: problem

            data: z
            """
        let events = text.split(separator: "\n", omittingEmptySubsequences: false).compactMap {
            parser.take(Data($0.utf8))
        }
        #expect(
            events == [
                ServerSentEvent(name: "sample", data: Data(#"{"t":1}"#.utf8)),
                ServerSentEvent(name: "message", data: Data("x\ny".utf8)),
            ])
    }
}
