public import Samples
import Text

/// Reads fixes from the NMEA 0183 sentences RMC, GGA, GSA and VTG of any talker.
///
/// Lines can be split anywhere, end in CR LF or LF, and have garbage between them. The sentences of
/// one time make one fix, which is reported when the next time begins or at the end. The date comes
/// from RMC, so no fix is reported before the first one. The accuracy is the horizontal dilution of
/// precision times 5 m, a typical user equivalent range error; without a dilution it is unknown.
///
/// ```swift
/// var reader = NMEAReader()
/// let reports = reader.take(bytes) + reader.finish()
/// ```
///
/// Source: NMEA 0183, as in E. S. Raymond, "NMEA Revealed", https://gpsd.io/NMEA.html.
public struct NMEAReader: Sendable {
    /// The report of a receiver at one time.
    public enum Report: Hashable, Sendable {
        /// A position.
        case fix(Fix)
        /// The receiver has no position.
        case noFix(Timestamp)
    }

    /// The longest line in bytes; the standard has 82, but receivers exceed it.
    public static let longestLine = 256
    /// The accuracy in metres at a dilution of one: the user equivalent range error.
    public static let rangeError = 5.0

    /// Lines that began with `$` and had a wrong checksum, length or character.
    public private(set) var brokenLines = 0
    /// Other lines that were not blank.
    public private(set) var otherLines = 0

    private var line: [UInt8] = []
    private var isTooLong = false
    private var epoch: NMEAEpoch?
    /// The start of the current day, in microseconds since 1970.
    private var day: Int64?

    /// Creates a reader.
    public init() {}

    /// Takes bytes.
    ///
    /// - Returns: the reports that are complete now.
    public mutating func take(_ bytes: some Sequence<UInt8>) -> [Report] {
        var reports: [Report] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
                // The start of a sentence ends an incomplete line.
                if byte == UInt8(ascii: "$"), !line.isEmpty { endLine(&reports) }
                isTooLong = isTooLong || line.count == Self.longestLine
                if !isTooLong { line.append(byte) }
                continue
            }
            endLine(&reports)
        }
        return reports
    }

    /// Ends the input.
    ///
    /// - Returns: the last report.
    public mutating func finish() -> [Report] {
        var reports: [Report] = []
        endLine(&reports)
        close(&reports)
        return reports
    }

    private mutating func endLine(_ reports: inout [Report]) {
        defer {
            line.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        guard !line.isEmpty else { return }
        guard line[0] == UInt8(ascii: "$") else {
            if line.contains(where: { $0 != 0x20 }) { otherLines += 1 }
            return
        }
        guard !isTooLong, let sentence = NMEASentence(line[...]) else {
            brokenLines += 1
            return
        }
        take(sentence, &reports)
    }

    private mutating func take(_ sentence: NMEASentence, _ reports: inout [Report]) {
        if sentence.kind == "RMC" || sentence.kind == "GGA" {
            guard let time = sentence.timeOfDay(0) else { return }
            begin(time, &reports)
        }
        if sentence.kind == "RMC", let date = sentence.field(8) { day = Self.day(date) ?? day }
        epoch?.take(sentence)
    }

    /// Begins a new fix if the time differs from that of the current one.
    private mutating func begin(_ timeOfDay: Int64, _ reports: inout [Report]) {
        guard epoch?.timeOfDay != timeOfDay else { return }
        let before = epoch?.timeOfDay
        close(&reports)
        // After midnight and before the next RMC the date is still that of the day before.
        if let before, let day, timeOfDay < before - 43_200_000_000 {
            self.day = day + 86_400_000_000
        }
        epoch = NMEAEpoch(timeOfDay: timeOfDay)
    }

    private mutating func close(_ reports: inout [Report]) {
        defer { epoch = nil }
        guard let epoch, let day else { return }
        let time = Timestamp(microseconds: day + epoch.timeOfDay)
        reports.append(epoch.fix(at: time).map { .fix($0) } ?? .noFix(time))
    }

    /// `ddmmyy`, 1980 to 2079.
    fileprivate static func day(_ text: String) -> Int64? {
        guard text.utf8.count == 6, let number = Int(text), number > 0 else { return nil }
        let year = number % 100
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let century = year < 80 ? "20" : "19"
        let date = "\(century)\(two(year))-\(two(number / 100 % 100))-\(two(number / 10_000))"
        return Timestamp(rfc3339: date + "T00:00:00Z")?.microseconds
    }
}

