/// The path of a resource of the HTTP API.
///
/// The server registers the templates, the commands call the paths, and both come from the same
/// declaration:
///
/// ```swift
/// "\(APIPath.samples(of: "temperature.attic"))"  // /api/v1/sensors/temperature.attic/samples
/// APIPath.samples(of: "{sensor}").template       // api/v1/sensors/{sensor}/samples
/// ```
public struct APIPath: Hashable, Sendable {
    /// The segments, not percent-encoded.
    private let segments: [String]

    private init(root segments: String...) {
        self.segments = segments
    }

    private init(all segments: [String]) {
        self.segments = segments
    }

    private init(_ segments: String...) {
        self.segments = ["api", "v1"] + segments
    }

    /// The path without a leading slash, as a router takes it: `{…}` is a parameter.
    public var template: String {
        segments.joined(separator: "/")
    }

    /// One segment of a path, or one value of a query, percent-encoded.
    public static func encoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            let scalar = Unicode.Scalar(byte)
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~":
                result.unicodeScalars.append(scalar)
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
    }
}

extension APIPath: CustomStringConvertible {
    /// The path with a leading slash, each segment percent-encoded.
    public var description: String {
        segments.map { "/" + Self.encoded($0) }.joined()
    }
}

// MARK: - The host

extension APIPath {
    /// Whether the server answers.
    public static let health = APIPath(root: "health")
    /// Several calls in one.
    public static let batch = APIPath("batch")
    /// The description of the API.
    public static let openAPI = APIPath(root: "openapi.json")
    /// The sessions of the dashboard.
    public static let dashboard = APIPath("dashboard")
    /// The status of the host.
    public static let status = APIPath("status")
    /// The findings of `nervous doctor`.
    public static let doctor = APIPath("doctor")
    /// The client that calls, and its permissions.
    public static let me = APIPath("me")
}

// MARK: - Sensors and samples

extension APIPath {
    /// The sensors.
    public static let sensors = APIPath("sensors")
    /// One sensor.
    public static func sensor(_ id: String) -> APIPath { APIPath("sensors", id) }
    /// The newest sample of a sensor.
    public static func latest(of sensor: String) -> APIPath {
        APIPath("sensors", sensor, "latest")
    }
    /// The samples of a sensor.
    public static func samples(of sensor: String) -> APIPath {
        APIPath("sensors", sensor, "samples")
    }
    /// Statistics of a sensor.
    public static func statistics(of sensor: String) -> APIPath {
        APIPath("sensors", sensor, "stats")
    }
    /// The samples of a sensor as they are accepted.
    public static func stream(of sensor: String) -> APIPath {
        APIPath("sensors", sensor, "stream")
    }
    /// The samples of several sensors as they are accepted; for the owner, also changes of the
    /// sensors, requests and runs, notices, recent access, and the size of the store.
    public static let stream = APIPath("stream")
    /// Statistics of several sensors.
    public static let statistics = APIPath("stats")
    /// Analyses.
    public static let analyze = APIPath("analyze")
    /// The levels of all sensors.
    public static let collection = APIPath("collection")
    /// The level of a sensor.
    public static func level(of sensor: String) -> APIPath { APIPath("collection", sensor) }
    /// Sensor packs.
    public static let sensorPacks = APIPath("sensor-packs")
    /// The sensor pack of a sensor.
    public static func sensorPack(_ sensor: String) -> APIPath {
        APIPath("sensor-packs", sensor)
    }
    /// The storage that samples take, and the rules of retention.
    public static let retention = APIPath("retention")
    /// The retention of a sensor.
    public static func retention(of sensor: String) -> APIPath { APIPath("retention", sensor) }
    /// Where an existing program sends its readings, in a form of its own.
    public static func push(_ form: PushForm) -> APIPath {
        switch form {
        case .sensorLogger: APIPath("push", "sensor-logger")
        case .ownTracks: APIPath("push", "owntracks")
        case .osmAnd: APIPath("push", "osmand")
        case .overland: APIPath("push", "overland")
        case .influx: APIPath("push", "influx", "write")
        case .influx2: APIPath("push", "influx", "api", "v2", "write")
        case .otlp: APIPath(root: "v1", "metrics")
        }
    }

