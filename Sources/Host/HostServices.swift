import API
import Alerts
package import AppRuns
package import Auth
import Backup
import Connectors
import DBus
import Egress
import Files
import Foundation
import Health
import Hummingbird
package import JSApps
import LAE
package import Logging
import NIOCore
import NIOPosix
import Provider
import RunnerProtocol
import Samples
import Scheduling
import Sealing
package import ServiceLifecycle
import Sessions
import Synchronization
package import UnixSignals
package import VM

/// The composition root: creates every component once and passes each its dependencies.
///
/// ```swift
/// let services = try await HostServices(
///     paths: paths, roots: SystemRoots(), isLongRunning: true, logger: logger)
/// let group = try services.group(
///     collects: true, socket: paths.controlSocket, tcp: try LoopbackPort(8080)) { _ in }
/// try await group.run()
/// ```
package struct HostServices: Sendable {
    private static let shutdownLimit = Duration.seconds(8)
    /// The maximum number of concurrent TCP connections, which leaves descriptors for everything else.
    private static var connections: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return 512
        }
        return Int(min(limit.rlim_cur / 2, 2048))
    }

    package let paths: HostPaths
    package let machine: VirtualMachine
    package let authority: Authority
    package let library: AppLibrary
    package let supervisor: RunSupervisor
    private let provider: Provider
    private let settings: HostSettings
    /// The flush interval of the command line, which takes precedence over the configuration's.
    private let flush: Duration?
    private let outbox: Outbox
    private let alerts: AlertEngine
    private let lock: OwnerLock
    /// `nil` unless the configuration names a token for it.
    private let homeAssistant: HomeAssistantPublisher?
    private let port: ListeningPort
    private let isLongRunning: Bool
    private let logger: Logger

    /// Locks the data directory and opens the files in it; no service runs yet.
    ///
    /// - Parameters:
    ///   - isLongRunning: whether the host serves more than one command, and so keeps a spare
    ///     runner and retries uploads.
    ///   - setup: replaces the machine's sensors and clock.
    ///   - flush: the longest time that a collected sample waits to be written; `nil` for the time in the
    ///     configuration.
    package init(
        paths: HostPaths, roots: SystemRoots, isLongRunning: Bool, setup: VirtualSetup? = nil,
        flush: Duration? = nil, logger: Logger
    ) async throws {
        let configuration = try Configuration(path: paths.configuration)
        let policy = try Policy(files: paths.policies)
        let settings = HostSettings(configuration)
        self.paths = paths
        self.settings = settings
        self.isLongRunning = isLongRunning
        self.flush = flush
        self.logger = logger
        let clock = setup?.clock
        let now: @Sendable () -> Timestamp = { clock?.now ?? .now() }
        let time = HostTime(clock: clock)
        try await Self.prepareUpgrade(of: paths.data, logger)
        lock = OwnerLock(folder: paths.data, credential: paths.ownerCredential, time: time)
        let secrets = SecretStore(
            folder: paths.data, lock: lock, credential: paths.secretsCredential, time: time)
        for fault in [lock.fault, secrets.fault].compactMap(\.self) {
            logger.error("\(fault.message)", metadata: ["fix": "\(fault.hint ?? "")"])
        }
        let sourceSecrets = SourceSecrets(secrets)
        let packs = SensorPackStore(
            folder: paths.sensorPacks, devices: roots.dev, secrets: sourceSecrets)
        machine = try await VirtualMachine.start(
            in: paths.data,
            drivers: setup?.drivers
                ?? Self.drivers(
                    roots, configuration, packs, sourceSecrets),
            // Recorded and simulated sensors are reproducible only without derived ones.
            derivers: setup == nil ? [DerivedDriver()] : [],
            flushInterval: flush ?? configuration.flush, time: time, logger: logger)
        DurableFile.removeDrafts(in: paths.sensorPacks)
        DurableFile.removeDrafts(in: paths.catalogues)
        authority =
            setup == nil
            ? try await Authority(
                path: paths.permissions, policy: policy, logBudget: configuration.accessLogBudget,
                storageLimit: configuration.budgets.total.disk / 2, logger: logger)
            // In virtual time the owner cannot answer.
            : try await Authority(
                path: paths.permissions, policy: policy, time: time, timeLimit: .zero,
                logger: logger)
        if let fault = authority.storageFault {
            logger.error(
                "\(fault.message)", metadata: ["fix": "\(fault.hint ?? "")"])
        }
        let sessions = try SessionBook(path: paths.sessions, now: now)
        if let damaged = sessions.setAside {
            logger.error(
                "the database of sessions was damaged: it was renamed, and an empty one created",
                metadata: ["file": "\(damaged)"])
        }
        let health = try HealthStore(
            path: paths.health,
            key: HealthKeyPlace(path: paths.healthKey, credential: paths.healthCredential),
            now: now)
        if let fault = health.fault {
            logger.error("\(fault.message)", metadata: ["fix": "\(fault.hint ?? "")"])
        }
        let log = authority.log
        outbox = try Outbox(
            folder: paths.outbox, uploader: HTTPUploader(userAgent: "nervous/\(Release.version)"),
            logger: logger
        ) { await log.record(sendingTo: $0, bytes: $1) }
        // A missing unpacker is reported only when an archive is to be unpacked.
        let unpacker = ArchiveUnpacker(program: try? CompanionProgram.unpacker.path())
        var limits = configuration.packages
        limits.installedBytes = configuration.budgets.total.disk / 2
        library = try await AppLibrary.open(
            at: setup?.apps ?? paths.apps, limits: limits, unpacker: unpacker,
            keys: KeyFolder(data: paths.data))
        // A run in virtual time does not wait for an answer.
        if setup == nil { await Self.use(configuration.policyBroker, authority, library) }
        let port = ListeningPort()
        self.port = port
        let scheduler = setup == nil ? nil : StreamScheduler()
        var virtualTime: VirtualTime?
        if let setup, let scheduler {
            virtualTime = VirtualTime(setup, machine, authority, scheduler)
            // Gives the sensors their values at the start.
            let start = setup.clock.start
            let past = (setup.historyStart ?? start).advanced(byMicroseconds: -1)
            try await machine.play(after: past, through: start)
        }
        // Runs in virtual time have the same output on all machines.
        let zone = AppTimeZone(
            variable: ProcessInfo.processInfo.environment["TZ"],
            otherwise: setup == nil ? .system : .utc)
        supervisor = RunSupervisor(
            runner: (try? CompanionProgram.runner.path()) ?? CompanionProgram.runner.rawValue,
            library: library, authority: authority, prelude: Provider.prelude,
            libraries: CompanionScript.libraries, records: paths.runs,
            budget: {
                let given = settings.budget(of: $0)
                return setup?.budget(given) ?? given
            }, totalBudget: configuration.budgets.total, keepsSpare: isLongRunning, zone: zone,
            pool: setup?.pool, virtualTime: virtualTime,
            logger: logger)
        let outbound = OutboundClient(
            userAgent: "Nervous/\(Release.version)",
            rule: .apps(ownPorts: { Set([port.number, port.local?.port].compactMap(\.self)) }))
        alerts = await AlertEngine(
            path: paths.alerts,
            source: AlertSamples(machine, authority: authority, time: time),
            channels: AlertActions(
                authority: authority, outbound: outbound, supervisor: supervisor),
            time: time, logger: logger)
        if let fault = alerts.fault {
            logger.error("\(fault.message)", metadata: ["fix": "\(fault.hint ?? "")"])
        }
        let engine = AnalyticsEngine(machine, log: authority.log, time: time)
        homeAssistant =
            isLongRunning && setup == nil
            ? configuration.mqtt?.publisher(
                authority, machine, engine, paths, sourceSecrets, logger) : nil
        let services = Provider.Services(
            authority: authority, machine: machine, engine: engine, sessions: sessions,
            health: health, outbox: outbox, library: library, supervisor: supervisor,
            packs: packs,
            archives: SensorPackArchive(limits: configuration.packages, unpacker: unpacker),
            catalogues: CatalogueStore(folder: paths.catalogues),
            trackArchive: TrackArchive(unpacker: unpacker),
            alerts: alerts, lock: lock, secrets: secrets, outbound: outbound,
            downloader: Downloader(userAgent: "nervous/\(Release.version)"),
            libraries: SystemLibraries(folder: configuration.libraries),
            tiles: configuration.tiles.map { MapTiles(folder: $0) })
        provider = Provider(
            services,
            host: HostInformation(
                version: Release.version, dataDirectory: paths.data, port: { port.number },
                localNetwork: { port.local?.site },
                checks: HostChecks(paths: paths, roots: roots)),
            time: time, scheduler: scheduler, logger: logger)
        await supervisor.open(setup?.wrapConnection(provider.connection) ?? provider.connection)
    }

    /// Refuses files of a later version, and copies the databases that are about to be migrated.
    private static func prepareUpgrade(of data: String, _ logger: Logger) async throws {
        let prepared = try await DataFormats.current.prepareUpgrade(of: data)
        for copy in prepared.copies {
            logger.notice("copied a database before migrating it", metadata: ["copy": "\(copy)"])
        }
        for (path, reason) in prepared.failures {
            logger.warning(
                "a database is migrated without a copy",
                metadata: ["file": "\(path)", "error": "\(reason)"])
        }
    }

    /// The drivers of the sensors of this machine and of its sensor packs.
    private static func drivers(
        _ roots: SystemRoots, _ configuration: Configuration, _ packs: SensorPackStore,
        _ secrets: SourceSecrets
    ) -> [any SensorDriver] {
        var drivers = DriverCatalogue.standard(roots: roots, nut: configuration.nut)
        drivers += [
            packs, configuration.gpsd.driver,
            SystemBusDriver(roots: roots, usesGeoClue: configuration.geoclue),
        ]
        if let broker = configuration.mqtt { drivers.append(broker.driver(secrets)) }
        return drivers
    }

    /// Makes the host ask the policy broker of the configuration, or none.
    private static func use(
        _ section: PolicyBrokerSection?, _ authority: Authority, _ library: AppLibrary
    ) async {
        let broker = section.map { section in
            SocketPolicyBroker(section) { name in try? await library.app(named: name) }
        }
        await authority.use(broker, within: section?.policy ?? BrokerPolicy())
    }

    /// Reads the configuration and the policy again, and applies the policy, the policy broker, the budgets
    /// of apps and of the access log, and the flush interval.
    ///
    /// Runs keep the budgets that they began with.
    ///
    /// - Returns: the sections of the configuration whose changes take effect after a restart.
    /// - Throws: `CommandFailure` with code `configuration`, and then nothing has changed.
    package func reload() async throws(CommandFailure) -> [String] {
        let configuration = try Configuration(path: paths.configuration)
        let policy = try Policy(files: paths.policies)
        await authority.apply(policy)
        await Self.use(configuration.policyBroker, authority, library)
        await authority.log.keep(budget: configuration.accessLogBudget)
        await machine.setFlushInterval(flush ?? configuration.flush)
        await machine.flush()
        return settings.apply(configuration)
    }

    /// Prepares the listener for the local network; `nil` if it is off.
    ///
    /// - Parameter port: the port, which also turns the listener on; `nil` for the port in the
    ///   configuration.
    /// - Throws: `CommandFailure` if it cannot listen.
    package func localNetworkListener(
        port: Int?
    ) throws(CommandFailure) -> LocalNetworkListener? {
        var section = settings.localNetwork
        if let port {
            section = section ?? LocalNetworkSection()
            section?.port = port
        }
        guard let section else { return nil }
        return try LocalNetworkListener(section, keys: paths.localNetwork)
    }

    /// Closes everything, if no service group ran.
    package func close() async {
        await supervisor.close()
        await machine.close()
    }

    /// All services, in the order in which they start; they stop in reverse.
    ///
    /// - Parameters:
    ///   - collects: whether sensors are read.
    ///   - socket: the path of the control socket.
    ///   - tcp: the port on loopback; `nil` for none.
    ///   - localNetwork: the listener for phones; `nil` for none.
    ///   - signals: the signals that shut the group down gracefully.
    ///   - onReady: called with the port when all servers listen.
    package func group(
        collects: Bool, socket: String, tcp: LoopbackPort?,
        localNetwork: LocalNetworkListener? = nil, signals: [UnixSignal] = [],
        onReady: @escaping @Sendable (Int?) async -> Void
    ) throws -> ServiceGroup {
        try RuntimeFolder(of: socket).prepare()
        unlink(socket)
        port.number = tcp?.number
        port.local = localNetwork
        let addresses = tcp?.addresses ?? []
        // Commands find a host by its socket, so the host is ready only when the socket listens, too.
        let waiting = Countdown(
            from: 1 + addresses.count + (localNetwork?.addresses.count ?? 0))
        // The owner's commands may wait for a pager for any length of time.
        let control = provider.server(at: .unixDomainSocket(path: socket), limits: .unlimited) {
            _ in
            chmod(socket, 0o600)
            if waiting.finishOne() { await onReady(tcp?.number) }
        }
        // Without a name, the group describes the whole service by reflection.
        typealias Named = ServiceGroupConfiguration.ServiceConfiguration
        var services: [Named] = []
        func add(_ name: String, _ service: any Service) {
            services.append(Named(service: service, serviceName: name))
        }
        add("store", StoreService(machine: machine, collects: collects))
        add("lock", LockService(lock: lock))
        add("access log", AccessLogService(authority: authority, isLongRunning: isLongRunning))
        add("runs", RunService(supervisor: supervisor, isLongRunning: isLongRunning))
        if isLongRunning {
            add("outbox", OutboxService(outbox: outbox))
            add("alerts", AlertService(engine: alerts))
        }
        if let homeAssistant {
            add("Home Assistant", HomeAssistantService(publisher: homeAssistant))
        }
        let bus = DesktopMessages.address(in: ProcessInfo.processInfo.environment)
        add(
            "desktop",
            DesktopService(
                board: authority.noticeBoard, desktop: bus.map { DesktopMessages(address: $0) },
                logger: logger))
        add("control socket", control)
        if let tcp {
            // Each address has its own share of the connections, so that too many connections to one address
            // cannot block the other.
            let limits = ConnectionLimits(connections: Self.connections / addresses.count)
            for address in addresses {
                add(
                    "server",
                    provider.server(at: .hostname(address, port: tcp.number), limits: limits) { _ in
                        if waiting.finishOne() { await onReady(tcp.number) }
                    })
            }
        }
        if let localNetwork {
            let limits = ConnectionLimits(
                connections: LocalNetworkListener.connections / localNetwork.addresses.count)
            for address in localNetwork.addresses {
                add(
                    "server of the local network",
                    provider.localNetworkServer(
                        at: .hostname(address, port: localNetwork.port), limits: limits,
                        certificate: localNetwork.certificate
                    ) { _ in
                        if waiting.finishOne() { await onReady(tcp?.number) }
                    })
            }
        }
        if isLongRunning, let watchdog { add("watchdog", watchdog) }
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: signals, logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.shutdownLimit
        return ServiceGroup(configuration: configuration)
    }
}

