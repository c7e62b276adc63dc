import API
import Addresses
import AppRuns
import Auth
import Egress
import HTTPTypes
import Hummingbird
import JSApps
import Text

/// Calls of apps to other servers.
struct FetchRoutes {
    let authorizer: RequestAuthorizer
    let outbound: GrantedClient
    let budget: @Sendable (String) -> FetchBudget
    let limiter = CallLimiter()

    func add(to routes: inout RouteTable) {
        routes.on(.fetch, [.post: fetch])
    }

    /// Returns the body of the other server's response, whatever its status.
    ///
    /// Its type is `application/octet-stream`, so that no browser interprets it as a page or a script
    /// of the app.
    @Sendable
    private func fetch(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("fetch", request, context)
        let budget = budget(client.name)
        let body = try await request.bytes(upTo: budget.requestBytes)
        let call = try FetchRequest(
            request.headers[.nervousRequest], contentType: request.headers[.contentType],
            hasBody: !body.isEmpty)
        let outgoing = try OutboundRequest(
            call.method, call.address, fields: call.fields, body: body)
        let origin = call.address.origin
        try outbound.check(origin)
        let grant = try await authorizer.grant(reaching: origin, request, context)
        let answer = try await limiter.withCall(of: client.name, CallLimits(budget)) {
            try await outbound.send(outgoing, under: grant, OutboundOptions(budget)) { next in
                try await permit(next, from: origin, request, context)
            }
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/octet-stream",
                .nervousAnswer: try FetchReply(answer).encoded(),
            ], body: .init(byteBuffer: answer.body))
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
    init(_ budget: FetchBudget) {
        self.init()
        total = budget.duration
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

    init(_ answer: OutboundResponse) {
        status = answer.status
        url = answer.address.description
        redirected = answer.isRedirected
        headers = Dictionary(answer.fields.map { ($0.name, $0.value) }) { "\($0), \($1)" }
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
