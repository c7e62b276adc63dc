package import API
import AppRuns
import Auth
import Backup
import Egress
import Health
import JSApps
import Provider
import Sessions
import VM

/// The error that ends a command: an exit code, a message, and a hint.
///
/// ```swift
/// throw CommandFailure(.noInput, "No file at \(path).", hint: "Check the path.")
/// ```
package struct CommandFailure: Error, Sendable {
    /// The exit code, from sysexits(3) where it defines one.
    package enum Code: Int32, Sendable {
        case failed = 1
        case usage = 64
        case badData = 65
        case noInput = 66
        case unavailable = 69
        case cannotCreate = 73
        case inputOutput = 74
        case tryAgain = 75
        case remote = 76
        case noPermission = 77
        case configuration = 78
        case timeout = 124
        case interrupted = 130
    }

    package let code: Code
    /// The stable name of the kind of failure.
    package let type: String
    package let message: String
    package let hint: String?

    package init(_ code: Code, _ message: String, hint: String? = nil, type: String? = nil) {
        self.code = code
        self.type = type ?? "\(code)"
        self.message = message
        self.hint = hint
    }
}

extension CommandFailure {
    /// Maps the errors of the modules to exit codes.
    package init(_ error: any Error) {
        switch error {
        case let error as CommandFailure: self = error
        case let error as APIError: self.init(error)
        case let error as VirtualMachineError: self.init(error)
        case let error as AuthError: self.init(error)
        case let error as JSAppsError: self.init(error)
        case let error as AppRunsError: self.init(error)
        case let error as SessionsError: self.init(error)
        case let error as OutboxError: self.init(error)
        case let error as HealthError: self.init(error)
        case let error as BackupError: self.init(error)
        case is CancellationError: self.init(.interrupted, "Interrupted.")
        default: self.init(.failed, "\(error)")
        }
    }

    private init(_ error: VirtualMachineError) {
        let problem = ProblemCode(error.code)
        let (code, type): (Code, String) =
            switch error.code {
            case .alreadyRunning: (.tryAgain, "already-running")
            case .dataUnusable: (.cannotCreate, "data-unusable")
            case .storeFailed: (.inputOutput, "store-failed")
            case .unknownSensor, .unavailable, .sensorOff, .bufferFull, .batchTooLarge, .diskFull,
                .keyReused, .invalidSensor, .sensorTaken, .sensorComputed, .sensorCollected:
                (Self.code(problem), problem.rawValue)
            }
        self.init(code, error.message, hint: error.hint, type: type)
    }

    private init(_ error: AuthError) {
        let (code, type): (Code, String) =
            switch error.code {
            case .unsafeFile: (.configuration, "unsafe-file")
            case .storeFailed: (.inputOutput, "store-failed")
            case .notFound: (.noInput, "not-found")
            case .missingToken, .invalidToken, .nameMismatch, .ownerOnly, .denied, .undecided,
                .statisticsOnly, .notInBackground, .severalSensors, .restricted,
                .invalidPrivilege, .nameTaken, .tooManyAttempts, .undeclared, .invalidKey,
                .tooLarge, .storageFull, .invalidMessage, .tooManyMessages:
                (.noPermission, "not-allowed")
            case .diskFull: (.cannotCreate, "disk-full")
            case .logUnavailable: (.unavailable, "log-unavailable")
            case .storageDamaged: (.inputOutput, "damaged")
            case .wrongSeal: (.failed, "wrong-state")
            }
        self.init(code, error.message, hint: error.hint, type: type)
    }

    private init(_ error: JSAppsError) {
        let code: Code =
            switch error.code {
            case .inputMissing, .notInstalled, .noSuchKey, .noSuchCatalogue, .noSuchPackage:
                .noInput
            case .keyExists, .conflict: .failed
            case .unsafeKeys: .configuration
            case .io, .damaged: .inputOutput
            case .unpackerUnavailable, .confinement: .unavailable
            case .notAnArchive, .malformedArchive, .unsupportedArchive, .tooLarge, .unsafePath,
                .unsafeEntry, .duplicateName, .wrongFolderName, .missingFile, .badManifest,
                .badSignature, .signerChanged, .downgrade, .nameTaken, .badKey, .badCatalogue,
                .catalogueKeyChanged, .staleCatalogue, .packageMismatch:
                .badData
            }
        self.init(code, error.message, hint: error.hint, type: error.code.rawValue)
    }

    private init(_ error: AppRunsError) {
        let code: Code =
            switch error.code {
            case .noRun: .noInput
            case .conflict: .failed
            case .io, .damaged: .inputOutput
            case .confinement: .unavailable
            }
        self.init(code, error.message, hint: error.hint, type: error.code.rawValue)
    }

    private init(_ error: SessionsError) {
        let (code, type): (Code, String) =
            switch error.code {
            case .unsafeFile: (.configuration, "unsafe-file")
            case .diskFull: (.cannotCreate, "disk-full")
            default: (.inputOutput, "store-failed")
            }
        self.init(code, error.message, hint: error.hint, type: type)
    }

