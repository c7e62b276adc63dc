import Testing
import Text

struct RandomNameTests {
    @Test func `random names have 16 digits and do not repeat`() {
        let names = (0..<10_000).map { _ in RandomName.make() }
        #expect(names.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{16}/) != nil })
        #expect(Set(names).count == names.count)
        // One of sixteen begins with a zero, which must not be omitted.
        #expect(names.contains { $0.hasPrefix("0") })
    }
}
