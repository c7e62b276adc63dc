import TestSupport
import Testing
import Text

@testable import Commands

/// Tables on terminals of any width.
struct TableTests {
    private static func table(_ rows: [[String]]) -> Table {
        var table = Table(["NAME", "SINCE", "TERMS"])
        for row in rows { table.add(row) }
        return table
    }

    private static let rows = [
        ["hello-sensors", "2026-11-21 06:52:47", "every sample, at most 1/s, the last 1h"],
        ["demo", "2026-11-21 06:52:52", "–"],
    ]

    @Test func `without a terminal every cell is complete`() {
        let lines = Self.table(Self.rows).lines(columns: nil)
        #expect(
            lines == [
                "NAME           SINCE                TERMS",
                "hello-sensors  2026-11-21 06:52:47  every sample, at most 1/s, the last 1h",
                "demo           2026-11-21 06:52:52  –",
            ])
        #expect(Self.table(Self.rows).lines(columns: 80) == lines)
    }

    @Test(arguments: [
        (
            60,
            [
                "NAME           SINCE                TERMS",
                "hello-sensors  2026-11-21 06:52:47  every sample, at most 1…",
                "demo           2026-11-21 06:52:52  –",
            ]
        ),
        (
            41,
            [
                "NAME       SINCE                TERMS",
                "hello-se…  2026-11-21 06:52:47  every sa…",
                "demo       2026-11-21 06:52:52  –",
            ]
        ),
    ])
    func `the widest text is shortened, and never a time`(columns: Int, lines: [String]) {
        #expect(Self.table(Self.rows).lines(columns: columns) == lines)
    }

    @Test func `a terminal that is too narrow gets lists`() {
        let lines = Self.table(Self.rows).lines(columns: 30)
        #expect(
            lines == [
                "NAME   hello-sensors", "SINCE  2026-11-21 06:52:47",
                "TERMS  every sample, at most …", "", "NAME   demo",
                "SINCE  2026-11-21 06:52:52", "TERMS  –",
            ])
    }

    @Test func `columns of numbers are omitted, the last ones first, and listed`() {
        var table = Table(["TIME"] + (1...9).map { "core\($0)" }, overflow: .omission)
        table.add(["2026-11-21 06:52:47"] + (1...9).map { "\($0 * 10) %" })
        #expect(
            table.lines(columns: 40) == [
                "TIME                 core1  core2  …", "2026-11-21 06:52:47  10 %   20 %   …",
            ])
        #expect(table.omitted(columns: 40) == (3...9).map { "core\($0)" })
        #expect(table.omitted(columns: nil).isEmpty && table.omitted(columns: 200).isEmpty)
    }

    @Test func `wide characters and combining marks are counted as a terminal shows them`() {
        var table = Table("NAME", "PLACE", "END")
        table.add("温度計", "a", "x")
        table.add("e\u{301}tage", "b", "x")
        #expect(
            table.lines(columns: nil) == [
                "NAME    PLACE  END", "温度計  a      x", "e\u{301}tage   b      x",
            ])
        var long = Table("NAME", "TITLE")
        long.add("a", String(repeating: "温", count: 30))
        #expect(long.lines(columns: 20).last == "a     " + String(repeating: "温", count: 6) + "…")
    }

    @Test func `no line of a random table exceeds the width`() {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var random = SplitMix(state: seed)
        let pieces = ["temperature", "温度", "–", "e\u{301}", " of ", "😀", "x", "12 "]
        for _ in 0..<200 {
            let count = Int.random(in: 1...7, using: &random)
            var table = Table((0..<count).map { "HEADER\($0)" })
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                table.add(
                    (0..<count).map { _ in
                        (0..<Int.random(in: 1...9, using: &random)).map { _ in
                            pieces.randomElement(using: &random) ?? ""
                        }.joined()
                    })
            }
            let limit = Int.random(in: 20...130, using: &random)
            for line in table.lines(columns: limit) {
                #expect(line.displayColumns <= limit, "\(limit): \(line)")
            }
        }
    }

    @Test func `rows that come later widen a table as far as there is room`() {
        var layout = TableLayout([["TIME", "busy"], ["1", "5 %"]], columns: 14)
        #expect(layout.line(["1", "5 %"]) == "1     5 %")
        layout.grow(for: ["12", "100.25 %"], columns: 14)
        #expect(layout.line(["12", "100.25 %"]) == "12    100.25 %")
        layout.grow(for: ["123456789", "7 %"], columns: 14)
        // A number is never cut.
        #expect(layout.line(["123456789", "7 %"]) == "123456789  7 %")
    }
}
