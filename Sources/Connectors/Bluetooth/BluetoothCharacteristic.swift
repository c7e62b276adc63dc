import Motion

/// A characteristic requested by a pack.
struct BluetoothCharacteristic: Hashable, Sendable {
    /// Its name in the fields of the pack; `nil` if its value is a payload in the format of the pack.
    let name: String?
    /// `nil` for any service.
    let service: BluetoothUUID?
    let characteristic: BluetoothUUID
    /// How its value is decoded; `nil` if it is a payload.
    let form: CharacteristicDecoder?
    /// How often it is read; `nil` if the device sends notifications.
    let interval: Duration?

    /// Whether a value may become several samples.
    var isList: Bool { form?.isList == true }

    /// The name for display.
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
                throw item.wrong("form", "is not a byte format such as u8 or s16/100")
            }
            guard name != nil else { throw item.missing("name") }
            form = decoder
        } else {
            guard name == nil else { throw item.missing("form") }
            form = nil
        }
        interval = try item.duration("read", in: .milliseconds(100)...Self.day)
        try item.finish()
    }

    private static func uuid(
        _ key: String, _ item: inout PackObject
    ) throws(PackError) -> BluetoothUUID? {
        guard let text = try item.text(key) else { return nil }
        guard let uuid = BluetoothUUID(text) else {
            throw item.wrong(
                key, "is not a UUID such as 180d or 0000180d-0000-1000-8000-00805f9b34fb")
        }
        return uuid
    }
}

/// The UUID of a service or a characteristic.
///
/// Short forms are relative to the base `00000000-0000-1000-8000-00805F9B34FB`.
/// Source: Bluetooth Core Specification 5.4, volume 3, part B, 2.5.1.
struct BluetoothUUID: Hashable, Sendable, CustomStringConvertible {
    private static let base = "-0000-1000-8000-00805f9b34fb"
    private static let lengths = [8, 4, 4, 4, 12]

    /// All 36 characters in lower case, as in BlueZ.
    let full: String

    /// Parses `180d`, `0x180D`, `0000180d` or all 36 characters in any case.
    init?(_ text: String) {
        let plain = text.lowercased()
        let short = plain.hasPrefix("0x") ? String(plain.dropFirst(2)) : plain
        switch short.utf8.count {
        case 4: full = "0000" + short + Self.base
        case 8: full = short + Self.base
        case 36: full = plain
        default: return nil
        }
        let parts = full.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == Self.lengths,
            parts.joined().utf8.allSatisfy({
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                    || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            })
        else { return nil }
    }

    /// The shortest form.
    var description: String {
        guard full.hasSuffix(Self.base) else { return full }
        let short = full.prefix(8)
        return short.hasPrefix("0000") ? String(short.dropFirst(4)) : String(short)
    }
}

/// The device to connect to.
enum BluetoothTarget: Hashable, Sendable, CustomStringConvertible {
    /// The advertised name, which any device can claim.
    case name(String)
    /// The address in BlueZ's notation: `AA:BB:CC:DD:EE:FF`.
    case address(String)

    /// - Returns: `nil` for an invalid address.
    init?(address: String) {
        let text = address.uppercased()
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6, text.utf8.count == 17,
            parts.allSatisfy({
                $0.utf8.count == 2 && UInt8($0, radix: 16) != nil && $0.first != "+"
            })
        else { return nil }
        self = .address(text)
    }

    var isName: Bool {
        if case .name = self { true } else { false }
    }

    var description: String {
        switch self {
        case .name(let text), .address(let text): text
        }
    }
}
