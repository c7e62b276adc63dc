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
