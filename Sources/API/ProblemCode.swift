/// The stable codes of the API's problems.
///
/// Each has one HTTP status and one title. Every table from a code to something else is a `switch`
/// without `default`, so that a new code does not compile before it is in all of them.
public enum ProblemCode: String, CaseIterable, Hashable, Sendable, Codable {
    // MARK: Requests

    /// A parameter is missing, unknown or malformed.
    case invalidParameter = "invalid-parameter"
    /// The body is malformed.
    case invalidBody = "invalid-body"
    /// A storage key is malformed.
    case invalidKey = "invalid-key"
    /// No resource at this path, or no item of this name.
    case notFound = "not-found"
    /// The resource does not have this method.
    case methodNotAllowed = "method-not-allowed"
    /// No resource has this method.
    case methodUnknown = "method-unknown"
    /// The client accepts no form in which the answer is available.
    case notAcceptable = "not-acceptable"
    /// The body is sent too slowly.
    case timedOut = "too-slow"
    /// The body, a value or a package exceeds its limit.
    case tooLarge = "too-large"
    /// The body has a type that the resource does not accept.
    case unsupportedMediaType = "unsupported-media-type"
    /// The `Host` field names another server.
    case misdirected
    /// A page of another origin sent the request.
    case crossOrigin = "cross-origin"
    /// A page tried to register a service worker.
    case serviceWorker = "service-worker"
    /// The server has no capacity for the request now.
    case busy
    /// An unexpected error.
    case internalError = "internal"
    /// The disk is full.
    case diskFull = "disk-full"
    /// The access log cannot be written, so nothing is read.
    case logUnavailable = "log-unavailable"
    /// The HTTP server for the dashboard and the pages of apps is not running.
    case notServing = "not-serving"
    /// The host has no listener for the local network.
    case notListening = "not-listening"

    // MARK: Permission

    /// The request has no token.
    case missingToken = "missing-token"
    /// The token is unknown, expired or revoked.
    case invalidToken = "invalid-token"
    /// The token belongs to another app.
    case nameMismatch = "name-mismatch"
    /// Only the owner may do this.
    case ownerOnly = "owner-only"
    /// The owner denied the privilege.
    case denied
    /// The owner has not decided about the privilege.
    case undecided
    /// Only statistics are granted.
    case statisticsOnly = "statistics-only"
    /// The manifest does not declare the privilege.
    case undeclared
    /// The grant does not hold in the background.
    case notInBackground = "not-in-background"
    /// Several sensors of the requested kind are granted.
    case severalSensors = "several-sensors"
    /// The policy of this machine blocks the privilege.
    case restricted
    /// The text is not a privilege.
    case invalidPrivilege = "invalid-privilege"
    /// This host cannot grant the privilege.
    case unsupportedPrivilege = "unsupported-privilege"
    /// The name is already in use.
    case nameTaken = "name-taken"
    /// Too many requests with invalid tokens.
    case tooManyAttempts = "too-many-attempts"

    // MARK: Locking

    /// The owner's key is locked.
    case locked
    /// There is no owner's key.
    case lockNotSetUp = "lock-not-set-up"
    /// The passphrase, the credential or the recovered key does not unlock the owner's key.
    case notUnlocked = "not-unlocked"
    /// Too many wrong passphrases.
    case tooManyPassphrases = "too-many-passphrases"
    /// No secret has this name.
    case noSuchSecret = "no-such-secret"
    /// The value of a secret is invalid, or there are too many.
    case invalidSecret = "invalid-secret"
    /// The passphrase or the recovery key is unsuitable.
    case unsuitableKey = "unsuitable-key"

    // MARK: Storage and messages of apps

    /// The storage of the app is full.
    case storageFull = "storage-full"
    /// The message is malformed.
    case invalidMessage = "invalid-message"
    /// The app sends too many messages.
    case tooManyMessages = "too-many-messages"
    /// The app writes too much to the log.
    case logFull = "log-full"

    // MARK: Sensors, samples and analyses

