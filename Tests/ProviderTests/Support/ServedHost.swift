import API
import Addresses
import Alerts
import AppRuns
import Auth
import Connectors
import Egress
import Foundation
import Health
import Hummingbird
import JSApps
import LAE
import Logging
import NIOCore
import NIOSSL
import Samples
import Scheduling
import Sealing
import ServiceLifecycle
import Sessions
import Synchronization
import TestSupport
import VM

@testable import Provider

/// A complete host in a temporary folder that listens on a free port: only its sensors are
/// simulated.
struct ServedHost: Sendable {
    /// The maximum number of objects of one client in the health store.
    static let healthLimit = 300

    let authority: Authority
    let machine: VirtualMachine
    let library: AppLibrary
    let supervisor: RunSupervisor
    let provider: Provider
    let outbox: Outbox
    let alerts: AlertEngine
    let port: Int
    let folder: URL
    /// The clock of the authority and the sensors.
    let clock: TestClock
    private let feed: SampleFeed

    /// Runs `body` with a host when a slot is free, and removes the host afterwards.
    ///
    /// - Parameters:
    ///   - isLive: whether the virtual machine uses the system's clock and timers, as for collecting; by
    ///     default its clock is the test's, and its waits end at once.
    ///   - localNetwork: the listener for the local network that the host says it has.
    ///   - checks: those of `nervous doctor` that the host makes.
    ///   - derivers: compute further sensors from those of the test.
    ///   - connection: wraps the connection of the apps.
    ///   - sleep: how live sessions wait for the next second.
    static func with<T: Sendable>(
        heartbeat: Duration = .seconds(3600), knowsPort: Bool = true, isLive: Bool = false,
        budget: @escaping @Sendable (String) -> RunBudget = { _ in RunBudget() },
        restarts: RestartPolicy = RestartPolicy(), keepsSpare: Bool = false,
        prelude: [RunScript] = Provider.prelude,
        trust: [NIOSSLCertificate] = [], limits: ConnectionLimits = ConnectionLimits(),
        derivers: [any SensorDeriver] = [], localNetwork: LocalNetworkDescription? = nil,
        checks: HostChecks = .none,
        connection: @Sendable (any HostConnection) -> any HostConnection = { $0 },
        sleep: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        },
        _ body: @Sendable (ServedHost) async throws -> T
    ) async throws -> T {
        await AsyncSemaphore.hosts.enter()
        do {
            let result = try await made(
                heartbeat: heartbeat, knowsPort: knowsPort, isLive: isLive, budget: budget,
                restarts: restarts,
                keepsSpare: keepsSpare, prelude: prelude, trust: trust, limits: limits,
                derivers: derivers, localNetwork: localNetwork, checks: checks,
                connection: connection, sleep: sleep, body)
            await AsyncSemaphore.hosts.leave()
            return result
        } catch {
            await AsyncSemaphore.hosts.leave()
            throw error
        }
    }

    private static func made<T: Sendable>(
        heartbeat: Duration, knowsPort: Bool, isLive: Bool,
        budget: @escaping @Sendable (String) -> RunBudget,
        restarts: RestartPolicy, keepsSpare: Bool, prelude: [RunScript],
        trust: [NIOSSLCertificate], limits: ConnectionLimits, derivers: [any SensorDeriver],
        localNetwork: LocalNetworkDescription?, checks: HostChecks,
        connection: @Sendable (any HostConnection) -> any HostConnection,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        _ body: @Sendable (ServedHost) async throws -> T
    ) async throws -> T {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "host-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.path(percentEncoded: false)
        defer {
            // Installed folders are read-only: only root can remove their contents.
            for name in (FileManager.default.subpaths(atPath: path) ?? []) {
                let type = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)[
                    .type]
                if type as? FileAttributeType == .typeDirectory { chmod(path + "/" + name, 0o700) }
            }
            try? FileManager.default.removeItem(at: folder)
        }
        let (clock, feed, port) = (TestClock(), SampleFeed(), Port())
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        let logger = quiet
        let packs = SensorPackStore(folder: path + "/packs")
        let machine = try await VirtualMachine.start(
            in: path + "/data", drivers: [FeedDriver(feed: feed), packs], derivers: derivers,
            time: isLive ? SystemTime() : HostTime(clock: clock, pause: { _ in }),
            logger: logger)
        let authority = try await Authority(
            path: path + "/permissions.sqlite", time: TestWallClock(clock: clock),
            logger: logger)
        let unpacker = ArchiveUnpacker(program: BuiltProgram.path("nervous-unpacker"))
        let library = try await AppLibrary.open(
            at: folder.appending(path: "apps"), unpacker: unpacker,
            keys: KeyFolder(data: path))
        let supervisor = RunSupervisor(
            runner: BuiltProgram.path("nervous-runner"), library: library, authority: authority,
            prelude: prelude, records: folder.appending(path: "runs"),
            budget: budget, restarts: restarts, keepsSpare: keepsSpare,
            time: TestWallClock(clock: clock), logger: logger)
        let log = authority.log
        let outbox = try Outbox(
            folder: path + "/outbox", uploader: PathUploader(), time: OutboxTime(clock: clock),
            logger: logger
        ) { await log.record(sendingTo: $0, bytes: $1) }
        let outbound = OutboundClient(
            userAgent: "Nervous/test",
            rule: .apps(ownPorts: { Set([port.number].compactMap { $0 }) }),
            resolver: NoNames(), trustRoots: .certificates(trust))
        let alertTime = TestWallClock(clock: clock)
        let alerts = await AlertEngine(
            path: path + "/alerts.sqlite",
            source: AlertSamples(machine, authority: authority, time: alertTime),
            channels: AlertActions(
                authority: authority, outbound: outbound, supervisor: supervisor),
            time: alertTime, jitter: { 0 }, logger: logger)
        let lock = OwnerLock(
            folder: path, costs: Argon2idCosts(memory: 64, passes: 1, lanes: 1),
            time: TestWallClock(clock: clock))
        let services = Provider.Services(
            authority: authority, machine: machine,
            engine: AnalyticsEngine(
                machine, log: authority.log, time: HostTime(clock: clock, pause: sleep)),
            sessions: try SessionBook(path: path + "/sessions.sqlite", now: { clock.now }),
            health: try HealthStore(
                path: path + "/health.sqlite", key: HealthKeyPlace(path: path + "/health.key"),
                limit: Self.healthLimit, now: { clock.now }),
            outbox: outbox, library: library, supervisor: supervisor,
            packs: packs,
            archives: SensorPackArchive(limits: library.limits, unpacker: unpacker),
            catalogues: CatalogueStore(folder: path + "/catalogues"),
            trackArchive: TrackArchive(unpacker: unpacker),
            alerts: alerts,
            lock: lock,
            secrets: SecretStore(
                folder: path, lock: lock, time: TestWallClock(clock: clock)),
            outbound: outbound, downloader: Downloader(userAgent: "nervous/test"),
            tiles: MapTiles(folder: path + "/tiles"))
        let provider = Provider(
            services,
            host: HostInformation(
                version: "1.2.3", dataDirectory: path, port: { knowsPort ? port.number : nil },
                localNetwork: { localNetwork.map(LocalNetworkSite.init) }, checks: checks),
            heartbeat: heartbeat, time: HostTime(clock: clock, pause: sleep), logger: logger)
        await supervisor.open(connection(provider.connection))
        let (listening, signal) = AsyncStream.makeStream(of: Int.self)
        let server = provider.server(at: .hostname("127.0.0.1", port: 0), limits: limits) { taken in
            port.number = taken
            signal.yield(taken)
            signal.finish()
        }
        let serviceGroup = ServiceGroup(
            configuration: .init(services: [.init(service: server)], logger: logger))
        let result = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { signal.finish() }
                try await serviceGroup.run()
            }
            var taken = 0
            for await number in listening { taken = number }
            let host = ServedHost(
                authority: authority, machine: machine, library: library,
                supervisor: supervisor, provider: provider, outbox: outbox,
                alerts: alerts,
                port: taken, folder: folder, clock: clock, feed: feed)
            do {
                let result = try await body(host)
                await serviceGroup.triggerGracefulShutdown()
                try await group.waitForAll()
                return result
            } catch {
                await serviceGroup.triggerGracefulShutdown()
                throw error
            }
        }
        await supervisor.close()
        await machine.close()
        return result
    }

    /// Sends a call on a new connection.
    func send(_ call: Call) async throws -> Answer {
        let bytes = call.bytes(standardHost: "localhost:\(port)")
        return try Answer(parsing: await raw(bytes), isHead: call.method == "HEAD")
    }

    /// Sends bytes unchanged and receives until the server closes.
    func raw(_ bytes: [UInt8]) async throws -> [UInt8] {
        try await TCPConnection.with(port: port) { reader, writer in
            // A server that rejects early may close before it has read everything.
            try? await writer.write(ByteBuffer(bytes: bytes))
            return await reader.rest()
        }
    }

    /// The supervisor of the next host on the same data, after this one's was closed.
    func nextSupervisor() -> RunSupervisor {
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        return RunSupervisor(
            runner: BuiltProgram.path("nervous-runner"), library: library, authority: authority,
            prelude: Provider.prelude, records: folder.appending(path: "runs"),
            time: TestWallClock(clock: clock), logger: quiet)
    }

    /// Adds a sample to a sensor.
    func collect(_ sensor: SensorID, _ values: [Value], at time: Timestamp? = nil) async {
        let now = clock.now
        if let time { clock.now = time }
        feed.put(values, to: sensor)
        await machine.collectOnce()
        clock.now = now
    }

    /// Removes the hardware of a sensor, whose samples stay.
    func unplug(_ sensor: SensorID) async throws {
        feed.unplug(sensor)
        try await machine.lookForSensors()
    }

    /// The token of a client with the privileges of `allow`.
    func client(_ name: String = "curl", allow: [String] = []) async throws -> String {
        let token = try await authority.createClient(name, isOwner: false, expires: nil)
        for text in allow { try await decide(.allowAlways, text, by: name) }
        return token.text
    }

    func decide(_ decision: Decision, _ privilege: String, by client: String) async throws {
        guard let id = PrivilegeID(privilege) else { throw Answer.NotHTTP(text: privilege) }
        try await authority.decide(decision, on: id, by: client)
    }

    var owner: String { authority.ownerToken.text }

    /// Resolves no names, so that tests do not depend on DNS.
    private struct NoNames: NameResolver {
        func addresses(
            of name: String, within limit: Duration
        ) async throws(EgressError) -> [IPAddress] { [] }
    }

    private final class Port: Sendable {
        private let value = Mutex<Int?>(nil)
        var number: Int? {
            get { value.withLock { $0 } }
            set { value.withLock { $0 = newValue } }
        }
    }
}

/// The time of a served host: a clock and a timer that a test controls.
private struct HostTime: TimeSource {
    let clock: TestClock
    let pause: @Sendable (Duration) async throws -> Void

    func now() -> Timestamp { clock.now }

    func sleep(for duration: Duration) async throws {
        try await pause(duration)
    }
}
