import Samples
import Testing

@testable import Auth

struct TokenTableTests {
    private static func record(_ token: Token, _ name: String, run: String? = nil) -> TokenRecord {
        TokenRecord(
            id: run ?? name, client: Client(name: name, kind: .app, run: run),
            created: Timestamp(microseconds: 0), expires: nil, digest: token.digest)
    }

    @Test func `each token identifies its client`() {
        let tokens = (0..<20).map { _ in Token() }
        let table = TokenTable(tokens.enumerated().map { Self.record($1, "app-\($0)") })
        for (number, token) in tokens.enumerated() {
            #expect(table.find(token.text)?.client.name == "app-\(number)")
        }
        #expect(table.find(Token().text) == nil)
        #expect(table.find("") == nil)
        #expect(table.find(String(tokens[0].text.dropLast())) == nil)
    }

    @Test func `the tokens of a client are removed together, and no others`() {
        let (one, two, other) = (Token(), Token(), Token())
        var table = TokenTable([
            Self.record(one, "app"), Self.record(two, "app", run: "r"), Self.record(other, "apps"),
        ])
        table.remove(client: "app")
        #expect(table.find(one.text) == nil)
        #expect(table.find(two.text) == nil)
        #expect(table.find(other.text) != nil)
    }

    @Test func `the end of a run removes only its token`() {
        let (first, second, lasting) = (Token(), Token(), Token())
        var table = TokenTable([
            Self.record(first, "app", run: "a"), Self.record(second, "app", run: "b"),
            Self.record(lasting, "app"),
        ])
        table.remove(run: "a")
        #expect(table.find(first.text) == nil)
        #expect(table.find(second.text) != nil)
        #expect(table.find(lasting.text) != nil)
    }
}

extension TokenTable {
    /// The record of the token that a caller sent.
    fileprivate func find(_ text: String) -> TokenRecord? {
        Token.digest(ofSent: text).flatMap { find($0) }
    }
}
