/// The values of all fields of a sensor at one time.
///
/// ```swift
/// let fields = [Field("temperature", unit: "Cel"), Field("state", kind: .state)]
/// let sample = Sample(time: .now(), values: [.number(21.5), .text("heating")])
/// ```
public struct Sample: Hashable, Sendable {
    /// When the values were measured.
    public let time: Timestamp
    /// One value for each field, in the order of the sensor's fields.
    public let values: [Value]

    /// - Parameter values: one for each field; not checked here, see ``Value/fits(_:)``.
    public init(time: Timestamp, values: [Value]) {
        self.time = time
        self.values = values
    }
}

/// A sample with its sequence number.
public struct StoredSample: Hashable, Sendable {
    /// The position in the order in which samples of all sensors were accepted; starts at 1 and is never
    /// reused.
    public let sequence: Int64
    /// The sample as it was accepted.
    public let sample: Sample

    /// Pairs a sample with its sequence number.
    public init(sequence: Int64, sample: Sample) {
        self.sequence = sequence
        self.sample = sample
    }

    /// When the values were measured.
    public var time: Timestamp { sample.time }
    /// One value for each field.
    public var values: [Value] { sample.values }
}

/// The value of one field in one sample.
public enum Value: Hashable, Sendable {
    /// A finite double.
    case number(Double)
    /// A 64-bit integer.
    case integer(Int64)
    /// The name of a state, or free text.
    case text(String)

    /// The value as a double; integers beyond ±2⁵³ are rounded; `nil` for text.
    public var double: Double? {
        switch self {
        case .number(let number): number
        case .integer(let integer): Double(integer)
        case .text: nil
        }
    }

    /// Whether a field of `kind` can hold this value; a number must be finite.
    public func fits(_ kind: Field.Kind) -> Bool {
        switch (self, kind) {
        case (.number(let number), .number): number.isFinite
        case (.integer, .integer): true
        case (.text, .state), (.text, .text): true
        default: false
        }
    }
}

/// One column of a sensor's samples.
public struct Field: Hashable, Sendable {
    /// The type of a field's values.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// A finite IEEE 754 double.
        case number
        /// A 64-bit signed integer, kept exactly.
        case integer
        /// One of a small set of names.
        case state
        /// Free text.
        case text

        /// Whether statistics are defined on it.
        public var isNumeric: Bool { self == .number || self == .integer }
    }

    /// The camelCase name, unique within the sensor.
    public let name: String
    /// UCUM unit, such as `%`, `By`, `Cel`, `m/s2`; `1` when dimensionless, `nil` for states and text.
    public let unit: String?
    /// The type of the values.
    public let kind: Kind

    /// - Parameters:
    ///   - name: camelCase, unique within the sensor.
    ///   - unit: a UCUM code; `nil` for states and text.
    public init(_ name: String, unit: String? = nil, kind: Kind = .number) {
        self.name = name
        self.unit = unit
        self.kind = kind
    }
}
