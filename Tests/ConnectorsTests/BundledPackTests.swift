import Connectors
import Foundation
import Payloads
import Samples
import Testing

/// The packs in `sensorpacks/`, each with a message in the shape of its device.
struct BundledPackTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../sensorpacks").standardizedFileURL

    private static func pack(_ name: String) throws -> SensorPack {
        let file = folder.appending(path: "\(name)/sensor.json")
        return try SensorPack(Array(Data(contentsOf: file)))
    }

    private static let messages: [(String, [String], [Value])] = [
        (
            "weather-station", [#"{"t":21.4,"h":48,"p":1013.2,"rain":10}"#],
            [.number(21.4), .number(48), .number(1013.2), .number(2.794)]
        ),
        ("geiger-counter", ["CPM: 100"], [.number(100), .number(0.57)]),
        (
            "seismograph", ["1000000,-500000,0"],
            [.number(9.80665), .number(-4.903325), .number(0)]
        ),
        (
            "door-contact", ["Switch state: 1", "Sensor state: 0", "Battery Level: 87.5%"],
            [.text("locked"), .text("open"), .number(87.5)]
        ),
        ("dht", ["0 28.2 C 41.5 %"], [.number(28.2), .number(41.5)]),
        (
            "phone",
            [
                #"{"buffer":{"accX":{"size":0,"updateMode":"single","buffer":[0.12]},"#
                    + #""accY":{"buffer":[-9.81]},"accZ":{"buffer":[1e-3]}},"status":{}}"#
            ], [.number(0.12), .number(-9.81), .number(0.001)]
        ),
    ]

    @Test func `every pack is tested`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(names.sorted() == Self.messages.map(\.0).sorted())
    }

    @Test(arguments: messages)
    func `C2, C3, C19: a pack reads what its device says`(
        name: String, lines: [String], values: [Value]
    ) throws {
        var maker = try Self.pack(name).maker
        let now = SourceTests.start
        let outcomes = lines.map { maker.take(Array($0.utf8), at: now) }
        guard case .sample(let sample)? = outcomes.last else {
            Issue.record("\(outcomes)")
            return
        }
        for (value, expected) in zip(sample.values, values) {
            if let number = expected.double {
                #expect(abs((value.double ?? .nan) - number) < 1e-9, "\(sample.values)")
            } else {
                #expect(value == expected)
            }
        }
        #expect(sample.values.count == values.count)
    }

    @Test func `C8: a door that says the same again is kept once`() throws {
        var maker = try Self.pack("door-contact").maker
        let now = SourceTests.start
        for line in ["Switch state: 1", "Sensor state: 1", "Battery Level: 80.0%"] {
            _ = maker.take(Array(line.utf8), at: now)
        }
        var kept = 0
        for _ in 1...10 {
            if case .sample = maker.take(Array("Switch state: 1".utf8), at: now) { kept += 1 }
        }
        #expect(kept == 0)
        if case .sample = maker.take(Array("Switch state: 0".utf8), at: now) { kept += 1 }
        #expect(kept == 1)
    }
}
