import Auth
import VM

/// Why a query has no answer.
public struct LAEError: Error, Sendable, CustomStringConvertible {
    /// The kind of error, for programs.
    public enum Code: Hashable, Sendable {
        /// No sensor has this name.
        case unknownSensor
        /// The sensor is known and its hardware is missing.
        case unavailable
        /// The sensor has no field of this name.
        case unknownField
        /// The field is a state or a text, which have no statistics.
        case notNumeric
        /// A condition on values is not valid.
        case invalidCondition
        /// The range contains more windows than one answer may have.
        case tooManyWindows
        /// The owner has switched off the sensor that samples are published to.
        case sensorOff
        /// Too many accepted samples are waiting to be written.
        case bufferFull
        /// The batch has more samples than are accepted in one call.
        case batchTooLarge
        /// The disk is full.
        case diskFull
        /// The idempotency key was used for another batch.
        case keyReused
        /// The grant is for another sensor, or for aggregates only.
        case notGranted
        /// No analysis has this name.
        case unknownAnalysis
        /// The inputs or parameters are not valid for the analysis.
        case invalidAnalysis
        /// The range contains more samples than one analysis may read.
        case tooManyRows
        /// The definition of a virtual sensor is not valid.
        case invalidDefinition
        /// The sensor is virtual: its samples are computed when they are read.
        case sensorComputed
        /// The host reads the sensor, so clients cannot publish to it.
        case sensorCollected
        /// Older samples were accepted while a query read the samples in several passes.
        case changed
        /// The access log cannot be written, so nothing is read.
        case logUnavailable
        /// The store failed.
        case failed
    }

    /// The kind of error.
    public let code: Code
    /// One sentence.
    public let message: String
    /// What to do about it.
    public let hint: String?
    /// The underlying error.
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }

    /// Wraps an error of a lower module; an error of the engine stays as it is.
    init(_ error: any Error) {
        switch error {
        case let own as LAEError: self = own
        case let error as AuthError where error.code == .logUnavailable:
            self.init(.logUnavailable, error.message, hint: error.hint, cause: error)
        case let error as VirtualMachineError:
            // The cause is the error below the virtual machine's own, if there is one.
            self =
                LAEError(publishing: error)
                ?? LAEError(.failed, error.message, cause: error.cause ?? error)
        default: self.init(.failed, "\(error)", cause: error)
        }
    }

    /// The error for a batch that the virtual machine rejected; `nil` for its other errors.
    init?(publishing error: VirtualMachineError) {
        let code: Code
        switch error.code {
        case .unknownSensor: code = .unknownSensor
        case .unavailable: code = .unavailable
        case .sensorOff: code = .sensorOff
        case .bufferFull: code = .bufferFull
        case .batchTooLarge: code = .batchTooLarge
        case .diskFull: code = .diskFull
        case .keyReused: code = .keyReused
        case .sensorComputed: code = .sensorComputed
        case .sensorCollected: code = .sensorCollected
        case .alreadyRunning, .dataUnusable, .invalidSensor, .sensorTaken, .storeFailed: return nil
        }
        self.init(code, error.message, hint: error.hint, cause: error.cause ?? error)
    }

    public var description: String { message }
}
