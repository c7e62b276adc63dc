import Addresses
import Foundation
import Testing

@testable import Egress

struct DownloadAddressTests {
    @Test(arguments: [
        ("https://example.org/a b/ü.zip", "https://example.org/a%20b/%C3%BC.zip"),
        ("HTTP://Example.org", "http://example.org/"),
        ("https://a.org//x@y?z#f", "https://a.org//x@y?z"),
        ("https://bob:hush%21@a.org/x", "https://a.org/x"),
    ])
    func `credentials and fragment are removed from a URL`(text: String, url: String) throws {
        let source = try #require(DownloadAddress(text))
        #expect(source.address.description == url)
    }

    @Test(arguments: [
        ("https://bob:hush%21@a.org/", "bob:hush!"), ("https://bob@a.org/", "bob:"),
        ("https://:key@a.org/", ":key"), ("https://a@b:c@a.org/", "a@b:c"),
    ])
    func `name and password become a header field`(text: String, pair: String) throws {
        let source = try #require(DownloadAddress(text))
        #expect(source.authorization == "Basic " + Data(pair.utf8).base64EncodedString())
    }

    @Test(arguments: ["http://", "https://user:hush@ho st/", "ftp://a.org/", "a.zip", "https:/a"])
    func `other texts are rejected`(text: String) {
        #expect(DownloadAddress(text) == nil)
    }

    @Test func `a URL without credentials has no header field`() throws {
        #expect(try #require(DownloadAddress("https://a.org/")).authorization == nil)
        #expect(try #require(DownloadAddress("https://@a.org/")).authorization == nil)
    }
}
