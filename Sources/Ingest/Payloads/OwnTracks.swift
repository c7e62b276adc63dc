import Samples
import Text

/// Reads messages of the app OwnTracks in its HTTP mode.
///
/// `{"_type": "location", "lat": …, "lon": …, "acc": …, "alt": …, "vel": …, "cog": …, "batt": …, "bs": …,
/// "tst": …}`: degrees, metres, km/h, percent and seconds since 1970. Other types, and the empty body
/// sent when a contact is removed, are counted as dropped. Source: owntracks.org, booklet, JSON and HTTP.
public enum OwnTracksReader {
    /// One metre per second in kilometres per hour.
    private static let kilometresAnHour = 3.6

    /// The location and, if present, the battery of a phone.
    ///
    /// - Parameter phone: the name of the phone, one segment of an identifier.
    /// - Throws: `malformed` for a body without a type, `tooLarge`.
    public static func content(
        _ bytes: [UInt8], of phone: String
    ) throws(PushFault) -> PushedContent {
        var content = PushedContent()
        guard !bytes.isEmpty else {
            content.drop(.otherType)
            return content
        }
        let json = try JSONValue(pushed: bytes)
        guard let type = json.member("_type")?.string else {
            throw PushFault(.malformed, "The body has no member _type.")
        }
        guard type == "location" else {
            content.drop(.otherType)
            return content
        }
        content.add("location", of: phone, at: json.member("tst")) { values throws(DropReason) in
            try values.location(
                latitude: json.member("lat"), longitude: json.member("lon"),
                altitude: json.member("alt"),
                accuracy: json.member("acc"), speed: json.member("vel"),
                speedFactor: 1 / kilometresAnHour,
                heading: json.member("cog"))
        }
        if let level = json.member("batt") {
            content.add("battery", of: phone, at: json.member("tst")) { values throws(DropReason) in
                try values.number("level", level, in: 0...100)
                values.state("state", PhoneStateNames.battery(json.member("bs")?.int64))
            }
        }
        return content
    }
}

extension PushedContent {
    /// Adds a reading of a phone's sensor, or counts why it was dropped.
    ///
    /// - Parameter seconds: the time since 1970; the arrival time is used if missing.
    fileprivate mutating func add(
        _ kind: SensorID, of phone: String, at seconds: JSONValue?,
        _ fill: (inout PhoneReadingBuilder) throws(DropReason) -> Void
    ) {
        do throws(DropReason) {
            var values = PhoneReadingBuilder()
            try fill(&values)
            var time: Timestamp?
            if let seconds {
                guard let number = seconds.double,
                    let moment = Timestamp(milliseconds: number * 1000)
                else { throw .time }
                time = moment
            }
            guard let id = PhoneSensor.all.first(where: { $0.kind == kind })?.id(of: phone) else {
                throw .unknownName
            }
            readings.append(PushedReading(id, Reading(time: time, values: values.values)))
        } catch {
            drop(error)
        }
    }
}
