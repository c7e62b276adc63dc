import Samples

/// Reads the positions of FIT files, which watches and bicycle computers write.
///
/// Source: Flexible and Interoperable Data Transfer (FIT) Protocol, Garmin,
/// https://developer.garmin.com/fit/protocol/, and the messages and fields of its profile. A file can consist of
/// several files one after the other. Each session of a file is a track; the timer's stops divide it
/// into segments. Developer fields and unknown messages are skipped by their size.
struct FITReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int
    /// By local type; each file has its own.
    private var definitions = [FITDefinition?](repeating: nil, count: 16)
    private var activity = FITActivity()
    /// Seconds since ``FITActivity/epoch``, of the last message with a time.
    private var lastTime: UInt32 = 0

    /// Whether bytes begin with the header of a FIT file.
    static func recognizes(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count >= 12 && (12...14).contains(bytes[bytes.startIndex])
            && bytes.dropFirst(8).starts(with: Array(".FIT".utf8))
    }

    /// Reads all files, up to the first one that is damaged.
    ///
    /// - Throws: ``TrackError`` `.malformed` without any point, `.tooLarge`.
    static func read(
        _ bytes: ArraySlice<UInt8>, into builder: inout TrackBuilder
    ) throws(TrackError) {
        guard recognizes(bytes) else { throw TrackError(.malformed, "The file is not FIT.") }
        var reader = FITReader(bytes)
        while reader.position < bytes.endIndex {
            var failure: TrackError?
            do throws(TrackError) {
                try reader.readFile(&builder)
            } catch {
                failure = error
            }
            try reader.activity.add(to: &builder)
            reader.activity = FITActivity()
            guard let failure else { continue }
            guard failure.code == .malformed, builder.points > 0 else { throw failure }
            return builder.endDamaged(failure.message)
        }
    }

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    // MARK: - Files

    private mutating func readFile(_ builder: inout TrackBuilder) throws(TrackError) {
        let start = position
        guard Self.recognizes(bytes[start...]) else {
            throw TrackError(.malformed, "The file has other data after its end.")
        }
        let headerSize = Int(bytes[start])
        position += 4
        let size = Int(try integer(4, isBigEndian: false))
        position = start + headerSize
        definitions = [FITDefinition?](repeating: nil, count: 16)
        lastTime = 0
        // A device that was interrupted has not written the size.
        let isOpen = size == 0
        let end = isOpen ? bytes.endIndex : position + size
        while position < min(end, bytes.endIndex) {
            try readMessage(limits: builder.limits)
        }
        guard !isOpen else { return }
        guard position == end, end + 2 <= bytes.endIndex else {
            throw TrackError(.malformed, "The file ends early.")
        }
        // Over the checksum, too, the checksum is zero.
        if FITChecksum.of(bytes[start..<(end + 2)]) != 0 { builder.hasWrongChecksum = true }
        position = end + 2
    }

    // MARK: - Messages

    private mutating func readMessage(limits: TrackLimits) throws(TrackError) {
        let header = UInt8(try integer(1, isBigEndian: false))
        if header & 0x80 != 0 {
            // Five bits of the time, which has passed at most once beyond them.
            let step = (UInt32(header & 0x1F) &- lastTime) & 0x1F
            lastTime = lastTime &+ step
            try readData(Int(header >> 5 & 3), time: lastTime, limits)
        } else if header & 0x40 != 0 {
            try readDefinition(Int(header & 0xF), hasDeveloperFields: header & 0x20 != 0)
        } else {
            try readData(Int(header & 0xF), time: nil, limits)
        }
    }

    private mutating func readDefinition(
        _ type: Int, hasDeveloperFields: Bool
    ) throws(TrackError) {
        _ = try integer(1, isBigEndian: false)
        let isBigEndian = try integer(1, isBigEndian: false) != 0
        var definition = FITDefinition(
            message: UInt16(try integer(2, isBigEndian: isBigEndian)), isBigEndian: isBigEndian)
        for _ in 0..<(try integer(1, isBigEndian: false)) {
            let field = try take(3)
            definition.add(
                field[field.startIndex], size: Int(field[field.startIndex + 1]),
                type: field[field.startIndex + 2])
        }
        if hasDeveloperFields {
            for _ in 0..<(try integer(1, isBigEndian: false)) {
                definition.size += Int(try take(3).dropFirst().first ?? 0)
            }
        }
        definitions[type] = definition
    }

    private mutating func readData(
        _ type: Int, time: UInt32?, _ limits: TrackLimits
    ) throws(TrackError) {
        guard let definition = definitions[type] else {
            throw TrackError(
                .malformed, "The file has a message of a type that it does not define.")
        }
        let message = FITMessage(definition: definition, bytes: try take(definition.size))
        if let own = message.integer(FITMessage.timestamp) {
            lastTime = UInt32(truncatingIfNeeded: own)
        }
        try activity.take(
            message, time: message.integer(FITMessage.timestamp) ?? time.map { Int64($0) }, limits)
    }

    // MARK: - Bytes

    private mutating func take(_ count: Int) throws(TrackError) -> ArraySlice<UInt8> {
        guard count <= bytes.endIndex - position else {
            throw TrackError(.malformed, "The file ends early.")
        }
        defer { position += count }
        return bytes[position..<(position + count)]
    }

    private mutating func integer(
        _ count: Int, isBigEndian: Bool
    ) throws(TrackError) -> UInt64 {
        FITMessage.unsigned(try take(count), isBigEndian: isBigEndian)
    }
}

