public import Foundation
public import Text

/// A typed client of the HTTP API.
///
/// ```swift
/// let client = APIClient(transport)
/// for sensor in try await client.sensors().value.items {
///     print(sensor.id, sensor.level)
/// }
/// ```
///
/// Every method throws ``APIError`` for a problem that the host returns, and otherwise the errors
/// of the transport.
public struct APIClient: Sendable {
    private let transport: any APITransport

    /// Creates a client.
    public init(_ transport: any APITransport) {
        self.transport = transport
    }

    /// A client that sends the same requests with a token.
    ///
    /// Over the control socket, a request without a token is the owner's.
    public func authorized(by token: String) -> APIClient {
        APIClient(TokenTransport(base: transport, token: token))
    }

    private func send(_ request: APIRequest) async throws -> APIResponse {
        let response = try await transport.send(request)
        guard response.isSuccess else { throw APIError(response) }
        return response
    }

    private func reply<Value>(_ request: APIRequest) async throws -> APIReply<Value> {
        APIReply(json: try await send(request).body)
    }

    private func perform(_ request: APIRequest) async throws {
        _ = try await send(request)
    }
}

// MARK: - Host and sensors

extension APIClient {
    /// The status of the host.
    public func status() async throws -> APIReply<HostStatus> {
        try await reply(APIRequest(.get, .status))
    }

    /// Makes several calls in one; each has an answer of its own, in their order.
    public func batch(_ calls: [BatchCall]) async throws -> APIReply<ItemList<BatchAnswer>> {
        try await reply(
            try APIRequest(.post, .batch, json: BatchRequest(calls), hasTimeLimit: false))
    }

    /// Makes the calls of a list, whose form the host checks.
    public func batch(_ calls: JSONValue) async throws -> APIReply<ItemList<BatchAnswer>> {
        try await reply(
            try APIRequest(.post, .batch, json: ["calls": calls], hasTimeLimit: false))
    }

    /// The findings of the checks of `nervous doctor` that a running host can make.
    ///
    /// - Parameter checks: the names of checks; by default all that take little time.
    public func findings(of checks: [String]? = nil) async throws -> APIReply<DoctorReport> {
        let names = checks?.joined(separator: ",")
        return try await reply(
            APIRequest(.get, .doctor, query: [("checks", names)], hasTimeLimit: false))
    }

    /// The newest values as Prometheus reads them.
    ///
    /// - Parameter isOpenMetrics: whether in the form of OpenMetrics instead of the text format 0.0.4.
    public func metrics(isOpenMetrics: Bool = false) async throws -> String {
        let type = isOpenMetrics ? "application/openmetrics-text" : "text/plain"
        let response = try await send(
            APIRequest(.get, .metrics, headers: [("Accept", type)], hasTimeLimit: false))
        return String(decoding: response.body, as: UTF8.self)
    }

    /// Makes the host read each sensor that is on once, unless it collects continuously.
    public func collect() async throws {
        try await perform(APIRequest(.post, .collection))
    }

    /// Sets the level of a sensor or of a kind.
    public func setLevel(
        _ level: String, of sensor: String
    ) async throws -> APIReply<LevelSetting> {
        try await reply(
            try APIRequest(.put, .level(of: sensor), json: LevelSetting(level)))
    }

    /// All sensors.
    public func sensors() async throws -> APIReply<ItemList<SensorDescription>> {
        try await reply(APIRequest(.get, .sensors))
    }

    /// One sensor.
    public func sensor(_ id: String) async throws -> APIReply<SensorDescription> {
        try await reply(APIRequest(.get, .sensor(id)))
    }

    /// Declares or redefines a sensor.
    public func setSensor(
        _ id: String, _ request: SensorRequest
    ) async throws -> APIReply<SensorDescription> {
        try await reply(try APIRequest(.put, .sensor(id), json: request))
    }

    /// Removes a declared or virtual sensor; its samples remain.
    public func removeSensor(_ id: String) async throws {
        try await perform(APIRequest(.delete, .sensor(id)))
    }

    /// Checks a sensor pack without installing it.
    ///
    /// - Parameters:
    ///   - name: another identifier for the sensor.
    ///   - settings: settings of its source, such as `device=/dev/ttyUSB1`.
    public func checkSensorPack(
        _ pack: Data, as name: String?, settings: [String]
    ) async throws -> APIReply<PackCheck> {
        try await reply(
            APIRequest(
                .post, .sensorPacks, query: [("as", name)] + settings.map { ("set", $0) },
                body: pack, type: "application/octet-stream"))
    }

    /// Installs a checked sensor pack.
    public func installSensorPack(
        _ check: PackCheck
    ) async throws -> APIReply<PackDescription> {
        try await reply(
            APIRequest(
                .put, .sensorPack(check.pack.id), body: Data(check.text.utf8),
                type: "application/json"))
    }

