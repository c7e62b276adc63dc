import Text

/// A line that a receiver of NMEA 0183 sends, its checksum right.
struct NMEASentence: Hashable {
    /// Three letters, such as `RMC`; the two of the talker are cut off.
    let kind: String
    let fields: [String]

    /// - Parameter line: without its end.
    /// - Returns: `nil` unless it is `$TTKKK,…*HH`, printable ASCII, and HH is the exclusive or of what
    ///   stands between. A line without a checksum is none: nothing tells whether it is whole.
    init?(_ line: ArraySlice<UInt8>) {
        guard line.first == UInt8(ascii: "$"), line.count >= 10,
            line.count <= NMEAReader.longestLine,
            line.allSatisfy({ (0x20...0x7E).contains($0) }),
            line[line.endIndex - 3] == UInt8(ascii: "*"),
            let told = UInt8(String(decoding: line.suffix(2), as: UTF8.self), radix: 16)
        else { return nil }
        let body = line.dropFirst().dropLast(3)
        guard body.reduce(0, ^) == told else { return nil }
        let parts = String(decoding: body, as: UTF8.self)
            .split(separator: ",", omittingEmptySubsequences: false)
        guard let name = parts.first, name.utf8.count == 5 else { return nil }
        kind = String(name.suffix(3))
        fields = parts.dropFirst().map(String.init)
    }

    /// A field; `nil` where there is none or it is empty.
    func field(_ place: Int) -> String? {
        fields.indices.contains(place) && !fields[place].isEmpty ? fields[place] : nil
    }

    func number(_ place: Int) -> Double? {
        field(place).flatMap { Double(decimal: $0) }
    }

    /// `ddmm.mmmm,N,dddmm.mmmm,E` from a place on.
    func position(_ place: Int) -> Position? {
        guard let latitude = degrees(place, digits: 2, signs: ("N", "S")),
            let longitude = degrees(place + 2, digits: 3, signs: ("E", "W"))
        else { return nil }
        return Position(latitude: latitude, longitude: longitude)
    }

    /// `hhmmss.sss` as microseconds of the day; a leap second counts as the second before.
    func timeOfDay(_ place: Int) -> Int64? {
        guard let text = field(place), text.utf8.count >= 6, text.utf8.count <= 16,
            let hours = Int64(text.prefix(2)), let minutes = Int64(text.dropFirst(2).prefix(2)),
            let seconds = Double(decimal: text.dropFirst(4)), (0..<24).contains(hours),
            (0..<60).contains(minutes), (0..<61).contains(seconds)
        else { return nil }
        return (hours * 60 + minutes) * 60_000_000
            + Int64((min(seconds, 59.999_999) * 1e6).rounded())
    }

    private func degrees(
        _ place: Int, digits: Int, signs: (positive: String, negative: String)
    ) -> Double? {
        guard let text = field(place), let sign = field(place + 1), text.utf8.count > digits + 1,
            let degrees = UInt8(text.prefix(digits)),
            let minutes = Double(decimal: text.dropFirst(digits)), (0..<60).contains(minutes)
        else { return nil }
        let value = Double(degrees) + minutes / 60
        if sign == signs.positive { return value }
        return sign == signs.negative ? -value : nil
    }
}
