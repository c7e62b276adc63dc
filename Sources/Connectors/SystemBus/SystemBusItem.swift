import DBus
import Foundation
import Ingest
import Samples
import Scheduling
import Tracks
import VM

/// A sensor of a service on the system bus, its source, and whether it is there.
struct SystemBusItem: Sendable {
    let sensor: Sensor
    let source: SupervisedSource
    let presence: @Sendable (BusServices) -> Presence

    /// How often the lid is looked at, whose changes logind does not signal.
    private static let lidInterval = Duration.seconds(5)

    /// All of them, in the order in which they are listed.
    static func all(
        _ roots: SystemRoots, bus: String, usesGeoClue: Bool, user: UInt32, time: any TimeSource
    ) -> [SystemBusItem] {
        func item(
            _ id: SensorID, _ title: String, _ fields: [Field], _ object: PropertyConnector.Object,
            isThere: @escaping @Sendable (BusServices) -> Presence
        ) -> SystemBusItem? {
            SystemBusItem(
                id, title, fields, PropertyConnector(object: object, bus: bus, time: time),
                takesOnlyChanges: true, time: time, isThere: isThere)
        }
        let hasLid = hasLid(roots)
        let hasLight = hasChannel("in_illuminance", roots)
        let hasProximity = hasChannel("in_proximity", roots)
        var items = [
            item(
                "session", "Session at this machine", states(["idle", "locked"]),
                .session(of: user)
            ) { $0.sessionPresence },
            item("lid", "Lid", states(["lid"]), .lid(every: lidInterval)) { services in
                guard hasLid else {
                    return .missing(
                        reason: "no lid switch under \(roots.sys)/class/input", remedy: nil)
                }
                return services.loginPresence
            },
            item(
                "orientation", "Orientation of the screen", states(["orientation"]),
                .proxy("ClaimAccelerometer") { properties in
                    let words = ["normal", "bottom-up", "left-up", "right-up"]
                    guard let word = properties["AccelerometerOrientation"]?.text else {
                        return nil
                    }
                    return Reading(values: [
                        "orientation": .text(words.contains(word) ? word : "unknown")
                    ])
                }
            ) { services in
                services.proxyPresence(\.hasAccelerometer, "an accelerometer")
            },
        ]
        // A light or proximity sensor of IIO is `light` or `proximity`, which reads it without a service.
        for (unit, field) in [
            ("lux", Field("illuminance", unit: "lx")), ("vendor", Field("level", unit: "%")),
        ] where !hasLight {
            items.append(
                item(
                    "light.sensor-proxy", "Ambient light sensor", [field],
                    .proxy("ClaimLight") { properties in
                        properties["LightLevel"]?.number.map {
                            Reading(values: [field.name: .number($0)])
                        }
                    }
                ) { services in
                    services.proxy.map { $0.hasLight && $0.lightUnit == unit } == true
                        ? .present : .hidden
                })
        }
        if !hasProximity {
            items.append(
                item(
                    "proximity.sensor-proxy", "Proximity sensor", states(["proximity"]),
                    .proxy("ClaimProximity") { properties in
                        properties["ProximityNear"]?.flag.map {
                            Reading(values: ["proximity": .text($0 ? "near" : "far")])
                        }
                    }
                ) { $0.proxy?.hasProximity == true ? .present : .hidden })
        }
        items.append(
            item(
                "compass", "Compass", [Field("heading", unit: "deg")],
                .compass
            ) { $0.proxy?.hasCompass == true ? .present : .hidden })
        if usesGeoClue {
            items.append(
                SystemBusItem(
                    "location.geoclue", "Location by GeoClue", Fix.fields,
                    GeoClueConnector(bus: bus), takesOnlyChanges: false, time: time
                ) { $0.geoCluePresence })
        }
        return items.compactMap(\.self)
    }

    private init?(
        _ id: SensorID, _ title: String, _ fields: [Field], _ connector: any Connector,
        takesOnlyChanges: Bool, time: any TimeSource,
        isThere: @escaping @Sendable (BusServices) -> Presence
    ) {
        guard
            let maker = try? SampleMaker(
                format: .named, names: fields.map(\.name), rules: fields.map { FieldRule($0) },
                takesOnlyChanges: takesOnlyChanges)
        else { return nil }
        sensor = Sensor(
            id: id, title: title, fields: fields,
            source: "\(connector.sourceName) on the system bus", cadence: .asTheyCome)
        source = SupervisedSource(connector, maker: maker, time: time)
        presence = isThere
    }

