import API
import Auth
import HTTPTypes
import Hummingbird
import LAE
import Motion
import NIOCore
import Samples
import Scheduling
import Sessions
import Tracks
import VM

/// The live values of a session, once per second while a client is connected.
struct LiveSessionRoutes {
    private static let interval = Duration.seconds(1)
    private static let page = 10_000

    let authorizer: RequestAuthorizer
    let machine: VirtualMachine
    let engine: AnalyticsEngine
    let book: SessionBook

    func add(to routes: inout RouteTable) {
        routes.on(.live(ofSession: "{session}"), [.get: live])
    }

    /// Server-Sent Events; they end when the session is finished.
    @Sendable
    private func live(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let caller = try await authorizer.sessions("live-session", .read, request, context)
        try request.rejectParameters(except: [])
        let first = try await book.record(context.required("session"), in: caller.scope)
        return Response.events { writer in
            try await request.whileConnected(context) { connection in
                do {
                    try await follow(first, caller, request, context, connection, &writer)
                } catch {
                    guard error is AuthError || error is SessionsError || error is LAEError else {
                        throw error
                    }
                    let problem = await authorizer.addressed(
                        Problem(error, logger: nil), request, context)
                    try await writer.write(StreamEvent.problem(problem))
                }
            }
        }.endingConnection(context)
    }

    // MARK: - Private

    /// Writes events until the session is finished, the client disconnects or the host stops.
    ///
    /// - Parameter connection: ends when the client disconnects.
    private func follow(
        _ first: SessionRecord, _ caller: SessionCaller, _ request: Request,
        _ context: ProviderContext, _ connection: AsyncStream<Void>,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        let ticks = AsyncStream {
            try? await authorizer.time.sleepToNextTick(every: Self.interval)
        }
        let events = EventStream(signals: ticks, heartbeat: nil, connection: connection)
        try await events.follow(keeping: 1) { ticks in
            var live = LiveSession(
                first, sensors: await sensors(of: first, request, context))
            if !live.spans.isEmpty { live.begin() }
            try await write(&live, caller, request, context, &writer)
            if live.record.session.isFinished { return }
            for await _ in ticks {
                try await write(&live, caller, request, context, &writer)
                if live.record.session.isFinished { return }
            }
        }
    }

    /// Writes an event with the current values of the session.
    private func write(
        _ live: inout LiveSession, _ caller: SessionCaller, _ request: Request,
        _ context: ProviderContext, _ writer: inout any ResponseBodyWriter
    ) async throws {
        var scope = SessionScope.all
        if await !authorizer.stillSees(live.record, as: caller, request, context) {
            scope = try await authorizer.sessions("live-session", .read, request, context).scope
        }
        let record = try await book.record(live.record.session.id, in: scope)
        if record != live.record {
            live = LiveSession(record, sensors: await sensors(of: record, request, context))
            live.begin()
        }
        try await catchUp(&live, request, context)
        let now = authorizer.now()
        try await writer.write(
            StreamEvent.live(LiveDescription(live.reading(at: now), of: record, at: now)))
    }

    /// Reads the samples since the last event.
    private func catchUp(
        _ live: inout LiveSession, _ request: Request, _ context: ProviderContext
    ) async throws {
        while let span = live.spans.first {
            for kind in LiveSession.Kind.allCases {
                guard let sensor = live.sensors[kind] else { continue }
                var isMore = true
                while isMore {
                    try Task.checkCancellation()
                    let grant = try await authorizer.grant(
                        "live-session", .raw, of: sensor, request, context)
                    var selection = SampleSelection(range: span, limit: Self.page)
                    selection.after = live.positions[kind]
                    let page = try await engine.batch(selection, for: grant)
                    try live.take(page, of: kind)
                    isMore = page.next != nil
                }
            }
            guard live.isSpanOver else { return }
            live.spans.removeFirst()
            live.begin()
        }
    }

    /// For each kind, the first sensor of a session that is available or has samples, and that the
    /// caller may read.
    private func sensors(
        of record: SessionRecord, _ request: Request, _ context: ProviderContext
    ) async -> [LiveSession.Kind: SensorID] {
        var found: [LiveSession.Kind: SensorID] = [:]
        for kind in LiveSession.Kind.allCases {
            for sensor in record.session.sensors where kind.id.covers(sensor) {
                let instances = await machine.instances(of: sensor)
                for instance in instances where found[kind] == nil {
                    // Skip sensors that are not available and have no samples.
                    guard let status = await machine.status(of: instance) else { continue }
                    if case .unavailable = status.state, !status.hasSamples { continue }
                    guard await authorizer.mayRead(instance, request, context) else { continue }
                    found[kind] = instance
                }
            }
        }
        return found
    }
}

/// The totals of the samples of a session that were read, and where to continue.
private struct LiveSession {
    /// The kinds of sensors that contribute.
    enum Kind: String, CaseIterable {
        case location, steps, altitude, activity

        var id: SensorID { SensorID(rawValue) ?? "location" }
    }

    /// The session as of its last step; after another step everything is read again.
    let record: SessionRecord
    let sensors: [Kind: SensorID]
    /// The active intervals that are not read to their end; the last one has no end while the session is active.
    var spans: [TimeRange]
    /// The last sample read of the first of these intervals, by kind.
    private(set) var positions: [Kind: SampleQuery.Position] = [:]
    private var totals = LiveTotals()
    private var route: SessionRoute

    init(_ record: SessionRecord, sensors: [Kind: SensorID]) {
        (self.record, self.sensors) = (record, sensors)
        route = SessionRoute(record)
        spans = record.session.spans(until: .distantFuture)
    }

    /// Whether the first of these intervals has ended.
    var isSpanOver: Bool { spans.count > 1 || record.session.state != .active }

    mutating func begin() {
        totals.begin()
        positions = [:]
    }

    /// - Throws: `SessionsError`.
    mutating func take(_ page: BatchPage, of kind: Kind) throws {
        for row in 0..<page.stored.count {
            try take(page.stored[row].sample, page.fields, of: kind)
            positions[kind] = SampleQuery.Position(of: page.stored[row])
        }
    }

    func reading(at now: Timestamp) -> LiveReading {
        var reading = totals.reading(at: now, isActive: record.session.state == .active)
        if let entered = record.enteredDistance { reading.distance = entered }
        return reading
    }

    private mutating func take(_ sample: Sample, _ fields: [Field], of kind: Kind) throws {
        func value(_ name: String) -> Value? {
            fields.firstIndex { $0.name == name }.map { sample.values[$0] }
        }
        switch kind {
        case .location:
            guard let fix = Fix(sample, fields: fields) else { return }
            try route.take(fix)
            if let metres = route.distance { totals.take(distance: metres, at: fix.time) }
        case .steps:
            if let steps = value("steps")?.double { totals.take(steps: steps, at: sample.time) }
        case .altitude:
            if let metres = value("altitude")?.double { totals.take(altitude: metres) }
        case .activity:
            guard case .text(let name)? = value("activity"), let activity = Activity(rawValue: name)
            else { return }
            guard case .text(let text)? = value("confidence"),
                let confidence = ActivityReading.Confidence(rawValue: text)
            else { return }
            totals.take(ActivityReading(activity, confidence), at: sample.time)
        }
    }
}
