import API
import AppStorage
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import LAE
import NIOCore
import Samples
import VM

/// Live samples as Server-Sent Events; the `id` of an event is the sequence number of its sample.
///
/// A client that reconnects with `Last-Event-ID` gets all samples since then, and an event for
/// samples that are no longer available. Permission is checked for each group of samples, so a
/// decision takes effect at once.
struct StreamRoutes {
    private static let groupSize = 500

    let authorizer: RequestAuthorizer
    let machine: VirtualMachine
    let engine: AnalyticsEngine
    let heartbeat: Duration
    let settings: SettingsLink
    /// Decides when streams write; `nil` if each writes as soon as samples arrive.
    let scheduler: StreamScheduler?

    func add(to routes: inout RouteTable) {
        routes.on(.stream(of: "{sensor}"), [.get: stream])
    }

    @Sendable
    private func stream(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let name = try request.sensor(context)
        let grant = try await authorizer.grant("stream", .raw, of: name, request, context)
        // The sensor that a kind resolves to may change; the stream stays with the first one.
        let id = grant.sensor
        let newest = await machine.samples.lastSequence
        var last = newest
        if let text = request.headers[.lastEventID] {
            guard let sequence = Int64(text), (0...newest).contains(sequence) else {
                throw Problem.invalidParameter("Last-Event-ID", "must be the id of an event")
            }
            last = sequence
        }
        // A sensor that cannot be read is refused before the stream begins.
        _ = try await engine.arrivals(after: .max, limit: 1, for: grant)
        let position = StreamPosition(after: last, newest: newest)
        let registration = await scheduler?.join(id)
        return Response.events { writer in
            try await request.whileConnected(context) { connection in
                do {
                    if let scheduler, let registration {
                        try await follow(
                            id, from: position, request, context, scheduler, registration, &writer)
                    } else {
                        try await follow(id, from: position, request, context, connection, &writer)
                    }
                } catch let error as AuthError {
                    try await writer.write(failure(Problem(error), request))
                } catch let error as LAEError {
                    try await writer.write(failure(Problem(error), request))
                }
            }
            if let registration { await scheduler?.leave(registration.number) }
        }.naming(id, requested: name).endingConnection(context)
    }

    /// Writes samples as they arrive, until the client disconnects or the host stops; throws when
    /// permission ends.
    ///
    /// - Parameter connection: ends when the client disconnects.
    private func follow(
        _ id: SensorID, from start: StreamPosition, _ request: Request, _ context: ProviderContext,
        _ connection: AsyncStream<Void>, _ writer: inout any ResponseBodyWriter
    ) async throws {
        let events = EventStream(
            signals: await machine.samples.arrivalSignals(of: id), heartbeat: heartbeat,
            connection: connection)
        try await events.follow(keeping: 1) { signals in
            try await writer.write(StreamEvent.opening(id, at: start.last))
            var position = start
            // Writes samples that arrived before the signals began.
            try await catchUp(id, &position, request, context, &writer)
            for await _ in signals {
                try await catchUp(id, &position, request, context, &writer)
            }
        }
    }

    /// Writes samples in each turn of the stream, until the client disconnects.
    private func follow(
        _ id: SensorID, from start: StreamPosition, _ request: Request, _ context: ProviderContext,
        _ scheduler: StreamScheduler, _ registration: StreamScheduler.Registration,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        var position = start
        for await _ in registration.turns {
            try await catchUp(id, &position, request, context, &writer, isQuiet: true)
            await scheduler.finishTurn(registration.number)
        }
    }

    /// Writes the samples that have arrived, or else a heartbeat.
    ///
    /// - Parameter isQuiet: whether to omit the heartbeat.
    private func catchUp(
        _ id: SensorID, _ position: inout StreamPosition, _ request: Request,
        _ context: ProviderContext, _ writer: inout any ResponseBodyWriter, isQuiet: Bool = false
    ) async throws {
        let start = position.last
        var hasWritten = isQuiet
        // Whether the client knows the position; `false` if the last samples were omitted.
        var isPositionKnown = true
        if let gap = position.gap(prunedThrough: await machine.samples.prunedThrough(id)) {
            try await writer.write(StreamEvent.gap(gap))
            hasWritten = true
        }
        while true {
            let grant = try await authorizer.grant(
                "stream", .raw, of: id, request, context, isContinuation: true)
            let group = try await engine.arrivals(
                after: position.last, limit: Self.groupSize, for: grant)
            let damage = position.newDamage(group)
            if !damage.isEmpty {
                try await writer.write(StreamEvent.damage(damage))
                hasWritten = true
            }
            guard position.advance(over: group) else { break }
            isPositionKnown = group.page.samples.last?.sequence == group.last
            guard !group.page.samples.isEmpty else { continue }
            if let gap = position.takeGap() { try await writer.write(StreamEvent.gap(gap)) }
            try await writer.write(StreamEvent.samples(group.page))
            hasWritten = true
        }
        if let gap = position.takeGap() {
            try await writer.write(StreamEvent.gap(gap))
            hasWritten = true
        }
        if position.last > start, !isPositionKnown {
            try await writer.write(StreamEvent.position(position.last))
        } else if !hasWritten {
            try await writer.write(StreamEvent.heartbeat)
        }
    }

