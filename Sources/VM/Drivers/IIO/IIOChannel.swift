import Samples

/// One number that an Industrial I/O device measures.
struct IIOChannel: Sendable {
    /// What a raw number means.
    struct Scale: Hashable, Sendable {
        let offset: Double
        let factor: Double
    }

    /// The start of its attributes' names, such as `in_accel_x`.
    let name: String
    /// The field that it fills.
    let field: Field
    /// The attribute with the reading.
    let reading: SystemFile
    let scale: SystemFile?
    let offset: SystemFile?
    /// Those of the raw number, which a buffer holds also where the reading is another.
    private let rawScale: SystemFile?
    private let rawOffset: SystemFile?

    /// The channel `name`, such as `in_accel_x`, whose scale may be shared as `in_accel_scale`.
    ///
    /// - Returns: `nil` when the device lacks it.
    private init?(
        _ name: String, of kind: IIOKind, field: Field, in device: SystemFolder,
        entries: Set<String>
    ) {
        func file(_ names: String...) -> SystemFile? {
            names.first(where: entries.contains).map(device.file)
        }
        let input = file("\(name)_input")
        let raw = file("\(name)_raw")
        let candidate =
            switch kind.form {
            case .scaled: input ?? raw
            case .raw: raw ?? input
            case .count: input
            }
        guard let candidate else { return nil }
        self.name = name
        self.field = field
        reading = candidate
        rawScale = kind.form == .scaled ? file("\(name)_scale", "\(kind.channel)_scale") : nil
        rawOffset = kind.form == .scaled ? file("\(name)_offset", "\(kind.channel)_offset") : nil
        scale = input == nil ? rawScale : nil
        offset = input == nil ? rawOffset : nil
    }

    /// What makes a number of the buffer one of the kernel's units.
    func scaleOfRaw() throws(SensorError) -> Scale {
        Scale(offset: try rawOffset?.number() ?? 0, factor: try rawScale?.number() ?? 1)
    }

    /// (reading + offset) × scale.
    ///
    /// The scale is read anew each time: whoever sets the range of a chip changes it.
    func number() throws(SensorError) -> Double {
        var number = try reading.number()
        if let offset { number += try offset.number() }
        if let scale { number *= try scale.number() }
        return number
    }

    /// The channels of a device for one kind, one for each axis that it has; empty for none.
    static func all(of kind: IIOKind, in device: SystemFolder) -> [IIOChannel] {
        let entries = Set(device.names)
        func channel(_ suffix: String, _ field: Field) -> IIOChannel? {
            IIOChannel(
                kind.channel + suffix, of: kind, field: field, in: device, entries: entries)
        }
        if kind.hasAxes {
            return kind.fields.compactMap { channel("_\($0.name)", $0) }
        }
        // Of several channels, the plain one speaks for the device.
        let suffixes = ["", "0", "1", "2", "3", "_ambient"]
        return kind.fields.compactMap { field in
            suffixes.lazy.compactMap { channel($0, field) }.first
        }
    }
}
