import Auth
import Foundation
import Samples
import Testing
import Text

@testable import Provider

/// SenML shows a client what the native routes show it.
@Suite(.timeLimit(.minutes(10)))
struct SenMLTermTests {
    private static let headers = [("Accept", "application/senml+json")]

    /// The records of a pack as rows, by their times.
    private static func rows(_ answer: Answer) throws -> [NativeView.Row] {
        guard answer.status == 200 else { return [] }
        var rows: [(time: Double, values: [String: JSONValue])] = []
        for record in try answer.json().array ?? [] {
            if let time = record["bt"]?.number?.double { rows.append((time * 1000, [:])) }
            guard let name = record["n"]?.string, !rows.isEmpty else { continue }
            rows[rows.count - 1].values[name] = record["v"] ?? record["vs"]
        }
        return rows.map { NativeView.Row(time: ($0.time).rounded(), values: $0.values) }
    }

    /// Rows without the positions of their values in a text.
    private static func texts(_ rows: [NativeView.Row]) -> [[String: String]] {
        rows.map { row in
            row.values.mapValues(\.line).merging(["t": "\(row.time)"]) { $1 }
        }
    }

    @Test(arguments: GrantTermCase.all)
    func `SenML shows what the native routes show`(term: GrantTermCase) async throws {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            let token = try await host.client("dialect")
            let other = try await host.client("native")
            for client in ["dialect", "native"] { try await host.decide(term, by: client) }
            for sensor in ["temperature.attic", "temperature.cellar"] {
                let native = try await host.nativeView(of: sensor, token: other)
                let path = "/api/v1/sensors/\(sensor)"
                let samples = try await host.send(
                    Call(
                        "GET", "\(path)/samples?limit=10000", token: token, headers: Self.headers))
                let latest = try await host.send(
                    Call("GET", "\(path)/latest", token: token, headers: Self.headers))
                #expect(Self.texts(try Self.rows(samples)) == Self.texts(native.samples))
                let newest = try Self.rows(latest).last
                #expect(newest?.time == native.latest?.time)
                #expect(newest?.number("temperature") == native.latest?.number("temperature"))
                #expect([latest.code, samples.code] == Array(native.codes.prefix(2)))
            }
            let reads = try await host.accessLines(of: "dialect")
            let expected = try await host.accessLines(of: "native")
                .filter { $0.access != .stats }
            #expect(reads == expected)
        }
    }

    @Test(arguments: GrantRevocation.allCases)
    func `SenML ends with the grant`(revocation: GrantRevocation) async throws {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            let token = try await host.client("dialect", allow: ["sensor:temperature"])
            let call = Call(
                "GET", "/api/v1/sensors/temperature.attic/latest", token: token,
                headers: Self.headers)
            #expect(try await host.send(call).status == 200)
            try await revocation.apply(to: host, client: "dialect")
            #expect(
                try await host.send(call).status == (revocation == .tokenRevoked ? 401 : 403))
        }
    }
}
