import Auth
import Foundation
import HTTPTypes
import Samples
import Testing
import Text

@testable import Provider

/// Runs of programs, such as those of an assistant, and what refused clients are told.
@Suite(.timeLimit(.minutes(10)))
struct ProgramRunTests {
    private static func begin(
        _ host: ServedHost, _ name: String, create: Bool = true
    ) async throws -> Answer {
        try await host.send(
            Call(
                "POST", "/api/v1/tokens/\(name)/runs", token: host.owner,
                json: #"{"create": \#(create)}"#))
    }

    @Test func `a new program may read statistics, except of positions, and only while it runs`()
        async throws
    {
        try await ServedHost.with { host in
            try await host.fillTemperatures()
            _ = try await host.send(
                Call(
                    "PUT", "/api/v1/sensors/location.phone", token: host.owner,
                    json: #"{"fields": [{"name": "latitude", "unit": "deg"}]}"#))
            let now = host.clock.now.microseconds / 1000
            let rows = (0..<10).map { "\(now - Int64($0) * 1000),47" }
            let text = "t,latitude\n" + rows.joined(separator: "\n") + "\n"
            #expect(
                try await host.publish(text, as: "text/csv", to: "location.phone").status == 201)
            let answer = try await Self.begin(host, "assistant")
            #expect(answer.status == 201, "\(answer.text)")
            #expect(try answer.json()["created"]?.bool == true)
            #expect(answer["location"]?.hasPrefix("/api/v1/tokens/assistant/runs/") == true)
            let token = try #require(try answer.json()["token"]?.string)
            let records = await host.authority.permissions.records(of: "assistant")
            #expect(!records.isEmpty)
            for record in records {
                #expect(record.privilege.access == .stats)
                #expect(record.terms == Terms(access: .stats, background: false))
                #expect(record.privilege.sensor?.kind != "location")
            }
            func status(_ path: String, _ token: String) async throws -> Int {
                try await host.send(Call("GET", "/api/v1/sensors/" + path, token: token)).status
            }
            #expect(try await status("temperature.attic/stats", token) == 200)
            #expect(try await status("temperature.attic/latest", token) == 403)
            #expect(try await status("location.phone/stats", token) == 403)
            // Its own token, which nobody has, would be in the background.
            let list = try await host.send(Call("GET", "/api/v1/tokens", token: host.owner)).json()
            #expect(list["items"]?.array?.map { $0["name"]?.string } == ["assistant"])
            let second = try await Self.begin(host, "assistant")
            #expect(try second.json()["created"]?.bool == false)
            let run = try #require(try second.json()["run"]?.string)
            let other = try #require(try second.json()["token"]?.string)
            let path = "/api/v1/tokens/assistant/runs/\(run)"
            #expect(
                try await host.send(Call("PUT", path, token: host.owner)).status == 204)
            host.clock.advance(.seconds(1800))
            #expect(
                try await host.send(Call("PUT", path, token: host.owner)).status == 204)
            host.clock.advance(.seconds(1801))
            // The first run was not renewed.
            #expect(try await status("temperature.attic/stats", token) == 401)
            #expect(try await status("temperature.attic/stats", other) == 200)
            #expect(
                try await host.send(Call("DELETE", path, token: host.owner)).status == 204)
            #expect(try await status("temperature.attic/stats", other) == 401)
        }
    }

    @Test func `a revoked program does not come back by itself`() async throws {
        try await ServedHost.with { host in
            let token = try await Self.begin(host, "assistant").json()["token"]?.string
            let revoke = Call("DELETE", "/api/v1/tokens/assistant", token: host.owner)
            #expect(try await host.send(revoke).status == 204)
            let me = try await host.send(Call("GET", "/api/v1/me", token: token))
            #expect(me.status == 401)
            let again = try await Self.begin(host, "assistant")
            #expect(again.status == 403 && again.code == "denied")
            #expect(
                try again.json()["fix"]?.string?.contains("nervous token create assistant") == true)
            #expect(await host.authority.permissions.records(of: "assistant").isEmpty)
            _ = try await host.client("assistant")
            #expect(try await Self.begin(host, "assistant").status == 201)
            #expect(await host.authority.permissions.records(of: "assistant").isEmpty)
        }
    }

    @Test func `names of apps, of the owner's programs and unknown ones are refused`() async throws
    {
        try await ServedHost.with { host in
            try await host.install()
            _ = try await host.authority.createClient("desk", isOwner: true, expires: nil)
            #expect(try await Self.begin(host, "my-app").status == 409)
            #expect(try await Self.begin(host, "desk").status == 409)
            #expect(try await Self.begin(host, "owner").status == 409)
            #expect(try await Self.begin(host, "No%20name").status == 400)
            #expect(try await Self.begin(host, "none", create: false).status == 404)
            #expect(await host.authority.permissions.records().isEmpty)
        }
    }

    @Test func `a run asks without waiting, and a plain token cannot ask`() async throws {
        try await ServedHost.with { host in
            func ask(_ token: String, _ privilege: String) async throws -> JSONValue {
                try await host.send(
                    Call(
                        "POST", "/api/v1/permissions/request", token: token,
                        json: #"{"privilege": "\#(privilege)", "wait": false}"#)
                ).json()
            }
            let plain = try await host.client("curl")
            #expect(try await ask(plain, "sensor:gauge")["requested"]?.bool == false)
            let token = try #require(
                try await Self.begin(host, "assistant").json()["token"]?.string)
            #expect(try await ask(token, "sensor:none")["requested"]?.bool == false)
            let asked = try await ask(token, "sensor:gauge")
            #expect(asked["requested"]?.bool == true && asked["state"]?.string == "prompt")
            #expect(try await ask(token, "sensor:gauge")["requested"]?.bool == true)
            let waiting = await host.authority.pendingRequests()
            #expect(waiting.map(\.app) == ["assistant"] && waiting.map(\.waiting) == [0])
            try await host.decide(.deny, "sensor:gauge", by: "assistant")
            #expect(await host.authority.pendingRequests().isEmpty)
            #expect(try await ask(token, "sensor:gauge")["state"]?.string == "denied")
        }
    }

    @Test func `no answer to an app or a program contains a command of the owner`() async throws {
        try await ServedHost.with { host in
            try await host.install()
            let tokens = [
                try await host.client(), try await host.begin().token,
                try #require(try await Self.begin(host, "assistant").json()["token"]?.string),
            ]
            try await host.decide(.deny, "sensor:networking", by: "curl")
            try await host.decide(.statisticsOnly, "sensor:gauge", by: "curl")
            var fixes = 0
            for (path, methods) in host.provider.resources
            where path.hasPrefix("/api/v1/") && !path.contains("/stream") && !path.contains("/live")
                && !path.hasSuffix("/view") && path != "/api/v1/notifications"
            {
                for name in ["gauge", "networking", "none", "sensor:gauge"] {
                    let target = path.replacing(/\{[a-z]+\}/, with: name)
                    for method in methods where method != .delete || !path.contains("storage") {
                        for token in tokens {
                            let answer = try await host.send(
                                Call("\(method)", target, token: token, json: "{}"))
                            guard answer.status >= 400, let fix = try? answer.json()["fix"]?.string
                            else { continue }
                            fixes += 1
                            #expect(!fix.contains("nervous "), "\(method) \(target): \(fix)")
                        }
                    }
                }
            }
            #expect(fixes > 200)
            // The owner still gets the command.
            let unknown = Call("GET", "/api/v1/sensors/none/latest", token: host.owner)
            #expect(
                try await host.send(unknown).json()["fix"]?.string?.contains("nervous sensors")
                    == true)
        }
    }
}
