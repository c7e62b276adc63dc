import AppRuns
import AppStorage
import Auth
import Connectors
import Egress
import HTTPTypes
import Hummingbird
import JSApps
import LAE
import Logging
import Samples
import Sessions
import VM

/// The one table from the modules' errors to what a caller is told.
extension Problem {
    /// What a caller is told of an error of whatever kind.
    ///
    /// - Parameter logger: takes what a caller is not told.
    init(_ error: any Error, logger: Logger?) {
        switch error {
        case let problem as Problem: self = problem
        case let error as AuthError: self.init(error)
        case let error as AppStorageError: self.init(AuthError(error))
        case let error as LAEError: self.init(error)
        case let error as VirtualMachineError: self.init(error)
        case let error as JSAppsError: self.init(error)
        case let error as AppRunsError: self.init(error)
        case let error as EgressError: self.init(error)
        case let error as PackError:
            self.init(
                status: .unprocessableContent, code: "invalid-pack",
                title: "The sensor pack is refused", detail: error.message)
        case let error as SessionsError: self.init(error)
        case let error as OutboxError: self.init(error)
        case let error as any HTTPResponseError where error.status == .notFound:
            self = .notFound("There is no resource at this path.")
        case let error as any HTTPResponseError:
            self.init(
                status: error.status, code: "http-\(error.status.code)",
                title: error.status.reasonPhrase, detail: "The request could not be served.")
        default:
            logger?.error("unexpected", metadata: ["error": "\(error)"])
            self.init(
                status: .internalServerError, code: "internal", title: "The host failed",
                detail: "The request could not be served; the host's log says why.")
        }
    }

