import Motion
public import Samples
import Text

/// Finds the values of several fields in payloads of one format.
public struct PayloadReader: Sendable {
    /// The most bytes of a payload.
    public static let limit = 256 << 10
    private static let mostColumns = 256

    private enum Form: Sendable {
        case json([JSONPath])
        case columns(separator: UInt8, [Int])
        case keys([String])
        case pattern(LinePattern)
        case plain(count: Int)
        case bytes([CharacteristicDecoder])
        case named([String])
    }

    private let form: Form

    /// - Parameter names: how the format names the fields, one for each.
    /// - Throws: ``PayloadError`` where a name is none of the format.
    public init(_ format: PayloadFormat, names: [String]) throws(PayloadError) {
        switch format {
        case .json:
            var paths: [JSONPath] = []
            for name in names { paths.append(try JSONPath(name)) }
            form = .json(paths)
        case .csv(let separator):
            var columns: [Int] = []
            for name in names {
                guard let column = Int(name), (1...Self.mostColumns).contains(column) else {
                    throw PayloadError("\(name.escapedForDisplay(limit: 40)) is no column, from 1")
                }
                columns.append(column - 1)
            }
            guard let byte = separator.asciiValue else {
                throw PayloadError("a separator is one character of ASCII")
            }
            form = .columns(separator: byte, columns)
        case .keyValue:
            form = .keys(names.map(KeyedLine.reduced))
        case .pattern(let pattern):
            form = .pattern(try LinePattern(pattern, groups: names))
        case .plain: form = .plain(count: names.count)
        case .bytes:
            var decoders: [CharacteristicDecoder] = []
            for name in names {
                guard let decoder = CharacteristicDecoder(name) else {
                    throw PayloadError(
                        "\(name.escapedForDisplay(limit: 40)) is no form of bytes such as u8 or s16/100"
                    )
                }
                decoders.append(decoder)
            }
            form = .bytes(decoders)
        case .named: form = .named(names)
        }
    }

    /// The values of the fields, `nil` for each that is not there.
    ///
    /// - Returns: `nil` for a payload that is not of the format.
    public func values(of payload: [UInt8]) -> [Value?]? {
        guard payload.count <= Self.limit else { return nil }
        switch form {
        case .json(let paths):
            guard let whole = try? StrictJSON(maximumBytes: Self.limit).parse(payload) else {
                return nil
            }
            return paths.map { path in path.value(in: whole).flatMap(Value.init(json:)) }
        case .columns(let separator, let columns):
            guard let text = Self.text(payload) else { return nil }
            let parts = text.utf8.split(
                separator: separator, maxSplits: Self.mostColumns, omittingEmptySubsequences: false)
            return columns.map { column in
                parts.indices.contains(column) ? Value(text: Substring(parts[column])) : nil
            }
        case .keys(let keys):
            guard let text = Self.text(payload), let line = KeyedLine(text) else { return nil }
            return keys.map { line.values[$0] }
        case .pattern(let pattern):
            guard let text = Self.text(payload) else { return nil }
            return pattern.values(of: text)
        case .plain(let count):
            guard let text = Self.text(payload), let value = Value(text: text[...]) else {
                return nil
            }
            return Array(repeating: value, count: count)
        case .bytes(let decoders):
            let values = decoders.map { $0.decode(payload) }
            return values.allSatisfy { $0 == nil } ? nil : values
        case .named: return nil
        }
    }

    /// The values of the fields in what a source names itself, `nil` for each that is not there.
    ///
    /// - Returns: `nil` where the format is another.
    func values(of reading: Reading) -> [Value?]? {
        guard case .named(let names) = form else { return nil }
        return names.map { reading.values[$0] }
    }

    /// Text without characters that do not print, a tab excepted.
    private static func text(_ payload: [UInt8]) -> String? {
        guard !payload.isEmpty, let text = String(validating: payload, as: UTF8.self),
            !text.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F })
        else { return nil }
        return text
    }
}
