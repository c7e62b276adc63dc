import Samples
import Testing

struct SensorIDTests {
    @Test(arguments: [
        "a", "cpu", "network.eth0", "disk.nvme0n1.p1", "x-y-z", "1", "a1-b2.c3",
        String(repeating: "a", count: 64),
    ])
    func `identifiers consist of segments`(text: String) {
        #expect(SensorID(text)?.description == text)
    }

    @Test(arguments: [
        "", ".", "-", "a.", ".a", "a..b", "a-", "-a", "a--b", "a.-b", "A", "a b", "a_b", "a/b",
        "a\n", "a\0", "é", "e\u{301}", "ａ", "٣", "ß", "a\u{200B}", "../a", "a%2e",
        String(repeating: "a", count: 65),
    ])
    func `any other text is rejected`(text: String) {
        #expect(SensorID(text) == nil)
    }

    @Test(arguments: [
        ("network", "network", true), ("network", "network.eth0", true),
        ("network", "network.eth0.rx", true), ("network.eth0", "network.eth0", true),
        ("network", "networking", false), ("network", "networking.eth0", false),
        ("network", "network-eth0", false), ("network.eth0", "network", false),
        ("network.eth", "network.eth0", false), ("lamp", "lamp2", false),
    ])
    func `an identifier covers others by whole segments`(wide: String, narrow: String, covers: Bool)
        throws
    {
        let (wide, narrow) = (try #require(SensorID(wide)), try #require(SensorID(narrow)))
        #expect(wide.covers(narrow) == covers)
    }

    @Test(arguments: [
        ("wlp2s0", "network.wlp2s0"), ("Wi-Fi 2", "network.wi-fi-2"), ("", "network.unnamed"),
        ("///", "network.unnamed"), ("日本", "network.unnamed"), ("a.b", "network.a-b"),
        ("--a--", "network.a"), ("é", "network.unnamed"), ("..", "network.unnamed"),
    ])
    func `an external name becomes one segment`(name: String, id: String) {
        let network: SensorID = "network"
        #expect(network.instance(name).description == id)
        #expect(network.covers(network.instance(name)))
        #expect(network.instance(name).kind == network)
    }

    @Test(arguments: [1, 40, 62, 63, 64])
    func `an instance of a kind of any length has a valid identifier`(length: Int) throws {
        let kind = try #require(SensorID(String(repeating: "k", count: length)))
        let instance = kind.instance(String(repeating: "a-", count: 200))
        #expect(SensorID(instance.description) == instance)
        #expect(kind.covers(instance))
    }

    @Test func `the kind is the first segment`() {
        let id: SensorID = "disk.nvme0n1.p1"
        #expect(id.kind == "disk")
        #expect(id.kind.kind == "disk")
    }
}