/// The layout of the messages of a local type.
private struct FITDefinition {
    struct Field {
        let offset: Int
        let size: Int
        /// The number of the base type.
        let type: UInt8
    }

    let message: UInt16
    let isBigEndian: Bool
    private(set) var fields: [UInt8: Field] = [:]
    /// The size of a message in bytes.
    var size = 0

    init(message: UInt16, isBigEndian: Bool) {
        (self.message, self.isBigEndian) = (message, isBigEndian)
    }

    mutating func add(_ number: UInt8, size fieldSize: Int, type: UInt8) {
        // The upper bits only say whether the type has an endianness, and some devices omit them.
        fields[number] = Field(offset: size, size: fieldSize, type: type & 0x1F)
        size += fieldSize
    }
}

/// A data message.
private struct FITMessage {
    /// The number of the field with the time, in every message.
    static let timestamp: UInt8 = 253

    let definition: FITDefinition
    let bytes: ArraySlice<UInt8>

    /// The integer of a field, or the first of several; `nil` if it is missing, invalid or no integer.
    func integer(_ number: UInt8) -> Int64? {
        guard let field = definition.fields[number], let type = Self.integerTypes[field.type],
            field.size >= type.size
        else { return nil }
        let start = bytes.startIndex + field.offset
        let bits = Self.unsigned(
            bytes[start..<(start + type.size)], isBigEndian: definition.isBigEndian)
        guard bits != type.invalid else { return nil }
        let shift = 64 - type.size * 8
        return type.isSigned
            ? Int64(bitPattern: bits << UInt64(shift)) >> Int64(shift) : Int64(exactly: bits)
    }

    /// A scaled number: the first of several fields that has one.
    func number(_ fields: UInt8..., scale: Double = 1, offset: Double = 0) -> Double? {
        fields.lazy.compactMap { integer($0) }.first.map { Double($0) / scale - offset }
    }

