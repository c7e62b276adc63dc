import Auth
import Foundation
import Samples
import Testing
import Text

@testable import Provider

/// SensorThings over HTTP.
@Suite(.timeLimit(.minutes(10)))
struct SensorThingsRouteTests {
    private static let attic = "Datastreams('temperature.attic:temperature')"

    private static func get(
        _ host: ServedHost, _ path: String, token: String? = nil
    ) async throws -> Answer {
        let target =
            path.hasPrefix("http")
            ? String(path.dropFirst("http://localhost:\(host.port)".count))
            : "/sensorthings/v1.1" + (path.isEmpty ? "" : "/" + path)
        return try await host.send(
            Call(
                "GET", target.replacing(" ", with: "%20").replacing("'", with: "%27"),
                token: token ?? host.owner))
    }

    private static func values(_ answer: Answer) throws -> [JSONValue] {
        try answer.json()["value"]?.array ?? []
    }

    private static func ids(_ answer: Answer) throws -> [String] {
        try values(answer).compactMap { $0["@iot.id"]?.string }
    }

    /// All Observations, page by page, as rows of the native route with one field.
    private static func observations(
        _ host: ServedHost, _ path: String, token: String
    ) async throws -> [(time: Double, result: JSONValue?)] {
        var rows: [(Double, JSONValue?)] = []
        var next: String? = path
        while let target = next {
            let answer = try await get(host, target, token: token)
            guard answer.status == 200 else { return rows }
            for item in try values(answer) {
                let time = item["phenomenonTime"]?.string.flatMap { Timestamp(rfc3339: $0) }
                rows.append((Double(time?.microseconds ?? 0) / 1000, item["result"]))
            }
            next = try answer.json()["@iot.nextLink"]?.string
        }
        return rows
    }