    /// The installed sensor packs.
    public func sensorPacks() async throws -> APIReply<ItemList<PackDescription>> {
        try await reply(APIRequest(.get, .sensorPacks))
    }

    /// Uninstalls the sensor pack of a sensor; its samples remain.
    public func removeSensorPack(_ sensor: String) async throws {
        try await perform(APIRequest(.delete, .sensorPack(sensor)))
    }
}

// MARK: - Samples

/// A value of a sample.
public enum SampleValue: Decodable, Hashable, Sendable {
    /// A number.
    case number(Double)
    /// A text or a state.
    case text(String)

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    /// The number; `nil` for a text.
    public var number: Double? {
        if case .number(let number) = self { number } else { nil }
    }
}

/// The newest sample of a sensor.
public struct NewestSample: Decodable, Sendable {
    /// The values by field, the timestamp as `t` and the age in milliseconds as `age`.
    public let values: [String: SampleValue]
    /// Whether another sample should have come since; `nil` if the sensor's interval is unknown.
    public let stale: Bool?

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: AnyKey.self)
        var values: [String: SampleValue] = [:]
        var stale: Bool?
        for key in members.allKeys {
            // A field of this name is a text or a number.
            if key.stringValue == "stale", let flag = try? members.decode(Bool.self, forKey: key) {
                stale = flag
            } else {
                values[key.stringValue] = try members.decode(SampleValue.self, forKey: key)
            }
        }
        self.values = values
        self.stale = stale
    }
}

/// Samples as rows: the values by field, and the timestamp as `t`.
public struct SampleRows: Decodable, Sendable {
    /// The rows.
    public let items: [[String: SampleValue]]
}

/// Samples as bytes of some media type.
public struct EncodedSamples: Sendable {
    /// The samples.
    public let body: Data
    /// The cursor of the next page; `nil` on the last one.
    public let next: String?
}

extension APIClient {
    /// The newest sample of a sensor.
    public func latest(of sensor: String) async throws -> APIReply<NewestSample> {
        try await reply(APIRequest(.get, .latest(of: sensor)))
    }

    /// Samples of a sensor as rows.
    ///
    /// - Parameter query: parameters such as `from`, `to`, `fields`, `where`, `order` and `limit`.
    public func samples(
        of sensor: String, query: [(name: String, value: String?)]
    ) async throws -> APIReply<SampleRows> {
        try await reply(APIRequest(.get, .samples(of: sensor), query: query))
    }

    /// The samples of a sensor as they are accepted, as Server-Sent Events, line by line.
    public func stream(
        of sensor: String
    ) async throws -> any AsyncSequence<Data, any Error> & Sendable {
        try await transport.lines(for: APIRequest(.get, .stream(of: sensor), hasTimeLimit: false))
    }

    /// The samples of several sensors as they are accepted, as Server-Sent Events, line by line.
    ///
    /// - Parameters:
    ///   - sensors: names, or `*` for all that the client may read.
    ///   - beginsWithNewest: whether the newest sample of each sensor comes first.
    public func stream(
        of sensors: [String], beginsWithNewest: Bool = false
    ) async throws -> any AsyncSequence<Data, any Error> & Sendable {
        let names = sensors.joined(separator: ",")
        return try await transport.lines(
            for: APIRequest(
                .get, .stream,
                query: [("sensors", names), ("newest", beginsWithNewest ? "true" : nil)],
                hasTimeLimit: false))
    }

    /// Summaries for the owner as Server-Sent Events, line by line: each at the start, and again each minute if
    /// it has changed.
    ///
    /// - Parameter summary: the kind of summary.
    public func stream(
        of summary: OwnerSummary
    ) async throws -> any AsyncSequence<Data, any Error> & Sendable {
        try await transport.lines(
            for: APIRequest(
                .get, .stream, query: [(summary.rawValue, "true")], hasTimeLimit: false))
    }

    /// A summary in a stream for the owner.
    public enum OwnerSummary: String, Sendable {
        /// What each client has read in the last 15 minutes: lists of ``AccessSummary``.
        case access
        /// The storage: ``StorageSummary``.
        case storage
    }

    /// A page of samples in some media type.
    ///
    /// - Parameter mediaType: such as `text/csv`.
    public func page(
        of sensor: String, as mediaType: String, query: [(name: String, value: String?)]
    ) async throws -> EncodedSamples {
        let response = try await send(
            APIRequest(
                .get, .samples(of: sensor), query: query, headers: [("Accept", mediaType)]))
        let link = response.header("Link")
        let next = link?.firstMatch(of: /[?&]cursor=([0-9_\-]+)/).map { String($0.1) }
        return EncodedSamples(body: response.body, next: next)
    }

