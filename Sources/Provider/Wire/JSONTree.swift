/// JSON of any shape, to be written.
enum JSONTree: Encodable, Sendable {
    case null
    case number(Double)
    case text(String)
    case list([JSONTree])
    case object([String: JSONTree])

    /// A number, or `null` for none and for what JSON has no number for.
    init(_ number: Double?) {
        self = number.flatMap { $0.isFinite ? .number($0) : nil } ?? .null
    }

    init(_ count: Int?) {
        self.init(count.map(Double.init))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let items): try container.encode(items)
        case .object(let members): try container.encode(members)
        }
    }
}
