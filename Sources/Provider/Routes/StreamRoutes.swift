import API
import Auth
import HTTPTypes
import Hummingbird
import LAE
import NIOCore
import Samples
import VM

/// Live samples as Server-Sent Events, whose `id` is the store's own order of arrival.
///
/// A reader that comes back with `Last-Event-ID` misses nothing, and is told of what it cannot have.
/// Permission is asked again for every group of samples, so what the person changes is felt at once.
struct StreamRoutes {
    private static let groupSize = 500

    let door: Door
    let machine: VirtualMachine
    let engine: AnalyticsEngine
    let heartbeat: Duration
    let settings: SettingsLink
    /// Who says when streams catch up; `nil` where each does when something has arrived.
    let turns: StreamTurns?

    func add(to routes: inout RouteTable) {
        routes.on(.stream(of: "{sensor}"), [.get: stream])
    }

    @Sendable
    private func stream(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let name = try request.sensor(context)
        let grant = try await door.grant("stream", .raw, of: name, request, context)
        // What a kind's name stands for may change; the stream goes on with what it began with.
        let id = grant.sensor
        let newest = await machine.lastSequence()
        var last = newest
        if let text = request.headers[.lastEventID] {
            guard let sequence = Int64(text), (0...newest).contains(sequence) else {
                throw Problem.invalidParameter("Last-Event-ID", "the id of an event is needed")
            }
            last = sequence
        }
        // A sensor that cannot be read is refused before the stream begins.
        _ = try await engine.arrivals(after: .max, limit: 1, for: grant)
        let place = StreamPlace(after: last, newest: newest)
        let ticket = await turns?.join(id)
        return Response.events { writer in
            try await request.whilePresent(context) { presence in
                do {
                    if let turns, let ticket {
                        try await follow(
                            id, from: place, request, context, turns, ticket, &writer)
                    } else {
                        try await follow(id, from: place, request, context, presence, &writer)
                    }
                } catch let error as AuthError {
                    try await writer.write(failure(Problem(error), request))
                } catch let error as LAEError {
                    try await writer.write(failure(Problem(error), request))
                }
            }
            if let ticket { await turns?.leave(ticket.number) }
        }.naming(id, asked: name).endingConnection(context)
    }

    /// Goes on until the reader leaves or the host stops; ends by throwing when permission ends.
    ///
    /// - Parameter presence: ends when the reader has left.
    private func follow(
        _ id: SensorID, from start: StreamPlace, _ request: Request, _ context: ProviderContext,
        _ presence: AsyncStream<Void>, _ writer: inout any ResponseBodyWriter
    ) async throws {
        let turns = EventTurns(
            signals: await machine.arrivalSignals(of: id), heartbeat: heartbeat, presence: presence)
        try await turns.follow(keeping: 1) { turns in
            try await writer.write(StreamEvent.opening(id, at: start.last))
            var place = start
            // What had arrived before the signals began.
            try await catchUp(id, &place, request, context, &writer)
            for await _ in turns {
                try await catchUp(id, &place, request, context, &writer)
            }
        }
    }

    /// Goes on until the reader leaves, and says something only when it is its turn.
    private func follow(
        _ id: SensorID, from start: StreamPlace, _ request: Request, _ context: ProviderContext,
        _ turns: StreamTurns, _ ticket: StreamTurns.Ticket,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        var place = start
        for await _ in ticket.turns {
            try await catchUp(id, &place, request, context, &writer, isQuiet: true)
            await turns.done(ticket.number)
        }
    }

    /// Writes what has arrived, or a comment that keeps the connection alive.
    ///
    /// - Parameter isQuiet: whether nothing is written where nothing has arrived.
    private func catchUp(
        _ id: SensorID, _ place: inout StreamPlace, _ request: Request,
        _ context: ProviderContext, _ writer: inout any ResponseBodyWriter, isQuiet: Bool = false
    ) async throws {
        let start = place.last
        var hasWritten = isQuiet
        // Where the last samples were passed over, the reader does not know the place yet.
        var isPlaceTold = true
        if let gap = place.gap(purgedThrough: await machine.purgedThrough(id)) {
            try await writer.write(StreamEvent.gap(gap))
            hasWritten = true
        }
        while true {
            let grant = try await door.grant(
                "stream", .raw, of: id, request, context, isContinuation: true)
            let group = try await engine.arrivals(
                after: place.last, limit: Self.groupSize, for: grant)
            let damage = place.newDamage(group)
            if !damage.isEmpty {
                try await writer.write(StreamEvent.damage(damage))
                hasWritten = true
            }
            guard place.advance(over: group) else { break }
            isPlaceTold = group.page.samples.last?.sequence == group.last
            guard !group.page.samples.isEmpty else { continue }
            if let gap = place.takeGap() { try await writer.write(StreamEvent.gap(gap)) }
            try await writer.write(StreamEvent.samples(group.page))
            hasWritten = true
        }
        if let gap = place.takeGap() {
            try await writer.write(StreamEvent.gap(gap))
            hasWritten = true
        }
        if place.last > start, !isPlaceTold {
            try await writer.write(StreamEvent.place(place.last))
        } else if !hasWritten {
            try await writer.write(StreamEvent.heartbeat)
        }
    }

    private func failure(_ problem: Problem, _ request: Request) -> ByteBuffer {
        StreamEvent.problem(problem.with(settings, request))
    }
}
