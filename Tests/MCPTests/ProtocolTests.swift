import Foundation
import Testing
import Text

@testable import MCP

/// The protocol in both revisions.
struct ProtocolTests {
    private static let initialize = """
        {"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {"protocolVersion": "2025-11-25", \
        "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}
        """

    @Test func `the stateless revision needs no handshake`() async throws {
        let wire = Wire()
        let found = try await wire.ask(
            #"{"jsonrpc": "2.0", "id": "d-1", "method": "server/discover", "params": {\#(Wire.meta)}}"#
        )
        #expect(found["id"]?.string == "d-1")
        let result = try #require(found["result"])
        #expect(result["resultType"]?.string == "complete")
        #expect(
            result["supportedVersions"]?.array?.compactMap(\.string) == [
                "2026-07-28", "2025-11-25",
            ])
        #expect(result["capabilities"]?["tools"]?.object?.isEmpty == true)
        let server = result["_meta"]?["io.modelcontextprotocol/serverInfo"]
        #expect(server?["version"]?.string == "1.2.3")
        #expect((result["ttlMs"]?.number?.int64 ?? -1) >= 0)
        #expect(result["cacheScope"]?.string == "public")
        let list = try await wire.ask(
            #"{"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {\#(Wire.meta)}}"#)
        let tools = list["result"]?["tools"]?.array ?? []
        #expect(
            tools.compactMap { $0["name"]?.string } == [
                "list_sensors", "latest", "samples", "statistics", "windows", "analyze", "sessions",
            ])
        for tool in tools {
            #expect(tool["annotations"]?["readOnlyHint"]?.bool == true)
            #expect(tool["inputSchema"]?["type"]?.string == "object")
            #expect(tool["outputSchema"]?["type"]?.string == "object")
        }
        #expect(list["result"]?["resultType"]?.string == "complete")
    }

    @Test func `a session begins with initialize, and has ping`() async throws {
        let wire = Wire()
        let early = try await wire.ask(#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#)
        #expect(early["error"]?["code"]?.number?.int64 == -32602)
        let ping = try await wire.ask(#"{"jsonrpc": "2.0", "id": 2, "method": "ping"}"#)
        #expect(ping["result"]?.object?.isEmpty == true)
        let begun = try await wire.ask(Self.initialize)
        #expect(begun["id"]?.string == "a")
        #expect(begun["result"]?["protocolVersion"]?.string == "2025-11-25")
        #expect(begun["result"]?["serverInfo"]?["name"]?.string == "nervous")
        #expect(begun["result"]?["resultType"] == nil)
        await wire.write(#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#)
        let list = try await wire.ask(#"{"jsonrpc": "2.0", "id": 3, "method": "tools/list"}"#)
        #expect(list["result"]?["tools"]?.array?.count == 7)
        #expect(list["result"]?["ttlMs"] == nil)
        let again = try await wire.ask(Self.initialize)
        #expect(again["error"]?["code"]?.number?.int64 == -32600)
        // A request that names the stateless revision is served by it, in the same process.
        let discovered = try await wire.ask(
            #"{"jsonrpc": "2.0", "id": 4, "method": "server/discover", "params": {\#(Wire.meta)}}"#)
        #expect(discovered["result"]?["resultType"]?.string == "complete")
    }

    @Test func `another revision is refused with those that the server has`() async throws {
        let wire = Wire()
        let answer = try await wire.ask(
            """
            {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": \
            {"io.modelcontextprotocol/protocolVersion": "1900-01-01", \
            "io.modelcontextprotocol/clientCapabilities": {}}}}
            """)
        #expect(answer["error"]?["code"]?.number?.int64 == -32022)
        #expect(answer["error"]?["data"]?["requested"]?.string == "1900-01-01")
        #expect(answer["error"]?["data"]?["supported"]?.array?.count == 2)
    }

    @Test(
        arguments: [
            ("{", -32700), ("nonsense", -32700), (#"{"a": 1, "a": 2}"#, -32700), ("[]", -32600),
            (#"[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]"#, -32600), ("1", -32600),
            (#"{"id": 1, "method": "ping"}"#, -32600),
            (#"{"jsonrpc": "1.0", "id": 1, "method": "ping"}"#, -32600),
            (#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#, -32600),
            (#"{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}"#, -32600),
            (#"{"jsonrpc": "2.0", "id": {}, "method": "ping"}"#, -32600),
            (#"{"jsonrpc": "2.0", "id": 1}"#, -32600),
            (#"{"jsonrpc": "2.0", "id": 1, "method": 2}"#, -32600),
            (#"{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}"#, -32600),
            (
                #"{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": 1}}"#,
                -32602
            ),
            (
                #"{"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}}"#,
                -32602
            ),
            (#"{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {\#(Wire.meta)}}"#, -32601),
            (
                #"{"jsonrpc": "2.0", "id": 1, "method": "tools/cal", "params": {\#(Wire.meta)}}"#,
                -32601
            ),
            (
                #"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "rm", \#(Wire.meta)}}"#,
                -32602
            ),
            (
                #"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "latest", "arguments": [], \#(Wire.meta)}}"#,
                -32602
            ),
            (
                #"{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "x", \#(Wire.meta)}}"#,
                -32602
            ),
            (#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}"#, -32602),
        ] as [(String, Int64)])
    func `what is not a request of the protocol gets the error of JSON-RPC`(
        line: String, code: Int64
    ) async throws {
        let answer = try await Wire().ask(line)
        #expect(answer["error"]?["code"]?.number?.int64 == code, "\(answer.line)")
        #expect(answer["error"]?["message"]?.string?.isEmpty == false)
        #expect(answer["result"] == nil)
        #expect(answer["jsonrpc"]?.string == "2.0")
    }

    @Test func `notifications and responses get no answer`() async throws {
        let wire = Wire()
        for line in [
            #"{"jsonrpc": "2.0", "method": "notifications/unknown"}"#,
            #"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}"#,
            #"{"jsonrpc": "2.0", "method": "notifications/cancelled"}"#,
            #"{"jsonrpc": "2.0", "id": 7, "result": {}}"#,
        ] {
            await wire.write(line)
        }
        let ping = try await wire.ask(#"{"jsonrpc": "2.0", "id": "last", "method": "ping"}"#)
        #expect(ping["id"]?.string == "last")
    }

    @Test func `a long line is refused`() async throws {
        let wire = Wire()
        await wire.refuseLongLine()
        #expect(try await wire.read()["error"]?["code"]?.number?.int64 == -32600)
        let text = String(repeating: "x", count: MCPServer.longestLine)
        let answer = try await wire.ask(#"{"jsonrpc": "2.0", "id": 1, "method": "\#(text)"}"#)
        #expect(answer["error"]?["code"]?.number?.int64 == -32700)
    }

    @Test func `a cancelled call is not answered, and others go on`() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let wire = Wire { line, _ in
            guard line.contains("slow") else { return (200, #"{"items": []}"#) }
            start.yield()
            try await Task.sleep(for: .seconds(3600))
            return (200, "{}")
        }
        await wire.write(
            """
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "latest", \
            "arguments": {"sensor": "slow"}, \(Wire.meta)}}
            """)
        for await _ in started { break }
        // The identifier cannot be used again while its call is in progress.
        let twice = try await wire.ask(
            #"{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {\#(Wire.meta)}}"#)
        #expect(twice["error"]?["code"]?.number?.int64 == -32600)
        await wire.write(
            #"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "reason": "no"}}"#
        )
        let sensors = try await wire.call("list_sensors", id: 2)
        #expect(sensors["structuredContent"]?["sensors"]?.array?.isEmpty == true)
        await wire.close()
    }

    @Test func `a subscription is acknowledged without notifications, and ended with the input`()
        async throws
    {
        let wire = Wire()
        let opened = try await wire.ask(
            """
            {"jsonrpc": "2.0", "id": 5, "method": "subscriptions/listen", "params": \
            {"notifications": {"toolsListChanged": true}, \(Wire.meta)}}
            """)
        #expect(opened["method"]?.string == "notifications/subscriptions/acknowledged")
        #expect(opened["params"]?["notifications"]?.object?.isEmpty == true)
        let key = "io.modelcontextprotocol/subscriptionId"
        #expect(opened["params"]?["_meta"]?[key]?.number?.int64 == 5)
        await wire.close()
        let ended = try await wire.read()
        #expect(ended["id"]?.number?.int64 == 5)
        #expect(ended["result"]?["resultType"]?.string == "complete")
    }

    @Test func `too many calls in a minute are refused`() async throws {
        let wire = Wire { _, _ in (200, #"{"items": []}"#) }
        var failures = 0
        for id in 1...610 where try await wire.call("list_sensors", id: id).isFailure {
            failures += 1
        }
        #expect(failures == 10)
    }
}
