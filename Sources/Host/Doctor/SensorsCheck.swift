import Connectors
import Foundation
import Samples
import Text
import VM

/// Which kinds of sensors this machine lacks, and what would enable them.
struct SensorsCheck: DoctorCheck {
    let name = "sensors"

    func findings(_ context: DoctorContext) async -> [Finding] {
        // A configuration that is wrong is told of by another check.
        let configuration =
            (try? Configuration(path: context.paths.configuration)) ?? Configuration()
        let drivers =
            DriverCatalogue.standard(roots: context.roots) + [configuration.gpsd.driver]
        let found = drivers.flatMap { $0.discover() }
        let missing = found.compactMap { item -> Finding? in
            guard case .unavailable(let reason, let remedy) = item.availability else { return nil }
            return note("\(item.sensor.id): \(Self.shown(reason)).", fix: remedy.map(Self.shown))
        }
        let kinds = Set(found.filter(\.isThere).map(\.sensor.id.kind)).sorted()
        return [fine("there are \(kinds.map(\.description).joined(separator: ", "))")] + missing
            + [serial, broker(configuration), await bluetooth]
    }

    /// Adapters and boards that are plugged in.
    private var serial: Finding {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev")) ?? []
        let devices = names.filter { $0.hasPrefix("ttyUSB") || $0.hasPrefix("ttyACM") }.sorted()
        guard !devices.isEmpty else {
            return note(
                "serial: no adapter or board is plugged in.",
                fix: "plug one in, then: nervous sensors install PACK --set device=/dev/ttyUSB0")
        }
        if let closed = devices.first(where: { access("/dev/\($0)", R_OK | W_OK) != 0 }) {
            return note(
                "serial: you may not open /dev/\(closed).",
                fix: "sudo usermod -aG dialout \(NSUserName()), and log in again")
        }
        return fine("serial: \(devices.joined(separator: ", "))")
    }

    private func broker(_ configuration: Configuration) -> Finding {
        guard let broker = configuration.mqtt?.broker else {
            return note(
                "mqtt: config.json names no broker, so none is asked for sensors.",
                fix: #"sudo apt-get install mosquitto, and add "mqtt": {"host": "localhost"}"#)
        }
        return fine("mqtt: sensors are announced at \(Self.shown(broker.host))")
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
    fileprivate var isThere: Bool {
        if case .unavailable = availability { false } else { true }
    }
}
