public import Alerts
public import AppRuns
public import Auth
public import Connectors
public import Egress
import HTTPTypes
public import Health
public import Hummingbird
import HummingbirdCore
public import JSApps
public import LAE
public import Logging
import NIOCore
import NIOSSL
import Resources
import Samples
public import Scheduling
public import Sealing
public import Sessions
public import VM

/// The router of the HTTP API, and the servers that listen for it: TCP on loopback and the control
/// socket; and the router of the local network, which has the routes for pushed samples only.
///
/// ```swift
/// let provider = Provider(services, host: information)
/// await supervisor.open(provider.connection)
/// let server = provider.server(at: .hostname("127.0.0.1", port: 8080)) { port in print(port) }
/// ```
public struct Provider: Sendable {
    /// The parts of the host that the routes use.
    public struct Services: Sendable {
        let authority: Authority
        let machine: VirtualMachine
        let engine: AnalyticsEngine
        let sessions: SessionBook
        let health: HealthStore
        let outbox: Outbox
        let library: AppLibrary
        let supervisor: RunSupervisor
        let packs: SensorPackStore
        let archives: SensorPackArchive
        let catalogues: CatalogueStore
        let trackArchive: TrackArchive
        let alerts: AlertEngine
        let lock: OwnerLock
        let secrets: SecretStore
        let outbound: OutboundClient
        let downloader: Downloader
        let libraries: SystemLibraries
        let tiles: MapTiles?

        /// - Parameters:
        ///   - outbox: sends the owner's uploads.
        ///   - packs: the installed sensor packs, a driver of `machine`.
        ///   - archives: reads the archives of sensor packs.
        ///   - catalogues: the owner's catalogues of packages.
        ///   - trackArchive: reads KMZ files.
        ///   - alerts: the owner's alert rules.
        ///   - lock: the lock of the owner's key.
        ///   - secrets: the secrets that are sealed to it.
        ///   - outbound: calls other servers for apps.
        ///   - downloader: downloads packages for the owner.
        ///   - libraries: the libraries of the system that apps may load.
        ///   - tiles: the tiles of the maps in the dashboard; `nil` for maps without tiles.
        public init(
            authority: Authority, machine: VirtualMachine, engine: AnalyticsEngine,
            sessions: SessionBook, health: HealthStore, outbox: Outbox, library: AppLibrary,
            supervisor: RunSupervisor, packs: SensorPackStore, archives: SensorPackArchive,
            catalogues: CatalogueStore, trackArchive: TrackArchive, alerts: AlertEngine,
            lock: OwnerLock, secrets: SecretStore, outbound: OutboundClient, downloader: Downloader,
            libraries: SystemLibraries = SystemLibraries(), tiles: MapTiles? = nil
        ) {
            (self.authority, self.machine, self.engine) = (authority, machine, engine)
            (self.sessions, self.health, self.outbox) = (sessions, health, outbox)
            (self.library, self.supervisor) = (library, supervisor)
            (self.packs, self.archives) = (packs, archives)
            (self.catalogues, self.trackArchive) = (catalogues, trackArchive)
            (self.alerts, self.lock, self.secrets) = (alerts, lock, secrets)
            (self.outbound, self.downloader) = (outbound, downloader)
            (self.libraries, self.tiles) = (libraries, tiles)
        }
    }

    /// The methods of each resource, by its path.
    let resources: [String: [HTTPRequest.Method]]
    /// The slots of large bodies of samples.
    let intakeSlots = IntakeSlots()
    private let responder: RouterResponder<ProviderContext>
    private let batch = BatchRoutes.Target()
    private let localNetwork: RouterResponder<ProviderContext>
    private let logger: Logger

