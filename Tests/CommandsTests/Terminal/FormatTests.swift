import API
import Foundation
import Samples
import Simulation
import TestSupport
import Testing
import VM

@testable import Commands

/// Numbers, units and lists as people read them.
struct FormatTests {
    @Test func `a position is shown to a tenth of a metre`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(state: seed)
        for _ in 0..<2000 {
            let degrees = Double.random(in: -180...180, using: &random)
            let text = Format.value(degrees, unit: "deg")
            let shown = Double(text.dropLast(" deg".count))
            #expect(shown.map { abs($0 - degrees) <= 0.000_000_5 } == true, "\(text), seed \(seed)")
        }
        #expect(Format.value(47.009_71, unit: "deg") == "47.00971 deg")
        #expect(Format.value(8, unit: "deg") == "8 deg")
    }

    @Test(arguments: [
        ("By", "bytes"), ("By/s", "bytes per second"), ("1", nil), (nil, nil), ("%", "percent"),
        ("{process}", "process"), ("{packet}/s", "packet per second"), ("/min", "per minute"),
        ("1/s", "per second"), ("Cel", "degrees Celsius"), ("deg/s", "degrees per second"),
        ("m/s", "metres per second"), ("m/s2", "m/s2"), ("uSv/h", "uSv/h"), ("km/h", "km/h"),
        ("mol/{item}", "mol/item"),
    ])
    func `a unit is displayed as a word if there is one`(unit: String?, word: String?) {
        #expect(Format.unitWord(unit) == word)
    }

    @Test func `no unit is displayed as the UCUM code of bytes, of one or of an annotation`() {
        let units = SimulatedDriver.sensors.flatMap { SimulatedDriver.fields(of: $0) ?? [] }
            .compactMap(\.unit)
        #expect(!units.isEmpty)
        for unit in units {
            let word = Format.unitWord(unit) ?? ""
            #expect(!word.contains("{") && word != "1" && !word.contains("By"), "\(unit)")
        }
    }

    /// The sensors by name, and whether a sample came.
    @Test(
        arguments: [
            (
                [
                    "steps.bob": false, "light.bob": false, "gyroscope.bob": false,
                    "battery.bob": true,
                ],
                ["bob": ["gyroscope.bob", "light.bob", "steps.bob"]]
            ),
            (["steps.bob": false, "light.bob": false], [:]),
            (["steps.a": false, "light.b": false, "gyroscope.c": false, "battery": false], [:]),
        ] as [([String: Bool], [String: [String]])])
    func `only sensors of devices that never sent a sample are collapsed in the list`(
        sensors: [String: Bool], collapsed: [String: [String]]
    ) {
        let list = sensors.sorted { $0.key < $1.key }.map { id, hasSamples in
            SensorDescription(
                id: id, title: "Test", fields: [], source: Sensor.publishedSource,
                available: true, level: "medium", access: "granted",
                newest: hasSamples ? 1000 : nil, failures: 0)
        }
        let found = SensorOverview.silentDevices(list)
        #expect(
            Dictionary(uniqueKeysWithValues: found.map { ($0.device, $0.sensors) }) == collapsed)
    }
}
