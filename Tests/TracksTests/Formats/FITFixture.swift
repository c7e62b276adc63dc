/// Writes FIT files for tests, by the description of the protocol.
struct FITFixture {
    /// A field of a definition: its number in the profile, its size in bytes and its base type.
    struct Field {
        let number: UInt8
        var size: UInt8
        let type: UInt8

        static let time = Field(number: 253, size: 4, type: 0x86)
        static let latitude = Field(number: 0, size: 4, type: 0x85)
        static let longitude = Field(number: 1, size: 4, type: 0x85)
        static let altitude = Field(number: 2, size: 2, type: 0x84)
        static let heartRate = Field(number: 3, size: 1, type: 0x02)
        static let speed = Field(number: 6, size: 2, type: 0x84)
        static let accuracy = Field(number: 31, size: 1, type: 0x02)
        static let enhancedSpeed = Field(number: 73, size: 4, type: 0x86)
        static let enhancedAltitude = Field(number: 78, size: 4, type: 0x86)
    }

    /// 1989-12-31T00:00:00Z, in seconds since 1970.
    static let epoch = 631_065_600
    /// 2026-03-01T12:00:00Z, in seconds of the format.
    static let start: UInt32 = 1_772_366_400 - 631_065_600

    var isBigEndian = false
    private(set) var data: [UInt8] = []
    private var fields = [Int: [Field]]()

    init(isBigEndian: Bool = false) {
        self.isBigEndian = isBigEndian
    }

    /// Semicircles of degrees.
    static func semicircles(_ degrees: Double) -> Int64 {
        Int64((degrees / 180 * 0x1p31).rounded())
    }

    /// - Parameter developer: the sizes of developer fields.
    mutating func define(
        _ local: Int, _ message: UInt16, _ fields: [Field], developer: [UInt8] = []
    ) {
        data += [UInt8(0x40 | local) | (developer.isEmpty ? 0 : 0x20), 0, isBigEndian ? 1 : 0]
        add(UInt64(message), 2)
        data.append(UInt8(fields.count))
        for field in fields { data += [field.number, field.size, field.type] }
        if !developer.isEmpty {
            data.append(UInt8(developer.count))
            for (index, size) in developer.enumerated() { data += [UInt8(index), size, 0] }
        }
        self.fields[local] = fields
    }

    /// Adds a message of the numbers of its fields.
    mutating func add(_ local: Int, _ values: [Int64], developer: [UInt8] = []) {
        data.append(UInt8(local))
        for (field, value) in zip(fields[local] ?? [], values) {
            add(UInt64(bitPattern: value), Int(field.size))
        }
        data += developer
    }

    /// Adds a message with a compressed time, without its field.
    mutating func add(_ local: Int, afterTime seconds: UInt32, _ values: [Int64]) {
        data.append(0x80 | UInt8(local << 5) | UInt8(seconds & 0x1F))
        for (field, value) in zip(fields[local] ?? [], values) {
            add(UInt64(bitPattern: value), Int(field.size))
        }
    }

    mutating func add(raw bytes: [UInt8]) {
        data += bytes
    }

    private mutating func add(_ number: UInt64, _ size: Int) {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) }
        data += isBigEndian ? bytes.reversed() : bytes
    }

    /// The file with its header and checksum.
    ///
    /// - Parameter declaredSize: the size of the data that the header declares; by default the true one.
    func file(headerSize: Int = 14, declaredSize: Int? = nil) -> [UInt8] {
        let size = declaredSize ?? data.count
        var bytes: [UInt8] = [UInt8(headerSize), 0x20, 0x54, 0x08]
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: size >> ($0 * 8)) }
        bytes += Array(".FIT".utf8)
        if headerSize > 12 { bytes += [0, 0] }
        bytes += data
        let sum = Self.checksum(bytes)
        return bytes + [UInt8(sum & 0xFF), UInt8(sum >> 8)]
    }

    /// By nibbles, as in the description of the protocol.
    private static func checksum(_ bytes: [UInt8]) -> UInt16 {
        let table: [UInt16] = [
            0x0000, 0xCC01, 0xD801, 0x1400, 0xF001, 0x3C00, 0x2800, 0xE401, 0xA001, 0x6C00, 0x7800,
            0xB401, 0x5000, 0x9C01, 0x8801, 0x4400,
        ]
        return bytes.reduce(0) { sum, byte in
            let low = (sum >> 4 & 0x0FFF) ^ table[Int(sum & 0xF)] ^ table[Int(byte & 0xF)]
            return (low >> 4 & 0x0FFF) ^ table[Int(low & 0xF)] ^ table[Int(byte >> 4)]
        }
    }
}
