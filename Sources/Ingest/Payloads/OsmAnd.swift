import Samples
import Text

/// Reads positions in Traccar's protocol OsmAnd: parameters of a URL or a form, or JSON.
///
/// `id`, `lat`, `lon`, `timestamp`, `altitude` (m), `speed` (kn), `bearing` or `heading` (deg), `accuracy`
/// (m), `batt` (%) and `charge`. Times are seconds or milliseconds since 1970, RFC 3339, or
/// `2014-06-04 09:10:11` in UTC. `hdop`, which is no distance, and all other parameters are ignored. JSON is
/// what the app Traccar Client sends since version 9:
/// `{"location": {"timestamp": …, "coords": {"latitude": …, "speed": …}, "battery": {"level": 0.5}}}`, with
/// m/s. Sources: traccar.org/osmand, and the app's documentation.
public enum OsmAndReader {
    /// The units that the parameter `speedUnit` may name, as one of them in m/s.
    ///
    /// A knot is 1852 m an hour.
    private static let speedUnits = ["kn": 1852.0 / 3600, "km/h": 1 / 3.6, "m/s": 1]

    /// The location and, if present, the battery of a phone.
    ///
    /// - Parameters:
    ///   - parameters: the names and values, decoded; the last one of a name counts.
    ///   - phone: the name of the phone, one segment of an identifier.
    /// - Throws: `malformed` for an unknown `speedUnit`.
    public static func content(
        _ parameters: [(name: String, value: String)], of phone: String
    ) throws(PushFault) -> PushedContent {
        let texts = Dictionary(parameters.map { ($0.name, $0.value) }) { $1 }
        guard let metres = speedUnits[texts["speedUnit"] ?? "kn"] else {
            throw PushFault(.malformed, "The parameter speedUnit is not one of kn, km/h, m/s.")
        }
        var content = PushedContent()
        // The last known position, sent because there is no new one.
        guard texts["valid"].map({ ["true", "1"].contains($0.lowercased()) }) ?? true else {
            content.drop(.otherType)
            return content
        }
        content.add("location", of: phone) { values throws(DropReason) in
            let place = texts["location"]?.split(separator: ",").map(String.init)
            guard place?.count ?? 2 == 2 else { throw .value }
            try values.location(
                latitude: number(texts["lat"] ?? place?[0]),
                longitude: number(texts["lon"] ?? place?[1]), altitude: number(texts["altitude"]),
                accuracy: number(texts["accuracy"]),
                speed: number(texts["speed"]).map { $0 * metres },
                heading: number(texts["bearing"] ?? texts["heading"]))
            return try time(texts["timestamp"])
        }
        // The level is -1 where it is unknown.
        if let level = texts["batt"], Double(level) != -1 {
            content.add("battery", of: phone) { values throws(DropReason) in
                try values.number("level", try number(level), in: 0...100)
                values.state("state", state(isCharging: texts["charge"].map { $0 == "true" }))
                return try time(texts["timestamp"])
            }
        }
        return content
    }

    /// The locations and the battery of a phone.
    ///
    /// - Parameter bytes: JSON with an object `location`, or an array of them.
    /// - Throws: `malformed`, `tooLarge`.
    public static func content(
        _ bytes: [UInt8], of phone: String
    ) throws(PushFault) -> PushedContent {
        guard let location = try JSONValue(pushed: bytes).member("location"),
            let items = location.array ?? (location.object == nil ? nil : [location])
        else { throw PushFault(.malformed, "The body has no object named location.") }
        var content = PushedContent()
        for item in items {
            let time = item.member("timestamp")
            content.add("location", of: phone) { values throws(DropReason) in
                let place = item.member("coords")
                try values.location(
                    latitude: place?.member("latitude"), longitude: place?.member("longitude"),
                    altitude: place?.member("altitude"), accuracy: place?.member("accuracy"),
                    speed: place?.member("speed"), heading: place?.member("heading"))
                return try PhoneTime.moment(time)
            }
            // The level is -1 where it is unknown.
            if let battery = item.member("battery"), let level = battery.member("level"),
                level.double != -1
            {
                content.add("battery", of: phone) { values throws(DropReason) in
                    try values.number("level", level, in: 0...1, times: 100)
                    values.state("state", state(isCharging: battery.member("is_charging")?.bool))
                    return try PhoneTime.moment(time)
                }
            }
        }
        return content
    }

    private static func number(_ text: String?) throws(DropReason) -> Double? {
        guard let text, !text.isEmpty else { return nil }
        guard let number = Double(decimal: text, allowsExponent: true) else { throw .value }
        return number
    }

    private static func state(isCharging: Bool?) -> String {
        isCharging.map { $0 ? "charging" : "discharging" } ?? "unknown"
    }

    private static func time(_ text: String?) throws(DropReason) -> Timestamp? {
        guard let text, !text.isEmpty else { return nil }
        guard let number = Double(decimal: text) else {
            return try PhoneTime.moment(text)
        }
        // As in Traccar, a number that fits in 31 bits is in seconds.
        let milliseconds = number < Double(Int32.max) ? number * 1000 : number
        guard let time = Timestamp(milliseconds: milliseconds) else { throw .time }
        return time
    }
}

/// Reads the times that apps write as text.
enum PhoneTime {
    /// A time from RFC 3339, also without the colon of the offset, or without `T` and offset in UTC.
    static func moment(_ text: String) throws(DropReason) -> Timestamp {
        var text = text
        if let match = text.wholeMatch(of: /(.{10}T.*[+-][0-9]{2})([0-9]{2})/) {
            text = "\(match.1):\(match.2)"
        } else if let match = text.wholeMatch(of: /(.{10})[ +](.{8})/) {
            // An undecoded + is a space.
            text = "\(match.1)T\(match.2)Z"
        }
        guard let time = Timestamp(rfc3339: text) else { throw .time }
        return time
    }

    /// A time from a text, or `nil` if it is missing.
    static func moment(_ json: JSONValue?) throws(DropReason) -> Timestamp? {
        guard let json else { return nil }
        guard let text = json.text(atMost: 64) else { throw .time }
        return try moment(text)
    }
}
