import Ingest
import Samples
import Tracks
public import VM

/// Where the machine is, and how many satellites say so: what gpsd tells.
///
/// Source: gpsd_json(5), its reports `TPV` and `SKY`.
public struct LocationDriver: SensorDriver {
    public static let standardHost = GPSDConnector.standardHost
    public static let standardPort = GPSDConnector.standardPort
    /// A low level is for the day's places; else a fix comes each second or so, as the receiver has it.
    private static let cadence = Cadence(low: .seconds(10), medium: .zero, high: .zero)
    private static let remedy = "sudo apt-get install gpsd"

    private let probe: GPSDProbe
    private let sensors: [(sensor: Sensor, source: SupervisedSource)]

    /// When a receiver that stays where it is rests, and for how long.
    public struct Rest: Hashable, Sendable {
        /// How long it may have stayed before it rests.
        public static let spans = RestCycle.spans
        /// How long it may rest at a time.
        public static let looks = RestCycle.looks

        public let after: Duration
        public let every: Duration

        /// - Parameters:
        ///   - after: one of ``spans``.
        ///   - every: one of ``looks``; 20 s where it is `nil`.
        public init(after: Duration, every: Duration? = nil) {
            (self.after, self.every) = (after, every ?? RestCycle.standardLook)
        }
    }

    /// - Parameters:
    ///   - host: an IP address.
    ///   - rest: when the receiver may rest; `nil` for never.
    public init(host: String = standardHost, port: Int = standardPort, rest: Rest? = nil) {
        probe = GPSDProbe(host: host, port: port)
        let count = ["used", "visible"].map {
            Field($0, unit: "{satellite}", kind: .integer)
        }
        sensors = [
            ("location", "Location", Fix.fields, GPSDConnector.Report.fix),
            ("satellites", "Satellites", count, .satellites),
        ].compactMap { (id: SensorID, title, fields, report) in
            let connector = GPSDConnector(
                host: host, port: port, report: report,
                rest: rest.map { RestCycle(after: $0.after, every: $0.every) })
            let sensor = Sensor(
                id: id, title: title, fields: fields, source: connector.place,
                cadence: Self.cadence)
            return
                (try? SampleMaker(
                    format: .named, names: fields.map(\.name), rules: fields.map { FieldRule($0) }
                )).map { (sensor, SupervisedSource(connector, maker: $0)) }
        }
    }

    public func discover() -> [DiscoveredSensor] {
        // Whom it speaks to is there.
        let isConnected = sensors.contains { $0.source.report?.link == .connected }
        let answer = isConnected ? .present : probe.ask()
        return sensors.map { sensor, source in
            DiscoveredSensor(sensor, availability(of: source, after: answer))
        }
    }

    private func availability(
        of source: SupervisedSource, after answer: GPSDProbe.Answer
    ) -> Availability {
        let place = probe.host.contains(":") ? "[\(probe.host)]" : probe.host
        let reason =
            switch answer {
            case .present: ""
            case .nobody: "no gpsd answers at \(place):\(probe.port)"
            case .silent: "what listens at \(place):\(probe.port) says nothing"
            case .stranger: "what answers at \(place):\(probe.port) is not gpsd"
            }
        return answer == .present
            ? .pushed(source) : .unavailable(reason: reason, remedy: Self.remedy)
    }
}
