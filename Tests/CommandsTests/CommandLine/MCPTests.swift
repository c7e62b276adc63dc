import Foundation
import TestSupport
import Testing
import Text

/// `nervous mcp` at a real host.
@Suite(.blocking)
struct MCPTests {
    /// An assistant: the command, and its messages one after another.
    private final class Assistant {
        private let program: Program
        private let log: String
        private var rest = Data()
        private var count = 0

        init(_ sandbox: Sandbox, _ name: String) throws {
            log = sandbox.path("\(name).log")
            program = try Program(
                Binary.nervous, ["mcp", "--as", name], environment: sandbox.environment,
                input: .pipe, output: .pipe, errors: .file(log))
        }

        func write(_ line: String) throws { try program.write(Array((line + "\n").utf8)) }

        func read() throws -> JSONValue {
            rest += try program.read { rest.contains(0x0A) || $0.contains(0x0A) }
            let end = try #require(rest.firstIndex(of: 0x0A), "the output has ended")
            let line = Array(rest[..<end])
            rest = Data(rest[rest.index(after: end)...])
            return try StrictJSON(maximumBytes: 1 << 20).parse(line)
        }

        /// Calls a tool in the stateless revision, and returns the result.
        func call(_ tool: String, _ arguments: String = "{}") throws -> JSONValue {
            count += 1
            try write(
                """
                {"jsonrpc": "2.0", "id": \(count), "method": "tools/call", "params": {"name": "\(tool)", \
                "arguments": \(arguments), "_meta": \
                {"io.modelcontextprotocol/protocolVersion": "2026-07-28", \
                "io.modelcontextprotocol/clientCapabilities": {}}}}
                """)
            let answer = try read()
            #expect(answer["id"]?.number?.int64 == Int64(count))
            return try #require(answer["result"], "\(answer.line)")
        }

        /// Ends the input; returns the exit code and what was written to standard error.
        func end() throws -> (code: Int32, errors: String) {
            program.endInput()
            let code = try program.wait()
            #expect(try program.readToEnd().isEmpty && rest.isEmpty)
            return (code, try String(contentsOfFile: log, encoding: .utf8))
        }
    }

    @Test func `an assistant reads statistics, asks for samples, and gets what the owner allows`()
        throws
    {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        try sandbox.awaitSample(of: "load")
        let assistant = try Assistant(sandbox, "helper")
        let list = try assistant.call("list_sensors")
        let sensors = list["structuredContent"]?["sensors"]?.array ?? []
        let load = try #require(sensors.first { $0["id"]?.string == "load" })
        #expect(load["access"]?.string == "statistics")
        #expect(load["title"]?.string == "⟦System load⟧")
        let statistics = try assistant.call("statistics", #"{"sensor": "load", "fn": ["mean"]}"#)
        #expect(statistics["isError"]?.bool == false, "\(statistics.line)")
        let refused = try assistant.call("latest", #"{"sensor": "load"}"#)
        #expect(refused["isError"]?.bool == true)
        #expect(!refused.line.contains("nervous permissions"))
        let pending = try sandbox.nervous("permissions", "--pending")
        #expect(pending.output.contains("helper") && pending.output.contains("sensor:load"))
        #expect(try sandbox.nervous("permissions", "grant", "helper", "sensor:load").code == 0)
        let latest = try assistant.call("latest", #"{"sensor": "load"}"#)
        #expect(latest["isError"]?.bool == false, "\(latest.line)")
        #expect(latest["structuredContent"]?["values"]?["load1"]?.number != nil)
        let log = try sandbox.nervous("log", "helper", "--json").output
        for part in [#""operation":"latest""#, #""operation":"stats""#, #""outcome":"refused""#] {
            #expect(log.contains(part), "\(log)")
        }
        let end = try assistant.end()
        #expect(end.code == 0)
        #expect(end.errors.contains("helper is new"))
        // The next one has the decisions that hold until changed.
        let next = try Assistant(sandbox, "helper")
        #expect(try next.call("latest", #"{"sensor": "load"}"#)["isError"]?.bool == false)
        #expect(try sandbox.nervous("token", "revoke", "helper").code == 0)
        for _ in 1...2 {
            let revoked = try next.call("statistics", #"{"sensor": "load"}"#)
            #expect(revoked["isError"]?.bool == true, "\(revoked.line)")
        }
        #expect(try next.end().code == 0)
        let later = try Assistant(sandbox, "helper")
        let answer = try later.call("list_sensors")
        #expect(answer["isError"]?.bool == true && answer.line.contains("revoked"))
        #expect(!answer.line.contains("token create"))
        #expect(try later.end().code == 0)
        host.kill(SIGTERM)
        _ = try host.wait()
    }

    @Test func `a session of the earlier revision works without a host until a tool is called`()
        throws
    {
        let sandbox = try Sandbox()
        let assistant = try Assistant(sandbox, "helper")
        try assistant.write(
            """
            {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", \
            "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
            """)
        #expect(try assistant.read()["result"]?["protocolVersion"]?.string == "2025-11-25")
        try assistant.write(#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#)
        try assistant.write(#"{"jsonrpc": "2.0", "id": "p", "method": "ping"}"#)
        #expect(try assistant.read()["id"]?.string == "p")
        try assistant.write(String(repeating: "x", count: 1 << 21))
        #expect(try assistant.read()["error"]?["code"]?.number?.int64 == -32600)
        let refused = try assistant.call("list_sensors")
        #expect(refused["isError"]?.bool == true)
        #expect(refused.line.contains("not running"))
        #expect(try assistant.end().code == 0)
        #expect(!FileManager.default.fileExists(atPath: sandbox.data))
    }

    @Test func `a restarted host is found again`() throws {
        let sandbox = try Sandbox()
        let first = try ServingHost(sandbox)
        let assistant = try Assistant(sandbox, "helper")
        #expect(try assistant.call("list_sensors")["isError"]?.bool == false)
        first.kill(SIGTERM)
        _ = try first.wait()
        #expect(try assistant.call("list_sensors")["isError"]?.bool == true)
        let second = try ServingHost(sandbox)
        let again = try assistant.call("list_sensors")
        #expect(again["isError"]?.bool == false, "\(again.line)")
        #expect(try assistant.end().code == 0)
        second.kill(SIGTERM)
        _ = try second.wait()
    }

    @Test(arguments: ["", "No Name", "a.b", "-x"])
    func `the name of an assistant is in kebab-case`(name: String) throws {
        let sandbox = try Sandbox()
        let refused = try sandbox.nervous("mcp", "--as=\(name)")
        #expect(refused.code == 64)
        #expect(refused.output.isEmpty)
    }
}
