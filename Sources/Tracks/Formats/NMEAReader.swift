public import Samples

/// Reads places from the sentences of NMEA 0183: RMC, GGA, GSA and VTG, of any talker.
///
/// Bytes come as they come: lines may be split anywhere, end in CR LF or LF, and have junk between
/// them. Sentences of one time make one fix, which is told when the next time begins or at the end.
/// The date comes from RMC alone, so that nothing is told before the first. The accuracy is the
/// horizontal dilution of precision times 5 m, a usual error of a range; where a receiver does not
/// tell the dilution, there is no accuracy.
/// Source: NMEA 0183, as in E. S. Raymond, "NMEA Revealed", https://gpsd.io/NMEA.html.
public struct NMEAReader: Sendable {
    /// What a receiver says at one time.
    public enum Report: Hashable, Sendable {
        case fix(Fix)
        /// It does not know where it is.
        case noFix(Timestamp)
    }

    /// The longest line in bytes; the standard has 82, and receivers do not keep to it.
    public static let longestLine = 256
    /// Metres of accuracy for a dilution of one.
    public static let rangeError = 5.0

    /// How many lines began with `$` and were no sentence, for their checksum, length or characters.
    public private(set) var brokenLines = 0
    /// How many other lines that are not blank there were.
    public private(set) var otherLines = 0

    private var line: [UInt8] = []
    private var isTooLong = false
    private var epoch: NMEAEpoch?
    /// When the day of the present time began, in microseconds since 1970.
    private var day: Int64?

    public init() {}

    /// Takes bytes.
    ///
    /// - Returns: what is complete by them.
    public mutating func take(_ bytes: some Sequence<UInt8>) -> [Report] {
        var reports: [Report] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
                // A sentence that begins ends what was cut off before it.
                if byte == UInt8(ascii: "$"), !line.isEmpty { endLine(&reports) }
                isTooLong = isTooLong || line.count == Self.longestLine
                if !isTooLong { line.append(byte) }
                continue
            }
            endLine(&reports)
        }
        return reports
    }

    /// The last fix, once there is no more.
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

    /// Sentences of another time are another fix.
    private mutating func begin(_ timeOfDay: Int64, _ reports: inout [Report]) {
        guard epoch?.timeOfDay != timeOfDay else { return }
        let before = epoch?.timeOfDay
        close(&reports)
        // Midnight between two RMC: the date is still that of yesterday.
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
    private static func day(_ text: String) -> Int64? {
        guard text.utf8.count == 6, let number = Int(text), number > 0 else { return nil }
        let year = number % 100
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let century = year < 80 ? "20" : "19"
        let date = "\(century)\(two(year))-\(two(number / 100 % 100))-\(two(number / 10_000))"
        return Timestamp(rfc3339: date + "T00:00:00Z")?.microseconds
    }
}
