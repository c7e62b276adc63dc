import AppRuns
import Auth
import Egress
import Foundation
import JSApps
import Sessions
import VM

/// Why a command ended, for a person and for a script.
struct CommandFailure: Error, Sendable {
    /// The exit code, after sysexits(3) where that has one.
    enum Code: Int32, Sendable {
        case failed = 1
        case usage = 64
        case badData = 65
        case noInput = 66
        case unavailable = 69
        case cannotCreate = 73
        case input = 74
        case tryAgain = 75
        case remote = 76
        case noPermission = 77
        case configuration = 78
        case timeout = 124
        case interrupted = 130
    }

    let code: Code
    /// The stable name of the kind of failure.
    let type: String
    let message: String
    let hint: String?

    init(_ code: Code, _ message: String, hint: String? = nil, type: String? = nil) {
        self.code = code
        self.type = type ?? "\(code)"
        self.message = message
        self.hint = hint
    }
}

extension CommandFailure {
    /// What the modules' errors mean for a command.
    init(_ error: any Error) {
        switch error {
        case let error as CommandFailure: self = error
        case let error as VirtualMachineError: self.init(error)
        case let error as AuthError: self.init(error)
        case let error as JSAppsError: self.init(error)
        case let error as AppRunsError: self.init(error)
        case let error as SessionsError: self.init(error)
        case let error as OutboxError: self.init(error)
        case is CancellationError: self.init(.interrupted, "Interrupted.")
        default: self.init(.failed, "\(error)")
        }
    }

    private init(_ error: VirtualMachineError) {
        let (code, type): (Code, String) =
            switch error.code {
            case .alreadyRunning: (.tryAgain, "already-running")
            case .dataUnusable: (.cannotCreate, "data-unusable")
            case .unknownSensor: (.noInput, "unknown-sensor")
            case .unavailable, .sensorOff, .bufferFull, .batchTooLarge, .diskFull, .keyReused,
                .invalidSensor, .sensorTaken, .sensorComputed, .sensorCollected, .storeFailed:
                (.input, "store-failed")
            }
        self.init(code, error.message, hint: error.hint, type: type)
    }

    private init(_ error: AuthError) {
        let (code, type): (Code, String) =
            switch error.code {
            case .unsafeFile: (.configuration, "unsafe-file")
            case .storeFailed: (.input, "store-failed")
            case .notFound: (.noInput, "not-found")
            case .missingToken, .invalidToken, .nameMismatch, .ownerOnly, .denied, .undecided,
                .statisticsOnly, .notInBackground, .severalSensors, .restricted,
                .invalidPrivilege, .nameTaken, .tooManyAttempts, .undeclared, .invalidKey,
                .tooLarge, .storageFull, .invalidMessage, .tooManyMessages, .diskFull:
                (.noPermission, "not-allowed")
            }
        self.init(code, error.message, hint: error.hint, type: type)
    }

    private init(_ error: JSAppsError) {
        let code: Code =
            switch error.code {
            case .inputMissing, .notInstalled, .noSuchKey: .noInput
            case .keyExists, .conflict: .failed
            case .unsafeKeys: .configuration
            case .io, .damaged: .input
            case .unpackerUnavailable, .confinement: .unavailable
            case .notAnArchive, .malformedArchive, .unsupportedArchive, .tooLarge, .unsafePath,
                .unsafeEntry, .duplicateName, .wrongFolderName, .missingFile, .badManifest,
                .badSignature, .signerChanged, .downgrade, .nameTaken, .badKey:
                .badData
            }
        self.init(code, error.message, hint: error.hint, type: error.code.rawValue)
    }

    private init(_ error: AppRunsError) {
        let code: Code =
            switch error.code {
            case .noRun: .noInput
            case .conflict: .failed
            case .io, .damaged: .input
            case .confinement: .unavailable
            }
        self.init(code, error.message, hint: error.hint, type: error.code.rawValue)
    }

    private init(_ error: SessionsError) {
        let (code, type): (Code, String) =
            switch error.code {
            case .unsafeFile: (.configuration, "unsafe-file")
            case .diskFull: (.cannotCreate, "disk-full")
            default: (.input, "store-failed")
            }
        self.init(code, error.message, hint: error.hint, type: type)
    }

    private init(_ error: OutboxError) {
        let (code, type): (Code, String) =
            error.code == .diskFull ? (.cannotCreate, "disk-full") : (.input, "store-failed")
        self.init(code, error.message, hint: error.hint, type: type)
    }
}
