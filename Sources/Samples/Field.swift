/// One column of a sensor's samples.
public struct Field: Hashable, Sendable {
    /// What kind of value a field holds.
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

    /// camelCase name, unique within the sensor.
    public let name: String
    /// UCUM unit, such as `%`, `By`, `Cel`, `m/s2`; `1` when dimensionless, `nil` for states and text.
    public let unit: String?
    public let kind: Kind

    public init(_ name: String, unit: String? = nil, kind: Kind = .number) {
        self.name = name
        self.unit = unit
        self.kind = kind
    }
}