    /// - Parameters:
    ///   - heartbeat: the longest silence of an event stream.
    ///   - time: the clock that tells the current time, to which a duration such as `-10m` in a request is
    ///     relative; also the timer of live sessions.
    ///   - scheduler: decides when sample streams write; without one, each stream writes at once.
    public init(
        _ services: Services, host: HostInformation, heartbeat: Duration = .seconds(15),
        time: any TimeSource = .system, scheduler: StreamScheduler? = nil,
        logger: Logger = Logger(label: "nervous.provider")
    ) {
        let site = OwnerSite(port: host.port)
        let settings = SettingsLink(site: site)
        let launches = PageLaunches(authority: services.authority, site: site)
        let router = Router(context: ProviderContext.self)
        let authorizer = RequestAuthorizer(
            authority: services.authority,
            isGrantable: GrantableCheck(machine: services.machine), time: time)
        router.middlewares.add(ProblemMiddleware(settings: settings, authorizer: authorizer))
        router.middlewares.add(HostMiddleware(port: host.port))
        router.middlewares.add(MethodMiddleware())
        router.middlewares.add(
            AppOriginMiddleware(
                assets: AppAssets(library: services.library, libraries: services.libraries),
                launches: launches, site: site))
        router.middlewares.add(
            DashboardMiddleware(
                launches: launches,
                tiles: MapTileFiles(tiles: services.tiles, authority: services.authority)))
        var routes = RouteTable(router)
        Self.addSensors(services, authorizer, settings, intakeSlots, to: &routes)
        let push = PushRoutes(
            authorizer: authorizer, machine: services.machine, engine: services.engine)
        push.add(to: &routes)
        StreamRoutes(
            authorizer: authorizer, machine: services.machine, engine: services.engine,
            ownerEvents: OwnerEvents(
                authority: services.authority, machine: services.machine,
                supervisor: services.supervisor,
                recentAccess: RecentAccess(services.authority.log, time: time)),
            heartbeat: heartbeat, settings: settings, scheduler: scheduler
        ).add(to: &routes)
        Self.addSessions(services, authorizer, to: &routes)
        HealthRoutes(
            authorizer: authorizer,
            health: GrantedHealth(services.health, log: services.authority.log)
        ).add(to: &routes)
        Self.addApps(services, host, authorizer, time, heartbeat: heartbeat, to: &routes)
        NotificationRoutes(authorizer: authorizer, heartbeat: heartbeat).add(to: &routes)
        MetricsRoutes(
            authorizer: authorizer, machine: services.machine, engine: services.engine, host: host
        ).add(to: &routes)
        PrometheusRoutes(
            authorizer: authorizer, machine: services.machine, engine: services.engine, host: host
        ).add(to: &routes)
        FirstGenerationRoutes(authorizer: authorizer, engine: services.engine).add(to: &routes)
        // Messages of apps are logged even where the host logs errors only.
        var appLogger = logger
        appLogger.logLevel = min(logger.logLevel, .info)
        AxonRoutes(authorizer: authorizer, engine: services.engine, logger: appLogger)
            .add(to: &routes)
        BatchRoutes(authorizer: authorizer).add(to: &routes, target: batch)
        resources = routes.resources
        responder = router.buildResponder()
        batch.set(responder)
        localNetwork = Self.localNetworkRouter(push, host, settings, authorizer, time)
            .buildResponder()
        self.logger = logger
    }

    /// A separate router, so that no mistake in a filter can make other routes reachable.
    private static func localNetworkRouter(
        _ push: PushRoutes, _ host: HostInformation, _ settings: SettingsLink,
        _ authorizer: RequestAuthorizer, _ time: any TimeSource
    ) -> Router<ProviderContext> {
        let router = Router(context: ProviderContext.self)
        router.middlewares.add(ProblemMiddleware(settings: settings, authorizer: authorizer))
        router.middlewares.add(LocalNetworkMiddleware(site: host.localNetwork))
        router.middlewares.add(MethodMiddleware())
        var push = push
        push.localNetwork = LocalNetworkClients(time: time)
        var routes = RouteTable(router)
        push.add(to: &routes)
        return router
    }

