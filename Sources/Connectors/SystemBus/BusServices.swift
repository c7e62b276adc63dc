import DBus
import Samples

/// The services on the system bus that have sensors, and which ones.
struct BusServices: Hashable, Sendable {
    static let login = "org.freedesktop.login1"
    static let proxy = "net.hadess.SensorProxy"

    /// What iio-sensor-proxy has.
    struct Proxy: Hashable, Sendable {
        var hasAccelerometer, hasLight, hasProximity, hasCompass: Bool
        /// `lux`, or `vendor` for a relative level.
        var lightUnit: String?
    }

    /// Why the bus cannot be used; a clause.
    var problem: String?
    /// Whether logind runs, and whether a session of the user has a seat; `nil` without logind.
    var hasSession: Bool?
    /// `nil` if iio-sensor-proxy does not run.
    var proxy: Proxy?
    /// Whether GeoClue is installed.
    var hasGeoClue = false

    static let unknown = BusServices(problem: "the system bus is not connected yet")

    private init(problem: String?) {
        self.problem = problem
    }

    init(_ error: BusError) {
        self.init(problem: "the system bus cannot be reached: \(error.message)")
    }

    /// Asks a bus; starts no service.
    ///
    /// - Parameter user: whose sessions count.
    init(_ bus: BusConnection, user: UInt32, asksGeoClue: Bool) async throws(BusError) {
        self.init(problem: nil)
        if let service = try await Self.service(Self.login, on: bus) {
            hasSession = try await Self.session(of: user, service) != nil
        }
        if let service = try await Self.service(Self.proxy, on: bus) {
            let path = SensorProxy.path
            let found = try await service.properties(of: path, Self.proxy)
            // Older versions have no compass.
            let compass = try? await service.properties(
                of: SensorProxy.compassPath, SensorProxy.compass)
            proxy = Proxy(
                hasAccelerometer: found["HasAccelerometer"]?.flag == true,
                hasLight: found["HasAmbientLight"]?.flag == true,
                hasProximity: found["HasProximity"]?.flag == true,
                hasCompass: compass?["HasCompass"]?.flag == true,
                lightUnit: found["LightLevelUnit"]?.text)
        }
        guard asksGeoClue else { return }
        let call = BusCall(
            BusSignal.bus, path: "/org/freedesktop/DBus", interface: BusSignal.bus,
            "ListActivatableNames")
        let names = try await bus.call(call).first?.texts ?? []
        let running = try await Self.service(GeoClueConnector.service, on: bus)
        hasGeoClue = names.contains(GeoClueConnector.service) || running != nil
    }

    /// - Returns: `nil` if it does not run.
    static func service(
        _ name: String, on bus: BusConnection
    ) async throws(BusError) -> BusService? {
        do throws(BusError) {
            return try await BusService(name, on: bus)
        } catch {
            guard error.code == .refused else { throw error }
            return nil
        }
    }

    /// The path of the session of a user that has a seat, and so a screen; the active one of several.
    static func session(
        of user: UInt32, _ login: BusService
    ) async throws(BusError) -> String? {
        let reply = try await login.call(
            "/org/freedesktop/login1", "\(Self.login).Manager", "ListSessions")
        // Each is a number, a user, the user's name, a seat and a path.
        let paths = (reply.first?.items ?? []).compactMap { item -> String? in
            guard let values = item.items, values.count >= 5,
                values[1].integer == Int64(user), values[3].text?.isEmpty == false
            else { return nil }
            return values[4].text
        }
        for path in paths.sorted() {
            let session = try await login.properties(of: path, "\(Self.login).Session")
            if session["Active"]?.flag == true { return path }
        }
        return paths.min()
    }
}

/// The names of iio-sensor-proxy.
enum SensorProxy {
    static let path = "/net/hadess/SensorProxy"
    static let compassPath = "/net/hadess/SensorProxy/Compass"
    static let compass = "net.hadess.SensorProxy.Compass"
    static let title = "iio-sensor-proxy"
}

/// Whether a sensor of a service is there.
enum Presence: Hashable, Sendable {
    case present
    case missing(reason: String, remedy: String?)
    /// It is not there, and few machines have one.
    case hidden
}
