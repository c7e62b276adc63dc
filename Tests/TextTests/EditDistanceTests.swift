import Testing
import Text

struct EditDistanceTests {
    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("sensors", "sensors", 0), ("sensrs", "sensors", 1),
        ("sesnors", "sensors", 1), ("grnat", "grant", 1), ("kitten", "sitting", 3),
        ("ca", "abc", 3),
    ])
    func `counts letters and exchanges`(first: String, second: String, distance: Int) {
        #expect(first.editDistance(to: second, countsExchanges: true) == distance)
        #expect(second.editDistance(to: first, countsExchanges: true) == distance)
    }

    @Test func `an exchange is two replacements unless it is counted`() {
        #expect("grnat".editDistance(to: "grant") == 2)
        #expect("grnat".utf8.editDistance(to: "grant".utf8) == 2)
    }
}