    private static func addSensors(
        _ services: Services, _ authorizer: RequestAuthorizer, _ settings: SettingsLink,
        _ slots: IntakeSlots, to routes: inout RouteTable
    ) {
        let (machine, engine) = (services.machine, services.engine)
        SensorRoutes(authorizer: authorizer, machine: machine, engine: engine).add(to: &routes)
        SampleRoutes(
            authorizer: authorizer, machine: machine, engine: engine, book: services.sessions,
            outbox: services.outbox, slots: slots
        ).add(to: &routes)
        StatisticsRoutes(
            authorizer: authorizer, engine: engine, machine: machine, settings: settings
        )
        .add(to: &routes)
        AnalysisRoutes(authorizer: authorizer, engine: engine).add(to: &routes)
        HomeRoutes(authorizer: authorizer, machine: machine, engine: engine).add(to: &routes)
        SensorThingsRoutes(authorizer: authorizer, machine: machine, engine: engine)
            .add(to: &routes)
        RetentionRoutes(authorizer: authorizer, machine: machine).add(to: &routes)
    }

    private static func addSessions(
        _ services: Services, _ authorizer: RequestAuthorizer, to routes: inout RouteTable
    ) {
        let (machine, book) = (services.machine, services.sessions)
        let reader = SessionRouteReader(
            authorizer: authorizer, machine: machine, engine: services.engine, book: book)
        SessionRoutes(
            authorizer: authorizer, machine: machine, book: book, reader: reader,
            samples: SessionSampleReader(
                authorizer: authorizer, machine: machine, engine: services.engine),
            outbox: services.outbox
        ).add(to: &routes)
        LiveSessionRoutes(
            authorizer: authorizer, machine: machine, engine: services.engine, book: book
        ).add(to: &routes)
        WorkoutRoutes(
            authorizer: authorizer, book: book, reader: reader, archive: services.trackArchive
        ).add(to: &routes)
        OutboxRoutes(authorizer: authorizer, outbox: services.outbox).add(to: &routes)
        AlertRoutes(
            authorizer: authorizer, machine: machine, engine: services.alerts,
            library: services.library
        ).add(to: &routes)
    }

    private static func addApps(
        _ services: Services, _ host: HostInformation, _ authorizer: RequestAuthorizer,
        _ time: any TimeSource, heartbeat: Duration, to routes: inout RouteTable
    ) {
        let supervisor = services.supervisor
        let downloads = PackageDownloads(
            services.downloader, largest: services.library.limits.archiveBytes,
            log: services.authority.log, time: time)
        StatusRoutes(authorizer: authorizer, machine: services.machine, host: host)
            .add(to: &routes)
        DoctorRoutes(authorizer: authorizer, checks: host.checks).add(to: &routes)
        AppRoutes(
            authorizer: authorizer, library: services.library, supervisor: supervisor,
            downloads: downloads, port: host.port, secrets: services.secrets
        ).add(to: &routes)
        DownloadRoutes(
            authorizer: authorizer, downloads: downloads, catalogues: services.catalogues
        ).add(to: &routes)
        PackRoutes(
            authorizer: authorizer, machine: services.machine, packs: services.packs,
            archives: services.archives, downloads: downloads,
            largestArchive: services.library.limits.archiveBytes
        ).add(to: &routes)
        CatalogueRoutes(
            authorizer: authorizer, store: services.catalogues,
            reader: CatalogueReader(services.downloader, log: services.authority.log),
            library: services.library, time: time
        ).add(to: &routes)
        RunRoutes(authorizer: authorizer, supervisor: supervisor).add(to: &routes)
        GrantRoutes(authorizer: authorizer).add(to: &routes)
        PermissionRoutes(authorizer: authorizer).add(to: &routes)
        TokenRoutes(authorizer: authorizer).add(to: &routes)
        PhoneRoutes(authorizer: authorizer, machine: services.machine, host: host)
            .add(to: &routes)
        AccessLogRoutes(authorizer: authorizer).add(to: &routes)
        StorageRoutes(authorizer: authorizer).add(to: &routes)
        LocalStorageRoutes(authorizer: authorizer).add(to: &routes)
        IndexedDBRoutes(authorizer: authorizer).add(to: &routes)
        DashboardRoutes(
            authorizer: authorizer, site: OwnerSite(port: host.port), lock: services.lock
        ).add(to: &routes)
        LockRoutes(authorizer: authorizer, lock: services.lock).add(to: &routes)
        SecretRoutes(
            authorizer: authorizer, secrets: services.secrets, library: services.library
        ).add(to: &routes)
        let outbound = GrantedClient(services.outbound, log: services.authority.log)
        let limiter = CallLimiter()
        FetchRoutes(
            authorizer: authorizer, outbound: outbound, budget: { supervisor.budget($0).fetch },
            limiter: limiter, secrets: services.secrets, heartbeat: heartbeat
        ).add(to: &routes)
        WebSocketRoutes(
            authorizer: authorizer, outbound: outbound, budget: { supervisor.budget($0).fetch },
            limiter: limiter, heartbeat: heartbeat
        ).add(to: &routes)
    }

