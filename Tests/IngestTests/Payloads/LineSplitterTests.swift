import Ingest
import TestSupport
import Testing

struct LineSplitterTests {
    private static func lines(_ pieces: [String], limit: Int = 64) -> [String] {
        var splitter = LineSplitter(limit: limit)
        return pieces.flatMap { splitter.take($0.utf8) }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        arguments: [
            (["a\nb\n"], ["a", "b"]), (["a\r\nb\r\n"], ["a", "b"]), (["a\rb\r"], ["a", "b"]),
            (["a\r", "\nb", "\n"], ["a", "b"]), (["a"], []), (["a", "b", "c\n"], ["abc"]),
            (["\n\r\n\r\r\n"], []), ([""], []), (["\n"], []), ([" \n"], [" "]),
            (["first\nsec", "ond\nthi", "rd"], ["first", "second"]),
        ] as [([String], [String])])
    func `lines end with LF, CR or both, however the input is split`(
        pieces: [String], lines: [String]
    ) {
        #expect(Self.lines(pieces) == lines)
    }

    @Test func `a text gives the same lines however it is split`() {
        let text = "Switch state: 1\r\nBattery Level: 97.7%\n\r\nSwitch state: 0\rend"
        let whole = Self.lines([text])
        #expect(whole == ["Switch state: 1", "Battery Level: 97.7%", "Switch state: 0"])
        let bytes = Array(text.utf8)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                var splitter = LineSplitter()
                let parts = [bytes[..<first], bytes[first..<second], bytes[second...]]
                let lines = parts.flatMap { splitter.take($0) }
                #expect(lines.map { String(decoding: $0, as: UTF8.self) } == whole)
            }
        }
    }

    @Test func `a line that is too long is dropped and counted, and the next is read`() {
        var splitter = LineSplitter(limit: 4)
        #expect(splitter.take("1234\n12345\n123\n".utf8) == ["1234", "123"].map { Array($0.utf8) })
        #expect(splitter.overlong == 1)
        // An endless line takes bounded memory and counts as one.
        for _ in 0..<1000 { #expect(splitter.take("xxxxxxxxxx".utf8).isEmpty) }
        #expect(splitter.overlong == 2)
        #expect(splitter.take("\nok\n".utf8) == [Array("ok".utf8)])
    }

    @Test func `a line can contain any bytes except line ends`() {
        var splitter = LineSplitter()
        let junk = (UInt8.min...UInt8.max).filter { $0 != 10 && $0 != 13 }
        #expect(splitter.take(junk + [10]) == [junk])
        #expect(splitter.overlong == 0)
    }

    @Test func `an incomplete line is discarded or returned on request`() {
        var splitter = LineSplitter()
        #expect(splitter.take("cut o".utf8).isEmpty)
        splitter.reset()
        #expect(splitter.take("new\nlast".utf8) == [Array("new".utf8)])
        #expect(splitter.end() == Array("last".utf8))
        #expect(splitter.end() == nil)
        var short = LineSplitter(limit: 1)
        #expect(short.take("12".utf8).isEmpty)
        #expect(short.end() == nil)
    }

    @Test func `the limit is at least one byte`() {
        var splitter = LineSplitter(limit: -5)
        #expect(splitter.limit == 1)
        #expect(splitter.take("a\nbb\nc\n".utf8) == [[0x61], [0x63]])
    }
}
