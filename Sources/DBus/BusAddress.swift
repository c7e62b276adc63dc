/// Where buses are.
public enum BusAddress {
    /// The system bus, as libdbus and sd-bus find it.
    public static func system(in environment: [String: String]) -> String {
        if let named = environment["DBUS_SYSTEM_BUS_ADDRESS"], !named.isEmpty { return named }
        return "unix:path=/run/dbus/system_bus_socket"
    }

    /// The address of a socket, whatever its path consists of.
    public static func socket(at path: String) -> String {
        "unix:path=" + path.utf8.map(escaped).joined()
    }

    private static func escaped(_ byte: UInt8) -> String {
        let character = Character(Unicode.Scalar(byte))
        let isPlain =
            character.isASCII
            && (character.isLetter || character.isNumber || "-_/.\\*".contains(character))
        let digits = String(byte, radix: 16)
        return isPlain ? String(character) : (byte < 16 ? "%0" : "%") + digits
    }
}
