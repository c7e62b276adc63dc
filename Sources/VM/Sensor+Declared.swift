public import Samples

extension Sensor {
    private static let mostFields = 64
    private static let longestTitle = 120
    private static let longestUnit = 32

    /// A sensor whose samples clients publish, or are made of those of others.
    ///
    /// - Parameters:
    ///   - cadence: of a virtual sensor: the time between two windows, at every level.
    ///   - derivation: how the samples of a virtual sensor are made.
    /// - Throws: `invalidSensor` when there are no fields or more than 64, a name is not letters and
    ///   digits after a small letter, or stands there twice or is `t`, a state or text has a unit, or
    ///   a text is too long or has characters that do not print.
    public init(
        declared id: SensorID, title: String, fields: [Field], cadence: Cadence = .standard,
        derivation: Derivation? = nil
    ) throws(VirtualMachineError) {
        try self.init(
            checked: id, title: title, fields: fields,
            source: derivation == nil ? DeclaredSensors.source : DeclaredSensors.virtualSource,
            cadence: cadence, derivation: derivation)
    }

    /// A sensor outside this machine that sends of its own accord.
    ///
    /// - Parameter source: where it is, for a person.
    /// - Throws: `invalidSensor` as for one that is declared.
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
        guard (1...Self.mostFields).contains(fields.count) else {
            throw Self.invalid("A sensor has from 1 to \(Self.mostFields) fields.")
        }
        guard !title.isEmpty, title.utf8.count <= Self.longestTitle,
            title.unicodeScalars.allSatisfy({ !Self.hides($0) })
        else {
            throw Self.invalid(
                "A title has from 1 to \(Self.longestTitle) bytes, and none that do not print.")
        }
        var names: Set<String> = []
        for field in fields {
            guard field.name.wholeMatch(of: /[a-z][A-Za-z0-9]{0,63}/) != nil, field.name != "t"
            else {
                throw Self.invalid(
                    "A field is named by letters and digits after a small letter, and not t.")
            }
            guard names.insert(field.name).inserted else {
                throw Self.invalid("The field \(field.name) stands there twice.")
            }
            guard let unit = field.unit else { continue }
            guard field.kind.isNumeric, !unit.isEmpty, unit.utf8.count <= Self.longestUnit,
                unit.utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
            else {
                throw Self.invalid(
                    "The unit of \(field.name) is not UCUM, or the field is no number.")
            }
        }
        // What has no dimension says so.
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

    private static func hides(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            true
        default: false
        }
    }
}
