import Ingest
import Motion
import Synchronization

/// Makes messages and readings of the values of characteristics, and hands them to an inlet.
final class BluetoothFeed: Sendable {
    private let place: String
    private let inlet: Inlet
    private let lines: LineFeed?
    /// Characteristics whose last value did not fit.
    private let misfits = Mutex<Set<BluetoothCharacteristic>>([])

    init(_ connector: BluetoothConnector, _ inlet: Inlet) {
        (place, self.inlet) = (connector.place, inlet)
        lines =
            connector.takesLines
            ? LineFeed(inlet, doubt: "\(connector.place) sends no line that the sensor pack knows.")
            : nil
    }

    /// Takes a value; `nil` for what is none.
    func take(_ bytes: [UInt8]?, of characteristic: BluetoothCharacteristic) {
        guard let bytes, bytes.count <= CharacteristicDecoder.longest else {
            return inlet.leaveOut()
        }
        if let lines {
            lines.take(bytes[...])
        } else if let form = characteristic.form, let name = characteristic.name {
            let value = form.decode(bytes)
            if let value {
                inlet.take(Reading(values: [name: value]))
            } else {
                inlet.leaveOut()
            }
            tell(characteristic, form, fits: value != nil)
        } else {
            inlet.take(bytes)
        }
    }

    private func tell(
        _ characteristic: BluetoothCharacteristic, _ form: CharacteristicDecoder, fits: Bool
    ) {
        let isRight = misfits.withLock { misfits in
            guard fits else {
                misfits.insert(characteristic)
                return false
            }
            return misfits.remove(characteristic) != nil && misfits.isEmpty
        }
        if !fits {
            inlet.warn("\(place) tells a \(characteristic.title) that is no \(form).")
        } else if isRight {
            inlet.warn(nil)
        }
    }
}