    /// Publishes samples; waits and tries again for a minute while the host is busy.
    ///
    /// - Parameter key: the idempotency key.
    public func publish(
        _ samples: Data, as mediaType: String, key: String, to sensor: String
    ) async throws -> (reply: PublishReply, isRepeated: Bool) {
        func publish(_ request: APIRequest) async throws -> (PublishReply, Bool) {
            let response = try await send(request)
            let isRepeated = response.headers.contains { name, value in
                name.lowercased() == "nervous-repeated" && value == "true"
            }
            return (try APIReply<PublishReply>(json: response.body).value, isRepeated)
        }
        var request = APIRequest(
            .post, .samples(of: sensor), body: samples, type: mediaType)
        request.headers.append(("Idempotency-Key", key))
        for _ in 0..<60 {
            do {
                return try await publish(request)
            } catch let error as APIError {
                guard error.code == .busy else { throw error }
            }
            try await Task.sleep(for: .seconds(1))
        }
        return try await publish(request)
    }

    /// Statistics of a sensor.
    ///
    /// - Parameter query: `fn`, and parameters such as `from`, `to`, `every`, `fields` and `where`.
    public func statistics(
        of sensor: String, query: [(name: String, value: String?)]
    ) async throws -> APIReply<StatisticsAnswer> {
        try await reply(APIRequest(.get, .statistics(of: sensor), query: query))
    }

    /// Statistics of several sensors, as columns.
    ///
    /// - Parameters:
    ///   - sensors: each like `cpu` or `cpu:busy,core0`; at most 32.
    ///   - query: `fn`, and optional parameters such as `from`, `to`, `every` and `digits`.
    public func statistics(
        of sensors: [String], query: [(name: String, value: String?)]
    ) async throws -> APIReply<StatisticsColumns> {
        try await reply(
            APIRequest(.get, .statistics, query: sensors.map { ("of", $0) } + query))
    }

    /// An analysis of fields of sensors.
    public func analyze(_ analysis: AnalysisBody) async throws -> APIReply<AnalysisReply> {
        try await reply(try APIRequest(.post, .analyze, json: analysis))
    }

    /// Forgets the samples of a sensor in a time range.
    ///
    /// - Parameter includesDerived: whether the samples of sensors that are computed from this one, and
    ///   imported sessions with a route in the range, are forgotten too.
    public func forgetSamples(
        of sensor: String, from: String?, to: String?, includesDerived: Bool = false
    ) async throws -> APIReply<ForgetDescription> {
        try await reply(
            APIRequest(
                .delete, .samples(of: sensor),
                query: [("from", from), ("to", to), ("derived", includesDerived ? "true" : nil)],
                hasTimeLimit: false))
    }

    /// The storage that samples take, and the rules of retention.
    public func storage() async throws -> APIReply<StorageDescription> {
        try await reply(APIRequest(.get, .retention))
    }

    /// Sets the budget, or the retention of the sensors that have no rule of their own.
    public func setStorage(
        _ request: RetentionRequest
    ) async throws -> APIReply<StorageDescription> {
        try await reply(try APIRequest(.put, .retention, json: request))
    }

    /// Sets the retention of a sensor or of a kind.
    public func setRetention(_ rule: RetentionDescription, of sensor: String) async throws {
        try await perform(try APIRequest(.put, .retention(of: sensor), json: rule))
    }

    /// Removes the retention rule of a sensor or of a kind.
    public func resetRetention(of sensor: String) async throws {
        try await perform(APIRequest(.delete, .retention(of: sensor)))
    }
}

// MARK: - Apps and runs

extension APIClient {
    /// The installed apps.
    public func apps() async throws -> APIReply<ItemList<AppDescription>> {
        try await reply(APIRequest(.get, .apps))
    }

    /// One app.
    public func app(_ name: String) async throws -> APIReply<AppDescription> {
        try await reply(APIRequest(.get, .app(name)))
    }

    /// Installs a package.
    ///
    /// - Parameters:
    ///   - isDryRun: whether only to report what would change.
    ///   - allowsDowngrade: whether an older version may replace a newer one.
    public func install(
        _ package: Data, isDryRun: Bool = false, allowsDowngrade: Bool = false
    ) async throws -> APIReply<AppDescription> {
        try await reply(
            APIRequest(
                .post, .apps, query: Self.installQuery(isDryRun, allowsDowngrade), body: package,
                type: "application/zip"))
    }

    /// Installs an app from the files of its folder.
    ///
    /// The parameters are those of ``install(_:isDryRun:allowsDowngrade:)``.
    public func install(
        _ folder: FolderPackage, isDryRun: Bool = false, allowsDowngrade: Bool = false
    ) async throws -> APIReply<AppDescription> {
        try await reply(
            try APIRequest(
                .post, .apps, query: Self.installQuery(isDryRun, allowsDowngrade), json: folder))
    }

