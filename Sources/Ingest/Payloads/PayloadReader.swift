import Motion
public import Samples
import Text
import Tracks

/// Extracts the values of several fields from payloads of one format.
///
/// ```swift
/// let reader = try PayloadReader(.json, names: ["$.temp", "$.humidity"])
/// let values = reader.values(of: payload)
/// ```
public struct PayloadReader: Sendable {
    /// The maximum size of a payload in bytes.
    public static let limit = 256 << 10
    private static let maximumColumns = 256

    private enum Form: Sendable {
        case json([JSONPath])
        case columns(separator: UInt8, [Int])
        case keys([String])
        case pattern(LinePattern)
        case plain(count: Int)
        case bytes([CharacteristicDecoder])
        case named([String])
        case frame(FrameLayout, [FrameField])
        case sentences([String])
        case telegram([DSMRTelegram.Name])
    }

    private let form: Form

    /// Creates a reader.
    ///
    /// - Parameter names: the names of the fields in the format, one for each.
    /// - Throws: ``PayloadError`` for a name the format does not allow.
    public init(_ format: PayloadFormat, names: [String]) throws(PayloadError) {
        switch format {
        case .json:
            var paths: [JSONPath] = []
            for name in names { paths.append(try JSONPath(name)) }
            form = .json(paths)
        case .csv(let separator):
            var columns: [Int] = []
            for name in names {
                guard let column = Int(name), (1...Self.maximumColumns).contains(column) else {
                    throw PayloadError(
                        "\(name.escapedForDisplay(limit: 40)) is not a column number (from 1)")
                }
                columns.append(column - 1)
            }
            guard let byte = separator.asciiValue else {
                throw PayloadError("a separator must be one ASCII character")
            }
            form = .columns(separator: byte, columns)
        case .keyValue:
            form = .keys(names.map(KeyValueLine.reduced))
        case .pattern(let pattern):
            form = .pattern(try LinePattern(pattern, groups: names))
        case .plain: form = .plain(count: names.count)
        case .bytes:
            var decoders: [CharacteristicDecoder] = []
            for name in names {
                guard let decoder = CharacteristicDecoder(name) else {
                    throw PayloadError(
                        "\(name.escapedForDisplay(limit: 40)) is not a byte format such as u8 or s16/100"
                    )
                }
                decoders.append(decoder)
            }
            form = .bytes(decoders)
        case .named: form = .named(names)
        case .frame(let layout):
            var fields: [FrameField] = []
            for name in names {
                guard let field = FrameField(name) else {
                    throw PayloadError(
                        "\(name.escapedForDisplay(limit: 40)) is not a number of a frame such as u16be@10"
                    )
                }
                fields.append(field)
            }
            form = .frame(layout, fields)
        case .nmea:
            if let name = names.first(where: { !NMEAMessage.names.contains($0) }) {
                throw PayloadError(
                    "\(name.escapedForDisplay(limit: 40)) is not one of the values "
                        + NMEAMessage.names.joined(separator: ", "))
            }
            form = .sentences(names)
        case .dsmr:
            var codes: [DSMRTelegram.Name] = []
            for name in names {
                guard let code = DSMRTelegram.Name(name) else {
                    throw PayloadError(
                        "\(name.escapedForDisplay(limit: 40)) is not an OBIS code such as 1-0:1.8.1"
                    )
                }
                codes.append(code)
            }
            form = .telegram(codes)
        }
    }

    /// Creates a reader of ``Reading``s.
    init(named names: [String]) {
        form = .named(names)
    }

