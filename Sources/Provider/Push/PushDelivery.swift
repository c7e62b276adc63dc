import API
import Auth
import Crypto
import Hummingbird
import Ingest
import LAE
import Samples

/// Publishes readings of several sensors, each under a grant of its own, and remembers what became of them.
struct PushDelivery {
    /// The most sensors of one body.
    private static let mostSensors = 64
    /// How many lines are named at most.
    private static let namedLines = 100

    /// A sensor that took nothing.
    struct Refusal {
        let sensor: SensorID
        /// How many readings were meant for it.
        let readings: Int
        let problem: Problem
    }

    let door: Door
    let engine: AnalyticsEngine
    let request: Request
    let context: ProviderContext
    /// The SHA-256 of the body and its address: the same body, sent again, is stored once.
    let digest: SHA256.Digest

    /// How many samples each sensor took.
    private(set) var kept: [(sensor: SensorID, count: Int)] = []
    private(set) var refused: [Refusal] = []
    var dropped: [DropReason: Int] = [:]
    /// What became of lines that are not kept, the first of them.
    private(set) var faults: [LineFault] = []
    /// How many lines are not kept.
    private(set) var faultCount = 0

    init(
        _ bytes: [UInt8], door: Door, engine: AnalyticsEngine, _ request: Request,
        _ context: ProviderContext
    ) {
        self.door = door
        self.engine = engine
        self.request = request
        self.context = context
        var hash = SHA256()
        hash.update(data: Array(request.uri.string.utf8) + [0])
        hash.update(data: bytes)
        digest = hash.finalize()
    }

    /// How many samples were taken.
    var accepted: Int { kept.reduce(0) { $0 + $1.count } }

    /// Publishes what may be published.
    ///
    /// - Throws: what is not about one sensor, such as a full disk; the body may then be sent again, and
    ///   what was stored of it is not stored twice.
    mutating func deliver(_ readings: [PushedReading]) async throws {
        var order: [SensorID] = []
        var groups: [SensorID: [PushedReading]] = [:]
        for reading in readings {
            if groups[reading.sensor] == nil {
                guard order.count < Self.mostSensors else {
                    drop(.tooManySensors, line: reading.line)
                    continue
                }
                order.append(reading.sensor)
            }
            groups[reading.sensor, default: []].append(reading)
        }
        for sensor in order { try await deliver(groups[sensor] ?? [], to: sensor) }
    }

    /// What is to be answered when nothing was taken because nothing may be.
    ///
    /// A body with something in it that never fits is not refused, or it would be sent again for ever.
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
            let grant = try await door.grant("push", .write, of: sensor, request, context)
            let fields = try await engine.publishedFields(for: grant)
            let batch = batch(readings, fields)
            guard !batch.isEmpty else { return }
            let receipt = try await engine.publish(
                batch, key: key(readings, client: grant.client), for: grant)
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

    private mutating func batch(_ readings: [PushedReading], _ fields: [Field]) -> SampleBatch {
        let arrival = door.now()
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

    /// What the batch is known by; `nil` where the time of arrival tells it from another one like it.
    private func key(_ readings: [PushedReading], client: String) -> BatchKey? {
        guard readings.allSatisfy({ $0.reading.time != nil }) else { return nil }
        let name = digest.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return BatchKey(client: client, name: "push-" + name.joined(), digest: Array(digest))
    }
}

extension Problem {
    /// Whether other sensors may take what this one does not.
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
