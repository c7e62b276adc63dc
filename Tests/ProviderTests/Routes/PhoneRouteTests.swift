import API
import Auth
import Foundation
import Ingest
import Samples
import Testing
import Text
import VM

@testable import Provider

/// Phones that the owner adds: their sensors, tokens and settings.
@Suite(.timeLimit(.minutes(10)))
struct PhoneRouteTests {
    private static let network = LocalNetworkDescription(
        urls: ["https://192.168.1.7:8443", "https://laptop.local:8443"],
        pin: "sha256/7HIpactkIAq2Y49orFOOQKurWxmmSFZhBCoQYcRhJ3Y=", expires: 1_800_000_000_000,
        authority: "/data/local-network/authority.crt", fingerprint: "5A:0F")
    private static let lifetime: Double = 90 * 86_400_000

    private static func add(
        _ json: String, to host: ServedHost, token: String? = nil
    ) async throws -> Answer {
        try await host.send(
            Call("POST", "/api/v1/phones", token: token ?? host.owner, json: json))
    }

    private static func get(_ path: String, _ host: ServedHost) async throws -> JSONValue {
        try await host.send(Call("GET", "/api/v1\(path)", token: host.owner)).json()
    }

    private static func sensors(of phone: String, _ host: ServedHost) async -> [String] {
        await host.machine.statuses().map(\.sensor.id.description).filter {
            $0.hasSuffix(".\(phone)")
        }
    }

    /// Checks that a refused phone has left neither a token nor a sensor.
    private static func expectNothing(of phone: String, at host: ServedHost) async throws {
        #expect(await sensors(of: phone, host).isEmpty)
        #expect(try await get("/tokens", host)["items"]?.array?.isEmpty == true)
    }

