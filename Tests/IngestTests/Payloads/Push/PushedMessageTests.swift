import Samples
import TestSupport
import Testing

@testable import Ingest

struct PushedMessageTests {
    private static func fault(_ bytes: [UInt8]) -> PushFault.Code? {
        do throws(PushFault) {
            _ = try SensorLoggerReader.content(bytes, of: "ann")
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        arguments: [
            "", " ", "{", "[", "[]", "7", "null", #"{"payload":{}}"#, #"{"payload":[}"#,
            #"{"payload":[]"#, #"{"payload":[]}x"#, #"{"payload":[,]}"#, #"{"payload":[1,]}"#,
            #"{"payload":[1 2]}"#, #"{payload:[]}"#, #"{"payload" []}"#, #"{"payload":[01]}"#,
            #"{"payload":[1.]}"#, #"{"payload":[.5]}"#, #"{"payload":[+1]}"#, #"{"payload":[-]}"#,
            #"{"payload":[1e]}"#, #"{"payload":[NaN]}"#, #"{"payload":[nul]}"#,
            #"{"payload":["\x"]}"#, #"{"payload":["\u12"]}"#, #"{"payload":["\ud800"]}"#,
            #"{"payload":["\udc00"]}"#, #"{"payload":["\ud800\u0041"]}"#, #"{"payload":["a]}"#,
            "{\"payload\":[\"\n\"]}", #"{"payload":[],"payload":[]}"#,
            #"{"payload":[{"name":"light","name":"light","time":1,"values":{"lux":1}}]}"#,
            #"{"payload":[{"name":"light","time":1,"values":{"lux":1e999}}]}"#,
            #"{"payload":[1\#(String(repeating: "0", count: 200))]}"#,
            #"{"payload":\#(String(repeating: "[", count: 17))\#(String(repeating: "]", count: 17))}"#,
        ])
    func `an invalid message is rejected`(text: String) {
        #expect(Self.fault(Array(text.utf8)) == .malformed)
    }

    @Test func `invalid UTF-8 is rejected`() {
        #expect(Self.fault(Array(#"{"payload":[],"x":""#.utf8) + [0xFF, 0x22, 0x7D]) == .malformed)
    }

    @Test(
        arguments: [
            "[\"" + String(repeating: "x", count: 8 << 20) + "\"]"
        ])
    func `a body that is too large is rejected`(list: String) {
        #expect(Self.fault(Array((#"{"payload":"# + list + "}").utf8)) == .tooLarge)
    }

    @Test func `random bytes do not trap and give valid readings only`() throws {
        let seed = UInt64.random(in: 1 ... .max)
        print("seed \(seed)")
        var random = SplitMix(state: seed)
        let messages = [
            #"{"payload":[{"name":"location","time":1698501144401740000,"values":{"latitude":1.5,"#
                + #""longitude":-2e1,"speed":null}},{"name":"pedometer","time":1,"values":{"steps"#
                + #"":3}},{"name":"batt\u00e9ry","time":-1,"values":{"batteryState":"full"}}]}"#,
            #"{"_type":"location","lat":1,"lon":2,"tst":1698501144,"batt":5,"bs":2,"vel":10}"#,
            #"{"locations":[{"geometry":{"coordinates":[1,2]},"properties":{"speed":3,"timestamp":"#
                + #""2015-10-01T08:00:00-0700","battery_level":0.5}}]}"#,
            #"{"location":{"timestamp":"2025-05-16T16:10:37.684Z","coords":{"latitude":1,"longitude"#
                + #"":2,"speed":3},"battery":{"level":0.5,"is_charging":true}}}"#,
            "weather,room=a\\ b t=1.5,n=3i,u=4u,s=\"x\\\"y\",on=t 1698501144401740000\n# c\nb f=1\n",
        ].map { Array($0.utf8) }
        let pieces = messages.flatMap { $0 }
        for _ in 0..<20_000 {
            var bytes = messages.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
                let index = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes[index] = .random(in: .min ... .max, using: &random)
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(pieces.randomElement(using: &random) ?? 0, at: index)
                case 3: bytes.removeSubrange(index...)
                default: bytes += bytes[index...].prefix(40)
                }
            }
            Self.read(bytes)
        }
    }

    /// Parses bytes with every reader; the readings must be valid for a store.
    private static func read(_ bytes: [UInt8]) {
        let arrival = Timestamp(microseconds: 1_698_501_144_401_740)
        let phone = [
            try? SensorLoggerReader.content(bytes, of: "ann"),
            try? OwnTracksReader.content(bytes, of: "ann"),
            try? OverlandReader.content(bytes, of: "ann"),
            try? OsmAndReader.content(bytes, of: "ann"),
        ].compactMap { $0 }
        for pushed in phone.flatMap(\.readings) {
            let declared = PhoneSensor.all.first { $0.id(of: "ann") == pushed.sensor }
            guard let fields = declared?.fields else {
                Issue.record("\(pushed.sensor) is not a sensor of the phone")
                continue
            }
            guard let sample = try? pushed.reading.sample(of: fields, arrival: arrival) else {
                continue
            }
            #expect(zip(sample.values, fields).allSatisfy { $0.fits($1.kind) })
        }
        guard let lines = try? LineProtocolReader.content(bytes) else { return }
        for point in lines.points {
            #expect(!point.reading.values.isEmpty)
            #expect(point.sensors.count <= point.tags.count + 1)
            #expect(point.reading.values.values.allSatisfy { $0.double?.isFinite ?? true })
        }
    }
}
