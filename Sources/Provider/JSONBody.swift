import API
import Foundation
import HTTPTypes
import Hummingbird
import LAE
import NIOCore
import Samples
import Text
import VM

extension Request {
    /// The maximum number of bytes of a JSON body.
    static let jsonLimit = 256 << 10

    /// The media type of the body in lower case, without parameters.
    var mediaType: String? {
        headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased()
    }

    /// The whole body.
    func bytes(upTo limit: Int) async throws -> [UInt8] {
        var request = self
        return try await request.collect(upTo: limit)
    }

    /// The whole body, which stays readable.
    mutating func collect(upTo limit: Int) async throws -> [UInt8] {
        do {
            return Array(try await collectBody(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw Problem(.tooLarge, "The body has more than \(limit) bytes.")
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw Problem.incompleteBody
        }
    }

    /// Checks that the body is JSON; a body without a media type counts as JSON.
    ///
    /// - Throws: `Problem` for a body of another type.
    func checkJSON() throws {
        guard mediaType ?? "application/json" == "application/json" else {
            throw Problem(
                .unsupportedMediaType, "Only application/json is accepted.",
                fix: "Send the header Content-Type: application/json")
        }
    }

    /// The body as strict JSON.
    func json<T: Decodable>(_ type: T.Type, upTo limit: Int = jsonLimit) async throws -> T {
        var request = self
        return try await request.reusableJSON(type, upTo: limit)
    }

    /// The body as strict JSON; the body stays readable.
    mutating func reusableJSON<T: Decodable>(
        _ type: T.Type, upTo limit: Int = jsonLimit
    ) async throws -> T {
        try checkJSON()
        return try Self.decode(type, try await collect(upTo: limit))
    }

    /// The body as strict JSON, `nil` if there is none; the body stays readable.
    mutating func optionalJSON<T: Decodable>(_ type: T.Type) async throws -> T? {
        let bytes = try await collect(upTo: Self.jsonLimit)
        return bytes.isEmpty ? nil : try Self.decode(type, bytes)
    }

    private static func decode<T: Decodable>(_ type: T.Type, _ bytes: [UInt8]) throws -> T {
        do {
            // The callers have limited the size.
            _ = try StrictJSON(maximumBytes: bytes.count).parse(bytes)
        } catch {
            throw Problem.invalidBody("\(error)")
        }
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw Problem.invalidBody("The JSON does not have the members that this call needs.")
        }
    }
}

extension Response {
    static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        json(ByteBuffer(bytes: try JSONText.encode(value)), status: status)
    }

    static func json(_ text: ByteBuffer, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: text))
    }
}

extension Problem {
    /// The connection failed while the body was read: a malformed chunk or an early end.
    static var incompleteBody: Problem { .invalidBody("The body is incomplete.") }
}

/// The JSON of this server: sorted keys, unescaped slashes.
enum JSONText {
    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }
}

extension ByteBuffer {
    /// Writes `{"t":…,"field":…}`: `t` in milliseconds since 1970, values in the fields' units.
    ///
    /// - Parameters:
    ///   - sensor: written as the first member, `sensor`, if it is given.
    ///   - freshness: adds `age` in milliseconds and, if it is known, `stale`, unless the
    ///     sensor has fields of these names.
    mutating func writeJSON(
        _ sample: StoredSample, _ fields: [Field], of sensor: SensorID? = nil,
        freshness: Freshness? = nil
    ) {
        if let sensor {
            writeString(#"{"sensor":""# + sensor.description + #"","t":"#)
        } else {
            writeString(#"{"t":"#)
        }
        writeMilliseconds(sample.time)
        for (field, value) in zip(fields, sample.values) {
            writeString(",")
            writeJSON(field.name)
            writeString(":")
            writeJSON(value)
        }
        if let freshness, !fields.contains(where: { $0.name == "age" }) {
            writeString(#","age":"#)
            writeMilliseconds(Timestamp(microseconds: freshness.age.wholeMicroseconds))
        }
        if let isStale = freshness?.isStale, !fields.contains(where: { $0.name == "stale" }) {
            writeString(#","stale":\#(isStale)"#)
        }
        writeString("}")
    }

    /// Milliseconds with the microseconds as a fraction, written exactly.
    mutating func writeMilliseconds(_ time: Timestamp) {
        let (whole, rest) = time.microseconds.quotientAndRemainder(dividingBy: 1000)
        if time.microseconds < 0, whole == 0, rest != 0 { writeString("-") }
        writeString(String(whole))
        if rest != 0 {
            let digits = String(rest.magnitude)
            writeString("." + String(repeating: "0", count: 3 - digits.count) + digits)
        }
    }

    mutating func writeJSON(_ value: Value) {
        switch value {
        case .number(let number): writeString(number.isFinite ? "\(number)" : "null")
        case .integer(let integer): writeString(String(integer))
        case .text(let text): writeJSON(text)
        }
    }

    mutating func writeJSON(_ text: String) {
        JSONString.write(text) { _ = writeBytes($0) }
    }
}
