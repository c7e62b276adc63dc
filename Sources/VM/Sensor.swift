public import Samples

/// A sensor: its identifier, its fields and where its samples come from.
public struct Sensor: Hashable, Sendable {
    /// The identifier.
    public let id: SensorID
    /// A short title, such as `Processor load`.
    public let title: String
    /// The fields of its samples, in order.
    public let fields: [Field]
    /// Where the samples come from: a file, a device, a server.
    public let source: String
    /// The interval of each collection level.
    public let cadence: Cadence
    /// How the samples of a virtual sensor are computed; `nil` for any other sensor.
    public let derivation: Derivation?

    /// Creates a sensor without checking its parts.
    public init(
        id: SensorID, title: String, fields: [Field], source: String, cadence: Cadence = .standard,
        derivation: Derivation? = nil
    ) {
        self.id = id
        self.title = title
        self.fields = fields
        self.source = source
        self.cadence = cadence
        self.derivation = derivation
    }
}

extension Sensor {
    /// The main fields of kinds that have another one than their first numeric field.
    private static let mainFields: [SensorID: String] = [
        "memory": "used", "disk": "writeRate", "network": "rxRate", "filesystem": "usedPercent",
        "location": "accuracy", "satellites": "used",
    ]

    /// The numeric field that is shown where there is room for one value of the sensor; `nil` without
    /// numeric fields.
    public var mainField: Field? {
        let numeric = fields.filter(\.kind.isNumeric)
        return numeric.first { $0.name == Self.mainFields[id.kind] } ?? numeric.first
    }

    /// The source of sensors whose samples clients publish.
    public static let publishedSource = "published by clients"

    private static let maximumFields = 64
    private static let longestTitle = 120
    private static let longestUnit = 32

    /// A sensor whose samples clients publish, or a virtual one.
    ///
    /// ```swift
    /// let sensor = try Sensor(
    ///     declared: "mood", title: "Mood", fields: [Field("score", unit: "1")])
    /// ```
    ///
    /// - Parameters:
    ///   - cadence: for a virtual sensor, the interval between the ends of two
    ///     successive windows, at every level.
    ///   - derivation: how the samples of a virtual sensor are computed.
    /// - Throws: `invalidSensor` when there are no fields or more than 64; when a field name is not
    ///   a lowercase letter followed by letters and digits, is repeated or is `t`; when a state or
    ///   text field has a unit; when a title or unit is too long or contains unprintable
    ///   characters.
    public init(
        declared id: SensorID, title: String, fields: [Field], cadence: Cadence = .standard,
        derivation: Derivation? = nil
    ) throws(VirtualMachineError) {
        try self.init(
            checked: id, title: title, fields: fields,
            source: derivation == nil ? DeclaredSensors.source : DeclaredSensors.virtualSource,
            cadence: cadence, derivation: derivation)
    }

    /// A sensor outside this machine that delivers samples without being asked.
    ///
    /// - Parameter source: where it is, for display.
    /// - Throws: `invalidSensor` as for a declared sensor.
    public init(
        external id: SensorID, title: String, fields: [Field], source: String
    ) throws(VirtualMachineError) {
        try self.init(
            checked: id, title: title, fields: fields, source: source, cadence: .asTheyCome,
            derivation: nil)
    }

    private init(
        checked id: SensorID, title: String, fields: [Field], source: String, cadence: Cadence,
        derivation: Derivation?
    ) throws(VirtualMachineError) {
        guard (1...Self.maximumFields).contains(fields.count) else {
            throw Self.invalid("A sensor has from 1 to \(Self.maximumFields) fields.")
        }
        guard !title.isEmpty, title.utf8.count <= Self.longestTitle,
            title.unicodeScalars.allSatisfy({ !Self.isUnprintable($0) })
        else {
            throw Self.invalid(
                "A title has from 1 to \(Self.longestTitle) bytes, all of them printable.")
        }
        var names: Set<String> = []
        for field in fields {
            guard field.name.wholeMatch(of: /[a-z][A-Za-z0-9]{0,63}/) != nil, field.name != "t"
            else {
                throw Self.invalid(
                    "A field name is a lowercase letter followed by letters and digits, and not t.")
            }
            guard names.insert(field.name).inserted else {
                throw Self.invalid("The field \(field.name) is declared twice.")
            }
            guard let unit = field.unit else { continue }
            guard field.kind.isNumeric, !unit.isEmpty, unit.utf8.count <= Self.longestUnit,
                unit.utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
            else {
                throw Self.invalid(
                    "The unit of \(field.name) is not UCUM, or the field is not numeric.")
            }
        }
        // A number without a dimension has the unit 1.
        let whole = fields.map { field in
            Field(
                field.name, unit: field.unit ?? (field.kind.isNumeric ? "1" : nil), kind: field.kind
            )
        }
        self.init(
            id: id, title: title, fields: whole, source: source,
            cadence: cadence, derivation: derivation)
    }

    private static func invalid(_ message: String) -> VirtualMachineError {
        VirtualMachineError(.invalidSensor, message)
    }

    private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            true
        default: false
        }
    }
}

/// How the samples of a virtual sensor are computed from the samples of other sensors.
///
/// The virtual machine stores it; the Local Analytics Engine computes the samples.
public struct Derivation: Hashable, Sendable, Codable {
    /// One field of the virtual sensor: one number for each window.
    public struct Output: Hashable, Sendable, Codable {
        /// The name of the field.
        public let name: String
        /// UCUM; `nil` for no dimension.
        public let unit: String?
        /// The inputs it is computed from; `nil` where there is only one input.
        public let of: [String]?
        /// A statistic or an analysis, such as `mean` or `correlation`.
        public let by: String
        /// For an analysis: the width of windows whose means replace the samples, such as `10s`.
        public let every: String?

        /// Creates an output.
        public init(
            name: String, unit: String? = nil, of: [String]? = nil, by: String,
            every: String? = nil
        ) {
            self.name = name
            self.unit = unit
            self.of = of
            self.by = by
            self.every = every
        }
    }

    /// Fields of other sensors, such as `cpu.busy`.
    public let inputs: [String]
    /// The length of a window, such as `1m`.
    public let window: String
    /// The interval between the ends of two windows; `nil` for the length of a window.
    public let slide: String?
    /// The fields of the virtual sensor, in order.
    public let outputs: [Output]

    /// Creates a derivation, which is checked when the sensor is declared.
    public init(inputs: [String], window: String, slide: String? = nil, outputs: [Output]) {
        self.inputs = inputs
        self.window = window
        self.slide = slide
        self.outputs = outputs
    }

    /// The sensors of the inputs; inputs whose sensor name is invalid are left out.
    var sensors: [SensorID] {
        inputs.compactMap { input in
            guard let dot = input.lastIndex(of: ".") else { return nil }
            return SensorID(String(input[..<dot]))
        }
    }
}

extension Cadence {
    /// The cadence of a virtual sensor: the slide of its windows; `nil` when its spans are not
    /// valid.
    public init?(_ derivation: Derivation) {
        guard let slide = Duration(span: derivation.slide ?? derivation.window), slide > .zero
        else { return nil }
        self.init(low: slide, medium: slide, high: slide)
    }
}
