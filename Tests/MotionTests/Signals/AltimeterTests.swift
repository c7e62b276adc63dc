import Motion
import Samples
import Testing

struct AltimeterTests {
    @Test func `a drop from 1013.25 to 1001.3 hPa is an ascent of 100 m`() {
        var altimeter = Altimeter()
        #expect(altimeter.take(pressure: 1013.25) == 0)
        let metres = altimeter.take(pressure: 1001.3) ?? .nan
        #expect(abs(metres - 100) < 0.2)
        // The last value counts, not the sum of all.
        #expect(altimeter.take(pressure: 1013.25) == 0)
    }

    /// The altitudes of pressure levels in the standard atmosphere, as published by weather
    /// services.
    @Test(
        arguments: [
            (1013.25, 0.0), (1000, 111), (850, 1457), (700, 3012), (500, 5574), (400, 7185),
            (300, 9164), (226.32, 11_000),
        ])
    func `altitudes equal the standard atmosphere`(pressure: Double, metres: Double) {
        #expect(abs(Altimeter.altitude(pressure) - metres) < 1)
    }

    @Test func `altitudes are relative to the first or the given pressure`() {
        var altimeter = Altimeter(start: 990)
        let metres = altimeter.take(pressure: 980) ?? .nan
        #expect(abs(metres - (Altimeter.altitude(980) - Altimeter.altitude(990))) < 1e-9)
        #expect(altimeter.start == 990)
    }

    @Test(arguments: [-1.0, 0, 199, 1201, 101_325, .nan, .infinity])
    func `an implausible pressure is dropped and is not the reference`(pressure: Double) {
        var altimeter = Altimeter(start: pressure)
        #expect(altimeter.take(pressure: pressure) == nil)
        #expect(altimeter.dropped == 1)
        #expect(altimeter.take(pressure: 1000) == 0)
    }

    @Test func `barometer samples become altitudes`() {
        var altimeter = Altimeter()
        let time = Timestamp(microseconds: 7)
        #expect(
            altimeter.take(Sample(time: time, values: [.number(1000)]))
                == Sample(time: time, values: [.number(0)]))
        #expect(altimeter.take(Sample(time: time, values: [])) == nil)
        #expect(altimeter.take(Sample(time: time, values: [.text("1000")])) == nil)
        #expect(altimeter.dropped == 2)
    }
}
