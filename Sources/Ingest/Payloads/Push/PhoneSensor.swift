public import Samples

/// A sensor that phones have, as it is declared here.
///
/// A phone that is called `ann` has `accelerometer.ann`, `location.ann` and so on: one instance of each
/// kind, so that several phones stand side by side.
public struct PhoneSensor: Hashable, Sendable {
    /// What it measures, such as `accelerometer`.
    public let kind: SensorID
    /// A few words for a person.
    public let title: String
    public let fields: [Field]

    private init(_ kind: SensorID, _ title: String, _ fields: [Field]) {
        self.kind = kind
        self.title = title
        self.fields = fields
    }

    /// Every sensor that is understood of a phone.
    ///
    /// Where a phone does not know the accuracy, the speed or the heading of a location, they are -1.
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

    /// The sensor of one phone.
    ///
    /// - Parameter phone: one segment of an identifier.
    /// - Returns: `nil` when the phone is called in a way that no identifier allows.
    public func id(of phone: String) -> SensorID? {
        phone.utf8.contains(UInt8(ascii: ".")) ? nil : SensorID("\(kind).\(phone)")
    }

    private static func axes(_ unit: String) -> [Field] {
        ["x", "y", "z"].map { Field($0, unit: unit) }
    }
}
