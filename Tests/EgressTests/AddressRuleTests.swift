import Addresses
import NIOCore
import TestSupport
import Testing

@testable import Egress

/// Addresses of the local network and of this machine must be named explicitly.
struct AddressRuleTests {
    private static func refusal(_ origin: String, at address: String) throws -> EgressError.Code? {
        let rule = AddressRule.apps(ownPorts: { [8080] })
        do {
            try rule.check(
                try #require(IPAddress(address)), of: try #require(WebOrigin(origin)))
            return nil
        } catch let error as EgressError {
            return error.code
        }
    }

    @Test(arguments: [
        ("https://api.example.org", "93.184.215.14", true),
        ("https://api.example.org", "2606:4700::1", true),
        ("https://api.example.org", "127.0.0.1", false), ("https://api.example.org", "::1", false),
        ("https://api.example.org", "10.0.0.1", false),
        ("https://api.example.org", "192.168.1.1", false),
        ("https://api.example.org", "169.254.169.254", false),
        ("https://api.example.org", "100.64.0.1", false),
        ("https://api.example.org", "fd00::1", false),
        ("https://api.example.org", "fe80::1", false),
        ("https://api.example.org", "0.0.0.0", false),
        ("https://api.example.org", "::ffff:93.184.215.14", false),
        ("https://api.example.org", "64:ff9b::1.1.1.1", false),
        ("https://api.example.org", "224.0.0.1", false),
        ("https://box.local", "192.168.1.7", true), ("https://box.local", "fd00::7", true),
        ("https://box.local", "93.184.215.14", true), ("https://box.local", "169.254.3.4", true),
        ("https://box.local", "127.0.0.1", false), ("https://box.local", "::1", false),
        ("https://box.local", "169.254.169.254", false),
        ("https://nas.home.arpa", "10.1.2.3", true),
        ("http://localhost:631", "127.0.0.1", true), ("http://localhost:631", "::1", true),
        ("http://localhost:631", "192.168.1.7", false),
        ("http://localhost:631", "93.184.215.14", false),
        ("http://192.168.1.7", "192.168.1.7", true), ("http://192.168.1.7", "192.168.1.8", false),
        ("http://127.0.0.1:631", "127.0.0.1", true), ("http://[::1]:631", "::1", true),
        ("http://169.254.169.254", "169.254.169.254", false),
        ("http://0.0.0.0:631", "0.0.0.0", false), ("http://[::]:631", "::", false),
    ])
    func `an address must be allowed by the origin`(
        _ origin: String, _ address: String, _ isAllowed: Bool
    ) throws {
        #expect(
            try Self.refusal(origin, at: address) == (isAllowed ? nil : .addressRefused),
            "\(origin) at \(address)")
    }

    @Test(arguments: [
        "http://127.0.0.1:8080", "http://localhost:8080", "https://localhost:8080",
        "http://[::1]:8080", "http://127.9.9.9:8080",
    ])
    func `this host cannot be called, whatever is granted`(_ origin: String) async throws {
        try await TestClient.with([origin], ownPorts: [8080]) { client async throws in
            #expect(try await client.fault(origin) == .ownHost)
            #expect(client.connections.all.isEmpty)
        }
        let named = try #require(WebOrigin(origin))
        let address = if case .address(let own) = named.host { "\(own)" } else { "127.0.0.1" }
        #expect(try Self.refusal(origin, at: address) == .ownHost)
    }

    @Test func `the checked address is the connected one`() async throws {
        try await LocalServer.with { _ in
            .answer("public")
        } _: { server in
            let resolver = ScriptedResolver([["93.184.215.14"], ["127.0.0.1"]])
            try await TestClient.with(
                ["http://api.example.org"], resolver: resolver, server: server.port
            ) { client async throws in
                // The name is resolved once per step, and the result is checked each time.
                let answer = try await client.fetch("http://api.example.org/")
                #expect(String(buffer: answer.body) == "public")
                #expect(server.received.first?["host"] == "api.example.org")
                #expect(client.connections.all == ["93.184.215.14 80"])
                #expect(resolver.names == ["api.example.org"])
                #expect(try await client.fault("http://api.example.org/") == .addressRefused)
                #expect(client.connections.all == ["93.184.215.14 80"])
            }
        }
    }

    @Test func `a name is checked again at each step`() async throws {
        try await LocalServer.with { _ in
            .redirect(to: "/again")
        } _: { server in
            let resolver = ScriptedResolver([["93.184.215.14"], ["192.168.1.1"]])
            try await TestClient.with(
                ["http://api.example.org"], resolver: resolver, server: server.port
            ) { client async throws in
                #expect(try await client.fault("http://api.example.org/") == .addressRefused)
                #expect(client.connections.all == ["93.184.215.14 80"])
            }
        }
    }

    @Test func `of several addresses only allowed ones are tried`() async throws {
        try await LocalServer.with { _ in
            .answer()
        } _: { server in
            let resolver = ScriptedResolver([["10.0.0.1", "::1", "93.184.215.14"]])
            try await TestClient.with(
                ["http://api.example.org"], resolver: resolver, server: server.port
            ) { client async throws in
                _ = try await client.fetch("http://api.example.org/")
                #expect(client.connections.all == ["93.184.215.14 80"])
            }
        }
    }

    @Test func `localhost is this machine without a lookup`() async throws {
        try await LocalServer.with { _ in
            .answer("here")
        } _: { server in
            let origin = "http://localhost:\(server.port)"
            let resolver = ScriptedResolver([["93.184.215.14"]])
            try await TestClient.with([origin], resolver: resolver) { client async throws in
                let answer = try await client.fetch(origin)
                #expect(String(buffer: answer.body) == "here")
                #expect(resolver.names.isEmpty)
            }
        }
    }

    @Test func `the system resolver reports an unknown name`() async throws {
        let error = await #expect(throws: EgressError.self) {
            try await SystemResolver().addresses(of: "none.invalid", within: Program.patience)
        }
        #expect(error?.code == .unknownHost)
        let own = try await SystemResolver().addresses(of: "localhost", within: Program.patience)
        #expect(!own.isEmpty && own.allSatisfy { $0.scope.reach == .ownMachine })
    }
}
