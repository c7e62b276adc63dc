public import Samples
import Text
import Tracks

/// A sensor of a phone.
///
/// A phone named `ann` has one instance of each kind: `accelerometer.ann`, `location.ann` and so
/// on.
public struct PhoneSensor: Hashable, Sendable {
    /// The kind, such as `accelerometer`.
    public let kind: SensorID
    /// The title for display.
    public let title: String
    /// The fields of its samples.
    public let fields: [Field]

    private init(_ kind: SensorID, _ title: String, _ fields: [Field]) {
        self.kind = kind
        self.title = title
        self.fields = fields
    }

    /// All supported sensors of a phone.
    ///
    /// Unknown accuracy, speed or heading of a location is -1, and an unknown altitude -9999.
    public static let all = [
        PhoneSensor("accelerometer", "Acceleration without gravity", axes("m/s2")),
        PhoneSensor("total-acceleration", "Acceleration with gravity", axes("m/s2")),
        PhoneSensor("gravity", "Gravity", axes("m/s2")),
        PhoneSensor("gyroscope", "Gyroscope", axes("rad/s")),
        PhoneSensor("magnetometer", "Magnetometer", axes("uT")),
        PhoneSensor(
            "orientation", "Orientation",
            ["yaw", "pitch", "roll"].map { Field($0, unit: "rad") }
                + ["qx", "qy", "qz", "qw"].map { Field($0, unit: "1") }),
        PhoneSensor(
            "barometer", "Barometer",
            [Field("pressure", unit: "hPa"), Field("relativeAltitude", unit: "m")]),
        PhoneSensor(
            "location", "Location",
            [
                Field("latitude", unit: "deg"), Field("longitude", unit: "deg"),
                Field("altitude", unit: "m"), Field("accuracy", unit: "m"),
                Field("speed", unit: "m/s"), Field("heading", unit: "deg"),
            ]),
        PhoneSensor(
            "steps", "Step counter", [Field("steps", unit: "{step}", kind: .integer)]),
        PhoneSensor("noise", "Sound level below full scale", [Field("level", unit: "dB")]),
        PhoneSensor("light", "Ambient light sensor", [Field("illuminance", unit: "lx")]),
        PhoneSensor(
            "battery", "Battery", [Field("level", unit: "%"), Field("state", kind: .state)]),
        PhoneSensor("heart-rate", "Heart rate", [Field("rate", unit: "/min")]),
        PhoneSensor(
            "activity", "Activity",
            [Field("activity", kind: .state), Field("confidence", kind: .state)]),
    ]

    /// The identifier of this sensor of one phone.
    ///
    /// - Parameter phone: one segment of an identifier.
    /// - Returns: `nil` if `phone` is not a valid segment.
    public func id(of phone: String) -> SensorID? {
        phone.utf8.contains(UInt8(ascii: ".")) ? nil : SensorID("\(kind).\(phone)")
    }

    private static func axes(_ unit: String) -> [Field] {
        ["x", "y", "z"].map { Field($0, unit: unit) }
    }
}

/// Maps the names of states in phones to the names that other sensors use.
///
/// The results are the names of the kernel's battery states and of derived activities, or
/// `unknown`.
enum PhoneStateNames {
    private static let battery = [
        "unplugged": "discharging", "discharging": "discharging", "charging": "charging",
        "full": "full",
    ]
    private static let activity = [
        "walking": "walking", "running": "running", "cycling": "cycling",
        "automotive": "driving", "stationary": "stationary",
    ]

    /// A battery's state from its name.
    static func battery(_ name: String) -> String { battery[name.lowercased()] ?? "unknown" }

    /// A battery's state from OwnTracks' number: 1 unplugged, 2 charging, 3 full.
    static func battery(_ number: Int64?) -> String {
        switch number {
        case 1: "discharging"
        case 2: "charging"
        case 3: "full"
        default: "unknown"
        }
    }

    static func activity(_ name: String) -> String { activity[name.lowercased()] ?? "unknown" }

    /// The confidence of an activity; `low` if it is unknown.
    static func confidence(_ name: String) -> String {
        let folded = name.lowercased()
        return ["low", "medium", "high"].contains(folded) ? folded : "low"
    }
}

/// Collects the values of a phone's reading; throws for an invalid one.
struct PhoneReadingBuilder {
    /// An unknown speed, accuracy or heading, as in CoreLocation and Sensor Logger.
    private static let unknown = -1.0

    private(set) var values: [String: Value] = [:]

    /// Adds a required finite number.
    mutating func number(
        _ field: String, _ json: JSONValue?, in bounds: ClosedRange<Double>? = nil,
        times factor: Double = 1
    ) throws(DropReason) {
        guard let json else { throw .incomplete }
        guard let number = json.double, number.isFinite, bounds?.contains(number) ?? true else {
            throw .value
        }
        values[field] = .number(number * factor)
    }

    /// Adds a required number.
    mutating func number(
        _ field: String, _ number: Double?, in bounds: ClosedRange<Double>
    ) throws(DropReason) {
        guard let number else { throw .incomplete }
        guard bounds.contains(number) else { throw .value }
        values[field] = .number(number)
    }

    /// Adds a finite number that may be missing.
    mutating func optional(_ field: String, _ json: JSONValue?) throws(DropReason) {
        if let json { try number(field, json) }
    }

    mutating func count(_ field: String, _ json: JSONValue?) throws(DropReason) {
        guard let json else { throw .incomplete }
        guard let count = json.int64, count >= 0 else { throw .value }
        values[field] = .integer(count)
    }

    /// Adds a location; altitude, accuracy, speed and heading may be missing.
    ///
    /// - Parameter speedFactor: one unit of `speed` in m/s.
    mutating func location(
        latitude: JSONValue?, longitude: JSONValue?, altitude: JSONValue?, accuracy: JSONValue?,
        speed: JSONValue?, speedFactor: Double = 1, heading: JSONValue?
    ) throws(DropReason) {
        try location(
            latitude: Self.finite(latitude), longitude: Self.finite(longitude),
            altitude: Self.finite(altitude), accuracy: Self.finite(accuracy),
            speed: Self.finite(speed).map { $0 * speedFactor }, heading: Self.finite(heading))
    }

    /// Adds a location in degrees, metres and m/s; altitude, accuracy, speed and heading may be
    /// unknown.
    mutating func location(
        latitude: Double?, longitude: Double?, altitude: Double?, accuracy: Double?, speed: Double?,
        heading: Double?
    ) throws(DropReason) {
        guard let latitude, let longitude else { throw .incomplete }
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { throw .value }
        values["latitude"] = .number(latitude)
        values["longitude"] = .number(longitude)
        values["altitude"] = .number(altitude ?? Fix.unknownAltitude)
        for (field, number) in [("accuracy", accuracy), ("speed", speed), ("heading", heading)] {
            values[field] = .number(number.map { $0 < 0 ? Self.unknown : $0 } ?? Self.unknown)
        }
    }

    /// A finite number, or `nil` if it is missing.
    static func finite(_ json: JSONValue?) throws(DropReason) -> Double? {
        guard let json else { return nil }
        guard let number = json.double, number.isFinite else { throw .value }
        return number
    }

    mutating func state(_ field: String, _ name: String) {
        values[field] = .text(name)
    }
}
