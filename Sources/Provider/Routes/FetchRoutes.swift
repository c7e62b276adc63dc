import API
import Addresses
import AppRuns
import Auth
import Egress
import HTTPTypes
import Hummingbird
import JSApps
import Sealing
import Synchronization
import Text

/// Calls of apps to other servers.
struct FetchRoutes {
    let authorizer: RequestAuthorizer
    let outbound: GrantedClient
    let budget: @Sendable (String) -> FetchBudget
    let limiter: CallLimiter
    let secrets: SecretStore
    /// How often the permission for a call in progress is checked while nothing arrives.
    let heartbeat: Duration

    func add(to routes: inout RouteTable) {
        routes.on(.fetch, [.post: fetch])
    }

    /// Passes on the body of the other server's response, whatever its status, as it arrives.
    ///
    /// Its type is `application/octet-stream`, so that no browser interprets it as a page or a script
    /// of the app, or `text/event-stream`. If the other server's response ends early, this response is
    /// broken off.
    @Sendable
    private func fetch(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("fetch", request, context)
        let budget = budget(client.name)
        var whole = request
        let body = try await whole.collect(upTo: budget.requestBytes)
        let request = whole
        let call = try FetchRequest(
            request.headers[.nervousRequest], contentType: request.headers[.contentType],
            hasBody: !body.isEmpty)
        let template = try OutboundRequest(
            call.method, call.address, fields: call.fields, body: body)
        let origin = call.address.origin
        try outbound.check(origin)
        let grant = try await authorizer.grant(reaching: origin, request, context)
        let used = try UsedSecrets(in: template)
        for privilege in used.privileges(at: template) {
            _ = try await authorizer.client("use-secret", using: privilege, request, context)
        }
        let outgoing = try used.filled(template, for: client, from: secrets)
        let relay = Relay<FetchReply> { output in
            try await limiter.withCall(of: client.name, CallLimits(budget)) { call in
                let reached = ReachedOrigin()
                try await whileChecking(every: heartbeat) {
                    try await check(reached, request, context)
                } _: {
                    _ = try await outbound.send(
                        outgoing, under: grant, OutboundOptions(budget),
                        to: receiver(output, call, reached, request, context)
                    ) { next in try await permit(next, from: origin, request, context) }
                }
            }
        }
        let reply = try await relay.head()
        let response = Response(
            status: .ok,
            headers: [
                .contentType: reply.isEventStream
                    ? "text/event-stream" : "application/octet-stream",
                .cacheControl: "no-store", .nervousAnswer: try reply.encoded(),
            ],
            body: ResponseBody { writer in
                guard reply.isEventStream else {
                    try await relay.write(to: &writer)
                    return try await writer.finish(nil)
                }
                try await request.whileConnected(context, bodyLimit: budget.requestBytes) {
                    try await relay.write(to: &writer)
                } onDisconnect: {
                    relay.cancel()
                }
                try await writer.finish(nil)
            })
        return reply.isEventStream ? response.endingConnection(context) : response
    }

    /// Passes a response on to `output`, while the permission holds.
    private func receiver(
        _ output: Relay<FetchReply>.Output, _ call: CallLimiter.Call, _ reached: ReachedOrigin,
        _ request: Request, _ context: ProviderContext
    ) -> ResponseReceiver {
        ResponseReceiver { head, address, isRedirected in
            if head.isEventStream { try await call.become(.events) }
            reached.set(address.origin)
            try await output.send(FetchReply(head, address, isRedirected: isRedirected))
        } piece: { piece in
            try await check(reached, request, context)
            try await output.send(piece)
        }
    }

    /// Checks the permission for the server that answered.
    private func check(
        _ reached: ReachedOrigin, _ request: Request, _ context: ProviderContext
    ) async throws {
        guard let origin = reached.value else { return }
        try await authorizer.recheck(reaching: origin, request, context)
    }

    /// The origin whose response is being passed on; `nil` before there is one.
    private final class ReachedOrigin: Sendable {
        private let origin = Mutex<WebOrigin?>(nil)

        var value: WebOrigin? { origin.withLock { $0 } }

        func set(_ reached: WebOrigin) {
            origin.withLock { $0 = reached }
        }
    }

