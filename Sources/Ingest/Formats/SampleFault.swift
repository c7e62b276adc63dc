/// Why samples were not understood; none of them counts then.
public struct SampleFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, for a program.
    public struct Code: Hashable, Sendable {
        private enum Kind: Hashable { case malformed, unfit, tooMany }
        private let kind: Kind

        /// The bytes are not what the form allows.
        public static let malformed = Code(kind: .malformed)
        /// A sample has not the fields of the sensor, or a value that one of them cannot hold.
        public static let unfit = Code(kind: .unfit)
        /// More samples came than may be read at once.
        public static let tooMany = Code(kind: .tooMany)
    }

    public let code: Code
    /// Where, for a person: `line 3, field x`.
    public let place: String
    /// What is wrong there: a clause without a full stop, and never a value.
    public let message: String

    public var description: String { "\(place): \(message)" }
}
