package import API
import Alerts
import AppRuns
import AppStorage
import Auth
import Connectors
import Egress
import HTTPTypes
import Health
import Hummingbird
import JSApps
import LAE
import Logging
import Samples
import Sealing
import Sessions
package import VM

/// Maps the errors of the modules to problems.
extension Problem {
    /// The problem for an error of any type.
    ///
    /// - Parameter logger: receives an unexpected error, which the problem does not describe.
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
        case let error as PackError: self.init(.invalidPack, error.message)
        case let error as SessionsError: self.init(error)
        case let error as OutboxError: self.init(error)
        case let error as HealthError: self.init(error)
        case let error as AlertsError: self.init(error)
        case let error as SealingError: self.init(error)
        case let error as any HTTPResponseError where error.status == .notFound:
            self = .notFound("There is no resource at this path.")
        case let error as any HTTPResponseError: self.init(error.status)
        default:
            logger?.error("unexpected error", metadata: ["error": "\(error)"])
            self.init(.internalError, "An unexpected error occurred; see the host's log.")
        }
    }

    init(_ error: AuthError) {
        let code = ProblemCode(error.code)
        self.init(
            code, error.message, fix: error.clientHint ?? error.hint,
            privilege: error.privilege?.description)
        space = error.usage.map { ($0.used, StorageUsage.limit) }
        if let wait = error.retryAfter { headers[.retryAfter] = Self.wholeSeconds(wait) }
        if code == .missingToken {
            headers[.wwwAuthenticate] = #"Bearer realm="nervous""#
        } else if status == .unauthorized {
            headers[.wwwAuthenticate] = #"Bearer realm="nervous", error="invalid_token""#
        } else if status == .forbidden {
            let scope = error.privilege.map { #", scope="\#($0)""# } ?? ""
            headers[.wwwAuthenticate] =
                #"Bearer realm="nervous", error="insufficient_scope"\#(scope)"#
        }
    }

    init(_ error: VirtualMachineError) {
        self.init(ProblemCode(error.code), error.message, fix: error.hint)
    }

    init(_ error: JSAppsError) {
        self.init(ProblemCode(error.code), error.message, fix: error.hint)
    }

    init(_ error: AppRunsError) {
        self.init(ProblemCode(error.code), error.message, fix: error.hint)
    }

    init(_ error: SessionsError) {
        self.init(ProblemCode(error.code), error.message, fix: error.hint)
    }

    init(_ error: HealthError) {
        self.init(ProblemCode(error.code), error.message, fix: error.hint)
    }

    init(_ error: AlertsError) {
        self.init(ProblemCode(error.code), error.message, fix: error.hint)
        // A history test fails as the query that it made.
        if error.code == .sourceFailed, let cause = error.cause {
            self = Problem(cause, logger: nil)
        }
    }

    init(_ error: LAEError) {
        self.init(ProblemCode(error.code), error.message, fix: error.hint)
        if code == .busy { headers[.retryAfter] = "1" }
        if code == .logUnavailable { headers[.retryAfter] = "10" }
    }

    init(_ error: EgressError) {
        self.init(ProblemCode(error.code), error.message, fix: error.hint)
        if let wait = error.retryAfter { headers[.retryAfter] = Self.wholeSeconds(wait) }
    }

    init(_ error: OutboxError) {
        self.init(ProblemCode(error.code), error.message, fix: error.hint)
        // The upload is being sent already: a conflict, not a lack of capacity.
        if code == .busy { self = Problem(self, status: .conflict) }
    }

    /// The value of `Retry-After`: at least 1, rounded up.
    static func wholeSeconds(_ duration: Duration) -> String {
        String(max(1, Int((duration / .seconds(1)).rounded(.up))))
    }
}

// MARK: - From the modules' codes

extension ProblemCode {
    init(_ code: AuthError.Code) {
        self =
            switch code {
            case .missingToken: .missingToken
            case .invalidToken: .invalidToken
            case .nameMismatch: .nameMismatch
            case .ownerOnly: .ownerOnly
            case .denied: .denied
            case .undecided: .undecided
            case .statisticsOnly: .statisticsOnly
            case .undeclared: .undeclared
            case .notInBackground: .notInBackground
            case .severalSensors: .severalSensors
            case .restricted: .restricted
            case .invalidPrivilege: .invalidPrivilege
            case .notFound: .notFound
            case .nameTaken: .nameTaken
            case .tooManyAttempts: .tooManyAttempts
            case .invalidKey: .invalidKey
            case .tooLarge: .tooLarge
            case .invalidMessage: .invalidMessage
            case .tooManyMessages: .tooManyMessages
            case .storageFull: .storageFull
            case .diskFull: .diskFull
            case .logUnavailable: .logUnavailable
            case .wrongSeal: .wrongState
            case .storageDamaged: .damaged
            case .unsafeFile, .storeFailed: .internalError
            }
    }

