import Samples

/// Gives times to points that have none.
struct MissingClock {
    private let rule: MissingTimes
    /// The time of the next track's first point.
    private var next: Timestamp

    init(_ rule: MissingTimes) {
        self.rule = rule
        next =
            switch rule {
            case .assumed(let start, _): start
            case .omitted, .everySecond: Timestamp(microseconds: 0)
            }
    }

    /// Gives times to the points of a track without any.
    ///
    /// - Returns: `false` if the track is to be left out.
    mutating func fill(_ segments: inout [[TrackBuilder.Point]]) -> Bool {
        switch rule {
        case .omitted: return false
        case .assumed(_, let speed):
            let start = next
            var (metres, last): (Double, Position?) = (0, nil)
            Self.update(&segments) { point in
                metres += last?.distance(to: point.position) ?? 0
                last = point.position
                let microseconds = metres / speed * 1_000_000
                next = start.advanced(
                    byMicroseconds: Int64(exactly: microseconds.rounded()) ?? .max)
                point.time = next
            }
        case .everySecond:
            Self.update(&segments) { point in
                point.time = next
                next = next.advanced(byMicroseconds: 1_000_000)
            }
        }
        return true
    }

    /// Gives times to points between others that have one, in proportion to the distance from them.
    ///
    /// - Returns: how many.
    static func interpolate(_ segments: inout [[TrackBuilder.Point]]) -> Int {
        let points = Array(segments.joined())
        var times: [Int: Timestamp] = [:]
        var before: Int?
        for (index, point) in points.enumerated() where point.time != nil {
            defer { before = index }
            guard let before, before + 1 < index, let start = points[before].time,
                let end = point.time
            else { continue }
            var metres = [0.0]
            for next in (before + 1)...index {
                metres.append(
                    metres[next - before - 1]
                        + points[next - 1].position.distance(to: points[next].position))
            }
            let length = metres[index - before]
            let span = Double(end.microseconds) - Double(start.microseconds)
            for inner in (before + 1)..<index {
                let share =
                    length > 0
                    ? metres[inner - before] / length
                    : Double(inner - before) / Double(index - before)
                times[inner] = start.advanced(
                    byMicroseconds: Int64(exactly: (share * span).rounded()) ?? 0)
            }
        }
        guard !times.isEmpty else { return 0 }
        var index = 0
        update(&segments) { point in
            if let time = times[index] { point.time = time }
            index += 1
        }
        return times.count
    }

    private static func update(
        _ segments: inout [[TrackBuilder.Point]], _ body: (inout TrackBuilder.Point) -> Void
    ) {
        for segment in segments.indices {
            for index in segments[segment].indices { body(&segments[segment][index]) }
        }
    }
}

extension Timestamp {
    /// Reads a time of a file: RFC 3339, also as other programs write it.
    ///
    /// The offset can be missing, which is UTC in GPX and KML, or have no colon; the date and time can be
    /// separated by a space, and a comma can begin the fraction, as ISO 8601 allows.
    init?(inFile text: some StringProtocol) {
        var text = String(text.trimmed)
        if let time = Timestamp(rfc3339: text) {
            self = time
            return
        }
        guard (19...64).contains(text.utf8.count), text.utf8.allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        text = String(text.map { $0 == "," ? "." : $0 == " " ? "T" : $0 })
        if let sign = text.dropFirst(19).lastIndex(where: { $0 == "+" || $0 == "-" }) {
            if text[sign...].utf8.count == 5 {
                text.insert(":", at: text.index(sign, offsetBy: 3))
            }
        } else if text.last != "Z" {
            text += "Z"
        }
        guard let time = Timestamp(rfc3339: text) else { return nil }
        self = time
    }
}

extension StringProtocol {
    /// The text without surrounding whitespace.
    var trimmed: SubSequence {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
