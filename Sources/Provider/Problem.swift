import API
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// An answer that describes an error (RFC 9457).
struct Problem: Error, Sendable {
    /// The code; `nil` for an error of the HTTP parser.
    let code: ProblemCode?
    let status: HTTPResponse.Status
    let title: String
    /// This error, in a sentence.
    var detail: String
    /// The command or setting that would help; for an app or a program, what to ask the owner for.
    var fix: String?
    /// The privilege that was missing.
    var privilege: String?
    /// The URL of the page that explains how to change the permissions of the app.
    var settings: String?
    var headers: HTTPFields = [:]
    /// For a full storage: the bytes in use and the bytes that are allowed.
    var space: (used: Int, limit: Int)?

    init(
        _ code: ProblemCode, _ detail: String, fix: String? = nil, privilege: String? = nil,
        headers: HTTPFields = [:]
    ) {
        self.code = code
        (status, title) = (HTTPResponse.Status(code: code.status), code.title)
        (self.detail, self.fix, self.privilege) = (detail, fix, privilege)
        self.headers = headers
    }

    /// An error that the HTTP parser or the router reports with nothing but a status.
    init(_ status: HTTPResponse.Status) {
        code = nil
        self.status = status
        title = status.reasonPhrase
        detail = "The request could not be served."
    }

    /// The same problem with a status other than the usual one of its code.
    init(_ problem: Problem, status: HTTPResponse.Status) {
        (code, self.status, title) = (problem.code, status, problem.title)
        (detail, fix, privilege) = (problem.detail, problem.fix, problem.privilege)
        (settings, headers, space) = (problem.settings, problem.headers, problem.space)
    }

    /// The stable code, such as `not-found`; `http-` and the status for an error of the HTTP parser.
    var codeName: String {
        code?.rawValue ?? "http-\(status.code)"
    }

    /// The members.
    var details: ProblemDetails {
        ProblemDetails(
            type: code?.type ?? "urn:nervous:problem:\(codeName)", title: title,
            status: status.code, detail: detail, code: codeName, fix: fix, privilege: privilege,
            used: space?.used, limit: space?.limit, settings: settings)
    }

    /// The members as JSON, also for an event of a stream.
    func encoded() -> Data {
        (try? JSONText.encode(details)) ?? Data("{}".utf8)
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

extension Problem {
    /// The problem as an app or a program receives it: without a command of the owner.
    ///
    /// The owner's commands can do more than the client may; a client could pass them to a shell.
    var forClient: Problem {
        guard let fix, fix.contains("nervous ") else { return self }
        var problem = self
        // A question, such as which name was meant, comes first.
        let question = fix.range(of: "? ").map { String(fix[..<$0.upperBound]) } ?? ""
        problem.fix = question + "Ask the owner."
        return problem
    }
}

// MARK: - Problems of the server itself

extension Problem {
    static func invalidParameter(_ name: String, _ detail: String) -> Problem {
        Problem(.invalidParameter, "\(name): \(detail)")
    }

    static func invalidBody(_ detail: String) -> Problem {
        Problem(.invalidBody, detail)
    }

    static func notFound(_ detail: String) -> Problem {
        Problem(.notFound, detail)
    }

    static func runHasStarted(_ run: String) -> Problem {
        Problem(.conflict, "The run \(run) has already been started.")
    }

    static func methodNotAllowed(_ method: HTTPRequest.Method, allowed: [String]) -> Problem {
        Problem(
            .methodNotAllowed,
            "\(method.rawValue) is not among \(allowed.joined(separator: ", ")).",
            headers: [.allow: allowed.joined(separator: ", ")])
    }

    static let misdirected = Problem(
        .misdirected, "Call http://localhost:PORT/ or http://APP.localhost:PORT/.")

    static let crossOrigin = Problem(
        .crossOrigin, "The Origin of the request is not the origin that it was sent to.")
}
