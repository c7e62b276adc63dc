import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// An answer that says what went wrong (RFC 9457).
struct Problem: Error, Sendable {
    let status: HTTPResponse.Status
    /// The stable name of the kind of problem, such as `not-allowed`.
    let code: String
    let title: String
    var detail: String
    /// The command or setting that would help.
    var fix: String?
    /// The privilege that was missing.
    var privilege: String?
    /// Where a page of the host says how to change it.
    var settings: String?
    var headers: HTTPFields = [:]
    /// Of what is full: the bytes that are taken, and how many there may be.
    var space: (used: Int, limit: Int)?

    private struct Body: Encodable {
        let type: String
        let title: String
        let status: Int
        let detail: String
        let code: String
        let fix: String?
        let privilege: String?
        let used: Int?
        let limit: Int?
        let settings: String?
    }

    /// The members as JSON, also for an event of a stream.
    func encoded() -> Data {
        let body = Body(
            type: "urn:nervous:problem:\(code)", title: title, status: status.code, detail: detail,
            code: code, fix: fix, privilege: privilege, used: space?.used, limit: space?.limit,
            settings: settings)
        return (try? JSONText.encode(body)) ?? Data("{}".utf8)
    }
}

extension Problem: HTTPResponseError {
    func response(from request: Request, context: some RequestContext) throws -> Response {
        var fields = headers
        fields[.contentType] = "application/problem+json"
        return Response(
            status: status, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: encoded())))
    }
}

// MARK: - Problems that no module below names

extension Problem {
    static func invalidParameter(_ name: String, _ detail: String) -> Problem {
        Problem(
            status: .badRequest, code: "invalid-parameter", title: "A parameter is not understood",
            detail: "\(name): \(detail)")
    }

    static func invalidBody(_ detail: String) -> Problem {
        Problem(
            status: .badRequest, code: "invalid-body", title: "The body is not understood",
            detail: detail)
    }

    static func notFound(_ detail: String) -> Problem {
        Problem(
            status: .notFound, code: "not-found", title: "There is nothing here", detail: detail)
    }

    static func runHasStarted(_ run: String) -> Problem {
        Problem(
            status: .conflict, code: "conflict", title: "This does not fit what there is",
            detail: "The run \(run) has been started already.")
    }

    static func methodNotAllowed(_ method: HTTPRequest.Method, allowed: [String]) -> Problem {
        Problem(
            status: .methodNotAllowed, code: "method-not-allowed",
            title: "The resource does not take this method",
            detail: "\(method.rawValue) is not among \(allowed.joined(separator: ", ")).",
            headers: [.allow: allowed.joined(separator: ", ")])
    }

    static let misdirected = Problem(
        status: .misdirectedRequest, code: "misdirected",
        title: "The Host is not one of this server",
        detail: "Call http://localhost:PORT/ or http://APP.localhost:PORT/.")

    static let crossOrigin = Problem(
        status: .forbidden, code: "cross-origin",
        title: "Another site's page may not do this",
        detail: "The Origin of the call is not the origin that it was sent to.")
}

extension HTTPResponse.Status {
    /// RFC 4918.
    static let insufficientStorage = HTTPResponse.Status(
        code: 507, reasonPhrase: "Insufficient Storage")
}
