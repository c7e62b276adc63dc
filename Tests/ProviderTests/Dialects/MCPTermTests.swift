import API
import Auth
import Foundation
import MCP
import Samples
import Testing
import Text

@testable import Provider

/// The tools of an assistant, compared with the native routes under each term.
@Suite(.timeLimit(.minutes(10)))
struct MCPTermTests {
    @Test(arguments: GrantTermCase.all)
    func `the tools show what the native routes show to the same client`(
        term: GrantTermCase
    ) async throws {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            let token = try await host.client("dialect")
            try await host.decide(term, by: "dialect")
            let native = try await host.nativeView(of: "temperature.attic", token: token)
            let expected = try await host.accessLines(of: "dialect")
            let other = try await host.client("assistant")
            try await host.decide(term, by: "assistant")
            let assistant = Assistant(host, token: other)
            let shown = try await assistant.view(of: "temperature.attic")
            #expect(shown.latest == native.latest.map(ShownRow.init))
            // The tool returns at most a thousand samples; there are 600.
            #expect(shown.samples == native.samples.map(ShownRow.init))
            #expect((shown.age == nil) == (native.latest == nil))
            #expect(shown.windows == native.windows)
            #expect(shown.failed == native.codes.map { $0 != nil })
            let lines = try await host.accessLines(of: "assistant")
            #expect(lines.isSuperset(of: expected))
            // A range without windows has the sums of its windows.
            if term.shown != .nothing {
                let range = host.temperatureRange
                let whole = try await assistant.call(
                    "statistics",
                    """
                    {"sensor": "temperature.attic", "fn": ["count"], \
                    "from": \(range.from.microseconds / 1000), "to": \(range.to.microseconds / 1000)}
                    """)
                let count = whole["structuredContent"]?["window"]?["count"]?.number?.double
                #expect(count == native.windows.compactMap(\.count).reduce(0, +))
            }
        }
    }

    @Test(arguments: GrantTermCase.all)
    func `an analysis by the tool is that of the native route`(term: GrantTermCase) async throws {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            let token = try await host.client("assistant")
            try await host.decide(term, by: "assistant")
            let body = """
                {"analysis": "histogram", "inputs": ["temperature.attic.temperature"], "every": "1m", \
                "parameters": {"bins": 5}}
                """
            let native = try await host.send(
                Call("POST", "/api/v1/analyze", token: token, json: body))
            let shown = try await Assistant(host, token: token).call("analyze", body)
            #expect((shown["isError"]?.bool == true) == (native.status != 200))
            if native.status == 200 {
                let content = shown["structuredContent"]
                #expect(content?["result"]?.line == (try native.json()["result"])?.line)
                #expect(content?["count"]?.line == (try native.json()["count"])?.line)
                #expect(content?["inputs"]?.array?.first?["unit"]?.string == "Cel")
            }
        }
    }

    @Test(arguments: GrantRevocation.allCases)
    func `the next call after a revocation is refused`(revocation: GrantRevocation) async throws {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            let token = try await host.client("assistant", allow: ["sensor:temperature"])
            let assistant = Assistant(host, token: token)
            let arguments = #"{"sensor": "temperature.attic"}"#
            let before = try await assistant.call("samples", arguments)
            #expect(before["structuredContent"]?["count"]?.number?.int64 == 100)
            try await revocation.apply(to: host, client: "assistant")
            let after = try await assistant.call("samples", arguments)
            #expect(after["isError"]?.bool == true)
            #expect(after["structuredContent"] == nil)
        }
    }

    @Test func `a kind refers to the same sensor, and a choice hides the others`() async throws {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            let token = try await host.client("assistant")
            let choice = InstanceChoice(["temperature.attic"], excluding: ["temperature.cellar"])
            try await host.decide(
                .allow(Terms(access: .raw, only: choice)), "sensor:temperature", by: "assistant")
            let assistant = Assistant(host, token: token)
            let latest = try await assistant.call("latest", #"{"sensor": "temperature"}"#)
            #expect(latest["structuredContent"]?["sensor"]?.string == "temperature.attic")
            let list = try await assistant.call("list_sensors", "{}")
            let ids = list["structuredContent"]?["sensors"]?.array?.compactMap { $0["id"]?.string }
            #expect(ids == ["temperature.attic"])
            let title = list["structuredContent"]?["sensors"]?.array?.first?["title"]?.string
            #expect(title == "⟦Temperature \"temperature.attic\"⟧")
        }
    }

    @Test func `a session is shown with permission for sessions only`() async throws {
        try await ServedHost.with { host in
            let made = try await host.send(
                Call(
                    "POST", "/api/v1/sessions", token: host.owner,
                    json: #"{"name": "Run ⟧ around", "description": "", "sensors": ["gauge"]}"#))
            #expect(made.status == 201, "\(made.text)")
            let (run, token) = try await host.assistantRun("assistant")
            let assistant = Assistant(host, token: token)
            let refused = try await assistant.call("sessions", "{}")
            #expect(refused["isError"]?.bool == true)
            let waiting = await host.authority.pendingRequests()
            #expect(waiting.map(\.privilege) == [.sessions(.read)])
            #expect(waiting.map(\.run) == [run])
            try await host.decide(.allowAlways, "sessions", by: "assistant")
            #expect(await host.authority.pendingRequests().isEmpty)
            let shown = try await assistant.call("sessions", "{}")
            let name = shown["structuredContent"]?["sessions"]?.array?.first?["name"]?.string
            #expect(name == "⟦Run around⟧")
        }
    }

    @Test func `a new assistant has statistics only, asks the owner, and gets what is granted`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            let (run, token) = try await host.assistantRun("assistant")
            let assistant = Assistant(host, token: token)
            let arguments = #"{"sensor": "temperature.attic"}"#
            let statistics = try await assistant.call("statistics", arguments)
            #expect(statistics["isError"]?.bool == false)
            #expect(statistics["structuredContent"]?["window"]?["coverage"]?.number != nil)
            for tool in ["latest", "samples"] {
                let refused = try await assistant.call(tool, arguments)
                #expect(refused["isError"]?.bool == true)
                let text = refused["content"]?.array?.first?["text"]?.string ?? ""
                #expect(text.contains("request for sensor:temperature.attic is waiting"))
                #expect(!text.contains("nervous permissions"))
            }
            let waiting = await host.authority.pendingRequests()
            #expect(waiting.map(\.privilege.description) == ["sensor:temperature.attic"])
            #expect(waiting.map(\.app) == ["assistant"])
            // The owner answers it as any other request, here for this run.
            try await host.authority.decide(
                .allowOnce, on: waiting[0].privilege, by: "assistant", run: run, isAnswer: true)
            let latest = try await assistant.call("latest", arguments)
            #expect(latest["isError"]?.bool == false, "\(latest.line)")
            try await host.authority.endRun(run)
            #expect(try await assistant.call("latest", arguments)["isError"]?.bool == true)
        }
    }
}