    /// Installs a package that the host has downloaded.
    ///
    /// The parameters are those of ``install(_:isDryRun:allowsDowngrade:)``.
    public func install(
        _ package: DownloadedPackage, isDryRun: Bool = false, allowsDowngrade: Bool = false
    ) async throws -> APIReply<AppDescription> {
        try await reply(
            try APIRequest(
                .post, .apps, query: Self.installQuery(isDryRun, allowsDowngrade), json: package))
    }

    /// Makes the host download a package.
    public func startDownload(
        _ request: DownloadRequest
    ) async throws -> APIReply<DownloadDescription> {
        try await reply(try APIRequest(.post, .downloads, json: request))
    }

    /// The state of a download.
    public func download(_ id: String) async throws -> APIReply<DownloadDescription> {
        try await reply(APIRequest(.get, .download(id)))
    }

    /// Ends a download, or forgets a complete one.
    public func discardDownload(_ id: String) async throws {
        try await perform(APIRequest(.delete, .download(id)))
    }

    /// The catalogues, without their packages.
    public func catalogues() async throws -> APIReply<ItemList<CatalogueDescription>> {
        try await reply(APIRequest(.get, .catalogues))
    }

    /// One catalogue with its packages.
    public func catalogue(_ name: String) async throws -> APIReply<CatalogueDescription> {
        try await reply(APIRequest(.get, .catalogue(name)))
    }

    /// Adds a catalogue.
    ///
    /// - Parameter isDryRun: whether only to read and describe it.
    public func addCatalogue(
        _ request: CatalogueRequest, isDryRun: Bool = false
    ) async throws -> APIReply<CatalogueDescription> {
        try await reply(
            try APIRequest(
                .post, .catalogues, query: [("dryRun", isDryRun ? "true" : nil)], json: request,
                hasTimeLimit: false))
    }

    /// Reads the index of a catalogue again.
    public func refreshCatalogue(
        _ name: String
    ) async throws -> APIReply<CatalogueDescription> {
        try await reply(APIRequest(.post, .refresh(ofCatalogue: name), hasTimeLimit: false))
    }

    /// Removes a catalogue; installed apps remain.
    public func removeCatalogue(_ name: String) async throws {
        try await perform(APIRequest(.delete, .catalogue(name)))
    }

    /// Checks a downloaded sensor pack without installing it.
    ///
    /// The other parameters are those of ``checkSensorPack(_:as:settings:)``.
    public func checkSensorPack(
        _ package: DownloadedPackage, as name: String?, settings: [String]
    ) async throws -> APIReply<PackCheck> {
        let query = [("download", Optional(package.download)), ("as", name)]
        return try await reply(
            APIRequest(
                .post, .sensorPacks, query: query + settings.map { ("set", $0) }, body: Data(),
                type: "application/octet-stream"))
    }

    private static func installQuery(
        _ isDryRun: Bool, _ allowsDowngrade: Bool
    ) -> [(name: String, value: String?)] {
        [
            ("dryRun", isDryRun ? "true" : nil),
            ("allowDowngrade", allowsDowngrade ? "true" : nil),
        ]
    }

    /// Uninstalls an app.
    public func uninstall(_ app: String) async throws {
        try await perform(APIRequest(.delete, .app(app)))
    }

    /// Forgets the decisions, tokens, runs and stored data of an app.
    public func forgetData(of app: String) async throws -> APIReply<AppForgetReceipt> {
        try await reply(APIRequest(.delete, .data(of: app), hasTimeLimit: false))
    }

    /// Creates a link that opens the app's page once.
    public func launch(_ app: String) async throws -> APIReply<LaunchReply> {
        try await reply(APIRequest(.post, .launch(of: app)))
    }

    /// Creates a link that opens the dashboard once.
    public func openDashboard() async throws -> APIReply<LaunchReply> {
        try await reply(APIRequest(.post, .dashboard))
    }

    /// The sessions of the dashboard.
    public func dashboardSessions() async throws -> APIReply<ItemList<DashboardSessionDescription>>
    {
        try await reply(APIRequest(.get, .dashboard))
    }

    /// Ends all sessions of the dashboard.
    public func lockDashboard() async throws {
        try await perform(APIRequest(.delete, .dashboard, query: [("all", "true")]))
    }

    /// All runs.
    public func runs() async throws -> APIReply<ItemList<RunDescription>> {
        try await reply(APIRequest(.get, .runs))
    }

    /// Prepares a run of an app, so that decisions can be made for it.
    public func prepareRun(
        of app: String, inBackground: Bool
    ) async throws -> APIReply<RunDescription> {
        try await reply(
            try APIRequest(
                .post, .runs(of: app), json: PrepareRunRequest(background: inBackground)))
    }

    /// Asks the policy broker about privileges of a run that are undecided, before the owner is asked.
    public func consultBroker(
        about privileges: [String], for run: String
    ) async throws -> APIReply<ItemList<DecisionDescription>> {
        try await reply(
            try APIRequest(
                .post, .broker(ofRun: run), json: BrokerRequest(privileges: privileges),
                hasTimeLimit: false))
    }

