import Addresses
import Testing

/// One strict parser serves checks and connections.
struct WebAddressTests {
    @Test(arguments: [
        ("https://api.example.org", "https://api.example.org/"),
        ("HTTPS://API.Example.ORG:443/a?b#c", "https://api.example.org/a?b"),
        ("http://example.org:80/", "http://example.org/"),
        ("http://example.org:8080?x=1", "http://example.org:8080/?x=1"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("http://[0:0::1]/", "http://[::1]/"),
        ("http://192.168.1.7/", "http://192.168.1.7/"),
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
        ("https://a/b/../c", "https://a/b/../c"), ("https://a/@b", "https://a/@b"),
        ("https://a?user@b", "https://a/?user@b"), ("https://1.example/", "https://1.example/"),
    ])
    func `an address has one canonical form`(_ text: String, _ shown: String) throws {
        let address = try #require(WebAddress(text))
        #expect(address.description == shown)
        #expect(WebAddress(shown) == address || text.hasSuffix("org"))
    }

    @Test(arguments: [
        "", "example.org", "//example.org", "ftp://example.org", "file:///etc/passwd",
        "javascript:alert(1)", "data:,x", "https:example.org", "https:/example.org", "https://",
        "https:///x", "https://user@example.org", "https://user:pass@example.org",
        "https://@example.org", "https://example.org\\@evil.org", "https://example.org\\x",
        "https://exa mple.org", "https://example.org /", " https://example.org",
        "https://example.org\n", "https://example.org\t/", "https://exam\u{0}ple.org",
        "https://bücher.example", "https://example。org", "https://ｅxample.org",
        "https://ex%61mple.org", "https://%31%32%37.0.0.1", "https://example.org.",
        "https://localhost.", "https://127.0.0.1.", "https://.example.org",
        "https://example..org", "https://-a.org", "https://a-.org", "https://a_b.org",
        "https://2130706433", "https://0x7f000001", "https://0x7f.1", "https://0177.0.0.1",
        "https://127.1", "https://127.0.0.1.5", "https://1.2.3.4.5", "https://foo.0x7f",
        "https://foo.1", "https://0x", "https://example.org:", "https://example.org:0",
        "https://example.org:080", "https://example.org:65536", "https://example.org:-1",
        "https://example.org:8a", "https://example.org:80:80", "https://[::1", "https://::1",
        "https://[::1]x", "https://[127.0.0.1]", "https://[fe80::1%25eth0]", "https://[::1].org",
        "https://*.example.org", "https://a\"b", "https://a/<b>",
        "https://" + String(repeating: "a.", count: 60) + "org",
        "https://a/" + String(repeating: "x", count: 8 << 10),
    ])
    func `URLs that parsers interpret differently are rejected`(_ text: String) {
        #expect(WebAddress(text) == nil)
    }

    @Test(arguments: [
        ("https://a", true), ("https://a:8443", true), ("HTTP://A", true), ("https://a/", false),
        ("https://a?", false), ("https://a#", false), ("https://a/x", false),
    ])
    func `an origin has no path`(_ text: String, _ isOrigin: Bool) {
        #expect((WebOrigin(text) != nil) == isOrigin)
    }

    @Test(arguments: [
        ("https://api.example.org", Reach.internet), ("http://localhost:631", .ownMachine),
        ("http://127.0.0.2", .ownMachine), ("http://[::1]", .ownMachine),
        ("https://box.local:8443", .ownNetwork), ("https://nas.home.arpa", .ownNetwork),
        ("http://192.168.1.7", .ownNetwork), ("http://[fd00::7]", .ownNetwork),
        ("http://other.localhost:8080", .forbidden), ("http://169.254.169.254", .forbidden),
        ("http://0.0.0.0:8080", .forbidden), ("http://[::ffff:7f00:1]", .forbidden),
        ("https://local", .internet), ("https://notlocalhost", .internet),
        ("https://box.local.example.org", .internet),
    ])
    func `the network of a host follows from its name or address`(_ text: String, _ reach: Reach)
        throws
    {
        #expect(try #require(WebOrigin(text)).host.reach == reach)
    }

    @Test(arguments: [
        ("/x", "https://a.org/x"), ("x", "https://a.org/b/x"), ("?q=2", "https://a.org/b/c?q=2"),
        ("", "https://a.org/b/c?d"), ("#f", "https://a.org/b/c?d"), ("../x", "https://a.org/x"),
        ("../../../x", "https://a.org/x"), ("./", "https://a.org/b/"), ("..", "https://a.org/"),
        ("%2e%2E/x", "https://a.org/x"), ("//b.org/x", "https://b.org/x"),
        ("http://b.org:81", "http://b.org:81/"), ("/é x", "https://a.org/%C3%A9%20x"),
        ("/x?u=http://y", "https://a.org/x?u=http://y"),
    ])
    func `a redirect is resolved by RFC 3986`(_ reference: String, _ result: String) throws {
        let base = try #require(WebAddress("https://a.org/b/c?d"))
        #expect(base.resolving(reference)?.description == result)
    }

    @Test(arguments: [
        "file:///etc/passwd", "javascript:alert(1)", "//user@b.org", "https://é.org", "//b.org:0",
        "http:x", "/a\\b", "\u{1}", "data:,x", "///x", "//2130706433/",
    ])
    func `a redirect that is not an http URL is rejected`(_ reference: String) throws {
        let base = try #require(WebAddress("https://a.org/b/c?d"))
        #expect(base.resolving(reference) == nil)
    }

    @Test func `a pin has one canonical form`() throws {
        let text = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
        #expect(try #require(CertificatePin(text)).description == text)
        let others = [
            "", "sha256/", "sha1/47DEQpj8HBSa+/TImW+5JCeuQeQ=",
            "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=",
            "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU", "SHA256" + text.dropFirst(6),
        ]
        for other in others { #expect(CertificatePin(other) == nil, "\(other)") }
    }
}
