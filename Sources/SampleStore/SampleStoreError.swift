/// Why the store could not do what it was asked.
public struct SampleStoreError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for a program.
    public struct Code: Hashable, Sendable {
        private enum Kind: Hashable { case cannotOpen, damaged, full, busy, invalid, failed }
        private let kind: Kind

        /// The file cannot be created, opened or read.
        public static let cannotOpen = Code(kind: .cannotOpen)
        /// The file is not a sample store, or part of it is damaged.
        public static let damaged = Code(kind: .damaged)
        /// The disk has no room.
        public static let full = Code(kind: .full)
        /// Another process keeps the file locked.
        public static let busy = Code(kind: .busy)
        /// A sample does not fit the fields of its sensor, or the sensor is not registered.
        public static let invalid = Code(kind: .invalid)
        /// Any other failure of the file or of SQLite.
        public static let failed = Code(kind: .failed)
    }

    public let code: Code
    /// One sentence.
    public let message: String
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }
}