    @Test(arguments: GrantTermCase.all)
    func `Observations are the samples that the native route shows`(
        term: GrantTermCase
    ) async throws {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            let (token, other) = (try await host.client("dialect"), try await host.client("native"))
            for client in ["dialect", "native"] { try await host.decide(term, by: client) }
            for sensor in ["temperature.attic", "temperature.cellar"] {
                let native = try await host.nativeView(of: sensor, token: other)
                for field in ["temperature", "opened", "window"] {
                    let path = "Datastreams('\(sensor):\(field)')/Observations"
                    let shown = try await Self.observations(
                        host, "\(path)?$top=250", token: token)
                    #expect(shown.map(\.time) == native.samples.map(\.time))
                    #expect(
                        shown.map { $0.result?.number?.double }
                            == native.samples.map { $0.number(field) })
                    #expect(
                        shown.map { $0.result?.string }
                            == native.samples.map { $0.values[field]?.string })
                    let refused = try await Self.get(host, path, token: token)
                    #expect(refused.code == native.codes[1])
                }
            }
            let known = try Self.ids(try await Self.get(host, "Things", token: token))
            var expected: [String] = term.shown == .nothing ? [] : ["temperature.attic"]
            if term.shown != .nothing, !term.excludesCellar {
                expected.append("temperature.cellar")
            }
            #expect(known == expected)
            let lines = try await host.accessLines(of: "dialect")
            let wanted = try await host.accessLines(of: "native")
                .filter { $0.operation == "samples" }
            #expect(lines == wanted)
        }
    }

    @Test(arguments: GrantRevocation.allCases)
    func `a revocation ends the Observations`(revocation: GrantRevocation) async throws {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            let token = try await host.client("dialect", allow: ["sensor:temperature"])
            let first = try await Self.get(host, "\(Self.attic)/Observations", token: token)
            let next = try #require(try first.json()["@iot.nextLink"]?.string)
            try await revocation.apply(to: host, client: "dialect")
            let second = try await Self.get(host, next, token: token)
            #expect(second.status == (revocation == .tokenRevoked ? 401 : 403))
        }
    }

    @Test func `the root lists the entity sets`() async throws {
        try await ServedHost.with { host in
            let answer = try await Self.get(host, "")
            let sets = try Self.values(answer).compactMap { $0["name"]?.string }
            #expect(
                sets == [
                    "Things", "Locations", "Datastreams", "Sensors", "ObservedProperties",
                    "Observations", "FeaturesOfInterest",
                ])
            for set in try Self.values(answer).compactMap({ $0["url"]?.string }) {
                #expect(try await Self.get(host, set).status == 200, "\(set)")
            }
            #expect(
                try await host.send(Call("GET", "/sensorthings/v1.1/Things")).status == 401)
            #expect(
                try await host.send(
                    Call("POST", "/sensorthings/v1.1/Things", token: host.owner, json: "{}")
                ).status == 405)
        }
    }

    @Test func `links lead from every entity to the others`() async throws {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            var seen: Set<String> = []
            var waiting = [
                "Things('temperature.attic')", "Observations?$top=3", "ObservedProperties",
            ]
            while let path = waiting.popLast() {
                let answer = try await Self.get(host, path)
                #expect(answer.status == 200, "\(path): \(answer.text)")
                let json = try answer.json()
                for entity in json["value"]?.array ?? [json] {
                    for member in entity.object ?? [] where member.key.hasSuffix("Link") {
                        guard let link = member.value.string, seen.insert(link).inserted,
                            seen.count < 60
                        else { continue }
                        waiting.append(link)
                    }
                }
            }
            #expect(seen.count >= 20)
        }
    }

    @Test func `entities are filtered, ordered, selected and expanded`() async throws {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            let filtered = try await Self.get(
                host,
                "Datastreams?$filter=Thing/properties/kind eq 'temperature' and name ne 'x'"
                    + " and unitOfMeasurement/symbol eq 'Cel'&$orderby=name desc&$count=true"
                    + "&$select=id,name&$top=1")
            let json = try filtered.json()
            #expect(json["@iot.count"]?.number?.int64 == 2)
            #expect(json["@iot.nextLink"]?.string?.contains("%24skip=1") == true)
            let spaced = try await Self.get(
                host, "Datastreams?%24filter=name+eq+'x'&$count=true")
            #expect(try spaced.json()["@iot.count"]?.number?.int64 == 0)
            let item = try #require(try Self.values(filtered).first)
            #expect(item["@iot.id"]?.string == "temperature.cellar:temperature")
            #expect(item["unitOfMeasurement"] == nil && item["Thing@iot.navigationLink"] == nil)

            let expanded = try await Self.get(
                host,
                "Things('temperature.attic')?$expand=Datastreams($filter=properties/field eq"
                    + " 'temperature';$expand=ObservedProperty,Observations($top=2;"
                    + "$orderby=phenomenonTime desc;$count=true))")
            let stream = try #require(try expanded.json()["Datastreams"]?.array?.first)
            #expect(stream["ObservedProperty"]?["@iot.id"]?.string == "temperature:temperature")
            #expect(stream["Observations"]?.array?.count == 2)
            #expect(stream["Observations@iot.count"]?.number?.int64 == 600)
            let next = try #require(stream["Observations@iot.nextLink"]?.string)
            let page = try await Self.get(host, next)
            #expect(try Self.values(page).count == 2)
            let latest = try await host.nativeView(of: "temperature.attic", token: host.owner)
            #expect(
                stream["Observations"]?.array?.first?["result"]?.number?.double
                    == latest.latest?.number("temperature"))
        }
    }

    @Test func `Observations are filtered by time and result, and written as arrays`() async throws
    {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            let native = try await host.nativeView(of: "temperature.attic", token: host.owner)
            let from = host.temperatureRange.from.advanced(by: .seconds(60))
            let filter = "phenomenonTime ge \(from) and result gt 21"
            let expected = native.samples.filter {
                $0.time >= Double(from.microseconds) / 1000
                    && ($0.number("temperature") ?? 0) > 21
            }
            let answer = try await Self.get(
                host,
                "\(Self.attic)/Observations?$filter=\(filter)&$count=true&$top=5"
                    + "&$resultFormat=dataArray&$select=result,id")
            let json = try answer.json()
            #expect(json["@iot.count"]?.number?.int64 == Int64(expected.count))
            let group = try #require(try Self.values(answer).first)
            #expect(group["components"]?.array?.compactMap(\.string) == ["id", "result"])
            #expect(group["dataArray@iot.count"]?.number?.int64 == 5)
            #expect(
                group["dataArray"]?.array?.compactMap { $0.array?.last?.number?.double }
                    == expected.prefix(5).compactMap { $0.number("temperature") })
            let id = try #require(group["dataArray"]?.array?.first?.array?.first?.string)
            let single = try await Self.get(host, "Observations('\(id)')/result/$value")
            #expect(Double(single.text) == expected.first?.number("temperature"))
        }
    }

    @Test func `Observations of all sensors are merged by time`() async throws {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            for order in ["asc", "desc"] {
                let rows = try await Self.observations(
                    host, "Observations?$orderby=phenomenonTime \(order)&$top=1000",
                    token: host.owner)
                // Two sensors with three fields each, and nothing twice.
                #expect(rows.count == 3600)
                let times = rows.map(\.time)
                #expect(times == (order == "asc" ? times.sorted() : times.sorted(by: >)))
            }
        }
    }

    @Test func `the position of a receiver is its Location`() async throws {
        try await ServedHost.with { host in
            _ = try await host.send(
                Call(
                    "PUT", "/api/v1/sensors/location.ann", token: host.owner,
                    json: """
                        {"fields": [{"name": "latitude", "unit": "deg"},
                          {"name": "longitude", "unit": "deg"}]}
                        """))
            _ = try await host.publish(
                #"{"latitude": 47.4, "longitude": 8.5}"#, to: "location.ann")
            let stats = try await host.client("stats")
            try await host.decide(.statisticsOnly, "sensor:location", by: "stats")
            let locations = try await Self.get(host, "Things('location.ann')/Locations")
            let point = try #require(try Self.values(locations).first?["location"])
            #expect(point["coordinates"]?.array?.compactMap(\.number?.double) == [8.5, 47.4])
            let hidden = try await Self.get(
                host, "Things('location.ann')/Locations", token: stats)
            #expect(try Self.values(hidden).isEmpty)
            // Observations that may not be read are left as a link.
            let expanded = try await Self.get(
                host, "Datastreams?$expand=Observations", token: stats)
            let streams = try Self.values(expanded)
            #expect(streams.count == 2)
            #expect(streams.allSatisfy { $0["Observations"] == nil })
            #expect(streams.allSatisfy { $0["Observations@iot.navigationLink"] != nil })
        }
    }

    @Test(
        arguments: [
            ("Nothing", 404), ("Things('none')", 404), ("Datastreams('cpu')", 404),
            ("Things?$filter=nothing eq 1", 400), ("Things?$top=x", 400), ("Things?$search=1", 400),
            ("Observations?$orderby=result", 400), ("Observations?$skiptoken=x", 400),
            ("Observations('x')", 404), ("Datastreams('none:x')/Observations", 404),
        ])
    func `faults have their status`(path: String, status: Int) async throws {
        try await ServedHost.with { host in
            let answer = try await Self.get(host, path)
            #expect(answer.status == status, "\(answer.text)")
            #expect(answer["content-type"] == "application/problem+json")
        }
    }
}