    /// The forms in which other programs send readings.
    public enum PushForm: CaseIterable, Sendable {
        /// Sensor Logger, for phones.
        case sensorLogger
        /// OwnTracks, for phones.
        case ownTracks
        /// Traccar's protocol OsmAnd, for phones.
        case osmAnd
        /// Overland, for phones.
        case overland
        /// The write call of InfluxDB 1.
        case influx
        /// The write call of InfluxDB 2.
        case influx2
        /// The call of OTLP/HTTP for metrics.
        case otlp
    }
}

// MARK: - Prometheus

extension APIPath {
    /// The newest values, for Prometheus.
    public static let metrics = APIPath(root: "metrics")
    /// The calls of Prometheus' query API, below a path of their own.
    public static func prometheus(_ call: PrometheusCall) -> APIPath {
        func path(_ names: String...) -> APIPath {
            APIPath(all: ["prometheus", "api", "v1"] + names)
        }
        return switch call {
        case .query: path("query")
        case .queryRange: path("query_range")
        case .series: path("series")
        case .labels: path("labels")
        case .labelValues(let label): path("label", label, "values")
        case .metadata: path("metadata")
        case .buildInformation: path("status", "buildinfo")
        }
    }

    /// The calls of Prometheus' query API that are served.
    public enum PrometheusCall: Hashable, Sendable {
        /// The values at one time, or at many.
        case query, queryRange
        /// The series, the names of labels, and what is known about metrics.
        case series, labels, metadata
        /// The values of a label.
        case labelValues(String)
        /// The version.
        case buildInformation
    }
}

// MARK: - SensorThings

extension APIPath {
    /// The greatest number of segments in a path of SensorThings.
    public static let sensorThingsDepth = 5

    /// The root of SensorThings, or its entities at a depth.
    public static func sensorThings(depth: Int = 0) -> APIPath {
        let parameters = (0..<depth).map { "{\(sensorThingsParameter($0 + 1))}" }
        return APIPath(all: ["sensorthings", "v1.1"] + parameters)
    }

    /// The name of the segment at a depth, from 1.
    public static func sensorThingsParameter(_ depth: Int) -> String {
        ["", "first", "second", "third", "fourth", "fifth"][depth]
    }
}

// MARK: - Other servers' calls

extension APIPath {
    /// The calls of the published web server of a home.
    public static func home(_ resource: HomeResource) -> APIPath {
        switch resource {
        case .temperature: APIPath("home", "temperature")
        case .doorStatus: APIPath("home", "door", "status")
        case .doorConnect: APIPath("home", "door", "connect")
        case .doorDisconnect: APIPath("home", "door", "disconnect")
        }
    }

    /// The resources of the published web server of a home.
    public enum HomeResource: CaseIterable, Sendable {
        /// Temperature and humidity.
        case temperature
        /// The state of a door.
        case doorStatus
        /// Takes a lease of a door.
        case doorConnect
        /// Gives it back.
        case doorDisconnect
    }
}

// MARK: - Apps and permissions