    /// Starts a prepared run in the background.
    public func startRun(
        _ id: String, _ request: StartRunRequest
    ) async throws -> APIReply<RunDescription> {
        try await reply(try APIRequest(.post, .start(ofRun: id), json: request))
    }

    /// Starts a prepared run in the foreground; each line is a ``RunEventItem``.
    public func followRun(
        _ id: String, _ request: StartRunRequest
    ) async throws -> any AsyncSequence<Data, any Error> & Sendable {
        try await transport.lines(
            for: try APIRequest(.post, .start(ofRun: id), json: request, hasTimeLimit: false))
    }

    /// Stops a run.
    public func stopRun(_ id: String) async throws -> APIReply<RunDescription> {
        try await reply(APIRequest(.delete, .run(id)))
    }
}

// MARK: - Permissions

extension APIClient {
    /// The decisions about a client, or about all.
    public func grants(of client: String? = nil) async throws -> APIReply<DecisionList> {
        try await reply(APIRequest(.get, client.map { .grants(of: $0) } ?? .grants))
    }

    /// Decides about a privilege of a client, and returns the decisions about the client.
    public func decide(
        _ request: DecisionRequest, on privilege: String, by client: String
    ) async throws -> APIReply<DecisionList> {
        try await reply(
            try APIRequest(.put, .grant(of: privilege, to: client), json: request))
    }

    /// Forgets the decision about a privilege of a client, or about all its privileges.
    public func resetGrants(of client: String, _ privilege: String?) async throws {
        try await perform(
            APIRequest(
                .delete,
                privilege.map { .grant(of: $0, to: client) } ?? .grants(of: client)))
    }

    /// The requests that wait for the owner's decision.
    public func requests() async throws -> APIReply<ItemList<RequestDescription>> {
        try await reply(APIRequest(.get, .requests))
    }

    /// Dismisses a request without a decision.
    public func dismissRequest(for privilege: String, by client: String) async throws {
        try await perform(APIRequest(.delete, .request(for: privilege, by: client)))
    }

    /// Requests a privilege for the calling client, without waiting for the decision of the owner.
    public func requestPermission(
        _ privilege: String
    ) async throws -> APIReply<PermissionDescription> {
        try await reply(
            try APIRequest(
                .post, .permissionRequest,
                json: PermissionRequest(privilege: privilege, wait: false)))
    }

    /// The tokens.
    public func tokens() async throws -> APIReply<ItemList<TokenItem>> {
        try await reply(APIRequest(.get, .tokens))
    }

    /// Creates a token.
    public func createToken(_ request: TokenRequest) async throws -> APIReply<CreatedToken> {
        try await reply(try APIRequest(.post, .tokens, json: request))
    }

    /// Revokes the token of a client.
    public func revokeToken(of client: String) async throws {
        try await perform(APIRequest(.delete, .token(of: client)))
    }

    /// Starts a run of a program, with a token of its own.
    ///
    /// - Parameter creates: whether to create the program, with permission for statistics only, if no client
    ///   has its name.
    public func beginRun(
        ofProgram name: String, creates: Bool
    ) async throws -> APIReply<ProgramRun> {
        try await reply(
            try APIRequest(
                .post, .runs(ofProgram: name), json: ProgramRunRequest(create: creates)))
    }

    /// Extends the token of a run of a program.
    public func renewRun(_ run: String, ofProgram name: String) async throws {
        try await perform(APIRequest(.put, .run(run, ofProgram: name)))
    }

    /// Ends a run of a program, and its token.
    public func endRun(_ run: String, ofProgram name: String) async throws {
        try await perform(APIRequest(.delete, .run(run, ofProgram: name)))
    }

    /// Adds a phone: declares its sensors, and creates a token that publishes to them.
    public func addPhone(_ request: PhoneRequest) async throws -> APIReply<CreatedPhone> {
        try await reply(try APIRequest(.post, .phones, json: request))
    }

    /// Entries of the access log, newest first.
    ///
    /// - Parameter query: parameters such as `client`, `clientKind`, `kind`, `outcome` and `limit`.
    public func accessLog(
        query: [(name: String, value: String?)]
    ) async throws -> APIReply<ItemList<AccessLogItem>> {
        try await reply(APIRequest(.get, .accessLog, query: query))
    }

    /// Verifies the hash chain of the access log.
    ///
    /// - Parameter head: an earlier head, which must still be in the chain.
    public func verifyAccessLog(
        expecting head: String? = nil
    ) async throws -> APIReply<AccessLogVerdict> {
        try await reply(
            APIRequest(
                .get, .accessLogVerification, query: [("expect", head)], hasTimeLimit: false))
    }

