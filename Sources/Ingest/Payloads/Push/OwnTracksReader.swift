import Samples
import Text

/// Reads what the app OwnTracks sends in its HTTP mode.
///
/// `{"_type": "location", "lat": …, "lon": …, "acc": …, "alt": …, "vel": …, "cog": …, "batt": …, "bs": …,
/// "tst": …}`: degrees, metres, km/h, percent and seconds since 1970. Other types are counted and left
/// out, and so is an empty body, which says that somebody was forgotten. Source: owntracks.org, booklet,
/// JSON and HTTP.
public enum OwnTracksReader {
    /// The kilometres an hour of one metre a second.
    private static let kilometresAnHour = 3.6

    /// A location and, where it tells of it, the battery of one phone.
    ///
    /// - Parameter phone: what the phone is called here: one segment of an identifier.
    /// - Throws: `malformed` for what has no type, `tooLarge`.
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
            throw PushFault(.malformed, "The body has no _type.")
        }
        guard type == "location" else {
            content.drop(.otherType)
            return content
        }
        content.add("location", of: phone, at: json.member("tst")) { values throws(DropReason) in
            try values.place(
                latitude: json.member("lat"), longitude: json.member("lon"),
                altitude: json.member("alt"),
                accuracy: json.member("acc"), speed: json.member("vel"),
                speedFactor: 1 / kilometresAnHour,
                heading: json.member("cog"))
        }
        if let level = json.member("batt") {
            content.add("battery", of: phone, at: json.member("tst")) { values throws(DropReason) in
                try values.number("level", level, in: 0...100)
                values.state("state", PhoneState.battery(json.member("bs")?.int64))
            }
        }
        return content
    }
}

extension PushedContent {
    /// Adds a reading of a phone's sensor, or counts why it is none.
    ///
    /// - Parameter seconds: since 1970; the time of arrival counts where they are missing.
    fileprivate mutating func add(
        _ kind: SensorID, of phone: String, at seconds: JSONValue?,
        _ fill: (inout PhoneValues) throws(DropReason) -> Void
    ) {
        do throws(DropReason) {
            var values = PhoneValues()
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
