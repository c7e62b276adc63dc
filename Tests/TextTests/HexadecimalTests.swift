import Testing
import Text

struct HexadecimalTests {
    @Test(arguments: [[], [0x00], [0x0F, 0xF0], Array(0...255)] as [[UInt8]])
    func `bytes are read as they were written`(_ bytes: [UInt8]) {
        let text = bytes.hexadecimal
        #expect(text.utf8.count == 2 * bytes.count)
        #expect([UInt8](hexadecimal: text) == bytes)
    }

    @Test func `a byte is two lower-case digits`() {
        #expect(([0x0A, 0xBC, 0x09] as [UInt8]).hexadecimal == "0abc09")
    }

    @Test(arguments: ["a", "abc", "0g", "AB", " a", "+1", "ä0"])
    func `other texts are not bytes`(_ text: String) {
        #expect([UInt8](hexadecimal: text) == nil)
    }
}

struct RandomNameTests {
    @Test func `random names have 16 digits and do not repeat`() {
        let names = (0..<10_000).map { _ in RandomName.make() }
        #expect(names.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{16}/) != nil })
        #expect(Set(names).count == names.count)
        // One of sixteen begins with a zero, which must not be omitted.
        #expect(names.contains { $0.hasPrefix("0") })
    }
}
