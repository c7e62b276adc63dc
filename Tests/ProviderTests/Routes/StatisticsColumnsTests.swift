import API
import Auth
import Foundation
import Ingest
import Samples
import Testing
import Text
import VM

/// Statistics of several sensors, and as bytes.
struct StatisticsColumnsTests {
    private static func fill(_ host: ServedHost) async {
        for number in 0..<4 {
            let time = Timestamp(microseconds: Int64(number) * 10_000_000)
            await host.gauge(Double(number), at: time)
            if number < 2 {
                await host.collect("networking", [.number(Double(number) / 4)], at: time)
            }
        }
    }

    private static func stats(
        _ host: ServedHost, _ query: String, token: String? = nil
    ) async throws -> Answer {
        try await host.send(Call("GET", "/api/v1/stats?\(query)", token: token ?? host.owner))
    }

    @Test func `several sensors are answered as columns`() async throws {
        try await ServedHost.with { host async throws in
            await Self.fill(host)
            let answer = try await Self.stats(
                host, "of=gauge:level&of=networking&from=0&to=40000&every=20s&fn=mean,max,count")
            #expect(
                answer.text == """
                    {"from":0,"every":20000,"items":[\
                    {"sensor":"gauge","fields":[{"kind":"number","name":"level","unit":"%"}],\
                    "from":[0,20000],"to":40000,\
                    "level":{"mean":[0.5,2.5],"max":[1,3],"count":[2,2]}},\
                    {"sensor":"networking","fields":[{"kind":"number","name":"rate","unit":"By/s"}],\
                    "from":[0,20000],"to":40000,\
                    "rate":{"mean":[0.125,null],"max":[0.25,null],"count":[2,0]}}]}
                    """)
            let columns = try JSONDecoder().decode(
                StatisticsColumns.self, from: Data(answer.body))
            #expect(columns.every == 20000)
            #expect(columns.items.map(\.sensor) == ["gauge", "networking"])
            #expect(columns.items[0].columns["level"]?["mean"] == [0.5, 2.5])
            #expect(columns.items[1].columns["rate"]?["max"] == [0.25, nil])
        }
    }

    @Test func `digits rounds statistics, and leaves times and whole numbers as they are`()
        async throws
    {
        try await ServedHost.with { host async throws in
            for (number, level) in [1.0 / 3, -200.0 / 3, 1e-7 / 3, 2e9 / 3, 0, 5].enumerated() {
                await host.gauge(
                    level, at: Timestamp(microseconds: Int64(number) * 10_000_000 + 123))
            }
            let answer = try await Self.stats(
                host, "of=gauge:level&from=0.123&to=60000.123&every=10s&fn=mean,count&digits=3")
            #expect(answer.status == 200)
            #expect(
                answer.text.contains(
                    #""from":[0.123,10000.123,20000.123,30000.123,40000.123,50000.123]"#))
            #expect(
                answer.text.contains(
                    #""mean":[0.333,-66.7,3.33e-08,667000000,0,5],"count":[1,1,1,1,1,1]"#))
            let all = try await Self.stats(
                host, "of=gauge:level&from=0&to=10000&every=10s&fn=mean&digits=17")
            #expect(all.text.contains(#""mean":[0.3333333333333333]"#))
        }
    }

    @Test func `the columns have the numbers of the windows of each sensor`() async throws {
        try await ServedHost.with { host async throws in
            await Self.fill(host)
            let query = "every=10s&fn=mean,stddev,p95,min&from=0&to=60000"
            let columns = try JSONDecoder().decode(
                StatisticsColumns.self,
                from: Data(try await Self.stats(host, "of=gauge&of=networking&\(query)").body))
            for item in columns.items {
                let single = try await host.send(
                    Call("GET", "/api/v1/sensors/\(item.sensor)/stats?\(query)", token: host.owner))
                let windows = try JSONDecoder().decode(
                    StatisticsAnswer.self, from: Data(single.body))
                #expect(item.from == windows.items.map(\.from))
                #expect(item.to == windows.items.last?.to)
                for field in windows.fields {
                    for name in windows.fn {
                        let expected = windows.items.map { $0.values[field.name]?[name] ?? nil }
                        #expect(
                            item.columns[field.name]?[name] == expected, "\(field.name) \(name)")
                    }
                }
            }
        }
    }

    @Test func `each sensor is checked and recorded for itself`() async throws {
        try await ServedHost.with { host async throws in
            await Self.fill(host)
            let token = try await host.client(allow: ["sensor:gauge"])
            let answer = try await Self.stats(
                host, "of=networking&of=gauge:level&of=gauge:none&from=0&to=40000&fn=mean",
                token: token)
            #expect(answer.status == 200)
            let columns = try JSONDecoder().decode(StatisticsColumns.self, from: Data(answer.body))
            #expect(columns.items.map(\.sensor) == ["networking", "gauge", "gauge"])
            #expect(
                columns.items.map { $0.problem?.code } == ["undecided", nil, "unknown-field"])
            #expect(columns.items[1].columns["level"]?["mean"] == [1.5])
            let lines = try await host.authority.log.entries(AccessLogQuery(client: "curl"))
                .filter { $0.operation == "stats" }
            #expect(lines.contains { $0.sensor == "gauge" && $0.count == 4 })
            #expect(lines.contains { $0.sensor == "networking" && $0.outcome == .refused })
        }
    }

    @Test func `an asterisk selects the main fields of what the client may read`() async throws {
        try await ServedHost.with { host async throws in
            await Self.fill(host)
            try await host.declareSensor("disk.test", numbers: "readRate", "writeRate")
            let token = try await host.client(
                allow: ["sensor:gauge:stats", "sensor:disk.test"])
            func answer(to token: String?) async throws -> [String: [String]] {
                let answer = try await Self.stats(host, "of=*&fn=mean", token: token)
                let columns = try JSONDecoder().decode(
                    StatisticsColumns.self, from: Data(answer.body))
                #expect(columns.items.allSatisfy { $0.problem == nil })
                return Dictionary(
                    columns.items.map { ($0.sensor, $0.fields.map(\.name)) }
                ) { $1 }
            }
            let own = try await answer(to: token)
            #expect(own == ["gauge": ["level"], "disk.test": ["writeRate"]])
            let all = try await answer(to: nil)
            #expect(all.count > 2 && all["gauge"] == ["level"])
            // A sensor that is not available, and one that is off.
            #expect(all["battery"] == nil)
            try await host.machine.setLevel(.off, of: "disk.test")
            #expect(try await answer(to: token) == ["gauge": ["level"]])
            #expect(try await Self.stats(host, "of=*&of=gauge").status == 400)
        }
    }

    @Test func `fields with the name of a member of the answer are in values`() async throws {
        try await ServedHost.with { host async throws in
            try await host.declareSensor("walk", numbers: "from", "x")
            try await host.feedSensor(#"{"t": 1000, "from": 2, "x": 3}"#, to: "walk")
            let answer = try await Self.stats(host, "of=walk&fn=sum&from=0&to=2000")
            let item = try #require(try answer.json()["items"]?.array?.first)
            #expect(item["x"]?["sum"]?.array?.first?.number?.double == 3)
            #expect(item["values"]?["from"]?["sum"]?.array?.first?.number?.double == 2)
            let columns = try JSONDecoder().decode(StatisticsColumns.self, from: Data(answer.body))
            #expect(columns.items[0].columns == ["x": ["sum": [3]], "from": ["sum": [2]]])
        }
    }

    @Test func `wrong parameters are rejected`() async throws {
        try await ServedHost.with { host async throws in
            let many = (0..<33).map { _ in "of=gauge" }.joined(separator: "&")
            for query in [
                "", many, "of=", "of=gauge:", "of=gauge:a,a", "of=No!", "of=gauge&fields=level",
                "of=gauge&where=level%3E1", "of=gauge&every=x", "of=gauge&from=x",
                "of=gauge&digits=0", "of=gauge&digits=18", "of=gauge&digits=x",
            ] {
                #expect(try await Self.stats(host, query).status == 400, "\(query)")
            }
            #expect(try await Self.stats(host, "of=gauge&fn=x").code == "unknown-function")
            let refused = try await host.send(Call("GET", "/api/v1/stats?of=gauge"))
            #expect(refused.status == 401)
        }
    }

    @Test func `an answer has at most a million numbers`() async throws {
        try await ServedHost.with { host async throws in
            await Self.fill(host)
            let many = (0..<16).map { "p\($0)~" }.joined(separator: ",")
            let answer = try await Self.stats(
                host,
                "\((0..<5).map { _ in "of=gauge" }.joined(separator: "&"))"
                    + "&fn=\(many)&every=4ms&from=0&to=40000")
            let columns = try JSONDecoder().decode(StatisticsColumns.self, from: Data(answer.body))
            // 10 000 windows of 2 fields and 16 statistics.
            #expect(
                columns.items.map { $0.problem?.code }
                    == [nil, nil, nil, "too-many-windows", "too-many-windows"])
        }
    }

    @Test func `the windows of a sensor are available as bytes`() async throws {
        try await ServedHost.with { host async throws in
            await Self.fill(host)
            let call = Call(
                "GET",
                "/api/v1/sensors/networking/stats?every=20s&fn=mean,max&from=0&to=40000",
                token: host.owner,
                headers: [("Accept", "application/vnd.nervous.columns, */*;q=0.5")])
            let answer = try await host.send(call)
            #expect(answer["content-type"] == "application/vnd.nervous.columns")
            #expect(answer["vary"] == "Accept")
            let body = answer.body
            #expect(Array(body.prefix(6)) == Array("NVC".utf8) + [1, 2, 0])
            let names = body.dropFirst(18).prefix(2 + 9 + 2 + 8)
            #expect(
                Array(names) == [0, 9] + Array("rate.mean".utf8) + [0, 8] + Array("rate.max".utf8))
            let words = body.dropFirst(18 + names.count)
            #expect(words.count == 6 * 8)
            func word(_ place: Int) -> UInt64 {
                words.dropFirst(place * 8).prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
            }
            #expect([word(0), word(1)] == [0, 20_000_000])
            #expect(Double(bitPattern: word(2)) == 0.125)
            #expect(Double(bitPattern: word(3)).isNaN)
            #expect(Double(bitPattern: word(4)) == 0.25)
        }
    }
}
