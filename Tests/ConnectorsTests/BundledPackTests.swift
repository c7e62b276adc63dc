import Foundation
import Ingest
import Motion
import Samples
import Testing

@testable import Connectors

/// The packs in `sensorpacks/`, each with an example message of its device.
struct BundledPackTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../sensorpacks").standardizedFileURL

    static func pack(_ name: String) throws -> SensorPack {
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

    /// Bluetooth packs: the bytes of a characteristic, and the resulting sample.
    private static let values: [(String, [(String, [UInt8], [Value])])] =
        ["door-contact-ble", "door-contact-ble-gatt"].map { name in
            (
                name,
                [
                    ("lock", [0x01], [.text("locked"), .number(-1)]),
                    ("battery", Array("80.0".utf8), [.text("locked"), .number(80)]),
                    ("lock", Array("0".utf8), [.text("unlocked"), .number(80)]),
                    ("battery", Array("168.8".utf8), [.text("unlocked"), .number(100)]),
                ]
            )
        } + [
            (
                "climate-ble",
                [
                    ("temperature", [0x9C, 0xFF], []),
                    ("humidity", [0xA0, 0x0F], [.number(-1), .number(40)]),
                ]
            ),
            ("heart-beats", [("interval", [0x10, 60, 0x00, 0x04], [.number(1000)])]),
        ]

    /// Packs whose messages are readings of several values.
    private static let readings: [(String, [String: Value], [Value])] = [
        (
            "heart-rate", ["rate": .integer(72), "contact": .text("detected")],
            [.number(72), .text("detected")]
        ),
        (
            "ruuvi-tag",
            [
                "temperature": .number(24.3), "humidity": .number(53.49),
                "pressure": .number(1000.44), "voltage": .number(2.977), "movements": .number(66),
            ], [.number(24.3), .number(53.49), .number(1000.44), .number(2.977)]
        ),
        (
            "climate-bthome", ["temperature": .number(25), "humidity": .number(50.55)],
            [.number(25), .number(50.55), .number(-1)]
        ),
    ]

    @Test(arguments: readings)
    func `a pack takes a reading of its device`(
        name: String, reading: [String: Value], values: [Value]
    ) throws {
        let pack = try Self.pack(name)
        let names = try #require((pack.connector as? any ConnectorKind)?.names)
        // A broadcast may have more values than the pack takes.
        #expect(reading.keys.allSatisfy(names.contains))
        var maker = pack.maker
        let outcome = maker.take(Reading(values: reading), at: SourceTests.start)
        guard case .sample(let sample) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(sample.values == values)
    }

    @Test func `every pack is tested`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(
            names.sorted()
                == (Self.messages.map(\.0) + Self.values.map(\.0) + Self.readings.map(\.0)).sorted()
        )
    }

    @Test(arguments: values)
    func `a pack decodes the values of its device over Bluetooth`(
        name: String, steps: [(String, [UInt8], [Value])]
    ) throws {
        let pack = try Self.pack(name)
        let connector = try #require(pack.connector as? BluetoothConnector)
        var maker = pack.maker
        for (wanted, bytes, values) in steps {
            let characteristic = connector.characteristics.first { $0.name == wanted }
            let form = try #require(characteristic?.form)
            let value = try #require(form.decode(bytes))
            let outcome = maker.take(Reading(values: [wanted: value]), at: SourceTests.start)
            guard case .sample(let sample) = outcome else {
                #expect(values.isEmpty, "\(outcome)")
                continue
            }
            #expect(sample.values == values)
        }
    }

    @Test func `a slowly discharging battery is reported every 5 percent`() throws {
        var maker = try Self.pack("door-contact-ble").maker
        let charges = stride(from: 1000, through: 500, by: -1).map { Double($0) / 10 }
        let reported = charges.compactMap { charge -> Value? in
            let reading = Reading(values: ["battery": .number(charge)])
            guard case .sample(let sample) = maker.take(reading, at: SourceTests.start) else {
                return nil
            }
            return sample.values.last
        }
        #expect(
            reported.compactMap(\.double) == [
                100, 94.9, 89.8, 84.7, 79.6, 74.5, 69.4, 64.3, 59.2, 54.1,
            ])
    }

    @Test(arguments: messages)
    func `a pack decodes the messages of its device`(
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

    @Test(
        arguments: [
            (
                ["Switch state: 1", "Battery Level: 87.5%"],
                [.text("locked"), .text("unknown"), .number(87.5)]
            ),
            (
                ["Sensor state: 0", "Battery Level: 168.8%"],
                [.text("unknown"), .text("open"), .number(100)]
            ),
            (["Sensor state: 1"], [.text("unknown"), .text("closed"), .number(-1)]),
        ] as [([String], [Value])])
    func `a door contact that sends only some of its values has unknown ones`(
        lines: [String], values: [Value]
    ) throws {
        var maker = try Self.pack("door-contact").maker
        var last: Sample?
        for line in lines {
            guard case .sample(let sample) = maker.take(Array(line.utf8), at: SourceTests.start)
            else { continue }
            last = sample
        }
        #expect(maker.counts.accepted == lines.count)
        #expect(last?.values == values)
    }

    @Test func `a repeated door state is stored once`() throws {
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
