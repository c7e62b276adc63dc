public import Samples
import Text

/// The text of a `sensor.json`, with settings changed before installation.
public struct PackText: Sendable {
    /// The text; unchanged input is preserved byte by byte.
    public private(set) var bytes: [UInt8]
    private var value: JSONValue

    /// Parses a `sensor.json`.
    ///
    /// - Throws: ``PackError`` for invalid JSON.
    public init(_ bytes: [UInt8]) throws(PackError) {
        do {
            value = try StrictJSON(maximumBytes: SensorPack.limit).parse(bytes)
        } catch {
            throw PackError("sensor.json:\(error.position): \(error.message).")
        }
        self.bytes = bytes
    }

    /// Changes the identifier, so that the pack can be installed more than once.
    public mutating func rename(_ id: SensorID) throws(PackError) {
        try set("id", .string(id.description), in: [])
    }

    /// Changes a key of the source.
    ///
    /// If the present value is a number or a boolean, the new value must be one, too; otherwise the new
    /// value is a text.
    ///
    /// - Parameter setting: `key=value`, such as `device=/dev/ttyUSB1`, or `key:=value` with a value in
    ///   JSON.
    public mutating func set(_ setting: String) throws(PackError) {
        guard let mark = setting.firstIndex(of: "="), mark != setting.startIndex else {
            throw PackError(
                "\(setting.escapedForDisplay(limit: 60)) is not a setting such as device=/dev/ttyUSB1."
            )
        }
        let key = String(setting[..<mark])
        let text = String(setting[setting.index(after: mark)...])
        guard !key.hasSuffix(":") else {
            guard let value = try? StrictJSON().parse(Array(text.utf8)) else {
                throw PackError("\(text.escapedForDisplay(limit: 60)) is not valid JSON.")
            }
            return try set(String(key.dropLast()), value.content, in: ["source"])
        }
        let content: JSONValue.Content
        switch value["source"]?[key]?.content {
        case .number:
            guard let number = JSONNumber(literal: text) else {
                throw PackError("sensor.source.\(key) is a number.")
            }
            content = .number(number)
        case .bool:
            guard let flag = Bool(text) else {
                throw PackError("sensor.source.\(key) is true or false.")
            }
            content = .bool(flag)
        case .array, .object, .null:
            throw PackError("sensor.source.\(key) cannot be set here; change sensor.json.")
        case .string, nil: content = .string(text)
        }
        try set(key, content, in: ["source"])
    }

    private mutating func set(
        _ key: String, _ content: JSONValue.Content, in path: [String]
    ) throws(PackError) {
        guard let changed = Self.setting(key, content, in: path[...], of: value) else {
            throw PackError("sensor has no \((path + [key]).joined(separator: ".")).")
        }
        value = changed
        bytes = Array((value.text() + "\n").utf8)
    }

    private static func setting(
        _ key: String, _ content: JSONValue.Content, in path: ArraySlice<String>,
        of value: JSONValue
    ) -> JSONValue? {
        guard var members = value.object else { return nil }
        let name = path.first ?? key
        let index = members.firstIndex { $0.key == name }
        let member: JSONValue
        if path.isEmpty {
            member = JSONValue(content, at: value.position)
        } else {
            guard let index,
                let inner = setting(key, content, in: path.dropFirst(), of: members[index].value)
            else { return nil }
            member = inner
        }
        let whole = JSONMember(key: name, position: value.position, value: member)
        if let index { members[index] = whole } else { members.append(whole) }
        return JSONValue(.object(members), at: value.position)
    }
}
