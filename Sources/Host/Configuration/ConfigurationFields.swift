import Auth
import Text

/// The members of one section; each must be taken, so that none is silently ignored.
struct ConfigurationFields {
    private let section: String
    private var rest: [JSONMember]

    init(_ value: JSONValue, of section: String) throws(ConfigurationError) {
        guard let members = value.object else {
            throw ConfigurationError(
                position: value.position, message: "\(section) must be an object")
        }
        self.section = section
        rest = members
    }

    /// The value of a key, or `nil` where it is not set.
    mutating func take(_ key: String) -> JSONValue? {
        guard let index = rest.firstIndex(where: { $0.key == key }) else { return nil }
        return rest.remove(at: index).value
    }

    /// The whole number of a key, or `nil` where it is not set.
    mutating func take(
        _ key: String, _ range: ClosedRange<Int>
    ) throws(ConfigurationError) -> Int? {
        guard let value = take(key) else { return nil }
        guard let number = value.number?.int64.flatMap({ Int(exactly: $0) }),
            range.contains(number)
        else {
            throw ConfigurationError(
                position: value.position,
                message: "\(key) must be a whole number from \(range.lowerBound) to "
                    + "\(range.upperBound)")
        }
        return number
    }

    /// Says that nothing else is known here.
    func end() throws(ConfigurationError) {
        guard let unknown = rest.first else { return }
        throw ConfigurationError(
            position: unknown.position,
            message: "“\(unknown.key.escapedForDisplay(limit: 60))” means nothing in \(section)")
    }
}
