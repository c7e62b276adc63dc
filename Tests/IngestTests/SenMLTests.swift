import Samples
import TestSupport
import Testing

@testable import Ingest

/// Packs of SenML; those named after a section are the examples of RFC 8428.
struct SenMLTests {
    private static let now = TestParser.now

    private static func samples(
        _ pack: String, _ fields: [Field], piece: Int = 1 << 16
    ) throws(SampleFault) -> [Sample] {
        let batch = try TestParser.samples(pack, .senml, of: fields, piece: piece)
        return batch.indices.map { batch[$0] }
    }

    private static func fault(_ pack: String, _ fields: [Field]) -> String {
        TestParser.fault(Array(pack.utf8), .senml, of: fields)
    }

    private static func time(_ seconds: Double) -> Timestamp {
        Timestamp(microseconds: Int64((seconds * 1_000_000).rounded()))
    }

    @Test func `a single value is that of a sensor with a single field (5.1.1)`() throws {
        let samples = try Self.samples(
            #"[{"n":"urn:dev:ow:10e2073a01080063","u":"Cel","v":23.1}]"#,
            [Field("temperature", unit: "Cel")])
        #expect(samples == [Sample(time: Self.now, values: [.number(23.1)])])
    }

    @Test func `the base name precedes all names (5.1.2)`() throws {
        let samples = try Self.samples(
            #"""
            [
              {"bn":"urn:dev:ow:10e2073a01080063:","n":"voltage","u":"V","v":120.1},
              {"n":"current","u":"A","v":1.2}
            ]
            """#, [Field("current", unit: "A"), Field("voltage", unit: "V")])
        #expect(samples == [Sample(time: Self.now, values: [.number(1.2), .number(120.1)])])
    }

    @Test(arguments: [1, 7, 1 << 16])
    func `times are relative to the base time, also if the input is split (5.1.2)`(
        piece: Int
    ) throws {
        let pack = #"""
            [
              {"bn":"urn:dev:ow:10e2073a0108006:","bt":1.276020076001e+09,"bu":"A","bver":5,
               "n":"current","t":-5,"v":1.2},
              {"n":"current","t":-4,"v":1.3},
              {"n":"current","t":-3,"v":1.4},
              {"n":"current","v":1.7}
            ]
            """#
        let samples = try Self.samples(pack, [Field("current", unit: "A")], piece: piece)
        let expected = [(-5.0, 1.2), (-4, 1.3), (-3, 1.4), (0, 1.7)].map { back, value in
            Sample(time: Self.time(1_276_020_076.001 + back), values: [.number(value)])
        }
        #expect(samples == expected)
    }

    @Test func `records of one name are told apart by their units (5.1.3)`() throws {
        let fields = [
            Field("humidity", unit: "%"), Field("latitude", unit: "deg"),
            Field("longitude", unit: "deg"),
        ]
        let samples = try Self.samples(
            #"""
            [
              {"bn":"urn:dev:ow:10e2073a01080063","bt":1.320067464e+09,"bu":"%RH","v":20},
              {"u":"lon","v":24.30621},
              {"u":"lat","v":60.07965},
              {"t":60,"v":20.3},
              {"u":"lon","t":60,"v":24.30622},
              {"u":"lat","t":60,"v":60.07965}
            ]
            """#, fields)
        #expect(
            samples == [
                Sample(
                    time: Self.time(1_320_067_464),
                    values: [.number(20), .number(60.07965), .number(24.30621)]),
                Sample(
                    time: Self.time(1_320_067_524),
                    values: [.number(20.3), .number(60.07965), .number(24.30622)]),
            ])
    }

    @Test func `texts are stored, and booleans and binary data refused by name (5.1.4)`() throws {
        let fields = [Field("temp", unit: "Cel"), Field("label", kind: .text)]
        let start = #"[{"bn":"urn:dev:ow:10e2073a01080063:","n":"temp","u":"Cel","v":23.1},"#
        let samples = try Self.samples(start + #"{"n":"label","vs":"Machine Room"}]"#, fields)
        #expect(
            samples == [Sample(time: Self.now, values: [.number(23.1), .text("Machine Room")])])
        #expect(
            Self.fault(start + #"{"n":"label","vb":false}]"#, fields)
                == "422 line 1, record 2, field label: a boolean (vb) cannot be stored; send a"
                + " number (v) or a text (vs)")
        #expect(
            Self.fault(start + #"{"n":"label","vd":"aGkgCg"}]"#, fields)
                == "422 line 1, record 2, field label: binary data (vd) cannot be stored")
    }

    @Test func `a name may have the address of a device (5.1.5)`() throws {
        let samples = try Self.samples(
            #"""
            [{"bn":"2001:db8::2/","bt":1.320078429e+09,"n":"temperature","u":"Cel","v":27.2},
             {"n":"humidity","u":"%RH","v":80}]
            """#, [Field("temperature", unit: "Cel"), Field("humidity", unit: "%")])
        #expect(
            samples == [
                Sample(time: Self.time(1_320_078_429), values: [.number(27.2), .number(80)])
            ])
    }

    @Test func `base values are added, and apply until they are replaced`() throws {
        let fields = [Field("level", unit: "m"), Field("count", unit: "1", kind: .integer)]
        let samples = try Self.samples(
            #"""
            [{"bn":"d/","bt":1700000000,"bv":20,"bu":"m","n":"level","v":0.5},
             {"n":"count","u":"count","v":9007199254740993},
             {"n":"level","t":1},{"n":"count","u":"count","t":1,"bv":-1,"v":2}]
            """#, fields)
        #expect(
            samples == [
                Sample(
                    time: Self.now, values: [.number(20.5), .integer(9_007_199_254_741_013)]),
                Sample(
                    time: Self.now.advanced(by: .seconds(1)), values: [.number(20), .integer(1)]),
            ])
    }

    @Test func `sums have a field of their own, in the unit of the integral`() throws {
        let fields = [Field("power", unit: "W"), Field("powerSum", unit: "kW.h")]
        let samples = try Self.samples(
            #"[{"n":"m:power","u":"W","v":500,"bs":3600000,"s":3600000}]"#, fields)
        #expect(samples == [Sample(time: Self.now, values: [.number(500), .number(2)])])
        let alone = try Self.samples(
            #"[{"n":"m:power","u":"W","s":3600}]"#, [Field("power", unit: "W.h")])
        #expect(alone == [Sample(time: Self.now, values: [.number(1)])])
        #expect(
            Self.fault(#"[{"n":"m:power","u":"W","v":1,"s":3600}]"#, [Field("power", unit: "W")])
                == "422 line 1, record 1, field power: the sensor has no field for the sum (s): its"
                + " name is that of the field followed by Sum")
    }

    @Test func `a small time is relative to the time of reception`() throws {
        let fields = [Field("x", unit: "m")]
        let samples = try Self.samples(
            #"[{"n":"d:x","t":-1.5,"v":1},{"n":"d:x","t":268435456,"v":2}]"#, fields)
        #expect(
            samples.map(\.time) == [
                Self.now.advanced(by: .milliseconds(-1500)),
                Self.time(268_435_456),
            ])
    }

    @Test(
        arguments: [
            ("Cel", "Cel", 21.5, 21.5), ("K", "Cel", 294.65, 21.5), ("%RH", "%", 40, 40),
            ("/", "%", 0.4, 40), ("Pa", "hPa", 101_320, 1013.2), ("J", "kW.h", 7_200_000, 2),
            ("m/s", "km/h", 10, 36), ("beat/min", "{beat}/min", 60, 60), ("bit", "By", 16, 2),
            ("rad", "deg", 3.141592653589793, 180), ("count", "{step}", 7, 7),
            ("dBW", "dB[mW]", -90, -60), ("Cel", "[degF]", 100, 212), ("pH", "[pH]", 7, 7),
        ] as [(String, String, Double, Double)])
    func `units are converted to those of the fields`(
        unit: String, ucum: String, given: Double, stored: Double
    ) throws {
        let samples = try Self.samples(
            #"[{"n":"d:x","u":"\#(unit)","v":\#(given)}]"#, [Field("x", unit: ucum)])
        let value = try #require(samples.first?.values.first?.double)
        #expect(abs(value - stored) <= 1e-12 * max(1, abs(stored)))
    }

    @Test(arguments: [
        (#"[{"n":"d:x","u":"lx","v":1}]"#, #"field x, unit "lx": the unit cannot be converted"#),
        (#"[{"n":"d:x","v":1},{"n":"e:x","t":1,"v":1}]"#, "record 2: the name is that of another"),
        (#"[{"n":"d:x","v":1},{"n":"d:x","v":2}]"#, "record 2, field x: the field occurs twice"),
        (#"[{"n":"d:x","v":1,"vs":"a"}]"#, "more than one of v, vs, vb and vd"),
        (#"[{"n":"d:x","v":1,"v":1}]"#, "a member occurs twice"),
        (#"[{"n":"d:x"}]"#, "neither a value (v, vs, vb, vd) nor a sum (s)"),
        (#"[{"bn":"_d:","n":"x","v":1}]"#, "the name (bn and n) is empty, has characters"),
        (#"[{"n":"d x","v":1}]"#, "the name (bn and n) is empty, has characters"),
        (#"[{"bver":11,"n":"d:x","v":1}]"#, "the version (bver) of the pack is later than 10"),
        (#"[{"n":"d:x","v":1,"new_":2}]"#, "must be understood, and is not"),
        (#"[{"n":"d:x","v":"1"}]"#, "a value of another type"),
        (#"[{"n":"d:x","vs":"1"}]"#, "field x: the value is not a number"),
        (#"{"n":"d:x","v":1}"#, "unexpected character"),
        (#"[{"n":"d:x","v":1}"#, "the input ends within a sample"), ("[]", "there are no samples"),
        (#"[{"n":"d:x","v":1}] 2"#, "unexpected input after the samples"),
        (#"[{"n":"d:x","v":1e400}]"#, "not finite"),
        (#"[{"bv":1e308,"n":"d:x","v":1e308}]"#, "not finite"),
        (#"[{"n":"d:x","t":1e30,"v":1}]"#, "out of range"),
    ])
    func `other packs are refused by name`(pack: String, words: String) {
        #expect(Self.fault(pack, [Field("x", unit: "m")]).contains(words))
    }

    @Test func `a time without all fields is refused with its first record`() {
        let fields = [Field("x", unit: "m"), Field("y", unit: "m")]
        #expect(
            Self.fault(
                #"[{"n":"d:x","v":1},{"n":"d:x","t":1,"v":1},{"n":"d:y","v":1}]"#, fields)
                == "422 line 1, record 2, field y: the field is missing")
    }

    @Test func `members that SenML does not have are ignored`() throws {
        let samples = try Self.samples(
            #"[{"n":"d:x","v":1,"l":[{"href":"a"},null,true],"ut":5,"other":"\"]"}]"#,
            [Field("x", unit: "m")])
        #expect(samples == [Sample(time: Self.now, values: [.number(1)])])
    }

    @Test func `written samples are restored, and all their units are of SenML`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix(state: seed)
        let units = ["Cel", "hPa", "By/s", "uSv/h", "{step}", "deg", "kW.h", "ms"]
        let fields =
            units.enumerated().map { Field("f\($0.offset)", unit: $0.element) } + [
                Field("whole", unit: "1", kind: .integer), Field("note", kind: .text),
            ]
        for _ in 0..<50 {
            var batch = SampleBatch(of: fields)
            for row in 0..<Int64.random(in: 1...20, using: &random) {
                let numbers = units.map { _ in
                    Value.number(Double.random(in: -1e6...1e6, using: &random))
                }
                let time =
                    1_700_000_000_000_000 + row * 1_000_000
                    + Int64.random(in: 0..<1_000_000, using: &random)
                batch.append(
                    Sample(
                        time: Timestamp(microseconds: time),
                        values: numbers + [
                            .integer(Int64.random(in: .min ... .max, using: &random)),
                            .text(
                                ["", "a\"b\\\n", "ü\u{2028}"].randomElement(using: &random) ?? ""),
                        ]))
            }
            var writer = SampleWriter(.senml, fields: fields, of: "room.attic")
            writer.begin()
            writer.write(batch, rows: batch.indices)
            writer.end()
            let bytes = writer.take { Array($0) }
            let piece = Int.random(in: 1...4096, using: &random)
            let read = try TestParser.samples(bytes, .senml, of: fields, piece: piece)
            #expect(read.times == batch.times, "seed \(seed)")
            #expect(read.columns.suffix(2) == batch.columns.suffix(2), "seed \(seed)")
            for row in batch.indices {
                for (old, new) in zip(batch[row].values, read[row].values) {
                    guard let old = old.double, let new = new.double else { continue }
                    #expect(abs(old - new) <= 1e-9 * max(1, abs(old)), "seed \(seed)")
                }
            }
        }
    }

    @Test func `a pack is written with one base time for each sample`() {
        let fields = [Field("level", unit: "%"), Field("mood", kind: .state)]
        let batch = SampleBatch(
            times: [
                Timestamp(microseconds: 1_700_000_000_250_000),
                Timestamp(microseconds: 1_700_000_001_000_000),
            ], columns: [.numbers([40, 41.5]), .texts(["on", "off"])])
        var writer = SampleWriter(.senml, fields: fields, of: "tank")
        writer.begin()
        writer.write(batch, rows: batch.indices)
        writer.end()
        let text = writer.take { String(decoding: $0, as: UTF8.self) }
        #expect(
            text == #"[{"bn":"tank/","bt":1700000000.250000,"n":"level","u":"%","v":40.0},"#
                + #"{"n":"mood","vs":"on"},{"bt":1700000001,"n":"level","u":"%","v":41.5},"#
                + #"{"n":"mood","vs":"off"}]"#)
    }
}
