import Samples

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
        _ name: String, _ json: PushJSON
    ) throws(DropReason) -> (kind: SensorID, values: [String: Value])? {
        var values = PhoneValues()
        let kind: SensorID
        switch name {
        case "orientation":
            kind = "orientation"
            try values.number("yaw", json["yaw"])
            try values.number("pitch", json["pitch"])
            try values.number("roll", json["roll"])
            try values.number("qx", json["qx"])
            try values.number("qy", json["qy"])
            try values.number("qz", json["qz"])
            try values.number("qw", json["qw"])
        case "barometer":
            kind = "barometer"
            try values.number("pressure", json["pressure"])
            try values.optional("relativeAltitude", json["relativeAltitude"])
        case "location":
            kind = "location"
            try values.place(
                latitude: json["latitude"], longitude: json["longitude"],
                altitude: json["altitudeAboveMeanSeaLevel"] ?? json["altitude"],
                accuracy: json["horizontalAccuracy"], speed: json["speed"],
                course: json["bearing"])
        case "pedometer":
            kind = "steps"
            try values.count("steps", json["steps"])
        case "microphone":
            kind = "noise"
            try values.number("level", json["dBFS"])
        case "light":
            kind = "light"
            try values.number("illuminance", json["lux"])
        case "battery":
            kind = "battery"
            try values.number("level", json["batteryLevel"], in: 0...1, times: 100)
            values.state(
                "state", PhoneState.battery(json["batteryState"]?.text(atMost: 64) ?? ""))
        case "heartrate":
            kind = "heart-rate"
            try values.number("rate", json["bpm"])
        case "activity":
            kind = "activity"
            guard let activity = json["activity"] else { throw .incomplete }
            guard let name = activity.text(atMost: 64) else { throw .value }
            values.state("activity", PhoneState.activity(name))
            values.state(
                "confidence", PhoneState.confidence(json["confidence"]?.text(atMost: 64) ?? ""))
        default:
            guard let known = axes[name] else { return nil }
            kind = known
            try values.number("x", json["x"])
            try values.number("y", json["y"])
            try values.number("z", json["z"])
        }
        return (kind, values.values)
    }
}