    private init(_ error: HealthError) {
        let (code, type): (Code, String) =
            switch error.code {
            case .unsafeFile: (.configuration, "unsafe-file")
            case .diskFull: (.cannotCreate, "disk-full")
            default: (.inputOutput, "store-failed")
            }
        self.init(code, error.message, hint: error.hint, type: type)
    }

    private init(_ error: OutboxError) {
        let (code, type): (Code, String) =
            error.code == .diskFull ? (.cannotCreate, "disk-full") : (.inputOutput, "store-failed")
        self.init(code, error.message, hint: error.hint, type: type)
    }

    private init(_ error: BackupError) {
        let (code, type): (Code, String) =
            switch error.code {
            case .missing: (.noInput, "not-found")
            case .exists: (.cannotCreate, "exists")
            case .cannotWrite: (.cannotCreate, "cannot-write")
            case .diskFull: (.cannotCreate, "disk-full")
            case .busy: (.tryAgain, "busy")
            case .unreadable: (.inputOutput, "unreadable")
            case .damagedData: (.inputOutput, "damaged")
            case .notABackup: (.badData, "not-a-backup")
            case .damaged: (.badData, "damaged-backup")
            case .newer: (.badData, "newer-format")
            case .newerData: (.cannotCreate, "newer-format")
            }
        self.init(code, error.message, hint: error.hint, type: type)
    }
}

extension CommandFailure {
    private init(_ error: APIError) {
        guard let problem = error.problem else {
            self.init(.remote, "The host returned status \(error.status) without a reason.")
            return
        }
        let code: Code =
            switch error.status {
            case _ where error.code != nil: error.code.map(Self.code) ?? .remote
            case 401, 403: .noPermission
            case 400, 422: .usage
            default: .remote
            }
        self.init(code, problem.detail, hint: problem.fix, type: problem.code)
    }

    /// The failure of a run that could not start.
    ///
    /// - Parameter event: the event `failed`.
    package init(_ event: RunEventItem) {
        let problem = event.code.flatMap(ProblemCode.init(rawValue:))
        self.init(
            problem.map(Self.code) ?? .remote, event.text ?? "The app could not start.",
            hint: event.fix, type: event.code ?? ProblemCode.internalError.rawValue)
    }

    private static func code(_ problem: ProblemCode) -> Code {
        switch problem {
        case .notAnArchive, .malformedArchive, .unsupportedArchive, .tooLarge, .unsafePath,
            .unsafeEntry, .duplicateName, .wrongFolderName, .missingFile, .badManifest,
            .badSignature, .signerChanged, .downgrade, .invalidSample, .badCatalogue,
            .catalogueKeyChanged, .staleCatalogue, .packageMismatch:
            .badData
        case .notInstalled, .unknownSensor, .notFound, .noSamples, .inputMissing, .noRun,
            .noSuchCatalogue, .noSuchPackage, .unknownHealthType, .noSuchSecret:
            .noInput
        case .sensorUnavailable, .notServing, .notListening, .confinement, .unpackerUnavailable,
            .logUnavailable:
            .unavailable
        case .missingToken, .invalidToken, .crossOrigin, .serviceWorker, .nameMismatch,
            .ownerOnly, .denied, .undecided, .statisticsOnly, .undeclared, .notInBackground,
            .restricted, .addressRefused, .ownHost, .redirectRefused, .locked, .notUnlocked:
            .noPermission
        case .invalidParameter, .invalidBody, .invalidKey, .invalidAddress, .invalidRequest,
            .partialWrite, .invalidPrivilege, .unsupportedPrivilege, .invalidMessage,
            .invalidSensor, .keyReused, .unknownField, .notNumeric, .unknownStatistic,
            .invalidCondition, .tooManyWindows, .unknownAnalysis, .invalidAnalysis, .tooManyRows,
            .invalidPack, .invalidSession, .invalidWorkouts, .invalidUpload, .invalidAlert,
            .badKey, .noSuchKey,
            .keyExists, .unsafeKeys, .unitMismatch, .invalidHealthData, .unsuitableKey,
            .invalidSecret:
            .usage
        case .io, .internalError, .damaged: .inputOutput
        case .tooManyAttempts, .tooManyPassphrases, .busy: .tryAgain
        case .diskFull: .cannotCreate
        case .nameTaken, .conflict, .sensorOff, .sensorVirtual, .sensorCollected, .wrongState,
            .tooFar, .inaccurate, .sessionFull, .alertsFull, .lockNotSetUp:
            .failed
        case .methodNotAllowed, .methodUnknown, .notAcceptable, .timedOut, .unsupportedMediaType,
            .misdirected, .storageFull, .tooManyMessages, .logFull, .severalSensors, .unknownPack,
            .notDelivered, .outboxFull, .unknownHost, .unreachable, .untrustedCertificate,
            .wrongCertificate, .fetchTimeout, .invalidResponse, .unexpectedStatus,
            .responseTooLarge, .responseEncoded, .tooManyRedirects, .tooManyCalls,
            .unknownWebSocket, .healthFull:
            .remote
        }
    }
}
