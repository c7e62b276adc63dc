import Samples
import TestSupport
import Testing

@testable import VM

struct NetworkDriverTests {
    private static let headings = """
        Inter-|   Receive                    |  Transmit
         face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs

        """
    private static let loopback = "    lo: 7 1 0 0 0 0 0 0 7 1 0 0 0 0 0 0\n"

    private func tree(_ lines: String) throws -> FixtureTree {
        try FixtureTree(["proc/net/dev": Self.headings + lines])
    }

    @Test func `rates are the growth of the counters per second`() throws {
        let tree = try tree(Self.loopback + "  eth0: 1000 10 1 2 0 0 0 0 500 5 3 4 0 0 0 0\n")
        let time = ManualTime()
        let discovery = Discovery(NetworkDriver(roots: tree.roots, awake: time.awake))
        #expect(discovery.ids == ["network.eth0"])
        var reader = try discovery.reader("network.eth0")
        #expect(try reader.read() == nil)
        time.advance(by: .seconds(4))
        let line = "eth0:3000 30 1 2 0 0 0 0 900 9 3 4 0 0 0 0\n"
        try tree.write(Self.headings + line, to: "proc/net/dev")
        let values = try discovery.named("network.eth0", try #require(try reader.read()))
        #expect(
            values == [
                "rxRate": .number(500), "txRate": .number(100), "rxPacketRate": .number(5),
                "txPacketRate": .number(1), "rxBytes": .integer(3000), "txBytes": .integer(900),
                "rxPackets": .integer(30), "txPackets": .integer(9), "rxErrors": .integer(1),
                "txErrors": .integer(3), "rxDropped": .integer(2), "txDropped": .integer(4),
            ])
    }

    @Test func `loopback is listed only if it is the only interface`() throws {
        let tree = try tree(Self.loopback)
        #expect(Discovery(NetworkDriver(roots: tree.roots)).ids == ["network.lo"])
    }

    @Test func `names that reduce to the same identifier are numbered`() throws {
        let numbers = ": 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
        let tree = try tree(["eth0.1", "eth0-1", "Ärger", "###"].map { $0 + numbers }.joined())
        let ids = Discovery(NetworkDriver(roots: tree.roots)).ids
        #expect(
            ids == ["network.eth0-1", "network.eth0-1-2", "network.rger", "network.unnamed"])
    }

    @Test func `a replaced interface gives no sample, a removed one is gone`() throws {
        let tree = try tree("eth0: 1000 10 1 2 0 0 0 0 500 5 3 4 0 0 0 0\n")
        let time = ManualTime()
        var reader = try Discovery(NetworkDriver(roots: tree.roots, awake: time.awake))
            .reader("network.eth0")
        _ = try reader.read()
        time.advance(by: .seconds(1))
        let line = "eth0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
        try tree.write(Self.headings + line, to: "proc/net/dev")
        #expect(try reader.read() == nil)
        try tree.write(Self.headings, to: "proc/net/dev")
        #expect(failure(of: reader) == .gone)
    }

    @Test(arguments: ["eth0:", "eth0: 1 2 3", "eth0: 1 -2 3 4 5 6 7 8 9 10 11 12", "eth0: x"])
    func `a short or invalid line is malformed`(line: String) throws {
        let tree = try tree(line)
        let reader = try Discovery(NetworkDriver(roots: tree.roots)).reader("network.eth0")
        #expect(failure(of: reader) == .malformed)
    }

    @Test(arguments: ["", "no table at all"])
    func `a machine without interfaces has an unavailable sensor`(text: String) throws {
        let tree = try FixtureTree(["proc/net/dev": text])
        let missing = try Discovery(NetworkDriver(roots: tree.roots)).missing("network")
        #expect(missing.reason.hasPrefix("no interface in"))
    }
}
