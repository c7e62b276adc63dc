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
    private static let topics = DeviceAnnouncement.Topics(prefix: "homeassistant", host: "test")
    private static let client = HomeAssistantPublisher.clientName
    private static let attic: SensorID = "temperature.attic"
    private static let values = "nervous/test/temperature.attic/values"

    /// Runs `body` while the publisher runs.
    private static func publishing(
        _ host: ServedHost, at broker: TestBroker, token: String?,
        _ body: (MessageWatch) async throws -> Void
    ) async throws {
        let watch = try await MessageWatch(broker)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let time = FastTime(clock: host.clock)
        let publisher = HomeAssistantPublisher(
            broker: MQTTBroker(host: "127.0.0.1", port: broker.port), topics: topics,
            version: "1.2.3", authority: host.authority, machine: host.machine,
            engine: AnalyticsEngine(host.machine, log: host.authority.log, time: time),
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

    private static func startedBroker() throws -> TestBroker {
        let broker = try TestBroker()
        try broker.start()
        return broker
    }

    private static func announcement(_ sensor: SensorID = attic) -> String {
        topics.announcement(of: sensor)
    }

    @Test(arguments: GrantTermCase.all)
    func `Home Assistant is shown what the native route shows`(term: GrantTermCase) async throws {
        try await ServedHost.with { host in
            let broker = try Self.startedBroker()
            try await host.fillTemperatures()
            let token = try await host.client(Self.client)
            let other = try await host.client("native")
            for client in [Self.client, "native"] { try await host.decide(term, by: client) }
            let native = try await host.nativeView(of: Self.attic.description, token: other)
            try await Self.publishing(host, at: broker, token: token) { watch in
                // The publisher is online after its first look at all sensors.
                try await watch.until(Self.topics.status) { $0 == "online" }
                let cellar = Self.announcement("temperature.cellar")
                if let latest = native.latest {
                    let text = try await watch.until(Self.values) { _ in true }
                    let members = try StrictJSON().parse(Array(text.utf8)).object ?? []
                    let shown = Dictionary(
                        uniqueKeysWithValues: members.map { ($0.key, $0.value.text()) })
                    let wanted = latest.values.filter { $0.key != "age" && $0.key != "stale" }
                    #expect(shown == wanted.mapValues { $0.text() })
                    try await watch.until(Self.announcement()) { $0.contains("°C") }
                    #expect((watch.last(cellar) == nil) == term.excludesCellar)
                } else {
                    #expect(watch.last(Self.announcement()) == nil)
                    #expect(watch.last(cellar) == nil)
                    #expect(watch.last(Self.values) == nil)
                }
            }
            let lines = try await host.accessLines(of: Self.client)
            let read = AccessLine(
                kind: .access, sensor: Self.attic, access: .raw, operation: "latest")
            #expect(lines.contains(read) == (native.latest != nil))
        }
    }

    @Test(arguments: GrantRevocation.allCases)
    func `a revocation removes the announcement`(revocation: GrantRevocation) async throws {
        try await ServedHost.with { host in
            let broker = try Self.startedBroker()
            try await host.fillTemperatures()
            let token = try await host.client(Self.client, allow: ["sensor:temperature"])
            try await Self.publishing(host, at: broker, token: token) { watch in
                try await watch.until(Self.announcement()) { $0.contains("temperature") }
                try await revocation.apply(to: host, client: Self.client)
                try await watch.until(Self.announcement()) { $0.isEmpty }
                try await watch.until(Self.announcement("temperature.cellar")) { $0.isEmpty }
            }
        }
    }

    @Test func `new samples are published once, and the host says when it stops`() async throws {
        try await ServedHost.with { host in
            let broker = try Self.startedBroker()
            try await host.fillTemperatures()
            let token = try await host.client(Self.client, allow: ["sensor:temperature.attic"])
            try await Self.publishing(host, at: broker, token: token) { watch in
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
            try await Self.publishing(host, at: broker, token: token) { watch in
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
                try await Self.publishing(host, at: broker, token: token) { watch in
                    try await watch.until(Self.topics.status) { $0 == "online" }
                    #expect(watch.last(Self.announcement()) == nil)
                }
            }
        }
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
