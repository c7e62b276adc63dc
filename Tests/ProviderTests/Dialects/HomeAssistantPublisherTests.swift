import Auth
import Connectors
import Foundation
import LAE
import Logging
import Samples
import Scheduling
import TestSupport
import Testing
import Text
import VM

@testable import Provider

/// Announcements and values at a real broker.
@Suite(
    .blocking, .enabled(if: TestBroker.isInstalled && MessageWatch.isInstalled),
    .timeLimit(.minutes(10)))
struct HomeAssistantPublisherTests {
    private static let topics = ServedHost.homeAssistantTopics
    private static let client = HomeAssistantPublisher.clientName
    private static let attic: SensorID = "temperature.attic"
    private static let values = "nervous/test/temperature.attic/values"

    private static func startedBroker() throws -> TestBroker {
        let broker = try TestBroker()
        try broker.start()
        return broker
    }

    private static func announcement(_ sensor: SensorID = attic) -> String {
        topics.announcement(of: sensor)
    }

    @Test func `statistics only are announced as means, and samples as soon as they are granted`()
        async throws
    {
        try await ServedHost.with { host in
            let broker = try Self.startedBroker()
            try await host.fillTemperatures()
            let token = try await host.client(Self.client)
            try await host.decide(.statisticsOnly, "sensor:temperature.attic", by: Self.client)
            try await host.publishing(at: broker, token: token) { watch in
                try await watch.until(Self.topics.status) { $0 == "online" }
                let means = try await watch.until(Self.announcement()) { _ in true }
                #expect(means.contains("temperature (mean)"))
                #expect(watch.last(Self.announcement("temperature.cellar")) == nil)
                #expect(watch.last(Self.values) == nil)
                let statistics = Self.topics.statistics(of: Self.attic)
                try await watch.until(statistics) { $0.contains(#""samples":"#) }
                // Home Assistant has started.
                let before = watch.count(statistics)
                try broker.publish("online", to: "homeassistant/status")
                try await watch.until(statistics, after: before) { $0.contains(#""mean":"#) }
                try await host.decide(
                    .allowAlways, "sensor:temperature.attic", by: Self.client)
                try await watch.until(Self.announcement()) { !$0.contains("(mean)") }
                try await watch.until(Self.values) { $0.contains("window") }
                try await host.decide(.deny, "sensor:temperature.attic", by: Self.client)
                try await watch.until(Self.announcement()) { $0.isEmpty }
            }
        }
    }

    @Test func `a sensor without numbers is not announced for its statistics`() async throws {
        try await ServedHost.with { host in
            let broker = try Self.startedBroker()
            try await host.fillTemperatures()
            let declared = try await host.send(
                Call(
                    "PUT", "/api/v1/sensors/door.front", token: host.owner,
                    json: #"{"fields": [{"name": "state", "kind": "state"}]}"#))
            #expect(declared.status == 201)
            _ = try await host.publish(#"{"state": "open"}"#, to: "door.front")
            let token = try await host.client(Self.client)
            try await host.decide(.statisticsOnly, "sensor:door", by: Self.client)
            try await host.publishing(at: broker, token: token) { watch in
                try await watch.until(Self.topics.status) { $0 == "online" }
                #expect(watch.last(Self.announcement("door.front")) == nil)
            }
        }
    }

    @Test(arguments: GrantRevocation.allCases)
    func `a revocation removes the announcement`(revocation: GrantRevocation) async throws {
        try await ServedHost.with { host in
            let broker = try Self.startedBroker()
            try await host.fillTemperatures()
            let token = try await host.client(Self.client, allow: ["sensor:temperature"])
            try await host.publishing(at: broker, token: token) { watch in
                try await watch.until(Self.announcement()) { $0.contains("temperature") }
                try await revocation.apply(to: host, client: Self.client)
                for sensor in ["temperature.attic", "temperature.cellar"] as [SensorID] {
                    try await watch.until(Self.announcement(sensor)) {
                        revocation == .narrowed ? $0.contains("(mean)") : $0.isEmpty
                    }
                }
            }
        }
    }

    @Test func `new samples are published once, and the host says when it stops`() async throws {
        try await ServedHost.with { host in
            let broker = try Self.startedBroker()
            try await host.fillTemperatures()
            let token = try await host.client(Self.client, allow: ["sensor:temperature.attic"])
            try await host.publishing(at: broker, token: token) { watch in
                try await watch.until(Self.values) { _ in true }
                _ = try await host.publish(
                    #"{"temperature": 31.5, "opened": 1, "window": "open"}"#,
                    to: "temperature.attic")
                try await watch.until(Self.values) { $0.contains("31.5") }
                // Home Assistant has started, and knows nothing.
                let before = watch.count(Self.values)
                try broker.publish("online", to: "homeassistant/status")
                try await watch.until(Self.values, after: before) { $0.contains("31.5") }
            }
            let watch = try await MessageWatch(broker)
            try await watch.until(Self.topics.status) { $0 == "offline" }
            try await watch.until(Self.announcement()) { $0.contains("temperature") }
            // Values are not retained.
            #expect(watch.last(Self.values) == nil)
        }
    }

    @Test func `a restart removes announcements that are no longer granted, and no others`()
        async throws
    {
        try await ServedHost.with { host in
            let broker = try Self.startedBroker()
            try await host.fillTemperatures()
            let ghost = Self.announcement("humidity.gone")
            let stranger = "homeassistant/device/nervous-other-cpu/config"
            for topic in [ghost, Self.announcement(), stranger] {
                try broker.publish(#"{"old": 1}"#, to: topic, isRetained: true)
            }
            let token = try await host.client(Self.client, allow: ["sensor:temperature.attic"])
            try await host.publishing(at: broker, token: token) { watch in
                try await watch.until(ghost) { $0.isEmpty }
                try await watch.until(Self.announcement()) { $0.contains("°C") }
                let announced = watch.all(Self.announcement())
                #expect(!announced.contains(""))
            }
            let watch = try await MessageWatch(broker)
            try await watch.until(stranger) { $0.contains("old") }
        }
    }

    @Test func `the token of another client is refused once`() async throws {
        try await ServedHost.with { host in
            let broker = try Self.startedBroker()
            try await host.fillTemperatures()
            for token in [
                try await host.client("curl", allow: ["sensor:temperature"]), host.owner, "nvs_x",
            ] {
                try await host.publishing(at: broker, token: token) { watch in
                    try await watch.until(Self.topics.status) { $0 == "online" }
                    #expect(watch.last(Self.announcement()) == nil)
                }
            }
        }
    }
}

extension ServedHost {
    static let homeAssistantTopics = DeviceAnnouncement.Topics(
        prefix: "homeassistant", host: "test")

    /// Runs `body` while the publisher for Home Assistant runs.
    func publishing(
        at broker: TestBroker, token: String?, _ body: (MessageWatch) async throws -> Void
    ) async throws {
        let watch = try await MessageWatch(broker)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let time = FastTime(clock: clock)
        let publisher = HomeAssistantPublisher(
            broker: MQTTBroker(host: "127.0.0.1", port: broker.port),
            topics: Self.homeAssistantTopics, version: "1.2.3", authority: authority,
            machine: machine,
            engine: AnalyticsEngine(machine, log: authority.log, time: time),
            time: time, logger: logger
        ) { token }
        let task = Task { await publisher.run() }
        do {
            try await body(watch)
        } catch {
            task.cancel()
            await task.value
            throw error
        }
        task.cancel()
        await task.value
    }
}

/// A clock that a test sets, with waits of a few milliseconds.
private struct FastTime: TimeSource {
    let clock: TestClock

    func now() -> Timestamp { clock.now }

    func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: .milliseconds(20))
    }
}
