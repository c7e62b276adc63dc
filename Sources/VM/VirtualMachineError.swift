import SampleStore
public import Samples

/// Why the virtual machine could not start or rejected a call.
public struct VirtualMachineError: Error, Sendable, CustomStringConvertible {
    /// The kind of error, for programs.
    public enum Code: Hashable, Sendable {
        /// Another virtual machine has locked the data directory; see
        /// ``VirtualMachineError/holder``.
        case alreadyRunning
        /// The data directory cannot be created, locked or written.
        case dataUnusable
        /// No sensor has this name.
        case unknownSensor
        /// The hardware of the sensor is missing.
        case unavailable
        /// The owner has switched the sensor off.
        case sensorOff
        /// Too many accepted samples are waiting to be written.
        case bufferFull
        /// The batch has more samples than are accepted in one call.
        case batchTooLarge
        /// The disk is full.
        case diskFull
        /// The idempotency key was used for another batch.
        case keyReused
        /// The declaration of a sensor is not valid.
        case invalidSensor
        /// A driver provides a sensor of this name.
        case sensorTaken
        /// The sensor is virtual: its samples are computed, not published.
        case sensorComputed
        /// The host reads the sensor, so clients cannot publish to it.
        case sensorCollected
        /// The store failed.
        case storeFailed
    }

    /// The kind of error.
    public let code: Code
    /// One sentence.
    public let message: String
    /// What to do about it.
    public let hint: String?
    /// The underlying error.
    public let cause: (any Error)?
    /// The process that has locked the data directory, for `alreadyRunning`, when it is known.
    public let holder: Int32?

    init(
        _ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil,
        holder: Int32? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
        self.holder = holder
    }

    /// Wraps an error of the store; an error of the virtual machine stays as it is.
    init(_ error: any Error) {
        switch error {
        case let own as VirtualMachineError: self = own
        case let error as SampleStoreError where error.code == .full:
            self.init(.diskFull, "The disk is full.", hint: "Make room on the disk.", cause: error)
        case let error as SampleStoreError: self.init(.storeFailed, error.message, cause: error)
        default: self.init(.storeFailed, "\(error)", cause: error)
        }
    }

    /// The error for a name that no sensor has.
    ///
    /// - Parameter instances: the sensors of that kind, when the name is a kind's.
    public static func unknownSensor(
        _ id: SensorID, instances: [SensorID] = []
    ) -> VirtualMachineError {
        VirtualMachineError(
            .unknownSensor, "There is no sensor named \(id).",
            hint: instances.isEmpty
                ? "List them with: nervous sensors; \(howToAdd(id))"
                : "There are: \(instances.map(\.description).joined(separator: ", "))")
    }

    /// The error for a name that resolves to no readable sensor.
    ///
    /// - Parameters:
    ///   - name: the requested name.
    ///   - sensor: the missing sensor; if `name` is a kind, a sensor of this kind.
    public static func unavailable(
        _ name: SensorID, _ sensor: SensorID, reason: String, remedy: String?
    ) -> VirtualMachineError {
        let missing = name == sensor ? reason : "\(sensor): \(reason)"
        // If the name is a kind, the owner can also add another sensor of the kind, which needs a
        // name of its own.
        let addition = name == name.kind ? howToAdd(name.instance("name")) : nil
        let hints = [remedy, addition].compactMap { $0 }
        return VirtualMachineError(
            .unavailable, "\(name) is not available: \(missing).",
            hint: hints.isEmpty ? nil : hints.joined(separator: "; or "))
    }

    /// How the owner gets a sensor that this machine lacks.
    private static func howToAdd(_ id: SensorID) -> String {
        "add one with: nervous sensors add \(id) --field NAME:UNIT, or a sensor pack with: nervous"
            + " sensors install PATH"
    }

    public var description: String { message }
}
