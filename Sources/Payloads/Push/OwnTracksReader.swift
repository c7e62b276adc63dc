import Samples

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
        let json = try PushJSON(bytes)
        guard case .text(let type) = json["_type"] else {
            throw PushFault(.malformed, "The body has no _type.")
        }
        guard type == "location" else {
            content.drop(.otherType)
            return content
        }
        content.add("location", of: phone, at: json["tst"]) { values throws(DropReason) in
            try values.place(
                latitude: json["lat"], longitude: json["lon"], altitude: json["alt"],
                accuracy: json["acc"], speed: json["vel"], speedFactor: 1 / kilometresAnHour,
                course: json["cog"])
        }
        if let level = json["batt"] {
            content.add("battery", of: phone, at: json["tst"]) { values throws(DropReason) in
                try values.number("level", level, in: 0...100)
                values.state("state", PhoneState.battery(json["bs"]?.int64))
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
        _ kind: SensorID, of phone: String, at seconds: PushJSON?,
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
