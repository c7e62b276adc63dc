import Auth
import Foundation
import Text

/// The recorded actions of an app under test.
package struct TestResult: Encodable, Sendable {
    package struct Line: Encodable, Sendable {
        let level: String
        /// Milliseconds since 1970.
        let t: Double
        package let text: String
    }

    package struct Failure: Encodable, Sendable {
        package let message: String
        /// Such as `app.js:3:7`.
        package let place: String?
        let t: Double
    }

    struct Call: Encodable, Sendable {
        let method: String
        let path: String
        let status: Int
        let t: Double
    }

    var lines: [Line] = []
    package var errors: [Failure] = []
    /// Published samples, by sensor.
    var published: [String: [SentJSON]] = [:]
    var notifications: [SentJSON] = []
    var calls: [Call] = []
    /// The app's exit code; `nil` while it runs.
    var exit: Int?

    private enum CodingKeys: CodingKey {
        case lines, errors, published, notifications, calls, exit
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(lines, forKey: .lines)
        try container.encode(errors, forKey: .errors)
        try container.encode(published, forKey: .published)
        try container.encode(notifications, forKey: .notifications)
        try container.encode(calls, forKey: .calls)
        // Encoded as null while the app runs, instead of left out: a test may compare it.
        try container.encode(exit, forKey: .exit)
    }
}

/// JSON that an app sent.
enum SentJSON: Encodable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case list([SentJSON])
    case object([String: SentJSON])

    /// The elements of an array, or a single value; invalid JSON as a string.
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

/// The report of the test library in the runner about one test.
package struct TestReport: Codable, Sendable {
    /// Why a test failed.
    package struct Failure: Codable, Sendable {
        package let message: String
        /// The position in the test's file, such as `app.test.js:12:10`.
        package var place: String?
        package var actual: String?
        package var expected: String?
        /// The first member in which `actual` and `expected` differ, such as `.items[2]`.
        package var at: String?

        package init(message: String, place: String? = nil) {
            self.message = message
            self.place = place
        }
    }

    /// The number of selected tests of the file.
    package let total: Int
    /// `nil` if there is no test at the requested index.
    package let name: String?
    /// `ok`, `failed` or `skipped`; `begun` if the test has started and has not ended.
    package let status: String?
    package var failure: Failure?
    /// Virtual time of the test.
    package let milliseconds: Double
}
