import API
import Auth
import Crypto
import Hummingbird
import Ingest
import LAE
import Samples
import Text

/// Publishes readings of several sensors, each under its own grant, and records the outcome.
struct PushDelivery {
    /// The maximum number of sensors of one body.
    private static let maximumSensors = 64
    /// The maximum number of lines that an answer lists.
    private static let namedLines = 100

    /// A sensor whose readings were refused.
    struct Refusal {
        let sensor: SensorID
        /// How many readings were refused.
        let readings: Int
        let problem: Problem
    }

    let authorizer: RequestAuthorizer
    let engine: AnalyticsEngine
    let request: Request
    let context: ProviderContext
    /// The SHA-256 of the URL and the body: a repeated body is stored once.
    let digest: SHA256.Digest

    /// How many samples of each sensor were accepted.
    private(set) var kept: [(sensor: SensorID, count: Int)] = []
    private(set) var refused: [Refusal] = []
    var dropped: [DropReason: Int] = [:]
    /// The first of the lines that were not stored.
    private(set) var faults: [LineFault] = []
    /// How many lines were not stored.
    private(set) var faultCount = 0

    init(
        _ bytes: [UInt8], authorizer: RequestAuthorizer, engine: AnalyticsEngine,
        _ request: Request,
        _ context: ProviderContext
    ) {
        self.authorizer = authorizer
        self.engine = engine
        self.request = request
        self.context = context
        var hash = SHA256()
        hash.update(data: Array(request.uri.string.utf8) + [0])
        hash.update(data: bytes)
        digest = hash.finalize()
    }

    /// How many samples were accepted.
    var accepted: Int { kept.reduce(0) { $0 + $1.count } }

    /// Publishes the readings of all sensors that the client may publish to.
    ///
    /// - Throws: an error that is not about one sensor, such as a full disk. The client may repeat the
    ///   body; samples that were stored are not stored twice.
    mutating func deliver(_ readings: [PushedReading]) async throws {
        var order: [SensorID] = []
        var groups: [SensorID: [PushedReading]] = [:]
        for reading in readings {
            if groups[reading.sensor] == nil {
                guard order.count < Self.maximumSensors else {
                    drop(.tooManySensors, line: reading.line)
                    continue
                }
                order.append(reading.sensor)
            }
            groups[reading.sensor, default: []].append(reading)
        }
        for sensor in order { try await deliver(groups[sensor] ?? [], to: sensor) }
    }

    /// The problem to answer with if nothing was accepted and a sensor was refused; `nil` if readings
    /// were malformed.
    ///
    /// A body with malformed readings is not refused, since clients would repeat it forever.
    var problem: Problem? {
        let isSound = dropped.keys.allSatisfy { $0 == .unknownName || $0 == .otherType }
        return kept.isEmpty && isSound ? refused.first?.problem : nil
    }

    mutating func drop(_ reason: DropReason, line: Int?) {
        dropped[reason, default: 0] += 1
        if let line { note(LineFault(line: line, message: reason.words)) }
    }

    mutating func note(_ fault: LineFault) {
        faultCount += 1
        if faults.count < Self.namedLines { faults.append(fault) }
    }

    // MARK: - Private

    private mutating func deliver(
        _ readings: [PushedReading], to sensor: SensorID
    ) async throws {
        do {
            let grant = try await authorizer.grant("push", .write, of: sensor, request, context)
            let fields = try await engine.publishedFields(for: grant)
            let arrival = authorizer.now()
            let batch = batch(readings, fields, arrival)
            guard !batch.isEmpty else { return }
            let newest = readings.compactMap(\.reading.time).max()
            let receipt = try await engine.publish(
                batch, key: key(readings, client: grant.client),
                clock: newest.map { ClockReading(stamp: $0, arrival: arrival) }, for: grant)
            kept.append((sensor, receipt.accepted))
        } catch {
            let problem = Problem(error, logger: nil)
            guard problem.isOfOneSensor else { throw error }
            refused.append(Refusal(sensor: sensor, readings: readings.count, problem: problem))
            for case let line? in readings.lazy.map(\.line) {
                note(LineFault(line: line, message: problem.detail))
            }
        }
    }

    private mutating func batch(
        _ readings: [PushedReading], _ fields: [Field], _ arrival: Timestamp
    ) -> SampleBatch {
        var batch = SampleBatch(of: fields)
        for pushed in readings {
            do throws(DropReason) {
                batch.append(try pushed.reading.sample(of: fields, arrival: arrival))
            } catch {
                drop(error, line: pushed.line)
            }
        }
        return batch
    }

    /// The idempotency key of a batch.
    ///
    /// `nil` if a reading has no timestamp: it gets the time of its arrival, so a body that is sent
    /// twice contains different samples.
    private func key(_ readings: [PushedReading], client: String) -> BatchKey? {
        guard readings.allSatisfy({ $0.reading.time != nil }) else { return nil }
        return BatchKey(client: client, name: "push-" + digest.hexadecimal, digest: Array(digest))
    }
}

extension Problem {
    /// Whether readings of other sensors may still be accepted.
    fileprivate var isOfOneSensor: Bool {
        [.forbidden, .notFound, .conflict].contains(status) || code == .sensorUnavailable
    }
}

extension PushReply {
    init(_ delivery: PushDelivery) {
        self.init(
            accepted: delivery.accepted,
            sensors: delivery.kept.map {
                Kept(sensor: $0.sensor.description, accepted: $0.count)
            },
            refused: delivery.refused.map {
                Refused(
                    sensor: $0.sensor.description, readings: $0.readings,
                    code: $0.problem.codeName, detail: $0.problem.detail)
            },
            dropped: Dictionary(
                uniqueKeysWithValues: delivery.dropped.map { ($0.key.rawValue, $0.value) }))
    }
}

extension PartialWrite {
    init(_ delivery: PushDelivery) {
        self.init(
            accepted: delivery.accepted, dropped: delivery.faultCount,
            lines: delivery.faults.sorted { $0.line < $1.line }.map {
                Line(line: $0.line, reason: $0.message)
            })
    }
}
