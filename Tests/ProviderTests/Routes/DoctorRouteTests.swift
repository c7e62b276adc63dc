import API
import Synchronization
import Testing
import Text

@testable import Provider

/// The checks of a host that makes them for its owner.
@Suite(.timeLimit(.minutes(10)))
struct DoctorRouteTests {
    private static func checks(_ made: Made) -> HostChecks {
        HostChecks(names: ["first", "slow", "last"], onRequest: ["slow"]) { names in
            made.names.withLock { $0 += names }
            return names.map { name in
                Finding(
                    check: name, state: name == "slow" ? .broken : .fine, message: "\(name) ran.",
                    fix: name == "slow" ? "Do this." : nil)
            }
        }
    }

    private final class Made: Sendable {
        let names = Mutex<[String]>([])
    }

    private static func get(
        _ host: ServedHost, _ query: String = "", token: String? = nil
    ) async throws -> Answer {
        try await host.send(Call("GET", "/api/v1/doctor" + query, token: token ?? host.owner))
    }

    @Test func `checks that take long are made only by name`() async throws {
        let made = Made()
        try await ServedHost.with(checks: Self.checks(made)) { host in
            let usual = try await Self.get(host).json()
            #expect(usual["ok"]?.bool == true)
            #expect(usual["findings"]?.array?.map { $0["check"]?.string } == ["first", "last"])
            #expect(usual["unchecked"]?.array?.map(\.string) == ["slow"])
            let named = try await Self.get(host, "?checks=slow").json()
            #expect(named["ok"]?.bool == false)
            let finding = try #require(named["findings"]?.array?.first)
            #expect(finding["state"]?.string == "broken")
            #expect(finding["fix"]?.string == "Do this.")
            #expect(named["unchecked"]?.array?.map(\.string) == ["first", "last"])
            _ = try await Self.get(host, "?checks=last,first")
            #expect(
                made.names.withLock { $0 } == ["first", "last", "slow", "first", "last"])
        }
    }

    @Test func `unknown checks and other clients are refused`() async throws {
        let made = Made()
        try await ServedHost.with(checks: Self.checks(made)) { host in
            for query in ["?checks=none", "?checks=", "?check=slow"] {
                #expect(try await Self.get(host, query).code == "invalid-parameter")
            }
            let token = try await host.client(allow: ["sensor:gauge"])
            #expect(try await Self.get(host, token: token).code == "owner-only")
            #expect(made.names.withLock { $0.isEmpty })
        }
    }
}
