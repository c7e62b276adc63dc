package import API
import Connectors
import DBus
import Foundation
import Samples
import Text
import VM

/// The sensors of this machine, and remedies for those that are not available.
package struct SensorsCheck: DoctorCheck {
    package let name = "sensors"

    package init() {}

    package func findings(_ context: DoctorContext) async -> [Finding] {
        // Another check reports an invalid configuration.
        let configuration =
            (try? Configuration(path: context.paths.configuration)) ?? Configuration()
        let bus = SystemBusDriver(roots: context.roots, usesGeoClue: configuration.geoclue)
        await bus.refresh()
        let drivers =
            DriverCatalogue.standard(roots: context.roots, nut: configuration.nut)
            + [configuration.gpsd.driver, bus]
        let found = drivers.flatMap { $0.discover() }
        let missing = found.compactMap { item -> Finding? in
            guard case .unavailable(let reason, let remedy) = item.availability else { return nil }
            return note("\(item.sensor.id): \(Self.shown(reason)).", fix: remedy.map(Self.shown))
        }
        let others = [
            serial, broker(configuration), geoclue(configuration), await bluetooth,
        ]
        let kinds = Set(found.filter(\.isAvailable).map(\.sensor.id.kind)).sorted()
        return [fine("available: \(kinds.map(\.description).joined(separator: ", "))")] + missing
            + others.compactMap(\.self)
    }

    /// Serial adapters and boards.
    private var serial: Finding {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev")) ?? []
        let devices = names.filter { $0.hasPrefix("ttyUSB") || $0.hasPrefix("ttyACM") }.sorted()
        guard !devices.isEmpty else {
            return note(
                "serial: no adapter or board is connected.",
                fix: "connect one, then: nervous sensors install PACK --set device=/dev/ttyUSB0")
        }
        if let device = devices.first(where: { access("/dev/\($0)", R_OK | W_OK) != 0 }) {
            return note(
                "serial: no permission to open /dev/\(device).",
                fix: "sudo usermod -aG dialout \(NSUserName()), and log in again")
        }
        return fine("serial: \(devices.joined(separator: ", "))")
    }

    private func broker(_ configuration: Configuration) -> Finding {
        guard let broker = configuration.mqtt?.broker else {
            return note(
                "mqtt: config.json has no broker.",
                fix: #"sudo apt-get install mosquitto, and add "mqtt": {"host": "localhost"}"#)
        }
        return fine("mqtt: config.json names the broker \(Self.shown(broker.host))")
    }

    /// - Returns: `nil` if it is on: then its sensor is among the others.
    private func geoclue(_ configuration: Configuration) -> Finding? {
        guard !configuration.geoclue else { return nil }
        return note(
            "geoclue: config.json does not let it find the location.",
            fix: #"sudo apt-get install geoclue-2.0, and add "geoclue": true"#)
    }

    private var bluetooth: Finding {
        get async {
            do throws(BluetoothProblem) {
                let adapter = try await BluetoothReadiness.adapter()
                return fine("bluetooth: \(Self.shown(adapter)) is on")
            } catch {
                return note("bluetooth: \(Self.shown(error.reason)).", fix: error.remedy)
            }
        }
    }

    private static func shown(_ text: String) -> String { text.escapedForDisplay(limit: 200) }
}

extension DiscoveredSensor {
    fileprivate var isAvailable: Bool {
        if case .unavailable = availability { false } else { true }
    }
}

/// Whether messages of apps can be displayed on the desktop.
package struct DesktopCheck: DoctorCheck {
    package let name = "desktop"

    package init() {}

    package func findings(_ context: DoctorContext) async -> [Finding] {
        guard let address = DesktopMessages.address(in: ProcessInfo.processInfo.environment) else {
            return [
                note(
                    "No session bus: messages of apps appear in terminals and logs only."
                )
            ]
        }
        do throws(DesktopError) {
            let server = try await DesktopMessages(address: address).serverName()
            return [fine("messages are displayed by \(server.escapedForDisplay(limit: 60))")]
        } catch {
            return [
                note(
                    "\(error.message.escapedForDisplay(limit: 200)) Messages of apps appear in"
                        + " terminals and logs only.")
            ]
        }
    }
}
