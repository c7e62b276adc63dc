import Auth
import Samples
import Testing

@testable import Provider

/// The native routes under each term, which the tests of dialects compare with.
@Suite(.timeLimit(.minutes(10)))
struct GrantTermCaseTests {
    @Test(arguments: GrantTermCase.all)
    func `the native routes show what the term allows`(term: GrantTermCase) async throws {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            let token = try await host.client("dialect")
            try await host.decide(term, by: "dialect")
            let view = try await host.nativeView(of: "temperature.attic", token: token)
            #expect(view.codes.prefix(2) == [term.code, term.code])
            #expect(view.samples.isEmpty == (term.shown != .samples))
            #expect(view.latest == view.samples.last)
            #expect(view.windows.isEmpty == (term.shown == .nothing))
            let whole = try await host.nativeView(of: "temperature.attic", token: host.owner)
            #expect(whole.samples.count == 600)
            let isWhole = ["all samples", "only", "not yet expired"].contains(term.name)
            #expect((view == whole) == isWhole)
            let cellar = try await host.nativeView(of: "temperature.cellar", token: token)
            #expect(cellar.samples.isEmpty == (term.shown != .samples || term.excludesCellar))
            let kind: AccessLogEntry.Kind = term.shown == .samples ? .access : .refusal
            let lines = try await host.accessLines(of: "dialect")
            for operation in ["latest", "samples"] {
                #expect(
                    lines.contains(
                        AccessLine(
                            kind: kind, sensor: "temperature.attic", access: .raw,
                            operation: operation)))
            }
        }
    }

    @Test(arguments: GrantRevocation.allCases)
    func `the revocation ends a grant`(revocation: GrantRevocation) async throws {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            let token = try await host.client("dialect", allow: ["sensor:temperature"])
            let before = try await host.nativeView(of: "temperature.attic", token: token)
            #expect(before.samples.count == 600)
            try await revocation.apply(to: host, client: "dialect")
            let after = try await host.send(
                Call("GET", "/api/v1/sensors/temperature.attic/samples", token: token))
            #expect(after.status == (revocation == .tokenRevoked ? 401 : 403))
        }
    }
}
