import Samples

/// MiBeacon without encryption: sensors of Xiaomi with their own firmware.
///
/// Temperature in °C; humidity, moisture and battery in %; illuminance in lx; conductivity in µS/cm;
/// formaldehyde in mg/m³. The data of the service `fe95` is a frame control field, the product, a counter, and, as the
/// field says, the address, capabilities and objects: a type, a length and an integer, little-endian.
/// Source: the documentation of MiBeacon, as in ble_monitor and xiaomi-ble.
enum MiBeacon: AdvertisementDecoder {
    private static let isEncrypted = 1 << 3
    private static let hasAddress = 1 << 4
    private static let hasCapability = 1 << 5
    private static let hasObject = 1 << 6

    static let names = [
        "temperature", "humidity", "illuminance", "moisture", "conductivity", "battery",
        "formaldehyde",
    ]

    static func decode(
        _ advertisement: Advertisement
    ) throws(AdvertisementFault) -> AdvertisedValues? {
        guard let uuid = BluetoothUUID("fe95"), let bytes = advertisement.services[uuid] else {
            return nil
        }
        var reader = ByteReader(bytes)
        let control = try reader.unsigned(2)
        _ = try reader.bytes(2)
        var found = AdvertisedValues()
        found.counter = try reader.unsigned(1)
        // Many devices also send frames without a measurement.
        guard control & hasObject != 0 else { return found }
        guard control & isEncrypted == 0 else { throw .encrypted }
        if control & hasAddress != 0 { _ = try reader.bytes(6) }
        // The capability of input and output has a byte of its own.
        if control & hasCapability != 0, try reader.unsigned(1) & 0x20 != 0 {
            _ = try reader.bytes(1)
        }
        while reader.count >= 3 {
            let type = try reader.unsigned(2)
            var object = ByteReader(try reader.bytes(try reader.unsigned(1)))
            try add(type, &object, to: &found)
        }
        return found
    }

    private static func add(
        _ type: Int, _ object: inout ByteReader, to found: inout AdvertisedValues
    ) throws(AdvertisementFault) {
        switch type {
        case 0x1004: found.set("temperature", Double(try object.signed(2)) / 10)
        case 0x1006: found.set("humidity", Double(try object.unsigned(2)) / 10)
        case 0x1007: found.set("illuminance", Double(try object.unsigned(3)))
        case 0x1008: found.set("moisture", Double(try object.unsigned(1)))
        case 0x1009: found.set("conductivity", Double(try object.unsigned(2)))
        case 0x100A: found.set("battery", Double(try object.unsigned(1)))
        case 0x100D:
            found.set("temperature", Double(try object.signed(2)) / 10)
            found.set("humidity", Double(try object.unsigned(2)) / 10)
        case 0x1010: found.set("formaldehyde", Double(try object.unsigned(2)) / 100)
        default: break
        }
    }
}