    private func failure(_ problem: Problem, _ request: Request) -> ByteBuffer {
        StreamEvent.problem(problem.with(settings, request))
    }
}

/// The position of a client in a stream, and the gaps and damage that were reported to it.
struct StreamPosition: Sendable {
    /// The last sequence number that the client has, or that was omitted for it.
    private(set) var last: Int64
    /// The newest sequence number when the client reconnected.
    private let missed: Int64
    /// The last pruned sequence number that was reported.
    private var reportedPurge: Int64
    private var reportedDamage: Set<TimeRange> = []
    /// A gap of samples that are older than the grant's history, not yet reported.
    private var tooOld: (after: Int64, through: Int64)?

    /// - Parameters:
    ///   - last: the last sequence number that the client has.
    ///   - newest: the last sequence number of the store.
    init(after last: Int64, newest: Int64) {
        (self.last, missed, reportedPurge) = (last, newest, last)
    }

    /// The gap of samples that were pruned after the position, if it was not reported.
    mutating func gap(prunedThrough purged: Int64) -> StreamGap? {
        guard purged > max(last, reportedPurge) else { return nil }
        reportedPurge = purged
        return StreamGap(after: last, through: purged, reason: .gone)
    }

    /// The damaged ranges of a group that were not reported.
    mutating func newDamage(_ group: Arrivals) -> [TimeRange] {
        group.page.damage.filter { reportedDamage.insert($0).inserted }
    }

    /// Moves the position past a group.
    ///
    /// - Returns: whether the group was not empty.
    mutating func advance(over group: Arrivals) -> Bool {
        guard group.last > last else { return false }
        // Old samples that arrive while the client is connected are not a gap.
        if let through = group.tooOld, through <= missed {
            tooOld = (tooOld?.after ?? last, through)
        }
        last = group.last
        return true
    }

    /// The gap of samples that are too old for the grant; reported once.
    mutating func takeGap() -> StreamGap? {
        defer { tooOld = nil }
        return tooOld.map { StreamGap(after: $0.after, through: $0.through, reason: .history) }
    }
}

/// The sequence numbers after `after`, up to `through`, of which a client gets no samples.
struct StreamGap: Encodable {
    enum Reason: String, Encodable {
        /// The samples were pruned or forgotten.
        case gone
        /// The samples are older than the history of the grant.
        case history
    }

    let after: Int64
    let through: Int64
    let reason: Reason
}

/// The text of events.
///
/// An `id` is the position for `Last-Event-ID`; an event without data only moves it.
enum StreamEvent {
    /// A comment that opens the stream, and its position.
    static func opening(_ sensor: SensorID, at position: Int64) -> ByteBuffer {
        ByteBuffer(string: ": the samples of \(sensor)\nid: \(position)\n\n")
    }

    /// A comment that keeps the connection alive.
    static let heartbeat = ByteBuffer(string: ":\n\n")

    /// The position after omitted samples.
    static func position(_ position: Int64) -> ByteBuffer {
        ByteBuffer(string: "id: \(position)\n\n")
    }

    static func samples(_ page: SamplePage) -> ByteBuffer {
        var buffer = ByteBuffer()
        for sample in page.samples {
            buffer.writeString("id: \(sample.sequence)\nevent: sample\ndata: ")
            buffer.writeJSON(sample, page.fields)
            buffer.writeString("\n\n")
        }
        return buffer
    }

    static func gap(_ gap: StreamGap) throws -> ByteBuffer {
        event("gap", try JSONText.encode(gap))
    }

    /// The ranges of damaged samples that belong into the stream.
    static func damage(_ ranges: [TimeRange]) throws -> ByteBuffer {
        event("damage", try JSONText.encode(["damaged": DamagedRange.list(ranges)]))
    }

    /// The measurements of a session so far.
    static func live(_ live: LiveDescription) throws -> ByteBuffer {
        event("live", try JSONText.encode(live))
    }

    static func notice(_ notice: Notice) throws -> ByteBuffer {
        event("notification", try JSONText.encode(NoticeItem(notice)), id: notice.id)
    }

    /// The last event of a stream.
    static func problem(_ problem: Problem) -> ByteBuffer {
        event("problem", problem.encoded())
    }

    private static func event(_ name: String, _ data: Data, id: Int64? = nil) -> ByteBuffer {
        var buffer = ByteBuffer(string: id.map { "id: \($0)\n" } ?? "")
        buffer.writeString("event: \(name)\ndata: ")
        buffer.writeBytes(data)
        buffer.writeString("\n\n")
        return buffer
    }
}