    @Test func `a phone gets its sensors, its settings and a token that only publishes`()
        async throws
    {
        try await ServedHost.with { host async throws in
            let answer = try await Self.add(#"{"name": "ann"}"#, to: host)
            #expect(answer.status == 201, "\(answer.text)")
            #expect(answer["location"] == "/api/v1/tokens/ann")
            #expect(answer["cache-control"] == "no-store")
            let phone = try JSONDecoder().decode(CreatedPhone.self, from: Data(answer.body))
            #expect(phone.name == "ann")
            #expect(phone.sensors == PhoneSensor.all.map { "\($0.kind).ann" })
            #expect(await Set(Self.sensors(of: "ann", host)) == Set(phone.sensors))
            let origin = "http://localhost:\(host.port)/api/v1/push"
            #expect(phone.sensorLogger == "\(origin)/sensor-logger")
            #expect(phone.ownTracks == "\(origin)/owntracks")
            #expect(phone.influx == "\(origin)/influx")
            // Without a listener for the local network.
            #expect(phone.localNetwork == nil)
            #expect(phone.qr == nil)
            let location = try await Self.get("/sensors/location.ann", host)
            #expect(location["title"]?.string == "Location of ann")
            let fields = location["fields"]?.array?.compactMap { $0["name"]?.string }
            #expect(fields?.contains("altitude") == true)
            let light = #"{"name":"light","time":1698501144401740000,"values":{"lux":5}}"#
            let pushed = try await host.send(
                Call(
                    "POST", "/api/v1/push/sensor-logger", token: phone.token,
                    json: #"{"payload":[\#(light)]}"#))
            #expect(pushed.status == 200, "\(pushed.text)")
            #expect(try await host.stored("light.ann").count == 1)
            let read = try await host.send(
                Call("GET", "/api/v1/sensors/light.ann/latest", token: phone.token))
            #expect(read.status == 403)
        }
    }

    @Test(arguments: [("", lifetime), (#", "lifetime": "1d""#, 86_400_000)])
    func `its token ends after 90 days or the given lifetime`(
        member: String, milliseconds: Double
    ) async throws {
        try await ServedHost.with { host async throws in
            let answer = try await Self.add(#"{"name": "ann"\#(member)}"#, to: host)
            #expect(answer.status == 201)
            let never = try await Self.add(#"{"name": "ben", "lifetime": "never"}"#, to: host)
            #expect(never.status == 201)
            let tokens = try #require(try await Self.get("/tokens", host)["items"]?.array)
            let ann = try #require(tokens.first { $0["name"]?.string == "ann" })
            let created = try #require(ann["created"]?.number?.double)
            let expires = try #require(ann["expires"]?.number?.double)
            // The microseconds are rounded.
            #expect(abs(expires - created - milliseconds) < 1)
            let ben = try #require(tokens.first { $0["name"]?.string == "ben" })
            #expect(ben["expires"] == nil)
        }
    }

    @Test func `with a listener for the local network there is a QR code of the chosen app`()
        async throws
    {
        try await ServedHost.with(localNetwork: Self.network) { host async throws in
            let description = try Description(
                try await host.send(Call("GET", "/openapi.json")).body)
            let operation = try #require(
                try description.operations().first { $0.id == "addPhone" })
            let origin = Self.network.urls[0]
            let phones: [(name: String, app: String?, url: String?)] = [
                ("ann", nil, "sensor-logger"), ("ben", "sensor-logger", "sensor-logger"),
                ("cid", "influx", "influx"), ("dan", "owntracks", nil),
            ]
            for (name, app, url) in phones {
                let member = app.map { #", "app": "\#($0)""# } ?? ""
                let answer = try await Self.add(
                    #"{"name": "\#(name)", "requiresNetwork": true\#(member)}"#, to: host)
                #expect(answer.status == 201, "\(answer.text)")
                #expect(description.faults(of: answer, to: operation).isEmpty)
                let phone = try JSONDecoder().decode(CreatedPhone.self, from: Data(answer.body))
                #expect(phone.localNetwork == Self.network)
                #expect(phone.sensorLogger == "\(origin)/api/v1/push/sensor-logger")
                let code = try #require(phone.qr)
                if let url {
                    let text = """
                        \(origin)/api/v1/push/\(url)
                        Authorization: Bearer \(phone.token)
                        Pin: \(Self.network.pin)
                        """
                    #expect(code.text == text)
                } else {
                    #expect(code.text.hasPrefix("owntracks:///config?inline="))
                }
                // A square with a finder pattern in three of its corners; others decode it.
                #expect(code.rows.allSatisfy { $0.count == code.rows.count })
                let finder = ["#######.", "#.....#.", "#.###.#."]
                #expect(code.rows.prefix(3).map { String($0.prefix(8)) } == finder)
                #expect(
                    code.rows.prefix(3).map { String($0.reversed().prefix(8)) } == finder)
                #expect(code.rows.reversed().prefix(3).map { String($0.prefix(8)) } == finder)
            }
        }
    }

    @Test func `a phone that needs the local network is not added without a listener`()
        async throws
    {
        try await ServedHost.with { host async throws in
            let answer = try await Self.add(#"{"name": "ann", "requiresNetwork": true}"#, to: host)
            #expect(answer.status == 503)
            #expect(answer.code == "not-listening")
            #expect(try answer.json()["fix"]?.string?.contains("nervous serve --lan") == true)
            try await Self.expectNothing(of: "ann", at: host)
            let without = try await Self.add(
                #"{"name": "ann", "requiresNetwork": false}"#, to: host)
            #expect(without.status == 201)
        }
    }

    @Test(arguments: [
        #"{"name": "Ann"}"#, #"{"name": "a.ann"}"#, #"{"name": ""}"#, #"{"name": "a b"}"#, "{}",
        #"{"name": "\#(String(repeating: "x", count: 46))"}"#, #"{"name": "ann", "app": "x"}"#,
        #"{"name": "ann", "lifetime": "soon"}"#, #"{"name": "ann", "lifetime": "0s"}"#,
        #"{"name": "ann", "require": true}"#,
    ])
    func `an invalid request changes nothing`(json: String) async throws {
        try await ServedHost.with { host async throws in
            let answer = try await Self.add(json, to: host)
            #expect(answer.status == 400)
            #expect(answer.code == "invalid-body")
            try await Self.expectNothing(of: "ann", at: host)
        }
    }

    @Test func `a name that is taken or reserved is refused, and no sensor is declared`()
        async throws
    {
        try await ServedHost.with { host async throws in
            try await host.install()
            let token = try await host.client("curl")
            for name in ["curl", "my-app", "owner"] {
                let answer = try await Self.add(#"{"name": "\#(name)"}"#, to: host)
                #expect(answer.status == 409, "\(name)")
                #expect(answer.code == "name-taken")
                #expect(await Self.sensors(of: name, host).isEmpty)
            }
            // The token that has the name is still valid.
            #expect(try await host.send(Call("GET", "/api/v1/me", token: token)).status == 200)
        }
    }

    @Test func `sensors that exist are unchanged, and come back with a new token`() async throws {
        try await ServedHost.with { host async throws in
            let declared = try await host.send(
                Call(
                    "PUT", "/api/v1/sensors/location.ann", token: host.owner,
                    json: #"{"title": "Where", "fields": [{"name": "latitude", "unit": "deg"}]}"#))
            #expect(declared.status == 201)
            for _ in 1...2 {
                let answer = try await Self.add(#"{"name": "ann"}"#, to: host)
                #expect(answer.status == 201)
                #expect(try answer.json()["sensors"]?.array?.count == PhoneSensor.all.count)
                let location = try await Self.get("/sensors/location.ann", host)
                #expect(location["title"]?.string == "Where")
                #expect(location["fields"]?.array?.count == 1)
                try await host.authority.revokeClient("ann")
            }
        }
    }

    @Test func `a phone that the policy or the disk refuses leaves nothing behind`() async throws {
        try await ServedHost.with { host async throws in
            let restriction = try #require(
                Restriction("sensor:location", file: "/etc/nervous/policy.json"))
            await host.authority.apply(Policy([restriction]))
            let restricted = try await Self.add(#"{"name": "ann"}"#, to: host)
            #expect(restricted.status == 403)
            #expect(restricted.code == "restricted")
            try await Self.expectNothing(of: "ann", at: host)
            await host.authority.apply(Policy())
            // Declarations cannot be stored where there is a folder.
            try FileManager.default.createDirectory(
                at: host.folder.appending(path: "data/declared-sensors.json"),
                withIntermediateDirectories: false)
            let failed = try await Self.add(#"{"name": "ann"}"#, to: host)
            #expect(failed.status == 500)
            try await Self.expectNothing(of: "ann", at: host)
        }
    }

    @Test func `only the owner adds phones`() async throws {
        try await ServedHost.with { host async throws in
            let token = try await host.client(allow: ["sensor:gauge"])
            let refused = try await Self.add(#"{"name": "ann"}"#, to: host, token: token)
            #expect(refused.status == 403)
            #expect(refused.code == "owner-only")
            let none = try await host.send(
                Call("POST", "/api/v1/phones", json: #"{"name": "ann"}"#))
            #expect(none.status == 401)
            #expect(await Self.sensors(of: "ann", host).isEmpty)
            let desk = try await host.authority.createClient("desk", isOwner: true, expires: nil)
            let added = try await Self.add(#"{"name": "ann"}"#, to: host, token: desk.text)
            #expect(added.status == 201)
        }
    }
}
