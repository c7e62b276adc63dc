import Auth
import Foundation
import Samples
import Testing
import Text

@testable import Provider

/// Phones that push, represented by the real `curl`.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Curl.isInstalled))
struct PhonePushTests {
    private static let logger = "/api/v1/push/sensor-logger"
    private static let tracks = "/api/v1/push/owntracks"
    private static let time: Int64 = 1_698_501_144_401_740_000

    private static func bearer(_ token: String) -> [String] {
        ["-H", "Content-Type: application/json", "-H", "Authorization: Bearer \(token)"]
    }

    private static func item(_ name: String, _ values: String, after milliseconds: Int64 = 0)
        -> String
    {
        #"{"name":"\#(name)","time":\#(time + milliseconds * 1_000_000),"values":{\#(values)}}"#
    }

    private static func message(_ items: [String]) -> [UInt8] {
        Array(
            #"{"messageId":3,"sessionId":"s","deviceId":"d","payload":[\#(items.joined(separator: ","))]}"#
                .utf8)
    }

    @Test
    func
        `acceleration and steps of one message are stored for their sensors, in UTC`()
        async throws
    {
        try await ServedHost.with { host async throws in
            let token = try await host.addPhone("ann")
            let pushed = try await Curl(
                host, Self.logger, Self.bearer(token),
                body: Self.message([
                    Self.item("accelerometer", #""z":-0.25,"y":0.5,"x":1"#),
                    Self.item("accelerometer", #""z":0.125,"y":0,"x":-2"#, after: 10),
                    Self.item("pedometer", #""steps":12"#),
                    Self.item("wifi", #""ssid":"home""#),
                ]))
            #expect(pushed.status == 200, "\(pushed.answer.text)")
            let json = try pushed.answer.json()
            #expect(json["accepted"]?.number?.int64 == 3)
            #expect(json["refused"]?.array?.isEmpty == true)
            #expect(json["dropped"]?["unknown-name"]?.number?.int64 == 1)
            #expect(
                try await host.stored("accelerometer.ann") == [
                    "1698501144401.740,1.0,0.5,-0.25", "1698501144411.740,-2.0,0.0,0.125",
                ])
            #expect(try await host.stored("steps.ann") == ["1698501144401.740,12"])
            let sensor = try await host.send(
                Call("GET", "/api/v1/sensors/accelerometer.ann", token: host.owner))
            let units = try sensor.json()["fields"]?.array?.compactMap { $0["unit"]?.string }
            #expect(units == ["m/s2", "m/s2", "m/s2"])
        }
    }

    @Test func `three phones can be used`() async throws {
        try await ServedHost.with { host async throws in
            let names = ["left-wrist", "right-wrist", "hip"]
            for (place, name) in names.enumerated() {
                let token = try await host.addPhone(name, kinds: ["accelerometer"])
                let pushed = try await Curl(
                    host, Self.logger, Self.bearer(token),
                    body: Self.message([
                        Self.item("accelerometer", #""x":\#(place),"y":0,"z":0"#)
                    ]))
                #expect(pushed.status == 200, "\(pushed.answer.text)")
            }
            for (place, name) in names.enumerated() {
                #expect(
                    try await host.stored("accelerometer.\(name)") == [
                        "1698501144401.740,\(place).0,0.0,0.0"
                    ])
            }
        }
    }

    @Test func `a repeated message is stored once`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.addPhone("ann", kinds: ["light"])
            let first = Self.message([Self.item("light", #""lux":5"#)])
            let second = Self.message([Self.item("light", #""lux":5"#, after: 1)])
            for body in [first, first, second, first] {
                let pushed = try await Curl(host, Self.logger, Self.bearer(token), body: body)
                #expect(pushed.status == 200, "\(pushed.answer.text)")
                #expect(try pushed.answer.json()["accepted"]?.number?.int64 == 1)
            }
            #expect(
                try await host.stored("light.ann") == [
                    "1698501144401.740,5.0", "1698501144402.740,5.0",
                ])
        }
    }

    @Test func `readings without a grant are refused, and the others are stored`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.addPhone("ann", kinds: ["light", "gravity"])
            try await host.decide(.deny, "sensor:gravity.ann:write", by: "ann")
            let pushed = try await Curl(
                host, Self.logger, Self.bearer(token),
                body: Self.message([
                    Self.item("gravity", #""x":0,"y":0,"z":9"#),
                    Self.item("light", #""lux":5"#), Self.item("light", "", after: 1),
                    Self.item("microphone", #""dBFS":-40"#),
                ]))
            #expect(pushed.status == 200)
            let json = try pushed.answer.json()
            #expect(json["accepted"]?.number?.int64 == 1)
            #expect(json["dropped"]?["incomplete"]?.number?.int64 == 1)
            let refused = (json["refused"]?.array ?? []).map {
                "\($0["sensor"]?.string ?? "") \($0["code"]?.string ?? "")"
            }
            #expect(refused == ["gravity.ann denied", "noise.ann undecided"])
            #expect(try await host.stored("light.ann") == ["1698501144401.740,5.0"])
            #expect(try await host.stored("gravity.ann").isEmpty)
            let lines = try await host.authority.log.entries(AccessLogQuery(client: "ann"))
            #expect(lines.contains { $0.operation == "publish" && $0.sensor == "light.ann" })
            #expect(lines.contains { $0.kind == .refusal && $0.sensor == "gravity.ann" })
        }
    }

    @Test func `a phone cannot publish as another one`() async throws {
        try await ServedHost.with { host async throws in
            _ = try await host.addPhone("ben", kinds: ["light"])
            let token = try await host.addPhone("ann", kinds: ["light"])
            let body = Self.message([Self.item("light", #""lux":5"#)])
            let pushed = try await Curl(
                host, Self.logger + "?device=ben", Self.bearer(token), body: body)
            #expect(pushed.status == 403)
            #expect(pushed.answer.code == "undecided")
            #expect(try await host.stored("light.ben").isEmpty)
        }
    }

    @Test func `a location of OwnTracks uses Basic authentication, and the response is a list`()
        async throws
    {
        try await ServedHost.with { host async throws in
            let token = try await host.addPhone("ann", kinds: ["location", "battery"])
            let body =
                #"{"_type":"location","lat":52.52,"lon":13.405,"acc":12,"alt":34,"vel":36,"cog":270,"#
                + #""batt":87,"bs":2,"tst":1698501144,"tid":"an"}"#
            let pushed = try await Curl(
                host, Self.tracks,
                ["-H", "Content-Type: application/json", "-u", "anyone:\(token)"],
                body: Array(body.utf8))
            #expect(pushed.status == 200, "\(pushed.answer.text)")
            #expect(pushed.answer.text == "[]")
            #expect(
                try await host.stored("location.ann") == [
                    "1698501144000,52.52,13.405,34.0,12.0,10.0,270.0"
                ])
            #expect(try await host.stored("battery.ann") == [#"1698501144000,87.0,"charging""#])
        }
    }

    @Test(
        arguments: [
            (#"{"_type":"lwt","tst":1}"#, "other-type=1"), ("", "other-type=1"),
            (#"{"_type":"location","lat":1,"tst":3}"#, "incomplete=1"),
            (#"{"_type":"location","lat":1,"lon":2,"alt":0,"tst":9e9}"#, "time=1"),
        ])
    func `other messages of OwnTracks are accepted and counted`(
        body: String, dropped: String
    ) async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.addPhone("ann", kinds: ["location"])
            let pushed = try await Curl(
                host, Self.tracks, Self.bearer(token), body: Array(body.utf8))
            #expect(pushed.status == 200, "\(pushed.answer.text)")
            #expect(pushed.answer.text == "[]")
            #expect(pushed.answer["nervous-dropped"] == dropped)
            #expect(try await host.stored("location.ann").isEmpty)
        }
    }

    @Test func `an undeclared battery does not affect the location`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.addPhone("ann", kinds: ["location"])
            let body = #"{"_type":"location","lat":1,"lon":2,"alt":3,"tst":4,"batt":5}"#
            let pushed = try await Curl(
                host, Self.tracks, Self.bearer(token), body: Array(body.utf8))
            #expect(pushed.status == 200)
            #expect(pushed.answer["nervous-refused"] == "battery.ann")
            #expect(try await host.stored("location.ann").count == 1)
        }
    }
}

/// The protocols of trackers, represented by the real `curl`.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Curl.isInstalled))
struct TrackerPushTests {
    private static let position = "1698501144000,52.52,13.405,34.0,12.0,10.0,270.0"
    private static let query =
        "lat=52.52&lon=13.405&timestamp=1698501144&altitude=34&accuracy=12&speed=10&speedUnit=m/s"
        + "&bearing=270&batt=87&charge=true"

    private static func isStored(
        _ answer: Answer, _ host: ServedHost
    ) async throws {
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await host.stored("location.ann") == [position])
        #expect(try await host.stored("battery.ann") == [#"1698501144000,87.0,"charging""#])
    }

    @Test(arguments: ["GET", "POST"])
    func `parameters of the URL become a location and a battery`(method: String) async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.addPhone("ann", kinds: ["location", "battery"])
            let pushed = try await Curl(
                host, "/api/v1/push/osmand?id=7&" + Self.query,
                ["-X", method, "-u", "ann:\(token)", "-H", "Content-Type:"], body: [])
            try await Self.isStored(pushed.answer, host)
        }
    }

    /// The custom URL of GPSLogger with the values of the app in place of its names.
    @Test func `a form is read like the parameters of a URL`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.addPhone("ann", kinds: ["location", "battery"])
            let pushed = try await Curl(
                host, "/api/v1/push/osmand", ["-H", "Authorization: Bearer \(token)"],
                body: Array(Self.query.utf8))
            try await Self.isStored(pushed.answer, host)
        }
    }

    @Test func `the custom URL of GPSLogger in the documentation works`() async throws {
        let page = URL(filePath: #filePath)
            .appending(path: "../../../../docs/sending-from-a-phone.md").standardizedFileURL
        let text = try String(contentsOf: page, encoding: .utf8)
        let match = try #require(text.firstMatch(of: /push\/osmand\?(lat=%LAT\S+)/))
        let query = [
            ("%LAT", "52.52"), ("%LON", "13.405"), ("%TIMESTAMP", "1698501144"), ("%ALT", "34"),
            ("%ACC", "12"), ("%SPD", "10"), ("%DIR", "270"), ("%BATT", "87"),
            ("%ISCHARGING", "true"),
        ].reduce(String(match.1)) { $0.replacing($1.0, with: $1.1) }
        try await ServedHost.with { host async throws in
            let token = try await host.addPhone("ann", kinds: ["location", "battery"])
            let pushed = try await Curl(
                host, "/api/v1/push/osmand?" + query,
                ["-X", "GET", "-u", "ann:\(token)", "-H", "Content-Type:"], body: [])
            try await Self.isStored(pushed.answer, host)
        }
    }

    @Test func `Overland deletes its batch after the answer ok`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.addPhone("ann", kinds: ["location"])
            let body =
                #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":"#
                + #"[13.405,52.52]},"properties":{"timestamp":"2023-10-28T13:52:24Z","altitude":34,"#
                + #""vertical_accuracy":3,"horizontal_accuracy":12,"speed":10,"course":270,"#
                + #""battery_level":0.87,"battery_state":"charging"}},{"type":"Feature","#
                + #""geometry":null,"properties":{"type":"trip"}}]}"#
            let pushed = try await Curl(
                host, "/api/v1/push/overland",
                ["-H", "Content-Type: application/json", "-H", "Authorization: Bearer \(token)"],
                body: Array(body.utf8))
            #expect(pushed.status == 200, "\(pushed.answer.text)")
            #expect(pushed.answer.text == #"{"result":"ok"}"#)
            #expect(pushed.answer["nervous-dropped"] == "other-type=1")
            #expect(pushed.answer["nervous-refused"] == "battery.ann")
            #expect(try await host.stored("location.ann") == [Self.position])
        }
    }
}
