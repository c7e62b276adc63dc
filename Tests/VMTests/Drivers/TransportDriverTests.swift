import Samples
import TestSupport
import Testing

@testable import VM

/// The signal of Wi-Fi and the counters of TCP and UDP.
struct TransportDriverTests {
    private static let headings = """
        Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE
         face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22

        """
    private static let snmp = """
        Ip: Forwarding DefaultTTL
        Ip: 1 64
        Tcp: MaxConn ActiveOpens PassiveOpens AttemptFails CurrEstab InSegs OutSegs RetransSegs
        Tcp: -1 3556 230 341 161 57252008 54915039 227
        Udp: InDatagrams NoPorts InErrors OutDatagrams
        Udp: 88542 120 0 53028

        """
    private static let later = """
        Tcp: MaxConn ActiveOpens PassiveOpens AttemptFails CurrEstab InSegs OutSegs RetransSegs
        Tcp: -1 3566 231 341 150 57252108 54915059 229
        Udp: InDatagrams NoPorts InErrors OutDatagrams
        Udp: 88552 120 2 53048

        """

    @Test func `the level of a Wi-Fi interface is in dBm and its quality a share of 70`() throws {
        let row = "wlp0s20f3: 0000   63.  -47.  -256  0  0  0  0  1584  3\n"
        let tree = try FixtureTree(["proc/net/wireless": Self.headings + row])
        let discovery = Discovery(WiFiDriver(roots: tree.roots))
        #expect(discovery.ids == ["wifi-signal.wlp0s20f3"])
        #expect(
            try discovery.values("wifi-signal.wlp0s20f3") == [
                "signal": .number(-47), "quality": .number(90), "missedBeacons": .integer(3),
            ])
        let reader = try discovery.reader("wifi-signal.wlp0s20f3")
        try tree.write(Self.headings, to: "proc/net/wireless")
        #expect(failure(of: reader) == .gone)
    }

    @Test(arguments: ["0 0 0", "63. 200. 0", "63. 0 0", "90. -47. 0", "-1 -47. 0", "a -47. 0"])
    func `an interface without a level in dBm is unavailable`(figures: String) throws {
        let row = "wlan0: 0000 \(figures) 0 0 0 0 0 0\n"
        let tree = try FixtureTree(["proc/net/wireless": Self.headings + row])
        let missing = try Discovery(WiFiDriver(roots: tree.roots)).missing("wifi-signal.wlan0")
        #expect(missing.reason.hasSuffix("for wlan0") && missing.remedy != nil)
    }

    @Test func `a machine without Wi-Fi is told how to get it`() throws {
        let tree = try FixtureTree(["proc/net/wireless": Self.headings])
        let driver = WiFiDriver(roots: tree.roots)
        #expect(try Discovery(driver).missing("wifi-signal").reason.hasPrefix("no Wi-Fi interface"))
        try tree.remove("proc/net/wireless")
        #expect(try Discovery(driver).missing("wifi-signal").remedy?.contains("kernel") == true)
    }

    @Test func `segments and datagrams are rates, and those of IPv6 are added`() throws {
        let tree = try FixtureTree([
            "proc/net/snmp": Self.snmp,
            "proc/net/snmp6": "Udp6InDatagrams \t0\nUdp6NoPorts 5\nUdp6InErrors 0\n"
                + "Udp6OutDatagrams 7\nUdpLite6InErrors 9\n",
        ])
        let time = ManualTime()
        let discovery = Discovery(TransportDriver(roots: tree.roots, awake: time.awake))
        var (tcp, udp) = (try discovery.reader("tcp"), try discovery.reader("udp"))
        #expect(try tcp.read() == nil)
        #expect(try udp.read() == nil)
        time.advance(by: .seconds(10))
        try tree.write(Self.later, to: "proc/net/snmp")
        try tree.write(
            "Udp6InDatagrams 40\nUdp6NoPorts 5\nUdp6InErrors 0\nUdp6OutDatagrams 7\n",
            to: "proc/net/snmp6")
        #expect(
            try discovery.named("tcp", try #require(try tcp.read())) == [
                "received": .number(10), "sent": .number(2), "retransmitted": .number(0.2),
                "opened": .number(1), "accepted": .number(0.1), "failed": .number(0),
                "established": .integer(150),
            ])
        #expect(
            try discovery.named("udp", try #require(try udp.read())) == [
                "received": .number(5), "sent": .number(2), "errors": .number(0.2),
                "noPort": .number(0),
            ])
    }

    @Test func `without IPv6 only datagrams of IPv4 count`() throws {
        let tree = try FixtureTree(["proc/net/snmp": Self.snmp])
        let time = ManualTime()
        var reader = try Discovery(TransportDriver(roots: tree.roots, awake: time.awake))
            .reader("udp")
        _ = try reader.read()
        time.advance(by: .seconds(10))
        try tree.write(Self.later, to: "proc/net/snmp")
        #expect(try reader.read()?.first == .number(1))
    }

    @Test(arguments: [
        "", "Tcp: InSegs\n", "Tcp: InSegs OutSegs\nTcp: 1\n", "Tcp: InSegs\nTcp: -1\n",
    ])
    func `a malformed table makes both unavailable`(text: String) throws {
        let tree = try FixtureTree(["proc/net/snmp": text])
        let discovery = Discovery(TransportDriver(roots: tree.roots))
        #expect(try discovery.missing("tcp").reason.contains("/snmp"))
        #expect(try discovery.missing("udp").reason.contains("/snmp"))
    }
}
