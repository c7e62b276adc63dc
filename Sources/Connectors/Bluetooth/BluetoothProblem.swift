import DBus
import Foundation
import Samples
import Text

/// A reason why Bluetooth cannot be used on this machine, with a remedy.
public enum BluetoothProblem: Error, Hashable, Sendable {
    /// The system bus cannot be reached; the reason is a clause.
    case noBus(String)
    /// BlueZ is not on the bus.
    case noBlueZ
    /// The machine has no adapter, or none of this name.
    case noAdapter(String?)
    /// The adapter of this name is off.
    case off(String)
    /// The bus denies this user access to BlueZ.
    case notAllowed

    /// The reason as a clause without a full stop.
    public var reason: String {
        switch self {
        case .noBus(let reason): "the system bus cannot be reached: \(reason)"
        case .noBlueZ: "BlueZ is not running"
        case .noAdapter(nil): "no adapter found"
        case .noAdapter(let name?): "adapter \(name) not found"
        case .off(let name): "the adapter \(name) is off"
        case .notAllowed: "permission denied"
        }
    }

    /// The remedy: a command or an instruction.
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

/// Checks whether Bluetooth can be used on this machine.
public enum BluetoothReadiness {
    /// Queries BlueZ on the system bus; changes nothing and starts nothing.
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

/// The errors of Bluetooth devices, with remedies.
struct BluetoothErrors: Sendable {
    let sourceName: String

    var notFound: ConnectorError {
        ConnectorError(
            "\(sourceName) was not found: switch it on, bring it nearer, and close other connections to it."
        )
    }

    var servicesMissing: ConnectorError {
        ConnectorError("\(sourceName) is connected but did not report its services.")
    }

    var ended: ConnectorError { ConnectorError("\(sourceName) ended the connection.") }

    var removed: ConnectorError {
        ConnectorError("\(sourceName) was removed from BlueZ's devices.")
    }

    var changed: ConnectorError { ConnectorError("\(sourceName) changed its services.") }

    func noService(_ uuid: BluetoothUUID) -> ConnectorError {
        ConnectorError(
            "\(sourceName) has no service \(uuid); does the sensor pack match the device?")
    }

    func noCharacteristic(_ wanted: BluetoothCharacteristic) -> ConnectorError {
        let service = wanted.service.map { " in its service \($0)" } ?? ""
        return ConnectorError(
            "\(sourceName) has no characteristic \(wanted.characteristic)\(service); "
                + "does the sensor pack match the device?")
    }

    func cannotNotify(_ wanted: BluetoothCharacteristic) -> ConnectorError {
        ConnectorError(
            "\(sourceName) does not send notifications of \(wanted.title); set an interval with read."
        )
    }

    /// - Parameter step: the failed action, such as `connect`.
    func failed(_ error: BusError, to step: String, within limit: Duration) -> any Error {
        if error.code == .cancelled { return CancellationError() }
        if let problem = BlueZ.problem(error) { return problem }
        if error.code == .timedOut {
            return ConnectorError("\(sourceName) did not \(step) within \(limit.span).")
        }
        return ConnectorError(
            "\(sourceName) did not \(step): \(error.message.escapedForDisplay(limit: 120)).")
    }
}
