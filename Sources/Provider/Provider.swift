public import AppRuns
public import Auth
public import Connectors
public import Egress
import HTTPTypes
public import Hummingbird
import HummingbirdCore
public import JSApps
public import LAE
public import Logging
import NIOCore
import Resources
public import Samples
public import Scheduling
public import Sessions
public import VM

/// The one router, and the servers that listen for it: TCP on loopback and the control socket.
public struct Provider: Sendable {
    /// What each resource takes, by its path.
    let resources: [String: [HTTPRequest.Method]]
    private let responder: RouterResponder<ProviderContext>
    private let logger: Logger

    /// - Parameters:
    ///   - outbox: what sends for the owner.
    ///   - packs: the sensor packs that the owner has installed, a driver of `machine`.
    ///   - archives: what reads their archives.
    ///   - outbound: what calls other servers.
    ///   - libraries: the libraries of the system that apps may load.
    ///   - heartbeat: how long a stream may be silent before it says that it lives.
    ///   - now: the clock that spans before now are counted from.
    ///   - time: what the seconds of live sessions are counted by.
    ///   - turns: who says when streams catch up; each does when something has arrived without it.
    public init(
        authority: Authority, machine: VirtualMachine, engine: AnalyticsEngine,
        sessions: SessionBook, outbox: Outbox, library: AppLibrary, supervisor: RunSupervisor,
        facts: HostFacts, packs: SensorPackStore, archives: SensorPackArchive,
        outbound: OutboundClient,
        libraries: SystemLibraries = SystemLibraries(),
        heartbeat: Duration = .seconds(15),
        now: @escaping @Sendable () -> Timestamp = { .now() }, time: any TimeSource = .system,
        turns: StreamTurns? = nil,
        logger: Logger = Logger(label: "nervous.provider")
    ) {
        let isGrantable = GrantableCheck(machine: machine)
        let door = Door(authority: authority, isGrantable: isGrantable, now: now)
        let settings = SettingsLink(port: facts.port)
        let router = Router(context: ProviderContext.self)
        router.middlewares.add(ProblemMiddleware(settings: settings))
        router.middlewares.add(HostMiddleware(port: facts.port))
        router.middlewares.add(MethodMiddleware())
        router.middlewares.add(
            AppOriginMiddleware(assets: AppAssets(library: library, libraries: libraries)))
        var routes = RouteTable(router)
        StatusRoutes(door: door, machine: machine, facts: facts).add(to: &routes)
        SensorRoutes(door: door, machine: machine, engine: engine).add(to: &routes)
        SampleRoutes(door: door, machine: machine, engine: engine).add(to: &routes)
        PushRoutes(door: door, machine: machine, engine: engine).add(to: &routes)
        StatisticsRoutes(door: door, engine: engine).add(to: &routes)
        AnalysisRoutes(door: door, engine: engine).add(to: &routes)
        StreamRoutes(
            door: door, machine: machine, engine: engine, heartbeat: heartbeat, settings: settings,
            turns: turns
        ).add(to: &routes)
        PackRoutes(
            door: door, machine: machine, shelf: packs, archives: archives,
            largestArchive: library.limits.archiveBytes
        ).add(to: &routes)
        RetentionRoutes(door: door, machine: machine).add(to: &routes)
        SessionRoutes(
            door: door, machine: machine, engine: engine, book: sessions, outbox: outbox,
            time: time
        ).add(to: &routes)
        OutboxRoutes(door: door, outbox: outbox).add(to: &routes)
        AppRoutes(door: door, library: library, supervisor: supervisor, facts: facts)
            .add(to: &routes)
        RunRoutes(door: door, supervisor: supervisor).add(to: &routes)
        GrantRoutes(door: door, isGrantable: isGrantable).add(to: &routes)
        TokenRoutes(door: door, isGrantable: isGrantable).add(to: &routes)
        AccessLogRoutes(door: door).add(to: &routes)
        PermissionRoutes(door: door).add(to: &routes)
        StorageRoutes(door: door).add(to: &routes)
        LocalStorageRoutes(door: door).add(to: &routes)
        SettingsRoutes().add(to: &routes)
        NotificationRoutes(door: door, heartbeat: heartbeat).add(to: &routes)
        FetchRoutes(
            door: door, outbound: GrantedClient(outbound, log: authority.log),
            budget: { supervisor.budget($0).fetch }
        ).add(to: &routes)
        FirstGenerationRoutes(door: door, engine: engine).add(to: &routes)
        // What apps say is meant to be read, however little the host says of itself.
        var appLogger = logger
        appLogger.logLevel = min(logger.logLevel, .info)
        AxonRoutes(door: door, engine: engine, logger: appLogger).add(to: &routes)
        resources = routes.resources
        responder = router.buildResponder()
        self.logger = logger
    }

    /// The scripts that every app finds, in a runner as in a browser.
    public static var prelude: [RunScript] { SDK.prelude }

    /// The expression of a function that gives the tests of an app what they find; it takes
    /// `{ index, filter }`, which of the tests is to run.
    public static var testLibrary: String {
        ProviderFiles.testJS.text
    }

    /// The way to the router for apps that run in this host.
    public var connection: any HostConnection {
        RouterConnection(responder: responder, logger: logger)
    }

    /// A server for the router at an address.
    ///
    /// - Parameters:
    ///   - limits: how long its connections may take for what.
    ///   - onListening: called with the port that was taken; 0 for a socket in the file system.
    public func server(
        at address: BindAddress, limits: ConnectionLimits = ConnectionLimits(),
        onListening: @escaping @Sendable (Int) async -> Void
    ) -> some ApplicationProtocol {
        Application(
            responder: responder,
            server: HTTPServerBuilder { ServerChannel(responder: $0, limits: limits) },
            configuration: ApplicationConfiguration(address: address, serverName: "nervous"),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? 0) },
            logger: logger)
    }
}
