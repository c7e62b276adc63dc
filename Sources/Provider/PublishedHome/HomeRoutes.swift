import API
import Auth
import HTTPTypes
import Hummingbird
import LAE
import NIOCore
import Samples
import Scheduling
import VM

/// The calls of the published web server of a home: the climate, and a door that a client connects to,
/// reads and disconnects from.
///
/// Numbers are texts with one decimal, as there. Failures of a device are 500 with `{"error": …}`; those of
/// permission and of the request are the problems of all calls.
struct HomeRoutes {
    /// How long a connection may take.
    private static let connectLimit = Duration.seconds(10)
    private static let pause = Duration.milliseconds(100)

    let authorizer: RequestAuthorizer
    let machine: VirtualMachine
    let engine: AnalyticsEngine
    private let devices = DeviceLeaseTable()

    /// - Parameter authorizer: also accepts the token as a password, because such clients have no other field
    ///   for it.
    init(authorizer: RequestAuthorizer, machine: VirtualMachine, engine: AnalyticsEngine) {
        var authorizer = authorizer
        authorizer.schemes = [.bearer, .basic]
        self.authorizer = authorizer
        self.machine = machine
        self.engine = engine
    }

    func add(to routes: inout RouteTable) {
        routes.on(.home(.temperature), [.get: temperature])
        routes.on(.home(.doorStatus), [.get: status])
        routes.on(.home(.doorConnect), [.post: connect])
        routes.on(.home(.doorDisconnect), [.post: disconnect])
    }

    // MARK: - Climate

    @Sendable
    private func temperature(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        _ = try await authorizer.client("latest", request, context)
        let sensor = try Self.sensor(of: request, default: "climate")
        let grant = try await grant("latest", of: sensor, request, context)
        guard let grant, let latest = try await latest(for: grant),
            latest.freshness?.isStale != true, await isAvailable(grant.sensor),
            let temperature = latest.number("temperature"),
            let humidity = latest.number("humidity")
        else { return try Self.failure("Could not read sensor") }
        return try .json(
            ClimateReply(temperature: temperature.oneDecimal, humidity: humidity.oneDecimal))
    }

    private func isAvailable(_ sensor: SensorID) async -> Bool {
        let status = await machine.status(of: sensor)
        return status?.state == .available && status?.failure == nil
    }

    // MARK: - Door

    /// Answers when the device is connected.
    ///
    /// Each call waits by itself.
    @Sendable
    private func connect(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("connect", request, context)
        let sensor = try Self.sensor(of: request, default: "door")
        guard let grant = try await grant("connect", of: sensor, request, context),
            try await isConnectedInTime(grant.sensor)
        else { return try Self.failure("Could not find sensor") }
        await devices.acquire(grant.sensor, by: client, at: authorizer.time.instant())
        return try .json(ConnectionReply(status: "connected"))
    }

    @Sendable
    private func status(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.client("latest", request, context)
        let sensor = try Self.sensor(of: request, default: "door")
        guard let grant = try await grant("latest", of: sensor, request, context) else {
            return try Self.failure("Could not find sensor")
        }
        let (id, now) = (grant.sensor, authorizer.time.instant())
        if await devices.holds(id, client, at: now), let latest = try await latest(for: grant) {
            var reply = DoorReply(latest)
            reply.stale = await !isConnected(id)
            if await devices.record(reply, of: id, by: client, at: now) { return try .json(reply) }
        }
        // What was read while the client was connected; it may have changed since.
        guard var last = await devices.state(of: id, for: client, at: now) else {
            return try Self.failure("Sensor is not connected")
        }
        last.stale = true
        return try .json(last)
    }

    /// Ends the lease of this client.
    ///
    /// Others keep theirs; without a lease the answer is the same.
    @Sendable
    private func disconnect(
        _ request: Request, _ context: ProviderContext
    ) async throws -> Response {
        let client = try await authorizer.client("disconnect", request, context)
        let sensor = try Self.sensor(of: request, default: "door")
        if let grant = try await grant("disconnect", of: sensor, request, context) {
            await devices.release(grant.sensor, by: client, at: authorizer.time.instant())
        }
        return try .json(ConnectionReply(status: "disconnected"))
    }

    private func isConnectedInTime(_ sensor: SensorID) async throws -> Bool {
        for _ in 0..<Int(Self.connectLimit / Self.pause) {
            if await isConnected(sensor) { return true }
            try await authorizer.time.sleep(for: Self.pause)
        }
        return await isConnected(sensor)
    }

    /// Whether the source of a sensor is connected.
    ///
    /// A sensor that clients publish to has no connection: it counts as connected once it has a sample.
    private func isConnected(_ sensor: SensorID) async -> Bool {
        guard let status = await machine.status(of: sensor), status.state == .available,
            status.level != .off
        else { return false }
        return status.source.map { $0.link == .connected } ?? (status.newest != nil)
    }

