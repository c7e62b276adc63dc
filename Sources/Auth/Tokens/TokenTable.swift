import Crypto
import Foundation

/// The tokens in force, by the digest under which they are kept.
struct TokenTable: Sendable {
    private var records: [Data: TokenRecord] = [:]

    init(_ tokens: [TokenRecord]) {
        for token in tokens { insert(token) }
    }

    /// Those a person made or a run holds, by identifier.
    var all: [TokenRecord] {
        records.values.sorted { $0.id < $1.id }
    }

    /// The record of a token as a caller sent it.
    ///
    /// The look-up is by SHA-256, so what its time tells is of the digest, which reveals no token;
    /// the digests are then compared in constant time.
    func find(_ text: String) -> TokenRecord? {
        guard let token = Token(text) else { return nil }
        let sent = SHA256.hash(data: Data(token.text.utf8))
        guard let record = records[Data(sent)] else { return nil }
        return sent == record.digest ? record : nil
    }

    mutating func insert(_ token: TokenRecord) {
        records[token.digest] = token
    }

    mutating func remove(id: String) -> TokenRecord? {
        guard let found = records.first(where: { $0.value.id == id }) else { return nil }
        records[found.key] = nil
        return found.value
    }

    mutating func remove(client: String) {
        records = records.filter { $0.value.client.name != client }
    }

    mutating func remove(run: String) {
        records = records.filter { $0.value.client.run != run }
    }
}
