import Foundation
import TestSupport
import Testing

/// `nervous sessions send` and `nervous outbox`, with a server that is unreachable at first.
@Suite(.blocking)
struct SendingTests {
    private struct Kept: Decodable {
        struct Item: Decodable {
            let id: String
            let state: String
            let attempts: Int
        }
        let items: [Item]
    }

    private func outbox(_ sandbox: Sandbox) throws -> [Kept.Item] {
        let list = try sandbox.nervous("outbox", "--json").output
        return try JSONDecoder().decode(Kept.self, from: Data(list.utf8)).items
    }

    /// Creates a session whose route has a length.
    private func make(_ sandbox: Sandbox) throws -> String {
        let added = try sandbox.nervous(
            "sensors", "add", "location.phone", "--field", "latitude:deg", "--field",
            "longitude:deg")
        #expect(added.code == 0, "\(added.errors)")
        let made = try sandbox.nervous("sessions", "new", "Trip", "--sensor", "location.phone")
        #expect(made.code == 0, "\(made.errors)")
        return made.output.trimmingCharacters(in: .newlines)
    }

    @Test func `an upload that fails is kept, and delivered when the server is reachable`()
        async throws
    {
        let sandbox = try Sandbox()
        let id = try make(sandbox)
        let token = "\(sandbox.data)/token"
        try Data("secret-token\n".utf8).write(to: URL(filePath: token))
        let port = ClosedPort()
        let failed = try sandbox.nervous(
            "sessions", "send", id, "--to", "http://127.0.0.1:\(port.number)/trips", "--format",
            "gpx", "--token-file", token)
        #expect(failed.code == 75)
        #expect(failed.errors.contains("cannot be reached"))
        let kept = try #require(try outbox(sandbox).first)
        #expect(failed.errors.contains("nervous outbox send \(kept.id)"))
        #expect(kept.state == "waiting")
        let table = try sandbox.nervous("outbox").output
        for word in [kept.id, "Trip (gpx)", "waiting"] { #expect(table.contains(word), "\(word)") }
        // The address is stored and the token is not.
        let files = try FileManager.default.contentsOfDirectory(atPath: "\(sandbox.data)/outbox")
        for file in files {
            let text = try String(contentsOfFile: "\(sandbox.data)/outbox/\(file)", encoding: .utf8)
            #expect(!text.contains("secret-token"))
        }
        let discarded = try sandbox.nervous("outbox", "discard", kept.id)
        #expect(discarded.code == 0, "\(discarded.errors)")
        #expect(try outbox(sandbox).isEmpty)

        try await LocalServer.with { request in
            .answer(
                "", status: request["Authorization"] == nil ? "401 Unauthorized" : "201 Created")
        } _: { server in
            let place = "http://127.0.0.1:\(server.port)/trips"
            let refused = try sandbox.nervous("sessions", "send", id, "--to", place)
            #expect(refused.code == 76)
            #expect(refused.errors.contains("it needs a valid token"))
            #expect(try outbox(sandbox).map(\.state) == ["refused"])
            let sent = try sandbox.nervous(
                "sessions", "send", id, "--to", place, "--token-file", token)
            #expect(sent.code == 0, "\(sent.errors)")
            #expect(sent.output == "Delivered.\n")
            let request = try #require(server.received.last)
            #expect(request.method == "POST")
            #expect(request.target == "/trips")
            #expect(request["Authorization"] == "Bearer secret-token")
            #expect(request["Content-Type"] == "application/geo+json")
            #expect(request["Idempotency-Key"]?.isEmpty == false)
            #expect(String(decoding: request.body, as: UTF8.self).contains("FeatureCollection"))
        }
        let log = try sandbox.nervous("log", "--owner", "--json").output
        #expect(log.contains("net:http://127.0.0.1:\(port.number)"))
    }

    @Test func `with --discard nothing is kept`() throws {
        let sandbox = try Sandbox()
        let id = try make(sandbox)
        let port = ClosedPort()
        defer { withExtendedLifetime(port) {} }
        let failed = try sandbox.nervous(
            "sessions", "send", id, "--to", "http://127.0.0.1:\(port.number)/", "--discard")
        #expect(failed.code != 0)
        #expect(failed.errors.contains("cannot be reached"))
        #expect(try outbox(sandbox).isEmpty)
        #expect(try sandbox.nervous("outbox").errors.contains("The outbox is empty."))
    }

    @Test(arguments: ["http://trips.example/a", "ftp://trips.example/", "trips.example"])
    func `unencrypted and invalid addresses are rejected`(address: String) throws {
        let sandbox = try Sandbox()
        let id = try make(sandbox)
        let refused = try sandbox.nervous("sessions", "send", id, "--to", address)
        #expect(refused.code != 0)
        #expect(refused.errors.contains("https"))
        #expect(try outbox(sandbox).isEmpty)
    }
}
