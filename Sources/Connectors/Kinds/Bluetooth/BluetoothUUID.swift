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
