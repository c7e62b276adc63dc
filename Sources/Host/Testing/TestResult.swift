import Auth
import Foundation
import Text

/// What an app under test has done so far.
struct TestResult: Encodable, Sendable {
    struct Line: Encodable, Sendable {
        let level: String
        /// Milliseconds since 1970.
        let t: Double
        let text: String
    }

    struct Failure: Encodable, Sendable {
        let message: String
        /// Such as `app.js:3:7`.
        let place: String?
        let t: Double
    }

    struct Call: Encodable, Sendable {
        let method: String
        let path: String
        let status: Int
        let t: Double
    }

    var lines: [Line] = []
    var errors: [Failure] = []
    /// Samples as they were sent, by sensor.
    var published: [String: [SentJSON]] = [:]
    var notifications: [SentJSON] = []
    var calls: [Call] = []
    /// The code that the app ended with; `nil` while it goes on.
    var exit: Int?

    private enum CodingKeys: CodingKey {
        case lines, errors, published, notifications, calls, exit
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(lines, forKey: .lines)
        try container.encode(errors, forKey: .errors)
        try container.encode(published, forKey: .published)
        try container.encode(notifications, forKey: .notifications)
        try container.encode(calls, forKey: .calls)
        // A test may compare it with null.
        try container.encode(exit, forKey: .exit)
    }
}

/// JSON as an app sent it.
enum SentJSON: Encodable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case list([SentJSON])
    case object([String: SentJSON])

    /// The elements of a list, or one value as a list of it; a text where it is not JSON.
    static func list(_ bytes: [UInt8]) -> [SentJSON] {
        guard let value = try? StrictJSON(maximumBytes: 2 << 20).parse(bytes) else {
            return [.string(String(decoding: bytes, as: UTF8.self))]
        }
        if case .list(let elements) = SentJSON(value) { return elements }
        return [SentJSON(value)]
    }

    init(_ value: JSONValue) {
        switch value.content {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .number(let number): self = number.int64.map { .integer($0) } ?? .number(number.double)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .list(elements.map { SentJSON($0) })
        case .object(let members):
            self = .object(
                Dictionary(
                    members.map { ($0.key, SentJSON($0.value)) }, uniquingKeysWith: { $1 }))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let bool): try container.encode(bool)
        case .integer(let integer): try container.encode(integer)
        case .number(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        case .list(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}
