import Samples

/// Thermometers of Govee: H5072, H5075, H5101, H5102 (a packed number) and H5074.
///
/// Temperature in °C, humidity and battery in %. Source: the data of manufacturer `ec88` or `0001` as described
/// by govee-ble and GoveeBTTempLogger.
enum Govee: AdvertisementDecoder {
    static let names = ["temperature", "humidity", "battery"]

    static func decode(
        _ advertisement: Advertisement
    ) throws(AdvertisementFault) -> AdvertisedValues? {
        if let bytes = advertisement.manufacturers[0xEC88] {
            switch bytes.count {
            case 6: return try packed(bytes.dropFirst())
            case 7: return try separate(bytes.dropFirst())
            default: throw .malformed
            }
        }
        // Data of the manufacturer 1 is only Govee's if it begins like this.
        guard let bytes = advertisement.manufacturers[0x0001], bytes.prefix(2) == [1, 1],
            bytes.count == 6
        else { return nil }
        return try packed(bytes.dropFirst(2))
    }

    /// Temperature and humidity as one number: tenths of a degree, then three digits of the humidity.
    private static func packed(
        _ bytes: ArraySlice<UInt8>
    ) throws(AdvertisementFault) -> AdvertisedValues {
        var reader = ByteReader(bytes)
        let number = try reader.bigUnsigned(3)
        let size = number & 0x7F_FFFF
        var found = AdvertisedValues()
        let degrees = Double(size / 1000) / 10
        found.set("temperature", number == size ? degrees : -degrees)
        found.set("humidity", Double(size % 1000) / 10)
        let battery = try reader.bigUnsigned(1)
        // The highest bit reports a fault of the sensor.
        guard battery & 0x80 == 0 else { throw .malformed }
        found.set("battery", Double(battery))
        return found
    }

    private static func separate(
        _ bytes: ArraySlice<UInt8>
    ) throws(AdvertisementFault) -> AdvertisedValues {
        var reader = ByteReader(bytes)
        var found = AdvertisedValues()
        found.set("temperature", Double(try reader.signed(2)) / 100)
        found.set("humidity", Double(try reader.unsigned(2)) / 100)
        found.set("battery", Double(try reader.unsigned(1)))
        return found
    }
}
