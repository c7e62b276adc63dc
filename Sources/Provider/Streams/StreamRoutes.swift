import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import LAE
import NIOCore
import Samples
import VM

/// Live samples as Server-Sent Events, and those of several sensors also as messages of a WebSocket; the
/// `id` of an event is the sequence number of its sample.
///
/// A client that reconnects with `Last-Event-ID` gets all samples since then, and an event for
/// samples that are no longer available. Permission is checked for each group of samples, so a
/// decision takes effect at once.
struct StreamRoutes {
    /// The maximum number of sensors of a stream.
    private static let sensorLimit = 64

    let authorizer: RequestAuthorizer
    let machine: VirtualMachine
    let engine: AnalyticsEngine
    let ownerEvents: OwnerEvents
    let heartbeat: Duration
    let settings: SettingsLink
    /// Decides when streams write; `nil` if each writes as soon as samples arrive.
    let scheduler: StreamScheduler?

    func add(to routes: inout RouteTable) {
        routes.on(.stream(of: "{sensor}"), [.get: streamOfOne])
        routes.on(.stream, [.get: streamOfMany])
    }

    // MARK: - One sensor

    @Sendable
    private func streamOfOne(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let name = try request.sensor(context)
        let grant = try await authorizer.grant("stream", .raw, of: name, request, context)
        let newest = await machine.samples.lastSequence
        let last = try request.lastEventID(atMost: newest) ?? newest
        // A sensor that cannot be read is refused before the stream begins.
        _ = try await engine.arrivals(after: .max, limit: 1, for: grant)
        var samples = samples(.one, request, context)
        await samples.add(name, grant.sensor, after: last, newest: newest)
        let contents = StreamContents(self, request, context, samples, newest: newest)
        return await respond(contents, request, context)
            .naming(grant.sensor, requested: name)
    }

    // MARK: - Several sensors

    @Sendable
    private func streamOfMany(
        _ call: Request, _ context: ProviderContext
    ) async throws -> Response {
        var authorized = call
        let socket = try StreamSocket(opening: &authorized, context)
        let request = authorized
        let client = try await authorizer.client("stream", request, context)
        try request.rejectParameters(
            except: Set(
                ["sensors", "newest", "after"]
                    + OwnerEvents.Part.allCases.map { Substring($0.rawValue) }))
        let parts = try OwnerEvents.Part.allCases.filter {
            try request.bareFlag(Substring($0.rawValue))
        }
        if !parts.isEmpty { try await authorizer.owner("stream", request, context) }
        let newest = await machine.samples.lastSequence
        let last = try request.lastEventID(atMost: newest)
        var contents = StreamContents(
            self, request, context, samples(.many, request, context), newest: newest)
        contents.owner = OwnerFeed(ownerEvents, Set(parts))
        let beginsWithNewest = try request.bareFlag("newest")
        guard let list = request.parameter("sensors") else {
            guard !parts.isEmpty else {
                let names = OwnerEvents.Part.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem.invalidParameter(
                    "sensors", "missing, and none of \(names) was requested")
            }
            return await respond(contents, request, context, by: socket)
        }
        let names = list == "*" ? await allNames(for: client) : try names(list, newest: newest)
        guard names.count <= Self.sensorLimit else {
            throw Problem.invalidParameter(
                "sensors", "at most \(Self.sensorLimit) sensors are accepted")
        }
        for item in names {
            guard let name = SensorID(item.name) else {
                let shown = item.name.prefix(80).debugDescription
                contents.refused.append(
                    (item.name, Problem.notFound("\(shown) is not a sensor's name.")))
                continue
            }
            // The others do not wait for the owner's answer.
            if await authorizer.needsDecision("stream", .raw, of: name, request, context) {
                contents.undecided.append(name)
                continue
            }
            switch try await admit(name, request, context) {
            case .success(let sensor):
                let known = item.last ?? last
                await contents.samples.add(name, sensor, after: known ?? newest, newest: newest)
                if beginsWithNewest, known == nil { contents.beginning.append((name, sensor)) }
            case .failure(let problem): contents.refused.append((item.name, problem))
            }
        }
        return await respond(contents, request, context, by: socket)
    }

    /// The sensor that a name refers to, if the client may read it.
    ///
    /// - Throws: `Problem` when the call as a whole is refused, for instance because its token is
    ///   invalid.
    private func admit(
        _ name: SensorID, _ request: Request, _ context: ProviderContext
    ) async throws -> Result<SensorID, Problem> {
        do {
            let grant = try await authorizer.grant("stream", .raw, of: name, request, context)
            _ = try await engine.arrivals(after: .max, limit: 1, for: grant)
            return .success(grant.sensor)
        } catch {
            guard let problem = Problem(ofStream: error) else { throw error }
            guard !problem.concernsCaller else { throw problem }
            return .failure(
                await authorizer.addressed(problem.with(settings, request), request, context))
        }
    }

