import API
public import Auth
public import Connectors
public import LAE
public import Logging
import NIOCore
import Samples
public import Scheduling
import Statistics
public import VM

/// Announces sensors for Home Assistant at an MQTT broker, and publishes their newest samples, or the means of recent
/// time where only statistics are granted.
///
/// It is a client like any other, named `home-assistant`: it has a token, reads under grants, and every read has
/// an entry in the access log. A sensor is announced while it is granted to the client; the announcement is removed
/// when the grant or the token ends.
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
        /// The access that was granted.
        let access: Access
        var announcement: DeviceAnnouncement?
        var expiry: Int?
        /// The sequence number of the newest stored sample when it was last read.
        var seen: Int64?
        /// When a virtual sensor, or its statistics, are read again.
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
                        sensors[id]?.due = .distantPast
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
            guard let access = await access(to: id, token) else { continue }
            let isNumeric = status.sensor.fields.contains(where: \.kind.isNumeric)
            guard access == .raw || isNumeric else { continue }
            granted.insert(id)
            await publish(status, access, token)
        }
        for id in retained.union(sensors.keys) where !granted.contains(id) {
            // A sensor may be found later, such as one that itself comes from a broker.
            let mayAppear = startTime.duration(to: time.now()) < Self.settling
            if mayAppear, await machine.sensor(id) == nil, await access(to: id, token) != nil {
                continue
            }
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

    /// Whether the client may read samples of a sensor, or statistics only; not recorded.
    private func access(to id: SensorID, _ token: String?) async -> Access? {
        guard let token else { return nil }
        let privileges = [Access.raw, .stats].map { PrivilegeID.sensor(id, $0) }
        return await authority.granted(anyOf: privileges, token: token)?.access
    }

    private func publish(_ status: SensorStatus, _ access: Access, _ token: String?) async {
        let sensor = status.sensor
        let id = sensor.id
        let isVirtual = sensor.derivation != nil
        let (now, newest) = (time.now(), status.newest?.sequence)
        let known = sensors[id].flatMap { $0.access == access ? $0 : nil }
        if let known {
            let isTimed = isVirtual || access == .stats
            guard isTimed ? now >= known.due : newest != known.seen else { return }
        }
        var progress = known ?? Progress(access: access, due: now)
        progress.seen = newest
        let period =
            access == .stats ? RecentStatistics(of: sensor).period : sensor.cadence.medium
        progress.due = now.advanced(by: period)
        sensors[id] = progress
        do {
            let grant = try await authority.checkApp(
                token: token, name: Self.clientName,
                requested: AccessRequest(
                    access == .raw ? "latest" : "stats", of: id, access, isExact: true)
            ) { [isGrantable] in await isGrantable.readable(named: $0) }
            let reading =
                access == .raw ? try await newestSample(grant) : try await means(of: sensor, grant)
            // The connection or the grant may have ended during the read.
            guard isConnected, let current = sensors[id] else { return }
            // Home Assistant has started during the read.
            if current.due == .distantPast { progress.due = .distantPast }
            if current.seen != newest { (progress.seen, progress.published) = (nil, nil) }
            progress.expiry = reading.interval.map {
                DeviceAnnouncement.expiry(of: $0, known: progress.expiry)
            }
            let announcement = DeviceAnnouncement(
                sensor, showing: access == .raw ? .samples : .means,
                expireAfter: progress.expiry, topics: topics, version: version)
            let isAnnounced = progress.announcement == announcement
            if !isAnnounced {
                publisher.publish(announcement.payload, to: announcement.topic, isRetained: true)
                progress.announcement = announcement
            }
            let isNew = reading.sequence == nil || reading.sequence != progress.published
            if let payload = reading.payload, isVirtual || isNew {
                let topic =
                    access == .raw ? topics.values(of: id) : topics.statistics(of: id)
                publisher.publish(payload, to: topic, isRetained: false)
                progress.published = reading.sequence
            }
            if !isAnnounced {
                // Home Assistant subscribes after an announcement, so the value is published again.
                (progress.seen, progress.published, progress.due) = (nil, nil, .distantPast)
            }
            sensors[id] = progress
        } catch {
            // The access log has a refusal. A sensor that cannot be read now is read again with its next sample.
        }
    }

    // MARK: - Values

    /// The announcement of a sensor to Home Assistant.
    private struct Reading {
        /// How often there is another one, if that is known.
        let interval: Duration?
        /// `nil` if there is none that is current.
        var payload: [UInt8]?
        /// The sequence number of the sample; `nil` for statistics.
        var sequence: Int64?
    }

    private func newestSample(_ grant: Grant) async throws -> Reading {
        let latest = try await engine.latest(for: grant)
        var reading = Reading(interval: latest.interval)
        guard let sample = latest.samples.first, latest.freshness?.isStale != true else {
            return reading
        }
        reading.payload = Self.object(latest.fields) { field, buffer in
            buffer.writeJSON(sample.values[field])
        }
        reading.sequence = sample.sequence
        return reading
    }

    /// The means of recent time, with the other statistics and the window.
    private func means(of sensor: Sensor, _ grant: Grant) async throws -> Reading {
        let recent = RecentStatistics(of: sensor)
        let statistics: [Statistic] = [.mean, .standardDeviation, .minimum, .maximum]
        let table = try await engine.statistics(
            recent.query(statistics, at: time.now()), for: grant)
        var reading = Reading(interval: recent.period)
        // Too few samples are suppressed.
        guard let window = table.windows.first, let count = window.count else { return reading }
        let names = ["mean", "stddev", "min", "max"]
        reading.payload = Self.object(table.fields) { field, buffer in
            buffer.writeString("{")
            for (name, value) in zip(names, window.values[field]) {
                buffer.writeString("\"\(name)\":")
                buffer.writeJSON(Value.number(value ?? .nan))
                buffer.writeString(",")
            }
            buffer.writeString("\"samples\":\(count),\"from\":")
            buffer.writeJSON(window.range.from.description)
            buffer.writeString(",\"to\":")
            buffer.writeJSON(window.range.to.description)
            buffer.writeString("}")
        }
        return reading
    }

    /// A JSON object with a member for each field.
    private static func object(
        _ fields: [Field], _ write: (_ index: Int, inout ByteBuffer) -> Void
    ) -> [UInt8] {
        var buffer = ByteBuffer()
        for (index, field) in fields.enumerated() {
            buffer.writeString(index == 0 ? "{" : ",")
            buffer.writeJSON(field.name)
            buffer.writeString(":")
            write(index, &buffer)
        }
        buffer.writeString("}")
        return Array(buffer.readableBytesView)
    }
}