    /// Verifies the hash chain of the access log; each line is an ``AccessLogVerificationStep``, of which the
    /// last has the verdict or a problem.
    ///
    /// - Parameter head: an earlier head, which must still be in the chain.
    public func followVerification(
        expecting head: String? = nil
    ) async throws -> any AsyncSequence<Data, any Error> & Sendable {
        try await transport.lines(
            for: APIRequest(
                .get, .accessLogVerification, query: [("expect", head)],
                headers: [("Accept", "application/x-ndjson")], hasTimeLimit: false))
    }

    /// Whether and since when the access log is sealed.
    public func accessLogSeal() async throws -> APIReply<AccessLogSeal> {
        try await reply(APIRequest(.get, .accessLogSeal))
    }

    /// Seals the access log from its next entry on.
    ///
    /// - Parameter replaces: whether a log that is sealed gets a new key.
    public func sealAccessLog(replacing replaces: Bool) async throws -> APIReply<AccessLogSealKey> {
        try await reply(
            APIRequest(.post, .accessLogSeal, json: AccessLogSealRequest(replace: replaces)))
    }

    /// Signs the number and the hash of the newest entry of the access log.
    public func makeCheckpoint() async throws -> APIReply<AccessLogCheckpoint> {
        try await reply(APIRequest(.post, .accessLogCheckpoints))
    }

    /// Deletes the entries of the access log before a time.
    public func pruneAccessLog(before time: String) async throws -> APIReply<AccessLogHead> {
        try await reply(APIRequest(.delete, .accessLog, query: [("before", time)]))
    }
}

// MARK: - Sessions and uploads

extension APIClient {
    /// Sessions, newest first.
    public func sessions(
        limit: Int
    ) async throws -> APIReply<ItemList<SessionDescription>> {
        try await reply(APIRequest(.get, .sessions, query: [("limit", String(limit))]))
    }

    /// One session.
    public func session(_ id: String) async throws -> APIReply<SessionDescription> {
        try await reply(APIRequest(.get, .session(id)))
    }

    /// Creates a session.
    public func createSession(
        _ request: SessionRequest
    ) async throws -> APIReply<SessionDescription> {
        try await reply(try APIRequest(.post, .sessions, json: request))
    }

    /// Changes a session.
    public func editSession(
        _ id: String, _ request: SessionRequest
    ) async throws -> APIReply<SessionDescription> {
        try await reply(try APIRequest(.patch, .session(id), json: request))
    }

    /// Deletes a session; its samples remain.
    public func deleteSession(_ id: String) async throws {
        try await perform(APIRequest(.delete, .session(id)))
    }

    /// Performs a step of a session: `start`, `pause`, `resume` or `finish`.
    public func step(
        _ step: String, ofSession id: String
    ) async throws -> APIReply<SessionDescription> {
        try await reply(APIRequest(.post, .step(step, ofSession: id)))
    }

    /// The measurements of a session as Server-Sent Events, line by line.
    public func live(
        ofSession id: String
    ) async throws -> any AsyncSequence<Data, any Error> & Sendable {
        try await transport.lines(
            for: APIRequest(.get, .live(ofSession: id), hasTimeLimit: false))
    }

    /// The route of a session as a file.
    ///
    /// - Parameters:
    ///   - format: `geojson`, `gpx` or `svg`.
    ///   - sensor: its location sensor; by default the first.
    public func route(
        ofSession id: String, format: String? = nil, sensor: String? = nil
    ) async throws -> Data {
        try await send(
            APIRequest(
                .get, .route(ofSession: id), query: [("format", format), ("sensor", sensor)],
                hasTimeLimit: false)
        ).body
    }

    /// The samples of one sensor of a session as a file, or a picture of the samples of all its sensors.
    ///
    /// - Parameters:
    ///   - format: `json`, `ndjson`, `csv` or `svg`.
    ///   - sensor: the sensor; needed if the session has several.
    public func samples(
        ofSession id: String, format: String, sensor: String? = nil
    ) async throws -> Data {
        try await send(
            APIRequest(
                .get, .samples(ofSession: id), query: [("format", format), ("sensor", sensor)],
                hasTimeLimit: false)
        ).body
    }

    /// Uploads the route of a session, or samples of a sensor, to a server.
    ///
    /// - Parameter format: a format of routes or of samples, which decides what is uploaded; by default,
    ///   the route is uploaded if the session has one, otherwise samples.
    public func sendSession(
        _ id: String, format: String?, sensor: String?, _ request: SendRequest
    ) async throws -> APIReply<SendReply> {
        try await reply(
            try APIRequest(
                .post, .send(ofSession: id), query: [("format", format), ("sensor", sensor)],
                json: request, hasTimeLimit: false))
    }

    /// A session, or all finished sessions for `nil`, as a property list of workouts.
    public func workouts(ofSession id: String?) async throws -> Data {
        try await send(
            APIRequest(.get, .workouts, query: [("session", id)], hasTimeLimit: false)
        ).body
    }