    init(_ error: AuthError) {
        let (status, code, title): (HTTPResponse.Status, String, String) =
            switch error.code {
            case .missingToken: (.unauthorized, "missing-token", "A token is needed")
            case .invalidToken: (.unauthorized, "invalid-token", "The token is not valid")
            case .nameMismatch: (.forbidden, "name-mismatch", "The token belongs to another app")
            case .ownerOnly: (.forbidden, "owner-only", "Only the owner may do this")
            case .denied: (.forbidden, "denied", "The person has denied this")
            case .undecided: (.forbidden, "undecided", "The person has not allowed this")
            case .statisticsOnly:
                (.forbidden, "statistics-only", "Only statistics are allowed")
            case .undeclared: (.forbidden, "undeclared", "The app has not declared this")
            case .notInBackground:
                (.forbidden, "not-in-background", "Allowed only while the person watches")
            case .severalSensors:
                (.conflict, "several-sensors", "The name stands for several sensors")
            case .restricted: (.forbidden, "restricted", "Nobody is given this on this machine")
            case .invalidPrivilege:
                (.unprocessableContent, "invalid-privilege", "This is not a privilege")
            case .notFound: (.notFound, "not-found", "There is nothing here")
            case .nameTaken: (.conflict, "name-taken", "The name is taken")
            case .tooManyAttempts:
                (.tooManyRequests, "too-many-attempts", "Too many wrong tokens came")
            case .invalidKey: (.badRequest, "invalid-key", "The key is not one")
            case .tooLarge: (.contentTooLarge, "too-large", "The value is too large")
            case .invalidMessage:
                (.unprocessableContent, "invalid-message", "This is not a message")
            case .tooManyMessages:
                (.tooManyRequests, "too-many-messages", "The app has said enough for now")
            case .storageFull: (.insufficientStorage, "storage-full", "The app's storage is full")
            case .diskFull: (.insufficientStorage, "disk-full", "The disk is full")
            case .unsafeFile, .storeFailed: (.internalServerError, "internal", "The host failed")
            }
        self.init(
            status: status, code: code, title: title, detail: error.message, fix: error.hint,
            privilege: error.privilege?.description, headers: [:],
            space: error.usage.map { ($0.used, StorageUsage.limit) })
        if let wait = error.retryAfter {
            headers[.retryAfter] = String(max(1, (wait.wholeMicroseconds + 999_999) / 1_000_000))
        }
        switch status {
        case .unauthorized where error.code == .missingToken:
            headers[.wwwAuthenticate] = #"Bearer realm="nervous""#
        case .unauthorized:
            headers[.wwwAuthenticate] = #"Bearer realm="nervous", error="invalid_token""#
        case .forbidden:
            let scope = error.privilege.map { #", scope="\#($0)""# } ?? ""
            headers[.wwwAuthenticate] =
                #"Bearer realm="nervous", error="insufficient_scope"\#(scope)"#
        default: break
        }
    }

    init(_ error: LAEError) {
        let (status, code, title): (HTTPResponse.Status, String, String) =
            switch error.code {
            case .unknownSensor: (.notFound, "unknown-sensor", "There is no such sensor")
            case .unavailable:
                (.serviceUnavailable, "sensor-unavailable", "The sensor is not available")
            case .unknownField:
                (.unprocessableContent, "unknown-field", "The sensor has no such field")
            case .notNumeric: (.unprocessableContent, "not-numeric", "The field is not a number")
            case .invalidCondition:
                (.unprocessableContent, "invalid-condition", "The condition is not understood")
            case .tooManyWindows:
                (.unprocessableContent, "too-many-windows", "The answer would be too long")
            case .unknownAnalysis:
                (.unprocessableContent, "unknown-analysis", "There is no such analysis")
            case .invalidAnalysis:
                (.unprocessableContent, "invalid-analysis", "The analysis cannot be made so")
            case .tooManyRows:
                (.unprocessableContent, "too-many-rows", "The range holds too many samples")
            case .notGranted: (.forbidden, "statistics-only", "Only statistics are allowed")
            case .sensorOff: (.conflict, "sensor-off", "The sensor is off")
            case .batchTooLarge: (.contentTooLarge, "too-large", "The body is too large")
            case .bufferFull, .changed: (.serviceUnavailable, "busy", "Too much is going on")
            case .diskFull: (.insufficientStorage, "disk-full", "The disk is full")
            case .keyReused: (.unprocessableContent, "key-reused", "The key names another batch")
            case .invalidDefinition:
                (.unprocessableContent, "invalid-sensor", "The sensor cannot be declared so")
            case .sensorComputed: (.conflict, "sensor-virtual", "The sensor is virtual")
            case .sensorCollected: (.conflict, "sensor-collected", "The host reads the sensor")
            case .failed: (.internalServerError, "internal", "The host failed")
            }
        self.init(
            status: status, code: code, title: title, detail: error.message, fix: error.hint)
        if code == "busy" { headers[.retryAfter] = "1" }
    }

    init(_ error: VirtualMachineError) {
        let (status, code, title): (HTTPResponse.Status, String, String) =
            switch error.code {
            case .unknownSensor: (.notFound, "unknown-sensor", "There is no such sensor")
            case .invalidSensor:
                (.unprocessableContent, "invalid-sensor", "The sensor cannot be declared so")
            case .sensorTaken: (.conflict, "name-taken", "The name is taken")
            case .diskFull: (.insufficientStorage, "disk-full", "The disk is full")
            case .alreadyRunning, .dataUnusable, .unavailable, .sensorOff, .bufferFull,
                .batchTooLarge, .keyReused, .sensorComputed, .sensorCollected, .storeFailed:
                (.internalServerError, "internal", "The host failed")
            }
        self.init(
            status: status, code: code, title: title, detail: error.message, fix: error.hint)
    }

    init(_ error: JSAppsError) {
        let (status, title): (HTTPResponse.Status, String) =
            switch error.code {
            case .notInstalled: (.notFound, "The app is not installed")
            case .inputMissing: (.notFound, "There is no such file")
            case .signerChanged: (.conflict, "The package has another signer")
            case .nameTaken: (.conflict, "The name is taken")
            case .downgrade: (.conflict, "The package is older")
            case .conflict: (.conflict, "Conflict with the current state")
            case .tooLarge: (.contentTooLarge, "The package is too large")
            case .unpackerUnavailable, .confinement:
                (.serviceUnavailable, "Archives cannot be unpacked here")
            case .damaged, .io: (.internalServerError, "Internal server error")
            case .notAnArchive, .malformedArchive, .unsupportedArchive, .unsafePath, .unsafeEntry,
                .duplicateName, .wrongFolderName, .missingFile, .badManifest, .badSignature:
                (.unprocessableContent, "The package is refused")
            case .badKey, .noSuchKey, .keyExists, .unsafeKeys:
                (.unprocessableContent, "The key is refused")
            }
        self.init(
            status: status, code: error.code.rawValue, title: title, detail: error.message,
            fix: error.hint)
    }

    init(_ error: AppRunsError) {
        let (status, title): (HTTPResponse.Status, String) =
            switch error.code {
            case .noRun: (.notFound, "There is no such run")
            case .conflict: (.conflict, "Conflict with the current state")
            case .confinement: (.serviceUnavailable, "Apps cannot be confined here")
            case .damaged, .io: (.internalServerError, "Internal server error")
            }
        self.init(
            status: status, code: error.code.rawValue, title: title, detail: error.message,
            fix: error.hint)
    }

    init(_ error: SessionsError) {
        let (status, code, title): (HTTPResponse.Status, String, String) =
            switch error.code {
            case .notFound: (.notFound, "not-found", "There is nothing here")
            case .nameTaken: (.conflict, "name-taken", "The name is taken")
            case .wrongState:
                (.conflict, "wrong-state", "The state of the session does not allow this")
            case .tooFar: (.conflict, "too-far", "The session was paused too far from here")
            case .inaccurate: (.conflict, "inaccurate", "The place is not known well enough")
            case .full: (.conflict, "session-full", "The session holds no more steps")
            case .invalid: (.unprocessableContent, "invalid-session", "This is not a session")
            case .diskFull: (.insufficientStorage, "disk-full", "The disk is full")
            case .unsafeFile, .storeFailed: (.internalServerError, "internal", "The host failed")
            }
        self.init(
            status: status, code: code, title: title, detail: error.message, fix: error.hint)
    }

    init(_ error: OutboxError) {
        let (status, code, title): (HTTPResponse.Status, String, String) =
            switch error.code {
            case .invalid: (.unprocessableContent, "cannot-be-sent", "It cannot be sent so")
            case .notFound: (.notFound, "not-found", "There is nothing here")
            case .notDelivered: (.badGateway, "not-delivered", "It has not arrived")
            case .full: (.conflict, "outbox-full", "Too much waits already")
            case .busy: (.conflict, "busy", "It is being sent")
            case .diskFull: (.insufficientStorage, "disk-full", "The disk is full")
            case .storeFailed: (.internalServerError, "internal", "The host failed")
            }
        self.init(
            status: status, code: code, title: title, detail: error.message, fix: error.hint)
    }
}
