import Samples

/// A line of `key: value` or `key=value`, one or several with commas or semicolons between.
struct KeyedLine {
    /// The values by their keys in small letters.
    private(set) var values: [String: Value] = [:]

    private static let mostPairs = 64

    /// - Returns: `nil` for a line without a key and a value, and for one that names a key twice.
    init?(_ line: String) {
        let parts = line.split(maxSplits: Self.mostPairs) { $0 == "," || $0 == ";" }
        for part in parts {
            guard let mark = part.firstIndex(where: { $0 == ":" || $0 == "=" }) else { return nil }
            let key = Self.reduced(String(part[..<mark]))
            let text = part[part.index(after: mark)...]
            guard !key.isEmpty, let value = Value(text: text), values[key] == nil else {
                return nil
            }
            values[key] = value
        }
        guard !values.isEmpty else { return nil }
    }

    /// A key in small letters, with single spaces.
    static func reduced(_ key: String) -> String {
        key.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