    /// Creates sessions from a file of workouts or tracks.
    ///
    /// - Parameters:
    ///   - type: `application/octet-stream` for any format, which the host recognises by the content.
    ///   - start: when the first track without times begins.
    ///   - speed: the speed of tracks without times, in m/s.
    public func importWorkouts(
        _ file: Data, type: String, start: String? = nil, speed: Double? = nil
    ) async throws -> APIReply<ImportDescription> {
        try await reply(
            APIRequest(
                .post, .workouts, query: [("start", start), ("speed", speed.map { "\($0)" })],
                body: file, type: type, hasTimeLimit: false))
    }

    /// The uploads in the outbox, oldest first.
    public func outbox() async throws -> APIReply<ItemList<UploadDescription>> {
        try await reply(APIRequest(.get, .outbox))
    }

    /// Retries an upload now.
    public func sendUpload(_ id: String) async throws -> APIReply<SendReply> {
        try await reply(APIRequest(.post, .send(ofUpload: id), hasTimeLimit: false))
    }

    /// Discards an upload.
    public func discardUpload(_ id: String) async throws {
        try await perform(APIRequest(.delete, .upload(id)))
    }
}

// MARK: - Locking

extension APIClient {
    /// The state of the owner's key.
    public func lockState() async throws -> APIReply<LockDescription> {
        try await reply(APIRequest(.get, .lock))
    }

    /// Creates the owner's key, and leaves it unlocked.
    public func setUpLock(_ request: LockSetupRequest) async throws -> APIReply<LockDescription> {
        try await reply(try APIRequest(.post, .lockSetup, json: request, hasTimeLimit: false))
    }

    /// Unlocks the owner's key.
    public func unlock(_ request: UnlockRequest) async throws -> APIReply<LockDescription> {
        try await reply(try APIRequest(.post, .unlock, json: request, hasTimeLimit: false))
    }

    /// Locks the owner's key.
    public func lock() async throws -> APIReply<LockDescription> {
        try await reply(APIRequest(.post, .lock))
    }

    /// Sets another passphrase.
    public func setPassphrase(_ request: UnlockRequest) async throws -> APIReply<LockDescription> {
        try await reply(try APIRequest(.put, .passphrase, json: request, hasTimeLimit: false))
    }

    /// Changes how long the key stays unlocked.
    public func setLease(_ lease: String) async throws -> APIReply<LockDescription> {
        try await reply(try APIRequest(.patch, .lock, json: LeaseRequest(lease: lease)))
    }

    /// The secrets without their values.
    public func secrets() async throws -> APIReply<ItemList<SecretDescription>> {
        try await reply(APIRequest(.get, .secrets))
    }

    /// Adds a secret, or replaces its value.
    ///
    /// - Parameter holder: `app:NAME` or `source:NAME`.
    public func setSecret(
        _ name: String, of holder: String, _ request: SecretRequest
    ) async throws -> APIReply<SecretDescription> {
        try await reply(try APIRequest(.put, .secret(name, of: holder), json: request))
    }

    /// Removes a secret.
    public func removeSecret(_ name: String, of holder: String) async throws {
        try await perform(APIRequest(.delete, .secret(name, of: holder)))
    }
}

// MARK: - Alerts

extension APIClient {
    /// The alert rules, by name.
    public func alerts() async throws -> APIReply<ItemList<AlertDescription>> {
        try await reply(APIRequest(.get, .alerts))
    }

    /// An alert rule.
    public func alert(_ name: String) async throws -> APIReply<AlertDescription> {
        try await reply(APIRequest(.get, .alert(name)))
    }

    /// Adds an alert rule.
    public func addAlert(
        _ name: String, _ rule: AlertDefinition
    ) async throws -> APIReply<AlertDescription> {
        try await reply(
            try APIRequest(.post, .alerts, json: AlertRequest(name: name, rule: rule)))
    }

    /// Adds an alert rule, or replaces its definition.
    public func putAlert(
        _ name: String, _ rule: AlertDefinition
    ) async throws -> APIReply<AlertDescription> {
        try await reply(try APIRequest(.put, .alert(name), json: rule))
    }

    /// Starts or stops the evaluation of an alert rule.
    public func changeAlert(
        _ name: String, _ change: AlertChange
    ) async throws -> APIReply<AlertDescription> {
        try await reply(try APIRequest(.patch, .alert(name), json: change))
    }

    /// Removes an alert rule with its history.
    public func removeAlert(_ name: String) async throws {
        try await perform(APIRequest(.delete, .alert(name)))
    }

    /// A page of the events of an alert rule, the newest first.
    ///
    /// - Parameter cursor: the `next` of the previous page.
    public func alertEvents(
        of name: String, limit: Int, cursor: String? = nil
    ) async throws -> APIReply<ItemList<AlertEventDescription>> {
        try await reply(
            APIRequest(
                .get, .events(ofAlert: name),
                query: [("limit", String(limit)), ("cursor", cursor)]))
    }

