import Addresses
import TestSupport
import Testing

/// The reach of an address decides whether an app may call it.
struct IPAddressTests {
    @Test(arguments: [
        // The Internet.
        ("1.1.1.1", Reach.internet), ("8.8.8.8", .internet), ("93.184.215.14", .internet),
        ("9.255.255.255", .internet), ("11.0.0.0", .internet), ("100.63.255.255", .internet),
        ("100.128.0.0", .internet), ("126.255.255.255", .internet), ("128.0.0.0", .internet),
        ("169.253.255.255", .internet), ("169.255.0.0", .internet), ("172.15.255.255", .internet),
        ("172.32.0.0", .internet), ("192.167.255.255", .internet), ("192.169.0.0", .internet),
        ("198.17.255.255", .internet), ("198.20.0.0", .internet), ("223.255.255.255", .internet),
        ("2606:4700:4700::1111", .internet), ("2a00:1450:4001:80b::200e", .internet),
        ("2001:200::1", .internet), ("2003::1", .internet), ("3ffe::1", .internet),
        // The own network.
        ("10.0.0.0", .ownNetwork), ("10.255.255.255", .ownNetwork), ("172.16.0.1", .ownNetwork),
        ("172.31.255.255", .ownNetwork), ("192.168.0.1", .ownNetwork),
        ("192.168.255.255", .ownNetwork), ("100.64.0.1", .ownNetwork),
        ("100.127.255.255", .ownNetwork), ("169.254.1.1", .ownNetwork), ("fc00::1", .ownNetwork),
        ("fd12:3456:789a::1", .ownNetwork), ("fe80::1", .ownNetwork), ("febf::1", .ownNetwork),
        // This machine.
        ("127.0.0.1", .ownMachine), ("127.255.255.254", .ownMachine), ("::1", .ownMachine),
        // Clouds' metadata.
        ("169.254.169.254", .forbidden), ("169.254.170.2", .forbidden),
        ("100.100.100.200", .forbidden),
        ("168.63.129.16", .forbidden), ("fd00:ec2::254", .forbidden), ("192.0.0.192", .forbidden),
        // Unspecified, broadcast, multicast, reserved, documentation, benchmarks.
        ("0.0.0.0", .forbidden), ("0.1.2.3", .forbidden), ("255.255.255.255", .forbidden),
        ("224.0.0.1", .forbidden), ("239.255.255.255", .forbidden), ("240.0.0.1", .forbidden),
        ("192.0.2.1", .forbidden), ("198.51.100.7", .forbidden), ("203.0.113.7", .forbidden),
        ("198.18.0.1", .forbidden), ("198.19.255.255", .forbidden), ("192.88.99.1", .forbidden),
        ("::", .forbidden), ("ff02::1", .forbidden), ("ff0e::1", .forbidden),
        ("fec0::1", .forbidden),
        ("100::1", .forbidden), ("2001:db8::1", .forbidden), ("3fff::1", .forbidden),
        ("2001:2::1", .forbidden), ("2001:10::1", .forbidden), ("4000::1", .forbidden),
        ("1fff::1", .forbidden), ("e000::1", .forbidden),
        // IPv4 in the form of IPv6.
        ("::ffff:127.0.0.1", .forbidden), ("::ffff:8.8.8.8", .forbidden),
        ("::ffff:a9fe:a9fe", .forbidden), ("::127.0.0.1", .forbidden), ("::8.8.8.8", .forbidden),
        ("::ffff:0:127.0.0.1", .forbidden), ("64:ff9b::127.0.0.1", .forbidden),
        ("64:ff9b::8.8.8.8", .forbidden), ("64:ff9b:1::7f00:1", .forbidden),
        ("2002:7f00:1::", .forbidden), ("2002:a9fe:a9fe::1", .forbidden),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", .forbidden),
        ("2606:4700::5efe:127.0.0.1", .forbidden), ("2606:4700::200:5efe:7f00:1", .forbidden),
    ])
    func `addresses are classified as in the IANA registries`(_ text: String, _ reach: Reach) throws
    {
        let scope = try #require(IPAddress(text)).scope
        #expect(scope.reach == reach, "\(text): \(scope.name)")
    }

    @Test(arguments: [
        "", "1", "127.1", "127.0.1", "2130706433", "0x7f.0.0.1", "0x7f000001", "0177.0.0.1",
        "127.0.0.01", "127.0.0.1.", "127.0.0.256", "1.2.3.4.5", "1..2.3", "+1.2.3.4", "1.2.3.4 ",
        "１.2.3.4", "-1.2.3.4", ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7::8:9", "::12345", "::g", "fe80::1%eth0", "::1.2.3", "1.2.3.4::",
        "::1.2.3.4:5", "[::1]", "::ffff:0x7f.1", "1:2:3:4:5:6:7:1.2.3.4", "::1 ",
        "1:2:3:4:5:6:7:", ":1:2:3:4:5:6:7",
    ])
    func `other spellings are rejected`(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("::", "::"), ("0:0:0:0:0:0:0:1", "::1"),
        ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("1:0:2:0:3:0:4:0", "1:0:2:0:3:0:4:0"),
        ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::1:2:3:4:5:6:7", "0:1:2:3:4:5:6:7"),
        ("::ffff:1.2.3.4", "::ffff:102:304"), ("fe80::0001", "fe80::1"),
    ])
    func `an address has one canonical form`(_ text: String, _ shown: String) throws {
        #expect(try #require(IPAddress(text)).description == shown)
    }

    @Test func `a written address is parsed again`() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var random = SplitMix(state: seed)
        for _ in 0..<2000 {
            var value: UInt128 = 0
            for _ in 0..<8 {
                let group =
                    Bool.random(using: &random) ? 0 : UInt16.random(in: 0...9, using: &random)
                value = value << 16 | UInt128(group)
            }
            let addresses = [
                IPAddress.v6(value), .v4(UInt32.random(in: .min ... .max, using: &random)),
            ]
            for address in addresses { #expect(IPAddress(address.description) == address) }
        }
    }
}
