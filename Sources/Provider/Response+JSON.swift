import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Text

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

extension Request {
    /// The largest body of a call that carries JSON.
    static let jsonLimit = 256 << 10

    /// The whole body.
    func bytes(upTo limit: Int) async throws -> [UInt8] {
        var request = self
        return try await request.collect(upTo: limit)
    }

    /// The whole body, which can be read again.
    private mutating func collect(upTo limit: Int) async throws -> [UInt8] {
        do {
            return Array(try await collectBody(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw Problem(
                .tooLarge, "At most \(limit) bytes are taken.")
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // Only the connection can fail here: a chunk that is none, or an early end.
            throw Problem.invalidBody("The body did not come whole.")
        }
    }

    /// A body without a type is taken for JSON.
    ///
    /// - Throws: `Problem` for a body that says it is something else.
    func checkJSON() throws {
        let type = headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard type ?? "application/json" == "application/json" else {
            throw Problem(
                .unsupportedMediaType, "Only application/json is taken here.",
                fix: "Send the header Content-Type: application/json")
        }
    }

    /// The body, strictly read.
    func json<T: Decodable>(_ type: T.Type) async throws -> T {
        var request = self
        return try await request.lastingJSON(type)
    }

    /// The same, of a body that can be read again.
    mutating func lastingJSON<T: Decodable>(_ type: T.Type) async throws -> T {
        try checkJSON()
        return try Self.decode(type, try await collect(upTo: Self.jsonLimit))
    }

    /// The same, where a call may do without a body, which can be read again.
    mutating func optionalJSON<T: Decodable>(_ type: T.Type) async throws -> T? {
        let bytes = try await collect(upTo: Self.jsonLimit)
        return bytes.isEmpty ? nil : try Self.decode(type, bytes)
    }

    private static func decode<T: Decodable>(_ type: T.Type, _ bytes: [UInt8]) throws -> T {
        do {
            _ = try StrictJSON().parse(bytes)
        } catch {
            throw Problem.invalidBody("\(error)")
        }
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw Problem.invalidBody("The JSON has not the members that are needed here.")
        }
    }
}