    // MARK: - Private

    /// The sensor of the parameter `sensor`, or the only one of a kind.
    private static func sensor(
        of request: Request, default kind: SensorID
    ) throws -> SensorID {
        try request.rejectParameters(except: ["sensor"])
        guard let name = request.parameter("sensor") else { return kind }
        guard let id = SensorID(name) else {
            throw Problem.invalidParameter("sensor", "must be the name of a sensor")
        }
        return id
    }

    /// - Returns: `nil` if there is no such sensor.
    private func grant(
        _ operation: String, of sensor: SensorID, _ request: Request, _ context: ProviderContext
    ) async throws -> Grant? {
        let grant = try await authorizer.grant(operation, .raw, of: sensor, request, context)
        return await machine.status(of: grant.sensor) == nil ? nil : grant
    }

    /// - Returns: `nil` if the sensor has no sample that this client may read.
    private func latest(for grant: Grant) async throws -> LatestSample? {
        do throws(LAEError) {
            let latest = try await engine.latest(for: grant)
            return latest.samples.isEmpty ? nil : latest
        } catch {
            guard error.code == .unavailable || error.code == .unknownSensor else { throw error }
            return nil
        }
    }

    private static func failure(_ text: String) throws -> Response {
        try .json(FailureReply(error: text), status: .internalServerError)
    }
}

/// The leases of devices.
private actor DeviceLeaseTable {
    private var leases = DeviceLeases<DoorReply>()

    func acquire(_ sensor: SensorID, by client: Client, at now: ContinuousClock.Instant) {
        leases.acquire(sensor, by: client, at: now)
    }

    func record(
        _ reply: DoorReply, of sensor: SensorID, by client: Client, at now: ContinuousClock.Instant
    ) -> Bool {
        leases.record(reply, of: sensor, by: client, at: now)
    }

    func release(_ sensor: SensorID, by client: Client, at now: ContinuousClock.Instant) {
        leases.release(sensor, by: client, at: now)
    }

    func holds(_ sensor: SensorID, _ client: Client, at now: ContinuousClock.Instant) -> Bool {
        leases.holds(sensor, client, at: now)
    }

    func state(
        of sensor: SensorID, for client: Client, at now: ContinuousClock.Instant
    ) -> DoorReply? {
        leases.state(of: sensor, for: client, at: now)
    }
}

// MARK: - Answers

private struct ClimateReply: Encodable {
    let temperature: String
    let humidity: String
}

private struct ConnectionReply: Encodable {
    let status: String
}

private struct FailureReply: Encodable {
    let error: String
}

/// The state of a door.
///
/// The published server and its clients name the members differently; each value has both names.
private struct DoorReply: Encodable, Sendable {
    private enum Keys: String, CodingKey {
        case lockStatus, doorStatus, battery, lastUpdateTime, lastUpdate, stale
    }

    private let lock: String
    private let battery: String?
    private let time: Timestamp
    /// Whether the state may have changed since.
    var stale = false

    init(_ latest: LatestSample) {
        let state = latest.text("lock") ?? latest.text("door") ?? latest.text("state")
        lock = state.map { $0.prefix(1).uppercased() + $0.dropFirst() } ?? "Unknown"
        // A device that has not sent its charge has -1.
        battery = latest.number("battery").flatMap { $0 < 0 ? nil : $0.oneDecimal }
        time = latest.samples.first?.time ?? .distantPast
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Keys.self)
        for key in [Keys.lockStatus, .doorStatus] { try members.encode(lock, forKey: key) }
        try members.encode(battery, forKey: .battery)
        for key in [Keys.lastUpdateTime, .lastUpdate] {
            try members.encode("\(time)", forKey: key)
        }
        try members.encode(stale, forKey: .stale)
    }
}

extension LatestSample {
    fileprivate func number(_ name: String) -> Double? { value(name)?.double }

    fileprivate func text(_ name: String) -> String? {
        guard case .text(let text)? = value(name), !text.isEmpty else { return nil }
        return text
    }

    private func value(_ name: String) -> Value? {
        guard let index = fields.firstIndex(where: { $0.name == name }) else { return nil }
        return samples.first?.values[index]
    }
}

extension Double {
    /// The number with one decimal, whatever the locale.
    fileprivate var oneDecimal: String {
        let tenths = (self * 10).rounded()
        guard let whole = Int64(exactly: tenths) else { return "\(self)" }
        let digits = whole.magnitude
        return "\(whole < 0 ? "-" : "")\(digits / 10).\(digits % 10)"
    }
}