extension HostServices {
    /// Notifies systemd that the host works; `nil` unless systemd watches this process.
    private var watchdog: SystemdWatchdog? {
        let (machine, log) = (machine, authority.log)
        // An error is an answer, too.
        var parts = [
            SystemdWatchdog.Part(name: "the store") { await machine.answer() },
            SystemdWatchdog.Part(name: "the access log") { _ = try? await log.size() },
        ]
        for (number, loop) in MultiThreadedEventLoopGroup.singleton.makeIterator().enumerated() {
            parts.append(
                SystemdWatchdog.Part(name: "event loop \(number)") {
                    _ = try? await loop.submit {}.get()
                })
        }
        return SystemdWatchdog(
            parts, environment: ProcessInfo.processInfo.environment, logger: logger)
    }
}

/// Counts the servers that do not listen yet.
private final class Countdown: Sendable {
    private let count: Mutex<Int>

    init(from start: Int) {
        count = Mutex(start)
    }

    /// Counts one server that listens.
    ///
    /// - Returns: whether it was the last one.
    func finishOne() -> Bool {
        count.withLock {
            $0 -= 1
            return $0 == 0
        }
    }
}

/// The configuration that the host started with, and the current budgets.
private final class HostSettings: Sendable {
    private let start: Configuration
    private let budgets: Mutex<BudgetTable>