    /// No sensor has this name.
    case unknownSensor = "unknown-sensor"
    /// The sensor is not available on this machine now.
    case sensorUnavailable = "sensor-unavailable"
    /// The sensor is off.
    case sensorOff = "sensor-off"
    /// The sensor is virtual.
    case sensorVirtual = "sensor-virtual"
    /// The host reads the sensor; clients cannot publish to it.
    case sensorCollected = "sensor-collected"
    /// The declaration of the sensor is invalid.
    case invalidSensor = "invalid-sensor"
    /// A sample does not fit the fields of its sensor.
    case invalidSample = "invalid-sample"
    /// The idempotency key was used for another batch.
    case keyReused = "key-reused"
    /// The sensor has no sample that may be read.
    case noSamples = "no-samples"
    /// The sensor has no such field.
    case unknownField = "unknown-field"
    /// The field is not numeric.
    case notNumeric = "not-numeric"
    /// No statistic has this name.
    case unknownStatistic = "unknown-function"
    /// The condition is malformed.
    case invalidCondition = "invalid-condition"
    /// The range has too many windows.
    case tooManyWindows = "too-many-windows"
    /// No analysis has this name.
    case unknownAnalysis = "unknown-analysis"
    /// The analysis or its parameters are invalid.
    case invalidAnalysis = "invalid-analysis"
    /// The range has too many samples, windows or different texts to compute or return.
    case tooManyRows = "too-many-rows"
    /// Some lines of a push were not stored.
    case partialWrite = "partial-write"
    /// The sensor pack is invalid.
    case invalidPack = "invalid-pack"
    /// No sensor pack of this name is installed.
    case unknownPack = "unknown-pack"

    // MARK: Sessions and uploads

    /// The session does not allow this step in its state.
    case wrongState = "wrong-state"
    /// The position is too far from the one at which the session was paused.
    case tooFar = "too-far"
    /// The position is not accurate enough.
    case inaccurate
    /// The session has too many steps.
    case sessionFull = "session-full"
    /// The session is malformed.
    case invalidSession = "invalid-session"
    /// The file has no valid workouts.
    case invalidWorkouts = "invalid-workouts"
    /// The upload is invalid.
    case invalidUpload = "cannot-be-sent"
    /// The server did not accept the upload.
    case notDelivered = "not-delivered"
    /// The outbox is full.
    case outboxFull = "outbox-full"

    // MARK: Alerts

    /// The definition of an alert rule is invalid.
    case invalidAlert = "invalid-alert"
    /// There are as many alert rules as there can be.
    case alertsFull = "alerts-full"

    // MARK: Health store

    /// No type of health data has this name.
    case unknownHealthType = "unknown-health-type"
    /// The unit is not one of the type's.
    case unitMismatch = "unit-mismatch"
    /// The health data is malformed.
    case invalidHealthData = "invalid-health-data"
    /// The client has saved the maximum of health data.
    case healthFull = "health-full"

    // MARK: Calls to other servers

    /// The address is malformed.
    case invalidAddress = "invalid-address"
    /// The request cannot be sent.
    case invalidRequest = "invalid-request"
    /// Apps may not call the address.
    case addressRefused = "address-refused"
    /// The address is that of this host.
    case ownHost = "own-host"
    /// A redirect leads to an origin that is not granted.
    case redirectRefused = "redirect-refused"
    /// The server's name has no address.
    case unknownHost = "unknown-host"
    /// The server cannot be reached.
    case unreachable
    /// The certificate is not trusted.
    case untrustedCertificate = "untrusted-certificate"
    /// The certificate does not match its pin.
    case wrongCertificate = "wrong-certificate"
    /// The server took too long.
    case fetchTimeout = "fetch-timeout"
    /// The response is malformed or incomplete.
    case invalidResponse = "broken-answer"
    /// The server answered with a status other than success.
    case unexpectedStatus = "unexpected-status"
    /// The response is too large.
    case responseTooLarge = "answer-too-large"
    /// The response is compressed.
    case responseEncoded = "answer-encoded"
    /// Too many redirects.
    case tooManyRedirects = "too-many-redirects"
    /// The app calls too often.
    case tooManyCalls = "too-many-calls"
    /// The client has no open WebSocket of this identifier.
    case unknownWebSocket = "unknown-websocket"

    // MARK: Apps and packages

