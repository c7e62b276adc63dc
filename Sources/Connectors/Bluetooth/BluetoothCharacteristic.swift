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

/// The name of a service or a characteristic.
///
/// Source: Bluetooth Core Specification 5.4, volume 3, part B, 2.5.1. Short ones are those of the base
/// `00000000-0000-1000-8000-00805F9B34FB`.
struct BluetoothUUID: Hashable, Sendable, CustomStringConvertible {
    private static let base = "-0000-1000-8000-00805f9b34fb"
    private static let lengths = [8, 4, 4, 4, 12]

    /// 36 characters in lower case, as BlueZ writes them.
    let full: String

    /// Takes `180d`, `0x180D`, `0000180d` and all 36 characters, whatever their case.
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

    /// As short as it can be written.
    var description: String {
        guard full.hasSuffix(Self.base) else { return full }
        let short = full.prefix(8)
        return short.hasPrefix("0000") ? String(short.dropFirst(4)) : String(short)
    }
}

/// Which device is meant.
enum BluetoothTarget: Hashable, Sendable, CustomStringConvertible {
    /// What the device calls itself. Any device can.
    case name(String)
    /// Six bytes in capitals, as BlueZ writes them: `AA:BB:CC:DD:EE:FF`.
    case address(String)

    /// - Returns: `nil` for what is no address.
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
