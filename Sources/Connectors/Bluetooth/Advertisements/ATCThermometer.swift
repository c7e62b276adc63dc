import Samples

/// The firmware of Xiaomi thermometers by atc1441 and pvvx, with its own formats of advertisements.
///
/// Temperature in °C, humidity and battery in %, voltage in V. The data of the service `181a` has 13 bytes in
/// the format of atc1441, and 15 in the one that pvvx calls custom; other lengths are encrypted.
/// Source: README.md of pvvx/ATC_MiThermometer.
enum ATCThermometer: AdvertisementDecoder {
    static let names = ["temperature", "humidity", "battery", "voltage"]

    static func decode(
        _ advertisement: Advertisement
    ) throws(AdvertisementFault) -> AdvertisedValues? {
        guard let uuid = BluetoothUUID("181a"), let bytes = advertisement.services[uuid] else {
            return nil
        }
        var reader = ByteReader(bytes)
        var found = AdvertisedValues()
        switch bytes.count {
        case 13:
            _ = try reader.bytes(6)
            found.set("temperature", Double(try reader.bigSigned(2)) / 10)
            found.set("humidity", Double(try reader.bigUnsigned(1)))
            found.set("battery", Double(try reader.bigUnsigned(1)))
            found.set("voltage", Double(try reader.bigUnsigned(2)) / 1000)
            found.counter = try reader.bigUnsigned(1)
        case 15:
            _ = try reader.bytes(6)
            found.set("temperature", Double(try reader.signed(2)) / 100)
            found.set("humidity", Double(try reader.unsigned(2)) / 100)
            found.set("voltage", Double(try reader.unsigned(2)) / 1000)
            found.set("battery", Double(try reader.unsigned(1)))
            found.counter = try reader.unsigned(1)
        case 8, 11: throw .encrypted
        default: throw .malformed
        }
        return found
    }
}
