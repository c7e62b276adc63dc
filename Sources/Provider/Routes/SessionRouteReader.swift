import API
import Auth
import Hummingbird
import LAE
import Samples
import Sessions
import Tracks
import VM

/// Reads the route of a session from the samples of its location sensor.
struct SessionRouteReader {
    /// Samples per read.
    private static let page = 10_000
    private static let kind: SensorID = "location"

    let authorizer: RequestAuthorizer
    let machine: VirtualMachine
    let engine: AnalyticsEngine
    let book: SessionBook

    /// The fixes of a page of samples.
    private struct FixPage {
        let fixes: [Fix]
        let next: SampleQuery.Position?
        /// The ranges of damaged samples.
        let damage: [TimeRange]
    }

    /// A route as text.
    struct Document {
        let session: Session
        let form: TrackForm
        let text: String
        /// The ranges of damaged samples, which the route lacks.
        let damage: [TimeRange]
    }

    /// The route of a session as text, by the sensor that the request names or the first one.
    func document(
        _ record: SessionRecord, _ form: TrackForm, _ request: Request, _ context: ProviderContext
    ) async throws -> Document {
        let (route, damage) = try await route(
            of: record, by: request.parameter("sensor"), request, context)
        let description = record.session.description
        let track = Track(
            route, name: record.session.name,
            description: description.isEmpty ? nil : description)
        return Document(
            session: record.session, form: form, text: form.text(track, of: route),
            damage: damage)
    }

    /// The route of a session, by the named sensor or the first one.
    ///
    /// An imported session has the route of its file, whatever samples exist.
    func route(
        of record: SessionRecord, by name: String? = nil, _ request: Request,
        _ context: ProviderContext
    ) async throws -> (route: RouteRecord, damage: [TimeRange]) {
        if record.isImported {
            try await checkWhole(record, request, context)
            return (try await book.importedRoute(of: record.session.id), [])
        }
        let sensor = try await sensor(of: record, name)
        if let sensor { try await checkFields(of: sensor) }
        let (route, damage) = try await measured(record, by: sensor, request, context)
        return (try route.record(), damage)
    }

    /// Whether a session can have a route: it was imported with one, its length was entered, or one of
    /// its sensors reports positions.
    ///
    /// - Parameter name: the sensor that a request names.
    func hasRoute(_ record: SessionRecord, by name: String?) async -> Bool {
        if let sensor = name.flatMap({ SensorID($0) }) { return Self.kind.covers(sensor) }
        guard !record.isImported, record.enteredDistance == nil else { return true }
        return await !locations(of: record).isEmpty
    }

    /// Checks that a paused session may resume at the position of its sensor.
    ///
    /// Without a fix since the pause the position is unknown, and the session may resume.
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
        } catch let error as LAEError where error.code == .unavailable {
            return
        } catch let error as LAEError where error.code == .unknownSensor {
            return
        } catch is AuthError {
            // Whether an app may resume its session does not depend on what else it may read.
            return
        }
        guard let here = newest.first else { return }
        let (route, _) = try await measured(record, by: sensor, request, context)
        try route.checkResumption(from: here)
    }

    // MARK: - Private

    /// Checks that the caller may read every position of an imported route.
    ///
    /// The terms of a grant cannot be applied to such a route, so a grant that limits rate, precision or
    /// history is not enough.
    private func checkWhole(
        _ record: SessionRecord, _ request: Request, _ context: ProviderContext
    ) async throws {
        let sensor = await locations(of: record).first ?? Self.kind
        let terms = try await authorizer.grant(
            "session-route", .raw, of: sensor, request, context
        ).terms
        guard terms.maximumRate == nil, terms.precision == nil, terms.history == nil else {
            throw Problem(
                .denied,
                "An imported route is returned as a whole, and the grant of \(sensor) has terms.",
                privilege: PrivilegeID.sensor(sensor, .raw).description)
        }
    }

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
    ) async throws -> FixPage {
        let grant = try await authorizer.grant("session-route", .raw, of: sensor, request, context)
        let page = try await engine.batch(selection, for: grant)
        let fixes = (0..<page.stored.count).compactMap {
            Fix(page.stored[$0].sample, fields: page.fields)
        }
        return FixPage(fixes: fixes, next: page.next, damage: page.damage)
    }

    /// - Throws: `Problem` for a sensor without a position.
    private func checkFields(of sensor: SensorID) async throws {
        guard let status = await machine.status(of: sensor) else { throw Problem(unknown: sensor) }
        guard Set(status.sensor.fields.map(\.name)).isSuperset(of: ["latitude", "longitude"])
        else {
            throw Problem(.unknownField, "\(sensor) has no latitude and longitude.")
        }
    }

    /// The sensor of the route: the named one, or the first location sensor of the session.
    ///
    /// - Returns: `nil` if the owner entered the distance and the session has no such sensor.
    private func sensor(of record: SessionRecord, _ name: String?) async throws -> SensorID? {
        let known = await locations(of: record)
        if let name {
            guard let sensor = known.first(where: { $0.description == name }) else {
                throw Problem.invalidParameter(
                    "sensor", "must be a location sensor of the session")
            }
            return sensor
        }
        if record.enteredDistance != nil { return nil }
        guard let first = known.first else {
            throw Problem(
                .notFound, "The session has no location sensor, and so no route.",
                fix: "Its samples are at \(APIPath.samples(ofSession: record.session.id))")
        }
        return first
    }

    /// The location sensors of a session; for a kind, its instances, the readable ones first.
    private func locations(of record: SessionRecord) async -> [SensorID] {
        var known: [SensorID] = []
        for sensor in record.session.sensors where Self.kind.covers(sensor) {
            let readable = await machine.readable(named: sensor)
            let others = await machine.instances(of: sensor).filter { !readable.contains($0) }
            known += readable.isEmpty && others.isEmpty ? [sensor] : readable + others
        }
        return known
    }
}