extension APIPath {
    /// Installed apps.
    public static let apps = APIPath("apps")
    /// One app.
    public static func app(_ name: String) -> APIPath { APIPath("apps", name) }
    /// Catalogues of packages.
    public static let catalogues = APIPath("catalogues")
    /// One catalogue.
    public static func catalogue(_ name: String) -> APIPath { APIPath("catalogues", name) }
    /// Where a catalogue is read again.
    public static func refresh(ofCatalogue name: String) -> APIPath {
        APIPath("catalogues", name, "refresh")
    }
    /// Downloads of packages.
    public static let downloads = APIPath("downloads")
    /// One download.
    public static func download(_ id: String) -> APIPath { APIPath("downloads", id) }
    /// The decisions, runs and stored data of an app.
    public static func data(of app: String) -> APIPath { APIPath("apps", app, "data") }
    /// The icon of a nervousnet app.
    public static func icon(of app: String) -> APIPath { APIPath("apps", app, "icon") }
    /// The launch codes of an app's page.
    public static func launch(of app: String) -> APIPath { APIPath("apps", app, "launch") }
    /// Where a page exchanges its launch code for a token.
    public static let launch = APIPath("launch")
    /// The runs of an app.
    public static func runs(of app: String) -> APIPath { APIPath("apps", app, "runs") }
    /// The runs of all apps.
    public static let runs = APIPath("runs")
    /// One run.
    public static func run(_ id: String) -> APIPath { APIPath("runs", id) }
    /// The start of a prepared run.
    public static func start(ofRun id: String) -> APIPath { APIPath("runs", id, "start") }
    /// The questions about a run to the policy broker.
    public static func broker(ofRun id: String) -> APIPath { APIPath("runs", id, "broker") }
    /// The decisions about all clients.
    public static let grants = APIPath("grants")
    /// The decisions about a client.
    public static func grants(of client: String) -> APIPath { APIPath("grants", client) }
    /// The decision about a privilege of a client.
    public static func grant(of privilege: String, to client: String) -> APIPath {
        APIPath("grants", client, privilege)
    }
    /// The permission of the calling client for a privilege.
    public static func permission(_ privilege: String) -> APIPath {
        APIPath("permissions", privilege)
    }
    /// Where a client requests a privilege.
    public static let permissionRequest = APIPath("permissions", "request")
    /// Requests that wait for the owner's decision.
    public static let requests = APIPath("requests")
    /// One pending request.
    public static func request(for privilege: String, by client: String) -> APIPath {
        APIPath("requests", client, privilege)
    }
    /// The tokens of clients.
    public static let tokens = APIPath("tokens")
    /// The token of a client.
    public static func token(of client: String) -> APIPath { APIPath("tokens", client) }
    /// The runs of a program.
    public static func runs(ofProgram name: String) -> APIPath { APIPath("tokens", name, "runs") }
    /// A run of a program.
    public static func run(_ run: String, ofProgram name: String) -> APIPath {
        APIPath("tokens", name, "runs", run)
    }
    /// The phones that push samples.
    public static let phones = APIPath("phones")
    /// The access log.
    public static let accessLog = APIPath("access-log")
    /// The verification of the access log.
    public static let accessLogVerification = APIPath("access-log", "verification")
    /// The seal of the access log.
    public static let accessLogSeal = APIPath("access-log", "seal")
    /// Checkpoints of the access log.
    public static let accessLogCheckpoints = APIPath("access-log", "checkpoints")
}

// MARK: - For apps

extension APIPath {
    /// The values that an app stores.
    public static let storage = APIPath("storage")
    /// One stored value.
    public static func storage(_ key: String) -> APIPath { APIPath("storage", key) }
    /// The `localStorage` of an app that runs headless.
    public static let localStorage = APIPath("local-storage")
    /// The `indexedDB` of an app that runs headless.
    public static let indexedDB = APIPath("indexed-db")
    /// Calls to other servers.
    public static let fetch = APIPath("fetch")
    /// WebSockets to other servers.
    public static let webSockets = APIPath("websockets")
    /// One open WebSocket.
    public static func webSocket(_ id: String) -> APIPath { APIPath("websockets", id) }
    /// Messages to the server of a WebSocket.
    public static func messages(ofWebSocket id: String) -> APIPath {
        APIPath("websockets", id, "messages")
    }
    /// Messages of apps.
    public static let notifications = APIPath("notifications")
    /// Notices for the owner, as they come.
    public static let notificationStream = APIPath("notifications", "stream")
    /// Whether the page of an app is visible.
    public static let view = APIPath("view")
}

// MARK: - Sessions and uploads

