import Samples

/// RuuviTag: the data formats 5 (RAWv2) and 3 (RAWv1).
///
/// Temperature in °C, humidity in %, pressure in hPa, acceleration in m/s², voltage in V.
/// Source: https://docs.ruuvi.com/communication/bluetooth-advertisements.
enum Ruuvi: AdvertisementDecoder {
    private static let manufacturer: UInt16 = 0x0499
    /// A thousandth of the standard gravity in m/s².
    private static let milligravity = 0.00980665
    private static let axes = ["accelerationX", "accelerationY", "accelerationZ"]

    static let names = ["temperature", "humidity", "pressure"] + axes + ["voltage", "movements"]

    static func decode(
        _ advertisement: Advertisement
    ) throws(AdvertisementFault) -> AdvertisedValues? {
        guard let bytes = advertisement.manufacturers[manufacturer] else { return nil }
        var reader = ByteReader(bytes)
        switch try reader.unsigned(1) {
        case 3: return try decode3(&reader)
        case 5: return try decode5(&reader)
        // 8 is encrypted.
        case 8: throw .encrypted
        default: throw .malformed
        }
    }

    private static func decode5(
        _ reader: inout ByteReader
    ) throws(AdvertisementFault) -> AdvertisedValues {
        var found = AdvertisedValues()
        let temperature = try reader.bigSigned(2)
        found.set("temperature", Double(temperature) / 200, unless: temperature == -0x8000)
        let humidity = try reader.bigUnsigned(2)
        found.set("humidity", Double(humidity) / 400, unless: humidity == 0xFFFF)
        let pressure = try reader.bigUnsigned(2)
        found.set("pressure", Double(pressure + 50_000) / 100, unless: pressure == 0xFFFF)
        for axis in axes {
            let milli = try reader.bigSigned(2)
            found.set(axis, Double(milli) * milligravity, unless: milli == -0x8000)
        }
        // The last five bits are the power of the radio.
        let voltage = try reader.bigUnsigned(2) >> 5
        found.set("voltage", Double(voltage + 1600) / 1000, unless: voltage == 0x7FF)
        let movements = try reader.bigUnsigned(1)
        found.set("movements", Double(movements), unless: movements == 0xFF)
        let number = try reader.bigUnsigned(2)
        found.counter = number == 0xFFFF ? nil : number
        return found
    }

    private static func decode3(
        _ reader: inout ByteReader
    ) throws(AdvertisementFault) -> AdvertisedValues {
        var found = AdvertisedValues()
        found.set("humidity", Double(try reader.bigUnsigned(1)) / 2)
        // A sign, whole degrees, and hundredths; not two's complement.
        let (degrees, hundredths) = (try reader.bigUnsigned(1), try reader.bigUnsigned(1))
        let size = Double((degrees & 0x7F) * 100 + hundredths) / 100
        found.set("temperature", degrees & 0x80 == 0 ? size : -size)
        found.set("pressure", Double(try reader.bigUnsigned(2) + 50_000) / 100)
        for axis in axes { found.set(axis, Double(try reader.bigSigned(2)) * milligravity) }
        found.set("voltage", Double(try reader.bigUnsigned(2)) / 1000)
        return found
    }
}

extension AdvertisedValues {
    /// Sets a number, unless the device marks it as unknown.
    mutating func set(_ name: String, _ number: Double, unless isUnknown: Bool = false) {
        if !isUnknown { values[name] = .number(number) }
    }
}
