import Samples
import Text

/// Reads messages of the app Sensor Logger, pushed over HTTP or published over MQTT.
///
/// `{"messageId": …, "sessionId": …, "deviceId": …, "payload": [{"name": "accelerometer", "time":
/// 1698501144401740000, "values": {"x": …, "y": …, "z": …}}, …]}`; times are nanoseconds since 1970
/// UTC. Unknown members are ignored. Source: PUSHING.md and UNITS.md of
/// tszheichoi/awesome-sensor-logger.
public enum SensorLoggerReader {
    /// The readings of a phone in a message.
    ///
    /// - Parameter phone: the name of the phone, one segment of an identifier.
    /// - Throws: `malformed` for an invalid message, `tooLarge`.
    public static func content(
        _ bytes: [UInt8], of phone: String
    ) throws(PushFault) -> PushedContent {
        guard let items = try JSONValue(pushed: bytes).member("payload")?.array else {
            throw PushFault(.malformed, "The body has no array named payload.")
        }
        var content = PushedContent()
        for item in items {
            switch reading(item, of: phone) {
            case .success(let reading): content.readings.append(reading)
            case .failure(let reason): content.drop(reason)
            }
        }
        return content
    }

    private static func reading(
        _ item: JSONValue, of phone: String
    ) -> Result<PushedReading, DropReason> {
        do throws(DropReason) {
            guard let name = item.member("name")?.text(atMost: PushLimits.name) else {
                throw .malformed
            }
            guard
                let (kind, values) = try SensorLoggerDecoder.read(
                    // Older versions of the app write the values beside the name.
                    name.lowercased(), item.member("values") ?? item)
            else { throw .unknownName }
            guard let time = item.member("time") else { throw .incomplete }
            guard let nanoseconds = time.int64 else { throw .time }
            guard let id = PhoneSensor.all.first(where: { $0.kind == kind })?.id(of: phone) else {
                throw .unknownName
            }
            let moment = Timestamp(microseconds: nanoseconds / 1000)
            return .success(PushedReading(id, Reading(time: moment, values: values)))
        } catch {
            return .failure(error)
        }
    }
}

/// Converts a reading of Sensor Logger to this project's names and units.
private enum SensorLoggerDecoder {
    /// Sensors with three axes whose values are stored unchanged, by their name in the app.
    private static let axes: [String: SensorID] = [
        "accelerometer": "accelerometer", "totalacceleration": "total-acceleration",
        "gravity": "gravity", "gyroscope": "gyroscope", "magnetometer": "magnetometer",
    ]

    /// - Parameter name: the name in lower case.
    /// - Returns: `nil` for an unknown name.
    static func read(
        _ name: String, _ json: JSONValue
    ) throws(DropReason) -> (kind: SensorID, values: [String: Value])? {
        var values = PhoneReadingBuilder()
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
            try values.location(
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
            // The level is -1 where it is unknown, as in simulators of phones.
            guard json.member("batteryLevel")?.double != -1 else { throw .incomplete }
            try values.number("level", json.member("batteryLevel"), in: 0...1, times: 100)
            values.state(
                "state",
                PhoneStateNames.battery(json.member("batteryState")?.text(atMost: 64) ?? ""))
        case "heartrate":
            kind = "heart-rate"
            try values.number("rate", json.member("bpm"))
        case "activity":
            kind = "activity"
            guard let activity = json.member("activity") else { throw .incomplete }
            guard let name = activity.text(atMost: 64) else { throw .value }
            values.state("activity", PhoneStateNames.activity(name))
            values.state(
                "confidence",
                PhoneStateNames.confidence(json.member("confidence")?.text(atMost: 64) ?? ""))
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