    /// A grant for the step that a redirect leads to.
    private func permit(
        _ next: WebOrigin, from origin: WebOrigin, _ request: Request, _ context: ProviderContext
    ) async throws -> OriginGrant {
        let isRedirect = next != origin
        do throws(AuthError) {
            return try await authorizer.grant(
                reaching: next, request, context, isRedirect: isRedirect)
        } catch {
            guard isRedirect, let privilege = error.privilege else { throw error }
            throw Problem(
                .redirectRefused, "\(origin) redirects to \(next). \(error.message)",
                fix: error.hint,
                privilege: privilege.description)
        }
    }
}

extension OutboundOptions {
    /// How long a stream of events may be silent: several intervals of usual heartbeats.
    private static let longestSilence = Duration.seconds(300)

    init(_ budget: FetchBudget) {
        self.init()
        total = budget.duration
        // Other calls end earlier.
        idle = max(Self.longestSilence, budget.duration)
        connecting = min(connecting, budget.duration)
        responseBytes = budget.answerBytes
    }
}

extension CallLimits {
    init(_ budget: FetchBudget) {
        self.init(concurrent: budget.callsAtOnce, perMinute: budget.callsPerMinute)
    }
}

/// A call to another server: the JSON of the header field `Nervous-Request`.
struct FetchRequest {
    let address: WebAddress
    let method: String
    let fields: [HeaderField]

    /// - Parameter contentType: the type of the body.
    /// - Throws: `Problem` if it is malformed.
    init(_ text: String?, contentType: String?, hasBody: Bool) throws {
        guard let text else { throw Self.fault("the header field is missing") }
        let root: JSONValue
        do throws(JSONSyntaxError) {
            root = try StrictJSON().parse(Array(text.utf8))
        } catch {
            throw Self.fault("\(error)")
        }
        guard let members = root.object, let url = root["url"]?.string else {
            throw Self.fault("must be an object with a url")
        }
        let known = ["url", "method", "headers"]
        if let unknown = members.first(where: { !known.contains($0.key) }) {
            throw Self.fault("\(unknown.key.prefix(40).debugDescription) is an unknown member")
        }
        guard let address = WebAddress(url) else { throw Self.invalidAddress }
        self.address = address
        method = try root["method"].map { try Self.string($0, "method") } ?? "GET"
        guard let list = root["headers"].map({ $0.object }) ?? [] else {
            throw Self.fault("headers must be an object")
        }
        var fields = try list.map {
            HeaderField($0.key, try Self.string($0.value, "a header"))
        }
        let hasType = fields.contains { $0.name.lowercased() == "content-type" }
        if hasBody, !hasType, let contentType {
            fields.append(HeaderField("Content-Type", contentType))
        }
        self.fields = fields
    }

    private static func string(_ value: JSONValue, _ what: String) throws -> String {
        guard let text = value.string else { throw fault("\(what) must be a string") }
        return text
    }

    private static func fault(_ detail: String) -> Problem {
        .invalidParameter("Nervous-Request", detail)
    }

    private static let invalidAddress = Problem(
        .invalidAddress,
        "The url is not an http or https URL in plain ASCII, without name and password, of at"
            + " most \(WebAddress.longest) bytes.",
        fix: "Write names of other scripts in their xn-- form")
}

/// The status and header of the other server's response: the JSON of the header field `Nervous-Answer`.
struct FetchReply: Encodable {
    let status: Int
    /// The URL of the response, after redirects.
    let url: String
    /// Whether there were redirects.
    let redirected: Bool
    /// By lower-case name; values of repeated fields are joined by commas.
    let headers: [String: String]
    /// Whether the body is a stream of events, which may never end.
    let isEventStream: Bool

    private enum CodingKeys: CodingKey {
        case status, url, redirected, headers
    }

    init(_ head: ResponseHead, _ address: WebAddress, isRedirected: Bool) {
        status = head.status
        url = address.description
        redirected = isRedirected
        headers = Dictionary(head.fields.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        isEventStream = head.isEventStream
    }

    /// The JSON in ASCII, for a header field.
    func encoded() throws -> String {
        let text = String(decoding: try JSONText.encode(self), as: UTF8.self)
        return text.utf16.reduce(into: "") { result, unit in
            if (0x20..<0x7F).contains(unit), let scalar = Unicode.Scalar(unit) {
                result.unicodeScalars.append(scalar)
            } else {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }
}