/// The combined sentences of one time.
private struct NMEAEpoch: Sendable {
    /// In microseconds.
    let timeOfDay: Int64
    private var position: Position?
    private var isValid = false
    private var altitude: Double?
    private(set) var dilution: Double?
    private var speed: Double?
    private var course: Double?

    init(timeOfDay: Int64) {
        self.timeOfDay = timeOfDay
    }

    mutating func take(_ sentence: NMEASentence) {
        switch sentence.kind {
        case "RMC":
            isValid = sentence.field(1) == "A"
            position = sentence.position(2) ?? position
            // 1 knot is 1852 m per hour.
            speed = sentence.number(6).map { $0 * 1852 / 3600 } ?? speed
            course = sentence.number(7) ?? course
        case "GGA":
            // Some receivers repeat an old position as a fix of no satellites.
            let isOld = sentence.field(5) == "1" && sentence.field(6).flatMap { Int($0) } == 0
            isValid = sentence.field(5).map { $0 != "0" } == true && !isOld
            position = sentence.position(1) ?? position
            dilution = sentence.number(7) ?? dilution
            altitude = sentence.number(8) ?? altitude
        case "GSA":
            if sentence.field(1) == "1" { isValid = false }
            dilution = sentence.number(15) ?? dilution
        case "VTG":
            course = sentence.number(0) ?? course
            speed = sentence.number(6).map { $0 / 3.6 } ?? speed
        default: break
        }
    }

    /// - Returns: `nil` without a valid position.
    func fix(at time: Timestamp) -> Fix? {
        guard isValid, let position else { return nil }
        return Fix(
            time: time, position: position, altitude: altitude,
            accuracy: dilution.map { $0 * NMEAReader.rangeError }, speed: speed, heading: course)
    }
}

/// The sentences RMC, GGA, GSA and VTG of one time, as one message of a source.
///
/// Lines end in CR, LF or both; every line needs a valid checksum. Of several times the last one counts.
public struct NMEAMessage: Hashable, Sendable {
    /// The position at ``time``, or in 1970 if that is unknown; `nil` without a fix.
    public let fix: Fix?
    /// The time, if there is an RMC with the date.
    public let time: Timestamp?
    /// The horizontal dilution of precision, without a unit; `nil` if unknown.
    public let dilution: Double?
    /// The number of satellites that are used; `nil` if unknown.
    public let satellites: Int?
    /// The quality of the fix by GGA: 0 none, 1 GPS, 2 differential, 4 and 5 RTK and others; `nil` if unknown.
    public let quality: Int?

    /// - Returns: `nil` for bytes with another line or a wrong checksum, or without RMC and GGA.
    public init?(_ payload: [UInt8]) {
        var epoch: NMEAEpoch?
        var day: Int64?
        var (satellites, quality): (Int?, Int?)
        for line in payload.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            guard let sentence = NMEASentence(line) else { return nil }
            if ["RMC", "GGA"].contains(sentence.kind) {
                guard let time = sentence.timeOfDay(0) else { continue }
                if epoch?.timeOfDay != time {
                    epoch = NMEAEpoch(timeOfDay: time)
                    (satellites, quality) = (nil, nil)
                }
            }
            if sentence.kind == "RMC" { day = sentence.field(8).flatMap(NMEAReader.day) }
            if sentence.kind == "GGA" {
                quality = sentence.field(5).flatMap { Int($0) }
                satellites = sentence.field(6).flatMap { Int($0) }
            }
            epoch?.take(sentence)
        }
        guard let epoch else { return nil }
        time = day.map { Timestamp(microseconds: $0 + epoch.timeOfDay) }
        fix = epoch.fix(at: time ?? Timestamp(microseconds: 0))
        dilution = epoch.dilution
        (self.satellites, self.quality) = (satellites, quality)
    }
}

/// Groups the lines of a receiver into an ``NMEAMessage`` for each time.
///
/// A message is complete as soon as both RMC and GGA have arrived, so that it is not delayed, or when the
/// next time begins.
public struct NMEAGrouping: Sendable {
    /// Lines that are no sentence with a valid checksum.
    public private(set) var rejected = 0
    private var lines: [UInt8] = []
    private var timeOfDay: Int64?
    private var kinds: Set<String> = []
    private var isComplete = false

