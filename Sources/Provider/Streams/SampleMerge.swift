import API
import Auth
import Hummingbird
import LAE
import NIOCore
import Samples
import VM

/// The samples of the sensors of a stream, in the order of their sequence numbers.
///
/// An event has an identifier only when all earlier samples of every sensor have been written, so one
/// identifier is enough to resume the stream. Each sensor is read in groups, and its grant is checked for each
/// of them. A group is read after the previous one was written, so a client that reads slowly costs no
/// more memory than a group of each sensor.
struct SampleMerge {
    /// How the events name their sensors.
    enum Form {
        /// Not at all: the stream is about one sensor and ends with its permission.
        case one
        /// In each event; the stream goes on without a sensor that may not be read any more.
        case many
    }

    private struct Source {
        /// The name by which the client asked for it.
        let name: SensorID
        /// The sensor that the name refers to; it may refer to another later.
        let sensor: SensorID
        /// The sensors whose samples are waited for: itself, or the inputs of a virtual sensor.
        let origins: [SensorID]
        var position: StreamPosition
        /// How far the windows of a virtual sensor are closed.
        var mark: Timestamp?
        var fields: [Field] = []
        /// Samples that were read but not yet written, because other sensors may have earlier ones.
        var pending: ArraySlice<StoredSample> = []
        /// All samples up to this sequence number were read.
        var readThrough: Int64
        /// Whether the last group contained all samples that had arrived.
        var isComplete = true
    }

    /// The maximum number of samples of all sensors together that are kept in memory.
    private static let limit = 4096
    private static let largestGroup = 500
    private static let smallestGroup = 64
    /// Bytes per write.
    private static let piece = 64 << 10

    let form: Form
    private let authorizer: RequestAuthorizer
    private let machine: VirtualMachine
    private let engine: AnalyticsEngine
    private let settings: SettingsLink
    private let request: Request
    private let context: ProviderContext
    private var sources: [Source] = []
    /// The last position that the client knows.
    private var written: Int64 = 0

    init(
        _ form: Form, _ authorizer: RequestAuthorizer, _ machine: VirtualMachine,
        _ engine: AnalyticsEngine, _ settings: SettingsLink, _ request: Request,
        _ context: ProviderContext
    ) {
        self.form = form
        (self.authorizer, self.machine, self.engine) = (authorizer, machine, engine)
        (self.settings, self.request, self.context) = (settings, request, context)
    }

    /// Adds a sensor that may be read.
    ///
    /// - Parameters:
    ///   - last: the last sequence number that the client has.
    ///   - newest: the last sequence number of the store.
    mutating func add(
        _ name: SensorID, _ sensor: SensorID, after last: Int64, newest: Int64
    ) async {
        sources.append(
            Source(
                name: name, sensor: sensor, origins: await engine.origins(of: sensor),
                position: StreamPosition(after: last, newest: newest), readThrough: last))
    }

    /// The sensors whose samples are waited for.
    var origins: [SensorID] { sources.flatMap(\.origins) }

    /// The first event, with the position at which the stream begins.
    ///
    /// - Parameter newest: the position of a stream without sensors.
    mutating func opening(newest: Int64) throws -> ByteBuffer {
        let positions = sources.map { (name: $0.name, after: $0.position.last) }
        written = positions.map(\.after).min() ?? newest
        if form == .one, let source = sources.first {
            return StreamEvent.opening(source.sensor, at: written)
        }
        return try StreamEvent.opening(positions, at: written)
    }

    /// Writes the samples that have arrived.
    ///
    /// - Parameter checksAll: whether to check also the sensors of which no samples have arrived.
    /// - Returns: whether anything was written.
    /// - Throws: `Problem` when the permission for all of them has ended.
    mutating func write(
        to writer: inout any ResponseBodyWriter, checksAll: Bool
    ) async throws -> Bool {
        var hasWritten = false
        var isChecking = checksAll
        var horizon: Int64
        repeat {
            let progress = await machine.samples.progress(of: origins)
            var output = ByteBuffer()
            do {
                try await read(progress, checksAll: isChecking, into: &output)
            } catch {
                if output.readableBytes > 0 { try await writer.write(output) }
                throw error
            }
            isChecking = false
            horizon = sources.map(\.readThrough).min() ?? progress.last
            while let index = first(through: horizon) {
                let sample = sources[index].pending.removeFirst()
                // A client may name a sensor twice, directly and by its kind.
                let next = first(through: horizon).map { sources[$0].pending }
                let isLast = next?.first?.sequence != sample.sequence
                StreamEvent.sample(
                    sample, sources[index].fields, of: form == .many ? sources[index].name : nil,
                    isLast: isLast, to: &output)
                if isLast { written = sample.sequence }
                if output.readableBytes >= Self.piece {
                    try await writer.write(output)
                    (output, hasWritten) = (ByteBuffer(), true)
                }
            }
            if output.readableBytes > 0 {
                try await writer.write(output)
                hasWritten = true
            }
        } while sources.contains { !$0.pending.isEmpty || !$0.isComplete }
        let reached = sources.map { min($0.position.last, horizon) }.max() ?? 0
        if reached > written {
            // The last samples were omitted.
            written = reached
            try await writer.write(StreamEvent.position(reached))
            hasWritten = true
        }
        return hasWritten
    }

