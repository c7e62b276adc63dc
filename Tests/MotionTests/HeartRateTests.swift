import Motion
import Samples
import Testing

struct HeartRateTests {
    @Test func `the flags say which parts a measurement has`() throws {
        let short = try #require(HeartRateMeasurement([0x00, 60]))
        #expect(short.rate == 60)
        #expect(short.contact == .unknown)
        #expect(short.energy == nil)
        #expect(short.intervals.isEmpty)
        // 16 bits, contact, energy and two intervals.
        let long = try #require(
            HeartRateMeasurement([0x1F, 0x2C, 0x01, 0x10, 0x27, 0x00, 0x04, 0x00, 0x02]))
        #expect(long.rate == 300)
        #expect(long.contact == .detected)
        #expect(long.energy == 10_000)
        #expect(long.intervals == [1000, 500])
        #expect(HeartRateMeasurement([0x04, 0])?.contact == .missing)
    }

    @Test(
        arguments: [
            [], [0x00], [0x01, 60], [0x08, 60], [0x08, 60, 1], [0x10, 60, 1], [0x00, 60, 1],
        ] as [[UInt8]])
    func `bytes that end early or are too many are rejected`(bytes: [UInt8]) {
        #expect(HeartRateMeasurement(bytes) == nil)
    }

    @Test func `each form decodes its part`() throws {
        let bytes: [UInt8] = [0x1E, 72, 0x05, 0x00, 0x00, 0x04, 0x00, 0x02]
        for (form, kind, values) in [
            ("heart-rate", .integer, [.integer(72)]),
            ("heart-rate-contact", .state, [.text("detected")]),
            ("heart-rate-energy", .integer, [.integer(5)]),
            ("heart-rate-intervals", .number, [.number(1000), .number(500)]),
        ] as [(String, Field.Kind, [Value])] {
            let decoder = try #require(CharacteristicDecoder(form))
            #expect(decoder.kind == kind)
            #expect(decoder.values(of: bytes) == values)
            #expect(decoder.decode(bytes) == values.last)
            #expect(decoder.values(of: [0x08, 72]) == nil)
        }
        let energy = try #require(CharacteristicDecoder("heart-rate-energy"))
        #expect(energy.values(of: [0x00, 60]) == [])
        #expect(CharacteristicDecoder("heart-rate/2") == nil)
    }
}
