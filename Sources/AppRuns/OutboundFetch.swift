import Foundation
import RunnerProtocol

/// Calls of an app to other servers: a route of the host makes them, and its reply becomes the
/// frames of an ordinary response.
enum OutboundFetch {
    private static let route = "/api/v1/fetch"

    /// The route's argument.
    private struct Request: Encodable {
        let url: String
        let method: String
        let headers: [String: String]
    }

    /// The status and header of the server's response, as the route reports them.
    private struct Response: Decodable {
        let status: UInt16
        let url: String
        let redirected: Bool
        let headers: [String: String]

        /// `nil` if the route made no call or received no response.
        init?(_ fields: [(name: String, value: String)]) {
            let field = fields.first { $0.name.lowercased() == "nervous-answer" }
            guard let text = field?.value,
                let response = try? JSONDecoder().decode(Response.self, from: Data(text.utf8))
            else { return nil }
            self = response
        }

        func head(_ id: UInt32) -> HostFrame {
            let fields = headers.sorted { $0.key < $1.key }.prefix(FrameLimits.headers)
            return .response(
                id: id, status: status, headers: fields.map { HeaderField($0.key, $0.value) },
                url: redirected ? url : "")
        }
    }

    /// The members of a problem that an app is shown.
    private struct Refusal: Decodable {
        let detail: String
        let fix: String?
    }

    /// The request to the host; `nil` if the URL or a header field has characters other than visible ASCII.
    static func request(for call: AppCall, host: String, token: String) -> HostCall? {
        let texts = [call.target] + call.headers.flatMap { [$0.name, $0.value] }
        guard texts.allSatisfy({ $0.utf8.allSatisfy { (0x20..<0x7F).contains($0) } }) else {
            return nil
        }
        let fields = call.headers.map { ($0.name.lowercased(), $0.value) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let request = Request(
            url: call.target, method: call.method,
            headers: Dictionary(fields) { "\($0), \($1)" })
        guard let json = try? encoder.encode(request) else { return nil }
        return HostCall(
            method: "POST", target: route, host: host,
            headers: [
                ("Authorization", "Bearer \(token)"),
                ("Nervous-Request", String(decoding: json, as: UTF8.self)),
            ], body: call.body)
    }

    /// The frames for a part of the route's reply.
    static func frames(for part: HostAnswerPart, to id: UInt32) -> ResponseFrames {
        switch part {
        case .whole(_, let headers, let body):
            guard let response = Response(headers) else {
                return .last([.failure(id: id, message: reason(body))])
            }
            return .last(
                [response.head(id)] + ResponseFrames.pieces(of: body, id) + [.end(id: id)])
        case .head(_, let headers):
            guard let response = Response(headers) else { return .invalid }
            return .some([response.head(id)], opensStream: ResponseFrames.areEvents(headers))
        case .body, .end:
            return ResponseFrames(part, to: id)
        }
    }

    private static func reason(_ problem: [UInt8]) -> String {
        guard let found = try? JSONDecoder().decode(Refusal.self, from: Data(problem)) else {
            return "The host did not make the call."
        }
        return [found.detail, found.fix].compactMap { $0 }.joined(separator: " ")
    }
}
