/// The value of a record.
enum SenMLValue {
    case number(Double)
    case integer(Int64)
    case text([UInt8])
    case boolean
    case data

    /// The number; 0 for other values.
    var double: Double {
        switch self {
        case .number(let number): number
        case .integer(let integer): Double(integer)
        case .text, .boolean, .data: 0
        }
    }
}

/// A record of SenML as it is written: the members that are used.
///
/// Source: RFC 8428, sections 4.1, 4.2 and 5.
struct SenMLRecord {
    var baseName: String?
    var name: String?
    var baseUnit: String?
    var unit: String?
    /// Microseconds.
    var baseTime: Int64?
    var time: Int64?
    var baseValue: SenMLValue?
    var value: SenMLValue?
    var baseSum: Double?
    var sum: Double?
    var version: Int64?

    /// Nested values of members that are ignored may be this deep.
    private static let deepest = 16

    /// Reads an object strictly by RFC 8259.
    ///
    /// - Precondition: the bytes are followed by 16 zeros.
    static func read(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ line: inout Int,
        _ powers: borrowing PowersOfTen
    ) throws(RowError) -> SenMLRecord {
        var record = SenMLRecord()
        guard position.pointee == UInt8(ascii: "{") else {
            throw JSONObjectReader.unexpected(position, end)
        }
        position += 1
        JSONObjectReader.skipSpace(&position, &line)
        var seen: Set<[UInt8]> = []
        if position.pointee != UInt8(ascii: "}") {
            while true {
                let name = try string(&position, end)
                guard seen.insert(name).inserted else { throw RowError(.member) }
                JSONObjectReader.skipSpace(&position, &line)
                try skip(UInt8(ascii: ":"), &position, end)
                JSONObjectReader.skipSpace(&position, &line)
                try record.readMember(
                    String(decoding: name, as: UTF8.self), &position, end, &line, powers)
                JSONObjectReader.skipSpace(&position, &line)
                guard position.pointee == UInt8(ascii: ",") else { break }
                position += 1
                JSONObjectReader.skipSpace(&position, &line)
            }
        }
        try skip(UInt8(ascii: "}"), &position, end)
        return record
    }

    private mutating func readMember(
        _ name: String, _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        _ line: inout Int, _ powers: borrowing PowersOfTen
    ) throws(RowError) {
        switch name {
        case "bn": baseName = try Self.text(&position, end)
        case "n": self.name = try Self.text(&position, end)
        case "bu": baseUnit = try Self.text(&position, end)
        case "u": unit = try Self.text(&position, end)
        case "bt": baseTime = try Self.seconds(&position, end)
        case "t": time = try Self.seconds(&position, end)
        case "ut": _ = try Self.seconds(&position, end)
        case "bs": baseSum = try Self.number(&position, end, powers).double
        case "s": sum = try Self.number(&position, end, powers).double
        case "bv": baseValue = try Self.number(&position, end, powers)
        case "bver":
            guard case .integer(let number) = try Self.number(&position, end, powers) else {
                throw RowError(.memberType)
            }
            version = number
        case "v", "vs", "vb", "vd":
            guard value == nil else { throw RowError(.values) }
            switch name {
            case "v": value = try Self.number(&position, end, powers)
            case "vs": value = .text(try Self.string(&position, end))
            case "vd":
                _ = try Self.string(&position, end)
                value = .data
            default:
                guard [UInt8(ascii: "t"), UInt8(ascii: "f")].contains(position.pointee) else {
                    throw position >= end ? RowError(.incomplete) : RowError(.memberType)
                }
                try Self.ignore(&position, end, &line, depth: 0)
                value = .boolean
            }
        case _ where name.hasSuffix("_"): throw RowError(.mustUnderstand)
        default: try Self.ignore(&position, end, &line, depth: 0)
        }
    }

    private static func skip(
        _ byte: UInt8, _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) throws(RowError) {
        guard position.pointee == byte else { throw JSONObjectReader.unexpected(position, end) }
        position += 1
    }

    private static func string(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) throws(RowError) -> [UInt8] {
        guard position.pointee == UInt8(ascii: "\"") else {
            throw position >= end ? RowError(.incomplete) : RowError(.memberType)
        }
        position += 1
        var bytes: [UInt8] = []
        try JSONStringDecoder.decode(&position, end, into: &bytes, -2)
        return bytes
    }

    private static func text(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) throws(RowError) -> String {
        guard let text = String(validating: try string(&position, end), as: UTF8.self) else {
            throw RowError(.notUTF8)
        }
        return text
    }

    private static func literal(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) throws(RowError) -> DecimalLiteral {
        guard position.pointee &- 0x30 <= 9 || position.pointee == UInt8(ascii: "-") else {
            throw position >= end ? RowError(.incomplete) : RowError(.memberType)
        }
        do throws(RowError) {
            let number = try DecimalLiteral(&position)
            // A number at the end of the input may go on.
            if position == end { throw RowError(.incomplete) }
            return number
        } catch {
            // A number cut by the end of the input may look malformed.
            throw position == end ? RowError(.incomplete) : error
        }
    }

