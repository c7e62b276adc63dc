/// Why a question about samples has no answer.
public struct LAEError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for a program.
    public struct Code: Hashable, Sendable {
        private enum Kind: Hashable {
            case unknownSensor, unavailable, unknownField, notNumeric
            case invalidCondition, tooManyWindows, notGranted, failed
            case unknownAnalysis, invalidAnalysis, tooManyRows
            case sensorOff, bufferFull, batchTooLarge, diskFull, keyReused
            case invalidDefinition, sensorComputed, sensorCollected, changed
        }
        private let kind: Kind

        /// No sensor has that name.
        public static let unknownSensor = Code(kind: .unknownSensor)
        /// The sensor is known and its hardware is missing.
        public static let unavailable = Code(kind: .unavailable)
        /// The sensor has no field of that name.
        public static let unknownField = Code(kind: .unknownField)
        /// The field holds names or text, on which no statistics are defined.
        public static let notNumeric = Code(kind: .notNumeric)
        /// A condition on values is not understood.
        public static let invalidCondition = Code(kind: .invalidCondition)
        /// The range holds more windows than one answer may have.
        public static let tooManyWindows = Code(kind: .tooManyWindows)
        /// The person has switched the sensor off that samples are published to.
        public static let sensorOff = Code(kind: .sensorOff)
        /// So much waits to be written that no sample is accepted now.
        public static let bufferFull = Code(kind: .bufferFull)
        /// More samples than are taken at once.
        public static let batchTooLarge = Code(kind: .batchTooLarge)
        /// The disk has no room.
        public static let diskFull = Code(kind: .diskFull)
        /// The key of a batch names another one already.
        public static let keyReused = Code(kind: .keyReused)
        /// The grant is for another sensor, or for aggregates only.
        public static let notGranted = Code(kind: .notGranted)
        /// No analysis has that name.
        public static let unknownAnalysis = Code(kind: .unknownAnalysis)
        /// The inputs or parameters do not suit the analysis.
        public static let invalidAnalysis = Code(kind: .invalidAnalysis)
        /// The range holds more samples than one analysis may take.
        public static let tooManyRows = Code(kind: .tooManyRows)
        /// A virtual sensor cannot be defined like this.
        public static let invalidDefinition = Code(kind: .invalidDefinition)
        /// A virtual sensor has no arrivals and takes no samples.
        public static let sensorComputed = Code(kind: .sensorComputed)
        /// Late samples came while the others were read.
        public static let changed = Code(kind: .changed)
        /// The host reads the sensor itself, and takes no samples of it from others.
        public static let sensorCollected = Code(kind: .sensorCollected)
        /// The store failed.
        public static let failed = Code(kind: .failed)
    }

    public let code: Code
    /// One sentence.
    public let message: String
    /// What a person can do.
    public let hint: String?
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }

    public var description: String { message }
}
