import AppRuns
import Auth
import Connectors
import DBus
import Egress
import Files
import Foundation
import Hummingbird
import JSApps
import LAE
import Logging
import NIOCore
import Provider
import Samples
import Scheduling
import ServiceLifecycle
import Sessions
import UnixSignals
import VM

/// The composition root: makes every part once and hands each what it needs.
struct HostServices: Sendable {
    private static let shutdownLimit = Duration.seconds(8)

    let paths: HostPaths
    let machine: VirtualMachine
    let authority: Authority
    let library: AppLibrary
    let supervisor: RunSupervisor
    private let provider: Provider
    private let outbox: Outbox
    private let port: ListeningPort
    private let isLasting: Bool
    private let logger: Logger

    /// Takes the data directory and opens everything in it; nothing runs yet.
    ///
    /// - Parameters:
    ///   - isLasting: whether it is meant for more than one command, so that what the next
    ///   one needs is kept ready.
    ///   - setup: sensors and a clock in the place of the machine's.
    init(
        paths: HostPaths, roots: SystemRoots, isLasting: Bool, setup: VirtualSetup? = nil,
        logger: Logger
    ) async throws {
        let configuration = try Configuration(path: paths.configuration)
        let policy = try Policy(files: paths.policies)
        self.paths = paths
        self.isLasting = isLasting
        self.logger = logger
        let clock = setup?.clock
        let now: @Sendable () -> Timestamp = { clock?.now ?? .now() }
        let time = HostTime(clock: clock)
        let packs = SensorPackStore(folder: paths.sensorPacks)
        machine = try await VirtualMachine.start(
            in: paths.data,
            drivers: setup?.drivers ?? Self.drivers(roots, configuration, packs),
            // What is played has its own steps, and the same each time.
            derivers: setup == nil ? [DerivedDriver()] : [],
            time: time, logger: logger)
        DurableFile.removeDrafts(in: paths.sensorPacks)
        if let clock {
            // In virtual time calls do not wait for the owner.
            authority = try await Authority(
                path: paths.permissions, policy: policy, time: VirtualWallClock(clock: clock),
                patience: .zero, logger: logger)
        } else {
            authority = try await Authority(
                path: paths.permissions, policy: policy, logger: logger)
        }
        let sessions = try SessionBook(path: paths.sessions, now: now)
        if let damaged = sessions.setAside {
            logger.error(
                "the book of sessions was damaged: it is set aside, and an empty one is begun",
                metadata: ["file": "\(damaged)"])
        }
        let log = authority.log
        outbox = try Outbox(
            folder: paths.outbox, uploader: HTTPUploader(userAgent: "nervous/\(Version.number)"),
            logger: logger
        ) { await log.record(sendingTo: $0, bytes: $1) }
        // Whoever installs nothing needs no unpacker, and is told only when an archive comes.
        let unpacker = Unpacker(program: try? CompanionProgram.unpacker.path())
        library = try await AppLibrary.open(
            at: setup?.apps ?? paths.apps, limits: configuration.packages, unpacker: unpacker,
            keys: KeyFolder(data: paths.data))
        let port = ListeningPort()
        self.port = port
        let turns = setup == nil ? nil : StreamTurns()
        var virtualTime: VirtualTime?
        if let setup, let turns {
            virtualTime = VirtualTime(setup, machine, authority, turns)
            // What a sensor shows when it all begins.
            let start = setup.clock.start
            let past = (setup.past ?? start).advanced(byMicroseconds: -1)
            try await machine.play(after: past, through: start)
        }
        supervisor = RunSupervisor(
            runner: (try? CompanionProgram.runner.path()) ?? CompanionProgram.runner.rawValue,
            library: library, authority: authority, prelude: Provider.prelude,
            libraries: CompanionScript.libraries, records: paths.runs,
            budget: {
                let given = configuration.budgets[$0]
                return setup?.budget(given) ?? given
            }, keepsSpare: isLasting, pool: setup?.pool, virtualTime: virtualTime, logger: logger)
        provider = Provider(
            authority: authority, machine: machine,
            engine: AnalyticsEngine(machine, log: authority.log, time: time), sessions: sessions,
            outbox: outbox, library: library, supervisor: supervisor,
            facts: HostFacts(
                version: Version.number, dataDirectory: paths.data, port: { port.number }),
            packs: packs,
            archives: SensorPackArchive(limits: configuration.packages, unpacker: unpacker),
            outbound: OutboundClient(
                userAgent: "Nervous/\(Version.number)",
                rule: .apps(ownPorts: { Set([port.number].compactMap { $0 }) })),
            libraries: SystemLibraries(folder: configuration.libraries),
            now: now, time: time, turns: turns,
            logger: logger)
        await supervisor.open(setup?.between(provider.connection) ?? provider.connection)
    }

