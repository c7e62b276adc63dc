import Motion

/// A value of a device that a pack wants.
struct BluetoothCharacteristic: Hashable, Sendable {
    /// How the fields of the pack name it; `nil` where its bytes are a message in a format of the pack.
    let name: String?
    /// `nil` for whichever service has it.
    let service: BluetoothUUID?
    let characteristic: BluetoothUUID
    /// What its bytes are; `nil` where they are a message.
    let form: CharacteristicDecoder?
    /// How often it is read; `nil` for one that the device itself tells of.
    let interval: Duration?

    /// For a person.
    var title: String { name ?? characteristic.description }
}

extension BluetoothCharacteristic {
    private static let day = Duration.seconds(86_400)

    /// Reads an item of `characteristics`: `name`, `service`, `characteristic`, `form`, `read`.
    init(_ item: inout PackObject) throws(PackError) {
        service = try Self.uuid("service", &item)
        guard let uuid = try Self.uuid("characteristic", &item) else {
            throw item.missing("characteristic")
        }
        characteristic = uuid
        name = try item.text("name")
        if let text = try item.text("form") {
            guard let decoder = CharacteristicDecoder(text) else {
                throw item.wrong("form", "is no form of bytes such as u8 or s16/100")
            }
            guard name != nil else { throw item.missing("name") }
            form = decoder
        } else {
            guard name == nil else { throw item.missing("form") }
            form = nil
        }
        interval = try item.span("read", in: .milliseconds(100)...Self.day)
        try item.finish()
    }

    private static func uuid(
        _ key: String, _ item: inout PackObject
    ) throws(PackError) -> BluetoothUUID? {
        guard let text = try item.text(key) else { return nil }
        guard let uuid = BluetoothUUID(text) else {
            throw item.wrong(
                key, "is no UUID, such as 180d or 0000180d-0000-1000-8000-00805f9b34fb")
        }
        return uuid
    }
}
