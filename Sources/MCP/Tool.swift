public import API
import Foundation
import Text

/// Provides the client with which the tools call the host.
public protocol HostAccess: Sendable {
    /// A client that carries the assistant's token.
    ///
    /// - Parameter isRejected: whether the host has rejected the token of the previous client.
    /// - Throws: ``ToolFailure`` if the host cannot be reached.
    func client(afterRejection isRejected: Bool) async throws -> APIClient
}

/// Why a tool has no result, in sentences for the assistant.
public struct ToolFailure: Error {
    /// The sentences.
    public let message: String

    /// Creates a failure.
    public init(_ message: String) {
        self.message = message
    }
}

/// A tool that an assistant can call.
protocol Tool: Sendable {
    var name: String { get }
    var title: String { get }
    var description: String { get }
    /// The properties of the arguments.
    var arguments: Schema.Properties { get }
    /// The arguments that must be there.
    var required: [String] { get }
    /// The properties of the result; ``UntrustedText/member`` is added to them.
    var result: Schema.Properties { get }
    /// The members of the result that may be missing.
    var optional: [String] { get }

    func answer(
        _ arguments: ToolArguments, _ host: HostCalls
    ) async throws -> [(key: String, value: JSONValue)]
}

extension Tool {
    var required: [String] { [] }
    var optional: [String] { [] }

    /// The tool as `tools/list` describes it.
    var json: JSONValue {
        var results: [(key: String, value: JSONValue)] = result.map { ($0.key, $0.value) }
        results.append((UntrustedText.member, Schema.untrusted))
        let certain = result.map(\.key).filter { !optional.contains($0) }
        return JSONValue([
            "name": JSONValue(name), "title": JSONValue(title),
            "description": JSONValue(description),
            "inputSchema": Schema.object(arguments, required: required),
            "outputSchema": JSONValue([
                "type": JSONValue("object"), "properties": JSONValue(results),
                "required": JSONValue(certain.map { JSONValue($0) }),
                "additionalProperties": JSONValue(.bool(false)),
            ]),
            "annotations": JSONValue([
                "title": JSONValue(title), "readOnlyHint": JSONValue(.bool(true)),
                "destructiveHint": JSONValue(.bool(false)),
                "idempotentHint": JSONValue(.bool(true)),
                "openWorldHint": JSONValue(.bool(false)),
            ]),
        ])
    }

    /// The result of a call.
    ///
    /// - Throws: `ToolFailure`, and `CancellationError`.
    func call(_ arguments: JSONValue, _ host: HostCalls) async throws -> ToolResult {
        let arguments = try ToolArguments(arguments, self.arguments.map(\.key))
        var members = try await answer(arguments, host)
        var text = JSONValue(members).line
        if UntrustedText.isContained(in: text) {
            members.append((UntrustedText.member, JSONValue(UntrustedText.explanation)))
            text = JSONValue(members).line
        }
        guard text.utf8.count <= ToolResult.limit else {
            throw ToolFailure(
                "The result has more than \(ToolResult.limit / 1024) KiB. Choose a shorter range, fewer"
                    + " fields, longer windows or a smaller limit.")
        }
        return ToolResult(value: JSONValue(members), text: text)
    }
}

/// The result of a tool: the structured content and the same as text.
struct ToolResult {
    /// The maximum size of the text in bytes.
    static let limit = 256 << 10

    let value: JSONValue
    let text: String
}

/// The calls of tools to the host.
struct HostCalls: Sendable {
    let access: any HostAccess
    private static let parser = StrictJSON(maximumBytes: 16 << 20, maximumDepth: 64)

    /// Makes a call; again with another token, once, if the host rejects the token, as after its restart.
    ///
    /// - Throws: `ToolFailure` for a problem that the host returns.
    func json<Value>(
        _ call: @Sendable (APIClient) async throws -> APIReply<Value>
    ) async throws -> JSONValue {
        let reply: APIReply<Value>
        do {
            do {
                reply = try await call(access.client(afterRejection: false))
            } catch let error as APIError where error.code == .invalidToken {
                reply = try await call(access.client(afterRejection: true))
            }
        } catch let error as APIError {
            throw await failure(error)
        } catch {
            try Task.checkCancellation()
            throw error as? ToolFailure
                ?? ToolFailure(
                    "The host of Nervous did not answer. Ask the owner whether it is running.")
        }
        do {
            return try Self.parser.parse(Array(reply.json))
        } catch {
            throw ToolFailure("The answer of the host cannot be shown.")
        }
    }

    /// The description of a sensor that was read; `nil` if it is not shown.
    func description(of sensor: String) async throws -> JSONValue? {
        do {
            return try await json { try await $0.sensor(sensor) }
        } catch is ToolFailure {
            return nil
        }
    }

    // MARK: - Private

    /// A problem in words; asks the owner for a missing permission.
    private func failure(_ error: APIError) async -> ToolFailure {
        guard let problem = error.problem else {
            return ToolFailure("The host of Nervous answered with status \(error.status).")
        }
        let privilege = problem.privilege.map { UntrustedText.plain($0, limit: 120) }
        let detail = UntrustedText.plain(problem.detail, limit: 400)
        switch problem.problemCode {
        case .undecided, .statisticsOnly:
            guard let privilege else { return ToolFailure(detail) }
            return await request(privilege, isNarrow: problem.problemCode == .statisticsOnly)
        case .denied:
            let what = privilege ?? "this"
            return ToolFailure(
                "The owner has denied \(what), and is not asked again. Ask the owner if you need it."
            )
        case .restricted:
            return ToolFailure(
                "A policy of this machine blocks \(privilege ?? "this"). Ask the owner.")
        case .notInBackground, .ownerOnly, .missingToken, .invalidToken:
            return ToolFailure("\(detail) Ask the owner.")
        default:
            let fix = problem.fix.map { UntrustedText.plain($0, limit: 400) }
            return ToolFailure([detail, fix].compactMap(\.self).joined(separator: " "))
        }
    }

    /// Opens a request for a privilege, which the owner answers on the dashboard.
    ///
    /// - Parameter isNarrow: whether statistics are allowed.
    private func request(_ privilege: String, isNarrow: Bool) async -> ToolFailure {
        let start =
            isNarrow
            ? "You may read only statistics here, and \(privilege) is not allowed."
            : "The owner has not allowed \(privilege)."
        let reply = try? await access.client(afterRejection: false)
            .requestPermission(privilege).value
        if reply?.state == "granted" {
            // The owner's policy broker has decided meanwhile.
            return ToolFailure("\(privilege) is allowed now. Call the tool again.")
        }
        guard let reply, reply.state == "prompt" else {
            return ToolFailure(start + " Ask the owner.")
        }
        guard reply.requested == true else {
            return ToolFailure(
                start
                    + " No request was made: this machine has nothing of this name, or too many requests"
                    + " wait for the owner. Ask the owner.")
        }
        return ToolFailure(
            start
                + " Ask the owner: a request for \(privilege) is waiting on the owner's page of Nervous. Only"
                + " the owner can answer it, there; call the tool again afterwards.")
    }
}
