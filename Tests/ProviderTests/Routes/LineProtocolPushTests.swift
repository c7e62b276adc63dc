import Auth
import Foundation
import Samples
import TestSupport
import Testing
import Text

@testable import Provider

/// Clients of InfluxDB, represented by the real `curl`.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Curl.isInstalled))
struct LineProtocolPushTests {
    private static let first = "/api/v1/push/influx/write?db=x&precision=s"
    private static let second = "/api/v1/push/influx/api/v2/write?bucket=x&org=y&precision=s"
    private static let fields = [("temperature", "number"), ("wet", "state")]

    /// The token of a client that may publish to some declared sensors.
    private static func client(_ host: ServedHost, _ sensors: [String]) async throws -> String {
        for sensor in sensors { try await host.declareSensor(sensor, fields: fields) }
        return try await host.client("telegraf", allow: sensors.map { "sensor:\($0):write" })
    }

    private static func push(
        _ host: ServedHost, _ path: String, _ token: String, _ lines: String
    ) async throws -> Answer {
        try await Curl(
            host, path, ["-H", "Authorization: Token \(token)"], body: Array(lines.utf8)
        ).answer
    }

    @Test(arguments: [first, second])
    func `lines are stored as samples of the sensor that a tag or the measurement names`(
        path: String
    ) async throws {
        try await ServedHost.with { host async throws in
            let token = try await Self.client(host, ["weather", "weather.kitchen"])
            let answer = try await Self.push(
                host, path, token,
                """
                weather,host=pc,room=kitchen temperature=21.5,wet=f,more=1 1698501144
                weather,room=attic temperature=3i,wet="so so" 1698501145
                # nothing

                """)
            #expect(answer.status == 204, "\(answer.text)")
            #expect(answer.body.isEmpty)
            #expect(try await host.stored("weather.kitchen") == [#"1698501144000,21.5,"false""#])
            #expect(try await host.stored("weather") == [#"1698501145000,3.0,"so so""#])
        }
    }

    @Test(arguments: [first, second])
    func `an invalid line is reported, and valid ones are stored`(path: String) async throws {
        try await ServedHost.with { host async throws in
            let token = try await Self.client(host, ["weather"])
            let answer = try await Self.push(
                host, path, token,
                """
                weather temperature=1,wet=f 1
                weather temperature=
                weather temperature=2 2
                other temperature=2 2
                weather temperature=3,wet=t 3
                """)
            #expect(answer.status == 400)
            let json = try answer.json()
            #expect(json["code"]?.string == "partial-write")
            #expect(json["accepted"]?.number?.int64 == 2)
            #expect(json["dropped"]?.number?.int64 == 3)
            let lines = (json["lines"]?.array ?? []).compactMap { $0["line"]?.number?.int64 }
            #expect(lines == [2, 3, 4])
            let message = json["message"]?.string ?? ""
            #expect(message.hasPrefix("partial write: line 2: "))
            #expect(json["error"]?.string == message)
            #expect(
                try await host.stored("weather") == [#"1000,1.0,"false""#, #"3000,3.0,"true""#])
        }
    }

    @Test func `sensors without a grant are not revealed`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await Self.client(host, ["weather.kitchen"])
            try await host.declareSensor("weather.secret", fields: Self.fields)
            var answers: [String] = []
            for room in ["secret", "none"] {
                let answer = try await Self.push(
                    host, Self.second, token, "weather,room=\(room) temperature=1,wet=f 1")
                #expect(answer.status == 403)
                answers.append(answer.text)
            }
            #expect(answers[0] == answers[1])
            #expect(try await host.stored("weather.secret").isEmpty)
        }
    }

    @Test func `sensors that the host reads cannot be written`() async throws {
        try await ServedHost.with { host async throws in
            let answer = try await Self.push(
                host, Self.second, host.owner, "gauge level=1,total=1i,state=\"x\",note=\"y\"")
            #expect(answer.status == 409)
            #expect(answer.code == "sensor-collected")
        }
    }

    @Test func `a body has at most 64 sensors, and lines beyond are reported`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await Self.client(host, ["weather"])
            let line = "weather temperature=1,wet=f 1\n"
            let others = (1...64).map { "other\($0) f=1 1\n" }
            let within = try await Self.push(
                host, Self.second, token, (others.dropLast() + [line]).joined())
            #expect(within.status == 400)
            #expect(try within.json()["dropped"]?.number?.int64 == 63)
            #expect(try await host.stored("weather").count == 1)
            let beyond = try await Self.push(
                host, Self.second, token, (others + [line]).joined())
            let named = try #require(try beyond.json()["lines"]?.array?.last)
            #expect(named["line"]?.number?.int64 == 65)
            #expect(named["reason"]?.string == "the body contains too many sensors")
            #expect(try await host.stored("weather").count == 1)
        }
    }

    @Test func `a line without a time is stored at the current time, each time`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await Self.client(host, ["weather"])
            for _ in 1...2 {
                let answer = try await Self.push(
                    host, Self.second, token, "weather temperature=1,wet=f")
                #expect(answer.status == 204)
            }
            #expect(try await host.stored("weather").count == 2)
        }
    }

    @Test func `a body may be compressed with gzip`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await Self.client(host, ["weather"])
            let packed = try await gzipped(Array("weather temperature=1,wet=f 1\n".utf8))
            func push(_ body: [UInt8], as coding: String = "gzip") async throws -> Answer {
                try await Curl(
                    host, Self.first,
                    ["-H", "Authorization: Token \(token)", "-H", "Content-Encoding: \(coding)"],
                    body: body
                ).answer
            }
            #expect(try await push(packed).status == 204)
            #expect(try await host.stored("weather") == [#"1000,1.0,"false""#])
            let wrongs: [[UInt8]] = [packed.dropLast(), packed + [0], Array("weather".utf8), []]
            for wrong in wrongs {
                let answer = try await push(wrong)
                #expect(answer.status == 400, "\(wrong.count)")
            }
            let other = try await push(packed, as: "deflate")
            #expect(other.status == 415)
            let fits = [UInt8](repeating: 0x0A, count: 8 << 20)
            #expect(try await push(gzipped(fits)).status == 204)
            let bomb = try await push(gzipped(fits + [0x0A]))
            #expect(bomb.status == 413)
        }
    }
}