    /// The values of the fields, `nil` for each missing one.
    ///
    /// - Returns: `nil` for a payload that is not in the format.
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
                separator: separator, maxSplits: Self.maximumColumns,
                omittingEmptySubsequences: false)
            return columns.map { column in
                parts.indices.contains(column) ? Value(text: Substring(parts[column])) : nil
            }
        case .keys(let keys):
            guard let text = Self.text(payload), let line = KeyValueLine(text) else { return nil }
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
        case .frame(let layout, let fields):
            guard layout.accepts(payload[...]) else { return nil }
            return fields.map { $0.value(in: payload[...]) }
        case .sentences(let names):
            guard let values = NMEAMessage(payload)?.values else { return nil }
            return names.map { values[$0] }
        case .telegram(let names):
            guard let telegram = DSMRTelegram(payload) else { return nil }
            return names.map(telegram.value)
        }
    }

    /// The values of the fields in a reading, `nil` for each missing one.
    ///
    /// - Returns: `nil` if the format is not ``PayloadFormat/named``.
    func values(of reading: Reading) -> [Value?]? {
        guard case .named(let names) = form else { return nil }
        return names.map { reading.values[$0] }
    }

    /// The payload as text, or `nil` if it contains control characters other than tabs.
    private static func text(_ payload: [UInt8]) -> String? {
        guard !payload.isEmpty, let text = String(validating: payload, as: UTF8.self),
            !text.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F })
        else { return nil }
        return text
    }
}

/// The format of a device's messages or lines.
public enum PayloadFormat: Hashable, Sendable {
    /// JSON (RFC 8259); a field is named by a ``JSONPath``.
    case json
    /// Values separated by a character; a field is named by its column, from 1.
    case csv(separator: Character)
    /// `key: value` or `key=value` pairs separated by commas or semicolons; a field is named by its key,
    /// regardless of case.
    case keyValue
    /// A regular expression that matches the whole line; a field is named by a group or its number.
    case pattern(String)
    /// The whole text is the value; the name of the field is ignored.
    case plain
    /// Binary data; a field is named by its ``Motion/CharacteristicDecoder``, such as `s16/100`.
    case bytes
    /// Binary messages with start bytes and a length; a field is named by a ``FrameField``, such as `u16be@10`.
    case frame(FrameLayout)
    /// Sentences of NMEA 0183 (RMC, GGA, GSA, VTG); a field is named by its value: `latitude`, `longitude`,
    /// `altitude`, `accuracy`, `speed`, `heading`, `hdop`, `satellites`, `quality` or `time`.
    case nmea
    /// Telegrams of the P1 port of meters and of IEC 62056-21; a field is named by its OBIS code, such as
    /// `1-0:1.8.1`, with the number of its parentheses if they are not the last ones: `0-1:24.2.1[0]`.
    case dsmr
    /// The source delivers ``Reading``s; a field is named by the name of its value.
    case named
}

/// Why a description of payloads is invalid.
public struct PayloadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A clause without a full stop.
    public let message: String

    /// Creates an error.
    public init(_ message: String) {
        self.message = message
    }

    public var description: String { message }
}

extension Value {
    /// A number, a boolean as `true` or `false`, or a text; `nil` for anything else.
    init?(json: JSONValue) {
        switch json.content {
        case .number(let number): self = number.int64.map { .integer($0) } ?? .number(number.double)
        case .bool(let flag): self = .text(flag ? "true" : "false")
        case .string(let text): self = .text(text)
        case .null, .array, .object: return nil
        }
    }

    /// A text without surrounding white space and quotes; `nil` if empty.
    init?(text: Substring) {
        var text = text
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        if text.count >= 2, text.first == "\"", text.last == "\"" {
            text = text.dropFirst().dropLast()
        }
        guard !text.isEmpty else { return nil }
        self = .text(String(text))
    }
}

extension NMEAMessage {
    fileprivate static let names = [
        "latitude", "longitude", "altitude", "accuracy", "speed", "heading", "hdop", "satellites",
        "quality", "time",
    ]

    /// The values by name; without a position all but the quality and the satellites are missing.
    fileprivate var values: [String: Value] {
        var values: [String: Value] = [:]
        values["satellites"] = satellites.map { .integer(Int64($0)) }
        values["quality"] = quality.map { .integer(Int64($0)) }
        guard let fix else { return values }
        values["latitude"] = .number(fix.position.latitude)
        values["longitude"] = .number(fix.position.longitude)
        values["altitude"] = fix.altitude.map { .number($0) }
        values["accuracy"] = fix.accuracy.map { .number($0) }
        values["speed"] = fix.speed.map { .number($0) }
        values["heading"] = fix.heading.map { .number($0) }
        values["hdop"] = dilution.map { .number($0) }
        values["time"] = time.map { .text($0.description) }
        return values
    }
}
