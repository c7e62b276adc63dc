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