    /// The app is not installed.
    case notInstalled = "not-installed"
    /// The file or folder does not exist.
    case inputMissing = "input-missing"
    /// The input is not a package.
    case notAnArchive = "not-an-archive"
    /// The archive is damaged.
    case malformedArchive = "malformed-archive"
    /// The archive uses a feature that packages may not use.
    case unsupportedArchive = "unsupported-archive"
    /// A path in the package is unsafe.
    case unsafePath = "unsafe-path"
    /// The package contains something other than files and folders.
    case unsafeEntry = "unsafe-entry"
    /// Two names in the package differ only in case or in Unicode form, so some file systems treat them
    /// as the same.
    case duplicateName = "duplicate-name"
    /// The folder in the package is not named after the app.
    case wrongFolderName = "wrong-folder-name"
    /// The package, or the app, lacks a file.
    case missingFile = "missing-file"
    /// The manifest is invalid.
    case badManifest = "bad-manifest"
    /// The signature is invalid.
    case badSignature = "bad-signature"
    /// The package has another signer than the installed app.
    case signerChanged = "signer-changed"
    /// The index of a catalogue is invalid.
    case badCatalogue = "bad-catalogue"
    /// The catalogue is signed by another key than the pinned one.
    case catalogueKeyChanged = "catalogue-key-changed"
    /// The index of the catalogue is older than the newest one seen.
    case staleCatalogue = "stale-catalogue"
    /// No catalogue has this name.
    case noSuchCatalogue = "no-such-catalogue"
    /// The catalogue has no package of this name.
    case noSuchPackage = "no-such-package"
    /// The package is not the one that its catalogue lists.
    case packageMismatch = "package-mismatch"
    /// The package is older than the installed app.
    case downgrade
    /// A key, or its name, is malformed.
    case badKey = "bad-key"
    /// No key has this name.
    case noSuchKey = "no-such-key"
    /// A key of this name already exists.
    case keyExists = "key-exists"
    /// Other users of the machine can read the keys.
    case unsafeKeys = "unsafe-keys"
    /// The files of an installed app changed, or the file with the data of apps is damaged.
    case damaged
    /// Archives cannot be unpacked on this machine.
    case unpackerUnavailable = "unpacker-unavailable"
    /// No run has this identifier.
    case noRun = "no-run"
    /// The request does not fit the current state.
    case conflict
    /// Apps cannot be confined on this machine.
    case confinement
    /// Reading or writing failed.
    case io
}

extension ProblemCode {
    /// The HTTP status of a problem.
    ///
    /// Two exceptions: 409 if `busy` is about an upload that is being sent already, and 426 if `invalid-request` is
    /// about the version of the WebSocket protocol.
    public var status: Int {
        switch self {
        case .invalidParameter, .invalidBody, .invalidKey, .invalidAddress, .invalidRequest,
            .partialWrite:
            400
        case .missingToken, .invalidToken: 401
        case .crossOrigin, .serviceWorker, .nameMismatch, .ownerOnly, .denied, .undecided,
            .statisticsOnly, .undeclared, .notInBackground, .restricted, .addressRefused, .ownHost,
            .redirectRefused, .notUnlocked:
            403
        case .notFound, .unknownSensor, .noSamples, .unknownPack, .notInstalled, .inputMissing,
            .noRun, .unknownWebSocket, .noSuchCatalogue, .noSuchPackage, .unknownHealthType,
            .noSuchSecret:
            404
        case .methodNotAllowed: 405
        case .notAcceptable: 406
        case .timedOut: 408
        case .severalSensors, .nameTaken, .sensorOff, .sensorVirtual, .sensorCollected, .wrongState,
            .tooFar, .inaccurate, .sessionFull, .outboxFull, .alertsFull, .signerChanged,
            .downgrade,
            .conflict, .catalogueKeyChanged, .staleCatalogue, .lockNotSetUp:
            409
        case .tooLarge: 413
        case .unsupportedMediaType: 415
        case .misdirected: 421
        case .invalidPrivilege, .unsupportedPrivilege, .invalidMessage, .invalidSensor,
            .invalidSample, .keyReused, .unknownField, .notNumeric, .unknownStatistic,
            .invalidCondition, .tooManyWindows, .unknownAnalysis, .invalidAnalysis, .tooManyRows,
            .invalidPack, .invalidSession, .invalidWorkouts, .invalidUpload, .invalidAlert,
            .notAnArchive, .malformedArchive, .unsupportedArchive, .unsafePath, .unsafeEntry,
            .duplicateName,
            .wrongFolderName, .missingFile, .badManifest, .badSignature, .badKey, .noSuchKey,
            .keyExists, .unsafeKeys, .badCatalogue, .packageMismatch, .unitMismatch,
            .invalidHealthData, .unsuitableKey, .invalidSecret:
            422
        case .locked: 423
        case .tooManyAttempts, .tooManyPassphrases, .tooManyMessages, .logFull, .tooManyCalls: 429
        case .internalError, .damaged, .io: 500
        case .methodUnknown: 501
        case .notDelivered, .unknownHost, .unreachable, .untrustedCertificate, .wrongCertificate,
            .invalidResponse, .unexpectedStatus, .responseTooLarge, .responseEncoded,
            .tooManyRedirects:
            502
        case .busy, .logUnavailable, .notServing, .notListening, .sensorUnavailable,
            .unpackerUnavailable, .confinement:
            503
        case .fetchTimeout: 504
        case .diskFull, .storageFull, .healthFull: 507
        }
    }

