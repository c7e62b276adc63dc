import API
import Auth
import HTTPTypes
import Hummingbird
import LAE
import NIOCore
import Samples
import Sessions
import VM

/// What a session comes to, once a second while somebody looks.
extension SessionRoutes {
    private static let beat = Duration.seconds(1)
    private static let page = 10_000

    /// Server-Sent Events; they end when the session has.
    @Sendable
    func live(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("live-session", request, context)
        try request.refuseParameters(besides: [])
        let first = try await book.record(id(context))
        return Response.events { writer in
            try await request.whilePresent(context) { presence in
                do {
                    try await follow(first, request, context, presence, &writer)
                } catch let error as AuthError {
                    try await writer.write(StreamEvent.problem(Problem(error)))
                } catch let error as SessionsError {
                    try await writer.write(StreamEvent.problem(Problem(error)))
                } catch let error as LAEError {
                    try await writer.write(StreamEvent.problem(Problem(error)))
                }
            }
        }.endingConnection(context)
    }

    // MARK: - Private

    /// Goes on until the session has ended, the reader leaves or the host stops.
    ///
    /// - Parameter presence: ends when the reader has left.
    private func follow(
        _ first: SessionRecord, _ request: Request, _ context: ProviderContext,
        _ presence: AsyncStream<Void>, _ writer: inout any ResponseBodyWriter
    ) async throws {
        let beats = AsyncStream { try? await time.sleepToNextTick(every: Self.beat) }
        let turns = EventTurns(signals: beats, heartbeat: nil, presence: presence)
        try await turns.follow(keeping: 1) { turns in
            var live = LiveSession(first, sensors: await sensors(of: first))
            if !live.spans.isEmpty { live.begin() }
            try await tell(&live, request, context, &writer)
            if live.record.session.isFinished { return }
            for await _ in turns {
                try await tell(&live, request, context, &writer)
                if live.record.session.isFinished { return }
            }
        }
    }

    /// Tells what the session comes to now.
    private func tell(
        _ live: inout LiveSession, _ request: Request, _ context: ProviderContext,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        if await !door.isStillOwner(request, context) {
            try await door.owner("live-session", request, context)
        }
        let record = try await book.record(live.record.session.id)
        if record != live.record {
            live = LiveSession(record, sensors: await sensors(of: record))
            live.begin()
        }
        try await catchUp(&live, request, context)
        let now = door.now()
        try await writer.write(
            StreamEvent.live(LiveDescription(live.reading(at: now), of: record, at: now)))
    }

    /// Reads what its sensors have measured since.
    private func catchUp(
        _ live: inout LiveSession, _ request: Request, _ context: ProviderContext
    ) async throws {
        while let span = live.spans.first {
            for kind in LiveSession.Kind.allCases {
                guard let sensor = live.sensors[kind] else { continue }
                var isMore = true
                while isMore {
                    try Task.checkCancellation()
                    let grant = try await door.grant(
                        "live-session", .raw, of: sensor, request, context)
                    var selection = SampleSelection(range: span, limit: Self.page)
                    selection.after = live.places[kind]
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

    /// The first sensor of each kind that a session has and that is there to be read.
    private func sensors(of record: SessionRecord) async -> [LiveSession.Kind: SensorID] {
        var found: [LiveSession.Kind: SensorID] = [:]
        for kind in LiveSession.Kind.allCases {
            for sensor in record.session.sensors where kind.id.covers(sensor) {
                let instances = await machine.instances(of: sensor)
                for instance in instances where found[kind] == nil {
                    // What is missing and has never measured anything has nothing to tell.
                    guard let status = await machine.status(of: instance) else { continue }
                    if case .unavailable = status.state, status.newest == nil { continue }
                    found[kind] = instance
                }
            }
        }
        return found
    }
}
