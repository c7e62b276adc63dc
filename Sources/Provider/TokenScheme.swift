import Foundation

/// A way in which a call carries its token in `Authorization`.
enum TokenScheme: String, Hashable {
    /// RFC 6750.
    case bearer
    /// What clients of InfluxDB send: `Token nvs_…`.
    case token
    /// RFC 7617; the token is the password, and the name says nothing.
    case basic

    /// The token that a field holds; `nil` where it holds none, or in another way.
    static func token(in field: String, among schemes: Set<TokenScheme>) -> String? {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let scheme = TokenScheme(rawValue: parts[0].lowercased()),
            schemes.contains(scheme)
        else { return nil }
        guard scheme == .basic else { return String(parts[1]) }
        guard let data = Data(base64Encoded: String(parts[1])),
            let pair = String(validating: data, as: UTF8.self),
            let colon = pair.firstIndex(of: ":")
        else { return nil }
        return String(pair[pair.index(after: colon)...])
    }
}