    init(_ code: LAEError.Code) {
        self =
            switch code {
            case .unknownSensor: .unknownSensor
            case .unavailable: .sensorUnavailable
            case .unknownField: .unknownField
            case .notNumeric: .notNumeric
            case .invalidCondition: .invalidCondition
            case .tooManyWindows: .tooManyWindows
            case .unknownAnalysis: .unknownAnalysis
            case .invalidAnalysis: .invalidAnalysis
            case .tooManyRows: .tooManyRows
            case .notGranted: .statisticsOnly
            case .sensorOff: .sensorOff
            case .batchTooLarge: .tooLarge
            case .bufferFull, .changed: .busy
            case .diskFull: .diskFull
            case .keyReused: .keyReused
            case .invalidDefinition: .invalidSensor
            case .sensorComputed: .sensorVirtual
            case .sensorCollected: .sensorCollected
            case .logUnavailable: .logUnavailable
            case .failed: .internalError
            }
    }

    /// The code for an error of the virtual machine, also when it ends a command.
    package init(_ code: VirtualMachineError.Code) {
        self =
            switch code {
            case .unknownSensor: .unknownSensor
            case .unavailable: .sensorUnavailable
            case .sensorOff: .sensorOff
            case .bufferFull: .busy
            case .batchTooLarge: .tooLarge
            case .diskFull: .diskFull
            case .keyReused: .keyReused
            case .invalidSensor: .invalidSensor
            case .sensorTaken: .nameTaken
            case .sensorComputed: .sensorVirtual
            case .sensorCollected: .sensorCollected
            case .alreadyRunning, .dataUnusable, .storeFailed: .internalError
            }
    }

    init(_ code: JSAppsError.Code) {
        self =
            switch code {
            case .inputMissing: .inputMissing
            case .notAnArchive: .notAnArchive
            case .malformedArchive: .malformedArchive
            case .unsupportedArchive: .unsupportedArchive
            case .tooLarge: .tooLarge
            case .unsafePath: .unsafePath
            case .unsafeEntry: .unsafeEntry
            case .duplicateName: .duplicateName
            case .wrongFolderName: .wrongFolderName
            case .missingFile: .missingFile
            case .badManifest: .badManifest
            case .badSignature: .badSignature
            case .signerChanged: .signerChanged
            case .badCatalogue: .badCatalogue
            case .catalogueKeyChanged: .catalogueKeyChanged
            case .staleCatalogue: .staleCatalogue
            case .noSuchCatalogue: .noSuchCatalogue
            case .noSuchPackage: .noSuchPackage
            case .packageMismatch: .packageMismatch
            case .downgrade: .downgrade
            case .nameTaken: .nameTaken
            case .badKey: .badKey
            case .noSuchKey: .noSuchKey
            case .keyExists: .keyExists
            case .unsafeKeys: .unsafeKeys
            case .notInstalled: .notInstalled
            case .damaged: .damaged
            case .unpackerUnavailable: .unpackerUnavailable
            case .conflict: .conflict
            case .confinement: .confinement
            case .io: .io
            }
    }

    init(_ code: AppRunsError.Code) {
        self =
            switch code {
            case .noRun: .noRun
            case .conflict: .conflict
            case .confinement: .confinement
            case .damaged: .damaged
            case .io: .io
            }
    }

    init(_ code: SessionsError.Code) {
        self =
            switch code {
            case .notFound: .notFound
            case .nameTaken: .nameTaken
            case .wrongState: .wrongState
            case .tooFar: .tooFar
            case .inaccurate: .inaccurate
            case .full: .sessionFull
            case .invalid: .invalidSession
            case .diskFull: .diskFull
            case .unsafeFile, .storeFailed: .internalError
            }
    }

    init(_ code: HealthError.Code) {
        self =
            switch code {
            case .unknownType: .unknownHealthType
            case .notFound: .notFound
            case .unitMismatch: .unitMismatch
            case .invalid: .invalidHealthData
            case .keyReused: .keyReused
            case .full: .healthFull
            case .damaged: .damaged
            case .diskFull: .diskFull
            case .unsafeFile, .storeFailed: .internalError
            }
    }

    init(_ code: AlertsError.Code) {
        self =
            switch code {
            case .notFound: .notFound
            case .nameTaken: .nameTaken
            case .invalid: .invalidAlert
            case .full: .alertsFull
            case .diskFull: .diskFull
            case .sourceFailed, .unsafeFile, .storeFailed: .internalError
            }
    }

    init(_ code: OutboxError.Code) {
        self =
            switch code {
            case .invalid: .invalidUpload
            case .notFound: .notFound
            case .notDelivered: .notDelivered
            case .full: .outboxFull
            case .busy: .busy
            case .diskFull: .diskFull
            case .storeFailed: .internalError
            }
    }

    init(_ code: EgressError.Code) {
        self =
            switch code {
            case .invalidRequest: .invalidRequest
            case .addressRefused: .addressRefused
            case .ownHost: .ownHost
            case .redirectRefused: .redirectRefused
            case .unknownHost: .unknownHost
            case .unreachable: .unreachable
            case .untrusted: .untrustedCertificate
            case .wrongCertificate: .wrongCertificate
            case .timedOut: .fetchTimeout
            case .invalidResponse: .invalidResponse
            case .responseTooLarge: .responseTooLarge
            case .responseEncoded: .responseEncoded
            case .tooManyRedirects: .tooManyRedirects
            case .tooManyCalls: .tooManyCalls
            case .messageTooLarge: .tooLarge
            case .webSocketClosed: .unknownWebSocket
            case .unexpectedStatus: .unexpectedStatus
            }
    }
}
