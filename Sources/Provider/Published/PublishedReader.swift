import API
import Auth
import Hummingbird
import LAE
import NIOCore
import Samples

/// Reads sensors for published apps, through the same door and under the same terms as any other.
struct PublishedReader {
    /// Samples of what is listed are as old as this at most.
    private static let listed = Duration.seconds(10)
    private static let listLimit = 256
    /// The most rows of one answer.
    private static let rowLimit = 100_000
    private static let page = 10_000

    let door: Door
    let engine: AnalyticsEngine

    /// The newest sample, or for what is listed the newest of each thing.
    func newest(
        _ form: PublishedSensor, _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let grant = try await grant("latest", form, request, context)
        var buffer = ByteBuffer()
        guard form.isList else {
            let page = try await engine.latest(for: grant)
            guard let sample = page.samples.first else { throw Problem.noSamples(grant.sensor) }
            PublishedSample(form: form, fields: page.fields)
                .write(sample, withTime: false, to: &buffer)
            return .json(buffer)
        }
        let start = door.now().advanced(byMicroseconds: -Self.listed.wholeMicroseconds)
        let page = try await engine.samples(
            SampleSelection(
                range: TimeRange(from: start, to: .distantFuture), order: .descending,
                limit: Self.listLimit), for: grant)
        let keys = ["uuid", "major", "minor"].compactMap { name in
            page.fields.firstIndex { $0.name == name }
        }
        var seen: Set<[Value]> = []
        let newest = page.samples.filter { sample in
            seen.insert(keys.map { sample.values[$0] }).inserted
        }
        buffer.writeString("[")
        PublishedSample(form: form, fields: page.fields)
            .write(newest, withTime: false, to: &buffer)
        buffer.writeString("]")
        return .json(buffer)
    }

    /// Every sample of a range with its time, the oldest first.
    func history(
        _ form: PublishedSensor, _ range: TimeRange, _ request: Request,
        _ context: ProviderContext
    ) async throws -> Response {
        var selection = SampleSelection(range: range, limit: Self.page)
        var buffer = ByteBuffer()
        var count = 0
        buffer.writeString("[")
        var sensor: SensorID?
        repeat {
            let grant = try await grant(
                "samples", form, request, context, continuing: sensor)
            sensor = grant.sensor
            let page = try await engine.samples(selection, for: grant)
            if count > 0, !page.samples.isEmpty { buffer.writeString(",") }
            count += page.samples.count
            guard count <= Self.rowLimit else { throw Problem.tooManyRows(Self.rowLimit) }
            PublishedSample(form: form, fields: page.fields)
                .write(page.samples, withTime: true, to: &buffer)
            selection.after = page.next
            try Task.checkCancellation()
        } while selection.after != nil
        buffer.writeString("]")
        return .json(buffer)
    }

    /// What is missing on this machine is said before anybody is asked for it.
    ///
    /// - Parameter sensor: what was read before, where this goes on with it.
    private func grant(
        _ operation: String, _ form: PublishedSensor, _ request: Request,
        _ context: ProviderContext, continuing sensor: SensorID? = nil
    ) async throws -> Grant {
        if sensor == nil { try await engine.checkReadable(form.sensor) }
        return try await door.grant(
            operation, .raw, of: sensor ?? form.sensor, request, context,
            isContinuation: sensor != nil)
    }
}

extension Problem {
    fileprivate static func tooManyRows(_ limit: Int) -> Problem {
        Problem(
            .tooManyRows, "More than \(limit) samples lie between start and end.",
            fix: "Ask for a shorter range")
    }
}
