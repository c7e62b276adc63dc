import DBus
import Samples
import Text

/// What goes wrong with devices of Bluetooth, in words, and what helps.
struct BluetoothFault: Sendable {
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
