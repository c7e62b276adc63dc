import Foundation
import Samples
import Testing

@testable import VM

struct ReadingTests {
    @Test func `a file beyond the limit is malformed, one at the limit is read`() throws {
        let tree = try FixtureTree(["sys/value": String(repeating: "x", count: 65_537)])
        let file = SystemFile(tree.path("sys/value"))
        #expect(throws: SensorError.self) { try file.text() }
        #expect(try file.text(limit: 65_537).utf8.count == 65_537)
    }

    @Test func `a named pipe without a writer does not hold up the reader`() throws {
        let tree = try FixtureTree(["sys/x": ""])
        let path = tree.path("sys/pipe")
        #expect(mkfifo(path, 0o600) == 0)
        #expect(try SystemFile(path).text().isEmpty)
    }

    @Test(arguments: [
        (ENOENT, SensorError.Code.gone), (ENODEV, .gone), (ENXIO, .gone), (ENOTDIR, .gone),
        (EIO, .unreadable), (ENODATA, .unreadable), (EACCES, .unreadable), (EAGAIN, .unreadable),
    ])
    func `system errors distinguish missing hardware from a failed read`(
        number: Int32, code: SensorError.Code
    ) {
        #expect(SystemFile("/x").failure(number).code == code)
    }

    @Test func `truncated names stay unique within the length limit of identifiers`() {
        var names = InstanceNames(of: "network")
        let long = String(repeating: "a", count: 100)
        let ids = (0..<12).map { names.claim("\(long)\($0)") }
        #expect(Set(ids).count == 12)
        #expect(ids.allSatisfy { $0.description.utf8.count <= SensorID.maximumLength })
    }

    @Test(arguments: ["x\u{301}", "a\u{20E3}", "é", "Ａ", "１", "a..b", "a-", "-a", ""])
    func `identifiers consist of lower-case ASCII`(text: String) {
        #expect(SensorID(text) == nil)
    }

    @Test func `growth beyond 64 bits does not trap`() {
        var growth = CounterGrowth()
        #expect(growth.perSecond([0], at: .nanoseconds(Int64.min)) == nil)
        let rate = growth.perSecond([.max], at: .nanoseconds(Int64.max))
        #expect(rate?.first?.isFinite == true)
        #expect(growth.perSecond([.max], at: .nanoseconds(Int64.min)) == nil)
    }

    @Test(arguments: [
        ("plain", "plain"), ("a\u{1B}[31mb", "a[31mb"), ("\u{202E}abc", "abc"), ("a\nb", "ab"),
    ])
    func `titles contain no control or formatting characters`(text: String, title: String) {
        #expect(text.printable == title)
    }

    @Test(arguments: [
        ("Package id 0", "packageId0"), ("Tctl", "tctl"), ("CPU Fan", "cpuFan"),
        ("+3.3V", "in0"), ("", "in0"), ("___", "in0"), ("日本", "in0"),
    ])
    func `labels become camelCase`(label: String, name: String) {
        var names = FieldNames()
        #expect(names.claim(label: label, fallback: "in0") == name)
    }
}
