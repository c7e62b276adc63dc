import Samples
import Text

/// An object of a pack, read key by key; what nobody asked for is refused at the end.
public struct PackObject: Sendable {
    /// Of all calls that packs make together.
    let budget: HostRateLimiter
    private let value: JSONValue
    private let path: String
    private var asked: Set<String> = []

    /// - Throws: ``PackError`` where the value is no object.
    init(_ value: JSONValue, path: String, budget: HostRateLimiter) throws(PackError) {
        guard value.object != nil else {
            throw PackError("\(path) at \(value.position) is no object.")
        }
        (self.value, self.path, self.budget) = (value, path, budget)
    }

    // MARK: - Values

    /// A text of 1 to 256 characters; `nil` where the key is not there.
    public mutating func text(_ key: String) throws(PackError) -> String? {
        guard let value = take(key) else { return nil }
        guard let text = value.string, (1...256).contains(text.count),
            !text.unicodeScalars.contains(where: \.isUnsafeToDisplay)
        else { throw wrong(key, value, "is no text of 1 to 256 characters that print") }
        return text
    }

    /// The same, where it must be there.
    public mutating func requiredText(_ key: String) throws(PackError) -> String {
        guard let text = try text(key) else { throw missing(key) }
        return text
    }

    /// One of several words.
    public mutating func choice<T: RawRepresentable & CaseIterable>(
        _ key: String, of type: T.Type
    ) throws(PackError) -> T? where T.RawValue == String {
        guard let text = try text(key) else { return nil }
        guard let choice = T(rawValue: text) else {
            let words = T.allCases.map(\.rawValue).joined(separator: ", ")
            throw PackError("\(place(key)) is none of \(words).")
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
                key, value, "is no number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A whole number in a range.
    public mutating func integer(
        _ key: String, in range: ClosedRange<Int>
    ) throws(PackError) -> Int? {
        guard let value = take(key) else { return nil }
        guard let whole = value.number?.int64, let number = Int(exactly: whole),
            range.contains(number)
        else {
            throw wrong(
                key, value, "is no whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    public mutating func flag(_ key: String) throws(PackError) -> Bool? {
        guard let value = take(key) else { return nil }
        guard let flag = value.bool else { throw wrong(key, value, "is neither true nor false") }
        return flag
    }

    /// A list of texts, such as the words of a command.
    public mutating func texts(_ key: String) throws(PackError) -> [String]? {
        guard let value = take(key) else { return nil }
        guard let items = value.array, (1...64).contains(items.count) else {
            throw wrong(key, value, "is no list of 1 to 64 texts")
        }
        var texts: [String] = []
        for item in items {
            guard let text = item.string, text.utf8.count <= 4096, !text.utf8.contains(0) else {
                throw wrong(key, item, "holds what is no text")
            }
            texts.append(text)
        }
        return texts
    }

    /// Texts by their keys.
    public mutating func table(_ key: String) throws(PackError) -> [String: String]? {
        guard let value = take(key) else { return nil }
        guard let members = value.object, members.count <= 64 else {
            throw wrong(key, value, "is no object of texts")
        }
        var table: [String: String] = [:]
        for member in members {
            guard let text = member.value.string, text.utf8.count <= 1024 else {
                throw wrong(key, member.value, "holds what is no text")
            }
            table[member.key] = text
        }
        return table
    }

    public mutating func object(_ key: String) throws(PackError) -> PackObject? {
        guard let value = take(key) else { return nil }
        return try PackObject(value, path: "\(path).\(key)", budget: budget)
    }

    mutating func objects(
        _ key: String, atMost limit: Int
    ) throws(PackError) -> [PackObject]? {
        guard let value = take(key) else { return nil }
        guard let items = value.array, (1...limit).contains(items.count) else {
            throw wrong(key, value, "is no list of 1 to \(limit) objects")
        }
        var objects: [PackObject] = []
        for (index, item) in items.enumerated() {
            objects.append(
                try PackObject(item, path: "\(path).\(key)[\(index)]", budget: budget))
        }
        return objects
    }

    // MARK: - Errors

    /// Says that a key has a value that cannot be; `reason` is a clause that follows its name.
    public func wrong(_ key: String, _ reason: String) -> PackError {
        PackError("\(place(key)) \(reason).")
    }

    public func missing(_ key: String) -> PackError {
        PackError("\(path) at \(value.position) has no \(key).")
    }

    /// - Throws: ``PackError`` when there is a key that nobody asked for.
    func finish() throws(PackError) {
        guard let other = value.object?.first(where: { !asked.contains($0.key) }) else { return }
        throw PackError(
            "\(path).\(other.key.escapedForDisplay(limit: 40)) at \(other.position) means nothing.")
    }

    private mutating func take(_ key: String) -> JSONValue? {
        asked.insert(key)
        return value[key]
    }

    private func place(_ key: String) -> String {
        "\(path).\(key) at \((value[key] ?? value).position)"
    }

    private func wrong(_ key: String, _ value: JSONValue, _ reason: String) -> PackError {
        PackError("\(path).\(key) at \(value.position) \(reason).")
    }
}

extension PackObject {
    /// A span such as `10s`, in a range; `nil` where the key is not there.
    mutating func span(
        _ key: String, in range: ClosedRange<Duration>
    ) throws(PackError) -> Duration? {
        guard let text = try text(key) else { return nil }
        guard let span = Duration(span: text), range.contains(span) else {
            throw wrong(
                key,
                "is no span from \(range.lowerBound.span) to \(range.upperBound.span), such as 10s"
            )
        }
        return span
    }
}
