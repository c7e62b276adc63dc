import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import Auth
@testable import Provider

/// Who may push from the local network.
struct LocalNetworkClientsTests {
    private static let phone = Client(name: "ann", kind: .client, run: nil)
    private let time = ManualTime()

    private func address(_ text: String) throws -> SocketAddress {
        try SocketAddress(ipAddress: text, port: 4711)
    }

    /// An attempt with an invalid token.
    ///
    /// - Returns: whether the token was looked at.
    private func fail(_ clients: LocalNetworkClients, from place: SocketAddress) async -> Bool {
        do {
            _ = try await clients.admit(place) { () throws(AuthError) in
                throw AuthError(.invalidToken, "The token is invalid.")
            }
            Issue.record("an invalid token was accepted")
            return true
        } catch {
            return error is AuthError
        }
    }

    private func admit(
        _ client: Client = phone, by clients: LocalNetworkClients, from place: SocketAddress
    ) async throws -> Client {
        try await clients.admit(place) { () throws(AuthError) in client }
    }

    @Test func `tokens of programs are accepted`() async throws {
        let clients = LocalNetworkClients(time: time)
        #expect(try await admit(by: clients, from: address("192.168.1.20")) == Self.phone)
    }

    @Test(arguments: [
        Client.owner, Client(name: "desk", kind: .owner, run: nil),
        Client(name: "load-watch", kind: .app, run: "1"),
    ])
    func `tokens of the owner and of apps are refused`(client: Client) async throws {
        let clients = LocalNetworkClients(time: time)
        let place = try address("192.168.1.20")
        let problem = await #expect(throws: Problem.self) {
            try await admit(client, by: clients, from: place)
        }
        #expect(problem?.codeName == "denied")
        #expect(problem?.detail == "This token is not accepted from the local network.")
    }

    @Test func `after five failed attempts within a minute an address is refused`() async throws {
        let clients = LocalNetworkClients(time: time)
        let (guesser, other) = (try address("192.168.1.20"), try address("192.168.1.21"))
        // The sixth is the first that exceeds the limit; from then on no token is looked at.
        for _ in 0..<6 { #expect(await fail(clients, from: guesser)) }
        #expect(await !fail(clients, from: guesser))
        let problem = await #expect(throws: Problem.self) {
            try await admit(by: clients, from: guesser)
        }
        #expect(problem?.codeName == "too-many-attempts")
        #expect(problem?.headers[.retryAfter] == "60")
        #expect(try await admit(by: clients, from: other) == Self.phone)
        time.advance(by: .seconds(61))
        #expect(try await admit(by: clients, from: guesser) == Self.phone)
    }

    @Test func `of tokens that are tried at once no more are looked at than one after another`()
        async throws
    {
        let clients = LocalNetworkClients(time: time)
        let guesser = try address("192.168.1.20")
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let latch = Latch()
        let results = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 1...20 {
                group.addTask {
                    do {
                        _ = try await clients.admit(guesser) { () throws(AuthError) in
                            start.yield()
                            await latch.wait()
                            // The last one is valid.
                            guard number == 20 else {
                                throw AuthError(.invalidToken, "The token is invalid.")
                            }
                            while await latch.finished < 19 { await Task.yield() }
                            return Self.phone
                        }
                        return "admitted"
                    } catch {
                        await latch.finish()
                        return (error as? Problem)?.codeName ?? "looked at"
                    }
                }
            }
            var waiting = 20
            for await _ in started {
                waiting -= 1
                if waiting == 0 { break }
            }
            await latch.open()
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(results == ["looked at": 6, "too-many-attempts": 14])
    }

    @Test func `addresses of one IPv6 network share the limit`() async throws {
        let clients = LocalNetworkClients(time: time)
        for number in 1...6 { #expect(await fail(clients, from: try address("fd00::\(number)"))) }
        #expect(await !fail(clients, from: try address("fd00::99")))
        #expect(await fail(clients, from: try address("fd00:0:0:1::1")))
    }

    @Test func `addresses beyond the maximum number share one limit`() async throws {
        let clients = LocalNetworkClients(time: time)
        for number in 0..<256 {
            #expect(await fail(clients, from: try address("10.0.0.\(number)")))
        }
        // The first six of the others exceed the limit of all others.
        for number in 0..<6 {
            #expect(await fail(clients, from: try address("10.0.1.\(number)")))
        }
        #expect(await !fail(clients, from: try address("10.0.1.6")))
    }
}

/// Lets tasks continue together, and counts those that have finished.
private actor Latch {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private(set) var finished = 0

    func wait() async {
        if isOpen { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    func finish() { finished += 1 }
}
