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
        content.add("location", of: phone) { values throws(DropReason) in
            try values.location(
                latitude: json.member("lat"), longitude: json.member("lon"),
                altitude: json.member("alt"),
                accuracy: json.member("acc"), speed: json.member("vel"),
                speedFactor: 1 / kilometresAnHour,
                heading: json.member("cog"))
            return try time(json.member("tst"))
        }
        // The level is -1 where it is unknown.
        if let level = json.member("batt"), level.double != -1 {
            content.add("battery", of: phone) { values throws(DropReason) in
                try values.number("level", level, in: 0...100)
                values.state("state", PhoneStateNames.battery(json.member("bs")?.int64))
                return try time(json.member("tst"))
            }
        }
        return content
    }

    /// The time from seconds since 1970, or `nil` if they are missing.
    private static func time(_ seconds: JSONValue?) throws(DropReason) -> Timestamp? {
        guard let seconds else { return nil }
        guard let number = seconds.double, let time = Timestamp(milliseconds: number * 1000) else {
            throw .time
        }
        return time
    }
}
