import DBus
import Samples
import TestSupport
import Testing

@testable import Connectors

/// Decoding of broadcasts; hexadecimal examples of specifications are named.
struct AdvertisementTests {
    private static func bytes(_ hex: String) -> [UInt8] {
        var digits = hex.filter { $0 != " " }[...]
        var bytes: [UInt8] = []
        while let byte = UInt8(digits.prefix(2), radix: 16) {
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        return bytes
    }

    private static func service(_ uuid: String, _ hex: String) -> Advertisement {
        let full = BluetoothUUID(uuid)?.full ?? ""
        return Advertisement(["ServiceData": .options([full: .bytes(bytes(hex))])])
    }

    private static func manufacturer(_ number: UInt16, _ hex: String) -> Advertisement {
        let entry = BusValue.Entry(.uint16(number), .variant(.bytes(bytes(hex))))
        return Advertisement(["ManufacturerData": .variant(.table(of: "{qv}", [entry]))])
    }

    private static func check(
        _ decoder: any AdvertisementDecoder.Type, _ advertisement: Advertisement,
        _ expected: [String: Value], counter: Int? = nil
    ) throws {
        let found = try #require(try decoder.decode(advertisement))
        #expect(Set(found.values.keys) == Set(expected.keys))
        #expect(found.counter == counter)
        for (name, value) in expected {
            if let number = value.double {
                let difference = (found.values[name]?.double ?? .nan) - number
                #expect(abs(difference) < 1e-9, "\(name): \(found.values)")
            } else {
                #expect(found.values[name] == value, "\(name)")
            }
            #expect(decoder.names.contains(name))
        }
    }

    @Test func `BTHome has objects of several kinds and lengths`() throws {
        // The example of bthome.io/format.
        try Self.check(
            BTHome.self, Self.service("fcd2", "40 02C409 03BF13"),
            ["temperature": .number(25), "humidity": .number(50.55)])
        try Self.check(
            BTHome.self,
            Self.service("fcd2", "44 0007 0164 0238FF 04138A01 0A010000 1A01 2100 3F0CFE 58D8"),
            [
                "battery": .number(100), "temperature": .number(-2), "pressure": .number(1008.83),
                "energy": .number(0.001), "door": .text("open"), "motion": .text("clear"),
                "rotation": .number(-50), "temperature2": .number(-14),
            ], counter: 7)
        // Text and raw bytes have their length before them.
        try Self.check(
            BTHome.self, Self.service("fcd2", "40 530548656C6C6F 5F1400 E0FFFF"),
            ["precipitation": .number(2)])
    }

    @Test func `BTHome that is encrypted, of another version or cut is refused`() {
        for (hex, fault) in [
            ("41 A47266C95F730011223378237214", AdvertisementFault.encrypted),
            ("20 0164", .malformed), ("40 02C4", .malformed), ("", .malformed),
            ("40 530948", .malformed),
        ] {
            #expect(throws: fault) { try BTHome.decode(Self.service("fcd2", hex)) }
        }
    }

    @Test func `RuuviTag formats 5 and 3 give the values of the documentation`() throws {
        let g = 9.80665
        try Self.check(
            Ruuvi.self,
            Self.manufacturer(0x0499, "0512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F"),
            [
                "temperature": .number(24.3), "humidity": .number(53.49),
                "pressure": .number(1000.44), "accelerationX": .number(0.004 * g),
                "accelerationY": .number(-0.004 * g), "accelerationZ": .number(1.036 * g),
                "voltage": .number(2.977), "movements": .number(66),
            ], counter: 205)
        try Self.check(
            Ruuvi.self, Self.manufacturer(0x0499, "03291A1ECE1EFC18F94202CA0B53"),
            [
                "temperature": .number(26.3), "humidity": .number(20.5),
                "pressure": .number(1027.66), "accelerationX": .number(-g),
                "accelerationY": .number(-1.726 * g), "accelerationZ": .number(0.714 * g),
                "voltage": .number(2.899),
            ])
        // Below zero, format 3 has a sign and no two's complement.
        let cold = try Ruuvi.decode(Self.manufacturer(0x0499, "0300 8145 0000 0000 0000 0000 0000"))
        #expect(cold?.values["temperature"] == .number(-1.69))
        // All values unknown.
        try Self.check(
            Ruuvi.self,
            Self.manufacturer(0x0499, "058000FFFFFFFF800080008000FFFFFFFFFFFFFFFFFFFFFF"), [:])
        #expect(throws: AdvertisementFault.malformed) {
            try Ruuvi.decode(Self.manufacturer(0x0499, "0512FC"))
        }
        #expect(try Ruuvi.decode(Self.manufacturer(0x004C, "0512FC")) == nil)
    }

