import API
public import Auth
public import Connectors
public import LAE
public import Logging
import NIOCore
import Samples
public import Scheduling
public import VM

/// Announces sensors for Home Assistant at an MQTT broker, and publishes their newest samples.
///
/// It is a client like any other, named `home-assistant`: it has a token, reads under grants, and every read has
/// an entry in the access log. A sensor is announced while its samples are granted to the client; the announcement
/// is removed when the grant or the token ends.
///
/// ```swift
/// let publisher = HomeAssistantPublisher(
///     broker: broker, topics: .init(prefix: "homeassistant", host: "a1"), version: "1.2",
///     authority: authority, machine: machine, engine: engine) { "nvs_…" }
/// await publisher.run()
/// ```
public actor HomeAssistantPublisher {
    /// The name of the client whose grants apply.
    public static let clientName = "home-assistant"
    /// How often grants and samples are looked at.
    private static let tick = Duration.seconds(1)
    /// How long after its start the host may still find a sensor that is announced.
    private static let settling = Duration.seconds(120)

    /// What was done about a granted sensor since the broker was connected.
    private struct Progress {
        var announcement: DeviceAnnouncement?
        var expiry: Int?
        /// The sequence number of the newest stored sample when it was last read.
        var seen: Int64?
        /// When a virtual sensor is read again.
        var due: Timestamp
        /// The sequence number of the last published sample.
        var published: Int64?
    }

    private let publisher: MQTTPublisher
    private let topics: DeviceAnnouncement.Topics
    private let version: String
    private let authority: Authority
    private let machine: VirtualMachine
    private let engine: AnalyticsEngine
    private let isGrantable: GrantableCheck
    private let time: any TimeSource
    private let logger: Logger
    private let token: @Sendable () -> String?

    private var isConnected = false
    private var hasSaidOnline = false
    private var sensors: [SensorID: Progress] = [:]
    /// The announcements of this host that the broker has.
    private var retained: Set<SensorID> = []
    private var startTime = Timestamp.distantPast
    private var lastProblem: String?
    /// The last token that was identified, and whether it is that of the client.
    private var identified: (token: String, isAccepted: Bool)?

    /// - Parameters:
    ///   - version: of Nervous.
    ///   - token: reads the token of the client; `nil` if it cannot be read.
    public init(
        broker: MQTTBroker, topics: DeviceAnnouncement.Topics, version: String,
        authority: Authority, machine: VirtualMachine, engine: AnalyticsEngine,
        time: any TimeSource = .system, logger: Logger = Logger(label: "nervous.home-assistant"),
        token: @escaping @Sendable () -> String?
    ) {
        publisher = MQTTPublisher(
            broker: broker, clientID: topics.clientID, statusTopic: topics.status,
            subscriptions: [topics.announcements, topics.homeAssistantStatus], time: time)
        (self.topics, self.version, self.token) = (topics, version, token)
        (self.authority, self.machine, self.engine) = (authority, machine, engine)
        isGrantable = GrantableCheck(machine: machine)
        (self.time, self.logger) = (time, logger)
    }

    /// Announces and publishes until cancelled; then Home Assistant shows the sensors as unavailable.
    public func run() async {
        startTime = time.now()
        await withDiscardingTaskGroup { group in
            group.addTask { [publisher] in await publisher.run() }
            group.addTask { await self.follow() }
            group.addTask { [time] in
                while !Task.isCancelled {
                    await self.update()
                    try? await time.sleep(for: Self.tick)
                }
            }
        }
    }

    // MARK: - The broker

    private func follow() async {
        for await event in publisher.events {
            switch event {
            case .connected:
                (isConnected, hasSaidOnline, lastProblem) = (true, false, nil)
                // The broker has lost everything if it was started again.
                sensors = [:]
            case .disconnected(let problem):
                isConnected = false
                retained = []
                report(problem)
            case .message(let topic, let payload):
                if topic == topics.homeAssistantStatus, payload == Array("online".utf8) {
                    // Values are not retained, because their age would be unknown.
                    for id in sensors.keys {
                        sensors[id]?.seen = nil
                        sensors[id]?.published = nil
                    }
                } else if let id = topics.sensor(announcedAt: topic) {
                    if payload.isEmpty { retained.remove(id) } else { retained.insert(id) }
                }
            }
        }
    }

    private func report(_ problem: String) {
        guard problem != lastProblem else { return }
        lastProblem = problem
        logger.warning("Home Assistant: \(problem)")
    }

    // MARK: - Sensors

    /// Announces granted sensors, publishes new samples, and removes what is no longer granted.
    private func update() async {
        guard isConnected else { return }
        let token = await acceptedToken()
        var granted: Set<SensorID> = []
        for status in await machine.statuses() {
            let id = status.sensor.id
            guard await isGranted(id, token) else { continue }
            granted.insert(id)
            await publish(status, token)
        }
        for id in retained.union(sensors.keys) where !granted.contains(id) {
            // A sensor may be found later, such as one that itself comes from a broker.
            let mayAppear = startTime.duration(to: time.now()) < Self.settling
            if mayAppear, await machine.sensor(id) == nil, await isGranted(id, token) { continue }
            remove(id)
        }
        guard !hasSaidOnline, isConnected else { return }
        hasSaidOnline = true
        publisher.publish(Array("online".utf8), to: topics.status, isRetained: true)
    }

    /// The token in its file, if it is that of the client; `nil` without one.
    ///
    /// A refused token is recorded once.
    private func acceptedToken() async -> String? {
        guard let token = token() else {
            report("the tokenFile of mqtt in config.json cannot be read, or has more than a token.")
            return nil
        }
        if let identified, identified.token == token {
            return identified.isAccepted ? token : nil
        }
        do {
            let client = try await authority.identify(
                token: token, name: Self.clientName, operation: "home-assistant")
            identified = (token, client.kind != .owner)
        } catch {
            identified = (token, false)
        }
        guard identified?.isAccepted == true else {
            report(
                "the tokenFile of mqtt in config.json has no valid token of \(Self.clientName)."
                    + " Create one with: nervous token create \(Self.clientName)")
            return nil
        }
        return token
    }

    private func remove(_ id: SensorID) {
        sensors[id] = nil
        retained.remove(id)
        publisher.publish([], to: topics.announcement(of: id), isRetained: true)
    }

    /// Whether the client may read samples of a sensor; not recorded.
    private func isGranted(_ id: SensorID, _ token: String?) async -> Bool {
        guard let token else { return false }
        let samples = PrivilegeID.sensor(id, .raw)
        return await authority.granted(anyOf: [samples], token: token) != nil
    }

    private func publish(_ status: SensorStatus, _ token: String?) async {
        let id = status.sensor.id
        let isVirtual = status.sensor.derivation != nil
        let (now, newest) = (time.now(), status.newest?.sequence)
        if let known = sensors[id] {
            guard isVirtual ? now >= known.due : newest != known.seen else { return }
        }
        var progress = sensors[id] ?? Progress(due: now)
        progress.seen = newest
        progress.due = now.advanced(by: status.sensor.cadence.medium)
        sensors[id] = progress
        do {
            let grant = try await authority.checkApp(
                token: token, name: Self.clientName,
                requested: AccessRequest("latest", of: id, .raw)
            ) { [isGrantable] in await isGrantable.readable(named: $0) }
            let latest = try await engine.latest(for: grant)
            // The connection or the grant may have ended during the read.
            guard isConnected, let current = sensors[id] else { return }
            // Home Assistant has started during the read.
            if current.seen != newest { (progress.seen, progress.published) = (nil, nil) }
            progress.expiry = latest.interval.map {
                DeviceAnnouncement.expiry(of: $0, known: progress.expiry)
            }
            let announcement = DeviceAnnouncement(
                status.sensor, expireAfter: progress.expiry, topics: topics, version: version)
            if progress.announcement != announcement {
                publisher.publish(announcement.payload, to: announcement.topic, isRetained: true)
                progress.announcement = announcement
            }
            if let sample = latest.samples.first, latest.freshness?.isStale != true,
                isVirtual || sample.sequence != progress.published
            {
                publisher.publish(
                    Self.json(sample, latest.fields), to: topics.values(of: id), isRetained: false)
                progress.published = sample.sequence
            }
            sensors[id] = progress
        } catch {
            // The access log has a refusal. A sensor that cannot be read now is read again with its next sample.
        }
    }

    private static func json(_ sample: StoredSample, _ fields: [Field]) -> [UInt8] {
        var buffer = ByteBuffer()
        for (field, value) in zip(fields, sample.values) {
            buffer.writeString(buffer.readableBytes == 0 ? "{" : ",")
            buffer.writeJSON(field.name)
            buffer.writeString(":")
            buffer.writeJSON(value)
        }
        buffer.writeString("}")
        return Array(buffer.readableBytesView)
    }
}