extension APIPath {
    /// Sessions.
    public static let sessions = APIPath("sessions")
    /// One session.
    public static func session(_ id: String) -> APIPath { APIPath("sessions", id) }
    /// A step of a session: `start`, `pause`, `resume` or `finish`.
    public static func step(_ step: String, ofSession id: String) -> APIPath {
        APIPath("sessions", id, step)
    }
    /// The samples of a session.
    public static func samples(ofSession id: String) -> APIPath {
        APIPath("sessions", id, "samples")
    }
    /// The route of a session.
    public static func route(ofSession id: String) -> APIPath { APIPath("sessions", id, "route") }
    /// The upload of a session's route or samples.
    public static func send(ofSession id: String) -> APIPath { APIPath("sessions", id, "send") }
    /// The measurements of a session while it is active.
    public static func live(ofSession id: String) -> APIPath { APIPath("sessions", id, "live") }
    /// All sessions with their routes, as a file.
    public static let workouts = APIPath("workouts")
    /// Uploads that wait.
    public static let outbox = APIPath("outbox")
    /// One upload.
    public static func upload(_ id: String) -> APIPath { APIPath("outbox", id) }
    /// The next attempt of an upload.
    public static func send(ofUpload id: String) -> APIPath { APIPath("outbox", id, "send") }
}

// MARK: - Locking

extension APIPath {
    /// The lock of the owner's key.
    public static let lock = APIPath("lock")
    /// The creation of the owner's key.
    public static let lockSetup = APIPath("lock", "setup")
    /// The unlocking of the owner's key.
    public static let unlock = APIPath("lock", "unlock")
    /// The passphrase of the owner's key.
    public static let passphrase = APIPath("lock", "passphrase")
    /// The secrets.
    public static let secrets = APIPath("secrets")
    /// One secret of an app or a source.
    public static func secret(_ name: String, of holder: String) -> APIPath {
        APIPath("secrets", holder, name)
    }
}

// MARK: - Alerts

extension APIPath {
    /// The alert rules.
    public static let alerts = APIPath("alerts")
    /// One alert rule.
    public static func alert(_ name: String) -> APIPath { APIPath("alerts", name) }
    /// When an alert rule has fired and resolved.
    public static func events(ofAlert name: String) -> APIPath { APIPath("alerts", name, "events") }
    /// When an alert rule would have fired.
    public static func test(ofAlert name: String) -> APIPath { APIPath("alerts", name, "test") }
    /// The next attempt of the calls of an alert rule.
    public static func send(ofAlert name: String) -> APIPath { APIPath("alerts", name, "send") }
}

// MARK: - Health store

extension APIPath {
    /// The health store.
    public static let healthStore = APIPath("health")
    /// The types of health data.
    public static let healthTypes = APIPath("health", "types")
    /// How much health data is stored.
    public static let healthSummary = APIPath("health", "summary")
    /// Samples of health data.
    public static let healthSamples = APIPath("health", "samples")
    /// Workouts of the health store.
    public static let healthWorkouts = APIPath("health", "workouts")
    /// One workout of the health store.
    public static func healthWorkout(_ id: String) -> APIPath { APIPath("health", "workouts", id) }
    /// Correlations of the health store.
    public static let healthCorrelations = APIPath("health", "correlations")
    /// A sample, workout or correlation of the health store.
    public static func healthObject(_ id: String) -> APIPath { APIPath("health", "objects", id) }
    /// A characteristic of the owner.
    public static func characteristic(_ type: String) -> APIPath {
        APIPath("health", "characteristics", type)
    }
}

// MARK: - Nervousnet apps

extension APIPath {
    /// The API's version, as apps of the first generation ask for it.
    public static let firstGenerationVersion = APIPath(root: "nervous-api", "version")
    /// The newest sample of a sensor, as apps of the first generation ask for it.
    public static func firstGeneration(_ resource: String, _ method: String) -> APIPath {
        APIPath(root: "nervous-api", resource, method)
    }
    /// The newest sample of a sensor, as Axon apps ask for it.
    public static func axonSample(_ sensor: String) -> APIPath {
        APIPath(root: "nervousnet-api", "raw-sensor-data", sensor)
    }
    /// Samples of a sensor, as Axon apps ask for them.
    public static let axonHistory = APIPath(root: "nervousnet-api", "historic-sensor-data")
    /// The number of a device, as Axon apps ask for it.
    public static let axonDevice = APIPath(root: "nervousnet-api", "deviceid")
    /// The log that Axon apps write to.
    public static let axonLog = APIPath(root: "nervousnet-api", "log")
}
