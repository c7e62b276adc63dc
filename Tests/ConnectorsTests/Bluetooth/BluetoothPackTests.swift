import Testing

@testable import Connectors

/// The settings of Bluetooth sources in packs.
struct BluetoothPackTests {
    private static func pack(
        _ source: String, field: String = #"{"name": "lock", "kind": "state"}"#,
        payload: String? = nil
    ) throws(PackError) -> SensorPack {
        let text =
            #"{"id": "door.test", "title": "Door", "fields": [\#(field)], "#
            + #""source": {"kind": "bluetooth", \#(source)}"#
            + (payload.map { #", "payload": \#($0)"# } ?? "") + "}"
        return try SensorPack(Array(text.utf8))
    }

    private static let lock =
        #"{"name": "lock", "service": "AAAA", "characteristic": "0xAA01", "form": "lock"}"#

    @Test func `UUIDs can be short or long, and other keys have defaults`() throws {
        let pack = try Self.pack(#""name": "IOTDoor", "characteristics": [\#(Self.lock)]"#)
        let connector = try #require(pack.connector as? BluetoothConnector)
        #expect(connector.sourceName == "IOTDoor")
        #expect(connector.scanLimit == .seconds(30))
        #expect(connector.stepLimit == .seconds(30))
        let wanted = try #require(connector.characteristics.first)
        #expect(wanted.service?.full == "0000aaaa-0000-1000-8000-00805f9b34fb")
        #expect(wanted.characteristic.full == "0000aa01-0000-1000-8000-00805f9b34fb")
        #expect(wanted.interval == nil)
        let other = try Self.pack(
            #""address": "aa:bb:cc:dd:ee:0f", "adapter": "hci1", "scanFor": "5s", "#
                + #""connectTimeout": "2s", "characteristics": [{"name": "lock", "form": "utf8", "#
                + #""service": "6E400001-B5A3-F393-E0A9-E50E24DCCA9E", "#
                + #""characteristic": "12345678", "read": "10s"}]"#)
        let second = try #require(other.connector as? BluetoothConnector)
        #expect(second.target == .address("AA:BB:CC:DD:EE:0F"))
        #expect(second.adapter == "hci1")
        #expect(second.scanLimit == .seconds(5))
        #expect(second.stepLimit == .seconds(2))
        #expect(second.characteristics.first?.interval == .seconds(10))
        #expect(
            second.characteristics.first?.service?.description.hasPrefix("6e400001-b5a3") == true)
        #expect(second.characteristics.first?.characteristic.description == "12345678")
    }

    private static let bare = #"{"service": "AAAA", "characteristic": "AA01"}"#

    @Test(arguments: [
        (#""characteristics": [\#(lock)]"#, "has no name"),
        (#""name": "a", "address": "AA:BB:CC:DD:EE:FF", "characteristics": [\#(lock)]"#, "address"),
        (#""address": "AA:BB:CC:DD:EE", "characteristics": [\#(lock)]"#, "address"),
        (#""address": "AA:BB:CC:DD:EE:+F", "characteristics": [\#(lock)]"#, "address"),
        (#""name": "a", "adapter": "../x", "characteristics": [\#(lock)]"#, "adapter"),
        (#""name": "a""#, "has no characteristics"),
        (#""name": "a", "characteristics": []"#, "characteristics"),
        (#""name": "a", "scanFor": "1h", "characteristics": [\#(lock)]"#, "scanFor"),
        (#""name": "a", "connectTimeout": "0s", "characteristics": [\#(lock)]"#, "connectTimeout"),
        (#""name": "a", "characteristics": [\#(lock), \#(lock)]"#, "contains duplicate names"),
        (#""name": "a", "characteristics": [\#(lock), \#(bare)]"#, "in all elements or in none"),
        (#""name": "a", "lines": true, "characteristics": [\#(lock)]"#, "lines"),
        (
            #""name": "a", "characteristics": [{"name": "x", "service": "1", "characteristic": "AA01"}]"#,
            "service"
        ),
        (
            #""name": "a", "characteristics": [{"service": "zzzz", "characteristic": "AA01"}]"#,
            "service"
        ),
        (
            #""name": "a", "characteristics": [{"name": "lock", "service": "AAAA", "characteristic": "AA01"}]"#,
            "has no form"
        ),
        (
            #""name": "a", "characteristics": [{"form": "u8", "service": "AAAA", "characteristic": "AA01"}]"#,
            "has no name"
        ),
        (
            #""name": "a", "characteristics": [{"name": "lock", "form": "u7", "service": "AAAA", "characteristic": "AA01"}]"#,
            "is not a byte format"
        ),
        (
            #""name": "a", "characteristics": [{"write": "x", "service": "AAAA", "characteristic": "AA01"}]"#,
            "write"
        ),
    ])
    func `an invalid source is rejected with its position`(source: String, location: String) {
        let error = #expect(throws: PackError.self) { try Self.pack(source) }
        #expect(error?.message.contains(location) == true, "\(error?.message ?? "")")
    }

    @Test func `fields refer to named values or to a payload format`() throws {
        let named = #""name": "a", "characteristics": [\#(Self.lock)]"#
        let bare = #""name": "a", "characteristics": [\#(Self.bare)]"#
        _ = try Self.pack(named, field: #"{"name": "x", "kind": "state", "from": "lock"}"#)
        _ = try Self.pack(named, payload: #"{"sparse": true, "onlyChanges": true}"#)
        _ = try Self.pack(
            bare, field: #"{"name": "x", "from": "s16/100"}"#, payload: #"{"format": "bytes"}"#)
        let unknown = #expect(throws: PackError.self) {
            try Self.pack(named, field: #"{"name": "battery"}"#)
        }
        #expect(unknown?.message == "sensor.fields: battery is not one of the values lock.")
        let both = #expect(throws: PackError.self) {
            try Self.pack(named, payload: #"{"format": "json"}"#)
        }
        #expect(both?.message.contains("defines the names of its values") == true)
        let none = #expect(throws: PackError.self) { try Self.pack(bare) }
        #expect(none?.message.contains("needs a format") == true)
    }
}