    init(_ configuration: Configuration) {
        start = configuration
        budgets = Mutex(configuration.budgets)
    }

    /// The listener for the local network; `nil` for none.
    var localNetwork: LocalNetworkSection? { start.localNetwork }

    func budget(of app: String) -> RunBudget { budgets.withLock { $0[app] } }

    /// - Returns: the sections that differ from those at the start, apart from the budgets.
    func apply(_ configuration: Configuration) -> [String] {
        budgets.withLock { $0 = configuration.budgets }
        return [
            ("packages", start.packages != configuration.packages),
            ("budgets.total", start.budgets.total != configuration.budgets.total),
            ("libraries", start.libraries != configuration.libraries),
            ("tiles", start.tiles != configuration.tiles),
            ("mqtt", start.mqtt != configuration.mqtt), ("gpsd", start.gpsd != configuration.gpsd),
            ("geoclue", start.geoclue != configuration.geoclue),
            ("lan", localNetwork != configuration.localNetwork),
        ].filter { $0.1 }.map { $0.0 }
    }
}

/// The TCP ports of the servers, known once the service group has been made.
private final class ListeningPort: Sendable {
    private let value = Mutex<Int?>(nil)
    private let listener = Mutex<LocalNetworkListener?>(nil)

    /// The port on loopback.
    var number: Int? {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }

    /// The listener for the local network.
    var local: LocalNetworkListener? {
        get { listener.withLock { $0 } }
        set { listener.withLock { $0 = newValue } }
    }
}

/// The clock of a host: the machine's, or that of a virtual run.
private struct HostTime: TimeSource {
    let clock: VirtualClock?

    func now() -> Timestamp { clock?.now ?? .now() }

    func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration)
    }
}
