import Samples
import Text

/// An object of a pack, read key by key; unread keys are rejected at the end.
public struct PackObject: Sendable {
    /// The rate limits shared by the calls of all packs.
    let budget: HostRateLimiter
    /// The folder that is used as `/dev`.
    let devices: String
    /// The secrets of the source.
    var secrets = SourceSecrets()
    private let value: JSONValue
    private let path: String
    private var readKeys: Set<String> = []

    /// - Throws: ``PackError`` if the value is not an object.
    init(
        _ value: JSONValue, path: String, budget: HostRateLimiter, devices: String
    ) throws(PackError) {
        guard value.object != nil else {
            throw PackError("\(path) at \(value.position) is not an object.")
        }
        (self.value, self.path, self.budget, self.devices) = (value, path, budget, devices)
    }

    // MARK: - Values

    /// A text of 1 to 256 characters, or another limit, or `nil` if the key is missing.
    public mutating func text(
        _ key: String, atMost limit: Int = 256
    ) throws(PackError) -> String? {
        guard let value = take(key) else { return nil }
        guard let text = value.string, (1...limit).contains(text.count),
            !text.unicodeScalars.contains(where: \.isUnsafeToDisplay)
        else { throw wrong(key, value, "is not a text of 1 to \(limit) printable characters") }
        return text
    }

    /// A required text of 1 to 256 characters.
    public mutating func requiredText(_ key: String) throws(PackError) -> String {
        guard let text = try text(key) else { throw missing(key) }
        return text
    }

    /// One of the raw values of a type.
    public mutating func choice<T: RawRepresentable & CaseIterable>(
        _ key: String, of type: T.Type
    ) throws(PackError) -> T? where T.RawValue == String {
        guard let text = try text(key) else { return nil }
        guard let choice = T(rawValue: text) else {
            let words = T.allCases.map(\.rawValue).joined(separator: ", ")
            throw PackError("\(location(of: key)) is not one of \(words).")
        }
        return choice
    }

    /// A number in a range.
    public mutating func number(
        _ key: String, in range: ClosedRange<Double>
    ) throws(PackError) -> Double? {
        guard let value = take(key) else { return nil }
        guard let number = value.number?.double, range.contains(number) else {
            throw wrong(
                key, value, "is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// An integer in a range.
    public mutating func integer(
        _ key: String, in range: ClosedRange<Int>
    ) throws(PackError) -> Int? {
        guard let value = take(key) else { return nil }
        guard let whole = value.number?.int64, let number = Int(exactly: whole),
            range.contains(number)
        else {
            throw wrong(
                key, value, "is not an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A boolean.
    public mutating func flag(_ key: String) throws(PackError) -> Bool? {
        guard let value = take(key) else { return nil }
        guard let flag = value.bool else { throw wrong(key, value, "is neither true nor false") }
        return flag
    }

    /// An array of texts, such as the words of a command.
    public mutating func texts(_ key: String) throws(PackError) -> [String]? {
        guard let value = take(key) else { return nil }
        guard let items = value.array, (1...64).contains(items.count) else {
            throw wrong(key, value, "is not an array of 1 to 64 texts")
        }
        var texts: [String] = []
        for item in items {
            guard let text = item.string, text.utf8.count <= 4096, !text.utf8.contains(0) else {
                throw wrong(key, item, "contains a value that is not a text")
            }
            texts.append(text)
        }
        return texts
    }

    /// An object of texts.
    public mutating func table(_ key: String) throws(PackError) -> [String: String]? {
        guard let value = take(key) else { return nil }
        guard let members = value.object, members.count <= 64 else {
            throw wrong(key, value, "is not an object of texts")
        }
        var table: [String: String] = [:]
        for member in members {
            guard let text = member.value.string, text.utf8.count <= 1024 else {
                throw wrong(key, member.value, "contains a value that is not a text")
            }
            table[member.key] = text
        }
        return table
    }

    /// A nested object.
    public mutating func object(_ key: String) throws(PackError) -> PackObject? {
        guard let value = take(key) else { return nil }
        return try PackObject(value, path: "\(path).\(key)", budget: budget, devices: devices)
    }

    mutating func objects(
        _ key: String, atMost limit: Int
    ) throws(PackError) -> [PackObject]? {
        guard let value = take(key) else { return nil }
        guard let items = value.array, (1...limit).contains(items.count) else {
            throw wrong(key, value, "is not an array of 1 to \(limit) objects")
        }
        var objects: [PackObject] = []
        for (index, item) in items.enumerated() {
            objects.append(
                try PackObject(
                    item, path: "\(path).\(key)[\(index)]", budget: budget, devices: devices))
        }
        return objects
    }

    // MARK: - Errors

    /// The error for an invalid value; `reason` is a predicate for the key.
    public func wrong(_ key: String, _ reason: String) -> PackError {
        PackError("\(location(of: key)) \(reason).")
    }

    /// The error for a missing key.
    public func missing(_ key: String) -> PackError {
        PackError("\(path) at \(value.position) has no \(key).")
    }

    /// - Throws: ``PackError`` if there is an unread key.
    func finish() throws(PackError) {
        guard let other = value.object?.first(where: { !readKeys.contains($0.key) }) else { return }
        throw PackError(
            "\(path).\(other.key.escapedForDisplay(limit: 40)) at \(other.position) is an unknown key."
        )
    }

    private mutating func take(_ key: String) -> JSONValue? {
        readKeys.insert(key)
        return value[key]
    }

    private func location(of key: String) -> String {
        "\(path).\(key) at \((value[key] ?? value).position)"
    }

    private func wrong(_ key: String, _ value: JSONValue, _ reason: String) -> PackError {
        PackError("\(path).\(key) at \(value.position) \(reason).")
    }
}

extension PackObject {
    /// A duration such as `10s`, in a range; `nil` if the key is missing.
    mutating func duration(
        _ key: String, in range: ClosedRange<Duration>
    ) throws(PackError) -> Duration? {
        guard let text = try text(key) else { return nil }
        guard let duration = Duration(span: text), range.contains(duration) else {
            throw wrong(
                key,
                "is not a duration from \(range.lowerBound.span) to \(range.upperBound.span), such as 10s"
            )
        }
        return duration
    }
}
