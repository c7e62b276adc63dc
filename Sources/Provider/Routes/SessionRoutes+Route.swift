import API
import Auth
import HTTPTypes
import Hummingbird
import LAE
import NIOCore
import Samples
import Sessions
import Tracks
import VM

/// The way that was gone in a session, made of the samples of its sensor of locations.
extension SessionRoutes {
    /// Samples that are read at once.
    private static let page = 10_000
    private static let kind: SensorID = "location"

    /// What a page of samples tells of places.
    private struct Places {
        let fixes: [Fix]
        let next: SampleQuery.Position?
        /// Where samples are damaged that would be on this page.
        let damage: [TimeRange]
    }

    /// The way that was gone, as a text.
    struct Document {
        let session: Session
        let form: TrackForm
        let text: String
        /// Where samples are damaged that would be in it.
        let damage: [TimeRange]
    }

    @Sendable
    func route(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("session-route", request, context)
        let document = try await document(request, context)
        var response = Response(
            status: .ok, headers: [.contentType: document.form.rawValue, .vary: "Accept"],
            body: .init(byteBuffer: ByteBuffer(string: document.text)))
        response.headers[.damaged] = document.damage.damageField
        return response
    }

    /// The route that a call is about, in the form that it asks for.
    func document(_ request: Request, _ context: ProviderContext) async throws -> Document {
        try request.refuseParameters(besides: ["format", "sensor"])
        let form = try TrackForm(request)
        let record = try await book.record(id(context))
        let (summary, damage) = try await told(
            record, by: request.parameter("sensor"), request, context)
        let words = record.session.description
        let track = Track(
            summary, name: record.session.name, description: words.isEmpty ? nil : words)
        return Document(
            session: record.session, form: form, text: form.text(track, of: summary),
            damage: damage)
    }

    /// Whether a paused session may go on from where its sensor is now.
    ///
    /// Where nothing has come since it was paused nobody knows, and the person is believed.
    /// - Throws: `SessionsError`.
    func checkResumption(
        of record: SessionRecord, _ request: Request, _ context: ProviderContext
    ) async throws {
        guard record.session.state == .paused, record.enteredDistance == nil,
            let paused = record.events.last?.time, let sensor = await locations(of: record).first
        else { return }
        let selection = SampleSelection(
            range: TimeRange(from: paused, to: .distantFuture), order: .descending, limit: 1)
        let newest: [Fix]
        do {
            newest = try await fixes(of: sensor, selection, request, context).fixes
        } catch let error as LAEError where [.unavailable, .unknownSensor].contains(error.code) {
            return
        }
        guard let here = newest.first else { return }
        let (route, _) = try await measured(record, by: sensor, request, context)
        try route.checkResumption(from: here)
    }

    /// What is told of the route of a session, by the sensor that is named or the first.
    ///
    /// Of a session from a file it is the route that came with it, whatever was measured then.
    func told(
        _ record: SessionRecord, by name: String? = nil, _ request: Request,
        _ context: ProviderContext
    ) async throws -> (route: RouteRecord, damage: [TimeRange]) {
        if record.isImported {
            return (try await book.importedRoute(of: record.session.id), [])
        }
        let sensor = try await sensor(of: record, name)
        if let sensor { try await checkFields(of: sensor) }
        let (route, damage) = try await measured(record, by: sensor, request, context)
        return (try route.record(), damage)
    }

    // MARK: - Private

    private func measured(
        _ record: SessionRecord, by sensor: SensorID?, _ request: Request,
        _ context: ProviderContext
    ) async throws -> (route: SessionRoute, damage: [TimeRange]) {
        var route = SessionRoute(record)
        var damage: [TimeRange] = []
        guard let sensor else { return (route, damage) }
        for span in route.spans {
            var selection = SampleSelection(range: span, limit: Self.page)
            repeat {
                try Task.checkCancellation()
                let page = try await fixes(of: sensor, selection, request, context)
                for fix in page.fixes { try route.take(fix) }
                damage = (damage + page.damage).joined
                selection.after = page.next
            } while selection.after != nil
        }
        return (route, damage)
    }

    private func fixes(
        of sensor: SensorID, _ selection: SampleSelection, _ request: Request,
        _ context: ProviderContext
    ) async throws -> Places {
        let grant = try await door.grant("session-route", .raw, of: sensor, request, context)
        let page = try await engine.batch(selection, for: grant)
        let fixes = (0..<page.stored.count).compactMap {
            Fix(page.stored[$0].sample, fields: page.fields)
        }
        return Places(fixes: fixes, next: page.next, damage: page.damage)
    }

    /// - Throws: `Problem` for a sensor that cannot tell a place.
    private func checkFields(of sensor: SensorID) async throws {
        guard let status = await machine.status(of: sensor) else { throw Problem(unknown: sensor) }
        guard Set(status.sensor.fields.map(\.name)).isSuperset(of: ["latitude", "longitude"])
        else {
            throw Problem(
                .unknownField, "\(sensor) has no latitude and longitude, which make a place.")
        }
    }

    /// The sensor that the route is of: the one that was named, or the first of the session's.
    ///
    /// - Returns: `nil` of a session whose length was entered by hand and that has none.
    private func sensor(of record: SessionRecord, _ name: String?) async throws -> SensorID? {
        let known = await locations(of: record)
        if let name {
            guard let sensor = known.first(where: { $0.description == name }) else {
                throw Problem.invalidParameter(
                    "sensor", "a sensor of locations that belongs to the session is needed")
            }
            return sensor
        }
        if record.enteredDistance != nil { return nil }
        guard let first = known.first else {
            throw Problem.notFound("The session has no sensor of locations, and so no route.")
        }
        return first
    }

    /// The sensors of locations of a session; of a kind its instances.
    private func locations(of record: SessionRecord) async -> [SensorID] {
        var known: [SensorID] = []
        for sensor in record.session.sensors where Self.kind.covers(sensor) {
            let instances = await machine.instances(of: sensor)
            known += instances.isEmpty ? [sensor] : instances
        }
        return known
    }
}
