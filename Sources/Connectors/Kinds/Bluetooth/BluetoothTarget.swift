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
