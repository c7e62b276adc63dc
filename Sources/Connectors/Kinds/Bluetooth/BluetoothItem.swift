/// A wanted characteristic, and where it is on the device.
struct BluetoothItem: Hashable, Sendable {
    let wanted: BluetoothCharacteristic
    let there: BlueZTree.Characteristic

    var path: String { there.path }

    /// Whether the device tells of it by itself.
    var isSubscribed: Bool {
        wanted.interval == nil && !there.flags.isDisjoint(with: ["notify", "indicate"])
    }

    /// Whether it is asked for: again and again, or once, for the value that it has at the beginning.
    var isRead: Bool {
        wanted.interval != nil || wanted.form != nil && there.flags.contains("read")
    }
}