    /// The sensor with the next sample, if all samples up to it were read.
    private func first(through horizon: Int64) -> Int? {
        var found: (index: Int, sequence: Int64)?
        for (index, source) in sources.enumerated() {
            guard let sequence = source.pending.first?.sequence, sequence <= horizon,
                sequence < found?.sequence ?? .max
            else { continue }
            found = (index, sequence)
        }
        return found?.index
    }

    /// Reads a group of each sensor that has new samples; removes sensors that may not be read any more.
    private mutating func read(
        _ progress: ArrivalProgress, checksAll: Bool, into output: inout ByteBuffer
    ) async throws {
        let size = max(
            Self.smallestGroup, min(Self.largestGroup, Self.limit / max(1, sources.count)))
        var refused: [Int] = []
        var reached = progress.sensors[...]
        for index in sources.indices {
            let newest = reached.prefix(sources[index].origins.count).max() ?? 0
            reached = reached.dropFirst(sources[index].origins.count)
            do {
                let source = sources[index]
                if !source.pending.isEmpty {
                    _ = try await grant(source)
                } else if checksAll || !source.isComplete
                    || newest > source.readThrough
                {
                    try await read(index, size, through: progress.last, into: &output)
                } else {
                    sources[index].readThrough = max(source.readThrough, progress.last)
                }
            } catch {
                guard let problem = Problem(ofStream: error) else { throw error }
                guard form == .many, !problem.concernsCaller else { throw problem }
                let addressed = await authorizer.addressed(
                    problem.with(settings, request), request, context)
                var event = StreamEvent.refused(sources[index].name.description, addressed)
                output.writeBuffer(&event)
                refused.append(index)
            }
        }
        for index in refused.reversed() { sources.remove(at: index) }
    }

    private func grant(_ source: Source) async throws(AuthError) -> Grant {
        try await authorizer.grant(
            "stream", .raw, of: source.sensor, request, context, isContinuation: true)
    }

    /// Reads the next group of a sensor, and reports gaps and damage.
    ///
    /// - Parameter last: the last sequence number before the group is read.
    private mutating func read(
        _ index: Int, _ size: Int, through last: Int64, into output: inout ByteBuffer
    ) async throws {
        var source = sources[index]
        defer { sources[index] = source }
        let name = form == .many ? source.name : nil
        func report(_ gap: StreamGap?) throws {
            guard var gap else { return }
            gap.sensor = name
            var event = try StreamEvent.gap(gap)
            output.writeBuffer(&event)
        }
        let pruned = await machine.samples.prunedThrough(source.sensor)
        try report(source.position.gap(prunedThrough: pruned))
        repeat {
            let group = try await engine.arrivals(
                after: source.position.last, limit: size, mark: source.mark,
                for: try await grant(source))
            let damage = source.position.newDamage(group)
            if !damage.isEmpty {
                var event = try StreamEvent.damage(damage, of: name)
                output.writeBuffer(&event)
            }
            _ = source.position.advance(over: group)
            (source.isComplete, source.mark) = (group.isComplete, group.mark)
            (source.pending, source.fields) = (group.page.samples[...], group.page.fields)
            // If the group is complete, the sensor has no other samples up to `last`.
            source.readThrough =
                group.isComplete ? max(last, source.position.last) : source.position.last
        } while source.pending.isEmpty && !source.isComplete
        try report(source.position.takeGap())
    }
}

extension Problem {
    /// The problem for an error of a stream about permission or a sensor; `nil` for other errors.
    init?(ofStream error: any Error) {
        switch error {
        case let error as AuthError: self.init(error)
        case let error as LAEError: self.init(error)
        case let problem as Problem: self = problem
        default: return nil
        }
    }

    /// Whether it is about the caller, and so the same for each sensor.
    var concernsCaller: Bool {
        switch code {
        case .missingToken, .invalidToken, .nameMismatch, .tooManyAttempts, .logUnavailable: true
        default: false
        }
    }
}
