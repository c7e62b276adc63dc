/// Why the virtual machine could not start or do what it was asked.
public struct VirtualMachineError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for a program.
    public struct Code: Hashable, Sendable {
        fileprivate enum Kind: Hashable {
            case alreadyRunning, dataUnusable, unknownSensor, storeFailed
            case unavailable, sensorOff, bufferFull, batchTooLarge, diskFull, keyReused
            case invalidSensor, sensorTaken, sensorComputed, sensorCollected
        }
        fileprivate let kind: Kind

        /// Another virtual machine holds the data directory; see `holder`.
        public static let alreadyRunning = Code(kind: .alreadyRunning)
        /// The data directory cannot be made, locked or written.
        public static let dataUnusable = Code(kind: .dataUnusable)
        /// No driver knows a sensor of this name.
        public static let unknownSensor = Code(kind: .unknownSensor)
        /// The hardware of the sensor is missing.
        public static let unavailable = Code(kind: .unavailable)
        /// The person has switched the sensor off.
        public static let sensorOff = Code(kind: .sensorOff)
        /// So much waits to be written that nothing more is accepted now.
        public static let bufferFull = Code(kind: .bufferFull)
        /// More samples than are taken at once.
        public static let batchTooLarge = Code(kind: .batchTooLarge)
        /// The disk has no room.
        public static let diskFull = Code(kind: .diskFull)
        /// The key names another batch already.
        public static let keyReused = Code(kind: .keyReused)
        /// A sensor cannot be declared like this.
        public static let invalidSensor = Code(kind: .invalidSensor)
        /// A driver gives a sensor of this name.
        public static let sensorTaken = Code(kind: .sensorTaken)
        /// The samples of a virtual sensor are computed and not published.
        public static let sensorComputed = Code(kind: .sensorComputed)
        /// The host reads the sensor itself, and takes no samples of it from others.
        public static let sensorCollected = Code(kind: .sensorCollected)
        /// The sample store failed.
        public static let storeFailed = Code(kind: .storeFailed)
    }

    public let code: Code
    /// One sentence.
    public let message: String
    /// What a person can do.
    public let hint: String?
    public let cause: (any Error)?
    /// The process that holds the data directory, when that is why and it is known.
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

    public var description: String { message }
}
