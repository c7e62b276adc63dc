import API
import Auth
import Egress
import HTTPTypes
import Hummingbird
import Ingest
import LAE
import Samples
import Sessions
import VM

/// Samples: reading, publishing and forgetting them.
struct SampleRoutes {
    private static let location: SensorID = "location"

    let authorizer: RequestAuthorizer
    let machine: VirtualMachine
    let engine: AnalyticsEngine
    let book: SessionBook
    let outbox: Outbox
    let slots: IntakeSlots

    func add(to routes: inout RouteTable) {
        let reader = SampleReader(authorizer: authorizer, engine: engine)
        routes.on(
            .samples(of: "{sensor}"),
            [.get: reader.samples, .post: publish, .delete: forget])
    }

    /// Accepts all samples of a body or none.
    @Sendable
    private func publish(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let name = try request.sensor(context)
        let grant = try await authorizer.grant("publish", .write, of: name, request, context)
        // The sensor that a kind resolves to may change while the body is read.
        let id = grant.sensor
        let form = try SampleFormat(contentType: request.mediaType)
        let key = try request.idempotencyKey()
        let fields = try await engine.publishedFields(for: grant)
        // Samples without a time get this one.
        let begin = authorizer.now()
        let intake = try await SampleIntake.read(
            request, SampleParser(form, fields: fields, now: begin), form: form,
            isNamed: key != nil, slots: slots, client: grant.client,
            isOwner: grant.isOwner)
        let arrival = authorizer.now()
        // Permission may have ended while the body was read.
        let still = try await authorizer.grant(
            "publish", .write, of: id, request, context, isContinuation: true)
        // Samples that the owner imports were recorded earlier, so their times tell nothing about a
        // clock.
        let newest = grant.isOwner ? nil : intake.batch.times.lazy.filter { $0 != begin }.max()
        let receipt = try await engine.publish(
            intake.batch,
            key: key.map { BatchKey(client: grant.client, name: $0, digest: intake.digest) },
            clock: newest.map { ClockReading(stamp: $0, arrival: arrival) }, for: still)
        var response = try Response.json(
            PublishReply(accepted: receipt.accepted, last: receipt.last), status: .created)
        if receipt.isRepeated { response.headers[.repeated] = "true" }
        return response.naming(id, requested: name)
    }

    /// Forgets the samples of a range, and returns the receipt.
    ///
    /// Uploads that contain the samples are discarded. The receipt lists what else still reveals
    /// the samples; with the parameter `derived`, this is forgotten, too.
    @Sendable
    private func forget(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("forget", request, context)
        let id = try request.sensor(context)
        try request.rejectParameters(except: ["from", "to", "derived"])
        let range = try request.range(now: authorizer.now())
        let includesDerived = try request.flag("derived")
        let caller = try await authorizer.client("forget", request, context)
        // If the sensor is unknown, this throws before anything is forgotten.
        let first = try await erase(id, range, by: caller)
        guard includesDerived else {
            return try .json(
                ForgetDescription(
                    first.receipt, uploads: first.uploads, kept: await kept(of: id, range)))
        }
        var uploads = first.uploads
        var derived: [ForgetReceipt] = []
        for sensor in await allDerived(from: id) {
            do {
                let (found, discarded) = try await erase(sensor, range, by: caller)
                derived.append(found)
                uploads += discarded
            } catch let error as VirtualMachineError where error.code == .unknownSensor {
                // No sample of this sensor was ever stored.
            }
        }
        var sessions: [String] = []
        if Self.location.covers(id) {
            sessions = try await book.importedSessions(in: range)
            for session in sessions { try await book.remove(session) }
        }
        return try .json(
            ForgetDescription(
                first.receipt, uploads: uploads, derived: derived, sessions: sessions, kept: []))
    }

    /// Forgets samples of one sensor and the uploads with them, and records it in the access log.
    private func erase(
        _ id: SensorID, _ range: TimeRange, by caller: Client
    ) async throws -> (receipt: ForgetReceipt, uploads: Int) {
        let receipt = try await machine.retention.forget(
            id, range, releasingKeysOf: caller.name)
        let uploads = await outbox.discard(id, range)
        let (from, to) = (range.from, range.to)
        await authorizer.authority.log.note(
            .forgotten(
                id,
                what: "\(receipt.samples) samples and \(receipt.summaries) summaries"
                    + (uploads == 0 ? "" : ", \(uploads) uploads")
                    + (from == .distantPast ? "" : " from \(from)")
                    + (to == .distantFuture ? "" : " to \(to)")))
        return (receipt, uploads)
    }

    /// The sensors that are computed from a sensor, directly or through other computed sensors.
    private func allDerived(from sensor: SensorID) async -> [SensorID] {
        var all = await machine.derived(from: sensor)
        var index = 0
        while index < all.count {
            for next in await machine.derived(from: all[index])
            where next != sensor && !all.contains(next) {
                all.append(next)
            }
            index += 1
        }
        return all
    }

    /// Data that still reveals the forgotten samples: the samples that were computed from them, and
    /// imported routes.
    private func kept(of sensor: SensorID, _ range: TimeRange) async throws -> [String] {
        var kept: [String] = []
        for derived in await machine.derived(from: sensor)
        where await machine.status(of: derived)?.hasSamples == true {
            kept.append("sensor:\(derived)")
        }
        guard Self.location.covers(sensor) else { return kept }
        return try await kept + book.importedSessions(in: range).map { "session:\($0)" }
    }
}

extension Request {
    private static let longestKey = 255

    /// The idempotency key of the batch; `nil` if it has none.
    fileprivate func idempotencyKey() throws -> String? {
        guard let key = headers[.idempotencyKey] else { return nil }
        guard (1...Self.longestKey).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
        else {
            throw Problem.invalidParameter(
                "Idempotency-Key", "must have 1 to \(Self.longestKey) ASCII characters")
        }
        return key
    }
}
