import Samples
import Text

/// Reads what the app Sensor Logger pushes over HTTP or publishes over MQTT.
///
/// `{"messageId": …, "sessionId": …, "deviceId": …, "payload": [{"name": "accelerometer", "time":
/// 1698501144401740000, "values": {"x": …, "y": …, "z": …}}, …]}`; times are nanoseconds since 1970 UTC.
/// Members and names that are not known are passed over. Source: PUSHING.md and UNITS.md of
/// tszheichoi/awesome-sensor-logger.
public enum SensorLoggerReader {
    /// What a message says of one phone.
    ///
    /// - Parameter phone: what the phone is called here: one segment of an identifier.
    /// - Throws: `malformed` for what is no message, `tooLarge`.
    public static func content(
        _ bytes: [UInt8], of phone: String
    ) throws(PushFault) -> PushedContent {
        guard let items = try JSONValue(pushed: bytes).member("payload")?.array else {
            throw PushFault(.malformed, "The body has no list that is called payload.")
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
                let (kind, values) = try SensorLoggerValues.read(
                    // Older versions write the values beside the name.
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
