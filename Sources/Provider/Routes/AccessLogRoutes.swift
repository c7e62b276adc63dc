import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Samples
import ServiceLifecycle
import Text

/// The access log, for the owner.
struct AccessLogRoutes {
    private static let verifying = "The access log is being verified."
    private static let progressInterval = Duration.milliseconds(250)

    let authorizer: RequestAuthorizer
    private let verifications = CallSlot()

    init(authorizer: RequestAuthorizer) {
        self.authorizer = authorizer
    }

    func add(to routes: inout RouteTable) {
        routes.on(.accessLog, [.get: list, .delete: prune])
        routes.on(.accessLogVerification, [.get: verify])
        routes.on(.accessLogSeal, [.get: sealStatus, .post: seal])
        routes.on(.accessLogCheckpoints, [.post: makeCheckpoint])
    }

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("access-log", request, context)
        try request.rejectParameters(
            except: ["client", "clientKind", "cursor", "kind", "limit", "outcome", "owner"])
        let limit = try request.limit()
        let before = try request.parameter("cursor").map { text in
            guard let id = Int64(text) else {
                throw Problem.invalidParameter(
                    "cursor", "must be the unchanged cursor of the previous page")
            }
            return id
        }
        let outcome = request.parameter("outcome")
        guard outcome == nil || outcome == "refused" else {
            throw Problem.invalidParameter("outcome", "must be 'refused'")
        }
        let owner = request.parameter("owner")
        guard owner == nil || owner == "false" else {
            throw Problem.invalidParameter("owner", "must be 'false'")
        }
        let kind: AccessLogEntry.Kind? = try request.choice("kind")
        let clientKind: AccessLogEntry.ClientKind? = try request.choice("clientKind")
        // One more entry shows whether there is a next page.
        let query = AccessLogQuery(
            client: request.parameter("client"), onlyRefused: outcome != nil,
            withoutOwner: owner != nil, kind: kind, clientKind: clientKind, before: before,
            limit: limit + 1)
        let found = try await authorizer.authority.log.entries(query)
        let entries = found.prefix(limit)
        let next = found.count > limit ? entries.last.map { String($0.id) } : nil
        var response = try Response.json(ItemList(entries.map(AccessLogItem.init), next: next))
        if let next { response.headers[.link] = request.link(toNext: next) }
        return response
    }

    /// Verifies the hash chain, like `nervous log --verify`; with its progress, if the client accepts lines.
    @Sendable
    private func verify(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("verify-log", request, context)
        try request.rejectParameters(except: ["expect"])
        let expected = request.parameter("expect")
        guard expected?.wholeMatch(of: /[0-9a-fA-F]{64}/) != nil || expected == nil else {
            throw Problem.invalidParameter("expect", "must be the 64 digits of an earlier head")
        }
        let log = authorizer.authority.log
        guard try Self.wantsLines(request) else {
            let report = try await verifications.perform(Self.verifying) {
                try await log.verify(expecting: expected)
            }
            return try .json(AccessLogVerdict(report))
        }
        // A client that reads slowly gets the newest progress, and always the end.
        let (steps, continuation) = AsyncStream.makeStream(
            of: AccessLogVerificationStep.self, bufferingPolicy: .bufferingNewest(1))
        let work = try await verifications.start(Self.verifying) {
            do {
                let report = try await log.verify(expecting: expected) { verified, total in
                    continuation.yield(AccessLogVerificationStep(verified: verified, of: total))
                }
                continuation.yield(AccessLogVerificationStep(AccessLogVerdict(report)))
            } catch {
                let problem = Problem(error, logger: nil)
                continuation.yield(AccessLogVerificationStep(problem.details))
            }
            continuation.finish()
        }
        return respond(steps, request, context) { work.cancel() }
    }

    /// Whether the client wants progress line by line; a single answer without `Accept`.
    private static func wantsLines(_ request: Request) throws -> Bool {
        guard let accept = request.headers[.accept] else { return false }
        let wanted: Bool? = ContentNegotiation.best(of: accept) { range in
            switch range {
            case "*/*", "application/*", "application/json": false
            case Response.linesType: true
            default: nil
            }
        }
        guard let wanted else {
            throw Problem(
                .notAcceptable,
                "The result is available as application/json and \(Response.linesType).")
        }
        return wanted
    }

    /// Writes the steps of a verification, line by line; it is cancelled when the client disconnects or the
    /// host stops.
    private func respond(
        _ steps: AsyncStream<AccessLogVerificationStep>, _ request: Request,
        _ context: ProviderContext, cancel: @escaping @Sendable () -> Void
    ) -> Response {
        Response.lines { writer in
            defer { cancel() }
            try await withGracefulShutdownHandler {
                try await request.whileConnected(context) {
                    try await Self.write(steps, to: &writer)
                } onDisconnect: {
                    cancel()
                }
            } onGracefulShutdown: {
                cancel()
            }
        }.endingConnection(context)
    }

    private static func write(
        _ steps: AsyncStream<AccessLogVerificationStep>, to writer: inout any ResponseBodyWriter
    ) async throws {
        var last = ContinuousClock.now
        for await step in steps {
            let isProgress = step.verified != nil
            guard !isProgress || .now - last >= progressInterval else { continue }
            last = .now
            try await writer.writeLine(step)
        }
    }

    @Sendable
    private func sealStatus(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        try await authorizer.owner("access-log-seal", request, context)
        return try .json(AccessLogSeal(try await authorizer.authority.log.sealStatus()))
    }

    /// Seals the log; the answer is the only one that contains the verification key.
    @Sendable
    private func seal(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("seal-log", request, context)
        let body = try await request.json(AccessLogSealRequest.self)
        let key = try await authorizer.authority.log.seal(replacing: body.replace ?? false)
        return try .json(
            AccessLogSealKey(key: key.text, first: key.firstEntry, signer: key.signer),
            status: .created)
    }

    /// Signs the number and the hash of the newest entry.
    @Sendable
    private func makeCheckpoint(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        try await authorizer.owner("checkpoint-log", request, context)
        let made = try await authorizer.authority.log.checkpoint()
        return try .json(
            AccessLogCheckpoint(
                note: made.note, line: made.entry, hash: made.hash.hexadecimal,
                time: made.time.milliseconds), status: .created)
    }

    /// Prunes the oldest entries; an entry that records the pruning continues the chain.
    @Sendable
    private func prune(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("prune-log", request, context)
        try request.rejectParameters(except: ["before"])
        guard let text = request.parameter("before") else {
            throw Problem.invalidParameter(
                "before", "required: entries before this time are removed")
        }
        let now = authorizer.now()
        let moment = try Request.moment("before", text, now)
        guard moment <= now else {
            throw Problem.invalidParameter("before", "must not be in the future")
        }
        let log = authorizer.authority.log
        let cut = try await log.prune(before: moment)
        return try .json(AccessLogHead(try await log.head(), cut: cut))
    }
}
