import Testing
import Text

struct RandomNameTests {
    @Test func `a random name is of 16 digits, and none comes twice`() {
        let names = (0..<10_000).map { _ in RandomName.make() }
        #expect(names.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{16}/) != nil })
        #expect(Set(names).count == names.count)
        // One of sixteen begins with a zero, which must not be left out.
        #expect(names.contains { $0.hasPrefix("0") })
    }
}
