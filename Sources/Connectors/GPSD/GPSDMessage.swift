import Ingest
import Samples
import Text
import Tracks

/// A message of gpsd: gpsd_json(5), protocol 3.
enum GPSDMessage: Hashable, Sendable {
    /// The greeting, with the release.
    case version(String)
    /// The paths of its receivers.
    case devices([String])
    /// A receiver was activated, such as after it was plugged in, or deactivated.
    case device(String, isActive: Bool)
    /// The position of a receiver, and whether it knows the time; otherwise the fix has its arrival time.
    case fix(Fix, FixQuality, hasTime: Bool, device: String?)
    /// A receiver has no position.
    case noFix
    /// How many satellites a receiver uses and sees.
    case satellites(used: Int, visible: Int, Dilutions, device: String?)
    /// The dilutions of precision of a receiver, without its satellites.
    case dilutions(Dilutions, device: String?)
    /// An error message, escaped for display.
    case error(String)
    case other

    /// The maximum length of a line; gpsd sends at most 10 240 bytes.
    static let longestLine = 16 << 10
    private static let json = StrictJSON(maximumBytes: longestLine)

    /// - Parameter arrival: the time for fixes that gpsd reports without a time.
    /// - Returns: `nil` for a line that is not a valid message.
    init?(_ line: [UInt8], at arrival: Timestamp) {
        guard let whole = try? Self.json.parse(line), let name = whole["class"]?.string else {
            return nil
        }
        let device = whole["device"]?.string
        switch name {
        case "VERSION":
            self = .version((whole["release"]?.string ?? "").escapedForDisplay(limit: 40))
        case "DEVICES":
            guard let devices = whole["devices"]?.array else { return nil }
            self = .devices(devices.compactMap { $0["path"]?.string })
        case "DEVICE":
            guard let path = whole["path"]?.string else { return nil }
            // A time in RFC 3339, or in old releases in seconds since 1970; 0 or missing when deactivated.
            let activated = whole["activated"]
            self = .device(
                path, isActive: activated?.string != nil || activated?.number?.double ?? 0 > 0)
        case "TPV":
            guard let mode = whole["mode"]?.number?.int64 else { return nil }
            // Some receivers report that they have a fix before its position.
            guard mode >= 2, whole["lat"] != nil || whole["lon"] != nil else {
                self = .noFix
                return
            }
            guard let fix = Self.fix(whole, at: arrival) else { return nil }
            self = .fix(
                fix, FixQuality(whole, mode: Int(clamping: mode)), hasTime: whole["time"] != nil,
                device: device)
        case "SKY":
            let dilutions = Dilutions(whole)
            guard let (used, visible) = Self.satellites(whole) else {
                self = .dilutions(dilutions, device: device)
                return
            }
            self = .satellites(used: used, visible: visible, dilutions, device: device)
        case "ERROR":
            self = .error((whole["message"]?.string ?? "").escapedForDisplay(limit: 120))
        default: self = .other
        }
    }

    private static func fix(_ report: JSONValue, at arrival: Timestamp) -> Fix? {
        func number(_ name: String) -> Double? { report[name]?.number?.double }
        guard let latitude = number("lat"), let longitude = number("lon"),
            let position = Position(latitude: latitude, longitude: longitude)
        else { return nil }
        var time = arrival
        if let reported = report["time"] {
            guard let text = reported.string, let moment = Timestamp(rfc3339: text) else {
                return nil
            }
            time = moment
        }
        // Versions before 3.20 report errors to the east and to the north instead of a radius.
        let errors = number("epx").flatMap { x in
            number("epy").map { y in (x * x + y * y).squareRoot() }
        }
        return Fix(
            time: time, position: position,
            // The height above the ellipsoid differs by up to 100 m, but is better than none.
            altitude: number("altMSL") ?? number("alt") ?? number("altHAE"),
            accuracy: number("eph") ?? errors, speed: number("speed"), heading: number("track"))
    }

    private static func satellites(_ report: JSONValue) -> (used: Int, visible: Int)? {
        if let used = report["uSat"]?.number?.int64, let seen = report["nSat"]?.number?.int64,
            let used = Int(exactly: used), let seen = Int(exactly: seen)
        {
            return used >= 0 && seen >= used ? (used, seen) : nil
        }
        guard let list = report["satellites"]?.array else { return nil }
        return (list.count { $0["used"]?.bool == true }, list.count)
    }
}

/// How certain a fix is, as gpsd reports it with the position.
struct FixQuality: Hashable, Sendable {
    /// 2 for a position without altitude, 3 with altitude.
    let mode: Int
    /// The vertical speed in m/s, positive upwards; `nil` if unknown.
    let climb: Double?
    /// The estimated errors of altitude in metres, of speed and of vertical speed in m/s, and of the course in
    /// degrees.
    ///
    /// gpsd means 95 % of the values. `nil` if unknown.
    let altitudeError, speedError, climbError, headingError: Double?

    fileprivate init(_ report: JSONValue, mode: Int) {
        func number(_ name: String) -> Double? { report[name]?.number?.double }
        func error(_ name: String) -> Double? { number(name).flatMap { $0 >= 0 ? $0 : nil } }
        self.mode = mode
        climb = number("climb")
        altitudeError = error("epv")
        speedError = error("eps")
        climbError = error("epc")
        headingError = error("epd")
    }
}

/// Dilutions of precision: how the geometry of the satellites enlarges errors, without a unit; `nil` if
/// unknown.
struct Dilutions: Hashable, Sendable {
    let horizontal, vertical, position: Double?

    fileprivate init(_ report: JSONValue) {
        func number(_ name: String) -> Double? {
            (report[name]?.number?.double).flatMap { $0 >= 0 ? $0 : nil }
        }
        horizontal = number("hdop")
        vertical = number("vdop")
        position = number("pdop")
    }
}
