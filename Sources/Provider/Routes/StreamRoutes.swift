import Auth
import HTTPTypes
import Hummingbird
import LAE
import NIOCore
import Samples
import ServiceLifecycle
import VM

/// Live samples as Server-Sent Events, whose `id` is the store's own order of arrival.
///
/// A reader that comes back with `Last-Event-ID` misses nothing. Permission is asked again for every
/// group of samples, so what the person changes is felt at once.
struct StreamRoutes {
    private static let groupSize = 500

    let door: Door
    let machine: VirtualMachine
    let engine: AnalyticsEngine
    let heartbeat: Duration
    /// Who says when streams catch up; `nil` where each does when something has arrived.
    let turns: StreamTurns?

    func add(to routes: inout RouteTable) {
        routes.on("api/v1/sensors/{sensor}/stream", [.get: stream])
    }

    @Sendable
    private func stream(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let id = try request.sensor(context)
        let grant = try await door.grant("stream", .raw, of: id, request, context)
        var last = await machine.lastSequence()
        if let text = request.headers[.lastEventID] {
            guard let sequence = Int64(text), (0...last).contains(sequence) else {
                throw Problem.invalidParameter("Last-Event-ID", "the id of an event is needed")
            }
            last = sequence
        }
        // A sensor that cannot be read is refused before the stream begins.
        _ = try await engine.arrivals(after: .max, limit: 1, for: grant)
        let start = last
        let ticket = await turns?.join(id)
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                let (presence, departure) = AsyncStream.makeStream(of: Void.self)
                try await request.whilePresent(context) {
                    do {
                        if let turns, let ticket {
                            try await follow(
                                id, from: start, request, context, turns, ticket, &writer)
                        } else {
                            try await follow(id, from: start, request, context, presence, &writer)
                        }
                    } catch let error as AuthError {
                        try await writer.write(Self.failure(Problem(error)))
                    } catch let error as LAEError {
                        try await writer.write(Self.failure(Problem(error)))
                    }
                } onDeparture: {
                    departure.finish()
                }
                if let ticket { await turns?.leave(ticket.number) }
                try await writer.finish(nil)
            }
        ).endingConnection(context)
    }

    /// Goes on until the reader leaves or the host stops; ends by throwing when permission ends.
    ///
    /// - Parameter presence: ends when the reader has left.
    private func follow(
        _ id: SensorID, from start: Int64, _ request: Request, _ context: ProviderContext,
        _ presence: AsyncStream<Void>, _ writer: inout any ResponseBodyWriter
    ) async throws {
        let signals = await machine.arrivalSignals(of: id)
        let (turns, turn) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { for await _ in signals { turn.yield() } }
            group.addTask {
                try? await gracefulShutdown()
                turn.finish()
            }
            group.addTask {
                for await _ in presence {}
                turn.finish()
            }
            group.addTask {
                while (try? await Task.sleep(for: heartbeat)) != nil { turn.yield() }
            }
            try await writer.write(ByteBuffer(string: ": the samples of \(id)\n\n"))
            turn.yield()
            var last = start
            var told = start
            for await _ in turns {
                last = try await catchUp(
                    id, after: last, told: &told, request, context, &writer)
            }
            group.cancelAll()
        }
    }

    /// Goes on until the reader leaves, and says something only when it is its turn.
    private func follow(
        _ id: SensorID, from start: Int64, _ request: Request, _ context: ProviderContext,
        _ turns: StreamTurns, _ ticket: StreamTurns.Ticket,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        var last = start
        var told = start
        for await _ in ticket.turns {
            last = try await catchUp(
                id, after: last, told: &told, request, context, &writer, isQuiet: true)
            await turns.done(ticket.number)
        }
    }

    /// Writes what has arrived, or a comment that keeps the connection alive.
    ///
    /// - Parameters:
    ///   - told: the last gone arrival that the reader knows of.
    ///   - isQuiet: whether nothing is written where nothing has arrived.
    /// - Returns: the arrival that was reached.
    private func catchUp(
        _ id: SensorID, after start: Int64, told: inout Int64, _ request: Request,
        _ context: ProviderContext,
        _ writer: inout any ResponseBodyWriter, isQuiet: Bool = false
    ) async throws -> Int64 {
        var last = start
        var hasWritten = isQuiet
        let purged = await machine.purgedThrough(id)
        if purged > max(last, told) {
            try await writer.write(Self.gap(after: last, through: purged))
            told = purged
            hasWritten = true
        }
        while true {
            let grant = try await door.grant(
                "stream", .raw, of: id, request, context, isContinuation: true)
            let group = try await engine.arrivals(after: last, limit: Self.groupSize, for: grant)
            guard group.last > last else { break }
            last = group.last
            guard !group.page.samples.isEmpty else { continue }
            try await writer.write(Self.events(group.page))
            hasWritten = true
        }
        if !hasWritten { try await writer.write(ByteBuffer(string: ":\n\n")) }
        return last
    }

    private static func events(_ page: SamplePage) -> ByteBuffer {
        var buffer = ByteBuffer()
        for sample in page.samples {
            buffer.writeString("id: \(sample.sequence)\nevent: sample\ndata: ")
            buffer.writeJSON(sample, page.fields)
            buffer.writeString("\n\n")
        }
        return buffer
    }

    /// Says that of what arrived behind `start`, up to `last`, some is gone from the store.
    private static func gap(after start: Int64, through last: Int64) -> ByteBuffer {
        ByteBuffer(
            string: """
                event: gap
                data: {"after":\(start),"through":\(last)}


                """)
    }

    private static func failure(_ problem: Problem) -> ByteBuffer {
        var buffer = ByteBuffer(string: "event: problem\ndata: ")
        buffer.writeBytes(problem.encoded())
        buffer.writeString("\n\n")
        return buffer
    }
}