    /// What finds the sensors of this machine, and those outside it.
    private static func drivers(
        _ roots: SystemRoots, _ configuration: Configuration, _ packs: SensorPackStore
    ) -> [any SensorDriver] {
        var drivers = DriverCatalogue.standard(roots: roots)
        drivers += [packs, configuration.gpsd.driver]
        if let broker = configuration.mqtt { drivers.append(broker.driver) }
        return drivers
    }

    /// Lets go of everything, where no group of services does it.
    func close() async {
        await supervisor.close()
        await machine.close()
    }

    /// Everything that runs, in the order of starting; stopped in reverse.
    ///
    /// - Parameters:
    ///   - collects: whether sensors are read.
    ///   - socket: where commands reach it.
    ///   - tcpPort: where to listen on loopback; 0 for any free port, `nil` for not at all.
    ///   - signals: those that end it with grace.
    ///   - onReady: called when everything listens.
    func group(
        collects: Bool, socket: String, tcpPort: Int?, signals: [UnixSignal] = [],
        onReady: @escaping @Sendable (Int?) async -> Void
    ) throws -> ServiceGroup {
        try paths.prepareRuntime()
        unlink(socket)
        let port = port
        // The owner's own commands may stand before a pager.
        let control = provider.server(at: .unixDomainSocket(path: socket), limits: .patient) { _ in
            chmod(socket, 0o600)
            if tcpPort == nil { await onReady(nil) }
        }
        var services: [any Service] = [StoreService(machine: machine, collects: collects)]
        services.append(AccessLogService(authority: authority, isLasting: isLasting))
        services.append(RunService(supervisor: supervisor))
        if isLasting { services.append(OutboxService(outbox: outbox)) }
        let bus = DesktopMessages.address(in: ProcessInfo.processInfo.environment)
        services.append(
            DesktopService(
                board: authority.noticeBoard, desktop: bus.map { DesktopMessages(address: $0) },
                logger: logger))
        services.append(control)
        if let tcpPort {
            services.append(
                provider.server(at: .hostname("127.0.0.1", port: tcpPort)) { taken in
                    port.number = taken
                    await onReady(taken)
                })
        }
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }, gracefulShutdownSignals: signals,
            logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.shutdownLimit
        return ServiceGroup(configuration: configuration)
    }
}

/// Reads the sensors, and when it ends writes what is left and closes the store.
private struct StoreService: Service {
    let machine: VirtualMachine
    let collects: Bool

    func run() async throws {
        await cancelWhenGracefulShutdown {
            if collects {
                await machine.collect()
            } else {
                try? await gracefulShutdown()
            }
        }
        await machine.close()
    }
}

/// Writes the access log.
private struct AccessLogService: Service {
    let authority: Authority
    /// Whether the host is one that others can reach; that of a single command is not worth a line.
    let isLasting: Bool

    func run() async throws {
        if isLasting { await authority.log.note(.hostStarted(version: Version.number)) }
        await cancelWhenGracefulShutdown { await authority.run() }
        if isLasting { await authority.log.note(.hostStopped) }
    }
}

/// Sends what could not be sent before.
private struct OutboxService: Service {
    let outbox: Outbox

    func run() async throws {
        await cancelWhenGracefulShutdown { await outbox.run() }
    }
}

/// Ends the apps when the host does.
private struct RunService: Service {
    let supervisor: RunSupervisor

    func run() async throws {
        try? await gracefulShutdown()
        await supervisor.close()
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
