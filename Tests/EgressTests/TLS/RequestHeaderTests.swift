import Addresses
import Egress
import NIOHTTP1
import Testing

struct RequestHeaderTests {
    @Test(arguments: [
        ("https://example.org", "example.org"), ("https://example.org:443", "example.org"),
        ("https://example.org:80", "example.org:80"), ("http://example.org:80", "example.org"),
        ("http://192.168.1.20:8123", "192.168.1.20:8123"), ("http://[::1]:8080", "[::1]:8080"),
    ])
    func `a request names the host, and a port that is not the usual one`(
        text: String, host: String
    ) throws {
        let origin = try #require(WebOrigin(text))
        let headers = HTTPHeaders(asking: origin, as: "Tests")
        #expect(headers["Host"] == [host])
        #expect(headers["User-Agent"] == ["Tests"])
        #expect(headers["Connection"] == ["close"])
        #expect(headers["Accept-Encoding"] == ["identity"])
    }

    @Test func `any type is accepted where nothing else was said`() throws {
        let origin = try #require(WebOrigin("https://example.org"))
        var headers = HTTPHeaders(asking: origin, as: "Tests")
        headers.acceptAnything()
        #expect(headers["Accept"] == ["*/*"])
        headers.replaceOrAdd(name: "accept", value: "text/csv")
        headers.acceptAnything()
        #expect(headers["Accept"] == ["text/csv"])
    }
}
