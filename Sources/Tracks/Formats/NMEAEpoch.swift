import Samples

/// What the sentences of one time say together.
struct NMEAEpoch: Sendable {
    /// In microseconds.
    let timeOfDay: Int64
    private var position: Position?
    private var isValid = false
    private var altitude: Double?
    private var dilution: Double?
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
            // 1 knot is 1852 m an hour.
            speed = sentence.number(6).map { $0 * 1852 / 3600 } ?? speed
            course = sentence.number(7) ?? course
        case "GGA":
            isValid = sentence.field(5).map { $0 != "0" } ?? false
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

    /// - Returns: `nil` where the receiver does not know where it is.
    func fix(at time: Timestamp) -> Fix? {
        guard isValid, let position else { return nil }
        return Fix(
            time: time, position: position, altitude: altitude,
            accuracy: dilution.map { $0 * NMEAReader.rangeError }, speed: speed, heading: course)
    }
}
