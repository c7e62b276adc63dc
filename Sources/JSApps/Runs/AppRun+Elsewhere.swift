import Foundation
import RunnerProtocol

/// Calls of an app to other servers: the host's own route makes them, and what it says is put in the
/// form of an ordinary answer.
extension AppRun {
    private static let route = "/api/v1/fetch"

    /// What the route is asked for.
    private struct Wish: Encodable {
        let url: String
        let method: String
        let headers: [String: String]
    }

    /// What the route tells of an answer.
    private struct Answer: Decodable {
        let status: UInt16
        let url: String
        let redirected: Bool
        let headers: [String: String]

        /// - Returns: `nil` where the route tells of none, because it made no call or got no answer.
        init?(_ fields: [(name: String, value: String)]) {
            let field = fields.first { $0.name.lowercased() == "nervous-answer" }
            guard let text = field?.value,
                let answer = try? JSONDecoder().decode(Answer.self, from: Data(text.utf8))
            else { return nil }
            self = answer
        }

        func head(_ id: UInt32) -> HostFrame {
            let fields = headers.sorted { $0.key < $1.key }.prefix(FrameLimits.headers)
            return .response(
                id: id, status: status, headers: fields.map { HeaderField($0.key, $0.value) },
                url: redirected ? url : "")
        }
    }

    private struct Refusal: Decodable {
        let detail: String
        let fix: String?
    }

    /// - Returns: why there is no whole answer; `nil` when there is, or nobody wants it any more.
    func performElsewhere(
        _ id: UInt32, _ method: String, _ target: String, _ headers: [HeaderField],
        _ body: [UInt8]
    ) async -> HostFrame? {
        guard let wish = Self.text(method, target, headers) else {
            return .failure(id: id, message: "The address or a header field is not visible ASCII.")
        }
        let call = HostCall(
            method: "POST", target: Self.route, host: origin.host,
            headers: [
                ("Authorization", "Bearer \(configuration.token)"), ("Nervous-Request", wish),
            ], body: body)
        do {
            try await connection.send(call) { part in try await self.passElsewhere(part, of: id) }
            return nil
        } catch {
            return Task.isCancelled
                ? nil : .failure(id: id, message: "The host's answer broke off.")
        }
    }

    private func passElsewhere(_ part: HostAnswerPart, of id: UInt32) async throws {
        switch part {
        case .whole(_, let headers, let body):
            guard let answer = Answer(headers) else {
                return await conclude(id, [.failure(id: id, message: Self.reason(body))])
            }
            await conclude(id, [answer.head(id)] + pieces(of: body, id) + [.end(id: id)])
        case .head(_, let headers):
            guard let answer = Answer(headers), await send([answer.head(id)]) else {
                throw CancellationError()
            }
        case .body, .end:
            try await pass(part, of: id)
        }
    }

    private static func text(
        _ method: String, _ target: String, _ headers: [HeaderField]
    ) -> String? {
        let texts = [target] + headers.flatMap { [$0.name, $0.value] }
        guard texts.allSatisfy({ $0.utf8.allSatisfy { (0x20..<0x7F).contains($0) } }) else {
            return nil
        }
        let fields = headers.map { ($0.name.lowercased(), $0.value) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let wish = Wish(
            url: target, method: method,
            headers: Dictionary(fields) { "\($0), \($1)" })
        return (try? encoder.encode(wish)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func reason(_ problem: [UInt8]) -> String {
        guard let found = try? JSONDecoder().decode(Refusal.self, from: Data(problem)) else {
            return "The host did not make the call."
        }
        return [found.detail, found.fix].compactMap { $0 }.joined(separator: " ")
    }
}
