import Auth
import Testing
import Text

@testable import Provider

/// The verification of the access log over the API.
@Suite(.timeLimit(.minutes(10)))
struct AccessLogRouteTests {
    private static func verify(
        _ host: ServedHost, _ query: String = "", token: String? = nil
    ) async throws -> Answer {
        try await host.send(
            Call(
                "GET", "/api/v1/access-log/verification" + query, token: token ?? host.owner))
    }

    @Test func `a verification counts the entries and finds an earlier head`() async throws {
        try await ServedHost.with { host in
            let token = try await host.client(allow: ["sensor:gauge"])
            let head = try await host.authority.log.head()
            _ = try await host.send(Call("GET", "/api/v1/sensors/gauge/latest", token: token))
            let plain = try await Self.verify(host).json()
            #expect(plain["intact"]?.bool == true)
            #expect(plain["expected"] == nil && plain["line"] == nil && plain["fault"] == nil)
            let lines = try #require(plain["lines"]?.number?.int64)
            #expect(lines > head.id)
            #expect(plain["head"]?.string?.count == 64)
            let found = try await Self.verify(host, "?expect=\(head.hash.uppercased())").json()
            #expect(found["intact"]?.bool == true && found["expected"]?.bool == true)
            let other = String(repeating: "a", count: 64)
            let missing = try await Self.verify(host, "?expect=\(other)").json()
            #expect(missing["intact"]?.bool == false && missing["expected"]?.bool == false)
            #expect(missing["fault"] == nil)
        }
    }

    @Test func `only the owner may verify, and a head has 64 digits`() async throws {
        try await ServedHost.with { host in
            let token = try await host.client(allow: ["sensor:gauge"])
            #expect(try await Self.verify(host, token: token).status == 403)
            for query in ["?expect=abc", "?expected=x"] {
                #expect(try await Self.verify(host, query).code == "invalid-parameter")
            }
        }
    }

    @Test func `a verification can be followed line by line`() async throws {
        try await ServedHost.with { host in
            let lines = [("Accept", "application/x-ndjson")]
            let target = "/api/v1/access-log/verification"
            let answer = try await host.send(
                Call("GET", target, token: host.owner, headers: lines))
            #expect(answer["content-type"] == "application/x-ndjson")
            let steps = try answer.text.split(separator: "\n").map {
                try StrictJSON(maximumBytes: 1 << 16).parse(Array($0.utf8))
            }
            #expect(steps.dropLast().allSatisfy { $0["verified"] != nil && $0["total"] != nil })
            let verdict = try #require(steps.last?["verdict"])
            let plain = try await Self.verify(host).json()
            #expect(verdict["intact"]?.bool == true)
            // The calls themselves add entries.
            let count = try #require(verdict["lines"]?.number?.int64)
            #expect(count <= plain["lines"]?.number?.int64 ?? 0)
            let image = try await host.send(
                Call("GET", target, token: host.owner, headers: [("Accept", "image/png")]))
            #expect(image.status == 406)
        }
    }

    @Test func `a started call has the slot until it ends`() async throws {
        let slot = CallSlot()
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let call = try await slot.start("It runs.") { () -> Int in
            for await _ in ended { break }
            return 1
        }
        let problem = await #expect(throws: Problem.self) {
            try await slot.perform("It runs.") { 2 }
        }
        #expect(problem?.codeName == "busy")
        end.yield()
        #expect(try await call.value == 1)
        #expect(try await slot.perform("It runs.") { 3 } == 3)
    }

    @Test func `of two calls for one slot the second is refused`() async throws {
        let slot = CallSlot()
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        async let first = slot.perform("It runs.") { () -> Int in
            start.yield()
            for await _ in ended { break }
            return 1
        }
        for await _ in started { break }
        let problem = await #expect(throws: Problem.self) {
            try await slot.perform("It runs.") { 2 }
        }
        #expect(problem?.codeName == "busy" && problem?.detail == "It runs.")
        end.yield()
        #expect(try await first == 1)
        #expect(try await slot.perform("It runs.") { 3 } == 3)
    }
}
