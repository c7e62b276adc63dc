import DBus
import Ingest
import Samples
import Scheduling
import Tracks

/// Receives the position of the machine from GeoClue, which finds it by networks nearby, a modem or a receiver.
///
/// Source: org.freedesktop.GeoClue2(5), interfaces `Manager`, `Client` and `Location`.
struct GeoClueConnector: Connector {
    static let service = "org.freedesktop.GeoClue2"
    /// The name by which GeoClue's configuration and its agents know this program.
    static let desktopID = "nervous"

    private static let manager = "/org/freedesktop/GeoClue2/Manager"
    /// The most exact one that the owner permits.
    private static let exact: UInt32 = 8
    /// Numbers below are unknown: GeoClue sends the lowest double for an unknown altitude.
    private static let lowestAltitude = -12_000.0

    /// The address of the bus.
    let bus: String

    var sourceName: String { "GeoClue" }

    func connect(_ sink: SampleSink) async throws {
        // GeoClue removes the client of a connection when it ends.
        try await BusProblem.named(sourceName, on: bus) { try await follow($0, sink) }
    }

    private func follow(_ connection: BusConnection, _ sink: SampleSink) async throws {
        let clue = try await BusService(Self.service, on: connection, startsIfNeeded: true)
        let reply = try await clue.call(Self.manager, "\(Self.service).Manager", "GetClient")
        guard let client = reply.first?.text else {
            throw ConnectorError("GeoClue did not make a client.")
        }
        let interface = "\(Self.service).Client"
        let settings: [(String, BusValue)] = [
            ("DesktopId", .string(Self.desktopID)),
            ("RequestedAccuracyLevel", .uint32(Self.exact)),
        ]
        for (name, value) in settings {
            try await clue.call(
                client, BusService.properties, "Set",
                [.string(interface), .string(name), .variant(value)])
        }
        let signals = clue.signals(interface, at: client)
        do throws(BusError) {
            try await clue.call(client, interface, "Start")
        } catch {
            guard error.name == "org.freedesktop.DBus.Error.AccessDenied" else { throw error }
            throw ConnectorError(
                "GeoClue refuses the location. Allow it in the settings of the desktop, or add "
                    + "[\(Self.desktopID)] with allowed=true and system=false to /etc/geoclue/geoclue.conf."
            )
        }
        sink.connected()
        for try await signal in signals {
            if signal.member == "NameOwnerChanged" { throw ConnectorError("GeoClue ended.") }
            guard signal.member == "LocationUpdated", signal.arguments.count >= 2,
                let path = signal.arguments[1].text
            else { continue }
            let location = try await clue.properties(of: path, "\(Self.service).Location")
            guard let fix = Self.fix(location) else {
                sink.reject()
                continue
            }
            sink.take(Reading(fix, usesArrivalTime: false, receiverTime: nil))
        }
        throw CancellationError()
    }

    /// - Returns: `nil` without a valid position or time.
    private static func fix(_ location: [String: BusValue]) -> Fix? {
        func number(_ name: String) -> Double? { location[name]?.number }
        guard let latitude = number("Latitude"), let longitude = number("Longitude"),
            let position = Position(latitude: latitude, longitude: longitude),
            let time = location["Timestamp"]?.items?.compactMap(\.integer), time.count == 2,
            // Until the year 9999.
            (0..<253_402_300_800).contains(time[0]), (0..<1_000_000).contains(time[1])
        else { return nil }
        return Fix(
            time: Timestamp(microseconds: time[0] * 1_000_000 + time[1]), position: position,
            altitude: number("Altitude").flatMap { $0 > lowestAltitude ? $0 : nil },
            accuracy: number("Accuracy"), speed: number("Speed"), heading: number("Heading"))
    }
}