    private static func number(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>,
        _ powers: borrowing PowersOfTen
    ) throws(RowError) -> SenMLValue {
        let literal = try literal(&position, end)
        if let integer = literal.integer() { return .integer(integer) }
        guard let number = literal.double(powers) else { throw RowError(.range) }
        return .number(number)
    }

    private static func seconds(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) throws(RowError) -> Int64 {
        guard let time = try literal(&position, end).microsecondsOfSeconds() else {
            throw RowError(.notTime, field: FieldTable.time)
        }
        return time
    }

    /// Steps over a value that is not used.
    private static func ignore(
        _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ line: inout Int,
        depth: Int
    ) throws(RowError) {
        guard depth <= deepest else { throw RowError(.nested) }
        switch position.pointee {
        case UInt8(ascii: "\""): _ = try string(&position, end)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let isObject = position.pointee == UInt8(ascii: "{")
            let close = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
            position += 1
            JSONObjectReader.skipSpace(&position, &line)
            if position.pointee != close {
                while true {
                    if isObject {
                        _ = try string(&position, end)
                        JSONObjectReader.skipSpace(&position, &line)
                        try skip(UInt8(ascii: ":"), &position, end)
                        JSONObjectReader.skipSpace(&position, &line)
                    }
                    try ignore(&position, end, &line, depth: depth + 1)
                    JSONObjectReader.skipSpace(&position, &line)
                    guard position.pointee == UInt8(ascii: ",") else { break }
                    position += 1
                    JSONObjectReader.skipSpace(&position, &line)
                }
            }
            try skip(close, &position, end)
        case UInt8(ascii: "t"): try word("true", &position, end)
        case UInt8(ascii: "f"): try word("false", &position, end)
        case UInt8(ascii: "n"): try word("null", &position, end)
        default: _ = try literal(&position, end)
        }
    }

    private static func word(
        _ word: StaticString, _ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) throws(RowError) {
        for offset in 0..<word.utf8CodeUnitCount {
            try skip(word.utf8Start[offset], &position, end)
        }
    }
}

/// The base members that apply to a record, and how they resolve it.
///
/// Source: RFC 8428, sections 4.1 to 4.6.
struct SenMLBase {
    /// The version of RFC 8428; packs of later versions must be rejected.
    private static let newestVersion: Int64 = 10
    /// Smaller times, in microseconds, are relative to the time of reception.
    private static let firstAbsolute = SenMLWriter.firstAbsoluteSecond * 1_000_000

    private var name = ""
    private var unit: String?
    private var time: Int64 = 0
    private var value: SenMLValue?
    private var sum: Double?
    private var version: Int64?

    /// A record without base members.
    struct Entry {
        let name: String
        let unit: String?
        /// Microseconds since 1970.
        let time: Int64
        let value: SenMLValue?
        let sum: Double?
    }

    mutating func update(from record: SenMLRecord) throws(RowError) {
        if let version = record.version {
            guard (1...Self.newestVersion).contains(version), version == self.version ?? version
            else { throw RowError(.baseVersion) }
            self.version = version
        }
        if let name = record.baseName { self.name = name }
        if let unit = record.baseUnit { self.unit = unit.isEmpty ? nil : unit }
        if let time = record.baseTime { self.time = time }
        if let value = record.baseValue { self.value = value }
        if let sum = record.baseSum { self.sum = sum }
    }

    /// The record with all members that it has by itself or from the base; `nil` if it only has base
    /// members.
    ///
    /// - Parameter now: the time of reception, in microseconds since 1970.
    func resolved(_ record: SenMLRecord, now: Int64) throws(RowError) -> Entry? {
        let hasOwnMembers =
            record.name != nil || record.value != nil || record.sum != nil || record.time != nil
            || record.unit != nil
        guard hasOwnMembers else { return nil }
        let value = try combined(record.value)
        let sum = record.sum == nil && self.sum == nil ? nil : (record.sum ?? 0) + (self.sum ?? 0)
        guard value != nil || sum != nil else { throw RowError(.noValue) }
        if let sum, !sum.isFinite { throw RowError(.range) }
        let unit = record.unit ?? self.unit
        return Entry(
            name: name + (record.name ?? ""), unit: unit?.isEmpty == true ? nil : unit,
            time: try time(record.time, now), value: value, sum: sum)
    }

    /// The value with the base value added; of the two, a missing one counts as 0.
    private func combined(_ own: SenMLValue?) throws(RowError) -> SenMLValue? {
        guard let base = value else { return own }
        switch (own, base) {
        case (nil, _): return base
        case (.integer(let left), .integer(let right)):
            let (total, overflow) = left.addingReportingOverflow(right)
            guard !overflow else { throw RowError(.range) }
            return .integer(total)
        case (.some(let own), _):
            switch own {
            case .text, .boolean, .data: return own
            case .number, .integer: break
            }
            let total = own.double + base.double
            guard total.isFinite else { throw RowError(.range) }
            return .number(total)
        }
    }

    private func time(_ own: Int64?, _ now: Int64) throws(RowError) -> Int64 {
        var (total, overflow) = time.addingReportingOverflow(own ?? 0)
        if !overflow, total < Self.firstAbsolute {
            (total, overflow) = total.addingReportingOverflow(now)
        }
        guard !overflow, total != .max else {
            throw RowError(.notTime, field: FieldTable.time)
        }
        return total
    }
}
