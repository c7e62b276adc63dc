import Samples
import Text

/// The values of one reading of Sensor Logger, by the names and in the units that they have here.
enum SensorLoggerValues {
    /// What is called the same way as its kind, or nearly, and has numbers that are taken as they are.
    private static let axes: [String: SensorID] = [
        "accelerometer": "accelerometer", "totalacceleration": "total-acceleration",
        "gravity": "gravity", "gyroscope": "gyroscope", "magnetometer": "magnetometer",
    ]

    /// - Parameter name: in small letters.
    /// - Returns: `nil` for a name that is not known.
    static func read(
        _ name: String, _ json: JSONValue
    ) throws(DropReason) -> (kind: SensorID, values: [String: Value])? {
        var values = PhoneValues()
        let kind: SensorID
        switch name {
        case "orientation":
            kind = "orientation"
            try values.number("yaw", json.member("yaw"))
            try values.number("pitch", json.member("pitch"))
            try values.number("roll", json.member("roll"))
            try values.number("qx", json.member("qx"))
            try values.number("qy", json.member("qy"))
            try values.number("qz", json.member("qz"))
            try values.number("qw", json.member("qw"))
        case "barometer":
            kind = "barometer"
            try values.number("pressure", json.member("pressure"))
            try values.optional("relativeAltitude", json.member("relativeAltitude"))
        case "location":
            kind = "location"
            try values.place(
                latitude: json.member("latitude"), longitude: json.member("longitude"),
                altitude: json.member("altitudeAboveMeanSeaLevel") ?? json.member("altitude"),
                accuracy: json.member("horizontalAccuracy"), speed: json.member("speed"),
                heading: json.member("bearing"))
        case "pedometer":
            kind = "steps"
            try values.count("steps", json.member("steps"))
        case "microphone":
            kind = "noise"
            try values.number("level", json.member("dBFS"))
        case "light":
            kind = "light"
            try values.number("illuminance", json.member("lux"))
        case "battery":
            kind = "battery"
            try values.number("level", json.member("batteryLevel"), in: 0...1, times: 100)
            values.state(
                "state", PhoneState.battery(json.member("batteryState")?.text(atMost: 64) ?? ""))
        case "heartrate":
            kind = "heart-rate"
            try values.number("rate", json.member("bpm"))
        case "activity":
            kind = "activity"
            guard let activity = json.member("activity") else { throw .incomplete }
            guard let name = activity.text(atMost: 64) else { throw .value }
            values.state("activity", PhoneState.activity(name))
            values.state(
                "confidence",
                PhoneState.confidence(json.member("confidence")?.text(atMost: 64) ?? ""))
        default:
            guard let known = axes[name] else { return nil }
            kind = known
            try values.number("x", json.member("x"))
            try values.number("y", json.member("y"))
            try values.number("z", json.member("z"))
        }
        return (kind, values.values)
    }
}