    /// Creates an empty group.
    public init() {}

    /// Takes a line without its end.
    ///
    /// - Returns: the lines of a message, if this one completes it.
    public mutating func take(_ line: [UInt8]) -> [UInt8]? {
        guard let sentence = NMEASentence(line[...]) else {
            rejected += 1
            return nil
        }
        guard ["RMC", "GGA", "GSA", "VTG"].contains(sentence.kind) else { return nil }
        var message: [UInt8]?
        if sentence.kind == "RMC" || sentence.kind == "GGA" {
            guard let time = sentence.timeOfDay(0) else { return nil }
            if time != timeOfDay {
                message = end()
                timeOfDay = time
            }
            kinds.insert(sentence.kind)
        }
        guard timeOfDay != nil, !isComplete else { return message }
        lines += line + [0x0A]
        guard kinds.count == 2 else { return message }
        isComplete = true
        return lines
    }

    /// Ends the current message.
    ///
    /// - Returns: its lines, unless it was complete before.
    public mutating func end() -> [UInt8]? {
        defer { (lines, timeOfDay, kinds, isComplete) = ([], nil, [], false) }
        return isComplete || lines.isEmpty ? nil : lines
    }
}

/// A sentence of NMEA 0183 with a valid checksum.
private struct NMEASentence: Hashable {
    /// Three letters, such as `RMC`, without the two of the talker.
    let kind: String
    let fields: [String]

    /// - Parameter line: without its line end.
    /// - Returns: `nil` unless it is `$TTKKK,…*HH` of printable ASCII, and HH the exclusive or of
    ///   the characters between. The checksum is required: without it a line could be truncated.
    init?(_ line: ArraySlice<UInt8>) {
        guard line.first == UInt8(ascii: "$"), line.count >= 10,
            line.count <= NMEAReader.longestLine,
            line.allSatisfy({ (0x20...0x7E).contains($0) }),
            line[line.endIndex - 3] == UInt8(ascii: "*"),
            let checksum = UInt8(String(decoding: line.suffix(2), as: UTF8.self), radix: 16)
        else { return nil }
        let body = line.dropFirst().dropLast(3)
        guard body.reduce(0, ^) == checksum else { return nil }
        let parts = String(decoding: body, as: UTF8.self)
            .split(separator: ",", omittingEmptySubsequences: false)
        guard let name = parts.first, name.utf8.count == 5 else { return nil }
        kind = String(name.suffix(3))
        fields = parts.dropFirst().map(String.init)
    }

    /// A field; `nil` if it is missing or empty.
    func field(_ index: Int) -> String? {
        fields.indices.contains(index) && !fields[index].isEmpty ? fields[index] : nil
    }

    func number(_ index: Int) -> Double? {
        field(index).flatMap { Double(decimal: $0) }
    }

    /// `ddmm.mmmm,N,dddmm.mmmm,E` from an index on.
    func position(_ index: Int) -> Position? {
        guard let latitude = degrees(index, digits: 2, signs: ("N", "S")),
            let longitude = degrees(index + 2, digits: 3, signs: ("E", "W"))
        else { return nil }
        return Position(latitude: latitude, longitude: longitude)
    }

    /// `hhmmss.sss` as microseconds of the day; a leap second is read as the second before.
    func timeOfDay(_ index: Int) -> Int64? {
        guard let text = field(index), text.utf8.count >= 6, text.utf8.count <= 16,
            let hours = Int64(text.prefix(2)), let minutes = Int64(text.dropFirst(2).prefix(2)),
            let seconds = Double(decimal: text.dropFirst(4)), (0..<24).contains(hours),
            (0..<60).contains(minutes), (0..<61).contains(seconds)
        else { return nil }
        return (hours * 60 + minutes) * 60_000_000
            + Int64((min(seconds, 59.999_999) * 1e6).rounded())
    }

    private func degrees(
        _ index: Int, digits: Int, signs: (positive: String, negative: String)
    ) -> Double? {
        guard let text = field(index), let sign = field(index + 1), text.utf8.count > digits + 1,
            let degrees = UInt8(text.prefix(digits)),
            let minutes = Double(decimal: text.dropFirst(digits)), (0..<60).contains(minutes)
        else { return nil }
        let value = Double(degrees) + minutes / 60
        if sign == signs.positive { return value }
        return sign == signs.negative ? -value : nil
    }
}