    /// The sensors whose samples the client may read, without virtual sensors: their samples follow from
    /// others.
    private func allNames(for client: Client) async -> [(name: String, last: Int64?)] {
        let permissions = await authorizer.authority.permissions
        return await machine.statuses().filter { status in
            status.sensor.derivation == nil
                && (status.state == .available || status.hasSamples)
                && permissions.permission(of: client, for: status.sensor.id) == .granted
        }.map { ($0.sensor.id.description, nil) }
    }

    /// The names of a list, each with the position after `@`, if it has one of its own.
    private func names(
        _ list: String, newest: Int64
    ) throws -> [(name: String, last: Int64?)] {
        let names = try list.split(separator: ",", omittingEmptySubsequences: false).map { item in
            let parts = item.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return (name: String(item), last: Int64?.none) }
            guard let last = Int64(parts[1]), (0...newest).contains(last) else {
                throw Problem.invalidParameter(
                    "sensors", "the position after @ must be the id of an event")
            }
            return (name: String(parts[0]), last: last)
        }
        guard names.allSatisfy({ !$0.name.isEmpty }), Set(names.map(\.name)).count == names.count
        else {
            throw Problem.invalidParameter(
                "sensors", "must be a comma-separated list of different names")
        }
        return names
    }

    // MARK: - Writing

    private func samples(
        _ form: SampleMerge.Form, _ request: Request, _ context: ProviderContext
    ) -> SampleMerge {
        SampleMerge(form, authorizer, machine, engine, settings, request, context)
    }

    /// - Parameter socket: the WebSocket that the client opens; `nil` for Server-Sent Events.
    private func respond(
        _ contents: StreamContents, _ request: Request, _ context: ProviderContext,
        by socket: StreamSocket? = nil
    ) async -> Response {
        let registration = await scheduler?.join(contents.samples.origins)
        let write = { @Sendable (writer: inout any ResponseBodyWriter) in
            try await request.whileConnected(context) { connection in
                do {
                    try await follow(
                        contents, request, context, connection, registration, &writer)
                } catch {
                    guard let problem = Problem(ofStream: error) else { throw error }
                    let addressed = await authorizer.addressed(
                        problem.with(settings, request), request, context)
                    try await writer.write(StreamEvent.problem(addressed))
                }
            }
            if let registration { await scheduler?.leave(registration.number) }
        }
        return socket?.response(write) ?? Response.events(write).endingConnection(context)
    }

    /// Writes until the client disconnects or the host stops; throws when permission ends.
    ///
    /// - Parameter connection: ends when the client disconnects.
    private func follow(
        _ start: StreamContents, _ request: Request, _ context: ProviderContext,
        _ connection: AsyncStream<Void>, _ registration: StreamScheduler.Registration?,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        let inbox = StreamInbox()
        let (arrivals, watching) = AsyncStream.makeStream(of: AsyncStream<Void>.self)
        var contents = start
        try await withThrowingDiscardingTaskGroup { group in
            for part in start.owner?.parts ?? [] {
                group.addTask { await ownerEvents.watch(part, inbox) }
            }
            for name in start.undecided {
                group.addTask {
                    do {
                        await inbox.add(name, try await admit(name, request, context))
                    } catch {
                        await inbox.end(Problem(ofStream: error))
                    }
                }
            }
            group.addTask {
                await withDiscardingTaskGroup { group in
                    for await signals in arrivals {
                        group.addTask { for await _ in signals { inbox.wake() } }
                    }
                }
            }
            if let scheduler, let registration {
                for await _ in registration.turns {
                    try await contents.write(await inbox.take(), isQuiet: true, to: &writer) {
                        await scheduler.add($0, to: registration.number)
                    }
                    await scheduler.finishTurn(registration.number)
                }
            } else {
                let watch = { @Sendable (sensors: [SensorID]) in
                    _ = watching.yield(await machine.samples.arrivalSignals(of: sensors))
                }
                await watch(start.samples.origins)
                let events = EventStream(
                    signals: inbox.signals, heartbeat: heartbeat, connection: connection)
                try await events.follow(keeping: 1) { signals in
                    // Samples that arrived before the signals began.
                    try await contents.write(await inbox.take(), to: &writer, watch: watch)
                    for await signal in signals {
                        try await contents.write(
                            await inbox.take(), isHeartbeat: signal == nil, to: &writer,
                            watch: watch)
                    }
                }
            }
            group.cancelAll()
        }
    }
}

