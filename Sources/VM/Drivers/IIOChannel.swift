import Samples

/// One quantity that an Industrial I/O device measures.
struct IIOChannel: Sendable {
    /// How a raw number is converted.
    struct Scale: Hashable, Sendable {
        let offset: Double
        let factor: Double
    }

    /// The start of its attributes' names, such as `in_accel_x`.
    let name: String
    /// Its field.
    let field: Field
    /// The attribute with the reading.
    let reading: SystemFile
    let scale: SystemFile?
    let offset: SystemFile?
    /// The scale and offset of raw numbers, which the buffer holds even where `reading` is scaled.
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

    /// The scale of the numbers in the buffer.
    func scaleOfRaw() throws(SensorError) -> Scale {
        Scale(offset: try rawOffset?.number() ?? 0, factor: try rawScale?.number() ?? 1)
    }

    /// (reading + offset) × scale.
    ///
    /// The scale is read each time: it changes when another program sets the range of the chip.
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
        // Of several channels, the one without a suffix is preferred.
        let suffixes = ["", "0", "1", "2", "3", "_ambient"]
        return kind.fields.compactMap { field in
            suffixes.lazy.compactMap { channel($0, field) }.first
        }
    }
}

/// The rotation between a chip and the case that it is mounted in.
///
/// The matrix times the chip's vector is the case's vector. Source: Documentation/devicetree/
/// bindings/iio/mount-matrix.txt; sysfs writes `0, 1, 0; -1, 0, 0; 0, 0, 1`.
struct MountMatrix: Hashable, Sendable {
    private let rows: [[Double]]

    /// - Returns: `nil` unless `text` is three rows of three finite numbers.
    init?(_ text: String) {
        rows = text.split(separator: ";", omittingEmptySubsequences: false).map { row in
            row.split(separator: ",", omittingEmptySubsequences: false)
                .compactMap { Double($0.trimmedWhitespace) }.filter(\.isFinite)
        }
        guard rows.count == 3, rows.allSatisfy({ $0.count == 3 }) else { return nil }
    }

    func rotated(_ vector: [Double]) -> [Double] {
        rows.map { row in zip(row, vector).reduce(0) { $0 + $1.0 * $1.1 } }
    }

    /// The matrix of one channel of a device, or of the whole device; `nil` when it has none.
    ///
    /// - Throws: `SensorError` when there is one that cannot be parsed: without it, the axes would be
    ///   wrong.
    static func of(_ channel: String, in device: SystemFolder) throws(SensorError) -> MountMatrix? {
        let names = ["\(channel)_mount_matrix", "in_mount_matrix", "mount_matrix"]
        guard let file = names.map(device.file).first(where: \.exists) else { return nil }
        guard let matrix = MountMatrix(try file.line()) else {
            throw file.malformed("is not a matrix of three rows of three numbers")
        }
        return matrix
    }
}