    /// The scripts that every app has, in a runner as in a browser.
    public static var prelude: [RunScript] { SDK.prelude }

    /// The test library of apps: an expression whose value is a function.
    ///
    /// The argument `{ index, filter }` of the function selects the test to run.
    public static var testLibrary: String {
        ProviderFiles.testJS.text
    }

    /// The connection of runs in this host to the router.
    public var connection: any HostConnection {
        RouterConnection(responder: responder, logger: logger)
    }

    /// A server for the router at an address.
    ///
    /// - Parameters:
    ///   - limits: the limits of its connections.
    ///   - onListening: called with the port; 0 for a Unix socket.
    public func server(
        at address: BindAddress, limits: ConnectionLimits = ConnectionLimits(),
        onListening: @escaping @Sendable (Int) async -> Void
    ) -> some ApplicationProtocol {
        server(responder, at: address, limits: limits, tls: nil, onListening: onListening)
    }

    /// A server for the local network: with TLS, and for pushed samples only.
    ///
    /// It answers while `HostInformation.localNetwork` returns the URLs at which it is reached.
    ///
    /// - Parameters:
    ///   - limits: the limits of its connections.
    ///   - onListening: called with the port.
    public func localNetworkServer(
        at address: BindAddress, limits: ConnectionLimits, certificate: ServerCertificate,
        onListening: @escaping @Sendable (Int) async -> Void
    ) -> some ApplicationProtocol {
        server(
            localNetwork, at: address, limits: limits, tls: certificate.context,
            onListening: onListening)
    }

    private func server(
        _ responder: RouterResponder<ProviderContext>, at address: BindAddress,
        limits: ConnectionLimits, tls: NIOSSLContext?,
        onListening: @escaping @Sendable (Int) async -> Void
    ) -> some ApplicationProtocol {
        Application(
            responder: responder,
            server: HTTPServerBuilder { ServerChannel(responder: $0, limits: limits, tls: tls) },
            configuration: ApplicationConfiguration(
                address: address, serverName: "nervous",
                availableConnectionsDelegate: limits.connections.map {
                    MaximumAvailableConnections($0, logger: logger)
                }),
            onServerRunning: { channel in await onListening(channel.localAddress?.port ?? 0) },
            logger: logger)
    }
}

/// The host's properties that the server reports.
public struct HostInformation: Sendable {
    /// The version of nervous.
    public let version: String
    /// The data directory.
    public let dataDirectory: String
    /// The TCP port; `nil` while the server does not listen.
    public let port: @Sendable () -> Int?
    /// The listener for the local network; `nil` while there is none.
    public let localNetwork: @Sendable () -> LocalNetworkSite?
    /// The checks of `nervous doctor` that it can make while it runs.
    public let checks: HostChecks

    /// Creates the properties of a host.
    public init(
        version: String, dataDirectory: String, port: @escaping @Sendable () -> Int?,
        localNetwork: @escaping @Sendable () -> LocalNetworkSite? = { nil },
        checks: HostChecks = .none
    ) {
        self.version = version
        self.dataDirectory = dataDirectory
        self.port = port
        self.localNetwork = localNetwork
        self.checks = checks
    }
}
