import Samples
import Text

/// Reads batches of the app Overland.
///
/// `{"locations": [{"type": "Feature", "geometry": {"type": "Point", "coordinates": [longitude, latitude]},
/// "properties": {"timestamp": …, "altitude": …, "speed": …, "course": …, "horizontal_accuracy": …,
/// "battery_level": 0.89, "battery_state": …}}, …]}`: degrees, metres, m/s. A negative `vertical_accuracy`
/// means that the altitude is unknown, as in CoreLocation. Trips, visits and notes about the app are counted
/// as dropped. Source: README.md of aaronpk/Overland-iOS.
public enum OverlandReader {
    /// The locations and batteries of a phone.
    ///
    /// - Parameter phone: the name of the phone, one segment of an identifier.
    /// - Throws: `malformed` for a body without an array named `locations`, `tooLarge`.
    public static func content(
        _ bytes: [UInt8], of phone: String
    ) throws(PushFault) -> PushedContent {
        guard let items = try JSONValue(pushed: bytes).member("locations")?.array else {
            throw PushFault(.malformed, "The body has no array named locations.")
        }
        var content = PushedContent()
        for item in items {
            guard let properties = item.member("properties"), properties.object != nil else {
                content.drop(.malformed)
                continue
            }
            guard properties.member("action") == nil, properties.member("type") == nil else {
                content.drop(.otherType)
                continue
            }
            content.add("location", of: phone) { values throws(DropReason) in
                let point = item.member("geometry")?.member("coordinates")?.array
                guard let point, point.count >= 2 else { throw .incomplete }
                let error = try PhoneReadingBuilder.finite(properties.member("vertical_accuracy"))
                try values.location(
                    latitude: point[1], longitude: point[0],
                    altitude: error ?? 0 < 0 ? nil : properties.member("altitude"),
                    accuracy: properties.member("horizontal_accuracy"),
                    speed: properties.member("speed"), heading: properties.member("course"))
                return try PhoneTime.moment(properties.member("timestamp"))
            }
            // The level is -1 where it is unknown.
            if let level = properties.member("battery_level"), level.double ?? 0 >= 0 {
                content.add("battery", of: phone) { values throws(DropReason) in
                    try values.number("level", level, in: 0...1, times: 100)
                    let state = properties.member("battery_state")?.text(atMost: 64)
                    values.state("state", PhoneStateNames.battery(state ?? ""))
                    return try PhoneTime.moment(properties.member("timestamp"))
                }
            }
        }
        return content
    }
}