extension ServedHost {
    /// A run of a program that is created with it.
    func assistantRun(_ name: String) async throws -> (run: String, token: String) {
        let answer = try await send(
            Call(
                "POST", "/api/v1/tokens/\(name)/runs", token: owner, json: #"{"create": true}"#))
        guard answer.status == 201, let run = try answer.json()["run"]?.string,
            let token = try answer.json()["token"]?.string
        else { throw Answer.NotHTTP(text: answer.text) }
        return (run, token)
    }
}

/// An assistant that calls the tools with a token, in the stateless revision.
final class Assistant: Sendable {
    private let server: MCPServer
    private let lines: AsyncStream<String>

    private struct Access: HostAccess {
        let transport: ServedTransport
        let token: String

        func client(afterRejection isRejected: Bool) async throws -> APIClient {
            APIClient(transport).authorized(by: token)
        }
    }

    private struct ServedTransport: APITransport {
        let host: ServedHost

        func send(_ request: APIRequest) async throws -> APIResponse {
            let answer = try await host.send(
                Call(
                    request.method.rawValue, request.target,
                    headers: request.headers.map { ($0.name, $0.value) },
                    body: request.body.map(Array.init)))
            return APIResponse(status: answer.status, headers: [], body: Data(answer.body))
        }

        func lines(
            for request: APIRequest
        ) async throws -> any AsyncSequence<Data, any Error> & Sendable {
            throw CancellationError()
        }
    }

    /// What the tools show of a sensor.
    struct View {
        let latest: ShownRow?
        /// Milliseconds since the newest sample.
        let age: Double?
        let samples: [ShownRow]
        let windows: [NativeView.Window]
        /// Whether `latest`, `samples` and `windows` failed.
        let failed: [Bool]
    }

    private let range: TimeRange

    init(_ host: ServedHost, token: String) {
        let (lines, sink) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        range = host.temperatureRange
        server = MCPServer(
            version: "1", access: Access(transport: ServedTransport(host: host), token: token)
        ) { sink.yield($0) }
    }

    func call(_ tool: String, _ arguments: String) async throws -> JSONValue {
        await server.receive(
            Array(
                """
                {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "\(tool)", \
                "arguments": \(arguments), "_meta": \
                {"io.modelcontextprotocol/protocolVersion": "2026-07-28", \
                "io.modelcontextprotocol/clientCapabilities": {}}}}
                """.utf8))
        for await line in lines {
            let answer = try StrictJSON(maximumBytes: 1 << 20).parse(Array(line.utf8))
            guard let result = answer["result"] else { throw Answer.NotHTTP(text: line) }
            return result
        }
        throw Answer.NotHTTP(text: "no answer to \(tool)")
    }

    func view(of sensor: String) async throws -> View {
        let latest = try await call("latest", #"{"sensor": "\#(sensor)"}"#)
        let samples = try await call(
            "samples", #"{"sensor": "\#(sensor)", "order": "asc", "limit": 1000}"#)
        let (from, to) = (range.from.microseconds / 1000, range.to.microseconds / 1000)
        let windows = try await call(
            "windows",
            """
            {"sensor": "\(sensor)", "from": \(from), "to": \(to), "every": "60s", \
            "fn": ["count", "sum", "mean", "stddev", "min", "max"]}
            """)
        return View(
            latest: Self.latest(latest["structuredContent"]),
            age: latest["structuredContent"]?["freshness"]?["age"]?.number?.double,
            samples: Self.rows(samples["structuredContent"]),
            windows: Self.windows(windows["structuredContent"]),
            failed: [latest, samples, windows].map { $0["isError"]?.bool == true })
    }

    /// A value as the native routes have it: a text without delimiters.
    private static func plain(_ value: JSONValue) -> JSONValue {
        guard let text = value.string else { return value }
        return JSONValue(String(text.dropFirst().dropLast()))
    }

    private static func latest(_ content: JSONValue?) -> ShownRow? {
        guard let content, let time = content["t"]?.number?.double else { return nil }
        return row(time, (content["values"]?.object ?? []).map { ($0.key, $0.value) })
    }

    private static func rows(_ content: JSONValue?) -> [ShownRow] {
        let columns = (content?["columns"]?.array ?? []).compactMap(\.string)
        return (content?["rows"]?.array ?? []).compactMap { row -> ShownRow? in
            let pairs = Array(zip(columns, row.array ?? []))
            guard let time = pairs.first?.1.number?.double else { return nil }
            return self.row(time, Array(pairs.dropFirst()))
        }
    }

    private static func row(_ time: Double, _ values: [(String, JSONValue)]) -> ShownRow {
        ShownRow(
            time: time,
            Dictionary(uniqueKeysWithValues: values.map { ($0.0, ShownRow.text(plain($0.1))) }))
    }

    private static func windows(_ content: JSONValue?) -> [NativeView.Window] {
        (content?["windows"]?.array ?? []).map { item in
            NativeView.Window(
                from: item["from"]?.number?.double ?? .nan,
                to: item["to"]?.number?.double ?? .nan, count: item["count"]?.number?.double,
                values: NativeView.statistics(of: item))
        }
    }
}
