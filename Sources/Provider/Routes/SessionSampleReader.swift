import API
import Auth
import HTTPTypes
import Hummingbird
import Ingest
import LAE
import NIOCore
import Samples
import Sessions
import Tracks
import VM

/// Reads the samples of a session: those that its sensors measured while it was active.
struct SessionSampleReader {
    /// Samples per read.
    private static let page = 10_000
    /// The maximum number of samples of an answer, which is in memory as a whole.
    private static let longest = 1_000_000

    let authorizer: RequestAuthorizer
    let machine: VirtualMachine
    let engine: AnalyticsEngine

    /// The samples as a file.
    struct Document {
        let form: SessionSampleForm
        let content: ByteBuffer
        /// The sensors that were read.
        let sensors: [SensorID]
        /// The ranges of damaged samples, which the file lacks.
        let damage: [TimeRange]
    }

    /// The samples of the sensor that the request names, or else of the session's only sensor; a
    /// chart shows all sensors.
    func document(
        _ record: SessionRecord, _ form: SessionSampleForm, _ request: Request,
        _ context: ProviderContext
    ) async throws -> Document {
        let named = request.parameter("sensor")
        let sensors = try await sensors(of: record, named, request, context)
        switch form {
        case .samples(let form):
            guard sensors.count == 1, let sensor = sensors.first else {
                throw Problem(
                    .severalSensors, "The session has \(sensors.count) sensors.",
                    fix: "Name one with the parameter sensor: "
                        + sensors.map(\.description).joined(separator: ", "))
            }
            return try await samples(of: sensor, record, form, request, context)
        case .chart: return try await chart(of: sensors, record, request, context)
        }
    }

    // MARK: - Private

    private func samples(
        of sensor: SensorID, _ record: SessionRecord, _ form: SampleFormat, _ request: Request,
        _ context: ProviderContext
    ) async throws -> Document {
        let fields = try await fields(of: sensor)
        var writer = SampleWriter(form, fields: fields)
        var content = ByteBuffer()
        var damage: [TimeRange] = []
        if form == .json {
            content.writeString(#"{"sensor":"#)
            content.writeJSON(sensor.description)
            content.writeString(#","items":["#)
        }
        writer.begin()
        var pages = pages(of: sensor, record, request, context)
        while let page = try await pages.next() {
            guard page.fields == fields else {
                throw Problem.notFound("The fields of the sensor have changed.")
            }
            writer.write(page.samples, rows: page.samples.indices)
            writer.take { _ = content.writeBytes($0) }
            damage = (damage + page.damage).joined
        }
        writer.take { _ = content.writeBytes($0) }
        if form == .json { content.writeString("]}") }
        return Document(
            form: .samples(form), content: content, sensors: [sensor], damage: damage)
    }

    private func chart(
        of sensors: [SensorID], _ record: SessionRecord, _ request: Request,
        _ context: ProviderContext
    ) async throws -> Document {
        let spans = record.session.spans(until: authorizer.now())
        var chart = TimeChart(title: record.session.name, spans: spans)
        var damage: [TimeRange] = []
        for sensor in sensors {
            let fields = try await fields(of: sensor)
            let panels = fields.map { field in
                field.kind.isNumeric
                    ? chart.addPanel(
                        sensors.count == 1 ? field.name : "\(sensor) \(field.name)",
                        unit: field.unit) : nil
            }
            var pages = pages(of: sensor, record, request, context)
            while panels.contains(where: { $0 != nil }), let page = try await pages.next() {
                guard page.fields == fields else { break }
                for row in 0..<page.stored.count {
                    let sample = page.stored[row].sample
                    for (value, panel) in zip(sample.values, panels) {
                        guard let panel, let number = value.double else { continue }
                        chart.take(number, at: sample.time, panel: panel)
                    }
                }
                damage = (damage + page.damage).joined
            }
        }
        return Document(
            form: .chart, content: ByteBuffer(string: chart.text()), sensors: sensors,
            damage: damage)
    }

    private func pages(
        of sensor: SensorID, _ record: SessionRecord, _ request: Request,
        _ context: ProviderContext
    ) -> Pages {
        // The last span of an active session is open: a sensor's clock may be ahead.
        Pages(
            spans: record.session.spans(until: .distantFuture)[...], limit: Self.longest
        ) { selection in
            let grant = try await authorizer.grant(
                "session-samples", .raw, of: sensor, request, context)
            return try await engine.batch(selection, for: grant)
        }
    }

    /// Reads spans page by page.
    private struct Pages {
        var spans: ArraySlice<TimeRange>
        /// The maximum number of samples.
        let limit: Int
        let read: (SampleSelection) async throws -> BatchPage
        private var position: SampleQuery.Position?
        private var count = 0

        init(
            spans: ArraySlice<TimeRange>, limit: Int,
            read: @escaping (SampleSelection) async throws -> BatchPage
        ) {
            (self.spans, self.limit, self.read) = (spans, limit, read)
        }

        /// - Returns: `nil` after the last page.
        /// - Throws: `Problem` for more samples than the limit.
        mutating func next() async throws -> BatchPage? {
            try Task.checkCancellation()
            guard let span = spans.first else { return nil }
            var selection = SampleSelection(range: span, limit: SessionSampleReader.page)
            selection.after = position
            let page = try await read(selection)
            position = page.next
            if page.next == nil { spans.removeFirst() }
            count += page.samples.count
            guard count <= limit else {
                throw Problem(
                    .tooManyRows, "The session has more than \(limit) samples of this sensor.",
                    fix: "Read the samples of the sensor in parts, with from and to.")
            }
            return page
        }
    }

    private func fields(of sensor: SensorID) async throws -> [Field] {
        guard let status = await machine.status(of: sensor) else { throw Problem(unknown: sensor) }
        return status.sensor.fields
    }

    /// The sensors of a session that the caller may read; for a kind, all its instances that have
    /// samples or exist now.
    private func sensors(
        of record: SessionRecord, _ name: String?, _ request: Request, _ context: ProviderContext
    ) async throws -> [SensorID] {
        if let name {
            guard let sensor = SensorID(name),
                record.session.sensors.contains(where: { $0.covers(sensor) })
            else {
                throw Problem.invalidParameter("sensor", "must be a sensor of the session")
            }
            return [sensor]
        }
        var found: [SensorID] = []
        for sensor in record.session.sensors {
            for instance in await machine.instances(of: sensor) where !found.contains(instance) {
                guard let status = await machine.status(of: instance) else { continue }
                if case .unavailable = status.state, !status.hasSamples { continue }
                guard await authorizer.mayRead(instance, request, context) else { continue }
                found.append(instance)
            }
        }
        if let first = record.session.sensors.first, found.isEmpty {
            // Reading this sensor gives the reason: it is missing on this machine, or not
            // permitted.
            return [first]
        }
        return found
    }
}