    /// The text of a field, up to its first zero byte.
    func text(_ number: UInt8) -> String? {
        guard let field = definition.fields[number], field.type == 7 else { return nil }
        let start = bytes.startIndex + field.offset
        let text = String(
            decoding: bytes[start..<(start + field.size)].prefix { $0 != 0 }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    static func unsigned(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> UInt64 {
        isBigEndian
            ? bytes.reduce(0) { $0 << 8 | UInt64($1) }
            : bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private struct IntegerType {
        let size: Int
        let isSigned: Bool
        /// The value that means that there is none.
        let invalid: UInt64
    }

    /// By the number of the base type: section “Base Types” of the protocol.
    private static let integerTypes: [UInt8: IntegerType] = {
        func type(_ size: Int, isSigned: Bool = false, isZeroInvalid: Bool = false) -> IntegerType {
            let ones = UInt64.max >> UInt64(64 - size * 8)
            return IntegerType(
                size: size, isSigned: isSigned,
                invalid: isZeroInvalid ? 0 : isSigned ? ones >> 1 : ones)
        }
        return [
            0: type(1), 1: type(1, isSigned: true), 2: type(1), 3: type(2, isSigned: true),
            4: type(2), 5: type(4, isSigned: true), 6: type(4), 10: type(1, isZeroInvalid: true),
            11: type(2, isZeroInvalid: true), 12: type(4, isZeroInvalid: true), 13: type(1),
            14: type(8, isSigned: true), 15: type(8), 16: type(8, isZeroInvalid: true),
        ]
    }()
}

/// The sessions and points of one FIT file.
private struct FITActivity {
    /// 1989-12-31T00:00:00Z, in seconds since 1970.
    static let epoch: Int64 = 631_065_600
    /// Smaller times count from when the device was switched on.
    private static let firstTime: Int64 = 0x1000_0000

    private struct Record {
        /// Seconds of the device.
        let time: Int64?
        /// `nil` without a position.
        let point: TrackBuilder.Point?
        let beginsSegment: Bool
        let otherValues: Set<String>
    }

    private struct Session {
        /// Seconds of the device.
        let start: Int64
        let name: String?
    }

    private var records: [Record] = []
    private var sessions: [Session] = []
    private var name: String?
    private var isStopped = false
    /// The time at which the device was switched on, if it is known.
    private var startOfDevice: Int64?

    /// The numbers of messages and fields are those of the profile.
    mutating func take(
        _ message: FITMessage, time: Int64?, _ limits: TrackLimits
    ) throws(TrackError) {
        switch message.definition.message {
        case 18:
            guard let start = message.integer(2) else { return }
            guard sessions.count < limits.segments else {
                throw TrackError(.tooLarge, "The file has too many sessions.")
            }
            sessions.append(
                Session(start: start, name: message.integer(5).flatMap { Self.sports[$0] }))
        case 20: try take(record: message, time, limits)
        case 21:
            // The timer: stop, stop all, stop and disable.
            if message.integer(0) == 0, [1, 4, 8, 9].contains(message.integer(1)) {
                isStopped = true
            }
        case 31: name = message.text(5) ?? name
        case 162:
            if let time, let sinceStart = message.integer(1), time >= Self.firstTime {
                startOfDevice = time - sinceStart
            }
        default: break
        }
    }

    private mutating func take(
        record: FITMessage, _ time: Int64?, _ limits: TrackLimits
    ) throws(TrackError) {
        guard records.count < limits.points else {
            throw TrackError(.tooLarge, "The file has too many points.")
        }
        // 2³¹ semicircles are 180 degrees.
        let latitude = record.number(0, scale: 0x1p31 / 180)
        let longitude = record.number(1, scale: 0x1p31 / 180)
        var point: TrackBuilder.Point?
        // Zeros in both stand for no position in files that programs have converted.
        if let latitude, let longitude, latitude != 0 || longitude != 0,
            let position = Position(latitude: latitude, longitude: longitude)
        {
            point = TrackBuilder.Point(
                position: position,
                altitude: record.number(78, 2, scale: 5, offset: 500), accuracy: record.number(31),
                speed: record.number(73, 6, scale: 1000))
        }
        records.append(
            Record(
                time: time, point: point, beginsSegment: isStopped && point != nil,
                otherValues: Set(
                    Self.otherValues.compactMap { record.integer($0.key) == nil ? nil : $0.value }))
        )
        if point != nil { isStopped = false }
    }

    /// Adds a track for each session.
    consuming func add(to builder: inout TrackBuilder) throws(TrackError) {
        guard !records.isEmpty else { return }
        var later = sessions.sorted { $0.start < $1.start }[...]
        try builder.beginTrack(name: name ?? later.popFirst()?.name)
        try builder.beginSegment()
        for record in records {
            var isNew = false
            while let time = record.time, let next = later.first, time >= next.start {
                later.removeFirst()
                try builder.beginTrack(name: next.name)
                isNew = true
            }
            if isNew || record.beginsSegment { try builder.beginSegment() }
            var point = record.point
            point?.time = timestamp(record.time)
            try builder.add(point)
            builder.omit(record.otherValues)
        }
    }

    private func timestamp(_ seconds: Int64?) -> Timestamp? {
        guard var seconds else { return nil }
        if seconds < Self.firstTime {
            guard let startOfDevice else { return nil }
            seconds += startOfDevice
        }
        return Timestamp(microseconds: (Self.epoch + seconds) * 1_000_000)
    }

    private static let otherValues: [UInt8: String] = [
        3: "heart rate", 4: "cadence", 7: "power", 13: "temperature",
    ]

    /// The names of sports that are recorded outdoors.
    private static let sports: [Int64: String] = [
        1: "Running", 2: "Cycling", 3: "Transition", 5: "Swimming", 10: "Training", 11: "Walking",
        12: "Cross-country skiing", 13: "Alpine skiing", 14: "Snowboarding", 15: "Rowing",
        16: "Mountaineering", 17: "Hiking", 19: "Paddling", 20: "Flying", 21: "E-biking",
        22: "Motorcycling", 23: "Boating", 24: "Driving", 25: "Golf", 26: "Hang gliding",
        27: "Horseback riding", 30: "Inline skating", 31: "Rock climbing", 32: "Sailing",
        33: "Ice skating", 35: "Snowshoeing", 36: "Snowmobiling", 37: "Stand-up paddleboarding",
        38: "Surfing",
    ]
}

/// The checksum of FIT files: CRC-16/ARC.
private enum FITChecksum {
    private static let table: [UInt16] = (0..<256).map { byte in
        (0..<8).reduce(UInt16(byte)) { rest, _ in rest & 1 == 0 ? rest >> 1 : rest >> 1 ^ 0xA001 }
    }

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt16 {
        bytes.reduce(0) { sum, byte in
            sum >> 8 ^ table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)]
        }
    }
}