    @Test func `thermometers with the firmware of atc1441 and pvvx`() throws {
        try Self.check(
            ATCThermometer.self, Self.service("181a", "A4C138112233 FFF6 2D 55 0B64 10"),
            [
                "temperature": .number(-1), "humidity": .number(45), "battery": .number(85),
                "voltage": .number(2.916),
            ], counter: 16)
        try Self.check(
            ATCThermometer.self, Self.service("181a", "332211 38C1A4 9CFF 3412 640B 55 11 05"),
            [
                "temperature": .number(-1), "humidity": .number(46.6), "battery": .number(85),
                "voltage": .number(2.916),
            ], counter: 17)
        #expect(throws: AdvertisementFault.encrypted) {
            try ATCThermometer.decode(Self.service("181a", "0102030405060708090A0B"))
        }
    }

    @Test func `MiBeacon has objects after optional parts`() throws {
        try Self.check(
            MiBeacon.self, Self.service("fe95", "5020 AA01 10 332211A8654C 0D10 04 F6FF 4802"),
            ["temperature": .number(-1), "humidity": .number(58.4)], counter: 16)
        // With a capability of input and output.
        try Self.check(
            MiBeacon.self, Self.service("fe95", "7120 9800 11 332211A8654C 2D 01 0710 03 102700"),
            ["illuminance": .number(10_000)], counter: 17)
        // Without an object.
        try Self.check(
            MiBeacon.self, Self.service("fe95", "1020 AA01 12 332211A8654C"), [:], counter: 18)
        #expect(throws: AdvertisementFault.encrypted) {
            try MiBeacon.decode(Self.service("fe95", "5858 5B05 14 332211A8654C 0102030405060708"))
        }
        #expect(throws: AdvertisementFault.malformed) {
            try MiBeacon.decode(Self.service("fe95", "5020 AA01 10 332211A8654C 0410 02 F6"))
        }
    }

    @Test func `Govee packs temperature and humidity into a number`() throws {
        try Self.check(
            Govee.self, Self.manufacturer(0xEC88, "00 033E1C 64 00"),
            ["temperature": .number(21.2), "humidity": .number(50.8), "battery": .number(100)])
        try Self.check(
            Govee.self, Self.manufacturer(0x0001, "0101 80283C 32"),
            ["temperature": .number(-1), "humidity": .number(30), "battery": .number(50)])
        try Self.check(
            Govee.self, Self.manufacturer(0xEC88, "00 9CFF 3412 4B 02"),
            ["temperature": .number(-1), "humidity": .number(46.6), "battery": .number(75)])
        #expect(throws: AdvertisementFault.malformed) {
            try Govee.decode(Self.manufacturer(0xEC88, "00 033E1C E4 00"))
        }
        #expect(try Govee.decode(Self.manufacturer(0x0001, "0203")) == nil)
    }

    @Test func `random bytes give values or a fault`() throws {
        var random = SplitMix(state: 20_261_127)
        for _ in 0..<20_000 {
            var bytes = (0..<Int.random(in: 0...31, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
            if !bytes.isEmpty, Bool.random(using: &random) {
                bytes[0] = [0x40, 5, 3][bytes.count % 3]
            }
            var advertisement = Advertisement([:])
            for uuid in ["fcd2", "181a", "fe95"] {
                advertisement.services[try #require(BluetoothUUID(uuid))] = bytes
            }
            for number: UInt16 in [0x0499, 0xEC88, 1] {
                advertisement.manufacturers[number] = bytes
            }
            for format in AdvertisementConnector.Format.allCases {
                guard let found = try? format.decoder.decode(advertisement) else { continue }
                #expect(found.values.values.allSatisfy { $0.double?.isFinite ?? true })
            }
        }
    }
}
