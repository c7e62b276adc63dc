import Ingest
import Samples
import Tracks
public import VM

/// The position of the machine, its quality, the number of satellites, and the time of each fix, from gpsd.
///
/// A sample of `location` has the time of the fix, which the receiver knows; if its date is wrong, the time of
/// arrival. A sample of `gps-time` has the time
/// at which the fix arrived, and the time of the fix as a value, so both can be read.
///
/// Source: gpsd_json(5), reports `TPV` and `SKY`.
public struct LocationDriver: SensorDriver {
    /// The default address of gpsd.
    public static let standardHost = GPSDConnector.standardHost
    /// The default port of gpsd.
    public static let standardPort = GPSDConnector.standardPort
    /// The low level suffices to see the places of a day; at the other levels, fixes arrive at the
    /// receiver's rate.
    private static let cadence = Cadence(low: .seconds(10), medium: .zero, high: .zero)
    private static let remedy = "sudo apt-get install gpsd"

    private let probe: GPSDProbe
    private let sensors: [(sensor: Sensor, source: SupervisedSource)]

    /// When a stationary receiver is suspended, and for how long.
    public struct Rest: Hashable, Sendable {
        /// The allowed values of ``after``.
        public static let spans = RestCycle.spans
        /// The allowed values of ``every``.
        public static let checkIntervals = RestCycle.checkIntervals

        /// How long the receiver must be stationary.
        public let after: Duration
        /// How long it is suspended between two checks.
        public let every: Duration

        /// Creates a rule.
        ///
        /// - Parameters:
        ///   - after: one of ``spans``.
        ///   - every: one of ``checkIntervals``; 20 s where it is `nil`.
        public init(after: Duration, every: Duration? = nil) {
            (self.after, self.every) = (after, every ?? RestCycle.standardCheckInterval)
        }
    }

    /// Creates a driver for a gpsd.
    ///
    /// - Parameters:
    ///   - host: an IP address.
    ///   - rest: when the receiver is suspended; `nil` for never.
    ///   - timeout: the time in which gpsd must answer a discovery.
    public init(
        host: String = standardHost, port: Int = standardPort, rest: Rest? = nil,
        timeout: Duration = .milliseconds(200)
    ) {
        probe = GPSDProbe(host: host, port: port, timeout: timeout)
        let count = ["used", "visible"].map {
            Field($0, unit: "{satellite}", kind: .integer)
        }
        let time = [Field("gpsTime", unit: "s"), Field("delay", unit: "s")]
        sensors = [
            ("location", "Location", Fix.fields, GPSDConnector.Report.fix),
            ("satellites", "Satellites", count, .satellites),
            ("location-quality", "Quality of fixes", GPSDConnector.qualityFields, .quality),
            ("gps-time", "Time of fixes", time, .time),
        ].compactMap { (id: SensorID, title, fields, report) in
            let connector = GPSDConnector(
                host: host, port: port, report: report,
                rest: rest.map { RestCycle(after: $0.after, every: $0.every) })
            let sensor = Sensor(
                id: id, title: title, fields: fields, source: connector.sourceName,
                cadence: Self.cadence)
            return
                (try? SampleMaker(
                    format: .named, names: fields.map(\.name), rules: fields.map { FieldRule($0) }
                )).map { (sensor, SupervisedSource(connector, maker: $0)) }
        }
    }

    public func discover() -> [DiscoveredSensor] {
        // A connected gpsd need not be probed.
        let isConnected = sensors.contains { $0.source.report?.link == .connected }
        let answer = isConnected ? .present : probe.run()
        return sensors.map { sensor, source in
            DiscoveredSensor(sensor, availability(of: source, after: answer))
        }
    }

    private func availability(
        of source: SupervisedSource, after answer: GPSDProbe.Answer
    ) -> Availability {
        let host = probe.host.contains(":") ? "[\(probe.host)]" : probe.host
        let reason =
            switch answer {
            case .present: ""
            case .unreachable: "no gpsd answers at \(host):\(probe.port)"
            case .silent: "the server at \(host):\(probe.port) sent nothing"
            case .notGPSD: "the server at \(host):\(probe.port) is not gpsd"
            }
        return answer == .present
            ? .pushed(source) : .unavailable(reason: reason, remedy: Self.remedy)
    }
}

/// Checks whether gpsd listens at an address.
private struct GPSDProbe: Sendable {
    enum Answer: Hashable {
        case present
        /// The connection was refused or timed out.
        case unreachable
        /// The server sent nothing in time.
        case silent
        /// The server is not gpsd.
        case notGPSD
    }

    /// An IP address.
    let host: String
    let port: Int
    let timeout: Duration

    /// Runs the check; blocks the thread.
    func run() -> Answer {
        do throws(LineClient.Failure) {
            var client = try LineClient(host: host, port: port, until: .now + timeout)
            let line = try client.line(atMost: GPSDMessage.longestLine)
            if case .version = GPSDMessage(line, at: .now()) { return .present }
            return .notGPSD
        } catch {
            switch error {
            case .unreachable: return .unreachable
            case .silent: return .silent
            case .ended, .tooLong: return .notGPSD
            }
        }
    }
}
