import Samples
import Testing

@testable import Ingest

struct MetricsReaderTests {
    private static func content(_ metrics: String) throws -> MetricsContent {
        try MetricsReader.content(
            Array(
                #"""
                {"resourceMetrics": [{"resource": {"attributes": [
                  {"key": "host.name", "value": {"stringValue": "attic"}},
                  {"key": "process.pid", "value": {"intValue": "17"}},
                  {"key": "list", "value": {"arrayValue": {"values": []}}}]},
                 "scopeMetrics": [{"scope": {"name": "j"}, "metrics": [\#(metrics)]}]}]}
                """#.utf8))
    }

    @Test(arguments: ["2", #""AGGREGATION_TEMPORALITY_CUMULATIVE""#])
    func `the JSON of the SDK is read, with names and numbers of enumerations`(
        temporality: String
    ) throws {
        let content = try Self.content(
            #"""
            {"name": "requests", "unit": "{request}", "sum": {"dataPoints": [
              {"startTimeUnixNano": "1795788778522724644", "timeUnixNano": "1795788778522868297",
               "asInt": "5", "attributes": [{"key": "path", "value": {"stringValue": "/a"}}]}],
              "aggregationTemporality": \#(temporality), "isMonotonic": true}},
            {"name": "latency", "unit": "ms", "histogram": {"dataPoints": [
              {"timeUnixNano": "1795788778522868297", "count": "1", "sum": 10.0,
               "bucketCounts": ["0", "1"], "explicitBounds": [0.0], "min": 10.0, "max": 10.0}],
              "aggregationTemporality": \#(temporality)}}
            """#)
        #expect(content.rejected.isEmpty && content.points.count == 2)
        let sum = content.points[0]
        #expect(sum.content == .value(.integer(5)))
        #expect(sum.time == Timestamp(microseconds: 1_795_788_778_522_868))
        #expect(sum.unit == "{request}")
        #expect(sum.attributes.map(\.value) == ["/a", "attic", "17"])
        #expect(
            sum.sensors(of: "requests").map(\.description) == [
                "requests.a", "requests.attic", "requests.17", "requests",
            ])
        #expect(
            content.points[1].content
                == .summary([
                    "count": .integer(1), "sum": .number(10), "min": .number(10),
                    "max": .number(10),
                ]))
    }

    @Test func `a name is that of a sensor, or of a sensor and a field`() throws {
        let content = try Self.content(
            #"""
            {"name": "System.CPU load_average", "gauge": {"dataPoints": [{"asDouble": 0.5}]}},
            {"name": "steps", "gauge": {"dataPoints": [{"asInt": 7, "timeUnixNano": 0}]}}
            """#)
        let targets = content.points.map { point in
            point.targets.map { "\($0.kind) \($0.field ?? "-")" }
        }
        #expect(targets == [["system.cpu-load-average -", "system cPULoadAverage"], ["steps -"]])
        #expect(content.points.map(\.time) == [nil, nil])
    }

    @Test func `what is not understood is rejected by name, or ignored where OTLP says so`() throws
    {
        let content = try Self.content(
            #"""
            {"name": "a", "gauge": {"dataPoints": [{"asDouble": "Infinity"}, {"asInt": "9e9"}]}},
            {"name": "a", "gauge": {"dataPoints": [{"asInt": "1", "timeUnixNano": "-1"}]}},
            {"name": "b", "sum": {"dataPoints": [{"asInt": 1}], "aggregationTemporality": 1}},
            {"name": "c", "sum": {"dataPoints": [{"asInt": 1}]}},
            {"name": "d", "gauge": {"dataPoints": [{"flags": 1}]}},
            {"name": "e", "future": {"dataPoints": [{"asInt": 1}]}, "metadata": []},
            {"name": "f", "gauge": {"dataPoints": [{"asInt": "9223372036854775807", "new": {}}]}}
            """#)
        #expect(content.points.map(\.content) == [.value(.integer(.max))])
        let reasons = content.rejected.map { "\($0.key.metric) \($0.key.reason) \($0.value)" }
        #expect(reasons.sorted() == ["a malformed 3", "b delta 1", "c delta 1"])
        #expect(content.unrecorded == 1)
    }

    @Test(arguments: ["", "[]", "1", #"{"resourceMetrics": {}}"#, #"{"resourceMetrics": [[]]}"#])
    func `other bodies are malformed`(body: String) {
        #expect(throws: PushFault.self) { try MetricsReader.content(Array(body.utf8)) }
    }
}