    private static func states(_ names: [String]) -> [Field] {
        names.map { Field($0, kind: .state) }
    }

    /// Whether an input device has the switch SW_LID, Documentation/input/event-codes.rst.
    private static func hasLid(_ roots: SystemRoots) -> Bool {
        let folder = "\(roots.sys)/class/input"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.contains { name in
            guard
                let text = try? String(
                    contentsOfFile: "\(folder)/\(name)/capabilities/sw", encoding: .utf8),
                // Words of 64 bits, the lowest last.
                let word = text.split(whereSeparator: \.isWhitespace).last,
                let bits = UInt64(word, radix: 16)
            else { return false }
            return bits & 1 == 1
        }
    }

    private static func hasChannel(_ name: String, _ roots: SystemRoots) -> Bool {
        let folder = "\(roots.sys)/bus/iio/devices"
        let devices = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return devices.contains { device in
            let files = try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(device)")
            return files?.contains { $0.hasPrefix(name) } == true
        }
    }
}

extension PropertyConnector.Object {
    fileprivate static func session(of user: UInt32) -> PropertyConnector.Object {
        PropertyConnector.Object(
            service: BusServices.login, title: "logind",
            interface: "\(BusServices.login).Session",
            path: { login in
                guard let path = try await BusServices.session(of: user, login) else {
                    throw ConnectorError("logind has no session with a seat for this user.")
                }
                return path
            }, removals: "\(BusServices.login).Manager",
            reading: { properties in
                guard let isIdle = properties["IdleHint"]?.flag,
                    let isLocked = properties["LockedHint"]?.flag
                else { return nil }
                return Reading(values: [
                    "idle": .text(isIdle ? "idle" : "active"),
                    "locked": .text(isLocked ? "locked" : "unlocked"),
                ])
            })
    }

    fileprivate static func lid(every interval: Duration) -> PropertyConnector.Object {
        PropertyConnector.Object(
            service: BusServices.login, title: "logind",
            interface: "\(BusServices.login).Manager",
            path: { _ in "/org/freedesktop/login1" }, interval: interval,
            reading: { properties in
                properties["LidClosed"]?.flag.map {
                    Reading(values: ["lid": .text($0 ? "closed" : "open")])
                }
            })
    }

    /// A sensor of iio-sensor-proxy, which measures what is claimed.
    fileprivate static func proxy(
        _ claim: String, reading: @escaping @Sendable ([String: BusValue]) -> Reading?
    ) -> PropertyConnector.Object {
        PropertyConnector.Object(
            service: BusServices.proxy, title: SensorProxy.title, interface: BusServices.proxy,
            path: { _ in SensorProxy.path }, claim: claim, reading: reading)
    }

    fileprivate static var compass: PropertyConnector.Object {
        PropertyConnector.Object(
            service: BusServices.proxy, title: SensorProxy.title, interface: SensorProxy.compass,
            path: { _ in SensorProxy.compassPath }, claim: "ClaimCompass",
            reading: { properties in
                // It is -1 before the first measurement.
                guard let heading = properties["CompassHeading"]?.number, heading >= 0 else {
                    return nil
                }
                return Reading(values: ["heading": .number(heading)])
            })
    }
}

extension BusServices {
    fileprivate var loginPresence: Presence {
        if let problem = busProblem { return problem }
        guard hasSession != nil else {
            return .missing(
                reason: "systemd-logind is not running",
                remedy: "sudo apt-get install libpam-systemd")
        }
        return .present
    }

    fileprivate var sessionPresence: Presence {
        guard case .present = loginPresence, hasSession == false else { return loginPresence }
        return .missing(
            reason: "you have no session at a screen of this machine",
            remedy: "log in at the machine, not over the network")
    }

    fileprivate func proxyPresence(_ has: KeyPath<Proxy, Bool>, _ part: String) -> Presence {
        if let problem = busProblem { return problem }
        guard let proxy else {
            return .missing(
                reason: "iio-sensor-proxy is not running, which starts where there is \(part)",
                remedy: "sudo apt-get install iio-sensor-proxy")
        }
        return proxy[keyPath: has]
            ? .present : .missing(reason: "iio-sensor-proxy has not found \(part)", remedy: nil)
    }

    fileprivate var geoCluePresence: Presence {
        if let problem = busProblem { return problem }
        return hasGeoClue
            ? .present
            : .missing(
                reason: "GeoClue is not installed", remedy: "sudo apt-get install geoclue-2.0")
    }

    private var busProblem: Presence? {
        problem.map {
            .missing(reason: $0, remedy: "sudo apt-get install dbus, and start it")
        }
    }
}
