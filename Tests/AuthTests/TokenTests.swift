import Foundation
import Samples
import Testing

@testable import Auth

struct TokenTests {
    @Test func `a token is a prefix, 256 random bits and a checksum in base64url`() {
        let token = Token()
        #expect(token.text.hasPrefix("nvs_"))
        #expect(token.text.utf8.count == 4 + 47)
        #expect(token.text.wholeMatch(of: /nvs_[A-Za-z0-9_\-]{47}/) != nil)
        #expect(Token(token.text) == token)
    }

    @Test func `tokens are unique from their first characters`() {
        let tokens = (0..<1000).map { _ in Token() }
        #expect(Set(tokens.map(\.text)).count == 1000)
        #expect(Set(tokens.map { $0.text.prefix(20) }).count == 1000)
    }

    @Test func `a truncated token is rejected`() {
        let text = Token().text
        for length in 0..<text.count {
            #expect(Token(String(text.prefix(length))) == nil, "\(length) characters")
        }
    }

    @Test func `a token with a changed character is rejected`() {
        let text = Array(Token().text)
        for place in 4..<50 {
            var changed = text
            changed[place] = changed[place] == "A" ? "B" : "A"
            #expect(Token(String(changed)) == nil, "at \(place)")
        }
    }

    @Test(arguments: [
        "", "nvs_", "nvs_====", "nvs_+/+/", "Bearer nvs_", "nvs_\u{0}", "nvs_é",
        String(repeating: "A", count: 51), "nvs_" + String(repeating: "A", count: 100_000),
        "nvs_" + String(repeating: "é", count: 47),
    ])
    func `text in another form is rejected`(text: String) {
        #expect(Token(text) == nil)
    }

    @Test func `a token with surrounding characters is rejected`() {
        let text = Token().text
        for changed in [" " + text, text + " ", text + "\n", text + "=", text + "A", "x" + text] {
            #expect(Token(changed) == nil)
        }
    }

    @Test func `only a digest of 32 bytes is stored`() {
        let token = Token()
        #expect(token.digest.count == 32)
        #expect(token.digest != Token().digest)
        #expect(!token.digest.contains(Data(token.text.utf8)))
    }
}
