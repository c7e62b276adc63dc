import Auth
import Foundation
import Samples
import Testing

@testable import Provider

/// Authentication, size and compression of pushes.
@Suite(.timeLimit(.minutes(10)))
struct PushAccessTests {
    private static let paths = [
        "/api/v1/push/sensor-logger", "/api/v1/push/owntracks", "/api/v1/push/osmand",
        "/api/v1/push/overland", "/api/v1/push/influx/write", "/api/v1/push/influx/api/v2/write",
        "/v1/metrics",
    ]

    private static func basic(_ pair: String) -> String {
        "Basic \(Data(pair.utf8).base64EncodedString())"
    }

    @Test(arguments: paths)
    func `a token is accepted in each scheme of the apps`(path: String) async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.client("ann")
            let fields = [
                "Bearer \(token)", "bearer \(token)", "Token \(token)", Self.basic("ann:\(token)"),
                Self.basic(":\(token)"),
            ]
            for field in fields {
                let answer = try await host.send(
                    Call("POST", path, headers: [("Authorization", field)], body: []))
                #expect(answer.status != 401, "\(field.prefix(6)): \(answer.text)")
            }
        }
    }

    @Test(arguments: paths)
    func `other schemes and tokens in the URL are rejected`(
        path: String
    ) async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.client("ann")
            let fields = [
                token, "Basic \(token)", Self.basic(token), Self.basic("\(token):"),
                Self.basic("ann:x\(token)"), "Digest \(token)", "Token", "Basic ",
            ]
            for field in fields {
                let answer = try await host.send(
                    Call("POST", path, headers: [("Authorization", field)], body: []))
                #expect(answer.status == 401, "\(field.prefix(6)): \(answer.text)")
            }
            for name in ["token", "p", "access_token"] {
                let address = "\(path)?\(name)=\(token)"
                #expect(try await host.send(Call("POST", address, body: [])).status == 401)
                let known = try await host.send(Call("POST", address, token: token, body: []))
                #expect(known.status == 400)
                #expect(known.code == "invalid-parameter")
                #expect(!known.text.contains(token))
            }
        }
    }

    @Test func `other routes accept only bearer tokens`() async throws {
        try await ServedHost.with { host async throws in
            for field in ["Token \(host.owner)", Self.basic("me:\(host.owner)")] {
                let answer = try await host.send(
                    Call("GET", "/api/v1/me", headers: [("Authorization", field)]))
                #expect(answer.status == 401)
            }
        }
    }

    @Test(arguments: ["", "a.b", "A", "a%20b", "-"])
    func `a device must have a name`(name: String) async throws {
        try await ServedHost.with { host async throws in
            let path = "/api/v1/push/sensor-logger?device=\(name)"
            let answer = try await host.send(
                Call("POST", path, token: host.owner, json: #"{"payload":[]}"#))
            #expect(answer.status == 400)
            #expect(answer.code == "invalid-parameter")
        }
    }
}