/// What a stream writes.
private struct StreamContents {
    let authorizer: RequestAuthorizer
    let request: Request
    let context: ProviderContext
    let machine: VirtualMachine
    let engine: AnalyticsEngine
    var samples: SampleMerge
    /// The last sequence number when the stream began.
    let newest: Int64
    var owner: OwnerFeed?
    var refused: [(name: String, problem: Problem)] = []
    /// Sensors whose newest sample comes first.
    var beginning: [(name: SensorID, sensor: SensorID)] = []
    /// Sensors that join when the owner has allowed them.
    var undecided: [SensorID] = []
    private var hasBegun = false

    init(
        _ routes: StreamRoutes, _ request: Request, _ context: ProviderContext,
        _ samples: SampleMerge, newest: Int64
    ) {
        (authorizer, machine, engine) = (routes.authorizer, routes.machine, routes.engine)
        (self.request, self.context) = (request, context)
        (self.samples, self.newest) = (samples, newest)
    }

    /// Writes what has happened since it was called last, or else a heartbeat.
    ///
    /// - Parameters:
    ///   - news: what has happened, except for samples.
    ///   - isHeartbeat: whether a heartbeat is due; then the permission for every sensor is checked.
    ///   - isQuiet: whether to omit heartbeats, and the opening of a stream of one sensor.
    ///   - watch: called with sensors that join, before they are read.
    mutating func write(
        _ news: StreamInbox.Contents, isHeartbeat: Bool = false, isQuiet: Bool = false,
        to writer: inout any ResponseBodyWriter, watch: ([SensorID]) async -> Void
    ) async throws {
        if let problem = news.problem { throw problem }
        var hasWritten = isQuiet
        if !hasBegun {
            hasBegun = true
            let opening = try samples.opening(newest: newest)
            if !isQuiet || samples.form == .many { try await writer.write(opening) }
            for (name, problem) in refused {
                try await writer.write(StreamEvent.refused(name, problem))
                hasWritten = true
            }
        }
        for (name, result) in news.decided {
            hasWritten = true
            switch result {
            case .success(let sensor):
                await watch(await engine.origins(of: sensor))
                let newest = await machine.samples.lastSequence
                await samples.add(name, sensor, after: newest, newest: newest)
                try await writer.write(StreamEvent.open([name], after: newest))
            case .failure(let problem):
                try await writer.write(StreamEvent.refused(name.description, problem))
            }
        }
        if var owner, !owner.parts.isEmpty {
            if await !authorizer.isStillOwner(request, context) {
                try await authorizer.owner("stream", request, context)
            }
            if try await owner.write(news, to: &writer) { hasWritten = true }
            self.owner = owner
        }
        if try await writeNewest(to: &writer) { hasWritten = true }
        if try await samples.write(to: &writer, checksAll: isHeartbeat) { hasWritten = true }
        if !hasWritten { try await writer.write(StreamEvent.heartbeat) }
    }

    /// Writes the newest sample of each sensor with which the stream begins.
    ///
    /// These events have no `id`: a client that resumed after one of them would also get samples from
    /// before the stream began.
    private mutating func writeNewest(to writer: inout any ResponseBodyWriter) async throws -> Bool
    {
        var output = ByteBuffer()
        for (name, sensor) in beginning {
            // A sensor that may not be read any more is reported when its samples are read.
            guard
                let grant = try? await authorizer.grant(
                    "stream", .raw, of: sensor, request, context, isContinuation: true),
                let page = try? await engine.latest(for: grant).page,
                let sample = page.samples.first, sample.sequence <= newest
            else { continue }
            StreamEvent.sample(sample, page.fields, of: name, isLast: false, to: &output)
        }
        beginning = []
        guard output.readableBytes > 0 else { return false }
        try await writer.write(output)
        return true
    }
}

extension Request {
    /// The position in `Last-Event-ID`, or else in the parameter `after`, for clients that cannot set header
    /// fields; `nil` without both.
    ///
    /// The header field comes first: a client that reconnects repeats the URL.
    fileprivate func lastEventID(atMost newest: Int64) throws -> Int64? {
        let field = headers[.lastEventID]
        return try (field ?? parameter("after")).map { text in
            guard let sequence = Int64(text), (0...newest).contains(sequence) else {
                throw Problem.invalidParameter(
                    field == nil ? "after" : "Last-Event-ID", "must be the id of an event")
            }
            return sequence
        }
    }
}
