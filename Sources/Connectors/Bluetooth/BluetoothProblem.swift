import DBus
import Foundation
import Samples
import Text

/// Why Bluetooth cannot be used on this machine, and what would enable it.
public enum BluetoothProblem: Error, Hashable, Sendable {
    /// There is no system bus; the text says why, a clause.
    case noBus(String)
    /// Nobody on the bus speaks for Bluetooth.
    case noBlueZ
    /// The machine has no adapter, or not that of this name.
    case noAdapter(String?)
    /// The adapter of this name is off.
    case off(String)
    /// The bus does not let this user speak to BlueZ.
    case notAllowed

    /// One clause without a full stop.
    public var reason: String {
        switch self {
        case .noBus(let reason): "the system bus cannot be reached: \(reason)"
        case .noBlueZ: "BlueZ does not run"
        case .noAdapter(nil): "there is no adapter"
        case .noAdapter(let name?): "there is no adapter \(name)"
        case .off(let name): "the adapter \(name) is off"
        case .notAllowed: "you may not use it"
        }
    }

    /// What a person can do.
    public var remedy: String {
        switch self {
        case .noBus: "sudo apt-get install dbus, and start it"
        case .noBlueZ: "sudo apt-get install bluez && sudo systemctl enable --now bluetooth"
        case .noAdapter: "plug one in, then: bluetoothctl list"
        case .off: "rfkill unblock bluetooth && bluetoothctl power on"
        case .notAllowed: "sudo usermod -aG bluetooth $USER, and log in again"
        }
    }

    var error: ConnectorError {
        ConnectorError("Bluetooth is not ready: \(reason). To enable it: \(remedy)")
    }
}

/// Whether this machine can reach devices over Bluetooth.
public enum BluetoothReadiness {
    /// Asks BlueZ on the system bus that the environment names; changes nothing and starts nothing.
    ///
    /// - Returns: the name of an adapter that is on.
    /// - Throws: ``BluetoothProblem``.
    public static func adapter() async throws(BluetoothProblem) -> String {
        try await adapter(bus: BusAddress.system(in: ProcessInfo.processInfo.environment))
    }

    /// - Returns: the name of an adapter that is on.
    /// - Throws: ``BluetoothProblem``.
    static func adapter(bus: String) async throws(BluetoothProblem) -> String {
        do {
            let bluez = try await BlueZ(bus: bus)
            let result: Result<BlueZObjects.Adapter, any Error>
            do {
                result = .success(try await bluez.objects().adapter(named: nil))
            } catch {
                result = .failure(error)
            }
            await bluez.close()
            return try result.get().name
        } catch let problem as BluetoothProblem {
            throw problem
        } catch {
            throw .noBus("\(error)")
        }
    }
}

/// What goes wrong with devices of Bluetooth, in words, and what helps.
struct BluetoothErrors: Sendable {
    let place: String

    var outOfSight: ConnectorError {
        ConnectorError(
            "\(place) is not in sight: switch it on, bring it nearer, and end other connections to it."
        )
    }

    var hidesServices: ConnectorError {
        ConnectorError("\(place) is connected and does not tell its services.")
    }

    var ended: ConnectorError { ConnectorError("\(place) ended the connection.") }

    var removed: ConnectorError {
        ConnectorError("\(place) was removed from the devices that BlueZ knows.")
    }

    var changed: ConnectorError { ConnectorError("\(place) has other services than before.") }

    func noService(_ uuid: BluetoothUUID) -> ConnectorError {
        ConnectorError("\(place) has no service \(uuid); is it the device of the sensor pack?")
    }

    func noCharacteristic(_ wanted: BluetoothCharacteristic) -> ConnectorError {
        let service = wanted.service.map { " in its service \($0)" } ?? ""
        return ConnectorError(
            "\(place) has no characteristic \(wanted.characteristic)\(service); "
                + "is it the device of the sensor pack?")
    }

    func isMute(_ wanted: BluetoothCharacteristic) -> ConnectorError {
        ConnectorError(
            "\(place) does not tell of \(wanted.title) by itself; say how often to read it with read."
        )
    }

    /// - Parameter step: what was tried, such as `connect`.
    func failed(_ error: BusError, to step: String, within limit: Duration) -> any Error {
        if error.code == .cancelled { return CancellationError() }
        if let problem = BlueZ.problem(error) { return problem }
        if error.code == .timedOut {
            return ConnectorError("\(place) did not \(step) within \(limit.span).")
        }
        return ConnectorError(
            "\(place) did not \(step): \(error.message.escapedForDisplay(limit: 120)).")
    }
}