    /// The URI of the kind of problem, `urn:nervous:problem:` and the code.
    public var type: String {
        "urn:nervous:problem:\(rawValue)"
    }

    /// The kind of problem in a few words.
    public var title: String {
        switch self {
        case .invalidParameter: "Invalid parameter"
        case .invalidBody: "Invalid body"
        case .invalidKey: "Invalid key"
        case .notFound: "Not found"
        case .methodNotAllowed: "Method not allowed"
        case .methodUnknown: "Method not implemented"
        case .notAcceptable: "Not acceptable"
        case .timedOut: "Request timeout"
        case .tooLarge: "Too large"
        case .unsupportedMediaType: "Unsupported media type"
        case .misdirected: "Misdirected request"
        case .crossOrigin: "Cross-origin request refused"
        case .serviceWorker: "Service workers are not supported"
        case .busy: "Server busy"
        case .internalError, .damaged, .io: "Internal server error"
        case .diskFull: "The disk is full"
        case .logUnavailable: "The access log cannot be written"
        case .notServing: "The HTTP server for pages is not running"
        case .notListening: "No listener for the local network"
        case .missingToken: "Token required"
        case .invalidToken: "Invalid token"
        case .nameMismatch: "The token belongs to another app"
        case .ownerOnly: "Owner only"
        case .denied: "Permission denied"
        case .undecided: "Permission not decided"
        case .statisticsOnly: "Statistics only"
        case .undeclared: "Privilege not declared"
        case .notInBackground: "Not granted in the background"
        case .severalSensors: "Several sensors match"
        case .restricted: "Blocked by policy"
        case .invalidPrivilege: "Invalid privilege"
        case .unsupportedPrivilege: "Unsupported privilege"
        case .nameTaken: "The name is already in use"
        case .tooManyAttempts: "Too many invalid tokens"
        case .locked: "Locked"
        case .lockNotSetUp: "No owner's key"
        case .notUnlocked: "Not unlocked"
        case .tooManyPassphrases: "Too many wrong passphrases"
        case .noSuchSecret: "Unknown secret"
        case .invalidSecret: "Invalid secret"
        case .unsuitableKey: "Unsuitable passphrase or recovery key"
        case .storageFull: "The storage of the app is full"
        case .invalidMessage: "Invalid message"
        case .tooManyMessages: "Too many messages"
        case .logFull: "Log limit exceeded"
        case .unknownSensor: "Unknown sensor"
        case .sensorUnavailable: "Sensor not available"
        case .sensorOff: "The sensor is off"
        case .sensorVirtual: "The sensor is virtual"
        case .sensorCollected: "The host collects the sensor"
        case .invalidSensor: "Invalid sensor declaration"
        case .invalidSample: "Invalid sample"
        case .keyReused: "Idempotency key reused"
        case .noSamples: "No samples"
        case .unknownField: "Unknown field"
        case .notNumeric: "The field is not numeric"
        case .unknownStatistic: "Unknown statistic"
        case .invalidCondition: "Invalid condition"
        case .tooManyWindows: "Too many windows"
        case .unknownAnalysis: "Unknown analysis"
        case .invalidAnalysis: "Invalid analysis"
        case .tooManyRows: "Too many samples or windows"
        case .partialWrite: "Partial write"
        case .invalidPack: "Invalid sensor pack"
        case .unknownPack: "Unknown sensor pack"
        case .wrongState: "Not possible in this state"
        case .tooFar: "The position is too far away"
        case .inaccurate: "The position is not accurate enough"
        case .sessionFull: "The session has too many steps"
        case .invalidSession: "Invalid session"
        case .invalidWorkouts: "Invalid workouts"
        case .invalidUpload: "Invalid upload"
        case .notDelivered: "Not delivered"
        case .outboxFull: "The outbox is full"
        case .invalidAlert: "Invalid alert rule"
        case .alertsFull: "There are too many alert rules"
        case .unknownHealthType: "Unknown type of health data"
        case .unitMismatch: "Not a unit of the type"
        case .invalidHealthData: "Invalid health data"
        case .healthFull: "Too much health data"
        case .invalidAddress: "Invalid address"
        case .invalidRequest: "Invalid request"
        case .addressRefused: "Address not allowed"
        case .ownHost: "The address is that of the host"
        case .redirectRefused: "Redirect not allowed"
        case .unknownHost: "Unknown server"
        case .unreachable: "Server unreachable"
        case .untrustedCertificate: "Untrusted certificate"
        case .wrongCertificate: "The certificate does not match its pin"
        case .fetchTimeout: "The server took too long"
        case .invalidResponse: "Invalid response"
        case .unexpectedStatus: "Unexpected status"
        case .responseTooLarge: "The response is too large"
        case .responseEncoded: "The response is compressed"
        case .tooManyRedirects: "Too many redirects"
        case .tooManyCalls: "Too many calls"
        case .unknownWebSocket: "Unknown WebSocket"
        case .notInstalled: "App not installed"
        case .inputMissing: "File not found"
        case .notAnArchive, .malformedArchive, .unsupportedArchive, .unsafePath, .unsafeEntry,
            .duplicateName, .wrongFolderName, .missingFile, .badManifest, .badSignature:
            "Invalid package"
        case .badKey, .noSuchKey, .keyExists, .unsafeKeys: "Invalid signing key"
        case .signerChanged: "The package has another signer"
        case .badCatalogue: "Invalid catalogue"
        case .catalogueKeyChanged: "The catalogue has another key"
        case .staleCatalogue: "The catalogue is older"
        case .noSuchCatalogue: "Unknown catalogue"
        case .noSuchPackage: "Unknown package"
        case .packageMismatch: "Not the package of the catalogue"
        case .downgrade: "The package is older"
        case .unpackerUnavailable: "Archives cannot be unpacked"
        case .noRun: "Unknown run"
        case .conflict: "Conflict with the current state"
        case .confinement: "Apps cannot be confined"
        }
    }
}

/// A problem in the form of `application/problem+json` (RFC 9457).
public struct ProblemDetails: Codable, Equatable, Sendable {
    /// A URI of the kind of problem.
    public let type: String
    /// The kind of problem in a few words.
    public let title: String
    /// The HTTP status.
    public let status: Int
    /// A description of this problem, in a sentence.
    public let detail: String
    /// The code; for an error of the HTTP parser, `http-` and the status.
    public let code: String
    /// The command or setting that would help.
    public let fix: String?
    /// The privilege that was missing.
    public let privilege: String?
    /// If the storage is full: the bytes in use.
    public let used: Int?
    /// If the storage is full: the bytes that are allowed.
    public let limit: Int?
    /// The URL of the page that explains how to change the permissions of the app.
    public let settings: String?

    /// Creates a value from its members.
    public init(
        type: String, title: String, status: Int, detail: String, code: String, fix: String? = nil,
        privilege: String? = nil, used: Int? = nil, limit: Int? = nil, settings: String? = nil
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.code = code
        self.fix = fix
        self.privilege = privilege
        self.used = used
        self.limit = limit
        self.settings = settings
    }

    /// The code, if this version knows it.
    public var problemCode: ProblemCode? { ProblemCode(rawValue: code) }
}