    /// When an alert rule would have fired over recorded samples.
    ///
    /// - Parameters:
    ///   - from: milliseconds since 1970, RFC 3339, or a duration before now such as `-7d`.
    ///   - to: as `from`; by default now.
    public func testAlert(
        _ name: String, from: String, to: String? = nil
    ) async throws -> APIReply<AlertTestReply> {
        try await reply(
            APIRequest(
                .get, .test(ofAlert: name), query: [("from", from), ("to", to)],
                hasTimeLimit: false))
    }

    /// Repeats the calls of an alert rule that wait or have failed.
    public func sendAlert(_ name: String) async throws -> APIReply<AlertSendReply> {
        try await reply(APIRequest(.post, .send(ofAlert: name)))
    }
}

// MARK: - Health store

extension APIClient {
    /// The types of health data.
    public func healthTypes() async throws -> APIReply<ItemList<HealthTypeDescription>> {
        try await reply(APIRequest(.get, .healthTypes))
    }

    /// How much health data is stored, by type and source.
    public func healthSummary() async throws -> APIReply<ItemList<HealthCountDescription>> {
        try await reply(APIRequest(.get, .healthSummary))
    }

    /// A page of samples of a type, the newest first.
    ///
    /// - Parameters:
    ///   - from: milliseconds since 1970, RFC 3339, or a duration before now such as `-7d`.
    ///   - to: as `from`; not included.
    ///   - unit: a UCUM code; by default the stored unit.
    ///   - cursor: the `next` of the previous page.
    public func healthSamples(
        of type: String, from: String? = nil, to: String? = nil, limit: Int, unit: String? = nil,
        cursor: String? = nil
    ) async throws -> APIReply<ItemList<HealthSampleDescription>> {
        try await reply(
            APIRequest(
                .get, .healthSamples,
                query: [
                    ("type", type), ("from", from), ("to", to), ("limit", String(limit)),
                    ("unit", unit), ("cursor", cursor),
                ], hasTimeLimit: false))
    }

    /// A page of workouts, the newest first.
    ///
    /// - Parameters:
    ///   - from: as for samples; by default 7 days ago.
    ///   - cursor: the `next` of the previous page.
    public func healthWorkouts(
        from: String? = nil, to: String? = nil, limit: Int, cursor: String? = nil
    ) async throws -> APIReply<ItemList<HealthWorkoutDescription>> {
        try await reply(
            APIRequest(
                .get, .healthWorkouts,
                query: [
                    ("from", from), ("to", to), ("limit", String(limit)), ("cursor", cursor),
                ], hasTimeLimit: false))
    }

    /// A workout with its samples.
    public func healthWorkout(_ id: String) async throws -> APIReply<HealthWorkoutDescription> {
        try await reply(APIRequest(.get, .healthWorkout(id), hasTimeLimit: false))
    }

    /// A page of correlations with their samples, the newest first.
    public func healthCorrelations(
        of type: String, from: String? = nil, to: String? = nil, limit: Int, cursor: String? = nil
    ) async throws -> APIReply<ItemList<HealthCorrelationDescription>> {
        try await reply(
            APIRequest(
                .get, .healthCorrelations,
                query: [
                    ("type", type), ("from", from), ("to", to), ("limit", String(limit)),
                    ("cursor", cursor),
                ], hasTimeLimit: false))
    }

    /// A characteristic of the owner.
    public func characteristic(
        _ type: String
    ) async throws -> APIReply<CharacteristicDescription> {
        try await reply(APIRequest(.get, .characteristic(type)))
    }

    /// Sets a characteristic.
    public func setCharacteristic(
        _ type: String, _ request: CharacteristicRequest
    ) async throws {
        try await perform(try APIRequest(.put, .characteristic(type), json: request))
    }

    /// Removes a characteristic.
    public func removeCharacteristic(_ type: String) async throws {
        try await perform(APIRequest(.delete, .characteristic(type)))
    }

    /// Deletes a sample, workout or correlation; of the last two also their samples.
    public func deleteHealthObject(_ id: String) async throws {
        try await perform(APIRequest(.delete, .healthObject(id)))
    }

    /// Deletes all health data that matches.
    ///
    /// - Parameter all: everything, characteristics included; the other conditions must then be missing.
    public func deleteHealth(
        type: String? = nil, app: String? = nil, from: String? = nil, to: String? = nil,
        all: Bool = false
    ) async throws -> APIReply<HealthDeletion> {
        try await reply(
            APIRequest(
                .delete, .healthStore,
                query: [
                    ("type", type), ("app", app), ("from", from), ("to", to),
                    ("all", all ? "true" : nil),
                ], hasTimeLimit: false))
    }
}
